//! Turns a statement that assigns or returns a conditional expression into an `if` with an `else`.
//!
//! class: structure
//! from: common practice
//! inverse: if-to-ternary
//!
//! The condition is evaluated once and decides which value is computed, before and after. The target has no side
//! effects. In Java, C and C++ a conditional expression may convert its values to a common type; where that could be
//! observed, there is no site.
//!
//! ```java
//! int f(int n) {
//!     int sign = n < 0 ? -1 : 1;
//!     return sign;
//! }
//! ```
//! ->
//! ```java
//! int f(int n) {
//!     int sign;
//!     if (n < 0) {
//!         sign = -1;
//!     } else {
//!         sign = 1;
//!     }
//!     return sign;
//! }
//! ```
//!
//! ```c
//! int f(int a, int b) { return a < b ? a : b; }
//! ```
//! ->
//! ```c
//! int f(int a, int b) { if (a < b) { return a; } else { return b; } }
//! ```
//!
//! ```cpp
//! void f(int a, int b) { int m; m = (a < b ? a : b); g(m); }
//! ```
//! ->
//! ```cpp
//! void f(int a, int b) { int m; if (a < b) { m = a; } else { m = b; } g(m); }
//! ```
//!
//! ```python
//! x = a if c else b
//! ```
//! ->
//! ```python
//! if c:
//!     x = a
//! else:
//!     x = b
//! ```
//!
//! ```javascript
//! function f(c) { const x = c ? 1 : 'a'; return x; }
//! ```
//! ->
//! ```javascript
//! function f(c) { let x; if (c) { x = 1; } else { x = 'a'; } return x; }
//! ```
//!
//! In Java this is a `double` in either case, and here `null` is unboxed:
//!
//! ```java
//! Object f(boolean b) { return b ? 1 : 2.0; }
//! ```
//!
//! ```java
//! int f(boolean b) { return b ? 1 : null; }
//! ```
//!
//! The element is selected before the condition is evaluated:
//!
//! ```javascript
//! a[i++] = i > 1 ? b : c;
//! ```

use syntax::flow::is_constant_expression;
use syntax::views::{Conditional, Store, contains_directive};
use syntax::{Edit, Field, Kind, Language, Node, Program, Type};

use crate::Sites;
use crate::parts::branches::{contains_comment, new_line};
use crate::parts::layout::{replace_range, starts_line};
use crate::parts::statements::{is_evaluated_by_compiler, is_in_lone_return, is_statement_list};
use crate::parts::ternaries::{is_target_independent, takes_name, type_of_target, values_can_part};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for ternary in program.nodes() {
        let Some(conditional) = Conditional::of(ternary) else { continue };
        let Some(statement) = ternary.ancestors().take(4).find(|around| around.parent().is_some_and(is_statement_list))
        else {
            continue;
        };
        if is_in_lone_return(statement) {
            continue;
        }
        if let Some(choice) = choice_of(statement, ternary, conditional) {
            sites.add(statement.range(), move |_| Some(vec![edit(&choice)]));
        }
    }
}

struct Choice<'p> {
    statement: Node<'p>,
    store: Store<'p>,
    condition: Node<'p>,
    first: Node<'p>,
    second: Node<'p>,
}

fn choice_of<'p>(statement: Node<'p>, ternary: Node<'p>, conditional: Conditional<'p>) -> Option<Choice<'p>> {
    let program = statement.program();
    let store = Store::of(statement)?;
    let mut value = store.value();
    while value.kind() == Kind::ParenthesizedExpression && value != ternary {
        value = value.named_children().next()?;
    }
    if value != ternary || contains_comment(statement) || contains_directive(statement) {
        return None;
    }
    let Conditional { condition, first, second } = conditional;
    let target = match store {
        Store::Declaration { name, .. } => Some(name),
        Store::Assignment { target, .. } => Some(target),
        Store::Return { .. } => None,
    };
    let is_sound = match store {
        Store::Declaration { name, .. } => is_separable(statement, name, ternary),
        Store::Assignment { target, .. } => is_target_independent(target, &[condition, first, second]),
        Store::Return { .. } => true,
    };
    let fits = match program.language() {
        Language::Python => {
            starts_line(statement)
                && !statement.text().contains(['\n', ';'])
                && statement.next_sibling().is_none_or(|next| !next.is_token(";"))
        }
        Language::JavaScript => target.is_none() || !takes_name(first) && !takes_name(second),
        Language::Java | Language::C | Language::Cpp => true,
    };
    let target_type = match (program.language(), target) {
        (Language::Cpp, None) => program.type_of(first),
        _ => type_of_target(target, statement),
    };
    (is_sound && fits && values_can_part(&target_type, first, second)).then_some(Choice {
        statement,
        store,
        condition,
        first,
        second,
    })
}

/// Can the variable be declared first and get its value later?
fn is_separable(statement: Node<'_>, name: Node<'_>, ternary: Node<'_>) -> bool {
    let program = statement.program();
    let scopes = program.scopes();
    let Some(symbol) = scopes.symbol_at(name) else { return false };
    let is_used_inside = scopes.references_of(symbol).any(|reference| ternary.contains(program.node(reference.node)));
    let type_text = statement.child(Field::Type).map_or("", |node| node.text());
    !is_used_inside
        && match program.language() {
            Language::Java => type_text != "var" && !is_constant_expression(ternary),
            // `const char *p` is a variable, `const int n` and `char *const p` are none.
            Language::C | Language::Cpp => {
                let is_qualified = |node: Node<'_>| node.child_of_kind(Kind::TypeQualifier).is_some();
                let pointers: Vec<Node<'_>> = name
                    .ancestors()
                    .take_while(|around| *around != statement)
                    .filter(|around| around.kind() == Kind::PointerDeclarator)
                    .collect();
                !matches!(type_text, "auto" | "__auto_type" | "register")
                    && (!is_qualified(statement) || !pointers.is_empty())
                    && !pointers.into_iter().any(is_qualified)
                    && program.type_of(name) != Type::Unknown
                    // Before C++20 a `constexpr` function must initialise its variables.
                    && !is_evaluated_by_compiler(statement)
            }
            Language::JavaScript => {
                statement.has_token("var")
                    || statement.has_token("let")
                    || statement.has_token("const")
                        && !scopes
                            .references_of(symbol)
                            .any(|reference| !reference.declares && may_be_written(program.node(reference.node)))
            }
            Language::Python => false,
        }
}

/// Storing in what is `const` fails, so a program may rely on it.
fn may_be_written(name: Node<'_>) -> bool {
    name.parent().is_none_or(|parent| match parent.kind() {
        Kind::AssignmentExpression | Kind::AugmentedAssignmentExpression | Kind::ForInStatement => {
            name.role() == Field::Left
        }
        Kind::UpdateExpression
        | Kind::ArrayPattern
        | Kind::ObjectPattern
        | Kind::PairPattern
        | Kind::AssignmentPattern
        | Kind::RestPattern => true,
        _ => name.kind() != Kind::Identifier && name.kind() != Kind::ShorthandPropertyIdentifier,
    })
}

fn edit(choice: &Choice<'_>) -> Edit {
    let Choice { statement, store, condition, .. } = *choice;
    let program = statement.program();
    let mark = if program.language() == Language::Python { "" } else { ";" };
    let stored = |value: Node<'_>| match store {
        Store::Declaration { name, .. } => format!("{} = {}{mark}", name.text(), value.text()),
        Store::Assignment { target, .. } => format!("{} = {}{mark}", target.text(), value.text()),
        Store::Return { .. } => format!("return {}{mark}", value.text()),
    };
    let (first, second) = (stored(choice.first), stored(choice.second));
    let (line, inner) = match program.language() {
        Language::Java | Language::C | Language::Cpp | Language::JavaScript if !starts_line(statement) => {
            (" ".to_owned(), " ".to_owned())
        }
        Language::Java | Language::C | Language::Cpp | Language::JavaScript | Language::Python => {
            (new_line(program, statement.start(), 0), new_line(program, statement.start(), 1))
        }
    };
    let text = match program.language() {
        Language::Python => format!("if {}:{inner}{first}{line}else:{inner}{second}", condition.text()),
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
            let test = match condition.kind() {
                Kind::ParenthesizedExpression => condition.text().to_owned(),
                _ => format!("({})", condition.text()),
            };
            format!("if {test} {{{inner}{first}{line}}} else {{{inner}{second}{line}}}")
        }
    };
    let declaration = match store {
        Store::Declaration { value, .. } => format!("{};{line}", declaration_alone(statement, value)),
        Store::Assignment { .. } | Store::Return { .. } => String::new(),
    };
    replace_range(program, statement.range(), &format!("{declaration}{text}"))
}

/// The declaration up to its `=`; a constant of JavaScript becomes a variable.
fn declaration_alone(statement: Node<'_>, value: Node<'_>) -> String {
    let equals = value.parent().and_then(|around| around.children().find(|child| child.is_token("=")));
    let end = equals.map_or(value.start(), |equals| equals.start());
    let text = statement.program().text()[statement.start()..end].trim_end();
    match text.strip_prefix("const") {
        Some(rest) if statement.program().language() == Language::JavaScript => format!("let{rest}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    /// The body of a `constexpr` function is a single `return` in C++11, and its variables are initialised until C++20.
    #[test]
    fn what_the_compiler_runs_is_left_alone() {
        check_refused("ternary-to-if", Cpp, "constexpr int f(int n) { return n <= 1 ? 1 : n * f(n - 1); }");
        check_refused("ternary-to-if", Cpp, "constexpr int f(int n) { int m = n > 1 ? 13 : 17; return m; }");
        check(
            "ternary-to-if",
            Cpp,
            "constexpr int f(int n) { n++; return n > 1 ? 13 : 17; }",
            "constexpr int f(int n) { n++; if (n > 1) { return 13; } else { return 17; } }",
        );
    }

    #[test]
    fn conversions_are_refused() {
        check_refused("ternary-to-if", Java, "void f(boolean b) { double d = b ? 1 : g(); }");
        check_refused("ternary-to-if", Java, "void f(boolean b, Integer i) { Object o = b ? 1 : i; }");
        check_refused("ternary-to-if", Java, "void f(boolean b) { var x = b ? 1 : 2; }");
        check_refused("ternary-to-if", C, "void f(int b, unsigned u) { long n = b ? -1 : u; }");
        check_refused(
            "ternary-to-if",
            Cpp,
            "void f(int b, std::string s, std::string t) { std::string u = b ? s : t; }",
        );
        check_refused(
            "ternary-to-if",
            Cpp,
            "void f(int b, int s, int t) { int &u = b ? s : t; const int v = b ? s : t; }",
        );
        check_refused("ternary-to-if", C, "int f(int b) { return b ?: 2; }");
        check_refused("ternary-to-if", C, "void f(int *p, int b) { *p++ = b ? 1 : 2; static int x = 1 ? 2 : 3; }");
    }

    #[test]
    fn a_final_variable_may_get_its_value_later() {
        check(
            "ternary-to-if",
            Java,
            "void f(boolean b) { final String s = b ? \"x\" : null; g(() -> s); }",
            "void f(boolean b) { final String s; if (b) { s = \"x\"; } else { s = null; } g(() -> s); }",
        );
        check_refused("ternary-to-if", Java, "void f() { final int s = true ? 1 : 2; switch (g()) { case s: h(); } }");
    }

    #[test]
    fn constants_and_names_of_javascript() {
        check_refused("ternary-to-if", JavaScript, "function f(c) { const x = c ? 1 : 2; x = 3; }");
        check_refused("ternary-to-if", JavaScript, "function f(c) { const x = c ? () => 1 : g; return x.name; }");
        check_refused("ternary-to-if", JavaScript, "for (let x = c ? 1 : 2; x < 3; x++) f();");
        check(
            "ternary-to-if",
            JavaScript,
            "function f(c) {\n  return c ? 1 : 2\n}\n",
            "function f(c) {\n  if (c) {\n    return 1;\n  } else {\n    return 2;\n  }\n}\n",
        );
    }

    #[test]
    fn lines_of_python() {
        check_refused("ternary-to-if", Python, "x = a if c else b; y = 1\n");
        check_refused("ternary-to-if", Python, "if q: x = a if c else b\n");
        check_refused("ternary-to-if", Python, "x = y = a if c else b\n");
        check_refused("ternary-to-if", Python, "x: int = a if c else b\n");
        check(
            "ternary-to-if",
            Python,
            "def f(c):\n\treturn (a if c else b)  # why\n",
            "def f(c):\n\tif c:\n\t\treturn a\n\telse:\n\t\treturn b  # why\n",
        );
    }
}
