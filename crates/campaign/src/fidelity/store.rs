//! The answers of teacher and students on disk: `fidelity.sqlite` in the folder of the run.
//!
//! Tables: `about`, `models` (0 is the teacher), `inputs`, `answers` (the probabilities of a model for an input, as JSON, or why there
//! are none) and `divergences` (teacher and student on an input, written when all answers are there).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use model::{Answer, Fault, Prediction};
use rusqlite::{Connection, params};

use super::{Compared, FidelityPlan};
use crate::plan::differences;
use crate::store::{StoreError, TargetRow, claim, is_new};

const FILE: &str = "fidelity.sqlite";

const SCHEMA: &str = "1";

const TABLES: &str = "
create table about (key text primary key, value text not null) without rowid;
create table models (model integer primary key, title text not null, name text not null, identity text not null);
create table inputs (
    number integer primary key,
    id text not null unique,
    cluster text not null,
    truth text not null,
    input text not null
);
create table answers (
    model integer not null references models,
    number integer not null references inputs,
    probabilities text,
    fault text,
    primary key (model, number)
) without rowid;
create table divergences (
    student integer not null references models,
    number integer not null references inputs,
    teacher_label integer not null,
    student_label integer not null,
    from_teacher real,
    from_student real,
    primary key (student, number)
) without rowid;
";

/// The answers of teacher and students.
pub struct FidelityStore {
    connection: Connection,
    path: PathBuf,
    _lock: File,
}

/// The answer of a model to an input.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerRow {
    /// The model: 0 is the teacher.
    pub model: usize,
    /// The place of the input in the data set.
    pub number: usize,
    /// The probability of each class.
    pub probabilities: Option<Vec<f64>>,
    /// Why there is no answer.
    pub fault: Option<String>,
}

impl AnswerRow {
    /// The row of an answer. One that is no list of classes has neither probabilities nor a fault.
    pub fn of(model: usize, number: usize, answer: Result<Answer, Fault>) -> AnswerRow {
        let (probabilities, fault) = match answer {
            Err(fault) => (None, Some(fault.to_string())),
            Ok(Answer { prediction: Prediction::Classes(classes), .. }) => {
                // Sums in single precision may be a little above one.
                (Some(classes.iter().map(|share| f64::from(*share).clamp(0.0, 1.0)).collect()), None)
            }
            Ok(_) => (None, None),
        };
        AnswerRow { model, number, probabilities, fault }
    }
}

impl FidelityStore {
    /// Begins a run, or takes up the one that is there. A run with another plan, other models or data is refused.
    pub fn begin(
        folder: &Path,
        plan: &FidelityPlan,
        identities: &[String],
        data: &str,
        inputs: &[TargetRow],
    ) -> Result<FidelityStore, StoreError> {
        let unreadable = |source| StoreError::Unreadable { path: folder.to_owned(), source };
        let (mut connection, lock) = claim(folder, FILE)?;
        let path = folder.join(FILE);
        let failed = |source| StoreError::Database { path: path.clone(), source };
        if is_new(&connection).map_err(failed)? {
            fill(&mut connection, plan, identities, data, inputs).map_err(failed)?;
            std::fs::write(folder.join("plan.toml"), toml::to_string(plan).unwrap_or_default()).map_err(unreadable)?;
        }
        let store = FidelityStore { connection, path: path.clone(), _lock: lock };
        let values = store.about().map_err(failed)?;
        let value = |key: &str| values.get(key).cloned().unwrap_or_default();
        let found: Option<FidelityPlan> =
            serde_json::from_str(&value("plan")).ok().filter(|_| value("schema") == SCHEMA);
        let Some(found) = found else {
            return Err(StoreError::Version { path: folder.to_owned(), found: value("schema") });
        };
        let mut differing = differences(&found, plan);
        if value("data") != data {
            differing.push(format!("the digest of the data: {}, now {data}", value("data")));
        }
        let known = store.identities().map_err(failed)?;
        for (title, (found, wanted)) in plan.titles().iter().zip(known.iter().zip(identities)) {
            if found != wanted {
                differing.push(format!("the {title}: {found}, now {wanted}"));
            }
        }
        match differing.is_empty() {
            true => Ok(store),
            false => Err(StoreError::OtherPlan { path: folder.to_owned(), differences: differing }),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn about(&self) -> rusqlite::Result<BTreeMap<String, String>> {
        let mut rows = self.connection.prepare("select key, value from about")?;
        rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    fn identities(&self) -> rusqlite::Result<Vec<String>> {
        let mut rows = self.connection.prepare("select identity from models order by model")?;
        rows.query_map([], |row| row.get(0))?.collect()
    }

    /// The inputs that a model has answered. What had no answer is asked again.
    pub fn done(&self, model: usize) -> rusqlite::Result<BTreeSet<usize>> {
        let mut rows = self.connection.prepare("select number from answers where model = ?1 and fault is null")?;
        rows.query_map([model], |row| row.get(0))?.collect()
    }

    /// Adds answers. When this returns they are on the disk.
    pub fn add(&mut self, rows: &[AnswerRow]) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        {
            let mut insert = transaction.prepare_cached("insert or replace into answers values (?1, ?2, ?3, ?4)")?;
            for row in rows {
                let probabilities = row.probabilities.as_ref().map(|list| serde_json::json!(list).to_string());
                insert.execute(params![row.model, row.number, probabilities, row.fault])?;
            }
        }
        transaction.commit()
    }

    /// The answers of a model, in the order of the data set.
    pub fn answers(&self, model: usize) -> rusqlite::Result<Vec<AnswerRow>> {
        let mut rows = self
            .connection
            .prepare("select model, number, probabilities, fault from answers where model = ?1 order by number")?;
        rows.query_map([model], |row| {
            let probabilities: Option<String> = row.get(2)?;
            let probabilities = probabilities.and_then(|text| serde_json::from_str(&text).ok());
            Ok(AnswerRow { model: row.get(0)?, number: row.get(1)?, probabilities, fault: row.get(3)? })
        })?
        .collect()
    }

    /// Keeps what teacher and a student say about every input, in the place of what was kept before. A divergence that is infinite
    /// is null.
    pub fn keep_divergences(&mut self, student: usize, inputs: &[Compared]) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        transaction.execute("delete from divergences where student = ?1", [student])?;
        {
            let mut insert = transaction.prepare_cached("insert into divergences values (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for input in inputs {
                let finite = |value: f64| value.is_finite().then_some(value);
                let (teacher, own) = input.labels();
                let (from_teacher, from_student) = (finite(input.from_teacher), finite(input.from_student));
                insert.execute(params![student, input.number, teacher, own, from_teacher, from_student])?;
            }
        }
        transaction.commit()
    }
}

/// Makes the tables in one transaction: a run that is killed here has not begun.
fn fill(
    connection: &mut Connection,
    plan: &FidelityPlan,
    identities: &[String],
    data: &str,
    inputs: &[TargetRow],
) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    let values = [
        ("schema", SCHEMA.to_owned()),
        ("program", env!("CARGO_PKG_VERSION").to_owned()),
        ("plan", serde_json::to_string(plan).unwrap_or_default()),
        ("data", data.to_owned()),
    ];
    for (key, value) in values {
        transaction.execute("insert into about values (?1, ?2)", params![key, value])?;
    }
    for (model, ((name, title), identity)) in plan.models().iter().zip(plan.titles()).zip(identities).enumerate() {
        transaction.execute("insert into models values (?1, ?2, ?3, ?4)", params![model, title, name, identity])?;
    }
    {
        let mut insert = transaction.prepare("insert into inputs values (?1, ?2, ?3, ?4, ?5)")?;
        for input in inputs {
            insert.execute(params![input.number, input.id, input.cluster, input.truth, input.input.to_string()])?;
        }
    }
    transaction.commit()
}
