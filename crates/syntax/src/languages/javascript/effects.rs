//! JavaScript.

use crate::flow::effects::{Hazards, is_defined_by_language, together};
use crate::flow::jumps::function_around;
use crate::kind::{Field, Kind};
use crate::scopes::{SymbolId, SymbolKind, Target};
use crate::tree::Node;
use crate::types::{Number, Type};
use crate::words;

pub(crate) fn hazards(node: Node<'_>) -> Hazards {
    let parts = |node: Node<'_>| together(node.named_children(), hazards);
    match node.kind() {
        Kind::Number
        | Kind::String
        | Kind::True
        | Kind::False
        | Kind::Null
        | Kind::Undefined
        | Kind::Regex
        | Kind::ArrowFunction
        | Kind::FunctionExpression
        | Kind::GeneratorFunction => Hazards::NONE,
        Kind::This => of_this(node),
        Kind::TemplateString => {
            let substitutions = node.named_children().filter(|part| part.kind() == Kind::TemplateSubstitution);
            together(substitutions.flat_map(Node::named_children), converted)
        }
        Kind::ParenthesizedExpression | Kind::SequenceExpression | Kind::TernaryExpression => parts(node),
        Kind::Identifier | Kind::ShorthandPropertyIdentifier => of_name(node),
        Kind::UnaryExpression => {
            match (node.child(Field::Operator).map_or("", Node::text), node.child(Field::Argument)) {
                ("!" | "typeof" | "void", Some(operand)) => hazards(operand),
                ("-" | "~", Some(operand)) => converted(operand),
                // Big integers do not become numbers.
                ("+", Some(operand)) => {
                    converted(operand) | Hazards::of(Hazards::ALL, !is_plain_value(&type_of(operand)))
                }
                _ => Hazards::ALL,
            }
        }
        Kind::BinaryExpression => of_binary(node),
        Kind::Array => together(node.named_children(), |element| match element.kind() {
            Kind::SpreadElement => Hazards::ALL,
            _ => hazards(element),
        }),
        Kind::Object => together(node.named_children(), of_property),
        Kind::MemberExpression => {
            let object = node.child(Field::Object);
            let is_length = node.child(Field::Property).is_some_and(|property| property.text() == "length")
                && object.is_some_and(|object| matches!(type_of(object), Type::Array(_) | Type::Text));
            object.filter(|_| is_length).map_or(Hazards::ALL, hazards)
        }
        Kind::SubscriptExpression => match (node.child(Field::Object), node.child(Field::Index)) {
            (Some(object), Some(index)) => {
                let has_elements = matches!(type_of(object), Type::Array(_) | Type::Text);
                let is_index = matches!(type_of(index), Type::Number(Number::JavaScriptNumber));
                hazards(object) | hazards(index) | Hazards::of(Hazards::ALL, !(has_elements && is_index))
            }
            _ => Hazards::ALL,
        },
        _ => Hazards::ALL,
    }
}

fn type_of(node: Node<'_>) -> Type {
    node.program().type_of(node)
}

/// Values that operators convert without running code of the program. Big integers are left out: they
/// do not mix with numbers.
fn is_plain_value(evident: &Type) -> bool {
    matches!(evident, Type::Number(Number::JavaScriptNumber) | Type::Boolean | Type::Text | Type::Null)
}

/// An operand that becomes a number or a string.
fn converted(operand: Node<'_>) -> Hazards {
    let evident = type_of(operand);
    let is_plain = is_plain_value(&evident) || matches!(evident, Type::Number(Number::BigInteger));
    hazards(operand) | Hazards::of(Hazards::ALL, !is_plain)
}

/// In the constructor of a subclass there is no object before `super()`.
fn of_this(node: Node<'_>) -> Hazards {
    let is_constructor =
        |function: Node<'_>| function.child(Field::Name).is_some_and(|name| name.text() == "constructor");
    let mut function = function_around(node);
    while let Some(arrow) = function.filter(|function| function.kind() == Kind::ArrowFunction) {
        function = function_around(arrow);
    }
    Hazards::of(Hazards::RAISES, function.is_some_and(is_constructor))
}

fn of_binary(node: Node<'_>) -> Hazards {
    let (Some(left), Some(right), Some(operator)) =
        (node.child(Field::Left), node.child(Field::Right), node.child(Field::Operator))
    else {
        return Hazards::ALL;
    };
    let (left_type, right_type) = (type_of(left), type_of(right));
    let both_plain = is_plain_value(&left_type) && is_plain_value(&right_type);
    let is_plain = match operator.text() {
        "===" | "!==" | "&&" | "||" | "??" => true,
        // Nothing is converted for a comparison with null.
        "==" | "!=" => both_plain || is_absent(left) || is_absent(right),
        "in" | "instanceof" => false,
        _ => both_plain,
    };
    hazards(left) | hazards(right) | Hazards::of(Hazards::ALL, !is_plain)
}

fn is_absent(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::Null | Kind::Undefined)
}

fn of_property(property: Node<'_>) -> Hazards {
    let of_key = |key: Node<'_>| match key.kind() {
        Kind::ComputedPropertyName => together(key.named_children(), converted),
        _ => Hazards::NONE,
    };
    match property.kind() {
        Kind::Pair => match (property.child(Field::Key), property.child(Field::Value)) {
            (Some(key), Some(value)) => of_key(key) | hazards(value),
            _ => Hazards::ALL,
        },
        Kind::ShorthandPropertyIdentifier => hazards(property),
        Kind::MethodDefinition => property.child(Field::Name).map_or(Hazards::ALL, of_key),
        _ => Hazards::ALL,
    }
}

fn of_name(name: Node<'_>) -> Hazards {
    let scopes = name.program().scopes();
    match scopes.target(name) {
        Some(Target::Symbol(symbol)) => match scopes.symbol(symbol).kind {
            // Modules that import each other can see names before they have a value.
            SymbolKind::Import => Hazards::RAISES,
            _ => Hazards::of(Hazards::RAISES, !is_initialised(name, symbol)),
        },
        Some(Target::Outside) => Hazards::of(Hazards::ALL, !is_defined_by_language(name)),
        _ => Hazards::ALL,
    }
}

/// Names that every engine defines, and that nobody can make into getters without trying hard.
pub(crate) const GLOBALS: &[&str] = words!(
    "Array Boolean Date Error Function Infinity JSON Map Math NaN Number Object Promise RangeError ReferenceError
     RegExp Set String Symbol SyntaxError TypeError URIError WeakMap WeakSet decodeURI decodeURIComponent encodeURI
     encodeURIComponent eval isFinite isNaN parseFloat parseInt undefined"
);

/// Is the place certainly after the declaration, if there is a dead zone before it at all?
fn is_initialised(name: Node<'_>, symbol: SymbolId) -> bool {
    let program = name.program();
    let declared = program.node(program.scopes().symbol(symbol).declaration);
    let declaration = declared.ancestors().find(|around| {
        matches!(
            around.kind(),
            Kind::VariableDeclaration
                | Kind::LexicalDeclaration
                | Kind::FunctionDeclaration
                | Kind::GeneratorFunctionDeclaration
                | Kind::ClassDeclaration
                | Kind::FormalParameters
                | Kind::ArrowFunction
                | Kind::CatchClause
                | Kind::ForInStatement
                | Kind::FunctionExpression
                | Kind::Class
        )
    });
    let Some(declaration) = declaration else { return false };
    match declaration.kind() {
        Kind::VariableDeclaration | Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration => true,
        // A default value may come before the parameter that it names.
        Kind::FormalParameters => !declaration.contains(name),
        Kind::ArrowFunction | Kind::CatchClause | Kind::FunctionExpression => {
            declaration.child(Field::Body).is_some_and(|body| body.contains(name))
        }
        Kind::ForInStatement => {
            let is_var = declaration.child(Field::Kind).is_some_and(|word| word.is_token("var"));
            is_var || declaration.child(Field::Body).is_some_and(|body| body.contains(name))
        }
        Kind::LexicalDeclaration | Kind::ClassDeclaration => is_behind(declaration, name),
        _ => false,
    }
}

/// Has the declaration been run whenever control comes to the name?
fn is_behind(declaration: Node<'_>, name: Node<'_>) -> bool {
    // What an exported declaration declares belongs to the block around it.
    let mut statement = declaration;
    while let Some(export) = statement.parent().filter(|parent| parent.kind() == Kind::ExportStatement) {
        statement = export;
    }
    let Some(block) = statement.parent() else { return false };
    // A function that is declared can be called from before its declaration.
    let runs_in_order = name
        .ancestors()
        .take_while(|around| *around != block)
        .all(|around| !matches!(around.kind(), Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration));
    statement.end() <= name.start() && block.contains(name) && runs_in_order
}

#[cfg(test)]
mod tests {
    use crate::flow::testing::with_marked;
    use crate::flow::{may_have_effect, may_raise};
    use crate::language::Language;

    fn check(source: &str, effect: bool, raises: bool) {
        with_marked(Language::JavaScript, source, |node| {
            assert_eq!(may_have_effect(node), effect, "effect in {source}");
            assert_eq!(may_raise(node), raises, "failure in {source}");
        });
    }

    #[test]
    fn names() {
        let bound = [
            "function f(a) { x = «a»; }",
            "function f() { x = «a»; var a; }",
            "function f() { let a = 1; { x = «a»; } }",
            "function f() { const a = 1; return () => «a»; }",
            "function f() { x = «f»; }",
            "for (let i = 0; i < 1; i++) { x = «i»; }",
            "for (const a of [1]) { x = «a»; }",
            "const { a, b: [c] } = d(); x = «c»;",
            "x = «Math»;",
            "g(a => { x = «a»; });",
            "try { } catch (e) { x = «e»; }",
        ];
        for source in bound {
            check(source, false, false);
        }
        check("function f() { x = «a»; let a = 1; }", false, true);
        check("function f() { const g = () => «a»; let a = 1; }", false, true);
        check("let a = «a»;", false, true);
        check("let a = 1; function f() { x = «a»; }", false, true);
        check("export const a = 1; x = «a»;", false, false);
        check("switch (b) { case 1: let a; break; case 2: x = «a»; }", false, true);
        check("function f(a = «b», b) { }", false, true);
        check("x = «window»;", true, true);
        check("import a from 'b'; x = «a»;", false, true);
    }

    #[test]
    fn harmless() {
        let values = [
            "1",
            "'a'",
            "`a`",
            "null",
            "/a/",
            "() => f()",
            "function () { f(); }",
            "[1, a]",
            "({ a, b: 1, c() { f(); } })",
            "a === b",
            "a && b",
            "a ?? b",
            "!a",
            "typeof a",
            "a ? 1 : b",
            "a == null",
            "(a, b)",
            "1 + 2",
            "this",
        ];
        for value in values {
            check(&format!("function g(a, b) {{ x = «{value}»; }}"), false, false);
        }
    }

    #[test]
    fn may_do_anything() {
        let values = [
            "f()",
            "new A()",
            "a.b",
            "a[0]",
            "a + b",
            "a == b",
            "-a",
            "`${a}`",
            "[...a]",
            "({ ...a })",
            "({ [a]: 1 })",
            "a++",
            "a = 1",
            "delete a.b",
            "a in b",
            "a?.b",
            "class { }",
            "a < b",
            "1n + a",
        ];
        for value in values {
            check(&format!("function g(a, b) {{ x = «{value}»; }}"), true, true);
        }
        check("async function f(a) { x = «await a»; }", true, true);
        check("function* f() { x = «yield 1»; }", true, true);
        check("class A extends B { constructor() { x = «this»; } }", false, true);
    }
}
