//! Keyword arguments: which parameter `x` is in `f(x=1)`.
//!
//! The answer is certain when the callee certainly means one function of the input: a name that is bound once,
//! a class with its own `__init__`, or a method of `self` that no other class overrides.

use std::collections::HashSet;

use super::{Keyword, Symbols, Walk};
use crate::kind::{Field, Kind};
use crate::languages::python::facts;
use crate::scopes::builder::{Builder, Space};
use crate::scopes::{ScopeId, SymbolId, SymbolKind, Target};
use crate::tree::Node;

impl<'p> Walk<'_, 'p> {
    /// Resolves the names of keyword arguments, when everything else is resolved.
    pub(super) fn resolve_keywords(&mut self) {
        let keywords = std::mem::take(&mut self.keywords);
        if keywords.is_empty() {
            return;
        }
        let overridden = overridden(self.builder);
        for keyword in &keywords {
            let target = target(self.builder, &self.symbols, &overridden, keyword);
            let back = self.builder.resume(keyword.scope);
            self.builder.refer(keyword.name, target, false);
            self.builder.resume(back);
        }
    }
}

/// The symbols that stand for several methods which override each other.
fn overridden(builder: &Builder<'_>) -> HashSet<SymbolId> {
    let merged = |(symbol, _)| {
        let representative = builder.representative(symbol);
        (representative != symbol).then_some([symbol, representative])
    };
    builder.tables().symbols().filter_map(merged).flatten().collect()
}

fn target<'p>(
    builder: &Builder<'p>,
    symbols: &Symbols<'p>,
    overridden: &HashSet<SymbolId>,
    keyword: &Keyword<'p>,
) -> Target {
    let (callee, is_member) = match keyword.callee.kind() {
        Kind::Identifier => (keyword.callee, false),
        Kind::Attribute => match keyword.callee.child(Field::Attribute) {
            Some(name) => (name, true),
            None => return Target::Member,
        },
        _ => return Target::Member,
    };
    let symbol = match builder.tables().target(callee) {
        Some(Target::Symbol(symbol)) => symbol,
        Some(Target::Outside) => return Target::Outside,
        Some(Target::Member | Target::Unknown) | None => return Target::Member,
    };
    if symbols.times[symbol.0 as usize] != 1 {
        return Target::Member;
    }
    match builder.symbol(symbol).kind {
        SymbolKind::Import => Target::Outside,
        SymbolKind::Function if is_member && overridden.contains(&symbol) => Target::Member,
        SymbolKind::Function => parameter(builder, symbols.functions.get(&symbol).copied(), keyword.name),
        SymbolKind::Type => {
            let constructor = builder.symbol(symbol).members.and_then(|class| constructor(builder, symbols, class));
            parameter(builder, constructor, keyword.name)
        }
        _ => Target::Member,
    }
}

/// The scope of the class's own `__init__`, when calling the class certainly calls that.
fn constructor(builder: &Builder<'_>, symbols: &Symbols<'_>, class: ScopeId) -> Option<ScopeId> {
    let node = builder.program.node(builder.tables().scope(class).node);
    let bases = node.child(Field::Superclasses);
    let has_metaclass =
        bases.is_some_and(|bases| bases.named_children().any(|base| base.kind() == Kind::KeywordArgument));
    let has_new = builder.member_of(class, "__new__", &[Space::Member]).is_some();
    if has_metaclass || has_new || !facts::is_what_it_seems(node) {
        return None;
    }
    let initialiser = builder.bound_in(class, "__init__", Space::Member)?;
    if symbols.times[initialiser.0 as usize] != 1 {
        return None;
    }
    symbols.functions.get(&initialiser).copied()
}

/// The parameter of the function with the given scope that the keyword names.
fn parameter<'p>(builder: &Builder<'p>, function: Option<ScopeId>, keyword: Node<'p>) -> Target {
    let Some(function) = function else { return Target::Member };
    let node = builder.program.node(builder.tables().scope(function).node);
    let Some(parameters) = node.child(Field::Parameters) else { return Target::Member };
    if !facts::is_what_it_seems(node) {
        return Target::Member;
    }
    let named = builder.bound_in(function, keyword.text(), Space::Value);
    let mut is_positional_only = parameters.child_of_kind(Kind::PositionalSeparator).is_some();
    let mut takes_any_keyword = false;
    for parameter in parameters.named_children() {
        let name = match parameter.kind() {
            Kind::PositionalSeparator => {
                is_positional_only = false;
                continue;
            }
            Kind::Identifier => parameter,
            Kind::TypedParameter => match parameter.named_children().next() {
                Some(name) => name,
                None => continue,
            },
            Kind::DefaultParameter | Kind::TypedDefaultParameter => match parameter.child(Field::Name) {
                Some(name) => name,
                None => continue,
            },
            _ => parameter,
        };
        takes_any_keyword |= name.kind() == Kind::DictionarySplatPattern;
        let is_meant = name.kind() == Kind::Identifier && name.text() == keyword.text() && !is_positional_only;
        if let (true, Some(symbol)) = (is_meant, named) {
            return Target::Symbol(symbol);
        }
    }
    if takes_any_keyword { Target::Outside } else { Target::Member }
}
