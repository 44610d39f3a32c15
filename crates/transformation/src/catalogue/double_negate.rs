//! Negates a condition twice.
//!
//! class: structure
//! from: generators of equivalent programs
//!
//! Only the truth of a condition matters, and two negations preserve it. The condition is evaluated once, as before;
//! Java's rules for constant conditions and definite assignment see through both negations.
//!
//! ```java
//! int f(int n) { if (n > 0) { return 1; } return 2; }
//! ```
//! ->
//! ```java
//! int f(int n) { if (!(!(n > 0))) { return 1; } return 2; }
//! ```
//!
//! ```c
//! int f(int n) { while (n) n--; return n; }
//! ```
//! ->
//! ```c
//! int f(int n) { while (!(!n)) n--; return n; }
//! ```
//!
//! ```cpp
//! int f(bool ready) { return ready ? 1 : 2; }
//! ```
//! ->
//! ```cpp
//! int f(bool ready) { return !(!ready) ? 1 : 2; }
//! ```
//!
//! ```python
//! while a and b:
//!     step()
//! ```
//! ->
//! ```python
//! while not (not (a and b)):
//!     step()
//! ```
//!
//! ```javascript
//! for (let i = 0; i < 3; i++) { f(i); }
//! ```
//! ->
//! ```javascript
//! for (let i = 0; !(!(i < 3)); i++) { f(i); }
//! ```
//!
//! A C++ class may overload `!`, so the type must be known:
//!
//! ```cpp
//! void f(const Handle& handle) { if (handle) { g(); } }
//! ```
//!
//! A variable that a pattern declares is in scope where the pattern matched:
//!
//! ```java
//! void f(Object o) { if (o instanceof String s) { g(s); } }
//! ```

use syntax::views::{Conditional, condition_of, contains_directive};
use syntax::{Field, Kind, Language, Node, Program, Type};

use crate::Sites;
use crate::parts::conditions::{negated, not};
use crate::parts::layout::replace;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for condition in program.nodes().filter_map(condition).filter(|condition| is_negatable(*condition)) {
        sites.add(condition.range(), move |_| {
            let text = format!("({})", negated(condition));
            Some(vec![replace(condition, &not(program.language(), &text))])
        });
    }
}

/// What the node tests, when it tests something.
fn condition(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        Kind::IfStatement | Kind::ElifClause | Kind::WhileStatement | Kind::DoStatement => condition_of(node),
        Kind::ForStatement if node.program().language() != Language::Python => {
            node.children_at(Field::Condition).find(|condition| condition.is_named())
        }
        _ => Conditional::of(node).map(|choice| choice.condition),
    }
}

fn is_negatable(condition: Node<'_>) -> bool {
    let program = condition.program();
    // What starts a statement of JavaScript could be taken for a part of the line before.
    let is_expression = condition.is_named() && !matches!(condition.kind(), Kind::EmptyStatement | Kind::Declaration);
    is_expression
        && match program.language() {
            Language::Java => !condition.descendants().any(|node| {
                node.kind() == Kind::InstanceofExpression
                    && (node.child(Field::Name).is_some() || node.child(Field::Pattern).is_some())
            }),
            // A comma would end up inside the negation together with its neighbours, which is right, but reads badly.
            Language::C => {
                condition.kind() != Kind::CommaExpression && !contains_directive(condition) && !is_in_macro(condition)
            }
            Language::Cpp => {
                matches!(program.type_of(condition), Type::Boolean | Type::Number(_) | Type::Pointer(_))
                    && condition.kind() != Kind::CommaExpression
                    && !contains_directive(condition)
                    && !is_in_macro(condition)
                    && !condition.ancestors().any(|around| around.kind() == Kind::TemplateArgumentList)
            }
            Language::Python => {
                condition.kind() != Kind::NamedExpression
                    && !condition.ancestors().any(|around| around.kind() == Kind::Interpolation)
            }
            Language::JavaScript => {
                condition.kind() != Kind::SequenceExpression
                    && !condition
                        .ancestors()
                        .any(|around| around.kind() == Kind::ExpressionStatement && around.start() == condition.start())
            }
        }
}

/// A condition that is part of the text of a macro's argument.
fn is_in_macro(condition: Node<'_>) -> bool {
    condition.ancestors().any(|around| {
        around.kind() == Kind::ArgumentList
            && around.parent().is_none_or(|call| !crate::parts::expressions::calls_a_function(call))
            || around.kind() == Kind::PreprocFunctionDef
    })
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn endless_loops_stay_endless_for_the_compiler() {
        check("double-negate", Java, "int f() { while (true) { g(); } }", "int f() { while (!(!true)) { g(); } }");
    }

    #[test]
    fn a_continued_line_is_no_condition() {
        check("double-negate", Python, "x = 1 if \\\n    a else 2\n", "x = 1 if \\\n    not (not a) else 2\n");
    }

    #[test]
    fn every_condition_of_a_chain() {
        assert_eq!(
            all_results("double-negate", Python, "if a:\n    f()\nelif not b:\n    g()\n"),
            ["if not (not a):\n    f()\nelif not b:\n    g()\n", "if a:\n    f()\nelif not (not (not b)):\n    g()\n"]
        );
        check("double-negate", Python, "x = a if(b)else c\n", "x = a if not (not (b))else c\n");
    }

    #[test]
    fn a_declaration_is_no_condition() {
        check_refused("double-negate", Cpp, "void f() { if (int x = g()) { h(x); } }");
        check_refused("double-negate", C, "void f(void) { for (;;) { } }");
    }

    #[test]
    fn a_test_that_assigns_still_assigns_once() {
        check(
            "double-negate",
            C,
            "void f(int c) { while ((c = g()) != 3) h(); }",
            "void f(int c) { while (!(!((c = g()) != 3))) h(); }",
        );
    }

    #[test]
    fn what_starts_a_statement_stays() {
        check_refused("double-negate", JavaScript, "f()\na ? b() : c()\n");
        check("double-negate", JavaScript, "x = a ? b : c\n", "x = !(!a) ? b : c\n");
    }
}
