//! From text to tokens: the vocabulary of a checkpoint, its special tokens and its limit.

use std::ops::Range;
use std::path::{Path, PathBuf};

use tokenizers::models::bpe::BPE;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{AddedToken, EncodeInput, Tokenizer};

use super::checkpoint::{Checkpoint, read_object};
use super::settings::{Prepared, Text};
use crate::OpenError;

/// Turns texts into tokens, as the checkpoint was trained with.
pub struct Vocabulary {
    tokenizer: Tokenizer,
    text: Text,
    /// The special tokens around one text.
    single: [Vec<u32>; 2],
    /// The special tokens before, between and behind two texts.
    pair: [Vec<u32>; 3],
    before: Vec<u32>,
    limit: usize,
    pub pad: u32,
}

/// The tokens of one sequence.
pub struct Encoded {
    /// The tokens, the special ones included.
    pub ids: Vec<u32>,
    /// How many tokens there would be without a limit.
    pub all: usize,
    /// The tokens that come from texts.
    pub pieces: Vec<Piece>,
}

/// A token that comes from a text.
pub struct Piece {
    /// Its place among the tokens.
    pub at: usize,
    /// Which text of the sequence it is from.
    pub text: usize,
    /// The bytes of the text that it stands for.
    pub range: Range<usize>,
}

impl Vocabulary {
    /// The files that hold a checkpoint's vocabulary.
    pub fn files(checkpoint: &Checkpoint) -> Result<Vec<PathBuf>, OpenError> {
        let folder = &checkpoint.folder;
        if let Some(name) = &checkpoint.settings.tokenizer {
            return Ok(vec![folder.join(name)]);
        }
        let whole = folder.join("tokenizer.json");
        if whole.exists() {
            return Ok(vec![whole]);
        }
        let parts = ["vocab.json", "merges.txt"].map(|name| folder.join(name));
        if parts.iter().all(|part| part.exists()) {
            return Ok(parts.to_vec());
        }
        Err(OpenError::Missing(format!(
            "{} holds no vocabulary: looked for tokenizer.json, and vocab.json with merges.txt; \
             name another file with `tokenizer` in allotrope.toml",
            folder.display()
        )))
    }

    /// Reads a checkpoint's vocabulary. `most` is the number of positions that the model has.
    pub fn read(checkpoint: &Checkpoint, most: usize) -> Result<Vocabulary, OpenError> {
        let files = Vocabulary::files(checkpoint)?;
        let unusable = |problem: String| OpenError::Unusable { place: files[0].display().to_string(), problem };
        for file in &files {
            std::fs::metadata(file).map_err(|source| OpenError::Unreadable { path: file.clone(), source })?;
        }
        let mut tokenizer = match &files[..] {
            [vocabulary, merges] => byte_pairs(&checkpoint.folder, vocabulary, merges)?,
            _ => Tokenizer::from_file(&files[0]).map_err(|error| unusable(error.to_string()))?,
        };
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| unusable(error.to_string()))?;
        let config = &checkpoint.config;
        let id = |key: &str, names: &[&str], otherwise: u32| -> Result<u32, OpenError> {
            match config.get(key) {
                Some(_) => Ok(config.number(key)? as u32),
                None => Ok(names.iter().find_map(|name| tokenizer.token_to_id(name)).unwrap_or(otherwise)),
            }
        };
        let (first, last) = (id("bos_token_id", &["<s>"], 0)?, id("eos_token_id", &["</s>"], 2)?);
        let (single, pair) = special_tokens(&tokenizer).map_err(unusable)?.unwrap_or_else(|| {
            let (first, last) = (vec![first], vec![last]);
            ([first.clone(), last.clone()], [first, [last.clone(), last.clone()].concat(), last])
        });
        let text = checkpoint.settings.text.clone();
        let before = text.before.iter().map(|token| {
            tokenizer.token_to_id(token).ok_or_else(|| unusable(format!("the vocabulary has no token `{token}`")))
        });
        let limit = match text.limit {
            Some(limit) => limit,
            None => stated_limit(checkpoint)?.unwrap_or(most).min(most),
        };
        if limit > most {
            return Err(
                config.unusable(format!("the model has {most} positions, fewer than the limit of {limit} tokens"))
            );
        }
        let vocabulary = Vocabulary {
            before: before.collect::<Result<_, _>>()?,
            pad: id("pad_token_id", &["<pad>"], 1)?,
            tokenizer,
            text,
            single,
            pair,
            limit,
        };
        let special = vocabulary.before.len() + vocabulary.pair.iter().flatten().count();
        match limit < special {
            true => {
                Err(config.unusable(format!("a limit of {limit} tokens leaves no room beside {special} special ones")))
            }
            false => Ok(vocabulary),
        }
    }

    /// The tokens of one text, or of two in one sequence.
    pub fn encode(&self, texts: &[&str]) -> Result<Encoded, String> {
        let tokens = texts.iter().map(|text| self.tokens(text)).collect::<Result<Vec<_>, _>>()?;
        let around: Vec<&[u32]> = match texts.len() {
            1 => self.single.iter().map(Vec::as_slice).collect(),
            _ => self.pair.iter().map(Vec::as_slice).collect(),
        };
        let special = self.before.len() + around.iter().map(|tokens| tokens.len()).sum::<usize>();
        let lengths: Vec<usize> = tokens.iter().map(Vec::len).collect();
        let kept = truncated(&lengths, self.limit - special);
        let mut encoded = Encoded { ids: Vec::new(), all: special + lengths.iter().sum::<usize>(), pieces: Vec::new() };
        encoded.ids.extend(around[0]);
        encoded.ids.extend(&self.before);
        for (text, (tokens, kept)) in tokens.into_iter().zip(kept).enumerate() {
            for (id, range) in tokens.into_iter().take(kept) {
                encoded.pieces.push(Piece { at: encoded.ids.len(), text, range });
                encoded.ids.push(id);
            }
            encoded.ids.extend(around[text + 1]);
        }
        Ok(encoded)
    }

    /// The tokens of a text alone, without special ones and without a limit, and the bytes of the text they stand for.
    fn tokens(&self, text: &str) -> Result<Vec<(u32, Range<usize>)>, String> {
        let prepared = self.prepared(text);
        let encoding = self.tokenizer.encode(prepared.text.as_str(), false).map_err(|error| error.to_string())?;
        let ranges = encoding.get_offsets().iter().map(|(start, end)| prepared.origin(&(*start..*end)));
        Ok(encoding.get_ids().iter().copied().zip(ranges).collect())
    }

    /// A text as the tokenizer gets it.
    pub fn prepared(&self, text: &str) -> Prepared {
        self.text.prepared(text)
    }

    /// The tokens of a word, which is not prepared.
    pub fn word(&self, word: String) -> Result<Vec<u32>, String> {
        self.tokenizer
            .encode_fast(word, false)
            .map(|tokens| tokens.get_ids().to_vec())
            .map_err(|error| error.to_string())
    }

    /// The special tokens at the ends of a sequence.
    pub fn ends(&self) -> (u32, u32) {
        let (first, last) = (self.single[0].first(), self.single[1].last());
        (first.copied().unwrap_or_default(), last.copied().unwrap_or_default())
    }

    /// The token for what is not in the vocabulary.
    pub fn unknown(&self) -> u32 {
        self.id("<unk>").unwrap_or(self.pad)
    }

    /// The text of one token.
    pub fn token(&self, id: u32) -> String {
        self.tokenizer.decode(&[id], false).unwrap_or_default()
    }

    /// The number of a token.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.tokenizer.token_to_id(token)
    }

    /// The position of every token, as RoBERTa counts them: padding has none.
    pub fn positions(&self, ids: &[u32]) -> Vec<u32> {
        let mut next = self.pad;
        let position = |id: &u32| {
            if *id == self.pad {
                return self.pad;
            }
            next += 1;
            next
        };
        ids.iter().map(position).collect()
    }
}

/// A byte-level vocabulary from its two files, as RoBERTa's tokenizer in transformers builds it.
fn byte_pairs(folder: &Path, vocabulary: &Path, merges: &Path) -> Result<Tokenizer, OpenError> {
    let unusable = |place: &Path, problem: String| OpenError::Unusable { place: place.display().to_string(), problem };
    let model = BPE::from_file(&vocabulary.to_string_lossy(), &merges.to_string_lossy())
        .build()
        .map_err(|error| unusable(vocabulary, error.to_string()))?;
    let mut tokenizer = Tokenizer::new(model);
    let stated = folder.join("tokenizer_config.json");
    let stated = if stated.exists() { read_object(&stated)? } else { Default::default() };
    let has_blank = stated.get("add_prefix_space").and_then(serde_json::Value::as_bool).unwrap_or(false);
    tokenizer.with_pre_tokenizer(Some(ByteLevel::new(has_blank, true, true)));
    tokenizer.with_decoder(Some(ByteLevel::default()));
    // The mask takes the blank before it; the others stand for themselves.
    let mut special = vec![];
    for (name, otherwise) in [
        ("bos_token", "<s>"),
        ("pad_token", "<pad>"),
        ("eos_token", "</s>"),
        ("unk_token", "<unk>"),
        ("mask_token", "<mask>"),
    ] {
        let given = stated.get(name).and_then(|value| value.as_str().or_else(|| value.get("content")?.as_str()));
        let token = given.unwrap_or(otherwise);
        if tokenizer.token_to_id(token).is_some() {
            special.push(AddedToken::from(token, true).lstrip(name == "mask_token"));
        }
    }
    tokenizer.add_special_tokens(special).map_err(|error| unusable(vocabulary, error.to_string()))?;
    let added = folder.join("added_tokens.json");
    if added.exists() {
        let mut tokens: Vec<(String, u64)> =
            read_object(&added)?.into_iter().filter_map(|(token, id)| Some((token, id.as_u64()?))).collect();
        tokens.sort_by_key(|(_, id)| *id);
        let tokens = tokens.into_iter().map(|(token, _)| AddedToken::from(token, false));
        tokenizer.add_tokens(tokens).map_err(|error| unusable(&added, error.to_string()))?;
    }
    Ok(tokenizer)
}

/// The most tokens that the checkpoint's files allow.
fn stated_limit(checkpoint: &Checkpoint) -> Result<Option<usize>, OpenError> {
    if checkpoint.config.get("block_size").is_some() {
        return Ok(Some(checkpoint.config.number("block_size")?));
    }
    let stated = checkpoint.folder.join("tokenizer_config.json");
    if !stated.exists() {
        return Ok(None);
    }
    // Where there is no limit the library writes a very large number, which is a fraction in JSON's eyes.
    Ok(read_object(&stated)?.get("model_max_length").and_then(serde_json::Value::as_u64).map(|limit| limit as usize))
}

type Around = ([Vec<u32>; 2], [Vec<u32>; 3]);

/// The special tokens that the tokenizer itself puts around texts; `None` when it puts none.
fn special_tokens(tokenizer: &Tokenizer) -> Result<Option<Around>, String> {
    let inside = |text: &str| tokenizer.encode(text, false).map(|tokens| tokens.get_ids().to_vec());
    let outside = |input: EncodeInput<'_>| tokenizer.encode(input, true).map(|tokens| tokens.get_ids().to_vec());
    let found = || -> tokenizers::Result<Option<Around>> {
        let one = inside("a")?;
        let single = outside("a".into())?;
        let pair = outside(("a", "a").into())?;
        let Some(start) = place(&single, &one, 0).filter(|_| single.len() > one.len()) else { return Ok(None) };
        let (Some(first), length) = (place(&pair, &one, 0), one.len()) else { return Ok(None) };
        let Some(second) = place(&pair, &one, first + length) else { return Ok(None) };
        Ok(Some((
            [single[..start].to_vec(), single[start + length..].to_vec()],
            [pair[..first].to_vec(), pair[first + length..second].to_vec(), pair[second + length..].to_vec()],
        )))
    };
    found().map_err(|error| error.to_string())
}

/// Where the part stands in the whole, from a place on.
fn place(whole: &[u32], part: &[u32], from: usize) -> Option<usize> {
    (from..(whole.len() + 1).saturating_sub(part.len())).find(|start| whole[*start..].starts_with(part))
}

/// How much is kept of each text, so that all fit: of the longest, less, as the tokenizers library has it.
fn truncated(lengths: &[usize], room: usize) -> Vec<usize> {
    match lengths {
        [one] => vec![(*one).min(room)],
        [one, other] if one + other > room => {
            let short = *one.min(other);
            let (mut shorter, mut longer) = (short, if short > room { short } else { short.max(room - short) });
            if shorter + longer > room {
                shorter = room / 2;
                longer = shorter + room % 2;
            }
            if one > other { vec![longer, shorter] } else { vec![shorter, longer] }
        }
        all => all.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_of_two_texts_is_cut_first() {
        assert_eq!(truncated(&[3, 4], 10), [3, 4]);
        assert_eq!(truncated(&[3, 40], 10), [3, 7]);
        assert_eq!(truncated(&[40, 3], 10), [7, 3]);
        assert_eq!(truncated(&[40, 41], 11), [5, 6]);
        assert_eq!(truncated(&[41, 40], 11), [6, 5]);
        assert_eq!(truncated(&[9], 4), [4]);
        assert_eq!(truncated(&[], 4), [0; 0]);
    }
}
