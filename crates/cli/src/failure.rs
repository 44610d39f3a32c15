//! What ends a command, with the exit status that tells why.

use std::fmt::Display;
use std::process::ExitCode;

use campaign::work::{Cause, WorkError};

use crate::say::note;

/// Why a command ended before its work was done.
#[derive(Debug)]
pub struct Failure {
    status: u8,
    error: anyhow::Error,
}

impl Failure {
    /// The command line is wrong.
    pub fn usage(message: impl Display) -> Failure {
        Failure { status: 2, error: anyhow::anyhow!("{message}") }
    }

    /// A file or a tool is missing, or cannot be read or written.
    pub fn missing(message: impl Display) -> Failure {
        Failure { status: 3, error: anyhow::anyhow!("{message}") }
    }

    /// Says what is wrong and gives the exit status.
    pub fn report(&self) -> ExitCode {
        match self.status {
            130 => note(&self.error.to_string()),
            _ => note(&format!("error: {}", self.error)),
        }
        ExitCode::from(self.status)
    }
}

impl<Error: Into<WorkError>> From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let error: WorkError = error.into();
        let status = match error.cause() {
            Cause::Plan => 2,
            Cause::Missing => 3,
            Cause::Model => 4,
            Cause::Interrupted => 130,
        };
        Failure { status, error: error.into() }
    }
}
