//! Splits an `if` with an `else` into two: `if (a) X else Y` becomes `t = a; if (t) X  if (!t) Y`.
//!
//! class: structure
//! groups: coda
//! from: CODA (R2)
//! inverse: merge-if-if
//!
//! The condition is evaluated once, into a new boolean variable that neither branch can change. A branch that jumps
//! never reaches the second test. Java's compiler no longer sees that one of the branches runs, so an `if` that
//! cannot complete, or that assigns a variable without a value, is left alone.
//!
//! ```java
//! void f(int n) { if (n > 0) { g(); } else { h(); } }
//! ```
//! ->
//! ```java
//! void f(int n) { boolean localBoolean1 = n > 0; if (localBoolean1) { g(); } if (!localBoolean1) { h(); } }
//! ```
//!
//! ```c
//! int f(char *p) {
//!     if (p) {
//!         return 1;
//!     } else {
//!         return 2;
//!     }
//! }
//! ```
//! ->
//! ```c
//! int f(char *p) {
//!     int local_boolean_1 = p != 0;
//!     if (local_boolean_1) {
//!         return 1;
//!     }
//!     if (!local_boolean_1) {
//!         return 2;
//!     }
//! }
//! ```
//!
//! ```cpp
//! void f(Stream &s) { if (s) g(); else h(); }
//! ```
//! ->
//! ```cpp
//! void f(Stream &s) { bool local_boolean_1 = s ? true : false; if (local_boolean_1) g(); if (!local_boolean_1) h(); }
//! ```
//!
//! ```python
//! if items:
//!     go()
//! else:
//!     wait()
//! ```
//! ->
//! ```python
//! local_boolean_1 = bool(items)
//! if local_boolean_1:
//!     go()
//! if not local_boolean_1:
//!     wait()
//! ```
//!
//! ```javascript
//! if (a) { f(); } else if (b) { g(); } else { h(); }
//! ```
//! ->
//! ```javascript
//! let localBoolean1 = a;
//! if (localBoolean1) { f(); }
//! if (!localBoolean1) if (b) { g(); } else { h(); }
//! ```
//!
//! In Java a return would be missing after the two tests, or the variable would not be assigned:
//!
//! ```java
//! int f(boolean b) { if (b) { return 1; } else { return 2; } }
//! ```
//!
//! ```java
//! int f(boolean b) { int x; if (b) { x = 1; } else { x = 2; } return x; }
//! ```

use syntax::flow::{accesses, can_complete_normally, is_constant_expression, is_definitely_assigned};
use syntax::views::{Else, If};
use syntax::{Edit, Field, Kind, Language, Node, Program, SymbolKind, Type};

use crate::Sites;
use crate::choice::Choice;
use crate::parts::branches::{has_entries, is_blank, new_line};
use crate::parts::conditions::{binds_tightly, head, not};
use crate::parts::declarations::declaration;
use crate::parts::layout::{replace, replace_range, starts_line};
use crate::parts::python::shows_new_names;
use crate::parts::statements::{Position, is_statement_list};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let is_shown = shows_new_names(program);
    for node in program.nodes_of_kind(Kind::IfStatement).filter(|node| !is_shown(*node)) {
        let Some(list) = node.parent().filter(|parent| is_statement_list(*parent)) else { continue };
        let Some(parts) = If::of(node) else { continue };
        let Some(otherwise) = parts.otherwise else { continue };
        let position = Position { list, before: Some(node), after: None };
        if position.allows_declaration() && !has_entries(node) && can_be_split(parts) {
            sites.add(node.range(), move |choice| edits(position, parts, otherwise, choice));
        }
    }
}

fn can_be_split(parts: If<'_>) -> bool {
    let program = parts.node.program();
    let scopes = program.scopes();
    let declares = |node: Node<'_>| scopes.reference_at(node).is_some_and(|reference| reference.declares);
    match program.language() {
        // What the test declares is seen by the branches.
        Language::Java => {
            // A compiler that knows the answer knows which branch assigns and leaves; of a variable it does not.
            !parts.condition.descendants().any(declares)
                && !is_constant_expression(parts.condition)
                && can_complete_normally(parts.node)
                && assigns_nothing_first(parts.node)
        }
        Language::Cpp => !parts.condition.descendants().any(declares),
        Language::C | Language::JavaScript => true,
        Language::Python => {
            // A program that looks at `locals()` would see the new variable.
            starts_line(parts.node)
                && !is_in_class_body(parts.node)
                && !program.reaches_names_by_text()
                && truth(parts.condition).is_some()
        }
    }
}

/// Has every variable that the statement of Java assigns a value before it? A final field may get its value here, too.
fn assigns_nothing_first(node: Node<'_>) -> bool {
    let program = node.program();
    let scopes = program.scopes();
    let locals = accesses(node).writes.into_iter().all(|symbol| {
        let entry = scopes.symbol(symbol);
        entry.kind != SymbolKind::Local
            || node.contains(program.node(entry.declaration))
            || is_definitely_assigned(symbol, node)
    });
    let is_initialiser = node.ancestors().any(|around| {
        matches!(around.kind(), Kind::ConstructorBody | Kind::StaticInitializer | Kind::CompactConstructorDeclaration)
            || around.kind() == Kind::Block && around.parent().is_some_and(|parent| parent.kind() == Kind::ClassBody)
    });
    let is_of_other_kind = |target: Node<'_>| {
        let name = target.child(Field::Field).unwrap_or(target);
        scopes.symbol_at(name).is_some_and(|symbol| {
            let entry = scopes.symbol(symbol);
            let field = program.node(entry.declaration).ancestors().find(|node| node.kind() == Kind::FieldDeclaration);
            let modifiers = field.and_then(|field| field.child_of_kind(Kind::Modifiers));
            entry.kind != SymbolKind::Field || !modifiers.is_some_and(|modifiers| modifiers.has_token("final"))
        })
    };
    locals
        && (!is_initialiser
            || node
                .descendants()
                .filter(|inner| inner.kind() == Kind::AssignmentExpression)
                .all(|inner| inner.child(Field::Left).is_some_and(is_of_other_kind)))
}

/// A new variable there would be an attribute of the class.
fn is_in_class_body(node: Node<'_>) -> bool {
    node.ancestors()
        .find(|around| matches!(around.kind(), Kind::ClassDefinition | Kind::FunctionDefinition | Kind::Lambda))
        .is_some_and(|around| around.kind() == Kind::ClassDefinition)
}

fn edits(position: Position<'_>, parts: If<'_>, otherwise: Else<'_>, choice: &mut Choice<'_>) -> Option<Vec<Edit>> {
    let program = parts.node.program();
    let name = choice.local("condition", Type::Boolean)?;
    let value = truth(parts.condition)?;
    let second = head(program.language(), "if", &not(program.language(), &name));
    let gap = parts.then.end()..otherwise.keyword.start();
    let is_on_line = is_blank(program, gap.clone()) && !program.text()[gap].contains('\n');
    let test = match program.language() {
        Language::Java | Language::C | Language::Cpp | Language::JavaScript
            if is_on_line && starts_line(parts.node) =>
        {
            let range = parts.then.end()..otherwise.keyword.end();
            replace_range(program, range, &format!("{}{second}", new_line(program, parts.node.start(), 0)))
        }
        Language::Java | Language::C | Language::Cpp | Language::JavaScript | Language::Python => {
            replace(otherwise.keyword, &second)
        }
    };
    Some(vec![
        position.insert(&declaration(program.language(), &name, &Type::Boolean, &value)?),
        replace(parts.condition, &name),
        test,
    ])
}

/// An expression for the truth of the condition, which tests everything once, as the `if` did.
fn truth(condition: Node<'_>) -> Option<String> {
    let program = condition.program();
    let text = condition.text();
    match program.language() {
        Language::Java => Some(text.to_owned()),
        // Being true never changes for a value of JavaScript.
        Language::JavaScript => {
            Some(if condition.kind() == Kind::SequenceExpression { format!("({text})") } else { text.to_owned() })
        }
        // Pointers and fractions are not integers, but can be compared with zero. What may be a macro gets brackets.
        Language::C => Some(match condition.kind() {
            Kind::BinaryExpression | Kind::UnaryExpression if is_truth_value(condition) => text.to_owned(),
            Kind::Identifier if program.scopes().symbol_at(condition).is_some() => format!("{text} != 0"),
            Kind::ParenthesizedExpression => format!("{text} != 0"),
            _ => format!("({text}) != 0"),
        }),
        Language::Cpp => {
            Some(if program.type_of(condition) == Type::Boolean && condition.kind() != Kind::CommaExpression {
                text.to_owned()
            } else if binds_tightly(condition) {
                format!("{text} ? true : false")
            } else {
                format!("({text}) ? true : false")
            })
        }
        Language::Python => {
            let is_name_taken =
                |name: &str| program.scopes().symbols().any(|(symbol, _)| program.name_of(symbol) == name);
            if program.type_of(condition) == Type::Boolean && condition.kind() != Kind::NamedExpression {
                return Some(text.to_owned());
            }
            // `bool(a and b)` would ask for the truth of `a` a second time.
            let inner = condition.named_children().next().filter(|_| condition.kind() == Kind::ParenthesizedExpression);
            match inner.unwrap_or(condition).kind() {
                Kind::BooleanOperator | Kind::ConditionalExpression => {
                    let condition = if binds_tightly(condition) || condition.kind() == Kind::BooleanOperator {
                        text.to_owned()
                    } else {
                        format!("({text})")
                    };
                    Some(format!("True if {condition} else False"))
                }
                Kind::NamedExpression | Kind::Yield | Kind::Await if inner.is_none() => None,
                _ if is_name_taken("bool") => None,
                _ if inner.is_some() => Some(format!("bool{text}")),
                _ => Some(format!("bool({text})")),
            }
        }
    }
}

/// Is the value 0 or 1 for certain?
fn is_truth_value(expression: Node<'_>) -> bool {
    let operator = expression.child(Field::Operator).map(|operator| operator.text());
    matches!(operator, Some("==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" | "!"))
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    #[test]
    fn a_branch_that_is_no_member_of_a_list_is_refused() {
        check_refused("split-if-else", C, "void f(int a, int b) { if (a) if (b) g(); else h(); }");
        check_refused("split-if-else", C, "void f(int a, int b) { while (a) if (b) g(); else h(); }");
    }

    #[test]
    fn labels_are_refused() {
        check_refused("split-if-else", C, "void f(int a) { if (a) { g(); } else { again: h(); } goto again; }");
        check_refused("split-if-else", C, "void f(int a) { switch (a) { case 1: if (a) { g(); } else { h(); } } }");
        check_refused(
            "split-if-else",
            C,
            "void f(int a) { switch (a) { case 1: { if (a) { case 2: g(); } else h(); } } }",
        );
    }

    #[test]
    fn what_the_test_declares_is_refused() {
        check_refused("split-if-else", Java, "void f(Object o) { if (o instanceof String s) { g(s); } else { h(); } }");
        check_refused("split-if-else", Cpp, "void f() { if (int x = g()) { h(x); } else { k(); } }");
        check_refused("split-if-else", Cpp, "void f() { if (int x = g(); x > 1) { h(x); } else { k(); } }");
        check_refused("split-if-else", Cpp, "void f() { if constexpr (A) { h(); } else { k(); } }");
    }

    /// fixtures, corners/java/DefiniteAssignment.java: the `break` of a case went into such a branch before.
    #[test]
    fn a_test_that_the_compiler_answers_is_refused() {
        check_refused(
            "split-if-else",
            Java,
            "int f(int n) { final int r; switch (n) { case 0: r = 1; if (false) { } else { break; } default: r = 2; } return r; }",
        );
    }

    #[test]
    fn final_fields_are_assigned_once() {
        check_refused(
            "split-if-else",
            Java,
            "class A { final int x; A(boolean b) { if (b) { x = 1; } else { x = 2; } } }",
        );
        check_refused(
            "split-if-else",
            Java,
            "class A { final int x; A(boolean b) { if (b) { this.x = 1; } else { this.x = 2; } } }",
        );
    }

    #[test]
    fn an_assignment_to_what_has_a_value_is_fine() {
        check(
            "split-if-else",
            Java,
            "void f(boolean b) { int x = 0; if (b) x = 1; else x = 2; g(x); }",
            "void f(boolean b) { int x = 0; boolean localBoolean1 = b; if (localBoolean1) x = 1; \
             if (!localBoolean1) x = 2; g(x); }",
        );
    }

    #[test]
    fn truth_is_asked_for_once() {
        check(
            "split-if-else",
            Python,
            "def f(a, b):\n\tif a and b:\n\t\tg()\n\t# no\n\telse: h()\n",
            "def f(a, b):\n\tlocal_boolean_1 = True if a and b else False\n\tif local_boolean_1:\n\t\tg()\n\t# no\n\
             \tif not local_boolean_1: h()\n",
        );
        check(
            "split-if-else",
            C,
            "void f(double d) { if (d, M) g(); else h(); }",
            "void f(double d) { int local_boolean_1 = (d, M) != 0; if (local_boolean_1) g(); if (!local_boolean_1) h(); }",
        );
        check_refused(
            "split-if-else",
            Python,
            "def f(a):\n    if a:\n        g()\n    else:\n        h()\n    print(locals())\n",
        );
        check_refused("split-if-else", Python, "bool = f\nif a:\n    g()\nelse:\n    h()\n");
        check_refused("split-if-else", Python, "class A:\n    if a:\n        g = 1\n    else:\n        g = 2\n");
    }

    #[test]
    fn lines_and_comments_stay() {
        check(
            "split-if-else",
            JavaScript,
            "foo()\r\nif (a, b) {\r\n  f()\r\n} // c\r\nelse {\r\n  g()\r\n}\r\n",
            "foo()\r\nlet localBoolean1 = (a, b);\r\nif (localBoolean1) {\r\n  f()\r\n} // c\r\n\
             if (!localBoolean1) {\r\n  g()\r\n}\r\n",
        );
    }
}
