//! Adds noise to weights.
//!
//! level: weight
//! paper: guided mutation, Table I (WGF); DeepMutation (GF)
//!
//! A weight w that is drawn becomes w (1 + e), where e is normal with the standard deviation `sigma`. The noise is in parts of
//! the weight, as in DeepMutation++, because the layers of a model differ in size. Its released tool also clips weights to
//! [-1, 1], which changes weights that nobody drew; here nothing is clipped.
//!
//! ```json
//! {"rows": [[0.5, -2.0, 0.0]], "sigma": 0.5, "seed": 1}
//! ```
//! ->
//! ```json
//! {"rows": [[0.22356, -2.33284, 0.0]]}
//! ```
//!
//! ```json
//! {"rows": [[0.5, -2.0]], "sigma": 0.0}
//! ```

use super::{Part, Strength};

pub(super) fn run(part: &mut Part, strength: &mut Strength) {
    strength.fuzz(part);
}
