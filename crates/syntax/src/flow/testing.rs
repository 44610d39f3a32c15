//! Finds the node that a test is about.

use super::{Constant, constant_value, is_constant_expression};
use crate::language::Language;
use crate::program::Program;
use crate::tree::Node;

/// Parses a snippet and hands over the outermost node that is exactly the text between `«` and `»`.
///
/// The marks are taken out before the snippet is read.
pub(crate) fn with_marked<T>(language: Language, marked: &str, ask: impl FnOnce(Node<'_>) -> T) -> T {
    let start = marked.find('«').expect("the snippet has a mark");
    let end = marked.find('»').expect("the snippet has a second mark") - '«'.len_utf8();
    let program = Program::parse(language, marked.replace(['«', '»'], ""));
    assert!(!program.is_broken(), "{language} does not read {marked}");
    let node = program
        .nodes()
        .skip(1)
        .find(|node| node.range() == (start..end))
        .unwrap_or_else(|| panic!("no node is exactly the marked part of {marked}"));
    ask(node)
}

/// The marked expression is constant, and its value is the expected one.
#[track_caller]
pub(crate) fn check_constant(language: Language, marked: &str, expected: Option<Constant>) {
    with_marked(language, marked, |node| {
        assert!(is_constant_expression(node), "{language}: {marked}");
        assert_eq!(constant_value(node), expected, "{language}: {marked}");
    });
}
