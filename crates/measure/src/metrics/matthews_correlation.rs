//! The correlation between predicted and true classes, from -1 through 0 (chance) to 1.
//!
//! kind: task
//! better: higher
//! source: Matthews 1975; for several classes Gorodkin 2004, as scikit-learn's matthews_corrcoef
//!
//! ```json
//! {"predicted": [1, 0, 1, 1], "truth": [1, 1, 1, 0]}
//! ```
//! ->
//! ```json
//! -0.33333
//! ```
//!
//! If all predictions or all truths are the same, the correlation is undefined (scikit-learn gives 0).
//!
//! ```json
//! {"predicted": [1, 1, 1], "truth": [1, 1, 0]}
//! ```

use serde_json::Value;

use super::confusion_table::{Confusion, classes_of, confusion_table};
use crate::catalogue::{BadInput, argument, result};
use crate::numbers::ratio;

/// The correlation between predicted and true classes.
pub fn matthews_correlation(table: &Confusion) -> Option<f64> {
    let (total, right) = (table.total(), table.right());
    let (truths, predictions) = (table.truths(), table.predictions());
    let product = |ones: &[f64], others: &[f64]| ones.iter().zip(others).map(|(one, other)| one * other).sum::<f64>();
    let together = right * total - product(&truths, &predictions);
    let of_predictions = total * total - product(&predictions, &predictions);
    let of_truths = total * total - product(&truths, &truths);
    ratio(together, of_predictions.sqrt() * of_truths.sqrt())
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let predicted: Vec<usize> = argument(arguments, "predicted")?;
    let truth: Vec<usize> = argument(arguments, "truth")?;
    let table = confusion_table(&predicted, &truth, classes_of(&predicted, &truth));
    result(table.as_ref().and_then(matthews_correlation))
}
