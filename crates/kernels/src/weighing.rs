//! Rows that are weighed: their products with another row, their weighed sum, and what the way back adds to them.

use super::dispatch;
use super::lanes::{self, Lanes};

/// Writes the product of every row with another row.
pub fn products(rows: &[f32], other: &[f32], result: &mut [f32]) {
    assert!(rows.len() == other.len() * result.len());
    let arguments = (rows, other, result);
    dispatch!(products_with, arguments: (&[f32], &[f32], &mut [f32]))
}

/// Adds the sum of rows, each times its weight, to another row.
pub fn add_weighed(rows: &[f32], weights: &[f32], result: &mut [f32]) {
    assert!(rows.len() == weights.len() * result.len());
    let arguments = (rows, weights, result);
    dispatch!(weighed_with, arguments: (&[f32], &[f32], &mut [f32]))
}

/// Adds a row, times the weight of each, to rows.
pub fn add_to_each(rows: &mut [f32], weights: &[f32], other: &[f32]) {
    assert!(rows.len() == weights.len() * other.len());
    let arguments = (rows, weights, other);
    dispatch!(to_each_with, arguments: (&mut [f32], &[f32], &[f32]))
}

#[inline(always)]
fn products_with<L: Lanes>(lanes: L, (rows, other, result): (&[f32], &[f32], &mut [f32])) {
    for (row, result) in rows.chunks_exact(other.len().max(1)).zip(result) {
        let (row, row_rest) = row.as_chunks::<16>();
        let (other, other_rest) = other.as_chunks::<16>();
        let mut sum = lanes.splat(0.0);
        for (row, other) in row.iter().zip(other) {
            sum = lanes.mul_add(lanes.load(row), lanes.load(other), sum);
        }
        let rest = row_rest.iter().zip(other_rest).fold(0.0, |sum, (row, other)| row.mul_add(*other, sum));
        *result = lanes.sum(sum) + rest;
    }
}

#[inline(always)]
fn weighed_with<L: Lanes>(_: L, (rows, weights, result): (&[f32], &[f32], &mut [f32])) {
    for (row, weight) in rows.chunks_exact(result.len().max(1)).zip(weights) {
        for at in 0..result.len() {
            result[at] = weight.mul_add(row[at], result[at]);
        }
    }
}

#[inline(always)]
fn to_each_with<L: Lanes>(_: L, (rows, weights, other): (&mut [f32], &[f32], &[f32])) {
    for (row, weight) in rows.chunks_exact_mut(other.len().max(1)).zip(weights) {
        for at in 0..other.len() {
            row[at] = weight.mul_add(other[at], row[at]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_multiplied_and_added_up() {
        for width in [1, 3, 16, 37] {
            let rows: Vec<f32> = (0..5 * width).map(|at| (at % 7) as f32 - 3.0).collect();
            let other: Vec<f32> = (0..width).map(|at| (at % 3) as f32 - 1.0).collect();
            let weights = [0.5, -1.0, 2.0, 0.0, 0.25];
            let mut found = vec![9.0; 5];
            products(&rows, &other, &mut found);
            let mut sum = vec![1.0; width];
            add_weighed(&rows, &weights, &mut sum);
            let mut more = rows.clone();
            add_to_each(&mut more, &weights, &other);
            for (number, row) in rows.chunks_exact(width).enumerate() {
                // All of these numbers have few bits, so that nothing is rounded.
                let product: f32 = row.iter().zip(&other).map(|(one, other)| one * other).sum();
                assert_eq!(found[number], product, "{width} {number}");
                for at in 0..width {
                    assert_eq!(more[number * width + at], row[at] + weights[number] * other[at]);
                }
            }
            for at in 0..width {
                let expected: f32 = 1.0 + (0..5).map(|row| weights[row] * rows[row * width + at]).sum::<f32>();
                assert_eq!(sum[at], expected, "{width} {at}");
            }
        }
    }
}
