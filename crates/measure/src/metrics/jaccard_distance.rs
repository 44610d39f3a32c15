//! The Jaccard distance of two texts: 1 minus shared words divided by all words.
//!
//! kind: task
//! better: lower
//! source: Jaccard 1912; thesis on name prediction, over the words of two texts
//!
//! Words are separated by whitespace; repetitions do not count. The result is the mean over all pairs with at least one
//! word.
//!
//! ```json
//! {"first": ["returns the name"], "second": ["returns the full name"]}
//! ```
//! ->
//! ```json
//! 0.25
//! ```
//!
//! Two texts without words have no distance:
//!
//! ```json
//! {"first": [""], "second": [" "]}
//! ```

use std::collections::BTreeSet;

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::{mean, ratio};

/// The mean distance of pairs of texts.
pub fn jaccard_distance<One: AsRef<str>, Other: AsRef<str>>(first: &[One], second: &[Other]) -> Option<f64> {
    if first.len() != second.len() {
        return None;
    }
    mean(first.iter().zip(second).filter_map(|(one, other)| jaccard_distance_of(one.as_ref(), other.as_ref())))
}

/// The distance of two texts; undefined if neither has a word.
pub fn jaccard_distance_of(one: &str, other: &str) -> Option<f64> {
    let words = |text| -> BTreeSet<&str> { str::split_whitespace(text).collect() };
    let (ones, others) = (words(one), words(other));
    let shared = ones.intersection(&others).count() as f64;
    ratio(shared, ones.union(&others).count() as f64).map(|share| 1.0 - share)
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let first: Vec<String> = argument(arguments, "first")?;
    result(jaccard_distance(&first, &argument::<Vec<String>>(arguments, "second")?))
}
