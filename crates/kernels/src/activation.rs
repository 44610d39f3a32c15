//! Activations of numbers, and their slopes.

use super::dispatch;
use super::lanes::{self, Lanes};

/// What is done to every number of a product before it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// Nothing.
    None,
    /// `x * Φ(x)`, with the error function.
    Gelu,
    /// `x * Φ(x)` approximated with a hyperbolic tangent, as GPT-2 and gated T5 models have it.
    GeluTanh,
    /// Nothing below zero.
    Relu,
    /// The hyperbolic tangent.
    Tanh,
}

/// Replaces every number by its activation.
pub fn activate_rows(rows: &mut [f32], activation: Activation) {
    let arguments = (rows, activation);
    dispatch!(activate_with, arguments: (&mut [f32], Activation))
}

/// Turns slopes by activations into slopes by the numbers that were activated.
pub fn activation_slopes(slopes: &mut [f32], numbers: &[f32], activation: Activation) {
    let arguments = (slopes, numbers, activation);
    dispatch!(slopes_with, arguments: (&mut [f32], &[f32], Activation))
}

#[inline(always)]
fn activate_with<L: Lanes>(lanes: L, (rows, activation): (&mut [f32], Activation)) {
    for chunk in rows.chunks_mut(16) {
        let mut all = [0.0; 16];
        all[..chunk.len()].copy_from_slice(chunk);
        lanes.store(activate(lanes, lanes.load(&all), activation), &mut all);
        chunk.copy_from_slice(&all[..chunk.len()]);
    }
}

#[inline(always)]
fn slopes_with<L: Lanes>(lanes: L, (slopes, numbers, activation): (&mut [f32], &[f32], Activation)) {
    for (slopes, numbers) in slopes.chunks_mut(16).zip(numbers.chunks(16)) {
        let (mut all, mut own) = ([0.0; 16], [0.0; 16]);
        all[..numbers.len()].copy_from_slice(numbers);
        own[..slopes.len()].copy_from_slice(slopes);
        let slope = slope(lanes, lanes.load(&all), activation);
        lanes.store(lanes.mul(lanes.load(&own), slope), &mut own);
        slopes.copy_from_slice(&own[..slopes.len()]);
    }
}

/// The activation of sixteen numbers.
#[inline(always)]
pub fn activate<L: Lanes>(lanes: L, value: L::V, activation: Activation) -> L::V {
    match activation {
        Activation::None => value,
        Activation::Relu => lanes.max(value, lanes.splat(0.0)),
        Activation::Tanh => tanh(lanes, value),
        Activation::Gelu => gelu(lanes, value),
        Activation::GeluTanh => {
            let cube = lanes.mul(lanes.mul(value, value), value);
            let inner = lanes.mul_add(cube, lanes.splat(0.044_715), value);
            let inner = lanes.mul(inner, lanes.splat(0.797_884_6));
            let half = lanes.mul(value, lanes.splat(0.5));
            lanes.mul_add(half, tanh(lanes, inner), half)
        }
    }
}

/// `(e^2x - 1) / (e^2x + 1)`. Its absolute error is a unit in the last place of one, which is all that is needed here.
#[inline(always)]
fn tanh<L: Lanes>(lanes: L, x: L::V) -> L::V {
    let one = lanes.splat(1.0);
    let doubled = lanes.min(lanes.max(lanes.add(x, x), lanes.splat(-40.0)), lanes.splat(40.0));
    let power = lanes.exp(doubled);
    lanes.div(lanes.sub(power, one), lanes.add(power, one))
}

/// `x/2 (1 + erf(x/√2))`.
#[inline(always)]
fn gelu<L: Lanes>(lanes: L, x: L::V) -> L::V {
    let zero = lanes.splat(0.0);
    let half_tail = lanes.mul(lanes.mul(x, lanes.splat(0.5)), tail(lanes, x));
    // x/2 (1 + erf x) is x - x/2 tail above zero, and x/2 tail below: max(x, 0) - |x|/2 tail is both at once.
    let positive = lanes.max(x, zero);
    let absolute = lanes.max(half_tail, lanes.sub(zero, half_tail));
    lanes.sub(positive, absolute)
}

/// `1 - erf(|x|/√2)`, the error function by Abramowitz and Stegun's 7.1.26 (error below 1.5e-7).
#[inline(always)]
fn tail<L: Lanes>(lanes: L, x: L::V) -> L::V {
    let (one, zero) = (lanes.splat(1.0), lanes.splat(0.0));
    let scaled = lanes.mul(x, lanes.splat(std::f32::consts::FRAC_1_SQRT_2));
    let size = lanes.max(scaled, lanes.sub(zero, scaled));
    let t = lanes.div(one, lanes.mul_add(size, lanes.splat(0.327_591_1), one));
    let mut series = lanes.splat(1.061_405_4);
    for coefficient in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        series = lanes.mul_add(series, t, lanes.splat(coefficient));
    }
    series = lanes.mul(series, t);
    lanes.mul(series, lanes.exp(lanes.mul(lanes.sub(zero, size), size)))
}

/// `(1 + erf(x/√2)) / 2`.
#[inline(always)]
fn cumulative<L: Lanes>(lanes: L, x: L::V) -> L::V {
    let half_tail = lanes.mul(tail(lanes, x), lanes.splat(0.5));
    // One above zero and zero below, with a steep but finite step between.
    let step =
        lanes.min(lanes.max(lanes.mul_add(x, lanes.splat(1e30), lanes.splat(0.5)), lanes.splat(0.0)), lanes.splat(1.0));
    // Above zero it is 1 - tail/2, below tail/2: step + (1 - 2 step) tail/2.
    let sign = lanes.mul_add(step, lanes.splat(-2.0), lanes.splat(1.0));
    lanes.mul_add(sign, half_tail, step)
}

/// The slope of an activation at sixteen numbers.
#[inline(always)]
fn slope<L: Lanes>(lanes: L, x: L::V, activation: Activation) -> L::V {
    let (zero, half, one) = (lanes.splat(0.0), lanes.splat(0.5), lanes.splat(1.0));
    match activation {
        Activation::None => one,
        // One above zero, and zero elsewhere: the smallest positive number becomes infinite, and is cut to one.
        Activation::Relu => lanes.min(lanes.mul(lanes.max(x, zero), lanes.splat(f32::MAX)), one),
        Activation::Tanh => {
            let tanh = tanh(lanes, x);
            lanes.sub(one, lanes.mul(tanh, tanh))
        }
        Activation::Gelu => {
            // Of xΦ(x) it is Φ + xφ, with the density φ.
            let square = lanes.mul(lanes.mul(x, x), lanes.splat(-0.5));
            let density = lanes.mul(lanes.exp(square), lanes.splat(0.398_942_3));
            lanes.mul_add(x, density, cumulative(lanes, x))
        }
        Activation::GeluTanh => {
            let square = lanes.mul(x, x);
            let inner =
                lanes.mul(lanes.mul_add(lanes.mul(square, x), lanes.splat(0.044_715), x), lanes.splat(0.797_884_6));
            let tanh = tanh(lanes, inner);
            let slope = lanes.mul(lanes.mul_add(square, lanes.splat(0.134_145), one), lanes.splat(0.797_884_6));
            let rest = lanes.mul(lanes.sub(one, lanes.mul(tanh, tanh)), slope);
            lanes.mul_add(lanes.mul(half, x), rest, lanes.mul_add(half, tanh, half))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_activations() {
        let numbers: Vec<f32> = (-400..400).map(|at| at as f32 / 80.0 + 0.001).collect();
        for activation in [Activation::None, Activation::Gelu, Activation::GeluTanh, Activation::Relu, Activation::Tanh]
        {
            let at = |step: f32| {
                let mut numbers: Vec<f32> = numbers.iter().map(|number| number + step).collect();
                activate_rows(&mut numbers, activation);
                numbers
            };
            let (above, below) = (at(2e-3), at(-2e-3));
            let mut slopes = vec![2.0; numbers.len()];
            activation_slopes(&mut slopes, &numbers, activation);
            for (place, number) in numbers.iter().enumerate() {
                let expected = 2.0 * (above[place] - below[place]) / 4e-3;
                let is_corner = activation == Activation::Relu && number.abs() < 3e-3;
                assert!(is_corner || (slopes[place] - expected).abs() < 3e-3, "{activation:?} at {number}");
            }
        }
    }
}
