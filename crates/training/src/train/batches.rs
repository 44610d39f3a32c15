//! The batches of all epochs, each from its seed alone, prepared ahead of the steps that need them.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Scope;

use random::seed_of;

use super::learner::{Asked, Curriculum};

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
pub struct StepBatches<Batch> {
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

/// The number of steps that are prepared ahead.
const AHEAD: usize = 6;

/// Prepares steps on a thread of its own, from a step of an epoch on, so that no device waits for them. It ends when nobody receives
/// them any more, or after the last epoch.
pub fn prepare<'s, 'e: 's, Lessons: Curriculum>(
    scope: &'s Scope<'s, 'e>,
    lessons: &'e Lessons,
    batching: Batching,
    (first_epoch, first_place): (u64, usize),
    epochs: Option<u64>,
) -> Receiver<Result<StepBatches<Lessons::Batch>, String>>
where
    Lessons::Batch: 'e,
{
    let (sender, receiver) = sync_channel(AHEAD);
    scope.spawn(move || {
        let mut first_place = first_place;
        for epoch in first_epoch..epochs.unwrap_or(u64::MAX) {
            let all = lessons.batches_of_epoch(batching.tokens, Some((batching.seed, epoch)));
            let steps = all.len().div_ceil(batching.accumulate);
            let masks_seed = seed_of(&[b"epoch", &batching.seed.to_le_bytes(), &epoch.to_le_bytes()]);
            for (place, examples) in all.chunks(batching.accumulate).enumerate().skip(first_place) {
                let batches = examples.iter().map(|examples| lessons.batch(examples, masks_seed));
                let prepared = batches.collect::<Result<Vec<_>, String>>().map(|batches| StepBatches {
                    epoch,
                    place,
                    steps,
                    questions: batches.iter().map(|batch| batch.answers().len()).sum(),
                    tokens: batches.iter().map(Asked::tokens).sum(),
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use model::Code;
    use model::huggingface::checkpoint::Checkpoint;
    use model::huggingface::tokens::Vocabulary;

    use super::super::lessons::{Lessons, Sizes};
    use super::super::{Corpus, Goal};
    use super::*;
    use crate::network::{Batch, LENGTH_STEP, Question};

    fn vocabulary() -> Vocabulary {
        let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity");
        let checkpoint = Checkpoint::find(&fixtures.join("roberta-one").display().to_string()).unwrap();
        Vocabulary::read(&checkpoint, None).unwrap()
    }

    fn corpus(count: usize, programs: usize) -> Corpus {
        let code = |number: usize| Code { language: syntax::Language::C, text: "x = 1; ".repeat(number * 7 % 5 + 1) };
        let own = |number: usize| (0..programs).map(|more| (number + 3 * more) % count).collect();
        Corpus {
            programs: (0..count).map(code).collect(),
            examples: (0..count).map(|number| (own(number), 0)).collect(),
        }
    }

    fn lessons<'v>(vocabulary: &'v Vocabulary, corpus: &Corpus, goal: &Goal) -> Lessons<'v> {
        Lessons::new(corpus, goal, vocabulary, None, Sizes { positions: 1000, vocabulary: 300, start: None }).unwrap()
    }

    #[test]
    fn every_example_is_in_one_batch_and_no_batch_is_too_large() {
        let vocabulary = vocabulary();
        for programs in [1, 2] {
            let goal = Goal::Classes { labels: vec!["one".to_owned()], programs };
            let lessons = lessons(&vocabulary, &corpus(90, programs), &goal);
            let epoch = |epoch: u64| lessons.batches_of_epoch(300, Some((7, epoch)));
            assert_eq!(epoch(3), epoch(3));
            assert_ne!(epoch(3), epoch(4));
            let mut all: Vec<usize> = epoch(3).concat();
            all.sort_unstable();
            assert_eq!(all, (0..90).collect::<Vec<_>>());
            for examples in epoch(3) {
                let batch = lessons.batch(&examples, 0).unwrap();
                let longest = batch.sequences.iter().map(|sequence| sequence.ids.len()).max().unwrap();
                assert!(batch.sequences.len() * longest.next_multiple_of(LENGTH_STEP) <= 300);
                let different: HashSet<&usize> = examples.iter().flat_map(|example| lessons.texts(*example)).collect();
                assert_eq!(batch.sequences.len(), different.len(), "each different program is encoded once");
                let Question::Classes { sequences, classes } = batch.question else { panic!("no classes") };
                assert_eq!((sequences.len(), classes.len()), (programs * examples.len(), examples.len()));
            }
        }
    }

    #[test]
    fn whoever_begins_later_gets_the_same_steps() {
        let vocabulary = vocabulary();
        let lessons = lessons(&vocabulary, &corpus(60, 1), &Goal::Masked);
        let batching = Batching { seed: 5, tokens: 200, accumulate: 3 };
        let steps = |from: (u64, usize)| -> Vec<(u64, usize, usize, Vec<Batch>)> {
            std::thread::scope(|scope| {
                let steps = prepare(scope, &lessons, batching, from, Some(2)).into_iter().map(Result::unwrap);
                steps.map(|step| (step.epoch, step.place, step.questions, step.batches)).collect()
            })
        };
        let all = steps((0, 0));
        let first = all.iter().filter(|(epoch, ..)| *epoch == 0).count();
        assert!(first > 2 && all.len() > first);
        for (number, (epoch, place, ..)) in all.iter().enumerate() {
            assert!(steps((*epoch, *place)) == all[number..], "from step {place} of epoch {epoch}");
        }
        // Other words are masked in another epoch.
        assert!(all[0].3 != all[first].3);
    }
}
