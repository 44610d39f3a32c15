//! `allotrope gate` as a team runs it: thresholds, baselines, and the files for others to read.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::folder::Folder;
use crate::toy;

/// A folder with a run of two attacks, of which one is stronger.
fn campaign(name: &str) -> Folder {
    let folder = toy::folder(name, &toy::data(12, |_| String::new()));
    attack(&folder, "test.jsonl", "run", "");
    folder
}

#[track_caller]
fn attack(folder: &Folder, data: &str, run: &str, more: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
    command.current_dir(&folder.0).args([
        "attack",
        "--model",
        "cmd:python3 model.py",
        "--data",
        data,
        "--language",
        "c",
    ]);
    command.args([
        "--attack",
        "random-once,random-k",
        "--set",
        "random-k.rewrites=8",
        "--set",
        "random-k.asks-each=yes",
    ]);
    let output = command.args(["-o", run]).args(more.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The exit status of a gate, and what it says.
fn gate(folder: &Folder, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
    let output = command.current_dir(&folder.0).arg("gate").args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn thresholds_open_and_close_it() {
    let folder = campaign("gate");
    let (status, said, _) = gate(&folder, &["run", "--fail-if", "success-rate > 1"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("the gate is open: 2 of 2 checks hold"), "{said}");
    let (status, said, _) =
        gate(&folder, &["run", "--fail-if", "random-k/success-rate > 10 %", "--fail-if", "accuracy.n < 24"]);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("the gate is closed: 1 of 3 checks are broken"), "{said}");
    assert!(
        said.contains("random-k: attack success rate, valid is ")
            && said.contains("it must not be above 0.1000, and is by "),
        "{said}"
    );
    // The interval is that of every other command.
    let compared: Value = serde_json::from_str(&folder.run_well("compare run --json")).unwrap();
    let listed: Value = serde_json::from_str(&gate(&folder, &["run", "--list", "--json"]).1).unwrap();
    let columns = compared["columns"].as_array().unwrap();
    let mut lines = 0;
    for column in columns {
        for line in column["measures"]["lines"].as_array().unwrap() {
            let is_it =
                |reading: &&Value| reading["place"][0] == column["column"] && reading["measure"] == line["measure"];
            let reading = listed.as_array().unwrap().iter().find(is_it).unwrap();
            assert_eq!(
                (&reading["value"], &reading["interval"], &reading["n"]),
                (&line["value"], &line["interval"], &line["n"])
            );
            lines += 1;
        }
    }
    assert!(lines > 30, "{lines}");
    let reported: Value = serde_json::from_str(&folder.run_well("report run --json")).unwrap();
    let of =
        |all: &Value, key: &str| all.as_array().unwrap().iter().find(|one| one[key] == "random-k").unwrap().clone();
    assert_eq!(of(&reported["attacks"], "attack")["measures"], of(&compared["columns"], "column")["measures"]["lines"]);
}

#[test]
fn mistakes_are_told_and_leave_nothing_behind() {
    let folder = campaign("gate-mistakes");
    let fails = |arguments: &[&str], status: i32, words: &str| {
        let (found, said, problem) = gate(&folder, arguments);
        assert_eq!(found, status, "{arguments:?}: {said}{problem}");
        assert!(problem.contains(words), "{arguments:?}: no {words:?} in {problem}");
    };
    let junit = ["--junit", "gate.xml"];
    fails(&["run", "--fail-if", "succes-rate > 0.2", junit[0], junit[1]], 2, "did you mean success-rate");
    fails(&["run", "--fail-if", "success-rate", junit[0], junit[1]], 2, "there is no >");
    fails(&["run", "--fail-if", "beam/success-rate > 0.2"], 2, "there are: random-k, random-once");
    fails(&["run"], 2, "there is nothing to check");
    fails(&["run", "--fail-if", "accuracy < 0", "--attack", "beam"], 2, "has no attack `beam`");
    fails(&["nowhere", "--fail-if", "success-rate > 0.2"], 3, "nowhere holds no run");
    fails(&["run", "--baseline", "nowhere"], 3, "nowhere holds no run");
    fails(&["run", "--plan", "nowhere.toml"], 3, "failed to read nowhere.toml");
    folder.write("gate.toml", "fail-iff = []");
    fails(&["run", "--plan", "gate.toml"], 2, "is not a plan of a gate");
    folder.write("words.json", "{\"a\": \"b\"}");
    fails(&["words.json", "--fail-if", "x > 1"], 3, "there are no measures in it");
    assert!(!folder.path("gate.xml").exists());
    // Nothing that was measured is no reason to open the gate.
    let (status, said, _) = gate(&folder, &["run", "--fail-if", "cosine-similarity < 0.5"]);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("is undefined"), "{said}");
    assert_eq!(gate(&folder, &["run", "--fail-if", "cosine-similarity < 0.5", "--allow-undefined"]).0, 0);
    // A run that is not finished says too much about what is easy.
    let mut child = Command::new(env!("CARGO_BIN_EXE_allotrope"));
    let rest = "attack --data test.jsonl --language c --attack random-k -o begun --jobs 1 --model";
    folder.write("hang.py", "import time\ntime.sleep(600)\n");
    let mut child = child
        .current_dir(&folder.0)
        .args(rest.split_whitespace())
        .arg("cmd:python3 hang.py")
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !folder.path("begun/plan.toml").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    child.wait().unwrap();
    fails(&["begun", "--fail-if", "success-rate > 0.2"], 3, "is not finished: 0 of 24 targets of random-k are done");
}

#[test]
fn a_baseline_is_compared_on_the_same_targets() {
    let folder = campaign("gate-baseline");
    let (status, said, _) = gate(&folder, &["run", "--baseline", "run"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("0 newly, 0 no longer; p = 1.0000 (McNemar's exact test, one-sided)"), "{said}");
    // A model that is wrong about everything that was rewritten is worse.
    let weak = toy::MODEL.replace("/ 80\n", "/ 80 * (1 if question['code'] in known else -1)\n");
    let weak =
        weak.replace("for line in", "known = {json.loads(row)['func'] for row in open('test.jsonl')}\nfor line in");
    assert!(weak.contains("in known") && weak.contains("known = "));
    folder.write("model.py", weak);
    attack(&folder, "test.jsonl", "worse", "");
    let (status, said, _) = gate(&folder, &["worse", "--baseline", "run", "--by", "success-rate"]);
    assert_eq!(status, 1, "{said}");
    let (status, said, _) = gate(&folder, &["run", "--baseline", "worse", "--by", "success-rate"]);
    assert_eq!(status, 0, "{said}");
    // Other targets are another question.
    folder.write("test.jsonl", toy::data(13, |_| String::new()));
    attack(&folder, "test.jsonl", "others", "--budget 50");
    let (status, _, problem) = gate(&folder, &["others", "--baseline", "run"]);
    assert_eq!(status, 2, "{problem}");
    assert!(problem.contains("2 only in the run") && problem.contains("--unpaired"), "{problem}");
    let (_, said, notes) = gate(&folder, &["others", "--baseline", "run", "--unpaired"]);
    assert!(
        said.contains("Newcombe") && notes.contains("has other settings than its baseline: budget: 500, now 50"),
        "{said}{notes}"
    );
}

#[test]
fn files_are_written_for_others_to_read() {
    let folder = campaign("gate-files");
    let files = ["--junit", "gate.xml", "--sarif", "gate.sarif", "--markdown", "gate.md"];
    folder.write("gate.toml", "fail-if = [\"random-k/success-rate > 10 %\"]\nbaseline = \"run\"\nalpha = 0.01\n");
    let arguments: Vec<&str> =
        ["run", "--plan", "gate.toml", "--fail-if", "success-rate > 1"].into_iter().chain(files).collect();
    let (status, said, notes) = gate(&folder, &arguments);
    assert_eq!((status, notes.as_str()), (1, ""), "{said}");
    let junit = folder.read("gate.xml");
    assert_eq!((junit.matches("<testcase ").count(), junit.matches("<failure ").count()), (5, 1), "{junit}");
    assert!(junit.contains("tests=\"5\" failures=\"1\" errors=\"0\""), "{junit}");
    let markdown = folder.read("gate.md");
    assert!(
        markdown.starts_with("## Robustness of run: 1 of 5 checks are broken\n\n- **Broken:** random-k: "),
        "{markdown}"
    );
    let sarif: Value = serde_json::from_str(&folder.read("gate.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let lines: Vec<String> = folder.read("test.jsonl").lines().map(str::to_owned).collect();
    let listed: Value = serde_json::from_str(&folder.run_well("compare run --json")).unwrap();
    let successes: u64 =
        listed["columns"].as_array().unwrap().iter().map(|it| it["outcomes"]["success"].as_u64().unwrap()).sum();
    assert_eq!(results.len() as u64, successes + 1);
    for result in results {
        assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "test.jsonl");
        let line = place["region"]["startLine"].as_u64().unwrap() as usize;
        let Some(row) = result["properties"]["row"].as_u64() else { continue };
        // The example is about the program on that line.
        assert_eq!(row as usize, line);
        let row: Value = serde_json::from_str(&lines[line - 1]).unwrap();
        let message = result["message"]["text"].as_str().unwrap();
        let label = ["safe", "vulnerable"][row["target"].as_u64().unwrap() as usize];
        assert!(message.contains(&format!("the truth is {label}")), "{message}");
    }
    // The same run gives the same bytes.
    let before = ["gate.xml", "gate.sarif", "gate.md"].map(|name| folder.read(name));
    gate(&folder, &arguments);
    assert_eq!(["gate.xml", "gate.sarif", "gate.md"].map(|name| folder.read(name)), before);
}

#[test]
fn measures_of_other_commands_are_judged_as_well() {
    let folder = campaign("gate-others");
    let model = "cmd:python3 model.py";
    let run = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_allotrope")).current_dir(&folder.0).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let data = ["--data", "test.jsonl", "--language", "c"];
    let evaluate: Vec<&str> =
        ["evaluate", "--model", model, "--json", "--predictions", "answers.jsonl"].into_iter().chain(data).collect();
    folder.write("scores.json", run(&evaluate));
    assert_eq!(gate(&folder, &["scores.json", "--fail-if", "accuracy < 0.5", "--fail-if", "auc.low > 0.9"]).0, 0);
    assert_eq!(gate(&folder, &["scores.json", "--fail-if", "f1 < 1"]).0, 1);
    let (status, said, _) =
        gate(&folder, &["answers.jsonl", "--baseline", "answers.jsonl", "--fail-if", "accuracy != 0.5"]);
    assert_eq!(status, 0, "{said}");
    let grid: Vec<&str> = ["grid", "--model", model, "--transform", "names,layout", "--order", "1,3", "-o", "grid"]
        .into_iter()
        .chain(data)
        .collect();
    run(&grid);
    let (status, said, _) = gate(&folder, &["grid", "--fail-if", "layout/of-changed > 0", "--baseline", "grid"]);
    assert!(
        status < 2 && said.contains("effects/order 1/layout") || said.contains("effects/layout/order 1"),
        "{status} {said}"
    );
    assert!(Path::new(&folder.path("grid/summary.json")).exists());
    let student = "cmd:python3 student.py";
    folder.write("student.py", toy::MODEL.replace("/ 80", "/ 60 + 0.3"));
    let fidelity: Vec<&str> =
        ["fidelity", "--teacher", model, "--student", student, "-o", "fidelity"].into_iter().chain(data).collect();
    run(&fidelity);
    let (status, said, problem) =
        gate(&folder, &["fidelity", "--fail-if", "student/label-loyalty-violation > 1", "--baseline", "fidelity"]);
    assert_eq!(status, 0, "{said}{problem}");
    assert!(said.contains("inputs with another label than the teacher's"), "{said}");
}
