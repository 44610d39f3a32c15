//! How deep CPython lets the blocks of a program be nested. The grammar has no such limit, so that a program beyond it would seem whole.
//!
//! Found with the table of the module `re`: one statement, wrapped twenty times in a `try`, did not compile any more.

use std::ops::Range;

use tree_sitter::Node;

/// The most loops, `with`, `try` and handlers inside each other in one function. A handler counts twice.
const MOST_BLOCKS: usize = 20;

/// The most levels of indentation.
const MOST_INDENTATIONS: usize = 99;

/// A tree with no more levels is within the limits: only a `with` of several items makes more blocks than levels, and no rewrite makes one.
pub(super) const LEVELS_WITHIN: usize = MOST_BLOCKS;

/// The first thing that CPython refuses to compile because it is nested too deeply.
pub(super) fn first_too_deep(root: Node<'_>) -> Option<Range<usize>> {
    let mut open = vec![(root, 0, 0)];
    while let Some((node, blocks, indentations)) = open.pop() {
        if blocks > MOST_BLOCKS || indentations > MOST_INDENTATIONS {
            return Some(node.byte_range());
        }
        let mut cursor = node.walk();
        let begin = open.len();
        for child in node.named_children(&mut cursor) {
            let is_indented = usize::from(child.kind() == "block");
            open.push((child, blocks_around(child, node, blocks), indentations + is_indented));
        }
        open[begin..].reverse();
    }
    None
}

/// In how many blocks `child` is when `parent` is in `outside` of them.
fn blocks_around(child: Node<'_>, parent: Node<'_>, outside: usize) -> usize {
    let is_body = || parent.child_by_field_name("body") == Some(child);
    match parent.kind() {
        "for_statement" | "while_statement" => outside + usize::from(is_body()),
        "with_statement" if is_body() => outside + parent.named_child(0).map_or(0, |items| items.named_child_count()),
        "try_statement" => {
            let has = |kinds: &[&str]| {
                let mut cursor = parent.walk();
                usize::from(parent.named_children(&mut cursor).any(|part| kinds.contains(&part.kind())))
            };
            let finally = has(&["finally_clause"]);
            match child.kind() {
                "except_clause" | "except_group_clause" => outside + finally + 2,
                "finally_clause" => outside + 1,
                "block" if is_body() => outside + finally + has(&["except_clause", "except_group_clause"]),
                _ => outside + finally,
            }
        }
        // A frame of its own.
        "function_definition" | "class_definition" => 0,
        _ => outside,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Edit, Language, Program};

    /// `count` times `head`, one inside the other, around `pass`, and `tail` behind each.
    fn nested(count: usize, head: &str, tail: &[&str]) -> String {
        let mut text = String::new();
        let mut line = |level: usize, line: &str| text.push_str(&format!("{}{line}\n", " ".repeat(level)));
        (0..count).for_each(|level| line(level, head));
        line(count, "pass");
        (0..count).rev().for_each(|level| tail.iter().for_each(|one| line(level, one)));
        text
    }

    /// CPython 3.11 compiles `most` of them, and not one more.
    #[track_caller]
    fn check(most: usize, head: &str, tail: &[&str]) {
        let error = |count| Program::parse(Language::Python, nested(count, head, tail)).first_error();
        assert_eq!(error(most), None, "{most} of {head}");
        assert!(error(most + 1).is_some_and(|place| !place.is_empty()), "{} of {head}", most + 1);
    }

    #[test]
    fn the_limits_are_those_of_cpython() {
        check(20, "for i in x:", &[]);
        check(20, "while x:", &[]);
        check(20, "with a:", &[]);
        check(10, "with a, b:", &[]);
        check(20, "try:", &["finally:", " pass"]);
        check(19, "try:", &["except:", " raise"]);
        check(19, "try:", &["except E:", " pass", "else:", " pass"]);
        check(9, "try:", &["except:", " pass", "finally:", " pass"]);
        check(99, "if x:", &[]);
    }

    #[test]
    fn a_function_begins_anew_and_what_follows_a_loop_is_outside() {
        let function = nested(20, "for i in x:", &[]).replace("pass", "def f():\n                     while x: pass");
        assert!(!Program::parse(Language::Python, function).is_broken());
        let mut text = String::new();
        for level in 0..25 {
            let blanks = " ".repeat(level);
            text.push_str(&format!("{blanks}for i in x:\n{blanks} pass\n{blanks}else:\n"));
        }
        text.push_str(&format!("{}pass\n", " ".repeat(25)));
        assert!(!Program::parse(Language::Python, text).is_broken());
    }

    #[test]
    fn the_place_is_that_of_the_block_too_many() {
        let program = Program::parse(Language::Python, nested(21, "for i in x:", &[]));
        let place = program.first_error().expect("an error");
        assert_eq!(program.line_and_column(place.start), (22, 22));
    }

    #[test]
    fn a_rewrite_that_would_nest_too_deeply_is_no_program() {
        let program = Program::parse(Language::Python, nested(20, "for i in x:", &[]));
        let at = program.text().find("pass").expect("a statement");
        let edited = program.edited(&[Edit::insert(at, "while x: ")]).expect("a text");
        assert!(edited.is_broken());
    }
}
