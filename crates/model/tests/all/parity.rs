//! The same answers as transformers: small random checkpoints of every kind, with what PyTorch computed for the same inputs.
//!
//! `parity/make.py` made them, and `parity/relative.py` the one with relative positions. The inputs are code in five languages, and what breaks tokenizers: nothing, blanks, text far beyond the
//! limit, unusual characters, and special tokens written out. Numbers must agree within 1e-4, and texts exactly. Where a file has the
//! tokens that transformers made, their number must be the same; what they are is compared beside the vocabulary.

use std::path::PathBuf;

use model::{Answer, Code, Input, Prediction};
use serde_json::Value;
use syntax::Language;

/// A checkpoint with the file of settings in its folder, the list of inputs, and where the answers stand in `expected.json`.
struct Case(&'static str, &'static str, &'static str, &'static str);

const CASES: &[Case] = &[
    Case("roberta-one", "", "programs", "/classes"),
    Case("roberta-two", "", "programs", "/classes"),
    Case("roberta-five", "", "programs", "/classes"),
    Case("roberta-pair", "", "pairs", "/classes"),
    Case("roberta-pair-parts", "", "pairs", "/classes"),
    Case("roberta-embedding", "first.toml", "programs", "/first"),
    Case("roberta-embedding", "mean.toml", "programs", "/mean"),
    Case("roberta-embedding", "pooler.toml", "programs", "/pooler"),
    Case("../relative", "", "programs", "/classes"),
    Case("t5-encoder", "", "programs", "/mean"),
    Case("t5-encoder", "first.toml", "programs", "/first"),
    Case("t5-encoder", "mean.toml", "programs", "/mean"),
    Case("t5-classes", "", "programs", "/classes"),
    Case("t5-relu-tied", "", "programs", "/texts/as-stated"),
    Case("t5-relu-tied", "greedy.toml", "programs", "/texts/greedy"),
    Case("t5-relu-tied", "long.toml", "programs", "/texts/long"),
    Case("t5-relu-tied", "short.toml", "programs", "/texts/short"),
    Case("t5-relu-untied", "", "programs", "/texts/as-stated"),
    Case("t5-relu-untied", "greedy.toml", "programs", "/texts/greedy"),
    Case("t5-relu-untied", "long.toml", "programs", "/texts/long"),
    Case("t5-relu-untied", "short.toml", "programs", "/texts/short"),
    Case("t5-gated-tied", "", "programs", "/texts/as-stated"),
    Case("t5-gated-tied", "greedy.toml", "programs", "/texts/greedy"),
    Case("t5-gated-tied", "long.toml", "programs", "/texts/long"),
    Case("t5-gated-tied", "short.toml", "programs", "/texts/short"),
    Case("t5-gated-untied", "", "programs", "/texts/as-stated"),
    Case("t5-gated-untied", "greedy.toml", "programs", "/texts/greedy"),
    Case("t5-gated-untied", "long.toml", "programs", "/texts/long"),
    Case("t5-gated-untied", "short.toml", "programs", "/texts/short"),
];

#[test]
fn roberta_answers_as_in_transformers() {
    CASES.iter().filter(|case| !case.0.starts_with("t5")).for_each(check);
}

#[test]
fn masks_are_filled_as_in_transformers() {
    let model = open("roberta-masked", "");
    let expected = read("roberta-masked/expected.json");
    let inputs = inputs("masked");
    let texts: Vec<&str> = inputs.iter().map(|(_, input)| input.programs()[0].text.as_str()).collect();
    let filled = model.fill_masks(&texts, 5).unwrap();
    assert_eq!(filled.len(), expected["masked"].as_array().unwrap().len());
    let mut masks = 0;
    for ((text, filled), expected) in texts.iter().zip(filled).zip(expected["masked"].as_array().unwrap()) {
        let (filled, expected) = (filled.unwrap(), expected.as_array().unwrap());
        assert_eq!(filled.len(), expected.len(), "{text}");
        for (filled, expected) in filled.iter().zip(expected) {
            masks += 1;
            // The number, the name in the vocabulary, in which a letter stands for the blank, and the probability.
            for ((name, probability), expected) in filled.iter().zip(expected.as_array().unwrap()) {
                assert!((*probability as f64 - expected[2].as_f64().unwrap()).abs() < 1e-4, "{text}: {filled:?}");
                let raw = expected[1].as_str().unwrap().replace('Ġ', " ");
                assert!(!raw.is_ascii() || raw == *name, "{text}: {name:?}, not {raw:?}");
            }
        }
    }
    assert!(masks >= 5, "{masks}");
}

#[test]
fn t5_answers_as_in_transformers() {
    CASES.iter().filter(|case| case.0.starts_with("t5")).for_each(check);
}

#[test]
fn an_answer_does_not_depend_on_the_batch() {
    for Case(name, settings, list, _) in CASES.iter().filter(|case| ["t5-classes", "t5-gated-tied"].contains(&case.0)) {
        let model = open(name, settings);
        let inputs: Vec<Input> = inputs(list).into_iter().map(|(_, input)| input).collect();
        let together = model.predict(&inputs);
        for (input, answer) in inputs.iter().zip(together) {
            assert_eq!(model.predict(std::slice::from_ref(input)), [answer], "{name}: {input:?}");
        }
    }
}

#[test]
fn a_pair_is_no_program() {
    let (_, pair) = inputs("pairs").swap_remove(0);
    for name in ["t5-classes", "t5-relu-tied", "roberta-one"] {
        let fault = open(name, "").predict(std::slice::from_ref(&pair))[0].clone().unwrap_err().to_string();
        assert_eq!(fault, "the model takes one program, but was given a pair of programs");
    }
}

fn check(Case(name, settings, list, place): &Case) {
    let expected = read(&format!("{name}/expected.json"));
    let answers = expected.pointer(place).and_then(Value::as_array).unwrap_or_else(|| panic!("{name} has no {place}"));
    let inputs = inputs(list);
    assert_eq!(answers.len(), inputs.len());
    let found = open(name, settings).predict(&inputs.iter().map(|(_, input)| input.clone()).collect::<Vec<_>>());
    let mut furthest = 0f64;
    for (((input, _), found), (number, answer)) in inputs.iter().zip(found).zip(answers.iter().enumerate()) {
        let about = format!("{name} {settings} about `{input}`");
        let Answer { prediction, tokens } = found.unwrap_or_else(|fault| panic!("{about}: {fault}"));
        if let Some(ids) = expected["tokens"][number].as_array() {
            assert_eq!(tokens.map(|tokens| tokens.seen), Some(ids.len()), "{about}");
        }
        furthest = furthest
            .max(distance(&prediction, answer).unwrap_or_else(|| panic!("{about}: {prediction:?}, not {answer}")));
        assert!(furthest < 1e-4, "{about}: {prediction:?}, not {answer}");
    }
    println!("{name} {settings}: {} answers, at most {furthest:.1e} away", answers.len());
}

/// How far an answer is from the expected one; `None` where it is of another kind, or has other words.
fn distance(prediction: &Prediction, expected: &Value) -> Option<f64> {
    let furthest = |numbers: &[f32], expected: &[Value]| {
        let pairs = numbers.iter().zip(expected);
        let far = pairs.map(|(number, expected)| Some((*number as f64 - expected.as_f64()?).abs()));
        let far: Option<Vec<f64>> = far.collect();
        far.filter(|_| numbers.len() == expected.len()).map(|far| far.into_iter().fold(0.0, f64::max))
    };
    match prediction {
        Prediction::Text(text) => (expected == text).then_some(0.0),
        Prediction::Classes(numbers) | Prediction::Embedding(numbers) => furthest(numbers, expected.as_array()?),
        Prediction::Names(_) => None,
    }
}

#[test]
fn settings_that_would_be_ignored_are_refused() {
    for (line, words) in [
        (
            "position_embedding_type = 'rotary'",
            "unknown `position_embedding_type` `rotary`: absolute, relative_key and",
        ),
        ("position_embedding_type = 'relative_key'", "layer.0.attention.self.distance_embedding.weight"),
        ("layer_norm_eps = -1", "`layer_norm_eps` is -1"),
        ("layer_norm_eps = 0.0", "`layer_norm_eps` is 0"),
        ("is_decoder = true", "only encoders"),
        ("hidden_act = 'quick_gelu'", "quick_gelu"),
    ] {
        let problem = refusal("roberta-two", &format!("[config]\n{line}\n"));
        assert!(problem.contains(words), "{line}: {problem}");
    }
}

#[test]
fn embeddings_of_distances_are_not_ignored() {
    let problem = refusal("../relative", "[config]\nposition_embedding_type = 'absolute'\n");
    assert!(
        problem.contains("embeddings of distances, but the configuration says that positions are absolute"),
        "{problem}"
    );
}

#[test]
fn a_data_flow_that_is_longer_than_the_positions_is_refused() {
    let problem = refusal("roberta-two", "[data-flow]\ncode = 60\nnodes = 5\n");
    assert!(problem.contains("64 positions, fewer than the 65 tokens"), "{problem}");
}

#[test]
fn a_data_flow_has_special_tokens() {
    let problem = refusal("roberta-two", "[text]\nspecial-tokens = false\n\n[data-flow]\ncode = 50\nnodes = 5\n");
    assert!(problem.contains("leave out `special-tokens`"), "{problem}");
}

/// Why a checkpoint with some settings is not opened.
fn refusal(name: &str, settings: &str) -> String {
    let own = format!("allotrope-refused-{}-{:?}.toml", std::process::id(), std::thread::current().id());
    let file = std::env::temp_dir().join(own);
    std::fs::write(&file, settings).unwrap();
    let opened = model::open(&format!("hf:{}?settings={}", folder().join(name).display(), file.display()));
    std::fs::remove_file(file).unwrap();
    opened.err().unwrap_or_else(|| panic!("{settings} is taken")).to_string()
}

fn open(name: &str, settings: &str) -> Box<dyn model::Model> {
    let folder = folder().join(name);
    let settings = match settings {
        "" => String::new(),
        file => format!("?settings={}", folder.join(file).display()),
    };
    model::open(&format!("hf:{}{settings}", folder.display())).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A list of inputs with their names.
fn inputs(list: &str) -> Vec<(String, Input)> {
    let all = read("inputs.json");
    let code = |entry: &Value| {
        let language = match entry["language"].as_str().unwrap() {
            "java" => Language::Java,
            "c" => Language::C,
            "cpp" => Language::Cpp,
            "python" => Language::Python,
            "javascript" => Language::JavaScript,
            other => panic!("no language {other}"),
        };
        Code { language, text: entry["text"].as_str().unwrap().to_owned() }
    };
    let named =
        |name: &Value| code(all["programs"].as_array().unwrap().iter().find(|one| one["name"] == *name).unwrap());
    let input = |entry: &Value| match list {
        "pairs" => (format!("{} and {}", entry[0], entry[1]), Input::Pair(named(&entry[0]), named(&entry[1]))),
        _ => (entry["name"].to_string(), Input::Code(code(entry))),
    };
    all[list].as_array().unwrap().iter().map(input).collect()
}

fn read(name: &str) -> Value {
    let path = folder().join(name);
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity")
}
