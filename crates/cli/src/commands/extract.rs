//! `allotrope extract`: methods cut out of programs, as data sets for models of names.

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::extract::{ExtractPlan, Extracted, Together, extract};
use measure::printed::thousands;
use model::paths::Style;
use serde_json::json;

use super::{OUTPUT, Threads, dataset};
use crate::failure::Failure;
use crate::say::{say, say_json};
use crate::screen::Screen;
use crate::table::table;

const DIVISION: &str = "Division";

/// The options of `allotrope extract`.
#[derive(clap::Args)]
pub struct Arguments {
    /// A folder with programs, or a data set.
    data: PathBuf,
    #[command(flatten)]
    options: dataset::Options,
    /// What is never divided between the files.
    #[arg(long, value_enum, default_value_t = By::File, help_heading = DIVISION)]
    by: By,
    /// Share of the methods for valid.jsonl.gz.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share, help_heading = DIVISION)]
    validation: f64,
    /// Share of the methods for test.jsonl.gz.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share, help_heading = DIVISION)]
    test: f64,
    /// Keep programs that have more than 80 % of their different words in common with an earlier one.
    #[arg(long, help_heading = DIVISION)]
    keep_duplicates: bool,
    #[command(flatten)]
    threads: Threads,
    /// Folder to write to: train.jsonl.gz, valid.jsonl.gz and test.jsonl.gz.
    #[arg(short, long, value_name = "FOLDER", help_heading = OUTPUT)]
    output: PathBuf,
    /// Write the path contexts of the methods as well, as the published extractors do.
    #[arg(long, value_enum, help_heading = OUTPUT)]
    contexts: Option<Contexts>,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// What is never divided.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// The methods of a file.
    File,
    /// The methods of a project, which is the first folder in a path.
    Project,
}

/// A text format.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Contexts {
    /// Paths as hash codes, in files that end in .c2v.
    Code2vec,
    /// Paths as nodes, in files that end in .c2s.
    Code2seq,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=0.45).contains(share));
    share.ok_or_else(|| "write a number from 0 to 0.45, such as 0.1".to_owned())
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.threads.set()?;
    let plan = ExtractPlan {
        data: arguments.options.plan(arguments.data.clone()),
        together: match arguments.by {
            By::File => Together::File,
            By::Project => Together::Project,
        },
        validation: arguments.validation,
        test: arguments.test,
        keeps_duplicates: arguments.keep_duplicates,
        contexts: arguments.contexts.map(|contexts| match contexts {
            Contexts::Code2vec => Style::Code2Vec,
            Contexts::Code2seq => Style::Code2Seq,
        }),
        seed: arguments.options.seed(),
    };
    let screen = Screen::new();
    let extracted = extract(&plan, &arguments.output, &screen)?;
    drop(screen);
    match arguments.json {
        true => say_json(&json!(extracted)),
        false => say(&as_text(&extracted)),
    }
    Ok(ExitCode::SUCCESS)
}

fn as_text(extracted: &Extracted) -> String {
    let Extracted { programs, duplicates, broken, empty, methods, parts, seconds } = extracted;
    let mut text = format!("{} methods of {} programs in {seconds:.1} s\n", thousands(*methods), thousands(*programs));
    let left_out = [
        (*duplicates, "nearly the same as an earlier one"),
        (*broken, "not understood by the parser"),
        (*empty, "without a method that has a body"),
    ];
    for (count, why) in left_out.iter().filter(|(count, _)| *count > 0) {
        text.push_str(&format!("left out: {} programs, {why}\n", thousands(*count)));
    }
    let rows: Vec<Vec<String>> = parts
        .iter()
        .map(|part| vec![part.path.display().to_string(), thousands(part.programs), thousands(part.methods)])
        .collect();
    text.push('\n');
    text.push_str(&table(&["file", "programs", "methods"], &rows, &[1, 2]));
    text
}
