//! T5 classifiers with gradients: our own kernels answer, and a network with a way back tells the slopes.

use std::sync::OnceLock;

use model::huggingface::checkpoint::Checkpoint;
use model::huggingface::encoder::Slopes;
use model::huggingface::roberta::Sequence;
use model::huggingface::t5::Dimensions;
use model::huggingface::text_to_text::{ClassifierNames, Differentiable, HeadWeights, TextToText};
use model::weights::Weights;
use model::{Fault, OpenError};

use super::fault;
use crate::compute::State;
use crate::network::t5::{T5Head, T5Network, T5Shape};
use crate::network::{Batch, Question};
use crate::processor::Processor;
use crate::shape::{Parameter, ParameterKind};

/// Opens a T5 checkpoint; a classifier whose decoder reads programs once more has gradients.
pub fn open(place: &str, checkpoint: Checkpoint) -> Result<TextToText, OpenError> {
    let model = TextToText::open(place, &checkpoint)?;
    Ok(match model.classifier(&checkpoint)? {
        Some(names) => model.with_gradients(Box::new(Source { checkpoint, names, network: OnceLock::new() })),
        None => model,
    })
}

/// The weights of a classifier, and what they are called.
struct Source {
    checkpoint: Checkpoint,
    names: ClassifierNames,
    /// Read when the first gradient is asked for.
    network: OnceLock<Result<T5Network<Processor>, String>>,
}

impl Differentiable for Source {
    fn slopes(&self, sequences: &[Vec<u32>], output: usize) -> Result<Slopes, Fault> {
        let network = self.network.get_or_init(|| self.network().map_err(|error| error.to_string()));
        let network = network.as_ref().map_err(|problem| Fault::Failed(problem.clone()))?;
        let sequence = |ids: &Vec<u32>| Sequence { ids: ids.clone(), positions: Vec::new(), graph: None };
        let question = Question::Classes { sequences: (0..sequences.len()).collect(), classes: vec![output as u32] };
        let batch = Batch::new(sequences.iter().map(sequence).collect(), question);
        network.word_slopes(&batch).map_err(|error| fault(&error))
    }
}

impl Source {
    /// The network, which does not learn. A head with one output becomes one with two, the first of which is always zero.
    fn network(&self) -> Result<T5Network<Processor>, OpenError> {
        let weights = self.checkpoint.weights()?;
        let ClassifierNames { vectors, ends: [start, end], .. } = self.names;
        let dimensions = Dimensions::read(&self.checkpoint.config)?;
        let shape = weights.shape(&self.of_head("out_proj.weight"));
        let outputs = shape.and_then(|shape| shape.first().copied()).unwrap_or_default();
        let head = T5Head::Classes {
            vectors,
            classes: if outputs == 1 { 2 } else { outputs },
            is_deep: matches!(self.names.head, HeadWeights::Two(_)),
        };
        let shape = T5Shape { dimensions, head, start, end };
        let layout = shape.layout();
        let mut all = vec![0.0; layout.count];
        for parameter in &layout.parameters {
            let own = self.array(&weights, parameter, outputs)?;
            let end = parameter.start + parameter.count();
            all[end - own.len()..end].copy_from_slice(&own);
        }
        Ok(T5Network::new(shape, Processor::new(State { weights: all, ..State::default() })))
    }

    /// The array of a checkpoint that a parameter is read from; none of a bias that it does not have.
    fn array(&self, weights: &Weights, parameter: &Parameter, outputs: usize) -> Result<Vec<f32>, OpenError> {
        let prefix = &self.names.prefix;
        let mut shape = parameter.shape.clone();
        let name = match parameter.name.strip_prefix("classification_head.") {
            Some(rest) => {
                if rest.starts_with("out_proj.") {
                    shape[0] = outputs;
                }
                self.of_head(rest)
            }
            // Encoder and decoder share what the reader takes for the encoder.
            None if parameter.name == "shared.weight" => {
                let own = format!("{prefix}encoder.embed_tokens.weight");
                if weights.has(&own) { own } else { format!("{prefix}shared.weight") }
            }
            None => format!("{prefix}{}", parameter.name),
        };
        match parameter.kind == ParameterKind::Bias && !weights.has(&name) {
            true => Ok(Vec::new()),
            false => weights.take(&name, &shape),
        }
    }

    /// The name of a part of the head, by its name in a head of two layers.
    fn of_head(&self, part: &str) -> String {
        match &self.names.head {
            HeadWeights::Two(prefix) => format!("{prefix}{part}"),
            HeadWeights::One(name) => part.replace("out_proj", name),
        }
    }
}
