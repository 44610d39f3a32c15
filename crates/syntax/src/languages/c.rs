//! C, and what C++ shares with it.

pub(crate) mod casts;
pub(crate) mod constants;
mod directives;
pub(crate) mod effects;
pub(crate) mod facts;
mod lexing;
pub(crate) mod mends;
pub(crate) mod mirrors;
pub(crate) mod misreadings;
pub(crate) mod scopes;
pub(crate) mod types;
pub(crate) mod unread;
