//! Models beside what published them.

mod onnx;
mod parity;
mod relative;
mod students;
