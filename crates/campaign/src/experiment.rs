//! Experiments over a data set, as `evolve` and `grid` make them: what both keep, and how both query the model.
//!
//! Tables of both: `before` (the model's answers before any change) and `times` (how long each part took, apart because it differs
//! from run to run).

use std::collections::{BTreeMap, HashMap};

use model::{Answer, Fault, Input, Model, Prediction};
use rusqlite::params;
use search::{Cache, Desk, Traffic};

use crate::evaluate::Unmeasurable;
use crate::examples::Examples;
use crate::run::{Json, RunPlan, Store, StoreError};
use crate::work::{Event, Pace, STOPPED, Watcher};

/// The tables of every experiment.
pub(crate) const TABLES: &str = "
create table before (number integer primary key references inputs, answer text, fault text);
create table times (
    part text not null,
    repeat integer not null,
    generation integer not null,
    seconds real not null,
    primary key (part, repeat, generation)
) without rowid;
";

/// The plan of an experiment: its runs have what a model answered before any change.
pub trait Experiment: RunPlan {}

/// Why an experiment ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The model does not answer.
    #[error("the model failed on {count} of {all} inputs: {fault}; the same command queries it again")]
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
    #[error("{STOPPED}")]
    Interrupted,
}

/// A stored answer: the prediction, or the reason for its absence.
type Kept = (Option<Prediction>, Option<String>);

impl<Plan: Experiment> Store<Plan> {
    /// The answers to the untouched inputs, by their places; asked for once, and kept. Inputs without an answer are left out of
    /// everything that follows.
    pub(crate) fn answers_before(
        &mut self,
        examples: &Examples,
        ask: &mut Ask<'_>,
    ) -> Result<Vec<Option<Prediction>>, ExperimentError> {
        let mut kept = self.kept_before()?;
        if kept.len() != examples.items.len() {
            let inputs = examples.items.iter().map(|example| examples.input(example)).collect();
            let answers = ask(inputs)?;
            self.write(|transaction| {
                let mut insert = transaction.prepare("insert or replace into before values (?1, ?2, ?3)")?;
                for (number, answer) in answers.iter().enumerate() {
                    let (answer, fault) = columns(answer);
                    insert.execute(params![number, answer, fault])?;
                }
                Ok(())
            })?;
            kept = self.kept_before()?;
        }
        let answers: Vec<Option<Prediction>> = kept.into_iter().map(|(answer, _)| answer).collect();
        if answers.iter().all(Option::is_none) {
            return Err(Unmeasurable::Nothing.into());
        }
        Ok(answers)
    }

    fn kept_before(&self) -> Result<Vec<Kept>, StoreError> {
        self.read(|connection| {
            let mut rows = connection.prepare("select answer, fault from before order by number")?;
            rows.query_map([], |row| Ok((Json::read(row, 0)?, row.get(1)?)))?.collect()
        })
    }

    /// Tells which inputs are left out, because the model did not answer about them before any change.
    pub(crate) fn tell_faults(&self, watcher: &dyn Watcher) -> Result<(), StoreError> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for fault in self.kept_before()?.into_iter().filter_map(|(_, fault)| fault) {
            *counts.entry(fault).or_default() += 1;
        }
        for (fault, count) in counts {
            let note = format!("{count} inputs are left out, the model has no answer about them: {fault}");
            watcher.tell(Event::Note(note));
        }
        Ok(())
    }

    /// Adds to the time that a part of the work took.
    pub(crate) fn add_time(
        &mut self,
        part: &str,
        repeat: usize,
        generation: usize,
        seconds: f64,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            let add = "insert into times values (?1, ?2, ?3, ?4) on conflict do update set seconds = seconds + excluded.seconds";
            transaction.execute(add, params![part, repeat, generation, seconds]).map(|_| ())
        })
    }

    /// The times of a part of the work, by generation.
    pub(crate) fn times(&self, part: &str, repeat: usize) -> Result<HashMap<usize, f64>, StoreError> {
        self.read(|connection| {
            let mut rows =
                connection.prepare("select generation, seconds from times where part = ?1 and repeat = ?2")?;
            rows.query_map(params![part, repeat], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    /// How long everything took.
    pub fn seconds(&self) -> Result<f64, StoreError> {
        self.read(|connection| connection.query_row("select total(seconds) from times", [], |row| row.get(0)))
    }
}

/// The columns of an answer: its prediction, or the reason for its absence.
pub(crate) fn columns(answer: &Result<Answer, Fault>) -> (Option<Json<&Prediction>>, Option<String>) {
    match answer {
        Ok(answer) => (Some(Json(&answer.prediction)), None),
        Err(fault) => (None, Some(fault.to_string())),
    }
}

/// The maximum number of inputs in a batch, where the pace does not say.
pub const BATCH: usize = 256;

/// Asks the model about inputs. An error is a stop, or a model that is not there; single inputs without an answer are none.
pub(crate) type Ask<'a> = dyn FnMut(Vec<Input>) -> Result<Vec<Result<Answer, Fault>>, ExperimentError> + 'a;

/// Does some work that asks a model, through a desk that knows what was asked before.
pub(crate) fn at_a_desk<Done>(
    model: &dyn Model,
    pace: &Pace,
    cache: Option<&Cache>,
    watcher: &dyn Watcher,
    work: impl FnOnce(&mut Ask<'_>, &dyn Fn() -> Traffic) -> Done,
) -> Done {
    /// Lets the thread that serves end, whatever happens to the work.
    struct Closing<'d, 'm>(&'d Desk<'m>);
    impl Drop for Closing<'_, '_> {
        fn drop(&mut self) {
            self.0.close();
        }
    }
    let batch = pace.batch.unwrap_or(BATCH).max(1);
    let desk = Desk::new(model, batch, cache);
    std::thread::scope(|scope| {
        scope.spawn(|| desk.serve());
        let _closing = Closing(&desk);
        let seat = desk.sit();
        let mut ask = |inputs: Vec<Input>| {
            let all = inputs.len();
            let mut answers = Vec::with_capacity(all);
            let mut inputs = inputs.into_iter().peekable();
            while inputs.peek().is_some() {
                if watcher.should_stop() {
                    return Err(ExperimentError::Interrupted);
                }
                answers.extend(seat.ask(inputs.by_ref().take(batch).collect()).0);
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
