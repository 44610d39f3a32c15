//! The cost of an attack per target: queries, cached queries or seconds, over all and over successes.
//!
//! kind: attack
//! better: higher
//! source: ALERT and CODA report mean queries of all targets; means of successes alone flatter attacks that give up
//!
//! ```json
//! {"cost": [10, 20, 300, 40], "succeeded": [true, true, false, true]}
//! ```
//! ->
//! ```json
//! {
//!   "all": {
//!     "n": 4, "mean": 92.5, "least": 10.0, "lower_quartile": 17.5, "median": 30.0, "upper_quartile": 105.0, "most": 300.0
//!   },
//!   "succeeded": {
//!     "n": 3, "mean": 23.33333, "least": 10.0, "lower_quartile": 15.0, "median": 20.0, "upper_quartile": 30.0, "most": 40.0
//!   }
//! }
//! ```
//!
//! Without a success the cost of a success is undefined.
//!
//! ```json
//! {"cost": [5], "succeeded": [false]}
//! ```
//! ->
//! ```json
//! {
//!   "all": {"n": 1, "mean": 5.0, "least": 5.0, "lower_quartile": 5.0, "median": 5.0, "upper_quartile": 5.0, "most": 5.0},
//!   "succeeded": null
//! }
//! ```

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::describe::{Spread, spread};
use crate::summary::{AttackMeasure, Place};

/// The cost per target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Over all targets.
    pub all: Spread,
    /// Over those whose attack succeeded.
    pub succeeded: Option<Spread>,
}

/// The cost per target, with one value for each target in both slices.
pub fn cost_per_target(cost: &[f64], succeeded: &[bool]) -> Option<Cost> {
    if cost.len() != succeeded.len() {
        return None;
    }
    let of_successes: Vec<f64> =
        cost.iter().zip(succeeded).filter(|(_, succeeded)| **succeeded).map(|(cost, _)| *cost).collect();
    Some(Cost { all: spread(cost)?, succeeded: spread(&of_successes) })
}

/// What tables show of it.
pub(super) const SHOWN: &[AttackMeasure] = &[
    AttackMeasure::ratio("queries", |it| it.of_attacked(it.queries as f64)).shown(
        Place::Results,
        "Queries",
        "Mean number of queries per attacked target.",
    ),
    AttackMeasure::ratio("queries of successes", |it| it.of_flipped(it.queries as f64)),
    AttackMeasure::median("median queries", |it| it.is_attacked().then_some(it.queries as f64)).shown(
        Place::Results,
        "Median queries",
        "Median number of queries per attacked target.",
    ),
    AttackMeasure::median("median queries of successes", |it| it.is_flipped().then_some(it.queries as f64)),
    AttackMeasure::ratio("cached queries", |it| it.of_attacked(it.cached as f64)),
    AttackMeasure::ratio("cached queries of successes", |it| it.of_flipped(it.cached as f64)),
    AttackMeasure::ratio("mutant queries", |it| it.of_attacked(it.mutant_queries as f64)),
    AttackMeasure::ratio("seconds", |it| it.of_attacked(it.seconds)).shown(
        Place::Results,
        "Seconds",
        "Mean time per attacked target, with its share of the model's time.",
    ),
    AttackMeasure::ratio("seconds of successes", |it| it.of_flipped(it.seconds)),
];

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let cost: Vec<f64> = argument(arguments, "cost")?;
    result(cost_per_target(&cost, &argument::<Vec<bool>>(arguments, "succeeded")?))
}

#[cfg(test)]
mod tests {
    use super::cost_per_target;

    #[test]
    fn odd_inputs_have_no_cost() {
        assert_eq!(cost_per_target(&[], &[]), None);
        assert_eq!(cost_per_target(&[1.0], &[]), None);
        assert_eq!(cost_per_target(&[f64::NAN], &[true]), None);
    }
}
