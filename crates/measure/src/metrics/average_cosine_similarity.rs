//! How close adversarial examples are to their originals in the embedding space of an encoder (ACS).
//!
//! kind: quality
//! better: higher
//! source: Du et al. 2023, as used by the MetaCompress study: the mean cosine of embeddings before and after
//!
//! ```json
//! {"before": [[1, 0], [1, 1]], "after": [[1, 0], [1, 0]]}
//! ```
//! ->
//! ```json
//! 0.85355
//! ```
//!
//! The zero vector has no direction; its pair is left out.
//!
//! ```json
//! {"before": [[0, 0]], "after": [[1, 0]]}
//! ```

use serde_json::Value;

use crate::catalogue::{BadInput, argument, result};
use crate::numbers::{mean, ratio};
use crate::summary::{AttackMeasure, Place, SIGNED};

/// The mean cosine of pairs of embeddings.
pub fn average_cosine_similarity<Number: Into<f64> + Copy>(
    before: &[Vec<Number>],
    after: &[Vec<Number>],
) -> Option<f64> {
    if before.len() != after.len() {
        return None;
    }
    mean(before.iter().zip(after).filter_map(|(before, after)| cosine_similarity(before, after)))
}

/// The cosine similarity of two vectors; undefined for zero vectors or different dimensions.
pub fn cosine_similarity<Number: Into<f64> + Copy>(one: &[Number], other: &[Number]) -> Option<f64> {
    if one.len() != other.len() {
        return None;
    }
    let dot = |ones: &[Number], others: &[Number]| -> f64 {
        ones.iter().zip(others).map(|(one, other)| (*one).into() * (*other).into()).sum()
    };
    ratio(dot(one, other), dot(one, one).sqrt() * dot(other, other).sqrt()).map(|cosine| cosine.clamp(-1.0, 1.0))
}

/// What tables show of it.
pub(super) const SHOWN: &[AttackMeasure] =
    &[AttackMeasure::ratio("cosine similarity", |it| it.of_valid().and(it.cosine).map(|cosine| [cosine, 1.0]))
        .within(SIGNED)
        .shown(
            Place::Quality,
            "Cosine similarity (ACS)",
            "Mean cosine of the model's own embeddings of original and example.",
        )];

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let before: Vec<Vec<f64>> = argument(arguments, "before")?;
    result(average_cosine_similarity(&before, &argument::<Vec<Vec<f64>>>(arguments, "after")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_vectors_have_no_angle() {
        assert_eq!(cosine_similarity(&[1.0f32], &[1.0, 2.0]), None);
        assert_eq!(cosine_similarity(&[f32::NAN], &[1.0]), None);
        assert_eq!(cosine_similarity::<f32>(&[], &[]), None);
        assert_eq!(cosine_similarity(&[2.0f32, 0.0], &[-1.0, 0.0]), Some(-1.0));
    }
}
