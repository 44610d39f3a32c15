//! A decoder after an encoder, forwards and backwards: what CodeXGLUE publishes for the documentation of code.
//!
//! The blocks are those of PyTorch's `nn.TransformerDecoderLayer` as it is by default: a norm after each part, and ReLU in the last. A word
//! sees those before it, and all states of the encoder. The words that are read are embedded as those of the program are, by the
//! encoder's own embeddings, and the last state goes through a layer with tanh before it is compared with the embeddings of all words:
//! `tanh(dense(out))` and then `lm_head`, which is tied, as the published `Seq2Seq.forward` computes it.

use super::{Keys, Network, Placed};
use crate::compute::{Attention, Compute, ComputeError, Dropout, scale_of_width};
use crate::shape::DecoderBlockLayout;

/// What a decoder keeps for its way back.
pub(super) struct Decoded<C: Compute> {
    embedded: C::Normed,
    blocks: Vec<BlockKept<C>>,
}

/// What a block keeps for its way back, in the order in which it is computed.
struct BlockKept<C: Compute> {
    states: C::Array,
    all: C::Array,
    seen: C::Array,
    attention_normed: C::Normed,
    middle: C::Array,
    queries: C::Array,
    keys_values: C::Array,
    found: C::Array,
    seen_normed: C::Normed,
    late: C::Array,
    inner: C::Array,
    activated: C::Array,
    normed: C::Normed,
}

/// What stands between the last two layers of a block.
const ACTIVATION: kernels::Activation = kernels::Activation::Relu;

/// The number of places of a block that can have a dropout of their own.
const PLACES: usize = 8;

impl<C: Compute> Network<C> {
    /// The decoder's states of the words of texts, from the encoder's states of the programs that they are about.
    pub(super) fn decode(
        &self,
        blocks: &[DecoderBlockLayout],
        encoded: &C::Array,
        placed: &Placed<C>,
        text: &Placed<C>,
        keys: Keys,
    ) -> Result<(C::Array, Decoded<C>), ComputeError> {
        let (compute, keys) = (&self.compute, keys.of_decoder());
        let (mut states, embedded) = self.embed(text, keys)?;
        let mut kept = Vec::new();
        for (number, block) in blocks.iter().enumerate() {
            let dropout = |place: usize| keys.hidden(PLACES * number + place);
            let all = compute.linear(&states, &block.queries_keys_values)?;
            let seen = compute.attend(&all, &self.own_attention(text, keys, number))?;
            let out = compute.linear(&seen, &block.attention_output)?;
            let (middle, attention_normed) = compute.norm(out, Some(&states), &block.attention_norm, dropout(2))?;
            let queries = compute.linear(&middle, &block.queries)?;
            let keys_values = compute.linear(encoded, &block.keys_values)?;
            let found = compute.attend_to(&queries, &keys_values, &self.other_attention(placed, text, keys, number))?;
            let out = compute.linear(&found, &block.seen_output)?;
            let (late, seen_normed) = compute.norm(out, Some(&middle), &block.seen_norm, dropout(4))?;
            let inner = compute.linear(&late, &block.up)?;
            let activated = compute.drop_out(compute.activate(&inner, ACTIVATION)?, dropout(5))?;
            let out = compute.linear(&activated, &block.down)?;
            let (after, normed) = compute.norm(out, Some(&late), &block.output_norm, dropout(6))?;
            let states = std::mem::replace(&mut states, after);
            kept.push(BlockKept {
                states,
                all,
                seen,
                attention_normed,
                middle,
                queries,
                keys_values,
                found,
                seen_normed,
                late,
                inner,
                activated,
                normed,
            });
        }
        Ok((states, Decoded { embedded, blocks: kept }))
    }

    /// The slopes of the encoder's states, from those of the decoder's.
    pub(super) fn decode_back(
        &self,
        blocks: &[DecoderBlockLayout],
        decoded: Decoded<C>,
        slopes: C::Array,
        encoded: &C::Array,
        (placed, text): (&Placed<C>, &Placed<C>),
        keys: Keys,
    ) -> Result<C::Array, ComputeError> {
        let (compute, keys) = (&self.compute, keys.of_decoder());
        let (mut slopes, mut of_encoded) = (slopes, None);
        for ((number, block), kept) in blocks.iter().enumerate().zip(decoded.blocks).rev() {
            let dropout = |place: usize| keys.hidden(PLACES * number + place);
            let (own, residual) = compute.norm_back(&kept.normed, &slopes, &block.output_norm, dropout(6))?;
            let own = compute.linear_back(&kept.activated, &own, &block.down)?;
            let own = compute.activate_back(&kept.inner, compute.drop_out(own, dropout(5))?, ACTIVATION)?;
            let own = compute.linear_back(&kept.late, &own, &block.up)?;
            let late = compute.add(own, &residual)?;
            let (own, residual) = compute.norm_back(&kept.seen_normed, &late, &block.seen_norm, dropout(4))?;
            let own = compute.linear_back(&kept.found, &own, &block.seen_output)?;
            let attention = self.other_attention(placed, text, keys, number);
            let (of_queries, of_keys_values) =
                compute.attend_to_back(&kept.queries, &kept.keys_values, &own, &attention)?;
            let of_states = compute.linear_back(encoded, &of_keys_values, &block.keys_values)?;
            of_encoded = Some(match of_encoded {
                None => of_states,
                Some(sum) => compute.add(sum, &of_states)?,
            });
            let own = compute.linear_back(&kept.middle, &of_queries, &block.queries)?;
            let middle = compute.add(own, &residual)?;
            let (own, residual) =
                compute.norm_back(&kept.attention_normed, &middle, &block.attention_norm, dropout(2))?;
            let own = compute.linear_back(&kept.seen, &own, &block.attention_output)?;
            let own = compute.attend_back(&kept.all, &own, &self.own_attention(text, keys, number))?;
            let own = compute.linear_back(&kept.states, &own, &block.queries_keys_values)?;
            slopes = compute.add(own, &residual)?;
        }
        let slopes = compute.drop_out(slopes, keys.hidden(0))?;
        let (slopes, _) = compute.norm_back(&decoded.embedded, &slopes, &self.layout.embedding_norm, Dropout::NONE)?;
        compute.embed_back(&text.tokens, &self.layout.tables, slopes)?;
        of_encoded.ok_or_else(super::no_head)
    }

    /// The attention of the words of a text to those before them.
    fn own_attention<'p>(&self, text: &'p Placed<C>, keys: Keys, number: usize) -> Attention<'p, C> {
        let heads = self.shape.dimensions.heads;
        Attention {
            sequences: text.sequences,
            length: text.length,
            seen_length: text.length,
            heads,
            width: self.shape.dimensions.hidden / heads,
            lengths: &text.lengths,
            sees: text.sees.as_ref(),
            scale: scale_of_width(self.shape.dimensions.hidden / heads),
            relative: None,
            bias: None,
            dropout: keys.of(keys.rates.attention, PLACES * number + 1),
        }
    }

    /// The attention of the words of a text to the program that it is about.
    fn other_attention<'p>(
        &self,
        placed: &'p Placed<C>,
        text: &Placed<C>,
        keys: Keys,
        number: usize,
    ) -> Attention<'p, C> {
        let heads = self.shape.dimensions.heads;
        Attention {
            sequences: text.sequences,
            length: text.length,
            seen_length: placed.length,
            heads,
            width: self.shape.dimensions.hidden / heads,
            lengths: &placed.lengths,
            sees: None,
            scale: scale_of_width(self.shape.dimensions.hidden / heads),
            relative: None,
            bias: None,
            dropout: keys.of(keys.rates.attention, PLACES * number + 3),
        }
    }
}
