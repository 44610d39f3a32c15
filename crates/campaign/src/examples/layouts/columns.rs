//! Any table whose fields the user names.
//!
//! ```csv
//! source,answer
//! "int f(void) { return 0; }",0
//! ```
//!
//! is read with `--code source --label answer --task vulnerability`. Two programs make a clone pair, a text and a label a question
//! of code search, a text alone a caption. Where `--code` is not named, the program is in the field `func`, `code`,
//! `original_string` or `prompt`. A program may also be a list of tokens.

use serde_json::Value;

use super::{Layout, Shape, joined, program, word};
use crate::data::records::Fields;
use crate::data::{DataError, RECOGNISED};
use crate::examples::task::{InputKind, TruthKind};
use crate::examples::{Columns, Draft, Loose, Request, Task, Truth};

pub(super) const LAYOUT: Layout = Layout {
    name: "columns",
    place: "table",
    about: "any fields, named with --code, --code2, --label and --text",
    tasks: &Task::ALL,
    shape: Shape::Rows { recognises: |_| false, drafts },
};

/// The task that the named fields are made for.
pub(in crate::examples) fn task_of_columns(columns: &Columns) -> Result<Task, DataError> {
    match (&columns.code2, &columns.label, &columns.text) {
        (Some(_), _, _) => Ok(Task::Clone),
        (None, Some(_), Some(_)) => Ok(Task::CodeSearch),
        (None, None, Some(_)) => Ok(Task::Captioning),
        (None, None, None) => Ok(Task::Unlabelled),
        (None, Some(_), None) => Err(DataError::Unfit {
            place: "--label".to_owned(),
            problem:
                "name the task that it is the label of with --task, such as vulnerability, functionality or authorship"
                    .to_owned(),
        }),
    }
}

/// Are the fields named that a task needs?
pub(in crate::examples) fn check_columns(columns: &Columns, task: Task) -> Result<(), DataError> {
    let needs_text = task.input() == InputKind::CodeAndText || task.truth() == TruthKind::Text;
    let needs_label = task.truth() == TruthKind::Name || (task.truth() == TruthKind::Class && task != Task::CodeSearch);
    let missing = [
        (task.input() == InputKind::Pair && columns.code2.is_none(), "--code2"),
        (needs_text && columns.text.is_none(), "--text"),
        (needs_label && columns.label.is_none(), "--label"),
    ];
    match missing.iter().find(|(is_missing, _)| *is_missing) {
        None => Ok(()),
        Some((_, option)) => Err(DataError::Unfit {
            place: (*option).to_owned(),
            problem: format!("the task {task} needs a field that it names"),
        }),
    }
}

fn drafts(fields: &Fields, task: Task, request: &Request) -> Result<Vec<Draft>, String> {
    let columns = &request.columns;
    // A field may hold tokens instead of a text.
    let text = |name: &Option<String>| {
        let name = name.as_deref().unwrap_or_default();
        joined(fields, name).ok_or_else(|| format!("there is no text in the field `{name}`"))
    };
    let code = |name: &str| match fields.get(name) {
        Some(Value::Array(_)) => text(&Some(name.to_owned())),
        _ => program(fields, name),
    };
    let label = || word(fields, columns.label.as_deref().unwrap_or_default());
    let known = RECOGNISED.iter().filter(|names| names.len() == 1).map(|names| names[0]);
    let named = columns.code.as_deref().or_else(|| known.into_iter().find(|name| fields.contains_key(*name)));
    let named = named.ok_or("there is no field that is known to hold programs, and --code names none")?;
    let mut draft = Draft { codes: vec![(code(named)?, None)], ..Draft::default() };
    match task.input() {
        InputKind::Code => (),
        InputKind::Pair => draft.codes.push((code(columns.code2.as_deref().unwrap_or_default())?, None)),
        InputKind::CodeAndText => draft.text = Some(text(&columns.text)?),
    }
    draft.truth = match task.truth() {
        TruthKind::Class if task == Task::CodeSearch && columns.label.is_none() => Loose::Label("match".to_owned()),
        TruthKind::Class => Loose::Label(label()?),
        TruthKind::Name => Loose::Known(Truth::Name(label()?)),
        TruthKind::Text => match text(&columns.text)? {
            blank if blank.trim().is_empty() => {
                return Err(format!("the field `{}` is empty", columns.text.as_deref().unwrap_or_default()));
            }
            own => Loose::Known(Truth::Text(own)),
        },
        TruthKind::Nothing => Loose::Unknown,
    };
    Ok(vec![draft])
}
