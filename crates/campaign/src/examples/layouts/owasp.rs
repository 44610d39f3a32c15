//! Servlets of the OWASP Benchmark: one object a row.
//!
//! ```json
//! {"name": "BenchmarkTest00001", "category": "pathtraver", "vulnerable": true, "cwe": 22, "code": "public class …"}
//! ```
//!
//! The group is the category.

use syntax::Language;

use super::{Layout, Shape, has, program, word};
use crate::data::records::Fields;
use crate::examples::{Draft, Loose, Request, Task};

pub(super) const LAYOUT: Layout = Layout {
    name: "owasp",
    place: "table",
    about: "`code` and `vulnerable`, true or false",
    tasks: &[Task::Vulnerability],
    shape: Shape::Rows { recognises: |fields| has(fields, &["vulnerable", "code"]), drafts },
};

fn drafts(fields: &Fields, _: Task, request: &Request) -> Result<Vec<Draft>, String> {
    Ok(vec![Draft {
        codes: vec![(program(fields, "code")?, request.language.or(Some(Language::Java)))],
        truth: Loose::Label(word(fields, "vulnerable")?),
        group: word(fields, "category").ok(),
        ..Draft::default()
    }])
}
