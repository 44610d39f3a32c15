//! Silences neurons.
//!
//! level: neuron
//! paper: DeepMutation (NEB)
//!
//! The weights of a neuron and its bias become 0. The activation functions of these models are 0 at 0, so it has no effect
//! on the following layers.
//!
//! ```json
//! {"rows": [[1, -2], [3, 4]], "biases": [0.5, 1]}
//! ```
//! ->
//! ```json
//! {"rows": [[0, 0], [0, 0]], "biases": [0, 0]}
//! ```
//!
//! ```json
//! {"rows": [[0, 0]], "biases": [0]}
//! ```

use super::{Part, Strength};

pub(super) fn run(part: &mut Part, _: &mut Strength) {
    part.each(|_| 0.0);
}
