//! Do two series rise and fall together? Spearman's rank correlation with its p-value.
//!
//! kind: statistics
//! source: Spearman 1904; scipy.stats.spearmanr, whose p-value comes from Student's distribution
//!
//! ```json
//! {"first": [1, 2, 3, 4, 5], "second": [5, 6, 7, 8, 7]}
//! ```
//! ->
//! ```json
//! {"rho": 0.82078, "p": 0.08859, "n": 5}
//! ```
//!
//! Two pairs always lie on a line, so they have no p-value; a constant series has no correlation.
//!
//! ```json
//! {"first": [1, 2, 3], "second": [4, 4, 4]}
//! ```

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::{finite, ranks, ratio};
use crate::special::student_beyond;

/// The result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spearman {
    /// The correlation of the ranks.
    pub rho: f64,
    /// The probability of a correlation at least as strong under the null hypothesis; unknown for two pairs.
    pub p: Option<f64>,
    /// The number of pairs.
    pub n: usize,
}

/// The rank correlation of two series.
pub fn spearman(first: &[f64], second: &[f64]) -> Option<Spearman> {
    if first.len() != second.len() || first.iter().chain(second).any(|value| value.is_nan()) {
        return None;
    }
    let n = first.len() as f64;
    let centred = |values: &[f64]| -> Vec<f64> { ranks(values).0.iter().map(|rank| rank - 0.5 * (n + 1.0)).collect() };
    let (ones, others) = (centred(first), centred(second));
    let product = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(one, other)| one * other).sum::<f64>();
    let below = (product(&ones, &ones) * product(&others, &others)).sqrt();
    let rho = ratio(product(&ones, &others), below)?.clamp(-1.0, 1.0);
    let p = if first.len() < 3 {
        None
    } else {
        let t = rho * ((n - 2.0) / ((1.0 + rho) * (1.0 - rho))).sqrt();
        finite(student_beyond(t, n - 2.0))
    };
    Some(Spearman { rho, p, n: first.len() })
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let first: Vec<f64> = argument(arguments, "first")?;
    result(spearman(&first, &argument::<Vec<f64>>(arguments, "second")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_pairs_have_no_p_value() {
        let found = spearman(&[1.0, 2.0], &[5.0, 3.0]).unwrap();
        assert_eq!((found.rho, found.p), (-1.0, None));
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]).unwrap().p, Some(0.0));
        assert_eq!((spearman(&[], &[]), spearman(&[1.0], &[]), spearman(&[f64::NAN], &[1.0])), (None, None, None));
    }
}
