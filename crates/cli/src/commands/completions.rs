//! `allotrope completions`: a completion script for a shell.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::failure::Failure;
use crate::say::say;

/// The options of `allotrope completions`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::Arguments::command(), "allotrope", &mut script);
    say(&String::from_utf8_lossy(&script));
    Ok(ExitCode::SUCCESS)
}
