//! Campaigns of attacks as a user types them: resumed, killed, split, merged, with models that fail.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use campaign::plan::Plan;
use campaign::run::{Record, Store};
use model::Input;
use search::Outcome;

use crate::folder::{Folder, kill_until_done};
use crate::toy;

/// A folder with the toy model and functions, each with both labels.
fn campaign(name: &str, functions: usize) -> Folder {
    toy::folder(name, &data(functions))
}

fn data(functions: usize) -> String {
    toy::data(functions, |_| String::new())
}

fn attack(folder: &Folder, model: &str, rest: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
    command.current_dir(&folder.0).args(["attack", "--model", model, "--data", "test.jsonl", "--language", "c"]);
    command.args(rest.split_whitespace());
    command
}

const ATTACKS: &str = "--attack random-once,random-k --set random-k.rewrites=8 --set random-k.asks-each=yes --shrink";

#[track_caller]
fn run(folder: &Folder, rest: &str) -> String {
    let output = attack(folder, "cmd:python3 model.py", &format!("{ATTACKS} {rest}")).output().unwrap();
    assert!(output.status.success(), "{rest}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The records of a run without the times.
fn records(run: &Path) -> Vec<Record> {
    let records = Store::open(run).unwrap().records().unwrap();
    records.into_iter().map(|record| Record { seconds: 0.0, ..record }).collect()
}

#[test]
fn a_campaign_attacks_resumes_and_compares() {
    let folder = campaign("attack", 12);
    let said = run(&folder, "-o run");
    for words in ["attack success rate, valid", "added tokens", "targets: misclassified", "48 of 48"] {
        assert!(said.contains(words), "no {words:?} in\n{said}");
    }
    let first = records(&folder.path("run"));
    assert_eq!(first.len(), 48);
    let successes: Vec<&Record> = first.iter().filter(|record| record.outcome == Outcome::Success).collect();
    assert!(successes.len() > 3, "{}", successes.len());
    for success in &successes {
        // The recipe leads from the original to the example, byte for byte.
        let targets = Store::<Plan>::open(&folder.path("run")).unwrap().inputs().unwrap();
        let target = targets.iter().find(|target| target.number == success.number).unwrap();
        let text = |input: &Input| input.programs()[0].text.clone();
        let mut program = syntax::Program::parse(syntax::Language::C, text(&target.input));
        for made in &success.moves {
            program = transformation::apply::again(&program, &made.step).unwrap().program;
        }
        assert_eq!(program.text(), text(success.example.as_ref().unwrap()));
        assert!(!success.verdicts.is_empty() && success.quality.is_some());
    }

    // Nothing is left to do, and nothing changes.
    assert!(run(&folder, "-o run").contains("0 of 0"));
    assert_eq!(records(&folder.path("run")), first);
    // The plan in the folder is the plan.
    folder.run_well("run run/plan.toml -o again --jobs 3");
    assert_eq!(records(&folder.path("again")), first);

    let said = folder.run_well("compare run again");
    for words in ["run/random-k", "again/random-once", "McNemar", "only one breaks"] {
        assert!(said.contains(words), "no {words:?} in\n{said}");
    }
    let compared: serde_json::Value = serde_json::from_str(&folder.run_well("compare run --json")).unwrap();
    assert_eq!(compared["columns"].as_array().unwrap().len(), 2);
    assert!(folder.run_well("compare run --markdown --attack random-k").starts_with("| measure"));

    let changed = attack(&folder, "cmd:python3 model.py", &format!("{ATTACKS} -o run --budget 9")).output().unwrap();
    let said = String::from_utf8_lossy(&changed.stderr);
    assert_eq!(changed.status.code(), Some(3), "{said}");
    assert!(said.contains("budget: 500, now 9"), "{said}");
    folder.write("test.jsonl", data(13));
    let changed = attack(&folder, "cmd:python3 model.py", &format!("{ATTACKS} -o run")).output().unwrap();
    assert!(String::from_utf8_lossy(&changed.stderr).contains("digest of the data"));
    folder.run_badly("compare nowhere", 3, &["nowhere holds no run"]);
    folder.run_badly("compare .", 3, &["holds no run"]);
}

#[test]
fn records_do_not_depend_on_threads_shards_or_caches() {
    let folder = campaign("jobs", 10);
    run(&folder, "-o one --jobs 1 --batch 1");
    let records_of_one = records(&folder.path("one"));
    run(&folder, "-o many --jobs 16 --threads 3 --cache answers.sqlite");
    assert_eq!(records(&folder.path("many")), records_of_one);
    let said = run(&folder, "-o cached --cache answers.sqlite --json");
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    // Only confirmations bypass the cache.
    let confirming: u64 = records_of_one.iter().map(|record| record.confirm_queries as u64).sum();
    assert_eq!((said["asked"].as_u64(), said["records"].as_u64()), (Some(confirming), Some(40)));
    assert!(confirming > 0);
    assert_eq!(records(&folder.path("cached")), records_of_one);
    for part in 1..=3 {
        run(&folder, &format!("-o part{part} --shard {part}/3"));
    }
    folder.run_well("merge part1 part2 part3 -o merged");
    assert_eq!(records(&folder.path("merged")), records_of_one);
}

#[test]
fn what_is_killed_at_any_moment_goes_on_without_a_loss() {
    let folder = campaign("killed", 24);
    run(&folder, "-o undisturbed");
    let expected = records(&folder.path("undisturbed"));
    kill_until_done(
        50,
        |run| attack(&folder, "cmd:python3 model.py", &format!("{ATTACKS} -o run-{run} --jobs 2")),
        |run| assert_eq!(records(&folder.path(&format!("run-{run}"))), expected),
    );
}

#[test]
fn flips_that_were_to_be_run_and_have_no_cases_are_no_successes() {
    let folder = campaign("not-judged", 6);
    let said = run(&folder, "-o run --validity run");
    assert!(said.contains("flips that were not judged") && said.contains("examples: 12 of 12 (seed 0)"), "{said}");
    let records = records(&folder.path("run"));
    let count = |outcome| records.iter().filter(|record| record.outcome == outcome).count();
    assert_eq!(count(Outcome::Success), 0);
    assert!(count(Outcome::NotJudged) > 0);
    folder.run_well("report run -o report.html");
    assert!(folder.read("report.html").contains("not judged"));
    assert!(folder.run_well("compare run").contains("targets: not-judged"));
}

#[test]
fn a_model_that_does_not_start_is_told_in_its_own_words_within_seconds() {
    let folder = campaign("no-model", 12);
    for command in ["attack --attack random-k -o run", "evaluate"] {
        let start = Instant::now();
        let arguments = format!("{command} --data test.jsonl --language c --model");
        let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
        command.current_dir(&folder.0).args(arguments.split_whitespace()).arg("cmd:python3 nosuch.py");
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains("can't open file") && said.contains("nosuch.py"), "{said}");
        // Five seconds are promised, on a machine that does nothing else.
        assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    }
}

#[test]
fn signals_end_everything_whatever_the_model_does() {
    let folder = campaign("hanging", 4);
    folder.write("hang.sh", "echo $$ > number; sleep 600\n");
    for (signals, most) in [(&["-INT"][..], 3), (&["-TERM"], 3), (&["-INT", "-INT"], 2)] {
        let mut child = attack(&folder, "cmd:sh hang.sh", "--attack random-k -o run")
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while !std::fs::read_to_string(folder.path("number")).is_ok_and(|number| number.ends_with('\n')) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let start = Instant::now();
        for signal in signals {
            Command::new("kill").args([*signal, &child.id().to_string()]).status().unwrap();
            std::thread::sleep(Duration::from_millis(50));
        }
        let status = child.wait().unwrap();
        // One second is promised, on a machine that does nothing else.
        assert!(start.elapsed() < Duration::from_secs(most), "{signals:?}: {:?}", start.elapsed());
        assert_eq!(status.code(), Some(130));
        // What the model has started is gone with it.
        let group = folder.read("number").trim().to_owned();
        while running_in_group(&group) > 0 {
            assert!(start.elapsed() < Duration::from_secs(10), "{signals:?}: {group} goes on");
            std::thread::sleep(Duration::from_millis(20));
        }
        std::fs::remove_file(folder.path("number")).unwrap();
    }
}

/// How many processes of a group run. Those that have ended and that nobody has waited for do not.
fn running_in_group(group: &str) -> usize {
    let stats = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path().join("stat"));
    let is_running = |stat: &String| {
        // After the name, which is in parentheses: the state, the parent and the group.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        fields.get(2) == Some(&group) && fields.first() != Some(&"Z")
    };
    stats.filter_map(|stat| std::fs::read_to_string(stat).ok()).filter(is_running).count()
}

#[test]
fn ctrl_c_leaves_a_run_that_goes_on() {
    let folder = campaign("stopped", 24);
    let mut child = attack(&folder, "cmd:python3 model.py", &format!("{ATTACKS} -o run --jobs 1 --batch 1"))
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(250));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let status = child.wait().unwrap();
    assert!(matches!(status.code(), Some(0 | 130)), "{status:?}");
    run(&folder, "-o run");
    run(&folder, "-o undisturbed");
    assert_eq!(records(&folder.path("run")), records(&folder.path("undisturbed")));
}

/// A model that fails in one way on some programs, as long as there is a file `sick`.
fn failing(failure: &str) -> String {
    toy::MODEL.replace("import json", "import os, json").replace(
        "    words = ",
        &format!("    if 'f5' in question['code'] and os.path.exists('sick'):\n        {failure}\n    words = "),
    )
}

#[test]
fn a_model_that_fails_costs_only_the_targets_that_it_fails_on() {
    let answer = |rest: &str| format!("print(json.dumps({{'id': question['id'], {rest}}}), flush=True); continue");
    let failures = [
        ("late", "import time; time.sleep(60)".to_owned()),
        ("garbage", "print('not json', flush=True); continue".to_owned()),
        (
            "nan",
            "print('{\"id\": %d, \"probabilities\": [NaN, NaN]}' % question['id'], flush=True); continue".to_owned(),
        ),
        ("lengths", answer("'probabilities': [0.1, 0.2, 0.3, 0.4, 0.0]")),
        ("refuses", answer("'error': 'status 500'")),
        ("dies", "sys.exit(1)".to_owned()),
    ];
    for (name, failure) in failures {
        let folder = campaign(&format!("fails-{name}"), 8);
        folder.write("model.py", failing(&failure));
        folder.write("sick", "");
        // Only the one that is late has to be waited for; a busy machine needs a while to start the others.
        let patience = if name == "late" { "timeout=3 retries=0" } else { "timeout=60 retries=1" };
        let model = format!("cmd:{patience} wait=0.01 restarts=100 classes=2 python3 model.py");
        let output = attack(&folder, &model, &format!("{ATTACKS} -o run")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {said}");
        assert!(said.contains("no answer about"), "{name}: {said}");
        let records = records(&folder.path("run"));
        let faults: Vec<&Record> = records.iter().filter(|record| record.outcome == Outcome::Fault).collect();
        let told: Vec<_> = faults.iter().map(|fault| (fault.number, &fault.attack, &fault.reason)).collect();
        assert_eq!((records.len(), faults.len()), (32, 4), "{name}: {told:?}");
        assert!(faults.iter().all(|record| record.reason.is_some()), "{name}");
        assert!(records.iter().any(|record| record.outcome == Outcome::Success), "{name}");
        // The model gets well, and only what it failed on is done again.
        if name == "refuses" {
            std::fs::remove_file(folder.path("sick")).unwrap();
            let output = attack(&folder, &model, &format!("{ATTACKS} -o run")).output().unwrap();
            assert!(String::from_utf8_lossy(&output.stdout).contains("4 of 4"), "{output:?}");
        }
    }
    let folder = campaign("fails-all", 2);
    let output = attack(&folder, "cmd:false", &format!("{ATTACKS} -o run")).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
}

#[test]
fn mistakes_are_told_before_the_work_begins() {
    let folder = campaign("mistakes", 2);
    let fails = |rest: &str, status: i32, words: &str| {
        let output = attack(&folder, "cmd:python3 model.py", rest).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{rest}: {said}");
        assert!(said.contains(words), "{rest}: no {words:?} in {said}");
    };
    fails("--attack randm-k -o run", 2, "did you mean `random-k`");
    fails("--attack random-k -o run --set random-k.rewrite=3", 2, "did you mean `rewrites`");
    fails("--attack random-k -o run --set rewrites=3", 2, "ATTACK.NAME=VALUE");
    fails("--attack random-k -o run --transform nothing", 2, "nothing");
    fails("--attack random-k -o run --names substitutes", 2, "substitutes of the data set");
    fails("--attack random-k -o run --budget 1", 2, "two queries");
    fails("--attack random-k -o run --shard 3/2", 2, "I/N");
    fails("--attack random-k -o test.jsonl", 3, "test.jsonl");
    assert!(!folder.path("run").exists());
    folder.write("run/run.sqlite", "this is no database");
    fails("--attack random-k -o run", 3, "run.sqlite");
    fails("--attack random-k -o run", 3, "move the folder away");
    folder.write("plan.toml", "model = 'x'\ngo-on = true");
    folder.run_badly("run plan.toml -o other", 2, &["is not a valid plan", "`go-on` is now called `exhaust-budget`"]);
    folder.write("plan.toml", "model = 'x'");
    folder.run_badly("run plan.toml -o other", 2, &["names no attack"]);
    let said = folder.run("attack --model hf:x --data test.jsonl --attack random-k -o run --dry-run");
    assert!(!said.status.success());
    let dry = attack(&folder, "cmd:python3 model.py", "--attack random-k -o dry --dry-run --price 2").output().unwrap();
    let said = String::from_utf8_lossy(&dry.stdout);
    assert!(said.contains("queries at most") && said.contains(" 8 "), "{said}");
    assert!(!folder.path("dry").exists());
    // Attacks with a limit of their own promise that, and what changes them the budget.
    let most = |rest: &str| -> Vec<u64> {
        let dry = attack(&folder, "cmd:python3 model.py", &format!("{rest} -o dry --dry-run --json")).output().unwrap();
        let said: serde_json::Value = serde_json::from_slice(&dry.stdout).unwrap();
        said["attacks"].as_array().unwrap().iter().map(|attack| attack["queries at most"].as_u64().unwrap()).collect()
    };
    assert_eq!(most("--attack random-once,random-k,beam --budget 60"), [8, 8, 240]);
    assert_eq!(most("--attack random-k --set random-k.asks-each=yes --budget 60"), [240]);
    let listed = folder.run_well("list attacks");
    assert!(listed.contains("random-once") && listed.contains("rewrites=5"), "{listed}");
    let needs = |attack: &str| {
        let line = listed.lines().find(|line| line.starts_with(&format!("{attack} "))).unwrap();
        line.split_whitespace().nth(2).unwrap().to_owned()
    };
    let found = ["coda", "mhm", "wir-random", "guided-mutation", "beam"].map(needs);
    assert_eq!(found, ["--train", "--train", "--train", "mutants", "-"]);
    assert!(folder.run_well("explain random-k").starts_with("# random-k"));
}
