//! Reads the header of a unit file: the promises it makes, and the slips that would make one go unread.

use std::fmt;

/// A promise that a header makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The word after the opening fence of the first block: what it is written in.
    pub tag: String,
    /// The text of the first block.
    pub before: String,
    /// The text of the second block; `None` promises that the unit leaves `before` alone.
    pub after: Option<String>,
    /// The line of the file with the first block's opening fence, from 1.
    pub line: usize,
}

/// Something in a header that nobody can have meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line of the file, from 1.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: &'static str,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.message)
    }
}

/// Lists the promises of a unit file's header. Faulty parts of it promise nothing, see [`problems`].
pub fn examples(source: &str) -> Vec<Example> {
    read(source).0
}

/// Lists what is wrong with a unit file's header, in the order of its lines.
pub fn problems(source: &str) -> Vec<Problem> {
    read(source).1
}

/// The lines of the header without their `//!` and the blank after it.
pub(crate) fn lines(source: &str) -> impl Iterator<Item = &str> {
    let marked = source.lines().map_while(|line| line.strip_prefix("//!"));
    marked.map(|line| line.strip_prefix(' ').unwrap_or(line))
}

/// What an arrow may join at the present line.
enum Joint {
    /// There is no block that an arrow could start from.
    Nothing,
    /// A first block was closed, and nothing but empty lines has come since.
    Closed,
    /// An arrow was read, on this line.
    Arrow(usize),
    /// A second block was closed: its promise is complete.
    Complete,
}

fn read(source: &str) -> (Vec<Example>, Vec<Problem>) {
    let mut examples: Vec<Example> = Vec::new();
    let mut problems = Vec::new();
    let mut note = |line, message| problems.push(Problem { line, message });
    let mut numbered = (1..).zip(lines(source));
    check_title(source, &mut note);
    let mut joint = Joint::Nothing;
    while let Some((line, text)) = numbered.next() {
        if let Some((fence, tag)) = opening_fence(text) {
            if tag.is_empty() {
                note(line, "a fence without a language: write it after the three marks, as in ```java");
            }
            let mut body = String::new();
            let mut is_closed = false;
            for (_, text) in numbered.by_ref() {
                is_closed = closes(text, fence);
                if is_closed {
                    break;
                }
                body.push_str(text);
                body.push('\n');
            }
            if !is_closed {
                note(line, "this fence is never closed: end the block with ``` on a line of its own");
                joint = Joint::Nothing;
                continue;
            }
            joint = match (joint, examples.last_mut()) {
                (Joint::Arrow(_), Some(example)) => {
                    example.after = Some(body);
                    Joint::Complete
                }
                _ => {
                    examples.push(Example { tag: tag.to_owned(), before: body, after: None, line });
                    Joint::Closed
                }
            };
            continue;
        }
        match text.trim() {
            "" => continue,
            "->" => {
                joint = match joint {
                    Joint::Closed => Joint::Arrow(line),
                    Joint::Nothing => {
                        note(line, "an arrow without a first block: it joins the two blocks right above and below it");
                        Joint::Nothing
                    }
                    Joint::Arrow(_) => {
                        note(line, "a second arrow: one joins two blocks");
                        Joint::Nothing
                    }
                    Joint::Complete => {
                        note(line, "an arrow after a second block: a promise has two blocks, start a new one");
                        Joint::Nothing
                    }
                };
            }
            other => {
                if let Joint::Arrow(arrow) = joint {
                    note(arrow, NO_SECOND_BLOCK);
                }
                joint = Joint::Nothing;
                if opening_fence(other).is_some() {
                    note(line, "an indented fence: write it right after `//! `, else it is not an example");
                } else if other.starts_with("~~~") {
                    note(line, "a fence of tildes: write ``` instead, else it is not an example");
                }
            }
        }
    }
    if let Joint::Arrow(arrow) = joint {
        note(arrow, NO_SECOND_BLOCK);
    }
    problems.sort_by_key(|problem| problem.line);
    (examples, problems)
}

const NO_SECOND_BLOCK: &str = "an arrow without a second block: a fenced block must follow it";

fn check_title(source: &str, note: &mut impl FnMut(usize, &'static str)) {
    let mut lines = lines(source).map(str::trim);
    match (lines.next(), lines.next()) {
        (None, _) => note(1, "no header: start the file with `//!` and one sentence that says what the unit does"),
        (Some(""), _) => note(1, "the first line is empty: it is the title, one sentence that says what the unit does"),
        (Some(title), _) if opening_fence(title).is_some() => {
            note(1, "the first line is a fence: it is the title, one sentence that says what the unit does");
        }
        (Some(_), Some(second)) if !second.is_empty() => {
            note(2, "the title is longer than one line: shorten it, and leave the second line empty");
        }
        (Some(title), _) if !title.ends_with(['.', '!', '?']) => {
            note(1, "the title is not a sentence: end it in a full stop");
        }
        _ => (),
    }
}

/// The number of marks and the language of the fence that opens a block.
fn opening_fence(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('`');
    let marks = line.len() - rest.len();
    // A line such as ```` ```x``` ```` is code within a paragraph.
    (marks >= 3 && !rest.contains('`')).then(|| (marks, rest.trim()))
}

/// A block may hold fences itself when its own have more marks.
fn closes(line: &str, marks: usize) -> bool {
    let line = line.trim_end();
    line.len() >= marks && line.bytes().all(|byte| byte == b'`')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(tag: &str, before: &str, after: Option<&str>, line: usize) -> Example {
        Example { tag: tag.to_owned(), before: before.to_owned(), after: after.map(str::to_owned), line }
    }

    /// Marks a page as a header, with code beneath it.
    fn header(page: &str) -> String {
        let marked: String = page.lines().map(|line| format!("//! {line}").trim_end().to_owned() + "\n").collect();
        marked + "\nuse crate::Something;\n"
    }

    #[track_caller]
    fn check(page: &str, expected: &[Example]) {
        let source = header(page);
        assert_eq!(problems(&source), [], "{source}");
        assert_eq!(examples(&source), expected, "{source}");
    }

    #[track_caller]
    fn check_refused(page: &str, line: usize, words: &str) {
        let source = header(page);
        let found = problems(&source);
        assert!(
            matches!(&found[..], [problem] if problem.line == line && problem.message.contains(words)),
            "expected {words:?} in line {line} and found {found:?}\n{source}"
        );
    }

    #[test]
    fn two_joined_blocks_are_one_promise() {
        check(
            "Doubles.\n\n```python\na = 1\n```\n->\n```python\na = 2\n```",
            &[example("python", "a = 1\n", Some("a = 2\n"), 3)],
        );
    }

    #[test]
    fn a_lone_block_is_left_alone() {
        check("Doubles.\n\nNot text:\n\n```java\nString a;\n```", &[example("java", "String a;\n", None, 5)]);
    }

    #[test]
    fn promises_stay_in_order_and_keep_their_lines() {
        check(
            "T.\n\n```c\na\n```\n->\n```c\nb\n```\nAnd:\n```c\nc\n```\n```c\nd\n```\n\n->\n\n```json\n0.5\n```\n",
            &[
                example("c", "a\n", Some("b\n"), 3),
                example("c", "c\n", None, 11),
                example("c", "d\n", Some("0.5\n"), 14),
            ],
        );
    }

    #[test]
    fn the_text_of_a_block_is_kept_to_the_blank() {
        check(
            "T.\n\n```python\nif a:\n    b()\n\n\tc()\n->\n# ``\n```",
            &[example("python", "if a:\n    b()\n\n\tc()\n->\n# ``\n", None, 3)],
        );
        check("T.\n\n```text\n```", &[example("text", "", None, 3)]);
    }

    #[test]
    fn a_block_with_more_marks_may_hold_fences() {
        check("T.\n\n````markdown\n```c\nx\n```\n````", &[example("markdown", "```c\nx\n```\n", None, 3)]);
    }

    #[test]
    fn the_header_ends_with_its_last_marked_line() {
        let source = "//! T.\n\n//! ```c\n//! x\n//! ```\n";
        assert_eq!(examples(source), []);
        assert_eq!(problems(source), []);
    }

    #[test]
    fn windows_line_ends_and_missing_blanks_are_read() {
        let source = "//!T.\r\n//!\r\n//!```c\r\n//!x\r\n//!```\r\nuse x;\r\n";
        assert_eq!(examples(source), [example("c", "x\n", None, 3)]);
        assert_eq!(problems(source), []);
    }

    #[test]
    fn an_unclosed_fence_is_found() {
        check_refused("T.\n\n```c\nx", 3, "never closed");
        check_refused("T.\n\n```c\nx\n ```", 3, "never closed");
        check_refused("T.\n\n```c\nx\n```\n\n````c\ny\n```", 7, "never closed");
        assert_eq!(examples(&header("T.\n\n```c\nx\n```\n\n```c\ny")), [example("c", "x\n", None, 3)]);
    }

    #[test]
    fn an_arrow_that_joins_nothing_is_found() {
        check_refused("T.\n\n```c\nx\n```\n->", 6, "without a second block");
        check_refused("T.\n\n```c\nx\n```\n->\nbecomes\n```c\ny\n```", 6, "without a second block");
        check_refused("T.\n\n->\n```c\nx\n```", 3, "without a first block");
        check_refused("T.\n\n```c\nx\n```\nbecomes\n->\n```c\ny\n```", 7, "without a first block");
        check_refused("T.\n\n```c\nx\n```\n->\n->\n```c\ny\n```", 7, "second arrow");
        check_refused("T.\n\n```c\nx\n```\n->\n```c\ny\n```\n->\n```c\nz\n```", 10, "two blocks");
    }

    #[test]
    fn a_fence_without_a_language_is_found() {
        check_refused("T.\n\n```\nx\n```", 3, "without a language");
        check_refused("T.\n\n```c\nx\n```\n->\n```\ny\n```", 7, "without a language");
    }

    #[test]
    fn what_looks_like_a_fence_and_is_none_is_found() {
        check_refused("T.\n\n  ```c", 3, "indented");
        check_refused("T.\n\n~~~c", 3, "tildes");
        check("T.\n\nThe mark is ```` ``` ````.\n\n```x``` is code.", &[]);
    }

    #[test]
    fn the_title_is_one_sentence_on_one_line() {
        check_refused("", 1, "no header");
        check_refused("\nT.", 1, "empty");
        check_refused("```c\nx\n```", 1, "a fence");
        check_refused("Doubles every\nnumber.", 2, "longer than one line");
        check_refused("Doubles", 1, "full stop");
        check_refused("Doubles\n\nMore.", 1, "full stop");
        check("Doubles.", &[]);
    }

    #[test]
    fn all_problems_are_listed_in_the_order_of_their_lines() {
        let source = header("T\n\n->\n\n```\nx\n```\n->\n");
        let lines: Vec<usize> = problems(&source).iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [1, 3, 5, 8]);
        assert_eq!(problems(&source)[0].to_string(), "line 1: the title is not a sentence: end it in a full stop");
    }
}
