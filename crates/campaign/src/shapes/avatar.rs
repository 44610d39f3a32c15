//! AVATAR's search for a shape: small, few operations, little energy and accurate, by an accuracy that is guessed.
//!
//! From the paper (Shi et al., ICSE-SEIS 2024) and its program: the numbers that are searched; shapes drawn far from each other, trained shortly and
//! learned from by a linear surrogate of the accuracy; an archive of what nothing dominates, 50 iterations, tournaments of ten, crossover with
//! probability 0.6 and a mutation of each gene with 0.1.
//!
//! Different here: the tokenizer, the activation, dropout, the learning rate and the batch size belong to the training and are not searched; the surrogate is a
//! ridge regression with the penalty that leaves the least error on shapes left out, not a Bayesian one; energy is an objective of its own, which its
//! program equates with operations; a shape that is larger than the limit is left out before it is judged, where a solver pruned the space; dominance
//! is the usual one, where its program asks for better in everything; crossover exchanges the genes between two points.
//! Of the front, the shape with the best guess among those that fill nine tenths of the size is chosen, and trained; the program takes the one nearest the size.

use random::{Random, seed_of};

use super::Limits;
use super::pareto::{dominates, front};
use super::space::{Candidate, GENES, Genome, Space};

const POPULATION: usize = 50;
const ITERATIONS: usize = 50;
const TOURNAMENT: usize = 10;

/// Of a hundred children, how many have two parents; of a hundred genes, how many change.
const CROSSED: usize = 60;
const MUTATED: usize = 10;

/// The front of the archive. There is none if no shape is small enough.
pub fn search(space: &Space, limits: &Limits, accuracy: &dyn Fn(&Candidate) -> f64) -> Vec<Candidate> {
    let mut random = Random::new(seed_of(&[b"avatar", &limits.seed.to_le_bytes()]));
    let objectives = |candidate: &Candidate| {
        let cost = limits.cost(candidate);
        let distance = limits.bytes as f64 - cost.bytes as f64;
        (distance >= 0.0).then(|| vec![distance, cost.flops, cost.joules, -accuracy(candidate)])
    };
    let judged = |genome: Genome| {
        let candidate = space.candidate(&genome);
        objectives(&candidate).map(|objectives| Member { genome, candidate, objectives })
    };
    let Some(smallest) = judged([0; GENES]) else { return Vec::new() };
    let mut population = vec![smallest];
    for _ in 0..DRAWS {
        if population.len() < POPULATION {
            population.extend(judged(space.draw(&mut random)));
        }
    }
    let mut archive = Vec::new();
    keep(&mut archive, &population);
    for _ in 0..ITERATIONS {
        let mut children = Vec::new();
        // A child that is too large is left out, so that there may be fewer.
        for _ in 0..2 * POPULATION {
            let mut genome = winner(&population, &mut random).genome;
            if random.below(100) < CROSSED {
                let other = winner(&population, &mut random).genome;
                let (one, two) = (random.below(GENES), random.below(GENES));
                let (from, to) = (one.min(two), one.max(two));
                genome[from..=to].copy_from_slice(&other[from..=to]);
            }
            for (gene, place) in genome.iter_mut().enumerate() {
                if random.below(100) < MUTATED {
                    *place = space.mutate(gene, &mut random);
                }
            }
            if children.len() < POPULATION {
                children.extend(judged(genome));
            }
        }
        keep(&mut archive, &children);
        population = children;
        for _ in 0..POPULATION / 2 {
            population.push(random.pick(&archive).clone());
        }
    }
    let mut found: Vec<Candidate> = archive.into_iter().map(|member| member.candidate).collect();
    found.sort_by_key(|candidate| limits.cost(candidate).bytes);
    found
}

/// How often a first shape is drawn at most.
const DRAWS: usize = 20_000;

#[derive(Clone)]
struct Member {
    genome: Genome,
    candidate: Candidate,
    objectives: Vec<f64>,
}

/// Adds what nothing in the archive dominates, and removes what is dominated now.
fn keep(archive: &mut Vec<Member>, members: &[Member]) {
    archive.extend(members.iter().cloned());
    let objectives: Vec<Vec<f64>> = archive.iter().map(|member| member.objectives.clone()).collect();
    let mut kept = front(&objectives).into_iter().peekable();
    let mut place = 0;
    archive.retain(|_| {
        let is_kept = kept.next_if_eq(&place).is_some();
        place += 1;
        is_kept
    });
}

/// One of ten that none of the others dominates.
fn winner<'m>(population: &'m [Member], random: &mut Random) -> &'m Member {
    let mut best = random.pick(population);
    for _ in 1..TOURNAMENT {
        let other = random.pick(population);
        if dominates(&other.objectives, &best.objectives) {
            best = other;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::space::{Answers, Given};

    #[test]
    fn the_front_has_what_nothing_dominates() {
        let limits = Limits { bytes: 1_000_000, bits: 16, answers: Answers { programs: 1, classes: 2 }, seed: 0 };
        let space = Space::of_avatar(&Given { limit: Some(300), ..Given::default() });
        // Wide shapes are accurate here, so that the front trades width for size.
        let accuracy = |candidate: &Candidate| candidate.hidden as f64;
        let found = search(&space, &limits, &accuracy);
        assert!(found.len() > 5, "{}", found.len());
        assert!(found.iter().all(|candidate| limits.cost(candidate).bytes <= limits.bytes));
        let widest = found.iter().map(|candidate| candidate.hidden).max().unwrap();
        // One layer and the smallest vocabulary leave room for as much.
        assert!(widest >= 200, "{widest}");
        assert_eq!(search(&space, &limits, &accuracy), found);
        assert!(search(&space, &Limits { bytes: 1000, ..limits }, &accuracy).is_empty());
    }
}
