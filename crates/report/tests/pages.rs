//! Pages about runs that are rare: not at their end, with flips that are not valid, without anything attacked, about names and texts.

use campaign::plan::Plan;
use campaign::run::{About, Checks, InputRow, Judgement, Record};
use measure::Bootstrap;
use model::{Code, Identity, Input, Noise, Prediction};
use report::{Numbers, Run, page};
use search::Outcome::{self, Failed, Fault, Invalid, Misclassified, NoSite, Success};
use search::{Move, Rejected};
use syntax::Language;
use transformation::{Arguments, Step};

const HOSTILE: &str = "</script><b onclick=\"f()\">";

fn run(attacks: &str, targets: Vec<InputRow>, records: Vec<Record>) -> Run {
    let plan = format!("model = 'hf:m'\nattacks = [{attacks}]\n[data]\npath = 'test.jsonl'\n");
    let plan: Plan = toml::from_str(&plan).unwrap();
    let model =
        Identity { kind: "hf".to_owned(), place: "models/m".to_owned(), digest: "abc".to_owned(), varies: true };
    let about = About { plan, models: vec![model], data: "def".to_owned(), shard: (1, 1) };
    let noise = Some(Noise { asked: 16, changed: 3, failed: 0 });
    Run { name: "run".to_owned(), about, program: None, noise, targets, records }
}

fn target(number: usize, truth: &str, input: Input) -> InputRow {
    let (id, cluster) = (format!("t{number}{HOSTILE}"), number.to_string());
    InputRow { number, id, cluster, truth: Some(truth.to_owned()), input }
}

fn record(attack: &str, number: usize, outcome: Outcome) -> Record {
    let (attack, belief) = (attack.to_owned(), Some((0.9, 0.25)));
    Record { attack, number, outcome, belief, queries: 7, ..Record::default() }
}

fn found(
    attack: &str,
    number: usize,
    outcome: Outcome,
    before: Prediction,
    after: Prediction,
    example: Input,
) -> Record {
    let rewrite = |name: &str, arguments: Arguments| {
        let transformation = name.to_owned();
        let step = Step { transformation, site: 4..5, seed: 3, arguments, is_beside: false, is_shared: false };
        Move { step, part: 0, old_name: None }
    };
    let rename = rewrite("rename-local", Arguments { names: vec![HOSTILE.to_owned()], ..Arguments::default() });
    let rule = rewrite("x", Arguments { rule: "add".to_owned(), ..Arguments::default() });
    let (parse, scope, compile) = (Judgement::Holds, Judgement::Fails, Judgement::NotJudged);
    let flip = (outcome == Invalid).then(|| Rejected { reason: HOSTILE.to_owned(), moves: Vec::new() });
    Record {
        before: Some(before),
        after: Some(after),
        moves: vec![rename.clone(), rename, rule],
        example: Some(example),
        verdicts: vec![Checks { parse, scope, compile, run: compile }],
        rejected: flip.into_iter().collect(),
        ..record(attack, number, outcome)
    }
}

fn classes(probabilities: [f32; 2]) -> Prediction {
    Prediction::Classes(probabilities.to_vec())
}

fn python(text: &str) -> Code {
    Code { language: Language::Python, text: text.to_owned() }
}

fn code(text: &str) -> Input {
    Input::Code(python(text))
}

fn made(run: Run) -> (Numbers, String) {
    let runs = [run];
    let numbers = Numbers::of(&runs, Bootstrap::default());
    let page = page(&runs, &numbers, None);
    assert!(!page.html.contains(HOSTILE) && !page.html.contains("<b onclick"));
    (numbers, page.html)
}

#[test]
fn an_attack_that_is_not_at_its_end_makes_no_headline() {
    let targets = (0..4).map(|number| target(number, "a", code("x = 1\n"))).collect();
    let success = |attack: &str, number: usize| {
        found(attack, number, Success, classes([0.9, 0.1]), classes([0.25, 0.75]), code("y = 1\n"))
    };
    let mut records = vec![success("beam", 0), success("mhm", 0), record("mhm", 1, Failed), record("mhm", 2, NoSite)];
    records.push(Record { reason: Some(HOSTILE.to_owned()), ..record("mhm", 3, Fault) });
    let (numbers, page) = made(run("'beam', 'mhm', 'coda'", targets, records));
    assert!(page.contains("mhm broke <strong>1 of 2</strong>"));
    assert!(page.contains("beam†") && page.contains("† Not finished") && page.contains("1 of 4 targets done"));
    assert!(page.contains("without any record in run: coda."));
    assert!(page.contains("1 had nothing to change, 1 got no answer"));
    assert_eq!(numbers.attacks.iter().map(|attack| attack.attack.as_str()).collect::<Vec<_>>(), ["mhm", "beam"]);
    let used = numbers.attacks[0].transformations["rename-local"];
    assert_eq!((used.examples, used.moves), (1, 2));
    // What the model says about the truth tells what its first class is called; nothing tells about the second.
    assert!(page.contains("<span>a 90.0 %</span> <b>class 1 75.0 %</b>"));
}

#[test]
fn flips_that_are_not_valid_are_told_apart() {
    let targets = (0..2).map(|number| target(number, HOSTILE, code("x = 1\n"))).collect();
    let flip =
        |number, outcome| found("mhm", number, outcome, classes([1.0, 0.0]), classes([0.0, 1.0]), code("y = 1\n"));
    let (numbers, page) = made(run("'mhm'", targets, vec![flip(0, Success), flip(1, Invalid)]));
    let attack = &numbers.attacks[0];
    assert_eq!(attack.summary.value("attack success rate"), Some(1.0));
    assert_eq!(attack.summary.value("attack success rate, valid"), Some(0.5));
    assert!(page.contains("data-outcome=\"invalid\"") && page.contains("id=\"by-outcome\""));
    assert!(page.contains("flips refused, 1: &lt;/script&gt;"));
    assert!(page.contains("class=\"raw\""));
    assert_eq!(numbers.to_json()["attacks"][0]["refused"][0]["reason"], HOSTILE);
}

#[test]
fn names_and_texts_are_shown_too() {
    let named = |names: &[(&str, f32)]| {
        Prediction::Names(names.iter().map(|(name, certainty)| ((*name).to_owned(), *certainty)).collect())
    };
    let (before, after) = (named(&[("getName", 0.8)]), named(&[("run", 0.5), ("go", 0.1)]));
    let names = found("mhm", 0, Success, before, after, code("y = 1\n"));
    let asked = Input::CodeAndText(python("x"), "what?".to_owned());
    let (before, after) = (Prediction::Text("get name".to_owned()), Prediction::Text(HOSTILE.to_owned()));
    let text = found("mhm", 1, Success, before, after, asked.clone());
    let targets = vec![target(0, "getName", code("x = 1\n")), target(1, "get name", asked)];
    let (numbers, page) = made(run("'mhm'", targets, vec![names, text]));
    assert_eq!(numbers.runs[0].asked, "2 Python programs with a text: what is it called?");
    assert!(page.contains("<span>getName 80.0 %</span> <b>run 50.0 %</b>"));
    assert!(page.contains("<span>“get name”</span>"));
    assert!(page.contains(r#""rows":[["getName",0.8,null],["run",null,0.5],["go",null,0.1]]"#));
    assert!(page.contains(r#""text":"what?""#));
}

#[test]
fn nothing_attacked_is_a_page_as_well() {
    let (_, page) = made(run("'mhm'", vec![target(0, "a", code("x"))], vec![record("mhm", 0, Misclassified)]));
    for words in ["No target was attacked.", "Nothing was broken.", "There are none on this page.", "none attacked"] {
        assert!(page.contains(words), "no {words:?}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf\""), "a number is none");
}
