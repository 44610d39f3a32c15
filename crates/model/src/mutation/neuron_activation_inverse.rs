//! Negates the weighted sums of neurons.
//!
//! level: neuron
//! paper: DeepMutation (NAI)
//!
//! All input weights of a neuron and its bias change their signs, so that its activation function receives the negated sum.
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
