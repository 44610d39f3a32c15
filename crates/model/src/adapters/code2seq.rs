//! code2seq (Alon et al., ICLR 2019): a method as a set of path contexts, its name decoded subtoken by subtoken.
//!
//! A leaf is the sum of the embeddings of its subtokens. A path is the final states of two LSTMs, of which one reads its
//! nodes forwards and the other backwards. The first leaf, the path and the second leaf are concatenated and go through a
//! fully connected layer with tanh; the result is a context. The decoder is an LSTM that starts from the mean of the
//! contexts. Its state attends to the contexts (Luong's attention, with a learned matrix for the keys); the attended context
//! and the state itself make the attention vector, which scores the subtokens and is, together with the last subtoken, the
//! next input. `<pad>` ends the name. The probability of a name is the product of the probabilities of its subtokens and of
//! its end.
//!
//! `code2seq:DIR` opens a folder in the layout that `path_model.rs` describes, with these tensors, for subtokens of `d`,
//! nodes of `n`, path states of `h`, contexts of `m` and target subtokens of `t` components:
//!
//! | tensor | shape | |
//! |---|---|---|
//! | `subtokens` | words x d | of the list `subtokens` |
//! | `nodes` | words x n | of the list `nodes`: kinds of nodes, some with a child index |
//! | `forward.weight`, `backward.weight` | (n + h) x 4h | from input and state to the gates input, forget, cell, output |
//! | `forward.bias`, `backward.bias` | 4h | |
//! | `transform` | (d + 2h + d) x m | |
//! | `targets` | words x t | of the list `targets`, which also has `<s>` for the start and `<pad>` for the end |
//! | `decoder.weight` | (t + m + m) x 4m | from subtoken, attention vector and state to the gates |
//! | `decoder.bias` | 4m | |
//! | `keys` | m x m | from a context to its key |
//! | `attention` | (m + m) x m | from state and attended context to the attention vector |
//! | `output` | m x words | from the attention vector to the scores of the list `targets` |
//!
//! With `"beam": 1` in `config.json` decoding is greedy; a larger number is the width of a beam search, and the number of
//! names in the answer.
//!
//! `DIR`, or `DIR/NAME` where there are several, may also be a checkpoint of TensorFlow as the authors released it, with its dictionary. Its
//! nodes are those of the published extractor, whose trees differ from ours. The published decoder also attends to the padding after
//! the contexts, whose score is 0; models that were trained here do not, unless `config.json` says `"attends_to_padding": true`.

use std::collections::HashMap;

use kernels::{Activation, Packed, Remembered, remember, softmax};
use rayon::prelude::*;
use serde::Deserialize;
use syntax::names::Convention;

use super::Kind;
use super::path_model::{Folder, Matrix, PathModelSettings, UNKNOWN, dot, released, weighted_sum};
use crate::mutation::{Disturbance, Level, Listed, Neurons};
use crate::paths::{Context, Leaf, Method};
use crate::{Answer, Fault, Identity, Input, Model, OpenError, Prediction};

/// The word before the first sub-token.
const START: &str = "<s>";
/// The word after the last sub-token.
const END: &str = "<pad>";

/// What mutation can change.
pub(super) const LEVELS: &[Level] = &[Level::Weight, Level::Neuron, Level::State, Level::Gate];

/// The layers. Embeddings are left out: only rows of them are looked up.
const LAYERS: &[Listed] = &[
    Listed { weight: "forward.weight", bias: Some("forward.bias"), neurons: Neurons::Columns },
    Listed { weight: "backward.weight", bias: Some("backward.bias"), neurons: Neurons::Columns },
    Listed { weight: "transform", bias: None, neurons: Neurons::Columns },
    Listed { weight: "decoder.weight", bias: Some("decoder.bias"), neurons: Neurons::Columns },
    Listed { weight: "keys", bias: None, neurons: Neurons::Columns },
    Listed { weight: "attention", bias: None, neurons: Neurons::Columns },
    Listed { weight: "output", bias: None, neurons: Neurons::Columns },
];

/// How models of this kind are named and opened.
pub(super) const KIND: Kind = Kind {
    name: "code2seq",
    place: "DIR[?weights=int8&mutate=OPERATOR]",
    about: "names generated from path contexts",
    is_outside: false,
    label: super::last_of_path,
    levels: LEVELS,
    open,
};

/// Opens the model in a folder.
fn open(place: &str) -> Result<Box<dyn Model>, OpenError> {
    Ok(Box::new(Code2Seq::open(place)?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vocabulary {
    subtokens: Vec<String>,
    nodes: Vec<String>,
    targets: Vec<String>,
}

struct Code2Seq {
    identity: Identity,
    settings: PathModelSettings,
    subtokens: HashMap<String, usize>,
    nodes: HashMap<String, usize>,
    targets: Vec<String>,
    start: usize,
    end: usize,
    subtoken_vectors: Matrix,
    node_vectors: Matrix,
    forward: Lstm,
    backward: Lstm,
    transform: Packed,
    target_vectors: Matrix,
    decoder: Lstm,
    keys: Packed,
    attention: Packed,
    output: Packed,
}

/// A name that is being written.
#[derive(Clone)]
struct Writing {
    words: Vec<usize>,
    is_done: bool,
    /// The logarithm of its probability.
    score: f64,
    state: State,
    attention: Vec<f32>,
}

impl Code2Seq {
    fn open(place: &str) -> Result<Code2Seq, OpenError> {
        let folder = Folder::open("code2seq", place, &released::CODE2SEQ, (LAYERS, LEVELS))?;
        let vocabulary: Vocabulary = folder.vocabulary()?;
        let subtokens = folder.words("subtokens", &vocabulary.subtokens, &[UNKNOWN])?;
        let nodes = folder.words("nodes", &vocabulary.nodes, &[UNKNOWN])?;
        let places = folder.words("targets", &vocabulary.targets, &[START, END])?;
        let subtoken_vectors = folder.matrix("subtokens", Some(subtokens.len()), None)?;
        let node_vectors = folder.matrix("nodes", Some(nodes.len()), None)?;
        let forward = Lstm::open(&folder, "forward", node_vectors.columns)?;
        let backward = Lstm::open(&folder, "backward", node_vectors.columns)?;
        let width = 2 * subtoken_vectors.columns + forward.size + backward.size;
        let transform = folder.matrix("transform", Some(width), None)?;
        let size = transform.columns;
        let target_vectors = folder.matrix("targets", Some(places.len()), None)?;
        let decoder = Lstm::sized(&folder, "decoder", target_vectors.columns + size, size)?;
        let keys = folder.matrix("keys", Some(size), Some(size))?;
        let attention = folder.matrix("attention", Some(2 * size), Some(size))?;
        let output = folder.matrix("output", Some(size), Some(places.len()))?;
        let (start, end) = (places[START], places[END]);
        let Folder { identity, settings, .. } = folder;
        Ok(Code2Seq {
            identity,
            settings,
            subtokens,
            nodes,
            targets: vocabulary.targets,
            start,
            end,
            subtoken_vectors,
            node_vectors,
            forward,
            backward,
            transform: transform.packed(None),
            target_vectors,
            decoder,
            keys: keys.packed(None),
            attention: attention.packed(None),
            output: output.packed(None),
        })
    }

    /// The contexts of a method.
    fn contexts(&self, method: &Method) -> Vec<Vec<f32>> {
        let path_of = |context: &Context| -> Vec<usize> {
            let nodes = context.path.iter().take(self.settings.path_nodes);
            nodes.map(|node| self.nodes.get(node).copied().unwrap_or(self.nodes[UNKNOWN])).collect()
        };
        // Many contexts share their way.
        let (mut paths, mut numbers, mut ways) = (Vec::new(), HashMap::new(), Vec::new());
        for context in &method.contexts {
            let path = path_of(context);
            let way = *numbers.entry(path.clone()).or_insert_with(|| {
                paths.push(path);
                paths.len() - 1
            });
            ways.push(way);
        }
        let forward = self.forward.read(&paths, &self.node_vectors);
        paths.iter_mut().for_each(|path| path.reverse());
        let backward = self.backward.read(&paths, &self.node_vectors);
        let mut joint = Vec::new();
        for (context, way) in method.contexts.iter().zip(ways) {
            joint.extend(self.leaf(&context.source));
            joint.extend_from_slice(&forward[way]);
            joint.extend_from_slice(&backward[way]);
            joint.extend(self.leaf(&context.target));
        }
        let contexts = self.transform.apply(&joint, Activation::Tanh);
        contexts.chunks_exact(self.transform.outputs()).map(<[f32]>::to_vec).collect()
    }

    fn leaf(&self, leaf: &Leaf) -> Vec<f32> {
        let mut sum = vec![0.0; self.subtoken_vectors.columns];
        for word in leaf.words.iter().take(self.settings.name_parts) {
            let place = self.subtokens.get(word).copied().unwrap_or(self.subtokens[UNKNOWN]);
            for (total, value) in sum.iter_mut().zip(self.subtoken_vectors.row(place)) {
                *total += value;
            }
        }
        sum
    }

    fn answer(&self, input: &Input) -> Result<Answer, Fault> {
        let method = self.settings.method(input)?;
        let contexts = self.contexts(&method);
        let keys = self.keys.apply(&contexts.concat(), Activation::None);
        let mean = mean(&contexts);
        let mut beam = vec![Writing {
            words: Vec::new(),
            is_done: false,
            score: 0.0,
            state: State { hidden: mean.clone(), cell: mean.clone() },
            attention: vec![0.0; mean.len()],
        }];
        for _ in 0..=self.settings.target_parts {
            if beam.iter().all(|writing| writing.is_done) {
                break;
            }
            beam = self.continued(&beam, &contexts, &keys)?;
        }
        let mut names: Vec<(String, f32)> = Vec::new();
        for writing in beam {
            let words = writing.words.iter().map(|&word| self.targets[word].as_str());
            let words: Vec<&str> = words.filter(|word| *word != UNKNOWN).collect();
            let name = Convention::Camel.join(&words);
            // A name that differs from another only in what is unknown is the same name.
            if !name.is_empty() && !names.iter().any(|(other, _)| *other == name) {
                names.push((name, writing.score.exp() as f32));
            }
        }
        names.truncate(self.settings.names);
        Ok(Answer { prediction: Prediction::Names(names), tokens: None })
    }

    /// The best names that are one sub-token longer than those of `beam`, or done, the best first.
    fn continued(&self, beam: &[Writing], contexts: &[Vec<f32>], keys: &[f32]) -> Result<Vec<Writing>, Fault> {
        // The names in order, each as the one that it continues, its score and its next word.
        let mut candidates: Vec<(usize, f64, Option<usize>)> = Vec::new();
        let mut steps: Vec<Option<(State, Vec<f32>)>> = Vec::new();
        for (place, writing) in beam.iter().enumerate() {
            if writing.is_done {
                candidates.push((place, writing.score, None));
                steps.push(None);
                continue;
            }
            let word = writing.words.last().copied().unwrap_or(self.start);
            let input = [self.target_vectors.row(word), &writing.attention].concat();
            let mut state = writing.state.clone();
            self.decoder.step(&[&input[..]], std::slice::from_mut(&mut state), writing.words.len());
            let keys = keys.chunks_exact(state.hidden.len());
            let mut weights: Vec<f32> = keys.map(|key| dot(key, &state.hidden)).collect();
            if self.settings.attends_to_padding {
                weights.resize(weights.len().max(self.settings.contexts), 0.0);
            }
            let weights = softmax(&weights);
            let found = weighted_sum(contexts, &weights);
            let attention = self.attention.apply(&[state.hidden.as_slice(), &found].concat(), Activation::None);
            let probabilities = self.output.apply(&attention, Activation::None);
            let probabilities = softmax(&probabilities);
            if probabilities.iter().any(|probability| !probability.is_finite()) {
                return Err(Fault::NotFinite);
            }
            let words = probabilities.iter().enumerate().filter(|(word, _)| *word != self.start);
            candidates.extend(
                words.map(|(word, &probability)| (place, writing.score + f64::from(probability).ln(), Some(word))),
            );
            steps.push(Some((state, attention)));
        }
        // The sort keeps the order of equal ones, so that the answer does not depend on chance.
        candidates.sort_by(|(_, left, _), (_, right, _)| right.total_cmp(left));
        candidates.truncate(self.settings.beam);
        let next = candidates.into_iter().map(|(place, score, word)| {
            let mut writing = beam[place].clone();
            writing.score = score;
            if let (Some(word), Some((state, attention))) = (word, &steps[place]) {
                writing.state = state.clone();
                writing.attention = attention.clone();
                match word == self.end {
                    true => writing.is_done = true,
                    false => writing.words.push(word),
                }
            }
            writing
        });
        Ok(next.collect())
    }
}

/// The mean of vectors of which there is at least one.
fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    weighted_sum(vectors, &vec![1.0 / vectors.len() as f32; vectors.len()])
}

/// A long short-term memory.
struct Lstm {
    gates: Packed,
    size: usize,
    /// What a mutation does to its states or gates.
    disturbance: Option<Disturbance>,
}

/// The third of the four gates, which is the only one between -1 and 1.
const CELL_GATE: usize = 2;

#[derive(Clone)]
struct State {
    hidden: Vec<f32>,
    cell: Vec<f32>,
}

impl Lstm {
    /// Its size is that of its bias.
    fn open(folder: &Folder, name: &str, input: usize) -> Result<Lstm, OpenError> {
        let bias = folder.matrix(&format!("{name}.bias"), Some(1), None)?;
        Lstm::sized(folder, name, input, bias.columns / 4)
    }

    fn sized(folder: &Folder, name: &str, input: usize, size: usize) -> Result<Lstm, OpenError> {
        let bias = folder.matrix(&format!("{name}.bias"), Some(1), Some(4 * size))?;
        let weight = folder.matrix(&format!("{name}.weight"), Some(input + size), Some(4 * size))?;
        let disturbance = Disturbance::of(&folder.change, name, size);
        Ok(Lstm { gates: weight.packed(Some(&bias)), size, disturbance })
    }

    /// Reads one more input into every state; `number` says how many were read before.
    fn step(&self, inputs: &[&[f32]], states: &mut [State], number: usize) {
        let mut rows = Vec::new();
        for (input, state) in inputs.iter().zip(&*states) {
            rows.extend_from_slice(input);
            rows.extend_from_slice(&state.hidden);
        }
        let mut gates = self.gates.apply(&rows, Activation::None);
        for (gates, state) in gates.chunks_exact_mut(4 * self.size).zip(states) {
            let before = std::mem::replace(&mut state.cell, vec![0.0; self.size]);
            match &self.disturbance {
                None => remember(gates, &before, Remembered { states: &mut state.hidden, cells: &mut state.cell }),
                Some(disturbance) => self.step_disturbed(disturbance, gates, &before, state, number),
            }
        }
    }

    fn step_disturbed(
        &self,
        disturbance: &Disturbance,
        gates: &mut [f32],
        before: &[f32],
        state: &mut State,
        number: usize,
    ) {
        let logistic = |value: f32| 1.0 / (1.0 + (-value).exp());
        for (at, gate) in gates.iter_mut().enumerate() {
            *gate = if at / self.size == CELL_GATE { gate.tanh() } else { logistic(*gate) };
        }
        if disturbance.level() == Level::Gate {
            disturbance.apply("gates", number, gates, &[]);
        }
        let gate = |which: usize, at: usize| gates[which * self.size + at];
        let hidden_before = state.hidden.clone();
        for (at, before) in before.iter().enumerate() {
            state.cell[at] = gate(1, at) * before + gate(0, at) * gate(CELL_GATE, at);
            state.hidden[at] = gate(3, at) * state.cell[at].tanh();
        }
        if disturbance.level() == Level::State {
            disturbance.apply("cell", number, &mut state.cell, before);
            disturbance.apply("hidden", number, &mut state.hidden, &hidden_before);
        }
    }

    /// What is left after reading each of some lists, of which all that are long enough take a step together.
    fn read(&self, lists: &[Vec<usize>], vectors: &Matrix) -> Vec<Vec<f32>> {
        let mut order: Vec<usize> = (0..lists.len()).collect();
        order.sort_by_key(|list| std::cmp::Reverse(lists[*list].len()));
        let mut states = vec![State { hidden: vec![0.0; self.size], cell: vec![0.0; self.size] }; lists.len()];
        for number in 0..lists.iter().map(Vec::len).max().unwrap_or_default() {
            let inputs: Vec<&[f32]> =
                order.iter().map_while(|list| lists[*list].get(number)).map(|item| vectors.row(*item)).collect();
            let count = inputs.len();
            self.step(&inputs, &mut states[..count], number);
        }
        let mut read = vec![Vec::new(); lists.len()];
        for (list, state) in order.into_iter().zip(states) {
            read[list] = state.hidden;
        }
        read
    }
}

impl Model for Code2Seq {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        inputs.par_iter().map(|input| self.answer(input)).collect()
    }

    /// The mean of the contexts, from which the decoder starts.
    fn embed(&self, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
        let vector = |input: &Input| Ok(mean(&self.contexts(&self.settings.method(input)?)));
        Some(inputs.par_iter().map(vector).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::path_model::testing::{Scratch, assert_near, java, names};
    use super::*;
    use crate::open;

    /// Its contexts are int, METHOD_NAME and METHOD_NAME, g; int and g lie too far apart. The ways have 3 and 5 nodes.
    const METHOD: &str = "int f() { return g; }";

    /// Everything has one component. A context becomes tanh(source + `way` times what the forward LSTM left + target).
    fn scratch(name: &str, way: f32, config: &str) -> Scratch {
        let vocabulary = serde_json::json!({
            "subtokens": [UNKNOWN, "int", "METHOD_NAME", "g"],
            "nodes": [UNKNOWN, "identifier1"],
            "targets": [END, UNKNOWN, START, "size"],
        });
        let tensors: [(&str, &[usize], &[f32]); 13] = [
            ("subtokens", &[4, 1], &[0.5, 1.0, 0.0, 2.0]),
            ("nodes", &[2, 1], &[0.0, 0.0]),
            ("forward.weight", &[2, 4], &[0.0; 8]),
            ("forward.bias", &[4], &[0.0, 0.0, 1.0, 0.0]),
            ("backward.weight", &[2, 4], &[0.0; 8]),
            ("backward.bias", &[4], &[0.0; 4]),
            ("transform", &[4, 1], &[1.0, way, 0.0, 1.0]),
            ("targets", &[4, 1], &[0.0, 0.0, 0.0, -20.0]),
            // Only the written sub-token reaches a gate, that of the cell.
            ("decoder.weight", &[3, 4], &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            ("decoder.bias", &[4], &[0.0; 4]),
            ("keys", &[1, 1], &[1.0]),
            ("attention", &[2, 1], &[10.0, 1.0]),
            ("output", &[1, 4], &[-1.0, 0.0, 0.0, 1.0]),
        ];
        Scratch::new(name, &tensors, &vocabulary.to_string(), config)
    }

    #[test]
    fn a_name_is_written() {
        // The contexts are tanh(1) = 0.761594 and tanh(2) = 0.964028, their mean is 0.862811.
        //
        // First sub-token: the cell is 0.862811 / 2 = 0.431405, the state tanh(0.431405) / 2 = 0.203248. It scores the contexts with 0.154792
        // and 0.195936, which weigh 0.489715 and 0.510285 and give 0.864893. The attention vector is 10 * 0.203248 + 0.864893 = 2.897369, the
        // scores are -2.897369, 0, 0, 2.897369, and `size` has 18.126387 / 20.181555 = 0.898166.
        //
        // Second: the cell is 0.431405 / 2 + tanh(-20) / 2 = -0.284297, the state -0.138439. The contexts weigh 0.507006 and
        // 0.492994 and give 0.861393; the attention vector is -0.522995, and the end has 1.687074 / 4.279816 = 0.394193.
        let scratch = scratch("code2seq-written", 0.0, "{}");
        let model = open(&format!("code2seq:{}", scratch.place())).unwrap();
        let found = names(&*model, METHOD);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "size");
        assert_near(found[0].1, 0.354_051);
        assert_near(model.embed(&[java(METHOD)]).unwrap()[0].as_ref().unwrap()[0], 0.862_811);
    }

    #[test]
    fn ways_are_read_by_the_lstm() {
        // Every node adds tanh(1) / 2 = 0.380797 to half of the cell: 0.380797, 0.571196, 0.666395 after three nodes, and 0.713994, 0.737794
        // after five. The states are tanh(0.666395) / 2 = 0.291302 and tanh(0.737794) / 2 = 0.313905. The contexts are
        // tanh(1.291302) = 0.859467 and tanh(2.313905) = 0.980637.
        let scratch = scratch("code2seq-ways", 1.0, "{}");
        let model = open(&format!("code2seq:{}", scratch.place())).unwrap();
        assert_near(model.embed(&[java(METHOD)]).unwrap()[0].as_ref().unwrap()[0], 0.920_052);
        // With two nodes of a way at most, both states are tanh(0.571196) / 2 = 0.258118.
        let short = self::scratch("code2seq-short", 1.0, r#"{"path_nodes": 2}"#);
        let model = open(&format!("code2seq:{}", short.place())).unwrap();
        let expected = (1.258_118_f32.tanh() + 2.258_118_f32.tanh()) / 2.0;
        assert_near(model.embed(&[java(METHOD)]).unwrap()[0].as_ref().unwrap()[0], expected);
    }

    #[test]
    fn states_and_gates_can_be_disturbed() {
        let scratch = scratch("code2seq-mutants", 1.0, "{}");
        let embedding = |options: &str| {
            let model = open(&format!("code2seq:{}?{options}", scratch.place())).unwrap();
            model.embed(&[java(METHOD)]).unwrap()[0].as_ref().unwrap()[0]
        };
        assert_near(embedding(""), 0.920_052);
        // A state that is always 0 leaves tanh(1) and tanh(2).
        for operator in ["state-clear", "state-reset", "gate-clear"] {
            assert_near(embedding(&format!("mutate={operator}&ratio=1")), 0.862_811);
        }
        // The gate of the cell is 0.8 instead of tanh(1): the cell is 0.4, 0.6, 0.7, 0.75, 0.775.
        let expected = ((1.0 + 0.7_f32.tanh() / 2.0).tanh() + (2.0 + 0.775_f32.tanh() / 2.0).tanh()) / 2.0;
        assert_near(embedding("mutate=gate-precision-reduction&ratio=1&digits=1"), expected);
        // With all digits nothing changes.
        assert_near(embedding("mutate=state-precision-reduction&ratio=1&digits=9"), 0.920_052);
        for operator in ["state-gaussian-fuzz", "gate-gaussian-fuzz"] {
            let name = format!("mutate={operator}&ratio=1&sigma=0.5&mutant-seed=3");
            let found = embedding(&name);
            assert!((found - 0.920_052).abs() > 1e-4, "{operator}");
            assert_eq!(found.to_bits(), embedding(&name).to_bits());
        }
        // Layers are mutated as those of other models are.
        assert_near(embedding("mutate=neuron-effect-block&ratio=1"), 0.0);
        assert!(embedding("mutate=neuron-activation-inverse&ratio=1") < 0.0);
        let identity =
            |options: &str| open(&format!("code2seq:{}{options}", scratch.place())).unwrap().identity().clone();
        assert_ne!(identity("").digest, identity("?mutate=state-clear").digest);
        assert_ne!(identity("?mutate=state-clear&mutant-seed=1").digest, identity("?mutate=state-clear").digest);
        assert_eq!(identity("?").digest, identity("").digest);
        let problem = open(&format!("code2seq:{}?mutant=x", scratch.place())).err().unwrap().to_string();
        assert!(problem.contains("unknown option `mutant=x`"), "{problem}");
    }

    #[test]
    fn a_beam_finds_what_greed_finds_and_more() {
        let greedy = scratch("code2seq-greedy", 0.0, r#"{"target_parts": 3}"#);
        let wide = scratch("code2seq-wide", 0.0, r#"{"beam": 6, "target_parts": 3}"#);
        let greedy = open(&format!("code2seq:{}", greedy.place())).unwrap();
        let wide = open(&format!("code2seq:{}", wide.place())).unwrap();
        let (one, many) = (names(&*greedy, METHOD), names(&*wide, METHOD));
        assert_eq!(one[0], many[0]);
        assert!(many.len() > 1, "{many:?}");
        assert!(many.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{many:?}");
        assert!(many.iter().any(|(name, _)| name == "sizeSize"), "{many:?}");
    }

    #[test]
    fn unknown_words_and_batches() {
        let scratch = scratch("code2seq-unknown", 0.0, "{}");
        let model = open(&format!("code2seq:{}", scratch.place())).unwrap();
        // The leaf h is unknown, and its embedding is 0.5.
        let expected = (1.0_f32.tanh() + 0.5_f32.tanh()) / 2.0;
        assert_near(model.embed(&[java("int f() { return h; }")]).unwrap()[0].as_ref().unwrap()[0], expected);
        let texts = [METHOD, "int f() { return h; }", "", METHOD];
        let inputs: Vec<Input> = texts.iter().map(|text| java(text)).collect();
        let together = model.predict(&inputs);
        for (input, answer) in inputs.iter().zip(&together) {
            assert_eq!(model.predict(std::slice::from_ref(input))[0], *answer);
        }
        assert!(matches!(&together[2], Err(Fault::Failed(_))));
        assert!(model.predict(&[java("void f() { }")])[0].is_ok());
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let scratch = scratch("code2seq-wrong", 0.0, "{}");
        let message = || Code2Seq::open(scratch.place()).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(message(), "");
        let words = |targets: &str| {
            format!(r#"{{"subtokens": ["<unk>", "a", "b", "c"], "nodes": ["<unk>", "a"], "targets": {targets}}}"#)
        };
        std::fs::write(scratch.file("vocabulary.json"), words(r#"["<pad>", "a", "b", "c"]"#)).unwrap();
        assert!(message().contains("`targets`: lacks the word `<s>`"), "{}", message());
        std::fs::write(scratch.file("vocabulary.json"), words(r#"["<pad>", "<s>", "b", "b"]"#)).unwrap();
        assert!(message().contains("contains a word twice"), "{}", message());
        std::fs::write(scratch.file("vocabulary.json"), words(r#"["<pad>", "<s>"]"#)).unwrap();
        assert!(message().contains("the tensor `targets` is 4 x 1, but must be 2 x any"), "{}", message());
        let vocabulary = words(r#"["<pad>", "<s>", "a", "b"]"#);
        let tensors: [(&str, &[usize], &[f32]); 4] = [
            ("subtokens", &[4, 1], &[0.0; 4]),
            ("nodes", &[2, 1], &[0.0; 2]),
            ("forward.weight", &[3, 4], &[0.0; 12]),
            ("forward.bias", &[4], &[0.0; 4]),
        ];
        let gates = Scratch::new("code2seq-gates", &tensors, &vocabulary, "{}");
        let wrong = Code2Seq::open(gates.place()).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(wrong.contains("the tensor `forward.weight` is 3 x 4, but must be 2 x 4"), "{wrong}");
        std::fs::remove_dir_all(&gates.0).unwrap();
        let gone = Code2Seq::open(gates.place()).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(gone.starts_with("failed to read"), "{gone}");
    }
}
