//! The published students, on a part of the public test sets (with `./test --all`, on all of them): the answers that PyTorch gave, and the accuracy of the papers.
//!
//! The students of CodeBERT come with the logits that PyTorch computed for them. Those of GraphCodeBERT take the data flow as input,
//! and are compared with the accuracy that was published (Shi et al., ASE 2022): 93.9 % and 60.3 %.
//!
//! The students of AVATAR come without logits. Those of CodeBERT are compared with the accuracy that transformers has with the same
//! settings; those of GraphCodeBERT with what was measured here, and where predictions were published, with the share of them that
//! was measured to be the same.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use model::{Code, Input, Prediction};
use syntax::Language;
use testbed::Part;

#[test]
fn codebert_finds_clones_as_in_pytorch() {
    let Some(data) = testbed::data() else { return };
    let accuracy = accuracy(&data, "compressor-codebert-clone", &pairs(&data));
    check(accuracy, 95.37, 0.05);
}

#[test]
fn codebert_finds_vulnerabilities_as_in_pytorch() {
    let Some(data) = testbed::data() else { return };
    let accuracy = accuracy(&data, "compressor-codebert-vulnerability", &functions(&data));
    check(accuracy, 59.44, 0.05);
}

#[test]
fn graphcodebert_finds_clones_as_published() {
    let Some(data) = testbed::data() else { return };
    let accuracy = accuracy(&data, "compressor-graphcodebert-clone", &pairs(&data));
    check(accuracy, 93.9, 0.4);
}

#[test]
fn graphcodebert_finds_vulnerabilities_as_published() {
    let Some(data) = testbed::data() else { return };
    let accuracy = accuracy(&data, "compressor-graphcodebert-vulnerability", &functions(&data));
    check(accuracy, 60.3, 0.7);
}

#[test]
fn avatar_codebert_finds_clones_as_in_transformers() {
    let Some(data) = testbed::data() else { return };
    let accuracy = accuracy(&data, "avatar-codebert-clone", &pairs(&data));
    check(accuracy, 91.47, 0.05);
}

#[test]
fn avatar_codebert_finds_vulnerabilities_as_in_transformers() {
    let Some(data) = testbed::data() else { return };
    let accuracy = accuracy(&data, "avatar-codebert-vulnerability", &functions(&data));
    check(accuracy, 61.46, 0.05);
}

#[test]
fn avatar_graphcodebert_finds_clones_as_measured() {
    let Some(data) = testbed::data() else { return };
    let accuracy = accuracy(&data, "avatar-graphcodebert-clone", &pairs(&data));
    check(accuracy, 91.17, 0.05);
}

#[test]
fn avatar_graphcodebert_agrees_with_most_published_predictions() {
    let Some(data) = testbed::data() else { return };
    let name = "avatar-graphcodebert-vulnerability";
    let examples = functions(&data);
    let answers = answers(&data, name, &examples);
    check(share_of_right(name, &answers, &examples), 59.70, 0.05);
    let published = std::fs::read_to_string(data.join("students").join(name).join("predictions.txt")).unwrap();
    let published: HashMap<&str, bool> =
        published.lines().filter_map(|line| line.split_once('\t')).map(|(idx, class)| (idx, class == "1")).collect();
    let same =
        answers.iter().zip(&examples).filter(|(answer, it)| (answer[1] > 0.5) == published[&*it.keys[0]]).count();
    check((100.0 * same as f64 / examples.len() as f64, examples.len()), 88.43, 0.05);
}

/// Is an accuracy in per cent, of so many examples, the expected one? That of a part varies by chance: four standard deviations.
fn check((accuracy, examples): (f64, usize), expected: f64, tolerance: f64) {
    let chance = match Part::of_this_run() {
        Part::All => 0.0,
        Part::One { .. } => 4.0 * (expected * (100.0 - expected) / examples as f64).sqrt(),
    };
    assert!((accuracy - expected).abs() < tolerance + chance, "{accuracy}");
}

/// The accuracy of a student in per cent, and of how many examples. Where its folder has the answers of PyTorch for the same input, they are compared.
fn accuracy(data: &Path, name: &str, examples: &[Example]) -> (f64, usize) {
    let answers = answers(data, name, examples);
    if name.starts_with("compressor-codebert") {
        let answers: HashMap<&[String], &Vec<f32>> =
            examples.iter().map(|example| example.keys.as_slice()).zip(&answers).collect();
        let expected = lines(&data.join("students").join(name).join("expected_test.jsonl.gz"));
        let mut compared = 0;
        for row in expected {
            let keys: Vec<String> = ["idx", "id1", "id2"].iter().filter_map(|key| row.get(key)).map(key).collect();
            let Some(probabilities) = answers.get(keys.as_slice()) else { continue };
            compared += 1;
            let logits: Vec<f64> = row["logits"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
            let second = 1.0 / (1.0 + (logits[0] - logits[1]).exp());
            let expected = if name.ends_with("vulnerability") { 1.0 - second } else { second };
            assert!((probabilities[1] as f64 - expected).abs() < 1e-4, "{probabilities:?}, not {expected}: {row}");
        }
        assert_eq!(compared, answers.len(), "PyTorch answered about every example");
    }
    share_of_right(name, &answers, examples)
}

/// The probabilities of the classes that a student gives.
fn answers(data: &Path, name: &str, examples: &[Example]) -> Vec<Vec<f32>> {
    let folder = data.join("students").join(name);
    let settings = name.strip_prefix("compressor-").unwrap_or(name);
    let settings = root().join(format!("fixtures/checkpoints/students/{settings}.toml"));
    let model = model::open(&format!("hf:{}?settings={}", folder.display(), settings.display())).unwrap();
    let inputs: Vec<Input> = examples.iter().map(|example| example.input.clone()).collect();
    model
        .predict(&inputs)
        .into_iter()
        .map(|answer| match answer.unwrap().prediction {
            Prediction::Classes(probabilities) => probabilities,
            other => panic!("no classes, but {other:?}"),
        })
        .collect()
}

/// The share of right answers in per cent, and of how many examples.
fn share_of_right(name: &str, answers: &[Vec<f32>], examples: &[Example]) -> (f64, usize) {
    let right =
        answers.iter().zip(examples).filter(|(answer, example)| (answer[1] > 0.5) == (example.truth == 1)).count();
    let accuracy = 100.0 * right as f64 / examples.len() as f64;
    println!("{name}: {right} of {}, {accuracy:.2} %", examples.len());
    (accuracy, examples.len())
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
    let part = Part::of_this_run();
    read.lines()
        .enumerate()
        .filter(|(number, _)| part.has(*number))
        .map(|(_, line)| {
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
    let part = Part::of_this_run();
    rows.iter().enumerate().filter(|(number, _)| part.has(*number)).map(|(_, row)| example(row)).collect()
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
