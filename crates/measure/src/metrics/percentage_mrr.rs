//! The mean probability of the true answer; 0 for an answer that is not listed.
//!
//! kind: task
//! better: higher
//! source: worked example of the thesis on name prediction, whose formula prints 1/certainty by mistake
//!
//! ```json
//! {"predicted": [[["monkey", 0.35], ["gorilla", 0.20], ["cat", 0.15], ["dog", 0.10]]], "truth": ["cat"]}
//! ```
//! ->
//! ```json
//! 0.15
//! ```
//!
//! ```json
//! {"predicted": [], "truth": []}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::mean;

/// The mean probability of the true answers.
pub fn percentage_mrr<Name, Truth, Certainty>(predicted: &[Vec<(Name, Certainty)>], truth: &[Truth]) -> Option<f64>
where
    Name: PartialEq<Truth>,
    Certainty: Into<f64> + Copy,
{
    if predicted.len() != truth.len() {
        return None;
    }
    mean(predicted.iter().zip(truth).map(|(predicted, truth)| certainty(predicted, truth)))
}

/// The probability of the true answer, 0 if it is not listed.
pub fn certainty<Name, Truth, Certainty>(predicted: &[(Name, Certainty)], truth: &Truth) -> f64
where
    Name: PartialEq<Truth>,
    Certainty: Into<f64> + Copy,
{
    predicted.iter().find(|(name, _)| name == truth).map_or(0.0, |(_, certainty)| (*certainty).into())
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let predicted: Vec<Vec<(String, f64)>> = argument(arguments, "predicted")?;
    result(percentage_mrr(&predicted, &argument::<Vec<String>>(arguments, "truth")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certainties_may_be_of_single_precision() {
        assert_eq!(percentage_mrr(&[vec![("a", 0.5f32)], vec![("b", 0.5)]], &["a", "c"]), Some(0.25));
        assert_eq!(percentage_mrr(&[vec![("a", f32::NAN)]], &["a"]), None);
        assert_eq!(percentage_mrr(&[vec![("a", 0.5f32)]], &["a", "a"]), None);
    }
}
