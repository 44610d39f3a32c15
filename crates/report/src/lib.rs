//! What runs say, as one page that is opened from disk: numbers, pictures, and adversarial examples beside their originals.
//!
//! Everything is computed from the records of runs. The same runs give the same bytes, and nothing in the page reaches for
//! the network: code from data sets is text everywhere, and a policy in the page forbids the rest. Every table and picture can
//! be taken away as a file.

mod contents;
mod diff;
mod examples;
mod exports;
pub mod gate;
mod heads;
mod lines;
mod markup;
mod numbers;
mod page;
mod parts;
mod pictures;
mod run;
mod sections;
pub mod serve;
pub mod site;

pub use contents::{Contents, Kind, Others};
pub use numbers::{AttackNumbers, Numbers, Ranks, Reason, RunNumbers, Strongest, Use};
pub use page::{Page, page, page_of};
pub use run::{ReportError, Run};
