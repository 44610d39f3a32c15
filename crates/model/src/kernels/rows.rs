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
}
