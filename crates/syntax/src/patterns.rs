//! Names that build files mean by a pattern: the functions that a linker exports.
//!
//! A pattern such as `^j[qv]_` or `jq_*` is known by the words that it begins with, and every name that begins like them may be
//! meant.

use std::collections::HashSet;

use crate::installed::statements;
use crate::names::each_word;

/// The words that patterns begin with.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    beginnings: HashSet<String>,
    /// Is there a pattern that any name may begin like?
    takes_any: bool,
}

/// The options of linkers that are followed by patterns.
const MARKS: [&str; 4] = ["export-symbols", "exported_symbol", "exported-symbol", "retain-symbols"];

impl Patterns {
    /// Adds the text of a file that is not a program.
    pub(crate) fn add(&mut self, text: &str) {
        // A script for versions of symbols is nothing but patterns.
        let is_script = text.contains("global:") || text.contains("local:");
        for statement in statements(text) {
            if is_script || MARKS.iter().any(|mark| statement.contains(mark)) {
                self.add_statement(&statement);
            }
        }
    }

    fn add_statement(&mut self, statement: &str) {
        let anchored = ["'^[", "\"^[", "'^.", "\"^.", "-regex [", "-regex ."];
        self.takes_any |= anchored.iter().any(|beginning| statement.contains(beginning));
        each_word(statement, |range| {
            let after = &statement[range.end..];
            let is_open = after.starts_with(['*', '?', '[', '(', '|', '+', '{', '\\']) || after.starts_with(".*");
            let is_anchored = statement[..range.start].ends_with(['^', '|', '(']);
            if is_open || is_anchored {
                self.beginnings.insert(statement[range].to_owned());
            }
        });
    }

    /// May a pattern mean this name?
    pub(crate) fn may_mean(&self, name: &str) -> bool {
        let borders = (1..=name.len()).filter(|end| name.is_char_boundary(*end));
        self.takes_any || borders.into_iter().any(|end| self.beginnings.contains(&name[..end]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, meant: &[&str], others: &[&str]) {
        let mut patterns = Patterns::default();
        patterns.add(text);
        assert!(meant.iter().all(|name| patterns.may_mean(name)), "{text}");
        assert!(!others.iter().any(|name| patterns.may_mean(name)), "{text}");
    }

    #[test]
    fn patterns_of_build_files() {
        // Reduced from jq, whose program calls functions that its library exports.
        check("LDFLAGS = -export-symbols-regex '^j[qv]_' -version-info 1:4:0\n", &["jq_run", "jv_get"], &["run"]);
        check("LDFLAGS = -export-symbols-regex '^json_|^big'\n", &["json_dump", "bigger"], &["jsonp_free"]);
        check("LDFLAGS = -export-symbols-regex '^(json|big)_'\n", &["json_dump", "big_one"], &["other"]);
        check("LDFLAGS = -export-symbols-regex '^[a-z]_'\n", &["any"], &[]);
        check("V1 {\n  global:\n    json*;\n  local:\n    *;\n};\n", &["json_dump"], &["dump"]);
        check("all: json*.c\n", &[], &["json_dump"]);
    }
}
