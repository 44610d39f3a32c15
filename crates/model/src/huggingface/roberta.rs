//! RoBERTa's encoder: embeddings, then blocks of attention and a small network, each followed by a norm.

use std::borrow::Cow;

use kernels::{Activation, Attention, Distances, Packed, Rows, attend, layer_norm};
use serde::{Deserialize, Serialize};

use super::checkpoint::Config;
use crate::OpenError;
use crate::weights::{Matrix, Weights};

/// A RoBERTa encoder.
pub struct Roberta {
    dimensions: Dimensions,
    words: Matrix,
    /// The embeddings of the positions, where they are absolute.
    positions: Option<Matrix>,
    /// The embedding of the first type of token, which is the only one that RoBERTa uses.
    token_type: Vec<f32>,
    embedding_norm: Norm,
    blocks: Vec<Block>,
}

/// What an encoder is like, whatever computes it.
#[derive(Clone, Copy)]
pub struct Dimensions {
    /// How many numbers a state has.
    pub hidden: usize,
    /// Among how many heads they are split.
    pub heads: usize,
    /// How many numbers are between the two layers after the attention.
    pub inner: usize,
    /// How many blocks there are.
    pub layers: usize,
    /// How many words have an embedding.
    pub vocabulary: usize,
    /// How many positions have one, or between how many the distances have one.
    pub positions: usize,
    /// How it is known where a token stands.
    pub position_kind: PositionKind,
    /// How many types of tokens have one.
    pub types: usize,
    /// What the variance in a norm is at least.
    pub epsilon: f32,
    /// What stands between the two layers.
    pub activation: Activation,
}

/// What an encoder knows about the places of tokens: `position_embedding_type` in a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PositionKind {
    /// The embedding of a token's position is added to its own.
    Absolute,
    /// A query is multiplied with the key and with the embedding of the distance between them (Shaw et al., NAACL 2018). The
    /// distance is that between places in the sequence: what has the same absolute position, as data-flow nodes do, is apart.
    RelativeKey,
    /// The key is multiplied with the embedding of the distance, too (Huang et al., EMNLP 2020).
    RelativeKeyQuery,
}

struct Block {
    queries_keys_values: Packed,
    /// The embeddings of the distances, where positions are relative.
    distances: Option<Distances>,
    attention_output: Packed,
    attention_norm: Norm,
    up: Packed,
    down: Packed,
    output_norm: Norm,
}

/// The scale and the shift of a norm.
pub struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
}

/// What an encoder is given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sequence {
    /// The tokens.
    pub ids: Vec<u32>,
    /// The position of each.
    pub positions: Vec<u32>,
    /// Which tokens see which, and what the embeddings of data-flow nodes are made of.
    pub graph: Option<Graph>,
}

/// The graph of GraphCodeBERT's input: which tokens each token sees.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Graph {
    /// For every token, for every token: does the first see the second?
    pub sees: Vec<bool>,
    /// The places of the nodes, each with the places of the tokens whose embeddings' mean is its own.
    pub nodes: Vec<(usize, Vec<usize>)>,
}

/// Which states are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Only that of the first token: the last block does less.
    First,
    /// All.
    All,
}

impl Roberta {
    /// Finds the encoder's weights under a prefix.
    pub fn new(dimensions: Dimensions, weights: &Weights, prefix: &str) -> Result<Roberta, OpenError> {
        let Dimensions { hidden, heads, inner, positions, .. } = dimensions;
        let with_keys = match dimensions.position_kind {
            PositionKind::Absolute => None,
            PositionKind::RelativeKey => Some(false),
            PositionKind::RelativeKeyQuery => Some(true),
        };
        let norm = |name: String| Norm::new(weights, &name, hidden);
        let embeddings = |name: &str, count: usize| {
            weights.matrix(&format!("{prefix}embeddings.{name}_embeddings.weight"), [count, hidden])
        };
        let mut blocks = Vec::new();
        for layer in 0..dimensions.layers {
            let name = |end: &str| format!("{prefix}encoder.layer.{layer}.{end}");
            let own = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
            let own: Vec<&str> = own.iter().map(String::as_str).collect();
            let distances = |with_keys| -> Result<Distances, OpenError> {
                let shape = [positions.saturating_mul(2).saturating_sub(1), hidden / heads];
                let rows = weights.take(&name("attention.self.distance_embedding.weight"), &shape)?;
                Ok(Distances::new(&rows, positions, hidden / heads, with_keys))
            };
            blocks.push(Block {
                queries_keys_values: weights.linear_of(&own, hidden, hidden)?,
                distances: with_keys.map(distances).transpose()?,
                attention_output: weights.linear(&name("attention.output.dense"), hidden, hidden)?,
                attention_norm: norm(name("attention.output.LayerNorm"))?,
                up: weights.linear(&name("intermediate.dense"), hidden, inner)?,
                down: weights.linear(&name("output.dense"), inner, hidden)?,
                output_norm: norm(name("output.LayerNorm"))?,
            });
        }
        let token_types = embeddings("token_type", dimensions.types)?;
        Ok(Roberta {
            words: embeddings("word", dimensions.vocabulary)?,
            // A file with relative positions may have these, too, but they are not used.
            positions: match dimensions.position_kind {
                PositionKind::Absolute => Some(embeddings("position", positions)?),
                PositionKind::RelativeKey | PositionKind::RelativeKeyQuery => None,
            },
            token_type: if dimensions.types > 0 { token_types.row(0).into_owned() } else { Vec::new() },
            embedding_norm: norm(format!("{prefix}embeddings.LayerNorm"))?,
            blocks,
            dimensions,
        })
    }

    /// The embedding of a token, before its position is added.
    pub fn word(&self, id: u32) -> Cow<'_, [f32]> {
        self.words.row(id as usize)
    }

    /// The embeddings of the vocabulary, a row for each token.
    pub fn words(&self) -> &Matrix {
        &self.words
    }

    /// The states after the last block, a row for each token that is wanted.
    pub fn states(&self, sequence: &Sequence, wanted: Wanted) -> Vec<f32> {
        let Dimensions { hidden, heads, epsilon, activation, .. } = self.dimensions;
        let mut states = self.embed(sequence);
        let bias = sequence.graph.as_ref().map(|graph| {
            graph.sees.iter().map(|sees| if *sees { 0.0 } else { f32::NEG_INFINITY }).collect::<Vec<f32>>()
        });
        for (number, block) in self.blocks.iter().enumerate() {
            let is_last = number + 1 == self.blocks.len();
            let all = block.queries_keys_values.apply(&states, Activation::None);
            let is_short = is_last && wanted == Wanted::First;
            if is_short {
                states.truncate(hidden);
            }
            let part = |start| Rows { all: &all, stride: 3 * hidden, start };
            let queries =
                if is_short { Rows { all: &all[..3 * hidden], stride: 3 * hidden, start: 0 } } else { part(0) };
            let width = hidden / heads;
            let seen = attend(&Attention {
                queries,
                keys: part(hidden),
                values: part(2 * hidden),
                heads,
                width,
                distances: block.distances.as_ref(),
                scale: 1.0 / (width as f32).sqrt(),
                bias: bias.as_ref().map(|bias| if is_short { &bias[..sequence.ids.len()] } else { &bias[..] }),
            });
            let seen = block.attention_output.apply(&seen, Activation::None);
            block.attention_norm.apply(&mut states, Some(&seen), epsilon);
            let inner = block.up.apply(&states, activation);
            let inner = block.down.apply(&inner, Activation::None);
            block.output_norm.apply(&mut states, Some(&inner), epsilon);
        }
        states
    }

    /// The states before the first block.
    pub fn embed(&self, sequence: &Sequence) -> Vec<f32> {
        let hidden = self.dimensions.hidden;
        let mut states = Vec::with_capacity(sequence.ids.len() * hidden);
        for id in &sequence.ids {
            states.extend_from_slice(&self.word(*id));
        }
        // The nodes come after the code, so the embeddings of the code are still as they were.
        for (node, tokens) in sequence.graph.iter().flat_map(|graph| &graph.nodes) {
            let mean = mean_of_rows(&states, tokens.iter().copied(), hidden);
            states[node * hidden..][..hidden].copy_from_slice(&mean);
        }
        for (state, position) in states.chunks_exact_mut(hidden).zip(&sequence.positions) {
            for (number, token_type) in state.iter_mut().zip(&self.token_type) {
                *number += token_type;
            }
            if let Some(positions) = &self.positions {
                let position = positions.row(*position as usize);
                state.iter_mut().zip(position.iter()).for_each(|(number, position)| *number += position);
            }
        }
        self.embedding_norm.apply(&mut states, None, self.dimensions.epsilon);
        states
    }
}

impl Dimensions {
    /// Reads what a configuration says.
    pub fn read(config: &Config) -> Result<Dimensions, OpenError> {
        let hidden = config.number("hidden_size")?;
        let heads = config.number("num_attention_heads")?;
        let inner = config.number("intermediate_size")?;
        if heads == 0 || hidden == 0 || hidden % heads != 0 {
            return Err(config.unusable(format!("{hidden} is not divisible by {heads} heads")));
        }
        if inner == 0 {
            return Err(config.unusable("`intermediate_size` is 0".to_owned()));
        }
        refuse_other_kinds(config)?;
        let epsilon = config.fraction_or("layer_norm_eps", 1e-12)?;
        if !(epsilon > 0.0 && epsilon < 1.0) {
            return Err(config.unusable(format!("`layer_norm_eps` is {epsilon}, and must be between 0 and 1")));
        }
        Ok(Dimensions {
            hidden,
            heads,
            inner,
            layers: config.number("num_hidden_layers")?,
            vocabulary: config.number("vocab_size")?,
            positions: config.number("max_position_embeddings")?,
            position_kind: PositionKind::read(config)?,
            types: config.number_or("type_vocab_size", 1)?,
            epsilon,
            activation: activation(config, &config.text_or("hidden_act", "gelu")?)?,
        })
    }
}

impl PositionKind {
    /// Reads what a configuration says. Of another kind, transformers ignores where tokens stand without a word.
    fn read(config: &Config) -> Result<PositionKind, OpenError> {
        match config.text_or("position_embedding_type", "absolute")?.as_str() {
            "absolute" => Ok(PositionKind::Absolute),
            "relative_key" => Ok(PositionKind::RelativeKey),
            "relative_key_query" => Ok(PositionKind::RelativeKeyQuery),
            other => Err(config.unusable(format!(
                "unknown `position_embedding_type` `{other}`: absolute, relative_key and relative_key_query are supported"
            ))),
        }
    }
}

/// Refuses what transformers computes in another way than this program: its answers would be wrong without a word.
fn refuse_other_kinds(config: &Config) -> Result<(), OpenError> {
    for key in ["is_decoder", "add_cross_attention"] {
        if config.flag_or(key, false)? {
            return Err(config.unusable(format!("`{key}` is true, and only encoders are supported")));
        }
    }
    Ok(())
}

impl Norm {
    /// Finds the weights of a norm.
    pub fn new(weights: &Weights, name: &str, hidden: usize) -> Result<Norm, OpenError> {
        Ok(Norm {
            scale: weights.take(&format!("{name}.weight"), &[hidden])?,
            shift: weights.take(&format!("{name}.bias"), &[hidden])?,
        })
    }

    /// Adds the addend and norms every row.
    pub fn apply(&self, states: &mut [f32], addend: Option<&[f32]>, epsilon: f32) {
        layer_norm(states, addend, &self.scale, &self.shift, epsilon);
    }
}

/// The mean of some rows, as GraphCodeBERT takes it for a node; zeros for none.
pub fn mean_of_rows(rows: &[f32], numbers: impl ExactSizeIterator<Item = usize>, hidden: usize) -> Vec<f32> {
    let count = numbers.len() as f32 + 1e-10;
    let mut mean = vec![0.0; hidden];
    for number in numbers {
        mean.iter_mut().zip(&rows[number * hidden..][..hidden]).for_each(|(mean, number)| *mean += number);
    }
    mean.iter_mut().for_each(|number| *number /= count);
    mean
}

/// The activation of a name that configurations use.
pub fn activation(config: &Config, name: &str) -> Result<Activation, OpenError> {
    match name {
        "gelu" => Ok(Activation::Gelu),
        "gelu_new" | "gelu_pytorch_tanh" => Ok(Activation::GeluTanh),
        "relu" => Ok(Activation::Relu),
        "tanh" => Ok(Activation::Tanh),
        other => {
            Err(config.unusable(format!("unknown activation `{other}`: gelu, gelu_new, relu and tanh are supported")))
        }
    }
}
