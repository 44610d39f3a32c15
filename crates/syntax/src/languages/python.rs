//! Python.

pub(crate) mod constants;
pub(crate) mod effects;
pub(crate) mod facts;
pub(crate) mod mirrors;
pub(crate) mod misreadings;
pub(crate) mod nesting;
pub(crate) mod scopes;
pub(crate) mod types;
