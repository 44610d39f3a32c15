//! Measures and statistics that a reviewer can trust.
//!
//! Every measure is one file of [`metrics`], every statistical test one file of [`statistics`]. Its header says what it is and
//! where it comes from, and its worked example is its first test. All of them are pure functions over slices.
//!
//! What is undefined is absent: a rate over nothing, a result of NaN, slices whose lengths differ. It is never 0,
//! never NaN, and never a panic.

pub mod catalogue;
mod describe;
pub mod metrics;
mod numbers;
pub mod printed;
mod special;
pub mod statistics;
pub mod summary;
mod table;
#[cfg(test)]
mod testing;
mod text;

pub use catalogue::{BadInput, MeasureFunction, catalogue};
pub use describe::{Spread, spread};
pub use statistics::{Bootstrap, Interval, Method, Sums};
pub use summary::{ExampleQuality, Line, Summary};
pub use table::{Cell, Table, in_latex};
