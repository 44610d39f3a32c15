//! What C and C++ programs in data sets lack or have too much for the grammar, and how it is mended.
//!
//! The grammars know no preprocessor, and data sets lose line breaks and result types. A program that does
//! not parse for one of the reasons below is read in a slightly different form. What is put in has no
//! nodes, what is blanked out has none either, and every position refers to the original bytes:
//!
//! - `# include <stdio.h> int main() …` on one line: the line break after the header's name is put back;
//! - `main() { … }`: a function without its result type is read as if it said `int`;
//! - `static av_cold int f()`: words that are well-known macros for attributes are blanked out;
//! - `#define debug(args...)`: the name of GNU's variable arguments is blanked out;
//! - `rep(i, n) { … }`: a macro that is certainly the head of a loop, by its definition in the program or
//!   by a name like `QLIST_FOREACH`, is read as a loop of the kind [`Kind::MacroLoop`].
//!
//! [`Kind::MacroLoop`]: crate::kind::Kind::MacroLoop

use std::collections::HashMap;
use std::ops::Range;

use crate::language::Language;
use crate::reading::view::{Change, View};
use crate::words;

/// The mended text between the two texts; `None` when there is nothing to mend.
pub(crate) fn mended(language: Language, before: &str, text: &str, after: &str) -> Option<View> {
    let words = Words::of(text);
    let mut changes = line_breaks(text);
    changes.extend(result_types(language, &words));
    changes.extend(attributes(&words));
    changes.extend(loops(&words));
    (!changes.is_empty()).then(|| View::changed(before, text, after, changes))
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
        if words.starts_body(close + 1) {
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

/// The words and marks of a C text outside comments, literals and directives.
struct Words<'t> {
    text: &'t str,
    list: Vec<Word>,
    /// The first word of the body of each function-like macro that the text defines.
    macros: HashMap<&'t str, &'t str>,
    /// The names that GNU's macros give to their variable arguments.
    named_variable_arguments: Vec<Range<usize>>,
}

struct Word {
    range: Range<usize>,
    /// How many braces are open.
    depth: usize,
}

impl<'t> Words<'t> {
    fn of(text: &'t str) -> Words<'t> {
        let mut words = Words { text, list: Vec::new(), macros: HashMap::new(), named_variable_arguments: Vec::new() };
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut depth: usize = 0;
        let mut is_line_start = true;
        while at < bytes.len() {
            let start = at;
            at = match bytes[at] {
                b'\n' => {
                    is_line_start = true;
                    at + 1
                }
                byte if byte.is_ascii_whitespace() => at + 1,
                b'/' if bytes.get(at + 1) == Some(&b'/') => end_of_line(bytes, at),
                b'/' if bytes.get(at + 1) == Some(&b'*') => {
                    text[at + 2..].find("*/").map_or(bytes.len(), |length| at + length + 4)
                }
                b'#' if is_line_start => {
                    let end = end_of_line(bytes, at);
                    words.note_macro(at, &text[at..end]);
                    end
                }
                quote @ (b'"' | b'\'') => end_of_literal(bytes, at, quote),
                byte if is_word_byte(byte) => at + bytes[at..].iter().take_while(|byte| is_word_byte(**byte)).count(),
                _ => at + 1,
            };
            let is_blank = bytes[start].is_ascii_whitespace();
            let is_skipped = bytes[start] == b'#' && is_line_start || bytes[start] == b'/' && at > start + 1;
            if !is_blank && !is_skipped {
                if bytes[start] == b'}' {
                    depth = depth.saturating_sub(1);
                }
                words.list.push(Word { range: start..at, depth });
                if bytes[start] == b'{' {
                    depth += 1;
                }
            }
            is_line_start &= is_blank || is_skipped;
        }
        words
    }

    fn note_macro(&mut self, start: usize, directive: &'t str) {
        let Some(definition) = directive[1..].trim_start().strip_prefix("define") else { return };
        let definition = definition.trim_start();
        let name = &definition[..definition.bytes().take_while(|byte| is_word_byte(*byte)).count()];
        let Some(rest) = definition[name.len()..].strip_prefix('(') else { return };
        let Some((parameters, body)) = rest.split_once(')') else { return };
        if let Some(last) = parameters.trim_end().strip_suffix("...") {
            let name = last.rsplit(',').next().unwrap_or(last).trim();
            if !name.is_empty() {
                // Both are slices of one text, so the difference of their addresses is a distance in it.
                let offset = name.as_ptr() as usize - directive.as_ptr() as usize;
                self.named_variable_arguments.push(start + offset..start + offset + name.len());
            }
        }
        let body = body.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\\');
        let first = &body[..body.bytes().take_while(|byte| is_word_byte(*byte)).count()];
        self.macros.insert(name, first);
    }

    /// The text of a word; empty beyond the end.
    fn text(&self, index: usize) -> &'t str {
        self.list.get(index).map_or("", |word| &self.text[word.range.clone()])
    }

    /// Is this a name that could be a function's, followed by a parenthesis?
    fn is_name(&self, index: usize) -> bool {
        let name = self.text(index);
        let is_word = name.bytes().next().is_some_and(|byte| is_word_byte(byte) && !byte.is_ascii_digit());
        is_word && self.text(index + 1) == "(" && !Language::C.facts().keywords.contains(&name)
    }

    /// The place of the parenthesis that closes the one at `open`.
    fn closing(&self, open: usize) -> Option<usize> {
        if self.text(open) != "(" {
            return None;
        }
        let mut depth = 0;
        for index in open..self.list.len() {
            match self.text(index) {
                "(" => depth += 1,
                ")" => depth -= 1,
                ";" | "{" | "}" => return None,
                _ => (),
            }
            if depth == 0 {
                return Some(index);
            }
        }
        None
    }

    /// Does a function's body start here, perhaps after declarations of its parameters?
    fn starts_body(&self, index: usize) -> bool {
        if self.text(index) == "{" {
            return true;
        }
        let is_word = |index: usize| self.text(index).bytes().next().is_some_and(is_word_byte);
        let brace =
            (index..self.list.len()).find(|&at| !is_word(at) && !matches!(self.text(at), "*" | "," | ";" | "[" | "]"));
        is_word(index) && brace.is_some_and(|brace| self.text(brace) == "{" && self.text(brace - 1) == ";")
    }

    /// Is the macro certainly the head of a loop?
    fn is_loop_macro(&self, name: &str) -> bool {
        let mut name = name;
        // A macro may be defined by another one; the limit ends a circle.
        for _ in 0..8 {
            match self.macros.get(name) {
                Some(&("for" | "while")) => return true,
                Some(first) => name = first,
                None => {
                    let name = name.to_ascii_lowercase();
                    return name.contains("foreach") || name.contains("for_each");
                }
            }
        }
        false
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The end of a line that may be continued by a backslash.
fn end_of_line(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { if bytes.get(at + 1) == Some(&b'\r') { 3 } else { 2 } } else { 1 };
    }
    at.min(bytes.len())
}

fn end_of_literal(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
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
