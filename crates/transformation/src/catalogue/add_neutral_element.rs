//! Adds an operation that does not change the value: `+ 0`, `- 0`, `* 1`, `* 1.0` or an empty string.
//!
//! class: structure
//! groups: lampion
//! from: Lampion (AddNeutralElement)
//!
//! Integers take all three operations. Floating-point numbers take only the multiplication (`-0.0 + 0.0` is `0.0`),
//! and so do JavaScript's numbers, apart from `- 0`. The type must be evident and stays the same: Java's small types
//! are cast back, those of C are left alone. An empty string is appended to string literals, which remain the same
//! constant, and to any string in JavaScript, where strings have no identity.
//!
//! ```java
//! int f(int n) { return n; }
//! ```
//! ->
//! ```java
//! int f(int n) { return (n + 0); }
//! ```
//!
//! ```c
//! int f(int n) { return n; }
//! ```
//! ->
//! ```c
//! int f(int n) { return (n + 0); }
//! ```
//!
//! ```cpp
//! bool f(int n, int m) { return n > m; }
//! ```
//! ->
//! ```cpp
//! bool f(int n, int m) { return (n + 0) > m; }
//! ```
//!
//! ```python
//! n = 1.5
//! m = f(n)
//! ```
//! ->
//! ```python
//! n = (1.5 * 1.0)
//! m = f(n)
//! ```
//!
//! ```javascript
//! const n = g("a");
//! ```
//! ->
//! ```javascript
//! const n = g(("a" + ""));
//! ```
//!
//! A value that is not known to be a number may be anything, and a boolean would become a number:
//!
//! ```python
//! def f(n):
//!     flag = True
//!     return n, flag
//! ```
//!
//! C++ may pass a variable by reference, and accepts only a literal zero as a null pointer:
//!
//! ```cpp
//! void f(int n) { change(n); char* text = 0; int& same = n; }
//! ```
//!
//! Labels keep their text, and so do operands of an increment:
//!
//! ```java
//! void f(int n) { switch (n) { case 1: g(); default: n++; } }
//! ```

use syntax::types::Number;
use syntax::{Field, Kind, Language, Node, Program, Type};

use crate::Sites;
use crate::parts::assignments::is_primary;
use crate::parts::expressions::{is_compared_by_identity, is_value};
use crate::parts::layout::replace;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    if compares_objects(program) {
        return;
    }
    for node in program.nodes().filter(|node| is_value(*node) && is_candidate(*node)) {
        let Some(Forms { before, operations, after }) = forms(node) else { continue };
        sites.add(node.range(), move |choice| {
            let operation = choice.pick(operations);
            Some(vec![replace(node, &format!("{before}{} {operation}{after}", operand(node)))])
        });
    }
}

struct Forms {
    before: &'static str,
    operations: &'static [&'static str],
    after: &'static str,
}

const WHOLE: &[&str] = &["+ 0", "- 0", "* 1"];

/// What can be done to the value without changing it or its type.
fn forms(node: Node<'_>) -> Option<Forms> {
    let program = node.program();
    let language = program.language();
    let plain = |operations| Some(Forms { before: "(", operations, after: ")" });
    let cast = |before| Some(Forms { before, operations: WHOLE, after: "))" });
    match (language, program.type_of(node)) {
        (Language::Java | Language::C | Language::Cpp, Type::Number(Number::Int | Number::Long)) => plain(WHOLE),
        (
            Language::C | Language::Cpp,
            Type::Number(Number::UnsignedInt | Number::UnsignedLong | Number::LongLong | Number::UnsignedLongLong),
        ) => plain(WHOLE),
        (Language::Java, Type::Number(Number::Char)) => cast("((char) ("),
        (Language::Java, Type::Number(Number::Short)) => cast("((short) ("),
        (Language::Java, Type::Number(Number::Byte)) => cast("((byte) ("),
        (Language::Java | Language::C | Language::Cpp | Language::Python, Type::Number(Number::Double)) => {
            plain(&["* 1.0"])
        }
        (Language::Java | Language::C | Language::Cpp, Type::Number(Number::Float)) => plain(&["* 1.0f"]),
        (Language::Python, Type::Number(Number::BigInteger)) => plain(WHOLE),
        (Language::JavaScript, Type::Number(Number::JavaScriptNumber)) => plain(&["- 0", "* 1"]),
        (Language::Java | Language::Python, Type::Text) if is_plain_string(node) => plain(&["+ \"\""]),
        (Language::JavaScript, Type::Text) => plain(&["+ \"\""]),
        _ => None,
    }
}

/// A literal whose addition to an empty string is folded into the same constant.
fn is_plain_string(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::StringLiteral | Kind::String) && node.text().starts_with(['"', '\''])
}

/// Brackets around everything that binds less tightly than a sum or a product.
fn operand(node: Node<'_>) -> String {
    let is_tight = is_primary(node);
    if is_tight { node.text().to_owned() } else { format!("({})", node.text()) }
}

/// Is the value computed or read here, and used as a value?
fn is_candidate(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    // Brackets stand for what is inside them, which is a candidate of its own.
    if node.kind() == Kind::ParenthesizedExpression || is_compared_by_identity(node) {
        return false;
    }
    let is_signed = matches!(parent.kind(), Kind::UnaryExpression | Kind::UnaryOperator);
    !is_signed
        && match node.program().language() {
            Language::Java | Language::Python | Language::JavaScript => true,
            // An assignment gives a value of the type of its target, which may be narrower than its name tells.
            Language::C => !matches!(node.kind(), Kind::AssignmentExpression | Kind::CommaExpression),
            Language::Cpp => is_used_as_value(node, parent),
        }
}

/// In C++ a variable may be handed over by reference, and a zero may be a null pointer, wherever the other side is
/// not known to be a number.
fn is_used_as_value(node: Node<'_>, parent: Node<'_>) -> bool {
    let program = node.program();
    let is_number = |other: Option<Node<'_>>| {
        other.is_some_and(|other| matches!(program.type_of(other), Type::Number(_) | Type::Boolean))
    };
    match parent.kind() {
        Kind::BinaryExpression => is_number(parent.child(Field::Left)) && is_number(parent.child(Field::Right)),
        Kind::AssignmentExpression => node.role() == Field::Right && is_number(parent.child(Field::Left)),
        Kind::InitDeclarator => {
            let is_variable =
                parent.child(Field::Declarator).is_some_and(|declared| declared.kind() == Kind::Identifier);
            is_variable && is_number(parent.child(Field::Declarator))
        }
        _ => false,
    }
}

/// Does a Python program compare objects that are not constants with `is`, or ask for their identity?
fn compares_objects(program: &Program) -> bool {
    let is_single = |node: Node<'_>| matches!(node.kind(), Kind::None | Kind::True | Kind::False | Kind::Ellipsis);
    program.language() == Language::Python
        && program.nodes().any(|node| match node.kind() {
            Kind::ComparisonOperator => {
                node.children_at(Field::Operators).any(|operator| operator.text().starts_with("is"))
                    && !node.named_children().any(is_single)
            }
            Kind::Call => node.child(Field::Function).is_some_and(|function| function.text() == "id"),
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn small_types_are_cast_back() {
        let results = all_results("add-neutral-element", Java, "char f(char c) { return c; }");
        assert!(results[0].starts_with("char f(char c) { return ((char) (c "), "{results:?}");
        check_refused("add-neutral-element", C, "char f(char c) { return c; }");
    }

    #[test]
    fn minus_zero_stays() {
        check("add-neutral-element", Java, "float f(float x) { return x; }", "float f(float x) { return (x * 1.0f); }");
        let results = all_results("add-neutral-element", JavaScript, "const n = 1; f(n);");
        assert!(results.iter().all(|result| !result.contains("+ 0")), "{results:?}");
    }

    #[test]
    fn what_may_be_text_is_left_alone() {
        check_refused("add-neutral-element", JavaScript, "function f(n) { return n; }");
        check_refused("add-neutral-element", JavaScript, "f(10n);");
        check_refused("add-neutral-element", Java, "String f(String s) { return s; }");
        check_refused("add-neutral-element", Java, "Object f(Integer n) { return n; }");
    }

    #[test]
    fn identity_is_not_lost() {
        check_refused("add-neutral-element", Python, "a = 1000\nb = 1000\nprint(a is b)\n");
        check_refused("add-neutral-element", Python, "a = 1000\nprint(id(a))\n");
    }

    #[test]
    fn targets_and_references_are_left_alone() {
        check_refused("add-neutral-element", Cpp, "void f(int n) { n++; g(n); std::swap(n, n); return; }");
        check_refused("add-neutral-element", Cpp, "int& f(int n, int* p) { p = 0; return n; }");
        check_refused("add-neutral-element", C, "void f(int n) { n++; g(&n); sizeof(n); switch (n) { case 1: ; } }");
        check_refused("add-neutral-element", Java, "void f(int n) { n++; }");
    }

    #[test]
    fn what_binds_less_tightly_gets_brackets() {
        let results = all_results("add-neutral-element", Java, "int f(int a) { return a << 2; }");
        assert!(results[0].starts_with("int f(int a) { return ((a << 2) "), "{results:?}");
    }
}
