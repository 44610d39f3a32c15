//! The models in `models/`, which this program trained: they answer, they can be attacked, and they score what their table says.

use std::path::PathBuf;

use serde_json::Value;

use crate::folder::Folder;

fn model(name: &str) -> String {
    let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models").canonicalize().unwrap();
    models.join(name).display().to_string()
}

fn student(name: &str) -> String {
    format!("hf:{}", model(name))
}

/// Functions that copy, with and without a limit.
fn rows() -> String {
    let row = |number: usize| {
        let code = match number % 2 {
            0 => format!(
                "static int copy{number}(char *target, const char *source, int size)\n{{\n    int at;\n    for (at = 0; at < size - 1 && source[at]; at++)\n        target[at] = source[at];\n    target[at] = 0;\n    return at;\n}}\n"
            ),
            _ => format!(
                "static void read{number}(Stream *stream, uint8_t *buffer)\n{{\n    int length = get_length(stream);\n    memcpy(buffer, stream->data, length);\n    stream->data += length;\n}}\n"
            ),
        };
        format!("{}\n", serde_json::json!({"idx": number, "target": number % 2, "func": code}))
    };
    (0..6).map(row).collect()
}

#[test]
fn a_student_can_be_attacked_without_any_other_file() {
    let folder = Folder::new("students");
    folder.write("data.jsonl", rows());
    let model = student("student-vulnerability");
    let attack = |options: &str| {
        folder.run_well(&format!("attack --model {model} --data data.jsonl --language c {options}"));
    };
    // The rate of valid successes of every attack, and how far its confidence fell.
    let rates = |run: &str| -> Vec<(String, f64, f64)> {
        let compared: Value = serde_json::from_str(&folder.run_well(&format!("compare {run} --json"))).unwrap();
        let rate = |column: &Value| {
            let lines = column["measures"]["lines"].as_array().unwrap();
            let value =
                |name: &str| lines.iter().find(|line| line["measure"] == name).unwrap()["value"].as_f64().unwrap();
            let name = column["column"].as_str().unwrap().to_owned();
            (name, value("attack success rate, valid"), value("confidence decrement"))
        };
        compared["columns"].as_array().unwrap().iter().map(rate).collect()
    };
    attack("--attack beam --budget 60 -o run");
    let [(name, rate, decrement)] = &rates("run")[..] else { panic!("one attack ran") };
    assert!(name == "beam" && *rate > 0.9 && *decrement > 0.1, "{rate} {decrement}");
    folder.run_well("report run -o report.html");
    // The student sees every run of blanks as one, so that layout alone is nothing to it.
    attack(
        "--attack random-k --transform change-whitespace:indentation,change-whitespace:blank-line-add --set random-k.rewrites=5 -o control",
    );
    assert_eq!(rates("control"), [("random-k".to_owned(), 0.0, 0.0)]);
}

/// The counts are of the commit that added the weights; another order of sums could change one.
#[test]
fn students_score_what_their_table_says() {
    let Some(data) = testbed::data() else { return };
    let folder = Folder::new("student-scores");
    for (name, set, right) in [
        ("student-vulnerability", "devign --split test", 79.0),
        ("student-clone", "bigclonebench --split test", 115.0),
        ("distilled-vulnerability", "devign --split test", 75.0),
        ("distilled-clone", "bigclonebench --split test", 116.0),
        // The data set has no parts, so that most of these programs are of its training.
        ("distilled-functionality", "poj104", 118.0),
    ] {
        let command =
            format!("evaluate --model {} --data {}/{set} --sample 120 --seed 3 --json", student(name), data.display());
        let told: Value = serde_json::from_str(&folder.run_well(&command)).unwrap();
        let found = told["measures"][0]["value"].as_f64().unwrap() * 120.0;
        assert!((found - right).abs() < 0.5, "{name}: {found} of 120 right, not {right}");
    }
}

#[test]
fn methods_are_named_and_rewrites_change_the_names() {
    let folder = Folder::new("code2vec-jdk");
    let methods = [
        ("isEmpty", "public boolean isEmpty() { return count == 0; }"),
        ("setName", "public void setName(String name) { this.name = name; }"),
        (
            "contains",
            "public boolean contains(Object o) { for (Object item : items) { if (item.equals(o)) { return true; } } return false; }",
        ),
    ];
    let row = |(name, code): &(&str, &str)| format!("{}\n", serde_json::json!({"name": name, "code": code}));
    folder.write("methods.jsonl", methods.iter().map(row).collect::<String>());
    let namer = model("code2vec-jdk");
    let evaluate = format!("evaluate --model code2vec:{namer} --data methods.jsonl --task method-name --language java");
    let told: Value = serde_json::from_str(&folder.run_well(&format!("{evaluate} --json"))).unwrap();
    assert_eq!(told["measures"][0]["value"], 1.0, "{told}");
    // Not the names alone but their words count: the attack ends when most of them are lost.
    folder.run_well(&format!(
        "attack --model code2vec:{namer} --data methods.jsonl --task method-name --language java --attack beam --budget 200 \
         --measure f1 --below 0.5 -o run"
    ));
    let compared: Value = serde_json::from_str(&folder.run_well("compare run --json")).unwrap();
    let lines = compared["columns"][0]["measures"]["lines"].as_array().unwrap();
    let rate = lines.iter().find(|line| line["measure"] == "attack success rate, valid").unwrap();
    assert!(rate["value"].as_f64().unwrap() > 0.0, "{compared}");
}
