//! A data set on the command line: the options that commands on examples share.

use std::path::PathBuf;

use campaign::plan::DataPlan;
use campaign::work::read_examples;
use campaign::{Examples, Task};
use syntax::Language;

use super::MODEL_AND_DATA;
use crate::failure::Failure;
use crate::screen::Screen;

/// How a data set is read.
#[derive(clap::Args)]
#[command(next_help_heading = MODEL_AND_DATA)]
pub struct Options {
    /// File or folder within a folder, such as test.
    #[arg(long, value_name = "NAME")]
    split: Option<String>,
    /// Layout; detected by default. See `allotrope list formats`.
    #[arg(long, value_name = "NAME")]
    layout: Option<String>,
    /// Task: vulnerability, clone, authorship, functionality, defect, method-name, captioning, documentation, code-search or
    /// unlabelled; by default that of the layout.
    #[arg(long, value_parser = task)]
    task: Option<Task>,
    /// Language of programs that do not say: java, c, cpp, python, javascript; detected by default.
    #[arg(long, value_parser = super::language)]
    language: Option<Language>,
    /// Field of a table that holds the programs.
    #[arg(long, value_name = "FIELD")]
    code: Option<String>,
    /// Field that holds the second programs of pairs.
    #[arg(long, value_name = "FIELD")]
    code2: Option<String>,
    /// Field that holds the labels.
    #[arg(long, value_name = "FIELD")]
    label: Option<String>,
    /// Field that holds the texts.
    #[arg(long, value_name = "FIELD")]
    text: Option<String>,
    /// Labels in the order of the model's classes, separated by commas, such as vulnerable,safe; 1..104 is a range of numbers.
    #[arg(long, value_name = "LIST", value_parser = labels)]
    labels: Option<Labels>,
    /// Substitutes for the names in programs, joined by `idx`: JSON lines such as {"idx": 3, "substitutes": {"n": ["count"]}}.
    #[arg(long, value_name = "FILE")]
    substitutes: Option<PathBuf>,
    /// Only the first N examples.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// A random sample of N examples.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// The N longest examples, by the characters of their programs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    longest: Option<u64>,
    /// Seed of all randomness: the same seed gives the same results.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Labels in the order of classes.
#[derive(Clone)]
struct Labels(Vec<String>);

fn task(name: &str) -> Result<Task, String> {
    name.parse().map_err(|error: campaign::examples::task::UnknownTask| error.to_string())
}

/// Reads labels, in which `2..5` stands for 2, 3, 4 and 5.
fn labels(list: &str) -> Result<Labels, String> {
    const MOST: usize = 100_000;
    let mut labels = Vec::new();
    for part in list.split(',').map(str::trim) {
        let range = part.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
        match range {
            Some((low, high)) if low <= high && high - low < MOST => {
                labels.extend((low..=high).map(|label: usize| label.to_string()));
            }
            Some(_) => return Err(format!("`{part}` is not a range of labels")),
            None if part.is_empty() => return Err("a label is empty".to_owned()),
            None => labels.push(part.to_owned()),
        }
    }
    Ok(Labels(labels))
}

impl Options {
    /// The seed of the sample.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Reads the examples in a file or folder.
    pub fn read(&self, path: PathBuf) -> Result<Examples, Failure> {
        Ok(read_examples(&self.plan(path), &Screen::new())?)
    }

    /// The data set as a plan has it.
    pub fn plan(&self, path: PathBuf) -> DataPlan {
        DataPlan {
            path,
            layout: self.layout.clone(),
            task: self.task,
            language: self.language.map(|language| language.name().to_owned()),
            split: self.split.clone(),
            code: self.code.clone(),
            code2: self.code2.clone(),
            label: self.label.clone(),
            text: self.text.clone(),
            labels: self.labels.clone().map(|Labels(labels)| labels).unwrap_or_default(),
            substitutes: self.substitutes.clone(),
            limit: self.limit.map(|limit| limit as usize),
            sample: self.sample.map(|sample| sample as usize),
            longest: self.longest.map(|longest| longest as usize),
            seed: self.seed,
        }
    }
}
