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
    let draft = |part: &'static str, [omitted, kept]: [&str; 2], label: &str| -> Result<Draft, String> {
        let code =
            without(&code, omitted, kept).ok_or_else(|| format!("there is no `#ifndef {omitted}` … `#endif` in it"))?;
        Ok(Draft {
            part: Some(part),
            codes: vec![(code, Language::from_path(&file))],
            truth: Loose::Label(label.to_owned()),
            group: Some(file.clone()),
            ..Draft::default()
        })
    };
    Ok(vec![draft("bad", ["OMITGOOD", "OMITBAD"], yes)?, draft("good", ["OMITBAD", "OMITGOOD"], no)?])
}

/// What stands between conditions.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Omitted,
    Kept,
    Other,
}

/// The text without the stretches between `#ifndef omitted` and its `#endif`, and without the conditions around what is kept;
/// `None` when there are no such stretches, or an `#endif` is missing.
fn without(code: &str, omitted: &str, kept: &str) -> Option<String> {
    let mut text = String::with_capacity(code.len());
    let mut parts: Vec<Part> = Vec::new();
    let mut is_found = false;
    for line in code.split_inclusive('\n') {
        let mut words = line.trim_start().strip_prefix('#').unwrap_or_default().split_whitespace();
        let (directive, argument) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut is_ours = false;
        if directive.starts_with("if") {
            let part = match directive {
                "ifndef" if argument == omitted => Part::Omitted,
                "ifndef" if argument == kept => Part::Kept,
                _ => Part::Other,
            };
            is_found |= part == Part::Omitted;
            is_ours = part != Part::Other;
            parts.push(part);
        } else if directive == "endif" {
            is_ours = parts.pop()? != Part::Other;
        }
        if !is_ours && !parts.contains(&Part::Omitted) {
            text.push_str(line);
        }
    }
    (is_found && parts.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn what_lies_between_conditions_is_left_out() {
        let code = "a\n#ifndef BAD\nb\n#ifdef X\nc\n#else\nd\n#endif\n#endif /* BAD */\ne\n # ifndef GOOD\nf\n#ifdef X\ng\n#endif\n#endif";
        assert_eq!(without(code, "BAD", "GOOD").as_deref(), Some("a\ne\nf\n#ifdef X\ng\n#endif\n"));
        assert_eq!(without(code, "GOOD", "BAD").as_deref(), Some("a\nb\n#ifdef X\nc\n#else\nd\n#endif\ne\n"));
        assert_eq!(without(code, "UGLY", "GOOD"), None);
        assert_eq!(without("#ifndef BAD\nb\n", "BAD", "GOOD"), None);
        assert_eq!(without("#endif\n", "BAD", "GOOD"), None);
    }
}
