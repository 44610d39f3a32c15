//! Applies one transformation at one site: a pure function of program, site, seed and names.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use syntax::{Edit, Program};

use crate::catalogue::{self, Transformation};
use crate::choice::Choice;
use crate::names::Names;
use crate::site::{Site, Sites};

/// What has to be known to do a rewrite again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Step {
    /// The name of the transformation.
    pub transformation: String,
    /// Where it was applied, in bytes of the program that the step before has made.
    pub site: Range<usize>,
    /// The seed of the draws.
    pub seed: u64,
    /// What else has to be known.
    pub arguments: Arguments,
}

/// What else has to be known to do a rewrite again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Arguments {
    /// The rule of the transformation; empty when it has only one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// The new names, in the order in which they were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// A rewrite that was done.
pub struct Applied {
    /// The program that it led to.
    pub program: Program,
    /// The edits that led there.
    pub edits: Vec<Edit>,
    /// How to do it again.
    pub step: Step,
}

/// Why a rewrite was not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The site has no edits: most often no fresh name was found.
    #[error("the site has no edits after all: no fresh name was found")]
    NoEdits,
    /// The rewritten program would not parse cleanly. This is a defect of the transformation.
    #[error("the rewritten program would not parse cleanly: `{0}` has a defect, please report the program")]
    WouldBreak(String),
    /// The manifest names a transformation that does not exist.
    #[error("there is no transformation `{0}`: was the manifest written by another version?")]
    UnknownTransformation(String),
    /// The manifest names a site that the program does not have.
    #[error("`{0}` has no site at the bytes {1:?}: is this the program that the manifest was written for?")]
    NoSuchSite(String, Range<usize>),
}

/// Rewrites `program` at one of the sites that `transformation` found in it.
pub fn apply(
    program: &Program,
    transformation: &Transformation,
    site: &Site<'_>,
    seed: u64,
    names: &Names,
) -> Result<Applied, Refusal> {
    rewrite(program, transformation, site, seed, Choice::new(program, names, seed))
}

/// Does a step again.
pub fn again(program: &Program, step: &Step) -> Result<Applied, Refusal> {
    let transformation = catalogue::find(&step.transformation)
        .ok_or_else(|| Refusal::UnknownTransformation(step.transformation.clone()))?;
    let sites = Sites::of(transformation, program);
    let site = sites
        .iter()
        .find(|site| site.range == step.site && site.rule == step.arguments.rule)
        .ok_or_else(|| Refusal::NoSuchSite(step.transformation.clone(), step.site.clone()))?;
    let names = Names::typed();
    let given = step.arguments.names.clone();
    rewrite(program, transformation, site, step.seed, Choice::again(program, &names, step.seed, given))
}

fn rewrite(
    program: &Program,
    transformation: &Transformation,
    site: &Site<'_>,
    seed: u64,
    mut choice: Choice<'_>,
) -> Result<Applied, Refusal> {
    let edits = site.edits(&mut choice).ok_or(Refusal::NoEdits)?;
    let defect = || Refusal::WouldBreak(transformation.name.clone());
    let rewritten = program.edited(&edits).map_err(|_| defect())?;
    if rewritten.is_broken() {
        return Err(defect());
    }
    let step = Step {
        transformation: transformation.name.clone(),
        site: site.range.clone(),
        seed,
        arguments: Arguments { rule: site.rule.to_owned(), names: choice.given() },
    };
    Ok(Applied { program: rewritten, edits, step })
}
