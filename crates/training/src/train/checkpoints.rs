//! What a training that was stopped resumes from: the state of the network, how far it is, and the best weights so far.
//!
//! A checkpoint is complete under its name before an older one is removed, and the last two are kept, so that a process that is killed at any
//! moment, a full disk or one damaged file loses little.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::TrainingError;
use super::durable::{read_arrays, read_header, write_arrays};
use crate::compute::State;

/// How far a training is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// How many steps are done.
    pub step: u64,
    /// How many epochs are done.
    pub epoch: u64,
    /// How many steps of the current epoch are done.
    pub place: usize,
    /// How long all pieces of the training took.
    pub seconds: f64,
    /// How many tokens the network has read.
    pub tokens: u64,
    /// What the next line of the metrics is made of.
    pub window: Window,
    /// The loss of the last line of the metrics.
    pub last_loss: Option<f64>,
    /// The step at which the network was evaluated last.
    pub evaluated: Option<u64>,
    /// The best evaluation.
    pub best: Option<Best>,
    /// How many evaluations in a row were not better than the best.
    pub misses: u64,
    /// How long the file of metrics is.
    pub metrics_bytes: u64,
}

/// What was seen since the last line of the metrics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    pub loss: f64,
    pub steps: u64,
    pub tokens: u64,
    pub seconds: f64,
}

/// The best evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    pub step: u64,
    pub score: Score,
}

/// How well a network does on examples that it does not learn from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The mean cross entropy.
    pub loss: f64,
    /// The share of right answers.
    pub accuracy: f64,
}

/// The folder of checkpoints.
pub struct Checkpoints {
    folder: PathBuf,
}

/// The number of checkpoints that are kept.
const KEPT: usize = 2;

impl Checkpoints {
    /// The checkpoints in a folder.
    pub fn new(folder: &Path) -> Checkpoints {
        Checkpoints { folder: folder.to_owned() }
    }

    /// The step of the last checkpoint.
    pub fn last_step(&self) -> Result<Option<u64>, TrainingError> {
        Ok(self.steps("checkpoint-")?.pop())
    }

    /// What the last checkpoint holds, if there is any.
    pub fn last(&self) -> Result<Option<(Progress, State)>, TrainingError> {
        let mut steps = self.steps("checkpoint-")?;
        let Some(step) = steps.pop() else { return Ok(None) };
        let path = self.path("checkpoint-", step);
        let damaged = |problem: String| {
            let remedy = match steps.last() {
                Some(before) => format!("delete it, and the same command resumes from step {before}"),
                None => "delete it, and the same command starts again from the beginning".to_owned(),
            };
            TrainingError::Damaged { path: path.clone(), problem, remedy }
        };
        let (progress, arrays): (Progress, Vec<Vec<f32>>) =
            read_arrays(&path).map_err(|error| damaged(error.to_string()))?;
        let arrays: Result<[Vec<f32>; 3], _> = arrays.try_into();
        let [weights, first_moments, second_moments] =
            arrays.map_err(|_| damaged("it does not have three arrays".to_owned()))?;
        Ok(Some((progress, State { weights, first_moments, second_moments })))
    }

    /// Writes a checkpoint, and then removes what no kept checkpoint needs.
    pub fn save(&self, progress: &Progress, state: &State) -> Result<(), TrainingError> {
        let path = self.path("checkpoint-", progress.step);
        let before = self.last_step()?;
        write_arrays(&path, progress, &[&state.weights, &state.first_moments, &state.second_moments])
            .map_err(|source| TrainingError::Unsaved { path, last: before, source })?;
        let steps = self.steps("checkpoint-")?;
        let (old, kept) = steps.split_at(steps.len().saturating_sub(KEPT));
        for step in old {
            self.remove("checkpoint-", *step)?;
        }
        let mut needed: Vec<u64> = progress.best.iter().map(|best| best.step).collect();
        for step in kept.iter().filter(|step| **step != progress.step) {
            // One that cannot be read needs nothing: it says so itself when it is resumed from.
            if let Ok(progress) = read_header::<Progress>(&self.path("checkpoint-", *step)) {
                needed.extend(progress.best.iter().map(|best| best.step));
            }
        }
        for step in self.steps("best-")?.into_iter().filter(|step| !needed.contains(step)) {
            self.remove("best-", step)?;
        }
        Ok(())
    }

    /// Writes the best weights so far. Those before are kept until a checkpoint knows these.
    pub fn save_best(&self, step: u64, weights: &[f32]) -> Result<(), TrainingError> {
        let path = self.path("best-", step);
        let last = self.last_step()?;
        write_arrays(&path, &step, &[weights]).map_err(|source| TrainingError::Unsaved { path, last, source })
    }

    /// Reads the best weights.
    pub fn best(&self, step: u64) -> Result<Vec<f32>, TrainingError> {
        let path = self.path("best-", step);
        let damaged = |problem: String| TrainingError::Damaged {
            path: path.clone(),
            problem,
            remedy: "delete the folder that it is in, and the same command starts again from the beginning".to_owned(),
        };
        let (_, arrays): (u64, Vec<Vec<f32>>) = read_arrays(&path).map_err(|error| damaged(error.to_string()))?;
        arrays.into_iter().next().ok_or_else(|| damaged("it has no weights".to_owned()))
    }

    /// Removes all checkpoints, when the model is complete.
    pub fn clear(&self) -> Result<(), TrainingError> {
        for kind in ["checkpoint-", "best-"] {
            for step in self.steps(kind)? {
                self.remove(kind, step)?;
            }
        }
        Ok(())
    }

    fn path(&self, kind: &str, step: u64) -> PathBuf {
        self.folder.join(format!("{kind}{step:010}.state"))
    }

    fn remove(&self, kind: &str, step: u64) -> Result<(), TrainingError> {
        let path = self.path(kind, step);
        std::fs::remove_file(&path).map_err(|source| TrainingError::Unwritable { path, source })
    }

    /// The steps that there are complete files of, in order.
    fn steps(&self, kind: &str) -> Result<Vec<u64>, TrainingError> {
        let unreadable = |source| TrainingError::Unreadable { path: self.folder.clone(), source };
        let mut steps = Vec::new();
        for entry in std::fs::read_dir(&self.folder).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name();
            let step: Option<u64> =
                name.to_str().and_then(|name| name.strip_prefix(kind)?.strip_suffix(".state")?.parse().ok());
            steps.extend(step);
        }
        steps.sort_unstable();
        Ok(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_checkpoints_and_the_best_weights_that_they_need_are_kept() {
        let folder = std::env::temp_dir().join(format!("allotrope-checkpoints-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let checkpoints = Checkpoints::new(&folder);
        assert!(checkpoints.last().unwrap().is_none());
        let score = Score { loss: 1.0 / 3.0, accuracy: 0.1 };
        let save = |step: u64, best: u64| {
            let progress = Progress { step, best: Some(Best { step: best, score }), ..Progress::default() };
            let numbers = vec![step as f32; 3];
            let (weights, first_moments, second_moments) = (numbers.clone(), numbers.clone(), numbers);
            let state = State { weights, first_moments, second_moments };
            checkpoints.save(&progress, &state).unwrap();
            (progress, state)
        };
        checkpoints.save_best(3, &[3.0]).unwrap();
        save(4, 3);
        checkpoints.save_best(5, &[5.0]).unwrap();
        // Whoever is killed here needs what the last checkpoint knows.
        assert_eq!(checkpoints.steps("best-").unwrap(), [3, 5]);
        save(8, 5);
        assert_eq!(checkpoints.steps("best-").unwrap(), [3, 5]);
        let last = save(12, 5);
        assert_eq!(checkpoints.steps("best-").unwrap(), [5]);
        assert_eq!(checkpoints.steps("checkpoint-").unwrap(), [8, 12]);
        assert!(checkpoints.last().unwrap().unwrap() == last);
        assert_eq!(checkpoints.best(5).unwrap(), [5.0]);
        let file = folder.join("checkpoint-0000000012.state");
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[40] ^= 1;
        std::fs::write(&file, &bytes).unwrap();
        let problem = checkpoints.last().err().unwrap().to_string();
        assert!(problem.contains("damaged") && problem.contains("resumes from step 8"), "{problem}");
        std::fs::remove_file(&file).unwrap();
        assert_eq!(checkpoints.last().unwrap().unwrap().0.step, 8);
        checkpoints.clear().unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
