//! Programs as lines of words with the colours of their tokens.

use std::ops::Range;

use syntax::token::TokenKind;
use syntax::{Language, Program};

/// A line of a program.
pub struct Line<'p> {
    /// Its text without the line break.
    pub text: &'p str,
    /// Its words: they cover the line from its start to its end.
    pub words: Vec<Word<'p>>,
}

/// A piece of a line: a token, a piece of a long one, or the blanks between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'p> {
    /// Its text.
    pub text: &'p str,
    /// The letter of its colour, see [`PLAIN`].
    pub colour: char,
}

/// What has no colour of its own: blanks, operators and punctuation. The others are `k`eywords, `n`ames, `d`igits, `s`trings,
/// `c`omments and what the `p`reprocessor reads.
pub const PLAIN: char = '.';

/// The lines of a program.
pub fn lines(text: &str, language: Language) -> Vec<Line<'_>> {
    let tokens = coloured(text, language);
    let mut tokens = tokens.iter().peekable();
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let end = start + line.len();
        let mut words = Vec::new();
        let mut place = start;
        while let Some((range, colour)) = tokens.peek() {
            if range.start >= end {
                break;
            }
            let (from, to) = (range.start.max(place), range.end.min(end));
            push_pieces(&mut words, &text[place..from], PLAIN);
            push_pieces(&mut words, &text[from..to.max(from)], *colour);
            place = to.max(from);
            // A token of several lines goes on in the next one.
            if range.end > end {
                break;
            }
            tokens.next();
        }
        push_pieces(&mut words, &text[place..end], PLAIN);
        lines.push(Line { text: line, words });
        start = end + 1;
    }
    lines
}

/// The tokens of a program that have a colour or are a word of their own, in order.
fn coloured(text: &str, language: Language) -> Vec<(Range<usize>, char)> {
    let program = Program::parse(language, text);
    let colour = |kind: TokenKind| match kind {
        TokenKind::Identifier => 'n',
        TokenKind::Keyword => 'k',
        TokenKind::Number => 'd',
        TokenKind::Text => 's',
        TokenKind::Comment => 'c',
        TokenKind::Directive => 'p',
        TokenKind::Operator | TokenKind::Punctuation => PLAIN,
    };
    let mut end = 0;
    let mut tokens: Vec<(Range<usize>, char)> =
        program.tokens().into_iter().map(|token| (token.range, colour(token.kind))).collect();
    // What a mended reading says about a place twice is said once.
    tokens.retain(|(range, _)| {
        let is_behind = range.start >= end && range.end <= text.len();
        if is_behind {
            end = range.end;
        }
        is_behind && text.is_char_boundary(range.start) && text.is_char_boundary(range.end)
    });
    tokens
}

/// Blanks and what is between them, so that a word changed in a long comment is seen as one.
fn push_pieces<'p>(words: &mut Vec<Word<'p>>, text: &'p str, colour: char) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_blank = first.is_whitespace();
        let end = rest.find(|character: char| character.is_whitespace() != is_blank).unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(end);
        words.push(Word { text: piece, colour: if is_blank { PLAIN } else { colour } });
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, language: Language) -> Vec<String> {
        let words = |line: &Line<'_>| {
            assert_eq!(line.words.iter().map(|word| word.text).collect::<String>(), line.text);
            line.words.iter().map(|word| format!("{}{}", word.colour, word.text)).collect::<Vec<_>>().join("|")
        };
        lines(text, language).iter().map(words).collect()
    }

    #[test]
    fn tokens_have_colours() {
        let text = "int f(int n) { return 10; } /* a\n b */ char *s = \"x y\";";
        assert_eq!(
            shown(text, Language::C),
            [
                "kint|. |nf|.(|kint|. |nn|.)|. |.{|. |kreturn|. |d10|.;|. |.}|. |c/*|. |ca",
                ". |cb|. |c*/|. |kchar|. |.*|ns|. |.=|. |s\"x|. |sy\"|.;",
            ]
        );
    }

    #[test]
    fn every_text_has_lines() {
        assert_eq!(shown("", Language::Python), [""]);
        assert_eq!(shown("a b\r\n", Language::Python), ["na|. |nb|.\r", ""]);
        for text in ["int (", "}}}}", "\u{feff}int é = '\0';\r\n\u{202e}", "x = '''\n\n'''\n"] {
            for language in Language::ALL {
                shown(text, language);
            }
        }
    }
}
