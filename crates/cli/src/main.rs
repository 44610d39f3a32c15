//! Allotrope rewrites programs into other forms that mean the same, and shows where a model of code stops giving the same answer.
//!
//! The exit status is a contract: 0 fine, 1 the answer is no, 2 the command line is wrong, 3 a file is missing or cannot be
//! read or written, 4 the model failed, 130 stopped by the user.

mod commands;
mod diff;
mod failure;
mod lampion;
mod say;
mod table;

use std::process::ExitCode;

use clap::Parser;

use crate::commands::Command;

/// Rewrites programs into other forms that mean the same, and tests models of code with them.
#[derive(Parser)]
#[command(name = "allotrope", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    match Arguments::parse().command.run() {
        Ok(status) => status,
        Err(failure) => failure.report(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    /// No two options of a command have the same name, defaults are values that are allowed, and so on.
    #[test]
    fn the_command_line_fits_together() {
        Arguments::command().debug_assert();
    }
}
