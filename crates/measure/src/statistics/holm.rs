//! Adjusts p-values for multiple tests: the Holm correction.
//!
//! kind: statistics
//! source: Holm 1979; statsmodels.stats.multitest.multipletests with method holm
//!
//! The smallest of m p-values is multiplied by m, the next by m - 1 and so on; none becomes smaller than the previous one,
//! and none larger than 1. Compare the results with the significance level itself.
//!
//! ```json
//! {"p": [0.01, 0.04, 0.03, 0.005]}
//! ```
//! ->
//! ```json
//! [0.03, 0.06, 0.06, 0.02]
//! ```
//!
//! A number that is not a probability cannot be corrected.
//!
//! ```json
//! {"p": [1.2]}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};

/// The corrected p-values, in the order of the given ones.
pub fn holm(p: &[f64]) -> Option<Vec<f64>> {
    if p.is_empty() || !p.iter().all(|p| (0.0..=1.0).contains(p)) {
        return None;
    }
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|one, other| p[*one].total_cmp(&p[*other]));
    let mut corrected = vec![0.0; p.len()];
    let mut least: f64 = 0.0;
    for (place, test) in order.into_iter().enumerate() {
        least = least.max(p[test] * (p.len() - place) as f64).min(1.0);
        corrected[test] = least;
    }
    Some(corrected)
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    result(holm(&argument::<Vec<f64>>(arguments, "p")?))
}

#[cfg(test)]
mod tests {
    use super::holm;

    #[test]
    fn odd_inputs_have_no_result() {
        assert_eq!((holm(&[]), holm(&[f64::NAN])), (None, None));
        assert_eq!(holm(&[0.6, 0.7]), Some(vec![1.0, 1.0]));
    }
}
