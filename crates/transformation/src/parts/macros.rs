//! What macros of C and C++ may do to the code that is handed to them.

use syntax::{Field, Kind, Language, Node, SymbolKind, Target};

/// May the node be handed to a macro, which may take its text apart or show it? A macro of the input is one for
/// certain; a name from elsewhere in capital letters probably is, and names a member or a type in other cases.
pub(crate) fn is_macro_argument(node: Node<'_>) -> bool {
    match node.program().language() {
        Language::C | Language::Cpp => node.ancestors().any(|around| match around.kind() {
            Kind::OffsetofExpression => true,
            Kind::CallExpression => around.child(Field::Function).is_some_and(|callee| may_be_macro(callee, node)),
            _ => false,
        }),
        Language::Java | Language::Python | Language::JavaScript => false,
    }
}

fn may_be_macro(callee: Node<'_>, node: Node<'_>) -> bool {
    let scopes = node.program().scopes();
    if callee.kind() != Kind::Identifier || callee == node {
        return false;
    }
    match scopes.target(callee) {
        Some(Target::Symbol(symbol)) => scopes.symbol(symbol).kind == SymbolKind::Macro,
        Some(Target::Outside | Target::Unknown | Target::Member) | None => {
            !callee.text().chars().any(char::is_lowercase) || callee.text() == "offsetof"
        }
    }
}
