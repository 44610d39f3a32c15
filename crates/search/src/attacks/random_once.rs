//! One random rewrite.
//!
//! sees: label
//! queries: 2
//! paper: guided mutation (1-Time)
//!
//! One of the allowed transformations is drawn, then one of its sites; a transformation without a site is drawn again. The
//! model is queried once for the result. This is the weakest attack, and the baseline for the others.
//!
//! ```c
//! int f(int buffer) { return buffer; }
//! ```
//! ->
//! ```c
//! int f(int cursor) { return cursor; }
//! ```
//!
//! Nothing of this can be rewritten:
//!
//! ```c
//! int f(void);
//! ```

use transformation::Selection;

use crate::candidate::Candidate;
use crate::victim::{Stop, Victim};

pub(super) fn run(victim: &mut Victim<'_>) -> Result<(), Stop> {
    let original = victim.original().clone();
    if let Some(candidate) = rewritten(victim, &original) {
        victim.judge_one(&candidate)?;
    }
    Ok(())
}

/// A candidate after one random rewrite; `None` when there is nothing to rewrite.
pub(super) fn rewritten(victim: &mut Victim<'_>, candidate: &Candidate) -> Option<Candidate> {
    let selections = victim.selections();
    let all =
        victim.parts().iter().flat_map(|part| selections.iter().map(move |selection| (*part, selection))).collect();
    drawn(victim, candidate, all)
}

/// A candidate after one random rewrite by one of the transformations that are left, each for one of the programs.
pub(super) fn drawn(
    victim: &mut Victim<'_>,
    candidate: &Candidate,
    mut left: Vec<(usize, &Selection)>,
) -> Option<Candidate> {
    while !left.is_empty() {
        let (part, selection) = left.swap_remove(victim.random().below(left.len()));
        let mut sites = selection.sites(candidate.program(part), None);
        while !sites.is_empty() {
            let site = sites.swap_remove(victim.random().below(sites.len()));
            let seed = victim.random().below(1 << 53) as u64;
            if let Ok(next) = candidate.applied(part, selection.transformation, &site, seed, &selection.names) {
                return Some(next);
            }
        }
    }
    None
}
