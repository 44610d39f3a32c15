//! Does one group have larger numbers? The Mann-Whitney U test (Wilcoxon rank-sum test), two-sided.
//!
//! kind: statistics
//! source: Mann and Whitney 1947; scipy.stats.mannwhitneyu with continuity correction
//!
//! U counts the pairs in which the first group has the larger number, and half of those that are equal. By default the test
//! is exact in the same cases as scipy's: without ties, and with at most eight numbers in one group (and at most 200 in
//! both); otherwise the normal approximation with tie and continuity correction is used. `exact` is exact with ties as well,
//! over all ways to assign the numbers to the groups.
//!
//! ```json
//! {"first": [19, 22, 16, 29, 24], "second": [20, 11, 17, 12]}
//! ```
//! ->
//! ```json
//! {"u": 17.0, "p": 0.11111, "n": [5, 4], "is_exact": true}
//! ```
//!
//! ```json
//! {"first": [], "second": [1]}
//! ```

use serde::Serialize;
use serde_json::Value;

use super::wilcoxon_signed_rank::Exactness;
use crate::catalogue::{BadInput, argument, optional, result};
use crate::numbers::{finite, ranks, ratio};
use crate::special::two_sided;

/// The result of the test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MannWhitney {
    /// In how many pairs the first group has the larger number; equal ones count half.
    pub u: f64,
    /// The probability of a difference at least as large under the null hypothesis.
    pub p: f64,
    /// The sizes of both groups.
    pub n: [usize; 2],
    /// Is the p-value exact?
    pub is_exact: bool,
}

/// Exact tests with more numbers than this take too long.
const MOST_EXACT: usize = 200;

/// Tests whether two groups differ.
pub fn mann_whitney(first: &[f64], second: &[f64], method: Exactness) -> Option<MannWhitney> {
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    if first.is_empty() || second.is_empty() || all.iter().any(|value| value.is_nan()) {
        return None;
    }
    let (ranks, ties) = ranks(&all);
    let has_ties = ties.iter().any(|size| *size > 1);
    let is_exact = match method {
        Exactness::Auto => !has_ties && first.len().min(second.len()) <= 8 && all.len() <= MOST_EXACT,
        Exactness::Exact if all.len() > MOST_EXACT => return None,
        Exactness::Exact => true,
        Exactness::Normal => false,
    };
    let (ones, others) = (first.len() as f64, second.len() as f64);
    let rank_sum: f64 = ranks[..first.len()].iter().sum();
    let u = rank_sum - 0.5 * ones * (ones + 1.0);
    let p = if is_exact {
        exact(&ranks, first.len(), rank_sum)
    } else {
        let count = ones + others;
        let tied: f64 = ties.iter().map(|size| (*size as f64).powi(3) - *size as f64).sum();
        let variance = ones * others / 12.0 * (count + 1.0 - tied / (count * (count - 1.0)));
        let distance = (u - 0.5 * ones * others).abs() - 0.5;
        // Where all numbers are equal nothing varies, and nothing speaks for a difference.
        if distance <= 0.0 { 1.0 } else { two_sided(ratio(distance, variance.sqrt())?) }
    };
    Some(MannWhitney { u, p: finite(p)?, n: [first.len(), second.len()], is_exact })
}

/// Twice the smaller fraction of all groups of this size whose rank sum is as small, or as large.
fn exact(ranks: &[f64], size: usize, rank_sum: f64) -> f64 {
    let doubled: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank).round() as usize).collect();
    let most: usize = doubled.iter().sum();
    // In row k: how many ways there are to choose k of the ranks seen so far, by their sum.
    let mut ways = vec![vec![0.0; most + 1]; size + 1];
    ways[0][0] = 1.0;
    for (seen, rank) in doubled.iter().enumerate() {
        for chosen in (1..=size.min(seen + 1)).rev() {
            let (before, after) = ways.split_at_mut(chosen);
            for (sum, count) in after[0].iter_mut().enumerate().skip(*rank) {
                *count += before[chosen - 1][sum - rank];
            }
        }
    }
    let found = (2.0 * rank_sum).round() as usize;
    let all: f64 = ways[size].iter().sum();
    let below: f64 = ways[size][..=found].iter().sum();
    let above: f64 = ways[size][found..].iter().sum();
    (2.0 * below.min(above) / all).min(1.0)
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let first: Vec<f64> = argument(arguments, "first")?;
    let second: Vec<f64> = argument(arguments, "second")?;
    result(mann_whitney(&first, &second, optional(arguments, "method")?.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_inputs_have_no_result() {
        assert_eq!(mann_whitney(&[f64::NAN], &[1.0], Exactness::Auto), None);
        assert_eq!(mann_whitney(&[1.0; 101], &[1.0; 100], Exactness::Exact), None);
        for method in [Exactness::Normal, Exactness::Exact] {
            assert_eq!(mann_whitney(&[1.0; 9], &[1.0; 9], method).unwrap().p, 1.0);
        }
    }
}
