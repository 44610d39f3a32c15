//! Constant expressions: what has one value that the text alone decides.

use crate::language::Language;
use crate::languages::{c, java, javascript, python};
use crate::tree::Node;

/// The value of a constant expression.
///
/// Characters of Java and C are integers, and so are JavaScript's numbers that are whole and exact.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// An integer of whatever type.
    Integer(i128),
    /// A floating-point number of whatever precision.
    Float(f64),
    /// A truth value; comparisons of C give integers.
    Boolean(bool),
    /// A string.
    Text(String),
}

/// Is this a constant expression? No, when in doubt.
///
/// - Java: what the Java Language Specification calls so (15.29): literals, casts to primitive types and
///   `String`, operators other than `++`, `--`, assignment and `instanceof`, and names of constant
///   variables of this input. What would fail (`1 / 0`) has no value.
/// - C and C++: literals, `sizeof`, enumerators, casts to arithmetic types and operators on these; in C++
///   also variables that are `constexpr`, or `const` and of an integer type, with such an initialiser.
///   What overflows has no value.
/// - Python and JavaScript: literals that stand for immutable values, and operators on these that
///   certainly give a value.
pub fn is_constant_expression(expression: Node<'_>) -> bool {
    evaluate(expression).is_some()
}

/// The value of a constant expression, when it is certain.
///
/// It is not where it depends on the platform (the width of `long`, whether `char` has a sign, the
/// precision of floating-point arithmetic in C) or on the version of the language (`7 / 2` in Python).
pub fn constant_value(expression: Node<'_>) -> Option<Constant> {
    evaluate(expression)?.constant
}

/// `None`: no constant expression.
fn evaluate(expression: Node<'_>) -> Option<Evaluated> {
    if expression.program().is_broken() {
        return None;
    }
    let constant = match expression.program().language() {
        Language::Java => java::constants::evaluate(expression)?,
        Language::C | Language::Cpp => c::constants::evaluate(expression)?,
        Language::Python => python::constants::evaluate(expression)?,
        Language::JavaScript => javascript::constants::evaluate(expression)?,
    };
    Some(Evaluated { constant })
}

struct Evaluated {
    constant: Option<Constant>,
}

/// A value under evaluation: its type, which decides what operators do, and what it is when that is
/// certain.
#[derive(Clone, Debug)]
pub(crate) struct Value<S> {
    pub(crate) sort: S,
    pub(crate) constant: Option<Constant>,
}

impl<S> Value<S> {
    pub(crate) fn known(sort: S, constant: Constant) -> Value<S> {
        Value { sort, constant: Some(constant) }
    }

    pub(crate) fn unknown(sort: S) -> Value<S> {
        Value { sort, constant: None }
    }

    pub(crate) fn integer(&self) -> Option<i128> {
        match self.constant {
            Some(Constant::Integer(value)) => Some(value),
            Some(Constant::Boolean(value)) => Some(i128::from(value)),
            _ => None,
        }
    }

    pub(crate) fn float(&self) -> Option<f64> {
        match self.constant {
            Some(Constant::Float(value)) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn boolean(&self) -> Option<bool> {
        match self.constant {
            Some(Constant::Boolean(value)) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.constant {
            Some(Constant::Text(value)) => Some(value),
            _ => None,
        }
    }
}

/// Constants refer to each other, so the depth of the tree does not bound the recursion.
pub(crate) const DEEPEST_EVALUATION: usize = 1000;

/// Longer strings are not computed: constants that double each other grow without bound.
pub(crate) const LONGEST_TEXT: usize = 1 << 16;

pub(crate) fn concatenated(left: Option<&str>, right: Option<&str>) -> Option<Constant> {
    let (left, right) = (left?, right?);
    (left.len() + right.len() <= LONGEST_TEXT).then(|| Constant::Text([left, right].concat()))
}

/// The expression within parentheses.
pub(crate) fn inside(parentheses: Node<'_>) -> Option<Node<'_>> {
    parentheses.named_children().next()
}
