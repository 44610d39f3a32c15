//! Java's constant expressions, with the arithmetic of their types (JLS 15.29).

use std::collections::HashMap;

use crate::flow::constant::{self, Constant, DEEPEST_EVALUATION, concatenated, inside};
use crate::flow::literals;
use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::scopes::{SymbolId, SymbolKind};
use crate::tree::Node;

type Value = constant::Value<Sort>;

/// The types that constants can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Byte,
    Short,
    Char,
    Int,
    Long,
    Float,
    Double,
    Boolean,
    Text,
}

impl Sort {
    fn is_numeric(self) -> bool {
        self <= Sort::Double
    }

    fn is_integral(self) -> bool {
        self <= Sort::Long
    }

    /// Unary numeric promotion.
    fn promoted(self) -> Sort {
        self.max(Sort::Int)
    }
}

/// Gives `Some(None)` for a constant expression whose value is not computed.
pub(crate) fn evaluate(expression: Node<'_>) -> Option<Option<Constant>> {
    let mut evaluation = Evaluation { known: HashMap::new(), depth: 0 };
    evaluation.value(expression).map(|value| value.constant)
}

struct Evaluation {
    /// The variables seen so far. One that is being evaluated has no value: it refers to itself.
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
            Kind::DecimalIntegerLiteral
            | Kind::HexIntegerLiteral
            | Kind::OctalIntegerLiteral
            | Kind::BinaryIntegerLiteral => integer_literal(node.text(), false),
            Kind::DecimalFloatingPointLiteral | Kind::HexFloatingPointLiteral => floating_point_literal(node.text()),
            Kind::True => Some(Value::known(Sort::Boolean, Constant::Boolean(true))),
            Kind::False => Some(Value::known(Sort::Boolean, Constant::Boolean(false))),
            Kind::CharacterLiteral => Some(character_literal(node.text())),
            Kind::StringLiteral => string_literal(node),
            Kind::UnaryExpression => self.unary(node),
            Kind::BinaryExpression => self.binary(node),
            Kind::TernaryExpression => self.conditional(node),
            Kind::CastExpression => {
                let sort = sort_of_type(node.child(Field::Type)?)?;
                converted(self.value(node.child(Field::Value)?)?, sort)
            }
            Kind::Identifier => self.variable(node),
            Kind::FieldAccess => {
                let object = node.child(Field::Object)?;
                names_type(object).then(|| self.variable(node.child(Field::Field)?))?
            }
            Kind::ScopedIdentifier => {
                let scope = node.child(Field::Scope)?;
                names_type(scope).then(|| self.variable(node.child(Field::Name)?))?
            }
            _ => None,
        }
    }

    fn unary(&mut self, node: Node<'_>) -> Option<Value> {
        let operand = node.child(Field::Operand)?;
        let operator = node.child(Field::Operator)?.text();
        if operator == "-" && operand.kind() == Kind::DecimalIntegerLiteral {
            // The smallest number can only be written after its sign.
            return integer_literal(operand.text(), true);
        }
        let value = self.value(operand)?;
        let sort = value.sort;
        match operator {
            "!" if sort == Sort::Boolean => {
                Some(Value { sort, constant: value.boolean().map(|truth| Constant::Boolean(!truth)) })
            }
            "+" if sort.is_numeric() => converted(value, sort.promoted()),
            "-" if sort.is_integral() => Some(wrapped(sort.promoted(), value.integer().map(|number| -number))),
            "-" if sort.is_numeric() => {
                Some(Value { sort, constant: value.float().map(|number| Constant::Float(-number)) })
            }
            "~" if sort.is_integral() => Some(wrapped(sort.promoted(), value.integer().map(|number| !number))),
            _ => None,
        }
    }

    fn binary(&mut self, node: Node<'_>) -> Option<Value> {
        let operator = node.child(Field::Operator)?.text();
        let left = self.value(node.child(Field::Left)?)?;
        let right = self.value(node.child(Field::Right)?)?;
        match operator {
            "+" if left.sort == Sort::Text || right.sort == Sort::Text => {
                let constant = concatenated(shown(&left).as_deref(), shown(&right).as_deref());
                Some(Value { sort: Sort::Text, constant })
            }
            "+" | "-" | "*" | "/" | "%" => arithmetic(operator, left, right),
            "<<" | ">>" | ">>>" => shift(operator, left, right),
            "<" | "<=" | ">" | ">=" => comparison(operator, left, right),
            "==" | "!=" if left.sort.is_numeric() => comparison(operator, left, right),
            "==" | "!=" if left.sort == right.sort => {
                let equal = left.constant.zip(right.constant).map(|(left, right)| left == right);
                Some(truth(equal.map(|equal| equal == (operator == "=="))))
            }
            "&" | "|" | "^" if left.sort.is_integral() && right.sort.is_integral() => {
                let sort = left.sort.max(right.sort).promoted();
                let both = left.integer().zip(right.integer());
                Some(wrapped(
                    sort,
                    both.map(|(left, right)| match operator {
                        "&" => left & right,
                        "|" => left | right,
                        _ => left ^ right,
                    }),
                ))
            }
            "&" | "|" | "^" | "&&" | "||" if left.sort == Sort::Boolean && right.sort == Sort::Boolean => {
                let both = left.boolean().zip(right.boolean());
                Some(truth(both.map(|(left, right)| match operator {
                    "&" | "&&" => left && right,
                    "|" | "||" => left || right,
                    _ => left != right,
                })))
            }
            _ => None,
        }
    }

    fn conditional(&mut self, node: Node<'_>) -> Option<Value> {
        let condition = self.value(node.child(Field::Condition)?)?;
        let first = self.value(node.child(Field::Consequence)?)?;
        let second = self.value(node.child(Field::Alternative)?)?;
        if condition.sort != Sort::Boolean {
            return None;
        }
        let sort = if first.sort == second.sort {
            first.sort
        } else if first.sort.is_numeric() && second.sort.is_numeric() {
            // A small type and an int that fits into it keep the small type.
            let small = |one: &Value, other: &Value| {
                one.sort < Sort::Int && other.sort == Sort::Int && fits(one.sort, other.integer())
            };
            if small(&first, &second) {
                first.sort
            } else if small(&second, &first) {
                second.sort
            } else if first.sort.max(second.sort) == Sort::Short {
                Sort::Short
            } else {
                first.sort.max(second.sort).promoted()
            }
        } else {
            return None;
        };
        match condition.boolean() {
            Some(true) => converted(first, sort),
            Some(false) => converted(second, sort),
            None => Some(Value::unknown(sort)),
        }
    }

    /// A constant variable: final, of a primitive type or `String`, with a constant initialiser.
    fn variable(&mut self, name: Node<'_>) -> Option<Value> {
        let symbol = name.program().scopes().symbol_at(name)?;
        if let Some(value) = self.known.get(&symbol) {
            return value.clone();
        }
        self.known.insert(symbol, None);
        let value = self.initial_value(name, symbol);
        self.known.insert(symbol, value.clone());
        value
    }

    fn initial_value(&mut self, name: Node<'_>, symbol: SymbolId) -> Option<Value> {
        let program = name.program();
        let declarator = program.node(program.scopes().symbol(symbol).declaration).parent()?;
        let declaration = declarator.parent()?;
        if declarator.kind() != Kind::VariableDeclarator || declarator.child(Field::Dimensions).is_some() {
            return None;
        }
        let is_final = match declaration.kind() {
            Kind::ConstantDeclaration => true,
            Kind::LocalVariableDeclaration | Kind::FieldDeclaration => {
                declaration.child_of_kind(Kind::Modifiers).is_some_and(|modifiers| modifiers.has_token("final"))
            }
            _ => false,
        };
        let declared = declaration.child(Field::Type)?;
        if !is_final {
            return None;
        }
        let value = self.value(declarator.child(Field::Value)?)?;
        if declared.kind() == Kind::TypeIdentifier && declared.text() == "var" {
            return Some(value);
        }
        let sort = sort_of_type(declared)?;
        // A string is not made from a number, nor a number from a truth value, without an operator.
        let is_assignable = sort == value.sort || sort.is_numeric() && value.sort.is_numeric();
        is_assignable.then(|| converted(value, sort))?
    }
}

/// Does the expression before the last dot name a type, so that what follows is a simple constant?
fn names_type(node: Node<'_>) -> bool {
    let scopes = node.program().scopes();
    let last = match node.kind() {
        Kind::Identifier => Some(node),
        Kind::FieldAccess => node.child(Field::Field),
        Kind::ScopedIdentifier => node.child(Field::Name),
        _ => None,
    };
    last.and_then(|name| scopes.symbol_at(name)).is_some_and(|symbol| scopes.symbol(symbol).kind == SymbolKind::Type)
}

fn sort_of_type(declared: Node<'_>) -> Option<Sort> {
    Some(match declared.kind() {
        Kind::IntegralType => match declared.text() {
            "byte" => Sort::Byte,
            "short" => Sort::Short,
            "char" => Sort::Char,
            "int" => Sort::Int,
            "long" => Sort::Long,
            _ => return None,
        },
        Kind::FloatingPointType => match declared.text() {
            "float" => Sort::Float,
            "double" => Sort::Double,
            _ => return None,
        },
        Kind::BooleanType => Sort::Boolean,
        Kind::TypeIdentifier | Kind::ScopedTypeIdentifier => {
            let is_declared_here =
                declared.descendants().any(|name| declared.program().scopes().symbol_at(name).is_some());
            let is_string = matches!(declared.text(), "String" | "java.lang.String");
            return (is_string && !is_declared_here).then_some(Sort::Text);
        }
        _ => return None,
    })
}

fn integer_literal(text: &str, is_negative: bool) -> Option<Value> {
    let digits = text.trim_end_matches(['l', 'L']);
    let is_long = digits.len() < text.len();
    let magnitude = literals::integer(digits, true)?;
    let is_decimal = !digits.starts_with('0') || magnitude == 0;
    let bits = if is_long { 64 } else { 32 };
    let largest = match (is_decimal, is_negative) {
        (true, false) => (1i128 << (bits - 1)) - 1,
        (true, true) => 1i128 << (bits - 1),
        (false, _) => (1i128 << bits) - 1,
    };
    let sort = if is_long { Sort::Long } else { Sort::Int };
    let number = if is_negative { -magnitude } else { magnitude };
    (magnitude <= largest).then(|| wrapped(sort, Some(number)))
}

fn floating_point_literal(text: &str) -> Option<Value> {
    // The suffixes are digits of hexadecimal numbers, but never of their exponent.
    let digits = text.trim_end_matches(['f', 'F', 'd', 'D']);
    let is_single = text.ends_with(['f', 'F']);
    Some(match is_single {
        true => Value {
            sort: Sort::Float,
            constant: literals::single_float(digits).map(|value| Constant::Float(value.into())),
        },
        false => Value { sort: Sort::Double, constant: literals::float(digits).map(Constant::Float) },
    })
}

fn character_literal(text: &str) -> Value {
    let content = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let decoded = content.and_then(|content| literals::unescape(Language::Java, content));
    let unit = decoded.and_then(|decoded| {
        let mut units = decoded.encode_utf16();
        units.next().filter(|_| units.next().is_none())
    });
    Value { sort: Sort::Char, constant: unit.map(|unit| Constant::Integer(unit.into())) }
}

fn string_literal(node: Node<'_>) -> Option<Value> {
    if node.named_children().any(|part| part.kind() == Kind::StringInterpolation) {
        return None;
    }
    // A text block is a constant, too, but its value depends on its indentation.
    let content = node.text().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let content = content.filter(|_| !node.text().starts_with("\"\"\""));
    let text = content.and_then(|content| literals::unescape(Language::Java, content));
    Some(Value { sort: Sort::Text, constant: text.map(Constant::Text) })
}

fn truth(value: Option<bool>) -> Value {
    Value { sort: Sort::Boolean, constant: value.map(Constant::Boolean) }
}

/// Cuts a number down to the bits of its type.
fn wrapped(sort: Sort, number: Option<i128>) -> Value {
    let cut = |number: i128| match sort {
        Sort::Byte => i128::from(number as i8),
        Sort::Short => i128::from(number as i16),
        Sort::Char => i128::from(number as u16),
        Sort::Int => i128::from(number as i32),
        _ => i128::from(number as i64),
    };
    Value { sort, constant: number.map(|number| Constant::Integer(cut(number))) }
}

fn fits(sort: Sort, number: Option<i128>) -> bool {
    number.is_some_and(|number| wrapped(sort, Some(number)).integer() == Some(number))
}

/// The value in another type, as a cast makes it.
fn converted(value: Value, sort: Sort) -> Option<Value> {
    if value.sort == sort {
        return Some(value);
    }
    if !value.sort.is_numeric() || !sort.is_numeric() {
        return None;
    }
    Some(match (value.integer(), value.float()) {
        (Some(number), _) if sort.is_integral() => wrapped(sort, Some(number)),
        (Some(number), _) if sort == Sort::Float => Value::known(sort, Constant::Float((number as f32).into())),
        (Some(number), _) => Value::known(sort, Constant::Float(number as f64)),
        (_, Some(number)) if sort == Sort::Float => Value::known(sort, Constant::Float((number as f32).into())),
        (_, Some(number)) if sort == Sort::Double => Value::known(sort, Constant::Float(number)),
        (_, Some(number)) if sort == Sort::Long => wrapped(sort, Some((number as i64).into())),
        // Smaller types go through int.
        (_, Some(number)) => wrapped(sort, Some((number as i32).into())),
        (None, None) => Value::unknown(sort),
    })
}

fn arithmetic(operator: &str, left: Value, right: Value) -> Option<Value> {
    if !left.sort.is_numeric() || !right.sort.is_numeric() {
        return None;
    }
    let sort = left.sort.max(right.sort).promoted();
    let (left, right) = (converted(left, sort)?, converted(right, sort)?);
    if sort.is_integral() {
        if matches!(operator, "/" | "%") && right.integer().is_none_or(|divisor| divisor == 0) {
            return None;
        }
        let both = left.integer().zip(right.integer());
        return Some(wrapped(
            sort,
            both.map(|(left, right)| match operator {
                "+" => left + right,
                "-" => left - right,
                "*" => left * right,
                "/" => left / right,
                _ => left % right,
            }),
        ));
    }
    let both = left.float().zip(right.float());
    let constant = both.map(|(left, right)| match sort {
        Sort::Float => f64::from(computed(operator, left as f32, right as f32)),
        _ => computed(operator, left, right),
    });
    Some(Value { sort, constant: constant.map(Constant::Float) })
}

fn computed<N>(operator: &str, left: N, right: N) -> N
where
    N: std::ops::Add<Output = N>
        + std::ops::Sub<Output = N>
        + std::ops::Mul<Output = N>
        + std::ops::Div<Output = N>
        + std::ops::Rem<Output = N>,
{
    match operator {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        _ => left % right,
    }
}

fn shift(operator: &str, left: Value, right: Value) -> Option<Value> {
    if !left.sort.is_integral() || !right.sort.is_integral() {
        return None;
    }
    let sort = left.sort.promoted();
    let both = left.integer().zip(right.integer());
    Some(wrapped(
        sort,
        both.map(|(left, right)| {
            let distance = (right & if sort == Sort::Long { 63 } else { 31 }) as u32;
            match operator {
                "<<" => left << distance,
                ">>" => left >> distance,
                _ if sort == Sort::Long => i128::from(left as u64 >> distance),
                _ => i128::from(left as u32 >> distance),
            }
        }),
    ))
}

fn comparison(operator: &str, left: Value, right: Value) -> Option<Value> {
    if !left.sort.is_numeric() || !right.sort.is_numeric() {
        return None;
    }
    let sort = left.sort.max(right.sort).promoted();
    let (left, right) = (converted(left, sort)?, converted(right, sort)?);
    let order = match (left.integer().zip(right.integer()), left.float().zip(right.float())) {
        (Some((left, right)), _) => Some(Some(left.cmp(&right))),
        (_, Some((left, right))) => Some(left.partial_cmp(&right)),
        (None, None) => None,
    };
    Some(truth(order.map(|order| match operator {
        "<" => order.is_some_and(|order| order.is_lt()),
        "<=" => order.is_some_and(|order| order.is_le()),
        ">" => order.is_some_and(|order| order.is_gt()),
        ">=" => order.is_some_and(|order| order.is_ge()),
        "==" => order.is_some_and(|order| order.is_eq()),
        _ => order.is_none_or(|order| order.is_ne()),
    })))
}

/// The text that `+` makes of a value. Floating-point numbers have rules of their own and are left out.
fn shown(value: &Value) -> Option<String> {
    match (value.constant.as_ref()?, value.sort) {
        (Constant::Text(text), _) => Some(text.clone()),
        (Constant::Boolean(truth), _) => Some(truth.to_string()),
        (Constant::Integer(unit), Sort::Char) => String::from_utf16(&[*unit as u16]).ok(),
        (Constant::Integer(number), _) => Some(number.to_string()),
        (Constant::Float(_), _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::testing::{check_constant, with_marked};
    use crate::flow::{constant_value, is_constant_expression};

    fn check(expression: &str, expected: Option<Constant>) {
        check_constant(Language::Java, &format!("class A {{ void f() {{ x = «{expression}»; }} }}"), expected);
    }

    fn check_refused(expression: &str) {
        let source = format!("class A {{ void f() {{ x = «{expression}»; }} }}");
        with_marked(Language::Java, &source, |node| assert!(!is_constant_expression(node), "{expression}"));
    }

    fn integer(expression: &str, expected: i128) {
        check(expression, Some(Constant::Integer(expected)));
    }

    #[test]
    fn literals() {
        integer("1_000", 1000);
        integer("0x7F", 127);
        integer("0xFFFFFFFF", -1);
        integer("0xFFFFFFFFL", 0xFFFF_FFFF);
        integer("0b1010", 10);
        integer("017", 15);
        integer("'a'", 97);
        integer(r"'\n'", 10);
        integer(r"'\u0041'", 65);
        integer("-2147483648", -2_147_483_648);
        check_refused("2147483648");
        check("1.5e3", Some(Constant::Float(1500.0)));
        check("0.1f", Some(Constant::Float(f64::from(0.1f32))));
        check("0x1.8p1", Some(Constant::Float(3.0)));
        check("1d", Some(Constant::Float(1.0)));
        check("true", Some(Constant::Boolean(true)));
        check(r#""a\tb""#, Some(Constant::Text("a\tb".to_owned())));
        check("\"\"\"\n  a\n  \"\"\"", None);
        check_refused("null");
        check_refused("String.class");
    }

    #[test]
    fn arithmetic_wraps_around_by_type() {
        integer("2147483647 + 1", -2_147_483_648);
        integer("2147483647 + 1L", 2_147_483_648);
        integer("9223372036854775807L + 1", -9_223_372_036_854_775_808);
        integer("-7 / 2", -3);
        integer("-7 % 3", -1);
        integer("'a' + 1", 98);
        integer("1 << 33", 2);
        integer("1L << 33", 1 << 33);
        integer("-1 >>> 28", 15);
        integer("-1L >>> 60", 15);
        integer("~5 & 0xF", 10);
        integer("(byte) 200", -56);
        integer("(int) 3.9", 3);
        integer("(char) -1", 65535);
        integer("(int) 1e20", 2_147_483_647);
        check("7 / 2.0", Some(Constant::Float(3.5)));
        check("1 / 0.0", Some(Constant::Float(f64::INFINITY)));
        check("0.1f + 0.2f", Some(Constant::Float(f64::from(0.1f32 + 0.2f32))));
        check_refused("1 / 0");
        check_refused("5 % (2 - 2)");
    }

    #[test]
    fn truth_and_text() {
        for expression in
            ["1 < 2", "!false", "true && !false", "true ^ false", "1 == 1.0", "\"a\" == \"a\"", "'a' < 98"]
        {
            check(expression, Some(Constant::Boolean(true)));
        }
        check("0.0 / 0.0 != 0.0 / 0.0", Some(Constant::Boolean(true)));
        check("\"a\" + 1 + 'b' + true", Some(Constant::Text("a1btrue".to_owned())));
        check("1 + 2 + \"a\"", Some(Constant::Text("3a".to_owned())));
        check("\"a\" + 1.5", None);
        check("(String) \"a\"", Some(Constant::Text("a".to_owned())));
        integer("true ? 1 : 2", 1);
        check("1 > 2 ? 1 : 2.0", Some(Constant::Float(2.0)));
        check_refused("true ? 1 : \"a\"");
        check_refused("true + 1");
        check_refused("!1");
    }

    #[test]
    fn what_is_no_constant_expression() {
        let refused =
            ["f()", "x++", "y", "new A()", "a[0]", "this.b", "c instanceof A", "d = 1", "(Integer) 1", "() -> 1"];
        for expression in refused {
            check_refused(expression);
        }
    }

    fn check_in(source: &str, expected: Option<Option<Constant>>) {
        with_marked(Language::Java, source, |node| {
            assert_eq!(is_constant_expression(node), expected.is_some(), "{source}");
            assert_eq!(constant_value(node), expected.flatten(), "{source}");
        });
    }

    #[test]
    fn constant_variables() {
        let yes = [
            ("class A { static final int N = 3; int f() { return «N + 1»; } }", 4),
            ("class A { final int n = 3; int f() { return «n»; } }", 3),
            ("class A { static final int N = 3; } class B { int f() { return «A.N»; } }", 3),
            ("interface A { int N = 3; } class B { int f() { return «A.N»; } }", 3),
            ("class A { int f() { final byte b = 3; return «b»; } }", 3),
            ("class A { int f() { final var v = 3; return «v»; } }", 3),
            ("class A { static final int N = M + 1, M = 2; int f() { return «N»; } }", 3),
            ("class A { static final char C = 'a'; static final int N = C; int f() { return «N»; } }", 97),
        ];
        for (source, expected) in yes {
            check_in(source, Some(Some(Constant::Integer(expected))));
        }
        let text = "class A { static final String S = \"a\" + 1; String f() { return «S»; } }";
        check_in(text, Some(Some(Constant::Text("a1".to_owned()))));
        let no = [
            "class A { static int N = 3; int f() { return «N»; } }",
            "class A { final int n; int f() { return «n»; } }",
            "class A { final int n = 3; int f() { return «this.n»; } }",
            "class A { static final Integer N = 3; int f() { return «N»; } }",
            "class A { static final int N = g(); int f() { return «N»; } }",
            "class A { static final int N = M, M = N; int f() { return «N»; } }",
            "class A { static final int[] N = { 1 }; int f() { return «N»; } }",
            "class A { int f(final int n) { return «n»; } }",
            "class String { } class A { static final String S = \"a\"; Object f() { return «S»; } }",
            "enum E { X } class A { Object f() { return «E.X»; } }",
            "class A { int f() { return «Integer.MAX_VALUE»; } }",
        ];
        for source in no {
            check_in(source, None);
        }
    }

    #[test]
    fn constants_that_grow_or_nest_without_end() {
        let mut source = "class A { static final String S0 = \"a\";".to_owned();
        for index in 1..60 {
            source += &format!(" static final String S{index} = S{0} + S{0};", index - 1);
        }
        check_in(&format!("{source} String f() {{ return «S59»; }} }}"), Some(None));
        let mut source = "class A { static final int N0 = 1;".to_owned();
        for index in 1..3000 {
            source += &format!(" static final int N{index} = N{} + 1;", index - 1);
        }
        check_in(&format!("{source} int f() {{ return «N2999»; }} }}"), None);
    }
}
