//! The layouts of data sets: one file each, whose header has an example.

mod authorship;
mod clone_pairs;
mod code_search;
mod code_to_text;
mod codesplit;
mod columns;
mod defect_pairs;
mod devign;
mod files;
mod folder;
mod geeks;
mod introclass;
mod juliet;
mod mbxp;
mod method_names;
mod owasp;
mod pair_rows;
mod poj;

use std::path::Path;

use serde_json::Value;

use super::{Draft, Gathered, Request, Task};
use crate::data::DataError;
use crate::data::records::{Fields, Records, is_table};

/// A layout of data sets.
#[derive(Debug)]
pub struct Layout {
    /// The name in commands.
    pub name: &'static str,
    /// Where it is found: the endings or the kind of place.
    pub place: &'static str,
    /// What it is.
    pub about: &'static str,
    /// The tasks that it has the truth for; the first unless the user names another.
    pub tasks: &'static [Task],
    pub(super) shape: Shape,
}

/// How examples come out of a layout.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// Out of every row of a table.
    Rows {
        /// Is a row with these fields of this layout?
        recognises: fn(&Fields) -> bool,
        /// The examples in a row.
        drafts: fn(&Fields, Task, &Request) -> Result<Vec<Draft>, String>,
    },
    /// Out of a place that is read as a whole.
    Whole(fn(&Path, Task, &Request) -> Result<Gathered, DataError>),
}

/// Every layout. Rows are of the first that recognises them, so the ones with the most telling fields stand first.
pub const LAYOUTS: [&Layout; 18] = [
    &owasp::LAYOUT,
    &juliet::LAYOUT,
    &defect_pairs::LAYOUT,
    &introclass::LAYOUT,
    &mbxp::LAYOUT,
    &geeks::LAYOUT,
    &authorship::LAYOUT,
    &code_search::LAYOUT,
    &devign::LAYOUT,
    &pair_rows::LAYOUT,
    &method_names::LAYOUT,
    &code_to_text::LAYOUT,
    &poj::LAYOUT,
    &files::LAYOUT,
    &columns::LAYOUT,
    &clone_pairs::LAYOUT,
    &codesplit::LAYOUT,
    &folder::LAYOUT,
];

/// The layout with this name.
pub(super) fn find(name: &str) -> Result<&'static Layout, DataError> {
    LAYOUTS.into_iter().find(|layout| layout.name == name).ok_or_else(|| DataError::Unfit {
        place: "--layout".to_owned(),
        problem: format!("there is no layout `{name}`: use one of {}", LAYOUTS.map(|layout| layout.name).join(", ")),
    })
}

/// The layout of a file or folder, from what is there.
pub(super) fn recognise(path: &Path, request: &Request) -> Result<&'static Layout, DataError> {
    if request.columns.is_named() {
        return Ok(&columns::LAYOUT);
    }
    if path.is_dir() {
        return Ok(&folder::LAYOUT);
    }
    if clone_pairs::is_pair_file(path)? {
        return Ok(&clone_pairs::LAYOUT);
    }
    if codesplit::is_split_file(path)? {
        return Ok(&codesplit::LAYOUT);
    }
    if !is_table(path) {
        return Err(DataError::NoDataSet(path.to_owned()));
    }
    let mut problem = None;
    for record in Records::open(path)? {
        let fields = match record? {
            Ok(fields) => fields,
            Err(error) => {
                problem.get_or_insert(error);
                continue;
            }
        };
        let recognised = LAYOUTS.into_iter().find(|layout| match layout.shape {
            Shape::Rows { recognises, .. } => recognises(&fields),
            Shape::Whole(_) => false,
        });
        let names: Vec<&str> = fields.keys().map(String::as_str).collect();
        let found = format!("its fields are {}", names.join(", "));
        return recognised.ok_or_else(|| DataError::NoLayout { path: path.to_owned(), found });
    }
    let problem =
        problem.map_or("it is empty".to_owned(), |problem| format!("not one row can be read; the first: {problem}"));
    Err(DataError::NotTheFormat { path: path.to_owned(), format: "data set", problem })
}

pub(super) use clone_pairs::{function_table, is_pair_file};
pub(super) use codesplit::is_split_file;
pub(super) use columns::{check_columns, task_of_columns};

/// Are all these fields there?
fn has(fields: &Fields, names: &[&str]) -> bool {
    names.iter().all(|name| fields.contains_key(*name))
}

/// The text in a field.
fn text(fields: &Fields, name: &str) -> Result<String, String> {
    match fields.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("the field `{name}` is not a string")),
        None => Err(format!("there is no field `{name}`")),
    }
}

/// A program: a text that is not blank.
fn program(fields: &Fields, name: &str) -> Result<String, String> {
    let text = text(fields, name)?;
    match text.trim().is_empty() {
        true => Err(format!("the field `{name}` is empty")),
        false => Ok(text),
    }
}

/// A field as a label or an identifier: a text, a number or a truth value.
fn word(fields: &Fields, name: &str) -> Result<String, String> {
    match fields.get(name) {
        Some(Value::String(text)) => Ok(text.trim().to_owned()),
        Some(Value::Number(number)) => Ok(plain(number)),
        Some(Value::Bool(truth)) => Ok(truth.to_string()),
        Some(_) => Err(format!("the field `{name}` is not a label")),
        None => Err(format!("there is no field `{name}`")),
    }
}

/// A whole number without its `.0`, as some tools write their labels.
fn plain(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(value) if value.fract() == 0.0 && value.abs() < 1e15 => format!("{value:.0}"),
        _ => number.to_string(),
    }
}

/// A text that may also be a list of tokens.
fn joined(fields: &Fields, name: &str) -> Option<String> {
    match fields.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(tokens) => Some(tokens.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")),
        _ => None,
    }
}
