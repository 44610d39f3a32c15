//! The inputs that a run is about.

use model::Input;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Json;
use super::json::text;
use crate::examples::{Example, Examples, Question, Truth};

/// An input of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct InputRow {
    /// Its place in the data set.
    pub number: usize,
    /// What it is called.
    pub id: String,
    /// What must stay together when inputs are resampled.
    pub cluster: String,
    /// What is true about it, where that is known.
    pub truth: Option<String>,
    /// The programs and the text.
    pub input: Input,
}

impl InputRow {
    pub(super) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<InputRow> {
        let Json(input) = row.get(4)?;
        Ok(InputRow { number: row.get(0)?, id: row.get(1)?, cluster: row.get(2)?, truth: row.get(3)?, input })
    }

    /// What is true about it, or nothing.
    pub fn truth(&self) -> &str {
        self.truth.as_deref().unwrap_or_default()
    }
}

/// What the truths of a run are. The table of inputs has them as texts, which do not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Truths {
    /// Classes, by their labels in the order of the classes.
    Classes(Vec<String>),
    Names,
    Texts,
    /// None is known, or the run was begun before runs kept this.
    #[default]
    Unknown,
}

impl Truths {
    pub(crate) fn of(examples: &Examples) -> Truths {
        let known = examples.items.iter().find(|example| example.truth != Truth::Unknown);
        match known.map(|example| &example.truth) {
            Some(Truth::Class(_)) => Truths::Classes(examples.labels.clone()),
            Some(Truth::Name(_)) => Truths::Names,
            Some(Truth::Text(_)) => Truths::Texts,
            Some(Truth::Unknown) | None => Truths::Unknown,
        }
    }

    /// The truth about an input, as it was in the data set.
    pub fn truth(&self, row: &InputRow) -> Truth {
        let Some(text) = &row.truth else { return Truth::Unknown };
        match self {
            Truths::Classes(labels) => match labels.iter().position(|label| label == text).or(text.parse().ok()) {
                Some(class) => Truth::Class(class),
                None => Truth::Unknown,
            },
            Truths::Names => Truth::Name(text.clone()),
            Truths::Texts => Truth::Text(text.clone()),
            Truths::Unknown => Truth::Unknown,
        }
    }
}

/// The examples of a data set at some places, and a digest of all that decides what is found about them.
pub fn inputs(examples: &Examples, places: impl IntoIterator<Item = usize>) -> (Vec<InputRow>, String) {
    let mut digest = Sha256::new();
    let mut rows = Vec::new();
    for number in places {
        let example = &examples.items[number];
        let truth = match &example.truth {
            Truth::Class(class) => Some(examples.labels.get(*class).cloned().unwrap_or_else(|| class.to_string())),
            Truth::Name(text) | Truth::Text(text) => Some(text.clone()),
            Truth::Unknown => None,
        };
        let input = examples.input(example);
        let mut parts = vec![example.id.clone(), text(&truth), text(&input)];
        for program in example.question.programs() {
            let program = &examples.programs[program];
            parts.push(text(&program.substitutes));
            parts.extend(program.cases.iter().map(|case| text(&(&case.arguments, &case.input))));
        }
        for part in parts {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        rows.push(InputRow { number, id: example.id.clone(), cluster: cluster(example), truth, input });
    }
    (rows, digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What must stay together when inputs are resampled: the project or problem, or a program that several pairs share.
pub fn cluster(example: &Example) -> String {
    match (&example.group, &example.question) {
        (Some(group), _) => group.clone(),
        (None, Question::Pair(first, _)) => format!("program {first}"),
        (None, _) => example.id.clone(),
    }
}
