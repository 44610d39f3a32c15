//! code2vec as a network that learns, on any device.
//!
//! The three embeddings of a context stand side by side, and a layer with tanh makes one vector of them. Attention weighs the contexts of
//! a method, and the names are scored by the product with the weighed mean.

use crate::compute::{Compute, ComputeError, Dropout, Groups, Table};
use crate::network::DropoutRates;
use crate::shape::{LinearLayer, Parameter, ParameterKind};
use crate::train::{Asked, Learner};

/// How large a network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathShape {
    /// How many words leaves have.
    pub words: usize,
    /// How many paths there are.
    pub paths: usize,
    /// How many names can be answered.
    pub names: usize,
    /// How many numbers the embedding of a word or a path has.
    pub width: usize,
    /// How many numbers the vector of a method has.
    pub vector: usize,
}

/// Where the parameters of a network stand.
#[derive(Clone, Debug)]
pub struct PathLayout {
    pub parameters: Vec<Parameter>,
    /// How many numbers there are, with the gaps between parameters.
    pub count: usize,
    /// The words, and the paths after them.
    table: Table,
    transform: LinearLayer,
    attention: LinearLayer,
    names: LinearLayer,
}

/// Methods that are worked on together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodBatch {
    /// The rows of every context in the table: a word, a path, which come after the words, and a word.
    pub contexts: Vec<[u32; 3]>,
    /// Where the contexts of every method begin, and where those of the last end.
    pub starts: Vec<u32>,
    /// The name of every method.
    pub names: Vec<u32>,
}

/// A network with its parameters.
pub struct PathNetwork<C: Compute> {
    layout: PathLayout,
    compute: C,
}

/// What the network knows of a batch on its way.
struct Passed<C: Compute> {
    embedded: C::Array,
    inner: C::Array,
    contexts: C::Array,
    weights: C::Array,
    starts: C::Numbers,
    vectors: C::Array,
}

impl PathShape {
    /// Where every parameter stands.
    pub fn layout(&self) -> PathLayout {
        let PathShape { words, paths, names, width, vector } = *self;
        let plan = [
            ("tokens", vec![words, width]),
            // They are one table with the words, so that a context is three rows of it.
            ("paths", vec![paths, width]),
            ("transform", vec![vector, 3 * width]),
            ("attention", vec![vector]),
            ("names", vec![names, vector]),
        ];
        let (mut parameters, mut count) = (Vec::new(), 0_usize);
        for (name, shape) in plan {
            if name != "paths" {
                count = count.next_multiple_of(8);
            }
            let parameter = Parameter { name: name.to_owned(), shape, start: count, kind: ParameterKind::Even };
            count += parameter.count();
            parameters.push(parameter);
        }
        let layer = |place: usize, inputs: usize, outputs: usize| {
            let parameter: &Parameter = &parameters[place];
            LinearLayer { weights: parameter.start, bias: None, inputs, outputs }
        };
        PathLayout {
            count,
            table: Table { start: 0, width },
            transform: layer(2, 3 * width, vector),
            attention: layer(3, vector, 1),
            names: layer(4, vector, names),
            parameters,
        }
    }
}

impl<C: Compute> PathNetwork<C> {
    /// A network whose parameters `compute` holds in the order of the shape's layout.
    pub fn new(shape: PathShape, compute: C) -> PathNetwork<C> {
        PathNetwork { layout: shape.layout(), compute }
    }

    fn forward(&self, batch: &MethodBatch, dropout: Dropout) -> Result<Passed<C>, ComputeError> {
        let (compute, layout) = (&self.compute, &self.layout);
        let embedded = compute.look_up(&compute.numbers(batch.contexts.as_flattened())?, &layout.table)?;
        let embedded = compute.drop_out(compute.with_columns(embedded, 3 * layout.table.width), dropout)?;
        let inner = compute.linear(&embedded, &layout.transform)?;
        let contexts = compute.activate(&inner, kernels::Activation::Tanh)?;
        let weights = compute.linear(&contexts, &layout.attention)?;
        let starts = compute.numbers(&batch.starts)?;
        let vectors = compute.pool(&contexts, &weights, &starts)?;
        Ok(Passed { embedded, inner, contexts, weights, starts, vectors })
    }
}

impl<C: Compute> Learner for PathNetwork<C> {
    type Device = C;
    type Batch = MethodBatch;

    fn device(&self) -> &C {
        &self.compute
    }

    fn device_mut(&mut self) -> &mut C {
        &mut self.compute
    }

    fn decaying(&self) -> usize {
        self.layout.count
    }

    fn learn(&self, batch: &MethodBatch, share: f32, rates: DropoutRates, key: u64) -> Result<C::Array, ComputeError> {
        let (compute, layout) = (&self.compute, &self.layout);
        let dropout = Dropout { rate: rates.hidden, key: (key ^ (key >> 32)) as u32 };
        let passed = self.forward(batch, dropout)?;
        let scores = compute.linear(&passed.vectors, &layout.names)?;
        let (losses, slopes) = compute.cross_entropy(scores, &compute.numbers(&batch.names)?, share)?;
        let slopes = compute.linear_back(&passed.vectors, &slopes, &layout.names)?;
        let (of_contexts, of_weights) =
            compute.pool_back(&passed.contexts, &passed.weights, &passed.starts, &slopes)?;
        let by_attention = compute.linear_back(&passed.contexts, &of_weights, &layout.attention)?;
        let slopes = compute.add(of_contexts, &by_attention)?;
        let slopes = compute.activate_back(&passed.inner, slopes, kernels::Activation::Tanh)?;
        let slopes = compute.linear_back(&passed.embedded, &slopes, &layout.transform)?;
        let slopes = compute.drop_out(slopes, dropout)?;
        let rows = Groups::new(compute, batch.contexts.as_flattened())?;
        compute.look_up_back(&compute.with_columns(slopes, layout.table.width), &rows, &layout.table)?;
        Ok(losses)
    }

    fn scores(&self, batch: &MethodBatch) -> Result<Vec<f32>, ComputeError> {
        let passed = self.forward(batch, Dropout::NONE)?;
        self.compute.read(&self.compute.linear(&passed.vectors, &self.layout.names)?)
    }
}

impl Asked for MethodBatch {
    fn tokens(&self) -> usize {
        self.contexts.len()
    }

    fn answers(&self) -> Vec<u32> {
        self.names.clone()
    }
}

/// A small network and methods, for tests of every device.
#[cfg(test)]
pub mod testing {
    use super::*;
    use crate::compute::State;

    pub const SHAPE: PathShape = PathShape { words: 5, paths: 4, names: 6, width: 4, vector: 8 };

    pub fn state() -> State {
        let count = SHAPE.layout().count;
        let weights = (0..count).map(|place| ((place * 37 % 101) as f32 / 101.0 - 0.5) * 0.8).collect();
        State { weights, first_moments: vec![0.0; count], second_moments: vec![0.0; count] }
    }

    pub fn batch() -> MethodBatch {
        let contexts = vec![[0, 5, 1], [1, 8, 4], [2, 6, 2], [3, 7, 0], [4, 5, 1], [1, 5, 3]];
        MethodBatch { contexts, starts: vec![0, 3, 4, 6], names: vec![2, 0, 5] }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{SHAPE, batch, state};
    use super::*;
    use crate::compute::State;
    use crate::processor::Processor;

    fn loss(network: &PathNetwork<Processor>, rates: DropoutRates) -> f64 {
        let losses = network.learn(&batch(), 0.5, rates, 3).unwrap();
        network.compute.read(&losses).unwrap().into_iter().map(f64::from).sum()
    }

    #[test]
    fn the_gradient_of_every_parameter_is_the_slope_of_the_loss() {
        for hidden in [0.0, 0.25] {
            let rates = DropoutRates { hidden, ..DropoutRates::NONE };
            let network = PathNetwork::new(SHAPE, Processor::new(state()));
            loss(&network, rates);
            let gradients = network.compute.gradients().unwrap();
            let mut moving = 0;
            for parameter in &network.layout.parameters {
                for (at, gradient) in gradients.iter().enumerate().skip(parameter.start).take(parameter.count()) {
                    let at_step = |step: f32| {
                        let mut moved = state();
                        moved.weights[at] += step;
                        loss(&PathNetwork::new(SHAPE, Processor::new(moved)), rates)
                    };
                    let slope = (at_step(5e-3) - at_step(-5e-3)) / 1e-2;
                    let gradient = f64::from(*gradient);
                    let problem = format!("{} {at}: the slope is {slope}, the gradient {gradient}", parameter.name);
                    assert!((slope - gradient).abs() < 1e-3 + 0.02 * slope.abs(), "{problem}");
                    moving += usize::from(gradient.abs() > 1e-6);
                }
            }
            assert!(moving > 100, "only {moving} parameters have a gradient");
        }
    }

    #[test]
    fn scores_are_those_of_the_definition() {
        let State { weights, .. } = state();
        let network = PathNetwork::new(SHAPE, Processor::new(state()));
        let scores = network.scores(&batch()).unwrap();
        // The second method has one context, so that its vector is that of the context.
        let layout = SHAPE.layout();
        let row = |number: usize| &weights[number * 4..][..4];
        let joint: Vec<f32> = [3, 7, 0].iter().flat_map(|number| row(*number).to_vec()).collect();
        let product = |row: &[f32], other: &[f32]| row.iter().zip(other).map(|(one, other)| one * other).sum::<f32>();
        let vector: Vec<f32> = (0..8)
            .map(|output| product(&weights[layout.transform.weights + output * 12..][..12], &joint).tanh())
            .collect();
        for name in 0..6 {
            let wanted = product(&weights[layout.names.weights + name * 8..][..8], &vector);
            assert!((scores[6 + name] - wanted).abs() < 1e-5, "{} {wanted}", scores[6 + name]);
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let gradients = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let network = PathNetwork::new(SHAPE, Processor::new(state()));
                loss(&network, DropoutRates::NONE);
                network.compute.gradients().unwrap()
            })
        };
        assert_eq!(gradients(1), gradients(3));
    }
}
