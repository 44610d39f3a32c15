//! A gate for continuous integration: thresholds on the measures of runs, and the question whether a run is worse than another beyond
//! noise. What is broken is said with by how much, for people and as JUnit XML, SARIF and Markdown.

mod condition;
mod junit;
mod markdown;
mod readings;
mod sarif;

use std::path::{Path, PathBuf};

use campaign::baseline::{Aspect, BaselineError, Compared, Series, Test, other_settings, series};
use campaign::run::StoreError;
use measure::{Bootstrap, Cell, Interval, Table};
use serde::{Deserialize, Serialize};

pub use condition::Condition;
pub use readings::Reading;

/// What a gate asks for. In a file it is written in TOML.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct GatePlan {
    /// The thresholds, such as `success-rate > 0.2`: the gate fails where one of them is true.
    pub fail_if: Vec<String>,
    /// The run that the others must not be worse than.
    pub baseline: Option<PathBuf>,
    /// What of attacks is compared with the baseline.
    pub by: Aspect,
    /// How likely a run that is no worse than the baseline may fail.
    pub alpha: Option<f64>,
    /// May the baseline be about other inputs?
    pub unpaired: bool,
    /// Only these attacks; all when none is named.
    pub attacks: Vec<String>,
    /// Is a threshold on a measure that is undefined everywhere no failure?
    pub allow_undefined: bool,
    /// Are runs that are not finished judged?
    pub allow_unfinished: bool,
}

/// What a gate found.
pub struct Gate {
    /// The runs, as they were named.
    pub runs: Vec<PathBuf>,
    /// Every threshold on every measure that it is about, and every comparison with the baseline.
    pub checks: Vec<Check>,
    /// What the user should know beside the checks.
    pub notes: Vec<String>,
}

/// One question of a gate, with its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// What was asked: a threshold, or `no worse than BASELINE`.
    pub asked: String,
    /// Of what: the attack, treatment or student, after the run where there are several.
    pub place: String,
    /// The value that was judged.
    pub value: Option<f64>,
    /// The interval of the measure.
    pub interval: Option<Interval>,
    /// Over how many inputs it was taken.
    pub n: Option<usize>,
    /// The answer.
    pub state: State,
    /// The answer in words, with by how much.
    pub says: String,
    /// The comparison with the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<Compared>,
}

/// The answer to a question of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    Holds,
    Broken,
    /// The measure is undefined there, which is no failure.
    Undefined,
}

/// Why a gate cannot be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// A threshold cannot be read, or is about a measure that the runs do not have.
    #[error("the threshold `{threshold}`: {problem}")]
    Threshold { threshold: String, problem: String },
    /// Nothing is asked.
    #[error(
        "there is nothing to check: give --fail-if 'success-rate > 0.2', --baseline RUN or a --plan; --list shows the measures"
    )]
    Nothing,
    /// An option makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A run is not finished.
    #[error(
        "the run {} is not finished: {left}; the same command resumes it, and --allow-unfinished judges what is there",
        path.display()
    )]
    Unfinished { path: PathBuf, left: String },
    /// A file cannot be read.
    #[error("failed to read {}: {problem}", path.display())]
    Unreadable { path: PathBuf, problem: String },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Baseline(#[from] BaselineError),
}

impl GatePlan {
    /// Reads a plan.
    pub fn read(path: &Path) -> Result<GatePlan, GateError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| GateError::Unreadable { path: path.to_owned(), problem: error.to_string() })?;
        toml::from_str(&text)
            .map_err(|error| GateError::Usage(format!("{} is not a plan of a gate: {error}", path.display())))
    }

    /// All measures of some runs.
    pub fn readings(&self, runs: &[PathBuf], bootstrap: &Bootstrap) -> Result<(Vec<Reading>, Vec<String>), GateError> {
        let (mut readings, mut notes) = (Vec::new(), Vec::new());
        for (run, name) in runs.iter().zip(names_of(runs)) {
            let (mut found, mut said) = readings::of_run(run, self, bootstrap)?;
            if runs.len() > 1 {
                found.iter_mut().for_each(|reading| reading.place.insert(0, name.clone()));
            }
            readings.append(&mut found);
            notes.append(&mut said);
        }
        Ok((readings, notes))
    }

    /// Judges some runs.
    pub fn judge(&self, runs: &[PathBuf], bootstrap: &Bootstrap) -> Result<Gate, GateError> {
        if self.fail_if.is_empty() && self.baseline.is_none() {
            return Err(GateError::Nothing);
        }
        let alpha = self.alpha.unwrap_or(0.05);
        if !(alpha > 0.0 && alpha < 0.5) {
            return Err(GateError::Usage(format!("alpha is {alpha}, but must be above 0 and below 0.5")));
        }
        let (readings, mut notes) = self.readings(runs, bootstrap)?;
        let mut checks = Vec::new();
        for threshold in &self.fail_if {
            checks.append(&mut self.thresholds(threshold, &readings)?);
        }
        if let Some(baseline) = &self.baseline {
            let before = self.chosen(series(baseline, self.by)?, baseline)?;
            let test = Test { alpha, is_unpaired: self.unpaired, bootstrap: *bootstrap };
            for (run, name) in runs.iter().zip(names_of(runs)) {
                let now = self.chosen(series(run, self.by)?, run)?;
                let prefix = if runs.len() > 1 { format!("{name}/") } else { String::new() };
                for compared in test.compare(&now, &before)? {
                    checks.push(Check::of_baseline(&prefix, compared, baseline));
                }
                if campaign::run::command(run).is_ok_and(|command| command == "attack") {
                    let differing = other_settings(run, baseline)?;
                    if !differing.is_empty() {
                        notes.push(format!(
                            "{} has other settings than its baseline: {}",
                            run.display(),
                            differing.join("; ")
                        ));
                    }
                }
            }
        }
        Ok(Gate { runs: runs.to_vec(), checks, notes })
    }

    /// The series of the attacks that are asked for.
    fn chosen(&self, series: Vec<Series>, run: &Path) -> Result<Vec<Series>, GateError> {
        let known: Vec<String> = series.iter().map(|series| series.name.clone()).collect();
        let missing = self.attacks.iter().find(|attack| !known.contains(attack));
        if let Some(missing) = missing.filter(|_| !run.is_file()) {
            let problem = format!("{} has no attack `{missing}`; there are: {}", run.display(), known.join(", "));
            return Err(GateError::Usage(problem));
        }
        let is_chosen =
            |series: &Series| self.attacks.is_empty() || self.attacks.contains(&series.name) || run.is_file();
        Ok(series.into_iter().filter(is_chosen).collect())
    }

    fn thresholds(&self, threshold: &str, readings: &[Reading]) -> Result<Vec<Check>, GateError> {
        let wrong = |problem: String| GateError::Threshold { threshold: threshold.to_owned(), problem };
        let condition: Condition = threshold.parse().map_err(wrong)?;
        let about = condition.matching(readings).map_err(wrong)?;
        // A measure that is undefined for one attack may be defined for another; one that is nowhere cannot be judged, and a gate that
        // is open because nothing was measured would be no gate.
        let is_lenient = self.allow_undefined || about.iter().any(|reading| condition.value(reading).is_some());
        Ok(about.into_iter().map(|reading| Check::of_threshold(threshold, &condition, reading, is_lenient)).collect())
    }
}

/// What runs are called where there are several: the last part of their paths where these differ.
fn names_of(runs: &[PathBuf]) -> Vec<String> {
    let last = |run: &PathBuf| run.file_name().map(|name| name.display().to_string());
    let name = |run: &PathBuf| {
        let is_alone = runs.iter().filter(|other| last(other) == last(run)).count() == 1;
        last(run).filter(|_| is_alone).unwrap_or_else(|| run.display().to_string())
    };
    runs.iter().map(name).collect()
}

impl Check {
    fn of_threshold(threshold: &str, condition: &Condition, reading: &Reading, is_lenient: bool) -> Check {
        let value = condition.value(reading);
        let (what, place) = (condition.end.of(&reading.measure), reading.place.join("/"));
        let of = if place.is_empty() { String::new() } else { format!("{place}: ") };
        let n = reading.n.map_or(String::new(), |n| format!(", n = {n}"));
        let (state, says) = match value {
            None => {
                let state = if is_lenient { State::Undefined } else { State::Broken };
                (state, format!("{of}{what} is undefined{n}: there is nothing that it could be taken of"))
            }
            Some(value) => {
                let interval =
                    reading.interval.map_or(String::new(), |it| format!(" [{}, {}]", short(it.low), short(it.high)));
                let is = match condition.end {
                    condition::End::Value => format!("{}{interval}", short(value)),
                    _ => format!(
                        "{} (the measure is {}{interval})",
                        short(value),
                        reading.value.map_or("undefined".to_owned(), short)
                    ),
                };
                match condition.holds(value) {
                    true => (State::Broken, format!("{of}{what} is {is}{n}; {}", condition.excess(value))),
                    false => (State::Holds, format!("{of}{what} is {is}{n}")),
                }
            }
        };
        let (interval, n) = (reading.interval, reading.n);
        Check { asked: threshold.to_owned(), place, value, interval, n, state, says, compared: None }
    }

    fn of_baseline(prefix: &str, compared: Compared, baseline: &Path) -> Check {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let points = |share: f64| format!("{:+.1}", 100.0 * share);
        let interval =
            compared.interval.map_or(String::new(), |it| format!(" [{}, {}]", points(it.low), points(it.high)));
        let changed =
            compared.changed.map_or(String::new(), |[worse, better]| format!("; {worse} newly, {better} no longer"));
        let p = compared.p.map_or(String::new(), |p| format!("; p = {}", short(p)));
        let place = format!("{prefix}{}", compared.name);
        let says = format!(
            "{place}: {} of {} {} now, {} in the baseline: {} points{interval}{changed}{p} ({})",
            percent(compared.shares[0]),
            compared.n[0],
            compared.what,
            percent(compared.shares[1]),
            points(compared.difference),
            compared.test
        );
        Check {
            asked: format!("no worse than {}", baseline.display()),
            place,
            value: Some(compared.difference),
            interval: compared.interval,
            n: Some(compared.n[0]),
            state: if compared.is_worse { State::Broken } else { State::Holds },
            says,
            compared: Some(compared),
        }
    }
}

impl Gate {
    /// Is a threshold broken, or a run worse than its baseline?
    pub fn is_broken(&self) -> bool {
        self.broken().next().is_some()
    }

    /// What is broken.
    pub fn broken(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.state == State::Broken)
    }

    /// Every check, a row each.
    pub fn to_table(&self) -> Table {
        let mut table = Table::new(["check", "of", "value", "interval", "n", "answer"]);
        for check in &self.checks {
            let n = check.n.map_or(Cell::Number(None), Cell::from);
            let answer = match check.state {
                State::Holds => "holds",
                State::Broken => "broken",
                State::Undefined => "undefined",
            };
            let (asked, place) = (check.asked.as_str(), check.place.as_str());
            table.push([asked.into(), place.into(), check.value.into(), check.interval.into(), n, answer.into()]);
        }
        table
    }

    /// As JUnit XML, as Jenkins and GitLab read it.
    pub fn to_junit(&self) -> String {
        junit::junit(self)
    }

    /// As SARIF 2.1.0: what is broken, and every adversarial example at its place in the data set. What could not be located is noted.
    pub fn to_sarif(&self, plan: &GatePlan) -> Result<(String, Vec<String>), GateError> {
        sarif::sarif(self, plan)
    }

    /// As Markdown, for the summary of a job.
    pub fn to_markdown(&self) -> String {
        markdown::markdown(self)
    }
}

/// A number with as many digits as a reader needs.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size < 0.001 => format!("{value:.1e}"),
        size if size < 10.0 => format!("{value:.4}"),
        _ => format!("{value:.1}"),
    }
}
