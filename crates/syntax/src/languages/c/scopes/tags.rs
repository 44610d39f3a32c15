//! Structs, unions, enums and classes: their tags and their bodies.

use super::Walk;
use crate::kind::{Field, Kind};
use crate::languages::cpp::scopes as cpp;
use crate::scopes::builder::Space;
use crate::scopes::{ScopeId, ScopeKind, SymbolId, SymbolKind};
use crate::tree::Node;

const TAGS: &[Space] = &[Space::Type];

impl<'p> Walk<'_, 'p> {
    /// A struct, union or class. Gives the scope of its members when it has a body but no name.
    pub(crate) fn type_specifier(&mut self, node: Node<'p>) -> Option<ScopeId> {
        let name = node.child(Field::Name);
        if node.child(Field::Body).is_none() {
            self.visit_children_but(node, Field::Name);
            let is_forward = self.is_forward(node) && name.is_some_and(|name| name.kind() == Kind::TypeIdentifier);
            match name {
                Some(name) if is_forward => _ = self.declare_tag(name),
                Some(name) => self.mention_tag(name),
                None => {}
            }
            return None;
        }
        let symbol = match name {
            Some(name) if name.kind() == Kind::TypeIdentifier => Some(self.declare_tag(name)),
            Some(name) => cpp::type_defined_elsewhere(self, name),
            None => None,
        };
        let is_anonymous_member = name.is_none()
            && node.parent().is_some_and(|parent| {
                parent.kind() == Kind::FieldDeclaration && parent.child(Field::Declarator).is_none()
            });
        if is_anonymous_member || (self.is_cpp && name.is_none() && node.role() == Field::None) {
            // Its members are members of the type around it (or, in C++, names of the block).
            self.visit_children(node);
            return None;
        }
        let continued = self.continued.take().filter(|_| name.is_none());
        let known = symbol.and_then(|symbol| self.builder.symbol(symbol).members).or(continued);
        let back = self.builder.current();
        let scope = match known {
            // The type has another body in another branch of an `#if`, or is specialised.
            Some(scope) => {
                self.builder.resume(scope);
                scope
            }
            None => self.builder.enter(ScopeKind::Type, node),
        };
        if let Some(symbol) = symbol {
            self.builder.own(scope, symbol);
        }
        if self.is_cpp {
            cpp::class_head(self, node, scope, symbol, known.is_some());
        }
        let doubtful = self.doubtful.len();
        for child in node.children() {
            if child.role() != Field::Name && child.kind() != Kind::BaseClassClause {
                self.visit(child);
            }
        }
        self.doubtful.truncate(doubtful);
        self.builder.resume(back);
        name.is_none().then_some(scope)
    }

    /// Does `struct s;` declare the type and nothing else?
    fn is_forward(&self, node: Node<'p>) -> bool {
        let is_member = |parent: Node<'p>| {
            self.is_cpp && parent.kind() == Kind::FieldDeclaration && parent.child(Field::Declarator).is_none()
        };
        match node.role() {
            Field::None => node.next_sibling().is_some_and(|next| next.is_token(";")),
            _ => node.parent().is_some_and(is_member),
        }
    }

    /// Declares the name of a struct, union, enum or class.
    pub(crate) fn declare_tag(&mut self, name: Node<'p>) -> SymbolId {
        let scope = self.ordinary_scope();
        let is_inside = matches!(self.builder.tables().scope(scope).kind, ScopeKind::Function | ScopeKind::Block);
        let from = if is_inside { name.start() } else { 0 };
        let symbol = self.declare_in(name, SymbolKind::Type, scope, Space::Type, from);
        // In C++ the name of a class is an ordinary name, unless a variable has it.
        if self.is_cpp && self.builder.bound_in(scope, name.text(), Space::Value).is_none() {
            self.builder.bind(name.text(), symbol, scope, Space::Value, from..usize::MAX);
        }
        symbol
    }

    fn mention_tag(&mut self, name: Node<'p>) {
        match self.macro_meant(name) {
            Some(target) => self.builder.refer(name, target, false),
            None if name.kind() != Kind::TypeIdentifier => self.visit(name),
            None if self.is_cpp => self.builder.mention(name, &[Space::Type, Space::Value]),
            None => self.builder.mention(name, TAGS),
        }
    }

    pub(crate) fn enum_specifier(&mut self, node: Node<'p>) {
        let name = node.child(Field::Name);
        let body = node.child(Field::Body);
        let is_forward = self.is_forward(node);
        let symbol = match name {
            Some(name) if name.kind() == Kind::TypeIdentifier && (body.is_some() || is_forward) => {
                Some(self.declare_tag(name))
            }
            Some(name) => {
                self.mention_tag(name);
                None
            }
            None => None,
        };
        for child in node.children().filter(|child| !matches!(child.role(), Field::Name | Field::Body)) {
            self.visit(child);
        }
        let Some(body) = body else { return };
        if self.is_cpp {
            cpp::enumerators(self, node, body, symbol);
        } else {
            self.visit(body);
        }
    }

    pub(crate) fn enumerator(&mut self, node: Node<'p>) {
        self.visit_children_but(node, Field::Name);
        let Some(name) = node.child(Field::Name) else { return };
        let scope = self.ordinary_scope();
        let is_file = self.builder.tables().scope(scope).kind == ScopeKind::File;
        let (kind, from) = if is_file { (SymbolKind::Global, 0) } else { (SymbolKind::Local, node.end()) };
        self.declare_in(name, kind, scope, Space::Value, from);
    }
}
