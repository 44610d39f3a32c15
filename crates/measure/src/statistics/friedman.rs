//! Do several treatments of the same blocks differ? The Friedman test, and that of Iman and Davenport.
//!
//! kind: statistics
//! source: Friedman 1937; Iman and Davenport 1980; scipy.stats.friedmanchisquare
//!
//! A row is a block, such as a model; a column is a treatment, such as an attack.
//!
//! ```json
//! {"blocks": [[1, 2, 3], [2, 3, 1], [1, 3, 2], [1, 2, 3]]}
//! ```
//! ->
//! ```json
//! {"chi_squared": 3.5, "p": 0.17377, "f": 2.33333, "f_p": 0.17798, "mean_ranks": [1.25, 2.5, 2.25], "n": 4}
//! ```
//!
//! If all blocks agree completely, Iman and Davenport's F is infinite, and therefore absent. With fewer than three
//! treatments, or with blocks in which everything is equal, there is nothing to test.
//!
//! ```json
//! {"blocks": [[1, 1, 1], [2, 2, 2]]}
//! ```

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::{finite, ranks, ratio};
use crate::special::{chi_squared_above, f_above};

/// The result of the test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Friedman {
    /// Friedman's statistic, corrected for ties.
    pub chi_squared: f64,
    /// Its p-value.
    pub p: f64,
    /// Iman and Davenport's statistic.
    pub f: Option<f64>,
    /// Its p-value.
    pub f_p: Option<f64>,
    /// The mean rank of each treatment; the smallest number has rank 1.
    pub mean_ranks: Vec<f64>,
    /// The number of blocks.
    pub n: usize,
}

/// Tests whether treatments differ. Every block has a number for every treatment.
pub fn friedman(blocks: &[Vec<f64>]) -> Option<Friedman> {
    let (sums, tied) = rank_sums(blocks)?;
    let (n, k) = (blocks.len() as f64, sums.len() as f64);
    let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    let correction = 1.0 - tied / (k * (k * k - 1.0) * n);
    let chi_squared = ratio(12.0 / (k * n * (k + 1.0)) * squares - 3.0 * n * (k + 1.0), correction)?;
    let p = finite(chi_squared_above(chi_squared, sums.len() - 1))?;
    let room = n * (k - 1.0) - chi_squared;
    // Rounding may leave a little room where there is none.
    let f = if room > 1e-9 * n * k { ratio((n - 1.0) * chi_squared, room) } else { None };
    let f_p = f.and_then(|f| finite(f_above(f, k - 1.0, (k - 1.0) * (n - 1.0))));
    let mean_ranks = sums.iter().map(|sum| sum / n).collect();
    Some(Friedman { chi_squared, p, f: f_p.and(f), f_p, mean_ranks, n: blocks.len() })
}

/// The rank sum of each treatment, and the correction for ties. Undefined for rows of different lengths and for NaN.
pub(super) fn rank_sums(blocks: &[Vec<f64>]) -> Option<(Vec<f64>, f64)> {
    let treatments = blocks.first()?.len();
    let is_sound = |block: &Vec<f64>| block.len() == treatments && block.iter().all(|value| !value.is_nan());
    if treatments < 3 || !blocks.iter().all(is_sound) {
        return None;
    }
    let mut sums = vec![0.0; treatments];
    let mut tied = 0.0;
    for block in blocks {
        let (ranks, ties) = ranks(block);
        sums.iter_mut().zip(ranks).for_each(|(sum, rank)| *sum += rank);
        tied += ties.iter().map(|size| (*size as f64).powi(3) - *size as f64).sum::<f64>();
    }
    Some((sums, tied))
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    result(friedman(&argument::<Vec<Vec<f64>>>(arguments, "blocks")?))
}

#[cfg(test)]
mod tests {
    use super::friedman;

    #[test]
    fn full_agreement_has_no_f() {
        let found = friedman(&[vec![1.0, 2.0, 3.0], vec![1.0, 2.0, 3.0]]).unwrap();
        assert_eq!((found.chi_squared, found.f, found.f_p), (4.0, None, None));
    }

    #[test]
    fn odd_tables_have_no_result() {
        assert_eq!(friedman(&[]), None);
        assert_eq!(friedman(&[vec![1.0, 2.0]]), None);
        assert_eq!(friedman(&[vec![1.0, 2.0, 3.0], vec![1.0]]), None);
        assert_eq!(friedman(&[vec![1.0, f64::NAN, 3.0]]), None);
    }
}
