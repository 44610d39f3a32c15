//! The languages, one folder each: facts that hold whatever the program, names, types, constants and effects.
//!
//! What the languages share is the form of the answers, which is beside this folder.

pub(crate) mod c;
pub(crate) mod cpp;
pub(crate) mod java;
pub(crate) mod javascript;
pub(crate) mod python;

/// The facts of one language.
pub struct Facts {
    /// Words that the grammar reserves, literal words included. None can be a name.
    pub keywords: &'static [&'static str],
    /// Words that are keywords in some places only, or names that the language or its standard library
    /// gives a meaning. They can be names, but a new name should not take them.
    pub reserved: &'static [&'static str],
}
