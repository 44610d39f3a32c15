//! The file of a report: complete or not there.

use std::path::Path;

use campaign::complete_file;

use crate::run::ReportError;

/// Writes a report.
pub fn write(path: &Path, text: &str) -> Result<(), ReportError> {
    complete_file::write(path, text.as_bytes())
        .map_err(|source| ReportError::Unwritable { path: path.to_owned(), source })
}
