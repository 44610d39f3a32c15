//! Lines and their indentation.

use std::ops::Range;

use syntax::{Edit, Kind, Node, Program};

/// Puts `text` in the place of `node`, with a blank where it would grow together with what stands beside it:
/// `else{…}` becomes `else f();`, and `a-b` does not become `a--b`.
pub(crate) fn replace(node: Node<'_>, text: &str) -> Edit {
    replace_range(node.program(), node.range(), text)
}

/// Puts `text` in the place of the bytes of `range`, as [`replace`] does.
pub(crate) fn replace_range(program: &Program, range: Range<usize>, text: &str) -> Edit {
    let (before, after) = (&program.text()[..range.start], &program.text()[range.end..]);
    let left = if grows_together(before.chars().next_back(), text.chars().next()) { " " } else { "" };
    let right = if grows_together(text.chars().next_back(), after.chars().next()) { " " } else { "" };
    Edit { range, text: format!("{left}{text}{right}") }
}

/// Could the two characters belong to one token when they stand side by side?
fn grows_together(left: Option<char>, right: Option<char>) -> bool {
    let (Some(left), Some(right)) = (left, right) else { return false };
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '"' | '\'' | '`');
    let is_operator = |character: char| "+-*/%&|^<>=!~?:@#.".contains(character);
    is_word(left) && is_word(right) || is_operator(left) && is_operator(right)
}

/// The blanks and tabs at the start of the line that the byte `position` is in.
pub(crate) fn indentation(program: &Program, position: usize) -> &str {
    let line = &program.text()[line_start(program, position)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The first byte of the line that the byte `position` is in.
pub(crate) fn line_start(program: &Program, position: usize) -> usize {
    program.line_start(position)
}

/// Is there nothing but blanks and tabs before the node on its line?
pub(crate) fn starts_line(node: Node<'_>) -> bool {
    let program = node.program();
    let before = program.text()[..node.start()].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

/// The line break that the program uses.
pub(crate) fn line_break(program: &Program) -> &'static str {
    match program.text().find('\n') {
        Some(end) if program.text()[..end].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// One more level of indentation, as the program has it: that of its first indented line, or four blanks.
pub(crate) fn one_level(program: &Program) -> &str {
    let lines = program.text().lines();
    let indented = lines.map(|line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]);
    match indented.into_iter().find(|blanks| !blanks.is_empty()) {
        Some(blanks) if blanks.starts_with('\t') => "\t",
        Some(blanks) if blanks.len() <= 8 => blanks,
        _ => "    ",
    }
}

/// Indents every line that starts within `range` by `more`. Lines that start inside a string keep their text, and
/// empty lines stay empty.
pub(crate) fn indented(program: &Program, range: Range<usize>, more: &str) -> Vec<Edit> {
    let text = program.text();
    let starts = text[range.clone()].match_indices('\n').map(|(at, _)| range.start + at + 1);
    starts
        .filter(|start| *start < range.end && !matches!(text.as_bytes()[*start], b'\n' | b'\r'))
        .filter(|start| !is_inside_string(program, *start))
        .map(|start| Edit::insert(start, more))
        .collect()
}

/// Is the line break before `line_start` part of a string?
pub(crate) fn is_inside_string(program: &Program, line_start: usize) -> bool {
    let node = program.node_at(line_start - 1..line_start);
    std::iter::once(node).chain(node.ancestors()).any(|node| {
        matches!(
            node.kind(),
            Kind::String | Kind::StringLiteral | Kind::RawStringLiteral | Kind::TemplateString | Kind::CharLiteral
        )
    })
}
