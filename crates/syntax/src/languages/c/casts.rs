//! Casts and operators that look the same: `(a) - b` subtracts when `a` is a variable, and is a cast when it is a type.
//!
//! The grammars guess. Other uses of the name decide: a typedef, a tag or a declaration makes it a type, a variable or a use as
//! an operand makes it a value. If the guess was wrong, the parser is given a text that it cannot misread: `const` before a
//! type, or a number in place of a value. Names that remain ambiguous are reported, so that no rewrite depends on them.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::Node;

use super::facts::TYPE_WORDS;
use crate::kind::Kind;
use crate::reading::view::Change;
use crate::words;

/// An expression that could be read in two ways.
pub(crate) struct Doubt {
    /// The name in parentheses.
    name: Range<usize>,
    /// Did the parser read it as a type?
    is_cast: bool,
    /// Is it a value whatever the name means?
    is_certainly_value: bool,
}

/// How the ambiguous expressions of a text are to be read.
#[derive(Default)]
pub(crate) struct Decisions {
    /// Changes that make the parser read them correctly.
    pub(crate) changes: Vec<Change>,
    /// Names that could be types or values.
    pub(crate) undecided: Vec<Range<usize>>,
}

/// Is the expression ambiguous?
pub(crate) fn doubt(text: &str, node: Node<'_>, kind: Kind) -> Option<Doubt> {
    match kind {
        Kind::BinaryExpression => {
            let operator = node.child_by_field_name("operator")?;
            let name =
                lone_name(last_operand(node.child_by_field_name("left")?), &["identifier", "qualified_identifier"])?;
            let is_prefix_too = matches!(&text[operator.byte_range()], "-" | "+" | "*" | "&" | "&&");
            is_prefix_too.then_some(Doubt { name, is_cast: false, is_certainly_value: false })
        }
        Kind::CallExpression => {
            let name = lone_name(node.child_by_field_name("function")?, &["identifier"])?;
            let arguments = node.child_by_field_name("arguments")?;
            // A cast has one operand, which may be an expression with commas.
            (arguments.named_child_count() > 0).then_some(Doubt { name, is_cast: false, is_certainly_value: false })
        }
        Kind::CastExpression => {
            let named = node.child_by_field_name("type")?;
            let name = named.child_by_field_name("type")?;
            if !matches!(name.kind(), "type_identifier" | "qualified_identifier") {
                return None;
            }
            let operand = node.child_by_field_name("value")?;
            let is_certainly_value =
                named.child_by_field_name("declarator").is_some_and(|declarator| !makes_pointer(declarator));
            let starts_like_operator = text[operand.start_byte()..].starts_with(['-', '+', '*', '&', '(']);
            let is_lone = named.byte_range() == name.byte_range();
            (starts_like_operator && (is_lone || is_certainly_value)).then(|| Doubt {
                name: name.byte_range(),
                is_cast: true,
                is_certainly_value,
            })
        }
        _ => None,
    }
}

/// The last operand of an expression: `(b)` in `a + -(b)`.
fn last_operand(node: Node<'_>) -> Node<'_> {
    let field = match node.kind() {
        "binary_expression" => "right",
        "unary_expression" | "pointer_expression" => "argument",
        "cast_expression" => "value",
        _ => return node,
    };
    node.child_by_field_name(field).map_or(node, last_operand)
}

/// The name in `(name)`.
fn lone_name(node: Node<'_>, kinds: &[&str]) -> Option<Range<usize>> {
    let is_lone = node.kind() == "parenthesized_expression" && node.named_child_count() == 1;
    let name = node.named_child(0).filter(|name| is_lone && kinds.contains(&name.kind()))?;
    Some(name.byte_range())
}

/// Nothing can be cast to an array or a function, so `(a[1]) - b` and `(a * (b)) * c` have no types.
fn makes_pointer(declarator: Node<'_>) -> bool {
    let mut inner = declarator;
    loop {
        let mut cursor = inner.walk();
        let next = inner.named_children(&mut cursor).find(|child| child.kind().ends_with("declarator"));
        match next {
            Some(next) => inner = next,
            None => return matches!(inner.kind(), "abstract_pointer_declarator" | "abstract_reference_declarator"),
        }
    }
}

/// Resolves ambiguous expressions from other uses of their names.
pub(crate) fn decide(text: &str, root: Node<'_>, doubts: &[Doubt]) -> Decisions {
    let mut decisions = Decisions::default();
    let evidence = Evidence::of(text, root, doubts);
    for doubt in doubts {
        // Evidence is collected for the last name of a path, in whatever scope it was found.
        let path = &text[doubt.name.clone()];
        let name = path.rsplit("::").next().unwrap_or(path).trim();
        let is_type = evidence.types.contains(name) || is_well_known_type(name);
        let is_value = evidence.values.contains(name);
        match (doubt.is_certainly_value, is_type, is_value) {
            // A number in place of `A::n` would hide `A` from renaming.
            (true, ..) | (_, _, true) if doubt.is_cast && path != name => decisions.undecided.push(doubt.name.clone()),
            (true, ..) | (false, false, true) if doubt.is_cast => {
                decisions.changes.push(Change { at: doubt.name.clone(), text: "1" });
            }
            (false, true, false) if !doubt.is_cast => {
                decisions.changes.push(Change { at: doubt.name.start..doubt.name.start, text: "const " });
            }
            (true, ..) | (false, false, true) | (false, true, false) => (),
            (false, true, true) | (false, false, false) => decisions.undecided.push(doubt.name.clone()),
        }
    }
    decisions
}

/// Names known to be types or values from their other uses.
#[derive(Default)]
struct Evidence<'t> {
    types: HashSet<&'t str>,
    values: HashSet<&'t str>,
}

impl<'t> Evidence<'t> {
    fn of(text: &'t str, root: Node<'_>, doubts: &[Doubt]) -> Evidence<'t> {
        let mut evidence = Evidence::default();
        let doubtful: HashSet<usize> = doubts.iter().map(|doubt| doubt.name.start).collect();
        let mut cursor = root.walk();
        // The parser finds a parent by walking down from the root, so the path is kept here.
        let mut parents: Vec<Node<'_>> = Vec::new();
        loop {
            let node = cursor.node();
            if (!doubtful.contains(&node.start_byte()) || node.child_count() > 0)
                && let Some(parent) = parents.last()
            {
                evidence.note(text, node, *parent);
            }
            if cursor.goto_first_child() {
                parents.push(node);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return evidence;
                }
                parents.pop();
            }
        }
    }

    fn note(&mut self, text: &'t str, node: Node<'_>, parent: Node<'_>) {
        let name = &text[node.byte_range()];
        match node.kind() {
            "type_identifier" if is_certainly_type(parent, node) => _ = self.types.insert(name),
            "identifier" if is_certainly_value(parent, node) => _ = self.values.insert(name),
            "preproc_arg" if parent.kind() == "preproc_def" => {
                if let Some(defined) = parent.child_by_field_name("name") {
                    let defined = &text[defined.byte_range()];
                    match is_text_of_type(name) {
                        Some(true) => _ = self.types.insert(defined),
                        Some(false) => _ = self.values.insert(defined),
                        None => (),
                    }
                }
            }
            _ => (),
        }
    }
}

/// Is this use unambiguously a type? `a * b;` is not: it may be a product.
fn is_certainly_type(parent: Node<'_>, node: Node<'_>) -> bool {
    match parent.kind() {
        "type_definition"
        | "alias_declaration"
        | "parameter_declaration"
        | "field_declaration"
        | "function_definition"
        | "type_parameter_declaration" => true,
        // `struct name` declares a type in C++; in C it is always written with the keyword.
        "class_specifier" => true,
        "declaration" => parent.child_by_field_name("declarator").is_some_and(|declarator| match declarator.kind() {
            "pointer_declarator" | "function_declarator" => false,
            _ => declarator.id() != node.id(),
        }),
        "type_descriptor" => {
            // `(name *)` and `(name) x` are casts.
            let around = parent.parent();
            let has_pointer = parent.child_by_field_name("declarator").is_some_and(makes_pointer);
            let is_plain_operand = |cast: Node<'_>| {
                cast.child_by_field_name("value").is_some_and(|value| {
                    matches!(
                        value.kind(),
                        "identifier"
                            | "number_literal"
                            | "string_literal"
                            | "char_literal"
                            | "field_expression"
                            | "call_expression"
                            | "subscript_expression"
                    ) && !matches!(first_leaf(value).kind(), "(" | "*" | "&")
                })
            };
            has_pointer || around.is_some_and(|around| around.kind() == "cast_expression" && is_plain_operand(around))
        }
        _ => false,
    }
}

fn first_leaf(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while let Some(first) = node.child(0) {
        node = first;
    }
    node
}

/// Is this use unambiguously a value? An argument is not: macros take types as well.
fn is_certainly_value(parent: Node<'_>, node: Node<'_>) -> bool {
    match parent.kind() {
        "init_declarator"
        | "assignment_expression"
        | "subscript_expression"
        | "field_expression"
        | "update_expression"
        | "pointer_expression"
        | "unary_expression"
        | "conditional_expression"
        | "binary_expression"
        | "return_statement"
        | "enumerator"
        | "pointer_declarator"
        | "array_declarator"
        | "parameter_declaration"
        | "declaration"
        | "function_declarator"
        | "for_statement" => {
            // The parameters of old definitions are declared elsewhere, and a macro's are not seen here.
            !(parent.kind() == "function_declarator" && parent.child_by_field_name("declarator") != Some(node))
        }
        "call_expression" => parent.child_by_field_name("function") == Some(node),
        "preproc_function_def" => parent.child_by_field_name("name") == Some(node),
        _ => false,
    }
}

/// Is the body of a macro a type? `None` if it could be.
fn is_text_of_type(text: &str) -> Option<bool> {
    let text = text.trim();
    let mut parts = text.split(|letter: char| letter.is_whitespace() || letter == '*').filter(|word| !word.is_empty());
    let first = parts.next()?;
    if TYPE_WORDS.contains(&first) {
        return Some(true);
    }
    let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !text.starts_with(|c: char| c.is_ascii_digit());
    match is_name {
        // Another name, which may be either.
        true => is_well_known_type(text).then_some(true),
        false => Some(false),
    }
}

/// Is this a type of a well-known header? Names ending in `_t` are types by convention; POSIX reserves them.
fn is_well_known_type(name: &str) -> bool {
    const KNOWN: &[&str] = words!(
        "BOOL BYTE DIR DWORD FILE HANDLE HWND INT16 INT32 INT64 INT8 LONG LONGLONG LPARAM LPVOID LRESULT PVOID SHORT SIZE_T UCHAR UINT
         UINT16 UINT32 UINT64 UINT8 ULONG ULONGLONG USHORT WORD WPARAM __int128 __m128 __m128d __m128i __m256 __m256d __m256i
         __s16 __s32 __s64 __s8 __u16 __u32 __u64 __u8 bool gboolean gchar gdouble gfloat gint gint16 gint32 gint64 gint8 glong
         gpointer gshort gsize gssize guchar guint guint16 guint32 guint64 guint8 gulong gunichar gushort s16 s32 s64 s8 string
         u16 u32 u64 u8 uint ulong unchar ushort va_list"
    );
    name.ends_with("_t") || KNOWN.contains(&name)
}

#[cfg(test)]
mod tests {
    use crate::{Kind, Language, Program};

    /// The casts and the binary expressions of a program, in order.
    #[track_caller]
    fn check(language: Language, text: &str, casts: &[&str], operations: &[&str], undecided: &[&str]) {
        let program = Program::parse(language, text);
        assert!(!program.is_broken(), "{text}");
        let texts = |kind: Kind| program.nodes_of_kind(kind).map(|node| node.text()).collect::<Vec<_>>();
        assert_eq!(texts(Kind::CastExpression), casts, "casts of {text}");
        assert_eq!(texts(Kind::BinaryExpression), operations, "operations of {text}");
        assert_eq!(program.undecided_casts().map(|node| node.text()).collect::<Vec<_>>(), undecided, "{text}");
        for node in program.nodes().filter(|node| node.kind().is_identifier()) {
            assert_eq!(node.text(), &text[node.range()]);
        }
    }

    #[test]
    fn a_typedef_makes_a_cast() {
        for language in [Language::C, Language::Cpp] {
            let text = "typedef unsigned long long U; U f(U *p) { return ((U) -1 << 3) + (U)*p + (U)(*p) + (U) & 7; }";
            let program = Program::parse(language, text);
            let casts = program.nodes_of_kind(Kind::CastExpression).map(|node| node.text()).collect::<Vec<_>>();
            assert_eq!(casts, ["(U) -1", "(U)*p", "(U)(*p)", "(U) & 7"], "{language}");
        }
    }

    #[test]
    fn types_are_known_by_their_uses_and_by_custom() {
        check(Language::C, "int f(int n) { return (size_t) - n; }", &["(size_t) - n"], &[], &[]);
        check(Language::C, "int f(T n) { return (T) - n; }", &["(T) - n"], &[], &[]);
        check(Language::C, "#define T unsigned\nint f(int n) { return (T) - n; }", &["(T) - n"], &[], &[]);
        check(Language::C, "int f(int n) { T m = n; return (T) - n; }", &["(T) - n"], &[], &[]);
        check(Language::C, "int f(int n) { g((T *)0); return (T) - n; }", &["(T *)0", "(T) - n"], &[], &[]);
        check(Language::Cpp, "class T {}; int f(int n) { return (T) - n; }", &["(T) - n"], &[], &[]);
    }

    #[test]
    fn qualified_names_are_decided_by_their_last_name() {
        check(Language::Cpp, "int f(int n) { return (std::size_t) -n; }", &["(std::size_t) -n"], &[], &[]);
        check(Language::Cpp, "struct A { class B {}; }; int f(int n) { return (A::B) -n; }", &["(A::B) -n"], &[], &[]);
        let value = "int f() { n = 3; return (A::n) - 1; }";
        check(Language::Cpp, value, &["(A::n) - 1"], &[], &["A::n"]);
        let unknown = "struct A { static int n; }; int f() { return (A::n) + 1; }";
        check(Language::Cpp, unknown, &["(A::n) + 1"], &[], &["A::n"]);
        let call = "int f(int a, int b) { return (std::min)(a, b); }";
        check(Language::Cpp, call, &["(std::min)(a, b)"], &[], &["std::min"]);
    }

    #[test]
    fn a_variable_makes_an_operation() {
        check(Language::C, "double f(double a, double h) { return (a*(h))*0.5; }", &[], &["(a*(h))*0.5", "a*(h)"], &[]);
        check(Language::C, "int f(int a) { return (a) - 1; }", &[], &["(a) - 1"], &[]);
        check(Language::C, "int f(int a[]) { return (a[1]) - 1; }", &[], &["(a[1]) - 1"], &[]);
        check(Language::C, "int f(int a) { return (g(a)) * 2; }", &[], &["(g(a)) * 2"], &[]);
        check(Language::C, "#define N 3\nint f(int a) { return (N) - a; }", &[], &["(N) - a"], &[]);
        check(Language::C, "int f(int a) { N = 3; return (N) - a; }", &[], &["(N) - a"], &[]);
        check(Language::C, "int f(int a) { return sizeof(a) - 1; }", &[], &["sizeof(a) - 1"], &[]);
    }

    #[test]
    fn what_nobody_can_tell_is_reported() {
        check(Language::C, "int f(int a) { return (N) - a; }", &[], &["(N) - a"], &["N"]);
    }
}
