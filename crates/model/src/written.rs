//! Inputs as records have them: `{"programs": [{"language": "c", "text": "int x;"}], "text": "a query"}`.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Code, Input};

#[derive(Serialize, Deserialize)]
struct WrittenCode {
    language: String,
    text: String,
}

#[derive(Serialize, Deserialize)]
struct WrittenInput {
    programs: Vec<WrittenCode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Serialize for Input {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let code = |code: &Code| WrittenCode { language: code.language.name().to_owned(), text: code.text.clone() };
        let text = match self {
            Input::CodeAndText(_, text) => Some(text.clone()),
            Input::Code(_) | Input::Pair(..) => None,
        };
        WrittenInput { programs: self.programs().into_iter().map(code).collect(), text }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Input, D::Error> {
        let WrittenInput { programs, text } = WrittenInput::deserialize(deserializer)?;
        let mut codes = Vec::new();
        for program in programs {
            codes.push(Code { language: program.language.parse().map_err(D::Error::custom)?, text: program.text });
        }
        let mut codes = codes.into_iter();
        match (codes.next(), codes.next(), codes.next(), text) {
            (Some(code), None, None, None) => Ok(Input::Code(code)),
            (Some(code), None, None, Some(text)) => Ok(Input::CodeAndText(code, text)),
            (Some(first), Some(second), None, None) => Ok(Input::Pair(first, second)),
            _ => Err(D::Error::custom("an input is one program, two, or one with a text")),
        }
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use super::*;
    use crate::Prediction;

    #[test]
    fn inputs_and_predictions_come_back() {
        let code = |text: &str| Code { language: Language::Cpp, text: text.to_owned() };
        for (input, written) in [
            (Input::Code(code("\"ü\"")), r#"{"programs":[{"language":"cpp","text":"\"ü\""}]}"#),
            (Input::Pair(code("a"), code("b")), ""),
            (Input::CodeAndText(code("a"), "b".to_owned()), ""),
        ] {
            let text = serde_json::to_string(&input).unwrap();
            assert!(written.is_empty() || text == written, "{text}");
            assert_eq!(serde_json::from_str::<Input>(&text).unwrap(), input);
        }
        for broken in [r#"{"programs":[]}"#, r#"{"programs":[{"language":"cobol","text":""}]}"#] {
            assert!(serde_json::from_str::<Input>(broken).is_err(), "{broken}");
        }
        for prediction in [
            Prediction::Classes(vec![0.1, 0.9, f32::MIN_POSITIVE, 1.0 / 3.0]),
            Prediction::Names(vec![("größe".to_owned(), 0.3), (String::new(), 0.0)]),
            Prediction::Text("sorts \"a\" list".to_owned()),
            Prediction::Embedding(vec![-1.5, 1e-30]),
            // Numbers of all sizes between 0 and 1, bit for bit.
            Prediction::Embedding((0..5000).map(|number| f32::from_bits(0x3f80_0000 - number * 200_003)).collect()),
        ] {
            let text = serde_json::to_string(&prediction).unwrap();
            assert_eq!(serde_json::from_str::<Prediction>(&text).unwrap(), prediction, "{text}");
        }
    }
}
