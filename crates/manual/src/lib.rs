//! A unit file's `//!` header is its manual page and its first test.
//!
//! A unit is one file with one public function: a transformation, an attack, a measure. Its header says
//! what it does in one sentence, and shows it:
//!
//! - Two fenced blocks joined by a line `->` promise "this becomes that".
//! - A fenced block with no arrow promises "this is left alone".
//!
//! The word after an opening fence says what the block is written in. One text is the manual page, the
//! answer of `explain` and a test, so none of the three can go stale. [`catalogue!`] gathers the units
//! of a folder; [`problems`] finds the headers that promise nothing because of a slip of the pen.

mod header;
mod spelling;
mod unit;

pub use header::{Example, Problem, examples, problems};
pub use spelling::closest;
pub use unit::Unit;

#[doc(hidden)]
pub use unit::check_header;

/// Declares one module a line and gathers the units into `CATALOGUE`.
///
/// The call stands in the file beside the folder that it names, and says which function of each file is
/// the unit. Every unit gets a test under its own name, which refuses a faulty header and hands a sound
/// one to `crate::testing::check_header`, a function from `&Unit<Signature>` that keeps the promises.
///
/// ```text
/// manual::catalogue! {
///     "catalogue", fn find: crate::Find,
///     add_dead_branch,
///     invert_if,
/// }
/// ```
///
/// `cargo fmt` does not see modules that a macro declares: format such files by naming them to `rustfmt`.
#[macro_export]
#[allow(clippy::crate_in_macro_def, reason = "the promises are kept by the crate that calls")]
macro_rules! catalogue {
    ($folder:literal, fn $function:ident: $signature:ty, $($name:ident,)*) => {
        $(mod $name;)*

        /// Every unit, in the order written in this file.
        pub static CATALOGUE: &[$crate::Unit<$signature>] = &[$($crate::Unit::new(
            stringify!($name),
            include_str!(concat!($folder, "/", stringify!($name), ".rs")),
            $name::$function,
        ),)*];

        #[cfg(test)]
        mod header {
            $(#[test]
            fn $name() {
                $crate::check_header(super::CATALOGUE, stringify!($name), crate::testing::check_header);
            })*
        }
    };
}
