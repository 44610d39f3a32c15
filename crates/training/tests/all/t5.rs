//! T5 is trained further: classes and texts, stopped and resumed, and transformers gives the same answers.

use std::path::{Path, PathBuf};
use std::process::Command;

use model::huggingface::checkpoint::Checkpoint;
use model::huggingface::tokens::Vocabulary;
use model::{Input, Prediction};
use serde_json::{Value, json};
use training::train::{Base, Corpus, Goal, Length, TrainingPlan};

use crate::folder::{Folder, classes, code, corpus, pairs, plan, run};
use crate::resuming;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity").join(name)
}

fn further(goal: Goal, name: &str) -> TrainingPlan {
    let mut plan = plan(goal);
    plan.base = Base::From { place: format!("hf:{}", fixture(name).display()), limit: Some(40) };
    plan.settings.learning_rate = 1e-2;
    plan.settings.batch_tokens = 400;
    plan
}

/// Programs of one word, each after the text about it.
fn captions(count: usize) -> Corpus {
    let mut corpus = Corpus::default();
    for number in 0..count {
        let (text, program) = [("adds", "a + b"), ("ends", "return"), ("reads", "in >> x")][number % 3];
        let place = corpus.programs.len();
        corpus.programs.extend([code(text.to_owned()), code(format!("{program} {number};"))]);
        corpus.examples.push((vec![place, place + 1], 0));
    }
    corpus
}

fn without_dropout(mut plan: TrainingPlan) -> TrainingPlan {
    for rate in [&mut plan.settings.dropout, &mut plan.settings.attention_dropout, &mut plan.settings.head_dropout] {
        *rate = 0.0;
    }
    plan
}

fn answers(folder: &Path, inputs: &[Input]) -> Vec<Prediction> {
    let model = training::open(&format!("hf:{}", folder.display())).unwrap();
    model.predict(inputs).into_iter().map(|answer| answer.unwrap().prediction).collect()
}

fn largest(shares: &[f32]) -> usize {
    (0..shares.len()).max_by(|one, other| shares[*one].total_cmp(&shares[*other])).unwrap()
}

/// What transformers says about the texts: tokens, and shares of classes or the scores and the words of a text.
const SCRIPT: &str = r#"
import json, sys
import torch, transformers
folder, asked = sys.argv[1], json.load(open(sys.argv[2]))
config = transformers.AutoConfig.from_pretrained(folder)
model, info = getattr(transformers, config.architectures[0]).from_pretrained(folder, output_loading_info=True)
model.eval()
out = {"missing": sorted(info["missing_keys"]), "unexpected": sorted(info["unexpected_keys"]), "answers": []}
for ids in asked:
    with torch.no_grad():
        ids = torch.tensor([ids])
        if "Classification" in config.architectures[0]:
            out["answers"].append(model(input_ids=ids).logits[0].softmax(-1).tolist())
        else:
            written = model.generate(input_ids=ids, max_length=12, num_beams=5, early_stopping=False)
            out["answers"].append(written[0].tolist())
print(json.dumps(out))
"#;

/// Asks transformers; none where it is not installed, and then the test that asks is recorded as skipped.
fn asked(folder: &Folder, inputs: &[Vec<u32>]) -> Option<Value> {
    let python = std::env::var("ALLOTROPE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has = Command::new(&python).args(["-c", "import torch, transformers"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        testbed::skip(&format!("{python} has no transformers (ALLOTROPE_PYTHON names one that has)"));
        return None;
    }
    std::fs::write(folder.path("asked.json"), json!(inputs).to_string()).unwrap();
    let mut command = Command::new(&python);
    command.args(["-c", SCRIPT]).arg(folder.path("out")).arg(folder.path("asked.json"));
    let output = command.env("HF_HUB_OFFLINE", "1").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&said["missing"], &said["unexpected"]), (&json!([]), &json!([])));
    Some(said["answers"].clone())
}

#[test]
fn classes_are_learned_and_transformers_gives_the_same() {
    let folder = Folder::new("t5-classes");
    let mut plan = without_dropout(further(classes(1), "t5-classes"));
    plan.settings.length = Length::Epochs(25);
    let corpus = corpus(48, 0);
    let (trained, news) = run(&plan, &corpus, None, &folder.path("out"));
    assert!(trained.unwrap().loss.unwrap() < 0.5, "{news:?}");
    // The labels of the fixture are made up, so that its head is trained further.
    assert!(format!("{news:?}").contains("is trained further"), "{news:?}");
    let inputs: Vec<Input> = corpus.programs.iter().cloned().map(Input::Code).collect();
    let shares: Vec<Vec<f32>> = answers(&folder.path("out"), &inputs)
        .into_iter()
        .map(|answer| match answer {
            Prediction::Classes(shares) => shares,
            other => panic!("{other:?}"),
        })
        .collect();
    let right = shares.iter().zip(&corpus.examples).filter(|(shares, (_, class))| largest(shares) == *class).count();
    assert!(right > 44, "{right} of 48");
    let model = training::open(&format!("hf:{}", folder.path("out").display())).unwrap();
    assert_eq!(model.labels().unwrap(), ["sum", "product", "größe"]);
    let checkpoint = Checkpoint::find(&folder.path("out").display().to_string()).unwrap();
    let vocabulary = Vocabulary::read(&checkpoint, None).unwrap();
    let tokens: Vec<Vec<u32>> =
        corpus.programs.iter().map(|code| vocabulary.encode(&[&code.text]).unwrap().ids).collect();
    let Some(answers) = asked(&folder, &tokens) else { return };
    for (shares, other) in shares.iter().zip(answers.as_array().unwrap()) {
        for (share, other) in shares.iter().zip(other.as_array().unwrap()) {
            assert!((f64::from(*share) - other.as_f64().unwrap()).abs() < 1e-4, "{shares:?} {other}");
        }
    }
}

#[test]
fn texts_are_learned_and_transformers_writes_the_same() {
    for name in ["t5-relu-tied", "t5-gated-untied"] {
        let folder = Folder::new(name);
        let mut plan = without_dropout(further(Goal::Captions { layers: None, tokens: 11 }, name));
        plan.settings.length = Length::Epochs(40);
        let corpus = captions(24);
        let (trained, news) = run(&plan, &corpus, None, &folder.path("out"));
        assert!(trained.unwrap().loss.unwrap() < 0.5, "{name}: {news:?}");
        let programs: Vec<Input> =
            corpus.examples.iter().map(|(own, _)| Input::Code(corpus.programs[own[1]].clone())).collect();
        let wanted = corpus.examples.iter().map(|(own, _)| &corpus.programs[own[0]].text);
        let texts: Vec<String> = answers(&folder.path("out"), &programs)
            .into_iter()
            .map(|answer| match answer {
                Prediction::Text(text) => text,
                other => panic!("{other:?}"),
            })
            .collect();
        let right = texts.iter().zip(wanted).filter(|(text, wanted)| text == wanted).count();
        assert!(right > 20, "{name}: {right} of 24: {texts:?}");
        let checkpoint = Checkpoint::find(&folder.path("out").display().to_string()).unwrap();
        let vocabulary = Vocabulary::read(&checkpoint, None).unwrap();
        let tokens: Vec<Vec<u32>> =
            programs.iter().map(|input| vocabulary.encode(&[&input.programs()[0].text]).unwrap().ids).collect();
        let Some(answers) = asked(&folder, &tokens) else { return };
        for (text, other) in texts.iter().zip(answers.as_array().unwrap()) {
            let ids: Vec<u32> = other.as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32).collect();
            assert_eq!(*text, vocabulary.text(&ids).unwrap(), "{name}");
        }
    }
}

#[test]
fn a_stop_after_every_step_changes_nothing() {
    let mut plan = further(classes(2), "t5-classes");
    plan.settings.length = Length::Steps(8);
    plan.settings.batch_tokens = 200;
    resuming::check("stopped-t5-pairs", &plan, &pairs(30, 0), Some(&pairs(9, 50)));
    let mut plan = further(Goal::Captions { layers: Some(2), tokens: 8 }, "t5-gated-tied");
    plan.settings.length = Length::Steps(8);
    plan.settings.batch_tokens = 200;
    resuming::check("stopped-t5-texts", &plan, &captions(20), None);
}

#[test]
fn a_trained_pair_of_programs_is_told_apart_by_its_reader() {
    let folder = Folder::new("t5-pairs");
    let mut plan = without_dropout(further(classes(2), "t5-relu-tied"));
    plan.settings.length = Length::Epochs(25);
    let corpus = pairs(24, 0);
    let (trained, news) = run(&plan, &corpus, None, &folder.path("out"));
    assert!(trained.unwrap().loss.unwrap() < 0.6, "{news:?}");
    assert!(format!("{news:?}").contains("begins with random weights"), "{news:?}");
    let inputs: Vec<Input> = corpus
        .examples
        .iter()
        .map(|(own, _)| Input::Pair(corpus.programs[own[0]].clone(), corpus.programs[own[1]].clone()))
        .collect();
    let right = answers(&folder.path("out"), &inputs)
        .into_iter()
        .zip(&corpus.examples)
        .filter(|(answer, (_, class))| matches!(answer, Prediction::Classes(shares) if largest(shares) == *class));
    assert!(right.count() > 20);
}

#[test]
fn what_t5_does_not_learn_is_refused() {
    let folder = Folder::new("t5-mistakes");
    for (goal, name, words) in [
        (Goal::Masked, "t5-classes", "fill masks"),
        (Goal::Search, "t5-classes", "vectors"),
        (Goal::Captions { layers: Some(7), tokens: 8 }, "t5-relu-tied", "2 layers, not 7"),
        (Goal::Captions { layers: None, tokens: 8 }, "t5-encoder", "no decoder"),
        (classes(1), "t5-encoder", "no decoder"),
    ] {
        let mut plan = further(goal.clone(), name);
        plan.settings.length = Length::Steps(1);
        let corpus = if matches!(goal, Goal::Classes { .. }) { corpus(9, 0) } else { captions(9) };
        let problem = run(&plan, &corpus, None, &folder.path("out")).0.unwrap_err().to_string();
        assert!(problem.contains(words), "{problem}");
        let _ = std::fs::remove_dir_all(folder.path("out"));
    }
}
