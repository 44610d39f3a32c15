//! The names of Java.
//!
//! Four name spaces: variables, methods, types and labels. Members are seen from everywhere in their class,
//! local names from their declaration on, pattern variables where the pattern has certainly matched. The
//! supertypes of all classes are looked up first, since every other look-up goes through what classes
//! inherit.

mod completion;
mod patterns;
mod resolution;

use std::borrow::Cow;
use std::collections::HashSet;

use foldhash::fast::FixedState;

use crate::kind::{Field, Kind};
use crate::languages::java::facts::LibraryType;
use crate::reading::Context;
use crate::scopes::builder::{Builder, Space};
use crate::scopes::{ScopeId, ScopeKind, SymbolId, SymbolKind, Target};
use crate::tree::Node;

const VALUE: &[Space] = &[Space::Value];
const TYPE: &[Space] = &[Space::Type];
const FUNCTION: &[Space] = &[Space::Function];
const LABEL: &[Space] = &[Space::Label];
/// A name before a dot is a variable, else a type, else a package.
const VALUE_OR_TYPE: &[Space] = &[Space::Value, Space::Type];

pub(crate) fn walk(builder: &mut Builder<'_>) {
    let mut walk = Walk {
        file: builder.current(),
        builder,
        top_level_is_members: false,
        class: None,
        classes: Vec::new(),
        imports: Vec::new(),
        seen_imports: HashSet::default(),
        package: None,
        own_imports: Vec::new(),
        qualified_types: Vec::new(),
        entries: Vec::new(),
        member_names: HashSet::default(),
        has_supertypes_around: false,
        values: Vec::new(),
        calls: Vec::new(),
        members: Vec::new(),
        own_members: Vec::new(),
        super_members: Vec::new(),
        annotation_keys: Vec::new(),
        switches: Vec::new(),
    };
    walk.root();
    walk.resolve();
}

struct Walk<'b, 'p> {
    builder: &'b mut Builder<'p>,
    file: ScopeId,
    /// The input is a piece of a class that is not there: its top level is the body of that class.
    top_level_is_members: bool,
    /// The class whose body the walk is in.
    class: Option<usize>,
    classes: Vec<Class<'p>>,
    imports: Vec<Import<'p>>,
    seen_imports: HashSet<Import<'p>, FixedState>,
    package: Option<Cow<'p, str>>,
    /// Imports of something in the package of this input, with their paths.
    own_imports: Vec<(Node<'p>, Node<'p>)>,
    qualified_types: Vec<QualifiedType<'p>>,
    /// Mentions of a type called `Entry`.
    entries: Vec<(Node<'p>, ScopeId)>,
    /// The names that members of this input's classes have.
    member_names: HashSet<(&'p str, Space), FixedState>,
    /// Does a class around the place of the walk have supertypes?
    has_supertypes_around: bool,
    /// Names of variables in classes that have supertypes.
    values: Vec<Pending<'p>>,
    /// Calls of methods without anything before the name.
    calls: Vec<Pending<'p>>,
    /// Names after `this.`.
    own_members: Vec<Pending<'p>>,
    /// Names after `super.`, with the name before `super` when there is one.
    super_members: Vec<(Pending<'p>, Option<Node<'p>>)>,
    /// Names after other expressions, with these.
    members: Vec<(Pending<'p>, Node<'p>)>,
    /// Names before `=` in annotations, with the annotation's name.
    annotation_keys: Vec<(Pending<'p>, Node<'p>)>,
    switches: Vec<Switch<'p>>,
}

/// A class, interface, enum, record, annotation type or anonymous class.
struct Class<'p> {
    kind: Kind,
    /// None for anonymous classes.
    symbol: Option<SymbolId>,
    /// The scope of the body.
    scope: ScopeId,
    /// The scope in which the header's types are looked up.
    header: ScopeId,
    outer: Option<usize>,
    /// The names of the types that are extended or implemented; the first is the superclass if there is one.
    supertypes: Vec<Node<'p>>,
    has_superclass: bool,
    /// The parameters in a record's header.
    components: Vec<Node<'p>>,
    has_resolved_supertypes: bool,
    /// May it inherit fields and methods that we cannot see?
    is_open: bool,
    /// Itself and the classes of this input that it inherits from.
    lineage: Vec<usize>,
    /// The well-known types of the library that it inherits from.
    libraries: Vec<&'static LibraryType>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Import<'p> {
    path: Cow<'p, str>,
    is_static: bool,
    is_on_demand: bool,
}

/// The second and further names of a qualified type.
struct QualifiedType<'p> {
    name: Node<'p>,
    qualifier: Node<'p>,
    scope: ScopeId,
}

/// A name that is looked up in a class when the walk is done.
struct Pending<'p> {
    name: Node<'p>,
    scope: ScopeId,
    class: Option<usize>,
    spaces: &'static [Space],
    /// The arguments when it is called.
    arguments: Option<Node<'p>>,
}

/// The case labels that are single names: constants of an enum, or constant variables.
struct Switch<'p> {
    selector: Node<'p>,
    scope: ScopeId,
    labels: Vec<Node<'p>>,
    /// A label that no switch over an enum can have was seen.
    is_not_over_enum: bool,
}

impl<'p> Walk<'_, 'p> {
    fn root(&mut self) {
        let root = self.builder.program.root();
        self.top_level_is_members = match self.builder.program.context() {
            Context::Members => true,
            Context::File => root.children().any(is_member_of_absent_class),
            Context::Statements => false,
        };
        let is_statements =
            !self.top_level_is_members && root.named_children().any(|child| !is_declaration(child.kind()));
        if is_statements {
            self.builder.enter(ScopeKind::Block, root);
            self.statements(root);
            self.builder.leave();
        } else {
            self.statements(root);
        }
    }

    fn visit(&mut self, node: Node<'p>) {
        match node.kind() {
            Kind::Token => {}
            Kind::Identifier => self.name(node, VALUE),
            Kind::TypeIdentifier => self.type_name(node),
            Kind::ScopedTypeIdentifier | Kind::ScopedIdentifier => self.qualified_type(node),
            Kind::FieldAccess => self.field_access(node, VALUE),
            Kind::MethodInvocation => self.method_invocation(node),
            Kind::MethodReference => self.method_reference(node),
            Kind::LambdaExpression => self.lambda(node),
            Kind::ObjectCreationExpression => self.object_creation(node),
            Kind::BinaryExpression
            | Kind::UnaryExpression
            | Kind::ParenthesizedExpression
            | Kind::InstanceofExpression => {
                self.condition(node);
            }
            Kind::TernaryExpression => self.ternary(node),
            Kind::SwitchExpression => self.switch(node),
            Kind::IfStatement
            | Kind::WhileStatement
            | Kind::DoStatement
            | Kind::ForStatement
            | Kind::LabeledStatement => {
                self.statement(node);
            }
            Kind::Block => {
                self.builder.enter(ScopeKind::Block, node);
                self.statements(node);
                self.builder.leave();
            }
            Kind::ConstructorBody => self.statements(node),
            Kind::EnhancedForStatement => self.enhanced_for(node),
            Kind::TryWithResourcesStatement => self.try_with_resources(node),
            Kind::CatchClause => {
                self.builder.enter(ScopeKind::Block, node);
                self.children(node);
                self.builder.leave();
            }
            Kind::BreakStatement | Kind::ContinueStatement => {
                if let Some(label) = node.child_of_kind(Kind::Identifier) {
                    self.builder.mention(label, LABEL);
                }
            }
            Kind::LocalVariableDeclaration => {
                let is_field = self.top_level_is_members && self.builder.current() == self.file;
                self.variables(node, if is_field { SymbolKind::Field } else { SymbolKind::Local });
            }
            Kind::FieldDeclaration | Kind::ConstantDeclaration => self.variables(node, SymbolKind::Field),
            Kind::FormalParameter | Kind::CatchFormalParameter => self.parameter(node),
            Kind::SpreadParameter => self.variables(node, SymbolKind::Parameter),
            Kind::ReceiverParameter => {
                for child in node.named_children() {
                    match child.kind() {
                        Kind::Identifier => self.builder.mention(child, TYPE),
                        _ => self.visit(child),
                    }
                }
            }
            Kind::Resource => self.resource(node),
            Kind::MethodDeclaration | Kind::AnnotationTypeElementDeclaration => self.method(node),
            Kind::ConstructorDeclaration | Kind::CompactConstructorDeclaration => self.constructor(node),
            Kind::ClassDeclaration
            | Kind::InterfaceDeclaration
            | Kind::EnumDeclaration
            | Kind::RecordDeclaration
            | Kind::AnnotationTypeDeclaration => self.type_declaration(node),
            Kind::EnumConstant => self.enum_constant(node),
            Kind::TypeParameter => self.type_parameter(node),
            Kind::Annotation | Kind::MarkerAnnotation => self.annotation(node),
            Kind::ImportDeclaration => self.import(node),
            Kind::PackageDeclaration => self.package(node),
            Kind::ModuleDeclaration => self.all_outside(node),
            _ => self.children(node),
        }
    }

    fn children(&mut self, node: Node<'p>) {
        for child in node.children() {
            self.visit(child);
        }
    }

    fn all_outside(&mut self, node: Node<'p>) {
        for identifier in node.descendants().filter(|node| node.kind().is_identifier()) {
            self.builder.refer(identifier, Target::Outside, false);
        }
    }

    fn pending(&self, name: Node<'p>, spaces: &'static [Space]) -> Pending<'p> {
        let call = name.parent().filter(|parent| parent.kind() == Kind::MethodInvocation);
        let arguments = call.and_then(|call| call.child(Field::Arguments));
        Pending { name, scope: self.builder.current(), class: self.class, spaces, arguments }
    }

    fn name(&mut self, node: Node<'p>, spaces: &'static [Space]) {
        if self.has_supertypes_around && spaces != TYPE {
            self.values.push(self.pending(node, spaces));
        } else {
            self.builder.mention(node, spaces);
        }
    }

    fn type_name(&mut self, node: Node<'p>) {
        match node.text() {
            "var" => self.builder.refer(node, Target::Outside, false),
            "Entry" => self.entries.push((node, self.builder.current())),
            _ => self.builder.mention(node, TYPE),
        }
    }

    /// A type after a dot; every name but the first is a member of what is before it.
    fn qualified_type(&mut self, node: Node<'p>) {
        let mut qualifier = None;
        for child in node.named_children() {
            match (child.kind(), qualifier) {
                (Kind::TypeIdentifier | Kind::Identifier, Some(qualifier)) => {
                    let scope = self.builder.current();
                    self.qualified_types.push(QualifiedType { name: child, qualifier, scope });
                }
                (Kind::Identifier, None) => self.builder.mention(child, TYPE),
                _ => self.visit(child),
            }
            qualifier = qualifier.or_else(|| name_of_type(child));
        }
    }

    /// An expression before a dot, which may turn out to be a type.
    fn receiver(&mut self, node: Node<'p>, spaces: &'static [Space]) {
        match node.kind() {
            Kind::Identifier => self.name(node, spaces),
            Kind::FieldAccess => self.field_access(node, spaces),
            _ => self.visit(node),
        }
    }

    fn field_access(&mut self, node: Node<'p>, spaces: &'static [Space]) {
        let (Some(object), Some(name)) = (node.child(Field::Object), node.child(Field::Field)) else { return };
        if name.kind() == Kind::This {
            self.receiver(object, TYPE);
        } else {
            self.member(node, object, name, spaces);
        }
    }

    fn method_invocation(&mut self, node: Node<'p>) {
        if let Some(name) = node.child(Field::Name) {
            match node.child(Field::Object) {
                None => self.calls.push(self.pending(name, FUNCTION)),
                Some(object) => self.member(node, object, name, FUNCTION),
            }
        }
        for child in node.children().filter(|child| matches!(child.role(), Field::TypeArguments | Field::Arguments)) {
            self.visit(child);
        }
    }

    fn member(&mut self, node: Node<'p>, object: Node<'p>, name: Node<'p>, spaces: &'static [Space]) {
        let is_super = |child: Node<'p>| child.kind() == Kind::Super;
        match object.kind() {
            Kind::This => self.own_members.push(self.pending(name, spaces)),
            Kind::Super => self.super_members.push((self.pending(name, spaces), None)),
            _ if node.children().any(is_super) => {
                self.receiver(object, TYPE);
                self.super_members.push((self.pending(name, spaces), name_of_type(object)));
            }
            _ => {
                let object_spaces =
                    if spaces.contains(&Space::Type) && spaces.len() == 1 { TYPE } else { VALUE_OR_TYPE };
                self.receiver(object, object_spaces);
                self.members.push((self.pending(name, spaces), object));
            }
        }
    }

    fn method_reference(&mut self, node: Node<'p>) {
        let mut object = None;
        for child in node.named_children() {
            match (object, child.kind()) {
                (None, _) => {
                    self.receiver(child, VALUE_OR_TYPE);
                    object = Some(child);
                }
                (Some(object), Kind::Identifier) => match object.kind() {
                    Kind::This => self.own_members.push(self.pending(child, FUNCTION)),
                    Kind::Super => self.super_members.push((self.pending(child, FUNCTION), None)),
                    _ => self.members.push((self.pending(child, FUNCTION), object)),
                },
                (Some(_), _) => self.visit(child),
            }
        }
    }

    fn lambda(&mut self, node: Node<'p>) {
        let scope = self.builder.enter(ScopeKind::Function, node);
        if let Some(parameters) = node.child(Field::Parameters) {
            match parameters.kind() {
                Kind::Identifier => {
                    self.builder.declare(parameters, SymbolKind::Parameter, scope, Space::Value);
                }
                Kind::InferredParameters => {
                    for name in parameters.named_children().filter(|child| child.kind() == Kind::Identifier) {
                        self.builder.declare(name, SymbolKind::Parameter, scope, Space::Value);
                    }
                }
                _ => self.visit(parameters),
            }
        }
        if let Some(body) = node.child(Field::Body) {
            self.body(body);
        }
        self.builder.leave();
    }

    /// The body of a function, whose block is the function's own scope.
    fn body(&mut self, body: Node<'p>) {
        if body.kind() == Kind::Block { self.statements(body) } else { self.visit(body) }
    }

    fn object_creation(&mut self, node: Node<'p>) {
        let body = node.child_of_kind(Kind::ClassBody);
        let mut outer = None;
        let mut supertypes = Vec::new();
        for child in node.named_children() {
            if child.role() == Field::Type {
                match outer {
                    Some(outer) => self.member_type(child, outer),
                    None if body.is_some() => self.supertype(child, &mut supertypes),
                    None => self.visit(child),
                }
            } else if child.kind() == Kind::ClassBody {
                let class = self.new_class(Kind::ClassBody, None, std::mem::take(&mut supertypes));
                self.class_body(class, child);
            } else {
                if outer.is_none() && child.role() == Field::None && !is_annotation(child.kind()) {
                    outer = Some(child);
                }
                self.visit(child);
            }
        }
    }

    /// The type in `outer.new Inner()`, which is a member of the type of `outer`.
    fn member_type(&mut self, node: Node<'p>, outer: Node<'p>) {
        match node.kind() {
            Kind::TypeIdentifier => self.members.push((self.pending(node, TYPE), outer)),
            Kind::GenericType => {
                for child in node.named_children() {
                    if child.kind() == Kind::TypeIdentifier {
                        self.member_type(child, outer)
                    } else {
                        self.visit(child)
                    }
                }
            }
            _ => self.visit(node),
        }
    }

    fn enhanced_for(&mut self, node: Node<'p>) {
        let scope = self.builder.enter(ScopeKind::Block, node);
        let body = node.child(Field::Body);
        for child in node.named_children() {
            if child.role() == Field::Name && child.kind() == Kind::Identifier {
                // The variable does not hold in the expression that is gone through.
                let holds = body.map_or(node.range(), |body| body.range());
                self.builder.declare_within(child, SymbolKind::Local, scope, Space::Value, holds);
            } else {
                self.visit(child);
            }
        }
        self.builder.leave();
    }

    fn try_with_resources(&mut self, node: Node<'p>) {
        // The resources do not hold in the catch and finally clauses.
        self.builder.enter(ScopeKind::Block, node);
        for child in node.children().filter(|child| matches!(child.role(), Field::Resources | Field::Body)) {
            self.visit(child);
        }
        self.builder.leave();
        for child in node.named_children().filter(|child| child.role() == Field::None) {
            self.visit(child);
        }
    }

    fn resource(&mut self, node: Node<'p>) {
        for child in node.named_children() {
            if child.role() == Field::Name && child.kind() == Kind::Identifier {
                self.local(child);
            } else {
                self.visit(child);
            }
        }
    }

    fn local(&mut self, name: Node<'p>) {
        let scope = self.builder.current();
        self.builder.declare_within(name, SymbolKind::Local, scope, Space::Value, name.start()..usize::MAX);
    }

    fn parameter(&mut self, node: Node<'p>) {
        for child in node.named_children() {
            if child.role() == Field::Name && child.text() == "this" {
                // The grammar takes an annotated receiver for a parameter.
                self.builder.refer(child, Target::Outside, false);
            } else if child.role() == Field::Name && child.kind() == Kind::Identifier {
                let scope = self.builder.current();
                self.builder.declare(child, SymbolKind::Parameter, scope, Space::Value);
            } else {
                self.visit(child);
            }
        }
    }

    /// The variables of a declaration: locals, fields, or one variable parameter.
    fn variables(&mut self, node: Node<'p>, kind: SymbolKind) {
        let scope = self.builder.current();
        let is_private = kind == SymbolKind::Field && has_modifier(node, "private");
        for child in node.named_children() {
            if child.kind() != Kind::VariableDeclarator {
                self.visit(child);
                continue;
            }
            for part in child.named_children() {
                if part.role() == Field::Name {
                    match kind {
                        _ if part.kind() != Kind::Identifier => {}
                        SymbolKind::Local => self.local(part),
                        _ => {
                            let symbol = self.builder.declare(part, kind, scope, Space::Value);
                            if kind == SymbolKind::Field {
                                self.builder.set_inherited(symbol, !is_private);
                                self.member_names.insert((part.text(), Space::Value));
                            }
                        }
                    }
                } else if kind == SymbolKind::Field && part.children().next().is_some() {
                    // A pattern variable in the value must not become a member of the class.
                    self.builder.enter(ScopeKind::Block, part);
                    self.visit(part);
                    self.builder.leave();
                } else {
                    self.visit(part);
                }
            }
        }
    }

    /// Visits an annotation.
    fn annotation(&mut self, node: Node<'p>) {
        let Some(name) = node.child(Field::Name) else { return };
        if name.kind() == Kind::Identifier {
            self.builder.mention(name, TYPE)
        } else {
            self.visit(name)
        }
        for argument in node.child(Field::Arguments).into_iter().flat_map(Node::named_children) {
            if argument.kind() != Kind::ElementValuePair {
                self.visit(argument);
                continue;
            }
            for part in argument.named_children() {
                match (part.role(), name_of_type(name)) {
                    (Field::Key, Some(name)) => self.annotation_keys.push((self.pending(part, FUNCTION), name)),
                    _ => self.visit(part),
                }
            }
        }
    }

    fn package(&mut self, node: Node<'p>) {
        for child in node.named_children() {
            if is_annotation(child.kind()) {
                self.visit(child);
            } else {
                self.package = Some(dotted(child));
                self.all_outside(child);
            }
        }
    }

    fn import(&mut self, node: Node<'p>) {
        let Some(path) = node.named_children().next() else { return };
        let is_static = node.has_token("static");
        let is_on_demand = node.child_of_kind(Kind::Asterisk).is_some();
        let name = dotted(path);
        let is_of_this_package = self.package.as_deref().is_some_and(|package| {
            name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        let import = Import { path: name, is_static, is_on_demand };
        // Every name may be asked against every import, so none is kept twice.
        if self.seen_imports.insert(import.clone()) {
            self.imports.push(import);
        }
        if is_of_this_package {
            self.own_imports.push((node, path));
        } else {
            self.import_from_elsewhere(node, path);
        }
    }

    fn import_from_elsewhere(&mut self, node: Node<'p>, path: Node<'p>) {
        let is_static = node.has_token("static");
        let is_on_demand = node.child_of_kind(Kind::Asterisk).is_some();
        let name = path.child(Field::Name).unwrap_or(path);
        if !is_on_demand && name.kind() == Kind::Identifier {
            // A static import brings the field, the methods and the type of its name, and may be repeated
            // for another class.
            let file = self.file;
            let spaces = if is_static { &[Space::Function, Space::Value, Space::Type][..] } else { TYPE };
            let symbol = self.builder.declare_again(name, SymbolKind::Import, file, spaces[0]);
            for &space in &spaces[1..] {
                self.builder.bind(name.text(), symbol, file, space, 0..usize::MAX);
            }
        }
        self.all_outside(path);
    }
}

// Classes and their members.
impl<'p> Walk<'_, 'p> {
    fn new_class(&mut self, kind: Kind, symbol: Option<SymbolId>, supertypes: Vec<Node<'p>>) -> Class<'p> {
        Class {
            kind,
            symbol,
            scope: self.file,
            header: self.builder.current(),
            outer: self.class,
            supertypes,
            has_superclass: kind == Kind::ClassBody,
            components: Vec::new(),
            has_resolved_supertypes: false,
            is_open: false,
            lineage: Vec::new(),
            libraries: Vec::new(),
        }
    }

    fn type_declaration(&mut self, node: Node<'p>) {
        let (Some(name), Some(body)) = (node.child(Field::Name), node.child(Field::Body)) else { return };
        if let Some(modifiers) = node.child_of_kind(Kind::Modifiers) {
            self.visit(modifiers);
        }
        let scope = self.builder.current();
        let is_local = matches!(self.builder.tables().scope(scope).kind, ScopeKind::Function | ScopeKind::Block);
        let holds = if is_local { name.start()..usize::MAX } else { 0..usize::MAX };
        let symbol = self.builder.declare_within(name, SymbolKind::Type, scope, Space::Type, holds);
        self.builder.set_inherited(symbol, !has_modifier(node, "private"));
        self.member_names.insert((name.text(), Space::Type));
        let type_parameters = node.child(Field::TypeParameters);
        if let Some(type_parameters) = type_parameters {
            // Type parameters are not members, so they have a scope of their own around the body.
            self.builder.enter(ScopeKind::Type, node);
            self.visit(type_parameters);
        }
        let mut supertypes = Vec::new();
        for child in node.named_children() {
            match child.kind() {
                Kind::Superclass | Kind::SuperInterfaces | Kind::ExtendsInterfaces => {
                    self.supertypes(child, &mut supertypes);
                }
                Kind::Permits => self.visit(child),
                _ => {}
            }
        }
        let mut class = self.new_class(node.kind(), Some(symbol), supertypes);
        class.has_superclass = node.child(Field::Superclass).is_some();
        if node.kind() == Kind::RecordDeclaration {
            class.components = node.child(Field::Parameters).into_iter().flat_map(Node::named_children).collect();
        }
        self.class_body(class, body);
        if type_parameters.is_some() {
            self.builder.leave();
        }
    }

    fn supertypes(&mut self, node: Node<'p>, supertypes: &mut Vec<Node<'p>>) {
        for child in node.named_children() {
            if child.kind() == Kind::TypeList {
                self.supertypes(child, supertypes);
            } else {
                self.supertype(child, supertypes);
            }
        }
    }

    /// Notes the name of a supertype, which is looked up before all other names, and visits its arguments.
    fn supertype(&mut self, node: Node<'p>, supertypes: &mut Vec<Node<'p>>) {
        match node.kind() {
            Kind::TypeIdentifier | Kind::ScopedTypeIdentifier => {
                self.arguments_within(node);
                supertypes.push(node);
            }
            Kind::GenericType | Kind::AnnotatedType => {
                for child in node.named_children() {
                    if is_annotation(child.kind()) || child.kind() == Kind::TypeArguments {
                        self.visit(child);
                    } else {
                        self.supertype(child, supertypes);
                    }
                }
            }
            _ => self.visit(node),
        }
    }

    /// Visits the type arguments and annotations in `Outer<A>.Inner`, but not the names.
    fn arguments_within(&mut self, node: Node<'p>) {
        for child in node.named_children() {
            match child.kind() {
                Kind::ScopedTypeIdentifier | Kind::GenericType => self.arguments_within(child),
                Kind::TypeIdentifier => {}
                _ => self.visit(child),
            }
        }
    }

    fn class_body(&mut self, mut class: Class<'p>, body: Node<'p>) {
        let scope = self.builder.enter(ScopeKind::Type, body);
        if let Some(symbol) = class.symbol {
            self.builder.own(scope, symbol);
        }
        class.scope = scope;
        for &component in &class.components {
            self.component(component, scope);
        }
        let around = self.class.replace(self.classes.len());
        let has_supertypes_around = self.has_supertypes_around;
        self.has_supertypes_around |= !class.supertypes.is_empty() || class.kind == Kind::ClassBody;
        self.classes.push(class);
        self.children(body);
        self.class = around;
        self.has_supertypes_around = has_supertypes_around;
        self.builder.leave();
    }

    /// A record's component is a field and the method that reads it.
    fn component(&mut self, node: Node<'p>, scope: ScopeId) {
        let declarator = node.child_of_kind(Kind::VariableDeclarator);
        let name = declarator.unwrap_or(node).child(Field::Name);
        for child in node.named_children().filter(|child| Some(*child) != name && Some(*child) != declarator) {
            self.visit(child);
        }
        if let Some(name) = name.filter(|name| name.kind() == Kind::Identifier) {
            let symbol = self.builder.declare(name, SymbolKind::Field, scope, Space::Value);
            self.builder.bind(name.text(), symbol, scope, Space::Function, 0..usize::MAX);
            self.member_names.insert((name.text(), Space::Value));
            self.member_names.insert((name.text(), Space::Function));
        }
    }

    fn enum_constant(&mut self, node: Node<'p>) {
        let scope = self.builder.current();
        for child in node.named_children() {
            match child.role() {
                Field::Name => {
                    self.builder.declare(child, SymbolKind::Field, scope, Space::Value);
                    self.member_names.insert((child.text(), Space::Value));
                }
                Field::Body => {
                    let enumeration = self.class.and_then(|class| self.classes[class].symbol);
                    let name = enumeration.map(|symbol| self.builder.symbol(symbol).declaration);
                    let supertypes = name.map(|name| self.builder.program.node(name)).into_iter().collect();
                    let class = self.new_class(Kind::EnumConstant, None, supertypes);
                    self.class_body(class, child);
                }
                Field::Arguments => {
                    self.builder.enter(ScopeKind::Block, child);
                    self.visit(child);
                    self.builder.leave();
                }
                _ => self.visit(child),
            }
        }
    }

    fn type_parameter(&mut self, node: Node<'p>) {
        let scope = self.builder.current();
        for child in node.named_children() {
            if child.kind() == Kind::TypeIdentifier {
                self.builder.declare(child, SymbolKind::Type, scope, Space::Type);
            } else {
                self.visit(child);
            }
        }
    }

    fn method(&mut self, node: Node<'p>) {
        let scope = self.builder.current();
        let Some(name) = node.child(Field::Name) else { return };
        let is_static_in_interface = has_modifier(node, "static")
            && self.class.is_some_and(|class| self.classes[class].kind == Kind::InterfaceDeclaration);
        let is_inherited = !is_static_in_interface && !has_modifier(node, "private");
        let is_first = self.builder.bound_in(scope, name.text(), Space::Function).is_none();
        let symbol = self.builder.declare_again(name, SymbolKind::Function, scope, Space::Function);
        self.member_names.insert((name.text(), Space::Function));
        // Overloads are one symbol, which is inherited as soon as one of them is.
        if is_first || is_inherited {
            self.builder.set_inherited(symbol, is_inherited);
        }
        if let Some(modifiers) = node.child_of_kind(Kind::Modifiers) {
            self.visit(modifiers);
        }
        let function = self.builder.enter(ScopeKind::Function, node);
        self.builder.own(function, symbol);
        for child in node.named_children().filter(|child| child.kind() != Kind::Modifiers) {
            match child.role() {
                Field::Name => {}
                Field::Body => self.body(child),
                _ => self.visit(child),
            }
        }
        self.builder.leave();
    }

    fn constructor(&mut self, node: Node<'p>) {
        let class = self.class;
        if let Some(name) = node.child(Field::Name) {
            let symbol = class.and_then(|class| self.classes[class].symbol);
            let is_spelled = |symbol: SymbolId| {
                self.builder.program.node(self.builder.symbol(symbol).declaration).text() == name.text()
            };
            let target = match symbol {
                None => Target::Outside,
                Some(symbol) if is_spelled(symbol) => Target::Symbol(symbol),
                // A method that has lost its result type; no compiler takes it.
                Some(_) => Target::Unknown,
            };
            self.builder.refer(name, target, false);
        }
        self.builder.enter(ScopeKind::Function, node);
        for child in node.named_children() {
            match child.role() {
                Field::Name => {}
                Field::Parameters if class.is_some_and(|class| self.is_canonical(child, class)) => {
                    self.canonical_parameters(child, class);
                }
                Field::Body => self.body(child),
                _ => self.visit(child),
            }
        }
        self.builder.leave();
    }

    /// Does a record's constructor with these parameters take its components one by one?
    fn is_canonical(&self, parameters: Node<'p>, class: usize) -> bool {
        let components = &self.classes[class].components;
        let signature = |parameter: Node<'p>| {
            let declarator = parameter.child_of_kind(Kind::VariableDeclarator).unwrap_or(parameter);
            let type_node = parameter.named_children().find(|child| child.kind() != Kind::Modifiers);
            (type_node.map(Node::text), declarator.child(Field::Name).map(Node::text))
        };
        self.classes[class].kind == Kind::RecordDeclaration
            && parameters.named_children().map(signature).eq(components.iter().map(|&component| signature(component)))
    }

    /// The parameters of the canonical constructor must have the names of the components: they are the same symbols.
    fn canonical_parameters(&mut self, parameters: Node<'p>, class: Option<usize>) {
        let Some(class) = class else { return };
        let record = self.classes[class].scope;
        for parameter in parameters.named_children() {
            let declarator = parameter.child_of_kind(Kind::VariableDeclarator);
            let name = declarator.unwrap_or(parameter).child(Field::Name);
            if let Some(name) = name
                && let Some(symbol) = self.builder.bound_in(record, name.text(), Space::Value)
            {
                let scope = self.builder.current();
                self.builder.refer(name, Target::Symbol(symbol), true);
                self.builder.bind(name.text(), symbol, scope, Space::Value, 0..usize::MAX);
            }
            for child in parameter.named_children().filter(|child| Some(*child) != name && Some(*child) != declarator) {
                self.visit(child);
            }
        }
    }
}

/// The identifier that names a type (or an expression that may be one).
fn name_of_type(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        Kind::TypeIdentifier | Kind::Identifier => Some(node),
        Kind::ScopedTypeIdentifier => node.named_children().filter(|child| child.kind() == Kind::TypeIdentifier).last(),
        Kind::ScopedIdentifier => node.child(Field::Name),
        Kind::FieldAccess => node.child(Field::Field),
        Kind::GenericType => node.named_children().next().and_then(name_of_type),
        Kind::AnnotatedType => node.named_children().last().and_then(name_of_type),
        _ => None,
    }
}

fn is_annotation(kind: Kind) -> bool {
    matches!(kind, Kind::Annotation | Kind::MarkerAnnotation)
}

fn has_modifier(node: Node<'_>, word: &str) -> bool {
    node.child_of_kind(Kind::Modifiers).is_some_and(|modifiers| modifiers.has_token(word))
}

/// Can this stand at the top of a file, outside all classes?
fn is_declaration(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::PackageDeclaration
            | Kind::ImportDeclaration
            | Kind::ModuleDeclaration
            | Kind::ClassDeclaration
            | Kind::InterfaceDeclaration
            | Kind::EnumDeclaration
            | Kind::RecordDeclaration
            | Kind::AnnotationTypeDeclaration
    )
}

/// Does this, at the top of a text, show that the text is a piece of a class?
fn is_member_of_absent_class(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::MethodDeclaration | Kind::ConstructorDeclaration | Kind::FieldDeclaration | Kind::StaticInitializer => {
            true
        }
        Kind::LocalVariableDeclaration => ["public", "protected", "private", "static", "transient", "volatile"]
            .iter()
            .any(|word| has_modifier(node, word)),
        _ => false,
    }
}

/// A qualified name without the white space and comments that may stand between its words.
fn dotted<'p>(name: Node<'p>) -> Cow<'p, str> {
    if name.text().bytes().any(|byte| byte.is_ascii_whitespace() || byte == b'/') {
        let words: Vec<&str> =
            name.descendants().filter(|node| node.kind().is_identifier()).map(|node| node.text()).collect();
        return Cow::Owned(words.join("."));
    }
    Cow::Borrowed(name.text())
}
