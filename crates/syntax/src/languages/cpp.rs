//! C++, where it differs from C.

pub(crate) mod facts;
pub(crate) mod scopes;
