//! The commands: one file each.

mod calls;
mod data;
mod dataset;
mod evaluate;
mod explain;
mod list;
mod transform;
mod verify;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
            Command::Verify(arguments) => verify::run(&arguments),
        }
    }
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
