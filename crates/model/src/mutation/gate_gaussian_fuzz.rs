//! Adds noise to components of gates.
//!
//! level: gate
//! paper: guided mutation, Table I (GGF)
//!
//! A selected component g of the input, forget, cell or output gate becomes g (1 + e) at every step, after its activation,
//! where e is normally distributed with the standard deviation `sigma`. The noise depends on the seed and on the number of
//! the step.
//!
//! ```json
//! {"rows": [[0.5, 0.9]], "sigma": 0.5, "seed": 1}
//! ```
//! ->
//! ```json
//! {"rows": [[0.22356, 1.04978]]}
//! ```
//!
//! ```json
//! {"rows": [[0.5, 0.9]], "sigma": 0.0}
//! ```

use super::{Part, Strength};

pub(super) fn run(part: &mut Part, strength: &mut Strength) {
    strength.fuzz(part);
}
