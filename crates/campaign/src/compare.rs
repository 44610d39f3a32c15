//! What runs say about attacks and models: the measures of each, and each against each on the same targets.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use measure::statistics::{Exactness, Zeros, cliffs_delta, holm, mcnemar, wilcoxon_signed_rank, wilson};
use measure::summary::{self, AttackResult, attack_measures, input_numbers};
use measure::{Bootstrap, Cell, Interval, Line, Summary, Table};
use model::Noise;
use search::{Goal, Outcome};
use serde::Serialize;

use crate::run::{Checks, InputRow, Judgement, Record};

/// What one attack did in one run.
pub struct Column {
    /// What the tables call it.
    pub name: String,
    /// The attack, as records call it.
    pub attack: String,
    /// What a success is, where a measure decides.
    pub goal: Option<Goal>,
    /// What it attacked, by the name of the target.
    pub records: BTreeMap<String, Record>,
    /// How often the model's answers changed when it was queried again, where that is known.
    pub noise: Option<Noise>,
    /// What must stay together when targets are resampled.
    clusters: HashMap<String, String>,
}

/// Two columns against each other, on the targets that both attacked.
pub struct Duel {
    /// The places of the columns.
    pub columns: (usize, usize),
    /// How many targets both attacked.
    pub n: usize,
    /// How much higher the first's attack success rate is, valid examples only, with its interval.
    pub difference: Line,
    /// How many targets only the first broke, only the second, and both.
    pub overlap: (usize, usize, usize),
    /// How likely such a difference of rates is by chance, corrected for the number of duels.
    pub p: Option<f64>,
    /// How likely such a difference of queries is by chance, corrected, and its size: Cliff's delta.
    pub queries: Option<(f64, f64)>,
}

/// The columns of a run, one for each attack. `name` is put before the attack where several runs are compared.
pub fn columns(
    name: Option<&str>,
    goal: Option<Goal>,
    noise: Option<Noise>,
    targets: &[InputRow],
    records: Vec<Record>,
) -> Vec<Column> {
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
        .map(|(attack, records)| Column {
            name: titled(attack.clone()),
            attack,
            goal,
            records,
            noise,
            clusters: clusters.clone(),
        })
        .collect()
}

impl Column {
    /// Every measure of attacks, each with its interval.
    pub fn summary(&self, bootstrap: &Bootstrap) -> Summary {
        // Targets that the model did not answer say nothing about it.
        let records = self.records.iter().filter(|(_, record)| record.outcome != Outcome::Fault);
        let inputs = input_numbers(records.clone().map(|(id, _)| self.clusters[id].as_str()));
        let results: Vec<AttackResult> =
            records.zip(inputs).map(|((_, record), input)| result(record, input)).collect();
        summary::attack(&results, bootstrap)
    }

    /// How many targets ended in each way.
    pub fn outcomes(&self) -> BTreeMap<Outcome, usize> {
        let count = |outcome| self.records.values().filter(|record| record.outcome == outcome).count();
        Outcome::ALL.into_iter().map(|outcome| (outcome, count(outcome))).collect()
    }
}

/// How many of the examples that changed an answer were judged, and by what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// The examples that changed an answer, whether they are valid or not.
    pub examples: usize,
    /// Those of which it is known whether names stand for what they stood for.
    pub names: usize,
    /// Those that a compiler has judged.
    pub compiler: usize,
    /// Those that were run beside their originals.
    pub execution: usize,
}

impl Judged {
    /// Counts examples. One with several programs is judged where all of them are.
    pub fn of<'r>(records: impl IntoIterator<Item = &'r Record>) -> Judged {
        let mut judged = Judged::default();
        for record in records.into_iter().filter(|record| record.outcome.is_flip()) {
            let is = |check: fn(&Checks) -> Judgement| {
                let all = record.verdicts.iter().map(check).all(|judgement| judgement != Judgement::NotJudged);
                usize::from(all && !record.verdicts.is_empty())
            };
            judged.examples += 1;
            judged.names += is(|checks| checks.scope);
            judged.compiler += is(|checks| checks.compile);
            judged.execution += is(|checks| checks.run);
        }
        judged
    }
}

impl std::fmt::Display for Judged {
    /// The shares, in a few words.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.examples == 0 {
            return formatter.write_str("nothing to judge");
        }
        let share = |count: usize| format!("{:.0} %", 100.0 * count as f64 / self.examples as f64);
        let [names, compiler, execution] = [self.names, self.compiler, self.execution].map(share);
        write!(formatter, "names {names}, compiler {compiler}, execution {execution}")
    }
}

/// What measures are told about a target.
fn result(record: &Record, input: usize) -> AttackResult {
    let is_attacked = record.outcome.is_attacked();
    AttackResult {
        input,
        was_right: is_attacked || record.outcome == Outcome::NoSite,
        was_attacked: is_attacked,
        flipped: record.outcome.is_flip(),
        valid: record.outcome == Outcome::Success,
        not_judged: record.outcome == Outcome::NotJudged,
        decrement: record.drop(),
        queries: record.queries as u64,
        cached: record.cached as u64,
        mutant_queries: record.mutant_queries as u64,
        seconds: record.seconds,
        quality: record.quality.clone(),
        cosine: record.cosine,
    }
}

/// The table of all columns: a row for each measure.
pub fn table(columns: &[Column], bootstrap: &Bootstrap) -> Table {
    let summaries: Vec<Summary> = columns.iter().map(|column| column.summary(bootstrap)).collect();
    let header = std::iter::once("measure").chain(columns.iter().map(|column| column.name.as_str()));
    let mut table = Table::new(header);
    let goals: Vec<Option<Goal>> = columns.iter().map(|column| column.goal).collect();
    if goals.iter().any(Option::is_some) {
        let cells = goals.iter().map(|goal| Cell::from(goal_in_words(*goal)));
        table.push(std::iter::once(Cell::from("a success is")).chain(cells));
    }
    for outcome in Outcome::ALL {
        let counts = columns.iter().map(|column| column.outcomes()[&outcome]);
        table.push(std::iter::once(Cell::from(format!("targets: {}", outcome.name()))).chain(counts.map(Cell::from)));
    }
    if columns.iter().any(|column| column.noise.is_some()) {
        let cell =
            |column: &Column| column.noise.map_or(Cell::Number(None), |noise| with_interval(&noise_line(&noise)));
        table.push(std::iter::once(Cell::from(NOISE)).chain(columns.iter().map(cell)));
    }
    for measure in attack_measures() {
        let cell = |summary: &Summary| summary.line(measure.name).map_or(Cell::Number(None), with_interval);
        table.push(std::iter::once(Cell::from(title(measure.name, &goals))).chain(summaries.iter().map(cell)));
    }
    table
}

/// What a success is.
pub fn goal_in_words(goal: Option<Goal>) -> String {
    goal.map_or_else(|| "a wrong answer".to_owned(), |goal| goal.to_string())
}

/// What tables call that which falls, where a measure decides in any of some runs.
pub fn falling(goals: &[Option<Goal>]) -> Option<String> {
    let measures: Vec<_> = goals.iter().map(|goal| goal.map(|goal| goal.measure)).collect();
    let first = measures.iter().flatten().next()?;
    let is_same = measures.iter().all(|measure| *measure == Some(*first));
    Some(if is_same { first.name().to_owned() } else { "confidence or score".to_owned() })
}

/// The title of a measure of attacks: some are about scores where a measure decides.
fn title(measure: &str, goals: &[Option<Goal>]) -> String {
    match (falling(goals), measure) {
        (Some(falling), "confidence decrement") => format!("decrement of {falling}"),
        (Some(_), "accuracy") => "originals good enough to attack".to_owned(),
        (Some(_), "robust accuracy") => "originals that stay good enough".to_owned(),
        _ => measure.to_owned(),
    }
}

/// The name of the noise in tables.
pub const NOISE: &str = "answers changed when queried again";

/// The share of answers that changed when the model was queried again, with Wilson's interval.
pub fn noise_line(noise: &Noise) -> Line {
    let interval = wilson(noise.changed, noise.asked, Bootstrap::default().level);
    Line { measure: NOISE.to_owned(), value: noise.rate(), interval, n: noise.asked }
}

/// A value with its interval in brackets.
pub(crate) fn with_interval(line: &Line) -> Cell {
    match (line.value, line.interval) {
        (None, _) => Cell::Number(None),
        (Some(value), None) => Cell::Text(short(value)),
        (Some(value), Some(Interval { low, high })) => {
            Cell::Text(format!("{} [{}, {}]", short(value), short(low), short(high)))
        }
    }
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
    let number = |won: &bool| f64::from(u8::from(*won));
    let differences: Vec<Option<f64>> =
        won.iter().zip(&other_won).map(|(won, other)| Some(number(won) - number(other))).collect();
    let mut difference = Summary::default();
    difference.push_difference("difference of success rates", &differences, Some(&inputs), bootstrap);
    let queries: Vec<f64> = shared.iter().map(|(_, record, _)| record.queries as f64).collect();
    let other_queries: Vec<f64> = shared.iter().map(|(_, _, record)| record.queries as f64).collect();
    let p_queries = wilcoxon_signed_rank(&queries, &other_queries, Zeros::Drop, Exactness::Auto).map(|test| test.p);
    let count =
        |is: fn(bool, bool) -> bool| won.iter().zip(&other_won).filter(|(one, other)| is(**one, **other)).count();
    Duel {
        columns: (first, second),
        n: shared.len(),
        difference: difference.lines.remove(0),
        overlap: (
            count(|one, other| one && !other),
            count(|one, other| !one && other),
            count(|one, other| one && other),
        ),
        p: mcnemar(&won, &other_won).map(|test| test.p),
        queries: p_queries.zip(cliffs_delta(&queries, &other_queries).map(|delta| delta.delta)),
    }
}

/// The table of duels. `names` are those of the columns.
pub fn duel_table(names: &[&str], duels: &[Duel]) -> Table {
    let mut table = Table::new([
        "first",
        "second",
        "both attacked",
        "difference of success rates",
        "p (McNemar, Holm)",
        "only first breaks",
        "only second breaks",
        "both break",
        "p of queries (Wilcoxon, Holm)",
        "Cliff's delta of queries",
    ]);
    for duel in duels {
        let (first, second) = duel.columns;
        table.push([
            names[first].into(),
            names[second].into(),
            duel.n.into(),
            with_interval(&duel.difference),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_judged_is_counted_over_examples() {
        let record = |outcome, runs: &[Judgement]| {
            let checks = |run: &Judgement| Checks {
                parse: Judgement::Holds,
                scope: Judgement::Holds,
                compile: Judgement::Fails,
                run: *run,
            };
            Record { outcome, verdicts: runs.iter().map(checks).collect(), ..Record::default() }
        };
        let records = [
            record(Outcome::Success, &[Judgement::Holds, Judgement::NotJudged]),
            record(Outcome::Invalid, &[Judgement::Fails]),
            record(Outcome::NotJudged, &[]),
            record(Outcome::Failed, &[Judgement::Holds]),
        ];
        let judged = Judged::of(&records);
        assert_eq!(judged, Judged { examples: 3, names: 2, compiler: 2, execution: 1 });
        assert_eq!(judged.to_string(), "names 67 %, compiler 67 %, execution 33 %");
        assert_eq!(Judged::of(&records[3..]).to_string(), "nothing to judge");
    }
}
