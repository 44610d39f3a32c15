//! A confidence interval for any measure, by resampling the inputs with replacement.
//!
//! kind: statistics
//! source: Efron and Tibshirani 1993; Field and Welsh 2007 for clusters; scipy.stats.bootstrap for percentile and BCa
//!
//! Variants of one source input are not independent, so whole inputs are drawn (`clusters`), each with all of its rows. The
//! percentile interval cuts off an equal fraction of the resamples at both ends; BCa also corrects for bias and skewness.
//!
//! ```json
//! {"values": [1, 0, 1, 1, 0, 1, 1, 1, 0, 1], "seed": 7, "resamples": 2000}
//! ```
//! ->
//! ```json
//! {"value": 0.7, "n": 10, "low": 0.4, "high": 1.0}
//! ```
//!
//! The same values, but from only five inputs:
//!
//! ```json
//! {"values": [1, 0, 1, 1, 0, 1, 1, 1, 0, 1], "clusters": [0, 0, 1, 1, 2, 2, 3, 3, 4, 4], "seed": 7, "method": "bca"}
//! ```
//! ->
//! ```json
//! {"value": 0.7, "n": 10, "low": 0.5, "high": 0.9}
//! ```
//!
//! A single input says nothing about others, so there is no interval:
//!
//! ```json
//! {"values": [1, 0, 1], "clusters": [0, 0, 0], "seed": 7}
//! ```
//! ->
//! ```json
//! {"value": 0.66667, "n": 3, "low": null, "high": null}
//! ```

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::catalogue::{BadInput, argument, optional, result};
use crate::numbers::{mean, quantile, ratio};
use crate::special::{normal_below, normal_quantile};

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// How the ends of an interval are computed from resamples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The percentiles of the resamples. Defined wherever the measure is.
    #[default]
    Percentile,
    /// Percentiles corrected for bias and skewness. Undefined if all inputs are alike.
    Bca,
}

/// How intervals are computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bootstrap {
    /// The number of resamples.
    pub resamples: usize,
    /// The same seed gives the same interval on every machine, with any number of threads.
    pub seed: u64,
    /// The confidence level, such as 0.95.
    pub level: f64,
    pub method: Method,
}

impl Default for Bootstrap {
    fn default() -> Bootstrap {
        Bootstrap { resamples: 2000, seed: 0, level: 0.95, method: Method::Percentile }
    }
}

/// What each input adds to the sums that a measure is made of: an accuracy is made of two, a table of confusions of many.
///
/// A measure of a resample is then a function of sums, and the price of a resample is that of adding them up.
#[derive(Clone, Debug, PartialEq)]
pub struct Sums {
    /// For each input the cells that it adds to, in order, and how much.
    inputs: Vec<Vec<(usize, f64)>>,
    width: usize,
}

/// Beyond this many inputs, those whose numbers differ by a multiple of it are drawn together. Sums over independent inputs are
/// independent as well, so the interval stays right, and a campaign with a million inputs costs no more than this.
const MOST_INPUTS: usize = 5_000;

/// More resamples than this are a mistake.
const MOST_RESAMPLES: usize = 1_000_000;

/// Measures as functions of sums.
type Measures<'m> = dyn Fn(&[f64]) -> Vec<Option<f64>> + Sync + 'm;

impl Sums {
    /// No sums yet, in `width` cells, of inputs with the numbers below `inputs`.
    pub fn new(inputs: usize, width: usize) -> Sums {
        Sums { inputs: vec![Vec::new(); inputs.min(MOST_INPUTS)], width }
    }

    /// Adds to a cell for an input. Inputs and cells that were not announced are left out.
    pub fn add(&mut self, input: usize, cell: usize, amount: f64) {
        if self.inputs.is_empty() || cell >= self.width {
            return;
        }
        let place = input % self.inputs.len();
        let cells = &mut self.inputs[place];
        match cells.binary_search_by_key(&cell, |(cell, _)| *cell) {
            Ok(found) => cells[found].1 += amount,
            Err(place) => cells.insert(place, (cell, amount)),
        }
    }

    /// How many inputs have added something.
    pub(crate) fn inputs(&self) -> usize {
        self.inputs.iter().filter(|cells| !cells.is_empty()).count()
    }

    /// The sums over all inputs.
    pub fn totals(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.width];
        for (cell, amount) in self.inputs.iter().flatten() {
            totals[*cell] += amount;
        }
        totals
    }
}

impl Bootstrap {
    /// The intervals of measures that are made of the same sums.
    ///
    /// An interval is absent when the measure is undefined, for fewer than two inputs, when the measure is undefined for more than
    /// half of the resamples, and for settings that make no sense.
    pub fn intervals<const MEASURES: usize>(
        &self,
        sums: &Sums,
        measures: impl Fn(&[f64]) -> [Option<f64>; MEASURES] + Sync,
    ) -> [Option<Interval>; MEASURES] {
        let found = self.intervals_of(sums, &|cells| measures(cells).to_vec());
        std::array::from_fn(|measure| found.get(measure).copied().flatten())
    }

    /// The same for any number of measures. It is compiled once, and not for each caller.
    pub(crate) fn intervals_of(&self, sums: &Sums, measures: &Measures<'_>) -> Vec<Option<Interval>> {
        // All in one place, since every resample goes through them. Numbers without a row are gaps and no inputs.
        let flat = sums.inputs.concat();
        let mut rest = &flat[..];
        let mut inputs: Vec<&[(usize, f64)]> = Vec::new();
        for cells in sums.inputs.iter().filter(|cells| !cells.is_empty()) {
            let (input, others) = rest.split_at(cells.len());
            inputs.push(input);
            rest = others;
        }
        let is_sensible = self.level > 0.0 && self.level < 1.0 && (1..=MOST_RESAMPLES).contains(&self.resamples);
        if inputs.len() < 2 || !is_sensible {
            return Vec::new();
        }
        let totals = sums.totals();
        let drawn: Vec<Vec<Option<f64>>> = (0..self.resamples)
            .into_par_iter()
            .map_init(
                || (vec![0u32; inputs.len()], vec![0.0; sums.width]),
                |(times, cells), number| {
                    draw(self.seed, number as u64, times);
                    add_up(&inputs, times, cells);
                    measures(cells)
                },
            )
            .collect();
        let left_out: Vec<Vec<Option<f64>>> = match self.method {
            Method::Percentile => Vec::new(),
            Method::Bca => {
                let without = |input: &&[(usize, f64)]| {
                    let mut cells = totals.clone();
                    input.iter().for_each(|(cell, amount)| cells[*cell] -= amount);
                    measures(&cells)
                };
                inputs.par_iter().map(without).collect()
            }
        };
        let interval = |(measure, value): (usize, Option<f64>)| {
            let defined = |rows: &[Vec<Option<f64>>]| rows.iter().filter_map(|row| row[measure]).collect::<Vec<f64>>();
            let resampled = defined(&drawn);
            if resampled.len() * 2 < self.resamples {
                return None;
            }
            self.interval_of_resamples(value?, resampled, &defined(&left_out))
        };
        measures(&totals).into_iter().enumerate().map(interval).collect()
    }

    /// The interval of the mean of values; `inputs` says which input each is from, and without it each is from another.
    pub fn of_mean(&self, values: &[f64], inputs: Option<&[usize]>) -> Option<Interval> {
        let sums = sums_of_mean(values, inputs)?;
        let [interval] = self.intervals(&sums, |cells| [ratio(cells[0], cells[1])]);
        interval
    }

    /// The interval out of the measure, the measures of the resamples and those with one input left out at a time.
    fn interval_of_resamples(&self, value: f64, mut resampled: Vec<f64>, left_out: &[f64]) -> Option<Interval> {
        resampled.sort_by(f64::total_cmp);
        let tail = 0.5 * (1.0 - self.level);
        let (low, high) = match self.method {
            Method::Percentile => (tail, 1.0 - tail),
            Method::Bca => mended_tails(tail, value, &resampled, left_out)?,
        };
        Some(Interval { low: quantile(&resampled, low)?, high: quantile(&resampled, high)? })
    }
}

/// How often each input is drawn in a resample.
fn draw(seed: u64, resample: u64, times: &mut [u32]) {
    times.fill(0);
    // Each resample has a stream of its own, so that it does not matter which thread draws it.
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(resample);
    let inputs = times.len() as u32;
    let unfair = inputs.wrapping_neg() % inputs;
    for _ in 0..inputs {
        // The upper half of the product is fair but for the few lower halves that are taken out (Lemire 2019).
        let product = loop {
            let product = u64::from(random.next_u32()) * u64::from(inputs);
            if product as u32 >= unfair {
                break product;
            }
        };
        times[(product >> 32) as usize] += 1;
    }
}

fn add_up(inputs: &[&[(usize, f64)]], times: &[u32], cells: &mut [f64]) {
    cells.fill(0.0);
    for (input, times) in inputs.iter().zip(times).filter(|(_, times)| **times > 0) {
        for (cell, amount) in *input {
            cells[*cell] += f64::from(*times) * amount;
        }
    }
}

/// The shares of the resamples below the ends of the BCa interval.
fn mended_tails(tail: f64, value: f64, sorted: &[f64], left_out: &[f64]) -> Option<(f64, f64)> {
    let below = sorted.partition_point(|resampled| *resampled < value);
    let up_to = sorted.partition_point(|resampled| *resampled <= value);
    let bias = normal_quantile((below + up_to) as f64 / (2.0 * sorted.len() as f64));
    let centre = mean(left_out.iter().copied())?;
    let moment = |power: i32| left_out.iter().map(|without| (centre - without).powi(power)).sum::<f64>();
    let skewness = ratio(moment(3), 6.0 * moment(2).powf(1.5))?;
    let share = |z: f64| normal_below(bias + (bias + z) / (1.0 - skewness * (bias + z)));
    let (low, high) = (share(normal_quantile(tail)), share(normal_quantile(1.0 - tail)));
    (low.is_finite() && high.is_finite() && bias.is_finite()).then_some((low, high))
}

/// The sums that a mean is made of.
fn sums_of_mean(values: &[f64], inputs: Option<&[usize]>) -> Option<Sums> {
    let number = match inputs {
        Some(inputs) if inputs.len() != values.len() => return None,
        Some(inputs) => inputs.iter().max().map_or(0, |last| last.saturating_add(1)),
        None => values.len(),
    };
    let mut sums = Sums::new(number, 2);
    for (row, value) in values.iter().enumerate() {
        let input = inputs.map_or(row, |inputs| inputs[row]);
        sums.add(input, 0, *value);
        sums.add(input, 1, 1.0);
    }
    Some(sums)
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let values: Vec<f64> = argument(arguments, "values")?;
    let inputs: Option<Vec<usize>> = optional(arguments, "clusters")?;
    let default = Bootstrap::default();
    let bootstrap = Bootstrap {
        resamples: optional(arguments, "resamples")?.unwrap_or(default.resamples),
        seed: optional(arguments, "seed")?.unwrap_or(default.seed),
        level: optional(arguments, "level")?.unwrap_or(default.level),
        method: optional(arguments, "method")?.unwrap_or(default.method),
    };
    let Some(value) = mean(values.iter().copied()) else { return Ok(None) };
    // Resamples that were drawn elsewhere take the place of ours, so that the ends can be compared with other programs.
    let interval = match optional::<Vec<f64>>(arguments, "resampled")? {
        None => bootstrap.of_mean(&values, inputs.as_deref()),
        Some(resampled) => {
            let sum: f64 = values.iter().sum();
            let left_out: Option<Vec<f64>> =
                values.iter().map(|value| ratio(sum - value, values.len() as f64 - 1.0)).collect();
            left_out.and_then(|left_out| bootstrap.interval_of_resamples(value, resampled, &left_out))
        }
    };
    let (low, high) = (interval.map(|it| it.low), interval.map(|it| it.high));
    result(Some(json!({"value": value, "n": values.len(), "low": low, "high": high})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_do_not_change_an_interval() {
        let values: Vec<f64> = (0..500).map(|number| f64::from(number % 7)).collect();
        let interval = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Bootstrap::default().of_mean(&values, None))
        };
        assert_eq!(interval(1), interval(3));
        let other = Bootstrap { seed: 1, ..Bootstrap::default() };
        assert_ne!(other.of_mean(&values, None), interval(1));
    }

    #[test]
    fn the_width_is_that_of_the_normal_approximation() {
        let values: Vec<f64> = (0..2700).map(|number| f64::from(u8::from(number % 10 < 7))).collect();
        let expected = 1.96 * (0.7f64 * 0.3 / 2700.0).sqrt();
        for method in [Method::Percentile, Method::Bca] {
            let interval = Bootstrap { method, ..Bootstrap::default() }.of_mean(&values, None).unwrap();
            assert!((interval.low - (0.7 - expected)).abs() < 0.003, "{interval:?}");
            assert!((interval.high - (0.7 + expected)).abs() < 0.003, "{interval:?}");
        }
    }

    #[test]
    fn inputs_beyond_the_limit_are_drawn_together() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let values: Vec<f64> = (0..40_000).map(|_| f64::from(u8::from(random.next_u32() % 10 < 3))).collect();
        let interval = Bootstrap::default().of_mean(&values, None).unwrap();
        let expected = 1.96 * (0.3f64 * 0.7 / 40_000.0).sqrt();
        assert!(((interval.high - interval.low) / (2.0 * expected) - 1.0).abs() < 0.08, "{interval:?} {expected}");
    }

    #[test]
    fn a_cluster_counts_once() {
        let values: Vec<f64> = (0..400).map(|number| f64::from(u8::from(number / 4 % 2 == 0))).collect();
        let inputs: Vec<usize> = (0..400).map(|number| number / 4).collect();
        let width = |interval: Option<Interval>| interval.map(|it| it.high - it.low).unwrap();
        let alone = width(Bootstrap::default().of_mean(&values, None));
        let clustered = width(Bootstrap::default().of_mean(&values, Some(&inputs)));
        assert!((clustered / alone - 2.0).abs() < 0.2, "{clustered} {alone}");
    }

    #[test]
    fn gaps_in_the_numbers_are_no_inputs() {
        let values = [1.0, 0.0, 1.0, 1.0];
        assert_eq!(Bootstrap::default().of_mean(&values, Some(&[5; 4])), None);
        let dense = Bootstrap::default().of_mean(&values, Some(&[0, 1, 2, 3]));
        assert_eq!(Bootstrap::default().of_mean(&values, Some(&[7, 80, 90, 1000])), dense);
        assert!(Bootstrap::default().of_mean(&values, Some(&[0, 1, 2, usize::MAX])).is_some());
    }

    #[test]
    fn senseless_settings_have_no_interval() {
        let none = |bootstrap: Bootstrap| bootstrap.of_mean(&[0.0, 1.0, 1.0], None).is_none();
        assert!(none(Bootstrap { resamples: 0, ..Bootstrap::default() }));
        assert!(none(Bootstrap { resamples: usize::MAX, ..Bootstrap::default() }));
        assert!(none(Bootstrap { level: 1.0, ..Bootstrap::default() }));
        assert!(none(Bootstrap { level: f64::NAN, ..Bootstrap::default() }));
        assert_eq!(Bootstrap::default().of_mean(&[1.0], None), None);
        assert_eq!(Bootstrap::default().of_mean(&[1.0, 2.0], Some(&[0])), None);
        assert_eq!(Bootstrap::default().of_mean(&[1.0, f64::NAN], None), None);
        let alike = Bootstrap::default().of_mean(&[1.0, 1.0], None);
        assert_eq!(alike, Some(Interval { low: 1.0, high: 1.0 }));
        assert_eq!(Bootstrap { method: Method::Bca, ..Bootstrap::default() }.of_mean(&[1.0, 1.0], None), None);
    }
}
