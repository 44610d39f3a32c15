//! The words of a C or C++ text, without a grammar: what is needed to mend it and to find its parts when the grammar fails.

use std::collections::HashMap;
use std::ops::Range;

use crate::language::Language;

/// The words and marks of a C text outside comments, literals and directives.
pub(super) struct Words<'t> {
    text: &'t str,
    pub(super) list: Vec<Word>,
    /// The directives, in order, with the lines that continue them.
    pub(super) directives: Vec<Range<usize>>,
    /// The conditional directives, in order.
    pub(super) conditionals: Vec<(usize, Conditional)>,
    /// Are all brackets balanced?
    pub(super) is_balanced: bool,
    /// For each opening parenthesis that is closed within its statement, the index of the closing one.
    closings: HashMap<usize, usize>,
    /// The first word of the body of each function-like macro that the text defines.
    macros: HashMap<&'t str, &'t str>,
    /// The names that GNU's macros give to their variable arguments.
    pub(super) named_variable_arguments: Vec<Range<usize>>,
}

pub(super) struct Word {
    pub(super) range: Range<usize>,
    /// How many braces are open.
    pub(super) depth: usize,
    /// How many other brackets are open after it.
    pub(super) brackets: usize,
    /// Is it inside a function body or an initialiser?
    pub(super) is_in_code: bool,
    /// Is it the first word of its line?
    pub(super) starts_line: bool,
}

/// What a conditional directive does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Conditional {
    Opens,
    Separates,
    Closes,
}

impl<'t> Words<'t> {
    pub(super) fn of(text: &'t str) -> Words<'t> {
        let mut words = Words {
            text,
            list: Vec::new(),
            directives: Vec::new(),
            conditionals: Vec::new(),
            is_balanced: true,
            closings: HashMap::new(),
            macros: HashMap::new(),
            named_variable_arguments: Vec::new(),
        };
        // The open braces and other brackets at each `#if` that is still open.
        let mut outside: Vec<(usize, usize)> = Vec::new();
        // For each depth, the number of open braces that do not contain declarations.
        let mut open_code: Vec<usize> = Vec::new();
        let mut last_line_end = 0;
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut depth: usize = 0;
        let mut brackets: usize = 0;
        let mut is_line_start = true;
        while at < bytes.len() {
            let start = at;
            at = match bytes[at] {
                b'\n' => {
                    is_line_start = true;
                    last_line_end = at;
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
                    words.directives.push(at..end);
                    if let Some(conditional) = conditional(&text[at + 1..end]) {
                        words.conditionals.push((at, conditional));
                        match conditional {
                            Conditional::Opens => outside.push((depth, brackets)),
                            // Only one branch is compiled, so each starts at the depth of the `#if`.
                            Conditional::Separates => {
                                (depth, brackets) = outside.last().copied().unwrap_or((depth, brackets));
                            }
                            Conditional::Closes => _ = outside.pop(),
                        }
                    }
                    end
                }
                quote @ (b'"' | b'\'') => end_of_literal(bytes, at, quote),
                byte if is_word_byte(byte) => end_of_word(text, at),
                _ => at + 1,
            };
            let is_blank = bytes[start].is_ascii_whitespace();
            let is_skipped = bytes[start] == b'#' && is_line_start || bytes[start] == b'/' && at > start + 1;
            if !is_blank && !is_skipped {
                if bytes[start] == b'}' {
                    words.is_balanced &= depth > 0;
                    depth = depth.saturating_sub(1);
                }
                match bytes[start] {
                    b'(' | b'[' => brackets += 1,
                    b')' | b']' => {
                        words.is_balanced &= brackets > 0;
                        brackets = brackets.saturating_sub(1);
                    }
                    _ => (),
                }
                open_code.truncate(depth);
                let in_code = open_code.last().copied().unwrap_or(0);
                let is_in_code = in_code > 0;
                let starts_line = words.list.last().is_none_or(|last: &Word| last.range.end <= last_line_end);
                if bytes[start] == b'{' {
                    open_code.resize(depth, in_code);
                    open_code.push(in_code + usize::from(!words.opens_declarations()));
                }
                words.list.push(Word { range: start..at, depth, brackets, is_in_code, starts_line });
                if bytes[start] == b'{' {
                    depth += 1;
                }
            }
            is_line_start &= is_blank || is_skipped;
        }
        words.is_balanced &= depth == 0 && brackets == 0;
        words.note_closings();
        words
    }

    /// Does the next brace open a class or a namespace?
    fn opens_declarations(&self) -> bool {
        let head = (0..self.list.len())
            .rev()
            .map(|index| self.text(index))
            .take_while(|word| !matches!(*word, ";" | "{" | "}"));
        let mut is_named = false;
        for word in head {
            match word {
                "(" | ")" | "=" => return false,
                "class" | "struct" | "union" | "namespace" | "extern" => is_named = true,
                _ => (),
            }
        }
        is_named
    }

    fn note_closings(&mut self) {
        let mut open = Vec::new();
        for index in 0..self.list.len() {
            match self.text(index) {
                "(" => open.push(index),
                ")" => {
                    if let Some(opened) = open.pop() {
                        self.closings.insert(opened, index);
                    }
                }
                ";" | "{" | "}" => open.clear(),
                _ => (),
            }
        }
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
    pub(super) fn text(&self, index: usize) -> &'t str {
        self.list.get(index).map_or("", |word| &self.text[word.range.clone()])
    }

    /// Is this a name that could be a function's, followed by a parenthesis?
    pub(super) fn is_name(&self, index: usize) -> bool {
        let name = self.text(index);
        let is_word = name.bytes().next().is_some_and(|byte| is_word_byte(byte) && !byte.is_ascii_digit());
        is_word && self.text(index + 1) == "(" && !Language::C.facts().keywords.contains(&name)
    }

    /// The place of the parenthesis that closes the one at `open`, when no statement ends between them.
    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        self.closings.get(&open).copied()
    }

    /// Does a function's body start here, perhaps after declarations of its parameters?
    pub(super) fn starts_body(&self, index: usize) -> bool {
        if self.text(index) == "{" {
            return true;
        }
        let is_word = |index: usize| self.text(index).bytes().next().is_some_and(is_word_byte);
        let brace =
            (index..self.list.len()).find(|&at| !is_word(at) && !matches!(self.text(at), "*" | "," | ";" | "[" | "]"));
        is_word(index) && brace.is_some_and(|brace| self.text(brace) == "{" && self.text(brace - 1) == ";")
    }

    /// Is the macro certainly the head of a loop?
    pub(super) fn is_loop_macro(&self, name: &str) -> bool {
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

/// What the directive after its `#` does when it is a conditional one.
fn conditional(directive: &str) -> Option<Conditional> {
    let name = directive.trim_start_matches([' ', '\t']);
    let length = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    match &name[..length] {
        "if" | "ifdef" | "ifndef" => Some(Conditional::Opens),
        "else" | "elif" | "elifdef" | "elifndef" => Some(Conditional::Separates),
        "endif" => Some(Conditional::Closes),
        _ => None,
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The end of a word, of a number with its separators (`1'000`), or of a raw string, which starts like a word.
fn end_of_word(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    let is_word = |at: usize| bytes.get(at).is_some_and(|byte| is_word_byte(*byte));
    let is_separator = |at: usize| bytes[start].is_ascii_digit() && bytes.get(at) == Some(&b'\'') && is_word(at + 1);
    while is_word(at) || is_separator(at) {
        at += 1;
    }
    let is_raw = matches!(&text[start..at], "R" | "LR" | "uR" | "UR" | "u8R") && bytes.get(at) == Some(&b'"');
    // Only raw strings are searched: a search per word would take quadratic time.
    match is_raw.then(|| text[at..].find('(')).flatten() {
        Some(open) => {
            let close = format!("){}\"", &text[at + 1..at + open]);
            text[at + open..].find(&close).map_or(bytes.len(), |length| at + open + length + close.len())
        }
        None => at,
    }
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
