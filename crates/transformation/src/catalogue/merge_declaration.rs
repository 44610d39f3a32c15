//! Merges declarations: `int a = 1; int b = 2;` becomes one, and `int a; a = 1;` a declaration with a value.
//!
//! class: structure
//! from: common practice
//! rules: list, value
//! inverse: split-declaration
//!
//! The two statements are adjacent, with only whitespace between them, and their types are written identically. As
//! for the inverse, a value is merged only where initialising is equivalent to assigning.
//!
//! ```java
//! void f() { int a = 1; int b = 2; }
//! ```
//! ->
//! ```java
//! void f() { int a = 1, b = 2; }
//! ```
//!
//! ```c
//! void f(void) {
//!     int *a;
//!     int b;
//! }
//! ```
//! ->
//! ```c
//! void f(void) {
//!     int *a, b;
//! }
//! ```
//!
//! ```cpp
//! void f(int n) { double half; half = n / 2.0; }
//! ```
//! ->
//! ```cpp
//! void f(int n) { double half = n / 2.0; }
//! ```
//!
//! ```javascript
//! let count;
//! count = 1;
//! f(count);
//! ```
//! ->
//! ```javascript
//! let count = 1;
//! f(count);
//! ```
//!
//! ```java
//! void f() { int a = 1; long b = 2; int c; /* why */ c = 3; int d; d += 1; final int e; e = 4; }
//! ```

use syntax::views::Assignment;
use syntax::{Edit, Kind, Language, Node, Program};

use crate::Sites;
use crate::parts::statements::Position;
use crate::parts::variables::{Declared, declared, is_independent, name_and_value};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for statement in program.nodes() {
        let Some(found) = declared(statement) else { continue };
        let Some(next) = statement.next_sibling().filter(|next| next.is_named()) else { continue };
        let range = statement.start()..next.end();
        if let Some(other) = declared(next).filter(|other| other.prefix == found.prefix) {
            if let (Some(first), Some(last)) = (other.declarators.first(), found.declarators.last()) {
                let gap = last.end()..first.start();
                if program.text()[last.end()..statement.end()].trim() == ";" && !declares_again(&found, &other) {
                    sites.add_rule("list", range, move |_| {
                        Some(vec![Edit { range: gap.clone(), text: ", ".to_owned() }])
                    });
                }
            }
        } else if let Some(parts) = value_for(&found, next) {
            let gap = found.declarators[0].end()..parts.right.start();
            let is_clear = program.text()[found.declarators[0].end()..statement.end()].trim() == ";"
                && program.text()[parts.left.end()..parts.right.start()].trim() == "=";
            if is_clear {
                sites
                    .add_rule("value", range, move |_| Some(vec![Edit { range: gap.clone(), text: " = ".to_owned() }]));
            }
        }
    }
}

/// JavaScript lets a `var` be declared twice, and tells apart what is declared in one statement by its order only.
fn declares_again(one: &Declared<'_>, other: &Declared<'_>) -> bool {
    let same = |node: &Node<'_>| other.declarators.iter().any(|declarator| declarator.text() == node.text());
    one.declarators.iter().any(same)
}

/// The assignment that gives the variable its first value, when `next` is one.
fn value_for<'p>(found: &Declared<'p>, next: Node<'p>) -> Option<Assignment<'p>> {
    let program = next.program();
    let (name, None) = name_and_value(found)? else { return None };
    let assigned = next.named_children().next().filter(|_| next.kind() == Kind::ExpressionStatement)?;
    let parts = Assignment::of(assigned).filter(|parts| parts.operator.is_token("="))?;
    let is_same = parts.left.kind() == Kind::Identifier
        && program.scopes().symbol_at(parts.left).is_some()
        && program.scopes().symbol_at(parts.left) == program.scopes().symbol_at(name);
    // No jump of C++ may pass an initialisation.
    let is_passed = match program.language() {
        Language::Cpp => {
            let list = next.parent()?;
            !Position { list, before: Some(next), after: Some(found.statement) }.allows_declaration()
        }
        Language::Java | Language::C | Language::Python | Language::JavaScript => false,
    };
    (is_same && !is_passed && is_independent(name, parts.right)).then_some(parts)
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript};

    use crate::testing::{all_results, check_refused};

    const NAME: &str = "merge-declaration";

    #[test]
    fn neighbours_in_turn() {
        assert_eq!(
            all_results(NAME, JavaScript, "var a; var b = 1; var c, d;"),
            ["var a, b = 1; var c, d;", "var a; var b = 1, c, d;"]
        );
    }

    #[test]
    fn what_does_not_belong_together() {
        check_refused(NAME, Java, "void f() { var a = 1; var b = 2; }");
        check_refused(NAME, Cpp, "void f() { auto a = 1; auto b = 2.0; }");
        check_refused(
            NAME,
            Cpp,
            "template <class F> struct Guard { F end; Guard(F f) : end(f) {} };\n\
             void f() { Guard a([] {}); Guard b([] { return 1; }); }",
        );
        check_refused(NAME, Cpp, "void f() { std::pair a(1, 2); std::pair b(1, 2.0); }");
        check_refused(NAME, Cpp, "void f(int n) { switch (n) { case 1: foo(); int a; a = 1; break; case 2: break; } }");
        check_refused(NAME, Cpp, "void f() { std::string s; s = \"x\"; }");
        check_refused(NAME, C, "void f(void) { int a; // first\n int b; }");
        check_refused(NAME, C, "void f(void) { static int a; a = 1; }");
        check_refused(NAME, C, "void f(int b) { int a; b = 1; a = 2; }");
        check_refused(NAME, JavaScript, "let a; a = g(() => a);");
        check_refused(NAME, JavaScript, "let a\nlet b\n");
    }
}
