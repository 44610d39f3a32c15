//! RoBERTa's encoder for a device that wants much to do at once: the same pass as [`model::huggingface::roberta`], over padded batches.
//!
//! Sequences of about the same length are computed together. The shape of a batch depends on the length of its sequences and on the
//! model, never on how many there are: a batch that is not full is filled up with empty sequences. Libraries choose their
//! kernels by shape, so this way the answer about an input is the same whatever it is asked together with.
//!
//! The attention scores are by far the largest arrays, so nothing is done with them that can be done elsewhere. The scale is a part of
//! the weights of the queries. Padding is hidden by one more number a head: it is 1 in every query, and in the keys 0 for
//! a token and hugely negative for padding, so that the matrix product itself hides the padding. Only the graph of GraphCodeBERT's
//! input takes an addition to every score. Where there is no such graph and an NVIDIA GPU computes, no scores are written at all, see
//! `fused.rs`.

use std::sync::{Mutex, PoisonError};

use candle_core::{Device, Result, Tensor};
use candle_nn::ops::{layer_norm, softmax_last_dim};
use kernels::Activation;
use model::huggingface::encoder::Engine;
use model::huggingface::roberta::{Dimensions, Sequence, Wanted, mean_of_rows};
use model::weights::Weights;
use model::{Fault, OpenError, TOGETHER};
use rayon::prelude::*;

/// A RoBERTa encoder on a device.
pub struct Batched {
    device: Device,
    dimensions: Dimensions,
    /// How many numbers of a head are computed: its own, the one that hides padding, and zeros up to a multiple of four.
    width: usize,
    /// The most tokens of a sequence.
    longest: usize,
    /// The most tokens of a batch.
    tokens: usize,
    words: Tensor,
    /// The embeddings of words once more, where the processor reads them: for the nodes of a graph, for one word.
    words_here: Vec<f32>,
    positions: Tensor,
    token_type: Tensor,
    embedding_norm: Norm,
    blocks: Vec<Block>,
    /// The attention in one kernel, where there is one.
    #[cfg(feature = "cuda")]
    fused: Option<crate::fused::Fused>,
    /// Only one thread has batches on the device, so that two do not need twice the memory.
    turn: Mutex<()>,
}

struct Block {
    queries_keys_values: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    up: Linear,
    down: Linear,
    output_norm: Norm,
}

/// A linear layer: a row of weights for every input.
struct Linear {
    weights: Tensor,
    bias: Tensor,
}

struct Norm {
    scale: Tensor,
    shift: Tensor,
}

/// What hides tokens from each other.
enum Hiding {
    /// An addend to the keys of every head.
    Keys(Tensor),
    /// An addend to the scores of every head.
    Scores(Tensor),
    /// The number of tokens of every sequence, for an attention that looks no further.
    #[cfg(feature = "cuda")]
    Tokens(Tensor),
}

/// A batch's sequences are padded to a multiple of this.
const STEP: usize = 32;

/// The most bytes that the scores of a batch take. Three arrays of this size are alive at once, four with graphs.
const SCORES: usize = 512 << 20;

/// About so many multiplications make a batch, enough to keep a large GPU busy, within the limits on its tokens.
const WORK: usize = 1 << 38;

/// Batches have at least so many tokens, whatever the model, unless their scores would take too much memory.
const FEWEST_TOKENS: usize = 8 << 10;

/// Batches have at most so many tokens, whatever the model.
const MOST_TOKENS: usize = 32 << 10;

/// What is added to a score that must not count.
const HIDDEN: f32 = -1e9;

impl Batched {
    /// Finds the encoder's weights under a prefix and takes them to a device. No sequence may have more tokens than `longest`.
    pub fn new(
        dimensions: Dimensions,
        weights: &Weights,
        prefix: &str,
        device: &Device,
        longest: usize,
    ) -> std::result::Result<Batched, OpenError> {
        let Dimensions { hidden, heads, inner, layers, .. } = dimensions;
        let own = hidden / heads;
        let width = (own + 1).next_multiple_of(4);
        let loader = Loader { weights, device };
        let embeddings =
            |name: &str, count| weights.take(&format!("{prefix}embeddings.{name}_embeddings.weight"), &[count, hidden]);
        let mut blocks = Vec::new();
        for layer in 0..layers {
            let name = |end: &str| format!("{prefix}encoder.layer.{layer}.{end}");
            // The queries, the keys and the values of every head, each with room for more numbers.
            let (mut columns, mut all_bias) = (Vec::new(), Vec::new());
            for (number, part) in ["query", "key", "value"].into_iter().enumerate() {
                let (rows, bias) = weights.layer(&name(&format!("attention.self.{part}")), hidden, hidden)?;
                let scale = if number == 0 { 1.0 / (own as f32).sqrt() } else { 1.0 };
                for head in 0..heads {
                    columns.extend(rows[head * own * hidden..][..own * hidden].iter().map(|number| number * scale));
                    columns.resize(columns.len() + (width - own) * hidden, 0.0);
                    all_bias.extend(bias[head * own..][..own].iter().map(|number| number * scale));
                    all_bias.push(if number == 0 { 1.0 } else { 0.0 });
                    all_bias.resize(all_bias.len() + width - own - 1, 0.0);
                }
            }
            let queries_keys_values = loader.linear(columns, all_bias, hidden)?;
            // What the numbers beyond a head's own become counts nothing.
            let (rows, bias) = weights.layer(&name("attention.output.dense"), hidden, hidden)?;
            let mut wide = Vec::with_capacity(hidden * heads * width);
            for head in rows.chunks_exact(own) {
                wide.extend_from_slice(head);
                wide.resize(wide.len() + width - own, 0.0);
            }
            let plain = |name: String, inputs, outputs| {
                let (rows, bias) = weights.layer(&name, inputs, outputs)?;
                loader.linear(rows, bias, inputs)
            };
            blocks.push(Block {
                queries_keys_values,
                attention_output: loader.linear(wide, bias, heads * width)?,
                attention_norm: loader.norm(&name("attention.output.LayerNorm"), hidden)?,
                up: plain(name("intermediate.dense"), hidden, inner)?,
                down: plain(name("output.dense"), inner, hidden)?,
                output_norm: loader.norm(&name("output.LayerNorm"), hidden)?,
            });
        }
        let words_here = embeddings("word", dimensions.vocabulary)?;
        let mut token_type = embeddings("token_type", dimensions.types)?;
        token_type.truncate(hidden);
        let work_of_a_token = layers * (4 * hidden * hidden + 2 * hidden * inner);
        let tokens = match device {
            // A processor is busy with little.
            Device::Cpu => FEWEST_TOKENS / 32,
            _ => (WORK / work_of_a_token.max(1)).clamp(FEWEST_TOKENS, MOST_TOKENS),
        };
        Ok(Batched {
            device: device.clone(),
            width,
            longest,
            tokens,
            words: loader.tensor(words_here.clone(), &[dimensions.vocabulary, hidden])?,
            words_here,
            positions: loader.tensor(embeddings("position", dimensions.positions)?, &[dimensions.positions, hidden])?,
            token_type: loader.tensor(token_type, &[hidden])?,
            embedding_norm: loader.norm(&format!("{prefix}embeddings.LayerNorm"), hidden)?,
            blocks,
            #[cfg(feature = "cuda")]
            fused: match device.is_cuda() {
                true => crate::fused::Fused::new(&dimensions, width).map_err(|error| {
                    OpenError::Missing(format!("the attention of the GPU cannot be compiled: {error}"))
                })?,
                false => None,
            },
            dimensions,
            turn: Mutex::new(()),
        })
    }

    /// The length to which sequences of a length are padded.
    fn padded(&self, length: usize) -> usize {
        length.next_multiple_of(STEP).min(self.longest).max(length).max(1)
    }

    /// How many sequences of a padded length are a batch.
    fn size(&self, length: usize) -> usize {
        let scores = length * length * self.dimensions.heads * size_of::<f32>();
        (self.tokens / length).min(SCORES / scores).max(1)
    }

    /// The states of a batch: those of the first tokens, or of all.
    fn states(&self, sequences: &[&Sequence], wanted: Wanted) -> Result<Tensor> {
        let length = self.padded(sequences[0].ids.len());
        let size = self.size(length);
        let hidden = self.dimensions.hidden;
        let hiding = self.hiding(sequences, size, length)?;
        let mut states = self.embed(sequences, size, length)?;
        for (number, block) in self.blocks.iter().enumerate() {
            let is_short = number + 1 == self.blocks.len() && wanted == Wanted::First;
            let seen = self.attend(block, &states, &hiding, is_short)?;
            if is_short {
                states = states.narrow(1, 0, 1)?.contiguous()?;
            }
            let rows = states.dim(0)? * states.dim(1)?;
            let flat = states.reshape((rows, hidden))?;
            let seen = block.attention_output.apply(&seen)?;
            let flat = self.norm(&block.attention_norm, &(flat + seen)?)?;
            let inner = block.up.apply(&flat)?;
            let inner = match self.dimensions.activation {
                Activation::None => inner,
                Activation::Gelu => inner.gelu_erf()?,
                Activation::GeluTanh => inner.gelu()?,
                Activation::Relu => inner.relu()?,
                Activation::Tanh => inner.tanh()?,
            };
            let inner = block.down.apply(&inner)?;
            states = self.norm(&block.output_norm, &(flat + inner)?)?.reshape((size, rows / size, hidden))?;
        }
        match wanted {
            Wanted::First => states.narrow(1, 0, 1),
            Wanted::All => Ok(states),
        }
    }

    /// The embeddings, padded.
    fn embed(&self, sequences: &[&Sequence], size: usize, length: usize) -> Result<Tensor> {
        let hidden = self.dimensions.hidden;
        let count = size * length;
        let padded = |numbers: fn(&Sequence) -> &Vec<u32>| -> Result<Tensor> {
            let mut all = vec![0; count];
            for (row, sequence) in all.chunks_exact_mut(length).zip(sequences) {
                row[..sequence.ids.len()].copy_from_slice(numbers(sequence));
            }
            Tensor::from_vec(all, count, &self.device)
        };
        let mut words = self.words.embedding(&padded(|sequence| &sequence.ids)?)?;
        let nodes = sequences.iter().enumerate().flat_map(|(number, sequence)| {
            let nodes = sequence.graph.iter().flat_map(|graph| &graph.nodes);
            nodes.map(move |(node, tokens)| (number * length + node, *sequence, tokens))
        });
        let mut from: Vec<u32> = (0..count as u32).collect();
        let mut means = Vec::new();
        for (number, (place, sequence, tokens)) in nodes.enumerate() {
            from[place] = (count + number) as u32;
            means.extend(mean_of_rows(
                &self.words_here,
                tokens.iter().map(|token| sequence.ids[*token] as usize),
                hidden,
            ));
        }
        if !means.is_empty() {
            let means = Tensor::from_vec(means, ((), hidden), &self.device)?;
            let from = Tensor::from_vec(from, count, &self.device)?;
            words = Tensor::cat(&[&words, &means], 0)?.index_select(&from, 0)?;
        }
        let positions = self.positions.embedding(&padded(|sequence| &sequence.positions)?)?;
        let states = (words.broadcast_add(&self.token_type)? + positions)?;
        self.norm(&self.embedding_norm, &states)?.reshape((size, length, hidden))
    }

    /// What hides the padding of a batch, and tokens that do not see each other.
    fn hiding(&self, sequences: &[&Sequence], size: usize, length: usize) -> Result<Hiding> {
        let (heads, width) = (self.dimensions.heads, self.width);
        #[cfg(feature = "cuda")]
        if sequences[0].graph.is_none() && self.fused.is_some() {
            let mut tokens: Vec<u32> = sequences.iter().map(|sequence| sequence.ids.len() as u32).collect();
            tokens.resize(size, 0);
            return Ok(Hiding::Tokens(Tensor::from_vec(tokens, size, &self.device)?));
        }
        if sequences[0].graph.is_none() {
            let place = self.dimensions.hidden / heads;
            let mut keys = vec![0.0; size * length * width];
            for (number, sequence) in keys.chunks_exact_mut(length * width).enumerate() {
                let tokens = sequences.get(number).map_or(0, |sequence| sequence.ids.len());
                sequence.chunks_exact_mut(width).skip(tokens).for_each(|key| key[place] = HIDDEN);
            }
            let keys = Tensor::from_vec(keys, (size, 1, length, width), &self.device)?;
            return Ok(Hiding::Keys(keys.broadcast_as((size, heads, length, width))?.contiguous()?));
        }
        // A byte for every pair of tokens goes to the device, where it becomes a number for every head.
        let mut hidden = vec![1u8; size * length * length];
        hidden.par_chunks_exact_mut(length * length).zip(sequences).for_each(|(hidden, sequence)| {
            let Some(graph) = &sequence.graph else { return };
            let tokens = sequence.ids.len();
            for (row, sees) in hidden.chunks_exact_mut(length).zip(graph.sees.chunks_exact(tokens)) {
                row.iter_mut().zip(sees).for_each(|(hidden, sees)| *hidden = u8::from(!sees));
            }
        });
        let hidden = Tensor::from_vec(hidden, (size, 1, length, length), &self.device)?;
        let hidden = (hidden.to_dtype(candle_core::DType::F32)? * HIDDEN as f64)?;
        Ok(Hiding::Scores(hidden.broadcast_as((size, heads, length, length))?.contiguous()?))
    }

    /// What the tokens of a batch see, or what only the first of each sequence does.
    fn attend(&self, block: &Block, states: &Tensor, hiding: &Hiding, is_short: bool) -> Result<Tensor> {
        let (size, length, hidden) = states.dims3()?;
        let (heads, width) = (self.dimensions.heads, self.width);
        let all = block.queries_keys_values.apply(&states.reshape((size * length, hidden))?)?;
        #[cfg(feature = "cuda")]
        if let (Hiding::Tokens(tokens), Some(fused)) = (hiding, &self.fused) {
            return fused.attend(&all, tokens, if is_short { 1 } else { length });
        }
        // For queries, keys and values, for every sequence, for every head, a row for each token.
        let all = all.reshape((size, length, 3, heads, width))?.permute((2, 0, 3, 1, 4))?.contiguous()?;
        let mut queries = all.get(0)?;
        let mut keys = all.get(1)?;
        if is_short {
            queries = queries.narrow(2, 0, 1)?.contiguous()?;
        }
        if let Hiding::Keys(addend) = hiding {
            keys = (keys + addend)?;
        }
        let mut scores = queries.matmul(&keys.t()?)?;
        if let Hiding::Scores(addend) = hiding {
            scores = match is_short {
                true => (scores + addend.narrow(2, 0, 1)?.contiguous()?)?,
                false => (scores + addend)?,
            };
        }
        let seen = softmax_last_dim(&scores)?.matmul(&all.get(2)?)?;
        let rows = if is_short { size } else { size * length };
        seen.transpose(1, 2)?.contiguous()?.reshape((rows, heads * width))
    }

    fn norm(&self, norm: &Norm, rows: &Tensor) -> Result<Tensor> {
        layer_norm(rows, &norm.scale, &norm.shift, self.dimensions.epsilon)
    }
}

impl Engine for Batched {
    fn device(&self) -> Option<&'static str> {
        Some(if self.device.is_cuda() { "cuda, fused attention" } else { "candle" })
    }

    fn together(&self) -> usize {
        // Batches of every length are full only when there are many inputs.
        16 * TOGETHER
    }

    fn askers(&self) -> usize {
        // The texts of one batch become tokens while the device has another.
        2
    }

    fn word(&self, id: u32) -> &[f32] {
        let hidden = self.dimensions.hidden;
        &self.words_here[id as usize * hidden..][..hidden]
    }

    fn encode<Made: Send>(
        &self,
        sequences: &[&Sequence],
        wanted: Wanted,
        finish: impl Fn(&Sequence, &[f32]) -> Made + Sync,
    ) -> Vec<std::result::Result<Made, Fault>> {
        // Sequences that are padded to the same length stand together, in their order.
        let kind = |place: &usize| (self.padded(sequences[*place].ids.len()), sequences[*place].graph.is_some());
        let mut order: Vec<usize> = (0..sequences.len()).collect();
        order.sort_by_key(kind);
        let same = order.chunk_by(|one, other| kind(one) == kind(other));
        let batches = same.flat_map(|same| same.chunks(self.size(kind(&same[0]).0)));

        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut made = Vec::with_capacity(sequences.len());
        let mut receive = |batch: Vec<&Sequence>, states: Result<Tensor>| match states
            .and_then(|states| rows(&states, &batch, &finish))
        {
            Ok(rows) => made.extend(rows.into_iter().map(Ok)),
            Err(error) => made.extend(batch.iter().map(|_| Err(failed(&error)))),
        };
        // The device works while the next batch is made ready: states are waited for one batch later.
        let mut before: Option<(Vec<&Sequence>, Result<Tensor>)> = None;
        for places in batches {
            let batch: Vec<&Sequence> = places.iter().map(|place| sequences[*place]).collect();
            let states = self.states(&batch, wanted);
            if let Some((batch, states)) = before.replace((batch, states)) {
                receive(batch, states);
            }
        }
        if let Some((batch, states)) = before {
            receive(batch, states);
        }
        let mut placed: Vec<(usize, std::result::Result<Made, Fault>)> = order.into_iter().zip(made).collect();
        placed.sort_unstable_by_key(|(place, _)| *place);
        placed.into_iter().map(|(_, made)| made).collect()
    }
}

impl Linear {
    fn apply(&self, rows: &Tensor) -> Result<Tensor> {
        rows.matmul(&self.weights)?.broadcast_add(&self.bias)
    }
}

/// Takes weights to a device.
struct Loader<'a> {
    weights: &'a Weights,
    device: &'a Device,
}

impl Loader<'_> {
    /// A linear layer of which a row of weights for every output is given.
    fn linear(&self, rows: Vec<f32>, bias: Vec<f32>, inputs: usize) -> std::result::Result<Linear, OpenError> {
        let outputs = bias.len();
        let mut columns = vec![0.0; rows.len()];
        for (output, row) in rows.chunks_exact(inputs).enumerate() {
            row.iter().enumerate().for_each(|(input, number)| columns[input * outputs + output] = *number);
        }
        Ok(Linear { weights: self.tensor(columns, &[inputs, outputs])?, bias: self.tensor(bias, &[outputs])? })
    }

    fn norm(&self, name: &str, hidden: usize) -> std::result::Result<Norm, OpenError> {
        let take = |end: &str| self.tensor(self.weights.take(&format!("{name}.{end}"), &[hidden])?, &[hidden]);
        Ok(Norm { scale: take("weight")?, shift: take("bias")? })
    }

    fn tensor(&self, numbers: Vec<f32>, shape: &[usize]) -> std::result::Result<Tensor, OpenError> {
        Tensor::from_vec(numbers, shape, self.device)
            .map_err(|error| OpenError::Missing(format!("the device cannot hold the model: {error}")))
    }
}

/// What is made of the rows of each sequence of a batch, the padding left out.
fn rows<Made: Send>(
    states: &Tensor,
    batch: &[&Sequence],
    finish: impl Fn(&Sequence, &[f32]) -> Made + Sync,
) -> Result<Vec<Made>> {
    let (_, length, hidden) = states.dims3()?;
    let numbers = states.narrow(0, 0, batch.len())?.flatten_all()?.to_vec1::<f32>()?;
    let own = numbers.par_chunks_exact(length * hidden).zip(batch);
    Ok(own.map(|(rows, sequence)| finish(sequence, &rows[..length.min(sequence.ids.len()) * hidden])).collect())
}

fn failed(error: &candle_core::Error) -> Fault {
    Fault::Failed(format!("the device failed: {error}"))
}

#[cfg(test)]
mod tests {
    use model::huggingface::roberta::{Graph, Roberta};

    use super::*;

    /// Two blocks whose weights look random, for heads whose numbers are `own` each.
    fn tiny(own: usize, activation: Activation) -> (Dimensions, Weights) {
        let dimensions = Dimensions {
            hidden: 2 * own,
            heads: 2,
            inner: 10,
            layers: 2,
            vocabulary: 50,
            positions: 300,
            types: 2,
            epsilon: 1e-5,
            activation,
        };
        let hidden = dimensions.hidden;
        let mut arrays = Vec::new();
        let mut seed = 0.3;
        let mut add = |name: String, shape: &[usize]| {
            let count: usize = shape.iter().product();
            seed += 1.0;
            let numbers: Vec<f32> = (0..count).map(|at| ((at as f32 + 1.0) * seed * 12.9898).sin()).collect();
            arrays.push((name, shape.to_vec(), numbers));
        };
        add("embeddings.word_embeddings.weight".to_owned(), &[dimensions.vocabulary, hidden]);
        add("embeddings.position_embeddings.weight".to_owned(), &[dimensions.positions, hidden]);
        add("embeddings.token_type_embeddings.weight".to_owned(), &[dimensions.types, hidden]);
        let mut norms = vec!["embeddings".to_owned()];
        for layer in 0..dimensions.layers {
            let block = format!("encoder.layer.{layer}");
            norms.extend([format!("{block}.attention.output"), format!("{block}.output")]);
            for part in ["self.query", "self.key", "self.value", "output.dense"] {
                add(format!("{block}.attention.{part}.weight"), &[hidden, hidden]);
                add(format!("{block}.attention.{part}.bias"), &[hidden]);
            }
            add(format!("{block}.intermediate.dense.weight"), &[dimensions.inner, hidden]);
            add(format!("{block}.intermediate.dense.bias"), &[dimensions.inner]);
            // A layer without a bias.
            add(format!("{block}.output.dense.weight"), &[hidden, dimensions.inner]);
        }
        for norm in norms {
            add(format!("{norm}.LayerNorm.weight"), &[hidden]);
            add(format!("{norm}.LayerNorm.bias"), &[hidden]);
        }
        (dimensions, Weights::of(arrays).unwrap())
    }

    /// A sequence, with a graph where nodes are asked for.
    fn sequence(length: usize, nodes: usize) -> Sequence {
        let ids: Vec<u32> = (0..length).map(|at| (at * at + 3 * length) as u32 % 50).collect();
        let positions = (0..length).map(|at| if at < length - nodes { at as u32 + 2 } else { 0 }).collect();
        let graph = (nodes > 0).then(|| Graph {
            // Every token sees itself and some others.
            sees: (0..length * length).map(|at| at / length == at % length || at * 7 % 5 < 2).collect(),
            nodes: (0..nodes).map(|node| (length - nodes + node, (1..1 + node).collect())).collect(),
        });
        Sequence { ids, positions, graph }
    }

    fn states(batched: &Batched, sequences: &[&Sequence], wanted: Wanted) -> Vec<Vec<f32>> {
        batched.encode(sequences, wanted, |_, states| states.to_vec()).into_iter().map(|made| made.unwrap()).collect()
    }

    #[test]
    fn padded_batches_are_computed_as_single_sequences_are() {
        let lengths = [(5, 0), (1, 0), (31, 0), (32, 0), (33, 0), (100, 0), (70, 0), (5, 2), (40, 7), (64, 1), (99, 9)];
        let sequences = lengths.map(|(length, nodes)| sequence(length, nodes));
        let sequences: Vec<&Sequence> = sequences.iter().collect();
        for (own, activation) in
            [(3, Activation::Gelu), (4, Activation::GeluTanh), (7, Activation::Relu), (6, Activation::Tanh)]
        {
            let (dimensions, weights) = tiny(own, activation);
            let roberta = Roberta::new(dimensions, &weights, "").unwrap();
            let batched = Batched::new(dimensions, &weights, "", &Device::Cpu, 100).unwrap();
            for wanted in [Wanted::First, Wanted::All] {
                for (sequence, found) in sequences.iter().zip(states(&batched, &sequences, wanted)) {
                    let expected = roberta.states(sequence, wanted);
                    assert_eq!(found.len(), expected.len());
                    let furthest =
                        found.iter().zip(&expected).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
                    assert!(furthest < 1e-4, "{furthest} for {} tokens", sequence.ids.len());
                }
            }
        }
    }

    #[test]
    fn an_answer_does_not_depend_on_the_batch() {
        let sequences: Vec<Sequence> =
            (0..40).map(|number| sequence(20 + number % 30, if number % 3 == 0 { 4 } else { 0 })).collect();
        let sequences: Vec<&Sequence> = sequences.iter().collect();
        let (dimensions, weights) = tiny(3, Activation::Gelu);
        let batched = Batched::new(dimensions, &weights, "", &Device::Cpu, 100).unwrap();
        for wanted in [Wanted::First, Wanted::All] {
            let together = states(&batched, &sequences, wanted);
            for (sequence, together) in sequences.iter().zip(together) {
                assert_eq!(states(&batched, &[sequence], wanted), [together]);
            }
        }
        assert!(states(&batched, &[], Wanted::All).is_empty());
    }

    #[test]
    fn the_shape_of_a_batch_depends_on_the_length_alone() {
        let (dimensions, weights) = tiny(3, Activation::Gelu);
        let mut batched = Batched::new(dimensions, &weights, "", &Device::Cpu, 100).unwrap();
        assert_eq!([1, 32, 33, 96, 97, 100].map(|length| batched.padded(length)), [32, 32, 64, 96, 100, 100]);
        batched.tokens = 32 << 10;
        assert_eq!([32, 100].map(|length| batched.size(length)), [1024, 327]);
        // The scores of 8192 tokens and two heads take all the memory that there is for them.
        assert_eq!([8192, 100_000].map(|length| batched.size(length)), [1, 1]);
    }
}
