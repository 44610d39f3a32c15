//! The types of Java: declared types, literals, operators, and members of this input.

use crate::kind::{Field, Kind};
use crate::scopes::{Scopes, SymbolId, SymbolKind, Target};
use crate::tree::Node;
use crate::types::{Number, Type, of_nested};

/// The type of an expression, of a declaring identifier, or of a node that is itself a type.
pub(crate) fn of(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
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
            name if super::facts::LANGUAGE_TYPES.binary_search(&name).is_ok() => Type::Outside(name.to_owned()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, Program};

    /// The type of the value that the last variable of a method's body is given.
    fn type_of(members: &str, body: &str) -> String {
        let text = format!("class Sample {{ {members} void run(Object o) {{ {body} }} }}");
        let program = Program::parse(Language::Java, text.as_str());
        assert!(!program.is_broken(), "{text}");
        let probe = program.nodes().filter(|node| node.kind() == Kind::VariableDeclarator);
        let value = probe.filter_map(|node| node.child(Field::Value)).last().expect("a variable with a value");
        show(&program, program.type_of(value))
    }

    /// The type of the last name `name` in the text.
    fn type_of_last(text: &str, name: &str) -> String {
        let program = Program::parse(Language::Java, text);
        assert!(!program.is_broken(), "{text}");
        let node = program.nodes().filter(|node| node.kind().is_identifier() && node.text() == name).last();
        show(&program, program.type_of(node.expect("the name is there")))
    }

    fn show(program: &Program, shown: Type) -> String {
        match shown {
            Type::Declared(symbol) => format!("declared {}", program.name_of(symbol)),
            Type::Function(symbol) => format!("function {}", program.name_of(symbol)),
            Type::Array(element) => format!("{}[]", show(program, *element)),
            Type::Outside(name) => name,
            Type::Number(number) => format!("{number:?}"),
            other => format!("{other:?}"),
        }
    }

    fn check_value(value: &str, expected: &str) {
        let found = type_of("", &format!("var probe = {value};"));
        assert_eq!(found, expected, "{value}");
    }

    #[test]
    fn literals() {
        for (value, expected) in [
            ("1", "Int"),
            ("0x1fL", "Long"),
            ("077", "Int"),
            ("0b11", "Int"),
            ("1.5", "Double"),
            ("1f", "Float"),
            ("1e3", "Double"),
            ("'a'", "Char"),
            ("\"text\"", "Text"),
            ("\"\"\"\n text\"\"\"", "Text"),
            ("true", "Boolean"),
            ("null", "Null"),
            ("int.class", "Class"),
        ] {
            check_value(value, expected);
        }
    }

    #[test]
    fn operators() {
        for (value, expected) in [
            ("1 + 2L", "Long"),
            ("1 + 'a'", "Int"),
            ("(byte) 1 + (short) 2", "Int"),
            ("1 / 2.0f", "Float"),
            ("2.0f * 3.0", "Double"),
            ("1 << 2L", "Int"),
            ("-'a'", "Int"),
            ("~5L", "Long"),
            ("\"a\" + 1", "Text"),
            ("1 + \"a\"", "Text"),
            ("1 + o", "Unknown"),
            ("1 < 2", "Boolean"),
            ("o == null", "Boolean"),
            ("o instanceof String", "Boolean"),
            ("!true", "Boolean"),
            ("true & false", "Boolean"),
            ("true ? 1 : 2", "Int"),
            ("true ? 1 : 2.0", "Double"),
            ("true ? 'a' : 1", "Unknown"),
            ("true ? null : \"a\"", "Unknown"),
            ("(1)", "Int"),
            ("(long) 1", "Long"),
            ("(Runnable & java.io.Serializable) o", "Unknown"),
            ("(Runnable) o", "Runnable"),
            ("new int[3]", "Int[]"),
            ("new int[3][]", "Int[][]"),
            ("new int[][] {}", "Int[][]"),
            ("new int[] {1}[0]", "Int"),
            ("new int[3].length", "Int"),
            ("new StringBuilder()", "StringBuilder"),
            ("new Sample()", "declared Sample"),
            ("new Sample() {}", "Unknown"),
            ("this", "declared Sample"),
            ("Sample.this", "declared Sample"),
            ("(Integer) o + 1", "Int"),
        ] {
            check_value(value, expected);
        }
    }

    #[test]
    fn text_methods() {
        for (call, expected) in [
            ("length()", "Int"),
            ("charAt(0)", "Char"),
            ("substring(1).trim().toLowerCase()", "Text"),
            ("equals(o)", "Boolean"),
            ("toCharArray()", "Char[]"),
            ("split(\",\")[0]", "Text"),
            ("chars()", "Unknown"),
        ] {
            check_value(&format!("\"text\".{call}"), expected);
        }
    }

    #[test]
    fn declared_names() {
        let members = "int a, b[]; String[] names; Sample next; java.util.Map<String, Sample> map; long sum(int... all) \
                       { return 0; } Sample same() { return this; } int same(int i) { return i; } Sample[] all() \
                       { return null; } enum Color { RED }";
        for (value, expected) in [
            ("a", "Int"),
            ("b", "Int[]"),
            ("this.b[0]", "Int"),
            ("names[1]", "Text"),
            ("next.next.names", "Text[]"),
            ("map", "Map"),
            ("map.get(o)", "Unknown"),
            ("sum(1)", "Long"),
            ("next.sum()", "Long"),
            ("same()", "Unknown"),
            ("all()[0].a", "Int"),
            ("Color.RED", "declared Color"),
            ("Color.values()", "declared Color[]"),
            ("Color.valueOf(\"RED\").ordinal()", "Int"),
            ("o", "Object"),
            ("a = 3", "Int"),
            ("a++", "Int"),
            ("absent", "Unknown"),
            ("System.out", "PrintStream"),
        ] {
            assert_eq!(type_of(members, &format!("var probe = {value};")), expected, "{value}");
        }
    }

    #[test]
    fn variables() {
        for (text, name, expected) in [
            ("void f(int... n) { use(n); }", "n", "Int[]"),
            ("void f() { var s = \"a\"; use(s); }", "s", "Text"),
            ("void f(int[][] rows) { for (var row : rows) use(row); }", "row", "Int[]"),
            ("void f(List<String> l) { for (var x : l) use(x); }", "x", "Unknown"),
            ("void f(List<String> l) { for (String x : l) use(x); }", "x", "Text"),
            ("void f() { try {} catch (IOException e) { use(e); } }", "e", "IOException"),
            ("void f() { try {} catch (A | B e) { use(e); } }", "e", "Unknown"),
            ("void f() { try (Reader r = g()) { use(r); } }", "r", "Reader"),
            ("void f(Object o) { if (o instanceof String s) use(s); }", "s", "Text"),
            ("void f() { g(x -> use(x)); }", "x", "Unknown"),
            ("void f() { g((int x) -> use(x)); }", "x", "Int"),
            ("int f() { return 1; }", "f", "function f"),
            ("int f()[] { use(f()); }", "f", "function f"),
            ("class A<T> { T t; void f() { use(t); } }", "t", "Object"),
            ("class A<T extends Number> { T t; void f() { use(t); } }", "t", "Number"),
            ("class A<T extends Number & Runnable> { T t; void f() { use(t); } }", "t", "Unknown"),
            ("class A<T> { T t; } class B extends A<String> { void f() { use(t); } }", "t", "Unknown"),
            ("record P(int x) { int twice() { return x; } }", "x", "Int"),
            ("import java.util.List; class A { List<String> names; }", "List", "List"),
            ("class A { String text; }", "String", "Text"),
            ("class String {} class A { String text; }", "text", "declared String"),
        ] {
            assert_eq!(type_of_last(text, name), expected, "{text}");
        }
    }

    #[test]
    fn members_through_type_parameters_are_unknown() {
        let box_class = "static class Box<T> { T value; T get() { return value; } } Box<Sample> box; int a;";
        for value in ["box.value", "box.get()", "box.value.a"] {
            assert_eq!(type_of(box_class, &format!("var probe = {value};")), "Unknown", "{value}");
        }
    }
}
