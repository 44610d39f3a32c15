//! The only way to the terminal: what comes from outside, such as labels, file names and answers of models, is shown and never obeyed.

use std::io::{ErrorKind, Write};

use measure::printed::{visible, visible_json};
use serde_json::Value;

/// Writes a text to standard output.
pub fn say(text: &str) {
    write(&visible(text));
}

/// Writes a JSON value to standard output, on a line of its own.
pub fn say_json(value: &Value) {
    write(&format!("{}\n", visible_json(&value.to_string())));
}

/// Writes a text whose colours are ours and whose other control characters have been taken out.
pub fn say_coloured(text: &str) {
    write(text);
}

/// Writes a line to standard error, where notes and errors go. A reader that is gone misses it.
pub fn note(text: &str) {
    let mut errors = std::io::stderr().lock();
    let _ = errors.write_all(visible(text).as_bytes()).and_then(|()| errors.write_all(b"\n"));
}

/// A reader that has seen enough, such as `head`, ends the program without a word, as it does others; any other failure, such as
/// a full disk, is told.
fn write(text: &str) {
    let mut output = std::io::stdout().lock();
    if let Err(error) = output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        if error.kind() == ErrorKind::BrokenPipe {
            std::process::exit(141);
        }
        note(&format!("error: failed to write the answer: {error}"));
        std::process::exit(3);
    }
}
