//! Shuffles the input weights of neurons.
//!
//! level: neuron
//! paper: DeepMutation (WS)
//!
//! The neuron keeps its bias.
//!
//! ```json
//! {"rows": [[1, 2, 3, 4], [5, 6, 7, 8]], "biases": [0.5, 0.25], "seed": 1}
//! ```
//! ->
//! ```json
//! {"rows": [[1, 4, 3, 2], [8, 5, 6, 7]], "biases": [0.5, 0.25]}
//! ```
//!
//! ```json
//! {"rows": [[1], [2]], "biases": [3, 4]}
//! ```

use super::{Part, Strength};

pub(super) fn run(part: &mut Part, strength: &mut Strength) {
    for row in &mut part.rows {
        strength.random.shuffle(row);
    }
}
