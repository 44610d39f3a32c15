//! Checkpoints of TensorFlow, in the format that `tf.train.Saver` has written since 1.0.
//!
//! `NAME.index` is a sorted table (see `table.rs`) with a message for every tensor: its kind of number, its shape, and where its bytes are in
//! `NAME.data-00000-of-00001`. Only the tensors that are wanted are read, so that the state of an optimiser costs nothing. Check sums are not
//! compared; a file that is cut off is noticed, because every place is compared with the size of its file.

mod table;

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use syntax::file::{LARGEST_TEXT, read_up_to};

use super::array::{Array, NumberKind};

/// Names that an error shows.
const MOST_SHOWN: usize = 12;

/// Reads the tensors of these names from the checkpoint with this index.
pub(super) fn read(index: &Path, wanted: &[&str]) -> Result<HashMap<String, Array>, String> {
    let bytes = read_up_to(index, LARGEST_TEXT).map_err(|error| error.to_string())?;
    let (mut found, mut others, mut shards) = (HashMap::new(), Vec::new(), None);
    table::for_each(&bytes, |key, value| {
        if key.is_empty() {
            shards = Some(shards_of(value)?);
            return Ok(());
        }
        let name = String::from_utf8_lossy(key).into_owned();
        if wanted.contains(&name.as_str()) {
            let entry = Entry::read(value).map_err(|problem| format!("`{name}`: {problem}"))?;
            found.insert(name, entry);
        } else if others.len() < MOST_SHOWN {
            others.push(name);
        }
        Ok(())
    })?;
    let shards = shards.ok_or("it does not say how many files of data there are")?;
    let mut arrays = HashMap::new();
    for name in wanted {
        let entry = found.remove(*name);
        let entry = entry.ok_or_else(|| format!("it lacks the tensor `{name}`; it has {}", others.join(", ")))?;
        let array = entry.array(index, shards).map_err(|problem| format!("`{name}`: {problem}"))?;
        arrays.insert((*name).to_owned(), array);
    }
    Ok(arrays)
}

/// The number of files of data, from the message without a name.
fn shards_of(message: &[u8]) -> Result<u64, String> {
    let mut shards = 1;
    for field in fields(message) {
        match field? {
            (1, Field::Number(number)) => shards = number,
            (2, Field::Number(1)) => return Err("its numbers are big-endian".to_owned()),
            _ => (),
        }
    }
    Ok(shards)
}

/// Where a tensor is.
struct Entry {
    kind: NumberKind,
    shape: Vec<usize>,
    shard: u64,
    offset: u64,
    size: u64,
}

impl Entry {
    fn read(message: &[u8]) -> Result<Entry, String> {
        let (mut kind, mut shape, mut shard, mut offset, mut size) = (None, Vec::new(), 0, 0, 0);
        for field in fields(message) {
            match field? {
                (1, Field::Number(number)) => kind = Some(kind_of(number)?),
                (2, Field::Bytes(bytes)) => shape = shape_of(bytes)?,
                (3, Field::Number(number)) => shard = number,
                (4, Field::Number(number)) => offset = number,
                (5, Field::Number(number)) => size = number,
                (7, _) => return Err("it is divided into slices, as large models on several machines are".to_owned()),
                _ => (),
            }
        }
        Ok(Entry { kind: kind.ok_or("it has no kind of number")?, shape, shard, offset, size })
    }

    fn array(self, index: &Path, shards: u64) -> Result<Array, String> {
        let path = data_of(index, self.shard, shards);
        let unreadable = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut file = File::open(&path).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        if self.offset.checked_add(self.size).is_none_or(|end| end > length) {
            return Err(format!("it does not fit into {}: is the file complete?", path.display()));
        }
        let count = self.shape.iter().try_fold(self.kind.size(), |count, size| count.checked_mul(*size));
        // An array without numbers could have any number of rows.
        if self.size == 0 || count.is_none_or(|count| count as u64 != self.size) {
            return Err(format!("{} bytes are no array of the shape {:?}", self.size, self.shape));
        }
        file.seek(SeekFrom::Start(self.offset)).map_err(unreadable)?;
        // No larger than the file is.
        let mut bytes = vec![0; self.size as usize];
        file.read_exact(&mut bytes).map_err(unreadable)?;
        Array::new(Arc::new(bytes), 0, self.kind, self.shape)
    }
}

/// The file of data of a number.
fn data_of(index: &Path, shard: u64, shards: u64) -> PathBuf {
    index.with_extension(format!("data-{shard:05}-of-{shards:05}"))
}

fn kind_of(number: u64) -> Result<NumberKind, String> {
    Ok(match number {
        1 => NumberKind::F32,
        2 => NumberKind::F64,
        3 => NumberKind::I32,
        4 => NumberKind::U8,
        5 => NumberKind::I16,
        6 => NumberKind::I8,
        9 => NumberKind::I64,
        14 => NumberKind::Bf16,
        19 => NumberKind::F16,
        other => return Err(format!("its numbers have the kind {other}, which weights do not have")),
    })
}

fn shape_of(message: &[u8]) -> Result<Vec<usize>, String> {
    let mut shape = Vec::new();
    for field in fields(message) {
        let (2, Field::Bytes(dimension)) = field? else { continue };
        let mut size = 0;
        for field in fields(dimension) {
            if let (1, Field::Number(number)) = field? {
                size = usize::try_from(number).map_err(|_| "its shape is impossible")?;
            }
        }
        shape.push(size);
    }
    Ok(shape)
}

/// A value in a message of protocol buffers.
enum Field<'m> {
    Number(u64),
    Bytes(&'m [u8]),
    /// Four or eight bytes, which nothing here needs.
    Fixed,
}

/// The fields of a message with their numbers.
fn fields(message: &[u8]) -> impl Iterator<Item = Result<(u64, Field<'_>), String>> {
    let mut rest = message;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let field = field(&mut rest);
        if field.is_err() {
            rest = &[];
        }
        Some(field)
    })
}

fn field<'m>(rest: &mut &'m [u8]) -> Result<(u64, Field<'m>), String> {
    let tag = table::varint(rest)?;
    let value = match tag & 7 {
        0 => Field::Number(table::varint(rest)?),
        2 => {
            let length = table::varint(rest)?;
            Field::Bytes(table::taken(rest, length)?)
        }
        1 => table::taken(rest, 8).map(|_| Field::Fixed)?,
        5 => table::taken(rest, 4).map(|_| Field::Fixed)?,
        other => return Err(format!("a message has a field of the kind {other}")),
    };
    Ok((tag >> 3, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fixtures/checkpoints/released/code2vec/saved_model_iter1.index")
    }

    #[test]
    fn wanted_tensors_are_read_and_others_are_named() {
        let arrays = read(&fixture(), &["model/TRANSFORM", "model/ATTENTION"]).unwrap();
        assert_eq!(arrays["model/TRANSFORM"].shape(), [9, 4]);
        assert_eq!(arrays["model/ATTENTION"].shape(), [4, 1]);
        assert!(arrays.values().all(|array| array.numbers().iter().all(|number| number.is_finite() && *number != 0.0)));
        let problem = read(&fixture(), &["model/OTHER"]).err().unwrap();
        assert!(problem.contains("lacks the tensor `model/OTHER`; it has model/ATTENTION"), "{problem}");
    }

    #[test]
    fn a_checkpoint_that_is_cut_or_changed_is_refused_and_never_a_panic() {
        let folder = std::env::temp_dir().join(format!("allotrope-tensorflow-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (index, data) = (folder.join("a.index"), folder.join("a.data-00000-of-00001"));
        let (whole, numbers) = (
            std::fs::read(fixture()).unwrap(),
            std::fs::read(fixture().with_extension("data-00000-of-00001")).unwrap(),
        );
        let wanted = ["model/TRANSFORM", "model/WORDS_VOCAB"];
        std::fs::write(&data, &numbers).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&index, &whole[..length]).unwrap();
            assert!(read(&index, &wanted).is_err(), "{length}");
        }
        for at in 0..whole.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut broken = whole.clone();
                broken[at] = byte;
                std::fs::write(&index, &broken).unwrap();
                drop(read(&index, &wanted));
            }
        }
        std::fs::write(&index, &whole).unwrap();
        assert!(read(&index, &wanted).is_ok());
        std::fs::write(&data, &numbers[..numbers.len() / 2]).unwrap();
        let problem = read(&index, &["model/ATTENTION", "model/PATHS_VOCAB", "model/TRANSFORM"]).err().unwrap();
        assert!(problem.contains("is the file complete?"), "{problem}");
        std::fs::remove_file(&data).unwrap();
        assert!(read(&index, &wanted).err().unwrap().contains("a.data-00000-of-00001"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
