//! Guided search over a whole data set, into a store: lists of rewrites that change most what a model scores on it.
//!
//! Every repetition is a search from a seed of its own, with random searches beside it: one that evaluates as many lists as the
//! guided one did, and single lists of 5, 10 and 20 rewrites. What a list does to the data set depends on the list alone, so its
//! measures are kept by its genes; a search that is resumed is replayed from its seed, and finds its evaluations there.

mod plan;
mod summary;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Instant;

use model::{Model, Noise, Prediction};
use random::seed_of;
use rusqlite::types::Value as SqlValue;
use rusqlite::{OptionalExtension, params, params_from_iter};
use search::evolve::{Ended, Found, Gene, Genotype, Individual, World, genetic, nsga2, random, random_lists};
use search::{Cache, Traffic};
use serde_json::{Value, json};
use transformation::Selection;

use crate::control::steered;
use crate::examples::{Examples, Truth};
use crate::experiment::{self, Ask, Experiment, ExperimentError, at_a_desk};
use crate::forms::Forms;
use crate::run::{About, Json, RunPlan, Store, StoreError, inputs};
use crate::scoring::{self, Metric, Output, Row};
use crate::trial::noise_of_run;
use crate::work::{Event, Pace, Watcher, WorkError, open_victim, read_examples};

pub use plan::{Algorithm, Direction, EvolvePlan, Objective, selections};
use summary::write_files;
pub use summary::{Candidate, EvolveSummary, Progress, summary};

/// The lengths of the random lists that stand beside every search, as in the thesis.
pub const RANDOM_LENGTHS: [usize; 3] = [5, 10, 20];

/// Tables: `evaluations` (for every list of rewrites that was tried the measures of the test set under it, how many inputs it changes
/// and how many of them got no answer), `searches` (how each search ended) and `individuals` (every member of every generation, with
/// its parents by their numbers).
const TABLES: &str = "
create table evaluations (
    genotype text primary key,
    genes integer not null,
    measures text not null,
    changed integer not null,
    faults integer not null
) without rowid;
create table searches (
    search text not null,
    repeat integer not null,
    ended text not null,
    generations integer not null,
    evaluations integer not null,
    best integer not null,
    primary key (search, repeat)
) without rowid;
create table individuals (
    search text not null,
    repeat integer not null,
    number integer not null,
    generation integer not null,
    parents text not null,
    genotype text not null references evaluations,
    primary key (search, repeat, number)
) without rowid;
";

impl RunPlan for EvolvePlan {
    const COMMAND: &'static str = "evolve";
    const TABLES: &'static [&'static str] = &[experiment::TABLES, TABLES];
}

impl Experiment for EvolvePlan {}

/// A search that is ready to begin.
pub struct Evolution<'e> {
    /// What is to be done.
    pub plan: &'e EvolvePlan,
    pub model: &'e dyn Model,
    /// The test set.
    pub examples: &'e Examples,
    /// The transformations that genes stand for.
    pub selections: &'e [Selection],
    /// What is to be made small or large.
    pub objectives: &'e [Objective],
}

/// The measures of the data set under a list.
#[derive(Clone, Debug, PartialEq)]
struct Evaluation {
    /// Every measure that is defined.
    measures: BTreeMap<Metric, f64>,
    /// How many inputs differ from the originals.
    changed: usize,
    /// How many inputs got no answer.
    faults: usize,
}

/// What guided searches found.
pub struct Evolved {
    /// The tables.
    pub summary: EvolveSummary,
    /// How often the model's answers changed when it was queried again.
    pub noise: Option<Noise>,
    /// How long all searches took.
    pub seconds: f64,
    /// Why not all of them were done.
    pub ended: Result<(), ExperimentError>,
}

/// Does what is left of the searches of a plan, and sums up those that are complete. The run in the folder is begun or resumed.
///
/// ```
/// use campaign::evolve::{self, EvolvePlan};
/// use campaign::plan::DataPlan;
/// use campaign::work::Pace;
///
/// let data = DataPlan { path: "../../fixtures/programs/problems".into(), limit: Some(3), ..DataPlan::default() };
/// let plan = EvolvePlan {
///     model: "builtin:problems".to_owned(),
///     minimise: vec!["percentage-mrr".to_owned()],
///     population: 3,
///     generations: Some(1),
///     baseline: false,
///     data,
///     ..EvolvePlan::default()
/// };
/// let folder = std::env::temp_dir().join(format!("allotrope-evolve-{}", std::process::id()));
/// let evolved = evolve::run(&plan, &folder, &Pace::default(), &())?;
/// assert!(evolved.ended.is_ok() && evolved.summary.repeats == 1);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(plan: &EvolvePlan, output: &Path, pace: &Pace, watcher: &dyn Watcher) -> Result<Evolved, WorkError> {
    run_part(plan, (1, 1), output, pace, watcher)
}

/// The same for one part of the repetitions: the number of the part from 1, and how many there are. A search is one population, so that it is
/// not divided further. [`merge`] joins the parts.
pub fn run_part(
    plan: &EvolvePlan,
    shard: (usize, usize),
    output: &Path,
    pace: &Pace,
    watcher: &dyn Watcher,
) -> Result<Evolved, WorkError> {
    let objectives = plan.objectives()?;
    let examples = read_examples(&plan.data, watcher)?;
    let selections = selections(&plan.transform, &plan.names, &examples)?;
    let model = open_victim(&plan.model)?;
    // The store comes before the long work, so that a wrong plan or folder costs nothing.
    let (rows, digest) = inputs(&examples, 0..examples.items.len());
    let about = About { shard, ..About::new(plan.clone(), &[model.as_ref()], digest) };
    let mut store = Store::begin(output, &about, &rows)?;
    store.keep_truths(&examples)?;
    let cache = pace.open_cache()?;
    let (selections, objectives) = (&selections[..], &objectives[..]);
    let evolution = Evolution { plan, model: model.as_ref(), examples: &examples, selections, objectives };
    steered(output, EvolvePlan::COMMAND, watcher, |watcher| {
        let noise = noise_of_run(&mut store, &[model.as_ref()], &examples, watcher)?.first().copied();
        let ended = evolution.run(&mut store, pace, cache.as_ref(), watcher);
        store.tell_faults(watcher)?;
        write_files(&store, objectives)?;
        let (summary, seconds) = (summary(&store, objectives)?, store.seconds()?);
        Ok(Evolved { summary, noise, seconds, ended: ended.map(drop) })
    })
}

/// Puts what parts of a run have evaluated into one run. [`run`] then replays the searches from their seeds, finds every evaluation, and
/// completes what no part has.
pub fn merge(folders: &[PathBuf], into: &Path) -> Result<(), StoreError> {
    Store::<EvolvePlan>::unite(folders, into, |store, merged| {
        for (table, columns) in [("before", 3), ("times", 4), ("evaluations", 5)] {
            let rows: Vec<Vec<SqlValue>> = store.read(|connection| {
                let mut rows = connection.prepare(&format!("select * from {table}"))?;
                rows.query_map([], |row| (0..columns).map(|column| row.get(column)).collect())?.collect()
            })?;
            merged.write(|transaction| {
                let places = vec!["?"; columns].join(", ");
                // What several parts have, such as the answers to the originals, is the same in all of them.
                let mut insert = transaction.prepare(&format!("insert or ignore into {table} values ({places})"))?;
                rows.iter().try_for_each(|row| insert.execute(params_from_iter(row)).map(drop))
            })?;
        }
        Ok(())
    })
}

/// How many evaluations the searches of a plan come to.
pub struct EvolveEstimate {
    /// How many inputs each evaluation is about.
    pub inputs: usize,
    /// How many transformations genes are drawn from.
    pub transformations: usize,
    /// How many evaluations a search has, if it does not improve.
    pub evaluations: usize,
}

/// Estimates what searches cost; the model is opened, and not queried.
pub fn estimate(plan: &EvolvePlan, watcher: &dyn Watcher) -> Result<EvolveEstimate, WorkError> {
    plan.objectives()?;
    let examples = read_examples(&plan.data, watcher)?;
    let transformations = selections(&plan.transform, &plan.names, &examples)?.len();
    open_victim(&plan.model)?;
    let evaluations = plan.generations.unwrap_or(plan.patience).saturating_add(1).saturating_mul(plan.population);
    Ok(EvolveEstimate { inputs: examples.items.len(), transformations, evaluations })
}

/// How far the work is.
#[derive(Default)]
struct State {
    repeat: usize,
    search: String,
    generation: usize,
    evaluations: usize,
    /// The best value of the first objective so far.
    best: Option<f64>,
}

impl Evolution<'_> {
    /// Does what is left, and puts every evaluation into the store before it counts. Gives what went to the model.
    pub fn run(
        &self,
        store: &mut Store<EvolvePlan>,
        pace: &Pace,
        cache: Option<&Cache>,
        watcher: &dyn Watcher,
    ) -> Result<Traffic, ExperimentError> {
        watcher.tell(Event::Stage("evolving", None));
        at_a_desk(self.model, pace, cache, watcher, |ask, traffic| {
            let start = Instant::now();
            let (part, parts) = store.about()?.shard;
            let before = store.answers_before(self.examples, ask)?;
            self.check(&before)?;
            let mut bench = Bench::new(self, &before, known_evaluations(store)?);
            bench.evaluate(store, ask, &[Vec::new()])?;
            if !bench.is_idle() {
                store.add_time("before", 0, 0, start.elapsed().as_secs_f64())?;
            }
            for repeat in (1..=self.plan.repeat).filter(|repeat| (repeat - 1) % parts == part - 1) {
                let mut tell = |state: &State| {
                    let speed = traffic().asked as f64 / start.elapsed().as_secs_f64().max(1e-9);
                    let best = state.best.map_or_else(|| "-".to_owned(), |best| format!("{best:.4}"));
                    watcher.tell(Event::Status(format!(
                        "repetition {repeat}/{}, {}, generation {}, {} lists, best {best}, {speed:.0} queries/s",
                        self.plan.repeat, state.search, state.generation, state.evaluations,
                    )));
                };
                let mut state = State { repeat, ..State::default() };
                self.search(store, &mut bench, ask, &mut state, &mut tell)?;
            }
            Ok(traffic())
        })
    }

    /// Is every measure that the plan names one of this model's on this data set?
    fn check(&self, before: &[Option<Prediction>]) -> Result<(), ExperimentError> {
        for (example, answer) in self.examples.items.iter().zip(before) {
            let Some(prediction) = answer else { continue };
            if example.truth == Truth::Unknown && Output::of(prediction) != Output::Embedding {
                continue;
            }
            scoring::check(self.examples, &example.truth, prediction)?;
            let output = Output::of(prediction);
            let known = Metric::of(output);
            if let Some(objective) = self.objectives.iter().find(|objective| !known.contains(&objective.metric)) {
                let known: Vec<&str> = known.iter().map(|metric| metric.name()).collect();
                return Err(ExperimentError::Unfit(format!(
                    "the model answers with {}, which have no {}: they have {}",
                    output.name(),
                    objective.metric.name(),
                    known.join(", "),
                )));
            }
            return Ok(());
        }
        Err(crate::evaluate::Unmeasurable::Nothing.into())
    }

    /// The searches of one repetition.
    fn search(
        &self,
        store: &mut Store<EvolvePlan>,
        bench: &mut Bench<'_>,
        ask: &mut Ask<'_>,
        state: &mut State,
        tell: &mut dyn FnMut(&State),
    ) -> Result<(), ExperimentError> {
        let repeat = state.repeat;
        let seed =
            |what: &str| seed_of(&[&self.plan.seed.to_le_bytes(), what.as_bytes(), &(repeat as u64).to_le_bytes()]);
        let settings = |what: &str| self.plan.settings(seed(what), self.selections.len(), self.objectives);
        let guided = self.plan.algorithm.name();
        let evaluations = match ended(store, guided, repeat)? {
            Some(evaluations) => evaluations,
            None => {
                let settings = settings(guided);
                let found =
                    self.watched(store, bench, ask, guided, state, tell, |world| match self.plan.algorithm {
                        Algorithm::Genetic => genetic(&settings, world),
                        Algorithm::Nsga2 => nsga2(&settings, world),
                    })?;
                self.keep(store, guided, repeat, &found)?;
                found.evaluations
            }
        };
        if !self.plan.baseline {
            return Ok(());
        }
        if ended(store, "random", repeat)?.is_none() {
            let settings = settings("random");
            let search = |world: World<'_, ExperimentError>| random(&settings, evaluations, world);
            let found = self.watched(store, bench, ask, "random", state, tell, search)?;
            self.keep(store, "random", repeat, &found)?;
        }
        let breeding = settings("random").breeding;
        let lists = random_lists(&breeding, &RANDOM_LENGTHS, seed("random lists"));
        for (length, list) in RANDOM_LENGTHS.iter().zip(lists) {
            let name = format!("random-{length}");
            if ended(store, &name, repeat)?.is_none() {
                let search = |world: World<'_, ExperimentError>| one_list(list, world);
                let found = self.watched(store, bench, ask, &name, state, tell, search)?;
                self.keep(store, &name, repeat, &found)?;
            }
        }
        Ok(())
    }

    /// Runs a search with the store behind it.
    #[allow(clippy::too_many_arguments, reason = "all of them are the surroundings of one search")]
    fn watched(
        &self,
        store: &mut Store<EvolvePlan>,
        bench: &mut Bench<'_>,
        ask: &mut Ask<'_>,
        name: &str,
        state: &mut State,
        tell: &mut dyn FnMut(&State),
        search: impl FnOnce(World<'_, ExperimentError>) -> Result<Found, ExperimentError>,
    ) -> Result<Found, ExperimentError> {
        let repeat = state.repeat;
        let generation = std::cell::Cell::new(0);
        let times = std::cell::RefCell::new(store.times(name, repeat)?);
        *state = State { repeat, search: name.to_owned(), ..State::default() };
        let mut evaluate = |genotypes: &[Genotype]| {
            let start = Instant::now();
            let asked = bench.asked;
            let measured = bench.evaluate(store, ask, genotypes)?;
            if bench.asked > asked {
                let seconds = start.elapsed().as_secs_f64();
                store.add_time(name, repeat, generation.get(), seconds)?;
                *times.borrow_mut().entry(generation.get()).or_default() += seconds;
            }
            let costs: Vec<Vec<f64>> = measured.iter().map(|measured| self.costs(measured)).collect();
            state.evaluations += costs.len();
            state.generation = generation.get() + 1;
            let first = self.objectives[0];
            for measured in &measured {
                let value = measured.measures.get(&first.metric).copied();
                state.best = match (state.best, value) {
                    (Some(best), Some(value)) if first.cost(value) >= first.cost(best) => Some(best),
                    (best, value) => value.or(best),
                };
            }
            tell(state);
            Ok(costs)
        };
        // The time counts up to the generation that has just ended, so that a search that is replayed ends where it did.
        let most = self.plan.minutes * 60.0;
        let mut is_over = |bred: usize| {
            generation.set(bred + 1);
            times.borrow().iter().filter(|(number, _)| **number <= bred).map(|(_, seconds)| seconds).sum::<f64>() > most
        };
        search(World { evaluate: &mut evaluate, is_over: &mut is_over })
    }

    /// What an evaluation costs, for each objective: the value with the sign of its direction. What is undefined is never good.
    fn costs(&self, evaluation: &Evaluation) -> Vec<f64> {
        let cost = |objective: &Objective| match evaluation.measures.get(&objective.metric) {
            Some(value) => objective.cost(*value),
            None => f64::INFINITY,
        };
        self.objectives.iter().map(cost).collect()
    }

    fn keep(
        &self,
        store: &mut Store<EvolvePlan>,
        search: &str,
        repeat: usize,
        found: &Found,
    ) -> Result<(), StoreError> {
        store.write(|transaction| {
            let mut insert = transaction.prepare("insert into individuals values (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for (number, individual) in found.individuals.iter().enumerate() {
                let (parents, genotype) = (Json(&individual.parents), written(&individual.genotype, self.selections));
                insert.execute(params![search, repeat, number, individual.generation, parents, genotype])?;
            }
            transaction.execute(
                "insert into searches values (?1, ?2, ?3, ?4, ?5, ?6)",
                params![search, repeat, found.ended.name(), found.generations, found.evaluations, found.best],
            )?;
            Ok(())
        })
    }
}

/// A search that looks at one list.
fn one_list(list: Genotype, world: World<'_, ExperimentError>) -> Result<Found, ExperimentError> {
    let costs = (world.evaluate)(std::slice::from_ref(&list))?.into_iter().next().unwrap_or_default();
    Ok(Found {
        individuals: vec![Individual { genotype: list, parents: Vec::new(), generation: 0, costs }],
        best: 0,
        archive: vec![0],
        evaluations: 1,
        generations: 1,
        ended: Ended::Evaluations,
    })
}

/// How many lists a search evaluated, when it is done.
fn ended(store: &Store<EvolvePlan>, search: &str, repeat: usize) -> Result<Option<usize>, StoreError> {
    store.read(|connection| {
        let select = "select evaluations from searches where search = ?1 and repeat = ?2";
        connection.query_row(select, params![search, repeat], |row| row.get(0)).optional()
    })
}

/// A list as records have it: the names of the transformations with their seeds.
fn written(genotype: &Genotype, selections: &[Selection]) -> String {
    let gene = |gene: &Gene| json!([selections[gene.transformation].transformation.name, gene.seed]);
    genotype.iter().map(gene).collect::<Value>().to_string()
}

fn known_evaluations(store: &Store<EvolvePlan>) -> Result<HashMap<String, Evaluation>, StoreError> {
    store.read(|connection| {
        let mut rows = connection.prepare("select genotype, measures, changed, faults from evaluations")?;
        rows.query_map([], |row| {
            let Json(measures) = row.get(1)?;
            Ok((row.get(0)?, Evaluation { measures, changed: row.get(2)?, faults: row.get(3)? }))
        })?
        .collect()
    })
}

/// Where lists are evaluated.
struct Bench<'b> {
    examples: &'b Examples,
    selections: &'b [Selection],
    before: &'b [Option<Prediction>],
    forms: Option<Forms<'b>>,
    parts: search::Parts,
    known: HashMap<String, Evaluation>,
    /// How many inputs were asked about.
    asked: usize,
}

impl<'b> Bench<'b> {
    fn new(
        evolution: &Evolution<'b>,
        before: &'b [Option<Prediction>],
        known: HashMap<String, Evaluation>,
    ) -> Bench<'b> {
        let Evolution { plan, examples, selections, .. } = evolution;
        let parts = plan.parts();
        Bench { examples, selections, before, forms: None, parts, known, asked: 0 }
    }

    fn is_idle(&self) -> bool {
        self.asked == 0
    }

    /// The measures of every list. What is not known yet is computed for all lists together and is in the store afterwards; of the
    /// inputs only those that differ from the originals are asked about.
    fn evaluate(
        &mut self,
        store: &mut Store<EvolvePlan>,
        ask: &mut Ask<'_>,
        genotypes: &[Genotype],
    ) -> Result<Vec<Evaluation>, ExperimentError> {
        let names: Vec<String> = genotypes.iter().map(|genotype| written(genotype, self.selections)).collect();
        let mut new: Vec<(String, Genotype)> = Vec::new();
        for (name, genotype) in names.iter().zip(genotypes) {
            if !self.known.contains_key(name) && !new.iter().any(|(other, _)| other == name) {
                new.push((name.clone(), genotype.clone()));
            }
        }
        if !new.is_empty() {
            let lists: Vec<Genotype> = new.iter().map(|(_, genotype)| genotype.clone()).collect();
            let found = self.compute(ask, &lists)?;
            let new: Vec<(String, usize, Evaluation)> =
                new.into_iter().zip(found).map(|((name, genotype), found)| (name, genotype.len(), found)).collect();
            keep_evaluations(store, &new)?;
            self.known.extend(new.into_iter().map(|(name, _, found)| (name, found)));
        }
        Ok(names.iter().map(|name| self.known[name].clone()).collect())
    }

    fn compute(&mut self, ask: &mut Ask<'_>, genotypes: &[Genotype]) -> Result<Vec<Evaluation>, ExperimentError> {
        let (examples, selections, parts) = (self.examples, self.selections, self.parts);
        let forms = self.forms.get_or_insert_with(|| Forms::new(examples, selections, parts));
        let made = forms.of(genotypes);
        let mut inputs = Vec::new();
        // For every list and input the length of its programs, and the place of its question when it differs.
        let mut cells: Vec<Vec<(usize, Option<usize>)>> = Vec::new();
        for form in &made {
            let mut row = Vec::new();
            for example in &examples.items {
                let (input, is_changed) = forms.input(form, example);
                let length = input.programs().iter().map(|code| code.text.chars().count()).sum();
                row.push((length, is_changed.then_some(inputs.len())));
                if is_changed {
                    inputs.push(input);
                }
            }
            cells.push(row);
        }
        self.asked += inputs.len().max(1);
        let answers = ask(inputs)?;
        let evaluation = |(genotype, cells): (&Genotype, &Vec<(usize, Option<usize>)>)| {
            let mut rows = Vec::new();
            let (mut length, mut faults) = (0, 0);
            for ((example, before), (letters, question)) in examples.items.iter().zip(self.before).zip(cells) {
                let Some(before) = before else { continue };
                let after = match question {
                    None => Some(before),
                    Some(place) => answers[*place].as_ref().ok().map(|answer| &answer.prediction),
                };
                length += letters;
                match after {
                    Some(after) => rows.push(Row { truth: &example.truth, before, after }),
                    None => faults += 1,
                }
            }
            let measured = |metric: Metric| match metric {
                Metric::NumberOfTransformations => Some(genotype.len() as f64),
                Metric::InputLength => Some(length as f64 / (rows.len() + faults).max(1) as f64),
                _ => scoring::value(metric, &rows, examples.labels.len()),
            };
            let output = rows.first().map(|row| Output::of(row.before));
            let metrics = output.map(Metric::of).unwrap_or_default();
            Evaluation {
                measures: metrics.into_iter().filter_map(|metric| Some((metric, measured(metric)?))).collect(),
                changed: cells.iter().filter(|(_, question)| question.is_some()).count(),
                faults,
            }
        };
        Ok(genotypes.iter().zip(&cells).map(evaluation).collect())
    }
}

fn keep_evaluations(store: &mut Store<EvolvePlan>, new: &[(String, usize, Evaluation)]) -> Result<(), StoreError> {
    store.write(|transaction| {
        let mut insert = transaction.prepare_cached("insert into evaluations values (?1, ?2, ?3, ?4, ?5)")?;
        for (genotype, genes, Evaluation { measures, changed, faults }) in new {
            insert.execute(params![genotype, genes, Json(measures), changed, faults])?;
        }
        Ok(())
    })
}
