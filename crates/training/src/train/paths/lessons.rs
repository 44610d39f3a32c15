//! Methods as numbers, and what is learned from them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use model::paths::{Method, Row};
use sha2::{Digest, Sha256};

use super::super::learner::Curriculum;
use super::super::methods::{MethodCorpus, batches_by_contexts};
use super::vocabulary::Vocabulary;
use crate::path_network::MethodBatch;

/// Methods with their contexts. A large project has tens of millions of contexts, so that every word of them is kept once.
#[derive(Clone, Debug, Default)]
pub struct PathCorpus {
    pub(super) methods: Vec<HashedMethod>,
    /// The words that the leaves of the methods have.
    pub(super) words: HashMap<u64, String>,
}

/// A method without its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HashedMethod {
    /// Its name, as in `get|size`.
    pub name: String,
    pub contexts: Vec<(u64, i32, u64)>,
}

impl MethodCorpus for PathCorpus {
    fn of(methods: &[Method]) -> PathCorpus {
        let mut corpus = PathCorpus::default();
        for method in methods {
            let contexts = method
                .contexts
                .iter()
                .map(|context| (corpus.word(&context.source.name), context.hash(), corpus.word(&context.target.name)));
            let contexts = contexts.collect();
            corpus.methods.push(HashedMethod { name: method.target.join("|"), contexts });
        }
        corpus
    }

    fn add_row(&mut self, row: &Row) -> Result<(), String> {
        let mut contexts = Vec::with_capacity(row.contexts.len());
        for [source, path, target] in &row.contexts {
            let path =
                path.parse().map_err(|_| format!("`{path}` is no hash code of a path, as code2vec's files have it"))?;
            contexts.push((self.word(source), path, self.word(target)));
        }
        self.methods.push(HashedMethod { name: row.target.join("|"), contexts });
        Ok(())
    }

    fn append(&mut self, other: PathCorpus) {
        self.methods.extend(other.methods);
        self.words.extend(other.words);
    }

    fn count(&self) -> usize {
        self.methods.len()
    }

    fn contexts(&self) -> usize {
        self.methods.iter().map(|method| method.contexts.len()).sum()
    }
}

impl PathCorpus {
    fn word(&mut self, name: &str) -> u64 {
        let hash = hash_of(name);
        self.words.entry(hash).or_insert_with(|| name.to_owned());
        hash
    }
}

/// The same for every run: the hasher begins with fixed keys.
fn hash_of(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}

/// Methods with names that can be answered.
pub struct PathLessons {
    contexts: Vec<[u32; 3]>,
    /// Where the contexts of every method begin, and where those of the last end.
    starts: Vec<usize>,
    pub names: Vec<u32>,
}

impl PathLessons {
    /// A context of which nothing is known teaches nothing, and neither does a method without contexts or with an unknown name.
    pub fn new(corpus: &PathCorpus, vocabulary: &Vocabulary) -> PathLessons {
        let mut lessons = PathLessons { contexts: Vec::new(), starts: vec![0], names: Vec::new() };
        let first_path = vocabulary.words.len() as u32;
        for method in &corpus.methods {
            let Some(name) = vocabulary.name(&method.name) else { continue };
            let before = lessons.contexts.len();
            for (source, path, target) in &method.contexts {
                let own = [vocabulary.word(*source), vocabulary.path(*path), vocabulary.word(*target)];
                if own.iter().any(Option::is_some) {
                    let [source, path, target] = own.map(Option::unwrap_or_default);
                    lessons.contexts.push([source, first_path + path, target]);
                }
            }
            if lessons.contexts.len() > before {
                lessons.starts.push(lessons.contexts.len());
                lessons.names.push(name);
            }
        }
        lessons
    }
}

impl Curriculum for PathLessons {
    type Batch = MethodBatch;

    fn count(&self) -> usize {
        self.names.len()
    }

    fn digest(&self) -> String {
        let mut digest = Sha256::new();
        self.contexts.iter().flatten().for_each(|number| digest.update(number.to_le_bytes()));
        self.starts.iter().for_each(|start| digest.update((*start as u64).to_le_bytes()));
        self.names.iter().for_each(|name| digest.update(name.to_le_bytes()));
        format!("{:x}", digest.finalize())
    }

    fn batches_of_epoch(&self, tokens: usize, shuffled: Option<(u64, u64)>) -> Vec<Vec<usize>> {
        batches_by_contexts(self.count(), tokens, shuffled, |method| self.starts[method + 1] - self.starts[method])
    }

    fn batch(&self, examples: &[usize], _seed: u64) -> Result<MethodBatch, String> {
        let mut batch = MethodBatch { starts: vec![0], ..MethodBatch::default() };
        for method in examples {
            batch.contexts.extend(&self.contexts[self.starts[*method]..self.starts[method + 1]]);
            batch.starts.push(batch.contexts.len() as u32);
            batch.names.push(self.names[*method]);
        }
        Ok(batch)
    }
}
