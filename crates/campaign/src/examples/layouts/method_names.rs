//! Methods with their names, and a sentence about them where it is there: one object a row.
//!
//! ```json
//! {"path": "javax/swing/JViewport.java", "name": "getViewPosition", "doc": "Returns the …", "code": "public Point getViewPosition() { …"}
//! ```
//!
//! The program is whole, so its name stands in it: whoever asks a model for the name hides it first. For captioning,
//! documentation and code search the text is `doc`. The group is the file.

use super::{Layout, Shape, has, program, text, word};
use crate::data::records::Fields;
use crate::examples::{Draft, Loose, Request, Task, Truth};

pub(super) const LAYOUT: Layout = Layout {
    name: "method-names",
    place: "table",
    about: "`name` and `code`; the text is `doc`",
    tasks: &[Task::MethodName, Task::Captioning, Task::Documentation, Task::CodeSearch],
    shape: Shape::Rows { recognises: |fields| has(fields, &["name", "code"]), drafts },
};

fn drafts(fields: &Fields, task: Task, _: &Request) -> Result<Vec<Draft>, String> {
    let codes = vec![(program(fields, "code")?, None)];
    let mut draft = Draft { codes, group: word(fields, "path").ok(), ..Draft::default() };
    match task {
        Task::MethodName => draft.truth = Loose::Known(Truth::Name(program(fields, "name")?)),
        Task::CodeSearch => {
            (draft.text, draft.truth) = (Some(text(fields, "doc")?), Loose::Label("match".to_owned()));
        }
        // Nothing can be learned or measured about a text without words.
        _ => draft.truth = Loose::Known(Truth::Text(program(fields, "doc")?)),
    }
    Ok(vec![draft])
}
