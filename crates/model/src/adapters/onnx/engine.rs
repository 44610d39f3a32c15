//! What computes an ONNX file: ONNX Runtime, in builds with its feature.

#[cfg(feature = "onnxruntime")]
pub use super::runtime::Runtime as Engine;

/// An input or an output of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    pub name: String,
    /// The length of each dimension, where the graph says it. `None` is a graph that says nothing about its shape.
    pub shape: Option<Vec<Option<usize>>>,
}

/// An input that is given: its name, and one row of whole numbers.
pub type Row = (String, Vec<i64>);

/// Numbers with the length of each dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub shape: Vec<usize>,
    pub numbers: Vec<f32>,
}

/// In a build without the feature there is no engine, and there can be none.
#[cfg(not(feature = "onnxruntime"))]
pub enum Engine {}

#[cfg(not(feature = "onnxruntime"))]
impl Engine {
    /// Says what to build.
    pub fn open(_: &std::path::Path) -> Result<Engine, crate::OpenError> {
        Err(crate::OpenError::Missing(
            "this program was built without what runs ONNX models: build it with the feature `onnxruntime`, as in \
             `cargo build --release -p allotrope --features onnxruntime`"
                .to_owned(),
        ))
    }

    /// The inputs of the graph.
    pub fn inputs(&self) -> &[Slot] {
        match *self {}
    }

    /// The outputs of the graph.
    pub fn outputs(&self) -> &[Slot] {
        match *self {}
    }

    /// Computes one output.
    pub fn run(&self, _: &[Row], _: &str) -> Result<Array, crate::Fault> {
        match *self {}
    }
}
