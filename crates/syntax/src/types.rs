//! Light types: the declared or evident type of names, literals and simple expressions.
//!
//! "Unknown" is a valid answer and the usual one: nothing is inferred that a reader could not see at a
//! glance. Types serve two readers: the tables of scopes (which type does the receiver of this member
//! have?) and transformations (is this an integer? a string that cannot be null?).

use crate::language::Language;
use crate::languages::{c, java, javascript, python};
use crate::program::Program;
use crate::scopes::{Scopes, SymbolId};
use crate::tree::Node;

/// The type of an expression or a name, as far as it is evident.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Not evident.
    Unknown,
    /// No value: `void`.
    Void,
    /// `null`, `None`, `nullptr`, `undefined`.
    Null,
    /// `boolean`, `bool`, `_Bool`.
    Boolean,
    /// A number.
    Number(Number),
    /// A string object: Java's `String`, Python's `str`, JavaScript's string, `std::string`.
    Text,
    /// A type that is declared in this input.
    Declared(SymbolId),
    /// A type that is named but declared elsewhere, by its last name.
    Outside(String),
    /// An array or a list with elements of one type.
    Array(Box<Type>),
    /// A pointer.
    Pointer(Box<Type>),
    /// A function of this input, not its result.
    Function(SymbolId),
    /// A module or package that is elsewhere.
    Module,
}

/// The types of numbers of all languages. Python's and JavaScript's numbers have their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    Char,
    SignedChar,
    UnsignedChar,
    Byte,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    /// An integer of a width that the platform decides: `size_t`, `ptrdiff_t`.
    PlatformInteger,
    Float,
    Double,
    LongDouble,
    /// Python's integer of any size, or a JavaScript `BigInt`.
    BigInteger,
    /// JavaScript's number.
    JavaScriptNumber,
}

impl Program {
    /// The type of an expression or of a name.
    pub fn type_of(&self, node: Node<'_>) -> Type {
        of(self.scopes(), node)
    }
}

/// Types are computed by recursion; what is nested deeper than this is not evident at a glance.
const DEEPEST_EXPRESSION: usize = 40;

/// The type of an expression or of a name, by the tables given.
///
/// The tables are handed in because they are asked while they are being built.
pub(crate) fn of(scopes: &Scopes, node: Node<'_>) -> Type {
    of_nested(scopes, node, DEEPEST_EXPRESSION)
}

/// The type whose members `receiver` has: the type of an expression, or a type that is named itself.
pub(crate) fn of_receiver(scopes: &Scopes, receiver: Node<'_>) -> Type {
    match receiver.program().language() {
        Language::Java | Language::Python | Language::JavaScript => of(scopes, receiver),
        Language::C | Language::Cpp => c::types::of_receiver(scopes, receiver),
    }
}

/// `depth` says how many more levels may be looked at.
pub(crate) fn of_nested(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    let Some(depth) = depth.checked_sub(1) else { return Type::Unknown };
    match node.program().language() {
        Language::Java => java::types::of(scopes, node, depth),
        Language::C | Language::Cpp => c::types::of(scopes, node, depth),
        Language::Python => python::types::of(scopes, node, depth),
        Language::JavaScript => javascript::types::of(scopes, node, depth),
    }
}
