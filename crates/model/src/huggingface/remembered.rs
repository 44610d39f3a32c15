//! The vectors of sequences that were computed recently.
//!
//! A model that encodes the two programs of a pair separately is queried with thousands of pairs in which an attack
//! changes one program: the other would be computed again for every batch. A model that truncates long programs is
//! queried with many that differ only after the limit.

use std::collections::HashMap;
use std::mem::take;

/// The vectors of the sequences that were asked for lately, by their tokens.
#[derive(Default)]
pub struct Remembered {
    new: HashMap<Vec<u32>, Vec<f32>>,
    old: HashMap<Vec<u32>, Vec<f32>>,
}

/// When there are so many new ones they become the old ones, and the old ones are forgotten: what is asked for in between stays.
const MOST: usize = 8192;

impl Remembered {
    /// The vector of a sequence, if it is remembered.
    pub fn get(&mut self, tokens: &[u32]) -> Option<Vec<f32>> {
        if let Some((tokens, vector)) = self.old.remove_entry(tokens) {
            self.keep(tokens, vector);
        }
        self.new.get(tokens).cloned()
    }

    /// Remembers the vector of a sequence.
    pub fn keep(&mut self, tokens: Vec<u32>, vector: Vec<f32>) {
        if self.new.len() >= MOST {
            self.old = take(&mut self.new);
        }
        self.new.insert(tokens, vector);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_again_and_again_stays_and_the_rest_is_forgotten() {
        let mut remembered = Remembered::default();
        assert_eq!(remembered.get(&[7]), None);
        remembered.keep(vec![7], vec![0.5]);
        for number in 0..5 * MOST as u32 {
            remembered.keep(vec![1, number], vec![number as f32]);
            if number % 1000 == 0 {
                assert_eq!(remembered.get(&[7]), Some(vec![0.5]), "{number}");
            }
            assert!(remembered.new.len() + remembered.old.len() <= 2 * MOST);
        }
        assert_eq!(remembered.get(&[1, 0]), None);
        let last = 5 * MOST as u32 - 1;
        assert_eq!(remembered.get(&[1, last]), Some(vec![last as f32]));
    }
}
