//! `allotrope train --from` a T5 as a user types it: classes that are attacked along their gradients, texts, killed, and with mistakes.

use std::path::PathBuf;

use campaign::plan::Plan;
use campaign::run::Store;
use serde_json::{Value, json};

use crate::folder::Folder;

fn checkpoint(name: &str) -> String {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity");
    format!("hf:{}", fixtures.join(name).canonicalize().unwrap().display())
}

const QUICK: &str =
    "--max-tokens 48 --batch-tokens 400 --warm-up 5 --learning-rate 0.01 --dropout 0 --checkpoint-every 3 --seed 5";

fn classes(count: usize) -> String {
    let row = |number: usize| {
        let (label, code) = match number % 2 {
            0 => ("sum", format!("int f(int a) {{ return a + {number}; }}")),
            _ => ("product", format!("int f(int a) {{ return a * {number}; }}")),
        };
        json!({"id": number, "label": label, "language": "c", "code": code}).to_string() + "\n"
    };
    (0..count).map(row).collect()
}

fn captions(count: usize) -> String {
    let row = |number: usize| {
        let (doc, code) = match number % 2 {
            0 => ("It adds.", format!("int f(int a) {{ return a + {number}; }}")),
            _ => ("It ends.", format!("void f() {{ exit({number}); }}")),
        };
        json!({"path": format!("{number}.c"), "name": "f", "doc": doc, "code": code, "language": "c"}).to_string()
            + "\n"
    };
    (0..count).map(row).collect()
}

#[test]
fn a_t5_learns_classes_and_is_attacked_along_its_gradients() {
    let folder = Folder::new("t5-classes");
    folder.write("data.jsonl", classes(40));
    folder.write("test.jsonl", classes(8));
    let command =
        format!("train --kind encoder --data data.jsonl --language c --from {} {QUICK}", checkpoint("t5-classes"));
    let trained: Value =
        serde_json::from_str(&folder.run_well(&format!("{command} --epochs 25 --json -o whole"))).unwrap();
    assert_eq!(trained["learned"], json!({"examples": 32, "labels": ["product", "sum"]}));
    let best = trained["training"]["best"]["score"]["accuracy"].as_f64().unwrap();
    let accuracy = trained["held out"]["measures"][0]["value"].as_f64().unwrap();
    assert!((accuracy - best).abs() < 1e-9 && best > 0.7, "{trained}");
    // Gradients are there, so that the attack needs no random walk.
    folder.run_well(
        "attack --model hf:whole --data test.jsonl --language c --attack carrot-i --set carrot-i.form=gradient --budget 60 --train \
         data.jsonl -o run",
    );
    let records = Store::<Plan>::open(&folder.path("run")).unwrap().records().unwrap();
    assert!(records.iter().any(|record| record.queries > 1), "{records:?}");
    let has_no_gradients = |reason: &String| reason.contains("gradients");
    assert!(!records.iter().any(|record| record.reason.as_ref().is_some_and(has_no_gradients)), "{records:?}");
    let estimate = folder.run_well(&format!("{command} --dry-run -o nothing"));
    assert!(estimate.contains("32 examples") && !folder.path("nothing").exists(), "{estimate}");

    // Killed at any moment, it comes to the same.
    let weights = |name: &str| std::fs::read(folder.path(name).join("model.safetensors")).unwrap();
    let short = format!("{command} --epochs 3");
    folder.run_well(&format!("{short} -o short"));
    folder.kill_until_done(4, &short, |killed| assert!(weights(killed) == weights("short"), "{killed}"));
}

#[test]
fn a_t5_learns_to_write_captions() {
    let folder = Folder::new("t5-captions");
    folder.write("data.jsonl", captions(40));
    folder.write("test.jsonl", captions(8));
    let command = format!(
        "train --kind captions --task captioning --data data.jsonl --validation test.jsonl --max-target-tokens 16 --epochs 30 \
         --from {} {QUICK}",
        checkpoint("t5-relu-tied")
    );
    let told = folder.run_well(&format!("{command} -o out"));
    for words in ["hf:out", "40 pairs of a text and a program", "bleu"] {
        assert!(told.contains(words), "no {words:?} in\n{told}");
    }
    let evaluated = folder.run_well("evaluate --model hf:out --data test.jsonl --task captioning --json");
    let evaluated: Value = serde_json::from_str(&evaluated).unwrap();
    let measures = evaluated["measures"].as_array().unwrap();
    // The texts are too short for a BLEU of the whole, which wants four words in a row.
    let bleu = measures.iter().find(|own| own["measure"] == "sentence bleu").unwrap()["value"].as_f64().unwrap();
    assert!(bleu > 80.0, "{measures:?}");

    // Killed at any moment, it comes to the same.
    let weights = |name: &str| std::fs::read(folder.path(name).join("model.safetensors")).unwrap();
    let short = command.replace("--epochs 30", "--epochs 3");
    folder.run_well(&format!("{short} -o short"));
    folder.kill_until_done(4, &short, |killed| assert!(weights(killed) == weights("short"), "{killed}"));
}

#[test]
fn mistakes_are_told() {
    let folder = Folder::new("t5-mistakes");
    folder.write("classes.jsonl", classes(10));
    folder.write("captions.jsonl", captions(10));
    let [whole, encoder] = ["t5-classes", "t5-encoder"].map(checkpoint);
    let writes = "train --kind captions --task captioning --data captions.jsonl -o out";
    for (command, words) in [
        (
            format!("train --kind masked --data classes.jsonl --language c --from {whole} -o out"),
            "not trained to fill masks",
        ),
        (format!("{writes} --from {encoder}"), "there is no decoder"),
        (format!("{writes} --from {whole} --decoder-layers 9"), "2 layers, not 9"),
    ] {
        folder.run_badly(&command, 2, &[words]);
        let _ = std::fs::remove_dir_all(folder.path("out"));
    }
}
