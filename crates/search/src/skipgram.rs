//! Vectors of names: names that are spelled alike, or occur near the same names, are similar.
//!
//! This is the skip-gram model with subwords of Bojanowski et al. (2017), known from FastText: a name is the mean of
//! its own vector and those of its character n-grams of length three to six, and is trained to distinguish the names
//! around it from others. A name that was never seen still has its n-grams. Unlike FastText it trains on one thread
//! with plain additions and multiplications, so that the same names and seed give the same vectors on every machine. A
//! name is updated once for its whole window, whose names share their negative samples; small corpora are read more
//! often; and n-grams that never occurred are ignored instead of having a random vector.

use std::collections::HashMap;

use random::{Random, seed_of};

/// The dimension of the vectors.
const DIMENSIONS: usize = 64;

/// The number of hash buckets for character n-grams.
const BUCKETS: usize = 1 << 17;

/// The lengths of n-grams, with a boundary mark at either end of the name.
const SHORTEST_PIECE: usize = 3;
const LONGEST_PIECE: usize = 6;

/// The context of a name is at most this many names to either side.
const WINDOW: usize = 5;

/// The number of negative samples per name, and their weight for each name of the context.
const NEGATIVES: usize = 10;
const AGAINST_EACH: f32 = 5.0;

/// The initial learning rate, which decays to zero.
const FIRST_STEP: f32 = 0.05;

/// Names that are more frequent than this are subsampled, since they say little.
const FREQUENT: f64 = 1e-3;

/// The number of epochs is chosen so that about this many names are read, within limits.
const NAMES_READ: usize = 2_000_000;
const FEWEST_READINGS: usize = 3;
const MOST_READINGS: usize = 50;

///  A unit vector, or zero.
pub type Vector = [f32; DIMENSIONS];

/// Vectors of names. Without training it knows none.
#[derive(Default)]
pub struct Skipgram {
    /// The row of each name; names have the first rows.
    words: HashMap<String, usize>,
    /// The row of each bucket in use.
    buckets: HashMap<usize, usize>,
    rows: Vec<Vector>,
}

impl Skipgram {
    /// Trains on sequences of names as they occur in programs.
    pub fn train<Name: AsRef<str>>(sequences: &[Vec<Name>], seed: u64) -> Skipgram {
        let mut random = Random::new(seed_of(&[&seed.to_le_bytes(), b"skipgram"]));
        let mut model = Skipgram::default();
        let mut counts: Vec<usize> = Vec::new();
        let mut corpus: Vec<Vec<usize>> = Vec::with_capacity(sequences.len());
        for sequence in sequences {
            let number_of = |name: &Name| {
                let number = match model.words.get(name.as_ref()) {
                    Some(number) => *number,
                    None => {
                        model.words.insert(name.as_ref().to_owned(), counts.len());
                        counts.push(0);
                        counts.len() - 1
                    }
                };
                counts[number] += 1;
                number
            };
            corpus.push(sequence.iter().map(number_of).collect());
        }
        let pieces = model.add_rows(counts.len());
        let names: usize = counts.iter().sum();
        if names == 0 {
            return model;
        }
        let scale = 1.0 / DIMENSIONS as f32;
        for row in &mut model.rows {
            row.fill_with(|| scale * (2.0 * share(&mut random) as f32 - 1.0));
        }
        let kept: Vec<f64> = counts
            .iter()
            .map(|count| FREQUENT * names as f64 / *count as f64)
            .map(|rarity| rarity.sqrt() + rarity)
            .collect();
        let table = negatives(&counts, &mut random);
        let mut outputs: Vec<Vector> = vec![[0.0; DIMENSIONS]; counts.len()];
        let sigmoid = Sigmoid::new();
        let readings = (NAMES_READ / names).clamp(FEWEST_READINGS, MOST_READINGS);
        let (mut done, mut next_negative) = (0, 0);
        let mut sequence: Vec<usize> = Vec::new();
        for _ in 0..readings {
            for whole in &corpus {
                sequence.clear();
                sequence.extend(whole.iter().filter(|name| share(&mut random) < kept[**name]));
                let step = FIRST_STEP * (1.0 - done as f32 / (readings * names) as f32);
                done += whole.len();
                for (place, name) in sequence.iter().enumerate() {
                    let width = 1 + random.below(WINDOW);
                    let around = place.saturating_sub(width)..(place + width + 1).min(sequence.len());
                    let hidden = mean(&model.rows, &pieces[*name]);
                    let mut slope: Vector = [0.0; DIMENSIONS];
                    let mut learn = |output: usize, truth: f32, weight: f32| {
                        let output = &mut outputs[output];
                        let size = weight * step * (truth - sigmoid.of(dot(&hidden, output)));
                        add(&mut slope, size, output);
                        add(output, size, &hidden);
                    };
                    for other in around.clone().filter(|other| *other != place) {
                        learn(sequence[other], 1.0, 1.0);
                    }
                    let weight = (around.len() - 1) as f32 * AGAINST_EACH / NEGATIVES as f32;
                    for _ in 0..NEGATIVES {
                        next_negative = (next_negative + 1) % table.len();
                        if !sequence[around.clone()].contains(&table[next_negative]) {
                            learn(table[next_negative], 0.0, weight);
                        }
                    }
                    for row in &pieces[*name] {
                        add(&mut model.rows[*row], 1.0, &slope);
                    }
                }
            }
        }
        model
    }

    /// The unit vector of a name; zero if nothing is known about it.
    pub fn vector(&self, name: &str) -> Vector {
        let known = self.words.get(name).copied();
        let pieces = buckets(name).filter_map(|bucket| self.buckets.get(&bucket).copied());
        let rows: Vec<usize> = known.into_iter().chain(pieces).collect();
        let mut vector = mean(&self.rows, &rows);
        let length = dot(&vector, &vector).sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|number| *number /= length);
        }
        vector
    }

    /// The cosine similarity of two names.
    pub fn similarity(&self, one: &str, other: &str) -> f32 {
        dot(&self.vector(one), &self.vector(other))
    }

    /// Gives every name and every n-gram a row. Returns, for each name, the rows that it is the mean of.
    fn add_rows(&mut self, names: usize) -> Vec<Vec<usize>> {
        let mut pieces = vec![Vec::new(); names];
        let mut in_order: Vec<(&String, usize)> = self.words.iter().map(|(name, number)| (name, *number)).collect();
        in_order.sort_unstable_by_key(|(_, number)| *number);
        for (name, number) in in_order {
            pieces[number].push(number);
            for bucket in buckets(name) {
                let next = names + self.buckets.len();
                pieces[number].push(*self.buckets.entry(bucket).or_insert(next));
            }
        }
        self.rows = vec![[0.0; DIMENSIONS]; names + self.buckets.len()];
        pieces
    }
}

/// The buckets of the n-grams of a name.
fn buckets(name: &str) -> impl Iterator<Item = usize> {
    let marked: Vec<char> = format!("<{name}>").chars().collect();
    let starts = 0..marked.len();
    starts.flat_map(move |start| {
        let longest = (marked.len() - start).min(LONGEST_PIECE);
        let marked = marked.clone();
        (SHORTEST_PIECE..=longest).map(move |length| {
            let piece: String = marked[start..start + length].iter().collect();
            seed_of(&[piece.as_bytes()]) as usize % BUCKETS
        })
    })
}

/// Negative samples in random order: each name as often as the square root of its count.
fn negatives(counts: &[usize], random: &mut Random) -> Vec<usize> {
    const ABOUT: f64 = 262_144.0;
    let all: f64 = counts.iter().map(|count| (*count as f64).sqrt()).sum();
    let times = |count: usize| ((count as f64).sqrt() / all * ABOUT).ceil() as usize;
    let mut table: Vec<usize> =
        counts.iter().enumerate().flat_map(|(name, count)| std::iter::repeat_n(name, times(*count))).collect();
    random.shuffle(&mut table);
    table
}

/// A uniform number in [0, 1).
fn share(random: &mut Random) -> f64 {
    random.below(1 << 53) as f64 / (1_u64 << 53) as f64
}

fn mean(rows: &[Vector], places: &[usize]) -> Vector {
    let mut mean = [0.0; DIMENSIONS];
    for place in places {
        add(&mut mean, 1.0 / places.len() as f32, &rows[*place]);
    }
    mean
}

fn add(sum: &mut Vector, factor: f32, vector: &Vector) {
    for (number, other) in sum.iter_mut().zip(vector) {
        *number += factor * other;
    }
}

/// Eight independent sums let the processor add eight numbers at once, in an order that is always the same.
fn dot(one: &Vector, other: &Vector) -> f32 {
    let mut sums = [0.0; 8];
    for (one, other) in one.chunks_exact(8).zip(other.chunks_exact(8)) {
        for lane in 0..8 {
            sums[lane] += one[lane] * other[lane];
        }
    }
    sums.iter().sum()
}

/// The logistic function from a table, which is filled by multiplications alone: the last bits of a library's
/// exponential differ between machines.
struct Sigmoid {
    table: Vec<f32>,
}

impl Sigmoid {
    const LIMIT: f32 = 8.0;
    const ENTRIES: usize = 2048;

    fn new() -> Sigmoid {
        let value = |entry: usize| {
            let x = (entry as f64 / Sigmoid::ENTRIES as f64 * 2.0 - 1.0) * f64::from(Sigmoid::LIMIT);
            // (1 + x / 2^20) ^ 2^20 is the exponential to five digits.
            let exponential = (0..20).fold(1.0 + x / f64::from(1 << 20), |power, _| power * power);
            (exponential / (1.0 + exponential)) as f32
        };
        Sigmoid { table: (0..=Sigmoid::ENTRIES).map(value).collect() }
    }

    fn of(&self, x: f32) -> f32 {
        let x = x.clamp(-Sigmoid::LIMIT, Sigmoid::LIMIT);
        self.table[((x / Sigmoid::LIMIT + 1.0) * 0.5 * Sigmoid::ENTRIES as f32) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs about files and programs about trees, whose names never meet.
    fn corpus() -> Vec<Vec<&'static str>> {
        let mut random = Random::new(3);
        let files = ["fileName", "buffer", "bytesRead", "stream", "fileSize", "readLine", "offset"];
        let trees = ["leftChild", "rightChild", "parentNode", "depth", "treeRoot", "insertNode", "key"];
        let sequence = |place: usize, random: &mut Random| {
            let names = if place.is_multiple_of(2) { files } else { trees };
            (0..30).map(|_| *random.pick(&names)).collect()
        };
        (0..60).map(|place| sequence(place, &mut random)).collect()
    }

    #[test]
    fn names_that_share_pieces_or_contexts_are_near() {
        let model = Skipgram::train(&corpus(), 1);
        let is_nearer = |name: &str, near: &str, far: &str| {
            let (near_by, far_away) = (model.similarity(name, near), model.similarity(name, far));
            assert!(near_by > far_away + 0.1, "{name}: {near} {near_by}, {far} {far_away}");
        };
        is_nearer("buffer", "stream", "depth");
        is_nearer("key", "parentNode", "offset");
        is_nearer("fileName", "fileSize", "treeRoot");
        // These were never seen.
        is_nearer("fileNames", "fileName", "treeRoot");
        is_nearer("rightChildren", "leftChild", "buffer");
    }

    #[test]
    fn the_same_seed_gives_the_same_vectors() {
        let vectors = |seed| {
            let model = Skipgram::train(&corpus(), seed);
            ["buffer", "bufferSize", "zz"].map(|name| model.vector(name))
        };
        assert_eq!(vectors(1), vectors(1));
        assert_ne!(vectors(1), vectors(2));
    }

    #[test]
    fn what_is_unknown_is_near_nothing() {
        let model = Skipgram::train(&corpus(), 1);
        assert_eq!(model.similarity("ξψω", "buffer"), 0.0);
        assert!((model.similarity("buffer", "buffer") - 1.0).abs() < 1e-5);
        let empty = Skipgram::train(&Vec::<Vec<&str>>::new(), 1);
        assert_eq!(empty.similarity("buffer", "buffer"), 0.0);
    }

    #[test]
    fn the_table_is_the_logistic_function() {
        let sigmoid = Sigmoid::new();
        for x in [-9.0_f32, -3.0, -0.5, 0.0, 0.7, 2.0, 9.0] {
            let exact = 1.0 / (1.0 + (-x).exp());
            assert!((sigmoid.of(x) - exact).abs() < 3e-3, "{x}: {} {exact}", sigmoid.of(x));
        }
    }
}
