//! A campaign of attacks: every attack of a plan on every target, into a store.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use equivalence::sandbox::Sandbox;
use equivalence::{Judge, Options};
use measure::metrics::cosine_similarity;
use model::{Identity, Input, Model, Noise};
use search::{
    Cache, Candidate, Desk, Encoder, Gathering, Goal, Material, Measure, Outcome, Surroundings, Target, Traffic,
};
use serde::Serialize;

use crate::control::{Control, GLANCE, Wish};
use crate::examples::task::{Task, TruthKind};
use crate::examples::{Example, Examples, Extent, Question, Truth};
use crate::mutants;
use crate::plan::{Arm, Plan, PlanError, Resolved, Validity};
use crate::run::{About, InputRow, Record, Store, inputs};
use crate::trial::{confirmations, noise_of_run};
use crate::work::{Event, Pace, Watcher, WorkError, open_model, open_victim, read_examples};

/// The maximum number of inputs in a batch, where the pace does not say.
pub const BATCH: usize = 64;

/// Which part of the targets is attacked: the number of the part, from 1, and how many parts there are.
pub type Shard = (usize, usize);

/// A campaign as it stands in its store.
pub struct Attacked {
    /// Which examples of the data set are attacked.
    pub extent: Extent,
    /// What a success is, where a measure decides.
    pub goal: Option<Goal>,
    /// How often the model's answers changed when it was queried again.
    pub noise: Option<Noise>,
    pub targets: Vec<InputRow>,
    /// What became of each attack on each target.
    pub records: Vec<Record>,
    /// What was done now.
    pub progress: Progress,
    /// How many attacks on targets there were left to do before.
    pub left: usize,
    /// Was it stopped before all of them were done?
    pub is_interrupted: bool,
}

/// Does what is left of a campaign. The run in the folder is begun, or resumed when it has the same plan, model and data.
///
/// ```
/// use campaign::attack;
/// use campaign::plan::{DataPlan, Plan};
/// use campaign::work::Pace;
///
/// let data = DataPlan { path: "../../fixtures/programs/problems".into(), limit: Some(3), ..DataPlan::default() };
/// let plan = Plan {
///     model: "builtin:problems".to_owned(),
///     attacks: vec!["random-k".to_owned()],
///     budget: 20,
///     data,
///     ..Plan::default()
/// };
/// let folder = std::env::temp_dir().join(format!("allotrope-attack-{}", std::process::id()));
/// let attacked = attack::run(&plan, (1, 1), &folder, &Pace::default(), &())?;
/// assert_eq!(attacked.records.len(), 3);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(
    plan: &Plan,
    shard: Shard,
    output: &Path,
    pace: &Pace,
    watcher: &dyn Watcher,
) -> Result<Attacked, WorkError> {
    let resolved = plan.resolve()?;
    let examples = read_examples(&plan.data, watcher)?;
    let model = open_victim(&plan.model)?;
    answered(run_on(plan, resolved, shard, output, model.as_ref(), &examples, pace, watcher)?)
}

/// The same, on a model that is open already, such as a function of the program that calls. The plan names it as its identity does.
pub fn run_model(
    plan: &Plan,
    model: &dyn Model,
    shard: Shard,
    output: &Path,
    pace: &Pace,
    watcher: &dyn Watcher,
) -> Result<Attacked, WorkError> {
    let resolved = plan.resolve()?;
    let examples = read_examples(&plan.data, watcher)?;
    answered(run_on(plan, resolved, shard, output, model, &examples, pace, watcher)?)
}

/// Where a model does not answer at all, that is what is wrong.
fn answered(attacked: Attacked) -> Result<Attacked, WorkError> {
    let (count, mut faults) =
        (attacked.records.len(), attacked.records.iter().filter(|it| it.outcome == Outcome::Fault));
    match faults.next() {
        Some(first) if faults.count() + 1 == count => {
            Err(WorkError::NoAnswers { count, fault: first.reason.clone().unwrap_or_default() })
        }
        _ => Ok(attacked),
    }
}

/// The same, on a model and a data set that are open already.
#[allow(clippy::too_many_arguments, reason = "a plan, and all that it names")]
pub(crate) fn run_on(
    plan: &Plan,
    resolved: Resolved,
    shard: Shard,
    output: &Path,
    model: &dyn Model,
    examples: &Examples,
    pace: &Pace,
    watcher: &dyn Watcher,
) -> Result<Attacked, WorkError> {
    let goal = plan.goal()?;
    let all = targets_of(examples, goal)?;
    let (rows, digest) = inputs(examples, all.iter().map(|(number, _)| *number));
    let about = About { shard, ..About::new(plan.clone(), &[model], digest) };
    // The store comes before the long work, so that a wrong plan or folder costs nothing.
    let mut store = Store::begin(output, &about, &rows)?;
    store.keep_truths(examples)?;
    let cache = pace.open_cache()?;
    let judge = judge(plan.validity)?;
    let nothing = Material::default();
    let mut campaign =
        Campaign { model, attacks: resolved.attacks, material: &nothing, judge: &judge, targets: part_of(all, shard) };
    let left = campaign.left(&store.done()?);
    let mut progress = Progress::default();
    if !left.is_empty() {
        watcher.tell(Event::Stage("trying the model", None));
        let noise = noise_of_run(&mut store, &[model], examples, watcher)?;
        for arm in &mut campaign.attacks {
            arm.settings.confirmations = confirmations(model, &noise[0], arm.settings.budget);
        }
    }
    // What is done needs no material, which may take long to gather.
    if !left.is_empty()
        && let Some(material) = gather(plan, &resolved.mutations, examples, model, pace, cache.as_ref(), watcher)?
    {
        campaign.know(plan, &material, examples.task)?;
        watcher.tell(Event::Stage("attacking", Some(left.len())));
        let control = Control::begin(output, left.len());
        let keep = &mut |records: &[Record]| store.add(records);
        progress = campaign.run_controlled(keep, &left, pace, cache.as_ref(), watcher, Some(&control))?;
    }
    Ok(Attacked {
        extent: examples.extent.clone(),
        goal,
        noise: store.noise()?.and_then(|noise| noise.first().copied()),
        targets: store.inputs()?,
        records: store.records()?,
        progress,
        left: left.len(),
        is_interrupted: watcher.should_stop() || progress.is_stopped,
    })
}

/// What a campaign is expected to cost.
pub struct Estimate {
    pub model: Identity,
    pub attacks: Vec<AttackEstimate>,
    /// How many targets were tried to find out; none when the model is not free of charge.
    pub tried: usize,
    /// How many tokens a query is taken to have.
    pub tokens: f64,
}

/// What an attack is expected to cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AttackEstimate {
    pub attack: String,
    pub targets: usize,
    #[serde(rename = "queries at most")]
    pub max_queries: usize,
    #[serde(rename = "queries expected")]
    pub queries: Option<f64>,
    #[serde(rename = "seconds expected")]
    pub seconds: Option<f64>,
    #[serde(rename = "cost at most")]
    pub max_cost: Option<f64>,
    #[serde(rename = "cost expected")]
    pub cost: Option<f64>,
}

/// Estimates what a campaign costs, at a price per million tokens. Models that run in this process are tried on a few targets, and
/// nothing is kept; others are not queried.
pub fn estimate(
    plan: &Plan,
    shard: Shard,
    price: Option<f64>,
    pace: &Pace,
    watcher: &dyn Watcher,
) -> Result<Estimate, WorkError> {
    const PILOT: usize = 4;
    let resolved = plan.resolve()?;
    let examples = read_examples(&plan.data, watcher)?;
    let model = open_victim(&plan.model)?;
    let cache = pace.open_cache()?;
    let judge = judge(plan.validity)?;
    let targets = part_of(targets_of(&examples, plan.goal()?)?, shard);
    let count = targets.len();
    let length = |target: &Target| target.input.programs().iter().map(|code| code.text.len()).sum::<usize>();
    let characters: usize = targets.iter().map(|(_, target)| length(target)).sum();
    let tokens = characters as f64 / count.max(1) as f64 / 4.0;
    let is_free = !model.identity().is_outside();
    let material = match is_free {
        true => gather(plan, &resolved.mutations, &examples, model.as_ref(), pace, cache.as_ref(), watcher)?,
        false => Some(Material::default()),
    };
    let material = material.ok_or(WorkError::Interrupted("stopped"))?;
    let mut campaign =
        Campaign { model: model.as_ref(), attacks: resolved.attacks, material: &material, judge: &judge, targets };
    campaign.know(plan, &material, examples.task)?;
    let tried: Vec<usize> = (0..count).step_by((count / PILOT).max(1)).take(if is_free { PILOT } else { 0 }).collect();
    let in_all = |of_tried: f64| is_free.then(|| of_tried * count as f64 / tried.len().max(1) as f64);
    let mut attacks = Vec::new();
    for (place, arm) in campaign.attacks.iter().enumerate() {
        let mut queries = 0;
        let start = Instant::now();
        let mut keep = |records: &[Record]| -> Result<(), std::convert::Infallible> {
            queries += records.iter().map(|record| record.queries).sum::<usize>();
            Ok(())
        };
        let some: Vec<(usize, usize)> = tried.iter().map(|target| (place, *target)).collect();
        let Ok(_) = campaign.run_into(&mut keep, &some, pace, cache.as_ref(), watcher);
        let seconds = start.elapsed().as_secs_f64();
        // Some attacks have a limit of their own, as long as nothing about them is changed.
        let own = arm.attack.most_queries.filter(|_| arm.settings.parameters.is_empty());
        let each = own.map_or(arm.settings.budget, |most| most.min(arm.settings.budget));
        let (max_queries, expected) = (count.saturating_mul(each), in_all(queries as f64));
        let cost = |queries: f64| price.map(|price| queries * tokens * price / 1e6);
        attacks.push(AttackEstimate {
            attack: arm.name.clone(),
            targets: count,
            max_queries,
            queries: expected.map(f64::round),
            seconds: in_all(seconds).map(f64::round),
            max_cost: cost(max_queries as f64),
            cost: cost(expected.unwrap_or(max_queries as f64)),
        });
    }
    Ok(Estimate { model: model.identity().clone(), attacks, tried: tried.len(), tokens })
}

/// What judges whether variants are valid.
pub(crate) fn judge(validity: Validity) -> Result<Judge, WorkError> {
    let sandbox = match validity {
        Validity::Scope => Sandbox::none(),
        Validity::Compile | Validity::Run => Sandbox::new()?,
    };
    Ok(Judge::new(sandbox, Options::default()))
}

/// The targets, where a success can be told for them.
fn targets_of(examples: &Examples, goal: Option<Goal>) -> Result<Vec<(usize, Target)>, PlanError> {
    check_measure(examples, goal)?;
    let all = match goal {
        None => targets(examples),
        Some(_) => every_target(examples),
    };
    match all.is_empty() {
        true => Err(PlanError::Unfit("there is nothing to attack: the data set has no examples".to_owned())),
        false => Ok(all),
    }
}

/// Refuses a measure that does not fit the truths of a task, and tasks that need one and have none.
fn check_measure(examples: &Examples, goal: Option<Goal>) -> Result<(), PlanError> {
    let (kind, task) = (examples.task.truth(), examples.task.name());
    let (answers, truth) = match kind {
        TruthKind::Class => ("classes", search::Truth::Class(0)),
        TruthKind::Name => ("names", search::Truth::Name(String::new())),
        TruthKind::Text => ("texts", search::Truth::Text(String::new())),
        TruthKind::Nothing => ("not known, so that only vectors can be compared", search::Truth::Unknown),
    };
    let fitting = Measure::of(&truth);
    let usage = match kind {
        TruthKind::Class => {
            "a wrong class is a success without --measure, and a model that answers with vectors is attacked \
                             with --measure cosine"
                .to_owned()
        }
        TruthKind::Name | TruthKind::Text | TruthKind::Nothing => {
            let names: Vec<&str> = fitting.iter().map(|measure| measure.name()).collect();
            let example = format!("such as --measure {} --below 0.5", names[0]);
            let vectors = if names.len() > 1 { " (cosine is for models that answer with vectors)" } else { "" };
            format!("give --measure {} with --below X or --fall X, {example}{vectors}", names.join("|"))
        }
    };
    let unfit = |problem: String| Err(PlanError::Unfit(problem));
    match (goal, kind) {
        (None, TruthKind::Class | TruthKind::Name) => Ok(()),
        (None, TruthKind::Text | TruthKind::Nothing) => unfit(format!(
            "an attack on the task {task} needs a measure whose fall is a success, since its answers are {answers}: {usage}"
        )),
        (Some(goal), _) if fitting.contains(&goal.measure) => Ok(()),
        (Some(goal), _) => unfit(format!(
            "the measure {} does not fit the task {task}, whose answers are {answers}: {usage}",
            goal.measure
        )),
    }
}

fn part_of(targets: Vec<(usize, Target)>, (part, parts): Shard) -> Vec<(usize, Target)> {
    targets.into_iter().filter(|(number, _)| number % parts == part - 1).collect()
}

/// What the attacks know besides the target: from the training set, or without one, the names of the targets. `None` if the user stopped
/// it.
fn gather(
    plan: &Plan,
    mutations: &[model::mutation::Mutation],
    examples: &Examples,
    model: &dyn Model,
    pace: &Pace,
    cache: Option<&Cache>,
    watcher: &dyn Watcher,
) -> Result<Option<Material>, WorkError> {
    let training = plan.train.as_ref().map(|train| read_examples(train, watcher)).transpose()?;
    let mut material = match &training {
        None => {
            let codes = examples.programs.iter().map(|program| &program.code);
            Material { vocabulary: Material::vocabulary_of(codes), ..Material::default() }
        }
        Some(train) => learn_from(train, plan, model, pace, cache, watcher)?,
    };
    material.masked = plan.masked.as_deref().map(open_model).transpose()?;
    // Where no attack needs mutants none are made, whatever the plan says about them.
    if let Some(mutants) = plan.mutants.as_ref().filter(|_| !mutations.is_empty()) {
        // Accuracies are those on the training set, where there is one: the test set is not to choose mutants.
        let scored = training.as_ref().unwrap_or(examples);
        let Some(kept) = mutants::open(mutants, mutations, &plan.model, model, scored, watcher)? else {
            return Ok(None);
        };
        let note = format!("{} of {} mutants are close enough to the model", kept.len(), mutations.len());
        watcher.tell(Event::Note(note));
        if kept.is_empty() {
            let message = "no mutant is close enough to the model: lower --ratio, --sigma or --min-accuracy";
            return Err(PlanError::Unfit(message.to_owned()).into());
        }
        material.mutants = kept;
    }
    Ok(Some(material))
}

fn learn_from(
    train: &Examples,
    plan: &Plan,
    model: &dyn Model,
    pace: &Pace,
    cache: Option<&Cache>,
    watcher: &dyn Watcher,
) -> Result<Material, WorkError> {
    let class = |example: &Example| match example.truth {
        Truth::Class(class) => Some((train.input(example), class)),
        Truth::Name(_) | Truth::Text(_) | Truth::Unknown => None,
    };
    let goal = plan.goal()?;
    let mut truths: Vec<search::Truth> = Vec::new();
    let training: Vec<(Input, usize)> = match goal {
        None => train.items.iter().filter_map(class).collect(),
        Some(_) => {
            let mut numbers: HashMap<search::Truth, usize> = HashMap::new();
            let numbered = |example: &Example| {
                let truth = some_truth_of(&example.truth);
                let number = *numbers.entry(truth).or_insert_with_key(|truth| {
                    truths.push(truth.clone());
                    truths.len() - 1
                });
                (train.input(example), number)
            };
            train.items.iter().map(numbered).collect()
        }
    };
    let goal = goal.map(|goal| (goal, truths.as_slice()));
    let encoder = match plan.embedder.as_deref() {
        Some("builtin") => Encoder::BuiltIn,
        Some(name) => Encoder::Another(Arc::from(open_model(name)?)),
        None => Encoder::Victim,
    };
    // Only attacks that cannot do without a training set look at the references.
    let needs = |name: &String| search::attacks::find(name).is_some_and(|attack| attack.needs_training_set);
    let most = if plan.attacks.iter().any(needs) { plan.references } else { 0 };
    let how = Gathering { encoder, most, seed: plan.seed, batch: pace.batch.unwrap_or(BATCH), cache, goal };
    let (mut material, gathered) = Material::gather(model, &training, &how);
    if training.is_empty() {
        // Without classes there is nothing to be unlike, but names to choose from.
        material.vocabulary = Material::vocabulary_of(train.programs.iter().map(|program| &program.code));
    }
    if most > 0 {
        let right = material.references.len();
        let note = format!(
            "{right} of {} queries on the training set were answered {}, {} without an answer{}",
            right + gathered.wrong + gathered.faults,
            if goal.is_some() { "well enough" } else { "correctly" },
            gathered.faults,
            if gathered.fell_back {
                "; the model has no vectors for programs without names, so they are compared by their tokens"
            } else {
                ""
            },
        );
        watcher.tell(Event::Note(note));
    }
    Ok(material)
}

/// A campaign that is ready to begin.
pub struct Campaign<'c> {
    pub model: &'c dyn Model,
    /// The attacks with what each may do.
    pub attacks: Vec<Arm>,
    /// What the attacks know beside the target.
    pub material: &'c Material,
    /// What checks flips.
    pub judge: &'c Judge,
    /// The targets, each with its place in the data set.
    pub targets: Vec<(usize, Target)>,
}

/// How far a campaign is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// The targets that are done now, over all attacks.
    pub done: usize,
    /// The successes among them.
    pub successes: usize,
    /// What went to the model.
    pub traffic: Traffic,
    /// Was it stopped before all of them were done?
    pub is_stopped: bool,
}

impl<'c> Campaign<'c> {
    /// Gives the attacks what they may know, and the vocabulary to new names.
    fn know(&mut self, plan: &Plan, material: &'c Material, task: Task) -> Result<(), PlanError> {
        let mut selections = plan.selections(&material.vocabulary)?;
        selections.retain(|selection| task.is_the_same_after(selection.transformation));
        self.attacks.iter_mut().for_each(|arm| arm.settings.selections.clone_from(&selections));
        self.material = material;
        Ok(())
    }

    /// What is left to do: the attack and the target, by their places in the lists of the campaign.
    pub fn left(&self, done: &[(String, usize)]) -> Vec<(usize, usize)> {
        let done: HashSet<(&str, usize)> = done.iter().map(|(attack, number)| (attack.as_str(), *number)).collect();
        let mut left = Vec::new();
        for (place, arm) in self.attacks.iter().enumerate() {
            let is_left = |target: &usize| !done.contains(&(arm.name.as_str(), self.targets[*target].0));
            left.extend((0..self.targets.len()).filter(is_left).map(|target| (place, target)));
        }
        left
    }

    /// Does what is left. Records are handed on as soon as they are there, and count as done when they are kept.
    pub fn run_into<Error>(
        &self,
        keep: &mut dyn FnMut(&[Record]) -> Result<(), Error>,
        left: &[(usize, usize)],
        pace: &Pace,
        cache: Option<&Cache>,
        watcher: &dyn Watcher,
    ) -> Result<Progress, Error> {
        self.run_controlled(keep, left, pace, cache, watcher, None)
    }

    /// The same, paused and stopped from outside.
    fn run_controlled<Error>(
        &self,
        keep: &mut dyn FnMut(&[Record]) -> Result<(), Error>,
        left: &[(usize, usize)],
        pace: &Pace,
        cache: Option<&Cache>,
        watcher: &dyn Watcher,
        control: Option<&Control>,
    ) -> Result<Progress, Error> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = pace.jobs.unwrap_or(8 * cores);
        let desk = Desk::new(self.model, pace.batch.unwrap_or(BATCH), cache);
        let next = AtomicUsize::new(0);
        // Set when records cannot be kept: what would be found then would be lost.
        let is_over = AtomicBool::new(false);
        // Set when the user stops the work, here or from outside.
        let (is_stopped, is_paused, is_done) = (AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel::<(Record, Option<Input>)>();
        let mut state = Progress::default();
        let start = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| desk.serve());
            let listener = scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    let wish = control.map_or(Wish::Work, Control::wish);
                    if watcher.should_stop() || wish == Wish::Stop {
                        is_stopped.store(true, Ordering::Relaxed);
                        break;
                    }
                    if is_paused.swap(wish == Wish::Pause, Ordering::Relaxed) != (wish == Wish::Pause) {
                        watcher.tell(Event::Note(
                            if wish == Wish::Pause { "paused from outside" } else { "no longer paused" }.to_owned(),
                        ));
                    }
                    std::thread::park_timeout(GLANCE);
                }
            });
            for _ in 0..jobs.clamp(1, left.len().max(1)) {
                let (sender, desk, next, is_over) = (sender.clone(), &desk, &next, &is_over);
                let (is_stopped, is_paused) = (&is_stopped, &is_paused);
                scope.spawn(move || {
                    let should_stop = || watcher.should_stop() || is_stopped.load(Ordering::Relaxed);
                    while !should_stop() && !is_over.load(Ordering::Relaxed) {
                        if is_paused.load(Ordering::Relaxed) {
                            std::thread::sleep(GLANCE);
                            continue;
                        }
                        let Some((attack, target)) = left.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                        let Some(record) = self.attack(*attack, *target, desk, is_stopped) else { break };
                        if sender.send(record).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut result = Ok(());
            while let Ok(first) = receiver.recv() {
                let found: Vec<(Record, Option<Input>)> = std::iter::once(first).chain(receiver.try_iter()).collect();
                let records = self.with_cosines(found);
                if result.is_ok() {
                    result = keep(&records);
                    is_over.store(result.is_err(), Ordering::Relaxed);
                }
                state.done += records.len();
                state.successes += records.iter().filter(|record| record.outcome == Outcome::Success).count();
                state.traffic = desk.traffic();
                watcher.tell(Event::Steps(records.len()));
                watcher.tell(Event::Status(state.in_words(start)));
            }
            desk.close();
            is_done.store(true, Ordering::Relaxed);
            listener.thread().unpark();
            state.is_stopped = is_stopped.load(Ordering::Relaxed) && state.done < left.len();
            result.map(|()| state)
        })
    }

    /// A record, and the example that was found.
    fn attack(
        &self,
        attack: usize,
        target: usize,
        desk: &Desk<'_>,
        stop: &AtomicBool,
    ) -> Option<(Record, Option<Input>)> {
        let Arm { name, attack, settings } = &self.attacks[attack];
        let (number, target) = &self.targets[target];
        let surroundings = Surroundings { settings, material: self.material, judge: self.judge, stop };
        let finding = search::attack(attack, target, desk, surroundings)?;
        let example = finding.example.as_ref().map(Candidate::input);
        Some((Record::of(name, *number, finding), example))
    }

    /// Adds how alike the model's own embeddings of originals and examples are, where it has any. They are asked for together,
    /// because a model on a GPU takes as long for two as for many.
    fn with_cosines(&self, found: Vec<(Record, Option<Input>)>) -> Vec<Record> {
        let mut inputs = Vec::new();
        for (record, example) in &found {
            let original = self.targets.iter().find(|(number, _)| *number == record.number);
            if let (Some(example), Some((_, original))) = (example, original) {
                inputs.extend([original.input.clone(), example.clone()]);
            }
        }
        let vectors = if inputs.is_empty() { None } else { self.model.embed(&inputs) };
        let mut vectors = vectors.unwrap_or_default().into_iter();
        let with_cosine = |(mut record, example): (Record, Option<Input>)| {
            if example.is_some()
                && let (Some(Ok(original)), Some(Ok(example))) = (vectors.next(), vectors.next())
            {
                record.cosine = cosine_similarity(&original, &example);
            }
            record
        };
        found.into_iter().map(with_cosine).collect()
    }
}

impl Progress {
    fn in_words(&self, start: Instant) -> String {
        let Traffic { asked, remembered, .. } = self.traffic;
        let speed = asked as f64 / start.elapsed().as_secs_f64().max(1e-9);
        let cached = 100.0 * remembered as f64 / (asked + remembered).max(1) as f64;
        format!("{} successes, {speed:.0} queries/s, {cached:.0} % cached", self.successes)
    }
}

/// The targets of a data set: the examples whose truth is a class or a name, so that an answer is right or wrong.
pub fn targets(examples: &Examples) -> Vec<(usize, Target)> {
    targets_with(examples, truth_of)
}

/// All examples, as targets of attacks that a measure decides.
pub fn every_target(examples: &Examples) -> Vec<(usize, Target)> {
    targets_with(examples, |truth| Some(some_truth_of(truth)))
}

fn targets_with(examples: &Examples, truth_of: fn(&Truth) -> Option<search::Truth>) -> Vec<(usize, Target)> {
    let lists = |example: &Example| {
        let of = |program: usize| examples.programs[program].substitutes.clone().unwrap_or_default();
        example.question.programs().into_iter().map(of).collect()
    };
    let items = examples.items.iter().enumerate();
    items
        .filter_map(|(number, example)| {
            let truth = truth_of(&example.truth)?;
            let input = examples.input(example);
            // The two programs of a pair would need cases of their own.
            let cases = match example.question {
                Question::Code(program) | Question::CodeAndText(program, _) => examples.programs[program].cases.clone(),
                Question::Pair(..) => Vec::new(),
            };
            Some((number, Target { id: example.id.clone(), input, truth, substitutes: lists(example), cases }))
        })
        .collect()
}

/// What is true about an example, where an answer is right or wrong.
pub(crate) fn truth_of(truth: &Truth) -> Option<search::Truth> {
    match truth {
        Truth::Class(class) => Some(search::Truth::Class(*class)),
        Truth::Name(name) => Some(search::Truth::Name(name.clone())),
        Truth::Text(_) | Truth::Unknown => None,
    }
}

/// What is true about an example.
fn some_truth_of(truth: &Truth) -> search::Truth {
    match truth {
        Truth::Class(class) => search::Truth::Class(*class),
        Truth::Name(name) => search::Truth::Name(name.clone()),
        Truth::Text(text) => search::Truth::Text(text.clone()),
        Truth::Unknown => search::Truth::Unknown,
    }
}
