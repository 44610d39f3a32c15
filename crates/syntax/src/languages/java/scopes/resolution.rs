//! What is looked up when every declaration is known.

use super::{FUNCTION, Pending, QualifiedType, Switch, TYPE, VALUE, Walk, dotted, name_of_type};
use crate::kind::{Field, Kind};
use crate::languages::java::facts::{self as library, LibraryType};
use crate::scopes::builder::{Space, Spaces};
use crate::scopes::{ScopeId, SymbolId, SymbolKind, Target};
use crate::tree::{Node, NodeId};
use crate::types::{self, Number, Type};

impl<'p> Walk<'_, 'p> {
    pub(super) fn resolve(mut self) {
        self.imports_of_this_input();
        for class in 0..self.classes.len() {
            self.resolve_supertypes(class);
        }
        for class in 0..self.classes.len() {
            self.inherit_from_outside(class);
        }
        self.builder.resolve_names();
        for pending in std::mem::take(&mut self.values) {
            let target = self.look_up(&pending);
            self.refer(pending.name, target, pending.scope);
        }
        for (name, scope) in std::mem::take(&mut self.entries) {
            let target = self.entry(name, scope);
            self.refer(name, target, scope);
        }
        for QualifiedType { name, qualifier, scope } in std::mem::take(&mut self.qualified_types) {
            let target = self.member_of_type(self.builder.tables().symbol_at(qualifier), name, TYPE);
            self.refer(name, target, scope);
        }
        for (pending, annotation) in std::mem::take(&mut self.annotation_keys) {
            let target = self.member_of_type(self.builder.tables().symbol_at(annotation), pending.name, pending.spaces);
            self.refer(pending.name, target, pending.scope);
        }
        self.merge_accessors();
        self.builder.merge_overriding(&[SymbolKind::Function]);
        let undecided = self.resolve_members();
        // A call that is an argument stands after the name of the method that it is handed to, and its type is asked
        // for there, so the last one comes first.
        for call in undecided.into_iter().rev() {
            let target = self.by_argument_types(&call);
            self.refer(call.pending.name, target, call.pending.scope);
        }
        for switch in std::mem::take(&mut self.switches) {
            self.resolve_labels(&switch);
        }
    }

    /// Looks up the names in and after expressions. Gives the calls that only the types of the arguments decide.
    fn resolve_members(&mut self) -> Vec<Overloaded<'p>> {
        let mut undecided = Vec::new();
        for pending in std::mem::take(&mut self.calls) {
            let target = self.look_up(&pending);
            let class = match target {
                Target::Symbol(_) => self.class_that_has(&pending),
                Target::Outside | Target::Member | Target::Unknown => None,
            };
            self.decide(pending, target, class, &mut undecided);
        }
        for pending in std::mem::take(&mut self.own_members) {
            let class = pending.class;
            let members = match class {
                Some(class) => Some(self.classes[class].scope),
                None => self.top_level_is_members.then_some(self.file),
            };
            let name = pending.name.text();
            let found = members.and_then(|members| self.builder.member_of(members, name, pending.spaces));
            let target = found.map_or_else(|| self.not_found(&pending, class), Target::Symbol);
            self.decide(pending, target, class, &mut undecided);
        }
        for (pending, qualifier) in std::mem::take(&mut self.super_members) {
            let target = self.super_member(&pending, qualifier);
            let class = pending.class;
            self.decide(pending, target, class, &mut undecided);
        }
        // A second round finds the members whose receiver's type depends on a member further down.
        let mut members = std::mem::take(&mut self.members);
        for _ in 0..2 {
            let mut unresolved = Vec::new();
            let before = members.len();
            for (pending, receiver) in members {
                match types::of(self.builder.tables(), receiver) {
                    Type::Unknown => unresolved.push((pending, receiver)),
                    Type::Declared(symbol) => {
                        let class = self.class_of(symbol);
                        let target = self.member_of_declared(symbol, &pending);
                        self.decide(pending, target, class, &mut undecided);
                    }
                    other => {
                        let may_be_ours = self.may_inherit_from_this_input(&other) && self.is_member_name(&pending);
                        let target = if may_be_ours { Target::Member } else { Target::Outside };
                        self.refer(pending.name, target, pending.scope);
                    }
                }
            }
            members = unresolved;
            if members.len() == before {
                break;
            }
        }
        for (pending, _) in members {
            self.refer(pending.name, Target::Member, pending.scope);
        }
        undecided
    }

    /// Looks a name up from the inside out.
    fn look_up(&self, pending: &Pending<'p>) -> Target {
        let target = self.builder.look_up(pending.name.text(), pending.name.start(), pending.scope, pending.spaces);
        if target != Target::Outside {
            return target;
        }
        let mut around = std::iter::successors(pending.class, |&class| self.classes[class].outer);
        let open = around.find(|&class| self.classes[class].is_open);
        if open.is_some() { self.not_found(pending, open) } else { target }
    }

    /// What a name stands for that a class does not have: something outside, unless a supertype that is elsewhere may
    /// in turn inherit it from a class of this input.
    fn not_found(&self, pending: &Pending<'p>, class: Option<usize>) -> Target {
        let is_open = class.is_some_and(|class| self.classes[class].is_open);
        if is_open && self.is_member_name(pending) { Target::Unknown } else { Target::Outside }
    }

    /// The class, from the inside out, that has a method of the name.
    fn class_that_has(&self, pending: &Pending<'p>) -> Option<usize> {
        let mut classes = std::iter::successors(pending.class, |&class| self.classes[class].outer);
        classes.find(|&class| {
            self.builder.member_of(self.classes[class].scope, pending.name.text(), pending.spaces).is_some()
        })
    }

    fn member_of_declared(&self, symbol: SymbolId, pending: &Pending<'p>) -> Target {
        match self.member_of_type(Some(symbol), pending.name, pending.spaces) {
            Target::Outside => self.not_found(pending, self.class_of(symbol)),
            target => target,
        }
    }

    fn is_member_name(&self, pending: &Pending<'p>) -> bool {
        pending.spaces.iter().any(|&space| self.member_names.contains(&(pending.name.text(), space)))
    }

    /// Can a type from elsewhere be a subtype of a class of this input, or the absent class around a fragment?
    fn may_inherit_from_this_input(&self, of: &Type) -> bool {
        match of {
            Type::Outside(name) => self.top_level_is_members || !self.is_from_library(name),
            Type::Text => self.top_level_is_members,
            _ => false,
        }
    }

    /// Is a type of this simple name one of Java's library, by all that the input says?
    fn is_from_library(&self, name: &str) -> bool {
        let imports = || self.imports.iter().filter(|import| !import.is_static);
        match imports().find(|import| !import.is_on_demand && divided(&import.path).1 == name) {
            Some(import) => import.path.starts_with("java.") || import.path.starts_with("javax."),
            None => {
                library::LANGUAGE_TYPES.binary_search(&name).is_ok()
                    || imports().any(|import| import.is_on_demand && library::is_in_package(name, &import.path))
            }
        }
    }

    /// Notes what a method's name stands for, when its overloads leave no doubt.
    ///
    /// `class` has the method that was found. When it may also inherit one of the same name from elsewhere, the number of
    /// arguments and their types decide which of the two is called.
    fn decide(
        &mut self,
        pending: Pending<'p>,
        target: Target,
        class: Option<usize>,
        undecided: &mut Vec<Overloaded<'p>>,
    ) {
        if let Target::Symbol(symbol) = target
            && pending.spaces == FUNCTION
            && self.builder.symbol(symbol).kind != SymbolKind::Import
            && self.may_be_overloaded_elsewhere(pending.name.text(), class)
        {
            let overloads = self.overloads(symbol, class);
            let count = pending.arguments.map(|arguments| arguments.named_children().count());
            if !overloads.iter().any(|overload| count.is_none_or(|count| overload.takes(count))) {
                self.refer(pending.name, Target::Outside, pending.scope);
            } else if count == Some(0) && overloads.iter().any(|overload| overload.wins && overload.takes_exactly(0)) {
                self.refer(pending.name, target, pending.scope);
            } else {
                undecided.push(Overloaded { pending, symbol, overloads });
            }
            return;
        }
        self.refer(pending.name, target, pending.scope);
    }

    fn may_be_overloaded_elsewhere(&self, name: &str, class: Option<usize>) -> bool {
        match class {
            None => self.top_level_is_members,
            Some(class) => {
                let class = &self.classes[class];
                class.is_open || class.libraries.iter().any(|library| library.has_method(name))
            }
        }
    }

    /// The declarations of a method in a class and in what it inherits from.
    fn overloads(&self, method: SymbolId, class: Option<usize>) -> Vec<Overload<'p>> {
        let program = self.builder.program;
        let overload = |name: NodeId| {
            let declaration = program.node(name).parent()?;
            let is_method = declaration.kind() == Kind::MethodDeclaration;
            let body = match is_method {
                true => declaration.parent(),
                // A record's component, which is read by a method without parameters.
                false => declaration.ancestors().find_map(|around| around.child(Field::Body)),
            };
            let declaring = body.and_then(|body| self.class_with_body(body));
            let is_seen = match class {
                Some(class) => declaring.is_some_and(|declaring| self.classes[class].lineage.contains(&declaring)),
                None => declaring.is_none(),
            };
            let is_in_superclass = declaring
                .is_some_and(|declaring| self.classes[declaring].kind != Kind::InterfaceDeclaration)
                && declaration.child(Field::Body).is_some();
            is_seen.then(|| Overload {
                parameters: declaration.child(Field::Parameters),
                wins: declaring == class || is_in_superclass,
            })
        };
        self.builder.tables().declarations_of(method).filter_map(overload).collect()
    }

    /// The class whose body, or in an enum the part of it after the constants, this is.
    fn class_with_body(&self, node: Node<'p>) -> Option<usize> {
        let body = if node.kind() == Kind::EnumBodyDeclarations { node.parent()? } else { node };
        self.classes.binary_search_by_key(&body.id(), |class| self.builder.tables().scope(class.scope).node).ok()
    }

    /// A method whose parameters have exactly the types of the arguments is the one that is called, whatever other
    /// overloads there are. Everything else is open.
    fn by_argument_types(&self, call: &Overloaded<'p>) -> Target {
        let Some(arguments) = call.pending.arguments else { return Target::Unknown };
        let type_of = |node: Node<'p>| types::of(self.builder.tables(), node);
        let is_same = |(declared, argument)| declared == argument && declared != Type::Unknown;
        let matches = |overload: &Overload<'p>| {
            let parameters = overload.parameters.into_iter().flat_map(Node::named_children);
            let declared = parameters.filter_map(|parameter| parameter.child(Field::Name)).map(type_of);
            overload.wins
                && overload.takes_exactly(arguments.named_children().count())
                && declared.zip(arguments.named_children().map(type_of)).all(is_same)
        };
        if call.overloads.iter().any(matches) { Target::Symbol(call.symbol) } else { Target::Unknown }
    }

    fn refer(&mut self, name: Node<'p>, target: Target, scope: ScopeId) {
        let around = self.builder.resume(scope);
        self.builder.refer(name, target, false);
        self.builder.resume(around);
    }

    /// A member of a type that may be of this input.
    fn member_of_type(&self, symbol: Option<SymbolId>, name: Node<'p>, spaces: &[Space]) -> Target {
        let symbol = symbol.map(|symbol| self.builder.symbol(symbol));
        if symbol.is_some_and(|symbol| symbol.kind == SymbolKind::Type && symbol.members.is_none()) {
            // `T.Inner` is a member of the bound of the type parameter `T`, which this input may declare.
            return Target::Unknown;
        }
        let members = symbol.and_then(|symbol| symbol.members);
        let found = members.and_then(|members| self.builder.member_of(members, name.text(), spaces));
        found.map_or(Target::Outside, Target::Symbol)
    }

    /// Looks up the names of a class's supertypes, after those of everything that they may depend on.
    fn resolve_supertypes(&mut self, class: usize) {
        if std::mem::replace(&mut self.classes[class].has_resolved_supertypes, true) {
            return;
        }
        if let Some(outer) = self.classes[class].outer {
            self.resolve_supertypes(outer);
        }
        let header = self.classes[class].header;
        for supertype in self.classes[class].supertypes.clone() {
            self.resolve_path(supertype, header);
            if let Some(name) = name_of_type(supertype) {
                let scope = self.classes[class].scope;
                self.builder.inherit(scope, name);
            }
        }
    }

    /// Looks up a type's names one by one and gives its symbol. The supertypes of that type are looked up, too.
    fn resolve_path(&mut self, node: Node<'p>, scope: ScopeId) -> Option<SymbolId> {
        let symbol = match node.kind() {
            Kind::GenericType => self.resolve_path(node.named_children().next()?, scope),
            Kind::ScopedTypeIdentifier => {
                let qualifier = self.resolve_path(node.named_children().next()?, scope);
                let name = name_of_type(node)?;
                let target = self.member_of_type(qualifier, name, TYPE);
                self.refer(name, target, scope);
                self.builder.tables().symbol_at(name)
            }
            _ => {
                if self.builder.tables().target(node).is_none() {
                    let target = self.builder.look_up(node.text(), node.start(), scope, TYPE);
                    self.refer(node, target, scope);
                }
                self.builder.tables().symbol_at(node)
            }
        };
        if let Some(class) = symbol.and_then(|symbol| self.class_of(symbol)) {
            self.resolve_supertypes(class);
        }
        symbol
    }

    fn class_of(&self, symbol: SymbolId) -> Option<usize> {
        let members = self.builder.symbol(symbol).members?;
        // Classes are noted in the order in which their scopes were opened.
        self.classes.binary_search_by_key(&members, |class| class.scope).ok()
    }

    /// Says what a class inherits from types that are not in the input: names that are known for certain where
    /// the type is a well-known one of the library, and else anything.
    fn inherit_from_outside(&mut self, class: usize) {
        let mut seen = vec![class];
        let mut libraries: Vec<&'static LibraryType> = vec![&library::OBJECT];
        let mut is_open = false;
        let mut next = 0;
        while let Some(&at) = seen.get(next) {
            next += 1;
            if self.classes[at].kind == Kind::EnumDeclaration {
                libraries.push(&library::ENUM);
            }
            for &supertype in &self.classes[at].supertypes {
                let symbol = name_of_type(supertype).and_then(|name| self.builder.tables().symbol_at(name));
                match symbol.and_then(|symbol| self.class_of(symbol)) {
                    Some(ancestor) if seen.contains(&ancestor) => {}
                    Some(ancestor) => seen.push(ancestor),
                    None => match self.library_type(supertype) {
                        Some(library) if libraries.iter().any(|known| std::ptr::eq(*known, library)) => {}
                        Some(library) => libraries.push(library),
                        None => is_open = true,
                    },
                }
            }
            // The creation of an inner class through an object: its class is looked up as a member, later.
            is_open |= self.classes[at].kind == Kind::ClassBody && self.classes[at].supertypes.is_empty();
        }
        let scope = self.classes[class].scope;
        for library in &libraries {
            let members =
                [(Space::Function, library.methods), (Space::Value, library.fields), (Space::Type, library.types)];
            for (space, names) in members.into_iter().filter(|(_, names)| !names.is_empty()) {
                self.builder.inherit_from_outside(scope, space, names);
            }
        }
        if is_open {
            self.builder.open(scope, Spaces::of(&[Space::Value, Space::Function]));
        }
        self.classes[class].is_open = is_open;
        self.classes[class].libraries = libraries;
        self.classes[class].lineage = seen;
    }

    /// The library's type that a supertype outside the input is. An import of another type with the same name
    /// says that it is not that one.
    fn library_type(&self, supertype: Node<'p>) -> Option<&'static LibraryType> {
        let name = name_of_type(supertype)?.text();
        let library = library::library_type(name)?;
        if supertype.kind() == Kind::ScopedTypeIdentifier {
            let name = dotted(supertype);
            let (package, _) = name.rsplit_once('.')?;
            let is_meant =
                library.package.strip_suffix(package).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
            return is_meant.then_some(library);
        }
        let imports = || self.imports.iter().filter(|import| !import.is_static);
        match imports().find(|import| !import.is_on_demand && divided(&import.path).1 == name) {
            Some(import) => divided(&import.path).0 == library.package,
            // A file says where its types come from; a fragment has lost its imports.
            None => {
                library.package == "java.lang"
                    || self.imports.is_empty() && self.package.is_none()
                    || imports().any(|import| import.is_on_demand && import.path == library.package)
            }
        }
        .then_some(library)
    }

    /// A type called `Entry`. Any other type of this input that is found past a class with unknown supertypes is
    /// taken: only an inherited nested type of the same name would make that wrong. This one is too common.
    fn entry(&self, name: Node<'p>, scope: ScopeId) -> Target {
        let target = self.builder.look_up(name.text(), name.start(), scope, TYPE);
        let Target::Symbol(symbol) = target else { return target };
        let declaring = self.builder.symbol(symbol).scope;
        let mut scopes = self.builder.tables().enclosing(scope).take_while(|&scope| scope != declaring);
        let may_be_hidden = scopes.any(|scope| {
            let class = self.classes.binary_search_by_key(&scope, |class| class.scope).ok();
            class.is_some_and(|class| self.classes[class].is_open)
        });
        if may_be_hidden { Target::Unknown } else { target }
    }

    fn super_member(&self, pending: &Pending<'p>, qualifier: Option<Node<'p>>) -> Target {
        let Some(qualifier) = qualifier else { return self.superclass_member(pending.class, pending) };
        let Some(symbol) = self.builder.tables().symbol_at(qualifier) else { return Target::Outside };
        let mut enclosing = std::iter::successors(pending.class, |&class| self.classes[class].outer);
        match enclosing.find(|&class| self.classes[class].symbol == Some(symbol)) {
            Some(outer) => self.superclass_member(Some(outer), pending),
            // An interface whose default method is meant.
            None => self.member_of_type(Some(symbol), pending.name, pending.spaces),
        }
    }

    fn superclass_member(&self, class: Option<usize>, pending: &Pending<'p>) -> Target {
        let Some(class) = class.map(|class| &self.classes[class]) else { return Target::Outside };
        let superclass = class.supertypes.first().filter(|_| class.has_superclass || class.kind == Kind::EnumConstant);
        let symbol = superclass.and_then(|&name| self.builder.tables().symbol_at(name_of_type(name)?));
        // The superclass of an anonymous class that implements an interface is Object.
        let is_interface = symbol
            .and_then(|symbol| self.class_of(symbol))
            .is_some_and(|class| self.classes[class].kind == Kind::InterfaceDeclaration);
        if is_interface { Target::Outside } else { self.member_of_type(symbol, pending.name, pending.spaces) }
    }

    /// The method that reads a record's component may implement a method of an interface.
    fn merge_accessors(&mut self) {
        for class in 0..self.classes.len() {
            for component in self.classes[class].components.clone() {
                let declarator = component.child_of_kind(Kind::VariableDeclarator).unwrap_or(component);
                let Some(name) = declarator.child(Field::Name) else { continue };
                let Some(symbol) = self.builder.tables().symbol_at(name) else { continue };
                for supertype in self.classes[class].supertypes.clone() {
                    let interface = name_of_type(supertype).and_then(|name| self.builder.tables().symbol_at(name));
                    if let Target::Symbol(method) = self.member_of_type(interface, name, FUNCTION) {
                        self.builder.merge(symbol, method);
                    }
                }
            }
        }
    }

    /// A name after `case` is a constant of the enum that is switched over, or a constant variable.
    fn resolve_labels(&mut self, switch: &Switch<'p>) {
        let selector = types::of(self.builder.tables(), switch.selector);
        for &label in &switch.labels {
            let as_variable = self.builder.look_up(label.text(), label.start(), switch.scope, VALUE);
            let target = match &selector {
                Type::Declared(symbol) => self.member_of_type(Some(*symbol), label, VALUE),
                Type::Number(Number::Byte | Number::Short | Number::Int | Number::Char) | Type::Text => as_variable,
                Type::Outside(name) if ["Byte", "Short", "Integer", "Character"].contains(&name.as_str()) => {
                    as_variable
                }
                Type::Outside(_) => Target::Outside,
                _ if switch.is_not_over_enum => as_variable,
                _ if as_variable == Target::Outside => Target::Member,
                _ => Target::Unknown,
            };
            self.refer(label, target, switch.scope);
        }
    }

    /// Imports of members of this input's own types: their names are seen in the whole file.
    fn imports_of_this_input(&mut self) {
        for (node, path) in std::mem::take(&mut self.own_imports) {
            if !self.import_of_this_input(node, path) {
                self.import_from_elsewhere(node, path);
            }
        }
    }

    /// Gives false when the path does not lead to a type of this input.
    fn import_of_this_input(&mut self, node: Node<'p>, path: Node<'p>) -> bool {
        let file = self.file;
        let package = self.package.as_deref().map_or(0, |package| package.split('.').count());
        let names: Vec<Node<'p>> = path.descendants().filter(|node| node.kind() == Kind::Identifier).collect();
        let Some(&first) = names.get(package) else { return false };
        let Some(mut symbol) = self.builder.bound_in(file, first.text(), Space::Type) else { return false };
        if self.builder.symbol(symbol).kind != SymbolKind::Type {
            return false;
        }
        self.builder.refer(first, Target::Symbol(symbol), false);
        let is_on_demand = node.child_of_kind(Kind::Asterisk).is_some();
        for (index, &name) in names.iter().enumerate().skip(package + 1) {
            let is_last = index + 1 == names.len() && !is_on_demand;
            let spaces = if is_last { &[Space::Value, Space::Function, Space::Type][..] } else { TYPE };
            for &space in spaces {
                if let Target::Symbol(member) = self.member_of_type(Some(symbol), name, &[space]) {
                    self.builder.refer(name, Target::Symbol(member), false);
                    if is_last {
                        self.builder.bind(name.text(), member, file, space, 0..usize::MAX);
                    }
                    symbol = member;
                }
            }
        }
        if is_on_demand && let Some(&last) = names.last() {
            // What is imported on demand is seen when nothing else in the file has the name, as if the file
            // inherited it.
            self.builder.inherit(file, last);
        }
        self.all_outside(path);
        true
    }
}

/// A call that the number of its arguments does not decide.
struct Overloaded<'p> {
    pending: Pending<'p>,
    symbol: SymbolId,
    overloads: Vec<Overload<'p>>,
}

/// One declaration of a method.
struct Overload<'p> {
    parameters: Option<Node<'p>>,
    /// Does it hide or override a method from elsewhere that has the same parameters?
    wins: bool,
}

impl Overload<'_> {
    fn count(&self, kind: Kind) -> usize {
        self.parameters.map_or(0, |list| list.children().filter(|child| child.kind() == kind).count())
    }

    fn takes_exactly(&self, count: usize) -> bool {
        self.count(Kind::SpreadParameter) == 0 && self.count(Kind::FormalParameter) == count
    }

    fn takes(&self, count: usize) -> bool {
        let is_variable = self.count(Kind::SpreadParameter) > 0;
        self.takes_exactly(count) || is_variable && self.count(Kind::FormalParameter) <= count
    }
}

/// The package and the last word of a qualified name.
fn divided(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}
