//! `allotrope train`: classifiers that need nothing but this program, and encoders.

pub mod encoder;
mod paths;
pub mod trained;

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::evaluate::Quality;
use campaign::train::{self, TrainPlan, TrainedModel};
use model::builtin::linear::{Features, TrainingSettings};
use serde_json::json;

use super::evaluate::measures;
use super::{MODEL_AND_DATA, OUTPUT, dataset};
use crate::failure::Failure;
use crate::say::{say, say_json};
use crate::screen::Screen;

pub const TRAINING: &str = "Training";
const LINEAR: &str = "Linear classifiers";

/// The options of `allotrope train`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Data set: a file or a folder. Its truths have to be classes; `--kind masked` takes any programs, and several data sets,
    /// `--kind captions` programs with texts about them, and `--kind code2vec` and `code2seq` any programs with methods, or a file of path contexts
    /// that ends in .c2v or .c2s.
    #[arg(long, value_name = "DATA", required = true, help_heading = MODEL_AND_DATA)]
    data: Vec<PathBuf>,
    /// Kind of model.
    #[arg(long, value_enum, default_value_t = Kind::Linear, help_heading = MODEL_AND_DATA)]
    kind: Kind,
    #[command(flatten)]
    options: dataset::Options,
    #[arg(long, value_name = "SHARE", value_parser = part, help_heading = TRAINING, help = format!(
        "Share of the examples that is held out to evaluate the model; 0 trains on all of them [default: {}; masked: {}; search, captions, code2vec, code2seq: 0.05]",
        TrainPlan::default().held_out, encoder::masked_held_out()))]
    held_out: Option<f64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000), help_heading = TRAINING,
        help = format!("Number of epochs, for linear classifiers the maximum [default: {}; linear: {}]",
        encoder::epochs(), TrainingSettings::default().epochs))]
    epochs: Option<u64>,
    #[command(flatten)]
    linear: Option<LinearOptions>,
    #[command(flatten)]
    encoder: Option<encoder::EncoderOptions>,
    #[command(flatten)]
    paths: Option<paths::PathOptions>,
    /// File to write the model to, opened as builtin:FILE; for encoders a folder, opened as hf:FOLDER, and for models of names one that is
    /// opened as code2vec:FOLDER or code2seq:FOLDER.
    #[arg(short, long, value_name = "PATH", help_heading = OUTPUT)]
    output: PathBuf,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// How a linear classifier learns.
#[derive(clap::Args)]
#[command(next_help_heading = LINEAR)]
struct LinearOptions {
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000), help = format!(
        "Maximum number of features; the most frequent are kept [default: {}]", TrainingSettings::default().most_features))]
    max_features: Option<u64>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=8), help = format!(
        "Length of the longest token n-grams [default: {}]", Features::default().longest))]
    max_ngram: Option<u64>,
    /// Leave out path contexts.
    #[arg(long)]
    no_paths: bool,
}

/// What can be trained.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Logistic regression over token n-grams, words of names and path contexts.
    Linear,
    /// A RoBERTa encoder with a head for classes, of programs or of pairs; or a T5, with --from.
    Encoder,
    /// A RoBERTa encoder that fills masks: pre-training.
    Masked,
    /// A RoBERTa encoder that gives texts and programs vectors, alike where they belong together: for code search.
    Search,
    /// A RoBERTa encoder with a decoder that writes a text about a program: captions, documentation; or a T5, with --from.
    Captions,
    /// A model that names methods by the paths between their leaves.
    Code2vec,
    /// The same, but it reads the nodes of the paths and writes names word by word.
    Code2seq,
}

/// What the models of a kind are trained as, for the list of models.
pub fn kinds_of(model: &str) -> &'static str {
    match model {
        "builtin" => "linear",
        "hf" => "encoder, masked, search, captions, or by distil",
        "code2vec" => "code2vec",
        "code2seq" => "code2seq",
        _ => "-",
    }
}

/// Reads a share of examples.
pub fn part(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part| (0.0..=0.9).contains(part));
    part.ok_or_else(|| "write a number from 0 to 0.9, such as 0.2".to_owned())
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.linear.is_some() && arguments.kind != Kind::Linear {
        return Err(Failure::usage("features are options of linear classifiers: use --kind linear"));
    }
    if arguments.paths.is_some() && !matches!(arguments.kind, Kind::Code2vec | Kind::Code2seq) {
        return Err(Failure::usage(
            "words, paths and names are options of models of names: use --kind code2vec or code2seq",
        ));
    }
    match arguments.kind {
        Kind::Linear => linear(arguments),
        Kind::Encoder | Kind::Masked | Kind::Search | Kind::Captions => encoder::run(arguments),
        Kind::Code2vec | Kind::Code2seq => paths::run(arguments),
    }
}

fn linear(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.encoder.is_some() {
        return Err(Failure::usage(
            "some of the options are for encoders and models of names: use --kind encoder, masked, search, captions, code2vec or code2seq",
        ));
    }
    let [data] = &arguments.data[..] else {
        return Err(Failure::usage("a linear classifier learns from one data set: name --data once"));
    };
    let defaults = TrainingSettings::default();
    let own = arguments.linear.as_ref();
    let settings = TrainingSettings {
        features: Features {
            longest: own.and_then(|own| own.max_ngram).map_or(defaults.features.longest, |longest| longest as usize),
            has_paths: !own.is_some_and(|own| own.no_paths),
        },
        most_features: own.and_then(|own| own.max_features).map_or(defaults.most_features, |most| most as usize),
        epochs: arguments.epochs.map_or(defaults.epochs, |epochs| epochs as usize),
        seed: arguments.options.seed(),
        ..defaults
    };
    let data = arguments.options.plan(data.clone());
    let held_out = arguments.held_out.unwrap_or(TrainPlan::default().held_out);
    let plan = TrainPlan { data, held_out, settings };
    let model = train::run(&plan, &arguments.output, &Screen::new())?;
    match arguments.json {
        true => say_as_json(&model),
        false => say_text(&model),
    }
    Ok(trained::ended(model.is_interrupted))
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
