//! What attacks know beside the target: it is gathered once and shared by all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use model::Model;

use crate::references::{Encoder, Reference};
use crate::skipgram::Skipgram;

/// What attacks know beside the target.
#[derive(Default)]
pub struct Material {
    /// Names that the programs of the training set use, the most frequent first.
    pub vocabulary: Vec<String>,
    /// A masked language model, which proposes names that fit where they stand.
    pub masked: Option<Box<dyn Model>>,
    /// Mutants of the model, see [`model::mutation`].
    pub mutants: Vec<Box<dyn Model>>,
    /// Inputs of the training set that the model answers rightly, class by class.
    pub references: Vec<Reference>,
    /// What the vectors of the references come from.
    pub encoder: Encoder,
    /// How near the names of the training set are to each other.
    pub names: Skipgram,
    /// Their embeddings, as far as they have been asked for.
    pub embeddings: Embeddings,
}

/// Embeddings of the vocabulary, by the model that they are from and the number of words.
#[derive(Default)]
pub struct Embeddings(Mutex<HashMap<(String, usize), Arc<Embedded>>>);

/// Words with their embeddings.
pub type Embedded = Vec<(String, Vec<f32>)>;

impl Material {
    /// The first words of the vocabulary with their embeddings in a model. They are computed once for all targets.
    pub fn embedded(&self, model: &dyn Model, most: usize) -> Arc<Embedded> {
        let mut known = self.embeddings.0.lock().unwrap_or_else(PoisonError::into_inner);
        let compute = || {
            let words = self.vocabulary.iter().take(most);
            Arc::new(words.filter_map(|word| Some((word.clone(), model.word_embedding(word)?))).collect())
        };
        Arc::clone(known.entry((model.identity().digest.clone(), most)).or_insert_with(compute))
    }
}
