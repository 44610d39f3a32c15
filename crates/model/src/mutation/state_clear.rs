//! Sets components of a state to 0.
//!
//! level: state
//! paper: guided mutation, Table I (SC)
//!
//! This happens after every step of a recurrent layer, to the selected components.
//!
//! ```json
//! {"rows": [[0.5, -0.25]], "previous": [0.1, 0.2]}
//! ```
//! ->
//! ```json
//! {"rows": [[0, 0]]}
//! ```
//!
//! ```json
//! {"rows": [[0]], "previous": [0.5]}
//! ```

use super::{Part, Strength};

pub(super) fn run(part: &mut Part, _: &mut Strength) {
    part.each(|_| 0.0);
}
