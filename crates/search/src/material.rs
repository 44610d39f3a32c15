//! What attacks know besides the target: it is gathered once and shared by all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use model::Model;

use crate::references::{Encoder, Reference};
use crate::skipgram::Skipgram;
use crate::victim::Truth;

/// What attacks know besides the target.
#[derive(Default)]
pub struct Material {
    /// Names that the programs of the training set use, most frequent first.
    pub vocabulary: Vec<String>,
    /// A masked language model, which predicts names that fit their context.
    pub masked: Option<Box<dyn Model>>,
    /// Mutants of the model, see [`model::mutation`].
    pub mutants: Vec<Box<dyn Model>>,
    /// Inputs of the training set that the model classifies correctly, class by class.
    pub references: Vec<Reference>,
    /// The truths of the references, where they are not classes.
    pub truths: Vec<Truth>,
    /// The encoder of the references' vectors.
    pub encoder: Encoder,
    /// The similarity of the names of the training set.
    pub names: NameVectors,
    /// The embeddings of the vocabulary, as far as they were needed.
    pub embeddings: Embeddings,
}

/// The similarity of names. It is trained on first use, because few attacks need it and a large training set takes minutes.
#[derive(Default)]
pub struct NameVectors {
    /// The names of each program, in order.
    sequences: Vec<Vec<String>>,
    seed: u64,
    learned: OnceLock<Skipgram>,
}

impl NameVectors {
    pub(crate) fn new(sequences: Vec<Vec<String>>, seed: u64) -> NameVectors {
        NameVectors { sequences, seed, learned: OnceLock::new() }
    }

    /// The name vectors, trained on the first call.
    pub fn get(&self) -> &Skipgram {
        self.learned.get_or_init(|| Skipgram::train(&self.sequences, self.seed))
    }
}

/// Embeddings of the vocabulary, by their model and the number of words.
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
