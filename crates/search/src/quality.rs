//! How far an example is from its original: the counts that the quality measures are computed from.

use measure::ExampleQuality;
use measure::metrics::{changed_tokens, edit_distance};
use transformation::Selection;

use crate::candidate::Candidate;
use crate::identifiers::identifiers;
use crate::settings::AttackSettings;

/// Measures an example against its original, in the programs that may be changed.
pub fn quality(original: &Candidate, example: &Candidate, selections: &[Selection], parts: &[usize]) -> ExampleQuality {
    let renames = renames(example);
    let mut quality = ExampleQuality {
        identifiers: identifiers(original, selections, parts).len().max(renames.len()),
        renamed: renames.len(),
        edit_distance: renames.iter().map(|(old, new)| edit_distance(old, new)).sum(),
        moves: example.moves().len(),
        ..ExampleQuality::default()
    };
    for part in parts.iter().copied() {
        let (before, after) = (words(original, part), words(example, part));
        quality.lines += lines(original, part);
        quality.lines_after += lines(example, part);
        quality.tokens += before.len();
        quality.tokens_after += after.len();
        quality.changed_tokens += changed_tokens(&before, &after);
    }
    quality
}

/// How much of an input may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub names: Option<usize>,
    pub tokens: Option<usize>,
}

impl Limits {
    /// The limits for an original. The shares are those of the change rates that tables show: of the names that may be
    /// changed, and of the tokens of the programs that may be changed.
    pub fn of(settings: &AttackSettings, original: &Candidate, names: usize, parts: &[usize]) -> Limits {
        let tokens = || parts.iter().map(|part| words(original, *part).len()).sum::<usize>();
        // A tenth of ten is one, whatever the rounding.
        let share_of = |share: f64, all: usize| (share * all as f64 + 1e-9).floor() as usize;
        let lower = |one: Option<usize>, other: Option<usize>| one.into_iter().chain(other).min();
        Limits {
            names: lower(settings.max_names, settings.most_names.map(|share| share_of(share, names))),
            tokens: lower(settings.max_tokens, settings.most_tokens.map(|share| share_of(share, tokens()))),
        }
    }

    /// Is there any?
    pub fn are_set(self) -> bool {
        self.names.is_some() || self.tokens.is_some()
    }

    /// Does a candidate keep to them?
    pub fn allow(self, original: &Candidate, candidate: &Candidate, parts: &[usize]) -> bool {
        self.names.is_none_or(|most| renames(candidate).len() <= most)
            && self.tokens.is_none_or(|most| tokens_changed(original, candidate, parts) <= most)
    }
}

/// How many tokens of the programs that may be changed differ from the original.
pub fn tokens_changed(original: &Candidate, example: &Candidate, parts: &[usize]) -> usize {
    parts.iter().map(|part| changed_tokens(&words(original, *part), &words(example, *part))).sum()
}

fn words(candidate: &Candidate, part: usize) -> Vec<&str> {
    candidate.program(part).tokens().into_iter().map(|token| token.text).collect()
}

fn lines(candidate: &Candidate, part: usize) -> usize {
    candidate.program(part).text().lines().count()
}

/// The renamed names, each with its new name. A name that was renamed twice is one.
pub fn renames(example: &Candidate) -> Vec<(String, String)> {
    let mut renames: Vec<(usize, String, String)> = Vec::new();
    for made in example.moves() {
        let (Some(old), Some(new)) = (&made.old_name, made.step.arguments.names.first()) else { continue };
        match renames.iter_mut().find(|(part, _, current)| *part == made.part && current == old) {
            Some((_, _, current)) => current.clone_from(new),
            None => renames.push((made.part, old.clone(), new.clone())),
        }
    }
    renames.into_iter().filter(|(_, old, new)| old != new).map(|(_, old, new)| (old, new)).collect()
}
