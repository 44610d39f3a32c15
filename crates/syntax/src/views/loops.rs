//! Loops with a head of several parts.

use std::ops::Range;

use crate::kind::{Field, Kind};
use crate::tree::Node;

/// `for (start; condition; update) body`
pub struct For<'p> {
    /// The whole statement.
    pub node: Node<'p>,
    /// What runs before the loop: declarations or expressions.
    pub starts: Vec<Node<'p>>,
    /// What is tested before each round, when there is something.
    pub condition: Option<Node<'p>>,
    /// What runs after each round.
    pub updates: Vec<Node<'p>>,
    /// The bracket that ends the head.
    pub bracket: Node<'p>,
    /// The statement or the block that is repeated.
    pub body: Node<'p>,
}

impl<'p> For<'p> {
    /// Reads a loop.
    pub fn of(node: Node<'p>) -> Option<For<'p>> {
        let body = node.child(Field::Body).filter(|_| node.kind() == Kind::ForStatement)?;
        let is_part = |part: &Node<'_>| part.is_named() && part.kind() != Kind::EmptyStatement;
        let parts = |one: Field, other: Field| node.children_at(one).chain(node.children_at(other)).filter(is_part);
        Some(For {
            node,
            starts: parts(Field::Init, Field::Initializer).collect(),
            condition: node.children_at(Field::Condition).find(is_part),
            updates: parts(Field::Update, Field::Increment).collect(),
            // Python's loop has no brackets.
            bracket: closing_bracket(node, body)?,
            body,
        })
    }
}

/// A loop over the elements of something, in their order. Excluded are C++ loops that start with a statement, and loops that wait for their
/// elements, as in `async` functions.
pub struct ForEach<'p> {
    /// The whole statement.
    pub node: Node<'p>,
    /// The variable that gets the elements, with its type.
    pub variable: Range<usize>,
    /// What has the elements.
    pub collection: Node<'p>,
    /// The end of the head, after its bracket or before its colon.
    pub end_of_head: usize,
    /// The statement or the block that is repeated.
    pub body: Node<'p>,
}

impl<'p> ForEach<'p> {
    /// Reads a loop.
    pub fn of(node: Node<'p>) -> Option<ForEach<'p>> {
        let body = node.child(Field::Body)?;
        let token =
            |text: &str| node.children().take_while(|child| child.id() != body.id()).find(|child| child.is_token(text));
        let between = |end: Node<'p>| Some(token("(")?.end()..end.start());
        let (variable, collection) = match node.kind() {
            Kind::EnhancedForStatement => (between(token(":")?)?, Field::Value),
            Kind::ForRangeLoop if node.child(Field::Initializer).is_none() && token(";").is_none() => {
                (between(token(":")?)?, Field::Right)
            }
            Kind::ForInStatement if token("await").is_none() => {
                (between(node.child(Field::Operator).filter(|operator| operator.text() == "of")?)?, Field::Right)
            }
            Kind::ForStatement if !node.has_token("async") => (node.child(Field::Left)?.range(), Field::Right),
            _ => return None,
        };
        let end_of_head = match node.kind() {
            Kind::ForStatement => token(":")?.start(),
            _ => closing_bracket(node, body)?.end(),
        };
        Some(ForEach { node, variable, collection: node.child(collection)?, end_of_head, body })
    }
}

/// The last bracket before the body.
fn closing_bracket<'p>(whole: Node<'p>, body: Node<'p>) -> Option<Node<'p>> {
    whole.children().take_while(|child| child.id() != body.id()).filter(|child| child.is_token(")")).last()
}
