//! Models as their authors released them: checkpoints of TensorFlow with pickled dictionaries.
//!
//! | file | code2vec | code2seq |
//! |---|---|---|
//! | `NAME.index`, `NAME.data-00000-of-00001` | the tensors | the same |
//! | dictionaries | `dictionaries.bin`: words with their rows, of leaves, names and paths | `NAME.dict`: of subtokens, words of names and nodes |
//! | where they are missing | the only `*.dict.c2v` beside it: counts of leaves, paths and names | the only `*.dict.c2s`: of subtokens, nodes and words of names |
//!
//! A dictionary has the row of every word but the special ones, which come first: padding and what is unknown, as one row or as two. From
//! counts the rows are found as the published programs find them: the most frequent words, of equal ones the first of the file, as many as
//! the tensor has rows.
//!
//! The gates of TensorFlow's LSTMs are those of input, cell, forget and output, and 1 is added to the one that forgets.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, json};
use syntax::file::read_up_to;

use super::UNKNOWN;
use super::pickled::{self, Value};
use crate::OpenError;
use crate::mutation::{Change, Layout};
use crate::weights::{LARGEST_WEIGHTS, Weights};

/// Which tensors and dictionaries a kind of model has.
pub struct Kind {
    /// Our names of the tensors, and the published ones.
    pub tensors: &'static [(&'static str, &'static str)],
    /// The first parts of the names of LSTMs.
    pub recurrent: &'static [&'static str],
    /// The lists of the vocabulary, in the order of the dictionaries, with the tensor that has a row for each word.
    pub lists: &'static [List],
    /// The order of the lists in files of counts.
    pub counted: &'static [usize],
    /// How the file of dictionaries is called: this, or the name of the checkpoint with this ending.
    pub dictionaries: &'static str,
    /// How files of counts end.
    pub counts: &'static str,
}

/// A list of words.
pub struct List {
    pub name: &'static str,
    pub tensor: &'static str,
    /// The words of the first rows, where counts are all that is known.
    pub special: &'static [&'static str],
}

/// As tech-srl/code2vec has it.
pub const CODE2VEC: Kind = Kind {
    tensors: &[
        ("tokens", "model/WORDS_VOCAB"),
        ("paths", "model/PATHS_VOCAB"),
        ("names", "model/TARGET_WORDS_VOCAB"),
        ("transform", "model/TRANSFORM"),
        ("attention", "model/ATTENTION"),
    ],
    recurrent: &[],
    lists: &[
        List { name: "tokens", tensor: "tokens", special: &[UNKNOWN] },
        List { name: "names", tensor: "names", special: &[UNKNOWN] },
        List { name: "paths", tensor: "paths", special: &[UNKNOWN] },
    ],
    counted: &[0, 2, 1],
    dictionaries: "dictionaries.bin",
    counts: ".dict.c2v",
};

/// As tech-srl/code2seq has it, with memories in both directions and one in the decoder.
pub const CODE2SEQ: Kind = Kind {
    tensors: &[
        ("subtokens", "model/SUBTOKENS_VOCAB"),
        ("nodes", "model/NODES_VOCAB"),
        ("targets", "model/TARGET_WORDS_VOCAB"),
        ("forward.weight", "model/bidirectional_rnn/fw/lstm_cell/kernel"),
        ("forward.bias", "model/bidirectional_rnn/fw/lstm_cell/bias"),
        ("backward.weight", "model/bidirectional_rnn/bw/lstm_cell/kernel"),
        ("backward.bias", "model/bidirectional_rnn/bw/lstm_cell/bias"),
        ("transform", "model/dense/kernel"),
        ("keys", "model/memory_layer/kernel"),
        ("decoder.weight", "model/decoder/attention_wrapper/multi_rnn_cell/cell_0/lstm_cell/kernel"),
        ("decoder.bias", "model/decoder/attention_wrapper/multi_rnn_cell/cell_0/lstm_cell/bias"),
        ("attention", "model/decoder/attention_wrapper/attention_layer/kernel"),
        ("output", "model/decoder/dense/kernel"),
    ],
    recurrent: &["forward", "backward", "decoder"],
    lists: &[
        List { name: "subtokens", tensor: "subtokens", special: &[PAD, UNKNOWN] },
        List { name: "targets", tensor: "targets", special: &[PAD, UNKNOWN, "<s>"] },
        List { name: "nodes", tensor: "nodes", special: &[PAD, UNKNOWN] },
    ],
    counted: &[0, 2, 1],
    dictionaries: ".dict",
    counts: ".dict.c2s",
};

/// What fills rows that are too short, and ends a name.
const PAD: &str = "<pad>";

/// The files of a released model.
pub struct Released {
    kind: &'static Kind,
    index: PathBuf,
    dictionaries: Dictionaries,
}

enum Dictionaries {
    Rows(PathBuf),
    Counts(PathBuf),
}

impl Released {
    /// The files of a checkpoint, which a place names by its folder, or by the part of its name that all files have; `None` if there is no
    /// checkpoint.
    pub fn find(kind: &'static Kind, place: &Path) -> Result<Option<Released>, OpenError> {
        let unusable = |problem: String| OpenError::Unusable { place: place.display().to_string(), problem };
        let index = match place.is_dir() {
            false => Some(with_ending(place, ".index")).filter(|index| index.is_file()),
            true => {
                let mut found = ending_with(place, ".index")?;
                if found.len() > 1 {
                    let names: Vec<String> =
                        found.iter().map(|path| path.with_extension("").display().to_string()).collect();
                    return Err(unusable(format!("there are several checkpoints: name {}", names.join(" or "))));
                }
                found.pop()
            }
        };
        let Some(index) = index else { return Ok(None) };
        let folder = index.parent().unwrap_or(Path::new(""));
        let dictionaries = match kind.dictionaries.starts_with('.') {
            true => with_ending(&index.with_extension(""), kind.dictionaries),
            false => folder.join(kind.dictionaries),
        };
        if dictionaries.is_file() {
            return Ok(Some(Released { kind, index, dictionaries: Dictionaries::Rows(dictionaries) }));
        }
        match &ending_with(folder, kind.counts)?[..] {
            [counts] => Ok(Some(Released { kind, dictionaries: Dictionaries::Counts(counts.clone()), index })),
            found => Err(OpenError::Missing(format!(
                "{} lacks its words: looked for {} and for one file that ends in {}, of which there are {}",
                index.display(),
                dictionaries.display(),
                kind.counts,
                found.len()
            ))),
        }
    }

    /// The file that says which checkpoint this is, and the one with its words.
    pub fn files(&self) -> [&Path; 2] {
        match &self.dictionaries {
            Dictionaries::Rows(path) | Dictionaries::Counts(path) => [&self.index, path],
        }
    }

    /// The file with the numbers.
    pub fn numbers(&self) -> PathBuf {
        self.index.with_extension("data-00000-of-00001")
    }

    /// The folder of the files.
    pub fn folder(&self) -> &Path {
        self.index.parent().unwrap_or(Path::new(""))
    }

    /// The tensors under our names, in our order of gates.
    pub fn weights(&self, layout: Layout, change: &Change) -> Result<Weights, OpenError> {
        let mut weights = Weights::read_tensorflow(&self.index, self.kind.tensors, layout, change)?;
        for name in self.kind.recurrent {
            for (end, forget) in [("weight", 0.0), ("bias", 1.0)] {
                let name = format!("{name}.{end}");
                let Some(columns) = weights.shape(&name).and_then(|shape| shape.last().copied()) else { continue };
                let size = columns / 4;
                if size == 0 || columns % 4 != 0 {
                    return Err(weights.unusable(format!("`{name}` has {columns} columns, which are no four gates")));
                }
                weights.convert(&name, |numbers| {
                    for row in numbers.chunks_exact_mut(columns) {
                        let (cell, forgets) = row[size..3 * size].split_at_mut(size);
                        cell.swap_with_slice(forgets);
                        cell.iter_mut().for_each(|number| *number += forget);
                    }
                })?;
            }
        }
        Ok(weights)
    }

    /// The lists of words, as `vocabulary.json` has them.
    pub fn vocabulary(&self, weights: &Weights) -> Result<serde_json::Value, OpenError> {
        let [_, path] = self.files();
        let unusable = |problem: String| OpenError::Unusable { place: path.display().to_string(), problem };
        let bytes = read_up_to(path, LARGEST_WEIGHTS)
            .map_err(|source| OpenError::Unreadable { path: path.to_owned(), source })?;
        let mut rest = &bytes[..];
        let mut lists = Map::new();
        for number in 0..self.kind.lists.len() {
            let list = match self.dictionaries {
                Dictionaries::Rows(_) => &self.kind.lists[number],
                Dictionaries::Counts(_) => &self.kind.lists[self.kind.counted[number]],
            };
            let rows = weights.shape(list.tensor).and_then(|shape| shape.first().copied()).unwrap_or_default();
            let words = match self.dictionaries {
                Dictionaries::Rows(_) => words_by_row(&mut rest, list, rows),
                Dictionaries::Counts(_) => words_by_count(&mut rest, list, rows),
            };
            let words = words.map_err(|problem| unusable(format!("the dictionary of {}: {problem}", list.name)))?;
            lists.insert(list.name.to_owned(), json!(words));
        }
        Ok(lists.into())
    }
}

/// The words of a dictionary, by the rows that it gives them. The same dictionary the other way round and its size follow.
fn words_by_row(rest: &mut &[u8], list: &List, rows: usize) -> Result<Vec<String>, String> {
    let Value::Dictionary(items) = pickled::next(rest)? else { return Err("it is not a dictionary".to_owned()) };
    for _ in 0..2 {
        pickled::next(rest)?;
    }
    let mut words: Vec<Option<String>> = vec![None; rows];
    for (word, row) in items {
        let (Value::Text(word), Value::Number(row)) = (word, row) else {
            return Err("it has something else than words with their rows".to_owned());
        };
        let place = usize::try_from(row).ok().and_then(|row| words.get_mut(row));
        let place = place.ok_or_else(|| format!("the word `{word}` has the row {row} of {rows}"))?;
        if place.replace(own_name(&word)).is_some() {
            return Err(format!("two words have the row {row}"));
        }
    }
    // Special words that it does not have stand before the others.
    let first = words.iter().position(Option::is_some).unwrap_or(rows);
    let special = match first {
        0 => &[][..],
        1 => &[UNKNOWN][..],
        2 => &[PAD, UNKNOWN][..],
        _ => return Err(format!("its first {first} rows have no word: is it of another checkpoint?")),
    };
    for (place, word) in words.iter_mut().zip(special) {
        *place = Some((*word).to_owned());
    }
    let words: Option<Vec<String>> = words.into_iter().collect();
    words.ok_or_else(|| {
        format!("some of the {rows} rows of `{}` have no word: is it of another checkpoint?", list.tensor)
    })
}

/// The most frequent words.
fn words_by_count(rest: &mut &[u8], list: &List, rows: usize) -> Result<Vec<String>, String> {
    let Value::Dictionary(items) = pickled::next(rest)? else { return Err("it is not a dictionary".to_owned()) };
    let mut counts = Vec::with_capacity(items.len());
    for item in items {
        let (Value::Text(word), Value::Number(count)) = item else {
            return Err("it has something else than words with their counts".to_owned());
        };
        counts.push((own_name(&word), count));
    }
    // The sort keeps the order of words that are equally frequent, as Python's does.
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let special: HashSet<&str> = list.special.iter().copied().collect();
    counts.retain(|(word, _)| !special.contains(word.as_str()));
    let mut words: Vec<String> = list.special.iter().map(|word| (*word).to_owned()).collect();
    words.extend(counts.into_iter().map(|(word, _)| word));
    if words.len() < rows {
        return Err(format!("it has {} words for {rows} rows: is it of another data set?", words.len()));
    }
    words.truncate(rows);
    Ok(words)
}

/// A special word as we call it.
fn own_name(word: &str) -> String {
    match word {
        "<PAD>" => PAD.to_owned(),
        "<UNK>" | "<OOV>" | "<PAD_OR_OOV>" => UNKNOWN.to_owned(),
        "<S>" => "<s>".to_owned(),
        word => word.to_owned(),
    }
}

/// The files of a folder whose names end so, in order.
fn ending_with(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, OpenError> {
    let unreadable = |source| OpenError::Unreadable { path: folder.to_owned(), source };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The path with something at its end: `with_extension` would replace the last part of `model_iter8.release`.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use syntax::names::Convention;
    use syntax::{Language, Program};

    use crate::paths::functions;
    use crate::{Code, Input, Prediction, open};

    fn fixture(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/released").join(name)
    }

    /// A copy of a fixture that a test may change.
    fn copy(name: &str, test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("allotrope-released-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for entry in std::fs::read_dir(fixture(name)).unwrap() {
            let path = entry.unwrap().path();
            std::fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
        }
        folder
    }

    /// The methods that TensorFlow was asked about.
    fn inputs() -> Vec<Input> {
        let text = std::fs::read_to_string(fixture("methods/Shelf.java")).unwrap();
        let program = Program::parse(Language::Java, text.as_str());
        let code = |range: std::ops::Range<usize>| Code { language: Language::Java, text: text[range].to_owned() };
        functions(&program).into_iter().map(|(_, range)| Input::Code(code(range))).collect()
    }

    fn answers(place: &str) -> Vec<Vec<(String, f32)>> {
        let names = |answer: crate::Answer| match answer.prediction {
            Prediction::Names(names) => names,
            other => panic!("{other:?}"),
        };
        let model = open(place).unwrap_or_else(|error| panic!("{error}"));
        model.predict(&inputs()).into_iter().map(|answer| names(answer.unwrap())).collect()
    }

    fn expected<T: serde::de::DeserializeOwned>(name: &str) -> T {
        serde_json::from_slice(&std::fs::read(fixture(name).join("expected.json")).unwrap()).unwrap()
    }

    fn near(one: f32, other: f64) -> bool {
        (f64::from(one) - other).abs() < 1e-4 * other
    }

    #[test]
    fn code2vec_answers_as_tensorflow_does() {
        let expected: Vec<Vec<(String, f64)>> = expected("code2vec");
        let check = |place: &str| {
            let found = answers(place);
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.len(), expected.len());
                for (found, (name, probability)) in found.iter().zip(expected) {
                    let name = Convention::Camel.join(&name.split('|').collect::<Vec<_>>());
                    assert!(found.0 == name && near(found.1, *probability), "{found:?} {name} {probability}");
                }
            }
        };
        check(&format!("code2vec:{}", fixture("code2vec").display()));
        check(&format!("code2vec:{}", fixture("code2vec/saved_model_iter1").display()));
        // Counts of words say the same.
        let folder = copy("code2vec", "counts");
        std::fs::remove_file(folder.join("dictionaries.bin")).unwrap();
        check(&format!("code2vec:{}", folder.display()));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn code2seq_answers_as_tensorflow_does() {
        let expected: Vec<(Vec<String>, f64)> = expected("code2seq");
        assert!(expected.iter().any(|(words, _)| words.len() > 2), "{expected:?}");
        let check = |place: &str| {
            let found = answers(place);
            assert_eq!(found.len(), expected.len());
            for (found, (words, probability)) in found.iter().zip(&expected) {
                let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "<UNK>").collect();
                assert_eq!(found[0].0, Convention::Camel.join(&words));
                assert!(near(found[0].1, *probability), "{found:?} {probability}");
            }
        };
        check(&format!("code2seq:{}", fixture("code2seq").display()));
        let folder = copy("code2seq", "words");
        std::fs::remove_file(folder.join("model_iter1.release.dict")).unwrap();
        check(&format!("code2seq:{}/model_iter1.release", folder.display()));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let folder = copy("code2vec", "wrong");
        let problem = || open(&format!("code2vec:{}", folder.display())).err().map(|error| error.to_string());
        let problem = || problem().unwrap_or_default();
        assert_eq!(problem(), "");
        let words = folder.join("dictionaries.bin");
        let whole = std::fs::read(&words).unwrap();
        for length in (0..whole.len()).step_by(37) {
            std::fs::write(&words, &whole[..length]).unwrap();
            assert!(problem().contains("the dictionary of"), "{length}: {}", problem());
        }
        for (at, byte) in [(9, 0xff), (30, b'c'), (60, 0), (100, b'u'), (200, b'}')] {
            let mut broken = whole.clone();
            broken[at] = byte;
            std::fs::write(&words, broken).unwrap();
            problem();
        }
        // Two words of one row, and a row that is not there.
        let mut broken = whole.clone();
        let one = whole.windows(2).position(|bytes| bytes == b"K\x01").unwrap();
        broken[one + 1] = 2;
        std::fs::write(&words, &broken).unwrap();
        assert!(problem().contains("two words have the row 2"), "{}", problem());
        broken[one + 1] = 200;
        std::fs::write(&words, &broken).unwrap();
        assert!(problem().contains("has the row 200 of"), "{}", problem());
        std::fs::write(&words, &whole).unwrap();
        // A checkpoint of the other kind.
        let other = open(&format!("code2seq:{}", fixture("code2vec").display())).err().unwrap().to_string();
        assert!(other.contains(".dict.c2s"), "{other}");
        std::fs::copy(folder.join("saved_model_iter1.index"), folder.join("saved_model_iter2.index")).unwrap();
        assert!(problem().contains("several checkpoints") && problem().contains("saved_model_iter2"), "{}", problem());
        std::fs::remove_file(folder.join("saved_model_iter2.index")).unwrap();
        std::fs::remove_file(folder.join("saved_model_iter1.data-00000-of-00001")).unwrap();
        assert!(problem().contains("data-00000-of-00001"), "{}", problem());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
