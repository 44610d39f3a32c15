//! ROUGE-1, ROUGE-2, ROUGE-L: the mean F1 of shared words, bigrams and the longest common subsequence.
//!
//! kind: task
//! better: higher
//! source: Lin 2004, as rouge_score 0.1.2 computes it
//!
//! Words are runs of Latin letters and digits, lower-cased. With `stems`, words of more than three letters are reduced to
//! their stem by Porter's algorithm with NLTK's changes.
//!
//! ```json
//! {"predicted": ["the quick brown fox"], "truth": ["the brown dog"]}
//! ```
//! ->
//! ```json
//! {"rouge1": 0.57143, "rouge2": 0.0, "rouge_l": 0.57143}
//! ```
//!
//! ```json
//! {"predicted": ["returning names"], "truth": ["returns the name"], "stems": true}
//! ```
//! ->
//! ```json
//! {"rouge1": 0.8, "rouge2": 0.0, "rouge_l": 0.8}
//! ```
//!
//! ```json
//! {"predicted": [], "truth": []}
//! ```

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::{BadInput, argument, optional, result};
use crate::numbers::mean;
use crate::text::{ngrams, tokens};

/// The F1 of the three kinds of ROUGE.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rouge {
    /// Of single words.
    pub rouge1: f64,
    /// Of pairs of neighbours.
    pub rouge2: f64,
    /// Of the longest common subsequence.
    pub rouge_l: f64,
}

/// The mean ROUGE of texts.
pub fn rouge<One: AsRef<str>, Other: AsRef<str>>(predicted: &[One], truth: &[Other], stems: bool) -> Option<Rouge> {
    if predicted.len() != truth.len() {
        return None;
    }
    let pairs = predicted.iter().zip(truth);
    let each: Vec<Rouge> =
        pairs.map(|(predicted, truth)| rouge_of(predicted.as_ref(), truth.as_ref(), stems)).collect();
    let over = |score: fn(&Rouge) -> f64| mean(each.iter().map(score));
    Some(Rouge { rouge1: over(|it| it.rouge1)?, rouge2: over(|it| it.rouge2)?, rouge_l: over(|it| it.rouge_l)? })
}

/// The ROUGE of one text. Texts without words have 0, as rouge_score gives it.
pub fn rouge_of(predicted: &str, truth: &str, stems: bool) -> Rouge {
    let predicted = tokens::words_of_rouge(predicted, stems);
    let truth = tokens::words_of_rouge(truth, stems);
    let predicted: Vec<&str> = predicted.iter().map(String::as_str).collect();
    let truth = [truth.iter().map(String::as_str).collect::<Vec<&str>>()];
    let of_runs = |n: usize| {
        let runs = |words: &Vec<&str>| (words.len() + 1).saturating_sub(n);
        f1(ngrams::shared(&predicted, &truth, n), runs(&predicted), runs(&truth[0]))
    };
    let common = longest_common_subsequence(&predicted, &truth[0]);
    Rouge { rouge1: of_runs(1), rouge2: of_runs(2), rouge_l: f1(common, predicted.len(), truth[0].len()) }
}

/// The harmonic mean of precision and recall, 0 where nothing is shared.
fn f1(shared: usize, found: usize, right: usize) -> f64 {
    if shared == 0 { 0.0 } else { 2.0 * shared as f64 / (found + right) as f64 }
}

fn longest_common_subsequence(ones: &[&str], others: &[&str]) -> usize {
    let mut before = vec![0; others.len() + 1];
    for one in ones {
        let mut row = vec![0; others.len() + 1];
        for (place, other) in others.iter().enumerate() {
            row[place + 1] = if one == other { before[place] + 1 } else { row[place].max(before[place + 1]) };
        }
        before = row;
    }
    before[others.len()]
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let predicted: Vec<String> = argument(arguments, "predicted")?;
    let truth: Vec<String> = argument(arguments, "truth")?;
    result(rouge(&predicted, &truth, optional(arguments, "stems")?.unwrap_or(false)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_without_words_have_zero() {
        assert_eq!(rouge_of("", "", false), Rouge { rouge1: 0.0, rouge2: 0.0, rouge_l: 0.0 });
        assert_eq!(rouge(&["a"], &["a", "b"], false), None);
        assert_eq!(longest_common_subsequence(&["a", "b", "c", "d"], &["b", "x", "d", "a"]), 2);
    }
}
