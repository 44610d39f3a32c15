//! Errors as exceptions: the texts of the command line, in the classes of `allotrope.errors`.

use campaign::work::{Cause, WorkError};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Why a function has no result.
pub struct Failure {
    cause: Cause,
    message: String,
}

impl<Error: Into<WorkError>> From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let error: WorkError = error.into();
        Failure { cause: error.cause(), message: error.to_string() }
    }
}

impl Failure {
    /// What was asked for is wrong.
    pub fn usage(message: impl std::fmt::Display) -> Failure {
        Failure { cause: Cause::Plan, message: message.to_string() }
    }

    /// A file is missing, or cannot be read or written.
    pub fn missing(message: impl std::fmt::Display) -> Failure {
        Failure { cause: Cause::Missing, message: message.to_string() }
    }

    /// The exception. `first` is what a function of the user raised, where it is the reason why a model does not answer.
    pub fn raise(self, py: Python<'_>, first: Option<PyErr>) -> PyErr {
        let name = match self.cause {
            Cause::Plan => "PlanError",
            Cause::Missing => "MissingError",
            Cause::Model => "ModelError",
            Cause::Interrupted => return PyKeyboardInterrupt::new_err(self.message),
        };
        let class = py.import("allotrope.errors").and_then(|errors| errors.getattr(name));
        let made = class.and_then(|class| class.call1((self.message,)));
        match made {
            Ok(exception) => {
                let error = PyErr::from_value(exception);
                error.set_cause(py, first.filter(|_| self.cause == Cause::Model));
                error
            }
            Err(error) => error,
        }
    }
}
