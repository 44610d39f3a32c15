//! Merges an `if` that contains only another `if` into one test with `&&`.
//!
//! class: structure
//! from: common practice
//! inverse: split-condition
//!
//! The second test is only evaluated when the first holds, before and after. Neither may have an `else`. In C++ both
//! tests must be of built-in types, because `&&` can be overloaded.
//!
//! ```java
//! void f(int n) {
//!     if (n > 0) {
//!         if (n < 9) {
//!             g();
//!         }
//!     }
//! }
//! ```
//! ->
//! ```java
//! void f(int n) {
//!     if (n > 0 && n < 9) {
//!         g();
//!     }
//! }
//! ```
//!
//! ```c
//! void f(char *p, int n) { if (p) { if (*p || n) g(); } }
//! ```
//! ->
//! ```c
//! void f(char *p, int n) { if (p && (*p || n)) g(); }
//! ```
//!
//! ```cpp
//! void f(int n) { if (n > 0) { if (n < 9) g(); } }
//! ```
//! ->
//! ```cpp
//! void f(int n) { if (n > 0 && n < 9) g(); }
//! ```
//!
//! ```python
//! if a:
//!     if b:
//!         f()
//! ```
//! ->
//! ```python
//! if a and b:
//!     f()
//! ```
//!
//! ```javascript
//! if (a ?? b) { if (c) { f(); } }
//! ```
//! ->
//! ```javascript
//! if ((a ?? b) && c) { f(); }
//! ```
//!
//! ```python
//! if a:
//!     if b:
//!         f()
//!     else:
//!         g()
//! ```

use syntax::views::If;
use syntax::{Edit, Field, Kind, Language, Node, Program, Target};

use crate::Sites;
use crate::parts::branches::{dedented, ends_itself, has_entries, is_built_in, only_statement};
use crate::parts::conditions::binds_tightly;
use crate::parts::layout::{replace, replace_range, starts_line};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes_of_kind(Kind::IfStatement) {
        let Some(inner) = node.child(Field::Consequence).and_then(only_statement) else { continue };
        let (Some(outer), Some(inner)) = (If::of(node), If::of(inner)) else { continue };
        if outer.otherwise.is_some() || inner.otherwise.is_some() || has_entries(node) {
            continue;
        }
        let is_allowed = match program.language() {
            Language::Java | Language::C | Language::JavaScript => true,
            Language::Cpp => is_built_in(outer.condition) && is_built_in(inner.condition),
            // A comment after the colon would be lost, and the lines of the suite must move.
            Language::Python => {
                let head_ends = outer.node.children().find(|child| child.is_token(":"));
                let has_comment =
                    head_ends.is_none_or(|colon| colon.next_sibling().is_some_and(|next| next.kind().is_comment()));
                !has_comment && starts_line(outer.node) && starts_line(inner.node) && body_edits(outer, inner).is_some()
            }
        };
        let has_comment = outer.node.children().chain(inner.node.children()).any(|child| child.kind().is_comment());
        if is_allowed && !has_comment {
            sites.add(node.range(), move |_| edits(outer, inner));
        }
    }
}

fn body_edits(outer: If<'_>, inner: If<'_>) -> Option<Vec<Edit>> {
    let program = outer.node.program();
    dedented(program, inner.condition.end()..inner.node.end(), outer.node.start(), inner.node.start())
}

fn edits(outer: If<'_>, inner: If<'_>) -> Option<Vec<Edit>> {
    let program = outer.node.program();
    let mut edits = body_edits(outer, inner)?;
    match program.language() {
        Language::Python => {
            let text = format!("{} and {}", operand(outer.condition), operand(inner.condition));
            edits.push(replace_range(program, outer.condition.start()..inner.condition.end(), &text));
        }
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
            let (first, second) = (outer.node.child(Field::Condition)?, inner.node.child(Field::Condition)?);
            let text = format!("{} && {}", operand(outer.condition), operand(inner.condition));
            edits.push(replace(outer.condition, &text));
            edits.push(Edit::delete(first.end()..second.end()));
            let mark = if ends_itself(inner.node) { "" } else { ";" };
            edits.push(Edit { range: inner.node.end()..outer.node.end(), text: mark.to_owned() });
        }
    }
    Some(edits)
}

/// The condition, with brackets unless it certainly binds tighter than `&&`.
fn operand(condition: Node<'_>) -> String {
    let text = condition.text();
    let operator = condition.child(Field::Operator).map(|operator| operator.text());
    let is_tight = match condition.kind() {
        Kind::BinaryExpression => !matches!(operator, Some("||" | "??" | "or") | None),
        Kind::BooleanOperator => operator == Some("and"),
        Kind::ComparisonOperator | Kind::NotOperator | Kind::UnaryExpression | Kind::PointerExpression => true,
        Kind::InstanceofExpression => true,
        Kind::Identifier | Kind::CallExpression => !may_be_loose_macro(condition),
        _ => binds_tightly(condition),
    };
    if is_tight { text.to_owned() } else { format!("({text})") }
}

/// Names in capitals that are not declared here may be macros, with whatever operators in them.
fn may_be_loose_macro(condition: Node<'_>) -> bool {
    let program = condition.program();
    let name = condition.child(Field::Function).unwrap_or(condition);
    program.language().has_preprocessor()
        && matches!(program.scopes().target(name), Some(Target::Outside | Target::Unknown))
        && !name.text().contains(|character: char| character.is_lowercase())
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    #[test]
    fn lines_move_back() {
        check(
            "merge-nested-if",
            Python,
            "def k():\n\tif (a or\n\t\tb):\n\t\tif c or d:\n\t\t\tf('''\nx''')\n\t\t\tg()\n\th()\n",
            "def k():\n\tif (a or\n\t\tb) and (c or d):\n\t\tf('''\nx''')\n\t\tg()\n\th()\n",
        );
        check(
            "merge-nested-if",
            Java,
            "void f() {\n    if (x == null)\n    {\n        if (a = b)\n            g();\n    }\n}",
            "void f() {\n    if (x == null && (a = b))\n        g();\n}",
        );
    }

    #[test]
    fn a_semicolon_that_is_not_written_is_needed() {
        check("merge-nested-if", JavaScript, "if (a) { if (b) x = {} } f()", "if (a && b) x = {}; f()");
    }

    #[test]
    fn macros_get_brackets() {
        check(
            "merge-nested-if",
            C,
            "void f(int a) { if (A) { if (IS_B(a)) { g(); } } }",
            "void f(int a) { if ((A) && (IS_B(a))) { g(); } }",
        );
    }

    #[test]
    fn other_statements_and_comments_are_refused() {
        check_refused("merge-nested-if", JavaScript, "if (a) { if (b) f(); g(); }");
        check_refused("merge-nested-if", JavaScript, "if (a) { if (b) f(); } else { g(); }");
        check_refused("merge-nested-if", JavaScript, "if (a) { /* b */ if (b) f(); }");
        check_refused("merge-nested-if", Python, "if a: # why\n    if b:\n        f()\n");
    }
}
