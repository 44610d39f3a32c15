//! Resets components of a state to their values at the previous step.
//!
//! level: state
//! paper: guided mutation, Table I (SR)
//!
//! This happens after every step, so a selected component never changes from its initial value.
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
