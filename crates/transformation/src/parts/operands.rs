//! Operands that change places.

use syntax::flow::{may_have_effect, may_raise};
use syntax::views::{Operation, contains_directive};
use syntax::{Edit, Field, Kind, Language, Node, Type};

use super::assignments::is_in_macro_call;
use super::layout::replace;

/// Can the operands be evaluated in the other order, and can the text be exchanged where it stands?
///
/// Neither may have an effect, and not both may fail: it would be another failure that comes first.
pub(crate) fn is_swappable(operation: Operation<'_>) -> bool {
    // Two equal operands would change nothing.
    operation.left.text() != operation.right.text()
        && !may_have_effect(operation.node)
        && !(may_fail(operation.left) && may_fail(operation.right))
        && !contains_directive(operation.node)
        && !is_in_macro_call(operation.node)
        && !is_misread_when_swapped(operation)
}

/// Can the operation fail at this operand? Java turns an object into the number or truth value that an operator wants,
/// which fails for null.
pub(crate) fn may_fail(operand: Node<'_>) -> bool {
    let program = operand.program();
    let may_unbox = match program.language() {
        Language::Java => !matches!(
            program.type_of(operand),
            Type::Number(_) | Type::Boolean | Type::Text | Type::Null | Type::Array(_)
        ),
        Language::C | Language::Cpp | Language::Python | Language::JavaScript => false,
    };
    may_unbox || may_raise(operand)
}

/// Places where the new text could be read as something else: conditions of directives, lists between `<` and `>`,
/// statements that begin with the operation (`a * b;` looks like a declaration), operands that look like a cast or
/// like the start of a statement when they come first.
fn is_misread_when_swapped(operation: Operation<'_>) -> bool {
    let is_place = |around: Node<'_>| {
        around.role() == Field::Condition && around.parent().is_some_and(|parent| parent.kind().is_directive())
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
    let looks_like_cast = operation.right.kind() == Kind::ParenthesizedExpression
        && operation.right.named_children().next().is_some_and(|inner| {
            matches!(inner.kind(), Kind::Identifier | Kind::FieldAccess | Kind::QualifiedIdentifier)
        });
    let parent = operation.node.parent();
    parent.is_none_or(|parent| parent.kind() == Kind::ExpressionStatement)
        || starts_badly(operation.left)
        || starts_badly(operation.right)
        || looks_like_cast
        || is_between_angles(operation)
        || std::iter::once(operation.node).chain(operation.node.ancestors()).any(is_place)
}

/// `f(a < b, c > d)` looks like the arguments of a template.
fn is_between_angles(operation: Operation<'_>) -> bool {
    let makes_angle = matches!(operation.operator.text(), ">" | ">=" | "<" | "<=");
    match operation.node.program().language() {
        Language::Java | Language::C | Language::Cpp => {
            makes_angle
                && operation.node.ancestors().take(4).any(|around| {
                    matches!(around.kind(), Kind::ArgumentList | Kind::InitializerList | Kind::CommaExpression)
                        && around.named_children().nth(1).is_some()
                })
        }
        Language::Python | Language::JavaScript => false,
    }
}

/// Exchanges the operands, with `operator` between them.
pub(crate) fn swapped(operation: Operation<'_>, operator: &str) -> Vec<Edit> {
    // Operators of one level group to the left, so a left operand of the same level needs brackets on the right.
    let inner = match operation.left.kind() {
        Kind::InstanceofExpression | Kind::ComparisonOperator => Some(level("<")),
        _ => Operation::of(operation.left).map(|inner| level(inner.operator.text())),
    };
    let needs_brackets = inner.is_some_and(|inner| inner >= level(operation.operator.text()));
    let left = operation.left.text();
    let moved = if needs_brackets { format!("({left})") } else { left.to_owned() };
    let mut edits = vec![replace(operation.left, operation.right.text()), replace(operation.right, &moved)];
    if operator != operation.operator.text() {
        edits.push(replace(operation.operator, operator));
    }
    edits
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
