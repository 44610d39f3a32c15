//! What C and C++ programs in data sets lack or have too much for the grammar, and how it is mended.
//!
//! The grammars know no preprocessor, and data sets lose line breaks and result types. A program that does
//! not parse for one of the reasons below is read in a slightly different form. What is put in has no
//! nodes, what is blanked out has none either, and every position refers to the original bytes:
//!
//! - `# include <stdio.h> int main() …` on one line: the line break after the header's name is put back;
//! - blanks at the end of a directive are removed;
//! - `main() { … }`: a function without its result type is read as if it said `int`;
//! - `extern "C" {` and its closing brace are blanked out;
//! - `EXPORT void f();`: upper-case words used as specifiers are blanked out;
//! - comments within a `#define` and the headers that `#if __has_include(<a>)` names are blanked out;
//! - `TEST_CASE("adds") { … }`: arguments of a macro used as a function head are blanked out in C++;
//! - `f(options given = {})`: an empty default value is blanked out;
//! - `emit changed(x);`: words of Qt and Cilk that mark calls are blanked out in C++;
//! - `static av_cold int f()`: words that are well-known macros for attributes are blanked out;
//! - `#define debug(args...)`: the name of GNU's variable arguments is blanked out;
//! - `va_arg(list, char *)`: a type argument is read as an operand of `sizeof`;
//! - `new T*[n]`: the asterisks of the type are blanked out in C++;
//! - `X::X(T<a, b<c> > &s) : n(0) { … }`: the first parameter is read as if it said `const`;
//! - `rep(i, n) { … }`: a macro that is certainly the head of a loop, by its definition in the program or
//!   by a name like `QLIST_FOREACH`, is read as a loop of the kind [`Kind::MacroLoop`].
//!
//! [`Kind::MacroLoop`]: crate::kind::Kind::MacroLoop

use super::facts::TYPE_WORDS;
use super::lexing::Words;
use super::misreadings::MARKS;
use crate::language::Language;
use crate::reading::view::Change;
use crate::words;

/// Changes that make the text parse; `None` if there is nothing to change.
pub(crate) fn mends(language: Language, text: &str) -> Option<Vec<Change>> {
    let words = Words::of(text);
    let mut changes = line_breaks(text);
    changes.extend(trailing_blanks(text));
    changes.extend(result_types(language, &words));
    changes.extend(attributes(&words));
    changes.extend(loops(&words));
    changes.extend(types_as_arguments(&words));
    changes.extend(linkage(&words));
    changes.extend(directives(text, &words));
    changes.extend(heads_by_macro(language, &words));
    changes.extend(empty_defaults(&words));
    changes.extend(specifiers(&words));
    if language == Language::Cpp {
        changes.extend(new_pointers(&words));
        changes.extend(first_parameters(&words));
        changes.extend(marks(&words));
    }
    (!changes.is_empty()).then_some(changes)
}

/// Puts the line breaks back that ended `#include` lines. Other directives cannot be mended, because
/// nobody can tell where they ended.
fn line_breaks(text: &str) -> Vec<Change> {
    let mut changes = Vec::new();
    for (hash, _) in text.match_indices('#') {
        let Some(blank) = blank_after_include(text, hash) else { continue };
        changes.push(Change { at: blank..blank + 1, text: "\n" });
        // The directive itself must start a line, too.
        if let Some(before) = hash.checked_sub(1).filter(|&at| text.as_bytes()[at] == b' ') {
            changes.retain(|change| change.at.start != before);
            changes.push(Change { at: before..hash, text: "\n" });
        }
    }
    changes
}

/// Removes blanks at the end of directives, which the grammars do not accept.
fn trailing_blanks(text: &str) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let trimmed = content.trim_end_matches([' ', '\t', '\x0c', '\x0b']);
        let is_directive = content.trim_start_matches([' ', '\t']).starts_with('#');
        if is_directive && trimmed.len() < content.len() && !trimmed.ends_with('\\') {
            changes.push(Change { at: start + trimmed.len()..start + content.len(), text: "\n" });
        }
        start += line.len();
    }
    changes
}

/// The place of the blank that follows `# include <header>` on the same line.
fn blank_after_include(text: &str, hash: usize) -> Option<usize> {
    let rest = text[hash + 1..].trim_start_matches([' ', '\t']).strip_prefix("include")?;
    let header = rest.trim_start_matches([' ', '\t']);
    let close = match header.as_bytes().first()? {
        b'<' => '>',
        b'"' => '"',
        _ => return None,
    };
    let length = header[1..].find([close, '\n'])? + 2;
    let end = text.len() - header.len() + length;
    let is_followed_by_code = text[end..].starts_with([' ', '\t'])
        && !text[end..].trim_start_matches([' ', '\t', '\r']).starts_with(['\n', '/']);
    (text[..end].ends_with(close) && is_followed_by_code).then_some(end)
}

/// Functions that are defined without a result type. C++ has none of these but constructors.
fn result_types(language: Language, words: &Words<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    if language == Language::Cpp {
        return changes;
    }
    for index in 0..words.list.len() {
        let word = &words.list[index];
        let is_first = index == 0 || matches!(words.text(index - 1), "}" | ";" | "static" | "extern" | "inline");
        if word.depth != 0 || !is_first || !words.is_name(index) {
            continue;
        }
        let Some(close) = words.closing(index + 1) else { continue };
        if words.starts_body(close + 1) && !is_type_by_macro(words, close + 1) {
            changes.push(Change { at: word.range.start..word.range.start, text: "int " });
        }
    }
    changes
}

/// Macros that stand for attributes, or for nothing, wherever they occur in declarations.
const ATTRIBUTES: &[&str] = words!(
    "APIENTRY CALLBACK GCC_FMT_ATTR OPPROTO QEMU_NORETURN QEMU_PACKED STDCALL WINAPI __always_inline __cdecl __exit
     __force __init __inline __inline__ __iomem __noreturn __packed __stdcall __user asmlinkage attribute_align_arg
     attribute_deprecated av_always_inline av_cold av_const av_flatten av_noinline av_pure av_uninit av_unused
     av_used av_warn_unused_result complex coroutine_fn noinline uninit"
);

fn attributes(words: &Words<'_>) -> Vec<Change> {
    let is_attribute = |index: &usize| ATTRIBUTES.contains(&words.text(*index)) && words.text(index + 1) != "(";
    let attributes = (0..words.list.len()).filter(is_attribute).map(|index| words.list[index].range.clone());
    let blanked = attributes.chain(words.named_variable_arguments.iter().cloned());
    blanked.map(|at| Change { at, text: "" }).collect()
}

/// `emit changed(x);`: the word stands before a statement that is a call.
fn marks(words: &Words<'_>) -> Vec<Change> {
    let is_mark = |index: &usize| {
        MARKS.contains(&words.text(*index))
            && words.list[*index].is_in_code
            && words.text(index + 1).starts_with(|first: char| first.is_alphabetic() || first == '_')
    };
    let marks = (0..words.list.len()).filter(is_mark);
    marks.map(|index| Change { at: words.list[index].range.clone(), text: "" }).collect()
}

/// Macros that are the head of a loop.
fn loops(words: &Words<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for index in 1..words.list.len() {
        let starts_statement = matches!(words.text(index - 1), "{" | "}" | ";" | ")" | ":" | "else" | "do");
        if words.list[index].depth == 0 || !starts_statement || !words.is_loop_macro(words.text(index)) {
            continue;
        }
        let Some(close) = words.closing(index + 1) else { continue };
        if !matches!(words.text(close + 1), ";" | "") {
            let (start, end) = (words.list[index].range.start, words.list[close].range.end);
            changes.push(Change { at: start..start, text: "for(" });
            changes.push(Change { at: end..end, text: ";;)" });
        }
    }
    changes
}

/// The braces of `extern "C" { … }`, which headers open and close within `#ifdef __cplusplus`.
fn linkage(words: &Words<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for index in 0..words.list.len() {
        let is_head =
            words.text(index) == "extern" && words.text(index + 1).starts_with('"') && words.text(index + 2) == "{";
        if !is_head {
            continue;
        }
        let depth = words.list[index].depth;
        let close = (index + 3..words.list.len()).find(|&at| words.text(at) == "}" && words.list[at].depth == depth);
        let Some(close) = close else { continue };
        for at in [index, index + 1, index + 2, close] {
            changes.push(Change { at: words.list[at].range.clone(), text: "" });
        }
    }
    changes
}

/// Blanks out comments within directives, at which the grammars end the directive, and headers named in conditions.
fn directives(text: &str, words: &Words<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for directive in &words.directives {
        let content = &text[directive.clone()];
        for (at, _) in content.match_indices("/*") {
            let end = content[at..].find("*/").map_or(content.len(), |length| at + length + 2);
            if !content[end..].trim().is_empty() {
                changes.push(Change { at: directive.start + at..directive.start + end, text: "" });
            }
        }
        let name = content[1..].trim_start();
        if !(name.starts_with("if") || name.starts_with("elif")) {
            continue;
        }
        for (open, close) in [("(<", ">)"), ("(\"", "\")")] {
            for (at, _) in content.match_indices(open) {
                if let Some(length) = content[at..].find(close) {
                    let start = directive.start + at;
                    changes.push(Change { at: start..start + length + close.len(), text: "" });
                }
            }
        }
    }
    changes
}

/// `TEST_CASE("adds", "[numbers]") { … }`: a macro that expands to a function head, with arguments that are not parameters.
fn heads_by_macro(language: Language, words: &Words<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    if language != Language::Cpp {
        return changes;
    }
    for index in 0..words.list.len() {
        let word = &words.list[index];
        let before = if index == 0 { ";" } else { words.text(index - 1) };
        let is_head = !word.is_in_code
            && matches!(before, ";" | "}" | "{")
            && words.is_name(index)
            && !words.text(index).contains(|letter: char| letter.is_lowercase());
        let is_body = |brace: usize| words.text(brace) == "{" && !is_type_by_macro(words, brace);
        let Some(close) = words.closing(index + 1).filter(|close| is_head && is_body(close + 1)) else {
            continue;
        };
        changes.push(Change { at: word.range.start..word.range.start, text: "void " });
        if close > index + 2 {
            let at = words.list[index + 2].range.start..words.list[close - 1].range.end;
            changes.push(Change { at, text: "" });
        }
    }
    changes
}

/// `STRUCT(a) { int b; };`: is this the brace of a type, after which a semicolon stands?
fn is_type_by_macro(words: &Words<'_>, brace: usize) -> bool {
    let depth = words.list[brace].depth;
    let end = (brace + 1..words.list.len()).find(|&at| words.text(at) == "}" && words.list[at].depth == depth);
    words.text(brace) == "{" && end.is_some_and(|end| words.text(end + 1) == ";")
}

/// `f(options given = {})`: the grammar does not accept braces as a default value.
fn empty_defaults(words: &Words<'_>) -> Vec<Change> {
    let is_default = |index: &usize| {
        words.text(*index) == "="
            && words.list[*index].brackets > 0
            && words.text(index + 1) == "{"
            && words.text(index + 2) == "}"
    };
    let defaults = (0..words.list.len()).filter(is_default);
    let range = |index: usize| words.list[index].range.start..words.list[index + 2].range.end;
    defaults.map(|index| Change { at: range(index), text: "" }).collect()
}

/// Upper-case words in declarations that are macros for attributes, linkage or nothing:
/// `EXPORT void f();`, `class EXPORT name {`, `int CALL f();`, and `BEGIN_DECLARATIONS` on a line of its own.
fn specifiers(words: &Words<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    let is_word = |index: usize| words.text(index).starts_with(|first: char| first.is_alphabetic() || first == '_');
    let is_capital = |index: usize| {
        let text = words.text(index);
        text.len() > 2 && is_word(index) && !text.contains(|letter: char| letter.is_lowercase())
    };
    for index in (0..words.list.len()).filter(|index| is_capital(*index)) {
        let word = &words.list[index];
        if word.is_in_code || word.brackets > 0 {
            continue;
        }
        let before = if index == 0 { ";" } else { words.text(index - 1) };
        let after = words.text(index + 1);
        let starts = matches!(before, ";" | "}" | "{" | ":" | ">" | "\"C\"")
            || is_specifier(before)
            || before_is_macro(words, index);
        let is_type_next = is_word(index + 1) && !matches!(after, "const" | "volatile" | "operator");
        let is_named_after_type = is_word(index + 2)
            || matches!(words.text(index + 2), "*" | "&" | "<")
            || (words.text(index + 2) == ":" && words.text(index + 3) == ":");
        let heads_declaration =
            starts && is_type_next && (is_named_after_type || is_specifier(after) || is_type_head(after));
        let heads_type = matches!(before, "class" | "struct" | "union" | "enum")
            && is_word(index + 1)
            && matches!(words.text(index + 2), "{" | ":" | ";" | "final");
        let names_function = index > 0
            && (is_word(index - 1) || matches!(before, "*" | "&" | ">"))
            && !is_specifier(before)
            && is_word(index + 1)
            && words.text(index + 2) == "(";
        let is_line = word.starts_line
            && starts
            && words.list.get(index + 1).is_none_or(|next| next.starts_line)
            && !matches!(after, "(" | "=" | ";" | "*" | "," | ":");
        let ends_head = matches!(before, ")" | "const" | "override")
            && matches!(after, "{" | ";" | "=" | ":" | "override" | "const");
        if heads_declaration || heads_type || names_function || is_line || ends_head {
            changes.push(Change { at: word.range.clone(), text: "" });
        }
    }
    changes
}

/// Is the previous line an upper-case macro as well?
fn before_is_macro(words: &Words<'_>, index: usize) -> bool {
    index > 0
        && words.list[index].starts_line
        && words.list[index - 1].is_in_code == words.list[index].is_in_code
        && !words.text(index - 1).contains(|letter: char| letter.is_lowercase())
        && words.text(index - 1).starts_with(|first: char| first.is_alphabetic())
}

fn is_specifier(word: &str) -> bool {
    matches!(
        word,
        "static"
            | "extern"
            | "inline"
            | "template"
            | "typedef"
            | "virtual"
            | "explicit"
            | "constexpr"
            | "friend"
            | "mutable"
    )
}

fn is_type_head(word: &str) -> bool {
    matches!(word, "class" | "struct" | "union" | "enum" | "unsigned" | "signed" | "template" | "typename")
}

/// `new T*[n]`: the grammar of C++ knows no pointers there, and takes `new T*(p)` for a product.
fn new_pointers(words: &Words<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for index in (0..words.list.len()).filter(|&index| words.text(index) == "new") {
        // What is handed over to the allocator stands before the type.
        let start = words.closing(index + 1).map_or(index + 1, |close| close + 1);
        let stars = end_of_type(words, start);
        if stars == start || words.text(stars) != "*" {
            continue;
        }
        let end = (stars..words.list.len()).find(|&at| !matches!(words.text(at), "*" | "const"));
        // Asterisks at the end would not belong to the node.
        let Some(end) = end.filter(|&end| matches!(words.text(end), "[" | "(" | "{")) else { continue };
        changes.extend((stars..end).map(|at| Change { at: words.list[at].range.clone(), text: "" }));
    }
    changes
}

/// The place after the name of a type, with its namespaces and arguments.
fn end_of_type(words: &Words<'_>, start: usize) -> usize {
    let mut open = 0;
    for at in start..words.list.len().min(start + LONGEST_CALL) {
        match words.text(at) {
            "<" => open += 1,
            ">" if open > 0 => open -= 1,
            ";" | "{" | "}" => return at,
            ":" => (),
            word if open > 0 || word.starts_with(|first: char| first.is_alphabetic() || first == '_') => (),
            _ => return at,
        }
    }
    start
}

/// `X::X(T<a, b<c> > &s) : n(0) { … }`: after a name without a result type, the grammar of C++ takes the first parameter for an
/// expression unless it begins with a word that only a type can begin with.
fn first_parameters(words: &Words<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for index in 2..words.list.len() {
        let is_head = !words.list[index].is_in_code
            && words.is_name(index)
            && words.text(index - 1) == ":"
            && words.text(index - 2) == ":";
        let Some(close) =
            words.closing(index + 1).filter(|close| is_head && matches!(words.text(close + 1), "{" | ":"))
        else {
            continue;
        };
        let closes_two = |at: usize| {
            words.text(at) == ">"
                && words.text(at + 1) == ">"
                && words.list[at].range.end < words.list[at + 1].range.start
        };
        let start = words.list[index + 2].range.start;
        if words.text(index + 2) != "const" && (index + 2..close).any(closes_two) {
            changes.push(Change { at: start..start, text: "const " });
        }
    }
    changes
}

const LONGEST_CALL: usize = 100;

/// The grammars expect expressions as arguments. Types passed to macros, as in `va_arg(list, char *)`, are read as operands of
/// `sizeof`, which may be types.
fn types_as_arguments(words: &Words<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for index in 1..words.list.len() {
        let is_called = words.is_name(index) && words.list[index].is_in_code && starts_expression(words, index);
        let is_operator = words.text(index) == "typeid" && words.text(index + 1) == "(";
        if !is_called && !is_operator {
            continue;
        }
        // Longer calls have no types among their arguments, and nested ones would take quadratic time.
        let Some(close) = words.closing(index + 1).filter(|close| close - index < LONGEST_CALL) else { continue };
        let mut first = index + 2;
        let mut depth = 0;
        for at in index + 2..=close {
            match words.text(at) {
                "(" | "[" => depth += 1,
                ")" | "]" if at < close => depth -= 1,
                _ => (),
            }
            let is_end = at == close || (depth == 0 && words.text(at) == ",");
            if is_end && first < at && is_type(words, first, at) {
                let (start, end) = (words.list[first].range.start, words.list[at - 1].range.end);
                changes.push(Change { at: start..start, text: "sizeof(" });
                changes.push(Change { at: end..end, text: ")" });
            }
            if is_end {
                first = at + 1;
            }
        }
    }
    changes
}

/// Does the name start an expression, rather than follow a type that declares it?
fn starts_expression(words: &Words<'_>, index: usize) -> bool {
    let is_word = |text: &str| text.starts_with(|first: char| first.is_alphanumeric() || first == '_');
    let mut before = index - 1;
    while before > 0 && words.text(before) == "*" {
        before -= 1;
    }
    matches!(words.text(before), "return" | "else" | "do") || !is_word(words.text(before))
}

/// Are the words from `first` to `end` unambiguously a type?
fn is_type(words: &Words<'_>, first: usize, end: usize) -> bool {
    let is_name = |index: usize| words.text(index).starts_with(|first: char| first.is_alphabetic() || first == '_');
    let is_pointer = words.text(end - 1) == "*" && is_name(first);
    let is_plain = |index: usize| is_name(index) || words.text(index) == "*";
    // A name after `int` or after another name would be a parameter.
    let is_own_name = |index: &usize| {
        is_name(*index) && !matches!(words.text(*index), "const" | "volatile" | "struct" | "union" | "enum")
    };
    let names: Vec<usize> = (first..end).filter(is_own_name).collect();
    let is_one = names.len() <= 1 || names.iter().all(|index| TYPE_WORDS.contains(&words.text(*index)));
    is_one && (is_pointer || TYPE_WORDS.contains(&words.text(first))) && (first..end).all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{self, Type};
    use crate::{Kind, Program, TokenKind};

    #[track_caller]
    fn check_mended(text: &str) -> Program {
        let program = Program::parse(Language::C, text);
        assert!(!program.is_broken(), "{text}");
        for node in program.nodes() {
            assert_eq!(node.text(), &text[node.range()]);
        }
        program
    }

    #[track_caller]
    fn check_broken(text: &str) {
        assert!(Program::parse(Language::C, text).is_broken(), "{text}");
    }

    #[test]
    fn an_include_on_the_programs_line_ends_where_the_header_ends() {
        let program = check_mended("# include <stdio.h> # include \"a.h\" int main() { return 0; }");
        assert_eq!(program.nodes_of_kind(Kind::PreprocInclude).count(), 2);
        let function = program.nodes_of_kind(Kind::FunctionDefinition).next().unwrap();
        assert_eq!(function.text(), "int main() { return 0; }");
    }

    #[test]
    fn a_function_may_lack_its_result_type() {
        let program = check_mended("main() { f(1); }\nf(a) int a; { return a; }\nstatic g(void) { }");
        assert_eq!(program.nodes_of_kind(Kind::FunctionDefinition).count(), 3);
        assert_eq!(program.nodes_of_kind(Kind::FunctionDefinition).next().unwrap().start(), 0);
        assert_eq!(
            program.nodes_of_kind(Kind::PrimitiveType).map(|node| node.text()).collect::<Vec<_>>(),
            ["int", "void"]
        );
    }

    #[test]
    fn a_macro_for_an_attribute_is_a_token_without_a_node() {
        let program = check_mended("static av_cold int f(void) { int av_unused x = 1; return 2; }");
        let directives = program.tokens().into_iter().filter(|token| token.kind == TokenKind::Directive);
        assert_eq!(directives.map(|token| token.text).collect::<Vec<_>>(), ["av_cold", "av_unused"]);
        assert!(program.nodes().all(|node| node.text() != "av_cold"));
    }

    #[test]
    fn a_macro_that_is_a_loop_is_read_as_one() {
        let text = "#define rep(i, n) for (i = 0; i < n; i++)\nvoid f(int k) { int i; rep(i, k) rep(i, 2) g(i); QLIST_FOREACH(a, b, c) { h(a); } }";
        let program = check_mended(text);
        let loops: Vec<_> = program.nodes_of_kind(Kind::MacroLoop).map(|node| node.text()).collect();
        assert_eq!(loops, ["rep(i, k) rep(i, 2) g(i);", "rep(i, 2) g(i);", "QLIST_FOREACH(a, b, c) { h(a); }"]);
    }

    #[test]
    fn two_mends_can_meet() {
        let text = "#define EACH(i, n) for (i = 0; i < n; i++)\nvoid f(int i) { EACH(i, 2)CALLBACK g(i); }";
        let program = check_mended(text);
        assert_eq!(program.nodes_of_kind(Kind::MacroLoop).count(), 1);
        check_broken("#define g(a #include <b> x...) {\nf( #include <a> av_cold");
    }

    #[test]
    fn a_type_may_be_an_argument() {
        let program =
            check_mended("int f(va_list a) { char *s = va_arg(a, char *); return g(s, va_arg(a, unsigned)); }");
        let types: Vec<_> = program.nodes_of_kind(Kind::TypeDescriptor).map(|node| node.text()).collect();
        assert_eq!(types, ["char *", "unsigned"]);
        // pugixml, tests/test_dom_traverse.cpp: a parameter of a constructor was renamed, and its use was not.
        let text =
            "struct f { int p; f(int q): p(q) { } };\nTEST(a, \"b\") { struct g { int p; g(const T q): p(q) { } }; }\n";
        let program = Program::parse(Language::Cpp, text);
        assert_eq!(program.nodes_of_kind(Kind::FieldInitializer).count(), 2);
        let uses = program.nodes_of_kind(Kind::Identifier).filter(|name| name.text() == "q");
        assert!(uses.into_iter().all(|name| program.scopes().symbol_at(name).is_some()));
        check_mended("void f(void) { int g(char *); x = container_of(p, struct s, member); }");
        assert!(
            !Program::parse(Language::Cpp, "void f() { g(typeid(int)); g(typeid(a) == typeid(char *)); }").is_broken()
        );
    }

    /// Qt: the signal was taken for a variable of the type `emit`, and renamed.
    #[test]
    fn words_that_mark_calls_are_nothing() {
        for mark in ["emit", "Q_EMIT"] {
            let text =
                format!("void M::set(int v) {{ int next = v; {mark} changed(next); if (v) {mark} p->changed(v); }}");
            let program = Program::parse(Language::Cpp, &text);
            assert!(!program.is_broken(), "{text}");
            assert_eq!(program.nodes_of_kind(Kind::CallExpression).count(), 2);
        }
        // What other words in capitals are is not known, unless the program says it.
        let body = "int a = 1; NOTIFY changed(a); use(a);";
        for unknown in ["", "#define NOTIFY\n"] {
            assert!(Program::parse(Language::Cpp, format!("{unknown}void f() {{ {body} }}")).is_broken(), "{unknown}");
        }
        for known in ["class NOTIFY;", "typedef int NOTIFY;", "#define NOTIFY std::lock\n", "NOTIFY *p;"] {
            assert!(!Program::parse(Language::Cpp, format!("{known} void f() {{ {body} }}")).is_broken(), "{known}");
        }
    }

    /// The headers of libevent, expat, libpng, spdlog and cppunit.
    #[test]
    fn members_outside_of_their_class_and_arrays_of_pointers_are_read() {
        for text in [
            "struct X { operator bool() const; int n; };\nX::operator bool() const { return n > 0; }\n",
            "#include <x>\nX::X(T<a, b<c> >& s): n(0) { }\n",
            "#include <x>\ntemplate <class T> Y<T>::Y(std::T<a, b<c> > *s, int k) { }\n",
            "template <class T> T** f(int n) { return new T*[n]; }\n",
            "void f(int n) { T<a, b> **p = new T<a, b> *[n]; use(new (p) a::b *const *{}, new int *(0)); }\n",
        ] {
            let program = Program::parse(Language::Cpp, text);
            assert!(!program.is_broken(), "{text}");
            assert_eq!(
                program.nodes_of_kind(Kind::BinaryExpression).filter(|node| node.text().contains("new")).count(),
                0
            );
            assert!(program.nodes_of_kind(Kind::TypeQualifier).all(|node| node.text() == "const"));
        }
        // Types say nothing about the pointers that were blanked out.
        let program = Program::parse(Language::Cpp, "void f() { auto p = new int*[2]; auto q = new int[2]; }");
        let mut made = program.nodes_of_kind(Kind::NewExpression).map(|node| types::of(program.scopes(), node));
        assert_eq!(made.next(), Some(Type::Unknown));
        assert!(matches!(made.next(), Some(Type::Pointer(_))));
    }

    #[test]
    fn macros_in_the_place_of_specifiers_are_nothing() {
        let text = "#ifdef __cplusplus\nextern \"C\" {\n#endif\nEXPORT void f(int a);\nBEGIN_DECLARATIONS\nint CALL g(void);\n\
                    FILE *file;\nUINT32 number;\n#ifdef __cplusplus\n}\n#endif\n";
        let program = check_mended(text);
        let types = program.nodes_of_kind(Kind::TypeIdentifier).map(|node| node.text()).collect::<Vec<_>>();
        assert_eq!(types, ["FILE", "UINT32"]);
        for text in [
            "namespace a { class EXPORT b : public c { b() NO_THROW; int d() const NO_THROW { return 1; } }; }",
            "EXPORT a::a(int b) : c(b) {}",
            "TEST_CASE(\"adds\", \"[a]\") { f(); }\nTEST_CASE(\"b\", \"\") { g(); }\n",
            "void f(const a &b = {}, int c = 1);",
        ] {
            assert!(!Program::parse(Language::Cpp, text).is_broken(), "{text}");
        }
    }

    #[test]
    fn directives_are_read_whatever_they_say() {
        check_mended("#define ENTRY(t) \\\n struct { \\\n t *next; /* the next one */ \\\n }\nint x;\n");
        check_mended("#if defined(A) && __has_include(<version>)\nint x;\n#elif HAS(\"a.h\")\nint y;\n#endif\n");
    }

    #[test]
    fn directives_may_end_in_blanks() {
        check_mended("#include <a.h> \t\n#ifndef A \n#define A \t\n#define B 1 \nint x; \n#endif \n");
    }

    #[test]
    fn a_macro_that_may_be_anything_stays_broken() {
        check_broken("void f(int k) { UNLESS(k) { g(); } }");
        check_broken("#define UNLESS(x) if (!(x))\nvoid f(int k) { UNLESS(k) { g(); } }");
    }

    #[test]
    fn variable_arguments_of_a_macro_may_have_a_name() {
        let program = check_mended("#define debug(format, args...) fprintf(stderr, format, args)\nint x;");
        assert_eq!(program.nodes_of_kind(Kind::PreprocFunctionDef).count(), 1);
    }
}
