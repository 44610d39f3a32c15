//! Reduces weights to their leading digits.
//!
//! level: weight
//! paper: guided mutation, Table I (WPR)
//!
//! A selected weight keeps `digits` decimal digits, counted from the first non-zero one: the weights of transformers are so
//! small that rounding after the decimal point would leave zeros.
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
