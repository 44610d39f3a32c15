//! `allotrope evolve`: guided search over a whole data set.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use campaign::evolve::{self, Algorithm, EvolvePlan, Evolved};
use serde_json::json;

use super::{ExperimentOptions, MODEL_AND_DATA, OUTPUT, SEARCH, dataset, tables_as_json};
use crate::failure::Failure;
use crate::say::{say, say_json};
use crate::screen::Screen;

/// The options of `allotrope evolve`. The defaults of the search are those of Marang's thesis, table 5.1.
#[derive(clap::Args)]
pub struct Arguments {
    /// Model, as KIND:WHERE; see `allotrope list models`.
    #[arg(long, value_name = "MODEL", help_heading = MODEL_AND_DATA)]
    model: String,
    /// Test set: a file or a folder.
    #[arg(long, value_name = "DATA", help_heading = MODEL_AND_DATA)]
    data: PathBuf,
    #[command(flatten)]
    options: dataset::Options,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    pace: ExperimentOptions,
    /// Folder of the run. The same command resumes a run that was stopped.
    #[arg(short, long, value_name = "RUN", help_heading = OUTPUT)]
    output: PathBuf,
}

/// What is searched for, and how.
#[derive(clap::Args)]
#[command(next_help_heading = SEARCH)]
struct Search {
    /// Measures to minimise, separated by commas: accuracy, f1, precision, recall, mrr, percentage-mrr, edit-distance, bleu, rouge-l,
    /// cosine, number-of-transformations, input-length, prediction-length. Several are summed up, each with its weight: f1=0.5,mrr=2.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    minimise: Vec<String>,
    /// Measures to maximise.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    maximise: Vec<String>,
    /// Algorithm: genetic (for the weighted sum) or nsga2 (for the Pareto front of at least two measures).
    #[arg(long, value_name = "NAME", default_value_t = EvolvePlan::default().algorithm)]
    algorithm: Algorithm,
    /// Number of searches, each with its own seed; the tests compare them.
    #[arg(long, value_name = "N", default_value_t = EvolvePlan::default().repeat)]
    repeat: usize,
    /// Transformations that lists are made of, as for `allotrope transform`.
    #[arg(long, value_name = "LIST", default_value_t = EvolvePlan::default().transform)]
    transform: String,
    /// Source of new names; see `allotrope list names`.
    #[arg(long, value_name = "SOURCE", default_value_t = EvolvePlan::default().names)]
    names: String,
    /// Programs of a pair that are changed: first, second or both.
    #[arg(long, value_name = "WHICH", default_value_t = EvolvePlan::default().parts)]
    parts: String,
    /// Number of lists in a generation.
    #[arg(long, value_name = "N", default_value_t = EvolvePlan::default().population)]
    population: usize,
    /// Probability that a child keeps the gene of its first parent where both parents have one.
    #[arg(long, value_name = "P", default_value_t = EvolvePlan::default().crossover)]
    crossover: f64,
    /// Probability that a child grows or shrinks.
    #[arg(long, value_name = "P", default_value_t = EvolvePlan::default().mutation)]
    mutation: f64,
    /// Number of lists that are drawn to select a parent.
    #[arg(long, value_name = "N", default_value_t = EvolvePlan::default().tournament)]
    tournament: usize,
    /// Probability that a child that is mutated grows.
    #[arg(long, value_name = "P", default_value_t = EvolvePlan::default().increase)]
    increase: f64,
    /// Maximum number of rewrites in a list.
    #[arg(long, value_name = "N", default_value_t = EvolvePlan::default().max_genes)]
    max_genes: usize,
    /// Stop after N generations without an improvement.
    #[arg(long, value_name = "N", default_value_t = EvolvePlan::default().patience)]
    patience: usize,
    /// Maximum number of generations.
    #[arg(long, value_name = "N")]
    generations: Option<usize>,
    /// Maximum number of minutes per search; results then depend on the machine.
    #[arg(long, value_name = "M", default_value_t = EvolvePlan::default().minutes)]
    minutes: f64,
    /// Leave out the random searches for comparison.
    #[arg(long)]
    no_baseline: bool,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    follow(&plan(arguments), &arguments.output, &arguments.pace)
}

/// Does what a plan says.
pub fn follow(plan: &EvolvePlan, output: &Path, options: &ExperimentOptions) -> Result<ExitCode, Failure> {
    options.threads.set()?;
    if options.dry_run {
        let estimate = evolve::estimate(plan, &Screen::new())?;
        say(&format!(
            "{} inputs, {} transformations, {} searches of {} {} evaluations{}\n",
            estimate.inputs,
            estimate.transformations,
            plan.repeat,
            if plan.generations.is_some() { "at most" } else { "at least" },
            estimate.evaluations,
            if plan.baseline { ", and as many random ones" } else { "" },
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let evolved = evolve::run(plan, output, &options.pace(), &Screen::new())?;
    // What is complete is shown, also when the rest is not.
    if evolved.summary.repeats > 0 {
        report(options, plan, &evolved, output);
    }
    evolved.ended?;
    Ok(ExitCode::SUCCESS)
}

fn plan(arguments: &Arguments) -> EvolvePlan {
    let search = &arguments.search;
    EvolvePlan {
        model: arguments.model.clone(),
        minimise: search.minimise.clone(),
        maximise: search.maximise.clone(),
        algorithm: search.algorithm,
        seed: arguments.options.seed(),
        repeat: search.repeat,
        transform: search.transform.clone(),
        names: search.names.clone(),
        parts: search.parts.clone(),
        population: search.population,
        crossover: search.crossover,
        mutation: search.mutation,
        tournament: search.tournament,
        increase: search.increase,
        max_genes: search.max_genes,
        patience: search.patience,
        generations: search.generations,
        minutes: search.minutes,
        baseline: !search.no_baseline,
        data: arguments.options.plan(arguments.data.clone()),
    }
}

fn report(options: &ExperimentOptions, plan: &EvolvePlan, evolved: &Evolved, output: &Path) {
    let Evolved { summary, noise, seconds, .. } = evolved;
    if options.json {
        let tables = tables_as_json(&summary.tables);
        let object = json!({"run": output, "noise": noise, "repeats": summary.repeats, "seconds": seconds, "plan": plan, "tables": tables});
        say_json(&object);
        return;
    }
    // The table of searches has a row for each of them, which is in the files of the run.
    let is_shown = |title: &str| title != "searches" || plan.repeat == 1 || options.markdown;
    options.say_tables(summary.tables.iter().filter(|(title, _)| is_shown(title)));
    super::say_noise(*noise);
    say(&format!(
        "{} of {} repetitions, {seconds:.0} s; every individual is in {}\n",
        summary.repeats,
        plan.repeat,
        output.join("individuals.jsonl").display(),
    ));
}
