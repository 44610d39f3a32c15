//! Swaps two adjacent statements that are independent of each other.
//!
//! class: structure
//! from: common practice
//!
//! Both only assign to local variables, neither reads or writes what the other writes, and neither calls anything or
//! can fail, so their order is not observable.
//!
//! ```java
//! int f(int n) { int a = n + 1; int b = n * 2; return a - b; }
//! ```
//! ->
//! ```java
//! int f(int n) { int b = n * 2; int a = n + 1; return a - b; }
//! ```
//!
//! ```c
//! int f(int n) {
//!     int a, b;
//!     a = n + 1;
//!     b = 2;
//!     return a - b;
//! }
//! ```
//! ->
//! ```c
//! int f(int n) {
//!     int a, b;
//!     b = 2;
//!     a = n + 1;
//!     return a - b;
//! }
//! ```
//!
//! ```cpp
//! int f(int n) { int a = n; n++; bool b = true; return b ? a : n; }
//! ```
//! ->
//! ```cpp
//! int f(int n) { int a = n; bool b = true; n++; return b ? a : n; }
//! ```
//!
//! ```python
//! def f():
//!     low = 0
//!     high = 9
//!     return low, high
//! ```
//! ->
//! ```python
//! def f():
//!     high = 9
//!     low = 0
//!     return low, high
//! ```
//!
//! ```javascript
//! function f() { let a = 1; const b = []; return b.concat(a); }
//! ```
//! ->
//! ```javascript
//! function f() { const b = []; let a = 1; return b.concat(a); }
//! ```
//!
//! The second reads what the first writes, or one of the two may fail:
//!
//! ```java
//! int f(int n) { int a = n + 1; int b = a * 2; return b; }
//! ```
//!
//! ```java
//! int f(int n) { int a = 1 / n; int b = 2; return a + b; }
//! ```

use syntax::flow::{accesses, may_have_effect, may_raise};
use syntax::{Field, Kind, Language, Node, Program, SymbolKind, Type};

use crate::Sites;
use crate::parts::layout::replace;
use crate::parts::loops::{declares_name_of, ends_in_comment};
use crate::parts::statements::{is_statement_list, statements};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for list in program.nodes().filter(|node| is_statement_list(*node) && node.kind() != Kind::CaseStatement) {
        let statements = statements(list);
        for pair in statements.windows(2) {
            let (first, second) = (pair[0], pair[1]);
            if !ends_in_comment(first)
                && !ends_in_comment(second)
                && are_neighbours(first, second)
                && is_plain(first)
                && is_plain(second)
                && are_independent(first, second)
            {
                sites.add(first.start()..second.end(), move |_| {
                    Some(vec![replace(first, second.text()), replace(second, first.text())])
                });
            }
        }
    }
}

/// Is there nothing between the two, neither a comment nor a directive?
fn are_neighbours(first: Node<'_>, second: Node<'_>) -> bool {
    let between = &first.program().text()[first.end()..second.start()];
    between.trim().is_empty() || !first.program().language().has_braces() && between.trim() == ";"
}

fn are_independent(first: Node<'_>, second: Node<'_>) -> bool {
    // A name that is declared by the second must not hide what the first means by it.
    if declares_name_of(second, first) || declares_name_of(first, second) {
        return false;
    }
    let (one, other) = (accesses(first), accesses(second));
    !one.has_unresolved
        && !other.has_unresolved
        && !(one.touches_memory && other.touches_memory)
        && !one.writes.iter().any(|symbol| other.writes.contains(symbol) || other.reads.contains(symbol))
        && !other.writes.iter().any(|symbol| one.reads.contains(symbol))
}

/// Does the statement do nothing but give values to local variables, without calls and failures?
fn is_plain(statement: Node<'_>) -> bool {
    match statement.kind() {
        Kind::ExpressionStatement => {
            let ends_well = match statement.program().language() {
                Language::JavaScript => statement.text().ends_with(';'),
                Language::Java | Language::C | Language::Cpp | Language::Python => true,
            };
            let mut parts = statement.named_children();
            let (Some(expression), None) = (parts.next(), parts.next()) else { return false };
            ends_well && is_plain_change(expression)
        }
        Kind::LocalVariableDeclaration | Kind::LexicalDeclaration | Kind::VariableDeclaration => {
            statement.text().ends_with(';')
                && statement
                    .named_children()
                    .filter(|part| part.kind() == Kind::VariableDeclarator)
                    .all(|part| is_plain_declarator(part, Field::Name))
        }
        Kind::Declaration => {
            statement.children_at(Field::Declarator).all(|part| match part.kind() {
                Kind::InitDeclarator => is_plain_declarator(part, Field::Declarator),
                Kind::Identifier => has_plain_type(part),
                _ => false,
            }) && statement.named_children().all(|part| match part.kind() {
                Kind::StorageClassSpecifier => false,
                Kind::TypeQualifier => part.text() == "const",
                _ => true,
            })
        }
        _ => false,
    }
}

fn is_plain_declarator(declarator: Node<'_>, name: Field) -> bool {
    let Some(name) = declarator.child(name).filter(|name| name.kind() == Kind::Identifier) else { return false };
    let is_good = declarator.child(Field::Value).is_none_or(|value| is_plain_value(name, value));
    is_good && has_plain_type(name)
}

/// `x = value`, `x += value` or `x++` for a local variable.
fn is_plain_change(expression: Node<'_>) -> bool {
    match expression.kind() {
        Kind::Assignment | Kind::AssignmentExpression => {
            let (Some(left), Some(right)) = (expression.child(Field::Left), expression.child(Field::Right)) else {
                return false;
            };
            let operator = expression.child(Field::Operator).map_or("=", |operator| operator.text());
            let is_good_operator = match operator {
                "=" => expression.child(Field::Type).is_none(),
                "+=" | "-=" | "*=" | "&=" | "|=" | "^=" => is_number(left) && is_number(right),
                _ => false,
            };
            is_good_operator && is_changeable(left) && is_plain_value(left, right)
        }
        Kind::AugmentedAssignment | Kind::AugmentedAssignmentExpression => {
            let (Some(left), Some(right)) = (expression.child(Field::Left), expression.child(Field::Right)) else {
                return false;
            };
            let operator = expression.child(Field::Operator).map_or("", |operator| operator.text());
            ["+=", "-=", "*="].contains(&operator)
                && is_number(left)
                && is_number(right)
                && !may_raise(left)
                && is_changeable(left)
                && is_plain_value(left, right)
        }
        Kind::UpdateExpression => expression
            .named_children()
            .next()
            .is_some_and(|name| is_number(name) && !may_raise(name) && is_changeable(name)),
        _ => false,
    }
}

fn is_number(node: Node<'_>) -> bool {
    matches!(node.program().type_of(node), Type::Number(_))
}

/// Is it a local variable that can be given a value without running anything?
fn is_changeable(name: Node<'_>) -> bool {
    let program = name.program();
    let scopes = program.scopes();
    let Some(symbol) = scopes.symbol_at(name).filter(|_| name.kind() == Kind::Identifier) else { return false };
    if !matches!(scopes.symbol(symbol).kind, SymbolKind::Local | SymbolKind::Parameter) || !has_plain_type(name) {
        return false;
    }
    let declaration = program.node(scopes.symbol(symbol).declaration);
    let around = declaration.ancestors().find(|around| {
        matches!(around.kind(), Kind::Declaration | Kind::ParameterDeclaration | Kind::LexicalDeclaration)
    });
    match program.language() {
        Language::Java | Language::Python => true,
        Language::C | Language::Cpp => around.is_some_and(|around| {
            !around.named_children().any(|part| {
                part.kind() == Kind::StorageClassSpecifier
                    || part.kind() == Kind::TypeQualifier && part.text() != "const"
            })
        }),
        // A constant cannot be assigned to, and a variable of a block not before its declaration.
        Language::JavaScript => {
            around.is_none_or(|around| !around.has_token("const") && declaration.end() <= name.start())
        }
    }
}

/// Is a variable of this type copied, made and destroyed without running anything of the program?
fn has_plain_type(name: Node<'_>) -> bool {
    match name.program().language() {
        Language::Java | Language::C | Language::Python | Language::JavaScript => true,
        Language::Cpp => {
            matches!(name.program().type_of(name), Type::Number(_) | Type::Boolean | Type::Pointer(_))
        }
    }
}

fn is_plain_value(name: Node<'_>, value: Node<'_>) -> bool {
    let program = name.program();
    // Java unboxes where a primitive variable gets an object, and fails for null.
    let may_unbox = match program.language() {
        Language::Java => {
            matches!(program.type_of(name), Type::Number(_) | Type::Boolean)
                && !matches!(program.type_of(value), Type::Number(_) | Type::Boolean)
        }
        Language::C | Language::Cpp | Language::Python | Language::JavaScript => false,
    };
    !may_unbox && !may_have_effect(value) && !may_raise(value)
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    const NAME: &str = "reorder-statements";

    #[test]
    fn a_name_that_would_be_hidden_is_refused() {
        check_refused(NAME, C, "int x; int f(void) { int y = x; int x = 2; return x + y; }");
        check_refused(NAME, Java, "class A { int x; int f() { int y = x; int x = 2; return x + y; } }");
    }

    #[test]
    fn what_runs_code_is_refused() {
        check_refused(NAME, Cpp, "void f() { Lock a; Lock b; }");
        check_refused(NAME, C, "void f(void) { volatile int a; int b; a = 1; b = 2; }");
        check_refused(NAME, C, "void f(int n) { int a = g(); int b = 2; }");
        check_refused(NAME, Java, "void f(Integer n) { int a = n; int b = 2; }");
        check_refused(NAME, JavaScript, "function f(o) { let a = o.x; let b = 2; }");
        check_refused(NAME, Python, "def f(n):\n    a = n + 1\n    b = 2\n    return a, b\n");
    }

    #[test]
    fn what_others_see_is_refused() {
        check_refused(NAME, C, "int a, b; void f(void) { a = 1; b = 2; }");
        check_refused(NAME, C, "void f(int *p) { *p = 1; p[1] = 2; }");
    }

    #[test]
    fn a_comment_between_them_is_refused() {
        check_refused(NAME, C, "void f(void) { int a = 1; /* first */ int b = 2; }");
        check_refused(NAME, JavaScript, "function f() {\n  let a = 1\n  let b = 2\n}\n");
    }

    #[test]
    fn both_on_one_line() {
        check(NAME, Python, "def f():\n    a = 1; b = 2\n    return a\n", "def f():\n    b = 2; a = 1\n    return a\n");
    }
}
