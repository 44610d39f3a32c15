//! `allotrope list`: the catalogues.

use std::process::ExitCode;

use campaign::Task;
use campaign::data::FORMATS;
use campaign::examples::{LAYOUTS, Layout};
use model::adapters::{KINDS, Kind};
use serde_json::json;
use transformation::{catalogue, names};

use crate::failure::Failure;
use crate::say::{say, say_json};
use crate::table::table;

/// The options of `allotrope list`.
#[derive(clap::Args)]
pub struct Arguments {
    /// What to list.
    what: What,
    /// Only transformations of this group or class.
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    /// Rewrites that preserve what a program does.
    Transformations,
    /// Sources of new names.
    Names,
    /// Searches for adversarial examples.
    Attacks,
    /// Kinds of models.
    Models,
    /// Operators that make mutants of models.
    Operators,
    /// Measures and statistical tests.
    Measures,
    /// Formats of data sets, and the layouts of labelled ones.
    Formats,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match arguments.what {
        What::Transformations => transformations(arguments)?,
        What::Names => {
            let rows: Vec<Vec<String>> =
                names::CATALOGUE.iter().map(|unit| vec![unit.name(), unit.title().to_owned()]).collect();
            print(arguments.json, &["name", "title"], &rows);
        }
        What::Attacks => attacks(arguments.json),
        What::Models => {
            let kind = |kind: &Kind| {
                let name = format!("{}:{}", kind.name, kind.place);
                vec![name, kind.about.to_owned(), super::train::kinds_of(kind.name).to_owned()]
            };
            let rows: Vec<Vec<String>> = KINDS.iter().map(kind).collect();
            print(arguments.json, &["name", "title", "trained as"], &rows);
            if !arguments.json {
                say("\n`allotrope explain http` shows the protocol of a kind, with a server\n");
            }
        }
        What::Operators => {
            let row = |operator: &model::mutation::Operator| {
                let paper = operator.unit.fact("paper").unwrap_or_default().to_owned();
                vec![operator.name.clone(), operator.level.name().to_owned(), operator.unit.title().to_owned(), paper]
            };
            let rows: Vec<Vec<String>> = model::mutation::operators().iter().map(row).collect();
            print(arguments.json, &["name", "level", "title", "paper"], &rows);
        }
        What::Measures => {
            let rows: Vec<Vec<String>> =
                measure::catalogue().map(|unit| vec![unit.name(), unit.title().to_owned()]).collect();
            print(arguments.json, &["name", "title"], &rows);
        }
        What::Formats => {
            formats(arguments.json);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn attacks(is_json: bool) {
    let row = |attack: &search::Attack| {
        let parameters: Vec<String> = attack.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        vec![
            attack.name.clone(),
            attack.sees.name().to_owned(),
            needs_of(attack).to_owned(),
            attack.unit.title().to_owned(),
            if parameters.is_empty() { "-".to_owned() } else { parameters.join(" ") },
        ]
    };
    let rows: Vec<Vec<String>> = search::attacks::all().iter().map(row).collect();
    print(is_json, &["name", "sees", "needs", "title", "parameters"], &rows);
}

/// What an attack needs beside the model and its targets.
fn needs_of(attack: &search::Attack) -> &'static str {
    match (attack.needs_training_set, attack.needs_mutants) {
        (true, _) => "--train",
        (false, true) => "mutants",
        (false, false) => "-",
    }
}

/// The formats of files, and the layouts that examples with labels have in them.
fn formats(is_json: bool) {
    let format = |(name, endings, title): &(&str, &str, &str)| [*name, *endings, *title].map(str::to_owned).to_vec();
    let formats: Vec<Vec<String>> = FORMATS.iter().map(format).collect();
    let layout = |layout: &&Layout| {
        let tasks: Vec<&str> = match layout.tasks.len() == Task::ALL.len() {
            true => vec!["all"],
            false => layout.tasks.iter().map(|task| task.name()).collect(),
        };
        [layout.name, layout.place, &tasks.join(" "), layout.about].map(str::to_owned).to_vec()
    };
    let layouts: Vec<Vec<String>> = LAYOUTS.iter().map(layout).collect();
    print(is_json, &["name", "endings", "title"], &formats);
    if !is_json {
        say(
            "\nA table is a file of one of these formats, or a list in a .json file. Layouts of labelled data sets:\n\n",
        );
    }
    print(is_json, &["layout", "place", "tasks", "title"], &layouts);
}

fn transformations(arguments: &Arguments) -> Result<(), Failure> {
    let chosen = match &arguments.group {
        None => catalogue::all().iter().collect(),
        Some(group) => {
            let selected = transformation::recipe::select(group, &names::Names::typed()).map_err(Failure::usage)?;
            selected.into_iter().map(|selection| selection.transformation).collect::<Vec<_>>()
        }
    };
    if arguments.json {
        for unit in &chosen {
            let languages: Vec<&str> = unit.languages.iter().map(|language| language.name()).collect();
            let object = json!({
                "name": unit.name, "class": unit.class.name(), "groups": unit.groups, "languages": languages,
                "rules": unit.rules, "inverse": unit.inverse, "title": unit.unit.title(),
            });
            say_json(&object);
        }
        return Ok(());
    }
    let row = |unit: &&transformation::Transformation| {
        let languages: Vec<&str> = unit.languages.iter().map(|language| language.name()).collect();
        let languages = if languages.len() == 5 { "all".to_owned() } else { languages.join(" ") };
        vec![
            unit.name.clone(),
            unit.class.name().to_owned(),
            languages,
            unit.groups.join(" "),
            unit.unit.title().to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = chosen.iter().map(row).collect();
    say(&table(&["name", "class", "languages", "groups", "what it does"], &rows, &[]));
    let count = rows.len();
    say(&format!("\n{count} transformations; `allotrope explain NAME` shows one with its before and after\n"));
    Ok(())
}

fn print(is_json: bool, header: &[&str], rows: &[Vec<String>]) {
    if !is_json {
        say(&table(header, rows, &[]));
        return;
    }
    for row in rows {
        let object: serde_json::Map<String, serde_json::Value> =
            header.iter().zip(row).map(|(key, cell)| ((*key).to_owned(), json!(cell))).collect();
        say_json(&serde_json::Value::Object(object));
    }
}
