//! The store of an experiment over a data set, as `evolve` and `grid` make them: one folder with one SQLite file.
//!
//! Tables of both: `about` (what the run is), `inputs` (the test set, with the model's answers before any change) and `times` (how
//! long each part took, apart because it differs from run to run). Of `evolve`: `evaluations` (for every list of rewrites that was
//! tried the measures of the test set under it, how many inputs it changes and how many of them got no answer), `searches` (how each
//! search ended) and `individuals` (every member of every generation, with its parents by their numbers). Of `grid`: `cells` (for
//! every treatment, order and input the rewrites that were done, and the answer). All texts that are lists or objects are JSON.
//!
//! Rows are added and never changed, and what is there counts as done: the same command goes on from there.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};

use model::{Answer, Fault, Input, Model, Prediction};
use rusqlite::{Connection, OptionalExtension, params};
use search::{Cache, Desk, Traffic};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::attack::{cluster, json_of};
use crate::evaluate::Unmeasurable;
use crate::examples::{Examples, Truth};
use crate::plan::differences;
use crate::store::{FILE, REMEDY, StoreError, claim, is_new, look_into};

/// The version of the tables. A store of another version is refused.
const SCHEMA: &str = "experiment 1";

const TABLES: &str = "
create table about (key text primary key, value text not null) without rowid;
create table inputs (
    number integer primary key,
    id text not null unique,
    cluster text not null,
    truth text,
    input text not null
);
create table before (number integer primary key references inputs, answer text, fault text);
create table evaluations (
    genotype text primary key,
    genes integer not null,
    measures text not null,
    changed integer not null,
    faults integer not null
) without rowid;
create table searches (
    search text not null,
    repeat integer not null,
    ended text not null,
    generations integer not null,
    evaluations integer not null,
    best integer not null,
    primary key (search, repeat)
) without rowid;
create table individuals (
    search text not null,
    repeat integer not null,
    number integer not null,
    generation integer not null,
    parents text not null,
    genotype text not null references evaluations,
    primary key (search, repeat, number)
) without rowid;
create table cells (
    treatment text not null,
    rewrites_wanted integer not null,
    number integer not null references inputs,
    rewrites integer not null,
    is_changed integer not null,
    answer text,
    fault text,
    primary key (treatment, rewrites_wanted, number)
) without rowid;
create table times (
    part text not null,
    repeat integer not null,
    generation integer not null,
    seconds real not null,
    primary key (part, repeat, generation)
) without rowid;
";

/// A run on disk.
pub struct Experiment {
    pub(crate) connection: Connection,
    folder: PathBuf,
    /// Held as long as the store may be written, so that two programs never do the same work.
    _lock: Option<File>,
}

/// Why an experiment ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The store cannot be read or written.
    #[error("the run {} cannot be used: {source}; {REMEDY}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// A file cannot be written.
    #[error("failed to write {}: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The model does not answer.
    #[error("the model failed on {count} of {all} inputs: {fault}; the same command asks again")]
    Model {
        /// How many inputs it failed on.
        count: usize,
        /// How many it was asked about.
        all: usize,
        /// The first reason.
        fault: Fault,
    },
    /// The answers say nothing about the data set.
    #[error(transparent)]
    Unmeasurable(#[from] Unmeasurable),
    /// The plan asks for what is not there.
    #[error("{0}")]
    Unfit(String),
    /// The user wants to stop.
    #[error("stopped: the same command goes on")]
    Interrupted,
}

/// An input of the test set.
#[derive(Clone, Debug, PartialEq)]
pub struct InputRow {
    /// Its place in the data set.
    pub number: usize,
    /// What it is called.
    pub id: String,
    /// What must stay together when inputs are resampled.
    pub cluster: String,
    /// What is true about it, where that is known.
    pub truth: Option<String>,
    /// The programs and the text, as JSON.
    pub input: Value,
}

/// The test set as the store keeps it, and a digest of all that decides what is found about it.
pub fn rows(examples: &Examples) -> (Vec<InputRow>, String) {
    let mut digest = Sha256::new();
    let mut rows = Vec::new();
    for (number, example) in examples.items.iter().enumerate() {
        let truth = match &example.truth {
            Truth::Class(class) => Some(examples.labels.get(*class).cloned().unwrap_or_else(|| class.to_string())),
            Truth::Name(text) | Truth::Text(text) => Some(text.clone()),
            Truth::Unknown => None,
        };
        let input = json_of(&examples.input(example));
        for part in [&example.id, &json!(truth).to_string(), &input.to_string()] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        rows.push(InputRow { number, id: example.id.clone(), cluster: cluster(example), truth, input });
    }
    (rows, digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Experiment {
    /// Begins a run, or takes up the one that is there. A run with another plan, model or data is refused.
    pub fn begin<Plan: Serialize + DeserializeOwned>(
        folder: &Path,
        command: &str,
        plan: &Plan,
        model: &dyn Model,
        examples: &Examples,
    ) -> Result<Experiment, StoreError> {
        let (mut connection, lock) = claim(folder, FILE)?;
        let failed = |source| StoreError::Database { path: folder.join(FILE), source };
        let (rows, data) = rows(examples);
        let wanted = BTreeMap::from([
            ("schema", SCHEMA.to_owned()),
            ("command", command.to_owned()),
            ("program", env!("CARGO_PKG_VERSION").to_owned()),
            ("plan", serde_json::to_string(plan).unwrap_or_default()),
            ("model", serde_json::to_string(model.identity()).unwrap_or_default()),
            ("data", data),
        ]);
        if is_new(&connection).map_err(failed)? {
            fill(&mut connection, &wanted, &rows).map_err(failed)?;
            std::fs::write(folder.join("plan.toml"), toml::to_string(plan).unwrap_or_default())
                .map_err(|source| StoreError::Unreadable { path: folder.to_owned(), source })?;
        }
        let store = Experiment { connection, folder: folder.to_owned(), _lock: Some(lock) };
        let found = store.about()?;
        let mut differ = Vec::new();
        let mut add = |what: &str, key: &str| {
            let value = found.get(key).cloned().unwrap_or_default();
            if value != wanted[key] {
                differ.push(format!("{what}: {value}, now {}", wanted[key]));
            }
        };
        add("the command", "command");
        add("the model", "model");
        add("the digest of the data", "data");
        if differ.iter().all(|line| !line.starts_with("the command")) {
            let before = found.get("plan").and_then(|plan| serde_json::from_str::<Plan>(plan).ok());
            differ.extend(before.map(|before| differences(&before, plan)).unwrap_or_default());
        }
        match differ.is_empty() {
            true => Ok(store),
            false => Err(StoreError::OtherPlan { path: folder.to_owned(), differences: differ }),
        }
    }

    /// Opens a run to read it.
    pub fn open(folder: &Path) -> Result<Experiment, StoreError> {
        let store = Experiment { connection: look_into(folder)?, folder: folder.to_owned(), _lock: None };
        store.about()?;
        Ok(store)
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn about(&self) -> Result<BTreeMap<String, String>, StoreError> {
        let values = || -> rusqlite::Result<BTreeMap<String, String>> {
            let mut rows = self.connection.prepare("select key, value from about")?;
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        let values = values().map_err(|source| StoreError::Database { path: self.folder.join(FILE), source })?;
        let found = values.get("schema").cloned().unwrap_or_default();
        match found == SCHEMA {
            true => Ok(values),
            false => Err(StoreError::Version { path: self.folder.clone(), found }),
        }
    }

    /// Gives an error of the database its place.
    pub(crate) fn failed(&self, source: rusqlite::Error) -> ExperimentError {
        ExperimentError::Database { path: self.folder.join(FILE), source }
    }

    /// The answers to the untouched inputs, by their places; asked for once, and kept. Inputs without an answer are left out of
    /// everything that follows.
    pub(crate) fn answers_before(
        &mut self,
        examples: &Examples,
        ask: &mut Ask<'_>,
    ) -> Result<Vec<Option<Prediction>>, ExperimentError> {
        let mut kept = self.kept_before().map_err(|error| self.failed(error))?;
        if kept.len() != examples.items.len() {
            let inputs = examples.items.iter().map(|example| examples.input(example)).collect();
            let answers = ask(inputs)?;
            self.keep_before(&answers).map_err(|error| self.failed(error))?;
            kept = self.kept_before().map_err(|error| self.failed(error))?;
        }
        let answers: Vec<Option<Prediction>> = kept.into_iter().map(|(answer, _)| answer).collect();
        if answers.iter().all(Option::is_none) {
            return Err(Unmeasurable::Nothing.into());
        }
        Ok(answers)
    }

    fn kept_before(&self) -> rusqlite::Result<Vec<(Option<Prediction>, Option<String>)>> {
        let mut rows = self.connection.prepare("select answer, fault from before order by number")?;
        rows.query_map([], |row| Ok((read_prediction(row.get(0)?), row.get(1)?)))?.collect()
    }

    /// How many inputs got no answer before any change, by the reason.
    pub fn faults_before(&self) -> Result<BTreeMap<String, usize>, ExperimentError> {
        let mut counts = BTreeMap::new();
        for (_, fault) in self.kept_before().map_err(|error| self.failed(error))? {
            if let Some(fault) = fault {
                *counts.entry(fault).or_default() += 1;
            }
        }
        Ok(counts)
    }

    fn keep_before(&mut self, answers: &[Result<Answer, Fault>]) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        for (number, answer) in answers.iter().enumerate() {
            let (answer, fault) = columns(answer);
            transaction.execute("insert or replace into before values (?1, ?2, ?3)", params![number, answer, fault])?;
        }
        transaction.commit()
    }

    /// Adds to the time that a part of the work took.
    pub(crate) fn add_time(&self, part: &str, repeat: usize, generation: usize, seconds: f64) -> rusqlite::Result<()> {
        self.connection.execute(
            "insert into times values (?1, ?2, ?3, ?4)
             on conflict do update set seconds = seconds + excluded.seconds",
            params![part, repeat, generation, seconds],
        )?;
        Ok(())
    }

    /// The times of a part of the work, by generation.
    pub(crate) fn times(&self, part: &str, repeat: usize) -> rusqlite::Result<HashMap<usize, f64>> {
        let mut rows =
            self.connection.prepare("select generation, seconds from times where part = ?1 and repeat = ?2")?;
        rows.query_map(params![part, repeat], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    /// How long everything took.
    pub fn seconds(&self) -> Result<f64, ExperimentError> {
        let sum: Option<f64> = self
            .connection
            .query_row("select sum(seconds) from times", [], |row| row.get(0))
            .optional()
            .map_err(|error| self.failed(error))?
            .flatten();
        Ok(sum.unwrap_or(0.0))
    }

    /// Writes a file of the run beside its place and moves it there.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), ExperimentError> {
        let path = self.folder.join(name);
        let beside = self.folder.join(format!("{name}.part"));
        std::fs::write(&beside, text)
            .and_then(|()| std::fs::rename(&beside, &path))
            .map_err(|source| ExperimentError::Unwritable { path, source })
    }
}

fn fill(connection: &mut Connection, about: &BTreeMap<&str, String>, rows: &[InputRow]) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    for (key, value) in about {
        transaction.execute("insert into about values (?1, ?2)", params![key, value])?;
    }
    {
        let mut insert = transaction.prepare("insert into inputs values (?1, ?2, ?3, ?4, ?5)")?;
        for row in rows {
            insert.execute(params![row.number, row.id, row.cluster, row.truth, row.input.to_string()])?;
        }
    }
    transaction.commit()
}

/// An answer as it is kept: the prediction, or why there is none.
pub(crate) fn columns(answer: &Result<Answer, Fault>) -> (Option<String>, Option<String>) {
    match answer {
        Ok(answer) => (Some(write_prediction(&answer.prediction)), None),
        Err(fault) => (None, Some(fault.to_string())),
    }
}

fn write_prediction(prediction: &Prediction) -> String {
    let value = match prediction {
        Prediction::Classes(classes) => json!({"classes": classes}),
        Prediction::Names(names) => json!({"names": names}),
        Prediction::Text(text) => json!({"text": text}),
        Prediction::Embedding(vector) => json!({"embedding": vector}),
    };
    value.to_string()
}

pub(crate) fn read_prediction(text: Option<String>) -> Option<Prediction> {
    let mut value: Value = serde_json::from_str(&text?).ok()?;
    let mut field = |name: &str| value.get_mut(name).map(Value::take);
    if let Some(classes) = field("classes") {
        return serde_json::from_value(classes).ok().map(Prediction::Classes);
    }
    if let Some(names) = field("names") {
        return serde_json::from_value(names).ok().map(Prediction::Names);
    }
    if let Some(vector) = field("embedding") {
        return serde_json::from_value(vector).ok().map(Prediction::Embedding);
    }
    serde_json::from_value(field("text")?).ok().map(Prediction::Text)
}

/// How the work is done. Nothing of this changes what is found.
pub struct Pace<'p> {
    /// How many questions the model is asked at once, at the most.
    pub batch: usize,
    /// Where answers are kept for other runs.
    pub cache: Option<&'p Cache>,
    /// Set when everything has to end.
    pub stop: &'p std::sync::atomic::AtomicBool,
}

/// Asks the model about inputs. An error is a stop, or a model that is not there; single inputs without an answer are none.
pub(crate) type Ask<'a> = dyn FnMut(Vec<Input>) -> Result<Vec<Result<Answer, Fault>>, ExperimentError> + 'a;

/// Does some work that asks a model, through a desk that knows what was asked before.
pub(crate) fn at_a_desk<Done>(
    model: &dyn Model,
    pace: &Pace<'_>,
    work: impl FnOnce(&mut Ask<'_>, &dyn Fn() -> Traffic) -> Done,
) -> Done {
    /// Lets the thread that serves end, whatever happens to the work.
    struct Closing<'d, 'm>(&'d Desk<'m>);
    impl Drop for Closing<'_, '_> {
        fn drop(&mut self) {
            self.0.close();
        }
    }
    let desk = Desk::new(model, pace.batch, pace.cache);
    std::thread::scope(|scope| {
        scope.spawn(|| desk.serve());
        let _closing = Closing(&desk);
        let seat = desk.sit();
        let mut ask = |inputs: Vec<Input>| {
            let all = inputs.len();
            let mut answers = Vec::with_capacity(all);
            let mut inputs = inputs.into_iter().peekable();
            while inputs.peek().is_some() {
                if pace.stop.load(std::sync::atomic::Ordering::Relaxed) {
                    return Err(ExperimentError::Interrupted);
                }
                answers.extend(seat.ask(inputs.by_ref().take(pace.batch.max(1)).collect()).0);
            }
            // An input that the model cannot take is a fact about the input. A model that is away says nothing about it.
            let gone = |answer: &&Result<Answer, Fault>| {
                matches!(answer, Err(Fault::Late(_) | Fault::Disconnected(_) | Fault::Refused { .. }))
            };
            match answers.iter().find(gone) {
                Some(Err(fault)) => {
                    let count = answers.iter().filter(gone).count();
                    Err(ExperimentError::Model { count, all, fault: fault.clone() })
                }
                _ => Ok(answers),
            }
        };
        work(&mut ask, &|| desk.traffic())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_come_back_bit_for_bit() {
        let predictions = [
            Prediction::Classes(vec![0.1, 0.9, f32::MIN_POSITIVE, 1.0 / 3.0]),
            Prediction::Names(vec![("größe".to_owned(), 0.3), (String::new(), 0.0)]),
            Prediction::Text("sorts \"a\" list".to_owned()),
            Prediction::Embedding(vec![-1.5, 1e-30]),
        ];
        for prediction in predictions {
            assert_eq!(read_prediction(Some(write_prediction(&prediction))), Some(prediction));
        }
        assert_eq!((read_prediction(None), read_prediction(Some("{}".to_owned()))), (None, None));
    }
}
