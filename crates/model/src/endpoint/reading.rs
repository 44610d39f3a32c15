//! How the answers of `http:` and `cmd:` are read.

use serde_json::Value;

use crate::endpoint::shortened;
use crate::{Answer, Fault, Prediction, Tokens};

/// Probabilities that add up to less or more than one by this are taken for rounded, and mended; others are refused.
const TOLERANCE: f64 = 0.01;

/// A text as JSON, and whether it held numbers that are none, or infinite. Strictly, JSON has no such numbers, but Python
/// writes them. They are read as `null`. Minus infinity does not count: it is what the logarithm of zero is.
pub(crate) fn parse(text: &str) -> Result<(Value, bool), Fault> {
    let strict = match serde_json::from_str(text) {
        Ok(value) => return Ok((value, false)),
        Err(error) => error,
    };
    let (plain, holds_odd_numbers) = without_odd_numbers(text);
    match serde_json::from_str(&plain) {
        Ok(value) if plain != text => Ok((value, holds_odd_numbers)),
        _ => Err(Fault::Garbage(format!("{strict}: {}", quoted(text)))),
    }
}

/// The start of a text, for a message.
pub(crate) fn quoted(text: &str) -> String {
    let short = shortened(text);
    if short.is_empty() { "the answer is empty".to_owned() } else { format!("`{short}`") }
}

/// Reads a prediction: `probabilities`, `names`, `text` or `embedding`, and perhaps `tokens`; or an `error`.
pub(crate) fn answer(value: &Value, classes: Option<usize>) -> Result<Answer, Fault> {
    let Some(object) = value.as_object() else {
        return Err(Fault::WrongShape(format!("a prediction must be an object, not {}", quoted(&value.to_string()))));
    };
    if let Some(error) = object.get("error").filter(|error| !error.is_null()) {
        return Err(Fault::Failed(shortened(error.as_str().unwrap_or(&error.to_string()))));
    }
    let prediction = if let Some(value) = object.get("probabilities") {
        Prediction::Classes(probabilities(value, classes)?)
    } else if let Some(value) = object.get("names") {
        Prediction::Names(names(value)?)
    } else if let Some(value) = object.get("text") {
        let text = value.as_str().ok_or_else(|| Fault::WrongShape("`text` must be a string".to_owned()))?;
        Prediction::Text(text.to_owned())
    } else if let Some(value) = object.get("embedding") {
        let vector: Vec<f32> = numbers(value, "embedding")?.into_iter().map(|number| number as f32).collect();
        if vector.iter().any(|number| !number.is_finite()) {
            return Err(Fault::NotFinite);
        }
        if vector.is_empty() {
            return Err(Fault::WrongShape("`embedding` is empty".to_owned()));
        }
        Prediction::Embedding(vector)
    } else {
        let problem =
            "a prediction must have one of `probabilities`, `names`, `text`, `embedding` or `error`, not only";
        return Err(Fault::WrongShape(format!("{problem} {}", quoted(&value.to_string()))));
    };
    let tokens = object.get("tokens").and_then(|tokens| {
        let count = |name| tokens.get(name)?.as_u64().and_then(|count| usize::try_from(count).ok());
        Some(Tokens { all: count("all")?, seen: count("seen")? })
    });
    Ok(Answer { prediction, tokens })
}

/// The vectors of predictions that should be embeddings.
pub(crate) fn embeddings(answers: Vec<Result<Answer, Fault>>) -> Vec<Result<Vec<f32>, Fault>> {
    let vector = |answer: Answer| match answer.prediction {
        Prediction::Embedding(vector) => Ok(vector),
        _ => Err(Fault::WrongShape("the prediction is not an embedding, although `embeds` is set".to_owned())),
    };
    answers.into_iter().map(|answer| answer.and_then(vector)).collect()
}

fn probabilities(value: &Value, classes: Option<usize>) -> Result<Vec<f32>, Fault> {
    let numbers = numbers(value, "probabilities")?;
    if let Some(classes) = classes.filter(|classes| *classes != numbers.len()) {
        return Err(Fault::WrongShape(format!("{} probabilities, but there are {classes} classes", numbers.len())));
    }
    if numbers.len() < 2 {
        return Err(Fault::WrongShape(format!("{} probabilities: at least two classes are needed", numbers.len())));
    }
    if let Some(number) = numbers.iter().find(|number| **number < 0.0) {
        return Err(Fault::WrongShape(format!("{number} is not a probability")));
    }
    let sum: f64 = numbers.iter().sum();
    if (sum - 1.0).abs() > TOLERANCE {
        return Err(Fault::WrongShape(format!("the probabilities add up to {sum}, not to 1")));
    }
    // What is off by no more than the precision of the numbers stays as it was sent.
    let scale = if (sum - 1.0).abs() > 1e-6 { sum } else { 1.0 };
    Ok(numbers.into_iter().map(|number| (number / scale) as f32).collect())
}

fn names(value: &Value) -> Result<Vec<(String, f32)>, Fault> {
    let wrong = || {
        Fault::WrongShape(format!("`names` must be a list of [name, probability], not {}", quoted(&value.to_string())))
    };
    let mut names = Vec::new();
    for entry in value.as_array().ok_or_else(wrong)? {
        let Some([name, certainty]) = entry.as_array().map(Vec::as_slice) else { return Err(wrong()) };
        let name = name.as_str().ok_or_else(wrong)?;
        let certainty = number(certainty).ok_or_else(wrong)?? as f32;
        if !certainty.is_finite() {
            return Err(Fault::NotFinite);
        }
        names.push((name.to_owned(), certainty));
    }
    if names.is_empty() {
        return Err(Fault::WrongShape("`names` is empty".to_owned()));
    }
    // The order of equally certain names is the server's.
    names.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    Ok(names)
}

fn numbers(value: &Value, name: &str) -> Result<Vec<f64>, Fault> {
    let wrong = || Fault::WrongShape(format!("`{name}` must be a list of numbers, not {}", quoted(&value.to_string())));
    let list = value.as_array().ok_or_else(wrong)?;
    list.iter().map(|entry| number(entry).ok_or_else(wrong)?).collect()
}

/// A number; `null` stands for NaN. `None` for anything else.
fn number(value: &Value) -> Option<Result<f64, Fault>> {
    match value {
        Value::Null => Some(Err(Fault::NotFinite)),
        _ => value.as_f64().map(Ok),
    }
}

/// The text with `null` for every NaN and every infinity, and whether there was one but for minus infinity.
fn without_odd_numbers(text: &str) -> (String, bool) {
    let mut plain = String::with_capacity(text.len());
    let mut is_odd = false;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            _ if is_word(first) => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (piece, tail) = rest.split_at(length);
        match piece.parse::<f64>() {
            Ok(number) if !number.is_finite() => {
                is_odd |= number != f64::NEG_INFINITY;
                plain.push_str("null");
            }
            _ => plain.push_str(piece),
        }
        rest = tail;
    }
    (plain, is_odd)
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.')
}

/// The bytes of a string from its first quote to its last, or of the rest if it is not closed.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (index, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return index + 1,
            _ => (),
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Prediction, Fault> {
        answer(&parse(text)?.0, Some(2)).map(|answer| answer.prediction)
    }

    #[track_caller]
    fn check(text: &str, prediction: Prediction) {
        assert_eq!(read(text), Ok(prediction));
    }

    #[track_caller]
    fn check_wrong_shape(text: &str, words: &str) {
        match read(text) {
            Err(Fault::WrongShape(problem)) => assert!(problem.contains(words), "{problem}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_form_of_prediction_is_read() {
        check(r#"{"probabilities":[0.25,0.75]}"#, Prediction::Classes(vec![0.25, 0.75]));
        check(r#"{"names":[["y",0.1],["x",0.4]]}"#, Prediction::Names(vec![("x".into(), 0.4), ("y".into(), 0.1)]));
        check(r#"{"text":"Adds \"NaN\" up."}"#, Prediction::Text("Adds \"NaN\" up.".into()));
        check(r#"{"embedding":[1,-2.5]}"#, Prediction::Embedding(vec![1.0, -2.5]));
        let (value, _) = parse(r#"{"text":"a","tokens":{"all":9,"seen":5}}"#).expect("JSON");
        assert_eq!(answer(&value, None).expect("an answer").tokens, Some(Tokens { all: 9, seen: 5 }));
    }

    #[test]
    fn rounded_probabilities_are_mended() {
        check(r#"{"probabilities":[0.25,0.748]}"#, Prediction::Classes(vec![0.250_501, 0.749_499]));
        check(r#"{"probabilities":[0.0,1]}"#, Prediction::Classes(vec![0.0, 1.0]));
    }

    #[test]
    fn the_wrong_shape_says_what_is_wrong() {
        check_wrong_shape(r#"{"probabilities":[0.2,0.3,0.5]}"#, "3 probabilities, but there are 2 classes");
        check_wrong_shape(r#"{"probabilities":[]}"#, "0 probabilities");
        check_wrong_shape(r#"{"probabilities":[0.5,0.6]}"#, "add up to 1.1");
        check_wrong_shape(r#"{"probabilities":[-0.5,1.5]}"#, "-0.5 is not a probability");
        check_wrong_shape(r#"{"probabilities":["a","b"]}"#, "a list of numbers");
        check_wrong_shape(r#"{"probabilities":0.5}"#, "a list of numbers");
        check_wrong_shape(r#"{"names":[["x"]]}"#, "[name, probability]");
        check_wrong_shape(r#"{"names":[[1,2]]}"#, "[name, probability]");
        check_wrong_shape(r#"{"names":[]}"#, "empty");
        check_wrong_shape(r#"{"embedding":[]}"#, "empty");
        check_wrong_shape(r#"{"text":5}"#, "must be a string");
        check_wrong_shape(r#"{"label":1}"#, "one of `probabilities`");
        check_wrong_shape("[1]", "an object");
    }

    #[test]
    fn numbers_that_are_none_are_told_from_garbage() {
        for text in [
            r#"{"probabilities":[NaN,1.0]}"#,
            r#"{"probabilities":[Infinity,0]}"#,
            r#"{"probabilities":[null,1.0]}"#,
            r#"{"probabilities":[1e999,0]}"#,
            r#"{"embedding":[-Infinity]}"#,
            r#"{"embedding":[1e300]}"#,
            r#"{"names":[["NaN",NaN]]}"#,
        ] {
            assert_eq!(read(text), Err(Fault::NotFinite), "{text}");
        }
        for text in ["", "NaN?", "{\"probabilities\":[0.5,", "<html>500</html>", "{\"text\":\"\\", "{\"text\":nul}"] {
            assert!(matches!(read(text), Err(Fault::Garbage(_))), "{text}: {:?}", read(text));
        }
    }

    #[test]
    fn an_error_in_the_place_of_a_prediction_is_the_models() {
        assert_eq!(read(r#"{"error":"out of memory"}"#), Err(Fault::Failed("out of memory".into())));
        assert_eq!(read(r#"{"error":{"code":5}}"#), Err(Fault::Failed("{\"code\":5}".into())));
    }
}
