//! The difference in accuracy between a student and its teacher, by confidence (ECA, MetaCompress MR4).
//!
//! kind: fidelity
//! better: lower
//! source: MetaCompress, MR4 with B = 10, 15 and 20
//!
//! Inputs are binned by the teacher's confidence, with bins of equal width; the accuracies of both models are compared in
//! each bin. The paper divides by the number of all bins, so that empty ones count as agreement; `over_filled` is the mean
//! over the others.
//!
//! ```json
//! {
//!   "confidence": [0.95, 0.95, 0.55, 0.55],
//!   "teacher_right": [true, true, true, false],
//!   "student_right": [true, false, true, false],
//!   "bins": 10
//! }
//! ```
//! ->
//! ```json
//! {"error": 0.05, "over_filled": 0.25, "filled": 2, "bins": 10}
//! ```
//!
//! ```json
//! {"confidence": [], "teacher_right": [], "student_right": [], "bins": 10}
//! ```

use serde::Serialize;
use serde_json::Value;

use super::calibration_error::bin_of;
use crate::catalogue::{BadInput, argument, optional, result};

/// The numbers of bins for which MetaCompress reports the error.
pub const AGREEMENT_BINS: [usize; 3] = [10, 15, 20];

/// The difference in accuracy between two models.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CalibrationAgreement {
    /// The mean difference over all bins, as in the paper. It is also the violation rate.
    pub error: f64,
    /// The mean difference over bins that are not empty.
    pub over_filled: f64,
    /// The number of bins that are not empty.
    pub filled: usize,
    pub bins: usize,
}

/// More bins than this are a mistake, and would only cost memory.
const MOST_BINS: usize = 1_000_000;

/// The difference in accuracy between teacher and student, by the teacher's confidence.
pub fn calibration_agreement(
    confidence: &[f64],
    teacher_right: &[bool],
    student_right: &[bool],
    bins: usize,
) -> Option<CalibrationAgreement> {
    let have_lengths = confidence.len() == teacher_right.len() && confidence.len() == student_right.len();
    let are_probabilities = confidence.iter().all(|confidence| (0.0..=1.0).contains(confidence));
    if !have_lengths || !are_probabilities || !(1..=MOST_BINS).contains(&bins) || confidence.is_empty() {
        return None;
    }
    let mut counts = vec![[0.0; 3]; bins];
    for (row, confidence) in confidence.iter().enumerate() {
        let [inputs, teacher, student] = &mut counts[bin_of(*confidence, bins)];
        *inputs += 1.0;
        *teacher += f64::from(u8::from(teacher_right[row]));
        *student += f64::from(u8::from(student_right[row]));
    }
    let filled: Vec<f64> = counts
        .iter()
        .filter(|[inputs, ..]| *inputs > 0.0)
        .map(|[inputs, teacher, student]| (teacher / inputs - student / inputs).abs())
        .collect();
    let sum: f64 = filled.iter().sum();
    let over_filled = sum / filled.len() as f64;
    Some(CalibrationAgreement { error: sum / bins as f64, over_filled, filled: filled.len(), bins })
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let confidence: Vec<f64> = argument(arguments, "confidence")?;
    let teacher: Vec<bool> = argument(arguments, "teacher_right")?;
    let student: Vec<bool> = argument(arguments, "student_right")?;
    let bins = optional(arguments, "bins")?.unwrap_or(AGREEMENT_BINS[0]);
    result(calibration_agreement(&confidence, &teacher, &student, bins))
}

#[cfg(test)]
mod tests {
    use super::calibration_agreement;

    #[test]
    fn odd_inputs_have_no_error() {
        assert_eq!(calibration_agreement(&[0.5], &[true], &[true], 0), None);
        assert_eq!(calibration_agreement(&[f64::NAN], &[true], &[true], 10), None);
        assert_eq!(calibration_agreement(&[0.5], &[true], &[], 10), None);
    }
}
