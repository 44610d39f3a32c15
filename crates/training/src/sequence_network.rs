//! code2seq as a network that learns, on any device.
//!
//! The same leaves and paths occur in many contexts of a batch, so that all that depends on a leaf or on a path alone is computed once for each
//! different one: the sum of the embeddings of its words, what two long short-term memories read in its nodes, and its share of the layer that
//! makes a context. A context is the sum of three such shares, with tanh. A query of the decoder is multiplied with the matrix of the keys, which
//! gives the same scores as keys of all contexts would.
//!
//! Dropout is drawn for each different leaf and path of a batch, and not for each context.

use crate::compute::{Compute, ComputeError, Dropout, Groups, Table};
use crate::network::DropoutRates;
use crate::shape::{LinearLayer, Parameter, ParameterKind};
use crate::train::{Asked, Learner};

/// The number of the word after the last subtoken of a name.
pub const END: u32 = 0;
/// The number that stands for every other subtoken.
pub const UNKNOWN: u32 = 1;
/// The number of the word before the first subtoken.
pub const START: u32 = 2;

/// How large a network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceShape {
    /// How many subtokens leaves have.
    pub words: usize,
    /// How many kinds of nodes there are.
    pub nodes: usize,
    /// How many subtokens names have, with those for the end, for all others and for the start.
    pub targets: usize,
    /// How many numbers the embedding of a subtoken or a node has, and the state of a path in each direction.
    pub width: usize,
    /// How many numbers a context and the state of the decoder have.
    pub vector: usize,
}

/// Where the parameters of a network stand.
#[derive(Clone, Debug)]
pub struct SequenceLayout {
    pub parameters: Vec<Parameter>,
    /// How many numbers there are, with the gaps between parameters.
    pub count: usize,
    /// How many of them decay, which are the first ones.
    decaying: usize,
    words: Table,
    nodes: Table,
    targets: Table,
    forward: Memory,
    backward: Memory,
    /// The shares of the first leaf, of the path read forwards and backwards, and of the second leaf.
    transform: [LinearLayer; 4],
    decoder: Memory,
    /// From the last attention vector to the gates of the decoder.
    fed: LinearLayer,
    keys: LinearLayer,
    attention_of_state: LinearLayer,
    attention_of_found: LinearLayer,
    output: LinearLayer,
}

/// The layers of a long short-term memory.
#[derive(Clone, Copy, Debug)]
struct Memory {
    /// From an input to the gates, with the bias.
    input: LinearLayer,
    state: LinearLayer,
}

/// Methods that are worked on together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SequenceBatch {
    /// The subtokens of all different leaves, one leaf after the other.
    pub words: Vec<u32>,
    /// The leaf that each of them belongs to.
    pub leaf_of_word: Vec<u32>,
    pub leaves: usize,
    /// The different nodes.
    pub nodes: Vec<u32>,
    /// The different paths, the longest first: places in `nodes`.
    pub paths: Vec<Vec<u32>>,
    /// A leaf, a path and a leaf.
    pub contexts: Vec<[u32; 3]>,
    /// Where the contexts of every method begin, and where those of the last end.
    pub starts: Vec<u32>,
    /// The subtokens of the name of every method, the longest names first.
    pub names: Vec<Vec<u32>>,
}

/// A network with its parameters.
pub struct SequenceNetwork<C: Compute> {
    layout: SequenceLayout,
    compute: C,
}

/// What the network knows of the contexts of a batch on its way.
struct Read<C: Compute> {
    leaves: C::Array,
    nodes: C::Array,
    forward: Vec<PathStep<C>>,
    backward: Vec<PathStep<C>>,
    forward_states: C::Array,
    backward_states: C::Array,
    inner: C::Array,
    contexts: C::Array,
    starts: C::Numbers,
    /// Scores with which all contexts of a method weigh the same.
    zeros: C::Array,
}

/// A node of the paths that are long enough. Paths end together, so that each begins when as many nodes are left as it has.
struct PathStep<C: Compute> {
    nodes: Vec<u32>,
    gates: C::Array,
    states: C::Array,
    cells: C::Array,
}

/// A subtoken of the names that are long enough.
struct NameStep<C: Compute> {
    words: Vec<u32>,
    embedded: C::Array,
    /// The attention vectors and the states before.
    fed: Option<C::Array>,
    before: C::Array,
    gates: C::Array,
    states: C::Array,
    cells: C::Array,
    queries: C::Array,
    found: C::Array,
    attention: C::Array,
}

/// What the names of a batch are written with.
struct Written<C: Compute> {
    mean: C::Array,
    steps: Vec<NameStep<C>>,
    /// The attention vectors of all steps.
    attention: C::Array,
}

impl SequenceShape {
    /// Where every parameter stands. The layers that take several things at once are one matrix for each of them.
    pub fn layout(&self) -> SequenceLayout {
        let SequenceShape { words, nodes, targets, width, vector } = *self;
        let (mut parameters, mut count): (Vec<Parameter>, usize) = (Vec::new(), 0);
        let mut place = |name: &str, shape: [usize; 2], kind: ParameterKind| -> usize {
            let start = count.next_multiple_of(8);
            let shape = if kind == ParameterKind::Bias { vec![shape[0]] } else { shape.to_vec() };
            let parameter = Parameter { name: name.to_owned(), shape, start, kind };
            count = start + parameter.count();
            parameters.push(parameter);
            start
        };
        let [words, nodes, targets_table] = [("subtokens", words), ("nodes", nodes), ("targets", targets)]
            .map(|(name, rows)| Table { start: place(name, [rows, width], ParameterKind::Even), width });
        let mut layer = |name: &str, outputs: usize, inputs: usize, all: usize| LinearLayer {
            weights: place(name, [outputs, inputs], ParameterKind::Part { inputs: all }),
            bias: None,
            inputs,
            outputs,
        };
        let [mut forward, mut backward] = ["forward", "backward"].map(|name| Memory {
            input: layer(&format!("{name}.input"), 4 * width, width, 2 * width),
            state: layer(&format!("{name}.state"), 4 * width, width, 2 * width),
        });
        let transform = ["source", "forward", "backward", "target"]
            .map(|name| layer(&format!("transform.{name}"), vector, width, 4 * width));
        let inputs = width + 2 * vector;
        let mut decoder = Memory {
            input: layer("decoder.word", 4 * vector, width, inputs),
            state: layer("decoder.state", 4 * vector, vector, inputs),
        };
        let fed = layer("decoder.fed", 4 * vector, vector, inputs);
        let keys = layer("keys", vector, vector, vector);
        let attention_of_state = layer("attention.state", vector, vector, 2 * vector);
        let attention_of_found = layer("attention.found", vector, vector, 2 * vector);
        let output = layer("output", targets, vector, vector);
        let memories = [("forward", &mut forward), ("backward", &mut backward), ("decoder", &mut decoder)];
        let mut decaying = None;
        for (name, memory) in memories {
            let start = place(&format!("{name}.bias"), [memory.input.outputs, 1], ParameterKind::Bias);
            memory.input.bias = Some(start);
            decaying.get_or_insert(start);
        }
        SequenceLayout {
            decaying: decaying.unwrap_or(count),
            parameters,
            count,
            words,
            nodes,
            targets: targets_table,
            forward,
            backward,
            transform,
            decoder,
            fed,
            keys,
            attention_of_state,
            attention_of_found,
            output,
        }
    }
}

impl SequenceLayout {
    /// Where the biases of the gates that forget stand, and how many each memory has. They begin with one, so that a memory remembers at first.
    pub fn forgetting(&self) -> [(usize, usize); 3] {
        [self.forward, self.backward, self.decoder].map(|memory| {
            let width = memory.state.inputs;
            (memory.input.bias.unwrap_or_default() + width, width)
        })
    }
}

impl SequenceBatch {
    /// For every step the node of each path that has begun.
    fn path_steps(&self, is_backward: bool) -> Vec<Vec<u32>> {
        let longest = self.paths.first().map_or(0, Vec::len);
        let node = |path: &Vec<u32>, left: usize| match is_backward {
            true => path[left - 1],
            false => path[path.len() - left],
        };
        let step = |left: usize| {
            self.paths.iter().take_while(|path| path.len() >= left).map(|path| node(path, left)).collect()
        };
        (1..=longest).rev().map(step).collect()
    }

    /// How many names have a word at a step; the last word of each is the end.
    fn names_at(&self, step: usize) -> usize {
        self.names.iter().take_while(|name| name.len() >= step).count()
    }

    /// How many steps the longest name has.
    fn name_steps(&self) -> usize {
        self.names.first().map_or(0, |name| name.len() + 1)
    }
}

impl Asked for SequenceBatch {
    fn tokens(&self) -> usize {
        self.contexts.len()
    }

    /// The first word of all names, then the second, and so on.
    fn answers(&self) -> Vec<u32> {
        let step = |step: usize| {
            self.names[..self.names_at(step)].iter().map(move |name| name.get(step).copied().unwrap_or(END))
        };
        (0..self.name_steps()).flat_map(step).collect()
    }
}

impl<C: Compute> SequenceNetwork<C> {
    /// A network whose parameters `compute` holds in the order of the shape's layout.
    pub fn new(shape: SequenceShape, compute: C) -> SequenceNetwork<C> {
        SequenceNetwork { layout: shape.layout(), compute }
    }

    fn read(&self, batch: &SequenceBatch, dropouts: [Dropout; 3]) -> Result<Read<C>, ComputeError> {
        let (compute, layout) = (&self.compute, &self.layout);
        let [of_leaves, of_forward, of_backward] = dropouts;
        let embedded = compute.look_up(&compute.numbers(&batch.words)?, &layout.words)?;
        let leaves = compute.gather_back(&embedded, &Groups::new(compute, &batch.leaf_of_word)?, batch.leaves)?;
        let leaves = compute.drop_out(leaves, of_leaves)?;
        let nodes = compute.look_up(&compute.numbers(&batch.nodes)?, &layout.nodes)?;
        let forward = self.read_paths(&nodes, batch.path_steps(false), &layout.forward)?;
        let backward = self.read_paths(&nodes, batch.path_steps(true), &layout.backward)?;
        let last = |steps: &[PathStep<C>], dropout: Dropout| match steps.last() {
            Some(step) => compute.drop_out(compute.slice(&step.states, 0, batch.paths.len())?, dropout),
            None => compute.array(&[], layout.nodes.width),
        };
        let (forward_states, backward_states) = (last(&forward, of_forward)?, last(&backward, of_backward)?);
        let [source, by_forward, by_backward, target] = &layout.transform;
        let paths = compute.linear(&forward_states, by_forward)?;
        let paths = compute.add(paths, &compute.linear(&backward_states, by_backward)?)?;
        let part = |own: &C::Array, which: usize| compute.gather(own, &compute.numbers(&column(batch, which))?);
        let inner = part(&compute.linear(&leaves, source)?, 0)?;
        let inner = compute.add(inner, &part(&paths, 1)?)?;
        let inner = compute.add(inner, &part(&compute.linear(&leaves, target)?, 2)?)?;
        let contexts = compute.activate(&inner, kernels::Activation::Tanh)?;
        let starts = compute.numbers(&batch.starts)?;
        let zeros = compute.array(&vec![0.0; batch.contexts.len()], 1)?;
        Ok(Read { leaves, nodes, forward, backward, forward_states, backward_states, inner, contexts, starts, zeros })
    }

    fn read_paths(
        &self,
        nodes: &C::Array,
        steps: Vec<Vec<u32>>,
        memory: &Memory,
    ) -> Result<Vec<PathStep<C>>, ComputeError> {
        let compute = &self.compute;
        let by_node = compute.linear(nodes, &memory.input)?;
        let mut made: Vec<PathStep<C>> = Vec::with_capacity(steps.len());
        for nodes in steps {
            let mut gates = compute.gather(&by_node, &compute.numbers(&nodes)?)?;
            let before = made.last();
            if let Some(before) = before {
                gates = compute.add(gates, &compute.linear(&before.states, &memory.state)?)?;
            }
            let (states, cells) = compute.remember(&gates, before.map(|before| &before.cells))?;
            made.push(PathStep { nodes, gates, states, cells });
        }
        Ok(made)
    }

    /// The slopes of the nodes, from those of the last states.
    fn read_paths_back(
        &self,
        nodes: &C::Array,
        mut steps: Vec<PathStep<C>>,
        slopes: C::Array,
        memory: &Memory,
    ) -> Result<C::Array, ComputeError> {
        let compute = &self.compute;
        let (mut of_states, mut of_cells) = (slopes, None);
        let mut by_node = None;
        while let Some(step) = steps.pop() {
            let before = steps.last();
            let cells = before.map(|before| &before.cells);
            let (of_gates, of_before) = compute.remember_back(&step.gates, cells, &of_states, of_cells.as_ref())?;
            let own = compute.gather_back(&of_gates, &Groups::new(compute, &step.nodes)?, compute.rows(nodes))?;
            by_node = Some(match by_node {
                Some(by_node) => compute.add(by_node, &own)?,
                None => own,
            });
            if let Some(before) = before {
                let of_gates = compute.slice(&of_gates, 0, compute.rows(&before.states))?;
                of_states = compute.linear_back(&before.states, &of_gates, &memory.state)?;
            }
            of_cells = Some(of_before);
        }
        match by_node {
            Some(by_node) => compute.linear_back(nodes, &by_node, &memory.input),
            None => compute.array(&[], memory.input.inputs),
        }
    }

    /// Writes the names, every word from the right ones before it.
    fn write(&self, batch: &SequenceBatch, read: &Read<C>) -> Result<Written<C>, ComputeError> {
        let (compute, layout) = (&self.compute, &self.layout);
        let mean = compute.pool(&read.contexts, &read.zeros, &read.starts)?;
        let mut steps: Vec<NameStep<C>> = Vec::new();
        for number in 0..batch.name_steps() {
            let count = batch.names_at(number);
            let word = |name: &Vec<u32>| number.checked_sub(1).map_or(START, |last| name[last]);
            let words: Vec<u32> = batch.names[..count].iter().map(word).collect();
            let last = steps.last();
            let (states, cells) = last.map_or((&mean, &mean), |last| (&last.states, &last.cells));
            let embedded = compute.look_up(&compute.numbers(&words)?, &layout.targets)?;
            let before = compute.slice(states, 0, count)?;
            let gates = compute.linear(&embedded, &layout.decoder.input)?;
            let mut gates = compute.add(gates, &compute.linear(&before, &layout.decoder.state)?)?;
            let fed = last.map(|last| compute.slice(&last.attention, 0, count)).transpose()?;
            if let Some(fed) = &fed {
                gates = compute.add(gates, &compute.linear(fed, &layout.fed)?)?;
            }
            let (states, cells) = compute.remember(&gates, Some(cells))?;
            let queries = compute.linear(&states, &layout.keys)?;
            let found = compute.pool_by_query(&queries, &read.contexts, &read.starts)?;
            let attention = compute.linear(&states, &layout.attention_of_state)?;
            let attention = compute.add(attention, &compute.linear(&found, &layout.attention_of_found)?)?;
            steps.push(NameStep { words, embedded, fed, before, gates, states, cells, queries, found, attention });
        }
        let all: Vec<&C::Array> = steps.iter().map(|step| &step.attention).collect();
        let attention = compute.join(&all)?;
        Ok(Written { mean, steps, attention })
    }

    /// The slopes of the contexts, from those of all attention vectors.
    fn write_back(&self, read: &Read<C>, written: Written<C>, slopes: &C::Array) -> Result<C::Array, ComputeError> {
        let (compute, layout) = (&self.compute, &self.layout);
        let Written { mean, mut steps, .. } = written;
        let mut end = compute.rows(slopes);
        let mut of_contexts = None;
        // What the step after gives back: the slopes of the states, of the cells and of the attention vectors.
        let (mut of_last, mut of_cells, mut of_fed) = (None, None, None);
        while let Some(step) = steps.pop() {
            let count = step.words.len();
            end -= count;
            let mut of_attention = compute.slice(slopes, end, count)?;
            if let Some(of_fed) = &of_fed {
                of_attention = compute.add(of_attention, of_fed)?;
            }
            let of_found = compute.linear_back(&step.found, &of_attention, &layout.attention_of_found)?;
            let mut of_states = compute.linear_back(&step.states, &of_attention, &layout.attention_of_state)?;
            let (of_queries, more) =
                compute.pool_by_query_back(&step.queries, &read.contexts, &read.starts, &of_found, of_contexts)?;
            of_contexts = Some(more);
            of_states = compute.add(of_states, &compute.linear_back(&step.states, &of_queries, &layout.keys)?)?;
            if let Some(of_last) = &of_last {
                of_states = compute.add(of_states, of_last)?;
            }
            let cells = steps.last().map_or(&mean, |last| &last.cells);
            let (of_gates, of_before) =
                compute.remember_back(&step.gates, Some(cells), &of_states, of_cells.as_ref())?;
            let of_words = compute.linear_back(&step.embedded, &of_gates, &layout.decoder.input)?;
            compute.look_up_back(&of_words, &Groups::new(compute, &step.words)?, &layout.targets)?;
            of_last = Some(compute.linear_back(&step.before, &of_gates, &layout.decoder.state)?);
            of_fed = step.fed.as_ref().map(|fed| compute.linear_back(fed, &of_gates, &layout.fed)).transpose()?;
            of_cells = Some(of_before);
        }
        let (Some(of_contexts), Some(of_states), Some(of_cells)) = (of_contexts, of_last, of_cells) else {
            // There are no methods, and so no contexts.
            return compute.array(&[], layout.keys.inputs);
        };
        // The mean of the contexts is both the first state and the first cell.
        let of_mean = compute.add(of_states, &of_cells)?;
        let (of_rows, _) = compute.pool_back(&read.contexts, &read.zeros, &read.starts, &of_mean)?;
        compute.add(of_contexts, &of_rows)
    }

    fn read_back(
        &self,
        batch: &SequenceBatch,
        read: Read<C>,
        slopes: C::Array,
        dropouts: [Dropout; 3],
    ) -> Result<(), ComputeError> {
        let (compute, layout) = (&self.compute, &self.layout);
        let [of_leaves, of_forward, of_backward] = dropouts;
        let slopes = compute.activate_back(&read.inner, slopes, kernels::Activation::Tanh)?;
        let [source, by_forward, by_backward, target] = &layout.transform;
        let part = |which: usize, count: usize| {
            compute.gather_back(&slopes, &Groups::new(compute, &column(batch, which))?, count)
        };
        let of_source = compute.linear_back(&read.leaves, &part(0, batch.leaves)?, source)?;
        let of_target = compute.linear_back(&read.leaves, &part(2, batch.leaves)?, target)?;
        let own = compute.drop_out(compute.add(of_source, &of_target)?, of_leaves)?;
        let own = compute.gather(&own, &compute.numbers(&batch.leaf_of_word)?)?;
        compute.look_up_back(&own, &Groups::new(compute, &batch.words)?, &layout.words)?;
        let of_paths = part(1, batch.paths.len())?;
        let own = compute.linear_back(&read.forward_states, &of_paths, by_forward)?;
        let own = compute.drop_out(own, of_forward)?;
        let of_nodes = self.read_paths_back(&read.nodes, read.forward, own, &layout.forward)?;
        let own = compute.linear_back(&read.backward_states, &of_paths, by_backward)?;
        let own = compute.drop_out(own, of_backward)?;
        let more = self.read_paths_back(&read.nodes, read.backward, own, &layout.backward)?;
        let of_nodes = compute.add(of_nodes, &more)?;
        compute.look_up_back(&of_nodes, &Groups::new(compute, &batch.nodes)?, &layout.nodes)
    }
}

/// The first leaves (0), the paths (1) or the second leaves (2) of all contexts.
fn column(batch: &SequenceBatch, which: usize) -> Vec<u32> {
    batch.contexts.iter().map(|context| context[which]).collect()
}

impl<C: Compute> Learner for SequenceNetwork<C> {
    type Device = C;
    type Batch = SequenceBatch;

    fn device(&self) -> &C {
        &self.compute
    }

    fn device_mut(&mut self) -> &mut C {
        &mut self.compute
    }

    fn decaying(&self) -> usize {
        self.layout.decaying
    }

    fn learn(
        &self,
        batch: &SequenceBatch,
        share: f32,
        rates: DropoutRates,
        key: u64,
    ) -> Result<C::Array, ComputeError> {
        let (compute, layout) = (&self.compute, &self.layout);
        let dropouts = [0, 1, 2].map(|place| Dropout::at(rates.hidden, key, place));
        let read = self.read(batch, dropouts)?;
        let written = self.write(batch, &read)?;
        let scores = compute.linear(&written.attention, &layout.output)?;
        let (losses, slopes) = compute.cross_entropy(scores, &compute.numbers(&batch.answers())?, share)?;
        let slopes = compute.linear_back(&written.attention, &slopes, &layout.output)?;
        let slopes = self.write_back(&read, written, &slopes)?;
        self.read_back(batch, read, slopes, dropouts)?;
        Ok(losses)
    }

    fn scores(&self, batch: &SequenceBatch) -> Result<Vec<f32>, ComputeError> {
        let read = self.read(batch, [Dropout::NONE; 3])?;
        let written = self.write(batch, &read)?;
        self.compute.read(&self.compute.linear(&written.attention, &self.layout.output)?)
    }
}

/// A small network and methods, for tests of every device.
#[cfg(test)]
pub mod testing {
    use super::*;
    use crate::compute::State;

    pub const SHAPE: SequenceShape = SequenceShape { words: 6, nodes: 5, targets: 7, width: 4, vector: 6 };

    pub fn state() -> State {
        let count = SHAPE.layout().count;
        let weights = (0..count).map(|place| ((place * 37 % 101) as f32 / 101.0 - 0.5) * 1.8).collect();
        State { weights, first_moments: vec![0.0; count], second_moments: vec![0.0; count] }
    }

    /// Paths of three lengths, leaves of one to three words, names of one to three words, and a method with a single context.
    pub fn batch() -> SequenceBatch {
        SequenceBatch {
            words: vec![1, 2, 0, 3, 4, 1, 5],
            leaf_of_word: vec![0, 0, 1, 2, 2, 2, 3],
            leaves: 4,
            nodes: vec![4, 0, 2],
            paths: vec![vec![0, 1, 2, 1], vec![1, 1, 0], vec![2, 0, 1], vec![2]],
            contexts: vec![[0, 0, 1], [1, 2, 2], [2, 1, 0], [0, 3, 3], [3, 0, 1], [1, 1, 3], [0, 2, 2]],
            starts: vec![0, 3, 4, 7],
            names: vec![vec![3, 4, 3], vec![5], vec![UNKNOWN]],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{SHAPE, batch, state};
    use super::*;
    use crate::processor::Processor;

    fn loss(network: &SequenceNetwork<Processor>, rates: DropoutRates) -> f64 {
        let losses = network.learn(&batch(), 2.0, rates, 3).unwrap();
        network.compute.read(&losses).unwrap().into_iter().map(f64::from).sum()
    }

    #[test]
    fn the_gradient_of_every_parameter_is_the_slope_of_the_loss() {
        for hidden in [0.0, 0.25] {
            let rates = DropoutRates { hidden, ..DropoutRates::NONE };
            let network = SequenceNetwork::new(SHAPE, Processor::new(state()));
            loss(&network, rates);
            let gradients = network.compute.gradients().unwrap();
            for parameter in &network.layout.parameters {
                let mut moving = 0;
                for (at, gradient) in gradients.iter().enumerate().skip(parameter.start).take(parameter.count()) {
                    let at_step = |step: f32| {
                        let mut moved = state();
                        moved.weights[at] += step;
                        loss(&SequenceNetwork::new(SHAPE, Processor::new(moved)), rates)
                    };
                    let slope = (at_step(5e-3) - at_step(-5e-3)) / 1e-2;
                    let gradient = f64::from(*gradient);
                    let problem = format!("{} {at}: the slope is {slope}, the gradient {gradient}", parameter.name);
                    assert!((slope - gradient).abs() < 1e-3 + 0.01 * slope.abs(), "{problem}");
                    moving += usize::from(gradient.abs() > 5e-3);
                }
                assert!(8 * moving > parameter.count(), "{}: only {moving} gradients are seen", parameter.name);
            }
        }
    }

    #[test]
    fn methods_do_not_depend_on_what_stands_beside_them() {
        let network = SequenceNetwork::new(SHAPE, Processor::new(state()));
        let (all, together) = (batch(), network.scores(&batch()).unwrap());
        // The second method has one context and a name of one word.
        let alone = SequenceBatch {
            contexts: all.contexts[3..4].to_vec(),
            starts: vec![0, 1],
            names: vec![all.names[1].clone()],
            ..all
        };
        let alone = network.scores(&alone).unwrap();
        assert_eq!(alone.len(), 2 * 7);
        // Three first words, three second ones, and so on.
        for (step, row) in alone.chunks_exact(7).enumerate() {
            let same = &together[(3 * step + 1) * 7..][..7];
            assert!(row.iter().zip(same).all(|(one, other)| (one - other).abs() < 1e-5), "{row:?} {same:?}");
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let gradients = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let network = SequenceNetwork::new(SHAPE, Processor::new(state()));
                loss(&network, DropoutRates::NONE);
                network.compute.gradients().unwrap()
            })
        };
        assert_eq!(gradients(1), gradients(3));
    }
}
