//! Functions of GeeksForGeeks with a driver around them, as TransCoder evaluates on: one object a row.
//!
//! ```json
//! {"name": "ADD_1_TO_A_GIVEN_NUMBER", "code": "class ADD_1 { static int f_gold(int x) { return x + 1; }\n//TOFILL\n}"}
//! ```
//!
//! The programs have no labels: they are there to be run. The group is the name, which solutions in other languages share.

use super::{Layout, Shape, program, word};
use crate::data::records::Fields;
use crate::examples::{Draft, Request, Task};

pub(super) const LAYOUT: Layout = Layout {
    name: "geeks",
    place: "table",
    about: "`name` and `code` with the mark TOFILL; no labels",
    tasks: &[Task::Unlabelled],
    shape: Shape::Rows {
        recognises: |fields| {
            let code = fields.get("code").and_then(|code| code.as_str());
            fields.contains_key("name") && code.is_some_and(|code| code.contains("TOFILL"))
        },
        drafts,
    },
};

fn drafts(fields: &Fields, _: Task, _: &Request) -> Result<Vec<Draft>, String> {
    let codes = vec![(program(fields, "code")?, None)];
    Ok(vec![Draft { codes, group: word(fields, "name").ok(), ..Draft::default() }])
}
