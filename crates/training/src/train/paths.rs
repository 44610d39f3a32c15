//! Training code2vec: from methods to a folder that `code2vec:DIR` opens.

mod lessons;
mod vocabulary;

use std::path::Path;

use model::paths::Limits;
use serde::Serialize;
use serde_json::json;

use super::estimate::{Estimate, estimate_methods};
use super::methods::{MethodCorpus, MethodModel, MethodPlan, train_methods};
use super::{Blueprint, Observer, TrainedEncoder, TrainingError, check_settings, start};
use crate::compute::Compute;
use crate::path_network::{MethodBatch, PathNetwork, PathShape};
use crate::shape::Parameter;
pub use lessons::PathCorpus;
use lessons::PathLessons;
use vocabulary::Vocabulary;
pub(super) use vocabulary::frequent;

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
    plan: &MethodPlan<NewPathModel>,
    corpus: &PathCorpus,
    validation: Option<&PathCorpus>,
    output: &Path,
    observer: &Observer<'_>,
) -> Result<TrainedEncoder, TrainingError> {
    let own = prepared(plan, corpus, validation)?;
    let shape = own.shape;
    train_methods(plan, &own, output, observer, || first_weights(plan, shape), |weights| as_read(&shape, weights))
}

/// What the training will take, measured with two batches. Nothing is written.
pub fn estimate_paths(
    plan: &MethodPlan<NewPathModel>,
    corpus: &PathCorpus,
    observer: &Observer<'_>,
) -> Result<Estimate, TrainingError> {
    let own = prepared(plan, corpus, None)?;
    estimate_methods(plan, &own, || first_weights(plan, own.shape), activations, observer)
}

/// The vocabulary and the lessons of a training that can be done.
fn prepared(
    plan: &MethodPlan<NewPathModel>,
    corpus: &PathCorpus,
    validation: Option<&PathCorpus>,
) -> Result<MethodModel<PathLessons, PathShape>, TrainingError> {
    check_settings(&plan.settings, validation.is_some())?;
    let NewPathModel { width, vector, contexts, .. } = plan.model;
    if width == 0 || vector == 0 || contexts == 0 {
        let problem = "embeddings, vectors of methods and the contexts of a method are at least 1".to_owned();
        return Err(TrainingError::Unfit(problem));
    }
    let vocabulary = Vocabulary::of(corpus, &plan.model);
    let lessons = PathLessons::new(corpus, &vocabulary);
    let shape = PathShape {
        words: vocabulary.words.len(),
        paths: vocabulary.paths.len(),
        names: vocabulary.names.len(),
        width,
        vector,
    };
    let note = format!(
        "{} methods with one of {} names, {} words and {} paths; {} others have rarer names or no contexts",
        lessons.names.len(),
        shape.names - 1,
        shape.words - 1,
        shape.paths - 1,
        corpus.count() - lessons.names.len()
    );
    Ok(MethodModel {
        kind: "code2vec",
        vocabulary: vocabulary.to_json(),
        config: config(&plan.model),
        lessons,
        validation: validation.map(|corpus| PathLessons::new(corpus, &vocabulary)),
        shape,
        note,
    })
}

fn first_weights(plan: &MethodPlan<NewPathModel>, shape: PathShape) -> Vec<f32> {
    let layout = shape.layout();
    start::random_weights(&layout.parameters, layout.count, plan.settings.seed)
}

/// The bytes that the network keeps of a batch for its way back.
fn activations(shape: &PathShape, batch: &MethodBatch) -> usize {
    // The embeddings, the sums and the vectors of contexts, and a weight; the vectors of methods, and scores of names with their slopes.
    let of_context = 3 * shape.width + 2 * shape.vector + 1;
    let of_method = shape.vector + 2 * shape.names;
    4 * (batch.contexts.len() * of_context + batch.names.len() * of_method)
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
