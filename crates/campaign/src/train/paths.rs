//! Training code2vec and code2seq: the methods of data sets, of folders with programs, or of files with path contexts.

use std::path::Path;
use std::time::Duration;

use model::Code;
use model::paths::{Limits, Method, functions, methods, read_lines};
use rayon::prelude::*;
use syntax::Program;
use training::train::methods::{MethodCorpus, MethodPlan};
use training::train::paths::{self, NewPathModel, train_paths};
use training::train::sequences::{self, NewSequenceModel, train_sequences};
use training::train::{Device, Estimate, News, Observer, TrainedEncoder, TrainingError, TrainingSettings};

use super::encoder::{hear, split_off};
use super::folder::{Learned, TrainedFolder};
use super::{held_out, quality_of};
use crate::control::steered;
use crate::data::DataError;
use crate::examples::{Examples, Task, Truth};
use crate::plan::DataPlan;
use crate::work::{Event, Watcher, WorkError, open_model, read_examples};

/// What a model of names learns from which methods.
#[derive(Clone, Debug)]
pub struct NamesPlan {
    pub data: DataPlan,
    /// What the model is evaluated on while it learns; a part of the data by default.
    pub validation: Option<DataPlan>,
    /// The share of the examples that is held out where there is no validation; 0 learns from all of them.
    pub held_out: f64,
    pub model: NamesModel,
    pub settings: TrainingSettings,
    pub device: Device,
    /// Stop after this time, with a checkpoint.
    pub stop_after: Option<Duration>,
}

/// Which model learns names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamesModel {
    Code2Vec(NewPathModel),
    Code2Seq(NewSequenceModel),
}

/// Trains code2vec or code2seq and writes it to a folder, or resumes what was begun there.
///
/// ```
/// use campaign::plan::DataPlan;
/// use campaign::train::paths::{NamesModel, NamesPlan, run_paths};
/// use training::train::{Length, TrainingSettings};
/// use training::train::paths::NewPathModel;
///
/// let data = DataPlan { path: "../../fixtures/programs/problems".into(), limit: Some(40), ..DataPlan::default() };
/// let model = NewPathModel { width: 8, vector: 16, ..NewPathModel::default() };
/// let settings = TrainingSettings { length: Length::Steps(2), ..TrainingSettings::default() };
/// let plan = NamesPlan { settings, ..NamesPlan::new(data, NamesModel::Code2Vec(model)) };
/// let folder = std::env::temp_dir().join(format!("allotrope-names-{}", std::process::id()));
/// let trained = run_paths(&plan, &folder, &())?;
/// assert_eq!((trained.trained.steps, trained.model.identity().kind.as_str()), (2, "code2vec"));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_paths(plan: &NamesPlan, output: &Path, watcher: &dyn Watcher) -> Result<TrainedFolder, WorkError> {
    steered(output, "train", watcher, |watcher| run_steered(plan, output, watcher))
}

fn run_steered(plan: &NamesPlan, output: &Path, watcher: &dyn Watcher) -> Result<TrainedFolder, WorkError> {
    let NamesPlan { settings, device, stop_after, .. } = plan.clone();
    match plan.model.clone() {
        NamesModel::Code2Vec(model) => {
            let own = MethodPlan { model, settings, device, stop_after };
            trained(plan, output, watcher, |corpus, validation, observer| {
                train_paths(&own, corpus, validation, output, observer)
            })
        }
        NamesModel::Code2Seq(model) => {
            let own = MethodPlan { model, settings, device, stop_after };
            trained(plan, output, watcher, |corpus, validation, observer| {
                train_sequences(&own, corpus, validation, output, observer)
            })
        }
    }
}

/// What the training will take, measured with two batches. Nothing is written.
pub fn estimate_paths(plan: &NamesPlan, watcher: &dyn Watcher) -> Result<Estimate, WorkError> {
    let NamesPlan { settings, device, stop_after, .. } = plan.clone();
    let tell = |news: News| hear(watcher, &news);
    let observer = Observer { stop: watcher.stop(), tell: &tell };
    Ok(match plan.model.clone() {
        NamesModel::Code2Vec(model) => {
            let own = MethodPlan { model, settings, device, stop_after };
            paths::estimate_paths(&own, &material(plan, watcher)?.corpus, &observer)?
        }
        NamesModel::Code2Seq(model) => {
            let own = MethodPlan { model, settings, device, stop_after };
            sequences::estimate_sequences(&own, &material(plan, watcher)?.corpus, &observer)?
        }
    })
}

/// Reads the methods, lets a model learn from them, and evaluates it.
fn trained<Corpus: MethodCorpus>(
    plan: &NamesPlan,
    output: &Path,
    watcher: &dyn Watcher,
    train: impl FnOnce(&Corpus, Option<&Corpus>, &Observer<'_>) -> Result<TrainedEncoder, TrainingError>,
) -> Result<TrainedFolder, WorkError> {
    let Material { corpus, validation, examples } = material::<Corpus>(plan, watcher)?;
    if watcher.should_stop() {
        return Err(WorkError::Interrupted("stopped before the training began"));
    }
    let tell = |news: News| hear(watcher, &news);
    let observer = Observer { stop: watcher.stop(), tell: &tell };
    let trained = train(&corpus, validation.as_ref(), &observer)?;
    let name = format!("{}:{}", plan.model.kind(), output.display());
    let model = open_model(&name)?;
    let quality =
        examples.as_ref().map(|examples| quality_of(model.as_ref(), examples, watcher)).transpose()?.flatten();
    let learned = Learned::Methods { methods: corpus.count(), contexts: corpus.contexts() };
    let (paths, is_interrupted) = (vec![plan.data.path.clone()], watcher.should_stop());
    Ok(TrainedFolder { model, name, trained, paths, learned, quality, is_interrupted })
}

impl NamesModel {
    /// The kind of model that the folder is opened as.
    fn kind(&self) -> &'static str {
        match self {
            NamesModel::Code2Vec(_) => "code2vec",
            NamesModel::Code2Seq(_) => "code2seq",
        }
    }

    /// Which contexts of a method the model is given.
    fn limits(&self) -> Limits {
        match self {
            NamesModel::Code2Vec(model) => model.limits(),
            NamesModel::Code2Seq(model) => model.limits(),
        }
    }
}

impl NamesPlan {
    /// A plan with defaults for everything else.
    pub fn new(data: DataPlan, model: NamesModel) -> NamesPlan {
        NamesPlan {
            data,
            validation: None,
            held_out: 0.05,
            model,
            settings: TrainingSettings {
                learning_rate: 1e-3,
                dropout: 0.25,
                weight_decay: 0.0,
                // Contexts, of which a method has some dozens.
                batch_tokens: 65_536,
                ..TrainingSettings::default()
            },
            device: Device::Cpu,
            stop_after: None,
        }
    }
}

struct Material<Corpus> {
    corpus: Corpus,
    validation: Option<Corpus>,
    /// The examples of the validation, where they have names.
    examples: Option<Examples>,
}

fn material<Corpus: MethodCorpus>(plan: &NamesPlan, watcher: &dyn Watcher) -> Result<Material<Corpus>, WorkError> {
    let has_contexts = |data: &DataPlan| {
        data.path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| ["c2v", "c2s"].contains(&ending))
    };
    let mut held = None;
    let corpus = match has_contexts(&plan.data) {
        true => contexts_of(&plan.data.path)?,
        false => {
            let mut examples = programs_of(&plan.data, watcher)?;
            if plan.validation.is_none() && plan.held_out > 0.0 {
                let is_held_out = held_out(&examples, plan.held_out, plan.settings.seed);
                held = Some(split_off(&mut examples, &is_held_out)).filter(|held| !held.items.is_empty());
            }
            corpus_of(&examples, plan, watcher)
        }
    };
    let validation = match &plan.validation {
        Some(data) if has_contexts(data) => Some(contexts_of(&data.path)?),
        Some(data) => {
            held = Some(programs_of(data, watcher)?);
            held.as_ref().map(|examples| corpus_of(examples, plan, watcher))
        }
        None => held.as_ref().map(|examples| corpus_of(examples, plan, watcher)),
    };
    // Whole files have no names to be compared with.
    let examples = held.filter(|held| held.items.iter().all(|item| matches!(item.truth, Truth::Name(_))));
    Ok(Material { corpus, validation, examples })
}

/// The programs of a data set with names, or of any other.
fn programs_of(data: &DataPlan, watcher: &dyn Watcher) -> Result<Examples, WorkError> {
    let task = |task| DataPlan { task: Some(task), ..data.clone() };
    if data.task.is_some() {
        return read_examples(data, watcher);
    }
    match read_examples(&task(Task::MethodName), watcher) {
        Err(WorkError::Data(DataError::Unfit { .. })) => match read_examples(&task(Task::Unlabelled), watcher) {
            Err(WorkError::Data(DataError::Unfit { .. })) => read_examples(data, watcher),
            examples => examples,
        },
        examples => examples,
    }
}

/// The methods of the programs that examples are about.
fn corpus_of<Corpus: MethodCorpus>(examples: &Examples, plan: &NamesPlan, watcher: &dyn Watcher) -> Corpus {
    let mut programs: Vec<usize> = examples.items.iter().flat_map(|item| item.question.programs()).collect();
    programs.sort_unstable();
    programs.dedup();
    watcher.tell(Event::Stage("reading methods", Some(programs.len())));
    let limits = plan.model.limits();
    let are_methods = examples.task == Task::MethodName;
    let methods_of = |code: &Code| -> Vec<Method> {
        let program = Program::parse(code.language, code.text.as_str());
        if are_methods {
            return methods(&program, &limits)
                .into_iter()
                .find(|method| !method.contexts.is_empty())
                .into_iter()
                .collect();
        }
        // As if the methods were cut out first.
        let own = functions(&program).into_iter().flat_map(|(_, range)| {
            methods(&Program::parse(code.language, &code.text[range]), &limits).into_iter().take(1)
        });
        own.collect()
    };
    let (mut corpus, mut empty) = (Corpus::default(), 0);
    // Words are replaced by numbers after every 1,024 programs: the words of all contexts would not fit in memory.
    for some in programs.chunks(1024) {
        if watcher.should_stop() {
            break;
        }
        let own: Vec<Corpus> = some
            .par_iter()
            .map(|program| {
                watcher.tell(Event::Steps(1));
                Corpus::of(&methods_of(&examples.programs[*program].code))
            })
            .collect();
        empty += own.iter().filter(|own| own.count() == 0).count();
        own.into_iter().for_each(|own| corpus.append(own));
    }
    if empty > 0 {
        let all = programs.len();
        let note = format!(
            "nothing is learned from {empty} of {all} programs: they have no method with a body and path contexts"
        );
        watcher.tell(Event::Note(note));
    }
    corpus
}

/// The methods of a file that an extractor wrote.
fn contexts_of<Corpus: MethodCorpus>(path: &Path) -> Result<Corpus, WorkError> {
    let unreadable = |source| DataError::Unreadable { path: path.to_owned(), source };
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let mut corpus = Corpus::default();
    for row in read_lines(&text) {
        let added = row.map_err(|error| error.to_string()).and_then(|row| corpus.add_row(&row));
        added.map_err(|problem| DataError::Unfit { place: path.display().to_string(), problem })?;
    }
    Ok(corpus)
}
