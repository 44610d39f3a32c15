//! Shapes that are trained shortly and judged, and how long a forward pass takes.

use std::path::{Path, PathBuf};
use std::time::Instant;

use model::huggingface::roberta::{Sequence, Wanted};
use model::{Input, Model, Prediction};
use random::{Random, seed_of};
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use training::compute::State;
use training::network::Network;
use training::processor::Processor;
use training::train::{Base, NewEncoder, TrainingError, seed_of_variant};

use super::TrialPlan;
use super::space::{Answers, Candidate, Cost};
use crate::data::{DataError, write_file};
use crate::distil::{self, DistilPlan};
use crate::examples::{Examples, Question, Truth};
use crate::plan::PlanError;
use crate::recording::record;
use crate::train::NoLessons;
use crate::train::encoder::{EncoderPlan, run_encoder};
use crate::train::variants::VariantsPlan;
use crate::work::{Watcher, WorkError, read_examples};

/// What shapes came to that were trained, a line each.
pub const EVALUATIONS: &str = "evaluations.jsonl";
/// How long shapes take to answer, measured once and then read.
pub const LATENCIES: &str = "latencies.jsonl";

/// What a shape came to that was trained shortly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Evaluation {
    pub shape: Candidate,
    pub cost: Cost,
    /// On how many examples it was judged.
    pub inputs: usize,
    /// The share of them that it was right about.
    pub accuracy: f64,
    /// The share of them that were answered otherwise after a metamorphic change.
    pub flips: f64,
    /// How many parameters it had: fewer than its cost says where the programs have fewer words than the vocabulary has room for.
    pub parameters: usize,
}

/// How long a forward pass of a shape takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Latency {
    pub shape: Candidate,
    pub answers: [usize; 2],
    /// The median for one input at its full length.
    pub milliseconds: f64,
}

/// Trains shapes and judges them.
pub struct Evaluator<'p> {
    plan: &'p TrialPlan,
    text: NewEncoder,
    answers: Answers,
    originals: Vec<Input>,
    variants: Vec<Input>,
    truths: Vec<usize>,
    /// The names of the classes.
    labels: Vec<String>,
}

/// What metamorphic changes are by default: what MORPH's are, new names for functions and parameters.
const RENAMES: &str = "rename-function,rename-parameter";

impl<'p> Evaluator<'p> {
    /// Reads what shapes are judged on.
    pub fn open(plan: &'p TrialPlan, watcher: &dyn Watcher) -> Result<Evaluator<'p>, WorkError> {
        let unfit = |problem: &str| PlanError::Unfit(problem.to_owned());
        let Base::New(text) = &plan.student.base else {
            return Err(
                unfit("shapes are searched for a student that is new: leave out the checkpoint to begin with").into()
            );
        };
        let Some(validation) = &plan.student.validation else {
            return Err(unfit("shapes are judged on a validation set: name one with --validation").into());
        };
        if plan.shapes == 0 || plan.judged == 0 {
            return Err(unfit("at least one shape is trained, and judged on at least one example").into());
        }
        let [data] = &plan.student.data[..] else {
            return Err(NoLessons::SeveralDataSets(plan.student.data.len()).into());
        };
        let examples = read_examples(data, watcher)?;
        let mut validation = read_examples(validation, watcher)?;
        validation.items.retain(|example| matches!(example.truth, Truth::Class(_)));
        let task = examples.task.name();
        let Some(first) = validation.items.first() else { return Err(NoLessons::NoClasses(task).into()) };
        let programs = match first.question {
            Question::Code(_) => 1,
            Question::Pair(..) => 2,
            Question::CodeAndText(..) => return Err(NoLessons::Texts(task).into()),
        };
        // A teacher may know classes that its data set does not name.
        let labels = if examples.labels.is_empty() { &validation.labels } else { &examples.labels }.clone();
        let answers = Answers { programs, classes: labels.len() };
        let seed = plan.student.settings.seed;
        let mut places: Vec<usize> = (0..validation.items.len()).collect();
        Random::new(seed_of(&[b"judged", &seed.to_le_bytes()])).shuffle(&mut places);
        places.truncate(plan.judged);
        places.sort_unstable();
        let originals: Vec<Input> = places.iter().map(|place| validation.input(&validation.items[*place])).collect();
        let renames = || VariantsPlan { transform: RENAMES.to_owned(), ..VariantsPlan::default() };
        let variants = plan.student.variants.clone().unwrap_or_else(renames);
        let make = variants.maker(validation.programs.iter().map(|program| &program.code))?;
        let changed = |(number, input): (usize, &Input)| {
            let seed = seed_of_variant(seed, number);
            match input {
                Input::Code(code) => Input::Code(make(code, seed)),
                Input::Pair(one, other) => Input::Pair(make(one, seed), make(other, seed)),
                Input::CodeAndText(code, text) => Input::CodeAndText(make(code, seed), text.clone()),
            }
        };
        let variants: Vec<Input> = originals.par_iter().enumerate().map(changed).collect();
        let truths = truths(&validation, &places, &labels)?;
        Ok(Evaluator { plan, text: text.clone(), answers, originals, variants, truths, labels })
    }

    /// Whose answers shapes learn from.
    pub fn answers(&self) -> Answers {
        self.answers
    }

    /// How many shapes are trained at most.
    pub fn shapes(&self) -> usize {
        self.plan.shapes
    }

    /// Asks the teacher once about everything that shapes learn from.
    pub fn prepare(&self, folder: &Path, watcher: &dyn Watcher) -> Result<(), WorkError> {
        if let (Some(teacher), [data]) = (&self.plan.teacher, &self.plan.student.data[..]) {
            record(teacher, data, &folder.join("teacher.jsonl"), watcher)?;
        }
        Ok(())
    }

    /// Trains a shape, judges it and measures its latency. What is trained stays until it is recorded.
    pub fn evaluate(
        &self,
        shape: &Candidate,
        cost: Cost,
        folder: &Path,
        watcher: &dyn Watcher,
    ) -> Result<Evaluation, WorkError> {
        let place = place_of(shape, folder);
        let student = EncoderPlan { base: Base::New(shape.encoder(&self.text)), ..self.plan.student.clone() };
        let trained = match &self.plan.teacher {
            None => run_encoder(&student, &place, watcher)?,
            Some(_) => {
                let teacher = format!("recorded:{}", folder.join("teacher.jsonl").display());
                distil::run(&DistilPlan::new(teacher, student), &place, watcher)?.student
            }
        };
        let before = classes(trained.model.as_ref(), &self.originals)?;
        let after = classes(trained.model.as_ref(), &self.variants)?;
        let share = |count: usize| count as f64 / self.truths.len().max(1) as f64;
        // The classes of the model are named, since it may know them in another order.
        let order = trained.model.labels().map(<[String]>::to_vec).unwrap_or_else(|| self.labels.clone());
        let is_right = |(class, truth): (&Option<usize>, &usize)| {
            class.is_some_and(|class| order.get(class) == self.labels.get(*truth))
        };
        let right = before.iter().zip(&self.truths).filter(|pair| is_right(*pair)).count();
        let flipped = before.iter().zip(&after).filter(|(before, after)| before != after).count();
        let parameters = trained.trained.parameters;
        drop(trained);
        latency(shape, self.answers, folder)?;
        let (accuracy, flips) = (share(right), share(flipped));
        Ok(Evaluation { shape: *shape, cost, inputs: self.truths.len(), accuracy, flips, parameters })
    }
}

/// Where a shape is trained. A kill leaves a training, which goes on where it is that of the same shape.
fn place_of(shape: &Candidate, folder: &Path) -> PathBuf {
    folder.join("trained").join(format!("{:013x}", seed_of(&[shape.options().as_bytes()])))
}

/// Removes what was trained of a shape that is recorded, if it is there.
pub fn clear(shape: &Candidate, folder: &Path) -> Result<(), WorkError> {
    let path = place_of(shape, folder);
    match std::fs::remove_dir_all(&path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(TrainingError::Unwritable { path, source }.into())
        }
        _ => Ok(()),
    }
}

/// The classes of some examples, by the order of labels.
fn truths(examples: &Examples, places: &[usize], labels: &[String]) -> Result<Vec<usize>, WorkError> {
    let truth = |place: &usize| {
        let example = &examples.items[*place];
        let Truth::Class(class) = example.truth else { return Ok(0) };
        let label = &examples.labels[class];
        let unknown = || NoLessons::UnknownLabel { label: label.clone(), example: example.id.clone() };
        labels.iter().position(|own| own == label).ok_or_else(unknown)
    };
    Ok(places.iter().map(truth).collect::<Result<_, NoLessons>>()?)
}

/// The class that a model finds most probable, of each input; none where it has no answer.
fn classes(model: &dyn Model, inputs: &[Input]) -> Result<Vec<Option<usize>>, WorkError> {
    let mut classes = Vec::new();
    for some in inputs.chunks(model.together().max(1)) {
        for answer in model.predict(some) {
            let Ok(answer) = answer else {
                classes.push(None);
                continue;
            };
            let Prediction::Classes(shares) = answer.prediction else {
                classes.push(None);
                continue;
            };
            let best = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            classes.push(shares.iter().position(|share| *share == best));
        }
    }
    Ok(classes)
}

/// How often a forward pass is timed.
const TIMES: usize = 3;

/// The milliseconds of one input, from the run's folder or measured now on the processor with weights that mean nothing.
pub fn latency(shape: &Candidate, answers: Answers, folder: &Path) -> Result<f64, WorkError> {
    let path = folder.join(LATENCIES);
    let mut known: Vec<Latency> = lines(&path)?;
    let answers = [answers.programs, answers.classes];
    if let Some(own) = known.iter().find(|own| own.shape == *shape && own.answers == answers) {
        return Ok(own.milliseconds);
    }
    let network = shape.shape(Answers { programs: answers[0], classes: answers[1] });
    let count = network.layout().count;
    // Small numbers of both signs: zeros would be as fast, and numbers that grow would not.
    let weights = (0..count).map(|place| ((place * 7919) % 401) as f32 / 10_000.0 - 0.02).collect();
    let state = State { weights, ..State::default() };
    let network = Network::new(network, Processor::new(state));
    let (tokens, length) = (shape.limit as u32, shape.limit);
    let sequence = Sequence {
        ids: (0..tokens).map(|place| place % shape.vocabulary as u32).collect(),
        positions: (0..tokens).map(|place| place + 2).collect(),
        graph: None,
    };
    let sequences = vec![&sequence; answers[0]];
    let mut times = Vec::new();
    // The first pass is not counted.
    for _ in 0..=TIMES {
        let began = Instant::now();
        let padded = network.padded(length);
        network.states(&sequences, padded, sequences.len(), Wanted::First).map_err(TrainingError::from)?;
        times.push(1e3 * began.elapsed().as_secs_f64());
    }
    times.remove(0);
    times.sort_by(f64::total_cmp);
    let milliseconds = times[TIMES / 2];
    known.push(Latency { shape: *shape, answers, milliseconds });
    write_lines(&path, &known)?;
    Ok(milliseconds)
}

/// The evaluations of a run.
pub fn read(folder: &Path) -> Result<Vec<Evaluation>, WorkError> {
    lines(&folder.join(EVALUATIONS))
}

/// Writes the evaluations of a run.
pub fn write(folder: &Path, evaluations: &[Evaluation]) -> Result<(), WorkError> {
    write_lines(&folder.join(EVALUATIONS), evaluations)
}

/// What the lines of a file say; nothing of a file that is not there.
pub fn lines<Line: DeserializeOwned>(path: &Path) -> Result<Vec<Line>, WorkError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(DataError::Unreadable { path: path.to_owned(), source }.into()),
    };
    let line = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| DataError::Unfit {
            place: format!("{}, line {}", path.display(), number + 1),
            problem: error.to_string(),
        })
    };
    Ok(text.lines().enumerate().map(line).collect::<Result<_, DataError>>()?)
}

fn write_lines<Line: Serialize>(path: &Path, lines: &[Line]) -> Result<(), WorkError> {
    let mut text = String::new();
    for line in lines {
        let unwritable =
            |error: serde_json::Error| DataError::Unwritable { path: path.to_owned(), source: error.into() };
        text.push_str(&serde_json::to_string(line).map_err(unwritable)?);
        text.push('\n');
    }
    Ok(write_file(path, text.as_bytes())?)
}
