//! `allotrope quantise` as a user types it: smaller files that answer nearly alike.

use std::path::Path;

use serde_json::Value;

use crate::folder::Folder;

#[test]
fn fewer_bits_are_a_smaller_model_that_answers_nearly_alike() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let student = format!("hf:{}", root.join("models/student-clone").display());
    let folder = Folder::new("quantised");
    let rows = (0..6).map(|number| {
        let code = |form: usize| format!("int f(int a) {{ int b = a * {number}; return b + {form}; }}");
        let row = serde_json::json!({"a": code(number % 2), "b": code(number), "same": number % 2});
        format!("{row}\n")
    });
    folder.write("pairs.jsonl", rows.collect::<String>());
    let shares = |model: &str| -> Vec<f64> {
        let data = "--data pairs.jsonl --language java --task clone --code a --code2 b --label same";
        folder.run_well(&format!("evaluate --model {model} {data} --predictions said.jsonl"));
        let line = |line: &str| serde_json::from_str::<Value>(line).unwrap()["probabilities"][1].as_f64().unwrap();
        folder.read("said.jsonl").lines().map(line).collect()
    };
    let original = shares(&student);
    let far = |model: &str, other: &[f64]| {
        shares(model).iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max)
    };
    let mut sizes = Vec::new();
    for bits in ["8", "4"] {
        let said = folder.run_well(&format!("quantise --model {student} --bits {bits} -o bits-{bits} --json"));
        let said: Value = serde_json::from_str(&said).unwrap();
        let bytes = folder.path(&format!("bits-{bits}/model.safetensors")).metadata().unwrap().len();
        assert_eq!(said["bytes"]["now"].as_u64(), Some(bytes));
        sizes.push(bytes as f64 / said["bytes"]["before"].as_f64().unwrap());
        // It runs at about its size, and not at that of numbers with 32 bits.
        let loaded = said["bytes"]["loaded"].as_f64().unwrap();
        assert!(loaded < 1.05 * bytes as f64, "{said}");
    }
    assert!(sizes[0] < 0.55 && sizes[1] < 0.3, "{sizes:?}");
    // What was written is what rounding does while a checkpoint is read.
    assert_eq!(far("hf:bits-8", &shares(&format!("{student}?weights=int8"))), 0.0);
    assert!(far("hf:bits-8", &original) < 0.05 && far("hf:bits-4", &original) < 0.4);
    assert!(folder.run_well("quantise --model hf:bits-8 --bits 4 -o again").contains("hf:again"));
    for (arguments, status, words) in [
        (format!("quantise --model {student} --bits 4 -o bits-4"), 2, "not empty"),
        (format!("quantise --model {student} --bits 5 -o out"), 2, "--bits"),
        ("quantise --model builtin:problems --bits 4 -o out".to_owned(), 2, "hf:DIR"),
        ("quantise --model hf:nowhere --bits 4 -o out".to_owned(), 3, "nowhere"),
    ] {
        folder.run_badly(&arguments, status, &[words]);
    }
}

#[test]
fn models_of_names_have_fewer_bits_as_well() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let namer = format!("code2vec:{}", root.join("models/code2vec-jdk").display());
    let folder = Folder::new("quantised-names");
    let row = |(name, code): (&str, &str)| serde_json::json!({"name": name, "code": code}).to_string() + "\n";
    let methods = [
        ("isEmpty", "public boolean isEmpty() { return count == 0; }"),
        ("setName", "public void setName(String name) { this.name = name; }"),
    ];
    folder.write("methods.jsonl", methods.map(row).concat());
    let said: Value =
        serde_json::from_str(&folder.run_well(&format!("quantise --model {namer} --bits 4 -o few --json"))).unwrap();
    assert_eq!(said["model"], "code2vec:few");
    let bytes = |name: &str| said["bytes"][name].as_u64().unwrap();
    assert!(bytes("now") < bytes("before") && bytes("now") < 1_500_000, "{said}");
    // They are looked up with 32 bits.
    assert!(bytes("loaded") > 4 * 2_000_000, "{said}");
    let told =
        folder.run_well("evaluate --model code2vec:few --data methods.jsonl --task method-name --language java --json");
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["measures"][0]["value"], 1.0, "{told}");
}
