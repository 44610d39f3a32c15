//! Products of matrices that lie anywhere in memory.
#![allow(unsafe_code, reason = "the gemm crate takes pointers; every index that it can reach is checked here")]

use gemm_common::Parallelism;

/// A matrix of a product: how far its rows and its columns are from each other.
#[derive(Clone, Copy)]
pub struct Factor<'a> {
    pub numbers: &'a [f32],
    pub row: usize,
    pub column: usize,
}

impl<'a> Factor<'a> {
    /// Rows of so many numbers.
    pub fn rows(numbers: &'a [f32], width: usize) -> Factor<'a> {
        Factor { numbers, row: width, column: 1 }
    }

    /// Columns of so many numbers: the transpose of the rows.
    pub fn columns(numbers: &'a [f32], width: usize) -> Factor<'a> {
        Factor { numbers, row: 1, column: width }
    }

    /// Rows and columns change places.
    pub fn transposed(self) -> Factor<'a> {
        Factor { row: self.column, column: self.row, ..self }
    }

    fn has(self, rows: usize, columns: usize) -> bool {
        rows == 0 || columns == 0 || (rows - 1) * self.row + (columns - 1) * self.column < self.numbers.len()
    }
}

/// The product of two matrices, of so many rows and columns, with so many terms in every sum.
pub fn product(one: Factor<'_>, other: Factor<'_>, rows: usize, columns: usize, terms: usize) -> Vec<f32> {
    let mut result = vec![0.0; rows * columns];
    multiply(&mut result, columns, one, other, terms, false);
    result
}

/// Adds the product of two matrices to rows of `columns` numbers.
pub fn add_product(result: &mut [f32], columns: usize, one: Factor<'_>, other: Factor<'_>, terms: usize) {
    multiply(result, columns, one, other, terms, true);
}

fn multiply(result: &mut [f32], columns: usize, one: Factor<'_>, other: Factor<'_>, terms: usize, is_added: bool) {
    let rows = result.len().checked_div(columns).unwrap_or_default();
    assert!(rows * columns == result.len() && one.has(rows, terms) && other.has(terms, columns), "matrices fit");
    // A small product takes less time than to share it out.
    let threads = match rows * columns * terms {
        0..100_000 => Parallelism::None,
        _ => Parallelism::Rayon(0),
    };
    // SAFETY: the last number of each matrix is within its slice, checked above, and the result is borrowed by nobody else.
    unsafe {
        gemm_f32::gemm::f32::get_gemm_fn()(
            rows,
            columns,
            terms,
            result.as_mut_ptr(),
            1,
            columns as isize,
            is_added,
            one.numbers.as_ptr(),
            one.column as isize,
            one.row as isize,
            other.numbers.as_ptr(),
            other.column as isize,
            other.row as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            threads,
        );
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
        let (rows, columns, terms) = (5, 7, 3);
        let (one, other) = (numbers(rows * terms, 0.7), numbers(terms * columns, 1.3));
        let expected: Vec<f32> = (0..rows * columns)
            .map(|at| (0..terms).map(|k| one[at / columns * terms + k] * other[k * columns + at % columns]).sum())
            .collect();
        let transposed: Vec<f32> = (0..terms * columns).map(|at| other[at % terms * columns + at / terms]).collect();
        for other in [Factor::rows(&other, columns), Factor::columns(&transposed, terms)] {
            let found = product(Factor::rows(&one, terms), other, rows, columns, terms);
            assert!(found.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 1e-5), "{found:?}");
            let mut sum = expected.clone();
            add_product(&mut sum, columns, Factor::rows(&one, terms), other, terms);
            assert!(sum.iter().zip(&expected).all(|(one, other)| (one - 2.0 * other).abs() < 1e-5));
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
                    product(rows_of, Factor::rows(&other, columns), rows, columns, terms)
                })
            };
            let alone = made(1);
            for threads in [2, 3, 5] {
                assert!(made(threads) == alone, "{threads} threads, {rows} x {columns} x {terms}");
            }
        }
    }
}
