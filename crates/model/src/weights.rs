//! The weights of a checkpoint: named arrays of numbers, from safetensors files or PyTorch's own.

mod array;
mod matrix;
pub mod quantised;
mod tensorflow;
mod torch;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use array::{Array, NumberKind};
use half::f16;
use kernels::Packed;
pub use matrix::Matrix;
use safetensors::{Dtype, SafeTensors};
use syntax::file::{LARGEST_TEXT, read_up_to};

use crate::OpenError;
use crate::mutation::{Change, Layout, Rounding};

/// The maximum size of a file of weights.
pub(crate) const LARGEST_WEIGHTS: u64 = 1 << 38;

/// Named arrays of numbers.
pub struct Weights {
    arrays: HashMap<String, Array>,
    place: PathBuf,
    layout: Layout,
    /// How the arrays that are handed out differ from those in the files.
    change: Change,
}

impl Weights {
    /// The files that hold weights, in the order in which they are looked for.
    pub(crate) const FILES: [&str; 4] =
        ["model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "model.bin"];

    /// The files with the weights of a checkpoint: the named one, or the first that is there, with its parts.
    pub fn files(folder: &Path, named: Option<&str>) -> Result<Vec<PathBuf>, OpenError> {
        let file = match named {
            Some(name) => folder.join(name),
            None => {
                Weights::FILES.iter().map(|name| folder.join(name)).find(|file| file.exists()).ok_or_else(|| {
                    OpenError::Missing(format!(
                        "{} holds no weights: looked for {}; name another file with `weights` in allotrope.toml",
                        folder.display(),
                        Weights::FILES.join(", ")
                    ))
                })?
            }
        };
        if !file.to_string_lossy().ends_with(".index.json") {
            return Ok(vec![file]);
        }
        let unusable = |problem: String| OpenError::Unusable { place: file.display().to_string(), problem };
        let text =
            read_up_to(&file, LARGEST_TEXT).map_err(|source| OpenError::Unreadable { path: file.clone(), source })?;
        let index: serde_json::Value = serde_json::from_slice(&text).map_err(|error| unusable(error.to_string()))?;
        let map = index["weight_map"].as_object().ok_or_else(|| unusable("it has no `weight_map`".to_owned()))?;
        let mut parts: Vec<PathBuf> = map.values().filter_map(|part| Some(folder.join(part.as_str()?))).collect();
        parts.sort();
        parts.dedup();
        Ok(parts)
    }

    /// Reads the weights of a folder as they are.
    pub fn of_folder(folder: &Path) -> Result<Weights, OpenError> {
        Weights::read(&Weights::files(folder, None)?, Layout::Transformers, &Change::default())
    }

    /// Reads files of weights, to be handed out with a change.
    pub(crate) fn read(files: &[PathBuf], layout: Layout, change: &Change) -> Result<Weights, OpenError> {
        let mut arrays = HashMap::new();
        for file in files {
            let bytes = read_up_to(file, LARGEST_WEIGHTS)
                .map_err(|source| OpenError::Unreadable { path: file.clone(), source })?;
            let (kind, read) = match file.extension().is_some_and(|ending| ending == "safetensors") {
                true => ("safetensors file", read_safetensors(bytes)),
                false => ("file of PyTorch 1.6 or later", torch::read(bytes)),
            };
            let unusable = |problem| OpenError::Unusable {
                place: file.display().to_string(),
                problem: format!("it is not a valid {kind}: {problem}"),
            };
            arrays.extend(read.map_err(unusable)?);
        }
        Ok(Weights { arrays, place: files.first().cloned().unwrap_or_default(), layout, change: change.clone() })
    }

    /// Reads tensors of a checkpoint of TensorFlow, whose index this is, under other names: pairs of ours and of theirs.
    pub(crate) fn read_tensorflow(
        index: &Path,
        names: &[(&str, &str)],
        layout: Layout,
        change: &Change,
    ) -> Result<Weights, OpenError> {
        let wanted: Vec<&str> = names.iter().map(|(_, theirs)| *theirs).collect();
        let mut read = tensorflow::read(index, &wanted).map_err(|problem| OpenError::Unusable {
            place: index.display().to_string(),
            problem: format!("it is not the index of a checkpoint of TensorFlow for this kind of model: {problem}"),
        })?;
        let own = |(ours, theirs): &(&str, &str)| Some(((*ours).to_owned(), read.remove(*theirs)?));
        let arrays = names.iter().filter_map(own).collect();
        Ok(Weights { arrays, place: index.to_owned(), layout, change: change.clone() })
    }

    /// Replaces the numbers of an array, which the change of the model has not seen yet.
    pub(crate) fn convert(&mut self, name: &str, change: impl FnOnce(&mut [f32])) -> Result<(), OpenError> {
        let Some(array) = self.arrays.get(name) else { return Ok(()) };
        let (shape, mut numbers) = (array.shape().to_vec(), array.numbers());
        change(&mut numbers);
        let array = Array::of(shape, &numbers).map_err(|problem| self.unusable(format!("`{name}`: {problem}")))?;
        self.arrays.insert(name.to_owned(), array);
        Ok(())
    }

    /// Weights that no file holds: names, shapes and numbers.
    pub fn of(arrays: impl IntoIterator<Item = (String, Vec<usize>, Vec<f32>)>) -> Result<Weights, OpenError> {
        let place = PathBuf::from("weights without a file");
        let (layout, change) = (Layout::Transformers, Change::default());
        let mut weights = Weights { arrays: HashMap::new(), place, layout, change };
        for (name, shape, numbers) in arrays {
            let array =
                Array::of(shape, &numbers).map_err(|problem| weights.unusable(format!("`{name}`: {problem}")))?;
            weights.arrays.insert(name, array);
        }
        Ok(weights)
    }

    /// Is there an array of this name?
    pub fn has(&self, name: &str) -> bool {
        self.arrays.contains_key(name)
    }

    /// The part of a name that stands before a known end.
    pub fn prefix_of(&self, end: &str) -> Option<String> {
        let mut found: Vec<&str> = self.arrays.keys().filter_map(|name| name.strip_suffix(end)).collect();
        found.sort_by_key(|prefix| (prefix.len(), prefix.to_string()));
        found.first().map(|prefix| prefix.to_string())
    }

    /// The names of all arrays, in order.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.arrays.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// The shape of an array.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.arrays.get(name).map(Array::shape)
    }

    /// The numbers of an array of a known shape.
    pub fn take(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, OpenError> {
        let numbers = self.numbers(name, self.array(name, shape)?);
        self.finite(name, &numbers)?;
        Ok(numbers)
    }

    /// A matrix of a known shape, in as few bits as its file has for it.
    pub fn matrix(&self, name: &str, [rows, columns]: [usize; 2]) -> Result<Matrix, OpenError> {
        let whole = self.array(name, &[rows, columns])?.whole().filter(|_| self.change.is_none());
        match whole {
            Some(whole) => {
                self.finite(name, &whole.scales)?;
                Ok(Matrix::whole(whole, columns))
            }
            None => Ok(Matrix::full(self.take(name, &[rows, columns])?, columns)),
        }
    }

    fn array(&self, name: &str, shape: &[usize]) -> Result<&Array, OpenError> {
        let array = self.arrays.get(name).ok_or_else(|| self.missing(name))?;
        if array.shape() != shape {
            let hint = self.configuration().map_or_else(String::new, |lines| {
                format!(
                    ". If config.json describes another model, an allotrope.toml beside it may say what is right; by their shapes these \
                     weights have\n\n[config]\n{lines}"
                )
            });
            return Err(self.unusable(format!("`{name}` has the shape {:?}, not {shape:?}{hint}", array.shape())));
        }
        Ok(array)
    }

    fn finite(&self, name: &str, numbers: &[f32]) -> Result<(), OpenError> {
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(at) => Err(self.unusable(format!("`{name}` contains a non-finite number at index {at}"))),
            None => Ok(()),
        }
    }

    /// The numbers of an array as they are handed out: rounded and mutated where the model's name says so.
    fn numbers(&self, name: &str, array: &Array) -> Vec<f32> {
        let mut numbers = array.numbers();
        if self.change.rounding == Some(Rounding::Half) {
            numbers.iter_mut().for_each(|number| *number = f16::from_f32(*number).to_f32());
        }
        let has = |name: &str| self.shape(name).map(<[usize]>::len);
        self.change.apply(self.layout, has, name, array.shape(), &mut numbers);
        numbers
    }

    /// The linear layer of a name, `NAME.weight` and, where it has one, `NAME.bias`.
    pub fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Result<Packed, OpenError> {
        self.linear_of(&[name], inputs, outputs)
    }

    /// Several linear layers with the same input as one, their outputs one after another.
    pub fn linear_of(&self, names: &[&str], inputs: usize, outputs: usize) -> Result<Packed, OpenError> {
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            weights.push(self.matrix(&format!("{name}.weight"), [outputs, inputs])?);
            bias.extend(self.bias(name, outputs)?);
        }
        Ok(Matrix::packed_together(&weights.iter().collect::<Vec<_>>(), Some(&bias)))
    }

    /// The numbers of the linear layer of a name: a row of weights for every output, and the bias, zeros without one.
    pub fn layer(&self, name: &str, inputs: usize, outputs: usize) -> Result<(Vec<f32>, Vec<f32>), OpenError> {
        Ok((self.take(&format!("{name}.weight"), &[outputs, inputs])?, self.bias(name, outputs)?))
    }

    fn bias(&self, name: &str, outputs: usize) -> Result<Vec<f32>, OpenError> {
        let name = format!("{name}.bias");
        if self.has(&name) { self.take(&name, &[outputs]) } else { Ok(vec![0.0; outputs]) }
    }

    /// The sizes of a RoBERTa encoder with these weights, as lines of a configuration.
    fn configuration(&self) -> Option<String> {
        let find = |end: &str| self.prefix_of(end).and_then(|prefix| self.shape(&format!("{prefix}{end}")));
        let [vocabulary, hidden] = find("embeddings.word_embeddings.weight")? else { return None };
        let mut lines = format!("vocab_size = {vocabulary}\nhidden_size = {hidden}\n");
        let mut add = |key: &str, value: Option<usize>| {
            if let Some(value) = value {
                lines.push_str(&format!("{key} = {value}\n"));
            }
        };
        add("intermediate_size", find("layer.0.intermediate.dense.weight").and_then(|shape| shape.first().copied()));
        let layer = |name: &&str| name.split_once("encoder.layer.")?.1.split('.').next()?.parse::<usize>().ok();
        add("num_hidden_layers", self.names().iter().filter_map(layer).max().map(|last| last + 1));
        let positions = find("embeddings.position_embeddings.weight");
        add("max_position_embeddings", positions.and_then(|shape| shape.first().copied()));
        let types = find("embeddings.token_type_embeddings.weight");
        add("type_vocab_size", types.and_then(|shape| shape.first().copied()));
        Some(lines)
    }

    /// What is said when something is wrong with the weights.
    pub(crate) fn unusable(&self, problem: String) -> OpenError {
        OpenError::Unusable { place: self.place.display().to_string(), problem }
    }

    fn missing(&self, name: &str) -> OpenError {
        let end = name.rsplit('.').take(3).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join(".");
        let mut similar: Vec<&str> = self.arrays.keys().map(String::as_str).filter(|key| key.ends_with(&end)).collect();
        similar.sort_unstable();
        similar.truncate(3);
        let hint = match similar.is_empty() {
            true => "is it a checkpoint of another kind of model?".to_owned(),
            false => format!("it has {}; set `prefix` in allotrope.toml", similar.join(", ")),
        };
        self.unusable(format!("there are no weights `{name}`: {hint}"))
    }
}

fn read_safetensors(bytes: Vec<u8>) -> Result<HashMap<String, Array>, String> {
    let bytes = Arc::new(bytes);
    let tensors = SafeTensors::deserialize(&bytes).map_err(|error| error.to_string())?;
    let mut arrays = HashMap::new();
    for (name, tensor) in tensors.iter() {
        let kind = match tensor.dtype() {
            Dtype::F64 => NumberKind::F64,
            Dtype::F32 => NumberKind::F32,
            Dtype::F16 => NumberKind::F16,
            Dtype::BF16 => NumberKind::Bf16,
            Dtype::I64 => NumberKind::I64,
            Dtype::I32 => NumberKind::I32,
            Dtype::I16 => NumberKind::I16,
            Dtype::I8 => NumberKind::I8,
            Dtype::U8 | Dtype::BOOL => NumberKind::U8,
            other => return Err(format!("the numbers of `{name}` are {other:?}, which is not known")),
        };
        let start = tensor.data().as_ptr().addr() - bytes.as_ptr().addr();
        let array = Array::new(Arc::clone(&bytes), start, kind, tensor.shape().to_vec());
        arrays.insert(name.to_owned(), array.map_err(|problem| format!("`{name}`: {problem}"))?);
    }
    quantised::with_scales(&mut arrays)?;
    Ok(arrays)
}
