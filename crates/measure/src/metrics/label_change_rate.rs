//! The fraction of mutant models that give an input a different label from the original model.
//!
//! kind: mutation
//! better: lower
//! source: Wang et al. 2019 (LCR); guided mutation, equation 3, where it is the mutation score of one input
//!
//! A high rate means that the input is close to the decision boundary, as adversarial inputs are more often than others.
//!
//! ```json
//! {"original": 1, "mutants": [1, 0, 1, 1]}
//! ```
//! ->
//! ```json
//! 0.25
//! ```
//!
//! ```json
//! {"original": 1, "mutants": []}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::ratio;

/// The fraction of mutants with another label. Undefined without mutants.
pub fn label_change_rate<Label: PartialEq>(original: &Label, mutants: &[Label]) -> Option<f64> {
    let changed = mutants.iter().filter(|label| *label != original).count();
    ratio(changed as f64, mutants.len() as f64)
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let original: Value = argument(arguments, "original")?;
    result(label_change_rate(&original, &argument::<Vec<Value>>(arguments, "mutants")?))
}
