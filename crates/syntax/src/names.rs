//! Identifiers: which are legal, which are fresh, and how they divide into words.

use crate::language::Language;

/// Is `name` a name that the language or its usual libraries give a meaning?
pub fn is_reserved(language: Language, name: &str) -> bool {
    language.facts().reserved.binary_search(&name).is_ok()
}
