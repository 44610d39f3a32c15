//! Statements that test something.

use super::contains_directive;
use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::tree::Node;

/// The expression that an `if`, `elif`, `while`, `do` or `switch` tests, without the brackets that belong to the statement.
///
/// `None` when it declares something (`if (auto x = f())`), and for the comma operator of C++.
pub fn condition_of(statement: Node<'_>) -> Option<Node<'_>> {
    let tested = match statement.kind() {
        // JavaScript calls it a value.
        Kind::SwitchStatement => statement.child(Field::Condition).or(statement.child(Field::Value))?,
        _ => statement.child(Field::Condition)?,
    };
    let language = statement.program().language();
    match tested.kind() {
        // `a, b < c || d > e` may be read as the arguments of a template elsewhere.
        _ if language == Language::Cpp && tested.descendants().any(|node| node.kind() == Kind::CommaExpression) => None,
        Kind::ConditionClause => {
            let mut parts = tested.named_children();
            let (value, None) = (parts.next()?, parts.next()) else { return None };
            (value.role() == Field::Value && value.kind() != Kind::Declaration).then_some(value)
        }
        _ if !language.has_braces() => Some(tested),
        Kind::ParenthesizedExpression => tested.named_children().next(),
        _ => None,
    }
}

/// An `if` with at most one `else`. Excluded are those that declare something in their test, have an `elif`, are decided at compile time
/// or contain a preprocessor directive.
#[derive(Clone, Copy)]
pub struct If<'p> {
    /// The whole statement.
    pub node: Node<'p>,
    /// What it tests, without the brackets of the statement.
    pub condition: Node<'p>,
    /// The statement or the block that runs when the test holds.
    pub then: Node<'p>,
    /// The `else`, when there is one.
    pub otherwise: Option<Else<'p>>,
}

/// An `else` and what belongs to it.
#[derive(Clone, Copy)]
pub struct Else<'p> {
    /// The word itself.
    pub keyword: Node<'p>,
    /// The statement or the block that runs when the test does not hold.
    pub body: Node<'p>,
}

impl<'p> If<'p> {
    /// Reads an `if`.
    pub fn of(node: Node<'p>) -> Option<If<'p>> {
        if node.kind() != Kind::IfStatement || node.has_token("constexpr") || node.has_token("consteval") {
            return None;
        }
        let condition = condition_of(node)?;
        let then = node.child(Field::Consequence)?;
        let otherwise = match node.child(Field::Alternative) {
            None => None,
            Some(_) => Some(Else::of(node)?),
        };
        (!contains_directive(node)).then_some(If { node, condition, then, otherwise })
    }
}

impl<'p> Else<'p> {
    /// Reads the `else` of an `if` that has one and no `elif`.
    pub fn of(whole: Node<'p>) -> Option<Else<'p>> {
        let mut alternatives = whole.children_at(Field::Alternative);
        let (alternative, None) = (alternatives.next()?, alternatives.next()) else { return None };
        let (holder, body) = match alternative.kind() {
            Kind::ElifClause => return None,
            Kind::ElseClause => (alternative, alternative.child(Field::Body).or(alternative.named_children().last())?),
            // Java has no clause, but the word and a statement.
            _ => (whole, alternative),
        };
        Some(Else { keyword: holder.children().find(|child| child.is_token("else"))?, body })
    }
}
