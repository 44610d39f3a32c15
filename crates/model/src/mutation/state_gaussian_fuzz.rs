//! Adds noise to components of a state.
//!
//! level: state
//! paper: guided mutation, Table I (SGF)
//!
//! A selected component s becomes s (1 + e) after every step of a recurrent layer, where e is normally distributed with the
//! standard deviation `sigma`. The noise depends on the seed and on the number of the step, so an input always gets the same
//! answer.
//!
//! ```json
//! {"rows": [[0.5, -0.25]], "sigma": 0.5, "seed": 1}
//! ```
//! ->
//! ```json
//! {"rows": [[0.22356, -0.29161]]}
//! ```
//!
//! ```json
//! {"rows": [[0.5, -0.25]], "sigma": 0.0}
//! ```

use super::{Part, Strength};

pub(super) fn run(part: &mut Part, strength: &mut Strength) {
    strength.fuzz(part);
}
