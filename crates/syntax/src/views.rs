//! The shapes that transformations match on, whatever a language calls them: an `if`, a loop, a call.
//!
//! A view is read off a node by its `of` and names its parts. The kinds of nodes tell the languages apart, so what is written on views
//! needs no match on languages. `None` means that the node has another shape, or a part that the view does not represent.

mod branches;
mod expressions;
mod loops;
mod stores;

pub use branches::{Else, If, condition_of};
pub use expressions::{Assignment, Call, Conditional, Element, Operation};
pub use loops::{For, ForEach};
pub use stores::Store;

use crate::kind::Kind;
use crate::tree::Node;

/// Does the node contain a preprocessor directive?
pub fn contains_directive(node: Node<'_>) -> bool {
    node.program().language().has_preprocessor() && node.descendants().any(|node| node.kind().is_directive())
}

/// Is this a block with braces, or a suite of Python?
pub fn is_block(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::Block | Kind::CompoundStatement | Kind::StatementBlock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language::{self, C, Cpp, Java, JavaScript, Python};
    use crate::Program;

    type Parts = fn(Node<'_>) -> Option<Vec<&str>>;

    /// The parts of the first view of each text.
    #[track_caller]
    fn check(parts: Parts, expected: &[&str], texts: &[(Language, &str)]) {
        for (language, text) in texts {
            let program = Program::parse(*language, *text);
            assert!(!program.is_broken(), "{text}");
            assert_eq!(program.nodes().find_map(parts).unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn statements_have_the_same_parts_in_every_language() {
        let braced = "void f() { if (a) b(); else c(); }";
        let parts: Parts = |node| {
            If::of(node).and_then(|found| {
                let otherwise = found.otherwise?;
                Some(vec![
                    found.condition.text(),
                    otherwise.keyword.text(),
                    otherwise.body.text().trim_end_matches(';'),
                ])
            })
        };
        let suite = "if a:\n    b()\nelse:\n    c()\n";
        let script = "if (a) b(); else c();";
        let texts = [(Java, braced), (C, braced), (Cpp, braced), (JavaScript, script), (Python, suite)];
        check(parts, &["a", "else", "c()"], &texts);
        check(
            parts,
            &[],
            &[(Python, "if a:\n    b()\nelif c:\n    d()\n"), (Cpp, "void f() { if (auto a = b()) c(); }")],
        );
        let parts: Parts = |node| {
            For::of(node)
                .map(|found| vec![found.condition.map_or("", Node::text), found.updates[0].text(), found.body.text()])
        };
        let braced = "void f(int i) { for (i = 0; i < 3; i++) { } }";
        let script = "for (let i = 0; i < 3; i++) { }";
        check(parts, &["i < 3", "i++", "{ }"], &[(Java, braced), (C, braced), (Cpp, braced), (JavaScript, script)]);
        check(parts, &[], &[(Python, "for i in (a):\n    b()\n"), (JavaScript, "for (const a of b) { }")]);
        let parts: Parts = |node| {
            ForEach::of(node)
                .map(|found| vec![found.node.program().text()[found.variable].trim(), found.collection.text()])
        };
        check(
            parts,
            &["int a", "b"],
            &[(Java, "void f() { for (int a : b) { } }"), (Cpp, "void f() { for (int a : b) { } }")],
        );
        check(parts, &["a", "b"], &[(Python, "for a in b:\n    c()\n"), (JavaScript, "for (a of b) { }")]);
        check(parts, &[], &[(JavaScript, "for (a in b) { }"), (C, "void f() { for (;;) { } }")]);
    }

    #[test]
    fn expressions_have_the_same_parts_in_every_language() {
        let braced = [
            (Java, "int f() { x = a ? b : c; }"),
            (C, "int f() { x = a ? b : c; }"),
            (Cpp, "int f() { x = a ? b : c; }"),
        ];
        let scripts = [(JavaScript, "x = a ? b : c;"), (Python, "x = b if a else c\n")];
        let parts: Parts = |node| {
            Conditional::of(node).map(|found| vec![found.condition.text(), found.first.text(), found.second.text()])
        };
        check(parts, &["a", "b", "c"], &[&braced[..], &scripts[..]].concat());
        let parts: Parts = |node| Assignment::of(node).map(|found| vec![found.left.text(), found.operator.text()]);
        check(parts, &["x", "="], &[&braced[..], &scripts[..]].concat());
        check(parts, &[], &[(Python, "x: int = 1\n")]);
        let parts: Parts = |node| Call::of(node).map(|found| vec![found.callee.text(), found.arguments.text()]);
        let braced = "int f() { g(a[i]); }";
        let texts = [(Java, braced), (C, braced), (Cpp, braced), (JavaScript, "g(a[i]);"), (Python, "g(a[i])\n")];
        check(parts, &["g", "(a[i])"], &texts);
        let parts: Parts = |node| Element::of(node).map(|found| vec![found.collection.text(), found.index.text()]);
        check(parts, &["a", "i"], &texts);
        let parts: Parts =
            |node| Operation::of(node).map(|found| vec![found.left.text(), found.operator.text(), found.right.text()]);
        check(
            parts,
            &["a", "<", "b"],
            &[(Java, "int f() { g(a < b); }"), (Python, "g(a < b)\n"), (JavaScript, "g(a < b);")],
        );
        check(parts, &[], &[(Python, "g(a < b < c)\n")]);
    }
}
