//! Rewrites that preserve the behaviour of a program and change its appearance.
//!
//! A transformation is a unit of the [`catalogue`]: it finds its [`Site`]s in a program, and a site builds its edits
//! on demand. Random choices come from a [`Choice`]: a seeded generator and a source of new [`names`]. Applying a
//! transformation is a pure function of program, site, seed and names, see [`apply`].
//!
//! ```
//! use syntax::{Language, Program};
//! use transformation::recipe::{Recipe, Variation, select};
//! use transformation::Names;
//!
//! let program = Program::parse(Language::Java, "int twice(int n) { int sum = n + n; return sum; }");
//! let recipe = Recipe { selections: select("rename-local", &Names::typed()).unwrap() };
//! let mut variation = Variation::of(program);
//! recipe.advance(&mut variation, 1, None, 7);
//! assert_eq!(variation.program.text(), "int twice(int n) { int localInt1 = n + n; return localInt1; }");
//! ```

pub mod apply;
pub mod catalogue;
pub mod choice;

pub mod names;
mod parts;
pub mod recipe;
pub mod resolution;
pub mod shapes;
pub mod shared;
pub mod site;
#[cfg(test)]
mod testing;

pub use apply::{Applied, Arguments, Refusal, Step};
pub use catalogue::{Class, Transformation};
pub use choice::{Choice, Wish};
pub use names::Names;
pub use recipe::{Recipe, Selection, Tally, Variation};
pub use site::{Find, Site, Sites};
