//! Programs as immutable values: text, tree, scopes, flow and types, and edits that make a new program.
//!
//! Everything that Allotrope knows about a program comes from here, so that a transformation need not guess. Start at
//! [`Program`].

pub mod edit;
pub mod file;
pub mod flow;
mod installed;
pub mod introspection;
pub mod kind;
pub mod language;
pub mod languages;
pub mod names;
mod patterns;
pub mod program;
pub mod reading;
pub mod reflection;
pub mod scopes;
pub mod surroundings;
pub mod token;
pub mod tree;
pub mod types;
pub mod views;
pub mod words;

pub use edit::{Edit, EditError};
pub use kind::{Field, Kind};
pub use language::Language;
pub use program::Program;
pub use reading::Context;
pub use scopes::{Reference, ReferenceId, Scope, ScopeId, Scopes, Symbol, SymbolId, SymbolKind, Target};
pub use surroundings::{Project, Surroundings};
pub use token::{Token, TokenKind};
pub use tree::{Node, NodeId};
pub use types::Type;
