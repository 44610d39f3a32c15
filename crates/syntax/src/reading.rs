//! How a text is read: as a file, or in the context that makes a fragment parse.
//!
//! Data sets hold fragments as often as files: a constructor without its class, a few statements, an
//! indented method. The grammars read some of these as they are; the others are read inside a small
//! piece of program text that makes them whole. The first reading in the language's list that is clean
//! wins; when none is, the text is broken, and the reading as a file says where.

pub(crate) mod view;
mod work;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::{ControlFlow, Range};

use view::{Change, View};

use crate::edit::Edit;
use crate::kind::Kind;
use crate::language::Language;
use crate::languages::c::casts;
use crate::languages::{c, java, javascript, python};
use crate::tree::{Tree, Verdict};

/// What a text was taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// A whole file, or a fragment that the grammar accepts at the top of a file.
    File,
    /// Members of a class that is not there.
    Members,
    /// Statements of a function that is not there.
    Statements,
}

/// The size up to which a text is also tried as a fragment. The limit is lower in C and C++: their files can be read in parts, and
/// trying them as fragments first would double the time.
fn largest_fragment(language: Language) -> usize {
    if language.has_preprocessor() { 1 << 15 } else { 1 << 20 }
}

/// Deeper trees are reported as broken, so that every later walk may use the call stack.
///
/// A thousand levels are far beyond what people write (the deepest program of the data sets named in
/// EVIDENCE.md has 209) and far below what overflows a thread's stack.
pub(crate) const DEEPEST_TREE: usize = 1000;

/// Positions are 32 bits wide, and the parser's are too.
const LONGEST_TEXT: usize = u32::MAX as usize / 2;

pub(crate) struct Reading {
    pub(crate) context: Context,
    pub(crate) tree: Tree,
    /// The parser's own tree, where an edited text can be read anew with its help: a file as it came.
    pub(crate) parsed: Option<tree_sitter::Tree>,
    /// Are there parts that were left unread because they do not parse?
    pub(crate) lacks_parts: bool,
}

/// Reads `text` in the first context that makes it parse cleanly.
pub(crate) fn read(language: Language, text: &str) -> Reading {
    let contexts = if text.len() > largest_fragment(language) { &[Context::File] } else { contexts(language) };
    let mut as_file = None;
    // A mended file is more likely than a fragment, and reading takes time.
    for &context in contexts {
        for is_mended in [false, true] {
            let Some((tree, parsed)) = read_in(language, text, context, is_mended, None) else { continue };
            if tree.first_error.is_none() {
                // With JavaScript's semicolons that are not there, the parser's second reading is not always the first.
                let is_as_it_came = context == Context::File && !is_mended && language != Language::JavaScript;
                return Reading { context, tree, parsed: parsed.filter(|_| is_as_it_came), lacks_parts: false };
            }
            as_file.get_or_insert(tree);
        }
    }
    if let Some(reading) = read_without_parts(language, text) {
        return reading;
    }
    let tree = as_file.expect("a file has no context to break out of");
    Reading { context: Context::File, tree, parsed: None, lacks_parts: false }
}

/// Reads the edited text of a program with unread parts. Edits do not touch those, so they stay unread.
pub(crate) fn read_in_parts_again(language: Language, text: &str) -> Reading {
    read_without_parts(language, text).unwrap_or_else(|| read(language, text))
}

/// Reads a text that edits have made of `before`, with the help of the tree of `before`: the parser only reads what the
/// edits have touched. The answer is the one that [`read`] gives.
pub(crate) fn read_again(
    language: Language,
    before: &str,
    parsed: &tree_sitter::Tree,
    edits: &[Edit],
    text: &str,
) -> Reading {
    let mut parsed = parsed.clone();
    let lines: Vec<usize> = std::iter::once(0).chain(before.match_indices('\n').map(|(at, _)| at + 1)).collect();
    // The row and the column in bytes, both from 0, of a position.
    let point = |position: usize| {
        let row = lines.partition_point(|start| *start <= position) - 1;
        tree_sitter::Point::new(row, position - lines[row])
    };
    let mut order: Vec<&Edit> = edits.iter().collect();
    // From the right, so that the positions of what is still to come stay true.
    order.sort_by_key(|edit| std::cmp::Reverse((edit.range.start, edit.range.end)));
    for edit in order {
        let start_position = point(edit.range.start);
        parsed.edit(&tree_sitter::InputEdit {
            start_byte: edit.range.start,
            old_end_byte: edit.range.end,
            new_end_byte: edit.range.start + edit.text.len(),
            start_position,
            old_end_position: point(edit.range.end),
            new_end_position: after(start_position, &edit.text),
        });
    }
    match read_in(language, text, Context::File, false, Some(&parsed)) {
        Some((tree, parsed)) if tree.first_error.is_none() => {
            Reading { context: Context::File, tree, parsed, lacks_parts: false }
        }
        // Only the whole list of readings tells what such a text is.
        _ => read(language, text),
    }
}

/// Where a text ends that starts at `start`.
fn after(start: tree_sitter::Point, text: &str) -> tree_sitter::Point {
    match text.rfind('\n') {
        Some(last) => tree_sitter::Point::new(start.row + text.matches('\n').count(), text.len() - last - 1),
        None => tree_sitter::Point::new(start.row, start.column + text.len()),
    }
}

fn contexts(language: Language) -> &'static [Context] {
    match language {
        Language::Java => &[Context::File, Context::Members],
        Language::C => &[Context::File, Context::Statements],
        Language::Cpp => &[Context::File, Context::Members, Context::Statements],
        Language::Python => &[Context::File],
        Language::JavaScript => &[Context::File, Context::Members],
    }
}

/// The text before and after a fragment. What follows starts on a line of its own, because the
/// fragment may end in a line comment.
fn around(language: Language, context: Context) -> (&'static str, &'static str) {
    match (language, context) {
        (_, Context::File) => ("", ""),
        (Language::Cpp, Context::Members) => ("class A {\n", "\n};"),
        (_, Context::Members) => ("class A {\n", "\n}"),
        (_, Context::Statements) => ("void f() {\n", "\n}"),
    }
}

/// Reads a C or C++ file without the parts that do not parse on their own; `None` if the rest does not parse either.
fn read_without_parts(language: Language, text: &str) -> Option<Reading> {
    if !language.has_preprocessor() || text.len() > LONGEST_TEXT {
        return None;
    }
    let mut changes = mends(language, text).unwrap_or_default();
    let is_within = |change: &Change, part: &Range<usize>| part.start <= change.at.start && change.at.end <= part.end;
    let is_read = |part: &Range<usize>| {
        let shifted = |change: &Change| Change {
            at: change.at.start - part.start..change.at.end - part.start,
            text: change.text,
        };
        let own = changes.iter().filter(|change| is_within(change, part)).map(shifted).collect();
        is_read_alone(language, &text[part.clone()], own)
    };
    let (read, unread): (Vec<Range<usize>>, Vec<Range<usize>>) = c::unread::parts(text)?.into_iter().partition(is_read);
    if read.is_empty() || unread.is_empty() {
        return None;
    }
    changes.retain(|change| !unread.iter().any(|part| is_within(change, part)));
    changes.extend(unread.into_iter().map(|at| Change { at, text: "" }));
    let (tree, _) = read_changed(language, text, Context::File, changes, None)?;
    let is_clean = tree.first_error.is_none();
    is_clean.then_some(Reading { context: Context::File, tree, parsed: None, lacks_parts: true })
}

/// Does a part parse on its own? Rewrites change one part of many, so recent answers are cached.
fn is_read_alone(language: Language, part: &str, changes: Vec<Change>) -> bool {
    const MOST_ANSWERS: usize = 10_000;
    thread_local! {
        static ANSWERS: RefCell<HashMap<u64, bool>> = RefCell::new(HashMap::new());
    }
    let mut hasher = DefaultHasher::new();
    (language, part).hash(&mut hasher);
    changes.iter().for_each(|change| (&change.at, change.text).hash(&mut hasher));
    let key = hasher.finish();
    if let Some(answer) = ANSWERS.with_borrow(|answers| answers.get(&key).copied()) {
        return answer;
    }
    let read = read_changed(language, part, Context::File, changes, None);
    let answer = read.is_some_and(|(tree, _)| tree.first_error.is_none());
    ANSWERS.with_borrow_mut(|answers| {
        if answers.len() >= MOST_ANSWERS {
            answers.clear();
        }
        answers.insert(key, answer);
    });
    answer
}

/// Reads in one context; `None` when it does not apply or the fragment breaks out of it.
fn read_in(
    language: Language,
    text: &str,
    context: Context,
    is_mended: bool,
    old: Option<&tree_sitter::Tree>,
) -> Option<(Tree, Option<tree_sitter::Tree>)> {
    if text.len() > LONGEST_TEXT || is_too_deep(language, text) {
        return Some((refused(language, text.len()), None));
    }
    let changes = match is_mended {
        true => mends(language, text)?,
        false => Vec::new(),
    };
    read_changed(language, text, context, changes, old)
}

/// Reads a text with changes that only the parser sees.
fn read_changed(
    language: Language,
    text: &str,
    context: Context,
    mut changes: Vec<Change>,
    old: Option<&tree_sitter::Tree>,
) -> Option<(Tree, Option<tree_sitter::Tree>)> {
    // What includes headers is a file, even where the grammar happens to take it for the inside of a class.
    if language == Language::Cpp && context == Context::Members && text.contains("#include") {
        return None;
    }
    let (before, after) = around(language, context);
    let without_mark: Cow<'_, str> = match text.strip_prefix('\u{feff}') {
        // The parser skips a byte order mark at the very start only; three blanks take its place.
        Some(rest) => Cow::Owned(["   ", rest].concat()),
        None => Cow::Borrowed(text),
    };
    let mut as_it_came = None;
    for round in 0.. {
        let view = View::changed(before, &without_mark, after, changes.clone());
        let Some(parsed) = parse(language, &view.text, old.filter(|_| round == 0)) else {
            return Some((refused(language, text.len()), None));
        };
        let (mut tree, doubts) = flatten(language, &parsed, &view, text, context)?;
        let is_uneven =
            language == Language::Python && python::misreadings::is_unevenly_indented(&view.text, parsed.root_node());
        if tree.first_error.is_none() && (parsed.root_node().has_error() || is_uneven || tree.depth > DEEPEST_TREE) {
            tree.first_error = Some(0..0);
        }
        if !doubts.is_empty() && tree.first_error.is_none() {
            let decisions = casts::decide(&view.text, parsed.root_node(), &doubts);
            let original = |range: &Range<usize>| view.original(range.start)..view.original(range.end);
            tree.undecided = decisions.undecided.iter().map(original).collect();
            let decided = decisions.changes.iter().map(|change| Change { at: original(&change.at), ..*change });
            if !decisions.changes.is_empty() && round < MOST_ROUNDS {
                changes.extend(decided);
                as_it_came.get_or_insert(parsed);
                continue;
            }
            tree.undecided.extend(decided.map(|change| change.at));
        }
        return Some((tree, Some(as_it_came.unwrap_or(parsed))));
    }
    None
}

/// Resolving one ambiguity may reveal another. Real programs need one or two rounds.
const MOST_ROUNDS: usize = 4;

/// Copies the part of the parsed tree that belongs to the text into the flat table.
///
/// Gives `None` when a node crosses the border between the text and its context: then the fragment has
/// broken out of the context that was put around it, and the reading means nothing.
fn flatten(
    language: Language,
    parsed: &tree_sitter::Tree,
    view: &View,
    text: &str,
    context: Context,
) -> Option<(Tree, Vec<casts::Doubt>)> {
    let (before, after) = around(language, context);
    let inside = before.len()..view.text.len() - after.len();
    // White space and comments at the end may belong to the context as well as to the text.
    let last_byte_that_counts = inside.start + view.text[inside.clone()].trim_end().len();
    let mut first_error: Option<Range<usize>> = None;
    let mut doubts = Vec::new();
    let has_preprocessor = language.has_preprocessor();
    let own_constants = match has_preprocessor {
        true => c::misreadings::own_constants(text, &view.blanked),
        false => Vec::new(),
    };
    let tree = Tree::build(language, parsed, text.len(), |node, kind| {
        let range = node.byte_range();
        let original = view.original(range.start)..view.original(range.end);
        let is_wrong = kind == Kind::Error || node.is_missing() || is_misread(language, &view.text, node, kind);
        if is_wrong && first_error.is_none() {
            first_error = Some(original.clone());
        }
        if range.start < inside.start || range.end > inside.end {
            let starts_inside = inside.contains(&range.start);
            let ends_inside = range.end > inside.start && range.end < last_byte_that_counts;
            return if starts_inside || (range.start < inside.start && ends_inside) {
                Verdict::Nonsense
            } else {
                Verdict::Leave
            };
        }
        if !range.is_empty() && view.is_inserted(&range) {
            return Verdict::Leave;
        }
        if has_preprocessor {
            doubts.extend(casts::doubt(&view.text, node, kind));
        }
        let kind = match kind {
            // `casts` replaces a name by a number to make it a value.
            Kind::NumberLiteral if has_preprocessor && is_name(&text[original.clone()]) => Kind::Identifier,
            // The file defines this name as a macro.
            Kind::True | Kind::False | Kind::Null if own_constants.contains(&&text[original.clone()]) => {
                Kind::Identifier
            }
            Kind::Token if own_constants.contains(&&text[original.clone()]) => return Verdict::Leave,
            Kind::ForStatement if view.starts_with_mend(range.start) => Kind::MacroLoop,
            // The grammar reads `*f(x)` among arguments as a call of `*f`; it is the call that is spread.
            Kind::Call | Kind::Attribute | Kind::Subscript
                if language == Language::Python && view.text.as_bytes()[range.start] == b'*' =>
            {
                Kind::ListSplat
            }
            _ => kind,
        };
        Verdict::Keep(original, kind)
    });
    let mut tree = tree?;
    tree.first_error = first_error;
    tree.blanked = view.blanked.clone();
    Some((tree, doubts))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Changes that make the text parse; `None` if there is nothing to change.
fn mends(language: Language, text: &str) -> Option<Vec<Change>> {
    match language {
        Language::C | Language::Cpp => c::mends::mends(language, text),
        Language::Java | Language::Python | Language::JavaScript => None,
    }
}

/// Does the grammar take this node for something that it cannot be?
///
/// Grammars are more generous than compilers. A reading that no compiler would take so is refused as if it were an error, because every
/// answer built on it would be wrong.
fn is_misread(language: Language, text: &str, node: tree_sitter::Node<'_>, kind: Kind) -> bool {
    match language {
        Language::C => c::misreadings::is_misread(text, node, kind),
        Language::Cpp => {
            c::misreadings::is_misread(text, node, kind)
                || c::misreadings::is_call_behind_macro(text, node, kind)
                || c::misreadings::is_in_braces_by_macro(text, node, kind)
        }
        Language::JavaScript => javascript::misreadings::is_misread(text, node, kind),
        Language::Java => java::misreadings::is_misread(text, node, kind),
        Language::Python => kind == Kind::Block && python::misreadings::is_unevenly_indented(text, node),
    }
}

/// Are brackets nested more deeply than a tree may be? The parser may handle all of them in one step that cannot be interrupted, and
/// releases its stack recursively.
fn is_too_deep(language: Language, text: &str) -> bool {
    let (mut brackets, mut angles) = (0usize, 0usize);
    let mut last = b' ';
    for &letter in text.as_bytes() {
        match letter {
            b'(' | b'[' | b'{' => brackets += 1,
            b')' | b']' | b'}' => brackets = brackets.saturating_sub(1),
            _ => (),
        }
        if language == Language::Java {
            match letter {
                b';' | b'{' | b'}' => angles = 0,
                b'<' if last != b'<' => angles += 1,
                // `<<` and `<=` are not brackets.
                b'<' | b'=' if last == b'<' => angles = angles.saturating_sub(1),
                b'>' => angles = angles.saturating_sub(1),
                _ => (),
            }
        }
        if brackets > DEEPEST_TREE || angles > DEEPEST_TREE {
            return true;
        }
        last = letter;
    }
    false
}

/// Parses a text; `None` if that takes more work than any sensible program does.
///
/// The work is counted and not timed, so that a text is read on every machine or on none.
fn parse(language: Language, text: &str, old: Option<&tree_sitter::Tree>) -> Option<tree_sitter::Tree> {
    thread_local! {
        static PARSERS: RefCell<[Option<tree_sitter::Parser>; 5]> = const { RefCell::new([const { None }; 5]) };
    }
    PARSERS.with_borrow_mut(|parsers| {
        let parser = parsers[language as usize].get_or_insert_with(|| {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&language.grammar()).expect("the grammar matches the linked tree-sitter");
            parser
        });
        let start = work::allocated();
        let most = MOST_BYTES + text.len().saturating_mul(MOST_BYTES_PER_BYTE);
        let mut report = |_: &tree_sitter::ParseState| match work::allocated().wrapping_sub(start) > most {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let options = tree_sitter::ParseOptions::new().progress_callback(&mut report);
        // Contiguous reads are counted, because some tokens make the parser look ahead to the end of the text every time.
        let (mut next, mut scanned) = (usize::MAX, 0);
        let most_scanned = MOST_BYTES + text.len().saturating_mul(MOST_BYTES_PER_BYTE);
        let mut piece = |at: usize, _| {
            let rest = &text.as_bytes()[at..];
            let piece = &rest[..rest.len().min(PIECE)];
            scanned += if at == next { piece.len() } else { 0 };
            next = at + piece.len();
            // An early end makes the parser finish quickly; the result is discarded.
            if scanned > most_scanned { &[] } else { piece }
        };
        let parsed = parser.parse_with_options(&mut piece, old, Some(options)).filter(|_| scanned <= most_scanned);
        if parsed.is_none() {
            // The next text is not to be taken for the rest of this one.
            parser.reset();
        }
        parsed
    })
}

/// How many bytes the parser may allocate or scan for any text, and in addition for each byte of it. None of 8,700 readings of real programs
/// needed more than 156 per byte.
const MOST_BYTES: usize = 32 << 20;
const MOST_BYTES_PER_BYTE: usize = 500;

/// The size of the pieces in which the parser reads the text.
const PIECE: usize = 4096;

/// An empty tree that says that the text was not read.
fn refused(language: Language, length: usize) -> Tree {
    let parsed = parse(language, "", None).expect("there is nothing to do in an empty file");
    let tree = Tree::build(language, &parsed, length, |_, _| Verdict::Leave);
    let mut tree = tree.expect("nothing is nonsense in an empty file");
    tree.first_error = Some(0..length);
    tree
}

/// Where `position` lies in lines and columns, both from 1, the column in characters.
pub(crate) fn line_and_column(text: &str, position: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(position)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}
