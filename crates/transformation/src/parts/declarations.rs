//! How a new local variable is declared.

use syntax::types::Number;
use syntax::{Language, Type};

/// A statement that declares the local variable `name` with the value `value`; `None` when the type has no certain
/// spelling.
pub(crate) fn declaration(language: Language, name: &str, value_type: &Type, value: &str) -> Option<String> {
    Some(match language {
        Language::Python => format!("{name} = {value}"),
        Language::JavaScript => format!("let {name} = {value};"),
        Language::Java | Language::C | Language::Cpp => {
            format!("{} {name} = {value};", type_text(language, value_type)?)
        }
    })
}

/// How Java, C or C++ spell a type of numbers, truth values or strings; `None` for all others.
pub(crate) fn type_text(language: Language, value_type: &Type) -> Option<&'static str> {
    match (language, value_type) {
        (Language::Python | Language::JavaScript, _) => None,
        (Language::Java, Type::Boolean) => Some("boolean"),
        (Language::Java, Type::Text) => Some("String"),
        // C has `bool` only after an include, and its conditions are of type `int` anyway.
        (Language::C, Type::Boolean) => Some("int"),
        (Language::Cpp, Type::Boolean) => Some("bool"),
        (_, Type::Number(number)) => number_text(language, *number),
        _ => None,
    }
}

fn number_text(language: Language, number: Number) -> Option<&'static str> {
    let is_java = match language {
        Language::Java => true,
        Language::C | Language::Cpp => false,
        Language::Python | Language::JavaScript => return None,
    };
    Some(match number {
        Number::Char => "char",
        Number::Short => "short",
        Number::Int => "int",
        Number::Long => "long",
        Number::Float => "float",
        Number::Double => "double",
        Number::Byte if is_java => "byte",
        Number::SignedChar if !is_java => "signed char",
        Number::UnsignedChar if !is_java => "unsigned char",
        Number::UnsignedShort if !is_java => "unsigned short",
        Number::UnsignedInt if !is_java => "unsigned int",
        Number::UnsignedLong if !is_java => "unsigned long",
        Number::LongLong if !is_java => "long long",
        Number::UnsignedLongLong if !is_java => "unsigned long long",
        Number::LongDouble if !is_java => "long double",
        Number::Byte
        | Number::SignedChar
        | Number::UnsignedChar
        | Number::UnsignedShort
        | Number::UnsignedInt
        | Number::UnsignedLong
        | Number::LongLong
        | Number::UnsignedLongLong
        | Number::LongDouble
        | Number::PlatformInteger
        | Number::BigInteger
        | Number::JavaScriptNumber => return None,
    })
}
