//! The measures of a run, whatever kind it is.
//!
//! A run of attacks is summed up here. Other runs keep a `summary.json` of what their commands print, and every command prints the
//! same with `--json`, so that its file may stand in the place of a run.

use std::collections::BTreeMap;
use std::path::Path;

use campaign::baseline::{Aspect, series};
use campaign::compare::{columns, noise_line};
use campaign::plan::Plan;
use campaign::run::{RunPlan, Store, command};
use measure::{Bootstrap, Interval, Line};
use search::Outcome;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{GateError, GatePlan};

/// A measure of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading {
    /// Of what: the run where there are several, and the attack, treatment or student.
    pub place: Vec<String>,
    pub measure: String,
    /// Its value, where it is defined.
    pub value: Option<f64>,
    pub interval: Option<Interval>,
    /// Over how many inputs it was taken, where that is known.
    pub n: Option<usize>,
}

/// The measures of a run, and what the user should know about it.
pub(super) fn of_run(
    run: &Path,
    plan: &GatePlan,
    bootstrap: &Bootstrap,
) -> Result<(Vec<Reading>, Vec<String>), GateError> {
    if run.is_file() {
        return Ok((of_file(run, bootstrap)?, Vec::new()));
    }
    let summary = run.join("summary.json");
    // A retraining is a folder of runs.
    if run.join("plan.json").is_file() && summary.is_file() {
        return Ok((of_file(&summary, bootstrap)?, Vec::new()));
    }
    match command(run)?.as_str() {
        Plan::COMMAND => of_attacks(run, plan, bootstrap),
        _ if summary.is_file() => Ok((of_file(&summary, bootstrap)?, Vec::new())),
        _ => Err(GateError::Unfinished { path: run.to_owned(), left: "there is no summary.json yet".to_owned() }),
    }
}

fn of_attacks(run: &Path, plan: &GatePlan, bootstrap: &Bootstrap) -> Result<(Vec<Reading>, Vec<String>), GateError> {
    let store: Store<Plan> = Store::open(run)?;
    let (about, mut targets, mut records) = (store.about()?, store.inputs()?, store.records()?);
    let (part, parts) = about.shard;
    targets.retain(|target| target.number % parts.max(1) + 1 == part);
    let wanted: Vec<&String> =
        about.plan.attacks.iter().filter(|attack| plan.attacks.is_empty() || plan.attacks.contains(attack)).collect();
    if let Some(missing) = plan.attacks.iter().find(|attack| !about.plan.attacks.contains(attack)) {
        let known = about.plan.attacks.join(", ");
        return Err(GateError::Usage(format!("{} has no attack `{missing}`; there are: {known}", run.display())));
    }
    records.retain(|record| wanted.contains(&&record.attack));
    let mut notes = Vec::new();
    for attack in &wanted {
        let of_attack = || records.iter().filter(|record| record.attack == **attack);
        let (done, faults) =
            (of_attack().count(), of_attack().filter(|record| record.outcome == Outcome::Fault).count());
        if done < targets.len() {
            let left = format!("{done} of {} targets of {attack} are done", targets.len());
            match plan.allow_unfinished {
                true => notes.push(format!("{}: {left}; what is done first is not chosen at random", run.display())),
                false => return Err(GateError::Unfinished { path: run.to_owned(), left }),
            }
        }
        if faults > 0 {
            notes.push(format!(
                "{}: the model has no answer about {faults} of {done} targets of {attack}",
                run.display()
            ));
        }
    }
    let noise = store.noise()?.and_then(|noise| noise.first().copied());
    let goal = about.plan.goal().ok().flatten();
    let mut readings = Vec::new();
    for column in columns(None, goal, noise, &targets, records) {
        let reading = |line: Line| Reading {
            place: vec![column.name.clone()],
            measure: line.measure,
            value: line.value,
            interval: line.interval,
            n: Some(line.n),
        };
        let count = |(outcome, count): (Outcome, usize)| Reading {
            place: vec![column.name.clone()],
            measure: format!("targets: {}", outcome.name()),
            value: Some(count as f64),
            interval: None,
            n: Some(targets.len()),
        };
        readings.extend(column.summary(bootstrap).lines.into_iter().map(reading));
        readings.extend(column.outcomes().into_iter().map(count));
        readings.extend(column.noise.map(|noise| reading(noise_line(&noise))));
    }
    Ok((readings, notes))
}

/// The measures of a file that a command wrote: `--json`, or the predictions of `evaluate`.
fn of_file(path: &Path, bootstrap: &Bootstrap) -> Result<Vec<Reading>, GateError> {
    let unreadable = |problem: String| GateError::Unreadable { path: path.to_owned(), problem };
    if path.extension().is_some_and(|ending| ending == "jsonl") {
        let answers = series(path, Aspect::default())?;
        let lines = answers.iter().flat_map(|series| series.good("accuracy", bootstrap).lines);
        let reading =
            |Line { measure, value, interval, n }| Reading { place: Vec::new(), measure, value, interval, n: Some(n) };
        return Ok(lines.map(reading).collect());
    }
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    let value: Value =
        serde_json::from_str(&text).map_err(|error| unreadable(format!("it is not the JSON of a command: {error}")))?;
    let mut readings = Vec::new();
    walk(&value, &mut Vec::new(), false, &mut readings);
    match readings.is_empty() {
        true => Err(unreadable("there are no measures in it; commands print them with --json".to_owned())),
        false => Ok(readings),
    }
}

/// Keys that say nothing about what is measured.
const FRAMES: [&str; 8] =
    ["attacks", "columns", "comparisons", "lines", "measures", "robustness", "successes", "tables"];

/// What is no measure.
const OTHERS: [&str; 10] =
    ["confusion", "data", "extent", "highest", "model", "plan", "run", "seconds", "worst", "duels"];

/// Texts and numbers that say what the other fields of an object are about.
const NAMES: [&str; 6] = ["attack", "column", "name", "operator", "student", "treatment"];
const NUMBERS: [&str; 4] = ["generation", "order", "place", "repeat"];

/// Finds measures in what a command printed: objects with a measure and its value, and the rows of tables, whose texts say what their
/// numbers are about.
fn walk(value: &Value, place: &mut Vec<String>, is_row: bool, readings: &mut Vec<Reading>) {
    let fields = match value {
        Value::Object(fields) => fields,
        Value::Array(rows) => {
            return rows.iter().filter(|row| row.is_object()).for_each(|row| walk(row, place, true, readings));
        }
        _ => return,
    };
    if let (Some(Value::String(measure)), Some(found)) = (fields.get("measure"), fields.get("value")) {
        let n = fields.get("n").and_then(Value::as_u64).map(|n| n as usize);
        let (measure, interval) = (measure.clone(), fields.get("interval").and_then(interval_of));
        readings.push(Reading { place: place.clone(), measure, value: found.as_f64(), interval, n });
        return;
    }
    let depth = place.len();
    for (key, value) in fields {
        match value {
            Value::String(text) if with_interval(text).is_none() && (is_row || NAMES.contains(&key.as_str())) => {
                place.push(text.clone())
            }
            Value::Number(number) if is_row && NUMBERS.contains(&key.as_str()) => place.push(format!("{key} {number}")),
            _ => (),
        }
    }
    let intervals = intervals_of(fields);
    let n = ["n", "inputs", "repeats"].iter().find_map(|name| fields.get(*name)?.as_u64()).map(|n| n as usize);
    for (key, value) in fields {
        let mut add = |value: Option<f64>, interval: Option<Interval>| {
            readings.push(Reading { place: place.clone(), measure: key.clone(), value, interval, n });
        };
        match value {
            _ if OTHERS.contains(&key.as_str()) || is_row && NUMBERS.contains(&key.as_str()) => (),
            Value::Number(number) => add(number.as_f64(), intervals.get(key.as_str()).copied()),
            // A measure that is undefined in this row is a number in others.
            Value::Null if is_row && !key.starts_with("interval") => add(None, None),
            Value::String(text) => {
                if let Some((value, interval)) = with_interval(text) {
                    add(Some(value), interval);
                }
            }
            Value::Object(_) if interval_of(value).is_some() => (),
            Value::Object(_) | Value::Array(_) => {
                let is_frame = FRAMES.contains(&key.as_str());
                if !is_frame {
                    place.push(key.clone());
                }
                walk(value, place, false, readings);
                if !is_frame {
                    place.pop();
                }
            }
            _ => (),
        }
    }
    place.truncate(depth);
}

/// The intervals of a row of a table, by the columns that they are about: `interval of X` is that of X, and `interval` alone stands in the
/// tables of grids after the share of other answers of changed inputs.
fn intervals_of(fields: &Map<String, Value>) -> BTreeMap<&str, Interval> {
    let column = |key: &'_ str| match key {
        "interval" => fields.get_key_value("of changed, %"),
        _ => fields.get_key_value(key.strip_prefix("interval of ")?),
    };
    fields.iter().filter_map(|(key, value)| Some((column(key)?.0.as_str(), interval_of(value)?))).collect()
}

fn interval_of(value: &Value) -> Option<Interval> {
    let (low, high) = match value {
        Value::Array(ends) if ends.len() == 2 => (ends[0].as_f64()?, ends[1].as_f64()?),
        Value::Object(ends) if ends.len() == 2 => (ends.get("low")?.as_f64()?, ends.get("high")?.as_f64()?),
        _ => return None,
    };
    Some(Interval { low, high })
}

/// A number with its interval, as tables have it in one cell: `0.950 [0.900, 0.970]`.
fn with_interval(text: &str) -> Option<(f64, Option<Interval>)> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    match text.split_once('[') {
        None => Some((number(text)?, None)),
        Some((value, ends)) => {
            let (low, high) = ends.strip_suffix(']')?.split_once(',')?;
            Some((number(value)?, Some(Interval { low: number(low)?, high: number(high)? })))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is read, its value, interval and number of inputs.
    type Read = (String, Option<f64>, Option<Interval>, Option<usize>);

    fn read(value: &Value) -> Vec<Read> {
        let mut readings = Vec::new();
        walk(value, &mut Vec::new(), false, &mut readings);
        let tuple = |it: Reading| (format!("{}: {}", it.place.join("/"), it.measure), it.value, it.interval, it.n);
        readings.into_iter().map(tuple).collect()
    }

    #[test]
    fn measures_of_evaluate_are_read() {
        let printed = json!({"model": {"kind": "hf", "seed": 3}, "task": "defect", "confusion": [[1.0]],
            "measures": [{"measure": "f1", "value": 0.5, "interval": [0.25, 0.75], "n": 9}, {"measure": "auc", "value": null, "interval": null, "n": 0}]});
        let expected = vec![
            (": f1".to_owned(), Some(0.5), Some(Interval { low: 0.25, high: 0.75 }), Some(9)),
            (": auc".to_owned(), None, None, Some(0)),
        ];
        assert_eq!(read(&printed), expected);
    }

    #[test]
    fn rows_of_tables_say_what_they_are_about() {
        let printed = json!({"effects": [{"order": 5, "treatment": "names", "inputs": 12, "of changed, %": 25.0,
            "interval": {"low": 10.0, "high": 40.0}, "delta": -0.5, "interval of delta": {"low": -0.75, "high": 0.0}, "distance": null}]});
        let found = read(&printed);
        let of = |measure: &str| {
            found.iter().find(|(name, ..)| *name == format!("effects/order 5/names: {measure}")).unwrap().clone()
        };
        assert_eq!(
            (of("of changed, %").2, of("of changed, %").3),
            (Some(Interval { low: 10.0, high: 40.0 }), Some(12))
        );
        assert_eq!((of("delta").1, of("delta").2), (Some(-0.5), Some(Interval { low: -0.75, high: 0.0 })));
        assert_eq!(of("distance").1, None);
        assert!(found.iter().all(|(name, ..)| !name.contains("interval") && !name.ends_with(": order")), "{found:?}");
    }

    #[test]
    fn cells_with_an_interval_are_numbers() {
        let printed = json!({"Clean test set": [{"model": "arm", "accuracy": "0.950 [0.900, 0.970]", "steps": 12}]});
        let found = read(&printed);
        assert_eq!(
            found[0],
            ("Clean test set/arm: accuracy".to_owned(), Some(0.95), Some(Interval { low: 0.9, high: 0.97 }), None)
        );
        assert_eq!(with_interval("0.5 [0.1]"), None);
        assert_eq!(with_interval("nan"), None);
    }
}
