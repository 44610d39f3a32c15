//! Model mutation: operators that change a model slightly, one file each, in the order of their levels.
//!
//! A mutant is the same checkpoint under another name: `hf:DIR?mutate=neuron-switch&ratio=0.01&mutant-seed=3`. Its
//! weights are changed while they are read, so every command can use one, and nothing is written. There are the
//! operators of guided mutation (Table I of the paper: weight, state and gate) and those of DeepMutation++ for
//! feed-forward models (shuffle, block, inverse, switch).
//!
//! Layers are matrices that are applied to a vector, with their biases. Embeddings and norms are not changed. The
//! selection in a layer depends on the seed, the operator and the name of the layer, and on nothing else.

mod change;

use std::sync::LazyLock;

use manual::Unit;
use random::Random;

pub use change::{Change, Mutation, Rounding};
pub(crate) use change::{Disturbance, Layout, Listed, Neurons};

/// A mutation operator: it changes the selected numbers.
pub type OperatorFunction = fn(&mut Part, &mut Strength);

/// The numbers of a model that an operator changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// For neurons, a row of input weights for each; otherwise one row with all selected numbers.
    pub rows: Vec<Vec<f32>>,
    /// The biases of neurons.
    pub biases: Vec<f32>,
    /// The numbers of a state one step before.
    pub previous: Vec<f32>,
}

/// The strength of a mutation, and its generator.
pub struct Strength {
    /// The standard deviation of the noise, relative to the number that it changes.
    pub sigma: f64,
    /// How many decimal digits are kept, from the first non-zero one.
    pub digits: u32,
    pub random: Random,
}

/// An operator, as its header describes it.
pub struct Operator {
    /// The name in model names.
    pub name: String,
    pub level: Level,
    /// The minimum number of weights or neurons of a layer that are selected, if any are.
    pub least: usize,
    pub run: OperatorFunction,
    /// The manual page and its examples.
    pub unit: &'static Unit<OperatorFunction>,
}

/// What an operator changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Single weights and biases of layers.
    Weight,
    /// Neurons: the rows of layers with their biases.
    Neuron,
    /// Components of the state of a recurrent layer, at every step.
    State,
    /// Components of the gates of a recurrent layer, at every step.
    Gate,
}

impl Level {
    /// The name in headers.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Weight => "weight",
            Level::Neuron => "neuron",
            Level::State => "state",
            Level::Gate => "gate",
        }
    }

    /// Does this exist in recurrent models only?
    pub const fn is_recurrent(self) -> bool {
        match self {
            Level::Weight | Level::Neuron => false,
            Level::State | Level::Gate => true,
        }
    }
}

/// Every operator, in the order of the catalogue.
pub fn operators() -> &'static [Operator] {
    static ALL: LazyLock<Vec<Operator>> = LazyLock::new(|| CATALOGUE.iter().map(read).collect());
    &ALL
}

/// The operator with this name.
pub fn find(name: &str) -> Option<&'static Operator> {
    operators().iter().find(|operator| operator.name == name)
}

/// Reads the header. Its tests ensure that it is complete.
fn read(unit: &'static Unit<OperatorFunction>) -> Operator {
    let level = match unit.fact("level") {
        Some("neuron") => Level::Neuron,
        Some("state") => Level::State,
        Some("gate") => Level::Gate,
        _ => Level::Weight,
    };
    let least = unit.fact("least").and_then(|least| least.parse().ok()).unwrap_or(1);
    Operator { name: unit.name(), level, least, run: unit.run, unit }
}

impl Part {
    /// The number of rows or biases.
    fn len(&self) -> usize {
        self.rows.len().max(self.biases.len())
    }

    /// Changes every number, the biases included.
    fn each(&mut self, mut change: impl FnMut(f32) -> f32) {
        for number in self.rows.iter_mut().flatten().chain(&mut self.biases) {
            *number = change(*number);
        }
    }
}

impl Strength {
    /// Adds relative noise to every number: x (1 + e), where e is normal with the standard deviation sigma.
    fn fuzz(&mut self, part: &mut Part) {
        part.each(|number| (f64::from(number) * (1.0 + self.sigma * normal(&mut self.random))) as f32);
    }

    /// Rounds every number to its leading digits.
    fn round(&self, part: &mut Part) {
        part.each(|number| rounded(number, self.digits));
    }
}

/// A number rounded to this many significant decimal digits.
fn rounded(number: f32, digits: u32) -> f32 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let number = f64::from(number);
    let scale = 10f64.powi(digits as i32 - 1 - number.abs().log10().floor() as i32);
    ((number * scale).round() / scale) as f32
}

/// A sample from the normal distribution (Box and Muller 1958).
fn normal(random: &mut Random) -> f64 {
    const PARTS: usize = 1 << 53;
    let mut share = || (random.below(PARTS) + 1) as f64 / PARTS as f64;
    (-2.0 * share().ln()).sqrt() * (std::f64::consts::TAU * share()).cos()
}

manual::catalogue! {
    "mutation", fn run: crate::mutation::OperatorFunction,
    weight_gaussian_fuzz,
    weight_precision_reduction,
    weight_shuffle,
    neuron_activation_inverse,
    neuron_effect_block,
    neuron_switch,
    state_clear,
    state_gaussian_fuzz,
    state_precision_reduction,
    state_reset,
    gate_clear,
    gate_gaussian_fuzz,
    gate_precision_reduction,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_normal_and_rounding_keeps_digits() {
        let mut random = Random::new(1);
        let draws: Vec<f64> = (0..20_000).map(|_| normal(&mut random)).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
        let beyond = draws.iter().filter(|draw| draw.abs() > 1.96).count() as f64 / 20_000.0;
        assert!((beyond - 0.05).abs() < 0.01, "{beyond}");
        for (number, digits, expected) in
            [(0.0, 1, 0.0), (-0.0456, 1, -0.05), (0.996, 2, 1.0), (123.4, 2, 120.0), (1e-38, 1, 1e-38), (9.6, 1, 10.0)]
        {
            assert_eq!(rounded(number, digits), expected, "{number}");
        }
    }

    #[test]
    fn the_nine_operators_of_table_i_are_there() {
        let count = |level: Level| operators().iter().filter(|operator| operator.level == level).count();
        assert_eq!([Level::Weight, Level::Neuron, Level::State, Level::Gate].map(count), [2, 4, 4, 3]);
        let of_table = operators()
            .iter()
            .filter(|operator| operator.unit.fact("paper").is_some_and(|paper| paper.contains("Table I")));
        assert_eq!(of_table.count(), 9);
        assert!(find("neuron-switch").is_some() && find("neuron_switch").is_none());
    }
}
