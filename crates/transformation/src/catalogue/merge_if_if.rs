//! Merges two neighbouring `if`s with opposite conditions into one `if` with an `else`.
//!
//! class: structure
//! groups: coda
//! from: CODA (R2)
//! inverse: split-if-else
//!
//! The conditions are opposite in any spelling: `a == b` and `a != b`, `x < y` and `y <= x`, `p == NULL` and `p`. They do
//! nothing but give a value, and the first branch changes nothing that they read, or does not come to the second test.
//! Order is compared for integers only, since a fraction may be neither below nor above another; what C++ and Python
//! compare or test has a built-in type.
//!
//! `t = a; if (t) X  if (!t) Y`, which split-if-else makes, loses its variable as well. It is local, holds a boolean, and
//! is used by the two tests and nowhere else.
//!
//! ```java
//! void f(int n) { boolean b = n > 0; if (b) { g(); } if (!b) { h(); } }
//! ```
//! ->
//! ```java
//! void f(int n) { if (n > 0) { g(); } else { h(); } }
//! ```
//!
//! ```c
//! int f(char *p) {
//!     int b = p != 0;
//!     if (b)
//!         return 1;
//!     if (!b)
//!         return 2;
//! }
//! ```
//! ->
//! ```c
//! int f(char *p) {
//!     if (p != 0)
//!         return 1;
//!     else
//!         return 2;
//! }
//! ```
//!
//! ```c
//! int f(char *p, int n) {
//!     if (p == NULL)
//!         n = 1;
//!     if (p) {
//!         n = *p;
//!     }
//!     return n;
//! }
//! ```
//! ->
//! ```c
//! int f(char *p, int n) {
//!     if (p == NULL)
//!         n = 1;
//!     else {
//!         n = *p;
//!     }
//!     return n;
//! }
//! ```
//!
//! ```cpp
//! void f(Stream &s) { bool b = s ? true : false; if (b) g(); if (!b) h(); }
//! ```
//! ->
//! ```cpp
//! void f(Stream &s) { if (s ? true : false) g(); else h(); }
//! ```
//!
//! ```python
//! def f(items):
//!     b = bool(items)
//!     if b:
//!         go()
//!     if not b:
//!         wait()
//! ```
//! ->
//! ```python
//! def f(items):
//!     if bool(items):
//!         go()
//!     else:
//!         wait()
//! ```
//!
//! ```javascript
//! function f(a) { let t = a; if (t) { g(); } if (!t) { h(); } }
//! ```
//! ->
//! ```javascript
//! function f(a) { if (a) { g(); } else { h(); } }
//! ```
//!
//! The list may have become empty before the second test, and a fraction is truncated:
//!
//! ```python
//! def f(items):
//!     b = items
//!     if b:
//!         items.clear()
//!     if not b:
//!         wait()
//! ```
//!
//! ```c
//! void f(double d) { int n = 0; if (d < 1) { n = 1; } if (d >= 1) { n = 2; } g(n); }
//! ```

use syntax::flow::can_complete_normally;
use syntax::types::Number;
use syntax::views::{If, Store, is_block};
use syntax::{Edit, Field, Kind, Language, Node, Program, SymbolKind, Type};

use crate::Sites;
use crate::parts::branches::{has_entries, is_blank, takes_else};
use crate::parts::layout::{replace, replace_range, starts_line};
use crate::parts::opposites::are_opposite_after;
use crate::parts::statements::{statement_lists, statements};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for list in statement_lists(program) {
        let statements = statements(list);
        for (place, pair) in statements.windows(2).enumerate() {
            let [first, second] = [pair[0], pair[1]];
            let before = place.checked_sub(1).map(|before| statements[before]);
            // What split-if-else has made becomes what it was.
            if let Some(merge) = before.and_then(|before| merge(before, first, second)) {
                let range = merge.declaration.start()..second.end();
                sites.add(range, move |_| Some(edits(&merge)));
            } else if let Some((first, second)) = opposites(first, second) {
                sites.add(first.node.start()..second.node.end(), move |_| Some(vec![with_else(second)]));
            }
        }
    }
}

/// Two `if`s of which exactly one runs its branch.
fn opposites<'p>(first: Node<'p>, second: Node<'p>) -> Option<(If<'p>, If<'p>)> {
    let (first, second) = (If::of(first)?, If::of(second)?);
    (can_take_else(first, second)
        && !may_expand_to_if(first.then)
        && are_opposite_after(first.condition, first.then, second.condition))
    .then_some((first, second))
}

/// Can the second of two neighbours become the `else` of the first?
fn can_take_else(first: If<'_>, second: If<'_>) -> bool {
    // Java's empty statement is no node with a name.
    let mut between = std::iter::successors(first.node.next_sibling(), |next| next.next_sibling());
    let are_neighbours = between.find(|next| !next.kind().is_comment()) == Some(second.node);
    // After a return in each branch Java would find code that cannot be reached.
    let is_closed = first.node.program().language() == Language::Java
        && !can_complete_normally(first.then)
        && !can_complete_normally(second.then);
    first.otherwise.is_none()
        && second.otherwise.is_none()
        && are_neighbours
        && !is_closed
        && !takes_else(first.then)
        && !has_entries(first.node)
        && !has_entries(second.node)
}

/// Could a macro without braces around it be an `if`, which would take the `else`?
fn may_expand_to_if(statement: Node<'_>) -> bool {
    let program = statement.program();
    match program.language() {
        Language::Java | Language::Python | Language::JavaScript => false,
        Language::C | Language::Cpp => {
            let scopes = program.scopes();
            let is_unclear = |node: Node<'_>| {
                let kind = scopes.symbol_at(node).map(|symbol| scopes.symbol(symbol).kind);
                node.kind() == Kind::Identifier && matches!(kind, None | Some(SymbolKind::Macro))
            };
            !is_block(statement) && statement.kind() != Kind::ReturnStatement && statement.descendants().any(is_unclear)
        }
    }
}

struct Merge<'p> {
    declaration: Node<'p>,
    value: Node<'p>,
    first: If<'p>,
    second: If<'p>,
}

fn merge<'p>(declaration: Node<'p>, first: Node<'p>, second: Node<'p>) -> Option<Merge<'p>> {
    if first.kind() != Kind::IfStatement || second.kind() != Kind::IfStatement {
        return None;
    }
    let program = declaration.program();
    let scopes = program.scopes();
    let (first, second) = (If::of(first)?, If::of(second)?);
    if first.condition.kind() != Kind::Identifier {
        return None;
    }
    let negated = operand_of_not(second.condition)?;
    let (name, value) = match (Store::of(declaration)?, program.language()) {
        (Store::Declaration { name, value, .. }, _) => (name, value),
        (Store::Assignment { target, value }, Language::Python) => (target, value),
        (Store::Assignment { .. } | Store::Return { .. }, _) => return None,
    };
    let symbol = scopes.symbol_at(name)?;
    let mut uses = scopes.references_of(symbol).map(|reference| reference.node);
    let are_all = [name, first.condition, negated].into_iter().all(|node| uses.next() == Some(node.id()));
    let is_clear = are_all
        && uses.next().is_none()
        && scopes.symbol(symbol).kind == SymbolKind::Local
        && !program.is_named_in_directive(name.text())
        && !program.reaches_names_by_text();
    let shares_line = match program.language() {
        Language::Python => {
            !starts_line(declaration) || declaration.next_sibling().is_some_and(|next| next.is_token(";"))
        }
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => false,
    };
    (is_clear && !shares_line && can_take_else(first, second) && holds_truth(declaration, name, value))
        .then_some(Merge { declaration, value, first, second })
}

/// The name in `!name` or `not name`.
fn operand_of_not(condition: Node<'_>) -> Option<Node<'_>> {
    let (operator, operand) = match condition.program().language() {
        Language::Python => (condition.children().next()?, condition.child(Field::Argument)?),
        Language::Java => (condition.child(Field::Operator)?, condition.child(Field::Operand)?),
        Language::C | Language::Cpp | Language::JavaScript => {
            (condition.child(Field::Operator)?, condition.child(Field::Argument)?)
        }
    };
    (matches!(operator.text(), "!" | "not") && operand.kind() == Kind::Identifier).then_some(operand)
}

/// Has the variable the truth of its value, for good?
fn holds_truth(declaration: Node<'_>, name: Node<'_>, value: Node<'_>) -> bool {
    let program = name.program();
    let type_text = declaration.child(Field::Type).map_or("", |node| node.text());
    match program.language() {
        Language::Java => type_text == "boolean",
        // Any value of JavaScript is true or false for good.
        Language::JavaScript => value.kind() != Kind::ArrowFunction,
        Language::Cpp => type_text == "bool" && value.kind() != Kind::InitializerList,
        Language::C => match type_text {
            "bool" | "_Bool" => true,
            "int" => {
                let operator = value.child(Field::Operator).map(|operator| operator.text());
                matches!(operator, Some("==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" | "!"))
                    || program.type_of(value) == Type::Number(Number::Int)
            }
            _ => false,
        },
        Language::Python => {
            let inner = match value.kind() {
                Kind::ConditionalExpression => value.named_children().next(),
                _ => Some(value),
            };
            let is_call = value.kind() == Kind::Call
                && value.child(Field::Function).is_some_and(|function| {
                    function.text() == "bool" && program.scopes().symbol_at(function).is_none()
                });
            let is_choice = value.kind() == Kind::ConditionalExpression
                && inner.is_some_and(|first| first.kind() == Kind::True)
                && value.named_children().last().is_some_and(|last| last.kind() == Kind::False);
            is_call || is_choice || program.type_of(value) == Type::Boolean
        }
    }
}

fn edits(merge: &Merge<'_>) -> Vec<Edit> {
    let program = merge.declaration.program();
    let declaration = merge.declaration;
    // What follows, a comment or the `if`, takes the place of the declaration.
    let next = declaration.next_sibling().map_or(merge.first.node.start(), |next| next.start());
    let end = if is_blank(program, declaration.end()..next) { next } else { declaration.end() };
    let needs_brackets = program.language() == Language::Python && merge.value.text().contains('\n');
    let value = match merge.value.text() {
        text if needs_brackets => format!("({text})"),
        text => text.to_owned(),
    };
    vec![Edit::delete(declaration.start()..end), replace(merge.first.condition, &value), with_else(merge.second)]
}

/// An `else` in the place of the test.
fn with_else(parts: If<'_>) -> Edit {
    let tested = parts.node.child(Field::Condition).unwrap_or(parts.condition);
    replace_range(parts.node.program(), parts.node.start()..tested.end(), "else")
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    #[test]
    fn other_uses_are_refused() {
        check_refused("merge-if-if", Java, "void f(int n) { boolean b = n > 0; if (b) { b = g(); } if (!b) { h(); } }");
        // The variable stays where something else uses it, or comes between.
        check(
            "merge-if-if",
            Java,
            "void f(int n) { boolean b = n > 0; if (b) { g(); } if (!b) { h(); } k(b); }",
            "void f(int n) { boolean b = n > 0; if (b) { g(); } else { h(); } k(b); }",
        );
        check(
            "merge-if-if",
            Java,
            "void f(int n) { boolean b = n > 0; k(); if (b) { g(); } if (!b) { h(); } }",
            "void f(int n) { boolean b = n > 0; k(); if (b) { g(); } else { h(); } }",
        );
        check_refused(
            "merge-if-if",
            Java,
            "void f(int n) { boolean b = n > 0; if (b) { g(); } k(); if (!b) { h(); } }",
        );
        check_refused("merge-if-if", Python, "b = a > 0\nif b:\n    g()\nif not b:\n    h()\n");
    }

    #[test]
    fn macros_may_take_the_else() {
        check_refused("merge-if-if", C, "void f(int b) { if (b) g(); if (!b) { b = 2; } }");
        check(
            "merge-if-if",
            C,
            "void g(void); void f(int b) { if (b) g(); if(!b)h(); }",
            "void g(void); void f(int b) { if (b) g(); else h(); }",
        );
    }

    #[test]
    fn other_conditions_are_refused() {
        check_refused(
            "merge-if-if",
            C,
            "void f(int n) { int k = 0; if (n < 1) { k = 1; } if (n > 1) { k = 2; } g(k); }",
        );
        check_refused("merge-if-if", C, "void f(int n) { if (n == 1) { n = 2; } if (n != 1) { g(n); } }");
        check_refused(
            "merge-if-if",
            Java,
            "void f(int n) { int k = 0; if (n < 1) { k = 1; } ; if (n >= 1) { k = 2; } }",
        );
        check_refused(
            "merge-if-if",
            C,
            "int f(int n) { if (n) { return 1; } else { n = 2; } if (!n) { g(n); } return 0; }",
        );
    }

    #[test]
    fn a_branch_that_leaves_may_change_anything() {
        check(
            "merge-if-if",
            JavaScript,
            "function f(a) {\n  if (a === 1) { a = 2; return a }\n  if (a !== 1) g()\n}\n",
            "function f(a) {\n  if (a === 1) { a = 2; return a }\n  else g()\n}\n",
        );
    }

    #[test]
    fn an_open_branch_would_take_the_else() {
        check_refused("merge-if-if", C, "void f(int n) { int b = n > 0; if (b) if (n > 2) g(); if (!b) h(); }");
    }

    #[test]
    fn unreachable_code_is_refused_in_java() {
        check_refused(
            "merge-if-if",
            Java,
            "int f(int n) { boolean b = n > 0; if (b) return 1; if (!b) return 2; return 3; }",
        );
    }

    #[test]
    fn comments_stay() {
        check(
            "merge-if-if",
            JavaScript,
            "function f(a) {\n  const t = a; // why\n  if (t) g();\n  // no\n  if (!t) { h(); }\n}\n",
            "function f(a) {\n  // why\n  if (a) g();\n  // no\n  else { h(); }\n}\n",
        );
    }
}
