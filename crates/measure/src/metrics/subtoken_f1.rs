//! Precision, recall and F1 of the subtokens of names, ignoring case.
//!
//! kind: task
//! better: higher
//! source: Allamanis et al. 2015, code2vec and code2seq; worked example of the thesis on name prediction
//!
//! A name is split at changes from lower to upper case, before the last capital of a run that a lower-case letter follows,
//! at digits and at every character that is neither letter nor digit. The words of all names are counted together, as in
//! code2seq; `mean_f1` is the mean of the F1 of each name.
//!
//! ```json
//! {"predicted": ["getSubscriberName"], "truth": ["getName"]}
//! ```
//! ->
//! ```json
//! {"precision": 0.66667, "recall": 1.0, "f1": 0.8, "mean_f1": 0.8}
//! ```
//!
//! Repeated words of a name count each time. With `sets` they count once.
//!
//! ```json
//! {"predicted": ["max_of_max", "HTTPServer2"], "truth": ["max", "http_server"]}
//! ```
//! ->
//! ```json
//! {"precision": 0.5, "recall": 1.0, "f1": 0.66667, "mean_f1": 0.65}
//! ```
//!
//! ```json
//! {"predicted": ["max_of_max", "HTTPServer2"], "truth": ["max", "http_server"], "sets": true}
//! ```
//! ->
//! ```json
//! {"precision": 0.6, "recall": 1.0, "f1": 0.75, "mean_f1": 0.73333}
//! ```
//!
//! ```json
//! {"predicted": [], "truth": []}
//! ```

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::precision_recall_f1::scores;
use crate::catalogue::{BadInput, argument, optional, result};
use crate::numbers::mean;

/// Do words that a name repeats count each time?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Each time: what code2seq reports.
    Multisets,
    /// Once.
    Sets,
}

/// The scores of names.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SubtokenScores {
    /// The fraction of predicted words that are in the true name.
    pub precision: Option<f64>,
    /// The fraction of words of the true name that were predicted.
    pub recall: Option<f64>,
    /// The harmonic mean of the two.
    pub f1: Option<f64>,
    /// The mean of the F1 of each name that has one.
    pub mean_f1: Option<f64>,
}

/// The scores of predicted names.
pub fn subtoken_f1<One: AsRef<str>, Other: AsRef<str>>(
    predicted: &[One],
    truth: &[Other],
    words: Words,
) -> Option<SubtokenScores> {
    if predicted.len() != truth.len() || predicted.is_empty() {
        return None;
    }
    let counts: Vec<[f64; 3]> = predicted
        .iter()
        .zip(truth)
        .map(|(predicted, truth)| subtoken_counts(predicted.as_ref(), truth.as_ref(), words))
        .collect();
    let sum = |cell: usize| counts.iter().map(|counts| counts[cell]).sum();
    let all = scores(sum(0), sum(1), sum(2));
    let each = counts.iter().filter_map(|[hits, found, right]| scores(*hits, *found, *right).f1);
    Some(SubtokenScores { precision: all.precision, recall: all.recall, f1: all.f1, mean_f1: mean(each) })
}

/// How many words of two names agree, how many the predicted name has, and how many the true one.
pub fn subtoken_counts(predicted: &str, truth: &str, words: Words) -> [f64; 3] {
    let count = |name: &str| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for word in subtokens(name) {
            let count = counts.entry(word).or_default();
            *count = match words {
                Words::Multisets => *count + 1,
                Words::Sets => 1,
            };
        }
        counts
    };
    let (predicted, truth) = (count(predicted), count(truth));
    let hits: usize = predicted.iter().map(|(word, count)| (*count).min(truth.get(word).copied().unwrap_or(0))).sum();
    [hits as f64, predicted.values().sum::<usize>() as f64, truth.values().sum::<usize>() as f64]
}

/// The subtokens of a name, in lower case.
pub fn subtokens(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut is_new = true;
    for (place, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            is_new = true;
            continue;
        }
        let before = place.checked_sub(1).map(|before| letters[before]);
        let starts = before.is_some_and(|before| {
            let follows_small = letter.is_uppercase() && !before.is_uppercase();
            let next_is_small = letters.get(place + 1).is_some_and(|next| next.is_lowercase());
            let ends_capitals = letter.is_uppercase() && before.is_uppercase() && next_is_small;
            follows_small || ends_capitals || letter.is_numeric() != before.is_numeric()
        });
        if is_new || starts {
            words.push(String::new());
        }
        is_new = false;
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let predicted: Vec<String> = argument(arguments, "predicted")?;
    let truth: Vec<String> = argument(arguments, "truth")?;
    let sets = optional(arguments, "sets")?.unwrap_or(false);
    result(subtoken_f1(&predicted, &truth, if sets { Words::Sets } else { Words::Multisets }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, words: &str) {
        assert_eq!(subtokens(name).join(" "), words);
    }

    #[test]
    fn names_are_split_where_people_read_words() {
        check("getHTTPResponse", "get http response");
        check("MAX_VALUE", "max value");
        check("utf8Reader", "utf 8 reader");
        check("__init__", "init");
        check("get|name", "get name");
        check("größeÄndern", "größe ändern");
        check("", "");
        check("__", "");
    }

    #[test]
    fn names_without_words_have_no_scores() {
        let scores = subtoken_f1(&["_"], &["_"], Words::Sets).unwrap();
        assert_eq!((scores.precision, scores.recall, scores.f1, scores.mean_f1), (None, None, None, None));
        assert_eq!(subtoken_f1(&["a"], &["a", "b"], Words::Sets), None);
    }
}
