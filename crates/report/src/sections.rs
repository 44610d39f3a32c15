//! The sections of a report, one file each.

use crate::contents::{Kind, Others};
use crate::examples::Examples;
use crate::numbers::Numbers;
use crate::parts::Part;
use crate::run::Run;

/// What sections are made of.
pub struct Material<'r> {
    pub runs: &'r [Run],
    pub numbers: &'r Numbers,
    pub examples: &'r Examples,
    pub others: &'r Others,
}

/// A section of a report.
pub struct Section {
    /// The kind of runs that it is about; without one it is about all of them.
    pub kind: Option<Kind>,
    /// What links to it are made of.
    pub id: &'static str,
    /// Its heading, in the page and in the list of sections. Without one it stands below the heads of its runs.
    pub title: &'static str,
    /// What is below its heading. It is absent where that is nothing: where it has not what it needs.
    pub parts: fn(&Material<'_>) -> Vec<Part>,
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
    mod attack_pictures;
    mod attacks;
    mod compared;
    mod classes;
    mod skipped;
    mod transformations;
    mod examples;
    mod grid;
    mod evolve;
    mod fidelity;
    mod mutants;
    mod training;
    mod distillation;
    mod shapes;
    mod retraining;
    mod evaluation;
    mod repeat;
    mod about;
}

pub use distillation::teacher as teacher_of;
pub use grid::strongest as strongest_treatment;
pub use mutants::headline as mutants_headline;
pub use training::best as training_best;

/// A heading for a run where a kind has several, and nothing where there is one.
fn heading_of(name: &str, runs: usize) -> Option<Part> {
    (runs > 1).then(|| Part::heading(name))
}

/// A name of a file, after that of its run where there are several.
fn named(name: &str, run: &str, runs: usize) -> String {
    if runs > 1 { format!("{run} {name}") } else { name.to_owned() }
}
