//! How deep CPython lets the blocks and brackets of a program be nested. The grammar has no such limit, so that a program beyond it would seem whole.
//!
//! Found with the table of the module `re`: one statement, wrapped twenty times in a `try`, did not compile any more. Neither did a condition that was
//! negated two hundred times.

use std::ops::Range;

use crate::kind::{Field, Kind};
use crate::program::Program;
use crate::tree::Node;

/// The most loops, `with`, `try` and handlers inside each other in one function. A handler counts twice.
const MOST_BLOCKS: usize = 20;

/// The most levels of indentation.
const MOST_INDENTATIONS: usize = 99;

/// The most brackets inside each other. CPython counts up to 200, but its parser runs out of its own stack earlier when
/// there is more than a bracket to a level, such as a lambda.
const MOST_BRACKETS: usize = 100;

/// The first block or bracket that CPython refuses to compile because it is nested too deeply.
pub(crate) fn first_too_deep(program: &Program) -> Option<Range<usize>> {
    // Only a `with` of several items makes more blocks than levels, and no rewrite makes one.
    if program.depth() <= MOST_BLOCKS {
        return None;
    }
    let block = program.nodes_of_kind(Kind::Block).find(|block| is_too_deep(*block));
    block.or_else(|| first_bracket_too_deep(program)).map(Node::range)
}

fn first_bracket_too_deep(program: &Program) -> Option<Node<'_>> {
    // Whatever has brackets is a level of the tree.
    if program.depth() <= MOST_BRACKETS {
        return None;
    }
    let mut depth = 0_usize;
    program.nodes_of_kind(Kind::Token).find(|token| {
        match token.text() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MOST_BRACKETS
    })
}

fn is_too_deep(block: Node<'_>) -> bool {
    let (mut blocks, mut indentations) = (0, 0);
    let mut is_in_frame = true;
    let mut child = block;
    while let Some(parent) = child.parent() {
        indentations += usize::from(child.kind() == Kind::Block);
        // A function and a class have a frame of their own.
        is_in_frame &= !matches!(parent.kind(), Kind::FunctionDefinition | Kind::ClassDefinition);
        if is_in_frame {
            blocks += blocks_between(child, parent);
        }
        child = parent;
    }
    blocks > MOST_BLOCKS || indentations > MOST_INDENTATIONS
}

/// How many blocks of the interpreter `parent` puts around `child`.
fn blocks_between(child: Node<'_>, parent: Node<'_>) -> usize {
    let is_body = child.role() == Field::Body;
    match parent.kind() {
        Kind::ForStatement | Kind::WhileStatement => usize::from(is_body),
        Kind::WithStatement if is_body => {
            parent.named_children().next().map_or(0, |items| items.named_children().count())
        }
        Kind::TryStatement => {
            let has = |kind| usize::from(parent.named_children().any(|part| part.kind() == kind));
            let finally = has(Kind::FinallyClause);
            match child.kind() {
                Kind::ExceptClause => finally + 2,
                Kind::FinallyClause => 1,
                Kind::Block if is_body => finally + has(Kind::ExceptClause),
                _ => finally,
            }
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Edit, Language, Program};

    /// `count` times `head`, one inside the other, around `pass`, and `tail` after each.
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
    fn brackets_are_limited_as_well() {
        let nested = |count: usize| format!("x = {}1{}\n", "not (".repeat(count), ")".repeat(count));
        assert_eq!(Program::parse(Language::Python, nested(100)).first_error(), None);
        assert_eq!(Program::parse(Language::Python, nested(101)).first_error(), Some(508..509));
        let row = format!("x = [{}]\n", "f(1), ".repeat(300));
        assert_eq!(Program::parse(Language::Python, row).first_error(), None);
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
