//! Text and numbers for the terminal, with control characters escaped.

use std::borrow::Cow;

/// The maximum number of characters per line.
const LONGEST_LINE: usize = 10_000;

/// Escapes control characters, such as ESC as `\x1b`, except line breaks and tabs, and truncates overlong lines.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) && text.lines().all(|line| line.len() <= LONGEST_LINE) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        for character in line.chars().take(LONGEST_LINE) {
            match is_hidden(character) {
                true => shown.push_str(&escaped(character)),
                false => shown.push(character),
            }
        }
        let more = line.chars().count().saturating_sub(LONGEST_LINE);
        if more > 0 {
            shown.push_str(&format!("… ({} more characters)", thousands(more)));
        }
        shown.push_str(end);
    }
    Cow::Owned(shown)
}

/// Escapes all control characters, including line breaks and tabs, for text within one line.
pub fn visible_in_line(text: &str) -> String {
    let is_special = |character: char| is_hidden(character) || matches!(character, '\n' | '\t');
    let shown = |character: char| match is_special(character) {
        true => escaped(character),
        false => character.to_string(),
    };
    text.chars().map(shown).collect()
}

/// Escapes the control characters that JSON itself leaves unescaped; the value stays the same.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if !json.contains(is_hidden) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        match is_hidden(character) {
            true => shown.push_str(&format!("\\u{:04x}", u32::from(character))),
            false => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// A number with commas between its thousands.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Is this a control character, except a line break or tab, or one that changes the writing direction?
fn is_hidden(character: char) -> bool {
    let is_direction = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() && !matches!(character, '\n' | '\t') || is_direction
}

fn escaped(character: char) -> String {
    match character {
        '\n' => "\\n".to_owned(),
        '\t' => "\\t".to_owned(),
        '\r' => "\\r".to_owned(),
        _ if (character as u32) < 0x100 => format!("\\x{:02x}", u32::from(character)),
        _ => format!("\\u{{{:x}}}", u32::from(character)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        assert_eq!(visible("a\tb\nä"), "a\tb\nä");
        assert_eq!(visible("\u{1b}[2J\u{7}\r\u{9b}1m\u{202e}x\n"), "\\x1b[2J\\x07\\r\\x9b1m\\u{202e}x\n");
        assert_eq!(visible_in_line("a\n\u{1b}b\tc"), "a\\n\\x1bb\\tc");
    }

    #[test]
    fn overlong_lines_are_cut() {
        let text = format!("a\n{}\nb", "x".repeat(LONGEST_LINE + 1_234));
        let shown = visible(&text).into_owned();
        assert_eq!(shown.lines().count(), 3);
        assert!(shown.contains("x… (1,234 more characters)\nb"), "{}", &shown[LONGEST_LINE..]);
    }

    #[test]
    fn json_stays_the_same_value() {
        let text = "\u{1b}[2J\u{9b}\u{7f}\u{202e}\n";
        let shown = visible_json(&serde_json::json!({ "a": text }).to_string()).into_owned();
        assert!(shown.is_ascii(), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap()["a"], text);
    }

    #[test]
    fn thousands_have_commas() {
        assert_eq!([0, 999, 1000, 1234567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
