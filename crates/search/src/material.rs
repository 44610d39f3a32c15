//! What attacks know beside the target: it is gathered once and shared by all of them.

/// What attacks know beside the target.
#[derive(Default)]
pub struct Material {
    /// Names that the programs of the training set use, the most frequent first.
    pub vocabulary: Vec<String>,
}
