//! Text in markup: what comes from data sets, models and users is never read as markup.

use std::fmt::Write;

/// A text as it stands between tags and inside quoted attributes. Characters that a browser would drop, mend or let change
/// the direction of the line are shown instead.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(character),
            hidden if is_hidden(hidden) => {
                let _ = write!(escaped, "[U+{:04X}]", u32::from(hidden));
            }
            other => escaped.push(other),
        }
    }
    escaped
}

/// JSON that can stand inside a script element: no `<` is left that could end it.
pub fn json_in_script(value: &serde_json::Value) -> String {
    // Outside of strings JSON has no such character, so that each one may be written as its number.
    value.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Is a character one that cannot be seen, or that changes where others are seen?
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A p-value, as papers print it.
pub fn p_value(p: f64) -> String {
    if p < 0.001 { format!("{p:.1e}") } else { format!("{p:.3}") }
}

/// A number with as many digits as a reader needs.
pub fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 || size.fract() == 0.0 => grouped(value.round()),
        size if size < 10.0 => format!("{value:.3}"),
        _ => format!("{value:.1}"),
    }
}

/// A whole number with a thin blank between thousands.
pub fn count(number: usize) -> String {
    grouped(number as f64)
}

fn grouped(whole: f64) -> String {
    let digits = format!("{:.0}", whole.abs());
    let mut text = String::from(if whole < 0.0 { "-" } else { "" });
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A text of at most so many characters; the middle gives way.
pub fn shortened(text: &str, most: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= most {
        return text.to_owned();
    }
    let half = most.saturating_sub(1) / 2;
    let start: String = characters[..most - 1 - half].iter().collect();
    let end: String = characters[characters.len() - half..].iter().collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_a_browser_reads() {
        let hostile = "</script><img src=x onerror='alert(1)'>\"&\u{202e}\0";
        let escaped = escape(hostile);
        assert_eq!(escaped, "&lt;/script&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&quot;&amp;[U+202E][U+0000]");
        let json = json_in_script(&serde_json::json!({ "code": hostile, "<": "<!--" }));
        assert!(!json.contains('<'), "{json}");
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&read["code"], &read["<"]), (&hostile.into(), &"<!--".into()));
    }

    #[test]
    fn numbers_are_for_readers() {
        let shown = [short(0.12345), short(45.25), short(45.0), short(1234.0), short(23456.2)];
        assert_eq!(shown, ["0.123", "45.2", "45", "1234", "23\u{202f}456"]);
        assert_eq!((count(0), count(1234567)), ("0".to_owned(), "1\u{202f}234\u{202f}567".to_owned()));
        assert_eq!(percent(0.9684), "96.8 %");
        assert_eq!(
            (shortened("random-once", 20).as_str(), shortened("random-once", 7).as_str()),
            ("random-once", "ran…nce")
        );
    }
}
