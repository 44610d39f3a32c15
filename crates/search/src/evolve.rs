//! Guided search over a whole data set: lists of rewrites evolve to change the model's score on it as much as possible.
//!
//! An individual is a [`Genotype`], an ordered list of transformations with their seeds; its phenotype is the data set
//! with the list applied to every input. The algorithms know neither models nor programs: they request the costs of
//! lists, one for each objective, and minimise them, so that the direction of a measure is handled in one place, where
//! costs are computed. An undefined measure costs infinity. A list is evaluated once, however often it is bred.

mod archive;
mod genetic;
mod genotype;
mod nsga2;
mod random;

use std::collections::HashMap;
use std::ops::Range;

pub use self::random::{random, random_lists};
pub use archive::{Archive, dominates};
pub use genetic::genetic;
pub use genotype::{Breeding, Gene, Genotype};
pub use nsga2::nsga2;

/// The parameters of a search. The defaults are those of Marang's thesis, table 5.1.
#[derive(Clone, Debug)]
pub struct EvolutionSettings {
    pub seed: u64,
    /// The number of individuals per generation.
    pub population: usize,
    /// The size of a tournament, whose winner becomes a parent.
    pub tournament: usize,
    /// The search ends after this many generations without an improvement.
    pub steady: usize,
    /// The maximum number of generations after the first.
    pub generations: Option<usize>,
    /// The weight of each objective in the sum that the genetic algorithm minimises.
    pub weights: Vec<f64>,
    pub breeding: Breeding,
}

impl EvolutionSettings {
    /// The values of the thesis.
    pub fn of_thesis(seed: u64, transformations: usize, weights: Vec<f64>) -> EvolutionSettings {
        let breeding = Breeding { transformations, most_genes: 20, crossover: 0.7, mutation: 0.4, increase: 0.7 };
        EvolutionSettings { seed, population: 10, tournament: 4, steady: 35, generations: None, weights, breeding }
    }
}

/// The cost of a list for each objective.
pub type Costs = Vec<f64>;

/// Computes the costs of lists.
pub type Evaluate<'w, Error> = dyn FnMut(&[Genotype]) -> Result<Vec<Costs>, Error> + 'w;

/// What a search needs from outside.
pub struct World<'w, Error> {
    /// Computes the costs of lists that were not evaluated before.
    pub evaluate: &'w mut Evaluate<'w, Error>,
    /// Must the search end after this generation, because its time is up?
    pub is_over: &'w mut dyn FnMut(usize) -> bool,
}

/// A member of a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Individual {
    pub genotype: Genotype,
    /// The indices of its parents among all individuals; none in the first generation and in random search.
    pub parents: Vec<usize>,
    pub generation: usize,
    pub costs: Costs,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// There was no improvement for a while.
    Steady,
    /// The maximum number of generations was reached.
    Generations,
    /// The time was up.
    Time,
    /// The maximum number of evaluations was reached.
    Evaluations,
}

impl Ended {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Ended::Steady => "steady",
            Ended::Generations => "generations",
            Ended::Time => "time",
            Ended::Evaluations => "evaluations",
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Every member of every generation, in order.
    pub individuals: Vec<Individual>,
    /// The index of the individual with the smallest weighted sum of costs; of equal ones the shorter list, then the
    /// first.
    pub best: usize,
    /// The indices of the individuals on the Pareto front.
    pub archive: Vec<usize>,
    /// The number of distinct lists that were evaluated.
    pub evaluations: usize,
    pub generations: usize,
    pub ended: Ended,
}

/// The state of a search: all individuals so far, and the costs of every list by its genes.
struct Evolution<'r, 'w, Error> {
    settings: &'r EvolutionSettings,
    world: World<'w, Error>,
    individuals: Vec<Individual>,
    known: HashMap<Genotype, Costs>,
    archive: Archive,
    best: usize,
    generations: usize,
}

impl<'r, 'w, Error> Evolution<'r, 'w, Error> {
    fn new(settings: &'r EvolutionSettings, world: World<'w, Error>) -> Evolution<'r, 'w, Error> {
        let (individuals, known) = (Vec::new(), HashMap::new());
        Evolution { settings, world, individuals, known, archive: Archive::default(), best: 0, generations: 0 }
    }

    /// Evaluates the next generation, and returns its indices. Known lists are not evaluated again.
    fn admit(&mut self, born: Vec<(Genotype, Vec<usize>)>) -> Result<Range<usize>, Error> {
        let mut unknown: Vec<Genotype> = Vec::new();
        for (genotype, _) in &born {
            if !self.known.contains_key(genotype) && !unknown.contains(genotype) {
                unknown.push(genotype.clone());
            }
        }
        if !unknown.is_empty() {
            let costs = (self.world.evaluate)(&unknown)?;
            self.known.extend(unknown.into_iter().zip(costs));
        }
        let first = self.individuals.len();
        for (genotype, parents) in born {
            let costs = self.known.get(&genotype).cloned().unwrap_or_default();
            let place = self.individuals.len();
            self.archive.add(place, &costs);
            self.individuals.push(Individual { genotype, parents, generation: self.generations, costs });
            if self.is_better(place, self.best) {
                self.best = place;
            }
        }
        self.generations += 1;
        Ok(first..self.individuals.len())
    }

    /// The weighted sum of the costs.
    fn fitness(&self, place: usize) -> f64 {
        self.individuals[place].costs.iter().zip(&self.settings.weights).map(|(cost, weight)| cost * weight).sum()
    }

    /// Is one individual better than another? Of equal ones the shorter list is.
    fn is_better(&self, one: usize, other: usize) -> bool {
        let length = |place: usize| self.individuals[place].genotype.len();
        self.fitness(one).total_cmp(&self.fitness(other)).then(length(one).cmp(&length(other))).is_lt()
    }

    /// Must the search end, if nothing has improved for `steady` generations?
    fn ended(&mut self, steady: usize) -> Option<Ended> {
        // The first generation is not bred, so it counts for nothing.
        let bred = self.generations.saturating_sub(1);
        if steady >= self.settings.steady {
            Some(Ended::Steady)
        } else if self.settings.generations.is_some_and(|most| bred >= most) {
            Some(Ended::Generations)
        } else {
            (self.world.is_over)(bred).then_some(Ended::Time)
        }
    }

    fn finish(self, ended: Ended) -> Found {
        Found {
            best: self.best,
            archive: self.archive.places(),
            evaluations: self.known.len(),
            generations: self.generations,
            individuals: self.individuals,
            ended,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::convert::Infallible;

    use super::*;

    /// A problem with a known best list: each gene of transformation 3 saves one, every other gene costs one; the
    /// second objective is the length.
    fn costs(genotype: &Genotype) -> Vec<f64> {
        let good = genotype.iter().filter(|gene| gene.transformation == 3).count() as f64;
        vec![genotype.len() as f64 - 2.0 * good, genotype.len() as f64]
    }

    type Search = fn(&EvolutionSettings, World<'_, Infallible>) -> Result<Found, Infallible>;

    fn search(search: Search, settings: &EvolutionSettings) -> (Found, usize) {
        let mut asked: HashSet<Genotype> = HashSet::new();
        let mut evaluate = |genotypes: &[Genotype]| {
            for genotype in genotypes {
                assert!(asked.insert(genotype.clone()), "a list was asked about twice");
            }
            Ok(genotypes.iter().map(costs).collect())
        };
        let Ok(found) = search(settings, World { evaluate: &mut evaluate, is_over: &mut |_| false });
        (found, asked.len())
    }

    fn settings(seed: u64, weights: [f64; 2]) -> EvolutionSettings {
        EvolutionSettings::of_thesis(seed, 8, weights.to_vec())
    }

    #[test]
    fn the_genetic_algorithm_finds_the_best_list_and_the_same_one_again() {
        let (mut guided, mut blind) = (0.0, 0.0);
        for seed in 0..10 {
            let settings = settings(seed, [1.0, 0.0]);
            let (found, asked) = search(genetic, &settings);
            assert_eq!((found.evaluations, found.ended), (asked, Ended::Steady));
            guided += found.individuals[found.best].costs[0];
            assert_eq!(search(genetic, &settings).0, found);
            let mut evaluate = |genotypes: &[Genotype]| Ok(genotypes.iter().map(costs).collect());
            let mut is_over = |_| false;
            let world = World { evaluate: &mut evaluate, is_over: &mut is_over };
            let Ok(by_chance) = random::<Infallible>(&settings, asked, world);
            assert_eq!((by_chance.evaluations, by_chance.ended), (asked, Ended::Evaluations));
            blind += by_chance.individuals[by_chance.best].costs[0];
        }
        // Twenty good genes would cost -20 each time; chance finds a few in a list.
        assert!(guided < -120.0 && guided < blind - 50.0, "{guided} against {blind}");
    }

    #[test]
    fn weights_decide_what_is_best() {
        let (found, _) = search(genetic, &settings(1, [0.0, 1.0]));
        assert_eq!(found.individuals[found.best].genotype.len(), 1);
        let (found, _) = search(genetic, &settings(1, [1.0, 3.0]));
        assert_eq!(found.individuals[found.best].genotype.len(), 1);
        assert_eq!(found.individuals[found.best].costs[0], -1.0);
    }

    #[test]
    fn nsga2_spreads_along_the_front() {
        let (found, asked) = search(nsga2, &EvolutionSettings { population: 20, ..settings(3, [1.0, 1.0]) });
        assert_eq!(found.evaluations, asked);
        assert_eq!(search(nsga2, &EvolutionSettings { population: 20, ..settings(3, [1.0, 1.0]) }).0, found);
        let front: Vec<&Vec<f64>> = found.archive.iter().map(|place| &found.individuals[*place].costs).collect();
        assert!(front.len() > 5, "{front:?}");
        // The whole front is known: lists of good genes only.
        let best = front.iter().filter(|costs| costs[0] == -costs[1]).count();
        assert!(best * 10 >= front.len() * 8, "{front:?}");
        for one in &front {
            assert!(!front.iter().any(|other| dominates(other, one)));
        }
    }

    #[test]
    fn generations_are_whole_and_children_have_parents() {
        for (run, odd) in [(genetic as Search, 7), (nsga2 as Search, 7), (genetic as Search, 1), (nsga2 as Search, 1)] {
            let settings =
                EvolutionSettings { population: odd, tournament: 50, generations: Some(5), ..settings(2, [1.0, 0.0]) };
            let (found, _) = search(run, &settings);
            assert_eq!((found.generations, found.ended), (6, Ended::Generations));
            assert_eq!(found.individuals.len(), 6 * odd);
            for (place, individual) in found.individuals.iter().enumerate() {
                assert_eq!(individual.generation, place / odd);
                assert_eq!(individual.parents.len(), if individual.generation == 0 { 0 } else { 2 });
                assert!(individual.parents.iter().all(|parent| *parent < place - place % odd));
                assert!((1..=20).contains(&individual.genotype.len()));
            }
        }
    }

    #[test]
    fn time_and_errors_end_a_search() {
        let settings = settings(2, [1.0, 0.0]);
        let mut evaluate = |genotypes: &[Genotype]| Ok(genotypes.iter().map(costs).collect());
        let mut is_over = |generation| generation >= 3;
        let Ok(found) = genetic::<Infallible>(&settings, World { evaluate: &mut evaluate, is_over: &mut is_over });
        assert_eq!((found.generations, found.ended), (4, Ended::Time));
        let mut calls = 0;
        let mut evaluate = |genotypes: &[Genotype]| {
            calls += 1;
            if calls > 2 { Err("broken") } else { Ok(genotypes.iter().map(costs).collect()) }
        };
        let ended = genetic(&settings, World { evaluate: &mut evaluate, is_over: &mut |_| false });
        assert_eq!(ended, Err("broken"));
    }

    #[test]
    fn what_is_undefined_is_never_best() {
        let mut evaluate = |genotypes: &[Genotype]| -> Result<Vec<Vec<f64>>, Infallible> {
            let cost = |genotype: &Genotype| if genotype.len() > 1 { f64::INFINITY } else { 1.0 };
            Ok(genotypes.iter().map(|genotype| vec![cost(genotype)]).collect())
        };
        let settings = EvolutionSettings { generations: Some(8), ..EvolutionSettings::of_thesis(5, 8, vec![1.0]) };
        let Ok(found) = genetic(&settings, World { evaluate: &mut evaluate, is_over: &mut |_| false });
        assert_eq!(found.individuals[found.best].genotype.len(), 1);
    }
}
