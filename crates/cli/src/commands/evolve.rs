//! `allotrope evolve`: guided search over a whole data set.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use campaign::evolve::{Algorithm, Evolution, EvolvePlan, EvolveSummary, Progress, summary};
use campaign::experiment::Pace;
use campaign::run::{About, Store, inputs};
use indicatif::{ProgressBar, ProgressStyle};
use search::Cache;
use serde_json::{Value, json};

use super::{ExperimentOptions, dataset, experiment_failure, say_faults};
use crate::failure::Failure;
use crate::say::say;

/// The options of `allotrope evolve`. The defaults of the search are those of Marang's thesis, table 5.1.
#[derive(clap::Args)]
pub struct Arguments {
    /// The model, as KIND:WHERE; see `allotrope list models`.
    #[arg(long, value_name = "MODEL")]
    model: String,
    /// The test set: a file or a folder.
    #[arg(long, value_name = "DATA")]
    data: PathBuf,
    #[command(flatten)]
    options: dataset::Options,
    /// The measures that are to become small, separated by commas: accuracy, f1, precision, recall, mrr, percentage-mrr,
    /// edit-distance, bleu, rouge-l, cosine, number-of-transformations, input-length, prediction-length. Their sum is made small,
    /// each with its weight: f1=0.5,mrr=2.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    minimise: Vec<String>,
    /// The measures that are to become large.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    maximise: Vec<String>,
    /// The algorithm: genetic (of the weighted sum) or nsga2 (along the Pareto front of two measures or more).
    #[arg(long, value_name = "NAME", default_value = "genetic")]
    algorithm: Algorithm,
    /// How many searches, each from a seed of its own; the tests compare them.
    #[arg(long, value_name = "N", default_value_t = 1)]
    repeat: usize,
    /// The transformations that lists are made of, as for `allotrope transform`.
    #[arg(long, value_name = "LIST", default_value = "all")]
    transform: String,
    /// Where the names of new things come from; see `allotrope list names`.
    #[arg(long, value_name = "SOURCE", default_value = "pseudo")]
    names: String,
    /// Which programs of a pair are changed: first, second or both.
    #[arg(long, value_name = "WHICH", default_value = "both")]
    parts: String,
    /// How many lists a generation has.
    #[arg(long, value_name = "N", default_value_t = 10)]
    population: usize,
    /// How likely a child keeps the gene of its own parent at a place that both parents have.
    #[arg(long, value_name = "P", default_value_t = 0.7)]
    crossover: f64,
    /// How likely a child grows or shrinks.
    #[arg(long, value_name = "P", default_value_t = 0.4)]
    mutation: f64,
    /// How many lists are drawn to find a parent.
    #[arg(long, value_name = "N", default_value_t = 4)]
    tournament: usize,
    /// How likely a child that changes grows.
    #[arg(long, value_name = "P", default_value_t = 0.7)]
    increase: f64,
    /// How many rewrites a list may have.
    #[arg(long, value_name = "N", default_value_t = 20)]
    most_genes: usize,
    /// End after so many generations without an improvement.
    #[arg(long, value_name = "N", default_value_t = 35)]
    steady: usize,
    /// End after so many generations.
    #[arg(long, value_name = "N")]
    generations: Option<usize>,
    /// End a search after so many minutes; what is found then depends on the machine.
    #[arg(long, value_name = "M", default_value_t = 480.0)]
    minutes: f64,
    /// Leave out the random searches beside it.
    #[arg(long)]
    no_baseline: bool,
    /// The folder of the run. The same command takes a run up again that was stopped.
    #[arg(short, long, value_name = "RUN")]
    output: PathBuf,
    #[command(flatten)]
    pace: ExperimentOptions,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    follow(&plan(arguments), &arguments.output, &arguments.pace)
}

/// Does what a plan says.
pub fn follow(plan: &EvolvePlan, output: &Path, options: &ExperimentOptions) -> Result<ExitCode, Failure> {
    super::use_threads(options.threads)?;
    let objectives = plan.objectives().map_err(Failure::usage)?;
    plan.checked_parts().map_err(Failure::usage)?;
    let examples = dataset::read(&plan.data)?;
    if let Some(first) = examples.broken.first.first() {
        eprintln!("{} of {} rows cannot be used; the first: {first}", examples.broken.rows, examples.rows);
    }
    let selections = plan.selections(&examples).map_err(Failure::usage)?;
    let model = super::open_model(&plan.model)?;
    if options.dry_run {
        let bred = plan.generations.unwrap_or(plan.steady);
        let least = (bred + 1) * plan.population;
        say(&format!(
            "{} inputs, {} transformations, {} searches of {least} evaluations{}{}\n",
            examples.items.len(),
            selections.len(),
            plan.repeat,
            if plan.generations.is_some() { " at the most" } else { " or more" },
            if plan.baseline { ", and as many random ones" } else { "" },
        ));
        return Ok(ExitCode::SUCCESS);
    }
    // The store comes before the long work, so that a wrong plan or folder costs nothing.
    let (rows, digest) = inputs(&examples, 0..examples.items.len());
    let about = About::new(plan.clone(), &[model.as_ref()], digest);
    let mut store = Store::begin(output, &about, &rows).map_err(Failure::missing)?;
    let cache = options.cache.as_deref().map(Cache::open).transpose().map_err(Failure::missing)?;
    let stop = super::stop_flag();
    let pace = Pace { batch: options.batch as usize, cache: cache.as_ref(), stop: &stop };
    let evolution = Evolution {
        plan,
        model: model.as_ref(),
        examples: &examples,
        selections: &selections,
        objectives: &objectives,
    };
    let bar = bar();
    let start = Instant::now();
    let mut show = |progress: &Progress| {
        let speed = progress.traffic.asked as f64 / start.elapsed().as_secs_f64().max(1e-9);
        let best = progress.best.map_or_else(|| "-".to_owned(), |best| format!("{best:.4}"));
        bar.set_message(format!(
            "repetition {}/{}, {}, generation {}, {} lists, best {best}, {speed:.0} questions/s",
            progress.repeat, plan.repeat, progress.search, progress.generation, progress.evaluations,
        ));
        bar.tick();
    };
    let done = evolution.run(&mut store, &pace, &mut show);
    bar.finish_and_clear();
    // What is complete is shown, also when the rest is not.
    say_faults(&store)?;
    let found = summary(&store, plan, &objectives).map_err(Failure::missing)?;
    if found.repeats > 0 {
        report(options, plan, &found, &store, output)?;
    }
    done.map(|_| ExitCode::SUCCESS).map_err(experiment_failure)
}

fn plan(arguments: &Arguments) -> EvolvePlan {
    EvolvePlan {
        model: arguments.model.clone(),
        minimise: arguments.minimise.clone(),
        maximise: arguments.maximise.clone(),
        algorithm: arguments.algorithm,
        seed: arguments.options.seed(),
        repeat: arguments.repeat,
        transform: arguments.transform.clone(),
        names: arguments.names.clone(),
        parts: arguments.parts.clone(),
        population: arguments.population,
        crossover: arguments.crossover,
        mutation: arguments.mutation,
        tournament: arguments.tournament,
        increase: arguments.increase,
        most_genes: arguments.most_genes,
        steady: arguments.steady,
        generations: arguments.generations,
        minutes: arguments.minutes,
        baseline: !arguments.no_baseline,
        data: arguments.options.plan(arguments.data.clone()),
    }
}

fn report(
    options: &ExperimentOptions,
    plan: &EvolvePlan,
    found: &EvolveSummary,
    store: &Store<EvolvePlan>,
    output: &Path,
) -> Result<(), Failure> {
    let seconds = store.seconds().map_err(Failure::missing)?;
    if options.json {
        let tables: Value = found.tables.iter().map(|(title, table)| ((*title).to_owned(), table.to_json())).collect();
        let object =
            json!({"run": output, "repeats": found.repeats, "seconds": seconds, "plan": plan, "tables": tables});
        say(&format!("{object}\n"));
        return Ok(());
    }
    for (title, table) in &found.tables {
        // The table of searches has a row for each of them, which is in the files of the run.
        if *title == "searches" && plan.repeat > 1 && !options.markdown {
            continue;
        }
        let text = if options.markdown { table.to_markdown() } else { table.to_text() };
        say(&format!("{title}\n\n{text}\n"));
    }
    say(&format!(
        "{} of {} repetitions, {seconds:.0} s; every individual is in {}\n",
        found.repeats,
        plan.repeat,
        output.join("individuals.jsonl").display(),
    ));
    Ok(())
}

fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
    ProgressBar::new_spinner().with_style(style.expect("the template is written here"))
}
