//! Removes one comment.
//!
//! class: comments
//! groups: lampion
//! from: Lampion
//!
//! A comment counts as whitespace, so a space remains where it separated two tokens, and in JavaScript a line break
//! where it contained one. Comments that a tool or a compiler reads are kept: `#!` and encoding lines, a licence at
//! the top, `eslint`, `noqa`, `NOLINT`, `fallthrough`, `# type:` and the like. So is every comment in a macro
//! definition. Docstrings are strings, not comments.
//!
//! ```java
//! int f(int n) { return /* as it came */ n; }
//! ```
//! ->
//! ```java
//! int f(int n) { return n; }
//! ```
//!
//! ```c
//! int f(int n) {
//!     // twice
//!     return n + n;
//! }
//! ```
//! ->
//! ```c
//! int f(int n) {
//!     return n + n;
//! }
//! ```
//!
//! ```cpp
//! int f(int n) {
//!     return n + n;  // twice
//! }
//! ```
//! ->
//! ```cpp
//! int f(int n) {
//!     return n + n;
//! }
//! ```
//!
//! ```python
//! def f(n):
//!     """Doubles."""
//!     # twice
//!     return n + n
//! ```
//! ->
//! ```python
//! def f(n):
//!     """Doubles."""
//!     return n + n
//! ```
//!
//! ```javascript
//! function f(n) { return/* twice */n + n; }
//! ```
//! ->
//! ```javascript
//! function f(n) { return n + n; }
//! ```
//!
//! ```python
//! #!/usr/bin/env python
//! # -*- coding: utf-8 -*-
//! import os  # noqa
//! ```
//!
//! ```c
//! #define TWICE(n) /* both */ \
//!     ((n) + (n))  /* sum */
//! ```

use std::ops::Range;

use syntax::{Edit, Language, Node, Program};

use crate::Sites;
use crate::parts::layout::{line_break, line_start, starts_line};
use crate::parts::trivia::{extent, is_blank, line_end, may_shift_lines, next_line, plain_comments, sees_its_lines};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let sees_its_lines = sees_its_lines(program);
    for comment in plain_comments(program) {
        let takes_lines = stands_alone(comment) || comment.text().contains('\n');
        if takes_lines && (sees_its_lines || !may_shift_lines(program, comment.start())) || begins_odd_line(comment) {
            continue;
        }
        sites.add(comment.range(), move |_| Some(vec![removal(comment)]));
    }
}

/// Has the comment its lines for itself?
fn stands_alone(comment: Node<'_>) -> bool {
    let program = comment.program();
    starts_line(comment) && is_blank(program, extent(comment).end..line_end(program, extent(comment).end))
}

/// At the start of a line JavaScript takes `-->` for a comment.
fn begins_odd_line(comment: Node<'_>) -> bool {
    let program = comment.program();
    match program.language() {
        Language::Java | Language::C | Language::Cpp | Language::Python => false,
        Language::JavaScript => program.text()[comment.end()..].trim_start().starts_with("--"),
    }
}

fn removal(comment: Node<'_>) -> Edit {
    let program = comment.program();
    let text = program.text();
    let Range { start, end } = extent(comment);
    let line = line_start(program, start);
    if stands_alone(comment) {
        return Edit::delete(line..next_line(program, end));
    }
    let blanks_before = start - text[line..start].trim_end_matches([' ', '\t']).len() - line;
    if is_blank(program, end..line_end(program, end)) {
        return Edit::delete(start - blanks_before..line_end(program, end));
    }
    let blanks_behind = text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
    let has_line_break = comment.text().contains('\n');
    match program.language() {
        // A line break inside a comment can end a statement.
        Language::JavaScript if has_line_break => Edit { range: comment.range(), text: line_break(program).to_owned() },
        Language::Java | Language::C | Language::Cpp | Language::Python | Language::JavaScript => {
            if blanks_before > 0 || start == line {
                Edit::delete(start..end + blanks_behind)
            } else if blanks_behind > 0 {
                Edit::delete(comment.range())
            } else {
                Edit { range: comment.range(), text: " ".to_owned() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn tokens_stay_apart() {
        check("remove-comment", C, "int/**/f(void) { return 1; }", "int f(void) { return 1; }");
        check("remove-comment", C, "int f(int *p) { return 4 //*q\n/ *p; }", "int f(int *p) { return 4\n/ *p; }");
        check("remove-comment", Java, "int f() { return 1 /* a */; }", "int f() { return 1 ; }");
    }

    #[test]
    fn line_breaks_that_end_statements_stay() {
        check("remove-comment", JavaScript, "f(1, /* x\n */ 2)\n", "f(1, \n 2)\n");
        check("remove-comment", JavaScript, "var a = 1 // x\r\nf()\r\n", "var a = 1\r\nf()\r\n");
        check("remove-comment", JavaScript, "var a = 1 // x\nf()\n", "var a = 1\nf()\n");
        check_refused("remove-comment", JavaScript, "f(); //# sourceMappingURL=f.map\n");
    }

    #[test]
    fn lines_go_with_their_breaks() {
        check("remove-comment", C, "int a;\r\n/* b\r\n c */\r\nint d;\r\n", "int a;\r\nint d;\r\n");
        check("remove-comment", Python, "x = 1\n# y", "x = 1\n");
        check("remove-comment", Python, "x = [1,  # one\n     2]\n", "x = [1,\n     2]\n");
        check("remove-comment", C, "int a; // b \\\n c\nint d;\n", "int a;\nint d;\n");
    }

    #[test]
    fn what_is_read_by_others_stays() {
        check_refused("remove-comment", C, "/* Copyright 2020 */\n/* by nobody */\nint a;\n");
        check_refused(
            "remove-comment",
            C,
            "int f(int n) { switch (n) { case 1: n++; /* fallthrough */ default: return n; } }",
        );
        check_refused("remove-comment", Python, "import os  # noqa\nx = []  # type: list\n");
        check_refused("remove-comment", Java, "int f() { return 1; // \\u000a\n }");
        check_refused("remove-comment", C, "int f(void) {\n  // where\n  return __LINE__;\n}\n");
        assert_eq!(
            all_results("remove-comment", Python, "def f():\n    # a\n    '''# b'''\n    return '# c'  # d\n").len(),
            2
        );
    }
}
