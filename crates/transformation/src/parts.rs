//! What several transformations share: where statements are, how conditions are negated, how a value is declared,
//! what can be renamed. In doubt, each answers no.

pub(crate) mod assignments;
pub(crate) mod branches;
pub(crate) mod calls;
pub(crate) mod conditions;
pub(crate) mod constants;
pub(crate) mod dead;
pub(crate) mod declarations;
pub(crate) mod exact;
pub(crate) mod expressions;
pub(crate) mod formats;
pub(crate) mod function_names;
pub(crate) mod layout;
pub(crate) mod loops;
pub(crate) mod macros;
pub(crate) mod operands;
pub(crate) mod opposites;
pub(crate) mod printing;
pub(crate) mod python;
pub(crate) mod renaming;
pub(crate) mod scripts;
pub(crate) mod sequences;
pub(crate) mod shown_names;
pub(crate) mod statements;
pub(crate) mod ternaries;
pub(crate) mod trivia;
pub(crate) mod variables;
pub(crate) mod visibility;
pub(crate) mod wrapping;
