//! What became of an attack on one target.

use equivalence::Verdicts;
use measure::ExampleQuality;
use model::Prediction;
use serde::{Deserialize, Serialize};

use crate::candidate::{Candidate, Move};

/// What became of an attack on one target.
pub struct Finding {
    /// How it ended.
    pub outcome: Outcome,
    /// Why it ended so, where that is worth a word.
    pub reason: Option<String>,
    /// What the model said about the original.
    pub before: Option<Prediction>,
    /// What the model said about the example that was found.
    pub after: Option<Prediction>,
    /// How much the model believed in the truth before, and at the least while the attack went on.
    pub belief: Option<(f32, f32)>,
    /// The example that was found: the success, or a flip that is not valid.
    pub example: Option<Candidate>,
    /// What was found when the example was checked, for every program that was changed.
    pub verdicts: Vec<Verdicts>,
    /// How far the example is from the original.
    pub quality: Option<ExampleQuality>,
    /// Flips that were not valid.
    pub rejected: Vec<Rejected>,
    /// How many different inputs the model was asked about.
    pub queries: usize,
    /// How many more questions were about the same inputs.
    pub cached: usize,
    /// How many questions mutants of the model were asked; they are not among the others.
    pub mutant_queries: usize,
    /// How many questions it took to make the example small.
    pub shrink_queries: usize,
    /// How many rewrites the example had before it was made small.
    pub moves_before_shrinking: usize,
    /// How many questions had no answer.
    pub faults: usize,
    /// The time that was spent: that of the attack itself, and its share of the model's.
    pub seconds: f64,
}

/// A flip that was not valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// The rewrites that led there.
    pub moves: Vec<Move>,
    /// What is wrong.
    pub reason: String,
}

/// How an attack ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A valid form of the program gets another answer.
    Success,
    /// Forms that get another answer were found, and none was valid.
    Invalid,
    /// None was found.
    #[default]
    Failed,
    /// Nothing of the program can be changed.
    NoSite,
    /// The model was wrong before.
    Misclassified,
    /// The model did not answer.
    Fault,
}

impl Outcome {
    /// Every outcome, in the order in which tables show them.
    pub const ALL: [Outcome; 6] =
        [Outcome::Success, Outcome::Invalid, Outcome::Failed, Outcome::NoSite, Outcome::Misclassified, Outcome::Fault];

    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Success => "success",
            Outcome::Invalid => "invalid",
            Outcome::Failed => "failed",
            Outcome::NoSite => "no-site",
            Outcome::Misclassified => "misclassified",
            Outcome::Fault => "fault",
        }
    }

    /// Was a form found that gets another answer, valid or not?
    pub const fn is_flip(self) -> bool {
        matches!(self, Outcome::Success | Outcome::Invalid)
    }

    /// Was the target attacked? Rates are over those that were.
    pub const fn is_attacked(self) -> bool {
        match self {
            Outcome::Success | Outcome::Invalid | Outcome::Failed => true,
            Outcome::NoSite | Outcome::Misclassified | Outcome::Fault => false,
        }
    }
}
