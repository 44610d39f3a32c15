//! The grid experiment of Lampion, into a store: every treatment at every order, applied to the whole test set once.
//!
//! A treatment is a transformation, a group, or several of them joined by `+`; its order is the number of rewrites that every
//! program gets. The forms of a higher order go on from those of the lower ones, so that orders are compared on the same rewrites.
//! Only inputs that differ from the originals are asked about.

mod summary;

use std::collections::HashSet;
use std::time::Instant;

use model::{Answer, Fault, Input, Model, Prediction};
use random::seed_of;
use rayon::prelude::*;
use rusqlite::params;
use search::{Parts, Traffic};
use serde::{Deserialize, Serialize};
use syntax::Program;
use transformation::{Recipe, Selection, Variation};

use crate::evolve::selections;
use crate::examples::{Example, Examples, Question, Source, Truth};
use crate::experiment::{self, Experiment, ExperimentError, Pace, at_a_desk, columns};
use crate::plan::{DataPlan, PlanError};
use crate::run::{RunPlan, Store, StoreError};
use crate::scoring::{self, Output};

pub use summary::{GridSummary, summary};

/// The groups that are the treatments where none are named.
pub const GROUPS: &str = "lampion,coda,guided-mutation,carrot,names,dead-code,structure,layout,all";

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
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GridPlan {
    /// The model, as KIND:WHERE.
    pub model: String,
    /// The treatments: transformations, groups, or several joined by `+`.
    pub treatments: Vec<String>,
    /// The orders: how many rewrites every program gets.
    #[serde(default = "lampions")]
    pub orders: Vec<usize>,
    /// What every draw comes from.
    #[serde(default)]
    pub seed: u64,
    /// Where new names come from.
    #[serde(default = "pseudo")]
    pub names: String,
    /// Which programs of a pair are changed: first, second or both.
    #[serde(default = "both")]
    pub parts: String,
    /// The test set.
    pub data: DataPlan,
}

fn lampions() -> Vec<usize> {
    vec![1, 5, 10]
}

fn pseudo() -> String {
    "pseudo".to_owned()
}

fn both() -> String {
    "both".to_owned()
}

/// A treatment with what it draws from.
pub struct Treatment {
    /// What it is called.
    pub name: String,
    /// What may be drawn.
    pub recipe: Recipe,
}

impl GridPlan {
    /// The orders, from the lowest, and which programs of a pair are changed.
    pub fn checked(&self) -> Result<(Vec<usize>, Parts), PlanError> {
        let mut orders = self.orders.clone();
        orders.sort_unstable();
        orders.dedup();
        match orders.first() {
            None | Some(0) => Err(PlanError::Unfit("an order is the number of rewrites, 1 at least".to_owned())),
            Some(_) => Ok((orders, self.parts.parse().map_err(PlanError::Unfit)?)),
        }
    }

    /// The treatments. With `is_each`, every transformation that is named, alone or in a group, is one of its own, as far as it
    /// knows a language of the data set.
    pub fn treatments(&self, examples: &Examples, is_each: bool) -> Result<Vec<Treatment>, PlanError> {
        let mut treatments: Vec<Treatment> = Vec::new();
        let mut names = HashSet::new();
        let mut add = |name: String, selections: Vec<Selection>| {
            if names.insert(name.clone()) {
                treatments.push(Treatment { name, recipe: Recipe { selections } });
            }
        };
        for name in &self.treatments {
            let selections = selections(&name.replace('+', ","), &self.names, examples)?;
            match is_each {
                false => add(name.clone(), selections),
                true => selections.into_iter().for_each(|selection| {
                    let name = &selection.transformation.name;
                    let rules: Vec<String> = selection.rules.iter().map(|rule| format!("{name}:{rule}")).collect();
                    let name = if rules.is_empty() { name.clone() } else { rules.join("+") };
                    add(name, vec![selection]);
                }),
            }
        }
        match treatments.is_empty() {
            true => Err(PlanError::Unfit("no treatment is named".to_owned())),
            false => Ok(treatments),
        }
    }
}

/// A grid that is ready to begin.
pub struct Grid<'g> {
    /// What every draw comes from.
    pub seed: u64,
    /// The model.
    pub model: &'g dyn Model,
    /// The test set.
    pub examples: &'g Examples,
    /// The treatments.
    pub treatments: &'g [Treatment],
    /// The orders, from the lowest.
    pub orders: &'g [usize],
    /// Which programs of a pair are changed.
    pub parts: Parts,
}

/// What a treatment has made of a program, at every order: the text, and how many rewrites were done.
type Forms = Vec<(String, usize)>;

struct Cell {
    rewrites: usize,
    is_changed: bool,
    answer: Option<Result<Answer, Fault>>,
}

impl Grid<'_> {
    /// Does what is left, treatment by treatment. `progress` is called with the number of those that are done.
    pub fn run(
        &self,
        store: &mut Store<GridPlan>,
        pace: &Pace<'_>,
        progress: &mut dyn FnMut(usize, &Traffic),
    ) -> Result<Traffic, ExperimentError> {
        at_a_desk(self.model, pace, |ask, traffic| {
            let before = store.answers_before(self.examples, ask)?;
            self.check(&before)?;
            for (done, treatment) in self.treatments.iter().enumerate() {
                progress(done, &traffic());
                if self.is_done(store, &treatment.name)? {
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
            }
            progress(self.treatments.len(), &traffic());
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
