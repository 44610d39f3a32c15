//! The fraction of a teacher's confident answers that its student agrees with (HCAR, MetaCompress MR3).
//!
//! kind: fidelity
//! better: higher
//! source: MetaCompress, MR3 with tau = 0.8, 0.85 and 0.9
//!
//! Only inputs on which the teacher's confidence is at least `tau` count. The relation holds if the student predicts the
//! same class with a confidence of at least `tau` as well.
//!
//! ```json
//! {"teacher": [[0.1, 0.9], [0.05, 0.95], [0.6, 0.4]], "student": [[0.15, 0.85], [0.3, 0.7], [0.9, 0.1]], "tau": 0.8}
//! ```
//! ->
//! ```json
//! {"agreement": 0.5, "violation": 0.5, "n": 2}
//! ```
//!
//! If the teacher is never confident, the rate is undefined.
//!
//! ```json
//! {"teacher": [[0.5, 0.5]], "student": [[0.5, 0.5]], "tau": 0.8}
//! ```

use serde::Serialize;
use serde_json::Value;

use super::label_loyalty::loyalty_of;
use crate::catalogue::{BadInput, argument, optional, result};
use crate::numbers::argmax;

/// The levels of confidence at which MetaCompress reports the rate.
pub const TAUS: [f64; 3] = [0.8, 0.85, 0.9];

/// How often a student agrees with its confident teacher.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The fraction of confident answers that are shared.
    pub agreement: f64,
    /// The fraction of the others.
    pub violation: f64,
    /// On how many inputs the teacher is confident.
    pub n: usize,
}

/// How often a student agrees with its confident teacher. Undefined if probabilities are missing or NaN.
pub fn high_confidence_agreement(teacher: &[Vec<f64>], student: &[Vec<f64>], tau: f64) -> Option<Agreement> {
    if teacher.len() != student.len() || tau.is_nan() {
        return None;
    }
    let (mut confident, mut holding) = (0, 0);
    for (teacher, student) in teacher.iter().zip(student) {
        let (of_teacher, of_student) = (argmax(teacher)?, argmax(student)?);
        if teacher.len() != student.len() {
            return None;
        }
        if teacher[of_teacher] >= tau {
            confident += 1;
            holding += usize::from(of_teacher == of_student && student[of_student] >= tau);
        }
    }
    let found = loyalty_of(holding, confident)?;
    Some(Agreement { agreement: found.loyalty, violation: found.violation, n: confident })
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let teacher: Vec<Vec<f64>> = argument(arguments, "teacher")?;
    let student: Vec<Vec<f64>> = argument(arguments, "student")?;
    result(high_confidence_agreement(&teacher, &student, optional(arguments, "tau")?.unwrap_or(TAUS[0])))
}

#[cfg(test)]
mod tests {
    use super::high_confidence_agreement;

    #[test]
    fn odd_probabilities_have_no_agreement() {
        assert_eq!(high_confidence_agreement(&[vec![1.0]], &[vec![]], 0.8), None);
        assert_eq!(high_confidence_agreement(&[vec![1.0]], &[vec![1.0, 0.0]], 0.8), None);
        assert_eq!(high_confidence_agreement(&[vec![1.0]], &[vec![1.0]], f64::NAN), None);
        assert_eq!(high_confidence_agreement(&[], &[], 0.8), None);
    }
}
