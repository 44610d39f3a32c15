//! Training: the examples of a data set as lessons, a part of them held out, and the file with the model.

pub mod encoder;
pub mod folder;
pub mod paths;
pub mod variants;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use measure::Bootstrap;
use model::builtin::linear::{self, Lesson, TrainError, Trained};
use model::{Input, Model};
use random::{Random, seed_of};

use crate::complete_file::CompleteFile;
use crate::data::{DataError, write_file};
use crate::evaluate::{Quality, Unmeasurable, evaluate, quality, search_quality};
use crate::examples::{Example, Examples, Truth};
use crate::plan::DataPlan;
use crate::work::{Event, Watcher, WorkError, open_model, read_examples};

/// What is learned from which examples.
#[derive(Clone, Debug)]
pub struct TrainPlan {
    /// The data set. Its truths have to be classes.
    pub data: DataPlan,
    /// The share of the examples that is held out to evaluate the model; 0 learns from all of them.
    pub held_out: f64,
    /// How the classifier learns.
    pub settings: linear::TrainingSettings,
}

impl Default for TrainPlan {
    fn default() -> TrainPlan {
        TrainPlan { data: DataPlan::default(), held_out: 0.2, settings: linear::TrainingSettings::default() }
    }
}

/// A model that was trained.
pub struct TrainedModel {
    /// The model, opened from its file.
    pub model: Box<dyn Model>,
    /// Its name, by which it is opened again.
    pub name: String,
    /// What the training came to.
    pub trained: Trained,
    /// The data set.
    pub path: PathBuf,
    /// The task of the data set.
    pub task: &'static str,
    /// How many examples there are.
    pub examples: usize,
    /// How many of them were learned from.
    pub learned: usize,
    /// How well the model does on those that were held out.
    pub quality: Option<Quality>,
    /// How long the training took.
    pub seconds: f64,
    /// Was the evaluation stopped before it finished? The model is complete.
    pub is_interrupted: bool,
}

/// Trains a classifier, writes it to a file, and evaluates it on the examples that are held out.
///
/// ```
/// use campaign::plan::DataPlan;
/// use campaign::train::{TrainPlan, run};
///
/// let data = DataPlan { path: "../../fixtures/programs/problems".into(), limit: Some(40), ..DataPlan::default() };
/// let file = std::env::temp_dir().join(format!("allotrope-train-{}.safetensors", std::process::id()));
/// let trained = run(&TrainPlan { data, ..TrainPlan::default() }, &file, &())?;
/// assert_eq!(trained.model.identity().kind, "builtin");
/// # std::fs::remove_file(file)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(plan: &TrainPlan, output: &Path, watcher: &dyn Watcher) -> Result<TrainedModel, WorkError> {
    let mut examples = read_examples(&plan.data, watcher)?;
    check_writable(output)?;
    let is_held_out = held_out(&examples, plan.held_out, plan.settings.seed);
    let all = lessons(&examples)?;
    let count = all.len();
    let learned: Vec<Lesson> =
        all.into_iter().filter(|(place, _)| !is_held_out[*place]).map(|(_, lesson)| lesson).collect();
    let start = Instant::now();
    watcher.tell(Event::Stage("training", None));
    let tell = |doing: &str| watcher.tell(Event::Status(doing.to_owned()));
    let trained = linear::train(&learned, &examples.labels, &plan.settings, watcher.stop(), &tell);
    let trained = trained.map_err(|error| match error {
        TrainError::Interrupted => WorkError::Interrupted("stopped before the training was done; no model was written"),
        source => WorkError::Train { path: examples.path.clone(), source },
    })?;
    let seconds = start.elapsed().as_secs_f64();
    write_file(output, &trained.classifier.to_bytes())?;
    let name = name_of(output);
    let model = open_model(&name)?;
    let mut places = is_held_out.iter();
    examples.items.retain(|_| *places.next().unwrap_or(&false));
    let quality = match examples.items.is_empty() {
        true => None,
        false => quality_of(model.as_ref(), &examples, watcher)?,
    };
    Ok(TrainedModel {
        model,
        name,
        trained,
        task: examples.task.name(),
        path: examples.path,
        examples: count,
        learned: learned.len(),
        quality,
        seconds,
        is_interrupted: watcher.should_stop(),
    })
}

/// How well a model does on examples; none when the user stopped it at once.
fn quality_of(model: &dyn Model, examples: &Examples, watcher: &dyn Watcher) -> Result<Option<Quality>, WorkError> {
    let bootstrap = Bootstrap::default();
    let evaluation = evaluate(model, examples, watcher);
    match quality(examples, &evaluation, &bootstrap) {
        Err(Unmeasurable::Nothing) if watcher.should_stop() => Ok(None),
        // A model that gives texts and programs vectors finds one by the other.
        Err(problem @ Unmeasurable::Kind { given: "embeddings", .. }) => {
            let summary = search_quality(model, examples, &bootstrap).ok_or(problem)??;
            Ok(Some(Quality { summary, confusion: None, measured: examples.items.len(), truncated: None }))
        }
        quality => Ok(Some(quality?)),
    }
}

/// The name under which a file with a model is opened.
fn name_of(file: &Path) -> String {
    match file.to_str() {
        // A bare name could be that of the model in the binary.
        Some(name) if !name.contains('/') => format!("builtin:./{name}"),
        _ => format!("builtin:{}", file.display()),
    }
}

/// A file that cannot be written is told before the work begins.
fn check_writable(path: &Path) -> Result<(), DataError> {
    let unwritable = |source| DataError::Unwritable { path: path.to_owned(), source };
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(unwritable)?;
    CompleteFile::create(path).map(drop).map_err(unwritable)
}

/// Why there is nothing to learn from a data set.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum NoLessons {
    /// The truth is not a class.
    #[error("the task {0} has no classes, so there is nothing to classify")]
    NoClasses(&'static str),
    /// The inputs have texts beside programs.
    #[error("the task {0} is about a program and a text: only programs and pairs of them can be classified")]
    Texts(&'static str),
    /// There is no text that belongs to a program.
    #[error("the task {0} has no texts that belong to programs: use --task code-search")]
    NoMatches(&'static str),
    /// There is no text to write about a program.
    #[error("the task {0} has no texts about programs: use --task captioning or --task documentation")]
    NoTexts(&'static str),
    /// Classes of several data sets need not mean the same.
    #[error("{0} data sets were named, and classes are learned from one: join them in one file")]
    SeveralDataSets(usize),
    /// Nothing was learned about a label.
    #[error("the example {example} of the validation has the label `{label}`, which no example to learn from has")]
    UnknownLabel { label: String, example: String },
}

/// The lessons of a data set, with the places of their examples.
fn lessons(examples: &Examples) -> Result<Vec<(usize, Lesson)>, NoLessons> {
    let mut lessons = Vec::new();
    for (place, example) in examples.items.iter().enumerate() {
        let Truth::Class(class) = example.truth else { continue };
        let input = examples.input(example);
        if matches!(input, Input::CodeAndText(..)) {
            return Err(NoLessons::Texts(examples.task.name()));
        }
        lessons.push((place, Lesson { input, class, group: group(example).to_owned() }));
    }
    if lessons.is_empty() { Err(NoLessons::NoClasses(examples.task.name())) } else { Ok(lessons) }
}

/// What must stay together: a project or problem, or the example alone.
fn group(example: &Example) -> &str {
    example.group.as_deref().unwrap_or(&example.id)
}

/// The places of the examples that are held out: whole groups, drawn with the seed, until the part is as large as it should be. Where
/// there is one group only, its examples are drawn one by one.
pub(crate) fn held_out(examples: &Examples, part: f64, seed: u64) -> Vec<bool> {
    let has_groups = examples.items.iter().map(group).collect::<HashSet<&str>>().len() > 1;
    let name = |example: &Example| match has_groups {
        true => group(example).to_owned(),
        false => example.id.clone(),
    };
    let mut names: Vec<String> = examples.items.iter().map(name).collect();
    names.sort_unstable();
    names.dedup();
    Random::new(seed_of(&[b"held out", &seed.to_le_bytes()])).shuffle(&mut names);
    let wanted = (examples.items.len() as f64 * part).round() as usize;
    let mut sizes = std::collections::HashMap::new();
    for example in &examples.items {
        *sizes.entry(name(example)).or_insert(0_usize) += 1;
    }
    let (mut chosen, mut count) = (HashSet::new(), 0);
    for name in names {
        if count >= wanted {
            break;
        }
        count += sizes.get(&name).copied().unwrap_or_default();
        chosen.insert(name);
    }
    examples.items.iter().map(|example| chosen.contains(&name(example))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::Request;

    /// Rows of the layout for defects, two examples a row, in three problems.
    fn examples(name: &str) -> Examples {
        let path = std::env::temp_dir().join(format!("allotrope-train-{name}-{}.jsonl", std::process::id()));
        let row = |number: usize| {
            let problem = number % 3;
            format!(
                "{{\"id\": \"{number}\", \"problem\": \"p{problem}\", \"buggy\": \"int f() {{ return {number}; }}\", \
                 \"accepted\": \"int g() {{ return {number}; }}\", \"tests\": [{{\"stdin\": \"{number}\"}}]}}\n"
            )
        };
        std::fs::write(&path, (0..30).map(row).collect::<String>()).unwrap();
        let request = Request { path: path.clone(), language: Some(syntax::Language::C), ..Request::default() };
        let examples = Examples::read(&request).unwrap();
        std::fs::remove_file(path).unwrap();
        examples
    }

    #[test]
    fn groups_are_held_out_whole_and_by_the_seed() {
        let examples = examples("groups");
        let chosen = held_out(&examples, 0.3, 1);
        assert_eq!(chosen, held_out(&examples, 0.3, 1));
        assert_eq!(chosen.iter().filter(|is_held_out| **is_held_out).count(), 20);
        let of = |is_held_out: bool| -> HashSet<&str> {
            let places = chosen.iter().zip(&examples.items).filter(|(chosen, _)| **chosen == is_held_out);
            places.map(|(_, example)| group(example)).collect()
        };
        assert!(of(true).is_disjoint(&of(false)));
        assert!((0..20).any(|seed| held_out(&examples, 0.3, seed) != chosen));
        assert!(held_out(&examples, 0.0, 1).iter().all(|is_held_out| !is_held_out));
    }

    #[test]
    fn one_group_is_divided() {
        let mut examples = examples("one");
        examples.items.iter_mut().for_each(|example| example.group = Some("all".to_owned()));
        assert_eq!(held_out(&examples, 0.3, 1).iter().filter(|is_held_out| **is_held_out).count(), 18);
    }

    #[test]
    fn classes_are_lessons_and_cases_come_along() {
        let examples = examples("lessons");
        let lessons = lessons(&examples).unwrap();
        assert_eq!((lessons.len(), lessons[59].0), (60, 59));
        assert!(lessons.iter().all(|(_, lesson)| lesson.group.starts_with('p')));
        assert_eq!(examples.programs[4].cases[0].input, "2");
        let target = &crate::attack::targets(&examples)[4].1;
        assert_eq!(target.cases, examples.programs[4].cases);
    }
}
