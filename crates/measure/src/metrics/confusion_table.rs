//! The confusion matrix: one row per true class, one column per predicted class.
//!
//! kind: task
//! source: scikit-learn, confusion_matrix
//!
//! ```json
//! {"predicted": [0, 1, 1, 0], "truth": [0, 1, 0, 0], "classes": 2}
//! ```
//! ->
//! ```json
//! {"classes": 2, "counts": [2, 1, 0, 1]}
//! ```
//!
//! Without `classes` there are as many as the largest label requires. If a label is beyond the last class, there is no
//! matrix:
//!
//! ```json
//! {"predicted": [0, 2], "truth": [0, 1], "classes": 2}
//! ```

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, optional, result};
use crate::numbers::ratio;

/// A confusion matrix. Counts may be weighted, as in a resample.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Confusion {
    pub classes: usize,
    /// One row for each true class, one column for each predicted one, in row-major order.
    pub counts: Vec<f64>,
}

/// Larger matrices are refused: the labels were probably misread, and they would take gigabytes.
pub(crate) const MOST_CLASSES: usize = 2_000;

/// The confusion matrix of labels below `classes`.
pub fn confusion_table(predicted: &[usize], truth: &[usize], classes: usize) -> Option<Confusion> {
    let is_class = |label: &usize| *label < classes;
    if predicted.len() != truth.len() || classes > MOST_CLASSES || !predicted.iter().chain(truth).all(is_class) {
        return None;
    }
    let mut counts = vec![0.0; classes * classes];
    for (predicted, truth) in predicted.iter().zip(truth) {
        counts[truth * classes + predicted] += 1.0;
    }
    Some(Confusion { classes, counts })
}

/// The number of classes that the largest label requires.
pub fn classes_of(predicted: &[usize], truth: &[usize]) -> usize {
    predicted.iter().chain(truth).max().map_or(0, |largest| largest.saturating_add(1))
}

impl Confusion {
    /// How often `truth` was classified as `predicted`; 0 for classes beyond the matrix.
    pub fn count(&self, truth: usize, predicted: usize) -> f64 {
        let is_inside = truth < self.classes && predicted < self.classes;
        if is_inside { self.counts[truth * self.classes + predicted] } else { 0.0 }
    }

    /// The number of inputs.
    pub fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// The number of correctly classified inputs.
    pub fn right(&self) -> f64 {
        (0..self.classes).map(|class| self.count(class, class)).sum()
    }

    /// The number of inputs of each true class.
    pub fn truths(&self) -> Vec<f64> {
        let row = |truth| (0..self.classes).map(move |predicted| self.count(truth, predicted)).sum();
        (0..self.classes).map(row).collect()
    }

    /// The number of inputs of each predicted class.
    pub fn predictions(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.classes];
        for (place, count) in self.counts.iter().enumerate() {
            sums[place % self.classes] += count;
        }
        sums
    }

    /// The fraction of correctly classified inputs.
    pub fn accuracy(&self) -> Option<f64> {
        ratio(self.right(), self.total())
    }
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let predicted: Vec<usize> = argument(arguments, "predicted")?;
    let truth: Vec<usize> = argument(arguments, "truth")?;
    let classes = optional(arguments, "classes")?.unwrap_or_else(|| classes_of(&predicted, &truth));
    result(confusion_table(&predicted, &truth, classes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_go_over_rows_and_columns() {
        let table = confusion_table(&[0, 1, 1], &[0, 0, 1], 3).unwrap();
        assert_eq!(table.truths(), [2.0, 1.0, 0.0]);
        assert_eq!(table.predictions(), [1.0, 2.0, 0.0]);
        assert_eq!((table.right(), table.total(), table.count(9, 0)), (2.0, 3.0, 0.0));
    }

    #[test]
    fn labels_out_of_range_have_no_table() {
        assert_eq!(confusion_table(&[0], &[0, 1], 2), None);
        assert_eq!(confusion_table(&[usize::MAX], &[0], classes_of(&[usize::MAX], &[0])), None);
        assert_eq!(confusion_table(&[], &[], 0).unwrap().accuracy(), None);
    }
}
