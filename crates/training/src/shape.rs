//! What an encoder that is trained consists of: its layers, and where the parameters of each stand.

use std::collections::HashMap;

use kernels::Activation;
use model::huggingface::roberta::{Dimensions, PositionKind};

use crate::compute::Tables;

/// A linear layer: where its weights, a row for each output, and its bias begin, where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearLayer {
    pub weights: usize,
    pub bias: Option<usize>,
    pub inputs: usize,
    pub outputs: usize,
}

/// A norm of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormLayer {
    pub scale: usize,
    pub shift: usize,
    pub width: usize,
    pub epsilon: f32,
}

/// A norm of rows that only scales them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaleLayer {
    pub scale: usize,
    pub width: usize,
    pub epsilon: f32,
}

/// The embeddings of distances of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelativePositions {
    /// Where they begin.
    pub table: usize,
    /// The row of the distance of a token to itself.
    pub middle: usize,
    /// Are keys multiplied with them, too?
    pub has_keys: bool,
}

/// What stands after the encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadKind {
    /// Nothing: states are what is asked for.
    None,
    /// A class for every masked token, among all words: the layers of a masked language model.
    Masked,
    /// A class for the vectors of one sequence (a program) or of two side by side (a pair).
    Classes { vectors: usize, classes: usize },
    /// A decoder that writes a text about the states: the number of its blocks, and of the numbers between the last two layers of each.
    Decoder { layers: usize, inner: usize },
    /// Nothing, but the mean states of two sequences that belong together are to be alike, more than those of others.
    Matches,
}

/// An encoder with its head.
#[derive(Clone, Copy)]
pub struct Shape {
    pub dimensions: Dimensions,
    pub head: HeadKind,
    /// How wide the states are that the first states are pulled to, where a teacher has such.
    pub taught: Option<usize>,
}

/// The parameters of a network: the name and the shape of each, and where it begins among all of them.
pub struct Layout {
    /// In the order of their places.
    pub parameters: Vec<Parameter>,
    /// How many numbers there are, with the gaps between parameters.
    pub count: usize,
    /// The number of them that decay, which come first.
    pub decaying: usize,
    pub tables: Tables,
    pub embedding_norm: NormLayer,
    pub blocks: Vec<BlockLayout>,
    pub head: HeadLayout,
    /// What turns first states into some as wide as the teacher's, where those are of another width. It is no part of the finished model.
    pub projection: Option<LinearLayer>,
}

/// The name of the projection's parameters.
pub const PROJECTION: &str = "distillation.projection";

impl Layout {
    /// How many numbers the parameters have, without the gaps between them.
    pub fn learned(&self) -> usize {
        self.parameters.iter().map(Parameter::count).sum()
    }
}

/// One parameter of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in a checkpoint of the transformers library.
    pub name: String,
    pub shape: Vec<usize>,
    pub start: usize,
    pub kind: ParameterKind,
}

impl Parameter {
    /// How many numbers it has.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }
}

/// How a parameter begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Small random numbers.
    Weight,
    /// Random numbers that make the products with a row about as large as what they are multiplied with.
    Even,
    /// The same for a layer with this number of inputs, whatever the matrix has.
    Part { inputs: usize },
    /// Small random numbers, but zeros for the token that pads.
    Words,
    /// Zeros.
    Bias,
    /// Ones.
    Scale,
}

/// A block of an encoder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockLayout {
    pub queries_keys_values: LinearLayer,
    pub relative: Option<RelativePositions>,
    pub attention_output: LinearLayer,
    pub attention_norm: NormLayer,
    pub up: LinearLayer,
    pub activation: Activation,
    pub down: LinearLayer,
    pub output_norm: NormLayer,
}

/// A block of a decoder: attention to what is written so far, attention to the states of the encoder, and a small network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecoderBlockLayout {
    pub queries_keys_values: LinearLayer,
    pub attention_output: LinearLayer,
    pub attention_norm: NormLayer,
    pub queries: LinearLayer,
    /// Of the encoder's states.
    pub keys_values: LinearLayer,
    pub seen_output: LinearLayer,
    pub seen_norm: NormLayer,
    pub up: LinearLayer,
    pub down: LinearLayer,
    pub output_norm: NormLayer,
}

/// The layers after the encoder.
#[derive(Clone, Debug, PartialEq)]
pub enum HeadLayout {
    None,
    /// The output layer has the embeddings of the words for weights.
    Masked {
        dense: LinearLayer,
        norm: NormLayer,
        output: LinearLayer,
    },
    Classes {
        dense: LinearLayer,
        output: LinearLayer,
    },
    /// The output layer has the embeddings of the words for weights, and no bias.
    Decoder {
        blocks: Vec<DecoderBlockLayout>,
        dense: LinearLayer,
        output: LinearLayer,
    },
    Matches {
        /// What the products of states are multiplied with.
        scale: f32,
    },
}

/// The score of two states that are the same. Norms make their squares add up to about as many as there are numbers.
const LIKENESS: f32 = 20.0;

/// The epsilon of the norms of a decoder, which is PyTorch's, whatever that of the encoder is.
const DECODER_EPSILON: f32 = 1e-5;

impl Shape {
    /// Where every parameter stands.
    pub fn layout(&self) -> Layout {
        let Dimensions {
            hidden,
            inner,
            layers,
            vocabulary,
            positions,
            position_kind,
            types,
            epsilon,
            activation,
            heads,
        } = self.dimensions;
        let mut plan: Vec<PlannedParameter> = Vec::new();
        let mut add = |name: String, shape: &[usize], kind| plan.push((name, shape.to_vec(), kind));
        let linear =
            |add: &mut dyn FnMut(String, &[usize], ParameterKind), name: &str, inputs: usize, outputs: usize| {
                add(format!("{name}.weight"), &[outputs, inputs], ParameterKind::Weight);
                add(format!("{name}.bias"), &[outputs], ParameterKind::Bias);
            };
        let norm = |add: &mut dyn FnMut(String, &[usize], ParameterKind), name: &str| {
            add(format!("{name}.weight"), &[hidden], ParameterKind::Scale);
            add(format!("{name}.bias"), &[hidden], ParameterKind::Bias);
        };
        add("roberta.embeddings.word_embeddings.weight".to_owned(), &[vocabulary, hidden], ParameterKind::Words);
        add("roberta.embeddings.position_embeddings.weight".to_owned(), &[positions, hidden], ParameterKind::Words);
        add("roberta.embeddings.token_type_embeddings.weight".to_owned(), &[types, hidden], ParameterKind::Weight);
        norm(&mut add, "roberta.embeddings.LayerNorm");
        for layer in 0..layers {
            let name = |end: &str| format!("roberta.encoder.layer.{layer}.{end}");
            // Queries, keys and values stand together, so that they are one layer.
            for part in ["query", "key", "value"] {
                linear(&mut add, &name(&format!("attention.self.{part}")), hidden, hidden);
            }
            if position_kind != PositionKind::Absolute {
                let table = name("attention.self.distance_embedding.weight");
                add(table, &[2 * positions - 1, hidden / heads], ParameterKind::Weight);
            }
            linear(&mut add, &name("attention.output.dense"), hidden, hidden);
            norm(&mut add, &name("attention.output.LayerNorm"));
            linear(&mut add, &name("intermediate.dense"), hidden, inner);
            linear(&mut add, &name("output.dense"), inner, hidden);
            norm(&mut add, &name("output.LayerNorm"));
        }
        match self.head {
            HeadKind::None | HeadKind::Matches => {}
            HeadKind::Masked => {
                linear(&mut add, "lm_head.dense", hidden, hidden);
                norm(&mut add, "lm_head.layer_norm");
                add("lm_head.bias".to_owned(), &[vocabulary], ParameterKind::Bias);
            }
            HeadKind::Decoder { layers, inner } => {
                // With weights as small as an encoder's, a small decoder does not learn to look at the program.
                let linear = |add: &mut dyn FnMut(String, &[usize], ParameterKind), name: &str, inputs, outputs| {
                    add(format!("{name}.weight"), &[outputs, inputs], ParameterKind::Even);
                    add(format!("{name}.bias"), &[outputs], ParameterKind::Bias);
                };
                for layer in 0..layers {
                    let name = |end: &str| format!("decoder.layers.{layer}.{end}");
                    for attention in ["self_attn", "multihead_attn"] {
                        // Queries, keys and values are one parameter, as PyTorch has them.
                        add(name(&format!("{attention}.in_proj_weight")), &[3 * hidden, hidden], ParameterKind::Even);
                        add(name(&format!("{attention}.in_proj_bias")), &[3 * hidden], ParameterKind::Bias);
                        linear(&mut add, &name(&format!("{attention}.out_proj")), hidden, hidden);
                    }
                    linear(&mut add, &name("linear1"), hidden, inner);
                    linear(&mut add, &name("linear2"), inner, hidden);
                    ["norm1", "norm2", "norm3"].into_iter().for_each(|part| norm(&mut add, &name(part)));
                }
                linear(&mut add, "dense", hidden, hidden);
            }
            HeadKind::Classes { vectors, classes } => {
                linear(&mut add, "classifier.dense", vectors * hidden, hidden);
                linear(&mut add, "classifier.out_proj", hidden, classes);
            }
        }
        let projected = self.taught.filter(|width| *width != hidden);
        if let Some(width) = projected {
            add(format!("{PROJECTION}.weight"), &[width, hidden], ParameterKind::Even);
            add(format!("{PROJECTION}.bias"), &[width], ParameterKind::Bias);
        }
        let Placing { parameters, count, decaying } = Placing::new(plan, &["self.key.", "self.value."]);
        let starts: HashMap<&str, usize> =
            parameters.iter().map(|parameter| (parameter.name.as_str(), parameter.start)).collect();
        let found = Places { starts: &starts, hidden, epsilon };
        let tables = Tables {
            words: found.at("roberta.embeddings.word_embeddings.weight"),
            positions: (position_kind == PositionKind::Absolute)
                .then(|| found.at("roberta.embeddings.position_embeddings.weight")),
            token_type: found.at("roberta.embeddings.token_type_embeddings.weight"),
            width: hidden,
        };
        let blocks = (0..layers).map(|layer| {
            let name = |end: &str| format!("roberta.encoder.layer.{layer}.{end}");
            BlockLayout {
                queries_keys_values: LinearLayer {
                    outputs: 3 * hidden,
                    ..found.linear(&name("attention.self.query"), hidden, hidden)
                },
                relative: (position_kind != PositionKind::Absolute).then(|| RelativePositions {
                    table: found.at(&name("attention.self.distance_embedding.weight")),
                    middle: positions - 1,
                    has_keys: position_kind == PositionKind::RelativeKeyQuery,
                }),
                attention_output: found.linear(&name("attention.output.dense"), hidden, hidden),
                attention_norm: found.norm(&name("attention.output.LayerNorm")),
                up: found.linear(&name("intermediate.dense"), hidden, inner),
                activation,
                down: found.linear(&name("output.dense"), inner, hidden),
                output_norm: found.norm(&name("output.LayerNorm")),
            }
        });
        let blocks = blocks.collect();
        let embedding_norm = found.norm("roberta.embeddings.LayerNorm");
        let head = match self.head {
            HeadKind::None => HeadLayout::None,
            HeadKind::Matches => HeadLayout::Matches { scale: LIKENESS / hidden as f32 },
            HeadKind::Masked => HeadLayout::Masked {
                dense: found.linear("lm_head.dense", hidden, hidden),
                norm: found.norm("lm_head.layer_norm"),
                output: LinearLayer {
                    weights: tables.words,
                    bias: Some(found.at("lm_head.bias")),
                    inputs: hidden,
                    outputs: vocabulary,
                },
            },
            HeadKind::Decoder { layers, inner } => HeadLayout::Decoder {
                blocks: (0..layers).map(|layer| found.decoder_block(layer, inner)).collect(),
                dense: found.linear("dense", hidden, hidden),
                output: LinearLayer { weights: tables.words, bias: None, inputs: hidden, outputs: vocabulary },
            },
            HeadKind::Classes { vectors, classes } => HeadLayout::Classes {
                dense: found.linear("classifier.dense", vectors * hidden, hidden),
                output: found.linear("classifier.out_proj", hidden, classes),
            },
        };
        let projection = projected.map(|width| found.linear(PROJECTION, hidden, width));
        Layout { parameters, count, decaying, tables, embedding_norm, blocks, head, projection }
    }
}

/// The name, the shape and the kind of a parameter that gets a place.
pub type PlannedParameter = (String, Vec<usize>, ParameterKind);

/// Parameters with their places.
pub struct Placing {
    pub parameters: Vec<Parameter>,
    /// How many numbers there are, with the gaps between parameters.
    pub count: usize,
    /// The number of them that decay, which come first.
    pub decaying: usize,
}

impl Placing {
    /// Gives every parameter its place. Those whose names have one of the joined parts stand right after the one before.
    pub fn new(mut plan: Vec<PlannedParameter>, joined: &[&str]) -> Placing {
        // What decays comes first; the order is kept otherwise.
        let decays = |kind: ParameterKind| !matches!(kind, ParameterKind::Bias | ParameterKind::Scale);
        plan.sort_by_key(|(_, _, kind)| !decays(*kind));
        let (mut parameters, mut count, mut decaying) = (Vec::new(), 0_usize, 0);
        for (name, shape, kind) in plan {
            let size: usize = shape.iter().product();
            // A GPU multiplies matrices faster that begin at a multiple of 16 bytes. What is joined to the layer before has no gap.
            if !joined.iter().any(|part| name.contains(part)) {
                count = count.next_multiple_of(8);
            }
            parameters.push(Parameter { name, shape, start: count, kind });
            count += size;
            if decays(kind) {
                decaying = count;
            }
        }
        Placing { parameters, count, decaying }
    }
}

/// Where the parameters stand, by name.
struct Places<'a> {
    starts: &'a HashMap<&'a str, usize>,
    hidden: usize,
    epsilon: f32,
}

impl Places<'_> {
    fn at(&self, name: &str) -> usize {
        self.starts[name]
    }

    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> LinearLayer {
        let (weights, bias) = (self.at(&format!("{name}.weight")), self.at(&format!("{name}.bias")));
        LinearLayer { weights, bias: Some(bias), inputs, outputs }
    }

    /// The layers of one block of a decoder.
    fn decoder_block(&self, layer: usize, inner: usize) -> DecoderBlockLayout {
        let hidden = self.hidden;
        let name = |end: &str| format!("decoder.layers.{layer}.{end}");
        // Some of the queries, keys and values that stand in one parameter, from a part on.
        let parts = |attention: &str, first: usize, count: usize| LinearLayer {
            weights: self.at(&name(&format!("{attention}.in_proj_weight"))) + first * hidden * hidden,
            bias: Some(self.at(&name(&format!("{attention}.in_proj_bias"))) + first * hidden),
            inputs: hidden,
            outputs: count * hidden,
        };
        let norm = |end: &str| NormLayer { epsilon: DECODER_EPSILON, ..self.norm(&name(end)) };
        DecoderBlockLayout {
            queries_keys_values: parts("self_attn", 0, 3),
            attention_output: self.linear(&name("self_attn.out_proj"), hidden, hidden),
            attention_norm: norm("norm1"),
            queries: parts("multihead_attn", 0, 1),
            keys_values: parts("multihead_attn", 1, 2),
            seen_output: self.linear(&name("multihead_attn.out_proj"), hidden, hidden),
            seen_norm: norm("norm2"),
            up: self.linear(&name("linear1"), hidden, inner),
            down: self.linear(&name("linear2"), inner, hidden),
            output_norm: norm("norm3"),
        }
    }

    fn norm(&self, name: &str) -> NormLayer {
        let (scale, shift) = (self.at(&format!("{name}.weight")), self.at(&format!("{name}.bias")));
        NormLayer { scale, shift, width: self.hidden, epsilon: self.epsilon }
    }
}
