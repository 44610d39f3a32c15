//! Models that write captions: they learn them, and PyTorch's decoder gives the same scores and writes the same texts.

use std::process::Command;

use model::huggingface::checkpoint::Checkpoint;
use model::huggingface::roberta::{Dimensions, Sequence};
use model::huggingface::tokens::Vocabulary;
use model::{Input, Prediction};
use serde_json::{Value, json};
use training::compute::State;
use training::network::{Batch, Network, Question};
use training::processor::Processor;
use training::shape::{HeadKind, Shape};
use training::train::{Base, Corpus, Goal, Learner, Length, NewEncoder, TrainingPlan};

use crate::folder::{Folder, code, plan, run, tiny};

/// Programs, each after the text about it.
fn captions(count: usize) -> Corpus {
    let mut corpus = Corpus::default();
    for number in 0..count {
        let thing = ["size", "name", "owner", "color"][number % 4];
        let (text, program) = match number / 4 % 2 {
            0 => (format!("Returns the {thing}."), format!("int get{number}() {{ return this.{thing}; }}")),
            _ => (format!("Sets the {thing} of it."), format!("void set{number}(int v) {{ this.{thing} = v; }}")),
        };
        let place = corpus.programs.len();
        corpus.programs.extend([code(text), code(program)]);
        corpus.examples.push((vec![place, place + 1], 0));
    }
    corpus
}

fn caption_plan() -> TrainingPlan {
    let mut plan = plan(Goal::Captions { layers: Some(2), tokens: 16 });
    plan.base = Base::New(NewEncoder { hidden: 64, heads: 4, inner: 48, ..tiny() });
    plan.settings.length = Length::Epochs(60);
    plan.settings.batch_tokens = 200;
    plan.settings.learning_rate = 2e-3;
    for rate in [&mut plan.settings.dropout, &mut plan.settings.attention_dropout, &mut plan.settings.head_dropout] {
        *rate = 0.0;
    }
    plan
}

fn written(folder: &str, programs: &[String]) -> Vec<String> {
    let model = training::open(folder).unwrap();
    let inputs: Vec<Input> = programs.iter().map(|text| Input::Code(code(text.clone()))).collect();
    let text = |answer: Result<model::Answer, model::Fault>| match answer.unwrap().prediction {
        Prediction::Text(text) => text,
        other => panic!("{other:?}"),
    };
    model.predict(&inputs).into_iter().map(text).collect()
}

fn programs_of(corpus: &Corpus) -> Vec<String> {
    corpus.examples.iter().map(|(own, _)| corpus.programs[own[1]].text.clone()).collect()
}

/// The published model, with its names, over PyTorch's own decoder. It writes its answers, and a checkpoint as its program does.
const SCRIPT: &str = r#"
import json, os, shutil, sys
import torch, torch.nn as nn, transformers
from safetensors.torch import load_file
folder, asked, copy = sys.argv[1], json.load(open(sys.argv[2])), sys.argv[3]
config = transformers.RobertaConfig.from_pretrained(folder)

class Seq2Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = transformers.RobertaModel(config)
        layer = nn.TransformerDecoderLayer(d_model=config.hidden_size, nhead=config.num_attention_heads, dim_feedforward=asked["inner"])
        self.decoder = nn.TransformerDecoder(layer, num_layers=asked["layers"])
        self.register_buffer("bias", torch.tril(torch.ones(64, 64)))
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.lm_head.weight = self.encoder.embeddings.word_embeddings.weight

    def scores(self, source, target):
        memory = self.encoder(source)[0].permute([1, 0, 2])
        mask = -1e4 * (1 - self.bias[:target.shape[1], :target.shape[1]])
        embedded = self.encoder.embeddings(target).permute([1, 0, 2])
        out = self.decoder(embedded, memory, tgt_mask=mask)
        return self.lm_head(torch.tanh(self.dense(out)).permute([1, 0, 2]))[0]

model = Seq2Seq()
state = model.load_state_dict(load_file(os.path.join(folder, "model.safetensors")), strict=False)
model.eval()
out = {"missing": sorted(state.missing_keys), "unexpected": sorted(state.unexpected_keys), "scores": [], "written": []}
with torch.no_grad():
    for source, target in zip(asked["sources"], asked["targets"]):
        source = torch.tensor([source])
        out["scores"].append(model.scores(source, torch.tensor([target[:-1]])).tolist())
        text = [0]
        while len(text) < asked["longest"] and text[-1] != 2:
            text.append(int(model.scores(source, torch.tensor([text]))[-1].argmax()))
        out["written"].append(text)
os.makedirs(copy)
for name in ["config.json", "tokenizer.json"]:
    shutil.copy(os.path.join(folder, name), copy)
torch.save(model.state_dict(), os.path.join(copy, "pytorch_model.bin"))
print(json.dumps(out))
"#;

/// What PyTorch says; none where it is not installed, and then the test that asks is recorded as skipped.
fn asked(folder: &Folder, question: &Value) -> Option<Value> {
    let python = std::env::var("ALLOTROPE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has = Command::new(&python).args(["-c", "import torch, transformers"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        testbed::skip(&format!("{python} has no transformers (ALLOTROPE_PYTHON names one that has)"));
        return None;
    }
    std::fs::write(folder.path("asked.json"), question.to_string()).unwrap();
    let mut command = Command::new(&python);
    command.args(["-c", SCRIPT]).arg(folder.path("out")).arg(folder.path("asked.json")).arg(folder.path("published"));
    let output = command.env("HF_HUB_OFFLINE", "1").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn captions_are_learned_by_heart() {
    let folder = Folder::new("captions");
    let corpus = captions(48);
    let (trained, news) = run(&caption_plan(), &corpus, None, &folder.path("out"));
    assert!(trained.unwrap().loss.unwrap() < 0.5, "{news:?}");
    let texts = written(&format!("hf:{}", folder.path("out").display()), &programs_of(&corpus));
    let right = corpus.examples.iter().zip(&texts).filter(|((own, _), text)| corpus.programs[own[0]].text == **text);
    let right = right.count();
    assert!(right > 40, "{right} of 48: {texts:?}");
    // A decoder is trained further by one that begins with it, and a new encoder that has none says so.
    let mut further = caption_plan();
    further.base = Base::From { place: format!("hf:{}", folder.path("out").display()), limit: None };
    further.settings.length = Length::Steps(1);
    let (trained, news) = run(&further, &corpus, None, &folder.path("further"));
    assert!(trained.unwrap().loss.is_none_or(|loss| loss < 1.0));
    assert!(format!("{news:?}").contains("is trained further"), "{news:?}");
}

#[test]
fn a_text_that_is_too_long_is_cut_and_counted() {
    let folder = Folder::new("captions-long");
    let mut corpus = captions(8);
    corpus.programs[0].text = "a very long text ".repeat(20);
    let mut plan = caption_plan();
    plan.settings.length = Length::Steps(1);
    let (trained, news) = run(&plan, &corpus, None, &folder.path("out"));
    trained.unwrap();
    assert!(format!("{news:?}").contains("1 of 8 texts are cut: they have more than 16 tokens"), "{news:?}");
    for (goal, words) in [
        (Goal::Captions { layers: Some(0), tokens: 16 }, "at least one layer"),
        (Goal::Captions { layers: Some(1), tokens: 2 }, "at least 3 tokens"),
        (Goal::Captions { layers: Some(1), tokens: 99 }, "fewer than 99"),
    ] {
        let problem = run(&TrainingPlan { goal, ..plan.clone() }, &corpus, None, &folder.path("other")).0.unwrap_err();
        assert!(problem.to_string().contains(words), "{problem}");
        let _ = std::fs::remove_dir_all(folder.path("other"));
    }
}

#[test]
fn pytorch_gives_the_same_scores_and_texts() {
    let folder = Folder::new("captions-pytorch");
    let corpus = captions(48);
    let mut plan = caption_plan();
    // Half learned, so that the texts are not all the same, nor all right.
    plan.settings.length = Length::Epochs(20);
    run(&plan, &corpus, None, &folder.path("out")).0.unwrap();
    let checkpoint = Checkpoint::find(&folder.path("out").display().to_string()).unwrap();
    let vocabulary = Vocabulary::read(&checkpoint, Some(24)).unwrap();
    let programs = programs_of(&corpus);
    let tokens = |text: &str| vocabulary.encode(&[text]).unwrap().ids;
    let sources: Vec<Vec<u32>> = programs.iter().map(|text| tokens(text)).collect();
    let targets: Vec<Vec<u32>> = corpus.examples.iter().map(|(own, _)| tokens(&corpus.programs[own[0]].text)).collect();
    let question = json!({"sources": sources, "targets": targets, "layers": 2, "inner": 48, "longest": 16});
    let Some(answers) = asked(&folder, &question) else { return };
    // What the published model has beside ours is never used for an answer.
    let unused = ["bias", "encoder.pooler.dense.bias", "encoder.pooler.dense.weight"];
    assert_eq!((&answers["missing"], &answers["unexpected"]), (&json!(unused), &json!([])));

    let shape = Shape {
        dimensions: Dimensions::read(&checkpoint.config).unwrap(),
        head: HeadKind::Decoder { layers: 2, inner: 48 },
        taught: None,
    };
    let layout = shape.layout();
    let weights = checkpoint.weights().unwrap();
    let mut numbers = vec![0.0; layout.count];
    for parameter in &layout.parameters {
        let name = parameter.name.replace("roberta.", "encoder.");
        let own = weights.take(&name, &parameter.shape).unwrap();
        numbers[parameter.start..][..own.len()].copy_from_slice(&own);
    }
    let network = Network::new(shape, Processor::new(State { weights: numbers, ..State::default() }));
    let sequence = |ids: &Vec<u32>| Sequence { positions: vocabulary.positions(ids), ids: ids.clone(), graph: None };
    let batch = Batch::new(sources.iter().map(sequence).collect(), Question::Captions(targets));
    let own = network.scores(&batch).unwrap();
    let other = answers["scores"].as_array().unwrap().iter().flat_map(|rows| rows.as_array().unwrap());
    let other: Vec<f64> =
        other.flat_map(|row| row.as_array().unwrap()).map(|number| number.as_f64().unwrap()).collect();
    assert_eq!(own.len(), other.len());
    let furthest = own.iter().zip(&other).map(|(one, other)| (f64::from(*one) - other).abs()).fold(0.0, f64::max);
    assert!(furthest < 1e-3, "{furthest}");

    // The checkpoint that the published program would write has neither settings nor ours under its names.
    let settings = "head = \"generation\"\n[text]\ncollapse-whitespace = true\nlimit = 24\n[generation]\nmax-length = 16\nbeams = 1\n";
    std::fs::write(folder.path("one-beam.toml"), settings).unwrap();
    let by_ours = format!("hf:{}?settings={}", folder.path("out").display(), folder.path("one-beam.toml").display());
    let by_theirs = by_ours.replace("/out?", "/published?");
    let found = written(&by_ours, &programs);
    let ids = answers["written"].as_array().unwrap().iter();
    let expected: Vec<String> = ids
        .map(|ids| serde_json::from_value::<Vec<u32>>(ids.clone()).unwrap())
        .map(|ids| vocabulary.text(&ids).unwrap().trim().to_owned())
        .collect();
    assert_eq!(found, expected);
    assert_eq!(written(&by_theirs, &programs), expected);
    let problem = training::open(&format!("hf:{}", folder.path("published").display())).err().unwrap().to_string();
    assert!(problem.contains("head = \"generation\""), "{problem}");
}
