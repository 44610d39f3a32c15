//! What a language model said, and what it means.

use serde_json::Value;

use crate::Fault;
use crate::endpoint::client::message;
use crate::endpoint::reading::quoted;
use crate::endpoint::shortened;

/// What a model said.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said {
    pub text: String,
    /// The tokens of the text with what else could have stood in their places; none from many servers.
    pub tokens: Vec<Token>,
}

/// One token of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub text: String,
    /// The logarithm of its probability.
    pub logprob: f64,
    /// The most probable tokens in its place, with the logarithms of their probabilities.
    pub top: Vec<(String, f64)>,
}

/// Reads the answer of a server, which may be of either endpoint: servers mix the forms up.
pub(super) fn said(value: &Value) -> Result<Said, Fault> {
    if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
        return Err(Fault::Failed(message(&error.as_str().map_or_else(|| error.to_string(), str::to_owned))));
    }
    let Some(choice) = value.pointer("/choices/0") else {
        return Err(Fault::WrongShape(format!("there are no `choices` in {}", quoted(&value.to_string()))));
    };
    let content = choice.pointer("/message/content").or_else(|| choice.get("text"));
    let text = match content {
        Some(Value::String(text)) => text.clone(),
        // Some servers give the content in pieces, of which only some are text.
        Some(Value::Array(pieces)) => {
            pieces.iter().filter_map(|piece| piece.get("text").unwrap_or(piece).as_str()).collect()
        }
        _ => {
            let reason = choice.get("finish_reason").and_then(Value::as_str).unwrap_or("no reason");
            return Err(Fault::WrongShape(format!(
                "the choice has no text ({reason}): {}",
                quoted(&choice.to_string())
            )));
        }
    };
    Ok(Said { text, tokens: choice.get("logprobs").map_or(Vec::new(), tokens) })
}

/// Reads both forms of log probabilities, and leaves out whatever has none.
fn tokens(logprobs: &Value) -> Vec<Token> {
    if let Some(content) = logprobs.get("content").and_then(Value::as_array) {
        let pair = |entry: &Value| Some((entry.get("token")?.as_str()?.to_owned(), entry.get("logprob")?.as_f64()?));
        let token = |entry: &Value| {
            let (text, logprob) = pair(entry)?;
            let top = entry.get("top_logprobs").and_then(Value::as_array);
            Some(Token { text, logprob, top: top.into_iter().flatten().filter_map(pair).collect() })
        };
        // After a token without a probability, the walk over the tokens has lost its way.
        return content.iter().map_while(token).collect();
    }
    let list = |name: &str| logprobs.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let (texts, own, tops) = (list("tokens"), list("token_logprobs"), list("top_logprobs"));
    let token = |(index, text): (usize, &Value)| {
        let top = tops.get(index).and_then(Value::as_object);
        let top = top.into_iter().flatten().filter_map(|(text, logprob)| Some((text.clone(), logprob.as_f64()?)));
        Some(Token { text: text.as_str()?.to_owned(), logprob: own.get(index)?.as_f64()?, top: top.collect() })
    };
    texts.iter().enumerate().map_while(token).collect()
}

/// The class that an answer names: a label alone, or `{"answer": LABEL}`.
pub(super) fn label(text: &str, labels: &[String]) -> Result<usize, Fault> {
    let word = bare(text);
    let exact = labels.iter().position(|label| *label == word);
    let same = |label: &String| label.to_lowercase() == word.to_lowercase();
    exact.or_else(|| labels.iter().position(same)).ok_or_else(|| {
        let known = shortened(&labels.join(", "));
        Fault::WrongShape(format!("{} is not one of the labels {known}", quoted(text)))
    })
}

/// The identifier that an answer is, alone or as `{"answer": NAME}`.
pub(super) fn name(text: &str) -> Result<String, Fault> {
    let word = bare(text);
    let word = word.strip_suffix("()").unwrap_or(&word);
    let is_identifier = word.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$'))
        && word.chars().next().is_some_and(|first| !first.is_numeric());
    if is_identifier { Ok(word.to_owned()) } else { Err(Fault::WrongShape(format!("{} is not a name", quoted(text)))) }
}

/// The text of an answer, alone or as `{"answer": TEXT}`.
pub(super) fn text(text: &str) -> Result<String, Fault> {
    let spoken = behind_thoughts(text).trim();
    let answer = inside_json(spoken).unwrap_or_else(|| spoken.to_owned());
    if answer.is_empty() { Err(Fault::WrongShape("the answer is empty".to_owned())) } else { Ok(answer) }
}

/// The probability of every label, by what the tokens of the answer could have been; nothing, where they do not tell.
///
/// The tokens are followed as long as several labels begin like the answer so far. The probability of every other token that
/// leads to one label alone is that label's. What leads to no label is left out, and the rest made to add up to one.
pub(super) fn label_probabilities(tokens: &[Token], labels: &[String]) -> Option<Vec<f64>> {
    let labels: Vec<String> = labels.iter().map(|label| label.to_lowercase()).collect();
    let mut found = vec![0.0; labels.len()];
    let mut before = String::new();
    let mut weight = 1.0;
    for token in tokens {
        let mut goes_on = None;
        let own = (&token.text, token.logprob);
        let others = token.top.iter().map(|(text, logprob)| (text, *logprob)).filter(|(text, _)| **text != token.text);
        for (text, logprob) in std::iter::once(own).chain(others) {
            let is_own = text == &token.text;
            let probability = weight * logprob.exp().min(1.0);
            let word = format!("{before}{text}").to_lowercase();
            let word = word.trim_start_matches(is_decoration);
            let meant: Vec<usize> = (0..labels.len()).filter(|class| labels[*class].starts_with(word)).collect();
            match meant[..] {
                [class] => found[class] += probability,
                [] => {
                    // The word is over: it is the longest label that it begins with, or none.
                    let ended = (0..labels.len()).filter(|class| begins_with_word(word, &labels[*class]));
                    if let Some(class) = ended.max_by_key(|class| labels[*class].len()) {
                        found[class] += probability;
                    }
                }
                _ if is_own => goes_on = Some(probability),
                _ => {
                    if let Some(class) = labels.iter().position(|label| label == word) {
                        found[class] += probability;
                    }
                }
            }
        }
        before.push_str(&token.text);
        match goes_on {
            Some(probability) => weight = probability,
            None => {
                weight = 0.0;
                break;
            }
        }
    }
    // The tokens ended with a label that others begin with.
    let word = before.to_lowercase();
    if let Some(class) = labels.iter().position(|label| label == word.trim_matches(is_decoration)) {
        found[class] += weight;
    }
    let sum: f64 = found.iter().sum();
    (sum.is_finite() && sum > 0.0).then(|| found.into_iter().map(|probability| probability / sum).collect())
}

/// The probability of a name: that of all its tokens. Nothing, where the tokens are not known or not those of the name.
pub(super) fn name_probability(tokens: &[Token], name: &str) -> Option<f64> {
    let mut said = String::new();
    let mut logprob = 0.0;
    for token in tokens {
        said.push_str(&token.text);
        logprob += token.logprob;
        let word = said.trim_start_matches(is_decoration);
        if word.starts_with(name) {
            return Some(logprob.exp().min(1.0));
        }
        if !name.starts_with(word) {
            return None;
        }
    }
    None
}

fn begins_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word)
        .is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_'))
}

/// What models put around a word that stands alone.
fn is_decoration(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | '*' | '.')
}

/// The word that an answer consists of.
fn bare(text: &str) -> String {
    let spoken = behind_thoughts(text).trim();
    inside_json(spoken).unwrap_or_else(|| spoken.to_owned()).trim_matches(is_decoration).to_owned()
}

/// What follows the thoughts that some models write down first.
fn behind_thoughts(text: &str) -> &str {
    let thinks = text.trim_start().starts_with("<think>");
    text.split_once("</think>").filter(|_| thinks).map_or(text, |(_, rest)| rest)
}

/// The value of `answer` of an object, with or without a fence around it.
fn inside_json(text: &str) -> Option<String> {
    let inner =
        text.strip_prefix("```json").or_else(|| text.strip_prefix("```")).and_then(|text| text.strip_suffix("```"));
    let value: Value = serde_json::from_str(inner.unwrap_or(text)).ok()?;
    match value.as_object()?.get("answer")? {
        Value::String(text) => Some(text.trim().to_owned()),
        other @ (Value::Number(_) | Value::Bool(_)) => Some(other.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn labels(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn token(text: &str, probability: f64, others: &[(&str, f64)]) -> Token {
        let top = others.iter().map(|(text, probability)| ((*text).to_owned(), probability.ln())).collect();
        Token { text: text.to_owned(), logprob: probability.ln(), top }
    }

    #[track_caller]
    fn check_probabilities(tokens: &[Token], words: &[&str], wanted: &[f64]) {
        let found = label_probabilities(tokens, &labels(words)).expect("the tokens tell");
        assert!(found.iter().zip(wanted).all(|(one, other)| (one - other).abs() < 1e-9), "{found:?}");
        assert_eq!(found.len(), wanted.len());
    }

    #[test]
    fn answers_are_a_label_or_an_object() {
        let words = labels(&["no", "yes", "it depends"]);
        for (text, class) in [
            ("yes", 1),
            (" Yes.\n", 1),
            ("**NO**", 0),
            ("\"it depends\"", 2),
            ("{\"answer\": \"yes\"}", 1),
            ("```json\n{\"answer\": \"no\"}\n```", 0),
            ("<think>yes or no?</think>\n\nno", 0),
        ] {
            assert_eq!(label(text, &words), Ok(class), "{text}");
        }
        for text in [
            "",
            "maybe",
            "yes, because",
            "I think no",
            "{\"answer\": \"maybe\"}",
            "{\"label\": \"yes\"}",
            "{\"answer\":",
        ] {
            assert!(matches!(label(text, &words), Err(Fault::WrongShape(_))), "{text}");
        }
        assert_eq!(label("{\"answer\": 2}", &labels(&["1", "2"])), Ok(1));
        assert_eq!(label("a", &labels(&["A", "a"])), Ok(1));
        let Err(Fault::WrongShape(problem)) = label(&"blah ".repeat(500), &words) else { panic!("not refused") };
        assert!(problem.len() < 300, "{problem}");
    }

    #[test]
    fn names_are_identifiers() {
        for (text, found) in [("getName", "getName"), ("`get_name()`\n", "get_name"), ("{\"answer\":\"x1\"}", "x1")] {
            assert_eq!(name(text), Ok(found.to_owned()), "{text}");
        }
        for text in ["", "get name", "1x", "The name is x", "a.b"] {
            assert!(matches!(name(text), Err(Fault::WrongShape(_))), "{text}");
        }
        let tokens = [token(" get", 0.5, &[]), token("Name", 0.5, &[]), token("()", 0.1, &[])];
        assert_eq!(name_probability(&tokens, "getName"), Some(0.25));
        assert_eq!(name_probability(&tokens, "setName"), None);
        assert_eq!(name_probability(&[], "getName"), None);
    }

    #[test]
    fn texts_are_trimmed_and_not_empty() {
        assert_eq!(text(" Adds {a} up.\n"), Ok("Adds {a} up.".to_owned()));
        assert_eq!(text("{\"answer\": \"Adds.\"}"), Ok("Adds.".to_owned()));
        assert!(text("<think>hm</think> \n").is_err());
    }

    #[test]
    fn probabilities_are_those_of_the_first_token() {
        let answer = [token("yes", 0.6, &[("yes", 0.6), ("no", 0.2), (" No", 0.1), ("maybe", 0.1)])];
        check_probabilities(&answer, &["no", "yes"], &[0.3 / 0.9, 0.6 / 0.9]);
        // The token that was taken need not be among the most probable ones, and the rest of the answer does not matter.
        let answer = [token("no", 0.1, &[("yes", 0.7)]), token("<|end|>", 1.0, &[("yes", 0.9)])];
        check_probabilities(&answer, &["no", "yes"], &[0.125, 0.875]);
        let answer = [token("vul", 0.75, &[("safe\n", 0.25)]), token("nerable", 1.0, &[])];
        check_probabilities(&answer, &["safe", "vulnerable"], &[0.25, 0.75]);
    }

    #[test]
    fn labels_with_the_same_beginning_are_told_apart_by_later_tokens() {
        let answer = [token("author", 1.0, &[]), token("1", 0.5, &[("2", 0.25), ("3", 0.25)])];
        check_probabilities(&answer, &["author1", "author2"], &[2.0 / 3.0, 1.0 / 3.0]);
        let answer = [token("1", 0.8, &[("2", 0.2)]), token("0", 0.5, &[("</s>", 0.5)])];
        check_probabilities(&answer, &["1", "2", "10"], &[0.4, 0.2, 0.4]);
        check_probabilities(&[token("1", 0.8, &[("2", 0.2)])], &["1", "2", "10"], &[0.8, 0.2, 0.0]);
        let answer = [token(" ", 1.0, &[]), token("no", 0.5, &[("yes", 0.5)])];
        check_probabilities(&answer, &["no", "yes"], &[0.5, 0.5]);
    }

    #[test]
    fn tokens_that_do_not_tell_are_not_used() {
        for tokens in [vec![], vec![token("{\"", 1.0, &[])], vec![token("yes", 0.0, &[])], vec![token("", 1.0, &[])]] {
            assert_eq!(label_probabilities(&tokens, &labels(&["no", "yes"])), None, "{tokens:?}");
        }
    }

    #[test]
    fn both_forms_of_answers_and_probabilities_are_read() {
        let wanted = Said {
            text: "yes".to_owned(),
            tokens: vec![Token { text: "yes".to_owned(), logprob: -0.5, top: vec![("no".to_owned(), -1.5)] }],
        };
        let content = json!([{ "token": "yes", "logprob": -0.5, "bytes": [1], "top_logprobs": [
            { "token": "no", "logprob": -1.5 }, { "token": "x", "logprob": null }, { "id": 5 }
        ] }]);
        let legacy =
            json!({ "tokens": ["yes"], "token_logprobs": [-0.5], "top_logprobs": [{ "no": -1.5, "x": null }] });
        for choice in [
            json!({ "message": { "role": "assistant", "content": "yes" }, "logprobs": { "content": content } }),
            json!({ "text": "yes", "logprobs": { "content": content } }),
            json!({ "text": "yes", "logprobs": legacy }),
            json!({ "message": { "content": [{ "type": "text", "text": "yes" }] }, "logprobs": legacy }),
        ] {
            assert_eq!(said(&json!({ "choices": [choice] })), Ok(wanted.clone()), "{choice}");
        }
        for logprobs in [json!(null), json!({}), json!({ "content": null }), json!({ "tokens": ["yes"] }), json!("odd")]
        {
            let value = json!({ "choices": [{ "text": "yes", "logprobs": logprobs }] });
            assert_eq!(said(&value), Ok(Said { text: "yes".to_owned(), tokens: vec![] }));
        }
    }

    #[test]
    fn answers_without_text_say_so() {
        for (value, words) in [
            (json!({}), "no `choices`"),
            (json!({ "choices": [] }), "no `choices`"),
            (json!({ "choices": [{ "message": { "content": null }, "finish_reason": "length" }] }), "no text (length)"),
            (json!([1, 2]), "no `choices`"),
        ] {
            let fault = said(&value).expect_err(words);
            assert!(matches!(&fault, Fault::WrongShape(problem) if problem.contains(words)), "{fault:?}");
        }
        let fault = said(&json!({ "error": { "message": "overloaded" } })).expect_err("an error");
        assert_eq!(fault, Fault::Failed("overloaded".to_owned()));
    }
}
