//! Corpus BLEU-4 as sacrebleu computes it, from 0 to 100.
//!
//! kind: task
//! better: higher
//! source: Papineni et al. 2002; Post 2018, sacrebleu's signature case:mixed|eff:no|tok:13a|smooth:exp
//!
//! The matching n-grams of one to four words are summed over all texts before the precisions are computed. A text may have
//! several references; the one closest in length counts for the brevity penalty.
//!
//! ```json
//! {"predicted": ["The cat sat on the mat."], "references": [["The cat sat on a mat."]]}
//! ```
//! ->
//! ```json
//! 48.89230
//! ```
//!
//! A text without a reference has no BLEU.
//!
//! ```json
//! {"predicted": ["The cat."], "references": [[]]}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::text::{ngrams, tokens};

/// What a text adds to the sums that BLEU is made of: the length of the text, that of its reference, the matches of runs of one
/// to four words, and the numbers of such runs.
pub type BleuCounts = [f64; 10];

/// The longest n-gram.
const LONGEST: usize = 4;

/// Corpus BLEU of texts, each with its references.
pub fn bleu<One: AsRef<str>, Other: AsRef<str>>(predicted: &[One], references: &[Vec<Other>]) -> Option<f64> {
    if predicted.len() != references.len() {
        return None;
    }
    let mut sums = [0.0; 10];
    for (predicted, references) in predicted.iter().zip(references) {
        let counts = bleu_counts(predicted.as_ref(), references)?;
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    if predicted.is_empty() { None } else { bleu_of_counts(&sums) }
}

/// The contribution of one text to the sums; undefined without a reference.
pub fn bleu_counts<Other: AsRef<str>>(predicted: &str, references: &[Other]) -> Option<BleuCounts> {
    let words = tokens::words_of_13a(predicted);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let references: Vec<Vec<String>> = references.iter().map(|text| tokens::words_of_13a(text.as_ref())).collect();
    let references: Vec<Vec<&str>> =
        references.iter().map(|words| words.iter().map(String::as_str).collect()).collect();
    // Of two lengths that are as close, the shorter counts.
    let lengths = references.iter().map(Vec::len);
    let closest = lengths.min_by_key(|length| (length.abs_diff(words.len()), *length))?;
    let mut counts = [0.0; 10];
    counts[0] = words.len() as f64;
    counts[1] = closest as f64;
    for n in 1..=LONGEST {
        counts[1 + n] = ngrams::shared(&words, &references, n) as f64;
        counts[1 + LONGEST + n] = (words.len() + 1).saturating_sub(n) as f64;
    }
    Some(counts)
}

/// BLEU from the sums over all texts; undefined for sums that do not come from counts.
pub fn bleu_of_counts(sums: &[f64]) -> Option<f64> {
    let [length, reference, rest @ ..] = sums else { return None };
    if rest.len() != 2 * LONGEST || sums.iter().any(|sum| !sum.is_finite()) {
        return None;
    }
    let (matches, totals) = rest.split_at(LONGEST);
    // A text with fewer than four words has no run of four, and sacrebleu gives it 0.
    if matches.iter().all(|count| *count == 0.0) || totals.contains(&0.0) {
        return Some(0.0);
    }
    let penalty = if length < reference { 1.0 - reference / length } else { 0.0 };
    // Each run length without a match counts half as much as the one before it would.
    let mut smoothing = 1.0;
    let logarithms = matches.iter().zip(totals).map(|(matches, total)| {
        if *matches == 0.0 {
            smoothing *= 2.0;
            (100.0 / (smoothing * total)).ln()
        } else {
            (100.0 * matches / total).ln()
        }
    });
    let mean = logarithms.sum::<f64>() / LONGEST as f64;
    Some(penalty.exp() * mean.exp())
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let predicted: Vec<String> = argument(arguments, "predicted")?;
    result(bleu(&predicted, &argument::<Vec<Vec<String>>>(arguments, "references")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_empty_texts_have_zero() {
        assert_eq!(bleu(&["a b c"], &[vec!["a b c"]]), Some(0.0));
        assert_eq!(bleu(&[""], &[vec![""]]), Some(0.0));
        assert_eq!(bleu::<&str, &str>(&[], &[]), None);
        assert_eq!(bleu(&["a"], &[vec!["a"], vec!["b"]]), None);
        assert_eq!(bleu_of_counts(&[f64::NAN; 10]), None);
        assert_eq!(bleu_of_counts(&[]), None);
    }

    #[test]
    fn equal_texts_have_a_hundred() {
        assert!((bleu(&["a b c d"], &[vec!["x", "a b c d"]]).unwrap() - 100.0).abs() < 1e-9);
    }
}
