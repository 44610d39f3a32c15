//! `allotrope serve`: runs in the browser while they go on.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::ExitCode;

use report::ReportError;
use report::serve::{ServeError, Server};

use crate::failure::Failure;
use crate::say::{note, say};
use crate::screen::{Screen, is_stopped};

/// The options of `allotrope serve`.
#[derive(clap::Args)]
#[command(after_help = "\
The page shows how far each run is and what it has found so far, of attacks the success rate with its interval and the newest successes. It
pauses, resumes and stops the process that works on a run of attacks: a pause lets the targets that are begun finish. Runs of grid, evolve,
fidelity, mutants -o, train, distil and retrain are stopped, as by Ctrl-C; they cannot be paused. Ctrl-C ends the server, and never a run.

The address holds a random token, and only this machine is listened to. With --host the page can be opened from others as well: whoever
has the address can then stop the run, and nothing is encrypted.

Examples:
  allotrope attack … -o run & allotrope serve run
  allotrope serve run other-run --port 8080")]
pub struct Arguments {
    /// The folders of the runs, which have begun.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// Port to listen on; 0 takes one that is free.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    // Whoever presses Ctrl-C is heard.
    let _screen = Screen::plain();
    let server = Server::bind(&arguments.runs, arguments.host, arguments.port).map_err(failure)?;
    if !arguments.host.is_loopback() {
        note("warning: other machines can open the page, and what it shows is not encrypted");
    }
    say(&format!("{}\nopen this address in a browser; Ctrl-C ends the server, and no run\n", server.address()));
    server.serve(&is_stopped);
    note("the server has ended; runs go on");
    Ok(ExitCode::SUCCESS)
}

fn failure(error: ServeError) -> Failure {
    match error {
        ServeError::Run(ReportError::NoRecords) => Failure::usage(error),
        _ => Failure::missing(error),
    }
}
