//! The arithmetic types of C and C++: their names, their literals and their conversions.

use crate::types::{Number, Type};

/// The integer promotions.
pub(super) fn promoted(number: Number) -> Number {
    match number {
        Number::Char
        | Number::SignedChar
        | Number::UnsignedChar
        | Number::Byte
        | Number::Short
        | Number::UnsignedShort => Number::Int,
        other => other,
    }
}

/// The usual arithmetic conversions.
pub(super) fn common(one: Number, other: Number) -> Number {
    const ORDER: [Number; 10] = [
        Number::Int,
        Number::UnsignedInt,
        Number::Long,
        Number::UnsignedLong,
        Number::PlatformInteger,
        Number::LongLong,
        Number::UnsignedLongLong,
        Number::Float,
        Number::Double,
        Number::LongDouble,
    ];
    let rank = |number: Number| ORDER.iter().position(|known| *known == promoted(number)).unwrap_or(0);
    ORDER[rank(one).max(rank(other))]
}

/// The type that a run of words such as `const unsigned long int` names.
pub(super) fn of_words(text: &str) -> Type {
    let (mut longs, mut shorts, mut signed, mut unsigned, mut base) = (0, 0, false, false, None);
    for word in text.split_whitespace() {
        match word {
            "long" => longs += 1,
            "short" => shorts += 1,
            "signed" | "__signed__" => signed = true,
            "unsigned" => unsigned = true,
            "const" | "volatile" | "static" | "register" => {}
            _ if base.is_none() => base = Some(word),
            _ => return Type::Unknown,
        }
    }
    let is_sized = longs > 0 || shorts > 0 || signed || unsigned;
    let number = match (base, longs, shorts) {
        (Some("char"), 0, 0) if unsigned => Number::UnsignedChar,
        (Some("char"), 0, 0) if signed => Number::SignedChar,
        (Some("char"), 0, 0) => Number::Char,
        (Some("double"), 1, 0) => Number::LongDouble,
        (None | Some("int"), 0, 0) if unsigned => Number::UnsignedInt,
        (Some("int"), 0, 0) => Number::Int,
        (None, 0, 0) if signed => Number::Int,
        (None | Some("int"), 1, 0) if unsigned => Number::UnsignedLong,
        (None | Some("int"), 1, 0) => Number::Long,
        (None | Some("int"), 2, 0) if unsigned => Number::UnsignedLongLong,
        (None | Some("int"), 2, 0) => Number::LongLong,
        (None | Some("int"), 0, 1) if unsigned => Number::UnsignedShort,
        (None | Some("int"), 0, 1) => Number::Short,
        (Some(word), _, _) if !is_sized => match word {
            "float" => Number::Float,
            "double" => Number::Double,
            "bool" | "_Bool" => return Type::Boolean,
            "void" => return Type::Void,
            "int8_t" => Number::SignedChar,
            "uint8_t" => Number::UnsignedChar,
            "int16_t" => Number::Short,
            "uint16_t" => Number::UnsignedShort,
            "int32_t" => Number::Int,
            "uint32_t" => Number::UnsignedInt,
            // Their widths are known, but not which of two types of that width they are.
            "int64_t" | "uint64_t" | "size_t" | "ssize_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t" | "intmax_t"
            | "uintmax_t" => Number::PlatformInteger,
            _ => return Type::Unknown,
        },
        _ => return Type::Unknown,
    };
    Type::Number(number)
}

/// The type of a literal, by its form and its suffix. Plain literals too large for `int` are unknown.
pub(super) fn of_number(text: &str) -> Type {
    let text = text.to_ascii_lowercase().replace('\'', "");
    let text = text.trim_start_matches(['+', '-']);
    let is_hexadecimal = text.starts_with("0x");
    let is_floating = text.contains('.') || (!is_hexadecimal && text.contains('e')) || text.contains('p');
    if is_floating {
        let number = text.trim_end_matches(char::is_alphabetic);
        let exponent =
            if is_hexadecimal { number.split_once('p').map_or("", |(_, exponent)| exponent) } else { number };
        let is_plain = exponent.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'+' | b'-'));
        return match &text[number.len()..] {
            "" if is_plain => Type::Number(Number::Double),
            "f" if is_plain => Type::Number(Number::Float),
            "l" if is_plain => Type::Number(Number::LongDouble),
            // Decimal, half-precision and imaginary numbers, and user-defined literals of C++.
            _ => Type::Unknown,
        };
    }
    let digits = text.trim_end_matches(['u', 'l']);
    let suffix = &text[digits.len()..];
    let (digits, radix) = match digits {
        _ if is_hexadecimal => (&digits[2..], 16),
        _ if digits.starts_with("0b") => (&digits[2..], 2),
        _ if digits.starts_with('0') && digits.len() > 1 => (&digits[1..], 8),
        _ => (digits, 10),
    };
    let Ok(value) = u64::from_str_radix(digits, radix) else { return Type::Unknown };
    Type::Number(match (suffix, value) {
        ("", 0..=0x7fff_ffff) => Number::Int,
        ("u", 0..=0xffff_ffff) => Number::UnsignedInt,
        ("l", 0..=0x7fff_ffff) => Number::Long,
        ("ul" | "lu", 0..=0xffff_ffff) => Number::UnsignedLong,
        ("ll", 0..=0x7fff_ffff_ffff_ffff) => Number::LongLong,
        ("ull" | "llu", _) => Number::UnsignedLongLong,
        _ => return Type::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suffix_of_a_literal_says_its_type() {
        for (text, number) in [
            ("1.5", Number::Double),
            ("1e-5F", Number::Float),
            ("0x1.8p3", Number::Double),
            ("2.L", Number::LongDouble),
        ] {
            assert_eq!(of_number(text), Type::Number(number), "{text}");
        }
        for text in ["1.5DD", "0.df", "1.0i", "1.0f16", "2.5bf16", "1.5_km", "0x1p3q", "3.0h"] {
            assert_eq!(of_number(text), Type::Unknown, "{text}");
        }
    }

    #[test]
    fn numbers_are_compared_by_rank() {
        assert_eq!(common(Number::Char, Number::Short), Number::Int);
        assert_eq!(common(Number::LongLong, Number::Float), Number::Float);
    }
}
