//! Adversarial examples: each with what the model said, how it was made, what was checked, and both programs side by side.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use campaign::run::{Checks, InputRow, Judgement, Record};
use model::{Code, Input, Prediction};
use search::{Move, Outcome};
use serde_json::{Value, json};

use crate::diff::rows;
use crate::markup::{count, escape, json_in_script, percent, shortened};
use crate::numbers::{AttackNumbers, Numbers, RunNumbers, language_name, transformations_of};
use crate::pictures::COLOURS;
use crate::run::Run;

/// Probabilities of more classes than this are told of the likeliest only.
const MOST_CLASSES: usize = 5;

/// The number of examples that are laid out before the script has chosen what is seen.
const SEEN_FIRST: usize = 50;

/// The examples of a page.
pub struct Examples {
    /// Their markup.
    pub html: String,
    /// How many are on the page.
    pub shown: usize,
    /// How many there are for each attack, and how many of them are on the page.
    pub of_attacks: Vec<(usize, usize)>,
    /// The transformations of their recipes.
    pub transformations: BTreeSet<String>,
    /// The truths of their targets.
    pub truths: BTreeSet<String>,
    /// Are there flips among them that are not valid or not judged?
    pub has_others: bool,
}

/// The examples of all attacks, of each at most so many: those that change the fewest tokens.
pub fn examples(runs: &[Run], numbers: &Numbers, most: Option<usize>) -> Examples {
    let mut examples = Examples {
        html: String::new(),
        shown: 0,
        of_attacks: Vec::new(),
        transformations: BTreeSet::new(),
        truths: BTreeSet::new(),
        has_others: false,
    };
    for (place, attack) in numbers.attacks.iter().enumerate() {
        let run = &runs[attack.run];
        let targets: HashMap<usize, &InputRow> = run.targets.iter().map(|target| (target.number, target)).collect();
        let mut found: Vec<(&Record, &InputRow)> = run
            .records
            .iter()
            .filter(|record| record.attack == attack.attack && record.example.is_some())
            .filter_map(|record| Some((record, *targets.get(&record.number)?)))
            .collect();
        found.sort_by_key(|(record, _)| (changed_tokens(record).unwrap_or(usize::MAX), record.number));
        let all = found.len();
        found.truncate(most.unwrap_or(usize::MAX));
        examples.of_attacks.push((all, found.len()));
        for (record, target) in found {
            examples.shown += 1;
            examples.transformations.extend(transformations_of(record).into_iter().map(str::to_owned));
            examples.truths.insert(target.truth().to_owned());
            examples.has_others |= record.outcome != Outcome::Success;
            let later = if examples.shown > SEEN_FIRST { " data-later" } else { "" };
            let id = format!("example-{place}-{}", record.number);
            examples.html.push_str(&format!(r#"<details class="example" id="{id}"{later} "#));
            examples.html.push_str(&example(place, attack, &numbers.runs[attack.run], record, target));
        }
    }
    examples
}

fn changed_tokens(record: &Record) -> Option<usize> {
    record.quality.as_ref().map(|quality| quality.changed_tokens)
}

/// An example, after the start of its tag.
fn example(place: usize, attack: &AttackNumbers, run: &RunNumbers, record: &Record, target: &InputRow) -> String {
    let used: BTreeSet<&str> = transformations_of(record).into_iter().collect();
    let used: Vec<&str> = used.into_iter().collect();
    let moves = record.moves.len();
    let mut costs = vec![counted(record.queries, "query", "queries"), counted(moves, "rewrite", "rewrites")];
    costs.extend(changed_tokens(record).map(|tokens| counted(tokens, "token", "tokens")));
    let drop = record.drop().unwrap_or(0.0);
    let answer = |prediction: &Option<Prediction>| {
        prediction.as_ref().map_or_else(|| "no answer".to_owned(), |prediction| told(prediction, &run.labels))
    };
    // Everything else is drawn when the example is opened: a page of thousands has to open quickly.
    let refused = match record.outcome {
        Outcome::Success => "",
        Outcome::NotJudged => r#"<span class="refused">not judged</span>"#,
        _ => r#"<span class="refused">not valid</span>"#,
    };
    let data = json!({
        "truth": target.truth(),
        "predictions": predictions(record, run),
        "recipe": recipe(record, &target.input),
        "moves": counted(moves, "rewrite", "rewrites"),
        "checks": checks(record),
        "notes": notes(record, moves),
        "text": match &target.input {
            Input::CodeAndText(_, text) => Some(text),
            Input::Code(_) | Input::Pair(..) => None,
        },
        "programs": differences(&target.input, record.example.as_ref()),
    });
    format!(
        r#"data-attack="{place}" data-outcome="{outcome}" data-truth="{truth}" data-transformations="{transformations}" data-changed="{changed}" data-drop="{drop:.6}" data-queries="{queries}">
<summary><span class="name c{colour}">{name}</span><span class="id">{id}</span><span class="answers"><span>{before}</span> <b>{after}</b>{refused}</span><span class="costs">{costs}</span></summary>
<script type="application/json">{data}</script></details>
"#,
        outcome = record.outcome.name(),
        truth = escape(target.truth()),
        transformations = escape(&used.join(" ")),
        changed = changed_tokens(record).unwrap_or(usize::MAX),
        queries = record.queries,
        colour = attack.colour % COLOURS,
        name = escape(&attack.name),
        id = escape(&shortened(&target.id, 60)),
        before = escape(&answer(&record.before)),
        after = escape(&answer(&record.after)),
        costs = costs.join(" · "),
        data = json_in_script(&data),
    )
}

fn counted(number: usize, one: &str, several: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { several })
}

/// What was predicted, in a few words.
fn told(prediction: &Prediction, labels: &BTreeMap<usize, String>) -> String {
    match (prediction, certainties(prediction, labels)) {
        (Prediction::Text(text), _) => format!("“{}”", shortened(text.trim(), 60)),
        (Prediction::Embedding(_), _) => String::new(),
        (Prediction::Names(_), names) => match names.first() {
            Some((name, certainty)) => format!("{name} {}", percent(*certainty)),
            None => "no name".to_owned(),
        },
        (Prediction::Classes(_), classes) => match prediction.class().and_then(|class| classes.get(class)) {
            Some((label, probability)) => format!("{label} {}", percent(*probability)),
            None => String::new(),
        },
    }
}

/// Classes or names, each with its certainty.
fn certainties(prediction: &Prediction, labels: &BTreeMap<usize, String>) -> Vec<(String, f64)> {
    let label = |class: usize| labels.get(&class).cloned().unwrap_or_else(|| format!("class {class}"));
    match prediction {
        Prediction::Classes(classes) => {
            classes.iter().enumerate().map(|(class, p)| (label(class), f64::from(*p))).collect()
        }
        Prediction::Names(names) => names.iter().map(|(name, p)| (shortened(name, 60), f64::from(*p))).collect(),
        Prediction::Text(_) | Prediction::Embedding(_) => Vec::new(),
    }
}

/// The predictions before and after: the likeliest answers with their certainties, or texts.
fn predictions(record: &Record, run: &RunNumbers) -> Value {
    let list = |prediction: &Option<Prediction>| -> Vec<(String, f64)> {
        prediction.as_ref().map(|prediction| certainties(prediction, &run.labels)).unwrap_or_default()
    };
    let (before, after) = (list(&record.before), list(&record.after));
    if before.is_empty() && after.is_empty() {
        let text = |prediction: &Option<Prediction>| match prediction {
            Some(Prediction::Text(text)) => text.clone(),
            _ => "no answer".to_owned(),
        };
        return json!({ "texts": [text(&record.before), text(&record.after)] });
    }
    let of = |list: &[(String, f64)], label: &str| list.iter().find(|(known, _)| known == label).map(|(_, p)| *p);
    let weight = |label: &str| of(&before, label).unwrap_or(0.0).max(of(&after, label).unwrap_or(0.0));
    let mut labels: Vec<&String> = before.iter().chain(&after).map(|(label, _)| label).collect();
    labels.sort_by(|one, other| weight(other).total_cmp(&weight(one)).then(one.cmp(other)));
    labels.dedup();
    let others = labels.len().saturating_sub(MOST_CLASSES);
    labels.truncate(MOST_CLASSES);
    let rounded = |p: Option<f64>| p.map(|p| (p * 1e4).round() / 1e4);
    let rows = labels.iter().map(|label| json!([label, rounded(of(&before, label)), rounded(of(&after, label))]));
    json!({ "rows": rows.collect::<Vec<_>>(), "others": others })
}

/// The rewrites in their order: what was done, the names that it brought, and where.
fn recipe(record: &Record, input: &Input) -> Vec<Value> {
    let step = |Move { step, part, .. }: &Move| {
        let rule = &step.arguments.rule;
        let what = match rule.is_empty() {
            true => step.transformation.clone(),
            false => format!("{}:{rule}", step.transformation),
        };
        let part = match (input, part) {
            (Input::Pair(..), 0) => "first program, ",
            (Input::Pair(..), _) => "second program, ",
            _ => "",
        };
        let (start, end, seed) = (step.site.start, step.site.end, step.seed);
        json!([what, step.arguments.names, format!("{part}bytes {start}–{end}, seed {seed}")])
    };
    record.moves.iter().map(step).collect()
}

/// What was checked, for every program that was changed.
fn checks(record: &Record) -> Vec<Value> {
    let word = |judgement: Judgement| match judgement {
        Judgement::Holds => "holds",
        Judgement::Fails => "fails",
        Judgement::NotJudged => "not judged",
    };
    let of_program = |Checks { parse, scope, compile, run }: &Checks| {
        json!([("parse", word(*parse)), ("scope", word(*scope)), ("compile", word(*compile)), ("run", word(*run))])
    };
    record.verdicts.iter().map(of_program).collect()
}

/// What else is known about an example.
fn notes(record: &Record, moves: usize) -> Vec<String> {
    let mut notes: Vec<String> = record.reason.iter().cloned().collect();
    let refused = record.rejected.len();
    if refused > 0 {
        notes.push(format!("{} refused before.", counted(refused, "flip was", "flips were")));
    }
    if record.shrink_queries > 0 && record.moves_before_shrinking > moves {
        let (from, queries) = (record.moves_before_shrinking, counted(record.shrink_queries, "query", "queries"));
        notes.push(format!("Made smaller from {} rewrites with {queries}.", count(from)));
    }
    notes.extend(record.cosine.map(|cosine| format!("Cosine of the embeddings: {cosine:.3}")));
    notes
}

/// For each program of an input its rows beside the example's.
fn differences(original: &Input, example: Option<&Input>) -> Vec<Value> {
    let originals = original.programs();
    let changed = example.map_or_else(|| originals.clone(), Input::programs);
    let one = |(place, (before, after)): (usize, (&&Code, &&Code))| {
        let language = language_name(before.language);
        let title = match (originals.len(), place) {
            (1, _) => language.to_owned(),
            (_, 0) => format!("First program, {language}"),
            _ => format!("Second program, {language}"),
        };
        let rows = rows(&before.text, &after.text, before.language);
        json!({"title": title, "same": before.text == after.text, "rows": rows})
    };
    originals.iter().zip(&changed).enumerate().map(one).collect()
}
