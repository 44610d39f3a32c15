//! Adds redundant parentheses around an expression.
//!
//! class: layout
//! from: common practice
//!
//! Parentheses around an operand, an argument, an index, an initialiser or a returned value change neither the
//! values, nor the order of evaluation, nor the types. Names that would turn into a cast are left alone (`(a) - b`),
//! and so are the places where parentheses have a meaning.
//!
//! ```java
//! int f(int a, int b) { return a + b; }
//! ```
//! ->
//! ```java
//! int f(int a, int b) { return (a + b); }
//! ```
//!
//! ```c
//! int f(int a, int b) { return a + b; }
//! ```
//! ->
//! ```c
//! int f(int a, int b) { return (a + b); }
//! ```
//!
//! ```cpp
//! int f(int a, int b) { int sum = a + b; return sum; }
//! ```
//! ->
//! ```cpp
//! int f(int a, int b) { int sum = (a + b); return sum; }
//! ```
//!
//! ```python
//! def f(a, b):
//!     return a + b
//! ```
//! ->
//! ```python
//! def f(a, b):
//!     return (a + b)
//! ```
//!
//! ```javascript
//! const f = (a, b) => { return a + b; };
//! ```
//! ->
//! ```javascript
//! const f = (a, b) => { return (a + b); };
//! ```
//!
//! C++ may move or elide the copy of a local variable that is returned by its bare name:
//!
//! ```cpp
//! std::string f() { std::string text; return text; }
//! ```
//!
//! The smallest `int` of Java is only legal directly after its sign:
//!
//! ```java
//! int f() { return -2147483648; }
//! ```

use syntax::{Edit, Field, Kind, Language, Node, Program};

use crate::Sites;
use crate::parts::expressions::is_value;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes().filter(|node| can_be_bracketed(*node)) {
        sites.add(node.range(), move |_| Some(vec![Edit::insert(node.start(), "("), Edit::insert(node.end(), ")")]));
    }
}

fn can_be_bracketed(node: Node<'_>) -> bool {
    // A second pair says nothing, and what is named after its variable keeps its place beside it.
    let is_plain = !matches!(
        node.kind(),
        Kind::ParenthesizedExpression
            | Kind::FunctionExpression
            | Kind::GeneratorFunction
            | Kind::ArrowFunction
            | Kind::Class
            | Kind::LambdaExpression
            | Kind::MethodReference
            | Kind::Lambda
            | Kind::SwitchExpression
            | Kind::EmptyStatement
            | Kind::Super
    );
    is_plain && is_value(node) && !grows_into_something_else(node)
}

fn grows_into_something_else(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return true };
    let is_signed = parent.kind() == Kind::UnaryExpression;
    match node.program().language() {
        // `(a) - b` and `(a)(b)` may be casts, and `-(2147483648)` is too large a number.
        Language::Java => is_signed && is_number(node) || would_be_a_cast(node) || is_signed_minimum(node),
        Language::C => would_be_a_cast(node) || is_initial_string(node),
        Language::Cpp => {
            // `(a, b < c || d > e)` may be read as the arguments of a template.
            node.kind() == Kind::CommaExpression
                || would_be_a_cast(node)
                || is_name(node) && parent.kind() == Kind::ReturnStatement
                || is_initial_string(node)
        }
        // `not` binds less tightly than what may stand around it, and a tuple is what its brackets make it.
        Language::Python => node.kind() == Kind::Tuple,
        Language::JavaScript => false,
    }
}

/// The number alone has no sites, and the sign in front of it adds nothing.
fn is_signed_minimum(node: Node<'_>) -> bool {
    node.kind() == Kind::UnaryExpression && node.child(Field::Operand).is_some_and(is_number)
}

fn is_number(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        Kind::DecimalIntegerLiteral | Kind::HexIntegerLiteral | Kind::OctalIntegerLiteral | Kind::BinaryIntegerLiteral
    )
}

fn is_name(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        Kind::Identifier
            | Kind::FieldAccess
            | Kind::QualifiedIdentifier
            | Kind::FieldExpression
            | Kind::TemplateFunction
    )
}

/// Would a name in brackets be read as a type, because what follows can be an operand?
fn would_be_a_cast(node: Node<'_>) -> bool {
    let behind = node.program().text()[node.end()..].trim_start();
    is_name(node) && behind.starts_with(['+', '-', '*', '&', '(', '~', '!', '/'])
}

/// A string that fills an array of characters must stand alone.
fn is_initial_string(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::StringLiteral | Kind::ConcatenatedString | Kind::RawStringLiteral)
        && node.parent().is_some_and(|parent| parent.kind() == Kind::InitDeclarator)
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn a_bracket_never_starts_a_statement_of_javascript() {
        check_refused("parenthesise", JavaScript, "let f\na.b\n");
        check_refused("parenthesise", JavaScript, "for (;;) {}");
        check("parenthesise", JavaScript, "f\na + b\n", "f\na + (b)\n");
    }

    #[test]
    fn what_is_spread_among_arguments_gets_no_brackets() {
        for program in ["print(1, *floats(n))\n", "print(1, *a.b, *c[0], *d.e(n))\n"] {
            let results = all_results("parenthesise", Python, program);
            assert!(!results.is_empty() && !results.iter().any(|result| result.contains("(*")), "{results:?}");
        }
    }

    /// `(\` and `)` on the next line would be an empty tuple, and a tuple after it a call.
    #[test]
    fn continued_lines_get_no_brackets() {
        let results = all_results("parenthesise", Python, "x = (a, 1) < \\\n    (b, 1)\n");
        assert!(!results.is_empty() && !results.iter().any(|result| result.contains("(\\")), "{results:?}");
    }

    #[test]
    fn casts_are_not_made() {
        assert_eq!(all_results("parenthesise", C, "void f(int a, int b) { a = a - b; }").len(), 2);
        let results = all_results("parenthesise", Java, "void f(int a, int b) { a = a * b + a; }");
        assert!(!results.iter().any(|result| result.contains("(b) +")));
        check("parenthesise", Java, "void f(int a) { a = a; }", "void f(int a) { a = (a); }");
    }

    #[test]
    fn strings_that_fill_arrays_stay() {
        check_refused("parenthesise", C, "void f(void) { char text[] = \"ab\"; }");
        check_refused("parenthesise", Cpp, "void f() { char text[] = \"ab\" \"c\"; }");
    }

    #[test]
    fn arguments_that_a_variable_is_made_of_are_no_value() {
        check_refused("parenthesise", Cpp, "void f() { std::vector<bool> bits(4, false); }");
        check_refused("parenthesise", Cpp, "void f() { Bag a, b(2), c{2}, d(2, 7); }");
    }

    #[test]
    fn macros_see_the_text_of_their_arguments() {
        check_refused("parenthesise", C, "void f(int a) { CHECK(a == 1); }");
        check_refused("parenthesise", C, "#define TWO 1 + 1\nvoid f(void) { }\n");
    }

    #[test]
    fn docstrings_and_chains_stay() {
        check_refused("parenthesise", Python, "def f():\n    'text'\n    pass\n");
        check("parenthesise", Python, "a = b = c\n", "a = b = (c)\n");
        check_refused("parenthesise", Python, "def f(*a):\n    f(*a)\n");
    }

    /// `(U) -1` casts, and so `(U)` has no brackets of its own; what may be either is left alone.
    #[test]
    fn casts_are_not_taken_for_operands() {
        let results = all_results("parenthesise", C, "typedef long U; U f(void) { return ((U) -1 << 3); }");
        assert!(!results.is_empty() && !results.iter().any(|result| result.contains("((U))")), "{results:?}");
        let results = all_results("parenthesise", C, "double f(double a, double h) { return (a*(h))*0.5; }");
        assert!(results.iter().any(|result| result.contains("(a*(h))*(0.5)")), "{results:?}");
        assert!(!results.iter().any(|result| result.contains("(*0.5)")), "{results:?}");
        check_refused("parenthesise", C, "long f(void) { return (UNKNOWN) - 1; }");
    }

    /// libyaml, src/scanner.c: the macro of the header stands for braces.
    #[test]
    fn macros_that_may_be_braces_stay() {
        check_refused("parenthesise", C, "void f(void) { text_t text = NULL_TEXT; }");
    }
}
