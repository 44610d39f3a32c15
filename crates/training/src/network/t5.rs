//! T5 as a network that learns, on any device: an encoder, a decoder that sees its states, and a head for texts or for classes.
//!
//! A stack is a row of parts: attention to its own sequence, attention to the encoder's states, and a small network. Each part is given
//! the normed sum of all parts before it, and adds what it makes to the sum. The distances between places are put into buckets, whose
//! numbers are added to the scores of all layers of a stack.
//!
//! A text is written word by word. For a class the decoder reads the program once more, and the head gets its state at the last end
//! token, as `T5ForSequenceClassification` and CodeT5's own models have it.

use std::collections::HashMap;

use kernels::Activation;
use model::huggingface::encoder::Slopes;
use model::huggingface::t5::{Dimensions, Direction};

use super::teaching::{self, Pulls};
use super::{Batch, DropoutRates, Keys, LENGTH_STEP, Question, next_words, no_head, packed};
use crate::compute::{Attention, Compute, ComputeError, DistanceBias, Groups, Scaled, Table};
use crate::shape::{LinearLayer, Parameter, ParameterKind, Placing, PlannedParameter, ScaleLayer};
use crate::train::Learner;

/// What a T5 network consists of, and the tokens that its decoder begins and ends with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct T5Shape {
    pub dimensions: Dimensions,
    pub head: T5Head,
    /// The token that everything begins with that the decoder reads.
    pub start: u32,
    /// The token that ends a program.
    pub end: u32,
}

/// What stands after the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum T5Head {
    /// The next word of a text: by a layer of its own or by the embeddings of the words, of states that may be scaled.
    Texts { has_own_output: bool, is_scaled: bool },
    /// A class for the vectors of one sequence (a program) or of two side by side (a pair), by two layers or by one.
    Classes { vectors: usize, classes: usize, is_deep: bool },
}

/// Where the parameters of a network stand.
pub struct T5Layout {
    /// In the order of their places.
    pub parameters: Vec<Parameter>,
    /// How many numbers there are, with the gaps between parameters.
    pub count: usize,
    /// The number of them that decay, which come first.
    pub decaying: usize,
    /// The embeddings of the words.
    pub words: Table,
    encoder: StackLayout,
    decoder: StackLayout,
    head: HeadLayout,
}

struct StackLayout {
    parts: Vec<PartLayout>,
    last_norm: ScaleLayer,
    /// Where the numbers of the buckets of distances begin.
    biases: usize,
}

struct PartLayout {
    norm: ScaleLayer,
    layers: PartLayers,
}

enum PartLayers {
    /// Attention to the sequence itself.
    Own {
        queries_keys_values: LinearLayer,
        output: LinearLayer,
    },
    /// Attention to the encoder's states.
    Other {
        queries: LinearLayer,
        keys_values: LinearLayer,
        output: LinearLayer,
    },
    Feed {
        up: LinearLayer,
        gate: Option<LinearLayer>,
        down: LinearLayer,
    },
}

#[derive(Clone, Copy)]
enum HeadLayout {
    Texts { output: LinearLayer, scale: Option<f32> },
    Classes { dense: Option<LinearLayer>, output: LinearLayer },
}

/// A T5 that can learn.
pub struct T5Network<C: Compute> {
    pub shape: T5Shape,
    pub layout: T5Layout,
    /// What holds the parameters.
    pub compute: C,
}

impl T5Shape {
    /// Where every parameter stands, by its name in transformers' `T5Model`.
    pub fn layout(&self) -> T5Layout {
        let Dimensions { hidden, vocabulary, layers, decoder_layers, .. } = self.dimensions;
        let mut plan = vec![("shared.weight".to_owned(), vec![vocabulary, hidden], ParameterKind::Part { inputs: 1 })];
        self.plan_stack(&mut plan, "encoder", layers);
        self.plan_stack(&mut plan, "decoder", decoder_layers);
        match self.head {
            T5Head::Texts { has_own_output: false, .. } => {}
            T5Head::Texts { has_own_output: true, .. } => {
                plan.push(("lm_head.weight".to_owned(), vec![vocabulary, hidden], ParameterKind::Part { inputs: 1 }));
            }
            T5Head::Classes { vectors, classes, is_deep } => {
                let last = if is_deep { hidden } else { vectors * hidden };
                let layers = [("dense", vectors * hidden, hidden), ("out_proj", last, classes)];
                for (name, inputs, outputs) in layers.into_iter().skip(usize::from(!is_deep)) {
                    let name = |end: &str| format!("classification_head.{name}.{end}");
                    plan.push((name("weight"), vec![outputs, inputs], ParameterKind::Part { inputs: hidden }));
                    plan.push((name("bias"), vec![outputs], ParameterKind::Bias));
                }
            }
        }
        // Queries, keys and values stand together, so that they are one layer; so do the keys and values of the encoder's states.
        let joined = ["SelfAttention.k.", "SelfAttention.v.", "EncDecAttention.v."];
        let Placing { parameters, count, decaying } = Placing::new(plan, &joined);
        let starts = parameters.iter().map(|parameter| (parameter.name.as_str(), parameter.start)).collect();
        let places = Places { starts, dimensions: self.dimensions };
        let (encoder, decoder) = (places.stack("encoder", layers), places.stack("decoder", decoder_layers));
        let words = Table { start: places.at("shared.weight"), width: hidden };
        let head = match self.head {
            T5Head::Texts { has_own_output, is_scaled } => {
                let weights = if has_own_output { places.at("lm_head.weight") } else { words.start };
                HeadLayout::Texts {
                    output: LinearLayer { weights, bias: None, inputs: hidden, outputs: vocabulary },
                    scale: is_scaled.then(|| (hidden as f32).powf(-0.5)),
                }
            }
            T5Head::Classes { vectors, classes, is_deep } => {
                let layer = |name: &str, inputs: usize, outputs: usize| LinearLayer {
                    bias: Some(places.at(&format!("classification_head.{name}.bias"))),
                    ..places.linear(&format!("classification_head.{name}"), inputs, outputs)
                };
                let dense = is_deep.then(|| layer("dense", vectors * hidden, hidden));
                let output = layer("out_proj", if is_deep { hidden } else { vectors * hidden }, classes);
                HeadLayout::Classes { dense, output }
            }
        };
        T5Layout { count, decaying, words, encoder, decoder, head, parameters }
    }

    /// The parameters of a stack, which begin as in transformers.
    fn plan_stack(&self, plan: &mut Vec<PlannedParameter>, stack: &str, layers: usize) {
        let Dimensions { hidden, heads, width, inner, buckets, is_gated, .. } = self.dimensions;
        let all = heads * width;
        let is_decoder = stack == "decoder";
        let mut add = |name: String, shape: &[usize], kind| plan.push((name, shape.to_vec(), kind));
        for layer in 0..layers {
            let name = |end: &str| format!("{stack}.block.{layer}.layer.{end}.weight");
            let attentions: &[&str] =
                if is_decoder { &["0.SelfAttention", "1.EncDecAttention"] } else { &["0.SelfAttention"] };
            for (part, attention) in attentions.iter().enumerate() {
                let name = |end: &str| name(&format!("{attention}.{end}"));
                // Scores are not divided by the width of a head, so that queries begin smaller.
                add(name("q"), &[all, hidden], ParameterKind::Part { inputs: hidden * width });
                add(name("k"), &[all, hidden], ParameterKind::Part { inputs: hidden });
                add(name("v"), &[all, hidden], ParameterKind::Part { inputs: hidden });
                add(name("o"), &[hidden, all], ParameterKind::Part { inputs: all });
                if layer == 0 && part == 0 {
                    add(name("relative_attention_bias"), &[buckets, heads], ParameterKind::Part { inputs: hidden });
                }
            }
            let last = attentions.len();
            let feed = |end: &str| name(&format!("{last}.DenseReluDense.{end}"));
            let up: &[&str] = if is_gated { &["wi_0", "wi_1"] } else { &["wi"] };
            up.iter().for_each(|up| add(feed(up), &[inner, hidden], ParameterKind::Part { inputs: hidden }));
            add(feed("wo"), &[hidden, inner], ParameterKind::Part { inputs: inner });
            (0..=last).for_each(|part| add(name(&format!("{part}.layer_norm")), &[hidden], ParameterKind::Scale));
        }
        add(format!("{stack}.final_layer_norm.weight"), &[hidden], ParameterKind::Scale);
    }
}

/// Where the parameters stand, by name.
struct Places<'a> {
    starts: HashMap<&'a str, usize>,
    dimensions: Dimensions,
}

impl Places<'_> {
    fn at(&self, name: &str) -> usize {
        self.starts[name]
    }

    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> LinearLayer {
        LinearLayer { weights: self.at(&format!("{name}.weight")), bias: None, inputs, outputs }
    }

    fn stack(&self, stack: &str, layers: usize) -> StackLayout {
        let Dimensions { hidden, heads, width, inner, epsilon, is_gated, .. } = self.dimensions;
        let all = heads * width;
        let is_decoder = stack == "decoder";
        let norm = |name: String| ScaleLayer { scale: self.at(&format!("{name}.weight")), width: hidden, epsilon };
        let mut parts = Vec::new();
        for layer in 0..layers {
            let name = |end: &str| format!("{stack}.block.{layer}.layer.{end}");
            let mut add = |layers: PartLayers, part: usize| {
                parts.push(PartLayout { norm: norm(name(&format!("{part}.layer_norm"))), layers });
            };
            let own = PartLayers::Own {
                queries_keys_values: self.linear(&name("0.SelfAttention.q"), hidden, 3 * all),
                output: self.linear(&name("0.SelfAttention.o"), all, hidden),
            };
            add(own, 0);
            if is_decoder {
                let other = PartLayers::Other {
                    queries: self.linear(&name("1.EncDecAttention.q"), hidden, all),
                    keys_values: self.linear(&name("1.EncDecAttention.k"), hidden, 2 * all),
                    output: self.linear(&name("1.EncDecAttention.o"), all, hidden),
                };
                add(other, 1);
            }
            let last = if is_decoder { 2 } else { 1 };
            let feed = |end: &str| name(&format!("{last}.DenseReluDense.{end}"));
            let layers = PartLayers::Feed {
                up: self.linear(&feed(if is_gated { "wi_0" } else { "wi" }), hidden, inner),
                gate: is_gated.then(|| self.linear(&feed("wi_1"), hidden, inner)),
                down: self.linear(&feed("wo"), inner, hidden),
            };
            add(layers, last);
        }
        StackLayout {
            parts,
            last_norm: norm(format!("{stack}.final_layer_norm")),
            biases: self.at(&format!("{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight")),
        }
    }
}

impl StackLayout {
    /// The norm before a part, or after the last.
    fn norm(&self, part: usize) -> &ScaleLayer {
        self.parts.get(part).map_or(&self.last_norm, |part| &part.norm)
    }
}

/// The number of dropouts that a part of a stack has.
const DROPOUTS: usize = 3;

impl<C: Compute> T5Network<C> {
    /// A network whose parameters `compute` holds in the order of the shape's layout.
    pub fn new(shape: T5Shape, compute: C) -> T5Network<C> {
        T5Network { layout: shape.layout(), shape, compute }
    }

    /// The loss of a batch that asks for classes, and the gradients of the embeddings of the tokens of every sequence. The decoder reads a
    /// program once more, so that both count.
    pub fn word_slopes(&self, batch: &Batch) -> Result<Slopes, ComputeError> {
        let placed = Placed::new(self, batch)?;
        let Passed { losses, of_programs, of_texts } = self.both_ways(&placed, 1.0, Keys::NONE)?;
        let [of_programs, of_texts] = [self.compute.read(&of_programs)?, self.compute.read(&of_texts)?];
        let (hidden, texts) = (self.shape.dimensions.hidden, placed.texts.length);
        let slopes = batch.sequences.iter().enumerate().map(|(number, sequence)| {
            let row = |all: &[f32], place: usize| all[place * hidden..][..hidden].to_vec();
            let place = |at: usize| {
                let mut own = row(&of_programs, number * placed.programs.length + at);
                // The decoder begins with a token of its own. What stands after the last end is not read again, and places that pad have
                // no slopes.
                if at + 1 < texts {
                    let again = row(&of_texts, number * texts + at + 1);
                    own.iter_mut().zip(again).for_each(|(slope, again)| *slope += again);
                }
                own
            };
            (0..sequence.ids.len()).map(place).collect()
        });
        Ok(Slopes { loss: self.compute.read(&losses)?.iter().sum(), gradients: slopes.collect() })
    }

    fn both_ways(&self, placed: &Placed<C>, share: f32, keys: Keys) -> Result<Passed<C>, ComputeError> {
        let (compute, layout) = (&self.compute, &self.layout);
        let Placed { programs, texts, .. } = placed;
        let (states, encoded) = self.pass(&layout.encoder, programs, None, keys)?;
        let other = Some((&states, programs));
        let (written, decoded) = self.pass(&layout.decoder, texts, other, keys.of_decoder())?;
        let (scores, kept) = self.head(&written, placed, keys)?;
        let (losses, slopes) = teaching::losses(compute, scores, &placed.classes, share, &placed.pulls)?;
        let slopes = self.head_back(kept, &slopes, placed, keys)?;
        let (of_texts, of_states) =
            self.pass_back(&layout.decoder, decoded, slopes, texts, other, keys.of_decoder())?;
        let of_states = of_states.ok_or_else(no_head)?;
        let (of_programs, _) = self.pass_back(&layout.encoder, encoded, of_states, programs, None, keys)?;
        Ok(Passed { losses, of_programs, of_texts })
    }

    /// The states after a stack, and what it keeps for its way back.
    fn pass(
        &self,
        stack: &StackLayout,
        own: &Sequences<C>,
        other: Option<(&C::Array, &Sequences<C>)>,
        keys: Keys,
    ) -> Result<(C::Array, StackKept<C>), ComputeError> {
        let compute = &self.compute;
        let words = compute.look_up(&own.ids, &self.layout.words)?;
        let Scaled { mut sum, mut normed, kept } = compute.add_and_scale(words, None, stack.norm(0), keys.hidden(0))?;
        let (mut norms, mut parts) = (vec![kept], Vec::new());
        for number in 0..stack.parts.len() {
            let dropout = keys.hidden(DROPOUTS * (number + 1));
            let (out, kept) = self.part(stack, number, normed, own, other, keys)?;
            parts.push(kept);
            let after = compute.add_and_scale(out, Some(&sum), stack.norm(number + 1), dropout)?;
            (sum, normed) = (after.sum, after.normed);
            norms.push(after.kept);
        }
        let states = compute.drop_out(normed, keys.hidden(DROPOUTS * (stack.parts.len() + 1)))?;
        Ok((states, StackKept { norms, parts }))
    }

    /// The slopes of the words of a stack, and of the states of the other that it sees.
    fn pass_back(
        &self,
        stack: &StackLayout,
        kept: StackKept<C>,
        slopes: C::Array,
        own: &Sequences<C>,
        other: Option<(&C::Array, &Sequences<C>)>,
        keys: Keys,
    ) -> Result<(C::Array, Option<C::Array>), ComputeError> {
        let compute = &self.compute;
        let StackKept { norms, parts } = kept;
        let mut of_normed = compute.drop_out(slopes, keys.hidden(DROPOUTS * (stack.parts.len() + 1)))?;
        let (mut of_sum, mut of_other): (Option<C::Array>, Option<C::Array>) = (None, None);
        for (number, part) in parts.into_iter().enumerate().rev() {
            let dropout = keys.hidden(DROPOUTS * (number + 1));
            let norm = stack.norm(number + 1);
            let (of_out, of_residual) =
                compute.add_and_scale_back(&norms[number + 1], &of_normed, of_sum.as_ref(), norm, dropout)?;
            let more;
            (of_normed, more) = self.part_back(stack, number, part, &of_out, own, other, keys)?;
            of_other = match (of_other, more) {
                (Some(sum), Some(more)) => Some(compute.add(sum, &more)?),
                (sum, more) => sum.or(more),
            };
            of_sum = Some(of_residual);
        }
        let (words, _) =
            compute.add_and_scale_back(&norms[0], &of_normed, of_sum.as_ref(), stack.norm(0), keys.hidden(0))?;
        compute.look_up_back(&words, &own.by_id, &self.layout.words)?;
        Ok((words, of_other))
    }

    fn part(
        &self,
        stack: &StackLayout,
        number: usize,
        input: C::Array,
        own: &Sequences<C>,
        other: Option<(&C::Array, &Sequences<C>)>,
        keys: Keys,
    ) -> Result<(C::Array, PartKept<C>), ComputeError> {
        let compute = &self.compute;
        match &stack.parts[number].layers {
            PartLayers::Own { queries_keys_values, output } => {
                let all = compute.linear(&input, queries_keys_values)?;
                let seen = compute.attend(&all, &self.own_attention(stack, own, keys, number))?;
                Ok((compute.linear(&seen, output)?, PartKept::Own { input, all, seen }))
            }
            PartLayers::Other { queries, keys_values, output } => {
                let (states, programs) = other.ok_or_else(no_head)?;
                let queries = compute.linear(&input, queries)?;
                let keys_values = compute.linear(states, keys_values)?;
                let attention = self.other_attention(own, programs, keys, number);
                let found = compute.attend_to(&queries, &keys_values, &attention)?;
                Ok((compute.linear(&found, output)?, PartKept::Other { input, queries, keys_values, found }))
            }
            PartLayers::Feed { up, gate, down } => {
                let inner = compute.linear(&input, up)?;
                let activated = compute.activate(&inner, self.shape.dimensions.activation)?;
                let (product, gated) = match gate {
                    None => (activated, None),
                    Some(gate) => {
                        let gate = compute.linear(&input, gate)?;
                        (compute.multiply(&activated, &gate)?, Some((activated, gate)))
                    }
                };
                let dropped = compute.drop_out(product, keys.hidden(DROPOUTS * number + 2))?;
                Ok((compute.linear(&dropped, down)?, PartKept::Feed { input, inner, gated, dropped }))
            }
        }
    }

    /// The slopes of what a part is given, and of the encoder's states where it sees them.
    #[expect(clippy::too_many_arguments, reason = "what the way there is given, what it kept, and the slopes")]
    fn part_back(
        &self,
        stack: &StackLayout,
        number: usize,
        kept: PartKept<C>,
        slopes: &C::Array,
        own: &Sequences<C>,
        other: Option<(&C::Array, &Sequences<C>)>,
        keys: Keys,
    ) -> Result<(C::Array, Option<C::Array>), ComputeError> {
        let compute = &self.compute;
        match (&stack.parts[number].layers, kept) {
            (PartLayers::Own { queries_keys_values, output }, PartKept::Own { input, all, seen }) => {
                let slopes = compute.linear_back(&seen, slopes, output)?;
                let slopes = compute.attend_back(&all, &slopes, &self.own_attention(stack, own, keys, number))?;
                Ok((compute.linear_back(&input, &slopes, queries_keys_values)?, None))
            }
            (
                PartLayers::Other { queries: to_queries, keys_values: to_keys_values, output },
                PartKept::Other { input, queries, keys_values, found },
            ) => {
                let (states, programs) = other.ok_or_else(no_head)?;
                let slopes = compute.linear_back(&found, slopes, output)?;
                let attention = self.other_attention(own, programs, keys, number);
                let (of_queries, of_keys_values) =
                    compute.attend_to_back(&queries, &keys_values, &slopes, &attention)?;
                let of_states = compute.linear_back(states, &of_keys_values, to_keys_values)?;
                Ok((compute.linear_back(&input, &of_queries, to_queries)?, Some(of_states)))
            }
            (PartLayers::Feed { up, gate, down }, PartKept::Feed { input, inner, gated, dropped }) => {
                let slopes = compute.linear_back(&dropped, slopes, down)?;
                let slopes = compute.drop_out(slopes, keys.hidden(DROPOUTS * number + 2))?;
                let activation = self.shape.dimensions.activation;
                let (Some(gate), Some((activated, own))) = (gate, gated) else {
                    let slopes = compute.activate_back(&inner, slopes, activation)?;
                    return Ok((compute.linear_back(&input, &slopes, up)?, None));
                };
                let of_gate = compute.multiply(&slopes, &activated)?;
                let of_inner = compute.activate_back(&inner, compute.multiply(&slopes, &own)?, activation)?;
                let by_gate = compute.linear_back(&input, &of_gate, gate)?;
                Ok((compute.add(compute.linear_back(&input, &of_inner, up)?, &by_gate)?, None))
            }
            _ => Err(no_head()),
        }
    }

    /// The attention of a sequence to itself; of a text only to what stands before.
    fn own_attention<'p>(
        &self,
        stack: &StackLayout,
        own: &'p Sequences<C>,
        keys: Keys,
        number: usize,
    ) -> Attention<'p, C> {
        let bias =
            DistanceBias { table: stack.biases, buckets: &own.buckets, bucket_count: self.shape.dimensions.buckets };
        Attention { bias: Some(bias), sees: own.sees.as_ref(), ..self.other_attention(own, own, keys, number) }
    }

    /// The attention of the words of a text to the program.
    fn other_attention<'p>(
        &self,
        own: &Sequences<C>,
        other: &'p Sequences<C>,
        keys: Keys,
        number: usize,
    ) -> Attention<'p, C> {
        Attention {
            sequences: own.count,
            length: own.length,
            seen_length: other.length,
            heads: self.shape.dimensions.heads,
            width: self.shape.dimensions.width,
            lengths: &other.lengths,
            sees: None,
            // The weights begin so small that the scores need no scale.
            scale: 1.0,
            relative: None,
            bias: None,
            dropout: keys.of(keys.rates.attention, DROPOUTS * number + 1),
        }
    }

    /// The scores of what is asked for.
    fn head(
        &self,
        written: &C::Array,
        placed: &Placed<C>,
        keys: Keys,
    ) -> Result<(C::Array, HeadKept<C>), ComputeError> {
        let compute = &self.compute;
        let own = compute.gather(written, &placed.rows)?;
        match self.layout.head {
            HeadLayout::Texts { output, scale } => {
                let last = match scale {
                    Some(scale) => compute.times(own, scale)?,
                    None => own,
                };
                Ok((compute.linear(&last, &output)?, HeadKept::Texts { last }))
            }
            HeadLayout::Classes { dense, output } => {
                let inputs = dense.unwrap_or(output).inputs;
                let own = compute.drop_out(compute.with_columns(own, inputs), keys.head(0))?;
                let Some(dense) = dense else {
                    return Ok((compute.linear(&own, &output)?, HeadKept::Classes { own, deep: None }));
                };
                let inner = compute.linear(&own, &dense)?;
                let last = compute.drop_out(compute.activate(&inner, Activation::Tanh)?, keys.head(1))?;
                Ok((compute.linear(&last, &output)?, HeadKept::Classes { own, deep: Some((inner, last)) }))
            }
        }
    }

    /// The slopes of the decoder's states.
    fn head_back(
        &self,
        kept: HeadKept<C>,
        slopes: &C::Array,
        placed: &Placed<C>,
        keys: Keys,
    ) -> Result<C::Array, ComputeError> {
        let compute = &self.compute;
        let own = match (self.layout.head, kept) {
            (HeadLayout::Texts { output, scale }, HeadKept::Texts { last }) => {
                let slopes = compute.linear_back(&last, slopes, &output)?;
                match scale {
                    Some(scale) => compute.times(slopes, scale)?,
                    None => slopes,
                }
            }
            (HeadLayout::Classes { dense, output }, HeadKept::Classes { own, deep }) => {
                let slopes = match (dense, deep) {
                    (Some(dense), Some((inner, last))) => {
                        let slopes = compute.linear_back(&last, slopes, &output)?;
                        let slopes = compute.drop_out(slopes, keys.head(1))?;
                        let slopes = compute.activate_back(&inner, slopes, Activation::Tanh)?;
                        compute.linear_back(&own, &slopes, &dense)?
                    }
                    _ => compute.linear_back(&own, slopes, &output)?,
                };
                let slopes = compute.drop_out(slopes, keys.head(0))?;
                compute.with_columns(slopes, self.shape.dimensions.hidden)
            }
            _ => return Err(no_head()),
        };
        compute.gather_back(&own, &placed.rows_back, placed.texts.count * placed.texts.length)
    }
}

impl<C: Compute> Learner for T5Network<C> {
    type Device = C;
    type Batch = Batch;

    fn device(&self) -> &C {
        &self.compute
    }

    fn device_mut(&mut self) -> &mut C {
        &mut self.compute
    }

    fn decaying(&self) -> usize {
        self.layout.decaying
    }

    fn learn(&self, batch: &Batch, share: f32, rates: DropoutRates, key: u64) -> Result<C::Array, ComputeError> {
        let placed = Placed::new(self, batch)?;
        Ok(self.both_ways(&placed, share, Keys { rates, key })?.losses)
    }

    fn scores(&self, batch: &Batch) -> Result<Vec<f32>, ComputeError> {
        let placed = Placed::new(self, batch)?;
        let Placed { programs, texts, .. } = &placed;
        let (states, _) = self.pass(&self.layout.encoder, programs, None, Keys::NONE)?;
        let (written, _) = self.pass(&self.layout.decoder, texts, Some((&states, programs)), Keys::NONE)?;
        let (scores, _) = self.head(&written, &placed, Keys::NONE)?;
        self.compute.read(&scores)
    }
}

/// What a batch came to.
struct Passed<C: Compute> {
    losses: C::Array,
    /// The slopes of the embeddings that the encoder read.
    of_programs: C::Array,
    /// Of those that the decoder read.
    of_texts: C::Array,
}

/// What a stack keeps for its way back: a norm before each part and after the last.
struct StackKept<C: Compute> {
    norms: Vec<C::Normed>,
    parts: Vec<PartKept<C>>,
}

/// What a part keeps for its way back, in the order in which it is computed.
enum PartKept<C: Compute> {
    Own {
        input: C::Array,
        all: C::Array,
        seen: C::Array,
    },
    Other {
        input: C::Array,
        queries: C::Array,
        keys_values: C::Array,
        found: C::Array,
    },
    Feed {
        input: C::Array,
        inner: C::Array,
        /// What was activated, and what it was multiplied with.
        gated: Option<(C::Array, C::Array)>,
        dropped: C::Array,
    },
}

/// What a head keeps for its way back.
enum HeadKept<C: Compute> {
    Texts {
        last: C::Array,
    },
    /// What a head with two layers has between them comes after what it was given.
    Classes {
        own: C::Array,
        deep: Option<(C::Array, C::Array)>,
    },
}

/// A batch on the device.
struct Placed<C: Compute> {
    programs: Sequences<C>,
    texts: Sequences<C>,
    /// The decoder's states that the head looks at.
    rows: C::Numbers,
    rows_back: Groups<C>,
    classes: C::Numbers,
    pulls: Pulls,
}

/// Sequences of one stack: a rectangle, a row for each place of each sequence.
struct Sequences<C: Compute> {
    count: usize,
    length: usize,
    ids: C::Numbers,
    by_id: Groups<C>,
    lengths: C::Numbers,
    buckets: C::Numbers,
    sees: Option<C::Numbers>,
}

impl<C: Compute> Placed<C> {
    fn new(network: &T5Network<C>, batch: &Batch) -> Result<Placed<C>, ComputeError> {
        let compute = &network.compute;
        let programs: Vec<&[u32]> = batch.sequences.iter().map(|sequence| &sequence.ids[..]).collect();
        let texts: Vec<Vec<u32>> = match &batch.question {
            Question::Captions(texts) => {
                texts.iter().map(|text| text[..text.len().saturating_sub(1)].to_vec()).collect()
            }
            Question::Classes { .. } => {
                programs.iter().map(|ids| network.shape.read_again(ids)).collect::<Result<_, _>>()?
            }
            Question::Masked(_) => return Err(no_head()),
        };
        let texts: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
        let length = padded(&texts);
        let rows: Vec<u32> = match &batch.question {
            Question::Classes { sequences, .. } => {
                sequences.iter().map(|number| (number * length + texts[*number].len() - 1) as u32).collect()
            }
            _ => {
                let places = |(number, text): (usize, &&[u32])| number * length..number * length + text.len();
                texts.iter().enumerate().flat_map(places).map(|place| place as u32).collect()
            }
        };
        let classes = match &batch.question {
            Question::Classes { classes, .. } => classes.clone(),
            Question::Captions(texts) => next_words(texts),
            Question::Masked(_) => return Err(no_head()),
        };
        Ok(Placed {
            programs: Sequences::new(network, &programs, Direction::Both)?,
            texts: Sequences::new(network, &texts, Direction::Back)?,
            rows_back: Groups::new(compute, &rows)?,
            rows: compute.numbers(&rows)?,
            classes: compute.numbers(&classes)?,
            pulls: Pulls::of(batch, &classes),
        })
    }
}

impl T5Shape {
    /// A program as the decoder reads it: moved by one token, up to the last end. It answers at the last token.
    fn read_again(&self, ids: &[u32]) -> Result<Vec<u32>, ComputeError> {
        let last = ids.iter().rposition(|id| *id == self.end);
        let last = last
            .ok_or_else(|| ComputeError::Failed(format!("a program has no end token, which is number {}", self.end)))?;
        Ok([&[self.start], &ids[..last]].concat())
    }
}

impl<C: Compute> Sequences<C> {
    fn new(network: &T5Network<C>, sequences: &[&[u32]], direction: Direction) -> Result<Sequences<C>, ComputeError> {
        let compute = &network.compute;
        let Dimensions { buckets, max_distance, .. } = network.shape.dimensions;
        let (count, length) = (sequences.len(), padded(sequences));
        // Nobody looks at the places that pad, whatever stands there.
        let mut ids = vec![0; count * length];
        for (row, own) in ids.chunks_exact_mut(length).zip(sequences) {
            row[..own.len()].copy_from_slice(own);
        }
        let lengths: Vec<u32> = sequences.iter().map(|own| own.len() as u32).collect();
        let furthest = length as isize - 1;
        let buckets =
            (-furthest..=furthest).rev().map(|distance| direction.bucket(distance, buckets, max_distance) as u32);
        let sees = match direction {
            Direction::Both => None,
            Direction::Back => {
                let before = (0..length * length).map(|place| u8::from(place % length <= place / length));
                Some(compute.numbers(&packed(before.collect::<Vec<u8>>().repeat(count)))?)
            }
        };
        Ok(Sequences {
            count,
            length,
            by_id: Groups::new(compute, &ids)?,
            ids: compute.numbers(&ids)?,
            lengths: compute.numbers(&lengths)?,
            buckets: compute.numbers(&buckets.collect::<Vec<u32>>())?,
            sees,
        })
    }
}

/// The length that sequences are padded to.
fn padded(sequences: &[&[u32]]) -> usize {
    let longest = sequences.iter().map(|own| own.len()).max().unwrap_or_default();
    longest.max(1).next_multiple_of(LENGTH_STEP)
}

/// Small networks that look random, for tests of every device.
#[cfg(test)]
pub mod testing {
    use model::huggingface::roberta::Sequence;

    use super::*;
    use crate::compute::State;
    use crate::network::{SoftLabels, SoftLoss};

    /// The token that ends a program.
    const END: u32 = 2;

    pub fn shape(is_gated: bool, head: T5Head) -> T5Shape {
        let dimensions = Dimensions {
            hidden: 8,
            heads: 2,
            // The heads together have more numbers than a state.
            width: 5,
            inner: 12,
            layers: 2,
            decoder_layers: 2,
            vocabulary: 11,
            epsilon: 1e-6,
            activation: if is_gated { Activation::GeluTanh } else { Activation::Relu },
            is_gated,
            buckets: 6,
            max_distance: 9,
        };
        T5Shape { dimensions, head, start: 0, end: END }
    }

    pub fn state(shape: &T5Shape) -> State {
        let layout = shape.layout();
        let mut weights = vec![0.0; layout.count];
        for parameter in &layout.parameters {
            for (place, weight) in weights.iter_mut().enumerate().skip(parameter.start).take(parameter.count()) {
                let random = (place * 37 % 101) as f32 / 101.0 - 0.5;
                *weight = if parameter.kind == ParameterKind::Scale { 1.0 + 0.4 * random } else { random };
            }
        }
        let zeros = vec![0.0; layout.count];
        State { weights, first_moments: zeros.clone(), second_moments: zeros }
    }

    pub fn sequence(length: usize) -> Sequence {
        let ids = (0..length as u32 - 1).map(|place| 3 + place * 5 % 8).chain([END]).collect();
        Sequence { ids, positions: Vec::new(), graph: None }
    }

    /// Every kind of network, with something to learn and with dropout and without.
    pub fn cases() -> Vec<(T5Shape, Batch, DropoutRates)> {
        let rates = DropoutRates { hidden: 0.2, attention: 0.2, head: 0.2 };
        let texts = |has_own_output: bool| T5Head::Texts { has_own_output, is_scaled: !has_own_output };
        let captions = || Question::Captions(vec![vec![0, 5, 9, 3, 2], vec![0, 7, 2]]);
        let classes = || Question::Classes { sequences: vec![0, 1], classes: vec![2, 0] };
        let pairs = Question::Classes { sequences: vec![0, 1, 1, 2], classes: vec![1, 0] };
        let two = || vec![sequence(13), sequence(6)];
        let three = vec![sequence(9), sequence(4), sequence(1)];
        let soft = SoftLabels {
            shares: vec![0.1, 0.2, 0.7, 0.8, 0.1, 0.1],
            weights: vec![0.9, 0.5],
            label_weight: 0.0,
            temperature: 2.0,
            loss: SoftLoss::Divergence,
            states: None,
        };
        vec![
            (shape(false, texts(false)), Batch::new(two(), captions()), DropoutRates::NONE),
            (shape(true, texts(true)), Batch::new(two(), captions()), rates),
            (
                shape(true, T5Head::Classes { vectors: 1, classes: 3, is_deep: true }),
                Batch::new(two(), classes()),
                DropoutRates::NONE,
            ),
            (shape(false, T5Head::Classes { vectors: 2, classes: 2, is_deep: true }), Batch::new(three, pairs), rates),
            (
                shape(false, T5Head::Classes { vectors: 1, classes: 3, is_deep: true }),
                Batch { soft: Some(soft), ..Batch::new(two(), classes()) },
                DropoutRates::NONE,
            ),
            (
                shape(true, T5Head::Classes { vectors: 1, classes: 3, is_deep: false }),
                Batch::new(two(), classes()),
                rates,
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{cases, sequence, shape, state};
    use super::*;
    use crate::compute::{State, Step};
    use crate::processor::Processor;

    fn loss(network: &T5Network<Processor>, batch: &Batch, rates: DropoutRates) -> f64 {
        let losses = network.learn(batch, 0.5, rates, 5).unwrap();
        network.compute.read(&losses).unwrap().into_iter().map(f64::from).sum()
    }

    #[test]
    fn the_gradient_of_every_parameter_is_the_slope_of_the_loss() {
        for (shape, batch, rates) in cases() {
            let mut network = T5Network::new(shape, Processor::new(state(&shape)));
            loss(&network, &batch, rates);
            let gradients = network.compute.gradients().unwrap();
            let mut moving = 0;
            for parameter in network.layout.parameters.clone() {
                let count = parameter.count();
                let mut is_moving = false;
                // Every number of a small parameter, and a sample of a large one.
                for at in (parameter.start..parameter.start + count).step_by(count / 12 + 1) {
                    let mut at_step = |step: f32| {
                        let mut state = state(&shape);
                        state.weights[at] += step;
                        network.compute.set_state(&state).unwrap();
                        loss(&network, &batch, rates)
                    };
                    // Scores that are not scaled bend the loss so much that two points are too few.
                    let mut between = |step: f32| at_step(step) - at_step(-step);
                    let slope = (8.0 * between(1e-3) - between(2e-3)) / 12e-3;
                    let gradient = f64::from(gradients[at]);
                    assert!(
                        (slope - gradient).abs() < 2e-3 + 0.02 * slope.abs(),
                        "{} {at}: the slope is {slope} and the gradient {gradient} ({:?})",
                        parameter.name,
                        batch.question
                    );
                    is_moving |= gradient != 0.0;
                    moving += usize::from(gradient != 0.0);
                }
                assert!(is_moving, "{} has no gradient", parameter.name);
            }
            assert!(moving > 300, "only {moving} gradients are not zero");
        }
    }

    #[test]
    fn gradients_of_words_are_those_of_the_loss() {
        let shape = shape(true, T5Head::Classes { vectors: 1, classes: 3, is_deep: true });
        let question = Question::Classes { sequences: vec![0, 1], classes: vec![2, 0] };
        let batch = Batch::new(vec![sequence(5), sequence(9)], question);
        let network = T5Network::new(shape, Processor::new(state(&shape)));
        let Slopes { loss, gradients } = network.word_slopes(&batch).unwrap();
        assert_eq!(gradients.iter().map(Vec::len).collect::<Vec<_>>(), [5, 9]);
        let losses = network.learn(&batch, 1.0, DropoutRates::NONE, 0).unwrap();
        assert_eq!(network.compute.read(&losses).unwrap().iter().sum::<f32>(), loss);
        // A network that does not learn has them, too.
        let weights = state(&shape).weights;
        let fixed = T5Network::new(shape, Processor::new(State { weights, ..State::default() }));
        assert_eq!(fixed.word_slopes(&batch).unwrap().gradients, gradients);
        let fresh = T5Network::new(shape, Processor::new(state(&shape)));
        fresh.word_slopes(&batch).unwrap();
        let all = fresh.compute.gradients().unwrap();
        let mut sums = vec![0.0; 11 * 8];
        for (sequence, gradients) in batch.sequences.iter().zip(&gradients) {
            for (id, gradient) in sequence.ids.iter().zip(gradients) {
                sums[*id as usize * 8..][..8].iter_mut().zip(gradient).for_each(|(sum, slope)| *sum += slope);
            }
        }
        // Only the decoder reads the first token, which is no part of a program.
        let start = fresh.layout.words.start;
        for (place, (one, other)) in all[start..].iter().zip(&sums).enumerate().skip(8) {
            assert!((one - other).abs() < 1e-5, "{place}: {one} {other}");
        }
    }

    #[test]
    fn padding_does_not_change_an_answer() {
        let shape = shape(false, T5Head::Classes { vectors: 1, classes: 3, is_deep: true });
        let scores = |sequences: Vec<usize>| {
            let question =
                Question::Classes { sequences: (0..sequences.len()).collect(), classes: vec![0; sequences.len()] };
            let batch = Batch::new(sequences.into_iter().map(sequence).collect(), question);
            T5Network::new(shape, Processor::new(state(&shape))).scores(&batch).unwrap()
        };
        let (both, expected) = (scores(vec![3, 19]), [scores(vec![3]), scores(vec![19])].concat());
        assert!(both.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 1e-5), "{both:?} {expected:?}");
    }

    #[test]
    fn a_program_without_an_end_is_an_error() {
        let shape = shape(false, T5Head::Classes { vectors: 1, classes: 3, is_deep: true });
        let mut sequence = sequence(5);
        sequence.ids.pop();
        let question = Question::Classes { sequences: vec![0], classes: vec![0] };
        let network = T5Network::new(shape, Processor::new(state(&shape)));
        let problem = network.scores(&Batch::new(vec![sequence], question)).unwrap_err().to_string();
        assert!(problem.contains("no end token"), "{problem}");
    }

    #[test]
    fn a_network_learns_the_same_on_any_number_of_threads() {
        for (shape, batch, rates) in cases() {
            let learned = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut network = T5Network::new(shape, Processor::new(state(&shape)));
                    let mut losses = Vec::new();
                    for number in 1..=60 {
                        let rates = if number < 50 { rates } else { DropoutRates::NONE };
                        let loss = network.learn(&batch, 0.5, rates, number).unwrap();
                        losses.push(network.compute.read(&loss).unwrap().iter().sum::<f32>());
                        let step = Step {
                            number,
                            learning_rate: 1e-2,
                            first_decay: 0.9,
                            second_decay: 0.98,
                            epsilon: 1e-8,
                            weight_decay: 0.01,
                            decaying: network.layout.decaying,
                            longest_gradient: 1.0,
                        };
                        network.compute.update(&step).unwrap();
                    }
                    (losses, network.compute.state().unwrap())
                })
            };
            let (losses, state) = learned(1);
            assert!(losses[55..].iter().all(|loss| *loss < 0.5 * losses[0]), "{losses:?}");
            assert!(learned(3) == (losses, state));
        }
    }
}
