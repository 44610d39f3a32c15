//! A RoBERTa encoder with a head: classes, masked tokens, or the embedding itself.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use kernels::{Activation, Packed, softmax};
use rayon::prelude::*;

use super::checkpoint::Checkpoint;
use super::decoder;
use super::graph;
use super::remembered::Remembered;
use super::roberta::{Dimensions, Norm, PositionKind, Roberta, Sequence, Wanted};
use super::settings::{Head, Pooling, Shape};
use super::tokens::{Piece, Vocabulary};
use crate::adapters::answers::{check_order, finite, mean, probabilities, texts};
use crate::weights::Weights;
use crate::{
    Answer, Fault, Filled, Gradients, Identity, Input, Model, OpenError, Prediction, TOGETHER, TokenGradient, Tokens,
};

/// A RoBERTa encoder with a head, computed by an engine.
pub struct Encoder<Computing> {
    identity: Identity,
    checkpoint: Checkpoint,
    vocabulary: Vocabulary,
    dimensions: Dimensions,
    engine: Computing,
    shape: Shape,
    layers: Layers,
    pooling: Pooling,
    /// The layer that BERT's pooling ends with.
    pooler: Option<Packed>,
    /// The vectors of the sequences that a classifier was asked about lately.
    remembered: Mutex<Remembered>,
    /// The names of the classes, if the checkpoint has any.
    labels: Option<Vec<String>>,
}

/// What computes the states of an encoder: our own kernels, see [`Roberta`], or a device.
pub trait Engine: Send + Sync {
    /// The name of the device in the identity of a model, because devices round differently; none for our own kernels.
    fn device(&self) -> Option<&'static str> {
        None
    }

    /// How many inputs it is best asked about at once.
    fn together(&self) -> usize {
        TOGETHER
    }

    /// How many threads are best to ask it at the same time.
    fn askers(&self) -> usize {
        1
    }

    /// The embedding of a token, before its position is added.
    fn word(&self, id: u32) -> Cow<'_, [f32]>;

    /// What `finish` makes of every sequence and its states after the last block, a row for each token that is wanted.
    fn encode<Made: Send>(
        &self,
        sequences: &[&Sequence],
        wanted: Wanted,
        finish: impl Fn(&Sequence, &[f32]) -> Made + Sync,
    ) -> Vec<Result<Made, Fault>>;

    /// How the cross entropy of one output of a classifier changes with the embeddings, of an engine that can tell.
    fn slopes(&self, sequences: &[&Sequence], output: usize) -> Option<Result<Slopes, Fault>> {
        let _ = (sequences, output);
        None
    }
}

/// How a loss changes with the embeddings of the tokens of each sequence, before their positions are added.
pub struct Slopes {
    /// The cross entropy.
    pub loss: f32,
    /// For every sequence, for every token, the derivatives.
    pub gradients: Vec<Vec<Vec<f32>>>,
}

/// What an engine is made of.
pub struct Parts<'p> {
    /// The checkpoint.
    pub checkpoint: &'p Checkpoint,
    /// Its weights.
    pub weights: &'p Weights,
    /// How large the encoder is.
    pub dimensions: Dimensions,
    /// What the names of the encoder's weights begin with.
    pub prefix: &'p str,
    /// What the names of the head's weights begin with, where there is a head for classes.
    pub head_prefix: Option<&'p str>,
    /// The most tokens that a sequence can have.
    pub longest: usize,
}

/// The layers after the encoder.
enum Layers {
    /// Scores of classes from one vector, or from two beside each other.
    Classes { dense: Packed, output: Packed, vectors: usize },
    /// Scores of all tokens for a state.
    Masked { dense: Packed, norm: Norm, output: Packed, mask: u32 },
    /// The embedding is the answer.
    None,
}

/// A sequence, the tokens of it that come from texts, and the number of the first of these texts.
struct Read {
    sequence: Sequence,
    pieces: Vec<Piece>,
    first_text: usize,
}

/// How many tokens are predicted for a mask when nobody says how many.
const TOKENS_FOR_A_MASK: usize = 10;

impl<Computing: Engine> Encoder<Computing> {
    /// Reads the weights and the vocabulary of a checkpoint, and makes the engine that computes it.
    pub fn open(
        place: &str,
        checkpoint: Checkpoint,
        engine: impl FnOnce(&Parts<'_>) -> Result<Computing, OpenError>,
    ) -> Result<Encoder<Computing>, OpenError> {
        let (config, settings) = (&checkpoint.config, &checkpoint.settings);
        let weights = checkpoint.weights()?;
        let prefix = checkpoint.encoder_prefix(&weights)?;
        if settings.head.is_none() && weights.prefix_of(decoder::SIGN).is_some() {
            let problem = "it has a decoder that writes texts: say `head = \"generation\"` in allotrope.toml, or \"embedding\" for the encoder alone";
            return Err(weights.unusable(problem.to_owned()));
        }
        let dimensions = Dimensions::read(config)?;
        let distances = weights.prefix_of("layer.0.attention.self.distance_embedding.weight");
        if dimensions.position_kind == PositionKind::Absolute && distances.is_some() {
            let problem = "it has embeddings of distances, but the configuration says that positions are absolute: \
                           set `position_embedding_type` under [config] in allotrope.toml to relative_key or relative_key_query";
            return Err(weights.unusable(problem.to_owned()));
        }
        let hidden = dimensions.hidden;
        let most = match dimensions.position_kind {
            // The first of RoBERTa's positions has the number after that of the padding.
            PositionKind::Absolute => {
                dimensions.positions.saturating_sub(config.number_or("pad_token_id", 1)?.saturating_add(1))
            }
            PositionKind::RelativeKey | PositionKind::RelativeKeyQuery => dimensions.positions,
        };
        let vocabulary = Vocabulary::read(&checkpoint, Some(most))?;
        let longest = match &settings.data_flow {
            Some(sizes) => sizes.code.saturating_add(sizes.nodes),
            None => vocabulary.limit(),
        };
        if settings.data_flow.is_some() && settings.text.special_tokens == Some(false) {
            let problem = "the input of [data-flow] has special tokens: leave out `special-tokens` under [text]";
            return Err(config.unusable(problem.to_owned()));
        }
        if longest > most {
            return Err(config.unusable(format!(
                "the model has {most} positions, fewer than the {longest} tokens of code and nodes under [data-flow]"
            )));
        }
        let head_prefix = settings.head_prefix.clone().or_else(|| weights.prefix_of("out_proj.weight"));
        let head = settings.head.unwrap_or(match (&head_prefix, weights.has("lm_head.dense.weight")) {
            (_, true) => Head::Masked,
            (Some(_), false) => Head::Classes,
            (None, false) => Head::Embedding,
        });
        let engine = engine(&Parts {
            checkpoint: &checkpoint,
            weights: &weights,
            dimensions,
            prefix: &prefix,
            head_prefix: head_prefix.as_deref(),
            longest,
        })?;
        let layers = match (head, head_prefix) {
            (Head::Classes, Some(prefix)) => classes(&weights, &prefix, 1, hidden)?,
            (Head::TwoEncodings, Some(prefix)) => classes(&weights, &prefix, 2, hidden)?,
            (Head::Classes | Head::TwoEncodings, None) => {
                return Err(
                    weights.unusable("there is no head: weights whose names end in `out_proj.weight`".to_owned())
                );
            }
            (Head::Masked, _) => masked(&checkpoint, &weights, &vocabulary, &prefix, hidden)?,
            (Head::Embedding, _) => Layers::None,
            (Head::Generation, _) => {
                return Err(config.unusable("a RoBERTa encoder does not generate text".to_owned()));
            }
        };
        if let (Some(order), Layers::Classes { output, .. }) = (&settings.order, &layers) {
            check_order(order, output.outputs())?;
        }
        let pooling = settings.pooling.unwrap_or_default();
        let pooler = match pooling {
            Pooling::Pooler => Some(weights.linear(&format!("{prefix}pooler.dense"), hidden, hidden)?),
            Pooling::First | Pooling::Mean => None,
        };
        let identity = Identity {
            kind: "hf".to_owned(),
            place: checkpoint.pinned(place),
            digest: checkpoint.digest(&Vocabulary::files(&checkpoint)?, engine.device())?,
            varies: false,
        };
        let shape = settings.input.unwrap_or(if head == Head::TwoEncodings { Shape::Pair } else { Shape::Code });
        // Settings that reorder the classes make the names of the checkpoint invalid.
        let labels = if settings.order.is_none() { checkpoint.config.labels() } else { None };
        Ok(Encoder {
            identity,
            labels,
            checkpoint,
            vocabulary,
            dimensions,
            engine,
            shape,
            layers,
            pooling,
            pooler,
            remembered: Mutex::default(),
        })
    }

    /// The sequences that an input becomes, and how many tokens they have and had.
    fn read(&self, input: &Input) -> Result<(Vec<Read>, Tokens), Fault> {
        let texts = match (&self.layers, self.shape, input) {
            // Of a program and a text, a model of vectors is asked for that of the program; the text is asked for by itself.
            (Layers::None, Shape::Code, Input::CodeAndText(code, _)) => vec![code.text.as_str()],
            _ => texts(self.shape, input)?,
        };
        let mut read = Vec::new();
        let mut tokens = Tokens { all: 0, seen: 0 };
        let mut add = |sequence: Sequence, pieces, first_text, all| {
            tokens = Tokens { all: tokens.all + all, seen: tokens.seen + sequence.ids.len() };
            read.push(Read { sequence, pieces, first_text });
        };
        if let Some(sizes) = &self.checkpoint.settings.data_flow {
            for (number, code) in input.programs().into_iter().enumerate() {
                let (sequence, pieces, all) = graph::sequence(&self.vocabulary, sizes, code).map_err(Fault::Failed)?;
                add(sequence, pieces, number, all);
            }
        } else {
            let together = if let Layers::Classes { vectors: 2, .. } = self.layers { 1 } else { texts.len() };
            for (number, group) in texts.chunks(together).enumerate() {
                let encoded = self.vocabulary.encode(group).map_err(Fault::Failed)?;
                let positions = self.vocabulary.positions(&encoded.ids);
                add(Sequence { ids: encoded.ids, positions, graph: None }, encoded.pieces, number, encoded.all);
            }
        }
        Ok((read, tokens))
    }

    /// The vectors of all different sequences, and for every sequence the number of its own.
    fn vectors(&self, sequences: &[&Sequence]) -> (Vec<Result<Vec<f32>, Fault>>, Vec<usize>) {
        // What is longest begins first, so that no core is left with it at the end.
        let key = |place: &usize| (sequences[*place].ids.len(), &sequences[*place].ids);
        let mut order: Vec<usize> = (0..sequences.len()).collect();
        order.par_sort_by(|one, other| key(other).cmp(&key(one)));
        let mut different: Vec<&Sequence> = Vec::new();
        let mut numbers = vec![0; sequences.len()];
        for place in order {
            if different.last() != Some(&sequences[place]) {
                different.push(sequences[place]);
            }
            numbers[place] = different.len() - 1;
        }
        let hidden = self.dimensions.hidden;
        let vectors = match (&self.layers, &self.pooler, self.pooling) {
            (Layers::None, Some(pooler), _) => {
                self.engine.encode(&different, Wanted::First, |_, states| pooler.apply(states, Activation::Tanh))
            }
            (Layers::None, None, Pooling::Mean) => {
                self.engine.encode(&different, Wanted::All, |_, states| mean(states, hidden))
            }
            (Layers::Classes { .. }, ..) => self.first_states(&different),
            _ => self.engine.encode(&different, Wanted::First, |_, states| states.to_vec()),
        };
        (vectors, numbers)
    }

    /// The first states of sequences that are the same again and again: of a pair mostly one program changes, and of a long program
    /// often what the model does not see.
    fn first_states(&self, sequences: &[&Sequence]) -> Vec<Result<Vec<f32>, Fault>> {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        // Graphs are hundreds of times as large as tokens, too large to keep thousands of them.
        let recall = |sequence: &&Sequence| match sequence.graph {
            None => remembered.get(&sequence.ids),
            Some(_) => None,
        };
        let known: Vec<Option<Vec<f32>>> = sequences.iter().map(recall).collect();
        drop(remembered);
        let unknown: Vec<&Sequence> =
            sequences.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(sequence, _)| *sequence).collect();
        let computed = self.engine.encode(&unknown, Wanted::First, |_, states| states.to_vec());
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        for (sequence, vector) in unknown.iter().zip(&computed) {
            if let (None, Ok(vector)) = (&sequence.graph, vector) {
                remembered.keep(sequence.ids.clone(), vector.clone());
            }
        }
        let mut computed = computed.into_iter();
        let lost = || Err(Fault::Failed("the vector is missing".to_owned()));
        known.into_iter().map(|known| known.map_or_else(|| computed.next().unwrap_or_else(lost), Ok)).collect()
    }

    /// The answers for inputs whose sequences become vectors.
    fn answers<Answer: Send>(
        &self,
        inputs: &[Input],
        answer: impl Fn(Vec<f32>, Tokens) -> Result<Answer, Fault> + Sync,
    ) -> Vec<Result<Answer, Fault>> {
        let read: Vec<Result<(Vec<Read>, Tokens), Fault>> = inputs.par_iter().map(|input| self.read(input)).collect();
        let sequences: Vec<&Sequence> =
            read.iter().flatten().flat_map(|(read, _)| read).map(|read| &read.sequence).collect();
        let (vectors, numbers) = self.vectors(&sequences);
        let mut numbers = numbers.into_iter();
        let own: Vec<Vec<usize>> = read
            .iter()
            .map(|read| numbers.by_ref().take(read.as_ref().map_or(0, |(read, _)| read.len())).collect())
            .collect();
        let answered = read.par_iter().zip(own).map(|(read, own)| {
            let (_, tokens) = read.as_ref().map_err(Fault::clone)?;
            let mut together = Vec::new();
            for number in own {
                together.extend_from_slice(vectors[number].as_ref().map_err(Fault::clone)?);
            }
            answer(together, *tokens)
        });
        answered.collect()
    }

    /// The tokens for the masks of each sequence.
    fn filled(&self, sequences: &[&Sequence], most: usize) -> Vec<Result<Filled, Fault>> {
        let Layers::Masked { dense, norm, output, mask } = &self.layers else {
            return sequences.iter().map(|_| Ok(Vec::new())).collect();
        };
        let Dimensions { hidden, epsilon, .. } = self.dimensions;
        let best = |scores: &[f32]| -> Vec<(String, f32)> {
            let probabilities = softmax(scores);
            let mut order: Vec<usize> = (0..probabilities.len()).collect();
            order.sort_by(|one, other| probabilities[*other].total_cmp(&probabilities[*one]).then(one.cmp(other)));
            order.into_iter().take(most).map(|id| (self.vocabulary.token(id as u32), probabilities[id])).collect()
        };
        self.engine.encode(sequences, Wanted::All, |sequence, states| {
            let masks = (0..sequence.ids.len()).filter(|at| sequence.ids[*at] == *mask);
            let states: Vec<f32> = masks.flat_map(|at| &states[at * hidden..][..hidden]).copied().collect();
            let mut states = dense.apply(&states, Activation::Gelu);
            norm.apply(&mut states, None, epsilon);
            let scores = output.apply(&states, Activation::None);
            scores.chunks_exact(output.outputs()).map(best).collect()
        })
    }

    fn slopes(&self, input: &Input, class: usize) -> Option<Result<Gradients, Fault>> {
        let Layers::Classes { output, .. } = &self.layers else { return None };
        let classes = output.outputs().max(2);
        let output = match &self.checkpoint.settings.order {
            Some(order) => order.iter().position(|known| *known == class),
            None => Some(class).filter(|class| *class < classes),
        };
        let Some(output) = output else {
            return Some(Err(Fault::Failed(format!("there is no class {class}: there are {classes}"))));
        };
        let read = match self.read(input) {
            Ok((read, _)) => read,
            Err(fault) => return Some(Err(fault)),
        };
        let sequences: Vec<&Sequence> = read.iter().map(|read| &read.sequence).collect();
        let slopes = match self.engine.slopes(&sequences, output)? {
            Ok(slopes) => slopes,
            Err(fault) => return Some(Err(fault)),
        };
        let mut tokens = Vec::new();
        for (read, gradients) in read.into_iter().zip(slopes.gradients) {
            for piece in read.pieces {
                tokens.push(TokenGradient {
                    token: read.sequence.ids[piece.at],
                    text: read.first_text + piece.text,
                    range: piece.range,
                    gradient: gradients[piece.at].clone(),
                });
            }
        }
        Some(Ok(Gradients { loss: slopes.loss, tokens }))
    }
}

impl Engine for Roberta {
    fn word(&self, id: u32) -> Cow<'_, [f32]> {
        Roberta::word(self, id)
    }

    fn encode<Made: Send>(
        &self,
        sequences: &[&Sequence],
        wanted: Wanted,
        finish: impl Fn(&Sequence, &[f32]) -> Made + Sync,
    ) -> Vec<Result<Made, Fault>> {
        let each = sequences.par_iter().with_max_len(1);
        each.map(|sequence| Ok(finish(sequence, &self.states(sequence, wanted)))).collect()
    }
}

/// The head of a classifier.
fn classes(weights: &Weights, prefix: &str, vectors: usize, hidden: usize) -> Result<Layers, OpenError> {
    let classes = weights.shape(&format!("{prefix}out_proj.weight")).and_then(|shape| shape.first().copied());
    Ok(Layers::Classes {
        dense: weights.linear(&format!("{prefix}dense"), vectors * hidden, hidden)?,
        output: weights.linear(&format!("{prefix}out_proj"), hidden, classes.unwrap_or_default())?,
        vectors,
    })
}

/// The head of a masked language model.
fn masked(
    checkpoint: &Checkpoint,
    weights: &Weights,
    vocabulary: &Vocabulary,
    prefix: &str,
    hidden: usize,
) -> Result<Layers, OpenError> {
    let size = checkpoint.config.number("vocab_size")?;
    let mask = vocabulary.id("<mask>").ok_or_else(|| {
        checkpoint
            .config
            .unusable("the vocabulary has no token `<mask>`, which a masked language model needs".to_owned())
    })?;
    let tied = format!("{prefix}embeddings.word_embeddings.weight");
    let name = if weights.has("lm_head.decoder.weight") { "lm_head.decoder.weight" } else { &tied };
    let bias = weights.take("lm_head.bias", &[size])?;
    Ok(Layers::Masked {
        dense: weights.linear("lm_head.dense", hidden, hidden)?,
        norm: Norm::new(weights, "lm_head.layer_norm", hidden)?,
        output: weights.matrix(name, [size, hidden])?.packed(Some(&bias)),
        mask,
    })
}

impl<Computing: Engine> Model for Encoder<Computing> {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn forget(&self) {
        *self.remembered.lock().unwrap_or_else(PoisonError::into_inner) = Remembered::default();
    }

    fn labels(&self) -> Option<&[String]> {
        self.labels.as_deref()
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        if let Layers::Masked { .. } = self.layers {
            let read: Vec<Result<(Vec<Read>, Tokens), Fault>> =
                inputs.par_iter().map(|input| self.read(input)).collect();
            // Where an input has several sequences, the masks of the first count.
            let sequences: Vec<&Sequence> =
                read.iter().flatten().flat_map(|(read, _)| read).map(|read| &read.sequence).collect();
            let mut filled = self.filled(&sequences, TOKENS_FOR_A_MASK).into_iter();
            let answers = read.iter().map(|read| {
                let (read, tokens) = read.as_ref().map_err(Fault::clone)?;
                let own: Vec<Result<Filled, Fault>> = filled.by_ref().take(read.len()).collect();
                let first = own.into_iter().next().transpose()?.and_then(|filled| filled.into_iter().next());
                let names = first.ok_or_else(|| Fault::Failed("the input has no `<mask>`".to_owned()))?;
                Ok(Answer { prediction: Prediction::Names(names), tokens: Some(*tokens) })
            });
            return answers.collect();
        }
        self.answers(inputs, |vectors, tokens| {
            let prediction = match &self.layers {
                Layers::Classes { dense, output, .. } => {
                    let scores = output.apply(&dense.apply(&vectors, Activation::Tanh), Activation::None);
                    let order = self.checkpoint.settings.order.as_deref();
                    Prediction::Classes(finite(probabilities(&scores, order))?)
                }
                Layers::Masked { .. } | Layers::None => Prediction::Embedding(finite(vectors)?),
            };
            Ok(Answer { prediction, tokens: Some(tokens) })
        })
    }

    fn together(&self) -> usize {
        self.engine.together()
    }

    fn askers(&self) -> usize {
        self.engine.askers()
    }

    fn embed(&self, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
        Some(self.answers(inputs, |vectors, _| finite(vectors)))
    }

    fn fill_masks(&self, texts: &[&str], most: usize) -> Option<Vec<Result<Filled, Fault>>> {
        let Layers::Masked { .. } = self.layers else { return None };
        let read: Vec<Result<Sequence, Fault>> = texts
            .par_iter()
            .map(|text| {
                let ids = self.vocabulary.encode(&[text]).map_err(Fault::Failed)?.ids;
                let positions = self.vocabulary.positions(&ids);
                Ok(Sequence { ids, positions, graph: None })
            })
            .collect();
        let sequences: Vec<&Sequence> = read.iter().flatten().collect();
        let mut filled = self.filled(&sequences, most).into_iter();
        let answers = read.iter().map(|read| match read {
            Ok(_) => filled.next().unwrap_or_else(|| Ok(Vec::new())),
            Err(fault) => Err(fault.clone()),
        });
        Some(answers.collect())
    }

    fn gradients(&self, input: &Input, class: usize) -> Option<Result<Gradients, Fault>> {
        self.slopes(input, class)
    }

    fn word_embedding(&self, word: &str) -> Option<Vec<f32>> {
        let encoded = self.vocabulary.encode(&[word]).ok()?;
        let rows =
            encoded.pieces.iter().map(|piece| self.engine.word(encoded.ids[piece.at])).collect::<Vec<_>>().concat();
        (!rows.is_empty()).then(|| mean(&rows, self.dimensions.hidden))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use syntax::Language;

    use super::*;
    use crate::Code;

    const PROGRAM: &str =
        "int f(int a, int b) {\n  int c = a + b;\n  while (c > a) { c = c - b; a = c * 2; }\n  return c;\n}";

    fn programs() -> Vec<Code> {
        let code = |text: String| Code { language: Language::Java, text };
        let long = (0..60).map(|number| format!("int a{number} = {number};")).collect::<Vec<_>>().join("\n");
        let lengths = (1..PROGRAM.len()).step_by(9).map(|end| code(PROGRAM[..end].to_owned()));
        lengths.chain([code(long), code(String::new())]).collect()
    }

    #[test]
    fn remembered_vectors_are_those_that_would_be_computed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity/roberta-two");
        let place = folder.display().to_string();
        let kernels = |parts: &Parts<'_>| Roberta::new(parts.dimensions, parts.weights, parts.prefix);
        let model = Encoder::open(&place, Checkpoint::find(&place).unwrap(), kernels).unwrap();
        let read: Vec<Read> =
            programs().into_iter().flat_map(|program| model.read(&Input::Code(program)).unwrap().0).collect();
        let sequences: Vec<&Sequence> = read.iter().map(|read| &read.sequence).collect();
        let computed = model.engine.encode(&sequences, Wanted::First, |_, states| states.to_vec());
        // Known and unknown ones come mixed.
        let every_second: Vec<&Sequence> = sequences.iter().copied().step_by(2).collect();
        model.first_states(&every_second);
        assert!(model.remembered.lock().unwrap().get(&sequences[2].ids).is_some());
        assert!(model.remembered.lock().unwrap().get(&sequences[3].ids).is_none());
        assert_eq!(model.first_states(&sequences), computed);
        assert_eq!(model.first_states(&sequences), computed);
    }
}
