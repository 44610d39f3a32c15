//! What a teacher says about the examples that a network learns from.

use std::fmt;
use std::sync::Arc;

use random::seed_of;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Corpus, Goal, TrainingError, TrainingPlan};
use crate::network::{SoftLabels, SoftLoss, SoftStates, softened};

/// What a teacher says about the examples of a corpus, and how much that counts.
#[derive(Clone)]
pub struct Teaching {
    /// Who the teacher is, in words. It decides the result.
    pub teacher: String,
    pub temperature: f32,
    pub loss: SoftLoss,
    /// How much the label of an example counts beside the teacher's answer, from 0 to 1; the answer has the rest.
    pub label_weight: f32,
    /// How probable the teacher finds every class: for each example, in their order.
    pub answers: Arc<Vec<Vec<f32>>>,
    /// What it says about variants. Without it a variant has the teacher's answer to its original.
    pub of_variants: Option<TaughtVariants>,
    /// What its states are. The student's are pulled to them, those of a variant to the ones of its original.
    pub states: Option<TaughtStates>,
}

/// The states that a teacher ends with at the first token of each program, on which it decides.
#[derive(Clone)]
pub struct TaughtStates {
    /// How much the mean squared distance to them counts, where the answers count 1.
    pub weight: f32,
    pub width: usize,
    /// A row for each program of the corpus, in their order.
    pub rows: Arc<Vec<f32>>,
}

/// What a teacher says about variants of the examples: a fixed number of each, of which every epoch draws one.
#[derive(Clone)]
pub struct TaughtVariants {
    /// How much its answer to a variant counts, where that to an original counts 1.
    pub weight: f32,
    pub sets: Arc<Vec<TaughtSet>>,
}

/// A variant of every example, and what a teacher says about it.
#[derive(Clone)]
pub struct TaughtSet {
    /// What the variants are made from, see [`seed_of_variant`].
    pub seed: u64,
    /// For each example, in their order.
    pub answers: Vec<Vec<f32>>,
}

impl fmt::Debug for Teaching {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Teaching({}, {} answers)", self.teacher, self.answers.len())
    }
}

/// The seed of the variant of a program, by its place in the corpus, in a set of variants with a seed.
pub fn seed_of_variant(set: u64, program: usize) -> u64 {
    seed_of(&[b"variant", &set.to_le_bytes(), &(program as u64).to_le_bytes()])
}

impl Teaching {
    /// Everything that decides the result, but for the answers.
    pub(super) fn described(&self) -> Value {
        json!({
            "teacher": self.teacher,
            "temperature": self.temperature,
            "loss": self.loss.name(),
            "label-weight": self.label_weight,
            "of-variants": self.of_variants.as_ref().map(|of| json!({"weight": of.weight, "sets": of.sets.len()})),
            "states": self.states.as_ref().map(|states| json!({"weight": states.weight, "width": states.width})),
        })
    }

    /// Adds the answers to a digest of everything that is learned from.
    pub(super) fn add_to(&self, digest: &mut Sha256) {
        let sets = self.of_variants.iter().flat_map(|of| of.sets.iter()).map(|set| &set.answers);
        for answers in std::iter::once(&*self.answers).chain(sets) {
            answers.iter().flatten().for_each(|share| digest.update(share.to_le_bytes()));
        }
        let states = self.states.iter().flat_map(|states| states.rows.iter());
        states.for_each(|number| digest.update(number.to_le_bytes()));
    }

    /// Refuses what nothing can be learned from.
    pub(super) fn check(&self, plan: &TrainingPlan, corpus: &Corpus) -> Result<(), TrainingError> {
        let unfit = |problem: String| Err(TrainingError::Unfit(problem));
        let Goal::Classes { labels, .. } = &plan.goal else {
            return unfit("a teacher teaches classes, and nothing else here".to_owned());
        };
        if !(self.temperature > 0.0 && self.temperature.is_finite()) {
            return unfit("the temperature is a number above 0".to_owned());
        }
        if !(0.0..=1.0).contains(&self.label_weight) {
            return unfit("how much the labels count is a number from 0 to 1".to_owned());
        }
        let sets = self.of_variants.iter().flat_map(|of| of.sets.iter()).map(|set| &set.answers);
        for answers in std::iter::once(&*self.answers).chain(sets) {
            if answers.len() != corpus.examples.len() {
                let (answers, examples) = (answers.len(), corpus.examples.len());
                return unfit(format!("the teacher has {answers} answers about {examples} examples"));
            }
            let is_other = |answer: &&Vec<f32>| {
                answer.len() != labels.len() || answer.iter().any(|share| !(0.0..=1.0).contains(share))
            };
            if let Some(answer) = answers.iter().find(is_other) {
                let (classes, labels) = (answer.len(), labels.len());
                return unfit(format!("the teacher says {classes} shares, and there are {labels} classes"));
            }
        }
        if let Some(TaughtStates { weight, width, rows }) = &self.states {
            if rows.len() != width * corpus.programs.len() || *width == 0 {
                let (numbers, programs) = (rows.len(), corpus.programs.len());
                return unfit(format!("the teacher has {numbers} numbers of states about {programs} programs"));
            }
            if !(*weight > 0.0 && weight.is_finite() && rows.iter().all(|number| number.is_finite())) {
                return unfit("how much the states count is a number above 0, and they are numbers".to_owned());
            }
        }
        let Some(of_variants) = &self.of_variants else { return Ok(()) };
        if plan.variants.is_none() || of_variants.sets.is_empty() {
            return unfit("a teacher's answers about variants need variants".to_owned());
        }
        match of_variants.weight > 0.0 && of_variants.weight.is_finite() {
            true => Ok(()),
            false => unfit("how much the answers about variants count is a number above 0".to_owned()),
        }
    }

    /// The number of the set of variants that an epoch learns from, by the seed of the epoch; none where every epoch draws its own.
    pub(super) fn set_of_epoch(&self, epoch: u64) -> Option<usize> {
        self.of_variants.as_ref().map(|of| (epoch % of.sets.len() as u64) as usize)
    }

    /// The seed of the variants of an epoch, by the seed of the epoch.
    pub(super) fn seed_of_variants(&self, epoch: u64) -> u64 {
        match (&self.of_variants, self.set_of_epoch(epoch)) {
            (Some(of), Some(set)) => of.sets[set].seed,
            _ => epoch,
        }
    }

    /// What the teacher says about some examples, of which these are the programs side by side.
    pub(super) fn soft_labels(&self, examples: &[usize], programs: &[usize]) -> SoftLabels {
        let states = self.states.as_ref().map(|TaughtStates { weight, width, rows }| SoftStates {
            rows: programs.iter().flat_map(|program| &rows[program * width..][..*width]).copied().collect(),
            weight: *weight,
        });
        SoftLabels {
            shares: self.softened(&self.answers, examples),
            weights: vec![1.0 - self.label_weight; examples.len()],
            label_weight: self.label_weight,
            temperature: self.temperature,
            loss: self.loss,
            states,
        }
    }

    /// Adds what it says about the variants of these examples in an epoch.
    pub(super) fn add_variants(&self, soft: &mut SoftLabels, examples: &[usize], epoch: u64) {
        let (answers, weight) = match (&self.of_variants, self.set_of_epoch(epoch)) {
            (Some(of), Some(set)) => (&of.sets[set].answers, of.weight),
            _ => (&*self.answers, 1.0),
        };
        soft.shares.extend(self.softened(answers, examples));
        soft.weights.extend(examples.iter().map(|_| weight * (1.0 - self.label_weight)));
        if let Some(states) = &mut soft.states {
            states.rows.extend_from_within(..);
        }
    }

    fn softened(&self, answers: &[Vec<f32>], examples: &[usize]) -> Vec<f32> {
        examples.iter().flat_map(|example| softened(&answers[*example], self.temperature)).collect()
    }
}
