//! The words of a command line, split as a shell splits them, without a shell.

/// Splits a command line at blanks. Quotes hold words together and a backslash takes the next letter as it is, except between
/// single quotes. Nothing is replaced: no variables, no patterns. Nothing, where a quote is not closed.
pub(super) fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    // A word that is there, though perhaps empty.
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            _ if letter.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' => break,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '"' => break,
                        '\\' => match letters.next()? {
                            escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                            other => word.extend(['\\', other]),
                        },
                        inner => word.push(inner),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        for (line, words) in [
            ("python3 model.py", &["python3", "model.py"][..]),
            ("  a \t b\n", &["a", "b"]),
            ("a 'b c' \"d e\"", &["a", "b c", "d e"]),
            (r#"a "say \"hi\" \n" 'it\s'"#, &["a", r#"say "hi" \n"#, r"it\s"]),
            (r"a\ b c\'d", &["a b", "c'd"]),
            ("a '' b\"\"c", &["a", "", "bc"]),
            ("a $HOME *.py | b", &["a", "$HOME", "*.py", "|", "b"]),
            ("", &[]),
        ] {
            assert_eq!(split(line).expect("closed quotes"), words, "{line}");
        }
        for line in ["a 'b", "a \"b", "a \"b\\\"", "a\\"] {
            assert_eq!(split(line), None, "{line}");
        }
    }
}
