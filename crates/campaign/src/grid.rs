//! The grid experiment of Lampion, into a store: every treatment at every order, applied to the whole test set once.
//!
//! A treatment is a transformation, a group, or several of them joined by `+`; its order is the number of rewrites that every
//! program gets. The forms of a higher order go on from those of the lower ones, so that orders are compared on the same rewrites.
//! Only inputs that differ from the originals are asked about.

mod summary;

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use measure::Bootstrap;
use model::{Answer, Fault, Input, Model, Noise, Prediction};
use random::seed_of;
use rayon::prelude::*;
use rusqlite::params;
use search::{Cache, Parts, Traffic};
use serde::{Deserialize, Serialize};
use syntax::Program;
use transformation::{Recipe, Selection, Variation};

use crate::control::steered;
use crate::evolve::selections;
use crate::examples::{Example, Examples, Question, Source, Truth};
use crate::experiment::{self, Experiment, ExperimentError, at_a_desk, columns};
use crate::plan::{DataPlan, PlanError};
use crate::run::{About, RunPlan, Store, StoreError, inputs};
use crate::scoring::{self, Output};
use crate::trial::noise_of_run;
use crate::work::{Event, Pace, Watcher, WorkError, open_victim, read_examples};

use summary::write_files;
pub use summary::{GridSummary, summary};

/// The treatments where none are named.
const GROUPS: &str = "lampion,coda,guided-mutation,carrot,names,dead-code,structure,layout,all";

/// Table `cells`: for every treatment, order and input the rewrites that were done, and the answer.
const TABLES: &str = "
create table cells (
    treatment text not null,
    rewrites_wanted integer not null,
    number integer not null references inputs,
    rewrites integer not null,
    is_changed integer not null,
    answer text,
    fault text,
    primary key (treatment, rewrites_wanted, number)
) without rowid;
";

impl RunPlan for GridPlan {
    const COMMAND: &'static str = "grid";
    const TABLES: &'static [&'static str] = &[experiment::TABLES, TABLES];
}

impl Experiment for GridPlan {}

/// A grid. In a file it is written in TOML.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct GridPlan {
    /// The model, as KIND:WHERE.
    pub model: String,
    /// The treatments: transformations, groups, or several joined by `+`; with `@SOURCE` after them where new names come from, if it is not that
    /// of the plan.
    pub treatments: Vec<String>,
    /// The orders: how many rewrites every program gets.
    pub orders: Vec<usize>,
    /// The seed of all randomness.
    pub seed: u64,
    /// Where new names come from.
    pub names: String,
    /// Which programs of a pair are changed: first, second or both.
    pub parts: String,
    /// The test set.
    pub data: DataPlan,
}

impl Default for GridPlan {
    fn default() -> GridPlan {
        GridPlan {
            model: String::new(),
            treatments: GROUPS.split(',').map(str::to_owned).collect(),
            orders: vec![1, 5, 10],
            seed: 0,
            names: "pseudo".to_owned(),
            parts: "both".to_owned(),
            data: DataPlan::default(),
        }
    }
}

/// What the treatments of a grid did.
pub struct GridFindings {
    /// The plan with its treatments and orders as they were applied.
    pub plan: GridPlan,
    /// The tables.
    pub summary: GridSummary,
    /// How often the model's answers changed when it was queried again.
    pub noise: Option<Noise>,
    /// What went to the model now.
    pub traffic: Traffic,
    /// How long everything took.
    pub seconds: f64,
}

/// Does what is left of a grid and sums it up. The run in the folder is begun or resumed. With `is_each`, every transformation that
/// is named, alone or in a group, is its own treatment.
///
/// ```
/// use campaign::grid::{self, GridPlan};
/// use campaign::plan::DataPlan;
/// use campaign::work::Pace;
///
/// let data = DataPlan { path: "../../fixtures/programs/problems".into(), limit: Some(3), ..DataPlan::default() };
/// let plan = GridPlan {
///     model: "builtin:problems".to_owned(),
///     treatments: vec!["names".to_owned(), "layout".to_owned()],
///     orders: vec![1],
///     data,
///     ..GridPlan::default()
/// };
/// let folder = std::env::temp_dir().join(format!("allotrope-grid-{}", std::process::id()));
/// let found = grid::run(plan, false, &folder, &Pace::default(), &())?;
/// assert_eq!(found.summary.tables[0].0, "effects");
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(
    plan: GridPlan,
    is_each: bool,
    output: &Path,
    pace: &Pace,
    watcher: &dyn Watcher,
) -> Result<GridFindings, WorkError> {
    let (plan, parts, examples, treatments) = prepare(plan, is_each, watcher)?;
    let model = open_victim(&plan.model)?;
    let (rows, digest) = inputs(&examples, 0..examples.items.len());
    let mut store = Store::begin(output, &About::new(plan.clone(), &[model.as_ref()], digest), &rows)?;
    store.keep_truths(&examples)?;
    let cache = pace.open_cache()?;
    let grid = Grid {
        seed: plan.seed,
        model: model.as_ref(),
        examples: &examples,
        treatments: &treatments,
        orders: &plan.orders,
        parts,
    };
    steered(output, GridPlan::COMMAND, watcher, |watcher| {
        let noise = noise_of_run(&mut store, &[model.as_ref()], &examples, watcher)?.first().copied();
        let traffic = grid.run(&mut store, pace, cache.as_ref(), watcher)?;
        store.tell_faults(watcher)?;
        let summary = summary(&store, &Bootstrap::default())?;
        write_files(&store, &summary)?;
        let seconds = store.seconds()?;
        Ok(GridFindings { plan: plan.clone(), summary, noise, traffic, seconds })
    })
}

/// How many inputs, treatments and orders a grid has; the model is opened, and not queried.
pub fn estimate(plan: GridPlan, is_each: bool, watcher: &dyn Watcher) -> Result<[usize; 3], WorkError> {
    let (plan, _, examples, treatments) = prepare(plan, is_each, watcher)?;
    open_victim(&plan.model)?;
    Ok([examples.items.len(), treatments.len(), plan.orders.len()])
}

fn prepare(
    mut plan: GridPlan,
    is_each: bool,
    watcher: &dyn Watcher,
) -> Result<(GridPlan, Parts, Examples, Vec<Treatment>), WorkError> {
    plan.orders.sort_unstable();
    plan.orders.dedup();
    if plan.orders.first().is_none_or(|order| *order == 0) {
        return Err(PlanError::Unfit("an order is a number of rewrites: it must be at least 1".to_owned()).into());
    }
    let parts = plan.parts.parse().map_err(PlanError::Unfit)?;
    let examples = read_examples(&plan.data, watcher)?;
    let treatments = plan.treatments(&examples, is_each)?;
    plan.treatments = treatments.iter().map(|treatment| treatment.name.clone()).collect();
    Ok((plan, parts, examples, treatments))
}

/// A treatment with what it draws from.
struct Treatment {
    name: String,
    recipe: Recipe,
}

impl GridPlan {
    /// The treatments. With `is_each`, every transformation that is named, alone or in a group, is one of its own, as far as it
    /// knows a language of the data set.
    fn treatments(&self, examples: &Examples, is_each: bool) -> Result<Vec<Treatment>, PlanError> {
        let mut treatments: Vec<Treatment> = Vec::new();
        let mut names = HashSet::new();
        let mut add = |name: String, selections: Vec<Selection>| {
            if names.insert(name.clone()) {
                treatments.push(Treatment { name, recipe: Recipe { selections } });
            }
        };
        for treatment in &self.treatments {
            let (list, source) = match treatment.split_once('@') {
                Some((list, source)) => (list, Some(source)),
                None => (treatment.as_str(), None),
            };
            let selections = selections(&list.replace('+', ","), source.unwrap_or(&self.names), examples)?;
            match is_each {
                false => add(treatment.clone(), selections),
                true => selections.into_iter().for_each(|selection| {
                    let name = &selection.transformation.name;
                    let rules: Vec<String> = selection.rules.iter().map(|rule| format!("{name}:{rule}")).collect();
                    let mut name = if rules.is_empty() { name.clone() } else { rules.join("+") };
                    name.extend(source.map(|source| format!("@{source}")));
                    add(name, vec![selection]);
                }),
            }
        }
        match treatments.is_empty() {
            true => Err(PlanError::Unfit("the plan names no treatment".to_owned())),
            false => Ok(treatments),
        }
    }
}

/// A grid that is ready to begin.
struct Grid<'g> {
    seed: u64,
    model: &'g dyn Model,
    examples: &'g Examples,
    treatments: &'g [Treatment],
    /// The orders, from the lowest.
    orders: &'g [usize],
    parts: Parts,
}

/// What a treatment has made of a program, at every order: the text, and how many rewrites were done.
type Forms = Vec<(String, usize)>;

struct Cell {
    rewrites: usize,
    is_changed: bool,
    answer: Option<Result<Answer, Fault>>,
}

impl Grid<'_> {
    /// Does what is left, treatment by treatment.
    fn run(
        &self,
        store: &mut Store<GridPlan>,
        pace: &Pace,
        cache: Option<&Cache>,
        watcher: &dyn Watcher,
    ) -> Result<Traffic, ExperimentError> {
        watcher.tell(Event::Stage("treatments", Some(self.treatments.len())));
        at_a_desk(self.model, pace, cache, watcher, |ask, traffic| {
            let before = store.answers_before(self.examples, ask)?;
            self.check(&before)?;
            for treatment in self.treatments {
                watcher.tell(Event::Status(format!("{} queries", traffic().asked)));
                if self.is_done(store, &treatment.name)? {
                    watcher.tell(Event::Steps(1));
                    continue;
                }
                let start = Instant::now();
                let mut inputs = Vec::new();
                let mut cells: Vec<Vec<Cell>> = self.cells(treatment, &mut inputs);
                let mut answers = ask(inputs)?.into_iter();
                let changed = cells.iter_mut().flatten().filter(|cell| cell.is_changed);
                changed.for_each(|cell| cell.answer = answers.next());
                self.keep(store, &treatment.name, &cells)?;
                store.add_time(&treatment.name, 0, 0, start.elapsed().as_secs_f64())?;
                watcher.tell(Event::Steps(1));
            }
            Ok(traffic())
        })
    }

    fn check(&self, before: &[Option<Prediction>]) -> Result<(), ExperimentError> {
        for (example, answer) in self.examples.items.iter().zip(before) {
            let Some(prediction) = answer else { continue };
            // Classes are compared with those before where the truth is not known.
            if example.truth != Truth::Unknown || Output::of(prediction) != Output::Classes {
                scoring::check(self.examples, &example.truth, prediction)?;
            }
        }
        Ok(())
    }

    /// For every order and input what is to be asked.
    fn cells(&self, treatment: &Treatment, inputs: &mut Vec<Input>) -> Vec<Vec<Cell>> {
        let forms: Vec<Forms> = self.examples.programs.par_iter().map(|source| self.forms(treatment, source)).collect();
        let mut cells = Vec::new();
        for order in 0..self.orders.len() {
            let mut row = Vec::new();
            for example in &self.examples.items {
                let (input, rewrites) = self.input(example, &forms, order);
                let is_changed = input != self.examples.input(example);
                row.push(Cell { rewrites, is_changed, answer: None });
                if is_changed {
                    inputs.push(input);
                }
            }
            cells.push(row);
        }
        cells
    }

    /// A program at every order. A program that takes no more rewrites stays as it is.
    fn forms(&self, treatment: &Treatment, source: &Source) -> Forms {
        let code = &source.code;
        let digest = seed_of(&[code.language.name().as_bytes(), code.text.as_bytes()]);
        let mut variation = Variation::of(Program::parse(code.language, code.text.clone()));
        let mut forms = Vec::new();
        let mut is_open = !variation.program.is_broken();
        let mut tried: u64 = 0;
        for order in self.orders {
            while is_open && (tried as usize) < *order {
                let name = treatment.name.as_bytes();
                let seed = seed_of(&[&self.seed.to_le_bytes(), name, &digest.to_le_bytes(), &tried.to_le_bytes()]);
                is_open = treatment.recipe.advance(&mut variation, 1, None, seed) == 0;
                tried += 1;
            }
            forms.push((variation.program.text().to_owned(), variation.steps.len()));
        }
        forms
    }

    fn input(&self, example: &Example, forms: &[Forms], order: usize) -> (Input, usize) {
        let programs = example.question.programs();
        let changing = self.parts.of(programs.len());
        let mut rewrites = 0;
        let mut code = |part: usize| {
            let mut code = self.examples.programs[programs[part]].code.clone();
            if changing.contains(&part) {
                let (text, done) = &forms[programs[part]][order];
                code.text.clone_from(text);
                rewrites += done;
            }
            code
        };
        let input = match &example.question {
            Question::Code(_) => Input::Code(code(0)),
            Question::Pair(..) => Input::Pair(code(0), code(1)),
            Question::CodeAndText(_, text) => Input::CodeAndText(code(0), text.clone()),
        };
        (input, rewrites)
    }

    fn is_done(&self, store: &Store<GridPlan>, treatment: &str) -> Result<bool, StoreError> {
        let select = "select count(*) from cells where treatment = ?1";
        let count: usize = store.read(|connection| connection.query_row(select, [treatment], |row| row.get(0)))?;
        Ok(count == self.orders.len() * self.examples.items.len())
    }

    fn keep(&self, store: &mut Store<GridPlan>, treatment: &str, cells: &[Vec<Cell>]) -> Result<(), StoreError> {
        store.write(|transaction| {
            let mut insert = transaction.prepare("insert or replace into cells values (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
            for (order, row) in self.orders.iter().zip(cells) {
                for (number, cell) in row.iter().enumerate() {
                    let (answer, fault) = cell.answer.as_ref().map_or((None, None), columns);
                    let Cell { rewrites, is_changed, .. } = cell;
                    insert.execute(params![treatment, order, number, rewrites, is_changed, answer, fault])?;
                }
            }
            Ok(())
        })
    }
}
