//! What differs between two texts, line by line.

use std::collections::HashMap;

/// The lines that differ, with `around` lines before and behind them. Parts that are left out are one line of dots. With `colours`, lines
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
    let same_start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let rest = old.len().min(new.len()) - same_start;
    let same_end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(one, other)| one == other).count();
    let (middle_old, middle_new) = (&old[same_start..old.len() - same_end], &new[same_start..new.len() - same_end]);
    let mut lines: Vec<(char, &str)> = old[..same_start].iter().map(|line| (' ', *line)).collect();
    lines.extend(changed(middle_old, middle_new));
    lines.extend(old[old.len() - same_end..].iter().map(|line| (' ', *line)));
    lines
}

/// The same for the part that differs: along a longest common subsequence.
fn changed<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(char, &'t str)> {
    // Numbers are quicker to compare than lines.
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut number = |line: &&'t str| -> usize {
        let next = numbers.len();
        *numbers.entry(line).or_insert(next)
    };
    let (olds, news): (Vec<usize>, Vec<usize>) =
        (old.iter().map(&mut number).collect(), new.iter().map(number).collect());
    // The length of what the rests behind two places have in common.
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for (one, line) in olds.iter().enumerate().rev() {
        for (other, candidate) in news.iter().enumerate().rev() {
            common[one * width + other] = match line == candidate {
                true => common[(one + 1) * width + other + 1] + 1,
                false => common[(one + 1) * width + other].max(common[one * width + other + 1]),
            };
        }
    }
    let (mut one, mut other) = (0, 0);
    let mut lines = Vec::new();
    while one < old.len() || other < new.len() {
        if one < old.len() && other < new.len() && olds[one] == news[other] {
            lines.push((' ', old[one]));
            (one, other) = (one + 1, other + 1);
        } else if other == new.len()
            || (one < old.len() && common[(one + 1) * width + other] >= common[one * width + other + 1])
        {
            lines.push(('-', old[one]));
            one += 1;
        } else {
            lines.push(('+', new[other]));
            other += 1;
        }
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
