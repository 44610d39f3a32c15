//! Adds a comment of a few plain words before or after a statement.
//!
//! class: comments
//! groups: lampion
//! from: Lampion (AddComment)
//! rules: line, block, trailing
//!
//! `line` puts the comment on its own line above a statement, `trailing` at the end of the statement's last line, and
//! `block` directly before a statement that shares its line with others, which Python's comments cannot do. A comment
//! counts as whitespace, and none is added where a line is continued or belongs to a macro definition.
//!
//! ```java
//! int f(int n) { return n; }
//! ```
//! ->
//! ```java
//! /* keep the range */
//! int f(int n) { return n; }
//! ```
//!
//! ```c
//! int f(int n) { return n; }
//! ```
//! ->
//! ```c
//! /* keep the range */
//! int f(int n) { return n; }
//! ```
//!
//! ```cpp
//! int f(int n) { return n; }
//! ```
//! ->
//! ```cpp
//! /* keep the range */
//! int f(int n) { return n; }
//! ```
//!
//! ```python
//! def f(n):
//!     return n
//! ```
//! ->
//! ```python
//! # keep the range
//! def f(n):
//!     return n
//! ```
//!
//! ```javascript
//! function f(n) { return n; }
//! ```
//! ->
//! ```javascript
//! /* keep the range */
//! function f(n) { return n; }
//! ```
//!
//! A program that can observe its own line numbers is left alone:
//!
//! ```c
//! int f(void) {
//!     return __LINE__;
//! }
//! ```

use std::collections::BTreeSet;

use syntax::{Edit, Language, Program};

use crate::parts::layout::{indentation, line_break, line_start, starts_line};
use crate::parts::trivia::{
    Solid, follows_continuation, is_blank, is_on_directive, line_end, listed, may_be_stringified, may_shift_lines,
    sees_its_lines,
};
use crate::{Choice, Sites};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if sees_its_lines(program) {
        return;
    }
    let solid = Solid::of(program);
    let mut ends = BTreeSet::new();
    for node in listed(program) {
        let (start, end) = (node.start(), node.end());
        if may_be_stringified(node) {
            continue;
        }
        let line = line_start(program, start);
        let is_free = !follows_continuation(program, line) && !is_on_directive(program, start..start);
        if starts_line(node) {
            if is_free && may_shift_lines(program, start) {
                sites.add_rule("line", start..start, move |choice| {
                    let margin = indentation(program, start);
                    Some(vec![Edit::insert(start, format!("{}{}{margin}", alone(choice), line_break(program)))])
                });
            }
        } else if is_free && has_blocks(program.language()) {
            sites.add_rule("block", start..start, move |choice| {
                Some(vec![Edit::insert(start, format!("/* {} */ ", words(choice)))])
            });
        }
        // Nested statements can end at the same place.
        if is_blank(program, end..line_end(program, end))
            && !is_on_directive(program, end..end)
            && !solid.covers(end)
            && program.text()[..end].ends_with(|last: char| !last.is_whitespace())
            && ends.insert(end)
        {
            sites.add_rule("trailing", end..end, move |choice| {
                Some(vec![Edit::insert(end, format!(" {}", alone(choice)))])
            });
        }
    }
}

/// Has the language comments that end before the line does?
const fn has_blocks(language: Language) -> bool {
    match language {
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => true,
        Language::Python => false,
    }
}

/// A comment after which the line ends. Old compilers of C know only the form with an end.
fn alone(choice: &mut Choice<'_>) -> String {
    let language = choice.program().language();
    let words = words(choice);
    match language {
        Language::Python => format!("# {words}"),
        Language::C => format!("/* {words} */"),
        Language::Java | Language::Cpp | Language::JavaScript => match choice.below(3) {
            0 => format!("/* {words} */"),
            _ => format!("// {words}"),
        },
    }
}

/// A few words that a person could have written, and that no tool reads.
fn words(choice: &mut Choice<'_>) -> String {
    const VERBS: [&str; 24] = [
        "adjust",
        "apply",
        "build",
        "check",
        "clean up",
        "collect",
        "compare",
        "compute",
        "copy",
        "find",
        "finish",
        "handle",
        "keep",
        "look at",
        "move on to",
        "prepare",
        "read",
        "remember",
        "see",
        "set up",
        "store",
        "take",
        "update",
        "use",
    ];
    const ADJECTIVES: [&str; 12] =
        ["actual", "current", "final", "first", "inner", "last", "local", "new", "next", "old", "remaining", "whole"];
    const NOUNS: [&str; 24] = [
        "case", "counter", "data", "element", "entry", "field", "input", "item", "limit", "list", "number", "object",
        "output", "part", "position", "range", "record", "result", "size", "state", "step", "text", "total", "value",
    ];
    let (verb, noun) = (*choice.pick(&VERBS), *choice.pick(&NOUNS));
    match choice.below(2) {
        0 => format!("{verb} the {noun}"),
        _ => format!("{verb} the {} {noun}", choice.pick(&ADJECTIVES)),
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, JavaScript, Python};

    use crate::testing::all_results;

    #[test]
    fn macros_are_left_alone() {
        assert!(all_results("add-comment", C, "#define TWICE(n) \\\n    ((n) + (n))\n").is_empty());
        for result in all_results("add-comment", C, "#define A \\\n    b\nint f(void) {\n  return 1;\n}\n") {
            assert!(result.starts_with("#define A \\\n    b\n"), "{result}");
        }
        for result in all_results("add-comment", Cpp, "void g() { SHOW([] { f(); }); }") {
            assert!(result.contains("SHOW([] { f(); });"), "{result}");
        }
    }

    #[test]
    fn the_encoding_stays_where_it_is_looked_for() {
        for result in all_results("add-comment", Python, "#!/usr/bin/python\n# coding: latin-1\nx = 1\n") {
            assert!(result.starts_with("#!/usr/bin/python\n# coding: latin-1\n"), "{result}");
        }
        assert_eq!(all_results("add-comment", Python, "x = 1\n# coding: latin-1\n").len(), 1);
    }

    #[test]
    fn continued_lines_and_strings_are_left_alone() {
        assert_eq!(all_results("add-comment", Python, "if x: \\\n    f()\n").len(), 2);
        assert_eq!(all_results("add-comment", Python, "x = '''a\nb'''\n").len(), 2);
    }

    #[test]
    fn no_line_break_comes_near_missing_semicolons() {
        for result in all_results("add-comment", JavaScript, "function f() { return 1 }\nvar a = 1\nf()\n") {
            assert!(result.contains("return 1 }") || result.contains("/* "), "{result}");
        }
    }
}
