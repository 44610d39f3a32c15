//! The folder that a model is trained in: is it ours, was it begun with the same settings and data, and is it done?

use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::durable::write;
use super::learner::Curriculum;
use super::{TrainedEncoder, TrainingError};

/// A folder with a training that was begun.
pub struct RunFolder {
    folder: PathBuf,
    /// What the training is, as `run.json` has it.
    wanted: Value,
    /// What `run.json` says, if it is there.
    found: Option<Value>,
    /// No other process has it as long as this one lives.
    _lock: File,
}

impl RunFolder {
    /// Makes the folder, or finds what was begun in it with the same plan. The plan is everything that decides the result.
    pub fn open(output: &Path, plan: &Value) -> Result<RunFolder, TrainingError> {
        let folder = training_folder(output)?;
        let unwritable = |source| TrainingError::Unwritable { path: folder.clone(), source };
        let lock = File::create(folder.join("lock")).map_err(unwritable)?;
        match lock.try_lock() {
            Ok(()) => (),
            Err(TryLockError::WouldBlock) => return Err(TrainingError::Locked(output.to_owned())),
            Err(TryLockError::Error(source)) => return Err(unwritable(source)),
        }
        // Numbers are compared as they are written and read.
        let wanted = serde_json::from_str(&plan.to_string()).unwrap_or_else(|_| plan.clone());
        let found = read_json(&folder.join("run.json"))?;
        if let Some(found) = &found {
            let differences = differences(&found["plan"], &wanted);
            if !differences.is_empty() {
                return Err(TrainingError::Differs(differences));
            }
        }
        Ok(RunFolder { folder, wanted, found, _lock: lock })
    }

    /// The folder with the checkpoints.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Are all files but the weights there?
    pub fn has_skeleton(&self) -> bool {
        self.found.is_some()
    }

    /// Refuses other data than the training was begun with; remembers them when it begins.
    pub fn check_data<Lessons: Curriculum>(
        &self,
        lessons: &Lessons,
        validation: Option<&Lessons>,
    ) -> Result<(), TrainingError> {
        let described = |lessons: &Lessons| json!({"count": lessons.count(), "digest": lessons.digest()});
        let data = json!({"examples": described(lessons), "validation": validation.map(described)});
        if let Some(found) = &self.found {
            let differences = differences(&found["data"], &data);
            return match differences.is_empty() {
                true => Ok(()),
                false => Err(TrainingError::Differs(differences)),
            };
        }
        self.write("run.json", &json!({"plan": self.wanted, "data": data}))
    }

    /// What the training came to, if it is done.
    pub fn finished(&self) -> Result<Option<TrainedEncoder>, TrainingError> {
        let path = self.folder.join("finished.json");
        let Some(found) = read_json(&path)? else { return Ok(None) };
        let unreadable = |source: serde_json::Error| TrainingError::Unreadable { path, source: source.into() };
        serde_json::from_value(found).map(Some).map_err(unreadable)
    }

    /// Remembers that the model is complete.
    pub fn finish(&self, trained: &TrainedEncoder) -> Result<(), TrainingError> {
        self.write("finished.json", &json!(trained))
    }

    fn write(&self, name: &str, value: &Value) -> Result<(), TrainingError> {
        let path = self.folder.join(name);
        write(&path, |file| writeln!(file, "{value:#}")).map_err(|source| TrainingError::Unwritable { path, source })
    }
}

/// The folder for what a training keeps, within that of its model, which is new or was made by it.
pub fn training_folder(output: &Path) -> Result<PathBuf, TrainingError> {
    let folder = output.join("training");
    let is_empty = std::fs::read_dir(output).map_or(true, |mut entries| entries.next().is_none());
    if !folder.is_dir() && !is_empty {
        return Err(TrainingError::NotEmpty(output.to_owned()));
    }
    let unwritable = |source| TrainingError::Unwritable { path: folder.clone(), source };
    std::fs::create_dir_all(&folder).map_err(unwritable)?;
    Ok(folder)
}

fn read_json(path: &Path) -> Result<Option<Value>, TrainingError> {
    if !path.exists() {
        return Ok(None);
    }
    let unreadable = |source| TrainingError::Unreadable { path: path.to_owned(), source };
    let text = std::fs::read(path).map_err(unreadable)?;
    serde_json::from_slice(&text).map(Some).map_err(|error| unreadable(error.into()))
}

/// What differs, in words.
fn differences(then: &Value, now: &Value) -> Vec<String> {
    let empty = Map::new();
    let is_map = then.is_object() && now.is_object();
    let (Some(one), Some(other)) = (then.as_object().or(Some(&empty)), now.as_object().or(Some(&empty))) else {
        return Vec::new();
    };
    if !is_map {
        return if then == now { Vec::new() } else { vec![format!("was {then}, and is {now}")] };
    }
    let mut keys: Vec<&String> = one.keys().chain(other.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut found = Vec::new();
    for key in keys {
        let of = |map: &Map<String, Value>| map.get(key).cloned().unwrap_or_default();
        found.extend(differences(&of(one), &of(other)).into_iter().map(|difference| format!("{key} {difference}")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_named() {
        let then = json!({"seed": 1, "settings": {"rate": 0.5, "every": null, "half": false}, "goal": ["a"]});
        assert!(differences(&then, &then).is_empty());
        let now = json!({"seed": 1, "settings": {"rate": 0.25, "every": 3, "half": false}, "goal": ["a", "b"]});
        assert_eq!(
            differences(&then, &now),
            [
                r#"goal was ["a"], and is ["a","b"]"#,
                "settings every was null, and is 3",
                "settings rate was 0.5, and is 0.25"
            ]
        );
    }
}
