//! Replaces an expression with a lambda that computes it and is called immediately.
//!
//! class: structure
//! groups: lampion
//! from: Lampion (LambdaIdentity)
//!
//! Only expressions without calls, assignments and jumps qualify, so that no checked exception, no `yield` and no
//! `await` ends up inside the lambda. In Java and C++ the type of the expression is evident; in Java the variables
//! are assigned and never change, and a cast unboxes the result, so that neither overloads nor `==` see a difference.
//!
//! ```java
//! int f(int n) { return n + 1; }
//! ```
//! ->
//! ```java
//! int f(int n) { return ((int) ((java.util.function.Supplier<Integer>) () -> n + 1).get()); }
//! ```
//!
//! ```cpp
//! int f(int n) { int m = n + 1; return m; }
//! ```
//! ->
//! ```cpp
//! int f(int n) { int m = [&]{ return n + 1; }(); return m; }
//! ```
//!
//! ```python
//! def f(n):
//!     return n + 1
//! ```
//! ->
//! ```python
//! def f(n):
//!     return (lambda: n + 1)()
//! ```
//!
//! ```javascript
//! function f(n) { return n + 1; }
//! ```
//! ->
//! ```javascript
//! function f(n) { return (() => n + 1)(); }
//! ```
//!
//! In Java a variable that changes cannot be captured, a Python class body is not a scope for its lambdas, and
//! expressions with side effects stay where they are:
//!
//! ```java
//! int f(int n) { n++; return n; }
//! ```
//!
//! ```python
//! class A:
//!     n = m + 1
//! ```
//!
//! ```javascript
//! function* f() { const n = yield; }
//! ```

use syntax::flow::{is_constant_expression, is_definitely_assigned, is_effectively_final};
use syntax::types::Number;
use syntax::{Field, Kind, Language, Node, Program, SymbolKind, Target, Type};

use crate::Sites;
use crate::parts::expressions::{is_compared_by_identity, is_value};
use crate::parts::layout::replace;
use crate::parts::statements::is_evaluated_by_compiler;
use crate::parts::statements::{function_around, statement_around};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if program.reaches_names_by_text() || hides_a_name(program) {
        return;
    }
    for node in program.nodes().filter(|node| is_value(*node) && is_simple(*node)) {
        if let Some((before, after)) = lambda(node) {
            sites.add(node.range(), move |_| Some(vec![replace(node, &format!("{before}{}{after}", node.text()))]));
        }
    }
}

/// What goes before and after the expression; `None` when it cannot become the body of a lambda.
fn lambda(node: Node<'_>) -> Option<(&'static str, &'static str)> {
    let program = node.program();
    match program.language() {
        Language::Java if can_move_in_java(node) => Some(match program.type_of(node) {
            Type::Boolean => ("((boolean) ((java.util.function.Supplier<Boolean>) () -> ", ").get())"),
            Type::Number(Number::Int) => ("((int) ((java.util.function.Supplier<Integer>) () -> ", ").get())"),
            Type::Number(Number::Long) => ("((long) ((java.util.function.Supplier<Long>) () -> ", ").get())"),
            Type::Number(Number::Double) => ("((double) ((java.util.function.Supplier<Double>) () -> ", ").get())"),
            Type::Number(Number::Float) => ("((float) ((java.util.function.Supplier<Float>) () -> ", ").get())"),
            Type::Text => ("((java.util.function.Supplier<String>) () -> ", ").get()"),
            _ => return None,
        }),
        Language::Cpp if can_move_in_cpp(node) => Some(("[&]{ return ", "; }()")),
        Language::Python if can_move_in_python(node) => Some(("(lambda: ", ")()")),
        Language::JavaScript if can_move_in_javascript(node) => Some(("(() => ", ")()")),
        // C has no lambdas.
        Language::Java | Language::C | Language::Cpp | Language::Python | Language::JavaScript => None,
    }
}

/// Is the expression built from names, literals, members, elements and operators alone?
fn is_simple(node: Node<'_>) -> bool {
    let is_part = |part: Node<'_>| {
        !part.is_named()
            || part.kind().is_identifier()
            || matches!(
                part.kind(),
                Kind::BinaryExpression
                    | Kind::ParenthesizedExpression
                    | Kind::FieldAccess
                    | Kind::ArrayAccess
                    | Kind::This
                    | Kind::True
                    | Kind::False
                    | Kind::DecimalIntegerLiteral
                    | Kind::DecimalFloatingPointLiteral
                    | Kind::NumberLiteral
                    | Kind::Number
                    | Kind::Integer
                    | Kind::Float
                    | Kind::String
                    | Kind::StringLiteral
                    | Kind::StringFragment
                    | Kind::StringContent
                    | Kind::StringStart
                    | Kind::StringEnd
                    | Kind::EscapeSequence
                    | Kind::BinaryOperator
                    | Kind::BooleanOperator
                    | Kind::ComparisonOperator
                    | Kind::NotOperator
                    | Kind::Attribute
                    | Kind::Subscript
                    | Kind::MemberExpression
                    | Kind::SubscriptExpression
            )
    };
    // Brackets hold the same expression, which is a candidate of its own; a name alone says nothing.
    !matches!(node.kind(), Kind::ParenthesizedExpression | Kind::This) && node.descendants().all(is_part)
}

/// Does the program declare something that is called like what the lambda needs?
fn hides_a_name(program: &Program) -> bool {
    match program.language() {
        Language::Java => program.scopes().symbols().any(|(symbol, _)| {
            matches!(program.name_of(symbol), "java" | "Boolean" | "Integer" | "Long" | "Double" | "Float" | "String")
        }),
        // Old versions allow no nested function where names are bound by `exec` or unbound by `del`.
        Language::Python => program.nodes().any(|node| {
            matches!(node.kind(), Kind::ExecStatement | Kind::DeleteStatement | Kind::WildcardImport)
                || node.kind() == Kind::Identifier && node.text() == "UnboundLocalError"
        }),
        Language::C | Language::Cpp | Language::JavaScript => false,
    }
}

fn can_move_in_java(node: Node<'_>) -> bool {
    let (program, Some(parent)) = (node.program(), node.parent()) else { return false };
    let scopes = program.scopes();
    // Fields are not assigned yet where an object is made.
    let is_in_method = function_around(node).is_some_and(|function| function.kind() == Kind::MethodDeclaration);
    let can_capture =
        node.descendants().filter(|part| part.kind() == Kind::Identifier).all(|name| match scopes.target(name) {
            Some(Target::Symbol(symbol)) => match scopes.symbol(symbol).kind {
                SymbolKind::Local | SymbolKind::Parameter => {
                    is_effectively_final(program, symbol) && is_definitely_assigned(symbol, node)
                }
                SymbolKind::Field => true,
                _ => false,
            },
            Some(Target::Outside | Target::Member | Target::Unknown) => true,
            None => false,
        });
    let value_type = program.type_of(node);
    // A constant may decide what is reached, or be of a type that it does not have.
    let keeps_type = match parent.kind() {
        Kind::ReturnStatement => function_around(node)
            .and_then(|function| function.child(Field::Type))
            .is_some_and(|declared| program.type_of(declared) == value_type),
        Kind::VariableDeclarator => parent.parent().is_some_and(|declaration| {
            declaration.kind() == Kind::LocalVariableDeclaration
                && declaration.child_of_kind(Kind::Modifiers).is_none()
                && declaration.child(Field::Type).is_some_and(|declared| program.type_of(declared) == value_type)
                && parent.child(Field::Name).is_some_and(|name| program.type_of(name) == value_type)
        }),
        Kind::AssignmentExpression => {
            parent.child(Field::Left).is_some_and(|target| program.type_of(target) == value_type)
        }
        Kind::BinaryExpression => !is_constant_expression(parent),
        Kind::ArgumentList => parent.parent().is_some_and(|call| call.kind() == Kind::MethodInvocation),
        _ => false,
    };
    is_in_method && keeps_type && can_capture
}

fn can_move_in_cpp(node: Node<'_>) -> bool {
    let (program, Some(parent)) = (node.program(), node.parent()) else { return false };
    let is_computed = node.kind() == Kind::BinaryExpression
        && matches!(
            program.type_of(node),
            Type::Boolean | Type::Number(Number::Int | Number::Long | Number::Double | Number::UnsignedInt)
        );
    // What must be known while the program is compiled, and what is not a local variable, stays.
    let is_in_place = match parent.kind() {
        Kind::InitDeclarator => parent.parent().is_some_and(|declaration| {
            declaration.kind() == Kind::Declaration
                && !declaration
                    .children()
                    .any(|child| matches!(child.kind(), Kind::TypeQualifier | Kind::StorageClassSpecifier))
                && matches!(program.type_of(node), Type::Boolean | Type::Number(_))
                && parent.child(Field::Declarator).is_some_and(|declared| declared.kind() == Kind::Identifier)
        }),
        Kind::ReturnStatement => true,
        Kind::AssignmentExpression => parent
            .child(Field::Left)
            .is_some_and(|target| matches!(program.type_of(target), Type::Boolean | Type::Number(_))),
        _ => false,
    };
    let has_plain_names = node.descendants().filter(|part| part.kind() == Kind::Identifier).all(|name| {
        program.scopes().symbol_at(name).is_some_and(|symbol| {
            let symbol = program.scopes().symbol(symbol);
            let declaration = program.node(symbol.declaration);
            matches!(symbol.kind, SymbolKind::Local | SymbolKind::Parameter | SymbolKind::Global | SymbolKind::Field)
                && !declaration.ancestors().any(|around| around.kind() == Kind::StructuredBindingDeclarator)
                && !is_in_register(declaration)
        })
    });
    is_computed
        && is_in_place
        && has_plain_names
        && statement_around(node).is_some()
        && function_around(node).is_some_and(|function| function.kind() == Kind::FunctionDefinition)
        && !is_evaluated_by_compiler(node)
        && !node.ancestors().any(|around| around.kind() == Kind::LambdaExpression)
}

/// Is this an explicit register variable, as in `register int n asm("ebx")`? It has no address.
fn is_in_register(name: Node<'_>) -> bool {
    let declaration = name.ancestors().find(|around| around.kind() == Kind::Declaration);
    declaration.is_some_and(|around| around.descendants().any(|part| part.kind() == Kind::GnuAsmExpression))
}

fn can_move_in_python(node: Node<'_>) -> bool {
    if is_compared_by_identity(node) || node.descendants().any(|part| part.text() == "__class__") {
        return false;
    }
    // In the body of a class only the class itself sees its names.
    let around = node.ancestors().find(|around| {
        matches!(
            around.kind(),
            Kind::FunctionDefinition | Kind::Lambda | Kind::ClassDefinition | Kind::GeneratorExpression
        )
    });
    let is_in_body = around.is_none_or(|around| match around.kind() {
        Kind::FunctionDefinition => around.child(Field::Body).is_some_and(|body| body.contains(node)),
        _ => false,
    });
    is_in_body && !is_name_or_literal(node)
}

fn can_move_in_javascript(node: Node<'_>) -> bool {
    let names_await = |part: Node<'_>| matches!(part.text(), "await" | "yield" | "arguments" | "eval");
    !node.descendants().any(|part| part.kind() == Kind::Identifier && names_await(part)) && !is_name_or_literal(node)
}

/// Lone names and literals are left to other units: a lambda around them hides nothing.
fn is_name_or_literal(node: Node<'_>) -> bool {
    node.named_children().next().is_none() || matches!(node.kind(), Kind::String)
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn constants_that_decide_stay() {
        check_refused("lambda-identity", Java, "void f() { while (true) { g(); } }");
        check_refused("lambda-identity", Java, "void f() { final int n = 5; byte b = 5; long m = 5; }");
        check_refused("lambda-identity", Java, "class A { int n = 1 + 2; A() { n = 3; } }");
        check_refused("lambda-identity", Cpp, "int f() { const int n = 1 + 2; int a[n + 1]; }");
        check_refused("lambda-identity", Cpp, "constexpr int f(int n) { return n + 1; }");
    }

    #[test]
    fn explicit_register_variables_are_not_captured() {
        let text = |kept: &str| format!("int f(int m) {{ register int n {kept}; n = 2; return n + m; }}");
        check_refused("lambda-identity", Cpp, &text("__asm(\"ebx\")"));
        assert_eq!(all_results("lambda-identity", Cpp, &text("")).len(), 1);
    }

    #[test]
    fn variables_are_final_and_assigned() {
        check_refused("lambda-identity", Java, "int f() { int n; n = g(); n++; return n; }");
        check(
            "lambda-identity",
            Java,
            "boolean f(int n, int m) { return n == m; }",
            "boolean f(int n, int m) { return ((boolean) ((java.util.function.Supplier<Boolean>) () -> n == m).get()); }",
        );
    }

    #[test]
    fn calls_stay_outside() {
        check_refused("lambda-identity", Java, "int f() throws E { return g(); }");
        check_refused("lambda-identity", Python, "def f(self):\n    return super().f()\n");
        check_refused("lambda-identity", JavaScript, "async function f(p) { return await p; }");
        check_refused("lambda-identity", C, "int f(int n) { return n + 1; }");
    }

    #[test]
    fn classes_of_the_program_hide_names() {
        check_refused("lambda-identity", Java, "class Integer { int f(int n) { return n + 1; } }");
    }

    #[test]
    fn lines_of_javascript_do_not_run_together() {
        check("lambda-identity", JavaScript, "f()\nx = a + b\n", "f()\nx = (() => a + b)()\n");
        check_refused("lambda-identity", JavaScript, "f\na\n");
    }

    #[test]
    fn operands_are_candidates_of_their_own() {
        assert_eq!(all_results("lambda-identity", Python, "x = a * b + c\n").len(), 2);
    }
}
