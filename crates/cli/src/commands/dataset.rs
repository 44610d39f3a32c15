//! A data set on the command line: the options that every command shares that asks a model about examples.

use std::path::PathBuf;

use campaign::data::DataError;
use campaign::plan::DataPlan;
use campaign::{Examples, Task};
use syntax::Language;

use crate::failure::Failure;

/// How a data set is to be read.
#[derive(clap::Args)]
pub struct Options {
    /// Which file or folder of a folder, such as test.
    #[arg(long, value_name = "NAME")]
    split: Option<String>,
    /// The layout, see `allotrope list formats`; recognised by default.
    #[arg(long, value_name = "NAME")]
    layout: Option<String>,
    /// The task: vulnerability, clone, authorship, functionality, defect, method-name, captioning, documentation, code-search or
    /// unlabelled; that of the layout by default.
    #[arg(long, value_parser = task)]
    task: Option<Task>,
    /// The language of programs that do not tell: java, c, cpp, python, javascript; recognised by default.
    #[arg(long, value_parser = super::language)]
    language: Option<Language>,
    /// The field of a table with the programs.
    #[arg(long, value_name = "FIELD")]
    code: Option<String>,
    /// The field with the second programs of pairs.
    #[arg(long, value_name = "FIELD")]
    code2: Option<String>,
    /// The field with the labels.
    #[arg(long, value_name = "FIELD")]
    label: Option<String>,
    /// The field with the texts.
    #[arg(long, value_name = "FIELD")]
    text: Option<String>,
    /// The labels in the order of the model's classes, separated by commas, such as vulnerable,safe; 1..104 are numbers.
    #[arg(long, value_name = "LIST", value_parser = labels)]
    labels: Option<Labels>,
    /// Names for the names in programs, joined by `idx`: JSON lines such as {"idx": 3, "substitutes": {"n": ["count"]}}.
    #[arg(long, value_name = "FILE")]
    substitutes: Option<PathBuf>,
    /// Only the first N examples.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// N examples, drawn with the seed.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// The N longest examples, by the letters of their programs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    longest: Option<u64>,
    /// The seed: the same seed draws the same examples.
    #[arg(long, default_value_t = 0)]
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
            Some(_) => return Err(format!("`{part}` is no range of labels")),
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
        read(&self.plan(path))
    }

    /// The data set as a plan has it.
    pub fn plan(&self, path: PathBuf) -> DataPlan {
        DataPlan {
            path,
            layout: self.layout.clone(),
            task: self.task.map(|task| task.name().to_owned()),
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

/// Reads the examples of a plan.
pub fn read(plan: &DataPlan) -> Result<Examples, Failure> {
    Examples::read(&plan.request().map_err(Failure::usage)?).map_err(failure)
}

/// What is wrong with the command line is the user's to mend there; what is wrong with files is not.
fn failure(error: DataError) -> Failure {
    match error {
        DataError::NoField { .. }
        | DataError::NoCode { .. }
        | DataError::NoLayout { .. }
        | DataError::Unfit { .. }
        | DataError::NoLanguage { .. } => Failure::usage(error),
        _ => Failure::missing(error),
    }
}
