//! Allotrope rewrites programs into other forms that mean the same, and shows where a model of code stops giving the same answer.
//!
//! The command line is a library, so that the binary and the Python package have the same one.
//!
//! The exit status is a contract: 0 fine, 1 the answer is no, 2 the command line is wrong, 3 a file is missing or cannot be
//! read or written, 4 the model failed, 130 stopped by the user.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod commands;
mod diff;
mod failure;
mod lampion;
mod say;
mod screen;
mod table;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::commands::Command;
use crate::say::note;

/// Rewrites programs into equivalent ones, and tests models of code with them.
#[derive(Parser)]
#[command(name = "allotrope", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Options that have a new name, beside those that plans share: the old one, and the new one.
const RENAMED: [(&str, &str); 7] = [
    ("most-features", "max-features"),
    ("longest-sequence", "max-ngram"),
    ("together", "sites-per-variant"),
    ("samples", "sample"),
    ("time", "timeout"),
    ("errors", "compare-stderr"),
    ("jobs", "threads"),
];

/// Runs the command that the arguments mean; the first of them is the name of the program. What clap prints by itself, such as help, and
/// a second Ctrl-C end the process.
pub fn run(given: &[OsString]) -> ExitCode {
    let arguments = Arguments::try_parse_from(given).unwrap_or_else(|error| {
        if let Some(new) = new_name(&error) {
            note(&format!("error: {new}"));
            std::process::exit(2);
        }
        // Arguments with control characters are escaped, and the message has no colours.
        let has_control = |argument: &OsString| argument.to_string_lossy().contains(char::is_control);
        if error.use_stderr() && given.iter().any(has_control) {
            note(error.render().to_string().trim_end());
            std::process::exit(error.exit_code());
        }
        error.exit()
    });
    match arguments.command.run() {
        Ok(status) => status,
        Err(failure) => failure.report(),
    }
}

/// Where an option is unknown because it has a new name, what that is.
fn new_name(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    let renamed = campaign::plan::RENAMED.iter().chain(&RENAMED).find(|(old, _)| given.strip_prefix("--") == Some(old));
    let (old, new) = renamed.filter(|_| error.kind() == ErrorKind::UnknownArgument)?;
    Some(format!("--{old} is now called --{new}"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Arguments, RENAMED, new_name};

    /// No two options of a command have the same name, defaults are values that are allowed, and so on.
    #[test]
    fn the_command_line_fits_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_old_name_is_refused_with_the_new_one() {
        use clap::Parser;
        let said = |command: &str, option: &str| {
            let error = Arguments::try_parse_from(["allotrope", command, &format!("--{option}=1")]).err().unwrap();
            new_name(&error)
        };
        for (old, new) in campaign::plan::RENAMED.iter().chain(&RENAMED) {
            assert_eq!(said("evaluate", old), Some(format!("--{old} is now called --{new}")));
        }
        assert_eq!(said("evaluate", "nothing"), None);
        // Every new name is an option of some command.
        for (_, new) in campaign::plan::RENAMED.iter().chain(&RENAMED) {
            let command = Arguments::command();
            let has = |command: &clap::Command| command.get_arguments().any(|option| option.get_long() == Some(new));
            assert!(command.get_subcommands().any(has), "--{new}");
        }
    }
}
