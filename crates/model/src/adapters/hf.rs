//! `hf:DIR`: a checkpoint in the layout of the transformers library, run without Python.
//!
//! DIR holds `config.json`, the weights (`model.safetensors`, its shards, or PyTorch's `pytorch_model.bin`) and the
//! vocabulary (`tokenizer.json`, or `vocab.json` with `merges.txt`). Further settings are in `allotrope.toml` beside them,
//! or in a file elsewhere: `hf:DIR?settings=FILE`. Encoders run on an NVIDIA GPU with `hf:DIR?device=cuda`, or with both:
//! `hf:DIR?settings=FILE&device=cuda`.
//!
//! On a CPU every sequence is computed separately, without padding, and the sequences of a batch are spread over the cores,
//! the longest first. So an answer depends on its input alone, bit for bit, and a sequence that occurs twice in a batch is
//! computed once.
//!
//! Gradients and GPUs need the crate `training`, whose `open` replaces this one.

mod t5;

use super::Kind;
use crate::huggingface::checkpoint::{Checkpoint, PlaceOfWork};
use crate::huggingface::encoder::{Encoder, Parts};
use crate::huggingface::roberta::Roberta;
use crate::mutation::Level;
use crate::{Model, OpenError};

/// How models of this kind are named and opened.
pub(super) const KIND: Kind = Kind {
    name: "hf",
    place: "DIR[?settings=FILE&device=cuda&weights=int8&mutate=OPERATOR]",
    about: "a checkpoint of the transformers library",
    is_outside: false,
    label: super::last_of_path,
    levels: &[Level::Weight, Level::Neuron],
    open,
};

/// Opens a checkpoint.
fn open(place: &str) -> Result<Box<dyn Model>, OpenError> {
    let checkpoint = Checkpoint::find(place)?;
    let kind = checkpoint.config.text_or("model_type", "roberta")?;
    match (kind.as_str(), checkpoint.place_of_work) {
        ("roberta", PlaceOfWork::Cpu) => {
            let kernels = |parts: &Parts<'_>| Roberta::new(parts.dimensions, parts.weights, parts.prefix);
            Ok(Box::new(Encoder::open(place, checkpoint, kernels)?))
        }
        ("roberta", PlaceOfWork::Cuda) => Err(OpenError::Missing(
            "this library computes on the CPU: open the model with the crate training".to_owned(),
        )),
        ("t5", PlaceOfWork::Cpu) => Ok(Box::new(t5::TextToText::open(place, &checkpoint)?)),
        ("t5", PlaceOfWork::Cuda) => {
            Err(checkpoint.config.unusable("T5 models run on the CPU only: leave out `device=cuda`".to_owned()))
        }
        (other, _) => {
            Err(checkpoint.config.unusable(format!("unknown model type `{other}`: roberta and t5 are supported")))
        }
    }
}
