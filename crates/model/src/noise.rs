//! How often a model's answer to the same query changes.
//!
//! If answers change without any rewrite, an attack that changes an answer proves nothing. This rate is the baseline
//! for attack success rates.

use crate::{Answer, Fault, Input, Model, Prediction};

/// How often answers to the same query differed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// The inputs that were answered every time.
    pub n: usize,
    /// The inputs among them whose answers differed.
    pub changed: usize,
    /// `changed` divided by `n`; 0 if nothing was answered.
    pub rate: f64,
    /// The inputs that were not answered at least once. They are left out of `n`.
    pub failed: usize,
}

/// Queries every input `times` times, at least twice, and counts those whose answers differ: another class, another first
/// name, another text or another vector. Probabilities may differ as long as the class stays the same.
///
/// If the model was opened with repeats, each answer is already a majority, and the stability of majorities is measured.
pub fn nondeterminism_baseline(model: &dyn Model, inputs: &[Input], times: usize) -> Baseline {
    let rounds: Vec<Vec<Result<Answer, Fault>>> = (0..times.max(2)).map(|_| model.predict(inputs)).collect();
    let (mut n, mut changed, mut failed) = (0, 0, 0);
    for place in 0..inputs.len() {
        let answers: Option<Vec<&Prediction>> =
            rounds.iter().map(|round| Some(&round.get(place)?.as_ref().ok()?.prediction)).collect();
        match answers {
            None => failed += 1,
            Some(answers) => {
                n += 1;
                changed += usize::from(answers.windows(2).any(|pair| !is_same(pair[0], pair[1])));
            }
        }
    }
    let rate = if n == 0 { 0.0 } else { changed as f64 / n as f64 };
    Baseline { n, changed, rate, failed }
}

fn is_same(one: &Prediction, other: &Prediction) -> bool {
    match (one, other) {
        (Prediction::Classes(_), Prediction::Classes(_)) => one.class() == other.class(),
        (Prediction::Names(one), Prediction::Names(other)) => {
            one.first().map(|(name, _)| name) == other.first().map(|(name, _)| name)
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_is_the_decision() {
        let names = |names: &[(&str, f32)]| {
            Prediction::Names(names.iter().map(|(name, certainty)| ((*name).to_owned(), *certainty)).collect())
        };
        assert!(is_same(&Prediction::Classes(vec![0.4, 0.6]), &Prediction::Classes(vec![0.1, 0.9])));
        assert!(!is_same(&Prediction::Classes(vec![0.6, 0.4]), &Prediction::Classes(vec![0.1, 0.9])));
        assert!(is_same(&names(&[("a", 0.5)]), &names(&[("a", 0.9), ("b", 0.1)])));
        assert!(!is_same(&names(&[("a", 0.5)]), &names(&[("b", 0.5)])));
        assert!(!is_same(&Prediction::Text("a".into()), &Prediction::Text("b".into())));
        assert!(!is_same(&Prediction::Text("a".into()), &Prediction::Classes(vec![0.5, 0.5])));
    }
}
