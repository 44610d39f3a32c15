//! Compares `onnx:` on Magika's own model with the package magika, over programs of five languages and texts that are hardly any.
//!
//! Usage: `ORT_DYLIB_PATH=…/libonnxruntime.so.X cargo run -p allotrope-model --features onnxruntime --example magika -- PYTHON`, where
//! PYTHON is an interpreter that has the package (`pip install magika==1.0.3`). Labels must be the same, scores within 1e-5, and both must
//! refuse the same texts; otherwise the status is 1. The programs come from the folder that ALLOTROPE_DATA names.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use model::{Code, Fault, Input, Prediction};
use serde_json::Value;
use syntax::Language;

/// Where programs are: their language, the file, the field, and how many are taken, evenly spaced.
const PROGRAMS: [(Language, &str, &str, usize); 8] = [
    (Language::C, "devign/test.jsonl.gz", "func", 50),
    (Language::C, "the-algorithms/c.jsonl.gz", "code", 50),
    (Language::Cpp, "gcj2017-cpp/programs.jsonl.gz", "code", 100),
    (Language::Java, "bigclonebench/functions.jsonl.gz", "func", 50),
    (Language::Java, "the-algorithms/java.jsonl.gz", "code", 50),
    (Language::JavaScript, "the-algorithms/javascript.jsonl.gz", "code", 100),
    (Language::Python, "gcj-python-authorship/train.jsonl.gz", "code", 50),
    (Language::Python, "the-algorithms/python.jsonl.gz", "code", 50),
];

/// How far apart two scores may be.
const TOLERANCE: f64 = 1e-5;

/// The texts of one row of the table.
struct Group {
    name: String,
    inputs: Vec<Input>,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let python = std::env::args().nth(1).ok_or("name a Python interpreter that has the package magika")?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = std::env::var_os("ALLOTROPE_DATA").map_or_else(|| root.join("../shared/data"), PathBuf::from);
    if !data.is_dir() {
        return Err(
            format!("{} is not a folder: name that of the data sets with ALLOTROPE_DATA", data.display()).into()
        );
    }
    let mut groups = Vec::new();
    for (language, file, field, count) in PROGRAMS {
        let inputs = programs(&data.join(file), field, count)?.into_iter().map(|text| input(language, text)).collect();
        groups.push(Group { name: format!("{}, {file}", language.name()), inputs });
    }
    groups.push(Group { name: "hardly any text".to_owned(), inputs: hardly_any() });

    let texts: Vec<&str> =
        groups.iter().flat_map(|group| &group.inputs).map(|input| &*input.programs()[0].text).collect();
    let script = root.join("crates/model/parity/magika_answers.py");
    let (file, expected) = package(&python, &script, &texts)?;
    let settings = root.join("fixtures/checkpoints/magika.toml");
    let labels = toml::from_str::<toml::Table>(&std::fs::read_to_string(&settings)?)?["labels"].clone();
    let labels: Vec<String> = labels.try_into()?;
    let model = model::open(&format!("onnx:{file}?settings={}", settings.display()))?;

    println!("| texts | number | refused by both | same label | largest difference of scores |");
    println!("|---|---:|---:|---:|---:|");
    let (mut disagreements, mut expected) = (0, expected.into_iter());
    let mut seconds = 0.0;
    for group in &groups {
        let started = Instant::now();
        let answers = model.predict(&group.inputs);
        seconds += started.elapsed().as_secs_f64();
        let (mut refused, mut same, mut largest) = (0, 0, 0.0f64);
        for (answer, expected) in answers.into_iter().zip(expected.by_ref()) {
            match (answer.map(|answer| answer.prediction), expected) {
                (Err(Fault::Failed(_)), None) => refused += 1,
                (Ok(Prediction::Classes(scores)), Some((label, score))) => {
                    let class = Prediction::Classes(scores.clone()).class().ok_or("no class")?;
                    let difference = (f64::from(scores[class]) - score).abs();
                    same += usize::from(labels[class] == label);
                    largest = largest.max(difference);
                    disagreements += usize::from(labels[class] != label || difference > TOLERANCE);
                }
                (answer, expected) => {
                    println!("we say {answer:?}, the package {expected:?}");
                    disagreements += 1;
                }
            }
        }
        println!("| {} | {} | {refused} | {same} | {largest:.1e} |", group.name, group.inputs.len());
    }
    println!("\n{disagreements} disagreements; {:.1} texts a second", texts.len() as f64 / seconds);
    Ok(if disagreements == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn input(language: Language, text: String) -> Input {
    Input::Code(Code { language, text })
}

/// Texts at the borders of what the model is asked about.
fn hardly_any() -> Vec<Input> {
    let blanks = |count: usize, text: &str| format!("{}{text}", " \t\n\r\x0b\x0c".repeat(count));
    let program = "int main(void) { return 0; }\n";
    let texts = [
        String::new(),
        "int f;".to_owned(),
        "int f();".to_owned(),
        "int f()".to_owned(),
        "  int f()".to_owned(),
        "\u{1f600}\u{1f600}".to_owned(),
        "\u{0}\u{1}\u{2}\u{1f}\u{85}\u{a0}x".to_owned(),
        blanks(10, ""),
        blanks(10, program),
        blanks(600, program),
        // The block of 4,096 bytes ends with the first seven, or eight, bytes of the program.
        format!("{}{}", " ".repeat(4089), program.repeat(400)),
        format!("{}{}", " ".repeat(4088), program.repeat(400)),
        format!("{}{}", " ".repeat(5000), program.repeat(400)),
        format!("{}{}", program.repeat(400), " ".repeat(5000)),
        program.repeat(36),
        program.repeat(37),
        program.repeat(70),
        program.repeat(142),
        program.repeat(10_000),
    ];
    texts.into_iter().map(|text| input(Language::C, text)).collect()
}

/// Programs of a data set, evenly spaced.
fn programs(file: &Path, field: &str, count: usize) -> Result<Vec<String>, Box<dyn Error>> {
    let mut text = String::new();
    let opened = std::fs::File::open(file).map_err(|error| format!("failed to read {}: {error}", file.display()))?;
    flate2::read::GzDecoder::new(opened).read_to_string(&mut text)?;
    let lines: Vec<&str> = text.lines().collect();
    let mut programs = Vec::new();
    for place in 0..count {
        let row: Value = serde_json::from_str(lines[place * lines.len() / count])?;
        programs.push(row[field].as_str().ok_or_else(|| format!("{}: no `{field}`", file.display()))?.to_owned());
    }
    Ok(programs)
}

/// A label and its score, where the package asks its model.
type Expected = Option<(String, f64)>;

/// The path of the package's model, and what the package says about texts.
fn package(python: &str, script: &Path, texts: &[&str]) -> Result<(String, Vec<Expected>), Box<dyn Error>> {
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("failed to run {python}: {error}"))?;
    let mut questions = child.stdin.take().ok_or("no input")?;
    let lines: Vec<u8> = texts.iter().flat_map(|text| format!("{}\n", Value::from(*text)).into_bytes()).collect();
    let writer = std::thread::spawn(move || questions.write_all(&lines));
    let mut answers = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
    let file: String = serde_json::from_str(&answers.next().ok_or("the package did not start")??)?;
    let mut expected = Vec::new();
    for line in answers {
        expected.push(serde_json::from_str(&line?)?);
    }
    writer.join().map_err(|_| "the questions were not written")??;
    match child.wait()?.success() && expected.len() == texts.len() {
        true => Ok((file, expected)),
        false => Err(format!("the package answered {} of {} texts", expected.len(), texts.len()).into()),
    }
}
