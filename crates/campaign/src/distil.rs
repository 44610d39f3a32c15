//! Distillation: an encoder learns from the answers of a teacher, which any model can be.
//!
//! The teacher is queried once, before the training, on every example, and where the student is to be faithful on variants, too, on a fixed number of
//! variants of every example. Its answers are in `training/teacher.jsonl` of the student's folder, which `recorded:FILE` opens. What is stopped is
//! resumed by doing the same again, and no input is queried twice.

use std::path::Path;
use std::sync::Arc;

use model::{Code, Fault, Input, Model};
use random::seed_of;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use training::train::{
    Estimate, SoftLoss, TaughtSet, TaughtStates, TaughtVariants, Teaching, TrainingError, seed_of_variant,
    training_folder,
};

use crate::control::steered;
use crate::data::write_file;
use crate::examples::{Example, Examples, Truth};
use crate::plan::PlanError;
use crate::recording::Recording;
use crate::train::NoLessons;
use crate::train::encoder::{EncoderKind, EncoderPlan, Material, check_name, estimate_on, material_of, run_on};
use crate::train::folder::TrainedFolder;
use crate::work::{Event, STOPPED, Watcher, WorkError, open_model, read_examples};

/// What a student learns from which teacher.
#[derive(Clone, Debug)]
pub struct DistilPlan {
    /// The teacher, as KIND:WHERE.
    pub teacher: String,
    /// The student and how it is trained. The consistency of its variants is the metamorphic term.
    pub student: EncoderPlan,
    pub temperature: f64,
    pub loss: SoftLoss,
    /// How much the labels count beside the teacher, from 0 to 1.
    pub label_weight: f64,
    /// How much the teacher's answers about variants count; without it a variant has the answer to its original.
    pub faithful: Option<f64>,
    /// The number of variants of every example that a faithful student's teacher is queried on.
    pub forms: usize,
    /// How much the distance to the teacher's states counts, which only an encoder has.
    pub hidden_states: Option<f64>,
}

/// A student that was trained.
pub struct Distilled {
    pub student: TrainedFolder,
    /// How many inputs the teacher was queried on now, and not before.
    pub queried: usize,
    /// How many examples are not learned from, because the teacher has no answer.
    pub left_out: usize,
}

/// The number of variants of an example that are asked about by default.
pub const FORMS: usize = 3;

impl DistilPlan {
    /// A plan with defaults for everything else.
    pub fn new(teacher: String, student: EncoderPlan) -> DistilPlan {
        DistilPlan {
            teacher,
            student,
            temperature: 2.0,
            loss: SoftLoss::Divergence,
            label_weight: 0.0,
            faithful: None,
            forms: FORMS,
            hidden_states: None,
        }
    }

    /// Refuses what cannot be done before anything is asked.
    fn check(&self) -> Result<(), PlanError> {
        let unfit = |problem: &str| Err(PlanError::Unfit(problem.to_owned()));
        if self.faithful.is_some() && self.student.variants.is_none() {
            return unfit("a student is faithful on variants: say with --variants which");
        }
        if self.faithful.is_some() && self.forms == 0 {
            return unfit("a student is faithful on at least one variant of every example");
        }
        match self.student.kind {
            EncoderKind::Classes => Ok(()),
            _ => unfit("classes are distilled, and nothing else"),
        }
    }
}

/// Distils a student from a teacher and writes it to a folder, or resumes what was begun there.
pub fn run(plan: &DistilPlan, output: &Path, watcher: &dyn Watcher) -> Result<Distilled, WorkError> {
    plan.check()?;
    check_name(output)?;
    steered(output, "distil", watcher, |watcher| distil(plan, output, watcher))
}

fn distil(plan: &DistilPlan, output: &Path, watcher: &dyn Watcher) -> Result<Distilled, WorkError> {
    let mut examples = examples_of(plan, watcher)?;
    let validation = plan.student.validation.as_ref().map(|data| read_examples(data, watcher)).transpose()?;
    let teacher = open_model(&plan.teacher)?;
    let folder = training_folder(output)?;
    let mut recording = Recording::open(&folder.join("teacher.jsonl"), teacher.identity(), teacher.labels())?;
    let stage = "querying the teacher";
    let said = recording.answers(teacher.as_ref(), stage, examples.items.len(), watcher, &|place| {
        let example = &examples.items[place];
        (example.id.clone(), examples.input(example))
    })?;
    let left_out = leave_out(&examples, &said, watcher)?;
    let answers = examples.items.iter().zip(said);
    let answered: Vec<(Example, Vec<f32>)> =
        answers.filter_map(|(example, answer)| Some((example.clone(), answer.ok()?))).collect();
    let (items, answers): (Vec<Example>, Vec<Vec<f32>>) = answered.into_iter().unzip();
    examples.items = items;
    let classes = answers.first().map(Vec::len);
    examples.labels = labels(&examples, validation.as_ref(), teacher.as_ref(), classes)?;
    for (example, answer) in examples.items.iter_mut().zip(&answers) {
        if example.truth == Truth::Unknown {
            example.truth = Truth::Class(class_of(answer));
        }
    }
    let (material, is_held_out) = material_of(&plan.student, examples, validation)?;
    let answers: Vec<Vec<f32>> =
        answers.into_iter().zip(is_held_out).filter(|(_, is_held_out)| !is_held_out).map(|(own, _)| own).collect();
    let of_variants = match plan.faithful {
        None => None,
        Some(weight) => {
            let sets = sets(plan, &material, &answers, teacher.as_ref(), &mut recording, watcher)?;
            Some(TaughtVariants { weight: weight as f32, sets: Arc::new(sets) })
        }
    };
    let states = match plan.hidden_states {
        None => None,
        Some(weight) => Some(states(teacher.as_ref(), &material, weight as f32, &folder, watcher)?),
    };
    let identity = teacher.identity();
    let teaching = Teaching {
        teacher: format!("{}:{} {}", identity.kind, identity.place, identity.digest),
        temperature: plan.temperature as f32,
        loss: plan.loss,
        label_weight: plan.label_weight as f32,
        answers: Arc::new(answers),
        of_variants,
        states,
    };
    let queried = recording.queried;
    // A large teacher's memory is the student's now.
    drop(teacher);
    let student = run_on(&plan.student, material, Some(teaching), output, watcher)?;
    Ok(Distilled { student, queried, left_out })
}

/// What the training of the student will take. The teacher is opened and not queried, so that examples without a label are taken to be of the first class.
pub fn estimate(plan: &DistilPlan, watcher: &dyn Watcher) -> Result<Estimate, WorkError> {
    plan.check()?;
    let mut examples = examples_of(plan, watcher)?;
    let teacher = open_model(&plan.teacher)?;
    examples.labels = labels(&examples, None, teacher.as_ref(), None)?;
    for example in &mut examples.items {
        if example.truth == Truth::Unknown {
            example.truth = Truth::Class(0);
        }
    }
    estimate_on(&plan.student, material_of(&plan.student, examples, None)?.0, watcher)
}

/// The examples that can be learned from: those of programs or pairs of them, with a class or without.
fn examples_of(plan: &DistilPlan, watcher: &dyn Watcher) -> Result<Examples, WorkError> {
    let [data] = &plan.student.data[..] else {
        return Err(NoLessons::SeveralDataSets(plan.student.data.len()).into());
    };
    let mut examples = read_examples(data, watcher)?;
    examples.items.retain(|example| matches!(example.truth, Truth::Class(_) | Truth::Unknown));
    match examples.items.is_empty() {
        true => Err(NoLessons::NoClasses(examples.task.name()).into()),
        false => Ok(examples),
    }
}

/// How many examples the teacher has no answer to. That it has none at all is an error.
fn leave_out(examples: &Examples, said: &[Result<Vec<f32>, Fault>], watcher: &dyn Watcher) -> Result<usize, WorkError> {
    let missing: Vec<(&Example, &Fault)> =
        examples.items.iter().zip(said).filter_map(|(example, said)| Some((example, said.as_ref().err()?))).collect();
    let Some((example, fault)) = missing.first() else { return Ok(0) };
    let (count, all) = (missing.len(), said.len());
    if count == all {
        return Err(WorkError::NoAnswers { count, fault: fault.to_string() });
    }
    let note = format!(
        "{count} of {all} examples are left out, because the teacher has no answer; the first, {}: {fault}",
        example.id
    );
    watcher.tell(Event::Note(note));
    Ok(count)
}

/// The names of the classes: those of the data set, of the validation, of the task, of the teacher, or numbers.
fn labels(
    examples: &Examples,
    validation: Option<&Examples>,
    teacher: &dyn Model,
    classes: Option<usize>,
) -> Result<Vec<String>, WorkError> {
    let of_validation = validation.map(|validation| validation.labels.clone());
    let of_task = examples.task.two_classes().map(|two| two.map(str::to_owned).to_vec());
    let of_teacher = teacher.labels().map(<[String]>::to_vec);
    let known = [Some(examples.labels.clone()), of_validation, of_task, of_teacher];
    let found = known.into_iter().flatten().find(|labels| !labels.is_empty());
    let labels = found.unwrap_or_else(|| (0..classes.unwrap_or(2)).map(|class| class.to_string()).collect());
    match classes.filter(|classes| *classes != labels.len()) {
        None => Ok(labels),
        Some(classes) => Err(PlanError::Unfit(format!(
            "the teacher knows {classes} classes, and the data set has the {} labels {}: name the teacher's classes in their order with --labels",
            labels.len(),
            labels.join(", ")
        ))
        .into()),
    }
}

/// What the teacher says about sets of variants.
fn sets(
    plan: &DistilPlan,
    material: &Material,
    originals: &[Vec<f32>],
    teacher: &dyn Model,
    recording: &mut Recording,
    watcher: &dyn Watcher,
) -> Result<Vec<TaughtSet>, WorkError> {
    let Some(variants) = &plan.student.variants else { return Ok(Vec::new()) };
    if !teacher.takes_new_inputs() {
        let (kind, place) = (&teacher.identity().kind, &teacher.identity().place);
        let problem = format!(
            "{kind}:{place} has no answers to variants: leave out --faithful, or take a teacher that can be queried"
        );
        return Err(PlanError::Unfit(problem).into());
    }
    let corpus = &material.corpus;
    let make = variants.maker(&corpus.programs)?;
    let mut sets = Vec::new();
    for number in 0..plan.forms as u64 {
        let seed = seed_of(&[b"faithful", &plan.student.settings.seed.to_le_bytes(), &number.to_le_bytes()]);
        let form = |(place, code): (usize, &Code)| make(code, seed_of_variant(seed, place));
        let forms: Vec<Code> = corpus.programs.par_iter().enumerate().map(form).collect();
        let stage = format!("querying the teacher on variants, {} of {}", number + 1, plan.forms);
        let said = recording.answers(teacher, &stage, corpus.examples.len(), watcher, &|place| {
            let own = &corpus.examples[place].0;
            let input = match own[..] {
                [one, other] => Input::Pair(forms[one].clone(), forms[other].clone()),
                _ => Input::Code(forms[own[0]].clone()),
            };
            (format!("variant {number} of example {place}"), input)
        })?;
        let missing = said.iter().filter(|said| said.is_err()).count();
        if missing > 0 {
            let all = said.len();
            let note =
                format!("the teacher has no answer to {missing} of {all} variants, which take that to their originals");
            watcher.tell(Event::Note(note));
        }
        let answers = said.into_iter().zip(originals).map(|(said, original)| said.unwrap_or_else(|_| original.clone()));
        sets.push(TaughtSet { seed, answers: answers.collect() });
    }
    Ok(sets)
}

/// The file of the teacher's states: 64 hexadecimal digits that say of which model and programs they are, and then the numbers in 32 bits.
const STATES: &str = "teacher-states.bin";

/// The states that the teacher ends with at the first token of each program, from the folder or asked for now. They are written when all are there.
fn states(
    teacher: &dyn Model,
    material: &Material,
    weight: f32,
    folder: &Path,
    watcher: &dyn Watcher,
) -> Result<TaughtStates, WorkError> {
    let (identity, programs) = (teacher.identity(), &material.corpus.programs);
    let mut digest = Sha256::new();
    digest.update(identity.digest.as_bytes());
    for code in programs {
        digest.update((code.text.len() as u64).to_le_bytes());
        digest.update(code.text.as_bytes());
    }
    let key: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let path = folder.join(STATES);
    let known = std::fs::read(&path).ok().filter(|bytes| bytes.starts_with(key.as_bytes()));
    let rows: Vec<f32> = match known {
        Some(bytes) => {
            let (numbers, _) = bytes[key.len()..].as_chunks::<4>();
            numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
        }
        None => {
            let is_pair = material.corpus.examples.iter().any(|(own, _)| own.len() == 2);
            let rows = asked_states(teacher, programs, is_pair, watcher)?;
            let mut bytes = key.into_bytes();
            rows.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            write_file(&path, &bytes)?;
            rows
        }
    };
    let width = rows.len() / programs.len().max(1);
    if width == 0 || !rows.len().is_multiple_of(programs.len()) {
        let problem =
            "its length is not that of a state for each program; remove the file, and the teacher is asked again";
        return Err(
            TrainingError::Damaged { path, problem: "it is cut off".to_owned(), remedy: problem.to_owned() }.into()
        );
    }
    Ok(TaughtStates { weight, width, rows: Arc::new(rows) })
}

fn asked_states(
    teacher: &dyn Model,
    programs: &[Code],
    is_pair: bool,
    watcher: &dyn Watcher,
) -> Result<Vec<f32>, WorkError> {
    watcher.tell(Event::Stage("asking the teacher for its states", Some(programs.len())));
    let (mut rows, mut width) = (Vec::new(), None);
    for some in programs.chunks(teacher.together().max(1)) {
        if watcher.should_stop() {
            return Err(WorkError::Interrupted(STOPPED));
        }
        // A model of pairs reads two programs, and its embedding is one of each, side by side.
        let input =
            |code: &Code| if is_pair { Input::Pair(code.clone(), code.clone()) } else { Input::Code(code.clone()) };
        let inputs: Vec<Input> = some.iter().map(input).collect();
        let Some(vectors) = teacher.embed(&inputs) else {
            let (kind, place) = (&teacher.identity().kind, &teacher.identity().place);
            let problem =
                format!("{kind}:{place} has no hidden states: leave out --hidden-states, or take an hf: encoder");
            return Err(PlanError::Unfit(problem).into());
        };
        for vector in vectors {
            let mut vector = vector?;
            if is_pair {
                vector.truncate(vector.len() / 2);
            }
            if *width.get_or_insert(vector.len()) != vector.len() {
                let problem = "the teacher's states have several widths, so that no student can be pulled to them";
                return Err(PlanError::Unfit(problem.to_owned()).into());
            }
            rows.extend(vector);
        }
        watcher.tell(Event::Steps(some.len()));
    }
    Ok(rows)
}

fn class_of(shares: &[f32]) -> usize {
    let best = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    shares.iter().position(|share| *share == best).unwrap_or(0)
}
