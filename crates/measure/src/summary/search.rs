//! The summary of a code search model.

use super::Summary;
use crate::statistics::Bootstrap;

/// MRR and recall among the first 1, 5 and 10 out of the rank of the right code for each query, from 1.
///
/// Undefined where a rank is 0, and when `inputs` is of another length.
pub fn search(ranks: &[usize], inputs: Option<&[usize]>, bootstrap: &Bootstrap) -> Option<Summary> {
    if ranks.contains(&0) || inputs.is_some_and(|inputs| inputs.len() != ranks.len()) {
        return None;
    }
    let mut summary = Summary::default();
    let reciprocal: Vec<Option<f64>> = ranks.iter().map(|rank| Some(1.0 / *rank as f64)).collect();
    summary.push_score("mrr", &reciprocal, inputs, bootstrap);
    for k in [1, 5, 10] {
        let found: Vec<Option<f64>> = ranks.iter().map(|rank| Some(f64::from(u8::from(*rank <= k)))).collect();
        summary.push_share(&format!("recall@{k}"), &found, inputs, bootstrap);
    }
    Some(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_from_one() {
        let summary = search(&[1, 2, 20, 4], None, &Bootstrap::default()).unwrap();
        assert_eq!(summary.value("mrr"), Some(0.45));
        let recalls = ["recall@1", "recall@5", "recall@10"].map(|measure| summary.value(measure));
        assert_eq!(recalls, [Some(0.25), Some(0.75), Some(0.75)]);
        assert_eq!(search(&[0], None, &Bootstrap::default()), None);
    }
}
