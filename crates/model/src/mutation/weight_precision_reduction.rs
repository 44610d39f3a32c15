//! Keeps only the first digits of weights.
//!
//! level: weight
//! paper: guided mutation, Table I (WPR)
//!
//! A weight that is drawn keeps `digits` decimal digits, counted from the first that is not zero: the weights of transformers
//! are so small that digits behind the point would leave zeros.
//!
//! ```json
//! {"rows": [[0.123, -4.56, 0.0]], "digits": 1}
//! ```
//! ->
//! ```json
//! {"rows": [[0.1, -5.0, 0.0]]}
//! ```
//!
//! ```json
//! {"rows": [[0.12, -4.5]], "digits": 2}
//! ```

use super::{Part, Strength};

pub(super) fn run(part: &mut Part, strength: &mut Strength) {
    strength.round(part);
}
