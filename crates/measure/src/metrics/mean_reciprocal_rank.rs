//! The mean of 1/rank of the true answer in a ranked list (MRR); 0 for an answer that is not listed.
//!
//! kind: task
//! better: higher
//! source: Voorhees 1999; worked example of the thesis on name prediction
//!
//! ```json
//! {"ranked": [["monkey", "gorilla", "cat", "dog"]], "truth": ["cat"]}
//! ```
//! ->
//! ```json
//! 0.33333
//! ```
//!
//! ```json
//! {"ranked": [["monkey"], []], "truth": ["monkey", "cat"]}
//! ```
//! ->
//! ```json
//! 0.5
//! ```
//!
//! ```json
//! {"ranked": [], "truth": []}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::mean;

/// The mean of 1/rank of the true answers in their ranked lists.
pub fn mean_reciprocal_rank<Name: PartialEq<Truth>, Truth>(ranked: &[Vec<Name>], truth: &[Truth]) -> Option<f64> {
    if ranked.len() != truth.len() {
        return None;
    }
    mean(ranked.iter().zip(truth).map(|(ranked, truth)| reciprocal_rank(ranked, truth)))
}

/// 1/rank of the true answer in a ranked list, 0 if it is not listed.
pub fn reciprocal_rank<Name: PartialEq<Truth>, Truth>(ranked: &[Name], truth: &Truth) -> f64 {
    ranked.iter().position(|name| name == truth).map_or(0.0, |place| 1.0 / (place + 1) as f64)
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let ranked: Vec<Vec<String>> = argument(arguments, "ranked")?;
    result(mean_reciprocal_rank(&ranked, &argument::<Vec<String>>(arguments, "truth")?))
}
