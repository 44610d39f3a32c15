//! The parameters that a training begins with: random ones, or those of a checkpoint.

use model::huggingface::checkpoint::Checkpoint;
use model::huggingface::roberta::{Dimensions, PositionKind};
use model::weights::Weights;
use random::{Random, seed_of};
use rayon::prelude::*;

use super::{Base, DECODER_LAYERS, Goal, News, Observer, TrainingError, TrainingPlan};
use crate::compute::State;
use crate::shape::{HeadKind, Layout, PROJECTION, Parameter, ParameterKind, Shape};

/// The deviation of random weights, as in the transformers library.
const DEVIATION: f64 = 0.02;

/// The row of the token that pads.
const PADDING: usize = 1;

/// The network that a configuration describes, with the head that the goal needs.
pub fn shape(checkpoint: &Checkpoint, goal: &Goal) -> Result<Shape, TrainingError> {
    let config = &checkpoint.config;
    let dimensions = Dimensions::read(config)?;
    let head = match goal {
        Goal::Masked => HeadKind::Masked,
        Goal::Search => HeadKind::Matches,
        Goal::Captions { .. } if dimensions.position_kind != PositionKind::Absolute => {
            let problem = "a decoder reads the encoder's embeddings, and without positions in them it cannot tell the order of words";
            return Err(TrainingError::Unfit(format!("{problem}: take an encoder with absolute positions")));
        }
        Goal::Captions { layers, .. } => {
            HeadKind::Decoder { layers: layers.unwrap_or(DECODER_LAYERS), inner: dimensions.inner }
        }
        Goal::Classes { labels, programs } => HeadKind::Classes { vectors: *programs, classes: labels.len() },
    };
    Ok(Shape { dimensions, head, taught: None })
}

/// The state that a training begins with.
pub fn state(plan: &TrainingPlan, shape: &Shape, observer: &Observer<'_>) -> Result<State, TrainingError> {
    let layout = shape.layout();
    let mut weights = random_weights(&layout.parameters, layout.count, plan.settings.seed);
    if let Base::From { place, .. } = &plan.base {
        let source = open_source(place)?;
        for note in take_weights(&source, &plan.goal, &layout, &mut weights)? {
            (observer.tell)(News::Note(note));
        }
    }
    Ok(learning(weights))
}

/// The state of a network that begins to learn with these weights.
pub fn learning(weights: Vec<f32>) -> State {
    let zeros = vec![0.0; weights.len()];
    State { weights, first_moments: zeros.clone(), second_moments: zeros }
}

/// The checkpoint that a training begins with, by its name.
pub fn open_source(place: &str) -> Result<Checkpoint, TrainingError> {
    Ok(Checkpoint::find(place.strip_prefix("hf:").unwrap_or(place))?)
}

/// Random weights: every parameter is drawn by its own name, so that another head leaves the encoder as it is.
pub fn random_weights(parameters: &[Parameter], count: usize, seed: u64) -> Vec<f32> {
    let drawn: Vec<Vec<f32>> = parameters.par_iter().map(|parameter| drawn(parameter, seed)).collect();
    // There may be gaps between parameters.
    let mut weights = vec![0.0; count];
    for (parameter, own) in parameters.iter().zip(drawn) {
        weights[parameter.start..parameter.start + own.len()].copy_from_slice(&own);
    }
    weights
}

fn drawn(parameter: &Parameter, seed: u64) -> Vec<f32> {
    let count = parameter.count();
    match parameter.kind {
        ParameterKind::Bias => vec![0.0; count],
        ParameterKind::Scale => vec![1.0; count],
        ParameterKind::Weight | ParameterKind::Words | ParameterKind::Even | ParameterKind::Part { .. } => {
            let mut random = Random::new(seed_of(&[b"weights", &seed.to_le_bytes(), parameter.name.as_bytes()]));
            let width = parameter.shape.last().copied().unwrap_or_default();
            let deviation = match parameter.kind {
                ParameterKind::Even => 1.0 / (width.max(1) as f64).sqrt(),
                ParameterKind::Part { inputs } => 1.0 / (inputs.max(1) as f64).sqrt(),
                _ => DEVIATION,
            };
            let mut numbers = Vec::with_capacity(count + 1);
            while numbers.len() < count {
                let two = two_normal(&mut random);
                numbers.extend(two.map(|number| (number * deviation) as f32));
            }
            numbers.truncate(count);
            if parameter.kind == ParameterKind::Words && count >= (PADDING + 1) * width {
                numbers[PADDING * width..][..width].fill(0.0);
            }
            numbers
        }
    }
}

/// Two numbers of a normal distribution, by Marsaglia's polar method.
fn two_normal(random: &mut Random) -> [f64; 2] {
    const STEPS: usize = 1 << 53;
    loop {
        let [one, other] = [0, 1].map(|_| 2.0 * (random.below(STEPS) as f64 + 0.5) / STEPS as f64 - 1.0);
        let square = one * one + other * other;
        if square < 1.0 && square > 0.0 {
            let factor = (-2.0 * square.ln() / square).sqrt();
            return [one * factor, other * factor];
        }
    }
}

/// Puts the weights of a checkpoint in the places of random ones. What is said about the head is returned.
fn take_weights(
    source: &Checkpoint,
    goal: &Goal,
    layout: &Layout,
    numbers: &mut [f32],
) -> Result<Vec<String>, TrainingError> {
    let (weights, settings) = (source.weights()?, &source.settings);
    let prefix = match &settings.prefix {
        Some(prefix) => prefix.clone(),
        None => weights.prefix_of("embeddings.word_embeddings.weight").ok_or_else(|| {
            TrainingError::Unfit(format!(
                "{}: there are no word embeddings: is it another kind of model?",
                source.config.place()
            ))
        })?,
    };
    // The projection of states is new in every training.
    let (encoder, head): (Vec<&Parameter>, Vec<&Parameter>) = layout
        .parameters
        .iter()
        .filter(|parameter| !parameter.name.starts_with(PROJECTION))
        .partition(|parameter| parameter.name.starts_with("roberta."));
    for parameter in encoder {
        let name = format!("{prefix}{}", parameter.name.trim_start_matches("roberta."));
        put(&weights, &name, parameter, numbers)?;
    }
    if *goal == Goal::Search {
        return Ok(Vec::new());
    }
    let mut notes = vec![take_head(source, &weights, goal, &head, numbers)?];
    let tied = format!("{prefix}embeddings.word_embeddings.weight");
    if let (Goal::Masked, Some(shape)) = (goal, weights.shape("lm_head.decoder.weight"))
        && weights.take("lm_head.decoder.weight", shape)? != weights.take(&tied, shape)?
    {
        notes.push("its output layer is not the embeddings of the words, which take its place".to_owned());
    }
    Ok(notes)
}

/// Puts the weights of the head of a checkpoint in the places of random ones, where they fit, and says whether they do.
pub fn take_head(
    source: &Checkpoint,
    weights: &Weights,
    goal: &Goal,
    head: &[&Parameter],
    numbers: &mut [f32],
) -> Result<String, TrainingError> {
    let settings = &source.settings;
    let head_prefix = match goal {
        Goal::Masked => Some("lm_head.".to_owned()),
        Goal::Search | Goal::Captions { .. } => None,
        Goal::Classes { .. } => settings.head_prefix.clone().or_else(|| weights.prefix_of("out_proj.weight")),
    };
    let name = |parameter: &Parameter| {
        if let Goal::Captions { .. } = goal {
            return Some(parameter.name.clone());
        }
        let end = parameter.name.split_once('.').map_or("", |(_, end)| end);
        head_prefix.as_ref().map(|prefix| format!("{prefix}{end}"))
    };
    let fits =
        |parameter: &&Parameter| name(parameter).is_some_and(|name| weights.shape(&name) == Some(&parameter.shape[..]));
    let has_other_labels = match goal {
        Goal::Classes { labels, .. } if settings.order.is_none() => {
            source.config.labels().is_some_and(|own| own != *labels)
        }
        Goal::Classes { .. } | Goal::Masked | Goal::Search | Goal::Captions { .. } => false,
    };
    if !head.iter().all(fits) || has_other_labels {
        return Ok(format!(
            "{} has no head for this task, so the head begins with random weights",
            source.config.place()
        ));
    }
    for parameter in head {
        let name = name(parameter).unwrap_or_default();
        put(weights, &name, parameter, numbers)?;
        // Settings say which class each output stands for; here the outputs are the classes.
        let is_last = matches!(goal, Goal::Classes { .. }) && parameter.name.contains(".out_proj.");
        if let (Some(order), true) = (&settings.order, is_last) {
            let width: usize = parameter.shape[1..].iter().product();
            let own = &mut numbers[parameter.start..][..parameter.shape[0] * width];
            let before = own.to_vec();
            for (output, class) in order.iter().enumerate().filter(|(_, class)| **class < parameter.shape[0]) {
                own[class * width..][..width].copy_from_slice(&before[output * width..][..width]);
            }
        }
    }
    Ok(format!("the head of {} is trained further", source.config.place()))
}

/// Puts one array of a checkpoint in the place of a parameter.
pub fn put(weights: &Weights, name: &str, parameter: &Parameter, numbers: &mut [f32]) -> Result<(), TrainingError> {
    // A layer without a bias has zeros in its place, as it begins.
    if parameter.kind == ParameterKind::Bias && !weights.has(name) {
        return Ok(());
    }
    let own = weights.take(name, &parameter.shape)?;
    numbers[parameter.start..][..own.len()].copy_from_slice(&own);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernels::Activation;

    #[test]
    fn weights_begin_as_in_transformers() {
        let dimensions = Dimensions {
            // No multiples of eight, so that there are gaps between parameters.
            hidden: 38,
            heads: 2,
            inner: 76,
            layers: 1,
            vocabulary: 301,
            positions: 34,
            position_kind: PositionKind::Absolute,
            types: 1,
            epsilon: 1e-5,
            activation: Activation::Gelu,
        };
        let layout = |head| Shape { dimensions, head, taught: None }.layout();
        let masked = layout(HeadKind::Masked);
        let weights = random_weights(&masked.parameters, masked.count, 3);
        let of = |layout: &Layout, weights: &[f32], name: &str| -> Vec<f32> {
            let parameter = layout.parameters.iter().find(|parameter| parameter.name == name).unwrap();
            weights[parameter.start..][..parameter.count()].to_vec()
        };
        let words = of(&masked, &weights, "roberta.embeddings.word_embeddings.weight");
        assert!(words[38..76].iter().all(|number| *number == 0.0) && words[..38].iter().all(|number| *number != 0.0));
        let mean = words.iter().map(|number| f64::from(*number)).sum::<f64>() / words.len() as f64;
        let variance = words.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>() / (words.len() - 38) as f64;
        assert!(mean.abs() < 1e-3 && (variance.sqrt() - 0.02).abs() < 5e-4, "{mean} {variance}");
        assert!(of(&masked, &weights, "roberta.embeddings.LayerNorm.weight").iter().all(|number| *number == 1.0));
        assert!(of(&masked, &weights, "lm_head.bias").iter().all(|number| *number == 0.0));
        assert_ne!(random_weights(&masked.parameters, masked.count, 4), weights);
        // Another head leaves the encoder as it is.
        let classes = layout(HeadKind::Classes { vectors: 2, classes: 3 });
        let others = random_weights(&classes.parameters, classes.count, 3);
        let name = "roberta.encoder.layer.0.output.dense.weight";
        assert_eq!(of(&masked, &weights, name), of(&classes, &others, name));
    }
}
