//! Training encoders: from texts and classes to a folder that any reader of transformers' checkpoints opens.
//!
//! A training is resumed by doing the same again. On a processor the result has the same bits, however often it was stopped, and on any
//! number of threads.

mod batches;
pub mod checkpoints;
mod course;
mod device;
pub(crate) mod durable;
mod estimate;
mod folder;
mod learner;
mod lessons;
pub mod methods;
mod metrics;
pub mod paths;
mod resume;
pub mod sequences;
mod start;
mod t5;
mod teaching;
pub mod tokenizer;

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use model::huggingface::checkpoint::Checkpoint;
use model::huggingface::roberta::PositionKind;
use model::huggingface::tokens::Vocabulary;
use model::{Code, OpenError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::compute::{Compute, ComputeError, State};
use crate::cuda::Precision;
pub use crate::network::SoftLoss;
use crate::network::t5::T5Shape;
use crate::network::{Batch, Network};
use crate::shape::{Parameter, Shape};
use checkpoints::{Best, Checkpoints, Progress, Score};
use course::Course;
pub use device::Device;
pub use estimate::{Estimate, estimate};
use learner::Curriculum;
pub use learner::{Asked, Learner};
use lessons::{Lessons, Sizes};
use metrics::Metrics;
use resume::RunFolder;
pub use resume::training_folder;
pub use teaching::{TaughtSet, TaughtStates, TaughtVariants, Teaching, seed_of_variant};

/// What is trained, and how.
#[derive(Clone, Debug)]
pub struct TrainingPlan {
    pub goal: Goal,
    pub base: Base,
    pub settings: TrainingSettings,
    pub device: Device,
    /// Stop after this time, with a checkpoint.
    pub stop_after: Option<Duration>,
    /// Variants that are learned from beside their originals, where classes are learned.
    pub variants: Option<Variants>,
    /// What a teacher says about the examples, where classes are learned from one.
    pub teaching: Option<Teaching>,
}

/// Makes a variant of a program from a seed.
pub type VariantMaker = Arc<dyn Fn(&Code, u64) -> Code + Send + Sync>;

/// Forms of programs that mean the same, drawn anew in each epoch.
#[derive(Clone)]
pub struct Variants {
    /// What they are, in words. It decides the result.
    pub recipe: String,
    /// How much it counts that a variant is answered unlike its original; 0 for variants that are examples like all others.
    pub consistency: f32,
    pub make: VariantMaker,
}

impl fmt::Debug for Variants {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Variants({}, {})", self.recipe, self.consistency)
    }
}

/// What a network learns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Which class examples have, by the names of the classes. An example has 1 or 2 programs.
    Classes { labels: Vec<String>, programs: usize },
    /// Which words stand where masks are.
    Masked,
    /// Which program a text is about: an example is a text and its program, and the programs of the others in a batch are what it is told
    /// apart from.
    Search,
    /// What to write about a program: an example is a text and its program. The number of the decoder's layers where it is not
    /// [`DECODER_LAYERS`] or that of a T5, and the most tokens of a text, the special ones at both ends included.
    Captions { layers: Option<usize>, tokens: usize },
}

/// The number of layers that a decoder after a RoBERTa encoder has by default.
pub const DECODER_LAYERS: usize = 4;

/// What a training begins with.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// An encoder and a vocabulary that know nothing.
    New(NewEncoder),
    /// A checkpoint, as `hf:DIR` or `DIR`, with the vocabulary and the settings that it has; perhaps with another limit of tokens.
    From { place: String, limit: Option<usize> },
}

/// The size of a new encoder, and how it reads texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NewEncoder {
    pub layers: usize,
    pub hidden: usize,
    pub heads: usize,
    /// The numbers between the two layers after the attention.
    pub inner: usize,
    /// The most tokens of the vocabulary.
    pub vocabulary: usize,
    /// The most tokens of a program.
    pub limit: usize,
    pub positions: PositionKind,
    pub collapse_whitespace: bool,
    pub lower_case: bool,
}

impl Default for NewEncoder {
    fn default() -> NewEncoder {
        NewEncoder {
            layers: 6,
            hidden: 384,
            heads: 6,
            inner: 1536,
            vocabulary: 8192,
            limit: 320,
            positions: PositionKind::Absolute,
            collapse_whitespace: false,
            lower_case: false,
        }
    }
}

/// How a network learns. All of it decides the result, but for how often checkpoints are written.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TrainingSettings {
    pub seed: u64,
    pub length: Length,
    /// The highest learning rate.
    pub learning_rate: f32,
    /// The number of steps over which the learning rate grows.
    pub warm_up: u64,
    /// The most tokens of a batch, padding included.
    pub batch_tokens: usize,
    /// The number of batches of a step.
    pub accumulate: usize,
    /// The shares of states, of weights of the attention, and of inputs of the head's layers that are dropped.
    pub dropout: f32,
    pub attention_dropout: f32,
    pub head_dropout: f32,
    pub first_decay: f32,
    pub second_decay: f32,
    pub epsilon: f32,
    pub weight_decay: f32,
    /// The gradient is cut to this length.
    pub clip: f32,
    /// The number of steps between evaluations; without it the network is evaluated after every epoch.
    pub evaluate_every: Option<u64>,
    /// The training ends after this number of evaluations in a row that are not better than the best.
    pub patience: Option<u64>,
    /// The number of steps between two lines of the metrics.
    pub log_every: u64,
    #[serde(skip)]
    pub checkpoint_every: u64,
    /// Are the weights of the finished model written with 16 bits?
    pub half: bool,
}

impl Default for TrainingSettings {
    fn default() -> TrainingSettings {
        TrainingSettings {
            seed: 0,
            length: Length::Epochs(10),
            learning_rate: 4e-4,
            warm_up: 200,
            batch_tokens: 16_384,
            accumulate: 1,
            dropout: 0.1,
            attention_dropout: 0.1,
            head_dropout: 0.1,
            first_decay: 0.9,
            second_decay: 0.98,
            epsilon: 1e-8,
            weight_decay: 0.01,
            clip: 1.0,
            evaluate_every: None,
            patience: None,
            log_every: 50,
            checkpoint_every: 500,
            half: false,
        }
    }
}

/// How long a training is; the learning rate falls over all of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Length {
    Steps(u64),
    Epochs(u64),
    /// Of work, over all pieces of it.
    Minutes(f64),
}

/// Programs to learn from.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// The programs, each once.
    pub programs: Vec<Code>,
    /// For every example the places of its programs, and its class. Masks need no examples: every program is one.
    pub examples: Vec<(Vec<usize>, usize)>,
}

/// Follows a training, and may stop it.
pub struct Observer<'o> {
    /// A training that finds it set writes a checkpoint and stops.
    pub stop: &'o AtomicBool,
    pub tell: &'o (dyn Fn(News) + Sync),
}

/// What an observer hears.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum News {
    /// Something that the user should know.
    Note(String),
    /// What is done now.
    Stage(&'static str),
    /// How far the training is.
    Step {
        step: u64,
        fraction: f64,
        loss: Option<f64>,
        tokens_per_second: Option<f64>,
        seconds_left: Option<f64>,
    },
    Evaluating {
        step: u64,
        examples: usize,
    },
    Evaluated {
        step: u64,
        score: Score,
        is_best: bool,
    },
}

/// What a training came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainedEncoder {
    pub parameters: usize,
    pub steps: u64,
    pub epochs: u64,
    /// How many tokens the network has read.
    pub tokens: u64,
    /// How long all pieces took.
    pub seconds: f64,
    /// The loss of the last line of the metrics.
    pub loss: Option<f64>,
    /// The evaluation of the weights that were kept; none without validation, and then the last are kept.
    pub best: Option<Best>,
}

/// Trains an encoder and writes it to a folder, or resumes what was begun there.
pub fn train(
    plan: &TrainingPlan,
    corpus: &Corpus,
    validation: Option<&Corpus>,
    output: &Path,
    observer: &Observer<'_>,
) -> Result<TrainedEncoder, TrainingError> {
    check(plan, corpus, validation)?;
    if let Base::From { place, .. } = &plan.base
        && !output.join("training").is_dir()
    {
        // What is missing is told before a folder is made; a training that was begun no longer needs it.
        start::open_source(place)?;
    }
    let run = RunFolder::open(output, &described(plan))?;
    if !run.has_skeleton() {
        (observer.tell)(News::Stage("preparing"));
        folder::write_skeleton(plan, corpus, output, observer)?;
    }
    (observer.tell)(News::Stage("reading programs"));
    let checkpoint = folder::open_skeleton(output)?;
    let family = Family::read(&checkpoint, &plan.goal)?.taught(plan.teaching.as_ref())?;
    let vocabulary = Vocabulary::read(&checkpoint, family.longest(&checkpoint)?)?;
    let lessons = |corpus: &Corpus| lessons_of(plan, &family, &checkpoint, &vocabulary, corpus);
    let (lessons, validation) = (lessons(corpus)?, validation.map(lessons).transpose()?);
    let lessons = lessons.with_variants(plan.variants.as_ref(), &corpus.programs).with_teaching(plan.teaching.as_ref());
    run.check_data(&lessons, validation.as_ref())?;
    if let (Goal::Captions { tokens, .. }, true) = (&plan.goal, lessons.shortened > 0) {
        let (shortened, all) = (lessons.shortened, lessons.count());
        (observer.tell)(News::Note(format!("{shortened} of {all} texts are cut: they have more than {tokens} tokens")));
    }
    let material = Material { output, run: &run, lessons: &lessons, validation: validation.as_ref(), observer };
    match family {
        Family::Roberta(shape) => {
            let parameters = folder::as_written(&plan.goal, &shape.layout());
            material.learn(plan, shape, &parameters, || start::state(plan, &shape, observer))
        }
        Family::T5(shape) => {
            let parameters = t5::as_written(&plan.goal, &shape.layout());
            material.learn(plan, shape, &parameters, || t5::state(plan, &shape, observer))
        }
    }
}

/// The architectures that learn from sequences of tokens.
enum Family {
    Roberta(Shape),
    T5(T5Shape),
}

impl Family {
    /// The network that a configuration describes, with the head that the goal needs.
    fn read(checkpoint: &Checkpoint, goal: &Goal) -> Result<Family, TrainingError> {
        Ok(match t5::is_t5(&checkpoint.config)? {
            true => Family::T5(t5::shape(checkpoint, goal)?),
            false => Family::Roberta(start::shape(checkpoint, goal)?),
        })
    }

    /// The same network, with what it needs to be pulled to a teacher's states.
    fn taught(self, teaching: Option<&Teaching>) -> Result<Family, TrainingError> {
        match (self, teaching.and_then(|teaching| teaching.states.as_ref())) {
            (family, None) => Ok(family),
            (Family::Roberta(shape), Some(states)) => {
                Ok(Family::Roberta(Shape { taught: Some(states.width), ..shape }))
            }
            (Family::T5(_), Some(_)) => {
                let problem =
                    "a T5 has no state of a whole program that could be pulled to a teacher's: take a RoBERTa encoder";
                Err(TrainingError::Unfit(problem.to_owned()))
            }
        }
    }

    /// The most tokens of a sequence, where the network counts positions.
    fn longest(&self, checkpoint: &Checkpoint) -> Result<Option<usize>, TrainingError> {
        let Family::Roberta(shape) = self else { return Ok(None) };
        let pad = checkpoint.config.number_or("pad_token_id", 1)?;
        Ok(Some(shape.dimensions.positions.saturating_sub(pad + 1)))
    }
}

/// What a network learns from, and where.
struct Material<'m> {
    output: &'m Path,
    run: &'m RunFolder,
    lessons: &'m Lessons<'m>,
    validation: Option<&'m Lessons<'m>>,
    observer: &'m Observer<'m>,
}

impl Material<'_> {
    fn learn<Plan: Blueprint<Batch = Batch>>(
        &self,
        plan: &TrainingPlan,
        blueprint: Plan,
        parameters: &[Parameter],
        begin: impl FnOnce() -> Result<State, TrainingError>,
    ) -> Result<TrainedEncoder, TrainingError> {
        let Material { output, run, lessons, validation, observer } = *self;
        let settings = &plan.settings;
        let (device, stop_after) = (plan.device, plan.stop_after);
        let ready = Ready { output, run, settings, device, stop_after, lessons, validation, blueprint, observer };
        complete(&ready, begin, |weights| folder::write_weights(output, parameters, weights, settings.half))
    }
}

/// Everything that decides the result.
fn described(plan: &TrainingPlan) -> Value {
    let goal = match &plan.goal {
        Goal::Classes { labels, programs } => json!({"classes": labels, "programs": programs}),
        Goal::Masked => json!("masked words"),
        Goal::Search => json!("search"),
        Goal::Captions { layers, tokens } => {
            json!({"captions": {"layers": layers.unwrap_or(DECODER_LAYERS), "tokens": tokens}})
        }
    };
    let base = match &plan.base {
        Base::New(encoder) => json!(encoder),
        Base::From { place, limit } => json!({"from": place, "limit": limit}),
    };
    let mut described = json!({"goal": goal, "encoder": base, "settings": plan.settings, "device": plan.device.name()});
    if let Some(variants) = &plan.variants {
        described["variants"] = json!({"recipe": variants.recipe, "consistency": variants.consistency});
    }
    if let Some(teaching) = &plan.teaching {
        described["teaching"] = teaching.described();
    }
    described
}

/// A training of which all is read.
struct Ready<'r, Lessons, Plan> {
    output: &'r Path,
    run: &'r RunFolder,
    settings: &'r TrainingSettings,
    device: Device,
    stop_after: Option<Duration>,
    lessons: &'r Lessons,
    validation: Option<&'r Lessons>,
    blueprint: Plan,
    observer: &'r Observer<'r>,
}

/// What a network is built from when a device is there.
trait Blueprint: Copy {
    type Batch: Asked;
    type Network<C: Compute>: Learner<Device = C, Batch = Self::Batch>;

    /// The numbers between layers on a GPU.
    const ON_GPU: Precision = Precision::Half;

    /// How many numbers the parameters have, with the gaps between them and without.
    fn parameters(self) -> (usize, usize);

    fn build<C: Compute>(self, compute: C) -> Self::Network<C>;
}

impl Blueprint for Shape {
    type Batch = Batch;
    type Network<C: Compute> = Network<C>;

    fn parameters(self) -> (usize, usize) {
        let layout = self.layout();
        (layout.count, layout.learned())
    }

    fn build<C: Compute>(self, compute: C) -> Network<C> {
        Network::new(self, compute)
    }
}

/// Trains from the beginning or from the last checkpoint on until it is done, and writes the weights that are kept.
fn complete<Lessons: Curriculum, Plan: Blueprint<Batch = Lessons::Batch>>(
    ready: &Ready<'_, Lessons, Plan>,
    begin: impl FnOnce() -> Result<State, TrainingError>,
    write: impl FnOnce(&[f32]) -> Result<(), TrainingError>,
) -> Result<TrainedEncoder, TrainingError> {
    let Ready { run, observer, .. } = *ready;
    if let Some(trained) = run.finished()? {
        (observer.tell)(News::Note(format!("{} is trained already", ready.output.display())));
        return Ok(trained);
    }
    let checkpoints = Checkpoints::new(run.folder());
    let resumed = checkpoints.last()?;
    let is_resumed = resumed.is_some();
    let (progress, state) = match resumed {
        Some((progress, state)) => {
            (observer.tell)(News::Note(format!("resumed from the checkpoint of step {}", progress.step)));
            (progress, state)
        }
        None => (Progress::default(), begin()?),
    };
    let (room, learned) = ready.blueprint.parameters();
    if state.weights.len() != room {
        return Err(TrainingError::Differs(vec![format!(
            "the checkpoint has room for {} parameters, and config.json says {}",
            state.weights.len(),
            room
        )]));
    }
    let mut metrics = Metrics::open(&ready.output.join("metrics.jsonl"), progress.metrics_bytes)?;
    let course = Course {
        settings: ready.settings,
        lessons: ready.lessons,
        validation: ready.validation,
        checkpoints: &checkpoints,
        observer,
        stop_after: ready.stop_after,
    };
    (observer.tell)(News::Stage("training"));
    let work = Steps { course: &course, blueprint: ready.blueprint, progress, metrics: &mut metrics, is_resumed };
    let progress = device::compute(ready.device, state, work)?;
    let weights = match progress.best {
        Some(best) => checkpoints.best(best.step)?,
        None => checkpoints.last()?.map(|(_, state)| state.weights).unwrap_or_default(),
    };
    write(&weights)?;
    let trained = TrainedEncoder {
        parameters: learned,
        steps: progress.step,
        epochs: progress.epoch,
        tokens: progress.tokens,
        seconds: progress.seconds,
        loss: progress.last_loss,
        best: progress.best,
    };
    run.finish(&trained)?;
    checkpoints.clear()?;
    Ok(trained)
}

/// The steps of a training.
struct Steps<'s, Lessons, Plan> {
    course: &'s Course<'s, Lessons>,
    blueprint: Plan,
    progress: Progress,
    metrics: &'s mut Metrics,
    is_resumed: bool,
}

impl<Lessons: Curriculum, Plan: Blueprint<Batch = Lessons::Batch>> device::Work for Steps<'_, Lessons, Plan> {
    type Made = Progress;
    const ON_GPU: Precision = Plan::ON_GPU;

    fn run<C: Compute>(self, compute: C) -> Result<Progress, TrainingError> {
        self.course.run(self.blueprint.build(compute), self.progress, self.metrics, self.is_resumed)
    }
}

fn lessons_of<'v>(
    plan: &TrainingPlan,
    family: &Family,
    checkpoint: &Checkpoint,
    vocabulary: &'v Vocabulary,
    corpus: &Corpus,
) -> Result<Lessons<'v>, TrainingError> {
    let words = checkpoint.config.number("vocab_size")?;
    let sizes = match family {
        Family::Roberta(shape) => Sizes { positions: shape.dimensions.positions, vocabulary: words, start: None },
        // T5 knows distances, and no positions.
        Family::T5(shape) => Sizes { positions: usize::MAX, vocabulary: words, start: Some(shape.start) },
    };
    if let (Family::T5(shape), Goal::Classes { .. }) = (family, &plan.goal)
        && vocabulary.ends().1 != shape.end
    {
        let (place, end) = (checkpoint.config.place(), shape.end);
        let problem = format!(
            "{place}: the head answers at the end token, number {end}, which the vocabulary does not put at the end of a program: \
             see `special-tokens` in allotrope.toml"
        );
        return Err(TrainingError::Unfit(problem));
    }
    if let Goal::Captions { tokens, .. } = plan.goal
        && tokens >= sizes.positions
    {
        let (room, place) = (sizes.positions.saturating_sub(1), checkpoint.config.place());
        let problem = format!(
            "{place}: the model has positions for texts of {room} tokens, fewer than {tokens}: take shorter texts"
        );
        return Err(TrainingError::Unfit(problem));
    }
    let lessons = Lessons::new(corpus, &plan.goal, vocabulary, checkpoint.settings.data_flow, sizes)?;
    match lessons.count() {
        0 => Err(TrainingError::Nothing),
        _ => Ok(lessons),
    }
}

/// Refuses what cannot be trained before any work is done.
fn check(plan: &TrainingPlan, corpus: &Corpus, validation: Option<&Corpus>) -> Result<(), TrainingError> {
    let unfit = |problem: String| Err(TrainingError::Unfit(problem));
    if let Base::New(encoder) = &plan.base {
        if encoder.heads == 0 || encoder.hidden == 0 || !encoder.hidden.is_multiple_of(encoder.heads) {
            return unfit(format!("{} numbers a state are not divisible by {} heads", encoder.hidden, encoder.heads));
        }
        if encoder.layers == 0 || encoder.inner == 0 {
            return unfit("an encoder has at least one layer, and numbers between its two parts".to_owned());
        }
        if encoder.vocabulary < tokenizer::FEWEST {
            return unfit(format!("a byte-level vocabulary has at least {} tokens", tokenizer::FEWEST));
        }
        if encoder.limit < 8 {
            return unfit("a program has at least 8 tokens, the special ones included".to_owned());
        }
    }
    check_settings(&plan.settings, validation.is_some())?;
    if let Some(variants) = &plan.variants {
        if !matches!(plan.goal, Goal::Classes { .. }) {
            return unfit("only classes are learned from variants".to_owned());
        }
        if !(variants.consistency >= 0.0 && variants.consistency.is_finite()) {
            return unfit("how much consistency counts is a number from 0".to_owned());
        }
    }
    if let Some(teaching) = &plan.teaching {
        teaching.check(plan, corpus)?;
    }
    match &plan.goal {
        Goal::Masked if corpus.programs.is_empty() => Err(TrainingError::Nothing),
        Goal::Masked => Ok(()),
        Goal::Classes { .. } | Goal::Search | Goal::Captions { .. } if corpus.examples.is_empty() => {
            Err(TrainingError::Nothing)
        }
        Goal::Captions { layers: Some(0), .. } => unfit("a decoder has at least one layer".to_owned()),
        Goal::Captions { tokens: 0..3, .. } => {
            unfit("a text has at least 3 tokens: one between the special ones at its ends".to_owned())
        }
        Goal::Search | Goal::Captions { .. } => Ok(()),
        Goal::Classes { labels, programs } => {
            for (own, class) in corpus.examples.iter().chain(validation.into_iter().flat_map(|own| &own.examples)) {
                if own.len() != *programs || *class >= labels.len() {
                    return unfit(format!("an example of {} programs has the class {class}", own.len()));
                }
            }
            if plan.teaching.is_some() {
                // A teacher knows classes that no example has.
                return Ok(());
            }
            let learned: HashSet<usize> = corpus.examples.iter().map(|(_, class)| *class).collect();
            let empty = labels.iter().enumerate().filter(|(class, _)| !learned.contains(class));
            let empty: Vec<&str> = empty.map(|(_, label)| label.as_str()).collect();
            match empty.is_empty() {
                true => Ok(()),
                false => Err(TrainingError::EmptyClasses(empty.join(", "))),
            }
        }
    }
}

/// Refuses settings with which nothing can be trained.
fn check_settings(settings: &TrainingSettings, is_validated: bool) -> Result<(), TrainingError> {
    let unfit = |problem: &str| Err(TrainingError::Unfit(problem.to_owned()));
    let is_rate = |rate: f32| (0.0..1.0).contains(&rate);
    if ![settings.dropout, settings.attention_dropout, settings.head_dropout].into_iter().all(is_rate) {
        return unfit("a dropout rate is a number from 0 to below 1");
    }
    let is_positive = |number: f32| number > 0.0 && number.is_finite();
    if !is_positive(settings.learning_rate) || !is_positive(settings.clip) || !is_positive(settings.epsilon) {
        return unfit("the learning rate, the longest gradient and epsilon are numbers above 0");
    }
    let counts = [settings.accumulate as u64, settings.log_every, settings.checkpoint_every];
    let is_long = match settings.length {
        Length::Steps(count) | Length::Epochs(count) => count > 0,
        Length::Minutes(minutes) => minutes > 0.0 && minutes.is_finite(),
    };
    if counts.contains(&0) || settings.evaluate_every == Some(0) || settings.patience == Some(0) || !is_long {
        return unfit("steps, epochs, minutes and how often something is done are at least 1");
    }
    if settings.patience.is_some() && !is_validated {
        return unfit("without examples to evaluate the network on there is nothing to be patient about");
    }
    Ok(())
}

/// Why a training ended before it was done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainingError {
    #[error("{0}")]
    Unfit(String),
    #[error("there is nothing to learn from")]
    Nothing,
    #[error("no example to learn from has the class {0}: leave the class out, or hold out fewer examples")]
    EmptyClasses(String),
    #[error("the vocabulary has no token `<mask>` or no words beside special tokens, so that nothing can be masked")]
    NoMask,
    #[error("a program has {tokens} tokens, and the model has {positions} positions: set a lower limit of tokens")]
    TooLong { tokens: usize, positions: usize },
    #[error("a program cannot be turned into tokens: {0}")]
    Tokens(String),
    #[error("failed to learn a vocabulary: {0}")]
    Vocabulary(String),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Compute(#[from] ComputeError),
    #[error("failed to read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("failed to write {}: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
    #[error("failed to write {}: {source}; {}", path.display(), last_good(*last))]
    Unsaved { path: PathBuf, last: Option<u64>, source: std::io::Error },
    #[error("failed to read {}: {problem}; {remedy}", path.display())]
    Damaged { path: PathBuf, problem: String, remedy: String },
    #[error("{} is not empty, and what is there was not begun by this command: name another folder", .0.display())]
    NotEmpty(PathBuf),
    #[error("another process trains in {}: wait for it, or name another folder", .0.display())]
    Locked(PathBuf),
    #[error("what was begun there differs from this command, so it cannot be resumed: {}; name another folder, or say the same", .0.join("; "))]
    Differs(Vec<String>),
    #[error(
        "the loss is not a finite number at step {step}; {}. Try a lower learning rate or a longer warm-up in another folder",
        last_good(*last)
    )]
    NotFinite { step: u64, last: Option<u64> },
    #[error("stopped at step {step}, {percent} % of the training, and saved; the same command resumes it")]
    Stopped { step: u64, percent: u32 },
}

fn last_good(step: Option<u64>) -> String {
    match step {
        Some(step) => format!("the checkpoint of step {step} is complete"),
        None => "there is no checkpoint yet".to_owned(),
    }
}
