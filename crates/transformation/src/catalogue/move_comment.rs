//! Moves a comment from above a statement to its end, or from its end to above it.
//!
//! class: comments
//! groups: lampion
//! from: Lampion
//! rules: to-end, to-line
//!
//! Both places are between tokens and before a line break. Comments that a tool reads, comments in macros, licences
//! and comments of several lines stay where they are.
//!
//! ```java
//! int f(int n) {
//!     // twice
//!     return n + n;
//! }
//! ```
//! ->
//! ```java
//! int f(int n) {
//!     return n + n; // twice
//! }
//! ```
//!
//! ```c
//! int f(int n) {
//!     return n + n; /* twice */
//! }
//! ```
//! ->
//! ```c
//! int f(int n) {
//!     /* twice */
//!     return n + n;
//! }
//! ```
//!
//! ```cpp
//! int f(int n) {
//!     return n + n; // twice
//! }
//! ```
//! ->
//! ```cpp
//! int f(int n) {
//!     // twice
//!     return n + n;
//! }
//! ```
//!
//! ```python
//! def f(n):
//!     # twice
//!     return n + n
//! ```
//! ->
//! ```python
//! def f(n):
//!     return n + n # twice
//! ```
//!
//! ```javascript
//! function f(n) {
//!     // twice
//!     return n + n
//! }
//! ```
//! ->
//! ```javascript
//! function f(n) {
//!     return n + n // twice
//! }
//! ```
//!
//! ```python
//! import os  # noqa
//! ```

use std::collections::BTreeSet;
use std::ops::Range;

use syntax::{Edit, Node, Program};

use crate::Sites;
use crate::parts::layout::{indentation, line_break, line_start, starts_line};
use crate::parts::trivia::{
    Solid, extent, follows_continuation, is_blank, is_on_directive, line_end, listed, may_be_stringified,
    may_shift_lines, next_line, plain_comments, sees_its_lines,
};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if sees_its_lines(program) {
        return;
    }
    let solid = Solid::of(program);
    let starts: BTreeSet<usize> = listed(program).into_iter().map(|node| node.start()).collect();
    let is_start = |line: usize| {
        line < program.text().len()
            && !follows_continuation(program, line)
            && starts.contains(&(line + indentation(program, line).len()))
    };
    for comment in plain_comments(program) {
        let Range { start, end } = extent(comment);
        if comment.text().contains('\n')
            || !is_blank(program, end..line_end(program, end))
            || !may_shift_lines(program, start)
            || may_be_stringified(comment)
        {
            continue;
        }
        let line = line_start(program, start);
        if !starts_line(comment) {
            if is_start(line) {
                sites.add_rule("to-line", comment.range(), move |_| Some(to_line(comment)));
            }
            continue;
        }
        let next = next_line(program, end);
        let target = line_end(program, next);
        let is_end_of_code = program.text()[next..target].ends_with(|last: char| !last.is_whitespace() && last != '\\')
            && !solid.holds(target - 1)
            && !solid.covers(target);
        // A string may end the line, but the line must not end inside it.
        let is_end_of_string = || target > next && solid.holds(target - 1) && !solid.covers(target);
        if is_start(next)
            && (is_end_of_code || is_end_of_string())
            && !has_comment(program, next..target)
            && !is_on_directive(program, next..target)
            && !program.text()[next..target].contains('#')
        {
            sites.add_rule("to-end", comment.range(), move |_| {
                Some(vec![Edit::delete(line..next), Edit::insert(target, format!(" {}", &program.text()[start..end]))])
            });
        }
    }
}

fn to_line(comment: Node<'_>) -> Vec<Edit> {
    let program = comment.program();
    let line = line_start(program, comment.start());
    let margin = indentation(program, line);
    let Range { start, end } = extent(comment);
    let code = program.text()[..start].trim_end_matches([' ', '\t']).len();
    vec![
        Edit::insert(line + margin.len(), format!("{}{}{margin}", &program.text()[start..end], line_break(program))),
        Edit::delete(code..line_end(program, end)),
    ]
}

/// Could there be a comment on the line?
fn has_comment(program: &Program, line: Range<usize>) -> bool {
    let text = &program.text()[line];
    text.contains("//") || text.contains("/*") || text.contains("*/") || text.contains("-->")
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn lines_that_go_on_are_left_alone() {
        check_refused("move-comment", Python, "# a\nx = 1 + \\\n    2\n");
        check_refused("move-comment", Python, "# a\nx = '''\n'''\n");
        check_refused("move-comment", C, "/* a */\n#define B 1\n");
        check_refused("move-comment", C, "#define B \\\n  1 /* a */\nint c;\n");
        check_refused("move-comment", JavaScript, "// a\nf(`x\n`);\n");
    }

    #[test]
    fn a_comment_follows_the_head_of_a_block() {
        check("move-comment", Python, "# a\nif x:\n    f()\n", "if x: # a\n    f()\n");
        check("move-comment", C, "// a\r\nint b;\r\n", "int b; // a\r\n");
    }

    #[test]
    fn a_string_may_end_the_line() {
        check("move-comment", Python, "# a\nx = 'b'\n", "x = 'b' # a\n");
    }

    #[test]
    fn both_ways_lead_back() {
        let there = all_results("move-comment", C, "int a;\n/* b */\nint c;\n");
        assert_eq!(there, ["int a;\nint c; /* b */\n"]);
        assert_eq!(all_results("move-comment", C, &there[0]), ["int a;\n/* b */\nint c;\n"]);
    }
}
