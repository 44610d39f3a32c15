//! Keeps only the first digits of components of a state.
//!
//! level: state
//! paper: guided mutation, Table I (SPR)
//!
//! A component that was drawn keeps `digits` decimal digits, counted from the first that is not zero, behind every step.
//!
//! ```json
//! {"rows": [[0.123, -0.0456]], "digits": 1}
//! ```
//! ->
//! ```json
//! {"rows": [[0.1, -0.05]]}
//! ```
//!
//! ```json
//! {"rows": [[0.5]], "digits": 1}
//! ```

use super::{Part, Strength};

pub(super) fn run(part: &mut Part, strength: &mut Strength) {
    strength.round(part);
}
