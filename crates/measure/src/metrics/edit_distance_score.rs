//! The mean of 1/(d+1), where d is the edit distance between the first predicted name and the true one.
//!
//! kind: task
//! better: higher
//! source: thesis on name prediction; Levenshtein 1966
//!
//! ```json
//! {"predicted": ["getName", "cat"], "truth": ["getNames", "cat"]}
//! ```
//! ->
//! ```json
//! 0.75
//! ```
//!
//! ```json
//! {"predicted": [], "truth": []}
//! ```

use rapidfuzz::distance::levenshtein;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::mean;

/// The mean score of predicted names.
pub fn edit_distance_score<One: AsRef<str>, Other: AsRef<str>>(predicted: &[One], truth: &[Other]) -> Option<f64> {
    if predicted.len() != truth.len() {
        return None;
    }
    let score = |one: &str, other: &str| 1.0 / (edit_distance(one, other) as f64 + 1.0);
    mean(predicted.iter().zip(truth).map(|(predicted, truth)| score(predicted.as_ref(), truth.as_ref())))
}

/// The Levenshtein distance of two texts, in characters.
pub fn edit_distance(one: &str, other: &str) -> usize {
    levenshtein::distance(one.chars(), other.chars())
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let predicted: Vec<String> = argument(arguments, "predicted")?;
    result(edit_distance_score(&predicted, &argument::<Vec<String>>(arguments, "truth")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_count_and_not_bytes() {
        assert_eq!((edit_distance("größe", "grosse"), edit_distance("", ""), edit_distance("", "ab")), (3, 0, 2));
        assert_eq!(edit_distance_score(&["a"], &["a", "b"]), None);
    }
}
