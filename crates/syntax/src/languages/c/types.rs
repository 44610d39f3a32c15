//! Types of C and C++.

mod numbers;

use numbers::{common, of_number, of_words, promoted};

use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::scopes::{Scopes, SymbolId, SymbolKind, Target};
use crate::tree::Node;
use crate::types::{Number, Type, of_nested};

/// The type of an expression, of a name, or that a type node stands for.
pub(crate) fn of(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    let is_cpp = node.program().language() == Language::Cpp;
    let at = |field: Field| node.child(field).map_or(Type::Unknown, |child| of_nested(scopes, child, depth));
    match node.kind() {
        Kind::Identifier | Kind::TypeIdentifier | Kind::FieldIdentifier | Kind::NamespaceIdentifier => {
            of_name(scopes, node, depth)
        }
        Kind::NumberLiteral => of_number(node.text()),
        Kind::CharLiteral if node.text().starts_with('\'') => {
            Type::Number(if is_cpp { Number::Char } else { Number::Int })
        }
        Kind::StringLiteral if node.text().starts_with('"') => pointer_to(Type::Number(Number::Char)),
        Kind::ConcatenatedString if node.text().starts_with('"') => pointer_to(Type::Number(Number::Char)),
        Kind::RawStringLiteral if node.text().starts_with('R') => pointer_to(Type::Number(Number::Char)),
        Kind::True | Kind::False if !is_cpp => Type::Number(Number::Int),
        Kind::True | Kind::False if matches!(node.text(), "true" | "false") => Type::Boolean,
        Kind::Null => Type::Null,
        Kind::This => this(scopes, node),
        Kind::ParenthesizedExpression | Kind::ExtensionExpression => {
            let inner = node.named_children().find(|child| child.kind() != Kind::CompoundStatement);
            inner.map_or(Type::Unknown, |inner| of_nested(scopes, inner, depth))
        }
        Kind::AssignmentExpression => at(Field::Left),
        Kind::UpdateExpression => known_operand(at(Field::Argument)),
        Kind::CommaExpression => at(Field::Right),
        Kind::ConditionalExpression => match node.child(Field::Consequence) {
            Some(_) => either(at(Field::Consequence), at(Field::Alternative)),
            None => either(at(Field::Condition), at(Field::Alternative)),
        },
        Kind::CastExpression | Kind::CompoundLiteralExpression => at(Field::Type),
        Kind::SizeofExpression | Kind::AlignofExpression | Kind::OffsetofExpression => {
            Type::Number(Number::PlatformInteger)
        }
        Kind::UnaryExpression => unary(node, at(Field::Argument), is_cpp),
        Kind::BinaryExpression => binary(scopes, node, at(Field::Left), at(Field::Right), is_cpp),
        Kind::PointerExpression if node.child(Field::Operator).is_some_and(|operator| operator.is_token("*")) => {
            element(at(Field::Argument))
        }
        Kind::PointerExpression => match at(Field::Argument) {
            Type::Unknown | Type::Function(_) => Type::Unknown,
            // A class may overload the operator.
            Type::Outside(_) if is_cpp => Type::Unknown,
            known => pointer_to(known),
        },
        Kind::SubscriptExpression => element(at(Field::Argument)),
        Kind::CallExpression => call(scopes, node, depth),
        Kind::FieldExpression => at(Field::Field),
        Kind::NewExpression => match at(Field::Type) {
            Type::Unknown => Type::Unknown,
            _ if makes_pointers(node) => Type::Unknown,
            known => pointer_to(known),
        },
        Kind::InitializerList => initialised(scopes, node, depth),
        Kind::TypeDescriptor => {
            let base = at(Field::Type);
            node.child(Field::Declarator).map_or(base.clone(), |declarator| abstract_type(declarator, base))
        }
        Kind::PrimitiveType | Kind::SizedTypeSpecifier => of_words(node.text()),
        Kind::StructSpecifier | Kind::UnionSpecifier | Kind::ClassSpecifier | Kind::EnumSpecifier => {
            match node.child(Field::Name) {
                Some(name) => of_nested(scopes, name, depth),
                // In C++ it is a type of its own: it becomes a number, but no number becomes it.
                None if node.kind() == Kind::EnumSpecifier => match node.program().language() {
                    Language::Cpp => Type::Unknown,
                    _ => Type::Number(Number::Int),
                },
                None => unnamed(scopes, node),
            }
        }
        Kind::TemplateType | Kind::TemplateFunction | Kind::TemplateMethod => at(Field::Name),
        Kind::QualifiedIdentifier => at(Field::Name),
        Kind::DependentType | Kind::DependentName => Type::Unknown,
        Kind::Decltype => {
            let inner = node.named_children().next();
            inner.map_or(Type::Unknown, |inner| of_nested(scopes, inner, depth))
        }
        _ => Type::Unknown,
    }
}

/// The type whose members the receiver of a member has.
pub(crate) fn of_receiver(scopes: &Scopes, receiver: Node<'_>) -> Type {
    let is_cpp = receiver.program().language() == Language::Cpp;
    let known = crate::types::of(scopes, receiver);
    let access = receiver.parent().filter(|parent| parent.kind() == Kind::FieldExpression);
    let operator = access.and_then(|access| access.child(Field::Operator));
    match (operator.map(Node::text), known) {
        (Some("->"), Type::Pointer(inner) | Type::Array(inner)) => *inner,
        // A type of an absent header may be a pointer; in C++ any class may overload the arrow.
        (Some("->"), Type::Outside(name)) if !is_cpp => Type::Outside(name),
        (Some("->"), _) => Type::Unknown,
        (Some(_), Type::Pointer(_) | Type::Array(_) | Type::Function(_)) => Type::Unknown,
        (Some(_), known) => known,
        // A designator stands for a member of an element, however many arrays are around it.
        (None, mut known) => {
            while let Type::Array(inner) = known {
                known = *inner;
            }
            known
        }
    }
}

fn of_name(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    match scopes.target(node) {
        Some(Target::Symbol(symbol)) => of_symbol(scopes, node, symbol, depth),
        Some(Target::Outside) => of_outside(node),
        Some(Target::Member | Target::Unknown) | None => Type::Unknown,
    }
}

fn of_symbol(scopes: &Scopes, node: Node<'_>, symbol: SymbolId, depth: usize) -> Type {
    let entry = scopes.symbol(symbol);
    let declaration = node.program().node(entry.declaration);
    match entry.kind {
        SymbolKind::Type => type_named(scopes, symbol, declaration, depth),
        SymbolKind::Namespace => {
            match declaration.parent().filter(|parent| parent.kind() == Kind::NamespaceAliasDefinition) {
                None => Type::Declared(symbol),
                Some(alias) => {
                    let named = alias.named_children().find(|child| child.role() != Field::Name);
                    named.map_or(Type::Unknown, |named| last_name(scopes, named, depth))
                }
            }
        }
        SymbolKind::Function => Type::Function(symbol),
        SymbolKind::Macro => of_macro(declaration),
        SymbolKind::Parameter => match declared(scopes, declaration, depth) {
            // An array that is handed over is a pointer.
            Type::Array(inner) => Type::Pointer(inner),
            other => other,
        },
        SymbolKind::Local | SymbolKind::Field | SymbolKind::Global => declared(scopes, declaration, depth),
        SymbolKind::Label | SymbolKind::Import => Type::Unknown,
    }
}

/// The type of the last name of `a::b::c`.
fn last_name(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    let last = node.descendants().filter(|name| name.kind() == Kind::NamespaceIdentifier).last();
    last.map_or(Type::Unknown, |last| of_nested(scopes, last, depth))
}

fn type_named(scopes: &Scopes, symbol: SymbolId, declaration: Node<'_>, depth: usize) -> Type {
    let Some(parent) = declaration.parent() else { return Type::Unknown };
    match parent.kind() {
        Kind::StructSpecifier | Kind::UnionSpecifier | Kind::ClassSpecifier | Kind::EnumSpecifier => {
            Type::Declared(symbol)
        }
        Kind::AliasDeclaration => {
            parent.child(Field::Type).map_or(Type::Unknown, |named| of_nested(scopes, named, depth))
        }
        Kind::TypeParameterDeclaration
        | Kind::OptionalTypeParameterDeclaration
        | Kind::VariadicTypeParameterDeclaration
        | Kind::ConceptDefinition => Type::Unknown,
        _ => declared(scopes, declaration, depth),
    }
}

/// A name that is declared elsewhere: only a name in the place of a type says what it is.
fn of_outside(node: Node<'_>) -> Type {
    let is_cpp = node.program().language() == Language::Cpp;
    match node.kind() {
        Kind::TypeIdentifier => match node.text() {
            "string" if is_cpp => Type::Text,
            text => match of_words(text) {
                Type::Unknown => Type::Outside(text.to_owned()),
                known => known,
            },
        },
        Kind::NamespaceIdentifier => Type::Outside(node.text().to_owned()),
        _ => Type::Unknown,
    }
}

/// A macro that stands for a number or for the words of a type: `#define ll long long`.
fn of_macro(name: Node<'_>) -> Type {
    let Some(definition) = name.parent().filter(|parent| parent.kind() == Kind::PreprocDef) else {
        return Type::Unknown;
    };
    let body = definition.child(Field::Value).map_or("", Node::text).trim();
    if body.starts_with(|first: char| first.is_ascii_digit()) && body.chars().all(|digit| digit.is_ascii_alphanumeric())
    {
        return of_number(body);
    }
    of_words(body)
}

/// The type that a declarator gets from what stands around it.
fn declared(scopes: &Scopes, declarator: Node<'_>, depth: usize) -> Type {
    let Some(depth) = depth.checked_sub(1) else { return Type::Unknown };
    let Some(parent) = declarator.parent() else { return Type::Unknown };
    if declarator.role() == Field::Type {
        return old_style_parameter(scopes, declarator, depth);
    }
    match parent.kind() {
        Kind::PointerDeclarator => match declared(scopes, parent, depth) {
            Type::Unknown => Type::Unknown,
            inner => pointer_to(inner),
        },
        Kind::ArrayDeclarator => Type::Array(Box::new(declared(scopes, parent, depth))),
        Kind::ParenthesizedDeclarator
        | Kind::AttributedDeclarator
        | Kind::ReferenceDeclarator
        | Kind::InitDeclarator => declared(scopes, parent, depth),
        // `Item made(item);` looks like a function, but the tables know that it is not one.
        Kind::FunctionDeclarator
            if scopes
                .symbol_at(declarator)
                .is_some_and(|symbol| matches!(scopes.symbol(symbol).kind, SymbolKind::Local | SymbolKind::Global)) =>
        {
            declared(scopes, parent, depth)
        }
        Kind::Declaration | Kind::FieldDeclaration | Kind::ParameterDeclaration | Kind::TypeDefinition
            if parent.descendants().any(makes_another_type) =>
        {
            Type::Unknown
        }
        Kind::Declaration
        | Kind::FieldDeclaration
        | Kind::ParameterDeclaration
        | Kind::OptionalParameterDeclaration
        | Kind::TypeDefinition
        | Kind::FunctionDefinition
        | Kind::ForRangeLoop => match parent.child(Field::Type) {
            Some(auto) if auto.kind() == Kind::PlaceholderTypeSpecifier => evident(scopes, parent, declarator, depth),
            Some(named) => {
                let is_typedef = parent.kind() == Kind::TypeDefinition;
                let is_unnamed = named.child(Field::Name).is_none() && named.child(Field::Body).is_some();
                match scopes.symbol_at(declarator) {
                    // The typedef is the only name of the type.
                    Some(symbol) if is_typedef && is_unnamed && named.kind() != Kind::EnumSpecifier => {
                        Type::Declared(first_declared(scopes, parent).unwrap_or(symbol))
                    }
                    _ => of_nested(scopes, named, depth),
                }
            }
            None => Type::Unknown,
        },
        Kind::LambdaCaptureInitializer => {
            parent.child(Field::Right).map_or(Type::Unknown, |value| of_nested(scopes, value, depth))
        }
        Kind::Enumerator => enumerator(scopes, parent),
        Kind::ParameterList => old_style_parameter(scopes, declarator, depth),
        _ => Type::Unknown,
    }
}

/// Is this `new T *[n]`, whose asterisk has no node?
fn makes_pointers(made: Node<'_>) -> bool {
    let after = made.child(Field::Type).map(|named| named.range().end - made.range().start);
    after.is_some_and(|after| made.text()[after..].trim_start().starts_with('*'))
}

/// `__attribute__((vector_size(16)))` turns the type into a vector, and `mode(DI)` into another number.
fn makes_another_type(node: Node<'_>) -> bool {
    let is_attribute = matches!(node.kind(), Kind::AttributeSpecifier | Kind::AttributeDeclaration);
    is_attribute && ["vector", "mode"].iter().any(|word| node.text().contains(word))
}

/// The type of a parameter of a K&R definition stands below the list.
fn old_style_parameter(scopes: &Scopes, parameter: Node<'_>, depth: usize) -> Type {
    let function = parameter.ancestors().find(|around| around.kind() == Kind::FunctionDefinition);
    let declarations = function.into_iter().flat_map(Node::named_children);
    let mut names = declarations
        .filter(|child| child.kind() == Kind::Declaration)
        .flat_map(|child| child.children_at(Field::Declarator))
        .flat_map(Node::descendants)
        .filter(|name| name.kind() == Kind::Identifier && name.text() == parameter.text());
    names.next().map_or(Type::Number(Number::Int), |name| declared(scopes, name, depth))
}

/// The type of `auto`: that of the initialiser, or of the elements of the array that a loop goes over.
fn evident(scopes: &Scopes, declaration: Node<'_>, declarator: Node<'_>, depth: usize) -> Type {
    if declaration.kind() == Kind::ForRangeLoop {
        let over = declaration.child(Field::Right).map_or(Type::Unknown, |over| of_nested(scopes, over, depth));
        return match over {
            Type::Array(inner) => *inner,
            _ => Type::Unknown,
        };
    }
    let is_plain = |declarator: Node<'_>| {
        matches!(declarator.kind(), Kind::Identifier | Kind::ReferenceDeclarator)
            && !declarator.descendants().any(|part| part.kind() == Kind::StructuredBindingDeclarator)
    };
    let (name, value) = match declarator.kind() {
        Kind::InitDeclarator => (declarator.child(Field::Declarator), declarator.child(Field::Value)),
        _ => (Some(declarator), declaration.child(Field::Value)),
    };
    match (name.filter(|name| is_plain(*name)), value) {
        (Some(_), Some(value)) if !matches!(value.kind(), Kind::InitializerList | Kind::ArgumentList) => {
            match of_nested(scopes, value, depth) {
                Type::Array(inner) => Type::Pointer(inner),
                known => known,
            }
        }
        _ => Type::Unknown,
    }
}

/// The constant of an enum: a number in C, of the enum's type in C++.
fn enumerator(scopes: &Scopes, node: Node<'_>) -> Type {
    if node.program().language() != Language::Cpp {
        return Type::Number(Number::Int);
    }
    let specifier = node.ancestors().find(|around| around.kind() == Kind::EnumSpecifier);
    let symbol = specifier.and_then(|specifier| specifier.child(Field::Name)).and_then(|name| scopes.symbol_at(name));
    symbol.map_or(Type::Unknown, Type::Declared)
}

/// A struct without a name is known by the first name that is declared with it.
fn unnamed(scopes: &Scopes, specifier: Node<'_>) -> Type {
    let symbol = specifier.parent().and_then(|declaration| first_declared(scopes, declaration));
    symbol.map_or(Type::Unknown, Type::Declared)
}

fn first_declared(scopes: &Scopes, declaration: Node<'_>) -> Option<SymbolId> {
    let mut declarator = declaration.child(Field::Declarator)?;
    while !declarator.kind().is_identifier() {
        let is_inner = |child: &Node<'_>| child.role() == Field::Declarator;
        declarator = declarator.children().find(is_inner).or_else(|| declarator.named_children().next())?;
    }
    scopes.symbol_at(declarator)
}

/// What the braces of an initialiser make.
fn initialised(scopes: &Scopes, list: Node<'_>, depth: usize) -> Type {
    let Some(parent) = list.parent() else { return Type::Unknown };
    match parent.kind() {
        Kind::InitDeclarator => {
            let mut declarator = parent.child(Field::Declarator);
            while let Some(inner) = declarator.filter(|inner| !inner.kind().is_identifier()) {
                let next = inner.child(Field::Declarator);
                declarator = next.or_else(|| inner.named_children().next());
            }
            declarator.map_or(Type::Unknown, |name| of_nested(scopes, name, depth))
        }
        Kind::NewExpression if makes_pointers(parent) => Type::Unknown,
        Kind::CompoundLiteralExpression | Kind::NewExpression => {
            parent.child(Field::Type).map_or(Type::Unknown, |named| of_nested(scopes, named, depth))
        }
        Kind::InitializerPair => {
            let designated = parent.children_at(Field::Designator).last();
            let fields = parent.children_at(Field::Designator).filter_map(|designator| match designator.kind() {
                Kind::FieldDesignator => designator.child_of_kind(Kind::FieldIdentifier),
                Kind::FieldIdentifier => Some(designator),
                _ => None,
            });
            match (fields.last(), designated) {
                // `.rows[2] = {…}` makes an element of the member.
                (Some(field), Some(last)) if !last.contains(field) => element(of_nested(scopes, field, depth)),
                (Some(field), _) => of_nested(scopes, field, depth),
                (None, _) => parent.parent().map_or(Type::Unknown, |outer| element(of_nested(scopes, outer, depth))),
            }
        }
        // Braces without a designator belong to the element or to the member in their turn.
        Kind::InitializerList => match of_nested(scopes, parent, depth) {
            Type::Array(inner) => *inner,
            Type::Declared(symbol) => member_in_turn(scopes, parent, list, symbol, depth),
            _ => Type::Unknown,
        },
        _ => Type::Unknown,
    }
}

/// The type of the member that the braces at `list` initialise by their place in `outer`.
fn member_in_turn(scopes: &Scopes, outer: Node<'_>, list: Node<'_>, symbol: SymbolId, depth: usize) -> Type {
    let elements: Vec<Node<'_>> = outer.named_children().take_while(|element| *element != list).collect();
    // After a designator the turns go on from there, which is not followed here.
    if elements.iter().any(|element| element.kind() == Kind::InitializerPair) {
        return Type::Unknown;
    }
    let Some(members) = scopes.symbol(symbol).members else { return Type::Unknown };
    let body = scopes.scope(members).node;
    let Some(body) = list.program().node(body).child(Field::Body) else { return Type::Unknown };
    let mut names = Vec::new();
    for field in body.named_children() {
        // Anonymous members and directives make the turns unclear.
        if field.kind() != Kind::FieldDeclaration || field.child(Field::Declarator).is_none() {
            return Type::Unknown;
        }
        for declarator in field.children_at(Field::Declarator) {
            names.extend(declarator.descendants().find(|name| name.kind() == Kind::FieldIdentifier));
        }
    }
    // An element without braces for a member that is a struct or an array would take several turns.
    let is_one_turn = |(element, name): (&Node<'_>, &Node<'_>)| {
        element.kind() == Kind::InitializerList
            || matches!(
                of_nested(scopes, *name, depth),
                Type::Number(_) | Type::Pointer(_) | Type::Boolean | Type::Null
            )
    };
    if elements.len() >= names.len() || !elements.iter().zip(&names).all(is_one_turn) {
        return Type::Unknown;
    }
    of_nested(scopes, names[elements.len()], depth)
}

/// The type of the object whose member function this is.
fn this(scopes: &Scopes, node: Node<'_>) -> Type {
    for around in node.ancestors() {
        let named = match around.kind() {
            Kind::StructSpecifier | Kind::ClassSpecifier | Kind::UnionSpecifier => around.child(Field::Name),
            Kind::FunctionDefinition => {
                let declarator = around.child(Field::Declarator).into_iter().flat_map(Node::descendants);
                let mut qualified = declarator.take_while(|part| part.kind() != Kind::ParameterList);
                qualified.find(|part| part.kind() == Kind::QualifiedIdentifier).and_then(innermost_scope)
            }
            _ => None,
        };
        if let Some(named) = named {
            return match of_nested(scopes, named, 8) {
                known @ Type::Declared(_) => pointer_to(known),
                _ => Type::Unknown,
            };
        }
    }
    Type::Unknown
}

/// `b` in `a::b::c`.
fn innermost_scope(qualified: Node<'_>) -> Option<Node<'_>> {
    let mut qualified = qualified;
    while let Some(inner) = qualified.child(Field::Name).filter(|name| name.kind() == Kind::QualifiedIdentifier) {
        qualified = inner;
    }
    qualified.child(Field::Scope)
}

fn call(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    let Some(mut function) = node.child(Field::Function) else { return Type::Unknown };
    if function.kind() == Kind::PrimitiveType {
        return of_words(function.text());
    }
    while matches!(
        function.kind(),
        Kind::QualifiedIdentifier | Kind::FieldExpression | Kind::TemplateFunction | Kind::TemplateMethod
    ) {
        let last = function.child(Field::Name).or_else(|| function.child(Field::Field));
        let Some(last) = last else { return Type::Unknown };
        function = last;
    }
    match scopes.symbol_at(function) {
        Some(symbol) => match scopes.symbol(symbol).kind {
            SymbolKind::Function => result(scopes, node, symbol, depth),
            SymbolKind::Type => of_nested(scopes, function, depth),
            _ => Type::Unknown,
        },
        None => Type::Unknown,
    }
}

/// The type that all declarations of a function say that it gives.
fn result(scopes: &Scopes, node: Node<'_>, function: SymbolId, depth: usize) -> Type {
    let mut known = None;
    for declaration in scopes.declarations_of(function) {
        let result = result_at(scopes, node.program().node(declaration), depth);
        if known.get_or_insert_with(|| result.clone()) != &result {
            return Type::Unknown;
        }
    }
    known.unwrap_or(Type::Unknown)
}

fn result_at(scopes: &Scopes, name: Node<'_>, depth: usize) -> Type {
    let mut declarator = name;
    while let Some(parent) = declarator.parent() {
        match parent.kind() {
            Kind::FunctionDeclarator => {
                let trailing = parent.child_of_kind(Kind::TrailingReturnType);
                return match trailing.and_then(|trailing| trailing.named_children().next()) {
                    Some(named) => of_nested(scopes, named, depth),
                    None => declared(scopes, parent, depth),
                };
            }
            Kind::ParenthesizedDeclarator | Kind::QualifiedIdentifier => declarator = parent,
            _ => return Type::Unknown,
        }
    }
    Type::Unknown
}

fn abstract_type(declarator: Node<'_>, base: Type) -> Type {
    let made = match declarator.kind() {
        Kind::AbstractPointerDeclarator if base == Type::Unknown => Type::Unknown,
        Kind::AbstractPointerDeclarator => pointer_to(base),
        Kind::AbstractArrayDeclarator => Type::Array(Box::new(base)),
        Kind::AbstractReferenceDeclarator => base,
        _ => return Type::Unknown,
    };
    let inner = declarator.children().find(|child| {
        matches!(
            child.kind(),
            Kind::AbstractPointerDeclarator
                | Kind::AbstractArrayDeclarator
                | Kind::AbstractReferenceDeclarator
                | Kind::AbstractFunctionDeclarator
                | Kind::AbstractParenthesizedDeclarator
        )
    });
    match inner {
        Some(inner) => abstract_type(inner, made),
        None => made,
    }
}

fn pointer_to(inner: Type) -> Type {
    Type::Pointer(Box::new(inner))
}

/// What a pointer or an array gives when it is followed.
fn element(known: Type) -> Type {
    match known {
        Type::Pointer(inner) | Type::Array(inner) => *inner,
        _ => Type::Unknown,
    }
}

/// The type of an operand whose operators nobody has overloaded.
fn known_operand(known: Type) -> Type {
    match known {
        Type::Number(_) | Type::Pointer(_) | Type::Boolean => known,
        _ => Type::Unknown,
    }
}

fn either(one: Type, other: Type) -> Type {
    match (one, other) {
        (one, other) if one == other => one,
        (Type::Number(one), Type::Number(other)) => Type::Number(common(one, other)),
        (pointer @ Type::Pointer(_), Type::Null) | (Type::Null, pointer @ Type::Pointer(_)) => pointer,
        (Type::Array(inner), Type::Null) | (Type::Null, Type::Array(inner)) => Type::Pointer(inner),
        _ => Type::Unknown,
    }
}

fn unary(node: Node<'_>, argument: Type, is_cpp: bool) -> Type {
    let operator = node.child(Field::Operator).map_or("", Node::text);
    match (operator, argument) {
        ("!" | "not", Type::Unknown | Type::Declared(_) | Type::Outside(_)) if is_cpp => Type::Unknown,
        ("!" | "not", _) => truth(is_cpp),
        (_, Type::Number(number)) => Type::Number(promoted(number)),
        (_, Type::Boolean) => Type::Number(Number::Int),
        _ => Type::Unknown,
    }
}

fn truth(is_cpp: bool) -> Type {
    if is_cpp { Type::Boolean } else { Type::Number(Number::Int) }
}

/// May the operand be a vector? Comparing vectors gives a vector, not an `int`.
fn may_be_vector(scopes: &Scopes, node: Node<'_>, operand: &Type) -> bool {
    match operand {
        Type::Unknown => *scopes.vectors.get_or_init(|| node.program().text().contains("vector_size")),
        Type::Outside(name) => name.starts_with("__m"),
        _ => false,
    }
}

fn binary(scopes: &Scopes, node: Node<'_>, left: Type, right: Type, is_cpp: bool) -> Type {
    let is_plain = |known: &Type| {
        matches!(known, Type::Number(_) | Type::Boolean | Type::Pointer(_) | Type::Array(_) | Type::Null)
    };
    let number = |known: &Type| match known {
        Type::Number(number) => Some(*number),
        Type::Boolean => Some(Number::Int),
        _ => None,
    };
    match node.child(Field::Operator).map_or("", Node::text) {
        "<" | ">" | "<=" | ">=" | "==" | "!="
            if [&left, &right].iter().any(|side| may_be_vector(scopes, node, side)) =>
        {
            Type::Unknown
        }
        // Only classes have operators of their own, and one plain operand may meet a class.
        "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||" | "and" | "or" | "not_eq" => {
            if !is_cpp || (is_plain(&left) && is_plain(&right)) { truth(is_cpp) } else { Type::Unknown }
        }
        "<<" | ">>" => match (number(&left), number(&right)) {
            (Some(left), Some(_)) => Type::Number(promoted(left)),
            _ => Type::Unknown,
        },
        operator => match (number(&left), number(&right), left, right) {
            (Some(left), Some(right), _, _) => Type::Number(common(left, right)),
            (None, Some(_), Type::Pointer(inner) | Type::Array(inner), _) if matches!(operator, "+" | "-") => {
                Type::Pointer(inner)
            }
            (Some(_), None, _, Type::Pointer(inner) | Type::Array(inner)) if operator == "+" => Type::Pointer(inner),
            (None, None, Type::Pointer(_) | Type::Array(_), Type::Pointer(_) | Type::Array(_)) if operator == "-" => {
                Type::Number(Number::PlatformInteger)
            }
            _ => Type::Unknown,
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::types::Type;
    use crate::{Language, Program};

    /// The type of the last expression or name that is spelled `text`.
    fn type_of(language: Language, source: &str, text: &str) -> (Program, Type) {
        let program = Program::parse(language, source);
        assert!(!program.is_broken(), "{source}");
        let last = program.nodes().filter(|node| node.is_named() && node.text() == text).map(|node| node.id()).last();
        let known = program.type_of(program.node(last.unwrap_or_else(|| panic!("no {text} in {source}"))));
        (program, known)
    }

    #[track_caller]
    fn check(language: Language, source: &str, text: &str, expected: &str) {
        let (program, known) = type_of(language, source, text);
        assert_eq!(shown(&program, &known), expected, "{text} in {source}");
    }

    #[track_caller]
    fn check_c(source: &str, text: &str, expected: &str) {
        check(Language::C, source, text, expected);
    }

    #[track_caller]
    fn check_cpp(source: &str, text: &str, expected: &str) {
        check(Language::Cpp, source, text, expected);
    }

    fn shown(program: &Program, known: &Type) -> String {
        match known {
            Type::Declared(symbol) => program.name_of(*symbol).to_owned(),
            Type::Outside(name) => format!("outside {name}"),
            Type::Pointer(inner) => format!("{}*", shown(program, inner)),
            Type::Array(inner) => format!("{}[]", shown(program, inner)),
            Type::Number(number) => format!("{number:?}"),
            Type::Function(symbol) => format!("function {}", program.name_of(*symbol)),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn vectors_are_compared_element_by_element() {
        let vector = "typedef int v4 __attribute__((vector_size(16))); void f(v4 a, v4 b) { a < b; }";
        check_c(vector, "a < b", "Unknown");
        check_c("#include <immintrin.h>\nvoid f(__m128i a, __m128i b) { a == b; }", "a == b", "Unknown");
        check_c("void f(item a, item b) { a < b; }", "a < b", "Int");
    }

    #[test]
    fn declarations_of_c() {
        let source =
            "typedef unsigned long word; struct s { int *a[3]; const char *name; }; typedef struct { int x; } p;
            int f(void); char *g(int n); int (*h)(int); word w; p q, *r; struct s t[2][3]; size_t z; uint8_t b;
            struct far *l; Far m; enum e { A } n; signed char c; long double d; unsigned u; int k[4], *j = k;
            void v(int array[], struct s *list) { array; list; w; q; r; t; z; b; l; m; n; c; d; u; k; j; f; h; A; }";
        let expected = [
            ("array", "Int*"),
            ("list", "s*"),
            ("w", "UnsignedLong"),
            ("q", "p"),
            ("r", "p*"),
            ("t", "s[][]"),
            ("z", "PlatformInteger"),
            ("b", "UnsignedChar"),
            ("l", "outside far*"),
            ("m", "outside Far"),
            ("n", "e"),
            ("c", "SignedChar"),
            ("d", "LongDouble"),
            ("u", "UnsignedInt"),
            ("k", "Int[]"),
            ("j", "Int*"),
            ("f", "function f"),
            ("h", "Unknown"),
            ("A", "Int"),
        ];
        for (text, known) in expected {
            check_c(source, text, known);
        }
    }

    #[test]
    fn literals() {
        let expected = [
            ("1", "Int"),
            ("1u", "UnsignedInt"),
            ("1L", "Long"),
            ("0x10ull", "UnsignedLongLong"),
            ("017", "Int"),
            ("4294967296", "Unknown"),
            ("1.0", "Double"),
            ("1e3f", "Float"),
            (".5L", "LongDouble"),
            ("'a'", "Int"),
            ("\"text\"", "Char*"),
            ("NULL", "Null"),
        ];
        for (text, known) in expected {
            check_c(&format!("void f() {{ g({text}); }}"), text, known);
        }
        check_cpp("void f() { g('a'); }", "'a'", "Char");
        check_cpp("void f() { g(true); }", "true", "Boolean");
        check_cpp("void f() { g(nullptr); }", "nullptr", "Null");
    }

    #[test]
    fn operators_of_c() {
        let source = |expression: &str| {
            format!(
                "char c; short s; int i; long l; float f; double d; int *p; int a[3]; unsigned u;
                     void t() {{ x = {expression}; }}"
            )
        };
        let expected = [
            ("c + s", "Int"),
            ("i + l", "Long"),
            ("i * d", "Double"),
            ("f - i", "Float"),
            ("i + u", "UnsignedInt"),
            ("-c", "Int"),
            ("!d", "Int"),
            ("i < d", "Int"),
            ("i && p", "Int"),
            ("c << l", "Int"),
            ("p + 1", "Int*"),
            ("1 + a", "Int*"),
            ("p - a", "PlatformInteger"),
            ("*p", "Int"),
            ("&i", "Int*"),
            ("a[1]", "Int"),
            ("p[1]", "Int"),
            ("(i, d)", "Double"),
            ("i ? c : l", "Long"),
            ("i ? p : NULL", "Int*"),
            ("(long long)i", "LongLong"),
            ("sizeof i", "PlatformInteger"),
            ("i = 3", "Int"),
            ("i++", "Int"),
            ("(char *)p", "Char*"),
            ("unknown + 1", "Unknown"),
            ("unknown(1)", "Unknown"),
        ];
        for (text, known) in expected {
            check_c(&source(text), text, known);
        }
    }

    #[test]
    fn members_and_calls_of_c() {
        let source = "struct s { int x; struct s *next; struct { char low; } in; double d[2]; };
            struct s make(void); struct s *find(int key); int old(a) char *a; { return *a; }
            #define ll long long
            #define SIZE 10
            void t(struct s *p) { ll big = SIZE; struct s q; p->x; p->next->next; q.in.low; q.d[1]; make().x; find(1); old(0);
                (struct s){ 1 }; big; SIZE; }";
        let expected = [
            ("p->x", "Int"),
            ("p->next->next", "s*"),
            ("q.in.low", "Char"),
            ("q.d[1]", "Double"),
            ("make().x", "Int"),
            ("find(1)", "s*"),
            ("old(0)", "Int"),
            ("(struct s){ 1 }", "s"),
            ("big", "LongLong"),
            ("SIZE", "Int"),
            ("*a", "Char"),
        ];
        for (text, known) in expected {
            check_c(&source.replace("            #", "#"), text, known);
        }
    }

    #[test]
    fn types_of_cpp() {
        let source = "#include <string>
            template <class T> struct box { T content; int count; box *next; };
            struct item { int key; item *link(); std::string name; int get(int); double get(double); void f() { this; } };
            enum class colour { red }; enum { off, on } state; typedef enum { low, high } level; level stage;
            using alias = item;
            int over(int); double over(double); item pick();
            void t(const item &ref, std::string text, box<int> b) {
                auto key = ref.key; auto &again = ref; auto *pointer = &ref; item list[2]; alias same; item made(ref);
                for (auto &each : list) each; auto fresh = new item(); auto built = item(); std::vector<int> v;
                key; again; pointer; same; made; fresh; built; text; v; b.count; b.content; b.next->count; colour::red;
                ref.link(); ref.name; ref.get(1); over(1); pick(); state; stage; key == 1; text == text; v[0]; text + text; }";
        let expected = [
            ("key", "Int"),
            ("again", "item"),
            ("pointer", "Unknown"),
            ("same", "item"),
            ("made", "item"),
            ("each", "item"),
            ("fresh", "item*"),
            ("built", "item"),
            ("text", "Text"),
            ("v", "outside vector"),
            ("b.count", "Int"),
            ("b.content", "Unknown"),
            ("b.next->count", "Int"),
            ("colour::red", "colour"),
            ("state", "Unknown"),
            ("stage", "Unknown"),
            ("ref.link()", "item*"),
            ("ref.name", "Text"),
            ("ref.get(1)", "Unknown"),
            ("over(1)", "Unknown"),
            ("pick()", "item"),
            ("key == 1", "Boolean"),
            ("text == text", "Unknown"),
            ("v[0]", "Unknown"),
            ("text + text", "Unknown"),
            ("this", "item*"),
        ];
        for (text, known) in expected {
            check_cpp(source, text, known);
        }
    }
}
