//! What a network learns from: programs as tokens, made once, and what is asked about them.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use model::Code;
use model::huggingface::graph;
use model::huggingface::roberta::Sequence;
use model::huggingface::settings::DataFlow;
use model::huggingface::tokens::Vocabulary;
use random::{Random, seed_of};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::learner::{Asked, Curriculum, batches_by_length};
use super::tokenizer::SPECIAL;
use super::{Corpus, Goal, Teaching, TrainingError, Variants, seed_of_variant};
use crate::network::{Batch, LENGTH_STEP, Question, next_words};

/// Programs as tokens, and the examples that are made of them.
pub struct Lessons<'v> {
    vocabulary: &'v Vocabulary,
    data_flow: Option<DataFlow>,
    texts: Vec<Text>,
    examples: Vec<Example>,
    /// The words that masks are drawn among, where a network learns to fill them.
    words: Option<Words>,
    kind: LessonKind,
    /// What makes variants of programs, and the programs.
    variants: Option<(&'v Variants, &'v [Code])>,
    /// What a teacher says about the examples.
    teaching: Option<&'v Teaching>,
    /// How many texts that are written are longer than they may be, so that their ends are never learned.
    pub shortened: usize,
}

/// What an example is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LessonKind {
    /// Programs, each read by the encoder.
    Programs,
    /// A text and its program, both read by the encoder.
    Matches,
    /// A text that is written, and the program that it is about.
    Captions,
}

/// A program as the network gets it.
enum Text {
    Tokens(Vec<u32>),
    /// A program with its data flow, which is hundreds of times as large as its tokens and made again for each batch.
    Graph {
        code: Code,
        length: usize,
    },
}

/// What is asked once an epoch.
struct Example {
    /// The places of its programs.
    texts: Vec<usize>,
    /// Its class; none where masks are filled.
    class: Option<u32>,
}

/// The words of a vocabulary.
struct Words {
    mask: u32,
    /// Words that are never masked, and never put in the place of others.
    special: Vec<u32>,
    count: usize,
}

/// The share of words that a network has to find, out of a hundred.
const MASKED: usize = 15;

/// The most tokens of a batch whose masked words are evaluated.
const MASKED_TOKENS: usize = 4096;

/// The most tokens of a batch whose texts are evaluated.
const CAPTION_TOKENS: usize = 16_384;

impl<'v> Lessons<'v> {
    /// Turns programs into tokens, as the finished model will.
    pub fn new(
        corpus: &Corpus,
        goal: &Goal,
        vocabulary: &'v Vocabulary,
        data_flow: Option<DataFlow>,
        sizes: Sizes,
    ) -> Result<Lessons<'v>, TrainingError> {
        let words = match goal {
            Goal::Classes { .. } | Goal::Search | Goal::Captions { .. } => None,
            Goal::Masked => Some(Words::new(vocabulary, sizes.vocabulary)?),
        };
        let (kind, longest_text) = match goal {
            Goal::Search => (LessonKind::Matches, None),
            Goal::Captions { tokens, .. } => (LessonKind::Captions, Some(*tokens)),
            Goal::Classes { .. } | Goal::Masked => (LessonKind::Programs, None),
        };
        let mut lessons = Lessons {
            vocabulary,
            data_flow,
            texts: Vec::new(),
            examples: Vec::new(),
            words,
            kind,
            variants: None,
            teaching: None,
            shortened: 0,
        };
        let too_long = AtomicUsize::new(0);
        let written: HashSet<usize> = match kind {
            LessonKind::Captions => corpus.examples.iter().filter_map(|(own, _)| own.first().copied()).collect(),
            LessonKind::Programs | LessonKind::Matches => HashSet::new(),
        };
        let read = |(place, code): (usize, &Code)| -> Result<Vec<Text>, TrainingError> {
            if let Some(longest) = longest_text.filter(|_| written.contains(&place)) {
                let encoded = lessons.vocabulary.encode(&[&code.text]).map_err(TrainingError::Tokens)?;
                too_long.fetch_add(usize::from(encoded.all > longest), Ordering::Relaxed);
                let start = sizes.start.into_iter();
                return Ok(vec![Text::Tokens(start.chain(shortened(encoded.ids, longest)).collect())]);
            }
            let sequences = match (goal, &lessons.data_flow) {
                // What is after the limit is never seen by a classifier, but its words can be masked as well as others.
                (Goal::Masked, None) => vocabulary
                    .windows(&code.text)
                    .map(|windows| windows.into_iter().map(|ids| lessons.sequence_of_tokens(ids)).collect()),
                _ => lessons.sequence_of(code).map(|sequence| vec![sequence]),
            };
            let text = |sequence: Sequence| {
                let last = sequence.positions.iter().copied().max().unwrap_or_default() as usize;
                if last >= sizes.positions {
                    return Err(TrainingError::TooLong { tokens: sequence.ids.len(), positions: sizes.positions });
                }
                Ok(match sequence.graph {
                    None => Text::Tokens(sequence.ids),
                    Some(_) => Text::Graph { code: code.clone(), length: sequence.ids.len() },
                })
            };
            sequences.map_err(TrainingError::Tokens)?.into_iter().map(text).collect()
        };
        let texts: Vec<Vec<Text>> = corpus.programs.par_iter().enumerate().map(read).collect::<Result<_, _>>()?;
        lessons.texts = texts.into_iter().flatten().collect();
        lessons.shortened = too_long.into_inner();
        lessons.examples = match goal {
            Goal::Classes { .. } | Goal::Search | Goal::Captions { .. } => {
                let example = |(programs, class): &(Vec<usize>, usize)| Example {
                    texts: programs.clone(),
                    class: Some(*class as u32),
                };
                corpus.examples.iter().map(example).collect()
            }
            // A program without a word that can be masked teaches nothing.
            Goal::Masked => (0..lessons.texts.len())
                .filter(|text| lessons.has_words(*text))
                .map(|text| Example { texts: vec![text], class: None })
                .collect(),
        };
        Ok(lessons)
    }

    /// The same lessons, each with a variant of its programs beside it.
    pub fn with_variants(self, variants: Option<&'v Variants>, programs: &'v [Code]) -> Lessons<'v> {
        Lessons { variants: variants.map(|variants| (variants, programs)), ..self }
    }

    /// The same lessons, each with what a teacher says about it.
    pub fn with_teaching(self, teaching: Option<&'v Teaching>) -> Lessons<'v> {
        Lessons { teaching, ..self }
    }

    /// How many tokens all examples have together, a program once for each example that it is in.
    pub fn tokens(&self) -> usize {
        self.examples.iter().flat_map(|example| &example.texts).map(|text| self.length(*text)).sum()
    }

    /// The places of the programs of an example.
    pub fn texts(&self, example: usize) -> &[usize] {
        &self.examples[example].texts
    }

    /// How many places of programs and of texts that are written a batch has, padding included.
    pub fn places(&self, examples: &[usize]) -> (usize, usize) {
        let padded = |longest: Option<usize>| longest.unwrap_or_default().next_multiple_of(LENGTH_STEP);
        let longest_at = |place: usize| padded(examples.iter().map(|example| self.length_at(*example, place)).max());
        if self.kind == LessonKind::Captions {
            return (examples.len() * longest_at(1), examples.len() * longest_at(0));
        }
        let different: HashSet<usize> = examples.iter().flat_map(|example| self.texts(*example)).copied().collect();
        let longest = different.iter().map(|text| self.length(*text)).max();
        (self.forms() * different.len() * padded(longest), 0)
    }

    /// How many forms of a program are in a batch. A variant is taken to be as long as its original.
    fn forms(&self) -> usize {
        if self.variants.is_some() { 2 } else { 1 }
    }

    /// How many tokens one of the texts of an example has.
    fn length_at(&self, example: usize, place: usize) -> usize {
        self.texts(example).get(place).map_or(0, |text| self.length(*text))
    }

    /// How many tokens a program has.
    pub fn length(&self, text: usize) -> usize {
        match &self.texts[text] {
            Text::Tokens(ids) => ids.len(),
            Text::Graph { length, .. } => *length,
        }
    }

    fn sequence(&self, text: usize) -> Result<Sequence, String> {
        match &self.texts[text] {
            Text::Tokens(ids) => Ok(self.sequence_of_tokens(ids.clone())),
            Text::Graph { code, .. } => self.sequence_of(code),
        }
    }

    /// The sequence of a program, which is the one that a model in a finished folder makes of it.
    fn sequence_of(&self, code: &Code) -> Result<Sequence, String> {
        if let Some(sizes) = &self.data_flow {
            return Ok(graph::sequence(self.vocabulary, sizes, code)?.0);
        }
        Ok(self.sequence_of_tokens(self.vocabulary.encode(&[&code.text])?.ids))
    }

    fn sequence_of_tokens(&self, ids: Vec<u32>) -> Sequence {
        Sequence { positions: self.vocabulary.positions(&ids), ids, graph: None }
    }

    fn has_words(&self, text: usize) -> bool {
        match (&self.texts[text], &self.words) {
            (Text::Tokens(ids), Some(words)) => ids.iter().any(|id| !words.special.contains(id)),
            (Text::Graph { code, .. }, Some(words)) => {
                self.sequence_of(code).is_ok_and(|sequence| sequence.ids.iter().any(|id| !words.special.contains(id)))
            }
            (_, None) => false,
        }
    }
}

impl Lessons<'_> {
    /// Programs of about the same length stand together, with as many texts.
    fn batches_of_captions(&self, tokens: usize, shuffled: Option<(u64, u64)>) -> Vec<Vec<usize>> {
        let program = |example: usize| self.length_at(example, 1);
        batches_by_length(self.count(), shuffled, program, |pool, batches| {
            let mut batch: Vec<usize> = Vec::new();
            for example in pool.iter().copied() {
                batch.push(example);
                let (programs, texts) = self.places(&batch);
                if programs + texts > tokens && batch.len() > 1 {
                    batch.pop();
                    batches.push(std::mem::replace(&mut batch, vec![example]));
                }
            }
            if !batch.is_empty() {
                batches.push(batch);
            }
        })
    }

    fn batch_of_captions(&self, examples: &[usize]) -> Result<Batch, String> {
        let program = |example: &usize| self.sequence(self.texts(*example)[1]);
        let sequences = match self.data_flow {
            Some(_) => examples.par_iter().map(program).collect::<Result<Vec<_>, _>>()?,
            None => examples.iter().map(program).collect::<Result<Vec<_>, _>>()?,
        };
        let text = |example: &usize| Ok(self.sequence(self.texts(*example)[0])?.ids);
        let texts = examples.iter().map(text).collect::<Result<Vec<_>, String>>()?;
        Ok(Batch::new(sequences, Question::Captions(texts)))
    }
}

impl Lessons<'_> {
    /// A batch of classes, and after its examples a variant of each in the same order. A variant is made from the seed and the number of its program
    /// alone.
    fn beside_variants(
        &self,
        mut batch: Batch,
        (examples, texts): (&[usize], &[usize]),
        variants: &Variants,
        programs: &[Code],
        epoch: u64,
    ) -> Result<Batch, String> {
        let seed = self.teaching.map_or(epoch, |teaching| teaching.seed_of_variants(epoch));
        let variant = |text: &usize| self.sequence_of(&(variants.make)(&programs[*text], seed_of_variant(seed, *text)));
        batch.sequences.extend(texts.par_iter().map(variant).collect::<Result<Vec<_>, _>>()?);
        if let Question::Classes { sequences, classes } = &mut batch.question {
            sequences.extend(sequences.clone().into_iter().map(|place| texts.len() + place));
            classes.extend_from_within(..);
        }
        if let (Some(teaching), Some(soft)) = (self.teaching, &mut batch.soft) {
            teaching.add_variants(soft, examples, epoch);
        }
        batch.consistency = variants.consistency;
        Ok(batch)
    }
}

/// The first tokens of a text and the last, which ends it.
fn shortened(mut ids: Vec<u32>, longest: usize) -> Vec<u32> {
    if let (true, Some(last)) = (ids.len() > longest, ids.last().copied()) {
        ids.truncate(longest - 1);
        ids.push(last);
    }
    ids
}

impl Curriculum for Lessons<'_> {
    type Batch = Batch;

    fn count(&self) -> usize {
        self.examples.len()
    }

    fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for text in &self.texts {
            match text {
                Text::Tokens(ids) => {
                    digest.update((ids.len() as u64).to_le_bytes());
                    ids.iter().for_each(|id| digest.update(id.to_le_bytes()));
                }
                Text::Graph { code, .. } => {
                    digest.update((code.text.len() as u64).to_le_bytes());
                    digest.update(code.language.name());
                    digest.update(&code.text);
                }
            }
        }
        for example in &self.examples {
            digest.update(example.class.map_or(u64::MAX, u64::from).to_le_bytes());
            example.texts.iter().for_each(|text| digest.update((*text as u64).to_le_bytes()));
        }
        if let Some(teaching) = self.teaching {
            teaching.add_to(&mut digest);
        }
        format!("{:x}", digest.finalize())
    }

    /// Examples of about the same length stand together, because a batch is padded to its longest, and each program of a batch once.
    fn batches_of_epoch(&self, tokens: usize, shuffled: Option<(u64, u64)>) -> Vec<Vec<usize>> {
        if self.kind == LessonKind::Captions {
            return self.batches_of_captions(tokens, shuffled);
        }
        let longest = |example: usize| self.texts(example).iter().map(|text| self.length(*text)).max().unwrap_or(0);
        batches_by_length(self.count(), shuffled, longest, |pool, batches| {
            let (mut batch, mut different) = (Vec::new(), HashSet::new());
            for example in pool.iter().copied() {
                let texts = self.texts(example);
                let new = texts
                    .iter()
                    .enumerate()
                    .filter(|(place, text)| !different.contains(*text) && !texts[..*place].contains(text));
                let count = different.len() + new.count();
                let places = self.forms() * count * longest(example).next_multiple_of(LENGTH_STEP);
                if places > tokens && !batch.is_empty() {
                    batches.push(std::mem::take(&mut batch));
                    different.clear();
                }
                batch.push(example);
                different.extend(texts.iter().copied());
            }
            if !batch.is_empty() {
                batches.push(batch);
            }
        })
    }

    /// Masks are drawn from the seed and the number of each program alone.
    fn batch(&self, examples: &[usize], masks_seed: u64) -> Result<Batch, String> {
        if self.kind == LessonKind::Captions {
            return self.batch_of_captions(examples);
        }
        let mut texts: Vec<usize> = Vec::new();
        let mut places = std::collections::HashMap::new();
        let mut sequences_of_examples = Vec::new();
        for text in examples.iter().flat_map(|example| self.texts(*example)) {
            let place = *places.entry(*text).or_insert_with(|| {
                texts.push(*text);
                texts.len() - 1
            });
            sequences_of_examples.push(place);
        }
        let mut sequences = match self.data_flow {
            // Data flows are made again here, which takes long enough to share it among cores.
            Some(_) => texts.par_iter().map(|text| self.sequence(*text)).collect::<Result<Vec<_>, _>>()?,
            None => texts.iter().map(|text| self.sequence(*text)).collect::<Result<Vec<_>, _>>()?,
        };
        let question = match &self.words {
            None if self.kind == LessonKind::Matches => {
                let every_second = |first: usize| sequences_of_examples.iter().copied().skip(first).step_by(2);
                let sequences = every_second(0).chain(every_second(1)).collect();
                Question::Classes { sequences, classes: (0..examples.len() as u32).collect() }
            }
            None => Question::Classes {
                sequences: sequences_of_examples,
                classes: examples.iter().filter_map(|example| self.examples[*example].class).collect(),
            },
            Some(words) => {
                let mut asked = Vec::new();
                for (number, (sequence, text)) in sequences.iter_mut().zip(&texts).enumerate() {
                    let seed = seed_of(&[b"masks", &masks_seed.to_le_bytes(), &text.to_le_bytes()]);
                    let masked = words.mask(&mut sequence.ids, &mut Random::new(seed));
                    asked.extend(masked.into_iter().map(|(place, word)| (number, place, word)));
                }
                Question::Masked(asked)
            }
        };
        let programs = || examples.iter().flat_map(|example| self.texts(*example)).copied().collect::<Vec<usize>>();
        let soft = self.teaching.map(|teaching| teaching.soft_labels(examples, &programs()));
        let batch = Batch { soft, ..Batch::new(sequences, question) };
        match self.variants {
            None => Ok(batch),
            Some((variants, programs)) => {
                self.beside_variants(batch, (examples, &texts), variants, programs, masks_seed)
            }
        }
    }

    /// Masked words have so many right answers that only the loss tells; classes are to be right.
    fn is_judged_by_loss(&self) -> bool {
        self.words.is_some()
    }

    /// Every masked word has a score for each word of the vocabulary.
    fn evaluated_tokens(&self, tokens: usize) -> usize {
        match (&self.words, self.kind) {
            (Some(_), _) => tokens.min(MASKED_TOKENS),
            (None, LessonKind::Captions) => tokens.min(CAPTION_TOKENS),
            (None, LessonKind::Programs | LessonKind::Matches) => tokens,
        }
    }
}

impl Asked for Batch {
    fn tokens(&self) -> usize {
        let programs: usize = self.sequences.iter().map(|sequence| sequence.ids.len()).sum();
        match &self.question {
            Question::Captions(texts) => programs + texts.iter().map(Vec::len).sum::<usize>(),
            Question::Masked(_) | Question::Classes { .. } => programs,
        }
    }

    fn answers(&self) -> Vec<u32> {
        match &self.question {
            Question::Masked(places) => places.iter().map(|(_, _, word)| *word).collect(),
            Question::Classes { classes, .. } => classes.clone(),
            Question::Captions(texts) => next_words(texts),
        }
    }
}

/// How much a network can take.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub positions: usize,
    pub vocabulary: usize,
    /// The token that a decoder begins texts with, where it is not their own first.
    pub start: Option<u32>,
}

impl Words {
    fn new(vocabulary: &Vocabulary, count: usize) -> Result<Words, TrainingError> {
        let mask = vocabulary.id("<mask>").ok_or(TrainingError::NoMask)?;
        let (first, last) = vocabulary.ends();
        let mut special: Vec<u32> = SPECIAL.iter().filter_map(|token| vocabulary.id(token)).collect();
        special.extend([first, last, vocabulary.pad, mask, vocabulary.unknown()]);
        special.sort_unstable();
        special.dedup();
        match special.len() < count {
            true => Ok(Words { mask, special, count }),
            false => Err(TrainingError::NoMask),
        }
    }

    /// Masks some words of a sequence, and returns their places and what stood there. Of them, 80 % become masks, 10 % other words, and
    /// 10 % stay, as BERT was trained. A sequence with any words at all has at least one.
    fn mask(&self, ids: &mut [u32], random: &mut Random) -> Vec<(usize, u32)> {
        let can_be = |id: &u32| !self.special.contains(id);
        let mut chosen: Vec<usize> =
            (0..ids.len()).filter(|place| can_be(&ids[*place]) && random.below(100) < MASKED).collect();
        if chosen.is_empty() {
            let all: Vec<usize> = (0..ids.len()).filter(|place| can_be(&ids[*place])).collect();
            if !all.is_empty() {
                chosen.push(*random.pick(&all));
            }
        }
        let mut masked = Vec::new();
        for place in chosen {
            masked.push((place, ids[place]));
            match random.below(10) {
                0..8 => ids[place] = self.mask,
                8 => {
                    ids[place] = loop {
                        let word = random.below(self.count) as u32;
                        if can_be(&word) {
                            break word;
                        }
                    }
                }
                _ => (),
            }
        }
        masked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_their_shares_and_special_tokens_stay() {
        let words = Words { mask: 4, special: vec![0, 1, 2, 3, 4], count: 500 };
        let ids: Vec<u32> = [0].into_iter().chain((0..20_000).map(|at| 5 + at % 490)).chain([2]).collect();
        let mut masked = ids.clone();
        let asked = words.mask(&mut masked, &mut Random::new(5));
        assert!((2_800..3_200).contains(&asked.len()), "{}", asked.len());
        assert!(asked.iter().all(|(place, word)| ids[*place] == *word && *word > 4));
        let share = |is: &dyn Fn(u32, u32) -> bool| {
            asked.iter().filter(|(place, word)| is(masked[*place], *word)).count() as f64 / asked.len() as f64
        };
        assert!((share(&|now, _| now == 4) - 0.8).abs() < 0.03);
        assert!((share(&|now, then| now == then) - 0.1).abs() < 0.02);
        assert!((share(&|now, then| now != then && now > 4) - 0.1).abs() < 0.02);
        let untouched = (0..ids.len()).filter(|place| asked.iter().all(|(other, _)| place != other));
        assert!(untouched.into_iter().all(|place| ids[place] == masked[place]));
    }

    #[test]
    fn a_short_sequence_has_one_mask_and_an_empty_one_none() {
        let words = Words { mask: 4, special: vec![0, 1, 2, 3, 4], count: 500 };
        for seed in 0..50 {
            assert_eq!(words.mask(&mut [0, 77, 2], &mut Random::new(seed)), [(1, 77)]);
            assert!(words.mask(&mut [0, 2], &mut Random::new(seed)).is_empty());
        }
    }
}
