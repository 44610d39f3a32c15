//! Applies every transformation at up to 20 sites of every program of the data sets, and checks every result.
//!
//! `cargo run --release -p allotrope-transformation --example sweep -- [--every N | --share N] [--unit NAME,…] [--language NAME] [--show N] [--read-anew]`
//!
//! `--every N` takes every Nth program, `--share N` takes N of every data set, as the test `sweep` does. `--read-anew` also
//! compares the tree of every result with that of its text read from nothing, as the test does; it takes twice the time.
//! Prints a table (the one in EVIDENCE.md) and ends with status 1 when anything went wrong.

#[path = "../tests/check/mod.rs"]
mod check;
#[path = "../../syntax/examples/data/mod.rs"]
mod data;

use std::collections::BTreeMap;
use std::process::ExitCode;

use rayon::prelude::*;
use syntax::{Language, Program};
use transformation::{Names, Transformation, catalogue};

const MOST_SITES: usize = 20;

#[derive(Default)]
struct Row {
    sites: usize,
    checked: usize,
    refused: usize,
    problems: Vec<String>,
}

impl Row {
    fn add(&mut self, other: Row) {
        self.sites += other.sites;
        self.checked += other.checked;
        self.refused += other.refused;
        self.problems.extend(other.problems);
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1)).cloned()
    };
    let number = |name: &str, otherwise: usize| option(name).and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let every = number("--every", 1).max(1);
    let share = option("--share").and_then(|text| text.parse::<usize>().ok());
    let shown = number("--show", 5);
    let is_read_anew = arguments.iter().any(|argument| argument == "--read-anew");
    let units: Option<Vec<String>> = option("--unit").map(|list| list.split(',').map(str::to_owned).collect());
    let language: Option<Language> = option("--language").map(|name| name.parse().expect("a language"));
    let chosen: Vec<&Transformation> = catalogue::all()
        .iter()
        .filter(|transformation| units.as_ref().is_none_or(|units| units.contains(&transformation.name)))
        .collect();
    let Some(folder) = testbed::data() else { return ExitCode::SUCCESS };

    let names = Names::typed();
    let mut table: BTreeMap<(String, Language), Row> = BTreeMap::new();
    let (mut read, mut broken) = (0, 0);
    for set in data::DATA_SETS.iter().filter(|set| language.is_none_or(|language| language == set.language)) {
        let programs = match set.programs(&folder) {
            Ok(programs) => programs,
            Err(problem) => {
                eprintln!("{problem}");
                return ExitCode::from(3);
            }
        };
        let step = share.map_or(every, |share| (programs.len() / share.max(1)).max(1));
        let programs: Vec<(String, String)> =
            programs.into_iter().step_by(step).take(share.unwrap_or(usize::MAX)).collect();
        let found: Vec<Option<Vec<Row>>> = programs
            .par_iter()
            .map(|(place, text)| {
                let program = Program::parse(set.language, text.as_str());
                let rows = chosen.iter().map(|unit| sweep(&program, unit, &names, place, is_read_anew)).collect();
                (!program.is_broken()).then_some(rows)
            })
            .collect();
        for rows in found {
            read += 1;
            let Some(rows) = rows else {
                broken += 1;
                continue;
            };
            for (unit, row) in chosen.iter().zip(rows) {
                table.entry((unit.name.clone(), set.language)).or_default().add(row);
            }
        }
        eprintln!("{} {}: {read} programs so far", set.name, set.language);
    }
    print(&table, shown);
    println!("\n{read} programs, {broken} of them broken and left alone");
    let problems: usize = table.values().map(|row| row.problems.len()).sum();
    println!("{problems} problems");
    if problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn sweep(program: &Program, unit: &Transformation, names: &Names, place: &str, is_read_anew: bool) -> Row {
    let outcome = check::check(program, unit, names, MOST_SITES, is_read_anew);
    Row {
        sites: outcome.sites,
        checked: outcome.checked,
        refused: outcome.refused,
        problems: outcome.problems.into_iter().map(|problem| format!("{place}, {problem}")).collect(),
    }
}

fn print(table: &BTreeMap<(String, Language), Row>, shown: usize) {
    for ((unit, _), row) in table {
        for problem in row.problems.iter().take(shown) {
            println!("{unit} on {problem}\n");
        }
    }
    let languages: Vec<&str> = Language::ALL.iter().map(|language| language.name()).collect();
    println!("| transformation | {} | sites | no edits | problems |", languages.join(" | "));
    println!("|---|{}---:|---:|---:|", "---:|".repeat(languages.len()));
    let mut units: Vec<&String> = table.keys().map(|(unit, _)| unit).collect();
    units.dedup();
    for unit in units {
        let rows: Vec<Option<&Row>> =
            Language::ALL.iter().map(|language| table.get(&(unit.clone(), *language))).collect();
        let checked: Vec<String> = rows.iter().map(|row| row.map_or(0, |row| row.checked).to_string()).collect();
        let sum = |count: fn(&Row) -> usize| rows.iter().flatten().map(|row| count(row)).sum::<usize>();
        println!(
            "| {unit} | {} | {} | {} | {} |",
            checked.join(" | "),
            sum(|row| row.sites),
            sum(|row| row.refused),
            sum(|row| row.problems.len())
        );
    }
}
