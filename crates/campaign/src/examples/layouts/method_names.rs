//! Methods with their names, and a sentence about them where it is there: one object a row.
//!
//! ```json
//! {"path": "javax/swing/JViewport.java", "name": "getViewPosition", "doc": "Returns the …", "code": "public Point getViewPosition() { …"}
//! ```
//!
//! The program is whole, so its name stands in it: whoever asks a model for the name hides it first. For captioning,
//! documentation and code search the text is `doc`. The group is the file. A row whose name is no identifier, or whose text is empty, is
//! not used.

use super::{Layout, Shape, has, program, word};
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
        Task::MethodName => draft.truth = Loose::Known(Truth::Name(identifier(fields, "name")?)),
        Task::CodeSearch => {
            (draft.text, draft.truth) = (Some(program(fields, "doc")?), Loose::Label("match".to_owned()));
        }
        // Nothing can be learned or measured about a text without words.
        _ => draft.truth = Loose::Known(Truth::Text(program(fields, "doc")?)),
    }
    Ok(vec![draft])
}

/// A name that one of the languages can give a function: letters, digits, `_` and `$`, of which the first is no digit. Private methods of JavaScript
/// begin with `#`, destructors of C++ with `~`.
fn identifier(fields: &Fields, name: &str) -> Result<String, String> {
    let text = program(fields, name)?;
    let own = text.strip_prefix(['#', '~']).unwrap_or(&text);
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    match own.starts_with(|first: char| is_part(first) && !first.is_numeric()) && own.chars().all(is_part) {
        true => Ok(text),
        false => Err(format!("the field `{name}` is not an identifier")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers() {
        for (name, is_name) in
            [("getSize", true), ("_a1", true), ("$", true), ("größe", true), ("#x", true), ("~Shelf", true)]
                .into_iter()
                .chain([("get size", false), ("3x", false), ("a-b", false), ("#", false), (" ", false), ("f()", false)])
        {
            let fields: Fields = serde_json::from_value(serde_json::json!({"name": name})).unwrap();
            assert_eq!(identifier(&fields, "name").is_ok(), is_name, "{name}");
        }
    }
}
