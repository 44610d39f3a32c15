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
    let start = text[..position].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    // Three blanks may stand for a byte order mark.
    if start == 0 && position >= 3 {
        return None;
    }
    text[start..position].bytes().try_fold(0, |width, byte| match byte {
        b' ' => Some(width + 1),
        b'\t' => Some((width / 8 + 1) * 8),
        0x0c => Some(0),
        _ => None,
    })
}
