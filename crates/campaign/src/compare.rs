//! What runs say about attacks and models: the measures of each, and each against each on the same targets.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use measure::metrics::confidence_decrement_of;
use measure::statistics::{Exactness, Zeros, cliffs_delta, holm, mcnemar, wilcoxon_signed_rank};
use measure::summary::{self, input_numbers};
use measure::{Bootstrap, Cell, Interval, Summary, Sums, Table};
use search::Outcome;

use crate::run::{InputRow, Record};

/// What one attack did in one run.
pub struct Column {
    /// What the tables call it.
    pub name: String,
    /// What it attacked, by the name of the target.
    pub records: BTreeMap<String, Record>,
    /// What must stay together when targets are resampled.
    clusters: HashMap<String, String>,
}

/// Two columns against each other, on the targets that both attacked.
pub struct Duel {
    /// The places of the columns.
    pub columns: (usize, usize),
    /// How many targets both attacked.
    pub n: usize,
    /// How much higher the first's rate of valid successes is, with its interval.
    pub difference: Option<(f64, Option<Interval>)>,
    /// How many targets only the first broke, only the second, and both.
    pub overlap: (usize, usize, usize),
    /// How likely such a difference of rates is by chance, corrected for the number of duels.
    pub p: Option<f64>,
    /// How likely such a difference of queries is by chance, corrected, and its size: Cliff's delta.
    pub queries: Option<(f64, f64)>,
}

/// The columns of a run, one for each attack. `name` is put before the attack where several runs are compared.
pub fn columns(name: Option<&str>, targets: &[InputRow], records: Vec<Record>) -> Vec<Column> {
    let ids: HashMap<usize, &InputRow> = targets.iter().map(|target| (target.number, target)).collect();
    let clusters: HashMap<String, String> =
        targets.iter().map(|target| (target.id.clone(), target.cluster.clone())).collect();
    let mut columns: BTreeMap<String, BTreeMap<String, Record>> = BTreeMap::new();
    for record in records {
        if let Some(target) = ids.get(&record.number) {
            columns.entry(record.attack.clone()).or_default().insert(target.id.clone(), record);
        }
    }
    let titled = |attack: String| match name {
        Some(name) => format!("{name}/{attack}"),
        None => attack,
    };
    columns
        .into_iter()
        .map(|(attack, records)| Column { name: titled(attack), records, clusters: clusters.clone() })
        .collect()
}

impl Column {
    /// The measures of the attack, each with its interval.
    pub fn summary(&self, bootstrap: &Bootstrap) -> Summary {
        // Targets that the model did not answer say nothing about it.
        let records: Vec<(&String, &Record)> =
            self.records.iter().filter(|(_, record)| record.outcome != Outcome::Fault).collect();
        let inputs = input_numbers(records.iter().map(|(id, _)| self.clusters[*id].as_str()));
        let target = |((_, record), input): (&(&String, &Record), &usize)| summary::AttackResult {
            input: *input,
            was_right: record.outcome.is_attacked() || record.outcome == Outcome::NoSite,
            was_attacked: record.outcome.is_attacked(),
            flipped: record.outcome.is_flip(),
            valid: record.outcome == Outcome::Success,
            decrement: record.belief.and_then(|(before, lowest)| confidence_decrement_of(before, &[lowest])),
            queries: record.queries as u64,
            cached: record.cached as u64,
            seconds: record.seconds,
        };
        let targets: Vec<summary::AttackResult> = records.iter().zip(&inputs).map(target).collect();
        let mut summary = summary::attack(&targets, bootstrap);
        self.push_quality(&mut summary, &records, &inputs, bootstrap);
        let mutant_queries =
            records.iter().map(|(_, record)| record.outcome.is_attacked().then_some(record.mutant_queries as f64));
        summary.push_mean("mutant queries", &mutant_queries.collect::<Vec<_>>(), Some(&inputs), bootstrap);
        summary
    }

    /// How far successes are from their originals.
    fn push_quality(
        &self,
        summary: &mut Summary,
        records: &[(&String, &Record)],
        inputs: &[usize],
        bootstrap: &Bootstrap,
    ) {
        let count = inputs.iter().max().map_or(0, |last| last + 1);
        let mut sums = Sums::new(count, 6);
        let (mut n, mut with_names) = (0, 0);
        let mut cosines = Vec::new();
        for ((_, record), input) in records.iter().zip(inputs) {
            let Some(quality) = record.quality.as_ref().filter(|_| record.outcome == Outcome::Success) else {
                continue;
            };
            n += 1;
            with_names += usize::from(quality.renamed > 0);
            let numbers = [
                quality.renamed,
                quality.identifiers,
                quality.changed_tokens,
                quality.tokens,
                quality.edit_distance,
                quality.moves,
            ];
            for (cell, number) in numbers.into_iter().enumerate() {
                sums.add(*input, cell, number as f64);
            }
            cosines.push((*input, record.cosine));
        }
        let ratio = |one: f64, other: f64| (other > 0.0).then(|| one / other);
        let measures =
            [("identifier change rate", n), ("token change rate", n), ("edit distance of a name", with_names)];
        summary.push_all(measures, &sums, bootstrap, |cells| {
            [ratio(cells[0], cells[1]), ratio(cells[2], cells[3]), ratio(cells[4], cells[0])]
        });
        let values: Vec<Option<f64>> = cosines.iter().map(|(_, cosine)| *cosine).collect();
        let inputs: Vec<usize> = cosines.iter().map(|(input, _)| *input).collect();
        summary.push_mean("cosine similarity", &values, Some(&inputs), bootstrap);
    }

    /// How many targets ended in each way.
    pub fn outcomes(&self) -> BTreeMap<Outcome, usize> {
        let mut counts = BTreeMap::new();
        for record in self.records.values() {
            *counts.entry(record.outcome).or_insert(0) += 1;
        }
        counts
    }
}

/// The table of all columns: a row for each measure.
pub fn table(columns: &[Column], bootstrap: &Bootstrap) -> Table {
    let summaries: Vec<Summary> = columns.iter().map(|column| column.summary(bootstrap)).collect();
    let header = std::iter::once("measure").chain(columns.iter().map(|column| column.name.as_str()));
    let mut table = Table::new(header);
    for outcome in Outcome::ALL {
        let counts = columns.iter().map(|column| column.outcomes().get(&outcome).copied().unwrap_or(0));
        table.push(std::iter::once(Cell::from(format!("targets: {}", outcome.name()))).chain(counts.map(Cell::from)));
    }
    let Some(first) = summaries.first() else { return table };
    for (place, line) in first.lines.iter().enumerate() {
        let cell = |summary: &Summary| {
            let line = &summary.lines[place];
            let Some(value) = line.value else { return Cell::Number(None) };
            match line.interval {
                Some(interval) => {
                    Cell::Text(format!("{} [{}, {}]", short(value), short(interval.low), short(interval.high)))
                }
                None => Cell::Text(short(value)),
            }
        };
        table.push(std::iter::once(Cell::from(line.measure.as_str())).chain(summaries.iter().map(cell)));
    }
    table
}

fn short(value: f64) -> String {
    match value.abs() {
        size if size < 10.0 => format!("{value:.3}"),
        size if size < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Every column against every other.
pub fn duels(columns: &[Column], bootstrap: &Bootstrap) -> Vec<Duel> {
    let mut duels = Vec::new();
    for first in 0..columns.len() {
        for second in first + 1..columns.len() {
            duels.push(duel(columns, first, second, bootstrap));
        }
    }
    let correct = |found: Vec<Option<f64>>| -> Vec<Option<f64>> {
        let known: Vec<f64> = found.iter().flatten().copied().collect();
        let mut corrected = holm(&known).unwrap_or(known).into_iter();
        found.into_iter().map(|p| p.and_then(|_| corrected.next())).collect()
    };
    let rates = correct(duels.iter().map(|duel| duel.p).collect());
    let queries = correct(duels.iter().map(|duel| duel.queries.map(|(p, _)| p)).collect());
    for ((duel, p), queries) in duels.iter_mut().zip(rates).zip(queries) {
        duel.p = p;
        duel.queries = duel.queries.and_then(|(_, delta)| Some((queries?, delta)));
    }
    duels
}

fn duel(columns: &[Column], first: usize, second: usize, bootstrap: &Bootstrap) -> Duel {
    let (one, other) = (&columns[first], &columns[second]);
    let shared: Vec<(&String, &Record, &Record)> = one
        .records
        .iter()
        .filter_map(|(id, record)| Some((id, record, other.records.get(id)?)))
        .filter(|(_, record, other)| record.outcome.is_attacked() && other.outcome.is_attacked())
        .collect();
    let inputs = input_numbers(shared.iter().map(|(id, ..)| one.clusters[*id].as_str()));
    let won: Vec<bool> = shared.iter().map(|(_, record, _)| record.outcome == Outcome::Success).collect();
    let other_won: Vec<bool> = shared.iter().map(|(_, _, record)| record.outcome == Outcome::Success).collect();
    let mut sums = Sums::new(inputs.iter().max().map_or(0, |last| last + 1), 2);
    for ((input, won), other_won) in inputs.iter().zip(&won).zip(&other_won) {
        sums.add(*input, 0, f64::from(u8::from(*won)) - f64::from(u8::from(*other_won)));
        sums.add(*input, 1, 1.0);
    }
    let difference = |cells: &[f64]| [(cells[1] > 0.0).then(|| cells[0] / cells[1])];
    let [value] = difference(&sums.totals());
    let [interval] = bootstrap.intervals(&sums, difference);
    let queries: Vec<f64> = shared.iter().map(|(_, record, _)| record.queries as f64).collect();
    let other_queries: Vec<f64> = shared.iter().map(|(_, _, record)| record.queries as f64).collect();
    let p_queries = wilcoxon_signed_rank(&queries, &other_queries, Zeros::Drop, Exactness::Auto).map(|test| test.p);
    let count =
        |is: fn(bool, bool) -> bool| won.iter().zip(&other_won).filter(|(one, other)| is(**one, **other)).count();
    Duel {
        columns: (first, second),
        n: shared.len(),
        difference: value.map(|value| (value, interval)),
        overlap: (
            count(|one, other| one && !other),
            count(|one, other| !one && other),
            count(|one, other| one && other),
        ),
        p: mcnemar(&won, &other_won).map(|test| test.p),
        queries: p_queries.zip(cliffs_delta(&queries, &other_queries).map(|delta| delta.delta)),
    }
}

/// The table of duels.
pub fn duel_table(columns: &[Column], duels: &[Duel]) -> Table {
    let mut table = Table::new([
        "first",
        "second",
        "both attacked",
        "difference of valid success rates",
        "p (McNemar, Holm)",
        "only first breaks",
        "only second breaks",
        "both break",
        "p of queries (Wilcoxon, Holm)",
        "Cliff's delta of queries",
    ]);
    for duel in duels {
        let (first, second) = duel.columns;
        let difference = match &duel.difference {
            None => Cell::Number(None),
            Some((value, None)) => Cell::Text(short(*value)),
            Some((value, Some(interval))) => {
                Cell::Text(format!("{} [{}, {}]", short(*value), short(interval.low), short(interval.high)))
            }
        };
        table.push([
            columns[first].name.as_str().into(),
            columns[second].name.as_str().into(),
            duel.n.into(),
            difference,
            duel.p.into(),
            duel.overlap.0.into(),
            duel.overlap.1.into(),
            duel.overlap.2.into(),
            duel.queries.map(|(p, _)| p).into(),
            duel.queries.map(|(_, delta)| delta).into(),
        ]);
    }
    table
}

/// For each column the number of targets that it breaks and no other does.
pub fn unique(columns: &[Column]) -> Vec<usize> {
    let broken: Vec<BTreeSet<&String>> = columns
        .iter()
        .map(|column| {
            column.records.iter().filter(|(_, record)| record.outcome == Outcome::Success).map(|(id, _)| id).collect()
        })
        .collect();
    let is_unique =
        |place: usize, id: &&String| broken.iter().enumerate().all(|(other, ids)| other == place || !ids.contains(*id));
    (0..columns.len()).map(|place| broken[place].iter().filter(|id| is_unique(place, id)).count()).collect()
}
