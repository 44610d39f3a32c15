//! The subtokens, nodes and words of names that code2seq knows: the most frequent ones of what it learns from.

use std::collections::HashMap;

use serde_json::json;

use super::super::paths::frequent;
use super::lessons::SequenceCorpus;
use super::{LEAF_WORDS, NAME_WORDS, NewSequenceModel, PATH_NODES};
use crate::sequence_network::UNKNOWN;

/// The words that stand before all others of names: for the end, for all others and for the start.
pub const SPECIAL: [&str; 3] = ["<pad>", "<unk>", "<s>"];

/// The lists of a model.
pub struct Vocabulary {
    pub words: Vec<String>,
    pub nodes: Vec<String>,
    pub targets: Vec<String>,
    places_of_words: HashMap<String, u32>,
    places_of_nodes: HashMap<String, u32>,
    places_of_targets: HashMap<String, u32>,
}

impl Vocabulary {
    /// The most frequent of each kind; of equally frequent ones the first in the order of their texts.
    pub fn of(corpus: &SequenceCorpus, model: &NewSequenceModel) -> Vocabulary {
        // Leaves and paths are counted first, and then what they consist of.
        let (mut leaves, mut paths) =
            (vec![0_usize; corpus.leaves.texts.len()], vec![0_usize; corpus.paths.texts.len()]);
        let mut targets = HashMap::new();
        for method in &corpus.methods {
            for word in method.name.iter().take(NAME_WORDS) {
                *targets.entry(word.clone()).or_insert(0_usize) += 1;
            }
            for [source, path, target] in &method.contexts {
                leaves[*source as usize] += 1;
                paths[*path as usize] += 1;
                leaves[*target as usize] += 1;
            }
        }
        let counted = |texts: &[String], counts: &[usize], most: usize| {
            let mut parts: HashMap<String, usize> = HashMap::new();
            for (text, count) in texts.iter().zip(counts) {
                for part in text.split('|').take(most) {
                    match parts.get_mut(part) {
                        Some(sum) => *sum += count,
                        None => {
                            parts.insert(part.to_owned(), *count);
                        }
                    }
                }
            }
            parts
        };
        let words = counted(&corpus.leaves.texts, &leaves, LEAF_WORDS);
        let nodes = counted(&corpus.paths.texts, &paths, PATH_NODES);
        targets.retain(|word: &String, _| !SPECIAL.contains(&word.as_str()));
        let (words, places_of_words) = frequent(words, model.words, String::clone);
        let (nodes, places_of_nodes) = frequent(nodes, model.nodes, String::clone);
        let (names, places_of_targets) = frequent(targets, model.targets, String::clone);
        // The list has its own word for all others at the beginning, where there are three here.
        let more = SPECIAL.len() as u32 - 1;
        let places_of_targets = places_of_targets.into_iter().map(|(word, place)| (word, place + more)).collect();
        let targets = SPECIAL.iter().map(|word| (*word).to_owned()).chain(names.into_iter().skip(1)).collect();
        Vocabulary { words, nodes, targets, places_of_words, places_of_nodes, places_of_targets }
    }

    /// The place of a subtoken of a leaf.
    pub fn word(&self, word: &str) -> u32 {
        self.places_of_words.get(word).copied().unwrap_or_default()
    }

    /// The place of a node.
    pub fn node(&self, node: &str) -> u32 {
        self.places_of_nodes.get(node).copied().unwrap_or_default()
    }

    /// The place of a word of a name.
    pub fn target(&self, word: &str) -> u32 {
        self.places_of_targets.get(word).copied().unwrap_or(UNKNOWN)
    }

    /// The file that a model is opened with.
    pub fn to_json(&self) -> String {
        json!({"subtokens": self.words, "nodes": self.nodes, "targets": self.targets}).to_string()
    }
}
