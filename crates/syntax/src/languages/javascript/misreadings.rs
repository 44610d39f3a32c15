//! JavaScript's grammar ends some statements at a line break that does not end them: `let` on one line and `x;` on the next are no two
//! statements, and `static` and `m() {}` no two members.

use tree_sitter::Node;

use crate::kind::Kind;

/// Does a line break end something that goes on?
pub(crate) fn is_misread(text: &str, node: Node<'_>, kind: Kind) -> bool {
    let is_lone = |words: &[&str]| {
        words.contains(&&text[node.byte_range()])
            && node.next_sibling().is_some_and(|next| !matches!(next.kind(), ";" | "}"))
    };
    match kind {
        Kind::ExpressionStatement => is_lone(&["let"]),
        Kind::FieldDefinition => is_lone(&["static", "get", "set"]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Language, Program};

    #[test]
    fn statements_and_members_that_go_on_after_a_line_break_are_refused() {
        let is_broken = |text: &str| Program::parse(Language::JavaScript, text).is_broken();
        assert!(is_broken("function f() { let\n// used to swap\nt; }"));
        assert!(is_broken("let\n  t = 1, u;"));
        assert!(is_broken("class A { static\n m() {} }"));
        assert!(is_broken("class A { static\n x = 1; }"));
        assert!(!is_broken("let t\n  = 1, u;"));
        assert!(!is_broken("class A { static; get\n = 1; set }"));
        assert!(!is_broken("class A { static get x() { return 1; } static m() {} static async\n() {} }"));
    }
}
