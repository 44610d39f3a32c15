//! `allotrope train`: classifiers that need nothing but this program.

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::evaluate::Quality;
use campaign::train::{self, TrainPlan, TrainedModel};
use model::builtin::linear::{Features, TrainingSettings};
use serde_json::json;

use super::evaluate::measures;
use super::{MODEL_AND_DATA, OUTPUT, dataset};
use crate::failure::Failure;
use crate::say::{note, say, say_json};
use crate::screen::Screen;

const TRAINING: &str = "Training";

/// The options of `allotrope train`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Data set: a file or a folder. Its truths have to be classes.
    #[arg(long, value_name = "DATA", help_heading = MODEL_AND_DATA)]
    data: PathBuf,
    /// Kind of model: linear, logistic regression over token n-grams, words of names and path contexts.
    #[arg(long, value_enum, default_value_t = Kind::Linear, help_heading = MODEL_AND_DATA)]
    kind: Kind,
    #[command(flatten)]
    options: dataset::Options,
    /// Share of the examples that is held out to evaluate the model; 0 trains on all of them.
    #[arg(long, value_name = "SHARE", default_value_t = TrainPlan::default().held_out, value_parser = part, help_heading = TRAINING)]
    held_out: f64,
    /// Maximum number of epochs.
    #[arg(long, value_name = "N", default_value_t = TrainingSettings::default().epochs as u64,
        value_parser = clap::value_parser!(u64).range(1..=10_000), help_heading = TRAINING)]
    epochs: u64,
    /// Maximum number of features; the most frequent are kept.
    #[arg(long, value_name = "N", default_value_t = TrainingSettings::default().most_features as u64,
        value_parser = clap::value_parser!(u64).range(1..=10_000_000), help_heading = TRAINING)]
    max_features: u64,
    /// Length of the longest token n-grams.
    #[arg(long, value_name = "N", default_value_t = Features::default().longest as u64,
        value_parser = clap::value_parser!(u64).range(1..=8), help_heading = TRAINING)]
    max_ngram: u64,
    /// Leave out path contexts.
    #[arg(long, help_heading = TRAINING)]
    no_paths: bool,
    /// File to write the model to; open it as builtin:FILE.
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: PathBuf,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// What can be trained.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Linear,
}

fn part(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part| (0.0..=0.9).contains(part));
    part.ok_or_else(|| "write a number from 0 to 0.9, such as 0.2".to_owned())
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let Kind::Linear = arguments.kind;
    let settings = TrainingSettings {
        features: Features { longest: arguments.max_ngram as usize, has_paths: !arguments.no_paths },
        most_features: arguments.max_features as usize,
        epochs: arguments.epochs as usize,
        seed: arguments.options.seed(),
        ..TrainingSettings::default()
    };
    let data = arguments.options.plan(arguments.data.clone());
    let plan = TrainPlan { data, held_out: arguments.held_out, settings };
    let trained = train::run(&plan, &arguments.output, &Screen::new())?;
    match arguments.json {
        true => say_as_json(&trained),
        false => say_text(&trained),
    }
    if trained.is_interrupted {
        note("stopped: the model is complete, but not all of what was held out was evaluated");
        return Ok(ExitCode::from(130));
    }
    Ok(ExitCode::SUCCESS)
}

fn say_text(trained: &TrainedModel) {
    let identity = trained.model.identity();
    let classifier = &trained.trained.classifier;
    let mut text = String::new();
    let mut line = |name: &str, value: String| text.push_str(&format!("{name:<12} {value}\n"));
    line("model", format!("{}:{}", identity.kind, identity.place));
    line("identity", identity.digest.chars().take(16).collect());
    line("data", format!("{}, {}", trained.path.display(), trained.task));
    let (learned, examples, classes) = (trained.learned, trained.examples, classifier.labels().len());
    line("learned", format!("from {learned} of {examples} examples of {classes} classes"));
    let (epochs, features) = (trained.trained.epochs, classifier.features());
    line("training", format!("{epochs} epochs, {features} features, {:.1} s", trained.seconds));
    match &trained.quality {
        None => line("held out", "nothing, so the quality of the model is not known".to_owned()),
        Some(quality) => {
            line("held out", format!("{} examples, on which the model has:", quality.measured));
            text.push('\n');
            text.push_str(&quality.summary.to_table().to_text());
        }
    }
    say(&text);
}

fn say_as_json(trained: &TrainedModel) {
    let classifier = &trained.trained.classifier;
    let kept_back = trained.trained.kept_back.map(|(right, of)| json!({"right": right, "of": of}));
    let quality = |quality: &Quality| json!({"examples": quality.measured, "measures": measures(&quality.summary)});
    say_json(&json!({
        "model": trained.model.identity(),
        "data": trained.path,
        "task": trained.task,
        "labels": classifier.labels(),
        "examples": trained.examples,
        "learned": trained.learned,
        "epochs": trained.trained.epochs,
        "kept back to choose the epochs": kept_back,
        "features": classifier.features(),
        "seconds": trained.seconds,
        "held out": trained.quality.as_ref().map(quality),
    }));
}
