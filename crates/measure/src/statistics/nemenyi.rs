//! Which treatments differ, after a significant Friedman test? Nemenyi's test of all pairs.
//!
//! kind: statistics
//! source: Nemenyi 1963; Demšar 2006; scikit_posthocs.posthoc_nemenyi_friedman
//!
//! Two treatments differ if their mean ranks are further apart than the critical difference, here at 0.05. The p-values come
//! from the studentised range with infinite degrees of freedom, integrated numerically.
//!
//! ```json
//! {"blocks": [[31, 27, 24], [31, 28, 31], [45, 29, 46], [21, 18, 48], [42, 36, 46], [32, 17, 40]]}
//! ```
//! ->
//! ```json
//! {
//!   "mean_ranks": [2.25, 1.16667, 2.58333],
//!   "p": [[1.0, 0.14553, 0.83223], [0.14553, 1.0, 0.03761], [0.83223, 0.03761, 1.0]],
//!   "critical_difference": 1.35314
//! }
//! ```
//!
//! ```json
//! {"blocks": [[1, 2]]}
//! ```

use serde::Serialize;
use serde_json::Value;

use super::friedman::rank_sums;
use crate::catalogue::{BadInput, argument, result};
use crate::special::studentised_range_above;

/// The result of the test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Nemenyi {
    /// The mean rank of each treatment; the smallest number has rank 1.
    pub mean_ranks: Vec<f64>,
    /// The p-value of each pair of treatments.
    pub p: Vec<Vec<f64>>,
    /// The critical difference of mean ranks at 0.05.
    pub critical_difference: f64,
}

/// Tests all pairs of treatments. Every block has a number for every treatment.
pub fn nemenyi(blocks: &[Vec<f64>]) -> Option<Nemenyi> {
    let (sums, _) = rank_sums(blocks)?;
    let (n, k) = (blocks.len() as f64, sums.len() as f64);
    let mean_ranks: Vec<f64> = sums.iter().map(|sum| sum / n).collect();
    // Mean ranks vary like this; the range is that of normal numbers with a variance of one.
    let unit = (k * (k + 1.0) / (12.0 * n)).sqrt();
    let p_of = |one: f64, other: f64| {
        if one == other { 1.0 } else { studentised_range_above((one - other).abs() / unit, sums.len()) }
    };
    let p = mean_ranks.iter().map(|one| mean_ranks.iter().map(|other| p_of(*one, *other)).collect()).collect();
    let critical_difference = unit * range_at(0.05, sums.len());
    Some(Nemenyi { mean_ranks, p, critical_difference })
}

/// The studentised range above which a share lies, by bisection.
fn range_at(share: f64, groups: usize) -> f64 {
    let (mut low, mut high) = (0.0, 100.0);
    while high - low > 1e-11 {
        let middle = 0.5 * (low + high);
        if studentised_range_above(middle, groups) > share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    result(nemenyi(&argument::<Vec<Vec<f64>>>(arguments, "blocks")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demsars_critical_values() {
        // Table 5 of Demšar 2006 holds the range by the root of two, cut off at three digits.
        for (groups, value) in [(3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)] {
            assert!((range_at(0.05, groups) / 2f64.sqrt() - value).abs() < 1e-3, "{groups}");
        }
    }
}
