//! The result of an attack on one target.

use equivalence::Verdicts;
use measure::ExampleQuality;
use model::Prediction;
use serde::{Deserialize, Serialize};

use crate::candidate::{Candidate, Move};

/// The result of an attack on one target.
pub struct Finding {
    pub outcome: Outcome,
    /// An explanation of the outcome, where there is one.
    pub reason: Option<String>,
    /// The prediction for the original.
    pub before: Option<Prediction>,
    /// The prediction for the example.
    pub after: Option<Prediction>,
    /// The confidence in the truth for the original, and the lowest one during the attack. With a measure it is what guides
    /// the search, see [`crate::Measure::guide`].
    pub belief: Option<(f32, f32)>,
    /// The scores, where a measure decides.
    pub score: Option<Scored>,
    /// The prediction for the form that the attack leaves, where a measure decides or every original is attacked: the example,
    /// or else the valid form with the lowest score or confidence, even if the original has a lower one.
    pub left: Option<Prediction>,
    /// That form, where it is no success and every original is attacked.
    pub form: Option<Candidate>,
    /// The adversarial example, or else a flip that was not judged.
    pub example: Option<Candidate>,
    /// The verdicts on the example, for every program that was changed.
    pub verdicts: Vec<Verdicts>,
    pub quality: Option<ExampleQuality>,
    /// Flips that were not valid.
    pub rejected: Vec<Rejected>,
    /// How many candidates changed more than is allowed. They were not queried.
    pub refused: usize,
    /// How many distinct inputs were submitted to the model.
    pub queries: usize,
    /// How many further queries repeated one of these inputs.
    pub cached: usize,
    /// How many queries went to mutants of the model; they are not among the others.
    pub mutant_queries: usize,
    /// How many queries shrinking took.
    pub shrink_queries: usize,
    /// How many rewrites the example had before shrinking.
    pub moves_before_shrinking: usize,
    /// How many queries confirmed flips; they are counted separately.
    pub confirm_queries: usize,
    /// How many flips were not confirmed.
    pub unconfirmed: usize,
    /// How many queries had no answer.
    pub faults: usize,
    /// The time of the attack itself, plus its share of the model's.
    pub seconds: f64,
}

/// The scores of an attack that a measure decides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// The score of the original.
    pub before: f64,
    /// The lowest score during the attack.
    pub lowest: f64,
    /// The score of the example, where there is one.
    pub after: Option<f64>,
}

/// A flip that was not valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    pub moves: Vec<Move>,
    pub reason: String,
}

/// How an attack ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A valid adversarial example was found.
    Success,
    /// Flips were found, but none of them was judged as requested, so that nobody knows whether they are valid.
    NotJudged,
    /// Flips were found, but none was valid.
    Invalid,
    /// No flip was found.
    #[default]
    Failed,
    /// Nothing in the program can be changed.
    NoSite,
    /// The model was wrong about the original.
    Misclassified,
    /// The model did not answer.
    Fault,
}

impl Outcome {
    /// Every outcome, in the order of tables.
    pub const ALL: [Outcome; 7] = [
        Outcome::Success,
        Outcome::NotJudged,
        Outcome::Invalid,
        Outcome::Failed,
        Outcome::NoSite,
        Outcome::Misclassified,
        Outcome::Fault,
    ];

    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Success => "success",
            Outcome::NotJudged => "not-judged",
            Outcome::Invalid => "invalid",
            Outcome::Failed => "failed",
            Outcome::NoSite => "no-site",
            Outcome::Misclassified => "misclassified",
            Outcome::Fault => "fault",
        }
    }

    /// Was a variant with a different answer found, valid or not?
    pub const fn is_flip(self) -> bool {
        matches!(self, Outcome::Success | Outcome::NotJudged | Outcome::Invalid)
    }

    /// Was the target attacked? Success rates are over those that were.
    pub const fn is_attacked(self) -> bool {
        match self {
            Outcome::Success | Outcome::NotJudged | Outcome::Invalid | Outcome::Failed => true,
            Outcome::NoSite | Outcome::Misclassified | Outcome::Fault => false,
        }
    }
}
