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

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let page = catalogue::find(&arguments.name)
        .map(|transformation| transformation.unit.page())
        .or_else(|| names::CATALOGUE.iter().find(|unit| unit.name() == arguments.name).map(manual::Unit::page))
        .or_else(|| search::attacks::find(&arguments.name).map(|attack| attack.unit.page()))
        .or_else(|| model::mutation::find(&arguments.name).map(|operator| operator.unit.page()))
        .or_else(|| PAGES.iter().find(|unit| unit.name() == arguments.name).map(manual::Unit::page))
        .or_else(|| measure::catalogue().find(|unit| unit.name() == arguments.name).map(manual::Unit::page));
    match page {
        Some(page) => {
            say(&format!("# {}\n\n{page}", arguments.name));
            Ok(ExitCode::SUCCESS)
        }
        None => {
            let others: Vec<String> = names::CATALOGUE
                .iter()
                .map(manual::Unit::name)
                .chain(search::attacks::CATALOGUE.iter().map(manual::Unit::name))
                .chain(model::mutation::operators().iter().map(|operator| operator.name.clone()))
                .chain(PAGES.iter().map(manual::Unit::name))
                .chain(measure::catalogue().map(manual::Unit::name))
                .collect();
            let known = catalogue::all().iter().map(|unit| unit.name.as_str()).chain(others.iter().map(String::as_str));
            let near = closest(&arguments.name, known);
            let hint = if near.is_empty() { String::new() } else { format!(", did you mean {}?", near.join(" or ")) };
            Err(Failure::usage(format!(
                "there is no manual page for `{}`{hint}; `allotrope list transformations`, `allotrope list names`, \
                 `allotrope list attacks`, `allotrope list models`, `allotrope list operators` and `allotrope list measures` show all",
                arguments.name
            )))
        }
    }
}
