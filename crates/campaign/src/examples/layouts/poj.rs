//! Programs with the number of the problem that they solve, as POJ-104 has them in CodeXGLUE: one object a row.
//!
//! ```json
//! {"label": "1", "index": "0", "code": "int main() { return 0; }"}
//! ```
//!
//! The same as folders, `ProgramData/1/0.txt`, is the layout `folder`.

use super::{Layout, Shape, has, program, word};
use crate::data::records::Fields;
use crate::examples::{Draft, Loose, Request, Task};

pub(super) const LAYOUT: Layout = Layout {
    name: "poj",
    place: "table",
    about: "`code` and `label`, a number or a word",
    tasks: &[Task::Functionality, Task::Authorship, Task::Vulnerability, Task::Defect],
    shape: Shape::Rows { recognises: |fields| has(fields, &["label", "code"]), drafts },
};

fn drafts(fields: &Fields, _: Task, _: &Request) -> Result<Vec<Draft>, String> {
    Ok(vec![Draft {
        codes: vec![(program(fields, "code")?, None)],
        truth: Loose::Label(word(fields, "label")?),
        ..Draft::default()
    }])
}
