//! How much larger the numbers of one group are: Cliff's delta, from -1 through 0 to 1.
//!
//! kind: statistics
//! source: Cliff 1993; thresholds 0.147, 0.33 and 0.474 of Romano et al. 2006; the thesis calls all above 0.43 large
//!
//! The fraction of pairs in which the first group has the larger number, minus the fraction in which the second has. The
//! magnitude is given by both thresholds.
//!
//! ```json
//! {
//!   "first": [0.95, 0.93, 0.91, 0.90, 0.97, 0.88, 0.92, 0.94, 0.96, 0.89],
//!   "second": [0.85, 0.82, 0.79, 0.77, 0.83, 0.73, 0.76, 0.77, 0.78, 0.70]
//! }
//! ```
//! ->
//! ```json
//! {"delta": 1.0, "size": "large", "is_large_in_thesis": true}
//! ```
//!
//! ```json
//! {"first": [1, 2, 3], "second": [3, 3, 1, 2]}
//! ```
//! ->
//! ```json
//! {"delta": -0.16667, "size": "small", "is_large_in_thesis": false}
//! ```
//!
//! ```json
//! {"first": [], "second": [1]}
//! ```

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::ranks;

/// The result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CliffsDelta {
    /// The difference of the fractions.
    pub delta: f64,
    /// The magnitude by the thresholds of Romano et al.
    pub size: EffectSize,
    /// Is it above 0.43?
    pub is_large_in_thesis: bool,
}

/// The magnitude of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EffectSize {
    /// Below 0.147.
    Negligible,
    /// Below 0.33.
    Small,
    /// Below 0.474.
    Medium,
    /// From 0.474.
    Large,
}

/// How much larger the numbers of the first group are.
pub fn cliffs_delta(first: &[f64], second: &[f64]) -> Option<CliffsDelta> {
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    if first.is_empty() || second.is_empty() || all.iter().any(|value| value.is_nan()) {
        return None;
    }
    // The sum of ranks counts the pairs, equal ones half, without looking at each.
    let (ones, others) = (first.len() as f64, second.len() as f64);
    let u = ranks(&all).0[..first.len()].iter().sum::<f64>() - 0.5 * ones * (ones + 1.0);
    let delta = (2.0 * u - ones * others) / (ones * others);
    let size = match delta.abs() {
        size if size < 0.147 => EffectSize::Negligible,
        size if size < 0.33 => EffectSize::Small,
        size if size < 0.474 => EffectSize::Medium,
        _ => EffectSize::Large,
    };
    Some(CliffsDelta { delta, size, is_large_in_thesis: delta.abs() > 0.43 })
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let first: Vec<f64> = argument(arguments, "first")?;
    result(cliffs_delta(&first, &argument::<Vec<f64>>(arguments, "second")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinite_numbers_can_be_compared_and_no_numbers_cannot() {
        assert_eq!(cliffs_delta(&[f64::INFINITY], &[1.0]).unwrap().delta, 1.0);
        assert_eq!(cliffs_delta(&[f64::NAN], &[1.0]), None);
    }
}
