//! Models on data sets: evaluations, runs of attacks and searches, and what is said about runs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use campaign::attack;
use campaign::compare::{Column, columns, duel_table, duels, table, unique};
use campaign::evaluate::{self, Quality, Unmeasurable, check_answers, quality, search_quality};
use campaign::evolve::{self, EvolvePlan};
use campaign::fidelity::{self, Fidelity, FidelityPlan, Gap, GapOfAttack};
use campaign::plan::{DataPlan, Plan};
use campaign::run::{InputRow, Record, Store};
use campaign::trial::try_out;
use campaign::work::{Pace, Watcher, WorkError, open_model, read_examples};
use campaign::{Example, Examples, Truth};
use measure::Bootstrap;
use model::{Answer, Fault, Model, Prediction};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use report::{Numbers, ReportError, Run, page};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::background::{self, Listener};
use crate::callable::Described;
use crate::failure::Failure;

/// A model as Python names it.
enum Named {
    /// By KIND:WHERE.
    Name(String),
    /// By an object of the package.
    Function(Described),
}

impl Named {
    fn of(model: &Bound<'_, PyAny>) -> PyResult<Named> {
        match model.extract::<String>() {
            Ok(name) => Ok(Named::Name(name)),
            Err(_) => Ok(Named::Function(Described::of(model)?)),
        }
    }

    fn name(&self) -> String {
        match self {
            Named::Name(name) => name.clone(),
            Named::Function(described) => described.name(),
        }
    }

    fn open(self, listener: &Arc<Listener>) -> Result<Box<dyn Model>, Failure> {
        match self {
            Named::Name(name) => Ok(open_model(&name)?),
            Named::Function(described) => Ok(Box::new(described.model(listener))),
        }
    }
}

/// How runs are done; none of this changes what is found: how many targets at a time, how many inputs in a batch, and a file for answers.
type PaceOptions = (Option<usize>, Option<usize>, Option<PathBuf>);

fn pace((jobs, batch, cache): PaceOptions) -> Pace {
    Pace { jobs, batch, cache }
}

/// Reads a plan that the package has made.
fn plan<Described: DeserializeOwned>(text: &str) -> Result<Described, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::usage(format!("the plan is not valid: {error}")))
}

/// Queries a model on a data set and measures its answers.
pub fn evaluate(arguments: &Bound<'_, PyTuple>) -> PyResult<String> {
    let (model, data, events) = arguments.extract::<(Bound<'_, PyAny>, String, Option<Py<PyAny>>)>()?;
    let named = Named::of(&model)?;
    background::work(arguments.py(), events, move |listener| {
        let watcher: &dyn Watcher = &**listener;
        let examples = read_examples(&plan::<DataPlan>(&data)?, watcher)?;
        let model = named.open(listener)?;
        let bootstrap = Bootstrap::default();
        let evaluation = evaluate::evaluate(model.as_ref(), &examples, watcher);
        if watcher.should_stop() {
            return Err(WorkError::Interrupted("stopped").into());
        }
        check_answers(&evaluation.answers)?;
        let quality = match quality(&examples, &evaluation, &bootstrap) {
            // A model that embeds texts can still find code.
            Err(problem @ Unmeasurable::Kind { given: "embeddings", .. }) => {
                let summary = search_quality(model.as_ref(), &examples, &bootstrap).ok_or(problem)??;
                Quality { summary, confusion: None, measured: examples.items.len(), truncated: None }
            }
            quality => quality?,
        };
        let noise = try_out(model.as_ref(), &examples, Some(&evaluation.answers), watcher)?;
        let confusion = quality.confusion.as_ref().map(|confusion| {
            let row =
                |truth: usize| (0..confusion.classes).map(move |predicted| confusion.count(truth, predicted)).collect();
            (0..confusion.classes).map(row).collect::<Vec<Vec<f64>>>()
        });
        let answers = examples.items.iter().zip(&evaluation.answers);
        let answers: Vec<Value> = answers.map(|(example, answer)| answered(&examples, example, answer)).collect();
        Ok(json!({
            "model": model.identity(),
            "task": examples.task.name(),
            "labels": examples.labels,
            "extent": examples.extent,
            "noise": noise,
            "measured": quality.measured,
            "seconds": evaluation.time.as_secs_f64(),
            "truncated": quality.truncated,
            "measures": quality.summary.lines,
            "confusion": confusion,
            "answers": answers,
        })
        .to_string())
    })
}

fn answered(examples: &Examples, example: &Example, answer: &Result<Answer, Fault>) -> Value {
    let truth = match &example.truth {
        Truth::Class(class) => json!(examples.labels[*class]),
        Truth::Name(text) | Truth::Text(text) => json!(text),
        Truth::Unknown => Value::Null,
    };
    let mut record = json!({"id": example.id, "truth": truth});
    match answer {
        Err(fault) => record["fault"] = json!(fault.to_string()),
        Ok(Answer { prediction, .. }) => match prediction {
            Prediction::Classes(probabilities) => {
                record["prediction"] = json!(prediction.class().and_then(|class| examples.labels.get(class)));
                record["probabilities"] = json!(probabilities);
            }
            Prediction::Names(names) => {
                record["prediction"] = json!(names.first().map(|(name, _)| name));
                record["names"] = json!(names);
            }
            Prediction::Text(text) => record["prediction"] = json!(text),
            Prediction::Embedding(vector) => record["embedding"] = json!(vector),
        },
    }
    record
}

/// Does what is left of a run of attacks. The targets are one part of several.
pub fn attack(arguments: &Bound<'_, PyTuple>) -> PyResult<String> {
    let (model, plan, output, shard, pace, events) =
        arguments.extract::<(Bound<'_, PyAny>, String, PathBuf, (usize, usize), PaceOptions, Option<Py<PyAny>>)>()?;
    let named = Named::of(&model)?;
    background::work(arguments.py(), events, move |listener| {
        check_shard(shard)?;
        let plan = Plan { model: named.name(), ..self::plan(&plan)? };
        let (pace, watcher) = (self::pace(pace), &**listener);
        let attacked = match named {
            Named::Name(_) => attack::run(&plan, shard, &output, &pace, watcher)?,
            Named::Function(described) => {
                attack::run_model(&plan, &described.model(listener), shard, &output, &pace, watcher)?
            }
        };
        let traffic = attacked.progress.traffic;
        Ok(json!({"done": attacked.progress.done, "left": attacked.left, "asked": traffic.asked,
            "remembered": traffic.remembered, "batches": traffic.batches, "seconds": traffic.seconds})
        .to_string())
    })
}

fn check_shard((part, parts): (usize, usize)) -> Result<(), Failure> {
    match (1..=parts).contains(&part) {
        true => Ok(()),
        false => Err(Failure::usage(format!("there is no part {part} of {parts}: parts are counted from 1"))),
    }
}

/// What is in the folders of some runs of attacks: the records with their targets, and the measures of each attack.
pub fn compare(arguments: &Bound<'_, PyTuple>) -> PyResult<String> {
    let (folders, attacks, seed) = arguments.extract::<(Vec<PathBuf>, Vec<String>, u64)>()?;
    background::work(arguments.py(), None, move |_| {
        let bootstrap = Bootstrap { seed, ..Bootstrap::default() };
        let mut all: Vec<Column> = Vec::new();
        let mut runs = Vec::new();
        for folder in &folders {
            let store: Store<Plan> = Store::open(folder)?;
            let (about, targets, mut found) = (store.about()?, store.inputs()?, store.records()?);
            let goal = about.plan.goal()?;
            let noise = store.noise()?.and_then(|noise| noise.first().copied());
            found.retain(|record| attacks.is_empty() || attacks.contains(&record.attack));
            let name =
                folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.display().to_string());
            runs.push(json!({"name": name, "plan": about.plan, "models": about.models, "noise": noise,
                "success": goal.map(|goal| goal.to_string()), "targets": targets.len(), "shard": about.shard,
                "records": records(&targets, &found)}));
            all.extend(columns((folders.len() > 1).then_some(name.as_str()), goal, noise, &targets, found));
        }
        let duels = duels(&all, &bootstrap);
        let names: Vec<&str> = all.iter().map(|column| column.name.as_str()).collect();
        let column = |(column, unique): (&Column, usize)| json!({"name": column.name, "measures": column.summary(&bootstrap).lines, "outcomes": column.outcomes(), "unique": unique});
        Ok(json!({"runs": runs, "columns": all.iter().zip(unique(&all)).map(column).collect::<Vec<_>>(),
            "table": table(&all, &bootstrap).to_json(), "duels": duel_table(&names, &duels).to_json()})
        .to_string())
    })
}

fn records(targets: &[InputRow], records: &[Record]) -> Vec<Value> {
    let by_number: HashMap<usize, &InputRow> = targets.iter().map(|target| (target.number, target)).collect();
    let with_target = |record: &Record| {
        let target = by_number.get(&record.number)?;
        let mut object = json!(record);
        object["attack"] = json!(record.attack);
        object["number"] = json!(record.number);
        object["seconds"] = json!(record.seconds);
        object["id"] = json!(target.id);
        object["truth"] = json!(target.truth);
        object["original"] = json!(target.input);
        Some(object)
    };
    records.iter().filter_map(with_target).collect()
}

/// Measures how closely students follow their teacher, which is the first of the models.
pub fn fidelity(arguments: &Bound<'_, PyTuple>) -> PyResult<String> {
    let (models, plan, output, pace, events) =
        arguments.extract::<(Vec<Bound<'_, PyAny>>, String, PathBuf, PaceOptions, Option<Py<PyAny>>)>()?;
    let named = models.iter().map(Named::of).collect::<PyResult<Vec<_>>>()?;
    background::work(arguments.py(), events, move |listener| {
        let plan: FidelityPlan = self::plan(&plan)?;
        let models = named.into_iter().map(|named| named.open(listener)).collect::<Result<Vec<_>, Failure>>()?;
        let models: Vec<&dyn Model> = models.iter().map(Box::as_ref).collect();
        Ok(followed(&fidelity::run_models(&plan, &models, &output, &self::pace(pace), &**listener)?).to_string())
    })
}

fn followed(found: &Fidelity) -> Value {
    let attack = |attack: &GapOfAttack| {
        json!({"attack": attack.attack, "rates": attack.rates, "attacked": attack.attacked, "quality": attack.quality,
            "p": attack.duel.as_ref().and_then(|duel| duel.p)})
    };
    let gap = |gap: &Gap| json!({"student": gap.student, "attacks": gap.attacks.iter().map(attack).collect::<Vec<_>>(), "gap": gap.gap});
    let finite = |value: f64| value.is_finite().then_some(value);
    let input = |input: &fidelity::Compared| {
        json!({"id": found.examples.items[input.number].id, "teacher": input.teacher, "student": input.student,
            "divergence": finite(input.from_teacher)})
    };
    let comparison = |comparison: &fidelity::Comparison| {
        let mut object = comparison.to_json();
        object["inputs"] = comparison.inputs.iter().map(input).collect();
        object
    };
    json!({
        "noise": found.noise,
        "comparisons": found.comparisons.iter().map(comparison).collect::<Vec<_>>(),
        "gaps": found.gaps.iter().map(gap).collect::<Vec<_>>(),
    })
}

/// Attacks one of the models of a plan of fidelity, on a part of the targets. It says whether it came to the end.
pub fn fidelity_attack(arguments: &Bound<'_, PyTuple>) -> PyResult<bool> {
    type Given = (String, usize, PathBuf, (usize, usize), PaceOptions, Option<Py<PyAny>>);
    let (plan, model, output, shard, pace, events) = arguments.extract::<Given>()?;
    background::work(arguments.py(), events, move |listener| {
        let plan: FidelityPlan = self::plan(&plan)?;
        let attacked = fidelity::attack_part(&plan, model, shard, &output, &self::pace(pace), &**listener)?;
        Ok(!attacked.is_interrupted)
    })
}

/// The folders of the attacks on the models of a plan of fidelity, below that of the run; none without attacks.
pub fn fidelity_folders(arguments: &Bound<'_, PyTuple>) -> PyResult<Vec<PathBuf>> {
    let (plan,) = arguments.extract::<(String,)>()?;
    background::work(arguments.py(), None, move |_| {
        let plan: FidelityPlan = self::plan(&plan)?;
        let models = if plan.attack.is_some() { plan.models().len() } else { 0 };
        Ok((0..models).map(|model| plan.attack_folder(Path::new(""), model)).collect())
    })
}

/// Does what is left of guided searches, or of a part of their repetitions.
pub fn evolve(arguments: &Bound<'_, PyTuple>) -> PyResult<String> {
    type Given = (String, PathBuf, (usize, usize), PaceOptions, Option<Py<PyAny>>);
    let (plan, output, shard, pace, events) = arguments.extract::<Given>()?;
    background::work(arguments.py(), events, move |listener| {
        check_shard(shard)?;
        let plan: EvolvePlan = self::plan(&plan)?;
        let evolved = evolve::run_part(&plan, shard, &output, &self::pace(pace), &**listener)?;
        evolved.ended?;
        let tables =
            evolved.summary.tables.iter().map(|(title, table)| json!({"title": title, "rows": table.to_json()}));
        Ok(json!({"repeats": evolved.summary.repeats, "noise": evolved.noise, "seconds": evolved.seconds,
            "tables": tables.collect::<Vec<_>>()})
        .to_string())
    })
}

/// Puts the records of the parts of a run into one run, and counts them.
pub fn merge(arguments: &Bound<'_, PyTuple>) -> PyResult<usize> {
    let (folders, into) = arguments.extract::<(Vec<PathBuf>, PathBuf)>()?;
    background::work(arguments.py(), None, move |_| Ok(campaign::run::merge(&folders, &into)?))
}

/// Puts what the parts of guided searches have evaluated into one run.
pub fn merge_evolutions(arguments: &Bound<'_, PyTuple>) -> PyResult<()> {
    let (folders, into) = arguments.extract::<(Vec<PathBuf>, PathBuf)>()?;
    background::work(arguments.py(), None, move |_| Ok(evolve::merge(&folders, &into)?))
}

/// A plan in a file as JSON, for the package: Python 3.10 reads no TOML.
pub fn read_plan(arguments: &Bound<'_, PyTuple>) -> PyResult<String> {
    let (path,) = arguments.extract::<(PathBuf,)>()?;
    background::work(arguments.py(), None, move |_| Ok(campaign::plan::read::<Value>(&path)?.to_string()))
}

/// The page about some runs, and its numbers as JSON.
pub fn report(arguments: &Bound<'_, PyTuple>) -> PyResult<(String, String)> {
    let (folders, attacks, examples, seed) = arguments.extract::<(Vec<PathBuf>, Vec<String>, Option<usize>, u64)>()?;
    let failure = |error: ReportError| match error {
        ReportError::NoRecords | ReportError::NoAttack { .. } => Failure::usage(error),
        _ => Failure::missing(error),
    };
    background::work(arguments.py(), None, move |_| {
        let mut runs = Run::read_all(&folders).map_err(failure)?;
        Run::keep_attacks(&mut runs, &attacks).map_err(failure)?;
        let numbers = Numbers::of(&runs, Bootstrap { seed, ..Bootstrap::default() });
        Ok((page(&runs, &numbers, examples).html, numbers.to_json().to_string()))
    })
}
