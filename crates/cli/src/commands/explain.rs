//! `allotrope explain`: the manual page of a unit.

use std::process::ExitCode;

use manual::closest;
use model::adapters::PAGES;
use transformation::{catalogue, names};

use crate::failure::Failure;
use crate::say::say;

/// The options of `allotrope explain`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Name of a transformation, a source of names, an attack, a mutation operator, a kind of model, a measure or a statistical test.
    name: String,
}

/// A manual page.
pub struct Page {
    /// What the unit is one of.
    pub group: &'static str,
    pub name: String,
    /// Markdown, without the name.
    pub text: String,
}

/// The manual pages of all units.
pub fn pages() -> Vec<Page> {
    fn of<F>(group: &'static str) -> impl Fn(&manual::Unit<F>) -> Page {
        move |unit| Page { group, name: unit.name(), text: unit.page() }
    }
    let transformations =
        catalogue::all().iter().map(|one| Page { name: one.name.clone(), ..of("Transformations")(one.unit) });
    let attacks = search::attacks::CATALOGUE.iter().map(of("Attacks"));
    let operators = model::mutation::operators()
        .iter()
        .map(|operator| Page { name: operator.name.clone(), ..of("Mutation operators")(operator.unit) });
    transformations
        .chain(names::CATALOGUE.iter().map(of("Sources of names")))
        .chain(attacks)
        .chain(operators)
        .chain(PAGES.iter().map(of("Models")))
        .chain(measure::catalogue().map(of("Measures")))
        .collect()
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let pages = pages();
    if let Some(page) = pages.iter().find(|page| page.name == arguments.name) {
        say(&format!("# {}\n\n{}", page.name, page.text));
        return Ok(ExitCode::SUCCESS);
    }
    let near = closest(&arguments.name, pages.iter().map(|page| page.name.as_str()));
    let hint = if near.is_empty() { String::new() } else { format!(", did you mean {}?", near.join(" or ")) };
    Err(Failure::usage(format!(
        "there is no manual page for `{}`{hint}; `allotrope list transformations`, `allotrope list names`, \
         `allotrope list attacks`, `allotrope list models`, `allotrope list operators` and `allotrope list measures` show all",
        arguments.name
    )))
}
