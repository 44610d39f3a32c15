//! The sections of a report, one file each.

use crate::examples::Examples;
use crate::numbers::Numbers;
use crate::run::Run;

/// What sections are made of.
pub struct Material<'r> {
    pub runs: &'r [Run],
    pub numbers: &'r Numbers,
    pub examples: &'r Examples,
}

/// A section of a report.
pub struct Section {
    /// What links to it are made of.
    pub id: &'static str,
    /// Its heading, in the page and in the list of sections.
    pub title: &'static str,
    /// Its markup below the heading. Texts of data sets and models go through `escape`.
    pub body: fn(&Material<'_>) -> String,
}

/// Declares the sections and lists them.
macro_rules! sections {
    ($(mod $name:ident;)*) => {
        $(mod $name;)*

        /// The sections, in the order of the page.
        pub const SECTIONS: &[Section] = &[$($name::SECTION,)*];
    };
}

sections! {
    mod attacks;
    mod skipped;
    mod transformations;
    mod examples;
    mod about;
}
