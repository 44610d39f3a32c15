//! `allotrope quickstart` and `allotrope train` as a user types them: with tools and without, stopped, on a full disk, in a folder that
//! cannot be written.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::folder::Folder;
use campaign::run::{Judgement, Record, Store};
use search::Outcome;
use testbed::Part;

fn quickstart(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
    command.current_dir(&folder.0).arg("quickstart").args(arguments);
    command
}

/// How many programs are attacked: by `./test --all`, and by other runs of the tests.
fn targets(all: &'static str, usual: &'static str) -> &'static str {
    if Part::of_this_run() == Part::All { all } else { usual }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn successes(run: &Path) -> Vec<Record> {
    let records = Store::open(run).unwrap().records().unwrap();
    records.into_iter().filter(|record| record.outcome == Outcome::Success).collect()
}

/// Files that were begun and not finished.
fn pieces(folder: &Path) -> Vec<String> {
    let mut pieces = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => pieces.extend(self::pieces(&path)),
            false if path.extension().is_some_and(|ending| ending == "partial") => {
                pieces.push(path.display().to_string())
            }
            false => (),
        }
    }
    pieces
}

/// A folder with the named programs of this machine and nothing else, to be the PATH. `None` where one of them is missing.
fn tools(folder: &Folder, names: &[&str]) -> Option<String> {
    let path = folder.path("tools");
    std::fs::create_dir_all(&path).unwrap();
    for name in names {
        let places = std::env::var_os("PATH")?;
        let program = std::env::split_paths(&places).map(|place| place.join(name)).find(|program| program.is_file())?;
        let told = Command::new(&program).args(["-c", "import sys; print(sys.executable)"]).output().ok();
        // What answers to the name may be a script that needs the whole PATH to find the real one.
        let real =
            told.map(|told| String::from_utf8_lossy(&told.stdout).trim().to_owned()).filter(|real| !real.is_empty());
        std::os::unix::fs::symlink(real.map_or(program, Into::into), path.join(name)).unwrap();
    }
    Some(path.display().to_string())
}

#[test]
fn with_python_alone_every_example_is_run_and_the_rest_is_not_judged() {
    let folder = Folder::new("quickstart-python");
    let Some(path) = tools(&folder, &["python3"]) else {
        testbed::skip("python3 is not installed, so nothing could be run");
        return;
    };
    let output = quickstart(&folder, &["--targets", targets("5", "2"), "--color", "always"])
        .env("PATH", &path)
        .output()
        .unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for words in [
        "1. The data set",
        "2. The model",
        "3. The judge: programs in python can be run",
        "5. The examples",
        "Try next",
    ] {
        assert!(said.contains(words), "no {words:?} in\n{said}");
    }
    assert!(said.contains("not judged, so not attacked: "), "{said}");
    assert!(said.contains("every one was compiled and run, and does what its original does"), "{said}");
    assert!(said.contains("\u{1b}[31m- ") && said.contains("Before: ") && said.contains(" After: "), "{said}");
    let successes = successes(&folder.path("quickstart/run"));
    assert!(!successes.is_empty(), "{said}");
    for success in &successes {
        let checks = success.verdicts[0];
        assert_eq!((checks.compile, checks.run), (Judgement::Holds, Judgement::Holds));
        assert_ne!(success.before, success.after);
    }
    // The model that was written is the one that is in the binary.
    let evaluate = |model: &str| -> serde_json::Value {
        let answer =
            folder.run_well(&format!("evaluate --model {model} --data quickstart/programs --split test --json"));
        serde_json::from_str(&answer).unwrap()
    };
    let (named, filed) = (evaluate("builtin:problems"), evaluate("builtin:quickstart/model.safetensors"));
    assert_eq!(named["model"]["digest"], filed["model"]["digest"]);
    assert_eq!(named["measures"], filed["measures"]);
    // The same command finds nothing left to do, and says the same about what was found.
    let again =
        quickstart(&folder, &["--targets", targets("5", "2"), "--color", "never"]).env("PATH", &path).output().unwrap();
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(self::successes(&folder.path("quickstart/run")), successes);
    assert!(!self::said(&again).contains('\u{1b}'));
    assert!(pieces(&folder.0).is_empty());
}

#[test]
fn without_any_tool_it_can_be_stopped_at_any_stage_and_says_that_nothing_was_run() {
    let folder = Folder::new("quickstart-stopped");
    let path = tools(&folder, &[]).unwrap();
    // The first of them is while it trains, the last while it attacks, on most machines.
    let moments: &[u64] = if Part::of_this_run() == Part::All { &[300, 1500, 4000, 6000] } else { &[300, 1500, 4000] };
    for &wait in moments {
        let mut child = quickstart(&folder, &["-o", "out", "--targets", targets("3", "1")])
            .env("PATH", &path)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        let is_over = child.try_wait().unwrap().is_some();
        let _ = Command::new("/bin/kill").args(["-INT", &child.id().to_string()]).status();
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        match is_over {
            true => assert_eq!(output.status.code(), Some(0), "{told}"),
            false => {
                assert!(matches!(output.status.code(), Some(130 | 0)), "{:?} after {wait} ms: {told}", output.status);
                assert!(output.status.success() || told.contains("stopped"), "{told}");
            }
        }
        assert!(pieces(&folder.0).is_empty(), "{:?}", pieces(&folder.0));
    }
    let output =
        quickstart(&folder, &["-o", "out", "--targets", targets("3", "1")]).env("PATH", &path).output().unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("NOTHING BELOW WAS VERIFIED BY RUNNING IT"), "{said}");
    assert!(said.contains("0 of them were compiled and run") && !said.contains("does the same"), "{said}");
    assert!(!successes(&folder.path("out/run")).is_empty());
}

#[test]
fn what_cannot_be_written_is_told() {
    let folder = Folder::new("quickstart-unwritable");
    folder.write("file", "this is no folder");
    folder.run_badly("quickstart -o file", 3, &["failed to write file"]);
    folder.run_badly("quickstart -o /proc/nothing", 3, &["failed to write /proc/nothing"]);
    folder.run_badly("quickstart --colour", 2, &["--colour"]);
    assert_eq!(std::fs::read_to_string(folder.path("file")).unwrap(), "this is no folder");
}

#[test]
fn a_full_disk_ends_it_with_a_message_and_no_piece_of_a_file() {
    let folder = Folder::new("quickstart-full");
    // A limit on the size of files fails as a full disk does, once the signal is ignored. Blocks have 512 bytes.
    for (blocks, cut) in [(100, "programs/train.jsonl"), (1500, "programs/test.jsonl"), (2800, "model.safetensors")] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" quickstart -o full-{blocks}");
        let mut command = Command::new("/bin/sh");
        command.current_dir(&folder.0).args(["-c", &script, env!("CARGO_BIN_EXE_allotrope")]);
        let output = command.env("PATH", tools_once(&folder)).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{blocks} blocks: {told}");
        assert!(told.contains(&format!("failed to write full-{blocks}/{cut}")), "{told}");
        assert!(!folder.path(&format!("full-{blocks}/{cut}")).exists());
        assert!(pieces(&folder.0).is_empty(), "{:?}", pieces(&folder.0));
    }
}

fn tools_once(folder: &Folder) -> String {
    tools(folder, &[]).unwrap()
}

/// Programs that add or multiply, each with what it is run on.
fn rows(count: usize) -> String {
    let row = |number: usize| {
        let (label, code) = match number % 2 {
            0 => (
                "sum",
                format!("total = {number}\nfor item in input().split():\n    total += int(item)\nprint(total)\n"),
            ),
            _ => (
                "product",
                format!(
                    "result = {number}\nfor factor in input().split():\n    result *= int(factor)\nprint(result)\n"
                ),
            ),
        };
        let row = serde_json::json!({"id": number, "label": label, "language": "python", "code": code, "cases": [{"input": "2 3"}]});
        format!("{row}\n")
    };
    (0..count).map(row).collect()
}

#[test]
fn a_model_is_trained_measured_and_attacked() {
    let folder = Folder::new("train");
    folder.write("data.jsonl", rows(60));
    let told = folder.run_well("train --kind linear --data data.jsonl -o model.safetensors --seed 3");
    for words in [
        "builtin:./model.safetensors",
        "from 48 of 60 examples of 2 classes",
        "12 examples, on which the model has",
        "accuracy",
    ] {
        assert!(told.contains(words), "no {words:?} in\n{told}");
    }
    folder.run_well("train --data data.jsonl -o again.safetensors --seed 3");
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(read("model.safetensors"), read("again.safetensors"));
    let json =
        folder.run_well("train --data data.jsonl -o all.safetensors --held-out 0 --no-paths --max-ngram 1 --json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((json["learned"].as_u64(), json["held out"].is_null()), (Some(60), true));
    let evaluated = folder.run_well("evaluate --model builtin:model.safetensors --data data.jsonl --json");
    let evaluated: serde_json::Value = serde_json::from_str(&evaluated).unwrap();
    assert_eq!(evaluated["labels"], serde_json::json!(["product", "sum"]));
    assert!(evaluated["measures"][0]["value"].as_f64().unwrap() > 0.9, "{evaluated}");

    // The cases of the rows are run before a flip counts.
    folder.run_well(
        "attack --model builtin:model.safetensors --data data.jsonl --limit 4 --attack beam --validity run --shrink -o run",
    );
    let successes = successes(&folder.path("run"));
    assert!(!successes.is_empty());
    assert!(successes.iter().all(|success| success.verdicts[0].run == Judgement::Holds));
    assert!(folder.run_well("list models").contains("builtin"));
}

#[test]
fn what_cannot_be_trained_is_told_before_the_work_begins() {
    let folder = Folder::new("train-mistakes");
    folder.write("data.jsonl", rows(8));
    folder.write("one.jsonl", rows(8).lines().step_by(2).map(|row| format!("{row}\n")).collect::<String>());
    folder.write("search.jsonl", "{\"idx\": 1, \"doc\": \"add\", \"code\": \"x = 1\", \"label\": 1}\n");
    folder.run_badly("train --data nowhere.jsonl -o m", 3, &["nowhere.jsonl"]);
    folder.run_badly("train --kind forest --data data.jsonl -o m", 2, &["forest"]);
    folder.run_badly("train --data data.jsonl -o m --held-out 2", 2, &["0 to 0.9"]);
    folder.run_badly("train --data one.jsonl -o m", 2, &["nothing to learn", "sum"]);
    folder.run_badly("train --data search.jsonl --language python -o m", 2, &["text"]);
    folder.run_badly("train --data data.jsonl -o /proc/nothing/m", 3, &["failed to write /proc/nothing/m"]);
    folder.run_badly("train --data data.jsonl -o .", 3, &["it is a folder"]);
    folder.run_badly("evaluate --model builtin:m --data data.jsonl", 3, &["failed to read m"]);
    folder.run_badly(
        "evaluate --model builtin:data.jsonl --data data.jsonl",
        3,
        &["data.jsonl", "not a valid safetensors file"],
    );
    let left: Vec<_> = std::fs::read_dir(&folder.0).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn shells_and_man_pages() {
    let folder = Folder::new("completions");
    for (shell, words) in [
        ("bash", "_allotrope()"),
        ("zsh", "#compdef allotrope"),
        ("fish", "complete -c allotrope"),
        ("powershell", "allotrope"),
        ("elvish", "allotrope"),
    ] {
        let script = folder.run_well(&format!("completions {shell}"));
        assert!(script.contains(words) && script.contains("quickstart"), "{shell}");
    }
    folder.run_badly("completions tcsh", 2, &["tcsh"]);
    let page = folder.run_well("man attack");
    assert!(page.contains(".TH allotrope-attack 1") && page.contains("budget"), "{page}");
    assert!(folder.run_well("man").contains(".TH allotrope 1"));
    folder.run_badly("man atack", 2, &["atack", "quickstart"]);
    folder.run_well("man -o pages");
    assert!(folder.read("pages/allotrope.1").contains(".TH"));
    assert!(folder.read("pages/allotrope-quickstart.1").contains("quickstart"));
    folder.run_badly("man -o pages/allotrope.1", 3, &["failed to write"]);
}
