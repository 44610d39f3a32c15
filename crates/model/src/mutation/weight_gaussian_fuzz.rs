//! Adds noise to weights.
//!
//! level: weight
//! paper: guided mutation, Table I (WGF); DeepMutation (GF)
//!
//! A selected weight w becomes w (1 + e), where e is normally distributed with the standard deviation `sigma`. The noise is
//! relative to the weight, as in DeepMutation++, because the layers of a model differ in scale. Its released tool also clips
//! weights to [-1, 1], which changes weights that were not selected; here nothing is clipped.
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
