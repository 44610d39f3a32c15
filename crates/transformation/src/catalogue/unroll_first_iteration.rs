//! Unrolls the first iteration of a `while` loop.
//!
//! class: structure
//! from: common practice
//!
//! The condition is tested and the body runs as often as before, in the same order. The body is duplicated, each copy
//! in its own block, so it must not jump to the loop, keep a value between iterations (`static`), or define a
//! function, a class or a label.
//!
//! ```java
//! int f(int n) { while (n > 9) { n /= 10; } return n; }
//! ```
//! ->
//! ```java
//! int f(int n) { if (n > 9) { { n /= 10; } while (n > 9) { n /= 10; } } return n; }
//! ```
//!
//! ```c
//! int f(int n) {
//!     while (n > 9)
//!         n /= 10;
//!     return n;
//! }
//! ```
//! ->
//! ```c
//! int f(int n) {
//!     if (n > 9) {
//!         n /= 10;
//!         while (n > 9)
//!             n /= 10;
//!     }
//!     return n;
//! }
//! ```
//!
//! ```cpp
//! void f(bool b) { while (b) { bool c = next(); b = !c; } }
//! ```
//! ->
//! ```cpp
//! void f(bool b) { if (b) { { bool c = next(); b = !c; } while (b) { bool c = next(); b = !c; } } }
//! ```
//!
//! ```javascript
//! while (i--) { g(a[i]); }
//! ```
//! ->
//! ```javascript
//! if (i--) { { g(a[i]); } while (i--) { g(a[i]); } }
//! ```
//!
//! A `break` in the first iteration would have no loop:
//!
//! ```java
//! void f(int n) { while (n > 0) { if (g(n)) break; n--; } }
//! ```

use syntax::flow::{can_complete_normally, is_constant_expression};
use syntax::views::{condition_of, is_block};
use syntax::{Edit, Field, Kind, Language, Node, Program};

use crate::Sites;
use crate::parts::layout::{indented, one_level};
use crate::parts::loops::{
    Setting, continues_of, declares_something, ends_in_comment, has_comment, is_free_standing, may_break,
    missing_semicolon, must_stay_one,
};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes_of_kind(Kind::WhileStatement) {
        if let Some((brackets, body)) = unrollable(node) {
            sites.add(node.range(), move |_| Some(edits(node, brackets, body)));
        }
    }
}

fn unrollable(whole: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let (condition, brackets, body) = (condition_of(whole)?, whole.child(Field::Condition)?, whole.child(Field::Body)?);
    let is_refused = !is_free_standing(whole)
        || body.text() == ";"
        || ends_in_comment(body)
        || declares_something(condition)
        || has_comment(brackets)
        || (!is_block(body) && has_comment(body))
        || body.descendants().chain(condition.descendants()).any(must_not_stand_twice)
        || may_break(body)
        || !continues_of(whole, body)?.is_empty()
        || !can_complete_normally(body);
    let is_endless = match whole.program().language() {
        // Java knows that nothing follows a loop with a constant condition, but not that of an `if`.
        Language::Java => is_constant_expression(condition),
        Language::C | Language::Cpp | Language::JavaScript | Language::Python => false,
    };
    (!is_refused && !is_endless).then_some((brackets, body))
}

/// Would the program change if this stood in it twice?
fn must_not_stand_twice(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        Kind::LabeledStatement
            | Kind::StorageClassSpecifier
            | Kind::GnuAsmExpression
            | Kind::ClassBody
            | Kind::ClassDeclaration
            | Kind::StructSpecifier
            | Kind::ClassSpecifier
            | Kind::UnionSpecifier
            | Kind::EnumSpecifier
            | Kind::RecordDeclaration
            | Kind::EnumDeclaration
            | Kind::InterfaceDeclaration
            | Kind::LambdaExpression
            | Kind::FunctionDeclaration
            | Kind::GeneratorFunctionDeclaration
            | Kind::FunctionExpression
            | Kind::GeneratorFunction
            | Kind::ArrowFunction
            | Kind::TemplateString
            | Kind::VariableDeclaration
    )
}

fn edits(whole: Node<'_>, brackets: Node<'_>, body: Node<'_>) -> Vec<Edit> {
    let setting = Setting::of(whole);
    let (first, last) = if must_stay_one(whole) { ("{ ", " }") } else { ("", "") };
    // The text of the first round: the body, one level deeper where it has lines of its own.
    let round = if is_block(body) && setting.has_lines { deeper_text(body) } else { body.text().to_owned() };
    let semicolon = missing_semicolon(body);
    let text = format!("{first}if {} {{{}{round}{semicolon}{}", brackets.text(), setting.gap(1), setting.gap(1));
    let mut edits = vec![Edit::insert(whole.start(), text)];
    edits.extend(setting.deeper(whole.range()));
    edits.push(Edit::insert(whole.end(), format!("{semicolon}{}}}{last}", setting.gap(0))));
    edits
}

/// The text of a block with all lines but the first one level deeper.
fn deeper_text(block: Node<'_>) -> String {
    let program = block.program();
    let mut text = block.text().to_owned();
    for edit in indented(program, block.range(), one_level(program)).into_iter().rev() {
        text.insert_str(edit.range.start - block.start(), &edit.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Java, JavaScript};

    use crate::testing::{check, check_refused};

    const NAME: &str = "unroll-first-iteration";

    #[test]
    fn what_must_not_stand_twice_is_refused() {
        check_refused(NAME, C, "void f(int n) { while (n) { static int k = 0; n -= ++k; } }");
        check_refused(NAME, C, "void f(int n) { while (n) { NEXT(n); } }");
        check_refused(NAME, Java, "void f(int n) { while (n > 0) { g(() -> 1); n--; } }");
        check_refused(NAME, Java, "int f(int n) { while (n > 0) { return 1; } return 2; }");
        check_refused(NAME, Java, "int f(int n) { while (true) { g(); } }");
        check_refused(NAME, JavaScript, "while (n--) { g(function () {}); }");
    }

    #[test]
    fn lines_and_comments() {
        check(
            NAME,
            Java,
            "void f() {\n  if (a)\n    while (g()) { // c\n      h();\n    }\n  else k();\n}\n",
            "void f() {\n  if (a)\n    { if (g()) {\n      { // c\n        h();\n      }\n      while (g()) { // c\n        h();\n      }\n    } }\n  else k();\n}\n",
        );
    }

    #[test]
    fn jumps_that_stay_inside_are_kept() {
        check(
            NAME,
            C,
            "void f(int n) { while (n) { for (;;) break; n--; } }",
            "void f(int n) { if (n) { { for (;;) break; n--; } while (n) { for (;;) break; n--; } } }",
        );
    }
}
