//! The fraction of all inputs that are answered correctly and stay so under attack.
//!
//! kind: attack
//! better: higher
//! source: Madry et al. 2018
//!
//! ```json
//! {"was_right": [true, true, true, false], "flipped": [true, false, false, false]}
//! ```
//! ->
//! ```json
//! 0.5
//! ```
//!
//! ```json
//! {"was_right": [], "flipped": []}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::share;
use crate::summary::{AttackMeasure, Place, one_if};

/// The fraction of all inputs that stay right under attack.
pub fn robust_accuracy(was_right: &[bool], flipped: &[bool]) -> Option<f64> {
    share(was_right, flipped, |was_right, flipped| *was_right && !flipped)
}

/// What tables show of it.
pub(super) const SHOWN: &[AttackMeasure] = &[
    AttackMeasure::ratio("accuracy", |it| Some([one_if(it.was_right), 1.0])).percent(),
    AttackMeasure::ratio("robust accuracy", |it| Some([one_if(it.was_right && !it.flipped), 1.0])).percent().shown(
        Place::Results,
        "Robust accuracy",
        "Targets that are answered right before and under attack.",
    ),
];

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let was_right: Vec<bool> = argument(arguments, "was_right")?;
    result(robust_accuracy(&was_right, &argument::<Vec<bool>>(arguments, "flipped")?))
}
