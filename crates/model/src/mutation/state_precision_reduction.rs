//! Reduces components of a state to their leading digits.
//!
//! level: state
//! paper: guided mutation, Table I (SPR)
//!
//! A selected component keeps `digits` decimal digits, counted from the first non-zero one, after every step.
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
