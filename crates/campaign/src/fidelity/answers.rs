//! The answers of teacher and students in a run.
//!
//! Tables: `answers` (the probabilities of a model for an input, or why there are none; model 0 is the teacher) and `divergences`
//! (teacher and student on an input, written when all answers are there).

use std::collections::BTreeSet;

use model::{Answer, Fault, Prediction};
use rusqlite::params;

use super::{Compared, FidelityPlan};
use crate::run::{Json, RunPlan, Store, StoreError};

const TABLES: &str = "
create table answers (
    model integer not null,
    number integer not null references inputs,
    probabilities text,
    fault text,
    primary key (model, number)
) without rowid;
create table divergences (
    student integer not null,
    number integer not null references inputs,
    teacher_label integer not null,
    student_label integer not null,
    from_teacher real,
    from_student real,
    primary key (student, number)
) without rowid;
";

impl RunPlan for FidelityPlan {
    const COMMAND: &'static str = "fidelity";
    const TABLES: &'static [&'static str] = &[TABLES];

    fn titles(&self) -> Vec<String> {
        let student = |number: usize| match self.students.len() {
            1 => "student".to_owned(),
            _ => format!("student {number}"),
        };
        std::iter::once("teacher".to_owned()).chain((1..=self.students.len()).map(student)).collect()
    }
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
    /// The row of an answer. One that is not a list of classes has neither probabilities nor a fault.
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

impl Store<FidelityPlan> {
    /// The inputs that a model has answered. What had no answer is asked again.
    pub fn done(&self, model: usize) -> Result<BTreeSet<usize>, StoreError> {
        self.read(|connection| {
            let mut rows = connection.prepare("select number from answers where model = ?1 and fault is null")?;
            rows.query_map([model], |row| row.get(0))?.collect()
        })
    }

    /// Adds answers. When this returns they are on the disk.
    pub fn add(&mut self, rows: &[AnswerRow]) -> Result<(), StoreError> {
        self.write(|transaction| {
            let mut insert = transaction.prepare_cached("insert or replace into answers values (?1, ?2, ?3, ?4)")?;
            for AnswerRow { model, number, probabilities, fault } in rows {
                insert.execute(params![model, number, probabilities.as_ref().map(Json), fault])?;
            }
            Ok(())
        })
    }

    /// The answers of a model, in the order of the data set.
    pub fn answers(&self, model: usize) -> Result<Vec<AnswerRow>, StoreError> {
        self.read(|connection| {
            let mut rows = connection
                .prepare("select number, probabilities, fault from answers where model = ?1 order by number")?;
            rows.query_map([model], |row| {
                let (probabilities, fault) = (Json::read(row, 1)?, row.get(2)?);
                Ok(AnswerRow { model, number: row.get(0)?, probabilities, fault })
            })?
            .collect()
        })
    }

    /// Keeps what teacher and a student say about every input, in the place of what was kept before. A divergence that is infinite
    /// is null.
    pub fn keep_divergences(&mut self, student: usize, inputs: &[Compared]) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("delete from divergences where student = ?1", [student])?;
            let mut insert = transaction.prepare_cached("insert into divergences values (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for input in inputs {
                let finite = |value: f64| value.is_finite().then_some(value);
                let (teacher, own) = input.labels();
                let (from_teacher, from_student) = (finite(input.from_teacher), finite(input.from_student));
                insert.execute(params![student, input.number, teacher, own, from_teacher, from_student])?;
            }
            Ok(())
        })
    }
}
