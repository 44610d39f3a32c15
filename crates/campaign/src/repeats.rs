//! Attacks with several seeds, and with several values of a parameter: a row for each value, with means over the seeds.

use std::collections::BTreeMap;

use measure::{Cell, Table};
use search::Outcome;
use serde::Serialize;

use crate::plan::{Plan, without_seed};
use crate::run::Record;

/// What an attack with one value of what is swept did, over all seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The attack, with the value.
    pub attack: String,
    pub seeds: usize,
    /// The targets of all seeds together.
    pub attacked: usize,
    /// The attack success rate: valid examples by attacked targets.
    #[serde(rename = "success rate")]
    pub success_rate: Spread,
    /// The mean queries of an attacked target.
    pub queries: Spread,
    /// The share of names that examples change.
    pub names: Spread,
    /// The share of tokens that examples change.
    pub tokens: Spread,
}

/// A number of each seed: their mean, and how far apart they are. A seed that has no number is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    pub mean: Option<f64>,
    /// The standard deviation of the seeds, which two at least have.
    pub deviation: Option<f64>,
    pub n: usize,
}

impl Spread {
    fn of(numbers: impl Iterator<Item = Option<f64>>) -> Spread {
        let numbers: Vec<f64> = numbers.flatten().collect();
        let n = numbers.len();
        if n == 0 {
            return Spread::default();
        }
        let mean = numbers.iter().sum::<f64>() / n as f64;
        let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        let deviation = (n > 1).then(|| (squares / (n - 1) as f64).sqrt());
        Spread { mean: Some(mean), deviation, n }
    }

    fn cell(self) -> Cell {
        match (self.mean, self.deviation) {
            (None, _) => Cell::Number(None),
            (Some(mean), None) => Cell::Text(short(mean)),
            (Some(mean), Some(deviation)) => Cell::Text(format!("{} ± {}", short(mean), short(deviation))),
        }
    }
}

fn short(number: f64) -> String {
    if number.abs() < 10.0 { format!("{number:.3}") } else { format!("{number:.1}") }
}

/// Does a plan have several seeds, or several values of a parameter?
pub fn is_repeated(plan: &Plan) -> bool {
    plan.repeat > 1 || !plan.sweep.is_empty()
}

/// A row for each attack with each value, in the order of the records. All that is left to do is left out.
pub fn rows(records: &[Record]) -> Vec<Row> {
    let mut arms: Vec<(&str, BTreeMap<usize, Vec<&Record>>)> = Vec::new();
    for record in records {
        let (title, seed) = without_seed(&record.attack);
        let place = arms.iter().position(|(known, _)| *known == title).unwrap_or_else(|| {
            arms.push((title, BTreeMap::new()));
            arms.len() - 1
        });
        arms[place].1.entry(seed).or_default().push(record);
    }
    // Records are in the order of the alphabet, in which 128 comes before 64.
    arms.sort_by(|(one, _), (other, _)| {
        in_order(one).partial_cmp(&in_order(other)).unwrap_or(std::cmp::Ordering::Equal)
    });
    arms.into_iter().map(|(title, seeds)| row(title, &seeds)).collect()
}

/// What titles are sorted by: the attack with its parameter, and its value, numbers by their size.
fn in_order(title: &str) -> (&str, f64, &str) {
    let (name, value) = title.split_once('=').unwrap_or((title, ""));
    (name, value.parse().unwrap_or(f64::MAX), value)
}

fn row(title: &str, seeds: &BTreeMap<usize, Vec<&Record>>) -> Row {
    let attacked: Vec<Vec<&Record>> = seeds
        .values()
        .map(|records| records.iter().copied().filter(|record| record.outcome.is_attacked()).collect())
        .collect();
    let ratio = |above: usize, below: usize| (below > 0).then(|| above as f64 / below as f64);
    let is_success = |record: &&&Record| record.outcome == Outcome::Success;
    let share = |records: &Vec<&Record>, parts: fn(&measure::ExampleQuality) -> (usize, usize)| {
        let found = records.iter().filter(is_success).filter_map(|record| record.quality.as_ref()).map(parts);
        let (above, below) = found.fold((0, 0), |(above, below), (one, all)| (above + one, below + all));
        ratio(above, below)
    };
    let over = |number: &dyn Fn(&Vec<&Record>) -> Option<f64>| Spread::of(attacked.iter().map(number));
    Row {
        attack: title.to_owned(),
        seeds: seeds.len(),
        attacked: attacked.iter().map(Vec::len).sum(),
        success_rate: over(&|records| ratio(records.iter().filter(is_success).count(), records.len())),
        queries: over(&|records| ratio(records.iter().map(|record| record.queries).sum(), records.len())),
        names: over(&|records| share(records, |quality| (quality.renamed, quality.identifiers))),
        tokens: over(&|records| share(records, |quality| (quality.changed_tokens, quality.tokens))),
    }
}

/// The table of the rows: means and standard deviations over the seeds.
pub fn table(rows: &[Row]) -> Table {
    let mut table = Table::new([
        "attack",
        "seeds",
        "attacked",
        "attack success rate (valid)",
        "queries",
        "identifier change rate",
        "token change rate",
    ]);
    for row in rows {
        let (rate, queries) = (row.success_rate.cell(), row.queries.cell());
        table.push([
            row.attack.as_str().into(),
            row.seeds.into(),
            row.attacked.into(),
            rate,
            queries,
            row.names.cell(),
            row.tokens.cell(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack;
    use crate::plan::DataPlan;
    use crate::run::{Store, merge};
    use crate::work::Pace;

    fn record(attack: &str, outcome: Outcome, queries: usize) -> Record {
        Record { attack: attack.to_owned(), outcome, queries, ..Record::default() }
    }

    /// The plan is small, and the model is built in.
    #[test]
    fn seeds_and_values_resume_and_merge() {
        let folder = |name: &str| std::env::temp_dir().join(format!("allotrope-repeats-{name}-{}", std::process::id()));
        let data = DataPlan { path: "../../fixtures/programs/problems".into(), limit: Some(4), ..DataPlan::default() };
        let plan = Plan {
            model: "builtin:problems".to_owned(),
            attacks: vec!["random-k".to_owned(), "random-once".to_owned()],
            budget: 10,
            repeat: 2,
            sweep: [("random-k".to_owned(), [("rewrites".to_owned(), vec![1.into(), 8.into()])].into())].into(),
            data,
            ..Plan::default()
        };
        let run = |name: &str, shard| attack::run(&plan, shard, &folder(name), &Pace::default(), &()).unwrap();
        let whole = run("whole", (1, 1));
        // Three attacks, two seeds, four targets.
        assert_eq!((whole.progress.done, whole.records.len()), (24, 24));
        let rows = rows(&whole.records);
        let titles: Vec<(&str, usize)> = rows.iter().map(|row| (row.attack.as_str(), row.seeds)).collect();
        assert_eq!(titles, [("random-k rewrites=1", 2), ("random-k rewrites=8", 2), ("random-once", 2)]);
        let bytes = |records: &[Record]| {
            records.iter().map(|record| format!("{:?}", Record { seconds: 0.0, ..record.clone() })).collect::<Vec<_>>()
        };
        let again = run("whole", (1, 1));
        assert_eq!((again.progress.done, bytes(&again.records)), (0, bytes(&whole.records)));
        for (name, part) in [("one", 1), ("two", 2)] {
            run(name, (part, 2));
        }
        merge(&[folder("one"), folder("two")], &folder("merged")).unwrap();
        let merged: Store<Plan> = Store::open(&folder("merged")).unwrap();
        assert_eq!(bytes(&merged.records().unwrap()), bytes(&whole.records));
        for name in ["whole", "one", "two", "merged"] {
            std::fs::remove_dir_all(folder(name)).unwrap();
        }
    }

    #[test]
    fn values_are_rows_and_seeds_are_averaged() {
        let records = [
            record("coda similar=128", Outcome::Failed, 9),
            record("coda similar=16", Outcome::Success, 4),
            record("coda similar=16", Outcome::Failed, 8),
            record("coda similar=16", Outcome::Misclassified, 1),
            record("coda similar=16 #2", Outcome::Success, 2),
            record("coda similar=16 #2", Outcome::Success, 4),
        ];
        let rows = rows(&records);
        let titles: Vec<&str> = rows.iter().map(|row| row.attack.as_str()).collect();
        assert_eq!(titles, ["coda similar=16", "coda similar=128"]);
        assert_eq!((rows[0].seeds, rows[0].attacked), (2, 4));
        let deviation = Some(0.125_f64.sqrt());
        assert_eq!(rows[0].success_rate, Spread { mean: Some(0.75), deviation, n: 2 });
        assert_eq!(rows[0].queries.mean, Some(4.5));
        assert_eq!(rows[1].success_rate, Spread { mean: Some(0.0), deviation: None, n: 1 });
        // Nothing was changed, so there is no share of it.
        assert_eq!(rows[0].names, Spread::default());
        let text = table(&rows).to_text();
        assert!(text.contains("0.750 ± 0.354") && text.contains("4.500 ± 2.121"), "{text}");
    }
}
