//! A unit of a catalogue: its name, its file and its function.

use crate::header::{self, Example};

/// One unit of a catalogue.
pub struct Unit<F> {
    /// The name of the file, without its ending.
    file: &'static str,
    /// The text of the file.
    pub source: &'static str,
    /// Its one public function.
    pub run: F,
}

impl<F> Unit<F> {
    /// Makes a unit of a file's name without its ending, the file's text and its public function.
    pub const fn new(file: &'static str, source: &'static str, run: F) -> Unit<F> {
        Unit { file, source, run }
    }

    /// The name as people write it, with dashes: the file `add_dead_branch.rs` holds `add-dead-branch`.
    pub fn name(&self) -> String {
        self.file.replace('_', "-")
    }

    /// What the unit does, in one line: the first line of its header.
    pub fn title(&self) -> &'static str {
        header::lines(self.source).next().unwrap_or("").trim()
    }

    /// The manual page in Markdown, title and examples included. It ends in a line break.
    pub fn page(&self) -> String {
        let mut page = String::new();
        for line in header::lines(self.source) {
            page.push_str(line.trim_end());
            page.push('\n');
        }
        page.truncate(page.trim_end().len());
        page.push('\n');
        page
    }

    /// A fact about the unit, such as `class` in a header whose second paragraph has the line `class: naming`.
    ///
    /// Every line of that paragraph must read `key: value`; a paragraph with any other line states no facts.
    pub fn fact(&self, key: &str) -> Option<&'static str> {
        self.facts().into_iter().find(|(found, _)| *found == key).map(|(_, value)| value)
    }

    /// All facts about the unit in the order of the header, see [`Unit::fact`].
    pub fn facts(&self) -> Vec<(&'static str, &'static str)> {
        let lines = header::lines(self.source).map(str::trim).skip(1).skip_while(|line| line.is_empty());
        lines.take_while(|line| !line.is_empty()).map(key_and_value).collect::<Option<_>>().unwrap_or_default()
    }

    /// The promises of the header, in its order.
    pub fn examples(&self) -> Vec<Example> {
        header::examples(self.source)
    }
}

/// Takes `key: value` apart. A key is one word of small letters and dashes, so that sentences are none.
fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    let is_word = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_word.then(|| (key, value.trim()))
}

/// Refuses a faulty header, and hands a unit with a sound one to `check`. Called by `catalogue!`.
#[track_caller]
pub fn check_header<F>(catalogue: &[Unit<F>], file: &str, check: fn(&Unit<F>)) {
    let unit = catalogue.iter().find(|unit| unit.file == file).expect("the macro lists every file that it tests");
    let problems: Vec<String> =
        header::problems(unit.source).iter().map(|problem| format!("{file}.rs, {problem}")).collect();
    assert!(problems.is_empty(), "mend the header:\n{}", problems.join("\n"));
    check(unit);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str =
        "//! Doubles every number. \n//!\n//! Twice.\n//!\n//! ```text\n//! 1\n//! ```\n//!\n\nuse x;\n";

    #[test]
    fn people_write_dashes_and_files_underscores() {
        assert_eq!(Unit::new("add_dead_branch", SOURCE, ()).name(), "add-dead-branch");
        assert_eq!(Unit::new("greedy", SOURCE, ()).name(), "greedy");
    }

    #[test]
    fn the_page_is_the_header_without_its_marks() {
        let unit = Unit::new("double", SOURCE, ());
        assert_eq!(unit.title(), "Doubles every number.");
        assert_eq!(unit.page(), "Doubles every number.\n\nTwice.\n\n```text\n1\n```\n");
        assert_eq!(unit.examples().len(), 1);
    }

    #[test]
    fn facts_are_the_lines_of_the_second_paragraph() {
        let unit = Unit::new("double", "//! T.\n//!\n//! class: naming\n//! from: a, b: c\n//!\n//! note: no.\n", ());
        assert_eq!(unit.facts(), [("class", "naming"), ("from", "a, b: c")]);
        assert_eq!(unit.fact("class"), Some("naming"));
        assert_eq!(unit.fact("note"), None);
        assert_eq!(Unit::new("double", "//! T.\n//!\n//! class: x\n//! Words: here.\n", ()).facts(), []);
        assert_eq!(Unit::new("double", SOURCE, ()).facts(), []);
    }

    #[test]
    fn a_file_without_a_header_has_an_empty_page() {
        let unit = Unit::new("silent", "fn silent() {}\n", ());
        assert_eq!(unit.title(), "");
        assert_eq!(unit.page(), "\n");
        assert!(unit.examples().is_empty());
    }

    #[test]
    #[should_panic(expected = "double.rs, line 1: ")]
    fn a_faulty_header_is_refused_before_it_is_checked() {
        check_header(&[Unit::new("double", "fn double() {}\n", ())], "double", |_| unreachable!());
    }
}
