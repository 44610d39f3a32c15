//! RoBERTa's encoder: embeddings, then blocks of attention and a small network, each followed by a norm.

use super::checkpoint::Config;
use crate::OpenError;
use crate::kernels::{Activation, Attention, Packed, Rows, attend, layer_norm};
use crate::weights::Weights;

/// A RoBERTa encoder.
pub struct Roberta {
    hidden: usize,
    heads: usize,
    epsilon: f32,
    activation: Activation,
    words: Vec<f32>,
    positions: Vec<f32>,
    /// The embedding of the first type of token, which is the only one that RoBERTa uses.
    token_type: Vec<f32>,
    embedding_norm: Norm,
    blocks: Vec<Block>,
}

struct Block {
    queries_keys_values: Packed,
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
    pub fn new(config: &Config, weights: &Weights, prefix: &str) -> Result<Roberta, OpenError> {
        let hidden = config.number("hidden_size")?;
        let heads = config.number("num_attention_heads")?;
        let inner = config.number("intermediate_size")?;
        let vocabulary = config.number("vocab_size")?;
        let positions = config.number("max_position_embeddings")?;
        if heads == 0 || hidden % heads != 0 {
            return Err(config.unusable(format!("{hidden} numbers cannot be split among {heads} heads")));
        }
        let types = config.number_or("type_vocab_size", 1)?;
        let activation = activation(config, &config.text_or("hidden_act", "gelu")?)?;
        let norm = |name: String| Norm::new(weights, &name, hidden);
        let embeddings = |name: &str, count: usize| {
            weights.take(&format!("{prefix}embeddings.{name}_embeddings.weight"), &[count, hidden])
        };
        let mut blocks = Vec::new();
        for layer in 0..config.number("num_hidden_layers")? {
            let name = |end: &str| format!("{prefix}encoder.layer.{layer}.{end}");
            let own = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
            let own: Vec<&str> = own.iter().map(String::as_str).collect();
            blocks.push(Block {
                queries_keys_values: weights.linear_of(&own, hidden, hidden)?,
                attention_output: weights.linear(&name("attention.output.dense"), hidden, hidden)?,
                attention_norm: norm(name("attention.output.LayerNorm"))?,
                up: weights.linear(&name("intermediate.dense"), hidden, inner)?,
                down: weights.linear(&name("output.dense"), inner, hidden)?,
                output_norm: norm(name("output.LayerNorm"))?,
            });
        }
        let mut token_type = embeddings("token_type", types)?;
        token_type.truncate(hidden);
        Ok(Roberta {
            hidden,
            heads,
            epsilon: config.fraction_or("layer_norm_eps", 1e-12)?,
            activation,
            words: embeddings("word", vocabulary)?,
            positions: embeddings("position", positions)?,
            token_type,
            embedding_norm: norm(format!("{prefix}embeddings.LayerNorm"))?,
            blocks,
        })
    }

    /// What the variance in a norm is at least.
    pub fn epsilon(&self) -> f32 {
        self.epsilon
    }

    /// How many numbers a state has.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// The embedding of a token, before its position is added.
    pub fn word(&self, id: u32) -> &[f32] {
        &self.words[id as usize * self.hidden..][..self.hidden]
    }

    /// The states after the last block, a row for each token that is wanted.
    pub fn encode(&self, sequence: &Sequence, wanted: Wanted) -> Vec<f32> {
        let hidden = self.hidden;
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
            let width = hidden / self.heads;
            let seen = attend(&Attention {
                queries,
                keys: part(hidden),
                values: part(2 * hidden),
                heads: self.heads,
                width,
                scale: 1.0 / (width as f32).sqrt(),
                bias: bias.as_ref().map(|bias| if is_short { &bias[..sequence.ids.len()] } else { &bias[..] }),
            });
            let seen = block.attention_output.apply(&seen, Activation::None);
            block.attention_norm.apply(&mut states, Some(&seen), self.epsilon);
            let inner = block.up.apply(&states, self.activation);
            let inner = block.down.apply(&inner, Activation::None);
            block.output_norm.apply(&mut states, Some(&inner), self.epsilon);
        }
        states
    }

    fn embed(&self, sequence: &Sequence) -> Vec<f32> {
        let hidden = self.hidden;
        let mut states = Vec::with_capacity(sequence.ids.len() * hidden);
        for id in &sequence.ids {
            states.extend_from_slice(self.word(*id));
        }
        // The nodes come behind the code, so the embeddings of the code are still as they were.
        for (node, tokens) in sequence.graph.iter().flat_map(|graph| &graph.nodes) {
            let mut mean = vec![0.0; hidden];
            for token in tokens {
                let embedding = &states[token * hidden..][..hidden];
                mean.iter_mut().zip(embedding).for_each(|(mean, number)| *mean += number);
            }
            let count = tokens.len() as f32 + 1e-10;
            mean.iter_mut().for_each(|number| *number /= count);
            states[node * hidden..][..hidden].copy_from_slice(&mean);
        }
        for (state, position) in states.chunks_exact_mut(hidden).zip(&sequence.positions) {
            let position = &self.positions[*position as usize * hidden..][..hidden];
            for ((number, position), token_type) in state.iter_mut().zip(position).zip(&self.token_type) {
                *number = (*number + token_type) + position;
            }
        }
        self.embedding_norm.apply(&mut states, None, self.epsilon);
        states
    }
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

/// The activation of a name that configurations use.
pub fn activation(config: &Config, name: &str) -> Result<Activation, OpenError> {
    match name {
        "gelu" => Ok(Activation::Gelu),
        "gelu_new" | "gelu_pytorch_tanh" => Ok(Activation::GeluTanh),
        "relu" => Ok(Activation::Relu),
        "tanh" => Ok(Activation::Tanh),
        other => {
            Err(config.unusable(format!("the activation `{other}` is not known; gelu, gelu_new, relu and tanh are")))
        }
    }
}
