//! Sets components of a state back to what they were one step before.
//!
//! level: state
//! paper: guided mutation, Table I (SR)
//!
//! It happens behind every step, so a component that was drawn never leaves the value that it begins with.
//!
//! ```json
//! {"rows": [[0.5, -0.25]], "previous": [0.1, 0.2]}
//! ```
//! ->
//! ```json
//! {"rows": [[0.1, 0.2]]}
//! ```
//!
//! ```json
//! {"rows": [[0.5]], "previous": [0.5]}
//! ```

use super::{Part, Strength};

pub(super) fn run(part: &mut Part, _: &mut Strength) {
    for row in &mut part.rows {
        row.clone_from(&part.previous);
    }
}
