//! `allotrope grid`: every transformation or group, at every order, over a whole data set.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use campaign::experiment::Pace;
use campaign::grid::{GROUPS, Grid, GridPlan, summary};
use campaign::run::{About, Store, inputs};
use indicatif::{ProgressBar, ProgressStyle};
use measure::Bootstrap;
use search::{Cache, Traffic};
use serde_json::{Value, json};

use super::{ExperimentOptions, dataset, experiment_failure, say_faults};
use crate::failure::Failure;
use crate::say::say;

/// The options of `allotrope grid`.
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
    /// The treatments, separated by commas: transformations, groups, or several joined by +, such as if-true+if-false-else.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = GROUPS)]
    transform: Vec<String>,
    /// Make every transformation that is named, alone or in a group, a treatment of its own.
    #[arg(long)]
    each: bool,
    /// How many rewrites every program gets, separated by commas.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,5,10")]
    order: Vec<usize>,
    /// Where the names of new things come from; see `allotrope list names`.
    #[arg(long, value_name = "SOURCE", default_value = "pseudo")]
    names: String,
    /// Which programs of a pair are changed: first, second or both.
    #[arg(long, value_name = "WHICH", default_value = "both")]
    parts: String,
    /// The folder of the run. The same command takes a run up again that was stopped.
    #[arg(short, long, value_name = "RUN")]
    output: PathBuf,
    #[command(flatten)]
    pace: ExperimentOptions,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let plan = GridPlan {
        model: arguments.model.clone(),
        treatments: arguments.transform.clone(),
        orders: arguments.order.clone(),
        seed: arguments.options.seed(),
        names: arguments.names.clone(),
        parts: arguments.parts.clone(),
        data: arguments.options.plan(arguments.data.clone()),
    };
    follow(plan, arguments.each, &arguments.output, &arguments.pace)
}

/// Does what a plan says; `is_each` makes every transformation a treatment of its own.
pub fn follow(
    mut plan: GridPlan,
    is_each: bool,
    output: &Path,
    options: &ExperimentOptions,
) -> Result<ExitCode, Failure> {
    super::use_threads(options.threads)?;
    let (orders, parts) = plan.checked().map_err(Failure::usage)?;
    let examples = dataset::read(&plan.data)?;
    if let Some(first) = examples.broken.first.first() {
        eprintln!("{} of {} rows cannot be used; the first: {first}", examples.broken.rows, examples.rows);
    }
    let treatments = plan.treatments(&examples, is_each).map_err(Failure::usage)?;
    plan.treatments = treatments.iter().map(|treatment| treatment.name.clone()).collect();
    plan.orders.clone_from(&orders);
    let model = super::open_model(&plan.model)?;
    if options.dry_run {
        let (inputs, cells) = (examples.items.len(), treatments.len() * orders.len());
        let most = inputs * (cells + 1);
        say(&format!(
            "{inputs} inputs, {} treatments, {} orders: {most} questions at the most\n",
            treatments.len(),
            orders.len()
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let (rows, digest) = inputs(&examples, 0..examples.items.len());
    let about = About::new(plan.clone(), &[model.as_ref()], digest);
    let mut store = Store::begin(output, &about, &rows).map_err(Failure::missing)?;
    let cache = options.cache.as_deref().map(Cache::open).transpose().map_err(Failure::missing)?;
    let stop = super::stop_flag();
    let pace = Pace { batch: options.batch as usize, cache: cache.as_ref(), stop: &stop };
    let grid = Grid {
        seed: plan.seed,
        model: model.as_ref(),
        examples: &examples,
        treatments: &treatments,
        orders: &orders,
        parts,
    };
    let bar = bar(treatments.len());
    let mut show = |done: usize, traffic: &Traffic| {
        bar.set_position(done as u64);
        bar.set_message(format!("{} questions", traffic.asked));
    };
    let traffic = grid.run(&mut store, &pace, &mut show).map_err(experiment_failure)?;
    bar.finish_and_clear();
    say_faults(&store)?;
    let bootstrap = Bootstrap { seed: plan.seed, ..Bootstrap::default() };
    let found = summary(&store, &grid, &bootstrap).map_err(Failure::missing)?;
    let seconds = store.seconds().map_err(Failure::missing)?;
    if options.json {
        let tables: Value = found.tables.iter().map(|(title, table)| ((*title).to_owned(), table.to_json())).collect();
        let object = json!({"run": output, "asked": traffic.asked, "seconds": seconds, "plan": plan, "tables": tables});
        say(&format!("{object}\n"));
        return Ok(ExitCode::SUCCESS);
    }
    for (title, table) in &found.tables {
        let text = if options.markdown { table.to_markdown() } else { table.to_text() };
        say(&format!("{title}\n\n{text}\n"));
    }
    say(&format!("{seconds:.0} s; all pairs are in {}\n", output.join("nemenyi.csv").display()));
    Ok(ExitCode::SUCCESS)
}

fn bar(treatments: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("treatments {bar:20} {pos}/{len}, {eta} left, {msg}");
    ProgressBar::new(treatments as u64).with_style(style.expect("the template is written here"))
}
