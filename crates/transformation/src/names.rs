//! Sources of new names: one file a source.
//!
//! A source only proposes. Whether a name is legal, fresh and used for one thing only is decided in one
//! place for all of them, see [`Choice::name`](crate::Choice::name).

use std::collections::BTreeMap;

use manual::Unit;
use syntax::names::Convention;

use crate::choice::Wish;
use random::Random;

/// How a source proposes names, best first. An empty list says that it has none to offer.
pub type Propose = fn(&Request<'_>, &mut Random) -> Vec<String>;

/// What a source is asked.
pub struct Request<'r> {
    /// What the name is for.
    pub wish: &'r Wish<'r>,
    /// How the name shows where its words begin. Names that the caller lists are taken as they are.
    pub convention: Convention,
    /// How often the source has been asked before for the same name.
    pub attempt: usize,
    /// What the caller handed in.
    pub material: &'r NamesMaterial,
}

/// What some sources need from the caller.
#[derive(Clone, Debug, Default)]
pub struct NamesMaterial {
    /// Names that other programs use.
    pub reference: Vec<String>,
    /// For a name of the program the names that may replace it.
    pub substitutes: BTreeMap<String, Vec<String>>,
}

/// A source of names with the material that it needs.
#[derive(Clone)]
pub struct Names {
    source: &'static Unit<Propose>,
    material: NamesMaterial,
}

/// There is no source of names that is called so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no source of names called `{name}`: use one of {known}")]
pub struct UnknownSource {
    /// The name as it was given.
    pub name: String,
    known: String,
}

impl Names {
    /// The source that is called `name`.
    pub fn new(name: &str, material: NamesMaterial) -> Result<Names, UnknownSource> {
        match CATALOGUE.iter().find(|unit| unit.name() == name) {
            Some(source) => Ok(Names { source, material }),
            None => {
                let known: Vec<String> = CATALOGUE.iter().map(Unit::name).collect();
                Err(UnknownSource { name: name.to_owned(), known: known.join(", ") })
            }
        }
    }

    /// The source `typed`, which needs nothing and draws nothing: manual pages and tests use it.
    pub fn typed() -> Names {
        Names::new("typed", NamesMaterial::default()).expect("the source is in the catalogue")
    }

    /// The name of the source.
    pub fn source(&self) -> String {
        self.source.name()
    }

    /// The same source with other material, such as the substitutes of one program.
    pub fn with(&self, material: NamesMaterial) -> Names {
        Names { source: self.source, material }
    }

    pub(crate) fn propose(
        &self,
        wish: &Wish<'_>,
        convention: Convention,
        attempt: usize,
        random: &mut Random,
    ) -> Vec<String> {
        (self.source.run)(&Request { wish, convention, attempt, material: &self.material }, random)
    }
}

manual::catalogue! {
    "names", fn propose: crate::names::Propose,
    letters,
    pseudo,
    reference,
    substitutes,
    synonyms,
    typed,
}
