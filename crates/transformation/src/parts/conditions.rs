//! Conditions of `if`, `while` and their like.

use syntax::{Field, Kind, Language, Node};

/// The expression that an `if`, `while`, `do` or `elif` tests, without the brackets that belong to the statement.
///
/// `None` when it declares something (`if (auto x = f())`), and for the comma operator of C++.
pub(crate) fn condition_of(statement: Node<'_>) -> Option<Node<'_>> {
    let condition = statement.child(Field::Condition)?;
    match statement.program().language() {
        Language::Python => Some(condition),
        Language::Java | Language::C | Language::JavaScript => {
            (condition.kind() == Kind::ParenthesizedExpression).then(|| condition.named_children().next())?
        }
        Language::Cpp => match condition.kind() {
            // `a, b < c || d > e` may be read as the arguments of a template elsewhere.
            _ if condition.descendants().any(|node| node.kind() == Kind::CommaExpression) => None,
            Kind::ParenthesizedExpression => condition.named_children().next(),
            Kind::ConditionClause => {
                let mut parts = condition.named_children();
                let (value, None) = (parts.next()?, parts.next()) else { return None };
                (value.role() == Field::Value && value.kind() != Kind::Declaration).then_some(value)
            }
            _ => None,
        },
    }
}

/// The negation of a condition. The condition is evaluated once, as before.
pub(crate) fn negated(condition: Node<'_>) -> String {
    match condition.program().language() {
        Language::Python if binds_tightly(condition) => format!("not {}", condition.text()),
        Language::Python => format!("not ({})", condition.text()),
        Language::Java | Language::C | Language::Cpp | Language::JavaScript if binds_tightly(condition) => {
            format!("!{}", condition.text())
        }
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => format!("!({})", condition.text()),
    }
}

/// Can an operator stand before the expression without brackets?
pub(crate) fn binds_tightly(expression: Node<'_>) -> bool {
    matches!(
        expression.kind(),
        Kind::Identifier
            | Kind::This
            | Kind::True
            | Kind::False
            | Kind::ParenthesizedExpression
            | Kind::MethodInvocation
            | Kind::FieldAccess
            | Kind::ArrayAccess
            | Kind::CallExpression
            | Kind::FieldExpression
            | Kind::SubscriptExpression
            | Kind::Call
            | Kind::Attribute
            | Kind::Subscript
            | Kind::MemberExpression
    )
}
