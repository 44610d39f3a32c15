//! What differs between two texts, line by line.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The lines that differ, with `around` lines before and after them. Parts that are left out are one line of dots. With `colours`, lines
/// that go are red and lines that come are green, for terminals.
pub fn diff(before: &str, after: &str, around: usize, colours: bool) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let lines = marked(&old, &new);
    let is_near = |place: usize| {
        let from = place.saturating_sub(around);
        lines[from..lines.len().min(place + around + 1)].iter().any(|(mark, _)| *mark != ' ')
    };
    let mut text = String::new();
    let mut is_in_gap = false;
    for (place, (mark, line)) in lines.iter().enumerate() {
        if !is_near(place) {
            if !std::mem::replace(&mut is_in_gap, true) {
                text.push_str("  …\n");
            }
            continue;
        }
        is_in_gap = false;
        let (start, end) = match (colours, mark) {
            (true, '-') => ("\u{1b}[31m", "\u{1b}[0m"),
            (true, '+') => ("\u{1b}[32m", "\u{1b}[0m"),
            _ => ("", ""),
        };
        // A carriage return or another control character in a program must not reach the terminal.
        let line: String = line.chars().filter(|character| *character == '\t' || !character.is_control()).collect();
        text.push_str(&format!("{start}{mark} {line}{end}\n"));
    }
    text
}

/// Every line of both texts, once where they agree: ' ' for both, '-' for the first, '+' for the second.
fn marked<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(char, &'t str)> {
    let mut lines = Vec::new();
    for part in capture_diff_slices(Algorithm::Myers, old, new) {
        let (_, olds, news) = part.as_tag_tuple();
        if let DiffOp::Equal { .. } = part {
            lines.extend(old[olds].iter().map(|line| (' ', *line)));
            continue;
        }
        lines.extend(old[olds].iter().map(|line| ('-', *line)));
        lines.extend(new[news].iter().map(|line| ('+', *line)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_shown_with_their_neighbours() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let after = "a\nb\nc\nD\ne\nf\ng\nh\ni\n";
        assert_eq!(diff(before, after, 1, false), "  …\n  c\n- d\n+ D\n  e\n  …\n  h\n+ i\n");
        assert_eq!(diff("a\n", "b\n", 1, true), "\u{1b}[31m- a\u{1b}[0m\n\u{1b}[32m+ b\u{1b}[0m\n");
    }

    #[test]
    fn nothing_and_everything_may_differ() {
        assert_eq!(diff("", "", 2, false), "");
        assert_eq!(diff("a\n", "a\n", 2, false), "  …\n");
        assert_eq!(diff("", "a\nb", 2, false), "+ a\n+ b\n");
        assert_eq!(diff("a\r\n\u{1b}[2J", "", 2, false), "- a\n- [2J\n");
        assert_eq!(diff("x\na\nb\n", "a\nb\ny\n", 0, false), "- x\n  …\n+ y\n");
    }
}
