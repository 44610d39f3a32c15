//! What attacks leave of a model's scores, in the layout of Table III of the guided-mutation paper.
//!
//! There are two readings. In [`scores`] the test set of an attack holds the example that it found wherever it was successful, and the
//! original elsewhere. Inputs that the model has wrong stay as they are: an attack does not change them. In [`rewritten`] it holds the
//! form that the attack left, successful or not, of every input that it rewrote.

use std::collections::{BTreeMap, BTreeSet};

use measure::metrics::{confusion_table, macro_scores};
use measure::{Cell, Spread, Table, spread};
use model::Prediction;
use search::{Goal, Measure, Outcome};

use crate::examples::Truth;
use crate::run::{InputRow, Record};
use crate::scoring::{Metric, Row, value};

/// The scores of a model on a data set as it is, and as each attack leaves it.
pub struct Scores {
    /// What the run is called.
    pub run: String,
    /// How many inputs all attacks were done on.
    pub n: usize,
    /// The scores.
    pub rows: Vec<ScoreRow>,
    /// For each attack the number of inputs that it rewrote, where its test set holds what it left.
    pub rewritten: Option<BTreeMap<String, usize>>,
}

/// The records of each input, by attack.
type OfTarget<'r> = BTreeMap<usize, BTreeMap<&'r str, &'r Record>>;

/// One score.
pub struct ScoreRow {
    /// What it is called.
    pub score: &'static str,
    /// Its value on the originals.
    pub original: Option<f64>,
    /// For each attack its value on what the attack leaves.
    pub attacks: BTreeMap<String, Option<f64>>,
}

/// The scores of a run. Only inputs that every attack is done with count, so that all are about the same ones.
pub fn scores(run: &str, targets: &[InputRow], records: &[Record]) -> Scores {
    let attacks = attacks_of(records);
    let of_target = done(records);
    let truths = truths_of(targets);
    let classes = classes_of(&truths, records, &of_target);
    let is_right = |record: &&Record| record.outcome != Outcome::Misclassified;
    let share = |count: usize| (!of_target.is_empty()).then(|| count as f64 / of_target.len() as f64);
    let before = of_target.values().filter(|records| records.values().all(is_right)).count();
    let after = |attack: &str| {
        let records = of_target.values().filter_map(|records| records.get(attack));
        share(records.filter(|record| is_right(record) && record.outcome != Outcome::Success).count())
    };
    let first = |records: &BTreeMap<&str, &Record>| records.values().next()?.before.as_ref()?.class();
    let last = |records: &BTreeMap<&str, &Record>, attack: &str| {
        let record = records.get(attack)?;
        if record.outcome == Outcome::Success { &record.after } else { &record.before }.as_ref()?.class()
    };
    let each = |value: &dyn Fn(&str) -> Option<f64>| -> BTreeMap<String, Option<f64>> {
        attacks.iter().map(|attack| ((*attack).to_owned(), value(attack))).collect()
    };
    let f1 = |predicted: &dyn Fn(&BTreeMap<&str, &Record>) -> Option<usize>| {
        macro_f1(&of_target, &truths, &classes, predicted)
    };
    let f1_after = |attack: &str| f1(&|records| last(records, attack));
    let rows = vec![
        ScoreRow { score: "accuracy", original: share(before), attacks: each(&after) },
        ScoreRow { score: "macro F1", original: f1(&first), attacks: each(&f1_after) },
    ];
    Scores { run: run.to_owned(), n: of_target.len(), rows, rewritten: None }
}

/// The scores of a run on the forms that its attacks left: the success, or else the valid form with the lowest score. Inputs that an
/// attack did not rewrite stay as they are, and are counted. `None` where the run has no such forms.
pub fn rewritten(run: &str, goal: Option<Goal>, targets: &[InputRow], records: &[Record]) -> Option<Scores> {
    let prediction = records.iter().find_map(|record| record.left.as_ref())?;
    let attacks = attacks_of(records);
    let of_target = done(records);
    let texts = truths_of(targets);
    let classes = classes_of(&texts, records, &of_target);
    let (metrics, is_text) = metrics_of(goal, prediction);
    let truth = |number: &usize| -> Option<Truth> {
        let text = (*texts.get(number)?).to_owned();
        Some(match prediction {
            Prediction::Classes(_) => Truth::Class(*classes.get(text.as_str())?),
            Prediction::Embedding(_) => Truth::Unknown,
            Prediction::Names(_) | Prediction::Text(_) if is_text => Truth::Text(text),
            Prediction::Names(_) | Prediction::Text(_) => Truth::Name(text),
        })
    };
    let truths: Option<Vec<Truth>> = of_target.keys().map(truth).collect();
    let measured = |metric: Metric, answer: &dyn Fn(&BTreeMap<&str, &Record>) -> Option<Prediction>| -> Option<f64> {
        let before = |records: &BTreeMap<&str, &Record>| records.values().next()?.before.clone();
        let pair = |records| Some((before(records)?, answer(records)?));
        let answers: Option<Vec<(Prediction, Prediction)>> = of_target.values().map(pair).collect();
        let (truths, answers) = (truths.as_ref()?, answers?);
        let answered = truths.iter().zip(&answers);
        let rows: Vec<Row<'_>> = answered.map(|(truth, (before, after))| Row { truth, before, after }).collect();
        value(metric, &rows, 0)
    };
    let first = |records: &BTreeMap<&str, &Record>| records.values().next()?.before.clone();
    let left = |records: &BTreeMap<&str, &Record>, attack: &str| {
        let record = records.get(attack)?;
        record.left.clone().or_else(|| record.before.clone())
    };
    let each = |value: &dyn Fn(&str) -> Option<f64>| -> BTreeMap<String, Option<f64>> {
        attacks.iter().map(|attack| ((*attack).to_owned(), value(attack))).collect()
    };
    let mut rows: Vec<ScoreRow> = metrics
        .iter()
        .map(|metric| ScoreRow {
            score: metric.name(),
            original: measured(*metric, &first),
            attacks: each(&|attack| measured(*metric, &|records| left(records, attack))),
        })
        .collect();
    if let Prediction::Classes(_) = prediction {
        let f1 = |predicted: &dyn Fn(&BTreeMap<&str, &Record>) -> Option<usize>| {
            macro_f1(&of_target, &texts, &classes, predicted)
        };
        rows.push(ScoreRow {
            score: "macro F1",
            original: f1(&|records| first(records)?.class()),
            attacks: each(&|attack| f1(&|records| left(records, attack)?.class())),
        });
    }
    let count = |attack: &str| {
        let of_attack = of_target.values().filter_map(|records| records.get(attack));
        of_attack.filter(|record| record.left.is_some()).count()
    };
    let rewritten = attacks.iter().map(|attack| ((*attack).to_owned(), count(attack))).collect();
    Some(Scores { run: run.to_owned(), n: of_target.len(), rows, rewritten: Some(rewritten) })
}

/// The measures of what a run's model answers with, and whether its truths are texts.
fn metrics_of(goal: Option<Goal>, prediction: &Prediction) -> (&'static [Metric], bool) {
    const NAMES: &[Metric] = &[Metric::F1, Metric::Mrr, Metric::EditDistance, Metric::Accuracy];
    const TEXTS: &[Metric] = &[Metric::Bleu, Metric::RougeL, Metric::EditDistance, Metric::Accuracy];
    match (prediction, goal.map(|goal| goal.measure)) {
        (Prediction::Classes(_), _) => (&[Metric::Accuracy], false),
        (Prediction::Embedding(_), _) => (&[Metric::Cosine], false),
        (_, Some(Measure::Bleu | Measure::RougeL)) => (TEXTS, true),
        // The truth may be a name or a text.
        (Prediction::Text(_), Some(Measure::EditDistance)) => (&[Metric::EditDistance, Metric::Accuracy], true),
        _ => (NAMES, false),
    }
}

fn attacks_of(records: &[Record]) -> BTreeSet<&str> {
    records.iter().map(|record| record.attack.as_str()).collect()
}

/// The inputs that every attack is done with.
fn done(records: &[Record]) -> OfTarget<'_> {
    let attacks = attacks_of(records);
    let mut of_target: OfTarget<'_> = BTreeMap::new();
    for record in records.iter().filter(|record| record.outcome != Outcome::Fault) {
        of_target.entry(record.number).or_default().insert(&record.attack, record);
    }
    of_target.retain(|_, records| records.len() == attacks.len());
    of_target
}

fn truths_of(targets: &[InputRow]) -> BTreeMap<usize, &str> {
    targets.iter().map(|target| (target.number, target.truth())).collect()
}

/// The number of the class that each label stands for, as far as the records tell.
fn classes_of<'t>(
    truths: &BTreeMap<usize, &'t str>,
    records: &[Record],
    of_target: &OfTarget<'_>,
) -> BTreeMap<&'t str, usize> {
    // The store keeps labels and numbers of classes; inputs that the model has right say which belong together.
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, records) in of_target {
        for record in records.values().filter(|record| record.outcome != Outcome::Misclassified) {
            if let (Some(truth), Some(class)) = (truths.get(number), record.before.as_ref().and_then(Prediction::class))
            {
                classes.insert(truth, class);
            }
        }
    }
    // One label that the model never gets right belongs to the one class that is left.
    let lengths = records.iter().filter_map(|record| match record.before.as_ref()? {
        Prediction::Classes(classes) => Some(classes.len()),
        _ => None,
    });
    let free: Vec<usize> =
        (0..lengths.max().unwrap_or(0)).filter(|class| !classes.values().any(|known| known == class)).collect();
    let unknown: BTreeSet<&str> = truths.values().copied().filter(|truth| !classes.contains_key(truth)).collect();
    if let ([class], Some(truth)) = (&free[..], unknown.first().filter(|_| unknown.len() == 1)) {
        classes.insert(truth, *class);
    }
    classes
}

fn macro_f1(
    of_target: &OfTarget<'_>,
    truths: &BTreeMap<usize, &str>,
    classes: &BTreeMap<&str, usize>,
    predicted: &dyn Fn(&BTreeMap<&str, &Record>) -> Option<usize>,
) -> Option<f64> {
    let (mut found, mut right) = (Vec::new(), Vec::new());
    for (number, records) in of_target {
        right.push(*classes.get(truths.get(number)?)?);
        found.push(predicted(records)?);
    }
    let count = found.iter().chain(&right).max()? + 1;
    macro_scores(&confusion_table(&found, &right, count)?).f1
}

/// The table: a row for each score of each run, with the change in percent of the original score, and the mean and the median of
/// these changes at the end, over each kind of score apart from the others.
pub fn table(all: &[Scores]) -> Table {
    let attacks: BTreeSet<&String> =
        all.iter().flat_map(|scores| &scores.rows).flat_map(|row| row.attacks.keys()).collect();
    let header = ["run", "score", "inputs", "original"].into_iter().chain(attacks.iter().map(|attack| attack.as_str()));
    let mut table = Table::new(header);
    let change = |original: &Option<f64>, value: &Option<f64>| match (original, value) {
        (Some(original), Some(value)) if *original > 0.0 => Some(100.0 * (value - original) / original),
        _ => None,
    };
    for scores in all {
        for ScoreRow { score, original, attacks: each } in &scores.rows {
            let cell = |attack: &&String| {
                let value = each.get(*attack).copied().flatten();
                match (value, change(original, &value)) {
                    (Some(value), Some(change)) => Cell::Text(format!("{:.2} ({change:+.2} %)", 100.0 * value)),
                    _ => Cell::Number(None),
                }
            };
            let original = original.map_or(Cell::Number(None), |value| Cell::Text(format!("{:.2}", 100.0 * value)));
            let start = [scores.run.as_str().into(), (*score).into(), scores.n.into(), original];
            table.push(start.into_iter().chain(attacks.iter().map(cell)));
        }
        if let Some(rewritten) = &scores.rewritten {
            let cell = |attack: &&String| rewritten.get(*attack).copied().map_or(Cell::Number(None), Cell::from);
            let start = [scores.run.as_str().into(), "inputs rewritten".into(), scores.n.into(), Cell::Number(None)];
            table.push(start.into_iter().chain(attacks.iter().map(cell)));
        }
    }
    let mut names: Vec<&str> = Vec::new();
    for row in all.iter().flat_map(|scores| &scores.rows) {
        if !names.contains(&row.score) {
            names.push(row.score);
        }
    }
    for score in names {
        let rows = || all.iter().flat_map(|scores| &scores.rows).filter(|row| row.score == score);
        let changes = |attack: &str| -> Vec<f64> {
            rows().filter_map(|row| change(&row.original, &row.attacks.get(attack).copied().flatten())).collect()
        };
        for name in ["mean of changes", "median of changes"] {
            let cell = |attack: &&String| match spread(&changes(attack)) {
                None => Cell::Number(None),
                Some(Spread { mean, .. }) if name.starts_with("mean") => Cell::Text(format!("{mean:+.2} %")),
                Some(Spread { median, .. }) => Cell::Text(format!("{median:+.2} %")),
            };
            let start = [name.into(), score.into(), Cell::Number(None), Cell::Number(None)];
            table.push(start.into_iter().chain(attacks.iter().map(cell)));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use model::{Code, Input};
    use search::Outcome::{Failed, Misclassified, NoSite, Success};

    use super::*;

    fn record(attack: &str, number: usize, outcome: Outcome, before: [f32; 2]) -> Record {
        let after = (outcome == Success).then(|| Prediction::Classes(vec![before[1], before[0]]));
        let before = Some(Prediction::Classes(before.to_vec()));
        Record { before, after, attack: attack.to_owned(), number, outcome, ..Record::default() }
    }

    #[test]
    fn successes_lower_the_scores() {
        let target = |number: usize| InputRow {
            number,
            id: number.to_string(),
            cluster: number.to_string(),
            truth: Some(if number.is_multiple_of(2) { "safe" } else { "vulnerable" }.to_owned()),
            input: Input::Code(Code { language: syntax::Language::C, text: String::new() }),
        };
        let targets: Vec<InputRow> = (0..5).map(target).collect();
        let mut records = Vec::new();
        for attack in ["one", "other"] {
            let ends = if attack == "one" { [Success, Failed] } else { [Success, Success] };
            records.push(record(attack, 0, ends[0], [0.9, 0.1]));
            records.push(record(attack, 1, ends[1], [0.2, 0.8]));
            records.push(record(attack, 2, Misclassified, [0.4, 0.6]));
            records.push(record(attack, 3, NoSite, [0.3, 0.7]));
        }
        // Only one attack is done with this one.
        records.push(record("one", 4, Failed, [0.9, 0.1]));
        let found = scores("run", &targets, &records);
        assert_eq!(found.n, 4);
        let ScoreRow { score, original, attacks: each } = &found.rows[0];
        assert_eq!((*score, *original), ("accuracy", Some(0.75)));
        assert_eq!((each["one"], each["other"]), (Some(0.5), Some(0.25)));
        // Originals: safe 1 of 2 found, vulnerable 2 of 2: F1 2/3 and 4/5.
        let ScoreRow { original, attacks: each, .. } = &found.rows[1];
        assert!((original.unwrap() - (2.0 / 3.0 + 0.8) / 2.0).abs() < 1e-12);
        // With `one` nothing is taken for safe: F1 0 and 2/3.
        assert!((each["one"].unwrap() - 1.0 / 3.0).abs() < 1e-12);
        let shown = table(&[found]).to_markdown();
        assert!(shown.contains("50.00 (-33.33 %)") && shown.contains("mean of changes"), "{shown}");
        // A model that is never right about one label has a score as well: here F1 is 2/3 and 0.
        let constant: Vec<Record> =
            (0..2).map(|number| record("one", number, [Failed, Misclassified][number], [0.9, 0.1])).collect();
        let original = scores("constant", &targets[..2], &constant).rows[1].original;
        assert!((original.unwrap() - 1.0 / 3.0).abs() < 1e-12);
        assert!(scores("none", &[], &[]).rows[0].original.is_none());
    }

    #[test]
    fn a_rewritten_test_set_holds_what_attacks_left() {
        let target = |number: usize| InputRow {
            number,
            id: number.to_string(),
            cluster: number.to_string(),
            truth: Some("getName".to_owned()),
            input: Input::Code(Code { language: syntax::Language::C, text: String::new() }),
        };
        let targets: Vec<InputRow> = (0..3).map(target).collect();
        let named = |name: &str| Some(Prediction::Names(vec![(name.to_owned(), 1.0)]));
        let record = |attack: &str, number: usize, before: &str, left: Option<&str>| Record {
            attack: attack.to_owned(),
            number,
            before: named(before),
            left: left.and_then(named),
            ..Record::default()
        };
        let records = [
            record("random-once", 0, "getName", Some("getName")),
            record("random-once", 1, "getName", Some("run")),
            record("random-once", 2, "run", None),
            record("guided-mutation", 0, "getName", Some("getSize")),
            record("guided-mutation", 1, "getName", Some("run")),
            record("guided-mutation", 2, "run", Some("getName")),
        ];
        let goal = Some(Goal { measure: Measure::F1, below: Some(0.5), fall: None });
        let found = rewritten("run", goal, &targets, &records).unwrap();
        let row = |score: &str| found.rows.iter().find(|row| row.score == score).unwrap();
        // The truths have six words, the answers five, and four agree.
        assert!((row("f1").original.unwrap() - 8.0 / 11.0).abs() < 1e-12);
        assert!((row("f1").attacks["random-once"].unwrap() - 4.0 / 10.0).abs() < 1e-12);
        // One that was wrong may become right.
        assert!((row("f1").attacks["guided-mutation"].unwrap() - 6.0 / 11.0).abs() < 1e-12);
        assert_eq!(row("accuracy").attacks["guided-mutation"], Some(1.0 / 3.0));
        assert_eq!(found.rewritten.as_ref().unwrap()["random-once"], 2);
        let shown = table(&[found]).to_markdown();
        assert!(shown.contains("inputs rewritten") && shown.contains("mean of changes"), "{shown}");
        assert!(rewritten("run", goal, &targets, &[record("random-once", 0, "run", None)]).is_none());
    }
}
