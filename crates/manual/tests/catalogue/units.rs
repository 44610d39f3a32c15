//! The units: one line each.

/// A unit's function: the new text, or `None` to leave the text alone.
pub type Rewrite = fn(&str) -> Option<String>;

manual::catalogue! {
    "units", fn rewrite: crate::units::Rewrite,
    double_it,
    shout,
}
