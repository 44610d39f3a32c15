//! Words of the training set, drawn at random.

use std::collections::HashMap;

use crate::candidate::Candidate;
use crate::identifiers::{Identifier, is_possible};
use crate::victim::{Stop, Victim};

/// The words that attacks draw from. It is a fault of the surroundings when there are none.
pub fn vocabulary<'s>(victim: &Victim<'s>) -> Result<&'s [String], Stop> {
    match victim.material().vocabulary.as_slice() {
        [] => {
            let missing =
                "the attack draws words from the names of a training set, and there are none: name a training set";
            Err(Stop::Missing(missing.to_owned()))
        }
        words => Ok(words),
    }
}

/// Draws `count` different words that a name of the candidate could be given; fewer when the vocabulary has no more.
pub fn draw_words<'s>(
    victim: &mut Victim<'s>,
    candidate: &Candidate,
    identifier: &Identifier,
    count: usize,
) -> Result<Vec<&'s str>, Stop> {
    let vocabulary = vocabulary(victim)?;
    // This is a shuffle that is made only as far as it is looked at: what was put elsewhere is remembered.
    let mut moved: HashMap<usize, usize> = HashMap::new();
    let mut words: Vec<&str> = Vec::new();
    for next in 0..vocabulary.len() {
        if words.len() == count {
            break;
        }
        let drawn = next + victim.random().below(vocabulary.len() - next);
        let place = moved.get(&drawn).copied().unwrap_or(drawn);
        let displaced = moved.get(&next).copied().unwrap_or(next);
        moved.insert(drawn, displaced);
        let word = vocabulary[place].as_str();
        if !words.contains(&word) && is_possible(candidate, identifier, word) {
            words.push(word);
        }
    }
    Ok(words)
}
