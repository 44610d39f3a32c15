//! MORPH's search for a shape: size, accuracy, prediction flips under metamorphic change, and operations, by AGE-MOEA.
//!
//! From the paper (Panichella, ICSE 2025) and its program: AVATAR's numbers, four objectives, two surrogates of boosted trees that are learned from shapes
//! trained shortly (the accuracy as its logit), and AGE-MOEA (Panichella, GECCO 2019) with 50 shapes, 100 generations, a first population drawn by Latin
//! hypercube, simulated binary crossover (eta 15, probability 0.9) and polynomial mutation (eta 30).
//!
//! Different here: the metamorphic change is a valid variant of this program's transformations, new ones by the seed of each evaluation, in the place
//! of one text that a language model wrote for each program; the trees are stumps, since what they learn from is a dozen shapes; the first population is what is
//! small enough of several hypercubes, and shapes larger than the limit are behind all others; and numbers are places in lists from the beginning, where its repair leaves them fractions.
//! Of the front, the shape with the best guess of the accuracy among those that fill nine tenths of the size is chosen, and trained; the program takes the
//! one nearest the size.

use random::{Random, seed_of};

use super::Limits;
use super::pareto::fronts;
use super::space::{Candidate, GENES, Space};

const POPULATION: usize = 50;
const GENERATIONS: usize = 100;
const OBJECTIVES: usize = 4;

/// From how many hypercubes at most the first population takes what is small enough.
const HYPERCUBES: usize = 200;
const CROSSOVER: f64 = 0.9;
const SPREAD_OF_CROSSOVER: f64 = 15.0;
const SPREAD_OF_MUTATION: f64 = 30.0;

/// The front of the last population. There is none if no shape is small enough.
pub fn search(
    space: &Space,
    limits: &Limits,
    accuracy: &dyn Fn(&Candidate) -> f64,
    flips: &dyn Fn(&Candidate) -> f64,
) -> Vec<Candidate> {
    if limits.cost(&space.candidate(&[0; GENES])).bytes > limits.bytes {
        return Vec::new();
    }
    let mut random = Random::new(seed_of(&[b"morph", &limits.seed.to_le_bytes()]));
    let judged = |shares: Shares| {
        let candidate = space.candidate(&space.at(&shares));
        let cost = limits.cost(&candidate);
        let objectives = match cost.bytes <= limits.bytes {
            true => vec![(limits.bytes - cost.bytes) as f64, -accuracy(&candidate), flips(&candidate), cost.flops],
            // How far it is too large decides among those that are.
            false => vec![f64::INFINITY; OBJECTIVES].into_iter().chain([(cost.bytes - limits.bytes) as f64]).collect(),
        };
        Member { shares, candidate, objectives, rank: 0, score: 0.0 }
    };
    let mut population: Vec<Member> = vec![judged([0.0; GENES])];
    for _ in 0..HYPERCUBES {
        let drawn = hypercube(&mut random).into_iter().map(judged);
        population.extend(drawn.filter(|member| member.objectives.len() == OBJECTIVES));
        if population.len() > POPULATION {
            break;
        }
    }
    population = survivors(population);
    for _ in 0..GENERATIONS {
        let mut children = Vec::new();
        while children.len() < POPULATION {
            let parents = [winner(&population, &mut random).shares, winner(&population, &mut random).shares];
            for mut shares in crossed(parents, &mut random) {
                mutate(&mut shares, &mut random);
                children.push(judged(shares));
            }
        }
        population.extend(children);
        // A shape is there once.
        let mut seen: Vec<Candidate> = Vec::new();
        population.retain(|member| {
            let is_new = !seen.contains(&member.candidate);
            seen.push(member.candidate);
            is_new
        });
        population = survivors(population);
    }
    let best = population.into_iter().filter(|member| member.rank == 0 && member.objectives.len() == OBJECTIVES);
    let mut found: Vec<Candidate> = best.map(|member| member.candidate).collect();
    found.sort_by_key(|candidate| limits.cost(candidate).bytes);
    found
}

/// A genome as numbers from 0 to 1.
type Shares = [f64; GENES];

struct Member {
    shares: Shares,
    candidate: Candidate,
    /// Less is better.
    objectives: Vec<f64>,
    /// The number of its front.
    rank: usize,
    /// How much it is wanted among those of its front.
    score: f64,
}

/// A number from 0 to below 1.
fn share(random: &mut Random) -> f64 {
    const STEPS: usize = 1 << 53;
    random.below(STEPS) as f64 / STEPS as f64
}

/// A population in which every gene has a number from each fiftieth of its list.
fn hypercube(random: &mut Random) -> Vec<Shares> {
    let mut all = vec![[0.0; GENES]; POPULATION];
    for gene in 0..GENES {
        let mut strata: Vec<usize> = (0..POPULATION).collect();
        random.shuffle(&mut strata);
        for (shares, stratum) in all.iter_mut().zip(strata) {
            shares[gene] = (stratum as f64 + share(random)) / POPULATION as f64;
        }
    }
    all
}

/// The better of two: an earlier front, or a higher score.
fn winner<'m>(population: &'m [Member], random: &mut Random) -> &'m Member {
    let (one, other) = (random.pick(population), random.pick(population));
    let is_better = (other.rank, -other.score) < (one.rank, -one.score);
    if is_better { other } else { one }
}

/// Simulated binary crossover.
fn crossed([one, other]: [Shares; 2], random: &mut Random) -> [Shares; 2] {
    let mut children = [one, other];
    if share(random) >= CROSSOVER {
        return children;
    }
    for gene in 0..GENES {
        if random.below(2) == 0 {
            continue;
        }
        let draw = share(random);
        let power = 1.0 / (SPREAD_OF_CROSSOVER + 1.0);
        let beta = if draw <= 0.5 { (2.0 * draw).powf(power) } else { (0.5 / (1.0 - draw)).powf(power) };
        let (sum, difference) = (one[gene] + other[gene], beta * (one[gene] - other[gene]));
        children[0][gene] = (0.5 * (sum + difference)).clamp(0.0, 1.0);
        children[1][gene] = (0.5 * (sum - difference)).clamp(0.0, 1.0);
    }
    children
}

/// Polynomial mutation of one gene in seven.
fn mutate(shares: &mut Shares, random: &mut Random) {
    for own in shares {
        if random.below(GENES) != 0 {
            continue;
        }
        let draw = share(random);
        let power = 1.0 / (SPREAD_OF_MUTATION + 1.0);
        let step = if draw < 0.5 { (2.0 * draw).powf(power) - 1.0 } else { 1.0 - (2.0 * (1.0 - draw)).powf(power) };
        *own = (*own + step).clamp(0.0, 1.0);
    }
}

/// The fifty that go on: whole fronts, and of the last those that AGE-MOEA scores highest.
fn survivors(mut all: Vec<Member>) -> Vec<Member> {
    let objectives: Vec<Vec<f64>> = all
        .iter()
        // What is too large has one number more, which alone decides.
        .map(|member| match &member.objectives[..] {
            [.., over] if member.objectives.len() > OBJECTIVES => [vec![f64::MAX; OBJECTIVES], vec![*over]].concat(),
            own => own.iter().copied().chain([0.0]).collect(),
        })
        .collect();
    let mut kept: Vec<usize> = Vec::new();
    let mut shape_of_first = None;
    for (rank, front) in fronts(&objectives).into_iter().enumerate() {
        let own: Vec<&[f64]> = front.iter().map(|place| &objectives[*place][..OBJECTIVES]).collect();
        let shape = shape_of_first.get_or_insert_with(|| Geometry::of(&own));
        let scores = if rank == 0 { shape.scores(&own) } else { shape.nearness(&own) };
        let mut scored: Vec<(usize, f64)> = front.into_iter().zip(scores).collect();
        scored.sort_by(|(one, score), (other, more)| more.total_cmp(score).then(one.cmp(other)));
        for (place, score) in scored.into_iter().take(POPULATION - kept.len()) {
            (all[place].rank, all[place].score) = (rank, score);
            kept.push(place);
        }
        if kept.len() == POPULATION {
            break;
        }
    }
    let mut is_kept = vec![false; all.len()];
    kept.iter().for_each(|place| is_kept[*place] = true);
    let mut places = is_kept.into_iter();
    all.retain(|_| places.next().unwrap_or(false));
    all
}

/// What the first front looks like: where it begins, how far it reaches, and the norm in which its middle is as far as its ends.
struct Geometry {
    ideal: Vec<f64>,
    reach: Vec<f64>,
    norm: f64,
}

impl Geometry {
    fn of(front: &[&[f64]]) -> Geometry {
        let width = front.first().map_or(0, |own| own.len());
        let extent = |objective: usize, pick: fn(f64, f64) -> f64, from: f64| {
            front.iter().map(|own| own[objective]).fold(from, pick)
        };
        let ideal: Vec<f64> = (0..width).map(|objective| extent(objective, f64::min, f64::INFINITY)).collect();
        let reach = (0..width).map(|objective| {
            let length = extent(objective, f64::max, f64::NEG_INFINITY) - ideal[objective];
            // Of shapes that are all alike in something that says nothing.
            if length > 1e-12 && length.is_finite() { length } else { 1.0 }
        });
        let mut geometry = Geometry { reach: reach.collect(), ideal, norm: 1.0 };
        // The norm that the member nearest to the diagonal has length 1 in.
        let normed: Vec<Vec<f64>> = front.iter().map(|own| geometry.normed(own)).collect();
        let off = |own: &Vec<f64>| {
            let mean = own.iter().sum::<f64>() / width.max(1) as f64;
            own.iter().map(|number| (number - mean).powi(2)).sum::<f64>()
        };
        let is_inside =
            |own: &&Vec<f64>| own.iter().any(|number| *number > 0.0) && own.iter().all(|number| *number < 1.0);
        let central = normed.iter().filter(is_inside).min_by(|one, other| off(one).total_cmp(&off(other)));
        if let Some(central) = central {
            let mean = central.iter().sum::<f64>() / width.max(1) as f64;
            let norm = (width as f64).ln() / (1.0 / mean).ln();
            geometry.norm = if norm.is_nan() || norm <= 0.1 { 1.0 } else { norm.min(20.0) };
        }
        geometry
    }

    fn normed(&self, own: &[f64]) -> Vec<f64> {
        own.iter().zip(&self.ideal).zip(&self.reach).map(|((own, ideal), reach)| (own - ideal) / reach).collect()
    }

    fn length(&self, own: impl Iterator<Item = f64>) -> f64 {
        own.map(|number| number.abs().powf(self.norm)).sum::<f64>().powf(1.0 / self.norm)
    }

    /// Of fronts after the first: the nearer to the ideal, the better.
    fn nearness(&self, front: &[&[f64]]) -> Vec<f64> {
        front.iter().map(|own| 1.0 / self.length(self.normed(own).into_iter()).max(1e-9)).collect()
    }

    /// Of the first front: its ends, and then one after the other that is far from those that are taken, and near the ideal.
    fn scores(&self, front: &[&[f64]]) -> Vec<f64> {
        let normed: Vec<Vec<f64>> = front.iter().map(|own| self.normed(own)).collect();
        let mut scores = vec![0.0; front.len()];
        let mut taken: Vec<usize> = Vec::new();
        let best_in = |objective: usize| {
            (0..front.len()).min_by(|one, other| normed[*one][objective].total_cmp(&normed[*other][objective]))
        };
        for end in (0..self.ideal.len()).filter_map(best_in) {
            if !taken.contains(&end) {
                scores[end] = f64::INFINITY;
                taken.push(end);
            }
        }
        let lengths: Vec<f64> = normed.iter().map(|own| self.length(own.iter().copied()).max(1e-9)).collect();
        while taken.len() < front.len() {
            let mut best: Option<(f64, usize)> = None;
            for place in (0..front.len()).filter(|place| !taken.contains(place)) {
                let apart = |other: &usize| {
                    self.length(normed[place].iter().zip(&normed[*other]).map(|(one, other)| one - other))
                };
                let mut distances: Vec<f64> = taken.iter().map(apart).collect();
                distances.sort_by(f64::total_cmp);
                let score = distances.iter().take(2).sum::<f64>() / lengths[place];
                if best.is_none_or(|(most, _)| score > most) {
                    best = Some((score, place));
                }
            }
            let Some((score, place)) = best else { break };
            scores[place] = score;
            taken.push(place);
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::space::{Answers, Given};

    #[test]
    fn four_objectives_are_traded() {
        let limits = Limits { bytes: 1_000_000, bits: 16, answers: Answers { programs: 1, classes: 2 }, seed: 0 };
        let space = Space::of_avatar(&Given { limit: Some(300), ..Given::default() });
        let accuracy = |candidate: &Candidate| candidate.hidden as f64;
        let flips = |candidate: &Candidate| 13.0 - candidate.layers as f64;
        let found = search(&space, &limits, &accuracy, &flips);
        assert!(found.len() > 10 && found.iter().all(|one| limits.cost(one).bytes <= limits.bytes), "{found:?}");
        let (widest, deepest) =
            (found.iter().map(|one| one.hidden).max().unwrap(), found.iter().map(|one| one.layers).max().unwrap());
        assert!(widest >= 100 && deepest >= 11, "{widest} {deepest}");
        assert_eq!(search(&space, &limits, &accuracy, &flips), found);
        assert!(search(&space, &Limits { bytes: 1000, ..limits }, &accuracy, &flips).is_empty());
    }

    #[test]
    fn the_norm_of_a_front_is_found() {
        // A quarter of a circle, on which the middle is as far from the ideal as the ends are.
        let points: Vec<Vec<f64>> = (0..=8)
            .map(|place| (f64::from(place) / 8.0 * std::f64::consts::FRAC_PI_2).sin_cos())
            .map(|(one, other)| vec![1.0 - one, 1.0 - other])
            .collect();
        let front: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
        let norm = Geometry::of(&front).norm;
        // Seen from the ideal it bends inwards: 2 to the power of 1 / p is 1 / (1 - the root of a half).
        assert!((norm - 2.0_f64.ln() / (1.0 / (1.0 - 0.5_f64.sqrt())).ln()).abs() < 1e-9, "{norm}");
        let scores = Geometry::of(&front).scores(&front);
        assert_eq!(scores.iter().filter(|score| score.is_infinite()).count(), 2);
    }
}
