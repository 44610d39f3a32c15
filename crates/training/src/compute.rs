//! The operations that an encoder is trained with, each with its way back, whatever device computes them.
//!
//! All parameters stand in one row of numbers, and so do their gradients and the two moments of the optimiser: a layer is the place
//! where its numbers begin. Every operation that has parameters adds to their gradients on its way back, so that several batches can be
//! added up before a step.

use crate::shape::{LinearLayer, NormLayer, RelativePositions, ScaleLayer};

/// A device that computes: the processor or a GPU.
pub trait Compute: Sized {
    /// Rows of numbers on the device.
    type Array;
    /// Whole numbers on the device.
    type Numbers;
    /// What a norm remembers for its way back.
    type Normed;

    /// Takes whole numbers to the device.
    fn numbers(&self, numbers: &[u32]) -> Result<Self::Numbers, ComputeError>;

    /// Takes rows of numbers to the device.
    fn array(&self, numbers: &[f32], columns: usize) -> Result<Self::Array, ComputeError>;

    /// Brings the numbers of an array back.
    fn read(&self, array: &Self::Array) -> Result<Vec<f32>, ComputeError>;

    /// How many rows an array has.
    fn rows(&self, array: &Self::Array) -> usize;

    /// Takes every row of an array to be `columns` numbers long.
    fn with_columns(&self, array: Self::Array, columns: usize) -> Self::Array;

    /// The embeddings of tokens: of its word or, for a node, the mean of the words of its tokens, with those of its position and of the
    /// only type of token.
    fn embed(&self, tokens: &Tokens<Self>, tables: &Tables) -> Result<Self::Array, ComputeError>;

    /// The slopes of the words of the tokens, which are those of the embeddings where there are no nodes.
    fn embed_back(
        &self,
        tokens: &Tokens<Self>,
        tables: &Tables,
        slopes: Self::Array,
    ) -> Result<Self::Array, ComputeError>;

    /// The rows of a table of parameters, in the order of their numbers.
    fn look_up(&self, rows: &Self::Numbers, table: &Table) -> Result<Self::Array, ComputeError>;

    /// Adds the slopes of the rows that were looked up to the gradients of the table.
    fn look_up_back(&self, slopes: &Self::Array, rows: &Groups<Self>, table: &Table) -> Result<(), ComputeError>;

    /// The mean of the rows of every group, weighed by the softmax of their scores. The rows of a group stand together: `starts` says where
    /// those of each begin, and where those of the last end.
    fn pool(
        &self,
        rows: &Self::Array,
        scores: &Self::Array,
        starts: &Self::Numbers,
    ) -> Result<Self::Array, ComputeError>;

    /// The slopes of the rows and of their scores.
    fn pool_back(
        &self,
        rows: &Self::Array,
        scores: &Self::Array,
        starts: &Self::Numbers,
        slopes: &Self::Array,
    ) -> Result<(Self::Array, Self::Array), ComputeError>;

    /// For every query the mean of the rows of its group, weighed by the softmax of their products with it. The first query is that of the first
    /// group; there may be fewer queries than groups.
    fn pool_by_query(
        &self,
        queries: &Self::Array,
        rows: &Self::Array,
        starts: &Self::Numbers,
    ) -> Result<Self::Array, ComputeError>;

    /// The slopes of the queries and of the rows. Those of the rows are added to what is given, or to zeros.
    fn pool_by_query_back(
        &self,
        queries: &Self::Array,
        rows: &Self::Array,
        starts: &Self::Numbers,
        slopes: &Self::Array,
        of_rows: Option<Self::Array>,
    ) -> Result<(Self::Array, Self::Array), ComputeError>;

    /// The states and the cells after one step of a long short-term memory. A row of gates has those of input, forgetting, cell and output before
    /// their activations. Rows of `before` that are missing are zero, and those for which there are no gates are not looked at.
    fn remember(
        &self,
        gates: &Self::Array,
        before: Option<&Self::Array>,
    ) -> Result<(Self::Array, Self::Array), ComputeError>;

    /// The slopes of the gates and of the cells before them, from those of the states and of the cells, of which missing ones are zero.
    fn remember_back(
        &self,
        gates: &Self::Array,
        before: Option<&Self::Array>,
        of_states: &Self::Array,
        of_cells: Option<&Self::Array>,
    ) -> Result<(Self::Array, Self::Array), ComputeError>;

    /// The rows of several arrays, one after the other.
    fn join(&self, arrays: &[&Self::Array]) -> Result<Self::Array, ComputeError>;

    /// Some rows of an array that stand together, from the `first` on.
    fn slice(&self, array: &Self::Array, first: usize, rows: usize) -> Result<Self::Array, ComputeError>;

    /// The products of rows with the weights, with the bias.
    fn linear(&self, input: &Self::Array, layer: &LinearLayer) -> Result<Self::Array, ComputeError>;

    /// The slopes of the input of a linear layer.
    fn linear_back(
        &self,
        input: &Self::Array,
        slopes: &Self::Array,
        layer: &LinearLayer,
    ) -> Result<Self::Array, ComputeError>;

    /// An activation of every number.
    fn activate(&self, input: &Self::Array, activation: kernels::Activation) -> Result<Self::Array, ComputeError>;

    /// The slopes of the input of an activation.
    fn activate_back(
        &self,
        input: &Self::Array,
        slopes: Self::Array,
        activation: kernels::Activation,
    ) -> Result<Self::Array, ComputeError>;

    /// Some numbers become zero, and the others larger by as much.
    fn drop_out(&self, input: Self::Array, dropout: Dropout) -> Result<Self::Array, ComputeError>;

    /// Drops numbers of the input, adds the residual, and norms every row.
    fn norm(
        &self,
        input: Self::Array,
        residual: Option<&Self::Array>,
        layer: &NormLayer,
        dropout: Dropout,
    ) -> Result<(Self::Array, Self::Normed), ComputeError>;

    /// The slopes of the input and of the residual.
    fn norm_back(
        &self,
        normed: &Self::Normed,
        slopes: &Self::Array,
        layer: &NormLayer,
        dropout: Dropout,
    ) -> Result<(Self::Array, Self::Array), ComputeError>;

    /// Drops numbers of the input, adds the residual, and divides every row of the sum by the root of the mean of its squares.
    fn add_and_scale(
        &self,
        input: Self::Array,
        residual: Option<&Self::Array>,
        layer: &ScaleLayer,
        dropout: Dropout,
    ) -> Result<Scaled<Self>, ComputeError>;

    /// The slopes of the input and of the residual, from those of the normed rows and, where the sum is used elsewhere, of the sum.
    fn add_and_scale_back(
        &self,
        normed: &Self::Normed,
        slopes: &Self::Array,
        of_sum: Option<&Self::Array>,
        layer: &ScaleLayer,
        dropout: Dropout,
    ) -> Result<(Self::Array, Self::Array), ComputeError>;

    /// The product of every number with that at the same place.
    fn multiply(&self, one: &Self::Array, other: &Self::Array) -> Result<Self::Array, ComputeError>;

    /// The product of every number with the same factor.
    fn times(&self, array: Self::Array, factor: f32) -> Result<Self::Array, ComputeError>;

    /// What every token sees of the others: queries, keys and values stand side by side in a row.
    fn attend(&self, all: &Self::Array, attention: &Attention<Self>) -> Result<Self::Array, ComputeError>;

    /// The slopes of queries, keys and values. The scores are computed again, so that no matrix of them is kept.
    fn attend_back(
        &self,
        all: &Self::Array,
        slopes: &Self::Array,
        attention: &Attention<Self>,
    ) -> Result<Self::Array, ComputeError>;

    /// What every token of a sequence sees of those of another: queries in one array, keys and values side by side in the other.
    fn attend_to(
        &self,
        queries: &Self::Array,
        keys_values: &Self::Array,
        attention: &Attention<Self>,
    ) -> Result<Self::Array, ComputeError>;

    /// The slopes of the queries, and of the keys and values.
    fn attend_to_back(
        &self,
        queries: &Self::Array,
        keys_values: &Self::Array,
        slopes: &Self::Array,
        attention: &Attention<Self>,
    ) -> Result<(Self::Array, Self::Array), ComputeError>;

    /// Some rows, in the order of their numbers.
    fn gather(&self, input: &Self::Array, rows: &Self::Numbers) -> Result<Self::Array, ComputeError>;

    /// The slopes of the `count` rows that some were gathered from; zeros for those that were not.
    fn gather_back(
        &self,
        slopes: &Self::Array,
        sources: &Groups<Self>,
        count: usize,
    ) -> Result<Self::Array, ComputeError>;

    /// The products of the rows of the first half of an array with those of the second half, times `scale`: a row for each of the first.
    fn match_halves(&self, rows: &Self::Array, scale: f32) -> Result<Self::Array, ComputeError>;

    /// The slopes of the rows of both halves.
    fn match_halves_back(
        &self,
        rows: &Self::Array,
        slopes: &Self::Array,
        scale: f32,
    ) -> Result<Self::Array, ComputeError>;

    /// The sum of the slopes of two ways. The other may have fewer rows, which are added to the first ones.
    fn add(&self, one: Self::Array, other: &Self::Array) -> Result<Self::Array, ComputeError>;

    /// The loss of every row of scores, and the slopes of the scores, both times `share`.
    fn cross_entropy(
        &self,
        scores: Self::Array,
        classes: &Self::Numbers,
        share: f32,
    ) -> Result<(Self::Array, Self::Array), ComputeError>;

    /// One step of AdamW, after which all gradients are zero.
    fn update(&mut self, step: &Step) -> Result<(), ComputeError>;

    /// All parameters, and the moments of the optimiser.
    fn state(&self) -> Result<State, ComputeError>;

    /// Takes up where another device stopped.
    fn set_state(&mut self, state: &State) -> Result<(), ComputeError>;

    /// The gradients of all parameters.
    fn gradients(&self) -> Result<Vec<f32>, ComputeError>;
}

/// A sum whose rows were normed.
pub struct Scaled<C: Compute> {
    pub sum: C::Array,
    pub normed: C::Array,
    /// What the norm remembers for its way back.
    pub kept: C::Normed,
}

/// All that changes while a network learns. Without moments it is that of a network which does not learn: it has no gradients of
/// parameters, and its way back is shorter.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct State {
    /// The parameters.
    pub weights: Vec<f32>,
    /// The running mean of every gradient.
    pub first_moments: Vec<f32>,
    /// The running mean of its square.
    pub second_moments: Vec<f32>,
}

/// The tokens of a batch on a device: a rectangle, a row for each place of each sequence.
pub struct Tokens<C: Compute> {
    /// The token of every place; padding has one too.
    pub ids: C::Numbers,
    /// Which places have which token.
    pub by_id: Groups<C>,
    /// The position of every place.
    pub positions: C::Numbers,
    /// Which places have which position.
    pub by_position: Groups<C>,
    /// The nodes of data flows, where there are any.
    pub nodes: Option<Nodes<C>>,
    /// How many places there are.
    pub count: usize,
}

/// The nodes of the data flows of a batch.
pub struct Nodes<C: Compute> {
    /// Is every place that of a node (1) or of a token (0)? A node without tokens is zero.
    pub are_nodes: C::Numbers,
    /// Where the entries of every place begin, and where those of the last end.
    pub starts: C::Numbers,
    /// The places of the tokens of every node.
    pub tokens: C::Numbers,
    /// The same the other way around: the nodes of every token.
    pub starts_of_tokens: C::Numbers,
    /// The places of the nodes that every token belongs to.
    pub nodes: C::Numbers,
}

/// Rows that are added up: the rows of each group.
///
/// A group is divided into parts of at most [`Groups::PART`] rows, because a frequent token has thousands of places: a GPU adds up the
/// parts at the same time, and then the sums, always in the same order.
pub struct Groups<C: Compute> {
    /// What is added up, the rows of a part beside each other.
    pub rows: C::Numbers,
    /// Where the rows of every part begin, and where those of the last end.
    pub parts: C::Numbers,
    /// The row that the sum of every group is added to.
    pub targets: C::Numbers,
    /// Where the parts of every group begin, and where those of the last end.
    pub groups: C::Numbers,
    /// How many parts there are.
    pub part_count: usize,
    /// How many groups there are.
    pub group_count: usize,
}

impl<C: Compute> Groups<C> {
    /// The most rows of a part.
    pub const PART: usize = 64;

    /// Puts together the places that have the same target.
    pub fn new(compute: &C, targets: &[u32]) -> Result<Groups<C>, ComputeError> {
        let mut order: Vec<u32> = (0..targets.len() as u32).collect();
        order.sort_by_key(|place| targets[*place as usize]);
        let (mut parts, mut different, mut groups) = (vec![0], Vec::new(), vec![0]);
        let mut end = 0;
        for group in order.chunk_by(|one, other| targets[*one as usize] == targets[*other as usize]) {
            for part in group.chunks(Groups::<C>::PART) {
                end += part.len() as u32;
                parts.push(end);
            }
            different.push(targets[group[0] as usize]);
            groups.push(parts.len() as u32 - 1);
        }
        Ok(Groups {
            rows: compute.numbers(&order)?,
            parts: compute.numbers(&parts)?,
            targets: compute.numbers(&different)?,
            groups: compute.numbers(&groups)?,
            part_count: parts.len() - 1,
            group_count: different.len(),
        })
    }
}

/// A table of parameters: where it begins, and how many numbers a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    pub start: usize,
    pub width: usize,
}

/// Where the embeddings stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tables {
    /// The embeddings of words.
    pub words: usize,
    /// Those of positions, where they are added.
    pub positions: Option<usize>,
    /// That of the first type of token.
    pub token_type: usize,
    /// How many numbers an embedding has.
    pub width: usize,
}

/// The attention of one layer to a batch.
pub struct Attention<'a, C: Compute> {
    /// How many sequences there are.
    pub sequences: usize,
    /// How many places each has, padding included.
    pub length: usize,
    /// How many places they look at: their own, or those of as many other sequences.
    pub seen_length: usize,
    pub heads: usize,
    /// How many numbers a head has.
    pub width: usize,
    /// How many tokens each sequence has that is looked at.
    pub lengths: &'a C::Numbers,
    /// For each sequence, for each place, for each place: does the first see the second? Four answers a number, a byte each.
    pub sees: Option<&'a C::Numbers>,
    /// What the products of queries and keys are multiplied with.
    pub scale: f32,
    /// The embeddings of distances, where the layer has them.
    pub relative: Option<RelativePositions>,
    /// Numbers that are added to the scores by distance, where the layer has them.
    pub bias: Option<DistanceBias<'a, C>>,
    /// Which of the weights are dropped.
    pub dropout: Dropout,
}

/// Numbers that are added to the scores of an attention of a sequence to itself, by the distance between two places.
pub struct DistanceBias<'a, C: Compute> {
    /// The parameters: a row for each bucket, in which each head has a number.
    pub table: usize,
    /// The bucket of every distance: of that from the first place to the last one first, of that from the last to the first one last.
    pub buckets: &'a C::Numbers,
    /// How many buckets there are.
    pub bucket_count: usize,
}

/// What products of queries and keys are multiplied with by default, so that they do not grow with the width of a head.
pub fn scale_of_width(width: usize) -> f32 {
    1.0 / (width as f32).sqrt()
}

/// Which numbers are dropped: a rate, and the key that they are drawn with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropout {
    pub rate: f32,
    pub key: u32,
}

impl Dropout {
    /// Nothing is dropped.
    pub const NONE: Dropout = Dropout { rate: 0.0, key: 0 };

    /// The dropout of one place of a network, which is drawn apart from all others.
    pub fn at(rate: f32, key: u64, place: usize) -> Dropout {
        let mixed = (key ^ (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        Dropout { rate, key: (mixed ^ (mixed >> 32)) as u32 }
    }

    /// Numbers whose draw is below it are dropped.
    pub fn threshold(self) -> u32 {
        (f64::from(self.rate) * f64::from(u32::MAX)) as u32
    }

    /// What the numbers that are kept are multiplied with.
    pub fn scale(self) -> f32 {
        1.0 / (1.0 - self.rate)
    }

    /// The draws, which are the same on every device.
    pub fn dropping(self) -> kernels::Dropping {
        kernels::Dropping { key: self.key, threshold: self.threshold(), scale: self.scale() }
    }
}

/// What one step of AdamW is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Which step it is, from 1.
    pub number: u64,
    pub learning_rate: f32,
    pub first_decay: f32,
    pub second_decay: f32,
    pub epsilon: f32,
    /// The share of a weight that it loses in a step, times the learning rate.
    pub weight_decay: f32,
    /// The number of parameters that decay. They come first; biases and norms come after them.
    pub decaying: usize,
    /// The length of all gradients together is cut to this.
    pub longest_gradient: f32,
}

impl Step {
    /// What the moments are divided by, because they begin at zero.
    pub fn corrections(&self) -> (f32, f32) {
        let correction = |decay: f32| (1.0 - f64::from(decay).powf(self.number as f64)) as f32;
        (correction(self.first_decay), correction(self.second_decay))
    }
}

/// Why a device could not compute.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ComputeError {
    /// The memory of the device is full.
    #[error("the GPU has too little memory ({0}): use fewer tokens in a batch and add up more batches for a step")]
    Memory(String),
    /// There is no such device, or something that it needs is missing.
    #[error("{0}")]
    Missing(String),
    /// The device failed.
    #[error("the GPU failed: {0}")]
    Failed(String),
}

/// There are no gradients to ask for.
pub fn does_not_learn() -> ComputeError {
    ComputeError::Failed("the network was opened to answer, not to learn".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropout_drops_its_share_and_keeps_the_mean() {
        let dropout = Dropout { rate: 0.1, key: 77 };
        let factors: Vec<f32> = (0..100_000).map(|index| dropout.dropping().factor(index)).collect();
        let dropped = factors.iter().filter(|factor| **factor == 0.0).count();
        assert!((9_700..10_300).contains(&dropped), "{dropped}");
        assert!((factors.iter().sum::<f32>() / 1e5 - 1.0).abs() < 0.01);
        let other = Dropout { key: 78, ..dropout };
        let both = (0..100_000)
            .filter(|index| dropout.dropping().factor(*index) == 0.0 && other.dropping().factor(*index) == 0.0)
            .count();
        assert!((800..1_200).contains(&both), "{both} numbers are dropped by both keys");
        assert!((0..1000).all(|index| Dropout::NONE.dropping().factor(index) == 1.0));
    }
}
