//! Whole summaries: every measure of a kind of task with the number of inputs and its confidence interval.
//!
//! Intervals are made by three rules, the same in every command. Shares of independent inputs get Wilson's interval. Everything else is
//! resampled by whole inputs (clusters). Where no resample differs, because all inputs say the same, resampling knows nothing about
//! what did not occur, and the interval says how many inputs could have been otherwise: with the share `u` at the upper end of Wilson's
//! interval of none of them, a measure between `low` and `high` reaches from `v - u (v - low)` to `v + u (high - v)`. For a share
//! this is Wilson's interval itself. A mean of numbers without bounds, such as queries, has no interval then.

mod attack;
mod classification;
mod fidelity;
mod names;
mod search;
mod texts;

use std::collections::HashSet;

use serde::Serialize;

use crate::numbers::{quantile, ratio};
use crate::statistics::{Bootstrap, Interval, Sums, wilson};
use crate::table::{Cell, Table};

pub(crate) use attack::one_if;
pub use attack::{AttackMeasure, AttackResult, ExampleQuality, Place, attack, attack_measures};
pub use classification::classification;
pub use fidelity::fidelity;
pub use names::names;
pub use search::search;
pub use texts::texts;

/// A measure of some inputs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The name of the measure.
    pub measure: String,
    /// Its value, where it is defined.
    pub value: Option<f64>,
    /// The interval around it, where there is one.
    pub interval: Option<Interval>,
    /// Over how many rows it was taken.
    pub n: usize,
}

/// Measures of the same inputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The measures, in the order in which they are shown.
    pub lines: Vec<Line>,
}

impl Summary {
    /// The value of a measure.
    pub fn value(&self, measure: &str) -> Option<f64> {
        self.line(measure)?.value
    }

    /// A measure with its interval.
    pub fn line(&self, measure: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.measure == measure)
    }

    /// Adds the mean of values that may be undefined for some rows, which are then left out.
    ///
    /// Nothing is added when `inputs`, which says which input each row is from, is of another length.
    pub fn push_mean(
        &mut self,
        measure: &str,
        values: &[Option<f64>],
        inputs: Option<&[usize]>,
        bootstrap: &Bootstrap,
    ) {
        self.push_mean_within(None, measure, values, inputs, bootstrap);
    }

    /// Adds the mean of values from 0 to 1 that are no shares, such as reciprocal ranks.
    pub fn push_score(
        &mut self,
        measure: &str,
        values: &[Option<f64>],
        inputs: Option<&[usize]>,
        bootstrap: &Bootstrap,
    ) {
        self.push_mean_within(UNIT, measure, values, inputs, bootstrap);
    }

    /// Adds the mean of differences of values from 0 to 1.
    pub fn push_difference(
        &mut self,
        measure: &str,
        values: &[Option<f64>],
        inputs: Option<&[usize]>,
        bootstrap: &Bootstrap,
    ) {
        self.push_mean_within(SIGNED, measure, values, inputs, bootstrap);
    }

    fn push_mean_within(
        &mut self,
        bounds: Bounds,
        measure: &str,
        values: &[Option<f64>],
        inputs: Option<&[usize]>,
        bootstrap: &Bootstrap,
    ) {
        let Some(inputs) = numbers_of(inputs, values.len()) else { return };
        let mut sums = Sums::new(inputs.count, 2);
        for (row, value) in values.iter().enumerate() {
            let Some(value) = value.filter(|value| value.is_finite()) else { continue };
            sums.add(inputs.of(row), 0, value);
            sums.add(inputs.of(row), 1, 1.0);
        }
        let n = values.iter().flatten().filter(|value| value.is_finite()).count();
        self.push_all(bounds, [(measure, n)], &sums, bootstrap, |cells| [ratio(cells[0], cells[1])]);
    }

    /// Adds the share of rows that are 1, where the others are 0, as [`Summary::push_mean`] does, with the interval of a proportion.
    pub fn push_share(
        &mut self,
        measure: &str,
        values: &[Option<f64>],
        inputs: Option<&[usize]>,
        bootstrap: &Bootstrap,
    ) {
        self.push_mean_within(UNIT, measure, values, inputs, bootstrap);
        let Some(inputs) = numbers_of(inputs, values.len()) else { return };
        let mut proportion = Proportion::default();
        for (row, value) in values.iter().enumerate() {
            value.filter(|value| value.is_finite()).into_iter().for_each(|value| proportion.add(inputs.of(row), value));
        }
        self.correct(measure, &proportion, bootstrap);
    }

    /// Gives a measure the interval of a proportion, where it is one that needs no resampling.
    fn correct(&mut self, measure: &str, proportion: &Proportion, bootstrap: &Bootstrap) {
        let Some(interval) = proportion.interval(bootstrap) else { return };
        self.lines.iter_mut().filter(|line| line.measure == measure).for_each(|line| line.interval = Some(interval));
    }

    /// Adds the median of values. The ends of its interval are the values at the ends of the interval of the fraction of values
    /// that lie below it (Woodruff 1952), which costs no more than that of a mean. Of equal values both ends are that value: the median
    /// stays where it is even if some inputs could have been otherwise.
    ///
    /// Nothing is added when `inputs` is of another length.
    pub fn push_median(&mut self, measure: &str, values: &[f64], inputs: Option<&[usize]>, bootstrap: &Bootstrap) {
        let Some(inputs) = numbers_of(inputs, values.len()) else { return };
        let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let value = quantile(&sorted, 0.5);
        let interval = value.and_then(|median| {
            let mut sums = Sums::new(inputs.count, 2);
            for (row, value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
                let below = f64::from(u8::from(*value < median)) + 0.5 * f64::from(u8::from(*value == median));
                sums.add(inputs.of(row), 0, below);
                sums.add(inputs.of(row), 1, 1.0);
            }
            let share = |cells: &[f64]| [ratio(cells[0], cells[1])];
            let ([found], [interval]) = (share(&sums.totals()), bootstrap.intervals(&sums, share));
            let (found, interval) = (found?, interval?);
            let low = quantile(&sorted, 0.5 - (found - interval.low))?;
            Some(Interval { low, high: quantile(&sorted, 0.5 + (interval.high - found))? })
        });
        self.lines.push(Line { measure: measure.to_owned(), value, interval, n: sorted.len() });
    }

    /// Adds measures that are made of the same sums and lie within the same bounds, each with the number of rows that it is taken over.
    pub(crate) fn push_all<const MEASURES: usize>(
        &mut self,
        bounds: Bounds,
        measures: [(&str, usize); MEASURES],
        sums: &Sums,
        bootstrap: &Bootstrap,
        compute: impl Fn(&[f64]) -> [Option<f64>; MEASURES] + Sync,
    ) {
        let values = compute(&sums.totals());
        let intervals = bootstrap.intervals(sums, compute);
        for (place, (measure, n)) in measures.into_iter().enumerate() {
            let value = values[place];
            let interval =
                intervals[place].and_then(|interval| widened(interval, value?, bounds, sums.inputs(), bootstrap.level));
            self.lines.push(Line { measure: measure.to_owned(), value, interval, n });
        }
    }

    /// The summary as a table that can be printed.
    pub fn to_table(&self) -> Table {
        let mut table = Table::new(["measure", "value", "interval", "n"]);
        for line in &self.lines {
            let cells: [Cell; 4] =
                [line.measure.as_str().into(), line.value.into(), line.interval.into(), line.n.into()];
            table.push(cells);
        }
        table
    }
}

/// The least and the largest value of a measure, where it has them.
pub(crate) type Bounds = Option<(f64, f64)>;

/// The bounds of shares, and of scores that are made of them.
pub(crate) const UNIT: Bounds = Some((0.0, 1.0));

/// The bounds of BLEU, which is shown in percent.
const PERCENT: Bounds = Some((0.0, 100.0));

/// The bounds of correlations, and of differences of scores.
pub(crate) const SIGNED: Bounds = Some((-1.0, 1.0));

/// The interval of resamples, or where all inputs agree, what they say about those that are not there.
fn widened(interval: Interval, value: f64, bounds: Bounds, inputs: usize, level: f64) -> Option<Interval> {
    // Sums of the same numbers in another order differ in their last bits.
    if interval.high - interval.low > 1e-9 * value.abs().max(1e-3) {
        return Some(interval);
    }
    let (low, high) = bounds.filter(|(low, high)| (*low..=*high).contains(&value) && inputs > 1)?;
    let others = wilson(0, inputs, level)?.high;
    Some(Interval { low: value - others * (value - low), high: value + others * (high - value) })
}

/// Rows that may be a proportion: each is 0 or 1.
#[derive(Default)]
struct Proportion {
    rows: usize,
    ones: usize,
    has_others: bool,
    inputs: HashSet<usize>,
}

impl Proportion {
    fn add(&mut self, input: usize, value: f64) {
        self.rows += 1;
        self.ones += usize::from(value == 1.0);
        self.has_others |= value != 0.0 && value != 1.0;
        self.inputs.insert(input);
    }

    /// Wilson's interval, where each row is from another input. Rows of the same inputs are resampled, unless all of them agree:
    /// no resample could differ then, so that each input counts as one row.
    fn interval(&self, bootstrap: &Bootstrap) -> Option<Interval> {
        let are_independent = self.inputs.len() == self.rows;
        let inputs = self.inputs.len();
        match self.ones {
            _ if self.has_others || inputs < 2 => None,
            ones if are_independent => wilson(ones, self.rows, bootstrap.level),
            0 => wilson(0, inputs, bootstrap.level),
            ones if ones == self.rows => wilson(inputs, inputs, bootstrap.level),
            _ => None,
        }
    }
}

/// Which input each row is from: as it was said, or each from another.
#[derive(Clone, Copy)]
struct Inputs<'n> {
    numbers: Option<&'n [usize]>,
    count: usize,
}

impl Inputs<'_> {
    fn of(self, row: usize) -> usize {
        self.numbers.map_or(row, |numbers| numbers[row])
    }
}

fn numbers_of(numbers: Option<&[usize]>, rows: usize) -> Option<Inputs<'_>> {
    let count = match numbers {
        Some(numbers) if numbers.len() != rows => return None,
        Some(numbers) => numbers.iter().max().map_or(0, |last| last.saturating_add(1)),
        None => rows,
    };
    Some(Inputs { numbers, count })
}

/// The numbers of inputs by their names, in the order in which they first occur.
///
/// ```
/// assert_eq!(measure::summary::input_numbers(["b", "a", "b"]), [0, 1, 0]);
/// ```
pub fn input_numbers<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<usize> {
    let mut numbers = std::collections::HashMap::new();
    let mut number = |name| {
        let next = numbers.len();
        *numbers.entry(name).or_insert(next)
    };
    names.into_iter().map(&mut number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_inputs_agree_in_is_not_certain() {
        let interval = |values: &[f64], inputs: Option<&[usize]>| {
            let mut summary = Summary::default();
            let values: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
            summary.push_share("right", &values, inputs, &Bootstrap::default());
            summary.lines[0].interval
        };
        assert_eq!(interval(&[1.0; 25], None), wilson(25, 25, 0.95));
        assert_eq!(interval(&[0.0; 25], None), wilson(0, 25, 0.95));
        // Fifty rows of 25 inputs say as much as 25 rows, as long as they agree.
        let twice: Vec<usize> = (0..50).map(|row| row / 2).collect();
        assert_eq!(interval(&[1.0; 50], Some(&twice)), wilson(25, 25, 0.95));
        let mixed: Vec<f64> = (0..50).map(|row| f64::from(row % 2)).collect();
        assert_eq!(interval(&mixed, None), wilson(25, 50, 0.95));
        // Each input is right once and wrong once, so that the share of every resample is the same.
        let others = wilson(0, 25, 0.95).unwrap().high;
        let half = interval(&mixed, Some(&twice)).unwrap();
        assert_eq!(half, Interval { low: 0.5 - 0.5 * others, high: 0.5 + 0.5 * others });
        assert_eq!(interval(&[1.0, 1.0], Some(&[0, 0])), None);
        let mut summary = Summary::default();
        summary.push_difference("difference", &[Some(0.0); 25], None, &Bootstrap::default());
        assert_eq!(summary.lines[0].interval, Some(Interval { low: -others, high: others }));
        summary.push_score("score", &[Some(1.0); 25], None, &Bootstrap::default());
        let score = summary.lines[1].interval.unwrap();
        assert!((score.low - wilson(25, 25, 0.95).unwrap().low).abs() < 1e-12 && score.high == 1.0, "{score:?}");
        // Nobody knows how far numbers without bounds could have been.
        summary.push_mean("queries", &[Some(7.0); 25], None, &Bootstrap::default());
        assert_eq!((summary.lines[2].value, summary.lines[2].interval), (Some(7.0), None));
    }

    #[test]
    fn rows_that_are_undefined_are_left_out_and_not_counted() {
        let mut summary = Summary::default();
        let values = [Some(1.0), None, Some(0.0), Some(f64::NAN)];
        summary.push_mean("right", &values, None, &Bootstrap::default());
        assert_eq!((summary.value("right"), summary.lines[0].n), (Some(0.5), 2));
        summary.push_mean("none", &[], None, &Bootstrap::default());
        assert_eq!((summary.value("none"), summary.lines[1].interval), (None, None));
        summary.push_mean("wrong", &values, Some(&[1]), &Bootstrap::default());
        assert_eq!(summary.lines.len(), 2);
        summary.push_median("middle", &[1.0, 9.0, 2.0, f64::NAN], None, &Bootstrap::default());
        let line = &summary.lines[2];
        assert_eq!((line.value, line.n), (Some(2.0), 3));
        assert_eq!(line.interval, Some(Interval { low: 1.0, high: 9.0 }));
        assert!(summary.to_table().to_text().starts_with("measure   value  interval"));
    }
}
