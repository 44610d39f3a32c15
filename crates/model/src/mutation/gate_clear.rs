//! Sets components of gates to 0.
//!
//! level: gate
//! paper: guided mutation, Table I (GC)
//!
//! A selected component of the input, forget, cell or output gate is 0 at every step, after its activation.
//!
//! ```json
//! {"rows": [[0.5, 0.9]]}
//! ```
//! ->
//! ```json
//! {"rows": [[0, 0]]}
//! ```
//!
//! ```json
//! {"rows": [[0]]}
//! ```

use super::{Part, Strength};

pub(super) fn run(part: &mut Part, _: &mut Strength) {
    part.each(|_| 0.0);
}
