//! Is a run worse than another, beyond noise? What became of each input is a yes or a no, and both runs are about the same inputs.
//!
//! Inputs that are independent are compared by McNemar's exact test, one-sided; inputs that belong together, such as solutions of a
//! problem, by the bootstrap over these groups. Runs about different inputs can only be compared as wholes, which takes more inputs
//! to notice as much, and has to be asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use measure::statistics::{Sums, mcnemar_one_sided, wilson};
use measure::summary::input_numbers;
use measure::{Bootstrap, Interval, Summary};
use model::{Input, Prediction};
use search::Outcome;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::DataError;
use crate::data::records::Records;
use crate::fidelity::FidelityPlan;
use crate::grid::GridPlan;
use crate::plan::{Plan, differences};
use crate::run::{InputRow, Json, RunPlan, Store, StoreError, command};
use crate::scoring::is_other;

/// What is bad about an input of a run of attacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aspect {
    /// It was answered wrong before, or an attack found a wrong answer: what robust accuracy counts, over all targets.
    #[default]
    RobustAccuracy,
    /// An attack has a valid success, over the targets that both runs attacked.
    SuccessRate,
}

impl FromStr for Aspect {
    type Err = String;

    fn from_str(name: &str) -> Result<Aspect, String> {
        match name {
            "robust-accuracy" => Ok(Aspect::RobustAccuracy),
            "success-rate" => Ok(Aspect::SuccessRate),
            _ => Err("use robust-accuracy or success-rate".to_owned()),
        }
    }
}

impl fmt::Display for Aspect {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str(match self {
            Aspect::RobustAccuracy => "robust-accuracy",
            Aspect::SuccessRate => "success-rate",
        })
    }
}

/// What became of the inputs of a run under one attack, treatment or student.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// The attack, treatment or student.
    pub name: String,
    /// What is counted, such as `targets that are wrong or broken`.
    pub what: &'static str,
    /// What became of each input, by its name.
    pub rows: BTreeMap<String, SeriesRow>,
}

/// What became of an input.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesRow {
    /// What must stay together when inputs are resampled.
    pub cluster: String,
    /// Is it bad? Undefined where the model gave no answer, or where it does not count.
    pub is_bad: Option<bool>,
    /// The input and what is true about it, as far as the run has kept it.
    pub input: (Option<String>, Option<Input>),
}

/// How a run and its baseline compare in one series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The attack, treatment or student.
    pub name: String,
    /// What is counted.
    pub what: &'static str,
    /// How many inputs count, in the run and in the baseline.
    pub n: [usize; 2],
    /// The share of bad ones in the run and in the baseline.
    pub shares: [f64; 2],
    /// How much larger the share of the run is.
    pub difference: f64,
    /// The interval of the difference, at the level of all intervals.
    pub interval: Option<Interval>,
    /// How many inputs are bad now and were not, and the other way round; absent without pairs.
    pub changed: Option<[usize; 2]>,
    /// How the difference was tested.
    pub test: &'static str,
    /// The p-value, where the test has one.
    pub p: Option<f64>,
    /// Is the run worse beyond noise?
    pub is_worse: bool,
}

/// How runs are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// How likely a run that is no worse may be called worse, over all series together.
    pub alpha: f64,
    /// May the runs be about different inputs?
    pub is_unpaired: bool,
    /// How intervals are made.
    pub bootstrap: Bootstrap,
}

/// Why a run cannot be compared with its baseline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Data(#[from] DataError),
    /// Runs of this kind say nothing about single inputs.
    #[error(
        "{} is a run of `{command}`, which cannot be compared with a baseline: runs of attack, fidelity and grid can, and the \
         files of `evaluate --predictions`",
        path.display()
    )]
    NoSeries { path: PathBuf, command: String },
    /// A row is no prediction.
    #[error("{}: line {line} is not a line of `evaluate --predictions`: {problem}", path.display())]
    NoPrediction { path: PathBuf, line: usize, problem: String },
    /// The runs are about different inputs.
    #[error(
        "the run and its baseline are about different inputs: {0}; a paired test needs the same ones, --unpaired compares them as wholes"
    )]
    OtherInputs(String),
    /// The run lacks what the baseline has.
    #[error("the baseline has {missing}, and the run has not: there are {known}; --attack chooses those to compare")]
    Missing { missing: String, known: String },
    /// Nothing can be said.
    #[error("{0} cannot be compared with the baseline: fewer than two independent inputs count in both runs")]
    Nothing(String),
}

/// What became of the inputs of a run: the folder of a run, or a file of `evaluate --predictions`.
pub fn series(run: &Path, aspect: Aspect) -> Result<Vec<Series>, BaselineError> {
    if run.is_file() {
        return Ok(vec![predictions(run)?]);
    }
    match command(run)?.as_str() {
        Plan::COMMAND => of_attacks(run, aspect),
        FidelityPlan::COMMAND => of_fidelity(run),
        GridPlan::COMMAND => of_grid(run),
        command => Err(BaselineError::NoSeries { path: run.to_owned(), command: command.to_owned() }),
    }
}

/// What differs between the plans of two runs of attacks beside their models, a line for each value.
pub fn other_settings(run: &Path, baseline: &Path) -> Result<Vec<String>, StoreError> {
    let plan = |folder: &Path| -> Result<Plan, StoreError> {
        let plan = Store::<Plan>::open(folder)?.about()?.plan;
        // Paths differ between machines, and what lies there is compared itself.
        let mut data = plan.data.clone();
        data.path = PathBuf::new();
        Ok(Plan { model: String::new(), data, ..plan })
    };
    Ok(differences(&plan(baseline)?, &plan(run)?))
}

fn of_attacks(run: &Path, aspect: Aspect) -> Result<Vec<Series>, BaselineError> {
    let store: Store<Plan> = Store::open(run)?;
    let (part, parts) = store.about()?.shard;
    let mut targets = store.inputs()?;
    targets.retain(|target| target.number % parts.max(1) + 1 == part);
    let what = match aspect {
        Aspect::RobustAccuracy => "targets that are wrong or broken",
        Aspect::SuccessRate => "attacked targets that are broken",
    };
    let mut found: BTreeMap<String, BTreeMap<usize, Outcome>> = BTreeMap::new();
    for record in store.records()? {
        found.entry(record.attack).or_default().insert(record.number, record.outcome);
    }
    let is_bad = |outcome: &Outcome| match (aspect, outcome) {
        (_, Outcome::Fault) => None,
        (Aspect::RobustAccuracy, outcome) => Some(!matches!(outcome, Outcome::Failed | Outcome::NoSite)),
        (Aspect::SuccessRate, outcome) => outcome.is_attacked().then_some(*outcome == Outcome::Success),
    };
    Ok(found
        .into_iter()
        .map(|(name, outcomes)| {
            let bad = |target: &InputRow| outcomes.get(&target.number).and_then(is_bad);
            Series { name, what, rows: rows(&targets, bad) }
        })
        .collect())
}

fn of_fidelity(run: &Path) -> Result<Vec<Series>, BaselineError> {
    let store: Store<FidelityPlan> = Store::open(run)?;
    let (targets, titles) = (store.inputs()?, store.about()?.plan.titles());
    let select = "select student, number, teacher_label <> student_label from divergences";
    let found: Vec<(usize, usize, bool)> = store.read(|connection| {
        let mut rows = connection.prepare(select)?;
        rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
    })?;
    let of = |(student, name): (usize, &String)| {
        let other: BTreeMap<usize, bool> =
            found.iter().filter(|(of, ..)| *of == student).map(|(_, number, is)| (*number, *is)).collect();
        let rows = rows(&targets, |target| other.get(&target.number).copied());
        Series { name: name.clone(), what: "inputs with another label than the teacher's", rows }
    };
    Ok(titles.iter().enumerate().skip(1).map(of).collect())
}

fn of_grid(run: &Path) -> Result<Vec<Series>, BaselineError> {
    let store: Store<GridPlan> = Store::open(run)?;
    let targets = store.inputs()?;
    let select = "select treatment, rewrites_wanted, number, is_changed, cells.answer, before.answer
        from cells join before using (number) where before.answer is not null";
    let mut found: BTreeMap<(String, usize), BTreeMap<usize, Option<bool>>> = BTreeMap::new();
    store.read(|connection| {
        let mut rows = connection.prepare(select)?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let Json(before): Json<Prediction> = row.get(5)?;
            let is_bad = match row.get(3)? {
                false => Some(false),
                true => Json::<Prediction>::read(row, 4)?.map(|after| is_other(&before, &after)),
            };
            found.entry((row.get(0)?, row.get(1)?)).or_default().insert(row.get(2)?, is_bad);
        }
        Ok(())
    })?;
    let of = |((treatment, order), bad): ((String, usize), BTreeMap<usize, Option<bool>>)| {
        let rows = rows(&targets, |target| bad.get(&target.number).copied().flatten());
        Series { name: format!("{treatment}, order {order}"), what: "inputs with another answer", rows }
    };
    Ok(found.into_iter().map(of).collect())
}

fn rows(targets: &[InputRow], is_bad: impl Fn(&InputRow) -> Option<bool>) -> BTreeMap<String, SeriesRow> {
    let row = |target: &InputRow| {
        let input = (target.truth.clone(), Some(target.input.clone()));
        (target.id.clone(), SeriesRow { cluster: target.cluster.clone(), is_bad: is_bad(target), input })
    };
    targets.iter().map(row).collect()
}

/// The answers that `evaluate --predictions` wrote, as right or wrong.
fn predictions(path: &Path) -> Result<Series, BaselineError> {
    let mut series = Series { name: "answers".to_owned(), what: "wrong answers", ..Series::default() };
    for (number, row) in Records::open(path)?.enumerate() {
        let wrong = |problem: String| BaselineError::NoPrediction { path: path.to_owned(), line: number + 1, problem };
        let fields = row?.map_err(wrong)?;
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let id = text("id").ok_or_else(|| wrong("it has no field `id`".to_owned()))?;
        let first_name = || fields.get("names")?.get(0)?.get(0)?.as_str();
        let answer = text("prediction").or_else(first_name);
        let truth = text("truth");
        let cluster = text("cluster").unwrap_or(id).to_owned();
        let is_bad = answer.zip(truth).map(|(answer, truth)| answer != truth);
        series.rows.insert(id.to_owned(), SeriesRow { cluster, is_bad, input: (truth.map(str::to_owned), None) });
    }
    Ok(series)
}

impl Series {
    /// The share of inputs that are not bad, with its interval.
    pub fn good(&self, measure: &str, bootstrap: &Bootstrap) -> Summary {
        let known: Vec<(&SeriesRow, bool)> = self.rows.values().filter_map(|row| Some((row, row.is_bad?))).collect();
        let inputs = input_numbers(known.iter().map(|(row, _)| row.cluster.as_str()));
        let values: Vec<Option<f64>> = known.iter().map(|(_, is_bad)| Some(number(!is_bad))).collect();
        let mut summary = Summary::default();
        summary.push_share(measure, &values, Some(&inputs), bootstrap);
        summary
    }
}

impl Test {
    /// Compares every series of the baseline with that of the run. A run is worse when more inputs are bad than chance explains; the
    /// level is divided by the number of series (Bonferroni), so that many attacks raise no more false alarms than one.
    pub fn compare(&self, run: &[Series], baseline: &[Series]) -> Result<Vec<Compared>, BaselineError> {
        let alone = run.len() == 1 && baseline.len() == 1 && run[0].what == baseline[0].what;
        let mut compared = Vec::new();
        for before in baseline {
            // A student may have another title than that of the run before.
            let now = run.iter().find(|series| series.name == before.name).or(alone.then(|| &run[0]));
            let Some(now) = now else {
                let known: Vec<&str> = run.iter().map(|series| series.name.as_str()).collect();
                return Err(BaselineError::Missing { missing: before.name.clone(), known: known.join(", ") });
            };
            let test = Test { alpha: self.alpha / baseline.len() as f64, ..*self };
            if !self.is_unpaired {
                check_inputs(now, before)?;
            }
            let found = if self.is_unpaired { test.wholes(now, before) } else { test.pairs(now, before) };
            compared.push(found.ok_or_else(|| BaselineError::Nothing(now.name.clone()))?);
        }
        Ok(compared)
    }

    fn pairs(&self, now: &Series, before: &Series) -> Option<Compared> {
        let both: Vec<(&SeriesRow, bool, bool)> =
            now.rows.iter().filter_map(|(id, row)| Some((row, row.is_bad?, before.rows.get(id)?.is_bad?))).collect();
        let inputs = input_numbers(both.iter().map(|(row, ..)| row.cluster.as_str()));
        let groups = inputs.iter().collect::<BTreeSet<_>>().len();
        let (bad_now, bad_before): (Vec<bool>, Vec<bool>) = both.iter().map(|(_, now, before)| (*now, *before)).unzip();
        let differences: Vec<Option<f64>> =
            both.iter().map(|(_, now, before)| Some(number(*now) - number(*before))).collect();
        let mut summary = Summary::default();
        summary.push_difference("difference", &differences, Some(&inputs), &self.bootstrap);
        let line = summary.lines.pop().filter(|_| groups > 1)?;
        let changed = |is: fn(bool, bool) -> bool| both.iter().filter(|(_, now, before)| is(*now, *before)).count();
        let changed = [changed(|now, before| now && !before), changed(|now, before| !now && before)];
        let (test, p, is_worse) = match groups == both.len() {
            true => {
                let p = mcnemar_one_sided(changed[0], changed[1]);
                ("McNemar's exact test, one-sided", Some(p), p <= self.alpha)
            }
            false => {
                let mut summary = Summary::default();
                summary.push_difference("difference", &differences, Some(&inputs), &self.one_sided());
                let low = summary.lines.pop()?.interval?.low;
                ("paired bootstrap over groups of inputs, one-sided", None, low > 0.0)
            }
        };
        let share = |bad: &[bool]| bad.iter().filter(|bad| **bad).count() as f64 / bad.len() as f64;
        Some(Compared {
            name: now.name.clone(),
            what: now.what,
            n: [both.len(); 2],
            shares: [share(&bad_now), share(&bad_before)],
            difference: line.value?,
            interval: line.interval,
            changed: Some(changed),
            test,
            p,
            is_worse,
        })
    }

    /// The same without pairs: by Newcombe's interval where inputs are independent, else by a bootstrap over the groups of both runs.
    fn wholes(&self, now: &Series, before: &Series) -> Option<Compared> {
        let known = |series: &Series| -> Vec<(String, bool)> {
            series.rows.values().filter_map(|row| Some((row.cluster.clone(), row.is_bad?))).collect()
        };
        let both = [known(now), known(before)];
        let groups = both.each_ref().map(|rows| rows.iter().map(|(group, _)| group).collect::<BTreeSet<_>>().len());
        if groups.iter().any(|groups| *groups < 2) {
            return None;
        }
        let n = both.each_ref().map(Vec::len);
        let bad = both.each_ref().map(|rows| rows.iter().filter(|(_, is_bad)| *is_bad).count());
        let shares = [0, 1].map(|place| bad[place] as f64 / n[place] as f64);
        let are_independent = groups == n;
        let interval = |bootstrap: &Bootstrap| match are_independent {
            true => newcombe(bad, n, bootstrap.level),
            false => difference_of_wholes(&both, bootstrap),
        };
        let test = match are_independent {
            true => "Newcombe's interval of two independent shares, one-sided",
            false => "bootstrap over the groups of both runs, one-sided",
        };
        Some(Compared {
            name: now.name.clone(),
            what: now.what,
            n,
            shares,
            difference: shares[0] - shares[1],
            interval: interval(&self.bootstrap),
            changed: None,
            test,
            p: None,
            is_worse: interval(&self.one_sided())?.low > 0.0,
        })
    }

    /// Intervals whose lower end is passed by chance as often as the test allows.
    fn one_sided(&self) -> Bootstrap {
        Bootstrap { level: 1.0 - 2.0 * self.alpha, ..self.bootstrap }
    }
}

/// Refuses runs that are not about the same inputs.
fn check_inputs(now: &Series, before: &Series) -> Result<(), BaselineError> {
    let missing = |of: &Series, in_it: &Series, whose: &str| -> Option<String> {
        let left: Vec<&String> = of.rows.keys().filter(|id| !in_it.rows.contains_key(*id)).collect();
        left.first().map(|first| format!("{} only in the {whose}, such as `{first}`", left.len()))
    };
    let mut found: Vec<String> = Vec::new();
    found.extend(missing(now, before, "run"));
    found.extend(missing(before, now, "baseline"));
    let is_other = |(id, row): &(&String, &SeriesRow)| {
        let input = |row: &SeriesRow| row.input.clone();
        before.rows.get(*id).is_some_and(|before| input(before) != input(row))
    };
    let mut others = now.rows.iter().filter(is_other);
    if let Some((first, _)) = others.next() {
        found.push(format!("{} have another text or truth, such as `{first}`", 1 + others.count()));
    }
    if found.is_empty() { Ok(()) } else { Err(BaselineError::OtherInputs(found.join("; "))) }
}

/// The interval of the difference of two independent shares, out of the intervals of both (Newcombe 1998, method 10).
fn newcombe(bad: [usize; 2], n: [usize; 2], level: f64) -> Option<Interval> {
    let (one, other) = (wilson(bad[0], n[0], level)?, wilson(bad[1], n[1], level)?);
    let shares = [0, 1].map(|place| bad[place] as f64 / n[place] as f64);
    let difference = shares[0] - shares[1];
    let low = difference - (shares[0] - one.low).hypot(other.high - shares[1]);
    Some(Interval { low, high: difference + (one.high - shares[0]).hypot(shares[1] - other.low) })
}

fn difference_of_wholes(both: &[Vec<(String, bool)>; 2], bootstrap: &Bootstrap) -> Option<Interval> {
    // The groups of the second run have numbers of their own, whatever they are called.
    let names =
        both.iter().enumerate().flat_map(|(run, rows)| rows.iter().map(move |(group, _)| format!("{run} {group}")));
    let names: Vec<String> = names.collect();
    let numbers = input_numbers(names.iter().map(String::as_str));
    let mut sums = Sums::new(numbers.iter().max().map_or(0, |last| last + 1), 4);
    let runs = both.iter().enumerate().flat_map(|(run, rows)| rows.iter().map(move |(_, is_bad)| (run, *is_bad)));
    for ((run, is_bad), input) in runs.zip(&numbers) {
        sums.add(*input, 2 * run, number(is_bad));
        sums.add(*input, 2 * run + 1, 1.0);
    }
    let share = |cells: &[f64], run: usize| (cells[2 * run + 1] > 0.0).then(|| cells[2 * run] / cells[2 * run + 1]);
    let [interval] =
        bootstrap.intervals(&sums, |cells| [share(cells, 0).zip(share(cells, 1)).map(|(one, other)| one - other)]);
    interval
}

fn number(is_bad: bool) -> f64 {
    f64::from(u8::from(is_bad))
}

#[cfg(test)]
mod tests {
    use random::Random;

    use super::*;

    const N: usize = 400;

    fn test() -> Test {
        Test { alpha: 0.05, is_unpaired: false, bootstrap: Bootstrap { resamples: 200, ..Bootstrap::default() } }
    }

    /// A series whose inputs belong together in groups of a size.
    fn series(bad: impl IntoIterator<Item = bool>, group: usize) -> Series {
        let row = |(place, is_bad): (usize, bool)| {
            let cluster = format!("{}", place / group);
            (format!("{place:04}"), SeriesRow { cluster, is_bad: Some(is_bad), input: (None, None) })
        };
        Series { name: "attack".to_owned(), what: "broken", rows: bad.into_iter().enumerate().map(row).collect() }
    }

    fn share(random: &mut Random) -> f64 {
        random.below(1_000_000) as f64 / 1e6
    }

    /// How hard each target is to break: rates differ from target to target, as they do in real runs, with a mean of a fifth.
    fn rates(random: &mut Random) -> Vec<f64> {
        (0..N).map(|_| 0.8 * share(random) * share(random)).collect()
    }

    fn drawn(random: &mut Random, rates: &[f64], more: f64) -> Vec<bool> {
        rates.iter().map(|rate| share(random) < (rate + more).min(1.0)).collect()
    }

    fn alarms(test: &Test, worse: f64, group: usize, is_again: bool) -> usize {
        (0..200)
            .filter(|seed| {
                let mut random = Random::new(*seed);
                let rates = rates(&mut random);
                let before = drawn(&mut random, &rates, 0.0);
                let now = if is_again { before.clone() } else { drawn(&mut random, &rates, worse) };
                test.compare(&[series(now, group)], &[series(before, group)]).unwrap()[0].is_worse
            })
            .count()
    }

    #[test]
    fn an_identical_run_is_never_worse_and_one_that_is_worse_by_ten_points_hardly_ever_passes() {
        let mut counted = Vec::new();
        for (group, is_unpaired) in [(1, false), (4, false), (1, true)] {
            let test = Test { is_unpaired, ..test() };
            let found =
                [alarms(&test, 0.0, group, true), alarms(&test, 0.0, group, false), alarms(&test, 0.1, group, false)];
            counted.push(found);
        }
        println!("{counted:?}");
        assert_eq!(counted.iter().map(|found| found[0]).sum::<usize>(), 0, "{counted:?}");
        // One in twenty is what the level allows.
        assert!(counted.iter().all(|found| found[1] <= 16), "{counted:?}");
        assert!(counted[0][2] >= 190 && counted[1][2] >= 190, "{counted:?}");
    }

    #[test]
    fn the_p_value_is_that_of_the_tail() {
        // Six inputs are worse and one is better: (1 + 7) / 128.
        let now = [true, true, true, true, true, true, false, true, false];
        let before = [false, false, false, false, false, false, true, true, false];
        let found = test().compare(&[series(now, 1)], &[series(before, 1)]).unwrap().remove(0);
        assert!((found.p.unwrap() - 8.0 / 128.0).abs() < 1e-12);
        assert_eq!((found.changed, found.is_worse), (Some([6, 1]), false));
        assert!((found.difference - 5.0 / 9.0).abs() < 1e-12);
        let found = test().compare(&[series(before, 1)], &[series(now, 1)]).unwrap().remove(0);
        assert!(found.p.is_some_and(|p| p > 0.9) && !found.is_worse);
    }

    #[test]
    fn several_attacks_share_the_level() {
        // Five targets are broken that were not: p is 1 / 32, which is small enough for one attack alone.
        let now = (0..40).map(|place| place < 5);
        let named = |name: &str, series: Series| Series { name: name.to_owned(), ..series };
        let none = || series([false; 40], 1);
        assert!(test().compare(&[series(now.clone(), 1)], &[none()]).unwrap()[0].is_worse);
        let (one, other) = (named("one", series(now, 1)), named("other", none()));
        let before = [named("one", none()), named("other", none())];
        assert!(test().compare(&[one, other], &before).unwrap().iter().all(|found| !found.is_worse));
    }

    #[test]
    fn different_inputs_are_refused_unless_wholes_are_compared() {
        let (now, before) = (series([true; 30], 1), series([false; 40], 1));
        let error = test().compare(std::slice::from_ref(&now), std::slice::from_ref(&before)).unwrap_err().to_string();
        assert!(error.contains("10 only in the baseline, such as `0030`") && error.contains("--unpaired"), "{error}");
        let unpaired = Test { is_unpaired: true, ..test() };
        let found = unpaired.compare(&[now], std::slice::from_ref(&before)).unwrap().remove(0);
        assert!(found.is_worse && found.n == [30, 40]);
        let mut other = before.clone();
        other.rows.values_mut().next().unwrap().input.0 = Some("other".to_owned());
        let error = test().compare(&[other], std::slice::from_ref(&before)).unwrap_err().to_string();
        assert!(error.contains("1 have another text or truth, such as `0000`"), "{error}");
        let renamed = Series { what: "other", ..Series { name: "x".to_owned(), ..before.clone() } };
        let error = test().compare(&[renamed], &[before]).unwrap_err().to_string();
        assert!(error.contains("the baseline has attack, and the run has not: there are x"), "{error}");
    }

    #[test]
    fn the_interval_of_two_shares_is_that_of_newcombe() {
        // Newcombe 1998, table II, method 10: 56/70 - 48/80.
        let Interval { low, high } = newcombe([56, 48], [70, 80], 0.95).unwrap();
        assert!((low - 0.0524).abs() < 5e-5 && (high - 0.3339).abs() < 5e-5, "{low} {high}");
    }

    #[test]
    fn one_group_says_nothing() {
        let error = test().compare(&[series([true; 4], 4)], &[series([false; 4], 4)]).unwrap_err().to_string();
        assert!(error.contains("fewer than two independent inputs"), "{error}");
    }
}
