//! Builds the tables of scopes: what the walks of all languages share.
//!
//! A walk goes over the tree once. It opens and closes scopes, declares symbols and mentions names.
//! Names are looked up after the walk, when every declaration is known; where the order matters
//! (a local variable of C is seen from its declaration on), a binding says from where to where it
//! holds. Members come last, since they need the types of their receivers.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use foldhash::fast::FixedState;

use super::{Reference, ReferenceId, Scope, ScopeId, ScopeKind, Scopes, Symbol, SymbolId, SymbolKind, Target};
use crate::kind::Kind;
use crate::language::Language;
use crate::languages::python;
use crate::program::Program;
use crate::tree::{Node, NodeId};
use crate::types::{self, Type};

/// Name spaces that do not see each other. A language uses those that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    /// Variables, and everything that shares a name space with them.
    Value,
    /// Java's methods.
    Function,
    /// Java's types, C's tags.
    Type,
    /// Labels.
    Label,
    /// Members that can only be reached through a receiver: C's struct members, JavaScript's
    /// properties, Python's attributes.
    Member,
    /// C's and C++'s macros.
    Macro,
}

/// A set of name spaces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spaces(u8);

impl Spaces {
    pub(crate) const fn of(spaces: &[Space]) -> Spaces {
        let mut set = 0;
        let mut index = 0;
        while index < spaces.len() {
            set |= 1 << spaces[index] as u8;
            index += 1;
        }
        Spaces(set)
    }

    const fn has(self, space: Space) -> bool {
        self.0 & (1 << space as u8) != 0
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct NameId(u32);

/// A symbol under a name in a scope, from one byte to another.
struct Binding {
    symbol: SymbolId,
    holds: Range<u32>,
    /// The binding of the same name in the same scope and space that was made before this one.
    previous: Option<u32>,
}

/// What a scope has beyond its public table entry.
#[derive(Default)]
struct Details {
    /// The identifiers that name the supertypes of a type.
    supertypes: Vec<NodeId>,
    /// The name spaces in which names from outside the input may hide outer ones.
    open: Spaces,
    /// Names that the type certainly inherits from outside the input, separated by blanks.
    inherited_from_outside: Vec<(Space, &'static str)>,
    /// Scopes within this one do not see its names (Python's class bodies).
    is_hidden_from_inner: bool,
}

struct PendingName {
    reference: u32,
    spaces: &'static [Space],
}

struct PendingMember {
    reference: u32,
    receiver: NodeId,
    spaces: &'static [Space],
}

/// The tables under construction. See the head of this file.
pub(crate) struct Builder<'p> {
    pub(crate) program: &'p Program,
    tables: Scopes,
    details: Vec<Details>,
    current: ScopeId,
    names: HashMap<&'p str, NameId, FixedState>,
    bindings: Vec<Binding>,
    /// The names of members: those bound in the space of members, and those bound in the body of a type.
    member_names: HashSet<NameId, FixedState>,
    bound: HashMap<(ScopeId, NameId, Space), u32, FixedState>,
    types: Vec<PendingName>,
    values: Vec<PendingName>,
    members: Vec<PendingMember>,
    /// For each symbol the symbol that it was found to be the same as; itself at first.
    same_as: Vec<SymbolId>,
    /// The members that the heirs of a type do not inherit (Java's private ones).
    not_inherited: HashSet<SymbolId, FixedState>,
}

impl<'p> Builder<'p> {
    pub(crate) fn new(program: &'p Program) -> Builder<'p> {
        let file = Scope { kind: ScopeKind::File, parent: None, node: NodeId::ROOT, owner: None };
        let node_count = if program.is_broken() { 0 } else { program.tree().len() };
        Builder {
            program,
            tables: Scopes {
                scopes: vec![file],
                symbols: Vec::new(),
                references: Vec::with_capacity(node_count / 4),
                reference_at: vec![0; node_count],
                grouped: Vec::new(),
                group_start: Vec::new(),
                python: python::facts::Whole::default(),
                further_declarations: HashMap::default(),
                locals: OnceLock::new(),
                deleted: OnceLock::new(),
                vectors: OnceLock::new(),
            },
            details: vec![Details::default()],
            current: ScopeId(0),
            names: HashMap::default(),
            bindings: Vec::new(),
            member_names: HashSet::default(),
            bound: HashMap::default(),
            types: Vec::new(),
            values: Vec::new(),
            members: Vec::new(),
            same_as: Vec::new(),
            not_inherited: HashSet::default(),
        }
    }

    /// Notes what is true of a Python program as a whole.
    pub(crate) fn set_python_facts(&mut self, facts: python::facts::Whole) {
        self.tables.python = facts;
    }

    /// The scope that the walk is in.
    pub(crate) fn current(&self) -> ScopeId {
        self.current
    }

    /// The tables as far as they are built.
    pub(crate) fn tables(&self) -> &Scopes {
        &self.tables
    }

    pub(crate) fn symbol(&self, id: SymbolId) -> &Symbol {
        self.tables.symbol(id)
    }

    /// What a scope belongs to: the type or namespace whose members it has.
    pub(crate) fn owner(&self, scope: ScopeId) -> Option<SymbolId> {
        self.tables.scope(scope).owner
    }

    /// Opens a scope and goes into it.
    pub(crate) fn enter(&mut self, kind: ScopeKind, node: Node<'p>) -> ScopeId {
        let id = ScopeId(self.tables.scopes.len() as u32);
        self.tables.scopes.push(Scope { kind, parent: Some(self.current), node: node.id(), owner: None });
        self.details.push(Details::default());
        self.current = id;
        id
    }

    /// Goes back to the scope around the current one.
    pub(crate) fn leave(&mut self) {
        self.current = self.tables.scope(self.current).parent.expect("the outermost scope is never left");
    }

    /// Goes into a scope that exists, and gives the one that the walk was in so that `resume` can go back.
    pub(crate) fn resume(&mut self, scope: ScopeId) -> ScopeId {
        std::mem::replace(&mut self.current, scope)
    }

    /// Says that `scope` holds the members (or the body) of `symbol`.
    pub(crate) fn own(&mut self, scope: ScopeId, symbol: SymbolId) {
        self.tables.scopes[scope.0 as usize].owner = Some(symbol);
        if matches!(self.tables.scope(scope).kind, ScopeKind::Type | ScopeKind::Namespace) {
            self.tables.symbols[symbol.0 as usize].members = Some(scope);
        }
    }

    /// Says that `scope` inherits from the type that the identifier names.
    pub(crate) fn inherit(&mut self, scope: ScopeId, supertype: Node<'p>) {
        self.details[scope.0 as usize].supertypes.push(supertype.id());
    }

    /// Says that names from outside the input may hide outer names in `scope`.
    pub(crate) fn open(&mut self, scope: ScopeId, spaces: Spaces) {
        self.details[scope.0 as usize].open.0 |= spaces.0;
    }

    /// Says that the type whose body is `scope` inherits these members from outside the input, as words
    /// separated by blanks. They hide outer ones as the members of a type of this input do.
    pub(crate) fn inherit_from_outside(&mut self, scope: ScopeId, space: Space, names: &'static str) {
        self.details[scope.0 as usize].inherited_from_outside.push((space, names));
    }

    /// Says whether the heirs of the type that declares `member` inherit it. They do unless this says no.
    pub(crate) fn set_inherited(&mut self, member: SymbolId, is_inherited: bool) {
        if is_inherited {
            self.not_inherited.remove(&member);
        } else {
            self.not_inherited.insert(member);
        }
    }

    /// Says that the scopes within `scope` do not see its names.
    pub(crate) fn hide_from_inner(&mut self, scope: ScopeId) {
        self.details[scope.0 as usize].is_hidden_from_inner = true;
    }

    /// Declares a new symbol in `scope`, seen from everywhere in it.
    pub(crate) fn declare(&mut self, name: Node<'p>, kind: SymbolKind, scope: ScopeId, space: Space) -> SymbolId {
        self.declare_within(name, kind, scope, space, 0..u32::MAX as usize)
    }

    /// Declares a new symbol in `scope`, seen only by names that start in the bytes `holds`.
    pub(crate) fn declare_within(
        &mut self,
        name: Node<'p>,
        kind: SymbolKind,
        scope: ScopeId,
        space: Space,
        holds: Range<usize>,
    ) -> SymbolId {
        let symbol = SymbolId(self.tables.symbols.len() as u32);
        self.tables.symbols.push(Symbol { kind, scope, declaration: name.id(), members: None });
        self.same_as.push(symbol);
        self.bind(name.text(), symbol, scope, space, holds);
        self.refer(name, Target::Symbol(symbol), true);
        symbol
    }

    /// Declares a symbol once more when the scope has it already (a prototype, an overload, another
    /// assignment in Python), and else for the first time.
    pub(crate) fn declare_again(&mut self, name: Node<'p>, kind: SymbolKind, scope: ScopeId, space: Space) -> SymbolId {
        match self.bound_in(scope, name.text(), space) {
            Some(symbol) => {
                self.refer(name, Target::Symbol(symbol), true);
                symbol
            }
            None => self.declare(name, kind, scope, space),
        }
    }

    /// Gives a symbol a name in one more scope (or space), without an identifier of its own.
    pub(crate) fn bind(&mut self, name: &'p str, symbol: SymbolId, scope: ScopeId, space: Space, holds: Range<usize>) {
        let next = NameId(self.names.len() as u32);
        let name = *self.names.entry(name).or_insert(next);
        if space == Space::Member || self.tables.scope(scope).kind == ScopeKind::Type {
            self.member_names.insert(name);
        }
        let place = self.bindings.len() as u32;
        let previous = self.bound.insert((scope, name, space), place);
        self.bindings.push(Binding {
            symbol,
            holds: holds.start as u32..holds.end.min(u32::MAX as usize) as u32,
            previous,
        });
    }

    /// The symbol that `scope` itself binds to `name`, wherever it holds; the latest when there are several.
    pub(crate) fn bound_in(&self, scope: ScopeId, name: &str, space: Space) -> Option<SymbolId> {
        let name = *self.names.get(name)?;
        let place = *self.bound.get(&(scope, name, space))?;
        Some(self.bindings[place as usize].symbol)
    }

    /// Notes an identifier whose target is known now.
    pub(crate) fn refer(&mut self, node: Node<'p>, target: Target, declares: bool) {
        self.push_reference(node, target, declares);
        if let (Target::Symbol(symbol), true) = (target, declares)
            && self.tables.symbol(symbol).declaration != node.id()
        {
            self.tables.further_declarations.entry(symbol).or_default().push(node.id());
        }
    }

    /// Notes an identifier to be looked up in the spaces, one after the other, when the walk is done.
    pub(crate) fn mention(&mut self, node: Node<'p>, spaces: &'static [Space]) {
        let Some(reference) = self.push_reference(node, Target::Unknown, false) else { return };
        let pending = PendingName { reference, spaces };
        if spaces == [Space::Type] { self.types.push(pending) } else { self.values.push(pending) }
    }

    /// Notes a member to be looked up in the type of `receiver` when all names are known.
    pub(crate) fn mention_member(&mut self, node: Node<'p>, receiver: Node<'p>, spaces: &'static [Space]) {
        let Some(reference) = self.push_reference(node, Target::Member, false) else { return };
        self.members.push(PendingMember { reference, receiver: receiver.id(), spaces });
    }

    /// Gives `None` when the identifier has been noted already: the first answer stays.
    fn push_reference(&mut self, node: Node<'p>, target: Target, declares: bool) -> Option<u32> {
        let place = &mut self.tables.reference_at[node.id().0 as usize];
        if *place != 0 {
            return None;
        }
        let reference = self.tables.references.len() as u32;
        *place = reference + 1;
        self.tables.references.push(Reference { node: node.id(), target, scope: self.current, declares });
        Some(reference)
    }

    /// Looks all pending names up: types first, since inheritance needs them.
    pub(crate) fn resolve_names(&mut self) {
        for pending in std::mem::take(&mut self.types) {
            self.resolve_name(&pending);
        }
        for pending in std::mem::take(&mut self.values) {
            self.resolve_name(&pending);
        }
    }

    /// Makes the uses of the file's and of namespaces' symbols unknown that come before all declarations.
    pub(crate) fn doubt_early_uses(&mut self, kinds: &[SymbolKind]) {
        for index in 0..self.tables.references.len() {
            let Reference { node, target, declares, .. } = self.tables.references[index];
            let Target::Symbol(symbol) = target else { continue };
            let symbol = self.tables.symbol(symbol);
            let is_shared = matches!(self.tables.scope(symbol.scope).kind, ScopeKind::File | ScopeKind::Namespace);
            if !declares && is_shared && node < symbol.declaration && kinds.contains(&symbol.kind) {
                self.tables.references[index].target = Target::Unknown;
            }
        }
    }

    fn resolve_name(&mut self, pending: &PendingName) {
        let Reference { node, scope, .. } = self.tables.references[pending.reference as usize];
        let node = self.program.node(node);
        let target = self.look_up(node.text(), node.start(), scope, pending.spaces);
        self.tables.references[pending.reference as usize].target = target;
    }

    /// What `name`, written at the byte `position` in `scope`, stands for.
    pub(crate) fn look_up(&self, name: &str, position: usize, scope: ScopeId, spaces: &[Space]) -> Target {
        let text = name;
        let Some(&name) = self.names.get(name) else { return Target::Outside };
        for &space in spaces {
            let mut may_be_hidden = false;
            for at in self.tables.enclosing(scope) {
                let details = &self.details[at.0 as usize];
                if details.is_hidden_from_inner && at != scope {
                    continue;
                }
                let found =
                    self.binding_at(at, name, space, position as u32).or_else(|| self.inherited(at, name, space));
                if let Some(symbol) = found {
                    return if may_be_hidden { Target::Unknown } else { Target::Symbol(self.representative(symbol)) };
                }
                let is_inherited =
                    |&(of, names): &(Space, &str)| of == space && names.split(' ').any(|known| known == text);
                if details.inherited_from_outside.iter().any(is_inherited) {
                    return Target::Outside;
                }
                may_be_hidden |= details.open.has(space);
            }
        }
        Target::Outside
    }

    fn binding_at(&self, scope: ScopeId, name: NameId, space: Space, position: u32) -> Option<SymbolId> {
        let mut place = self.bound.get(&(scope, name, space)).copied();
        while let Some(at) = place {
            let binding = &self.bindings[at as usize];
            if binding.holds.contains(&position) {
                return Some(binding.symbol);
            }
            place = binding.previous;
        }
        None
    }

    /// The member that the type whose body is `scope` inherits from types of this input.
    fn inherited(&self, scope: ScopeId, name: NameId, space: Space) -> Option<SymbolId> {
        if self.details[scope.0 as usize].supertypes.is_empty() {
            return None;
        }
        self.ancestors(scope).into_iter().find_map(|ancestor| {
            let place = *self.bound.get(&(ancestor, name, space))?;
            let symbol = self.bindings[place as usize].symbol;
            (!self.not_inherited.contains(&symbol)).then_some(symbol)
        })
    }

    /// The bodies of the types of this input that the type with the body `scope` inherits from, nearest first.
    fn ancestors(&self, scope: ScopeId) -> Vec<ScopeId> {
        let mut found: Vec<ScopeId> = Vec::new();
        let mut next = 0;
        let mut at = scope;
        loop {
            for &supertype in &self.details[at.0 as usize].supertypes {
                let members = self
                    .tables
                    .symbol_at(self.program.node(supertype))
                    .and_then(|symbol| self.tables.symbol(symbol).members);
                if let Some(members) = members.filter(|&members| members != scope && !found.contains(&members)) {
                    found.push(members);
                }
            }
            let Some(&ancestor) = found.get(next) else { return found };
            at = ancestor;
            next += 1;
        }
    }

    /// The member `name` of a type of this input, inherited ones included.
    pub(crate) fn member_of(&self, members: ScopeId, name: &str, spaces: &[Space]) -> Option<SymbolId> {
        let name = *self.names.get(name)?;
        spaces.iter().find_map(|&space| {
            let own = self.bound.get(&(members, name, space)).map(|&place| self.bindings[place as usize].symbol);
            own.or_else(|| self.inherited(members, name, space)).map(|symbol| self.representative(symbol))
        })
    }

    /// The member `name` that the type with the body `members` inherits from types of this input.
    pub(crate) fn inherited_member(&self, members: ScopeId, name: &str, space: Space) -> Option<SymbolId> {
        self.inherited(members, *self.names.get(name)?, space)
    }

    /// Looks the pending members up in the types of their receivers, in text order. A second round finds
    /// those whose receiver's type depends on a member further down.
    pub(crate) fn resolve_members(&mut self) {
        let pending = std::mem::take(&mut self.members);
        for _ in 0..2 {
            let mut progress = false;
            for member in &pending {
                if self.tables.references[member.reference as usize].target != Target::Member {
                    continue;
                }
                let target = self.look_up_member(member);
                progress |= target != Target::Member;
                self.tables.references[member.reference as usize].target = target;
            }
            if !progress {
                break;
            }
        }
    }

    fn look_up_member(&self, member: &PendingMember) -> Target {
        let name = self.program.node(self.tables.references[member.reference as usize].node).text();
        let receiver = types::of_receiver(&self.tables, self.program.node(member.receiver));
        match receiver {
            Type::Unknown => Target::Member,
            Type::Declared(symbol) => match self.tables.symbol(symbol).members {
                // The body of the type is elsewhere.
                None => Target::Outside,
                Some(members) => match self.member_of(members, name, member.spaces) {
                    Some(symbol) => Target::Symbol(symbol),
                    // A dynamic language can give any object any member at any time.
                    None if self.program.language().is_dynamic() => Target::Member,
                    // The base class of a template may be a template parameter, and so any type of this input.
                    None if self.has_open_base(members, member.spaces) && self.is_member_name(name) => Target::Member,
                    None => Target::Outside,
                },
            },
            // A header that is not here may say that this is another name of a struct of the input.
            Type::Outside(_) if self.program.language() == Language::C && self.is_member_name(name) => Target::Member,
            _ => Target::Outside,
        }
    }

    /// Does the type have an unresolved base class, directly or indirectly?
    fn has_open_base(&self, members: ScopeId, spaces: &[Space]) -> bool {
        let is_open = |scope: ScopeId| spaces.iter().any(|&space| self.details[scope.0 as usize].open.has(space));
        is_open(members) || self.ancestors(members).into_iter().any(is_open)
    }

    /// Does any type of the input have a member of this name?
    fn is_member_name(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|name| self.member_names.contains(name))
    }

    /// Makes the members of these kinds that override each other within the input one symbol.
    /// The types must have been looked up.
    pub(crate) fn merge_overriding(&mut self, kinds: &[SymbolKind]) {
        // A namespace that is opened by `using` is not a supertype, though it is found in the same way.
        let has_ancestors = |scope: &ScopeId| {
            self.tables.scope(*scope).kind == ScopeKind::Type && !self.details[scope.0 as usize].supertypes.is_empty()
        };
        let types: Vec<ScopeId> = (0..self.details.len() as u32).map(ScopeId).filter(has_ancestors).collect();
        if types.is_empty() {
            return;
        }
        let mut members: HashMap<ScopeId, Vec<(NameId, Space, SymbolId)>, FixedState> = HashMap::default();
        for (&(scope, name, space), &place) in &self.bound {
            let symbol = self.bindings[place as usize].symbol;
            let Symbol { kind, declaration, .. } = *self.tables.symbol(symbol);
            // JavaScript's private names (`#x`) are never inherited.
            let is_private = self.program.tree().kind(declaration) == Kind::PrivatePropertyIdentifier;
            if kinds.contains(&kind) && !is_private {
                members.entry(scope).or_default().push((name, space, symbol));
            }
        }
        // Two unrelated ancestors meet in their common heir, whether it declares the member itself or not.
        let mut pairs = Vec::new();
        let mut seen: HashMap<(NameId, Space), SymbolId, FixedState> = HashMap::default();
        for scope in types {
            seen.clear();
            for at in std::iter::once(scope).chain(self.ancestors(scope)) {
                for &(name, space, symbol) in members.get(&at).map_or(&[][..], |members| members) {
                    if at != scope && self.not_inherited.contains(&symbol) {
                        continue;
                    }
                    let first = *seen.entry((name, space)).or_insert(symbol);
                    if first != symbol {
                        pairs.push((symbol, first));
                    }
                }
            }
        }
        for (one, other) in pairs {
            self.merge(one, other);
        }
        for reference in 0..self.tables.references.len() {
            if let Target::Symbol(symbol) = self.tables.references[reference].target {
                self.tables.references[reference].target = Target::Symbol(self.representative(symbol));
            }
        }
    }

    /// Makes two symbols one; the one that was declared first stands for both.
    pub(crate) fn merge(&mut self, one: SymbolId, other: SymbolId) {
        let (one, other) = (self.representative(one), self.representative(other));
        if one == other {
            return;
        }
        let (first, second) = if one < other { (one, other) } else { (other, one) };
        self.same_as[second.0 as usize] = first;
        let mut declarations = vec![self.tables.symbol(second).declaration];
        declarations.extend(self.tables.further_declarations.remove(&second).unwrap_or_default());
        self.tables.further_declarations.entry(first).or_default().extend(declarations);
    }

    /// The symbol that stands for this one and all that are the same.
    pub(crate) fn representative(&self, symbol: SymbolId) -> SymbolId {
        let mut symbol = symbol;
        while self.same_as[symbol.0 as usize] != symbol {
            symbol = self.same_as[symbol.0 as usize];
        }
        symbol
    }

    /// Closes the tables: one reference for each identifier, in text order, grouped by symbol.
    pub(crate) fn finish(mut self) -> Scopes {
        self.drop_merged_symbols();
        // An identifier that the walk did not reach is in a construct that it does not know.
        for (index, place) in self.tables.reference_at.iter().enumerate() {
            let node = NodeId(index as u32);
            if *place == 0 && self.program.tree().kind(node).is_identifier() {
                let scope = ScopeId(0);
                self.tables.references.push(Reference { node, target: Target::Unknown, scope, declares: false });
            }
        }
        self.tables.references.sort_by_key(|reference| reference.node);
        for (index, reference) in self.tables.references.iter().enumerate() {
            self.tables.reference_at[reference.node.0 as usize] = index as u32 + 1;
        }
        self.group_references();
        self.tables
    }

    fn drop_merged_symbols(&mut self) {
        let count = self.same_as.len();
        if (0..count).all(|index| self.same_as[index].0 as usize == index) {
            return;
        }
        let mut renumbered = vec![SymbolId(0); count];
        let mut kept = Vec::with_capacity(count);
        for index in 0..count {
            // A representative has the smaller number, so it has been renumbered already.
            let representative = self.representative(SymbolId(index as u32)).0 as usize;
            if representative == index {
                renumbered[index] = SymbolId(kept.len() as u32);
                kept.push(self.tables.symbols[index].clone());
            } else {
                renumbered[index] = renumbered[representative];
            }
        }
        self.tables.symbols = kept;
        let further = std::mem::take(&mut self.tables.further_declarations);
        self.tables.further_declarations =
            further.into_iter().map(|(symbol, nodes)| (renumbered[symbol.0 as usize], nodes)).collect();
        for reference in &mut self.tables.references {
            if let Target::Symbol(symbol) = &mut reference.target {
                *symbol = renumbered[symbol.0 as usize];
            }
        }
        for scope in &mut self.tables.scopes {
            if let Some(owner) = &mut scope.owner {
                *owner = renumbered[owner.0 as usize];
            }
        }
    }

    /// Groups the references by symbol. A walk calls this before the members are looked up when the types
    /// need it; all symbols must have been declared.
    pub(crate) fn group_references(&mut self) {
        let mut start = vec![0u32; self.tables.symbols.len() + 1];
        let symbol = |reference: &Reference| match reference.target {
            Target::Symbol(symbol) => Some(symbol.0 as usize),
            Target::Outside | Target::Member | Target::Unknown => None,
        };
        for group in self.tables.references.iter().filter_map(symbol) {
            start[group + 1] += 1;
        }
        for index in 1..start.len() {
            start[index] += start[index - 1];
        }
        let mut next = start.clone();
        self.tables.grouped = vec![ReferenceId(0); start.last().copied().unwrap_or(0) as usize];
        for (index, reference) in self.tables.references.iter().enumerate() {
            if let Some(group) = symbol(reference) {
                self.tables.grouped[next[group] as usize] = ReferenceId(index as u32);
                next[group] += 1;
            }
        }
        self.tables.group_start = start;
    }
}
