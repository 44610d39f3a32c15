//! A RoBERTa encoder with a head: classes, masked tokens, or the embedding itself.

use std::collections::HashMap;
use std::sync::OnceLock;

use rayon::prelude::*;

use crate::adapters::answers::{check_order, finite, mean, probabilities, texts};

use crate::huggingface::checkpoint::Checkpoint;
use crate::huggingface::differentiable::Differentiable;
use crate::huggingface::graph;
use crate::huggingface::roberta::{Norm, Roberta, Sequence, Wanted};
use crate::huggingface::settings::{Head, Pooling, Shape};
use crate::huggingface::tokens::{Piece, Vocabulary};
use crate::kernels::{Activation, Packed, softmax};
use crate::weights::Weights;
use crate::{Answer, Fault, Filled, Gradients, Identity, Input, Model, OpenError, Prediction, TokenGradient, Tokens};

/// A RoBERTa encoder with a head.
pub struct Encoder {
    identity: Identity,
    checkpoint: Checkpoint,
    prefix: String,
    vocabulary: Vocabulary,
    roberta: Roberta,
    shape: Shape,
    layers: Layers,
    pooling: Pooling,
    /// The layer that BERT's pooling ends with.
    pooler: Option<Packed>,
    /// The classifier through which gradients flow, read when the first gradient is asked for.
    differentiable: OnceLock<Result<Differentiable, String>>,
}

/// The layers behind the encoder.
enum Layers {
    /// Scores of classes from one vector, or from two beside each other.
    Classes { dense: Packed, output: Packed, vectors: usize, prefix: String },
    /// Scores of all tokens for a state.
    Masked { dense: Packed, norm: Norm, output: Packed, mask: u32 },
    /// The embedding is the answer.
    None,
}

/// A sequence, the tokens of it that come from texts, and the number of the first of these texts.
struct Read {
    sequence: Sequence,
    pieces: Vec<Piece>,
    first_text: usize,
}

/// How many tokens are predicted for a mask when nobody says how many.
const TOKENS_FOR_A_MASK: usize = 10;

impl Encoder {
    /// Reads the weights and the vocabulary of a checkpoint.
    pub fn open(place: &str, checkpoint: Checkpoint) -> Result<Encoder, OpenError> {
        let (config, settings) = (&checkpoint.config, &checkpoint.settings);
        let weights = Weights::read(&Weights::files(&checkpoint.folder, settings.weights.as_deref())?)?;
        let prefix = match &settings.prefix {
            Some(prefix) => prefix.clone(),
            None => weights.prefix_of("embeddings.word_embeddings.weight").ok_or_else(|| {
                weights.unusable("there are no word embeddings: is it another kind of model?".to_owned())
            })?,
        };
        let roberta = Roberta::new(config, &weights, &prefix)?;
        let pad = config.number_or("pad_token_id", 1)?;
        let most = config.number("max_position_embeddings")?.saturating_sub(pad + 1);
        let vocabulary = Vocabulary::read(&checkpoint, Some(most))?;
        let head_prefix = settings.head_prefix.clone().or_else(|| weights.prefix_of("out_proj.weight"));
        let head = settings.head.unwrap_or(match (&head_prefix, weights.has("lm_head.dense.weight")) {
            (_, true) => Head::Masked,
            (Some(_), false) => Head::Classes,
            (None, false) => Head::Embedding,
        });
        let layers = match (head, head_prefix) {
            (Head::Classes, Some(prefix)) => classes(&weights, prefix, 1, roberta.hidden())?,
            (Head::TwoEncodings, Some(prefix)) => classes(&weights, prefix, 2, roberta.hidden())?,
            (Head::Classes | Head::TwoEncodings, None) => {
                return Err(
                    weights.unusable("there is no head: weights whose names end in `out_proj.weight`".to_owned())
                );
            }
            (Head::Masked, _) => masked(&checkpoint, &weights, &vocabulary, &prefix, roberta.hidden())?,
            (Head::Embedding, _) => Layers::None,
            (Head::Generation, _) => {
                return Err(config.unusable("a RoBERTa encoder does not generate text".to_owned()));
            }
        };
        if let (Some(order), Layers::Classes { output, .. }) = (&settings.order, &layers) {
            check_order(order, output.outputs())?;
        }
        let pooling = settings.pooling.unwrap_or_default();
        let pooler = match pooling {
            Pooling::Pooler => {
                Some(weights.linear(&format!("{prefix}pooler.dense"), roberta.hidden(), roberta.hidden())?)
            }
            Pooling::First | Pooling::Mean => None,
        };
        let identity = Identity {
            kind: "hf".to_owned(),
            place: place.to_owned(),
            digest: checkpoint.digest(&Vocabulary::files(&checkpoint)?)?,
            varies: false,
        };
        let shape = settings.input.unwrap_or(if head == Head::TwoEncodings { Shape::Pair } else { Shape::Code });
        let differentiable = OnceLock::new();
        Ok(Encoder {
            identity,
            checkpoint,
            prefix,
            vocabulary,
            roberta,
            shape,
            layers,
            pooling,
            pooler,
            differentiable,
        })
    }

    /// The sequences that an input becomes, and how many tokens they have and had.
    fn read(&self, input: &Input) -> Result<(Vec<Read>, Tokens), Fault> {
        let texts = texts(self.shape, input)?;
        let mut read = Vec::new();
        let mut tokens = Tokens { all: 0, seen: 0 };
        let mut add = |sequence: Sequence, pieces, first_text, all| {
            tokens = Tokens { all: tokens.all + all, seen: tokens.seen + sequence.ids.len() };
            read.push(Read { sequence, pieces, first_text });
        };
        if let Some(sizes) = &self.checkpoint.settings.data_flow {
            for (number, code) in input.programs().into_iter().enumerate() {
                let (sequence, pieces, all) = graph::sequence(&self.vocabulary, sizes, code).map_err(Fault::Failed)?;
                add(sequence, pieces, number, all);
            }
        } else {
            let together = if let Layers::Classes { vectors: 2, .. } = self.layers { 1 } else { texts.len() };
            for (number, group) in texts.chunks(together).enumerate() {
                let encoded = self.vocabulary.encode(group).map_err(Fault::Failed)?;
                let positions = self.vocabulary.positions(&encoded.ids);
                add(Sequence { ids: encoded.ids, positions, graph: None }, encoded.pieces, number, encoded.all);
            }
        }
        Ok((read, tokens))
    }

    /// The vector of every sequence; each different one is computed once.
    fn vectors<'s>(&self, sequences: impl Iterator<Item = &'s Sequence>) -> HashMap<&'s Sequence, Vec<f32>> {
        let mut different: Vec<&Sequence> = sequences.collect();
        // What is longest begins first, so that no core is left with it at the end.
        different.sort_by(|one, other| (other.ids.len(), &other.ids).cmp(&(one.ids.len(), &one.ids)));
        different.dedup();
        different.into_par_iter().with_max_len(1).map(|sequence| (sequence, self.vector(sequence))).collect()
    }

    fn vector(&self, sequence: &Sequence) -> Vec<f32> {
        let hidden = self.roberta.hidden();
        match (&self.layers, &self.pooler, self.pooling) {
            (Layers::None, Some(pooler), _) => {
                pooler.apply(&self.roberta.encode(sequence, Wanted::First), Activation::Tanh)
            }
            (Layers::None, None, Pooling::Mean) => mean(&self.roberta.encode(sequence, Wanted::All), hidden),
            _ => self.roberta.encode(sequence, Wanted::First),
        }
    }

    /// The answers for inputs whose sequences become vectors.
    fn answers<Answer>(
        &self,
        inputs: &[Input],
        answer: impl Fn(Vec<&[f32]>, Tokens) -> Result<Answer, Fault>,
    ) -> Vec<Result<Answer, Fault>> {
        let read: Vec<Result<(Vec<Read>, Tokens), Fault>> = inputs.par_iter().map(|input| self.read(input)).collect();
        let vectors = self.vectors(read.iter().flatten().flat_map(|(read, _)| read).map(|read| &read.sequence));
        read.iter()
            .map(|read| {
                let (read, tokens) = read.as_ref().map_err(Fault::clone)?;
                answer(read.iter().map(|read| vectors[&read.sequence].as_slice()).collect(), *tokens)
            })
            .collect()
    }

    /// The tokens for the masks of a sequence.
    fn filled(&self, sequence: &Sequence, most: usize) -> Filled {
        let Layers::Masked { dense, norm, output, mask } = &self.layers else { return Vec::new() };
        let hidden = self.roberta.hidden();
        let states = self.roberta.encode(sequence, Wanted::All);
        let masks = (0..sequence.ids.len()).filter(|at| sequence.ids[*at] == *mask);
        let states: Vec<f32> = masks.flat_map(|at| &states[at * hidden..][..hidden]).copied().collect();
        let mut states = dense.apply(&states, Activation::Gelu);
        norm.apply(&mut states, None, self.roberta.epsilon());
        let scores = output.apply(&states, Activation::None);
        let best = |scores: &[f32]| -> Vec<(String, f32)> {
            let probabilities = softmax(scores);
            let mut order: Vec<usize> = (0..probabilities.len()).collect();
            order.sort_by(|one, other| probabilities[*other].total_cmp(&probabilities[*one]).then(one.cmp(other)));
            order.into_iter().take(most).map(|id| (self.vocabulary.token(id as u32), probabilities[id])).collect()
        };
        scores.chunks_exact(output.outputs()).map(best).collect()
    }

    fn slopes(&self, input: &Input, class: usize) -> Result<Gradients, Fault> {
        let Layers::Classes { output, prefix, .. } = &self.layers else {
            return Err(Fault::Failed("the model has no classes".to_owned()));
        };
        let classes = output.outputs().max(2);
        let output = match &self.checkpoint.settings.order {
            Some(order) => order.iter().position(|known| *known == class),
            None => Some(class).filter(|class| *class < classes),
        };
        let output = output.ok_or_else(|| Fault::Failed(format!("there is no class {class}: there are {classes}")))?;
        let differentiable = self.differentiable.get_or_init(|| {
            let files = Weights::files(&self.checkpoint.folder, self.checkpoint.settings.weights.as_deref());
            files
                .and_then(|files| Differentiable::read(&self.checkpoint.config, &files, &self.prefix, prefix))
                .map_err(|error| error.to_string())
        });
        let differentiable = differentiable.as_ref().map_err(|problem| Fault::Failed(problem.clone()))?;
        let (read, _) = self.read(input)?;
        let sequences: Vec<&Sequence> = read.iter().map(|read| &read.sequence).collect();
        let slopes = differentiable.slopes(&sequences, output).map_err(|error| Fault::Failed(error.to_string()))?;
        let mut tokens = Vec::new();
        for (read, gradients) in read.into_iter().zip(slopes.gradients) {
            for piece in read.pieces {
                tokens.push(TokenGradient {
                    token: read.sequence.ids[piece.at],
                    text: read.first_text + piece.text,
                    range: piece.range,
                    gradient: gradients[piece.at].clone(),
                });
            }
        }
        Ok(Gradients { loss: slopes.loss, tokens })
    }
}

/// The head of a classifier.
fn classes(weights: &Weights, prefix: String, vectors: usize, hidden: usize) -> Result<Layers, OpenError> {
    let classes = weights.shape(&format!("{prefix}out_proj.weight")).and_then(|shape| shape.first().copied());
    Ok(Layers::Classes {
        dense: weights.linear(&format!("{prefix}dense"), vectors * hidden, hidden)?,
        output: weights.linear(&format!("{prefix}out_proj"), hidden, classes.unwrap_or_default())?,
        vectors,
        prefix,
    })
}

/// The head of a masked language model.
fn masked(
    checkpoint: &Checkpoint,
    weights: &Weights,
    vocabulary: &Vocabulary,
    prefix: &str,
    hidden: usize,
) -> Result<Layers, OpenError> {
    let size = checkpoint.config.number("vocab_size")?;
    let mask = vocabulary.id("<mask>").ok_or_else(|| {
        checkpoint
            .config
            .unusable("the vocabulary has no token `<mask>`, which a masked language model needs".to_owned())
    })?;
    let tied = format!("{prefix}embeddings.word_embeddings.weight");
    let name = if weights.has("lm_head.decoder.weight") { "lm_head.decoder.weight" } else { &tied };
    let bias = weights.take("lm_head.bias", &[size])?;
    Ok(Layers::Masked {
        dense: weights.linear("lm_head.dense", hidden, hidden)?,
        norm: Norm::new(weights, "lm_head.layer_norm", hidden)?,
        output: Packed::new(&weights.take(name, &[size, hidden])?, Some(&bias), hidden, size),
        mask,
    })
}

impl Model for Encoder {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        if let Layers::Masked { .. } = self.layers {
            let answer = |input: &Input| {
                let (read, tokens) = self.read(input)?;
                let filled =
                    read.first().map(|read| self.filled(&read.sequence, TOKENS_FOR_A_MASK)).unwrap_or_default();
                let names =
                    filled.into_iter().next().ok_or_else(|| Fault::Failed("the input has no `<mask>`".to_owned()))?;
                Ok(Answer { prediction: Prediction::Names(names), tokens: Some(tokens) })
            };
            return inputs.par_iter().with_max_len(1).map(answer).collect();
        }
        self.answers(inputs, |vectors, tokens| {
            let prediction = match &self.layers {
                Layers::Classes { dense, output, .. } => {
                    let scores = output.apply(&dense.apply(&vectors.concat(), Activation::Tanh), Activation::None);
                    let order = self.checkpoint.settings.order.as_deref();
                    Prediction::Classes(finite(probabilities(&scores, order))?)
                }
                Layers::Masked { .. } | Layers::None => Prediction::Embedding(finite(vectors.concat())?),
            };
            Ok(Answer { prediction, tokens: Some(tokens) })
        })
    }

    fn embed(&self, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
        Some(self.answers(inputs, |vectors, _| finite(vectors.concat())))
    }

    fn fill_masks(&self, texts: &[&str], most: usize) -> Option<Vec<Result<Filled, Fault>>> {
        let Layers::Masked { .. } = self.layers else { return None };
        let fill = |text: &&str| {
            let ids = self.vocabulary.encode(&[text]).map_err(Fault::Failed)?.ids;
            let positions = self.vocabulary.positions(&ids);
            Ok(self.filled(&Sequence { ids, positions, graph: None }, most))
        };
        Some(texts.par_iter().with_max_len(1).map(fill).collect())
    }

    fn gradients(&self, input: &Input, class: usize) -> Option<Result<Gradients, Fault>> {
        let Layers::Classes { .. } = self.layers else { return None };
        Some(self.slopes(input, class))
    }
}
