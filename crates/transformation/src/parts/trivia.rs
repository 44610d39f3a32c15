//! What stands between the tokens: comments, blanks and line breaks, and where they mean something.

use std::ops::Range;

use syntax::names::is_reserved;
use syntax::{Field, Kind, Language, Node, Program, SymbolKind, Target, words};

use super::layout::line_start;
use super::statements::is_statement_list;

/// The stretches of a program whose blanks and line breaks are not layout: strings, templates, comments, mark-up.
pub(crate) struct Solid(Vec<Range<usize>>);

impl Solid {
    /// Finds them, in one walk.
    pub(crate) fn of(program: &Program) -> Solid {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for node in program.nodes().filter(|node| is_solid(node.kind())) {
            // Nodes come in text order, parents first.
            if ranges.last().is_none_or(|last| last.end <= node.start()) {
                ranges.push(node.range());
            }
        }
        Solid(ranges)
    }

    /// Does the byte before and the byte at `position` belong to one such stretch?
    pub(crate) fn covers(&self, position: usize) -> bool {
        let behind = self.0.partition_point(|range| range.start < position);
        behind > 0 && position < self.0[behind - 1].end
    }

    /// Is the byte at `position` part of such a stretch?
    pub(crate) fn holds(&self, position: usize) -> bool {
        let behind = self.0.partition_point(|range| range.start <= position);
        behind > 0 && position < self.0[behind - 1].end
    }
}

fn is_solid(kind: Kind) -> bool {
    kind.is_comment() || is_text(kind)
}

/// Strings and mark-up, with the code inside them.
fn is_text(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::String
            | Kind::StringLiteral
            | Kind::RawStringLiteral
            | Kind::TemplateString
            | Kind::CharLiteral
            | Kind::CharacterLiteral
            | Kind::SystemLibString
            | Kind::Regex
            | Kind::JsxElement
            | Kind::JsxSelfClosingElement
            | Kind::HashBangLine
    )
}

/// Is the node inside a string, a template or mark-up?
pub(crate) fn is_in_text(node: Node<'_>) -> bool {
    node.ancestors().any(|around| is_text(around.kind()))
}

/// Can a program see on which line it stands? Then no line may come or go.
pub(crate) fn sees_its_lines(program: &Program) -> bool {
    let words: &[&str] = match program.language() {
        Language::C | Language::Cpp => &["__LINE__", "source_location"],
        Language::Java => &["getLineNumber", "StackTraceElement"],
        Language::Python => &["lineno", "getsource", "inspect"],
        Language::JavaScript => &[".stack", "lineNumber"],
    };
    words.iter().any(|word| program.text().contains(word))
}

/// May a line come or go at `position`? Python looks for the encoding in the first two lines.
pub(crate) fn may_shift_lines(program: &Program, position: usize) -> bool {
    match program.language() {
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => true,
        Language::Python => {
            let text = program.text();
            let third = text.match_indices('\n').nth(2).map_or(text.len(), |(at, _)| at + 1);
            position >= third || !text.lines().take(4).any(|line| line.contains("coding"))
        }
    }
}

/// The end of the line that the byte `position` is in, without its line break.
pub(crate) fn line_end(program: &Program, position: usize) -> usize {
    let text = program.text();
    let end = text[position..].find('\n').map_or(text.len(), |length| position + length);
    if end > position && text[..end].ends_with('\r') { end - 1 } else { end }
}

/// The start of the next line; the end of the text on the last line.
pub(crate) fn next_line(program: &Program, position: usize) -> usize {
    let text = program.text();
    text[position..].find('\n').map_or(text.len(), |length| position + length + 1)
}

/// Does the line before the one that starts at `line_start` go on in it, after a backslash?
pub(crate) fn follows_continuation(program: &Program, line_start: usize) -> bool {
    let before = &program.text()[..line_start];
    let line = before.strip_suffix('\n').unwrap_or(before);
    let line = line.strip_suffix('\r').unwrap_or(line);
    line_start > 0 && (line.ends_with('\\') || line.ends_with("??/"))
}

/// Could the text around `range`, on its lines and on those that they continue, belong to a directive of the
/// preprocessor? Every line with a `#` counts, which is more than needed and never too little.
pub(crate) fn is_on_directive(program: &Program, range: Range<usize>) -> bool {
    if !program.language().has_preprocessor() {
        return false;
    }
    let mut start = line_start(program, range.start);
    while follows_continuation(program, start) {
        start = line_start(program, start - 1);
    }
    let text = program.text();
    let end = line_end(program, range.end);
    let around = [&text[start..range.start], &text[range.end..end]];
    around.iter().any(|text| text.contains('#') || text.contains("%:") || text.contains("??="))
        || text[..end].ends_with('\\')
}

/// Is the node an argument of what may be a macro of C or C++, which could turn it into a string?
pub(crate) fn may_be_stringified(node: Node<'_>) -> bool {
    let program = node.program();
    program.language().has_preprocessor()
        && node.ancestors().any(|around| {
            let is_arguments = around.kind() == Kind::ArgumentList;
            let call = around.parent().filter(|call| is_arguments && call.kind() == Kind::CallExpression);
            let callee = call.and_then(|call| call.child(Field::Function));
            callee.is_some_and(|callee| callee.kind() == Kind::Identifier && !is_function(callee))
        })
}

fn is_function(callee: Node<'_>) -> bool {
    let program = callee.program();
    match program.scopes().target(callee) {
        Some(Target::Symbol(symbol)) => program.scopes().symbol(symbol).kind == SymbolKind::Function,
        _ => is_reserved(program.language(), callee.text()) && callee.text() != "assert",
    }
}

/// Statements, members of classes and declarations of the file: what stands in a list of its likes. Directives are
/// left out, and so is what stands inside strings and mark-up.
pub(crate) fn listed(program: &Program) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    for list in program.nodes().filter(|node| is_list(*node) && !is_in_text(*node)) {
        found.extend(list.named_children().filter(|node| {
            !node.kind().is_directive()
                && !matches!(node.kind(), Kind::SwitchLabel | Kind::HashBangLine)
                && node.role() != Field::Value
                && !node.range().is_empty()
        }));
    }
    found.sort_by_key(|node| (node.start(), node.id()));
    found.dedup_by_key(|node| node.start());
    found
}

fn is_list(node: Node<'_>) -> bool {
    is_statement_list(node)
        || matches!(
            node.kind(),
            Kind::Program | Kind::Module | Kind::TranslationUnit | Kind::ClassBody | Kind::FieldDeclarationList
        )
        || node.program().language() == Language::Python && node.kind() == Kind::Block
}

/// The comments that can be taken away or moved: those that nobody but a reader looks at.
///
/// Left out are comments on the lines of directives, comments inside strings and mark-up, the licence at the top of
/// the file, and comments that mean something to a tool.
pub(crate) fn plain_comments(program: &Program) -> Vec<Node<'_>> {
    let first_code = program.root().named_children().next().map_or(program.text().len(), |node| node.start());
    let comments = || program.nodes().filter(|node| node.kind().is_comment() && node.kind() != Kind::HtmlComment);
    let has_licence = comments().take_while(|node| node.end() <= first_code).any(|node| is_licence(node.text()));
    comments()
        .filter(|node| !(has_licence && node.end() <= first_code))
        .filter(|node| !is_meaningful(program.language(), node.text()))
        .filter(|node| !is_in_text(*node) && !is_on_directive(program, node.range()))
        .filter(|node| !follows_continuation(program, line_start(program, node.start())))
        .filter(|node| !node.ancestors().any(|around| is_directive_line(around.kind())))
        .collect()
}

/// Directives that end with their line.
fn is_directive_line(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::PreprocArg
            | Kind::PreprocCall
            | Kind::PreprocDef
            | Kind::PreprocFunctionDef
            | Kind::PreprocInclude
            | Kind::PreprocDirective
    )
}

fn is_licence(comment: &str) -> bool {
    let comment = comment.to_lowercase();
    ["licen", "copyright", "(c)", "all rights", "spdx"].iter().any(|word| comment.contains(word))
}

/// Does a compiler, linter, formatter or other tool read the comment?
fn is_meaningful(language: Language, comment: &str) -> bool {
    const WORDS: &[&str] = words!(
        "#! //# //@ /*# /*@ -*- <!-- --> @cc_on @deprecated @flow @formatter @jsx @lic @license @preserve @ts-
         __pure__ argsused checkstyle clang coding: coding= copyright cppcheck cython: eslint fall-through
         fallthrough fallthru fmt: isort istanbul jshint jslint language= lcov licen lint mypy noinspection noqa
         nosec nosonar notreached pragma prettier pylint pyright sourcemappingurl sourceurl suppress type: tofill
         vim: webpack yapf $non-nls pyre-"
    );
    const PHRASES: [&str; 6] = ["c8 ignore", "exported ", "fall through", "falls through", "global ", "globals "];
    let small = comment.to_lowercase();
    let is_read = |word: &&str| small.contains(*word);
    // A backslash can continue the line of a comment, and Java reads `\u000a` as the end of it.
    let has_escape = match language {
        Language::Java => comment.contains("\\u"),
        Language::C | Language::Cpp => comment.ends_with('\\') || comment.contains("??/"),
        Language::Python | Language::JavaScript => false,
    };
    has_escape || WORDS.iter().chain(&PHRASES).any(is_read)
}

/// The bytes of a comment without the first half of the line break `\r\n`, which some grammars take for its last byte.
pub(crate) fn extent(comment: Node<'_>) -> Range<usize> {
    comment.start()..comment.start() + comment.text().trim_end_matches('\r').len()
}

/// Is there nothing but blanks and tabs between the bytes?
pub(crate) fn is_blank(program: &Program, range: Range<usize>) -> bool {
    program.text()[range].bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}
