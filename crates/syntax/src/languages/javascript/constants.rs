//! Literals of JavaScript, and operators on them.

use crate::flow::constant::{self, Constant, DEEPEST_EVALUATION, concatenated, inside};
use crate::flow::literals;
use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::tree::Node;

type Value = constant::Value<Sort>;

/// The types that constants can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Number,
    Text,
    Boolean,
    Null,
    Undefined,
    /// Its operators fail when they meet a number, so there are none here.
    BigInteger,
}

/// Gives `Some(None)` for a constant expression whose value is not computed.
pub(crate) fn evaluate(expression: Node<'_>) -> Option<Option<Constant>> {
    value(expression, DEEPEST_EVALUATION).map(|value| value.constant)
}

fn value(node: Node<'_>, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    match node.kind() {
        Kind::ParenthesizedExpression => value(inside(node)?, depth),
        Kind::Number => Some(number_literal(node.text())),
        Kind::True => Some(boolean(Some(true))),
        Kind::False => Some(boolean(Some(false))),
        Kind::Null => Some(Value::unknown(Sort::Null)),
        Kind::Undefined => Some(Value::unknown(Sort::Undefined)),
        Kind::String => Some(text(&node.text()[1..node.text().len().max(2) - 1])),
        Kind::TemplateString => {
            let has_substitution = node.children().any(|part| part.kind() == Kind::TemplateSubstitution);
            let content = &node.text()[1..node.text().len().max(2) - 1];
            (!has_substitution).then(|| text(content))
        }
        Kind::UnaryExpression => {
            unary(node.child(Field::Operator)?.text(), value(node.child(Field::Argument)?, depth)?)
        }
        Kind::BinaryExpression => {
            let left = value(node.child(Field::Left)?, depth)?;
            let right = value(node.child(Field::Right)?, depth)?;
            binary(node.child(Field::Operator)?.text(), left, right)
        }
        Kind::TernaryExpression => {
            let condition = value(node.child(Field::Condition)?, depth)?;
            let first = value(node.child(Field::Consequence)?, depth)?;
            let second = value(node.child(Field::Alternative)?, depth)?;
            either(is_true(&condition), first, second)
        }
        _ => None,
    }
}

fn text(content: &str) -> Value {
    let decoded = literals::unescape(Language::JavaScript, content);
    Value { sort: Sort::Text, constant: decoded.map(Constant::Text) }
}

fn boolean(truth: Option<bool>) -> Value {
    Value { sort: Sort::Boolean, constant: truth.map(Constant::Boolean) }
}

/// Whole numbers that are exact are integers, everything else is a floating-point number.
fn number(value: Option<f64>) -> Value {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_991.0;
    let constant = value.map(|value| {
        let is_negative_zero = value == 0.0 && value.is_sign_negative();
        let is_whole = value.fract() == 0.0 && value.abs() <= LARGEST_EXACT && !is_negative_zero;
        if is_whole { Constant::Integer(value as i128) } else { Constant::Float(value) }
    });
    Value { sort: Sort::Number, constant }
}

fn number_literal(literal: &str) -> Value {
    if literal.ends_with('n') {
        return Value::unknown(Sort::BigInteger);
    }
    let lower = literal.to_ascii_lowercase();
    let has_radix = lower.starts_with("0x") || lower.starts_with("0o") || lower.starts_with("0b");
    let is_old_octal = lower.len() > 1 && lower.starts_with('0') && lower.bytes().all(|digit| digit.is_ascii_digit());
    match (has_radix, is_old_octal) {
        // `089` is decimal in loose code and an error in strict code.
        (false, true) if lower.contains(['8', '9']) => Value::unknown(Sort::Number),
        (true, _) | (_, true) => number(
            literals::integer(literal, true).filter(|whole| whole.unsigned_abs() <= 1 << 53).map(|whole| whole as f64),
        ),
        (false, false) => number(literals::float(literal)),
    }
}

fn is_true(value: &Value) -> Option<bool> {
    match (value.sort, value.constant.as_ref()) {
        (Sort::Null | Sort::Undefined, _) => Some(false),
        (_, Some(Constant::Boolean(truth))) => Some(*truth),
        (_, Some(Constant::Integer(whole))) => Some(*whole != 0),
        (_, Some(Constant::Float(value))) => Some(*value != 0.0 && !value.is_nan()),
        (_, Some(Constant::Text(text))) => Some(!text.is_empty()),
        (_, None) => None,
    }
}

/// The number that an operator makes of a value; strings have rules of their own and are left out.
fn as_number(value: &Value) -> Option<f64> {
    match (value.sort, value.constant.as_ref()) {
        (Sort::Null, _) => Some(0.0),
        (Sort::Undefined, _) => Some(f64::NAN),
        (_, Some(Constant::Integer(whole))) => Some(*whole as f64),
        (_, Some(Constant::Float(value))) => Some(*value),
        (_, Some(Constant::Boolean(truth))) => Some(f64::from(u8::from(*truth))),
        (_, Some(Constant::Text(_)) | None) => None,
    }
}

/// The low 32 bits of a number, as bitwise operators see them.
fn as_bits(value: &Value) -> Option<i32> {
    let number = as_number(value)?;
    if !number.is_finite() {
        return Some(0);
    }
    // Remainders of floating-point numbers are exact.
    Some((number.trunc() % 4_294_967_296.0) as i64 as i32)
}

fn as_text(value: &Value) -> Option<String> {
    match (value.sort, value.constant.as_ref()) {
        (Sort::Null, _) => Some("null".to_owned()),
        (Sort::Undefined, _) => Some("undefined".to_owned()),
        (_, Some(Constant::Text(text))) => Some(text.clone()),
        (_, Some(Constant::Integer(whole))) => Some(whole.to_string()),
        (_, Some(Constant::Boolean(truth))) => Some(truth.to_string()),
        (_, Some(Constant::Float(_)) | None) => None,
    }
}

fn either(takes_first: Option<bool>, first: Value, second: Value) -> Option<Value> {
    match takes_first {
        Some(true) => Some(first),
        Some(false) => Some(second),
        None => (first.sort == second.sort).then(|| Value::unknown(first.sort)),
    }
}

fn unary(operator: &str, operand: Value) -> Option<Value> {
    match (operator, operand.sort) {
        ("!", _) => Some(boolean(is_true(&operand).map(|truth| !truth))),
        ("void", _) => Some(Value::unknown(Sort::Undefined)),
        ("typeof", sort) => Some(Value::known(Sort::Text, Constant::Text(name_of_type(sort).to_owned()))),
        (_, Sort::BigInteger) => None,
        ("-", _) => Some(number(as_number(&operand).map(|value| -value))),
        ("+", _) => Some(number(as_number(&operand))),
        ("~", _) => Some(number(as_bits(&operand).map(|bits| f64::from(!bits)))),
        _ => None,
    }
}

fn name_of_type(sort: Sort) -> &'static str {
    match sort {
        Sort::Number => "number",
        Sort::Text => "string",
        Sort::Boolean => "boolean",
        Sort::Null => "object",
        Sort::Undefined => "undefined",
        Sort::BigInteger => "bigint",
    }
}

fn binary(operator: &str, left: Value, right: Value) -> Option<Value> {
    match operator {
        "&&" => return either(is_true(&left).map(|truth| !truth), left, right),
        "||" => return either(is_true(&left), left, right),
        "??" => {
            let is_absent = matches!(left.sort, Sort::Null | Sort::Undefined);
            return Some(if is_absent { right } else { left });
        }
        "===" | "!==" => return Some(boolean(is_same(&left, &right).map(|same| same == (operator == "===")))),
        "==" | "!=" => return Some(boolean(is_equal(&left, &right).map(|equal| equal == (operator == "==")))),
        _ => {}
    }
    if left.sort == Sort::BigInteger || right.sort == Sort::BigInteger {
        return None;
    }
    let numbers = as_number(&left).zip(as_number(&right));
    let bits = as_bits(&left).zip(as_bits(&right));
    let distance = |right: i32| right as u32 & 31;
    Some(match operator {
        "+" if left.sort == Sort::Text || right.sort == Sort::Text => {
            Value { sort: Sort::Text, constant: concatenated(as_text(&left).as_deref(), as_text(&right).as_deref()) }
        }
        "+" => number(numbers.map(|(left, right)| left + right)),
        "-" => number(numbers.map(|(left, right)| left - right)),
        "*" => number(numbers.map(|(left, right)| left * right)),
        "/" => number(numbers.map(|(left, right)| left / right)),
        "%" => number(numbers.map(|(left, right)| left % right)),
        "**" => number(numbers.and_then(|(base, exponent)| exact_power(base, exponent))),
        "&" => number(bits.map(|(left, right)| f64::from(left & right))),
        "|" => number(bits.map(|(left, right)| f64::from(left | right))),
        "^" => number(bits.map(|(left, right)| f64::from(left ^ right))),
        "<<" => number(bits.map(|(left, right)| f64::from(left.wrapping_shl(distance(right))))),
        ">>" => number(bits.map(|(left, right)| f64::from(left >> distance(right)))),
        ">>>" => number(bits.map(|(left, right)| f64::from(left as u32 >> distance(right)))),
        "<" | "<=" | ">" | ">=" => boolean(compared(operator, &left, &right)),
        _ => return None,
    })
}

/// Engines round powers differently, so only those that need no rounding have a value.
fn exact_power(base: f64, exponent: f64) -> Option<f64> {
    let is_whole =
        base.fract() == 0.0 && base.abs() <= 1e9 && exponent.fract() == 0.0 && (0.0..=64.0).contains(&exponent);
    // A negative zero has no power among the integers.
    let is_whole = is_whole && !(base == 0.0 && base.is_sign_negative());
    let power = is_whole.then(|| (base as i128).checked_pow(exponent as u32))??;
    (power.unsigned_abs() <= 1 << 53).then_some(power as f64)
}

/// Strict equality.
fn is_same(left: &Value, right: &Value) -> Option<bool> {
    match (left.sort, right.sort) {
        (Sort::Null, Sort::Null) | (Sort::Undefined, Sort::Undefined) => Some(true),
        (Sort::Number, Sort::Number) => as_number(left).zip(as_number(right)).map(|(left, right)| left == right),
        (one, other) if one != other => Some(false),
        _ => left.constant.as_ref().zip(right.constant.as_ref()).map(|(left, right)| left == right),
    }
}

/// Loose equality, where the types do not have to be converted.
fn is_equal(left: &Value, right: &Value) -> Option<bool> {
    let is_absent = |value: &Value| matches!(value.sort, Sort::Null | Sort::Undefined);
    match (is_absent(left), is_absent(right)) {
        (true, true) => Some(true),
        (true, false) | (false, true) => Some(false),
        (false, false) if left.sort == right.sort => is_same(left, right),
        (false, false) => None,
    }
}

fn compared(operator: &str, left: &Value, right: &Value) -> Option<bool> {
    let order = match (left.text(), right.text()) {
        (Some(left), Some(right)) => Some(left.encode_utf16().cmp(right.encode_utf16())),
        _ if left.sort == Sort::Text || right.sort == Sort::Text => return None,
        _ => as_number(left)?.partial_cmp(&as_number(right)?),
    };
    Some(order.is_some_and(|order| match operator {
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::is_constant_expression;
    use crate::flow::testing::{check_constant, with_marked};

    fn check(expression: &str, expected: Option<Constant>) {
        check_constant(Language::JavaScript, &format!("x = «{expression}»;"), expected);
    }

    fn integer(expression: &str, expected: i128) {
        check(expression, Some(Constant::Integer(expected)));
    }

    fn text(expression: &str, expected: &str) {
        check(expression, Some(Constant::Text(expected.to_owned())));
    }

    #[test]
    fn literals() {
        integer("0xFF", 255);
        integer("0o17", 15);
        integer("0b11", 3);
        integer("017", 15);
        integer("1_000", 1000);
        integer("1e3", 1000);
        check(".5", Some(Constant::Float(0.5)));
        check("10n", None);
        check("null", None);
        check("undefined", None);
        text(r#""a\x41\u{1F600}""#, "aA😀");
        text("'a\\'b'", "a'b");
        text("`a\nb`", "a\nb");
    }

    #[test]
    fn operators() {
        integer("1 + 2 * 3", 7);
        integer("2 ** 10", 1024);
        integer("1 << 31", -2_147_483_648);
        integer("-1 >>> 0", 4_294_967_295);
        integer("4294967296 | 1", 1);
        integer("true + 1", 2);
        integer("null ?? 3", 3);
        integer("0 || 2", 2);
        integer("0 && 2", 0);
        check("1 / 0", Some(Constant::Float(f64::INFINITY)));
        check("-0", Some(Constant::Float(-0.0)));
        check("0.1 + 0.2", Some(Constant::Float(0.1 + 0.2)));
        check("'3' * 2", None);
        check("(-0) ** 1", None);
        check("'b' > 'a'", Some(Constant::Boolean(true)));
        check("'a' === 1", Some(Constant::Boolean(false)));
        check("null == undefined", Some(Constant::Boolean(true)));
        check("'1' == 1", None);
        check("!''", Some(Constant::Boolean(true)));
        text("'a' + 1 + null", "a1null");
        text("typeof 1", "number");
        text("1 > 2 ? 'a' : 'b'", "b");
    }

    #[test]
    fn what_is_no_constant_expression() {
        let refused =
            ["a", "f()", "b++", "[1]", "({})", "`${c}`", "/d/", "e.f", "1n + 1", "NaN", "() => 1", "'a' in g"];
        for expression in refused {
            with_marked(Language::JavaScript, &format!("x = «{expression}»;"), |node| {
                assert!(!is_constant_expression(node), "{expression}");
            });
        }
    }
}
