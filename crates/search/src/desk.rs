//! Merges the queries of all running targets, so that the model gets full batches.
//!
//! Every target is attacked by its own thread, which waits for its answers. The desk serves when a batch is full, when
//! no thread is left that could submit more, or when nothing new has come for a moment. A model that prefers several
//! threads gets a second batch while it works on the first, if that is full.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use model::{Answer, Fault, Input, Model};

use crate::cache::{self, Cache, Key};

/// How long the desk waits for more queries before it sends an incomplete batch.
const PATIENCE: Duration = Duration::from_millis(2);

/// The maximum number of answers in memory; later ones are only stored on disk.
const MOST_KEPT: usize = 400_000;

/// Merges the queries of all targets into batches.
pub struct Desk<'m> {
    model: &'m dyn Model,
    /// The maximum size of a batch.
    full: usize,
    cache: Option<&'m Cache>,
    /// The answers so far.
    kept: Mutex<HashMap<Key, Answer>>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    pending: Vec<Pending>,
    /// How many threads may still submit a query without waiting for an answer first.
    busy: usize,
    /// How many batches the model is working on.
    asking: usize,
    is_closed: bool,
    traffic: Traffic,
    /// When the last query was submitted.
    latest: Option<Instant>,
}

/// The queries that went through a desk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// The queries that the model answered.
    pub asked: u64,
    /// The queries that were answered from memory or from the cache.
    pub remembered: u64,
    pub batches: u64,
    /// The time that the model took.
    pub seconds: f64,
}

struct Pending {
    input: Input,
    place: usize,
    order: Arc<Order>,
}

/// The queries that one target submitted together.
struct Order {
    replies: Mutex<Replies>,
    complete: Condvar,
}

struct Replies {
    answers: Vec<Option<Result<Answer, Fault>>>,
    left: usize,
    seconds: f64,
}

/// A thread that may submit queries. Without it the desk would wait for a thread that is gone.
pub struct Seat<'d, 'm> {
    desk: &'d Desk<'m>,
}

impl<'m> Desk<'m> {
    /// A desk for a model that takes batches of at most `full` queries.
    pub fn new(model: &'m dyn Model, full: usize, cache: Option<&'m Cache>) -> Desk<'m> {
        let full = full.max(1);
        Desk { model, full, cache, kept: Mutex::default(), state: Mutex::default(), changed: Condvar::new() }
    }

    /// The queries so far.
    pub fn traffic(&self) -> Traffic {
        lock(&self.state).traffic
    }

    /// Announces that this thread is going to submit queries.
    pub fn sit(&self) -> Seat<'_, 'm> {
        lock(&self.state).busy += 1;
        Seat { desk: self }
    }

    /// Answers queries until the desk is closed. One thread does this, with as many helpers as the model prefers.
    pub fn serve(&self) {
        let serve = || {
            while let Some(batch) = self.next_batch() {
                self.answer(batch);
                lock(&self.state).asking -= 1;
                self.changed.notify_all();
            }
        };
        std::thread::scope(|scope| {
            (1..self.model.askers()).for_each(|_| drop(scope.spawn(serve)));
            serve();
        });
    }

    /// Ends [`Desk::serve`] after the last query is answered.
    pub fn close(&self) {
        lock(&self.state).is_closed = true;
        self.changed.notify_all();
    }

    fn next_batch(&self) -> Option<Vec<Pending>> {
        let mut state = lock(&self.state);
        loop {
            let waited = state.latest.map_or(PATIENCE, |latest| latest.elapsed());
            let is_full = state.pending.len() >= self.full;
            // What is not full can wait for more while the model has something to do.
            let is_idle = state.asking == 0;
            let is_due = is_full || is_idle && (state.busy == 0 || waited >= PATIENCE || state.is_closed);
            if !state.pending.is_empty() && is_due {
                let count = state.pending.len().min(self.full);
                state.asking += 1;
                return Some(state.pending.drain(..count).collect());
            }
            if state.is_closed && state.pending.is_empty() {
                return None;
            }
            state = match state.pending.is_empty() || !is_idle {
                true => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                false => {
                    let left = PATIENCE.saturating_sub(waited);
                    self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn answer(&self, batch: Vec<Pending>) {
        let keys: Vec<Key> = batch.iter().map(|pending| cache::key(self.model.identity(), &pending.input)).collect();
        let mut known: HashMap<Key, Result<Answer, Fault>> = HashMap::new();
        let mut remembered = 0;
        let mut unknown: Vec<usize> = Vec::new();
        let mut seen: HashSet<Key> = HashSet::new();
        let from_memory: Vec<Option<Answer>> = {
            let kept = lock(&self.kept);
            keys.iter().map(|key| kept.get(key).cloned()).collect()
        };
        for (place, (key, answer)) in keys.iter().zip(from_memory).enumerate() {
            if !seen.insert(*key) {
                remembered += 1;
                continue;
            }
            let answer = answer.or_else(|| self.cache.and_then(|cache| cache.get(key)));
            match answer {
                Some(answer) => {
                    remembered += 1;
                    known.insert(*key, Ok(answer));
                }
                None => unknown.push(place),
            }
        }
        // Neighbours of the same length make the best batches for models that pad.
        unknown.sort_by_key(|place| std::cmp::Reverse(length(&batch[*place].input)));
        let inputs: Vec<Input> = unknown.iter().map(|place| batch[*place].input.clone()).collect();
        let start = Instant::now();
        let answers = if inputs.is_empty() { Vec::new() } else { self.predict(&inputs) };
        let seconds = start.elapsed().as_secs_f64();
        let new: Vec<(Key, Answer)> = unknown
            .iter()
            .zip(&answers)
            .filter_map(|(place, answer)| Some((keys[*place], answer.as_ref().ok()?.clone())))
            .collect();
        if let Some(cache) = self.cache {
            cache.put(&new);
        }
        {
            let mut kept = lock(&self.kept);
            if kept.len() < MOST_KEPT {
                kept.extend(new);
            }
        }
        known.extend(unknown.iter().zip(answers).map(|(place, answer)| (keys[*place], answer)));
        {
            let traffic = &mut lock(&self.state).traffic;
            traffic.asked += inputs.len() as u64;
            traffic.remembered += remembered;
            traffic.batches += u64::from(!inputs.is_empty());
            traffic.seconds += seconds;
        }
        let share = seconds / batch.len() as f64;
        for (pending, key) in batch.into_iter().zip(keys) {
            let mut replies = lock(&pending.order.replies);
            replies.answers[pending.place] = Some(known[&key].clone());
            replies.left -= 1;
            replies.seconds += share;
            if replies.left == 0 {
                // The thread is busy from now on, even before it wakes up.
                lock(&self.state).busy += 1;
                pending.order.complete.notify_one();
            }
        }
    }

    /// A model that panics or gives too few answers must not leave any thread waiting.
    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        let answers = catch_unwind(AssertUnwindSafe(|| self.model.predict(inputs)));
        let fault = match answers {
            Ok(answers) if answers.len() == inputs.len() => return answers,
            Ok(answers) => Fault::WrongShape(format!("{} answers to {} queries", answers.len(), inputs.len())),
            Err(_) => Fault::Failed("the model panicked".to_owned()),
        };
        vec![Err(fault); inputs.len()]
    }
}

impl<'m> Seat<'_, 'm> {
    /// The model that answers the queries.
    pub fn model(&self) -> &'m dyn Model {
        self.desk.model
    }

    /// Queries the model and waits. The second number is the model's time for these queries, in seconds.
    pub fn ask(&self, inputs: Vec<Input>) -> (Vec<Result<Answer, Fault>>, f64) {
        if inputs.is_empty() {
            return (Vec::new(), 0.0);
        }
        let count = inputs.len();
        let replies = Replies { answers: vec![None; count], left: count, seconds: 0.0 };
        let order = Arc::new(Order { replies: Mutex::new(replies), complete: Condvar::new() });
        {
            let mut state = lock(&self.desk.state);
            state.busy -= 1;
            state.latest = Some(Instant::now());
            let pending = inputs.into_iter().enumerate().map(|(place, input)| Pending {
                input,
                place,
                order: Arc::clone(&order),
            });
            state.pending.extend(pending);
        }
        self.desk.changed.notify_all();
        let mut replies = lock(&order.replies);
        while replies.left > 0 {
            replies = order.complete.wait(replies).unwrap_or_else(PoisonError::into_inner);
        }
        let seconds = replies.seconds;
        let lost = || Err(Fault::Failed("the answer was lost".to_owned()));
        (replies.answers.drain(..).map(|answer| answer.unwrap_or_else(lost)).collect(), seconds)
    }
}

impl Seat<'_, '_> {
    /// Queries the model directly, bypassing all caches.
    pub fn ask_again(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        let start = Instant::now();
        let answers = self.desk.predict(inputs);
        let traffic = &mut lock(&self.desk.state).traffic;
        traffic.asked += inputs.len() as u64;
        traffic.batches += 1;
        traffic.seconds += start.elapsed().as_secs_f64();
        answers
    }
}

impl Drop for Seat<'_, '_> {
    fn drop(&mut self) {
        lock(&self.desk.state).busy -= 1;
        self.desk.changed.notify_all();
    }
}

fn length(input: &Input) -> usize {
    input.programs().iter().map(|code| code.text.len()).sum()
}

/// A thread that panicked while it held the lock left nothing half-done that matters here.
fn lock<Value>(mutex: &Mutex<Value>) -> MutexGuard<'_, Value> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use model::{Code, Identity, Prediction};
    use syntax::Language;

    use super::*;

    /// Answers with the length of the text, and records the batch sizes.
    struct Lengths {
        identity: Identity,
        batches: Mutex<Vec<usize>>,
    }

    impl Model for Lengths {
        fn identity(&self) -> &Identity {
            &self.identity
        }

        fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
            lock(&self.batches).push(inputs.len());
            let answer = |input: &Input| match length(input) {
                13 => panic!("an unlucky number"),
                length => Ok(Answer { prediction: Prediction::Classes(vec![length as f32]), tokens: None }),
            };
            inputs.iter().map(answer).collect()
        }
    }

    fn model() -> Lengths {
        let identity = Identity { kind: "test".into(), place: String::new(), digest: "lengths".into(), varies: false };
        Lengths { identity, batches: Mutex::default() }
    }

    fn input(length: usize) -> Input {
        Input::Code(Code { language: Language::C, text: "x".repeat(length) })
    }

    #[test]
    fn questions_of_many_threads_are_merged_and_answered_in_order() {
        let model = model();
        let desk = Desk::new(&model, 64, None);
        std::thread::scope(|scope| {
            scope.spawn(|| desk.serve());
            let askers: Vec<_> = (0..16)
                .map(|thread| {
                    let desk = &desk;
                    scope.spawn(move || {
                        let seat = desk.sit();
                        for round in 0..20 {
                            let lengths = [14 + thread, 40 + thread * 20 + round];
                            let (answers, _) = seat.ask(lengths.map(input).to_vec());
                            for (length, answer) in lengths.iter().zip(answers) {
                                assert_eq!(answer.unwrap().prediction, Prediction::Classes(vec![*length as f32]));
                            }
                        }
                    })
                })
                .collect();
            askers.into_iter().for_each(|asker| asker.join().unwrap());
            desk.close();
        });
        let traffic = desk.traffic();
        assert_eq!(traffic.asked + traffic.remembered, 16 * 20 * 2);
        assert!(traffic.remembered >= 16 * 19, "{traffic:?}");
        assert!(lock(&model.batches).iter().any(|size| *size > 2));
    }

    /// Takes a while over every batch, and records how many batches it has at once.
    struct Slow {
        identity: Identity,
        now: Mutex<usize>,
        most: Mutex<usize>,
    }

    impl Model for Slow {
        fn identity(&self) -> &Identity {
            &self.identity
        }

        fn askers(&self) -> usize {
            2
        }

        fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
            let now = {
                let mut now = lock(&self.now);
                *now += 1;
                *now
            };
            let mut most = lock(&self.most);
            *most = now.max(*most);
            drop(most);
            std::thread::sleep(Duration::from_millis(5));
            *lock(&self.now) -= 1;
            let answer = |input| Answer { prediction: Prediction::Classes(vec![length(input) as f32]), tokens: None };
            inputs.iter().map(|input| Ok(answer(input))).collect()
        }
    }

    #[test]
    fn a_model_that_likes_two_askers_has_two_batches_at_once_if_they_are_full() {
        for (asked, most) in [(40, 2), (2, 1)] {
            let model = Slow { identity: model().identity, now: Mutex::default(), most: Mutex::default() };
            let desk = Desk::new(&model, 8, None);
            std::thread::scope(|scope| {
                scope.spawn(|| desk.serve());
                let askers: Vec<_> = (0..3)
                    .map(|thread| {
                        let desk = &desk;
                        scope.spawn(move || {
                            let seat = desk.sit();
                            for round in 0..5 {
                                let lengths: Vec<usize> =
                                    (0..asked).map(|n| 1 + n + asked * (round + 5 * thread)).collect();
                                let (answers, _) = seat.ask(lengths.iter().copied().map(input).collect());
                                for (length, answer) in lengths.iter().zip(answers) {
                                    assert_eq!(answer.unwrap().prediction, Prediction::Classes(vec![*length as f32]));
                                }
                            }
                        })
                    })
                    .collect();
                askers.into_iter().for_each(|asker| asker.join().unwrap());
                desk.close();
            });
            assert_eq!(*lock(&model.most), most, "{asked} questions");
            assert_eq!(desk.traffic().asked, 15 * asked as u64);
        }
    }

    #[test]
    fn a_model_that_panics_leaves_nobody_waiting() {
        let model = model();
        let desk = Desk::new(&model, 64, None);
        std::thread::scope(|scope| {
            scope.spawn(|| desk.serve());
            let seat = desk.sit();
            let (answers, _) = seat.ask(vec![input(13)]);
            assert_eq!(answers, [Err(Fault::Failed("the model panicked".to_owned()))]);
            assert!(seat.ask(vec![input(3)]).0[0].is_ok());
            assert!(seat.ask(Vec::new()).0.is_empty());
            drop(seat);
            desk.close();
        });
    }
}
