//! What is done to each row alone: norms and softmax.

use super::dispatch;
use super::lanes::{self, Lanes};

/// Adds `addend` to every row and brings each to mean zero and variance one, then scales and shifts it.
pub fn layer_norm(rows: &mut [f32], addend: Option<&[f32]>, scale: &[f32], shift: &[f32], epsilon: f32) {
    let arguments = Norm { rows, addend, scale, shift: Some(shift), epsilon };
    dispatch!(norm_with, arguments: Norm<'_>)
}

/// Divides every row by the root of the mean of its squares and scales it: the norm of T5.
pub fn root_mean_square_norm(rows: &mut [f32], scale: &[f32], epsilon: f32) {
    let arguments = Norm { rows, addend: None, scale, shift: None, epsilon };
    dispatch!(norm_with, arguments: Norm<'_>)
}

/// The probabilities that a row of scores stands for.
pub fn softmax(scores: &[f32]) -> Vec<f32> {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f64> = scores.iter().map(|score| ((score - largest) as f64).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| (power / sum) as f32).collect()
}

/// Makes every row of scores, of this width, the probabilities that it stands for. It is not as exact as [`softmax`], and quick.
pub fn softmax_rows(rows: &mut [f32], width: usize) {
    let arguments = (rows, width);
    dispatch!(softmax_with, arguments: (&mut [f32], usize))
}

/// Turns slopes by probabilities into slopes by the scores that [`softmax_rows`] made them of.
pub fn softmax_slopes(slopes: &mut [f32], probabilities: &[f32], width: usize) {
    let arguments = (slopes, probabilities, width);
    dispatch!(slopes_with, arguments: (&mut [f32], &[f32], usize))
}

struct Norm<'a> {
    rows: &'a mut [f32],
    addend: Option<&'a [f32]>,
    scale: &'a [f32],
    /// Without a shift the mean stays as it is.
    shift: Option<&'a [f32]>,
    epsilon: f32,
}

#[inline(always)]
fn norm_with<L: Lanes>(lanes: L, norm: Norm<'_>) {
    let width = norm.scale.len();
    for (number, row) in norm.rows.chunks_exact_mut(width).enumerate() {
        if let Some(addend) = norm.addend {
            let addend = &addend[number * width..][..width];
            row.iter_mut().zip(addend).for_each(|(value, addend)| *value += addend);
        }
        let mean = match norm.shift {
            Some(_) => sum_of(lanes, row, 0.0, |_, value| value) / width as f32,
            None => 0.0,
        };
        let center = lanes.splat(mean);
        let squares = sum_of(lanes, row, mean, |lanes, value| {
            let distance = lanes.sub(value, center);
            lanes.mul(distance, distance)
        });
        let factor = 1.0 / (squares / width as f32 + norm.epsilon).sqrt();
        match norm.shift {
            Some(shift) => {
                for ((value, scale), shift) in row.iter_mut().zip(norm.scale).zip(shift) {
                    *value = ((*value - mean) * factor).mul_add(*scale, *shift);
                }
            }
            None => row.iter_mut().zip(norm.scale).for_each(|(value, scale)| *value = *value * factor * scale),
        }
    }
}

/// The sum over a row; lanes that are missing to sixteen hold `filler`, which the sum must not notice.
#[inline(always)]
fn sum_of<L: Lanes>(lanes: L, row: &[f32], filler: f32, value: impl Fn(L, L::V) -> L::V) -> f32 {
    let (whole, rest) = row.as_chunks::<16>();
    let mut sum = lanes.splat(0.0);
    for chunk in whole {
        sum = lanes.add(sum, value(lanes, lanes.load(chunk)));
    }
    if !rest.is_empty() {
        let mut last = [filler; 16];
        last[..rest.len()].copy_from_slice(rest);
        sum = lanes.add(sum, value(lanes, lanes.load(&last)));
    }
    lanes.sum(sum)
}

#[inline(always)]
fn softmax_with<L: Lanes>(lanes: L, (rows, width): (&mut [f32], usize)) {
    let mut padded = vec![[f32::NEG_INFINITY; 16]; width.div_ceil(16)];
    for row in rows.chunks_exact_mut(width) {
        padded.as_flattened_mut()[..width].copy_from_slice(row);
        let mut largest = lanes.splat(f32::NEG_INFINITY);
        for chunk in &padded {
            largest = lanes.max(largest, lanes.load(chunk));
        }
        let largest = lanes.splat(lanes.largest(largest));
        let mut sum = lanes.splat(0.0);
        for chunk in &mut padded {
            let powers = lanes.exp(lanes.sub(lanes.load(chunk), largest));
            sum = lanes.add(sum, powers);
            lanes.store(powers, chunk);
        }
        let share = 1.0 / lanes.sum(sum);
        row.iter_mut().zip(padded.as_flattened()).for_each(|(number, power)| *number = power * share);
        padded.as_flattened_mut()[width..].fill(f32::NEG_INFINITY);
    }
}

#[inline(always)]
fn slopes_with<L: Lanes>(lanes: L, (slopes, probabilities, width): (&mut [f32], &[f32], usize)) {
    for (slopes, probabilities) in slopes.chunks_exact_mut(width).zip(probabilities.chunks_exact(width)) {
        slopes.iter_mut().zip(probabilities).for_each(|(slope, probability)| *slope *= probability);
        let sum = sum_of(lanes, slopes, 0.0, |_, value| value);
        slopes.iter_mut().zip(probabilities).for_each(|(slope, probability)| *slope -= probability * sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_norm_has_mean_zero_and_variance_one() {
        for width in [1, 2, 16, 19, 96] {
            let mut rows: Vec<f32> = (0..3 * width).map(|at| (at as f32 * 0.7).sin() + 2.0).collect();
            let before = rows.clone();
            layer_norm(&mut rows, None, &vec![1.0; width], &vec![0.5; width], 1e-5);
            for (row, before) in rows.chunks(width).zip(before.chunks(width)) {
                let mean = before.iter().map(|x| *x as f64).sum::<f64>() / width as f64;
                let variance = before.iter().map(|x| (*x as f64 - mean).powi(2)).sum::<f64>() / width as f64;
                for (value, before) in row.iter().zip(before) {
                    let exact = (*before as f64 - mean) / (variance + 1e-5).sqrt() + 0.5;
                    assert!((*value as f64 - exact).abs() < 1e-4, "{width}: {value}, not {exact}");
                }
            }
        }
    }

    #[test]
    fn the_addend_is_added_first() {
        let (mut rows, mut added) = (vec![1.0, 2.0, 4.0], vec![1.5, 1.0, 4.0]);
        let (scale, shift) = ([1.0, 2.0, 3.0], [0.0, 1.0, 2.0]);
        layer_norm(&mut rows, Some(&[0.5, -1.0, 0.0]), &scale, &shift, 1e-5);
        layer_norm(&mut added, None, &scale, &shift, 1e-5);
        assert_eq!(rows, added);
    }

    #[test]
    fn a_norm_of_t5_keeps_the_mean() {
        let mut row = vec![3.0, 4.0];
        root_mean_square_norm(&mut row, &[1.0, 2.0], 0.0);
        let root = 12.5f32.sqrt();
        assert!((row[0] - 3.0 / root).abs() < 1e-6 && (row[1] - 8.0 / root).abs() < 1e-6, "{row:?}");
    }

    #[test]
    fn probabilities_add_up_to_one() {
        assert_eq!(softmax(&[0.0, 0.0]), [0.5, 0.5]);
        assert_eq!(softmax(&[1000.0, 0.0]), [1.0, 0.0]);
        assert_eq!(softmax(&[0.0, 0.0, f32::NEG_INFINITY]), [0.5, 0.5, 0.0]);
        assert_eq!(softmax(&[]), [0.0; 0]);
    }

    #[test]
    fn rows_of_scores_become_the_same_probabilities_and_have_their_slopes() {
        for width in [1, 2, 16, 19, 400] {
            let scores: Vec<f32> = (0..3 * width).map(|at| (at as f32 * 0.7).sin() * 5.0 - 2.0).collect();
            let mut rows = scores.clone();
            softmax_rows(&mut rows, width);
            // The slopes of a sum of weighted probabilities, as the formula for one number after another has it.
            let weights: Vec<f32> = (0..3 * width).map(|at| (at as f32 * 1.3).cos()).collect();
            let mut slopes = weights.clone();
            softmax_slopes(&mut slopes, &rows, width);
            for row in 0..3 {
                let range = row * width..(row + 1) * width;
                let exact = softmax(&scores[range.clone()]);
                let mean: f32 = exact.iter().zip(&weights[range.clone()]).map(|(exact, weight)| exact * weight).sum();
                for (at, exact) in range.zip(exact) {
                    assert!((rows[at] - exact).abs() < 1e-6, "{width}: {}, not {exact}", rows[at]);
                    let slope = exact * (weights[at] - mean);
                    assert!((slopes[at] - slope).abs() < 1e-6, "{width}: {}, not {slope}", slopes[at]);
                }
            }
        }
    }
}
