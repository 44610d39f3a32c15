//! Settings of an endpoint: parameters after a URL or words before a program, and a TOML file.

use std::path::Path;

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::OpenError;
use crate::endpoint::limits::Limits;

/// The setting that names a file with more settings.
const FILE: &str = "settings";

/// Takes the settings out of the parameters of a URL. Parameters of other names stay, and are sent to the server.
pub(crate) fn split_url(url: &str, names: &[&str], place: &str) -> Result<(String, Table), OpenError> {
    let Some((address, parameters)) = url.split_once('?') else { return Ok((url.to_owned(), Table::new())) };
    let mut given = Vec::new();
    let mut kept = Vec::new();
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        if is_setting(name, names) {
            given.push((name.to_owned(), percent_decoded(value)));
        } else if let Some(meant) = settings(names).find(|known| is_misspelled(name, known)) {
            // A misspelled setting would be sent to the server, which does not know it either.
            return Err(unusable(place, format!("unknown setting `{name}`: did you mean `{meant}`?")));
        } else {
            kept.push(parameter);
        }
    }
    let url = if kept.is_empty() { address.to_owned() } else { format!("{address}?{}", kept.join("&")) };
    Ok((url, read(given, names, place)?))
}

/// Takes the settings, each of the form `NAME=VALUE`, from before the first other word.
pub(crate) fn split_words(words: Vec<String>, names: &[&str], place: &str) -> Result<(Vec<String>, Table), OpenError> {
    let setting = |word: &String| {
        let (name, value) = word.split_once('=')?;
        is_setting(name, names).then(|| (name.to_owned(), value.to_owned()))
    };
    let given: Vec<(String, String)> = words.iter().map_while(setting).collect();
    let rest = words[given.len()..].to_vec();
    Ok((rest, read(given, names, place)?))
}

/// Reads the settings as what the adapter and the limits take. Whatever the type does not know is refused.
pub(crate) fn typed<T: DeserializeOwned>(mut table: Table, place: &str) -> Result<(T, Limits), OpenError> {
    let given: Table =
        Limits::NAMES.iter().filter_map(|name| Some(((*name).to_owned(), table.remove(*name)?))).collect();
    let problem = |error: toml::de::Error| unusable(place, format!("invalid settings: {}", error.message()));
    let limits: Limits = given.try_into().map_err(problem)?;
    limits.check(place)?;
    Ok((table.try_into().map_err(problem)?, limits))
}

/// A part of a user's configuration that cannot be used.
pub(crate) fn unusable(place: &str, problem: impl Into<String>) -> OpenError {
    OpenError::Unusable { place: place.to_owned(), problem: problem.into() }
}

/// Reads a file in TOML.
pub(crate) fn read_table(path: &Path) -> Result<Table, OpenError> {
    let text =
        syntax::file::read_text(path).map_err(|source| OpenError::Unreadable { path: path.to_owned(), source })?;
    let shown = path.display().to_string();
    text.parse()
        .map_err(|error: toml::de::Error| unusable(&shown, format!("is not TOML: {}", error.to_string().trim_end())))
}

/// The settings of the file, if one is named, and over them those that were given.
fn read(given: Vec<(String, String)>, names: &[&str], place: &str) -> Result<Table, OpenError> {
    let file = given.iter().rev().find(|(name, _)| name == FILE);
    let mut table = match file {
        Some((_, path)) => read_table(Path::new(path))?,
        None => Table::new(),
    };
    if let Some(name) = table.keys().find(|name| !is_setting(name, names) || *name == FILE) {
        let known = settings(names).filter(|known| *known != FILE).collect::<Vec<_>>().join(", ");
        let file = file.map_or(place, |(_, path)| path);
        return Err(unusable(file, format!("unknown setting `{name}`: use {known}")));
    }
    for (name, value) in given.into_iter().filter(|(name, _)| name != FILE) {
        let value = value_of(&name, value);
        table.insert(name, value);
    }
    Ok(table)
}

/// A parameter as TOML would write it.
fn value_of(name: &str, text: String) -> Value {
    if name == "labels" {
        return Value::Array(text.split(',').map(|label| Value::String(label.trim().to_owned())).collect());
    }
    let number = text.parse().map(Value::Integer).ok().or_else(|| text.parse().map(Value::Float).ok());
    number.or_else(|| text.parse().map(Value::Boolean).ok()).unwrap_or(Value::String(text))
}

fn settings<'n>(names: &'n [&'n str]) -> impl Iterator<Item = &'n str> {
    names.iter().copied().chain(Limits::NAMES).chain([FILE])
}

fn is_setting(name: &str, names: &[&str]) -> bool {
    settings(names).any(|known| known == name)
}

/// Is the one word the other, but for one letter or two that are neighbours?
fn is_misspelled(given: &str, known: &str) -> bool {
    let plain = |text: &str| -> Vec<char> {
        text.to_lowercase().chars().filter(|letter| !matches!(letter, '-' | '_')).collect()
    };
    let (given, known) = (plain(given), plain(known));
    if known.len() < 4 {
        return given == known;
    }
    let front = given.iter().zip(&known).take_while(|(one, other)| one == other).count();
    let (given, known) = (&given[front..], &known[front..]);
    let back = given.iter().rev().zip(known.iter().rev()).take_while(|(one, other)| one == other).count();
    let (given, known) = (&given[..given.len() - back], &known[..known.len() - back]);
    match (given, known) {
        ([one, other], [first, second]) => one == second && other == first,
        _ => given.len() <= 1 && known.len() <= 1,
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let digits = tail.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, Default, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    struct Own {
        task: String,
        temperature: f64,
        labels: Vec<String>,
    }

    const NAMES: [&str; 3] = ["task", "temperature", "labels"];

    fn open(url: &str) -> Result<(String, Own, Limits), OpenError> {
        let (url, table) = split_url(url, &NAMES, "the place")?;
        let (own, limits) = typed(table, "the place")?;
        Ok((url, own, limits))
    }

    #[test]
    fn parameters_are_settings_or_belong_to_the_server() {
        let (url, own, limits) =
            open("http://host/a?task=clone&api-version=2&temperature=1&labels=no,%20yes&timeout=0.5").expect("fine");
        assert_eq!(url, "http://host/a?api-version=2");
        assert_eq!(own, Own { task: "clone".into(), temperature: 1.0, labels: vec!["no".into(), "yes".into()] });
        assert_eq!(limits.timeout, 0.5);
        assert_eq!(limits.concurrency, 4);
        assert_eq!(open("http://host").expect("fine").0, "http://host");
    }

    #[test]
    fn what_is_misspelled_or_of_the_wrong_type_is_refused() {
        for (url, words) in [
            ("http://host?temprature=1", "did you mean `temperature`?"),
            ("http://host?TimeOut=1", "did you mean `timeout`?"),
            ("http://host?longestwait=1", "did you mean `longest_wait`?"),
            ("http://host?timeuot=1", "did you mean `timeout`?"),
            ("http://host?concurrency=many", "invalid type"),
            ("http://host?concurrency=-1", "invalid value"),
            ("http://host?timeout=0", "`timeout` must be a number"),
            ("http://host?settings=no-such-file.toml", "no-such-file.toml"),
        ] {
            let error = open(url).expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_file_holds_settings_and_parameters_win() {
        let path = std::env::temp_dir().join(format!("allotrope-settings-{}.toml", std::process::id()));
        let url = format!("http://host?temperature=0.5&settings={}", path.display());
        std::fs::write(&path, "task = \"clone\"\ntemperature = 1\nretries = 1\n").expect("written");
        let (_, own, limits) = open(&url).expect("fine");
        assert_eq!((own.task.as_str(), own.temperature, limits.retries), ("clone", 0.5, 1));
        std::fs::write(&path, "tasks = \"clone\"\n").expect("written");
        assert!(open(&url).expect_err("unknown").to_string().contains("unknown setting `tasks`: use task"));
        std::fs::write(&path, "task = \n").expect("written");
        assert!(open(&url).expect_err("broken").to_string().contains("is not TOML"));
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn words_before_a_program_are_settings() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (rest, table) = split_words(words("timeout=5 task=x python3 task=y"), &NAMES, "p").expect("fine");
        assert_eq!(rest, ["python3", "task=y"]);
        assert_eq!(table.len(), 2);
    }
}
