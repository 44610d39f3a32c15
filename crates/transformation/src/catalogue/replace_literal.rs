//! Replaces a literal with an expression of the same value.
//!
//! class: structure
//! groups: lampion
//! from: Lampion, WIR
//! rules: truth, arithmetic, radix, split
//!
//! `truth` writes a boolean as a comparison of two numbers, `arithmetic` an integer as a difference, `radix` the same
//! number in hexadecimal, and `split` concatenates a string from two. The type stays the same, and a constant
//! expression remains one, so the compilers of Java and C compute the same value as before.
//!
//! ```java
//! boolean f() { return true; }
//! ```
//! ->
//! ```java
//! boolean f() { return (1 == 1); }
//! ```
//!
//! ```c
//! int f(int n) { return n; } int g(void) { return f(41); }
//! ```
//! ->
//! ```c
//! int f(int n) { return n; } int g(void) { return f((42 - 1)); }
//! ```
//!
//! ```cpp
//! bool f() { bool found = false; return found; }
//! ```
//! ->
//! ```cpp
//! bool f() { bool found = (1 == 0); return found; }
//! ```
//!
//! ```python
//! name = 'ab'
//! ```
//! ->
//! ```python
//! name = ('a' + 'b')
//! ```
//!
//! ```javascript
//! let done = false;
//! ```
//! ->
//! ```javascript
//! let done = (1 === 0);
//! ```
//!
//! In C++ a zero may be a null pointer, but only as a literal; labels, annotations and the arguments of macros keep
//! their text; Python's `is` compares objects, not values:
//!
//! ```cpp
//! void f(char* text) { g(text, 0); text = 0; }
//! ```
//!
//! ```java
//! @Retry(3) void f(int n) { switch (n) { case 1: g(); } }
//! ```
//!
//! ```python
//! def f(x):
//!     'text'
//!     return x is 1000
//! ```

use std::cell::OnceCell;
use std::collections::HashSet;

use syntax::{Field, Kind, Language, Node, Program, Type};

use crate::Sites;
use crate::parts::expressions::{is_compared_by_identity, is_value};
use crate::parts::layout::replace;
use crate::parts::visibility::{is_letter_of_word, is_name_or_path};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let names = OnceCell::new();
    for node in program.nodes().filter(|node| is_literal(*node)) {
        if !is_value(node) || is_compared_by_identity(node) || is_redefined(node) {
            continue;
        }
        if let Some(text) = truth(node) {
            sites.add_rule("truth", node.range(), move |_| Some(vec![replace(node, text)]));
        }
        if let Some(number) = number(node) {
            if !may_be_null_pointer(node, &number) {
                let text = format!("({next}{suffix} - 1{suffix})", next = number.value + 1, suffix = number.suffix);
                sites.add_rule("arithmetic", node.range(), move |_| Some(vec![replace(node, &text)]));
            }
            // In C, `0xe+1` is one token.
            if number.value > 0 && number.value % 16 != 14 {
                sites.add_rule("radix", node.range(), move |_| {
                    Some(vec![replace(node, &format!("0x{:x}{}", number.value, number.suffix))])
                });
            }
        }
        if let Some(quote) = quote_of_string(node) {
            let mut ends = ends_of_characters(node);
            ends.pop();
            // What is renamed later must still find its name in the string.
            ends.retain(|end| !is_within_name(node, *end, names.get_or_init(|| names_of(program))));
            if ends.is_empty() {
                continue;
            }
            sites.add_rule("split", node.range(), move |choice| {
                let end = ends[choice.below(ends.len())];
                let (left, right) = node.text().split_at(end);
                let text = match program.language() {
                    // Neighbours are put together before anything else happens, so an array can still be filled.
                    Language::C | Language::Cpp => format!("{left}{quote} {quote}{right}"),
                    Language::Java | Language::Python | Language::JavaScript => {
                        format!("({left}{quote} + {quote}{right})")
                    }
                };
                Some(vec![replace(node, &text)])
            });
        }
    }
}

fn is_literal(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        Kind::True
            | Kind::False
            | Kind::DecimalIntegerLiteral
            | Kind::NumberLiteral
            | Kind::Integer
            | Kind::Number
            | Kind::StringLiteral
            | Kind::String
    )
}

/// Old programs of C and Python define `true` or `True` themselves.
fn is_redefined(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::True | Kind::False) && node.program().is_named_in_directive(node.text())
}

/// A comparison that gives the truth value, with the type of the literal.
fn truth(node: Node<'_>) -> Option<&'static str> {
    let is_true = match node.kind() {
        Kind::True => true,
        Kind::False => false,
        _ => return None,
    };
    match node.program().language() {
        Language::Java | Language::Cpp | Language::Python => Some(if is_true { "(1 == 1)" } else { "(1 == 0)" }),
        // The literals of C23 are of another type than its comparisons, which only conversions hide.
        Language::C => {
            let parent = node.parent()?;
            let is_converted = matches!(parent.kind(), Kind::ReturnStatement | Kind::InitDeclarator)
                || parent.kind() == Kind::AssignmentExpression;
            is_converted.then_some(if is_true { "(1 == 1)" } else { "(1 == 0)" })
        }
        Language::JavaScript => Some(if is_true { "(1 === 1)" } else { "(1 === 0)" }),
    }
}

struct WholeNumber<'p> {
    value: u32,
    suffix: &'p str,
}

/// A whole number that fits every type of integer and is written with decimal digits only.
fn number(node: Node<'_>) -> Option<WholeNumber<'_>> {
    let text = node.text();
    let digits = text.len() - text.trim_start_matches(|character: char| character.is_ascii_digit()).len();
    let (digits, suffix) = text.split_at(digits);
    let is_known_suffix = match node.program().language() {
        Language::Java => matches!(suffix, "" | "l" | "L"),
        Language::C | Language::Cpp => matches!(suffix, "" | "u" | "U" | "l" | "L" | "ul" | "UL"),
        Language::Python | Language::JavaScript => suffix.is_empty(),
    };
    let is_decimal = digits == "0" || !digits.starts_with('0');
    let is_signed = node.parent().is_some_and(|parent| parent.kind() == Kind::UnaryExpression);
    let value = digits.parse().ok().filter(|value| *value < 32767)?;
    let is_number =
        matches!(node.kind(), Kind::DecimalIntegerLiteral | Kind::NumberLiteral | Kind::Integer | Kind::Number);
    (is_number && is_known_suffix && is_decimal && !is_signed).then_some(WholeNumber { value, suffix })
}

/// May the zero stand for the null pointer, or choose among functions as one? In C every constant zero may, whatever
/// it is computed from.
fn may_be_null_pointer(node: Node<'_>, number: &WholeNumber<'_>) -> bool {
    if number.value != 0 || node.program().language() != Language::Cpp {
        return false;
    }
    let Some(parent) = node.parent() else { return true };
    let is_number = |other: Option<Node<'_>>| {
        other.is_some_and(|other| matches!(node.program().type_of(other), Type::Number(_) | Type::Boolean))
    };
    !match parent.kind() {
        Kind::BinaryExpression | Kind::AssignmentExpression => {
            let other = if node.role() == Field::Left { Field::Right } else { Field::Left };
            is_number(parent.child(other))
        }
        Kind::InitDeclarator => is_number(parent.child(Field::Declarator)),
        _ => false,
    }
}

/// The quotation mark of a plain string: one without prefix, which is not raw and does not span lines.
fn quote_of_string(node: Node<'_>) -> Option<char> {
    let text = node.text();
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let is_plain = matches!(node.kind(), Kind::StringLiteral | Kind::String)
        && text.len() >= 2
        && text.ends_with(quote)
        && !text.starts_with("\"\"\"")
        && !text.starts_with("'''")
        && !text.contains(['\n', '\r', '\u{1a}'])
        && match node.program().language() {
            // Java replaces such escapes before it looks for the end of a string.
            Language::Java => !text.contains("\\u"),
            // So did C with its trigraphs.
            Language::C | Language::Cpp => !text.contains("??"),
            Language::Python | Language::JavaScript => true,
        };
    is_plain.then_some(quote)
}

/// Where the characters of a string end, as offsets into its text. An escape is one character.
fn ends_of_characters(node: Node<'_>) -> Vec<usize> {
    let escapes: Vec<_> = node.children().filter(|child| child.kind() == Kind::EscapeSequence).collect();
    let contents = node.children().filter(|child| child.is_named());
    // Python's contents hold their escapes.
    let nested = contents.flat_map(|content| content.children()).filter(|child| child.kind() == Kind::EscapeSequence);
    let escapes: Vec<(usize, usize)> = escapes
        .into_iter()
        .chain(nested)
        .map(|escape| (escape.start() - node.start(), escape.end() - node.start()))
        .collect();
    let text = node.text();
    let mut ends = Vec::new();
    let mut position = 1;
    while position < text.len() - 1 {
        let escape = escapes.iter().find(|(start, _)| *start == position);
        position = match (escape, text[position..].chars().next()) {
            (Some((_, end)), _) => *end,
            // A backslash that the grammar takes for no escape is not split off.
            (None, Some('\\') | None) => return Vec::new(),
            (None, Some(character)) => position + character.len_utf8(),
        };
        ends.push(position);
    }
    ends
}

/// The spellings of the identifiers.
fn names_of(program: &Program) -> HashSet<&str> {
    program.nodes().filter(|node| node.kind().is_identifier()).map(|node| node.text()).collect()
}

/// Is this place within a word of a name or path, where the program or another one of its project has a name that is spelt so?
fn is_within_name(string: Node<'_>, place: usize, names: &HashSet<&str>) -> bool {
    let text = string.text();
    let content = 1..text.len() - 1;
    if !is_name_or_path(&text[content.clone()]) {
        return false;
    }
    let start = text[content.start..place].rfind(|letter| !is_letter_of_word(letter));
    let end = text[place..content.end].find(|letter| !is_letter_of_word(letter));
    // Letters that separate words are single bytes.
    let start = start.map_or(content.start, |before| content.start + before + 1);
    let end = end.map_or(content.end, |length| place + length);
    let word = &text[start..end];
    let is_elsewhere = || string.program().surroundings().is_some_and(|around| around.has_word_in_program(word));
    start < place && place < end && (names.contains(word) || is_elsewhere())
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn numbers_keep_their_type() {
        assert_eq!(
            all_results("replace-literal", Java, "long f() { return 10L; }"),
            ["long f() { return (11L - 1L); }", "long f() { return 0xaL; }"]
        );
        assert_eq!(
            all_results("replace-literal", C, "unsigned f(void) { return 9u; }"),
            ["unsigned f(void) { return (10u - 1u); }", "unsigned f(void) { return 0x9u; }"]
        );
        check_refused("replace-literal", Java, "int f() { return 017 + 3000000 + 0x10; }");
        check_refused("replace-literal", Python, "x = 017\ny = 10L\n");
        check_refused("replace-literal", JavaScript, "x = 10n + 1.5 + 1e3;");
    }

    #[test]
    fn hexadecimal_digits_do_not_swallow_a_sign() {
        assert_eq!(
            all_results("replace-literal", C, "int f(int n) { return 14+n; }"),
            ["int f(int n) { return (15 - 1)+n; }"]
        );
    }

    #[test]
    fn zero_is_a_number_where_it_meets_one() {
        assert_eq!(
            all_results("replace-literal", Cpp, "bool f(int n) { return n > 0; }")[0],
            "bool f(int n) { return n > (1 - 1); }"
        );
        check_refused("replace-literal", Cpp, "void f() { char* p = 0; }");
    }

    #[test]
    fn strings_are_split_between_characters() {
        assert_eq!(all_results("replace-literal", JavaScript, "x = '\\u{1F600}\\n';"), ["x = ('\\u{1F600}' + '\\n');"]);
        assert_eq!(all_results("replace-literal", C, "char t[] = \"\\x41\\n\";"), ["char t[] = \"\\x41\" \"\\n\";"]);
        assert_eq!(all_results("replace-literal", Python, "x = '\\n\u{e9}'\n"), ["x = ('\\n' + '\u{e9}')\n"]);
    }

    /// Plexus Utils: `getDeclaredField("vers" + "ion")`, and then the field was renamed.
    #[test]
    fn names_in_strings_stay_whole() {
        check_refused("replace-literal", Java, "class A { int version; Object f() { return g(\"version\"); } }");
        check_refused("replace-literal", Python, "class A:\n    def go(self): pass\ngetattr(A(), 'go')\n");
        check_refused("replace-literal", C, "int go(void); void *f(void) { return g(\"go\"); }");
        assert_eq!(
            all_results("replace-literal", JavaScript, "function ab() {} f('ab.ab');"),
            ["function ab() {} f(('ab' + '.ab'));"]
        );
        let is_split = |text| !all_results("replace-literal", Java, text).is_empty();
        assert!(is_split("class A { int version; Object f() { return g(\"no version\"); } }"));
        assert!(is_split("class A { int version; Object f() { return g(\"versions\"); } }"));
    }

    #[test]
    fn strings_that_are_more_than_text_stay() {
        check_refused("replace-literal", Java, "String f() { return \"\\u0041b\"; }");
        check_refused("replace-literal", Python, "x = r'a\\b'\ny = b'ab'\nz = '''ab'''\nw = f'ab'\n");
        check_refused("replace-literal", Python, "'text of the module'\nx = 'a' 'b'\n");
        check_refused("replace-literal", JavaScript, "'use strict';\nimport a from 'ab';\n");
        check_refused("replace-literal", C, "void f(void) { LOG(\"ab\"); asm(\"nop\"); }");
    }

    #[test]
    fn print_of_python_2_stays_a_statement() {
        check("replace-literal", Python, "print 'a%s' % 7\n", "print 'a%s' % (8 - 1)\n");
    }

    #[test]
    fn operands_of_formats_keep_their_brackets() {
        check("replace-literal", Python, "x = '%s' % y\n", "x = ('%' + 's') % y\n");
    }

    #[test]
    fn a_constant_that_the_file_defines_is_not_the_languages() {
        let results = all_results("replace-literal", C, "#define TRUE 13\nint f(void) { return TRUE; }\n");
        assert!(!results.iter().any(|result| result.contains("1 == 1")), "{results:?}");
    }
}
