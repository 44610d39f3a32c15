//! `hf:DIR`: a checkpoint in the layout of the transformers library, run without Python.
//!
//! DIR holds `config.json`, the weights (`model.safetensors`, its shards, or PyTorch's `pytorch_model.bin`) and the
//! vocabulary (`tokenizer.json`, or `vocab.json` with `merges.txt`). Further settings are in `allotrope.toml` beside them,
//! or in a file elsewhere: `hf:DIR?settings=FILE`. Encoders run on an NVIDIA GPU with `hf:DIR?device=cuda`, or with both:
//! `hf:DIR?settings=FILE&device=cuda`.
//!
//! Where there is no such folder, `hf:OWNER/NAME` is a model of the Hugging Face hub, and `hf:OWNER/NAME@REVISION` a branch, a tag or a commit of it. Its
//! files are taken out of the cache of `huggingface_hub` (HF_HUB_CACHE, HF_HOME), and what is not there is downloaded first (HF_ENDPOINT, HF_TOKEN),
//! unless HF_HUB_OFFLINE is set. The first use pins the name to a commit, which is a part of the model's name in records.
//!
//! An encoder with a decoder, as CodeXGLUE's program for code documentation saves it, writes texts where the settings say
//! `head = "generation"`.
//!
//! On a CPU every sequence is computed separately, without padding, and the sequences of a batch are spread over the cores,
//! the longest first. So an answer depends on its input alone, bit for bit, and a sequence that occurs twice in a batch is
//! computed once.
//!
//! Gradients, of RoBERTa and T5 classifiers, and GPUs need the crate `training`, whose `open` replaces this one.

mod captions;

use std::collections::HashMap;
use std::hash::Hash;

use rayon::prelude::*;

use super::Kind;
use crate::huggingface::checkpoint::{Checkpoint, PlaceOfWork};
use crate::huggingface::encoder::{Encoder, Parts};
use crate::huggingface::hub::is_commit;
use crate::huggingface::roberta::Roberta;
use crate::huggingface::settings::Head;
use crate::huggingface::text_to_text::TextToText;
use crate::mutation::Level;
use crate::{Fault, Model, OpenError, Tokens};

/// How models of this kind are named and opened.
pub(super) const KIND: Kind = Kind {
    name: "hf",
    place: "DIR or OWNER/NAME[@REVISION][?settings=FILE&device=cuda&weights=int8&mutate=OPERATOR]",
    about: "a checkpoint of the transformers library, in a folder or on the Hugging Face hub",
    is_outside: false,
    label,
    levels: &[Level::Weight, Level::Neuron],
    open,
};

/// The last part of a path; of a model of the hub without its commit, which is too long for headings.
fn label(place: &str) -> &str {
    let last = super::last_of_path(place);
    last.rsplit_once('@').filter(|(_, commit)| is_commit(commit)).map_or(last, |(name, _)| name)
}

/// Opens a checkpoint.
fn open(place: &str) -> Result<Box<dyn Model>, OpenError> {
    let checkpoint = Checkpoint::find(place)?;
    let kind = checkpoint.config.text_or("model_type", "roberta")?;
    match (kind.as_str(), checkpoint.place_of_work) {
        ("roberta", PlaceOfWork::Cpu) if checkpoint.settings.head == Some(Head::Generation) => {
            Ok(Box::new(captions::Captioner::open(place, &checkpoint)?))
        }
        ("roberta", PlaceOfWork::Cuda) if checkpoint.settings.head == Some(Head::Generation) => Err(checkpoint
            .config
            .unusable("models that write texts run on the CPU only: leave out `device=cuda`".to_owned())),
        ("roberta", PlaceOfWork::Cpu) => {
            let kernels = |parts: &Parts<'_>| Roberta::new(parts.dimensions, parts.weights, parts.prefix);
            Ok(Box::new(Encoder::open(place, checkpoint, kernels)?))
        }
        ("roberta", PlaceOfWork::Cuda) => Err(OpenError::Missing(
            "this library computes on the CPU: open the model with the crate training".to_owned(),
        )),
        ("t5", PlaceOfWork::Cpu) => Ok(Box::new(TextToText::open(place, &checkpoint)?)),
        ("t5", PlaceOfWork::Cuda) => {
            Err(checkpoint.config.unusable("T5 models run on the CPU only: leave out `device=cuda`".to_owned()))
        }
        (other, _) => {
            Err(checkpoint.config.unusable(format!("unknown model type `{other}`: roberta and t5 are supported")))
        }
    }
}

/// What `answer` says about every input that was read. Each different one is computed once, the longest first.
pub(crate) fn each_once<Read: Eq + Hash + Sync, Made: Clone + Send>(
    read: &[Result<(Read, Tokens), Fault>],
    length: impl Fn(&Read) -> usize,
    answer: impl Fn(&Read) -> Result<Made, Fault> + Sync,
) -> Vec<Result<(Made, Tokens), Fault>> {
    let mut places: HashMap<&Read, usize> = HashMap::new();
    let mut different: Vec<&Read> = Vec::new();
    for (own, _) in read.iter().flatten() {
        places.entry(own).or_insert_with(|| {
            different.push(own);
            different.len() - 1
        });
    }
    let mut order: Vec<usize> = (0..different.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(length(different[*place])));
    let mut found: Vec<(usize, Result<Made, Fault>)> =
        order.into_par_iter().with_max_len(1).map(|place| (place, answer(different[place]))).collect();
    found.sort_by_key(|(place, _)| *place);
    let result = |read: &Result<(Read, Tokens), Fault>| {
        let (own, tokens) = read.as_ref().map_err(Fault::clone)?;
        Ok((found[places[own]].1.clone()?, *tokens))
    };
    read.iter().map(result).collect()
}
