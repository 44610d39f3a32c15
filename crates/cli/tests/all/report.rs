//! Reports as a user makes and opens them.

use std::path::PathBuf;
use std::process::Command;

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
    assert_eq!(page.matches("</script>").count() as u64, examples + 1);
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

#[test]
fn a_browser_shows_it() {
    let found = |names: &[&str]| -> Option<PathBuf> {
        let paths = std::env::var_os("PATH")?;
        let files = std::env::split_paths(&paths).flat_map(|path| names.iter().map(move |name| path.join(name)));
        files.into_iter().find(|file| file.is_file())
    };
    let browser = std::env::var_os("ALLOTROPE_BROWSER")
        .map(PathBuf::from)
        .or_else(|| found(&["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]));
    let (Some(browser), Some(node)) = (browser, found(&["node", "nodejs"])) else {
        println!("the report is not opened in a browser: that takes Chromium (or ALLOTROPE_BROWSER) and Node.js");
        return;
    };
    let folder = campaign("report-browser", 24, "run");
    folder.run_well("report run -o report.html");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../report/tests/browser.mjs");
    let mut command = Command::new(node);
    command.arg(script).arg(browser).arg(folder.path("report.html"));
    if let Some(pictures) = std::env::var_os("ALLOTROPE_PICTURES") {
        command.arg(pictures);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stdout));
}
