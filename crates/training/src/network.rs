//! An encoder with its head, forwards and backwards, on any device.

mod consistency;
mod decoder;
pub mod t5;
mod teaching;

use model::huggingface::roberta::{Sequence, Wanted};

use crate::compute::{Attention, Compute, ComputeError, Dropout, Groups, Nodes, Tokens, scale_of_width};
use crate::shape::{BlockLayout, HeadKind, HeadLayout, Layout, Shape};
use crate::train::Learner;
use teaching::Pulls;
pub use teaching::{SoftLabels, SoftLoss, SoftStates, softened};

/// An encoder that can learn.
pub struct Network<C: Compute> {
    pub shape: Shape,
    pub layout: Layout,
    /// What holds the parameters.
    pub compute: C,
}

/// Sequences that are worked on together, and what is asked about them.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    pub sequences: Vec<Sequence>,
    pub question: Question,
    /// How much it counts that an example of the first half and the one at its place in the second, which is a variant of it, get different
    /// answers; 0 where examples have no variants.
    pub consistency: f32,
    /// What a teacher says about the examples, where one does.
    pub soft: Option<SoftLabels>,
}

impl Batch {
    /// Sequences of which none has a variant.
    pub fn new(sequences: Vec<Sequence>, question: Question) -> Batch {
        Batch { sequences, question, consistency: 0.0, soft: None }
    }
}

/// What a network learns to answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// Which words stood where there are masks or other words now: the number of the sequence, the place in it, the word.
    Masked(Vec<(usize, usize, u32)>),
    /// The classes of examples: the numbers of the sequences of each, side by side, and the class of each. Of matches, the sequences of all
    /// texts come first and then those of all programs, and the class of a text is the place of its program.
    Classes { sequences: Vec<usize>, classes: Vec<u32> },
    /// Which word comes next in a text about a program: the text of every sequence, the special words at both ends included.
    Captions(Vec<Vec<u32>>),
}

/// The shares of numbers that are dropped while a network learns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DropoutRates {
    pub hidden: f32,
    pub attention: f32,
    pub head: f32,
}

impl DropoutRates {
    /// Nothing is dropped, as when a network answers.
    pub const NONE: DropoutRates = DropoutRates { hidden: 0.0, attention: 0.0, head: 0.0 };
}

/// The word that sequences are padded with, and its position.
const PADDING: u32 = 1;

/// Sequences are padded to a multiple of it, as fast products want it.
pub const LENGTH_STEP: usize = 8;

impl<C: Compute> Network<C> {
    /// A network whose parameters `compute` holds in the order of the shape's layout.
    pub fn new(shape: Shape, compute: C) -> Network<C> {
        Network { layout: shape.layout(), shape, compute }
    }

    /// The length that a batch is padded to.
    pub fn padded(&self, longest: usize) -> usize {
        longest.next_multiple_of(LENGTH_STEP).min(self.shape.dimensions.positions).max(longest)
    }

    /// The loss of a batch, and the gradients of the word of every place: a row for each place of each sequence, padded.
    pub fn word_slopes(&self, batch: &Batch) -> Result<(Vec<f32>, Vec<f32>), ComputeError> {
        let placed = Placed::of_batch(self, batch)?;
        let (losses, words) = self.both_ways(&placed, 1.0, Keys::NONE)?;
        Ok((self.compute.read(&losses)?, self.compute.read(&words)?))
    }

    /// The states after the last block: a row for each of `count` sequences of this length, padded, or for the first place of each.
    pub fn states(
        &self,
        sequences: &[&Sequence],
        length: usize,
        count: usize,
        wanted: Wanted,
    ) -> Result<Vec<f32>, ComputeError> {
        let rows: Vec<u32> = match wanted {
            Wanted::First => (0..count).map(|sequence| (sequence * length) as u32).collect(),
            Wanted::All => Vec::new(),
        };
        let placed = Placed::new(self, sequences, (length, count), &rows, &[])?;
        let states = self.last_states(&placed)?;
        match wanted {
            Wanted::First => self.compute.read(&self.compute.gather(&states, &placed.rows)?),
            Wanted::All => self.compute.read(&states),
        }
    }

    /// The losses, and the slopes of the words.
    fn both_ways(&self, placed: &Placed<C>, share: f32, keys: Keys) -> Result<(C::Array, C::Array), ComputeError> {
        let (mut states, embedded) = self.embed(placed, keys)?;
        let mut blocks = Vec::new();
        for (number, block) in self.layout.blocks.iter().enumerate() {
            let (after, kept) = self.block(block, states, placed, keys, number)?;
            states = after;
            blocks.push(kept);
        }
        let head = self.head(&states, placed, keys)?;
        let (losses, slopes) = teaching::losses(&self.compute, head.scores, &placed.classes, share, &placed.pulls)?;
        let mut slopes = self.head_back(head.kept, slopes, &states, placed, keys)?;
        let mut losses = losses;
        if let Some((teacher, examples)) = placed.pulls.states() {
            let (more, more_slopes) = self.pull_states(&states, placed, (teacher, examples), share)?;
            let sums: Vec<f32> = self.compute.read(&losses)?.iter().zip(more).map(|(loss, more)| loss + more).collect();
            losses = self.compute.array(&sums, 1)?;
            slopes = self.compute.add(slopes, &more_slopes)?;
        }
        let words = self.backward(placed, embedded, blocks, slopes, keys)?;
        Ok((losses, words))
    }

    /// How far the first states are from the teacher's, for each example, and the slopes of all states.
    fn pull_states(
        &self,
        states: &C::Array,
        placed: &Placed<C>,
        (teacher, examples): (&SoftStates, usize),
        share: f32,
    ) -> Result<(Vec<f32>, C::Array), ComputeError> {
        let compute = &self.compute;
        let own = compute.gather(states, &placed.rows)?;
        let projected = self.layout.projection.map(|layer| compute.linear(&own, &layer)).transpose()?;
        let numbers = compute.read(projected.as_ref().unwrap_or(&own))?;
        let (losses, slopes) = teaching::state_losses(&numbers, teacher, examples, share);
        let width = self.layout.projection.map_or(self.shape.dimensions.hidden, |layer| layer.outputs);
        let slopes = compute.array(&slopes, width)?;
        let slopes = match &self.layout.projection {
            Some(layer) => compute.linear_back(&own, &slopes, layer)?,
            None => slopes,
        };
        let slopes = compute.gather_back(&slopes, &placed.rows_back, placed.sequences * placed.length)?;
        Ok((losses, slopes))
    }

    /// The states after the last block; nothing is kept for a way back.
    fn last_states(&self, placed: &Placed<C>) -> Result<C::Array, ComputeError> {
        let (mut states, _) = self.embed(placed, Keys::NONE)?;
        for (number, block) in self.layout.blocks.iter().enumerate() {
            (states, _) = self.block(block, states, placed, Keys::NONE, number)?;
        }
        Ok(states)
    }

    fn embed(&self, placed: &Placed<C>, keys: Keys) -> Result<(C::Array, C::Normed), ComputeError> {
        let embedded = self.compute.embed(&placed.tokens, &self.layout.tables)?;
        let (states, embedded) = self.compute.norm(embedded, None, &self.layout.embedding_norm, Dropout::NONE)?;
        Ok((self.compute.drop_out(states, keys.hidden(0))?, embedded))
    }

    fn block(
        &self,
        block: &BlockLayout,
        states: C::Array,
        placed: &Placed<C>,
        keys: Keys,
        number: usize,
    ) -> Result<(C::Array, BlockKept<C>), ComputeError> {
        let compute = &self.compute;
        let all = compute.linear(&states, &block.queries_keys_values)?;
        let seen = compute.attend(&all, &self.attention(block, placed, keys, number))?;
        let out = compute.linear(&seen, &block.attention_output)?;
        let (middle, attention_normed) =
            compute.norm(out, Some(&states), &block.attention_norm, keys.hidden(4 * number + 2))?;
        let inner = compute.linear(&middle, &block.up)?;
        let activated = compute.activate(&inner, block.activation)?;
        let out = compute.linear(&activated, &block.down)?;
        let (after, normed) = compute.norm(out, Some(&middle), &block.output_norm, keys.hidden(4 * number + 3))?;
        Ok((after, BlockKept { states, all, seen, attention_normed, middle, inner, activated, normed }))
    }

    fn attention<'p>(&self, block: &BlockLayout, placed: &'p Placed<C>, keys: Keys, number: usize) -> Attention<'p, C> {
        let heads = self.shape.dimensions.heads;
        Attention {
            sequences: placed.sequences,
            length: placed.length,
            seen_length: placed.length,
            heads,
            width: self.shape.dimensions.hidden / heads,
            lengths: &placed.lengths,
            sees: placed.sees.as_ref(),
            scale: scale_of_width(self.shape.dimensions.hidden / heads),
            relative: block.relative,
            bias: None,
            dropout: keys.of(keys.rates.attention, 4 * number + 1),
        }
    }

    fn head(&self, states: &C::Array, placed: &Placed<C>, keys: Keys) -> Result<HeadPassed<C>, ComputeError> {
        let compute = &self.compute;
        let gathered = || compute.gather(states, &placed.rows);
        match &self.layout.head {
            HeadLayout::None => Err(no_head()),
            HeadLayout::Masked { dense, norm, output } => {
                let own = gathered()?;
                let inner = compute.linear(&own, dense)?;
                let activated = compute.activate(&inner, kernels::Activation::Gelu)?;
                let (last, normed) = compute.norm(activated, None, norm, Dropout::NONE)?;
                let scores = compute.linear(&last, output)?;
                Ok(HeadPassed { scores, kept: HeadKept::Masked { own, inner, last, normed } })
            }
            HeadLayout::Classes { dense, output } => {
                let own = compute.drop_out(compute.with_columns(gathered()?, dense.inputs), keys.head(0))?;
                let inner = compute.linear(&own, dense)?;
                let last = compute.activate(&inner, kernels::Activation::Tanh)?;
                let last = compute.drop_out(last, keys.head(1))?;
                let scores = compute.linear(&last, output)?;
                Ok(HeadPassed { scores, kept: HeadKept::Classes { own, inner, last } })
            }
            HeadLayout::Matches { scale } => {
                let own = gathered()?;
                let Some(starts) = &placed.starts else { return Err(no_head()) };
                // Every token counts the same.
                let even = compute.array(&vec![0.0; compute.rows(&own)], 1)?;
                let means = compute.pool(&own, &even, starts)?;
                let scores = compute.match_halves(&means, *scale)?;
                Ok(HeadPassed { scores, kept: HeadKept::Matches { own, even, means } })
            }
            HeadLayout::Decoder { blocks, dense, output } => {
                let Some(text) = &placed.text else { return Err(no_head()) };
                let (written, decoded) = self.decode(blocks, states, placed, text, keys)?;
                let own = compute.gather(&written, &text.rows)?;
                let inner = compute.linear(&own, dense)?;
                let last = compute.activate(&inner, kernels::Activation::Tanh)?;
                let scores = compute.linear(&last, output)?;
                Ok(HeadPassed { scores, kept: HeadKept::Decoder { decoded, own, inner, last } })
            }
        }
    }

    /// The slopes of the states after the last block.
    fn head_back(
        &self,
        kept: HeadKept<C>,
        slopes: C::Array,
        states: &C::Array,
        placed: &Placed<C>,
        keys: Keys,
    ) -> Result<C::Array, ComputeError> {
        let compute = &self.compute;
        let hidden = self.shape.dimensions.hidden;
        let own = match (&self.layout.head, kept) {
            (HeadLayout::Masked { dense, norm, output }, HeadKept::Masked { own, inner, last, normed }) => {
                let slopes = compute.linear_back(&last, &slopes, output)?;
                let (slopes, _) = compute.norm_back(&normed, &slopes, norm, Dropout::NONE)?;
                let slopes = compute.activate_back(&inner, slopes, kernels::Activation::Gelu)?;
                compute.linear_back(&own, &slopes, dense)?
            }
            (HeadLayout::Classes { dense, output }, HeadKept::Classes { own, inner, last }) => {
                let slopes = compute.linear_back(&last, &slopes, output)?;
                let slopes = compute.drop_out(slopes, keys.head(1))?;
                let slopes = compute.activate_back(&inner, slopes, kernels::Activation::Tanh)?;
                let slopes = compute.linear_back(&own, &slopes, dense)?;
                let slopes = compute.drop_out(slopes, keys.head(0))?;
                compute.with_columns(slopes, hidden)
            }
            (HeadLayout::Matches { scale }, HeadKept::Matches { own, even, means }) => {
                let Some(starts) = &placed.starts else { return Err(no_head()) };
                let slopes = compute.match_halves_back(&means, &slopes, *scale)?;
                compute.pool_back(&own, &even, starts, &slopes)?.0
            }
            (HeadLayout::Decoder { blocks, dense, output }, HeadKept::Decoder { decoded, own, inner, last }) => {
                let Some(text) = &placed.text else { return Err(no_head()) };
                let slopes = compute.linear_back(&last, &slopes, output)?;
                let slopes = compute.activate_back(&inner, slopes, kernels::Activation::Tanh)?;
                let slopes = compute.linear_back(&own, &slopes, dense)?;
                let slopes = compute.gather_back(&slopes, &text.rows_back, text.sequences * text.length)?;
                return self.decode_back(blocks, decoded, slopes, states, (placed, text), keys);
            }
            _ => return Err(no_head()),
        };
        compute.gather_back(&own, &placed.rows_back, placed.sequences * placed.length)
    }

    /// The slopes of the words, from those of the states after the last block.
    fn backward(
        &self,
        placed: &Placed<C>,
        embedded: C::Normed,
        blocks: Vec<BlockKept<C>>,
        states: C::Array,
        keys: Keys,
    ) -> Result<C::Array, ComputeError> {
        let mut slopes = states;
        for (number, kept) in blocks.into_iter().enumerate().rev() {
            let block = self.layout.blocks[number];
            let attention = self.attention(&block, placed, keys, number);
            let compute = &self.compute;
            let (own, residual) =
                compute.norm_back(&kept.normed, &slopes, &block.output_norm, keys.hidden(4 * number + 3))?;
            let own = compute.linear_back(&kept.activated, &own, &block.down)?;
            let own = compute.activate_back(&kept.inner, own, block.activation)?;
            let own = compute.linear_back(&kept.middle, &own, &block.up)?;
            let middle = compute.add(own, &residual)?;
            let (own, residual) = compute.norm_back(
                &kept.attention_normed,
                &middle,
                &block.attention_norm,
                keys.hidden(4 * number + 2),
            )?;
            let own = compute.linear_back(&kept.seen, &own, &block.attention_output)?;
            let own = compute.attend_back(&kept.all, &own, &attention)?;
            let own = compute.linear_back(&kept.states, &own, &block.queries_keys_values)?;
            slopes = compute.add(own, &residual)?;
        }
        let slopes = self.compute.drop_out(slopes, keys.hidden(0))?;
        let (slopes, _) = self.compute.norm_back(&embedded, &slopes, &self.layout.embedding_norm, Dropout::NONE)?;
        self.compute.embed_back(&placed.tokens, &self.layout.tables, slopes)
    }
}

impl<C: Compute> Learner for Network<C> {
    type Device = C;
    type Batch = Batch;

    fn device(&self) -> &C {
        &self.compute
    }

    fn device_mut(&mut self) -> &mut C {
        &mut self.compute
    }

    fn decaying(&self) -> usize {
        self.layout.decaying
    }

    fn learn(&self, batch: &Batch, share: f32, rates: DropoutRates, key: u64) -> Result<C::Array, ComputeError> {
        let placed = Placed::of_batch(self, batch)?;
        let keys = Keys { rates, key };
        let (losses, _) = self.both_ways(&placed, share, keys)?;
        Ok(losses)
    }

    fn scores(&self, batch: &Batch) -> Result<Vec<f32>, ComputeError> {
        let placed = Placed::of_batch(self, batch)?;
        let states = self.last_states(&placed)?;
        let head = self.head(&states, &placed, Keys::NONE)?;
        self.compute.read(&head.scores)
    }
}

/// What a block keeps for its way back.
struct BlockKept<C: Compute> {
    states: C::Array,
    all: C::Array,
    seen: C::Array,
    attention_normed: C::Normed,
    middle: C::Array,
    inner: C::Array,
    activated: C::Array,
    normed: C::Normed,
}

struct HeadPassed<C: Compute> {
    scores: C::Array,
    kept: HeadKept<C>,
}

/// What a head keeps for its way back.
enum HeadKept<C: Compute> {
    Masked { own: C::Array, inner: C::Array, last: C::Array, normed: C::Normed },
    Classes { own: C::Array, inner: C::Array, last: C::Array },
    Matches { own: C::Array, even: C::Array, means: C::Array },
    Decoder { decoded: decoder::Decoded<C>, own: C::Array, inner: C::Array, last: C::Array },
}

/// What is dropped where.
#[derive(Clone, Copy)]
struct Keys {
    rates: DropoutRates,
    key: u64,
}

impl Keys {
    /// Nothing is dropped.
    const NONE: Keys = Keys { rates: DropoutRates::NONE, key: 0 };

    fn hidden(self, place: usize) -> Dropout {
        self.of(self.rates.hidden, place)
    }

    /// What is dropped in a decoder, which is drawn apart from the encoder.
    fn of_decoder(self) -> Keys {
        Keys { key: self.key ^ 0x5851_f42d_4c95_7f2d, ..self }
    }

    fn head(self, place: usize) -> Dropout {
        self.of(self.rates.head, 1_000_000 + place)
    }

    fn of(self, rate: f32, place: usize) -> Dropout {
        Dropout::at(rate, self.key, place)
    }
}

/// A batch on the device.
struct Placed<C: Compute> {
    sequences: usize,
    length: usize,
    tokens: Tokens<C>,
    lengths: C::Numbers,
    sees: Option<C::Numbers>,
    /// The states that the head looks at.
    rows: C::Numbers,
    rows_back: Groups<C>,
    /// Where the rows of every sequence begin, where the head looks at all of its states.
    starts: Option<C::Numbers>,
    /// The texts about the sequences, of which a place sees those before it.
    text: Option<Box<Placed<C>>>,
    classes: C::Numbers,
    pulls: Pulls,
}

impl<C: Compute> Placed<C> {
    fn of_batch(network: &Network<C>, batch: &Batch) -> Result<Placed<C>, ComputeError> {
        let sequences: Vec<&Sequence> = batch.sequences.iter().collect();
        let length = network.padded(sequences.iter().map(|sequence| sequence.ids.len()).max().unwrap_or_default());
        let (rows, classes): (Vec<u32>, Vec<u32>) = match &batch.question {
            Question::Masked(places) => {
                let places = places.iter().map(|(sequence, place, word)| ((sequence * length + place) as u32, *word));
                places.unzip()
            }
            Question::Classes { sequences: asked, classes } if network.shape.head == HeadKind::Matches => {
                let places = |sequence: &usize| {
                    let first = sequence * length;
                    (first..first + sequences[*sequence].ids.len()).map(|place| place as u32)
                };
                (asked.iter().flat_map(places).collect(), classes.clone())
            }
            Question::Classes { sequences, classes } => {
                (sequences.iter().map(|sequence| (sequence * length) as u32).collect(), classes.clone())
            }
            // The decoder looks at all states, and only the texts have answers.
            Question::Captions(texts) => (Vec::new(), next_words(texts)),
        };
        let mut placed = Placed::new(network, &sequences, (length, sequences.len()), &rows, &classes)?;
        if let (Question::Classes { sequences: asked, .. }, HeadKind::Matches) = (&batch.question, network.shape.head) {
            let mut starts = vec![0];
            for sequence in asked {
                starts.push(starts[starts.len() - 1] + sequences[*sequence].ids.len() as u32);
            }
            placed.starts = Some(network.compute.numbers(&starts)?);
        }
        placed.pulls = Pulls::of(batch, &classes);
        if let Question::Captions(texts) = &batch.question {
            placed.text = Some(Box::new(Placed::of_texts(network, texts)?));
        }
        Ok(placed)
    }

    /// Texts as a decoder reads them: all words but the last, each of which is asked for the next.
    fn of_texts(network: &Network<C>, texts: &[Vec<u32>]) -> Result<Placed<C>, ComputeError> {
        let read = |text: &Vec<u32>| {
            let ids = text[..text.len().saturating_sub(1)].to_vec();
            Sequence { positions: (PADDING + 1..).take(ids.len()).collect(), ids, graph: None }
        };
        let sequences: Vec<Sequence> = texts.iter().map(read).collect();
        let sequences: Vec<&Sequence> = sequences.iter().collect();
        let length = network.padded(sequences.iter().map(|sequence| sequence.ids.len()).max().unwrap_or_default());
        let places = |(number, sequence): (usize, &&Sequence)| {
            (number * length..number * length + sequence.ids.len()).map(|place| place as u32).collect::<Vec<u32>>()
        };
        let rows: Vec<u32> = sequences.iter().enumerate().flat_map(places).collect();
        let mut placed = Placed::new(network, &sequences, (length, texts.len()), &rows, &[])?;
        let before = (0..length * length).map(|place| u8::from(place % length <= place / length));
        let sees: Vec<u8> = before.collect::<Vec<u8>>().repeat(texts.len());
        placed.sees = Some(network.compute.numbers(&packed(sees))?);
        Ok(placed)
    }

    fn new(
        network: &Network<C>,
        sequences: &[&Sequence],
        (length, count): (usize, usize),
        rows: &[u32],
        classes: &[u32],
    ) -> Result<Placed<C>, ComputeError> {
        let compute = &network.compute;
        let places = count * length;
        let (mut ids, mut positions) = (vec![PADDING; places], vec![PADDING; places]);
        for (number, sequence) in sequences.iter().enumerate() {
            ids[number * length..][..sequence.ids.len()].copy_from_slice(&sequence.ids);
            positions[number * length..][..sequence.positions.len()].copy_from_slice(&sequence.positions);
        }
        let mut lengths: Vec<u32> = sequences.iter().map(|sequence| sequence.ids.len() as u32).collect();
        lengths.resize(count, 0);
        let has_graphs = sequences.iter().any(|sequence| sequence.graph.is_some());
        Ok(Placed {
            sequences: count,
            length,
            tokens: Tokens {
                by_id: Groups::new(compute, &ids)?,
                by_position: Groups::new(compute, &positions)?,
                ids: compute.numbers(&ids)?,
                positions: compute.numbers(&positions)?,
                nodes: if has_graphs { Some(nodes(compute, sequences, (length, count))?) } else { None },
                count: places,
            },
            lengths: compute.numbers(&lengths)?,
            sees: if has_graphs { Some(compute.numbers(&seen(sequences, (length, count)))?) } else { None },
            rows_back: Groups::new(compute, rows)?,
            rows: compute.numbers(rows)?,
            starts: None,
            text: None,
            classes: compute.numbers(classes)?,
            pulls: Pulls::NONE,
        })
    }
}

fn no_head() -> ComputeError {
    ComputeError::Failed("the network has no head that answers questions".to_owned())
}

/// The nodes of the data flows of a batch, both ways.
fn nodes<C: Compute>(
    compute: &C,
    sequences: &[&Sequence],
    (length, count): (usize, usize),
) -> Result<Nodes<C>, ComputeError> {
    let (mut tokens, mut nodes) = (vec![Vec::new(); count * length], vec![Vec::new(); count * length]);
    let mut are_nodes = vec![0; count * length];
    for (number, sequence) in sequences.iter().enumerate() {
        for (node, own) in sequence.graph.iter().flat_map(|graph| &graph.nodes) {
            are_nodes[number * length + node] = 1;
            for token in own {
                tokens[number * length + node].push((number * length + token) as u32);
                nodes[number * length + token].push((number * length + node) as u32);
            }
        }
    }
    let starts = |lists: &[Vec<u32>]| {
        let mut starts = vec![0];
        starts.extend(lists.iter().scan(0, |end, list| {
            *end += list.len() as u32;
            Some(*end)
        }));
        starts
    };
    Ok(Nodes {
        are_nodes: compute.numbers(&are_nodes)?,
        starts: compute.numbers(&starts(&tokens))?,
        tokens: compute.numbers(&tokens.concat())?,
        starts_of_tokens: compute.numbers(&starts(&nodes))?,
        nodes: compute.numbers(&nodes.concat())?,
    })
}

/// Which places see which, a byte for each two. A sequence without a graph sees all of itself.
fn seen(sequences: &[&Sequence], (length, count): (usize, usize)) -> Vec<u32> {
    let mut sees = vec![0_u8; count * length * length];
    for (number, sequence) in sequences.iter().enumerate() {
        let tokens = sequence.ids.len();
        for query in 0..tokens {
            let row = &mut sees[(number * length + query) * length..][..tokens];
            match &sequence.graph {
                None => row.fill(1),
                Some(graph) => {
                    let own = &graph.sees[query * tokens..][..tokens];
                    row.iter_mut().zip(own).for_each(|(seen, own)| *seen = u8::from(*own));
                }
            }
        }
    }
    packed(sees)
}

/// Four answers a number, a byte each.
fn packed(mut answers: Vec<u8>) -> Vec<u32> {
    answers.resize(answers.len().next_multiple_of(4), 0);
    answers.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

/// The words of texts that are asked for: all but the first of each.
pub fn next_words(texts: &[Vec<u32>]) -> Vec<u32> {
    texts.iter().flat_map(|text| text.iter().skip(1)).copied().collect()
}

/// Small networks that look random, for tests of every device.
#[cfg(test)]
pub mod testing {
    use kernels::Activation;
    use model::huggingface::roberta::{Dimensions, Graph, PositionKind};

    use super::*;
    use crate::compute::State;
    use crate::processor::Processor;
    use crate::shape::HeadKind;

    pub fn shape(position_kind: PositionKind, head: HeadKind) -> Shape {
        let dimensions = Dimensions {
            hidden: 8,
            heads: 2,
            inner: 12,
            layers: 2,
            vocabulary: 11,
            positions: 16,
            position_kind,
            types: 1,
            epsilon: 1e-5,
            activation: Activation::Gelu,
        };
        Shape { dimensions, head, taught: None }
    }

    /// A network whose parameters look random.
    pub fn network(shape: Shape) -> Network<Processor> {
        let count = shape.layout().count;
        let weights = (0..count).map(|at| ((at as f32 + 1.0) * 12.9898).sin() * 0.4).collect();
        let state = State { weights, first_moments: vec![0.0; count], second_moments: vec![0.0; count] };
        Network::new(shape, Processor::new(state))
    }

    pub fn sequence(length: usize, graph: bool) -> Sequence {
        let ids: Vec<u32> = (0..length).map(|at| (at * at + 2 * length) as u32 % 11).collect();
        let graph = graph.then(|| Graph {
            sees: (0..length * length).map(|at| at / length == at % length || at * 7 % 5 < 2).collect(),
            nodes: vec![(length - 1, vec![1, 2]), (length - 2, vec![2]), (length - 3, vec![])],
        });
        Sequence { ids, positions: (2..length as u32 + 2).collect(), graph }
    }

    const MATCHES: [usize; 4] = [0, 1, 1, 2];

    /// Networks with something to learn: all kinds of positions and questions, with data flow and without, some with dropout.
    pub fn cases() -> Vec<(Shape, Batch, DropoutRates)> {
        let masked = Question::Masked(vec![(0, 1, 3), (1, 2, 7), (1, 4, 1)]);
        let pairs = Question::Classes { sequences: vec![0, 1, 1, 2, 0, 2], classes: vec![1, 0, 2] };
        let classes = Question::Classes { sequences: vec![2, 0], classes: vec![2, 1] };
        let dropping = DropoutRates { hidden: 0.2, attention: 0.3, head: 0.1 };
        let case = |(positions, question, graph, rates): (PositionKind, &Question, bool, DropoutRates)| {
            let head = match question {
                Question::Masked(_) => HeadKind::Masked,
                Question::Classes { sequences, .. } if sequences[..] == MATCHES => HeadKind::Matches,
                Question::Captions(_) => HeadKind::Decoder { layers: 2, inner: 12 },
                Question::Classes { sequences, classes } => {
                    HeadKind::Classes { vectors: sequences.len() / classes.len(), classes: 3 }
                }
            };
            let sequences = vec![sequence(5, false), sequence(6, graph), sequence(4, false)];
            (shape(positions, head), Batch::new(sequences, question.clone()), rates)
        };
        // Two texts and their programs, of which one is in both.
        let matches = Question::Classes { sequences: MATCHES.into(), classes: vec![0, 1] };
        // The texts have other lengths than the programs, and one has no words between its ends.
        let captions = Question::Captions(vec![vec![0, 5, 9, 3, 2], vec![0, 2], vec![0, 7, 7, 4, 10, 6, 8, 9, 5, 2]]);
        let cases = [
            (PositionKind::Absolute, &captions, false, DropoutRates::NONE),
            (PositionKind::Absolute, &captions, true, dropping),
            (PositionKind::Absolute, &matches, false, dropping),
            (PositionKind::Absolute, &masked, false, DropoutRates::NONE),
            (PositionKind::Absolute, &pairs, false, dropping),
            (PositionKind::Absolute, &classes, true, dropping),
            (PositionKind::RelativeKey, &pairs, false, DropoutRates::NONE),
            (PositionKind::RelativeKeyQuery, &classes, false, dropping),
            (PositionKind::RelativeKeyQuery, &masked, true, DropoutRates::NONE),
        ];
        let (shape, batch, rates) = case((PositionKind::Absolute, &classes, false, dropping));
        let soft = SoftLabels {
            shares: [[0.5, 0.2, 0.3], [0.1, 0.8, 0.1]].map(|row| softened(&row, 3.0)).concat(),
            weights: vec![0.7, 0.5],
            label_weight: 0.3,
            temperature: 3.0,
            loss: SoftLoss::Divergence,
            states: None,
        };
        let taught = Batch { soft: Some(soft.clone()), ..batch.clone() };
        let soft = SoftLabels { loss: SoftLoss::CrossEntropy, ..soft };
        let taught_beside_variants = Batch { consistency: 0.8, soft: Some(soft), ..batch.clone() };
        let consistent = Batch { consistency: 0.8, ..batch };
        let more = [consistent, taught, taught_beside_variants].map(|batch| (shape, batch, rates));
        // States of a teacher that is as wide, and of pairs and one that is wider.
        let state = |count: usize| (0..count).map(|at| (at as f32 * 0.7).cos()).collect();
        let pulled = |question: &Question, width: usize, count: usize| {
            let (shape, batch, rates) = case((PositionKind::Absolute, question, false, dropping));
            let shares = [0.5, 0.2, 0.3].repeat(count);
            let soft = SoftLabels {
                shares,
                weights: vec![0.7; count],
                states: Some(SoftStates { rows: state(batch_rows(question) * width), weight: 0.6 }),
                label_weight: 0.3,
                temperature: 2.0,
                loss: SoftLoss::Divergence,
            };
            (Shape { taught: Some(width), ..shape }, Batch { soft: Some(soft), ..batch }, rates)
        };
        let states = [pulled(&classes, 8, 2), pulled(&pairs, 11, 3)];
        cases.map(case).into_iter().chain(more).chain(states).collect()
    }

    fn batch_rows(question: &Question) -> usize {
        match question {
            Question::Classes { sequences, .. } => sequences.len(),
            Question::Masked(_) | Question::Captions(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use model::huggingface::roberta::PositionKind;

    use super::testing::{cases, network, sequence, shape};
    use super::*;
    use crate::compute::{State, Step};
    use crate::processor::Processor;
    use crate::shape::HeadKind;

    fn loss(network: &Network<Processor>, batch: &Batch, rates: DropoutRates) -> f64 {
        let losses = network.learn(batch, 0.5, rates, 5).unwrap();
        network.compute.read(&losses).unwrap().iter().map(|loss| f64::from(*loss)).sum()
    }

    #[test]
    fn the_gradient_of_every_parameter_is_the_slope_of_the_loss() {
        for (shape, batch, rates) in cases() {
            let mut network = network(shape);
            loss(&network, &batch, rates);
            let gradients = network.compute.gradients().unwrap();
            let state = network.compute.state().unwrap();
            let mut moving = 0;
            for parameter in network.layout.parameters.clone() {
                let count = parameter.count();
                // Every number of a small parameter, and a sample of a large one.
                for at in (parameter.start..parameter.start + count).step_by(count / 7 + 1) {
                    let mut at_step = |step: f32| {
                        let mut state = state.clone();
                        state.weights[at] += step;
                        network.compute.set_state(&state).unwrap();
                        loss(&network, &batch, rates)
                    };
                    let slope = (at_step(4e-3) - at_step(-4e-3)) / 8e-3;
                    let gradient = f64::from(gradients[at]);
                    assert!(
                        (slope - gradient).abs() < 2e-3 + 0.02 * slope.abs(),
                        "{} {at}: the slope is {slope} and the gradient {gradient} ({:?}, {:?})",
                        parameter.name,
                        shape.dimensions.position_kind,
                        batch.question
                    );
                    moving += usize::from(gradient != 0.0);
                }
            }
            assert!(moving > 50, "only {moving} gradients are not zero");
        }
    }

    #[test]
    fn gradients_of_words_are_those_of_the_loss_and_batches_add_up() {
        let question = Question::Classes { sequences: vec![0, 1], classes: vec![2, 0] };
        let batch = Batch::new(vec![sequence(5, false), sequence(6, true)], question);
        let network = network(shape(PositionKind::Absolute, HeadKind::Classes { vectors: 1, classes: 3 }));
        let (losses, words) = network.word_slopes(&batch).unwrap();
        assert_eq!((losses.len(), words.len()), (2, 2 * 8 * 8));
        let weights = network.compute.state().unwrap().weights;
        let fixed = Network::new(network.shape, Processor::new(State { weights, ..State::default() }));
        assert_eq!(fixed.word_slopes(&batch).unwrap(), (losses, words.clone()));
        assert!(fixed.compute.gradients().is_err());
        let mut sums = vec![0.0; 11 * 8];
        for (number, sequence) in batch.sequences.iter().enumerate() {
            for (place, id) in sequence.ids.iter().enumerate() {
                let row = &words[(number * 8 + place) * 8..][..8];
                sums[*id as usize * 8..][..8].iter_mut().zip(row).for_each(|(sum, slope)| *sum += slope);
            }
        }
        let words_at = network.layout.tables.words;
        let gradients = network.compute.gradients().unwrap();
        let own = &gradients[words_at..words_at + sums.len()];
        assert!(own.iter().zip(&sums).all(|(one, other)| (one - other).abs() < 1e-5));
        network.learn(&batch, 1.0, DropoutRates::NONE, 0).unwrap();
        let twice = network.compute.gradients().unwrap();
        assert!(twice.iter().zip(&gradients).all(|(twice, once)| (twice - 2.0 * once).abs() < 1e-5));
    }

    #[test]
    fn padding_does_not_change_an_answer() {
        let alone = |sequence: Sequence| {
            let question = Question::Classes { sequences: vec![0], classes: vec![0] };
            let network = network(shape(PositionKind::RelativeKeyQuery, HeadKind::Classes { vectors: 1, classes: 3 }));
            network.scores(&Batch::new(vec![sequence], question)).unwrap()
        };
        let question = Question::Classes { sequences: vec![0, 1], classes: vec![0, 0] };
        let network = network(shape(PositionKind::RelativeKeyQuery, HeadKind::Classes { vectors: 1, classes: 3 }));
        let both = network.scores(&Batch::new(vec![sequence(3, false), sequence(13, false)], question)).unwrap();
        let expected = [alone(sequence(3, false)), alone(sequence(13, false))].concat();
        assert!(both.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 1e-5), "{both:?} {expected:?}");
    }

    #[test]
    fn a_network_learns_the_same_on_any_number_of_threads() {
        let classes = Question::Classes { sequences: vec![0, 1], classes: vec![2, 1] };
        let captions = Question::Captions(vec![vec![0, 5, 9, 3, 2], vec![0, 7, 4, 2]]);
        // A decoder with eight numbers a state learns in this time which words are frequent, and no more.
        for (head, question, left) in [
            (HeadKind::Classes { vectors: 1, classes: 3 }, classes, 0.5),
            (HeadKind::Decoder { layers: 2, inner: 12 }, captions, 0.8),
        ] {
            learns_the_same(head, &question, left);
        }
    }

    /// Learns until no more than a share of the loss is left.
    fn learns_the_same(head: HeadKind, question: &Question, left: f32) {
        let learned = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut network = network(shape(PositionKind::Absolute, head));
                let sequences = vec![sequence(9, false), sequence(6, false)];
                let batch = Batch::new(sequences, question.clone());
                let rates = DropoutRates { hidden: 0.1, attention: 0.1, head: 0.1 };
                let mut losses = Vec::new();
                for number in 1..=150 {
                    let loss = network.learn(&batch, 0.5, rates, number).unwrap();
                    losses.push(network.compute.read(&loss).unwrap().iter().sum::<f32>());
                    let step = Step {
                        number,
                        learning_rate: 5e-3,
                        first_decay: 0.9,
                        second_decay: 0.98,
                        epsilon: 1e-8,
                        weight_decay: 0.01,
                        decaying: network.layout.decaying,
                        longest_gradient: 1.0,
                    };
                    network.compute.update(&step).unwrap();
                }
                (losses, network.compute.state().unwrap())
            })
        };
        let (losses, state) = learned(1);
        assert!(losses[140..].iter().all(|loss| *loss < left * losses[0]), "{losses:?}");
        assert!(learned(3) == (losses, state));
    }
}
