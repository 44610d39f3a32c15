//! The file of a report: complete or not there.

use std::fs::File;
use std::io::{Error, ErrorKind, Write};
use std::path::Path;

use campaign::data::partial_name;

use crate::run::ReportError;

/// Writes a file beside its place and moves it there when it is complete. What could not be completed is taken away again.
pub fn write(path: &Path, text: &str) -> Result<(), ReportError> {
    let unwritable = |source| ReportError::Unwritable { path: path.to_owned(), source };
    if path.is_dir() || path.file_name().is_none() {
        return Err(unwritable(Error::new(ErrorKind::IsADirectory, "it is a folder: name a file in it")));
    }
    // A device or a pipe would be replaced by an ordinary file.
    if path.exists() && !path.is_file() {
        return Err(unwritable(Error::new(ErrorKind::InvalidInput, "it is no ordinary file: name another")));
    }
    let partial = partial_name(path);
    let mut file = File::create(&partial).map_err(unwritable)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    drop(file);
    written.and_then(|()| std::fs::rename(&partial, path)).map_err(|source| {
        let _ = std::fs::remove_file(&partial);
        unwritable(source)
    })
}
