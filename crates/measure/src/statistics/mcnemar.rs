//! Do two models err on different inputs? McNemar's test for paired labels.
//!
//! kind: statistics
//! source: McNemar 1947; Edwards 1948; statsmodels.stats.contingency_tables.mcnemar
//!
//! Only inputs on which exactly one of the two is right count. The exact p-value is binomial with even odds; the chi-squared
//! statistic has Edwards' correction.
//!
//! ```json
//! {
//!   "first": [true, true, true, true, true, true, false, true],
//!   "second": [false, false, false, false, false, false, true, true]
//! }
//! ```
//! ->
//! ```json
//! {"first_only": 6, "second_only": 1, "p": 0.125, "chi_squared": 2.28571, "chi_squared_p": 0.13057}
//! ```
//!
//! If both are always right or wrong together, there is nothing to test.
//!
//! ```json
//! {"first": [true], "second": [true]}
//! ```

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::special::{chi_squared_above, even_binomial_below};

/// The result of the test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct McNemar {
    /// On how many inputs only the first is right.
    pub first_only: usize,
    /// On how many inputs only the second is right.
    pub second_only: usize,
    /// The exact p-value.
    pub p: f64,
    /// The corrected statistic.
    pub chi_squared: f64,
    /// Its approximate p-value.
    pub chi_squared_p: f64,
}

/// Tests whether two models err alike.
pub fn mcnemar(first: &[bool], second: &[bool]) -> Option<McNemar> {
    if first.len() != second.len() {
        return None;
    }
    let count =
        |wanted: (bool, bool)| first.iter().zip(second).filter(|(one, other)| (**one, **other) == wanted).count();
    let (first_only, second_only) = (count((true, false)), count((false, true)));
    let all = first_only + second_only;
    if all == 0 {
        return None;
    }
    let p = (2.0 * even_binomial_below(first_only.min(second_only), all)).min(1.0);
    let chi_squared = (first_only.abs_diff(second_only) as f64 - 1.0).powi(2) / all as f64;
    Some(McNemar { first_only, second_only, p, chi_squared, chi_squared_p: chi_squared_above(chi_squared, 1) })
}

/// How likely it is by chance that only the first has a label on at least so many of the inputs on which the two differ: the exact
/// one-sided p-value. Without such inputs it is 1.
pub fn mcnemar_one_sided(first_only: usize, second_only: usize) -> f64 {
    match first_only + second_only {
        0 => 1.0,
        all => even_binomial_below(second_only, all),
    }
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let first: Vec<bool> = argument(arguments, "first")?;
    result(mcnemar(&first, &argument::<Vec<bool>>(arguments, "second")?))
}

#[cfg(test)]
mod tests {
    use super::{mcnemar, mcnemar_one_sided};

    #[test]
    fn as_many_of_both_is_no_difference() {
        assert_eq!(mcnemar(&[true, false], &[false, true]).unwrap().p, 1.0);
        assert_eq!((mcnemar(&[], &[]), mcnemar(&[true], &[])), (None, None));
    }

    #[test]
    fn one_side_is_a_tail_of_even_odds() {
        assert_eq!(mcnemar_one_sided(0, 0), 1.0);
        assert!((mcnemar_one_sided(6, 1) - 8.0 / 128.0).abs() < 1e-12);
        assert!((mcnemar_one_sided(1, 6) - 127.0 / 128.0).abs() < 1e-12);
    }
}
