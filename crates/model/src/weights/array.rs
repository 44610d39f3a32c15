//! An array of numbers as a file holds it: bytes, a kind of number, a shape, and strides where it is not in row order.

use std::ops::Range;
use std::sync::Arc;

use half::{bf16, f16};

use super::matrix::WholeNumbers;
use super::quantised::Bits;

/// An array within the bytes of a file.
#[derive(Clone)]
pub(super) struct Array {
    file: Arc<Vec<u8>>,
    /// The byte at which its first number begins.
    start: usize,
    kind: NumberKind,
    shape: Vec<usize>,
    /// How many numbers further the next one along each dimension is.
    strides: Vec<usize>,
    /// What the numbers of each row are multiplied with, where they are whole numbers of a matrix.
    scales: Option<Vec<f32>>,
}

/// The kinds of numbers that weights are stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberKind {
    F64,
    F32,
    F16,
    Bf16,
    I64,
    I32,
    I16,
    I8,
    U8,
}

impl Array {
    /// An array in row order. It must lie within the file.
    pub fn new(file: Arc<Vec<u8>>, start: usize, kind: NumberKind, shape: Vec<usize>) -> Result<Array, String> {
        let mut strides = vec![1_usize; shape.len()];
        for at in (1..shape.len()).rev() {
            strides[at - 1] = strides[at].checked_mul(shape[at].max(1)).ok_or("its shape is impossible")?;
        }
        let bytes = start..file.len();
        Array::with_strides(file, bytes, kind, shape, strides)
    }

    /// An array whose next number along a dimension is `strides` numbers further. It must lie within these bytes of the file.
    pub fn with_strides(
        file: Arc<Vec<u8>>,
        bytes: Range<usize>,
        kind: NumberKind,
        shape: Vec<usize>,
        strides: Vec<usize>,
    ) -> Result<Array, String> {
        if shape.len() != strides.len() {
            return Err("it has not as many strides as dimensions".to_owned());
        }
        // A stride of zero could make an array of any size out of a few bytes.
        let count = shape.iter().try_fold(1_usize, |count, size| count.checked_mul(*size));
        if count.is_none_or(|count| count > bytes.len()) {
            return Err(format!("an array of the shape {shape:?} does not fit into the file: is it complete?"));
        }
        let steps = shape.iter().zip(&strides).map(|(size, stride)| size.saturating_sub(1).checked_mul(*stride));
        let last = steps.into_iter().try_fold(0_usize, |sum, step| sum.checked_add(step?));
        let end = last.and_then(|last| last.checked_add(1)?.checked_mul(kind.size())?.checked_add(bytes.start));
        let is_empty = shape.contains(&0);
        if !is_empty && end.is_none_or(|end| end > bytes.end.min(file.len())) {
            return Err(format!("an array of the shape {shape:?} does not fit into the file: is it complete?"));
        }
        Ok(Array { file, start: bytes.start, kind, shape, strides, scales: None })
    }

    /// An array that no file holds.
    pub fn of(shape: Vec<usize>, numbers: &[f32]) -> Result<Array, String> {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        Array::new(Arc::new(bytes), 0, NumberKind::F32, shape)
    }

    /// A matrix in row order whose numbers have eight bits, or four if they are without a sign, as multiples of these scales.
    pub fn with_scales(self, scales: Vec<f32>) -> Result<Array, String> {
        let [rows, width] = self.shape[..] else { return Err("is not a matrix".to_owned()) };
        if scales.len() != rows {
            return Err("not one for every row".to_owned());
        }
        let columns = match self.kind {
            NumberKind::I8 => width,
            NumberKind::U8 => 2 * width,
            _ => return Err("its numbers have neither eight bits nor four".to_owned()),
        };
        Ok(Array { shape: vec![rows, columns], scales: Some(scales), ..self })
    }

    /// The whole numbers and their scales, where there are some.
    pub fn whole(&self) -> Option<WholeNumbers> {
        let scales = self.scales.clone()?;
        let (bits, count) = match self.kind {
            NumberKind::I8 => (Bits::Eight, self.shape[0] * self.shape[1]),
            _ => (Bits::Four, self.shape[0] * self.shape[1] / 2),
        };
        Some(WholeNumbers { bits, bytes: self.file[self.start..][..count].to_vec(), scales })
    }

    /// The size of each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The numbers in row order, in single precision.
    pub fn numbers(&self) -> Vec<f32> {
        let count: usize = self.shape.iter().product();
        if let Some(whole) = self.whole() {
            return whole.numbers(self.shape[1]);
        }
        let mut numbers = Vec::with_capacity(count);
        if count == 0 {
            return numbers;
        }
        let mut index = vec![0; self.shape.len()];
        let mut place = 0;
        while numbers.len() < count {
            numbers.push(self.number(place));
            // The next place in row order: the last dimension counts fastest.
            for at in (0..index.len()).rev() {
                index[at] += 1;
                place += self.strides[at];
                if index[at] < self.shape[at] {
                    break;
                }
                place -= index[at] * self.strides[at];
                index[at] = 0;
            }
        }
        numbers
    }

    fn number(&self, place: usize) -> f32 {
        let start = self.start + place * self.kind.size();
        fn bytes<const SIZE: usize>(file: &[u8], start: usize) -> [u8; SIZE] {
            let mut bytes = [0; SIZE];
            bytes.copy_from_slice(&file[start..start + SIZE]);
            bytes
        }
        let file = self.file.as_slice();
        match self.kind {
            NumberKind::F64 => f64::from_le_bytes(bytes(file, start)) as f32,
            NumberKind::F32 => f32::from_le_bytes(bytes(file, start)),
            NumberKind::F16 => f16::from_le_bytes(bytes(file, start)).to_f32(),
            NumberKind::Bf16 => bf16::from_le_bytes(bytes(file, start)).to_f32(),
            NumberKind::I64 => i64::from_le_bytes(bytes(file, start)) as f32,
            NumberKind::I32 => i32::from_le_bytes(bytes(file, start)) as f32,
            NumberKind::I16 => f32::from(i16::from_le_bytes(bytes(file, start))),
            NumberKind::I8 => f32::from(i8::from_le_bytes(bytes(file, start))),
            NumberKind::U8 => f32::from(file[start]),
        }
    }
}

impl NumberKind {
    /// The number of bytes.
    pub fn size(self) -> usize {
        match self {
            NumberKind::F64 | NumberKind::I64 => 8,
            NumberKind::F32 | NumberKind::I32 => 4,
            NumberKind::F16 | NumberKind::Bf16 | NumberKind::I16 => 2,
            NumberKind::I8 | NumberKind::U8 => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(kind: NumberKind, bytes: &[u8], shape: &[usize], strides: &[usize]) -> Result<Array, String> {
        Array::with_strides(Arc::new(bytes.to_vec()), 0..bytes.len(), kind, shape.to_vec(), strides.to_vec())
    }

    #[test]
    fn strides_say_where_the_next_number_is() {
        let bytes: Vec<u8> = (0..6).collect();
        let numbers =
            |shape: &[usize], strides: &[usize]| array(NumberKind::U8, &bytes, shape, strides).unwrap().numbers();
        assert_eq!(numbers(&[2, 3], &[3, 1]), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(numbers(&[3, 2], &[1, 3]), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        assert_eq!(numbers(&[2, 2], &[0, 1]), [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(numbers(&[], &[]), [0.0]);
        assert_eq!(numbers(&[0, 7], &[7, 1]), [0.0; 0]);
    }

    #[test]
    fn every_kind_of_number_is_read() {
        let one = |kind, bytes: &[u8]| array(kind, bytes, &[1], &[1]).unwrap().numbers()[0];
        assert_eq!(one(NumberKind::F64, &1.5_f64.to_le_bytes()), 1.5);
        assert_eq!(one(NumberKind::F32, &1.5_f32.to_le_bytes()), 1.5);
        assert_eq!(one(NumberKind::F16, &f16::from_f32(1.5).to_le_bytes()), 1.5);
        assert_eq!(one(NumberKind::Bf16, &bf16::from_f32(1.5).to_le_bytes()), 1.5);
        assert_eq!(one(NumberKind::I64, &(-7_i64).to_le_bytes()), -7.0);
        assert_eq!(one(NumberKind::I32, &(-7_i32).to_le_bytes()), -7.0);
        assert_eq!(one(NumberKind::I16, &(-7_i16).to_le_bytes()), -7.0);
        assert_eq!(one(NumberKind::I8, &(-7_i8).to_le_bytes()), -7.0);
        assert_eq!(one(NumberKind::U8, &[7]), 7.0);
    }

    #[test]
    fn what_does_not_fit_into_the_file_is_refused() {
        assert!(array(NumberKind::F32, &[0; 7], &[2], &[1]).is_err());
        assert!(array(NumberKind::F32, &[0; 8], &[2], &[1]).is_ok());
        assert!(array(NumberKind::F32, &[0; 8], &[2], &[1, 1]).is_err());
        assert!(array(NumberKind::U8, &[0; 8], &[usize::MAX, usize::MAX], &[0, 0]).is_err());
        assert!(array(NumberKind::U8, &[0; 8], &[2], &[usize::MAX]).is_err());
        assert!(array(NumberKind::U8, &[0; 8], &[9], &[0]).is_err());
    }
}
