//! Pairs of conditions of which exactly one holds, in whatever way they are written.
//!
//! A condition is read as a comparison, or as the truth of a value, and whether it is negated: `!(a < b)` and `a >= b` are
//! the negated `a < b`, `p == NULL` of C is the negated `p`, and `a > b` is `b < a`. Two conditions are opposite if one is
//! the negation of the other. How they are written is all that counts for shapes; a rewrite also needs to know that both
//! ways of writing mean the same.

use syntax::flow::{accesses, can_complete_normally, may_have_effect};
use syntax::types::Number;
use syntax::views::Operation;
use syntax::{Field, Kind, Language, Node, Type};

/// Conditions are read by recursion; what is nested deeper than this is taken as a whole.
const DEEPEST: usize = 20;

/// Is one condition written as the negation of the other?
pub(crate) fn are_written_as_opposites(first: Node<'_>, second: Node<'_>) -> bool {
    are_opposites(first, second, &|_, _| true, DEEPEST)
}

/// Is `second` false where `first` holds, and true where it does not, when it is evaluated after `first` and the
/// statement `between`, which runs only where `first` holds? `second` can then be left out: evaluating it does nothing.
pub(crate) fn are_opposite_after(first: Node<'_>, between: Node<'_>, second: Node<'_>) -> bool {
    let scopes = second.program().scopes();
    let declares = |node: Node<'_>| scopes.reference_at(node).is_some_and(|reference| reference.declares);
    let is_plain = |condition: Node<'_>| !may_have_effect(condition) && !condition.descendants().any(declares);
    is_plain(first)
        && is_plain(second)
        && are_opposites(first, second, &mean_the_same, DEEPEST)
        && (!can_complete_normally(between) || keeps(between, second))
}

/// Has the statement no influence on what the condition reads?
fn keeps(statement: Node<'_>, condition: Node<'_>) -> bool {
    let (done, read) = (accesses(statement), accesses(condition));
    // What is read through memory or by a name from elsewhere may be changed by anything that touches these.
    let is_confined = !read.touches_memory && !read.has_unresolved;
    let is_harmless = !done.touches_memory && !done.has_unresolved;
    (is_confined || is_harmless) && !read.reads.iter().any(|symbol| done.writes.contains(symbol))
}

/// What a condition says.
#[derive(Clone, Copy)]
struct Reading<'p> {
    fact: Fact<'p>,
    is_negated: bool,
    /// Is it written with the opposite operator, such as `!=` for what is read as the negated `==`?
    has_opposite_operator: bool,
    /// Is it a comparison with `true` or `false` that is the truth of the other operand if that is a truth value?
    needs_truth_value: bool,
}

#[derive(Clone, Copy)]
enum Fact<'p> {
    /// The truth of a value.
    Truth(Node<'p>),
    /// `left operator right`, where the operator is one of `==`, `===`, `<`, `is` and `in`.
    Comparison(&'static str, Node<'p>, Node<'p>),
}

/// `is_sound` decides whether two readings of the same fact mean the same.
fn are_opposites(
    first: Node<'_>,
    second: Node<'_>,
    is_sound: &dyn Fn(Reading<'_>, Reading<'_>) -> bool,
    depth: usize,
) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let (one, other) = (reading(first), reading(second));
    if is_same(one.fact, other.fact) {
        return one.is_negated != other.is_negated && is_sound(one, other);
    }
    // De Morgan: `a && b` against `!a || !b`, in the same order, so that the same operands are evaluated.
    let (Some(one), Some(other)) = (logical(one), logical(other)) else { return false };
    one.is_conjunction != other.is_conjunction
        && are_opposites(one.left, other.left, is_sound, depth)
        && are_opposites(one.right, other.right, is_sound, depth)
}

fn reading(condition: Node<'_>) -> Reading<'_> {
    let mut reading = Reading {
        fact: Fact::Truth(condition),
        is_negated: false,
        has_opposite_operator: false,
        needs_truth_value: false,
    };
    while let Fact::Truth(value) = reading.fact {
        if let Some(inner) = inside_brackets(value) {
            reading.fact = Fact::Truth(inner);
        } else if let Some(operand) = operand_of_not(value) {
            reading.fact = Fact::Truth(operand);
            reading.is_negated = !reading.is_negated;
        } else if let Some((operator, is_opposite, left, right)) = comparison(value) {
            reading.is_negated ^= is_opposite;
            match tested(operator, left, right) {
                Some((value, test)) => {
                    reading.fact = Fact::Truth(value);
                    reading.is_negated ^= test.is_opposite;
                    reading.needs_truth_value |= test.needs_truth_value;
                }
                None => {
                    reading.fact = Fact::Comparison(operator, left, right);
                    reading.has_opposite_operator = is_opposite;
                }
            }
        } else {
            break;
        }
    }
    reading
}

fn inside_brackets(value: Node<'_>) -> Option<Node<'_>> {
    let mut parts = value.named_children().filter(|part| !part.kind().is_comment());
    let (inner, None) = (parts.next()?, parts.next()) else { return None };
    (value.kind() == Kind::ParenthesizedExpression).then_some(inner)
}

/// The operand of `!` or `not`.
fn operand_of_not(value: Node<'_>) -> Option<Node<'_>> {
    let is_not = match value.program().language() {
        Language::Python => value.kind() == Kind::NotOperator,
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
            value.kind() == Kind::UnaryExpression
                && value.child(Field::Operator).is_some_and(|operator| operator.is_token("!"))
        }
    };
    value.child(Field::Argument).or_else(|| value.child(Field::Operand)).filter(|_| is_not)
}

/// A comparison by one of the operators that are read: the operator, whether the opposite one is written, and the operands.
fn comparison(value: Node<'_>) -> Option<(&'static str, bool, Node<'_>, Node<'_>)> {
    let Operation { left, operator, right, .. } = Operation::of(value)?;
    let words: Vec<&str> = operator.text().split_whitespace().collect();
    Some(match words[..] {
        ["=="] => ("==", false, left, right),
        ["!="] => ("==", true, left, right),
        ["==="] => ("===", false, left, right),
        ["!=="] => ("===", true, left, right),
        ["<"] => ("<", false, left, right),
        [">="] => ("<", true, left, right),
        [">"] => ("<", false, right, left),
        ["<="] => ("<", true, right, left),
        ["is"] => ("is", false, left, right),
        ["is", "not"] => ("is", true, left, right),
        ["in"] => ("in", false, left, right),
        ["not", "in"] => ("in", true, left, right),
        _ => return None,
    })
}

/// What a comparison with a constant says about the other operand.
#[derive(Clone, Copy)]
struct Test {
    /// Does it hold where the operand is false?
    is_opposite: bool,
    /// Is this so for truth values only?
    needs_truth_value: bool,
}

/// A value that is compared with zero, null or a truth value where this is the same as its truth or the opposite.
fn tested<'p>(operator: &str, left: Node<'p>, right: Node<'p>) -> Option<(Node<'p>, Test)> {
    if operator != "==" {
        return None;
    }
    let test = |constant: Node<'p>| match constant.program().language() {
        // Every value of C is true if it is not zero.
        Language::C | Language::Cpp
            if matches!(constant.kind(), Kind::Null | Kind::False) || constant.text() == "0" =>
        {
            Some(Test { is_opposite: true, needs_truth_value: false })
        }
        Language::Java | Language::Cpp if matches!(constant.kind(), Kind::True | Kind::False) => {
            Some(Test { is_opposite: constant.kind() == Kind::False, needs_truth_value: true })
        }
        Language::Java | Language::C | Language::Cpp | Language::Python | Language::JavaScript => None,
    };
    match (test(left), test(right)) {
        (None, Some(test)) => Some((left, test)),
        (Some(test), None) => Some((right, test)),
        _ => None,
    }
}

fn is_same(one: Fact<'_>, other: Fact<'_>) -> bool {
    let is_written_alike = |one: Node<'_>, other: Node<'_>| one.text() == other.text();
    match (one, other) {
        (Fact::Truth(one), Fact::Truth(other)) => is_written_alike(one, other),
        (Fact::Comparison(sign, left, right), Fact::Comparison(other_sign, other_left, other_right)) => {
            let is_symmetric = matches!(sign, "==" | "===" | "is");
            sign == other_sign
                && (is_written_alike(left, other_left) && is_written_alike(right, other_right)
                    || is_symmetric && is_written_alike(left, other_right) && is_written_alike(right, other_left))
        }
        (Fact::Truth(_), Fact::Comparison(..)) | (Fact::Comparison(..), Fact::Truth(_)) => false,
    }
}

#[derive(Clone, Copy)]
struct Logical<'p> {
    is_conjunction: bool,
    left: Node<'p>,
    right: Node<'p>,
}

fn logical(reading: Reading<'_>) -> Option<Logical<'_>> {
    let Fact::Truth(value) = reading.fact else { return None };
    let Operation { left, operator, right, .. } = Operation::of(value)?;
    let is_conjunction = match operator.text() {
        "&&" | "and" => true,
        "||" | "or" => false,
        _ => return None,
    };
    // The negation of a whole one would be pushed into its operands.
    (!reading.is_negated).then_some(Logical { is_conjunction, left, right })
}

/// Do two readings of a fact mean the same, whatever its operands are at run time?
fn mean_the_same(one: Reading<'_>, other: Reading<'_>) -> bool {
    let type_of = |value: Node<'_>| value.program().type_of(value);
    let language = match one.fact {
        Fact::Truth(value) | Fact::Comparison(_, value, _) => value.program().language(),
    };
    match one.fact {
        Fact::Truth(value) => {
            let needs_truth_value = one.needs_truth_value || other.needs_truth_value;
            match (language, type_of(value)) {
                (_, Type::Boolean) => true,
                (Language::Java, _) => !needs_truth_value,
                (Language::C | Language::JavaScript, _) => true,
                // Objects have tests of their own: operators of C++, `__bool__` and `__len__` of Python.
                (Language::Cpp, Type::Number(_) | Type::Pointer(_)) => !needs_truth_value,
                (Language::Python, Type::Number(_) | Type::Text) => true,
                (Language::Cpp | Language::Python, _) => false,
            }
        }
        Fact::Comparison(operator, left, right) => {
            let is_literal_negation = one.has_opposite_operator == other.has_opposite_operator;
            let are_both = |is: fn(&Type) -> bool| is(&type_of(left)) && is(&type_of(right));
            match operator {
                // A fraction that is not a number is neither below another nor equal to it nor above it.
                "<" if !is_literal_negation => are_both(is_integer),
                "==" if !is_literal_negation => match language {
                    // For all values of these, `!=` is defined as the negation.
                    Language::Java | Language::C | Language::JavaScript => true,
                    Language::Cpp | Language::Python => are_both(is_built_in),
                },
                "<" | "==" => match language {
                    Language::Java | Language::C | Language::JavaScript => true,
                    // Comparisons that the program defines need not give a truth value that is the same every time.
                    Language::Cpp | Language::Python => are_both(is_built_in),
                },
                _ => true,
            }
        }
    }
}

fn is_integer(known: &Type) -> bool {
    match known {
        Type::Number(number) => {
            !matches!(number, Number::Float | Number::Double | Number::LongDouble | Number::JavaScriptNumber)
        }
        _ => false,
    }
}

fn is_built_in(known: &Type) -> bool {
    matches!(known, Type::Number(_) | Type::Boolean | Type::Pointer(_) | Type::Null) || *known == Type::Text
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};
    use syntax::Program;
    use syntax::views::If;

    use super::*;

    /// Are the conditions of the first two `if`s opposite: as written, and for certain?
    #[track_caller]
    fn check(language: Language, text: &str, expected: (bool, bool)) {
        let program = Program::parse(language, text);
        assert!(!program.is_broken(), "{text}");
        let ifs: Vec<If<'_>> = program.nodes().filter_map(If::of).collect();
        let (first, second) = (ifs[0], ifs[1]);
        let written = are_written_as_opposites(first.condition, second.condition);
        let certain = are_opposite_after(first.condition, first.then, second.condition);
        assert_eq!((written, certain), expected, "{text}");
    }

    fn in_c(declared: &str, first: &str, second: &str) -> String {
        format!("void f({declared}) {{ int n = 0; if ({first}) {{ n = 1; }} if ({second}) {{ n = 2; }} g(n); }}")
    }

    #[test]
    fn comparisons_have_opposites() {
        let ints = "int a, int b";
        for (first, second) in [
            ("a == b", "a != b"),
            ("a != b", "b == a"),
            ("a < b", "a >= b"),
            ("a < b", "b <= a"),
            ("a > b", "!(a > b)"),
            ("!(a > b)", "b < a"),
            ("(a)", "!a"),
            ("a == 0", "a"),
            ("!a", "0 != a"),
            ("!!a", "a == 0"),
            ("a < 3 && b == 2", "a >= 3 || b != 2"),
        ] {
            check(C, &in_c(ints, first, second), (true, true));
            check(C, &in_c(ints, second, first), (true, true));
        }
        for (first, second) in [
            ("a == b", "a == b"),
            ("a < b", "b < a"),
            ("a < b", "a > b"),
            ("a <= b", "a >= b"),
            ("a == 1", "a == 0"),
            ("a == 1", "!a"),
            ("a & b", "!(a | b)"),
            ("a < 3 && b == 2", "a >= 3 && b != 2"),
            ("a && b", "!b || !a"),
        ] {
            check(C, &in_c(ints, first, second), (false, false));
        }
    }

    #[test]
    fn fractions_may_be_no_numbers() {
        check(C, &in_c("double a, int b", "a < b", "a >= b"), (true, false));
        check(C, &in_c("double a, int b", "a < b", "!(a < b)"), (true, true));
        check(C, &in_c("double a, int b", "a <= b", "!(a <= b)"), (true, true));
        check(C, &in_c("double a, int b", "a == b", "a != b"), (true, true));
        check(C, &in_c("double a", "a", "a == 0"), (true, true));
        check(C, &in_c("T a, T b", "a < b", "a >= b"), (true, false));
        check(JavaScript, "function f(a) { let n = 0; if (a < 3) { n = 1; } if (a >= 3) { n = 2; } }", (true, false));
        check(Java, "void f(float a) { int n; if (a < 3) { n = 1; } if (a >= 3) { n = 2; } }", (true, false));
        check(Java, "void f(long a) { int n; if (a < 3) { n = 1; } if (a >= 3) { n = 2; } }", (true, true));
        check(Java, "void f(Long a) { int n; if (a < 3) { n = 1; } if (a >= 3) { n = 2; } }", (true, false));
    }

    #[test]
    fn pointers_are_tested_in_many_ways() {
        for (first, second) in [("p", "!p"), ("p == NULL", "p != NULL"), ("NULL == p", "p"), ("!p", "p != 0")] {
            check(C, &in_c("char *p", first, second), (true, true));
            check(Cpp, &in_c("char *p", first, second), (true, true));
            check(Cpp, &in_c("shared_ptr<T> p", first, second), (true, false));
        }
        check(Java, "void f(T p) { int n; if (p == null) { n = 1; } if (p != null) { n = 2; } }", (true, true));
        check(JavaScript, "function f(p) { let n; if (p == null) { n = 1; } if (p) { n = 2; } }", (false, false));
        check(JavaScript, "function f(p) { let n; if (p === 1) { n = 1; } if (p !== 1) { n = 2; } }", (true, true));
        check(Java, "void f(boolean p) { int n; if (p == false) { n = 1; } if (p) { n = 2; } }", (true, true));
        check(Cpp, &in_c("int p", "p == true", "!p"), (true, false));
        check(Cpp, &in_c("int p", "(p) == true", "!p"), (true, false));
        check(C, &in_c("int p", "p == true", "!p"), (false, false));
    }

    #[test]
    fn operators_of_objects_may_say_anything() {
        check(Cpp, &in_c("T a, T b", "a == b", "a != b"), (true, false));
        check(Cpp, &in_c("T a, T b", "a == b", "!(a == b)"), (true, false));
        check(Cpp, &in_c("T a", "a", "!a"), (true, false));
        check(Python, "def f(a, b):\n    if a == b:\n        n = 1\n    if a != b:\n        n = 2\n", (true, false));
        check(Python, "def f(a):\n    if a:\n        n = 1\n    if not a:\n        n = 2\n", (true, false));
        check(
            Python,
            "def f(a):\n    if a is None:\n        n = 1\n    if a is not None:\n        n = 2\n",
            (true, true),
        );
        check(
            Python,
            "def f(a):\n    if not a is None:\n        n = 1\n    if a is None:\n        n = 2\n",
            (true, true),
        );
        check(
            Python,
            "def f(a, b):\n    if a in b:\n        n = 1\n    if a not in b:\n        n = 2\n",
            (true, false),
        );
    }

    #[test]
    fn what_is_read_must_not_change() {
        let with = |body: &str| {
            format!("void f(int a, int *p) {{ int n = 0; if (a) {{ {body} }} if (!a) {{ n = 2; }} g(n); }}")
        };
        check(C, &with("n = 1;"), (true, true));
        check(C, &with("a = 0;"), (true, false));
        check(C, &with("a--;"), (true, false));
        check(C, &with("a = 0; return;"), (true, true));
        check(C, &with("h(&a);"), (true, false));
        let memory =
            |body: &str| format!("void f(int *p) {{ int n = 0; if (*p) {{ {body} }} if (!*p) {{ n = 2; }} g(n); }}");
        check(C, &memory("n = 1;"), (true, true));
        check(C, &memory("*p = 0;"), (true, false));
        check(C, &memory("h();"), (true, false));
        check(C, &memory("h(); return;"), (true, true));
        check(C, "void f(void) { int n; if (h()) { n = 1; } if (!h()) { n = 2; } }", (true, false));
        check(Java, "class A { int x; void f() { if (x == 0) { g(); } if (x != 0) { h(); } } }", (true, false));
    }
}
