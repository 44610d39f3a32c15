//! Names of C++: what it adds to C.

use super::builder::Builder;
use super::c::{Declaring, Walk};
use super::{ScopeId, SymbolId};
use crate::tree::Node;

/// Declares and mentions every name of a C++ program.
pub(super) fn walk(builder: &mut Builder<'_>) {
    Walk::new(builder, true).run();
}

pub(super) fn visit<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) {
    walk.visit_children(node);
}
pub(super) fn declarator<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>, declaring: &mut Declaring<'p>) {}
pub(super) fn is_variable_with_arguments<'p>(
    walk: &mut Walk<'_, 'p>,
    node: Node<'p>,
    declaring: &Declaring<'p>,
) -> bool {
    false
}
pub(super) fn is_macro_statement<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) -> bool {
    false
}
pub(super) fn bind_template_parameters<'p>(walk: &mut Walk<'_, 'p>, template: ScopeId, scope: ScopeId) {}
pub(super) fn type_defined_elsewhere<'p>(walk: &mut Walk<'_, 'p>, name: Node<'p>) -> Option<SymbolId> {
    None
}
pub(super) fn class_head<'p>(
    walk: &mut Walk<'_, 'p>,
    node: Node<'p>,
    scope: ScopeId,
    symbol: Option<SymbolId>,
    template: Option<ScopeId>,
) {
}
pub(super) fn enumerators<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>, body: Node<'p>, symbol: Option<SymbolId>) {}
pub(super) fn member<'p>(walk: &mut Walk<'_, 'p>, field: Node<'p>, receiver: Node<'p>) {}
