//! The files that the commands of the README and the guide start from.

use std::path::Path;

use campaign::data::write_file;
use campaign::plan::DataPlan;
use campaign::train::encoder::{EncoderKind, EncoderPlan, run_encoder};
use campaign::work::Watcher;
use model::builtin::problems::{Solution, solutions};
use serde_json::json;
use syntax::Language;
use training::train::{Base, Length, NewEncoder, TrainingSettings};

use crate::failure::Failure;

/// How many programs are in the folder `src`, and how many rows the data sets have.
const SOURCES: usize = 5;
const ROWS: usize = 12;

/// A model that is a program.
const MODEL: &str = include_str!("my_model.py");

/// Writes programs, a labelled data set in two formats, a model that is a program and a checkpoint.
pub fn write(folder: &Path, watcher: &dyn Watcher) -> Result<(), Failure> {
    let write = |name: &str, text: &str| write_file(&folder.join(name), text.as_bytes()).map_err(Failure::missing);
    let mut all = solutions();
    all.sort_by_key(|solution| (solution.problem, solution.language.name(), solution.file));
    for Solution { problem, language, file, text, .. } in all.iter().take(SOURCES) {
        write(&format!("src/{problem}-{}-{file}", language.name()), text)?;
    }
    let of_c = all.iter().filter(|solution| solution.language == Language::C);
    // What is learned from these labels does not matter: they take turns.
    let rows: Vec<(&str, usize)> =
        of_c.take(ROWS).zip([0, 1].into_iter().cycle()).map(|(one, label)| (one.text, label)).collect();
    let lines = rows.iter().map(|(code, label)| format!("{}\n", json!({"func": code, "target": label})));
    write("test.jsonl", &lines.collect::<String>())?;
    let quoted = |code: &str| format!("\"{}\"", code.replace('"', "\"\""));
    let lines = rows.iter().map(|(code, label)| format!("{},{}\n", quoted(code), ["safe", "vulnerable"][*label]));
    write("mine.csv", &format!("source,answer\n{}", lines.collect::<String>()))?;
    write("my_model.py", MODEL)?;
    let data = DataPlan { path: folder.join("test.jsonl"), language: Some("c".to_owned()), ..DataPlan::default() };
    let tiny =
        NewEncoder { layers: 2, hidden: 32, heads: 2, inner: 64, vocabulary: 400, limit: 128, ..NewEncoder::default() };
    let settings =
        TrainingSettings { length: Length::Steps(20), learning_rate: 2e-3, warm_up: 2, ..TrainingSettings::default() };
    let plan =
        EncoderPlan { settings, held_out: 0.0, ..EncoderPlan::new(EncoderKind::Classes, vec![data], Base::New(tiny)) };
    run_encoder(&plan, &folder.join("my-checkpoint"), watcher)?;
    Ok(())
}
