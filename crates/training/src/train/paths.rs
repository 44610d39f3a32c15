//! Training code2vec: from methods to a folder that `code2vec:DIR` opens; and what all models of methods share.

mod lessons;
mod vocabulary;

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use model::paths::{Limits, Method, Row};
use serde::Serialize;
use serde_json::json;

use super::device::Device;
use super::durable::write;
use super::resume::RunFolder;
use super::{
    Blueprint, News, Observer, Ready, TrainedEncoder, TrainingError, TrainingSettings, check_settings, complete,
    folder, start,
};
use crate::compute::Compute;
use crate::path_network::{MethodBatch, PathNetwork, PathShape};
use crate::shape::Parameter;
pub use lessons::PathCorpus;
use lessons::PathLessons;
use vocabulary::Vocabulary;
pub(super) use vocabulary::frequent;

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
pub struct PathPlan {
    pub model: NewPathModel,
    pub settings: TrainingSettings,
    pub device: Device,
    /// Stop after this time, with a checkpoint.
    pub stop_after: Option<Duration>,
}

/// The size of a path model, and what it reads of a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NewPathModel {
    /// How many numbers the embedding of a word or a path has.
    pub width: usize,
    /// How many numbers the vector of a method has.
    pub vector: usize,
    /// The most words of leaves, of the frequent ones.
    pub words: usize,
    /// The most paths.
    pub paths: usize,
    /// The most names.
    pub names: usize,
    /// The most contexts of a method.
    pub contexts: usize,
}

impl Default for NewPathModel {
    fn default() -> NewPathModel {
        NewPathModel { width: 128, vector: 384, words: 50_000, paths: 100_000, names: 20_000, contexts: 200 }
    }
}

impl NewPathModel {
    /// Which contexts of a method the model is given.
    pub fn limits(&self) -> Limits {
        Limits { contexts: self.contexts, ..Limits::default() }
    }
}

impl Blueprint for PathShape {
    type Batch = MethodBatch;
    type Network<C: Compute> = PathNetwork<C>;

    fn parameters(self) -> (usize, usize) {
        let layout = self.layout();
        (layout.count, layout.parameters.iter().map(Parameter::count).sum())
    }

    fn build<C: Compute>(self, compute: C) -> PathNetwork<C> {
        PathNetwork::new(self, compute)
    }
}

/// Trains code2vec and writes it to a folder, or resumes what was begun there.
pub fn train_paths(
    plan: &PathPlan,
    corpus: &PathCorpus,
    validation: Option<&PathCorpus>,
    output: &Path,
    observer: &Observer<'_>,
) -> Result<TrainedEncoder, TrainingError> {
    check_settings(&plan.settings, validation.is_some())?;
    let NewPathModel { width, vector, contexts, .. } = plan.model;
    if width == 0 || vector == 0 || contexts == 0 {
        let problem = "embeddings, vectors of methods and the contexts of a method are at least 1".to_owned();
        return Err(TrainingError::Unfit(problem));
    }
    let vocabulary = Vocabulary::of(corpus, &plan.model);
    let lessons = PathLessons::new(corpus, &vocabulary);
    if lessons.is_empty() {
        return Err(TrainingError::Nothing);
    }
    let validation = validation.map(|corpus| PathLessons::new(corpus, &vocabulary)).filter(|own| !own.is_empty());
    let described = json!({"code2vec": plan.model, "settings": plan.settings, "device": plan.device.name()});
    let run = RunFolder::open(output, &described)?;
    if !run.has_skeleton() {
        let files = [("vocabulary.json", vocabulary.to_json()), ("config.json", config(&plan.model))];
        for (name, text) in files {
            let path = output.join(name);
            write(&path, |file| writeln!(file, "{text}"))
                .map_err(|source| TrainingError::Unwritable { path, source })?;
        }
    }
    run.check_data(&lessons, validation.as_ref())?;
    let shape = PathShape {
        words: vocabulary.words.len(),
        paths: vocabulary.paths.len(),
        names: vocabulary.names.len(),
        width: plan.model.width,
        vector: plan.model.vector,
    };
    let note = format!(
        "{} methods with one of {} names, {} words and {} paths; {} others have rarer names or no contexts",
        lessons.names.len(),
        shape.names - 1,
        shape.words - 1,
        shape.paths - 1,
        corpus.count() - lessons.names.len()
    );
    (observer.tell)(News::Note(note));
    let layout = shape.layout();
    let ready = Ready {
        output,
        run: &run,
        settings: &plan.settings,
        device: plan.device,
        stop_after: plan.stop_after,
        lessons: &lessons,
        validation: validation.as_ref(),
        blueprint: shape,
        observer,
    };
    let begin = || Ok(start::learning(start::random_weights(&layout.parameters, layout.count, plan.settings.seed)));
    complete(&ready, begin, |weights| {
        let (parameters, weights) = as_read(&shape, weights);
        folder::write_weights(output, &parameters, &weights, plan.settings.half)
    })
}

/// The parameters as `code2vec:DIR` reads them, which has a row of the transformation for each input.
fn as_read(shape: &PathShape, weights: &[f32]) -> (Vec<Parameter>, Vec<f32>) {
    let (mut parameters, mut weights) = (shape.layout().parameters, weights.to_vec());
    if let Some(transform) = parameters.iter_mut().find(|parameter| parameter.name == "transform") {
        let [outputs, inputs] = [transform.shape[0], transform.shape[1]];
        let own = weights[transform.start..][..outputs * inputs].to_vec();
        for (place, number) in own.into_iter().enumerate() {
            weights[transform.start + place % inputs * outputs + place / inputs] = number;
        }
        transform.shape = vec![inputs, outputs];
    }
    (parameters, weights)
}

fn config(model: &NewPathModel) -> String {
    let Limits { length, width, contexts, seed } = model.limits();
    format!("{:#}", json!({"path_length": length, "path_width": width, "contexts": contexts, "seed": seed}))
}

/// Divides methods into batches with a limit of contexts. A method that has more is a batch by itself.
pub(super) fn batches_by_contexts(
    methods: &[usize],
    most: usize,
    contexts: impl Fn(usize) -> usize,
    batches: &mut Vec<Vec<usize>>,
) {
    let (mut batch, mut count) = (Vec::new(), 0);
    for method in methods {
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
}
