//! Turns a `while` loop into a `for` loop.
//!
//! class: structure
//! groups: coda, guided-mutation, carrot
//! from: CODA (R1), guided mutation, CARROT
//! inverse: for-to-while
//!
//! A `for` without initialiser and update tests and repeats like a `while`, and `break`, `continue` and labels work
//! the same. In Python the loop uses an iterator that tests the condition before every iteration and stops when it
//! fails; the condition must not call anything, since a `StopIteration` in it would end the loop instead of
//! propagating.
//!
//! ```java
//! int f(int n) { int s = 0; while (n > 0) { s += n--; } return s; }
//! ```
//! ->
//! ```java
//! int f(int n) { int s = 0; for (; n > 0; ) { s += n--; } return s; }
//! ```
//!
//! ```c
//! int f(int n) { while (1) if (!n--) return 0; }
//! ```
//! ->
//! ```c
//! int f(int n) { for (; 1; ) if (!n--) return 0; }
//! ```
//!
//! ```cpp
//! void f(std::istream& in, int n) { while (in >> n) { use(n); } }
//! ```
//! ->
//! ```cpp
//! void f(std::istream& in, int n) { for (; in >> n; ) { use(n); } }
//! ```
//!
//! ```python
//! def f(n):
//!     while n > 0:
//!         n -= 1
//! ```
//! ->
//! ```python
//! def f(n):
//!     for local_boolean_1 in iter(lambda: bool(n > 0), False):
//!         n -= 1
//! ```
//!
//! ```javascript
//! again: while (a in b) { if (b[a]) continue again; a++; }
//! ```
//! ->
//! ```javascript
//! again: for (; a in b; ) { if (b[a]) continue again; a++; }
//! ```
//!
//! A condition that declares a variable is left alone:
//!
//! ```cpp
//! void f() { while (int n = next()) { use(n); } }
//! ```
//!
//! ```python
//! while next(items):
//!     count()
//! ```

use syntax::views::{condition_of, contains_directive};
use syntax::{Edit, Field, Kind, Language, Node, Program, SymbolKind, Type};

use crate::Sites;
use crate::parts::layout::replace_range;
use crate::parts::loops::{declares_something, has_comment};
use crate::parts::python::{is_built_in, is_built_in_name, is_in_class_body, shows_new_names};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let is_shown = shows_new_names(program);
    for node in program.nodes_of_kind(Kind::WhileStatement) {
        match program.language() {
            Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
                let Some((word, open, close)) = marks(node) else { continue };
                sites.add(node.range(), move |_| {
                    Some(vec![
                        replace_range(program, word.range(), "for"),
                        Edit::insert(open.end(), "; "),
                        Edit::insert(close.start(), "; "),
                    ])
                });
            }
            Language::Python => {
                let Some((condition, colon)) = testable(node).filter(|_| !is_shown(node)) else { continue };
                sites.add(node.range(), move |choice| {
                    let name = choice.local("round", Type::Boolean)?;
                    let test = match condition.kind() {
                        Kind::True => "True".to_owned(),
                        _ => format!("bool({})", condition.text()),
                    };
                    let head = format!("for {name} in iter(lambda: {test}, False)");
                    Some(vec![Edit { range: node.start()..colon.start(), text: head }])
                });
            }
        }
    }
}

/// The word `while` and the brackets around the condition.
fn marks(node: Node<'_>) -> Option<(Node<'_>, Node<'_>, Node<'_>)> {
    let word = node.children().find(|child| child.is_token("while"))?;
    let brackets = node.child(Field::Condition)?;
    let open = brackets.children().find(|child| child.is_token("("))?;
    let close = brackets.children().filter(|child| child.is_token(")")).last()?;
    let follows_directive = node.previous_sibling().is_some_and(|before| before.kind().is_directive());
    // A condition with a comma of its own is one expression in `for`, too.
    condition_of(node)
        .filter(|condition| !declares_something(*condition))
        .filter(|_| !follows_directive && !contains_directive(brackets))
        .map(|_| (word, open, close))
}

/// The condition of a Python loop that a lambda can test in its place, and the colon after it.
fn testable(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let program = node.program();
    let condition = condition_of(node)?;
    let colon = node.children().find(|child| child.is_token(":"))?;
    let head_has_comment = node.children().take_while(|child| child.id() != colon.id()).any(has_comment);
    let is_plain = condition.descendants().all(|part| is_plain_part(node, part));
    let is_safe = is_plain
        && !head_has_comment
        && !is_in_class_body(node)
        && !program.reaches_names_by_text()
        && is_built_in_name(program, "iter")
        && is_built_in_name(program, "bool");
    is_safe.then_some((condition, colon))
}

/// Does the part of a condition mean the same inside a lambda?
fn is_plain_part(whole: Node<'_>, part: Node<'_>) -> bool {
    let program = part.program();
    match part.kind() {
        Kind::Call => part.child(Field::Function).is_some_and(|function| is_built_in(function, "len")),
        Kind::Identifier => {
            let scopes = program.scopes();
            let Some(symbol) = scopes.symbol_at(part) else { return true };
            let is_deleted = || {
                scopes.references_of(symbol).any(|reference| {
                    let around = program.node(reference.node).parent();
                    around.is_some_and(|around| {
                        around.kind() == Kind::DeleteStatement
                            || around.parent().is_some_and(|outer| outer.kind() == Kind::DeleteStatement)
                    })
                })
            };
            // A variable that is not bound yet raises another error inside a function, and Python 2 does not let a
            // variable be deleted that a function uses.
            match scopes.symbol(symbol).kind {
                SymbolKind::Local => {
                    program.node(scopes.symbol(symbol).declaration).end() <= whole.start() && !is_deleted()
                }
                SymbolKind::Parameter => !is_deleted(),
                _ => true,
            }
        }
        Kind::Integer
        | Kind::Float
        | Kind::String
        | Kind::StringStart
        | Kind::StringContent
        | Kind::StringEnd
        | Kind::True
        | Kind::False
        | Kind::None
        | Kind::Attribute
        | Kind::Subscript
        | Kind::ParenthesizedExpression
        | Kind::ArgumentList
        | Kind::ComparisonOperator
        | Kind::BooleanOperator
        | Kind::NotOperator
        | Kind::BinaryOperator
        | Kind::UnaryOperator
        | Kind::Token => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{Java, Python};

    use crate::testing::{check, check_refused};

    const NAME: &str = "while-to-for";

    #[test]
    fn comments_in_the_condition_stay() {
        check(
            NAME,
            Java,
            "void f() { while( a // first\n && b // second\n ) g(); }",
            "void f() { for(;  a // first\n && b // second\n ; ) g(); }",
        );
    }

    #[test]
    fn an_else_runs_as_before() {
        check(
            NAME,
            Python,
            "while True:  # forever\n    break\nelse:\n    print(1)\n",
            "for local_boolean_1 in iter(lambda: True, False):  # forever\n    break\nelse:\n    print(1)\n",
        );
    }

    #[test]
    fn names_that_a_lambda_sees_differently_are_refused() {
        check_refused(NAME, Python, "class A:\n    n = 3\n    while n:\n        n -= 1\n");
        check_refused(NAME, Python, "def f():\n    while n:\n        n = 1\n");
        check_refused(NAME, Python, "def f(xs):\n    n = 1\n    while n:\n        del n\n");
        check_refused(NAME, Python, "def f(xs):\n    while (n := len(xs)):\n        xs.pop()\n");
        check_refused(NAME, Python, "def f(iter):\n    while iter:\n        iter -= 1\n");
    }
}
