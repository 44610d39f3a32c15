//! `allotrope train`: classifiers that need nothing but this program.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use campaign::Examples;
use campaign::complete_file::CompleteFile;
use campaign::data::write_file;
use campaign::evaluate::{Quality, Unmeasurable, evaluate, quality};
use campaign::train::{held_out, lessons};
use indicatif::ProgressBar;
use measure::Bootstrap;
use model::Model;
use model::training::linear::{Features, Lesson, TrainError, Trained, TrainingSettings, train};
use serde_json::json;

use super::dataset;
use super::evaluate::measures;
use crate::failure::Failure;
use crate::say::say;

/// The options of `allotrope train`.
#[derive(clap::Args)]
pub struct Arguments {
    /// What is trained: linear, logistic regression over sequences of tokens, words of names and path contexts.
    #[arg(long, value_enum, default_value_t = Kind::Linear)]
    kind: Kind,
    /// The data set: a file or a folder. Its truths have to be classes.
    #[arg(long, value_name = "DATA")]
    data: PathBuf,
    #[command(flatten)]
    options: dataset::Options,
    /// The part of the examples that is held out, to measure what was learned; 0 learns from all of them.
    #[arg(long, value_name = "PART", default_value_t = 0.2, value_parser = part)]
    held_out: f64,
    /// Go through the examples so many times at the most.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    epochs: u64,
    /// Take so many features at the most, those of the most examples.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    most_features: u64,
    /// How many tokens in a row make the longest sequence.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=8))]
    longest_sequence: u64,
    /// Leave path contexts out.
    #[arg(long)]
    no_paths: bool,
    /// The file that the model is written to, to be opened as builtin:FILE.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
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
    let mut examples = arguments.options.read(arguments.data.clone())?;
    check_writable(&arguments.output)?;
    let seed = arguments.options.seed();
    let is_held_out = held_out(&examples, arguments.held_out, seed);
    let all = lessons(&examples).map_err(Failure::usage)?;
    let count = all.len();
    let learned: Vec<Lesson> =
        all.into_iter().filter(|(place, _)| !is_held_out[*place]).map(|(_, lesson)| lesson).collect();
    let settings = TrainingSettings {
        features: Features { longest: arguments.longest_sequence as usize, has_paths: !arguments.no_paths },
        most_features: arguments.most_features as usize,
        epochs: arguments.epochs as usize,
        seed,
        ..TrainingSettings::default()
    };
    let stop = super::stop_flag();
    let start = Instant::now();
    let Some(trained) = learn(&learned, &examples, &settings, &stop)? else { return Ok(ExitCode::from(130)) };
    let seconds = start.elapsed().as_secs_f64();
    write_file(&arguments.output, &trained.classifier.to_bytes()).map_err(Failure::missing)?;
    let model = super::open_model(&name_of(&arguments.output))?;
    let mut places = is_held_out.iter();
    examples.items.retain(|_| *places.next().unwrap_or(&false));
    let measured = match examples.items.is_empty() {
        true => None,
        false => {
            let evaluation = evaluate(model.as_ref(), &examples, &|_| (), &stop);
            let bootstrap = Bootstrap { seed, ..Bootstrap::default() };
            // Nothing was measured when the user stopped it at once.
            match quality(&examples, &evaluation, &bootstrap) {
                Ok(quality) => Some(quality),
                Err(Unmeasurable::Nothing) if stop.load(Ordering::Relaxed) => None,
                Err(error) => return Err(Failure::usage(error)),
            }
        }
    };
    let report = Report {
        model: model.as_ref(),
        trained: &trained,
        examples: &examples,
        learned: learned.len(),
        count,
        seconds,
    };
    match arguments.json {
        true => report.say_json(measured.as_ref()),
        false => report.say(measured.as_ref()),
    }
    if stop.load(Ordering::Relaxed) {
        eprintln!("stopped: the model is complete, but not all of what was held out was measured");
        return Ok(ExitCode::from(130));
    }
    Ok(ExitCode::SUCCESS)
}

/// Trains a classifier; `None` when the user stopped it, which is said.
pub fn learn(
    lessons: &[Lesson],
    examples: &Examples,
    settings: &TrainingSettings,
    stop: &AtomicBool,
) -> Result<Option<Trained>, Failure> {
    let bar = match std::io::stderr().is_terminal() {
        true => ProgressBar::new_spinner(),
        false => ProgressBar::hidden(),
    };
    let trained = train(lessons, &examples.labels, settings, stop, &|doing| bar.set_message(doing.to_owned()));
    bar.finish_and_clear();
    match trained {
        Ok(trained) => Ok(Some(trained)),
        Err(TrainError::Interrupted) => {
            eprintln!("training was stopped before it finished; no model was written");
            Ok(None)
        }
        Err(error) => Err(Failure::usage(format!("{}: {error}", examples.path.display()))),
    }
}

/// The name under which a file with a model is opened.
pub fn name_of(file: &Path) -> String {
    match file.to_str() {
        // A bare name could be that of the model in the binary.
        Some(name) if !name.contains('/') => format!("builtin:./{name}"),
        _ => format!("builtin:{}", file.display()),
    }
}

/// A file that cannot be written is told before the work begins.
fn check_writable(path: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::missing(format!("failed to write {}: {error}", path.display()));
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
    CompleteFile::create(path).map(drop).map_err(failed)
}

struct Report<'a> {
    model: &'a dyn Model,
    trained: &'a Trained,
    examples: &'a Examples,
    learned: usize,
    count: usize,
    seconds: f64,
}

impl Report<'_> {
    fn say(&self, measured: Option<&Quality>) {
        let identity = self.model.identity();
        let classifier = &self.trained.classifier;
        let mut text = String::new();
        let mut line = |name: &str, value: String| text.push_str(&format!("{name:<12} {value}\n"));
        line("model", format!("{}:{}", identity.kind, identity.place));
        line("identity", identity.digest.chars().take(16).collect());
        line("data", format!("{}, {}", self.examples.path.display(), self.examples.task));
        line(
            "learned",
            format!("from {} of {} examples of {} classes", self.learned, self.count, classifier.labels().len()),
        );
        line(
            "training",
            format!("{} epochs, {} features, {:.1} s", self.trained.epochs, classifier.features(), self.seconds),
        );
        match measured {
            None => line("held out", "nothing, so nothing is known about what was learned".to_owned()),
            Some(quality) => {
                line("held out", format!("{} examples, which were not learned from:", quality.measured));
                text.push('\n');
                text.push_str(&quality.summary.to_table().to_text());
            }
        }
        say(&text);
    }

    fn say_json(&self, measured: Option<&Quality>) {
        let classifier = &self.trained.classifier;
        let kept_back = self.trained.kept_back.map(|(right, of)| json!({"right": right, "of": of}));
        say(&format!(
            "{}\n",
            json!({
                "model": self.model.identity(),
                "data": self.examples.path,
                "task": self.examples.task.name(),
                "labels": classifier.labels(),
                "examples": self.count,
                "learned": self.learned,
                "epochs": self.trained.epochs,
                "kept back to choose the epochs": kept_back,
                "features": classifier.features(),
                "seconds": self.seconds,
                "held out": measured.map(|quality| json!({"examples": quality.measured, "measures": measures(&quality.summary)})),
            })
        ));
    }
}
