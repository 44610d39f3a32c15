//! What an ONNX file does not say: how an input becomes its arrays of numbers, and what its output means.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::OpenError;
use crate::huggingface::settings::{Shape, Text};

/// The settings of `allotrope.toml` beside the file, or of the file that `?settings=` names.
///
/// ```toml
/// input = "code"                 # code, pair, or code-and-text; bytes are those of one program
/// output = "logits"              # the output with a number for each class; may be left out where there is only one
/// numbers = "logits"             # what these numbers are: logits or probabilities
/// labels = ["safe", "vulnerable"] # the classes by name, in the order of their numbers
/// order = [1, 0]                 # the class that each number of the output stands for
///
/// [tokens]                       # the input is a sequence of tokens; so it is where there is no section [bytes]
/// folder = "../checkpoint"       # where config.json and the vocabulary are, seen from the folder of the file
/// tokenizer = "BPE_1000.json"    # the file with the vocabulary
/// ids = "input_ids"              # the inputs of the graph: the numbers of the tokens,
/// mask = "attention_mask"        # a 1 for each token, where the graph wants it,
/// types = "token_type_ids"       # a 0 for each token, where the graph wants it
///
/// [text]                         # how a text is prepared, as for hf:
/// collapse-whitespace = true
///
/// [config]                       # takes the place of what config.json says, or of the whole file
/// vocab_size = 1000
///
/// [bytes]                        # the input is the bytes at the two ends of a program
/// name = "bytes"                 # the input of the graph; may be left out where there is only one
/// beginning = 1024               # so many bytes from the beginning,
/// end = 1024                     # and after them so many from the end
/// padding = 256                  # the number that stands for a byte where there are not enough
/// strip = true                   # blanks and line ends before the beginning and after the end are left out,
/// block = 4096                   # but not beyond so many bytes from either end
/// least = 8                      # a program with fewer bytes at its beginning is not given to the model
/// ```
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct OnnxSettings {
    pub input: Option<Shape>,
    pub output: Option<String>,
    pub numbers: Numbers,
    pub labels: Option<Vec<String>>,
    pub order: Option<Vec<usize>>,
    pub tokens: Tokens,
    pub text: Text,
    pub config: serde_json::Map<String, serde_json::Value>,
    pub bytes: Option<Bytes>,
}

/// What the numbers of an output are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Numbers {
    /// Scores of classes, to which softmax is applied; a single one is that of the second of two classes.
    #[default]
    Logits,
    /// The probability of each class; a single one is that of the second of two classes.
    Probabilities,
}

/// The tokens of a vocabulary.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Tokens {
    pub folder: Option<PathBuf>,
    pub tokenizer: Option<String>,
    pub ids: String,
    pub mask: String,
    pub types: String,
}

impl Default for Tokens {
    fn default() -> Tokens {
        let [ids, mask, types] = ["input_ids", "attention_mask", "token_type_ids"].map(str::to_owned);
        Tokens { folder: None, tokenizer: None, ids, mask, types }
    }
}

/// The bytes at the two ends of a program.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bytes {
    pub name: Option<String>,
    pub beginning: usize,
    pub end: usize,
    pub padding: i64,
    #[serde(default)]
    pub strip: bool,
    pub block: Option<usize>,
    #[serde(default)]
    pub least: usize,
}

/// The most numbers that an input of bytes may have: far beyond any model, and little memory.
const MOST_BYTES: usize = 1 << 24;

impl OnnxSettings {
    /// Reads a file of settings.
    pub fn read(path: &Path) -> Result<OnnxSettings, OpenError> {
        let text =
            syntax::file::read_text(path).map_err(|source| OpenError::Unreadable { path: path.to_owned(), source })?;
        OnnxSettings::parse(&text).map_err(|problem| OpenError::Unusable { place: path.display().to_string(), problem })
    }

    fn parse(text: &str) -> Result<OnnxSettings, String> {
        let settings: OnnxSettings = toml::from_str(text).map_err(|error| error.to_string())?;
        settings.check()?;
        Ok(settings)
    }

    /// What no type says about settings.
    fn check(&self) -> Result<(), String> {
        if let Some(labels) = &self.labels {
            let twice = labels.iter().enumerate().find(|(at, label)| labels[..*at].contains(label));
            match twice {
                Some((_, label)) => return Err(format!("`labels` has `{label}` twice")),
                None if labels.len() < 2 => return Err("`labels` must name two classes or more".to_owned()),
                None => {}
            }
        }
        let Some(bytes) = &self.bytes else { return Ok(()) };
        if self.input.is_some_and(|shape| shape != Shape::Code) {
            return Err("an input of [bytes] is one program: `input` must be \"code\"".to_owned());
        }
        let length = bytes.beginning.saturating_add(bytes.end);
        if length == 0 || length > MOST_BYTES {
            return Err(format!("`beginning` and `end` are {length} together, not between 1 and {MOST_BYTES}"));
        }
        if bytes.least > bytes.beginning {
            return Err(format!("`least` is {}, more than the {} bytes of `beginning`", bytes.least, bytes.beginning));
        }
        let longest = bytes.beginning.max(bytes.end);
        match bytes.block {
            Some(block) if block < longest => {
                Err(format!("`block` is {block}, less than the {longest} bytes that are taken from it"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_refused(text: &str, words: &str) {
        let problem = OnnxSettings::parse(text).expect_err(text);
        assert!(problem.contains(words), "{problem}");
    }

    #[test]
    fn everything_may_be_left_out() {
        let settings = OnnxSettings::parse("").unwrap();
        assert_eq!((settings.numbers, settings.tokens.ids.as_str()), (Numbers::Logits, "input_ids"));
        assert!(settings.bytes.is_none());
        let settings = OnnxSettings::parse("[tokens]\nmask = \"mask\"").unwrap();
        assert_eq!((settings.tokens.ids.as_str(), settings.tokens.mask.as_str()), ("input_ids", "mask"));
    }

    #[test]
    fn settings_that_cannot_be_meant_are_refused() {
        let bytes = |more: &str| format!("[bytes]\nbeginning = 4\nend = 4\npadding = 256\n{more}");
        assert!(OnnxSettings::parse(&bytes("block = 4\nleast = 4")).is_ok());
        check_refused("lables = []", "labels");
        check_refused("numbers = \"percent\"", "probabilities");
        check_refused("labels = [\"a\"]", "two classes or more");
        check_refused("labels = [\"a\", \"b\", \"a\"]", "`a` twice");
        check_refused("[bytes]\nbeginning = 4\npadding = 0", "end");
        check_refused("[bytes]\nbeginning = 0\nend = 0\npadding = 0", "between 1 and");
        check_refused("[bytes]\nbeginning = 9223372036854775807\nend = 9223372036854775807\npadding = 0", "between 1");
        check_refused("[bytes]\nbeginning = -1\nend = 0\npadding = 0", "beginning");
        check_refused(&bytes("block = 3"), "`block` is 3");
        check_refused(&bytes("least = 5"), "`least` is 5");
        check_refused(&format!("input = \"pair\"\n{}", bytes("")), "one program");
    }

    /// The settings of Magika's model are in the project; its file comes with the package.
    #[test]
    fn the_settings_of_magika_can_be_read() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/checkpoints/magika.toml");
        let settings = OnnxSettings::read(&path).unwrap();
        assert_eq!(settings.labels.unwrap().len(), 214);
        assert_eq!(settings.bytes.unwrap().beginning, 1024);
    }
}
