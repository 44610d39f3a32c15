//! The summary of a student's fidelity to its teacher.

use super::{Proportion, Summary, UNIT, numbers_of, one_if};
use crate::metrics::{AGREEMENT_BINS, DELTA, TAUS, bin_of, kl_divergence};
use crate::numbers::{argmax, mean, ratio};
use crate::statistics::{Bootstrap, Sums};

/// The violation rates of the four relations of MetaCompress, as they are reported: MR1, MR2 with delta 0.5, MR3 with tau 0.8, 0.85
/// and 0.9, and MR4 with 10, 15 and 20 bins, over all bins and over those that hold an input.
///
/// Undefined for lists whose lengths differ and numbers that are not probabilities.
pub fn fidelity(
    teacher: &[Vec<f64>],
    student: &[Vec<f64>],
    truth: &[usize],
    inputs: Option<&[usize]>,
    bootstrap: &Bootstrap,
) -> Option<Summary> {
    let numbers = numbers_of(inputs, truth.len())?;
    if teacher.len() != truth.len() || student.len() != truth.len() {
        return None;
    }
    let mut sums = Sums::new(numbers.count, 9);
    let mut bins = AGREEMENT_BINS.map(|bins| Sums::new(numbers.count, bins * 3));
    let mut confident = [0usize; 3];
    let mut violations: [Proportion; 5] = Default::default();
    for (row, (teacher, student)) in teacher.iter().zip(student).enumerate() {
        let input = numbers.of(row);
        let divergence = kl_divergence(teacher, student)?;
        let (of_teacher, of_student) = (argmax(teacher)?, argmax(student)?);
        sums.add(input, 0, 1.0);
        sums.add(input, 1, one_if(of_teacher != of_student));
        sums.add(input, 2, one_if(divergence > DELTA));
        violations[0].add(input, one_if(of_teacher != of_student));
        violations[1].add(input, one_if(divergence > DELTA));
        for (place, tau) in TAUS.into_iter().enumerate().filter(|(_, tau)| teacher[of_teacher] >= *tau) {
            confident[place] += 1;
            sums.add(input, 3 + 2 * place, 1.0);
            let violation = one_if(of_teacher != of_student || student[of_student] < tau);
            sums.add(input, 4 + 2 * place, violation);
            violations[2 + place].add(input, violation);
        }
        for (sums, bins) in bins.iter_mut().zip(AGREEMENT_BINS) {
            let bin = 3 * bin_of(teacher[of_teacher], bins);
            sums.add(input, bin, 1.0);
            sums.add(input, bin + 1, one_if(of_teacher == truth[row]));
            sums.add(input, bin + 2, one_if(of_student == truth[row]));
        }
    }
    let n = truth.len();
    let measures = [
        ("label loyalty, violation", n),
        ("probability loyalty, violation", n),
        ("confident agreement at 0.8, violation", confident[0]),
        ("confident agreement at 0.85, violation", confident[1]),
        ("confident agreement at 0.9, violation", confident[2]),
    ];
    let mut summary = Summary::default();
    summary.push_all(UNIT, measures, &sums, bootstrap, |cells| {
        let shares = [(1, 0), (2, 0), (4, 3), (6, 5), (8, 7)];
        shares.map(|(above, below)| ratio(cells[above], cells[below]))
    });
    for ((name, _), violations) in measures.iter().zip(&violations) {
        summary.correct(name, violations, bootstrap);
    }
    for (sums, bins) in bins.iter().zip(AGREEMENT_BINS) {
        let names =
            [format!("calibration agreement, {bins} bins"), format!("calibration agreement, filled of {bins} bins")];
        summary.push_all(UNIT, [(&names[0], n), (&names[1], n)], sums, bootstrap, |cells| {
            let filled = cells.chunks_exact(3).filter(|bin| bin[0] > 0.0);
            let distances: Vec<f64> = filled.map(|bin| (bin[1] - bin[2]).abs() / bin[0]).collect();
            let over_filled = mean(distances.iter().copied());
            [over_filled.map(|_| distances.iter().sum::<f64>() / bins as f64), over_filled]
        });
    }
    Some(summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{calibration_agreement, high_confidence_agreement, label_loyalty, probability_loyalty};

    #[test]
    fn the_values_are_those_of_the_measures() {
        let pair = |share: f64| vec![share, 1.0 - share];
        let teacher: Vec<Vec<f64>> = (0..60).map(|row| pair(f64::from(row * 7 % 60) / 60.0)).collect();
        let student: Vec<Vec<f64>> = (0..60).map(|row| pair(f64::from(row * 11 % 60 + 1) / 62.0)).collect();
        let truth: Vec<usize> = (0..60).map(|row| row % 2).collect();
        let summary = fidelity(&teacher, &student, &truth, None, &Bootstrap::default()).unwrap();
        let close = |measure: &str, value: f64| assert!((summary.value(measure).unwrap() - value).abs() < 1e-12);
        close("label loyalty, violation", label_loyalty(&teacher, &student).unwrap().violation);
        close("probability loyalty, violation", probability_loyalty(&teacher, &student, DELTA).unwrap().violation);
        let agreement = high_confidence_agreement(&teacher, &student, 0.85).unwrap();
        close("confident agreement at 0.85, violation", agreement.violation);
        let confidence: Vec<f64> = teacher.iter().map(|it| it[0].max(it[1])).collect();
        let right = |answers: &[Vec<f64>]| -> Vec<bool> {
            answers.iter().zip(&truth).map(|(answer, truth)| argmax(answer) == Some(*truth)).collect()
        };
        let agreement = calibration_agreement(&confidence, &right(&teacher), &right(&student), 15).unwrap();
        close("calibration agreement, 15 bins", agreement.error);
        close("calibration agreement, filled of 15 bins", agreement.over_filled);
        assert_eq!(fidelity(&teacher, &[], &truth, None, &Bootstrap::default()), None);
    }
}
