//! The batches of an epoch, from its seed alone: examples of about the same length together, at most so many tokens each.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Scope;

use random::{Random, seed_of};

use super::lessons::Lessons;
use crate::network::{Batch, LENGTH_STEP, Question};

/// How the examples of all epochs are put together.
#[derive(Clone, Copy)]
pub struct Batching {
    pub seed: u64,
    /// The most tokens of a batch, padding included. An example that is longer is a batch by itself.
    pub tokens: usize,
    /// The number of batches of a step.
    pub accumulate: usize,
}

/// The batches of one step of the optimiser.
pub struct StepBatches {
    pub epoch: u64,
    /// Which step of its epoch it is, from 0.
    pub place: usize,
    /// How many steps its epoch has.
    pub steps: usize,
    pub batches: Vec<Batch>,
    /// How many classes or words are asked for.
    pub questions: usize,
    /// How many tokens the network reads, without padding.
    pub tokens: usize,
}

/// Examples are sorted by length among so many of them.
const POOL: usize = 8192;

/// So many steps are prepared ahead.
const AHEAD: usize = 6;

/// Prepares steps on a thread of its own, from a step of an epoch on, so that no device waits for them. It ends when nobody receives
/// them any more, or after the last epoch.
pub fn prepare<'s, 'e: 's>(
    scope: &'s Scope<'s, 'e>,
    lessons: &'e Lessons<'_>,
    batching: Batching,
    (first_epoch, first_place): (u64, usize),
    epochs: Option<u64>,
) -> Receiver<Result<StepBatches, String>> {
    let (sender, receiver) = sync_channel(AHEAD);
    scope.spawn(move || {
        let mut first_place = first_place;
        for epoch in first_epoch..epochs.unwrap_or(u64::MAX) {
            let all = batches_of_epoch(lessons, batching.tokens, Some((batching.seed, epoch)));
            let steps = all.len().div_ceil(batching.accumulate);
            let masks_seed = seed_of(&[b"epoch", &batching.seed.to_le_bytes(), &epoch.to_le_bytes()]);
            for (place, examples) in all.chunks(batching.accumulate).enumerate().skip(first_place) {
                let batches = examples.iter().map(|examples| lessons.batch(examples, masks_seed));
                let prepared = batches.collect::<Result<Vec<Batch>, String>>().map(|batches| StepBatches {
                    epoch,
                    place,
                    steps,
                    questions: batches.iter().map(questions_of).sum(),
                    tokens: batches.iter().map(tokens_of).sum(),
                    batches,
                });
                if sender.send(prepared).is_err() {
                    return;
                }
            }
            first_place = 0;
        }
    });
    receiver
}

/// The examples of every batch. With a seed and the number of an epoch they are shuffled; otherwise each epoch is the same.
pub fn batches_of_epoch(lessons: &Lessons<'_>, tokens: usize, shuffled: Option<(u64, u64)>) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lessons.count()).collect();
    let mut random =
        shuffled.map(|(seed, epoch)| Random::new(seed_of(&[b"batches", &seed.to_le_bytes(), &epoch.to_le_bytes()])));
    if let Some(random) = &mut random {
        random.shuffle(&mut order);
    }
    let longest = |example: usize| lessons.texts(example).iter().map(|text| lessons.length(*text)).max().unwrap_or(0);
    let mut batches = Vec::new();
    for pool in order.chunks_mut(POOL) {
        pool.sort_by_key(|example| longest(*example));
        let (mut batch, mut different) = (Vec::new(), HashSet::new());
        for example in pool.iter().copied() {
            let texts = lessons.texts(example);
            let new = texts
                .iter()
                .enumerate()
                .filter(|(place, text)| !different.contains(*text) && !texts[..*place].contains(text));
            let count = different.len() + new.count();
            if count * longest(example).next_multiple_of(LENGTH_STEP) > tokens && !batch.is_empty() {
                batches.push(std::mem::take(&mut batch));
                different.clear();
            }
            batch.push(example);
            different.extend(texts.iter().copied());
        }
        if !batch.is_empty() {
            batches.push(batch);
        }
    }
    if let Some(random) = &mut random {
        random.shuffle(&mut batches);
    }
    batches
}

fn questions_of(batch: &Batch) -> usize {
    match &batch.question {
        Question::Masked(places) => places.len(),
        Question::Classes { classes, .. } => classes.len(),
    }
}

fn tokens_of(batch: &Batch) -> usize {
    batch.sequences.iter().map(|sequence| sequence.ids.len()).sum()
}
