//! `allotrope train --kind captions` as a user types it: texts that are learned by heart, killed and resumed, and with mistakes.

use serde_json::{Value, json};

use crate::folder::Folder;

const SIZE: &str =
    "--layers 1 --hidden 64 --heads 4 --vocabulary 500 --max-tokens 40 --decoder-layers 1 --max-target-tokens 16";

fn row(number: usize) -> String {
    let thing = ["size", "name", "owner", "color", "parent"][number % 5];
    let (doc, code) = match number / 5 % 2 {
        0 => (format!("Returns the {thing} of this element."), format!("int get{number}() {{ return this.{thing}; }}")),
        _ => (format!("Sets the {thing}."), format!("void set{number}(int value) {{ this.{thing} = value; }}")),
    };
    json!({"path": format!("P{number}.java"), "name": thing, "doc": doc, "code": code, "language": "java"}).to_string()
        + "\n"
}

fn data(folder: &Folder) {
    let empty = json!({"path": "E.java", "name": "e", "doc": " ", "code": "int e() { return 0; }", "language": "java"});
    folder.write("train.jsonl", (0..80).map(row).chain([format!("{empty}\n")]).collect::<String>());
    folder.write("test.jsonl", (80..100).map(row).collect::<String>());
}

#[test]
fn from_methods_to_captions() {
    let folder = Folder::new("captions");
    data(&folder);
    let command = format!(
        "train --kind captions --task captioning --data train.jsonl --validation test.jsonl --learning-rate 0.002 --warm-up 20 \
         --batch-tokens 300 --dropout 0 --checkpoint-every 7 --seed 3 {SIZE}"
    );
    let told = folder.run(&format!("{command} --epochs 50 -o whole"));
    assert!(told.status.success(), "{told:?}");
    let (text, notes) = (String::from_utf8_lossy(&told.stdout), String::from_utf8_lossy(&told.stderr));
    for words in ["hf:whole", "80 pairs of a text and a program", "bleu", "rouge-l"] {
        assert!(text.contains(words), "no {words:?} in\n{text}");
    }
    assert!(notes.contains("`doc` is empty"), "{notes}");
    let evaluated = folder.run_well("evaluate --model hf:whole --data test.jsonl --task captioning --json");
    let evaluated: Value = serde_json::from_str(&evaluated).unwrap();
    let measures = evaluated["measures"].as_array().unwrap();
    let of = |name: &str| measures.iter().find(|own| own["measure"] == name).unwrap()["value"].as_f64().unwrap();
    assert!(of("bleu") > 80.0 && of("rouge-l") > 0.8, "{measures:?}");
    assert!(folder.run_well("list models").contains("captions"));

    // LAMPION's grid, with both kinds of names as treatments of one run.
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let plan = std::fs::read_to_string(root.join("campaigns/lampion-captions.toml")).unwrap();
    let plan = plan.replace("hf:captions", "hf:whole").replace("sample = 300", "sample = 4");
    let own = plan.replace("$ALLOTROPE_DATA/jdk17-methods", "test.jsonl").replace("split = \"test\"\n", "");
    assert_ne!(own, plan);
    folder.write("plan.toml", own);
    let told = folder.run_well("run plan.toml -o lampion");
    for words in
        ["add-unused-variable@letters", "add-unused-variable@pseudo", "rename-local+rename-parameter@letters", "ranks"]
    {
        assert!(told.contains(words), "no {words:?} in\n{told}");
    }

    // Killed at any moment, it comes to the same.
    let weights = |name: &str| std::fs::read(folder.path(name).join("model.safetensors")).unwrap();
    let short = format!("{command} --epochs 4");
    folder.run_well(&format!("{short} -o short"));
    folder.kill_until_done(4, &short, |killed| assert!(weights(killed) == weights("short"), "{killed}"));

    // An encoder that was trained for something else gives its weights and its vocabulary, and is estimated.
    let begin = "train --kind masked --data train.jsonl --steps 2 --layers 1 --hidden 32 --heads 2 --vocabulary 500 --max-tokens 40 -o begun";
    folder.run_well(begin);
    let further = "train --kind captions --task documentation --data train.jsonl --held-out 0 --steps 2 --from hf:begun \
                   --max-target-tokens 16 -o further";
    let told = folder.run(further);
    assert!(String::from_utf8_lossy(&told.stderr).contains("the head begins with random weights"), "{told:?}");
    let tokenizer = |name: &str| std::fs::read(folder.path(name).join("tokenizer.json")).unwrap();
    assert_eq!(tokenizer("further"), tokenizer("begun"));
    let estimate = folder.run_well(&format!("{command} --dry-run -o nothing"));
    assert!(estimate.contains("80 examples") && !folder.path("nothing").exists(), "{estimate}");
}

#[test]
fn mistakes_are_told() {
    let folder = Folder::new("captions-mistakes");
    data(&folder);
    folder.write("classes.jsonl", "{\"code\": \"int x;\", \"label\": \"a\", \"language\": \"c\"}\n".repeat(9));
    let begin = "train --kind captions --task captioning --data train.jsonl -o out";
    for (command, status, words) in [
        ("train --kind captions --data train.jsonl -o out", 2, "use --task captioning"),
        ("train --kind captions --data classes.jsonl --language c -o out", 2, "use --task captioning"),
        ("train --kind masked --data train.jsonl --decoder-layers 2 -o out", 2, "use --kind captions"),
        (&format!("{begin} --max-target-tokens 2"), 2, "3..=65536"),
        (&format!("{begin} --max-tokens 20 --max-target-tokens 40"), 2, "fewer than 40"),
        (&format!("{begin} --positions relative-key"), 2, "absolute positions"),
        (&format!("{begin} --from hf:nowhere"), 3, "nowhere"),
    ] {
        folder.run_badly(command, status, &[words]);
    }
}
