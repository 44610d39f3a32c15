//! `onnx:FILE`: a classifier in an ONNX file.
//!
//! `allotrope.toml` beside FILE, or a file elsewhere (`onnx:FILE?settings=FILE`), describes how an input becomes the arrays
//! of the graph, and what its output means. By default FILE is a classifier that transformers exported, with `config.json`
//! and the vocabulary beside it. `fixtures/checkpoints/magika.toml` describes Magika's model.
//!
//! The graph is run by ONNX Runtime, in builds with the feature `onnxruntime`. ORT_DYLIB_PATH names its library, unless the
//! system finds it. Every input is computed separately, so that an answer depends on its input alone.

mod bytes;
mod engine;
mod external;
mod output;
#[cfg(feature = "onnxruntime")]
mod runtime;
mod settings;
mod tokens;

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use syntax::file::read_up_to;

use super::Kind;
use crate::adapters::answers::texts;
use crate::huggingface::settings::Shape;
use crate::identity::Fingerprint;
use crate::weights::LARGEST_WEIGHTS;
use crate::{Answer, Fault, Identity, Input, Model, OpenError, Prediction, Tokens};
use engine::{Engine, Row, Slot};
use output::OutputReader;
use settings::{Bytes, OnnxSettings};
use tokens::TokenReader;

/// How models of this kind are named and opened.
pub(super) const KIND: Kind = Kind {
    name: "onnx",
    place: "FILE[?settings=FILE]",
    about: "a classifier in an ONNX file (in builds with the feature onnxruntime)",
    is_outside: false,
    label: super::last_of_path,
    levels: &[],
    open,
};

/// Opens a file.
fn open(place: &str) -> Result<Box<dyn Model>, OpenError> {
    let Place { file, settings: settings_file } = Place::read(place)?;
    // What is missing in this build is said before anything that is wrong with files.
    let engine = Engine::open(&file)?;
    let settings = settings_file.as_deref().map(OnnxSettings::read).transpose()?.unwrap_or_default();
    let mut fingerprint = Fingerprint::default();
    add_weights(&mut fingerprint, &file)?;
    let reader = Reader::open(&file, &settings, settings_file.as_deref(), engine.inputs(), &mut fingerprint)?;
    let output = OutputReader::open(&file, &settings, engine.outputs())?;
    let identity =
        Identity { kind: "onnx".to_owned(), place: place.to_owned(), digest: fingerprint.finish(), varies: false };
    Ok(Box::new(Graph { identity, engine, reader, output }))
}

/// A graph, and what stands before and after it.
struct Graph {
    identity: Identity,
    engine: Engine,
    reader: Reader,
    output: OutputReader,
}

impl Model for Graph {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        let answer = |input: &Input| {
            let (arrays, tokens) = self.reader.read(input)?;
            let array = self.engine.run(&arrays, &self.output.name)?;
            let prediction = Prediction::Classes(self.output.read(array)?);
            Ok(Answer { prediction, tokens: Some(tokens) })
        };
        inputs.par_iter().map(answer).collect()
    }
}

/// What stands after `onnx:`.
struct Place {
    file: PathBuf,
    settings: Option<PathBuf>,
}

impl Place {
    fn read(place: &str) -> Result<Place, OpenError> {
        let (file, parameter) =
            place.split_once('?').map_or((place, None), |(file, parameter)| (file, Some(parameter)));
        let file = PathBuf::from(file);
        let settings = match parameter.map(|parameter| parameter.strip_prefix("settings=")) {
            None => Some(file.with_file_name("allotrope.toml")).filter(|beside| beside.is_file()),
            Some(Some(named)) => Some(PathBuf::from(named)),
            Some(None) => {
                let problem = "only `settings` may follow the question mark: onnx:FILE?settings=FILE".to_owned();
                return Err(OpenError::Unusable { place: format!("onnx:{place}"), problem });
            }
        };
        Ok(Place { file, settings })
    }
}

/// Takes in a file and those beside it that hold its weights.
fn add_weights(fingerprint: &mut Fingerprint, file: &Path) -> Result<(), OpenError> {
    let bytes =
        read_up_to(file, LARGEST_WEIGHTS).map_err(|source| OpenError::Unreadable { path: file.to_owned(), source })?;
    let files = external::files(&bytes).ok_or_else(|| OpenError::Unusable {
        place: file.display().to_string(),
        problem: "it is not an ONNX file".to_owned(),
    })?;
    fingerprint.add_file(file)?;
    files.iter().try_for_each(|name| fingerprint.add_file(&file.with_file_name(name)))
}

/// Makes the inputs of a graph out of an input.
enum Reader {
    Bytes { settings: Bytes, name: String },
    Tokens(Box<TokenReader>),
}

impl Reader {
    /// Compares what the settings give with what the graph takes.
    fn open(
        file: &Path,
        settings: &OnnxSettings,
        settings_file: Option<&Path>,
        slots: &[Slot],
        fingerprint: &mut Fingerprint,
    ) -> Result<Reader, OpenError> {
        let reader = match settings.bytes.clone() {
            None => Reader::Tokens(Box::new(TokenReader::open(file, settings, settings_file, slots, fingerprint)?)),
            Some(bytes) => {
                if let Some(file) = settings_file {
                    fingerprint.add_file(file)?;
                }
                let only = || slots.first().map(|slot| slot.name.clone());
                let name = bytes.name.clone().or_else(only).unwrap_or_default();
                Reader::Bytes { settings: bytes, name }
            }
        };
        check_inputs(&reader.names(), reader.length(), slots)
            .map_err(|problem| OpenError::Unusable { place: file.display().to_string(), problem })?;
        Ok(reader)
    }

    fn names(&self) -> Vec<&str> {
        match self {
            Reader::Bytes { name, .. } => vec![name],
            Reader::Tokens(tokens) => tokens.names(),
        }
    }

    /// The length of every row that is given, where it is fixed.
    fn length(&self) -> Option<usize> {
        match self {
            Reader::Bytes { settings, .. } => Some(settings.beginning + settings.end),
            Reader::Tokens(tokens) => tokens.length(),
        }
    }

    fn read(&self, input: &Input) -> Result<(Vec<Row>, Tokens), Fault> {
        match self {
            Reader::Bytes { settings, name } => {
                let (numbers, tokens) = bytes::numbers(settings, texts(Shape::Code, input)?[0])?;
                Ok((vec![(name.clone(), numbers)], tokens))
            }
            Reader::Tokens(tokens) => tokens.read(input),
        }
    }
}

/// Does a graph take exactly the inputs that it will be given, each one row of the right length?
fn check_inputs(given: &[&str], length: Option<usize>, slots: &[Slot]) -> Result<(), String> {
    let listed = slots.iter().map(|slot| format!("`{}`", slot.name)).collect::<Vec<_>>().join(", ");
    if let Some(name) = given.iter().find(|name| slots.iter().all(|slot| slot.name != **name)) {
        return Err(format!(
            "it has no input `{name}`, but {listed}: name them in the settings, under [tokens] or [bytes]"
        ));
    }
    for slot in slots {
        let name = &slot.name;
        if !given.contains(&name.as_str()) {
            return Err(format!("its input `{name}` is not one of those that can be given: {}", given.join(", ")));
        }
        match (slot.shape.as_deref(), length) {
            (None | Some([None | Some(1), None]), _) => {}
            (Some([None | Some(1), Some(wanted)]), Some(length)) if *wanted == length => {}
            (Some([None | Some(1), Some(wanted)]), Some(length)) => {
                return Err(format!("its input `{name}` has {wanted} numbers, but the settings give {length}"));
            }
            (Some(shape), _) => {
                let shown: Vec<String> =
                    shape.iter().map(|length| length.map_or("?".to_owned(), |length| length.to_string())).collect();
                return Err(format!("its input `{name}` has the shape [{}], and not that of rows", shown.join(", ")));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(name: &str, shape: &[Option<usize>]) -> Slot {
        Slot { name: name.to_owned(), shape: Some(shape.to_vec()) }
    }

    fn check_refused(given: &[&str], length: Option<usize>, slots: &[Slot], words: &str) {
        let problem = check_inputs(given, length, slots).expect_err(words);
        assert!(problem.contains(words), "{problem}");
    }

    #[test]
    fn a_graph_gets_exactly_what_it_takes() {
        let any = [slot("ids", &[None, None]), slot("mask", &[Some(1), None])];
        assert!(check_inputs(&["ids", "mask"], None, &any).is_ok());
        assert!(check_inputs(&["x"], None, &[Slot { name: "x".to_owned(), shape: None }]).is_ok());
        check_refused(&["ids", "mask", "types"], None, &any, "it has no input `types`, but `ids`, `mask`");
        check_refused(&["ids"], None, &any, "its input `mask` is not one of those that can be given: ids");
        let fixed = [slot("bytes", &[None, Some(8)])];
        assert!(check_inputs(&["bytes"], Some(8), &fixed).is_ok());
        check_refused(&["bytes"], Some(9), &fixed, "has 8 numbers, but the settings give 9");
        check_refused(&["x"], None, &[slot("x", &[Some(2), None])], "[2, ?]");
        check_refused(&["x"], None, &[slot("x", &[None, None, Some(3)])], "[?, ?, 3]");
        check_refused(&["x"], None, &[], "it has no input `x`");
    }

    #[test]
    fn settings_stand_behind_the_file() {
        let place = Place::read("a/b.onnx?settings=c.toml").unwrap();
        assert_eq!((place.file, place.settings), (PathBuf::from("a/b.onnx"), Some(PathBuf::from("c.toml"))));
        assert!(Place::read("b.onnx").unwrap().settings.is_none());
        let error = Place::read("b.onnx?setings=c").err().unwrap().to_string();
        assert!(error.contains("onnx:FILE?settings=FILE"), "{error}");
    }

    #[test]
    fn a_file_that_is_none_is_refused() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let error = add_weights(&mut Fingerprint::default(), &file).unwrap_err().to_string();
        assert!(error.ends_with("it is not an ONNX file"), "{error}");
        let error = add_weights(&mut Fingerprint::default(), Path::new("nowhere.onnx")).unwrap_err().to_string();
        assert!(error.contains("nowhere.onnx"), "{error}");
    }
}
