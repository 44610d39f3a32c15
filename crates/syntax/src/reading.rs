//! How a text is read: as a file, or in the context that makes a fragment parse.
//!
//! Data sets hold fragments as often as files: a constructor without its class, a few statements, an
//! indented method. The grammars read some of these as they are; the others are read inside a small
//! piece of program text that makes them whole. The first reading in the language's list that is clean
//! wins; when none is, the text is broken, and the reading as a file says where.

use std::borrow::Cow;
use std::cell::RefCell;

use crate::kind::Kind;
use crate::language::Language;
use crate::tree::Tree;

/// What a text was taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// A whole file, or a fragment that the grammar accepts at the top of a file.
    File,
    /// A C or C++ program whose line breaks after the preprocessor's lines were lost.
    DirectivesInLine,
    /// Members of a class that is not there.
    Members,
    /// Statements of a function that is not there.
    Statements,
    /// One expression, for example a function without a name.
    Expression,
    /// Lines that are all indented.
    Indented,
}

/// A fragment is small. A larger text is a file: it is read as one, whether that is clean or not.
const LARGEST_FRAGMENT: usize = 1 << 20;

/// Deeper trees are reported as broken, so that every later walk may use the call stack.
///
/// A thousand levels are far beyond what people write (the deepest program in the data sets named in
/// ARCHITECTURE.md has fewer than 200) and far below what overflows a thread's stack.
pub(crate) const DEEPEST_TREE: usize = 1000;

/// Positions are 32 bits wide, and the parser's are too.
const LONGEST_TEXT: usize = u32::MAX as usize / 2;

pub(crate) struct Reading {
    pub(crate) context: Context,
    pub(crate) tree: Tree,
}

/// Reads `text` in the first context that makes it parse cleanly.
pub(crate) fn read(language: Language, text: &str) -> Reading {
    let contexts = contexts(language);
    let mut as_file = None;
    for &context in contexts {
        if context != Context::File && text.len() > LARGEST_FRAGMENT {
            break;
        }
        let Some(tree) = read_in(language, text, context) else { continue };
        let is_clean = tree.first_error.is_none();
        if is_clean {
            return Reading { context, tree };
        }
        if context == Context::File {
            as_file = Some(tree);
        }
    }
    let tree = as_file.expect("a file has no context to break out of");
    Reading { context: Context::File, tree }
}

fn contexts(language: Language) -> &'static [Context] {
    match language {
        Language::Java => &[Context::File, Context::Members, Context::Statements],
        Language::C => &[Context::File, Context::DirectivesInLine, Context::Statements],
        Language::Cpp => &[Context::File, Context::DirectivesInLine, Context::Members, Context::Statements],
        Language::Python => &[Context::File, Context::Indented],
        Language::JavaScript => &[Context::File, Context::Members, Context::Expression],
    }
}

/// The text before and after a fragment. What follows starts on a line of its own, because the
/// fragment may end in a line comment.
fn around(language: Language, context: Context) -> (&'static str, &'static str) {
    match (language, context) {
        (_, Context::File | Context::DirectivesInLine) => ("", ""),
        (Language::Cpp, Context::Members) => ("class A {\n", "\n};"),
        (_, Context::Members) => ("class A {\n", "\n}"),
        (Language::Java, Context::Statements) => ("class A { void f() {\n", "\n} }"),
        (_, Context::Statements) => ("void f() {\n", "\n}"),
        (_, Context::Expression) => ("(\n", "\n)"),
        (_, Context::Indented) => ("if 1:\n", "\n"),
    }
}

/// Reads in one context; `None` when the context does not apply or the fragment breaks out of it.
fn read_in(language: Language, text: &str, context: Context) -> Option<Tree> {
    let text: Cow<'_, str> = match context {
        Context::DirectivesInLine => Cow::Owned(with_directives_on_lines(text)?),
        Context::Indented if !text.starts_with([' ', '\t', '\n', '\r']) => return None,
        _ => Cow::Borrowed(text),
    };
    if text.len() > LONGEST_TEXT {
        return Some(refused(language, text.len()));
    }
    let (before, after) = around(language, context);
    let spliced = (context == Context::Indented).then_some(Kind::Block);
    let whole: Cow<'_, str> = if before.is_empty() && after.is_empty() && !text.starts_with(BYTE_ORDER_MARK) {
        text
    } else {
        // A byte order mark is only skipped at the very start; three spaces take its place.
        Cow::Owned(
            [before, &text.replacen(BYTE_ORDER_MARK, "   ", usize::from(text.starts_with(BYTE_ORDER_MARK))), after]
                .concat(),
        )
    };
    let range = before.len()..whole.len() - after.len();
    let last_byte_that_counts = range.start + whole[range.clone()].trim_end().len();
    let parsed = parse(language, &whole);
    let mut tree = Tree::flatten(language, &parsed, range, last_byte_that_counts, spliced)?;
    if tree.first_error.is_none() && parsed.root_node().has_error() {
        tree.first_error = Some(0..0);
    }
    if tree.depth > DEEPEST_TREE {
        tree.first_error.get_or_insert(0..0);
    }
    Some(tree)
}

const BYTE_ORDER_MARK: char = '\u{feff}';

fn parse(language: Language, text: &str) -> tree_sitter::Tree {
    thread_local! {
        static PARSERS: RefCell<[Option<tree_sitter::Parser>; 5]> = const { RefCell::new([const { None }; 5]) };
    }
    PARSERS.with_borrow_mut(|parsers| {
        let parser = parsers[language as usize].get_or_insert_with(|| {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&language.grammar()).expect("the grammar matches the linked tree-sitter");
            parser
        });
        parser.parse(text, None).expect("the parser has a language and no time limit")
    })
}

/// An empty tree that says that the text was not read.
fn refused(language: Language, length: usize) -> Tree {
    let parsed = parse(language, "");
    let mut tree = Tree::flatten(language, &parsed, 0..0, 0, None).expect("an empty file has no borders to cross");
    tree.first_error = Some(0..length);
    tree
}

/// Puts the line breaks back that ended the preprocessor's lines, without moving a byte.
///
/// `# include <stdio.h> int main()` has lost the line break behind the header's name: the blank there
/// becomes one again. Other directives cannot be mended, because nobody can tell where they ended.
/// Gives `None` when there is nothing to mend.
fn with_directives_on_lines(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let mut changed = false;
    for (hash, _) in text.match_indices('#') {
        let Some(blank) = blank_after_include(text, hash) else { continue };
        bytes[blank] = b'\n';
        changed = true;
        // The directive itself must start a line, too.
        if let Some(before) = hash.checked_sub(1).filter(|&at| bytes[at] == b' ') {
            bytes[before] = b'\n';
        }
    }
    changed.then(|| String::from_utf8(bytes).expect("only blanks were replaced, by line breaks"))
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
    (text[..end].ends_with(close) && text[end..].starts_with([' ', '\t'])).then_some(end)
}

/// Where `position` lies in lines and columns, both from 1, the column in characters.
pub(crate) fn line_and_column(text: &str, position: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(position)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}
