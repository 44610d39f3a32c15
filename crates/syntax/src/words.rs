//! Lists of words as data, several on a line: keywords, names of libraries.

/// The words of a text, which blanks and line breaks separate. The text is split when the program is compiled.
///
/// ```
/// const COLOURS: &[&str] = syntax::words!("red green blue");
/// assert_eq!(COLOURS, ["red", "green", "blue"]);
/// ```
#[macro_export]
macro_rules! words {
    ($text:expr) => {{
        const TEXT: &str = $text;
        const WORDS: &[&str] = &$crate::words::split::<{ $crate::words::count(TEXT) }>(TEXT);
        WORDS
    }};
}

/// The number of words in a text.
pub const fn count(text: &str) -> usize {
    let (mut rest, mut count) = (text.trim_ascii_start(), 0);
    while !rest.is_empty() {
        (_, rest) = first(rest);
        count += 1;
    }
    count
}

/// The words of a text that has `COUNT` of them.
pub const fn split<const COUNT: usize>(text: &str) -> [&str; COUNT] {
    let mut words = [""; COUNT];
    let (mut rest, mut index) = (text.trim_ascii_start(), 0);
    while index < COUNT {
        (words[index], rest) = first(rest);
        index += 1;
    }
    words
}

/// The first word of a text that starts with one, and what follows it.
const fn first(text: &str) -> (&str, &str) {
    let mut end = 0;
    while end < text.len() && !text.as_bytes()[end].is_ascii_whitespace() {
        end += 1;
    }
    let (word, rest) = text.split_at(end);
    (word, rest.trim_ascii_start())
}
