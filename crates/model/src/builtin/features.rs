//! The features of a linear classifier: token n-grams, subtokens of names, path contexts.
//!
//! Every feature is a hash of 64 bits with a number. Its two lowest bits say which family it belongs to, so that the
//! similarity of two programs can be measured for each family alone. Comments are ignored, and all string literals are
//! the same token: what a program prints would reveal its class without a look at the program.

use serde::{Deserialize, Serialize};
use syntax::Program;
use syntax::names::subtokens;
use syntax::token::TokenKind;

use crate::paths::{self, Limits};
use crate::{Code, Fault, Input};

/// Which features are taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Features {
    /// How many tokens in a row make the longest sequence.
    pub longest: usize,
    /// Are path contexts taken, beside the tokens?
    pub has_paths: bool,
}

impl Default for Features {
    fn default() -> Features {
        Features { longest: 3, has_paths: true }
    }
}

/// The features of an input, each once, in the order of their hashes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sparse {
    /// Those whose number says how often they occur. Their length is made one when their rarity is known.
    pub counted: Vec<(u64, f32)>,
    /// Those whose number is taken as it is: how alike the two programs of a pair are.
    pub plain: Vec<(u64, f32)>,
}

const FAMILIES: u64 = 3;
const SEQUENCES: u64 = 0;
const WORDS: u64 = 1;
const PATHS: u64 = 2;

/// The number of steps in which a likeness is told.
const STEPS: u64 = 20;

/// What every step of a likeness counts, beside the other features, whose squares add up to one.
const STEP: f32 = 0.5;

impl Features {
    /// The features of an input. A text that stands beside a program is not a program, and is refused.
    pub(crate) fn of(&self, input: &Input) -> Result<Sparse, Fault> {
        match input {
            Input::Code(code) => Ok(Sparse { counted: self.of_program(code), plain: Vec::new() }),
            Input::Pair(first, second) => Ok(of_pair(&self.of_program(first), &self.of_program(second))),
            Input::CodeAndText(..) => {
                Err(Fault::WrongInput { wanted: "one program or a pair of programs", given: input.shape() })
            }
        }
    }

    fn of_program(&self, code: &Code) -> Vec<(u64, f32)> {
        let program = Program::parse(code.language, code.text.as_str());
        let mut found = Vec::new();
        let tokens = program.tokens();
        let hashes: Vec<u64> = tokens
            .iter()
            .filter(|token| token.kind != TokenKind::Comment)
            .map(|token| hash_of(if token.kind == TokenKind::Text { "<text>" } else { token.text }))
            .collect();
        for length in 1..=self.longest {
            found.extend(hashes.windows(length).map(|row| member(SEQUENCES, row.iter().copied())));
        }
        for token in tokens.iter().filter(|token| token.kind == TokenKind::Identifier) {
            found.extend(subtokens(token.text).iter().map(|word| member(WORDS, [hash_of(&word.to_lowercase())])));
        }
        if self.has_paths {
            for method in paths::methods(&program, &Limits::default()) {
                for context in method.contexts {
                    let way = hash_of(&context.path.join("|"));
                    let ends = [(&context.source, context.path.first()), (&context.target, context.path.last())];
                    let [source, target] = ends.map(|(leaf, kind)| {
                        hash_of(if kind.is_some_and(|kind| is_text(kind)) { "<text>" } else { &leaf.name })
                    });
                    found.extend([member(PATHS, [way]), member(PATHS, [source, way, target])]);
                }
            }
        }
        counted(found)
    }
}

/// Is a leaf of this kind a text, a character or a pattern?
fn is_text(kind: &str) -> bool {
    ["string", "char", "regex"].iter().any(|word| kind.contains(word))
}

/// How often each feature occurs, in logarithms: the tenth time says less than the first.
fn counted(mut found: Vec<u64>) -> Vec<(u64, f32)> {
    found.sort_unstable();
    let same = |row: &[u64]| (row[0], 1.0 + (row.len() as f32).ln());
    found.chunk_by(|one, other| one == other).map(same).collect()
}

/// What both programs have, what only one of them has, and how alike they are. The order of the two does not matter.
fn of_pair(first: &[(u64, f32)], second: &[(u64, f32)]) -> Sparse {
    let mut counted = Vec::with_capacity(first.len() + second.len());
    let (mut products, mut squares) = ([0.0; FAMILIES as usize], [[0.0; FAMILIES as usize]; 2]);
    let (mut left, mut right) = (first.iter().peekable(), second.iter().peekable());
    loop {
        let next = match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some((one, _)), Some((other, _))) => *one.min(other),
            (Some((only, _)), None) | (None, Some((only, _))) => *only,
        };
        let one = left.next_if(|(hash, _)| *hash == next).map(|(_, number)| *number);
        let other = right.next_if(|(hash, _)| *hash == next).map(|(_, number)| *number);
        let family = next & 3;
        let place = family as usize;
        squares[0][place] += one.unwrap_or(0.0).powi(2);
        squares[1][place] += other.unwrap_or(0.0).powi(2);
        counted.push(match (one, other) {
            (Some(one), Some(other)) => {
                products[place] += one * other;
                (member(family, [next, 2]), one.min(other))
            }
            (one, other) => (member(family, [next, 1]), one.or(other).unwrap_or(0.0)),
        });
    }
    counted.sort_unstable_by_key(|(hash, _)| *hash);
    let mut plain = Vec::new();
    for family in 0..FAMILIES {
        let place = family as usize;
        let likeness = products[place] / (squares[0][place] * squares[1][place]).sqrt().max(f32::MIN_POSITIVE);
        let steps = (likeness.clamp(0.0, 1.0) * STEPS as f32).round() as u64;
        plain.extend((1..=steps).map(|step| (member(family, [step, 3]), STEP)));
    }
    plain.sort_unstable_by_key(|(hash, _)| *hash);
    Sparse { counted, plain }
}

/// A feature of a family, made of parts in order.
fn member(family: u64, parts: impl IntoIterator<Item = u64>) -> u64 {
    let mut hash = START;
    for part in parts {
        hash = (hash.rotate_left(5) ^ part).wrapping_mul(PRIME);
    }
    // Without this, the low bits of the parts alone would decide the low bits of the hash.
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash ^= hash >> 29;
    (hash & !3) | family
}

const START: u64 = 0xCBF2_9CE4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01B3;

/// FNV-1a: a hash that is the same on every machine and in every version.
fn hash_of(text: &str) -> u64 {
    text.bytes().fold(START, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use super::*;

    fn code(text: &str) -> Code {
        Code { language: Language::C, text: text.to_owned() }
    }

    fn one(text: &str) -> Sparse {
        Features::default().of(&Input::Code(code(text))).unwrap()
    }

    fn pair(first: &str, second: &str) -> Sparse {
        Features::default().of(&Input::Pair(code(first), code(second))).unwrap()
    }

    #[test]
    fn names_and_structure_count_but_layout_comments_and_texts_do_not() {
        let plain = one("int f(int count) { return count; }");
        assert_eq!(plain, one("int  f(int count) {\n  return count; // of them\n}"));
        assert_ne!(plain, one("int f(int number) { return number; }"));
        assert_ne!(plain, one("int f(int count) { return -count; }"));
        assert_eq!(one("char *f(void) { return \"a\"; }"), one("char *f(void) { return \"b c\"; }"));
        assert!(plain.counted.windows(2).all(|two| two[0].0 < two[1].0));
        assert!(plain.plain.is_empty());
    }

    #[test]
    fn every_family_is_there_and_can_be_left_out() {
        let families = |sparse: &Sparse| {
            let mut families: Vec<u64> = sparse.counted.iter().map(|(hash, _)| hash & 3).collect();
            families.sort_unstable();
            families.dedup();
            families
        };
        let text = "int f(int count) { return count; }";
        assert_eq!(families(&one(text)), [SEQUENCES, WORDS, PATHS]);
        let tokens = Features { longest: 1, has_paths: false }.of(&Input::Code(code(text))).unwrap();
        assert_eq!(families(&tokens), [SEQUENCES, WORDS]);
        // int f ( count ) { return ; } and the words f and count.
        assert_eq!(tokens.counted.len(), 11);
    }

    #[test]
    fn a_pair_is_as_alike_as_its_programs_in_any_order() {
        let (first, second) = ("int f(int a) { return a; }", "int g(int b) { while (b) { b--; } return b; }");
        assert_eq!(pair(first, second), pair(second, first));
        let (same, other) = (pair(first, first), pair(first, second));
        assert_eq!(same.plain.len(), (FAMILIES * STEPS) as usize);
        assert!(other.plain.len() < same.plain.len() && !other.plain.is_empty(), "{}", other.plain.len());
    }

    #[test]
    fn empty_and_broken_programs_have_features_or_none_and_texts_are_refused() {
        assert!(one("").counted.is_empty());
        assert!(pair("", "").plain.is_empty());
        assert!(!one("int f( { ]").counted.is_empty());
        let question = Input::CodeAndText(code("int f;"), "what".to_owned());
        assert!(matches!(Features::default().of(&question), Err(Fault::WrongInput { .. })));
    }
}
