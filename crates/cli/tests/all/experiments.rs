//! Guided searches and grids as a user types them: resumed, killed, refused, with models of every kind.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::folder::{Folder, kill_until_done};
use crate::toy;

/// A folder with the toy model and functions of several lengths, each with both labels.
fn experiment(name: &str, functions: usize) -> Folder {
    toy::folder(name, &data(functions))
}

fn data(functions: usize) -> String {
    toy::data(functions, |number| " + limit".repeat(number))
}

fn command(folder: &Folder, rest: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
    let (name, rest) = rest.split_once(' ').unwrap();
    command.current_dir(&folder.0).args([name, "--model", "cmd:wait=0.01 python3 model.py", "--data", "test.jsonl"]);
    command.args(["--language", "c"]).args(rest.split_whitespace());
    command
}

#[track_caller]
fn run(folder: &Folder, rest: &str) -> String {
    let output = command(folder, rest).output().unwrap();
    assert!(output.status.success(), "{rest}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn fails(folder: &Folder, rest: &str, status: i32, words: &str) {
    let output = command(folder, rest).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{rest}: {said}");
    assert!(said.contains(words), "{rest}: no {words:?} in {said}");
}

const EVOLVE: &str = "evolve --minimise accuracy --population 6 --generations 5 --max-genes 8 --repeat 3";

const FILES: [&str; 3] = ["individuals.jsonl", "archive.jsonl", "summary.json"];

fn same_files(folder: &Folder, one: &str, other: &str) {
    for file in FILES {
        let (one, other) = (folder.read(&format!("{one}/{file}")), folder.read(&format!("{other}/{file}")));
        assert!(one == other, "{file} differs");
    }
}

#[test]
fn a_search_finds_what_it_is_asked_for_and_writes_it_down() {
    let folder = experiment("evolve", 8);
    let said = run(&folder, &format!("{EVOLVE} -o run"));
    for words in ["accuracy", "p to random", "score by number of transformations", "3 of 3 repetitions"] {
        assert!(said.contains(words), "no {words:?} in\n{said}");
    }
    let lines: Vec<Value> =
        folder.read("run/individuals.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |search: &str, repeat: u64| -> Vec<&Value> {
        lines.iter().filter(|line| line["search"] == search && line["repeat"] == repeat).collect()
    };
    for repeat in 1..=3 {
        assert_eq!(of("genetic", repeat).len(), 36);
        for line in of("genetic", repeat) {
            let is_first = line["generation"] == 0;
            assert_eq!(line["parents"].as_array().unwrap().len(), if is_first { 0 } else { 2 });
            assert!(line["measures"]["accuracy"].is_number() && line["measures"]["percentage-mrr"].is_number());
            let genes = line["genotype"].as_array().unwrap().len();
            assert_eq!(line["measures"]["number-of-transformations"].as_f64().unwrap() as usize, genes);
        }
        let distinct = |lines: Vec<&Value>| {
            lines.iter().map(|line| line["genotype"].to_string()).collect::<std::collections::BTreeSet<_>>().len()
        };
        // The random search evaluates as many lists as the guided one.
        assert_eq!(distinct(of("genetic", repeat)), distinct(of("random", repeat)));
        for length in [5, 10, 20] {
            assert_eq!(of(&format!("random-{length}"), repeat)[0]["genotype"].as_array().unwrap().len(), length);
        }
    }
    // Both labels of every function: the accuracy is a half whatever the model says, so the certainty tells more.
    let summary: Value = serde_json::from_str(&run(
        &folder,
        "evolve --minimise percentage-mrr --generations 4 --limit 7 -o more --json",
    ))
    .unwrap();
    let score = &summary["tables"]["scores"][0];
    assert!(score["best"].as_f64().unwrap() < score["initial"].as_f64().unwrap(), "{score}");
    let up: Value =
        serde_json::from_str(&run(&folder, "evolve --maximise percentage-mrr --generations 4 --limit 7 -o up --json"))
            .unwrap();
    let score = &up["tables"]["scores"][0];
    assert!(score["best"].as_f64().unwrap() > score["initial"].as_f64().unwrap(), "{score}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_any_threads_batches_and_caches() {
    let folder = experiment("evolve-same", 6);
    run(&folder, &format!("{EVOLVE} -o one --threads 1 --batch 3"));
    run(&folder, &format!("{EVOLVE} -o two --threads 3 --cache answers.sqlite"));
    same_files(&folder, "one", "two");
    // The plan in the folder is the plan.
    folder.run_well("run one/plan.toml -o planned");
    same_files(&folder, "one", "planned");
    // Done is done.
    let before = folder.read("one/individuals.jsonl");
    run(&folder, &format!("{EVOLVE} -o one"));
    assert_eq!(folder.read("one/individuals.jsonl"), before);
    run(&folder, &format!("{EVOLVE} -o three --seed 5"));
    assert_ne!(folder.read("three/individuals.jsonl"), before);
}

#[test]
fn what_is_killed_or_stopped_goes_on_to_the_same_bytes() {
    let folder = experiment("evolve-killed", 6);
    let nsga2 =
        "evolve --minimise percentage-mrr,number-of-transformations --algorithm nsga2 --generations 4 --repeat 2";
    run(&folder, &format!("{nsga2} -o undisturbed"));
    kill_until_done(
        15,
        |run| command(&folder, &format!("{nsga2} -o run-{run}")),
        |run| same_files(&folder, "undisturbed", &format!("run-{run}")),
    );
    let archive: Vec<Value> =
        folder.read("run-0/archive.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!archive.is_empty());
    fails(&folder, &format!("{nsga2} -o run-0 --population 4"), 3, "population: 10, now 4");
    folder.write("test.jsonl", data(7));
    fails(&folder, &format!("{nsga2} -o run-0"), 3, "digest of the data");
}

#[test]
fn what_is_read_back_weighs_as_much_as_what_is_computed() {
    let folder = experiment("evolve-half", 6);
    let nsga2 =
        "evolve --minimise percentage-mrr,number-of-transformations --algorithm nsga2 --generations 4 --repeat 12";
    run(&folder, &format!("{nsga2} -o whole"));
    run(&folder, &format!("{nsga2} -o half"));
    // A search that was killed knows some of its evaluations and computes the others: an equal score must stay an equal score.
    let forget = "import sqlite3; run = sqlite3.connect('half/run.sqlite'); run.executescript('delete from searches; \
                  delete from individuals; delete from evaluations where genes > 0 and length(genotype) % 2')";
    assert!(Command::new("python3").current_dir(&folder.0).args(["-c", forget]).status().unwrap().success());
    run(&folder, &format!("{nsga2} -o half"));
    same_files(&folder, "whole", "half");
}

#[test]
fn mistakes_are_told_before_the_work_begins() {
    let folder = experiment("evolve-mistakes", 2);
    fails(&folder, "evolve -o run", 2, "--minimise");
    fails(&folder, "evolve --minimise acuracy -o run", 2, "did you mean `accuracy`");
    fails(&folder, "evolve --minimise f1 --algorithm nsga -o run", 2, "genetic, nsga2");
    fails(&folder, "evolve --minimise f1 --transform nothing -o run", 2, "nothing");
    fails(&folder, "evolve --minimise f1 --names substitutes -o run", 2, "another source of names");
    fails(&folder, "evolve --minimise f1 --parts third -o run", 2, "first, second, both");
    fails(&folder, "evolve --minimise f1 -o test.jsonl", 3, "test.jsonl");
    fails(&folder, "grid --order 0 -o run", 2, "at least 1");
    fails(&folder, "grid --transform comprehension-to-loop -o run", 2, "is for c");
    fails(&folder, "grid --transform names@nowhere -o run", 2, "nowhere");
    assert!(!folder.path("run").exists());
    // What the model answers is known when it has answered.
    fails(&folder, "evolve --minimise bleu -o texts", 2, "which have no bleu");
    assert!(run(&folder, "evolve --minimise f1 --dry-run -o dry").contains("4 inputs"));
    assert!(run(&folder, "grid --transform names,layout --order 1,2 --dry-run -o dry").contains("at most 20 queries"));
    assert!(!folder.path("dry").exists());
    // The same transformation with names of two sources is two treatments.
    let said = run(&folder, "grid --transform rename-local@letters,rename-local@pseudo --order 1 -o sources");
    assert!(said.contains("rename-local@letters") && said.contains("rename-local@pseudo"), "{said}");
    run(&folder, "grid --transform names --order 1 -o grid");
    fails(&folder, "evolve --minimise f1 -o grid", 3, "the command: grid, now evolve");
}

#[test]
fn a_grid_compares_treatments_and_goes_on() {
    let folder = experiment("grid", 8);
    let grid = "grid --transform names,dead-code,if-true+if-false-else,change-whitespace --order 4,1";
    let said = run(&folder, &format!("{grid} -o run"));
    for words in ["effects", "shapiro-wilk", "chi squared", "mean rank", "if-true+if-false-else"] {
        assert!(said.contains(words), "no {words:?} in\n{said}");
    }
    let said: Value = serde_json::from_str(&run(&folder, &format!("{grid} -o run --json"))).unwrap();
    assert_eq!(said["asked"], 0);
    let effects = said["tables"]["effects"].as_array().unwrap();
    assert_eq!(effects.len(), 8);
    let row = |order: u64, treatment: &str| {
        effects.iter().find(|row| row["order"] == order && row["treatment"] == treatment).unwrap()
    };
    // The model reads words alone, so blanks change no answer, and names change many.
    assert_eq!(row(4, "change-whitespace")["delta"], 0.0);
    assert!(row(4, "names")["distance"].as_f64().unwrap() > row(1, "names")["distance"].as_f64().unwrap() / 2.0);
    assert!(row(4, "names")["other answers, %"].as_f64().unwrap() > 0.0);
    assert_eq!((row(1, "names")["rewrites each"].as_f64(), row(4, "names")["inputs"].as_u64()), (Some(1.0), Some(16)));
    let trend = said["tables"]["trend"].as_array().unwrap();
    let rho = |treatment: &str| &trend.iter().find(|row| row["treatment"] == treatment).unwrap()["spearman's rho"];
    assert!(rho("names").as_f64().is_some() && rho("change-whitespace").is_null(), "{trend:?}");
    let ranks = said["tables"]["ranks"].as_array().unwrap();
    let sum: f64 = ranks.iter().filter(|row| row["order"] == 1).map(|row| row["mean rank"].as_f64().unwrap()).sum();
    assert!((sum - 10.0).abs() < 1e-9, "{sum}");
    assert_eq!(folder.read("run/nemenyi.csv").lines().count(), 1 + 2 * 6);

    for moment in 0..8 {
        let mut child =
            command(&folder, &format!("{grid} -o killed")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(60 + 35 * moment));
        let _ = child.kill();
        let _ = child.wait();
    }
    run(&folder, &format!("{grid} -o killed --threads 1 --batch 2"));
    assert_eq!(folder.read("killed/summary.json"), folder.read("run/summary.json"));
    let each = run(&folder, "grid --transform layout,rename-local --each --order 1 --longest 4 -o each --markdown");
    assert!(each.contains("rename-local") && each.contains("change-whitespace") && !each.contains("layout"), "{each}");
}

/// A model that answers in another way.
fn answering(answer: &str) -> String {
    format!(
        "import json, re, sys, zlib\nfor line in sys.stdin:\n    question = json.loads(line)\n    \
         words = re.findall(r'[a-z]+', question['code'])\n    \
         print(json.dumps({{'id': question['id'], {answer}}}), flush=True)\n"
    )
}

#[test]
fn names_texts_and_embeddings_are_compared_too() {
    let folder = experiment("kinds", 0);
    let mut rows = String::new();
    for number in 0..6 {
        let code = format!("def load_file_{number}(path, size):\\n    total = size + {number}\\n    return total\\n");
        let doc = format!("loads the total size of the file number {number}");
        rows.push_str(&format!("{{\"func\": \"{code}\", \"doc\": \"{doc}\", \"name\": \"loadFile\"}}\n"));
    }
    folder.write("test.jsonl", rows);
    let in_python = |rest: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_allotrope"))
            .current_dir(&folder.0)
            .args(rest.split_whitespace().take(1))
            .args(["--model", "cmd:python3 model.py", "--data", "test.jsonl", "--language", "python", "--code", "func"])
            .args(rest.split_whitespace().skip(1))
            .output()
            .unwrap();
        assert!(output.status.success(), "{rest}\n{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let grid = "grid --transform names,dead-code,structure --order 3 --json";
    let effects = |said: &Value| said["tables"]["effects"].as_array().unwrap().clone();
    let moves = |said: &Value| effects(said).iter().any(|row| row["distance"].as_f64().unwrap() > 0.0);

    folder.write("model.py", answering("'text': ' '.join(words[:12])"));
    let texts = in_python(&format!("{grid} --task documentation --text doc -o texts"));
    assert!(moves(&texts), "{texts}");
    let evolved = in_python("evolve --minimise bleu --generations 2 --task documentation --text doc -o e-texts --json");
    assert!(evolved["tables"]["scores"][0]["initial"].is_number(), "{evolved}");

    folder.write("model.py", answering("'names': [['_'.join(words[-2:]), 0.6], ['loadFile', 0.3]]"));
    let names = in_python(&format!("{grid} --task method-name --label name -o names"));
    assert!(moves(&names), "{names}");
    let evolved = in_python(
        "evolve --minimise mrr,edit-distance --generations 2 --task method-name --label name -o e-names --json",
    );
    assert_eq!(evolved["tables"]["scores"].as_array().unwrap().len(), 2);

    folder
        .write("model.py", answering("'embedding': [len(words), sum(map(len, words)), zlib.crc32(line.encode()) % 7]"));
    let vectors = in_python(&format!("{grid} --task unlabelled -o vectors"));
    assert!(moves(&vectors), "{vectors}");
    let evolved = in_python("evolve --minimise cosine --generations 2 --task unlabelled -o e-vectors --json");
    assert!(evolved["tables"]["scores"][0]["best"].as_f64().unwrap() < 1.0, "{evolved}");
}

#[test]
fn a_model_that_goes_away_loses_nothing() {
    let folder = experiment("evolve-sick", 4);
    let sick = toy::MODEL.replace("import json", "import os, json").replace(
        "    words = ",
        "    if os.path.exists('sick') and 'f2' in question['code']:\n        sys.exit(1)\n    words = ",
    );
    folder.write("model.py", sick);
    let search = "evolve --minimise percentage-mrr --generations 2 --no-baseline";
    run(&folder, &format!("{search} -o well"));
    folder.write("sick", "");
    fails(&folder, &format!("{search} -o run"), 4, "the same command queries it again");
    std::fs::remove_file(folder.path("sick")).unwrap();
    run(&folder, &format!("{search} -o run"));
    same_files(&folder, "well", "run");
}
