//! Do paired numbers differ? Wilcoxon's signed-rank test, two-sided.
//!
//! kind: statistics
//! source: Wilcoxon 1945; Pratt 1959; scipy.stats.wilcoxon without continuity correction; ten runs of the thesis
//!
//! Ten paired runs that all decrease:
//!
//! ```json
//! {
//!   "first": [0.95, 0.93, 0.91, 0.90, 0.97, 0.88, 0.92, 0.94, 0.96, 0.89],
//!   "second": [0.85, 0.82, 0.79, 0.77, 0.83, 0.73, 0.76, 0.77, 0.78, 0.70]
//! }
//! ```
//! ->
//! ```json
//! {"statistic": 0.0, "p": 0.00195, "n": 10, "zeros": 0, "is_exact": true, "rank_biserial": 1.0}
//! ```
//!
//! The statistic is the smaller of the two rank sums, `n` counts the pairs that differ, and `rank_biserial` is the
//! difference of the sums divided by their total. Pairs without a difference are dropped (`zeros`: `drop`, Wilcoxon);
//! `pratt` ranks them first and then drops them, `split` gives half of their ranks to each side.
//!
//! By default (`method`: `auto`) the test is exact in the same cases as scipy's: up to 50 pairs without ties and zeros, up
//! to 13 pairs with them; otherwise the normal approximation with tie correction is used. `exact` is exact with ties as
//! well, over all ways to give signs to the ranks; `normal` is always approximate.
//!
//! ```json
//! {"first": [1, 1, 2, 5, 3, 4], "second": [0, 0, 0, 3, 0, 4], "method": "exact"}
//! ```
//! ->
//! ```json
//! {"statistic": 0.0, "p": 0.0625, "n": 5, "zeros": 1, "is_exact": true, "rank_biserial": 1.0}
//! ```
//!
//! If no pair differs, there is nothing to test.
//!
//! ```json
//! {"first": [1, 2], "second": [1, 2]}
//! ```

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalogue::{BadInput, argument, optional, result};
use crate::numbers::{finite, ranks, ratio};
use crate::special::two_sided;

/// How pairs without a difference are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Zeros {
    /// They are dropped: Wilcoxon.
    #[default]
    Drop,
    /// They are ranked and then dropped: Pratt.
    Pratt,
    /// They are ranked, and half of their ranks go to each side.
    Split,
}

/// How a p-value is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exactness {
    /// Exact where scipy is.
    #[default]
    Auto,
    /// Over all permutations.
    Exact,
    /// By the normal approximation.
    Normal,
}

/// The result of the test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SignedRank {
    /// The smaller of the rank sums of positive and negative differences.
    pub statistic: f64,
    /// The probability of a difference at least as large under the null hypothesis.
    pub p: f64,
    /// The number of pairs that differ.
    pub n: usize,
    /// The number of pairs that do not differ.
    pub zeros: usize,
    /// Is the p-value exact?
    pub is_exact: bool,
    /// The difference of the rank sums divided by their total, positive if the first numbers are larger.
    pub rank_biserial: f64,
}

/// Exact tests of more pairs than this take too long, and differ from the approximation in no digit that matters.
const MOST_EXACT: usize = 500;

/// Tests whether paired numbers differ.
pub fn wilcoxon_signed_rank(first: &[f64], second: &[f64], zeros: Zeros, method: Exactness) -> Option<SignedRank> {
    if first.len() != second.len() {
        return None;
    }
    let differences: Vec<f64> = first.iter().zip(second).map(|(one, other)| one - other).collect();
    if differences.iter().any(|difference| !difference.is_finite()) {
        return None;
    }
    let pairs = differences.len();
    let zero_count = differences.iter().filter(|difference| **difference == 0.0).count();
    let n = pairs - zero_count;
    if n == 0 {
        return None;
    }
    let ranked: Vec<f64> = differences.into_iter().filter(|it| zeros != Zeros::Drop || *it != 0.0).collect();
    let sizes: Vec<f64> = ranked.iter().map(|difference| difference.abs()).collect();
    let (ranks, mut ties) = ranks(&sizes);
    let has_ties = ties.iter().any(|size| *size > 1);
    let sum = |is_wanted: fn(f64) -> bool| -> f64 {
        ranked.iter().zip(&ranks).filter(|(difference, _)| is_wanted(**difference)).map(|(_, rank)| rank).sum()
    };
    let shared = if zeros == Zeros::Split { 0.5 * sum(|it| it == 0.0) } else { 0.0 };
    let (positive, negative) = (sum(|it| it > 0.0) + shared, sum(|it| it < 0.0) + shared);
    let is_exact = match method {
        Exactness::Auto => pairs <= 50 && ((!has_ties && zero_count == 0) || pairs <= 13),
        Exactness::Exact if n > MOST_EXACT => return None,
        Exactness::Exact => true,
        Exactness::Normal => false,
    };
    let p = if is_exact {
        let moving: Vec<f64> =
            ranked.iter().zip(&ranks).filter(|(difference, _)| **difference != 0.0).map(|(_, rank)| *rank).collect();
        (2.0 * share_up_to(&moving, positive.min(negative) - shared)).min(1.0)
    } else {
        let cube = |count: f64| count * (count + 1.0) * (2.0 * count + 1.0);
        let (count, dropped) = (ranked.len() as f64, if zeros == Zeros::Pratt { zero_count as f64 } else { 0.0 });
        if zeros == Zeros::Pratt && zero_count > 0 {
            // The zeros come first; they are no ties among the differences.
            ties.remove(0);
        }
        let tied: f64 = ties.iter().map(|size| (*size as f64).powi(3) - *size as f64).sum();
        let centre = 0.25 * (count * (count + 1.0) - dropped * (dropped + 1.0));
        let deviation = ((cube(count) - cube(dropped) - 0.5 * tied) / 24.0).sqrt();
        two_sided(ratio(positive - centre, deviation)?)
    };
    let rank_biserial = ratio(positive - negative, positive + negative)?;
    let statistic = positive.min(negative);
    Some(SignedRank { statistic, p: finite(p)?, n, zeros: zero_count, is_exact, rank_biserial })
}

/// The fraction of all ways to give signs to ranks whose positive sum is at most `limit`.
fn share_up_to(ranks: &[f64], limit: f64) -> f64 {
    // Ranks are multiples of one half, so twice a rank is a whole number.
    let doubled: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank).round() as usize).collect();
    let mut shares = vec![0.0; doubled.iter().sum::<usize>() + 1];
    shares[0] = 1.0;
    let mut reached = 0;
    for rank in doubled {
        reached += rank;
        for sum in (0..=reached).rev() {
            let with = if sum >= rank { shares[sum - rank] } else { 0.0 };
            shares[sum] = 0.5 * (shares[sum] + with);
        }
    }
    shares.iter().take((2.0 * limit).round() as usize + 1).sum()
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let first: Vec<f64> = argument(arguments, "first")?;
    let second: Vec<f64> = argument(arguments, "second")?;
    let zeros = optional(arguments, "zeros")?.unwrap_or_default();
    result(wilcoxon_signed_rank(&first, &second, zeros, optional(arguments, "method")?.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_decreasing_pairs() {
        let first: Vec<f64> = (0..10).map(|run| 1.0 + f64::from(run)).collect();
        let found = wilcoxon_signed_rank(&first, &[0.0; 10], Zeros::Drop, Exactness::Auto).unwrap();
        assert_eq!((found.p, found.statistic, found.rank_biserial), (0.001_953_125, 0.0, 1.0));
    }

    #[test]
    fn odd_inputs_have_no_result() {
        for (first, second) in [(&[1.0][..], &[][..]), (&[], &[]), (&[f64::NAN], &[1.0]), (&[f64::INFINITY], &[1.0])] {
            assert_eq!(wilcoxon_signed_rank(first, second, Zeros::Drop, Exactness::Auto), None);
        }
        assert_eq!(wilcoxon_signed_rank(&[1.0; 501], &[0.0; 501], Zeros::Drop, Exactness::Exact), None);
    }
}
