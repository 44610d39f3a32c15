//! Types.
use super::Type;
use crate::scopes::Scopes;
use crate::tree::Node;
pub(super) fn of(_scopes: &Scopes, _node: Node<'_>, _depth: usize) -> Type {
    Type::Unknown
}
