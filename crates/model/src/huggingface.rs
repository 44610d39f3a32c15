//! Checkpoints in the layout of the transformers library: what the files say, and the forward passes.

pub mod checkpoint;
pub(crate) mod decoder;
pub mod encoder;
pub(crate) mod generation;
pub mod graph;
pub(crate) mod hub;
pub(crate) mod remembered;
pub mod roberta;
pub mod settings;
pub mod t5;
pub mod text_to_text;
pub mod tokens;
