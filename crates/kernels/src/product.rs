//! Products of matrices that lie anywhere in memory, in pieces that threads can share.
//!
//! Every number of a product is summed in the order of its terms with fused multiply-adds, whatever the pieces are.

use std::ops::Range;

use super::dispatch;
use super::lanes::{self, Lanes};
use super::matrix::add_products;

/// A matrix of a product: how far its rows and its columns are from each other.
#[derive(Clone, Copy)]
pub struct Factor<'a> {
    pub numbers: &'a [f32],
    pub row: usize,
    pub column: usize,
}

impl<'a> Factor<'a> {
    /// Rows, by their length.
    pub fn rows(numbers: &'a [f32], width: usize) -> Factor<'a> {
        Factor { numbers, row: width, column: 1 }
    }

    /// Columns, by their length: the transpose of the rows.
    pub fn columns(numbers: &'a [f32], width: usize) -> Factor<'a> {
        Factor { numbers, row: 1, column: width }
    }

    /// Rows and columns change places.
    pub fn transposed(self) -> Factor<'a> {
        Factor { row: self.column, column: self.row, ..self }
    }

    /// Does it have these numbers of rows and columns?
    pub fn has(self, rows: usize, columns: usize) -> bool {
        rows == 0 || columns == 0 || (rows - 1) * self.row + (columns - 1) * self.column < self.numbers.len()
    }
}

/// The number of columns that are one piece of work: their part of the second factor stays in the cache of a core while all rows pass.
pub const COLUMNS: usize = 128;

/// So many terms are added up before the next ones: few enough that a tile fits into the fastest memory and all panels into the next,
/// and many, because each round reads and writes the result.
const TERMS: usize = 384;

/// The number of rows of the first factor that are worked on together.
pub fn tile_rows() -> usize {
    #[cfg(target_arch = "x86_64")]
    if lanes::has_avx512() {
        return lanes::Avx512::ROWS;
    }
    lanes::Plain::ROWS
}

/// Lays out some rows of the first factor as [`multiply`] reads them: the first number of each row, then the second of each. Rows that
/// are missing to a tile are zero.
pub fn interleave(one: Factor<'_>, rows: Range<usize>, target: &mut [f32]) {
    let tile = tile_rows();
    if one.column == 1 {
        for (at, row) in rows.enumerate() {
            let row = &one.numbers[row * one.row..][..target.len() / tile];
            target[at..].iter_mut().step_by(tile).zip(row).for_each(|(target, number)| *target = *number);
        }
        return;
    }
    for (term, target) in target.chunks_exact_mut(tile).enumerate() {
        let column = &one.numbers[term * one.column + rows.start * one.row..];
        let target = &mut target[..rows.len()];
        match one.row {
            1 => target.copy_from_slice(&column[..target.len()]),
            _ => target.iter_mut().zip(column.iter().step_by(one.row)).for_each(|(target, number)| *target = *number),
        }
    }
}

/// Some rows and at most [`COLUMNS`] columns of a product.
pub struct Piece<'a, 'r> {
    /// The rows of the first factor in tiles, one after the other.
    pub tiles: &'a [f32],
    pub other: Factor<'a>,
    /// The first column of the second factor.
    pub first: usize,
    /// How many terms each sum has.
    pub terms: usize,
    /// The part of every row that the sums are added to.
    pub result: &'a mut [&'r mut [f32]],
}

/// Adds a piece of a product to its result.
pub fn multiply(piece: Piece<'_, '_>) {
    dispatch!(multiply_with, piece: Piece<'_, '_>)
}

type Panel = [[f32; 16]; 2];

#[inline(always)]
fn multiply_with<L: Lanes>(lanes: L, piece: Piece<'_, '_>) {
    let Piece { tiles, other, first, terms, result } = piece;
    let columns = result.first().map_or(0, |row| row.len());
    let mut panels = vec![[[0.0; 16]; 2]; columns.div_ceil(32) * TERMS.min(terms)];
    for start in (0..terms).step_by(TERMS) {
        let some = start..terms.min(start + TERMS);
        for (number, panel) in panels.chunks_exact_mut(TERMS.min(terms)).enumerate() {
            let count = (columns - number * 32).min(32);
            fill(panel, other, some.clone(), first + number * 32, count);
        }
        // A tile stays in the fastest memory while the panels pass, and its rows of the result are touched once for all of them.
        for (tile, rows) in result.chunks_mut(L::ROWS).enumerate() {
            let at = tile * L::ROWS * terms;
            let own = &tiles[at + some.start * L::ROWS..at + some.end * L::ROWS];
            for (number, panel) in panels.chunks_exact(TERMS.min(terms)).enumerate() {
                match L::ROWS {
                    12 => add_tile::<L, 12>(lanes, own, panel, rows, number * 32),
                    _ => add_tile::<L, 3>(lanes, own, panel, rows, number * 32),
                }
            }
        }
    }
}

/// Copies some columns of the second factor into a panel.
#[inline(always)]
fn fill(panel: &mut [Panel], other: Factor<'_>, terms: Range<usize>, first: usize, count: usize) {
    let start = terms.start * other.row + first * other.column;
    if other.column == 1 {
        for (at, target) in panel[..terms.len()].iter_mut().enumerate() {
            let row = &other.numbers[start + at * other.row..][..count];
            match row.as_chunks::<16>().0 {
                [one, other] => *target = [*one, *other],
                _ => target.as_flattened_mut()[..count].copy_from_slice(row),
            }
        }
        return;
    }
    for column in 0..count {
        let numbers = other.numbers[start + column * other.column..].iter().step_by(other.row);
        let targets = panel[..terms.len()].iter_mut();
        targets.zip(numbers).for_each(|(target, number)| target[column / 16][column % 16] = *number);
    }
}

/// Adds the products of some terms to a tile of the result.
#[inline(always)]
fn add_tile<L: Lanes, const ROWS: usize>(
    lanes: L,
    tile: &[f32],
    panel: &[Panel],
    rows: &mut [&mut [f32]],
    first: usize,
) {
    // The sums have a place of their own: a loop that also knew the rows of the result would keep none of them in registers.
    let mut sums = [[[0.0; 16]; 2]; ROWS];
    for (sums, row) in sums.iter_mut().zip(rows.iter()) {
        match row[first..].as_chunks::<16>().0 {
            // Of a fixed size, so that no function is called for it.
            [one, other, ..] => *sums = [*one, *other],
            _ => sums.as_flattened_mut()[..row.len() - first].copy_from_slice(&row[first..]),
        }
    }
    add_products::<L, ROWS>(lanes, panel, tile, &mut sums);
    for (sums, row) in sums.iter().zip(rows.iter_mut()) {
        let count = row.len() - first;
        match row[first..].as_chunks_mut::<16>().0 {
            [one, other, ..] => [*one, *other] = *sums,
            _ => row[first..].copy_from_slice(&sums.as_flattened()[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tiles have other heights on other processors, but every sum has the same order.
    #[test]
    fn a_product_is_the_same_on_every_processor() {
        let numbers = |count: usize, step: f32| -> Vec<f32> { (0..count).map(|at| (at as f32 * step).sin()).collect() };
        for (rows, columns, terms) in [(1, 1, 1), (7, 33, 5), (26, 128, 400), (25, 100, 768)] {
            let (one, other) = (numbers(rows * terms, 0.7), numbers(terms * columns, 1.3));
            let made = |tile: usize, is_plain: bool| {
                let mut tiles = vec![0.0; rows.next_multiple_of(tile) * terms];
                for (at, number) in one.iter().enumerate() {
                    let (row, term) = (at / terms, at % terms);
                    tiles[row / tile * tile * terms + term * tile + row % tile] = *number;
                }
                let mut result = vec![1.0; rows * columns];
                let mut parts: Vec<&mut [f32]> = result.chunks_exact_mut(columns).collect();
                let other = Factor::rows(&other, columns);
                let piece = Piece { tiles: &tiles, other, first: 0, terms, result: &mut parts };
                match is_plain {
                    true => multiply_with(lanes::Plain, piece),
                    false => multiply(piece),
                }
                result
            };
            assert_eq!(made(tile_rows(), false), made(lanes::Plain::ROWS, true), "{rows} {columns} {terms}");
        }
    }
}
