//! `allotrope explain`: the manual page of a unit.

use std::process::ExitCode;

use transformation::recipe::closest;
use transformation::{catalogue, names};

use crate::failure::Failure;
use crate::say::say;

/// The options of `allotrope explain`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The name of a transformation or of a source of names.
    name: String,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let page = catalogue::find(&arguments.name)
        .map(|transformation| transformation.unit.page())
        .or_else(|| names::CATALOGUE.iter().find(|unit| unit.name() == arguments.name).map(manual::Unit::page));
    match page {
        Some(page) => {
            say(&format!("# {}\n\n{page}", arguments.name));
            Ok(ExitCode::SUCCESS)
        }
        None => {
            let sources: Vec<String> = names::CATALOGUE.iter().map(manual::Unit::name).collect();
            let known =
                catalogue::all().iter().map(|unit| unit.name.as_str()).chain(sources.iter().map(String::as_str));
            let near = closest(&arguments.name, known);
            let hint = if near.is_empty() { String::new() } else { format!(", did you mean {}?", near.join(" or ")) };
            Err(Failure::usage(format!(
                "there is no page about `{}`{hint}; `allotrope list transformations` and `allotrope list names` show all",
                arguments.name
            )))
        }
    }
}
