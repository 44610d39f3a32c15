//! Reduces components of gates to their leading digits.
//!
//! level: gate
//! paper: guided mutation, Table I (GPR)
//!
//! A selected component of the input, forget, cell or output gate keeps `digits` decimal digits at every step, after its
//! activation.
//!
//! ```json
//! {"rows": [[0.56, 0.94]], "digits": 1}
//! ```
//! ->
//! ```json
//! {"rows": [[0.6, 0.9]]}
//! ```
//!
//! ```json
//! {"rows": [[0.5]], "digits": 1}
//! ```

use super::{Part, Strength};

pub(super) fn run(part: &mut Part, strength: &mut Strength) {
    strength.round(part);
}
