//! The genetic algorithm of Marang's thesis (2023), sections 4.3 and 5.2, without the bugs of the published program.
//!
//! In the first generation half of the lists have one gene, the others two. Two tournaments select two parents; both
//! children are kept; every decision is drawn from the one seed. There is no elitism: the best list ever seen is remembered
//! outside the population.

use std::ops::Range;

use random::Random;

use super::{Evolution, EvolutionSettings, Found, Genotype, World};

/// Minimises the weighted sum of costs.
pub fn genetic<Error>(settings: &EvolutionSettings, world: World<'_, Error>) -> Result<Found, Error> {
    let mut random = Random::new(settings.seed);
    let mut evolution = Evolution::new(settings, world);
    let mut current = evolution.admit(first_generation(settings, &mut random))?;
    let mut steady = 0;
    let ended = loop {
        if let Some(ended) = evolution.ended(steady) {
            break ended;
        }
        let before = evolution.fitness(evolution.best);
        let mut children = Vec::new();
        while children.len() < settings.population.max(1) {
            let parents =
                [tournament(&evolution, &current, &mut random), tournament(&evolution, &current, &mut random)];
            children.extend(bred(&evolution, parents, &mut random));
        }
        children.truncate(settings.population.max(1));
        current = evolution.admit(children)?;
        steady = if evolution.fitness(evolution.best) < before { 0 } else { steady + 1 };
    };
    Ok(evolution.finish(ended))
}

/// Lists of one gene, and as many of two.
pub(super) fn first_generation(settings: &EvolutionSettings, random: &mut Random) -> Vec<(Genotype, Vec<usize>)> {
    let list = |place: usize| (settings.breeding.list(1 + place % 2, random), Vec::new());
    (0..settings.population.max(1)).map(list).collect()
}

/// Both children of two parents.
pub(super) fn bred<Error>(
    evolution: &Evolution<'_, '_, Error>,
    parents: [usize; 2],
    random: &mut Random,
) -> [(Genotype, Vec<usize>); 2] {
    let [one, other] = parents.map(|parent| &evolution.individuals[parent].genotype);
    let breeding = &evolution.settings.breeding;
    let (mut first, mut second) = breeding.cross(one, other, random);
    breeding.mutate(&mut first, random);
    breeding.mutate(&mut second, random);
    // The first parent of a child is the one whose length it has.
    [(first, parents.to_vec()), (second, vec![parents[1], parents[0]])]
}

/// The best of some individuals that are drawn without replacement. A smaller generation takes part as a whole.
fn tournament<Error>(evolution: &Evolution<'_, '_, Error>, current: &Range<usize>, random: &mut Random) -> usize {
    let mut places: Vec<usize> = current.clone().collect();
    let mut best = places.swap_remove(random.below(places.len()));
    for _ in 1..evolution.settings.tournament.min(current.len()) {
        let place = places.swap_remove(random.below(places.len()));
        if evolution.is_better(place, best) {
            best = place;
        }
    }
    best
}
