//! Precision, recall and their harmonic mean, F1.
//!
//! kind: task
//! better: higher
//! source: scikit-learn, precision_recall_fscore_support with zero_division = NaN
//!
//! Binary scores are those of one class, `positive`. Macro scores are the mean over the classes that occur; micro scores
//! count all classes together, which for single labels makes all three equal to the accuracy.
//!
//! ```json
//! {"predicted": [0, 1, 1, 0, 1], "truth": [0, 1, 0, 1, 1], "positive": 1}
//! ```
//! ->
//! ```json
//! {
//!   "binary": {"precision": 0.66667, "recall": 0.66667, "f1": 0.66667},
//!   "macro": {"precision": 0.58333, "recall": 0.58333, "f1": 0.58333},
//!   "micro": {"precision": 0.6, "recall": 0.6, "f1": 0.6}
//! }
//! ```
//!
//! The precision of a class that was never predicted is undefined, and so is the recall of one that was never the truth.
//! Such classes are left out of macro precision and macro recall; their F1 is 0 as long as they occur at all. (By default
//! scikit-learn warns and counts them as 0.)
//!
//! ```json
//! {"predicted": [0, 0], "truth": [0, 1], "positive": 1}
//! ```
//! ->
//! ```json
//! {
//!   "binary": {"precision": null, "recall": 0.0, "f1": 0.0},
//!   "macro": {"precision": 0.5, "recall": 0.5, "f1": 0.33333},
//!   "micro": {"precision": 0.5, "recall": 0.5, "f1": 0.5}
//! }
//! ```

use serde::Serialize;
use serde_json::{Value, json};

use super::confusion_table::{Confusion, classes_of, confusion_table};
use crate::catalogue::{BadInput, argument, optional, result};
use crate::numbers::{mean, ratio};

/// Precision, recall and F1, each of which may be undefined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Scores {
    pub precision: Option<f64>,
    pub recall: Option<f64>,
    /// The harmonic mean of the two, from counts: twice the hits, divided by the sum of predictions and truths.
    pub f1: Option<f64>,
}

/// Precision, recall and F1 from the number of hits, of predictions and of truths.
pub fn scores(hits: f64, found: f64, right: f64) -> Scores {
    Scores { precision: ratio(hits, found), recall: ratio(hits, right), f1: ratio(2.0 * hits, found + right) }
}

/// The scores of one class.
pub fn binary_scores(table: &Confusion, positive: usize) -> Scores {
    let row: f64 = (0..table.classes).map(|predicted| table.count(positive, predicted)).sum();
    let column: f64 = (0..table.classes).map(|truth| table.count(truth, positive)).sum();
    scores(table.count(positive, positive), column, row)
}

/// The mean of the scores of all classes that occur, each over the classes for which it is defined.
pub fn macro_scores(table: &Confusion) -> Scores {
    let (truths, predictions) = (table.truths(), table.predictions());
    let each = |class: usize| scores(table.count(class, class), predictions[class], truths[class]);
    let each: Vec<Scores> = (0..table.classes).map(each).collect();
    let over = |score: fn(&Scores) -> Option<f64>| mean(each.iter().filter_map(score));
    Scores { precision: over(|it| it.precision), recall: over(|it| it.recall), f1: over(|it| it.f1) }
}

/// The scores of all classes counted together.
pub fn micro_scores(table: &Confusion) -> Scores {
    scores(table.right(), table.total(), table.total())
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let predicted: Vec<usize> = argument(arguments, "predicted")?;
    let truth: Vec<usize> = argument(arguments, "truth")?;
    let positive = optional(arguments, "positive")?.unwrap_or(1);
    let table = confusion_table(&predicted, &truth, classes_of(&predicted, &truth));
    result(table.map(|table| {
        json!({
            "binary": binary_scores(&table, positive),
            "macro": macro_scores(&table),
            "micro": micro_scores(&table),
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_that_do_not_occur_are_left_out() {
        let table = confusion_table(&[0, 2], &[0, 2], 5).unwrap();
        assert_eq!(macro_scores(&table).f1, Some(1.0));
        assert_eq!(binary_scores(&table, 1), Scores::default());
        assert_eq!(binary_scores(&table, 7), Scores::default());
    }

    #[test]
    fn nothing_has_no_scores() {
        let table = confusion_table(&[], &[], 0).unwrap();
        assert_eq!((macro_scores(&table), micro_scores(&table)), (Scores::default(), Scores::default()));
    }
}
