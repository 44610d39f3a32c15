//! Operands that change places.

use syntax::flow::{may_have_effect, may_raise};
use syntax::{Edit, Field, Kind, Language, Node, Type};

use super::assignments::is_in_macro_call;
use super::layout::replace;
use super::statements::contains_directive;

/// A binary operation, a comparison or a logical operation of two operands.
#[derive(Clone, Copy)]
pub(crate) struct Operation<'p> {
    pub(crate) node: Node<'p>,
    pub(crate) left: Node<'p>,
    pub(crate) operator: Node<'p>,
    pub(crate) right: Node<'p>,
}

/// Reads an operation. Python's chains of comparisons have more than two operands and are none.
pub(crate) fn operation(node: Node<'_>) -> Option<Operation<'_>> {
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

impl<'p> Operation<'p> {
    /// Can the operands be evaluated in the other order, and can the text be exchanged where it stands?
    ///
    /// Neither may have an effect, and not both may fail: it would be another failure that comes first.
    pub(crate) fn is_swappable(self) -> bool {
        let fails = |operand: Node<'_>| may_raise(operand) || self.unboxes(operand);
        // Two equal operands would change nothing.
        self.left.text() != self.right.text()
            && !may_have_effect(self.node)
            && !(fails(self.left) && fails(self.right))
            && !contains_directive(self.node)
            && !is_in_macro_call(self.node)
            && !self.is_misread_when_swapped()
    }

    /// Java turns an object into a number, which fails for null.
    fn unboxes(self, operand: Node<'_>) -> bool {
        match self.node.program().language() {
            Language::Java => {
                let evident = self.node.program().type_of(operand);
                !matches!(evident, Type::Number(_) | Type::Boolean | Type::Text | Type::Null | Type::Array(_))
            }
            Language::C | Language::Cpp | Language::Python | Language::JavaScript => false,
        }
    }

    /// Places where the new text could be read as something else: conditions of directives, lists between `<` and `>`,
    /// statements that begin with the operation (`a * b;` looks like a declaration), operands that look like a cast or
    /// like the start of a statement when they come first.
    fn is_misread_when_swapped(self) -> bool {
        let is_place = |around: Node<'_>| {
            around.role() == Field::Condition
                && around.parent().is_some_and(|parent| super::statements::is_directive(parent.kind()))
                || matches!(
                    around.kind(),
                    Kind::TemplateArgumentList
                        | Kind::TemplateParameterList
                        | Kind::RequiresClause
                        | Kind::RequiresExpression
                        | Kind::TypeArguments
                )
        };
        let starts_badly =
            |operand: Node<'_>| ["function", "class", "{", "async"].iter().any(|word| operand.text().starts_with(word));
        let looks_like_cast = self.right.kind() == Kind::ParenthesizedExpression
            && self.right.named_children().next().is_some_and(|inner| {
                matches!(inner.kind(), Kind::Identifier | Kind::FieldAccess | Kind::QualifiedIdentifier)
            });
        let parent = self.node.parent();
        parent.is_none_or(|parent| parent.kind() == Kind::ExpressionStatement)
            || starts_badly(self.left)
            || starts_badly(self.right)
            || looks_like_cast
            || self.is_between_angles()
            || std::iter::once(self.node).chain(self.node.ancestors()).any(is_place)
    }

    /// `f(a < b, c > d)` looks like the arguments of a template.
    fn is_between_angles(self) -> bool {
        let makes_angle = matches!(self.operator.text(), ">" | ">=" | "<" | "<=");
        match self.node.program().language() {
            Language::Java | Language::C | Language::Cpp => {
                makes_angle
                    && self.node.ancestors().take(4).any(|around| {
                        matches!(around.kind(), Kind::ArgumentList | Kind::InitializerList | Kind::CommaExpression)
                            && around.named_children().nth(1).is_some()
                    })
            }
            Language::Python | Language::JavaScript => false,
        }
    }

    /// Exchanges the operands, with `operator` between them.
    pub(crate) fn swapped(self, operator: &str) -> Vec<Edit> {
        // Operators of one level group to the left, so a left operand of the same level needs brackets on the right.
        let inner = match self.left.kind() {
            Kind::InstanceofExpression | Kind::ComparisonOperator => Some(level("<")),
            _ => operation(self.left).map(|inner| level(inner.operator.text())),
        };
        let needs_brackets = inner.is_some_and(|inner| inner >= level(self.operator.text()));
        let left = self.left.text();
        let moved = if needs_brackets { format!("({left})") } else { left.to_owned() };
        let mut edits = vec![replace(self.left, self.right.text()), replace(self.right, &moved)];
        if operator != self.operator.text() {
            edits.push(replace(self.operator, operator));
        }
        edits
    }
}

/// How loosely an operator binds. Python's and C's order of `&` and `==` differ, so these share a level here: a
/// bracket too many does no harm.
fn level(operator: &str) -> u8 {
    match operator {
        "*" | "/" | "%" | "//" | "@" => 1,
        "+" | "-" => 2,
        "<<" | ">>" | ">>>" => 3,
        "<" | ">" | "<=" | ">=" | "==" | "!=" | "===" | "!==" | "&" | "^" | "|" | "in" | "instanceof" | "is" => 4,
        "&&" | "and" => 5,
        "||" | "or" | "??" => 6,
        // A power binds tighter than all of them, and whatever is not known gets brackets.
        "**" => 0,
        _ => 7,
    }
}
