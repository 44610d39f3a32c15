//! Edits: byte ranges of a program and the text that replaces them.

use std::ops::Range;

use crate::tree::Node;

/// A range of bytes and the text that replaces it. An empty range inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub range: Range<usize>,
    pub text: String,
}

impl Edit {
    /// Replaces `node` with `text`.
    pub fn replace(node: Node<'_>, text: impl Into<String>) -> Edit {
        Edit { range: node.range(), text: text.into() }
    }

    /// Inserts `text` at the byte `position`.
    pub fn insert(position: usize, text: impl Into<String>) -> Edit {
        Edit { range: position..position, text: text.into() }
    }

    /// Deletes the bytes of `range`.
    pub fn delete(range: Range<usize>) -> Edit {
        Edit { range, text: String::new() }
    }
}

/// Why a list of edits was refused. Nothing was changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The program does not parse cleanly, so the effect of an edit is unknown.
    #[error("the program does not parse cleanly (line {line}, column {column}), so it gets no edits")]
    Broken {
        /// The line of the first error, from 1.
        line: usize,
        /// Its column in characters, from 1.
        column: usize,
    },
    /// A range ends before it starts, lies outside the text or splits a character.
    #[error("the edit of bytes {0:?} is not a range of characters of this program")]
    NotARange(Range<usize>),
    /// Two edits touch the same bytes.
    #[error("the edits of bytes {0:?} and {1:?} overlap")]
    Overlap(Range<usize>, Range<usize>),
}

/// Applies the edits to `bytes`, whose text with every invalid byte replaced is `text`.
///
/// Several insertions at one position stay in the order of the list, and come before the replacement of the bytes that
/// follow.
pub(crate) fn apply(bytes: &[u8], text: &str, edits: &[Edit]) -> Result<Vec<u8>, EditError> {
    let mut order: Vec<&Edit> = edits.iter().collect();
    order.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut output = Vec::with_capacity(bytes.len() + edits.iter().map(|edit| edit.text.len()).sum::<usize>());
    let mut done = 0;
    let mut previous: Option<&Edit> = None;
    for edit in order {
        let range = edit.range.clone();
        if text.get(range.clone()).is_none() {
            return Err(EditError::NotARange(range));
        }
        if let Some(previous) = previous.filter(|previous| previous.range.end > range.start) {
            return Err(EditError::Overlap(previous.range.clone(), range));
        }
        output.extend_from_slice(&bytes[done..range.start]);
        output.extend_from_slice(edit.text.as_bytes());
        done = range.end;
        previous = Some(edit);
    }
    output.extend_from_slice(&bytes[done..]);
    Ok(output)
}
