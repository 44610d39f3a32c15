//! Products with a matrix of weights that is laid out once.

use std::ops::Range;

use super::activation::{Activation, activate};
use super::dispatch;
use super::lanes::{self, Lanes};

/// The weights and the bias of a linear layer, in the order in which a product reads them.
pub struct Packed {
    inputs: usize,
    outputs: usize,
    weights: Panels,
    /// The bias of every 32 outputs.
    bias: Vec<[[f32; 16]; 2]>,
}

/// For every 32 outputs, for every input, the weights to these outputs. What is missing to 32 outputs is zero.
enum Panels {
    Numbers(Vec<[[f32; 16]; 2]>),
    /// Whole numbers, and what those to every 32 outputs are multiplied with. They are multiplied while a product is made, some at a time, and so take no
    /// more memory than they have bits.
    Eight(Vec<[[i8; 16]; 2]>, Vec<[[f32; 16]; 2]>),
    /// Of four bits: the first sixteen in the lower halves of bytes, from 0 for -8.
    Four(Vec<[u8; 16]>, Vec<[[f32; 16]; 2]>),
}

impl Packed {
    /// Lays out weights that stand as PyTorch's `Linear` has them: a row for each output.
    pub fn new(weights: &[f32], bias: Option<&[f32]>, inputs: usize, outputs: usize) -> Packed {
        assert_eq!(weights.len(), inputs * outputs);
        let weights = Panels::Numbers(in_panels(weights, inputs, outputs));
        Packed { inputs, outputs, weights, bias: bias_of(bias, outputs) }
    }

    /// Lays out weights that are whole numbers from -128 to 127, or from -8 to 7 where `is_four`, with a scale for each output.
    ///
    /// A product is the same to the last bit as that of the numbers multiplied with their scales.
    pub fn whole(
        numbers: &[i8],
        scales: &[f32],
        is_four: bool,
        bias: Option<&[f32]>,
        inputs: usize,
        outputs: usize,
    ) -> Packed {
        assert_eq!((numbers.len(), scales.len()), (inputs * outputs, outputs));
        let numbers = in_panels(numbers, inputs, outputs);
        let scales = in_panels(scales, 1, outputs);
        let weights = match is_four {
            false => Panels::Eight(numbers, scales),
            true => Panels::Four(numbers.iter().map(halves).collect(), scales),
        };
        Packed { inputs, outputs, weights, bias: bias_of(bias, outputs) }
    }

    /// The bytes that the weights and the bias take.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.bias[..])
            + match &self.weights {
                Panels::Numbers(numbers) => size_of_val(&numbers[..]),
                Panels::Eight(numbers, scales) => size_of_val(&numbers[..]) + size_of_val(&scales[..]),
                Panels::Four(numbers, scales) => size_of_val(&numbers[..]) + size_of_val(&scales[..]),
            }
    }

    /// The number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Multiplies every row of `rows` with the weights, adds the bias, and gives the rows of the result.
    pub fn apply(&self, rows: &[f32], activation: Activation) -> Vec<f32> {
        let mut result = vec![0.0; rows.len() / self.inputs * self.outputs];
        product(Product { packed: self, rows, activation, result: &mut result });
        result
    }
}

/// Numbers of a matrix, a row for each output, in panels of 32 outputs.
fn in_panels<Number: Copy + Default>(rows: &[Number], inputs: usize, outputs: usize) -> Vec<[[Number; 16]; 2]> {
    let mut panels = vec![[[Number::default(); 16]; 2]; outputs.div_ceil(32) * inputs];
    for output in 0..outputs {
        let (panel, half, lane) = (output / 32, output % 32 / 16, output % 16);
        for input in 0..inputs {
            panels[panel * inputs + input][half][lane] = rows[output * inputs + input];
        }
    }
    panels
}

fn bias_of(bias: Option<&[f32]>, outputs: usize) -> Vec<[[f32; 16]; 2]> {
    in_panels(bias.unwrap_or(&vec![0.0; outputs]), 1, outputs)
}

/// Numbers from -8 to 7, two in a byte.
fn halves([low, high]: &[[i8; 16]; 2]) -> [u8; 16] {
    let half = |number: i8| number.wrapping_add(8).cast_unsigned() & 15;
    std::array::from_fn(|lane| half(low[lane]) | (half(high[lane]) << 4))
}

struct Product<'a> {
    packed: &'a Packed,
    rows: &'a [f32],
    activation: Activation,
    result: &'a mut [f32],
}

fn product(arguments: Product<'_>) {
    dispatch!(product_with, arguments: Product<'_>)
}

/// So many inputs are worked on at once: their weights to 32 outputs stay in the fastest memory while all rows pass.
const INPUTS: usize = 256;

#[inline(always)]
fn product_with<L: Lanes>(lanes: L, product: Product<'_>) {
    let Packed { inputs, outputs, weights, bias } = product.packed;
    let mut sums = vec![[[0.0; 16]; 2]; product.rows.len() / inputs];
    let tiles = tiles(sums.len(), L::ROWS);
    let rows = interleaved(product.rows, *inputs, &tiles);
    let mut multiplied = Vec::new();
    for panel in 0..bias.len() {
        sums.fill(bias[panel]);
        for first in (0..*inputs).step_by(INPUTS) {
            let some = first..(first + INPUTS).min(*inputs);
            let place = panel * inputs + some.start..panel * inputs + some.end;
            let weights = match weights {
                Panels::Numbers(numbers) => &numbers[place],
                Panels::Eight(numbers, scales) => {
                    multiplied.clear();
                    multiplied.extend(numbers[place].iter().map(|whole| multiplied_by(whole, &scales[panel])));
                    &multiplied[..]
                }
                Panels::Four(numbers, scales) => {
                    multiplied.clear();
                    multiplied.extend(numbers[place].iter().map(|whole| multiplied_by(&apart(whole), &scales[panel])));
                    &multiplied[..]
                }
            };
            for tile in &tiles {
                let rows = &rows[tile.start * inputs + some.start * tile.len()..][..some.len() * tile.len()];
                let sums = &mut sums[tile.clone()];
                match tile.len() {
                    12 => add_products::<L, 12>(lanes, weights, rows, sums),
                    4 => add_products::<L, 4>(lanes, weights, rows, sums),
                    3 => add_products::<L, 3>(lanes, weights, rows, sums),
                    _ => add_products::<L, 1>(lanes, weights, rows, sums),
                }
            }
        }
        finish(lanes, &sums, panel, product.activation, *outputs, product.result);
    }
}

/// The numbers from -8 to 7 of the lower and of the upper halves of bytes.
#[inline(always)]
fn apart(bytes: &[u8; 16]) -> [[i8; 16]; 2] {
    let number = |half: u8| half.cast_signed() - 8;
    [bytes.map(|byte| number(byte & 15)), bytes.map(|byte| number(byte >> 4))]
}

#[inline(always)]
fn multiplied_by(whole: &[[i8; 16]; 2], scales: &[[f32; 16]; 2]) -> [[f32; 16]; 2] {
    let half = |half: usize| std::array::from_fn(|lane| f32::from(whole[half][lane]) * scales[half][lane]);
    [half(0), half(1)]
}

/// Rows that are worked on together: as many as fit into the registers, and then fewer. Whatever the number of rows in a tile,
/// every number is summed in the same order.
fn tiles(count: usize, most: usize) -> Vec<Range<usize>> {
    let mut tiles = Vec::new();
    let mut row = 0;
    while row < count {
        let left = count - row;
        let size = [most, 4, 1].into_iter().find(|size| *size <= left && *size <= most).unwrap_or(1);
        tiles.push(row..row + size);
        row += size;
    }
    tiles
}

/// The numbers of every tile in the order in which they are read: the first of each row, then the second of each.
fn interleaved(rows: &[f32], inputs: usize, tiles: &[Range<usize>]) -> Vec<f32> {
    let mut all = vec![0.0; rows.len()];
    for tile in tiles {
        let target = &mut all[tile.start * inputs..tile.end * inputs];
        for (number, row) in rows[tile.start * inputs..tile.end * inputs].chunks_exact(inputs).enumerate() {
            for (target, value) in target[number..].iter_mut().step_by(tile.len()).zip(row) {
                *target = *value;
            }
        }
    }
    all
}

/// Adds the products of some inputs to the sums of some rows. There is nothing here but the sums, so that all of them stay in
/// registers.
#[inline(always)]
pub fn add_products<L: Lanes, const ROWS: usize>(
    lanes: L,
    weights: &[[[f32; 16]; 2]],
    rows: &[f32],
    all: &mut [[[f32; 16]; 2]],
) {
    let all = &mut all[..ROWS];
    let mut sums = [[lanes.splat(0.0); 2]; ROWS];
    for row in 0..ROWS {
        sums[row] = [lanes.load(&all[row][0]), lanes.load(&all[row][1])];
    }
    for ([low, high], values) in weights.iter().zip(rows.as_chunks::<ROWS>().0) {
        let (low, high) = (lanes.load(low), lanes.load(high));
        for row in 0..ROWS {
            let value = lanes.splat(values[row]);
            sums[row][0] = lanes.mul_add(value, low, sums[row][0]);
            sums[row][1] = lanes.mul_add(value, high, sums[row][1]);
        }
    }
    for row in 0..ROWS {
        lanes.store(sums[row][0], &mut all[row][0]);
        lanes.store(sums[row][1], &mut all[row][1]);
    }
}

/// Puts the sums of 32 outputs into the result.
#[inline(always)]
fn finish<L: Lanes>(
    lanes: L,
    sums: &[[[f32; 16]; 2]],
    panel: usize,
    activation: Activation,
    outputs: usize,
    result: &mut [f32],
) {
    for (sums, row) in sums.iter().zip(result.chunks_exact_mut(outputs)) {
        for (sums, target) in sums.iter().zip(row[panel * 32..].chunks_mut(16)) {
            let value = activate(lanes, lanes.load(sums), activation);
            match <&mut [f32; 16]>::try_from(&mut *target) {
                Ok(target) => lanes.store(value, target),
                Err(_) => {
                    let mut all = [0.0; 16];
                    lanes.store(value, &mut all);
                    target.copy_from_slice(&all[..target.len()]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers between -1 and 1 that look random.
    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn a_product_is_the_sum_of_products_for_every_shape() {
        for (count, inputs, outputs) in
            [(1, 1, 1), (5, 7, 3), (13, 96, 288), (37, 33, 65), (14, 600, 40), (0, 4, 4), (12, 16, 32)]
        {
            let (rows, weights, bias) = (numbers(count * inputs, 1), numbers(inputs * outputs, 2), numbers(outputs, 3));
            let result = Packed::new(&weights, Some(&bias), inputs, outputs).apply(&rows, Activation::None);
            for row in 0..count {
                for output in 0..outputs {
                    let exact: f64 = (0..inputs)
                        .map(|input| rows[row * inputs + input] as f64 * weights[output * inputs + input] as f64)
                        .sum::<f64>()
                        + bias[output] as f64;
                    assert!(
                        (result[row * outputs + output] as f64 - exact).abs() < 1e-6 * inputs as f64 + 1e-5,
                        "{count} {inputs} {outputs}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_row_does_not_depend_on_the_others_nor_on_the_processor() {
        let (rows, weights) = (numbers(29 * 300, 1), numbers(300 * 50, 2));
        let packed = Packed::new(&weights, None, 300, 50);
        for activation in [Activation::None, Activation::Gelu, Activation::GeluTanh, Activation::Relu, Activation::Tanh]
        {
            let all = packed.apply(&rows, activation);
            for row in 0..29 {
                assert_eq!(packed.apply(&rows[row * 300..][..300], activation), all[row * 50..][..50]);
            }
            let mut plain = vec![0.0; 29 * 50];
            product_with(lanes::Plain, Product { packed: &packed, rows: &rows, activation, result: &mut plain });
            assert!(plain == all, "{activation:?}");
        }
    }

    #[test]
    fn whole_numbers_give_the_bits_of_their_multiples() {
        for (count, inputs, outputs, is_four) in
            [(5, 7, 3, false), (13, 300, 70, false), (1, 64, 32, true), (14, 300, 40, true), (3, 1, 1, true)]
        {
            let most = if is_four { 7.0 } else { 127.0 };
            let whole: Vec<i8> =
                numbers(inputs * outputs, 4).iter().map(|number| (number * most).round() as i8).collect();
            let (rows, scales, bias) = (numbers(count * inputs, 1), numbers(outputs, 5), numbers(outputs, 3));
            let weights: Vec<f32> =
                whole.iter().enumerate().map(|(place, number)| f32::from(*number) * scales[place / inputs]).collect();
            let full = Packed::new(&weights, Some(&bias), inputs, outputs);
            let small = Packed::whole(&whole, &scales, is_four, Some(&bias), inputs, outputs);
            let apply = |packed: &Packed| packed.apply(&rows, Activation::Gelu);
            assert!(apply(&full) == apply(&small), "{count} {inputs} {outputs} {is_four}");
            if inputs > 200 {
                assert!(
                    small.bytes() * if is_four { 6 } else { 3 } < full.bytes(),
                    "{} {}",
                    small.bytes(),
                    full.bytes()
                );
            }
        }
    }

    /// The error function by its series, which is exact enough in double precision for |x| below 4.
    fn erf(x: f64) -> f64 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= -x * x / n as f64;
            sum += term / (2 * n + 1) as f64;
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn activations_are_what_they_are_called() {
        let values: Vec<f32> = (-500..=500).map(|step| step as f32 / 100.0).collect();
        let identity = Packed::new(&[1.0], None, 1, 1);
        let check = |activation, exact: &dyn Fn(f64) -> f64| {
            for (value, result) in values.iter().zip(identity.apply(&values, activation)) {
                assert!((result as f64 - exact(*value as f64)).abs() < 5e-7, "{activation:?} of {value} is {result}");
            }
        };
        check(Activation::Gelu, &|x| x * 0.5 * (1.0 + erf(x / 2f64.sqrt())));
        check(Activation::Tanh, &f64::tanh);
        check(Activation::Relu, &|x| x.max(0.0));
        check(Activation::GeluTanh, &|x| {
            0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh())
        });
    }
}
