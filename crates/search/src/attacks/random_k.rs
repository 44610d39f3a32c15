//! Several random rewrites, one after the other.
//!
//! sees: label
//! paper: guided mutation (K-Times)
//! parameters: rewrites=5, asks-each=no
//!
//! Each rewrite is drawn as `random-once` draws it and changes what the one before has made; one that cannot be done is drawn
//! again and does not count. The model is asked about the last form only, as in the paper, or about every form on the way with
//! `asks-each=yes`.
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
