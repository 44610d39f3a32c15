//! The area under the ROC curve: how often a positive input has a higher score than a negative one.
//!
//! kind: task
//! better: higher
//! source: Hanley and McNeil 1982; scikit-learn's roc_auc_score
//!
//! Pairs with equal scores count half. Unlike accuracy it does not depend on a threshold: 0.5 is chance.
//!
//! ```json
//! {"scores": [0.1, 0.4, 0.35, 0.8], "truth": [false, false, true, true]}
//! ```
//! ->
//! ```json
//! 0.75
//! ```
//!
//! Without a positive or without a negative input there is no curve:
//!
//! ```json
//! {"scores": [0.1, 0.4], "truth": [true, true]}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::ratio;

/// The area under the curve of the scores of inputs. Undefined for scores that are no numbers and lists whose lengths differ.
pub fn roc_auc(scores: &[f64], truth: &[bool]) -> Option<f64> {
    if scores.len() != truth.len() {
        return None;
    }
    let places = places_of(scores)?;
    let mut cells = vec![0.0; 2 * scores.len()];
    places.iter().zip(truth).for_each(|(place, truth)| cells[2 * place + usize::from(*truth)] += 1.0);
    area_of_sums(&cells)
}

/// For each score its place among the different ones, from the lowest. Undefined where one is no number.
pub fn places_of(scores: &[f64]) -> Option<Vec<usize>> {
    if scores.iter().any(|score| score.is_nan()) {
        return None;
    }
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    Some(scores.iter().map(|score| sorted.partition_point(|other| other < score)).collect())
}

/// The area out of the numbers of negative and positive inputs with each score, from the lowest score.
pub fn area_of_sums(cells: &[f64]) -> Option<f64> {
    let (mut pairs, mut negatives, mut positives) = (0.0, 0.0, 0.0);
    for cell in cells.chunks_exact(2) {
        pairs += cell[1] * (negatives + 0.5 * cell[0]);
        negatives += cell[0];
        positives += cell[1];
    }
    ratio(pairs, negatives * positives)
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let scores: Vec<f64> = argument(arguments, "scores")?;
    result(roc_auc(&scores, &argument::<Vec<bool>>(arguments, "truth")?))
}

#[cfg(test)]
mod tests {
    use super::roc_auc;

    #[test]
    fn odd_scores_have_no_area() {
        assert_eq!(roc_auc(&[f64::NAN, 1.0], &[true, false]), None);
        assert_eq!(roc_auc(&[1.0], &[]), None);
        assert_eq!(roc_auc(&[0.5, 0.5, 0.5], &[true, false, true]), Some(0.5));
        assert_eq!(roc_auc(&[0.0, -0.0], &[true, false]), Some(0.5));
    }
}
