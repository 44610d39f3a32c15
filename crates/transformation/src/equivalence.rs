//! Whether a rewritten program still does what the program did: both are run and compared.

pub mod sandbox;
