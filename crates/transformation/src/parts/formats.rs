//! Format strings of Python: what f-strings and `str.format` have in common.

use syntax::flow::may_have_effect;
use syntax::{Kind, Node, SymbolKind, Type};

use super::python::scope_around;

/// Can the values be evaluated all at once before the first is formatted, instead of one after the other?
///
/// An f-string formats each value before it evaluates the next, `str.format` evaluates all of them first. Nobody can
/// tell when the later values are literals or variables that formatting cannot change, or when all that is formatted
/// before them is a number or a string.
pub(crate) fn is_order_free(values: &[Node<'_>]) -> bool {
    let mut are_plain_so_far = true;
    for (place, value) in values.iter().enumerate() {
        if place > 0 && !are_plain_so_far && !is_steady(*value) {
            return false;
        }
        are_plain_so_far &=
            matches!(value.program().type_of(*value), Type::Number(_) | Type::Text | Type::Boolean | Type::Null);
    }
    true
}

/// Does the value stay the same whatever code runs before it, and does finding it out do nothing?
fn is_steady(value: Node<'_>) -> bool {
    let program = value.program();
    let scopes = program.scopes();
    match value.kind() {
        Kind::Identifier => scopes.symbol_at(value).is_some_and(|symbol| {
            let home = scope_around(value).map(Node::id);
            matches!(scopes.symbol(symbol).kind, SymbolKind::Local | SymbolKind::Parameter)
                && home.is_some()
                && scopes
                    .references_of(symbol)
                    .all(|reference| scope_around(program.node(reference.node)).map(Node::id) == home)
        }),
        _ => {
            matches!(value.kind(), Kind::Integer | Kind::Float | Kind::True | Kind::False | Kind::None)
                || value.kind() == Kind::String && !may_have_effect(value)
        }
    }
}

/// Does the text of a literal have no escapes but those of line breaks, tabs, quotes and backslashes?
///
/// Others may stand for a brace, and the two kinds of format strings disagree on what that means.
pub(crate) fn has_simple_escapes(text: &str, is_raw: bool) -> bool {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let is_escape = character == '\\' && !is_raw;
        if is_escape && !matches!(characters.next(), Some('n' | 't' | 'r' | '\\' | '\'' | '"' | '\n')) {
            return false;
        }
    }
    true
}

/// The prefix and the quotation marks of a string: `rb"` is `("rb", "\"")`.
pub(crate) fn prefix_and_quote(start: &str) -> (&str, &str) {
    start.split_at(start.find(['"', '\'']).unwrap_or(start.len()))
}
