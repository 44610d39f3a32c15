//! `allotrope train --kind masked`, `--kind encoder` and `--kind search` as a user types them: the whole way from programs to a score, killed, stopped, on a
//! full disk, and with mistakes.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::folder::Folder;

const TINY: &str = "--layers 1 --hidden 16 --heads 2 --inner 24 --vocabulary 300 --max-tokens 24 --batch-tokens 200 --warm-up 4 \
                    --log-every 2 --checkpoint-every 3 --seed 5";

/// Programs that add or multiply.
fn rows(count: usize) -> String {
    let row = |number: usize| {
        let (label, code) = match number % 2 {
            0 => ("sum", format!("total = {number}\nfor item in data:\n    total += item\n")),
            _ => ("product", format!("result = {number}\nfor factor in data:\n    result *= factor\n")),
        };
        format!("{}\n", serde_json::json!({"id": number, "label": label, "language": "python", "code": code}))
    };
    (0..count).map(row).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn without_times(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("metrics.jsonl")).unwrap();
    let line = |line: &str| {
        let mut line = json(line);
        line.as_object_mut().unwrap().retain(|key, _| !["seconds", "tokens-per-second"].contains(&key.as_str()));
        line
    };
    text.lines().map(line).collect()
}

#[test]
fn from_programs_to_a_score() {
    let folder = Folder::new("encoder");
    folder.write("data.jsonl", rows(60));
    folder.write("more.jsonl", rows(30));
    let told = folder.run_well(&format!(
        "train --kind masked --data data.jsonl --data more.jsonl --epochs 2 {TINY} --held-out 0.1 -o masked"
    ));
    for words in ["hf:masked", "data.jsonl, more.jsonl", "from 81 programs", "best"] {
        assert!(told.contains(words), "no {words:?} in\n{told}");
    }

    let command = "train --kind encoder --from hf:masked --data data.jsonl --epochs 8 --learning-rate 0.005 \
                   --batch-tokens 200 --warm-up 4 --log-every 2 --checkpoint-every 3 --seed 5 --json";
    let trained = json(&folder.run_well(&format!("{command} -o whole")));
    assert_eq!(trained["learned"], serde_json::json!({"examples": 48, "labels": ["product", "sum"]}));
    assert_eq!(trained["held out"]["examples"].as_u64(), Some(12));
    let accuracy = trained["held out"]["measures"][0]["value"].as_f64().unwrap();
    let best = trained["training"]["best"]["score"]["accuracy"].as_f64().unwrap();
    assert!((accuracy - best).abs() < 1e-9 && best > 0.7, "{trained}");
    let evaluated = json(&folder.run_well("evaluate --model hf:whole --data data.jsonl --json"));
    assert!(evaluated["measures"][0]["value"].as_f64().unwrap() > 0.7, "{evaluated}");
    assert!(folder.run_well("list models").contains("encoder, masked"));

    // The same again is done already; a validation that is named repeats its own score.
    let again = json(&folder.run_well(&format!("{command} -o whole")));
    assert_eq!(again["training"], trained["training"]);
    let named = json(&folder.run_well(&format!("{command} --validation more.jsonl --half -o named")));
    let evaluated = json(&folder.run_well("evaluate --model hf:named --data more.jsonl --json"));
    assert_eq!(named["held out"]["measures"][0]["value"], evaluated["measures"][0]["value"]);

    // Killed at any moment, it comes to the same.
    folder.kill_until_done(10, command, |killed| {
        let killed = folder.path(killed);
        let read = |folder: &Path| std::fs::read(folder.join("model.safetensors")).unwrap();
        assert!(read(&killed) == read(&folder.path("whole")), "{} has other weights", killed.display());
        assert_eq!(without_times(&killed), without_times(&folder.path("whole")));
    });
}

#[test]
fn pairs_are_learned_in_pieces_and_a_dry_run_leaves_nothing() {
    let folder = Folder::new("encoder-pairs");
    let row = |number: usize| {
        let code = |kind: usize| if kind == 0 { "int f(int a) { return a + 1; }" } else { "char *g = \"text\";" };
        let (one, other) = (number % 2, number / 2 % 2);
        let row =
            serde_json::json!({"id": number, "a": code(one), "b": code(other), "same": usize::from(one == other)});
        format!("{row}\n")
    };
    folder.write("pairs.jsonl", (0..24).map(row).collect::<String>());
    let command = format!(
        "train --kind encoder --data pairs.jsonl --language c --task clone --code a --code2 b --label same --steps 3 {TINY}"
    );
    let told = folder.run_well(&format!("{command} --dry-run -o pairs"));
    assert!(told.contains("parameters") && told.contains("activations") && told.contains("time"), "{told}");
    let estimate = json(&folder.run_well(&format!("{command} --dry-run --json -o pairs")));
    assert!(estimate["seconds"].as_f64().unwrap() > 0.0);
    assert!(!folder.path("pairs").exists());
    for step in 1..=2 {
        folder.run_badly(
            &format!("{command} --stop-after 0.0000001 -o pairs"),
            130,
            &[&format!("stopped at step {step}"), "the same command resumes"],
        );
    }
    folder.run_well(&format!("{command} -o pairs"));
    folder.run_well(&format!("{command} -o whole"));
    let read = |name: &str| std::fs::read(folder.path(name).join("model.safetensors")).unwrap();
    // The numbers of the file are those that were announced.
    let file = read("whole");
    let header = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    let tensors: serde_json::Map<String, Value> = serde_json::from_slice(&file[8..8 + header]).unwrap();
    let numbers = |tensor: &Value| -> u64 {
        tensor["shape"].as_array().unwrap().iter().map(|size| size.as_u64().unwrap()).product()
    };
    let written: u64 =
        tensors.iter().filter(|(name, _)| *name != "__metadata__").map(|(_, tensor)| numbers(tensor)).sum();
    assert_eq!(estimate["parameters"].as_u64(), Some(written));
    assert!(read("pairs") == read("whole"));
    let options = "--data pairs.jsonl --language c --task clone --code a --code2 b --label same --json";
    let evaluated = json(&folder.run_well(&format!("evaluate --model hf:pairs {options}")));
    assert_eq!(
        evaluated["measures"][0]["examples"].as_u64().or(evaluated["examples"].as_u64()),
        Some(24),
        "{evaluated}"
    );
}

#[test]
fn what_cannot_be_trained_is_told() {
    let folder = Folder::new("encoder-mistakes");
    folder.write("data.jsonl", rows(20));
    folder.write("plain/a.py", "x = 1\n");
    folder.write("other.jsonl", rows(4).replace("\"sum\"", "\"quotient\""));
    folder.write("search.jsonl", "{\"idx\": 1, \"doc\": \"add\", \"code\": \"x = 1\", \"label\": 1}\n");
    let encoder = format!("train --kind encoder {TINY} --epochs 1 -o out");
    for (arguments, status, words) in [
        (format!("{encoder} --data nowhere.jsonl"), 3, "nowhere.jsonl"),
        (format!("{encoder} --data plain"), 2, "no classes"),
        (format!("{encoder} --data search.jsonl --language python"), 2, "text"),
        (format!("{encoder} --data data.jsonl --data other.jsonl"), 2, "classes are learned from one"),
        (format!("{encoder} --data data.jsonl --validation other.jsonl"), 2, "`quotient`"),
        (format!("{encoder} --data data.jsonl --labels sum,product,quotient"), 2, "quotient"),
        (format!("{encoder} --data data.jsonl --max-ngram 3"), 2, "linear"),
        (format!("{encoder} --data data.jsonl --steps 5"), 2, "--steps"),
        (format!("{encoder} --data data.jsonl --patience 2 --held-out 0"), 2, "patient"),
        (format!("{encoder} --data data.jsonl --from hf:nowhere"), 2, "--from"),
        ("train --kind encoder --data data.jsonl --from hf:nowhere -o out".to_owned(), 3, "nowhere is not a folder"),
        ("train --data data.jsonl --layers 2 -o out".to_owned(), 2, "--kind encoder"),
        ("train --data data.jsonl --data other.jsonl -o out".to_owned(), 2, "--data once"),
        (format!("train --kind encoder --data data.jsonl {TINY} -o /proc/nothing"), 3, "failed to write /proc/nothing"),
        (format!("train --kind encoder --data data.jsonl {TINY} -o data.jsonl"), 3, "failed to write data.jsonl"),
        (format!("train --kind encoder --data data.jsonl {TINY} -o ."), 2, "is not empty"),
        (format!("train --kind encoder --data data.jsonl {TINY} -o out?x"), 2, "without `?`"),
    ] {
        folder.run_badly(&arguments, status, &[words]);
    }
    assert!(!folder.path("out").exists() && !folder.path("burnt").exists());
    let burnt = "train --kind masked --data data.jsonl --layers 1 --hidden 16 --heads 2 --vocabulary 300 --max-tokens 24 \
                 --learning-rate 1e30 --warm-up 0 -o burnt";
    folder.run_badly(burnt, 4, &["not a finite number", "learning rate"]);
    let other = format!("{encoder} --data data.jsonl");
    folder.run_well(&other);
    folder.run_badly(&format!("{other} --dropout 0.5"), 2, &["settings dropout was 0.1", "and is 0.5"]);
    folder.write("data.jsonl", rows(22));
    folder.run_badly(&other, 2, &["examples"]);
}

#[test]
fn a_full_disk_ends_it_with_the_last_good_checkpoint() {
    let folder = Folder::new("encoder-full");
    folder.write("data.jsonl", rows(40));
    let command = format!("train --kind encoder --data data.jsonl {TINY} --epochs 2");
    folder.run_well(&format!("{command} -o whole"));
    // A limit on the size of files fails as a full disk does, once the signal is ignored. Blocks have 512 bytes.
    for (blocks, words) in [(8, "failed to write full/tokenizer.json"), (120, "no checkpoint yet")] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {command} -o full");
        let mut process = Command::new("/bin/sh");
        process.current_dir(&folder.0).args(["-c", &script, env!("CARGO_BIN_EXE_allotrope")]);
        let output = process.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{blocks} blocks: {told}");
        assert!(told.contains(words), "{blocks} blocks: {told}");
        let pieces = std::fs::read_dir(folder.path("full/training")).unwrap().flatten();
        assert!(!pieces.into_iter().any(|one| one.file_name().to_string_lossy().ends_with(".partial")));
    }
    folder.run_well(&format!("{command} -o full"));
    let read = |name: &str| std::fs::read(folder.path(name).join("model.safetensors")).unwrap();
    assert!(read("full") == read("whole"));
}

#[test]
fn texts_find_their_programs() {
    let folder = Folder::new("search");
    let things = ["size", "name", "color", "weight", "owner", "price", "height", "title", "date", "author"];
    let row = |number: usize| {
        let thing = things[number % things.len()];
        let code = match number / things.len() % 2 {
            0 => format!("int {thing}{number}() {{ return this.{thing}; }}"),
            _ => format!("void set{thing}(int value{number}) {{ this.{thing} = value{number}; }}"),
        };
        let doc = match number / things.len() % 2 {
            0 => format!("Returns the {thing} of it."),
            _ => format!("Sets the {thing} of it."),
        };
        format!(
            "{}\n",
            serde_json::json!({"path": number, "name": thing, "doc": doc, "code": code, "language": "java"})
        )
    };
    folder.write("train.jsonl", (0..200).map(row).collect::<String>());
    folder.write("test.jsonl", (200..220).map(row).collect::<String>());
    let command = "train --kind search --task code-search --data train.jsonl --validation test.jsonl --learning-rate 0.005 --layers 1 \
                   --hidden 32 --heads 2 --vocabulary 400 --max-tokens 32 --batch-tokens 600 --warm-up 4 --checkpoint-every 3";
    let told = folder.run_well(&format!("{command} --epochs 12 -o finder"));
    assert!(
        told.contains("hf:finder") && told.contains("200 pairs") && told.contains("mrr") && told.contains("recall@5"),
        "{told}"
    );
    let evaluated = "evaluate --model hf:finder --data test.jsonl --task code-search --json";
    let evaluated = json(&folder.run_well(evaluated));
    let mrr = &evaluated["measures"][0];
    // By chance it would be 0.18 among twenty programs.
    assert!(mrr["measure"] == "mrr" && mrr["value"].as_f64().unwrap() > 0.5, "{evaluated}");
    let estimate = folder.run_well(&format!("{command} --dry-run -o nothing"));
    assert!(estimate.contains("200 examples") && !folder.path("nothing").exists(), "{estimate}");

    // Killed at any moment, it comes to the same.
    let weights = |name: &str| std::fs::read(folder.path(name).join("model.safetensors")).unwrap();
    let short = format!("{command} --epochs 2");
    folder.run_well(&format!("{short} -o short"));
    folder.kill_until_done(4, &short, |killed| assert!(weights(killed) == weights("short"), "{killed}"));
    // Classes are no texts.
    folder.write("classes.jsonl", rows(8));
    folder.run_badly("train --kind search --data classes.jsonl -o other", 2, &["--task code-search"]);
}
