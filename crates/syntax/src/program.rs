//! A program: an immutable value of text, language and tree, with everything else on demand.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::edit::{self, Edit, EditError};
use crate::file;
use crate::kind::Kind;
use crate::language::Language;
use crate::languages::python;
use crate::names::Words;
use crate::reading::{self, Context, Reading};
use crate::scopes::Scopes;
use crate::surroundings::Surroundings;
use crate::token::{self, Token};
use crate::tree::{Node, NodeId, Tree};

/// A program or a fragment of one. Reading never fails; a text that does not parse cleanly says so.
///
/// ```
/// use syntax::{Edit, Language, Program};
///
/// let program = Program::parse(Language::Java, "int twice(int n) { return n + n; }");
/// assert!(!program.is_broken());
/// let name = program.nodes().find(|node| node.text() == "twice").unwrap();
/// let renamed = program.edited(&[Edit::replace(name, "doubled")]).unwrap();
/// assert_eq!(renamed.text(), "int doubled(int n) { return n + n; }");
/// ```
pub struct Program {
    language: Language,
    text: String,
    /// The original bytes, if they are not valid UTF-8. `text` has the same length.
    original: Option<Vec<u8>>,
    context: Context,
    tree: Tree,
    /// Makes parsing an edited text cheap, see [`reading::read_again`].
    parsed: Option<tree_sitter::Tree>,
    /// Are there parts that were left unread?
    lacks_parts: bool,
    surroundings: Option<Arc<Surroundings>>,
    scopes: OnceLock<Scopes>,
    /// The start of every line.
    line_starts: OnceLock<Vec<usize>>,
    pub(crate) words: OnceLock<Words>,
    /// The words of the directives.
    pub(crate) directives: OnceLock<HashSet<String>>,
    pub(crate) looks_at_itself: OnceLock<bool>,
}

impl Program {
    /// Parses a text, in the context that makes it parse.
    pub fn parse(language: Language, text: impl Into<String>) -> Program {
        Program::read(language, text.into(), None)
    }

    /// Parses bytes that need not be valid UTF-8.
    ///
    /// In [`Program::text`] the character U+001A replaces every invalid byte, so that positions stay valid.
    /// [`Program::bytes`] and edits keep the byte itself.
    pub fn from_bytes(language: Language, bytes: Vec<u8>) -> Program {
        let (text, original) = readable(bytes);
        Program::read(language, text, original)
    }

    /// Reads a file whose language is given or guessed from its extension.
    pub fn from_file(path: &Path, language: Option<Language>) -> Result<Program, ReadError> {
        let language = language
            .or_else(|| Language::from_path(path))
            .ok_or_else(|| ReadError::Language(path.display().to_string()))?;
        let bytes = file::read_up_to(path, file::LARGEST_TEXT)
            .map_err(|error| ReadError::File(path.display().to_string(), error))?;
        Ok(Program::from_bytes(language, bytes))
    }

    fn read(language: Language, text: String, original: Option<Vec<u8>>) -> Program {
        let reading = reading::read(language, &text);
        Program::of(language, text, original, reading)
    }

    fn of(language: Language, text: String, original: Option<Vec<u8>>, reading: Reading) -> Program {
        let Reading { context, tree, parsed, lacks_parts } = reading;
        let mut program = Program {
            language,
            text,
            original,
            context,
            tree,
            parsed,
            lacks_parts,
            surroundings: None,
            scopes: OnceLock::new(),
            line_starts: OnceLock::new(),
            words: OnceLock::new(),
            directives: OnceLock::new(),
            looks_at_itself: OnceLock::new(),
        };
        if language == Language::Python && !program.is_broken() {
            program.tree.first_error = python::nesting::first_too_deep(&program);
        }
        program
    }

    /// The language of the program.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The text; every invalid byte is shown as U+001A.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The original bytes.
    pub fn bytes(&self) -> &[u8] {
        self.original.as_deref().unwrap_or(self.text.as_bytes())
    }

    /// The context in which the text was parsed.
    pub fn context(&self) -> Context {
        self.context
    }

    /// Is there a syntax error? Such a program gets no edits.
    pub fn is_broken(&self) -> bool {
        self.tree.first_error.is_some()
    }

    /// The range of the first syntax error.
    pub fn first_error(&self) -> Option<Range<usize>> {
        self.tree.first_error.clone()
    }

    /// The parts without nodes, in order: macros for attributes and, in C and C++ files, functions and declarations that do not
    /// parse.
    pub fn unread(&self) -> &[Range<usize>] {
        &self.tree.blanked
    }

    /// The same program as one file of a project. Edits keep what is around it.
    pub fn within(self, surroundings: Option<Arc<Surroundings>>) -> Program {
        Program { surroundings, ..self }
    }

    /// The other files of the program's project; `None` if it is read on its own.
    pub fn surroundings(&self) -> Option<&Surroundings> {
        self.surroundings.as_deref()
    }

    /// Are there functions or declarations that were left unread because they do not parse?
    pub fn lacks_parts(&self) -> bool {
        self.lacks_parts
    }

    /// The line and the column, both from 1, of a byte position. The column counts characters.
    pub fn line_and_column(&self, position: usize) -> (usize, usize) {
        reading::line_and_column(&self.text, position)
    }

    /// The start of the line that contains a byte position.
    pub fn line_start(&self, position: usize) -> usize {
        let starts = self.line_starts.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(ends.map(|(end, _)| end + 1)).collect()
        });
        starts[starts.partition_point(|start| *start <= position) - 1]
    }

    /// The depth of the tree.
    pub fn depth(&self) -> usize {
        self.tree.depth
    }

    /// The whole program as a node.
    pub fn root(&self) -> Node<'_> {
        self.node(NodeId::ROOT)
    }

    /// The node with the given id.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node::new(self, id)
    }

    /// Every node in text order.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        self.root().descendants()
    }

    /// Every node of one kind in text order.
    pub fn nodes_of_kind(&self, kind: Kind) -> impl Iterator<Item = Node<'_>> {
        (0..self.tree.len() as u32).map(NodeId).filter(move |&id| self.tree.kind(id) == kind).map(|id| self.node(id))
    }

    /// The smallest node that covers `range`.
    pub fn node_at(&self, range: Range<usize>) -> Node<'_> {
        let mut node = self.root();
        loop {
            let covering = node.children().find(|child| child.start() <= range.start && child.end() >= range.end);
            match covering {
                Some(child) => node = child,
                None => return node,
            }
        }
    }

    /// The tokens in text order: names, keywords, literals, operators, comments.
    pub fn tokens(&self) -> Vec<Token<'_>> {
        token::tokens(self)
    }

    /// The declarations, and what each identifier refers to. Computed once, on first use.
    pub fn scopes(&self) -> &Scopes {
        self.scopes.get_or_init(|| Scopes::of(self))
    }

    /// Applies edits and returns the new program. Bytes outside the edits never change.
    pub fn edited(&self, edits: &[Edit]) -> Result<Program, EditError> {
        if let Some(error) = self.first_error() {
            let (line, column) = self.line_and_column(error.start);
            return Err(EditError::Broken { line, column });
        }
        let bytes = edit::apply(self.bytes(), &self.text, edits)?;
        let (text, original) = readable(bytes);
        let reading = match &self.parsed {
            Some(parsed) => reading::read_again(self.language, &self.text, parsed, edits, &text),
            None if self.lacks_parts => reading::read_in_parts_again(self.language, &text),
            None => reading::read(self.language, &text),
        };
        Ok(Program::of(self.language, text, original, reading).within(self.surroundings.clone()))
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }
}

/// The text of bytes, and the bytes themselves if they are not valid UTF-8.
pub(crate) fn readable(bytes: Vec<u8>) -> (String, Option<Vec<u8>>) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let original = error.into_bytes();
            let mut text = String::with_capacity(original.len());
            for chunk in original.utf8_chunks() {
                text.push_str(chunk.valid());
                text.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
            }
            (text, Some(original))
        }
    }
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    #[error("failed to read {0}: {1}")]
    File(String, std::io::Error),
    /// The extension says nothing about the language.
    #[error("failed to guess the language of {0} from its ending: name it (java, c, cpp, python, javascript)")]
    Language(String),
}
