//! The bytes at the two ends of a program, as Magika takes them.

use super::settings::Bytes;
use crate::{Fault, Tokens};

/// The numbers for a text: those of its beginning, and after them those of its end.
///
/// Fewer bytes than there is room for are followed by padding at the beginning, and come after it at the end. What is left out as a
/// blank is what Python's `bytes.strip` takes away.
pub fn numbers(settings: &Bytes, text: &str) -> Result<(Vec<i64>, Tokens), Fault> {
    let text = text.as_bytes();
    let block = settings.block.unwrap_or(usize::MAX).min(text.len());
    let (mut start, mut stop) = (0, text.len());
    if settings.strip {
        let blanks = |bytes: &mut dyn Iterator<Item = &u8>| bytes.take_while(|byte| is_blank(**byte)).count();
        start = blanks(&mut text[..block].iter());
        stop = text.len() - blanks(&mut text[text.len() - block..].iter().rev());
    }
    let beginning = start..block.min(start + settings.beginning);
    let end = (text.len() - block).max(stop.saturating_sub(settings.end))..stop;
    if beginning.len() < settings.least {
        let without = if settings.strip { " without the blanks before them" } else { "" };
        let (least, has) = (settings.least, beginning.len());
        return Err(Fault::Failed(format!(
            "the model is not asked about fewer than {least} bytes, and the program has {has}{without}"
        )));
    }
    let padding = |room: usize, bytes: usize| std::iter::repeat_n(settings.padding, room - bytes);
    let values = |bytes: &[u8]| bytes.iter().map(|byte| i64::from(*byte)).collect::<Vec<_>>();
    let mut numbers = values(&text[beginning.clone()]);
    numbers.extend(padding(settings.beginning, beginning.len()));
    numbers.extend(padding(settings.end, end.len()));
    numbers.extend(values(&text[end.clone()]));
    // Blanks at the ends are neither seen nor missed, and what both ends hold is seen once.
    let all = stop.saturating_sub(start);
    let (first, last) = (start..beginning.end.min(stop), end.start.max(start)..stop);
    let seen = first.len() + last.len() - (last.start..first.end).len();
    Ok((numbers, Tokens { all, seen }))
}

/// The blanks of Python's `bytes.strip`: unlike Rust's, with the vertical tab.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Bytes =
        Bytes { name: None, beginning: 4, end: 3, padding: 256, strip: true, block: Some(6), least: 2 };

    fn check(settings: &Bytes, text: &str, beginning: &str, end: &str, all: usize, seen: usize) {
        // A dot stands for padding.
        let shown: String =
            numbers(settings, text).unwrap().0.iter().map(|byte| u8::try_from(*byte).map_or('.', char::from)).collect();
        assert_eq!(shown, format!("{beginning}{end}"), "{text:?}");
        assert_eq!(numbers(settings, text).unwrap().1, Tokens { all, seen }, "{text:?}");
    }

    #[test]
    fn both_ends_are_taken_without_their_blanks() {
        check(&SMALL, "abcdefghij", "abcd", "hij", 10, 7);
        check(&SMALL, "abcdefg", "abcd", "efg", 7, 7);
        check(&SMALL, "abcde", "abcd", "cde", 5, 5);
        check(&SMALL, " \t\nabcdefghij\r\x0b\x0c", "abc.", "hij", 10, 6);
        // The beginning keeps the blanks after it, and the end those before it.
        check(&SMALL, "ab\n", "ab\n.", ".ab", 2, 2);
        check(&SMALL, "\nab", "ab..", "\nab", 2, 2);
    }

    #[test]
    fn blanks_are_left_out_within_a_block_only() {
        // Six blanks fill the block, so nothing is left of it.
        let settings = Bytes { least: 0, ..SMALL };
        check(&settings, "      abcdefgh      ", "....", "...", 8, 0);
        check(&settings, "     abcdefgh     ", "a...", "..h", 8, 2);
        check(&settings, "", "....", "...", 0, 0);
        check(&settings, " \n ", "....", "...", 0, 0);
        let settings = Bytes { block: None, ..settings };
        check(&settings, "          abcdefgh          ", "abcd", "fgh", 8, 7);
        let settings = Bytes { strip: false, ..settings };
        check(&settings, " a ", " a .", " a ", 3, 3);
    }

    #[test]
    fn one_end_may_be_all() {
        check(&Bytes { end: 0, ..SMALL }, "abcdefghij", "abcd", "", 10, 4);
        check(&Bytes { beginning: 0, least: 0, ..SMALL }, "abcdefghij", "", "hij", 10, 3);
        check(&Bytes { beginning: 0, least: 0, ..SMALL }, "ab", "", ".ab", 2, 2);
    }

    #[test]
    fn bytes_are_those_of_utf_8() {
        let (numbers, _) = numbers(&SMALL, "ä€").unwrap();
        assert_eq!(numbers, [0xc3, 0xa4, 0xe2, 0x82, 0xe2, 0x82, 0xac]);
    }

    #[test]
    fn too_few_bytes_are_not_given_to_the_model() {
        for (text, has) in [("", 0), ("a", 1), (" \n a", 1), ("      ab", 0)] {
            let fault = numbers(&SMALL, text).unwrap_err().to_string();
            assert!(fault.contains(&format!("fewer than 2 bytes, and the program has {has}")), "{text:?}: {fault}");
        }
        assert!(numbers(&SMALL, "ab").is_ok());
    }
}
