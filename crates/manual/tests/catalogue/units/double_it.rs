//! Doubles a number.
//!
//! ```text
//! 21
//! ```
//! ->
//! ```text
//! 42
//! ```
//!
//! What is not a number is left alone.
//!
//! ```text
//! many
//! ```

pub(super) fn rewrite(text: &str) -> Option<String> {
    text.parse::<i64>().ok().map(|number| (number * 2).to_string())
}
