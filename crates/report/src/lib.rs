//! What runs say, as one page that is opened from disk: numbers, pictures, and adversarial examples beside their originals.
//!
//! Everything is computed from the records of runs. The same runs give the same bytes, and nothing in the page reaches for
//! the network: code from data sets is text everywhere, and a policy in the page forbids the rest.

mod diff;
mod examples;
mod lines;
mod markup;
mod numbers;
mod page;
mod pictures;
mod run;
mod sections;

pub use numbers::{AttackNumbers, Numbers, Reason, RunNumbers, Strongest, Use};
pub use page::{Page, page};
pub use run::{ReportError, Run};
