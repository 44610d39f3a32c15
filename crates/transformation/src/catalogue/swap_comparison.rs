//! Swaps the sides of a comparison: `a < b` becomes `b > a`.
//!
//! class: structure
//! groups: guided-mutation
//! from: guided mutation
//!
//! Both operands have no side effects, and at most one of them can fail, so the order of evaluation is not
//! observable. Types of C++ and Python must be known to be built in, because others may overload their comparisons. A
//! chained Python comparison is left alone.
//!
//! ```java
//! boolean f(int a, int b) { return a < b + 1; }
//! ```
//! ->
//! ```java
//! boolean f(int a, int b) { return b + 1 > a; }
//! ```
//!
//! ```c
//! int f(int a, int b) { return a <= b; }
//! ```
//! ->
//! ```c
//! int f(int a, int b) { return b >= a; }
//! ```
//!
//! ```cpp
//! bool f(int a, int b) { return a != b; }
//! ```
//! ->
//! ```cpp
//! bool f(int a, int b) { return b != a; }
//! ```
//!
//! ```python
//! def f():
//!     n = 3
//!     return n > 2
//! ```
//! ->
//! ```python
//! def f():
//!     n = 3
//!     return 2 < n
//! ```
//!
//! ```javascript
//! function f(a) { return a === null; }
//! ```
//! ->
//! ```javascript
//! function f(a) { return null === a; }
//! ```
//!
//! ```python
//! def f(a, b):
//!     n = 3
//!     return a < b or 1 < n < 5
//! ```
//!
//! ```java
//! boolean f(int a) { return a < next(); }
//! ```

use syntax::views::Operation;
use syntax::{Kind, Language, Node, Program, Type};

use crate::Sites;
use crate::parts::operands::{is_swappable, swapped};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes() {
        if !matches!(node.kind(), Kind::BinaryExpression | Kind::ComparisonOperator) {
            continue;
        }
        let Some(operation) = Operation::of(node) else { continue };
        let Some(mirrored) = mirrored(operation.operator.text()) else { continue };
        if has_common_comparison(operation.left, operation.right) && is_swappable(operation) {
            sites.add(node.range(), move |_| Some(swapped(operation, mirrored)));
        }
    }
}

fn mirrored(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "<" => ">",
        ">" => "<",
        "<=" => ">=",
        ">=" => "<=",
        "==" => "==",
        "!=" => "!=",
        "===" => "===",
        "!==" => "!==",
        _ => return None,
    })
}

/// Can no class have its own opinion of the comparison?
fn has_common_comparison(left: Node<'_>, right: Node<'_>) -> bool {
    let program = left.program();
    let is_built_in = |node: Node<'_>| match program.type_of(node) {
        Type::Number(_) | Type::Boolean | Type::Text | Type::Null => true,
        Type::Pointer(_) => program.language() == Language::Cpp,
        _ => false,
    };
    match program.language() {
        // The operators mean one thing only, or the search for effects has seen to it.
        Language::Java | Language::C | Language::JavaScript => true,
        Language::Cpp | Language::Python => is_built_in(left) && is_built_in(right),
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    const NAME: &str = "swap-comparison";

    #[test]
    fn chains_keep_their_grouping() {
        assert_eq!(
            all_results(NAME, C, "int f(int a, int b, int c) { return a < b < c; }"),
            ["int f(int a, int b, int c) { return c > (a < b); }", "int f(int a, int b, int c) { return b > a < c; }"]
        );
        check(
            NAME,
            Java,
            "boolean f(int a, boolean b) { return a == 1 == b; }",
            "boolean f(int a, boolean b) { return b == (a == 1); }",
        );
    }

    #[test]
    fn two_operands_that_may_fail_are_refused() {
        check_refused(NAME, Java, "boolean f(int[] a, int[] b) { return a[0] < b[0]; }");
        check_refused(NAME, C, "int f(int *a, int *b) { return *a < *b; }");
        check(
            NAME,
            Java,
            "boolean f(int[] a, int i) { return i < a.length; }",
            "boolean f(int[] a, int i) { return a.length > i; }",
        );
        check_refused(NAME, Java, "boolean f(Integer a, Integer b) { return a < b; }");
    }

    #[test]
    fn what_may_run_code_is_refused() {
        check_refused(NAME, JavaScript, "function f(a, b) { return a < b; }");
        check_refused(NAME, Cpp, "bool f(std::string a, std::string b) { return a < b; }");
        check_refused(NAME, C, "int f(int a) { return a < LIMIT; }");
        check_refused(NAME, C, "int f(int a, int b) { assert(a < b); return a; }");
        check_refused(NAME, Python, "def f(a, b):\n    return a == b\n");
    }

    #[test]
    fn directives_are_left_alone() {
        check_refused(NAME, C, "#if 1 < 2\nint a;\n#endif\n");
    }
}
