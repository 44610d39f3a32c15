//! Swaps the operands of a commutative operation: `a + b` becomes `b + a`.
//!
//! class: structure
//! from: RoPGen, common practice
//!
//! The operators are `+ * & | ^ == != && ||`. The operands have no side effects and are of built-in types, and `+`
//! never concatenates strings. Floating-point sums are not regrouped: `a + b + c` becomes `c + (a + b)`. The operands
//! of a logical operation are swapped only when neither can fail, so that neither guards the other.
//!
//! ```java
//! int f(int a, int b, int c) { return a + b + c; }
//! ```
//! ->
//! ```java
//! int f(int a, int b, int c) { return c + (a + b); }
//! ```
//!
//! ```c
//! int f(int a, int b) { return a & b; }
//! ```
//! ->
//! ```c
//! int f(int a, int b) { return b & a; }
//! ```
//!
//! ```cpp
//! double f(double a, int b) { return a * (b + 1); }
//! ```
//! ->
//! ```cpp
//! double f(double a, int b) { return (b + 1) * a; }
//! ```
//!
//! ```python
//! def f():
//!     n = 3
//!     return n * 2
//! ```
//! ->
//! ```python
//! def f():
//!     n = 3
//!     return 2 * n
//! ```
//!
//! ```javascript
//! function f(a, b) { return a === null && b !== null; }
//! ```
//! ->
//! ```javascript
//! function f(a, b) { return b !== null && a === null; }
//! ```
//!
//! ```java
//! String f(String s, int[] a, int i) { if (i < a.length && a[i] > 0) { return s + i; } return s; }
//! ```
//!
//! ```python
//! def f(a, b):
//!     return a + b, a and b
//! ```

use syntax::types::Number;
use syntax::views::Operation;
use syntax::{Kind, Language, Node, Program, SymbolKind, Type};

use crate::Sites;
use crate::parts::operands::{is_swappable, may_fail, swapped};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes() {
        let Some(operation) = Operation::of(node) else { continue };
        if commutes(operation) && is_swappable(operation) {
            sites.add(node.range(), move |_| Some(swapped(operation, operation.operator.text())));
        }
    }
}

fn commutes(operation: Operation<'_>) -> bool {
    let (left, right) = (operation.left, operation.right);
    let program = left.program();
    let both = |is_good: fn(&Type) -> bool| is_good(&program.type_of(left)) && is_good(&program.type_of(right));
    let is_number = |evident: &Type| matches!(evident, Type::Number(_));
    let is_bits = |evident: &Type| matches!(evident, Type::Number(_) | Type::Boolean);
    let is_plain = |evident: &Type| {
        matches!(evident, Type::Number(_) | Type::Boolean | Type::Text | Type::Null | Type::Pointer(_))
    };
    match (operation.operator.text(), program.language()) {
        // Big integers and numbers do not mix, and whoever mixes them finds out in the same way.
        ("+" | "*", Language::JavaScript) => both(|evident| matches!(evident, Type::Number(Number::JavaScriptNumber))),
        ("+" | "*", Language::Java | Language::C | Language::Cpp | Language::Python) => both(is_number),
        ("&" | "|" | "^", _) => both(is_bits),
        ("==" | "!=", Language::Java | Language::C) => true,
        ("==" | "!=", Language::Cpp | Language::Python | Language::JavaScript) => both(is_plain),
        ("===" | "!==", _) => true,
        ("&&" | "||", Language::Java) => is_unguarded(operation),
        ("&&" | "||", Language::C | Language::Cpp) => {
            is_unguarded(operation) && has_value_always(left) && has_value_always(right)
        }
        // These give one of their operands, whatever it is.
        ("&&" | "||" | "and" | "or", Language::JavaScript | Language::Python) => {
            both(|evident| *evident == Type::Boolean) && is_unguarded(operation)
        }
        _ => false,
    }
}

/// Can both operands be evaluated whatever the other one says?
fn is_unguarded(operation: Operation<'_>) -> bool {
    !may_fail(operation.left) && !may_fail(operation.right)
}

/// Is it certain that nothing undefined happens in the operand when it is evaluated first? A variable of C may have no
/// value yet, and arithmetic may leave its range.
fn has_value_always(operand: Node<'_>) -> bool {
    let program = operand.program();
    let scopes = program.scopes();
    operand.descendants().filter(|part| part.is_named()).all(|part| match part.kind() {
        Kind::Identifier => scopes.symbol_at(part).is_some_and(|symbol| {
            let entry = scopes.symbol(symbol);
            let declared = program.node(entry.declaration).parent();
            match entry.kind {
                SymbolKind::Parameter | SymbolKind::Global => true,
                SymbolKind::Local => declared.is_some_and(|parent| parent.kind() == Kind::InitDeclarator),
                _ => false,
            }
        }),
        Kind::BinaryExpression => Operation::of(part).is_some_and(|inner| {
            matches!(inner.operator.text(), "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||" | "&" | "|" | "^")
        }),
        Kind::UnaryExpression => part.has_token("!"),
        Kind::ParenthesizedExpression | Kind::NumberLiteral | Kind::CharLiteral | Kind::Null => true,
        Kind::True | Kind::False => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    const NAME: &str = "swap-commutative";

    #[test]
    fn strings_do_not_commute() {
        check_refused(NAME, Java, "String f(String a, int b) { return a + b; }");
        check_refused(NAME, JavaScript, "function f() { const a = 'x', b = 1; return a + b; }");
        check_refused(NAME, Python, "def f():\n    a = 'x'\n    return a + 'b'\n");
    }

    #[test]
    fn guards_stay_first() {
        check_refused(NAME, C, "int f(int *p) { return p && *p; }");
        check_refused(NAME, C, "int f(int n, int m) { return n < 31 && (1 << n) < m; }");
        check_refused(NAME, C, "int f(int n) { int value; if (n) value = n; return n && value; }");
        check(NAME, C, "int f(int *p, int n) { return p && n; }", "int f(int *p, int n) { return n && p; }");
        check_refused(NAME, Java, "boolean f(Object o) { return o instanceof String s && s.isEmpty(); }");
    }

    /// Each of these throws when its operands change places and the object is null.
    #[test]
    fn what_may_be_unboxed_stays_behind_its_guard() {
        for text in [
            "class A { Boolean strip; boolean f() { return strip == null || strip; } }",
            "class A { Boolean strip; boolean f() { return strip != null && strip; } }",
            "class A { Boolean strip; boolean f() { return this.strip != null && this.strip; } }",
            "class A<T extends Boolean> { boolean f(T strip) { return strip == null || strip; } }",
            "boolean f(Boolean strip) { return strip == null || strip; }",
            "boolean f(Boolean strip) { return null != strip && (strip); }",
            "boolean f(Boolean[] strip, int n) { return strip[n] == null || strip[n]; }",
            "boolean f() { Boolean strip = g(); return strip == null || strip; }",
            "boolean f() { var strip = g(); return strip == null || strip; }",
            "boolean f(boolean known, Boolean strip) { return known && strip; }",
            "boolean f(boolean known, Boolean strip) { return !known || !strip; }",
            "boolean f(boolean known, Integer count) { return known && count == 3; }",
            "boolean f(boolean known, Integer count) { return known && count > 3; }",
            "boolean f(boolean known, Object o) { return known && (Boolean) o; }",
            "boolean f(java.util.List<Boolean> all) { for (var strip : all) if (strip == null || strip) return true; return false; }",
        ] {
            let comparisons = text.matches("==").count() + text.matches("!=").count();
            assert_eq!(all_results(NAME, Java, text).len(), comparisons, "{text}");
        }
    }

    #[test]
    fn others_may_define_their_operators() {
        check_refused(NAME, Cpp, "Money f(Money a, Money b) { return a + b; }");
        check_refused(NAME, Python, "def f(a):\n    return a * 2\n");
        check_refused(NAME, JavaScript, "function f(a, b) { return a * b; }");
    }

    #[test]
    fn what_looks_like_a_cast_or_a_declaration_is_refused() {
        check_refused(NAME, C, "int f(int a, int b) { return a + (b); }");
        check_refused(NAME, C, "void f(int a, int b) { a * b; }");
    }

    #[test]
    fn equal_operands_are_left_alone() {
        check_refused(NAME, C, "int f(int a) { return a * a; }");
    }

    #[test]
    fn logical_operations_of_truth_values() {
        check(
            NAME,
            Java,
            "boolean f(boolean a, boolean b, boolean c) { return a || b && c; }",
            "boolean f(boolean a, boolean b, boolean c) { return b && c || a; }",
        );
        check(
            NAME,
            Python,
            "def f():\n    n = 3\n    return n > 2 and n < 7\n",
            "def f():\n    n = 3\n    return n < 7 and n > 2\n",
        );
    }
}
