//! Several random rewrites in sequence.
//!
//! sees: label
//! queries: 2
//! paper: guided mutation (K-Times)
//! parameters: rewrites=5, asks-each=no
//!
//! Each rewrite is drawn as in `random-once` and applied to the result of the previous one; one that is not applicable is
//! drawn again and does not count. The model is queried for the last variant only, as in the paper, or for every
//! intermediate one with `asks-each=yes`.
//!
//! ```c
//! int f(int buffer) { return buffer; }
//! ```
//! ->
//! ```c
//! int f(int result) { return result; }
//! ```
//!
//! Nothing of this can be rewritten:
//!
//! ```c
//! int f(void);
//! ```

use super::random_once::rewritten;
use crate::victim::{Stop, Victim};

pub(super) fn run(victim: &mut Victim<'_>) -> Result<(), Stop> {
    let mut candidate = victim.original().clone();
    for _ in 0..victim.number("rewrites") {
        let Some(next) = rewritten(victim, &candidate) else { break };
        candidate = next;
        if victim.is_on("asks-each") {
            victim.judge_one(&candidate)?;
        }
    }
    if candidate.moves().is_empty() {
        return Ok(());
    }
    victim.judge_one(&candidate)?;
    Ok(())
}
