//! What attacks know beside the target: it is gathered once and shared by all of them.

use model::Model;

/// What attacks know beside the target.
#[derive(Default)]
pub struct Material {
    /// Names that the programs of the training set use, the most frequent first.
    pub vocabulary: Vec<String>,
    /// A masked language model, which proposes names that fit where they stand.
    pub masked: Option<Box<dyn Model>>,
}
