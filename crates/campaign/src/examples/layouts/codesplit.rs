//! Programs with the numbers of their authors in a text file, as ALERT publishes those of Google Code Jam: one a line.
//!
//! ```text
//! def f(n):\n      print "%d\n" % n\n  f(1)\n <CODESPLIT> 7
//! ```
//!
//! The line breaks of the program are the two characters `\n`, and every line after the first has two blanks more than it had. A
//! `\n` without the blanks is one in a text of the program, and stays. The last line break and a blank at the very beginning
//! belong to the file.

use std::path::Path;

use super::clone_pairs::first_line;
use super::{Layout, Shape};
use crate::data::{DataError, jsonl};
use crate::examples::{Draft, Gathered, Loose, Request, Task};

pub(super) const LAYOUT: Layout = Layout {
    name: "codesplit",
    place: ".txt .txt.gz",
    about: "lines `program <CODESPLIT> label`",
    tasks: &[Task::Authorship, Task::Functionality],
    shape: Shape::Whole(read),
};

const MARK: &str = " <CODESPLIT> ";

/// Is this such a file, by its first line?
pub(in crate::examples) fn is_split_file(path: &Path) -> Result<bool, DataError> {
    Ok(first_line(path)?.is_some_and(|line| line.contains(MARK)))
}

fn read(path: &Path, _: Task, _: &Request) -> Result<Gathered, DataError> {
    let bytes = jsonl::read_whole(path)?;
    let mut gathered = Gathered::new("line");
    // Lines end in line feeds only: a program may hold other characters that end lines elsewhere.
    let lines = bytes.strip_suffix(b"\n").unwrap_or(&bytes).split(|byte| *byte == b'\n');
    for line in lines.filter(|_| !bytes.is_empty()) {
        gathered.rows += 1;
        let parts = std::str::from_utf8(line).map_err(|_| "the line is not UTF-8").and_then(|line| {
            let (code, label) = line.rsplit_once(MARK).ok_or("there is no <CODESPLIT> in it")?;
            if code.trim().is_empty() { Err("the program is empty") } else { Ok((restored(code), label.trim())) }
        });
        match parts {
            Ok((code, label)) => {
                let draft =
                    Draft { codes: vec![(code, None)], truth: Loose::Label(label.to_owned()), ..Draft::default() };
                gathered.add((gathered.rows - 1).to_string(), draft);
            }
            Err(problem) => gathered.refuse(problem),
        }
    }
    Ok(gathered)
}

/// The program with its lines as they were.
fn restored(code: &str) -> String {
    let code = code.strip_prefix(' ').unwrap_or(code);
    let (code, end) = code.strip_suffix("\\n").map_or((code, ""), |code| (code, "\n"));
    format!("{}{end}", code.replace("\\n  ", "\n"))
}

#[cfg(test)]
mod tests {
    use super::restored;

    #[test]
    fn line_breaks_are_told_from_texts() {
        assert_eq!(
            restored("def f(n):\\n      print \"%d\\n\" % n\\n  f(1)\\n"),
            "def f(n):\n    print \"%d\\n\" % n\nf(1)\n"
        );
        assert_eq!(restored(" a = 1\\n  \\n  b"), "a = 1\n\nb");
    }
}
