//! Python's grammar is generous with indentation.

use tree_sitter::Node;

/// Are two statements of one block indented differently? Python refuses that; the grammar takes a deeper one in.
pub(crate) fn is_unevenly_indented(text: &str, block: Node<'_>) -> bool {
    let mut cursor = block.walk();
    let mut statements = block.named_children(&mut cursor).filter(|child| child.kind() != "comment");
    let mut expected = None;
    statements.any(|statement| {
        let Some(width) = indentation(text, statement.start_byte()) else { return false };
        *expected.get_or_insert(width) != width
    })
}

/// The width of the white space before the first thing on a line; `None` for what comes later on its line.
fn indentation(text: &str, position: usize) -> Option<usize> {
    // Only blanks are scanned backwards: scanning to the start of a long line for every statement would take quadratic time.
    let before = &text.as_bytes()[..position];
    let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | 0x0c)).count();
    let start = position - blanks;
    // Three blanks may stand for a byte order mark.
    let is_first = match start {
        0 => position < 3,
        _ => matches!(before[start - 1], b'\n' | b'\r'),
    };
    let widened = |width, byte: &u8| match byte {
        b' ' => width + 1,
        b'\t' => (width / 8 + 1) * 8,
        _ => 0,
    };
    is_first.then(|| before[start..].iter().fold(0, widened))
}
