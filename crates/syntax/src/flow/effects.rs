//! Which expressions do more than give a value: they change something, or they may fail to give one.

use std::ops::BitOr;

use super::constant::{Constant, constant_value, is_constant_expression};
use crate::language::Language;
use crate::languages::{c, java, javascript, python};
use crate::tree::Node;
use crate::types::{Number, Type};

/// Can the evaluation of this expression be observed by anything but its value? Yes, when in doubt, and
/// yes for what is not an expression.
///
/// Assignments, increments, calls, `new`, `delete`, `await` and `yield` can, and so can everything that
/// may run code of the program without looking like a call:
/// - Java: turning an object into a string, and using a class for the first time;
/// - C and C++: access to what is `volatile`, names that may be macros; C++: operators, conversions and
///   copies of anything whose type is not known to be built in;
/// - Python: operators, comparisons, tests and formats of anything whose type is not known to be built
///   in, attributes, elements of anything but known strings and lists;
/// - JavaScript: conversions of what may be an object, properties (they may be getters), names of the
///   global object that the language does not define.
///
/// Creating an object, an array or a function is no effect. It is assumed that a type that is named but
/// declared elsewhere does not hide `volatile`.
pub fn may_have_effect(expression: Node<'_>) -> bool {
    hazards(expression).effect
}

/// Can the evaluation of this expression end in an exception, an error or a crash instead of a value?
/// Yes, when in doubt, and yes for what is not an expression.
///
/// Divisions by what is not known to be other than zero, elements, members of what may be null, casts
/// and unboxing in Java, names that may not be bound yet in Python and JavaScript, and everything
/// that [`may_have_effect`] by running code of the program. Running out of memory does not count, nor do
/// overflow and uninitialised variables in C: the program has those or not, wherever its expressions go.
pub fn may_raise(expression: Node<'_>) -> bool {
    hazards(expression).raises
}

fn hazards(expression: Node<'_>) -> Hazards {
    if expression.program().is_broken() {
        return Hazards::ALL;
    }
    if is_constant_expression(expression) {
        return Hazards::NONE;
    }
    match expression.program().language() {
        Language::Java => java::effects::hazards(expression),
        Language::C | Language::Cpp => c::effects::hazards(expression),
        Language::Python => python::effects::hazards(expression),
        Language::JavaScript => javascript::effects::hazards(expression),
    }
}

/// What an expression may do besides giving a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hazards {
    pub(crate) effect: bool,
    pub(crate) raises: bool,
}

impl Hazards {
    pub(crate) const NONE: Hazards = Hazards { effect: false, raises: false };
    pub(crate) const EFFECT: Hazards = Hazards { effect: true, raises: false };
    pub(crate) const RAISES: Hazards = Hazards { effect: false, raises: true };
    pub(crate) const ALL: Hazards = Hazards { effect: true, raises: true };

    pub(crate) fn of(hazard: Hazards, applies: bool) -> Hazards {
        if applies { hazard } else { Hazards::NONE }
    }
}

impl BitOr for Hazards {
    type Output = Hazards;

    fn bitor(self, other: Hazards) -> Hazards {
        Hazards { effect: self.effect || other.effect, raises: self.raises || other.raises }
    }
}

/// The hazards of several parts together.
pub(crate) fn together<'p>(parts: impl Iterator<Item = Node<'p>>, hazards: impl Fn(Node<'p>) -> Hazards) -> Hazards {
    parts.fold(Hazards::NONE, |before, part| before | hazards(part))
}

/// Is the divisor a constant that is not zero?
pub(crate) fn is_nonzero(divisor: Node<'_>) -> bool {
    match constant_value(divisor) {
        Some(Constant::Integer(number)) => number != 0,
        Some(Constant::Float(number)) => number != 0.0,
        Some(Constant::Boolean(truth)) => truth,
        Some(Constant::Text(_)) | None => false,
    }
}

/// Does the language define this name, when nothing in the input does?
pub(crate) fn is_defined_by_language(name: Node<'_>) -> bool {
    match name.program().language() {
        Language::Python => python::effects::BUILT_INS.binary_search(&name.text()).is_ok(),
        Language::JavaScript => javascript::effects::GLOBALS.contains(&name.text()),
        Language::Java | Language::C | Language::Cpp => false,
    }
}

pub(crate) fn is_floating(number: &Type) -> bool {
    matches!(number, Type::Number(Number::Float | Number::Double | Number::LongDouble))
}
