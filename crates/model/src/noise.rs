//! How often a model's answer to the same query changes.
//!
//! If answers change without any rewrite, an attack that changes an answer proves nothing. This rate stands beside every
//! success rate.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Answer, Fault, Input, Model, Prediction};

/// How often answers to the same query differed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noise {
    /// The inputs that were answered every time.
    pub asked: usize,
    /// The inputs among them whose answers differed.
    pub changed: usize,
    /// The inputs that lacked an answer at least once; they are not counted in `asked`.
    pub failed: usize,
}

/// In words, such as `3 of 16 answers changed when the model was queried again`.
impl fmt::Display for Noise {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {} answers changed when the model was queried again", self.changed, self.asked)
    }
}

impl Noise {
    /// Queries every input `times` times, at least twice, and counts those whose answers [disagree](Prediction::agrees).
    ///
    /// If the model was opened with repeats, each answer is already a majority, and the stability of majorities is measured.
    pub fn measure(model: &dyn Model, inputs: &[Input], times: usize) -> Noise {
        let rounds: Vec<_> = (0..times.max(2)).map(|_| model.predict(inputs)).collect();
        Noise::of(&rounds)
    }

    /// Counts the inputs whose answers differ between rounds of the same queries.
    pub fn of(rounds: &[Vec<Result<Answer, Fault>>]) -> Noise {
        let mut noise = Noise::default();
        for place in 0..rounds.iter().map(Vec::len).max().unwrap_or(0) {
            let answers: Option<Vec<&Prediction>> =
                rounds.iter().map(|round| Some(&round.get(place)?.as_ref().ok()?.prediction)).collect();
            match answers {
                None => noise.failed += 1,
                Some(answers) => {
                    noise.asked += 1;
                    noise.changed += usize::from(answers.windows(2).any(|pair| !pair[0].agrees(pair[1])));
                }
            }
        }
        noise
    }

    /// The share of inputs whose answers differed, if any was answered.
    pub fn rate(&self) -> Option<f64> {
        (self.asked > 0).then(|| self.changed as f64 / self.asked as f64)
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
        let text = |text: &str| Prediction::Text(text.to_owned());
        assert!(Prediction::Classes(vec![0.4, 0.6]).agrees(&Prediction::Classes(vec![0.1, 0.9])));
        assert!(!Prediction::Classes(vec![0.6, 0.4]).agrees(&Prediction::Classes(vec![0.1, 0.9])));
        assert!(names(&[("a", 0.5)]).agrees(&names(&[("a", 0.9), ("b", 0.1)])));
        assert!(!names(&[("a", 0.5)]).agrees(&names(&[("b", 0.5)])));
        assert!(text("a").agrees(&text(" a\n")));
        assert!(!text("a").agrees(&text("b")));
        assert!(!text("a").agrees(&Prediction::Classes(vec![0.5, 0.5])));
    }

    #[test]
    fn what_was_not_answered_every_time_does_not_count() {
        let answer = |class: usize| {
            let mut probabilities = vec![0.0; 2];
            probabilities[class] = 1.0;
            Ok(Answer { prediction: Prediction::Classes(probabilities), tokens: None })
        };
        let rounds = [vec![answer(0), answer(1), Err(Fault::NotFinite)], vec![answer(0), answer(0), answer(0)]];
        let noise = Noise::of(&rounds);
        assert_eq!((noise, noise.rate()), (Noise { asked: 2, changed: 1, failed: 1 }, Some(0.5)));
        assert_eq!(Noise::of(&[]).rate(), None);
    }
}
