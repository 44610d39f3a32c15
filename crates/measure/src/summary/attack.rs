//! The summary of an attack.

use serde::{Deserialize, Serialize};

use super::{Bounds, Line, Proportion, Summary, UNIT, widened};
use crate::metrics::OF_ATTACKS;
use crate::numbers::ratio;
use crate::statistics::{Bootstrap, Sums};

/// The result of an attack on one target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttackResult {
    /// The index of its source input.
    pub input: usize,
    pub was_right: bool,
    /// Was there anything to change? Rates are over attacked targets: right before, and with something to change.
    pub was_attacked: bool,
    /// Did the attack find a program with a wrong answer?
    pub flipped: bool,
    /// Was that program judged equivalent to the original?
    pub valid: bool,
    /// Is it unknown whether it is, because a check that was requested was not made?
    pub not_judged: bool,
    /// The largest confidence drop, where it is known, see [`confidence_decrement_of`](crate::metrics::confidence_decrement_of).
    pub decrement: Option<f64>,
    pub queries: u64,
    /// The queries that were answered from the cache.
    pub cached: u64,
    /// The queries to mutants of the model.
    pub mutant_queries: u64,
    pub seconds: f64,
    /// How far the program that was found is from the original.
    pub quality: Option<ExampleQuality>,
    /// The cosine of the model's own embeddings of both, where it has any.
    pub cosine: Option<f64>,
}

/// How far an adversarial example is from its original.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExampleQuality {
    /// The names that could be renamed.
    pub identifiers: usize,
    /// Those that are renamed.
    pub renamed: usize,
    /// The edit distances of these names, together.
    pub edit_distance: usize,
    /// The lines of the original.
    pub lines: usize,
    /// The lines of the example.
    pub lines_after: usize,
    /// The tokens of the original.
    pub tokens: usize,
    /// The tokens of the example.
    pub tokens_after: usize,
    /// The tokens that were put in, taken out or replaced.
    pub changed_tokens: usize,
    /// The rewrites.
    pub moves: usize,
}

/// A measure of attacks, as `compare` and the report show it.
#[derive(Clone, Copy)]
pub struct AttackMeasure {
    /// Its name in tables and in JSON.
    pub name: &'static str,
    /// Where a report shows it.
    pub place: Place,
    /// The head of its column in a report.
    pub head: &'static str,
    /// What it means, in a sentence.
    pub meaning: &'static str,
    /// Is it a share, to be shown in percent?
    pub is_share: bool,
    bounds: Bounds,
    of: Of,
}

/// Where a report shows a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Among the results of attacks.
    Results,
    /// Among the measures of how far examples are from their originals.
    Quality,
    /// Nowhere; `compare` shows it all the same.
    Nowhere,
}

/// How a measure is made of targets. A target that it does not count has no part in it.
#[derive(Clone, Copy)]
enum Of {
    /// Sums over targets: what each adds above and below the line.
    Ratio(fn(&AttackResult) -> Option<[f64; 2]>),
    /// The median of targets.
    Median(fn(&AttackResult) -> Option<f64>),
}

impl AttackMeasure {
    /// The ratio of two sums over targets.
    pub(crate) const fn ratio(name: &'static str, of: fn(&AttackResult) -> Option<[f64; 2]>) -> AttackMeasure {
        AttackMeasure::new(name, Of::Ratio(of))
    }

    /// The median over targets.
    pub(crate) const fn median(name: &'static str, of: fn(&AttackResult) -> Option<f64>) -> AttackMeasure {
        AttackMeasure::new(name, Of::Median(of))
    }

    const fn new(name: &'static str, of: Of) -> AttackMeasure {
        AttackMeasure { name, place: Place::Nowhere, head: "", meaning: "", is_share: false, bounds: None, of }
    }

    /// A report shows it in percent.
    pub(crate) const fn percent(self) -> AttackMeasure {
        AttackMeasure { is_share: true, bounds: UNIT, ..self }
    }

    /// It lies within bounds.
    pub(crate) const fn within(self, bounds: Bounds) -> AttackMeasure {
        AttackMeasure { bounds, ..self }
    }

    /// A report shows it there, under a head.
    pub(crate) const fn shown(self, place: Place, head: &'static str, meaning: &'static str) -> AttackMeasure {
        AttackMeasure { place, head, meaning, ..self }
    }
}

impl AttackResult {
    /// Was the target answered right before, with something to change?
    pub fn is_attacked(&self) -> bool {
        self.was_right && self.was_attacked
    }

    /// Was it attacked and its answer changed, by a valid program or not?
    pub fn is_flipped(&self) -> bool {
        self.is_attacked() && self.flipped
    }

    /// A cost of attacked targets.
    pub(crate) fn of_attacked(&self, cost: f64) -> Option<[f64; 2]> {
        self.is_attacked().then_some([cost, 1.0])
    }

    /// A cost of targets whose answer was changed.
    pub(crate) fn of_flipped(&self, cost: f64) -> Option<[f64; 2]> {
        self.is_flipped().then_some([cost, 1.0])
    }

    /// The distance of a valid example from its original.
    pub(crate) fn of_valid(&self) -> Option<&ExampleQuality> {
        self.quality.as_ref().filter(|_| self.is_flipped() && self.valid)
    }
}

/// One where a condition holds, and else nothing.
pub(crate) fn one_if(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

/// Every measure of attacks, in the order in which tables show them.
pub fn attack_measures() -> impl Iterator<Item = &'static AttackMeasure> {
    OF_ATTACKS.iter().copied().flatten()
}

/// Every measure of an attack, with its interval.
pub fn attack(results: &[AttackResult], bootstrap: &Bootstrap) -> Summary {
    let measures: Vec<&AttackMeasure> = attack_measures().collect();
    let inputs: Vec<usize> = results.iter().map(|result| result.input).collect();
    let mut sums = Sums::new(inputs.iter().max().map_or(0, |last| last.saturating_add(1)), 2 * measures.len());
    let mut counted: Vec<Proportion> = measures.iter().map(|_| Proportion::default()).collect();
    for result in results {
        for (place, measure) in measures.iter().enumerate() {
            let Of::Ratio(of) = measure.of else { continue };
            let Some(parts) = of(result).filter(|parts| parts.iter().all(|part| part.is_finite())) else { continue };
            for (cell, amount) in parts.into_iter().enumerate().filter(|(_, amount)| *amount != 0.0) {
                sums.add(result.input, 2 * place + cell, amount);
            }
            // The ratio of a target is no proportion where it counts by its size.
            counted[place].add(result.input, if parts[1] == 1.0 { parts[0] } else { f64::NAN });
        }
    }
    let compute = |cells: &[f64]| cells.chunks_exact(2).map(|cells| ratio(cells[0], cells[1])).collect::<Vec<_>>();
    let values = compute(&sums.totals());
    let intervals = bootstrap.intervals_of(&sums, &compute);
    let mut summary = Summary::default();
    for (place, measure) in measures.iter().enumerate() {
        match measure.of {
            Of::Ratio(_) => {
                let Proportion { rows: n, inputs, .. } = &counted[place];
                // The examples of one input say nothing about others.
                let interval = intervals.get(place).copied().flatten().filter(|_| inputs.len() > 1);
                let interval = interval.and_then(|interval| {
                    widened(interval, values[place]?, measure.bounds, inputs.len(), bootstrap.level)
                });
                summary.lines.push(Line { measure: measure.name.to_owned(), value: values[place], interval, n: *n });
                if measure.is_share {
                    summary.correct(measure.name, &counted[place], bootstrap);
                }
            }
            Of::Median(of) => {
                let counted = results.iter().filter_map(|result| Some((of(result)?, result.input)));
                let (values, inputs): (Vec<f64>, Vec<usize>) = counted.unzip();
                summary.push_median(measure.name, &values, Some(&inputs), bootstrap);
            }
        }
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{
        Size, attack_success_rate, average_cosine_similarity, cost_per_target, identifier_change_rate, robust_accuracy,
        size_growth,
    };

    fn results() -> Vec<AttackResult> {
        let result = |number: usize| AttackResult {
            input: number / 2,
            was_right: !number.is_multiple_of(5),
            was_attacked: true,
            flipped: number % 5 > 2,
            valid: number.is_multiple_of(2),
            not_judged: number.is_multiple_of(3),
            decrement: (!number.is_multiple_of(3)).then_some(0.25),
            queries: (number * 37 % 101) as u64,
            cached: 1,
            mutant_queries: 2,
            seconds: 0.5,
            quality: Some(ExampleQuality {
                identifiers: 3 + number % 7,
                renamed: number % 3,
                edit_distance: number % 3 * 2,
                lines: 10,
                lines_after: 10 + number % 4,
                tokens: 100 + number,
                tokens_after: 110 + number,
                changed_tokens: 12,
                moves: 1,
            }),
            cosine: Some(0.5),
        };
        (0..200).map(result).collect()
    }

    #[test]
    fn the_values_are_those_of_the_measures() {
        let results = results();
        let summary = attack(&results, &Bootstrap::default());
        let list = |is: fn(&AttackResult) -> bool| -> Vec<bool> { results.iter().map(is).collect() };
        let (right, flipped, valid) = (list(|it| it.was_right), list(|it| it.flipped), list(|it| it.valid));
        let rates = attack_success_rate(&right, &flipped, &valid).unwrap();
        assert_eq!(summary.value("attack success rate"), Some(rates.raw));
        assert_eq!(summary.value("attack success rate, valid"), Some(rates.valid));
        assert_eq!(summary.value("robust accuracy"), robust_accuracy(&right, &flipped));
        assert_eq!(summary.value("confidence decrement"), Some(0.25));
        let attacked: Vec<&AttackResult> = results.iter().filter(|result| result.was_right).collect();
        let queries: Vec<f64> = attacked.iter().map(|result| result.queries as f64).collect();
        let won: Vec<bool> = attacked.iter().map(|result| result.flipped).collect();
        let cost = cost_per_target(&queries, &won).unwrap();
        assert_eq!(summary.value("queries"), Some(cost.all.mean));
        assert_eq!(summary.value("median queries"), Some(cost.all.median));
        assert_eq!(summary.value("median queries of successes"), cost.succeeded.map(|it| it.median));
        let found: Vec<&ExampleQuality> = results.iter().filter_map(AttackResult::of_valid).collect();
        let of = |number: fn(&ExampleQuality) -> usize| -> Vec<usize> { found.iter().map(|it| number(it)).collect() };
        let rate = identifier_change_rate(&of(|it| it.renamed), &of(|it| it.identifiers));
        assert_eq!(summary.value("identifier change rate"), rate);
        let rate =
            of(|it| it.changed_tokens).iter().sum::<usize>() as f64 / of(|it| it.tokens).iter().sum::<usize>() as f64;
        assert_eq!(summary.value("token change rate"), Some(rate));
        assert_eq!(summary.value("edit distance of a name"), Some(2.0));
        let size = |lines: fn(&ExampleQuality) -> usize, tokens: fn(&ExampleQuality) -> usize| -> Vec<Size> {
            found.iter().map(|it| Size { lines: lines(it), tokens: tokens(it) }).collect()
        };
        let (before, after) = (size(|it| it.lines, |it| it.tokens), size(|it| it.lines_after, |it| it.tokens_after));
        let growth = size_growth(&before, &after).unwrap();
        assert_eq!(summary.value("added lines"), Some(growth.lines));
        assert_eq!(summary.value("added tokens"), Some(growth.tokens));
        let (one, other) = (vec![vec![1.0, 0.0]; 3], vec![vec![0.5, 0.75f64.sqrt()]; 3]);
        let cosine = average_cosine_similarity(&one, &other).unwrap();
        assert!((summary.value("cosine similarity").unwrap() - cosine).abs() < 1e-9);
        for line in &summary.lines {
            // Where all targets say the same, numbers without bounds have no interval.
            if ["cached", "mutant", "second", "edit distance", "added tokens"]
                .iter()
                .any(|name| line.measure.starts_with(name))
            {
                assert_eq!(line.interval, None, "{line:?}");
                continue;
            }
            let (value, interval) = (line.value.unwrap(), line.interval.unwrap());
            assert!(interval.low <= value && value <= interval.high && interval.low < interval.high, "{line:?}");
        }
    }

    #[test]
    fn targets_without_a_site_are_right_and_not_attacked() {
        let mut results = results();
        let whole = attack(&results, &Bootstrap::default());
        let bare = AttackResult { was_attacked: false, was_right: true, flipped: false, ..results[0].clone() };
        results.extend(vec![bare; 40]);
        let summary = attack(&results, &Bootstrap::default());
        for measure in ["attack success rate", "attack success rate, valid", "queries", "median queries"] {
            assert_eq!(summary.value(measure), whole.value(measure), "{measure}");
        }
        assert_eq!(summary.value("accuracy"), Some(200.0 / 240.0));
        assert!(summary.value("robust accuracy") > whole.value("robust accuracy"));
    }

    #[test]
    fn what_one_input_says_has_no_interval() {
        let mut results = results();
        results.iter_mut().filter(|result| result.input > 3).for_each(|result| result.flipped = false);
        let summary = attack(&results, &Bootstrap::default());
        let line = |measure: &str| summary.lines.iter().find(|line| line.measure == measure).unwrap();
        assert!(line("token change rate").value.is_some() && line("token change rate").interval.is_none());
        assert!(line("attack success rate").interval.is_some());
    }

    #[test]
    fn an_attack_on_nothing_says_nothing() {
        let summary = attack(&[], &Bootstrap::default());
        assert!(summary.lines.iter().all(|line| line.value.is_none() && line.n == 0));
    }

    #[test]
    fn every_measure_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<&str> = attack_measures().map(|measure| measure.name).collect();
        assert_eq!(names.len(), attack_measures().count());
        for measure in attack_measures().filter(|measure| measure.place != Place::Nowhere) {
            assert!(!measure.head.is_empty() && measure.meaning.ends_with('.'), "{}", measure.name);
        }
    }
}
