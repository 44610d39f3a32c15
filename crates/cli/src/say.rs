//! Writes answers to standard output.

use std::io::{ErrorKind, Write};

/// Writes a text. A reader that has seen enough, such as `head`, ends the program without a word, as it does others; any
/// other failure, such as a full disk, is told.
pub fn say(text: &str) {
    let mut output = std::io::stdout().lock();
    if let Err(error) = output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        if error.kind() == ErrorKind::BrokenPipe {
            std::process::exit(141);
        }
        eprintln!("error: failed to write the answer: {error}");
        std::process::exit(3);
    }
}
