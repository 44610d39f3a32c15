//! Code search over embeddings: the rank of the correct code, its MRR, and recall at k.
//!
//! kind: task
//! better: higher
//! source: CodeSearchNet (Husain et al. 2019) and CodeXGLUE's code search, which rank by the dot product
//!
//! The rank of the correct code is one more than the number of codes that are more similar, or equally similar and listed
//! before it. Similarity is the cosine, or the dot product with `dot`.
//!
//! ```json
//! {"queries": [[1, 0], [0, 1]], "codes": [[2, 1], [3, 0], [0, 1]], "truth": [0, 2], "k": [1, 2]}
//! ```
//! ->
//! ```json
//! {"ranks": [2, 1], "mrr": 0.75, "recall": [0.5, 1.0]}
//! ```
//!
//! Vectors of different lengths cannot be compared.
//!
//! ```json
//! {"queries": [[1, 0, 0]], "codes": [[2, 1]], "truth": [0], "k": [1]}
//! ```

use serde_json::{Value, json};

use crate::catalogue::{BadInput, argument, optional, result};
use crate::numbers::{mean, ratio};

/// How similar two embeddings are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Similarity {
    /// Cosine similarity; 0 for a zero vector.
    Cosine,
    Dot,
}

/// The rank, from 1, of the correct code for each query; `truth` is its index among the codes.
pub fn search_ranks<Number: Into<f64> + Copy>(
    queries: &[Vec<Number>],
    codes: &[Vec<Number>],
    truth: &[usize],
    similarity: Similarity,
) -> Option<Vec<usize>> {
    let width = codes.first()?.len();
    let has_width = |vector: &Vec<Number>| vector.len() == width;
    if queries.len() != truth.len() || !queries.iter().chain(codes).all(has_width) {
        return None;
    }
    let direct = |vector: &Vec<Number>| -> Vec<f64> {
        let vector: Vec<f64> = vector.iter().map(|number| (*number).into()).collect();
        let length = vector.iter().map(|number| number * number).sum::<f64>().sqrt();
        match similarity {
            Similarity::Cosine if length > 0.0 => vector.iter().map(|number| number / length).collect(),
            Similarity::Cosine | Similarity::Dot => vector,
        }
    };
    let codes: Vec<Vec<f64>> = codes.iter().map(direct).collect();
    let rank = |(query, truth): (&Vec<Number>, &usize)| {
        let query = direct(query);
        let dot = |code: &Vec<f64>| query.iter().zip(code).map(|(one, other)| one * other).sum::<f64>();
        let similarities: Vec<f64> = codes.iter().map(dot).collect();
        let own = *similarities.get(*truth)?;
        if similarities.iter().any(|similarity| similarity.is_nan()) {
            return None;
        }
        let is_before = |(place, other): (usize, &f64)| *other > own || (*other == own && place < *truth);
        Some(1 + similarities.iter().enumerate().filter(|(place, other)| is_before((*place, other))).count())
    };
    queries.iter().zip(truth).map(rank).collect()
}

/// The mean of 1/rank.
pub fn mrr_of_ranks(ranks: &[usize]) -> Option<f64> {
    if ranks.contains(&0) {
        return None;
    }
    mean(ranks.iter().map(|rank| 1.0 / *rank as f64))
}

/// The fraction of queries whose correct code is among the first `k`.
pub fn recall_at(ranks: &[usize], k: usize) -> Option<f64> {
    if ranks.contains(&0) {
        return None;
    }
    ratio(ranks.iter().filter(|rank| **rank <= k).count() as f64, ranks.len() as f64)
}

pub(super) fn run(arguments: &Value) -> Result<Option<Value>, BadInput> {
    let queries: Vec<Vec<f64>> = argument(arguments, "queries")?;
    let codes: Vec<Vec<f64>> = argument(arguments, "codes")?;
    let truth: Vec<usize> = argument(arguments, "truth")?;
    let cutoffs: Vec<usize> = argument(arguments, "k")?;
    let similarity = if optional(arguments, "dot")?.unwrap_or(false) { Similarity::Dot } else { Similarity::Cosine };
    result(search_ranks(&queries, &codes, &truth, similarity).map(|ranks| {
        let recall: Vec<Option<f64>> = cutoffs.iter().map(|k| recall_at(&ranks, *k)).collect();
        json!({"ranks": ranks, "mrr": mrr_of_ranks(&ranks), "recall": recall})
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_vectors_are_no_trouble() {
        let ranks =
            |truth, query: f32| search_ranks(&[vec![query]], &[vec![1.0], vec![1.0]], &[truth], Similarity::Cosine);
        assert_eq!((ranks(0, 0.0), ranks(1, 0.0)), (Some(vec![1]), Some(vec![2])));
        assert_eq!((ranks(2, 1.0), ranks(0, f32::NAN)), (None, None));
        assert_eq!(search_ranks::<f32>(&[], &[], &[], Similarity::Dot), None);
        assert_eq!((mrr_of_ranks(&[]), recall_at(&[], 1), mrr_of_ranks(&[0])), (None, None, None));
    }
}
