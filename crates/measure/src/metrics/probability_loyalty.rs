//! The fraction of inputs with a student's probabilities close to its teacher's (MetaCompress MR2).
//!
//! kind: fidelity
//! better: higher
//! source: MetaCompress, MR2 with delta = 0.5, and its worked example; Kullback and Leibler 1951, natural logarithm
//!
//! Close means that the student diverges from the teacher by at most `delta`. Both directions are listed for each input; a
//! divergence is infinite, and listed as null, if one model gives probability 0 to a class that the other considers
//! possible.
//!
//! ```json
//! {"teacher": [[0.01, 0.99], [0.07, 0.93]], "student": [[0.49, 0.51], [0.88, 0.12]], "delta": 0.62}
//! ```
//! ->
//! ```json
//! {
//!   "loyalty": 0.5,
//!   "violation": 0.5,
//!   "from_teacher": [0.61774, 1.72715],
//!   "from_student": [1.56871, 1.98193]
//! }
//! ```
//!
//! ```json
//! {"teacher": [[0.5, 0.5]], "student": [[1.5, -0.5]]}
//! ```

use serde::Serialize;
use serde_json::Value;

use super::label_loyalty::loyalty_of;
use crate::catalogue::{BadInput, argument, optional, result};
use crate::numbers::finite;

/// The divergence up to which MetaCompress calls probabilities close.
pub const DELTA: f64 = 0.5;

/// How often the probabilities are close, and how far apart they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProbabilityLoyalty {
    /// The fraction of inputs with close probabilities.
    pub loyalty: f64,
    /// The fraction of the others.
    pub violation: f64,
    /// KL(teacher || student) of each input, which is what is compared with the limit.
    pub from_teacher: Vec<Option<f64>>,
    /// KL(student || teacher) of each input.
    pub from_student: Vec<Option<f64>>,
}

/// How often the probabilities are close. Undefined if some numbers are not probabilities.
pub fn probability_loyalty(teacher: &[Vec<f64>], student: &[Vec<f64>], delta: f64) -> Option<ProbabilityLoyalty> {
    if teacher.len() != student.len() || delta.is_nan() {
        return None;
    }
    let (mut from_teacher, mut from_student) = (Vec::new(), Vec::new());
    let mut holding = 0;
    for (teacher, student) in teacher.iter().zip(student) {
        let divergence = kl_divergence(teacher, student)?;
        holding += usize::from(divergence <= delta);
        from_teacher.push(finite(divergence));
        from_student.push(finite(kl_divergence(student, teacher)?));
    }
    let found = loyalty_of(holding, teacher.len())?;
    Some(ProbabilityLoyalty { loyalty: found.loyalty, violation: found.violation, from_teacher, from_student })
}

/// The divergence KL(one || other), infinite where `other` gives no chance to what `one` does.
///
/// Undefined for lists of different lengths and numbers that are not probabilities.
pub fn kl_divergence(one: &[f64], other: &[f64]) -> Option<f64> {
    let are_probabilities = one.iter().chain(other).all(|number| (0.0..=1.0).contains(number));
    if one.len() != other.len() || one.is_empty() || !are_probabilities {
        return None;
    }
    let terms = one.iter().zip(other).filter(|(one, _)| **one > 0.0);
    Some(terms.map(|(one, other)| one * (one / other).ln()).sum())
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let teacher: Vec<Vec<f64>> = argument(arguments, "teacher")?;
    let student: Vec<Vec<f64>> = argument(arguments, "student")?;
    result(probability_loyalty(&teacher, &student, optional(arguments, "delta")?.unwrap_or(DELTA)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certain_student_may_be_infinitely_far_away() {
        assert_eq!(kl_divergence(&[0.5, 0.5], &[1.0, 0.0]), Some(f64::INFINITY));
        assert_eq!(kl_divergence(&[1.0, 0.0], &[0.5, 0.5]), Some(2f64.ln()));
        let found = probability_loyalty(&[vec![0.5, 0.5]], &[vec![1.0, 0.0]], DELTA).unwrap();
        assert_eq!((found.loyalty, &found.from_teacher[..]), (0.0, &[None][..]));
        assert_eq!((kl_divergence(&[], &[]), kl_divergence(&[f64::NAN], &[1.0])), (None, None));
    }
}
