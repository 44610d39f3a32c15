//! `allotrope merge`: the records of several runs of one plan in one run.

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::run::merge;

use crate::failure::Failure;
use crate::say::say;

/// The options of `allotrope merge`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The folders of the runs.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The folder that the merged run is written to.
    #[arg(short, long, value_name = "RUN")]
    output: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let count = merge(&arguments.runs, &arguments.output)?;
    say(&format!("{count} records of {} runs are in {}\n", arguments.runs.len(), arguments.output.display()));
    Ok(ExitCode::SUCCESS)
}
