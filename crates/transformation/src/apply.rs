//! Applies one transformation at one site: a pure function of program, site, seed and names.

use std::ops::Range;

use syntax::{Edit, Program};

use crate::catalogue::{self, Transformation};
use crate::choice::Choice;
use crate::names::Names;
use crate::site::{Site, Sites};

/// What has to be known to do a rewrite again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The name of the transformation.
    pub transformation: String,
    /// The rule of the transformation; empty when it has only one.
    pub rule: String,
    /// The site.
    pub site: Range<usize>,
    /// The seed of the draws.
    pub seed: u64,
    /// The new names, in the order in which they were given.
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
        .find(|site| site.range == step.site && site.rule == step.rule)
        .ok_or_else(|| Refusal::NoSuchSite(step.transformation.clone(), step.site.clone()))?;
    let names = Names::typed();
    rewrite(program, transformation, site, step.seed, Choice::again(program, &names, step.seed, step.names.clone()))
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
        rule: site.rule.to_owned(),
        site: site.range.clone(),
        seed,
        names: choice.given(),
    };
    Ok(Applied { program: rewritten, edits, step })
}
