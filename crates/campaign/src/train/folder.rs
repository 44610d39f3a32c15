//! What a training that writes a folder came to.

use std::path::PathBuf;

use model::Model;
use training::train::TrainedEncoder;

use crate::evaluate::Quality;

/// A model that was trained, and its folder.
pub struct TrainedFolder {
    /// The model, opened from its folder.
    pub model: Box<dyn Model>,
    /// Its name, by which it is opened again.
    pub name: String,
    pub trained: TrainedEncoder,
    /// The data sets.
    pub paths: Vec<PathBuf>,
    pub learned: Learned,
    /// How well the model does on the validation or on what was held out, which also chose its weights. None where that has no truths.
    pub quality: Option<Quality>,
    /// Was the evaluation stopped before it finished? The model is complete.
    pub is_interrupted: bool,
}

/// What a model learned from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Learned {
    /// Examples, by the names of their classes.
    Classes { examples: usize, labels: Vec<String> },
    /// The words of programs.
    Programs(usize),
    /// Texts and the programs that they belong to.
    Pairs(usize),
    /// Methods with names.
    Methods { methods: usize, contexts: usize },
}
