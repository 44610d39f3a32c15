//! Mutants, guided mutation and fidelity as a user types them, on a checkpoint small enough to carry.

use std::path::Path;
use std::process::Command;

use crate::folder::{Folder, kill_until_done};
use campaign::run::{Record, Store};
use search::Outcome;
use serde_json::Value;

/// A classifier with two classes and random weights.
fn checkpoint() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity/roberta-two");
    format!("hf:{}", folder.canonicalize().unwrap().display())
}

fn prepared(name: &str, functions: usize) -> Folder {
    let folder = Folder::new(name);
    let mut rows = String::new();
    for number in 0..functions {
        let code = format!(
            "int f{number}(int count{number}, int limit) {{ int sum = {number}; while (count{number} < limit) \
             {{ sum += count{number}; count{number}++; }} return sum; }}"
        );
        for target in 0..2 {
            rows.push_str(&format!("{{\"func\": \"{code}\", \"target\": {target}}}\n"));
        }
    }
    folder.write("test.jsonl", rows);
    folder
}

/// The records of a run without the times.
fn records(run: &Path) -> Vec<Record> {
    let records = Store::open(run).unwrap().records().unwrap();
    records.into_iter().map(|record| Record { seconds: 0.0, ..record }).collect()
}

#[test]
fn mutants_are_listed_and_scored() {
    let folder = prepared("mutants", 6);
    let model = checkpoint();
    let listed = folder.run_well(&format!("mutants --model {model} --mutants 2"));
    assert_eq!(listed.lines().count(), 12);
    let first = listed.lines().next().unwrap().to_owned();
    // Every name is a model that other commands open.
    let data = "--data test.jsonl --language c";
    let said = folder.run_well(&format!("evaluate --model {first} {data} --json"));
    let said: Value = serde_json::from_str(&said).unwrap();
    let original: Value =
        serde_json::from_str(&folder.run_well(&format!("evaluate --model {model} {data} --json"))).unwrap();
    assert_ne!(said["model"]["digest"], original["model"]["digest"]);

    let command =
        format!("mutants --model {model} {data} --mutants 2 --ratio 0.5 --min-accuracy 0 --scores scores.jsonl --json");
    let scored: Value = serde_json::from_str(&folder.run_well(&command)).unwrap();
    assert_eq!((&scored["inputs"], &scored["kept"]), (&Value::from(12), &Value::from(12)));
    assert_eq!(scored["accuracy"], Value::from(0.5), "each function is there with both labels");
    assert!(scored["mutation score"]["score"].as_f64().is_some());
    let changed = scored["mutants"].as_array().unwrap().iter().filter(|mutant| mutant["labels changed"] != 0.0).count();
    assert!(changed > 0, "{scored}");
    let rates = folder.read("scores.jsonl");
    assert_eq!(rates.lines().count(), 12);
    folder.run_well(&command);
    assert_eq!(folder.read("scores.jsonl"), rates);
    assert!(folder.run_well(&format!("mutants --model {model} {data} --mutants 1")).contains("neuron-switch"));

    folder.run_badly("mutants --model cmd:python3", 2, &["cannot make mutants"]);
    folder.run_badly(&format!("mutants --model {model} --operators state-clear"), 2, &["recurrent"]);
    folder.run_badly(&format!("mutants --model {model} --operators neuron-swich"), 2, &["did you mean"]);
    assert!(folder.run_well("list operators").contains("gate-clear"));
    assert!(folder.run_well("explain neuron-switch").contains("Permutes neurons"));
}

const GUIDED: &str = "--attack guided-mutation,random-once,random-k --set guided-mutation.generations=8 \
    --set guided-mutation.mutation-rate=0.3 --mutants 1 --ratio 0.3 --min-accuracy 0 --seed 3";

#[test]
fn guided_mutation_stands_beside_its_baselines() {
    let folder = prepared("guided", 6);
    let model = checkpoint();
    let attack = |rest: &str| format!("attack --model {model} --data test.jsonl --language c {GUIDED} {rest}");
    let said = folder.run_well(&attack("-o run"));
    assert!(said.contains("guided-mutation") && said.contains("mutant queries"), "{said}");
    let first = records(&folder.path("run"));
    assert_eq!(first.len(), 36);
    for record in first.iter().filter(|record| record.outcome != Outcome::Misclassified) {
        assert_eq!(record.attack == "guided-mutation", record.mutant_queries > 0, "{record:?}");
        assert_eq!(record.mutant_queries % 6, 0);
    }
    folder.run_well(&attack("-o again --jobs 1 --batch 1"));
    assert_eq!(records(&folder.path("again")), first);
    // The plan of the run says which mutants there were.
    folder.run_well("run run/plan.toml -o planned");
    assert_eq!(records(&folder.path("planned")), first);
    let scores = folder.run_well("compare run --scores --markdown");
    for words in ["original", "guided-mutation", "random-once", "macro F1", "median of changes"] {
        assert!(scores.contains(words), "no {words:?} in\n{scores}");
    }
    let plan = folder.read("run/plan.toml");
    folder.write("bare.toml", plan.split("[mutants]").next().unwrap().to_owned() + "[data]\npath = \"test.jsonl\"\n");
    folder.run_badly("run bare.toml -o bare", 2, &["[mutants]"]);
    let served = "attack --model cmd:python3 --data test.jsonl --language c --attack guided-mutation -o served";
    folder.run_badly(served, 2, &["cannot make mutants"]);
}

fn fidelity(folder: &Folder, rest: &str) -> Command {
    fidelity_of(folder, ["?weights=f16", "?mutate=neuron-effect-block&ratio=0.5"], rest)
}

fn fidelity_of(folder: &Folder, students: [&str; 2], rest: &str) -> Command {
    let model = checkpoint();
    let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
    command.current_dir(&folder.0).args(["fidelity", "--teacher", &model, "--data", "test.jsonl", "--language", "c"]);
    for student in students {
        command.args(["--student", &format!("{model}{student}")]);
    }
    command.args(rest.split_whitespace());
    command
}

fn output(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn students_are_compared_with_their_teacher() {
    let folder = prepared("fidelity", 8);
    let attacks = "--attack random-once,random-k --json --worst 3";
    let said = output(fidelity(&folder, &format!("-o run {attacks}")));
    let found: Value = serde_json::from_str(&said).unwrap();
    let comparisons = found["comparisons"].as_array().unwrap();
    assert_eq!((comparisons.len(), &comparisons[0]["n"]), (2, &Value::from(16)));
    let value = |student: usize, measure: &str| {
        let lines = comparisons[student]["measures"]["lines"].as_array().unwrap();
        let line = lines.iter().find(|line| line["measure"] == measure).unwrap_or_else(|| panic!("{measure}"));
        line["value"].as_f64().unwrap()
    };
    assert_eq!(value(0, "label loyalty, violation"), 0.0, "half precision changes no label here");
    assert!(comparisons[0]["KL(teacher || student)"]["spread"]["most"].as_f64().unwrap() < 1e-3);
    let mutated = comparisons[1]["KL(teacher || student)"]["spread"]["most"].as_f64().unwrap();
    assert!(mutated > 1e-3, "{mutated}");
    assert_eq!(value(1, "accuracy of the teacher"), 0.5);
    assert_eq!(comparisons[1]["worst"].as_array().unwrap().len(), 3);
    let gaps = found["robustness"].as_array().unwrap();
    assert_eq!((gaps.len(), gaps[0]["attacks"].as_array().unwrap().len()), (2, 2));

    // The same command says the same and asks nothing; text and Markdown have the tables of the paper.
    assert_eq!(output(fidelity(&folder, &format!("-o run {attacks}"))), said);
    let text = output(fidelity(&folder, "-o run --attack random-once,random-k --markdown"));
    for words in ["tau = 0.85", "B = 15", "robustness gap", "Friedman", "farthest", "| student 2"] {
        assert!(text.contains(words), "no {words:?} in\n{text}");
    }
    // The attacks are runs like others.
    assert!(folder.run_well("compare run/attacks/teacher run/attacks/student-2").contains("McNemar"));

    let changed = fidelity(&folder, "-o run --attack random-once").output().unwrap();
    let problem = String::from_utf8_lossy(&changed.stderr).into_owned();
    assert_eq!(changed.status.code(), Some(3), "{problem}");
    assert!(problem.contains("attack.attacks") && problem.contains("another plan"), "{problem}");
    let model = checkpoint();
    let same = format!("fidelity --teacher {model} --student {model} --data test.jsonl --language c -o same");
    folder.run_badly(&same, 2, &["nothing would be compared"]);
    let five = model.replace("roberta-two", "roberta-five");
    let other = format!("fidelity --teacher {model} --student {five} --data test.jsonl --language c -o other");
    folder.run_badly(&other, 2, &["same labels"]);
    let embedding = model.replace("roberta-two", "roberta-embedding");
    let other = format!("fidelity --teacher {model} --student {embedding} --data test.jsonl --language c -o third");
    folder.run_badly(&other, 2, &["does not answer with classes"]);
}

#[test]
fn a_comparison_that_is_killed_goes_on_without_a_loss() {
    let folder = prepared("fidelity-killed", 12);
    let copies = |folder: &Folder, rest: &str| fidelity_of(folder, ["?weights=f16", "?weights=int8"], rest);
    let rest = "--attack guided-mutation,random-k --mutants 1 --ratio 0.3 --min-accuracy 0 --json";
    let expected = output(copies(&folder, &format!("-o undisturbed {rest}")));
    let mutant = fidelity(&folder, &format!("-o mutant {rest}")).output().unwrap();
    let problem = String::from_utf8_lossy(&mutant.stderr).into_owned();
    assert!(mutant.status.code() == Some(2) && problem.contains("a mutant itself"), "{problem}");
    kill_until_done(
        12,
        |run| copies(&folder, &format!("-o run-{run} {rest} --jobs 2")),
        |run| {
            assert_eq!(output(copies(&folder, &format!("-o run-{run} {rest}"))), expected);
            for model in ["teacher", "student-1", "student-2"] {
                let of = |run: &str| records(&folder.path(&format!("{run}/attacks/{model}")));
                assert_eq!(of(&format!("run-{run}")), of("undisturbed"), "{model}");
            }
        },
    );
}
