//! From text to tokens: the vocabulary of a checkpoint, its special tokens and its limit.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tokenizers::models::bpe::BPE;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::processors::roberta::RobertaProcessing;
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
    /// The special tokens before, between and after two texts.
    pair: [Vec<u32>; 3],
    before: Vec<u32>,
    limit: usize,
    /// How many tokens the model has embeddings for.
    embeddings: usize,
    pub pad: u32,
}

/// The most tokens where nothing says how many: what T5 was trained with.
const LIMIT: usize = 512;

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

    /// Reads a checkpoint's vocabulary. `most` is the number of positions that the model has, where it counts them.
    pub fn read(checkpoint: &Checkpoint, most: Option<usize>) -> Result<Vocabulary, OpenError> {
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
        let text = checkpoint.settings.text.clone();
        let (single, pair) = match text.special_tokens {
            Some(false) => Around::default(),
            Some(true) | None => special_tokens(&tokenizer).map_err(unusable)?.unwrap_or_else(|| {
                let (first, last) = (vec![first], vec![last]);
                ([first.clone(), last.clone()], [first, [last.clone(), last.clone()].concat(), last])
            }),
        };
        let before = text.before.iter().map(|token| {
            tokenizer.token_to_id(token).ok_or_else(|| unusable(format!("the vocabulary has no token `{token}`")))
        });
        let limit = match text.limit {
            Some(limit) => limit,
            None => stated_limit(checkpoint)?.or(most).unwrap_or(LIMIT).min(most.unwrap_or(usize::MAX)),
        };
        if let Some(most) = most.filter(|most| limit > *most) {
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
            embeddings: config.number("vocab_size")?,
        };
        let special = vocabulary.before.len() + vocabulary.pair.iter().flatten().count();
        match limit < special {
            true => {
                Err(config.unusable(format!("a limit of {limit} tokens leaves no room beside {special} special ones")))
            }
            false => Ok(vocabulary),
        }
    }

    /// The most tokens of a sequence, the special ones included.
    pub fn limit(&self) -> usize {
        self.limit
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
        match encoded.ids.is_empty() {
            true => Err("the text has no tokens, and `special-tokens` puts none around it".to_owned()),
            false => Ok(encoded),
        }
    }

    /// All tokens of a text, in as many sequences as the limit makes of them. The first is what `encode` keeps.
    pub fn windows(&self, text: &str) -> Result<Vec<Vec<u32>>, String> {
        let special = self.before.len() + self.single.iter().flatten().count();
        let tokens: Vec<u32> = self.tokens(text)?.into_iter().map(|(id, _)| id).collect();
        let window = |tokens: &[u32]| [&self.single[0][..], &self.before, tokens, &self.single[1]].concat();
        // Where special tokens leave no room there is nothing to cut.
        Ok(tokens.chunks((self.limit - special).max(1)).map(window).filter(|ids| ids.len() <= self.limit).collect())
    }

    /// The tokens of a text alone, without special ones and without a limit, and the bytes of the text they stand for.
    fn tokens(&self, text: &str) -> Result<Vec<(u32, Range<usize>)>, String> {
        let prepared = self.prepared(text);
        let encoding = self.tokenizer.encode(prepared.text.as_str(), false).map_err(|error| error.to_string())?;
        self.check(encoding.get_ids())?;
        let ranges = encoding.get_offsets().iter().map(|(start, end)| prepared.origin(&(*start..*end)));
        Ok(encoding.get_ids().iter().copied().zip(ranges).collect())
    }

    /// A text as the tokenizer gets it.
    pub fn prepared(&self, text: &str) -> Prepared {
        self.text.prepared(text)
    }

    /// The tokens of a word, which is not prepared.
    pub fn word(&self, word: String) -> Result<Vec<u32>, String> {
        let ids = self.tokenizer.encode_fast(word, false).map(|tokens| tokens.get_ids().to_vec());
        let ids = ids.map_err(|error| error.to_string())?;
        self.check(&ids)?;
        Ok(ids)
    }

    /// A vocabulary may have tokens that the model has no embedding for.
    fn check(&self, ids: &[u32]) -> Result<(), String> {
        match ids.iter().find(|id| **id as usize >= self.embeddings) {
            None => Ok(()),
            Some(id) => Err(format!(
                "the text has the token {id}, `{}`, but the model has embeddings for {} only",
                self.tokenizer.id_to_token(*id).unwrap_or_default(),
                self.embeddings
            )),
        }
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

    /// The text of tokens, special ones left out.
    pub fn text(&self, ids: &[u32]) -> Result<String, String> {
        self.tokenizer.decode(ids, true).map_err(|error| error.to_string())
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
    // The newer file comes last, and counts.
    let mut stated = serde_json::Map::new();
    for file in ["special_tokens_map.json", "tokenizer_config.json"].map(|name| folder.join(name)) {
        if file.exists() {
            stated.extend(read_object(&file)?);
        }
    }
    let has_blank = stated.get("add_prefix_space").and_then(Value::as_bool).unwrap_or(false);
    tokenizer.with_pre_tokenizer(Some(ByteLevel::new(has_blank, true, true)));
    tokenizer.with_decoder(Some(ByteLevel::default()));
    let mut special = Vec::new();
    for (key, otherwise) in SPECIAL {
        // Where nothing is said, the mask takes the blank before it, as it did in all versions of the library before 5.
        let token = stated.get(key).and_then(added_token);
        let token = token.unwrap_or_else(|| AddedToken::from(otherwise, true).lstrip(key == "mask_token"));
        if tokenizer.token_to_id(&token.content).is_some() {
            special.push(token.special(true));
        }
    }
    let named = |key: &str| {
        let token = stated.get(key).and_then(added_token).map(|token| token.content);
        let otherwise = SPECIAL.iter().find(|(name, _)| *name == key).map(|(_, token)| token.to_string());
        let token = token.or(otherwise)?;
        tokenizer.token_to_id(&token).map(|id| (token, id))
    };
    if let (Some(last), Some(first)) = (named("sep_token"), named("cls_token")) {
        tokenizer.with_post_processor(Some(RobertaProcessing::new(last, first).add_prefix_space(has_blank)));
    }
    tokenizer.add_special_tokens(special).map_err(|error| unusable(vocabulary, error.to_string()))?;
    let mut added: Vec<(u64, AddedToken)> = Vec::new();
    for (id, token) in stated.get("added_tokens_decoder").and_then(Value::as_object).into_iter().flatten() {
        added.extend(id.parse().ok().zip(added_token(token)));
    }
    let more = stated.get("additional_special_tokens").and_then(Value::as_array).into_iter().flatten();
    let more: Vec<AddedToken> = more.filter_map(added_token).map(|token| token.special(true)).collect();
    let file = folder.join("added_tokens.json");
    if file.exists() {
        for (token, id) in read_object(&file)? {
            let Some(id) = id.as_u64().filter(|id| added.iter().all(|(other, _)| id != other)) else { continue };
            let known = more.iter().find(|other| other.content == token).cloned();
            added.push((id, known.unwrap_or_else(|| AddedToken::from(token, false))));
        }
    }
    added.sort_by_key(|(id, _)| *id);
    for token in added.into_iter().map(|(_, token)| token).chain(more) {
        let is_added = match token.special {
            true => tokenizer.add_special_tokens([token]),
            false => tokenizer.add_tokens([token]),
        };
        is_added.map_err(|error| unusable(&file, error.to_string()))?;
    }
    Ok(tokenizer)
}

/// The special tokens of RoBERTa, by the keys under which files may name others.
const SPECIAL: [(&str, &str); 7] = [
    ("bos_token", "<s>"),
    ("pad_token", "<pad>"),
    ("eos_token", "</s>"),
    ("unk_token", "<unk>"),
    ("sep_token", "</s>"),
    ("cls_token", "<s>"),
    ("mask_token", "<mask>"),
];

/// A token as files write it: its text, or an object with its text and how it is found.
fn added_token(value: &Value) -> Option<AddedToken> {
    if let Some(text) = value.as_str() {
        return Some(AddedToken::from(text, true));
    }
    let flag = |key: &str| value.get(key).and_then(Value::as_bool);
    let token = AddedToken::from(value.get("content")?.as_str()?, flag("special").unwrap_or(false));
    let normalized = flag("normalized").unwrap_or(token.normalized);
    let token = token.lstrip(flag("lstrip").unwrap_or(false)).rstrip(flag("rstrip").unwrap_or(false));
    Some(token.single_word(flag("single_word").unwrap_or(false)).normalized(normalized))
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
    Ok(read_object(&stated)?.get("model_max_length").and_then(Value::as_u64).map(|limit| limit as usize))
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

    #[test]
    fn special_tokens_can_be_left_out() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity");
        let settings = |lines: &str| toml::from_str(lines).unwrap();
        let read = |lines: &str| {
            let checkpoint = Checkpoint::of(fixtures.join("roberta-one"), settings(lines), None).unwrap();
            Vocabulary::read(&checkpoint, Some(64)).unwrap()
        };
        let (with, without) = (read(""), read("text = { special-tokens = false, limit = 6 }"));
        for texts in [&["int x;"][..], &["int x;", "y"]] {
            let mut ids = with.encode(texts).unwrap().ids;
            ids.retain(|id| ![0, 2].contains(id));
            assert_eq!(without.encode(texts).unwrap().ids, ids, "{texts:?}");
        }
        let encoded = without.encode(&["int value = 1;"]).unwrap();
        assert_eq!((encoded.ids.len(), encoded.pieces[0].at), (6, 0));
        assert!(without.encode(&[""]).err().unwrap().contains("no tokens"));
        assert!(without.windows("").unwrap().is_empty());
        let tight = read("text = { limit = 6 }");
        let (text, windows) = ("int value = 1; return value;", tight.windows("int value = 1; return value;").unwrap());
        assert_eq!(windows[0], tight.encode(&[text]).unwrap().ids);
        let ends = |ids: &Vec<u32>| (ids.len() <= 6, ids[0], ids[ids.len() - 1]);
        assert!(windows.len() > 1 && windows.iter().all(|ids| ends(ids) == (true, 0, 2)));
        let words: Vec<u32> = windows.iter().flat_map(|ids| ids[1..ids.len() - 1].to_vec()).collect();
        let all = with.encode(&[text]).unwrap().ids;
        assert_eq!(words, all[1..all.len() - 1]);
    }

    /// The tokens of transformers for the inputs of the parity fixtures: from a whole file and from its parts, of one text and of two.
    #[test]
    fn tokens_are_those_of_transformers() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/parity");
        let inputs = Value::Object(read_object(&fixtures.join("inputs.json")).unwrap());
        let list = |name: &str| inputs[name].as_array().unwrap();
        let text = |program: &Value| program["text"].as_str().unwrap().to_owned();
        let named = |name: &Value| text(list("programs").iter().find(|program| program["name"] == *name).unwrap());
        let alone: Vec<Vec<String>> = list("programs").iter().map(|program| vec![text(program)]).collect();
        let masked: Vec<Vec<String>> = list("masked").iter().map(|program| vec![text(program)]).collect();
        let pairs: Vec<Vec<String>> = list("pairs").iter().map(|pair| vec![named(&pair[0]), named(&pair[1])]).collect();
        for (name, key, inputs) in [
            ("roberta-one", "tokens", &alone),
            ("roberta-two", "tokens", &alone),
            ("roberta-pair", "tokens", &pairs),
            ("roberta-pair-parts", "tokens", &pairs),
            ("roberta-masked", "masked_tokens", &masked),
            ("t5-relu-tied", "tokens", &alone),
            ("t5-gated-tied", "tokens", &alone),
            ("t5-gated-untied", "tokens", &alone),
        ] {
            let folder = fixtures.join(name);
            let checkpoint = Checkpoint::find(&folder.display().to_string()).unwrap();
            let vocabulary = Vocabulary::read(&checkpoint, Some(64)).unwrap();
            let expected = Value::Object(read_object(&folder.join("expected.json")).unwrap());
            assert_eq!(expected[key].as_array().unwrap().len(), inputs.len());
            for (texts, expected) in inputs.iter().zip(expected[key].as_array().unwrap()) {
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                let ids = serde_json::json!(vocabulary.encode(&texts).unwrap().ids);
                assert_eq!(ids, *expected, "{name}: {texts:?}");
            }
        }
    }
}
