//! Training code2seq: from methods to a folder that `code2seq:DIR` opens.

mod lessons;
mod vocabulary;

use std::path::Path;

use model::paths::Limits;
use serde::Serialize;
use serde_json::json;

use super::estimate::{Estimate, estimate_methods};
use super::methods::{MethodCorpus, MethodModel, MethodPlan, train_methods};
use super::{Blueprint, Observer, TrainedEncoder, TrainingError, check_settings, start};
use crate::compute::Compute;
use crate::sequence_network::{SequenceBatch, SequenceLayout, SequenceNetwork, SequenceShape};
use crate::shape::{Parameter, ParameterKind};
pub use lessons::SequenceCorpus;
use lessons::SequenceLessons;
use vocabulary::Vocabulary;

/// The size of a model, and what it reads of a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NewSequenceModel {
    /// How many numbers the embedding of a subtoken or a node has, and the state of a path in each direction.
    pub width: usize,
    /// How many numbers a context and the state of the decoder have.
    pub vector: usize,
    /// The most subtokens of leaves, of the frequent ones.
    pub words: usize,
    /// The most kinds of nodes.
    pub nodes: usize,
    /// The most subtokens of names.
    pub targets: usize,
    /// The most contexts of a method.
    pub contexts: usize,
    /// The most contexts of a method that are learned from in an epoch; in the next one others are drawn.
    pub sampled: usize,
}

impl Default for NewSequenceModel {
    fn default() -> NewSequenceModel {
        NewSequenceModel {
            width: 128,
            vector: 320,
            words: 50_000,
            nodes: 10_000,
            targets: 10_000,
            contexts: 200,
            sampled: 100,
        }
    }
}

impl NewSequenceModel {
    /// Which contexts of a method the model is given.
    pub fn limits(&self) -> Limits {
        Limits { contexts: self.contexts, ..Limits::default() }
    }
}

/// The most subtokens of a leaf, nodes of a path and subtokens of a name, as the published model has it.
const LEAF_WORDS: usize = 5;
const PATH_NODES: usize = 9;
const NAME_WORDS: usize = 6;

impl Blueprint for SequenceShape {
    type Batch = SequenceBatch;
    type Network<C: Compute> = SequenceNetwork<C>;

    fn parameters(self) -> (usize, usize) {
        let layout = self.layout();
        (layout.count, layout.parameters.iter().map(Parameter::count).sum())
    }

    fn build<C: Compute>(self, compute: C) -> SequenceNetwork<C> {
        SequenceNetwork::new(self, compute)
    }
}

/// Trains code2seq and writes it to a folder, or resumes what was begun there.
///
/// The weights are kept with which most words of the names of the validation are right, the ends included, each given the right ones before it.
pub fn train_sequences(
    plan: &MethodPlan<NewSequenceModel>,
    corpus: &SequenceCorpus,
    validation: Option<&SequenceCorpus>,
    output: &Path,
    observer: &Observer<'_>,
) -> Result<TrainedEncoder, TrainingError> {
    let own = prepared(plan, corpus, validation)?;
    let layout = own.shape.layout();
    let first_weights = || first_weights(&layout, plan.settings.seed);
    train_methods(plan, &own, output, observer, first_weights, |weights| as_read(&layout.parameters, weights))
}

/// What the training will take, measured with two batches. Nothing is written.
pub fn estimate_sequences(
    plan: &MethodPlan<NewSequenceModel>,
    corpus: &SequenceCorpus,
    observer: &Observer<'_>,
) -> Result<Estimate, TrainingError> {
    let own = prepared(plan, corpus, None)?;
    let layout = own.shape.layout();
    estimate_methods(plan, &own, || first_weights(&layout, plan.settings.seed), activations, observer)
}

/// The vocabulary and the lessons of a training that can be done.
fn prepared(
    plan: &MethodPlan<NewSequenceModel>,
    corpus: &SequenceCorpus,
    validation: Option<&SequenceCorpus>,
) -> Result<MethodModel<SequenceLessons, SequenceShape>, TrainingError> {
    check_settings(&plan.settings, validation.is_some())?;
    let NewSequenceModel { width, vector, contexts, sampled, .. } = plan.model;
    if width == 0 || vector == 0 || contexts == 0 || sampled == 0 {
        let problem = "embeddings, vectors of contexts and the contexts of a method are at least 1".to_owned();
        return Err(TrainingError::Unfit(problem));
    }
    let vocabulary = Vocabulary::of(corpus, &plan.model);
    let lessons = SequenceLessons::new(corpus, &vocabulary, Some(sampled));
    let shape = SequenceShape {
        words: vocabulary.words.len(),
        nodes: vocabulary.nodes.len(),
        targets: vocabulary.targets.len(),
        width,
        vector,
    };
    let note = format!(
        "{} methods, {} words of leaves, {} kinds of nodes and {} words of names; {} methods have no contexts",
        lessons.names.len(),
        shape.words - 1,
        shape.nodes - 1,
        shape.targets - vocabulary::SPECIAL.len(),
        corpus.count() - lessons.names.len()
    );
    Ok(MethodModel {
        kind: "code2seq",
        vocabulary: vocabulary.to_json(),
        config: config(&plan.model),
        lessons,
        validation: validation.map(|corpus| SequenceLessons::new(corpus, &vocabulary, None)),
        shape,
        note,
    })
}

/// The bytes that the network keeps of a batch for its way back.
fn activations(shape: &SequenceShape, batch: &SequenceBatch) -> usize {
    let SequenceShape { targets, width, vector, .. } = *shape;
    // Gates, states and cells of every node of a path, in both directions, and the last states.
    let of_paths: usize = batch.paths.iter().map(|path| 2 * (6 * path.len() + 1) * width).sum();
    // The sum and the vector of a context, and its slope.
    let of_contexts = batch.contexts.len() * 3 * vector;
    // A word, the gates, states, cells, query, what was found and the attention vector, and scores of words with their slopes.
    let of_word = width + 10 * vector + 2 * targets;
    let words: usize = batch.names.iter().map(|name| name.len() + 1).sum();
    4 * (batch.leaves * width + batch.nodes.len() * width + of_paths + of_contexts + words * of_word)
}

/// Random weights, but memories begin by remembering.
fn first_weights(layout: &SequenceLayout, seed: u64) -> Vec<f32> {
    let mut weights = start::random_weights(&layout.parameters, layout.count, seed);
    for (start, count) in layout.forgetting() {
        weights[start..start + count].fill(1.0);
    }
    weights
}

/// The tensors that `code2seq:DIR` reads, each with the matrices that stand above each other in it.
const TENSORS: [(&str, &[&str]); 13] = [
    ("subtokens", &["subtokens"]),
    ("nodes", &["nodes"]),
    ("targets", &["targets"]),
    ("forward.weight", &["forward.input", "forward.state"]),
    ("forward.bias", &["forward.bias"]),
    ("backward.weight", &["backward.input", "backward.state"]),
    ("backward.bias", &["backward.bias"]),
    ("transform", &["transform.source", "transform.forward", "transform.backward", "transform.target"]),
    ("decoder.weight", &["decoder.word", "decoder.fed", "decoder.state"]),
    ("decoder.bias", &["decoder.bias"]),
    ("keys", &["keys"]),
    ("attention", &["attention.state", "attention.found"]),
    ("output", &["output"]),
];

/// The parameters as `code2seq:DIR` reads them, which has a row of a matrix for each input.
fn as_read(parameters: &[Parameter], weights: &[f32]) -> (Vec<Parameter>, Vec<f32>) {
    let (mut tensors, mut numbers) = (Vec::new(), Vec::new());
    for (name, parts) in TENSORS {
        let (start, mut shape) = (numbers.len(), vec![0]);
        for parameter in parts.iter().filter_map(|part| parameters.iter().find(|own| own.name == *part)) {
            let own = &weights[parameter.start..][..parameter.count()];
            // The matrix of the keys multiplies queries here and contexts there, so that it is turned already.
            match parameter.kind {
                ParameterKind::Part { .. } if parameter.name != "keys" => {
                    let [outputs, inputs] = [parameter.shape[0], parameter.shape[1]];
                    numbers.extend((0..inputs * outputs).map(|at| own[at % outputs * inputs + at / outputs]));
                    shape = vec![shape[0] + inputs, outputs];
                }
                _ => {
                    numbers.extend_from_slice(own);
                    shape.clone_from(&parameter.shape);
                }
            }
        }
        tensors.push(Parameter { name: name.to_owned(), shape, start, kind: ParameterKind::Weight });
    }
    (tensors, numbers)
}

fn config(model: &NewSequenceModel) -> String {
    let Limits { length, width, contexts, seed } = model.limits();
    let settings = json!({
        "path_length": length,
        "path_width": width,
        "contexts": contexts,
        "seed": seed,
        "name_parts": LEAF_WORDS,
        "path_nodes": PATH_NODES,
        "target_parts": NAME_WORDS,
    });
    format!("{settings:#}")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use model::paths::methods;
    use model::{Code, Input, Prediction};
    use syntax::names::Convention;
    use syntax::{Language, Program};

    use super::super::{Device, Length, TrainingSettings};
    use super::*;
    use crate::processor::Processor;
    use crate::sequence_network::{END, START, UNKNOWN};
    use crate::train::Learner;
    use crate::train::learner::Curriculum;

    const METHODS: [&str; 4] = [
        "int getSize() { return mySize; }",
        "void addAll(List all) { for (Object one : all) { add(one, 1); } }",
        "boolean isEmptyNow() { return this.mySize == 0 && !isOpen; }",
        "void run() { }",
    ];

    fn corpus() -> SequenceCorpus {
        let mut corpus = SequenceCorpus::default();
        for text in METHODS {
            corpus.append(SequenceCorpus::of(&methods(&Program::parse(Language::Java, text), &Limits::default())));
        }
        corpus
    }

    /// What the network answers word by word, always with the most probable one, and how probable that is.
    fn greedy(network: &SequenceNetwork<Processor>, lessons: &SequenceLessons, method: usize) -> (Vec<u32>, f64) {
        let (mut words, mut logarithm) = (Vec::new(), 0.0);
        for _ in 0..=NAME_WORDS {
            let batch = SequenceBatch { names: vec![words.clone()], ..lessons.batch(&[method], 0).unwrap() };
            let scores = network.scores(&batch).unwrap();
            let width = scores.len() / (words.len() + 1);
            let row = &scores[words.len() * width..];
            let sum: f64 = row.iter().map(|score| f64::from(*score).exp()).sum();
            let choices = (0..width).filter(|word| *word != START as usize);
            let best = choices.max_by(|one, other| row[*one].total_cmp(&row[*other])).unwrap();
            logarithm += (f64::from(row[best]).exp() / sum).ln();
            if best == END as usize {
                break;
            }
            words.push(best as u32);
        }
        (words, logarithm.exp())
    }

    #[test]
    fn the_folder_answers_as_the_network_does() {
        let output = std::env::temp_dir().join(format!("allotrope-sequences-{}", std::process::id()));
        let model = NewSequenceModel { width: 12, vector: 20, ..NewSequenceModel::default() };
        // After one step the words are still nearly random, and after forty the names are known.
        for steps in [1, 40] {
            std::fs::remove_dir_all(&output).ok();
            let settings = TrainingSettings {
                length: Length::Steps(steps),
                learning_rate: 0.03,
                warm_up: 2,
                dropout: 0.1,
                ..TrainingSettings::default()
            };
            let plan = MethodPlan { model: model.clone(), settings, device: Device::Cpu, stop_after: None };
            let observer = Observer { stop: &AtomicBool::new(false), tell: &|_| () };
            let trained = train_sequences(&plan, &corpus(), None, &output, &observer).unwrap();
            assert_eq!(trained.steps, steps);
            let opened = model::open(&format!("code2seq:{}", output.display())).unwrap();
            let (network, lessons, vocabulary) = network_of(&output, &model);
            let mut names = Vec::new();
            for (method, text) in METHODS.iter().enumerate() {
                let input = Input::Code(Code { language: Language::Java, text: (*text).to_owned() });
                let answer = opened.predict(&[input]).remove(0).unwrap();
                let Prediction::Names(found) = answer.prediction else { panic!("{answer:?}") };
                let (words, probability) = greedy(&network, &lessons, method);
                let words: Vec<&str> = words
                    .iter()
                    .filter(|word| **word != UNKNOWN)
                    .map(|word| vocabulary.targets[*word as usize].as_str())
                    .collect();
                match words.is_empty() {
                    true => assert!(found.is_empty(), "{found:?}"),
                    false => {
                        assert_eq!(found[0].0, Convention::Camel.join(&words), "{steps} steps");
                        let distance = (f64::from(found[0].1) - probability).abs();
                        assert!(distance < 1e-4 * probability.max(1e-3), "{} {probability}", found[0].1);
                    }
                }
                names.push(Convention::Camel.join(&words));
            }
            if steps == 40 {
                assert_eq!(names, ["getSize", "addAll", "isEmptyNow", "run"]);
            }
        }
        std::fs::remove_dir_all(&output).unwrap();
    }

    /// The network with the weights of a folder, which are turned as the folder has them.
    fn network_of(
        output: &Path,
        model: &NewSequenceModel,
    ) -> (SequenceNetwork<Processor>, SequenceLessons, Vocabulary) {
        let vocabulary = Vocabulary::of(&corpus(), model);
        let lessons = SequenceLessons::new(&corpus(), &vocabulary, None);
        let shape = SequenceShape {
            words: vocabulary.words.len(),
            nodes: vocabulary.nodes.len(),
            targets: vocabulary.targets.len(),
            width: model.width,
            vector: model.vector,
        };
        let layout = shape.layout();
        let bytes = std::fs::read(output.join("model.safetensors")).unwrap();
        let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        let mut weights = vec![0.0; layout.count];
        for (name, parts) in TENSORS {
            let tensor = tensors.tensor(name).unwrap();
            let mut numbers = tensor.data().as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four));
            for part in parts {
                let parameter = layout.parameters.iter().find(|own| own.name == *part).unwrap();
                let is_turned = matches!(parameter.kind, ParameterKind::Part { .. }) && *part != "keys";
                for at in 0..parameter.count() {
                    let place = match is_turned {
                        true => at % parameter.shape[0] * parameter.shape[1] + at / parameter.shape[0],
                        false => at,
                    };
                    weights[parameter.start + place] = numbers.next().unwrap();
                }
            }
            assert_eq!(numbers.next(), None, "{name}");
        }
        (SequenceNetwork::new(shape, Processor::new(start::learning(weights))), lessons, vocabulary)
    }
}
