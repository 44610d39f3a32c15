//! How often a model changes its mind: the same question, asked again.
//!
//! Where answers change without any rewrite, an attack that changes an answer has shown nothing. The rate here is what an
//! attack's success has to be compared with.

use crate::{Answer, Fault, Input, Model, Prediction};

/// How often the same question got another answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// The inputs that were answered every time.
    pub n: usize,
    /// Those of them whose answer was not always the same.
    pub changed: usize,
    /// The share of those that changed; 0 where nothing was answered.
    pub rate: f64,
    /// The inputs that were not answered at least once. They count neither way.
    pub failed: usize,
}

/// Asks about every input so many times, at least twice, and counts those whose answer changes: another class, another first
/// name, another text or another vector. Probabilities may differ as long as the class stays the same.
///
/// A model that is opened with repeats of its own is asked as it is: what is measured then is how steady its majorities are.
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
