//! Programs with their authors: one object a row. The field `problem`, where it is there, is the label for functionality.
//!
//! ```json
//! {"author": "0x03BB", "round": "3264486", "problem": "5633382285312000", "code": "int main() { return 0; }"}
//! ```
//!
//! The group is the problem for authorship, and the author for functionality: what a model must not learn the label from.

use super::{Layout, Shape, has, program, word};
use crate::data::records::Fields;
use crate::examples::{Draft, Loose, Request, Task};

pub(super) const LAYOUT: Layout = Layout {
    name: "authorship",
    place: "table",
    about: "`author` and `code`; `problem` for functionality",
    tasks: &[Task::Authorship, Task::Functionality],
    shape: Shape::Rows { recognises: |fields| has(fields, &["author", "code"]), drafts },
};

fn drafts(fields: &Fields, task: Task, _: &Request) -> Result<Vec<Draft>, String> {
    let (label, group) = if task == Task::Functionality { ("problem", "author") } else { ("author", "problem") };
    Ok(vec![Draft {
        codes: vec![(program(fields, "code")?, None)],
        truth: Loose::Label(word(fields, label)?),
        group: word(fields, group).ok(),
        ..Draft::default()
    }])
}
