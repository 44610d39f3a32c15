//! The summary of a classifier.

use super::{Proportion, Summary, numbers_of, one_if};
use crate::metrics::{
    BINS, CELLS, Confusion, MOST_CLASSES, Scores, bin_of, binary_scores, calibration_error_of_sums, macro_scores,
    matthews_correlation,
};
use crate::statistics::{Bootstrap, Sums};

/// Accuracy, precision, recall, F1, Matthews correlation and, where the confidence of each prediction is known, calibration.
///
/// Labels are the numbers of `classes` classes. Of two classes the scores are those of class 1, the positive one; of more they are
/// macro scores. `inputs` says which source input each row is from. Undefined for lists whose lengths differ and labels that are
/// no class, and for more than 2,000 classes.
pub fn classification(
    predicted: &[usize],
    truth: &[usize],
    confidence: Option<&[f64]>,
    classes: usize,
    inputs: Option<&[usize]>,
    bootstrap: &Bootstrap,
) -> Option<Summary> {
    let inputs = numbers_of(inputs, truth.len())?;
    let is_class = |label: &usize| *label < classes;
    let are_probabilities = |confidence: &[f64]| {
        confidence.len() == truth.len() && confidence.iter().all(|confidence| (0.0..=1.0).contains(confidence))
    };
    if predicted.len() != truth.len() || !predicted.iter().chain(truth).all(is_class) || classes > MOST_CLASSES {
        return None;
    }
    if !confidence.is_none_or(are_probabilities) {
        return None;
    }
    let mut summary = Summary::default();
    let mut sums = Sums::new(inputs.count, classes * classes);
    for (row, (predicted, truth)) in predicted.iter().zip(truth).enumerate() {
        sums.add(inputs.of(row), truth * classes + predicted, 1.0);
    }
    let names = match classes {
        2 => ["accuracy", "precision", "recall", "f1", "macro f1", "matthews correlation"],
        _ => ["accuracy", "macro precision", "macro recall", "macro f1", "micro f1", "matthews correlation"],
    };
    summary.push_all(names.map(|name| (name, truth.len())), &sums, bootstrap, |cells| {
        let table = Confusion { classes, counts: cells.to_vec() };
        let all = macro_scores(&table);
        let Scores { precision, recall, f1 } = if classes == 2 { binary_scores(&table, 1) } else { all };
        // Over single labels, micro F1 is the accuracy.
        let last = if classes == 2 { all.f1 } else { table.accuracy() };
        [table.accuracy(), precision, recall, f1, last, matthews_correlation(&table)]
    });
    // Those that are proportions of rows: of all, of those that were called positive and of those that are.
    let rows = || predicted.iter().zip(truth).enumerate();
    let mut accuracy = Proportion::default();
    rows().for_each(|(row, (one, other))| accuracy.add(inputs.of(row), one_if(one == other)));
    summary.correct("accuracy", &accuracy, bootstrap);
    if classes == 2 {
        let (mut precision, mut recall) = (Proportion::default(), Proportion::default());
        for (row, (predicted, truth)) in rows() {
            if *predicted == 1 {
                precision.add(inputs.of(row), one_if(*truth == 1));
            }
            if *truth == 1 {
                recall.add(inputs.of(row), one_if(*predicted == 1));
            }
        }
        summary.correct("precision", &precision, bootstrap);
        summary.correct("recall", &recall, bootstrap);
    } else {
        summary.correct("micro f1", &accuracy, bootstrap);
    }
    if let Some(confidence) = confidence {
        let mut sums = Sums::new(inputs.count, BINS * CELLS);
        for (row, confidence) in confidence.iter().enumerate() {
            let bin = bin_of(*confidence, BINS) * CELLS;
            sums.add(inputs.of(row), bin, 1.0);
            sums.add(inputs.of(row), bin + 1, *confidence);
            sums.add(inputs.of(row), bin + 2, f64::from(u8::from(predicted[row] == truth[row])));
        }
        summary.push_all([("calibration error", truth.len())], &sums, bootstrap, |cells| {
            [calibration_error_of_sums(cells)]
        });
    }
    Some(summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{accuracy, calibration_error, confusion_table};

    #[test]
    fn the_values_are_those_of_the_measures() {
        let predicted: Vec<usize> = (0..90).map(|row| row * 7 % 3).collect();
        let truth: Vec<usize> = (0..90).map(|row| row * 5 % 4 % 3).collect();
        let confidence: Vec<f64> = (0..90).map(|row| f64::from(row) / 90.0).collect();
        let right: Vec<bool> = predicted.iter().zip(&truth).map(|(one, other)| one == other).collect();
        let summary = classification(&predicted, &truth, Some(&confidence), 3, None, &Bootstrap::default()).unwrap();
        let table = confusion_table(&predicted, &truth, 3).unwrap();
        assert_eq!(summary.value("accuracy"), accuracy(&predicted, &truth));
        assert_eq!(summary.value("macro f1"), macro_scores(&table).f1);
        assert_eq!(summary.value("matthews correlation"), matthews_correlation(&table));
        let error = calibration_error(&confidence, &right, BINS).unwrap();
        assert!((summary.value("calibration error").unwrap() - error).abs() < 1e-12);
        for line in &summary.lines {
            let (value, interval) = (line.value.unwrap(), line.interval.unwrap());
            // A distance is larger in resamples, so its interval need not hold the value.
            assert!(interval.low <= interval.high && (interval.low <= value || line.measure.starts_with("cal")));
        }
    }

    #[test]
    fn bad_labels_have_no_summary() {
        let default = Bootstrap::default();
        assert_eq!(classification(&[2], &[0], None, 2, None, &default), None);
        assert_eq!(classification(&[0], &[0, 1], None, 2, None, &default), None);
        assert_eq!(classification(&[0], &[0], None, usize::MAX, None, &default), None);
        assert_eq!(classification(&[0], &[0], Some(&[f64::NAN]), 2, None, &default), None);
        assert_eq!(classification(&[0], &[0], None, 2, Some(&[]), &default), None);
        let empty = classification(&[], &[], Some(&[]), 2, None, &default).unwrap();
        assert!(empty.lines.iter().all(|line| line.value.is_none() && line.interval.is_none() && line.n == 0));
    }
}
