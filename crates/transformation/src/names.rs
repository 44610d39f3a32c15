//! Sources of new names: one file each.
//!
//! A source only proposes. Whether a name is legal, fresh and used for one thing only is decided in one
//! place for all of them, see [`Choice::name`](crate::Choice::name).

use std::collections::BTreeMap;

use manual::Unit;
use syntax::names::Convention;

use crate::choice::Wish;
use random::Random;

/// Proposes names, best first. An empty list means that the source has none.
pub type Propose = fn(&Request<'_>, &mut Random) -> Vec<String>;

/// A request to a source of names.
pub struct Request<'r> {
    pub wish: &'r Wish<'r>,
    /// How the name marks where its words begin. Names that the caller lists are used as they are.
    pub convention: Convention,
    /// How often the source was queried before for the same name.
    pub attempt: usize,
    pub material: &'r NamesMaterial,
}

/// What some sources need from the caller.
#[derive(Clone, Debug, Default)]
pub struct NamesMaterial {
    /// Names that other programs use.
    pub reference: Vec<String>,
    /// Substitutes for names of the program.
    pub substitutes: BTreeMap<String, Vec<String>>,
}

/// A source of names with its material.
#[derive(Clone)]
pub struct Names {
    source: &'static Unit<Propose>,
    material: NamesMaterial,
}

/// There is no source of names with this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown source of names `{name}`: use one of {known}")]
pub struct UnknownSource {
    pub name: String,
    known: String,
}

impl Names {
    /// The source with this name.
    pub fn new(name: &str, material: NamesMaterial) -> Result<Names, UnknownSource> {
        match CATALOGUE.iter().find(|unit| unit.name() == name) {
            Some(source) => Ok(Names { source, material }),
            None => {
                let known: Vec<String> = CATALOGUE.iter().map(Unit::name).collect();
                Err(UnknownSource { name: name.to_owned(), known: known.join(", ") })
            }
        }
    }

    /// The source `typed`, which needs no material and no randomness: manual pages and tests use it.
    pub fn typed() -> Names {
        Names::new("typed", NamesMaterial::default()).expect("the source is in the catalogue")
    }

    /// The name of the source.
    pub fn source(&self) -> String {
        self.source.name()
    }

    /// The same source with other material, such as the substitutes for one program.
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
