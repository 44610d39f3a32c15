//! `allotrope grid`: every transformation or group, at every order, over a whole data set.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use campaign::grid::{self, GridPlan};
use serde_json::json;

use super::{ExperimentOptions, MODEL_AND_DATA, OUTPUT, dataset, tables_as_json};
use crate::failure::Failure;
use crate::say::{say, say_json};
use crate::screen::Screen;

const TREATMENTS: &str = "Treatments";

/// The options of `allotrope grid`.
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
    /// Treatments, separated by commas: transformations, groups, or several joined by +, such as if-true+if-false-else; with @SOURCE after one,
    /// such as names@letters, its new names come from there.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = GridPlan::default().treatments,
        help_heading = TREATMENTS)]
    transform: Vec<String>,
    /// Make every transformation that is named, alone or in a group, its own treatment.
    #[arg(long, help_heading = TREATMENTS)]
    each: bool,
    /// Numbers of rewrites per program, separated by commas.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = GridPlan::default().orders,
        help_heading = TREATMENTS)]
    order: Vec<usize>,
    /// Source of new names; see `allotrope list names`.
    #[arg(long, value_name = "SOURCE", default_value_t = GridPlan::default().names, help_heading = TREATMENTS)]
    names: String,
    /// Programs of a pair that are changed: first, second or both.
    #[arg(long, value_name = "WHICH", default_value_t = GridPlan::default().parts, help_heading = TREATMENTS)]
    parts: String,
    #[command(flatten)]
    pace: ExperimentOptions,
    /// Folder of the run. The same command resumes a run that was stopped.
    #[arg(short, long, value_name = "RUN", help_heading = OUTPUT)]
    output: PathBuf,
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

/// Does what a plan says; `is_each` makes every transformation its own treatment.
pub fn follow(plan: GridPlan, is_each: bool, output: &Path, options: &ExperimentOptions) -> Result<ExitCode, Failure> {
    options.threads.set()?;
    if options.dry_run {
        let [inputs, treatments, orders] = grid::estimate(plan, is_each, &Screen::new())?;
        let most = inputs * (treatments * orders + 1);
        say(&format!("{inputs} inputs, {treatments} treatments, {orders} orders: at most {most} queries\n"));
        return Ok(ExitCode::SUCCESS);
    }
    let found = grid::run(plan, is_each, output, &options.pace(), &Screen::new())?;
    if options.json {
        let tables = tables_as_json(&found.summary.tables);
        let (asked, seconds) = (found.traffic.asked, found.seconds);
        let object = json!({"run": output, "noise": found.noise, "asked": asked, "seconds": seconds, "plan": found.plan, "tables": tables});
        say_json(&object);
        return Ok(ExitCode::SUCCESS);
    }
    options.say_tables(found.summary.tables.iter());
    super::say_noise(found.noise);
    say(&format!("{:.0} s; all pairs are in {}\n", found.seconds, output.join("nemenyi.csv").display()));
    Ok(ExitCode::SUCCESS)
}
