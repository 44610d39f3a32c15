//! `hf:DIR`: a checkpoint in the layout of the transformers library, run by this program itself.
//!
//! DIR holds `config.json`, the weights (`model.safetensors`, its parts, or PyTorch's `pytorch_model.bin`) and the vocabulary
//! (`tokenizer.json`, or `vocab.json` with `merges.txt`). What these do not say stands in `allotrope.toml` beside them, or in a
//! file of another place: `hf:DIR?settings=FILE`.
//!
//! Every sequence is computed by itself, without padding, and the sequences of a batch are spread over the cores, the longest first.
//! So an answer depends on its input alone, bit for bit, and a sequence that occurs twice in a batch is computed once.

mod encoder;
mod t5;

use crate::huggingface::checkpoint::Checkpoint;
use crate::{Model, OpenError};

/// Opens a checkpoint.
pub(super) fn open(place: &str) -> Result<Box<dyn Model>, OpenError> {
    let checkpoint = Checkpoint::find(place)?;
    let kind = checkpoint.config.text_or("model_type", "roberta")?;
    match kind.as_str() {
        "roberta" => Ok(Box::new(encoder::Encoder::open(place, checkpoint)?)),
        "t5" => Ok(Box::new(t5::TextToText::open(place, &checkpoint)?)),
        other => Err(checkpoint.config.unusable(format!("the model type `{other}` is not known; roberta and t5 are"))),
    }
}
