//! Models that are known only by their answers: `recorded:FILE`.
//!
//! FILE has one JSON object per line: an input, and what a model said about it.
//!
//! ```json
//! {"input": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae", "id": "17", "probabilities": [0.25, 0.75]}
//! {"code": "int f(void) { return 1; }", "logits": [-1.5, 2.0]}
//! {"code1": "int f();", "code2": "int g();", "logits": [3.0, -1.0]}
//! {"code": "x = 1", "text": "sets x", "probabilities": [0.5, 0.5]}
//! ```
//!
//! `input` is the SHA-256 of the texts of the input, each after its length in bytes as a little-endian number of 64 bits: of the program, of both
//! programs, or of the program and the text. Languages do not count. In its place the texts themselves may stand. `logits` are turned into
//! probabilities. A line with a `fault` says why there is no answer; one with `labels` names the classes in order, and may say in `model` whose answers
//! these are. Other fields, such as `id`, are for readers. The file is read
//! whole.
//!
//! `allotrope record` writes such files, from any model or from a table of logits. There is no answer to an input that is not in the file, so that such
//! a model can be evaluated, compared with students and distilled, but not attacked.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use syntax::file::read_up_to;

use super::Kind;
use super::answers::{finite, probabilities};
use crate::identity::Fingerprint;
use crate::weights::LARGEST_WEIGHTS;
use crate::{Answer, Fault, Identity, Input, Model, OpenError, Prediction};

/// How models of this kind are named and opened.
pub(super) const KIND: Kind = Kind {
    name: "recorded",
    place: "FILE",
    about: "a file with the answers of a model, from `allotrope record`",
    is_outside: false,
    label: super::last_of_path,
    levels: &[],
    open,
};

/// A line of a file of answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    /// The names of the classes, in the first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// Whose answers these are, in the first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Identity>,
    /// The key of the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// What the input is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code1: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code2: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probabilities: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logits: Option<Vec<f32>>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// What an input is called in a file of answers.
pub fn key(input: &Input) -> String {
    match input {
        Input::Code(code) => key_of(&[&code.text]),
        Input::Pair(one, other) => key_of(&[&one.text, &other.text]),
        Input::CodeAndText(code, text) => key_of(&[&code.text, text]),
    }
}

fn key_of(texts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for text in texts {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Line {
    /// Is it about an input?
    fn is_answer(&self) -> bool {
        self.input.is_some() || self.code.is_some() || self.code1.is_some()
    }

    /// The key of its input, and the answer. A problem is said in words.
    pub fn answer(&self) -> Result<(String, Result<Vec<f32>, Fault>), String> {
        let key = match (&self.input, &self.code, &self.code1, &self.code2, &self.text) {
            (Some(input), ..) if input.len() == 64 => input.to_ascii_lowercase(),
            (Some(_), ..) => return Err("`input` is not a SHA-256 in hexadecimal".to_owned()),
            (None, Some(code), None, None, None) => key_of(&[code]),
            (None, Some(code), None, None, Some(text)) => key_of(&[code, text]),
            (None, None, Some(one), Some(other), None) => key_of(&[one, other]),
            _ => return Err("it has neither `input` nor the texts of one: `code`, `code1` and `code2`".to_owned()),
        };
        let answer = match (&self.probabilities, &self.logits, &self.fault) {
            (None, None, Some(fault)) => Err(Fault::Failed(fault.clone())),
            (Some(shares), None, None) => shares_of(shares)?,
            (None, Some(logits), None) if !logits.is_empty() => finite(probabilities(logits, None)),
            _ => return Err("it has not one of `probabilities`, `logits` and `fault`".to_owned()),
        };
        Ok((key, answer))
    }
}

/// Probabilities as they were written, if they are some.
fn shares_of(shares: &[f32]) -> Result<Result<Vec<f32>, Fault>, String> {
    let sum: f32 = shares.iter().sum();
    match shares.iter().all(|share| (0.0..=1.0).contains(share)) && (sum - 1.0).abs() < 1e-2 {
        true => Ok(Ok(shares.to_vec())),
        false => Err("`probabilities` are not numbers from 0 to 1 that add up to 1: are they `logits`?".to_owned()),
    }
}

/// Opens a file of answers.
fn open(place: &str) -> Result<Box<dyn Model>, OpenError> {
    let path = Path::new(place);
    let bytes =
        read_up_to(path, LARGEST_WEIGHTS).map_err(|source| OpenError::Unreadable { path: path.to_owned(), source })?;
    let mut recorded = Recorded::read(&bytes).map_err(|problem| OpenError::Unusable {
        place: place.to_owned(),
        problem: format!("{problem}; `allotrope record` writes files of answers"),
    })?;
    let mut fingerprint = Fingerprint::default();
    fingerprint.add("answers", &bytes);
    recorded.identity =
        Identity { kind: "recorded".to_owned(), place: place.to_owned(), digest: fingerprint.finish(), varies: false };
    Ok(Box::new(recorded))
}

struct Recorded {
    identity: Identity,
    labels: Option<Vec<String>>,
    answers: HashMap<String, Result<Vec<f32>, Fault>>,
}

impl Recorded {
    fn read(bytes: &[u8]) -> Result<Recorded, String> {
        let (mut labels, mut answers, mut classes) = (None, HashMap::new(), None);
        let lines = bytes.split(|byte| *byte == b'\n').enumerate();
        for (number, bytes) in lines.filter(|(_, bytes)| !bytes.trim_ascii().is_empty()) {
            let problem = |problem: String| format!("line {}: {problem}", number + 1);
            let line: Line = serde_json::from_slice(bytes).map_err(|error| problem(error.to_string()))?;
            if line.labels.is_some() {
                labels = line.labels.clone();
            }
            if !line.is_answer() && (line.labels.is_some() || line.model.is_some()) {
                continue;
            }
            let (key, answer) = line.answer().map_err(problem)?;
            if let Ok(shares) = &answer {
                let wanted = *classes.get_or_insert(shares.len());
                if shares.len() != wanted {
                    return Err(problem(format!("it has {} classes, and those before it {wanted}", shares.len())));
                }
            }
            answers.insert(key, answer);
        }
        match answers.is_empty() {
            true => Err("it has no answers".to_owned()),
            false => {
                let identity =
                    Identity { kind: String::new(), place: String::new(), digest: String::new(), varies: false };
                Ok(Recorded { identity, labels, answers })
            }
        }
    }
}

impl Model for Recorded {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn labels(&self) -> Option<&[String]> {
        self.labels.as_deref()
    }

    fn takes_new_inputs(&self) -> bool {
        false
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        let answer = |input: &Input| match self.answers.get(&key(input)) {
            Some(answer) => Ok(Answer { prediction: Prediction::Classes(answer.clone()?), tokens: None }),
            None => Err(Fault::Unrecorded),
        };
        inputs.iter().map(answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use super::*;
    use crate::Code;

    fn code(text: &str) -> Code {
        Code { language: Language::C, text: text.to_owned() }
    }

    #[test]
    fn answers_are_found_by_texts_and_by_digests() {
        let pair = Input::Pair(code("int a;"), code("int b;"));
        let lines = format!(
            "{{\"labels\": [\"no\", \"yes\"]}}\n{{\"code\": \"int x;\", \"logits\": [0, 0]}}\n\n\
             {{\"input\": \"{}\", \"id\": \"a-b\", \"probabilities\": [0.25, 0.75]}}\n{{\"code\": \"int z;\", \"fault\": \"late\"}}\n",
            key(&pair)
        );
        let recorded = Recorded::read(lines.as_bytes()).unwrap();
        assert_eq!(recorded.labels().unwrap(), ["no", "yes"]);
        let inputs = [Input::Code(code("int x;")), pair, Input::Code(code("int y;")), Input::Code(code("int z;"))];
        let said = recorded.predict(&inputs);
        let shares = |at: usize| said[at].as_ref().unwrap().prediction.clone();
        assert_eq!(shares(0), Prediction::Classes(vec![0.5, 0.5]));
        assert_eq!(shares(1), Prediction::Classes(vec![0.25, 0.75]));
        assert_eq!(said[2], Err(Fault::Unrecorded));
        assert_eq!(said[3], Err(Fault::Failed("late".to_owned())));
        // Both texts count, and where the first ends.
        assert_ne!(key_of(&["ab", "c"]), key_of(&["a", "bc"]));
        assert_eq!(key_of(&[""]), "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc");
    }

    #[test]
    fn what_is_no_answer_is_refused_with_its_line() {
        for (lines, words) in [
            ("", "no answers"),
            (
                "{\"code\": \"x\", \"logits\": [1, 2, 3]}\n{\"code\": \"y\", \"logits\": [1, 2]}",
                "line 2: it has 2 classes",
            ),
            ("{\"code\": \"x\", \"probabilities\": [1, 2]}", "line 1: `probabilities`"),
            ("{\"input\": \"abc\", \"logits\": [1, 2]}", "line 1: `input`"),
            ("{\"id\": \"3\", \"logits\": [1, 2]}", "line 1: it has neither"),
            ("{\"code\": \"x\"}", "line 1: it has not one of"),
            ("{\"code\": \"x\", \"logits\": [1, 2", "line 1: EOF"),
        ] {
            let problem = Recorded::read(lines.as_bytes()).err().unwrap_or_default();
            assert!(problem.contains(words), "{lines}: {problem}");
        }
    }
}
