//! The statistical tests, one file each, in alphabetical order.

pub use bootstrap::{Bootstrap, Interval, Method, Sums};

manual::catalogue! {
    "statistics", fn run: crate::Run,
    bootstrap,
}
