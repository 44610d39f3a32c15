//! A RoBERTa classifier through which gradients flow: the same pass as [`model::huggingface::roberta`], made of operations that know their
//! derivative.
//!
//! The fused norms and softmax of candle have none, and it says nothing when a gradient is lost there, so everything here is made
//! of simple operations, but for a softmax of our own on the processor. A test compares the gradients with differences of the loss.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use candle_core::{CpuStorage, CustomOp1, CustomOp2, D, Device, Layout as Strides, Result, Shape, Tensor, Var};
use kernels::{Activation, softmax_rows, softmax_slopes};
use model::OpenError;
use model::huggingface::checkpoint::Checkpoint;
use model::huggingface::encoder::Slopes;
use model::huggingface::roberta::{Dimensions, Sequence};

/// A RoBERTa encoder with a head for classes.
pub struct Differentiable {
    weights: HashMap<String, Tensor>,
    device: Device,
    /// Only one thread computes on a device, so that two do not need twice the memory.
    turn: Mutex<()>,
    dimensions: Dimensions,
    prefix: String,
    head_prefix: String,
}

/// Where the weights come from, and what they are called.
pub struct Source {
    pub checkpoint: Checkpoint,
    /// The device that computes.
    pub device: Device,
    pub dimensions: Dimensions,
    /// What the names of the encoder's weights begin with.
    pub prefix: String,
    /// What the names of the head's weights begin with.
    pub head_prefix: String,
}

impl Differentiable {
    /// Reads the weights again, for the device that computes: the fast pass has them in another order.
    pub fn read(source: &Source) -> std::result::Result<Differentiable, OpenError> {
        let weights = source.checkpoint.weights()?;
        let mut tensors = HashMap::new();
        for name in weights.names() {
            let shape = weights.shape(name).unwrap_or_default();
            let tensor = Tensor::from_vec(weights.take(name, shape)?, shape, &source.device);
            let missing = |error| OpenError::Missing(format!("the device cannot hold `{name}`: {error}"));
            tensors.insert(name.to_owned(), tensor.map_err(missing)?);
        }
        Ok(Differentiable {
            weights: tensors,
            device: source.device.clone(),
            turn: Mutex::new(()),
            dimensions: source.dimensions,
            prefix: source.prefix.clone(),
            head_prefix: source.head_prefix.clone(),
        })
    }

    /// The gradients of the cross entropy of one output of the head, or of both classes of a head with one output.
    pub fn slopes(&self, sequences: &[&Sequence], output: usize) -> Result<Slopes> {
        let is_shared = !self.device.is_cpu();
        let _turn = is_shared.then(|| self.turn.lock().unwrap_or_else(PoisonError::into_inner));
        let words = self.get("embeddings.word_embeddings.weight")?;
        let mut embeddings = Vec::new();
        let mut firsts = Vec::new();
        for sequence in sequences {
            let ids = Tensor::new(sequence.ids.as_slice(), &self.device)?;
            let embedded = Var::from_tensor(&words.embedding(&ids)?)?;
            firsts.push(self.first_state(embedded.as_tensor(), sequence)?);
            embeddings.push(embedded);
        }
        let vector = Tensor::cat(&firsts, 1)?;
        let vector = self.linear(&vector, &format!("{}dense", self.head_prefix))?.tanh()?;
        let scores = self.linear(&vector, &format!("{}out_proj", self.head_prefix))?;
        let scores = match scores.dim(1)? {
            1 => Tensor::cat(&[&scores.zeros_like()?, &scores], 1)?,
            _ => scores,
        };
        let largest = scores.max_keepdim(D::Minus1)?.detach();
        let shifted = scores.broadcast_sub(&largest)?;
        let loss = (shifted.exp()?.sum_keepdim(D::Minus1)?.log()? - shifted.narrow(1, output, 1)?)?.sum_all()?;
        let gradients = loss.backward()?;
        let gradients = embeddings.iter().map(|embedded| match gradients.get(embedded.as_tensor()) {
            Some(gradient) => gradient.to_vec2(),
            None => candle_core::bail!("the loss does not depend on the embeddings"),
        });
        Ok(Slopes { loss: loss.to_scalar()?, gradients: gradients.collect::<Result<_>>()? })
    }

    fn first_state(&self, embedded: &Tensor, sequence: &Sequence) -> Result<Tensor> {
        let length = sequence.ids.len();
        let positions = Tensor::new(sequence.positions.as_slice(), &self.device)?;
        let positions = self.get("embeddings.position_embeddings.weight")?.embedding(&positions)?;
        let token_type = self.get("embeddings.token_type_embeddings.weight")?.narrow(0, 0, 1)?;
        let mut states = match &sequence.graph {
            None => embedded.clone(),
            Some(graph) => {
                // A matrix that leaves the code as it is and makes every node the mean of its tokens.
                let mut mixing = vec![0f32; length * length];
                (0..length).for_each(|row| mixing[row * length + row] = 1.0);
                for (node, tokens) in &graph.nodes {
                    mixing[node * length..][..length].fill(0.0);
                    let share = 1.0 / (tokens.len() as f32 + 1e-10);
                    tokens.iter().for_each(|token| mixing[node * length + token] = share);
                }
                Tensor::from_vec(mixing, (length, length), &self.device)?.matmul(embedded)?
            }
        };
        states = (states.broadcast_add(&token_type)? + positions)?;
        states = self.norm(&states, &format!("{}embeddings.LayerNorm", self.prefix))?;
        let bias = match &sequence.graph {
            None => None,
            Some(graph) => {
                let bias: Vec<f32> = graph.sees.iter().map(|sees| if *sees { 0.0 } else { -1e9 }).collect();
                Some(Tensor::from_vec(bias, (length, length), &self.device)?)
            }
        };
        for layer in 0..self.dimensions.layers {
            // Of the last block only the first state is looked at.
            let count = if layer + 1 == self.dimensions.layers { 1 } else { length };
            states = self.block(&states, count, bias.as_ref(), &format!("{}encoder.layer.{layer}.", self.prefix))?;
        }
        states.narrow(0, 0, 1)
    }

    /// The first `count` states after a block.
    fn block(&self, all: &Tensor, count: usize, bias: Option<&Tensor>, name: &str) -> Result<Tensor> {
        let hidden = all.dim(1)?;
        let (heads, width) = (self.dimensions.heads, hidden / self.dimensions.heads);
        let states = all.narrow(0, 0, count)?;
        let part = |part: &str, states: &Tensor| -> Result<Tensor> {
            let all = self.linear(states, &format!("{name}attention.self.{part}"))?;
            all.reshape(((), heads, width))?.transpose(0, 1)?.contiguous()
        };
        let queries = (part("query", &states)? / (width as f64).sqrt())?;
        let mut scores = queries.matmul(&part("key", all)?.transpose(1, 2)?.contiguous()?)?;
        if let Some(bias) = bias {
            scores = scores.broadcast_add(&bias.narrow(0, 0, count)?)?;
        }
        let weights = match self.device.is_cpu() {
            true => scores.apply_op1(Softmax)?,
            false => {
                let powers = scores.broadcast_sub(&scores.max_keepdim(D::Minus1)?.detach())?.exp()?;
                powers.broadcast_div(&powers.sum_keepdim(D::Minus1)?)?
            }
        };
        let seen = weights.matmul(&part("value", all)?)?.transpose(0, 1)?.contiguous()?.reshape((count, hidden))?;
        let seen = self.linear(&seen, &format!("{name}attention.output.dense"))?;
        let states = self.norm(&(states + seen)?, &format!("{name}attention.output.LayerNorm"))?;
        let inner = self.linear(&states, &format!("{name}intermediate.dense"))?;
        let inner = match self.dimensions.activation {
            Activation::None => inner,
            Activation::Relu => inner.relu()?,
            Activation::GeluTanh => inner.gelu()?,
            Activation::Tanh => inner.tanh()?,
            Activation::Gelu => inner.gelu_erf()?,
        };
        let inner = self.linear(&inner, &format!("{name}output.dense"))?;
        self.norm(&(states + inner)?, &format!("{name}output.LayerNorm"))
    }

    fn linear(&self, rows: &Tensor, name: &str) -> Result<Tensor> {
        let product = rows.matmul(&self.weight(&format!("{name}.weight"))?.t()?)?;
        match self.weights.get(&format!("{name}.bias")) {
            Some(bias) => product.broadcast_add(bias),
            None => Ok(product),
        }
    }

    fn norm(&self, rows: &Tensor, name: &str) -> Result<Tensor> {
        let centred = rows.broadcast_sub(&rows.mean_keepdim(D::Minus1)?)?;
        let deviation = (centred.sqr()?.mean_keepdim(D::Minus1)? + f64::from(self.dimensions.epsilon))?.sqrt()?;
        centred
            .broadcast_div(&deviation)?
            .broadcast_mul(self.weight(&format!("{name}.weight"))?)?
            .broadcast_add(self.weight(&format!("{name}.bias"))?)
    }

    fn get(&self, name: &str) -> Result<&Tensor> {
        self.weight(&format!("{}{name}", self.prefix))
    }

    fn weight(&self, name: &str) -> Result<&Tensor> {
        match self.weights.get(name) {
            Some(tensor) => Ok(tensor),
            None => candle_core::bail!("there are no weights `{name}`"),
        }
    }
}

/// The softmax of rows, which is most of the work on a processor when it is made of simple operations.
struct Softmax;

impl CustomOp1 for Softmax {
    fn name(&self) -> &'static str {
        "softmax of rows"
    }

    fn cpu_fwd(&self, scores: &CpuStorage, layout: &Strides) -> Result<(CpuStorage, Shape)> {
        let mut rows = numbers(scores, layout)?.to_vec();
        softmax_rows(&mut rows, layout.dims().last().copied().unwrap_or(1));
        Ok((CpuStorage::F32(rows), layout.shape().clone()))
    }

    fn bwd(&self, _: &Tensor, probabilities: &Tensor, slopes: &Tensor) -> Result<Option<Tensor>> {
        slopes.contiguous()?.apply_op2_no_bwd(probabilities, &SoftmaxSlopes).map(Some)
    }
}

/// The way back through [`Softmax`].
struct SoftmaxSlopes;

impl CustomOp2 for SoftmaxSlopes {
    fn name(&self) -> &'static str {
        "slopes of a softmax of rows"
    }

    fn cpu_fwd(
        &self,
        slopes: &CpuStorage,
        layout: &Strides,
        probabilities: &CpuStorage,
        layout_of_probabilities: &Strides,
    ) -> Result<(CpuStorage, Shape)> {
        let mut rows = numbers(slopes, layout)?.to_vec();
        let width = layout.dims().last().copied().unwrap_or(1);
        softmax_slopes(&mut rows, numbers(probabilities, layout_of_probabilities)?, width);
        Ok((CpuStorage::F32(rows), layout.shape().clone()))
    }
}

/// The numbers of a tensor that lie in their order.
fn numbers<'s>(storage: &'s CpuStorage, layout: &Strides) -> Result<&'s [f32]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice::<f32>()?[start..end]),
        None => candle_core::bail!("the rows of a softmax do not lie in their order"),
    }
}

#[cfg(test)]
mod tests {
    use model::huggingface::roberta::Graph;

    use super::*;

    const HIDDEN: usize = 4;

    /// A classifier with two blocks, whose weights look random.
    fn tiny(words: &[f32]) -> Differentiable {
        let mut tensors = HashMap::new();
        let mut seed = 0.3;
        let mut add = |name: &str, shape: &[usize]| {
            let count: usize = shape.iter().product();
            seed += 1.0;
            let numbers: Vec<f32> = (0..count).map(|at| ((at as f32 + 1.0) * seed * 12.9898).sin()).collect();
            tensors.insert(name.to_owned(), Tensor::from_vec(numbers, shape, &Device::Cpu).unwrap());
        };
        add("embeddings.position_embeddings.weight", &[8, HIDDEN]);
        add("embeddings.token_type_embeddings.weight", &[1, HIDDEN]);
        add("embeddings.LayerNorm.weight", &[HIDDEN]);
        add("embeddings.LayerNorm.bias", &[HIDDEN]);
        let square = ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"];
        for layer in 0..2 {
            let mut add = |name: &str, shape: &[usize]| add(&format!("encoder.layer.{layer}.{name}"), shape);
            for norm in ["attention.output", "output"] {
                add(&format!("{norm}.LayerNorm.weight"), &[HIDDEN]);
                add(&format!("{norm}.LayerNorm.bias"), &[HIDDEN]);
            }
            for name in square {
                add(&format!("{name}.weight"), &[HIDDEN, HIDDEN]);
                add(&format!("{name}.bias"), &[HIDDEN]);
            }
            add("intermediate.dense.weight", &[6, HIDDEN]);
            add("output.dense.weight", &[HIDDEN, 6]);
        }
        add("classifier.dense.weight", &[HIDDEN, HIDDEN]);
        add("classifier.out_proj.weight", &[3, HIDDEN]);
        let table = Tensor::from_vec(words.to_vec(), (words.len() / HIDDEN, HIDDEN), &Device::Cpu).unwrap();
        tensors.insert("embeddings.word_embeddings.weight".to_owned(), table);
        let dimensions = Dimensions {
            hidden: HIDDEN,
            heads: 2,
            inner: 6,
            layers: 2,
            vocabulary: words.len() / HIDDEN,
            positions: 8,
            types: 1,
            epsilon: 1e-5,
            activation: Activation::Gelu,
        };
        Differentiable {
            weights: tensors,
            device: Device::Cpu,
            turn: Mutex::new(()),
            dimensions,
            prefix: String::new(),
            head_prefix: "classifier.".to_owned(),
        }
    }

    #[test]
    fn gradients_are_the_slopes_of_the_loss() {
        let words: Vec<f32> = (0..5 * HIDDEN).map(|at| (at as f32 * 0.77).cos()).collect();
        let sees =
            vec![true, true, true, true, true, true, false, true, true, false, true, true, true, false, true, false];
        let graph = Graph { sees, nodes: vec![(3, vec![1, 2])] };
        for graph in [None, Some(graph)] {
            let sequence = Sequence { ids: vec![0, 2, 4, 1], positions: vec![2, 3, 4, 0], graph };
            for class in 0..3 {
                let slopes = tiny(&words).slopes(&[&sequence], class).unwrap();
                for (at, id) in sequence.ids.iter().enumerate() {
                    for number in 0..HIDDEN {
                        let loss = |step: f32| {
                            let mut words = words.clone();
                            words[*id as usize * HIDDEN + number] += step;
                            tiny(&words).slopes(&[&sequence], class).unwrap().loss as f64
                        };
                        let slope = (loss(5e-3) - loss(-5e-3)) / 1e-2;
                        let gradient = slopes.gradients[0][at][number] as f64;
                        assert!(
                            (slope - gradient).abs() < 2e-3 + 0.02 * slope.abs(),
                            "{at} {number}: {slope}, {gradient}"
                        );
                    }
                }
            }
        }
    }
}
