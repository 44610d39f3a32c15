//! Attacks on models that answer with names, texts and vectors, whose success is the fall of a measure.

use std::process::{Command, Output};

use campaign::run::{Record, Store};
use search::Outcome;

use crate::folder::Folder;

/// A model whose answer is made of the words of a function.
fn answering(answer: &str) -> String {
    format!(
        "import json, re, sys, zlib
for line in sys.stdin:
    question = json.loads(line)
    words = re.findall(r'[A-Za-z]+', question['code'])
    known = [word for word in words if word in ('total', 'path', 'size')]
    print(json.dumps({{'id': question['id'], {answer}}}), flush=True)
"
    )
}

/// Functions with what they do and what they are called.
fn folder(name: &str, answer: &str) -> Folder {
    let folder = Folder::new(name);
    let mut rows = String::new();
    for number in 0..4 {
        let code = format!(
            "def load{number}(given):\\n    path = given\\n    size = len(path)\\n    total = size + {number}\\n    return total\\n"
        );
        // What the last is about, the model does not know.
        let doc = if number == 3 { "nothing of the kind" } else { "path size path total size total" };
        rows.push_str(&format!("{{\"func\": \"{code}\", \"doc\": \"{doc}\", \"name\": \"loadFile\"}}\n"));
    }
    let code = "def keep(given):\\n    alpha = given\\n    beta = alpha\\n    gamma = beta\\n    size = gamma\\n    return size\\n";
    let other = format!("{{\"func\": \"{code}\", \"doc\": \"size size\", \"name\": \"keep\"}}\n");
    folder.write("train.jsonl", format!("{rows}{other}"));
    folder.write("test.jsonl", rows);
    folder.write("model.py", answering(answer));
    folder
}

fn attack(folder: &Folder, rest: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_allotrope"))
        .current_dir(&folder.0)
        .args(["attack", "--model", "cmd:python3 model.py", "--data", "test.jsonl", "--language", "python"])
        .args(["--code", "func"])
        .args(rest.split_whitespace())
        .output()
        .unwrap()
}

#[track_caller]
fn run(folder: &Folder, rest: &str) -> (String, Vec<Record>) {
    let output = attack(folder, &format!("{rest} -o run"));
    assert!(output.status.success(), "{rest}\n{}", String::from_utf8_lossy(&output.stderr));
    let records = Store::open(&folder.path("run")).unwrap().records().unwrap();
    (String::from_utf8(output.stdout).unwrap(), records)
}

#[track_caller]
fn says(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "no {words:?} in\n{text}");
    }
}

const TEXTS: &str = "'text': ' '.join(known)";

#[test]
fn captions_lose_their_bleu() {
    let folder = folder("attack-texts", TEXTS);
    let task = "--task captioning --text doc";
    let (said, records) = run(
        &folder,
        &format!(
            "{task} --attack beam,alert,mhm,wir-random,coda --train train.jsonl --transform all --measure bleu --below 0.5 --shrink"
        ),
    );
    says(&said, &["a success is", "bleu below 0.5", "decrement of bleu", "originals good enough to attack"]);
    assert_eq!(records.len(), 20);
    for record in &records {
        let score = record.score.unwrap();
        match record.number {
            3 => assert_eq!((record.outcome, record.queries, score.after), (Outcome::Misclassified, 1, None)),
            _ => {
                assert_eq!(record.outcome, Outcome::Success, "{}: {:?}", record.attack, record.reason);
                assert!(score.before > 0.99 && score.after.unwrap() < 0.5, "{}: {score:?}", record.attack);
                assert!(matches!(record.after, Some(model::Prediction::Text(_))));
            }
        }
    }
    // The plan in the folder has the measure, and makes the same records.
    says(&folder.read("run/plan.toml"), &["measure = \"bleu\"", "below = 0.5"]);
    folder.run_well("run run/plan.toml -o again");
    let again: Vec<Record> = Store::open(&folder.path("again")).unwrap().records().unwrap();
    let timeless = |records: Vec<Record>| -> Vec<Record> {
        records.into_iter().map(|record| Record { seconds: 0.0, ..record }).collect()
    };
    assert_eq!(timeless(again), timeless(records));
    says(&folder.run_well("compare run"), &["a success is", "bleu below 0.5", "decrement of bleu"]);
    folder.run_well("report run -o report.html");
    says(&folder.read("report.html"), &["A success: bleu below 0.5.", "Drop of bleu", "scored too low before"]);
    let other = attack(&folder, &format!("{task} --attack random-k --measure bleu --below 0.4 -o run"));
    says(&String::from_utf8_lossy(&other.stderr), &["below: 0.5, now 0.4"]);
}

#[test]
fn names_lose_their_subtokens() {
    // The surest name is right as long as two of the three words are there.
    let folder = folder(
        "attack-names",
        "'names': sorted([['loadFile', len(set(known)) / 4], ['saveFile', 0.4], ['run', 0.1]], key=lambda it: -it[1])",
    );
    let (said, records) =
        run(&folder, "--task method-name --label name --attack alert,random-k,carrot-i --measure f1 --fall 0.5");
    says(&said, &["f1 lower by at least 0.5", "decrement of f1"]);
    let successes: Vec<&Record> = records.iter().filter(|record| record.outcome == Outcome::Success).collect();
    assert!(successes.iter().any(|record| record.attack == "alert"));
    for record in successes {
        let score = record.score.unwrap();
        assert_eq!((score.before, score.after), (1.0, Some(0.5)));
    }
    let compared: serde_json::Value = serde_json::from_str(&folder.run_well("compare run --json")).unwrap();
    assert_eq!(compared["columns"].as_array().unwrap().len(), 3);
}

#[test]
fn vectors_turn_away() {
    let folder =
        folder("attack-vectors", "'embedding': [known.count('total') + 1, known.count('size'), known.count('path')]");
    let (said, records) =
        run(&folder, "--task unlabelled --attack beam --transform names --measure cosine --below 0.95 --json");
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["success"], "cosine below 0.95");
    assert!(records.iter().all(|record| record.outcome == Outcome::Success), "{said}");
    assert!(records.iter().all(|record| record.score.unwrap().after.unwrap() < 0.95));
}

#[test]
fn what_decides_is_asked_for_before_the_work_begins() {
    let folder = folder("attack-measures", TEXTS);
    let fails = |rest: &str, words: &[&str]| {
        let output = attack(&folder, &format!("{rest} --attack random-k -o run"));
        assert_eq!(output.status.code(), Some(2), "{rest}");
        says(&String::from_utf8_lossy(&output.stderr), words);
        assert!(!folder.path("run").exists());
    };
    let texts = "--task captioning --text doc";
    fails(texts, &["needs a measure", "--measure bleu|rouge-l|edit-distance|cosine with --below X or --fall X"]);
    fails(
        &format!("{texts} --measure f1 --below 0.2"),
        &["the measure f1 does not fit the task captioning", "bleu|rouge-l"],
    );
    fails(&format!("{texts} --measure bleu"), &["--below X", "--fall X"]);
    fails(&format!("{texts} --measure bleuu --below 0.2"), &["did you mean `bleu`"]);
    fails(&format!("{texts} --measure bleu --below 20"), &["above 0 and at most 1"]);
    fails(&format!("{texts} --below 0.2"), &["--measure"]);
    fails("--task unlabelled", &["needs a measure", "--measure cosine"]);
    fails("--task method-name --label name --measure bleu --below 0.2", &["--measure f1|mrr|edit-distance|cosine"]);
    fails(
        "--task functionality --label name --measure f1 --below 0.2",
        &["a wrong class is a success without --measure"],
    );
    // A model that answers with something else says so.
    folder.write("model.py", answering("'embedding': [1, 2]"));
    let output = attack(&folder, &format!("{texts} --measure bleu --below 0.2 --attack random-k -o other"));
    assert_eq!(output.status.code(), Some(4));
    says(&String::from_utf8_lossy(&output.stderr), &["a vector without a bleu"]);
}

#[test]
fn a_whole_test_set_is_rewritten() {
    let folder = folder("attack-rewritten", TEXTS);
    let (_, records) = run(
        &folder,
        "--task captioning --text doc --attack random-once,random-k,beam --budget 20 --measure bleu --below 0.1 --rewrite-all",
    );
    // The last is too low to be attacked, and rewritten all the same.
    assert!(records.iter().all(|record| record.left.is_some()));
    assert!(records.iter().all(|record| (record.number == 3) == (record.outcome == Outcome::Misclassified)));
    let said = folder.run_well("compare run --scores");
    says(&said, &["score of the rewritten test set", "bleu", "rouge-l", "inputs rewritten"]);
    assert!(!said.contains("in the place of originals"), "{said}");
    let said: serde_json::Value = serde_json::from_str(&folder.run_well("compare run --scores --json")).unwrap();
    let row = said["rewritten"].as_array().unwrap().iter().find(|row| row["score"] == "bleu").unwrap().clone();
    let number = |name: &str| row[name].as_str().unwrap().split(' ').next().unwrap().parse::<f64>().unwrap();
    assert!(number("beam") < number("random-once") && number("beam") < number("original"), "{row}");
}
