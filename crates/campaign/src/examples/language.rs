//! What language the programs of a data set are in.

use std::path::Path;

use rayon::prelude::*;
use syntax::{Language, Program};

use super::{Gathered, Request};
use crate::data::DataError;

/// How many programs are read in all languages.
const SAMPLED: usize = 40;

/// How the languages of programs are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LanguageSource {
    /// The user said so.
    Given,
    /// Every row or file tells.
    Told,
    /// The name of the file is that of a language.
    FileName,
    /// It is the one in which a sample of the programs parses best.
    Recognised(Recognition),
}

/// How many programs of a sample parse cleanly in each language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognition {
    /// How many programs were tried.
    pub sampled: usize,
    /// How many of them parse cleanly, the best language first.
    pub clean: Vec<(Language, usize)>,
}

impl Recognition {
    /// Does the best language stand apart, so that another one is out of the question?
    pub fn is_sure(&self) -> bool {
        let [(_, best), (_, next), ..] = self.clean[..] else { return false };
        best * 2 > self.sampled && next * 2 <= best
    }
}

/// Gives a language to every program that has none, and returns a warning if it seems wrong.
pub(super) fn settle(
    path: &Path,
    gathered: &mut Gathered,
    request: &Request,
) -> Result<(LanguageSource, Option<String>), DataError> {
    let unknown = gathered.programs.iter().filter(|program| program.language.is_none());
    let texts: Vec<&str> = unknown.map(|program| program.text.as_str()).collect();
    if texts.is_empty() {
        return Ok((LanguageSource::Told, None));
    }
    let (language, source) = language_of(path, request.language, &texts)?;
    let doubt = doubt(language, &source, &texts);
    for program in &mut gathered.programs {
        program.language.get_or_insert(language);
    }
    Ok((source, doubt))
}

/// A warning if far fewer programs parse in the given language than in another.
fn doubt(given: Language, source: &LanguageSource, texts: &[&str]) -> Option<String> {
    if *source != LanguageSource::Given {
        return None;
    }
    let Recognition { sampled, clean } = recognise(texts);
    let (best, most) = clean[0];
    let (_, own) = clean.iter().find(|(language, _)| *language == given)?;
    (own * 2 < most).then(|| {
        format!(
            "{own} of {sampled} sampled programs parse as {given}, and {most} as {best}: is --language {given} right?"
        )
    })
}

/// The language of the programs of a data set that do not tell: the one that is given, that of the file's name such as `java.jsonl.gz`, or
/// the one in which most of them parse.
pub(crate) fn language_of(
    path: &Path,
    given: Option<Language>,
    texts: &[&str],
) -> Result<(Language, LanguageSource), DataError> {
    let stem = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split('.').next());
    let named = stem.filter(|_| path.is_file()).and_then(|stem| stem.parse().ok());
    match (given, named) {
        (Some(language), _) => Ok((language, LanguageSource::Given)),
        (None, Some(language)) => Ok((language, LanguageSource::FileName)),
        (None, None) => {
            let recognition = recognise(texts);
            let (language, clean) = recognition.clean[0];
            if clean == 0 {
                let problem = format!("none of {} sampled programs parses in any of ours", recognition.sampled);
                return Err(DataError::NoLanguage { path: path.to_owned(), problem });
            }
            Ok((language, LanguageSource::Recognised(recognition)))
        }
    }
}

/// What is in programs of C++, some of which the grammar of C reads, too, written without blanks.
const ONLY_CPP: [&str; 5] = ["cin>>", "cout<<", "std::", "usingnamespace", "template<"];

/// The languages, of two with as many clean programs the better one first. The grammar of Java reads simple functions of C, too,
/// while methods of Java have words in them that no C has.
const ORDER: [Language; 5] = [Language::C, Language::Cpp, Language::Java, Language::Python, Language::JavaScript];

/// Reads programs, evenly spread, in all languages. What is both C and C++ is C, unless one in twenty uses words of C++.
pub fn recognise(texts: &[&str]) -> Recognition {
    let sampled = texts.len().min(SAMPLED);
    let sample: Vec<&str> = (0..sampled).map(|place| texts[place * texts.len() / sampled]).collect();
    let count = |language: Language| {
        let is_clean = |text: &&&str| !Program::parse(language, **text).is_broken();
        (language, sample.par_iter().filter(is_clean).count())
    };
    let mut clean = ORDER.map(count).to_vec();
    clean.sort_by_key(|(_, clean)| std::cmp::Reverse(*clean));
    if let [(Language::C, c), (Language::Cpp, cpp), ..] = clean[..]
        && c == cpp
    {
        let is_cpp = |text: &&&str| {
            let bare: String = text.split_whitespace().collect();
            ONLY_CPP.iter().any(|word| bare.contains(word))
        };
        if sample.iter().filter(is_cpp).count() * 20 >= sampled {
            clean.swap(0, 1);
        }
    }
    Recognition { sampled, clean }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texts: &[&str], language: Language, is_sure: bool) {
        let recognition = recognise(texts);
        assert_eq!((recognition.clean[0].0, recognition.is_sure()), (language, is_sure), "{recognition:?}");
    }

    #[test]
    fn languages_are_recognised() {
        check(&["public int f(int n) { return this.n + n; }"], Language::Java, true);
        check(&["def f(n):\n    return n\n"], Language::Python, true);
        check(&["function f(n) { return n => n; }"], Language::JavaScript, true);
        check(&["int f(struct s *p) { return p->n; }"], Language::C, false);
        check(&["int main() { int n; cin >> n; }"], Language::Cpp, false);
        check(&["int main() { int cost = 1; /* a template */ printf(\"facing\"); }"], Language::C, false);
        check(
            &["#include <vector>\nusing namespace std;\ntemplate <class T> T f(vector<T> &v) { return v[0]; }"],
            Language::Cpp,
            true,
        );
    }

    #[test]
    fn nothing_is_recognised_in_nothing() {
        let recognition = recognise(&[]);
        assert_eq!((recognition.sampled, recognition.clean[0].1), (0, 0));
    }
}
