//! How often each true class was given each label: a row a true class, a column a predicted one.
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
//! Without `classes` there are as many as the largest label asks for. A label beyond the last class has no place, so
//! that there is no table:
//!
//! ```json
//! {"predicted": [0, 2], "truth": [0, 1], "classes": 2}
//! ```

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, optional, result};
use crate::numbers::ratio;

/// How often each true class was given each label. Counts may be weighted, as they are in a resample.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Confusion {
    /// The number of classes.
    pub classes: usize,
    /// A row for each true class, a column for each predicted one, row after row.
    pub counts: Vec<f64>,
}

/// Tables of more classes than this are refused: they are labels misread, and would take gigabytes.
pub(crate) const MOST_CLASSES: usize = 2_000;

/// How often each true class was given each label, for labels from 0 to below `classes`.
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

/// The number of classes that the largest label asks for.
pub fn classes_of(predicted: &[usize], truth: &[usize]) -> usize {
    predicted.iter().chain(truth).max().map_or(0, |largest| largest.saturating_add(1))
}

impl Confusion {
    /// How often `truth` was taken for `predicted`; 0 for classes that the table does not have.
    pub fn count(&self, truth: usize, predicted: usize) -> f64 {
        let is_inside = truth < self.classes && predicted < self.classes;
        if is_inside { self.counts[truth * self.classes + predicted] } else { 0.0 }
    }

    /// How many inputs the table counts.
    pub fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// How many inputs got their true class.
    pub fn right(&self) -> f64 {
        (0..self.classes).map(|class| self.count(class, class)).sum()
    }

    /// How many inputs are of each class.
    pub fn truths(&self) -> Vec<f64> {
        let row = |truth| (0..self.classes).map(move |predicted| self.count(truth, predicted)).sum();
        (0..self.classes).map(row).collect()
    }

    /// How many inputs were given each class.
    pub fn predictions(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.classes];
        for (place, count) in self.counts.iter().enumerate() {
            sums[place % self.classes] += count;
        }
        sums
    }

    /// The share of inputs that got their true class.
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
