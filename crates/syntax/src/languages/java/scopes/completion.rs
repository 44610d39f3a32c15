//! Can a statement complete normally? Java decides by this whether a pattern variable holds after it.

use crate::kind::{Field, Kind};
use crate::tree::Node;

/// Can control reach the end of `statement`, by the rules of the language (not by what values are)?
///
/// Code that cannot be reached does not compile, so a sequence ends where its last statement ends.
pub(super) fn can_complete(statement: Node<'_>) -> bool {
    match statement.kind() {
        Kind::ReturnStatement
        | Kind::ThrowStatement
        | Kind::BreakStatement
        | Kind::ContinueStatement
        | Kind::YieldStatement => false,
        Kind::Block => statement.named_children().last().is_none_or(can_complete),
        Kind::IfStatement => match statement.child(Field::Alternative) {
            None => true,
            Some(alternative) => {
                can_complete(alternative) || statement.child(Field::Consequence).is_none_or(can_complete)
            }
        },
        Kind::WhileStatement | Kind::DoStatement | Kind::ForStatement => {
            !is_endless(statement) && (statement.kind() != Kind::DoStatement || body_can_end(statement))
                || has_break(statement)
        }
        Kind::LabeledStatement => {
            let label = statement.child_of_kind(Kind::Identifier).map_or("", |label| label.text());
            statement.named_children().last().is_none_or(can_complete) || breaks_to(statement, label)
        }
        Kind::SynchronizedStatement => statement.child(Field::Body).is_none_or(can_complete),
        Kind::TryStatement | Kind::TryWithResourcesStatement => {
            let finally =
                statement.child_of_kind(Kind::FinallyClause).and_then(|clause| clause.named_children().last());
            finally.is_none_or(can_complete)
                && (statement.child(Field::Body).is_none_or(can_complete)
                    || statement
                        .children()
                        .filter(|child| child.kind() == Kind::CatchClause)
                        .any(|clause| clause.child(Field::Body).is_none_or(can_complete)))
        }
        Kind::SwitchExpression => switch_can_complete(statement),
        _ => true,
    }
}

/// Does a `break` within the loop or switch leave it?
pub(super) fn has_break(statement: Node<'_>) -> bool {
    let label = statement
        .parent()
        .filter(|parent| parent.kind() == Kind::LabeledStatement)
        .and_then(|parent| parent.child_of_kind(Kind::Identifier));
    statement.child(Field::Body).is_some_and(leaves) || label.is_some_and(|label| breaks_to(statement, label.text()))
}

/// Does the subtree hold a `break` without a label that means a statement around the subtree?
fn leaves(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::BreakStatement => node.child_of_kind(Kind::Identifier).is_none(),
        Kind::WhileStatement
        | Kind::DoStatement
        | Kind::ForStatement
        | Kind::EnhancedForStatement
        | Kind::SwitchExpression
        | Kind::LambdaExpression
        | Kind::ClassBody
        | Kind::ClassDeclaration => false,
        _ => node.children().any(leaves),
    }
}

fn breaks_to(node: Node<'_>, label: &str) -> bool {
    let means_label = |node: Node<'_>| node.child_of_kind(Kind::Identifier).is_some_and(|name| name.text() == label);
    node.descendants().any(|node| node.kind() == Kind::BreakStatement && means_label(node))
}

/// A `do` without a `continue` whose body never ends does not reach its condition.
fn body_can_end(statement: Node<'_>) -> bool {
    statement.child(Field::Body).is_none_or(can_complete)
        || statement.descendants().any(|node| node.kind() == Kind::ContinueStatement)
}

/// Is the loop's condition the constant `true`, or absent?
fn is_endless(statement: Node<'_>) -> bool {
    let Some(mut condition) = statement.child(Field::Condition) else {
        return statement.kind() == Kind::ForStatement;
    };
    while condition.kind() == Kind::ParenthesizedExpression {
        let Some(inner) = condition.named_children().next() else { return false };
        condition = inner;
    }
    condition.kind() == Kind::True
}

fn switch_can_complete(statement: Node<'_>) -> bool {
    let Some(body) = statement.child(Field::Body) else { return true };
    let parts = || body.named_children();
    let has_default = body.descendants().any(|node| {
        node.kind() == Kind::SwitchLabel
            && node.parent().and_then(Node::parent) == Some(body)
            && node.has_token("default")
    });
    if !has_default || leaves(body) {
        return true;
    }
    match parts().last() {
        None => true,
        Some(last) if last.kind() == Kind::SwitchBlockStatementGroup => {
            last.named_children().last().is_none_or(|end| end.kind() == Kind::SwitchLabel || can_complete(end))
        }
        Some(_) => parts().any(|rule| {
            rule.named_children().last().is_none_or(|end| end.kind() == Kind::ExpressionStatement || can_complete(end))
        }),
    }
}
