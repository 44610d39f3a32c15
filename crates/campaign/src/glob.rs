//! Patterns for paths: `*` and `?` stay within a name, `**` goes over folders.

use std::path::Path;

/// Does the pattern match a path below a folder? A pattern without a slash may match the name of the file, or of any folder that it
/// is in; one with a slash is for the whole path, or for a folder that the file is in.
///
/// ```
/// use std::path::Path;
/// use campaign::glob::matches;
///
/// assert!(matches("*.min.js", Path::new("lib/jquery.min.js")));
/// assert!(matches("tests", Path::new("core/tests/all.py")));
/// assert!(matches("src/**/*.c", Path::new("src/deep/er/list.c")));
/// assert!(!matches("src/*.c", Path::new("src/deep/list.c")));
/// ```
pub fn matches(pattern: &str, path: &Path) -> bool {
    let names: Vec<String> = path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
    if !pattern.contains('/') && pattern != "**" {
        return names.iter().any(|name| matches_name(pattern, name));
    }
    let parts: Vec<&str> = pattern.trim_start_matches('/').split('/').collect();
    (1..=names.len()).any(|end| matches_path(&parts, &names[..end]))
}

fn matches_path(parts: &[&str], names: &[String]) -> bool {
    match (parts, names) {
        ([], names) => names.is_empty(),
        (["**", rest @ ..], names) => (0..=names.len()).any(|skipped| matches_path(rest, &names[skipped..])),
        ([part, parts @ ..], [name, names @ ..]) => matches_name(part, name) && matches_path(parts, names),
        ([_, ..], []) => false,
    }
}

/// Goes back only to the last star: what an earlier one has taken never needs to change.
fn matches_name(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut read) = (0, 0);
    let mut last_star = None;
    while read < name.len() {
        match pattern.get(at) {
            Some('*') => {
                last_star = Some((at, read));
                at += 1;
            }
            Some(&letter) if letter == '?' || letter == name[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((star, taken)) = last_star else { return false };
                last_star = Some((star, taken + 1));
                at = star + 1;
                read = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, path, expected) in [
            ("*.c", "a.c", true),
            ("*.c", "a.cc", false),
            ("*.c", "deep/a.c", true),
            ("a?.c", "ab.c", true),
            ("a?.c", "a.c", false),
            ("*a*b*", "xxaxxbxxb", true),
            ("*a*b", "aab", true),
            ("*a*b", "ba", false),
            ("*", "anything", true),
            ("größe?", "größe1", true),
            ("src", "src/deep/a.c", true),
            ("src/", "src/deep/a.c", true),
            ("./src/a.c", "src/a.c", true),
            ("/a.c", "deep/a.c", false),
            ("/a.c", "a.c", true),
            ("src/deep", "src/deep/a.c", true),
            ("deep/a.c", "src/deep/a.c", false),
            ("**/deep/a.c", "src/deep/a.c", true),
            ("**/deep/a.c", "deep/a.c", true),
            ("src/**", "src/deep/a.c", true),
            ("src/**/a.c", "src/a.c", true),
            ("src/*/a.c", "src/a.c", false),
            ("**", "a.c", true),
            ("", "a.c", false),
        ] {
            assert_eq!(matches(pattern, Path::new(path)), expected, "{pattern} {path}");
        }
    }
}
