//! T5 and CodeT5: texts, classes and embeddings.
//!
//! A checkpoint with a decoder writes texts. One with a head gives classes, as `T5ForSequenceClassification` of transformers and
//! CodeT5's own models have it: the decoder reads the input once more, and the head gets its state at the last end token. Where there
//! is no decoder, or where `pooling` is set, the head gets the encoder's state. Without a head the encoder's state is the answer.

use rayon::prelude::*;

use super::checkpoint::Checkpoint;
use super::encoder::Slopes;
use super::generation::{Past, Search};
use super::settings::{Head, Pooling, Shape};
use super::t5::T5;
use super::tokens::{Encoded, Vocabulary};
use crate::adapters::answers;
use crate::adapters::hf::each_once;
use crate::weights::Weights;
use crate::{Answer, Fault, Gradients, Identity, Input, Model, OpenError, Prediction, TokenGradient, Tokens};
use kernels::{Activation, Packed};

/// A T5 model and what it is for.
pub struct TextToText {
    identity: Identity,
    vocabulary: Vocabulary,
    t5: T5,
    shape: Shape,
    work: Work,
    pooling: Pooling,
    order: Option<Vec<usize>>,
    /// The names of the classes, if the checkpoint has any.
    labels: Option<Vec<String>>,
    /// What computes gradients, where something does.
    differentiable: Option<Box<dyn Differentiable>>,
}

/// What computes the gradients of a classifier that reads programs twice, see [`TextToText::classifier`].
pub trait Differentiable: Send + Sync {
    /// How the cross entropy of one output changes with the embeddings of the tokens of the sequences.
    fn slopes(&self, sequences: &[Vec<u32>], output: usize) -> Result<Slopes, Fault>;
}

/// What the weights of a classifier are called whose decoder reads programs once more.
pub struct ClassifierNames {
    /// What the names of encoder and decoder begin with.
    pub prefix: String,
    /// What the names of the head's layers begin with, or the name of its only layer.
    pub head: HeadWeights,
    /// How many vectors the head is given side by side.
    pub vectors: usize,
    /// The token that the decoder begins with, and the one that ends a program.
    pub ends: [u32; 2],
}

enum Work {
    /// Texts, from the scores of tokens that the scaled states become.
    Texts { output: Packed, scale: f32, search: Search },
    /// Classes, from one vector or from two beside each other.
    Classes { state: State, dense: Option<Packed>, output: Packed, vectors: usize },
    /// The embedding is the answer.
    Embedding,
}

/// The state that stands for an input.
#[derive(Clone, Copy)]
enum State {
    /// The decoder's at the last end token, when it has read the input moved by one token.
    LastEnd { start: u32, end: u32 },
    /// The encoder's.
    Encoder(Pooling),
}

impl TextToText {
    /// Reads the weights and the vocabulary of a checkpoint.
    pub fn open(place: &str, checkpoint: &Checkpoint) -> Result<TextToText, OpenError> {
        let (config, settings) = (&checkpoint.config, &checkpoint.settings);
        let weights = checkpoint.weights()?;
        let prefix = prefix(checkpoint, &weights)?;
        let t5 = T5::new(config, &weights, &prefix)?;
        let head = HeadWeights::find(&weights, settings.head_prefix.as_deref());
        let kind = settings.head.unwrap_or(match (&head, config.architecture()) {
            (Some(_), _) => Head::Classes,
            (None, "T5EncoderModel") => Head::Embedding,
            (None, _) if t5.has_decoder() => Head::Generation,
            (None, _) => Head::Embedding,
        });
        if settings.pooling == Some(Pooling::Pooler) {
            return Err(config.unusable("T5 has no pooler: `pooling` is first or mean".to_owned()));
        }
        let pad = config.number_or("pad_token_id", 0)?;
        let start = config.number_or("decoder_start_token_id", pad)? as u32;
        let end = config.number_or("eos_token_id", 1)? as u32;
        let work = match kind {
            Head::Generation => {
                let (output, scale) = output_layer(checkpoint, &weights, &prefix, &t5)?;
                Work::Texts { output, scale, search: Search::new(checkpoint, vec![end], start)? }
            }
            Head::Classes | Head::TwoEncodings => {
                let vectors = if kind == Head::TwoEncodings { 2 } else { 1 };
                let head = head.ok_or_else(|| {
                    weights.unusable("there is no head: weights whose names end in `out_proj.weight`".to_owned())
                })?;
                let (dense, output) = head.layers(&weights, t5.hidden(), vectors)?;
                if let Some(order) = &settings.order {
                    answers::check_order(order, output.outputs())?;
                }
                let pooling = settings.pooling.or((!t5.has_decoder()).then_some(Pooling::Mean));
                let state = pooling.map_or(State::LastEnd { start, end }, State::Encoder);
                Work::Classes { state, dense, output, vectors }
            }
            Head::Embedding => Work::Embedding,
            Head::Masked => return Err(config.unusable("a T5 checkpoint has no head for masks".to_owned())),
        };
        Ok(TextToText {
            identity: Identity {
                kind: "hf".to_owned(),
                place: checkpoint.pinned(place),
                digest: checkpoint.digest(&Vocabulary::files(checkpoint)?, None)?,
                varies: false,
            },
            vocabulary: Vocabulary::read(checkpoint, None)?,
            t5,
            shape: settings.input.unwrap_or(if kind == Head::TwoEncodings { Shape::Pair } else { Shape::Code }),
            work,
            pooling: settings.pooling.unwrap_or(Pooling::Mean),
            order: settings.order.clone(),
            // Settings that reorder the classes make the names of the checkpoint invalid.
            labels: if settings.order.is_none() { config.labels() } else { None },
            differentiable: None,
        })
    }

    /// What the weights are called, of a classifier whose decoder reads programs once more.
    pub fn classifier(&self, checkpoint: &Checkpoint) -> Result<Option<ClassifierNames>, OpenError> {
        let Work::Classes { state: State::LastEnd { start, end }, vectors, .. } = self.work else { return Ok(None) };
        // A token would have two embeddings, and it is not clear which of them its gradient is about.
        if !self.t5.has_shared_words() {
            return Ok(None);
        }
        let weights = checkpoint.weights()?;
        let Some(head) = HeadWeights::find(&weights, checkpoint.settings.head_prefix.as_deref()) else {
            return Ok(None);
        };
        Ok(Some(ClassifierNames { prefix: prefix(checkpoint, &weights)?, head, vectors, ends: [start, end] }))
    }

    /// The same model with gradients.
    pub fn with_gradients(self, differentiable: Box<dyn Differentiable>) -> TextToText {
        TextToText { differentiable: Some(differentiable), ..self }
    }

    /// The sequences that an input becomes.
    fn read(&self, input: &Input) -> Result<Vec<Encoded>, Fault> {
        let texts = answers::texts(self.shape, input)?;
        let are_apart = matches!(self.work, Work::Classes { vectors: 2, .. });
        let groups = texts.chunks(if are_apart { 1 } else { texts.len() });
        groups.map(|group| self.vocabulary.encode(group).map_err(Fault::Failed)).collect()
    }

    /// The tokens of the sequences that an input becomes, and how many there are and were.
    fn sequences(&self, input: &Input) -> Result<(Vec<Vec<u32>>, Tokens), Fault> {
        let mut tokens = Tokens { all: 0, seen: 0 };
        let mut sequences = Vec::new();
        for Encoded { ids, all, .. } in self.read(input)? {
            tokens = Tokens { all: tokens.all + all, seen: tokens.seen + ids.len() };
            sequences.push(ids);
        }
        Ok((sequences, tokens))
    }

    fn slopes(&self, differentiable: &dyn Differentiable, input: &Input, class: usize) -> Result<Gradients, Fault> {
        let Work::Classes { output, .. } = &self.work else {
            return Err(Fault::Failed("the model has no classes".to_owned()));
        };
        let classes = output.outputs().max(2);
        let output = match &self.order {
            Some(order) => order.iter().position(|known| *known == class),
            None => Some(class).filter(|class| *class < classes),
        };
        let output = output.ok_or_else(|| Fault::Failed(format!("there is no class {class}: there are {classes}")))?;
        let read = self.read(input)?;
        let sequences: Vec<Vec<u32>> = read.iter().map(|encoded| encoded.ids.clone()).collect();
        let Slopes { loss, gradients } = differentiable.slopes(&sequences, output)?;
        let mut tokens = Vec::new();
        for (number, (encoded, gradients)) in read.into_iter().zip(gradients).enumerate() {
            for piece in encoded.pieces {
                tokens.push(TokenGradient {
                    token: encoded.ids[piece.at],
                    text: number + piece.text,
                    range: piece.range,
                    gradient: gradients[piece.at].clone(),
                });
            }
        }
        Ok(Gradients { loss, tokens })
    }

    /// What `answer` says about the sequences of every input. Each different input is computed once, the longest first.
    fn each<T: Clone + Send>(
        &self,
        inputs: &[Input],
        answer: impl Fn(&[Vec<u32>]) -> Result<T, Fault> + Sync,
    ) -> Vec<Result<(T, Tokens), Fault>> {
        let read: Vec<_> = inputs.par_iter().map(|input| self.sequences(input)).collect();
        let length = |sequences: &Vec<Vec<u32>>| sequences.iter().map(Vec::len).sum();
        each_once(&read, length, |sequences| answer(sequences))
    }

    fn prediction(&self, sequences: &[Vec<u32>]) -> Result<Prediction, Fault> {
        match &self.work {
            Work::Embedding => self.embedding(sequences).and_then(answers::finite).map(Prediction::Embedding),
            Work::Texts { output, scale, search } => self.text(&sequences.concat(), output, *scale, search),
            Work::Classes { state, dense, output, .. } => {
                let states = sequences.iter().map(|ids| self.state(ids, *state)).collect::<Result<Vec<_>, _>>()?;
                let mut vector = states.concat();
                if let Some(dense) = dense {
                    vector = dense.apply(&vector, Activation::Tanh);
                }
                let scores = output.apply(&vector, Activation::None);
                answers::finite(answers::probabilities(&scores, self.order.as_deref())).map(Prediction::Classes)
            }
        }
    }

    fn embedding(&self, sequences: &[Vec<u32>]) -> Result<Vec<f32>, Fault> {
        let states = sequences.iter().map(|ids| self.state(ids, State::Encoder(self.pooling)));
        Ok(states.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn state(&self, ids: &[u32], state: State) -> Result<Vec<f32>, Fault> {
        let hidden = self.t5.hidden();
        let states = self.t5.encode(ids);
        match state {
            State::Encoder(Pooling::Mean) => Ok(answers::mean(&states, hidden)),
            State::Encoder(_) => Ok(states[..hidden].to_vec()),
            State::LastEnd { start, end } => {
                let last = ids.iter().rposition(|id| *id == end);
                let last = last.ok_or_else(|| Fault::Failed(format!("the input has no end token, number {end}")))?;
                let encoded = self.t5.encoded(&states).ok_or_else(no_decoder)?;
                // What stands after the last end does not matter: nothing looks ahead.
                let moved = [&[start], &ids[..last]].concat();
                let states = self.t5.decode_each(&encoded, &mut [Past::default()], &moved);
                Ok(states[last * hidden..].to_vec())
            }
        }
    }

    fn text(&self, ids: &[u32], output: &Packed, scale: f32, search: &Search) -> Result<Prediction, Fault> {
        let encoded = self.t5.encoded(&self.t5.encode(ids)).ok_or_else(no_decoder)?;
        let found = search.run_with_pasts(|pasts, tokens| {
            let mut states = self.t5.decode_each(&encoded, pasts, tokens);
            states.iter_mut().for_each(|number| *number *= scale);
            output.apply(&states, Activation::None)
        });
        self.vocabulary.text(&found.ok_or(Fault::NotFinite)?).map(Prediction::Text).map_err(Fault::Failed)
    }
}

impl Model for TextToText {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        let found = self.each(inputs, |sequences| self.prediction(sequences));
        let answer = |(prediction, tokens)| Answer { prediction, tokens: Some(tokens) };
        found.into_iter().map(|found| found.map(answer)).collect()
    }

    fn embed(&self, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
        let found = self.each(inputs, |sequences| self.embedding(sequences));
        Some(found.into_iter().map(|found| found.map(|(vector, _)| vector)).collect())
    }

    fn labels(&self) -> Option<&[String]> {
        self.labels.as_deref()
    }

    fn gradients(&self, input: &Input, class: usize) -> Option<Result<Gradients, Fault>> {
        Some(self.slopes(self.differentiable.as_deref()?, input, class))
    }

    fn word_embedding(&self, word: &str) -> Option<Vec<f32>> {
        self.differentiable.as_ref()?;
        let encoded = self.vocabulary.encode(&[word]).ok()?;
        let hidden = self.t5.hidden();
        let row = |id: u32| &self.t5.words()[id as usize * hidden..][..hidden];
        let rows = encoded.pieces.iter().map(|piece| row(encoded.ids[piece.at])).collect::<Vec<_>>().concat();
        (!rows.is_empty()).then(|| answers::mean(&rows, hidden))
    }
}

/// What the names of encoder and decoder begin with.
fn prefix(checkpoint: &Checkpoint, weights: &Weights) -> Result<String, OpenError> {
    match &checkpoint.settings.prefix {
        Some(prefix) => Ok(prefix.clone()),
        None => weights
            .prefix_of("encoder.final_layer_norm.weight")
            .ok_or_else(|| weights.unusable("there is no encoder: is it another kind of model?".to_owned())),
    }
}

/// Where the weights of a head are.
pub enum HeadWeights {
    /// Two layers, `dense` and `out_proj`, after this prefix.
    Two(String),
    /// One layer of this name, as in CodeT5's model for defects.
    One(String),
}

impl HeadWeights {
    fn find(weights: &Weights, prefix: Option<&str>) -> Option<HeadWeights> {
        let prefixes: Vec<String> = match prefix {
            Some(prefix) => vec![prefix.to_owned()],
            None => weights.prefix_of("out_proj.weight").into_iter().chain(["classifier.".to_owned()]).collect(),
        };
        prefixes.into_iter().find_map(|prefix| {
            let name = prefix.trim_end_matches('.').to_owned();
            match weights.has(&format!("{prefix}out_proj.weight")) {
                true => Some(HeadWeights::Two(prefix)),
                false => weights.has(&format!("{name}.weight")).then_some(HeadWeights::One(name)),
            }
        })
    }

    fn layers(&self, weights: &Weights, hidden: usize, vectors: usize) -> Result<(Option<Packed>, Packed), OpenError> {
        let classes = |name: &str| weights.shape(&format!("{name}.weight")).and_then(|shape| shape.first().copied());
        match self {
            HeadWeights::Two(prefix) => {
                let name = format!("{prefix}out_proj");
                let output = weights.linear(&name, hidden, classes(&name).unwrap_or_default())?;
                Ok((Some(weights.linear(&format!("{prefix}dense"), vectors * hidden, hidden)?), output))
            }
            HeadWeights::One(name) => {
                Ok((None, weights.linear(name, vectors * hidden, classes(name).unwrap_or_default())?))
            }
        }
    }
}

/// The layer that makes scores of tokens out of states, and what the states are multiplied with before it.
fn output_layer(checkpoint: &Checkpoint, weights: &Weights, prefix: &str, t5: &T5) -> Result<(Packed, f32), OpenError> {
    if !t5.has_decoder() {
        return Err(weights.unusable("there is no decoder, so it cannot generate text".to_owned()));
    }
    let (config, hidden) = (&checkpoint.config, t5.hidden());
    let vocabulary = config.number("vocab_size")?;
    // The output layer is the embeddings, unless it has weights of its own.
    let name = format!("{prefix}lm_head.weight");
    let output = match weights.has(&name) {
        true => weights.matrix(&name, [vocabulary, hidden])?.packed(None),
        false => Packed::new(t5.words(), None, hidden, vocabulary),
    };
    // The first T5, whose output layer was the embeddings, scaled its states; later ones do not. Older configurations say it by
    // whether the two are tied, newer ones by a key of its own.
    let is_tied = config.flag_or("tie_word_embeddings", true)?;
    let is_scaled = config.flag_or("scale_decoder_outputs", is_tied)?;
    Ok((output, if is_scaled { (hidden as f32).powf(-0.5) } else { 1.0 }))
}

fn no_decoder() -> Fault {
    Fault::Failed("the checkpoint has no decoder".to_owned())
}
