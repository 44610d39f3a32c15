//! What the trainings of all models of methods share: what is learned from, and the way from lessons to a folder.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use model::paths::{Method, Row};
use serde::Serialize;
use serde_json::json;

use super::device::Device;
use super::durable::write;
use super::learner::{Curriculum, batches_by_length};
use super::resume::RunFolder;
use super::{
    Blueprint, News, Observer, Ready, TrainedEncoder, TrainingError, TrainingSettings, complete, folder, start,
};
use crate::shape::Parameter;

/// Methods that a model of names learns from.
pub trait MethodCorpus: Default + Send {
    /// The methods of a program.
    fn of(methods: &[Method]) -> Self;

    /// Takes a line of a file of contexts in.
    fn add_row(&mut self, row: &Row) -> Result<(), String>;

    /// Takes the methods of another in.
    fn append(&mut self, other: Self);

    /// How many methods there are.
    fn count(&self) -> usize;

    /// How many contexts they have.
    fn contexts(&self) -> usize;
}

/// What is trained, and how.
#[derive(Clone, Debug)]
pub struct MethodPlan<Model> {
    /// The size of the model, and what it reads of a method.
    pub model: Model,
    pub settings: TrainingSettings,
    pub device: Device,
    /// Stop after this time, with a checkpoint.
    pub stop_after: Option<Duration>,
}

/// A model of methods whose lessons and lists are made.
pub(super) struct MethodModel<Lessons, Shape> {
    /// What its folder is opened as.
    pub kind: &'static str,
    /// The texts of the files with its lists and its settings.
    pub vocabulary: String,
    pub config: String,
    pub lessons: Lessons,
    pub validation: Option<Lessons>,
    pub shape: Shape,
    /// What the user is told about the lessons.
    pub note: String,
}

/// Trains a model of methods and writes it to a folder, or resumes what was begun there. The weights are written as the reader of the folder
/// wants them, which `as_read` makes of those that the network has.
pub(super) fn train_methods<Model: Serialize, Lessons: Curriculum, Shape: Blueprint<Batch = Lessons::Batch>>(
    plan: &MethodPlan<Model>,
    own: &MethodModel<Lessons, Shape>,
    output: &Path,
    observer: &Observer<'_>,
    first_weights: impl FnOnce() -> Vec<f32>,
    as_read: impl FnOnce(&[f32]) -> (Vec<Parameter>, Vec<f32>),
) -> Result<TrainedEncoder, TrainingError> {
    if own.lessons.count() == 0 {
        return Err(TrainingError::Nothing);
    }
    let described = json!({own.kind: plan.model, "settings": plan.settings, "device": plan.device.name()});
    let run = RunFolder::open(output, &described)?;
    if !run.has_skeleton() {
        for (name, text) in [("vocabulary.json", &own.vocabulary), ("config.json", &own.config)] {
            let path = output.join(name);
            write(&path, |file| writeln!(file, "{text}"))
                .map_err(|source| TrainingError::Unwritable { path, source })?;
        }
    }
    let validation = own.validation.as_ref().filter(|validation| validation.count() > 0);
    run.check_data(&own.lessons, validation)?;
    (observer.tell)(News::Note(own.note.clone()));
    let ready = Ready {
        output,
        run: &run,
        settings: &plan.settings,
        device: plan.device,
        stop_after: plan.stop_after,
        lessons: &own.lessons,
        validation,
        blueprint: own.shape,
        observer,
    };
    let begin = || Ok(start::learning(first_weights()));
    complete(&ready, begin, |weights| {
        let (parameters, weights) = as_read(weights);
        folder::write_weights(output, &parameters, &weights, plan.settings.half)
    })
}

/// The batches of an epoch, with a limit of contexts. Nothing is padded, so that methods of any lengths stand together. A method that has more
/// contexts is a batch by itself.
pub(super) fn batches_by_contexts(
    methods: usize,
    most: usize,
    shuffled: Option<(u64, u64)>,
    contexts: impl Fn(usize) -> usize,
) -> Vec<Vec<usize>> {
    let same_length = |_| 0;
    batches_by_length(methods, shuffled, same_length, |pool, batches| {
        let (mut batch, mut count) = (Vec::new(), 0);
        for method in pool {
            let own = contexts(*method);
            if count + own > most && !batch.is_empty() {
                batches.push(std::mem::take(&mut batch));
                count = 0;
            }
            batch.push(*method);
            count += own;
        }
        if !batch.is_empty() {
            batches.push(batch);
        }
    })
}
