//! Shapes that the grammars accept although no compiler would take them so.
//!
//! The grammars of C and C++ know no macros, and read some uses of them as declarations without reporting
//! an error. JavaScript's ends some statements at a line break that does not end them, Java's lets keywords
//! be names, and Python's is generous with indentation. Such a reading is refused as if it were an error,
//! because every answer built on it would be wrong:
//!
//! - `UNLESS(k) { … }` is no definition of a function `k` with the result type `UNLESS`;
//! - `REPEAT(i) x = 1;` in a function is no declaration of `x` with the type `REPEAT(i)`;
//! - `BEGIN_CHECK for (i = 0; …` is no declaration of something called `for`;
//! - `BEGIN_CHECK` on one line and `x = 1;` on the next are no declaration of `x` with the type `BEGIN_CHECK`;
//! - a `case` that stands in no `switch` belongs to one whose brace a macro opened;
//! - `a.*b[0]` has no member `b`: the variable `b` has elements, one of which points to a member of `a`;
//! - `int f(a) char a[][64]; { … }` is no declaration, and `char` no macro behind its head;
//! - a variable called `TRUE` is no constant, and the grammar takes its uses for one;
//! - `let` on one line and `x;` on the next are no two statements, and `static` and `m() {}` no two members;
//! - `else { }` is no constructor;
//! - statements that are indented differently are no block.

use tree_sitter::Node;

use crate::kind::Kind;
use crate::language::Language;

/// Does the grammar take this node for something that it cannot be?
pub(super) fn is_misread(language: Language, text: &str, node: Node<'_>, kind: Kind) -> bool {
    match language {
        Language::C | Language::Cpp => is_macro_misread(text, node, kind),
        Language::JavaScript => is_line_break_misread(text, node, kind),
        Language::Java => kind == Kind::Identifier && is_keyword_of_java(&text[node.byte_range()]),
        Language::Python => kind == Kind::Block && is_unevenly_indented(text, node),
    }
}

/// The grammar lets `else { }` be a constructor. It reads the `default` of a switch as a name, too, and that is right.
fn is_keyword_of_java(name: &str) -> bool {
    name != "default" && is_statement_keyword(name)
}

/// Are two statements of one block indented differently? Python refuses that; the grammar takes a deeper one in.
pub(super) fn is_unevenly_indented(text: &str, block: Node<'_>) -> bool {
    let mut cursor = block.walk();
    let mut statements = block.named_children(&mut cursor).filter(|child| child.kind() != "comment");
    let mut expected = None;
    statements.any(|statement| {
        let Some(width) = indentation(text, statement.start_byte()) else { return false };
        *expected.get_or_insert(width) != width
    })
}

/// The width of the white space before the first thing on a line; `None` for what comes later on its line.
fn indentation(text: &str, position: usize) -> Option<usize> {
    let start = text[..position].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    // Three blanks may stand for a byte order mark.
    if start == 0 && position >= 3 {
        return None;
    }
    text[start..position].bytes().try_fold(0, |width, byte| match byte {
        b' ' => Some(width + 1),
        b'\t' => Some((width / 8 + 1) * 8),
        0x0c => Some(0),
        _ => None,
    })
}

/// Does a line break end something that goes on?
fn is_line_break_misread(text: &str, node: Node<'_>, kind: Kind) -> bool {
    let is_lone = |words: &[&str]| {
        words.contains(&&text[node.byte_range()])
            && node.next_sibling().is_some_and(|next| !matches!(next.kind(), ";" | "}"))
    };
    match kind {
        Kind::ExpressionStatement => is_lone(&["let"]),
        Kind::FieldDefinition => is_lone(&["static", "get", "set"]),
        _ => false,
    }
}

fn is_macro_misread(text: &str, node: Node<'_>, kind: Kind) -> bool {
    match kind {
        Kind::FunctionDefinition => {
            node.child_by_field_name("declarator").is_some_and(|declarator| !declares_function(declarator))
        }
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
        Kind::Identifier | Kind::TypeIdentifier => {
            let name = &text[node.byte_range()];
            (is_statement_keyword(name) && !is_default_of_choice(text, node))
                || is_declared_constant(name, node)
                || is_old_style_misread(name, node)
        }
        _ => false,
    }
}

fn is_statement_keyword(name: &str) -> bool {
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

/// Is this the type of a parameter behind the head of an old-style definition, which the grammar takes for a macro of the head?
/// Elsewhere, as in `va_arg(list, int)`, it rightly lets the name of a type be an argument.
fn is_old_style_misread(name: &str, node: Node<'_>) -> bool {
    matches!(name, "char" | "int" | "short" | "long" | "float" | "double" | "signed" | "unsigned" | "void")
        && node.parent().is_some_and(|parent| parent.kind() == "function_declarator")
}

/// Is something declared under a name that the grammars take for a constant wherever it is used? A macro is none of it: its
/// name has no declaration whose uses have to be known.
fn is_declared_constant(name: &str, node: Node<'_>) -> bool {
    matches!(name, "TRUE" | "FALSE" | "true" | "false" | "NULL" | "nullptr")
        && node.parent().is_none_or(|parent| !parent.kind().starts_with("preproc"))
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

fn is_in_switch(node: Node<'_>) -> bool {
    std::iter::successors(node.parent(), |around| around.parent()).any(|around| around.kind() == "switch_statement")
}

fn is_in_function(node: Node<'_>) -> bool {
    std::iter::successors(node.parent(), |node| node.parent()).any(|node| node.kind() == "compound_statement")
}

#[cfg(test)]
mod tests {
    use crate::{Language, Program};

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

    /// poj104, the program 51265: the variable was renamed, and `while (TRUE)` was not.
    #[test]
    fn variables_that_are_called_like_constants_are_refused() {
        check("int f(int n) { int TRUE = 1; while (TRUE) { n++; } return n; }", true);
        check("enum boolean { FALSE, TRUE }; int f(void) { return TRUE; }", true);
        check("#define TRUE 1\n#ifdef NULL\n#endif\nint f(void) { return TRUE; }", false);
        check("int f(void) { return TRUE ? 1 : NULL == 0; }", false);
    }

    /// fixtures, corners/c/knr-style.c: `lines` was a parameter or not, depending on a comment far away.
    #[test]
    fn old_style_definitions_are_not_taken_for_declarations() {
        let text = include_str!("../../../../fixtures/programs/corners/c/knr-style.c");
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
    fn pointers_to_members_are_refused() {
        let is_broken = |text: &str| Program::parse(Language::Cpp, text).is_broken();
        assert!(is_broken("void f(V v, int V::*axes[3]) { v.*axes[0] += 5; }"));
        assert!(!is_broken("void f(V v) { v.axes[0] += 5; }"));
        assert!(!is_broken("void f(V v, int V::*axis) { v.*axis += 5; (v.*axis)++; }"));
    }

    #[test]
    fn statements_and_members_that_go_on_after_a_line_break_are_refused() {
        let is_broken = |text: &str| Program::parse(Language::JavaScript, text).is_broken();
        assert!(is_broken("function f() { let\n// used to swap\nt; }"));
        assert!(is_broken("let\n  t = 1, u;"));
        assert!(is_broken("class A { static\n m() {} }"));
        assert!(is_broken("class A { static\n x = 1; }"));
        assert!(!is_broken("let t\n  = 1, u;"));
        assert!(!is_broken("class A { static; get\n = 1; set }"));
        assert!(!is_broken("class A { static get x() { return 1; } static m() {} static async\n() {} }"));
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
