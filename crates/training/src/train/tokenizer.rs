//! Byte-level vocabularies, learned from texts: the same for the same texts on any number of threads.

use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::{BPE, BpeTrainerBuilder};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::processors::roberta::RobertaProcessing;
use tokenizers::{AddedToken, Tokenizer};

/// The special tokens of RoBERTa, in the order of their numbers.
pub const SPECIAL: [&str; 5] = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"];

/// The fewest tokens that a vocabulary can have: the special ones, and one for every byte.
pub const FEWEST: usize = SPECIAL.len() + 256;

/// Two tokens are joined when they stand beside each other at least this often.
const RAREST: u64 = 2;

/// Learns a vocabulary of at most `size` tokens. The texts are as the model will see them.
pub fn train_tokenizer<'t>(
    texts: impl Iterator<Item = &'t str> + Send,
    size: usize,
) -> Result<Tokenizer, tokenizers::Error> {
    // The mask takes the blank before it, as RoBERTa's does.
    let special = SPECIAL.map(|token| AddedToken::from(token, true).lstrip(token == "<mask>")).to_vec();
    let mut tokenizer = Tokenizer::new(BPE::default());
    tokenizer.with_pre_tokenizer(Some(ByteLevel::new(false, true, true)));
    tokenizer.with_decoder(Some(ByteLevel::default()));
    let trainer = BpeTrainerBuilder::new()
        .show_progress(false)
        .vocab_size(size)
        .min_frequency(RAREST)
        .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
        .special_tokens(special)
        .build();
    tokenizer.train(&mut TrainerWrapper::from(trainer), texts)?;
    let end = |token: &str| (token.to_owned(), tokenizer.token_to_id(token).unwrap_or_default());
    let ends = RobertaProcessing::new(end("</s>"), end("<s>")).add_prefix_space(false);
    tokenizer.with_post_processor(Some(ends));
    Ok(tokenizer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Vec<String> {
        let line = |number: usize| {
            format!(
                "int value{} = total_{} * {number}; /* größe */ return value{};",
                number % 7,
                number % 5,
                number * 31 % 11
            )
        };
        (0..400).map(line).collect()
    }

    fn learned(threads: usize) -> String {
        let texts = texts();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let tokenizer = pool.install(|| train_tokenizer(texts.iter().map(String::as_str), 400).unwrap());
        tokenizer.to_string(false).unwrap()
    }

    #[test]
    fn a_vocabulary_is_the_same_on_any_number_of_threads() {
        let alone = learned(1);
        for threads in [1, 2, 5] {
            assert!(learned(threads) == alone, "{threads} threads");
        }
    }

    #[test]
    fn special_tokens_have_the_numbers_of_roberta_and_any_text_comes_back() {
        let texts = texts();
        let tokenizer = train_tokenizer(texts.iter().map(String::as_str), 400).unwrap();
        assert_eq!(SPECIAL.map(|token| tokenizer.token_to_id(token)), [Some(0), Some(1), Some(2), Some(3), Some(4)]);
        assert!((FEWEST..=400).contains(&tokenizer.get_vocab_size(true)));
        for text in ["", "return total_3;", "\u{0}\u{7f} ∑🙂\r\n\t"] {
            let tokens = tokenizer.encode(text, true).unwrap();
            assert_eq!((tokens.get_ids()[0], *tokens.get_ids().last().unwrap()), (0, 2));
            assert_eq!(tokenizer.decode(tokens.get_ids(), true).unwrap(), text);
        }
        let masked = tokenizer.encode("int <mask> = 1;", false).unwrap();
        assert_eq!(masked.get_ids().iter().filter(|id| **id == 4).count(), 1);
        // What is frequent is one token.
        assert!(tokenizer.encode(" return", false).unwrap().get_ids().len() == 1);
    }
}
