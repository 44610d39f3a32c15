//! Reports as a user makes and opens them.

use std::process::Command;

use crate::browser;
use crate::folder::Folder;
use serde_json::Value;

/// A model that weighs words, so that new names change its mind easily. It has no answer about one function.
const MODEL: &str = "import json, math, re, sys, zlib
for line in sys.stdin:
    question = json.loads(line)
    if 'f5(' in question['code']:
        print(json.dumps({'id': question['id'], 'error': 'no <b>answer</b>'}), flush=True)
        continue
    words = set(re.findall(r'\\w+', question['code']))
    weight = sum(zlib.crc32(word.encode()) % 200 - 100 for word in words) / 80
    p = 1 / (1 + math.exp(-weight))
    print(json.dumps({'id': question['id'], 'probabilities': [1 - p, p]}), flush=True)
";

/// What must never be read as markup.
const HOSTILE: &str = "</script><img src=x onerror=globalThis.hacked=1><!--";

/// Functions with hostile texts and comments, each with both labels, so that the model is right about one.
fn data(functions: usize) -> String {
    let mut rows = String::new();
    for number in 0..functions {
        let code = format!(
            "int f{number}(int count{number}, int limit)\n{{\n    \tindented();\n    char *text = \"{HOSTILE}\"; // {HOSTILE}\n    \
             int sum = {number}; /* é \u{1f600} \u{202e} */\r\n    while (count{number} < limit) {{\n        \
             sum += count{number};\n        count{number}++;\n    }}\n    if (sum > 3) {{\n        return sum;\n    }}\n    \
             return limit + sizeof text;\n}}\n"
        );
        for target in 0..2 {
            rows.push_str(&format!("{}\n", serde_json::json!({"func": code, "target": target})));
        }
    }
    rows.push_str("{\"func\": \"int (((\", \"target\": 1}\n{\"func\": \"int (((\", \"target\": 0}\n");
    rows
}

/// A folder with a run that has successes, failures, faults and targets without a site.
fn campaign(name: &str, functions: usize, run: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("model.py", MODEL);
    folder.write("test.jsonl", data(functions));
    attack(&folder, run, "random-once,random-k");
    folder
}

#[track_caller]
fn attack(folder: &Folder, run: &str, attacks: &str) {
    let model = "cmd:wait=0.01 retries=0 classes=2 python3 model.py";
    let rest = "--set random-k.rewrites=8 --set random-k.asks-each=yes --data test.jsonl --language c";
    let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
    command.current_dir(&folder.0).args(["attack", "--model", model, "--attack", attacks, "-o", run]);
    let output = command.args(rest.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_report_has_the_numbers_of_the_run_and_every_example() {
    let folder = campaign("report", 12, "run");
    let said = folder.run_well("report run -o report.html");
    assert!(said.starts_with("report.html: ") && said.contains(" examples, "), "{said}");
    let page = folder.read("report.html");
    let compared: Value = serde_json::from_str(&folder.run_well("compare run --json")).unwrap();
    let numbers: Value = serde_json::from_str(&folder.run_well("report run --json")).unwrap();
    let mut examples = 0;
    for attack in numbers["attacks"].as_array().unwrap() {
        let column = compared["columns"].as_array().unwrap().iter().find(|column| column["column"] == attack["attack"]);
        let column = column.unwrap();
        assert_eq!(column["measures"]["lines"], attack["measures"]);
        for (outcome, count) in column["outcomes"].as_object().unwrap() {
            assert_eq!(&attack["outcomes"][outcome], count, "{outcome}");
        }
        let outcome = |name: &str| attack["outcomes"][name].as_u64().unwrap();
        examples += outcome("success");
        assert_eq!((outcome("fault"), outcome("no-site") + outcome("misclassified") >= 2), (2, true), "{attack}");
        // A recipe has at least one rewrite.
        let moves: u64 =
            attack["transformations"].as_object().unwrap().values().map(|of| of["moves"].as_u64().unwrap()).sum();
        assert!(moves >= outcome("success"), "{attack}");
        let of = |word: &str| format!("broke <strong>{} of {}</strong>", outcome(word), attack["attacked"]);
        let is_strongest = numbers["runs"][0]["strongest"] == attack["attack"];
        assert!(!is_strongest || page.contains(&of("success")), "{}", of("success"));
    }
    assert!(examples > 3, "{examples}");
    assert_eq!(page.matches("<details class=\"example\"").count() as u64, examples);
    for words in ["no &lt;b&gt;answer&lt;/b&gt;", "26 C programs", "random-once", "<svg", "rename-"] {
        assert!(page.contains(words), "no {words:?}");
    }
    // Nothing of the data is markup, and nothing is fetched.
    assert_eq!(page.matches("</script>").count() as u64, examples + 2);
    for words in ["<img", "<b>answer", "http://", "https://", "<link", "src="] {
        let is_text = words == "src=" && page.contains("\\u003cimg src=");
        assert!(is_text || !page.contains(words), "{words:?} is in the page");
    }
    // The same run gives the same bytes.
    folder.run_well("report run -o again.html");
    assert_eq!(folder.read("again.html"), page);
    // Fewer examples, and the page says so.
    let said = folder.run_well("report run -o few.html --examples 1 --attack random-k");
    assert!(said.contains("1 example, ") && said.contains("more with --examples all"), "{said}");
    let few = folder.read("few.html");
    assert_eq!(few.matches("<details class=\"example\"").count(), 1);
    assert!(few.contains("random-k has ") && !few.contains("random-once"));
    folder.run_well("report run -o none.html --examples 0");
    folder.run_well("report run -o all.html --examples all");
    assert_eq!(folder.read("all.html"), page);
}

#[test]
fn several_runs_stand_beside_each_other() {
    let folder = campaign("reports", 6, "<b>one");
    attack(&folder, "two", "random-k");
    folder.run_well("report <b>one two -o report.html");
    let page = folder.read("report.html");
    for words in ["&lt;b&gt;one/random-once", "two/random-k", "Each against each"] {
        assert!(page.contains(words), "no {words:?}");
    }
    assert!(!page.contains("<b>one"));
    assert_eq!(page.matches("<h1>").count(), 2);
    let numbers: Value = serde_json::from_str(&folder.run_well("report <b>one two --json")).unwrap();
    assert_eq!(numbers["attacks"].as_array().unwrap().len(), 3);
    assert_eq!(numbers["duels"].as_array().unwrap().len(), 3);
}

#[test]
fn mistakes_leave_nothing_behind() {
    let folder = campaign("report-mistakes", 3, "run");
    folder.run_badly("report run", 2, &["--output"]);
    folder.run_badly("report run --export model.py", 3, &["model.py"]);
    folder.run_badly("report model.py -o report.html", 3, &["model.py cannot be reported"]);
    folder.write("other.json", "{}");
    folder.run_badly("report other.json -o report.html", 3, &["other.json cannot be reported", "evaluate --json"]);
    std::fs::remove_file(folder.path("other.json")).unwrap();
    folder.write("retrained/plan.json", "{}");
    folder.write("retrained/scores/original.json", "no scores");
    folder.run_badly("report retrained -o report.html", 3, &["original.json cannot be reported"]);
    std::fs::remove_dir_all(folder.path("retrained")).unwrap();
    folder.run_badly("report -o report.html", 2, &["RUN"]);
    folder.run_badly("report run -o report.html --examples many", 2, &["use a number, or all"]);
    folder.run_badly("report run -o report.html --attack beam", 2, &["`beam`", "random-k, random-once"]);
    folder.run_badly("report nowhere -o report.html", 3, &["nowhere holds no run"]);
    folder.run_badly("report run nowhere -o report.html", 3, &["nowhere holds no run"]);
    folder.run_badly("report run -o missing/report.html", 3, &["missing/report.html", "No such file"]);
    folder.run_badly("report run -o model.py/report.html", 3, &["model.py/report.html"]);
    folder.run_badly("report run -o run", 3, &["it is a folder"]);
    folder.write("damaged/run.sqlite", "this is no database");
    folder.run_badly("report damaged -o report.html", 3, &["damaged"]);
    let names = || -> Vec<String> {
        let entries = std::fs::read_dir(&folder.0).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["damaged", "model.py", "run", "test.jsonl"]);

    // A file that cannot grow is what a full disk is like; the report that was there stays.
    folder.write("report.html", "the report before");
    let script =
        format!("trap '' XFSZ; ulimit -f 40; exec '{}' report run -o report.html", env!("CARGO_BIN_EXE_allotrope"));
    let output = Command::new("bash").args(["-c", &script]).current_dir(&folder.0).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("failed to write the report report.html"), "{said}");
    assert_eq!(folder.read("report.html"), "the report before");
    assert_eq!(names(), ["damaged", "model.py", "report.html", "run", "test.jsonl"]);
}

/// What learns in a moment, and is seldom right.
const TINY: &str = "--task functionality --layers 1 --hidden 16 --heads 2 --inner 32 --vocabulary 300 --max-tokens 64 --steps 20 --learning-rate 0.01 \
                    --warm-up 5 --batch-tokens 800 --log-every 2";

const RETRAINING: &str = "
attacked = 6

[attack]
model = 'hf:learned'
attacks = ['random-once', 'random-k']
[attack.data]
path = 'sums.jsonl'
task = 'functionality'
sample = 8

[data]
path = 'sums.jsonl'
task = 'functionality'

[training]
steps = 4
learning-rate = 0.01
batch-tokens = 800

[[arm]]
name = 'again'

[[arm]]
name = 'random-once'
examples = ['random-once']

[[rewritten]]
name = 'renamed'
variants = { transform = 'rename-local', names = 'reference', rewrites = 2 }
";

/// A folder with a run of every kind, whose names are hostile.
fn runs_of_every_kind(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("model.py", MODEL);
    folder.write("student.py", MODEL.replace("80", "200"));
    folder.write("test.jsonl", data(6));
    let model = "cmd:wait=0.01 retries=0 classes=2 python3 model.py";
    let run = |words: &str, rest: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
        let output = command.current_dir(&folder.0).args(words.split_whitespace()).args(rest).output().unwrap();
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let data = "--data test.jsonl --language c";
    run(&format!("grid {data} --transform names,dead-code,layout --order 1,2 -o <b>grid"), &["--model", model]);
    let small = "--population 4 --generations 2 --repeat 2 --max-genes 4";
    run(&format!("evolve {data} {small} --minimise f1 -o <img>evolved"), &["--model", model]);
    let front = "--minimise accuracy,number-of-transformations --algorithm nsga2 --no-baseline";
    run(&format!("evolve {data} {small} {front} -o front"), &["--model", model]);
    let student = "cmd:wait=0.01 retries=0 classes=2 python3 student.py";
    let attack = "--attack random-once,random-k --budget 20";
    run(&format!("fidelity {data} {attack} -o fidelity"), &["--teacher", model, "--student", student]);
    let victim = concat!("hf:", env!("CARGO_MANIFEST_DIR"), "/../../fixtures/checkpoints/parity/roberta-two");
    let few = "--mutants 2 --operators neuron-switch,weight-shuffle --mutant-examples 8";
    run(&format!("mutants {data} {few} -o mutants"), &["--model", victim]);
    let sum = |number: usize| {
        let (label, operator) = [("sum<b>", '+'), ("product", '*')][number % 2];
        let code = format!("int f(int item) {{ int whole = item {operator} {number}; return whole; }}");
        let row =
            serde_json::json!({"id": format!("{number}{HOSTILE}"), "label": label, "language": "c", "code": code});
        format!("{row}\n")
    };
    folder.write("sums.jsonl", (0..24).map(sum).collect::<String>());
    run(&format!("train --kind encoder --data sums.jsonl --validation sums.jsonl {TINY} -o learned"), &[]);
    let small = format!(
        "distil --data sums.jsonl --task functionality --teacher hf:learned {}",
        TINY.split_once(' ').unwrap().1.split_once(' ').unwrap().1
    );
    run(&format!("{small} -o <i>student"), &[]);
    run(&format!("{} -o tiny", small.replace("--hidden 16", "--hidden 8")), &[]);
    for model in ["learned", "tiny"] {
        let said =
            folder.run_well(&format!("evaluate --model hf:{model} --data sums.jsonl --task functionality --json"));
        folder.write(&format!("scores/{model}<b>.json"), said);
    }
    let shape = |layers: usize, accuracy: f64, is_measured: bool| {
        serde_json::json!({"shape": {"layers": layers, "hidden": 64}, "cost": {"bytes": layers * 500_000, "flops": 1e9, "joules": 2.0},
            "accuracy": accuracy, "flips": 0.01, "is-measured": is_measured, "milliseconds": 1.5 * layers as f64})
    };
    let front = [shape(1, 0.9, true), shape(2, 0.93, false)];
    let styles = serde_json::json!([{"style": "avatar<b>", "chosen": front[0]["shape"], "front": front}]);
    folder.write("shapes/summary.json", serde_json::json!({"bytes": 3_000_000, "styles": styles}).to_string());
    folder.write("shapes/plan.json", serde_json::json!({"command": "shapes", "seed": 3}).to_string());
    folder.write("plan.toml", RETRAINING);
    run("retrain plan.toml -o retrained", &[]);
    folder
}

#[test]
fn every_kind_of_run_has_a_report() {
    let folder = runs_of_every_kind("report-kinds");
    let all = "<b>grid <img>evolved front fidelity mutants learned <i>student tiny shapes retrained scores";
    for (run, words) in [
        (
            "<b>grid",
            &["3 treatments at orders 1, 2", "Score against order", "Ranks at order 2", "allotrope run plan.toml"][..],
        ),
        ("<img>evolved", &["<strong>2 of 2</strong> repetitions", "Best f1 by generation", "Initial, random and best"]),
        ("front", &["nsga2", "Pareto front", "number-of-transformations"]),
        ("fidelity", &["KL divergence per input", "Reliability", "Robustness gap", "MR3 at 0.85", "teacher: names"]),
        ("mutants", &["neuron-switch", "Labels that mutants change", "allotrope mutants --model hf:"]),
        ("<i>student tiny", &["taught by hf:learned", "Accuracy against size", "label weight", "&lt;i&gt;student"]),
        (
            "shapes",
            &[
                "<strong>2</strong> shapes",
                "Accuracy against time of an answer",
                "hidden 64, layers 1",
                "avatar&lt;b&gt;",
            ],
        ),
        (
            "scores",
            &[
                "2</strong> models were evaluated",
                "accuracy against size of the weights",
                "accuracy against time of an answer",
            ],
        ),
        ("scores/tiny<b>.json", &["hf:tiny", "allotrope evaluate --model hf:tiny --data sums.jsonl"]),
        ("learned", &["20 steps", "Learning rate", "Best accuracy", "training/run.json"]),
        ("retrained", &["Success rate of fresh attacks", "renamed", "by random-once", "names "]),
    ] {
        let said = folder.run_well(&format!("report {run} -o report.html --export files"));
        assert!(said.contains("report.html: ") && said.contains("files: "), "{said}");
        let page = folder.read("report.html");
        for word in words {
            assert!(page.contains(word), "{run}: no {word:?}");
        }
        assert!(!page.contains("<b>grid") && !page.contains("<img") && !page.contains("<i>student"), "{run}");
        assert!(!page.contains("NaN") && !page.contains("inf\""), "{run}: a number is none");
        folder.run_well(&format!("report {run} -o again.html"));
        assert_eq!(folder.read("again.html"), page, "{run}");
    }
    folder.run_badly("report mutants --json", 2, &["none: each of the other commands"]);
    folder.run_badly(&format!("report {all}"), 2, &["--output"]);
    let names = || -> Vec<String> {
        let entries = std::fs::read_dir(folder.path("files")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    for name in ["grid-effects.csv", "grid-effects.tex", "grid-ranks.svg", "retraining-fresh-attacks.md", "origins.csv"]
    {
        assert!(names().contains(&name.to_owned()), "no {name}: {:?}", names());
    }
    assert!(folder.read("files/grid-effects.csv").starts_with("order,treatment,inputs,"));
    assert!(folder.read("files/fidelity-gap.tex").contains("\\toprule"));
    let svg = folder.read("files/fidelity-divergences.svg");
    assert!(svg.starts_with("<svg xmlns=") && !svg.contains("var("), "{svg}");
    // Runs of several kinds stand on one page, those with attacks among them.
    attack(&folder, "attacked", "random-k");
    folder.run_well(&format!("report attacked {all} -o all.html"));
    let page = folder.read("all.html");
    let kinds = [
        "Attacks",
        "Grids",
        "Guided searches",
        "Fidelity",
        "Mutants",
        "Trainings",
        "Distillations",
        "Shapes of students",
        "Retrainings",
        "Evaluations",
    ];
    for kind in kinds {
        assert!(page.contains(&format!("<h1 class=\"chapter\">{kind}</h1>")), "no {kind}");
    }
    // A student that is attacked like its teacher is compared on the plan that its run keeps.
    folder.run_well("run fidelity/plan.toml -o fidelity");
    in_a_browser(
        &folder,
        &[
            "<b>grid",
            "<img>evolved",
            "front",
            "fidelity",
            "mutants",
            "learned",
            "<i>student",
            "shapes",
            "retrained",
            "scores",
        ],
    );
}

#[test]
fn a_browser_shows_it() {
    let folder = campaign("report-browser", 24, "run");
    in_a_browser(&folder, &["run"]);
}

/// Opens the reports of some runs in one browser, and all of them on one page.
fn in_a_browser(folder: &Folder, runs: &[&str]) {
    let Some(mut command) = browser::script("browser.mjs") else { return };
    let all = runs.join(" ");
    let pages = runs.iter().copied().chain((runs.len() > 1).then_some(all.as_str()));
    for (number, page) in pages.enumerate() {
        let name =
            format!("page-{number}-{}.html", if page == all { "all" } else { runs[number] }.replace(['<', '>'], ""));
        folder.run_well(&format!("report {page} -o {name}"));
        command.arg(folder.path(&name));
    }
    browser::run(command);
}
