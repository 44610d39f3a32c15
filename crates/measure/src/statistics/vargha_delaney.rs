//! How probable it is that one group's number is larger than another's: Vargha and Delaney's A12.
//!
//! kind: statistics
//! source: Vargha and Delaney 2000, whose thresholds are 0.56, 0.64 and 0.71; it is (Cliff's delta + 1) / 2
//!
//! Equal numbers count half, so that 0.5 means no difference.
//!
//! ```json
//! {"first": [1, 2, 3], "second": [3, 3, 1, 2]}
//! ```
//! ->
//! ```json
//! 0.41667
//! ```
//!
//! ```json
//! {"first": [], "second": []}
//! ```

use serde_json::Value;

use super::cliffs_delta::cliffs_delta;
use crate::catalogue::{BadInput, argument, result};

/// How probable it is that a number of the first group is larger than one of the second.
pub fn vargha_delaney(first: &[f64], second: &[f64]) -> Option<f64> {
    cliffs_delta(first, second).map(|found| 0.5 * (found.delta + 1.0))
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let first: Vec<f64> = argument(arguments, "first")?;
    result(vargha_delaney(&first, &argument::<Vec<f64>>(arguments, "second")?))
}
