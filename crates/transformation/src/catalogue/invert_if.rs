//! Negates the condition of an `if` and swaps its two branches.
//!
//! class: structure
//! groups: carrot
//! from: CARROT
//! rules: whole, parts
//!
//! Exactly one branch runs, and the condition is evaluated once, before and after. The rule `whole` negates the
//! condition as it is. The rule `parts` applies De Morgan's laws: `!(a && b)` is `!a || !b`, which evaluates and
//! tests the same operands in the same order. In C++ the operands must then be of built-in types, because `&&` and
//! `||` can be overloaded.
//!
//! ```java
//! int f(int n) { if (n > 0) { return 1; } else { return 2; } }
//! ```
//! ->
//! ```java
//! int f(int n) { if (!(n > 0)) { return 2; } else { return 1; } }
//! ```
//!
//! ```c
//! int f(int n) { if (n) return 1; else return 2; }
//! ```
//! ->
//! ```c
//! int f(int n) { if (!n) return 2; else return 1; }
//! ```
//!
//! ```cpp
//! bool f(bool b) { if (b) { return false; } else { return true; } }
//! ```
//! ->
//! ```cpp
//! bool f(bool b) { if (!b) { return true; } else { return false; } }
//! ```
//!
//! ```python
//! if ready:
//!     go()
//! else:
//!     wait()
//! ```
//! ->
//! ```python
//! if not ready:
//!     wait()
//! else:
//!     go()
//! ```
//!
//! ```javascript
//! if (a && b) { f(); } else { g(); }
//! ```
//! ->
//! ```javascript
//! if (!(a && b)) { g(); } else { f(); }
//! ```
//!
//! A chain is left alone, because the second test is only reached when the first fails:
//!
//! ```python
//! if a:
//!     f()
//! elif b:
//!     g()
//! else:
//!     h()
//! ```
//!
//! A branch that is itself an `if` would capture the `else`:
//!
//! ```c
//! int f(int a, int b) { if (a) { if (b) return 1; } else if (b) return 2; return 3; }
//! ```

use syntax::views::{Else, condition_of, contains_directive};
use syntax::{Edit, Field, Kind, Language, Node, Program};

use crate::Sites;
use crate::parts::branches::{contains_comment, ends_itself, is_built_in, is_macro, takes_else};
use crate::parts::conditions::negated;
use crate::parts::layout::{indentation, replace, starts_line};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes_of_kind(Kind::IfStatement) {
        let Some(branches) = branches(node) else { continue };
        sites.add_rule("whole", node.range(), move |_| Some(edits(branches, &negated(branches.condition))));
        if has_parts(branches.condition) {
            sites.add_rule("parts", node.range(), move |_| {
                Some(edits(branches, &negated_parts(branches.condition, true)))
            });
        }
    }
}

fn edits(branches: Branches<'_>, negation: &str) -> Vec<Edit> {
    let Branches { condition, then, otherwise } = branches;
    vec![replace(condition, negation), replace(then, otherwise.text()), replace(otherwise, then.text())]
}

/// The operands of `&&` or `||`, and the operator that joins their negations.
fn operands(condition: Node<'_>) -> Option<(Node<'_>, &'static str, Node<'_>)> {
    let is_junction = matches!(condition.kind(), Kind::BooleanOperator | Kind::BinaryExpression);
    let operator = match condition.child(Field::Operator).filter(|_| is_junction)?.text() {
        "&&" => "||",
        "||" => "&&",
        "and" => "or",
        "or" => "and",
        _ => return None,
    };
    Some((condition.child(Field::Left)?, operator, condition.child(Field::Right)?))
}

fn without_brackets(condition: Node<'_>) -> Node<'_> {
    match condition.kind() {
        Kind::ParenthesizedExpression => condition.named_children().next().map_or(condition, without_brackets),
        _ => condition,
    }
}

/// Is the condition an `&&` or `||` whose operands can be negated one by one?
fn has_parts(condition: Node<'_>) -> bool {
    let is_sound = |junction: Node<'_>| match operands(junction) {
        None => true,
        Some((left, _, right)) => match junction.program().language() {
            Language::Java | Language::Python | Language::JavaScript => true,
            // A macro of this program may hold an operator that binds less.
            Language::C => ![left, right].into_iter().any(is_macro),
            Language::Cpp => ![left, right].into_iter().any(is_macro) && is_built_in(left) && is_built_in(right),
        },
    };
    operands(without_brackets(condition)).is_some()
        && !contains_comment(condition)
        && condition.descendants().all(is_sound)
}

/// The negation, pushed down to the operands. A junction within another gets brackets, so that no reader has to know
/// which of the two binds tighter.
fn negated_parts(condition: Node<'_>, is_whole: bool) -> String {
    let inner = without_brackets(condition);
    let Some((left, operator, right)) = operands(inner) else { return negated_operand(condition) };
    let part = |operand: Node<'_>| {
        let is_same = operands(operand).is_some_and(|(_, other, _)| other == operator);
        negated_parts(operand, is_same)
    };
    let text = format!("{} {operator} {}", part(left), part(right));
    if is_whole && inner == condition { text } else { format!("({text})") }
}

/// The negation of an operand; one that is a negation already loses it. In C++ the operator could be overloaded.
fn negated_operand(operand: Node<'_>) -> String {
    let bare = match operand.program().language() {
        Language::Java => operand.child(Field::Operand),
        Language::C | Language::Cpp | Language::Python | Language::JavaScript => operand.child(Field::Argument),
    };
    let is_negation = matches!(operand.kind(), Kind::UnaryExpression | Kind::NotOperator)
        && operand.children().next().is_some_and(|first| matches!(first.text(), "!" | "not"));
    match bare {
        Some(bare) if is_negation && (operand.program().language() != Language::Cpp || is_built_in(bare)) => {
            bare.text().to_owned()
        }
        _ => negated(operand),
    }
}

/// Do both blocks share their line with the head, or start at the same column of a line of their own?
fn have_one_margin(then: Node<'_>, otherwise: Node<'_>) -> bool {
    let margin = |block: Node<'_>| starts_line(block).then(|| indentation(block.program(), block.start()).to_owned());
    margin(then) == margin(otherwise)
}

#[derive(Clone, Copy)]
struct Branches<'p> {
    condition: Node<'p>,
    then: Node<'p>,
    otherwise: Node<'p>,
}

fn branches(node: Node<'_>) -> Option<Branches<'_>> {
    let (then, otherwise) = (node.child(Field::Consequence)?, Else::of(node)?.body);
    // Blocks without braces start at their first statement, so both must have the same indentation, or share a line.
    let is_swappable = node.program().language().has_braces() || have_one_margin(then, otherwise);
    // An `if` without an `else` before an `else` would take it, and loops and labels may end in one. A branch of
    // JavaScript without its semicolon would run into the `else`, or into what follows the statement.
    if !ends_itself(then)
        || !ends_itself(otherwise)
        || !is_swappable
        || takes_else(otherwise)
        || takes_else(then)
        || contains_directive(node)
    {
        return None;
    }
    Some(Branches { condition: condition_of(node)?, then, otherwise })
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn an_open_branch_is_refused() {
        check_refused("invert-if", Java, "void f() { if (a) { g(); } else while (b) if (c) h(); }");
    }

    #[test]
    fn a_branch_with_a_directive_is_refused() {
        check_refused("invert-if", C, "void f(int a) { if (a) {\n#if B\n g();\n#endif\n } else { h(); } }");
    }

    #[test]
    fn a_semicolon_that_is_not_written_stays_unwritten() {
        check("invert-if", JavaScript, "if (a) { f() } else { g() }\n", "if (!a) { g() } else { f() }\n");
    }

    #[test]
    fn a_branch_without_its_semicolon_is_refused() {
        check_refused("invert-if", JavaScript, "if (a) f(); else g()\n");
        check_refused("invert-if", JavaScript, "if (a) f()\nelse g();\n(h)()\n");
    }

    #[test]
    fn operands_are_negated_one_by_one() {
        let parts = |language, before: &str| all_results("invert-if", language, before).get(1).cloned();
        assert_eq!(
            parts(Java, "void f() { if (a && !b || (c || d) && e > 1) { g(); } else { h(); } }").as_deref(),
            Some("void f() { if ((!a || b) && ((!c && !d) || !(e > 1))) { h(); } else { g(); } }")
        );
        assert_eq!(
            parts(Python, "if (a and\n        not b and f(c)):\n    g()\nelse:\n    h()\n").as_deref(),
            Some("if (not a or b or not f(c)):\n    h()\nelse:\n    g()\n")
        );
        assert_eq!(parts(C, "#define M a || b\nvoid f(int a, int b) { if (M && a) g(); else h(); }"), None);
        assert_eq!(parts(Cpp, "void f(Query a, Query b) { if (a && b) g(); else h(); }"), None);
        assert_eq!(
            parts(Cpp, "void f(int a, int b) { if (a > 1 && b) g(); else h(); }").as_deref(),
            Some("void f(int a, int b) { if (!(a > 1) || !b) h(); else g(); }")
        );
    }

    #[test]
    fn words_do_not_grow_together() {
        check(
            "invert-if",
            C,
            "void f(int a) { if (a)g(); else{ h(); } }",
            "void f(int a) { if (!a){ h(); } else g(); }",
        );
        check("invert-if", Python, "if(a): f()\nelse: g()\n", "if not (a): g()\nelse: f()\n");
    }

    #[test]
    fn one_line_and_many_lines_do_not_mix() {
        check_refused("invert-if", Python, "if a: f()\nelse:\n    g()\n");
        check_refused("invert-if", Python, "if a:\n    f()\nelse:\n  g()\n  h()\n");
        check("invert-if", Python, "if a: f()\nelse: g()\n", "if not a: g()\nelse: f()\n");
    }
}
