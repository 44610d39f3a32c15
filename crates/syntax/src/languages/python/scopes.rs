//! The names of Python 3, and of Python 2 as far as the grammar reads it.
//!
//! A name that is bound anywhere in a function belongs to the whole function, and `global` and `nonlocal`
//! send bindings elsewhere. So the walk only collects what binds and what uses names; the bindings are
//! entered when all of them are known. A binding in the scope that owns the name declares it; one that comes
//! through `global` or `nonlocal` does so only when the owner has none.
//!
//! A class body is read from top to bottom: a name that it uses before it binds it is the module's.

mod keywords;

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::kind::{Field, Kind};
use crate::languages::python::facts;
use crate::names;
use crate::scopes::builder::{Builder, Space};
use crate::scopes::{ScopeId, ScopeKind, SymbolId, SymbolKind, Target};
use crate::tree::Node;

const NAMES: &[Space] = &[Space::Value];
const MEMBERS: &[Space] = &[Space::Member];
const EVERYWHERE: std::ops::Range<usize> = 0..u32::MAX as usize;

pub(crate) fn walk(builder: &mut Builder<'_>) {
    let root = builder.program.root();
    let module = builder.current();
    let is_python_2 = facts::is_python_2(builder.program);
    let has_wildcard_import = builder.program.nodes_of_kind(Kind::WildcardImport).next().is_some();
    builder.set_python_facts(facts::Whole { is_python_2, has_wildcard_import });
    if names::have_several_spellings(builder.program) {
        return;
    }
    let mut walk = Walk {
        is_python_2,
        walrus_scope: module,
        class: None,
        bindings: Vec::new(),
        redirections: HashMap::default(),
        redirecting_names: Vec::new(),
        redirected_uses: Vec::new(),
        class_uses: Vec::new(),
        attributes: Vec::new(),
        supertypes: Vec::new(),
        keywords: Vec::new(),
        symbols: Symbols::default(),
        module,
        builder,
    };
    walk.visit(root);
    walk.enter_bindings();
    walk.resolve_class_uses();
    walk.builder.resolve_names();
    // Names are looked up without inheritance: a class body does not see the names of its base classes.
    for (class, supertype) in std::mem::take(&mut walk.supertypes) {
        walk.builder.inherit(class, supertype);
    }
    walk.resolve_attributes();
    walk.builder.group_references();
    walk.builder.resolve_members();
    walk.builder.merge_overriding(&[SymbolKind::Function, SymbolKind::Field, SymbolKind::Type, SymbolKind::Import]);
    walk.resolve_keywords();
}

/// What an identifier is bound to.
#[derive(Clone, Copy)]
enum Bound {
    /// A value: an assignment, a loop, a pattern.
    Variable,
    Parameter,
    /// The parameter that receives an object of the class with this body, or the class itself.
    Receiver(ScopeId),
    /// A function with its scope.
    Function(ScopeId),
    /// A class with its body.
    Class(ScopeId),
    /// A type parameter or a type alias.
    Type,
    Import,
}

struct Binding<'p> {
    name: Node<'p>,
    bound: Bound,
    /// The scope that is asked to own the name.
    scope: ScopeId,
    /// The scope in which the identifier occurs: another one for `:=` in a comprehension.
    occurs_in: ScopeId,
    /// The byte from which a class body has the name.
    from: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Redirection {
    Global,
    Nonlocal,
}

/// `receiver.name` where the receiver is a name or `super()`.
struct Attribute<'p> {
    name: Node<'p>,
    receiver: Node<'p>,
    scope: ScopeId,
    is_assigned: bool,
    /// The class whose base classes `super()` stands for.
    base_of: Option<ScopeId>,
}

/// `callee(name=…)`.
struct Keyword<'p> {
    name: Node<'p>,
    callee: Node<'p>,
    scope: ScopeId,
}

/// What is known of symbols beyond the tables.
#[derive(Default)]
struct Symbols<'p> {
    /// How often each symbol is bound.
    times: Vec<u32>,
    /// The class bodies whose objects a parameter receives.
    received: HashMap<SymbolId, ScopeId, FixedState>,
    /// The scopes of functions.
    functions: HashMap<SymbolId, ScopeId, FixedState>,
    /// Where a name of a class body is first bound, and from which byte on it is there.
    first_in_class: HashMap<SymbolId, (Node<'p>, usize), FixedState>,
}

struct Walk<'b, 'p> {
    builder: &'b mut Builder<'p>,
    is_python_2: bool,
    module: ScopeId,
    /// Where `:=` binds: the nearest scope that is not a comprehension.
    walrus_scope: ScopeId,
    /// The body and the node of the class around.
    class: Option<(ScopeId, Node<'p>)>,
    bindings: Vec<Binding<'p>>,
    redirections: HashMap<(ScopeId, &'p str), Redirection, FixedState>,
    /// The identifiers in `global` and `nonlocal` statements, with the scopes of the statements.
    redirecting_names: Vec<(Node<'p>, ScopeId)>,
    redirected_uses: Vec<(Node<'p>, ScopeId)>,
    /// Names that class bodies use.
    class_uses: Vec<(Node<'p>, ScopeId)>,
    attributes: Vec<Attribute<'p>>,
    /// Class bodies, and the identifiers that name their base classes.
    supertypes: Vec<(ScopeId, Node<'p>)>,
    keywords: Vec<Keyword<'p>>,
    symbols: Symbols<'p>,
}

impl<'p> Walk<'_, 'p> {
    fn visit(&mut self, node: Node<'p>) {
        match node.kind() {
            Kind::Token | Kind::StringStart | Kind::StringContent | Kind::StringEnd | Kind::Comment => {}
            Kind::Identifier => self.use_name(node),
            Kind::Attribute => self.attribute(node, false),
            Kind::MemberType => self.member_type(node),
            Kind::Call => self.call(node),
            Kind::Assignment | Kind::AugmentedAssignment => self.visit_with_targets(node, node.end()),
            Kind::ForStatement => {
                self.visit_with_targets(node, node.child(Field::Body).map_or(node.end(), Node::start))
            }
            Kind::AsPattern => self.visit_with_targets(node, node.end()),
            Kind::ExceptClause => self.except_clause(node),
            Kind::NamedExpression => self.named_expression(node),
            Kind::DeleteStatement => node.named_children().for_each(|child| self.delete(child)),
            Kind::GlobalStatement => self.redirect(node, Redirection::Global),
            Kind::NonlocalStatement => self.redirect(node, Redirection::Nonlocal),
            Kind::ImportStatement => self.import(node, false),
            Kind::ImportFromStatement | Kind::FutureImportStatement => self.import(node, true),
            Kind::FunctionDefinition => self.function(node),
            Kind::Lambda => self.lambda(node),
            Kind::ClassDefinition => self.class(node),
            Kind::ListComprehension if self.is_python_2 => {
                for child in node.children() {
                    match child.kind() {
                        // The body stands before the loop and runs after it.
                        Kind::ForInClause => self.visit_with_targets(child, node.start()),
                        _ => self.visit(child),
                    }
                }
            }
            Kind::ListComprehension
            | Kind::SetComprehension
            | Kind::DictionaryComprehension
            | Kind::GeneratorExpression => self.comprehension(node),
            Kind::CaseClause => {
                for child in node.children() {
                    if child.kind() == Kind::CasePattern { self.pattern(child, None) } else { self.visit(child) }
                }
            }
            Kind::TypeAliasStatement => self.type_alias(node),
            _ => node.children().for_each(|child| self.visit(child)),
        }
    }

    fn use_name(&mut self, name: Node<'p>) {
        let scope = self.builder.current();
        if !self.redirections.is_empty() && self.redirections.contains_key(&(scope, name.text())) {
            return self.redirected_uses.push((name, scope));
        }
        // The compiler gives every method this name for its class.
        if name.text() == "__class__" && self.class.is_some() {
            return self.builder.refer(name, Target::Outside, false);
        }
        let in_class = match self.builder.tables().scope(scope).kind {
            ScopeKind::Type => true,
            // The scope of type parameters sees the names of the class around it.
            ScopeKind::Block => self.class_around_type_parameters(scope).is_some(),
            ScopeKind::File | ScopeKind::Namespace | ScopeKind::Function => false,
        };
        if in_class { self.class_uses.push((name, scope)) } else { self.builder.mention(name, NAMES) }
    }

    fn class_around_type_parameters(&self, scope: ScopeId) -> Option<ScopeId> {
        let around = self.builder.tables().scope(scope).parent?;
        (self.builder.tables().scope(around).kind == ScopeKind::Type).then_some(around)
    }

    /// Visits a node whose parts `left`, `name` and `alias` are assigned to.
    fn visit_with_targets(&mut self, node: Node<'p>, from: usize) {
        for child in node.children() {
            match child.role() {
                Field::Left | Field::Alias => self.assign(child, Bound::Variable, from),
                _ => self.visit(child),
            }
        }
    }

    /// Binds the names in a target of an assignment, a loop or a parameter.
    fn assign(&mut self, target: Node<'p>, bound: Bound, from: usize) {
        match target.kind() {
            Kind::Identifier => self.bind(target, bound, from),
            Kind::Attribute => self.attribute(target, true),
            kind if facts::is_target_part(kind) => {
                for child in target.named_children() {
                    self.assign(child, bound, from);
                }
            }
            _ => self.visit(target),
        }
    }

    fn bind(&mut self, name: Node<'p>, bound: Bound, from: usize) {
        let scope = self.builder.current();
        self.bindings.push(Binding { name, bound, scope, occurs_in: scope, from });
    }

    fn named_expression(&mut self, node: Node<'p>) {
        for child in node.children() {
            match child.role() {
                Field::Name => self.bindings.push(Binding {
                    name: child,
                    bound: Bound::Variable,
                    scope: self.walrus_scope,
                    occurs_in: self.builder.current(),
                    from: node.end(),
                }),
                _ => self.visit(child),
            }
        }
    }

    /// Deleting a name makes it the function's or the class's own. In a module it may come from `import *`.
    fn delete(&mut self, target: Node<'p>) {
        match target.kind() {
            Kind::Identifier => match self.builder.tables().scope(self.builder.current()).kind {
                ScopeKind::Function | ScopeKind::Type => self.bind(target, Bound::Variable, 0),
                ScopeKind::File | ScopeKind::Namespace | ScopeKind::Block => self.use_name(target),
            },
            Kind::ExpressionList | Kind::Tuple | Kind::List | Kind::ParenthesizedExpression => {
                target.named_children().for_each(|child| self.delete(child))
            }
            _ => self.visit(target),
        }
    }

    fn redirect(&mut self, node: Node<'p>, redirection: Redirection) {
        let scope = self.builder.current();
        for name in node.named_children() {
            if scope == self.module {
                self.use_name(name);
            } else {
                self.redirections.insert((scope, name.text()), redirection);
                self.redirecting_names.push((name, scope));
            }
        }
    }

    /// `except X as e`, and `except X, e` of Python 2.
    fn except_clause(&mut self, node: Node<'p>) {
        let binds_second_value = self.is_python_2 && node.children_at(Field::Value).count() == 2;
        let mut values = 0;
        for child in node.children() {
            values += usize::from(child.role() == Field::Value);
            match child.role() {
                Field::Value if values == 2 && binds_second_value => {
                    self.assign(child, Bound::Variable, child.end());
                }
                Field::Alias => self.assign(child, Bound::Variable, child.end()),
                _ => self.visit(child),
            }
        }
    }

    /// `import a.b` binds `a`; `from a import b` binds `b`; with `as` only the new name is bound.
    fn import(&mut self, node: Node<'p>, is_from: bool) {
        for child in node.named_children() {
            match child.kind() {
                Kind::AliasedImport => {
                    for part in child.named_children() {
                        match part.role() {
                            Field::Alias => self.bind(part, Bound::Import, node.end()),
                            _ => self.names_of_elsewhere(part),
                        }
                    }
                }
                Kind::DottedName if child.role() == Field::Name => {
                    let mut names = child.named_children();
                    if let Some(name) = names.next() {
                        self.bind(name, Bound::Import, node.end());
                    }
                    for name in names {
                        self.builder.refer(name, Target::Outside, false);
                    }
                }
                _ if is_from => self.names_of_elsewhere(child),
                _ => {}
            }
        }
    }

    fn names_of_elsewhere(&mut self, node: Node<'p>) {
        for name in node.descendants().filter(|name| name.kind() == Kind::Identifier) {
            self.builder.refer(name, Target::Outside, false);
        }
    }

    fn function(&mut self, node: Node<'p>) {
        let around = self.builder.current();
        let type_parameters = node.child(Field::TypeParameters);
        let annotations = match type_parameters {
            Some(_) => self.builder.enter(ScopeKind::Block, node),
            None => around,
        };
        let scope = self.builder.enter(ScopeKind::Function, node);
        if let Some(name) = node.child(Field::Name) {
            let bound = Bound::Function(scope);
            self.bindings.push(Binding { name, bound, scope: around, occurs_in: around, from: node.end() });
        }
        let receiver = match self.builder.tables().scope(around).kind {
            ScopeKind::Type => facts::receiver_parameter(node).map(|name| (name, around)),
            ScopeKind::File | ScopeKind::Namespace | ScopeKind::Function | ScopeKind::Block => None,
        };
        let outer_walrus_scope = std::mem::replace(&mut self.walrus_scope, around);
        for child in node.children() {
            match child.role() {
                Field::Name => {}
                Field::TypeParameters => self.type_parameters(child, annotations),
                Field::Parameters => self.parameters(child, around, annotations, receiver),
                Field::ReturnType => self.visit_in(annotations, child),
                Field::Body => {
                    self.walrus_scope = scope;
                    self.visit(child);
                }
                _ => {}
            }
        }
        self.walrus_scope = outer_walrus_scope;
        self.builder.resume(around);
    }

    fn lambda(&mut self, node: Node<'p>) {
        let around = self.builder.current();
        let scope = self.builder.enter(ScopeKind::Function, node);
        for child in node.children() {
            match child.role() {
                Field::Parameters => self.parameters(child, around, around, None),
                Field::Body => {
                    let outer_walrus_scope = std::mem::replace(&mut self.walrus_scope, scope);
                    self.visit(child);
                    self.walrus_scope = outer_walrus_scope;
                }
                _ => {}
            }
        }
        self.builder.leave();
    }

    /// Binds the parameters in the current scope. Default values are evaluated in the scope around the
    /// function, annotations in that of its type parameters.
    fn parameters(
        &mut self,
        list: Node<'p>,
        around: ScopeId,
        annotations: ScopeId,
        receiver: Option<(Node<'p>, ScopeId)>,
    ) {
        let bound_of = |name: Node<'p>| match receiver {
            Some((receiver, class)) if receiver == name => Bound::Receiver(class),
            _ => Bound::Parameter,
        };
        for parameter in list.named_children() {
            match parameter.kind() {
                Kind::TypedParameter | Kind::DefaultParameter | Kind::TypedDefaultParameter => {
                    for part in parameter.named_children() {
                        match part.role() {
                            Field::Value => self.visit_in(around, part),
                            Field::Type => self.visit_in(annotations, part),
                            _ => self.assign(part, bound_of(part), 0),
                        }
                    }
                }
                _ => self.assign(parameter, bound_of(parameter), 0),
            }
        }
    }

    fn visit_in(&mut self, scope: ScopeId, node: Node<'p>) {
        let back = self.builder.resume(scope);
        self.visit(node);
        self.builder.resume(back);
    }

    /// Binds the names in `[T: bound, *Ts, **P]` in `scope`.
    fn type_parameters(&mut self, list: Node<'p>, scope: ScopeId) {
        let back = self.builder.resume(scope);
        for parameter in list.named_children() {
            let Some(inner) = parameter.named_children().next() else { continue };
            match inner.kind() {
                Kind::ConstrainedType => {
                    for (index, part) in inner.named_children().enumerate() {
                        match (index, part.named_children().next()) {
                            (0, Some(name)) if name.kind() == Kind::Identifier => self.bind(name, Bound::Type, 0),
                            _ => self.visit(part),
                        }
                    }
                }
                Kind::SplatType => self.type_parameter_name(inner.named_children().next()),
                _ => self.type_parameter_name(Some(inner)),
            }
        }
        self.builder.resume(back);
    }

    fn type_parameter_name(&mut self, node: Option<Node<'p>>) {
        match node {
            Some(name) if name.kind() == Kind::Identifier => self.bind(name, Bound::Type, 0),
            Some(other) => self.visit(other),
            None => {}
        }
    }

    /// `type Name[T] = …`.
    fn type_alias(&mut self, node: Node<'p>) {
        let left = node.child(Field::Left).and_then(|left| left.named_children().next());
        let (name, parameters) = match left {
            Some(generic) if generic.kind() == Kind::GenericType => {
                (generic.child_of_kind(Kind::Identifier), generic.child_of_kind(Kind::TypeParameter))
            }
            other => (other, None),
        };
        match name {
            Some(name) if name.kind() == Kind::Identifier => self.bind(name, Bound::Type, node.end()),
            Some(other) => self.visit(other),
            None => {}
        }
        let scope = self.builder.enter(ScopeKind::Block, node);
        if let Some(parameters) = parameters {
            self.type_parameters(parameters, scope);
        }
        if let Some(right) = node.child(Field::Right) {
            self.visit(right);
        }
        self.builder.leave();
    }

    fn class(&mut self, node: Node<'p>) {
        let around = self.builder.current();
        let type_parameters = node.child(Field::TypeParameters);
        let bases = match type_parameters {
            Some(_) => self.builder.enter(ScopeKind::Block, node),
            None => around,
        };
        let scope = self.builder.enter(ScopeKind::Type, node);
        self.builder.hide_from_inner(scope);
        if let Some(name) = node.child(Field::Name) {
            let bound = Bound::Class(scope);
            self.bindings.push(Binding { name, bound, scope: around, occurs_in: around, from: node.end() });
        }
        for child in node.children() {
            match child.role() {
                Field::TypeParameters => self.type_parameters(child, bases),
                Field::Superclasses => {
                    let back = self.builder.resume(bases);
                    child.named_children().for_each(|base| self.base_class(scope, base));
                    self.builder.resume(back);
                }
                Field::Body => {
                    let outer_class = self.class.replace((scope, node));
                    let outer_walrus_scope = std::mem::replace(&mut self.walrus_scope, scope);
                    self.visit(child);
                    self.walrus_scope = outer_walrus_scope;
                    self.class = outer_class;
                }
                _ => {}
            }
        }
        self.builder.resume(around);
    }

    fn base_class(&mut self, class: ScopeId, base: Node<'p>) {
        if base.kind() == Kind::KeywordArgument {
            for part in base.named_children() {
                match part.role() {
                    // Other keywords go to `__init_subclass__`, whose class is not evident.
                    Field::Name if part.text() == "metaclass" => self.builder.refer(part, Target::Outside, false),
                    Field::Name => self.builder.refer(part, Target::Member, false),
                    _ => self.visit(part),
                }
            }
            return;
        }
        self.visit(base);
        // `Base[int]` inherits from `Base`.
        let base = if base.kind() == Kind::Subscript { base.child(Field::Value).unwrap_or(base) } else { base };
        match base.kind() {
            Kind::Identifier => self.supertypes.push((class, base)),
            Kind::Attribute => self.supertypes.extend(base.child(Field::Attribute).map(|name| (class, name))),
            _ => {}
        }
    }

    /// The first iterable of a comprehension is evaluated in the scope around it, the rest inside.
    fn comprehension(&mut self, node: Node<'p>) {
        let around = self.builder.current();
        self.builder.enter(ScopeKind::Function, node);
        let mut is_first = true;
        for child in node.children() {
            if child.kind() != Kind::ForInClause {
                self.visit(child);
                continue;
            }
            for part in child.children() {
                match part.role() {
                    Field::Left => self.assign(part, Bound::Variable, 0),
                    Field::Right if is_first => self.visit_in(around, part),
                    _ => self.visit(part),
                }
            }
            is_first = false;
        }
        self.builder.leave();
    }

    /// A pattern of a `case`; `class` is the name of the class whose parts keywords are.
    fn pattern(&mut self, node: Node<'p>, class: Option<Node<'p>>) {
        match node.kind() {
            Kind::DottedName => {
                let mut names = node.named_children();
                match (names.next(), names.next()) {
                    (Some(name), None) => self.bind(name, Bound::Variable, name.end()),
                    _ => self.dotted_value(node),
                }
            }
            Kind::AsPattern | Kind::SplatPattern => {
                for child in node.named_children() {
                    match child.kind() {
                        Kind::Identifier => self.bind(child, Bound::Variable, child.end()),
                        _ => self.pattern(child, None),
                    }
                }
            }
            Kind::ClassPattern => {
                let mut class = None;
                for child in node.named_children() {
                    match child.kind() {
                        Kind::DottedName => {
                            self.dotted_value(child);
                            class = child.named_children().last();
                        }
                        _ => self.pattern(child, class),
                    }
                }
            }
            Kind::KeywordPattern => {
                for child in node.named_children() {
                    match (child.kind(), class) {
                        (Kind::Identifier, Some(class)) => self.builder.mention_member(child, class, MEMBERS),
                        (Kind::Identifier, None) => self.builder.refer(child, Target::Member, false),
                        _ => self.pattern(child, None),
                    }
                }
            }
            Kind::CasePattern => node.named_children().for_each(|child| self.pattern(child, class)),
            Kind::UnionPattern | Kind::ListPattern | Kind::TuplePattern | Kind::DictPattern => {
                node.named_children().for_each(|child| self.pattern(child, None))
            }
            _ => self.visit(node),
        }
    }

    /// `a.b.c` in a pattern, where it is one flat node.
    fn dotted_value(&mut self, node: Node<'p>) {
        let mut receiver: Option<Node<'p>> = None;
        for name in node.named_children() {
            match receiver {
                None => self.use_name(name),
                Some(receiver) => self.member(name, receiver, false),
            }
            receiver = Some(name);
        }
    }

    fn attribute(&mut self, node: Node<'p>, is_assigned: bool) {
        let (Some(receiver), Some(name)) = (node.child(Field::Object), node.child(Field::Attribute)) else { return };
        self.visit(receiver);
        self.member(name, receiver, is_assigned);
    }

    fn member_type(&mut self, node: Node<'p>) {
        let mut parts = node.named_children();
        let (Some(receiver), Some(name)) = (parts.next(), parts.next()) else { return };
        self.visit(receiver);
        let receiver = receiver.named_children().next().unwrap_or(receiver);
        self.member(name, receiver, false);
    }

    fn member(&mut self, name: Node<'p>, receiver: Node<'p>, is_assigned: bool) {
        let base_of = self.class.filter(|&(_, class)| is_super(receiver, class)).map(|(scope, _)| scope);
        if receiver.kind() == Kind::Identifier || base_of.is_some() {
            let scope = self.builder.current();
            self.attributes.push(Attribute { name, receiver, scope, is_assigned, base_of });
        } else {
            self.builder.mention_member(name, receiver, MEMBERS);
        }
    }

    fn call(&mut self, node: Node<'p>) {
        let Some(callee) = node.child(Field::Function) else { return };
        self.visit(callee);
        let Some(arguments) = node.child(Field::Arguments) else { return };
        if arguments.kind() != Kind::ArgumentList {
            return self.visit(arguments);
        }
        for argument in arguments.children() {
            if argument.kind() != Kind::KeywordArgument {
                self.visit(argument);
                continue;
            }
            for part in argument.named_children() {
                match part.role() {
                    Field::Name => {
                        let scope = self.builder.current();
                        self.keywords.push(Keyword { name: part, callee, scope });
                    }
                    _ => self.visit(part),
                }
            }
        }
    }

    /// Enters the bindings: first those of the scopes that own the names, then those that come from afar.
    fn enter_bindings(&mut self) {
        let bindings = std::mem::take(&mut self.bindings);
        let back = self.builder.current();
        for binding in &bindings {
            if self.redirection(binding).is_none() {
                self.enter_binding(binding, binding.scope);
            }
        }
        if !self.redirections.is_empty() {
            for binding in &bindings {
                let owner = match self.redirection(binding) {
                    None => continue,
                    Some(Redirection::Global) => Some(self.module),
                    Some(Redirection::Nonlocal) => self.owner_around(binding.scope, binding.name.text()),
                };
                match owner {
                    Some(owner) => self.enter_binding(binding, owner),
                    None => {
                        self.builder.resume(binding.occurs_in);
                        self.builder.refer(binding.name, Target::Outside, false);
                    }
                }
            }
            self.enter_redirections();
        }
        self.builder.resume(back);
    }

    fn redirection(&self, binding: &Binding<'p>) -> Option<Redirection> {
        if self.redirections.is_empty() {
            return None;
        }
        self.redirections.get(&(binding.scope, binding.name.text())).copied()
    }

    /// The function around `scope` that owns `name`.
    fn owner_around(&self, scope: ScopeId, name: &str) -> Option<ScopeId> {
        let tables = self.builder.tables();
        tables.enclosing(scope).skip(1).find(|&around| {
            tables.scope(around).kind == ScopeKind::Function
                && self.builder.bound_in(around, name, Space::Value).is_some()
        })
    }

    fn enter_binding(&mut self, binding: &Binding<'p>, owner: ScopeId) {
        let name = binding.name;
        self.builder.resume(binding.occurs_in);
        let owner_kind = self.builder.tables().scope(owner).kind;
        let symbol = match self.builder.bound_in(owner, name.text(), Space::Value) {
            Some(symbol) => {
                self.builder.refer(name, Target::Symbol(symbol), false);
                self.symbols.times[symbol.0 as usize] += 1;
                symbol
            }
            None => {
                let kind = match (binding.bound, owner_kind) {
                    (Bound::Variable, ScopeKind::File) => SymbolKind::Global,
                    (Bound::Variable, ScopeKind::Type) => SymbolKind::Field,
                    (Bound::Variable, _) => SymbolKind::Local,
                    (Bound::Parameter | Bound::Receiver(_), _) => SymbolKind::Parameter,
                    (Bound::Function(_), _) => SymbolKind::Function,
                    (Bound::Class(_) | Bound::Type, _) => SymbolKind::Type,
                    (Bound::Import, _) => SymbolKind::Import,
                };
                let symbol = self.builder.declare(name, kind, owner, Space::Value);
                if owner_kind == ScopeKind::Type {
                    self.builder.bind(name.text(), symbol, owner, Space::Member, EVERYWHERE);
                    self.symbols.first_in_class.insert(symbol, (name, binding.from));
                }
                self.symbols.times.push(1);
                symbol
            }
        };
        match binding.bound {
            Bound::Receiver(class) => {
                self.symbols.received.insert(symbol, class);
            }
            Bound::Function(scope) => {
                self.builder.own(scope, symbol);
                self.symbols.functions.insert(symbol, scope);
            }
            Bound::Class(scope) => self.builder.own(scope, symbol),
            Bound::Variable | Bound::Parameter | Bound::Type | Bound::Import => {}
        }
    }

    /// Gives the names in `global` and `nonlocal` statements their meaning, and those that use them.
    fn enter_redirections(&mut self) {
        let names = std::mem::take(&mut self.redirecting_names);
        for &(name, scope) in &names {
            let target = self.redirected(name.text(), scope);
            self.builder.resume(scope);
            self.builder.refer(name, target, false);
            if let Target::Symbol(symbol) = target {
                self.builder.bind(name.text(), symbol, scope, Space::Value, EVERYWHERE);
            }
        }
        for (name, scope) in std::mem::take(&mut self.redirected_uses) {
            let target = self.redirected(name.text(), scope);
            self.builder.resume(scope);
            self.builder.refer(name, target, false);
        }
    }

    fn redirected(&self, name: &str, scope: ScopeId) -> Target {
        let owner = match self.redirections[&(scope, name)] {
            Redirection::Global => Some(self.module),
            Redirection::Nonlocal => self.owner_around(scope, name),
        };
        let symbol = owner.and_then(|owner| self.builder.bound_in(owner, name, Space::Value));
        symbol.map_or(Target::Outside, Target::Symbol)
    }

    /// Resolves the names that class bodies use.
    ///
    /// A name that the body binds is looked for there and then in the module, never in the functions around
    /// it, because the body runs from top to bottom and may not have bound the name yet.
    fn resolve_class_uses(&mut self) {
        for (name, scope) in std::mem::take(&mut self.class_uses) {
            let back = self.builder.resume(scope);
            let own = self.builder.bound_in(scope, name.text(), Space::Value);
            let class = self.class_around_type_parameters(scope).filter(|_| own.is_none()).unwrap_or(scope);
            let target = match self.builder.bound_in(class, name.text(), Space::Value) {
                None => self.builder.look_up(name.text(), name.start(), class, NAMES),
                Some(symbol) => match self.symbols.first_in_class.get(&symbol).copied() {
                    Some((first, from)) => self.class_use(name, class, symbol, first, from),
                    None => Target::Symbol(symbol),
                },
            };
            self.builder.refer(name, target, false);
            self.builder.resume(back);
        }
    }

    fn class_use(&self, name: Node<'p>, class: ScopeId, symbol: SymbolId, first: Node<'p>, from: usize) -> Target {
        let of_module = self.builder.look_up(name.text(), name.start(), self.module, NAMES);
        let class_node = self.builder.program.node(self.builder.tables().scope(class).node);
        if name.start() < from {
            let may_come_again = name
                .ancestors()
                .take_while(|around| *around != class_node)
                .any(|around| matches!(around.kind(), Kind::ForStatement | Kind::WhileStatement));
            return if may_come_again { Target::Unknown } else { of_module };
        }
        // Where the module has the name, too, either may be meant unless the binding comes first for certain.
        match of_module {
            Target::Symbol(other) if other != symbol => {
                let is_certain = stretch_after(first).is_some_and(|stretch| stretch.contains(name));
                if is_certain { Target::Symbol(symbol) } else { Target::Unknown }
            }
            _ => Target::Symbol(symbol),
        }
    }

    /// Resolves the attributes of `self`, and hands those of other names to the types.
    fn resolve_attributes(&mut self) {
        let attributes = std::mem::take(&mut self.attributes);
        let back = self.builder.current();
        let classes: Vec<Option<ScopeId>> =
            attributes.iter().map(|attribute| self.class_received(attribute.receiver)).collect();
        for (attribute, &class) in attributes.iter().zip(&classes) {
            let (name, true, Some(class)) = (attribute.name, attribute.is_assigned, class) else { continue };
            self.builder.resume(attribute.scope);
            match self.builder.bound_in(class, name.text(), Space::Member) {
                Some(symbol) => {
                    self.builder.refer(name, Target::Symbol(symbol), false);
                    self.symbols.times[symbol.0 as usize] += 1;
                }
                None => {
                    self.builder.declare(name, SymbolKind::Field, class, Space::Member);
                    self.symbols.times.push(1);
                }
            }
        }
        for (attribute, &class) in attributes.iter().zip(&classes) {
            let name = attribute.name;
            self.builder.resume(attribute.scope);
            if let Some(class) = attribute.base_of {
                let symbol = self.builder.inherited_member(class, name.text(), Space::Member);
                self.builder.refer(name, symbol.map_or(Target::Member, Target::Symbol), false);
            } else if let Some(class) = class {
                let symbol = self.builder.member_of(class, name.text(), MEMBERS);
                self.builder.refer(name, symbol.map_or(Target::Member, Target::Symbol), false);
            } else if self.is_function(attribute.receiver) {
                // A function can be given attributes, like any object.
                self.builder.refer(name, Target::Member, false);
            } else {
                self.builder.mention_member(name, attribute.receiver, MEMBERS);
            }
        }
        self.builder.resume(back);
    }

    /// The class whose object (or which itself) the identifier certainly stands for in its methods.
    fn class_received(&self, receiver: Node<'p>) -> Option<ScopeId> {
        let symbol = self.builder.tables().symbol_at(receiver)?;
        let class = *self.symbols.received.get(&symbol)?;
        (self.symbols.times[symbol.0 as usize] == 1).then_some(class)
    }

    fn is_function(&self, receiver: Node<'p>) -> bool {
        let symbol = self.builder.tables().symbol_at(receiver);
        symbol.is_some_and(|symbol| self.builder.symbol(symbol).kind == SymbolKind::Function)
    }
}

/// Is this `super()`, or `super(Name, self)` of Python 2, inside the class?
fn is_super(receiver: Node<'_>, class: Node<'_>) -> bool {
    if receiver.kind() != Kind::Call || receiver.child(Field::Function).is_none_or(|callee| callee.text() != "super") {
        return false;
    }
    let first = receiver.child(Field::Arguments).and_then(|arguments| arguments.named_children().next());
    first.is_none_or(|first| class.child(Field::Name).is_some_and(|name| name.text() == first.text()))
}

/// The stretch of the program that runs only when the name has been bound here.
fn stretch_after(binding: Node<'_>) -> Option<Node<'_>> {
    let mut inner = binding;
    for around in binding.ancestors() {
        match around.kind() {
            Kind::Block | Kind::ExceptClause | Kind::CaseClause => return Some(around),
            Kind::ForStatement if inner.role() == Field::Left => return around.child(Field::Body),
            _ => inner = around,
        }
    }
    None
}
