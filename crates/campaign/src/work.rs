//! What all long work shares: how fast it runs, who watches it, and why it ends early.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use equivalence::sandbox::SandboxError;
use model::builtin::linear::TrainError;
use model::{Fault, Model, OpenError};
use search::{Cache, CacheError};
use training::compute::ComputeError;
use training::train::TrainingError;

use crate::data::DataError;
use crate::evaluate::Unmeasurable;
use crate::examples::Examples;
use crate::experiment::ExperimentError;
use crate::fidelity::Incomparable;
use crate::manifest::ManifestError;
use crate::plan::{DataPlan, PlanError, with_data_folder};
use crate::run::StoreError;
use crate::tasks::TasksError;
use crate::train::NoLessons;
use crate::transform::TransformError;
use crate::verify::{HuntError, JournalError};

/// Follows long work and may end it. Implement it to draw progress or to stop on a signal; `&()` does neither.
pub trait Watcher: Sync {
    /// The flag that ends the work when it is set. What is complete by then stays.
    fn stop(&self) -> &AtomicBool {
        static NEVER: AtomicBool = AtomicBool::new(false);
        &NEVER
    }

    /// Hears how far the work is.
    fn tell(&self, _event: Event<'_>) {}
}

impl Watcher for () {}

impl dyn Watcher + '_ {
    /// Is the work to end?
    pub fn should_stop(&self) -> bool {
        self.stop().load(Ordering::Relaxed)
    }
}

/// What a [`Watcher`] hears.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event<'e> {
    /// A stage begins, with the number of its steps where that is known.
    Stage(&'e str, Option<usize>),
    /// This number of further steps of the stage is done.
    Steps(usize),
    /// What the stage has to show beside the number of its steps.
    Status(String),
    /// Something that the user should know, whether or not anybody looks at progress.
    Note(String),
}

/// How the work is done. Nothing of this changes what is found. What is absent is chosen by the work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pace {
    /// How many targets are attacked at the same time.
    pub jobs: Option<usize>,
    /// The maximum number of inputs that the model gets at once.
    pub batch: Option<usize>,
    /// A file that keeps the model's answers, for this run and others.
    pub cache: Option<PathBuf>,
}

impl Pace {
    pub(crate) fn open_cache(&self) -> Result<Option<Cache>, CacheError> {
        self.cache.as_deref().map(Cache::open).transpose()
    }
}

/// What is said about a run that was stopped.
pub(crate) const STOPPED: &str = "stopped; the same command resumes the run";

/// Why work ended before it was done.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum WorkError {
    Plan(#[from] PlanError),
    Data(#[from] DataError),
    Open(#[from] OpenError),
    Store(#[from] StoreError),
    Experiment(#[from] ExperimentError),
    Cache(#[from] CacheError),
    Sandbox(#[from] SandboxError),
    Manifest(#[from] ManifestError),
    Tasks(#[from] TasksError),
    Hunt(#[from] HuntError),
    Journal(#[from] JournalError),
    Transform(#[from] TransformError),
    Unmeasurable(#[from] Unmeasurable),
    Incomparable(#[from] Incomparable),
    NoLessons(#[from] NoLessons),
    Training(#[from] TrainingError),
    Model(#[from] Fault),
    /// Nothing can be learned from a data set.
    #[error("{}: {source}", path.display())]
    Train {
        path: PathBuf,
        source: TrainError,
    },
    /// The model has no answer to any input.
    #[error("the model answered none of {count} inputs: {fault}")]
    NoAnswers {
        count: usize,
        fault: String,
    },
    /// The watcher ended it.
    #[error("{0}")]
    Interrupted(&'static str),
}

/// Whose fault it is that work ended early, which is what exit codes tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The plan or an option is wrong.
    Plan,
    /// A file, a model or a tool is missing, or cannot be read or written.
    Missing,
    /// The model failed.
    Model,
    /// The user ended it.
    Interrupted,
}

impl WorkError {
    /// Whose fault it is.
    pub fn cause(&self) -> Cause {
        match self {
            WorkError::Data(error) | WorkError::Transform(TransformError::Data(error)) => match error {
                DataError::NoField { .. }
                | DataError::NoCode { .. }
                | DataError::NoLayout { .. }
                | DataError::Unfit { .. }
                | DataError::NoLanguage { .. } => Cause::Plan,
                _ => Cause::Missing,
            },
            WorkError::Plan(PlanError::NoPlan { .. } | PlanError::Unfit(_))
            | WorkError::Transform(
                TransformError::Nested { .. }
                | TransformError::NotEmpty(_)
                | TransformError::NoLanguage(_)
                | TransformError::TwoInputs(_),
            )
            | WorkError::Open(OpenError::UnknownKind(_))
            | WorkError::Experiment(ExperimentError::Unmeasurable(_) | ExperimentError::Unfit(_))
            | WorkError::Unmeasurable(_)
            | WorkError::Incomparable(_)
            | WorkError::NoLessons(_)
            | WorkError::Train { .. } => Cause::Plan,
            WorkError::Experiment(ExperimentError::Model { .. })
            | WorkError::NoAnswers { .. }
            | WorkError::Model(_) => Cause::Model,
            WorkError::Experiment(ExperimentError::Interrupted)
            | WorkError::Interrupted(_)
            | WorkError::Training(TrainingError::Stopped { .. }) => Cause::Interrupted,
            WorkError::Training(error) => match error {
                TrainingError::Unreadable { .. }
                | TrainingError::Unwritable { .. }
                | TrainingError::Unsaved { .. }
                | TrainingError::Damaged { .. }
                | TrainingError::Open(_)
                | TrainingError::Compute(ComputeError::Missing(_)) => Cause::Missing,
                TrainingError::NotFinite { .. } | TrainingError::Compute(_) => Cause::Model,
                _ => Cause::Plan,
            },
            _ => Cause::Missing,
        }
    }
}

/// Opens a model by its name, KIND:WHERE, in which `$ALLOTROPE_DATA` may stand for the folder with the data sets.
pub fn open_model(name: &str) -> Result<Box<dyn Model>, WorkError> {
    Ok(training::open(&with_data_folder(name)?)?)
}

/// Opens a model that will be given inputs which no data set has.
pub fn open_victim(name: &str) -> Result<Box<dyn Model>, WorkError> {
    let model = open_model(name)?;
    match model.takes_new_inputs() {
        true => Ok(model),
        false => Err(PlanError::Unfit(format!(
            "{name} is known by its recorded answers alone, and has none to rewritten programs: it can be evaluated, compared and distilled, but not attacked"
        ))
        .into()),
    }
}

/// The most frequent reasons with their counts.
fn reasons(counts: &BTreeMap<String, usize>) -> String {
    const SHOWN: usize = 5;
    let mut counts: Vec<(&String, &usize)> = counts.iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let mut shown: Vec<String> =
        counts.iter().take(SHOWN).map(|(reason, count)| format!("{reason} ({count})")).collect();
    if counts.len() > SHOWN {
        shown.push(format!("{} others", counts.len() - SHOWN));
    }
    shown.join(", ")
}

/// Reads the examples of a plan. The watcher hears about rows that cannot be used.
pub fn read_examples(plan: &DataPlan, watcher: &dyn Watcher) -> Result<Examples, WorkError> {
    let examples = Examples::read(&plan.request()?)?;
    if let Some(first) = examples.broken.first.first() {
        let (broken, rows) = (examples.broken.rows, examples.rows);
        let mut note = format!("{broken} of {rows} rows cannot be used; the first: {first}");
        if examples.broken.reasons.len() > 1 {
            note.push_str(&format!("; by reason: {}", reasons(&examples.broken.reasons)));
        }
        watcher.tell(Event::Note(note));
    }
    for warning in &examples.warnings {
        watcher.tell(Event::Note(format!("warning: {warning}")));
    }
    Ok(examples)
}
