//! Makes variants of many programs at once, on all cores, with the same bytes on any number of them.

use std::collections::BTreeMap;

use random::{Random, seed_of};
use rayon::prelude::*;
use syntax::{Language, Program};
use transformation::names::NamesMaterial;
use transformation::{Recipe, Step, Tally, Variation};

use crate::work::{Event, Watcher};

/// How many rewrites go where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// K rewrites in all, each in a program that is drawn.
    Global,
    /// K rewrites for each program there is, each in a program that is drawn.
    PerFile,
    /// K rewrites for each function there is, each in a function that is drawn.
    PerFunction,
    /// K rewrites in every program.
    EachFile,
    /// K rewrites in every function.
    EachFunction,
}

impl Scope {
    /// Every scope with its name in commands.
    pub const NAMES: [(&'static str, Scope); 5] = [
        ("global", Scope::Global),
        ("per-file", Scope::PerFile),
        ("per-function", Scope::PerFunction),
        ("each-file", Scope::EachFile),
        ("each-function", Scope::EachFunction),
    ];

    /// Is it decided by drawing how many rewrites a program gets? Then all programs must be known before the first.
    pub fn is_drawn(self) -> bool {
        match self {
            Scope::Global | Scope::PerFile | Scope::PerFunction => true,
            Scope::EachFile | Scope::EachFunction => false,
        }
    }
}

/// What is to be done.
#[derive(Clone)]
pub struct Order {
    /// What may be drawn.
    pub recipe: Recipe,
    /// What is done at every site in the end, such as removing all comments.
    pub finish: Option<Recipe>,
    /// How many rewrites, K.
    pub count: usize,
    /// Where they go.
    pub scope: Scope,
    /// How many variants of each program.
    pub variants: usize,
    /// The seed of the run.
    pub seed: u64,
}

/// A program that gets variants.
pub struct Original {
    /// A name that no other target has and that does not depend on where the input lies: it is part of the seed.
    pub id: String,
    pub language: Language,
    /// The program.
    pub bytes: Vec<u8>,
    /// Names for this program alone.
    pub material: Option<NamesMaterial>,
}

/// A variant of a program.
pub struct Variant {
    pub seed: u64,
    /// The text.
    pub bytes: Vec<u8>,
    /// How it was made.
    pub steps: Vec<Step>,
    /// How many rewrites could not be done.
    pub unreached: usize,
    /// What became of the transformations.
    pub tallies: BTreeMap<&'static str, Tally>,
    /// Where the program does not parse cleanly: line and column.
    pub broken_at: Option<(usize, usize)>,
}

/// The most rewrites at the end of a program. Each makes the program smaller, so it is never reached.
const MOST_FINISHING: usize = 100_000;

/// Makes the variants of all originals, in their order. The watcher hears of each variant; when it ends the work, the answer is
/// `None`.
pub fn vary(targets: &[Original], order: &Order, watcher: &dyn Watcher) -> Option<Vec<Vec<Variant>>> {
    let numbers: Vec<usize> = (1..=order.variants).collect();
    if order.scope.is_drawn() {
        let rounds: Vec<Vec<Variant>> =
            numbers.iter().map(|number| draw(targets, order, *number, watcher)).collect::<Option<_>>()?;
        let mut variants: Vec<Vec<Variant>> = targets.iter().map(|_| Vec::new()).collect();
        for round in rounds {
            variants.iter_mut().zip(round).for_each(|(variants, variant)| variants.push(variant));
        }
        return Some(variants);
    }
    let each = |target: &Original| -> Option<Vec<Variant>> {
        let variant = |number: &usize| {
            if watcher.should_stop() {
                return None;
            }
            let variant = vary_one(target, order, *number);
            watcher.tell(Event::Steps(1));
            Some(variant)
        };
        numbers.iter().map(variant).collect()
    };
    targets.par_iter().map(each).collect()
}

fn seed_of_target(order: &Order, target: &Original, number: usize) -> u64 {
    seed_of(&[&order.seed.to_le_bytes(), target.id.as_bytes(), &(number as u64).to_le_bytes()])
}

/// The recipe with the names that a target brings along.
fn recipe_of(recipe: &Recipe, target: &Original) -> Recipe {
    let mut recipe = recipe.clone();
    if let Some(material) = &target.material {
        for selection in &mut recipe.selections {
            selection.names = selection.names.with(material.clone());
        }
    }
    recipe
}

fn vary_one(target: &Original, order: &Order, number: usize) -> Variant {
    let seed = seed_of_target(order, target, number);
    let recipe = recipe_of(&order.recipe, target);
    let program = Program::from_bytes(target.language, target.bytes.clone());
    let is_by_function = order.scope == Scope::EachFunction;
    let mut variation = start(program, is_by_function);
    let unreached = if variation.program.is_broken() {
        0
    } else if is_by_function {
        (0..variation.functions.len())
            .map(|function| {
                let seed = seed_of(&[&seed.to_le_bytes(), &(function as u64).to_le_bytes()]);
                recipe.advance(&mut variation, order.count, Some(function), seed)
            })
            .sum()
    } else {
        recipe.advance(&mut variation, order.count, None, seed)
    };
    finish(variation, order, seed, unreached)
}

fn start(program: Program, is_by_function: bool) -> Variation {
    if is_by_function && !program.is_broken() { Variation::with_functions(program) } else { Variation::of(program) }
}

fn finish(mut variation: Variation, order: &Order, seed: u64, unreached: usize) -> Variant {
    if let Some(last) = &order.finish
        && !variation.program.is_broken()
    {
        last.exhaust(&mut variation, MOST_FINISHING, seed);
    }
    let program = &variation.program;
    Variant {
        seed,
        bytes: program.bytes().to_vec(),
        broken_at: program.first_error().map(|error| program.line_and_column(error.start)),
        steps: variation.steps,
        unreached,
        tallies: variation.tallies,
    }
}

/// A place that rewrites are drawn for: a program, or a function of one.
struct Bin {
    target: usize,
    function: Option<usize>,
    is_open: bool,
}

/// One variant of every target, with the rewrites spread by drawing. What a place cannot take is drawn again for others.
fn draw(targets: &[Original], order: &Order, number: usize, watcher: &dyn Watcher) -> Option<Vec<Variant>> {
    let is_by_function = order.scope == Scope::PerFunction;
    let read = |target: &Original| start(Program::from_bytes(target.language, target.bytes.clone()), is_by_function);
    let mut variations: Vec<Variation> = targets.par_iter().map(read).collect();
    let mut bins: Vec<Bin> = Vec::new();
    for (target, variation) in variations.iter().enumerate().filter(|(_, variation)| !variation.program.is_broken()) {
        if is_by_function {
            let functions = 0..variation.functions.len();
            bins.extend(functions.map(|function| Bin { target, function: Some(function), is_open: true }));
        } else {
            bins.push(Bin { target, function: None, is_open: true });
        }
    }
    let mut left = match order.scope {
        Scope::Global => order.count,
        Scope::PerFile | Scope::PerFunction => order.count * bins.len(),
        Scope::EachFile | Scope::EachFunction => unreachable!("these are not drawn"),
    };
    let mut random = Random::new(seed_of(&[&order.seed.to_le_bytes(), b"spread", &(number as u64).to_le_bytes()]));
    let mut round: u64 = 0;
    while left > 0 && bins.iter().any(|bin| bin.is_open) {
        let open: Vec<usize> = (0..bins.len()).filter(|bin| bins[*bin].is_open).collect();
        let mut shares: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for _ in 0..left {
            *counts.entry(*random.pick(&open)).or_default() += 1;
        }
        for (bin, count) in counts {
            shares.entry(bins[bin].target).or_default().push((bin, count));
        }
        let advance = |(target, variation): (usize, &mut Variation)| -> Option<Vec<(usize, usize)>> {
            let shares = shares.get(&target).map_or(&[][..], Vec::as_slice);
            if watcher.should_stop() {
                return None;
            }
            let recipe = recipe_of(&order.recipe, &targets[target]);
            let base = seed_of_target(order, &targets[target], number);
            let each = |(bin, count): &(usize, usize)| {
                let function = bins[*bin].function.map_or(0, |function| function as u64 + 1);
                let seed = seed_of(&[&base.to_le_bytes(), &round.to_le_bytes(), &function.to_le_bytes()]);
                (*bin, recipe.advance(variation, *count, bins[*bin].function, seed))
            };
            Some(shares.iter().map(each).collect())
        };
        let unreached: Vec<Vec<(usize, usize)>> =
            variations.par_iter_mut().enumerate().map(advance).collect::<Option<_>>()?;
        left = 0;
        for (bin, missing) in unreached.into_iter().flatten() {
            bins[bin].is_open &= missing == 0;
            left += missing;
        }
        round += 1;
    }
    // What no place could take is told once, with the first program.
    let variant = |(index, variation): (usize, Variation)| {
        let seed = seed_of_target(order, &targets[index], number);
        let variant = finish(variation, order, seed, if index == 0 { left } else { 0 });
        watcher.tell(Event::Steps(1));
        variant
    };
    Some(variations.into_iter().enumerate().map(variant).collect())
}
