//! The fraction of inputs on which a student predicts the label of its teacher (MetaCompress MR1).
//!
//! kind: fidelity
//! better: higher
//! source: MetaCompress, MR1; of equally probable classes the first counts
//!
//! ```json
//! {"teacher": [[0.1, 0.9], [0.6, 0.4]], "student": [[0.4, 0.6], [0.3, 0.7]]}
//! ```
//! ->
//! ```json
//! {"loyalty": 0.5, "violation": 0.5}
//! ```
//!
//! ```json
//! {"teacher": [], "student": []}
//! ```

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::{argmax, ratio};

/// How often a relation holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Loyalty {
    /// The fraction of inputs for which it holds.
    pub loyalty: f64,
    /// The fraction for which it does not.
    pub violation: f64,
}

/// How often the labels agree. Undefined if probabilities are missing or NaN.
pub fn label_loyalty(teacher: &[Vec<f64>], student: &[Vec<f64>]) -> Option<Loyalty> {
    if teacher.len() != student.len() {
        return None;
    }
    let mut holding = 0;
    for (teacher, student) in teacher.iter().zip(student) {
        if teacher.len() != student.len() {
            return None;
        }
        holding += usize::from(argmax(teacher)? == argmax(student)?);
    }
    loyalty_of(holding, teacher.len())
}

/// The loyalty of a relation that holds for some of the inputs.
pub(super) fn loyalty_of(holding: usize, inputs: usize) -> Option<Loyalty> {
    let violating = inputs.checked_sub(holding)?;
    Some(Loyalty { loyalty: ratio(holding as f64, inputs as f64)?, violation: ratio(violating as f64, inputs as f64)? })
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let teacher: Vec<Vec<f64>> = argument(arguments, "teacher")?;
    result(label_loyalty(&teacher, &argument::<Vec<Vec<f64>>>(arguments, "student")?))
}

#[cfg(test)]
mod tests {
    use super::label_loyalty;

    #[test]
    fn odd_probabilities_have_no_loyalty() {
        assert_eq!(label_loyalty(&[vec![0.5, 0.5]], &[vec![1.0]]), None);
        assert_eq!(label_loyalty(&[vec![f64::NAN]], &[vec![1.0]]), None);
        assert_eq!(label_loyalty(&[vec![]], &[vec![]]), None);
    }
}
