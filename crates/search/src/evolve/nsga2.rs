//! NSGA-II (Deb et al. 2002): the best fronts of parents and children survive, ties broken by crowding distance.
//!
//! Children are made as in the genetic algorithm. Duplicates of a list are dropped, since copies would crowd out everything
//! else. The search is steady while the archive of everything evaluated does not change.

use random::Random;

use super::genetic::{bred, first_generation};
use super::{Evolution, EvolutionSettings, Found, World, dominates};

/// Searches for the Pareto front of all objectives.
pub fn nsga2<Error>(settings: &EvolutionSettings, world: World<'_, Error>) -> Result<Found, Error> {
    let mut random = Random::new(settings.seed);
    let mut evolution = Evolution::new(settings, world);
    let population = settings.population.max(1);
    let first: Vec<usize> = evolution.admit(first_generation(settings, &mut random))?.collect();
    let mut parents = survivors(&evolution, first, population);
    let mut steady = 0;
    let ended = loop {
        if let Some(ended) = evolution.ended(steady) {
            break ended;
        }
        let before = evolution.archive.clone();
        let mut children = Vec::new();
        while children.len() < population {
            let pair = [duel(&parents, &mut random), duel(&parents, &mut random)];
            children.extend(bred(&evolution, pair, &mut random));
        }
        children.truncate(population);
        let children = evolution.admit(children)?;
        let all = parents.iter().map(|seat| seat.place).chain(children).collect();
        parents = survivors(&evolution, all, population);
        steady = if evolution.archive != before { 0 } else { steady + 1 };
    };
    Ok(evolution.finish(ended))
}

/// A parent with its rank and crowding distance.
struct Seat {
    place: usize,
    front: usize,
    /// The crowding distance.
    distance: f64,
}

impl Seat {
    fn is_better(&self, other: &Seat) -> bool {
        self.front.cmp(&other.front).then(other.distance.total_cmp(&self.distance)).is_lt()
    }
}

/// The better of two random parents.
fn duel(parents: &[Seat], random: &mut Random) -> usize {
    let (one, other) = (random.pick(parents), random.pick(parents));
    if other.is_better(one) { other.place } else { one.place }
}

/// The best individuals, front by front; of the last front those with the largest crowding distance, ties in order.
fn survivors<Error>(evolution: &Evolution<'_, '_, Error>, places: Vec<usize>, count: usize) -> Vec<Seat> {
    let mut left: Vec<usize> = Vec::new();
    for place in places {
        let genotype = &evolution.individuals[place].genotype;
        if !left.iter().any(|other| evolution.individuals[*other].genotype == *genotype) {
            left.push(place);
        }
    }
    let mut seats: Vec<Seat> = Vec::new();
    for front in 0.. {
        if left.is_empty() || seats.len() >= count {
            break;
        }
        let costs = |place: usize| &evolution.individuals[place].costs;
        let is_free = |place: &usize| !left.iter().any(|other| dominates(costs(*other), costs(*place)));
        let (members, rest): (Vec<usize>, Vec<usize>) = left.iter().partition(|place| is_free(place));
        let distances = distances(&members.iter().map(|place| costs(*place).as_slice()).collect::<Vec<_>>());
        let mut next: Vec<Seat> =
            members.into_iter().zip(distances).map(|(place, distance)| Seat { place, front, distance }).collect();
        next.sort_by(|one, other| other.distance.total_cmp(&one.distance));
        next.truncate(count - seats.len());
        seats.extend(next);
        left = rest;
    }
    seats
}

/// The crowding distance of every member of a front: for each objective the distance between its neighbours, relative
/// to the width of the front. It is infinite at the ends of an objective.
fn distances(front: &[&[f64]]) -> Vec<f64> {
    let mut distances = vec![0.0; front.len()];
    for objective in 0..front.first().map_or(0, |costs| costs.len()) {
        let mut order: Vec<usize> = (0..front.len()).collect();
        order.sort_by(|one, other| front[*one][objective].total_cmp(&front[*other][objective]));
        let cost = |rank: usize| front[order[rank]][objective];
        let last = order.len() - 1;
        let width = cost(last) - cost(0);
        distances[order[0]] = f64::INFINITY;
        distances[order[last]] = f64::INFINITY;
        // Where all are equal, or something is undefined, nobody has more room than others.
        if width > 0.0 && width.is_finite() {
            for rank in 1..last {
                distances[order[rank]] += (cost(rank + 1) - cost(rank - 1)) / width;
            }
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::distances;

    #[test]
    fn ends_have_all_the_room_and_the_crowded_least() {
        let front = [[0.0, 4.0], [1.0, 3.0], [1.5, 2.5], [4.0, 0.0]];
        let found = distances(&front.each_ref().map(|costs| costs.as_slice()));
        assert_eq!(found, [f64::INFINITY, 0.375 + 0.375, 0.75 + 0.75, f64::INFINITY]);
        assert_eq!(distances(&[]), [0.0; 0]);
        assert_eq!(distances(&[&[1.0]]), [f64::INFINITY]);
        let undefined = distances(&[&[1.0], &[f64::INFINITY], &[2.0]]);
        assert!(undefined.iter().all(|distance| !distance.is_nan()));
    }
}
