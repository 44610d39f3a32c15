//! How a C or C++ program looks at its own text.

use crate::program::Program;

const MIRRORS: &[&str] = &[
    "__LINE__",
    "__COUNTER__",
    "__PRETTY_FUNCTION__",
    "__FUNCSIG__",
    "__builtin_LINE",
    "source_location",
    "std::stacktrace",
];

/// Does the program look at its own text? Macros, whose text has no nodes, are the usual place.
pub(crate) fn shows_itself(program: &Program) -> bool {
    MIRRORS.iter().any(|name| program.text().contains(name))
}
