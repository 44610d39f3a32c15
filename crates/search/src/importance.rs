//! How much names matter to the model: how far its confidence drops when they are masked.

use crate::identifiers::{Identifier, masked};
use crate::victim::{Stop, Victim};

/// Replaces a masked name. In vocabularies of the RoBERTa family it is the token for unknown words; to other models it
/// is a word that they have never seen.
const UNKNOWN: &str = "<unk>";

/// How names are masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masking {
    /// All occurrences of a name at once, which costs one query per name.
    Names,
    /// One occurrence at a time, which costs one query each. The drops are added up.
    Occurrences,
}

/// The indices of the names in descending importance. Ties keep their order.
pub fn by_importance(
    victim: &mut Victim<'_>,
    identifiers: &[Identifier],
    masking: Masking,
) -> Result<Vec<usize>, Stop> {
    // The order of one name is known.
    if identifiers.len() < 2 {
        return Ok((0..identifiers.len()).collect());
    }
    let original = victim.original().clone();
    let (mut owners, mut inputs) = (Vec::new(), Vec::new());
    for (owner, identifier) in identifiers.iter().enumerate() {
        match masking {
            Masking::Names => {
                owners.push(owner);
                inputs.push(masked(&original, identifier, UNKNOWN));
            }
            Masking::Occurrences => {
                for occurrence in &identifier.occurrences {
                    let mut alone = identifier.clone();
                    alone.occurrences = vec![occurrence.clone()];
                    owners.push(owner);
                    inputs.push(masked(&original, &alone, UNKNOWN));
                }
            }
        }
    }
    let beliefs = victim.probe(inputs)?;
    let mut drops = vec![0.0; identifiers.len()];
    for (owner, belief) in owners.into_iter().zip(beliefs) {
        // A mask without an answer says nothing.
        drops[owner] += belief.map_or(0.0, |belief| victim.belief() - belief);
    }
    let mut order: Vec<usize> = (0..identifiers.len()).collect();
    order.sort_by(|one, other| drops[*other].total_cmp(&drops[*one]));
    Ok(order)
}
