//! The weights of a checkpoint: named arrays of numbers, from safetensors files or PyTorch's own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device, Tensor};

use crate::OpenError;
use crate::kernels::Packed;
use crate::mutation::{Change, Layout, Rounding};

/// Named arrays of numbers.
pub struct Weights {
    tensors: HashMap<String, Tensor>,
    place: PathBuf,
    layout: Layout,
    /// How the arrays that are handed out differ from those in the files.
    change: Change,
}

/// The files that hold weights, in the order in which they are looked for.
const FILES: [&str; 4] = ["model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "model.bin"];

impl Weights {
    /// The files with the weights of a checkpoint: the named one, or the first that is there, with its parts.
    pub fn files(folder: &Path, named: Option<&str>) -> Result<Vec<PathBuf>, OpenError> {
        let file = match named {
            Some(name) => folder.join(name),
            None => FILES.iter().map(|name| folder.join(name)).find(|file| file.exists()).ok_or_else(|| {
                OpenError::Missing(format!(
                    "{} holds no weights: looked for {}; name another file with `weights` in allotrope.toml",
                    folder.display(),
                    FILES.join(", ")
                ))
            })?,
        };
        if !file.to_string_lossy().ends_with(".index.json") {
            return Ok(vec![file]);
        }
        let unusable = |problem: String| OpenError::Unusable { place: file.display().to_string(), problem };
        let text = std::fs::read(&file).map_err(|source| OpenError::Unreadable { path: file.clone(), source })?;
        let index: serde_json::Value = serde_json::from_slice(&text).map_err(|error| unusable(error.to_string()))?;
        let map = index["weight_map"].as_object().ok_or_else(|| unusable("it has no `weight_map`".to_owned()))?;
        let mut parts: Vec<PathBuf> = map.values().filter_map(|part| Some(folder.join(part.as_str()?))).collect();
        parts.sort();
        parts.dedup();
        Ok(parts)
    }

    /// Reads files of weights, to be handed out with a change.
    pub fn read(files: &[PathBuf], layout: Layout, change: &Change) -> Result<Weights, OpenError> {
        let mut tensors = HashMap::new();
        for file in files {
            std::fs::metadata(file).map_err(|source| OpenError::Unreadable { path: file.clone(), source })?;
            let is_safetensors = file.extension().is_some_and(|ending| ending == "safetensors");
            let read = match is_safetensors {
                true => candle_core::safetensors::load(file, &Device::Cpu),
                false => candle_core::pickle::read_all(file).map(|list| list.into_iter().collect()),
            };
            let read: HashMap<String, Tensor> = read.map_err(|error| {
                let kind = if is_safetensors { "safetensors file" } else { "file of PyTorch 1.6 or later" };
                OpenError::Unusable { place: file.display().to_string(), problem: format!("it is no {kind}: {error}") }
            })?;
            tensors.extend(read);
        }
        Ok(Weights { tensors, place: files.first().cloned().unwrap_or_default(), layout, change: change.clone() })
    }

    /// The same weights, held by a device, with the change made once and for all.
    pub fn on(self, device: &Device) -> Result<Weights, OpenError> {
        let mut tensors = HashMap::with_capacity(self.tensors.len());
        for name in self.tensors.keys() {
            let tensor = self.tensor(name).and_then(|tensor| tensor.to_device(device));
            let missing = |error| OpenError::Missing(format!("the device cannot hold `{name}`: {error}"));
            tensors.insert(name.clone(), tensor.map_err(missing)?);
        }
        Ok(Weights { tensors, place: self.place, layout: self.layout, change: Change::default() })
    }

    /// Weights that no file holds.
    #[cfg(test)]
    pub fn of(tensors: HashMap<String, Tensor>) -> Weights {
        let (layout, change) = (Layout::Transformers, Change::default());
        Weights { tensors, place: PathBuf::from("test"), layout, change }
    }

    /// Is there an array of this name?
    pub fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// The part of a name that stands before a known end.
    pub fn prefix_of(&self, end: &str) -> Option<String> {
        let mut found: Vec<&str> = self.tensors.keys().filter_map(|name| name.strip_suffix(end)).collect();
        found.sort_by_key(|prefix| (prefix.len(), prefix.to_string()));
        found.first().map(|prefix| prefix.to_string())
    }

    /// The names of all arrays, in order.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.tensors.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// The shape of an array.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(name).map(|tensor| tensor.dims())
    }

    /// The numbers of an array of a known shape.
    pub fn take(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, OpenError> {
        let tensor = self.tensors.get(name).ok_or_else(|| self.missing(name))?;
        if tensor.dims() != shape {
            return Err(self.unusable(format!("`{name}` has the shape {:?}, not {shape:?}", tensor.dims())));
        }
        let numbers = self.numbers(name, tensor);
        let numbers = numbers.map_err(|error| self.unusable(format!("`{name}` cannot be read: {error}")))?;
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(at) => Err(self.unusable(format!("`{name}` holds a number that is not finite at place {at}"))),
            None => Ok(numbers),
        }
    }

    /// An array as candle has it.
    pub fn tensor(&self, name: &str) -> candle_core::Result<Tensor> {
        match self.tensors.get(name) {
            Some(tensor) if self.change.is_none() => tensor.to_dtype(DType::F32),
            Some(tensor) => Tensor::from_vec(self.numbers(name, tensor)?, tensor.shape(), &Device::Cpu),
            None => candle_core::bail!("there are no weights `{name}`"),
        }
    }

    /// The numbers of an array as they are handed out.
    fn numbers(&self, name: &str, tensor: &Tensor) -> candle_core::Result<Vec<f32>> {
        let read = match self.change.rounding {
            Some(Rounding::Half) => tensor.to_dtype(DType::F16)?.to_dtype(DType::F32)?,
            Some(Rounding::EightBits) | None => tensor.to_dtype(DType::F32)?,
        };
        let mut numbers = read.flatten_all()?.to_vec1::<f32>()?;
        let has = |name: &str| self.shape(name).map(<[usize]>::len);
        self.change.apply(self.layout, has, name, tensor.dims(), &mut numbers);
        Ok(numbers)
    }

    /// The linear layer of a name, `NAME.weight` and, where it has one, `NAME.bias`.
    pub fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Result<Packed, OpenError> {
        self.linear_of(&[name], inputs, outputs)
    }

    /// Several linear layers with the same input as one, their outputs one behind another.
    pub fn linear_of(&self, names: &[&str], inputs: usize, outputs: usize) -> Result<Packed, OpenError> {
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            let (own, own_bias) = self.layer(name, inputs, outputs)?;
            weights.extend(own);
            bias.extend(own_bias);
        }
        Ok(Packed::new(&weights, Some(&bias), inputs, outputs * names.len()))
    }

    /// The numbers of the linear layer of a name: a row of weights for every output, and the bias, zeros where there is none.
    pub fn layer(&self, name: &str, inputs: usize, outputs: usize) -> Result<(Vec<f32>, Vec<f32>), OpenError> {
        let weights = self.take(&format!("{name}.weight"), &[outputs, inputs])?;
        let name = format!("{name}.bias");
        let bias = if self.has(&name) { self.take(&name, &[outputs])? } else { vec![0.0; outputs] };
        Ok((weights, bias))
    }

    /// What is said when something is wrong with the weights.
    pub fn unusable(&self, problem: String) -> OpenError {
        OpenError::Unusable { place: self.place.display().to_string(), problem }
    }

    fn missing(&self, name: &str) -> OpenError {
        let end = name.rsplit('.').take(3).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join(".");
        let mut similar: Vec<&str> =
            self.tensors.keys().map(String::as_str).filter(|key| key.ends_with(&end)).collect();
        similar.sort_unstable();
        similar.truncate(3);
        let hint = match similar.is_empty() {
            true => "is it a checkpoint of another kind of model?".to_owned(),
            false => format!("it has {}; set `prefix` in allotrope.toml", similar.join(", ")),
        };
        self.unusable(format!("there are no weights `{name}`: {hint}"))
    }
}
