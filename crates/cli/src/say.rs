//! All output to the terminal. Control characters in labels, file names or model answers are escaped.

use std::io::{ErrorKind, Write};

use measure::printed::{visible, visible_json};
use serde_json::Value;

/// Writes a text to standard output.
pub fn say(text: &str) {
    write(&visible(text));
}

/// Writes a JSON value to standard output, on one line.
pub fn say_json(value: &Value) {
    write(&format!("{}\n", visible_json(&value.to_string())));
}

/// Writes a text with our own colours, in which everything else was escaped before.
pub fn say_coloured(text: &str) {
    write(text);
}

/// Writes a line to standard error; failures are ignored.
pub fn note(text: &str) {
    let mut errors = std::io::stderr().lock();
    let _ = errors.write_all(visible(text).as_bytes()).and_then(|()| errors.write_all(b"\n"));
}

/// A closed pipe, as with `head`, ends the program silently; any other failure, such as a full disk, is reported.
fn write(text: &str) {
    let mut output = std::io::stdout().lock();
    if let Err(error) = output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        if error.kind() == ErrorKind::BrokenPipe {
            std::process::exit(141);
        }
        note(&format!("error: failed to write to standard output: {error}"));
        std::process::exit(3);
    }
}
