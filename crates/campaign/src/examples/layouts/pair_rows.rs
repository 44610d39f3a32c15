//! Pairs of programs that are clones or not, both in one row.
//!
//! ```json
//! {"id": 0, "func1": "int f(int n) { return n; }", "func2": "int g(int k) { return k; }", "label": true}
//! {"code1": "int f(int n) { return n; }", "code2": "int g(int k) { return k + 1; }", "label": 0}
//! ```

use super::{Layout, Shape, has, program, word};
use crate::data::records::Fields;
use crate::examples::{Draft, Loose, Request, Task};

pub(super) const LAYOUT: Layout = Layout {
    name: "pair-rows",
    place: "table",
    about: "`code1` and `code2`, or `func1` and `func2`, and `label`, 1 for clones",
    tasks: &[Task::Clone],
    shape: Shape::Rows {
        recognises: |fields| has(fields, &["code1", "code2", "label"]) || has(fields, &["func1", "func2", "label"]),
        drafts,
    },
};

fn drafts(fields: &Fields, _: Task, _: &Request) -> Result<Vec<Draft>, String> {
    let names = if fields.contains_key("code1") { ["code1", "code2"] } else { ["func1", "func2"] };
    let codes: Result<Vec<_>, String> = names.iter().map(|name| Ok((program(fields, name)?, None))).collect();
    Ok(vec![Draft { codes: codes?, truth: Loose::Label(word(fields, "label")?), ..Draft::default() }])
}
