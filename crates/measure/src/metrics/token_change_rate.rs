//! The fraction of tokens that adversarial examples change (TCR).
//!
//! kind: quality
//! better: lower
//! source: Du et al. 2023, as used by the MetaCompress study: changed tokens divided by the tokens of the originals
//!
//! Changed tokens are counted by the edit distance over tokens, so that an inserted or deleted token counts once and does
//! not shift all that follow. A program that grew may have a rate above 1.
//!
//! ```json
//! {
//!   "original": [["int", "a", "=", "1", ";"]],
//!   "changed": [["int", "count", "=", "1", "+", "0", ";"]]
//! }
//! ```
//! ->
//! ```json
//! 0.6
//! ```
//!
//! ```json
//! {"original": [[]], "changed": [["a"]]}
//! ```

use std::collections::HashMap;

use rapidfuzz::distance::levenshtein;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::ratio;
use crate::summary::{AttackMeasure, Place};

/// The fraction of tokens that are changed, over all examples.
pub fn token_change_rate<Token: AsRef<str>>(original: &[Vec<Token>], changed: &[Vec<Token>]) -> Option<f64> {
    if original.len() != changed.len() {
        return None;
    }
    let pairs = original.iter().zip(changed);
    let distance: usize = pairs.map(|(original, changed)| changed_tokens(original, changed)).sum();
    ratio(distance as f64, original.iter().map(Vec::len).sum::<usize>() as f64)
}

/// How many tokens are inserted, deleted or replaced.
pub fn changed_tokens<Token: AsRef<str>>(original: &[Token], changed: &[Token]) -> usize {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |token| {
        let next = numbers.len() as u32;
        *numbers.entry(token).or_insert(next)
    };
    let original: Vec<u32> = original.iter().map(|token| number(token.as_ref())).collect();
    let changed: Vec<u32> = changed.iter().map(|token| number(token.as_ref())).collect();
    levenshtein::distance(original, changed)
}

/// What tables show of it.
pub(super) const SHOWN: &[AttackMeasure] = &[AttackMeasure::ratio("token change rate", |it| {
    let found = it.of_valid()?;
    Some([found.changed_tokens as f64, found.tokens as f64])
})
.percent()
.shown(Place::Quality, "Tokens changed (TCR)", "Share of tokens that are changed.")];

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let original: Vec<Vec<String>> = argument(arguments, "original")?;
    result(token_change_rate(&original, &argument::<Vec<Vec<String>>>(arguments, "changed")?))
}
