//! What an attack may do.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use equivalence::Wanted;
use manual::closest;
use transformation::Selection;

use crate::attacks::Attack;
use crate::goal::Goal;

/// What an attack may do.
#[derive(Clone)]
pub struct AttackSettings {
    pub seed: u64,
    /// The maximum number of queries per target, including the one for the original.
    pub budget: usize,
    /// The time limit per target. With a limit, results depend on the machine.
    pub time: Option<Duration>,
    /// The transformations that may be used.
    pub selections: Vec<Selection>,
    pub parts: Parts,
    pub max_names: Option<usize>,
    pub max_tokens: Option<usize>,
    /// The maximum share of the names that may be changed that is changed.
    pub most_names: Option<f64>,
    /// The maximum share of the original's tokens that is changed.
    pub most_tokens: Option<f64>,
    /// What a success is. Without a goal it is a wrong answer.
    pub goal: Option<Goal>,
    /// Are originals attacked as well that are wrong or whose score is too low? They are never successes, but rewritten.
    pub rewrites_all: bool,
    /// Does the attack continue after the first success until its budget is spent?
    pub exhausts_budget: bool,
    /// Are adversarial examples minimised?
    pub shrinks: bool,
    /// What is checked, besides parsing, before a flip counts as a success.
    pub wanted: Wanted,
    /// How many times the original and the variant are queried again before a flip counts. A model that always gives the same
    /// answer needs none.
    pub confirmations: usize,
    /// The parameters that differ from the defaults in the attack's header.
    pub parameters: BTreeMap<String, String>,
}

/// Which programs of a pair may be changed. A single program always may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    First,
    Second,
    Both,
}

impl Parts {
    /// The indices of the programs that may be changed, of an input with `programs` programs.
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
            other => Err(format!("`{other}` is not one of first, second, both")),
        }
    }
}

/// An unknown parameter, or an invalid value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    #[error("{attack} has no parameter `{name}`: it has {known}{}", did_you_mean(.nearest))]
    Unknown {
        attack: String,
        name: String,
        /// The parameters that the attack has.
        known: String,
        /// Similar names.
        nearest: Vec<String>,
    },
    #[error("{attack}: `{value}` is not a valid value for `{name}`: it must be {wanted} (default {default})")]
    Unfit {
        attack: String,
        name: String,
        value: String,
        /// What a valid value is.
        wanted: &'static str,
        default: String,
    },
}

fn did_you_mean(nearest: &[String]) -> String {
    nearest.first().map(|name| format!(", did you mean `{name}`?")).unwrap_or_default()
}

/// Larger parameters take more memory than there is, and find nothing that smaller ones do not.
const LARGEST_NUMBER: u32 = 100_000;

/// Rejects unknown parameters, and values of another type than the default.
pub fn check_parameters(attack: &Attack, parameters: &BTreeMap<String, String>) -> Result<(), ParameterError> {
    for (name, value) in parameters {
        let Some((_, default)) = attack.parameters.iter().find(|(known, _)| known == name) else {
            let known: Vec<&str> = attack.parameters.iter().map(|(known, _)| *known).collect();
            let nearest = closest(name, known.iter().copied());
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(ParameterError::Unknown { attack: attack.name.clone(), name: name.clone(), known, nearest });
        };
        let is_number = |text: &str| text.parse::<u32>().is_ok_and(|number| number <= LARGEST_NUMBER);
        let is_fraction = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
        let is_switch = |text: &str| matches!(text, "yes" | "no");
        let (wanted, is_fit) = match default {
            default if is_number(default) => ("a whole number up to 100000", is_number(value)),
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
        let expected =
            "coda: `gided` is not a valid value for `structure`: it must be guided|unguided|none (default guided)";
        assert_eq!(refused, expected);
        assert!(check("structures", "none").unwrap_err().to_string().ends_with("did you mean `structure`?"));
        assert!(check("references", "many").is_err());
        assert_eq!(check("references", "100000"), Ok(()));
        assert!(check("references", "4294967295").unwrap_err().to_string().contains("up to 100000"));
        assert!(check("renaming", "maybe").is_err());
    }
}
