//! Permutes neurons of a layer.
//!
//! level: neuron
//! least: 2
//! paper: DeepMutation (NS)
//!
//! The selected neurons of a layer are put in a random order, and each gets the weights and the bias of the next: all of
//! them change, and their number stays the same.
//!
//! ```json
//! {"rows": [[1, 2], [3, 4], [5, 6]], "biases": [0.1, 0.2, 0.3], "seed": 1}
//! ```
//! ->
//! ```json
//! {"rows": [[5, 6], [1, 2], [3, 4]], "biases": [0.3, 0.1, 0.2]}
//! ```
//!
//! ```json
//! {"rows": [[1, 2]], "biases": [0.1]}
//! ```

use super::{Part, Strength};

pub(super) fn run(part: &mut Part, strength: &mut Strength) {
    let mut order: Vec<usize> = (0..part.len()).collect();
    strength.random.shuffle(&mut order);
    let (rows, biases) = (part.rows.clone(), part.biases.clone());
    for (place, from) in order.iter().zip(order.iter().cycle().skip(1)) {
        if let Some(row) = rows.get(*from) {
            part.rows[*place].clone_from(row);
        }
        if let Some(bias) = biases.get(*from) {
            part.biases[*place] = *bias;
        }
    }
}
