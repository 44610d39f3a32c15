//! Retraining: a model is attacked, learns from what broke it in several ways, and is attacked again.
//!
//! Everything is in one folder, and every part of it is resumed by doing the same again:
//!
//! - `attacks/MODEL/ATTACK`: runs of attacks on the test set, those on the original model and on every retrained one,
//! - `examples/ATTACK`: runs of attacks on the training set, whose successes are learned from,
//! - `sets/ARM.jsonl.gz` and `models/ARM`: what an arm learns from, and the model that comes of it,
//! - `scores/MODEL.json`: what the answers of a model to every test set are worth,
//! - `plan.json`, and `tables.md` and `tables.json` at the end.

mod answers;
mod plan;
mod runs;
mod sets;
mod table;

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::Table;
use model::{Input, Model};
use random::{Random, seed_of};
use rayon::prelude::*;
use search::Outcome;
use serde::{Deserialize, Serialize};

use crate::attack;
use crate::control::steered;
use crate::data::{DataError, write_file};
use crate::examples::{Example, Examples, Truth};
use crate::plan::{DataPlan, Plan, PlanError, differences};
use crate::run::{Record, Store};
use crate::train::encoder::{run_encoder, split_off};
use crate::train::held_out;
use crate::train::paths::run_paths;
use crate::work::{Event, Pace, STOPPED, Watcher, WorkError, open_model, read_examples};
pub use answers::Answers;
use plan::Training;
pub use plan::{Arm, ORIGINAL, RetrainPlan, RetrainSettings, Rewritten};
use runs::examples_of_runs;
use sets::{Adversarial, plan_of_set, write_set};
use table::tables;

/// What came of a retraining.
pub struct Retrained {
    /// The original model and the retrained ones, in the order of the plan.
    pub models: Vec<RetrainedModel>,
    /// The tables, with their titles.
    pub tables: Vec<(&'static str, Table)>,
    /// Held so that processes that share the arms write about them one after the other.
    _alone: File,
}

/// A model before or after it was retrained.
#[derive(Clone, Debug)]
pub struct RetrainedModel {
    pub name: String,
    /// The name that it is opened by.
    pub place: String,
    pub scores: Scores,
    /// What the attacks on it found.
    pub attacks: BTreeMap<String, Vec<Record>>,
}

/// What the answers of a model to the test sets are worth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Scores {
    pub clean: Answers,
    /// Of the rewritten test sets, by their names.
    pub rewritten: BTreeMap<String, Answers>,
    /// Of the adversarial examples that the attacks found against the original model.
    pub adversarial: BTreeMap<String, Answers>,
    /// Of the targets as the attacks on the original model leave them, where every one of them is rewritten.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left: BTreeMap<String, Answers>,
    /// How the model was made, of a retrained one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Learned>,
}

/// How a model was retrained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// The name that the model is opened by.
    pub model: String,
    /// How many adversarial examples it learned from.
    pub examples: usize,
    pub steps: u64,
}

/// The test sets.
struct Tests {
    clean: Examples,
    rewritten: Vec<(String, Vec<Input>)>,
    targets: Examples,
}

/// Attacks a model, retrains it in every way of the plan, and measures all of them.
///
/// The same plan resumes what was begun in the folder. See the guide for a plan. With `arms` only these are done, so that several processes can share
/// the work once the attacks on the original model are there; the tables have what is finished.
pub fn run(
    plan: &RetrainPlan,
    arms: Option<&[String]>,
    output: &Path,
    pace: &Pace,
    watcher: &dyn Watcher,
) -> Result<Retrained, WorkError> {
    plan.check()?;
    if let Some(unknown) = arms.unwrap_or_default().iter().find(|name| plan.arms.iter().all(|arm| arm.name != **name)) {
        return Err(PlanError::Unfit(format!("the plan has no arm `{unknown}`")).into());
    }
    let data = read_examples(&plan.data, watcher)?;
    check_truths(plan, &data)?;
    let (tests, sources) = tests_of(plan, &data, watcher)?;
    // What is missing is told before hours of work.
    plan.validation.as_ref().map(|validation| read_examples(validation, watcher)).transpose()?;
    let found_before =
        examples_of_runs(plan.arms.iter().flat_map(|arm| &arm.runs), &data, &[&tests.clean, &tests.targets], watcher)?;
    let original = open_model(&plan.attack.model)?;
    // A plan that cannot be followed is not kept, so that it can be corrected.
    let alone = alone(output, watcher)?;
    keep_plan(plan, output)?;
    steered(output, "retrain", watcher, |watcher| {
        let work = Work { plan, arms, output, pace, watcher, data: &data, tests: &tests, found_before: &found_before };
        work.follow(&sources, original, alone)
    })
}

/// Waits until no other process does what only one may do in a folder.
fn alone(output: &Path, watcher: &dyn Watcher) -> Result<File, WorkError> {
    let path = output.join("lock");
    let unwritable = |source| DataError::Unwritable { path: path.clone(), source };
    std::fs::create_dir_all(output).map_err(unwritable)?;
    let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(unwritable)?;
    let mut is_waiting = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(source)) => return Err(unwritable(source).into()),
            Err(TryLockError::WouldBlock) if watcher.should_stop() => return Err(WorkError::Interrupted(STOPPED)),
            Err(TryLockError::WouldBlock) => {
                if !std::mem::replace(&mut is_waiting, true) {
                    let note =
                        format!("another process works on what all arms of {} need: waiting for it", output.display());
                    watcher.tell(Event::Note(note));
                }
                std::thread::sleep(PATIENCE);
            }
        }
    }
}

/// How often a process looks whether another is done.
const PATIENCE: Duration = Duration::from_millis(300);

/// Writes the plan where none is, and refuses another where one is.
fn keep_plan(plan: &RetrainPlan, output: &Path) -> Result<(), WorkError> {
    let path = output.join("plan.json");
    let unwritable = |source| DataError::Unwritable { path: path.clone(), source };
    if let Ok(text) = std::fs::read_to_string(&path) {
        let problem = |error: serde_json::Error| PlanError::NoPlan { path: path.clone(), problem: error.to_string() };
        let before: RetrainPlan = serde_json::from_str(&text).map_err(problem)?;
        let differing = differences(&before, plan);
        if !differing.is_empty() {
            let (place, all) = (output.display(), differing.join("; "));
            return Err(PlanError::Unfit(format!(
                "what was begun in {place} has another plan: {all}; name another folder, or use the same plan"
            ))
            .into());
        }
        return Ok(());
    }
    std::fs::create_dir_all(output).map_err(unwritable)?;
    let text = serde_json::to_string_pretty(plan).map_err(|error| unwritable(error.into()))?;
    Ok(write_file(&path, text.as_bytes())?)
}

/// Are the truths what the model learns?
fn check_truths(plan: &RetrainPlan, data: &Examples) -> Result<(), WorkError> {
    let is_named = plan.is_of_names();
    let is_fit = |example: &Example| match example.truth {
        Truth::Class(_) => !is_named,
        Truth::Name(_) => is_named,
        Truth::Text(_) | Truth::Unknown => false,
    };
    if data.items.iter().all(is_fit) && !data.items.is_empty() {
        return Ok(());
    }
    let (task, model) = (data.task.name(), &plan.attack.model);
    let wanted = if is_named { "names of methods" } else { "classes" };
    Err(PlanError::Unfit(format!("{model} is retrained on {wanted}, and the task {task} has none")).into())
}

/// The test sets, and the examples that are attacked for what is learned from.
fn tests_of(plan: &RetrainPlan, data: &Examples, watcher: &dyn Watcher) -> Result<(Tests, Examples), WorkError> {
    let mut clean = read_examples(&plan.test(), watcher)?;
    check_truths(plan, &clean)?;
    if clean.labels != data.labels {
        let problem = "the training set and the test set have different labels: give both the same with `labels`";
        return Err(PlanError::Unfit(problem.to_owned()).into());
    }
    let seed = plan.attack.seed;
    let (targets, sources) = match plan.halves {
        false => {
            let targets = read_examples(&plan.attack.data, watcher)?;
            let mut all = read_examples(&plan.data, watcher)?;
            (targets, sampled(&mut all, Some(plan.attacked), seed))
        }
        true => {
            let is_first = held_out(&clean, 0.5, seed);
            let mut first = split_off(&mut clean, &is_first);
            let everything = vec![true; clean.items.len()];
            let mut second = split_off(&mut clean, &everything);
            clean.items.clone_from(&second.items);
            (sampled(&mut second, plan.attack.data.sample, seed), sampled(&mut first, Some(plan.attacked), seed))
        }
    };
    check_truths(plan, &targets)?;
    let mut rewritten = Vec::new();
    for set in &plan.rewritten {
        watcher.tell(Event::Stage("rewriting the test set", None));
        let make = set.variants.maker(data.programs.iter().map(|program| &program.code))?;
        let inputs = clean.items.par_iter().enumerate().map(|(number, example)| {
            let seed =
                seed_of(&[b"rewritten", set.name.as_bytes(), &seed.to_le_bytes(), &(number as u64).to_le_bytes()]);
            changed(&clean.input(example), &|code| make(code, seed))
        });
        rewritten.push((set.name.clone(), inputs.collect()));
    }
    Ok((Tests { clean, rewritten, targets }, sources))
}

/// Some of the examples, drawn with the seed, in their order.
fn sampled(examples: &mut Examples, count: Option<usize>, seed: u64) -> Examples {
    let all = examples.items.len();
    let mut places: Vec<usize> = (0..all).collect();
    Random::new(seed_of(&[b"attacked", &seed.to_le_bytes()])).shuffle(&mut places);
    let mut is_taken = vec![false; all];
    places.into_iter().take(count.unwrap_or(all)).for_each(|place| is_taken[place] = true);
    split_off(examples, &is_taken)
}

fn changed(input: &Input, change: &dyn Fn(&model::Code) -> model::Code) -> Input {
    match input {
        Input::Code(code) => Input::Code(change(code)),
        Input::Pair(one, other) => Input::Pair(change(one), change(other)),
        Input::CodeAndText(code, text) => Input::CodeAndText(change(code), text.clone()),
    }
}

/// What the attacks on the original model made of the targets, with their truths.
struct Fooled {
    adversarial: BTreeMap<String, Vec<(Input, Truth)>>,
    left: BTreeMap<String, Vec<(Input, Truth)>>,
}

impl Fooled {
    fn of(targets: &Examples, attacks: &BTreeMap<String, Vec<Record>>, is_all: bool) -> Fooled {
        let (mut adversarial, mut left) = (BTreeMap::new(), BTreeMap::new());
        for (name, records) in attacks {
            let found = |record: &Record| successful(targets, record);
            adversarial.insert(name.clone(), records.iter().filter_map(found).collect());
            if is_all {
                // A target without a valid form stays as it is.
                let made = |record: &Record| {
                    let (place, input) = rewritten(targets, record)?;
                    let target = &targets.items[place];
                    Some((input.unwrap_or_else(|| targets.input(target)), target.truth.clone()))
                };
                left.insert(name.clone(), records.iter().filter_map(made).collect());
            }
        }
        Fooled { adversarial, left }
    }
}

/// The example that was found, and what is true of its target.
fn successful(targets: &Examples, record: &Record) -> Option<(Input, Truth)> {
    let example = record.example.clone().filter(|_| record.outcome == Outcome::Success)?;
    Some((example, targets.items.get(record.number)?.truth.clone()))
}

/// The place of a target, and what the attack left of it.
fn rewritten(targets: &Examples, record: &Record) -> Option<(usize, Option<Input>)> {
    (record.number < targets.items.len()).then(|| (record.number, left_by(record)))
}

/// What an attack left of a target: the success or, where every target is rewritten, another valid form.
fn left_by(record: &Record) -> Option<Input> {
    let example = record.example.clone().filter(|_| record.outcome == Outcome::Success);
    example.or_else(|| record.form.clone())
}

/// A retraining whose data is read.
struct Work<'w> {
    plan: &'w RetrainPlan,
    /// The arms that this process does; without them, all.
    arms: Option<&'w [String]>,
    output: &'w Path,
    pace: &'w Pace,
    watcher: &'w dyn Watcher,
    data: &'w Examples,
    tests: &'w Tests,
    /// The adversarial examples of runs that are there already.
    found_before: &'w BTreeMap<PathBuf, Vec<Adversarial>>,
}

impl Work<'_> {
    /// Attacks, retrains and measures, once everything is read. What all arms share is done by one process, while others wait for it.
    fn follow(&self, sources: &Examples, original: Box<dyn Model>, alone: File) -> Result<Retrained, WorkError> {
        let attacks = self.attack(ORIGINAL, &self.plan.attack.model, original.as_ref())?;
        let fooled = Fooled::of(&self.tests.targets, &attacks, self.plan.attack.rewrite_all);
        let scores = self.scores(ORIGINAL, None, original.as_ref(), &fooled)?;
        let place = self.plan.attack.model.clone();
        let mut models = vec![RetrainedModel { name: ORIGINAL.to_owned(), place, scores, attacks }];
        let examples = self.examples(original.as_ref(), sources)?;
        drop((original, alone));
        for arm in &self.plan.arms {
            if let Some(finished) = self.finished(arm) {
                models.push(finished);
                continue;
            }
            if !self.is_own(arm) {
                continue;
            }
            let own: Vec<&Adversarial> = (arm.examples.iter().filter_map(|attack| examples.get(attack)))
                .chain(arm.runs.iter().filter_map(|run| self.found_before.get(run)))
                .flatten()
                .collect();
            let learned = self.retrain(arm, &own)?;
            let place = learned.model.clone();
            let model = open_model(&place)?;
            let attacks = self.attack(&arm.name, &place, model.as_ref())?;
            let scores = self.scores(&arm.name, Some(learned), model.as_ref(), &fooled)?;
            models.push(RetrainedModel { name: arm.name.clone(), place, scores, attacks });
        }
        let tables = tables(&models, &self.tests.clean, &self.tests.targets);
        let alone = self::alone(self.output, self.watcher)?;
        let text: String =
            tables.iter().map(|(title, table)| format!("{title}\n\n{}\n", table.to_markdown())).collect();
        write_file(&self.output.join("tables.md"), text.as_bytes())?;
        let text = serde_json::to_string(&tables).unwrap_or_default();
        write_file(&self.output.join("tables.json"), text.as_bytes())?;
        let all: serde_json::Value =
            tables.iter().map(|(title, table)| ((*title).to_owned(), table.to_json())).collect();
        write_file(&self.output.join("summary.json"), format!("{all:#}\n").as_bytes())?;
        Ok(Retrained { models, tables, _alone: alone })
    }

    /// The model of an arm that is done, which another process may have made. The scores are the last that is measured of a model.
    fn finished(&self, arm: &Arm) -> Option<RetrainedModel> {
        let scores = read_scores(&self.scores_of(&arm.name))?;
        let place = scores.learned.as_ref()?.model.clone();
        let records = |attack: &String| {
            let store = Store::<Plan>::open(&self.runs_on(&arm.name).join(attack)).ok()?;
            Some((attack.clone(), store.records().ok()?))
        };
        let attacks = self.plan.attack.attacks.iter().map(records).collect::<Option<_>>()?;
        Some(RetrainedModel { name: arm.name.clone(), place, scores, attacks })
    }

    /// The folder of the attacks on a model.
    fn runs_on(&self, name: &str) -> PathBuf {
        self.output.join("attacks").join(name)
    }

    /// The folder of the model that an arm makes.
    fn folder_of(&self, arm: &Arm) -> PathBuf {
        self.output.join("models").join(&arm.name)
    }

    /// Does this process do the arm?
    fn is_own(&self, arm: &Arm) -> bool {
        self.arms.is_none_or(|arms| arms.contains(&arm.name))
    }

    /// The file of a model's scores.
    fn scores_of(&self, name: &str) -> PathBuf {
        self.output.join("scores").join(format!("{name}.json"))
    }

    fn note(&self, note: String) {
        self.watcher.tell(Event::Note(note));
    }

    /// Every attack of the plan on a model.
    fn attack(&self, name: &str, place: &str, model: &dyn Model) -> Result<BTreeMap<String, Vec<Record>>, WorkError> {
        let mut found = BTreeMap::new();
        for attack in &self.plan.attack.attacks {
            let folder = self.runs_on(name).join(attack);
            let plan = self.plan.attack_alone(attack, place, self.plan.attack.data.clone());
            let records = self.attack_on(&plan, &folder, model, &self.tests.targets)?;
            let count = records.iter().filter(|record| record.outcome == Outcome::Success).count();
            self.note(format!("{attack} breaks {count} of {} targets of {name}", records.len()));
            found.insert(attack.clone(), records);
        }
        Ok(found)
    }

    fn attack_on(
        &self,
        plan: &Plan,
        folder: &Path,
        model: &dyn Model,
        targets: &Examples,
    ) -> Result<Vec<Record>, WorkError> {
        let attacked = attack::run_on(plan, plan.resolve()?, (1, 1), folder, model, targets, self.pace, self.watcher)?;
        match attacked.is_interrupted {
            true => Err(WorkError::Interrupted(STOPPED)),
            false => Ok(attacked.records),
        }
    }

    /// The adversarial examples of every attack that an arm of this process has yet to learn from. Where every target is rewritten, a form that is no success
    /// is one, too.
    fn examples(&self, model: &dyn Model, sources: &Examples) -> Result<BTreeMap<String, Vec<Adversarial>>, WorkError> {
        let mut all: BTreeMap<String, Vec<Adversarial>> = BTreeMap::new();
        let places: BTreeMap<&str, usize> =
            self.data.items.iter().enumerate().map(|(place, example)| (example.id.as_str(), place)).collect();
        let is_wanted = |arm: &&Arm| self.is_own(arm) && self.finished(arm).is_none();
        for attack in self.plan.arms.iter().filter(is_wanted).flat_map(|arm| &arm.examples) {
            if all.contains_key(attack) {
                continue;
            }
            let data = DataPlan { sample: Some(self.plan.attacked), ..self.plan.data.clone() };
            let plan = self.plan.attack_alone(attack, &self.plan.attack.model, data);
            let folder = self.output.join("examples").join(attack);
            let records = self.attack_on(&plan, &folder, model, sources)?;
            let found = records.iter().filter_map(|record| {
                let (place, input) = rewritten(sources, record)?;
                let (input, source) = (input?, &sources.items[place]);
                let id = &source.id;
                // Of halves of the test set none is in the training set.
                let original = if self.plan.halves { None } else { places.get(id.as_str()).copied() };
                Some(Adversarial { id: format!("{id} {attack}"), original, input, truth: source.truth.clone() })
            });
            let found: Vec<Adversarial> = found.collect();
            self.note(format!("{attack}: {} of {} examples to learn from", found.len(), records.len()));
            all.insert(attack.clone(), found);
        }
        Ok(all)
    }

    /// Trains the model of an arm.
    fn retrain(&self, arm: &Arm, own: &[&Adversarial]) -> Result<Learned, WorkError> {
        let (sets, folder) = (self.output.join("sets"), self.folder_of(arm));
        std::fs::create_dir_all(&sets).map_err(|source| DataError::Unwritable { path: sets.clone(), source })?;
        let path = sets.join(format!("{}.jsonl.gz", arm.name));
        // The same examples give the same file, so that a training that was begun is resumed.
        let count = write_set(&path, self.data, own, arm, self.plan.attack.seed)?;
        self.note(format!("{}: learning from {count} adversarial examples beside the training set", arm.name));
        let trained = match self.plan.training(arm, plan_of_set(&path, self.data)) {
            Training::Encoder(plan) => run_encoder(&plan, &folder, self.watcher)?,
            Training::Names(plan) => run_paths(&plan, &folder, self.watcher)?,
        };
        if trained.is_interrupted {
            return Err(WorkError::Interrupted(STOPPED));
        }
        Ok(Learned { model: trained.name, examples: count, steps: trained.trained.steps })
    }

    /// Which examples of all test sets a model is right about.
    fn scores(
        &self,
        name: &str,
        learned: Option<Learned>,
        model: &dyn Model,
        fooled: &Fooled,
    ) -> Result<Scores, WorkError> {
        let folder = self.output.join("scores");
        let path = self.scores_of(name);
        std::fs::create_dir_all(&folder).map_err(|source| DataError::Unwritable { path: folder.clone(), source })?;
        if let Some(scores) = read_scores(&path) {
            return Ok(scores);
        }
        let truths: Vec<Truth> = self.tests.clean.items.iter().map(|example| example.truth.clone()).collect();
        let clean: Vec<Input> = self.tests.clean.items.iter().map(|example| self.tests.clean.input(example)).collect();
        let mut scores = Scores { clean: self.answers(model, &clean, &truths)?, learned, ..Scores::default() };
        for (set, inputs) in &self.tests.rewritten {
            scores.rewritten.insert(set.clone(), self.answers(model, inputs, &truths)?);
        }
        for (of_attacks, worth) in [(&fooled.adversarial, &mut scores.adversarial), (&fooled.left, &mut scores.left)] {
            for (attack, examples) in of_attacks {
                let (inputs, truths): (Vec<Input>, Vec<Truth>) = examples.iter().cloned().unzip();
                worth.insert(attack.clone(), self.answers(model, &inputs, &truths)?);
            }
        }
        let text = serde_json::to_string(&scores).unwrap_or_default();
        write_file(&path, text.as_bytes())?;
        Ok(scores)
    }

    fn answers(&self, model: &dyn Model, inputs: &[Input], truths: &[Truth]) -> Result<Answers, WorkError> {
        self.watcher.tell(Event::Stage("querying the model", Some(inputs.len())));
        let mut answers = Vec::with_capacity(inputs.len());
        for some in inputs.chunks(model.together().max(1)) {
            if self.watcher.should_stop() {
                return Err(WorkError::Interrupted(STOPPED));
            }
            for answer in model.predict(some) {
                answers.push(answer?.prediction);
            }
            self.watcher.tell(Event::Steps(some.len()));
        }
        Ok(Answers::of(&answers, truths))
    }
}

fn read_scores(path: &PathBuf) -> Option<Scores> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}
