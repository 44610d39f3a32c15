//! Conditions of `if`, `while` and their like.

use syntax::{Kind, Language, Node};

/// The negation of a condition. The condition is evaluated once, as before.
pub(crate) fn negated(condition: Node<'_>) -> String {
    match binds_tightly(condition) {
        true => not(condition.program().language(), condition.text()),
        false => not(condition.program().language(), &format!("({})", condition.text())),
    }
}

/// The negation of a text that needs no brackets for it.
pub(crate) fn not(language: Language, text: &str) -> String {
    match language {
        Language::Python => format!("not {text}"),
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => format!("!{text}"),
    }
}

/// The head of a statement that tests something, such as `if (condition)`.
pub(crate) fn head(language: Language, word: &str, condition: &str) -> String {
    if language.has_braces() { format!("{word} ({condition})") } else { format!("{word} {condition}") }
}

/// The operator that tells whether two values are the same, without converting them.
pub(crate) fn equality(language: Language) -> &'static str {
    match language {
        Language::JavaScript => "===",
        Language::Java | Language::C | Language::Cpp | Language::Python => "==",
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
