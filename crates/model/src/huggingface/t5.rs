//! T5 and CodeT5: an encoder, and a decoder that sees the encoder's states.
//!
//! Places are told apart by their distance alone: every head adds a number to its scores that depends on how far the key is away. The
//! distances are put into buckets, small ones each into its own, and the numbers are learned in the first block and used by all.

use super::checkpoint::Config;
use super::generation::{Encoded, Past};
use super::roberta::activation;
use crate::OpenError;
use crate::weights::Weights;
use kernels::{Activation, Attention, Packed, Rows, attend, root_mean_square_norm};

/// A T5 model: the encoder, and where the checkpoint has one, the decoder.
pub struct T5 {
    sizes: Dimensions,
    /// The embeddings of the vocabulary.
    words: Vec<f32>,
    encoder: Stack,
    decoder: Option<Decoder>,
}

struct Decoder {
    /// The embeddings of the decoder, where they are its own.
    words: Option<Vec<f32>>,
    stack: Stack,
}

/// How large a T5 model is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dimensions {
    pub hidden: usize,
    pub heads: usize,
    /// How many numbers of a row belong to a head.
    pub width: usize,
    /// The numbers between the last two layers of a block.
    pub inner: usize,
    pub layers: usize,
    pub decoder_layers: usize,
    pub vocabulary: usize,
    pub epsilon: f32,
    pub activation: Activation,
    /// Are the numbers between the last two layers multiplied with those of a third?
    pub is_gated: bool,
    /// How many kinds of distances are told apart.
    pub buckets: usize,
    /// Distances from this one on are all the same.
    pub max_distance: usize,
}

struct Stack {
    blocks: Vec<Block>,
    norm: Vec<f32>,
    /// For every bucket, a number for each head.
    distances: Vec<f32>,
}

struct Block {
    norm: Vec<f32>,
    queries_keys_values: Packed,
    output: Packed,
    cross: Option<Cross>,
    feed_norm: Vec<f32>,
    up: Packed,
    /// What the numbers of the inner layer are multiplied with, in models with gates.
    gate: Option<Packed>,
    down: Packed,
}

/// Attention of the decoder to the encoder's states.
struct Cross {
    norm: Vec<f32>,
    queries: Packed,
    keys_values: Packed,
    output: Packed,
}

impl T5 {
    /// Finds the weights under a prefix.
    pub fn new(config: &Config, weights: &Weights, prefix: &str) -> Result<T5, OpenError> {
        let sizes = Dimensions::read(config)?;
        let Dimensions { hidden, vocabulary, .. } = sizes;
        let embeddings = |name: &str| weights.take(&format!("{prefix}{name}.weight"), &[vocabulary, hidden]);
        let has = |name: &str| weights.has(&format!("{prefix}{name}.weight"));
        let words = embeddings(if has("encoder.embed_tokens") { "encoder.embed_tokens" } else { "shared" })?;
        let stack = |name: &str, layers| Stack::new(weights, &format!("{prefix}{name}"), &sizes, layers);
        let decoder = match has("decoder.final_layer_norm") {
            false => None,
            true => {
                let name = if has("decoder.embed_tokens") { "decoder.embed_tokens" } else { "shared" };
                Some(Decoder {
                    words: Some(embeddings(name)?).filter(|own| *own != words),
                    stack: stack("decoder", sizes.decoder_layers)?,
                })
            }
        };
        Ok(T5 { sizes, words, encoder: stack("encoder", sizes.layers)?, decoder })
    }

    /// How many numbers a state has.
    pub fn hidden(&self) -> usize {
        self.sizes.hidden
    }

    /// Is there a decoder?
    pub fn has_decoder(&self) -> bool {
        self.decoder.is_some()
    }

    /// Do encoder and decoder have the same embeddings?
    pub fn has_shared_words(&self) -> bool {
        self.decoder.as_ref().is_none_or(|decoder| decoder.words.is_none())
    }

    /// The embeddings of the encoder's vocabulary, a row for each token.
    pub fn words(&self) -> &[f32] {
        &self.words
    }

    /// The encoder's state for every token.
    pub fn encode(&self, ids: &[u32]) -> Vec<f32> {
        let sizes = &self.sizes;
        let mut states = rows(&self.words, ids, sizes.hidden);
        let bias = self.encoder.bias(sizes, ids.len(), 0..ids.len(), Direction::Both);
        for block in &self.encoder.blocks {
            let own = block.queries_keys_values.apply(&normed(&states, &block.norm, sizes), Activation::None);
            let keys_values = [sizes.part(&own, 3, 1), sizes.part(&own, 3, 2)];
            let seen = sizes.attend(sizes.part(&own, 3, 0), keys_values, Some(&bias));
            add(&mut states, &block.output.apply(&seen, Activation::None));
            block.feed(&mut states, sizes);
        }
        normed(&states, &self.encoder.norm, sizes)
    }

    /// What the decoder sees of an input with these states of the encoder; `None` where there is no decoder.
    pub fn encoded(&self, states: &[f32]) -> Option<Encoded> {
        let blocks = &self.decoder.as_ref()?.stack.blocks;
        let keys_values = |block: &Block| Some(block.cross.as_ref()?.keys_values.apply(states, Activation::None));
        blocks.iter().map(keys_values).collect::<Option<_>>().map(Encoded)
    }

    /// The decoder's states for as many more tokens of every output, those of the first output first. The outputs have the same
    /// length; a token sees those before it, and the input.
    pub fn decode_each(&self, encoded: &Encoded, pasts: &mut [Past], ids: &[u32]) -> Vec<f32> {
        let Some(decoder) = &self.decoder else { return Vec::new() };
        let sizes = &self.sizes;
        let (stack, width) = (&decoder.stack, sizes.heads * sizes.width);
        let each = ids.len() / pasts.len();
        let mut states = rows(decoder.words.as_ref().unwrap_or(&self.words), ids, sizes.hidden);
        let before = pasts[0].tokens;
        let bias = stack.bias(sizes, before + each, before..before + each, Direction::Back);
        for (number, block) in stack.blocks.iter().enumerate() {
            let own = block.queries_keys_values.apply(&normed(&states, &block.norm, sizes), Activation::None);
            let mut seen = Vec::with_capacity(ids.len() * width);
            for (past, own) in pasts.iter_mut().zip(own.chunks_exact(each * 3 * width)) {
                past.blocks.resize(stack.blocks.len(), Vec::new());
                let kept = &mut past.blocks[number];
                own.chunks_exact(3 * width).for_each(|row| kept.extend_from_slice(&row[width..]));
                let keys_values = [sizes.part(kept, 2, 0), sizes.part(kept, 2, 1)];
                seen.extend(sizes.attend(sizes.part(own, 3, 0), keys_values, Some(&bias)));
            }
            add(&mut states, &block.output.apply(&seen, Activation::None));
            if let Some(cross) = &block.cross {
                let queries = cross.queries.apply(&normed(&states, &cross.norm, sizes), Activation::None);
                let keys_values = &encoded.0[number];
                let keys_values = [sizes.part(keys_values, 2, 0), sizes.part(keys_values, 2, 1)];
                let seen = sizes.attend(sizes.part(&queries, 1, 0), keys_values, None);
                add(&mut states, &cross.output.apply(&seen, Activation::None));
            }
            block.feed(&mut states, sizes);
        }
        pasts.iter_mut().for_each(|past| past.tokens += each);
        normed(&states, &stack.norm, sizes)
    }
}

impl Stack {
    fn new(weights: &Weights, name: &str, sizes: &Dimensions, layers: usize) -> Result<Stack, OpenError> {
        let Dimensions { hidden, inner, is_gated, .. } = *sizes;
        let width = sizes.heads * sizes.width;
        let is_decoder = name.ends_with("decoder");
        let mut blocks = Vec::new();
        for layer in 0..layers {
            let block = format!("{name}.block.{layer}.layer");
            let norm = |part: usize| weights.take(&format!("{block}.{part}.layer_norm.weight"), &[hidden]);
            let own = ["q", "k", "v"].map(|part| format!("{block}.0.SelfAttention.{part}"));
            let other = |part: &str| format!("{block}.1.EncDecAttention.{part}");
            let last = if is_decoder { 2 } else { 1 };
            let feed = |part: &str| format!("{block}.{last}.DenseReluDense.{part}");
            blocks.push(Block {
                norm: norm(0)?,
                queries_keys_values: weights.linear_of(&own.each_ref().map(String::as_str), hidden, width)?,
                output: weights.linear(&format!("{block}.0.SelfAttention.o"), width, hidden)?,
                cross: match is_decoder {
                    false => None,
                    true => Some(Cross {
                        norm: norm(1)?,
                        queries: weights.linear(&other("q"), hidden, width)?,
                        keys_values: weights.linear_of(&[&other("k"), &other("v")], hidden, width)?,
                        output: weights.linear(&other("o"), width, hidden)?,
                    }),
                },
                feed_norm: norm(last)?,
                up: weights.linear(&feed(if is_gated { "wi_0" } else { "wi" }), hidden, inner)?,
                gate: is_gated.then(|| weights.linear(&feed("wi_1"), hidden, inner)).transpose()?,
                down: weights.linear(&feed("wo"), inner, hidden)?,
            });
        }
        let distances = format!("{name}.block.0.layer.0.SelfAttention.relative_attention_bias.weight");
        Ok(Stack {
            blocks,
            norm: weights.take(&format!("{name}.final_layer_norm.weight"), &[hidden])?,
            distances: weights.take(&distances, &[sizes.buckets, sizes.heads])?,
        })
    }

    /// What is added to the scores: for every head, for every query, a number for each key.
    fn bias(&self, sizes: &Dimensions, keys: usize, queries: std::ops::Range<usize>, direction: Direction) -> Vec<f32> {
        // The bucket of every distance that occurs, from the query that is furthest behind a key on.
        let behind = queries.end.saturating_sub(1) as isize;
        let buckets: Vec<usize> = (-behind..keys as isize)
            .map(|distance| direction.bucket(distance, sizes.buckets, sizes.max_distance))
            .collect();
        let mut bias = Vec::with_capacity(sizes.heads * queries.len() * keys);
        for head in 0..sizes.heads {
            for query in queries.clone() {
                let start = behind as usize - query;
                bias.extend(buckets[start..start + keys].iter().enumerate().map(|(key, bucket)| {
                    let is_hidden = direction == Direction::Back && key > query;
                    if is_hidden { f32::NEG_INFINITY } else { self.distances[bucket * sizes.heads + head] }
                }));
            }
        }
        bias
    }
}

/// Where a token looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Both,
    Back,
}

impl Direction {
    /// The bucket of the distance from a query to a key. Half of the buckets are for one distance each, and those of the other half
    /// grow with it, up to the largest.
    pub fn bucket(self, distance: isize, buckets: usize, max_distance: usize) -> usize {
        let (start, count) = match self {
            Direction::Both if distance > 0 => (buckets / 2, buckets / 2),
            Direction::Both => (0, buckets / 2),
            Direction::Back => (0, buckets),
        };
        let distance = match self {
            Direction::Both => distance.unsigned_abs(),
            Direction::Back => (-distance.min(0)) as usize,
        };
        let exact = count / 2;
        if distance < exact {
            return start + distance;
        }
        // In single precision, as PyTorch has it: at the borders the rounding decides.
        let part = (distance as f32 / exact as f32).ln() / (max_distance as f64 / exact as f64).ln() as f32;
        start + (exact + (part * (count - exact) as f32) as usize).min(count - 1)
    }
}

impl Dimensions {
    /// What a configuration says.
    pub fn read(config: &Config) -> Result<Dimensions, OpenError> {
        let kind = config.text_or("feed_forward_proj", "relu")?;
        let (is_gated, name) = match kind.strip_prefix("gated-") {
            // T5 1.1 calls the approximation by the name of what it approximates.
            Some("gelu") => (true, "gelu_new"),
            Some(name) => (true, name),
            None => (false, kind.as_str()),
        };
        let layers = config.number("num_layers")?;
        let sizes = Dimensions {
            hidden: config.number("d_model")?,
            heads: config.number("num_heads")?,
            width: config.number("d_kv")?,
            inner: config.number("d_ff")?,
            layers,
            decoder_layers: config.number_or("num_decoder_layers", layers)?,
            vocabulary: config.number("vocab_size")?,
            epsilon: config.fraction_or("layer_norm_epsilon", 1e-6)?,
            activation: activation(config, name)?,
            is_gated,
            buckets: config.number_or("relative_attention_num_buckets", 32)?,
            max_distance: config.number_or("relative_attention_max_distance", 128)?,
        };
        let counts = [sizes.hidden, sizes.heads, sizes.width, sizes.inner, sizes.layers, sizes.decoder_layers];
        if counts.contains(&0) {
            return Err(config.unusable("widths, and the numbers of heads and of layers, are at least 1".to_owned()));
        }
        if sizes.buckets < 4 || sizes.max_distance <= sizes.buckets / 2 {
            return Err(config.unusable(format!(
                "{} buckets do not reach a distance of {} tokens",
                sizes.buckets, sizes.max_distance
            )));
        }
        Ok(sizes)
    }

    /// One of several parts of which every row consists, each as wide as all heads together.
    fn part<'a>(&self, all: &'a [f32], parts: usize, number: usize) -> Rows<'a> {
        let width = self.heads * self.width;
        Rows { all, stride: parts * width, start: number * width }
    }

    fn attend(&self, queries: Rows<'_>, [keys, values]: [Rows<'_>; 2], bias: Option<&[f32]>) -> Vec<f32> {
        // The weights are trained so that the scores need no scale.
        attend(&Attention {
            queries,
            keys,
            values,
            heads: self.heads,
            width: self.width,
            distances: None,
            scale: 1.0,
            bias,
        })
    }
}

impl Block {
    fn feed(&self, states: &mut [f32], sizes: &Dimensions) {
        let before = normed(states, &self.feed_norm, sizes);
        let mut inner = self.up.apply(&before, sizes.activation);
        if let Some(gate) = &self.gate {
            let gate = gate.apply(&before, Activation::None);
            inner.iter_mut().zip(gate).for_each(|(number, gate)| *number *= gate);
        }
        add(states, &self.down.apply(&inner, Activation::None));
    }
}

fn rows(table: &[f32], ids: &[u32], width: usize) -> Vec<f32> {
    ids.iter().flat_map(|id| &table[*id as usize * width..][..width]).copied().collect()
}

fn normed(states: &[f32], scale: &[f32], sizes: &Dimensions) -> Vec<f32> {
    let mut states = states.to_vec();
    root_mean_square_norm(&mut states, scale, sizes.epsilon);
    states
}

fn add(states: &mut [f32], addend: &[f32]) {
    states.iter_mut().zip(addend).for_each(|(number, addend)| *number += addend);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_fall_into_the_buckets_of_t5() {
        let both = |distance| Direction::Both.bucket(distance, 32, 128);
        assert_eq!([0, -1, -7, -8, -16, -32, -64, -127, -128, -1000].map(both), [0, 1, 7, 8, 10, 12, 14, 15, 15, 15]);
        assert_eq!([1, 7, 8, 15, 16, 32, 64, 128].map(both), [17, 23, 24, 25, 26, 28, 30, 31]);
        let back = |distance| Direction::Back.bucket(distance, 32, 128);
        assert_eq!([5, 0, -1, -15, -16, -32, -64, -127, -128].map(back), [0, 0, 1, 15, 16, 21, 26, 31, 31]);
    }
}
