//! Attention of every query to every key, a few queries at a time: the matrix of all scores is never there as a whole.

use super::dispatch;
use super::lanes::{self, Lanes};

/// Queries, keys and values in rows. A row holds all heads beside each other.
pub struct Attention<'a> {
    /// The rows of the queries, and where in a row the first head begins.
    pub queries: Rows<'a>,
    /// The keys.
    pub keys: Rows<'a>,
    /// The values.
    pub values: Rows<'a>,
    /// The number of heads.
    pub heads: usize,
    /// How many numbers of a row belong to a head.
    pub width: usize,
    /// What else counts for a query and a key: how far they are apart. The place of each is the number of its row.
    pub distances: Option<&'a Distances>,
    /// What the products of queries and keys are multiplied with.
    pub scale: f32,
    /// What is added to the scores: for each head, or once for all of them, a row for each query with a number for each key.
    /// Negative infinity hides a key.
    pub bias: Option<&'a [f32]>,
}

/// The embeddings of all distances between a query and a key, shared by the heads.
pub struct Distances {
    /// For every number of an embedding, that of each distance: from the key that is furthest before the query to the one that is
    /// furthest after it, so that the distances from a query to keys beside each other lie beside each other. A row ends with
    /// zeros, because keys are read sixteen at a time.
    numbers: Vec<f32>,
    /// How long such a row is.
    stride: usize,
    /// The most queries and keys.
    places: usize,
    /// Is the embedding multiplied with the key, too, and not with the query only?
    with_keys: bool,
}

impl Distances {
    /// Takes a row of `width` numbers for every distance, the query's place minus the key's, from `1 - places` to `places - 1`. The
    /// product of the query with the row of its distance to the key is added to that of the query and the key, and if `with_keys`,
    /// also the product of the key with the row.
    pub fn new(rows: &[f32], places: usize, width: usize, with_keys: bool) -> Distances {
        let count = rows.len() / width;
        let stride = count + 15;
        let mut numbers = vec![0.0; width * stride];
        for (at, row) in rows.chunks_exact(width).rev().enumerate() {
            row.iter().enumerate().for_each(|(number, value)| numbers[number * stride + at] = *value);
        }
        Distances { numbers, stride, places, with_keys }
    }

    /// For one number of an embedding, the distances from a query to sixteen keys.
    #[inline(always)]
    fn load<L: Lanes>(&self, lanes: L, number: usize, query: usize, first_key: usize) -> L::V {
        let start = number * self.stride + self.places - 1 - query + first_key;
        lanes.load(self.numbers[start..].first_chunk().expect("fifteen zeros after the last distance"))
    }
}

/// Rows that are a part of wider rows.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// The wider rows, one after another.
    pub all: &'a [f32],
    /// How wide they are.
    pub stride: usize,
    /// Where in them the part begins.
    pub start: usize,
}

impl<'a> Rows<'a> {
    fn count(&self) -> usize {
        self.all.len() / self.stride
    }

    #[inline(always)]
    fn head(&self, row: usize, head: usize, width: usize) -> &'a [f32] {
        &self.all[row * self.stride + self.start + head * width..][..width]
    }
}

/// For every query the mean of the values, weighted by the softmax of its scores with the keys. A query from which all keys are
/// hidden gets zeros.
///
/// # Panics
///
/// If there are more queries or keys than places between which the distances are known.
pub fn attend(attention: &Attention<'_>) -> Vec<f32> {
    if let Some(distances) = attention.distances {
        let rows = attention.queries.count().max(attention.keys.count());
        assert!(rows <= distances.places, "{rows} rows, but the distances of {} are known", distances.places);
    }
    let mut result = vec![0.0; attention.queries.count() * attention.heads * attention.width];
    run((attention, &mut result));
    result
}

type Work<'a, 'r> = (&'a Attention<'a>, &'r mut [f32]);

fn run(work: Work<'_, '_>) {
    dispatch!(run_with, work: Work<'_, '_>)
}

/// The number of queries that share each key and value that is loaded: enough sums at once to keep the arithmetic busy.
const TOGETHER: usize = 8;

#[inline(always)]
fn run_with<L: Lanes>(lanes: L, (attention, result): Work<'_, '_>) {
    let (queries, keys) = (attention.queries.count(), attention.keys.count());
    let blocks = keys.div_ceil(16);
    let value_chunks = attention.width.div_ceil(16);
    let mut scratch = Scratch {
        queries: vec![0.0; attention.width * TOGETHER],
        keys: vec![[0.0; 16]; attention.width * blocks],
        values: vec![[0.0; 16]; keys * value_chunks],
        scores: vec![[0.0; 16]; TOGETHER * blocks],
        blocks,
        value_chunks,
    };
    for head in 0..attention.heads {
        scratch.take_head(attention, head);
        if queries < TOGETHER {
            (0..queries).for_each(|query| some_queries::<L, 1>(lanes, attention, head, query, &mut scratch, result));
            continue;
        }
        for first in (0..queries).step_by(TOGETHER) {
            // The last ones come with some of those before, who get the same answer again.
            let first = first.min(queries - TOGETHER);
            some_queries::<L, TOGETHER>(lanes, attention, head, first, &mut scratch, result);
        }
    }
}

/// One head's keys and values in the order in which they are read.
struct Scratch {
    /// For every number of a query, that of each of some queries.
    queries: Vec<f32>,
    /// For every number of a key, sixteen keys at a time.
    keys: Vec<[f32; 16]>,
    /// For every value, its numbers.
    values: Vec<[f32; 16]>,
    /// The scores of some queries, sixteen keys at a time.
    scores: Vec<[f32; 16]>,
    blocks: usize,
    value_chunks: usize,
}

impl Scratch {
    #[inline(always)]
    fn take_head(&mut self, attention: &Attention<'_>, head: usize) {
        let keys = self.keys.as_flattened_mut();
        let values = self.values.as_flattened_mut();
        for key in 0..attention.keys.count() {
            for (at, number) in attention.keys.head(key, head, attention.width).iter().enumerate() {
                keys[at * self.blocks * 16 + key] = *number;
            }
            let value = attention.values.head(key, head, attention.width);
            values[key * self.value_chunks * 16..][..attention.width].copy_from_slice(value);
        }
    }
}

#[inline(always)]
fn some_queries<L: Lanes, const QUERIES: usize>(
    lanes: L,
    attention: &Attention<'_>,
    head: usize,
    first: usize,
    scratch: &mut Scratch,
    result: &mut [f32],
) {
    let (width, blocks) = (attention.width, scratch.blocks);
    let count = attention.keys.count();
    for query in 0..QUERIES {
        for (at, number) in attention.queries.head(first + query, head, width).iter().enumerate() {
            scratch.queries[at * QUERIES + query] = *number;
        }
    }
    let scale = lanes.splat(attention.scale);

    // The scores, and the largest of each query.
    let mut largest = [lanes.splat(f32::NEG_INFINITY); QUERIES];
    for block in 0..blocks {
        let sums = match attention.distances {
            None => products::<L, QUERIES>(lanes, scratch, block),
            Some(distances) => products_with_distances::<L, QUERIES>(lanes, scratch, block, distances, first),
        };
        for query in 0..QUERIES {
            let mut score = lanes.mul(sums[query], scale);
            if let Some(bias) = bias(attention, head, first + query) {
                score = lanes.add(score, lanes.load(&padded(&bias[block * 16..])));
            } else if block * 16 + 16 > count {
                score = lanes.add(score, lanes.load(&padded(&[0.0; 16][..count - block * 16])));
            }
            largest[query] = lanes.max(score, largest[query]);
            lanes.store(score, &mut scratch.scores[query * blocks + block]);
        }
    }

    // Their powers, and the sum of those.
    let mut factors = [0.0; QUERIES];
    for query in 0..QUERIES {
        let largest = lanes.largest(largest[query]);
        if largest == f32::NEG_INFINITY {
            scratch.scores[query * blocks..][..blocks].fill([0.0; 16]);
            continue;
        }
        let largest = lanes.splat(largest);
        let mut sum = lanes.splat(0.0);
        for scores in &mut scratch.scores[query * blocks..][..blocks] {
            let distance = lanes.sub(lanes.load(scores), largest);
            let power = lanes.exp(distance);
            sum = lanes.add(sum, power);
            lanes.store(power, scores);
        }
        factors[query] = 1.0 / lanes.sum(sum);
    }

    // The mean of the values. What was hidden has the weight e^-60, which vanishes beside the largest.
    let scores = scratch.scores.as_flattened();
    let weights: [&[f32]; QUERIES] = std::array::from_fn(|query| &scores[query * blocks * 16..][..count]);
    for chunk in 0..scratch.value_chunks {
        let mut sums = [lanes.splat(0.0); QUERIES];
        for key in 0..count {
            let value = lanes.load(&scratch.values[key * scratch.value_chunks + chunk]);
            for query in 0..QUERIES {
                sums[query] = lanes.mul_add(lanes.splat(weights[query][key]), value, sums[query]);
            }
        }
        for query in 0..QUERIES {
            let mut mean = [0.0; 16];
            lanes.store(lanes.mul(sums[query], lanes.splat(factors[query])), &mut mean);
            let row = (first + query) * attention.heads * width + head * width;
            let (start, end) = (chunk * 16, width.min(chunk * 16 + 16));
            result[row + start..row + end].copy_from_slice(&mean[..end - start]);
        }
    }
}

/// The products of some queries with sixteen keys.
#[inline(always)]
fn products<L: Lanes, const QUERIES: usize>(lanes: L, scratch: &Scratch, block: usize) -> [L::V; QUERIES] {
    let mut sums = [lanes.splat(0.0); QUERIES];
    let keys = scratch.keys[block..].iter().step_by(scratch.blocks);
    for (keys, queries) in keys.zip(scratch.queries.as_chunks::<QUERIES>().0) {
        let keys = lanes.load(keys);
        for query in 0..QUERIES {
            sums[query] = lanes.mul_add(lanes.splat(queries[query]), keys, sums[query]);
        }
    }
    sums
}

/// The same, with the products of the queries, and perhaps the keys, with the embeddings of their distances.
#[inline(always)]
fn products_with_distances<L: Lanes, const QUERIES: usize>(
    lanes: L,
    scratch: &Scratch,
    block: usize,
    distances: &Distances,
    first: usize,
) -> [L::V; QUERIES] {
    let mut sums = [lanes.splat(0.0); QUERIES];
    let keys = scratch.keys[block..].iter().step_by(scratch.blocks);
    for (number, (keys, queries)) in keys.zip(scratch.queries.as_chunks::<QUERIES>().0).enumerate() {
        let keys = lanes.load(keys);
        for query in 0..QUERIES {
            let distances_to_keys = distances.load(lanes, number, first + query, block * 16);
            let own = lanes.splat(queries[query]);
            sums[query] = lanes.mul_add(own, keys, sums[query]);
            sums[query] = lanes.mul_add(own, distances_to_keys, sums[query]);
            if distances.with_keys {
                sums[query] = lanes.mul_add(keys, distances_to_keys, sums[query]);
            }
        }
    }
    sums
}

/// What is added to the scores of a query.
#[inline(always)]
fn bias<'a>(attention: &Attention<'a>, head: usize, query: usize) -> Option<&'a [f32]> {
    let all = attention.bias?;
    let (queries, keys) = (attention.queries.count(), attention.keys.count());
    let plane = if all.len() == queries * keys { 0 } else { head };
    Some(&all[(plane * queries + query) * keys..][..keys])
}

/// The first sixteen numbers; where there are fewer, keys that are not there are hidden.
#[inline(always)]
fn padded(numbers: &[f32]) -> [f32; 16] {
    match numbers.first_chunk::<16>() {
        Some(numbers) => *numbers,
        None => {
            let mut all = [f32::NEG_INFINITY; 16];
            all[..numbers.len()].copy_from_slice(numbers);
            all
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: f32) -> Vec<f32> {
        (0..count).map(|at| (at as f32 * 1.37 + seed).sin()).collect()
    }

    /// The definition, in double precision.
    fn exact(attention: &Attention<'_>, distances: Option<(&[f32], bool)>) -> Vec<f64> {
        let mut result = Vec::new();
        for query in 0..attention.queries.count() {
            for head in 0..attention.heads {
                let scores: Vec<f64> = (0..attention.keys.count())
                    .map(|key| {
                        let one = attention.queries.head(query, head, attention.width);
                        let other = attention.keys.head(key, head, attention.width);
                        let dot = |one: &[f32], other: &[f32]| -> f64 {
                            one.iter().zip(other).map(|(a, b)| *a as f64 * *b as f64).sum()
                        };
                        let away = distances.map_or(0.0, |(rows, with_keys)| {
                            let places = (rows.len() / attention.width).div_ceil(2);
                            let row = &rows[(places - 1 + query - key) * attention.width..][..attention.width];
                            dot(one, row) + if with_keys { dot(other, row) } else { 0.0 }
                        });
                        let product = dot(one, other) + away;
                        let bias = bias(attention, head, query).map_or(0.0, |bias| bias[key] as f64);
                        product * attention.scale as f64 + bias
                    })
                    .collect();
                let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let powers: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
                let sum: f64 = powers.iter().sum();
                for at in 0..attention.width {
                    let value = |key| attention.values.head(key, head, attention.width)[at] as f64;
                    result.push(powers.iter().enumerate().map(|(key, power)| power / sum * value(key)).sum());
                }
            }
        }
        result
    }

    #[test]
    fn attention_is_the_weighted_mean_for_every_shape() {
        for (queries, keys, heads, width) in
            [(1, 1, 1, 1), (7, 7, 2, 12), (20, 33, 3, 16), (5, 16, 1, 20), (1, 40, 2, 64)]
        {
            let (q, kv) = (numbers(queries * heads * width, 0.0), numbers(keys * 2 * heads * width, 1.0));
            let mut biases = numbers(heads * queries * keys, 2.0);
            biases.iter_mut().step_by(3).for_each(|bias| *bias = f32::NEG_INFINITY);
            // The first key is never hidden.
            biases.iter_mut().step_by(keys).for_each(|bias| *bias = 0.0);
            let places = queries.max(keys) + 2;
            let rows = numbers((2 * places - 1) * width, 3.0);
            for bias in [None, Some(&biases[..]), Some(&biases[..queries * keys])] {
                for distances in [None, Some((&rows[..], false)), Some((&rows[..], true))] {
                    let known = distances.map(|(rows, with_keys)| Distances::new(rows, places, width, with_keys));
                    let attention = Attention {
                        queries: Rows { all: &q, stride: heads * width, start: 0 },
                        keys: Rows { all: &kv, stride: 2 * heads * width, start: 0 },
                        values: Rows { all: &kv, stride: 2 * heads * width, start: heads * width },
                        heads,
                        width,
                        distances: known.as_ref(),
                        scale: 0.7,
                        bias,
                    };
                    let result = attend(&attention);
                    for (ours, exact) in result.iter().zip(exact(&attention, distances)) {
                        let about = format!("{queries} {keys} {heads} {width}");
                        assert!((*ours as f64 - exact).abs() < 1e-5, "{about}: {ours}, {exact}");
                    }
                    let mut plain = vec![0.0; result.len()];
                    run_with(lanes::Plain, (&attention, &mut plain));
                    assert_eq!(result, plain);
                }
            }
        }
    }

    #[test]
    fn a_few_queries_get_the_answers_that_they_get_among_all() {
        let (count, heads, width) = (21, 2, 6);
        let all = numbers(count * 3 * heads * width, 0.0);
        let distances = Distances::new(&numbers((2 * count - 1) * width, 1.0), count, width, true);
        let part = |start| Rows { all: &all, stride: 3 * heads * width, start };
        let attend_to = |queries: usize| {
            attend(&Attention {
                queries: Rows { all: &all[..queries * 3 * heads * width], ..part(0) },
                keys: part(heads * width),
                values: part(2 * heads * width),
                heads,
                width,
                distances: Some(&distances),
                scale: 0.5,
                bias: None,
            })
        };
        let among_all = attend_to(count);
        for queries in 1..count {
            assert_eq!(attend_to(queries), among_all[..queries * heads * width]);
        }
    }

    #[test]
    #[should_panic(expected = "3 rows, but the distances of 2 are known")]
    fn more_rows_than_distances_are_refused() {
        let rows = [1.0, 2.0, 3.0];
        let part = Rows { all: &rows, stride: 1, start: 0 };
        let distances = Distances::new(&rows, 2, 1, false);
        attend(&Attention {
            queries: part,
            keys: part,
            values: part,
            heads: 1,
            width: 1,
            distances: Some(&distances),
            scale: 1.0,
            bias: None,
        });
    }

    #[test]
    fn a_query_that_sees_nothing_gets_zeros() {
        let rows = [1.0, 2.0];
        let part = Rows { all: &rows, stride: 1, start: 0 };
        let hidden = [f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0, f32::NEG_INFINITY];
        let result = attend(&Attention {
            queries: part,
            keys: part,
            values: part,
            heads: 1,
            width: 1,
            distances: None,
            scale: 1.0,
            bias: Some(&hidden),
        });
        assert_eq!(result, [0.0, 1.0]);
    }
}
