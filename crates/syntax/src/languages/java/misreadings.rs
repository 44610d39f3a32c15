//! Java's grammar lets keywords be names.

use tree_sitter::Node;

use crate::kind::Kind;
use crate::languages::c::misreadings::is_statement_keyword;

/// The grammar lets `else { }` be a constructor. It reads the `default` of a switch as a name, too, and that is right.
pub(crate) fn is_misread(text: &str, node: Node<'_>, kind: Kind) -> bool {
    let name = &text[node.byte_range()];
    kind == Kind::Identifier && name != "default" && is_statement_keyword(name)
}
