//! Makes variants of many programs at once, on all cores, with the same bytes on any number of them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use random::{Random, seed_of};
use rayon::prelude::*;
use syntax::{Language, Program, Surroundings};
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
    /// The other files of its project; `None` for a program that is read on its own.
    pub surroundings: Option<Arc<Surroundings>>,
    /// What the variants begin with, by their numbers, where names that files share have changed in them.
    pub beginnings: BTreeMap<usize, Beginning>,
}

/// A program before its own rewrites, after names that it shares with other files have changed in all of them.
pub struct Beginning {
    pub bytes: Vec<u8>,
    pub steps: Vec<Step>,
    pub surroundings: Arc<Surroundings>,
}

impl Original {
    /// The other files of its project in the variant with this number.
    fn surroundings_in(&self, number: usize) -> Option<Arc<Surroundings>> {
        let beginning = self.beginnings.get(&number).map(|beginning| &beginning.surroundings);
        beginning.or(self.surroundings.as_ref()).cloned()
    }
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
    /// New names that other files of the project could see.
    names_for_others: BTreeSet<String>,
    /// New names that only the files can see that it includes, or that include it.
    names_for_itself: BTreeSet<String>,
}

/// The new names that the files of a project have been given so far, by the number of the variant. No two files get the same
/// where they could meet.
#[derive(Default)]
pub struct Taken(BTreeMap<usize, TakenNames>);

#[derive(Default)]
struct TakenNames {
    /// The names that all files may meet.
    open: Arc<HashSet<String>>,
    /// Those of them in files that are included, which the names of a file's own meet as well.
    included: Arc<HashSet<String>>,
    /// Names of files' own, and the open ones: what a file that is included may meet.
    all: Arc<HashSet<String>>,
}

impl Taken {
    /// Makes the variant again, without the names that are taken, where it has one of those or a word of another file. The
    /// files come in their order, so that the result does not depend on which was made first.
    fn settle(
        &mut self,
        target: &Original,
        number: usize,
        variant: &mut Variant,
        again: impl FnOnce(Arc<Surroundings>) -> Variant,
    ) {
        let Some(around) = target.surroundings_in(number) else { return };
        let taken = self.0.entry(number).or_default();
        // What a file declares `static` is seen by the files that are included in the same places, and by no others.
        let met = if around.is_included() { &taken.all } else { &taken.open };
        let is_met = |name: &String| met.contains(name) || around.has_word(name);
        let is_own_met = |name: &String| taken.included.contains(name);
        if variant.names_for_others.iter().any(is_met) || variant.names_for_itself.iter().any(is_own_met) {
            *variant = again(Arc::new(around.with_reserved(Arc::clone(met))));
        }
        let (open, own) = (&variant.names_for_others, &variant.names_for_itself);
        Arc::make_mut(&mut taken.open).extend(open.iter().cloned());
        Arc::make_mut(&mut taken.all).extend(open.iter().chain(own).cloned());
        if around.is_included() {
            Arc::make_mut(&mut taken.included).extend(open.iter().cloned());
        }
    }
}

/// The most rewrites at the end of a program. Each makes the program smaller, so it is never reached.
const MOST_FINISHING: usize = 100_000;

/// Makes the variants of all originals, in their order. The watcher hears of each variant; when it ends the work, the answer is
/// `None`.
pub fn vary(
    targets: &[Original],
    order: &Order,
    taken: &mut Taken,
    watcher: &dyn Watcher,
) -> Option<Vec<Vec<Variant>>> {
    let numbers: Vec<usize> = (1..=order.variants).collect();
    if order.scope.is_drawn() {
        let rounds: Vec<Vec<Variant>> =
            numbers.iter().map(|number| draw(targets, order, *number, taken, watcher)).collect::<Option<_>>()?;
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
            let variant = vary_one(target, order, *number, target.surroundings_in(*number));
            watcher.tell(Event::Steps(1));
            Some(variant)
        };
        numbers.iter().map(variant).collect()
    };
    let mut variants: Vec<Vec<Variant>> = targets.par_iter().map(each).collect::<Option<_>>()?;
    for (target, variants) in targets.iter().zip(&mut variants) {
        for (number, variant) in numbers.iter().zip(variants) {
            taken.settle(target, *number, variant, |around| vary_one(target, order, *number, Some(around)));
        }
    }
    Some(variants)
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

fn vary_one(target: &Original, order: &Order, number: usize, surroundings: Option<Arc<Surroundings>>) -> Variant {
    let seed = seed_of_target(order, target, number);
    let recipe = recipe_of(&order.recipe, target);
    let is_by_function = order.scope == Scope::EachFunction;
    let mut variation = start(target, number, surroundings, is_by_function);
    let unreached = if variation.program.is_broken() {
        0
    } else if is_by_function {
        recipe.advance_each(&mut variation, order.count, seed)
    } else {
        recipe.advance(&mut variation, order.count, None, seed)
    };
    finish(variation, target, number, order, unreached)
}

fn start(target: &Original, number: usize, surroundings: Option<Arc<Surroundings>>, is_by_function: bool) -> Variation {
    let bytes = target.beginnings.get(&number).map_or(&target.bytes, |beginning| &beginning.bytes);
    let program = Program::from_bytes(target.language, bytes.clone()).within(surroundings);
    if is_by_function && !program.is_broken() { Variation::with_functions(program) } else { Variation::of(program) }
}

fn finish(mut variation: Variation, target: &Original, number: usize, order: &Order, unreached: usize) -> Variant {
    let seed = seed_of_target(order, target, number);
    if let Some(last) = &order.finish
        && !variation.program.is_broken()
    {
        last.exhaust(&mut variation, MOST_FINISHING, seed);
    }
    let (names_for_others, names_for_itself) = match variation.program.surroundings() {
        Some(_) => (variation.names_for_others(), variation.names_for_itself()),
        None => (BTreeSet::new(), BTreeSet::new()),
    };
    let beginning = target.beginnings.get(&number).map_or(&[][..], |beginning| &beginning.steps);
    let program = &variation.program;
    Variant {
        seed,
        bytes: program.bytes().to_vec(),
        broken_at: program.first_error().map(|error| program.line_and_column(error.start)),
        steps: [beginning, &variation.steps].concat(),
        unreached,
        tallies: variation.tallies,
        names_for_others,
        names_for_itself,
    }
}

/// A place that rewrites are drawn for: a program, or a function of one.
struct Bin {
    target: usize,
    function: Option<usize>,
    is_open: bool,
}

/// How many rewrites a place got in a round, and how many of them it could not take.
struct Share {
    round: u64,
    bin: usize,
    count: usize,
    missing: usize,
}

/// One variant of every target, with the rewrites spread by drawing. What a place cannot take is drawn again for others.
fn draw(
    targets: &[Original],
    order: &Order,
    number: usize,
    taken: &mut Taken,
    watcher: &dyn Watcher,
) -> Option<Vec<Variant>> {
    let is_by_function = order.scope == Scope::PerFunction;
    let mut variations: Vec<Variation> = targets
        .par_iter()
        .map(|target| start(target, number, target.surroundings_in(number), is_by_function))
        .collect();
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
    let mut shares: Vec<Vec<Share>> = targets.iter().map(|_| Vec::new()).collect();
    let mut round: u64 = 0;
    while left > 0 && bins.iter().any(|bin| bin.is_open) {
        let open: Vec<usize> = (0..bins.len()).filter(|bin| bins[*bin].is_open).collect();
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for _ in 0..left {
            *counts.entry(*random.pick(&open)).or_default() += 1;
        }
        for (bin, count) in counts {
            shares[bins[bin].target].push(Share { round, bin, count, missing: 0 });
        }
        let advance = |((variation, shares), target): ((&mut Variation, &mut Vec<Share>), &Original)| -> Option<()> {
            if watcher.should_stop() {
                return None;
            }
            for share in shares.iter_mut().filter(|share| share.round == round) {
                share.missing = take(variation, target, order, number, share, bins[share.bin].function);
            }
            Some(())
        };
        variations.par_iter_mut().zip(&mut shares).zip(targets).map(advance).collect::<Option<()>>()?;
        left = 0;
        for share in shares.iter().flatten().filter(|share| share.round == round) {
            bins[share.bin].is_open &= share.missing == 0;
            left += share.missing;
        }
        round += 1;
    }
    let again = |index: usize, around: Arc<Surroundings>, unreached: usize| {
        let target = &targets[index];
        let mut variation = start(target, number, Some(around), is_by_function);
        let mut unreached = unreached;
        for share in &shares[index] {
            let missing = take(&mut variation, target, order, number, share, bins[share.bin].function);
            unreached += missing.saturating_sub(share.missing);
        }
        finish(variation, target, number, order, unreached)
    };
    let variant = |(index, variation): (usize, Variation)| {
        // Rewrites that fit nowhere are reported once, with the first program.
        let unreached = if index == 0 { left } else { 0 };
        let mut variant = finish(variation, &targets[index], number, order, unreached);
        taken.settle(&targets[index], number, &mut variant, |around| again(index, around, unreached));
        watcher.tell(Event::Steps(1));
        variant
    };
    Some(variations.into_iter().enumerate().map(variant).collect())
}

/// Does the rewrites that a place got, and returns how many it could not take.
fn take(
    variation: &mut Variation,
    target: &Original,
    order: &Order,
    number: usize,
    share: &Share,
    function: Option<usize>,
) -> usize {
    let base = seed_of_target(order, target, number);
    let place = function.map_or(0, |function| function as u64 + 1);
    let seed = seed_of(&[&base.to_le_bytes(), &share.round.to_le_bytes(), &place.to_le_bytes()]);
    recipe_of(&order.recipe, target).advance(variation, share.count, function, seed)
}
