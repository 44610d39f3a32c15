//! The measures and tests by name, as functions from JSON to JSON.
//!
//! Typed functions are for programs. This is for people and tests: `list`, `explain`, the examples of the headers and the
//! golden files go through it.

use manual::Unit;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A measure or test as a function from its arguments to its result; `None` when it is undefined for them.
pub type MeasureFunction = fn(&Value) -> Result<Option<Value>, BadInput>;

/// Every measure and then every statistical test.
///
/// ```
/// let accuracy = measure::catalogue().find(|unit| unit.name() == "accuracy").unwrap();
/// let arguments = serde_json::json!({"predicted": [0, 1], "truth": [0, 0]});
/// assert_eq!((accuracy.run)(&arguments).unwrap(), Some(serde_json::json!(0.5)));
/// ```
pub fn catalogue() -> impl Iterator<Item = &'static Unit<MeasureFunction>> {
    crate::metrics::CATALOGUE.iter().chain(crate::statistics::CATALOGUE)
}

/// Why a unit cannot be run on some arguments.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadInput {
    /// An argument is missing.
    #[error("the argument `{0}` is missing")]
    Missing(&'static str),
    /// An argument has the wrong type.
    #[error("the argument `{name}` cannot be read: {source}")]
    Unreadable { name: &'static str, source: serde_json::Error },
}

/// Reads an argument.
pub(crate) fn argument<T: DeserializeOwned>(arguments: &Value, name: &'static str) -> Result<T, BadInput> {
    optional(arguments, name)?.ok_or(BadInput::Missing(name))
}

/// Reads an optional argument.
pub(crate) fn optional<T: DeserializeOwned>(arguments: &Value, name: &'static str) -> Result<Option<T>, BadInput> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => T::deserialize(value).map(Some).map_err(|source| BadInput::Unreadable { name, source }),
    }
}

/// Writes a result.
pub(crate) fn result<T: Serialize>(value: Option<T>) -> Result<Option<Value>, BadInput> {
    // Results are numbers, lists and plain structures, all of which have a form in JSON.
    Ok(value.and_then(|value| serde_json::to_value(value).ok()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique() {
        let names: Vec<String> = catalogue().map(Unit::name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    }

    #[test]
    fn every_unit_says_what_it_is_and_where_it_comes_from() {
        for unit in catalogue() {
            let kind = unit.fact("kind").unwrap_or("");
            assert!(
                ["task", "attack", "quality", "fidelity", "mutation", "statistics"].contains(&kind),
                "{}",
                unit.name()
            );
            assert!(unit.fact("source").is_some_and(|source| !source.is_empty()), "{}", unit.name());
            assert!(unit.title().len() <= 100, "{}", unit.name());
        }
    }

    #[test]
    fn bad_arguments_are_named() {
        for unit in catalogue() {
            assert!((unit.run)(&serde_json::json!({})).is_err(), "{}", unit.name());
        }
        let accuracy = catalogue().find(|unit| unit.name() == "accuracy").unwrap();
        let message = |arguments: Value| (accuracy.run)(&arguments).unwrap_err().to_string();
        assert_eq!(message(serde_json::json!({"predicted": [1]})), "the argument `truth` is missing");
        let wrong = message(serde_json::json!({"predicted": [-1], "truth": [1]}));
        assert!(wrong.starts_with("the argument `predicted` cannot be read: "), "{wrong}");
    }
}
