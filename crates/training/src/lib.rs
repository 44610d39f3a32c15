//! Encoders through which gradients flow, and encoders on a GPU.
//!
//! [`open`] opens every model that [`model::open`] does. A RoBERTa checkpoint that is opened here also has gradients, and runs
//! on an NVIDIA GPU where its name asks for one. The layers are candle's, which takes longer to compile than everything else
//! together: what needs neither gradients nor a GPU uses `model` alone.

mod batched;
pub mod compute;
mod differentiable;
mod engine;
#[cfg(feature = "cuda")]
mod fused;
pub mod network;
pub mod processor;
mod product;
pub mod shape;

pub use engine::open;
