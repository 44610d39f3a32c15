//! Makes small letters large.
//!
//! ```text
//! hush
//! ```
//! ->
//! ```text
//! HUSH
//! ```

pub(super) fn rewrite(text: &str) -> Option<String> {
    text.contains(|letter: char| letter.is_ascii_lowercase()).then(|| text.to_uppercase())
}
