//! `allotrope record`: the answers of a model in a file, which is a model itself.

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::recording::{Recorded, record, record_given};
use measure::printed::thousands;
use serde_json::json;

use super::{MODEL_AND_DATA, OUTPUT, Threads, dataset};
use crate::failure::Failure;
use crate::say::{say, say_json};
use crate::screen::Screen;

/// The options of `allotrope record`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Model, as KIND:WHERE, which must answer with the probabilities of classes; see `allotrope list models`.
    #[arg(long, value_name = "MODEL", required_unless_present = "answers", conflicts_with = "answers", help_heading = MODEL_AND_DATA)]
    model: Option<String>,
    /// In place of a model its answers: a .npy file of logits, a row for each row of the data set, or JSON lines with `id` and `logits` or
    /// `probabilities`, such as `evaluate --predictions` writes.
    #[arg(long, value_name = "FILE", help_heading = MODEL_AND_DATA)]
    answers: Option<PathBuf>,
    /// Data set: a file or a folder.
    #[arg(long, value_name = "DATA", help_heading = MODEL_AND_DATA)]
    data: PathBuf,
    #[command(flatten)]
    options: dataset::Options,
    #[command(flatten)]
    threads: Threads,
    /// File to write, opened as recorded:FILE. The same command with a model resumes what was stopped.
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: PathBuf,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.threads.set()?;
    let (data, screen) = (arguments.options.plan(arguments.data.clone()), Screen::new());
    let recorded = match (&arguments.answers, &arguments.model) {
        (Some(given), _) => record_given(given, &data, &arguments.output, &screen)?,
        (None, Some(model)) => record(model, &data, &arguments.output, &screen)?,
        (None, None) => return Err(Failure::usage("name a model with --model, or its answers with --answers")),
    };
    drop(screen);
    let Recorded { model, data, examples, queried, faults } = recorded;
    if arguments.json {
        let faults = faults.map(|(count, first)| json!({"times": count, "first": first}));
        say_json(&json!({"model": model, "data": data, "examples": examples, "queried": queried, "no answer": faults,
            "file": arguments.output}));
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    let mut line = |name: &str, value: String| text.push_str(&format!("{name:<12} {value}\n"));
    line("model", format!("recorded:{}", arguments.output.display()));
    line("data", data.display().to_string());
    line("examples", format!("{}, {} queried now", thousands(examples), thousands(queried)));
    if let Some((count, first)) = faults {
        line("no answer", format!("{} times; the first: {first}", thousands(count)));
    }
    say(&text);
    Ok(ExitCode::SUCCESS)
}
