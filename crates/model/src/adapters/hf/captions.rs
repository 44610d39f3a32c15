//! A RoBERTa encoder with a decoder that writes texts: CodeXGLUE's model for the documentation of code, and what `train --kind captions`
//! writes.

use rayon::prelude::*;

use super::each_once;
use crate::adapters::answers;
use crate::huggingface::checkpoint::Checkpoint;
use crate::huggingface::decoder::{Decoder, Sizes};
use crate::huggingface::generation::Search;
use crate::huggingface::graph;
use crate::huggingface::roberta::{Dimensions, PositionKind, Roberta, Sequence, Wanted};
use crate::huggingface::settings::{DataFlow, Shape};
use crate::huggingface::tokens::Vocabulary;
use crate::{Answer, Fault, Identity, Input, Model, OpenError, Prediction, Tokens};

/// An encoder and a decoder.
pub(super) struct Captioner {
    identity: Identity,
    vocabulary: Vocabulary,
    hidden: usize,
    encoder: Roberta,
    decoder: Decoder,
    search: Search,
    shape: Shape,
    data_flow: Option<DataFlow>,
}

impl Captioner {
    pub(super) fn open(place: &str, checkpoint: &Checkpoint) -> Result<Captioner, OpenError> {
        let (config, settings) = (&checkpoint.config, &checkpoint.settings);
        let weights = checkpoint.weights()?;
        let prefix = checkpoint.encoder_prefix(&weights)?;
        let dimensions = Dimensions::read(config)?;
        if dimensions.position_kind != PositionKind::Absolute {
            let problem = "a decoder reads the encoder's embeddings, which have no positions where those are relative";
            return Err(config.unusable(problem.to_owned()));
        }
        let first_position = config.number_or("pad_token_id", 1)?.saturating_add(1);
        let most = dimensions.positions.saturating_sub(first_position);
        let vocabulary = Vocabulary::read(checkpoint, Some(most))?;
        let longest = settings.data_flow.map_or(0, |sizes| sizes.code.saturating_add(sizes.nodes));
        if longest > most {
            return Err(config.unusable(format!(
                "the model has {most} positions, fewer than the {longest} tokens of code and nodes under [data-flow]"
            )));
        }
        let (first, last) = vocabulary.ends();
        let search = Search::new(checkpoint, vec![last], first)?;
        if search.max_length > most {
            return Err(config.unusable(format!(
                "the model has {most} positions, and a text may have {} tokens: set a smaller `max-length` under [generation]",
                search.max_length
            )));
        }
        let encoder = Roberta::new(dimensions, &weights, &prefix)?;
        let Dimensions { hidden, heads, vocabulary: words, .. } = dimensions;
        let sizes = Sizes { hidden, heads, vocabulary: words, first_position: first_position as u32 };
        Ok(Captioner {
            identity: Identity {
                kind: "hf".to_owned(),
                place: checkpoint.pinned(place),
                digest: checkpoint.digest(&Vocabulary::files(checkpoint)?, None)?,
                varies: false,
            },
            decoder: Decoder::new(sizes, &weights, encoder.words())?,
            vocabulary,
            hidden,
            encoder,
            search,
            shape: settings.input.unwrap_or(Shape::Code),
            data_flow: settings.data_flow,
        })
    }

    /// What the encoder is given, and how many tokens there are and were.
    fn sequence(&self, input: &Input) -> Result<(Sequence, Tokens), Fault> {
        if let (Some(sizes), Input::Code(code)) = (&self.data_flow, input) {
            let (sequence, _, all) = graph::sequence(&self.vocabulary, sizes, code).map_err(Fault::Failed)?;
            let seen = sequence.ids.len();
            return Ok((sequence, Tokens { all, seen }));
        }
        let encoded = self.vocabulary.encode(&answers::texts(self.shape, input)?).map_err(Fault::Failed)?;
        let (positions, seen) = (self.vocabulary.positions(&encoded.ids), encoded.ids.len());
        Ok((Sequence { ids: encoded.ids, positions, graph: None }, Tokens { all: encoded.all, seen }))
    }

    /// What `answer` says about every input. Each different input is computed once, the longest first.
    fn each<T: Clone + Send>(
        &self,
        inputs: &[Input],
        answer: impl Fn(&Sequence) -> Result<T, Fault> + Sync,
    ) -> Vec<Result<(T, Tokens), Fault>> {
        let read: Vec<_> = inputs.par_iter().map(|input| self.sequence(input)).collect();
        each_once(&read, |sequence| sequence.ids.len(), answer)
    }

    fn text(&self, sequence: &Sequence) -> Result<Prediction, Fault> {
        let encoded = self.decoder.encoded(&self.encoder.states(sequence, Wanted::All));
        let scores = |pasts: &mut [_], ids: &[u32]| self.decoder.scores(&self.encoder, &encoded, pasts, ids);
        let found = self.search.run_with_pasts(scores).ok_or(Fault::NotFinite)?;
        let text = self.vocabulary.text(&found).map_err(Fault::Failed)?;
        Ok(Prediction::Text(text.trim().to_owned()))
    }
}

impl Model for Captioner {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        let found = self.each(inputs, |sequence| self.text(sequence));
        let answer = |(prediction, tokens)| Answer { prediction, tokens: Some(tokens) };
        found.into_iter().map(|found| found.map(answer)).collect()
    }

    /// The mean of the encoder's states.
    fn embed(&self, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
        let found = self.each(inputs, |sequence| {
            answers::finite(answers::mean(&self.encoder.states(sequence, Wanted::All), self.hidden))
        });
        Some(found.into_iter().map(|found| found.map(|(vector, _)| vector)).collect())
    }
}
