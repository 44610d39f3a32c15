//! Files of projects with nothing known about them: one file a row.
//!
//! ```json
//! {"file": "audio/alaw.c", "code": "int main(void) { return 0; }"}
//! ```
//!
//! The ending of the name tells the language. The group is the folder.

use std::path::Path;

use syntax::Language;

use super::{Layout, Shape, has, program, text};
use crate::data::records::Fields;
use crate::examples::{Draft, Request, Task};

pub(super) const LAYOUT: Layout = Layout {
    name: "files",
    place: "table",
    about: "`file` and `code`; no labels",
    tasks: &[Task::Unlabelled],
    shape: Shape::Rows { recognises: |fields| has(fields, &["file", "code"]), drafts },
};

fn drafts(fields: &Fields, _: Task, _: &Request) -> Result<Vec<Draft>, String> {
    let file = text(fields, "file")?;
    let group = Path::new(&file).parent().map(|folder| folder.display().to_string());
    let codes = vec![(program(fields, "code")?, Language::from_path(&file))];
    Ok(vec![Draft { codes, group, ..Draft::default() }])
}
