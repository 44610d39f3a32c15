//! Which headers of a project are made for its users: those that its build files install.
//!
//! Build files are read statement by statement, without knowing their language: a line with its continuations, or a call with all of
//! its arguments. What stands beside a word such as `install` is installed, and so is what the variables hold that stand there.
//! A header too many is left alone, which is safe.

use std::collections::HashSet;

/// What the build files of a project say.
#[derive(Debug, Default)]
pub(crate) struct Installed {
    /// Assignments: the variable, and the words of its value.
    variables: Vec<(String, Vec<String>)>,
    words: HashSet<String>,
    has_patterns: bool,
}

impl Installed {
    /// Adds the text of a file that is not a program.
    pub(crate) fn add(&mut self, text: &str) {
        for statement in statements(text) {
            let words = words_of(&statement);
            if words.iter().any(|word| installs(word)) {
                self.has_patterns |= has_pattern(&words);
                self.words.extend(words.into_iter().filter(|word| !is_kept(word)));
            } else if let Some(variable) = assigned(&statement, &words) {
                self.variables.push((variable, words));
            }
        }
    }

    /// Follows the variables, when all files have been added.
    pub(crate) fn complete(&mut self) {
        loop {
            let (installed, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.variables)
                .into_iter()
                .partition(|(variable, _)| self.words.contains(variable));
            self.variables = rest;
            if installed.is_empty() {
                return;
            }
            for (_, words) in installed {
                self.has_patterns |= has_pattern(&words);
                self.words.extend(words.into_iter().filter(|word| !is_kept(word)));
            }
        }
    }

    /// May the file with this name be installed?
    pub(crate) fn has(&self, file: &str) -> bool {
        self.has_patterns || self.words.contains(file)
    }
}

/// The most lines of a statement, so that a bracket that is never closed does not make one of the whole file.
const MOST_LINES: usize = 400;

/// The statements of a text: lines with their continuations, and calls with all of their arguments.
pub(crate) fn statements(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut statement, mut lines, mut depth) = (String::new(), 0, 0_isize);
    for line in text.lines() {
        let (line, is_continued) = match line.trim_end().strip_suffix('\\') {
            Some(line) => (line, true),
            None => (line, false),
        };
        statement.push_str(line);
        statement.push(' ');
        lines += 1;
        depth += line.matches(['(', '[']).count() as isize - line.matches([')', ']']).count() as isize;
        if !is_continued && depth <= 0 || lines == MOST_LINES {
            found.push(std::mem::take(&mut statement));
            (lines, depth) = (0, 0);
        }
    }
    found.push(statement);
    found
}

/// Names of files and variables, which end at every other character.
fn words_of(statement: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || "_.+-".contains(letter);
    statement.split(|letter| !is_part(letter)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Does the word say that something is installed? Automake installs what ends in `HEADERS`.
fn installs(word: &str) -> bool {
    let is_headers = word.ends_with("HEADERS") || word.ends_with("HEADER") || word == "FILE_SET";
    !is_kept(word) && (is_headers || word.to_ascii_lowercase().contains("install"))
}

/// Variables of Automake for what is not installed, and its script, which is listed beside sources.
fn is_kept(word: &str) -> bool {
    word.starts_with("noinst_") || word.starts_with("check_") || word.starts_with("install-sh")
}

/// Are whole folders or all headers meant?
fn has_pattern(words: &[String]) -> bool {
    words.iter().any(|word| matches!(word.as_str(), ".h" | ".hpp" | "DIRECTORY" | "install_subdir"))
}

/// The variable that a statement gives a value to: `NAME = …`, `set(NAME …)`, `list(APPEND NAME …)`, `file(GLOB NAME …)`.
fn assigned(statement: &str, words: &[String]) -> Option<String> {
    if let Some((before, _)) = statement.split_once('=') {
        let name = before.trim_end_matches([':', '+', '?', ' ', '\t']).trim_start();
        if !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || "_.-".contains(letter)) {
            return Some(name.to_owned());
        }
    }
    let place = match words.first()?.to_ascii_lowercase().as_str() {
        "set" => 1,
        "list" | "file" => 2,
        _ => return None,
    };
    words.get(place).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, installed: &[&str], kept: &[&str]) {
        let mut found = Installed::default();
        found.add(text);
        found.complete();
        assert!(installed.iter().all(|file| found.has(file)), "{text}");
        assert!(!kept.iter().any(|file| found.has(file)), "{text}");
    }

    #[test]
    fn headers_of_build_files() {
        check(
            "include_HEADERS = a.h \\\n  b.h\nnoinst_HEADERS = c.h\nlib_SOURCES = d.c d.h\n",
            &["a.h", "b.h"],
            &["c.h", "d.h", "d.c"],
        );
        check(
            "add_library(x a.c b.h)\nset(PUBLIC\n  a.h)\ninstall(TARGETS x)\ninstall(FILES ${PUBLIC}\n DESTINATION include)\n",
            &["a.h"],
            &["b.h"],
        );
        check("set_target_properties(x PROPERTIES PUBLIC_HEADER \"a.h\")\nadd_executable(y b.h)\n", &["a.h"], &["b.h"]);
        check("HDRS := a.h\nall: b.h\ninstall:\n\tinstall -m 644 $(HDRS) $(INCLUDE)\n", &["a.h"], &["b.h"]);
        check("install:\n\tinstall -m 644 include/*.h $(INCLUDE)\n", &["a.h"], &[]);
        check("headers = ['a.h']\ninstall_headers(headers)\nexecutable('b', 'b.h')\n", &["a.h"], &["b.h"]);
        check("all:\n\tcc a.c -o a\na.o: a.h\n", &[], &["a.h"]);
    }
}
