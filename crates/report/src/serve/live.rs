//! What the page is told of each kind of run.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use campaign::compare::columns;
use campaign::control::runner;
use measure::metrics::VALID_RATE;
use measure::{Bootstrap, Table};
use search::Outcome;
use serde_json::{Value, json};

use crate::contents::{Contents, Kind, TrainingRun};
use crate::numbers::transformations_of;
use crate::run::{ReportError, Run};

/// How many of the newest successes are shown, and how many rows a table has.
const NEWEST: usize = 20;
const ROWS: usize = 60;

/// The successes of attacks as they came in.
#[derive(Default)]
pub struct Newest {
    /// Those that were there before, by run.
    seen: HashSet<(usize, String, usize)>,
    /// The last ones, the newest at the end.
    last: Vec<Value>,
}

impl Newest {
    /// The newest first.
    pub fn told(&self) -> Vec<&Value> {
        self.last.iter().rev().collect()
    }
}

/// Can such a run be paused? Attacks wait between two targets; the other kinds have no such place, and are stopped and resumed.
pub fn can_pause(kind: Kind) -> bool {
    kind == Kind::Attack
}

/// The kind of run in a folder, which may hold hardly anything yet.
pub fn kind_of(folder: &Path) -> Result<Kind, ReportError> {
    let command = || runner(folder)?.work.map(|work| work.command);
    let found = match command().as_deref() {
        Some("train") => Ok(Kind::Training),
        Some("distil") => Ok(Kind::Distillation),
        Some("mutants") => Ok(Kind::Mutants),
        Some("retrain") => Ok(Kind::Retraining),
        _ => Kind::of(folder),
    };
    match found {
        Ok(Kind::Evaluation) => Err(ReportError::NoRun { path: folder.to_owned() }),
        found => found,
    }
}

/// What the page is told of a run.
pub fn of_run(place: usize, folder: &Path, kind: Kind, newest: &mut Newest) -> Result<Value, ReportError> {
    if kind == Kind::Attack {
        return of_attack(place, &Run::open(folder)?, newest);
    }
    let name = folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.display().to_string());
    let mut told = json!({"name": name, "kind": kind.name(), "can-pause": can_pause(kind), "tables": []});
    // What has just begun may have nothing to read yet, and who works on it says how far it is.
    let bootstrap = Bootstrap { resamples: 200, ..Bootstrap::default() };
    let Contents { others, .. } = match Contents::read(&[folder.to_owned()], &bootstrap) {
        Ok(contents) => contents,
        Err(_) if runner(folder).is_some() => return Ok(told),
        Err(error) => return Err(error),
    };
    let mut tables: Vec<(String, Table)> = Vec::new();
    for run in &others.grids {
        let effects = run.summary.tables.iter().find(|(title, _)| *title == "effects");
        tables.extend(effects.map(|(_, table)| ("Treatments so far".to_owned(), table.clone())));
    }
    for run in &others.evolutions {
        let mut table = Table::new(["search", "repetition", "measure", "generations", "best"]);
        for one in &run.summary.progress {
            let (search, measure) = (one.search.as_str().into(), one.measure.as_str().into());
            let last = one.best.last().copied();
            table.push([search, one.repeat.into(), measure, one.best.len().saturating_sub(1).into(), last.into()]);
        }
        tables.push(("Searches so far".to_owned(), table));
    }
    for run in &others.fidelities {
        let mut table = Table::new(["student", "inputs", "other labels (MR1)", "accuracy of the student"]);
        for one in &run.summary.comparisons {
            let value = |measure: &str| one.summary.value(measure).into();
            let student = one.student.as_str().into();
            table.push([student, one.n.into(), value("label loyalty, violation"), value("accuracy of the student")]);
        }
        tables.push(("Students so far".to_owned(), table));
    }
    for run in &others.mutants {
        let mut table = Table::new(["operator", "accuracy", "labels changed"]);
        for one in &run.mutants {
            table.push([one.operator.as_str().into(), one.accuracy.into(), one.changed.into()]);
        }
        tables.push(("Mutants".to_owned(), table));
    }
    for run in others.trainings.iter().chain(&others.distillations) {
        tables.extend(of_training(run));
    }
    for run in &others.retrainings {
        let mut table = Table::new(["model", "attack", "targets done", "attacked", "successes", "is measured"]);
        for model in &run.models {
            let is_measured = if model.scores.is_some() { "yes" } else { "no" };
            for (attack, records) in &model.attacks {
                let attacked = records.iter().filter(|record| record.outcome.is_attacked()).count();
                let broken = records.iter().filter(|record| record.outcome == Outcome::Success).count();
                let names = [model.name.as_str().into(), attack.as_str().into()];
                let counts = [records.len().into(), attacked.into(), broken.into(), is_measured.into()];
                table.push(names.into_iter().chain(counts));
            }
        }
        tables.push(("Models so far".to_owned(), table));
    }
    told["tables"] = tables.iter().map(|(title, table)| shown(title, table)).collect();
    told["model"] =
        others.origins_of(kind).first().map(|origin| origin.model()).filter(|model| !model.is_empty()).into();
    Ok(told)
}

/// The newest evaluations and losses, the last ones first.
fn of_training(run: &TrainingRun) -> Vec<(String, Table)> {
    let mut evaluations = Table::new(["step", "loss", "accuracy", "best so far"]);
    for one in run.evaluations.iter().rev() {
        let best = if one.is_best { "yes" } else { "no" };
        evaluations.push([(one.step as usize).into(), one.loss.into(), one.accuracy.into(), best.into()]);
    }
    let mut losses = Table::new(["step", "training loss"]);
    for (step, loss) in run.losses.iter().rev().take(NEWEST) {
        losses.push([(*step as usize).into(), (*loss).into()]);
    }
    vec![("Evaluations".to_owned(), evaluations), ("Newest losses".to_owned(), losses)]
}

/// A table as texts. Of a long one the first rows, and how many there are.
fn shown(title: &str, table: &Table) -> Value {
    let rows: Vec<Vec<String>> =
        table.rows().iter().take(ROWS).map(|row| row.iter().map(measure::Cell::for_people).collect()).collect();
    json!({"title": title, "columns": table.columns(), "rows": rows, "all": table.rows().len()})
}

fn of_attack(place: usize, run: &Run, newest: &mut Newest) -> Result<Value, ReportError> {
    let targets: HashMap<usize, &str> = run.targets.iter().map(|target| (target.number, target.id.as_str())).collect();
    for record in run.records.iter().filter(|record| record.outcome == Outcome::Success) {
        if newest.seen.insert((place, record.attack.clone(), record.number)) {
            let target = run.targets.iter().find(|target| target.number == record.number);
            let truth = target.and_then(|target| target.truth.clone());
            newest.last.push(
                json!({"run": run.name, "attack": record.attack, "target": targets.get(&record.number), "truth": truth,
                "queries": record.queries, "rewrites": transformations_of(record)}),
            );
        }
    }
    let surplus = newest.last.len().saturating_sub(NEWEST);
    newest.last.drain(..surplus);
    let bootstrap = Bootstrap::default();
    let columns = columns(None, run.goal(), run.noise, &run.targets, run.records.clone());
    let attack = |name: &String| {
        let column = columns.iter().find(|column| column.name == *name);
        let line = column.and_then(|column| column.summary(&bootstrap).line(VALID_RATE).cloned());
        json!({
            "attack": name,
            "done": column.map_or(0, |column| column.records.len()),
            "outcomes": column.map(|column| column.outcomes()),
            "rate": line.as_ref().and_then(|line| line.value),
            "interval": line.as_ref().and_then(|line| line.interval),
            "n": line.as_ref().map_or(0, |line| line.n),
            "queries": column.map_or(0, |column| column.records.values().map(|record| record.queries).sum()),
        })
    };
    let attacks: Vec<Value> = run.about.plan.titles_of_attacks().iter().map(attack).collect();
    let model = run.about.models.first().map(|model| model.label().to_owned());
    Ok(json!({"name": run.name, "kind": Kind::Attack.name(), "can-pause": can_pause(Kind::Attack), "model": model,
        "targets": run.targets.len(), "attacks": attacks, "noise": run.noise.map(|noise| noise.to_string()),
        "goal": run.goal().map(|goal| goal.to_string())}))
}
