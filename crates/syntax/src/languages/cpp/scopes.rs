//! Names of C++: what it adds to C.
//!
//! All names of C++ share one space but labels; the names of classes and enums are in the space of tags
//! as well, where `struct stat` finds them behind a function `stat`. A class sees its members in its whole
//! body, and a definition outside of it sees them too: its function's scope lies within the class's.

use crate::kind::{Field, Kind};
use crate::languages::c::scopes::{Declaring, Sort, VALUES, Walk};
use crate::languages::cpp::facts::FACTS;
use crate::scopes::builder::{Builder, Space, Spaces};
use crate::scopes::{ScopeId, ScopeKind, SymbolId, SymbolKind, Target};
use crate::tree::Node;

/// The spaces in which a base class from elsewhere may have members.
const MEMBERS: Spaces = Spaces::of(&[Space::Value, Space::Type]);

/// Declares and mentions every name of a C++ program.
pub(crate) fn walk(builder: &mut Builder<'_>) {
    Walk::new(builder, true).run();
}

/// The kinds of nodes that C does not have.
pub(crate) fn visit<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) {
    match node.kind() {
        Kind::NamespaceIdentifier => walk.mention(node),
        Kind::QualifiedIdentifier => qualified(walk, node, None),
        Kind::TemplateDeclaration => template_declaration(walk, node),
        Kind::TypeParameterDeclaration
        | Kind::OptionalTypeParameterDeclaration
        | Kind::VariadicTypeParameterDeclaration => type_parameter(walk, node),
        Kind::TemplateTemplateParameterDeclaration => template_template_parameter(walk, node),
        Kind::OptionalParameterDeclaration | Kind::VariadicParameterDeclaration => {
            walk.declare_all(node, Sort::Parameter);
        }
        Kind::NamespaceDefinition => namespace_definition(walk, node),
        Kind::NamespaceAliasDefinition => namespace_alias(walk, node),
        Kind::UsingDeclaration => using_declaration(walk, node),
        Kind::AliasDeclaration => {
            walk.visit_children_but(node, Field::Name);
            if let Some(name) = node.child(Field::Name) {
                walk.declare_name(name, &mut Declaring { from: name.end(), ..Declaring::new(Sort::Typedef) });
            }
        }
        Kind::ConceptDefinition => {
            if let Some(name) = node.child(Field::Name) {
                walk.declare_name(name, &mut Declaring::new(Sort::Typedef));
            }
            walk.visit_children_but(node, Field::Name);
        }
        Kind::FriendDeclaration => {
            for child in node.children() {
                walk.is_friend = matches!(child.kind(), Kind::Declaration | Kind::FunctionDefinition);
                walk.visit(child);
                walk.is_friend = false;
            }
        }
        Kind::ExpressionStatement => {
            for name in declared_by_call(walk, node) {
                let scope = walk.builder.current();
                walk.declare_in(name, SymbolKind::Local, scope, Space::Value, name.end());
            }
            walk.visit_children(node);
        }
        Kind::Enumerator => enumerator(walk, node),
        Kind::FieldInitializer => field_initializer(walk, node),
        Kind::LambdaExpression => lambda(walk, node),
        Kind::ForRangeLoop => for_range_loop(walk, node),
        Kind::IfStatement | Kind::WhileStatement | Kind::SwitchStatement => {
            let declares = node.child(Field::Condition).is_some_and(|condition| {
                condition.children().any(|part| matches!(part.kind(), Kind::InitStatement | Kind::Declaration))
            });
            if declares { walk.visit_in_block(node) } else { walk.visit_children(node) }
        }
        Kind::CatchClause | Kind::RequiresExpression => walk.visit_in_block(node),
        _ => walk.visit_children(node),
    }
}

/// The kinds of declarators that C does not have.
pub(crate) fn declarator<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>, declaring: &mut Declaring<'p>) {
    match node.kind() {
        Kind::ReferenceDeclarator | Kind::VariadicDeclarator => {
            declaring.is_function = false;
            for child in node.named_children() {
                walk.declarator(child, declaring);
            }
        }
        Kind::StructuredBindingDeclarator => {
            for name in node.named_children() {
                walk.declare_name(name, declaring);
            }
        }
        Kind::TemplateFunction | Kind::TemplateMethod => {
            for child in node.children() {
                match child.role() {
                    Field::Name => walk.declarator(child, declaring),
                    _ => walk.visit(child),
                }
            }
        }
        Kind::PointerTypeDeclarator => {
            declaring.is_function = false;
            node.children_at(Field::Declarator).for_each(|inner| walk.declarator(inner, declaring));
        }
        Kind::DestructorName => {
            let class = class_around(walk);
            for name in node.named_children() {
                let spelling =
                    |class: SymbolId| walk.builder.program.node(walk.builder.symbol(class).declaration).text();
                match class {
                    Some(class) if spelling(class) == name.text() => {
                        walk.builder.refer(name, Target::Symbol(class), false);
                    }
                    // No compiler takes a destructor of another name.
                    Some(_) => walk.builder.refer(name, Target::Unknown, false),
                    None => walk.mention(name),
                }
            }
        }
        Kind::QualifiedIdentifier => defined_elsewhere(walk, node, declaring),
        Kind::OperatorName => {}
        _ => walk.visit(node),
    }
}

/// The type whose body the walk is in.
pub(crate) fn class_around(walk: &Walk<'_, '_>) -> Option<SymbolId> {
    walk.builder.tables().scope(walk.declaring_scope()).owner
}

/// `a::b` as a use. `receiver` is what stands before it.
fn qualified<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>, receiver: Option<Node<'p>>) {
    let Some(name) = node.child(Field::Name) else { return walk.visit_children(node) };
    match qualifier(walk, node, receiver) {
        Some(scope) => member(walk, name, scope),
        // `::name` is looked up in the whole input.
        None => {
            let file = walk.nearest(&[ScopeKind::File]);
            let back = walk.builder.resume(file);
            walk.visit(name);
            walk.builder.resume(back);
        }
    }
}

/// Mentions what stands before the `::`, and gives the node whose type has the members.
fn qualifier<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>, receiver: Option<Node<'p>>) -> Option<Node<'p>> {
    let scope = node.child(Field::Scope)?;
    let scope = match scope.kind() {
        Kind::DependentName => scope.named_children().next().unwrap_or(scope),
        _ => scope,
    };
    match receiver {
        Some(receiver) => member(walk, scope, receiver),
        None => walk.visit(scope),
    }
    Some(match scope.kind() {
        Kind::TemplateType => scope.child(Field::Name).unwrap_or(scope),
        _ => scope,
    })
}

/// A member of `receiver`, which is an expression before a dot or an arrow, or a name before `::`.
pub(crate) fn member<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>, receiver: Node<'p>) {
    match node.kind() {
        kind if kind.is_identifier() => match walk.macro_meant(node) {
            Some(target) => walk.builder.refer(node, target, false),
            None => walk.builder.mention_member(node, receiver, VALUES),
        },
        Kind::TemplateType | Kind::TemplateFunction | Kind::TemplateMethod => {
            for child in node.children() {
                match child.role() {
                    Field::Name => member(walk, child, receiver),
                    _ => walk.visit(child),
                }
            }
        }
        Kind::DependentName => {
            for child in node.named_children() {
                member(walk, child, receiver);
            }
        }
        // `p->Base::f()` starts a search of its own.
        Kind::QualifiedIdentifier if receiver.parent().is_some_and(|parent| parent.kind() == Kind::FieldExpression) => {
            qualified(walk, node, None);
        }
        Kind::QualifiedIdentifier => qualified(walk, node, Some(receiver)),
        // `A::~A` names the class once more, and so does `p->~A()`.
        Kind::DestructorName => {
            for name in node.named_children() {
                match receiver.kind() == Kind::NamespaceIdentifier {
                    true => walk.builder.mention_member(name, receiver, VALUES),
                    false => walk.mention(name),
                }
            }
        }
        _ => walk.visit(node),
    }
}

/// What a name stands for by the declarations above it; the last name of `a::b`.
fn meaning<'p>(walk: &Walk<'_, 'p>, node: Node<'p>) -> Option<SymbolId> {
    match node.kind() {
        Kind::TemplateType | Kind::TemplateFunction => meaning(walk, node.child(Field::Name)?),
        Kind::QualifiedIdentifier => {
            let inner = node.child(Field::Name)?;
            match node.child(Field::Scope) {
                None => walk.meaning(last_name(inner)?),
                Some(scope) => member_meant(walk, meaning(walk, scope)?, inner),
            }
        }
        Kind::NestedNamespaceSpecifier => {
            let mut names = node.descendants().filter(|name| name.kind() == Kind::NamespaceIdentifier);
            let first = walk.meaning(names.next()?);
            names.fold(first, |scope, name| member_meant(walk, scope?, name))
        }
        kind if kind.is_identifier() => walk.meaning(node),
        _ => None,
    }
}

fn member_meant<'p>(walk: &Walk<'_, 'p>, scope: SymbolId, name: Node<'p>) -> Option<SymbolId> {
    let members = walk.builder.symbol(scope).members?;
    match name.kind() {
        Kind::QualifiedIdentifier => {
            let next = member_meant(walk, scope, name.child(Field::Scope)?)?;
            member_meant(walk, next, name.child(Field::Name)?)
        }
        _ => walk.builder.member_of(members, last_name(name)?.text(), VALUES),
    }
}

/// The identifier of a plain name, of a template's name, and the last one of a qualified name.
fn last_name(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        kind if kind.is_identifier() => Some(node),
        Kind::NestedNamespaceSpecifier => {
            node.descendants().filter(|name| name.kind() == Kind::NamespaceIdentifier).last()
        }
        _ => last_name(node.child(Field::Name)?),
    }
}

/// `void A::f()`, `int A::count`: the member is declared once more, and what follows sees the class.
fn defined_elsewhere<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>, declaring: &mut Declaring<'p>) {
    walk.is_friend = false;
    let mut qualified = node;
    let mut receiver = None;
    let mut home = None;
    let mut is_first = true;
    loop {
        let scope = qualified.child(Field::Scope);
        home = match (scope, is_first) {
            (Some(scope), true) => meaning(walk, scope),
            (Some(scope), false) => home.and_then(|home| member_meant(walk, home, scope)),
            (None, _) => None,
        };
        is_first = false;
        receiver = qualifier(walk, qualified, receiver);
        match qualified.child(Field::Name) {
            Some(inner) if inner.kind() == Kind::QualifiedIdentifier => qualified = inner,
            _ => break,
        }
    }
    let Some(name) = qualified.child(Field::Name) else { return };
    if name.kind() == Kind::PointerTypeDeclarator {
        // A pointer to a member is a variable of the scope around it.
        return declarator(walk, name, declaring);
    }
    let Some(receiver) = receiver else { return walk.declarator(name, declaring) };
    let members = home.and_then(|home| walk.builder.symbol(home).members);
    declaring.home = Some(members.unwrap_or_else(|| {
        // The class is not here: its members may hide every name around it.
        let scope = walk.builder.enter(ScopeKind::Type, node);
        walk.builder.open(scope, MEMBERS);
        walk.builder.leave();
        scope
    }));
    if name.kind() == Kind::OperatorCast {
        return walk.visit(name);
    }
    let known = members.and_then(|members| walk.builder.member_of(members, last_name(name)?.text(), VALUES));
    match (known, last_name(name)) {
        (Some(symbol), Some(identifier)) => {
            // The name of a constructor is that of the class.
            let declares = walk.builder.symbol(symbol).kind != SymbolKind::Type;
            walk.builder.refer(identifier, Target::Symbol(symbol), declares);
            if declares {
                declaring.symbol.get_or_insert(symbol);
            }
            // The arguments of a specialisation.
            walk.visit(name);
        }
        _ => member(walk, name, receiver),
    }
}

/// Is `Foo bar(x);` the definition of a variable, since `x` is not a type?
pub(crate) fn is_variable_with_arguments<'p>(walk: &Walk<'_, 'p>, node: Node<'p>, declaring: &Declaring<'p>) -> bool {
    let Some(parameters) = node.child(Field::Parameters).filter(|_| declaring.sort == Sort::Variable) else {
        return false;
    };
    if parameters.descendants().any(|part| part.kind() == Kind::TypeIdentifier && is_word_of_expressions(part.text())) {
        return true;
    }
    let mut is_undecided = false;
    for parameter in parameters.named_children() {
        let Some(named) = parameter.child(Field::Type).filter(|_| parameter.kind() == Kind::ParameterDeclaration)
        else {
            return false;
        };
        let symbol = match named.kind() {
            Kind::TypeIdentifier | Kind::QualifiedIdentifier | Kind::TemplateType => meaning(walk, named),
            _ => return false,
        };
        match symbol.map(|symbol| walk.builder.symbol(symbol).kind) {
            Some(SymbolKind::Type | SymbolKind::Namespace) => return false,
            Some(SymbolKind::Macro) | None => is_undecided |= parameter.child(Field::Declarator).is_none(),
            Some(_) => return true,
        }
        if parameter.child(Field::Declarator).is_some_and(|declarator| last_declared(declarator).is_some()) {
            // `Foo f(Bar x)`: a type and a name.
            if symbol.is_none() {
                return false;
            }
        }
    }
    // Functions are seldom declared within functions.
    is_undecided && matches!(walk.declaring_kind(), ScopeKind::Function | ScopeKind::Block)
}

/// In `locale l(locale::classic(), new Facet);` the grammar reads `new` as a type.
/// These keywords are never types.
fn is_word_of_expressions(word: &str) -> bool {
    matches!(
        word,
        "new"
            | "delete"
            | "this"
            | "sizeof"
            | "alignof"
            | "typeid"
            | "throw"
            | "noexcept"
            | "true"
            | "false"
            | "nullptr"
    )
}

fn last_declared(declarator: Node<'_>) -> Option<Node<'_>> {
    declarator.descendants().find(|name| name.kind() == Kind::Identifier)
}

/// Mentions the names of something that looks like a declaration and is an expression.
pub(crate) fn mention_all<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) {
    match node.kind() {
        Kind::ParameterList
        | Kind::ParameterDeclaration
        | Kind::OptionalParameterDeclaration
        | Kind::FunctionDeclarator
        | Kind::PointerDeclarator
        | Kind::ReferenceDeclarator
        | Kind::ArrayDeclarator
        | Kind::ParenthesizedDeclarator
        | Kind::InitDeclarator
        | Kind::AbstractFunctionDeclarator
        | Kind::AbstractParenthesizedDeclarator
        | Kind::AbstractPointerDeclarator
        | Kind::AbstractReferenceDeclarator
        | Kind::AbstractArrayDeclarator => {
            for child in node.children() {
                mention_all(walk, child);
            }
        }
        _ => walk.visit(node),
    }
}

/// `char (*p)[81], *q;` and `int (x) = 3;` declare variables, but the grammar reads calls.
fn declared_by_call<'p>(walk: &Walk<'_, 'p>, statement: Node<'p>) -> Vec<Node<'p>> {
    let Some(mut first) = statement.named_children().next() else { return Vec::new() };
    let mut further = None;
    if first.kind() == Kind::CommaExpression {
        further = first.child(Field::Right);
        let Some(left) = first.child(Field::Left) else { return Vec::new() };
        first = left;
    }
    let mut names: Vec<Node<'p>> = declared_by_type_and_call(walk, first).into_iter().collect();
    while let Some(node) = further.take().filter(|_| !names.is_empty()) {
        let mut declarator = Some(node);
        if node.kind() == Kind::CommaExpression {
            declarator = node.child(Field::Left);
            further = node.child(Field::Right);
        }
        names.extend(declarator.and_then(declared_by_expression).filter(|&name| walk.macro_meant(name).is_none()));
    }
    names
}

fn declared_by_type_and_call<'p>(walk: &Walk<'_, 'p>, expression: Node<'p>) -> Option<Node<'p>> {
    let mut node = expression;
    let call = loop {
        node = match node.kind() {
            Kind::AssignmentExpression => node.child(Field::Left)?,
            Kind::SubscriptExpression => node.child(Field::Argument)?,
            Kind::CallExpression => {
                let function = node.child(Field::Function)?;
                let is_type = match function.kind() {
                    Kind::PrimitiveType => true,
                    Kind::Identifier => walk
                        .meaning(function)
                        .is_some_and(|symbol| walk.builder.symbol(symbol).kind == SymbolKind::Type),
                    _ => false,
                };
                if is_type {
                    break node;
                }
                function
            }
            _ => return None,
        };
    };
    let mut arguments = call.child(Field::Arguments)?.named_children();
    let name = declared_by_expression(arguments.next().filter(|_| arguments.next().is_none())?)?;
    let is_in_function = matches!(walk.declaring_kind(), ScopeKind::Function | ScopeKind::Block);
    (is_in_function && walk.macro_meant(name).is_none()).then_some(name)
}

/// The name that an expression would declare if it was a declarator.
fn declared_by_expression(expression: Node<'_>) -> Option<Node<'_>> {
    match expression.kind() {
        Kind::Identifier => Some(expression),
        Kind::AssignmentExpression => declared_by_expression(expression.child(Field::Left)?),
        Kind::SubscriptExpression | Kind::PointerExpression => {
            declared_by_expression(expression.child(Field::Argument)?)
        }
        Kind::ParenthesizedExpression => declared_by_expression(expression.named_children().next()?),
        _ => None,
    }
}

/// `EACH(x, list) { … }` in a function: the grammar takes it for a constructor's definition.
pub(crate) fn is_macro_statement<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) -> bool {
    let declarator = node.child(Field::Declarator).filter(|declarator| declarator.kind() == Kind::FunctionDeclarator);
    let name = declarator.and_then(|declarator| declarator.child(Field::Declarator));
    let arguments = declarator.and_then(|declarator| declarator.child(Field::Parameters));
    let (Some(name), Some(arguments)) = (name.filter(|name| name.kind() == Kind::Identifier), arguments) else {
        return false;
    };
    let is_in_function = matches!(walk.declaring_kind(), ScopeKind::Function | ScopeKind::Block);
    if node.child(Field::Type).is_some() || !(is_in_function || walk.macro_meant(name).is_some()) {
        return false;
    }
    let doubtful = walk.doubtful.len();
    walk.builder.enter(ScopeKind::Block, node);
    walk.mention(name);
    if walk.macro_meant(name).is_none() {
        walk.doubt_first(name, arguments);
    }
    walk.macro_arguments(name.text(), arguments);
    for child in node.children().filter(|child| child.role() != Field::Declarator) {
        walk.visit(child);
    }
    walk.builder.leave();
    walk.doubtful.truncate(doubtful);
    true
}

fn template_declaration<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) {
    let outer = walk.template_parameters.len();
    walk.builder.enter(ScopeKind::Type, node);
    for child in node.children() {
        walk.visit(child);
        if child.role() == Field::Parameters {
            for value in child.descendants().filter(|name| name.kind() == Kind::Identifier) {
                let reference = walk.builder.tables().reference_at(value).filter(|reference| reference.declares);
                if let Some(Target::Symbol(symbol)) = reference.map(|reference| reference.target) {
                    walk.template_parameters.push((value, symbol));
                }
            }
        }
    }
    walk.builder.leave();
    walk.template_parameters.truncate(outer);
}

fn type_parameter<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) {
    for child in node.children() {
        match child.kind() {
            Kind::TypeIdentifier if child.role() != Field::DefaultType => {
                let scope = walk.builder.current();
                let symbol = walk.declare_in(child, SymbolKind::Type, scope, Space::Value, child.end());
                walk.template_parameters.push((child, symbol));
            }
            _ => walk.visit(child),
        }
    }
}

fn template_template_parameter<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) {
    walk.builder.enter(ScopeKind::Type, node);
    let outer = walk.template_parameters.len();
    node.children_at(Field::Parameters).for_each(|parameters| walk.visit(parameters));
    walk.template_parameters.truncate(outer);
    walk.builder.leave();
    walk.visit_children_but(node, Field::Parameters);
}

/// What stands within a class that is named from outside sees the template's parameters of that place.
pub(crate) fn bind_template_parameters(walk: &mut Walk<'_, '_>, scope: ScopeId, node: Node<'_>) {
    for index in 0..walk.template_parameters.len() {
        let (name, symbol) = walk.template_parameters[index];
        walk.builder.bind(name.text(), symbol, scope, Space::Value, node.start()..node.end());
    }
}

/// The class that a body belongs to whose name is qualified or has template arguments.
pub(crate) fn type_defined_elsewhere<'p>(walk: &mut Walk<'_, 'p>, name: Node<'p>) -> Option<SymbolId> {
    let symbol = meaning(walk, name).filter(|&symbol| walk.builder.symbol(symbol).kind == SymbolKind::Type);
    if let (Some(symbol), Some(identifier)) = (symbol, last_name(name)) {
        walk.builder.refer(identifier, Target::Symbol(symbol), true);
    }
    walk.visit(name);
    symbol
}

/// The name of a class is one of its members, and its bases have members for it.
pub(crate) fn class_head<'p>(
    walk: &mut Walk<'_, 'p>,
    node: Node<'p>,
    scope: ScopeId,
    symbol: Option<SymbolId>,
    is_known: bool,
) {
    if is_known {
        bind_template_parameters(walk, scope, node);
    }
    if let (Some(symbol), Some(name)) = (symbol, node.child(Field::Name).and_then(last_name)) {
        walk.builder.bind(name.text(), symbol, scope, Space::Value, 0..usize::MAX);
    }
    let Some(bases) = node.child_of_kind(Kind::BaseClassClause) else { return };
    for base in bases.children() {
        if !matches!(base.kind(), Kind::TypeIdentifier | Kind::TemplateType | Kind::QualifiedIdentifier) {
            walk.visit(base);
            continue;
        }
        let known = meaning(walk, base).filter(|&base| walk.builder.symbol(base).members.is_some());
        match (known, last_name(base)) {
            (Some(known), Some(name)) => {
                walk.builder.refer(name, Target::Symbol(known), false);
                walk.builder.inherit(scope, name);
            }
            _ => walk.builder.open(scope, MEMBERS),
        }
        walk.visit(base);
    }
}

/// The constants of an enum are members of it, and without `class` also names of the scope around it.
pub(crate) fn enumerators<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>, body: Node<'p>, symbol: Option<SymbolId>) {
    let scope = walk.builder.enter(ScopeKind::Type, node);
    if let Some(symbol) = symbol {
        walk.builder.own(scope, symbol);
    }
    walk.visit(body);
    walk.builder.leave();
}

fn enumerator<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) {
    walk.visit_children_but(node, Field::Name);
    let Some(name) = node.child(Field::Name) else { return };
    if let Some(target) = walk.macro_meant(name) {
        return walk.builder.refer(name, target, false);
    }
    let scope = walk.builder.current();
    let specifier = walk.builder.program.node(walk.builder.tables().scope(scope).node);
    if specifier.has_token("class") || specifier.has_token("struct") {
        walk.declare_in(name, SymbolKind::Field, scope, Space::Value, 0);
        return;
    }
    walk.builder.leave();
    let around = walk.declaring_scope();
    let (kind, from) = match walk.declaring_kind() {
        ScopeKind::Type => (SymbolKind::Field, 0),
        ScopeKind::File | ScopeKind::Namespace => (SymbolKind::Global, 0),
        ScopeKind::Function | ScopeKind::Block => (SymbolKind::Local, node.end()),
    };
    let symbol = walk.declare_in(name, kind, around, Space::Value, from);
    walk.builder.resume(scope);
    walk.builder.bind(name.text(), symbol, scope, Space::Value, 0..usize::MAX);
}

fn namespace_definition<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) {
    let back = walk.builder.current();
    if let Some(name) = node.child(Field::Name) {
        // `namespace a::b` is one namespace in the other.
        let inline = last_name(name).filter(|_| node.has_token("inline"));
        for identifier in name.descendants().filter(|name| name.kind() == Kind::NamespaceIdentifier) {
            match walk.builder.owner(walk.builder.current()).filter(|_| inline == Some(identifier)) {
                // What an inline namespace has belongs to the one around it as well: overloads of both are one function.
                Some(around) => join_namespace(walk, identifier, around),
                None => enter_namespace(walk, node, identifier),
            }
        }
        if let Some(identifier) = inline.filter(|_| walk.builder.current() != back) {
            walk.builder.inherit(back, identifier);
        }
    }
    // The names of a namespace without a name are names of the scope around it.
    walk.visit_children_but(node, Field::Name);
    walk.builder.resume(back);
}

fn enter_namespace<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>, name: Node<'p>) {
    let around = walk.builder.current();
    let symbol = walk.declare_in(name, SymbolKind::Namespace, around, Space::Value, 0);
    match walk.builder.symbol(symbol).members {
        Some(scope) => _ = walk.builder.resume(scope),
        None => {
            let scope = walk.builder.enter(ScopeKind::Namespace, node);
            walk.builder.own(scope, symbol);
        }
    }
}

/// Declares a namespace whose names are those of the one around it.
fn join_namespace<'p>(walk: &mut Walk<'_, 'p>, name: Node<'p>, around: SymbolId) {
    let scope = walk.builder.current();
    let symbol = walk.declare_in(name, SymbolKind::Namespace, scope, Space::Value, 0);
    walk.builder.own(scope, symbol);
    // The owner stays the namespace around.
    walk.builder.own(scope, around);
}

fn namespace_alias<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) {
    let (Some(name), Some(target)) =
        (node.child(Field::Name), node.named_children().find(|child| child.role() != Field::Name))
    else {
        return;
    };
    let known = meaning(walk, target);
    let names: Vec<Node<'p>> = target.descendants().filter(|name| name.kind() == Kind::NamespaceIdentifier).collect();
    for (index, &part) in names.iter().enumerate() {
        match index {
            0 => walk.mention(part),
            _ => walk.builder.mention_member(part, names[index - 1], VALUES),
        }
    }
    let scope = walk.builder.current();
    let alias = walk.declare_in(name, SymbolKind::Namespace, scope, Space::Value, 0);
    if let Some((known, members)) = known.and_then(|known| Some((known, walk.builder.symbol(known).members?))) {
        walk.builder.own(members, alias);
        // The owner stays the namespace itself.
        walk.builder.own(members, known);
    }
}

fn using_declaration<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) {
    let Some(named) = node.named_children().next() else { return };
    let known = meaning(walk, named);
    let scope = walk.builder.current();
    if let (Some(symbol), Some(name)) = (known, last_name(named)) {
        walk.builder.refer(name, Target::Symbol(symbol), false);
        if node.has_token("namespace") || node.has_token("enum") {
            walk.builder.inherit(scope, name);
        } else {
            walk.builder.bind(name.text(), symbol, scope, Space::Value, 0..usize::MAX);
        }
    }
    walk.uses_library |= node.has_token("namespace") && named.text() == "std";
    walk.visit(named);
}

/// May a call of this name mean a function that the scopes do not show? The types of its arguments may
/// lead to a namespace, or choose an overload of the standard library.
pub(crate) fn may_mean_another<'p>(walk: &Walk<'_, 'p>, name: Node<'p>) -> bool {
    let text = name.text();
    let namespaces = walk.namespace_functions.get(text);
    let is_in_library = walk.uses_library && FACTS.reserved.binary_search(&text).is_ok();
    if namespaces.is_none() && !is_in_library {
        return false;
    }
    match walk.meaning(name).map(|symbol| walk.builder.symbol(symbol)) {
        None => namespaces.is_some(),
        // A variable, a member or a declaration within a function is found without a look at the arguments.
        Some(symbol) if symbol.kind != SymbolKind::Function => false,
        Some(symbol) => match walk.builder.tables().scope(symbol.scope).kind {
            ScopeKind::File => is_in_library || namespaces.is_some(),
            ScopeKind::Namespace => namespaces.is_some_and(|all| all.iter().any(|scope| *scope != symbol.scope)),
            ScopeKind::Type | ScopeKind::Function | ScopeKind::Block => false,
        },
    }
}

fn field_initializer<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) {
    for child in node.children() {
        match child.kind() {
            Kind::FieldIdentifier | Kind::TemplateMethod => {
                // A parameter of the same name does not hide the member here.
                let tables = walk.builder.tables();
                let function = walk.nearest(&[ScopeKind::Function]);
                let class = tables.scope(function).parent.unwrap_or(function);
                let back = walk.builder.resume(class);
                if let Some(name) = last_name(child) {
                    walk.mention(name);
                }
                walk.builder.resume(back);
                walk.visit_children_but(child, Field::Name);
            }
            _ => walk.visit(child),
        }
    }
}

fn lambda<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) {
    let scope = walk.builder.enter(ScopeKind::Function, node);
    let outer = std::mem::replace(&mut walk.function, scope);
    for child in node.children() {
        match child.kind() {
            Kind::LambdaCaptureSpecifier => {
                for capture in child.named_children() {
                    match capture.kind() {
                        Kind::LambdaCaptureInitializer => {
                            walk.visit_children_but(capture, Field::Left);
                            if let Some(name) = capture.child(Field::Left) {
                                walk.declare_in(name, SymbolKind::Local, scope, Space::Value, child.end());
                            }
                        }
                        _ => walk.visit(capture),
                    }
                }
            }
            // Parameters and body share the scope of the lambda.
            Kind::AbstractFunctionDeclarator | Kind::CompoundStatement => walk.visit_children(child),
            _ => walk.visit(child),
        }
    }
    walk.function = outer;
    walk.builder.leave();
}

fn for_range_loop<'p>(walk: &mut Walk<'_, 'p>, node: Node<'p>) {
    walk.builder.enter(ScopeKind::Block, node);
    let from = node.child(Field::Body).map_or(node.end(), Node::start);
    for child in node.children() {
        match child.role() {
            Field::Type => _ = walk.specifier(child),
            Field::Declarator => {
                // The range is not yet in the scope of the variable.
                walk.declarator(child, &mut Declaring { from, ..Declaring::new(Sort::Variable) });
            }
            _ => walk.visit(child),
        }
    }
    walk.builder.leave();
}
