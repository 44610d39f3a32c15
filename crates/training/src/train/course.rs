//! The course of a training: steps, evaluations, checkpoints, and when it ends. The same on any device.

use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use random::seed_of;
use rayon::prelude::*;
use serde_json::json;

use super::batches::{Batching, StepBatches, prepare};
use super::checkpoints::{Best, Checkpoints, Progress, Score, Window};
use super::learner::{Asked, Curriculum, Learner};
use super::metrics::Metrics;
use super::{Length, News, Observer, TrainingError, TrainingSettings};
use crate::compute::{Compute, Step};
use crate::network::DropoutRates;

/// What a training consists of, whatever computes it.
pub struct Course<'c, Lessons> {
    pub settings: &'c TrainingSettings,
    pub lessons: &'c Lessons,
    /// What the network is evaluated on.
    pub validation: Option<&'c Lessons>,
    pub checkpoints: &'c Checkpoints,
    pub observer: &'c Observer<'c>,
    /// After this time a checkpoint is written, and the training stops.
    pub stop_after: Option<Duration>,
}

/// The learning rate falls to this share of what it was.
const LEAST: f64 = 0.02;

/// How often an observer hears about steps.
const BETWEEN_NEWS: Duration = Duration::from_millis(400);

/// A network on its way.
struct Running<'m, Network: Learner> {
    network: Network,
    progress: Progress,
    metrics: &'m mut Metrics,
    /// The losses of the last steps, which may still be on the device: reading them waits for it.
    unread: Vec<(u64, Vec<<Network::Device as Compute>::Array>)>,
    /// The step of the last checkpoint.
    saved: Option<u64>,
    /// When this piece began, and how long those before took.
    began: Instant,
    before: f64,
}

impl<Lessons: Curriculum> Course<'_, Lessons> {
    /// Trains until it is done. A training that is stopped is an error, after its checkpoint is written.
    pub fn run<Network: Learner<Batch = Lessons::Batch>>(
        &self,
        network: Network,
        progress: Progress,
        metrics: &mut Metrics,
        is_resumed: bool,
    ) -> Result<Progress, TrainingError> {
        let settings = self.settings;
        let batching = Batching { seed: settings.seed, tokens: settings.batch_tokens, accumulate: settings.accumulate };
        let epochs = match settings.length {
            Length::Epochs(epochs) => Some(epochs),
            Length::Steps(_) | Length::Minutes(_) => None,
        };
        let from = (progress.epoch, progress.place);
        let (before, unread) = (progress.seconds, Vec::new());
        let saved = is_resumed.then_some(progress.step);
        let mut running = Running { network, progress, metrics, unread, saved, began: Instant::now(), before };
        std::thread::scope(|scope| {
            let steps = prepare(scope, self.lessons, batching, from, epochs);
            self.steps(&mut running, steps)
        })?;
        Ok(running.progress)
    }

    fn steps<Network: Learner<Batch = Lessons::Batch>>(
        &self,
        running: &mut Running<'_, Network>,
        steps: Receiver<Result<StepBatches<Lessons::Batch>, String>>,
    ) -> Result<(), TrainingError> {
        let (mut told, first) = (Instant::now(), running.progress.step);
        loop {
            running.progress.seconds = running.before + running.began.elapsed().as_secs_f64();
            let next = steps.recv().ok().transpose().map_err(TrainingError::Tokens)?;
            let fraction = self.fraction(&running.progress, next.as_ref());
            let is_done = fraction >= 1.0;
            if self.is_evaluation_due(&running.progress, is_done) && !self.evaluate(running)? {
                return self.stop(running, fraction);
            }
            let is_out_of_patience = self.settings.patience.is_some_and(|patience| running.progress.misses >= patience);
            let Some(next) = next.filter(|_| !is_done && !is_out_of_patience) else {
                return self.save(running);
            };
            let is_due = running.progress.step.is_multiple_of(self.settings.checkpoint_every);
            if is_due && running.saved != Some(running.progress.step) {
                self.save(running)?;
            }
            // However short a piece is, it does at least one step.
            let is_late =
                running.progress.step > first && self.stop_after.is_some_and(|limit| running.began.elapsed() >= limit);
            if is_late || self.observer.stop.load(Ordering::Relaxed) {
                return self.stop(running, fraction);
            }
            self.step(running, next, fraction)?;
            if told.elapsed() >= BETWEEN_NEWS {
                running.read_losses(self.checkpoints)?;
                self.tell(running, fraction);
                told = Instant::now();
            }
        }
    }

    /// How much of the training is done.
    fn fraction(&self, progress: &Progress, next: Option<&StepBatches<Lessons::Batch>>) -> f64 {
        match self.settings.length {
            Length::Steps(steps) => progress.step as f64 / steps as f64,
            // Epochs need not have the same number of steps. None is left after the last.
            Length::Epochs(epochs) => {
                next.map_or(1.0, |next| (next.epoch as f64 + next.place as f64 / next.steps as f64) / epochs as f64)
            }
            Length::Minutes(minutes) => progress.seconds / (60.0 * minutes),
        }
    }

    /// One step of the optimiser.
    fn step<Network: Learner<Batch = Lessons::Batch>>(
        &self,
        running: &mut Running<'_, Network>,
        next: StepBatches<Lessons::Batch>,
        fraction: f64,
    ) -> Result<(), TrainingError> {
        let (settings, began) = (self.settings, Instant::now());
        let number = running.progress.step + 1;
        let warm = (number as f64 / settings.warm_up.max(1) as f64).min(1.0);
        let learning_rate = f64::from(settings.learning_rate) * warm * (1.0 - fraction).max(LEAST);
        let rates = DropoutRates {
            hidden: settings.dropout,
            attention: settings.attention_dropout,
            head: settings.head_dropout,
        };
        let mut losses = Vec::new();
        for (batch, place) in next.batches.iter().zip(0_u64..) {
            let seed = settings.seed.to_le_bytes();
            let key = seed_of(&[b"dropout", &seed, &number.to_le_bytes(), &place.to_le_bytes()]);
            losses.push(running.network.learn(batch, 1.0 / next.questions as f32, rates, key)?);
        }
        let decaying = running.network.decaying();
        running.network.device_mut().update(&Step {
            number,
            learning_rate: learning_rate as f32,
            first_decay: settings.first_decay,
            second_decay: settings.second_decay,
            epsilon: settings.epsilon,
            weight_decay: settings.weight_decay,
            decaying,
            longest_gradient: settings.clip,
        })?;
        running.unread.push((number, losses));
        let progress = &mut running.progress;
        progress.step = number;
        progress.tokens += next.tokens as u64;
        (progress.epoch, progress.place) = match next.place + 1 == next.steps {
            true => (next.epoch + 1, 0),
            false => (next.epoch, next.place + 1),
        };
        progress.window.steps += 1;
        progress.window.tokens += next.tokens as u64;
        if !number.is_multiple_of(settings.log_every) {
            progress.window.seconds += began.elapsed().as_secs_f64();
            return Ok(());
        }
        running.read_losses(self.checkpoints)?;
        let progress = &mut running.progress;
        let window = std::mem::take(&mut progress.window);
        let seconds = window.seconds + began.elapsed().as_secs_f64();
        progress.seconds = running.before + running.began.elapsed().as_secs_f64();
        progress.last_loss = Some(window.loss / window.steps as f64);
        running.metrics.add(&json!({
            "kind": "steps",
            "step": number,
            "epoch": next.epoch as f64 + (next.place + 1) as f64 / next.steps as f64,
            "loss": progress.last_loss,
            "learning-rate": learning_rate,
            "tokens": progress.tokens,
            "tokens-per-second": (window.tokens as f64 / seconds).round(),
            "seconds": progress.seconds,
        }))
    }

    fn is_evaluation_due(&self, progress: &Progress, is_done: bool) -> bool {
        let is_here = match self.settings.evaluate_every {
            Some(every) => progress.step.is_multiple_of(every),
            None => progress.place == 0,
        };
        self.validation.is_some()
            && progress.step > 0
            && (is_here || is_done)
            && progress.evaluated != Some(progress.step)
    }

    /// Evaluates the network, and keeps its weights if they are the best so far. Answers no if the user stopped it.
    fn evaluate<Network: Learner<Batch = Lessons::Batch>>(
        &self,
        running: &mut Running<'_, Network>,
    ) -> Result<bool, TrainingError> {
        let Some(validation) = self.validation else { return Ok(true) };
        running.read_losses(self.checkpoints)?;
        (self.observer.tell)(News::Evaluating { step: running.progress.step, examples: validation.count() });
        let Some(score) = self.score(&running.network, validation)? else { return Ok(false) };
        let step = running.progress.step;
        if !score.loss.is_finite() {
            return Err(TrainingError::NotFinite { step, last: self.checkpoints.last_step()? });
        }
        let by_loss = validation.is_judged_by_loss();
        let is_best = running.progress.best.is_none_or(|best| is_better(&score, &best.score, by_loss));
        match is_best {
            true => {
                self.checkpoints.save_best(step, &running.network.device().state()?.weights)?;
                running.progress.best = Some(Best { step, score });
                running.progress.misses = 0;
            }
            false => running.progress.misses += 1,
        }
        running.progress.evaluated = Some(step);
        running.progress.seconds = running.before + running.began.elapsed().as_secs_f64();
        running.metrics.add(&json!({
            "kind": "evaluation",
            "step": step,
            "loss": score.loss,
            "accuracy": score.accuracy,
            "is-best": is_best,
            "seconds": running.progress.seconds,
        }))?;
        (self.observer.tell)(News::Evaluated { step, score, is_best });
        Ok(true)
    }

    fn score<Network: Learner<Batch = Lessons::Batch>>(
        &self,
        network: &Network,
        validation: &Lessons,
    ) -> Result<Option<Score>, TrainingError> {
        let tokens = validation.evaluated_tokens(self.settings.batch_tokens);
        let masks_seed = seed_of(&[b"validation", &self.settings.seed.to_le_bytes()]);
        let (mut loss, mut right, mut count) = (0.0, 0_usize, 0_usize);
        for examples in validation.batches_of_epoch(tokens, None) {
            if self.observer.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let batch = validation.batch(&examples, masks_seed).map_err(TrainingError::Tokens)?;
            let scores = network.scores(&batch)?;
            let classes = batch.answers();
            let rows = scores.par_chunks_exact((scores.len() / classes.len().max(1)).max(1)).zip(&classes);
            let judged = rows.map(|(row, class)| {
                let best = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let sum: f64 = row.iter().map(|score| f64::from(score - best).exp()).sum();
                // The first of equal scores is the answer.
                let is_right = row.iter().position(|score| *score == best) == Some(*class as usize);
                (sum.ln() - f64::from(row[*class as usize] - best), is_right)
            });
            // They are added in their order, so that the number of threads does not matter.
            for (own, is_right) in judged.collect::<Vec<(f64, bool)>>() {
                loss += own;
                right += usize::from(is_right);
            }
            count += classes.len();
        }
        Ok(Some(Score { loss: loss / count as f64, accuracy: right as f64 / count as f64 }))
    }

    /// Writes a checkpoint of this moment.
    fn save<Network: Learner<Batch = Lessons::Batch>>(
        &self,
        running: &mut Running<'_, Network>,
    ) -> Result<(), TrainingError> {
        running.read_losses(self.checkpoints)?;
        let state = running.network.device().state()?;
        let step = running.progress.step;
        let is_finite = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
        if ![&state.weights, &state.first_moments, &state.second_moments].into_iter().all(|part| is_finite(part)) {
            return Err(TrainingError::NotFinite { step, last: self.checkpoints.last_step()? });
        }
        running.progress.metrics_bytes = running.metrics.sync()?;
        running.progress.seconds = running.before + running.began.elapsed().as_secs_f64();
        self.checkpoints.save(&running.progress, &state)?;
        running.saved = Some(step);
        Ok(())
    }

    fn stop<Network: Learner<Batch = Lessons::Batch>>(
        &self,
        running: &mut Running<'_, Network>,
        fraction: f64,
    ) -> Result<(), TrainingError> {
        if running.saved != Some(running.progress.step) {
            self.save(running)?;
        }
        Err(TrainingError::Stopped { step: running.progress.step, percent: (100.0 * fraction) as u32 })
    }

    fn tell<Network: Learner<Batch = Lessons::Batch>>(&self, running: &Running<'_, Network>, fraction: f64) {
        let Progress { step, ref window, last_loss, seconds, .. } = running.progress;
        let Window { loss, steps, tokens, seconds: window_seconds } = *window;
        (self.observer.tell)(News::Step {
            step,
            fraction,
            loss: if steps > 0 { Some(loss / steps as f64) } else { last_loss },
            tokens_per_second: (window_seconds > 0.0).then(|| tokens as f64 / window_seconds),
            seconds_left: (fraction > 0.0).then(|| seconds * (1.0 - fraction) / fraction),
        });
    }
}

impl<Network: Learner> Running<'_, Network> {
    /// Takes the losses of the last steps into the window. That they are added in order, step by step, makes the sum the same whenever
    /// they are read.
    fn read_losses(&mut self, checkpoints: &Checkpoints) -> Result<(), TrainingError> {
        for (step, losses) in std::mem::take(&mut self.unread) {
            let mut sum = 0.0;
            for losses in losses {
                sum += self.network.device().read(&losses)?.into_iter().map(f64::from).sum::<f64>();
            }
            if !sum.is_finite() {
                let last = checkpoints.last_step()?;
                return Err(TrainingError::NotFinite { step, last });
            }
            self.progress.window.loss += sum;
        }
        Ok(())
    }
}

/// Answers are to be right, and equally right ones sure, unless only the loss tells.
fn is_better(one: &Score, other: &Score, by_loss: bool) -> bool {
    match by_loss || one.accuracy == other.accuracy {
        true => one.loss < other.loss,
        false => one.accuracy > other.accuracy,
    }
}
