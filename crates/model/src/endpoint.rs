//! What models outside this program share: settings, limits, secrets, the HTTP client, and how answers are read.

pub(crate) mod client;
pub(crate) mod dates;
#[cfg(test)]
pub(crate) mod fake_server;
pub(crate) mod limits;
pub(crate) mod parallel;
pub(crate) mod reading;
pub(crate) mod secrets;
pub(crate) mod settings;

use serde_json::{Value, json};

use crate::{Code, Input};

/// An input as the protocols of `http:` and `cmd:` write it.
pub(crate) fn input_as_json(input: &Input) -> Value {
    let language = |code: &Code| code.language.name();
    match input {
        Input::Code(code) => json!({ "code": code.text, "language": language(code) }),
        Input::Pair(first, second) => json!({
            "code1": first.text,
            "code2": second.text,
            "language": language(first),
            "language2": language(second),
        }),
        Input::CodeAndText(code, text) => json!({ "code": code.text, "text": text, "language": language(code) }),
    }
}

/// A text on one line that is short enough for a message.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 200;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_short_and_on_one_line() {
        assert_eq!(shortened(" <html>\n  <b>oh</b>\r\n"), "<html> <b>oh</b>");
        assert_eq!(shortened(&"ä".repeat(1000)).chars().count(), 201);
    }
}
