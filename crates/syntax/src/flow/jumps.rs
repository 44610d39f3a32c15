//! Where jumps go: the vocabulary that the facts about control share.

use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::tree::Node;

/// Does a node of this kind have a `body` that runs when it is called, not where it stands?
pub fn is_function(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::MethodDeclaration
            | Kind::ConstructorDeclaration
            | Kind::CompactConstructorDeclaration
            | Kind::LambdaExpression
            | Kind::FunctionDefinition
            | Kind::Lambda
            | Kind::FunctionDeclaration
            | Kind::FunctionExpression
            | Kind::GeneratorFunction
            | Kind::GeneratorFunctionDeclaration
            | Kind::ArrowFunction
            | Kind::MethodDefinition
            | Kind::ClassStaticBlock
    )
}

/// The function whose body the node lies in.
///
/// Only the body counts: default values, decorators and the captures of a C++ lambda are evaluated by
/// the code around the function.
pub(crate) fn function_around(node: Node<'_>) -> Option<Node<'_>> {
    around(node, |parent| is_function(parent.kind()))
}

/// Does the node repeat its `body`?
pub(crate) fn is_loop(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::WhileStatement
            | Kind::DoStatement
            | Kind::ForStatement
            | Kind::EnhancedForStatement
            | Kind::ForInStatement
            | Kind::ForRangeLoop
    )
}

/// Is this a switch that stands where a statement stands? Java's grammar has one kind for the
/// statement and for the expression.
pub(crate) fn is_switch_statement(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::SwitchStatement => true,
        Kind::SwitchExpression => is_in_statement_position(node),
        _ => false,
    }
}

fn is_in_statement_position(switch: Node<'_>) -> bool {
    let Some(parent) = switch.parent() else { return false };
    match parent.kind() {
        Kind::Program
        | Kind::Block
        | Kind::ConstructorBody
        | Kind::SwitchBlockStatementGroup
        | Kind::LabeledStatement
        | Kind::IfStatement
        | Kind::WhileStatement
        | Kind::DoStatement
        | Kind::EnhancedForStatement => switch.role() != Field::Value,
        Kind::ForStatement => switch.role() == Field::Body,
        // `case A -> switch (…) { … };` has a value, every other expression statement drops it.
        Kind::ExpressionStatement => parent.parent().is_none_or(|around| around.kind() != Kind::SwitchRule),
        _ => false,
    }
}

/// The statement that a `break`, `continue` or Java's `yield` ends or starts again, the statement that
/// carries the label of a `goto`, and the function that a `return` leaves; `None` when it is not in the
/// input or the node is no such jump.
pub(crate) fn target_of(jump: Node<'_>) -> Option<Node<'_>> {
    match jump.kind() {
        Kind::BreakStatement => match label_of(jump) {
            Some(label) => labelled_around(jump, label.text()),
            None => nearest(jump, |parent| is_loop(parent.kind()) || is_switch_statement(parent)),
        },
        Kind::ContinueStatement => match label_of(jump) {
            Some(label) => labelled_around(jump, label.text()).map(loop_behind_labels),
            None => nearest(jump, |parent| is_loop(parent.kind())),
        },
        Kind::YieldStatement => {
            nearest(jump, |parent| parent.kind() == Kind::SwitchExpression && !is_switch_statement(parent))
        }
        Kind::SehLeaveStatement => nearest(jump, |parent| parent.kind() == Kind::SehTryStatement),
        Kind::ReturnStatement | Kind::CoReturnStatement => function_around(jump),
        Kind::GotoStatement => {
            let label = jump.child(Field::Label)?.text();
            let function = function_around(jump).unwrap_or(jump.program().root());
            function.descendants().find(|node| {
                node.kind() == Kind::LabeledStatement
                    && label_of(*node).is_some_and(|name| name.text() == label)
                    && function_around(*node).unwrap_or(jump.program().root()) == function
            })
        }
        _ => None,
    }
}

/// The name in `break name`, `continue name` or `name: statement`.
pub(crate) fn label_of(node: Node<'_>) -> Option<Node<'_>> {
    node.children().find(|child| matches!(child.kind(), Kind::StatementIdentifier | Kind::Identifier))
}

/// The statement that a label names, after the label.
pub(crate) fn statement_of_label(labelled: Node<'_>) -> Option<Node<'_>> {
    // Java's empty statement is a token without a name.
    labelled.children().skip_while(|child| !child.is_token(":")).skip(1).find(|child| !child.kind().is_comment())
}

fn loop_behind_labels(labelled: Node<'_>) -> Node<'_> {
    let mut node = labelled;
    while node.kind() == Kind::LabeledStatement {
        match statement_of_label(node) {
            Some(statement) => node = statement,
            None => return labelled,
        }
    }
    node
}

fn labelled_around<'p>(jump: Node<'p>, label: &str) -> Option<Node<'p>> {
    let boundary = function_around(jump);
    jump.ancestors()
        .take_while(|node| Some(*node) != boundary)
        .find(|node| node.kind() == Kind::LabeledStatement && label_of(*node).is_some_and(|name| name.text() == label))
}

/// The nearest statement that holds the node in its `body` and not, for example, in the `else` of a
/// Python loop, within the same function.
fn nearest<'p>(node: Node<'p>, is_target: impl Fn(Node<'p>) -> bool) -> Option<Node<'p>> {
    let found = around(node, |parent| is_target(parent) || is_function(parent.kind()))?;
    (!is_function(found.kind())).then_some(found)
}

/// The nearest node around `node` that is accepted and reached through its `body`.
fn around<'p>(node: Node<'p>, accepts: impl Fn(Node<'p>) -> bool) -> Option<Node<'p>> {
    let mut child = node;
    while let Some(parent) = child.parent() {
        if child.role() == Field::Body && accepts(parent) {
            return Some(parent);
        }
        child = parent;
    }
    None
}

/// The block of a `catch`, `except` or `finally` clause, or of an `else`: its statement.
pub(crate) fn block_of_clause(clause: Node<'_>) -> Option<Node<'_>> {
    clause.child(Field::Body).or_else(|| {
        clause.children().filter(|child| !child.kind().is_comment()).last().filter(|last| {
            // The empty statement of Java and JavaScript is a statement, too.
            last.is_named() || last.is_token(";")
        })
    })
}

/// The condition of a loop without the parentheses around it; `None` when it has none.
pub(crate) fn condition_of(statement: Node<'_>) -> Option<Node<'_>> {
    let condition = statement.child(Field::Condition)?;
    match condition.kind() {
        // `for (;;)` of JavaScript has an empty statement for a condition.
        Kind::EmptyStatement | Kind::Token => None,
        Kind::ConditionClause => condition.child(Field::Value),
        _ => Some(condition),
    }
}

/// Can control reach the inside of a statement without passing its start? Only C and C++ have labels
/// and cases that allow it.
pub(crate) fn can_be_entered_in_the_middle(statement: Node<'_>) -> bool {
    match statement.program().language() {
        Language::Java | Language::Python | Language::JavaScript => false,
        Language::C | Language::Cpp => statement
            .descendants()
            .any(|node| matches!(node.kind(), Kind::LabeledStatement | Kind::CaseStatement | Kind::GnuAsmGotoList)),
    }
}

/// The statements of a block in order. Java's empty statements are tokens.
pub(crate) fn statements(block: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    block.children().filter(|child| is_statement_of_block(*child))
}

/// Is this child of a block a statement, rather than a brace, a label or a comment?
pub(crate) fn is_statement_of_block(child: Node<'_>) -> bool {
    match child.kind() {
        Kind::SwitchLabel => false,
        // Python separates statements by semicolons, the others do not.
        Kind::Token => child.is_token(";") && child.program().language() != Language::Python,
        kind => child.is_named() && !kind.is_comment(),
    }
}
