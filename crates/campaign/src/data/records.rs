//! The rows of any format with all their fields, as JSON values, for those who read data sets and do not write them.
//!
//! Besides the formats of [`super::FORMATS`] this reads `.json` files that hold one list of objects, or an object a line.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{DataError, Format, csv, jsonl};

/// The fields of a row.
pub type Fields = Map<String, Value>;

/// The rows of a file, in order. A row that cannot be read says why in its place.
pub struct Records {
    /// What a row is called in messages: `line` where it is one.
    pub unit: &'static str,
    rows: Box<dyn Iterator<Item = Result<Result<Fields, String>, DataError>>>,
}

/// Is this a file with rows, by its ending?
pub fn is_table(path: &Path) -> bool {
    Format::of(path).is_some() || is_json(path)
}

impl Records {
    /// Opens a file with rows.
    pub fn open(path: &Path) -> Result<Records, DataError> {
        if is_json(path) {
            return json(path);
        }
        let (unit, rows): (_, Box<dyn Iterator<Item = _>>) = match Format::of(path) {
            Some(Format::Jsonl) => ("line", Box::new(lines(path.to_owned(), jsonl::open(path)?))),
            Some(Format::Csv) => ("row", Box::new(csv::fields(path)?.map(Ok))),
            #[cfg(feature = "parquet")]
            Some(Format::Parquet) => ("row", Box::new(super::parquet::fields(path)?.map(|row| Ok(Ok(row))))),
            #[cfg(not(feature = "parquet"))]
            Some(Format::Parquet) => return Err(DataError::NoParquet(path.to_owned())),
            None => return Err(DataError::NoDataSet(path.to_owned())),
        };
        Ok(Records { unit, rows })
    }
}

impl Iterator for Records {
    type Item = Result<Result<Fields, String>, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.rows.next()
    }
}

fn is_json(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    name.ends_with(".json") || name.ends_with(".json.gz")
}

/// A list of objects, or an object a line.
fn json(path: &Path) -> Result<Records, DataError> {
    let text = jsonl::read_whole_text(path)?;
    if !text.trim_start().starts_with('[') {
        let lines = lines(path.to_owned(), std::io::Cursor::new(text.into_bytes()));
        return Ok(Records { unit: "line", rows: Box::new(lines) });
    }
    let values: Vec<Value> = serde_json::from_str(&text).map_err(|error| DataError::NotTheFormat {
        path: path.to_owned(),
        format: "JSON",
        problem: error.to_string(),
    })?;
    let rows = values.into_iter().map(|value| match value {
        Value::Object(fields) => Ok(Ok(fields)),
        _ => Ok(Err("it is not a JSON object".to_owned())),
    });
    Ok(Records { unit: "row", rows: Box::new(rows) })
}

/// One JSON object a line. Empty lines are rows, too, so that the numbers of rows are the numbers of lines.
fn lines<L: BufRead>(path: PathBuf, mut lines: L) -> impl Iterator<Item = Result<Result<Fields, String>, DataError>> {
    let mut bytes = Vec::new();
    let mut has_failed = false;
    std::iter::from_fn(move || {
        bytes.clear();
        match jsonl::read_line(&mut lines, &mut bytes) {
            _ if has_failed => None,
            Ok(0) => None,
            Ok(_) => Some(Ok(object(&bytes))),
            Err(source) => {
                has_failed = true;
                Some(Err(DataError::Unreadable { path: path.clone(), source }))
            }
        }
    })
}

fn object(line: &[u8]) -> Result<Fields, String> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Err("the line is empty".to_owned());
    }
    let text = std::str::from_utf8(line).map_err(|_| "the line is not UTF-8".to_owned())?;
    serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("the line is not a JSON object: {error}"))
}
