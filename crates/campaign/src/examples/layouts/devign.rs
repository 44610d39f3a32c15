//! Functions that are vulnerable or not, as Devign has them in CodeXGLUE and with ALERT: one object a row.
//!
//! ```json
//! {"idx": 3, "project": "FFmpeg", "commit_id": "32bf65", "target": 0, "func": "int f(int n) { return n; }"}
//! ```
//!
//! A field `substitutes`, which ALERT adds, is taken along. The group is the commit.

use super::{Layout, Shape, has, program, word};
use crate::data::records::Fields;
use crate::examples::{Draft, Loose, Request, Task};

pub(super) const LAYOUT: Layout = Layout {
    name: "devign",
    place: "table",
    about: "`func` and `target`, 1 for vulnerable",
    tasks: &[Task::Vulnerability, Task::Defect],
    shape: Shape::Rows { recognises: |fields| has(fields, &["func", "target"]), drafts },
};

fn drafts(fields: &Fields, _: Task, _: &Request) -> Result<Vec<Draft>, String> {
    Ok(vec![Draft {
        codes: vec![(program(fields, "func")?, None)],
        truth: Loose::Label(word(fields, "target")?),
        group: word(fields, "commit_id").ok(),
        ..Draft::default()
    }])
}
