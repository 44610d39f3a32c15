//! Training encoders: the examples of a data set, or the programs of several, and the folder with the model.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::Code;
use model::huggingface::checkpoint::Checkpoint;
use training::train::{
    Base, Corpus, Device, Estimate, Goal, News, Observer, Teaching, TrainingError, TrainingPlan, TrainingSettings,
};

use super::folder::{Learned, TrainedFolder};
use super::variants::VariantsPlan;
use super::{NoLessons, held_out, quality_of};
use crate::control::steered;
use crate::examples::{Examples, Question, Truth};
use crate::plan::DataPlan;
use crate::work::{Event, Watcher, WorkError, open_model, read_examples};

/// What an encoder learns from which examples.
#[derive(Clone, Debug)]
pub struct EncoderPlan {
    pub kind: EncoderKind,
    /// The data sets: one with classes, or any number of them whose programs have masks to fill.
    pub data: Vec<DataPlan>,
    /// What the encoder is evaluated on while it learns; a part of the data by default.
    pub validation: Option<DataPlan>,
    /// The share of the examples that is held out where there is no validation; 0 learns from all of them.
    pub held_out: f64,
    /// What the training begins with.
    pub base: Base,
    pub settings: TrainingSettings,
    pub device: Device,
    /// Stop after this time, with a checkpoint.
    pub stop_after: Option<Duration>,
    /// Variants that are learned from beside their originals.
    pub variants: Option<VariantsPlan>,
}

/// What an encoder learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncoderKind {
    /// The classes of programs or of pairs.
    Classes,
    /// The words that masks stand for.
    Masked,
    /// Vectors of texts and programs, alike where they belong together.
    Search,
    /// Texts about programs, by a decoder with this number of layers, where it is not the default or that of a T5, and texts of at most this
    /// number of tokens.
    Captions { layers: Option<usize>, tokens: usize },
}

/// Trains an encoder and writes it to a folder, or resumes what was begun there.
///
/// ```
/// use campaign::plan::DataPlan;
/// use campaign::train::encoder::{EncoderKind, EncoderPlan, run_encoder};
/// use training::train::{Base, Length, NewEncoder, TrainingSettings};
///
/// let data = DataPlan { path: "../../fixtures/programs/problems".into(), limit: Some(20), ..DataPlan::default() };
/// let tiny = NewEncoder { layers: 1, hidden: 16, heads: 2, inner: 32, vocabulary: 300, limit: 32, ..NewEncoder::default() };
/// let settings = TrainingSettings { length: Length::Steps(2), ..TrainingSettings::default() };
/// let plan = EncoderPlan { settings, ..EncoderPlan::new(EncoderKind::Masked, vec![data], Base::New(tiny)) };
/// let folder = std::env::temp_dir().join(format!("allotrope-encoder-{}", std::process::id()));
/// assert_eq!(run_encoder(&plan, &folder, &())?.trained.steps, 2);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_encoder(plan: &EncoderPlan, output: &Path, watcher: &dyn Watcher) -> Result<TrainedFolder, WorkError> {
    check_name(output)?;
    steered(output, "train", watcher, |watcher| run_on(plan, material(plan, watcher)?, None, output, watcher))
}

/// Refuses a folder that could not be opened by its name.
pub(crate) fn check_name(output: &Path) -> Result<(), TrainingError> {
    if output.to_string_lossy().contains('?') {
        let problem = format!("{}: name a folder without `?`, after which options stand in `hf:DIR`", output.display());
        return Err(TrainingError::Unfit(problem));
    }
    Ok(())
}

/// Trains an encoder on what was read, perhaps with the answers of a teacher.
pub(crate) fn run_on(
    plan: &EncoderPlan,
    material: Material,
    teaching: Option<Teaching>,
    output: &Path,
    watcher: &dyn Watcher,
) -> Result<TrainedFolder, WorkError> {
    let Material { goal, corpus, validation, held_out, paths } = material;
    let tell = |news: News| hear(watcher, &news);
    let observer = Observer { stop: watcher.stop(), tell: &tell };
    let training_plan = TrainingPlan { teaching, ..training_plan(plan, goal.clone(), &corpus)? };
    let trained = training::train::train(&training_plan, &corpus, validation.as_ref(), output, &observer)?;
    let device = match (plan.device, plan.kind) {
        // Texts are written on the processor.
        (Device::Cpu, _) | (Device::Cuda, EncoderKind::Captions { .. }) => "",
        (Device::Cuda, _) if is_t5(output)? => "",
        (Device::Cuda, EncoderKind::Classes | EncoderKind::Masked | EncoderKind::Search) => "?device=cuda",
    };
    let name = format!("hf:{}{device}", output.display());
    let model = open_model(&name)?;
    let quality =
        held_out.as_ref().map(|held_out| quality_of(model.as_ref(), held_out, watcher)).transpose()?.flatten();
    let learned = match goal {
        Goal::Classes { labels, .. } => Learned::Classes { examples: corpus.examples.len(), labels },
        Goal::Masked => Learned::Programs(corpus.programs.len()),
        Goal::Search | Goal::Captions { .. } => Learned::Pairs(corpus.examples.len()),
    };
    let is_interrupted = watcher.should_stop();
    Ok(TrainedFolder { model, name, trained, paths, learned, quality, is_interrupted })
}

/// Is a T5 in the folder? It learns on a GPU, and answers on the processor.
fn is_t5(folder: &Path) -> Result<bool, WorkError> {
    let kind = |place: &str| Checkpoint::find(place)?.config.text_or("model_type", "roberta");
    Ok(kind(&folder.display().to_string()).map_err(TrainingError::Open)? == "t5")
}

/// What the training will take, measured with two small batches. Nothing is written but in a folder for temporary files.
pub fn estimate_encoder(plan: &EncoderPlan, watcher: &dyn Watcher) -> Result<Estimate, WorkError> {
    estimate_on(plan, material(plan, watcher)?, watcher)
}

/// What a training on what was read will take.
pub(crate) fn estimate_on(
    plan: &EncoderPlan,
    material: Material,
    watcher: &dyn Watcher,
) -> Result<Estimate, WorkError> {
    let Material { goal, corpus, .. } = material;
    let tell = |news: News| hear(watcher, &news);
    let observer = Observer { stop: watcher.stop(), tell: &tell };
    let training_plan = training_plan(plan, goal, &corpus)?;
    let workplace = std::env::temp_dir().join(format!("allotrope-estimate-{}", std::process::id()));
    let unwritable = |source| TrainingError::Unwritable { path: workplace.clone(), source };
    std::fs::create_dir_all(&workplace).map_err(unwritable)?;
    let estimated = training::train::estimate(&training_plan, &corpus, &workplace, &observer);
    std::fs::remove_dir_all(&workplace).map_err(unwritable)?;
    Ok(estimated?)
}

impl EncoderPlan {
    /// A plan with defaults for everything else.
    pub fn new(kind: EncoderKind, data: Vec<DataPlan>, base: Base) -> EncoderPlan {
        EncoderPlan {
            held_out: kind.held_out(),
            kind,
            data,
            validation: None,
            base,
            settings: TrainingSettings::default(),
            device: Device::Cpu,
            stop_after: None,
            variants: None,
        }
    }
}

impl EncoderKind {
    /// The share of the examples that is held out by default. Few words are enough for a good estimate of a loss.
    pub fn held_out(self) -> f64 {
        match self {
            EncoderKind::Classes => 0.2,
            EncoderKind::Search | EncoderKind::Captions { .. } => 0.05,
            EncoderKind::Masked => 0.01,
        }
    }
}

/// What the plan's data sets hold.
pub(crate) struct Material {
    pub goal: Goal,
    pub corpus: Corpus,
    pub validation: Option<Corpus>,
    /// The examples of the validation.
    pub held_out: Option<Examples>,
    pub paths: Vec<PathBuf>,
}

fn material(plan: &EncoderPlan, watcher: &dyn Watcher) -> Result<Material, WorkError> {
    let validation = plan.validation.as_ref().map(|data| read_examples(data, watcher)).transpose()?;
    match plan.kind {
        EncoderKind::Classes => classes(plan, validation, watcher),
        EncoderKind::Masked => masked(plan, validation, watcher),
        EncoderKind::Search => pairs(plan, Goal::Search, validation, watcher),
        EncoderKind::Captions { layers, tokens } => pairs(plan, Goal::Captions { layers, tokens }, validation, watcher),
    }
}

fn classes(plan: &EncoderPlan, validation: Option<Examples>, watcher: &dyn Watcher) -> Result<Material, WorkError> {
    let [data] = &plan.data[..] else {
        return Err(NoLessons::SeveralDataSets(plan.data.len()).into());
    };
    let mut examples = read_examples(data, watcher)?;
    examples.items.retain(|example| matches!(example.truth, Truth::Class(_)));
    Ok(material_of(plan, examples, validation)?.0)
}

/// What is learned from examples with classes, and which of them are held out.
pub(crate) fn material_of(
    plan: &EncoderPlan,
    mut examples: Examples,
    validation: Option<Examples>,
) -> Result<(Material, Vec<bool>), WorkError> {
    let task = examples.task.name();
    let programs = match examples.items.first().map(|example| &example.question) {
        Some(Question::Code(_)) => 1,
        Some(Question::Pair(..)) => 2,
        Some(Question::CodeAndText(..)) => return Err(NoLessons::Texts(task).into()),
        None => return Err(NoLessons::NoClasses(task).into()),
    };
    let mut is_held_out = vec![false; examples.items.len()];
    let held = match validation {
        Some(mut validation) => {
            take_labels(&mut validation, &examples.labels)?;
            Some(validation)
        }
        None if plan.held_out > 0.0 => {
            is_held_out = held_out(&examples, plan.held_out, plan.settings.seed);
            Some(split_off(&mut examples, &is_held_out)).filter(|held| !held.items.is_empty())
        }
        None => None,
    };
    let goal = Goal::Classes { labels: examples.labels.clone(), programs };
    let (corpus, validation) = (corpus(&examples), held.as_ref().map(self::corpus));
    let material = Material { goal, corpus, validation, held_out: held, paths: vec![examples.path] };
    Ok((material, is_held_out))
}

fn masked(plan: &EncoderPlan, validation: Option<Examples>, watcher: &dyn Watcher) -> Result<Material, WorkError> {
    let (mut corpus, mut paths) = (Corpus::default(), Vec::new());
    let mut held = Corpus::default();
    for data in &plan.data {
        let examples = read_examples(data, watcher)?;
        let share = if validation.is_some() { 0.0 } else { plan.held_out };
        let is_held_out = held_out(&examples, share, plan.settings.seed);
        // A program of several examples is held out with the first of them.
        let mut is_program_held_out = vec![None; examples.programs.len()];
        for (example, is_held_out) in examples.items.iter().zip(is_held_out) {
            for program in example.question.programs() {
                is_program_held_out[program].get_or_insert(is_held_out);
            }
        }
        for (program, is_held_out) in examples.programs.into_iter().zip(is_program_held_out) {
            let part = if is_held_out == Some(true) { &mut held } else { &mut corpus };
            part.programs.push(program.code);
        }
        paths.push(examples.path);
    }
    if let Some(examples) = validation {
        held.programs = examples.programs.into_iter().map(|program| program.code).collect();
    }
    let validation = Some(held).filter(|held| !held.programs.is_empty());
    Ok(Material { goal: Goal::Masked, corpus, validation, held_out: None, paths })
}

fn pairs(
    plan: &EncoderPlan,
    goal: Goal,
    validation: Option<Examples>,
    watcher: &dyn Watcher,
) -> Result<Material, WorkError> {
    let [data] = &plan.data[..] else {
        return Err(NoLessons::SeveralDataSets(plan.data.len()).into());
    };
    let matches = if goal == Goal::Search { matches } else { captions };
    let mut examples = read_examples(data, watcher)?;
    let mut held = validation;
    if held.is_none() && plan.held_out > 0.0 {
        let is_held_out = held_out(&examples, plan.held_out, plan.settings.seed);
        held = Some(split_off(&mut examples, &is_held_out)).filter(|held| !held.items.is_empty());
    }
    let own = matches(&examples);
    if own.examples.is_empty() {
        let task = examples.task.name();
        let problem = if goal == Goal::Search { NoLessons::NoMatches(task) } else { NoLessons::NoTexts(task) };
        return Err(problem.into());
    }
    let validation = held.as_ref().map(matches).filter(|own| !own.examples.is_empty());
    Ok(Material { goal, corpus: own, validation, held_out: held, paths: vec![examples.path] })
}

/// The texts and programs that belong together. A text is a program of its language here, as it is when a model is asked for its vector.
fn matches(examples: &Examples) -> Corpus {
    let mut corpus = Corpus::default();
    for example in &examples.items {
        let Question::CodeAndText(program, text) = &example.question else { continue };
        if example.truth == Truth::Class(1) {
            let code = &examples.programs[*program].code;
            let place = corpus.programs.len();
            corpus.programs.extend([Code { language: code.language, text: text.clone() }, code.clone()]);
            corpus.examples.push((vec![place, place + 1], 0));
        }
    }
    corpus
}

/// The texts that are to be written, and the programs that they are about.
fn captions(examples: &Examples) -> Corpus {
    let mut corpus = Corpus::default();
    for example in &examples.items {
        let (Question::Code(program), Truth::Text(text)) = (&example.question, &example.truth) else { continue };
        let code = &examples.programs[*program].code;
        let place = corpus.programs.len();
        corpus.programs.extend([Code { language: code.language, text: text.clone() }, code.clone()]);
        corpus.examples.push((vec![place, place + 1], 0));
    }
    corpus
}

/// Takes some examples out.
pub(crate) fn split_off(examples: &mut Examples, is_taken: &[bool]) -> Examples {
    let (mut taken, mut kept) = (Vec::new(), Vec::new());
    for (item, is_taken) in std::mem::take(&mut examples.items).into_iter().zip(is_taken) {
        if *is_taken { taken.push(item) } else { kept.push(item) }
    }
    examples.items = kept;
    Examples {
        path: examples.path.clone(),
        layout: examples.layout,
        task: examples.task,
        labels: examples.labels.clone(),
        labels_are_names: examples.labels_are_names,
        labels_are_given: examples.labels_are_given,
        programs: examples.programs.clone(),
        items: taken,
        language: examples.language.clone(),
        rows: examples.rows,
        extent: examples.extent.clone(),
        broken: examples.broken.clone(),
        notes: Vec::new(),
        warnings: Vec::new(),
    }
}

/// Gives the examples of a validation the classes of the training. A label that nothing is learned about is an error.
fn take_labels(validation: &mut Examples, labels: &[String]) -> Result<(), NoLessons> {
    for example in &mut validation.items {
        if let Truth::Class(class) = &mut example.truth {
            let label = &validation.labels[*class];
            *class = labels
                .iter()
                .position(|other| other == label)
                .ok_or_else(|| NoLessons::UnknownLabel { label: label.clone(), example: example.id.clone() })?;
        }
    }
    validation.items.retain(|example| matches!(example.truth, Truth::Class(_)));
    validation.labels = labels.to_vec();
    match validation.items.is_empty() {
        true => Err(NoLessons::NoClasses(validation.task.name())),
        false => Ok(()),
    }
}

/// The programs that examples need, each once, and their classes.
fn corpus(examples: &Examples) -> Corpus {
    let mut places = vec![None; examples.programs.len()];
    let mut corpus = Corpus::default();
    for example in &examples.items {
        let Truth::Class(class) = example.truth else { continue };
        let mut own = Vec::new();
        for program in example.question.programs() {
            let place = *places[program].get_or_insert_with(|| {
                corpus.programs.push(examples.programs[program].code.clone());
                corpus.programs.len() - 1
            });
            own.push(place);
        }
        corpus.examples.push((own, class));
    }
    corpus
}

fn training_plan(plan: &EncoderPlan, goal: Goal, corpus: &Corpus) -> Result<TrainingPlan, WorkError> {
    let variants = plan.variants.as_ref().map(|variants| variants.variants(&corpus.programs)).transpose()?;
    Ok(TrainingPlan {
        goal,
        base: plan.base.clone(),
        settings: plan.settings.clone(),
        device: plan.device,
        stop_after: plan.stop_after,
        variants,
        teaching: None,
    })
}

/// Tells a watcher what the training tells.
pub(super) fn hear(watcher: &dyn Watcher, news: &News) {
    match news {
        News::Note(note) => watcher.tell(Event::Note(note.clone())),
        News::Stage(stage) => watcher.tell(Event::Stage(stage, None)),
        News::Step { step, fraction, loss, tokens_per_second, seconds_left } => {
            let mut status = format!("step {step}, {:.0} %", 100.0 * fraction);
            status.extend(loss.map(|loss| format!(", loss {loss:.3}")));
            status.extend(tokens_per_second.map(|speed| format!(", {speed:.0} tokens/s")));
            status.extend(seconds_left.map(|seconds| format!(", {} left", duration(seconds))));
            watcher.tell(Event::Status(status));
        }
        News::Evaluating { step, examples } => {
            watcher.tell(Event::Status(format!("step {step}, evaluating {examples} examples")));
        }
        News::Evaluated { step, score, is_best } => {
            let best = if *is_best { ", the best so far" } else { "" };
            let (accuracy, loss) = (100.0 * score.accuracy, score.loss);
            watcher.tell(Event::Note(format!("step {step}: accuracy {accuracy:.2} %, loss {loss:.4}{best}")));
        }
        _ => (),
    }
}

/// A time in words.
pub fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 90.0 => format!("{seconds:.0} s"),
        seconds if seconds < 5400.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::Request;

    fn read(name: &str, rows: &[(&str, &str)]) -> Examples {
        let path = std::env::temp_dir().join(format!("allotrope-encoder-{name}-{}.jsonl", std::process::id()));
        let row = |(label, code): &(&str, &str)| serde_json::json!({"label": label, "code": code}).to_string() + "\n";
        std::fs::write(&path, rows.iter().map(row).collect::<String>()).unwrap();
        let request = Request { path: path.clone(), language: Some(syntax::Language::C), ..Request::default() };
        let examples = Examples::read(&request).unwrap();
        std::fs::remove_file(path).unwrap();
        examples
    }

    #[test]
    fn labels_of_a_validation_are_those_of_the_training() {
        let mut validation = read("labels", &[("b", "int x;"), ("c", "int y;")]);
        let labels = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let problem = take_labels(&mut validation, &labels(&["a", "b"])).unwrap_err().to_string();
        assert!(problem.contains("`c`"), "{problem}");
        let mut validation = read("labels", &[("b", "int x;"), ("c", "int y;")]);
        take_labels(&mut validation, &labels(&["a", "b", "c"])).unwrap();
        let classes: Vec<&Truth> = validation.items.iter().map(|item| &item.truth).collect();
        assert_eq!(classes, [&Truth::Class(1), &Truth::Class(2)]);
    }

    #[test]
    fn a_corpus_has_every_program_once() {
        let mut examples = read("corpus", &[("a", "int x;"), ("b", "int y;"), ("a", "int z;")]);
        let held = split_off(&mut examples, &[false, true, false]);
        assert_eq!((held.items.len(), examples.items.len()), (1, 2));
        let own = corpus(&examples);
        assert_eq!(own.examples, [(vec![0], 0), (vec![1], 0)]);
        assert_eq!(own.programs[1].text, "int z;");
        assert_eq!(corpus(&held).programs[0].text, "int y;");
        examples.items[0].question = Question::Pair(0, 2);
        examples.items[1].question = Question::Pair(2, 0);
        assert_eq!(corpus(&examples).examples, [(vec![0, 1], 0), (vec![1, 0], 0)]);
    }
}
