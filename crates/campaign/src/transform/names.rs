//! Names that a job gets from files: those of reference programs, and substitutes for single rows.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use syntax::{Language, Program, file};
use transformation::names::NamesMaterial;

use crate::data::{DataError, jsonl};

/// The names that programs declare and the words of all other files, in alphabetical order.
pub fn reference_names<Place: AsRef<Path>>(paths: &[Place]) -> Result<Vec<String>, DataError> {
    let mut names = Vec::new();
    for path in paths {
        names.extend(names_in(path.as_ref())?);
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

fn names_in(path: &Path) -> Result<Vec<String>, DataError> {
    let unreadable = |source| DataError::Unreadable { path: path.to_owned(), source };
    if Language::from_path(path).is_none() {
        let text = file::read_text(path).map_err(unreadable)?;
        return Ok(text.split_whitespace().map(str::to_owned).collect());
    }
    let program = Program::from_file(path, None).map_err(|error| unreadable(io::Error::other(error)))?;
    let symbols = program.scopes().symbols().map(|(symbol, _)| program.name_of(symbol).to_owned());
    Ok(symbols.collect())
}

/// Reads substitutes for each name of a row, by the row's key or by its number from 0. The file has JSON lines such as
/// `{"idx": 3, "substitutes": {"n": ["count"]}}` and may be compressed with gzip.
pub fn read_substitutes(path: &Path) -> Result<BTreeMap<String, NamesMaterial>, DataError> {
    let mut found = BTreeMap::new();
    for (index, line) in jsonl::read_whole_text(path)?.as_bytes().split(|byte| *byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let problem = |problem: String| DataError::NotTheFormat {
            path: path.to_owned(),
            format: "substitutes",
            problem: format!("line {}: {problem}", index + 1),
        };
        let object: serde_json::Value = serde_json::from_slice(line).map_err(|error| problem(error.to_string()))?;
        let key = match &object["idx"] {
            serde_json::Value::Null => index.to_string(),
            serde_json::Value::String(key) => key.clone(),
            other => other.to_string(),
        };
        let substitutes = serde_json::from_value(object["substitutes"].clone())
            .map_err(|error| problem(format!("`substitutes` must be an object of lists: {error}")))?;
        found.insert(key, NamesMaterial { substitutes, ..NamesMaterial::default() });
    }
    Ok(found)
}
