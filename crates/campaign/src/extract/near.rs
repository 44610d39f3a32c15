//! Programs that are nearly the same: most of their different tokens are.
//!
//! A signature has the smallest hashes of a program's words under many hash functions (MinHash). Two programs agree in a share of them that is
//! about the share of words that they have in common, so that only those that agree in a whole band are compared.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use syntax::{Program, TokenKind};

/// Programs with a larger share of common words are the same.
const ALIKE: f64 = 0.8;

/// The number of smallest hashes in a band.
const BAND: usize = 4;
const BANDS: usize = 16;

/// The different words of a program.
pub struct Signature {
    /// Their hashes, sorted.
    words: Vec<u64>,
    bands: [u64; BANDS],
}

impl Signature {
    /// The signature of a program.
    pub fn of(program: &Program) -> Signature {
        let tokens = program.tokens();
        let words: HashSet<u64> =
            tokens.iter().filter(|token| token.kind != TokenKind::Comment).map(|token| hash(&token.text)).collect();
        let mut words: Vec<u64> = words.into_iter().collect();
        words.sort_unstable();
        let bands = std::array::from_fn(|band| {
            let smallest: [u64; BAND] = std::array::from_fn(|place| {
                let key = (band * BAND + place) as u64;
                words.iter().map(|word| mixed(word ^ key.wrapping_mul(0x9e37_79b9_7f4a_7c15))).min().unwrap_or_default()
            });
            hash(&smallest)
        });
        Signature { words, bands }
    }
}

/// Is each program unlike all before it that were kept?
pub fn firsts(programs: &[&Signature]) -> Vec<bool> {
    let mut seen: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
    let mut is_first = Vec::with_capacity(programs.len());
    for (place, program) in programs.iter().enumerate() {
        let bands = || program.bands.iter().copied().enumerate();
        let near: HashSet<usize> = bands().filter_map(|band| seen.get(&band)).flatten().copied().collect();
        let is_alike = near.into_iter().any(|other| in_common(&program.words, &programs[other].words) > ALIKE);
        is_first.push(!is_alike);
        if !is_alike {
            bands().for_each(|band| seen.entry(band).or_default().push(place));
        }
    }
    is_first
}

/// The share of the words of either that both have.
fn in_common(one: &[u64], other: &[u64]) -> f64 {
    let both = one.iter().filter(|word| other.binary_search(word).is_ok()).count();
    both as f64 / (one.len() + other.len() - both).max(1) as f64
}

fn hash(item: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    item.hash(&mut hasher);
    hasher.finish()
}

/// A number that looks random, from one that need not.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use super::*;

    #[test]
    fn copies_with_small_changes_are_found_and_others_are_kept() {
        let text = |from: usize, count: usize| {
            (from..from + count).map(|number| format!("int a{number} = b{number};")).collect::<String>()
        };
        let texts = [text(0, 40), text(0, 42), text(100, 40), text(0, 20) + &text(200, 20), text(100, 40) + "// more"];
        let signatures = texts.map(|text| Signature::of(&Program::parse(Language::C, text.as_str())));
        let all: Vec<&Signature> = signatures.iter().collect();
        assert_eq!(firsts(&all), [true, false, true, true, false]);
    }
}
