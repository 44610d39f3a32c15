//! How far an attack lowers the confidence in the truth: the prediction confidence decrement (PCD).
//!
//! kind: attack
//! better: lower
//! source: Du et al. 2023
//!
//! For a target it is the original probability of the true class minus the lowest one over all generated programs, and 0 if
//! none lowered it. The result is the mean over all targets for which programs were generated.
//!
//! ```json
//! {"before": [0.9, 0.8, 0.7], "generated": [[0.7, 0.4], [0.85], []]}
//! ```
//! ->
//! ```json
//! 0.25
//! ```
//!
//! ```json
//! {"before": [0.7], "generated": [[]]}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::{finite, mean};
use crate::summary::{AttackMeasure, Place, UNIT};

/// The mean decrement over targets.
pub fn confidence_decrement(before: &[f64], generated: &[Vec<f64>]) -> Option<f64> {
    if before.len() != generated.len() {
        return None;
    }
    let targets = before.iter().zip(generated);
    mean(targets.filter_map(|(before, generated)| confidence_decrement_of(*before, generated)))
}

/// The decrement of one target; undefined without generated programs and for NaN.
pub fn confidence_decrement_of(before: f64, generated: &[f64]) -> Option<f64> {
    if generated.is_empty() || generated.iter().any(|after| after.is_nan()) {
        return None;
    }
    let lowest = generated.iter().copied().fold(f64::INFINITY, f64::min);
    finite(before - lowest).map(|decrement| decrement.max(0.0))
}

/// What tables show of it.
pub(super) const SHOWN: &[AttackMeasure] =
    &[AttackMeasure::ratio("confidence decrement", |it| it.of_attacked(it.decrement?)).within(UNIT).shown(
        Place::Results,
        "Confidence drop",
        "The largest drop of the true label's probability (PCD).",
    )];

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let before: Vec<f64> = argument(arguments, "before")?;
    result(confidence_decrement(&before, &argument::<Vec<Vec<f64>>>(arguments, "generated")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_left_out() {
        assert_eq!(confidence_decrement_of(f64::NAN, &[0.5]), None);
        assert_eq!(confidence_decrement(&[0.5, 0.5], &[vec![f64::NAN], vec![0.25]]), Some(0.25));
        assert_eq!(confidence_decrement(&[0.5], &[]), None);
    }
}
