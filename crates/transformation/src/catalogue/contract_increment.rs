//! Contracts the addition of one into an increment: `i = i + 1` becomes `i++`.
//!
//! class: structure
//! groups: coda
//! from: CODA (R3)
//! rules: increment, decrement
//! inverse: expand-increment
//!
//! Only statements and the updates of `for` qualify, and only the exact shape: the variable itself, plus or minus the
//! literal `1`. Java strings are left alone, and JavaScript needs a variable that is known to hold a number.
//!
//! ```java
//! void f(int n) { for (int i = 0; i < n; i = i + 1) { g(i); } }
//! ```
//! ->
//! ```java
//! void f(int n) { for (int i = 0; i < n; i++) { g(i); } }
//! ```
//!
//! ```java
//! void f(short s) { s = (short) (s - 1); }
//! ```
//! ->
//! ```java
//! void f(short s) { s--; }
//! ```
//!
//! ```c
//! void f(char *p) { p = p + 1; }
//! ```
//! ->
//! ```c
//! void f(char *p) { p++; }
//! ```
//!
//! ```cpp
//! void f(int n) { while (g(n)) n = n - 1; }
//! ```
//! ->
//! ```cpp
//! void f(int n) { while (g(n)) n--; }
//! ```
//!
//! ```javascript
//! for (let i = 0; i < 9; i = i + 1) { f(i); }
//! ```
//! ->
//! ```javascript
//! for (let i = 0; i < 9; i++) { f(i); }
//! ```
//!
//! ```java
//! String f(String s, int n) { s = s + 1; n = 1 + n; n = n + 2; return s; }
//! ```

use syntax::views::Assignment;
use syntax::{Kind, Node, Program};

use crate::Sites;
use crate::parts::assignments::{counts, expanded, is_followed_safely, is_value_unused, store};
use crate::parts::layout::replace;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes_of_kind(Kind::AssignmentExpression) {
        let Some(parts) = Assignment::of(node).filter(|_| is_value_unused(node)) else { continue };
        let Some(found) = expanded(parts) else { continue };
        let (rule, sign) = match found.operation.operator.text() {
            "+" => ("increment", "++"),
            "-" => ("decrement", "--"),
            _ => continue,
        };
        if found.operation.right.text() != "1"
            || !counts(parts.left)
            || is_prefix(parts.left)
            || store(node, parts.left, &sign[..1], None).is_none()
            || !is_followed_safely(node)
            || node.children().any(|child| child.kind().is_comment())
        {
            continue;
        }
        sites.add_rule(rule, node.range(), move |_| Some(vec![replace(node, &format!("{}{sign}", parts.left.text()))]));
    }
}

/// `*p = *p + 1` is not `*p++`.
fn is_prefix(target: Node<'_>) -> bool {
    matches!(target.kind(), Kind::PointerExpression | Kind::CastExpression | Kind::UnaryExpression)
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript};

    use crate::testing::check_refused;

    const NAME: &str = "contract-increment";

    #[test]
    fn other_shapes_are_refused() {
        check_refused(NAME, C, "int f(int n) { return n = n + 1; }");
        check_refused(NAME, C, "void f(int *p) { *p = *p + 1; }");
        check_refused(NAME, C, "void f(int n) { n = n + 1L; n = n + 1 + 1; }");
        check_refused(NAME, Cpp, "void f(bool b) { b = b + 1; }");
        check_refused(NAME, Java, "void f(double d) { d = d + 1.0; }");
        check_refused(NAME, JavaScript, "function f(s) { s = s + 1; }");
        check_refused(NAME, JavaScript, "let i = 0; i = i + 1\n++i\n");
    }
}
