//! The summary of a model that generates texts.

use rayon::prelude::*;

use super::{PERCENT, Summary, numbers_of};
use crate::metrics::{bleu_counts, bleu_of_counts, is_exact_match, rouge_of, sentence_bleu};
use crate::statistics::{Bootstrap, Sums};

/// Exact match, corpus BLEU, sentence BLEU and ROUGE (without stems) of texts with one reference each.
///
/// Undefined for lists whose lengths differ.
pub fn texts<Text: AsRef<str> + Sync>(
    predicted: &[Text],
    truth: &[Text],
    inputs: Option<&[usize]>,
    bootstrap: &Bootstrap,
) -> Option<Summary> {
    let numbers = numbers_of(inputs, truth.len())?;
    if predicted.len() != truth.len() {
        return None;
    }
    let pairs = || predicted.par_iter().zip(truth).map(|(predicted, truth)| (predicted.as_ref(), truth.as_ref()));
    let mut summary = Summary::default();
    let exact = pairs().map(|(predicted, truth)| Some(f64::from(u8::from(is_exact_match(predicted, truth)))));
    summary.push_share("exact match", &exact.collect::<Vec<_>>(), inputs, bootstrap);
    let mut sums = Sums::new(numbers.count, 10);
    let counts: Vec<_> = pairs().map(|(predicted, truth)| bleu_counts(predicted, &[truth])).collect();
    for (row, counts) in counts.into_iter().enumerate() {
        for (cell, count) in counts?.into_iter().enumerate() {
            sums.add(numbers.of(row), cell, count);
        }
    }
    // Sums over no text at all are zero, which is no BLEU of zero.
    summary.push_all(PERCENT, [("bleu", truth.len())], &sums, bootstrap, |cells| {
        [if truth.is_empty() { None } else { bleu_of_counts(cells) }]
    });
    let sentences: Vec<Option<f64>> = pairs().map(|(predicted, truth)| sentence_bleu(predicted, &[truth])).collect();
    summary.push_mean_within(PERCENT, "sentence bleu", &sentences, inputs, bootstrap);
    let rouge: Vec<_> = pairs().map(|(predicted, truth)| rouge_of(predicted, truth, false)).collect();
    let over = |score: fn(&crate::metrics::Rouge) -> f64| rouge.iter().map(|it| Some(score(it))).collect::<Vec<_>>();
    summary.push_score("rouge-1", &over(|it| it.rouge1), inputs, bootstrap);
    summary.push_score("rouge-2", &over(|it| it.rouge2), inputs, bootstrap);
    summary.push_score("rouge-l", &over(|it| it.rouge_l), inputs, bootstrap);
    Some(summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{bleu, bleu_of_sentences, rouge};

    #[test]
    fn the_values_are_those_of_the_measures() {
        let predicted = ["returns the name of a user", "sets x"];
        let truth = ["returns the name of the user", "sets x"];
        let references: Vec<Vec<&str>> = truth.iter().map(|text| vec![*text]).collect();
        let summary = texts(&predicted, &truth, None, &Bootstrap::default()).unwrap();
        assert_eq!(summary.value("exact match"), Some(0.5));
        assert_eq!(summary.value("bleu"), bleu(&predicted, &references));
        assert_eq!(summary.value("sentence bleu"), bleu_of_sentences(&predicted, &references));
        assert_eq!(summary.value("rouge-l"), rouge(&predicted, &truth, false).map(|it| it.rouge_l));
        let empty = texts::<&str>(&[], &[], None, &Bootstrap::default()).unwrap();
        assert!(empty.lines.iter().all(|line| line.value.is_none()));
        assert_eq!(texts(&predicted, &[], None, &Bootstrap::default()), None);
    }
}
