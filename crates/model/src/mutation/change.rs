//! How a model differs from its files: reduced precision, or a mutation. It is part of the name of the model.

use std::collections::BTreeMap;

use manual::closest;
use random::{Random, seed_of};

use super::{Level, Operator, Part, Strength, find, operators};

/// How a model differs from its files.
#[derive(Clone, Default)]
pub struct Change {
    /// Reduced precision of the weights.
    pub rounding: Option<Rounding>,
    /// A mutant may be one of a rounded model.
    pub mutation: Option<Mutation>,
}

/// Reduced precision of weights. They are rounded when they are read, and computed with in single precision: this is
/// weight-only quantisation, and neither makes a model faster nor rounds its activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Every number as the nearest one of half precision.
    Half,
    /// The numbers of a row of a matrix as multiples of its largest divided by 127. Biases and norms keep their bits.
    EightBits,
}

/// A mutation: its operator, extent, strength and seed.
#[derive(Clone)]
pub struct Mutation {
    pub operator: &'static Operator,
    /// The fraction of a layer's weights or neurons, or of a state's or gate's components, that is changed.
    pub ratio: f64,
    /// The standard deviation of the noise.
    pub sigma: f64,
    /// How many decimal digits are kept.
    pub digits: u32,
    pub seed: u64,
}

/// Which arrays of a checkpoint are layers.
#[derive(Clone, Copy)]
pub(crate) enum Layout {
    /// As the transformers library has it: `NAME.weight` with a row for each neuron, and `NAME.bias`.
    Transformers,
    /// Those that are listed.
    Listed(&'static [Listed]),
}

/// A layer of a checkpoint.
pub(crate) struct Listed {
    /// The array with the weights.
    pub weight: &'static str,
    /// The array with the biases.
    pub bias: Option<&'static str>,
    /// Where its neurons are.
    pub neurons: Neurons,
}

/// Where the neurons of a layer are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Neurons {
    Rows,
    Columns,
}

/// What an array is to its layer.
struct Place {
    layer: String,
    is_bias: bool,
    neurons: Neurons,
}

impl Change {
    /// The options of a model's name that say how it differs from its files.
    pub const OPTIONS: [&'static str; 6] = ["weights", "mutate", "ratio", "sigma", "digits", "mutant-seed"];

    /// Reads these options. A problem is said in words.
    pub fn read(options: &[(&str, &str)]) -> Result<Change, String> {
        let mut values: BTreeMap<&str, &str> = BTreeMap::new();
        for (key, value) in options {
            if values.insert(key, value).is_some() {
                return Err(format!("the option `{key}` is given twice"));
            }
        }
        let rounding = match values.remove("weights") {
            None => None,
            Some("f16") => Some(Rounding::Half),
            Some("int8") => Some(Rounding::EightBits),
            Some(other) => return Err(format!("unknown weights `{other}`: use f16 or int8")),
        };
        let Some(name) = values.remove("mutate") else {
            return match values.keys().next() {
                Some(key) => Err(format!("the option `{key}` is for mutants: name an operator with mutate=OPERATOR")),
                None => Ok(Change { rounding, mutation: None }),
            };
        };
        let operator = find(name).ok_or_else(|| {
            let near = closest(name, operators().iter().map(|operator| operator.name.as_str()));
            let hint = near.first().map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
            format!("unknown mutation operator `{name}`{hint}; `allotrope list operators` lists all")
        })?;
        let mut mutation = Mutation::of(operator);
        let unfit = |key: &str, value: &str, wanted: &str| format!("`{key}={value}`: {key} is {wanted}");
        let number = |value: &str| value.parse::<f64>().ok();
        for (key, value) in values {
            match key {
                "ratio" => {
                    let ratio = number(value).filter(|ratio| *ratio > 0.0 && *ratio <= 1.0);
                    mutation.ratio = ratio.ok_or_else(|| unfit(key, value, "a share above 0 and up to 1"))?;
                }
                "sigma" => {
                    let sigma = number(value).filter(|sigma| (0.0..=1e3).contains(sigma));
                    mutation.sigma = sigma.ok_or_else(|| unfit(key, value, "a number from 0 to 1000"))?;
                }
                "digits" => {
                    let digits = value.parse().ok().filter(|digits| (1..=9).contains(digits));
                    mutation.digits = digits.ok_or_else(|| unfit(key, value, "a whole number from 1 to 9"))?;
                }
                "mutant-seed" => {
                    mutation.seed = value.parse().map_err(|_| unfit(key, value, "a whole number"))?;
                }
                other => return Err(format!("unknown option `{other}`")),
            }
        }
        Ok(Change { rounding, mutation: Some(mutation) })
    }

    /// Is the model as its files have it?
    pub fn is_none(&self) -> bool {
        self.rounding.is_none() && self.mutation.is_none()
    }

    /// What the identity of a model takes in.
    pub(crate) fn words(&self) -> String {
        let rounding = match self.rounding {
            None => "",
            Some(Rounding::Half) => "f16",
            Some(Rounding::EightBits) => "int8",
        };
        let mutation = self.mutation.as_ref().map(Mutation::options).unwrap_or_default();
        format!("{rounding} {mutation}")
    }

    /// Refuses operators that a model has no use for.
    pub(crate) fn check_levels(&self, levels: &[Level]) -> Result<(), String> {
        match &self.mutation {
            Some(mutation) if !levels.contains(&mutation.operator.level) => Err(format!(
                "{} changes the {}s of recurrent layers, and this model has none",
                mutation.operator.name,
                mutation.operator.level.name()
            )),
            _ => Ok(()),
        }
    }

    /// Changes an array that was read. `has` says which arrays there are, with the number of their dimensions.
    pub(crate) fn apply(
        &self,
        layout: Layout,
        has: impl Fn(&str) -> Option<usize>,
        name: &str,
        shape: &[usize],
        numbers: &mut [f32],
    ) {
        if let (Some(Rounding::EightBits), [_, columns]) = (self.rounding, shape)
            && *columns > 0
        {
            numbers.chunks_exact_mut(*columns).for_each(round_to_eight_bits);
        }
        let Some(mutation) = &self.mutation else { return };
        let Some(place) = layout.place(has, name) else { return };
        match mutation.operator.level {
            Level::Weight => mutation.change_weights(name, numbers),
            Level::Neuron => mutation.change_neurons(&place, shape, numbers),
            // These happen while the model runs.
            Level::State | Level::Gate => (),
        }
    }
}

impl Layout {
    /// The layer that an array belongs to; `None` for embeddings, norms and what else there is.
    fn place(self, has: impl Fn(&str) -> Option<usize>, name: &str) -> Option<Place> {
        match self {
            Layout::Listed(layers) => layers.iter().find_map(|layer| {
                let is_bias = layer.bias == Some(name);
                (is_bias || layer.weight == name).then(|| Place {
                    layer: layer.weight.to_owned(),
                    is_bias,
                    neurons: layer.neurons,
                })
            }),
            Layout::Transformers => {
                let is_bias = name.ends_with(".bias");
                let layer = name.strip_suffix(".bias").or_else(|| name.strip_suffix(".weight"))?;
                let is_table =
                    ["embeddings", "shared", "embed_tokens", "relative_attention_bias", "distance_embedding"]
                        .iter()
                        .any(|table| layer.contains(table));
                let is_matrix = has(&format!("{layer}.weight")) == Some(2);
                (!is_table && is_matrix).then(|| Place { layer: layer.to_owned(), is_bias, neurons: Neurons::Rows })
            }
        }
    }
}

impl Mutation {
    /// An operator with the ratio and the strength that are taken when nothing is said.
    pub fn of(operator: &'static Operator) -> Mutation {
        Mutation { operator, ratio: 0.01, sigma: 0.5, digits: 1, seed: 0 }
    }

    /// The name of this mutant of a model.
    pub fn name_of(&self, model: &str) -> String {
        let joint = if model.contains('?') { '&' } else { '?' };
        format!("{model}{joint}{}", self.options())
    }

    /// The mutation as options of a name. What the operator does not look at is left out.
    fn options(&self) -> String {
        let Mutation { operator, ratio, sigma, digits, seed } = self;
        let name = &operator.name;
        let strength = match () {
            () if name.ends_with("gaussian-fuzz") => format!("&sigma={sigma}"),
            () if name.ends_with("precision-reduction") => format!("&digits={digits}"),
            () => String::new(),
        };
        format!("mutate={name}&ratio={ratio}{strength}&mutant-seed={seed}")
    }

    fn random(&self, name: &str, step: &[u8]) -> Random {
        Random::new(seed_of(&[&self.seed.to_le_bytes(), self.operator.name.as_bytes(), name.as_bytes(), step]))
    }

    /// The places of those that are changed, in order. Their number is the ratio of all, rounded up or down by chance so that it
    /// is right on average.
    fn drawn(&self, all: usize, random: &mut Random) -> Vec<usize> {
        const PARTS: usize = 1 << 30;
        let share = random.below(PARTS) as f64 / PARTS as f64;
        let mut left = (self.ratio * all as f64 + share).floor() as usize;
        if left > 0 {
            left = left.max(self.operator.least).min(all);
        }
        let mut drawn = Vec::with_capacity(left);
        for place in 0..all {
            if left == 0 {
                break;
            }
            if random.below(all - place) < left {
                drawn.push(place);
                left -= 1;
            }
        }
        drawn
    }

    fn strength(&self, random: Random) -> Strength {
        Strength { sigma: self.sigma, digits: self.digits, random }
    }

    fn change_weights(&self, name: &str, numbers: &mut [f32]) {
        let mut random = self.random(name, b"");
        let drawn = self.drawn(numbers.len(), &mut random);
        let mut part = Part { rows: vec![drawn.iter().map(|at| numbers[*at]).collect()], ..Part::default() };
        (self.operator.run)(&mut part, &mut self.strength(random));
        for (at, number) in drawn.into_iter().zip(&part.rows[0]) {
            numbers[at] = *number;
        }
    }

    /// Weights and biases of a layer come one after the other. Both times the same neurons are drawn, and the operator gets the
    /// same draws.
    fn change_neurons(&self, place: &Place, shape: &[usize], numbers: &mut [f32]) {
        let mut random = self.random(&place.layer, b"");
        if place.is_bias {
            let drawn = self.drawn(numbers.len(), &mut random);
            let mut part = Part { biases: drawn.iter().map(|at| numbers[*at]).collect(), ..Part::default() };
            (self.operator.run)(&mut part, &mut self.strength(random));
            drawn.into_iter().zip(&part.biases).for_each(|(at, bias)| numbers[at] = *bias);
            return;
        }
        let (rows, columns) = match shape {
            [columns] => (1, *columns),
            [rows, columns] => (*rows, *columns),
            _ => return,
        };
        let (neurons, inputs) = match place.neurons {
            Neurons::Rows => (rows, columns),
            Neurons::Columns => (columns, rows),
        };
        let at = |neuron: usize, input: usize| match place.neurons {
            Neurons::Rows => neuron * columns + input,
            Neurons::Columns => input * columns + neuron,
        };
        let drawn = self.drawn(neurons, &mut random);
        let row = |neuron: &usize| (0..inputs).map(|input| numbers[at(*neuron, input)]).collect();
        let mut part = Part { rows: drawn.iter().map(row).collect(), ..Part::default() };
        (self.operator.run)(&mut part, &mut self.strength(random));
        for (neuron, row) in drawn.into_iter().zip(&part.rows) {
            row.iter().enumerate().for_each(|(input, number)| numbers[at(neuron, input)] = *number);
        }
    }
}

/// The numbers of a row as multiples of the largest divided by 127.
fn round_to_eight_bits(row: &mut [f32]) {
    let scale = row.iter().fold(0.0, |largest: f32, number| largest.max(number.abs())) / 127.0;
    if scale > 0.0 {
        row.iter_mut().for_each(|number| *number = (*number / scale).round().clamp(-127.0, 127.0) * scale);
    }
}

/// What an operator does to the states or gates of one recurrent layer.
pub(crate) struct Disturbance {
    mutation: Mutation,
    layer: String,
    /// The components that were drawn.
    drawn: Vec<usize>,
}

impl Disturbance {
    /// What the change does to a recurrent layer, whose state has so many components; `None` when it does nothing there.
    pub fn of(change: &Change, layer: &str, size: usize) -> Option<Disturbance> {
        let mutation = change.mutation.as_ref().filter(|mutation| mutation.operator.level.is_recurrent())?.clone();
        let all = if mutation.operator.level == Level::Gate { 4 * size } else { size };
        let drawn = mutation.drawn(all, &mut mutation.random(layer, b""));
        Some(Disturbance { mutation, layer: layer.to_owned(), drawn })
    }

    /// What it changes: states or gates.
    pub fn level(&self) -> Level {
        self.mutation.operator.level
    }

    /// Changes the components that were drawn. `what` says of which list, at which step.
    pub fn apply(&self, what: &str, step: usize, values: &mut [f32], previous: &[f32]) {
        let random = self.mutation.random(&self.layer, format!("{what} {step}").as_bytes());
        let gathered = |values: &[f32]| self.drawn.iter().filter_map(|at| values.get(*at).copied()).collect();
        let mut part = Part { rows: vec![gathered(values)], previous: gathered(previous), ..Part::default() };
        (self.mutation.operator.run)(&mut part, &mut self.mutation.strength(random));
        for (at, number) in self.drawn.iter().zip(&part.rows[0]) {
            values[*at] = *number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(options: &[(&str, &str)], name: &str, shape: &[usize], numbers: &[f32]) -> Vec<f32> {
        let change = Change::read(options).unwrap();
        let mut numbers = numbers.to_vec();
        let has = |name: &str| match name {
            "layer.weight" | "embeddings.word.weight" | "self.distance_embedding.weight" => Some(2),
            "norm.weight" => Some(1),
            _ => None,
        };
        change.apply(Layout::Transformers, has, name, shape, &mut numbers);
        numbers
    }

    #[test]
    fn weights_and_biases_of_the_same_neurons_change() {
        let weights: Vec<f32> = (1..=400).map(|number| number as f32).collect();
        let biases: Vec<f32> = (1..=100).map(|number| number as f32).collect();
        for operator in ["neuron-effect-block", "neuron-activation-inverse", "neuron-switch"] {
            let options = [("mutate", operator), ("ratio", "0.1"), ("mutant-seed", "3")];
            let rows = changed(&options, "layer.weight", &[100, 4], &weights);
            let found = changed(&options, "layer.bias", &[100], &biases);
            let of_rows: Vec<usize> = (0..100).filter(|row| rows[row * 4..][..4] != weights[row * 4..][..4]).collect();
            let of_biases: Vec<usize> = (0..100).filter(|row| found[*row] != biases[*row]).collect();
            assert_eq!(of_rows, of_biases, "{operator}");
            assert_eq!(of_rows.len(), 10, "{operator}");
            for row in of_rows {
                // The row of neuron n begins with 4 (n - 1) + 1, where its bias is n.
                let first = rows[row * 4];
                assert_eq!(
                    first,
                    if found[row] == 0.0 { 0.0 } else { (4.0 * (found[row].abs() - 1.0) + 1.0) * found[row].signum() }
                );
            }
        }
    }

    #[test]
    fn embeddings_and_norms_stay_and_seeds_count() {
        let numbers: Vec<f32> = (1..=50).map(|number| number as f32).collect();
        let options =
            |seed: &'static str| [("mutate", "weight-gaussian-fuzz"), ("ratio", "0.5"), ("mutant-seed", seed)];
        for table in ["embeddings.word.weight", "self.distance_embedding.weight"] {
            assert_eq!(changed(&options("1"), table, &[10, 5], &numbers), numbers);
        }
        assert_eq!(changed(&options("1"), "norm.weight", &[50], &numbers), numbers);
        let one = changed(&options("1"), "layer.weight", &[10, 5], &numbers);
        assert_eq!(one, changed(&options("1"), "layer.weight", &[10, 5], &numbers));
        assert_ne!(one, changed(&options("2"), "layer.weight", &[10, 5], &numbers));
        assert_eq!(one.iter().zip(&numbers).filter(|(one, other)| one != other).count(), 25);
    }

    #[test]
    fn columns_can_be_neurons() {
        const LAYERS: &[Listed] = &[Listed { weight: "w", bias: Some("b"), neurons: Neurons::Columns }];
        let change = Change::read(&[("mutate", "neuron-effect-block"), ("ratio", "0.5")]).unwrap();
        let mut numbers = vec![1.0; 12];
        change.apply(Layout::Listed(LAYERS), |_| None, "w", &[3, 4], &mut numbers);
        let column = |at: usize| [numbers[at], numbers[4 + at], numbers[8 + at]];
        let blocked: Vec<usize> = (0..4).filter(|at| column(*at) == [0.0; 3]).collect();
        assert_eq!(blocked.len(), 2);
        assert!((0..4).all(|at| blocked.contains(&at) || column(at) == [1.0; 3]));
        let mut biases = vec![1.0; 4];
        change.apply(Layout::Listed(LAYERS), |_| None, "b", &[4], &mut biases);
        assert!((0..4).all(|at| (biases[at] == 0.0) == blocked.contains(&at)));
    }

    #[test]
    fn rows_are_rounded_to_eight_bits() {
        let found = changed(&[("weights", "int8")], "layer.weight", &[2, 2], &[1.27, 0.014, 0.0, 0.0]);
        assert!((found[1] - 0.01).abs() < 1e-6 && (found[0] - 1.27).abs() < 1e-6, "{found:?}");
        assert_eq!(found[2..], [0.0, 0.0]);
        assert_eq!(changed(&[("weights", "int8")], "layer.bias", &[2], &[1.27, 0.014]), [1.27, 0.014]);
    }

    #[test]
    fn the_number_that_is_drawn_is_right_on_average() {
        let mut mutation = Mutation::of(find("neuron-effect-block").unwrap());
        let count = |mutation: &Mutation| -> usize {
            (0..1000).map(|layer| mutation.drawn(30, &mut mutation.random(&layer.to_string(), b"")).len()).sum()
        };
        // 30 neurons at one in a hundred, a thousand times.
        let found = count(&mutation);
        assert!((250..350).contains(&found), "{found}");
        mutation.ratio = 1.0;
        assert_eq!(count(&mutation), 30_000);
        let switch = Mutation::of(find("neuron-switch").unwrap());
        assert!((0..50).all(|layer| switch.drawn(30, &mut switch.random(&layer.to_string(), b"")).len() != 1));
    }

    #[test]
    fn a_name_says_what_the_mutant_is() {
        let mutation = Mutation { seed: 3, ..Mutation::of(find("weight-gaussian-fuzz").unwrap()) };
        let name = mutation.name_of("hf:a?settings=b");
        assert_eq!(name, "hf:a?settings=b&mutate=weight-gaussian-fuzz&ratio=0.01&sigma=0.5&mutant-seed=3");
        let switch = Mutation::of(find("neuron-switch").unwrap());
        assert_eq!(switch.name_of("code2vec:a"), "code2vec:a?mutate=neuron-switch&ratio=0.01&mutant-seed=0");
        for (options, words) in [
            (&[("mutate", "neuron-swich")][..], "did you mean `neuron-switch`"),
            (&[("ratio", "0.1")], "mutate=OPERATOR"),
            (&[("mutate", "neuron-switch"), ("ratio", "0")], "a share"),
            (&[("mutate", "neuron-switch"), ("ratio", "nan")], "a share"),
            (&[("mutate", "neuron-switch"), ("sigma", "-1")], "from 0"),
            (&[("mutate", "neuron-switch"), ("digits", "0")], "from 1 to 9"),
            (&[("mutate", "neuron-switch"), ("mutate", "neuron-switch")], "twice"),
            (&[("weights", "int4")], "f16 or int8"),
        ] {
            let problem = Change::read(options).err().unwrap_or_else(|| panic!("{options:?}"));
            assert!(problem.contains(words), "{problem}");
        }
    }
}
