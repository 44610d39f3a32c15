//! What the two path-context models share: their folder, plain matrices, and which method of an input they look at.
//!
//! A folder holds
//! - `model.safetensors`: the weights. A matrix that is applied to a vector has one row for each component of the
//!   vector and one column for each component of the result;
//! - `vocabulary.json`: an object with lists of words. The index of a word is the row of its embedding. Every list that is looked
//!   up contains `<unk>`, which stands for all other words;
//! - `config.json` (optional): an object with the settings below that differ from the defaults.
//!
//! A folder without `model.safetensors` may have a checkpoint as the models' authors released them, see `path_model/released.rs`.

mod pickled;
pub(super) mod released;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use kernels::Packed;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use syntax::Program;

use released::Released;

use crate::identity::Fingerprint;
use crate::mutation::{Change, Layout, Level, Listed};
use crate::paths::{Limits, Method, methods};
use crate::weights::Weights;
use crate::{Fault, Identity, Input, OpenError};

/// Stands for every word that is not in the vocabulary.
pub(super) const UNKNOWN: &str = "<unk>";

/// More contexts than a method of any length needs.
const MOST_CONTEXTS: usize = 1_000_000;

/// The settings of both models.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PathModelSettings {
    /// The maximum number of nodes of a path below its highest node.
    pub path_length: usize,
    /// The maximum distance of the two branches of a path, in children.
    pub path_width: usize,
    /// The maximum number of contexts per method.
    pub contexts: usize,
    /// Determines which contexts are drawn if a method has more.
    pub seed: u64,
    /// The number of names in an answer: code2vec's most probable ones, at most the beam of code2seq.
    pub names: usize,
    /// How many subtokens of a leaf code2seq reads.
    pub name_parts: usize,
    /// How many nodes of a path code2seq reads.
    pub path_nodes: usize,
    /// The maximum number of subtokens in code2seq's answers.
    pub target_parts: usize,
    /// The beam width of code2seq; one is greedy decoding.
    pub beam: usize,
    /// Does code2seq also attend to what fills up the contexts to their maximum number, whose score is 0?
    pub attends_to_padding: bool,
}

impl Default for PathModelSettings {
    fn default() -> PathModelSettings {
        let Limits { length, width, contexts, seed } = Limits::default();
        PathModelSettings {
            path_length: length,
            path_width: width,
            contexts,
            seed,
            names: 10,
            name_parts: 5,
            path_nodes: 9,
            target_parts: 6,
            beam: 1,
            attends_to_padding: false,
        }
    }
}

impl PathModelSettings {
    /// The method that the model looks at: the first of the program with contexts.
    pub fn method(&self, input: &Input) -> Result<Method, Fault> {
        let Input::Code(code) = input else {
            return Err(Fault::WrongInput { wanted: "one program", given: input.shape() });
        };
        let limits =
            Limits { length: self.path_length, width: self.path_width, contexts: self.contexts, seed: self.seed };
        let program = Program::parse(code.language, code.text.as_str());
        let mut found = methods(&program, &limits).into_iter();
        found.find(|method| !method.contexts.is_empty()).ok_or_else(|| {
            let problem = "the program has no method or function with path contexts: give one with a name and a body";
            Fault::Failed(problem.to_owned())
        })
    }
}

/// The files of a model.
pub(super) struct Folder {
    path: PathBuf,
    released: Option<Released>,
    weights: Weights,
    /// How the model differs from its files.
    pub change: Change,
    /// What the model is.
    pub identity: Identity,
    /// How it is used.
    pub settings: PathModelSettings,
}

impl Folder {
    /// Reads the files, but for the vocabulary. A place may have the options of [`Change`], with operators of these levels.
    pub fn open(
        kind: &str,
        place: &str,
        published: &'static released::Kind,
        (layers, levels): (&'static [Listed], &[Level]),
    ) -> Result<Folder, OpenError> {
        let (folder, options) = place.split_once('?').unwrap_or((place, ""));
        let unusable = |problem: String| OpenError::Unusable { place: format!("{kind}:{place}"), problem };
        let mut changes = Vec::new();
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let known = option.split_once('=').filter(|(key, _)| Change::OPTIONS.contains(key));
            let problem = || format!("unknown option `{option}`: use weights=f16, weights=int8 or mutate=OPERATOR");
            changes.push(known.ok_or_else(|| unusable(problem()))?);
        }
        let change = Change::read(&changes).map_err(unusable)?;
        change.check_levels(levels).map_err(unusable)?;
        let path = PathBuf::from(folder);
        let released = match path.join("model.safetensors").exists() {
            true => None,
            false => Released::find(published, &path)?,
        };
        let mut fingerprint = Fingerprint::default();
        fingerprint.add("kind", kind);
        if !change.is_none() {
            fingerprint.add("change", change.words());
        }
        let own = ["model.safetensors", "vocabulary.json"].map(|name| path.join(name));
        let files = match &released {
            None => own.to_vec(),
            Some(released) => released.files().map(Path::to_owned).into_iter().chain([released.numbers()]).collect(),
        };
        for file in &files {
            fingerprint.add_file(file)?;
        }
        let settings = released.as_ref().map_or(&*path, |released| released.folder()).join("config.json");
        let mut settings: PathModelSettings = match settings.exists() {
            true => {
                fingerprint.add_file(&settings)?;
                parsed(&settings)?
            }
            false => PathModelSettings::default(),
        };
        // The published decoder always does.
        settings.attends_to_padding |= released.is_some();
        for (name, value) in [
            ("contexts", settings.contexts),
            ("names", settings.names),
            ("beam", settings.beam),
            ("target_parts", settings.target_parts),
        ] {
            if value == 0 {
                let problem = format!("`{name}` is 0: it must be at least 1");
                return Err(OpenError::Unusable { place: path.join("config.json").display().to_string(), problem });
            }
        }
        if settings.contexts > MOST_CONTEXTS {
            let problem = format!("`contexts` is {}: it must be at most {MOST_CONTEXTS}", settings.contexts);
            return Err(OpenError::Unusable { place: path.join("config.json").display().to_string(), problem });
        }
        let layout = Layout::Listed(layers);
        let weights = match &released {
            None => Weights::read(&files[..1], layout, &change)?,
            Some(released) => released.weights(layout, &change)?,
        };
        let identity =
            Identity { kind: kind.to_owned(), place: place.to_owned(), digest: fingerprint.finish(), varies: false };
        Ok(Folder { path, released, weights, change, identity, settings })
    }

    /// The vocabulary.
    pub fn vocabulary<T: DeserializeOwned>(&self) -> Result<T, OpenError> {
        let Some(released) = &self.released else { return parsed(&self.path.join("vocabulary.json")) };
        serde_json::from_value(released.vocabulary(&self.weights)?)
            .map_err(|error| OpenError::Unusable { place: self.path.display().to_string(), problem: error.to_string() })
    }

    /// The words of one list with their places; the list must have the words of `needed`.
    pub fn words(&self, list: &str, words: &[String], needed: &[&str]) -> Result<HashMap<String, usize>, OpenError> {
        let place = || {
            let own = self.path.join("vocabulary.json");
            let file = self.released.as_ref().map_or(&*own, |released| released.files()[1]);
            format!("{}: the list `{list}`", file.display())
        };
        let places: HashMap<String, usize> = words.iter().cloned().zip(0..).collect();
        if places.len() < words.len() {
            return Err(OpenError::Unusable { place: place(), problem: "contains a word twice".to_owned() });
        }
        for word in needed {
            if !places.contains_key(*word) {
                return Err(OpenError::Unusable { place: place(), problem: format!("lacks the word `{word}`") });
            }
        }
        Ok(places)
    }

    /// A vector of the weights as one row, be it stored as a row or as a column.
    pub fn vector(&self, name: &str, length: usize) -> Result<Matrix, OpenError> {
        match self.weights.shape(name) {
            Some([rows, 1]) if *rows != 1 => {
                let values = self.matrix(name, Some(length), Some(1))?.values;
                Ok(Matrix { rows: 1, columns: length, values })
            }
            _ => self.matrix(name, Some(1), Some(length)),
        }
    }

    /// A matrix of the weights with the given number of rows and columns; `None` leaves a number open. A vector is one row.
    pub fn matrix(&self, name: &str, rows: Option<usize>, columns: Option<usize>) -> Result<Matrix, OpenError> {
        let unusable = |problem: String| self.weights.unusable(problem);
        let shape = self.weights.shape(name).ok_or_else(|| {
            unusable(format!("lacks the tensor `{name}`; it has {}", self.weights.names().join(", ")))
        })?;
        let (found_rows, found_columns) = match *shape {
            [columns] => (1, columns),
            [rows, columns] => (rows, columns),
            ref shape => {
                return Err(unusable(format!("the tensor `{name}` has the shape {shape:?} and must be a matrix")));
            }
        };
        if rows.is_some_and(|rows| rows != found_rows) || columns.is_some_and(|columns| columns != found_columns) {
            let shown = |wanted: Option<usize>| wanted.map_or("any".to_owned(), |wanted| wanted.to_string());
            return Err(unusable(format!(
                "the tensor `{name}` is {found_rows} x {found_columns}, but must be {} x {}",
                shown(rows),
                shown(columns)
            )));
        }
        Ok(Matrix { columns: found_columns, rows: found_rows, values: self.weights.take(name, shape)? })
    }
}

fn parsed<T: DeserializeOwned>(path: &Path) -> Result<T, OpenError> {
    let text =
        syntax::file::read_text(path).map_err(|source| OpenError::Unreadable { path: path.to_owned(), source })?;
    serde_json::from_str(&text)
        .map_err(|error| OpenError::Unusable { place: path.display().to_string(), problem: error.to_string() })
}

/// A matrix, row by row.
#[derive(Debug)]
pub(super) struct Matrix {
    pub rows: usize,
    pub columns: usize,
    values: Vec<f32>,
}

impl Matrix {
    pub(super) fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// The product of a row vector and this matrix.
    pub fn apply(&self, vector: &[f32]) -> Vec<f32> {
        let mut product = vec![0.0; self.columns];
        for (row, &factor) in vector.iter().enumerate() {
            for (sum, &weight) in product.iter_mut().zip(self.row(row)) {
                *sum += factor * weight;
            }
        }
        product
    }

    /// A layer of these weights, which many rows pass at once.
    pub fn packed(&self, bias: Option<&Matrix>) -> Packed {
        let columns: Vec<f32> =
            (0..self.columns).flat_map(|column| (0..self.rows).map(move |row| self.row(row)[column])).collect();
        Packed::new(&columns, bias.map(|bias| bias.row(0)), self.rows, self.columns)
    }

    /// The products of every row with a vector.
    pub fn dot_rows(&self, vector: &[f32]) -> Vec<f32> {
        (0..self.rows).map(|row| dot(self.row(row), vector)).collect()
    }
}

pub(super) fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// The sum of vectors, each by its weight.
pub(super) fn weighted_sum(vectors: &[Vec<f32>], weights: &[f32]) -> Vec<f32> {
    let mut sum = vec![0.0; vectors.first().map_or(0, Vec::len)];
    for (vector, weight) in vectors.iter().zip(weights) {
        for (total, value) in sum.iter_mut().zip(vector) {
            *total += weight * value;
        }
    }
    sum
}

#[cfg(test)]
pub(super) mod testing {
    use std::path::{Path, PathBuf};

    use safetensors::tensor::TensorView;
    use safetensors::{Dtype, serialize};
    use syntax::Language;

    use crate::{Code, Input, Model, Prediction};

    /// A folder with a small model, which is removed in the end.
    pub struct Scratch(pub PathBuf);

    impl Scratch {
        pub fn new(name: &str, tensors: &[(&str, &[usize], &[f32])], vocabulary: &str, config: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("allotrope-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            let bytes: Vec<Vec<u8>> = tensors
                .iter()
                .map(|(_, _, values)| values.iter().flat_map(|value| value.to_le_bytes()).collect())
                .collect();
            let views = tensors.iter().zip(&bytes).map(|((name, shape, _), bytes)| {
                ((*name).to_owned(), TensorView::new(Dtype::F32, shape.to_vec(), bytes).unwrap())
            });
            std::fs::write(path.join("model.safetensors"), serialize(views, None).unwrap()).unwrap();
            std::fs::write(path.join("vocabulary.json"), vocabulary).unwrap();
            std::fs::write(path.join("config.json"), config).unwrap();
            Scratch(path)
        }

        pub fn place(&self) -> &str {
            self.0.to_str().unwrap()
        }

        pub fn file(&self, name: &str) -> PathBuf {
            Path::new(&self.0).join(name)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).ok();
        }
    }

    pub fn java(text: &str) -> Input {
        Input::Code(Code { language: Language::Java, text: text.to_owned() })
    }

    pub fn names(model: &dyn Model, text: &str) -> Vec<(String, f32)> {
        let answer = model.predict(&[java(text)]).remove(0).unwrap();
        let Prediction::Names(names) = answer.prediction else { panic!("{answer:?}") };
        names
    }

    #[track_caller]
    pub fn assert_near(found: f32, expected: f32) {
        assert!((found - expected).abs() < 1e-5, "{found} is not {expected}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_multiply() {
        let matrix = Matrix { rows: 2, columns: 3, values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0] };
        assert_eq!(matrix.apply(&[1.0, 10.0]), [41.0, 52.0, 63.0]);
        assert_eq!(matrix.dot_rows(&[1.0, 0.0, 2.0]), [7.0, 16.0]);
        assert_eq!(weighted_sum(&[vec![1.0, 2.0], vec![3.0, 4.0]], &[0.5, 2.0]), [6.5, 9.0]);
    }
}
