//! Two programs beside each other: which lines are the same, which belong together, and which of their words differ.

use std::collections::HashMap;

use serde_json::{Value, json};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use syntax::Language;

use crate::lines::{Line, PLAIN, Word, lines};
use crate::markup::is_hidden;

/// Lines are paired by what they have in common as long as there are no more pairs than this to look at.
const MOST_PAIRS: usize = 250_000;

/// Lines that have less than this in common do not stand beside each other.
const LEAST_ALIKE: f32 = 0.3;

/// The rows of two programs side by side, for the script of the page. A row that is the same is `[text, marks]`, another
/// `[left, marks, right, marks]` with `null` for a line that is not there.
///
/// Marks are letters with lengths, in the units in which scripts count: `k3.1n5` is a keyword of three, a blank and a name of five.
/// The letter of a word that differs is a capital, `!` for one without a colour. `u` is a character that cannot be seen.
pub fn rows(left: &str, right: &str, language: Language) -> Vec<Value> {
    let (left, right) = (lines(left, language), lines(right, language));
    let (left_texts, right_texts): (Vec<&str>, Vec<&str>) =
        (left.iter().map(|line| line.text).collect(), right.iter().map(|line| line.text).collect());
    let mut rows = Vec::new();
    for operation in capture_diff_slices(Algorithm::Patience, &left_texts, &right_texts) {
        match operation {
            DiffOp::Equal { old_index, len, .. } => {
                rows.extend(left[old_index..old_index + len].iter().map(|line| json!([line.text, marks(line, &[])])));
            }
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                let (old, new) = (&left[operation.old_range()], &right[operation.new_range()]);
                for pair in pairs(old, new) {
                    rows.push(row(pair.0.map(|place| &old[place]), pair.1.map(|place| &new[place])));
                }
            }
        }
    }
    rows
}

fn row(left: Option<&Line<'_>>, right: Option<&Line<'_>>) -> Value {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    if let (Some(left), Some(right)) = (left, right) {
        let texts = |line: &Line<'_>| -> Vec<String> { line.words.iter().map(|word| word.text.to_owned()).collect() };
        for operation in capture_diff_slices(Algorithm::Myers, &texts(left), &texts(right)) {
            let is_changed = !matches!(operation, DiffOp::Equal { .. });
            old.extend(operation.old_range().map(|_| is_changed));
            new.extend(operation.new_range().map(|_| is_changed));
        }
    }
    let side = |line: Option<&Line<'_>>, changed: &[bool]| match line {
        Some(line) => (json!(line.text), marks(line, changed)),
        None => (Value::Null, String::new()),
    };
    let ((left, left_marks), (right, right_marks)) = (side(left, &old), side(right, &new));
    json!([left, left_marks, right, right_marks])
}

/// The marks of a line, some of whose words are changed.
fn marks(line: &Line<'_>, changed: &[bool]) -> String {
    let mut runs: Vec<(char, usize)> = Vec::new();
    for (place, word) in line.words.iter().enumerate() {
        let is_changed = changed.get(place).copied().unwrap_or(false);
        let colour = match (is_changed, word.colour) {
            (false, colour) => colour,
            (true, PLAIN) => '!',
            (true, colour) => colour.to_ascii_uppercase(),
        };
        for character in word.text.chars() {
            let colour = if is_hidden(character) && character != '\t' { 'u' } else { colour };
            match runs.last_mut() {
                Some((last, length)) if *last == colour => *length += character.len_utf16(),
                _ => runs.push((colour, character.len_utf16())),
            }
        }
    }
    runs.into_iter().map(|(colour, length)| format!("{colour}{length}")).collect()
}

/// Which lines of two stretches stand beside each other: those in an order that have the most words in common.
fn pairs(left: &[Line<'_>], right: &[Line<'_>]) -> Vec<(Option<usize>, Option<usize>)> {
    let (height, width) = (left.len(), right.len());
    if height * width > MOST_PAIRS {
        let place = |place: usize, count: usize| (place < count).then_some(place);
        return (0..height.max(width)).map(|row| (place(row, height), place(row, width))).collect();
    }
    let mut numbers = HashMap::new();
    let left_words: Vec<Vec<usize>> = left.iter().map(|line| bag(line, &mut numbers)).collect();
    let right_words: Vec<Vec<usize>> = right.iter().map(|line| bag(line, &mut numbers)).collect();
    // The best that the lines from here to the ends can have in common, from the ends to the starts.
    let mut best = vec![0.0f32; (height + 1) * (width + 1)];
    let at = |row: usize, column: usize| row * (width + 1) + column;
    let gain = |row: usize, column: usize| alike(&left_words[row], &right_words[column]) - LEAST_ALIKE;
    for row in (0..height).rev() {
        for column in (0..width).rev() {
            let paired = gain(row, column) + best[at(row + 1, column + 1)];
            best[at(row, column)] = paired.max(best[at(row + 1, column)]).max(best[at(row, column + 1)]);
        }
    }
    let mut pairs = Vec::new();
    let (mut row, mut column) = (0, 0);
    while row < height && column < width {
        let here = best[at(row, column)];
        if gain(row, column) > 0.0 && here == gain(row, column) + best[at(row + 1, column + 1)] {
            pairs.push((Some(row), Some(column)));
            (row, column) = (row + 1, column + 1);
        } else if here == best[at(row + 1, column)] {
            pairs.push((Some(row), None));
            row += 1;
        } else {
            pairs.push((None, Some(column)));
            column += 1;
        }
    }
    pairs.extend((row..height).map(|row| (Some(row), None)));
    pairs.extend((column..width).map(|column| (None, Some(column))));
    pairs
}

/// The words of a line as numbers, in order. Blanks do not count, but a line of nothing else is like another such line.
fn bag<'p>(line: &Line<'p>, numbers: &mut HashMap<&'p str, usize>) -> Vec<usize> {
    let words = line.words.iter().map(|word: &Word<'p>| word.text).filter(|text| !text.trim().is_empty());
    let mut bag: Vec<usize> = words
        .map(|text| {
            let next = numbers.len();
            *numbers.entry(text).or_insert(next)
        })
        .collect();
    bag.sort_unstable();
    bag
}

/// The share of words that two lines have in common.
fn alike(left: &[usize], right: &[usize]) -> f32 {
    if left.is_empty() && right.is_empty() {
        return 1.0;
    }
    let (mut one, mut other, mut common) = (0, 0, 0);
    while one < left.len() && other < right.len() {
        match left[one].cmp(&right[other]) {
            std::cmp::Ordering::Less => one += 1,
            std::cmp::Ordering::Greater => other += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                one += 1;
                other += 1;
            }
        }
    }
    2.0 * common as f32 / (left.len() + right.len()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(left: &str, right: &str, expected: &[Value]) {
        assert_eq!(rows(left, right, Language::C), expected);
    }

    #[test]
    fn changed_words_are_capitals() {
        check(
            "int a;\nint b = a;\n",
            "int a;\nint c = a;\n",
            &[
                json!(["int a;", "k3.1n1.1"]),
                json!(["int b = a;", "k3.1N1.3n1.1", "int c = a;", "k3.1N1.3n1.1"]),
                json!(["", ""]),
            ],
        );
    }

    #[test]
    fn lines_stand_beside_what_they_have_become() {
        check(
            "f(a, b);",
            "int unused;\nf(x, b);",
            &[
                json!([null, "", "int unused;", "k3.1n6.1"]),
                json!(["f(a, b);", "n1.1N1.2n1.2", "f(x, b);", "n1.1N1.2n1.2"]),
            ],
        );
        check(
            "x = 1;\nwhile (y) z();",
            "while (y) z(0);",
            &[
                json!(["x = 1;", "n1.3d1.1", null, ""]),
                json!(["while (y) z();", "k5.2n1.2n1.3", "while (y) z(0);", "k5.2n1.2n1.1D1.2"]),
            ],
        );
    }

    #[test]
    fn blanks_and_hidden_characters_are_marked() {
        check("a+b", "a +b", &[json!(["a+b", "n1.1n1", "a +b", "n1!1.1n1"])]);
        check("a\r\u{202e}", "a\r\u{202e}", &[json!(["a\r\u{202e}", "n1u2"])]);
        // Lengths are those that scripts count.
        check("\"\u{1f600}\"", "\"\u{1f600}\"", &[json!(["\"\u{1f600}\"", "s4"])]);
    }

    #[test]
    fn long_stretches_are_paired_in_order() {
        let text = |word: &str| (0..600).map(|line| format!("{word}{line};\n")).collect::<String>();
        let rows = rows(&text("a"), &text("b"), Language::C);
        assert_eq!(rows.len(), 601);
        assert_eq!(rows[7], json!(["a7;", "N2.1", "b7;", "N2.1"]));
    }
}
