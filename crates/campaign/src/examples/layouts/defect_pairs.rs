//! Faulty programs with their corrections, as Codeflaws and ConDefects have them: two programs a row.
//!
//! ```json
//! {"id": "1-A-bug-1-2", "problem": "1-A", "buggy": "int main() { return 1; }", "accepted": "int main() { return 0; }"}
//! {"lang": "java", "task": "abc221_a", "submission": "36706818", "faulty": "class Main { …", "correct": "class Main { …"}
//! ```
//!
//! Each row becomes two examples. The group is the problem, so that solutions of one problem stay together.

use super::{Layout, Shape, has, program, word};
use crate::data::records::Fields;
use crate::examples::{Draft, Loose, Request, Task};

pub(super) const LAYOUT: Layout = Layout {
    name: "defect-pairs",
    place: "table",
    about: "`buggy` and `accepted`, or `faulty` and `correct`; an example each",
    tasks: &[Task::Defect, Task::Functionality],
    shape: Shape::Rows {
        recognises: |fields| has(fields, &["buggy", "accepted"]) || has(fields, &["faulty", "correct"]),
        drafts,
    },
};

fn drafts(fields: &Fields, task: Task, _: &Request) -> Result<Vec<Draft>, String> {
    let (faulty, correct) = if fields.contains_key("buggy") { ("buggy", "accepted") } else { ("faulty", "correct") };
    let problem = word(fields, "problem").or_else(|_| word(fields, "task"));
    let draft = |part: &'static str, label: &str| -> Result<Draft, String> {
        let label = if task == Task::Functionality { problem.clone()? } else { label.to_owned() };
        Ok(Draft {
            part: Some(part),
            codes: vec![(program(fields, part)?, None)],
            truth: Loose::Label(label),
            group: problem.clone().ok(),
            ..Draft::default()
        })
    };
    Ok(vec![draft(faulty, "faulty")?, draft(correct, "correct")?])
}
