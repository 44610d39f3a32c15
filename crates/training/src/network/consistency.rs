//! The loss of classes, and of variants that are answered unlike their originals.
//!
//! A program and its variant mean the same, so that a model should say the same about both. How far two answers p and q are apart is told
//! by the symmetrised divergence of Kullback and Leibler, the sum of (p - q)(ln p - ln q) over all classes.

use crate::compute::{Compute, ComputeError};

/// The loss of every row of scores and the slopes of the scores, both times `share`. The rows of the second half are variants of those of
/// the first, where `consistency` is not 0; it is what their distance is multiplied with.
///
/// There are few scores in a batch, so that their distances are computed here, whatever the device is.
pub fn losses<C: Compute>(
    compute: &C,
    scores: C::Array,
    classes: &C::Numbers,
    share: f32,
    consistency: f32,
) -> Result<(C::Array, C::Array), ComputeError> {
    if consistency == 0.0 {
        return compute.cross_entropy(scores, classes, share);
    }
    let rows = compute.rows(&scores);
    let numbers = compute.read(&scores)?;
    let (distances, slopes) = distances(&numbers, rows, share * consistency);
    let (losses, own) = compute.cross_entropy(scores, classes, share)?;
    let losses: Vec<f32> = compute.read(&losses)?.iter().zip(&distances).map(|(loss, more)| loss + more).collect();
    let slopes: Vec<f32> = compute.read(&own)?.iter().zip(&slopes).map(|(slope, more)| slope + more).collect();
    Ok((compute.array(&losses, 1)?, compute.array(&slopes, numbers.len() / rows.max(1))?))
}

/// The distance of every variant from its original, in the row of the original, and the slopes of all scores.
pub(super) fn distances(scores: &[f32], rows: usize, factor: f32) -> (Vec<f32>, Vec<f32>) {
    let columns = scores.len() / rows.max(1);
    let (mut distances, mut slopes) = (vec![0.0; rows], vec![0.0; scores.len()]);
    for (row, distance) in distances.iter_mut().enumerate().take(rows / 2) {
        let [one, other] = [row, row + rows / 2].map(|row| logarithms(&scores[row * columns..][..columns]));
        // Each of the two is far from the other by a divergence of its own.
        let divergence = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(p, q)| p.exp() * (p - q)).sum::<f64>();
        let ways = [(row, &one, &other), (row + rows / 2, &other, &one)];
        for (place, p, q) in ways {
            let far = divergence(p, q);
            *distance += factor * far as f32;
            let own = &mut slopes[place * columns..][..columns];
            for ((slope, p), q) in own.iter_mut().zip(p).zip(q) {
                *slope = factor * (p.exp() * (p - q - far) + p.exp() - q.exp()) as f32;
            }
        }
    }
    (distances, slopes)
}

/// The logarithms of the shares of all classes.
pub(super) fn logarithms(scores: &[f32]) -> Vec<f64> {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = scores.iter().map(|score| f64::from(score - largest).exp()).sum();
    scores.iter().map(|score| f64::from(score - largest) - sum.ln()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_distances() {
        let scores = [0.3, -1.2, 2.0, 0.1, 0.0, 0.4, 1.0, -0.5, 0.2, 0.9, -2.0, 1.1];
        let sum = |scores: &[f32]| distances(scores, 4, 0.7).0.iter().map(|own| f64::from(*own)).sum::<f64>();
        let (_, slopes) = distances(&scores, 4, 0.7);
        for place in 0..scores.len() {
            let moved = |by: f32| {
                let mut scores = scores;
                scores[place] += by;
                sum(&scores)
            };
            let slope = (moved(0.01) - moved(-0.01)) / 0.02;
            assert!((slope - f64::from(slopes[place])).abs() < 1e-3, "{place}: {slope} {}", slopes[place]);
        }
    }

    #[test]
    fn the_same_answers_have_no_distance() {
        let (distances, slopes) = distances(&[1.0, 2.0, 3.0, 4.0], 2, 1.0);
        // Scores that differ by the same number give the same answer.
        assert!(distances.iter().chain(&slopes).all(|number| number.abs() < 1e-6), "{distances:?} {slopes:?}");
        let (far, _) = super::distances(&[50.0, 0.0, 0.0, 50.0], 2, 1.0);
        assert!((far[0] - 100.0).abs() < 1e-3 && far[1] == 0.0, "{far:?}");
    }
}
