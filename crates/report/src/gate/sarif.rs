//! What a gate found as SARIF 2.1.0: what is broken, and every adversarial example at its place in the data set.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use campaign::Examples;
use campaign::plan::DataPlan;
use campaign::run::{InputRow, Record, command};
use campaign::work::read_examples;
use search::Outcome;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Check, Gate, GateError, GatePlan};
use crate::numbers::transformations_of;
use crate::run::Run;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Services take no longer messages.
const LONGEST: usize = 1000;

pub(super) fn sarif(gate: &Gate, plan: &GatePlan) -> Result<(String, Vec<String>), GateError> {
    let mut notes = Vec::new();
    let mut examples = Vec::new();
    let mut first_data = None;
    for folder in gate.runs.iter().filter(|run| command(run).is_ok_and(|command| command == "attack")) {
        let runs = Run::read_all(std::slice::from_ref(folder)).map_err(|error| GateError::Usage(error.to_string()))?;
        for run in &runs {
            let places = match Places::of(run) {
                Ok(places) => Some(places),
                Err(problem) => {
                    notes
                        .push(format!("the examples of {} have no place in the data set: {problem}", folder.display()));
                    None
                }
            };
            first_data = first_data.or_else(|| places.as_ref().map(|places| places.data.clone()));
            let targets: HashMap<usize, &InputRow> = run.targets.iter().map(|target| (target.number, target)).collect();
            let is_chosen = |record: &&Record| plan.attacks.is_empty() || plan.attacks.contains(&record.attack);
            let found = run.records.iter().filter(|record| record.outcome == Outcome::Success).filter(is_chosen);
            for record in found {
                if let Some(target) = targets.get(&record.number) {
                    examples.push(example(record, target, places.as_ref()));
                }
            }
        }
    }
    let mut results: Vec<Value> = gate.broken().map(|check| broken(check, first_data.as_deref())).collect();
    results.append(&mut examples);
    let rule = |id: &str, name: &str, short: &str, full: &str, level: &str| {
        json!({"id": id, "name": name, "shortDescription": {"text": short}, "fullDescription": {"text": full},
            "defaultConfiguration": {"level": level}, "properties": {"tags": ["robustness", "machine-learning"]}})
    };
    let rules = [
        rule(
            RULES[0],
            "ThresholdBroken",
            "A threshold of the gate is broken.",
            "A measure of a run is beyond a threshold, or the run is worse than its baseline beyond noise.",
            "error",
        ),
        rule(
            RULES[1],
            "AdversarialExample",
            "The model's answer changes while the program means the same.",
            "An attack rewrote this program into one that means the same, and the model gives a wrong answer to it. `allotrope report` \
             shows both beside each other.",
            "warning",
        ),
    ];
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "allotrope", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    Ok((format!("{log:#}\n"), notes))
}

/// The rules, in the order in which results refer to them.
const RULES: [&str; 2] = ["allotrope/gate", "allotrope/adversarial-example"];

fn broken(check: &Check, data: Option<&Path>) -> Value {
    let mut result = json!({
        "ruleId": RULES[0], "ruleIndex": 0, "level": "error", "kind": "fail",
        "message": {"text": shortened(&format!("{}: {}", check.asked, check.says))},
        "partialFingerprints": {"allotrope/v1": fingerprint(&[&check.asked, &check.place])},
    });
    if let Some(data) = data.filter(|data| data.is_file()) {
        result["locations"] =
            json!([{"physicalLocation": {"artifactLocation": {"uri": uri(data)}, "region": {"startLine": 1}}}]);
    }
    result
}

fn example(record: &Record, target: &InputRow, places: Option<&Places>) -> Value {
    let rewrites = transformations_of(record);
    let place = places.and_then(|places| places.rows.get(&record.number));
    let row = place.map_or(String::new(), |place| format!(" (row {})", place.row));
    let truth = target.truth.as_deref().map_or(String::new(), |truth| format!("; the truth is {truth}"));
    let message = format!(
        "{}: the model's answer about {}{row} changes after {} rewrites that keep what the program does: {}{truth}; {} queries",
        record.attack,
        target.id,
        rewrites.len(),
        rewrites.join(", "),
        record.queries
    );
    let mut location = json!({"logicalLocations": [{"name": target.id, "kind": "member"}]});
    if let Some(place) = place {
        location["physicalLocation"] = json!({"artifactLocation": {"uri": uri(&place.file)}});
        if let Some(line) = place.line {
            location["physicalLocation"]["region"] = json!({"startLine": line});
        }
    }
    json!({
        "ruleId": RULES[1], "ruleIndex": 1, "level": "warning", "kind": "fail",
        "message": {"text": shortened(&message)},
        "locations": [location],
        "partialFingerprints": {"allotrope/v1": fingerprint(&[&record.attack, &target.id])},
        "properties": {"attack": record.attack, "id": target.id, "row": place.map(|place| place.row), "queries": record.queries,
            "rewrites": rewrites},
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What tells a result from others in later runs as well.
fn fingerprint(parts: &[&str]) -> String {
    let digest = Sha256::digest(parts.join("\0").as_bytes());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Where the targets of a run stand in its data set.
struct Places {
    data: PathBuf,
    rows: HashMap<usize, Place>,
}

struct Place {
    file: PathBuf,
    /// The number of the row, or of the file in a folder, from 1.
    row: usize,
    /// The line on which it begins, where the file has lines.
    line: Option<usize>,
}

impl Places {
    fn of(run: &Run) -> Result<Places, String> {
        let data: &DataPlan = &run.about.plan.data;
        let examples = read_examples(data, &()).map_err(|error| error.to_string())?;
        let is_same = |target: &InputRow| examples.items.get(target.number).is_some_and(|item| item.id == target.id);
        if let Some(target) = run.targets.iter().find(|target| !is_same(target)) {
            return Err(format!("{} has changed since, `{}` is not where it was", examples.path.display(), target.id));
        }
        let lines = Lines::of(&examples.path);
        let place = |target: &InputRow| (target.number, place(&examples, target.number, &lines));
        Ok(Places { rows: run.targets.iter().map(place).collect(), data: examples.path.clone() })
    }
}

fn place(examples: &Examples, number: usize, lines: &Lines) -> Place {
    let example = &examples.items[number];
    // A second example of the same name has a number after it.
    let name = example.id.split('~').next().unwrap_or_default();
    let file = examples.path.join(name);
    match examples.path.is_dir() {
        true if file.is_file() => Place { file, row: example.row, line: Some(1) },
        true => Place { file: examples.path.clone(), row: example.row, line: None },
        false => Place { file: examples.path.clone(), row: example.row, line: lines.line(example.row) },
    }
}

/// On which lines the rows of a file begin.
enum Lines {
    /// A row is a line.
    Same,
    /// The lines of the rows, the first of which may be a header.
    Listed(Vec<usize>),
    /// Rows have no lines, as in a compressed file.
    Unknown,
}

impl Lines {
    fn of(path: &Path) -> Lines {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        match ending.as_str() {
            "jsonl" | "ndjson" | "txt" => Lines::Same,
            "csv" | "tsv" => std::fs::read(path).map_or(Lines::Unknown, |bytes| Lines::Listed(first_lines(&bytes))),
            _ => Lines::Unknown,
        }
    }

    fn line(&self, row: usize) -> Option<usize> {
        match self {
            Lines::Same => Some(row),
            // The first line is the header.
            Lines::Listed(lines) => lines.get(row).copied(),
            Lines::Unknown => None,
        }
    }
}

/// The lines on which the records of a file of separated values begin: a line break within quotes ends no record.
fn first_lines(bytes: &[u8]) -> Vec<usize> {
    let (mut lines, mut is_quoted, mut is_new) = (Vec::new(), false, true);
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let is_empty = line.iter().all(|byte| *byte == b'\r');
        if is_new && !is_empty {
            lines.push(number + 1);
        }
        is_quoted ^= line.iter().filter(|byte| **byte == b'"').count() % 2 == 1;
        is_new = !is_quoted;
    }
    lines
}

/// A path as an address: relative to where the gate runs, as services that show results want it, or absolute.
fn uri(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = text.strip_prefix("./").unwrap_or(&text);
    let mut uri = String::from(if text.starts_with('/') { "file://" } else { "" });
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_begin_on_lines() {
        assert_eq!(first_lines(b"code,label\n\"int a;\nint b;\",1\n\"say \"\"x\n\"\"\",0\n\nlast,1\n"), [1, 2, 4, 7]);
        assert_eq!(first_lines(b"a\r\n\r\nb"), [1, 3]);
        assert_eq!(Lines::of(Path::new("test.jsonl")).line(7), Some(7));
        assert_eq!(Lines::of(Path::new("test.jsonl.gz")).line(7), None);
    }

    #[test]
    fn addresses_are_escaped() {
        assert_eq!(uri(Path::new("./a b/ä#.c")), "a%20b/%C3%A4%23.c");
        assert_eq!(uri(Path::new("/data/x.jsonl")), "file:///data/x.jsonl");
    }
}
