//! What attacks know beside the target: it is gathered once and shared by all of them.

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
    /// Inputs of the training set that the model answers rightly, class by class.
    pub references: Vec<Reference>,
    /// What the vectors of the references come from.
    pub encoder: Encoder,
    /// How near the names of the training set are to each other.
    pub names: Skipgram,
}
