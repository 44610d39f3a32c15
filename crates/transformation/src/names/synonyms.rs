//! Names in which words are replaced with near synonyms: `totalCost` becomes `sumCost`.
//!
//! The thesaurus lists words that programmers use interchangeably, abbreviations included. The rest of the name keeps
//! its spelling: capitals, underscores and digits. One word is replaced first, then several. If no word of the name
//! is known, or no such name is fresh, a generic word is prepended or appended. A new variable, such as one that
//! holds a condition, is named after the word that describes it.
//!
//! ```java
//! int area(int width) { int total = 2 * width; return total; }
//! ```
//! ->
//! ```java
//! int area(int width) { int sum = 2 * width; return sum; }
//! ```
//!
//! ```python
//! def area(width):
//!     _outer_count2 = 2 * width
//!     return _outer_count2
//! ```
//! ->
//! ```python
//! def area(width):
//!     _outer_ticker2 = 2 * width
//!     return _outer_ticker2
//! ```
//!
//! `qux` has no synonym:
//!
//! ```c
//! int area(int width) { int qux = 2 * width; return qux; }
//! ```
//! ->
//! ```c
//! int area(int width) { int cur_qux = 2 * width; return cur_qux; }
//! ```

use std::collections::BTreeMap;
use std::sync::LazyLock;

use syntax::names::subtokens;

use super::Request;
use random::Random;

/// One group of words a line; a word may stand in several.
const THESAURUS: &str = include_str!("thesaurus.txt");

/// Words that can stand before or after nearly every name.
const BEFORE: [&str; 10] = ["cur", "current", "inner", "local", "my", "new", "our", "own", "temp", "the"];
const BEHIND: [&str; 10] = ["data", "entry", "info", "item", "object", "ref", "store", "temp", "val", "value"];

pub(super) fn propose(request: &Request<'_>, random: &mut Random) -> Vec<String> {
    let name = request.wish.hint;
    let mut names = match request.attempt {
        0 => with_one_word_replaced(name),
        1..=3 => (0..16).map(|_| with_words_replaced(name, random)).filter(|new| new != name).collect(),
        _ => Vec::new(),
    };
    random.shuffle(&mut names);
    if names.is_empty() {
        names = with_word_added(request);
        random.shuffle(&mut names);
    }
    names
}

/// Every name in which one word is replaced by one of its synonyms.
fn with_one_word_replaced(name: &str) -> Vec<String> {
    let words = places(name);
    let mut names = Vec::new();
    for (start, word) in &words {
        for synonym in synonyms(word) {
            let (before, after) = (&name[..*start], &name[start + word.len()..]);
            names.push(format!("{before}{}{after}", in_case_of(word, synonym)));
        }
    }
    names
}

/// A name in which each known word is replaced, or kept, by chance.
fn with_words_replaced(name: &str, random: &mut Random) -> String {
    let mut new = String::new();
    let mut done = 0;
    for (start, word) in places(name) {
        new.push_str(&name[done..start]);
        let synonyms = synonyms(word);
        if synonyms.is_empty() || random.below(3) == 0 {
            new.push_str(word);
        } else {
            new.push_str(&in_case_of(word, random.pick::<&str>(synonyms)));
        }
        done = start + word.len();
    }
    new + &name[done..]
}

/// Names with one word more. The underscores around a name can have a meaning and stay.
fn with_word_added(request: &Request<'_>) -> Vec<String> {
    let name = request.wish.hint;
    let is_mark = |letter: char| !letter.is_alphanumeric();
    let core = name.trim_matches(is_mark);
    let (before, after) = match core.is_empty() {
        true => ("", ""),
        false => {
            let start = name.len() - name.trim_start_matches(is_mark).len();
            (&name[..start], &name[start + core.len()..])
        }
    };
    let words = subtokens(core);
    let join = |words: Vec<&str>| format!("{before}{}{after}", request.convention.join(&words));
    let first = BEFORE.iter().map(|word| join([&[*word], &words[..]].concat()));
    let last = BEHIND.iter().map(|word| join([&words[..], &[*word]].concat()));
    first.chain(last).collect()
}

/// The words of a name with the byte at which each starts.
fn places<'n>(name: &'n str) -> Vec<(usize, &'n str)> {
    let mut done = 0;
    let place = |word: &'n str| {
        let start = done + name[done..].find(word).unwrap_or(0);
        done = start + word.len();
        (start, word)
    };
    subtokens(name).into_iter().map(place).collect()
}

/// Writes `synonym` in small letters, capitals or with one capital, as `word` is written.
fn in_case_of(word: &str, synonym: &str) -> String {
    let is_upper = |letter: char| letter.is_uppercase();
    let mut letters = synonym.chars();
    match (word.starts_with(is_upper), word.chars().count() > 1 && word.chars().all(is_upper), letters.next()) {
        (_, true, _) => synonym.to_uppercase(),
        (true, false, Some(first)) => first.to_uppercase().chain(letters).collect(),
        _ => synonym.to_owned(),
    }
}

/// The words that mean nearly the same as `word`, in any letter case.
fn synonyms(word: &str) -> &'static [&'static str] {
    static SYNONYMS: LazyLock<BTreeMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
        let mut synonyms: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for group in groups() {
            for word in &group {
                let others = synonyms.entry(word).or_default();
                for other in &group {
                    if other != word && !others.contains(other) {
                        others.push(other);
                    }
                }
            }
        }
        synonyms
    });
    SYNONYMS.get(word.to_lowercase().as_str()).map_or(&[], Vec::as_slice)
}

fn groups() -> impl Iterator<Item = Vec<&'static str>> {
    THESAURUS
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.split_ascii_whitespace().collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_thesaurus_is_in_order() {
        assert!(groups().count() >= 300, "{}", groups().count());
        for group in groups() {
            let distinct: BTreeSet<&&str> = group.iter().collect();
            assert!(distinct.len() == group.len() && group.len() >= 2, "{group:?}");
            assert!(group.iter().all(|word| word.bytes().all(|letter| letter.is_ascii_lowercase())), "{group:?}");
        }
        assert!(synonyms("idx").contains(&"index") && synonyms("Length").contains(&"len"));
        assert!(synonyms("total").contains(&"sum") && synonyms("qux").is_empty());
    }

    #[test]
    fn the_rest_of_the_name_is_kept() {
        assert!(with_one_word_replaced("_maxIndex2").contains(&"_maxPosition2".to_owned()));
        assert!(with_one_word_replaced("MAX_LEN").contains(&"MAX_LENGTH".to_owned()));
        assert!(with_one_word_replaced("lenLen").contains(&"lenLength".to_owned()));
        assert!(with_one_word_replaced("qux").is_empty());
        assert_eq!(in_case_of("I", "index"), "Index");
    }
}
