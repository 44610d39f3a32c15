//! Quantisation: a copy of a checkpoint whose matrices have eight or four bits a number.

use std::io::Write;
use std::path::{Path, PathBuf};

use model::huggingface::checkpoint::Checkpoint;
use model::weights::Weights;
use model::weights::quantised::{Bits, Quantised, SCALE, quantise as whole_numbers};
use safetensors::Dtype;
use safetensors::tensor::TensorView;

use crate::train::{TrainingError, durable::write};

/// A checkpoint that was written with fewer bits.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantisedCheckpoint {
    /// How many numbers it has, and how many of them have fewer bits now.
    pub numbers: usize,
    pub quantised: usize,
    /// The bytes of its weights in files before, now, and in memory, where vectors are numbers of 32 bits.
    pub before: u64,
    pub now: u64,
    pub loaded: u64,
}

/// The kinds of models whose weights can be quantised.
pub const KINDS: [&str; 3] = ["hf", "code2vec", "code2seq"];

/// Writes a copy of a checkpoint, such as `hf:DIR`, whose matrices have this number of bits. Vectors, which are biases and norms, have 16. Of four bits a matrix with
/// an odd number of columns has eight.
pub fn quantise(place: &str, bits: Bits, output: &Path) -> Result<QuantisedCheckpoint, TrainingError> {
    // A model of names looks its numbers up, and does so in 32 bits.
    let is_named = !matches!(place.split_once(':'), None | Some(("hf", _)));
    let (folder, weights) = match place.split_once(':') {
        Some((_, folder)) if is_named => (PathBuf::from(folder), Weights::of_folder(Path::new(folder))?),
        _ => {
            let checkpoint = Checkpoint::find(place.strip_prefix("hf:").unwrap_or(place))?;
            (checkpoint.folder().to_owned(), checkpoint.weights()?)
        }
    };
    let is_empty = std::fs::read_dir(output).map_or(true, |mut entries| entries.next().is_none());
    if !is_empty {
        return Err(TrainingError::NotEmpty(output.to_owned()));
    }
    let unwritable = |path: &Path, source| TrainingError::Unwritable { path: path.to_owned(), source };
    std::fs::create_dir_all(output).map_err(|source| unwritable(output, source))?;
    let mut arrays: Vec<(String, Dtype, Vec<usize>, Vec<u8>)> = Vec::new();
    let (mut all, mut quantised, mut loaded) = (0, 0, 0);
    for name in weights.names() {
        let shape = weights.shape(name).unwrap_or_default().to_vec();
        let numbers = weights.take(name, &shape)?;
        all += numbers.len();
        let [rows, columns] = shape[..] else {
            let bytes = numbers.iter().flat_map(|number| half::f16::from_f32(*number).to_le_bytes()).collect();
            arrays.push((name.to_owned(), Dtype::F16, shape, bytes));
            loaded += size_of_val(&numbers[..]);
            continue;
        };
        quantised += numbers.len();
        let own = if columns.is_multiple_of(2) { bits } else { Bits::Eight };
        let Quantised { bytes, scales } = whole_numbers(&numbers, columns, own);
        loaded += if is_named { size_of_val(&numbers[..]) } else { bytes.len() + size_of_val(&scales[..]) };
        let (kind, width) = match own {
            Bits::Eight => (Dtype::I8, columns),
            Bits::Four => (Dtype::U8, columns / 2),
        };
        arrays.push((name.to_owned(), kind, vec![rows, width], bytes));
        let scales = scales.iter().flat_map(|scale| scale.to_le_bytes()).collect();
        arrays.push((format!("{name}{SCALE}"), Dtype::F32, vec![rows], scales));
    }
    let mut before = 0;
    for path in files(&folder)? {
        let target = output.join(path.file_name().unwrap_or_default());
        if is_weights(&path) {
            before += path.metadata().map_or(0, |data| data.len());
        } else {
            std::fs::copy(&path, &target).map_err(|source| unwritable(&target, source))?;
        }
    }
    let path = output.join("model.safetensors");
    let written = || -> std::io::Result<()> {
        let mut views = Vec::new();
        for (name, kind, shape, bytes) in &arrays {
            let view = TensorView::new(*kind, shape.clone(), bytes).map_err(std::io::Error::other)?;
            views.push((name.as_str(), view));
        }
        let bytes = safetensors::serialize(views, None).map_err(std::io::Error::other)?;
        write(&path, |file| file.write_all(&bytes))
    };
    written().map_err(|source| unwritable(&path, source))?;
    let now = path.metadata().map_or(0, |data| data.len());
    Ok(QuantisedCheckpoint { numbers: all, quantised, before, now, loaded: loaded as u64 })
}

/// The files of a folder, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>, TrainingError> {
    let unreadable = |source| TrainingError::Unreadable { path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    let mut files =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    files.retain(|path| path.is_file());
    files.sort();
    Ok(files)
}

fn is_weights(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [".safetensors", ".safetensors.index.json", ".bin"].iter().any(|ending| name.ends_with(ending))
}
