//! The program `allotrope`.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(&std::env::args_os().collect::<Vec<OsString>>())
}
