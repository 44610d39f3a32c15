//! Programs of students with the tests that they fail, as IntroClass has them: one object a row.
//!
//! ```json
//! {"task": "checksum", "student": "08c7ea4ac39a", "revision": "006", "fail": ["blackbox/3"], "code": "int main(void) { …"}
//! ```
//!
//! A program that fails no test is correct. For functionality, the label is the task. The group is the student.

use serde_json::Value;

use super::{Layout, Shape, has, program, word};
use crate::data::records::Fields;
use crate::examples::{Draft, Loose, Request, Task};

pub(super) const LAYOUT: Layout = Layout {
    name: "introclass",
    place: "table",
    about: "`task`, `code` and the list `fail`, empty for a correct program",
    tasks: &[Task::Defect, Task::Functionality],
    shape: Shape::Rows { recognises: |fields| has(fields, &["task", "fail", "code"]), drafts },
};

fn drafts(fields: &Fields, task: Task, _: &Request) -> Result<Vec<Draft>, String> {
    let label = match (task, fields.get("fail")) {
        (Task::Functionality, _) => word(fields, "task")?,
        (_, Some(Value::Array(tests))) if tests.is_empty() => "correct".to_owned(),
        (_, Some(Value::Array(_))) => "faulty".to_owned(),
        _ => return Err("the field `fail` is not a list".to_owned()),
    };
    Ok(vec![Draft {
        codes: vec![(program(fields, "code")?, None)],
        truth: Loose::Label(label),
        group: word(fields, "student").ok(),
        ..Draft::default()
    }])
}
