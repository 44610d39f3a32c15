//! The kinds of models: one file each.

pub(crate) mod answers;
mod builtin;
pub mod cmd;
mod code2seq;
mod code2vec;
mod hf;
pub mod http;
mod onnx;
pub mod openai;
mod path_model;

use crate::endpoint::secrets::public_url;
use crate::mutation::{Level, Operator, operators};
use crate::{Model, OpenError};

/// A kind of model: the word before the colon, what stands behind it, and what it is.
pub struct Kind {
    /// The word before the colon.
    pub name: &'static str,
    /// What stands behind the colon.
    pub place: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// What mutation can change; nothing of models whose weights are not held here.
    pub levels: &'static [Level],
    open: fn(&str) -> Result<Box<dyn Model>, OpenError>,
}

/// Every kind of model.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "builtin",
        place: "FILE|problems",
        about: "a classifier that `allotrope train` wrote, or the one of the programs in the binary",
        levels: &[],
        open: builtin::open,
    },
    Kind {
        name: "hf",
        place: "DIR[?settings=FILE&device=cuda&weights=int8&mutate=OPERATOR]",
        about: "a checkpoint in the layout of the transformers library",
        levels: &[Level::Weight, Level::Neuron],
        open: hf::open,
    },
    Kind {
        name: "onnx",
        place: "FILE[?settings=FILE]",
        about: "a classifier as an ONNX file, in builds with the feature onnxruntime",
        levels: &[],
        open: onnx::open,
    },
    Kind {
        name: "openai",
        place: "NAME@URL",
        about: "a language model behind an endpoint in the manner of OpenAI",
        levels: &[],
        open: openai::open,
    },
    Kind { name: "http", place: "URL", about: "a server that takes and gives JSON", levels: &[], open: http::open },
    Kind {
        name: "cmd",
        place: "PROGRAM ARGS",
        about: "a program that reads and writes lines of JSON",
        levels: &[],
        open: cmd::open,
    },
    Kind {
        name: "code2seq",
        place: "DIR[?weights=int8&mutate=OPERATOR]",
        about: "names written from path contexts",
        levels: code2seq::LEVELS,
        open: code2seq::open,
    },
    Kind {
        name: "code2vec",
        place: "DIR[?weights=int8&mutate=OPERATOR]",
        about: "names chosen by path contexts",
        levels: code2vec::LEVELS,
        open: code2vec::open,
    },
];

/// Opens the model that a name of the form `KIND:WHERE` means.
pub fn open(name: &str) -> Result<Box<dyn Model>, OpenError> {
    let unknown = || OpenError::UnknownKind(public_url(name));
    let (kind, place) = name.split_once(':').ok_or_else(unknown)?;
    let kind = KINDS.iter().find(|known| known.name == kind).ok_or_else(unknown)?;
    (kind.open)(place)
}

/// The mutation operators that a model can be changed with, by its name; none where its weights are not held here.
pub fn operators_for(name: &str) -> Result<Vec<&'static Operator>, OpenError> {
    let kind = name.split_once(':').and_then(|(kind, _)| KINDS.iter().find(|known| known.name == kind));
    let kind = kind.ok_or_else(|| OpenError::UnknownKind(public_url(name)))?;
    Ok(operators().iter().filter(|operator| kind.levels.contains(&operator.level)).collect())
}

/// The words that may stand before the colon, for messages.
pub(crate) fn kinds() -> String {
    KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ")
}
