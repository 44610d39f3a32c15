//! Splits a chained comparison: `a < b < c` becomes `a < b and b < c`.
//!
//! class: structure
//! from: Python idiom
//!
//! A chain is defined as this conjunction, except that every operand is evaluated at most once, from left to right,
//! and the rest is skipped after the first comparison that fails. So the middle operands must be literals, or
//! variables that no comparison can change: local ones that no inner function writes, or any when the operands are of
//! built-in types.
//!
//! ```python
//! def f(low, x, high):
//!     if low <= x < high:
//!         return 1
//! ```
//! ->
//! ```python
//! def f(low, x, high):
//!     if low <= x and x < high:
//!         return 1
//! ```
//!
//! A call in the middle would run twice:
//!
//! ```python
//! def f(low, high):
//!     return low < g() < high
//! ```

use syntax::flow::may_have_effect;
use syntax::{Edit, Field, Kind, Node, Program, SymbolKind};

use crate::Sites;
use crate::parts::statements::function_around;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for comparison in program.nodes_of_kind(Kind::ComparisonOperator) {
        let operands: Vec<Node<'p>> =
            comparison.named_children().filter(|child| child.role() != Field::Operators).collect();
        if operands.len() < 3 || comparison.children_at(Field::Operators).count() + 1 != operands.len() {
            continue;
        }
        let middle = operands[1..operands.len() - 1].to_vec();
        if middle.iter().all(|operand| is_steady(comparison, *operand)) {
            sites.add(comparison.range(), move |_| {
                let mut edits: Vec<Edit> = middle
                    .iter()
                    .map(|operand| Edit::insert(operand.end(), format!(" and {}", operand.text())))
                    .collect();
                if !takes_conjunction(comparison) {
                    edits.insert(0, Edit::insert(comparison.start(), "("));
                    edits.push(Edit::insert(comparison.end(), ")"));
                }
                Some(edits)
            });
        }
    }
}

/// Does the operand give the same value, and do nothing else, when it is evaluated once more?
fn is_steady(comparison: Node<'_>, operand: Node<'_>) -> bool {
    match operand.kind() {
        Kind::Integer | Kind::Float | Kind::True | Kind::False | Kind::None => true,
        Kind::Identifier => is_local(operand) || !may_have_effect(comparison),
        _ => false,
    }
}

/// Is this a variable of the function around it that only this function writes?
fn is_local(name: Node<'_>) -> bool {
    let program = name.program();
    let scopes = program.scopes();
    let Some(symbol) = scopes.symbol_at(name) else { return false };
    let home = function_around(name).map(Node::id);
    matches!(scopes.symbol(symbol).kind, SymbolKind::Local | SymbolKind::Parameter)
        && home.is_some()
        && scopes.references_of(symbol).all(|reference| {
            let node = program.node(reference.node);
            function_around(node).is_none_or(|function| Some(function.id()) == home) || is_read(node)
        })
}

/// Is the name certainly not written here, nor declared `nonlocal`?
fn is_read(name: Node<'_>) -> bool {
    name.parent().is_some_and(|parent| {
        matches!(
            parent.kind(),
            Kind::BinaryOperator
                | Kind::ComparisonOperator
                | Kind::BooleanOperator
                | Kind::ArgumentList
                | Kind::ReturnStatement
                | Kind::Attribute
                | Kind::Call
        )
    })
}

/// Can a conjunction stand in the place of the comparison without brackets?
fn takes_conjunction(comparison: Node<'_>) -> bool {
    comparison.parent().is_some_and(|parent| {
        matches!(
            parent.kind(),
            Kind::IfStatement
                | Kind::ElifClause
                | Kind::WhileStatement
                | Kind::ReturnStatement
                | Kind::AssertStatement
                | Kind::ParenthesizedExpression
                | Kind::ArgumentList
                | Kind::Assignment
                | Kind::IfClause
        )
    })
}

#[cfg(test)]
mod tests {
    use syntax::Language::Python;

    use crate::testing::{check, check_refused};

    #[test]
    fn brackets_where_the_conjunction_would_fall_apart() {
        check("split-chained-comparison", Python, "x = not a < 1 < b\n", "x = not (a < 1 and 1 < b)\n");
        check(
            "split-chained-comparison",
            Python,
            "def f(a, b): return a or b<a<2<b\n",
            "def f(a, b): return a or (b<a and a<2 and 2<b)\n",
        );
    }

    #[test]
    fn a_variable_that_a_comparison_may_change_is_refused() {
        check_refused("split-chained-comparison", Python, "x = a < b < c\n");
        check_refused(
            "split-chained-comparison",
            Python,
            "def f(a, b):\n    def g():\n        nonlocal b\n        b = 2\n    return a < b < g()\n",
        );
        check_refused("split-chained-comparison", Python, "def f(o): return 0 < o.size < 3\n");
        check_refused("split-chained-comparison", Python, "def f(o): return 0 < o\n");
    }

    #[test]
    fn membership_is_a_comparison() {
        check(
            "split-chained-comparison",
            Python,
            "def f(a, b, c):\n    x = (a == b not in c)\n",
            "def f(a, b, c):\n    x = (a == b and b not in c)\n",
        );
    }
}
