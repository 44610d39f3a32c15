//! A decoder after a RoBERTa encoder, which writes a text about a program: the `Seq2Seq` of CodeXGLUE's code documentation.
//!
//! Its blocks are those of PyTorch's `nn.TransformerDecoderLayer` as it is by default: a norm after each part, and ReLU in the last. The
//! words that are written are embedded by the encoder's own embeddings, and the state of the last goes through a layer with tanh before
//! it is compared with the embeddings of all words.

use super::generation::{Encoded, Past};
use super::roberta::{Norm, Roberta, Sequence};
use crate::OpenError;
use crate::weights::{Matrix, Weights};
use kernels::{Activation, Attention, Packed, Rows, attend};

/// A decoder.
pub struct Decoder {
    hidden: usize,
    heads: usize,
    blocks: Vec<Block>,
    dense: Packed,
    output: Packed,
    /// The position of the first word.
    first_position: u32,
}

/// How large a decoder is, by its encoder.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub hidden: usize,
    pub heads: usize,
    pub vocabulary: usize,
    /// The position of the first word.
    pub first_position: u32,
}

struct Block {
    queries_keys_values: Packed,
    attention_output: Packed,
    attention_norm: Norm,
    queries: Packed,
    /// Of the encoder's states.
    keys_values: Packed,
    seen_output: Packed,
    seen_norm: Norm,
    up: Packed,
    down: Packed,
    output_norm: Norm,
}

/// The epsilon of the norms, PyTorch's default: no configuration says it.
const EPSILON: f32 = 1e-5;

/// By this name it is known that a checkpoint has a decoder of this kind.
pub const SIGN: &str = "decoder.layers.0.self_attn.in_proj_weight";

impl Decoder {
    /// Finds the decoder's weights. The output layer is that of the checkpoint, or `words`, the embeddings.
    pub fn new(sizes: Sizes, weights: &Weights, words: &Matrix) -> Result<Decoder, OpenError> {
        let Sizes { hidden, heads, vocabulary, first_position } = sizes;
        let prefix = weights
            .prefix_of(SIGN)
            .ok_or_else(|| weights.unusable(format!("there is no decoder: weights whose names end in `{SIGN}`")))?;
        let mut blocks = Vec::new();
        while weights.has(&format!("{prefix}decoder.layers.{}.norm1.weight", blocks.len())) {
            blocks.push(Block::new(weights, &format!("{prefix}decoder.layers.{}.", blocks.len()), hidden)?);
        }
        let output = format!("{prefix}lm_head.weight");
        let output = match weights.has(&output) {
            true => weights.matrix(&output, [vocabulary, hidden])?.packed(None),
            false => words.packed(None),
        };
        let dense = weights.linear(&format!("{prefix}dense"), hidden, hidden)?;
        Ok(Decoder { hidden, heads, blocks, dense, output, first_position })
    }

    /// What the decoder sees of an input with these states of the encoder.
    pub fn encoded(&self, states: &[f32]) -> Encoded {
        Encoded(self.blocks.iter().map(|block| block.keys_values.apply(states, Activation::None)).collect())
    }

    /// The scores of all words that may come next, for one more word of every text. The texts have the same length.
    pub fn scores(&self, encoder: &Roberta, encoded: &Encoded, pasts: &mut [Past], ids: &[u32]) -> Vec<f32> {
        let hidden = self.hidden;
        let position = self.first_position + pasts.first().map_or(0, |past| past.tokens) as u32;
        let words = Sequence { ids: ids.to_vec(), positions: vec![position; ids.len()], graph: None };
        let mut states = encoder.embed(&words);
        for (number, block) in self.blocks.iter().enumerate() {
            let all = block.queries_keys_values.apply(&states, Activation::None);
            let mut seen = Vec::with_capacity(states.len());
            for (past, own) in pasts.iter_mut().zip(all.chunks_exact(3 * hidden)) {
                past.blocks.resize(self.blocks.len(), Vec::new());
                let kept = &mut past.blocks[number];
                kept.extend_from_slice(&own[hidden..]);
                seen.extend(self.attend(&own[..hidden], kept));
            }
            let seen = block.attention_output.apply(&seen, Activation::None);
            block.attention_norm.apply(&mut states, Some(&seen), EPSILON);
            let queries = block.queries.apply(&states, Activation::None);
            let seen = block.seen_output.apply(&self.attend(&queries, &encoded.0[number]), Activation::None);
            block.seen_norm.apply(&mut states, Some(&seen), EPSILON);
            let inner = block.down.apply(&block.up.apply(&states, Activation::Relu), Activation::None);
            block.output_norm.apply(&mut states, Some(&inner), EPSILON);
        }
        pasts.iter_mut().for_each(|past| past.tokens += 1);
        self.output.apply(&self.dense.apply(&states, Activation::Tanh), Activation::None)
    }

    /// What queries see of keys and values that stand side by side.
    fn attend(&self, queries: &[f32], keys_values: &[f32]) -> Vec<f32> {
        let (hidden, width) = (self.hidden, self.hidden / self.heads);
        let part = |start: usize| Rows { all: keys_values, stride: 2 * hidden, start };
        attend(&Attention {
            queries: Rows { all: queries, stride: hidden, start: 0 },
            keys: part(0),
            values: part(hidden),
            heads: self.heads,
            width,
            distances: None,
            scale: 1.0 / (width as f32).sqrt(),
            bias: None,
        })
    }
}

impl Block {
    fn new(weights: &Weights, name: &str, hidden: usize) -> Result<Block, OpenError> {
        let linear = |end: &str, inputs, outputs| weights.linear(&format!("{name}{end}"), inputs, outputs);
        let norm = |end: &str| Norm::new(weights, &format!("{name}{end}"), hidden);
        // Queries, keys and values are one array.
        let attention = |end: &str| -> Result<(Vec<f32>, Vec<f32>), OpenError> {
            let own = weights.take(&format!("{name}{end}.in_proj_weight"), &[3 * hidden, hidden])?;
            Ok((own, weights.take(&format!("{name}{end}.in_proj_bias"), &[3 * hidden])?))
        };
        let (own, own_bias) = attention("self_attn")?;
        let (other, other_bias) = attention("multihead_attn")?;
        let (queries, keys_values) = other.split_at(hidden * hidden);
        let (queries_bias, keys_values_bias) = other_bias.split_at(hidden);
        let inner = weights.shape(&format!("{name}linear1.weight")).and_then(|shape| shape.first().copied());
        let inner = inner.unwrap_or_default();
        Ok(Block {
            queries_keys_values: Packed::new(&own, Some(&own_bias), hidden, 3 * hidden),
            attention_output: linear("self_attn.out_proj", hidden, hidden)?,
            attention_norm: norm("norm1")?,
            queries: Packed::new(queries, Some(queries_bias), hidden, hidden),
            keys_values: Packed::new(keys_values, Some(keys_values_bias), hidden, 2 * hidden),
            seen_output: linear("multihead_attn.out_proj", hidden, hidden)?,
            seen_norm: norm("norm2")?,
            up: linear("linear1", hidden, inner)?,
            down: linear("linear2", inner, hidden)?,
            output_norm: norm("norm3")?,
        })
    }
}
