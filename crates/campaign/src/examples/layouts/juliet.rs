//! Test cases of NIST's Juliet: one file a row, which holds a flawed variant and good ones between conditions.
//!
//! ```json
//! {"cwe": 121, "category": "CWE121_…", "file": "CWE121_….c", "code": "#ifndef OMITBAD\nvoid bad() { }\n#endif\n#ifndef OMITGOOD\nvoid good() { }\n#endif\n"}
//! ```
//!
//! Every row becomes two examples, the file without the good variants, which is vulnerable, and the file without the flawed one,
//! as a compiler sees it that was told `OMITGOOD` or `OMITBAD`. Names and comments still tell which is which. The group is the
//! file.

use syntax::Language;

use super::{Layout, Shape, has, program, text};
use crate::data::records::Fields;
use crate::examples::{Draft, Loose, Request, Task};

pub(super) const LAYOUT: Layout = Layout {
    name: "juliet",
    place: "table",
    about: "`cwe`, `file` and `code`; the flawed and the good variant become an example each",
    tasks: &[Task::Vulnerability, Task::Defect],
    shape: Shape::Rows { recognises: |fields| has(fields, &["cwe", "file", "code"]), drafts },
};

fn drafts(fields: &Fields, task: Task, _: &Request) -> Result<Vec<Draft>, String> {
    let (file, code) = (text(fields, "file")?, program(fields, "code")?);
    let [no, yes] = task.two_classes().ok_or("the task has no two classes")?;
    let draft = |part: &'static str, omitted: &str, label: &str| -> Result<Draft, String> {
        let code =
            without(&code, omitted).ok_or_else(|| format!("there is no `#ifndef {omitted}` … `#endif` in it"))?;
        Ok(Draft {
            part: Some(part),
            codes: vec![(code, Language::from_path(&file))],
            truth: Loose::Label(label.to_owned()),
            group: Some(file.clone()),
            ..Draft::default()
        })
    };
    Ok(vec![draft("bad", "OMITGOOD", yes)?, draft("good", "OMITBAD", no)?])
}

/// The text without the stretches between `#ifndef name` and its `#endif`; `None` when there are none.
fn without(code: &str, name: &str) -> Option<String> {
    let mut kept = String::with_capacity(code.len());
    let mut depth = 0;
    let mut is_found = false;
    for line in code.split_inclusive('\n') {
        let mut words = line.trim_start().strip_prefix('#').unwrap_or_default().split_whitespace();
        let (directive, argument) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if depth == 0 {
            if directive == "ifndef" && argument == name {
                (depth, is_found) = (1, true);
            } else {
                kept.push_str(line);
            }
        } else if directive.starts_with("if") {
            depth += 1;
        } else if directive == "endif" {
            depth -= 1;
        }
    }
    (is_found && depth == 0).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn what_lies_between_conditions_is_left_out() {
        let code = "a\n#ifndef OMITBAD\nb\n#ifdef X\nc\n#else\nd\n#endif\n#endif /* OMITBAD */\ne\n # ifndef OMITBAD\nf\n#endif";
        assert_eq!(without(code, "OMITBAD").as_deref(), Some("a\ne\n"));
        assert_eq!(without(code, "OMITGOOD"), None);
        assert_eq!(without("#ifndef OMITBAD\nb\n", "OMITBAD"), None);
    }
}
