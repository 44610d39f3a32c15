//! What the course of a training needs to know of a network and of what it learns from: encoders and path models are trained alike.

use random::{Random, seed_of};

use crate::compute::{Compute, ComputeError};
use crate::network::DropoutRates;

/// A network that learns, on some device.
pub trait Learner {
    type Device: Compute;
    type Batch: Asked;

    /// What holds the parameters.
    fn device(&self) -> &Self::Device;

    fn device_mut(&mut self) -> &mut Self::Device;

    /// The number of parameters that decay, which come first.
    fn decaying(&self) -> usize;

    /// The loss of every question of a batch times `share`; adds the gradients of their sum to those of all parameters.
    fn learn(
        &self,
        batch: &Self::Batch,
        share: f32,
        rates: DropoutRates,
        key: u64,
    ) -> Result<<Self::Device as Compute>::Array, ComputeError>;

    /// The scores of every question of a batch, a row for each.
    fn scores(&self, batch: &Self::Batch) -> Result<Vec<f32>, ComputeError>;
}

/// Examples that work is done on together.
pub trait Asked {
    /// How many tokens or contexts the network reads, without padding.
    fn tokens(&self) -> usize;

    /// The right answer to every question.
    fn answers(&self) -> Vec<u32>;
}

/// All that a network learns from, or is evaluated on.
pub trait Curriculum: Sync {
    type Batch: Asked + Send;

    /// How many examples there are.
    fn count(&self) -> usize;

    /// A digest of everything that is learned from.
    fn digest(&self) -> String;

    /// The examples of every batch, which has at most this number of tokens. With a seed and the number of an epoch they are shuffled; otherwise each
    /// epoch is the same.
    fn batches_of_epoch(&self, tokens: usize, shuffled: Option<(u64, u64)>) -> Vec<Vec<usize>>;

    /// Examples as a batch. What is drawn is drawn from the seed.
    fn batch(&self, examples: &[usize], seed: u64) -> Result<Self::Batch, String>;

    /// Does the loss tell which weights are best, and not the share of right answers?
    fn is_judged_by_loss(&self) -> bool {
        false
    }

    /// The most tokens of a batch that is evaluated, of those of a batch that is learned from.
    fn evaluated_tokens(&self, tokens: usize) -> usize {
        tokens
    }
}

/// The number of examples that are sorted by length together.
const POOL: usize = 8192;

/// Divides shuffled examples into pools, sorts each by length, and puts the batches that `divide` makes of them in a random order.
pub fn batches_by_length(
    count: usize,
    shuffled: Option<(u64, u64)>,
    length: impl Fn(usize) -> usize,
    mut divide: impl FnMut(&[usize], &mut Vec<Vec<usize>>),
) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut random =
        shuffled.map(|(seed, epoch)| Random::new(seed_of(&[b"batches", &seed.to_le_bytes(), &epoch.to_le_bytes()])));
    if let Some(random) = &mut random {
        random.shuffle(&mut order);
    }
    let mut batches = Vec::new();
    for pool in order.chunks_mut(POOL) {
        pool.sort_by_key(|example| length(*example));
        divide(pool, &mut batches);
    }
    if let Some(random) = &mut random {
        random.shuffle(&mut batches);
    }
    batches
}
