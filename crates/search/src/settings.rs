//! What an attack may do.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use equivalence::Wanted;
use manual::closest;
use transformation::Selection;

use crate::attacks::Attack;

/// What an attack may do.
#[derive(Clone)]
pub struct AttackSettings {
    /// What all draws come from.
    pub seed: u64,
    /// How many questions the model may be asked about one target; the one about the original is the first.
    pub budget: usize,
    /// How long an attack on one target may take. Results depend on the machine where this is set.
    pub time: Option<Duration>,
    /// The transformations that may be used.
    pub selections: Vec<Selection>,
    /// Which programs of a pair may be changed.
    pub parts: Parts,
    /// How many names may be changed at the most.
    pub max_names: Option<usize>,
    /// How many tokens may be changed at the most.
    pub max_tokens: Option<usize>,
    /// Is the whole budget spent, even behind the first success?
    pub exhausts_budget: bool,
    /// Is a success made as small as possible?
    pub shrinks: bool,
    /// What is checked before a flip counts as a success, beside parsing.
    pub wanted: Wanted,
    /// The parameters of the attack that differ from those in its header.
    pub parameters: BTreeMap<String, String>,
}

/// Which programs of a pair may be changed. A single program always may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// The first.
    First,
    /// The second.
    Second,
    /// Both.
    Both,
}

impl Parts {
    /// The programs of an input with so many of them.
    pub fn of(self, programs: usize) -> Vec<usize> {
        match (self, programs) {
            (_, 0 | 1) | (Parts::First, _) => vec![0],
            (Parts::Second, _) => vec![1],
            (Parts::Both, _) => vec![0, 1],
        }
    }
}

impl FromStr for Parts {
    type Err = String;

    fn from_str(name: &str) -> Result<Parts, String> {
        match name {
            "first" => Ok(Parts::First),
            "second" => Ok(Parts::Second),
            "both" => Ok(Parts::Both),
            other => Err(format!("`{other}` is none of first, second, both")),
        }
    }
}

/// A parameter that the attack does not have, or a value that it cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// There is no such parameter.
    #[error("{attack} has no parameter `{name}`: it has {known}{}", did_you_mean(.nearest))]
    Unknown {
        /// The attack.
        attack: String,
        /// The name as it was given.
        name: String,
        /// The parameters that it has.
        known: String,
        /// Those that are spelled like it.
        nearest: Vec<String>,
    },
    /// The value is of another kind than the default.
    #[error("{attack}: `{value}` is no value for `{name}`, which is {wanted} (by default {default})")]
    Unfit {
        /// The attack.
        attack: String,
        /// The parameter.
        name: String,
        /// The value as it was given.
        value: String,
        /// What it must be.
        wanted: &'static str,
        /// The value in the header.
        default: String,
    },
}

fn did_you_mean(nearest: &[String]) -> String {
    nearest.first().map(|name| format!(", did you mean `{name}`?")).unwrap_or_default()
}

/// Refuses parameters that an attack does not have, and values of another kind than the default.
pub fn check_parameters(attack: &Attack, parameters: &BTreeMap<String, String>) -> Result<(), ParameterError> {
    for (name, value) in parameters {
        let Some((_, default)) = attack.parameters.iter().find(|(known, _)| known == name) else {
            let known: Vec<&str> = attack.parameters.iter().map(|(known, _)| *known).collect();
            let nearest = closest(name, known.iter().copied());
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(ParameterError::Unknown { attack: attack.name.clone(), name: name.clone(), known, nearest });
        };
        let is_number = |text: &str| text.parse::<u32>().is_ok();
        let is_fraction = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
        let is_switch = |text: &str| matches!(text, "yes" | "no");
        let (wanted, is_fit) = match default {
            default if is_number(default) => ("a whole number", is_number(value)),
            default if is_fraction(default) => ("a number", is_fraction(value)),
            default if is_switch(default) => ("yes or no", is_switch(value)),
            words if words.contains('|') => (*words, words.split('|').any(|word| word == value)),
            _ => ("a word", !value.is_empty()),
        };
        if !is_fit {
            return Err(ParameterError::Unfit {
                attack: attack.name.clone(),
                name: name.clone(),
                value: value.clone(),
                wanted,
                default: first_word(default).to_owned(),
            });
        }
    }
    Ok(())
}

/// The default of a parameter, which is the first of several words.
pub(crate) fn first_word(default: &str) -> &str {
    default.split('|').next().unwrap_or(default)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacks;

    #[test]
    fn a_word_is_one_of_those_in_the_header() {
        let attack = attacks::find("coda").unwrap();
        let check = |name: &str, value: &str| check_parameters(attack, &[(name.to_owned(), value.to_owned())].into());
        assert_eq!(check("structure", "unguided"), Ok(()));
        let refused = check("structure", "gided").unwrap_err().to_string();
        let expected = "coda: `gided` is no value for `structure`, which is guided|unguided|none (by default guided)";
        assert_eq!(refused, expected);
        assert!(check("structures", "none").unwrap_err().to_string().ends_with("did you mean `structure`?"));
        assert!(check("references", "many").is_err());
        assert!(check("renaming", "maybe").is_err());
    }
}
