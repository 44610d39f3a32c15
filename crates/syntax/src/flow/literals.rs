//! What the literals of the five languages stand for. Everything that is not certain is `None`.

use crate::language::Language;

/// The value of an integer literal without its suffix, whatever its radix.
///
/// `0x`, `0o` and `0b` are radixes; `leading_zero_is_octal` says whether `017` is fifteen. Digits may
/// be separated by `_` or `'`.
pub(crate) fn integer(text: &str, leading_zero_is_octal: bool) -> Option<i128> {
    let digits: String = text.chars().filter(|&digit| digit != '_' && digit != '\'').collect();
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = if let Some(rest) = lower.strip_prefix("0x") {
        (16, rest)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (2, rest)
    } else if let Some(rest) = lower.strip_prefix("0o") {
        (8, rest)
    } else if lower.len() > 1 && lower.starts_with('0') {
        // Zeros alone are zero in every language that accepts them.
        match (leading_zero_is_octal, lower.trim_start_matches('0')) {
            (_, "") => (10, "0"),
            (true, rest) => (8, rest),
            (false, _) => return None,
        }
    } else {
        (10, lower.as_str())
    };
    // The parser of numbers would accept a sign.
    digits.chars().all(|digit| digit.is_digit(radix)).then(|| i128::from_str_radix(digits, radix).ok())?
}

/// The value of a decimal or hexadecimal floating-point literal without its suffix.
pub(crate) fn float(text: &str) -> Option<f64> {
    let digits: String = text.chars().filter(|&digit| digit != '_' && digit != '\'').collect();
    let lower = digits.to_ascii_lowercase();
    match lower.strip_prefix("0x") {
        Some(rest) => hexadecimal_float(rest),
        None => decimal_digits(&lower).then(|| lower.parse().ok())?,
    }
}

/// The same with the precision of `float`.
pub(crate) fn single_float(text: &str) -> Option<f32> {
    let lower = text.replace(['_', '\''], "").to_ascii_lowercase();
    match lower.starts_with("0x") {
        // A value that is exact in single precision was not rounded twice.
        true => float(text).filter(|&value| f64::from(value as f32) == value).map(|value| value as f32),
        false => decimal_digits(&lower).then(|| lower.parse().ok())?,
    }
}

/// The standard parser also knows words such as `inf`.
fn decimal_digits(text: &str) -> bool {
    text.chars().all(|character| matches!(character, '0'..='9' | '.' | 'e' | '+' | '-'))
}

/// Only values that need no rounding.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    let mantissa = if significant.is_empty() { 0 } else { u64::from_str_radix(significant, 16).ok()? };
    let exponent: i32 = exponent.parse().ok()?;
    let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?.checked_mul(4)?)?;
    let is_exact = mantissa < 1 << 53 && (-1000..=900).contains(&exponent);
    is_exact.then(|| mantissa as f64 * 2f64.powi(exponent))
}

/// The characters between the quotation marks, with escapes decoded by the rules of the language.
///
/// Text that is not a sequence of Unicode characters (half of a surrogate pair, bytes beyond ASCII that are
/// written as numbers in C) has no value, nor has anything that depends on how the file is read.
pub(crate) fn unescape(language: Language, content: &str) -> Option<String> {
    let mut units: Vec<u16> = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '\\' => {
                let (decoded, length) = escape(language, rest)?;
                rest = &rest[length..];
                match decoded {
                    Escape::Nothing => {}
                    Escape::Unit(unit) => units.push(unit),
                    Escape::Character(character) => units.extend_from_slice(character.encode_utf16(&mut [0; 2])),
                }
            }
            // Line ends are normalised by some readers and not by others.
            '\r' => return None,
            other => units.extend_from_slice(other.encode_utf16(&mut [0; 2])),
        }
    }
    String::from_utf16(&units).ok()
}

enum Escape {
    Nothing,
    Unit(u16),
    Character(char),
}

/// What follows a backslash, and its length in bytes.
fn escape(language: Language, rest: &str) -> Option<(Escape, usize)> {
    let first = rest.chars().next()?;
    let simple = |character: char| Some((Escape::Character(character), first.len_utf8()));
    match (first, language) {
        ('n', _) => simple('\n'),
        ('t', _) => simple('\t'),
        ('r', _) => simple('\r'),
        ('b', _) => simple('\u{8}'),
        ('f', _) => simple('\u{c}'),
        ('\\' | '\'' | '"', _) => simple(first),
        ('a', Language::C | Language::Cpp | Language::Python) => simple('\u{7}'),
        ('v', Language::C | Language::Cpp | Language::Python | Language::JavaScript) => simple('\u{b}'),
        ('?', Language::C | Language::Cpp) => simple('?'),
        ('s', Language::Java) => simple(' '),
        ('\n', Language::C | Language::Cpp | Language::Python | Language::JavaScript) => Some((Escape::Nothing, 1)),
        ('u', Language::Java) => {
            let letters = rest.len() - rest.trim_start_matches('u').len();
            let unit = hexadecimal(&rest[letters..], 4)?;
            // A backslash that is written as a number starts an escape of its own.
            (unit != u32::from(b'\\')).then_some((Escape::Unit(unit as u16), letters + 4))
        }
        ('u', Language::JavaScript) if rest.starts_with("u{") => {
            let length = rest.find('}')?;
            let digits = &rest[2..length];
            let character = hexadecimal(digits, digits.len()).and_then(char::from_u32)?;
            Some((Escape::Character(character), length + 1))
        }
        ('u', Language::JavaScript) => Some((Escape::Unit(hexadecimal(&rest[1..], 4)? as u16), 5)),
        ('u', Language::C | Language::Cpp | Language::Python) => {
            Some((Escape::Character(char::from_u32(hexadecimal(&rest[1..], 4)?)?), 5))
        }
        ('U', Language::C | Language::Cpp | Language::Python) => {
            Some((Escape::Character(char::from_u32(hexadecimal(&rest[1..], 8)?)?), 9))
        }
        ('x', Language::C | Language::Cpp) => {
            let digits = rest[1..].bytes().take_while(u8::is_ascii_hexdigit).count();
            let value = hexadecimal(&rest[1..], digits)?;
            (value < 128).then_some((Escape::Unit(value as u16), 1 + digits))
        }
        ('x', Language::Python | Language::JavaScript) => Some((Escape::Unit(hexadecimal(&rest[1..], 2)? as u16), 3)),
        ('0', Language::JavaScript) if !rest[1..].starts_with(|digit: char| digit.is_ascii_digit()) => simple('\0'),
        ('0'..='7', Language::Java | Language::C | Language::Cpp | Language::Python) => {
            let longest = if language == Language::Java && first > '3' { 2 } else { 3 };
            let digits = rest.bytes().take(longest).take_while(|digit| matches!(digit, b'0'..=b'7')).count();
            let value = u16::from_str_radix(&rest[..digits], 8).ok()?;
            let is_certain = value < 128 || language == Language::Java || language == Language::Python && value < 256;
            is_certain.then_some((Escape::Unit(value), digits))
        }
        ('0'..='9' | '\r', _) => None,
        // Python keeps the backslash of what it does not know.
        ('N', Language::Python) => None,
        (_, Language::Python) => Some((Escape::Character('\\'), 0)),
        (_, Language::JavaScript) => simple(first),
        (_, Language::Java | Language::C | Language::Cpp) => None,
    }
}

/// The value of the first `length` digits.
fn hexadecimal(text: &str, length: usize) -> Option<u32> {
    let digits = text.get(..length)?;
    let all_digits = length > 0 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    all_digits.then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_every_radix() {
        assert_eq!(integer("0", true), Some(0));
        assert_eq!(integer("00", false), Some(0));
        assert_eq!(integer("1_000", true), Some(1000));
        assert_eq!(integer("1'000", true), Some(1000));
        assert_eq!(integer("0xFf", true), Some(255));
        assert_eq!(integer("0b101", true), Some(5));
        assert_eq!(integer("0o17", true), Some(15));
        assert_eq!(integer("017", true), Some(15));
        assert_eq!(integer("017", false), None);
        assert_eq!(integer("089", true), None);
        assert_eq!(integer("", true), None);
        assert_eq!(integer("-1", true), None);
        assert_eq!(integer(&"9".repeat(60), true), None);
    }

    #[test]
    fn floating_point_numbers() {
        assert_eq!(float("1.5e3"), Some(1500.0));
        assert_eq!(float(".5"), Some(0.5));
        assert_eq!(float("5."), Some(5.0));
        assert_eq!(float("0x1.8p1"), Some(3.0));
        assert_eq!(float("0x.1p0"), Some(0.0625));
        assert_eq!(float("0x1.fffffffffffffffffp0"), None);
        assert_eq!(float("inf"), None);
        assert_eq!(single_float("0.1"), Some(0.1f32));
        assert_eq!(single_float("0x1p0"), Some(1.0));
    }

    #[test]
    fn escapes_of_every_language() {
        for language in Language::ALL {
            assert_eq!(unescape(language, r#"a\tb\n\"\\"#), Some("a\tb\n\"\\".to_owned()));
            assert_eq!(unescape(language, "é"), Some("é".to_owned()));
            assert_eq!(unescape(language, "a\r\n"), None);
            assert_eq!(unescape(language, "\\"), None);
        }
        assert_eq!(unescape(Language::Java, r"\u0041\uu0042\101\7\s"), Some("ABA\u{7} ".to_owned()));
        assert_eq!(unescape(Language::Java, r"\ud83d\ude00"), Some("😀".to_owned()));
        assert_eq!(unescape(Language::Java, r"\ud83d"), None);
        assert_eq!(unescape(Language::Java, r"\u005cn"), None);
        assert_eq!(unescape(Language::Java, r"\477"), Some("'7".to_owned()));
        assert_eq!(unescape(Language::C, r"\x41\101\0\u00e9"), Some("AA\0é".to_owned()));
        assert_eq!(unescape(Language::C, r"\xff"), None);
        assert_eq!(unescape(Language::C, r"\q"), None);
        assert_eq!(unescape(Language::Python, r"\x41\101\U0001f600\q"), Some("AA😀\\q".to_owned()));
        assert_eq!(unescape(Language::Python, r"\N{DASH}"), None);
        assert_eq!(unescape(Language::JavaScript, r"\x41\u{1F600}\ud83d\ude00\q\0"), Some("A😀😀q\0".to_owned()));
        assert_eq!(unescape(Language::JavaScript, r"\1"), None);
        assert_eq!(unescape(Language::JavaScript, "a\\\nb"), Some("ab".to_owned()));
    }
}
