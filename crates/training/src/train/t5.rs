//! Training T5: the network that a configuration describes, the weights that it begins with, and the names that they are written under.

use model::huggingface::checkpoint::{Checkpoint, Config};
use model::huggingface::t5::Dimensions;
use model::weights::Weights;

use super::start::{learning, open_source, put, random_weights, take_head};
use super::{Base, Blueprint, Goal, News, Observer, TrainingError, TrainingPlan};
use crate::compute::{Compute, State};
use crate::cuda::Precision;
use crate::network::Batch;
use crate::network::t5::{T5Head, T5Layout, T5Network, T5Shape};
use crate::shape::Parameter;

/// The token that ends a text where a configuration does not say which.
pub const END: usize = 1;

/// Is it the configuration of a T5?
pub fn is_t5(config: &Config) -> Result<bool, TrainingError> {
    Ok(config.text_or("model_type", "roberta")? == "t5")
}

/// The network that a configuration describes, with the head that the goal needs.
pub fn shape(checkpoint: &Checkpoint, goal: &Goal) -> Result<T5Shape, TrainingError> {
    let config = &checkpoint.config;
    let dimensions = Dimensions::read(config)?;
    let unfit = |problem: &str| Err(TrainingError::Unfit(format!("{}: {problem}", config.place())));
    let head = match goal {
        Goal::Masked => return unfit("T5 is not trained to fill masks here: take a RoBERTa encoder, or another goal"),
        Goal::Search => {
            return unfit("T5 is not trained to give vectors here: take a RoBERTa encoder, or another goal");
        }
        Goal::Captions { layers: Some(layers), .. } if *layers != dimensions.decoder_layers => {
            return unfit(&format!("its decoder has {} layers, not {layers}", dimensions.decoder_layers));
        }
        Goal::Captions { .. } => {
            let is_tied = config.flag_or("tie_word_embeddings", true)?;
            let is_scaled = config.flag_or("scale_decoder_outputs", is_tied)?;
            T5Head::Texts { has_own_output: !is_tied, is_scaled }
        }
        Goal::Classes { labels, programs } => {
            T5Head::Classes { vectors: *programs, classes: labels.len(), is_deep: true }
        }
    };
    if checkpoint.settings.data_flow.is_some() {
        return unfit("T5 does not read data flow: leave out [data-flow] in allotrope.toml");
    }
    let pad = config.number_or("pad_token_id", 0)?;
    let start = config.number_or("decoder_start_token_id", pad)?;
    let end = config.number_or("eos_token_id", END)?;
    if start.max(end) >= dimensions.vocabulary {
        return unfit(&format!("the tokens {start} and {end} are outside a vocabulary of {}", dimensions.vocabulary));
    }
    Ok(T5Shape { dimensions, head, start: start as u32, end: end as u32 })
}

/// The state that a training begins with.
pub fn state(plan: &TrainingPlan, shape: &T5Shape, observer: &Observer<'_>) -> Result<State, TrainingError> {
    let layout = shape.layout();
    let mut weights = random_weights(&layout.parameters, layout.count, plan.settings.seed);
    if let Base::From { place, .. } = &plan.base {
        let source = open_source(place)?;
        let note = take_weights(&source, &plan.goal, &layout, &mut weights)?;
        (observer.tell)(News::Note(note));
    }
    Ok(learning(weights))
}

/// The class of transformers that a trained folder is opened with.
pub fn architecture(goal: &Goal) -> &'static str {
    match goal {
        Goal::Captions { .. } => "T5ForConditionalGeneration",
        Goal::Classes { programs: 1, .. } => "T5ForSequenceClassification",
        // Transformers has no head for two encodings, but opens what is before it.
        Goal::Classes { .. } | Goal::Masked | Goal::Search => "T5Model",
    }
}

/// The parameters under the names that they have in a file.
pub fn as_written(goal: &Goal, layout: &T5Layout) -> Vec<Parameter> {
    let mut parameters = layout.parameters.clone();
    if architecture(goal) == "T5ForSequenceClassification" {
        for parameter in parameters.iter_mut().filter(|parameter| !is_of_head(parameter)) {
            parameter.name = format!("transformer.{}", parameter.name);
        }
    }
    parameters
}

impl Blueprint for T5Shape {
    type Batch = Batch;
    type Network<C: Compute> = T5Network<C>;

    /// Products of T5 are not scaled down before their softmax: with 16 bits the gradients of a small network are wrong by half of their length.
    const ON_GPU: Precision = Precision::Full;

    fn parameters(self) -> (usize, usize) {
        let layout = self.layout();
        (layout.count, layout.parameters.iter().map(Parameter::count).sum())
    }

    fn build<C: Compute>(self, compute: C) -> T5Network<C> {
        T5Network::new(self, compute)
    }
}

fn is_of_head(parameter: &Parameter) -> bool {
    parameter.name.starts_with("classification_head.")
}

/// Puts the weights of a checkpoint in the places of random ones, and says what becomes of the head.
fn take_weights(
    source: &Checkpoint,
    goal: &Goal,
    layout: &T5Layout,
    numbers: &mut [f32],
) -> Result<String, TrainingError> {
    let (weights, place) = (source.weights()?, source.config.place());
    let unfit = |problem: &str| TrainingError::Unfit(format!("{place}: {problem}"));
    let prefix = match &source.settings.prefix {
        Some(prefix) => prefix.clone(),
        None => weights
            .prefix_of("encoder.final_layer_norm.weight")
            .ok_or_else(|| unfit("there is no encoder: is it another kind of model?"))?,
    };
    if !weights.has(&format!("{prefix}decoder.final_layer_norm.weight")) {
        return Err(unfit("there is no decoder, which writes texts and reads programs once more for a class"));
    }
    let (head, others): (Vec<&Parameter>, Vec<&Parameter>) =
        layout.parameters.iter().partition(|parameter| is_of_head(parameter));
    for parameter in others {
        let name = match parameter.name.as_str() {
            "shared.weight" => words(&weights, &prefix).map_err(|problem| unfit(&problem))?,
            name => format!("{prefix}{name}"),
        };
        put(&weights, &name, parameter, numbers)?;
    }
    if let Goal::Captions { .. } = goal {
        let (name, own) = (format!("{prefix}lm_head.weight"), &layout.words);
        let is_tied = layout.parameters.iter().all(|parameter| parameter.name != "lm_head.weight");
        if let (true, Some(shape)) = (is_tied, weights.shape(&name)) {
            let output = weights.take(&name, shape)?;
            if numbers.get(own.start..own.start + output.len()) != Some(&output[..]) {
                let problem = "its output layer is not the embeddings of the words, though `tie_word_embeddings` says so: \
                               set it to false in config.json, or under [config] in allotrope.toml";
                return Err(unfit(problem));
            }
        }
        return Ok(format!("{place} is trained further"));
    }
    take_head(source, &weights, goal, &head, numbers)
}

/// The name of the embeddings of words, which encoder and decoder have to share.
fn words(weights: &Weights, prefix: &str) -> Result<String, String> {
    let [shared, encoder, decoder] =
        ["shared", "encoder.embed_tokens", "decoder.embed_tokens"].map(|name| format!("{prefix}{name}.weight"));
    let own = if weights.has(&encoder) { encoder } else { shared.clone() };
    let others = if weights.has(&decoder) { decoder } else { shared };
    let numbers = |name: &String| weights.shape(name).and_then(|shape| weights.take(name, shape).ok());
    match own == others || numbers(&own) == numbers(&others) {
        true => Ok(own),
        false => Err("its encoder and its decoder have different embeddings, and here they are one".to_owned()),
    }
}
