//! Models of source code: a batch of inputs in, a prediction for each out, whatever runs the model.
//!
//! A [`Model`] is opened by a name of the form `KIND:WHERE`, see [`open`]. Every kind is one file of [`adapters`].
//! A question about one input that goes wrong is a [`Fault`] in its place; the other inputs of the batch are answered.

pub mod adapters;
pub mod dataflow;
mod endpoint;
pub mod huggingface;
mod identity;
pub mod mutation;
mod nondeterminism;
pub mod paths;
#[cfg(test)]
mod testing;
pub mod training;
pub mod weights;
mod written;

use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use syntax::Language;

pub use adapters::open;
pub use identity::Identity;
pub use nondeterminism::{Baseline, nondeterminism_baseline};

/// So many inputs at once are good for most models.
pub const TOGETHER: usize = 256;

/// A model of source code.
///
/// What it answers about an input depends on nothing but the input: not on the others of the batch, nor on what was asked before.
/// Models whose answers vary on their own, as those behind an endpoint may, say so in their [`Identity`].
pub trait Model: Send + Sync {
    /// What the model is, so that an answer that was stored can be trusted.
    fn identity(&self) -> &Identity;

    /// Answers every input, in order.
    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>>;

    /// How many inputs it is best asked about at once: enough to fill its batches, few enough to see it getting on.
    fn together(&self) -> usize {
        TOGETHER
    }

    /// How many threads are best to ask it at the same time: more than one where it can make one batch ready while it computes
    /// another.
    fn askers(&self) -> usize {
        1
    }

    /// The embedding of every input, in order, of a model that has an encoder.
    fn embed(&self, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
        let _ = inputs;
        None
    }

    /// The tokens that the masks of every text stand for, of a masked language model: for each mask, `most` tokens, the most
    /// probable first.
    fn fill_masks(&self, texts: &[&str], most: usize) -> Option<Vec<Result<Filled, Fault>>> {
        let _ = (texts, most);
        None
    }

    /// How the loss for a class changes with the embedding of every token, of a model that can tell.
    fn gradients(&self, input: &Input, class: usize) -> Option<Result<Gradients, Fault>> {
        let _ = (input, class);
        None
    }

    /// The mean of the embeddings of a word's tokens, of a model whose [`Gradients`] are by these embeddings.
    fn word_embedding(&self, word: &str) -> Option<Vec<f32>> {
        let _ = word;
        None
    }
}

/// A program, or a part of one, as a model is asked about it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Code {
    /// The language that it is written in, which models that look at syntax need to know.
    pub language: Language,
    /// The text.
    pub text: String,
}

/// What a model is asked about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// One program: vulnerable or not, which author, what name.
    Code(Code),
    /// Two programs: clones or not.
    Pair(Code, Code),
    /// A program and a text: does the code answer the question?
    CodeAndText(Code, String),
}

/// For every mask of a text, tokens with their probability, the most probable first.
pub type Filled = Vec<Vec<(String, f32)>>;

/// What a model says about an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The prediction.
    pub prediction: Prediction,
    /// How much of the input the model saw, where it is known.
    pub tokens: Option<Tokens>,
}

/// A prediction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prediction {
    /// The probability of every class, by its number. They add up to one.
    Classes(Vec<f32>),
    /// Names with their certainty, the most certain first.
    Names(Vec<(String, f32)>),
    /// A text.
    Text(String),
    /// The vector of an encoder.
    Embedding(Vec<f32>),
}

/// How many tokens an input has, and how many of them the model saw before its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// The tokens of the whole input.
    pub all: usize,
    /// Those that the model was given.
    pub seen: usize,
}

/// How a loss changes with the embeddings of the tokens of an input.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradients {
    /// The cross entropy of the class that was asked about.
    pub loss: f32,
    /// The tokens that come from texts, in order.
    pub tokens: Vec<TokenGradient>,
}

/// How a loss changes with the embedding of one token.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenGradient {
    /// The number of the token in the vocabulary.
    pub token: u32,
    /// Which text of the input it is from, in the order in which the model reads them: 0, or 1 for the second.
    pub text: usize,
    /// The bytes of that text that it stands for.
    pub range: Range<usize>,
    /// The derivative of the loss by each component of the embedding.
    pub gradient: Vec<f32>,
}

/// Why a model has no answer about an input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The model takes another shape of input.
    #[error("the model takes {wanted}, but was given {given}")]
    WrongInput {
        /// What the model takes, such as `a pair of programs`.
        wanted: &'static str,
        /// What it was given.
        given: &'static str,
    },
    /// No answer came in time.
    #[error("no answer within {0:?}")]
    Late(Duration),
    /// The connection or the process ended before the answer.
    #[error("the connection broke: {0}")]
    Disconnected(String),
    /// The server said no.
    #[error("the server answered with status {status}: {message}")]
    Refused {
        /// The status of the answer.
        status: u16,
        /// What the server said, shortened.
        message: String,
    },
    /// The answer cannot be read.
    #[error("the answer cannot be read: {0}")]
    Garbage(String),
    /// The answer can be read, but is not what was asked for.
    #[error("the answer has the wrong shape: {0}")]
    WrongShape(String),
    /// The answer holds a number that is none, or an infinite one.
    #[error("the answer holds a number that is not finite")]
    NotFinite,
    /// The model failed inside.
    #[error("the model failed: {0}")]
    Failed(String),
}

/// Why a model cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The name does not say what kind of model it is.
    #[error("`{0}` names no model: write KIND:WHERE, where KIND is one of {kinds}", kinds = adapters::kinds())]
    UnknownKind(String),
    /// A file cannot be read.
    #[error("failed to read {}: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file or a setting is there, but does not say what it must.
    #[error("{place}: {problem}")]
    Unusable {
        /// The file or setting.
        place: String,
        /// What is wrong with it, and what would be right.
        problem: String,
    },
    /// This build or this machine lacks something.
    #[error("{0}")]
    Missing(String),
}

impl Input {
    /// What shape of input this is, in words.
    pub fn shape(&self) -> &'static str {
        match self {
            Input::Code(_) => "one program",
            Input::Pair(..) => "a pair of programs",
            Input::CodeAndText(..) => "a program and a text",
        }
    }

    /// The programs of the input, in order.
    pub fn programs(&self) -> Vec<&Code> {
        match self {
            Input::Code(code) | Input::CodeAndText(code, _) => vec![code],
            Input::Pair(first, second) => vec![first, second],
        }
    }
}

impl Prediction {
    /// The most probable class; the first of several equal ones.
    pub fn class(&self) -> Option<usize> {
        let Prediction::Classes(probabilities) = self else { return None };
        let best = probabilities.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        probabilities.iter().position(|probability| *probability == best)
    }
}
