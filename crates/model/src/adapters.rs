//! The kinds of models: one file each.

pub(crate) mod answers;
mod path_model;

use crate::endpoint::secrets::public_url;
use crate::mutation::{Level, Operator, operators};
use crate::{Model, OpenError};

/// A kind of model: the word before the colon, what stands after it, and what it is.
pub struct Kind {
    /// The word before the colon.
    pub name: &'static str,
    /// What stands after the colon.
    pub place: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// What mutation can change; nothing of models whose weights are not held here.
    pub levels: &'static [Level],
    open: fn(&str) -> Result<Box<dyn Model>, OpenError>,
}

/// Declares one module a line and gathers their kinds.
macro_rules! kinds {
    ($($visibility:vis mod $name:ident;)*) => {
        $($visibility mod $name;)*

        /// Every kind of model.
        pub const KINDS: &[Kind] = &[$($name::KIND,)*];
    };
}

kinds! {
    mod builtin;
    mod hf;
    mod onnx;
    pub mod openai;
    pub mod http;
    pub mod cmd;
    mod code2seq;
    mod code2vec;
}

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
