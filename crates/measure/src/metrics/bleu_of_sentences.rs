//! The mean smoothed sentence BLEU-4 of CodeXGLUE, from 0 to 100.
//!
//! kind: task
//! better: higher
//! source: CodeXGLUE's evaluator of code summarisation (Lu et al. 2021), after Lin and Och 2004
//!
//! Texts are lower-cased; each run of letters and digits is a word, and so is each other character. The precisions of
//! n-grams of two to four words are smoothed by adding one to matches and total; that of single words is not. The brevity
//! penalty adds one to both lengths, and uses the shortest of several references.
//!
//! ```json
//! {"predicted": ["returns the name"], "references": [["Returns the full name."]]}
//! ```
//! ->
//! ```json
//! 46.08636
//! ```
//!
//! ```json
//! {"predicted": ["returns the name"], "references": [[]]}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::mean;
use crate::text::{ngrams, tokens};

/// The mean sentence BLEU of texts, each with its references.
pub fn bleu_of_sentences<One: AsRef<str>, Other: AsRef<str>>(
    predicted: &[One],
    references: &[Vec<Other>],
) -> Option<f64> {
    if predicted.len() != references.len() {
        return None;
    }
    let pairs = predicted.iter().zip(references);
    let each: Option<Vec<f64>> =
        pairs.map(|(predicted, references)| sentence_bleu(predicted.as_ref(), references)).collect();
    mean(each?)
}

/// The smoothed BLEU of one text; undefined without a reference.
pub fn sentence_bleu<Other: AsRef<str>>(predicted: &str, references: &[Other]) -> Option<f64> {
    let words = tokens::words_of_codexglue(predicted);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let references: Vec<Vec<String>> =
        references.iter().map(|text| tokens::words_of_codexglue(text.as_ref())).collect();
    let references: Vec<Vec<&str>> =
        references.iter().map(|words| words.iter().map(String::as_str).collect()).collect();
    let shortest = references.iter().map(Vec::len).min()?;
    let mut logarithm = 0.0;
    for n in 1..=4 {
        let smoothing = if n > 1 { 1.0 } else { 0.0 };
        let matches = ngrams::shared(&words, &references, n) as f64;
        let total = (words.len() + 1).saturating_sub(n) as f64;
        // The smallest positive number keeps the logarithm of nothing finite; without any word it cancels out.
        logarithm += (matches + smoothing + f64::MIN_POSITIVE).ln() - (total + smoothing + f64::MIN_POSITIVE).ln();
    }
    let penalty = (1.0 - (shortest as f64 + 1.0) / (words.len() as f64 + 1.0)).min(0.0);
    Some(100.0 * (logarithm / 4.0 + penalty).exp())
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let predicted: Vec<String> = argument(arguments, "predicted")?;
    result(bleu_of_sentences(&predicted, &argument::<Vec<Vec<String>>>(arguments, "references")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_texts() {
        assert_eq!(sentence_bleu("", &[""]), Some(100.0));
        assert!((sentence_bleu("", &["a b"]).unwrap() - 100.0 * (-2f64).exp()).abs() < 1e-9);
        assert!(sentence_bleu("x", &["a"]).unwrap() < 1e-70);
        assert_eq!(bleu_of_sentences::<&str, &str>(&[], &[]), None);
    }
}
