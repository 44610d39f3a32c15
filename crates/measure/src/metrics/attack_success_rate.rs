//! The fraction of attacked targets with an adversarial example: attack success rate (ASR, also RFR).
//!
//! kind: attack
//! better: lower
//! source: Yang et al. 2022 (ALERT); Du et al. 2023; the raw rate also counts flips by programs that are not equivalent
//!
//! Targets that the model got wrong from the start are not attacked. `valid` counts only flips by programs that were judged
//! equivalent to the original; a flip that was not judged is not valid.
//!
//! ```json
//! {
//!   "was_right": [true, true, true, true, false],
//!   "flipped": [true, true, false, false, false],
//!   "valid": [true, false, true, false, false]
//! }
//! ```
//! ->
//! ```json
//! {"raw": 0.5, "valid": 0.25, "attacked": 4}
//! ```
//!
//! Without attacked targets the rate is undefined.
//!
//! ```json
//! {"was_right": [false], "flipped": [false], "valid": [false]}
//! ```

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::ratio;
use crate::summary::{AttackMeasure, Place, one_if};

/// The success rates of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SuccessRate {
    /// Over all flips.
    pub raw: f64,
    /// Over flips by equivalent programs.
    pub valid: f64,
    /// How many targets were attacked.
    pub attacked: usize,
}

/// The success rates of an attack, with one value for each target in all slices.
pub fn attack_success_rate(was_right: &[bool], flipped: &[bool], valid: &[bool]) -> Option<SuccessRate> {
    if was_right.len() != flipped.len() || was_right.len() != valid.len() {
        return None;
    }
    let attacked = was_right.iter().filter(|was_right| **was_right).count();
    let count = |is_counted: fn(bool, bool) -> bool| {
        let targets = was_right.iter().zip(flipped).zip(valid);
        targets.filter(|((was_right, flipped), valid)| **was_right && is_counted(**flipped, **valid)).count() as f64
    };
    Some(SuccessRate {
        raw: ratio(count(|flipped, _| flipped), attacked as f64)?,
        valid: ratio(count(|flipped, valid| flipped && valid), attacked as f64)?,
        attacked,
    })
}

/// The name of the measure that says how often an attack finds a valid adversarial example.
pub const VALID_RATE: &str = "attack success rate, valid";

/// What tables show of it.
pub(super) const SHOWN: &[AttackMeasure] = &[
    AttackMeasure::ratio(VALID_RATE, |it| it.of_attacked(one_if(it.flipped && it.valid))).percent().shown(
        Place::Results,
        "ASR",
        "Attacked targets with a valid adversarial example.",
    ),
    AttackMeasure::ratio("attack success rate", |it| it.of_attacked(one_if(it.flipped))).percent().shown(
        Place::Results,
        "ASR, raw",
        "The same with flips that are not valid or not judged.",
    ),
    AttackMeasure::ratio("flips that were not judged", |it| it.of_attacked(one_if(it.flipped && it.not_judged)))
        .percent()
        .shown(
            Place::Results,
            "Not judged",
            "Attacked targets with a flip that could not be judged as requested, which is not counted as a success.",
        ),
];

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let was_right: Vec<bool> = argument(arguments, "was_right")?;
    let flipped: Vec<bool> = argument(arguments, "flipped")?;
    result(attack_success_rate(&was_right, &flipped, &argument::<Vec<bool>>(arguments, "valid")?))
}

#[cfg(test)]
mod tests {
    use super::attack_success_rate;

    #[test]
    fn lists_of_different_lengths_have_none() {
        assert_eq!(attack_success_rate(&[true], &[true], &[]), None);
        assert_eq!(attack_success_rate(&[], &[], &[]), None);
    }
}
