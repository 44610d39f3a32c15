//! Attacks: searches for a form of a program that means the same and gets another answer.
//!
//! An attack is a unit of [`attacks`]: straight-line code that makes [`Candidate`]s and asks its [`Victim`] to judge them. The
//! victim is the only road to the model: it counts, remembers, keeps to the budget, checks what flips the answer, and merges
//! the questions of all targets that are attacked at the same time at one [`Desk`].

pub mod attacks;
mod cache;
mod candidate;
mod desk;
pub mod evolve;
mod finding;
mod identifiers;
mod importance;
mod masked_names;
mod material;
mod quality;
mod references;
mod settings;
mod shrink;
mod skipgram;
#[cfg(test)]
mod testing;
mod victim;
mod vocabulary;

pub use attacks::{Attack, Sees};
pub use cache::{Cache, CacheError};
pub use candidate::{Candidate, Move};
pub use desk::{Desk, Traffic};
pub use finding::{Finding, Outcome, Rejected};
pub use identifiers::{Identifier, identifiers, is_possible, masked};
pub use material::{Embedded, Embeddings, Material};
pub use references::{Encoder, Gathered, Gathering, Reference, anonymous};
pub use settings::{AttackSettings, ParameterError, Parts};
pub use skipgram::Skipgram;
pub use victim::{Stop, Surroundings, Target, Truth, Victim, attack, has_same_label, is_right};
