//! What a training will take, measured before it begins: parameters, memory, and time.

use std::path::Path;
use std::time::Instant;

use model::huggingface::t5::Dimensions;
use model::huggingface::tokens::Vocabulary;

use super::device::{Work, compute};
use super::learner::{Asked, Curriculum, Learner};
use super::lessons::Lessons;
use super::methods::{MethodModel, MethodPlan};
use super::{
    Blueprint, Corpus, Family, Length, News, Observer, TrainingError, TrainingPlan, TrainingSettings, check, folder,
    lessons_of, start, t5,
};
use crate::compute::Compute;
use crate::cuda::Precision;
use crate::network::t5::{T5Head, T5Shape};
use crate::network::{Batch, DropoutRates};
use crate::shape::{HeadKind, Shape};

/// What a training will take.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    pub parameters: usize,
    pub examples: usize,
    /// The tokens of an epoch, or its contexts.
    pub tokens: usize,
    /// The steps of the first epoch.
    pub steps: usize,
    /// Bytes of the weights, as many of their gradients, and twice as many of the optimiser's moments.
    pub weights: usize,
    /// Bytes that the largest batch needs beside them.
    pub activations: usize,
    pub seconds: f64,
}

/// The number of smallest batches that are measured.
const MEASURED: usize = 2;

/// Reads the data, measures two small batches, and leaves nothing behind. `workplace` is an empty folder for the vocabulary.
pub fn estimate(
    plan: &TrainingPlan,
    corpus: &Corpus,
    workplace: &Path,
    observer: &Observer<'_>,
) -> Result<Estimate, TrainingError> {
    check(plan, corpus, Some(&Corpus::default()))?;
    folder::write_skeleton(plan, corpus, workplace, observer)?;
    let checkpoint = folder::open_skeleton(workplace)?;
    let family = Family::read(&checkpoint, &plan.goal)?;
    let vocabulary = Vocabulary::read(&checkpoint, family.longest(&checkpoint)?)?;
    let lessons = lessons_of(plan, &family, &checkpoint, &vocabulary, corpus)?;
    let lessons = lessons.with_variants(plan.variants.as_ref(), &corpus.programs);
    let settings = &plan.settings;
    let mut all = lessons.batches_of_epoch(settings.batch_tokens, Some((settings.seed, 0)));
    let steps = all.len().div_ceil(settings.accumulate);
    all.sort_by_key(|examples| (places(&lessons, examples), examples.clone()));
    let largest = all.last().map_or((0, 0), |examples| lessons.places(examples));
    let measured: Vec<Batch> = all
        .iter()
        .take(MEASURED)
        .map(|examples| lessons.batch(examples, settings.seed))
        .collect::<Result<_, _>>()
        .map_err(TrainingError::Tokens)?;
    let measured_places: usize = all.iter().take(MEASURED).map(|examples| places(&lessons, examples)).sum();
    let batches = &measured[..];
    let ((count, learned), activations, seconds) = match family {
        Family::Roberta(shape) => {
            let state = start::state(plan, &shape, observer)?;
            let seconds = compute(plan.device, state, Measured { blueprint: shape, batches })?;
            (shape.parameters(), activations(&shape, largest), seconds)
        }
        Family::T5(shape) => {
            let state = t5::state(plan, &shape, observer)?;
            let seconds = compute(plan.device, state, Measured { blueprint: shape, batches })?;
            (shape.parameters(), activations_of_t5(&shape, largest), seconds)
        }
    };
    let epoch: usize = all.iter().map(|examples| places(&lessons, examples)).sum();
    let seconds_of_epoch = seconds * epoch as f64 / measured_places.max(1) as f64;
    Ok(Estimate {
        parameters: learned,
        examples: lessons.count(),
        tokens: lessons.tokens(),
        steps,
        weights: 4 * count,
        activations,
        seconds: seconds_of(settings, steps, seconds_of_epoch),
    })
}

/// How many places a batch has, padding included.
fn places(lessons: &Lessons<'_>, examples: &[usize]) -> usize {
    let (programs, texts) = lessons.places(examples);
    programs + texts
}

/// The bytes that a network keeps for its way back.
fn activations(shape: &Shape, (places, places_of_texts): (usize, usize)) -> usize {
    let dimensions = &shape.dimensions;
    // States, queries, keys and values, what was seen, two norms and the state between them; and twice what is between the two layers.
    let block = 8 * dimensions.hidden + 2 * dimensions.inner;
    let head = match shape.head {
        // Scores and their slopes for every masked word, of which there are 15 of 100.
        HeadKind::Masked => 2 * dimensions.vocabulary * 15 / 100,
        // The keys and values of all states; the rest is about the texts.
        HeadKind::Decoder { layers, .. } => 2 * layers * dimensions.hidden,
        HeadKind::Classes { .. } | HeadKind::Matches | HeadKind::None => 0,
    };
    let of_texts = match shape.head {
        HeadKind::Decoder { layers, inner } => {
            layers * (12 * dimensions.hidden + 2 * inner) + 2 * dimensions.vocabulary
        }
        _ => 0,
    };
    4 * places * (dimensions.layers * block + 2 * dimensions.hidden + head) + 4 * places_of_texts * of_texts
}

/// The bytes that a T5 keeps for its way back.
fn activations_of_t5(shape: &T5Shape, (places, places_of_texts): (usize, usize)) -> usize {
    let Dimensions { hidden, heads, width, inner, layers, decoder_layers, vocabulary, is_gated, .. } = shape.dimensions;
    let all = heads * width;
    // Every part keeps the normed sum with its scale and without; the small network two more rows where it has gates.
    let feed = 2 * hidden + if is_gated { 4 * inner } else { 2 * inner };
    let own = 2 * hidden + 4 * all;
    // The keys and values of all states are counted with the programs.
    let decoder = decoder_layers * (own + 2 * hidden + 2 * all + feed);
    let (texts, of_text) = match shape.head {
        T5Head::Texts { .. } => (places_of_texts, decoder + 2 * vocabulary),
        // The decoder reads the programs once more.
        T5Head::Classes { .. } => (places, decoder),
    };
    4 * places * (layers * (own + feed) + 2 * decoder_layers * all) + 4 * texts * of_text
}

/// What a training of methods will take. Batches have about as many contexts each, so that those in the middle are measured.
pub(super) fn estimate_methods<Model, Lessons: Curriculum, Shape: Blueprint<Batch = Lessons::Batch>>(
    plan: &MethodPlan<Model>,
    own: &MethodModel<Lessons, Shape>,
    first_weights: impl FnOnce() -> Vec<f32>,
    activations: impl Fn(&Shape, &Lessons::Batch) -> usize,
    observer: &Observer<'_>,
) -> Result<Estimate, TrainingError> {
    if own.lessons.count() == 0 {
        return Err(TrainingError::Nothing);
    }
    (observer.tell)(News::Note(own.note.clone()));
    let settings = &plan.settings;
    let batch = |examples: &[usize]| own.lessons.batch(examples, settings.seed).map_err(TrainingError::Tokens);
    let all = own.lessons.batches_of_epoch(settings.batch_tokens, Some((settings.seed, 0)));
    let (mut sizes, mut largest) = (Vec::with_capacity(all.len()), 0);
    for (place, examples) in all.iter().enumerate() {
        let batch = batch(examples)?;
        sizes.push((batch.tokens(), place));
        largest = largest.max(activations(&own.shape, &batch));
    }
    sizes.sort_unstable();
    let middle: Vec<(usize, usize)> = sizes.iter().skip(sizes.len() / 2).take(MEASURED).copied().collect();
    let batches: Vec<Lessons::Batch> = middle.iter().map(|(_, place)| batch(&all[*place])).collect::<Result<_, _>>()?;
    let measured = Measured { blueprint: own.shape, batches: &batches };
    let seconds = compute(plan.device, start::learning(first_weights()), measured)?;
    let tokens = sizes.iter().map(|(tokens, _)| tokens).sum::<usize>();
    let measured = middle.iter().map(|(tokens, _)| tokens).sum::<usize>();
    let steps = all.len().div_ceil(settings.accumulate);
    let (count, parameters) = own.shape.parameters();
    Ok(Estimate {
        parameters,
        examples: own.lessons.count(),
        tokens,
        steps,
        weights: 4 * count,
        activations: largest,
        seconds: seconds_of(settings, steps, seconds * tokens as f64 / measured.max(1) as f64),
    })
}

/// The time for all of a training, from that for an epoch.
fn seconds_of(settings: &TrainingSettings, steps: usize, epoch: f64) -> f64 {
    match settings.length {
        Length::Epochs(epochs) => epoch * epochs as f64,
        Length::Steps(count) => epoch * count as f64 / steps.max(1) as f64,
        Length::Minutes(minutes) => 60.0 * minutes,
    }
}

/// Measures the time for batches, with the way back.
struct Measured<'b, Plan: Blueprint> {
    blueprint: Plan,
    batches: &'b [Plan::Batch],
}

impl<Plan: Blueprint> Work for Measured<'_, Plan> {
    type Made = f64;
    const ON_GPU: Precision = Plan::ON_GPU;

    fn run<C: Compute>(self, compute: C) -> Result<f64, TrainingError> {
        let network = self.blueprint.build(compute);
        // The first one makes what stays for all others.
        if let Some(first) = self.batches.first() {
            let losses = network.learn(first, 1.0, DropoutRates::NONE, 0)?;
            network.device().read(&losses)?;
        }
        let began = Instant::now();
        for batch in self.batches {
            let losses = network.learn(batch, 1.0, DropoutRates::NONE, 0)?;
            network.device().read(&losses)?;
        }
        Ok(began.elapsed().as_secs_f64())
    }
}
