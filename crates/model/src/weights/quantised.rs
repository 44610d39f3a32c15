//! Matrices of small whole numbers with a scale for every row, which take a quarter or an eighth of the room that they had.
//!
//! In a file of safetensors a matrix of eight bits is an array `NAME` of bytes with a sign, and one of four bits an array `NAME` of bytes without, of which
//! each has two numbers, the first in its lower half, from 0 for -8 to 15 for 7. Beside both stands `NAME.scale` with what the numbers of each row are
//! multiplied with. A model keeps the matrices of its linear layers and RoBERTa's embeddings like this and multiplies while it computes; what else has scales, and all of a
//! model that is rounded or mutated, is multiplied when it is read.

use std::collections::HashMap;

use super::array::Array;

/// How many bits a number has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    Eight,
    Four,
}

/// A matrix of whole numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantised {
    /// The numbers, row by row: one a byte, or two.
    pub bytes: Vec<u8>,
    /// What the numbers of each row are multiplied with.
    pub scales: Vec<f32>,
}

/// What stands after the name of a matrix in that of its scales.
pub const SCALE: &str = ".scale";

/// Rounds a matrix. Of four bits the number of columns is even.
///
/// The scale of eight bits is the largest number of the row divided by 127. With four bits so few numbers are left that a row is nearer to what it was if
/// its largest numbers are cut: of some scales the one with the smallest squared error is taken.
pub fn quantise(numbers: &[f32], columns: usize, bits: Bits) -> Quantised {
    let mut quantised = Quantised { bytes: Vec::new(), scales: Vec::new() };
    for row in numbers.chunks_exact(columns.max(1)) {
        let largest = row.iter().fold(0.0, |largest: f32, number| largest.max(number.abs()));
        let (scale, most) = match bits {
            Bits::Eight => (largest / 127.0, 127.0),
            Bits::Four => (best_scale(row, largest), 7.0),
        };
        let whole: Vec<i8> = row.iter().map(|number| rounded(*number, scale, most) as i8).collect();
        match bits {
            Bits::Eight => quantised.bytes.extend(whole.iter().map(|number| number.cast_unsigned())),
            Bits::Four => quantised.bytes.extend(whole.chunks_exact(2).map(|two| {
                let [low, high] = [two[0] + 8, two[1] + 8].map(i8::cast_unsigned);
                low | (high << 4)
            })),
        }
        quantised.scales.push(scale);
    }
    quantised
}

/// A number as a multiple of a scale.
fn rounded(number: f32, scale: f32, most: f32) -> f32 {
    if scale > 0.0 { (number / scale).round().clamp(-most, most) } else { 0.0 }
}

/// The number of scales that are tried.
const TRIED: usize = 24;

fn best_scale(row: &[f32], largest: f32) -> f32 {
    let error = |scale: f32| -> f64 {
        row.iter().map(|number| f64::from(number - rounded(*number, scale, 7.0) * scale).powi(2)).sum()
    };
    let scales = (0..TRIED).map(|cut| largest / 7.0 * (1.0 - cut as f32 / (2 * TRIED) as f32));
    let tried = scales.map(|scale| (error(scale), scale));
    tried.min_by(|one, other| one.0.total_cmp(&other.0)).map_or(0.0, |(_, scale)| scale)
}

/// Puts matrices of whole numbers and their scales together.
pub(super) fn with_scales(arrays: &mut HashMap<String, Array>) -> Result<(), String> {
    let named = |name: &String| name.strip_suffix(SCALE).filter(|name| arrays.contains_key(*name)).map(str::to_owned);
    let names: Vec<String> = arrays.keys().filter_map(named).collect();
    for name in names {
        let Some(scales) = arrays.remove(&format!("{name}{SCALE}")) else { continue };
        let Some(array) = arrays.remove(&name) else { continue };
        let joined = array.with_scales(scales.numbers());
        arrays.insert(name.clone(), joined.map_err(|problem| format!("`{name}` has scales, and {problem}"))?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::array::NumberKind;
    use super::*;

    const ROWS: [f32; 8] = [0.5, -1.0, 0.26, 0.0, 0.0, 0.0, 0.0, 0.0];

    fn expanded(quantised: &Quantised, kind: NumberKind, width: usize) -> Result<Vec<f32>, String> {
        let matrix = Array::new(Arc::new(quantised.bytes.clone()), 0, kind, vec![2, width])?;
        let scales = Array::of(vec![quantised.scales.len()], &quantised.scales)?;
        let mut arrays = HashMap::from([("a.weight".to_owned(), matrix), (format!("a.weight{SCALE}"), scales)]);
        with_scales(&mut arrays)?;
        assert_eq!(arrays.len(), 1);
        assert_eq!(arrays["a.weight"].shape(), [2, 4]);
        Ok(arrays["a.weight"].numbers())
    }

    #[test]
    fn numbers_come_back_as_near_as_their_bits_allow() {
        let eight = quantise(&ROWS, 4, Bits::Eight);
        assert_eq!((eight.bytes.len(), eight.scales[1]), (8, 0.0));
        for (near, number) in expanded(&eight, NumberKind::I8, 4).unwrap().iter().zip(ROWS) {
            assert!((near - number).abs() <= 0.5 / 127.0 + 1e-6, "{near} {number}");
        }
        let four = quantise(&ROWS, 4, Bits::Four);
        assert_eq!(four.bytes.len(), 4);
        for (near, number) in expanded(&four, NumberKind::U8, 2).unwrap().iter().zip(ROWS) {
            assert!((near - number).abs() <= 0.5 / 7.0 + 1e-6, "{near} {number}");
        }
    }

    #[test]
    fn one_large_number_does_not_take_all_others_away() {
        let mut row = vec![0.1_f32; 64];
        row[5] = 1.0;
        let four = quantise(&row, 64, Bits::Four);
        let plain = 1.0 / 7.0;
        let error =
            |scale: f32| row.iter().map(|number| (number - rounded(*number, scale, 7.0) * scale).powi(2)).sum::<f32>();
        assert!(error(four.scales[0]) < 0.9 * error(plain), "{}", four.scales[0]);
    }

    #[test]
    fn scales_that_do_not_fit_are_refused() {
        let eight = quantise(&ROWS, 4, Bits::Eight);
        let fewer = Quantised { scales: vec![1.0], ..eight.clone() };
        assert!(expanded(&fewer, NumberKind::I8, 4).unwrap_err().contains("every row"));
        let floats = Array::of(vec![1, 1], &[1.0]).unwrap();
        let scale = Array::of(vec![1], &[1.0]).unwrap();
        let mut arrays = HashMap::from([("a".to_owned(), floats), ("a.scale".to_owned(), scale)]);
        assert!(with_scales(&mut arrays).unwrap_err().contains("neither eight bits nor four"));
    }
}
