//! Changes of layout that mean nothing: comments and blank lines where a language allows them.

use std::ops::Range;

use proptest::sample::Index;
use syntax::{Edit, Kind, Language, Program, SymbolId, Target, Token, TokenKind};

/// Inserts comments and blank lines at some of the places where they mean nothing, and compares the names.
#[track_caller]
pub fn check_stable(language: Language, text: &str, picks: &[(Index, Index)]) {
    let program = Program::parse(language, text);
    assert!(!program.is_broken(), "{language} does not read\n{text}");
    let places = places(&program);
    if places.is_empty() {
        return;
    }
    let edits: Vec<Edit> = picks
        .iter()
        .map(|(place, insertion)| {
            let place = place.get(&places);
            let insertion: &str = insertion.get::<&str>(insertions(language, place.starts_line));
            // The grammar of Python trips over some comments that are indented otherwise than their line.
            let is_note = language == Language::Python && insertion.starts_with('#');
            let indentation = if is_note { indentation(&text[place.position..]) } else { "" };
            Edit::insert(place.position, [indentation, insertion].concat())
        })
        .collect();
    let changed = program.edited(&edits).expect("insertions never overlap");
    assert!(!changed.is_broken(), "{language} no longer reads\n{}", changed.text());
    assert_eq!(answers(&changed), answers(&program), "{language}, {edits:?}\n{}", changed.text());
}

struct Place {
    position: usize,
    /// Does a line start here? Then a whole line can be put before it.
    starts_line: bool,
}

fn insertions(language: Language, starts_line: bool) -> &'static [&'static str] {
    match (language, starts_line) {
        (Language::Python, true) => &["\n", "# note\n", "\r\n", "   \n"],
        (Language::Python, false) => &[" "],
        (_, true) => &["\n", "// note\n", "/* note\n * more */\n", "   \t\n", "/* note */ "],
        // A line break can end a statement of JavaScript. In C a word alone on its line may be a macro, and
        // a program that may be misread is refused.
        (Language::JavaScript | Language::C | Language::Cpp, false) => &[" /* note */", " /**/ ", " "],
        (Language::Java, false) => &[" /* note */", " /**/ ", "\n", " // note\n"],
    }
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Where comments and blank lines mean nothing. Places at which that is hard to tell are left out.
fn places(program: &Program) -> Vec<Place> {
    let tokens = program.tokens();
    let mut places = Vec::new();
    for pair in tokens.windows(2) {
        let gap = pair[0].range.end..pair[1].range.start;
        if is_in_text(program, pair[0].range.start..pair[1].range.end) {
            continue;
        }
        let space = &program.text()[gap.clone()];
        if let Some(at) = space.find('\n') {
            // A backslash before the line break continues the line.
            if !space[..at].trim_end_matches('\r').ends_with('\\') {
                places.push(Place { position: gap.start + at + 1, starts_line: true });
            }
        }
        if is_free_inside(program, &pair[0], &pair[1]) {
            places.push(Place { position: gap.start, starts_line: false });
        }
    }
    places
}

/// May something stand right after the first of two tokens, on its line?
fn is_free_inside(program: &Program, one: &Token<'_>, other: &Token<'_>) -> bool {
    let is_mark = |token: &Token<'_>| token.kind == TokenKind::Punctuation;
    let is_apart = one.range.end < other.range.start || is_mark(one) || is_mark(other);
    let is_plain = |token: &Token<'_>| !matches!(token.kind, TokenKind::Comment | TokenKind::Directive);
    is_apart && is_plain(one) && is_plain(other) && !is_on_line_of_directive(program, one.range.end)
}

fn is_on_line_of_directive(program: &Program, position: usize) -> bool {
    let before = &program.text()[..position];
    let mut line = before.rfind('\n').map_or(0, |at| at + 1);
    while before[..line].trim_end_matches(['\n', '\r']).ends_with('\\') {
        line = before[..line - 1].rfind('\n').map_or(0, |at| at + 1);
    }
    before[line..].trim_start().starts_with('#')
}

/// Does the smallest node around `range` lie in a text, where white space counts?
fn is_in_text(program: &Program, range: Range<usize>) -> bool {
    let node = program.node_at(range);
    [node].into_iter().chain(node.ancestors()).any(|node| {
        matches!(
            node.kind(),
            Kind::String
                | Kind::StringLiteral
                | Kind::TemplateString
                | Kind::RawStringLiteral
                | Kind::UserDefinedLiteral
                | Kind::Regex
                | Kind::JsxElement
                | Kind::JsxSelfClosingElement
        )
    })
}

/// For each identifier its name, what it stands for, and whether it declares it. A symbol is called by its
/// number in the order of the first mentions.
fn answers(program: &Program) -> Vec<(String, String, bool)> {
    let scopes = program.scopes();
    let mut mentioned: Vec<SymbolId> = Vec::new();
    let mut answers = Vec::new();
    for reference in scopes.references() {
        let target = match reference.target {
            Target::Symbol(symbol) => {
                let place = mentioned.iter().position(|other| *other == symbol).unwrap_or_else(|| {
                    mentioned.push(symbol);
                    mentioned.len() - 1
                });
                format!("{} {place}", scopes.symbol(symbol).kind.name())
            }
            Target::Outside => "outside".to_owned(),
            Target::Member => "member".to_owned(),
            Target::Unknown => "unknown".to_owned(),
        };
        answers.push((program.node(reference.node).text().to_owned(), target, reference.declares));
    }
    answers
}
