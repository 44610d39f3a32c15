//! The tokens of a program: what a lexer of the language would give, comments included.

use std::ops::Range;

use crate::kind::Kind;
use crate::program::Program;
use crate::tree::Node;

/// A token of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'p> {
    pub kind: TokenKind,
    pub text: &'p str,
    /// Its bytes in the program.
    pub range: Range<usize>,
}

/// A kind of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TokenKind {
    /// A name.
    Identifier,
    /// A reserved word, a built-in type's name or a literal word such as `true`.
    Keyword,
    Number,
    /// A string or character literal, a regular expression, or a piece of text between interpolations.
    Text,
    Operator,
    /// A bracket, comma, semicolon or dot.
    Punctuation,
    Comment,
    /// A part of a preprocessor line that is not parsed further, or a macro that expands to an attribute.
    Directive,
}

/// Lists the tokens in text order. White space, line continuations and Python's indentation are the
/// gaps between them.
pub(crate) fn tokens(program: &Program) -> Vec<Token<'_>> {
    let mut tokens = Vec::with_capacity(program.tree().len() / 2);
    let mut covered = 0;
    let word = |range: &Range<usize>| Token {
        kind: TokenKind::Directive,
        text: &program.text()[range.clone()],
        range: range.clone(),
    };
    let mut blanked = program.tree().blanked.iter().peekable();
    let mut formats = Vec::new();
    // The root of an empty program is a leaf, and still no token.
    for node in program.nodes().skip(1) {
        if node.kind() == Kind::FormatSpecifier {
            formats.extend(texts_of_format(node));
        }
        // A literal is one token although the grammar divides it further.
        if node.start() < covered || node.range().is_empty() {
            continue;
        }
        let Some(kind) = kind(node) else { continue };
        covered = node.end();
        while let Some(range) = blanked.next_if(|range| range.start < node.start()) {
            tokens.push(word(range));
        }
        tokens.push(Token { kind, text: node.text(), range: node.range() });
    }
    tokens.extend(blanked.map(word));
    if !formats.is_empty() {
        tokens.extend(formats);
        tokens.sort_by_key(|token| token.range.start);
    }
    tokens
}

/// The pieces of text in a format of Python, such as `>` in `{name:>{width}}`: the grammar has no nodes for them.
fn texts_of_format(format: Node<'_>) -> Vec<Token<'_>> {
    let ends = format.children().map(|child| child.end());
    let starts = format.children().map(|child| child.start()).skip(1).chain([format.end()]);
    let pieces = ends.zip(starts).map(|(start, end)| start..end).filter(|range| !range.is_empty());
    let text = format.program().text();
    pieces.map(|range| Token { kind: TokenKind::Text, text: &text[range.clone()], range }).collect()
}

/// The kind of the token that `node` is, or `None` when the tokens are inside it or it is white space.
fn kind(node: Node<'_>) -> Option<TokenKind> {
    let kind = node.kind();
    if kind.is_identifier() {
        return Some(TokenKind::Identifier);
    }
    if kind.is_comment() {
        return Some(TokenKind::Comment);
    }
    let is_leaf = node.children().next().is_none();
    match kind {
        Kind::StringLiteral | Kind::String | Kind::TemplateString | Kind::RawStringLiteral => {
            let has_code = |child: Node<'_>| {
                matches!(child.kind(), Kind::Interpolation | Kind::TemplateSubstitution | Kind::StringInterpolation)
            };
            (!node.children().any(has_code)).then_some(TokenKind::Text)
        }
        Kind::CharLiteral
        | Kind::CharacterLiteral
        | Kind::SystemLibString
        | Kind::Regex
        | Kind::StringContent
        | Kind::StringFragment
        | Kind::MultilineStringFragment
        | Kind::StringStart
        | Kind::StringEnd
        | Kind::EscapeSequence
        | Kind::JsxText => Some(TokenKind::Text),
        Kind::NumberLiteral
        | Kind::Number
        | Kind::Integer
        | Kind::Float
        | Kind::DecimalIntegerLiteral
        | Kind::HexIntegerLiteral
        | Kind::OctalIntegerLiteral
        | Kind::BinaryIntegerLiteral
        | Kind::DecimalFloatingPointLiteral
        | Kind::HexFloatingPointLiteral => Some(TokenKind::Number),
        Kind::PreprocArg | Kind::PreprocDirective => Some(TokenKind::Directive),
        _ if is_leaf => mark(node.text()),
        _ => None,
    }
}

fn mark(text: &str) -> Option<TokenKind> {
    match text.trim_start().as_bytes().first()? {
        b'#' => Some(TokenKind::Directive),
        b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' => Some(TokenKind::Punctuation),
        b'.' if text == "." => Some(TokenKind::Punctuation),
        b'"' | b'\'' | b'`' => Some(TokenKind::Text),
        first if first.is_ascii_alphabetic() || *first == b'_' || *first >= 0x80 => Some(TokenKind::Keyword),
        b'\\' => None,
        _ => Some(TokenKind::Operator),
    }
}
