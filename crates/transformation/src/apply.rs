//! Applies one transformation at one site: a pure function of program, site, seed and names.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use syntax::{Edit, Program};

use crate::catalogue::{self, Transformation};
use crate::choice::Choice;
use crate::names::Names;
use crate::shared;
use crate::site::{Site, Sites};

/// Everything that is needed to repeat a rewrite.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Step {
    pub transformation: String,
    /// Its bytes in the program before this step.
    pub site: Range<usize>,
    pub seed: u64,
    pub arguments: Arguments,
    /// Is its site in the program in which that of the step before is? Such steps concern different functions and are applied
    /// together.
    #[serde(default, rename = "beside", skip_serializing_if = "std::ops::Not::not")]
    pub is_beside: bool,
    /// Is this one file's part of a rename in several files of a project? The site is the first place of the name.
    #[serde(default, rename = "shared", skip_serializing_if = "std::ops::Not::not")]
    pub is_shared: bool,
}

/// The rule and the names of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Arguments {
    /// The rule of the transformation; empty if it has only one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// The new names, in the order of their use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// A rewrite that was applied.
pub struct Applied {
    /// The rewritten program.
    pub program: Program,
    pub edits: Vec<Edit>,
    /// How to repeat it.
    pub step: Step,
}

/// Why a rewrite was not applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The site has no edits, usually because no fresh name was found.
    #[error("the site has no edits: no fresh name was found")]
    NoEdits,
    /// The rewritten program would not parse cleanly. This is a bug in the transformation.
    #[error("the rewritten program would not parse cleanly: `{0}` has a bug, please report the program")]
    WouldBreak(String),
    #[error("unknown transformation `{0}`: was the manifest written by another version?")]
    UnknownTransformation(String),
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

/// Repeats a recorded step.
pub fn again(program: &Program, step: &Step) -> Result<Applied, Refusal> {
    let transformation = recorded(step)?;
    if step.is_shared {
        return again_shared(program, step);
    }
    let sites = Sites::of(transformation, program);
    let names = Names::typed();
    let choice = Choice::again(program, &names, step.seed, step.arguments.names.clone());
    rewrite(program, transformation, site_of(step, &sites)?, step.seed, choice)
}

/// Renames a name that the file shares with others. That all of them are understood was found out when it was done first.
fn again_shared(program: &Program, step: &Step) -> Result<Applied, Refusal> {
    let missing = || Refusal::NoSuchSite(step.transformation.clone(), step.site.clone());
    let name = program.text().get(step.site.clone()).ok_or_else(missing)?;
    let new = step.arguments.names.first().ok_or(Refusal::NoEdits)?;
    let edits = shared::edits(program, name, new);
    if edits.first().is_none_or(|first| first.range != step.site) {
        return Err(missing());
    }
    let defect = || Refusal::WouldBreak(step.transformation.clone());
    let rewritten = program.edited(&edits).map_err(|_| defect())?;
    match rewritten.is_broken() {
        true => Err(defect()),
        false => Ok(Applied { program: rewritten, edits, step: step.clone() }),
    }
}

/// Repeats all steps that led from a program to another.
pub fn again_all(program: Program, steps: &[Step]) -> Result<Program, Refusal> {
    let mut program = program;
    let mut rest = steps;
    while let Some(first) = rest.first() {
        let count = 1 + rest[1..].iter().take_while(|step| step.is_beside).count();
        let (together, after) = rest.split_at(count);
        program = if count == 1 { again(&program, first)?.program } else { again_together(&program, together)? };
        rest = after;
    }
    Ok(program)
}

fn again_together(program: &Program, steps: &[Step]) -> Result<Program, Refusal> {
    let names = Names::typed();
    let mut found: HashMap<&str, Vec<Site<'_>>> = HashMap::new();
    let mut edits = Vec::new();
    for step in steps {
        let transformation = recorded(step)?;
        let sites = found.entry(&transformation.name).or_insert_with(|| Sites::of(transformation, program));
        let mut choice = Choice::again(program, &names, step.seed, step.arguments.names.clone());
        edits.extend(site_of(step, sites)?.edits(&mut choice).ok_or(Refusal::NoEdits)?);
    }
    program.edited(&edits).map_err(|_| Refusal::WouldBreak(steps[0].transformation.clone()))
}

fn recorded(step: &Step) -> Result<&'static Transformation, Refusal> {
    catalogue::find(&step.transformation).ok_or_else(|| Refusal::UnknownTransformation(step.transformation.clone()))
}

fn site_of<'s, 'p>(step: &Step, sites: &'s [Site<'p>]) -> Result<&'s Site<'p>, Refusal> {
    let is_meant = |site: &&Site<'_>| site.range == step.site && site.rule == step.arguments.rule;
    let missing = || Refusal::NoSuchSite(step.transformation.clone(), step.site.clone());
    sites.iter().find(is_meant).ok_or_else(missing)
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
    Ok(Applied { program: rewritten, edits, step: step(transformation, site, seed, choice.given()) })
}

/// The record of a rewrite that was given these names.
pub(crate) fn step(transformation: &Transformation, site: &Site<'_>, seed: u64, names: Vec<String>) -> Step {
    Step {
        transformation: transformation.name.clone(),
        site: site.range.clone(),
        seed,
        arguments: Arguments { rule: site.rule.to_owned(), names },
        is_beside: false,
        is_shared: false,
    }
}
