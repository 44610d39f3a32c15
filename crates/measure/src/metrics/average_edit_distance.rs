//! The mean edit distance between old and new identifiers, in characters (AED).
//!
//! kind: quality
//! better: lower
//! source: Du et al. 2023, as used by the MetaCompress study: the mean over changed identifiers
//!
//! Unchanged identifiers are left out.
//!
//! ```json
//! {"before": ["count", "i", "name"], "after": ["counter", "j", "name"]}
//! ```
//! ->
//! ```json
//! 1.5
//! ```
//!
//! ```json
//! {"before": ["i"], "after": ["i"]}
//! ```

use serde_json::Value;

use super::edit_distance_score::edit_distance;
use crate::catalogue::{BadInput, argument, result};
use crate::numbers::mean;
use crate::summary::{AttackMeasure, Place};

/// The mean edit distance of changed identifiers.
pub fn average_edit_distance<One: AsRef<str>, Other: AsRef<str>>(before: &[One], after: &[Other]) -> Option<f64> {
    if before.len() != after.len() {
        return None;
    }
    let distances = before.iter().zip(after).map(|(one, other)| edit_distance(one.as_ref(), other.as_ref()));
    mean(distances.filter(|distance| *distance > 0).map(|distance| distance as f64))
}

/// What tables show of it.
pub(super) const SHOWN: &[AttackMeasure] = &[AttackMeasure::ratio("edit distance of a name", |it| {
    let found = it.of_valid().filter(|found| found.renamed > 0)?;
    Some([found.edit_distance as f64, found.renamed as f64])
})
.shown(Place::Quality, "Edit distance of a name (AED)", "Mean edit distance of a renamed identifier.")];

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let before: Vec<String> = argument(arguments, "before")?;
    result(average_edit_distance(&before, &argument::<Vec<String>>(arguments, "after")?))
}
