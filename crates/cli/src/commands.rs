//! The commands: one file each.

mod attack;
mod calls;
mod compare;
mod completions;
mod data;
mod dataset;
mod evaluate;
mod evolve;
mod explain;
mod fidelity;
mod grid;
mod list;
mod man;
mod merge;
mod mutants;
mod quickstart;
mod report;
mod train;
mod transform;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use campaign::experiment::{Experiment, ExperimentError};
use campaign::plan::with_data_folder;
use campaign::run::Store;
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
    /// Breeds lists of rewrites that change most what a model scores on a data set.
    Evolve(Box<evolve::Arguments>),
    /// Applies every transformation or group to a data set and compares what they do to a model's answers.
    Grid(Box<grid::Arguments>),
    /// Does what a plan says; a run that was stopped is taken up again.
    Run(attack::PlanArguments),
    /// Compares attacks or models over the same targets.
    Compare(compare::Arguments),
    /// Says how far students follow their teacher, beyond accuracy: any two models with the same labels.
    Fidelity(Box<fidelity::Arguments>),
    /// Lists the mutants of a model, and scores them on a data set.
    Mutants(Box<mutants::Arguments>),
    /// Writes what runs say as one page: numbers, pictures, and every adversarial example beside its original.
    Report(report::Arguments),
    /// Puts the records of several runs of one plan together, such as those of its shards.
    Merge(merge::Arguments),
    /// Trains a classifier that needs nothing but this program.
    Train(Box<train::Arguments>),
    /// Shows the whole story in a minute, on what ships in this program: trains, evaluates, attacks, verifies.
    Quickstart(quickstart::Arguments),
    /// Prints what a shell needs to complete commands and options.
    Completions(completions::Arguments),
    /// Prints the manual page of a command, or writes those of all.
    Man(man::Arguments),
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
            Command::Evolve(arguments) => evolve::run(&arguments),
            Command::Grid(arguments) => grid::run(&arguments),
            Command::Run(arguments) => attack::run_plan(&arguments),
            Command::Compare(arguments) => compare::run(&arguments),
            Command::Fidelity(arguments) => fidelity::run(&arguments),
            Command::Mutants(arguments) => mutants::run(&arguments),
            Command::Report(arguments) => report::run(&arguments),
            Command::Merge(arguments) => merge::run(&arguments),
            Command::Train(arguments) => train::run(&arguments),
            Command::Quickstart(arguments) => quickstart::run(&arguments),
            Command::Completions(arguments) => completions::run(&arguments),
            Command::Man(arguments) => man::run(&arguments),
            Command::Verify(arguments) => verify::run(&arguments),
        }
    }
}

/// How an experiment is done and told; nothing of this changes what is found.
#[derive(clap::Args)]
struct ExperimentOptions {
    /// How many threads compute; by default one a core.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// How many questions the model is asked at once, at the most.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..))]
    batch: u64,
    /// Keep the model's answers in this file, for this run and others.
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
    /// Say what would be done, and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object.
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print tables in Markdown.
    #[arg(long)]
    markdown: bool,
}

/// What ended an experiment, with the exit status that tells why.
fn experiment_failure(error: ExperimentError) -> Failure {
    match error {
        ExperimentError::Model { .. } => Failure::model(error),
        ExperimentError::Unmeasurable(_) | ExperimentError::Unfit(_) => Failure::usage(error),
        ExperimentError::Interrupted => Failure::stopped(error),
        _ => Failure::missing(error),
    }
}

/// Says which inputs an experiment leaves out, because the model did not answer about them as they are.
fn say_faults(store: &Store<impl Experiment>) -> Result<(), Failure> {
    for (fault, count) in store.faults_before().map_err(Failure::missing)? {
        eprintln!("{count} inputs are left out, the model has no answer about them: {fault}");
    }
    Ok(())
}

/// Opens a model.
fn open_model(name: &str) -> Result<Box<dyn Model>, Failure> {
    let name = with_data_folder(name).map_err(Failure::usage)?;
    training::open(&name).map_err(|error| match error {
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

/// A flag that Ctrl-C sets, one for the whole program. A second signal while the first is being obeyed changes nothing: files are
/// complete or not there at any moment.
fn stop_flag() -> Arc<AtomicBool> {
    static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
        stop
    });
    Arc::clone(&STOP)
}
