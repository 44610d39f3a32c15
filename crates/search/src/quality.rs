//! How far an example is from its original: the numbers that quality measures are made of.

use measure::metrics::{changed_tokens, edit_distance};
use transformation::Selection;

use crate::candidate::Candidate;
use crate::identifiers::identifiers;

/// How far an example is from its original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quality {
    /// How many names the programs that may be changed have that could be renamed.
    pub identifiers: usize,
    /// How many of them are renamed.
    pub renamed: usize,
    /// The edit distances of these names, together.
    pub edit_distance: usize,
    /// How many tokens the programs that may be changed have.
    pub tokens: usize,
    /// How many tokens were put in, taken out or replaced.
    pub changed_tokens: usize,
    /// How many rewrites there are.
    pub moves: usize,
}

impl Quality {
    /// Measures an example against its original.
    pub fn of(original: &Candidate, example: &Candidate, selections: &[Selection], parts: &[usize]) -> Quality {
        let words = |candidate: &Candidate, part: usize| -> Vec<String> {
            candidate.program(part).tokens().into_iter().map(|token| token.text.to_owned()).collect()
        };
        let renames = renames(example);
        let (mut tokens, mut changed) = (0, 0);
        for part in parts.iter().copied() {
            let (before, after) = (words(original, part), words(example, part));
            tokens += before.len();
            changed += changed_tokens(&before, &after);
        }
        Quality {
            identifiers: identifiers(original, selections, parts).len().max(renames.len()),
            renamed: renames.len(),
            edit_distance: renames.iter().map(|(old, new)| edit_distance(old, new)).sum(),
            tokens,
            changed_tokens: changed,
            moves: example.moves().len(),
        }
    }
}

/// The names that renames have changed, each with what it has become. A name that was renamed twice is one.
pub fn renames(example: &Candidate) -> Vec<(String, String)> {
    let mut renames: Vec<(usize, String, String)> = Vec::new();
    for made in example.moves() {
        let (Some(old), Some(new)) = (&made.old_name, made.step.names.first()) else { continue };
        match renames.iter_mut().find(|(part, _, current)| *part == made.part && current == old) {
            Some((_, _, current)) => current.clone_from(new),
            None => renames.push((made.part, old.clone(), new.clone())),
        }
    }
    renames.into_iter().filter(|(_, old, new)| old != new).map(|(_, old, new)| (old, new)).collect()
}
