//! Contracts an assignment into a compound assignment: `x = x + e` becomes `x += e`.
//!
//! class: structure
//! groups: coda
//! from: CODA (R3)
//! rules: add, subtract, multiply, divide, remainder, shift-left, shift-right, and, or, xor
//! inverse: expand-compound
//!
//! Only the exact shape qualifies: the left operand is identical to the left side, and the operator is the outermost
//! one. The left side has no side effects, because it is now evaluated once less. As for the inverse, the types must
//! be built in.
//!
//! ```java
//! int f(int n, int k) { n = n * (k + 1); return n; }
//! ```
//! ->
//! ```java
//! int f(int n, int k) { n *= k + 1; return n; }
//! ```
//!
//! ```java
//! byte f(byte b) { b = (byte) (b + 1); return b; }
//! ```
//! ->
//! ```java
//! byte f(byte b) { b += 1; return b; }
//! ```
//!
//! ```c
//! void f(int *p, int n) { *p = *p << n; }
//! ```
//! ->
//! ```c
//! void f(int *p, int n) { *p <<= n; }
//! ```
//!
//! ```cpp
//! int f(int n) { n = n % 7; return n; }
//! ```
//! ->
//! ```cpp
//! int f(int n) { n %= 7; return n; }
//! ```
//!
//! ```python
//! def f():
//!     total = 0
//!     for item in range(9):
//!         total = total + (item * 2)
//!     return total
//! ```
//! ->
//! ```python
//! def f():
//!     total = 0
//!     for item in range(9):
//!         total += item * 2
//!     return total
//! ```
//!
//! ```javascript
//! function f(a, b) { a = a | b; return a; }
//! ```
//! ->
//! ```javascript
//! function f(a, b) { a |= b; return a; }
//! ```
//!
//! The outermost operation is a different one:
//!
//! ```java
//! int f(int n, int k) { n = n - k + 1; n = k + n; return n; }
//! ```
//!
//! A Python list would grow in place:
//!
//! ```python
//! def f(items):
//!     items = items + [1]
//! ```

use syntax::views::Assignment;
use syntax::{Edit, Kind, Program};

use crate::Sites;
use crate::parts::assignments::{expanded, rule_of, store};
use crate::parts::layout::replace;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes() {
        if !matches!(node.kind(), Kind::AssignmentExpression | Kind::Assignment) {
            continue;
        }
        let Some(parts) = Assignment::of(node) else { continue };
        let Some(found) = expanded(parts) else { continue };
        let sign = found.operation.operator.text();
        let Some(rule) = rule_of(sign) else { continue };
        if store(node, parts.left, sign, Some(found.operation.right)).is_none() {
            continue;
        }
        sites.add_rule(rule, node.range(), move |_| {
            let right = found.operation.right;
            let inner = unbracketed(right);
            let text = inner.map_or(right.text(), |inner| inner.text());
            let blank = if program.text()[found.head.clone()].starts_with([' ', '\t', '\n']) { " " } else { "" };
            Some(vec![
                replace(parts.operator, &format!("{sign}=")),
                Edit { range: found.head.start..found.tail.end, text: format!("{blank}{text}") },
            ])
        });
    }
}

/// What stands in the brackets, when it needs none on the right side of an assignment. Comments beside it stay where
/// they are, and so do line breaks that Python allows only in brackets.
fn unbracketed(right: syntax::Node<'_>) -> Option<syntax::Node<'_>> {
    let mut parts = right.children().filter(|_| right.kind() == Kind::ParenthesizedExpression);
    let (Some(_), Some(inner), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return None;
    };
    let is_plain = matches!(
        inner.kind(),
        Kind::BinaryExpression
            | Kind::UnaryExpression
            | Kind::CastExpression
            | Kind::TernaryExpression
            | Kind::ConditionalExpression
            | Kind::BinaryOperator
            | Kind::UnaryOperator
            | Kind::PointerExpression
            | Kind::UpdateExpression
    );
    (is_plain && !right.text().contains('\n')).then_some(inner)
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    const NAME: &str = "contract-compound";

    #[test]
    fn casts_are_those_of_the_left_side() {
        check(NAME, Java, "void f(int i, double d) { i = (int) (i + d); }", "void f(int i, double d) { i += d; }");
        check_refused(NAME, Java, "void f(int i, double d) { i = (byte) (i + d); }");
        check_refused(NAME, Java, "void f(int i) { i = (int) i * 2; }");
    }

    #[test]
    fn other_shapes_are_refused() {
        check_refused(NAME, C, "void f(int a, int b) { a = b + a; }");
        check_refused(NAME, C, "void f(int *a, int i) { a[i++] = a[i++] + 1; }");
        check_refused(NAME, C, "void f(int a, int b) { a = a /* keep */ + b; }");
        check_refused(NAME, Cpp, "void f(std::string s) { s = s + \"x\"; }");
        check_refused(NAME, JavaScript, "function f(a) { a = a ** 2; }");
        check_refused(NAME, Python, "def f():\n    x = 1\n    y = x = x + 1\n");
    }

    #[test]
    fn brackets_that_are_needed_stay() {
        check(NAME, C, "void f(int a, int b) { a = a + (b, 1); }", "void f(int a, int b) { a += (b, 1); }");
        check(NAME, C, "void f(int a,int b) { a=a-(-b); }", "void f(int a,int b) { a-=-b; }");
        check(
            NAME,
            Python,
            "def f():\n    x = 1\n    x = x + (1 +\n        2)\n",
            "def f():\n    x = 1\n    x += (1 +\n        2)\n",
        );
    }
}
