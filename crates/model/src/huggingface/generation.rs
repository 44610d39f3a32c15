//! The search for the most probable text, as the `generate` of transformers has it: the best token each time, or several texts at once.

use serde_json::{Map, Value};

use super::checkpoint::{Checkpoint, read_object};
use super::settings::Generation;
use crate::OpenError;

/// How texts are searched for.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The token that every text begins with.
    pub start: u32,
    /// The tokens that end a text.
    pub ends: Vec<u32>,
    /// The most tokens of a text, the first included.
    pub max_length: usize,
    /// The number of texts that are followed at once.
    pub beams: usize,
    /// The power of its length that the score of a text is divided by.
    pub length_penalty: f64,
    pub early_stopping: EarlyStopping,
}

/// When a search with several texts ends, once as many have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyStopping {
    /// At once.
    Yes,
    /// When none that goes on is better, were it to end now.
    No,
    /// When none that goes on can become better at any length.
    Never,
}

/// What a decoder sees of the encoder: for each block, the keys and values of all tokens.
pub struct Encoded(pub Vec<Vec<f32>>);

/// What a decoder has seen of a text: for each block, the keys and values of all tokens so far.
#[derive(Clone, Default)]
pub struct Past {
    pub blocks: Vec<Vec<f32>>,
    pub tokens: usize,
}

/// Settings that would lead to other texts, with the values that do not.
const UNSUPPORTED: [(&str, f64); 12] = [
    ("do_sample", 0.0),
    ("no_repeat_ngram_size", 0.0),
    ("encoder_no_repeat_ngram_size", 0.0),
    ("repetition_penalty", 1.0),
    ("encoder_repetition_penalty", 1.0),
    ("num_beam_groups", 1.0),
    ("min_length", 0.0),
    ("min_new_tokens", 0.0),
    ("forced_bos_token_id", f64::NAN),
    ("forced_eos_token_id", f64::NAN),
    ("bad_words_ids", f64::NAN),
    ("suppress_tokens", f64::NAN),
];

/// One step of a search, see [`Search::run`].
type Step<'s> = dyn FnMut(&[usize], &[u32]) -> Vec<f32> + 's;

impl Search {
    /// What the settings say, then `generation_config.json`, then `config.json`, then what transformers takes by itself.
    pub fn new(checkpoint: &Checkpoint, ends: Vec<u32>, start: u32) -> Result<Search, OpenError> {
        let settings = checkpoint.settings.generation.unwrap_or_default();
        let file = checkpoint.folder.join("generation_config.json");
        let stated = match file.exists() {
            true => read_object(&file)?,
            false => checkpoint.config.values().clone(),
        };
        let place = if file.exists() { file.display().to_string() } else { checkpoint.config.place().to_owned() };
        Search::read(&stated, &settings, ends, start).map_err(|problem| OpenError::Unusable { place, problem })
    }

    fn read(stated: &Map<String, Value>, settings: &Generation, ends: Vec<u32>, start: u32) -> Result<Search, String> {
        let get = |key: &str| stated.get(key).filter(|value| !value.is_null());
        for (key, harmless) in UNSUPPORTED {
            let Some(value) = get(key) else { continue };
            let number = value.as_f64().or(value.as_bool().map(|flag| flag as u8 as f64));
            if number != Some(harmless) {
                return Err(format!("`{key}` is {value}, which is not supported: take it out to search without it"));
            }
        }
        let number = |key: &str| match get(key) {
            Some(value) => {
                value.as_u64().map(|number| Some(number as usize)).ok_or(format!("`{key}` is not an integer"))
            }
            None => Ok(None),
        };
        let token = |value: &Value| value.as_u64().and_then(|token| u32::try_from(token).ok());
        let ends = match get("eos_token_id") {
            Some(Value::Array(list)) => {
                list.iter().map(token).collect::<Option<_>>().ok_or("`eos_token_id` is not a list of tokens")?
            }
            Some(value) => vec![token(value).ok_or("`eos_token_id` is not a token")?],
            None => ends,
        };
        let max_length = match (settings.max_length, number("max_new_tokens")?, number("max_length")?) {
            (Some(length), ..) | (None, None, Some(length)) => length,
            (None, Some(new), _) => new.saturating_add(1),
            (None, None, None) => 21,
        };
        let search = Search {
            start: number("decoder_start_token_id")?.map_or(start, |token| token as u32),
            ends,
            max_length,
            beams: settings.beams.or(number("num_beams")?).unwrap_or(1),
            length_penalty: settings.length_penalty.or_else(|| get("length_penalty")?.as_f64()).unwrap_or(1.0),
            early_stopping: match get("early_stopping") {
                None | Some(Value::Bool(false)) => EarlyStopping::No,
                Some(Value::Bool(true)) => EarlyStopping::Yes,
                Some(Value::String(text)) if text == "never" => EarlyStopping::Never,
                Some(other) => return Err(format!("`early_stopping` is {other}, not true, false or \"never\"")),
            },
        };
        match search {
            Search { max_length: 0 | 1, .. } => {
                Err(format!("a text of at most {max_length} tokens has only its first"))
            }
            Search { beams: 0, .. } => Err("a search with no beams finds nothing".to_owned()),
            search => Ok(search),
        }
    }

    /// The tokens of the text that is found, the first and the last included.
    ///
    /// `step` is given, for each text that is followed, its place among those of the step before and its newest token. It answers with
    /// the scores of all tokens that may come next, those for the first text first.
    pub fn run(&self, mut step: impl FnMut(&[usize], &[u32]) -> Vec<f32>) -> Vec<u32> {
        match self.beams {
            1 => self.greedy(&mut step),
            _ => self.beams(&mut step),
        }
    }

    /// The same for a decoder that keeps what it has seen of each text; `None` where a score is not finite.
    pub fn run_with_pasts(&self, mut scores: impl FnMut(&mut [Past], &[u32]) -> Vec<f32>) -> Option<Vec<u32>> {
        let mut pasts = vec![Past::default(); self.beams];
        let mut is_finite = true;
        let found = self.run(|parents, tokens| {
            pasts = parents.iter().map(|parent| pasts[*parent].clone()).collect();
            let scores = scores(&mut pasts, tokens);
            is_finite &= scores.iter().all(|score| score.is_finite());
            scores
        });
        is_finite.then_some(found)
    }

    fn greedy(&self, step: &mut Step<'_>) -> Vec<u32> {
        let mut text = vec![self.start];
        while text.len() < self.max_length {
            let scores = step(&[0], &text[text.len() - 1..]);
            let Some(best) = best(&scores, 1).first().copied() else { break };
            text.push(best as u32);
            if self.ends.contains(&(best as u32)) {
                break;
            }
        }
        text
    }

    fn beams(&self, step: &mut Step<'_>) -> Vec<u32> {
        let candidates = self.beams * (1 + self.ends.len()).max(2);
        // At first all texts are the same, and only the first of them counts.
        let mut running: Vec<Text> = (0..self.beams)
            .map(|beam| Text { tokens: vec![self.start], score: if beam == 0 { 0.0 } else { NONE }, parent: 0 })
            .collect();
        let mut ended: Vec<Text> = Vec::new();
        loop {
            let length = running[0].tokens.len();
            let parents: Vec<usize> = running.iter().map(|text| text.parent).collect();
            let newest: Vec<u32> = running.iter().filter_map(|text| text.tokens.last().copied()).collect();
            let scores = step(&parents, &newest);
            let vocabulary = scores.len() / running.len();
            let sums: Vec<f32> = scores
                .chunks_exact(vocabulary.max(1))
                .zip(&running)
                .flat_map(|(scores, text)| logarithms(scores).into_iter().map(|score| score + text.score))
                .collect();
            let next: Vec<Text> = best(&sums, candidates)
                .into_iter()
                .map(|at| {
                    let parent = at / vocabulary;
                    let tokens = [&running[parent].tokens[..], &[(at % vocabulary) as u32]].concat();
                    Text { tokens, score: sums[at], parent }
                })
                .collect();
            let is_last = length + 1 >= self.max_length;
            let has_ended = |text: &Text| is_last || text.tokens.last().is_some_and(|token| self.ends.contains(token));
            // Only the best may end; the others are there to go on where those have ended.
            for text in next.iter().take(self.beams).filter(|text| has_ended(text)) {
                ended.push(Text { score: text.score / self.penalty(length), ..text.clone() });
            }
            // The sort is stable: of equal texts those that ended first stay first.
            ended.sort_by(|one, other| other.score.total_cmp(&one.score));
            ended.truncate(self.beams);
            running = next.into_iter().filter(|text| !has_ended(text)).take(self.beams).collect();
            let Some(first) = running.first() else { break };
            let is_full = ended.len() == self.beams;
            let best_length = match self.early_stopping {
                EarlyStopping::Never if self.length_penalty > 0.0 => self.max_length - 1,
                _ => length,
            };
            let can_improve =
                !is_full || ended.last().is_some_and(|worst| first.score / self.penalty(best_length) > worst.score);
            if !can_improve || (is_full && self.early_stopping == EarlyStopping::Yes) {
                break;
            }
        }
        ended.into_iter().next().map(|text| text.tokens).unwrap_or_default()
    }

    /// What the score of a text is divided by, given the number of its tokens after the first.
    fn penalty(&self, length: usize) -> f32 {
        (length as f64).powf(self.length_penalty) as f32
    }
}

/// The score of an invalid text.
const NONE: f32 = -1e9;

#[derive(Clone)]
struct Text {
    tokens: Vec<u32>,
    score: f32,
    /// Its place among the texts of the step before.
    parent: usize,
}

/// The places of the largest numbers, the largest first; of equal ones, the first.
fn best(numbers: &[f32], count: usize) -> Vec<usize> {
    let order = |one: &usize, other: &usize| numbers[*other].total_cmp(&numbers[*one]).then(one.cmp(other));
    let mut places: Vec<usize> = (0..numbers.len()).collect();
    if count < places.len() {
        places.select_nth_unstable_by(count, order);
        places.truncate(count);
    }
    places.sort_unstable_by(order);
    places
}

/// The logarithms of the probabilities that scores stand for.
fn logarithms(scores: &[f32]) -> Vec<f32> {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = scores.iter().map(|score| ((score - largest) as f64).exp()).sum();
    let whole = sum.ln() as f32;
    scores.iter().map(|score| score - largest - whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(beams: usize, length_penalty: f64, early_stopping: EarlyStopping) -> Search {
        Search { start: 0, ends: vec![1], max_length: 5, beams, length_penalty, early_stopping }
    }

    /// The probabilities of the next token after a text, of a language with the tokens start, end, 2 and 3.
    fn language(text: &[u32]) -> [f32; 4] {
        match text {
            [0] => [0.0, 0.05, 0.55, 0.4],
            // The better beginning leads to worse ends.
            [0, 2] => [0.0, 0.3, 0.35, 0.35],
            [0, 3] => [0.0, 0.9, 0.05, 0.05],
            _ => [0.0, 0.5, 0.25, 0.25],
        }
    }

    fn run(search: &Search) -> Vec<u32> {
        let mut texts: Vec<Vec<u32>> = vec![Vec::new(); search.beams];
        search.run(|parents, tokens| {
            let next = |(parent, token): (&usize, &u32)| [&texts[*parent][..], &[*token]].concat();
            texts = parents.iter().zip(tokens).map(next).collect();
            texts.iter().flat_map(|text| language(text).map(f32::ln)).collect()
        })
    }

    #[test]
    fn the_best_token_each_time_is_not_the_best_text() {
        assert_eq!(run(&search(1, 1.0, EarlyStopping::No)), [0, 2, 2, 1]);
        for stopping in [EarlyStopping::Yes, EarlyStopping::No, EarlyStopping::Never] {
            assert_eq!(run(&search(2, 0.0, stopping)), [0, 3, 1], "{stopping:?}");
        }
    }

    #[test]
    fn no_text_is_longer_than_allowed() {
        let endless = Search { ends: vec![], ..search(2, 1.0, EarlyStopping::No) };
        assert_eq!(run(&endless).len(), 5);
        assert_eq!(run(&Search { beams: 1, ..endless }).len(), 5);
    }

    #[test]
    fn files_say_how_to_search() {
        let read = |text: &str, settings: &Generation| {
            Search::read(serde_json::from_str::<Value>(text).unwrap().as_object().unwrap(), settings, vec![1], 0)
        };
        let plain = Generation::default();
        assert_eq!(read("{}", &plain), Ok(Search { max_length: 21, ..search(1, 1.0, EarlyStopping::No) }));
        let text = r#"{"max_new_tokens": 8, "max_length": 99, "num_beams": 3, "early_stopping": "never", "eos_token_id": [4, 5]}"#;
        let expected = Search { max_length: 9, ends: vec![4, 5], ..search(3, 1.0, EarlyStopping::Never) };
        assert_eq!(read(text, &plain), Ok(expected.clone()));
        let own = Generation { max_length: Some(7), beams: Some(2), length_penalty: Some(0.5) };
        assert_eq!(read(text, &own), Ok(Search { max_length: 7, beams: 2, length_penalty: 0.5, ..expected }));
        assert!(read(r#"{"do_sample": true}"#, &plain).unwrap_err().contains("do_sample"));
        assert!(read(r#"{"num_beams": 0}"#, &plain).is_err());
        assert!(read(r#"{"max_length": 1}"#, &plain).is_err());
    }
}
