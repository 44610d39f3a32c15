//! Shapes that the grammars of C and C++ accept although no compiler would take them so.
//!
//! The grammars know no macros, and read some uses of them as declarations without reporting an error:
//!
//! - `UNLESS(k) { … }` is not a definition of a function `k` with the result type `UNLESS`;
//! - `REPEAT(i) x = 1;` in a function is not a declaration of `x` with the type `REPEAT(i)`;
//! - `BEGIN_CHECK for (i = 0; …` is not a declaration of something called `for`;
//! - `BEGIN_CHECK` on one line and `x = 1;` on the next are not a declaration of `x` with the type `BEGIN_CHECK`;
//! - `emit changed(x);` in a function calls `changed`, and does not declare it with the type `emit`;
//! - a `case` that stands in no `switch` belongs to one whose brace a macro opened;
//! - `a.*b[0]` has no member `b`: the variable `b` has elements, one of which points to a member of `a`;
//! - `int f(a) char a[][64]; { … }` is not a declaration, and `char` is not a macro after its head;
//! - `a.f<2>(b)` and `a.f<2>::b` call a template of C++, and are not comparisons of a comparison;
//! - `new T*(p)` makes a pointer, and is not a product;
//! - `void (*T::handler)() = f;` defines a pointer, and is not an assignment to a call;
//! - a variable called `TRUE` is not a constant, and the grammar takes its uses for one;
//! - `__real__ *p = r;` is an assignment, not a declaration of `p`; `typeof(x) *p = &x;` is a declaration, not a product;
//!   and `sizeof(typeof(x))` contains no type called `typeof`;
//! - `__label__ out;` declares a label, not a variable, and must come first in its block;
//! - `SUITE(a) { TEST(b) { … } }` has a namespace or a class in its braces, since no function of C++ has another in it;
//! - `STRUCT(a) { int b; };` has members in its braces, as `GROUP(a) { };` may have.

use std::ops::Range;

use tree_sitter::Node;

use crate::kind::Kind;
use crate::names::is_word_letter;

/// Does the grammar take this node for something that it cannot be?
pub(crate) fn is_misread(text: &str, node: Node<'_>, kind: Kind) -> bool {
    match kind {
        Kind::FunctionDefinition => {
            node.child_by_field_name("declarator").is_some_and(|declarator| !declares_function(declarator))
                || is_made_of_members(node)
        }
        Kind::InitDeclarator => is_function_with_value(node),
        Kind::Declaration => has_macro_as_type(node) && is_in_function(node),
        Kind::CaseStatement => !is_in_switch(node),
        Kind::FieldExpression => {
            // What binds more tightly than `.*` belongs to its right side alone.
            let binds_tightly = |parent: Node<'_>| {
                matches!(
                    parent.kind(),
                    "subscript_expression" | "call_expression" | "field_expression" | "update_expression"
                ) && parent.start_byte() == node.start_byte()
            };
            let operator = node.child_by_field_name("operator").map(|operator| operator.kind());
            operator == Some(".*") && node.parent().is_some_and(binds_tightly)
        }
        Kind::CallExpression => is_pointer_to_function(node),
        Kind::BinaryExpression => {
            is_template_call(text, node) || is_pointer_to_make(node) || is_pointer_to_type_of(text, node)
        }
        Kind::Identifier | Kind::TypeIdentifier => {
            let name = &text[node.byte_range()];
            (is_statement_keyword(name) && !is_default_of_choice(text, node))
                || matches!(name, "__label__" | "__real__" | "__real" | "__imag__" | "__imag")
                || kind == Kind::TypeIdentifier && is_typeof(name)
                || is_declared_constant(name, node)
                || is_old_style_misread(name, node)
        }
        _ => false,
    }
}

/// Is this `void(*f)()` or `T(*A::f)()`, read as a call of the result of another call? It defines a pointer to a function.
fn is_pointer_to_function(call: Node<'_>) -> bool {
    let Some(callee) = call.child_by_field_name("function").filter(|callee| callee.kind() == "call_expression") else {
        return false;
    };
    let named = callee.child_by_field_name("function").map_or("", |named| named.kind());
    let first = callee.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
    let Some(pointer) = first.filter(|first| first.kind() == "pointer_expression") else { return false };
    let is_member = pointer.child_by_field_name("argument").is_some_and(|named| named.kind() == "qualified_identifier");
    is_member || matches!(named, "primitive_type" | "sized_type_specifier")
}

/// Is this `typeof(x) * p`?
fn is_pointer_to_type_of(text: &str, product: Node<'_>) -> bool {
    let called = product.child_by_field_name("left").and_then(|left| left.child_by_field_name("function"));
    called.is_some_and(|called| is_typeof(&text[called.byte_range()]))
}

fn is_typeof(word: &str) -> bool {
    matches!(word, "typeof" | "__typeof__" | "__typeof")
}

/// Is this `a < b > (c)` or `a < b > ::c`? As a comparison nobody writes it.
fn is_template_call(text: &str, node: Node<'_>) -> bool {
    let compares = |node: Node<'_>, sign: &str| {
        node.kind() == "binary_expression"
            && node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == sign)
    };
    compares(node, ">")
        && node.child_by_field_name("left").is_some_and(|left| compares(left, "<"))
        && node.child_by_field_name("right").is_some_and(|right| text[right.byte_range()].starts_with(['(', ':']))
}

/// Is this `new T * (p)`? The asterisk always belongs to the type there.
fn is_pointer_to_make(node: Node<'_>) -> bool {
    let is_bare = |made: Node<'_>| {
        made.kind() == "new_expression"
            && made.child_by_field_name("arguments").is_none()
            && made.child_by_field_name("declarator").is_none()
    };
    node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "*")
        && node.child_by_field_name("left").is_some_and(is_bare)
}

pub(crate) fn is_statement_keyword(name: &str) -> bool {
    matches!(
        name,
        "if" | "else"
            | "for"
            | "while"
            | "do"
            | "switch"
            | "case"
            | "default"
            | "return"
            | "goto"
            | "break"
            | "continue"
    )
}

/// Is this the type of a parameter after the head of an old-style definition, which the grammar takes for a macro of the head?
/// Elsewhere, as in `va_arg(list, int)`, it rightly lets the name of a type be an argument.
fn is_old_style_misread(name: &str, node: Node<'_>) -> bool {
    matches!(name, "char" | "int" | "short" | "long" | "float" | "double" | "signed" | "unsigned" | "void")
        && node.parent().is_some_and(|parent| parent.kind() == "function_declarator")
}

/// Is something declared under a name that the grammars take for a constant wherever it is used? A macro is not: its
/// name has no declaration whose uses have to be known.
fn is_declared_constant(name: &str, node: Node<'_>) -> bool {
    is_constant(name) && node.parent().is_none_or(|parent| !parent.kind().starts_with("preproc"))
}

/// Names such as `TRUE` that the text defines as macros, or that occur in unread parts, which may declare them. They are ordinary
/// names there.
pub(crate) fn own_constants<'t>(text: &'t str, unread: &[Range<usize>]) -> Vec<&'t str> {
    let words = unread.iter().flat_map(|part| text[part.clone()].split(|letter: char| !is_word_letter(letter)));
    let perhaps_declared = words.filter(|word| matches!(*word, "TRUE" | "FALSE" | "NULL"));
    let defined = text.match_indices("define").filter_map(|(at, word)| {
        let is_directive = text[..at].trim_end_matches([' ', '\t']).ends_with('#');
        let rest = text[at + word.len()..].trim_start_matches([' ', '\t']);
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        is_directive.then_some(&rest[..length])
    });
    defined.filter(|name| is_constant(name)).chain(perhaps_declared).collect()
}

fn is_constant(name: &str) -> bool {
    matches!(name, "TRUE" | "FALSE" | "true" | "false" | "NULL" | "nullptr")
}

/// `_Generic(x, default: 1)`: the grammar takes `default` for a type there.
fn is_default_of_choice(text: &str, node: Node<'_>) -> bool {
    let around = node.parent().and_then(|parent| match parent.kind() {
        "type_descriptor" => parent.parent(),
        _ => Some(parent),
    });
    &text[node.byte_range()] == "default" && around.is_some_and(|around| around.kind() == "generic_expression")
}

/// Is there a function's declarator within the pointers, references and parentheses?
fn declares_function(declarator: Node<'_>) -> bool {
    let mut declarator = declarator;
    loop {
        match declarator.kind() {
            "function_declarator" | "operator_cast" => return true,
            "parenthesized_declarator" | "pointer_declarator" | "reference_declarator" | "attributed_declarator" => (),
            _ => return false,
        }
        // Parentheses, references and attributes have their inner declarator without a field.
        let mut cursor = declarator.walk();
        let inner = declarator.named_children(&mut cursor).find(|child| child.kind().ends_with("declarator"));
        match inner {
            Some(inner) => declarator = inner,
            None => return false,
        }
    }
}

/// Is the type a call of a macro, or a lone word on the line above the declared name?
fn has_macro_as_type(declaration: Node<'_>) -> bool {
    let Some(named) = declaration.child_by_field_name("type") else { return false };
    let Some(declarator) = declaration.child_by_field_name("declarator") else { return false };
    match named.kind() {
        "macro_type_specifier" => true,
        "type_identifier" => {
            named.start_byte() == declaration.start_byte() && named.end_position().row < declarator.start_position().row
        }
        _ => false,
    }
}

/// Macros that stand before calls and mark them, for Qt and Cilk.
pub(super) const MARKS: &[&str] = &["emit", "Q_EMIT", "cilk_spawn", "_Cilk_spawn"];

/// Is this `EMIT changed(x);` in a function of C++, where nothing says that the first word is a type? A call would be taken for a
/// variable.
pub(crate) fn is_call_behind_macro(text: &str, declaration: Node<'_>, kind: Kind) -> bool {
    if kind != Kind::Declaration || !is_in_function(declaration) {
        return false;
    }
    let Some(named) = declaration.child_by_field_name("type").filter(|named| named.kind() == "type_identifier") else {
        return false;
    };
    let is_call = declaration.child_by_field_name("declarator").is_some_and(|declarator| match declarator.kind() {
        "function_declarator" => true,
        "init_declarator" => {
            declarator.child_by_field_name("value").is_some_and(|value| value.kind() == "argument_list")
        }
        _ => false,
    });
    let word = &text[named.byte_range()];
    let is_capital = word.len() > 2 && !word.contains(|letter: char| letter.is_lowercase());
    is_call && (MARKS.contains(&word) || (is_capital && !is_used_as_type(text, word)))
}

/// `SUITE(a) { TEST(b) { … } }`: are these the braces of a namespace or a class, with what looks like a function in them? Where a
/// true function has such a thing in it, it is a statement with a head that a macro makes.
pub(crate) fn is_in_braces_by_macro(text: &str, node: Node<'_>, kind: Kind) -> bool {
    // To look upwards from every node of a deep tree would take forever.
    if kind != Kind::FunctionDefinition {
        return false;
    }
    let around = std::iter::successors(node.parent(), |around| around.parent())
        .find(|around| !around.kind().starts_with("preproc_"))
        .filter(|around| around.kind() == "compound_statement")
        .and_then(|body| body.parent());
    around.is_some_and(|around| {
        around.kind() == "function_definition"
            && (is_headed_by_macro(around) || is_perhaps_headed_by_macro(text, around))
    })
}

/// `void SUITE() { … }`: this is how `mends` reads what a macro begins.
fn is_perhaps_headed_by_macro(text: &str, definition: Node<'_>) -> bool {
    let is_void = definition.child_by_field_name("type").is_some_and(|named| &text[named.byte_range()] == "void");
    let declarator = definition.child_by_field_name("declarator").filter(|declarator| is_named_plainly(*declarator));
    let name = declarator.and_then(|declarator| declarator.child_by_field_name("declarator"));
    is_void && name.is_some_and(|name| !text[name.byte_range()].contains(|letter: char| letter.is_lowercase()))
}

/// Is this a definition without a type, of no class?
fn is_headed_by_macro(definition: Node<'_>) -> bool {
    definition.child_by_field_name("type").is_none()
        && definition.child_by_field_name("declarator").is_some_and(is_named_plainly)
        && definition.parent().is_none_or(|around| around.kind() != "field_declaration_list")
}

/// Are these the braces of a type, which a macro begins and a semicolon ends? A function has statements in them.
fn is_made_of_members(definition: Node<'_>) -> bool {
    let ends_with_semicolon = |next: Node<'_>| {
        next.kind() == ";" || (next.child_count() == 1 && next.child(0).is_some_and(|only| only.kind() == ";"))
    };
    let Some(body) = definition.child_by_field_name("body").filter(|_| is_headed_by_macro(definition)) else {
        return false;
    };
    let mut cursor = body.walk();
    let declares_only = body.named_children(&mut cursor).all(|child| matches!(child.kind(), "declaration" | "comment"));
    declares_only && next_but_comments(definition).is_some_and(ends_with_semicolon)
}

fn next_but_comments(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(node.next_sibling(), |next| next.next_sibling()).find(|next| next.kind() != "comment")
}

/// `GROUP(a) { };`: no function has a value in braces.
fn is_function_with_value(declarator: Node<'_>) -> bool {
    declarator.child_by_field_name("value").is_some_and(|value| value.kind() == "initializer_list")
        && declarator.child_by_field_name("declarator").is_some_and(is_named_plainly)
}

/// Is this `name(…)`, rather than `(*name)(…)` or `of::name(…)`?
fn is_named_plainly(declarator: Node<'_>) -> bool {
    declarator.kind() == "function_declarator"
        && declarator.child_by_field_name("declarator").is_some_and(|name| name.kind() == "identifier")
}

/// Does the text declare the word as a type, or use it as nothing but a type is used?
fn is_used_as_type(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].trim_end();
        let after = text[at + word.len()..].trim_start_matches([' ', '\t']);
        let is_macro_for_something = before.ends_with("define") && !after.starts_with(['\n', '\r']);
        is_macro_for_something
            || ["struct", "class", "union", "enum", "using", "typename", "new", "<"]
                .iter()
                .any(|head| before.ends_with(head))
            || [";", "<", "*", "&", "::", ">"].iter().any(|next| after.starts_with(next))
    })
}

fn is_in_switch(node: Node<'_>) -> bool {
    std::iter::successors(node.parent(), |around| around.parent()).any(|around| around.kind() == "switch_statement")
}

fn is_in_function(node: Node<'_>) -> bool {
    std::iter::successors(node.parent(), |node| node.parent()).any(|node| node.kind() == "compound_statement")
}

#[cfg(test)]
mod tests {
    use crate::{Kind, Language, Program};

    #[track_caller]
    fn check(text: &str, is_broken: bool) {
        assert_eq!(Program::parse(Language::C, text).is_broken(), is_broken, "{text}");
    }

    #[test]
    fn macros_that_look_like_declarations_are_refused() {
        check("void f(int k) { UNLESS(k) { g(); } }", true);
        check("void f(int k) { REPEAT(i) x = 1; }", true);
        check("void f(int x) { BEGIN_CHECK\n x = 1; }", true);
        check("void f(int i) { BEGIN_CHECK for (i = 0; i < 2; i++) g(); }", true);
    }

    #[test]
    fn gnu_operators_and_typeof_are_refused_where_they_are_misread() {
        check("void f(_Complex float *p, float r) { __real__ *p = r; }", true);
        check("int f(int x) { __typeof__(x) *p = &x; return *p; }", true);
        check("int f(void) { return sizeof(typeof(*({ int n = 1; &n; }))); }", true);
    }

    #[test]
    fn a_pointer_to_a_function_is_not_a_call() {
        let calls = |text: &str| Program::parse(Language::Cpp, text).nodes_of_kind(Kind::CallExpression).count();
        for result in ["void", "unsigned long", "Result"] {
            let class = format!("struct T {{ static {result} (*handler)(); }};");
            assert_eq!(
                calls(&format!("{class}\n{result} (*T::handler)() = f;\nint main() {{ return 0; }}")),
                0,
                "{result}"
            );
        }
        assert_eq!(calls("int main() { make(*it)(); return 0; }"), 2);
    }

    /// poj104, the program 51265: the variable was renamed, and `while (TRUE)` was not.
    #[test]
    fn variables_that_are_called_like_constants_are_refused() {
        check("int f(int n) { int TRUE = 1; while (TRUE) { n++; } return n; }", true);
        let apart = Program::parse(Language::C, "enum boolean { FALSE, TRUE }; int f(void) { return TRUE; }");
        assert!(!apart.is_broken() && apart.nodes_of_kind(Kind::True).next().is_none());
        let defined = Program::parse(Language::C, "#define TRUE 13\nint f(void) { return TRUE; }");
        assert!(!defined.is_broken() && defined.nodes_of_kind(Kind::True).next().is_none());
        let null = Program::parse(Language::C, "#define NULL 0\nint *f(void) { return NULL; }");
        assert!(null.nodes().filter(|node| node.text() == "NULL").all(|node| node.kind() == Kind::Identifier));
        check("#define TRUE 1\n#ifdef NULL\n#endif\nint f(void) { return TRUE; }", false);
        check("int f(void) { return TRUE ? 1 : NULL == 0; }", false);
    }

    /// fixtures, corners/c/knr-style.c: `lines` was a parameter or not, depending on a comment far away.
    #[test]
    fn old_style_definitions_are_not_taken_for_declarations() {
        let text = include_str!("../../../../../fixtures/programs/corners/c/knr-style.c");
        let program = Program::parse(Language::C, text);
        // Another way to read it, as statements, has no such fault.
        assert!(!program.is_broken());
        let is_identifier = |node: &crate::Node<'_>| node.kind() == crate::Kind::Identifier;
        assert!(program.nodes().filter(is_identifier).all(|node| node.text() != "char"));
        check("int f(a, n) int a, n; { return a + n; }", false);
        check("void f(va_list list) { g(va_arg(list, int)); }", false);
        check("#define int long\nint f(int a) { return a; }", false);
    }

    #[test]
    fn labels_of_a_switch_that_is_not_there_are_refused() {
        // devign/test, the program 1265: BEGIN opens a brace that the text closes.
        check("void f(int k) { switch (k) { case 1: BEGIN(int) g(); } break; case 2: h(); }", true);
        check("void f(int k) { switch (k) { case 1: do { g(); case 2: h(); } while (k--); default: break; } }", false);
    }

    #[test]
    fn labels_of_a_block_are_refused() {
        check("int f(int n) { __label__ out; if (n) goto out; n++; out: return n; }", true);
    }

    #[test]
    fn pointers_to_members_are_refused() {
        let is_broken = |text: &str| Program::parse(Language::Cpp, text).is_broken();
        assert!(is_broken("void f(V v, int V::*axes[3]) { v.*axes[0] += 5; }"));
        assert!(!is_broken("void f(V v) { v.axes[0] += 5; }"));
        assert!(!is_broken("void f(V v, int V::*axis) { v.*axis += 5; (v.*axis)++; }"));
    }

    /// muParser: `(fun.call<2)>(a, b)` was the result of brackets around the comparison.
    #[test]
    fn calls_of_templates_are_refused() {
        let is_broken = |text: &str| Program::parse(Language::Cpp, text).is_broken();
        assert!(is_broken("int f(F g, int a) { int n; n = g.call<2>(a, a); return n; }"));
        assert!(is_broken("int f(F g, int a) { int n; n = g.call<sizeof(int)>(a); return n; }"));
        assert!(!is_broken("int f(F g, int a) { int n = g.call<N>(a); return n; }"));
        assert!(!is_broken("int f(int a, int b) { return (a < b) > (b); }"));
    }

    /// UnitTest++: statements were put between the tests of a suite, which is a namespace.
    #[test]
    fn braces_of_namespaces_and_classes_are_refused() {
        let read = |text: &str| Program::parse(Language::Cpp, ["#include \"t.h\"\n", text].concat());
        let count = |text: &str| read(text).nodes_of_kind(Kind::FunctionDefinition).count();
        let suite = "SUITE(a)\n{\nTEST(b)\n{ }\n}\nTEST(c) { CHECK(1); }\n";
        assert!(!read(suite).is_broken());
        assert_eq!(count(suite), 1);
        assert_eq!(count("GROUP(a)\n{\n int b;\n void set() { b = 1; }\n};\nTEST(a, c) { CHECK(b); }\n"), 1);
        assert_eq!(count("GROUP(a)\n{\n int b; // It counts.\n};\nTEST(a, c) { CHECK(b); }\n"), 1);
        // Here it is a statement.
        assert_eq!(count("void f() { WITH(lock) { int n = 1; g(n); } }\nvoid h() { }\n"), 3);
        let is_group = |text: &str| read(text).nodes_of_kind(Kind::InitDeclarator).next().is_some();
        assert!(!is_group("GROUP(a)\n{\n};\nTEST(a, c) { CHECK(1); }\n"));
        assert!(is_group("void (*f)(int){nullptr};\nint n{1};\n"));
        assert!(
            !read(
                "struct A { A(int n) { int b = n; }; int f() { struct B { int g() { return 1; } }; return B().g(); } };"
            )
            .is_broken()
        );
        assert!(!read("void f() { auto g = [] { struct B { B() { } }; }; }\nTEST(c) { int n = 1; };\n").is_broken());
        check("STRUCT(a) { int b; };", true);
        check("f(a) int a; { int b; b = a; };", false);
    }

    #[test]
    fn true_declarations_are_not() {
        check("static int\nf(void) { size_t x = 1; return 0; }", false);
        check("int *(f)(void) { return 0; }", false);
        check("int (*f(int a))(int) { return 0; }", false);
        check("int f(int x) { return _Generic(x, int: 1, default: 2); }", false);
        check("struct s { STACK_OF(X) *x; }; STACK_OF(X) *y;", false);
    }
}
