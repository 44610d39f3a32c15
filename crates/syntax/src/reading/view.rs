//! A text as the parser sees it: in its context, or mended.

use std::ops::Range;

/// A text as the parser sees it, and the way back to the original bytes.
pub(crate) struct View {
    pub(crate) text: String,
    /// Texts that were put in, in order. The first and the last are the context, and may be empty.
    inserted: Vec<Insertion>,
    /// Words that were blanked out, by their place in the original.
    pub(crate) blanked: Vec<Range<usize>>,
}

/// A text that was put in: its place in the view, and how many bytes were put in before it.
struct Insertion {
    range: Range<usize>,
    before: usize,
}

impl View {
    /// The changed text, between two texts that are put around it.
    pub(crate) fn changed(before: &str, original: &str, after: &str, mut changes: Vec<Change>) -> View {
        changes.sort_by_key(|change| (change.at.start, change.at.end));
        let mut view = View { text: before.to_owned(), inserted: Vec::new(), blanked: Vec::new() };
        view.note_insertion(0);
        let mut done = 0;
        for Change { at, text } in changes {
            // Two mends of one place, in a text that is broken anyway: the first is enough.
            if at.start < done {
                continue;
            }
            view.text.push_str(&original[done..at.start]);
            let place = view.text.len();
            if at.is_empty() {
                view.text.push_str(text);
                view.note_insertion(place);
            } else {
                let filler = if text.is_empty() { " " } else { text };
                view.text.extend(std::iter::repeat_n(filler, at.len()));
                if text.is_empty() {
                    view.blanked.push(at.clone());
                }
            }
            done = at.end;
        }
        view.text.push_str(&original[done..]);
        let place = view.text.len();
        view.text.push_str(after);
        view.note_insertion(place);
        view
    }

    /// Notes that the text from `start` to the end so far was put in.
    fn note_insertion(&mut self, start: usize) {
        let before = self.inserted.last().map_or(0, |last| last.before + last.range.len());
        self.inserted.push(Insertion { range: start..self.text.len(), before });
    }

    /// The last insertion that starts before `limit`.
    fn last_insertion_before(&self, limit: usize) -> Option<&Insertion> {
        let count = self.inserted.partition_point(|insertion| insertion.range.start < limit);
        self.inserted[..count].last()
    }

    /// The original byte at or after which the byte `position` of the view stands.
    pub(crate) fn original(&self, position: usize) -> usize {
        match self.last_insertion_before(position) {
            None => position,
            Some(insertion) => {
                position - insertion.before - (insertion.range.end.min(position) - insertion.range.start)
            }
        }
    }

    /// Does the range, which is not empty, lie wholly in a text that was put in?
    pub(crate) fn is_inserted(&self, range: &Range<usize>) -> bool {
        self.last_insertion_before(range.start + 1).is_some_and(|insertion| range.end <= insertion.range.end)
    }

    /// Does a text that was put in, and is not the context, start here?
    pub(crate) fn starts_with_mend(&self, position: usize) -> bool {
        let is_context = |insertion: &Insertion| {
            insertion.range.start == 0 && insertion.before == 0 && self.inserted[0].range == insertion.range
        };
        self.last_insertion_before(position + 1).is_some_and(|insertion| {
            insertion.range.start == position && !insertion.range.is_empty() && !is_context(insertion)
        })
    }
}

/// An insertion, when `at` is empty; else a replacement of each byte by `text`, one byte, or by a blank.
#[derive(Clone)]
pub(crate) struct Change {
    pub(crate) at: Range<usize>,
    pub(crate) text: &'static str,
}
