//! The published students, on the whole public test sets: the answers that PyTorch gave, and the accuracy of the papers.
//!
//! The students of CodeBERT come with the logits that PyTorch computed for them. Those of GraphCodeBERT take the data flow as input,
//! and are compared with the accuracy that was published (Shi et al., ASE 2022): 93.9 % and 60.3 %.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use model::{Code, Input, Prediction};
use syntax::Language;

#[test]
fn codebert_finds_clones_as_in_pytorch() {
    let Some(data) = data() else { return };
    let accuracy = accuracy(&data, "codebert-clone", &pairs(&data));
    assert!((accuracy - 95.37).abs() < 0.05, "{accuracy}");
}

#[test]
fn codebert_finds_vulnerabilities_as_in_pytorch() {
    let Some(data) = data() else { return };
    let accuracy = accuracy(&data, "codebert-vulnerability", &functions(&data));
    assert!((accuracy - 59.44).abs() < 0.05, "{accuracy}");
}

#[test]
fn graphcodebert_finds_clones_as_published() {
    let Some(data) = data() else { return };
    let accuracy = accuracy(&data, "graphcodebert-clone", &pairs(&data));
    assert!((accuracy - 93.9).abs() < 0.4, "{accuracy}");
}

#[test]
fn graphcodebert_finds_vulnerabilities_as_published() {
    let Some(data) = data() else { return };
    let accuracy = accuracy(&data, "graphcodebert-vulnerability", &functions(&data));
    assert!((accuracy - 60.3).abs() < 0.7, "{accuracy}");
}

/// The accuracy of a student in per cent. Where its folder has the answers of PyTorch for the same input, they are compared.
fn accuracy(data: &Path, name: &str, examples: &[Example]) -> f64 {
    let folder = data.join("students").join(format!("compressor-{name}"));
    let settings = root().join(format!("fixtures/checkpoints/students/{name}.toml"));
    let model = model::open(&format!("hf:{}?settings={}", folder.display(), settings.display())).unwrap();
    let inputs: Vec<Input> = examples.iter().map(|example| example.input.clone()).collect();
    let answers: Vec<Vec<f32>> = model
        .predict(&inputs)
        .into_iter()
        .map(|answer| match answer.unwrap().prediction {
            Prediction::Classes(probabilities) => probabilities,
            other => panic!("no classes, but {other:?}"),
        })
        .collect();
    if name.starts_with("codebert") {
        let answers: HashMap<&[String], &Vec<f32>> =
            examples.iter().map(|example| example.keys.as_slice()).zip(&answers).collect();
        let expected = lines(&folder.join("expected_test.jsonl.gz"));
        assert_eq!(expected.len(), answers.len());
        for row in expected {
            let keys: Vec<String> = ["idx", "id1", "id2"].iter().filter_map(|key| row.get(key)).map(key).collect();
            let probabilities = answers[keys.as_slice()];
            let logits: Vec<f64> = row["logits"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
            let second = 1.0 / (1.0 + (logits[0] - logits[1]).exp());
            let expected = if name.ends_with("vulnerability") { 1.0 - second } else { second };
            assert!((probabilities[1] as f64 - expected).abs() < 1e-4, "{probabilities:?}, not {expected}: {row}");
        }
    }
    let right =
        answers.iter().zip(examples).filter(|(answer, example)| (answer[1] > 0.5) == (example.truth == 1)).count();
    let accuracy = 100.0 * right as f64 / examples.len() as f64;
    println!("{name}: {right} of {}, {accuracy:.2} %", examples.len());
    accuracy
}

/// An input with the keys that identify it, and its class.
struct Example {
    keys: Vec<String>,
    input: Input,
    truth: usize,
}

fn key(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn pairs(data: &Path) -> Vec<Example> {
    let rows = lines(&data.join("bigclonebench/functions.jsonl.gz"));
    let functions: HashMap<String, &str> =
        rows.iter().map(|row| (key(&row["idx"]), row["func"].as_str().unwrap())).collect();
    let code = |id: &str| Code { language: Language::Java, text: functions[id].to_owned() };
    let read = text(&data.join("bigclonebench/test.txt.gz"));
    read.lines()
        .map(|line| {
            let [one, other, label] = line.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{line}") };
            let keys = vec![one.to_owned(), other.to_owned()];
            Example { keys, input: Input::Pair(code(one), code(other)), truth: label.parse().unwrap() }
        })
        .collect()
}

fn functions(data: &Path) -> Vec<Example> {
    let rows = lines(&data.join("devign/test.jsonl.gz"));
    let example = |row: &serde_json::Value| {
        let text = row["func"].as_str().unwrap().to_owned();
        let truth = row["target"].as_u64().unwrap() as usize;
        Example { keys: vec![key(&row["idx"])], input: Input::Code(Code { language: Language::C, text }), truth }
    };
    rows.iter().map(example).collect()
}

fn lines(path: &Path) -> Vec<serde_json::Value> {
    text(path).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text(path: &Path) -> String {
    let mut text = String::new();
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder with the data sets; a line and nothing where it is absent.
fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("ALLOTROPE_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: there are no data sets at {}; set ALLOTROPE_DATA", folder.display());
        return None;
    }
    Some(folder)
}
