//! The fraction of inputs whose predicted label is the true one.
//!
//! kind: task
//! better: higher
//! source: scikit-learn, accuracy_score
//!
//! ```json
//! {"predicted": [0, 1, 1, 0], "truth": [0, 1, 0, 0]}
//! ```
//! ->
//! ```json
//! 0.75
//! ```
//!
//! It is undefined for no inputs, and when there are more predictions than true labels or vice versa.
//!
//! ```json
//! {"predicted": [], "truth": []}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::share;

/// The fraction of inputs whose predicted label is the true one.
pub fn accuracy<Label: PartialEq>(predicted: &[Label], truth: &[Label]) -> Option<f64> {
    share(predicted, truth, |predicted, truth| predicted == truth)
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let predicted: Vec<usize> = argument(arguments, "predicted")?;
    result(accuracy(&predicted, &argument::<Vec<usize>>(arguments, "truth")?))
}

#[cfg(test)]
mod tests {
    use super::accuracy;

    #[test]
    fn lists_of_different_lengths_have_none() {
        assert_eq!(accuracy(&["a"], &["a", "b"]), None);
        assert_eq!(accuracy(&["a"], &["a"]), Some(1.0));
    }
}
