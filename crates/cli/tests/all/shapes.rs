//! `allotrope shapes` and `allotrope disagree` as a user types them: searched, killed and resumed, and mistakes.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::folder::Folder;

/// Programs that add or multiply.
fn rows(from: usize, to: usize) -> String {
    let row = |number: usize| {
        let (label, code) = match number % 2 {
            0 => (
                "sum",
                format!(
                    "def add(data):\n    total = {number}\n    for item in data:\n        total += item\n    return total\n"
                ),
            ),
            _ => (
                "product",
                format!(
                    "def times(data):\n    result = {number}\n    for factor in data:\n        result *= factor\n    return result\n"
                ),
            ),
        };
        format!("{}\n", serde_json::json!({"id": number, "label": label, "language": "python", "code": code}))
    };
    (from..to).map(row).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn compressor_needs_no_data() {
    let folder = Folder::new("shapes-compressor");
    let command = "shapes --style compressor --size 1 --bits 16 --max-tokens 64";
    let told = folder.run_well(&format!("{command} -o run"));
    let options = folder.read("run/compressor.options");
    assert!(told.contains(options.trim()) && options.contains("--max-tokens 64"), "{told}\n{options}");
    let summary = json(&folder.read("run/summary.json"));
    let best = &summary["styles"][0]["front"][0];
    let bytes = best["cost"]["bytes"].as_u64().unwrap();
    assert!((900_000..=1_000_000).contains(&bytes), "{best}");
    assert!(best["milliseconds"].as_f64().unwrap() > 0.0 && best["accuracy"].is_null(), "{best}");
    // What was measured once is read.
    folder.run_well(&format!("{command} -o run"));
    assert_eq!(json(&folder.read("run/summary.json")), summary);
    for (arguments, status, words) in [
        ("shapes --style compressor --size 2 --bits 16 --max-tokens 64 -o run", 2, "another plan: bytes"),
        ("shapes --style avatar --size 2 -o out", 2, "--data"),
        ("shapes --style compressor --size 0.001 -o out", 2, "--size"),
        ("shapes --style compressor --bits 7 -o out", 2, "8, 16 or 32"),
        ("shapes --style compressor --hidden 10 --heads 3 -o out", 2, "not divisible"),
        ("shapes --style nonesuch -o out", 2, "nonesuch"),
    ] {
        folder.run_badly(arguments, status, &[words]);
    }
}

#[test]
fn shapes_are_trained_and_searched_whenever_the_search_is_killed() {
    let folder = Folder::new("shapes");
    folder.write("train.jsonl", rows(0, 40));
    folder.write("valid.jsonl", rows(40, 60));
    folder.run_well("train --data train.jsonl -o teacher.safetensors");
    let command = "shapes --style avatar,morph --size 0.06 --bits 16 --shapes 2 --finalists 1 --judged 12 --teacher builtin:./teacher.safetensors --data train.jsonl \
                   --validation valid.jsonl --steps 4 --batch-tokens 400 --warm-up 2 --max-tokens 24 --layers 1 --vocabulary 300 --positions absolute --seed 3";
    let told = folder.run_well(&format!("{command} -o run"));
    assert!(told.contains("shapes that were trained") && told.contains("morph: front"), "{told}");
    let files = ["evaluations.jsonl", "avatar.options", "morph.options"];
    let whole = files.map(|file| folder.read(&format!("run/{file}")));
    let trained = whole[0].lines().count();
    assert!((2..=4).contains(&trained), "two that are drawn, and at most one more of each style: {trained}");
    let summary = json(&folder.read("run/summary.json"));
    for found in summary["styles"].as_array().unwrap() {
        let front = found["front"].as_array().unwrap();
        assert!(
            !front.is_empty() && front.iter().all(|own| own["cost"]["bytes"].as_u64().unwrap() <= 60_000),
            "{found}"
        );
        let chosen = front.iter().find(|own| own["shape"] == found["chosen"]).unwrap();
        assert_eq!(chosen["is-measured"], true, "{found}");
        assert!(front.iter().all(|own| (0.0..=1.0).contains(&own["accuracy"].as_f64().unwrap())), "{found}");
    }
    assert!(!folder.path("run/trained").read_dir().unwrap().any(|_| true), "what was trained is removed");
    folder.kill_until_done(4, command, |killed| {
        let found = files.map(|file| folder.read(&format!("{killed}/{file}")));
        assert!(found == whole, "{killed} found something else");
    });
    // The options are those of distil.
    let options = folder.read("run/morph.options");
    folder.run_well(&format!(
        "distil --teacher builtin:./teacher.safetensors --data train.jsonl --steps 2 --batch-tokens 400 {} -o student",
        options.trim()
    ));
    let bare = "shapes --style avatar --data train.jsonl --size 0.06 -o other";
    folder.run_badly(bare, 2, &["--validation"]);
}

/// A model that is a program: it is sure of the first class where a word is in the code.
fn model(folder: &Folder, name: &str, word: &str) -> String {
    let program = format!(
        "#!/usr/bin/env python3\nimport json, sys\nfor line in sys.stdin:\n    question = json.loads(line)\n    share = 0.9 if '{word}' in question['code'] else 0.2\n    \
         print(json.dumps({{'id': question['id'], 'probabilities': [share, 1 - share]}}), flush=True)\n"
    );
    let path = folder.write(name, program);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("cmd:./{name}")
}

#[test]
fn disagreements_are_found_and_are_small() {
    let folder = Folder::new("disagree");
    folder.write("data.jsonl", rows(0, 6));
    // The teacher knows what is computed, and the student a name.
    let (teacher, student) = (model(&folder, "teacher.py", "+="), model(&folder, "student.py", "total"));
    let command = format!(
        "disagree --teacher {teacher} --student {student} --data data.jsonl --transform rename-local,if-true,invert-if --forms 6 --rewrites 5"
    );
    let told = folder.run_well(&format!("{command} -o run"));
    assert!(told.contains("agree, and are separated by a rewrite") && told.contains("-     total = "), "{told}");
    let lines: Vec<Value> = folder.read("run/disagreements.jsonl").lines().map(json).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    for line in &lines {
        // Only the name separates them, so that nothing else is left of the variant.
        let rewrites = line["rewrites"].as_array().unwrap();
        assert_eq!((rewrites.len(), &rewrites[0]["transformation"]), (1, &Value::from("rename-local")), "{line}");
        assert!(line["rewrites-before"].as_u64().unwrap() > 1 && line["kind"] == "variant");
        assert!(!line["rewritten"][0].as_str().unwrap().contains("total"));
        assert!((line["variant"]["distance"].as_f64().unwrap() - 0.7).abs() < 1e-6);
    }
    let page = folder.read("run/disagreements.md");
    assert!(page.starts_with("# Where") && page.matches("\n## ").count() == 3 && page.contains("``````diff"), "{page}");
    assert_eq!(folder.run_well(&format!("{command} -o run")), told);
    folder.kill_until_done(3, &command, |killed| {
        assert_eq!(folder.read(&format!("{killed}/disagreements.jsonl")), folder.read("run/disagreements.jsonl"));
    });
    // Another model differs already on what is not rewritten, which a recorded one can be asked about as well.
    let other = model(&folder, "other.py", "*=");
    folder.run_well(&format!("record --model {teacher} --data data.jsonl -o recorded.jsonl"));
    let told = folder.run_well(&format!(
        "disagree --teacher recorded:recorded.jsonl --student {other} --data data.jsonl --forms 0 --json -o as-they-are"
    ));
    let told = json(&told);
    assert_eq!((told["inputs"].as_u64(), told["worst"].as_array().unwrap().len()), (Some(6), 6), "{told}");
    for (arguments, status, words) in [
        (
            format!("disagree --teacher {teacher} --student {teacher} --data data.jsonl -o out"),
            2,
            "nothing would be compared",
        ),
        (format!("disagree --teacher builtin:problems --student {student} --data data.jsonl -o out"), 2, "classes"),
        (
            format!("disagree --teacher recorded:recorded.jsonl --student {student} --data data.jsonl -o out"),
            2,
            "recorded answers",
        ),
        (format!("{command} --seed 4 -o run"), 3, "seed"),
    ] {
        folder.run_badly(&arguments, status, &[words]);
    }
}
