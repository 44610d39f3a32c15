//! Runs of n words, counted.

use std::collections::HashMap;

/// How often each run of `n` words occurs.
pub(crate) fn ngrams<'w, 't>(words: &'w [&'t str], n: usize) -> HashMap<&'w [&'t str], usize> {
    let mut counts = HashMap::new();
    for run in words.windows(n) {
        *counts.entry(run).or_default() += 1;
    }
    counts
}

/// How many runs of `n` words a text shares with references, each as often as the reference that has it most often.
pub(crate) fn shared(words: &[&str], references: &[Vec<&str>], n: usize) -> usize {
    let references: Vec<_> = references.iter().map(|reference| ngrams(reference, n)).collect();
    let most = |run: &[&str]| references.iter().filter_map(|counts| counts.get(run)).max().copied().unwrap_or(0);
    ngrams(words, n).into_iter().map(|(run, count)| count.min(most(run))).sum()
}
