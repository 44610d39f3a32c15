//! Compressor's search for a shape: a genetic algorithm that wants many operations in few bytes, and trains nothing.
//!
//! From the paper (Shi et al., ASE 2022) and its program: the numbers that are searched, the fitness (GFLOPs less the distance to the size in MB), 50
//! shapes, 100 generations, a crossover at one point with probability 0.6 and otherwise new numbers from a random gene to the last, children that
//! are there already left out, and the best 50 kept.
//!
//! Different here: a shape that is larger than the limit is not kept, where there a GFLOP pays for a megabyte. Under a limit most children are too
//! large, so that a generation makes children until fifty are new and small enough, or ten times as many were made; most mutations move up to three
//! genes by at most a quarter of their lists, since what one number takes another has to give; and the search begins eight times, and joins what
//! it finds. Bytes are those of the bits that weights are written with, where there they are always four; two operations are counted for a product that is
//! added; heads cost nothing, so that each shape has as many as its width can be divided among, each a multiple of eight wide; and the length of a program is that of the training, 400 unless it is given, where there operations are
//! counted with 514.

use random::{Random, seed_of};
use rayon::prelude::*;

use super::Limits;
use super::space::{Candidate, GENES, Genome, Space};

const POPULATION: usize = 50;
const GENERATIONS: usize = 100;

/// How many children a generation makes at most.
const TRIES: usize = 10 * POPULATION;

/// Of a hundred children, how many have two parents.
const CROSSED: usize = 60;

/// Of a hundred mutations, how many move genes a little.
const MOVED: usize = 75;

/// How often the search begins.
const STARTS: u64 = 8;

/// The best shapes, the best first. There is none if no shape is small enough.
pub fn search(space: &Space, limits: &Limits) -> Vec<Candidate> {
    let found: Vec<Population> = (0..STARTS).into_par_iter().map(|start| evolved(space, limits, start)).collect();
    let mut all = Population::new();
    for (fitness, genome) in found.into_iter().flatten() {
        add(&mut all, space, genome, fitness);
    }
    all.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    all.into_iter().take(POPULATION).map(|(_, genome)| space.candidate(&genome)).collect()
}

/// Genomes with their fitness.
type Population = Vec<(f64, Genome)>;

/// Several genomes may stand for one shape, which is there once.
fn add(population: &mut Population, space: &Space, genome: Genome, fitness: f64) {
    let shape = space.candidate(&genome);
    if population.iter().all(|(_, own)| space.candidate(own) != shape) {
        population.push((fitness, genome));
    }
}

/// The last population of one start.
fn evolved(space: &Space, limits: &Limits, start: u64) -> Population {
    let mut random = Random::new(seed_of(&[b"compressor", &limits.seed.to_le_bytes(), &start.to_le_bytes()]));
    let mut population = Population::new();
    let try_out = |population: &mut Population, genome: Genome| {
        let genome = space.with_most_heads(genome);
        if let Some(fitness) = fitness(space, limits, &genome) {
            add(population, space, genome, fitness);
        }
    };
    // Most shapes that are drawn are too large, so that the smallest is there from the beginning.
    try_out(&mut population, [0; GENES]);
    for _ in 0..DRAWS {
        if population.len() < POPULATION {
            try_out(&mut population, space.draw(&mut random));
        }
    }
    if population.is_empty() {
        return population;
    }
    for _ in 0..GENERATIONS {
        let parents = population.clone();
        for _ in 0..TRIES {
            if population.len() == parents.len() + POPULATION {
                break;
            }
            let mut child = random.pick(&parents).1;
            let from = random.below(GENES);
            if random.below(100) < CROSSED {
                let other = random.pick(&parents).1;
                child[from..].copy_from_slice(&other[from..]);
            } else if random.below(100) < MOVED {
                for _ in 0..3 {
                    let gene = random.below(GENES);
                    child[gene] = space.moved(gene, child[gene], &mut random);
                }
            } else {
                for (gene, place) in child.iter_mut().enumerate().skip(from) {
                    *place = space.mutate(gene, &mut random);
                }
            }
            try_out(&mut population, child);
        }
        population.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        population.truncate(POPULATION);
    }
    population
}

/// How often a first shape is drawn at most.
const DRAWS: usize = 20_000;

/// None of what is too large.
fn fitness(space: &Space, limits: &Limits, genome: &Genome) -> Option<f64> {
    let cost = limits.cost(&space.candidate(genome));
    let distance = limits.bytes as f64 - cost.bytes as f64;
    (distance >= 0.0).then(|| cost.flops / 1e9 - distance / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::space::{Answers, Given};

    #[test]
    fn the_best_shape_fills_its_size_with_operations() {
        let limits = Limits { bytes: 3_000_000, bits: 32, answers: Answers { programs: 1, classes: 2 }, seed: 0 };
        let space = Space::of_compressor(&Given::default());
        let found = search(&space, &limits);
        let best = limits.cost(&found[0]);
        // The student that Compressor's authors published.
        assert!(best.bytes <= 3_000_000 && best.bytes > 2_800_000, "{best:?}");
        let Candidate { layers, hidden, heads, inner, vocabulary, .. } = found[0];
        // The heads of the published student are twelve wide, and here a multiple of eight.
        assert_eq!((layers, hidden, heads, inner, vocabulary), (12, 96, 6, 64, 1000));
        assert_eq!(search(&space, &limits), found);
        assert_ne!(search(&space, &Limits { seed: 1, ..limits })[1..], found[1..]);
        assert!(search(&space, &Limits { bytes: 1000, ..limits }).is_empty());
        // What is given stays.
        let given = Space::of_compressor(&Given { layers: Some(3), vocabulary: Some(2000), ..Given::default() });
        assert!(search(&given, &limits).iter().all(|one| (one.layers, one.vocabulary) == (3, 2000)));
    }
}
