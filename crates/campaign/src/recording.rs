//! Files with the answers of a model, which `recorded:FILE` opens. They are written while the model is queried, so that a kill loses one batch and no
//! input is queried twice.

mod given;

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use model::adapters::recorded::{Line, key};
use model::{Fault, Identity, Input, Model, Prediction};
use rayon::prelude::*;
use serde_json::json;

use crate::data::DataError;
use crate::examples::Examples;
use crate::plan::DataPlan;
use crate::work::{Event, STOPPED, Watcher, WorkError, open_model, read_examples};
pub use given::Given;

/// The answers of one model, in a file.
pub struct Recording {
    path: PathBuf,
    file: File,
    known: HashMap<String, Result<Vec<f32>, Fault>>,
    /// How many inputs the model was queried on, of those that this process wanted to know about.
    pub queried: usize,
}

/// What was recorded.
pub struct Recorded {
    /// Whose answers these are; none where they were given as numbers.
    pub model: Option<Identity>,
    pub data: PathBuf,
    pub examples: usize,
    /// How many of them were queried now, and not before.
    pub queried: usize,
    /// How many have no answer, and why the first has none.
    pub faults: Option<(usize, String)>,
}

/// Writes the answers of a model to all examples of a data set, or finishes what was begun.
///
/// ```
/// use campaign::plan::DataPlan;
///
/// let data = DataPlan { path: "../../fixtures/programs/problems".into(), limit: Some(3), ..DataPlan::default() };
/// let file = std::env::temp_dir().join(format!("allotrope-record-{}.jsonl", std::process::id()));
/// assert_eq!(campaign::recording::record("builtin:problems", &data, &file, &())?.queried, 3);
/// assert_eq!(campaign::recording::record("builtin:problems", &data, &file, &())?.queried, 0);
/// # std::fs::remove_file(file)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn record(name: &str, data: &DataPlan, output: &Path, watcher: &dyn Watcher) -> Result<Recorded, WorkError> {
    let examples = read_examples(data, watcher)?;
    let model = open_model(name)?;
    let mut recording = Recording::open(output, model.identity(), model.labels())?;
    let said = recording.answers(model.as_ref(), "querying the model", examples.items.len(), watcher, &|place| {
        let example = &examples.items[place];
        (example.id.clone(), examples.input(example))
    })?;
    Ok(Recorded::of(Some(model.identity().clone()), &examples, recording.queried, &said))
}

/// Writes answers that a file has, as numbers in the order of the data set or by the ids of its examples.
pub fn record_given(
    given: &Path,
    data: &DataPlan,
    output: &Path,
    watcher: &dyn Watcher,
) -> Result<Recorded, WorkError> {
    let given = Given::read(given)?;
    let examples = read_examples(data, watcher)?;
    let said = given.answers(&examples)?;
    let mut text = String::new();
    if !examples.labels.is_empty() {
        text.push_str(&format!("{}\n", json!(Line { labels: Some(examples.labels.clone()), ..Line::default() })));
    }
    for (example, answer) in examples.items.iter().zip(&said) {
        let Some(line) = answer else { continue };
        let line = Line { input: Some(key(&examples.input(example))), id: Some(json!(example.id)), ..line.clone() };
        let unfit = |problem: String| DataError::Unfit { place: format!("the answer to {}", example.id), problem };
        drop(line.answer().map_err(unfit)?);
        text.push_str(&format!("{}\n", json!(line)));
    }
    crate::data::write_file(output, text.as_bytes())?;
    let said: Vec<Result<(), Fault>> =
        said.iter().map(|line| line.as_ref().map(drop).ok_or(Fault::Unrecorded)).collect();
    Ok(Recorded::of(None, &examples, 0, &said))
}

impl Recorded {
    fn of<Said>(
        model: Option<Identity>,
        examples: &Examples,
        queried: usize,
        said: &[Result<Said, Fault>],
    ) -> Recorded {
        let mut faults = said.iter().filter_map(|said| said.as_ref().err());
        let first = faults.next().map(|fault| (1 + faults.count(), fault.to_string()));
        Recorded { model, data: examples.path.clone(), examples: said.len(), queried, faults: first }
    }
}

/// The number of inputs that are looked up together, where a model takes fewer.
const TOGETHER: usize = 1024;

impl Recording {
    /// Opens the file of a model's answers, or begins it. A piece of a line at its end, which a kill left there, is cut off; answers of another model
    /// are refused.
    pub fn open(path: &Path, model: &Identity, labels: Option<&[String]>) -> Result<Recording, DataError> {
        let unwritable = |source| DataError::Unwritable { path: path.to_owned(), source };
        let unfit = |problem: String| DataError::Unfit { place: path.display().to_string(), problem };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(unwritable)?;
        }
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(path).map_err(unwritable)?;
        match file.try_lock() {
            Ok(()) => (),
            Err(TryLockError::WouldBlock) => return Err(unfit("another process writes it: wait for it".to_owned())),
            Err(TryLockError::Error(source)) => return Err(unwritable(source)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|source| DataError::Unreadable { path: path.to_owned(), source })?;
        let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let mut known = HashMap::new();
        let mut whose = None;
        for (number, line) in
            bytes[..complete].split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty())
        {
            let problem = |problem: String| unfit(format!("line {}: {problem}", number + 1));
            let line: Line = serde_json::from_slice(line).map_err(|error| problem(error.to_string()))?;
            if number == 0 {
                whose = line.model;
                continue;
            }
            let (key, answer) = line.answer().map_err(problem)?;
            known.insert(key, answer);
        }
        let mut recording = Recording { path: path.to_owned(), file, known, queried: 0 };
        if complete == 0 {
            let labels = Some(labels.map(<[String]>::to_vec).unwrap_or_default()).filter(|labels| !labels.is_empty());
            let first = Line { labels, model: Some(model.clone()), ..Line::default() };
            recording.file.set_len(0).map_err(unwritable)?;
            recording.file.seek(SeekFrom::Start(0)).map_err(unwritable)?;
            recording.write(&format!("{}\n", json!(first)))?;
            return Ok(recording);
        }
        // A place may be written in several ways; the digest tells what answers.
        if whose.is_none_or(|whose| (whose.kind, whose.digest) != (model.kind.clone(), model.digest.clone())) {
            let problem =
                format!("it has the answers of another model than {}:{}: name another file", model.kind, model.place);
            return Err(unfit(problem));
        }
        recording.file.set_len(complete as u64).map_err(unwritable)?;
        recording.file.seek(SeekFrom::Start(complete as u64)).map_err(unwritable)?;
        Ok(recording)
    }

    /// What the model says about every input, in order. What is not known yet is queried and written, batch by batch.
    ///
    /// A fault that may pass ends the work, and the same command goes on. One that would come again is written, so that the input is not queried again.
    pub fn answers(
        &mut self,
        model: &dyn Model,
        stage: &str,
        count: usize,
        watcher: &dyn Watcher,
        input: &(dyn Fn(usize) -> (String, Input) + Sync),
    ) -> Result<Vec<Result<Vec<f32>, Fault>>, WorkError> {
        watcher.tell(Event::Stage(stage, Some(count)));
        let mut said = Vec::with_capacity(count);
        let places: Vec<usize> = (0..count).collect();
        for some in places.chunks(model.together().max(TOGETHER)) {
            let inputs: Vec<(String, String, Input)> = some
                .par_iter()
                .map(|place| {
                    let (id, input) = input(*place);
                    (key(&input), id, input)
                })
                .collect();
            let mut unknown: Vec<&(String, String, Input)> = Vec::new();
            for one in &inputs {
                if !self.known.contains_key(&one.0) && unknown.iter().all(|other| other.0 != one.0) {
                    unknown.push(one);
                }
            }
            let mut faults = HashMap::new();
            for batch in unknown.chunks(model.together().max(1)) {
                if watcher.should_stop() {
                    return Err(WorkError::Interrupted(STOPPED));
                }
                faults.extend(self.query(model, batch)?);
            }
            for (key, ..) in &inputs {
                let answer = self.known.get(key).or_else(|| faults.get(key));
                said.push(answer.cloned().unwrap_or(Err(Fault::Unrecorded)));
            }
            watcher.tell(Event::Steps(some.len()));
        }
        Ok(said)
    }

    /// Queries the model and writes what it says. The faults that are not written are returned.
    fn query(
        &mut self,
        model: &dyn Model,
        batch: &[&(String, String, Input)],
    ) -> Result<HashMap<String, Result<Vec<f32>, Fault>>, WorkError> {
        let inputs: Vec<Input> = batch.iter().map(|(_, _, input)| input.clone()).collect();
        let (mut text, mut faults, mut passing) = (String::new(), HashMap::new(), None);
        for ((key, id, _), answer) in batch.iter().zip(model.predict(&inputs)) {
            self.queried += 1;
            let line = Line { input: Some(key.clone()), id: Some(json!(id)), ..Line::default() };
            let (line, answer) = match answer.map(|answer| answer.prediction) {
                Ok(Prediction::Classes(shares)) => {
                    // Sums in single precision may be a little above one.
                    let shares: Vec<f32> = shares.iter().map(|share| share.clamp(0.0, 1.0)).collect();
                    (Line { probabilities: Some(shares.clone()), ..line }, Ok(shares))
                }
                Ok(_) => {
                    let problem =
                        "the model does not answer with the probabilities of classes, which are what is recorded";
                    return Err(Fault::WrongShape(problem.to_owned()).into());
                }
                Err(fault @ (Fault::Late(_) | Fault::Disconnected(_) | Fault::Refused { .. })) => {
                    passing.get_or_insert(fault);
                    continue;
                }
                Err(fault @ Fault::Unrecorded) => {
                    faults.insert(key.clone(), Err(fault));
                    continue;
                }
                Err(fault) => {
                    let said = fault.to_string();
                    (Line { fault: Some(said.clone()), ..line }, Err(Fault::Failed(said)))
                }
            };
            text.push_str(&format!("{}\n", json!(line)));
            self.known.insert(key.clone(), answer);
        }
        self.write(&text)?;
        match passing {
            Some(fault) => Err(fault.into()),
            None => Ok(faults),
        }
    }

    /// Adds lines. When this returns they are on the disk.
    fn write(&mut self, lines: &str) -> Result<(), DataError> {
        let written = self.file.write_all(lines.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|source| DataError::Unwritable { path: self.path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use model::{Answer, Code};
    use syntax::Language;

    use super::*;

    /// Counts what it is asked, and says how long programs are.
    struct Counting {
        identity: Identity,
        asked: Mutex<Vec<usize>>,
    }

    impl Counting {
        fn new(digest: &str) -> Counting {
            let identity =
                Identity { kind: "cmd".to_owned(), place: "x".to_owned(), digest: digest.to_owned(), varies: true };
            Counting { identity, asked: Mutex::default() }
        }
    }

    impl Model for Counting {
        fn identity(&self) -> &Identity {
            &self.identity
        }

        fn together(&self) -> usize {
            3
        }

        fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
            let answer = |input: &Input| {
                let length = input.programs()[0].text.len();
                self.asked.lock().unwrap().push(length);
                match length {
                    5 => Err(Fault::NotFinite),
                    9 if self.identity.digest == "late" => Err(Fault::Disconnected("gone".to_owned())),
                    _ => {
                        let share = 1.0 / length as f32;
                        Ok(Answer { prediction: Prediction::Classes(vec![share, 1.0 - share]), tokens: None })
                    }
                }
            };
            inputs.iter().map(answer).collect()
        }
    }

    fn input(place: usize) -> (String, Input) {
        // Two of them are the same.
        let length = if place == 6 { 3 } else { place + 1 };
        (place.to_string(), Input::Code(Code { language: Language::C, text: "x".repeat(length) }))
    }

    #[test]
    fn nothing_is_asked_twice_whenever_it_was_killed() {
        let path = std::env::temp_dir().join(format!("allotrope-recording-{}.jsonl", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let ask = |model: &Counting| {
            let mut recording = Recording::open(&path, &model.identity, None)?;
            recording.answers(model, "asking", 10, &(), &input)
        };
        let late = Counting::new("late");
        assert!(matches!(ask(&late), Err(WorkError::Model(Fault::Disconnected(_)))));
        let whole = std::fs::read(&path).unwrap();
        // All but what was late is on the disk, and only that is queried again.
        assert_eq!(late.asked.lock().unwrap().len(), 9);
        assert!(ask(&late).is_err());
        assert_eq!(late.asked.lock().unwrap()[9..], [9]);
        // Another model is refused.
        assert!(matches!(ask(&Counting::new("other")), Err(WorkError::Data(DataError::Unfit { .. }))));
        let expected = {
            std::fs::remove_file(&path).unwrap();
            ask(&Counting::new("")).unwrap()
        };
        assert_eq!(expected[4], Err(Fault::Failed(Fault::NotFinite.to_string())));
        assert_eq!(expected[6], expected[2]);
        let complete = std::fs::read(&path).unwrap();
        assert!(complete.len() > whole.len());
        for end in (0..complete.len()).step_by(7).chain([complete.len()]) {
            std::fs::write(&path, &complete[..end]).unwrap();
            let model = Counting::new("");
            assert_eq!(ask(&model).unwrap(), expected, "{end}");
            let lines = complete[..end].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(model.asked.lock().unwrap().len(), 9 - lines.saturating_sub(1), "{end}");
            assert_eq!(std::fs::read(&path).unwrap(), complete, "{end}");
        }
        std::fs::remove_file(path).unwrap();
    }
}
