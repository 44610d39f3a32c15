//! JavaScript's types: what literals, operators and names that keep their type say.
//!
//! An answer is the type of the value whenever there is one: an expression that throws has none. So
//! `n - x` is a number when `n` is, because a number and a `BigInt` cannot be mixed.

use crate::kind::{Field, Kind};
use crate::scopes::{Reference, Scopes, SymbolId, SymbolKind, Target};
use crate::tree::Node;
use crate::types::{Number, Type, of_nested};

pub(crate) fn of(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    let of = |node: Node<'_>| of_nested(scopes, node, depth);
    let part = |field: Field| node.child(field).map_or(Type::Unknown, of);
    match node.kind() {
        // `n` is not a digit, not even of a hexadecimal number.
        Kind::Number if node.text().ends_with('n') => BIG_INTEGER,
        Kind::Number => NUMBER,
        Kind::String | Kind::TemplateString => Type::Text,
        Kind::True | Kind::False => Type::Boolean,
        Kind::Null | Kind::Undefined => Type::Null,
        Kind::Regex => Type::Outside("RegExp".to_owned()),
        Kind::Object => Type::Outside("Object".to_owned()),
        Kind::Array => Type::Array(Box::new(of_elements(node, of))),
        Kind::ArrowFunction => Type::Outside("Function".to_owned()),
        Kind::FunctionExpression | Kind::GeneratorFunction => match node.child(Field::Name) {
            None => Type::Outside("Function".to_owned()),
            Some(name) => scopes.symbol_at(name).map_or(Type::Unknown, Type::Function),
        },
        Kind::ParenthesizedExpression | Kind::SequenceExpression => {
            node.named_children().last().map_or(Type::Unknown, of)
        }
        Kind::TernaryExpression => agreed(part(Field::Consequence), part(Field::Alternative)),
        Kind::BinaryExpression => of_binary(operator(node), part(Field::Left), part(Field::Right)),
        Kind::AugmentedAssignmentExpression => {
            of_binary(operator(node).trim_end_matches('='), part(Field::Left), part(Field::Right))
        }
        Kind::AssignmentExpression => part(Field::Right),
        Kind::UnaryExpression => of_unary(operator(node), part(Field::Argument)),
        Kind::UpdateExpression => numeric(part(Field::Argument)),
        Kind::NewExpression => node.child(Field::Constructor).map_or(Type::Unknown, |class| of_new(scopes, class)),
        Kind::CallExpression => node.child(Field::Function).map_or(Type::Unknown, |callee| of_call(scopes, callee)),
        Kind::MemberExpression => of_member(scopes, node, || part(Field::Object)),
        Kind::This => class_of_this(scopes, node).map_or(Type::Unknown, Type::Declared),
        Kind::Identifier | Kind::ShorthandPropertyIdentifier | Kind::ShorthandPropertyIdentifierPattern => {
            of_name(scopes, node, depth)
        }
        _ => Type::Unknown,
    }
}

const NUMBER: Type = Type::Number(Number::JavaScriptNumber);
const BIG_INTEGER: Type = Type::Number(Number::BigInteger);

fn agreed(one: Type, other: Type) -> Type {
    if one == other { one } else { Type::Unknown }
}

fn operator(node: Node<'_>) -> &str {
    node.child(Field::Operator).map_or("", |operator| operator.text())
}

fn of_elements(array: Node<'_>, of: impl Fn(Node<'_>) -> Type) -> Type {
    let mut elements: Option<Type> = None;
    let mut is_separated = true;
    for child in array.children().filter(|child| !child.kind().is_comment()).skip(1) {
        if child.is_token(",") {
            // `[1, , 2]` has an element that is not there.
            if is_separated {
                return Type::Unknown;
            }
            is_separated = true;
        } else if child.is_named() {
            is_separated = false;
            let element = if child.kind() == Kind::SpreadElement { Type::Unknown } else { of(child) };
            elements = Some(elements.map_or(element.clone(), |others| agreed(others, element)));
        }
    }
    elements.unwrap_or(Type::Unknown)
}

/// What arithmetic makes of one value.
fn numeric(operand: Type) -> Type {
    match operand {
        BIG_INTEGER => BIG_INTEGER,
        Type::Number(_) | Type::Text | Type::Boolean | Type::Null => NUMBER,
        _ => Type::Unknown,
    }
}

fn of_unary(operator: &str, argument: Type) -> Type {
    match operator {
        "!" | "delete" => Type::Boolean,
        "typeof" => Type::Text,
        "void" => Type::Null,
        "+" => NUMBER,
        "-" | "~" => numeric(argument),
        _ => Type::Unknown,
    }
}

fn of_binary(operator: &str, left: Type, right: Type) -> Type {
    match operator {
        "==" | "!=" | "===" | "!==" | "<" | "<=" | ">" | ">=" | "in" | "instanceof" => Type::Boolean,
        "&&" | "||" | "??" => agreed(left, right),
        "+" if left == Type::Text || right == Type::Text => Type::Text,
        // Without the type of both sides this may join texts.
        "+" => agreed(numeric(left), numeric(right)),
        ">>>" => NUMBER,
        "-" | "*" | "/" | "%" | "**" | "&" | "|" | "^" | "<<" | ">>" => match (numeric(left), numeric(right)) {
            (Type::Unknown, known) | (known, Type::Unknown) => known,
            (left, right) => agreed(left, right),
        },
        _ => Type::Unknown,
    }
}

fn of_new(scopes: &Scopes, class: Node<'_>) -> Type {
    if class.kind() != Kind::Identifier {
        return Type::Unknown;
    }
    match scopes.target(class) {
        Some(Target::Symbol(symbol)) => match scopes.symbol(symbol) {
            found if found.members.is_some() && !is_reassigned(scopes, class, symbol) => Type::Declared(symbol),
            found if found.kind == SymbolKind::Import => Type::Outside(class.text().to_owned()),
            _ => Type::Unknown,
        },
        Some(Target::Outside) if class.text() == "Array" => Type::Array(Box::new(Type::Unknown)),
        Some(Target::Outside) => Type::Outside(class.text().to_owned()),
        Some(Target::Member | Target::Unknown) | None => Type::Unknown,
    }
}

/// Some functions of the language itself. Everything else could return anything.
fn of_call(scopes: &Scopes, callee: Node<'_>) -> Type {
    let is_outside = |name: Node<'_>| scopes.target(name) == Some(Target::Outside);
    match callee.kind() {
        Kind::Identifier if is_outside(callee) => match callee.text() {
            "require" => Type::Module,
            "String" => Type::Text,
            "Number" | "parseInt" | "parseFloat" => NUMBER,
            "Boolean" | "isNaN" | "isFinite" => Type::Boolean,
            "BigInt" => BIG_INTEGER,
            "Array" => Type::Array(Box::new(Type::Unknown)),
            _ => Type::Unknown,
        },
        Kind::MemberExpression if is_standard_mathematics(scopes, callee) => NUMBER,
        _ => Type::Unknown,
    }
}

/// All functions and constants of `Math` are numbers.
fn is_standard_mathematics(scopes: &Scopes, member: Node<'_>) -> bool {
    member.child(Field::Object).is_some_and(|object| {
        object.kind() == Kind::Identifier && object.text() == "Math" && scopes.target(object) == Some(Target::Outside)
    })
}

fn of_member(scopes: &Scopes, member: Node<'_>, receiver: impl Fn() -> Type) -> Type {
    let Some(name) = member.child(Field::Property).map(|property| property.text()) else { return Type::Unknown };
    if name == "length" {
        return match receiver() {
            Type::Text | Type::Array(_) => NUMBER,
            _ => Type::Unknown,
        };
    }
    let is_constant = name.starts_with(|first: char| first.is_ascii_uppercase());
    if is_constant && is_standard_mathematics(scopes, member) { NUMBER } else { Type::Unknown }
}

fn of_name(scopes: &Scopes, name: Node<'_>, depth: usize) -> Type {
    let symbol = match scopes.target(name) {
        Some(Target::Symbol(symbol)) => symbol,
        Some(Target::Outside) if matches!(name.text(), "NaN" | "Infinity") => return NUMBER,
        Some(Target::Outside | Target::Member | Target::Unknown) | None => return Type::Unknown,
    };
    let declaration = name.program().node(scopes.symbol(symbol).declaration);
    match scopes.symbol(symbol).kind {
        SymbolKind::Function if !is_reassigned(scopes, name, symbol) => Type::Function(symbol),
        SymbolKind::Import if declaration.parent().is_some_and(|parent| parent.kind() == Kind::NamespaceImport) => {
            Type::Module
        }
        SymbolKind::Local | SymbolKind::Global => of_variable(scopes, name, declaration, symbol, depth),
        _ => Type::Unknown,
    }
}

/// A variable has the type of its initialiser when no assignment changes it.
fn of_variable(scopes: &Scopes, name: Node<'_>, declaration: Node<'_>, symbol: SymbolId, depth: usize) -> Type {
    let declarator = declaration.parent().filter(|parent| parent.kind() == Kind::VariableDeclarator);
    let value = declarator.filter(|_| declaration.role() == Field::Name).and_then(|node| node.child(Field::Value));
    let (Some(declarator), Some(value)) = (declarator, value) else { return Type::Unknown };
    let Some(statement) = declarator.parent() else { return Type::Unknown };
    let is_constant = statement.child(Field::Kind).is_some_and(|keyword| keyword.text() == "const");
    if !is_constant && !scopes.is_complete() {
        return Type::Unknown;
    }
    if statement.kind() == Kind::VariableDeclaration && !is_reached_after(name, declarator, statement) {
        return Type::Unknown;
    }
    let initial = match of_nested(scopes, value, depth) {
        // Anybody may put anything into an array later.
        Type::Array(_) => Type::Array(Box::new(Type::Unknown)),
        other => other,
    };
    if is_constant || keeps_type(scopes, name, symbol, &initial, depth) { initial } else { Type::Unknown }
}

/// Is a `var` certain to have its value at `name`? It is when the name follows in the same block, and no
/// function that may be called earlier lies between.
fn is_reached_after(name: Node<'_>, declarator: Node<'_>, statement: Node<'_>) -> bool {
    if declarator.contains(name) {
        return declarator.child(Field::Name).is_some_and(|declared| declared.contains(name));
    }
    let Some(block) = statement.parent().filter(|block| block.contains(name)) else { return false };
    let mut between = name.ancestors().take_while(|&node| node != block);
    name.start() >= declarator.end() && !between.any(|node| is_function(node.kind()))
}

const fn is_function(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::FunctionDeclaration
            | Kind::GeneratorFunctionDeclaration
            | Kind::FunctionExpression
            | Kind::GeneratorFunction
            | Kind::ArrowFunction
            | Kind::MethodDefinition
            | Kind::ClassStaticBlock
            | Kind::FieldDefinition
    )
}

/// The type of a name that occurs more often is not evident at a glance.
const MOST_OCCURRENCES: usize = 200;

/// Does every assignment give the variable a value of the type that it has?
fn keeps_type(scopes: &Scopes, name: Node<'_>, symbol: SymbolId, initial: &Type, depth: usize) -> bool {
    if *initial == Type::Unknown || scopes.references_of(symbol).nth(MOST_OCCURRENCES).is_some() {
        return false;
    }
    // A value that needs more than a glance may lead back to the variable.
    let of = |node: Option<Node<'_>>| node.map_or(Type::Unknown, |node| of_nested(scopes, node, depth.min(2)));
    others(scopes, symbol).all(|reference| {
        let occurrence = name.program().node(reference.node);
        match write_of(occurrence) {
            None => true,
            Some(write) => {
                let value = match write.kind() {
                    Kind::UpdateExpression => numeric(initial.clone()),
                    Kind::AssignmentExpression => of(write.child(Field::Right)),
                    Kind::AugmentedAssignmentExpression => {
                        let operator = operator(write).trim_end_matches('=');
                        of_binary(operator, initial.clone(), of(write.child(Field::Right)))
                    }
                    _ => Type::Unknown,
                };
                value == *initial
            }
        }
    })
}

/// Does anything but its declaration give the symbol a value? While the tables are being built, nobody
/// knows, and the names that are asked for then are checked by the walk.
fn is_reassigned(scopes: &Scopes, name: Node<'_>, symbol: SymbolId) -> bool {
    scopes.is_complete()
        && others(scopes, symbol).any(|reference| write_of(name.program().node(reference.node)).is_some())
}

/// The occurrences of a symbol but for its first declaration.
fn others(scopes: &Scopes, symbol: SymbolId) -> impl Iterator<Item = &Reference> {
    let declaration = scopes.symbol(symbol).declaration;
    scopes.references_of(symbol).filter(move |reference| reference.node != declaration)
}

/// The construct that gives the name a value at this place.
fn write_of(name: Node<'_>) -> Option<Node<'_>> {
    let mut inner = name;
    loop {
        let parent = inner.parent()?;
        match parent.kind() {
            Kind::AssignmentExpression | Kind::AugmentedAssignmentExpression | Kind::ForInStatement => {
                return (inner.role() == Field::Left).then_some(parent);
            }
            Kind::UpdateExpression => return Some(parent),
            Kind::VariableDeclarator | Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration => {
                return (inner.role() == Field::Name).then_some(parent);
            }
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern if inner.role() != Field::Left => return None,
            Kind::PairPattern if inner.role() != Field::Value => return None,
            // An assignment to a part of a pattern gives no evident value.
            Kind::ArrayPattern
            | Kind::ObjectPattern
            | Kind::RestPattern
            | Kind::AssignmentPattern
            | Kind::ObjectAssignmentPattern
            | Kind::PairPattern => return Some(parent),
            Kind::ParenthesizedExpression => inner = parent,
            _ => return None,
        }
    }
}

/// The class whose object `this` is.
fn class_of_this(scopes: &Scopes, this: Node<'_>) -> Option<SymbolId> {
    let mut inner = this;
    let class = loop {
        let parent = inner.parent()?;
        let is_inside = !matches!(inner.role(), Field::Name | Field::Property | Field::Decorator);
        match parent.kind() {
            Kind::MethodDefinition | Kind::FieldDefinition if is_inside => {
                let body = parent.parent().filter(|body| body.kind() == Kind::ClassBody)?;
                let is_static =
                    parent.children().any(|child| child.kind() == Kind::Token && child.text().starts_with("static"));
                break if is_static { None } else { body.parent() };
            }
            Kind::MethodDefinition | Kind::FieldDefinition | Kind::ArrowFunction => {}
            kind if is_function(kind) => return None,
            _ => {}
        }
        inner = parent;
    }?;
    let around = class.parent().filter(|parent| parent.kind() == Kind::VariableDeclarator);
    let name = class.child(Field::Name).or_else(|| around.and_then(|declarator| declarator.child(Field::Name)))?;
    scopes.symbol_at(name).filter(|&symbol| scopes.symbol(symbol).members.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, Program};

    /// The type of the first node with the text `expression`.
    fn of_first(program: &Program, expression: &str) -> Type {
        program.type_of(program.nodes().find(|node| node.text() == expression).unwrap())
    }

    #[track_caller]
    fn check(text: &str, expression: &str, expected: Type) {
        let program = Program::parse(Language::JavaScript, text);
        assert!(!program.is_broken(), "{text}");
        assert_eq!(of_first(&program, expression), expected, "{expression} in {text}");
    }

    /// The type of the whole expression.
    #[track_caller]
    fn check_expression(expression: &str, expected: Type) {
        check(&format!("use({expression});"), expression, expected);
    }

    /// The type of the last `x` is checked.
    #[track_caller]
    fn check_last_x(text: &str, expected: Type) {
        let program = Program::parse(Language::JavaScript, text);
        let name = program.nodes().filter(|node| node.kind() == Kind::Identifier && node.text() == "x").last().unwrap();
        assert_eq!(program.type_of(name), expected, "{text}");
    }

    #[test]
    fn literals() {
        check_expression("1.5", NUMBER);
        check_expression("0xffn", BIG_INTEGER);
        check_expression("'a'", Type::Text);
        check_expression("`a${b}`", Type::Text);
        check_expression("true", Type::Boolean);
        check_expression("null", Type::Null);
        check_expression("undefined", Type::Null);
        check_expression("/a/g", Type::Outside("RegExp".to_owned()));
        check_expression("{ a: 1 }", Type::Outside("Object".to_owned()));
        check_expression("() => 1", Type::Outside("Function".to_owned()));
        check_expression("[1, 2]", Type::Array(Box::new(NUMBER)));
        check_expression("[1, 2, ]", Type::Array(Box::new(NUMBER)));
        for mixed in ["[1, 'a']", "[]", "[1, , 2]", "[, 1]", "[...a]", "[1, b]"] {
            check_expression(mixed, Type::Array(Box::new(Type::Unknown)));
        }
    }

    #[test]
    fn operators() {
        check_expression("1 + 2 * 3", NUMBER);
        check_expression("1 + a", Type::Unknown);
        check_expression("a - 1", NUMBER);
        check_expression("a - b", Type::Unknown);
        check_expression("1n * 2n", BIG_INTEGER);
        check_expression("a >>> b", NUMBER);
        check_expression("'a' + b", Type::Text);
        check_expression("true + null", NUMBER);
        check_expression("a < b", Type::Boolean);
        check_expression("'k' in a", Type::Boolean);
        check_expression("!a", Type::Boolean);
        check_expression("typeof a", Type::Text);
        check_expression("void a", Type::Null);
        check_expression("+a", NUMBER);
        check_expression("-a", Type::Unknown);
        check_expression("1 && 2", NUMBER);
        check_expression("1 || 'a'", Type::Unknown);
        check_expression("a ? 'b' : 'c'", Type::Text);
        check_expression("a ? 1 : 'c'", Type::Unknown);
        check_expression("(a, 1)", NUMBER);
        check_expression("b = 'c'", Type::Text);
        check_expression("b += 'c'", Type::Text);
        check_expression("'abc'.length", NUMBER);
        check_expression("a.length", Type::Unknown);
        check_expression("Math.max(a, b)", NUMBER);
        check_expression("Math.PI", NUMBER);
        check_expression("String(a)", Type::Text);
        check_expression("require('fs')", Type::Module);
        check("function String() {} use(String(1));", "String(1)", Type::Unknown);
    }

    #[test]
    fn names_that_keep_their_type() {
        check_last_x("const x = 1; use(x);", NUMBER);
        check_last_x("let x = 'a'; { use(x); }", Type::Text);
        check_last_x("const x = [1]; use(x);", Type::Array(Box::new(Type::Unknown)));
        check_last_x("let x = 0; x++; x -= a; x = 3; use(x);", NUMBER);
        check_last_x("let x = 'a'; x += b; use(x);", Type::Text);
        check_last_x("const y = 2; const x = y * 2; use(x);", NUMBER);
        check_last_x("var x = 1; use(x);", NUMBER);
        check_last_x("for (let x = 0; x < 3; x++) use(x);", NUMBER);
        check("let total = 1;", "total", NUMBER);
    }

    #[test]
    fn names_that_may_change_their_type() {
        check_last_x("let x = 0; x += a; use(x);", Type::Unknown);
        check_last_x("let x = 0; x = x + 1; use(x);", Type::Unknown);
        check_last_x("let x = 0; [x] = a; use(x);", Type::Unknown);
        check_last_x("let x = 0; ({ x } = a); use(x);", Type::Unknown);
        check_last_x("let x = 0; ({ a: x = 1 } = a); use(x);", Type::Unknown);
        check_last_x("let x = 0; for (x of a) b(); use(x);", Type::Unknown);
        check_last_x("var x = 0; var x = 'a'; use(x);", Type::Unknown);
        check_last_x("if (a) { var x = 0; } use(x);", Type::Unknown);
        check_last_x("f(); var x = 0; function f() { use(x); }", Type::Unknown);
        check_last_x("var { x } = { x: 1 }; use(x);", Type::Unknown);
        check_last_x("function f(x) { use(x); }", Type::Unknown);
        check_last_x("const x = x + 1;", Type::Unknown);
    }

    #[test]
    fn objects_of_classes() {
        let program = Program::parse(
            Language::JavaScript,
            "class Counter { n = 0; step() { return this; } static make() { return this; } }
             const counter = new Counter(); const map = new Map(); const Anonymous = class { me() { return this; } };",
        );
        let class = |name: &str| {
            let is_it = |id: &SymbolId| program.name_of(*id) == name;
            Type::Declared(program.scopes().symbols().map(|(id, _)| id).find(is_it).unwrap())
        };
        assert_eq!(of_first(&program, "new Counter()"), class("Counter"));
        assert_eq!(of_first(&program, "counter"), class("Counter"));
        assert_eq!(of_first(&program, "map"), Type::Outside("Map".to_owned()));
        let this: Vec<Type> = program.nodes_of_kind(Kind::This).map(|node| program.type_of(node)).collect();
        assert_eq!(this, [class("Counter"), Type::Unknown, class("Anonymous")]);
    }

    #[test]
    fn functions_are_themselves() {
        let program = Program::parse(Language::JavaScript, "function f() {} use(f); function g() {} g = 1;");
        assert!(matches!(of_first(&program, "f"), Type::Function(_)));
        assert_eq!(of_first(&program, "g"), Type::Unknown);
    }
}
