//! The commands: one file each.

mod attack;
mod calls;
mod compare;
mod data;
mod dataset;
mod evaluate;
mod explain;
mod list;
mod merge;
mod report;
mod transform;
mod verify;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::{Model, OpenError};
use syntax::Language;

use crate::failure::Failure;

/// A command with its options.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Lists what there is.
    List(list::Arguments),
    /// Prints the manual page of a transformation, a source of names or a measure.
    Explain(explain::Arguments),
    /// Shows what a labelled data set holds: task, labels, lengths, duplicates, broken rows.
    Data(Box<data::Arguments>),
    /// Rewrites files, folders and data sets.
    Transform(Box<transform::Arguments>),
    /// Asks a model about a data set and measures its answers.
    Evaluate(Box<evaluate::Arguments>),
    /// Searches for forms of programs that mean the same and get another answer.
    Attack(Box<attack::Arguments>),
    /// Does what a plan says; a run that was stopped is taken up again.
    Run(attack::PlanArguments),
    /// Compares attacks or models over the same targets.
    Compare(compare::Arguments),
    /// Writes what runs say as one page: numbers, pictures, and every adversarial example beside its original.
    Report(report::Arguments),
    /// Puts the records of several runs of one plan together, such as those of its shards.
    Merge(merge::Arguments),
    /// Judges whether a variant is the same program: it parses, its names resolve, it compiles, it behaves the same.
    Verify(Box<verify::Arguments>),
}

impl Command {
    /// Runs the command.
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self {
            Command::List(arguments) => list::run(&arguments),
            Command::Explain(arguments) => explain::run(&arguments),
            Command::Data(arguments) => data::run(&arguments),
            Command::Transform(arguments) => transform::run(&arguments),
            Command::Evaluate(arguments) => evaluate::run(&arguments),
            Command::Attack(arguments) => attack::run(&arguments),
            Command::Run(arguments) => attack::run_plan(&arguments),
            Command::Compare(arguments) => compare::run(&arguments),
            Command::Report(arguments) => report::run(&arguments),
            Command::Merge(arguments) => merge::run(&arguments),
            Command::Verify(arguments) => verify::run(&arguments),
        }
    }
}

/// Opens a model.
fn open_model(name: &str) -> Result<Box<dyn Model>, Failure> {
    model::open(name).map_err(|error| match error {
        OpenError::UnknownKind(_) => Failure::usage(error),
        OpenError::Unreadable { .. } | OpenError::Unusable { .. } | OpenError::Missing(_) => Failure::missing(error),
    })
}

/// Reads the name of a language on the command line.
fn language(name: &str) -> Result<Language, String> {
    name.parse().map_err(|error: syntax::language::UnknownLanguage| error.to_string())
}

/// Sets the number of threads, when the user names one.
fn use_threads(jobs: Option<usize>) -> Result<(), Failure> {
    let Some(jobs) = jobs else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build_global();
    pool.map_err(|error| Failure::usage(format!("failed to start {jobs} threads: {error}")))
}

/// A flag that Ctrl-C sets. A second signal while the first is being obeyed changes nothing: files are complete or not
/// there at any moment.
fn stop_flag() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    stop
}
