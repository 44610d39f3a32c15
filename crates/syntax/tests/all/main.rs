//! What holds for every program.

mod check;
#[path = "../../examples/data/mod.rs"]
mod data;
mod edges;
mod flow_is_total;
mod generated;
mod layout;
mod programs;
mod properties;
mod sample;
mod scopes;
