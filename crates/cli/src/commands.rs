//! The commands: one file each.

mod attack;
mod compare;
mod completions;
mod data;
mod dataset;
mod disagree;
mod distil;
mod evaluate;
mod evolve;
mod explain;
mod extract;
mod fidelity;
mod gate;
mod grid;
mod list;
mod man;
mod merge;
mod mutants;
mod quantise;
mod quickstart;
mod record;
mod report;
mod retrain;
mod serve;
mod shapes;
mod site;
mod train;
mod transform;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::experiment::BATCH;
use campaign::work::Pace;
use measure::Table;
use syntax::Language;

use crate::failure::Failure;
use crate::say::say;

/// A command with its options.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Lists transformations, attacks, models, measures and so on.
    List(list::Arguments),
    /// Prints the manual page of a transformation, a source of names, an attack, a kind of model, an operator or a measure.
    Explain(explain::Arguments),
    /// Shows what a labelled data set contains: task, labels, lengths, duplicates, broken rows.
    Data(Box<data::Arguments>),
    /// Cuts the methods out of programs, as data sets for models of names.
    Extract(Box<extract::Arguments>),
    /// Rewrites files, folders and data sets.
    Transform(Box<transform::Arguments>),
    /// Queries a model on a data set and measures its answers.
    Evaluate(Box<evaluate::Arguments>),
    /// Searches for adversarial examples: rewritten programs that mean the same and get another answer.
    Attack(Box<attack::Arguments>),
    /// Evolves lists of rewrites that change a model's score on a data set the most.
    Evolve(Box<evolve::Arguments>),
    /// Applies transformations and groups to a data set and compares their effects on a model's answers.
    Grid(Box<grid::Arguments>),
    /// Runs a plan; a run that was stopped is resumed.
    Run(attack::PlanArguments),
    /// Compares attacks or models on the same targets.
    Compare(compare::Arguments),
    /// Measures how closely students follow their teacher, beyond accuracy: any two models with the same labels.
    Fidelity(Box<fidelity::Arguments>),
    /// Finds the inputs on which a student and its teacher differ most, each with the smallest rewrite that separates them.
    Disagree(Box<disagree::Arguments>),
    /// Lists the mutants of a model, and scores them on a data set.
    Mutants(Box<mutants::Arguments>),
    /// Writes a report on runs as one page: numbers, charts, and every adversarial example beside its original.
    Report(report::Arguments),
    /// Shows runs in the browser while they go on, with pause and stop.
    Serve(serve::Arguments),
    /// Checks runs against thresholds and a baseline, for continuous integration: exit status 1 when one is broken.
    Gate(Box<gate::Arguments>),
    /// Merges the records of several runs of one plan, such as its shards.
    Merge(merge::Arguments),
    /// Trains a model: a small classifier, an encoder, or a model of names or texts.
    Train(Box<train::Arguments>),
    /// Distils a student from a teacher: an encoder learns from the answers of any model.
    Distil(Box<distil::Arguments>),
    /// Searches the shape of a student in the styles of Compressor, AVATAR and MORPH.
    Shapes(Box<shapes::Arguments>),
    /// Writes the answers of a model, or a table of logits, to a file that `recorded:FILE` opens.
    Record(Box<record::Arguments>),
    /// Writes a copy of a checkpoint with eight or four bits a weight.
    Quantise(quantise::Arguments),
    /// Retrains a model on what broke it in several ways, and attacks each again.
    Retrain(retrain::Arguments),
    /// Shows the whole story in a minute, on what ships in this program: trains, evaluates, attacks, verifies.
    Quickstart(quickstart::Arguments),
    /// Prints a completion script for a shell.
    Completions(completions::Arguments),
    /// Prints the manual page of a command, or writes those of all commands.
    Man(man::Arguments),
    /// Writes the documentation as a folder of pages with a search: manual pages, help, and the documents of a checkout.
    Site(site::Arguments),
    /// Judges whether a variant is equivalent to its original: it parses, its names resolve, it compiles, it behaves the same.
    Verify(Box<verify::Arguments>),
}

impl Command {
    /// Runs the command.
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self {
            Command::List(arguments) => list::run(&arguments),
            Command::Explain(arguments) => explain::run(&arguments),
            Command::Data(arguments) => data::run(&arguments),
            Command::Extract(arguments) => extract::run(&arguments),
            Command::Transform(arguments) => transform::run(&arguments),
            Command::Evaluate(arguments) => evaluate::run(&arguments),
            Command::Attack(arguments) => attack::run(&arguments),
            Command::Evolve(arguments) => evolve::run(&arguments),
            Command::Grid(arguments) => grid::run(&arguments),
            Command::Run(arguments) => attack::run_plan(&arguments),
            Command::Compare(arguments) => compare::run(&arguments),
            Command::Fidelity(arguments) => fidelity::run(&arguments),
            Command::Disagree(arguments) => disagree::run(&arguments),
            Command::Mutants(arguments) => mutants::run(&arguments),
            Command::Report(arguments) => report::run(&arguments),
            Command::Serve(arguments) => serve::run(&arguments),
            Command::Gate(arguments) => gate::run(&arguments),
            Command::Merge(arguments) => merge::run(&arguments),
            Command::Train(arguments) => train::run(&arguments),
            Command::Distil(arguments) => distil::run(&arguments),
            Command::Shapes(arguments) => shapes::run(&arguments),
            Command::Record(arguments) => record::run(&arguments),
            Command::Quantise(arguments) => quantise::run(&arguments),
            Command::Retrain(arguments) => retrain::run(&arguments),
            Command::Quickstart(arguments) => quickstart::run(&arguments),
            Command::Completions(arguments) => completions::run(&arguments),
            Command::Man(arguments) => man::run(&arguments),
            Command::Site(arguments) => site::run(&arguments),
            Command::Verify(arguments) => verify::run(&arguments),
        }
    }
}

/// The headings that options stand under in the help of a command.
const MODEL_AND_DATA: &str = "Model and data";
const ATTACK: &str = "Attack";
const MUTANTS: &str = "Mutants";
const SEARCH: &str = "Search";
const RUN: &str = "Run";
const OUTPUT: &str = "Output";

/// How many threads compute.
#[derive(clap::Args)]
struct Threads {
    /// Number of threads; by default one per core.
    #[arg(long, value_name = "N", help_heading = RUN, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    /// Sets the number of threads, when the user names one.
    fn set(&self) -> Result<(), Failure> {
        let Some(threads) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
        pool.map_err(|error| Failure::usage(format!("failed to start {threads} threads: {error}")))
    }
}

/// How an experiment is run and printed; none of this changes what is found.
#[derive(clap::Args)]
#[command(next_help_heading = RUN)]
struct ExperimentOptions {
    #[command(flatten)]
    threads: Threads,
    /// Maximum number of inputs per batch.
    #[arg(long, value_name = "N", default_value_t = BATCH as u64, value_parser = clap::value_parser!(u64).range(1..))]
    batch: u64,
    /// Keep the model's answers in this file, for this run and others.
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
    /// Print how much there is to do, and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object.
    #[arg(long, conflicts_with = "markdown", help_heading = OUTPUT)]
    json: bool,
    /// Print tables in Markdown.
    #[arg(long, help_heading = OUTPUT)]
    markdown: bool,
}

impl ExperimentOptions {
    fn pace(&self) -> Pace {
        Pace { jobs: None, batch: Some(self.batch as usize), cache: self.cache.clone() }
    }

    /// Writes the tables of an experiment, each below its title.
    fn say_tables<'t>(&self, tables: impl Iterator<Item = &'t (&'static str, Table)>) {
        for (title, table) in tables {
            let text = if self.markdown { table.to_markdown() } else { table.to_text() };
            say(&format!("{title}\n\n{text}\n"));
        }
    }
}

/// Writes how often the model's answers changed when it was queried again.
fn say_noise(noise: Option<model::Noise>) {
    if let Some(noise) = noise {
        say(&format!("noise: {noise}\n"));
    }
}

/// The tables of an experiment as one JSON object.
fn tables_as_json(tables: &[(&'static str, Table)]) -> serde_json::Value {
    tables.iter().map(|(title, table)| ((*title).to_owned(), table.to_json())).collect()
}

/// Reads the name of a language on the command line.
fn language(name: &str) -> Result<Language, String> {
    name.parse().map_err(|error: syntax::language::UnknownLanguage| error.to_string())
}
