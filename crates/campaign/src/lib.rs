//! Work over many programs: data sets, manifests, and the runs that read and write them.

pub mod attack;
pub mod baseline;
pub mod compare;
pub mod complete_file;
pub mod control;
pub mod data;
pub mod disagree;
pub mod distil;
pub mod evaluate;
pub mod evolve;
pub mod examples;
pub mod experiment;
pub mod extract;
pub mod fidelity;
mod forms;
pub mod glob;
pub mod grid;
pub mod manifest;
pub mod mutants;
pub mod plan;
pub mod ranking;
pub mod recording;
pub mod repeats;
pub mod retrain;
pub mod run;
pub mod scores;
pub mod scoring;
pub mod shapes;
pub mod tasks;
pub mod train;
pub mod transform;
pub mod trial;
pub mod vary;
pub mod verify;
pub mod work;

pub use examples::{Example, Examples, Task, Truth};
