//! Transformers opens what was trained here, and gives the same tokens and answers.

use std::path::Path;
use std::process::Command;

use model::{Input, Prediction};
use serde_json::{Value, json};
use training::train::{Goal, Length};

use crate::folder::{Folder, classes, code, corpus, pairs, plan, run};

/// Tokens and answers of transformers for the texts in a file, as JSON.
const SCRIPT: &str = r#"
import json, sys
import torch, transformers
folder, inputs = sys.argv[1], json.load(open(sys.argv[2]))
tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
config = transformers.AutoConfig.from_pretrained(folder)
model, info = getattr(transformers, config.architectures[0]).from_pretrained(folder, output_loading_info=True)
model.eval()
out = {"missing": sorted(info["missing_keys"]), "unexpected": sorted(info["unexpected_keys"]), "labels": config.id2label, "answers": []}
for text in inputs:
    tokens = tokenizer(text, truncation=True, max_length=tokenizer.model_max_length, return_tensors="pt")
    with torch.no_grad():
        answer = model(**tokens)
    if config.architectures[0] == "RobertaModel":
        numbers = answer.last_hidden_state[0, 0]
    elif config.architectures[0] == "RobertaForMaskedLM":
        at = tokens["input_ids"][0].tolist().index(tokenizer.mask_token_id)
        numbers = answer.logits[0, at].softmax(-1)
    else:
        numbers = answer.logits[0].softmax(-1)
    out["answers"].append({"ids": tokens["input_ids"][0].tolist(), "numbers": numbers.tolist()})
print(json.dumps(out))
"#;

/// What transformers says; none where it is not installed, and then the test that asks is recorded as skipped.
fn asked(folder: &Folder, model: &Path, texts: &[String]) -> Option<Value> {
    let python = std::env::var("ALLOTROPE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has = Command::new(&python).args(["-c", "import torch, transformers"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        testbed::skip(&format!("{python} has no transformers (ALLOTROPE_PYTHON names one that has)"));
        return None;
    }
    std::fs::write(folder.path("inputs.json"), json!(texts).to_string()).unwrap();
    let mut command = Command::new(&python);
    command.args(["-c", SCRIPT]).arg(model).arg(folder.path("inputs.json"));
    let output = command.env("HF_HUB_OFFLINE", "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn texts() -> Vec<String> {
    let mut texts: Vec<String> = corpus(6, 40).programs.into_iter().map(|code| code.text).collect();
    // Transformers does not collapse blanks.
    texts.iter_mut().for_each(|text| *text = text.split_whitespace().collect::<Vec<_>>().join(" "));
    texts.extend(["".to_owned(), "x".to_owned(), "\"∑🙂\" <s> </s> && x".to_owned()]);
    texts
}

fn near(one: &[f32], other: &Value) -> bool {
    let other: Vec<f64> = other.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
    one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| (f64::from(*one) - other).abs() < 1e-4)
}

/// The tokens that the finished folder makes of texts, by its own reader.
fn tokens(folder: &Path, texts: &[String]) -> Vec<Vec<u32>> {
    let checkpoint = model::huggingface::checkpoint::Checkpoint::find(&folder.display().to_string()).unwrap();
    let vocabulary = model::huggingface::tokens::Vocabulary::read(&checkpoint, Some(24)).unwrap();
    texts.iter().map(|text| vocabulary.encode(&[text]).unwrap().ids).collect()
}

#[test]
fn transformers_gives_the_same_tokens_and_classes() {
    let folder = Folder::new("transformers-classes");
    let mut plan = plan(classes(1));
    plan.settings.length = Length::Epochs(4);
    run(&plan, &corpus(60, 0), None, &folder.path("out")).0.unwrap();
    let texts = texts();
    let Some(answers) = asked(&folder, &folder.path("out"), &texts) else { return };
    assert_eq!((&answers["missing"], &answers["unexpected"]), (&json!([]), &json!([])));
    assert_eq!(answers["labels"], json!({"0": "sum", "1": "product", "2": "größe"}));
    let model = training::open(&format!("hf:{}", folder.path("out").display())).unwrap();
    let inputs: Vec<Input> = texts.iter().map(|text| Input::Code(code(text.clone()))).collect();
    let own = model.predict(&inputs);
    let ids = tokens(&folder.path("out"), &texts);
    for (((own, ids), other), text) in own.into_iter().zip(ids).zip(answers["answers"].as_array().unwrap()).zip(&texts)
    {
        assert_eq!(json!(ids), other["ids"], "{text}");
        let Prediction::Classes(shares) = own.unwrap().prediction else { panic!("{text}") };
        assert!(near(&shares, &other["numbers"]), "{shares:?} {other}");
    }
}

#[test]
fn transformers_fills_the_same_masks() {
    let folder = Folder::new("transformers-masked");
    run(&plan(Goal::Masked), &corpus(60, 0), None, &folder.path("out")).0.unwrap();
    let texts = ["int <mask>(int a) { return a; }", "return <mask>;"].map(str::to_owned);
    let Some(answers) = asked(&folder, &folder.path("out"), &texts) else { return };
    assert_eq!((&answers["missing"], &answers["unexpected"]), (&json!([]), &json!([])));
    let model = training::open(&format!("hf:{}", folder.path("out").display())).unwrap();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (filled, other) in model.fill_masks(&texts, 5).unwrap().into_iter().zip(answers["answers"].as_array().unwrap())
    {
        let mut numbers: Vec<f64> =
            other["numbers"].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
        numbers.sort_by(|one, other| other.total_cmp(one));
        let shares: Vec<f32> = filled.unwrap()[0].iter().map(|(_, share)| *share).collect();
        assert!(near(&shares, &json!(numbers[..5])), "{shares:?} {:?}", &numbers[..5]);
    }
}

#[test]
fn transformers_opens_the_encoder_of_pairs() {
    let folder = Folder::new("transformers-pairs");
    run(&plan(classes(2)), &pairs(30, 0), None, &folder.path("out")).0.unwrap();
    let texts = texts();
    let Some(answers) = asked(&folder, &folder.path("out"), &texts) else { return };
    // RobertaModel has a layer for pooling that is never used, and no place for a head.
    assert_eq!(answers["missing"], json!(["pooler.dense.bias", "pooler.dense.weight"]));
    let model = training::open(&format!("hf:{}", folder.path("out").display())).unwrap();
    for (text, other) in texts.iter().zip(answers["answers"].as_array().unwrap()) {
        let input = Input::Pair(code(text.clone()), code(text.clone()));
        let embedding = model.embed(&[input]).unwrap().remove(0).unwrap();
        assert!(near(&embedding[..16], &other["numbers"]), "{text}");
    }
}
