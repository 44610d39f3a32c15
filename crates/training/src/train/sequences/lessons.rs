//! Methods as leaves and paths, and what is learned from them.

use std::collections::HashMap;

use model::paths::{Method, Row};
use random::{Random, seed_of};
use sha2::{Digest, Sha256};

use super::super::learner::Curriculum;
use super::super::methods::{MethodCorpus, batches_by_contexts};
use super::vocabulary::Vocabulary;
use super::{LEAF_WORDS, NAME_WORDS, PATH_NODES};
use crate::sequence_network::SequenceBatch;

/// Methods with their contexts. Every different leaf and every different path is kept once.
#[derive(Clone, Debug, Default)]
pub struct SequenceCorpus {
    pub(super) methods: Vec<NamedMethod>,
    /// Leaves as `my|size`.
    pub(super) leaves: Texts,
    /// Paths as `identifier0|block|identifier1`.
    pub(super) paths: Texts,
}

/// A method whose contexts are places of a leaf, a path and a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedMethod {
    pub name: Vec<String>,
    pub contexts: Vec<[u32; 3]>,
}

/// Different texts, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    pub texts: Vec<String>,
    places: HashMap<String, u32>,
}

impl Texts {
    fn place(&mut self, text: String) -> u32 {
        if let Some(place) = self.places.get(&text) {
            return *place;
        }
        let place = self.texts.len() as u32;
        self.texts.push(text.clone());
        self.places.insert(text, place);
        place
    }
}

impl MethodCorpus for SequenceCorpus {
    fn of(methods: &[Method]) -> SequenceCorpus {
        let mut corpus = SequenceCorpus::default();
        for method in methods {
            let (leaves, paths) = (&mut corpus.leaves, &mut corpus.paths);
            let contexts = method.contexts.iter().map(|context| {
                [
                    leaves.place(context.source.words.join("|")),
                    paths.place(context.path.join("|")),
                    leaves.place(context.target.words.join("|")),
                ]
            });
            let contexts = contexts.collect();
            corpus.methods.push(NamedMethod { name: method.target.clone(), contexts });
        }
        corpus
    }

    fn add_row(&mut self, row: &Row) -> Result<(), String> {
        let mut contexts = Vec::with_capacity(row.contexts.len());
        for [source, path, target] in &row.contexts {
            if path.parse::<i64>().is_ok() {
                let problem = "is a hash code of a path, but code2seq reads its nodes, as in files that end in .c2s";
                return Err(format!("`{path}` {problem}"));
            }
            let path = self.paths.place(path.clone());
            contexts.push([self.leaves.place(source.clone()), path, self.leaves.place(target.clone())]);
        }
        self.methods.push(NamedMethod { name: row.target.clone(), contexts });
        Ok(())
    }

    fn append(&mut self, other: SequenceCorpus) {
        let leaves: Vec<u32> = other.leaves.texts.into_iter().map(|text| self.leaves.place(text)).collect();
        let paths: Vec<u32> = other.paths.texts.into_iter().map(|text| self.paths.place(text)).collect();
        for mut method in other.methods {
            for [source, path, target] in &mut method.contexts {
                *source = leaves[*source as usize];
                *path = paths[*path as usize];
                *target = leaves[*target as usize];
            }
            self.methods.push(method);
        }
    }

    fn count(&self) -> usize {
        self.methods.len()
    }

    fn contexts(&self) -> usize {
        self.methods.iter().map(|method| method.contexts.len()).sum()
    }
}

/// Methods with contexts.
pub struct SequenceLessons {
    /// The subtokens of every leaf, and the nodes of every path.
    leaves: Vec<Vec<u32>>,
    paths: Vec<Vec<u32>>,
    contexts: Vec<[u32; 3]>,
    /// Where the contexts of every method begin, and where those of the last end.
    starts: Vec<usize>,
    pub names: Vec<Vec<u32>>,
    /// The most contexts of a method in an epoch; all of them where it is absent.
    sampled: Option<usize>,
}

impl SequenceLessons {
    /// A method without contexts teaches nothing.
    pub fn new(corpus: &SequenceCorpus, vocabulary: &Vocabulary, sampled: Option<usize>) -> SequenceLessons {
        let leaf = |text: &String| text.split('|').take(LEAF_WORDS).map(|word| vocabulary.word(word)).collect();
        let path = |text: &String| text.split('|').take(PATH_NODES).map(|node| vocabulary.node(node)).collect();
        let mut lessons = SequenceLessons {
            leaves: corpus.leaves.texts.iter().map(leaf).collect(),
            paths: corpus.paths.texts.iter().map(path).collect(),
            contexts: Vec::with_capacity(corpus.contexts()),
            starts: vec![0],
            names: Vec::new(),
            sampled,
        };
        for method in corpus.methods.iter().filter(|method| !method.contexts.is_empty()) {
            lessons.contexts.extend(&method.contexts);
            lessons.starts.push(lessons.contexts.len());
            lessons.names.push(method.name.iter().take(NAME_WORDS).map(|word| vocabulary.target(word)).collect());
        }
        lessons
    }

    /// How many contexts of a method are in a batch.
    fn length(&self, method: usize) -> usize {
        (self.starts[method + 1] - self.starts[method]).min(self.sampled.unwrap_or(usize::MAX))
    }

    /// The contexts of a method in an epoch, in their order.
    fn contexts_of(&self, method: usize, seed: u64) -> Vec<[u32; 3]> {
        let all = &self.contexts[self.starts[method]..self.starts[method + 1]];
        let count = self.length(method);
        if count == all.len() {
            return all.to_vec();
        }
        let mut random = Random::new(seed_of(&[b"contexts", &seed.to_le_bytes(), &(method as u64).to_le_bytes()]));
        let mut places: Vec<usize> = (0..all.len()).collect();
        random.shuffle(&mut places);
        places.truncate(count);
        places.sort_unstable();
        places.into_iter().map(|place| all[place]).collect()
    }
}

impl Curriculum for SequenceLessons {
    type Batch = SequenceBatch;

    fn count(&self) -> usize {
        self.names.len()
    }

    fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for list in [&self.leaves, &self.paths, &self.names] {
            for own in list {
                digest.update((own.len() as u64).to_le_bytes());
                own.iter().for_each(|number| digest.update(number.to_le_bytes()));
            }
        }
        self.contexts.iter().flatten().for_each(|number| digest.update(number.to_le_bytes()));
        self.starts.iter().for_each(|start| digest.update((*start as u64).to_le_bytes()));
        format!("{:x}", digest.finalize())
    }

    fn batches_of_epoch(&self, tokens: usize, shuffled: Option<(u64, u64)>) -> Vec<Vec<usize>> {
        batches_by_contexts(self.count(), tokens, shuffled, |method| self.length(method))
    }

    /// Scores of all words of names are read for every word, which takes more room than learning does.
    fn evaluated_tokens(&self, tokens: usize) -> usize {
        tokens.min(16_384)
    }

    fn batch(&self, examples: &[usize], seed: u64) -> Result<SequenceBatch, String> {
        let mut methods = examples.to_vec();
        methods.sort_by_key(|method| std::cmp::Reverse(self.names[*method].len()));
        let mut batch = SequenceBatch { starts: vec![0], ..SequenceBatch::default() };
        for method in methods {
            batch.contexts.extend(self.contexts_of(method, seed));
            batch.starts.push(batch.contexts.len() as u32);
            batch.names.push(self.names[method].clone());
        }
        let leaves = different(&mut batch.contexts, &[0, 2], self.leaves.len());
        batch.leaves = leaves.len();
        for (place, leaf) in leaves.iter().enumerate() {
            batch.words.extend(&self.leaves[*leaf as usize]);
            batch.leaf_of_word.resize(batch.words.len(), place as u32);
        }
        let paths = different(&mut batch.contexts, &[1], self.paths.len());
        // The longest come first, and equally long ones as they are met.
        let mut order: Vec<u32> = (0..paths.len() as u32).collect();
        let nodes_of = |place: u32| &self.paths[paths[place as usize] as usize];
        order.sort_by_key(|place| std::cmp::Reverse(nodes_of(*place).len()));
        let mut places = vec![0; paths.len()];
        order.iter().zip(0..).for_each(|(path, place)| places[*path as usize] = place);
        batch.contexts.iter_mut().for_each(|[_, path, _]| *path = places[*path as usize]);
        let mut places_of_nodes: HashMap<u32, u32> = HashMap::new();
        for path in order {
            let nodes = nodes_of(path).iter().map(|node| {
                *places_of_nodes.entry(*node).or_insert_with(|| {
                    batch.nodes.push(*node);
                    batch.nodes.len() as u32 - 1
                })
            });
            batch.paths.push(nodes.collect());
        }
        Ok(batch)
    }
}

/// The different numbers in some columns of contexts, in the order in which they come; the contexts get their places among them.
fn different(contexts: &mut [[u32; 3]], columns: &[usize], most: usize) -> Vec<u32> {
    let (mut places, mut found) = (vec![u32::MAX; most], Vec::new());
    for context in contexts {
        for column in columns {
            let number = &mut context[*column];
            let place = &mut places[*number as usize];
            if *place == u32::MAX {
                *place = found.len() as u32;
                found.push(*number);
            }
            *number = *place;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::NewSequenceModel;
    use super::*;

    fn corpus() -> SequenceCorpus {
        let mut corpus = SequenceCorpus::default();
        let rows = [
            "get|size a|b,x|y|z,c a|b,x|z,c c,x|y|z,a|b c,q,a",
            "run c,x|z,d",
            "is|a|very|long|name|of|many|words a,x|z,a",
            "empty",
        ];
        for row in model::paths::read_lines(&rows.join("\n")) {
            corpus.add_row(&row.unwrap()).unwrap();
        }
        corpus
    }

    fn lessons(sampled: Option<usize>) -> (SequenceLessons, Vocabulary) {
        let vocabulary = Vocabulary::of(&corpus(), &NewSequenceModel { words: 2, ..NewSequenceModel::default() });
        (SequenceLessons::new(&corpus(), &vocabulary, sampled), vocabulary)
    }

    #[test]
    fn a_batch_has_every_leaf_and_path_once() {
        let (lessons, vocabulary) = lessons(None);
        assert_eq!((corpus().count(), corpus().contexts(), lessons.count()), (4, 6, 3));
        // `a` is there six times, `c` five, `b` three times, and two words are kept.
        assert_eq!(vocabulary.words, ["<unk>", "a", "c"]);
        assert_eq!(vocabulary.targets[..3], ["<pad>", "<unk>", "<s>"]);
        let batch = lessons.batch(&[0, 1, 2], 0).unwrap();
        // The longest name comes first, and is cut to six words.
        assert_eq!(batch.names.iter().map(Vec::len).collect::<Vec<_>>(), [6, 2, 1]);
        assert_eq!(batch.starts, [0, 1, 5, 6]);
        let leaf = |place: u32| -> Vec<&str> {
            let own = batch.words.iter().zip(&batch.leaf_of_word).filter(|(_, leaf)| **leaf == place);
            own.map(|(word, _)| vocabulary.words[*word as usize].as_str()).collect()
        };
        let path = |place: u32| -> Vec<&str> {
            let node = |node: &u32| vocabulary.nodes[batch.nodes[*node as usize] as usize].as_str();
            batch.paths[place as usize].iter().map(node).collect()
        };
        let written: Vec<String> = batch
            .contexts
            .iter()
            .map(|[source, way, target]| {
                format!("{},{},{}", leaf(*source).join("|"), path(*way).join("|"), leaf(*target).join("|"))
            })
            .collect();
        let expected = ["a,x|z,a", "a|<unk>,x|y|z,c", "a|<unk>,x|z,c", "c,x|y|z,a|<unk>", "c,q,a", "c,x|z,<unk>"];
        assert_eq!(written, expected);
        assert_eq!((batch.leaves, batch.paths.len(), batch.nodes.len()), (4, 3, 4));
        assert!(batch.paths.is_sorted_by_key(|path| std::cmp::Reverse(path.len())));
    }

    #[test]
    fn other_contexts_are_drawn_in_another_epoch() {
        let (lessons, _) = lessons(Some(2));
        let drawn = |seed: u64| lessons.contexts_of(0, seed);
        assert_eq!(drawn(5), drawn(5));
        assert!((0..20).any(|seed| drawn(seed) != drawn(5)));
        assert!((0..20).all(|seed| drawn(seed).len() == 2));
        assert_eq!(lessons.batch(&[0, 1], 3).unwrap().starts, [0, 2, 3]);
        assert_eq!(lessons.batches_of_epoch(3, None), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn corpora_that_are_put_together_are_the_same_as_one() {
        let mut parts = corpus();
        parts.append(corpus());
        let vocabulary = Vocabulary::of(&corpus(), &NewSequenceModel::default());
        let lessons = SequenceLessons::new(&parts, &vocabulary, None);
        assert_eq!(parts.leaves.texts, corpus().leaves.texts);
        assert_eq!(lessons.contexts[..6], lessons.contexts[6..]);
        assert!(corpus().add_row(&model::paths::read_lines("f a,17,b").next().unwrap().unwrap()).is_err());
    }
}
