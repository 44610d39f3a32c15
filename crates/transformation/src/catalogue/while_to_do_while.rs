//! Turns a `while` loop into a `do` loop guarded by an `if`.
//!
//! class: structure
//! from: common practice
//!
//! The `if` makes the first test and the `do` all others, so the condition is evaluated as often as before and at the
//! same moments. `break` and `continue` refer to the innermost loop, before and after.
//!
//! ```java
//! int f(int n) { while (n > 9) { n /= 10; } return n; }
//! ```
//! ->
//! ```java
//! int f(int n) { if (n > 9) { do { n /= 10; } while (n > 9); } return n; }
//! ```
//!
//! ```c
//! int f(int n) {
//!     while (n > 9) {
//!         n /= 10;
//!     }
//!     return n;
//! }
//! ```
//! ->
//! ```c
//! int f(int n) {
//!     if (n > 9) {
//!         do {
//!             n /= 10;
//!         } while (n > 9);
//!     }
//!     return n;
//! }
//! ```
//!
//! ```cpp
//! void f(bool b) { while (b) b = next(); }
//! ```
//! ->
//! ```cpp
//! void f(bool b) { if (b) { do { b = next(); } while (b); } }
//! ```
//!
//! ```javascript
//! while (i--) if (a[i]) g()
//! ```
//! ->
//! ```javascript
//! if (i--) { do { if (a[i]) g() } while (i--); }
//! ```
//!
//! Java knows that nothing is reachable after a loop with a constant condition, but not after an `if` with one:
//!
//! ```java
//! int f() { while (true) { if (g()) return 1; } }
//! ```

use syntax::flow::is_constant_expression;
use syntax::views::{condition_of, is_block};
use syntax::{Edit, Field, Kind, Language, Node, Program};

use crate::Sites;
use crate::parts::layout::replace_range;
use crate::parts::loops::{Setting, declares_something, ends_in_comment, has_comment, is_free_standing, must_stay_one};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes_of_kind(Kind::WhileStatement) {
        if let Some(found) = guardable(node) {
            sites.add(node.range(), move |_| Some(edits(&found)));
        }
    }
}

struct Loop<'p> {
    whole: Node<'p>,
    word: Node<'p>,
    brackets: Node<'p>,
    condition: Node<'p>,
    body: Node<'p>,
}

fn guardable(whole: Node<'_>) -> Option<Loop<'_>> {
    let condition = condition_of(whole)?;
    let found = Loop {
        whole,
        word: whole.children().find(|child| child.is_token("while"))?,
        brackets: whole.child(Field::Condition)?,
        condition,
        body: whole.child(Field::Body)?,
    };
    let is_refused = !is_free_standing(whole)
        || ends_in_comment(found.body)
        || declares_something(condition)
        || has_comment(found.brackets)
        || program_needs_endless_loop(condition);
    (!is_refused).then_some(found)
}

fn program_needs_endless_loop(condition: Node<'_>) -> bool {
    match condition.program().language() {
        Language::Java => is_constant_expression(condition),
        Language::C | Language::Cpp | Language::JavaScript | Language::Python => false,
    }
}

fn edits(found: &Loop<'_>) -> Vec<Edit> {
    let Loop { whole, word, brackets, condition, body } = *found;
    let program = whole.program();
    let setting = Setting::of(whole);
    let (open, close) = if is_block(body) { ("", "") } else { (" {", " }") };
    // An `else` after the loop would belong to the new `if`.
    let (first, last) = if must_stay_one(whole) { ("{ ", " }") } else { ("", "") };
    let mut edits = vec![
        replace_range(program, word.range(), &format!("{first}if")),
        Edit::insert(brackets.end(), format!(" {{{}do{open}", setting.gap(1))),
    ];
    edits.extend(setting.deeper(brackets.end()..whole.end()));
    let end = format!("{close} while ({});{}}}{last}", condition.text(), setting.gap(0));
    edits.push(Edit::insert(whole.end(), end));
    edits
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java};

    use crate::testing::{check, check_refused};

    const NAME: &str = "while-to-do-while";

    #[test]
    fn a_list_with_angles_is_left_alone() {
        check_refused(NAME, Cpp, "void f() { char c; while (c = g(), c != '-' && (c < '0' || c > '9')); }");
    }

    #[test]
    fn an_else_stays_with_its_if() {
        check(
            NAME,
            Java,
            "void f() { if (a) while (b) g(); else h(); }",
            "void f() { if (a) { if (b) { do { g(); } while (b); } } else h(); }",
        );
    }

    #[test]
    fn labels_and_declarations_are_refused() {
        check_refused(NAME, Java, "void f() { x: while (g()) { continue x; } }");
        check_refused(NAME, Java, "void f(Object o) { while (!(o instanceof String s)) { o = g(); } h(s); }");
        check_refused(NAME, Cpp, "void f() { while (int n = g()) h(n); }");
        check_refused(NAME, C, "void f(int n) { while (n) { again: n--; } }");
        check_refused(NAME, C, "void f(int n) { while (n /* left */) { n--; } }");
    }

    #[test]
    fn a_body_on_its_own_line() {
        check(
            NAME,
            C,
            "void f(int n)\n{\n\twhile (n)\n\t\tn--; /* down */\n}\n",
            "void f(int n)\n{\n\tif (n) {\n\t\tdo {\n\t\t\tn--; } while (n);\n\t} /* down */\n}\n",
        );
    }
}
