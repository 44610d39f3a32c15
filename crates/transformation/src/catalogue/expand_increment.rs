//! Expands an increment or a decrement: `i++` becomes `i = i + 1`.
//!
//! class: structure
//! groups: coda
//! from: CODA (R3)
//! rules: increment, decrement
//! inverse: contract-increment
//!
//! Only statements and the updates of `for` qualify, where the value is not used, so that `i++` and `++i` are
//! equivalent. Java gets the cast back to the type of the variable; JavaScript's `++` converts anything to a number,
//! so the variable must be known to hold one; C++ needs a built-in type.
//!
//! ```java
//! void f(int n) { for (int i = 0; i < n; i++) { g(i); } }
//! ```
//! ->
//! ```java
//! void f(int n) { for (int i = 0; i < n; i = i + 1) { g(i); } }
//! ```
//!
//! ```java
//! void f(short s) { --s; }
//! ```
//! ->
//! ```java
//! void f(short s) { s = (short) (s - 1); }
//! ```
//!
//! ```c
//! void f(char *p) { p++; }
//! ```
//! ->
//! ```c
//! void f(char *p) { p = p + 1; }
//! ```
//!
//! ```cpp
//! void f(int n) { while (g(n)) --n; }
//! ```
//! ->
//! ```cpp
//! void f(int n) { while (g(n)) n = n - 1; }
//! ```
//!
//! ```javascript
//! for (let i = 0; i < 9; ++i) { f(i); }
//! ```
//! ->
//! ```javascript
//! for (let i = 0; i < 9; i = i + 1) { f(i); }
//! ```
//!
//! The value of the increment is used:
//!
//! ```c
//! int f(int n) { return n++; }
//! ```
//!
//! This may be a string:
//!
//! ```javascript
//! function f(n) { n++; }
//! ```

use syntax::{Kind, Program};

use crate::Sites;
use crate::parts::assignments::{Store, counts, is_followed_safely, is_value_unused, store};
use crate::parts::layout::replace;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes_of_kind(Kind::UpdateExpression) {
        let Some(target) = node.named_children().next().filter(|_| is_value_unused(node)) else { continue };
        let (rule, sign) = if node.has_token("++") { ("increment", "+") } else { ("decrement", "-") };
        let Some(store) = store(node, target, sign, None).filter(|_| counts(target)) else { continue };
        if !is_followed_safely(node) || node.children().any(|child| child.kind().is_comment()) {
            continue;
        }
        sites.add_rule(rule, node.range(), move |_| {
            let text = target.text();
            Some(vec![replace(
                node,
                &match &store {
                    Store::Plain => format!("{text} = {text} {sign} 1"),
                    Store::Cast(name) => format!("{text} = ({name}) ({text} {sign} 1)"),
                },
            )])
        });
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript};

    use crate::testing::{all_results, check, check_refused};

    const NAME: &str = "expand-increment";

    #[test]
    fn several_updates_are_told_apart() {
        assert_eq!(
            all_results(NAME, C, "void f(int i, int j) { for (;; i++, --j) { } }"),
            [
                "void f(int i, int j) { for (;; i = i + 1, --j) { } }",
                "void f(int i, int j) { for (;; i++, j = j - 1) { } }"
            ]
        );
    }

    #[test]
    fn targets_with_effects_are_refused() {
        check_refused(NAME, C, "void f(int *p) { *p++; }");
        check_refused(NAME, C, "void f(int *p) { p[next()]++; }");
        check_refused(NAME, C, "void f(volatile int *p) { (*p)++; }");
        check_refused(NAME, Java, "void f() { unknown++; }");
        check_refused(NAME, Cpp, "void f(std::vector<int>::iterator i) { ++i; }");
    }

    #[test]
    fn the_next_line_stays_a_statement() {
        check_refused(NAME, JavaScript, "let i = 0\ni++\n(i)\n");
        check(NAME, JavaScript, "let i = 0\ni++\nf(i)\n", "let i = 0\ni = i + 1\nf(i)\n");
        check_refused(NAME, JavaScript, "let i = 0n; i++;");
        check_refused(NAME, Java, "void f(Character c) { c++; }");
    }

    #[test]
    fn elements_and_brackets() {
        check(NAME, C, "void f(int *a, int i) { (a[i])++; }", "void f(int *a, int i) { (a[i]) = (a[i]) + 1; }");
    }
}
