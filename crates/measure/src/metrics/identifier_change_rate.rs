//! The fraction of identifiers that adversarial examples rename (ICR).
//!
//! kind: quality
//! better: lower
//! source: Du et al. 2023, as used by the MetaCompress study: sums over all examples, not a mean of shares
//!
//! ```json
//! {"renamed": [1, 3], "identifiers": [4, 6]}
//! ```
//! ->
//! ```json
//! 0.4
//! ```
//!
//! ```json
//! {"renamed": [0], "identifiers": [0]}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::ratio;
use crate::summary::{AttackMeasure, Place};

/// The fraction of identifiers that are renamed; undefined if more are renamed than there are.
pub fn identifier_change_rate(renamed: &[usize], identifiers: &[usize]) -> Option<f64> {
    let is_possible = renamed.iter().zip(identifiers).all(|(renamed, identifiers)| renamed <= identifiers);
    if renamed.len() != identifiers.len() || !is_possible {
        return None;
    }
    let sum = |counts: &[usize]| counts.iter().map(|count| *count as f64).sum();
    ratio(sum(renamed), sum(identifiers))
}

/// What tables show of it.
pub(super) const SHOWN: &[AttackMeasure] = &[AttackMeasure::ratio("identifier change rate", |it| {
    let found = it.of_valid()?;
    Some([found.renamed as f64, found.identifiers as f64])
})
.percent()
.shown(Place::Quality, "Identifiers changed (ICR)", "Share of identifiers that are renamed.")];

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let renamed: Vec<usize> = argument(arguments, "renamed")?;
    result(identifier_change_rate(&renamed, &argument::<Vec<usize>>(arguments, "identifiers")?))
}

#[cfg(test)]
mod tests {
    use super::identifier_change_rate;

    #[test]
    fn impossible_counts_have_no_rate() {
        assert_eq!(identifier_change_rate(&[2], &[1]), None);
        assert_eq!(identifier_change_rate(&[], &[1]), None);
        assert_eq!(identifier_change_rate(&[usize::MAX, 1], &[usize::MAX, 1]), Some(1.0));
    }
}
