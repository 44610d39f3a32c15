//! Splits the condition of an `if` at its last `&&` into two nested tests.
//!
//! class: structure
//! from: common practice
//! inverse: merge-nested-if
//!
//! The second operand is only evaluated when the first holds, before and after. There must be no `else`, which would
//! have to be duplicated. In C++ both operands must be of built-in types, because `&&` can be overloaded.
//!
//! ```java
//! void f(int n) {
//!     if (n > 0 && n < 9) {
//!         g();
//!     }
//! }
//! ```
//! ->
//! ```java
//! void f(int n) {
//!     if (n > 0) {
//!         if (n < 9) {
//!             g();
//!         }
//!     }
//! }
//! ```
//!
//! ```c
//! void f(char *p) { if (p && *p) g(); }
//! ```
//! ->
//! ```c
//! void f(char *p) { if (p) { if (*p) g(); } }
//! ```
//!
//! ```cpp
//! void f(int n) { if (n > 0 && n < 9) g(); }
//! ```
//! ->
//! ```cpp
//! void f(int n) { if (n > 0) { if (n < 9) g(); } }
//! ```
//!
//! ```python
//! if a and b:
//!     f()
//! ```
//! ->
//! ```python
//! if a:
//!     if b:
//!         f()
//! ```
//!
//! ```javascript
//! if (a && b && c) { f(); }
//! ```
//! ->
//! ```javascript
//! if (a && b) { if (c) { f(); } }
//! ```
//!
//! ```javascript
//! if (a && b) { f(); } else { g(); }
//! ```
//!
//! ```cpp
//! void f(Query a, Query b) { if (a && b) g(); }
//! ```

use syntax::views::If;
use syntax::{Edit, Field, Kind, Language, Node, Program};

use crate::Sites;
use crate::parts::branches::{can_be_indented, has_entries, is_built_in, is_macro, new_line};
use crate::parts::layout::{indented, one_level, replace_range, starts_line};
use crate::parts::statements::end_of_code;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes_of_kind(Kind::IfStatement) {
        let Some(parts) = If::of(node).filter(|parts| parts.otherwise.is_none()) else { continue };
        if has_entries(node) {
            continue;
        }
        if let Some(split) = split(parts) {
            sites.add(node.range(), move |_| Some(edits(parts, split)));
        }
    }
}

#[derive(Clone, Copy)]
struct Split<'p> {
    left: Node<'p>,
    right: Node<'p>,
    has_brackets: bool,
}

fn split(parts: If<'_>) -> Option<Split<'_>> {
    let program = parts.node.program();
    let condition = parts.condition;
    let (conjunction, has_brackets, is_conjunction) = match program.language() {
        Language::Python => {
            let inner = match condition.kind() {
                Kind::ParenthesizedExpression => condition.named_children().next()?,
                _ => condition,
            };
            (inner, inner != condition, inner.kind() == Kind::BooleanOperator)
        }
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
            (condition, true, condition.kind() == Kind::BinaryExpression)
        }
    };
    let operator = conjunction.child(Field::Operator).filter(|_| is_conjunction)?;
    if !matches!(operator.text(), "&&" | "and") {
        return None;
    }
    let (left, right) = (conjunction.child(Field::Left)?, conjunction.child(Field::Right)?);
    // A comment there belongs to neither of the two.
    if conjunction.children().any(|child| child.kind().is_comment()) {
        return None;
    }
    let is_allowed = match program.language() {
        Language::Java | Language::JavaScript => true,
        // A macro may hold an operator that binds less than `&&`.
        Language::C => ![left, right].into_iter().any(is_macro),
        Language::Cpp => ![left, right].into_iter().any(is_macro) && is_built_in(left) && is_built_in(right),
        Language::Python => starts_line(parts.node) && can_be_indented(program, parts.node.range()),
    };
    is_allowed.then_some(Split { left, right, has_brackets })
}

fn edits(parts: If<'_>, split: Split<'_>) -> Vec<Edit> {
    let program = parts.node.program();
    let gap = split.left.end()..split.right.start();
    let start = parts.node.start();
    let end = end_of_code(parts.then);
    match program.language() {
        Language::Python => {
            let mut edits = indented(program, split.right.start()..parts.node.end(), one_level(program));
            let line = new_line(program, start, 1);
            let text = if split.has_brackets { format!("):{line}if (") } else { format!(":{line}if ") };
            edits.push(Edit { range: gap, text });
            edits
        }
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
            if !parts.node.text().contains('\n') {
                return vec![Edit { range: gap, text: ") { if (".to_owned() }, replace_range(program, end..end, " }")];
            }
            let mut edits = indented(program, split.right.start()..parts.node.end(), one_level(program));
            edits.push(Edit { range: gap, text: format!(") {{{}if (", new_line(program, start, 1)) });
            edits.push(Edit::insert(end, format!("{}}}", new_line(program, start, 0))));
            edits
        }
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    #[test]
    fn a_comment_behind_a_branch_without_semicolon_stays_behind_it() {
        check(
            "split-condition",
            JavaScript,
            "function f(a, b) {\n  if (a && b) return 1 // why\n\n  return 2\n}\n",
            "function f(a, b) {\n  if (a) { if (b) return 1 } // why\n\n  return 2\n}\n",
        );
    }

    #[test]
    fn a_test_over_several_lines() {
        check(
            "split-condition",
            Python,
            "if (a and\n    b):\n    f()\nelse_()\n",
            "if (a):\n    if (b):\n        f()\nelse_()\n",
        );
        check("split-condition", Python, "if a and b: f()\n", "if a:\n    if b: f()\n");
        check(
            "split-condition",
            Java,
            "void f() {\n\tif (a\n\t\t\t&& b)\n\t\tg(); // why\n}",
            "void f() {\n\tif (a) {\n\t\tif (b)\n\t\t\tg();\n\t} // why\n}",
        );
    }

    #[test]
    fn other_forms_are_refused() {
        check_refused("split-condition", Python, "if a and b:\n    f()\nelif c:\n    g()\n");
        check_refused("split-condition", Python, "if a and b or c:\n    f()\n");
        check_refused("split-condition", JavaScript, "if (a && // b\n b) { f(); }");
        check_refused("split-condition", C, "#define M a || b\nvoid f(int a, int b) { if (M && a) g(); }");
    }

    #[test]
    fn in_an_else() {
        check(
            "split-condition",
            JavaScript,
            "if (x) { f() } else if (a && b) g()\nelse_()\n",
            "if (x) { f() } else if (a) { if (b) g() }\nelse_()\n",
        );
    }
}
