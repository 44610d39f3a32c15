//! Products of matrices that lie anywhere in memory, shared out among threads.

use kernels::{COLUMNS, Piece, interleave, multiply, tile_rows};
use rayon::prelude::*;

pub use kernels::Factor;

/// Who computes a product.
#[derive(Clone, Copy, PartialEq)]
pub enum Workers {
    /// The thread that asks, because the others have products of their own.
    One,
    All,
}

/// The product of two matrices, by its numbers of rows and columns and the number of terms in every sum.
pub fn product(
    one: Factor<'_>,
    other: Factor<'_>,
    rows: usize,
    columns: usize,
    terms: usize,
    workers: Workers,
) -> Vec<f32> {
    let mut result = vec![0.0; rows * columns];
    add_product(&mut result, columns, one, other, terms, workers);
    result
}

/// Adds the product of two matrices to rows of `columns` numbers.
pub fn add_product(
    result: &mut [f32],
    columns: usize,
    one: Factor<'_>,
    other: Factor<'_>,
    terms: usize,
    workers: Workers,
) {
    let rows = result.len().checked_div(columns).unwrap_or_default();
    assert!(rows * columns == result.len() && one.has(rows, terms) && other.has(terms, columns), "matrices fit");
    if rows == 0 || terms == 0 {
        return;
    }
    // A small product takes less time than to share it out.
    let threads = match workers {
        Workers::All if rows * columns * terms >= 100_000 => rayon::current_num_threads(),
        _ => 1,
    };
    let tile = tile_rows();
    let mut tiles = vec![0.0; rows.next_multiple_of(tile) * terms];
    let lay_out = |(number, target): (usize, &mut [f32])| {
        interleave(one, number * tile..rows.min((number + 1) * tile), target);
    };
    match threads {
        1 => tiles.chunks_exact_mut(tile * terms).enumerate().for_each(lay_out),
        _ => tiles.par_chunks_exact_mut(tile * terms).enumerate().for_each(lay_out),
    }
    // The columns of a product are shared out, and rows only where there are too few columns for all threads: the part of the second
    // factor is laid out once for each piece.
    let blocks = columns.div_ceil(COLUMNS);
    let shares = if threads == 1 { 1 } else { (4 * threads).div_ceil(blocks).min(rows.div_ceil(4 * tile)).max(1) };
    let rows_each = rows.div_ceil(shares).next_multiple_of(tile);
    let mut pieces: Vec<Vec<&mut [f32]>> = Vec::new();
    for rows in result.chunks_mut(rows_each * columns) {
        let start = pieces.len();
        pieces.resize_with(start + blocks, || Vec::with_capacity(rows.len() / columns));
        for row in rows.chunks_exact_mut(columns) {
            row.chunks_mut(COLUMNS).zip(&mut pieces[start..]).for_each(|(part, piece)| piece.push(part));
        }
    }
    let compute = |(number, result): (usize, &mut Vec<&mut [f32]>)| {
        let tiles = &tiles[number / blocks * rows_each * terms..];
        multiply(Piece { tiles, other, first: number % blocks * COLUMNS, terms, result });
    };
    match threads {
        1 => pieces.iter_mut().enumerate().for_each(compute),
        _ => pieces.par_iter_mut().enumerate().with_max_len(1).for_each(compute),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: f32) -> Vec<f32> {
        (0..count).map(|at| ((at as f32 + 1.0) * seed).sin()).collect()
    }

    #[test]
    fn a_product_is_the_sum_of_products_however_its_factors_lie() {
        for (rows, columns, terms) in [(5, 7, 3), (12, 32, 192), (37, 150, 400), (1, 300, 193), (250, 1, 5)] {
            let (one, other) = (numbers(rows * terms, 0.7), numbers(terms * columns, 1.3));
            let expected: Vec<f32> = (0..rows * columns)
                .map(|at| {
                    let terms = (0..terms).map(|k| (one[at / columns * terms + k], other[k * columns + at % columns]));
                    terms.map(|(one, other)| f64::from(one) * f64::from(other)).sum::<f64>() as f32
                })
                .collect();
            let turned = |numbers: &[f32], width: usize| -> Vec<f32> {
                let height = numbers.len() / width;
                (0..numbers.len()).map(|at| numbers[at % height * width + at / height]).collect()
            };
            let (turned_one, turned_other) = (turned(&one, terms), turned(&other, columns));
            for one in [Factor::rows(&one, terms), Factor::columns(&turned_one, rows)] {
                for other in [Factor::rows(&other, columns), Factor::columns(&turned_other, terms)] {
                    for workers in [Workers::One, Workers::All] {
                        let found = product(one, other, rows, columns, terms, workers);
                        let is_near = |one: &f32, other: f32| (one - other).abs() < 1e-4;
                        assert!(found.iter().zip(&expected).all(|(one, other)| is_near(one, *other)), "{found:?}");
                        let mut sum = expected.clone();
                        add_product(&mut sum, columns, one, other, terms, workers);
                        assert!(sum.iter().zip(&expected).all(|(one, other)| is_near(one, 2.0 * other)));
                    }
                }
            }
        }
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        for (rows, columns, terms) in [(300, 200, 500), (1000, 40, 900), (64, 700, 2000)] {
            let (one, other) = (numbers(rows * terms, 0.7), numbers(terms * columns, 1.3));
            let made = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let rows_of = Factor::rows(&one, terms);
                    product(rows_of, Factor::rows(&other, columns), rows, columns, terms, Workers::All)
                })
            };
            let alone = made(1);
            for threads in [2, 3, 5] {
                assert!(made(threads) == alone, "{threads} threads, {rows} x {columns} x {terms}");
            }
        }
    }
}
