//! Products with a matrix of weights that is laid out once.

use std::ops::Range;

use super::activation::{Activation, activate};
use super::dispatch;
use super::lanes::{self, Lanes};

/// The weights and the bias of a linear layer, in the order in which a product reads them.
pub struct Packed {
    inputs: usize,
    outputs: usize,
    /// For every 32 outputs, for every input, the weights to these outputs. What is missing to 32 outputs is zero.
    weights: Vec<[[f32; 16]; 2]>,
    /// The bias of every 32 outputs.
    bias: Vec<[[f32; 16]; 2]>,
}

impl Packed {
    /// Lays out weights that stand as PyTorch's `Linear` has them: a row for each output.
    pub fn new(weights: &[f32], bias: Option<&[f32]>, inputs: usize, outputs: usize) -> Packed {
        assert_eq!(weights.len(), inputs * outputs);
        let panels = outputs.div_ceil(32);
        let mut packed = Packed {
            inputs,
            outputs,
            weights: vec![[[0.0; 16]; 2]; panels * inputs],
            bias: vec![[[0.0; 16]; 2]; panels],
        };
        for output in 0..outputs {
            let (panel, half, lane) = (output / 32, output % 32 / 16, output % 16);
            for input in 0..inputs {
                packed.weights[panel * inputs + input][half][lane] = weights[output * inputs + input];
            }
            if let Some(bias) = bias {
                packed.bias[panel][half][lane] = bias[output];
            }
        }
        packed
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
    for panel in 0..bias.len() {
        sums.fill(bias[panel]);
        for first in (0..*inputs).step_by(INPUTS) {
            let some = first..(first + INPUTS).min(*inputs);
            let weights = &weights[panel * inputs + some.start..panel * inputs + some.end];
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
