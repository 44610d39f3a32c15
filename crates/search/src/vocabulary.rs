//! Words of the training set, drawn at random.

use std::collections::HashMap;

use random::Random;

use crate::candidate::Candidate;
use crate::identifiers::{Identifier, is_possible};
use crate::victim::{Stop, Victim};

/// The words that attacks draw from. Having none is an error of the setup.
pub fn vocabulary<'s>(victim: &Victim<'s>) -> Result<&'s [String], Stop> {
    match victim.material().vocabulary.as_slice() {
        [] => {
            let missing = "the attack draws words from the names of a training set: name a training set";
            Err(Stop::Missing(missing.to_owned()))
        }
        words => Ok(words),
    }
}

/// Draws `count` distinct words that a name of the candidate could be changed to; fewer if the vocabulary has no more.
pub fn draw_words<'s>(
    victim: &mut Victim<'s>,
    candidate: &Candidate,
    identifier: &Identifier,
    count: usize,
) -> Result<Vec<&'s str>, Stop> {
    let vocabulary = vocabulary(victim)?;
    Ok(draw(victim.random(), vocabulary, count, |word| is_possible(candidate, identifier, word)))
}

fn draw<'w>(
    random: &mut Random,
    vocabulary: &'w [String],
    count: usize,
    is_fit: impl Fn(&str) -> bool,
) -> Vec<&'w str> {
    // This is a shuffle that is made only as far as it is looked at: what was put elsewhere is remembered.
    let mut moved: HashMap<usize, usize> = HashMap::new();
    let mut words: Vec<&str> = Vec::new();
    for next in 0..vocabulary.len() {
        if words.len() == count {
            break;
        }
        let drawn = next + random.below(vocabulary.len() - next);
        let place = moved.get(&drawn).copied().unwrap_or(drawn);
        let displaced = moved.get(&next).copied().unwrap_or(next);
        moved.insert(drawn, displaced);
        let word = vocabulary[place].as_str();
        if !words.contains(&word) && is_fit(word) {
            words.push(word);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_drawn_once_and_as_often_as_the_others() {
        let vocabulary: Vec<String> = (0..10).map(|number| format!("word{number}")).collect();
        let mut random = Random::new(3);
        let mut all = draw(&mut random, &vocabulary, 20, |_| true);
        assert_ne!(all, vocabulary);
        all.sort_unstable();
        assert_eq!(all, vocabulary);
        let mut firsts: HashMap<&str, usize> = HashMap::new();
        for _ in 0..1000 {
            let drawn = draw(&mut random, &vocabulary, 2, |word| word != "word7");
            assert!(drawn.len() == 2 && drawn[0] != drawn[1]);
            *firsts.entry(drawn[1]).or_default() += 1;
        }
        assert!(firsts.len() == 9 && firsts.values().all(|count| (70..160).contains(count)), "{firsts:?}");
        let twice = ["same".to_owned(), "same".to_owned()];
        assert_eq!(draw(&mut random, &twice, 2, |_| true), ["same"]);
        assert!(draw(&mut random, &vocabulary, 0, |_| true).is_empty());
    }
}
