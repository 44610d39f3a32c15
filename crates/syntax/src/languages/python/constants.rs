//! Literals of Python, and operators on them.

use crate::flow::constant::{self, Constant, DEEPEST_EVALUATION, LONGEST_TEXT, concatenated, inside};
use crate::flow::literals;
use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::tree::Node;

type Value = constant::Value<Sort>;

/// The types that constants can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Boolean,
    Integer,
    Float,
    Text,
    /// `None`, `...`, bytes and complex numbers: no operators here.
    Other,
}

/// Gives `Some(None)` for a constant expression whose value is not computed.
pub(crate) fn evaluate(expression: Node<'_>) -> Option<Option<Constant>> {
    value(expression, DEEPEST_EVALUATION).map(|value| value.constant)
}

fn value(node: Node<'_>, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    match node.kind() {
        Kind::ParenthesizedExpression => value(inside(node)?, depth),
        Kind::Integer => Some(integer_literal(node.text())),
        Kind::Float => Some(float_literal(node.text())),
        Kind::True => Some(Value::known(Sort::Boolean, Constant::Boolean(true))),
        Kind::False => Some(Value::known(Sort::Boolean, Constant::Boolean(false))),
        Kind::None | Kind::Ellipsis => Some(Value::unknown(Sort::Other)),
        Kind::String => string_literal(node),
        Kind::ConcatenatedString => {
            let mut parts = node.named_children();
            let first = value(parts.next()?, depth)?;
            parts.try_fold(first, |before, part| {
                let part = value(part, depth).filter(|part| part.sort == before.sort)?;
                Some(Value { sort: before.sort, constant: concatenated(before.text(), part.text()) })
            })
        }
        Kind::UnaryOperator => unary(node.child(Field::Operator)?.text(), value(node.child(Field::Argument)?, depth)?),
        Kind::NotOperator => {
            let truth = is_true(&value(node.child(Field::Argument)?, depth)?);
            Some(boolean(truth.map(|truth| !truth)))
        }
        Kind::BinaryOperator => {
            let left = value(node.child(Field::Left)?, depth)?;
            let right = value(node.child(Field::Right)?, depth)?;
            binary(node.child(Field::Operator)?.text(), left, right)
        }
        Kind::BooleanOperator => {
            let left = value(node.child(Field::Left)?, depth)?;
            let right = value(node.child(Field::Right)?, depth)?;
            let takes_left =
                is_true(&left).map(|truth| truth == (node.child(Field::Operator).is_some_and(|or| or.text() == "or")));
            either(takes_left, left, right)
        }
        Kind::ConditionalExpression => {
            let mut parts = node.named_children();
            let first = value(parts.next()?, depth)?;
            let condition = value(parts.next()?, depth)?;
            let second = value(parts.next()?, depth)?;
            either(is_true(&condition), first, second)
        }
        Kind::ComparisonOperator => comparison(node, depth),
        _ => None,
    }
}

fn boolean(truth: Option<bool>) -> Value {
    Value { sort: Sort::Boolean, constant: truth.map(Constant::Boolean) }
}

fn either(takes_first: Option<bool>, first: Value, second: Value) -> Option<Value> {
    match takes_first {
        Some(true) => Some(first),
        Some(false) => Some(second),
        None => (first.sort == second.sort).then(|| Value::unknown(first.sort)),
    }
}

fn integer_literal(text: &str) -> Value {
    let lower = text.to_ascii_lowercase();
    if lower.ends_with('j') {
        return Value::unknown(Sort::Other);
    }
    // Python 2 marks long integers; it also has octal numbers that start in a plain zero.
    let digits = lower.strip_suffix('l').unwrap_or(&lower);
    Value { sort: Sort::Integer, constant: literals::integer(digits, false).map(Constant::Integer) }
}

fn float_literal(text: &str) -> Value {
    match text.ends_with(['j', 'J']) {
        true => Value::unknown(Sort::Other),
        false => Value { sort: Sort::Float, constant: literals::float(text).map(Constant::Float) },
    }
}

fn string_literal(node: Node<'_>) -> Option<Value> {
    let start = node.child_of_kind(Kind::StringStart)?.text();
    let end = node.child_of_kind(Kind::StringEnd)?.text();
    let prefix = start.strip_suffix(end)?.to_ascii_lowercase();
    let has_interpolation = node.children().any(|part| part.kind() == Kind::Interpolation);
    if end == "`" || has_interpolation || prefix.contains('t') {
        return None;
    }
    if prefix.contains('b') {
        return Some(Value::unknown(Sort::Other));
    }
    let content = &node.text()[start.len()..node.text().len() - end.len()];
    let is_plain = !content.contains('\r') && !prefix.contains('f');
    let text = match prefix.contains('r') {
        true => Some(content.to_owned()),
        false => literals::unescape(Language::Python, content),
    };
    Some(Value { sort: Sort::Text, constant: text.filter(|_| is_plain).map(Constant::Text) })
}

fn is_true(value: &Value) -> Option<bool> {
    match value.constant.as_ref()? {
        Constant::Boolean(truth) => Some(*truth),
        Constant::Integer(number) => Some(*number != 0),
        Constant::Float(number) => Some(*number != 0.0),
        Constant::Text(text) => Some(!text.is_empty()),
    }
}

/// A result that may be larger than what is computed here.
fn integer(number: Option<i128>) -> Value {
    Value { sort: Sort::Integer, constant: number.map(Constant::Integer) }
}

fn unary(operator: &str, operand: Value) -> Option<Value> {
    match (operator, operand.sort) {
        ("-", Sort::Boolean | Sort::Integer) => Some(integer(operand.integer().and_then(i128::checked_neg))),
        ("+", Sort::Boolean | Sort::Integer) => Some(integer(operand.integer())),
        ("~", Sort::Integer) => Some(integer(operand.integer().map(|number| !number))),
        ("-", Sort::Float) => {
            Some(Value { sort: Sort::Float, constant: operand.float().map(|number| Constant::Float(-number)) })
        }
        ("+", Sort::Float) => Some(operand),
        _ => None,
    }
}

fn binary(operator: &str, left: Value, right: Value) -> Option<Value> {
    match (left.sort, right.sort) {
        (Sort::Boolean | Sort::Integer, Sort::Boolean | Sort::Integer) => integers(operator, &left, &right),
        (Sort::Boolean | Sort::Integer | Sort::Float, Sort::Boolean | Sort::Integer | Sort::Float) => {
            floats(operator, exact_float(&left)?, exact_float(&right)?)
        }
        (Sort::Text, Sort::Text) if operator == "+" => {
            Some(Value { sort: Sort::Text, constant: concatenated(left.text(), right.text()) })
        }
        (Sort::Text, Sort::Integer) if operator == "*" => Some(repeated(&left, &right)),
        (Sort::Integer, Sort::Text) if operator == "*" => Some(repeated(&right, &left)),
        _ => None,
    }
}

fn integers(operator: &str, left: &Value, right: &Value) -> Option<Value> {
    let both = left.integer().zip(right.integer());
    let checked = |operation: fn(i128, i128) -> Option<i128>| {
        Some(integer(both.and_then(|(left, right)| operation(left, right))))
    };
    let is_boolean = left.sort == Sort::Boolean && right.sort == Sort::Boolean;
    let bitwise = |operation: fn(i128, i128) -> i128| {
        let result = both.map(|(left, right)| operation(left, right));
        Some(if is_boolean { boolean(result.map(|bit| bit != 0)) } else { integer(result) })
    };
    match operator {
        "+" => checked(i128::checked_add),
        "-" => checked(i128::checked_sub),
        "*" => checked(i128::checked_mul),
        "&" => bitwise(|left, right| left & right),
        "|" => bitwise(|left, right| left | right),
        "^" => bitwise(|left, right| left ^ right),
        // Python 2 rounds what Python 3 does not.
        "/" => both.filter(|&(_, divisor)| divisor != 0).map(|_| Value::unknown(Sort::Float)),
        "//" => {
            let (left, right) = both.filter(|&(_, divisor)| divisor != 0)?;
            let rounds_down = left % right != 0 && (left < 0) != (right < 0);
            Some(integer(left.checked_div(right).map(|quotient| quotient - i128::from(rounds_down))))
        }
        "%" => {
            let (left, right) = both.filter(|&(_, divisor)| divisor != 0)?;
            let remainder = left.checked_rem(right);
            let is_off = |remainder: i128| remainder != 0 && (remainder < 0) != (right < 0);
            Some(integer(remainder.map(|rest| if is_off(rest) { rest + right } else { rest })))
        }
        "**" => {
            let (base, exponent) = both.filter(|&(_, exponent)| exponent >= 0)?;
            Some(integer(u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent))))
        }
        "<<" => {
            let (number, distance) = both.filter(|&(_, distance)| distance >= 0)?;
            let power = u32::try_from(distance).ok().and_then(|distance| 2i128.checked_pow(distance));
            Some(integer(power.and_then(|power| number.checked_mul(power))))
        }
        ">>" => {
            let (number, distance) = both.filter(|&(_, distance)| distance >= 0)?;
            Some(integer(Some(number >> distance.min(127))))
        }
        _ => None,
    }
}

/// The number as a floating-point number, when that loses nothing. `None` inside: not computed.
fn exact_float(value: &Value) -> Option<Option<f64>> {
    match (value.float(), value.integer()) {
        (Some(number), _) => Some(Some(number)),
        (_, Some(number)) => Some((number.unsigned_abs() <= 1 << 53).then_some(number as f64)),
        // An integer that is not known may be too large for a floating-point number.
        (None, None) => (value.sort == Sort::Float).then_some(None),
    }
}

fn floats(operator: &str, left: Option<f64>, right: Option<f64>) -> Option<Value> {
    let both = left.zip(right);
    let constant = match operator {
        "+" => both.map(|(left, right)| left + right),
        "-" => both.map(|(left, right)| left - right),
        "*" => both.map(|(left, right)| left * right),
        "/" => Some(both.filter(|&(_, divisor)| divisor != 0.0).map(|(left, right)| left / right)?),
        _ => return None,
    };
    Some(Value { sort: Sort::Float, constant: constant.map(Constant::Float) })
}

fn repeated(text: &Value, times: &Value) -> Value {
    let constant = text.text().zip(times.integer()).and_then(|(text, times)| {
        let times = usize::try_from(times.max(0)).ok()?;
        (text.len().checked_mul(times)? <= LONGEST_TEXT).then(|| Constant::Text(text.repeat(times)))
    });
    Value { sort: Sort::Text, constant }
}

fn comparison(node: Node<'_>, depth: usize) -> Option<Value> {
    let mut operands = node.children().filter(|child| child.role() != Field::Operators && !child.kind().is_comment());
    let mut left = value(operands.next()?, depth)?;
    let mut holds = Some(true);
    for (operator, right) in node.children_at(Field::Operators).zip(operands) {
        let right = value(right, depth)?;
        let result = compared(operator.text(), &left, &right)?;
        holds = holds.zip(result).map(|(before, now)| before && now);
        left = right;
    }
    Some(boolean(holds))
}

fn compared(operator: &str, left: &Value, right: &Value) -> Option<Option<bool>> {
    let is_number = |value: &Value| value.sort <= Sort::Float;
    if left.sort == Sort::Other || right.sort == Sort::Other || is_number(left) != is_number(right) {
        return None;
    }
    let order = match (left.integer().zip(right.integer()), left.text().zip(right.text())) {
        (Some((left, right)), _) => Some(Some(left.cmp(&right))),
        (_, Some((left, right))) => Some(Some(left.cmp(right))),
        (None, None) if left.sort == Sort::Text => None,
        (None, None) => exact_float(left)?.zip(exact_float(right)?).map(|(left, right)| left.partial_cmp(&right)),
    };
    let holds = |accepts: fn(std::cmp::Ordering) -> bool| Some(order.map(|order| order.is_some_and(accepts)));
    match operator {
        "<" => holds(|order| order.is_lt()),
        "<=" => holds(|order| order.is_le()),
        ">" => holds(|order| order.is_gt()),
        ">=" => holds(|order| order.is_ge()),
        "==" => holds(|order| order.is_eq()),
        "!=" => Some(order.map(|order| order.is_none_or(|order| order.is_ne()))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::is_constant_expression;
    use crate::flow::testing::{check_constant, with_marked};

    fn check(expression: &str, expected: Option<Constant>) {
        check_constant(Language::Python, &format!("x = «{expression}»\n"), expected);
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
        integer("0b1", 1);
        integer("0o17", 15);
        integer("1_000", 1000);
        integer("12L", 12);
        check("017", None);
        check("1.5e3", Some(Constant::Float(1500.0)));
        check("2j", None);
        check("None", None);
        check("...", None);
        check("b'x'", None);
        text(r#""a\n""#, "a\n");
        text(r#"r"a\n""#, "a\\n");
        text(r#"'a' "b""#, "ab");
        text("\"\"\"a\nb\"\"\"", "a\nb");
        text("u'a'", "a");
    }

    #[test]
    fn operators() {
        integer("7 // 2", 3);
        integer("-7 // 2", -4);
        integer("-7 % 3", 2);
        integer("7 % -3", -2);
        integer("2 ** 10", 1024);
        integer("1 << 4 | 1", 17);
        integer("True + 1", 2);
        integer("~0", -1);
        integer("-5 >> 1", -3);
        integer("0 or 3", 3);
        integer("1 if '' else 2", 2);
        check("7 / 2", None);
        check("7 / 2.0", Some(Constant::Float(3.5)));
        check("2 ** 1000", None);
        check("1 < 2 <= 2", Some(Constant::Boolean(true)));
        check("'a' < 'b'", Some(Constant::Boolean(true)));
        check("1 == 1.0", Some(Constant::Boolean(true)));
        check("not 0", Some(Constant::Boolean(true)));
        check("True & False", Some(Constant::Boolean(false)));
        text("'ab' * 2 + 'c'", "ababc");
    }

    #[test]
    fn what_is_no_constant_expression() {
        let refused = [
            "a",
            "f()",
            "1 / 0",
            "1 // 0",
            "1 % 0",
            "'a' - 1",
            "'a' < 1",
            "[1]",
            "(1, 2)",
            "{}",
            "f'{a}'",
            "1 << -1",
            "1 is 1",
            "'a' in 'ab'",
            "lambda: 1",
            "a.b",
            "'%d' % 1",
            "2 ** -1",
        ];
        for expression in refused {
            with_marked(Language::Python, &format!("x = «{expression}»\n"), |node| {
                assert!(!is_constant_expression(node), "{expression}");
            });
        }
    }
}
