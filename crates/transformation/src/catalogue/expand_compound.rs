//! Expands a compound assignment: `x += e` becomes `x = x + e`.
//!
//! class: structure
//! groups: coda
//! from: CODA (R3)
//! rules: add, subtract, multiply, divide, remainder, shift-left, shift-right, and, or, xor
//! inverse: contract-compound
//!
//! The left side is evaluated once more, so it must have no side effects. The right side is parenthesised, and Java
//! gets the cast that its compound assignments imply. C++ classes and mutable Python objects may define `+=`
//! differently, so the types must be known to be built in.
//!
//! ```java
//! int f(int n, int k) { n *= k + 1; return n; }
//! ```
//! ->
//! ```java
//! int f(int n, int k) { n = n * (k + 1); return n; }
//! ```
//!
//! ```java
//! byte f(byte b) { b += 1; return b; }
//! ```
//! ->
//! ```java
//! byte f(byte b) { b = (byte) (b + 1); return b; }
//! ```
//!
//! ```c
//! void f(int *p, int n) { *p <<= n; }
//! ```
//! ->
//! ```c
//! void f(int *p, int n) { *p = *p << n; }
//! ```
//!
//! ```cpp
//! int f(int n) { n %= 7; return n; }
//! ```
//! ->
//! ```cpp
//! int f(int n) { n = n % 7; return n; }
//! ```
//!
//! ```python
//! def f(items):
//!     total = 0
//!     for item in range(9):
//!         total += item * 2
//!     return total
//! ```
//! ->
//! ```python
//! def f(items):
//!     total = 0
//!     for item in range(9):
//!         total = total + (item * 2)
//!     return total
//! ```
//!
//! ```javascript
//! function f(a, b) { a |= b; return a; }
//! ```
//! ->
//! ```javascript
//! function f(a, b) { a = a | b; return a; }
//! ```
//!
//! A Python list grows in place:
//!
//! ```python
//! def f(items):
//!     items += [1]
//! ```
//!
//! A side effect on the left side would happen twice:
//!
//! ```java
//! void f(int[] a, int i) { a[i++] += 1; }
//! ```

use syntax::views::Assignment;
use syntax::{Edit, Kind, Program};

use crate::Sites;
use crate::parts::assignments::{Store, is_followed_safely, is_primary, rule_of, store};
use crate::parts::layout::replace;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes() {
        if !matches!(
            node.kind(),
            Kind::AssignmentExpression | Kind::AugmentedAssignmentExpression | Kind::AugmentedAssignment
        ) {
            continue;
        }
        let Some(parts) = Assignment::of(node) else { continue };
        let Some(sign) = parts.operator.text().strip_suffix('=') else { continue };
        let Some(rule) = rule_of(sign) else { continue };
        let Some(store) = store(node, parts.left, sign, Some(parts.right)) else { continue };
        let needs_brackets = !is_primary(parts.right);
        if needs_brackets && !is_followed_safely(node) {
            continue;
        }
        sites.add_rule(rule, node.range(), move |_| {
            let left = parts.left.text();
            let head = match &store {
                Store::Plain => format!("= {left} {sign}"),
                Store::Cast(name) => format!("= ({name}) ({left} {sign}"),
            };
            let mut edits = vec![replace(parts.operator, &head)];
            if needs_brackets {
                edits.push(Edit::insert(parts.right.start(), "("));
            }
            let closing = usize::from(needs_brackets) + usize::from(store != Store::Plain);
            if closing > 0 {
                edits.push(Edit::insert(parts.right.end(), ")".repeat(closing)));
            }
            Some(edits)
        });
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    const NAME: &str = "expand-compound";

    #[test]
    fn java_narrows_in_secret() {
        check(NAME, Java, "void f(int i, double d) { i += d; }", "void f(int i, double d) { i = (int) (i + d); }");
        check(NAME, Java, "void f(char c) { c -= 1 + 2; }", "void f(char c) { c = (char) (c - (1 + 2)); }");
        check(NAME, Java, "void f(short s) { s >>= 1L; }", "void f(short s) { s = (short) (s >> 1L); }");
        check(NAME, Java, "void f(int i, long n) { i <<= n; }", "void f(int i, long n) { i = i << n; }");
        check(NAME, Java, "void f(int i) { i += g(); }", "void f(int i) { i = (int) (i + g()); }");
        check(NAME, Java, "void f(double d) { d /= g(); }", "void f(double d) { d = d / g(); }");
    }

    #[test]
    fn java_joins_strings_with_anything() {
        check(NAME, Java, "void f(String s) { s += g() + 1; }", "void f(String s) { s = s + (g() + 1); }");
        check_refused(NAME, Java, "void f(Object o) { o += \"x\"; }");
        check_refused(NAME, Java, "void f(Character c) { c += 1; }");
    }

    #[test]
    fn unknown_left_sides_are_refused() {
        check_refused(NAME, Java, "void f() { unknown += 1; }");
        check_refused(NAME, Java, "void f(int[] a) { a[next()] += 1; }");
        check_refused(NAME, C, "void f(int *p) { *p++ += 1; }");
        check_refused(NAME, C, "void f(volatile int *p) { *p += 1; }");
        check_refused(NAME, C, "void f(int n) { volatile int v = n; v += 1; }");
        check_refused(NAME, C, "void f(void) { _Atomic int v = 0; v += 1; }");
        check_refused(NAME, JavaScript, "function f(a) { a.b.c += 1; }");
        check_refused(NAME, JavaScript, "function f(a, i) { a[i++] += 1; }");
    }

    #[test]
    fn macros_that_fall_apart_are_left_alone() {
        let program =
            |text: &str, statement: &str| format!("#define min(a, b) {text}\nvoid f(long c, long m) {{ {statement} }}");
        check_refused(NAME, C, &program("a>b?b:a", "c += min(c / 2, m);"));
        check_refused(NAME, C, &program("a>b?b:a", "for (; c < m; c += min(c / 2, m)) {}"));
        let closed = "((a)>(b)?(b):(a))";
        check(NAME, C, &program(closed, "c += min(c / 2, m);"), &program(closed, "c = c + min(c / 2, m);"));
        check(
            NAME,
            C,
            &program("a>b?b:a", "if (m < min(c, m)) { c += 1; }"),
            &program("a>b?b:a", "if (m < min(c, m)) { c = c + 1; }"),
        );
    }

    #[test]
    fn classes_of_cpp_are_refused() {
        check_refused(NAME, Cpp, "void f(std::string s) { s += \"x\"; }");
        check_refused(NAME, Cpp, "void f(int n, Money m) { n += m; }");
        check_refused(NAME, Cpp, "template <class T> T f(T n) { n += 1; return n; }");
    }

    #[test]
    fn what_the_right_side_may_change_is_refused() {
        check_refused(NAME, C, "int total; int g(void); void f(void) { total += g(); }");
        check(
            NAME,
            C,
            "int g(void); int f(void) { int total = 0; total += g(); return total; }",
            "int g(void); int f(void) { int total = 0; total = total + g(); return total; }",
        );
    }

    #[test]
    fn python_needs_numbers_or_strings() {
        check(NAME, Python, "def f(a):\n    s = ''\n    s += 'x'\n", "def f(a):\n    s = ''\n    s = s + 'x'\n");
        check_refused(NAME, Python, "def f(a):\n    a += 1\n");
        check_refused(NAME, Python, "def f(a):\n    n = 4\n    n //= 3\n    n **= 2\n");
    }

    #[test]
    fn javascript_ends_lines_where_it_can() {
        check(NAME, JavaScript, "let a = 1, b = 2\na -= b + 1\nb\n", "let a = 1, b = 2\na = a - (b + 1)\nb\n");
        check_refused(NAME, JavaScript, "let a = 1; a ||= 2; a ??= 3; a **= 2; a >>>= 1;");
    }

    #[test]
    fn an_assignment_within_an_expression_keeps_its_value() {
        check(NAME, C, "int f(int a, int b) { return a += b; }", "int f(int a, int b) { return a = a + b; }");
        check(NAME, C, "void f(int a, int b) { a -= -b; }", "void f(int a, int b) { a = a - (-b); }");
    }
}
