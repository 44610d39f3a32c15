//! The words, paths and names that a path model knows: the most frequent ones of what it learns from.

use std::collections::HashMap;
use std::hash::Hash;

use serde_json::json;

use super::NewPathModel;
use super::lessons::PathCorpus;

/// What is not in a list has the number 0 in it.
const UNKNOWN: &str = "<unk>";

/// The lists of a model.
pub struct Vocabulary {
    pub words: Vec<String>,
    pub paths: Vec<String>,
    pub names: Vec<String>,
    places_of_words: HashMap<u64, u32>,
    places_of_paths: HashMap<i32, u32>,
    places_of_names: HashMap<String, u32>,
}

impl Vocabulary {
    /// The most frequent of each kind; of equally frequent ones the first in the order of their texts.
    pub fn of(corpus: &PathCorpus, model: &NewPathModel) -> Vocabulary {
        let (mut words, mut paths, mut names) = (HashMap::new(), HashMap::new(), HashMap::new());
        for method in &corpus.methods {
            *names.entry(method.name.clone()).or_insert(0_usize) += 1;
            for (source, path, target) in &method.contexts {
                *words.entry(*source).or_insert(0_usize) += 1;
                *words.entry(*target).or_insert(0) += 1;
                *paths.entry(*path).or_insert(0_usize) += 1;
            }
        }
        let (words, places_of_words) = frequent(words, model.words, |word| corpus.words[word].clone());
        let (paths, places_of_paths) = frequent(paths, model.paths, i32::to_string);
        let (names, places_of_names) = frequent(names, model.names, String::clone);
        Vocabulary { words, paths, names, places_of_words, places_of_paths, places_of_names }
    }

    /// The place of a word, by its hash.
    pub fn word(&self, word: u64) -> Option<u32> {
        self.places_of_words.get(&word).copied()
    }

    /// The place of a path, by its hash code.
    pub fn path(&self, path: i32) -> Option<u32> {
        self.places_of_paths.get(&path).copied()
    }

    /// The place of a name, such as `get|size`.
    pub fn name(&self, name: &str) -> Option<u32> {
        self.places_of_names.get(name).copied()
    }

    /// The file that a model is opened with.
    pub fn to_json(&self) -> String {
        json!({"tokens": self.words, "paths": self.paths, "names": self.names}).to_string()
    }
}

/// The texts of the most frequent keys after the word for all others, and their places.
pub fn frequent<Key: Eq + Hash>(
    counts: HashMap<Key, usize>,
    most: usize,
    text: impl Fn(&Key) -> String,
) -> (Vec<String>, HashMap<Key, u32>) {
    let mut all: Vec<(usize, String, Key)> = counts
        .into_iter()
        .map(|(key, count)| (count, text(&key), key))
        .filter(|(_, text, _)| text != UNKNOWN)
        .collect();
    all.sort_by(|(count, text, _), (other, other_text, _)| other.cmp(count).then_with(|| text.cmp(other_text)));
    all.truncate(most);
    let mut texts = vec![UNKNOWN.to_owned()];
    let mut places = HashMap::new();
    for (_, text, key) in all {
        places.insert(key, texts.len() as u32);
        texts.push(text);
    }
    (texts, places)
}
