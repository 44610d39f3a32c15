//! What a checkpoint's `config.json` does not say: the file `allotrope.toml` beside it.

use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

use crate::OpenError;

/// The settings. All are optional; a checkpoint that transformers can load by itself needs none.
///
/// ```toml
/// input = "pair"                 # code, pair, or code-and-text
/// head = "two-encodings"         # classes, two-encodings, masked, embedding, generation
/// order = [1, 0]                 # the class that each output of the head stands for
/// weights = "model.bin"          # the file with the weights
/// tokenizer = "BPE_1000.json"    # the file with the vocabulary
/// prefix = "encoder.roberta."    # what the names of the encoder's weights begin with
/// head-prefix = "classifier."    # what the names of the head's weights begin with
/// pooling = "first"              # of embeddings: first, mean, or pooler; T5 takes the mean by itself
///
/// [text]
/// collapse-whitespace = true     # every run of blanks and line ends becomes one blank
/// lower-case = false
/// before = ["<encoder-only>"]    # tokens put after the first, as UniXcoder wants them
/// limit = 400                    # the most tokens, the special ones included
/// special-tokens = false         # nothing is put around a text: some students take the first token of the code for the first state
///
/// [data-flow]                    # GraphCodeBERT's input
/// code = 384                     # the most tokens of the code, the special ones included
/// nodes = 128                    # the nodes of the data flow for which room is kept; more are used where there is room
/// reserved = 3                   # the places that special tokens take, 2 or 3
/// escaped-line-ends = true       # `\n` in a text literal becomes a line end, as it did for Devign
///
/// [generation]                   # how texts are searched for; takes the place of what generation_config.json says
/// max-length = 32                # the most tokens of a text, the one that starts it included
/// beams = 4                      # the number of texts that are followed at once; 1 takes the best token each time
/// length-penalty = 1.0           # the power of its length that a text's score is divided by; larger is for longer texts
///
/// [config]                       # takes the place of what config.json says, or of the whole file
/// num_attention_heads = 8
/// ```
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct CheckpointSettings {
    pub input: Option<Shape>,
    pub head: Option<Head>,
    pub order: Option<Vec<usize>>,
    pub weights: Option<String>,
    pub tokenizer: Option<String>,
    pub prefix: Option<String>,
    pub head_prefix: Option<String>,
    pub pooling: Option<Pooling>,
    pub text: Text,
    pub data_flow: Option<DataFlow>,
    pub generation: Option<Generation>,
    pub config: serde_json::Map<String, serde_json::Value>,
}

/// The kind of input that a model takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    Code,
    Pair,
    CodeAndText,
}

impl Shape {
    /// The shape in words.
    pub fn words(self) -> &'static str {
        match self {
            Shape::Code => "one program",
            Shape::Pair => "a pair of programs",
            Shape::CodeAndText => "a program and a text",
        }
    }
}

/// How an answer is computed from the encoder's states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Head {
    /// A class for one sequence, which contains the whole input.
    Classes,
    /// A class for two programs, each encoded as its own sequence.
    TwoEncodings,
    /// The tokens that a mask stands for.
    Masked,
    Embedding,
    Generation,
}

/// How the states of a sequence become one vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pooling {
    /// The state of the first token.
    #[default]
    First,
    Mean,
    /// The first state through the layer that BERT was trained with.
    Pooler,
}

/// How a text is prepared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Text {
    pub collapse_whitespace: bool,
    pub lower_case: bool,
    pub before: Vec<String>,
    pub limit: Option<usize>,
    pub special_tokens: Option<bool>,
}

/// How much of a program and of its data flow a model sees.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DataFlow {
    pub code: usize,
    pub nodes: usize,
    #[serde(default = "two")]
    pub reserved: usize,
    #[serde(default)]
    pub escaped_line_ends: bool,
}

/// How texts are generated.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Generation {
    pub max_length: Option<usize>,
    pub beams: Option<usize>,
    pub length_penalty: Option<f64>,
}

fn two() -> usize {
    2
}

impl CheckpointSettings {
    /// Reads a file of settings.
    pub fn read(path: &Path) -> Result<CheckpointSettings, OpenError> {
        let text =
            syntax::file::read_text(path).map_err(|source| OpenError::Unreadable { path: path.to_owned(), source })?;
        toml::from_str(&text)
            .map_err(|error| OpenError::Unusable { place: path.display().to_string(), problem: error.to_string() })
    }
}

/// A text as a tokenizer gets it, and where each of its bytes comes from.
pub struct Prepared {
    pub text: String,
    origins: Vec<usize>,
}

impl Text {
    /// The text as the tokenizer gets it.
    pub fn prepared(&self, text: &str) -> Prepared {
        let mut prepared =
            Prepared { text: String::with_capacity(text.len()), origins: Vec::with_capacity(text.len()) };
        let mut blank = None;
        for (at, character) in text.char_indices() {
            if self.collapse_whitespace && is_blank(character) {
                blank = blank.or(Some(at));
                continue;
            }
            if let Some(at) = blank.take().filter(|_| !prepared.text.is_empty()) {
                prepared.push(' ', at);
            }
            match self.lower_case {
                true => character.to_lowercase().for_each(|character| prepared.push(character, at)),
                false => prepared.push(character, at),
            }
        }
        prepared
    }
}

/// What Python's `str.split` takes for whitespace: four control characters more than Unicode does.
fn is_blank(character: char) -> bool {
    character.is_whitespace() || ('\x1c'..='\x1f').contains(&character)
}

impl Prepared {
    fn push(&mut self, character: char, origin: usize) {
        self.text.push(character);
        // A character that keeps its bytes keeps their order.
        self.origins.extend((0..character.len_utf8()).map(|byte| origin + byte));
    }

    /// The bytes of the original text that a range of this one comes from.
    pub fn origin(&self, range: &Range<usize>) -> Range<usize> {
        match self.origins.get(range.clone()) {
            Some([first, .., last]) => *first..last + 1,
            Some([only]) => *only..only + 1,
            _ => {
                let at = self.origins.get(range.start).copied().unwrap_or_default();
                at..at
            }
        }
    }

    /// Every backslash followed by an n becomes a line break.
    pub fn with_line_ends(self) -> Prepared {
        let mut replaced = Prepared { text: String::with_capacity(self.text.len()), origins: Vec::new() };
        let mut characters = self.text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let is_escape = character == '\\' && characters.next_if(|(_, next)| *next == 'n').is_some();
            replaced.push(if is_escape { '\n' } else { character }, self.origins[at]);
        }
        replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitespace_is_what_python_takes_for_it() {
        let text = Text { collapse_whitespace: true, ..Text::default() };
        assert_eq!(text.prepared("  int\n\tf ( ) \u{a0}{\x1f}  ").text, "int f ( ) { }");
        assert_eq!(text.prepared(" \n").text, "");
    }

    #[test]
    fn every_byte_knows_where_it_comes_from() {
        let original = "  Ä\n\tf (\"a\\n\") ";
        let text = Text { collapse_whitespace: true, lower_case: true, ..Text::default() };
        let prepared = text.prepared(original);
        assert_eq!(prepared.text, "ä f (\"a\\n\")");
        assert_eq!(&original[prepared.origin(&(0..2))], "Ä");
        assert_eq!(&original[prepared.origin(&(3..6))], "f (");
        let prepared = prepared.with_line_ends();
        assert_eq!(prepared.text, "ä f (\"a\n\")");
        let end = prepared.text.len();
        assert_eq!(&original[prepared.origin(&(end - 2..end))], "\")");
        assert!(prepared.origin(&(end..end)).is_empty());
    }

    #[test]
    fn an_unknown_setting_is_an_error_that_names_it() {
        let problem = toml::from_str::<CheckpointSettings>("haed = \"classes\"").unwrap_err().to_string();
        assert!(problem.contains("haed") && problem.contains("head"), "{problem}");
    }
}
