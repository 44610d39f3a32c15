//! Identifiers: which are legal, which are fresh, and how they divide into words.

use std::collections::HashMap;
use std::ops::Range;

use crate::language::Language;
use crate::program::Program;
use crate::tree::Node;

/// Is `name` a word that the grammar keeps for itself? It can never be a name.
///
/// ```
/// use syntax::{Language, names};
///
/// assert!(names::is_keyword(Language::Python, "lambda"));
/// assert!(!names::is_keyword(Language::Java, "lambda"));
/// ```
pub fn is_keyword(language: Language, name: &str) -> bool {
    language.facts().keywords.binary_search(&name).is_ok()
}

/// Has `name` a meaning for the language, its standard library or its usual hosts? It can be a name, but a
/// new name should not take it.
///
/// Whole families count, too: names that C and C++ keep for their implementations, and Python's names
/// between double underscores.
///
/// ```
/// use syntax::{Language, names};
///
/// assert!(names::is_reserved(Language::C, "printf"));
/// assert!(names::is_reserved(Language::C, "_Next"));
/// assert!(!names::is_reserved(Language::Java, "_Next"));
/// ```
pub fn is_reserved(language: Language, name: &str) -> bool {
    language.facts().reserved.binary_search(&name).is_ok() || is_in_reserved_family(language, name)
}

fn is_in_reserved_family(language: Language, name: &str) -> bool {
    let after_underscore = || name.strip_prefix('_').and_then(|rest| rest.chars().next());
    let is_for_implementations = || after_underscore().is_some_and(|next| next == '_' || next.is_uppercase());
    match language {
        Language::C => is_for_implementations(),
        Language::Cpp => is_for_implementations() || name.contains("__"),
        Language::Python => name.len() > 4 && name.starts_with("__") && name.ends_with("__"),
        Language::Java | Language::JavaScript => false,
    }
}

/// Can `name` be a name at all: does it consist of the right characters, and is it no keyword?
///
/// Letters of every script count. What the standards allow beyond letters, digits, `_` and (in Java and
/// JavaScript) `$` is refused: nobody needs it for a new name.
///
/// ```
/// use syntax::{Language, names};
///
/// assert!(names::is_legal(Language::JavaScript, "$größe2"));
/// assert!(!names::is_legal(Language::Python, "$cost"));
/// assert!(!names::is_legal(Language::C, "2nd"));
/// assert!(!names::is_legal(Language::C, "while"));
/// ```
pub fn is_legal(language: Language, name: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphabetic() || letter == '_' || letter == '$' && has_dollar(language);
    let mut letters = name.chars();
    letters.next().is_some_and(is_letter)
        && letters.all(|letter| is_letter(letter) || letter.is_ascii_digit())
        && !is_keyword(language, name)
}

/// Can a name in the program have several spellings? `\u0061` is `a` in C, C++ and JavaScript, and Python normalises
/// identifiers (NFKC), so that `ﬁ` is `fi`. This is so rare that all names of such a program stay unresolved.
pub(crate) fn have_several_spellings(program: &Program) -> bool {
    let text = program.text();
    let is_another_spelling: fn(&str) -> bool = match program.language() {
        Language::Java => return false,
        Language::C | Language::Cpp | Language::JavaScript if !text.contains("\\u") && !text.contains("\\U") => {
            return false;
        }
        Language::C | Language::Cpp | Language::JavaScript => |name| name.contains('\\'),
        Language::Python if text.is_ascii() => return false,
        Language::Python => |name| !name.chars().all(is_its_own_normal_form),
    };
    program.nodes().any(|node| node.kind().is_identifier() && is_another_spelling(node.text()))
}

/// Does NFKC leave this letter unchanged? Scripts that are not listed have combining characters.
fn is_its_own_normal_form(letter: char) -> bool {
    let is_joined = matches!(letter, 'ª' | 'µ' | 'º' | 'Ĳ' | 'ĳ' | 'Ŀ' | 'ŀ' | 'ŉ' | 'ſ');
    let is_simple = matches!(letter,
        '\0'..='ſ' // Latin.
        | 'Ά' | 'Έ'..='ώ' // Greek.
        | 'Ѐ'..='ӿ' // Cyrillic.
        | 'א'..='ת' // Hebrew.
        | 'ء'..='ي' // Arabic.
        | 'ぁ'..='ゖ' | 'ァ'..='ヺ' // Japanese.
        | '一'..='鿿' // Chinese.
        | '가'..='힣' // Korean.
    );
    is_simple && !is_joined
}

const fn has_dollar(language: Language) -> bool {
    match language {
        Language::Java | Language::JavaScript => true,
        Language::C | Language::Cpp | Language::Python => false,
    }
}

/// The words that a name consists of, in order, as they are written.
///
/// Words end at underscores and other marks, which belong to none, where a capital follows a small
/// letter, before the last capital of an acronym that a small letter follows, and between letters and
/// digits.
///
/// ```
/// use syntax::names::subtokens;
///
/// assert_eq!(subtokens("parseHTTPResponse2xx"), ["parse", "HTTP", "Response", "2", "xx"]);
/// assert_eq!(subtokens("_MAX_SIZE"), ["MAX", "SIZE"]);
/// assert!(subtokens("_").is_empty());
/// ```
pub fn subtokens(name: &str) -> Vec<&str> {
    #[derive(Clone, Copy, PartialEq)]
    enum Class {
        Mark,
        Digit,
        Capital,
        /// A small letter, or a letter of a script that has no capitals.
        Small,
    }
    let class = |letter: char| match letter {
        _ if letter.is_numeric() => Class::Digit,
        _ if letter.is_uppercase() => Class::Capital,
        _ if letter.is_alphabetic() => Class::Small,
        _ => Class::Mark,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut previous = Class::Mark;
    let mut last_start = 0;
    for (at, letter) in name.char_indices() {
        let this = class(letter);
        let border = match (previous, this) {
            // The capital before this small letter begins the word, unless it does so already.
            (Class::Capital, Class::Small) => last_start,
            (Class::Small, Class::Small) | (Class::Capital, Class::Capital) | (Class::Digit, Class::Digit) => start,
            _ => at,
        };
        if border > start {
            words.push(&name[start..border]);
        }
        start = border;
        if this == Class::Mark {
            start = at + letter.len_utf8();
        }
        last_start = at;
        previous = this;
    }
    if start < name.len() {
        words.push(&name[start..]);
    }
    words
}

/// How a name shows where its words begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Convention {
    /// `camelCase`
    Camel,
    /// `PascalCase`
    Pascal,
    /// `snake_case`
    Snake,
    /// `SCREAMING_SNAKE_CASE`
    ScreamingSnake,
}

impl Convention {
    /// Every convention.
    pub const ALL: [Convention; 4] =
        [Convention::Camel, Convention::Pascal, Convention::Snake, Convention::ScreamingSnake];

    /// The name, written as the convention has it.
    pub const fn name(self) -> &'static str {
        match self {
            Convention::Camel => "camelCase",
            Convention::Pascal => "PascalCase",
            Convention::Snake => "snake_case",
            Convention::ScreamingSnake => "SCREAMING_SNAKE_CASE",
        }
    }

    /// The convention that a name follows. `None` when it follows none, or when it does not tell: `total`
    /// could be the start of `totalCost` and of `total_cost`, and `N` of `Node` and of `N_MAX`.
    ///
    /// Underscores before and after the name do not count.
    ///
    /// ```
    /// use syntax::names::Convention;
    ///
    /// assert_eq!(Convention::of("totalCost"), Some(Convention::Camel));
    /// assert_eq!(Convention::of("_total_cost"), Some(Convention::Snake));
    /// assert_eq!(Convention::of("total"), None);
    /// assert_eq!(Convention::of("Total_cost"), None);
    /// ```
    pub fn of(name: &str) -> Option<Convention> {
        let name = name.trim_matches(['_', '$']);
        if !name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
            return None;
        }
        let has_underscore = name.contains('_');
        let has_small = name.chars().any(char::is_lowercase);
        let capitals = name.chars().filter(|letter| letter.is_uppercase()).count();
        let starts_with_capital = name.starts_with(char::is_uppercase);
        match (has_underscore, has_small, capitals) {
            (true, true, 0) => Some(Convention::Snake),
            (true, false, 1..) | (false, false, 2..) => Some(Convention::ScreamingSnake),
            (false, true, 1..) if starts_with_capital => Some(Convention::Pascal),
            (false, true, 1..) => Some(Convention::Camel),
            _ => None,
        }
    }

    /// Makes one name of words. The letter case of the words does not matter.
    ///
    /// ```
    /// use syntax::names::Convention;
    ///
    /// assert_eq!(Convention::Camel.join(&["parse", "HTTP", "response"]), "parseHttpResponse");
    /// assert_eq!(Convention::ScreamingSnake.join(&["max", "size"]), "MAX_SIZE");
    /// ```
    pub fn join<Word: AsRef<str>>(self, words: &[Word]) -> String {
        let mut name = String::new();
        for (index, word) in words.iter().map(AsRef::as_ref).enumerate() {
            let is_capitalised = match self {
                Convention::Camel => index > 0,
                Convention::Pascal => true,
                Convention::Snake | Convention::ScreamingSnake => {
                    if index > 0 {
                        name.push('_');
                    }
                    self == Convention::ScreamingSnake
                }
            };
            let mut letters = word.chars();
            if let Some(first) = letters.next().filter(|_| is_capitalised) {
                name.extend(first.to_uppercase());
            } else {
                letters = word.chars();
            }
            match self {
                Convention::ScreamingSnake => name.push_str(&letters.as_str().to_uppercase()),
                Convention::Camel | Convention::Pascal | Convention::Snake => {
                    name.push_str(&letters.as_str().to_lowercase());
                }
            }
        }
        name
    }
}

impl Program {
    /// Does `name` occur nowhere in the program, so that it can be given to something new without meeting
    /// or capturing anything? Keywords and reserved names are never fresh.
    ///
    /// The whole text counts, word by word: names in strings can be reached by format strings, reflection and
    /// `eval`, names in directives and macro bodies by the preprocessor, and names in comments by doctests. Only
    /// a name that is put together while the program is compiled or run (`a##b`) cannot be seen. The
    /// words are collected at the first question, so that each further one costs a binary search.
    ///
    /// ```
    /// use syntax::{Language, Program};
    ///
    /// let program = Program::parse(Language::C, "void f(int n) { printf(\"rest %d\\n\", n); }");
    /// assert!(program.is_fresh("r"));
    /// assert!(!program.is_fresh("rest"));
    /// assert!(!program.is_fresh("while"));
    /// ```
    pub fn is_fresh(&self, name: &str) -> bool {
        if is_keyword(self.language(), name) || is_reserved(self.language(), name) {
            return false;
        }
        if !name.chars().all(|letter| is_word_letter(letter) || letter == '$') {
            return !self.text().contains(name);
        }
        let words = self.words.get_or_init(|| Words::of(self.text()));
        !words.contain(self.text(), name)
    }

    /// How often the text outside comments has each word: in code, strings, directives and parts that were not read.
    ///
    /// ```
    /// use syntax::{Language, Program};
    ///
    /// let program = Program::parse(Language::C, "int f(void) { return f(); } /* f */ char *name = \"f\";");
    /// assert_eq!(program.words_outside_comments()["f"], 3);
    /// ```
    pub fn words_outside_comments(&self) -> HashMap<&str, usize> {
        let mut comments = self.nodes().filter(|node| node.kind().is_comment()).map(Node::range).peekable();
        let mut counts = HashMap::new();
        each_word(self.text(), |range| {
            while comments.next_if(|comment| comment.end <= range.start).is_some() {}
            if comments.peek().is_none_or(|comment| range.start < comment.start) {
                *counts.entry(&self.text()[range]).or_default() += 1;
            }
        });
        counts
    }
}

/// The places of the different words of a text, in the order of the words.
pub(crate) struct Words(Vec<Range<u32>>);

impl Words {
    fn of(text: &str) -> Words {
        let mut words: Vec<Range<u32>> = Vec::new();
        each_word(text, |range| words.push(range.start as u32..range.end as u32));
        let word = |range: &Range<u32>| &text[range.start as usize..range.end as usize];
        words.sort_unstable_by(|one, other| word(one).cmp(word(other)));
        words.dedup_by(|one, other| word(one) == word(other));
        Words(words)
    }

    fn contain(&self, text: &str, name: &str) -> bool {
        self.0.binary_search_by(|range| text[range.start as usize..range.end as usize].cmp(name)).is_ok()
    }
}

/// Shows the place of everything in a text that a reader may take for a word.
pub(crate) fn each_word(text: &str, mut show: impl FnMut(Range<usize>)) {
    let mut add = |range: Range<usize>| {
        if !range.is_empty() {
            show(range);
        }
    };
    let mut rest = 0;
    while let Some(start) = text[rest..].find(|letter| is_word_letter(letter) || letter == '$').map(|at| rest + at) {
        let length = text[start..].find(|letter| !is_word_letter(letter) && letter != '$');
        let end = length.map_or(text.len(), |length| start + length);
        let run = &text[start..end];
        add(start..end);
        // `$` is a letter in some languages and a mark in strings of all.
        if run.contains('$') {
            let mut at = start;
            for piece in run.split('$') {
                add(at..at + piece.len());
                at += piece.len() + 1;
            }
        }
        // In `"\nrest"` the `n` belongs to the escape.
        if text[..start].ends_with('\\') {
            add(start + run.chars().next().map_or(0, char::len_utf8)..end);
        }
        rest = end;
    }
}

pub(crate) fn is_word_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    /// Renaming changed only one of the two spellings.
    #[test]
    fn names_with_several_spellings_are_not_looked_up() {
        for (language, text, expected) in [
            (Language::C, "int \\u00c1(void); int f(void) { return \\u00C1(); }", true),
            (Language::Cpp, "int f() { return puts(\"\\u00c1\"); }", false),
            (Language::JavaScript, "let abc = 1; \\u0061bc += 2;", true),
            (Language::Python, "ﬁ = 1\nfi += 2\n", true),
            (Language::Python, "größe = 1\nλ = größe\n面积 = 'ﬁ'\n", false),
            // The same letter, composed and decomposed.
            (Language::Python, "é = 1\ne\u{301} = 2\n", true),
        ] {
            let program = Program::parse(language, text);
            assert!(!program.is_broken(), "{text}");
            assert_eq!(have_several_spellings(&program), expected, "{text}");
            assert_eq!(program.scopes().symbols().next().is_none(), expected, "{text}");
        }
    }

    #[test]
    fn the_lists_of_words_are_sorted_and_apart() {
        for language in Language::ALL {
            let facts = language.facts();
            for list in [facts.keywords, facts.reserved] {
                for pair in list.windows(2) {
                    assert!(pair[0] < pair[1], "{language}: {:?} before {:?}", pair[0], pair[1]);
                }
            }
            for word in facts.reserved {
                assert!(!is_keyword(language, word), "{language}: {word} is in both lists");
            }
        }
        use crate::languages::javascript::facts::{STANDARD_MEMBERS, STANDARD_OBJECTS};
        for list in [STANDARD_MEMBERS, STANDARD_OBJECTS] {
            assert!(list.is_sorted());
        }
        for object in STANDARD_OBJECTS {
            assert!(is_reserved(Language::JavaScript, object), "{object}");
        }
    }

    #[test]
    fn the_grammars_agree_on_what_is_legal() {
        let around = |language: Language, name: &str| match language {
            Language::Java => format!("class A {{ int {name} = 1; }}"),
            Language::C | Language::Cpp => format!("int {name} = 1;"),
            Language::Python => format!("{name} = 1\n"),
            Language::JavaScript => format!("var {name} = 1;"),
        };
        let names =
            ["a", "_", "_a1", "größe", "Ωmega", "变量", "имя", "a$b", "$", "1a", "a-b", "a b", "", "a.b", "été2"];
        for language in Language::ALL {
            for name in names.iter().chain(language.facts().keywords) {
                let program = Program::parse(language, around(language, name));
                let is_name = program.nodes_of_kind(Kind::Identifier).any(|node| node.text() == *name);
                if is_legal(language, name) {
                    assert!(!program.is_broken() && is_name, "{language}: {name} is not legal");
                }
            }
            assert!(is_legal(language, "变量") && is_legal(language, "_a1") && !is_legal(language, "1a"));
            assert!(!is_legal(language, "") && !is_legal(language, "a-b") && !is_legal(language, "a²"));
            assert_eq!(is_legal(language, "a$b"), matches!(language, Language::Java | Language::JavaScript));
        }
        assert!(!is_legal(Language::Java, "_"));
        assert!(is_legal(Language::Python, "_"));
    }

    #[test]
    fn families_are_reserved() {
        assert!(is_reserved(Language::C, "__x") && is_reserved(Language::Cpp, "a__b"));
        assert!(!is_reserved(Language::C, "_x") && !is_reserved(Language::C, "a__b"));
        assert!(is_reserved(Language::Python, "__len__") && !is_reserved(Language::Python, "__len"));
    }

    #[test]
    fn names_divide_into_words() {
        let check = |name: &str, words: &[&str]| assert_eq!(subtokens(name), words, "{name}");
        check("camelCase", &["camel", "Case"]);
        check("PascalCase", &["Pascal", "Case"]);
        check("snake_case__twice_", &["snake", "case", "twice"]);
        check("SCREAMING_CASE", &["SCREAMING", "CASE"]);
        check("$jQuery$", &["j", "Query"]);
        check("utf8Decode", &["utf", "8", "Decode"]);
        check("HTMLParser", &["HTML", "Parser"]);
        check("getX", &["get", "X"]);
        check("X", &["X"]);
        check("aB", &["a", "B"]);
        check("ABc", &["A", "Bc"]);
        check("x2Y", &["x", "2", "Y"]);
        check("größeÄndern", &["größe", "Ändern"]);
        check("ИмяФайла", &["Имя", "Файла"]);
        check("变量2", &["变量", "2"]);
        check("_", &[]);
        check("__", &[]);
        check("", &[]);
        check("#secretName", &["secret", "Name"]);
    }

    #[test]
    fn words_join_to_names() {
        let words = ["parse", "HTTP", "2", "äh"];
        assert_eq!(Convention::Camel.join(&words), "parseHttp2Äh");
        assert_eq!(Convention::Pascal.join(&words), "ParseHttp2Äh");
        assert_eq!(Convention::Snake.join(&words), "parse_http_2_äh");
        assert_eq!(Convention::ScreamingSnake.join(&words), "PARSE_HTTP_2_ÄH");
        assert_eq!(Convention::Camel.join::<&str>(&[]), "");
        for convention in Convention::ALL {
            assert_eq!(Convention::of(&convention.join(&["two", "words"])), Some(convention));
            assert_eq!(convention.join(&subtokens(convention.name())), convention.name());
        }
    }

    #[test]
    fn names_follow_conventions() {
        let check = |name: &str, convention: Option<Convention>| assert_eq!(Convention::of(name), convention, "{name}");
        check("x1", None);
        check("N", None);
        check("ID", Some(Convention::ScreamingSnake));
        check("N_1", Some(Convention::ScreamingSnake));
        check("Name", Some(Convention::Pascal));
        check("aB", Some(Convention::Camel));
        check("$el", None);
        check("a_b", Some(Convention::Snake));
        check("a_B", None);
        check("_", None);
        check("", None);
        check("变量", None);
    }

    #[test]
    fn fresh_names_occur_nowhere() {
        let text = "// see helper\nconst total = `${count}` + \"\\nrest $cost\" + 'x' + $el;";
        let program = Program::parse(Language::JavaScript, text);
        for taken in ["helper", "total", "count", "rest", "nrest", "cost", "$cost", "$el", "el", "const", "Math", "x"] {
            assert!(!program.is_fresh(taken), "{taken}");
        }
        for fresh in ["help", "tot", "totals", "res", "y", "$x", "变量"] {
            assert!(program.is_fresh(fresh), "{fresh}");
        }
    }

    #[test]
    fn fresh_names_are_not_in_directives() {
        let program = Program::parse(Language::C, "#define SQUARE(v) (v * scale)\nint main(void) { return 0; }\n");
        assert!(!program.is_fresh("scale") && !program.is_fresh("v") && !program.is_fresh("define"));
        assert!(program.is_fresh("w"));
    }
}
