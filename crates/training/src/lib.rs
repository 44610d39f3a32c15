//! Encoders through which gradients flow, that learn, and that run on a GPU.
//!
//! [`open`] opens every model that [`model::open`] does. A RoBERTa checkpoint that is opened here also has gradients, and runs
//! on an NVIDIA GPU where its name asks for one.
//!
//! A [`network::Network`] is written once over the operations of [`compute::Compute`], which the processor and a GPU both have.

pub mod compute;
pub mod cuda;
mod engine;
pub mod network;
mod path_network;
pub mod processor;
mod product;
pub mod quantise;
mod sequence_network;
pub mod shape;
pub mod train;
pub mod weights;

pub use engine::open;
