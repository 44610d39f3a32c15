//! Expressions with parts of their own.

use crate::kind::{Field, Kind};
use crate::tree::Node;

/// A choice between two values: `c ? a : b`, or `a if c else b`.
#[derive(Clone, Copy)]
pub struct Conditional<'p> {
    /// What is tested.
    pub condition: Node<'p>,
    /// The value when the test holds.
    pub first: Node<'p>,
    /// The value when it does not.
    pub second: Node<'p>,
}

impl<'p> Conditional<'p> {
    /// Reads a choice.
    pub fn of(node: Node<'p>) -> Option<Conditional<'p>> {
        if !matches!(node.kind(), Kind::TernaryExpression | Kind::ConditionalExpression) {
            return None;
        }
        let Some(condition) = node.child(Field::Condition) else {
            // Python's parts have an order and no names.
            let mut parts = node.named_children();
            let (first, condition, second) = (parts.next()?, parts.next()?, parts.next()?);
            return Some(Conditional { condition, first, second });
        };
        Some(Conditional { condition, first: node.child(Field::Consequence)?, second: node.child(Field::Alternative)? })
    }
}

/// An assignment with one target, compound or not. `a = b = 1` and `a: int = 1` of Python are none.
#[derive(Clone, Copy)]
pub struct Assignment<'p> {
    /// What is written.
    pub left: Node<'p>,
    /// The token.
    pub operator: Node<'p>,
    /// The value.
    pub right: Node<'p>,
}

impl<'p> Assignment<'p> {
    /// Reads an assignment.
    pub fn of(node: Node<'p>) -> Option<Assignment<'p>> {
        let is_assignment = match node.kind() {
            Kind::AssignmentExpression | Kind::AugmentedAssignmentExpression => true,
            Kind::Assignment | Kind::AugmentedAssignment => {
                node.child(Field::Type).is_none()
                    && node.parent().is_some_and(|parent| parent.kind() == Kind::ExpressionStatement)
            }
            _ => false,
        };
        let is_operator = |token: &Node<'_>| token.kind() == Kind::Token && token.text().ends_with('=');
        let operator = node.children().find(is_operator).filter(|_| is_assignment)?;
        Some(Assignment { left: node.child(Field::Left)?, operator, right: node.child(Field::Right)? })
    }
}

/// A binary operation, a comparison or a logical operation of two operands. Python's chains of comparisons have more and are none.
#[derive(Clone, Copy)]
pub struct Operation<'p> {
    /// The whole expression.
    pub node: Node<'p>,
    /// The first operand.
    pub left: Node<'p>,
    /// The token.
    pub operator: Node<'p>,
    /// The second operand.
    pub right: Node<'p>,
}

impl<'p> Operation<'p> {
    /// Reads an operation.
    pub fn of(node: Node<'p>) -> Option<Operation<'p>> {
        let (left, operator, right) = match node.kind() {
            Kind::BinaryExpression | Kind::BinaryOperator | Kind::BooleanOperator => {
                (node.child(Field::Left)?, node.child(Field::Operator)?, node.child(Field::Right)?)
            }
            Kind::ComparisonOperator => {
                let mut operands = node.named_children();
                let (left, right, None) = (operands.next()?, operands.next()?, operands.next()) else { return None };
                let mut operators = node.children_at(Field::Operators);
                let (operator, None) = (operators.next()?, operators.next()) else { return None };
                (left, operator, right)
            }
            _ => return None,
        };
        Some(Operation { node, left, operator, right })
    }

    /// Is it arithmetic, a comparison or a logical operation as C writes them, or arithmetic of Python?
    pub fn is_binary(self) -> bool {
        matches!(self.node.kind(), Kind::BinaryExpression | Kind::BinaryOperator)
    }
}

/// A call of a function or a method. The creation of an object is excluded, and so is a Python call whose only argument is a generator.
#[derive(Clone, Copy)]
pub struct Call<'p> {
    /// What is called: an expression, or the name of Java's method.
    pub callee: Node<'p>,
    /// The list of arguments, with its brackets.
    pub arguments: Node<'p>,
}

impl<'p> Call<'p> {
    /// Reads a call.
    pub fn of(node: Node<'p>) -> Option<Call<'p>> {
        let arguments = node.child(Field::Arguments)?;
        let callee = match node.kind() {
            Kind::MethodInvocation => node.child(Field::Name)?,
            Kind::CallExpression => node.child(Field::Function)?,
            Kind::Call if arguments.kind() == Kind::ArgumentList => node.child(Field::Function)?,
            _ => return None,
        };
        Some(Call { callee, arguments })
    }
}

/// One element of something: `a[i]`, with one index.
#[derive(Clone, Copy)]
pub struct Element<'p> {
    /// What has the elements.
    pub collection: Node<'p>,
    /// Which of them it is.
    pub index: Node<'p>,
}

impl<'p> Element<'p> {
    /// Reads an element.
    pub fn of(node: Node<'p>) -> Option<Element<'p>> {
        let only = |list: Node<'p>| list.named_children().next().filter(|_| list.named_children().count() == 1);
        let (collection, index) = match node.kind() {
            Kind::ArrayAccess => (Field::Array, node.child(Field::Index)),
            Kind::Subscript if node.named_children().count() == 2 => (Field::Value, node.child(Field::Subscript)),
            Kind::SubscriptExpression => match node.child_of_kind(Kind::SubscriptArgumentList) {
                Some(list) => (Field::Argument, only(list)),
                None if node.child(Field::Object).is_some() => (Field::Object, node.child(Field::Index)),
                None => (Field::Argument, node.child(Field::Index)),
            },
            _ => return None,
        };
        Some(Element { collection: node.child(collection)?, index: index? })
    }
}
