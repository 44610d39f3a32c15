//! Declarations, and what each identifier refers to: flat tables with typed ids.
//!
//! Every identifier occurrence of a clean program has exactly one [`Reference`], in text order, and its
//! [`Target`] is an answer that can be trusted: a symbol of this program, or that the name comes from
//! outside the input, or that it is a member of something whose type is not evident, or that nobody can
//! tell. A broken program has empty tables.
//!
//! Three decisions make the tables simple to use:
//! - The overloads of a method in one class are one symbol, and so are the methods that override each
//!   other within the input. Renaming such a symbol renames all of them, which is always right.
//! - The places where a symbol is declared are references, too (`declares` is true): the references of
//!   a symbol are all the places to edit when it is renamed.
//! - A name that may be hidden by something from outside the input (a field inherited from a class that
//!   is not here) is unknown, never guessed.

pub(crate) mod builder;

use std::collections::HashMap;
use std::sync::OnceLock;

use builder::Builder;
use foldhash::fast::FixedState;

use crate::language::Language;
use crate::languages::{c, cpp, java, javascript, python};
use crate::names;
use crate::program::Program;
use crate::tree::{Node, NodeId};

/// The index of a scope in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub(crate) u32);

/// The index of a symbol in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub(crate) u32);

/// The index of a reference in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReferenceId(u32);

/// A region of the program in which names are declared.
#[derive(Clone, Debug)]
pub struct Scope {
    pub kind: ScopeKind,
    /// The enclosing scope; `None` for the whole input.
    pub parent: Option<ScopeId>,
    /// The node that it covers.
    pub node: NodeId,
    /// The type whose members are declared here, or the function whose body this is, if it has a name.
    pub owner: Option<SymbolId>,
}

/// A kind of scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScopeKind {
    File,
    /// A C++ namespace.
    Namespace,
    /// The body of a class, struct, union, enum, record or interface.
    Type,
    /// The parameters and the body of a function, method, constructor, lambda or comprehension.
    Function,
    /// A block, a loop, a catch clause or another region within a function.
    Block,
}

/// A named entity that is declared in the input.
#[derive(Clone, Debug)]
pub struct Symbol {
    pub kind: SymbolKind,
    /// The scope that declares it.
    pub scope: ScopeId,
    /// The identifier at its first declaration.
    pub declaration: NodeId,
    /// The scope of its members, if it is a type or a namespace whose body is in the input.
    pub members: Option<ScopeId>,
}

/// A kind of symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SymbolKind {
    /// A variable of a function.
    Local,
    /// A parameter of a function, a lambda or a catch clause.
    Parameter,
    /// A field, member variable, attribute or enum constant of a type.
    Field,
    /// A function or a method with all its overloads.
    Function,
    /// A class, interface, struct, union, enum, record, typedef or type parameter.
    Type,
    /// A C++ namespace.
    Namespace,
    /// The target of `goto`, `break` or `continue`.
    Label,
    /// A name that stands for something imported from elsewhere.
    Import,
    /// A preprocessor macro.
    Macro,
    /// A variable outside all functions and types, or a constant of an enum there.
    Global,
}

impl SymbolKind {
    /// The name in tables and annotations.
    pub const fn name(self) -> &'static str {
        match self {
            SymbolKind::Local => "local",
            SymbolKind::Parameter => "parameter",
            SymbolKind::Field => "field",
            SymbolKind::Function => "function",
            SymbolKind::Type => "type",
            SymbolKind::Namespace => "namespace",
            SymbolKind::Label => "label",
            SymbolKind::Import => "import",
            SymbolKind::Macro => "macro",
            SymbolKind::Global => "global",
        }
    }
}

/// One occurrence of an identifier.
#[derive(Clone, Debug)]
pub struct Reference {
    pub node: NodeId,
    /// What it refers to.
    pub target: Target,
    pub scope: ScopeId,
    /// Is this a declaration of its target?
    pub declares: bool,
}

/// What an identifier refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Something declared in this input.
    Symbol(SymbolId),
    /// Something that is certain to be declared elsewhere.
    Outside,
    /// A member of an object whose type is not evident.
    Member,
    /// It cannot be resolved with certainty.
    Unknown,
}

/// The scopes, symbols and references of one program.
pub struct Scopes {
    scopes: Vec<Scope>,
    symbols: Vec<Symbol>,
    references: Vec<Reference>,
    /// For each node the place of its reference plus one; 0 when it is not an identifier.
    reference_at: Vec<u32>,
    /// The references grouped by symbol; `group_start` has one entry a symbol, and one more.
    grouped: Vec<ReferenceId>,
    group_start: Vec<u32>,
    pub(crate) python: python::facts::Whole,
    /// The identifiers that declare a symbol once more, beyond [`Symbol::declaration`].
    further_declarations: HashMap<SymbolId, Vec<NodeId>, FixedState>,
    /// For each symbol, whether it is local, see [`Scopes::is_local`].
    locals: OnceLock<Vec<bool>>,
    /// Python: for each symbol, whether it is deleted somewhere, see `python::effects`.
    pub(crate) deleted: OnceLock<Vec<bool>>,
    /// C: whether the input declares vector types.
    pub(crate) vectors: OnceLock<bool>,
}

impl Scopes {
    pub(crate) fn of(program: &Program) -> Scopes {
        let mut builder = Builder::new(program);
        if program.is_broken() {
            return builder.finish();
        }
        match program.language() {
            Language::Java => java::scopes::walk(&mut builder),
            Language::C | Language::Cpp | Language::JavaScript if names::have_several_spellings(program) => {}
            Language::C => c::scopes::walk(&mut builder),
            Language::Cpp => cpp::scopes::walk(&mut builder),
            Language::Python => python::scopes::walk(&mut builder),
            Language::JavaScript => javascript::scopes::walk(&mut builder),
        }
        builder.finish()
    }

    /// Are all names looked up and grouped? While the tables are being built, nobody can ask for the
    /// references of a symbol.
    pub(crate) fn is_complete(&self) -> bool {
        !self.group_start.is_empty()
    }

    /// Every scope; the first is the whole input, and parents come before children.
    pub fn scopes(&self) -> impl Iterator<Item = (ScopeId, &Scope)> {
        self.scopes.iter().enumerate().map(|(index, scope)| (ScopeId(index as u32), scope))
    }

    /// Every symbol.
    pub fn symbols(&self) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        self.symbols.iter().enumerate().map(|(index, symbol)| (SymbolId(index as u32), symbol))
    }

    /// Every identifier occurrence in text order.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// The scope with the given id.
    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0 as usize]
    }

    /// The symbol with the given id.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    /// The reference with the given id.
    pub fn reference(&self, id: ReferenceId) -> &Reference {
        &self.references[id.0 as usize]
    }

    /// The reference at the identifier `node`; `None` if the node is not an identifier.
    pub fn reference_at(&self, node: Node<'_>) -> Option<&Reference> {
        let place = self.reference_at.get(node.id().0 as usize).copied()?.checked_sub(1)?;
        self.references.get(place as usize)
    }

    /// What the identifier `node` refers to; `None` if the node is not an identifier.
    pub fn target(&self, node: Node<'_>) -> Option<Target> {
        self.reference_at(node).map(|reference| reference.target)
    }

    /// The symbol that the identifier `node` refers to, if it is declared in this input.
    pub fn symbol_at(&self, node: Node<'_>) -> Option<SymbolId> {
        match self.target(node)? {
            Target::Symbol(symbol) => Some(symbol),
            Target::Outside | Target::Member | Target::Unknown => None,
        }
    }

    /// All occurrences of a symbol in text order, its declarations included.
    pub fn references_of(&self, symbol: SymbolId) -> impl Iterator<Item = &Reference> {
        let group = self.group_start[symbol.0 as usize] as usize..self.group_start[symbol.0 as usize + 1] as usize;
        self.grouped[group].iter().map(|&id| self.reference(id))
    }

    /// The identifiers that declare a symbol: overloads, overriding methods, prototypes.
    pub fn declarations_of(&self, symbol: SymbolId) -> impl Iterator<Item = NodeId> {
        let further = self.further_declarations.get(&symbol).map_or(&[][..], |nodes| nodes);
        std::iter::once(self.symbol(symbol).declaration).chain(further.iter().copied())
    }

    /// The scopes from `scope` to the whole input.
    pub fn enclosing(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(Some(scope), |&id| self.scope(id).parent)
    }

    /// Is the symbol declared within a function, so that it is not visible outside? A method of an anonymous class that
    /// overrides one of a type of the file is not.
    pub fn is_local(&self, symbol: SymbolId) -> bool {
        let is_in_function = |scope: ScopeId| {
            self.enclosing(scope).any(|scope| matches!(self.scope(scope).kind, ScopeKind::Function | ScopeKind::Block))
        };
        let is_local = |symbol: SymbolId| {
            is_in_function(self.symbol(symbol).scope)
                && self
                    .references_of(symbol)
                    .filter(|reference| reference.declares)
                    .all(|reference| is_in_function(reference.scope))
        };
        // Computed once for all symbols: per occurrence it would take quadratic time.
        self.locals.get_or_init(|| self.symbols().map(|(symbol, _)| is_local(symbol)).collect())[symbol.0 as usize]
    }
}

impl Program {
    /// The name of a symbol.
    pub fn name_of(&self, symbol: SymbolId) -> &str {
        self.node(self.scopes().symbol(symbol).declaration).text()
    }
}
