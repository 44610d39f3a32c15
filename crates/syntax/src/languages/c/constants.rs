//! Constant expressions of C and C++, as far as no platform could disagree.
//!
//! `int` has 32 bits and `long long` has 64 on every platform that matters; `long` has one or the other,
//! so its values are known only where both agree.

use std::collections::HashMap;

use crate::flow::constant::{self, Constant, DEEPEST_EVALUATION, concatenated, inside};
use crate::flow::literals;
use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::scopes::SymbolId;
use crate::tree::Node;
use crate::types::Type;

type Value = constant::Value<Sort>;

/// The types that constants can have, after promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// C++'s `bool`.
    Boolean,
    /// An integer with a sign or without one.
    Integer(Width, Signed),
    /// A floating-point number.
    Float,
    /// A string literal.
    Text,
    /// A null pointer, an enumerator of a scoped enumeration: something without operators here.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    Int,
    Long,
    LongLong,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signed {
    Yes,
    No,
}

const INT: Sort = Sort::Integer(Width::Int, Signed::Yes);

/// Gives `Some(None)` for a constant expression whose value is not certain.
pub(crate) fn evaluate(expression: Node<'_>) -> Option<Option<Constant>> {
    let language = expression.program().language();
    let mut evaluation = Evaluation { language, known: HashMap::new(), depth: 0 };
    evaluation.value(expression).map(|value| value.constant)
}

struct Evaluation {
    language: Language,
    /// The names seen so far. One that is being evaluated has no value: it refers to itself.
    known: HashMap<SymbolId, Option<Value>>,
    depth: usize,
}

impl Evaluation {
    fn value(&mut self, node: Node<'_>) -> Option<Value> {
        if self.depth == DEEPEST_EVALUATION {
            return None;
        }
        self.depth += 1;
        let value = self.value_at_depth(node);
        self.depth -= 1;
        value
    }

    fn value_at_depth(&mut self, node: Node<'_>) -> Option<Value> {
        match node.kind() {
            Kind::ParenthesizedExpression => self.value(inside(node)?),
            Kind::NumberLiteral => number_literal(node.text()),
            Kind::CharLiteral => Some(character_literal(self.language, node.text())),
            Kind::StringLiteral => Some(string_literal(self.language, node.text())),
            Kind::RawStringLiteral => Some(Value::unknown(Sort::Text)),
            Kind::ConcatenatedString => node.named_children().try_fold(
                Value::known(Sort::Text, Constant::Text(String::new())),
                |before, part| {
                    let part = self.value(part).filter(|part| part.sort == Sort::Text)?;
                    Some(Value { sort: Sort::Text, constant: concatenated(before.text(), part.text()) })
                },
            ),
            Kind::True => Some(self.truth(Some(true))),
            Kind::False => Some(self.truth(Some(false))),
            Kind::Null => Some(Value::unknown(Sort::Other)),
            Kind::SizeofExpression => has_fixed_size(node).then(|| Value::unknown(size())),
            Kind::AlignofExpression | Kind::OffsetofExpression => Some(Value::unknown(size())),
            Kind::UnaryExpression => self.unary(node),
            Kind::BinaryExpression => self.binary(node),
            Kind::ConditionalExpression => self.conditional(node),
            Kind::CastExpression => {
                let value = self.value(node.child(Field::Value)?)?;
                cast(value, node.child(Field::Type)?.text(), self.language)
            }
            Kind::Identifier => self.name(node),
            Kind::QualifiedIdentifier => {
                let mut last = node;
                while last.kind() == Kind::QualifiedIdentifier {
                    last = last.child(Field::Name)?;
                }
                (last.kind() == Kind::Identifier).then(|| self.name(last))?
            }
            _ => None,
        }
    }

    /// What comparisons and logical operators give: C has no type of its own for it.
    fn truth(&self, value: Option<bool>) -> Value {
        match self.language == Language::Cpp {
            true => Value { sort: Sort::Boolean, constant: value.map(Constant::Boolean) },
            false => Value { sort: INT, constant: value.map(|truth| Constant::Integer(truth.into())) },
        }
    }

    fn unary(&mut self, node: Node<'_>) -> Option<Value> {
        let value = self.value(node.child(Field::Argument)?)?;
        match (node.child(Field::Operator)?.text(), value.sort) {
            ("!" | "not", Sort::Boolean | Sort::Integer(..) | Sort::Float) => {
                Some(self.truth(is_true(&value).map(|truth| !truth)))
            }
            ("-", Sort::Boolean | Sort::Integer(..) | Sort::Float) => negated(value),
            ("+", Sort::Float) => Some(value),
            ("+", Sort::Boolean | Sort::Integer(..)) => in_range(promoted(value.sort), value.integer()),
            ("~" | "compl", Sort::Boolean | Sort::Integer(..)) => {
                in_range(promoted(value.sort), value.integer().map(|number| !number))
            }
            _ => None,
        }
    }

    fn binary(&mut self, node: Node<'_>) -> Option<Value> {
        let operator = node.child(Field::Operator)?.text();
        let left = self.value(node.child(Field::Left)?)?;
        let right = self.value(node.child(Field::Right)?)?;
        if matches!(operator, "&&" | "||" | "and" | "or") {
            let both = is_true(&left).zip(is_true(&right));
            let is_arithmetic = is_arithmetic(left.sort) && is_arithmetic(right.sort);
            return is_arithmetic.then(|| {
                self.truth(both.map(|(left, right)| match operator {
                    "&&" | "and" => left && right,
                    _ => left || right,
                }))
            });
        }
        match (promoted(left.sort), promoted(right.sort)) {
            (Sort::Integer(..), Sort::Integer(..)) => self.integer_operation(operator, left, right),
            (Sort::Float, Sort::Float | Sort::Integer(..)) | (Sort::Integer(..), Sort::Float) => match operator {
                // How precisely it is computed depends on the platform.
                "+" | "-" | "*" => Some(Value::unknown(Sort::Float)),
                "<" | "<=" | ">" | ">=" | "==" | "!=" => Some(self.truth(None)),
                _ => None,
            },
            _ => None,
        }
    }

    fn integer_operation(&mut self, operator: &str, left: Value, right: Value) -> Option<Value> {
        if matches!(operator, "<<" | ">>") {
            return shift(operator, left, right);
        }
        let (sort, is_certain) = common(promoted(left.sort), promoted(right.sort));
        let both = converted(&left, sort).zip(converted(&right, sort)).filter(|_| is_certain);
        let order = both.map(|(left, right)| left.cmp(&right));
        match operator {
            "+" => in_range(sort, both.map(|(left, right)| left + right)),
            "-" => in_range(sort, both.map(|(left, right)| left - right)),
            "*" => in_range(sort, both.map(|(left, right)| left.wrapping_mul(right))),
            "/" | "%" => {
                let (left, right) = both.filter(|&(_, divisor)| divisor != 0)?;
                in_range(sort, Some(if operator == "/" { left / right } else { left % right }))
            }
            "&" | "bitand" => in_range(sort, both.map(|(left, right)| left & right)),
            "|" | "bitor" => in_range(sort, both.map(|(left, right)| left | right)),
            "^" | "xor" => in_range(sort, both.map(|(left, right)| left ^ right)),
            "<" => Some(self.truth(order.map(|order| order.is_lt()))),
            "<=" => Some(self.truth(order.map(|order| order.is_le()))),
            ">" => Some(self.truth(order.map(|order| order.is_gt()))),
            ">=" => Some(self.truth(order.map(|order| order.is_ge()))),
            "==" => Some(self.truth(order.map(|order| order.is_eq()))),
            "!=" | "not_eq" => Some(self.truth(order.map(|order| order.is_ne()))),
            _ => None,
        }
    }

    fn conditional(&mut self, node: Node<'_>) -> Option<Value> {
        let condition = self.value(node.child(Field::Condition)?)?;
        let first = self.value(node.child(Field::Consequence)?)?;
        let second = self.value(node.child(Field::Alternative)?)?;
        if !is_arithmetic(condition.sort) {
            return None;
        }
        let truth = is_true(&condition);
        if first.sort == second.sort {
            return Some(match truth {
                Some(true) => first,
                Some(false) => second,
                None => Value::unknown(first.sort),
            });
        }
        let (Sort::Integer(..), Sort::Integer(..)) = (promoted(first.sort), promoted(second.sort)) else { return None };
        let (sort, is_certain) = common(promoted(first.sort), promoted(second.sort));
        let chosen = truth.map(|truth| if truth { first } else { second });
        in_range(sort, chosen.and_then(|chosen| converted(&chosen, sort)).filter(|_| is_certain))
    }

    fn name(&mut self, name: Node<'_>) -> Option<Value> {
        let symbol = name.program().scopes().symbol_at(name)?;
        if let Some(value) = self.known.get(&symbol) {
            return value.clone();
        }
        self.known.insert(symbol, None);
        let declared = name.program().node(name.program().scopes().symbol(symbol).declaration);
        let value = match declared.parent()?.kind() {
            Kind::Enumerator => self.enumerator(declared.parent()?),
            Kind::InitDeclarator if self.language == Language::Cpp => self.variable(declared),
            _ => None,
        };
        self.known.insert(symbol, value.clone());
        value
    }

    fn enumerator(&mut self, enumerator: Node<'_>) -> Option<Value> {
        let list = enumerator.parent()?;
        let specifier = list.parent()?;
        if specifier.has_token("class") || specifier.has_token("struct") {
            return Some(Value::unknown(Sort::Other));
        }
        // One in a preprocessor's branch or one with an underlying type is constant, but not certain.
        let is_plain = list.kind() == Kind::EnumeratorList && specifier.child(Field::Base).is_none();
        let mut next: Option<i128> = is_plain.then_some(0);
        for sibling in list.named_children() {
            if sibling.kind() != Kind::Enumerator {
                next = None;
                continue;
            }
            if let Some(value) = sibling.child(Field::Value) {
                next = self.value(value).and_then(|value| value.integer()).filter(|_| is_plain);
            }
            if sibling == enumerator {
                break;
            }
            next = next.map(|number| number + 1);
        }
        // The operators of an enumeration can be overloaded, those of a number cannot.
        let is_overloaded =
            self.language == Language::Cpp && enumerator.program().nodes_of_kind(Kind::OperatorName).next().is_some();
        if is_overloaded {
            return Some(Value::unknown(Sort::Other));
        }
        // Enumerators beyond int have a type that C and C++ choose differently.
        let constant = next.filter(|number| i32::try_from(*number).is_ok()).map(Constant::Integer);
        Some(Value { sort: INT, constant })
    }

    /// A `constexpr` variable, or a `const` one of an integer type.
    fn variable(&mut self, declared: Node<'_>) -> Option<Value> {
        let initial = declared.parent()?;
        let declaration = initial.parent().filter(|parent| parent.kind() == Kind::Declaration)?;
        let has_word = |word: &str| {
            declaration.children().any(|child| child.kind() == Kind::TypeQualifier && child.text() == word)
        };
        if has_word("volatile") || !(has_word("const") || has_word("constexpr")) {
            return None;
        }
        let declared_type = declaration.child(Field::Type)?;
        let mut value = initial.child(Field::Value)?;
        if matches!(value.kind(), Kind::InitializerList | Kind::ArgumentList) {
            let mut parts = value.named_children();
            value = parts.next().filter(|_| parts.next().is_none())?;
        }
        let value = self.value(value)?;
        let name = declared_type.text();
        let is_floating = matches!(name, "float" | "double");
        match is_floating {
            true if has_word("constexpr") => Some(Value::unknown(Sort::Float)),
            true => None,
            false => cast(value, name, self.language),
        }
    }
}

/// The type of `sizeof`, whose width depends on the platform.
fn size() -> Sort {
    Sort::Integer(Width::Long, Signed::No)
}

fn is_arithmetic(sort: Sort) -> bool {
    matches!(sort, Sort::Boolean | Sort::Integer(..) | Sort::Float)
}

/// Only an array whose length is computed has a size that is not a constant.
fn has_fixed_size(size_of: Node<'_>) -> bool {
    if let Some(named) = size_of.child(Field::Type) {
        return named.descendants().all(|node| node.kind() != Kind::AbstractArrayDeclarator);
    }
    let Some(operand) = size_of.child(Field::Value) else { return false };
    let is_literal = matches!(operand.kind(), Kind::StringLiteral | Kind::NumberLiteral | Kind::CharLiteral);
    is_literal
        || matches!(
            operand.program().type_of(operand),
            Type::Number(_) | Type::Boolean | Type::Pointer(_) | Type::Declared(_)
        )
}

fn number_literal(text: &str) -> Option<Value> {
    // The grammars count a sign as part of the literal.
    if let Some(unsigned) = text.strip_prefix(['-', '+']) {
        let value = number_literal(unsigned.trim_start())?;
        return if text.starts_with('-') { negated(value) } else { Some(value) };
    }
    let lower = text.to_ascii_lowercase();
    let is_hexadecimal = lower.starts_with("0x");
    let is_floating = if is_hexadecimal { lower.contains('p') } else { lower.contains(['.', 'e']) };
    if is_floating {
        let constant = match lower.chars().last() {
            Some('f') => literals::single_float(&lower[..lower.len() - 1]).map(f64::from),
            // The precision of a long double is the platform's.
            Some('l') => None,
            _ => literals::float(&lower),
        };
        return Some(Value { sort: Sort::Float, constant: constant.map(Constant::Float) });
    }
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let is_unsigned = suffix.contains('u');
    let width = match suffix.matches('l').count() {
        0 => Width::Int,
        1 => Width::Long,
        _ => Width::LongLong,
    };
    let number = literals::integer(digits, true)?;
    let is_decimal = !digits.starts_with('0') || number == 0;
    let allows_unsigned = is_unsigned || !is_decimal;
    let narrow = if width == Width::LongLong { None } else { Some(width) };
    let sort = match narrow {
        Some(width) if !is_unsigned && number <= i32::MAX.into() => Sort::Integer(width, Signed::Yes),
        Some(width) if allows_unsigned && number <= u32::MAX.into() => Sort::Integer(width, Signed::No),
        _ if !is_unsigned && number <= i64::MAX.into() => Sort::Integer(Width::LongLong, Signed::Yes),
        _ if allows_unsigned && number <= u64::MAX.into() => Sort::Integer(Width::LongLong, Signed::No),
        _ => return None,
    };
    Some(Value::known(sort, Constant::Integer(number)))
}

fn character_literal(language: Language, text: &str) -> Value {
    let content = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let decoded = content.and_then(|content| literals::unescape(language, content));
    let mut characters = decoded.as_deref().unwrap_or_default().chars();
    let character = characters.next().filter(|character| character.is_ascii() && characters.next().is_none());
    Value { sort: INT, constant: character.map(|character| Constant::Integer(u32::from(character).into())) }
}

fn string_literal(language: Language, text: &str) -> Value {
    let content = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let decoded = content.and_then(|content| literals::unescape(language, content));
    Value { sort: Sort::Text, constant: decoded.map(Constant::Text) }
}

fn is_true(value: &Value) -> Option<bool> {
    match value.constant {
        Some(Constant::Boolean(truth)) => Some(truth),
        Some(Constant::Integer(number)) => Some(number != 0),
        Some(Constant::Float(number)) => Some(number != 0.0),
        Some(Constant::Text(_)) | None => None,
    }
}

fn promoted(sort: Sort) -> Sort {
    if sort == Sort::Boolean { INT } else { sort }
}

fn negated(value: Value) -> Option<Value> {
    match promoted(value.sort) {
        Sort::Float => {
            Some(Value { sort: Sort::Float, constant: value.float().map(|number| Constant::Float(-number)) })
        }
        sort => in_range(sort, value.integer().map(|number| -number)),
    }
}

/// The usual arithmetic conversions, and whether all platforms agree on them.
fn common(left: Sort, right: Sort) -> (Sort, bool) {
    let (Sort::Integer(left_width, left_sign), Sort::Integer(right_width, right_sign)) = (left, right) else {
        return (Sort::Other, false);
    };
    if left_sign == right_sign {
        return (Sort::Integer(left_width.max(right_width), left_sign), true);
    }
    let (signed, unsigned) =
        if left_sign == Signed::Yes { (left_width, right_width) } else { (right_width, left_width) };
    match unsigned >= signed {
        true => (Sort::Integer(unsigned, Signed::No), true),
        // A long long holds every unsigned int, but a long need not.
        false => (Sort::Integer(signed, Signed::Yes), signed == Width::LongLong && unsigned == Width::Int),
    }
}

/// The number in the type that an operator computes in.
fn converted(value: &Value, sort: Sort) -> Option<i128> {
    let number = value.integer()?;
    match sort {
        Sort::Integer(Width::Int, Signed::No) => Some((number as u32).into()),
        Sort::Integer(Width::LongLong, Signed::No) => Some((number as u64).into()),
        Sort::Integer(Width::Long, Signed::No) => (0..=u32::MAX.into()).contains(&number).then_some(number),
        _ => Some(number),
    }
}

/// A result of type `sort`: unsigned ones wrap around, signed ones must not overflow, and those of type
/// `long` are known where every platform agrees.
fn in_range(sort: Sort, number: Option<i128>) -> Option<Value> {
    let Some(number) = number else { return Some(Value::unknown(sort)) };
    let is_int = i32::try_from(number).is_ok();
    match sort {
        Sort::Integer(Width::Int, Signed::Yes) => is_int.then(|| Value::known(sort, Constant::Integer(number))),
        Sort::Integer(Width::LongLong, Signed::Yes) => {
            i64::try_from(number).is_ok().then(|| Value::known(sort, Constant::Integer(number)))
        }
        Sort::Integer(Width::Int, Signed::No) => Some(Value::known(sort, Constant::Integer((number as u32).into()))),
        Sort::Integer(Width::LongLong, Signed::No) => {
            Some(Value::known(sort, Constant::Integer((number as u64).into())))
        }
        Sort::Integer(Width::Long, Signed::Yes) => {
            Some(Value { sort, constant: is_int.then_some(Constant::Integer(number)) })
        }
        Sort::Integer(Width::Long, Signed::No) => {
            let is_certain = u32::try_from(number).is_ok();
            Some(Value { sort, constant: is_certain.then_some(Constant::Integer(number)) })
        }
        Sort::Boolean | Sort::Float | Sort::Text | Sort::Other => None,
    }
}

fn shift(operator: &str, left: Value, right: Value) -> Option<Value> {
    let sort = promoted(left.sort);
    let (Some(number), Some(distance)) = (left.integer(), right.integer()) else { return Some(Value::unknown(sort)) };
    let Sort::Integer(width, signed) = sort else { return None };
    let bits = if width == Width::LongLong { 64 } else { 32 };
    if !(0..bits).contains(&distance) {
        return if width == Width::Long { Some(Value::unknown(sort)) } else { None };
    }
    match (signed, number < 0) {
        // Shifting a negative number to the left overflows; to the right each platform does as it likes.
        (Signed::Yes, true) => {
            if operator == "<<" {
                None
            } else {
                Some(Value::unknown(sort))
            }
        }
        _ if operator == "<<" => in_range(sort, Some(number << distance)),
        _ => in_range(sort, Some(number >> distance)),
    }
}

/// A cast to a type that is spelled in words; the words of an integer type may come in any order.
fn cast(value: Value, name: &str, language: Language) -> Option<Value> {
    if !is_arithmetic(value.sort) {
        return None;
    }
    let words: Vec<&str> = name.split_whitespace().filter(|word| *word != "const").collect();
    let is_one_of = |allowed: &[&str]| !words.is_empty() && words.iter().all(|word| allowed.contains(word));
    if is_one_of(&["float", "double", "long"]) && words.iter().any(|word| matches!(*word, "float" | "double")) {
        return Some(Value::unknown(Sort::Float));
    }
    if is_one_of(&["bool", "_Bool"]) {
        let truth = is_true(&value);
        return Some(match language == Language::Cpp {
            true => Value { sort: Sort::Boolean, constant: truth.map(Constant::Boolean) },
            false => Value { sort: INT, constant: truth.map(|truth| Constant::Integer(truth.into())) },
        });
    }
    if !is_one_of(&["signed", "unsigned", "char", "short", "int", "long"]) {
        return None;
    }
    let count = |wanted: &str| words.iter().filter(|word| **word == wanted).count();
    let is_unsigned = count("unsigned") > 0;
    // A number with a fraction is cut off; whether it then fits is for the reader of the code to know.
    let number = value.integer();
    if count("char") + count("short") > 0 {
        let bits = if count("char") > 0 { 8 } else { 16 };
        let number = number.and_then(|number| match is_unsigned {
            true => Some(number & ((1 << bits) - 1)),
            false => (0..1 << (bits - 1)).contains(&number).then_some(number),
        });
        return Some(Value { sort: INT, constant: number.map(Constant::Integer) });
    }
    let width = match count("long") {
        0 => Width::Int,
        1 => Width::Long,
        _ => Width::LongLong,
    };
    let sort = Sort::Integer(width, if is_unsigned { Signed::No } else { Signed::Yes });
    // What does not fit into a signed type becomes what the platform likes.
    Some(in_range(sort, number).unwrap_or(Value::unknown(sort)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::testing::{check_constant, with_marked};
    use crate::flow::{constant_value, is_constant_expression};

    fn check(language: Language, expression: &str, expected: Option<Constant>) {
        check_constant(language, &format!("int f() {{ x = «{expression}»; }}"), expected);
    }

    fn integer(expression: &str, expected: i128) {
        for language in [Language::C, Language::Cpp] {
            check(language, expression, Some(Constant::Integer(expected)));
        }
    }

    fn check_refused(expression: &str) {
        for language in [Language::C, Language::Cpp] {
            let source = format!("int f() {{ x = «{expression}»; }}");
            with_marked(language, &source, |node| assert!(!is_constant_expression(node), "{expression}"));
        }
    }

    #[test]
    fn literals() {
        integer("42", 42);
        integer("0x1FuL", 31);
        integer("017", 15);
        integer("0b11", 3);
        integer("'a'", 97);
        integer(r"'\n'", 10);
        integer(r"'\0'", 0);
        integer("4294967295u", 4_294_967_295);
        integer("5000000000", 5_000_000_000);
        check(Language::Cpp, "1'000", Some(Constant::Integer(1000)));
        check(Language::C, "1.5", Some(Constant::Float(1.5)));
        check(Language::C, "1.5f", Some(Constant::Float(1.5)));
        check(Language::C, "1.5L", None);
        check(Language::C, "'\\xff'", None);
        check(Language::C, "L'x'", None);
        check(Language::C, r#""a" "b\n""#, Some(Constant::Text("ab\n".to_owned())));
        check(Language::C, "sizeof(int)", None);
        check(Language::Cpp, "nullptr", None);
        check(Language::Cpp, "true", Some(Constant::Boolean(true)));
    }

    #[test]
    fn arithmetic_refuses_what_overflows_or_depends_on_the_platform() {
        integer("2147483647 - 1", 2_147_483_646);
        check_refused("2147483647 + 1");
        integer("2147483647 + 1LL", 2_147_483_648);
        integer("4294967295u + 1", 0);
        integer("0u - 1", 4_294_967_295);
        integer("-7 / 2", -3);
        integer("-7 % 3", -1);
        check_refused("1 / 0");
        check_refused("1 << 40");
        check_refused("1 << 31");
        integer("1u << 31", 2_147_483_648);
        integer("~0 & 0xFF", 255);
        check(Language::C, "2147483647L + 1", None);
        check(Language::C, "-1 >> 1", None);
        check(Language::C, "-1L < 1u", None);
        check(Language::C, "1.0 + 2.0", None);
        integer("1 ? 2 : 3", 2);
        integer("(unsigned char) 300", 44);
        check(Language::C, "(char) 200", None);
        check(Language::C, "(int) 1.5", None);
    }

    #[test]
    fn truth_is_an_integer_in_c_only() {
        check(Language::C, "1 < 2", Some(Constant::Integer(1)));
        check(Language::Cpp, "1 < 2", Some(Constant::Boolean(true)));
        check(Language::C, "!0 && 2", Some(Constant::Integer(1)));
        check(Language::Cpp, "not true", Some(Constant::Boolean(false)));
        check(Language::Cpp, "true + true", Some(Constant::Integer(2)));
        check(Language::C, "-1 < 1u", Some(Constant::Integer(0)));
    }

    #[test]
    fn what_is_no_constant_expression() {
        for expression in ["f()", "a", "b++", "c = 1", "&d", "*e", "g[0]", "(1, 2)", "h->i", "(T) 1"] {
            check_refused(expression);
        }
    }

    fn check_in(language: Language, source: &str, expected: Option<Option<Constant>>) {
        with_marked(language, source, |node| {
            assert_eq!(is_constant_expression(node), expected.is_some(), "{language}: {source}");
            assert_eq!(constant_value(node), expected.flatten(), "{language}: {source}");
        });
    }

    #[test]
    fn enumerators_and_constant_variables() {
        let three = Some(Some(Constant::Integer(3)));
        for language in [Language::C, Language::Cpp] {
            check_in(language, "enum E { A, B = 2, C }; int f() { return «C»; }", three.clone());
            check_in(language, "enum E { A = X, B }; int f() { return «B»; }", Some(None));
            check_in(language, "int f(int n) { return «n»; }", None);
            check_in(language, "int f() { const int n = g(); return «n»; }", None);
        }
        let overloaded = "enum E { A }; int operator+(E a, int b); int f() { return «A + 1»; }";
        check_in(Language::Cpp, overloaded, None);
        check_in(Language::C, "int f() { const int n = 3; return «n»; }", None);
        check_in(Language::Cpp, "int f() { const int n = 3; return «n»; }", three.clone());
        check_in(Language::Cpp, "int f() { constexpr int n{3}; return «n»; }", three.clone());
        check_in(Language::Cpp, "const int n = 1 + 2; int f() { return «n»; }", three.clone());
        check_in(Language::Cpp, "int f() { const volatile int n = 3; return «n»; }", None);
        check_in(Language::Cpp, "int f() { const double n = 3; return «n»; }", None);
        check_in(Language::Cpp, "enum class E { A }; int f() { E e = «E::A»; }", Some(None));
    }
}
