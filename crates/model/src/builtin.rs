//! Models that this program trains itself, and the programs in the binary that it can train them on.

pub(crate) mod features;
pub mod linear;
pub mod problems;
