//! The tokens of a vocabulary as the inputs of a graph, as transformers' exports take them.

use std::path::{Path, PathBuf};

use super::engine::{Row, Slot};
use super::settings::OnnxSettings;
use crate::adapters::answers::texts;
use crate::huggingface::checkpoint::Checkpoint;
use crate::huggingface::settings::{CheckpointSettings, Shape};
use crate::huggingface::tokens::Vocabulary;
use crate::identity::Fingerprint;
use crate::{Fault, Input, OpenError, Tokens};

/// Makes the inputs of a graph out of texts.
pub struct TokenReader {
    vocabulary: Vocabulary,
    shape: Shape,
    ids: String,
    mask: Option<String>,
    types: Option<String>,
    /// The length of every sequence, of a graph that takes no other.
    length: Option<usize>,
}

/// Families of models that number positions from after the padding token on, and so have fewer places than embeddings for them.
const SHIFTED: [&str; 5] = ["roberta", "camembert", "xlm-roberta", "longformer", "mpnet"];

impl TokenReader {
    /// Reads the vocabulary for a file, and compares what it gives with what the graph takes.
    pub fn open(
        file: &Path,
        settings: &OnnxSettings,
        settings_file: Option<&Path>,
        slots: &[Slot],
        fingerprint: &mut Fingerprint,
    ) -> Result<TokenReader, OpenError> {
        let beside = file.parent().map(Path::to_owned).unwrap_or_default();
        let folder = settings.tokens.folder.as_ref().map_or(beside.clone(), |folder| beside.join(folder));
        let checkpoint = Checkpoint::of(
            if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder },
            CheckpointSettings {
                tokenizer: settings.tokens.tokenizer.clone(),
                text: settings.text.clone(),
                config: settings.config.clone(),
                ..CheckpointSettings::default()
            },
            settings_file.map(Path::to_owned),
        )
        .map_err(|error| match settings_file {
            Some(_) => error,
            None => OpenError::Missing(format!(
                "how a program becomes the input of {} is not known ({error}): put config.json and the vocabulary beside it, or \
                 describe its input in allotrope.toml, as fixtures/checkpoints/magika.toml does",
                file.display()
            )),
        })?;
        checkpoint.add_to(fingerprint)?;
        for file in Vocabulary::files(&checkpoint)? {
            fingerprint.add_file(&file)?;
        }
        let shape = settings.input.unwrap_or(Shape::Code);
        let has = |name: &String| slots.iter().any(|slot| slot.name == *name).then(|| name.clone());
        let names = &settings.tokens;
        let (mask, types) = (has(&names.mask), has(&names.types));
        if types.is_some() && shape != Shape::Code {
            return Err(OpenError::Unusable {
                place: file.display().to_string(),
                problem: format!("it takes `{}`, which is given for one program only, not for two texts", names.types),
            });
        }
        let length = slots.iter().filter_map(|slot| *slot.shape.as_ref()?.last()?).min();
        let vocabulary = Vocabulary::read(&checkpoint, positions(&checkpoint, length)?)?;
        Ok(TokenReader { vocabulary, shape, ids: names.ids.clone(), mask, types, length })
    }

    /// The names of the inputs that are given.
    pub fn names(&self) -> Vec<&str> {
        let more = [&self.mask, &self.types].into_iter().flatten();
        [&self.ids].into_iter().chain(more).map(String::as_str).collect()
    }

    /// The length of every sequence, of a graph that takes no other.
    pub fn length(&self) -> Option<usize> {
        self.length
    }

    /// The inputs of the graph for an input, and how many tokens it has.
    pub fn read(&self, input: &Input) -> Result<(Vec<Row>, Tokens), Fault> {
        let encoded = self.vocabulary.encode(&texts(self.shape, input)?).map_err(Fault::Failed)?;
        let tokens = Tokens { all: encoded.all, seen: encoded.ids.len() };
        let mut ids: Vec<i64> = encoded.ids.iter().map(|id| i64::from(*id)).collect();
        let mut mask = vec![1; ids.len()];
        let length = self.length.unwrap_or(ids.len());
        ids.resize(length, i64::from(self.vocabulary.pad));
        mask.resize(length, 0);
        let mut inputs = vec![(self.ids.clone(), ids)];
        inputs.extend(self.mask.clone().map(|name| (name, mask)));
        inputs.extend(self.types.clone().map(|name| (name, vec![0; length])));
        Ok((inputs, tokens))
    }
}

/// The most tokens that the model has a position for, as far as its files say so.
fn positions(checkpoint: &Checkpoint, length: Option<usize>) -> Result<Option<usize>, OpenError> {
    let config = &checkpoint.config;
    let Some(_) = config.get("max_position_embeddings") else { return Ok(length) };
    let kind = config.text_or("model_type", "roberta")?;
    let unused = if SHIFTED.contains(&kind.as_str()) { config.number_or("pad_token_id", 1)? + 1 } else { 0 };
    let most = config.number("max_position_embeddings")?.saturating_sub(unused);
    Ok(Some(length.map_or(most, |length| most.min(length))))
}
