//! Models of source code: a batch of inputs in, a prediction for each out, whatever runs the model.
//!
//! A [`Model`] is opened by a name of the form `KIND:WHERE`, see [`open`]. Every kind is one file of [`adapters`]. A
//! query that fails is a [`Fault`] in its place; the other inputs of the batch are answered.

pub mod adapters;
pub mod builtin;
pub mod dataflow;
mod endpoint;
pub mod huggingface;
mod identity;
pub mod mutation;
mod noise;
pub mod paths;
#[cfg(test)]
mod testing;
pub mod weights;
mod written;

use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use syntax::Language;

pub use adapters::{kill_programs, open};
pub use identity::Identity;
pub use noise::Noise;

/// A batch size that suits most models.
pub const TOGETHER: usize = 256;

/// A model of source code.
///
/// An answer depends on its input alone: not on the rest of the batch, nor on earlier queries. Models whose answers may
/// vary, such as those behind an endpoint, say so in their [`Identity`].
pub trait Model: Send + Sync {
    /// What the model is, so that a stored answer can be trusted.
    fn identity(&self) -> &Identity;

    /// Answers every input, in order.
    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>>;

    /// The preferred batch size: large enough to fill the model's batches, small enough to show progress.
    fn together(&self) -> usize {
        TOGETHER
    }

    /// How many threads should query it concurrently: more than one if it can prepare one batch while it computes
    /// another.
    fn askers(&self) -> usize {
        1
    }

    /// Does it answer inputs that it was never given before? Otherwise there is nothing to search for.
    fn takes_new_inputs(&self) -> bool {
        true
    }

    /// Clears internal caches, so that a repeated query is computed again.
    fn forget(&self) {}

    /// The names of the classes in order, if the model knows them.
    fn labels(&self) -> Option<&[String]> {
        None
    }

    /// The embedding of every input, in order, if the model has an encoder.
    fn embed(&self, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
        let _ = inputs;
        None
    }

    /// For every mask of every text, the `most` most probable tokens, best first, if this is a masked language model.
    fn fill_masks(&self, texts: &[&str], most: usize) -> Option<Vec<Result<Filled, Fault>>> {
        let _ = (texts, most);
        None
    }

    /// The gradient of the loss for a class with respect to the embedding of every token, if the model has gradients.
    fn gradients(&self, input: &Input, class: usize) -> Option<Result<Gradients, Fault>> {
        let _ = (input, class);
        None
    }

    /// The parts of an input that the answer rests on and their shares of it, the largest first, if the model weighs parts.
    fn attention(&self, input: &Input) -> Option<Result<Vec<(String, f32)>, Fault>> {
        let _ = input;
        None
    }

    /// The mean embedding of a word's tokens, if the model's [`Gradients`] are with respect to these embeddings.
    fn word_embedding(&self, word: &str) -> Option<Vec<f32>> {
        let _ = word;
        None
    }
}

/// A program, or a fragment of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Code {
    /// Models that look at syntax need it.
    pub language: Language,
    pub text: String,
}

/// A query to a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// One program: vulnerable or not, which author, what name.
    Code(Code),
    /// Two programs: clones or not.
    Pair(Code, Code),
    /// A program and a text: does the code match the query?
    CodeAndText(Code, String),
}

/// For every mask of a text, tokens with their probabilities, the most probable first.
pub type Filled = Vec<Vec<(String, f32)>>;

/// A model's answer to an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub prediction: Prediction,
    /// How much of the input the model saw, if known.
    pub tokens: Option<Tokens>,
}

/// What a model predicts, depending on its task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prediction {
    /// The probability of every class. They add up to one.
    Classes(Vec<f32>),
    /// Names with their probabilities, the most probable first.
    Names(Vec<(String, f32)>),
    Text(String),
    Embedding(Vec<f32>),
}

/// How many tokens an input has, and how many of them the model saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// The tokens of the whole input.
    pub all: usize,
    /// The tokens that were not truncated.
    pub seen: usize,
}

/// The gradient of a loss with respect to the embeddings of an input's tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradients {
    /// The cross entropy of the class in query.
    pub loss: f32,
    /// The tokens of the texts, in order.
    pub tokens: Vec<TokenGradient>,
}

/// The gradient of a loss with respect to the embedding of one token.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenGradient {
    /// The index of the token in the vocabulary.
    pub token: u32,
    /// The index of its text in the input, in the order in which the model reads them: 0, or 1 for the second.
    pub text: usize,
    /// Its bytes in that text.
    pub range: Range<usize>,
    /// The partial derivative for each component of the embedding.
    pub gradient: Vec<f32>,
}

/// Why a model has no answer for an input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The model takes another kind of input.
    #[error("the model takes {wanted}, but was given {given}")]
    WrongInput {
        /// What the model takes, such as `a pair of programs`.
        wanted: &'static str,
        given: &'static str,
    },
    /// The model is known by its answers alone, and this input is not among them.
    #[error("there is no recorded answer to this input")]
    Unrecorded,
    /// No answer arrived in time.
    #[error("no answer within {0:?}")]
    Late(Duration),
    /// The connection or the process ended before the answer.
    #[error("the connection broke: {0}")]
    Disconnected(String),
    /// The server refused the request.
    #[error("the server answered with status {status}: {message}")]
    Refused {
        status: u16,
        /// The server's message, shortened.
        message: String,
    },
    /// The answer cannot be parsed.
    #[error("the answer cannot be read: {0}")]
    Garbage(String),
    /// The answer can be parsed, but is not what was requested.
    #[error("the answer has the wrong shape: {0}")]
    WrongShape(String),
    /// The answer contains a NaN or an infinity.
    #[error("the answer contains a non-finite number")]
    NotFinite,
    /// The model failed internally.
    #[error("the model failed: {0}")]
    Failed(String),
}

/// Why a model cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The name does not begin with a known kind.
    #[error("`{0}` is not a model name: write KIND:WHERE, where KIND is one of {kinds}", kinds = adapters::kinds())]
    UnknownKind(String),
    #[error("failed to read {}: {source}", .path.display())]
    Unreadable { path: std::path::PathBuf, source: std::io::Error },
    /// A file or a setting exists, but is invalid.
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
    /// The kind of input, in words.
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
    /// The most probable class; the first of equal ones.
    pub fn class(&self) -> Option<usize> {
        let Prediction::Classes(probabilities) = self else { return None };
        let best = probabilities.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        probabilities.iter().position(|probability| *probability == best)
    }

    /// Is this the same decision: the same class, the same first name, the same text?
    pub fn agrees(&self, other: &Prediction) -> bool {
        match (self, other) {
            (Prediction::Classes(_), Prediction::Classes(_)) => self.class() == other.class(),
            (Prediction::Names(one), Prediction::Names(other)) => {
                one.first().map(|(name, _)| name) == other.first().map(|(name, _)| name)
            }
            (Prediction::Text(one), Prediction::Text(other)) => one.trim() == other.trim(),
            _ => self == other,
        }
    }
}
