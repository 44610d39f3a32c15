//! The commands: one file each.

mod explain;
mod list;
mod transform;

use std::process::ExitCode;

use crate::failure::Failure;

/// A command with its options.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Lists what there is.
    List(list::Arguments),
    /// Prints the manual page of a transformation or a source of names.
    Explain(explain::Arguments),
    /// Rewrites files, folders and data sets.
    Transform(Box<transform::Arguments>),
}

impl Command {
    /// Runs the command.
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self {
            Command::List(arguments) => list::run(&arguments),
            Command::Explain(arguments) => explain::run(&arguments),
            Command::Transform(arguments) => transform::run(&arguments),
        }
    }
}
