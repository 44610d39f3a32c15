//! Labelled examples: what a model is asked, and what is true. Data sets of many layouts become one list of them.
//!
//! Where the layout, the task and the language are is recognised from what is there, unless the [`Request`] names them. A row
//! that cannot be used is counted with its reason, and never ends the reading.

pub mod language;
pub mod layouts;
pub mod survey;
pub mod task;

mod labels;
mod place;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

use equivalence::Case;
use measure::printed::thousands;
use model::{Code, Input};
use random::{Random, seed_of};
use serde::Serialize;
use serde_json::Value;
use syntax::Language;

pub use language::LanguageSource;
pub use layouts::{LAYOUTS, Layout};
pub use task::Task;

use crate::data::records::{Fields, Records};
use crate::data::{DataError, KEY_FIELDS, LANGUAGE_FIELDS};
use crate::tasks::{cases_of_row, tests_beside};
use layouts::Shape;

/// Names to choose from for each name in a program, the best first, as ALERT publishes them.
pub type Substitutes = BTreeMap<String, Vec<String>>;

/// Which examples are wanted, and what is known about where they lie.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The file or folder.
    pub path: PathBuf,
    /// The name of the layout; recognised when it is absent.
    pub layout: Option<String>,
    /// The task; that of the layout when it is absent.
    pub task: Option<Task>,
    /// The language of programs that do not tell; recognised when it is absent.
    pub language: Option<Language>,
    /// Which file or folder of a folder, such as `test`.
    pub split: Option<String>,
    /// The fields of a table that has no layout of its own.
    pub columns: Columns,
    /// The labels in the order of the classes; numbers and sorted names when it is empty.
    pub labels: Vec<String>,
    /// A file with substitutes; the one beside the data set when it is absent.
    pub substitutes: Option<PathBuf>,
    /// Use only the first N examples.
    pub limit: Option<usize>,
    /// Use a random sample of N examples, drawn with the seed.
    pub sample: Option<usize>,
    /// Use only the N longest examples, by the characters of their programs, after the limit.
    pub longest: Option<usize>,
    /// The seed of the sample.
    pub seed: u64,
}

/// The names of a table's fields.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The program.
    pub code: Option<String>,
    /// The second program of a pair.
    pub code2: Option<String>,
    /// The label.
    pub label: Option<String>,
    /// The text.
    pub text: Option<String>,
}

impl Columns {
    /// Is any of them named?
    pub fn is_named(&self) -> bool {
        [&self.code, &self.code2, &self.label, &self.text].iter().any(|column| column.is_some())
    }
}

/// A list of examples and how it was read.
#[derive(Debug)]
pub struct Examples {
    /// The file or folder that was read in the end.
    pub path: PathBuf,
    /// The layout.
    pub layout: &'static Layout,
    /// The task.
    pub task: Task,
    /// The names of the classes, by their numbers. Empty when the truth is not a class.
    pub labels: Vec<String>,
    /// Are the labels in the data set names, so that the order of the classes is assumed?
    pub labels_are_names: bool,
    /// Did the user give the order of the labels?
    pub labels_are_given: bool,
    /// The programs, each once however many pairs it is in.
    pub programs: Vec<Source>,
    /// The examples, in the order of the data set.
    pub items: Vec<Example>,
    /// How the languages of the programs are known.
    pub language: LanguageSource,
    /// How many rows or files there were.
    pub rows: usize,
    /// Which of the examples these are.
    pub extent: Extent,
    /// The rows that could not be used.
    pub broken: Broken,
    /// What a user should know about how the data set was read.
    pub notes: Vec<String>,
    /// Warnings about how the data set was read.
    pub warnings: Vec<String>,
}

/// Which examples of a data set were chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Extent {
    /// How many were chosen.
    pub chosen: usize,
    /// How many there are.
    pub available: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<usize>,
    pub seed: u64,
}

/// In words, such as `50 of 2,732 (sample 50, seed 0)`.
impl fmt::Display for Extent {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(text, "{} of {} (", thousands(self.chosen), thousands(self.available))?;
        let settings = [("first", self.limit), ("longest", self.longest), ("sample", self.sample)];
        for (name, number) in settings {
            if let Some(number) = number {
                write!(text, "{name} {number}, ")?;
            }
        }
        write!(text, "seed {})", self.seed)
    }
}

/// A program of a data set.
#[derive(Clone, Debug)]
pub struct Source {
    /// What it is called in the data set and in files that accompany it.
    pub key: String,
    /// The program.
    pub code: Code,
    /// Names for its names, where the data set has them.
    pub substitutes: Option<Substitutes>,
    /// What it can be run on, where the data set says so.
    pub cases: Vec<Case>,
}

/// One example.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// What the example is called in records: unique within the data set.
    pub id: String,
    /// The number of its row in the data set, from 1; of a folder with programs, that of its file.
    pub row: usize,
    /// What is asked about, by the places of programs in [`Examples::programs`].
    pub question: Question,
    /// What is true.
    pub truth: Truth,
    /// What must stay together when examples are split or resampled: a project, a problem, a pair of versions.
    pub group: Option<String>,
}

/// What an example asks about.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// One program.
    Code(usize),
    /// Two programs.
    Pair(usize, usize),
    /// A program and a text.
    CodeAndText(usize, String),
}

/// What is true about an example.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    /// The number of its class.
    Class(usize),
    /// Its name.
    Name(String),
    /// What it is described by.
    Text(String),
    /// Nothing is known.
    Unknown,
}

/// The rows that could not be used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Broken {
    /// How many they are.
    pub rows: usize,
    /// How many they are for each reason.
    pub reasons: BTreeMap<String, usize>,
    /// The first few, with their places.
    pub first: Vec<String>,
}

impl Examples {
    /// Reads the examples that are asked for.
    pub fn read(request: &Request) -> Result<Examples, DataError> {
        let (path, mut notes) = place::locate(request)?;
        let layout = match &request.layout {
            Some(name) => layouts::find(name)?,
            None => layouts::recognise(&path, request)?,
        };
        let task = task_of(layout, request)?;
        if layout.name == "columns" {
            layouts::check_columns(&request.columns, task)?;
        }
        let mut gathered = match layout.shape {
            Shape::Rows { drafts, .. } => rows(&path, task, request, drafts)?,
            Shape::Whole(read) => read(&path, task, request)?,
        };
        if let Some(file) = request.substitutes.clone().or_else(|| place::substitutes_beside(&path)) {
            gathered.join_substitutes(&file)?;
        }
        // A folder may turn out to hold programs without labels.
        let has_truth = gathered.items.iter().any(|item| !matches!(item.truth, Loose::Unknown));
        let is_bare = request.task.is_none() && !has_truth && !gathered.items.is_empty();
        let task = if is_bare { Task::Unlabelled } else { task };
        let labels_are_names = labels::are_names(&gathered);
        let labels = labels::number(&mut gathered, task, request)?;
        if gathered.items.is_empty() {
            let first = gathered.broken.first.first().cloned().unwrap_or_else(|| "there are none".to_owned());
            return Err(DataError::NoRows { path, rows: gathered.rows, layout: layout.name, first });
        }
        let (language, warning) = language::settle(&path, &mut gathered, request)?;
        notes.append(&mut gathered.notes);
        let mut examples = Examples {
            path,
            layout,
            task,
            labels,
            labels_are_names,
            labels_are_given: !request.labels.is_empty(),
            programs: Vec::new(),
            items: Vec::new(),
            language,
            rows: gathered.rows,
            extent: Extent {
                chosen: 0,
                available: gathered.items.len(),
                limit: request.limit,
                longest: request.longest,
                sample: request.sample,
                seed: request.seed,
            },
            broken: gathered.broken,
            notes,
            warnings: warning.into_iter().collect(),
        };
        examples.fill(gathered.programs, gathered.items, request)?;
        examples.extent.chosen = examples.items.len();
        Ok(examples)
    }

    /// What a model is asked about an example.
    pub fn input(&self, example: &Example) -> Input {
        let code = |program: usize| self.programs[program].code.clone();
        match &example.question {
            Question::Code(program) => Input::Code(code(*program)),
            Question::Pair(first, second) => Input::Pair(code(*first), code(*second)),
            Question::CodeAndText(program, text) => Input::CodeAndText(code(*program), text.clone()),
        }
    }

    /// The names to choose from for the names of an example's first program, which is the one that attacks change.
    pub fn substitutes(&self, example: &Example) -> Option<&Substitutes> {
        self.programs[example.question.programs()[0]].substitutes.as_ref()
    }

    /// How many programs there are of each language.
    pub fn languages(&self) -> BTreeMap<Language, usize> {
        let mut counts = BTreeMap::new();
        for program in &self.programs {
            *counts.entry(program.code.language).or_default() += 1;
        }
        counts
    }

    /// How many examples there are of each class.
    pub fn label_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.labels.len()];
        for item in &self.items {
            if let Truth::Class(class) = item.truth {
                counts[class] += 1;
            }
        }
        counts
    }

    /// Takes the chosen examples and the programs that they need.
    fn fill(&mut self, programs: Vec<LooseCode>, items: Vec<Item>, request: &Request) -> Result<(), DataError> {
        let length = |item: &Item| item.programs.iter().map(|program| programs[*program].text.len()).sum();
        let chosen = choose(&items.iter().map(length).collect::<Vec<usize>>(), request);
        let mut programs: Vec<Option<LooseCode>> = programs.into_iter().map(Some).collect();
        let mut places: Vec<Option<usize>> = vec![None; programs.len()];
        let mut ids: HashMap<String, usize> = HashMap::new();
        for (item, is_chosen) in items.into_iter().zip(chosen) {
            // Some data sets name two rows alike; records need to tell them apart, in every sample by the same name.
            let seen = ids.entry(item.id.clone()).or_default();
            *seen += 1;
            let id = if *seen == 1 { item.id } else { format!("{}~{seen}", item.id) };
            if !is_chosen {
                continue;
            }
            for program in &item.programs {
                if let Some(loose) = programs[*program].take() {
                    places[*program] = Some(self.programs.len());
                    self.programs.push(loose.settled(&self.path)?);
                }
            }
            let place = |which: usize| places[item.programs[which]].expect("it was placed above");
            let question = match (item.programs.len(), item.text) {
                (2, _) => Question::Pair(place(0), place(1)),
                (_, Some(text)) => Question::CodeAndText(place(0), text),
                (_, None) => Question::Code(place(0)),
            };
            self.items.push(Example { id, question, truth: item.truth.known(), group: item.group, row: item.row });
        }
        Ok(())
    }
}

impl Question {
    /// The places of its programs.
    pub fn programs(&self) -> Vec<usize> {
        match self {
            Question::Code(program) | Question::CodeAndText(program, _) => vec![*program],
            Question::Pair(first, second) => vec![*first, *second],
        }
    }
}

impl Broken {
    const SHOWN: usize = 5;

    fn add(&mut self, place: &str, problem: &str) {
        self.rows += 1;
        // What stands after the colon differs from row to row.
        let reason = problem.split(": ").next().unwrap_or(problem);
        *self.reasons.entry(reason.to_owned()).or_default() += 1;
        if self.first.len() < Broken::SHOWN {
            self.first.push(format!("{place}: {problem}"));
        }
    }
}

/// What a layout makes of a row, before labels have numbers and programs languages.
#[derive(Debug, Default)]
struct Draft {
    /// What tells the examples of one row apart, such as `buggy`.
    part: Option<&'static str>,
    codes: Vec<(String, Option<Language>)>,
    text: Option<String>,
    truth: Loose,
    group: Option<String>,
    substitutes: Option<Substitutes>,
    cases: Vec<Case>,
}

/// A truth whose label has no number yet.
#[derive(Clone, Debug, Default)]
enum Loose {
    Label(String),
    Known(Truth),
    #[default]
    Unknown,
}

impl Loose {
    fn known(self) -> Truth {
        match self {
            Loose::Known(truth) => truth,
            Loose::Label(_) | Loose::Unknown => Truth::Unknown,
        }
    }
}

/// Everything that a layout found in a place.
#[derive(Debug, Default)]
struct Gathered {
    unit: &'static str,
    rows: usize,
    programs: Vec<LooseCode>,
    items: Vec<Item>,
    broken: Broken,
    notes: Vec<String>,
}

#[derive(Debug)]
struct LooseCode {
    key: String,
    text: String,
    language: Option<Language>,
    substitutes: Option<Substitutes>,
    cases: Vec<Case>,
}

impl LooseCode {
    fn settled(self, path: &Path) -> Result<Source, DataError> {
        let LooseCode { key, text, language, substitutes, cases } = self;
        let problem = || DataError::NoLanguage { path: path.to_owned(), problem: "nothing tells it".to_owned() };
        Ok(Source { key, code: Code { language: language.ok_or_else(problem)?, text }, substitutes, cases })
    }
}

#[derive(Debug)]
struct Item {
    id: String,
    /// The number of its row, from 1.
    row: usize,
    programs: Vec<usize>,
    text: Option<String>,
    truth: Loose,
    group: Option<String>,
}

impl Gathered {
    fn new(unit: &'static str) -> Gathered {
        Gathered { unit, ..Gathered::default() }
    }

    /// Counts a row that cannot be used. Its number is that of the row that was counted last.
    fn refuse(&mut self, problem: &str) {
        let place = format!("{} {}", self.unit, self.rows);
        self.broken.add(&place, problem);
    }

    /// Takes in what a row gave.
    fn add(&mut self, key: String, draft: Draft) {
        let first = self.programs.len();
        let id = draft.part.map_or_else(|| key.clone(), |part| format!("{key}#{part}"));
        let mut substitutes = draft.substitutes;
        for (text, language) in draft.codes {
            let (substitutes, cases) = (substitutes.take(), draft.cases.clone());
            let code = LooseCode { key: key.clone(), text, language, substitutes, cases };
            self.programs.push(code);
        }
        let programs = (first..self.programs.len()).collect();
        let (text, truth, group) = (draft.text, draft.truth, draft.group);
        self.items.push(Item { id, row: self.rows, programs, text, truth, group });
    }

    /// Gives programs the names that a file has for them, by their keys or by the numbers of their rows from 0.
    fn join_substitutes(&mut self, path: &Path) -> Result<(), DataError> {
        let mut found: BTreeMap<String, Substitutes> = BTreeMap::new();
        for (index, record) in Records::open(path)?.enumerate() {
            let Ok(mut fields) = record? else { continue };
            let key = key_of(&fields).unwrap_or_else(|| index.to_string());
            if let Some(names) = substitutes_in(&mut fields) {
                found.insert(key, names);
            }
        }
        let mut joined = 0;
        for program in &mut self.programs {
            if let Some(names) = found.remove(&program.key) {
                program.substitutes = Some(names);
                joined += 1;
            }
        }
        if joined == 0 {
            return Err(DataError::Unfit {
                place: path.display().to_string(),
                problem: "not one of its substitutes is for a program of the data set: they are joined by the field `idx`, or by \
                          the number of the row from 0"
                    .to_owned(),
            });
        }
        let left = match found.len() {
            0 => String::new(),
            left => format!(", {left} left over"),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.notes.push(format!("{name} has names to choose from for the names of {joined} programs{left}"));
        Ok(())
    }
}

/// The task that is asked for, when the layout has the truth for it.
fn task_of(layout: &Layout, request: &Request) -> Result<Task, DataError> {
    match request.task {
        None if layout.name == "columns" => layouts::task_of_columns(&request.columns),
        None => Ok(layout.tasks[0]),
        Some(task) if layout.tasks.contains(&task) => Ok(task),
        Some(task) => Err(DataError::Unfit {
            place: request.path.display().to_string(),
            problem: format!(
                "the layout {} has no truth for the task {task}: it has {}; for other fields name them with --code, --code2, \
                 --label and --text",
                layout.name,
                layout.tasks.iter().map(|task| task.name()).collect::<Vec<_>>().join(", "),
            ),
        }),
    }
}

/// Reads a table row by row.
fn rows(
    path: &Path,
    task: Task,
    request: &Request,
    drafts: fn(&Fields, Task, &Request) -> Result<Vec<Draft>, String>,
) -> Result<Gathered, DataError> {
    let records = Records::open(path)?;
    let tests = tests_beside(path)?;
    let mut gathered = Gathered::new(records.unit);
    let mut are_checked = false;
    for record in records {
        let record = record?;
        gathered.rows += 1;
        if let Ok(fields) = &record
            && !std::mem::replace(&mut are_checked, true)
        {
            check_fields(path, fields, &request.columns)?;
        }
        let made = record.and_then(|mut fields| {
            let key = key_of(&fields).unwrap_or_else(|| (gathered.rows - 1).to_string());
            let substitutes = substitutes_in(&mut fields);
            let cases = cases_of_row(&fields, &tests);
            let named = language_of(&fields)?;
            let mut drafts = drafts(&fields, task, request)?;
            for draft in &mut drafts {
                draft.substitutes = substitutes.clone();
                draft.cases = cases.clone();
                for (_, language) in &mut draft.codes {
                    *language = language.or(named);
                }
            }
            Ok((key, drafts))
        });
        match made {
            Ok((key, drafts)) => drafts.into_iter().for_each(|draft| gathered.add(key.clone(), draft)),
            Err(problem) => gathered.refuse(&problem),
        }
    }
    Ok(gathered)
}

/// Are the fields that the user names there?
fn check_fields(path: &Path, fields: &Fields, columns: &Columns) -> Result<(), DataError> {
    let mut named = [&columns.code, &columns.code2, &columns.label, &columns.text].into_iter().flatten();
    match named.find(|name| !fields.contains_key(*name)) {
        None => Ok(()),
        Some(missing) => Err(DataError::NoField {
            path: path.to_owned(),
            field: missing.clone(),
            known: fields.keys().cloned().collect(),
        }),
    }
}

/// What identifies a row in files that accompany its data set.
fn key_of(fields: &Fields) -> Option<String> {
    KEY_FIELDS.iter().find_map(|name| match fields.get(*name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// The language that a row names. One that is not ours is a problem of the row.
fn language_of(fields: &Fields) -> Result<Option<Language>, String> {
    let named = LANGUAGE_FIELDS.iter().find_map(|name| fields.get(*name)?.as_str());
    named.map(|name| name.parse().map_err(|_| format!("its language is not supported: `{name}`"))).transpose()
}

fn substitutes_in(fields: &mut Fields) -> Option<Substitutes> {
    serde_json::from_value(fields.remove("substitutes")?).ok()
}

/// Which of the examples, whose lengths these are, are wanted: the first ones, the longest of those, or a sample of what is left.
fn choose(lengths: &[usize], request: &Request) -> Vec<bool> {
    let count = lengths.len();
    let mut places: Vec<usize> = (0..request.limit.unwrap_or(count).min(count)).collect();
    if let Some(wanted) = request.longest {
        // Of equal ones the first are taken.
        places.sort_by_key(|place| std::cmp::Reverse(lengths[*place]));
        places.truncate(wanted);
        places.sort_unstable();
    }
    if let Some(wanted) = request.sample.filter(|wanted| *wanted < places.len()) {
        Random::new(seed_of(&[b"sample", &request.seed.to_le_bytes()])).shuffle(&mut places);
        places.truncate(wanted);
    }
    let mut chosen = vec![false; count];
    places.into_iter().for_each(|place| chosen[place] = true);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_the_longest_and_a_sample() {
        let lengths = [3, 9, 1, 9, 5, 7];
        let chosen = |limit, longest, sample| -> Vec<usize> {
            let request = Request { limit, longest, sample, seed: 4, ..Request::default() };
            choose(&lengths, &request).iter().enumerate().filter(|(_, is)| **is).map(|(place, _)| place).collect()
        };
        assert_eq!(chosen(None, None, None), [0, 1, 2, 3, 4, 5]);
        assert_eq!(chosen(Some(2), None, None), [0, 1]);
        assert_eq!(chosen(None, Some(3), None), [1, 3, 5]);
        assert_eq!(chosen(None, Some(1), None), [1]);
        assert_eq!(chosen(Some(3), Some(2), None), [0, 1]);
        assert_eq!(chosen(None, Some(99), None).len(), 6);
        assert_eq!(chosen(None, None, Some(4)).len(), 4);
        assert_eq!(chosen(None, None, Some(4)), chosen(None, None, Some(4)));
        assert!(chosen(None, Some(3), Some(2)).iter().all(|place| [1, 3, 5].contains(place)));
    }
}
