//! The difference between a model's confidence and its accuracy: the expected calibration error (ECE).
//!
//! kind: task
//! better: lower
//! source: Naeini et al. 2015; Guo et al. 2017 (15 bins of equal width); Nixon et al. 2019 (bins of equal mass)
//!
//! Predictions are binned by confidence. The error is the mean over all predictions of the difference between the accuracy
//! and the mean confidence of their bin. A bin of equal width includes its upper border but not its lower one; the first
//! includes 0 as well.
//!
//! ```json
//! {"confidence": [0.95, 0.95, 0.55, 0.55], "right": [true, true, true, false], "bins": 10}
//! ```
//! ->
//! ```json
//! 0.05
//! ```
//!
//! Bins of equal mass hold the same number of predictions each; the first ones hold one more if the division leaves a
//! remainder.
//!
//! ```json
//! {"confidence": [0.6, 0.7, 0.8, 0.9], "right": [false, true, true, true], "bins": 2, "equal_mass": true}
//! ```
//! ->
//! ```json
//! 0.15
//! ```
//!
//! A confidence that is not a probability has no error.
//!
//! ```json
//! {"confidence": [1.5], "right": [true]}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, optional, result};
use crate::numbers::ratio;

/// The number of bins of Guo et al.
pub const BINS: usize = 15;

/// The expected calibration error over bins of equal width.
pub fn calibration_error(confidence: &[f64], right: &[bool], bins: usize) -> Option<f64> {
    check(confidence, right, bins)?;
    let mut sums = vec![0.0; bins * CELLS];
    for (confidence, right) in confidence.iter().zip(right) {
        let bin = bin_of(*confidence, bins);
        sums[bin * CELLS] += 1.0;
        sums[bin * CELLS + 1] += confidence;
        sums[bin * CELLS + 2] += f64::from(u8::from(*right));
    }
    calibration_error_of_sums(&sums)
}

/// The expected calibration error over bins of equal mass.
pub fn calibration_error_of_equal_mass(confidence: &[f64], right: &[bool], bins: usize) -> Option<f64> {
    check(confidence, right, bins)?;
    let mut pairs: Vec<(f64, bool)> = confidence.iter().copied().zip(right.iter().copied()).collect();
    // Equal confidences are sorted by their answers, so that the order of the input does not count.
    pairs.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let (size, larger) = (pairs.len() / bins, pairs.len() % bins);
    let mut sums = Vec::new();
    let mut rest = &pairs[..];
    for bin in 0..bins {
        let (these, others) = rest.split_at(size + usize::from(bin < larger));
        let right = these.iter().filter(|(_, right)| *right).count();
        sums.extend([these.len() as f64, these.iter().map(|(confidence, _)| confidence).sum(), right as f64]);
        rest = others;
    }
    calibration_error_of_sums(&sums)
}

/// The sums of a bin: the number of predictions, their confidences, and how many are right.
pub(crate) const CELLS: usize = 3;

/// The error from the sums of all bins.
pub(crate) fn calibration_error_of_sums(sums: &[f64]) -> Option<f64> {
    let total: f64 = sums.chunks_exact(CELLS).map(|bin| bin[0]).sum();
    let distance: f64 = sums.chunks_exact(CELLS).map(|bin| (bin[1] - bin[2]).abs()).sum();
    ratio(distance, total)
}

/// The bin of equal width that a confidence falls into.
pub(crate) fn bin_of(confidence: f64, bins: usize) -> usize {
    // The product may be rounded across a border, so the borders themselves decide.
    let mut bin = ((confidence * bins as f64).ceil() as usize).clamp(1, bins);
    while bin > 1 && confidence <= (bin - 1) as f64 / bins as f64 {
        bin -= 1;
    }
    while bin < bins && confidence > bin as f64 / bins as f64 {
        bin += 1;
    }
    bin - 1
}

/// More bins than this are a mistake, and would only cost memory.
const MOST_BINS: usize = 1_000_000;

fn check(confidence: &[f64], right: &[bool], bins: usize) -> Option<()> {
    let are_probabilities = confidence.iter().all(|confidence| (0.0..=1.0).contains(confidence));
    (confidence.len() == right.len() && are_probabilities && (1..=MOST_BINS).contains(&bins)).then_some(())
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let confidence: Vec<f64> = argument(arguments, "confidence")?;
    let right: Vec<bool> = argument(arguments, "right")?;
    let bins = optional(arguments, "bins")?.unwrap_or(BINS);
    match optional(arguments, "equal_mass")?.unwrap_or(false) {
        false => result(calibration_error(&confidence, &right, bins)),
        true => result(calibration_error_of_equal_mass(&confidence, &right, bins)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_belong_to_the_bin_below() {
        for bins in [1, 2, 3, 10, 15, 20] {
            assert_eq!((bin_of(0.0, bins), bin_of(1.0, bins)), (0, bins - 1));
            for border in 1..bins {
                let value = border as f64 / bins as f64;
                assert_eq!((bin_of(value, bins), bin_of(value + 1e-12, bins)), (border - 1, border), "{bins}");
            }
        }
    }

    #[test]
    fn what_is_no_probability_has_no_error() {
        assert_eq!(calibration_error(&[f64::NAN], &[true], 15), None);
        assert_eq!(calibration_error(&[0.5], &[], 15), None);
        assert_eq!(calibration_error(&[], &[], 15), None);
        assert_eq!(calibration_error(&[0.5], &[true], 0), None);
        assert_eq!(calibration_error_of_equal_mass(&[], &[], 15), None);
        assert_eq!(calibration_error_of_equal_mass(&[1.0], &[true], 15), Some(0.0));
    }
}
