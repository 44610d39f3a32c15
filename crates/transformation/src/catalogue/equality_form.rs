//! Swaps the sides of a comparison with null, or turns a negated boolean into a comparison with `false`.
//!
//! class: structure
//! groups: guided-mutation
//! from: guided mutation
//! rules: null-first, null-last, negation-to-false, false-to-negation
//!
//! Evaluating null has no effect, so the order of evaluation does not matter; in C++, where `==` can be overloaded,
//! the other side must be a pointer. `!x` is `x == false` for values that are certain to be boolean. Guided
//! mutation's step between `.equals` and `==` changes what is compared and is left out.
//!
//! ```java
//! boolean f(Object o) { return o == null; }
//! ```
//! ->
//! ```java
//! boolean f(Object o) { return null == o; }
//! ```
//!
//! ```java
//! int f(boolean b) { if (!b) { return 1; } return 2; }
//! ```
//! ->
//! ```java
//! int f(boolean b) { if (b == false) { return 1; } return 2; }
//! ```
//!
//! ```c
//! int f(char *p) { return NULL != p; }
//! ```
//! ->
//! ```c
//! int f(char *p) { return p != NULL; }
//! ```
//!
//! ```cpp
//! int f(bool b) { return b == false ? 1 : 2; }
//! ```
//! ->
//! ```cpp
//! int f(bool b) { return !b ? 1 : 2; }
//! ```
//!
//! ```javascript
//! if (x.y === null) { f(); }
//! ```
//! ->
//! ```javascript
//! if (null === x.y) { f(); }
//! ```
//!
//! A class may define its own equality:
//!
//! ```cpp
//! bool f(std::shared_ptr<int> p) { return p == nullptr; }
//! ```

use syntax::views::contains_directive;
use syntax::{Field, Kind, Language, Node, Program, Type};

use crate::Sites;
use crate::parts::conditions::{binds_tightly, equality, negated};
use crate::parts::layout::replace;
use crate::parts::macros::is_macro_argument;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes() {
        match node.kind() {
            Kind::BinaryExpression => comparison(program, node, sites),
            Kind::UnaryExpression => negation(program, node, sites),
            _ => {}
        }
    }
}

fn comparison<'p>(program: &'p Program, node: Node<'p>, sites: &mut Sites<'p>) {
    let (Some(left), Some(operator), Some(right)) =
        (node.child(Field::Left), node.child(Field::Operator), node.child(Field::Right))
    else {
        return;
    };
    if !matches!(operator.text(), "==" | "!=" | "===" | "!==") || !is_plain_code(node) {
        return;
    }
    let is_pointer = |value: Node<'p>| match program.language() {
        Language::Cpp => matches!(program.type_of(value), Type::Pointer(_)),
        Language::Java | Language::C | Language::JavaScript => true,
        Language::Python => false,
    };
    match (is_null(left), is_null(right)) {
        (false, true) if is_pointer(left) => sites.add_rule("null-first", node.range(), move |_| {
            // On the right of the operator, another comparison would be taken apart.
            let is_comparison = left.kind() == Kind::BinaryExpression
                && left.child(Field::Operator).is_some_and(|inner| matches!(inner.text(), "==" | "!=" | "===" | "!=="));
            let moved = if is_comparison { format!("({})", left.text()) } else { left.text().to_owned() };
            Some(vec![replace(left, right.text()), replace(right, &moved)])
        }),
        (true, false) if is_pointer(right) && may_come_first(right) => {
            sites.add_rule("null-last", node.range(), move |_| {
                Some(vec![replace(left, right.text()), replace(right, left.text())])
            });
        }
        _ => {}
    }
    let value = match (left.kind(), right.kind()) {
        (_, Kind::False) => left,
        (Kind::False, _) => right,
        _ => return,
    };
    let is_equality = matches!(operator.text(), "==" | "===");
    if is_equality && program.type_of(value) == Type::Boolean && value.kind() != Kind::False {
        sites.add_rule("false-to-negation", node.range(), move |_| Some(vec![replace(node, &negated(value))]));
    }
}

fn negation<'p>(program: &'p Program, node: Node<'p>, sites: &mut Sites<'p>) {
    let is_not = node.child(Field::Operator).is_some_and(|operator| operator.is_token("!"));
    let value = node.child(Field::Argument).or_else(|| node.child(Field::Operand));
    let Some(value) = value.filter(|_| is_not && is_plain_code(node)) else { return };
    let is_simple = matches!(
        value.kind(),
        Kind::Identifier | Kind::MethodInvocation | Kind::CallExpression | Kind::FieldAccess | Kind::FieldExpression
    );
    if !is_simple || program.type_of(value) != Type::Boolean || !has_false(program) {
        return;
    }
    sites.add_rule("negation-to-false", node.range(), move |_| {
        let operator = equality(program.language());
        let text = format!("{} {operator} false", value.text());
        let may_stand_bare = node.parent().is_some_and(|parent| match parent.kind() {
            Kind::ParenthesizedExpression | Kind::ConditionClause | Kind::ReturnStatement => true,
            Kind::BinaryExpression => {
                parent.child(Field::Operator).is_some_and(|operator| matches!(operator.text(), "&&" | "||"))
            }
            _ => false,
        });
        Some(vec![replace(node, &if may_stand_bare { text } else { format!("({text})") })])
    });
}

fn is_null(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::Null | Kind::NullLiteral)
}

/// C knows `false` only from a header or since its latest standard.
fn has_false(program: &Program) -> bool {
    match program.language() {
        Language::C => program.text().contains("<stdbool.h>"),
        Language::Java | Language::Cpp | Language::JavaScript => true,
        Language::Python => false,
    }
}

/// Can the expression start a statement? In JavaScript a bracket would continue the line before it, and a brace would
/// open a block.
fn may_come_first(node: Node<'_>) -> bool {
    match node.program().language() {
        Language::JavaScript => {
            let text = node.text();
            !["function", "class", "async", "let"].iter().any(|word| text.starts_with(word))
                && text.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '$'))
        }
        Language::Java | Language::C | Language::Cpp => binds_tightly(node) || node.kind() == Kind::BinaryExpression,
        Language::Python => false,
    }
}

/// No part of a directive and no argument of a macro, and no directive inside.
fn is_plain_code(node: Node<'_>) -> bool {
    let is_condition = |around: Node<'_>| {
        around.kind().is_directive() && around.child(Field::Condition).is_some_and(|condition| condition.contains(node))
    };
    match node.program().language() {
        Language::C | Language::Cpp => {
            !contains_directive(node) && !is_macro_argument(node) && !node.ancestors().any(is_condition)
        }
        Language::Java | Language::JavaScript | Language::Python => true,
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn comparisons_of_comparisons_keep_their_shape() {
        check("equality-form", JavaScript, "f(a == b == null);", "f(null == (a == b));");
        check("equality-form", C, "int f(int *p) { return NULL==p; }", "int f(int *p) { return p==NULL; }");
    }

    #[test]
    fn negations_get_brackets_where_needed() {
        check(
            "equality-form",
            Java,
            "boolean f(boolean a, boolean b) { return b == !a; }",
            "boolean f(boolean a, boolean b) { return b == (a == false); }",
        );
        check(
            "equality-form",
            Java,
            "boolean f(boolean a, boolean b) { return b && !a; }",
            "boolean f(boolean a, boolean b) { return b && a == false; }",
        );
        check(
            "equality-form",
            Java,
            "boolean f(boolean a) { return false == a; }",
            "boolean f(boolean a) { return !a; }",
        );
        check(
            "equality-form",
            Java,
            "boolean f(boolean a, boolean b) { return (a && b) == false; }",
            "boolean f(boolean a, boolean b) { return !(a && b); }",
        );
    }

    #[test]
    fn values_that_may_not_be_boolean_are_left_alone() {
        check_refused("equality-form", JavaScript, "function f(x) { return !x || x === false; }");
        check_refused("equality-form", C, "int f(int x) { return !x; }");
        check_refused("equality-form", Cpp, "bool f(Flag x) { return !x || x == false; }");
        check_refused("equality-form", Java, "boolean f(Object o) { return !(o instanceof String s); }");
        check_refused("equality-form", Java, "boolean f(String a, String b) { return a.equals(b); }");
    }

    #[test]
    fn nothing_moves_to_where_it_would_mean_something_else() {
        check_refused("equality-form", JavaScript, "f()\nnull == (x)\n");
        check_refused("equality-form", JavaScript, "null == {}.x;");
    }

    #[test]
    fn both_directions() {
        assert_eq!(
            all_results("equality-form", Java, "boolean f(Object o) { return null != o && o != null; }"),
            [
                "boolean f(Object o) { return o != null && o != null; }",
                "boolean f(Object o) { return null != o && null != o; }"
            ]
        );
    }
}
