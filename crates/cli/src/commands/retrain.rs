//! `allotrope retrain`: attacks a model, retrains it in several ways, and attacks it again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use campaign::retrain::{self, RetrainPlan};
use serde_json::{Value, json};

use super::{ExperimentOptions, OUTPUT, tables_as_json};
use crate::failure::Failure;
use crate::say::{say, say_json};
use crate::screen::Screen;

/// The options of `allotrope retrain`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Plan in TOML: the attacks, the data sets, how to train, and an [[arm]] for each way to retrain; see the guide.
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Only these arms of the plan, separated by commas: several processes, on several GPUs perhaps, can do the others in the same folder, once
    /// one of them has attacked the original model. The tables have what is finished
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    arms: Option<Vec<String>>,
    #[command(flatten)]
    options: ExperimentOptions,
    /// Folder of the models, the runs and the tables. The same command resumes what was stopped.
    #[arg(short, long, value_name = "FOLDER", help_heading = OUTPUT)]
    output: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    follow(&RetrainPlan::read(&arguments.plan)?, arguments.arms.as_deref(), &arguments.output, &arguments.options)
}

/// Does what a plan says, or what is left of it.
pub fn follow(
    plan: &RetrainPlan,
    arms: Option<&[String]>,
    output: &Path,
    options: &ExperimentOptions,
) -> Result<ExitCode, Failure> {
    options.threads.set()?;
    if options.dry_run {
        plan.check().map_err(campaign::work::WorkError::from)?;
        let (arms, attacks) = (plan.arms.len(), plan.attack.attacks.len());
        let runs = attacks * (arms + 1);
        say(&format!(
            "{arms} models to train, {runs} runs of attacks on the test set, at most {} queries a target\n",
            plan.attack.budget
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let found = retrain::run(plan, arms, output, &options.pace(), &Screen::patient())?;
    let page = output.join("report.html");
    super::report::write_all_of(output, &page)?;
    if options.json {
        let models: Vec<Value> =
            found.models.iter().map(|model| json!({"name": model.name, "model": model.place})).collect();
        say_json(&json!({"folder": output, "models": models, "tables": tables_as_json(&found.tables)}));
        return Ok(ExitCode::SUCCESS);
    }
    options.say_tables(found.tables.iter());
    say(&format!(
        "the models, the runs and these tables are in {}, and the report is {}\n",
        output.display(),
        page.display()
    ));
    Ok(ExitCode::SUCCESS)
}
