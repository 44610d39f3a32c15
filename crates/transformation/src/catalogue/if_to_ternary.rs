//! Turns an `if` whose branches both assign to the same target, or both return, into a conditional expression.
//!
//! class: structure
//! from: common practice
//! inverse: ternary-to-if
//!
//! The condition is evaluated once and decides which value is computed, before and after. The target has no side
//! effects, and in Java, C and C++ both values have the same type, so neither is converted.
//!
//! ```java
//! int f(boolean b) { int x; if (b) { x = 1; } else { x = 2; } return x; }
//! ```
//! ->
//! ```java
//! int f(boolean b) { int x; x = b ? 1 : 2; return x; }
//! ```
//!
//! ```c
//! int f(int a, int b) { if (a < b) return a; else return b; }
//! ```
//! ->
//! ```c
//! int f(int a, int b) { return a < b ? a : b; }
//! ```
//!
//! ```cpp
//! int f(int a, int b) { int m = 0; if (a < b) { m = a; } else m = b; return m; }
//! ```
//! ->
//! ```cpp
//! int f(int a, int b) { int m = 0; m = a < b ? a : b; return m; }
//! ```
//!
//! ```python
//! if c:
//!     x = a
//! else:
//!     x = b, 1
//! ```
//! ->
//! ```python
//! x = a if c else (b, 1)
//! ```
//!
//! ```javascript
//! if (a = b) { x = 1; } else { x = 2; }
//! ```
//! ->
//! ```javascript
//! x = (a = b) ? 1 : 2;
//! ```
//!
//! One of these would be converted to the type of the other:
//!
//! ```java
//! Object f(boolean b) { if (b) { return 1; } else { return 2.0; } }
//! ```
//!
//! ```javascript
//! if (a) { x = 1; } else { y = 2; }
//! ```

use syntax::views::{If, Store, is_block};
use syntax::{Edit, Kind, Language, Node, Program, Type};

use crate::Sites;
use crate::parts::branches::{contains_comment, only_statement};
use crate::parts::layout::replace;
use crate::parts::ternaries::{is_target_independent, takes_name, type_of_target, values_agree};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes_of_kind(Kind::IfStatement) {
        if let Some(pair) = pair_of(node) {
            sites.add(node.range(), move |_| Some(vec![edit(node, &pair)]));
        }
    }
}

struct Pair<'p> {
    condition: Node<'p>,
    target: Option<Node<'p>>,
    first: Node<'p>,
    second: Node<'p>,
}

fn pair_of(node: Node<'_>) -> Option<Pair<'_>> {
    let program = node.program();
    let parts = If::of(node)?;
    let otherwise = parts.otherwise?;
    let (then, other) = (statement_of(parts.then)?, statement_of(otherwise.body)?);
    let (target, first, second) = match (Store::of(then)?, Store::of(other)?) {
        (Store::Return { value: first }, Store::Return { value: second }) => (None, first, second),
        (Store::Assignment { target, value: first }, Store::Assignment { target: twin, value: second })
            if target.text() == twin.text() =>
        {
            (Some(target), first, second)
        }
        _ => return None,
    };
    let condition = parts.condition;
    let is_free = target.is_none_or(|target| is_target_independent(target, &[condition, first, second]));
    let fits = match program.language() {
        Language::Python => ![condition, first, second].iter().any(|part| part.text().contains('\n')),
        Language::JavaScript => target.is_none() || !takes_name(first) && !takes_name(second),
        Language::Java => true,
        // Each zero by itself may be a null pointer; a choice between two of them is a number.
        Language::C | Language::Cpp => {
            let is_number = matches!(type_of_target(target, then), Type::Number(_) | Type::Boolean);
            is_number || !(is_zero(first) && is_zero(second))
        }
    };
    let target_type = match (program.language(), target) {
        (Language::Cpp, None) => program.type_of(first),
        _ => type_of_target(target, then),
    };
    let is_list = [first, second].iter().any(|value| value.kind() == Kind::InitializerList);
    (is_free && fits && !is_list && !contains_comment(node) && values_agree(&target_type, first, second))
        .then_some(Pair { condition, target, first, second })
}

fn is_zero(value: Node<'_>) -> bool {
    value.kind() == Kind::NumberLiteral && value.text().chars().all(|digit| digit == '0')
}

fn statement_of(branch: Node<'_>) -> Option<Node<'_>> {
    if is_block(branch) { only_statement(branch) } else { Some(branch) }
}

fn edit(node: Node<'_>, pair: &Pair<'_>) -> Edit {
    let (condition, first, second) = (operand(pair.condition), operand(pair.first), operand(pair.second));
    let value = match node.program().language() {
        Language::Python => format!("{first} if {condition} else {second}"),
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
            format!("{condition} ? {first} : {second};")
        }
    };
    match pair.target {
        Some(target) => replace(node, &format!("{} = {value}", target.text())),
        None => replace(node, &format!("return {value}")),
    }
}

/// The expression, with brackets when it binds no tighter than a conditional expression.
fn operand(expression: Node<'_>) -> String {
    match expression.kind() {
        Kind::AssignmentExpression
        | Kind::AugmentedAssignmentExpression
        | Kind::SequenceExpression
        | Kind::CommaExpression
        | Kind::TernaryExpression
        | Kind::ConditionalExpression
        | Kind::LambdaExpression
        | Kind::Lambda
        | Kind::ArrowFunction
        | Kind::YieldExpression
        | Kind::Yield
        | Kind::NamedExpression
        | Kind::SwitchExpression
        | Kind::ExpressionList => format!("({})", expression.text()),
        _ => expression.text().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    #[test]
    fn conversions_are_refused() {
        check_refused("if-to-ternary", Java, "void f(boolean b) { byte x; if (b) x = 1; else x = 2; }");
        check_refused("if-to-ternary", Java, "Integer f(boolean b, Integer i) { if (b) return 1; else return i; }");
        check_refused("if-to-ternary", Java, "Integer f(boolean b) { if (b) return 1; else return null; }");
        check_refused("if-to-ternary", C, "void f(int b, unsigned u) { long n; if (b) n = -1; else n = u; }");
    }

    /// pugixml: a function that returns a pointer returns 0 in both branches.
    #[test]
    fn null_pointers_are_not_chosen_between() {
        check_refused("if-to-ternary", C, "struct s *f(int b) { if (b) return 0; else return 0; }");
        check_refused("if-to-ternary", Cpp, "s *f(int b) { if (b) { return 0; } else { return 0; } }");
        check(
            "if-to-ternary",
            C,
            "void f(int b, int n) { if (b) n = 0; else n = 0; }",
            "void f(int b, int n) { n = b ? 0 : 0; }",
        );
    }

    #[test]
    fn nested_in_an_else() {
        check(
            "if-to-ternary",
            Java,
            "String f(int a) { if (a > 2) { g(); return \"\"; } else if (a > 1) return \"a\"; else return null; }",
            "String f(int a) { if (a > 2) { g(); return \"\"; } else return a > 1 ? \"a\" : null; }",
        );
    }

    #[test]
    fn other_branches_are_refused() {
        check_refused("if-to-ternary", JavaScript, "if (a) { x = 1; g(); } else { x = 2; }");
        check_refused("if-to-ternary", JavaScript, "if (a) { x += 1; } else { x += 2; }");
        check_refused("if-to-ternary", JavaScript, "if (a) { x = 1; /* b */ } else { x = 2; }");
        check_refused("if-to-ternary", JavaScript, "if (a) { x = () => 1; } else { x = g; }");
        check_refused("if-to-ternary", JavaScript, "function f(a) { if (a) { return; } else { return 1; } }");
        check_refused("if-to-ternary", Python, "if a:\n    x = 1\nelif b:\n    x = 2\nelse:\n    x = 3\n");
        check_refused("if-to-ternary", Python, "if a:\n    x = y = 1\nelse:\n    x = 2\n");
    }

    #[test]
    fn suites_on_one_line() {
        check("if-to-ternary", Python, "if not a: x[f()] = 1\nelse: x[f()] = 2\n", "x[f()] = 1 if not a else 2\n");
    }
}
