//! `allotrope evaluate`: the quality of a model's answers to a data set.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use campaign::complete_file::CompleteFile;
use campaign::evaluate::{Evaluation, Quality, Unmeasurable, check_answers, evaluate, quality, search_quality};
use campaign::run::cluster;
use campaign::trial::try_out;
use campaign::work::open_model;
use campaign::{Example, Examples, Truth};
use measure::metrics::Confusion;
use measure::{Bootstrap, Summary};
use model::{Answer, Fault, Model, Noise, Prediction};
use serde_json::{Value, json};

use super::data::readable;
use super::{MODEL_AND_DATA, OUTPUT, Threads, dataset};
use crate::failure::Failure;
use crate::say::{note, say, say_json};
use crate::screen::{Screen, is_stopped};
use crate::table::table;

/// The options of `allotrope evaluate`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Model, as KIND:WHERE; see `allotrope list models`.
    #[arg(long, value_name = "MODEL", help_heading = MODEL_AND_DATA)]
    model: String,
    /// Data set: a file or a folder.
    #[arg(long, value_name = "DATA", help_heading = MODEL_AND_DATA)]
    data: PathBuf,
    #[command(flatten)]
    options: dataset::Options,
    #[command(flatten)]
    threads: Threads,
    /// Print the N wrong answers with the highest confidence.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = OUTPUT)]
    show: usize,
    /// Write every answer to this file, one JSON object per line.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    predictions: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.threads.set()?;
    let examples = arguments.options.read(arguments.data.clone())?;
    let model = open_model(&arguments.model)?;
    // The file is made before the model works, so that a wrong path costs nothing.
    let predictions = arguments.predictions.as_deref().map(created).transpose()?;
    let bootstrap = Bootstrap::default();

    let evaluation = evaluate(model.as_ref(), &examples, &Screen::new());
    if let (Some(path), Some(file)) = (&arguments.predictions, predictions) {
        write_answers(file, &examples, &evaluation).map_err(|error| unwritable(path, &error))?;
    }
    check_answers(&evaluation.answers)?;
    let faults = faults(&evaluation);
    let quality = match quality(&examples, &evaluation, &bootstrap) {
        // A model that embeds texts can still find code.
        Err(problem @ Unmeasurable::Kind { given: "embeddings", .. }) => {
            let summary = search_quality(model.as_ref(), &examples, &bootstrap).ok_or(problem)??;
            Quality { summary, confusion: None, measured: examples.items.len(), truncated: None }
        }
        quality => quality?,
    };
    let noise = try_out(model.as_ref(), &examples, Some(&evaluation.answers), &Screen::plain())?;
    let report = Report { model: model.as_ref(), examples: &examples, evaluation: &evaluation, noise, faults: &faults };
    report.say(&quality, arguments);
    match is_stopped() {
        true => {
            note(&format!("stopped after {} of {} examples", evaluation.answers.len(), examples.items.len()));
            Ok(ExitCode::from(130))
        }
        false => Ok(ExitCode::SUCCESS),
    }
}

/// The number of parts of an input that are printed with the attention that they had.
const PARTS: usize = 5;

struct Report<'a> {
    model: &'a dyn Model,
    examples: &'a Examples,
    evaluation: &'a Evaluation,
    noise: Noise,
    faults: &'a [(String, usize)],
}

impl Report<'_> {
    fn say(&self, quality: &Quality, arguments: &Arguments) {
        match arguments.json {
            true => say_json(&self.json(quality)),
            false => {
                say(&self.text(quality));
                for (example, answer) in self.wrong(arguments.show) {
                    say(&readable(self.examples, example));
                    say(&format!("answer    {}\n", in_words(self.examples, &answer.prediction)));
                    if let Some(Ok(parts)) = self.model.attention(&self.examples.input(example)) {
                        let part = |(part, share): &(String, f32)| format!("  {:5.1} %  {part}\n", 100.0 * share);
                        say(&format!("attention\n{}", parts.iter().take(PARTS).map(part).collect::<String>()));
                    }
                }
            }
        }
    }

    fn text(&self, quality: &Quality) -> String {
        let identity = self.model.identity();
        let mut text = String::new();
        let mut line = |name: &str, value: String| text.push_str(&format!("{name:<12} {value}\n"));
        line("model", format!("{}:{}", identity.kind, identity.place));
        line("identity", identity.digest.chars().take(16).collect());
        line("data", format!("{}, {}", self.examples.path.display(), self.examples.task));
        let asked = self.evaluation.answers.len();
        line("examples", format!("{} measured, {asked} queried, {}", quality.measured, self.examples.extent));
        let seconds = self.evaluation.time.as_secs_f64();
        line("speed", format!("{:.1} inputs/s, {seconds:.1} s", asked as f64 / seconds.max(1e-9)));
        if let Some((cut, known)) = quality.truncated {
            line("truncated", format!("{cut} of {known} inputs ({:.1} %)", 100.0 * cut as f64 / known as f64));
        }
        line("noise", self.noise.to_string());
        for (fault, count) in self.faults {
            line("no answer", format!("{count} times: {fault}"));
        }
        text.push('\n');
        text.push_str(&quality.summary.to_table().to_text());
        if let Some(confusion) = &quality.confusion {
            text.push('\n');
            text.push_str(&confusions(self.examples, confusion));
        }
        text
    }

    fn json(&self, quality: &Quality) -> Value {
        let confusion = quality.confusion.as_ref().map(|confusion| {
            let row =
                |truth: usize| (0..confusion.classes).map(move |predicted| confusion.count(truth, predicted)).collect();
            (0..confusion.classes).map(row).collect::<Vec<Vec<f64>>>()
        });
        json!({
            "model": self.model.identity(),
            "data": self.examples.path,
            "task": self.examples.task.name(),
            "labels": self.examples.labels,
            "examples": self.examples.items.len(),
            "extent": self.examples.extent,
            "asked": self.evaluation.answers.len(),
            "noise": self.noise,
            "measured": quality.measured,
            "seconds": self.evaluation.time.as_secs_f64(),
            "bytes": weights(Path::new(&self.model.identity().place)),
            "truncated": quality.truncated.map(|(cut, known)| json!({"inputs": cut, "of": known})),
            "no answer": self.faults.iter().map(|(fault, count)| json!({"fault": fault, "times": count})).collect::<Vec<_>>(),
            "measures": measures(&quality.summary),
            "confusion": confusion,
        })
    }

    /// Wrong answers, those of which the model is most certain first.
    fn wrong(&self, most: usize) -> Vec<(&Example, &Answer)> {
        let mut wrong: Vec<(f32, &Example, &Answer)> = Vec::new();
        for (example, answer) in self.examples.items.iter().zip(&self.evaluation.answers) {
            let Ok(answer) = answer else { continue };
            let certainty = match (&example.truth, &answer.prediction) {
                (Truth::Class(truth), Prediction::Classes(probabilities)) => {
                    answer.prediction.class().filter(|class| class != truth).map(|class| probabilities[class])
                }
                (Truth::Name(truth), Prediction::Names(names)) => {
                    names.first().filter(|(name, _)| name != truth).map(|(_, certainty)| *certainty)
                }
                (Truth::Name(truth) | Truth::Text(truth), Prediction::Text(text)) => (text != truth).then_some(1.0),
                _ => None,
            };
            wrong.extend(certainty.map(|certainty| (certainty, example, answer)));
        }
        wrong.sort_by(|one, other| other.0.total_cmp(&one.0));
        wrong.into_iter().take(most).map(|(_, example, answer)| (example, answer)).collect()
    }
}

/// The size of the weights of a model in a file or folder; none where they are elsewhere, or not as they are in the file.
fn weights(place: &Path) -> Option<u64> {
    let size = |path: &Path| path.metadata().ok().filter(|file| file.is_file()).map(|file| file.len());
    if !place.is_dir() {
        return size(place);
    }
    let files: Vec<PathBuf> = std::fs::read_dir(place).ok()?.flatten().map(|entry| entry.path()).collect();
    // A checkpoint may have its weights twice, and the first of these is read.
    let of = |ending: &str| -> u64 {
        let own = files.iter().filter(|path| path.extension().is_some_and(|found| found == ending));
        own.filter_map(|path| size(path)).sum()
    };
    ["safetensors", "bin", "onnx"].map(of).into_iter().find(|bytes| *bytes > 0)
}

pub fn measures(summary: &Summary) -> Value {
    let line = |line: &measure::Line| {
        let interval = line.interval.map(|interval| json!([interval.low, interval.high]));
        json!({"measure": line.measure, "value": line.value, "interval": interval, "n": line.n})
    };
    summary.lines.iter().map(line).collect()
}

/// All confusions of a few classes; of many, those that happen most.
fn confusions(examples: &Examples, confusion: &Confusion) -> String {
    const FEW: usize = 8;
    let label = |class: usize| examples.labels.get(class).cloned().unwrap_or_else(|| class.to_string());
    if confusion.classes <= FEW {
        let header: Vec<String> = (0..confusion.classes).map(|class| format!("taken for {}", label(class))).collect();
        let header: Vec<&str> = std::iter::once("truth").chain(header.iter().map(String::as_str)).collect();
        let row = |truth: usize| {
            let counts = (0..confusion.classes).map(move |predicted| confusion.count(truth, predicted).to_string());
            std::iter::once(label(truth)).chain(counts).collect::<Vec<String>>()
        };
        let right: Vec<usize> = (1..=confusion.classes).collect();
        return table(&header, &(0..confusion.classes).map(row).collect::<Vec<_>>(), &right);
    }
    let mut mistakes: Vec<(f64, usize, usize)> = (0..confusion.classes)
        .flat_map(|truth| (0..confusion.classes).map(move |predicted| (truth, predicted)))
        .filter(|(truth, predicted)| truth != predicted)
        .map(|(truth, predicted)| (confusion.count(truth, predicted), truth, predicted))
        .filter(|(count, ..)| *count > 0.0)
        .collect();
    mistakes.sort_by(|one, other| other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2))));
    let rows: Vec<Vec<String>> = mistakes
        .into_iter()
        .take(10)
        .map(|(count, truth, predicted)| vec![label(truth), label(predicted), count.to_string()])
        .collect();
    table(&["truth", "taken for", "times"], &rows, &[2])
}

/// The reasons why there is no answer, the most frequent first.
fn faults(evaluation: &Evaluation) -> Vec<(String, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    for fault in evaluation.answers.iter().filter_map(|answer| answer.as_ref().err()) {
        *counts.entry(fault.to_string()).or_insert(0) += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

fn created(path: &Path) -> Result<CompleteFile, Failure> {
    CompleteFile::create(path).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::missing(format!("failed to write {}: {error}", path.display()))
}

fn write_answers(file: CompleteFile, examples: &Examples, evaluation: &Evaluation) -> std::io::Result<()> {
    let mut file = BufWriter::new(file);
    for (example, answer) in examples.items.iter().zip(&evaluation.answers) {
        writeln!(file, "{}", record(examples, example, answer))?;
    }
    file.into_inner()?.finish()
}

fn record(examples: &Examples, example: &Example, answer: &Result<Answer, Fault>) -> Value {
    let truth = match &example.truth {
        Truth::Class(class) => json!(examples.labels[*class]),
        Truth::Name(text) | Truth::Text(text) => json!(text),
        Truth::Unknown => Value::Null,
    };
    let mut record = json!({"id": example.id, "cluster": cluster(example), "truth": truth});
    match answer {
        Err(fault) => record["fault"] = json!(fault.to_string()),
        Ok(answer) => {
            match &answer.prediction {
                Prediction::Classes(probabilities) => {
                    record["prediction"] =
                        json!(answer.prediction.class().and_then(|class| examples.labels.get(class)));
                    record["probabilities"] = json!(probabilities);
                }
                Prediction::Names(names) => record["names"] = json!(names),
                Prediction::Text(text) => record["prediction"] = json!(text),
                Prediction::Embedding(vector) => record["embedding"] = json!(vector),
            }
            record["tokens"] = json!(answer.tokens.map(|tokens| json!({"seen": tokens.seen, "all": tokens.all})));
        }
    }
    record
}

fn in_words(examples: &Examples, prediction: &Prediction) -> String {
    match prediction {
        Prediction::Classes(probabilities) => {
            let class = prediction.class().unwrap_or_default();
            let label = examples.labels.get(class).cloned().unwrap_or_else(|| class.to_string());
            format!("{label} ({:.1} %)", 100.0 * probabilities.get(class).copied().unwrap_or_default())
        }
        Prediction::Names(names) => {
            let some = names.iter().take(5).map(|(name, certainty)| format!("{name} ({:.1} %)", 100.0 * certainty));
            some.collect::<Vec<_>>().join(", ")
        }
        Prediction::Text(text) => text.clone(),
        Prediction::Embedding(vector) => format!("a vector of {} numbers", vector.len()),
    }
}
