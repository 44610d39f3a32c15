//! The attacks: one file each, one line each, in alphabetical order.

use std::sync::LazyLock;

use manual::Unit;

use crate::victim::{Stop, Victim};

pub use crate::settings::check_parameters;

/// An attack: it makes candidates and has the victim judge them, until it runs out of candidates or the victim says
/// stop.
pub type AttackFunction = fn(&mut Victim<'_>) -> Result<(), Stop>;

/// An attack, as its header describes it.
pub struct Attack {
    /// The name in commands and records.
    pub name: String,
    /// The access to the model that it needs.
    pub sees: Sees,
    pub needs_training_set: bool,
    pub needs_mutants: bool,
    /// The maximum number of queries per target with the default parameters, the one about the original included, where the attack
    /// itself has one beside the budget.
    pub most_queries: Option<usize>,
    /// The parameters with their defaults. If a parameter is one of several words, all are listed, the default first:
    /// `similarity|probability`.
    pub parameters: Vec<(&'static str, &'static str)>,
    pub run: AttackFunction,
    /// The manual page and its examples.
    pub unit: &'static Unit<AttackFunction>,
}

/// The access to a model that an attack needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sees {
    /// The predicted label only.
    Label,
    /// The probability of every answer.
    Probabilities,
    /// The gradient of the loss with respect to the tokens.
    Gradients,
}

impl Sees {
    /// The name in headers.
    pub const fn name(self) -> &'static str {
        match self {
            Sees::Label => "label",
            Sees::Probabilities => "probabilities",
            Sees::Gradients => "gradients",
        }
    }
}

/// Every attack, in the order of the catalogue.
pub fn all() -> &'static [Attack] {
    static ALL: LazyLock<Vec<Attack>> = LazyLock::new(|| CATALOGUE.iter().map(read).collect());
    &ALL
}

/// The attack with this name.
pub fn find(name: &str) -> Option<&'static Attack> {
    all().iter().find(|attack| attack.name == name)
}

/// Reads the header. Its tests ensure that it is complete, so nothing can be missing here.
fn read(unit: &'static Unit<AttackFunction>) -> Attack {
    let sees = match unit.fact("sees") {
        Some("label") => Sees::Label,
        Some("gradients") => Sees::Gradients,
        _ => Sees::Probabilities,
    };
    // They may take several lines.
    let lines = unit.facts().into_iter().filter(|(key, _)| *key == "parameters");
    let parameters = lines.flat_map(|(_, line)| line.split(',').map(str::trim));
    Attack {
        name: unit.name(),
        sees,
        needs_training_set: unit.fact("needs") == Some("training set"),
        needs_mutants: unit.fact("needs") == Some("mutants"),
        most_queries: unit.fact("queries").and_then(|queries| queries.parse().ok()),
        parameters: parameters.filter_map(|parameter| parameter.split_once('=')).collect(),
        run: unit.run,
        unit,
    }
}

/// The index and value of the lowest confidence; the first of equal ones.
fn lowest(beliefs: &[Option<f32>]) -> Option<(usize, f32)> {
    let known = beliefs.iter().enumerate().filter_map(|(place, belief)| Some((place, (*belief)?)));
    known.min_by(|(_, one), (_, other)| one.total_cmp(other))
}

manual::catalogue! {
    "attacks", fn run: crate::attacks::AttackFunction,
    alert,
    beam,
    carrot_i,
    carrot_s,
    coda,
    guided_mutation,
    mhm,
    random_k,
    random_once,
    wir_random,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_in_alphabetical_order() {
        assert!(all().windows(2).all(|pair| pair[0].name < pair[1].name));
    }
}
