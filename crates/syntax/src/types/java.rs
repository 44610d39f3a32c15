//! The types of Java: declared types, literals, operators, and members of this input.

use super::{Number, Type, of_nested};
use crate::kind::{Field, Kind};
use crate::scopes::{Scopes, SymbolId, SymbolKind, Target};
use crate::tree::Node;

/// The type of an expression, of a declaring identifier, or of a node that is itself a type.
pub(super) fn of(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    let nested = |node: Node<'_>| of_nested(scopes, node, depth);
    let nested_child = |field: Field| node.child(field).map_or(Type::Unknown, nested);
    match node.kind() {
        // Types.
        Kind::IntegralType => match node.text() {
            "byte" => Type::Number(Number::Byte),
            "short" => Type::Number(Number::Short),
            "int" => Type::Number(Number::Int),
            "long" => Type::Number(Number::Long),
            "char" => Type::Number(Number::Char),
            _ => Type::Unknown,
        },
        Kind::FloatingPointType => match node.text() {
            "float" => Type::Number(Number::Float),
            "double" => Type::Number(Number::Double),
            _ => Type::Unknown,
        },
        Kind::BooleanType => Type::Boolean,
        Kind::VoidType => Type::Void,
        Kind::TypeIdentifier => of_type_name(scopes, node, depth),
        Kind::ScopedTypeIdentifier | Kind::AnnotatedType => node.named_children().last().map_or(Type::Unknown, nested),
        Kind::GenericType => node.named_children().next().map_or(Type::Unknown, nested),
        Kind::ArrayType => array(nested_child(Field::Element), dimensions(node)),
        Kind::CatchType => single(node).map_or(Type::Unknown, nested),
        // Literals.
        Kind::DecimalIntegerLiteral
        | Kind::HexIntegerLiteral
        | Kind::OctalIntegerLiteral
        | Kind::BinaryIntegerLiteral => {
            Type::Number(if node.text().ends_with(['l', 'L']) { Number::Long } else { Number::Int })
        }
        Kind::DecimalFloatingPointLiteral | Kind::HexFloatingPointLiteral => {
            let is_float = node.text().ends_with(['f', 'F']);
            Type::Number(if is_float { Number::Float } else { Number::Double })
        }
        Kind::True | Kind::False => Type::Boolean,
        Kind::CharacterLiteral => Type::Number(Number::Char),
        Kind::StringLiteral => Type::Text,
        Kind::NullLiteral => Type::Null,
        Kind::ClassLiteral => Type::Outside("Class".to_owned()),
        // Names and members.
        Kind::Identifier => of_name(scopes, node, depth),
        Kind::This => enclosing_type(scopes, node).map_or(Type::Unknown, Type::Declared),
        Kind::Super => superclass(scopes, node, depth),
        Kind::FieldAccess => of_field(scopes, node, depth),
        Kind::MethodInvocation => of_call(scopes, node, depth),
        // Expressions.
        Kind::ParenthesizedExpression => single(node).map_or(Type::Unknown, nested),
        Kind::CastExpression => {
            let mut types = node.children_at(Field::Type);
            match (types.next(), types.next()) {
                (Some(only), None) => nested(only),
                _ => Type::Unknown,
            }
        }
        // An anonymous class has members that its superclass does not have.
        Kind::ObjectCreationExpression if node.child_of_kind(Kind::ClassBody).is_some() => Type::Unknown,
        Kind::ObjectCreationExpression => nested_child(Field::Type),
        Kind::ArrayCreationExpression => array(nested_child(Field::Type), dimensions(node)),
        Kind::ArrayAccess => match nested_child(Field::Array) {
            Type::Array(element) => *element,
            _ => Type::Unknown,
        },
        Kind::AssignmentExpression => nested_child(Field::Left),
        Kind::UpdateExpression => single(node).map_or(Type::Unknown, nested),
        Kind::UnaryExpression => match node.child(Field::Operator).map_or("", Node::text) {
            "!" => Type::Boolean,
            _ => number(nested_child(Field::Operand)).map_or(Type::Unknown, |operand| promoted(operand, Number::Int)),
        },
        Kind::BinaryExpression => of_binary(scopes, node, depth),
        Kind::InstanceofExpression => Type::Boolean,
        Kind::TernaryExpression => of_arms(nested_child(Field::Consequence), nested_child(Field::Alternative)),
        _ => Type::Unknown,
    }
}

fn single(node: Node<'_>) -> Option<Node<'_>> {
    let mut children = node.named_children();
    let first = children.next()?;
    children.next().is_none().then_some(first)
}

fn array(element: Type, dimensions: usize) -> Type {
    (0..dimensions).fold(element, |element, _| Type::Array(Box::new(element)))
}

/// How many pairs of brackets follow a name, a type or a `new`.
fn dimensions(node: Node<'_>) -> usize {
    let count = |part: Node<'_>| part.children().filter(|child| child.is_token("[")).count();
    node.children_at(Field::Dimensions).map(count).sum()
}

fn of_type_name(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    match scopes.target(node) {
        Some(Target::Symbol(symbol)) => of_symbol(scopes, symbol, node, depth),
        Some(Target::Outside) => match node.text() {
            "var" => Type::Unknown,
            "String" => Type::Text,
            name => Type::Outside(name.to_owned()),
        },
        Some(Target::Member | Target::Unknown) | None => Type::Unknown,
    }
}

fn of_name(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    match scopes.target(node) {
        Some(Target::Symbol(symbol)) => of_symbol(scopes, symbol, node, depth),
        // A name from elsewhere may be a variable of any type, unless everybody knows it.
        Some(Target::Outside) => match node.text() {
            "java" | "javax" => Type::Module,
            name if crate::languages::java::LANGUAGE_TYPES.binary_search(&name).is_ok() => {
                Type::Outside(name.to_owned())
            }
            _ => Type::Unknown,
        },
        Some(Target::Member | Target::Unknown) | None => Type::Unknown,
    }
}

/// The type of what `symbol` stands for at `place`.
fn of_symbol(scopes: &Scopes, symbol: SymbolId, place: Node<'_>, depth: usize) -> Type {
    let program = place.program();
    let declaration = program.node(scopes.symbol(symbol).declaration);
    let Some(parent) = declaration.parent() else { return Type::Unknown };
    match scopes.symbol(symbol).kind {
        SymbolKind::Function => Type::Function(symbol),
        SymbolKind::Type if parent.kind() == Kind::TypeParameter => of_type_parameter(scopes, symbol, place, depth),
        SymbolKind::Type => Type::Declared(symbol),
        SymbolKind::Import => {
            let import = declaration.ancestors().find(|node| node.kind() == Kind::ImportDeclaration);
            match declaration.text() {
                _ if import.is_none_or(|import| import.has_token("static")) => Type::Unknown,
                "String" => Type::Text,
                name => Type::Outside(name.to_owned()),
            }
        }
        SymbolKind::Local | SymbolKind::Parameter | SymbolKind::Field | SymbolKind::Global => {
            let declared = declared_type(scopes, declaration, depth);
            let type_node = type_of_declaration(declaration);
            if type_node.is_some_and(|node| is_foreign_parameter(scopes, node, place)) {
                Type::Unknown
            } else {
                declared
            }
        }
        SymbolKind::Namespace | SymbolKind::Label | SymbolKind::Macro => Type::Unknown,
    }
}

/// A type parameter stands for its bound, where it is in force; elsewhere it stands for what it was bound to.
fn of_type_parameter(scopes: &Scopes, symbol: SymbolId, place: Node<'_>, depth: usize) -> Type {
    let program = place.program();
    let declaration = program.node(scopes.symbol(symbol).declaration);
    let Some(parameter) = declaration.parent() else { return Type::Unknown };
    match parameter.child_of_kind(Kind::TypeBound) {
        None => Type::Outside("Object".to_owned()),
        Some(bound) => single(bound).map_or(Type::Unknown, |bound| of_nested(scopes, bound, depth)),
    }
}

/// Is the type a type parameter (or an array of one) that is not in force at `place`?
fn is_foreign_parameter(scopes: &Scopes, type_node: Node<'_>, place: Node<'_>) -> bool {
    type_parameter(scopes, type_node).is_some_and(|symbol| {
        let scope = scopes.scope(scopes.symbol(symbol).scope);
        !place.program().node(scope.node).contains(place)
    })
}

/// The type parameter that a type is, or is an array of.
fn type_parameter(scopes: &Scopes, type_node: Node<'_>) -> Option<SymbolId> {
    match type_node.kind() {
        Kind::ArrayType => type_parameter(scopes, type_node.child(Field::Element)?),
        Kind::AnnotatedType => type_parameter(scopes, type_node.named_children().last()?),
        Kind::TypeIdentifier => scopes.symbol_at(type_node).filter(|&symbol| {
            let declaration = type_node.program().node(scopes.symbol(symbol).declaration);
            declaration.parent().is_some_and(|parent| parent.kind() == Kind::TypeParameter)
        }),
        _ => None,
    }
}

/// The node that gives the type of a declaring identifier.
fn type_of_declaration(declaration: Node<'_>) -> Option<Node<'_>> {
    let parent = declaration.parent()?;
    match parent.kind() {
        Kind::VariableDeclarator => {
            let statement = parent.parent()?;
            match statement.kind() {
                Kind::SpreadParameter => statement
                    .named_children()
                    .find(|child| !matches!(child.kind(), Kind::Modifiers | Kind::Annotation | Kind::MarkerAnnotation)),
                _ => statement.child(Field::Type),
            }
        }
        Kind::FormalParameter
        | Kind::EnhancedForStatement
        | Kind::Resource
        | Kind::MethodDeclaration
        | Kind::AnnotationTypeElementDeclaration => parent.child(Field::Type),
        Kind::CatchFormalParameter => parent.child_of_kind(Kind::CatchType),
        Kind::InstanceofExpression => parent.child(Field::Right),
        Kind::TypePattern | Kind::RecordPatternComponent => parent.named_children().next(),
        _ => None,
    }
}

/// The type that the declaration of a variable or method gives it.
fn declared_type(scopes: &Scopes, declaration: Node<'_>, depth: usize) -> Type {
    let Some(parent) = declaration.parent() else { return Type::Unknown };
    if parent.kind() == Kind::EnumConstant {
        let enumeration = scopes.symbol_at(declaration).map(|constant| scopes.symbol(constant).scope);
        return enumeration.and_then(|scope| scopes.scope(scope).owner).map_or(Type::Unknown, Type::Declared);
    }
    let Some(type_node) = type_of_declaration(declaration) else { return Type::Unknown };
    if type_node.kind() == Kind::TypeIdentifier && type_node.text() == "var" {
        let value = parent.child(Field::Value);
        let inferred = value.map_or(Type::Unknown, |value| of_nested(scopes, value, depth));
        return match (parent.kind(), inferred) {
            (_, Type::Null) => Type::Unknown,
            (Kind::EnhancedForStatement, Type::Array(element)) => *element,
            (Kind::EnhancedForStatement, _) => Type::Unknown,
            (_, inferred) => inferred,
        };
    }
    let is_spread = parent.parent().is_some_and(|parent| parent.kind() == Kind::SpreadParameter);
    array(of_nested(scopes, type_node, depth), dimensions(parent) + usize::from(is_spread))
}

/// The class around a node; `None` within an anonymous class, or outside all classes.
fn enclosing_type(scopes: &Scopes, node: Node<'_>) -> Option<SymbolId> {
    let body = enclosing_body(node)?;
    let name = body.parent()?.child(Field::Name)?;
    match body.parent()?.kind() {
        Kind::ObjectCreationExpression | Kind::EnumConstant => None,
        _ => scopes.symbol_at(name),
    }
}

fn enclosing_body(node: Node<'_>) -> Option<Node<'_>> {
    node.ancestors().find(|node| {
        matches!(node.kind(), Kind::ClassBody | Kind::InterfaceBody | Kind::EnumBody | Kind::AnnotationTypeBody)
    })
}

fn superclass(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    let superclass = enclosing_body(node).and_then(|body| body.parent()?.child(Field::Superclass)).and_then(single);
    superclass.map_or(Type::Unknown, |superclass| of_nested(scopes, superclass, depth))
}

fn of_field(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    let (Some(object), Some(name)) = (node.child(Field::Object), node.child(Field::Field)) else {
        return Type::Unknown;
    };
    if name.kind() == Kind::This {
        return of_nested(scopes, object, depth);
    }
    match scopes.target(name) {
        Some(Target::Symbol(symbol)) => {
            // What a type parameter stands for depends on the object.
            let declaration = node.program().node(scopes.symbol(symbol).declaration);
            let is_parameter = type_of_declaration(declaration).and_then(|node| type_parameter(scopes, node)).is_some();
            if is_parameter && object.kind() != Kind::This {
                Type::Unknown
            } else {
                of_symbol(scopes, symbol, node, depth)
            }
        }
        Some(Target::Outside) => match (of_nested(scopes, object, depth), name.text()) {
            (Type::Array(_), "length") => Type::Number(Number::Int),
            (Type::Outside(class), "out" | "err") if class == "System" => Type::Outside("PrintStream".to_owned()),
            (Type::Outside(class), "in") if class == "System" => Type::Outside("InputStream".to_owned()),
            (Type::Module, _) => Type::Module,
            _ => Type::Unknown,
        },
        Some(Target::Member | Target::Unknown) | None => Type::Unknown,
    }
}

fn of_call(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    let Some(name) = node.child(Field::Name) else { return Type::Unknown };
    let object = node.child(Field::Object);
    match scopes.target(name) {
        Some(Target::Symbol(symbol)) => of_result(scopes, symbol, node, depth),
        Some(Target::Outside) => match object.map(|object| of_nested(scopes, object, depth)) {
            Some(Type::Text) => of_text_call(name.text()),
            Some(Type::Declared(class)) if is_enum(scopes, class, node) => match name.text() {
                "values" => array(Type::Declared(class), 1),
                "valueOf" => Type::Declared(class),
                "ordinal" => Type::Number(Number::Int),
                "name" => Type::Text,
                _ => Type::Unknown,
            },
            _ => Type::Unknown,
        },
        Some(Target::Member | Target::Unknown) | None => Type::Unknown,
    }
}

/// What a call of a method of this input gives, when all its overloads agree and no type parameter is involved.
fn of_result(scopes: &Scopes, symbol: SymbolId, call: Node<'_>, depth: usize) -> Type {
    let mut result = None;
    for declaration in scopes.declarations_of(symbol) {
        let declaration = call.program().node(declaration);
        let Some(type_node) = type_of_declaration(declaration) else { return Type::Unknown };
        if type_parameter(scopes, type_node).is_some() {
            return Type::Unknown;
        }
        let declared = declared_type(scopes, declaration, depth);
        if *result.get_or_insert_with(|| declared.clone()) != declared {
            return Type::Unknown;
        }
    }
    result.unwrap_or(Type::Unknown)
}

fn is_enum(scopes: &Scopes, class: SymbolId, place: Node<'_>) -> bool {
    let declaration = place.program().node(scopes.symbol(class).declaration);
    declaration.parent().is_some_and(|parent| parent.kind() == Kind::EnumDeclaration)
}

fn of_text_call(method: &str) -> Type {
    match method {
        "length" | "indexOf" | "lastIndexOf" | "compareTo" | "compareToIgnoreCase" | "codePointAt" | "hashCode" => {
            Type::Number(Number::Int)
        }
        "charAt" => Type::Number(Number::Char),
        "equals" | "equalsIgnoreCase" | "isEmpty" | "isBlank" | "contains" | "startsWith" | "endsWith" | "matches"
        | "contentEquals" | "regionMatches" => Type::Boolean,
        "substring" | "trim" | "strip" | "stripLeading" | "stripTrailing" | "toLowerCase" | "toUpperCase"
        | "replace" | "replaceAll" | "replaceFirst" | "concat" | "repeat" | "intern" | "toString" | "format"
        | "formatted" | "join" | "valueOf" | "copyValueOf" | "indent" | "stripIndent" => Type::Text,
        "toCharArray" => array(Type::Number(Number::Char), 1),
        "getBytes" => array(Type::Number(Number::Byte), 1),
        "split" => array(Type::Text, 1),
        _ => Type::Unknown,
    }
}

fn of_binary(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    let operand = |field: Field| node.child(field).map_or(Type::Unknown, |node| of_nested(scopes, node, depth));
    match node.child(Field::Operator).map_or("", Node::text) {
        "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => Type::Boolean,
        "<<" | ">>" | ">>>" => number(operand(Field::Left)).map_or(Type::Unknown, |left| promoted(left, Number::Int)),
        operator => match (operand(Field::Left), operand(Field::Right)) {
            (Type::Text, _) | (_, Type::Text) if operator == "+" => Type::Text,
            (Type::Boolean, Type::Boolean) => Type::Boolean,
            (left, right) => match (number(left), number(right)) {
                (Some(left), Some(right)) => promoted(left, right),
                _ => Type::Unknown,
            },
        },
    }
}

/// The number that a value is or unboxes to.
fn number(value: Type) -> Option<Number> {
    match value {
        Type::Number(number) => Some(number),
        Type::Outside(name) => match name.as_str() {
            "Byte" => Some(Number::Byte),
            "Short" => Some(Number::Short),
            "Character" => Some(Number::Char),
            "Integer" => Some(Number::Int),
            "Long" => Some(Number::Long),
            "Float" => Some(Number::Float),
            "Double" => Some(Number::Double),
            _ => None,
        },
        _ => None,
    }
}

/// Binary numeric promotion; with an `int` it is the unary one.
fn promoted(left: Number, right: Number) -> Type {
    let widest = [Number::Double, Number::Float, Number::Long].into_iter().find(|wide| [left, right].contains(wide));
    Type::Number(widest.unwrap_or(Number::Int))
}

/// The type of a ternary: that of both arms when they agree.
fn of_arms(one: Type, other: Type) -> Type {
    match (&one, &other) {
        _ if one == other && one != Type::Null => one,
        (
            Type::Number(Number::Byte | Number::Short | Number::Char),
            Type::Number(Number::Byte | Number::Short | Number::Char | Number::Int),
        )
        | (Type::Number(Number::Int), Type::Number(Number::Byte | Number::Short | Number::Char)) => {
            // A constant may fit the narrower type, which then wins.
            Type::Unknown
        }
        (Type::Number(one), Type::Number(other)) => promoted(*one, *other),
        _ => Type::Unknown,
    }
}
