//! The summary of a classifier.

use super::{Proportion, Summary, UNIT, numbers_of, one_if};
use crate::metrics::{
    BINS, CELLS, Confusion, MOST_CLASSES, Scores, area_of_sums, bin_of, binary_scores, calibration_error_of_sums,
    macro_scores, matthews_correlation, places_of,
};
use crate::statistics::{Bootstrap, Sums};

/// Accuracy, precision, recall, F1, Matthews correlation and, where the confidence of each prediction is known, calibration. Where the
/// probability of class 1 of two is known, the area under the ROC curve as well.
///
/// Labels are the numbers of `classes` classes. Of two classes the scores are those of class 1, the positive one; of more they are
/// macro scores. `inputs` says which source input each row is from. Undefined for lists whose lengths differ and labels that are
/// no class, and for more than 2,000 classes.
pub fn classification(
    predicted: &[usize],
    truth: &[usize],
    confidence: Option<&[f64]>,
    positive: Option<&[f64]>,
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
    if !confidence.is_none_or(are_probabilities) || !positive.is_none_or(are_probabilities) {
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
    summary.push_all(UNIT, names.map(|name| (name, truth.len())), &sums, bootstrap, |cells| {
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
    if let Some(places) = positive.filter(|_| classes == 2).and_then(places_of) {
        let mut sums = Sums::new(inputs.count, 2 * truth.len());
        for (row, (place, truth)) in places.into_iter().zip(truth).enumerate() {
            sums.add(inputs.of(row), 2 * place + truth, 1.0);
        }
        summary.push_all(UNIT, [("auc", truth.len())], &sums, bootstrap, |cells| [area_of_sums(cells)]);
    }
    if let Some(confidence) = confidence {
        let mut sums = Sums::new(inputs.count, BINS * CELLS);
        for (row, confidence) in confidence.iter().enumerate() {
            let bin = bin_of(*confidence, BINS) * CELLS;
            sums.add(inputs.of(row), bin, 1.0);
            sums.add(inputs.of(row), bin + 1, *confidence);
            sums.add(inputs.of(row), bin + 2, f64::from(u8::from(predicted[row] == truth[row])));
        }
        summary.push_all(UNIT, [("calibration error", truth.len())], &sums, bootstrap, |cells| {
            [calibration_error_of_sums(cells)]
        });
    }
    Some(summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{accuracy, calibration_error, confusion_table, roc_auc};

    #[test]
    fn the_values_are_those_of_the_measures() {
        let predicted: Vec<usize> = (0..90).map(|row| row * 7 % 3).collect();
        let truth: Vec<usize> = (0..90).map(|row| row * 5 % 4 % 3).collect();
        let confidence: Vec<f64> = (0..90).map(|row| f64::from(row) / 90.0).collect();
        let right: Vec<bool> = predicted.iter().zip(&truth).map(|(one, other)| one == other).collect();
        let summary =
            classification(&predicted, &truth, Some(&confidence), None, 3, None, &Bootstrap::default()).unwrap();
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
    fn the_area_is_that_of_the_measure() {
        let truth: Vec<usize> = (0..80).map(|row| row * 7 % 5 % 2).collect();
        let positive: Vec<f64> = (0..80).map(|row| f64::from(row * 11 % 17) / 17.0).collect();
        let predicted: Vec<usize> = positive.iter().map(|share| usize::from(*share >= 0.5)).collect();
        let summary =
            classification(&predicted, &truth, None, Some(&positive), 2, None, &Bootstrap::default()).unwrap();
        let is_positive: Vec<bool> = truth.iter().map(|truth| *truth == 1).collect();
        let line = summary.line("auc").unwrap();
        assert_eq!((line.value, line.n), (roc_auc(&positive, &is_positive), 80));
        assert!(line.interval.is_some_and(|it| it.low < line.value.unwrap() && line.value.unwrap() < it.high));
        // All are ranked right, which is not certain of others.
        let ranked: Vec<f64> = truth.iter().map(|truth| *truth as f64).collect();
        let summary = classification(&truth, &truth, None, Some(&ranked), 2, None, &Bootstrap::default()).unwrap();
        let interval = summary.line("auc").unwrap().interval.unwrap();
        assert!(interval.low < 0.97 && interval.high == 1.0, "{interval:?}");
    }

    #[test]
    fn bad_labels_have_no_summary() {
        let default = Bootstrap::default();
        assert_eq!(classification(&[2], &[0], None, None, 2, None, &default), None);
        assert_eq!(classification(&[0], &[0, 1], None, None, 2, None, &default), None);
        assert_eq!(classification(&[0], &[0], None, None, usize::MAX, None, &default), None);
        assert_eq!(classification(&[0], &[0], Some(&[f64::NAN]), None, 2, None, &default), None);
        assert_eq!(classification(&[0], &[0], None, None, 2, Some(&[]), &default), None);
        let empty = classification(&[], &[], Some(&[]), Some(&[]), 2, None, &default).unwrap();
        assert!(empty.lines.iter().all(|line| line.value.is_none() && line.interval.is_none() && line.n == 0));
    }
}
