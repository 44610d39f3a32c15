//! What the answers of a model to a test set are worth, and how two models are told apart by them.

use measure::metrics::{Words, scores, subtoken_counts};
use measure::statistics::{Exactness, Zeros, mcnemar, wilcoxon_signed_rank};
use measure::{Bootstrap, Line, Summary, Sums};
use model::Prediction;
use search::first;
use serde::{Deserialize, Serialize};

use crate::examples::Truth;

/// What answers are worth, one for each input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answers {
    /// Is each the class of its input?
    Right(Vec<bool>),
    /// Of each name the words that the true one has as well, all of its words, and those of the true name.
    Names(Vec<[f64; 3]>),
}

impl Answers {
    /// The answers to inputs with these truths, which are all of one kind.
    pub(super) fn of(answers: &[Prediction], truths: &[Truth]) -> Answers {
        let all = || answers.iter().zip(truths);
        let is_named = truths.iter().any(|truth| matches!(truth, Truth::Name(_)));
        if is_named {
            let counts = |(answer, truth): (&Prediction, &Truth)| match truth {
                Truth::Name(truth) => subtoken_counts(first(answer).unwrap_or_default(), truth, Words::Multisets),
                _ => [0.0; 3],
            };
            return Answers::Names(all().map(counts).collect());
        }
        let is_right = |(answer, truth): (&Prediction, &Truth)| matches!(truth, Truth::Class(class) if answer.class() == Some(*class));
        Answers::Right(all().map(is_right).collect())
    }

    /// What the share of what is right is called.
    pub fn measure(&self) -> &'static str {
        match self {
            Answers::Right(_) => "accuracy",
            Answers::Names(_) => "F1 of subtokens",
        }
    }

    /// The test that tells two models apart.
    pub(super) fn test(&self) -> &'static str {
        match self {
            Answers::Right(_) => "McNemar",
            Answers::Names(_) => "Wilcoxon",
        }
    }

    /// The accuracy, or the F1 of all subtokens together.
    pub fn value(&self) -> Option<f64> {
        self.share(None).value
    }

    /// The same with its interval; `clusters` says which inputs belong together.
    pub(super) fn share(&self, clusters: Option<&[usize]>) -> Line {
        let mut summary = Summary::default();
        match self {
            Answers::Right(right) => {
                let values: Vec<Option<f64>> = right.iter().map(|is_right| Some(number(*is_right))).collect();
                summary.push_share("share", &values, clusters, &Bootstrap::default());
                summary.lines.remove(0)
            }
            Answers::Names(counts) => {
                line(counts.len(), 3, clusters, |place| counts[place].to_vec(), |sums| f1(&sums[..3]))
            }
        }
    }

    /// By how much it is better than other answers to the same inputs.
    pub(super) fn difference(&self, other: &Answers, clusters: Option<&[usize]>) -> Line {
        let mut summary = Summary::default();
        match (self, other) {
            (Answers::Names(own), Answers::Names(other)) if own.len() == other.len() => line(
                own.len(),
                6,
                clusters,
                |place| [own[place], other[place]].concat(),
                |sums| Some(f1(&sums[..3])? - f1(&sums[3..])?),
            ),
            _ => {
                let differences: Vec<Option<f64>> =
                    self.each().iter().zip(other.each()).map(|(own, other)| Some(own - other)).collect();
                summary.push_difference("difference", &differences, clusters, &Bootstrap::default());
                summary.lines.remove(0)
            }
        }
    }

    /// How likely such a difference is by chance.
    pub(super) fn chance(&self, other: &Answers) -> Option<f64> {
        match (self, other) {
            (Answers::Right(own), Answers::Right(other)) => mcnemar(own, other).map(|test| test.p),
            _ => {
                let (own, other) = (self.each(), other.each());
                wilcoxon_signed_rank(&own, &other, Zeros::Drop, Exactness::Auto).map(|test| test.p)
            }
        }
    }

    /// What each answer alone is worth.
    fn each(&self) -> Vec<f64> {
        match self {
            Answers::Right(right) => right.iter().copied().map(number).collect(),
            Answers::Names(counts) => counts.iter().map(|counts| f1(counts).unwrap_or(0.0)).collect(),
        }
    }
}

impl Default for Answers {
    fn default() -> Answers {
        Answers::Right(Vec::new())
    }
}

fn number(is_right: bool) -> f64 {
    f64::from(u8::from(is_right))
}

fn f1(counts: &[f64]) -> Option<f64> {
    scores(counts[0], counts[1], counts[2]).f1
}

/// A measure of sums over inputs, with its interval.
fn line(
    inputs: usize,
    width: usize,
    clusters: Option<&[usize]>,
    of_input: impl Fn(usize) -> Vec<f64>,
    measure: impl Fn(&[f64]) -> Option<f64> + Sync,
) -> Line {
    let mut sums = Sums::new(inputs, width);
    for place in 0..inputs {
        let cluster = clusters.and_then(|clusters| clusters.get(place)).copied().unwrap_or(place);
        of_input(place).into_iter().enumerate().for_each(|(cell, amount)| sums.add(cluster, cell, amount));
    }
    let value = measure(&sums.totals());
    let [interval] = Bootstrap::default().intervals(&sums, |sums| [measure(sums)]);
    Line { measure: "share".to_owned(), value, interval, n: inputs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_word_by_word() {
        let truths = ["getName", "setName", "run"].map(|name| Truth::Name(name.to_owned()));
        let answers = |names: [&str; 3]| {
            let answers = names.map(|name| Prediction::Names(vec![(name.to_owned(), 1.0)]));
            Answers::of(&answers, &truths)
        };
        let (one, other) = (answers(["getName", "getName", "run"]), answers(["get", "clear", "run"]));
        // Four of five words against two of four, of five that are true.
        let close =
            |found: Option<f64>, value: f64| assert!((found.unwrap() - value).abs() < 1e-9, "{found:?}, {value}");
        close(one.value(), 0.8);
        close(other.value(), 0.5);
        let difference = one.difference(&other, None);
        close(difference.value, 0.3);
        assert!(difference.interval.is_some());
        assert!(one.chance(&other).unwrap() > 0.1);
        assert_eq!(one.chance(&one), None);
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(serde_json::from_str::<Answers>(&text).unwrap(), one);
    }

    #[test]
    fn classes_are_right_or_wrong() {
        let truths = [0, 1, 1, 0].map(Truth::Class);
        let answers = [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.6, 0.4]].map(|it| Prediction::Classes(it.to_vec()));
        let found = Answers::of(&answers, &truths);
        assert_eq!(found, Answers::Right(vec![true, true, false, true]));
        assert_eq!((found.value(), found.measure(), found.test()), (Some(0.75), "accuracy", "McNemar"));
    }
}
