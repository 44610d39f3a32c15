//! A matrix of a checkpoint in memory, in no more bits than the file has for its numbers.

use std::borrow::Cow;

use kernels::Packed;

use super::quantised::Bits;

/// A matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    columns: usize,
    numbers: Numbers,
}

#[derive(Clone, Debug, PartialEq)]
enum Numbers {
    Full(Vec<f32>),
    Whole(WholeNumbers),
}

/// Whole numbers as a file has them, with what those of each row are multiplied with.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WholeNumbers {
    pub bits: Bits,
    /// One number in a byte, or two.
    pub bytes: Vec<u8>,
    pub scales: Vec<f32>,
}

impl Matrix {
    pub(super) fn full(numbers: Vec<f32>, columns: usize) -> Matrix {
        Matrix { columns, numbers: Numbers::Full(numbers) }
    }

    pub(super) fn whole(numbers: WholeNumbers, columns: usize) -> Matrix {
        Matrix { columns, numbers: Numbers::Whole(numbers) }
    }

    /// A row.
    pub fn row(&self, number: usize) -> Cow<'_, [f32]> {
        match &self.numbers {
            Numbers::Full(all) => Cow::Borrowed(&all[number * self.columns..][..self.columns]),
            Numbers::Whole(all) => Cow::Owned(all.multiplied(number, self.columns).collect()),
        }
    }

    /// The matrix as a linear layer, whose outputs are its rows.
    pub fn packed(&self, bias: Option<&[f32]>) -> Packed {
        Matrix::packed_together(&[self], bias)
    }

    /// Several matrices with as many columns as one linear layer, their outputs one after another.
    pub(super) fn packed_together(matrices: &[&Matrix], bias: Option<&[f32]>) -> Packed {
        let inputs = matrices.first().map_or(0, |matrix| matrix.columns);
        let outputs = matrices.iter().map(|matrix| matrix.rows()).sum();
        let whole: Option<Vec<&WholeNumbers>> = matrices
            .iter()
            .map(|matrix| match &matrix.numbers {
                Numbers::Full(_) => None,
                Numbers::Whole(own) => Some(own),
            })
            .collect();
        match whole {
            Some(whole) if whole.iter().all(|own| own.bits == whole[0].bits) => {
                let rows = |own: &&WholeNumbers| -> Vec<i8> {
                    (0..own.scales.len()).flat_map(|row| own.row(row, inputs)).collect()
                };
                let numbers = whole.iter().map(rows).collect::<Vec<_>>().concat();
                let scales = whole.iter().map(|own| own.scales.as_slice()).collect::<Vec<_>>().concat();
                Packed::whole(&numbers, &scales, whole[0].bits == Bits::Four, bias, inputs, outputs)
            }
            _ => {
                let rows =
                    |matrix: &&Matrix| (0..matrix.rows()).map(|row| matrix.row(row)).collect::<Vec<_>>().concat();
                let numbers = matrices.iter().map(rows).collect::<Vec<_>>().concat();
                Packed::new(&numbers, bias, inputs, outputs)
            }
        }
    }

    fn rows(&self) -> usize {
        match &self.numbers {
            Numbers::Full(numbers) => numbers.len() / self.columns.max(1),
            Numbers::Whole(whole) => whole.scales.len(),
        }
    }
}

impl WholeNumbers {
    /// All numbers, multiplied with their scales.
    pub fn numbers(&self, columns: usize) -> Vec<f32> {
        (0..self.scales.len()).flat_map(|row| self.multiplied(row, columns)).collect()
    }

    fn multiplied(&self, row: usize, columns: usize) -> impl Iterator<Item = f32> {
        self.row(row, columns).map(move |whole| f32::from(whole) * self.scales[row])
    }

    /// The whole numbers of a row.
    fn row(&self, number: usize, columns: usize) -> impl Iterator<Item = i8> {
        let width = match self.bits {
            Bits::Eight => columns,
            Bits::Four => columns / 2,
        };
        let bits = self.bits;
        self.bytes[number * width..][..width].iter().flat_map(move |byte| {
            let half = |half: u8| half.cast_signed() - 8;
            let [first, second] = match bits {
                Bits::Eight => [byte.cast_signed(), 0],
                Bits::Four => [half(byte & 15), half(byte >> 4)],
            };
            [first, second].into_iter().take(if bits == Bits::Four { 2 } else { 1 })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::quantised::quantise;
    use super::*;

    #[test]
    fn whole_numbers_are_multiplied_when_they_are_needed() {
        let numbers: Vec<f32> = (0..24).map(|number| (number as f32 * 0.7).sin()).collect();
        for bits in [Bits::Eight, Bits::Four] {
            let quantised = quantise(&numbers, 6, bits);
            let own = WholeNumbers { bits, bytes: quantised.bytes, scales: quantised.scales };
            let whole = Matrix::whole(own, 6);
            let rows: Vec<f32> = (0..4).flat_map(|row| whole.row(row).into_owned()).collect();
            assert!(rows.iter().zip(&numbers).all(|(near, number)| (near - number).abs() < 0.1), "{rows:?}");
            let full = Matrix::full(rows, 6);
            let input = [0.3, -0.2, 0.9, 0.1, 0.5, -1.0];
            let apply = |packed: Packed| packed.apply(&input, kernels::Activation::None);
            assert_eq!(apply(full.packed(None)), apply(whole.packed(None)));
            // Beside full numbers, whole ones are multiplied at once.
            let bias: Vec<f32> = (0..8).map(|number| number as f32).collect();
            let mixed = Matrix::packed_together(&[&whole, &full], Some(&bias));
            let twice = Matrix::packed_together(&[&full, &full], Some(&bias));
            assert_eq!(apply(mixed), apply(twice));
        }
    }
}
