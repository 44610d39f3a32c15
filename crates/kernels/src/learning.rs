//! What only a network that learns needs: dropout and the steps of its optimiser.

use super::dispatch;
use super::lanes::{self, Lanes};

/// Which numbers are dropped, and what the others are multiplied with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropping {
    /// What all draws depend on.
    pub key: u32,
    /// A number whose draw is below it becomes zero.
    pub threshold: u32,
    /// What the numbers that are kept are multiplied with.
    pub scale: f32,
}

impl Dropping {
    /// What the number with this index is multiplied with.
    #[inline(always)]
    pub fn factor(self, index: u64) -> f32 {
        self.factor_of(index as u32, (index >> 32) as u32)
    }

    #[inline(always)]
    fn factor_of(self, low: u32, high: u32) -> f32 {
        let draw = mixed(mixed(low ^ self.key).wrapping_add(high) ^ self.key.rotate_left(16));
        if draw < self.threshold { 0.0 } else { self.scale }
    }
}

/// A number that looks random.
#[inline(always)]
fn mixed(mut number: u32) -> u32 {
    number = (number ^ (number >> 16)).wrapping_mul(0x7feb_352d);
    number = (number ^ (number >> 15)).wrapping_mul(0x846c_a68b);
    number ^ (number >> 16)
}

/// Drops some of the numbers, of which the first has this index.
pub fn drop_out(numbers: &mut [f32], dropping: Dropping, first: u64) {
    let arguments = (numbers, dropping, first);
    dispatch!(drop_with, arguments: (&mut [f32], Dropping, u64))
}

#[inline(always)]
fn drop_with<L: Lanes>(_: L, (mut numbers, dropping, mut first): (&mut [f32], Dropping, u64)) {
    while !numbers.is_empty() {
        // The upper half of the index is the same for all of a run, so that the compiler can draw for many numbers at once.
        let (low, high) = (first as u32, (first >> 32) as u32);
        let count = numbers.len().min((1 << 32) - low as usize);
        let (run, rest) = numbers.split_at_mut(count);
        for (at, number) in run.iter_mut().enumerate() {
            *number *= dropping.factor_of(low.wrapping_add(at as u32), high);
        }
        numbers = rest;
        first += count as u64;
    }
}

/// Some parameters, with what their optimiser remembers of each.
pub struct Parameters<'a> {
    pub weights: &'a mut [f32],
    /// They are zero after a step.
    pub gradients: &'a mut [f32],
    /// The running mean of every gradient.
    pub first_moments: &'a mut [f32],
    /// The running mean of its square.
    pub second_moments: &'a mut [f32],
}

impl<'a> Parameters<'a> {
    /// The first `count` of them, or all where there are fewer, and the others.
    pub fn split_at(self, count: usize) -> (Parameters<'a>, Parameters<'a>) {
        let count = count.min(self.weights.len());
        let (weights, other_weights) = self.weights.split_at_mut(count);
        let (gradients, other_gradients) = self.gradients.split_at_mut(count);
        let (first_moments, other_first_moments) = self.first_moments.split_at_mut(count);
        let (second_moments, other_second_moments) = self.second_moments.split_at_mut(count);
        let others = Parameters {
            weights: other_weights,
            gradients: other_gradients,
            first_moments: other_first_moments,
            second_moments: other_second_moments,
        };
        (Parameters { weights, gradients, first_moments, second_moments }, others)
    }
}

/// One step of AdamW.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamW {
    /// What every gradient is multiplied with before anything else.
    pub factor: f32,
    pub learning_rate: f32,
    pub first_decay: f32,
    pub second_decay: f32,
    /// What the moments are divided by, because they begin at zero.
    pub first_correction: f32,
    pub second_correction: f32,
    pub epsilon: f32,
    /// The share of a weight that it loses.
    pub weight_decay: f32,
}

/// Changes parameters by one step of AdamW: all in one pass, because memory is slower than the arithmetic.
pub fn adamw(parameters: Parameters<'_>, step: AdamW) {
    let arguments = (parameters, step);
    dispatch!(adamw_with, arguments: (Parameters<'_>, AdamW))
}

#[inline(always)]
fn adamw_with<L: Lanes>(_: L, (parameters, step): (Parameters<'_>, AdamW)) {
    let Parameters { weights, gradients, first_moments, second_moments } = parameters;
    for (((weight, gradient), first), second) in
        weights.iter_mut().zip(gradients).zip(first_moments).zip(second_moments)
    {
        let slope = *gradient * step.factor;
        *gradient = 0.0;
        *first = step.first_decay * *first + (1.0 - step.first_decay) * slope;
        *second = step.second_decay * *second + (1.0 - step.second_decay) * slope * slope;
        *weight -= step.weight_decay * *weight;
        let size = (*second / step.second_correction).sqrt() + step.epsilon;
        *weight -= step.learning_rate * (*first / step.first_correction) / size;
    }
}

/// The sum of the squares of numbers, always added in the same order.
pub fn sum_of_squares(numbers: &[f32]) -> f64 {
    let mut sum = 0.0;
    add_squares(numbers, &mut sum);
    sum
}

fn add_squares(numbers: &[f32], sum: &mut f64) {
    let arguments = (numbers, sum);
    dispatch!(squares_with, arguments: (&[f32], &mut f64))
}

#[inline(always)]
fn squares_with<L: Lanes>(_: L, (numbers, sum): (&[f32], &mut f64)) {
    let mut sums = [0.0; 32];
    for chunk in numbers.chunks(32) {
        for (sum, number) in sums.iter_mut().zip(chunk) {
            *sum += f64::from(*number) * f64::from(*number);
        }
    }
    *sum = sums.iter().sum();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dropped_by_their_index_alone() {
        let dropping = Dropping { key: 77, threshold: u32::MAX / 4, scale: 2.0 };
        let first = (1 << 32) - 50;
        let mut all = vec![3.0; 133];
        drop_out(&mut all, dropping, first);
        let expected: Vec<f32> = (first..first + 133).map(|index| 3.0 * dropping.factor(index)).collect();
        assert_eq!(all, expected);
        assert!((20..50).contains(&all.iter().filter(|number| **number == 0.0).count()), "{all:?}");
        let mut plain = vec![3.0; 133];
        drop_with(lanes::Plain, (&mut plain, dropping, first));
        assert_eq!(all, plain);
    }

    #[test]
    fn a_step_is_the_same_on_every_processor_and_goes_against_the_gradient() {
        let step = AdamW {
            factor: 0.5,
            learning_rate: 0.1,
            first_decay: 0.9,
            second_decay: 0.98,
            first_correction: 0.1,
            second_correction: 0.02,
            epsilon: 1e-8,
            weight_decay: 0.01,
        };
        let made = |is_plain: bool| {
            let mut weights = vec![1.0; 37];
            let mut gradients: Vec<f32> = (0..37).map(|at| at as f32 - 18.0).collect();
            let (mut first_moments, mut second_moments) = (vec![0.0; 37], vec![0.0; 37]);
            let parameters = Parameters {
                weights: &mut weights,
                gradients: &mut gradients,
                first_moments: &mut first_moments,
                second_moments: &mut second_moments,
            };
            match is_plain {
                true => adamw_with(lanes::Plain, (parameters, step)),
                false => adamw(parameters, step),
            }
            assert!(gradients.iter().all(|gradient| *gradient == 0.0));
            [weights, first_moments, second_moments]
        };
        let [weights, first_moments, second_moments] = made(false);
        assert_eq!(made(true), [weights.clone(), first_moments, second_moments]);
        // The first step has the length of the learning rate, whatever the gradient is.
        for (at, weight) in weights.iter().enumerate() {
            let expected = 0.99 - 0.1 * (at as f32 - 18.0).signum() * f32::from(at != 18);
            assert!((weight - expected).abs() < 1e-5, "{at}: {weight}, not {expected}");
        }
    }

    #[test]
    fn squares_are_added_up_for_any_count() {
        for count in [0, 1, 31, 32, 100] {
            let numbers: Vec<f32> = (0..count).map(|at| at as f32).collect();
            let exact: f64 = (0..count).map(|at| (at * at) as f64).sum();
            assert_eq!(sum_of_squares(&numbers), exact);
        }
    }
}
