//! The kinds of models: one file each.

pub(crate) mod answers;
mod path_model;

use crate::endpoint::secrets::public_url;
use crate::mutation::{Level, Operator, operators};
use crate::{Identity, Model, OpenError};

/// A kind of model.
pub struct Kind {
    /// The word before the colon.
    pub name: &'static str,
    /// The form of what comes after the colon.
    pub place: &'static str,
    /// A short description.
    pub about: &'static str,
    /// Does it run outside this program, where a query may cost money?
    pub is_outside: bool,
    /// The name of a model in headings, by its place.
    label: fn(&str) -> &str,
    /// What mutation can change; nothing if the weights are not held here.
    pub levels: &'static [Level],
    open: fn(&str) -> Result<Box<dyn Model>, OpenError>,
}

/// Declares one module a line and gathers their kinds.
macro_rules! kinds {
    ($($visibility:vis mod $name:ident;)*) => {
        $($visibility mod $name;)*

        /// Every kind of model.
        pub const KINDS: &[Kind] = &[$($name::KIND,)*];

        /// The manual pages of the kinds, which are the headers of their files.
        pub static PAGES: &[manual::Unit<()>] =
            &[$(manual::Unit::new(stringify!($name), include_str!(concat!("adapters/", stringify!($name), ".rs")), ()),)*];
    };
}

kinds! {
    mod builtin;
    pub(crate) mod hf;
    mod onnx;
    pub mod openai;
    pub mod http;
    pub mod cmd;
    mod code2seq;
    mod code2vec;
    pub mod recorded;
}

impl Identity {
    /// The name of the model in headings: the last part of a path, the name before an address.
    pub fn label(&self) -> &str {
        let label = find(&self.kind).map(|kind| (kind.label)(&self.place)).unwrap_or_default();
        if label.is_empty() { &self.place } else { label }
    }

    /// Does the model run outside this program, where a query may cost money?
    pub fn is_outside(&self) -> bool {
        find(&self.kind).is_some_and(|kind| kind.is_outside)
    }
}

fn find(kind: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|known| known.name == kind)
}

/// The last part of a path, without its options.
fn last_of_path(place: &str) -> &str {
    let path = place.split('?').next().unwrap_or(place).trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Kills the programs that are models, and everything they started, before the process ends at once.
pub fn kill_programs() {
    cmd::kill_all();
}

/// Opens a model by a name of the form `KIND:WHERE`.
pub fn open(name: &str) -> Result<Box<dyn Model>, OpenError> {
    let unknown = || OpenError::UnknownKind(public_url(name));
    let (kind, place) = name.split_once(':').ok_or_else(unknown)?;
    let kind = find(kind).ok_or_else(unknown)?;
    (kind.open)(place)
}

/// The mutation operators that apply to a model, by its name; none if its weights are not held here.
pub fn operators_for(name: &str) -> Result<Vec<&'static Operator>, OpenError> {
    let kind = name.split_once(':').and_then(|(kind, _)| find(kind));
    let kind = kind.ok_or_else(|| OpenError::UnknownKind(public_url(name)))?;
    Ok(operators().iter().filter(|operator| kind.levels.contains(&operator.level)).collect())
}

/// The known kinds, for messages.
pub(crate) fn kinds() -> String {
    KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_have_labels() {
        let check = |kind: &str, place: &str, label: &str, is_outside: bool| {
            let (kind, place) = (kind.to_owned(), place.to_owned());
            let identity = Identity { kind, place, digest: String::new(), varies: false };
            assert_eq!((identity.label(), identity.is_outside()), (label, is_outside));
        };
        check("hf", "students/codebert-clone?settings=a/b.toml", "codebert-clone", false);
        check("hf", "model/", "model", false);
        check("hf", &format!("owner/name@{}?device=cuda", "0a".repeat(20)), "name", false);
        check("hf", "owner/name@v1", "name@v1", false);
        check("openai", "gpt@http://localhost:8000/v1", "gpt", true);
        check("cmd", "timeout=3 retries=0 python3 model.py a=b", "python3 model.py a=b", true);
        check("unknown", "place", "place", false);
    }
}
