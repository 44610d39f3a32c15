//! Tasks with a solution and tests, as MBXP and HumanEval have them: one object a row.
//!
//! ```json
//! {"task_id": "MBPP/1", "prompt": "def f(n):\n", "canonical_solution": "    return n\n", "description": "Write …", "language": "python"}
//! ```
//!
//! The program is the prompt with the solution after it. It has no label; for captioning, documentation and code search the text
//! is the description, which the prompt repeats in a comment. The group is the task.

use super::{Layout, Shape, has, program, text, word};
use crate::data::records::Fields;
use crate::examples::{Draft, Loose, Request, Task, Truth};

pub(super) const LAYOUT: Layout = Layout {
    name: "mbxp",
    place: "table",
    about: "`prompt` and `canonical_solution`, together a program; the text is `description`",
    tasks: &[Task::Unlabelled, Task::Captioning, Task::Documentation, Task::CodeSearch],
    shape: Shape::Rows { recognises: |fields| has(fields, &["prompt", "canonical_solution"]), drafts },
};

fn drafts(fields: &Fields, task: Task, _: &Request) -> Result<Vec<Draft>, String> {
    let code = format!("{}{}", text(fields, "prompt")?, program(fields, "canonical_solution")?);
    let mut draft = Draft { codes: vec![(code, None)], group: word(fields, "task_id").ok(), ..Draft::default() };
    match task {
        Task::CodeSearch => {
            (draft.text, draft.truth) = (Some(text(fields, "description")?), Loose::Label("match".to_owned()));
        }
        Task::Captioning | Task::Documentation => {
            draft.truth = Loose::Known(Truth::Text(text(fields, "description")?));
        }
        _ => (),
    }
    Ok(vec![draft])
}
