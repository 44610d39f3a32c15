//! Questions and functions that answer them or not, as CoSQA has them: one object a row.
//!
//! ```json
//! {"idx": "cosqa-dev-0", "doc": "python check relation is symmetric", "code": "def f(graph, u, v): …", "label": 0}
//! ```
//!
//! The group is the question.

use super::{Layout, Shape, has, program, text, word};
use crate::data::records::Fields;
use crate::examples::{Draft, Loose, Request, Task};

pub(super) const LAYOUT: Layout = Layout {
    name: "code-search",
    place: "table",
    about: "`doc`, `code` and `label`, 1 for a match",
    tasks: &[Task::CodeSearch],
    shape: Shape::Rows { recognises: |fields| has(fields, &["doc", "code", "label"]), drafts },
};

fn drafts(fields: &Fields, _: Task, _: &Request) -> Result<Vec<Draft>, String> {
    let question = text(fields, "doc")?;
    Ok(vec![Draft {
        codes: vec![(program(fields, "code")?, None)],
        text: Some(question.clone()),
        truth: Loose::Label(word(fields, "label")?),
        group: Some(question),
        ..Draft::default()
    }])
}
