//! Splits an assignment to several variables into one assignment each.
//!
//! class: structure
//! from: Python idiom
//!
//! All values are evaluated before the first variable is written, so values after the first must not use the
//! variables before them. If they may fail or run other code, the new order must not be observable: the variables are
//! then local to the function, nothing else uses them, and no `try` or `with` of the function may catch the failure.
//!
//! ```python
//! def f(n):
//!     low, high = 0, n + 1
//!     return low, high
//! ```
//! ->
//! ```python
//! def f(n):
//!     low = 0
//!     high = n + 1
//!     return low, high
//! ```
//!
//! A swap is not a pair of independent assignments:
//!
//! ```python
//! def f(a, b):
//!     a, b = b, a
//!     return a - b
//! ```

use syntax::flow::{may_have_effect, may_raise};
use syntax::{Edit, Field, Kind, Node, Program, SymbolKind};

use crate::Sites;
use crate::parts::layout::{indentation, line_break, starts_line};
use crate::parts::python::{function_of_statement, may_be_caught, shows_locals};
use crate::parts::statements::is_statement_list;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let mut assignments = program.nodes_of_kind(Kind::Assignment).filter_map(parts).peekable();
    // Finalisers and weak references see when an old value goes.
    if assignments.peek().is_none()
        || shows_locals(program)
        || ["__del__", "weakref"].iter().any(|word| program.text().contains(word))
    {
        return;
    }
    for Parts { statement, targets, values } in assignments {
        if are_independent(statement, &targets, &values) {
            sites.add(statement.range(), move |_| {
                let on_lines = starts_line(statement);
                let margin = indentation(program, statement.start());
                let separator = if on_lines { format!("{}{margin}", line_break(program)) } else { "; ".to_owned() };
                let assignments: Vec<String> = targets
                    .iter()
                    .zip(&values)
                    .map(|(target, value)| format!("{} = {}", target.text(), value.text()))
                    .collect();
                Some(vec![Edit::replace(statement, assignments.join(&separator))])
            });
        }
    }
}

struct Parts<'p> {
    statement: Node<'p>,
    targets: Vec<Node<'p>>,
    values: Vec<Node<'p>>,
}

fn parts(assignment: Node<'_>) -> Option<Parts<'_>> {
    let statement = assignment.parent().filter(|parent| parent.kind() == Kind::ExpressionStatement)?;
    let (left, right) = (assignment.child(Field::Left)?, assignment.child(Field::Right)?);
    let is_plain = matches!(left.kind(), Kind::PatternList | Kind::TuplePattern)
        && matches!(right.kind(), Kind::ExpressionList | Kind::Tuple)
        && assignment.child(Field::Type).is_none()
        && is_statement_list(statement.parent()?)
        && statement.named_children().count() == 1
        && !statement.text().contains(['\n', '#', '\\'])
        // What follows on the line would come before the second assignment.
        && statement.next_sibling().is_none_or(|next| !next.is_token(";"));
    let targets: Vec<Node<'_>> = left.named_children().collect();
    let values: Vec<Node<'_>> = right.named_children().collect();
    (is_plain
        && targets.len() == values.len()
        && targets.len() > 1
        && targets.iter().all(|target| target.kind() == Kind::Identifier))
    .then_some(Parts { statement, targets, values })
}

fn are_independent(statement: Node<'_>, targets: &[Node<'_>], values: &[Node<'_>]) -> bool {
    let uses = |value: Node<'_>, target: Node<'_>| value.descendants().any(|node| node.text() == target.text());
    let are_apart = values.iter().enumerate().all(|(place, value)| {
        targets[..place].iter().all(|target| !uses(*value, *target) && target.text() != targets[place].text())
    });
    let has_jump = |value: &Node<'_>| {
        value
            .descendants()
            .any(|node| matches!(node.kind(), Kind::Yield | Kind::Await | Kind::NamedExpression | Kind::ListSplat))
    };
    if !are_apart || values.iter().any(has_jump) {
        return false;
    }
    let later = &values[1..];
    let are_silent = later.iter().all(|value| !may_have_effect(*value) && !may_raise(*value));
    are_silent || !may_be_caught(statement) && targets.iter().all(|target| is_private(statement, *target))
}

/// Is the target a local variable of the function that no other function uses?
fn is_private(statement: Node<'_>, target: Node<'_>) -> bool {
    let program = target.program();
    let scopes = program.scopes();
    let Some(function) = function_of_statement(statement) else { return false };
    let Some(symbol) = scopes.symbol_at(target) else { return false };
    matches!(scopes.symbol(symbol).kind, SymbolKind::Local | SymbolKind::Parameter)
        && scopes.references_of(symbol).all(|reference| {
            let node = program.node(reference.node);
            crate::parts::python::scope_around(node).is_some_and(|around| around.id() == function.id())
                && !node.ancestors().any(|around| matches!(around.kind(), Kind::GeneratorExpression))
        })
}

#[cfg(test)]
mod tests {
    use syntax::Language::Python;

    use crate::testing::{check, check_refused};

    #[test]
    fn one_line_stays_one_line() {
        check("split-tuple-assignment", Python, "if a: x, y = 1, 2\n", "if a: x = 1; y = 2\n");
        check("split-tuple-assignment", Python, "(x, y) = (1, 2)\r\nz = 3\r\n", "x = 1\r\ny = 2\r\nz = 3\r\n");
    }

    #[test]
    fn values_that_depend_are_refused() {
        check_refused("split-tuple-assignment", Python, "def f(a, b):\n    a, b = b, a + b\n    return a\n");
        check_refused("split-tuple-assignment", Python, "x, y = 1, f()\n");
        check_refused(
            "split-tuple-assignment",
            Python,
            "def f():\n    try:\n        x, y = 1, g()\n    except E: pass\n",
        );
        check_refused("split-tuple-assignment", Python, "def f():\n    x, y = 1, g(lambda: x)\n");
        check_refused("split-tuple-assignment", Python, "x, x = 1, 2\n");
        check_refused("split-tuple-assignment", Python, "z = x, y = 1, 2\n");
        check_refused("split-tuple-assignment", Python, "a.x, a.y = 1, 2\n");
        check_refused("split-tuple-assignment", Python, "x, *y = 1, 2\n");
    }

    #[test]
    fn a_variable_that_a_closure_reads_is_refused() {
        check_refused(
            "split-tuple-assignment",
            Python,
            "def f():\n    def g():\n        return x\n    x, y = 1, g()\n    return y\n",
        );
    }

    #[test]
    fn calls_are_moved_only_among_local_variables() {
        check(
            "split-tuple-assignment",
            Python,
            "def f():\n    x, y = g(), h()\n    return x, y\n",
            "def f():\n    x = g()\n    y = h()\n    return x, y\n",
        );
    }
}
