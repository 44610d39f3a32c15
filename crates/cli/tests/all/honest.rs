//! Warnings and refusals: models that answer at random, classes in another order, the wrong language, control characters, endless
//! files.

use std::os::unix::fs::symlink;
use std::process::Output;
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::toy;

/// A model in Python; `body` is the body of a function from code to probabilities.
fn model(body: &str) -> String {
    format!(
        "import json, random, sys\nrandom.seed(5)\ndef answer(code):\n    {body}\nfor line in sys.stdin:\n    question = json.loads(line)\n    \
         print(json.dumps({{'id': question['id'], 'probabilities': answer(question['code'])}}), flush=True)\n"
    )
}

const AT_RANDOM: &str = "p = random.random(); return [p, 1 - p]";

#[test]
fn a_model_that_answers_at_random_has_no_success() {
    let folder = toy::folder("random", &toy::data(12, |_| String::new()));
    folder.write("model.py", model(AT_RANDOM));
    let command = "attack --model cmd:python3&model.py --data test.jsonl --language c --attack random-k --budget 60 -o run --json";
    let said = run(&folder, command);
    let found: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!(found["attacks"][0]["outcomes"]["success"], 0, "{found:#}");
    let (asked, changed) = (&found["noise"]["asked"], &found["noise"]["changed"]);
    // The sample is larger because an answer changed.
    assert!(asked.as_u64() == Some(24) && changed.as_u64() > Some(5), "{asked} {changed}");
    let table = folder.run_well("compare run");
    let noise = table.lines().find(|line| line.starts_with("answers changed when queried again")).unwrap();
    assert!(noise.contains("0.") && noise.contains('['), "{noise}");
    let evaluated = text(&run(&folder, "evaluate --model cmd:python3&model.py --data test.jsonl --language c").stdout);
    assert!(evaluated.contains("answers changed when the model was queried again"), "{evaluated}");
    folder.run_well("report run -o page.html");
    assert!(folder.read("page.html").contains("Noise of run"));
}

#[test]
fn a_flip_of_a_steady_model_is_confirmed() {
    let folder = toy::folder("steady", &toy::data(12, |_| String::new()));
    let command = "attack --model cmd:python3&model.py --data test.jsonl --language c --attack random-k --set random-k.rewrites=8 --set random-k.asks-each=yes -o run --json";
    let found: serde_json::Value = serde_json::from_slice(&run(&folder, command).stdout).unwrap();
    assert!(found["attacks"][0]["outcomes"]["success"].as_u64() > Some(0), "{found:#}");
    assert_eq!(found["noise"], serde_json::json!({"asked": 16, "changed": 0, "failed": 0}));
}

#[test]
fn another_number_of_classes_is_refused() {
    let folder = toy::folder("three", &toy::data(4, |_| String::new()));
    folder.write("model.py", model("return [0.2, 0.5, 0.3]"));
    for command in ["attack --attack random-k -o run", "evaluate"] {
        let said = run(&folder, &format!("{command} --model cmd:python3&model.py --data test.jsonl --language c"));
        let errors = text(&said.stderr);
        assert_eq!(said.status.code(), Some(2), "{errors}");
        assert!(errors.contains("the model knows 3 classes, but the data set has 2 labels"), "{errors}");
    }
}

#[test]
fn classes_in_another_order_are_noticed() {
    let folder = Folder::new("order");
    let row = |number: usize, label: &str| {
        format!(
            "{{\"id\": {number}, \"code\": \"int f(int {label}) {{ return {number}; }}\", \"label\": \"{label}\"}}\n"
        )
    };
    let rows: String = (0..20).map(|number| row(number, ["bad", "good"][number % 2])).collect();
    folder.write("test.jsonl", rows);
    // The first class of the model is `good`, which is second in alphabetical order.
    folder.write("model.py", model("return [0.9, 0.1] if 'good' in code else [0.1, 0.9]"));
    let options =
        "--model cmd:python3&model.py --data test.jsonl --language c --code code --label label --task functionality";
    for command in ["evaluate", "attack --attack random-once -o run"] {
        let said = text(&run(&folder, &format!("{command} {options}")).stderr);
        for words in ["0 are correct in the order bad,good", "16 in the order good,bad", "--labels good,bad"] {
            assert!(said.contains(words), "no {words:?} in\n{said}");
        }
    }
    let told = run(&folder, &format!("evaluate {options} --labels good,bad"));
    assert!(!text(&told.stderr).contains("warning") && text(&told.stdout).contains("accuracy"), "{told:?}");
}

#[test]
fn shapes_that_do_not_fit_show_the_lines_that_would() {
    let folder = toy::folder("shapes", &toy::data(2, |_| String::new()));
    let parity = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity/roberta-two");
    for name in ["merges.txt", "pytorch_model.bin", "tokenizer_config.json", "vocab.json"] {
        folder.write(&format!("checkpoint/{name}"), std::fs::read(parity.join(name)).unwrap());
    }
    let text_of_config = std::fs::read_to_string(parity.join("config.json")).unwrap();
    let config: serde_json::Value = serde_json::from_str(&text_of_config).unwrap();
    let mut wrong = config.clone();
    wrong["hidden_size"] = (config["hidden_size"].as_u64().unwrap() * 2).into();
    wrong["intermediate_size"] = 8.into();
    folder.write("checkpoint/config.json", wrong.to_string());
    let command = "evaluate --model hf:checkpoint --data test.jsonl --language c";
    let said = text(&run(&folder, command).stderr);
    let lines = said.split_once("[config]\n").unwrap_or_else(|| panic!("no lines in\n{said}")).1;
    for key in ["hidden_size", "intermediate_size", "num_hidden_layers", "vocab_size"] {
        assert!(lines.contains(&format!("{key} = {}\n", config[key])), "no {key} in\n{said}");
    }
    // With these lines the model can be opened.
    folder.write("checkpoint/allotrope.toml", format!("[config]\n{lines}"));
    assert_eq!(text(&run(&folder, command).stderr), "");
}

#[test]
fn the_wrong_language_is_noticed() {
    let folder = toy::folder("language", &toy::data(6, |_| String::new()));
    let said = run(&folder, "evaluate --model cmd:python3&model.py --data test.jsonl --language python");
    assert!(text(&said.stderr).contains("0 of 12 sampled programs parse as python, and 12 as c"), "{said:?}");
    let said = run(&folder, "evaluate --model cmd:python3&model.py --data test.jsonl --language c");
    assert!(!text(&said.stderr).contains("warning"), "{said:?}");
}

#[test]
fn nothing_from_outside_reaches_the_terminal_as_a_command() {
    const EVIL: &str = "\\u001b[2J\\u0007\\u009b31m\\u202e\\r";
    let folder = Folder::new("escapes");
    let row = |number: usize| {
        format!(
            "{{\"id\": \"{number}{EVIL}\", \"code\": \"int f(int a{number}) {{ return a{number}; }} // {EVIL}\", \"label\": \"l{}{EVIL}\", \"{EVIL}\": 1}}\n",
            number % 2
        )
    };
    folder.write("test.jsonl", (0..8).map(row).collect::<String>());
    folder.write("model.py", model("p = len(code) % 7 / 10; return [p, 1 - p]"));
    folder.write(
        "angry.py",
        "import sys\nprint('\\x1b[2J\\x9b31m', file=sys.stderr)\nprint('\\x1b]0;title\\x07')\nsys.exit(1)\n",
    );
    folder.write("evil\u{1b}[2J.c", "int f(int n) { return n +; }");
    let data = "--data test.jsonl --language c --code code --label label --task functionality";
    for command in [
        "data test.jsonl --language c --code code --label label --task functionality --show 3".to_owned(),
        "data test.jsonl --language c --code code --label label --task functionality --json".to_owned(),
        format!("evaluate --model cmd:python3&model.py {data} --show 5"),
        format!("evaluate --model cmd:python3&model.py {data} --json"),
        format!("evaluate --model cmd:python3&angry.py {data}"),
        format!("attack --model cmd:python3&model.py {data} --attack random-k --budget 20 -o run"),
        format!("attack --model cmd:python3&angry.py {data} --attack random-k -o angry"),
        "compare run".to_owned(),
        "compare run --scores".to_owned(),
        "transform evil\u{1b}[2J.c -o out.c".to_owned(),
        "transform missing\u{1b}[2J.c -o out.c".to_owned(),
        "verify evil\u{1b}[2J.c evil\u{1b}[2J.c".to_owned(),
        "evaluate --model hf:\u{1b}[2J --data test.jsonl".to_owned(),
        "explain \u{1b}[2J".to_owned(),
        "attack --unknown\u{1b}[2J".to_owned(),
        "\u{1b}[2J".to_owned(),
    ] {
        let said = run(&folder, &command);
        for said in [&said.stdout, &said.stderr] {
            let said = text(said);
            let bad = said
                .chars()
                .find(|character| character.is_control() && !"\n\t".contains(*character) || *character == '\u{202e}');
            assert_eq!(bad, None, "{command:?}\n{said}");
        }
    }
}

#[test]
fn a_byte_order_mark_loses_no_row() {
    let folder = Folder::new("mark");
    let row = |number: usize| {
        format!("{{\"func\": \"int f(int a) {{ return a + {number}; }}\", \"target\": {}}}", number % 2)
    };
    let rows: Vec<String> = (0..3).map(row).collect();
    folder.write("a.jsonl", format!("\u{feff}{}\n", rows.join("\n")));
    folder.write("b.json", format!("\u{feff}[{}]", rows.join(",")));
    folder.write("c.csv", "\u{feff}\"func\",\"target\"\nint f(int a) { return a; },0\nint g(int b) { return b; },1\n");
    for (file, rows) in [("a.jsonl", 3), ("b.json", 3), ("c.csv", 2)] {
        let said = folder.run_well(&format!("data {file} --language c --json"));
        let found: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!((&found["examples"], &found["broken_rows"]["count"]), (&rows.into(), &0.into()), "{file}: {said}");
    }
    for (file, column, last) in [("a.jsonl", "func", "\"target\": 0}\n"), ("c.csv", "func", ",1\n")] {
        let said = folder.run_well(&format!(
            "transform {file} --column {column} --language c --transform rename-parameter -o out-{file} --json"
        ));
        let found: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(found["changed"], found["inputs"], "{said}");
        let written = folder.read(&format!("out-{file}"));
        assert!(written.starts_with('\u{feff}') && written.ends_with(last), "{written:?}");
    }
}

#[test]
fn a_link_to_a_device_ends_at_a_size_limit() {
    let folder = Folder::new("device");
    for name in ["a.c", "b.jsonl", "c.json", "d.csv", "e.txt"] {
        symlink("/dev/zero", folder.path(name)).unwrap();
    }
    let start = Instant::now();
    for (command, status) in [
        ("verify a.c a.c", 3),
        ("data b.jsonl --code code", 3),
        ("data c.json --code code", 3),
        ("data d.csv --code code", 3),
        ("transform a.c -o out.c", 0),
        ("transform b.jsonl --column code --language c -o out.jsonl", 3),
        ("run e.txt -o run", 3),
        ("evaluate --model builtin:a.c --data b.jsonl", 3),
    ] {
        let said = run(&folder, command);
        let told = format!("{}{}", text(&said.stdout), text(&said.stderr));
        assert!(
            told.contains("larger than") && said.status.code() == Some(status),
            "{command}: {:?}\n{told}",
            said.status
        );
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

/// The temporary files of a killed judge are removed by the next one.
#[test]
fn the_next_start_removes_what_a_killed_one_left() {
    let folder = Folder::new("killed");
    folder.write("a.py", "import time\nopen('taken', 'w').write('x')\ntime.sleep(60)\n");
    folder.write("b.py", "print(1)\n");
    let temporary = folder.path("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let verify = |file: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_allotrope"));
        command.current_dir(&folder.0).env("TMPDIR", &temporary).args(["verify", file, file, "--argument", "x"]);
        command
    };
    let left = || std::fs::read_dir(&temporary).unwrap().count();
    let mut child = verify("a.py").stdout(std::process::Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while left() < 2 {
        assert!(start.elapsed() < Duration::from_secs(30), "nothing was begun");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(left() > 0);
    let said = verify("b.py").output().unwrap();
    assert!(said.status.success(), "{}", text(&said.stderr));
    assert_eq!(left(), 0);
}

/// Runs a command; `&` stands for a space within an argument.
fn run(folder: &Folder, command: &str) -> Output {
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_allotrope"));
    program.current_dir(&folder.0).args(command.split(' ').map(|argument| argument.replace('&', " ")));
    program.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
