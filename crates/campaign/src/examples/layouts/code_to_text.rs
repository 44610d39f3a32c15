//! Functions with their documentation, as CodeSearchNet and CodeXGLUE's code-to-text have them: one object a row.
//!
//! ```json
//! {"repo": "a/b", "path": "x.py", "func_name": "C.f", "code": "def f(n): …", "code_tokens": ["def", "f"], "docstring": "Does f.",
//!  "docstring_tokens": ["Does", "f", "."], "language": "python"}
//! ```
//!
//! The program is `code`, or `original_string`, or the tokens with blanks between them where there is no other; the text is that
//! of the tokens, as CodeXGLUE takes it, or `docstring`. The function of a row in Python has its documentation in it. The name for
//! the task method-name is the last part of `func_name`. The group is the repository.

use super::{Layout, Shape, joined, word};
use crate::data::records::Fields;
use crate::examples::{Draft, Loose, Request, Task, Truth};

const CODE: [&str; 3] = ["code", "original_string", "code_tokens"];
const TEXT: [&str; 2] = ["docstring_tokens", "docstring"];

pub(super) const LAYOUT: Layout = Layout {
    name: "code-to-text",
    place: "table",
    about: "`code` or `code_tokens`, and `docstring` or `docstring_tokens`",
    tasks: &[Task::Captioning, Task::Documentation, Task::CodeSearch, Task::MethodName],
    shape: Shape::Rows {
        recognises: |fields| {
            [&CODE[..], &TEXT[..]].iter().all(|names| names.iter().any(|name| fields.contains_key(*name)))
        },
        drafts,
    },
};

fn drafts(fields: &Fields, task: Task, _: &Request) -> Result<Vec<Draft>, String> {
    let first = |names: &[&str]| {
        let found = names.iter().find_map(|name| joined(fields, name)).filter(|text| !text.trim().is_empty());
        found.ok_or_else(|| format!("there is no text in any of the fields {}", names.join(", ")))
    };
    let mut draft = Draft { codes: vec![(first(&CODE)?, None)], group: word(fields, "repo").ok(), ..Draft::default() };
    match task {
        Task::MethodName => {
            let name = word(fields, "func_name")?;
            let last = name.rsplit('.').next().unwrap_or(&name);
            draft.truth = Loose::Known(Truth::Name(last.to_owned()));
        }
        Task::CodeSearch => (draft.text, draft.truth) = (Some(first(&TEXT)?), Loose::Label("match".to_owned())),
        _ => draft.truth = Loose::Known(Truth::Text(first(&TEXT)?)),
    }
    Ok(vec![draft])
}
