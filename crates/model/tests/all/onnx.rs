//! ONNX files: the answers of transformers, what cannot be used, and a library that is missing.
//!
//! Without the feature `onnxruntime` there is nothing to run a file with, and the test is that opening says so. With it, tests run
//! where ORT_DYLIB_PATH, or the system, has the library.

use std::path::{Path, PathBuf};
#[cfg(feature = "onnxruntime")]
use std::process::Command;

use model::{Code, Input, Model, Prediction};
use serde_json::Value;
use syntax::Language;

/// The file that `parity/export.py` made of a checkpoint.
const FILE: &str = "fixtures/checkpoints/parity/roberta-two/model.onnx";

#[test]
fn the_kind_is_listed_and_opening_says_what_to_build() {
    assert!(model::adapters::KINDS.iter().any(|kind| kind.name == "onnx"));
    if cfg!(not(feature = "onnxruntime")) {
        let error = open("").err().expect("there is no engine");
        assert!(error.contains("--features onnxruntime"), "{error}");
    }
}

#[test]
fn an_exported_classifier_answers_as_in_transformers() {
    let folder = root().join(FILE).parent().unwrap().to_owned();
    let read = |path: PathBuf| -> Value { serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap() };
    let expected = read(folder.join("expected.json"));
    let inputs: Vec<Input> = read(folder.with_file_name("inputs.json"))["programs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|program| input(program["text"].as_str().unwrap()))
        .collect();
    let checkpoint = model::open(&format!("hf:{}", folder.display())).unwrap();
    if !has_engine() {
        return;
    }
    let model = open("").unwrap();
    let answers = model.predict(&inputs);
    assert_eq!(answers.len(), expected["classes"].as_array().unwrap().len());
    let ours = checkpoint.predict(&inputs);
    for ((answer, ours), expected) in answers.iter().zip(ours).zip(expected["classes"].as_array().unwrap()) {
        let (answer, ours) = (answer.as_ref().unwrap(), ours.unwrap());
        for (probability, expected) in classes(&answer.prediction).iter().zip(expected.as_array().unwrap()) {
            assert!((f64::from(*probability) - expected.as_f64().unwrap()).abs() < 1e-5, "{answer:?}");
        }
        assert_eq!(answer.tokens, ours.tokens);
    }
    // An answer depends on its input alone.
    for (input, answer) in inputs.iter().zip(&answers) {
        assert_eq!(model.predict(std::slice::from_ref(input))[0], *answer);
    }
    assert_eq!(model.identity().digest, open("").unwrap().identity().digest);
    assert!(model.embed(&inputs).is_none());
    let pair = Input::Pair(code("int f();"), code("int g();"));
    let fault = model.predict(&[pair])[0].clone().unwrap_err().to_string();
    assert!(fault.contains("one program"), "{fault}");
}

#[test]
fn what_does_not_fit_the_graph_is_refused() {
    if !has_engine() {
        return;
    }
    for (settings, words) in [
        ("[tokens]\nids = \"tokens\"", "it has no input `tokens`, but `input_ids`, `attention_mask`"),
        ("[tokens]\nmask = \"mask\"", "its input `attention_mask` is not one of those that can be given"),
        ("output = \"scores\"", "it has no output `scores`: set `output` to one of `logits`"),
        ("labels = [\"a\", \"b\", \"c\"]", "2 classes, but `labels` names 3"),
        ("order = [0, 0]", "each of the 2 classes once"),
        ("[bytes]\nbeginning = 8\nend = 8\npadding = 256\nname = \"input_ids\"", "its input `attention_mask`"),
        ("[text]\nlimit = 100", "64 positions"),
    ] {
        let file = scratch(&format!("{}.toml", words.len()), settings.as_bytes());
        let error = open(&format!("?settings={}", file.display())).err().expect(words);
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn broken_files_are_refused() {
    let whole = std::fs::read(root().join(FILE)).unwrap();
    if !has_engine() {
        return;
    }
    // What is cut off is not a message any more; what is left of a message without its weights is one.
    for (name, bytes) in [("cut", &whole[..whole.len() / 2]), ("empty", &[]), ("graph", &[7 << 3 | 2, 0])] {
        let file = scratch(&format!("{name}.onnx"), bytes);
        let settings = scratch(&format!("{name}.toml"), b"[bytes]\nbeginning = 1\nend = 1\npadding = 0");
        let place = format!("onnx:{}?settings={}", file.display(), settings.display());
        let error = model::open(&place).err().expect(name).to_string();
        assert!(error.starts_with(&file.display().to_string()), "{error}");
    }
    let error = model::open("onnx:nowhere.onnx").err().expect("no file").to_string();
    assert!(error.contains("nowhere.onnx"), "{error}");
}

#[test]
fn other_settings_are_another_model() {
    if !has_engine() {
        return;
    }
    let digest = |name: &str, settings: &str| {
        let file = scratch(&format!("{name}.toml"), settings.as_bytes());
        let model = open(&format!("?settings={}", file.display())).unwrap();
        let answer = model.predict(&[input("int f();")])[0].clone().unwrap();
        (model.identity().digest.clone(), classes(&answer.prediction))
    };
    let (plain, answer) = digest("plain", "");
    let (swapped, other) = digest("swapped", "order = [1, 0]");
    assert_ne!(plain, swapped);
    assert_eq!(answer, [other[1], other[0]]);
}

/// The library is loaded once a process, so another process is asked: this test, in a child of itself.
#[test]
#[cfg(feature = "onnxruntime")]
fn a_missing_library_is_an_error_that_says_what_to_install() {
    const CHILD: &str = "ALLOTROPE_TEST_OF_A_MISSING_LIBRARY";
    if std::env::var_os(CHILD).is_some() {
        println!("{}", open("").err().expect("there is no library"));
        return;
    }
    let no_library = root().join("Cargo.toml");
    for path in [Path::new("/nowhere/libonnxruntime.so"), &no_library] {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture", "onnx::a_missing_library_is_an_error_that_says_what_to_install"])
            .env(CHILD, "1")
            .env("ORT_DYLIB_PATH", path)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains("pip install onnxruntime") && said.contains("ORT_DYLIB_PATH=…/"), "{said}");
        assert!(said.contains(&format!("ORT_DYLIB_PATH is {}", path.display())), "{said}");
    }
}

/// Has this build the feature, and this machine the library?
fn has_engine() -> bool {
    if cfg!(not(feature = "onnxruntime")) {
        println!("not tested: this is a build without the feature onnxruntime");
        return false;
    }
    match open("") {
        Err(error) if error.contains("cannot be loaded (ORT_DYLIB_PATH") => {
            println!("not tested: {error}");
            false
        }
        _ => true,
    }
}

fn open(parameters: &str) -> Result<Box<dyn Model>, String> {
    model::open(&format!("onnx:{}{parameters}", root().join(FILE).display())).map_err(|error| error.to_string())
}

fn scratch(name: &str, content: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("onnx");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), content).unwrap();
    folder.join(name)
}

fn code(text: &str) -> Code {
    Code { language: Language::Java, text: text.to_owned() }
}

fn input(text: &str) -> Input {
    Input::Code(code(text))
}

fn classes(prediction: &Prediction) -> Vec<f32> {
    match prediction {
        Prediction::Classes(probabilities) => probabilities.clone(),
        other => panic!("no classes, but {other:?}"),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
