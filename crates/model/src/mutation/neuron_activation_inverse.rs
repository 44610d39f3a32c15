//! Negates what neurons add up.
//!
//! level: neuron
//! paper: DeepMutation (NAI)
//!
//! All weights of a neuron's inputs and its bias change their signs, so that its activation gets the negative of its sum.
//!
//! ```json
//! {"rows": [[1, -2]], "biases": [0.5]}
//! ```
//! ->
//! ```json
//! {"rows": [[-1, 2]], "biases": [-0.5]}
//! ```
//!
//! ```json
//! {"rows": [[0, 0]], "biases": [0]}
//! ```

use super::{Part, Strength};

pub(super) fn run(part: &mut Part, _: &mut Strength) {
    part.each(|number| -number);
}
