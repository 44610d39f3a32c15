//! Attacks: searches for a variant of a program that behaves the same but gets a different answer.
//!
//! An attack is a unit of [`attacks`]: straight-line code that makes [`Candidate`]s and has its [`Victim`] judge them.
//! Only the victim talks to the model: it counts queries, remembers answers, enforces the budget, checks flips, and
//! merges the queries of all targets that are attacked at the same time at one [`Desk`].

pub mod attacks;
mod cache;
mod candidate;
mod desk;
pub mod evolve;
mod finding;
mod goal;
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
pub use finding::{Finding, Outcome, Rejected, Scored};
pub use goal::{Goal, Measure, first};
pub use identifiers::{Identifier, identifiers, is_possible, masked};
pub use material::{Embedded, Embeddings, Material, NameVectors};
pub use references::{Encoder, Gathered, Gathering, Reference, anonymous};
pub use settings::{AttackSettings, ParameterError, Parts};
pub use shrink::smallest;
pub use skipgram::Skipgram;
pub use victim::{Stop, Surroundings, Target, Truth, Victim, attack, is_right};
