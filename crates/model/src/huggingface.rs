//! Checkpoints in the layout of the transformers library: what the files say, and the forward passes.

pub(crate) mod batched;
pub(crate) mod checkpoint;
pub(crate) mod differentiable;
#[cfg(feature = "cuda")]
pub(crate) mod fused;
pub(crate) mod generation;
pub(crate) mod graph;
pub(crate) mod remembered;
pub(crate) mod roberta;
pub(crate) mod settings;
pub(crate) mod t5;
pub(crate) mod tokens;
