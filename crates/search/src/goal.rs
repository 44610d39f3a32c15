//! What makes an attack a success: a wrong answer, or a score that falls.

use std::fmt;
use std::str::FromStr;

use manual::closest;
use measure::metrics::{
    Words, cosine_similarity, edit_distance, reciprocal_rank, rouge_of, scores, sentence_bleu, subtoken_counts,
};
use model::Prediction;
use serde::{Deserialize, Serialize};

use crate::victim::Truth;

/// Scores that differ by less are equal: sums of fractions are not exact.
const LITTLE: f64 = 1e-9;

/// A measure of the answer about one input. It is between 0 and 1, but for the cosine, which may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// F1 of the subtokens of the first name.
    F1,
    /// Reciprocal rank of the truth among the names.
    Mrr,
    /// 1 / (d + 1), where d is the edit distance of answer and truth.
    EditDistance,
    /// Smoothed sentence BLEU-4.
    Bleu,
    /// F1 of the longest common subsequence.
    RougeL,
    /// Cosine with the vector of the original.
    Cosine,
}

impl Measure {
    /// Every measure.
    pub const ALL: [Measure; 6] =
        [Measure::F1, Measure::Mrr, Measure::EditDistance, Measure::Bleu, Measure::RougeL, Measure::Cosine];

    /// The name in commands and plans.
    pub const fn name(self) -> &'static str {
        match self {
            Measure::F1 => "f1",
            Measure::Mrr => "mrr",
            Measure::EditDistance => "edit-distance",
            Measure::Bleu => "bleu",
            Measure::RougeL => "rouge-l",
            Measure::Cosine => "cosine",
        }
    }

    /// The measures of answers that are compared with such a truth. The cosine needs none, but a model that answers with
    /// vectors.
    pub const fn of(truth: &Truth) -> &'static [Measure] {
        match truth {
            Truth::Name(_) => &[Measure::F1, Measure::Mrr, Measure::EditDistance, Measure::Cosine],
            Truth::Text(_) => &[Measure::Bleu, Measure::RougeL, Measure::EditDistance, Measure::Cosine],
            Truth::Class(_) | Truth::Unknown => &[Measure::Cosine],
        }
    }

    /// The lowest score.
    pub const fn lowest(self) -> f64 {
        match self {
            Measure::Cosine => -1.0,
            Measure::F1 | Measure::Mrr | Measure::EditDistance | Measure::Bleu | Measure::RougeL => 0.0,
        }
    }

    /// The score of one name or text. Of a single name the rank is the first or none.
    pub fn of_words(self, answer: &str, truth: &str) -> Option<f64> {
        match self {
            Measure::F1 => {
                let [hits, found, right] = subtoken_counts(answer, truth, Words::Multisets);
                scores(hits, found, right).f1
            }
            Measure::Mrr => Some(f64::from(u8::from(answer == truth))),
            Measure::EditDistance => Some(1.0 / (edit_distance(answer, truth) as f64 + 1.0)),
            Measure::Bleu => Some(sentence_bleu(answer, &[truth])? / 100.0),
            Measure::RougeL => Some(rouge_of(answer, truth, false).rouge_l),
            Measure::Cosine => None,
        }
    }

    /// The score of an answer; `original` is the answer about the original. Undefined for an answer of another kind.
    pub fn score(self, truth: &Truth, original: &Prediction, answer: &Prediction) -> Option<f64> {
        match (self, truth, answer) {
            (Measure::Cosine, _, Prediction::Embedding(vector)) => match original {
                Prediction::Embedding(original) => cosine_similarity(original, vector),
                Prediction::Classes(_) | Prediction::Names(_) | Prediction::Text(_) => None,
            },
            (Measure::Mrr, Truth::Name(truth), Prediction::Names(names)) => {
                let ranked: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
                Some(reciprocal_rank(&ranked, &truth.as_str()))
            }
            (_, Truth::Name(truth) | Truth::Text(truth), Prediction::Names(_) | Prediction::Text(_)) => {
                self.of_words(first(answer)?, truth)
            }
            _ => None,
        }
    }

    /// What guides a search, between 0 and 1: the score, and of ranked names the mean of the scores of all of them, weighted by
    /// their certainties. It changes before the first name does.
    pub fn guide(self, truth: &Truth, original: &Prediction, answer: &Prediction) -> Option<f64> {
        let score = self.score(truth, original, answer)?;
        let mean = match (truth, answer) {
            (Truth::Name(truth), Prediction::Names(names)) => {
                let certainty = |(_, certainty): &(String, f32)| f64::from(certainty.max(0.0));
                let all: f64 = names.iter().map(certainty).sum();
                let of_name = |it: &(String, f32)| self.of_words(&it.0, truth).unwrap_or(0.0) * certainty(it);
                Some(names.iter().map(of_name).sum::<f64>() / all).filter(|mean| mean.is_finite())
            }
            _ => None,
        };
        Some(mean.unwrap_or(score).clamp(0.0, 1.0))
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

impl FromStr for Measure {
    type Err = String;

    fn from_str(name: &str) -> Result<Measure, String> {
        let names = || Measure::ALL.into_iter().map(Measure::name);
        Measure::ALL.into_iter().find(|measure| measure.name() == name).ok_or_else(|| {
            let near = closest(name, names());
            let hint = near.first().map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
            format!("there is no measure `{name}`{hint}; there are {}", names().collect::<Vec<_>>().join(", "))
        })
    }
}

/// The first name, or the text.
pub fn first(prediction: &Prediction) -> Option<&str> {
    match prediction {
        // A model that has no name to offer has given an empty one.
        Prediction::Names(names) => Some(names.first().map_or("", |(name, _)| name.as_str())),
        Prediction::Text(text) => Some(text.trim()),
        Prediction::Classes(_) | Prediction::Embedding(_) => None,
    }
}

/// The fall of a score that makes an attack a success.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    pub measure: Measure,
    /// The score must be below this.
    pub below: Option<f64>,
    /// The score must be lower than that of the original by at least this.
    pub fall: Option<f64>,
}

impl Goal {
    /// Is this a success, for an original with this score?
    pub fn is_reached(&self, original: f64, score: f64) -> bool {
        self.below.is_none_or(|below| score < below) && self.fall.is_none_or(|fall| original - score >= fall - LITTLE)
    }

    /// Can the score of an original with this score fall far enough, and has not done so already?
    pub fn is_possible(&self, original: f64) -> bool {
        let lowest = self.measure.lowest();
        self.below.is_none_or(|below| original >= below)
            && self.fall.is_none_or(|fall| original - fall >= lowest - LITTLE)
    }
}

/// In words, such as `bleu below 0.2`.
impl fmt::Display for Goal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.measure)?;
        if let Some(below) = self.below {
            write!(out, " below {below}")?;
        }
        if let Some(fall) = self.fall {
            let and = if self.below.is_some() { " and" } else { "" };
            write!(out, "{and} lower by at least {fall}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(found: Option<f64>, value: f64) {
        assert!((found.unwrap() - value).abs() < 1e-6, "{found:?} is not {value}");
    }

    fn names(names: &[(&str, f32)]) -> Prediction {
        Prediction::Names(names.iter().map(|(name, certainty)| ((*name).to_owned(), *certainty)).collect())
    }

    #[test]
    fn names_are_guided_before_the_first_changes() {
        let truth = Truth::Name("getName".to_owned());
        let sure = names(&[("getName", 0.6), ("getSize", 0.3), ("run", 0.1)]);
        let unsure = names(&[("getName", 0.4), ("run", 0.4), ("getSize", 0.2)]);
        for answer in [&sure, &unsure] {
            assert_eq!(Measure::F1.score(&truth, &sure, answer), Some(1.0));
            assert_eq!(Measure::Mrr.score(&truth, &sure, answer), Some(1.0));
        }
        close(Measure::F1.guide(&truth, &sure, &sure), 0.75);
        close(Measure::F1.guide(&truth, &sure, &unsure), 0.5);
        close(Measure::Mrr.guide(&truth, &sure, &unsure), 0.4);
        let second = names(&[("run", 0.0), ("getName", 0.0)]);
        close(Measure::Mrr.score(&truth, &sure, &second), 0.5);
        // Certainties that say nothing leave the score.
        close(Measure::Mrr.guide(&truth, &sure, &second), 0.5);
        close(Measure::F1.score(&truth, &sure, &names(&[])), 0.0);
        close(Measure::F1.score(&truth, &sure, &Prediction::Text(" getSize\n".to_owned())), 0.5);
        assert_eq!(Measure::F1.score(&truth, &sure, &Prediction::Classes(vec![1.0])), None);
        assert_eq!(Measure::F1.score(&Truth::Name("_".to_owned()), &sure, &names(&[("_", 1.0)])), None);
    }

    #[test]
    fn texts_and_vectors_have_scores() {
        let truth = Truth::Text("returns the full name".to_owned());
        let same = Prediction::Text("returns the full name".to_owned());
        let other = Prediction::Text("the name".to_owned());
        for measure in [Measure::Bleu, Measure::RougeL, Measure::EditDistance] {
            close(measure.score(&truth, &same, &same), 1.0);
            let score = measure.score(&truth, &same, &other);
            assert!(score < Some(0.8) && score == measure.guide(&truth, &same, &other), "{measure}: {score:?}");
        }
        let [one, other] = [vec![1.0, 0.0], vec![-1.0, 0.0]].map(Prediction::Embedding);
        close(Measure::Cosine.score(&Truth::Unknown, &one, &other), -1.0);
        close(Measure::Cosine.guide(&Truth::Unknown, &one, &other), 0.0);
        assert_eq!(Measure::Cosine.score(&Truth::Unknown, &one, &Prediction::Embedding(vec![0.0, 0.0])), None);
        assert_eq!(Measure::Bleu.score(&truth, &one, &one), None);
    }

    #[test]
    fn a_goal_is_a_threshold_a_margin_or_both() {
        let goal = |below, fall| Goal { measure: Measure::Bleu, below, fall };
        let below = goal(Some(0.3), None);
        assert!(below.is_reached(0.5, 0.29) && !below.is_reached(0.5, 0.3));
        assert!(below.is_possible(0.3) && !below.is_possible(0.29));
        let fall = goal(None, Some(0.3));
        assert!(fall.is_reached(0.9, 0.6) && !fall.is_reached(0.9, 0.61));
        assert!(fall.is_possible(0.3) && !fall.is_possible(0.29));
        let both = goal(Some(0.3), Some(0.3));
        assert!(both.is_reached(0.5, 0.2) && !both.is_reached(0.5, 0.25) && !both.is_reached(0.9, 0.4));
        assert_eq!(both.to_string(), "bleu below 0.3 and lower by at least 0.3");
        assert_eq!(
            (below.to_string(), fall.to_string().as_str()),
            ("bleu below 0.3".to_owned(), "bleu lower by at least 0.3")
        );
        assert!(Goal { measure: Measure::Cosine, ..goal(None, Some(0.9)) }.is_possible(0.0));
    }

    #[test]
    fn measures_have_the_same_names_everywhere() {
        for measure in Measure::ALL {
            assert_eq!(
                (measure.name().parse(), serde_json::to_value(measure).unwrap()),
                (Ok(measure), measure.name().into())
            );
        }
        assert!("bleau".parse::<Measure>().unwrap_err().contains("did you mean `bleu`"));
    }
}
