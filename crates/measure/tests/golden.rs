//! Every unit against what scipy, scikit-posthocs, sacrebleu, rouge_score and scikit-learn say; see golden/make.py.

use std::path::Path;

use serde_json::Value;

/// How far exact quantities may be off, relative to their size above 1.
const EXACT: f64 = 1e-9;

/// How far p-values may be off. Shapiro and Wilk's W is an approximation itself, made with quantiles of nine digits in scipy.
const APPROXIMATE: f64 = 1e-6;

const APPROXIMATE_KEYS: [&str; 6] = ["p", "f_p", "chi_squared_p", "quality_of_models", "quality_of_attacks", "w"];

/// The least number of cases for each unit.
const LEAST_CASES: usize = 100;

#[test]
fn every_unit_agrees_with_established_programs() {
    let mut differences = Vec::new();
    for unit in measure::catalogue() {
        let name = unit.name();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("golden/{name}.jsonl"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("failed to read {path:?}: {error}"));
        let mut defined = 0;
        for (number, line) in (1..).zip(text.lines()) {
            let case: Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}, line {number}: {error}"));
            let result = (unit.run)(&case["in"]).unwrap_or_else(|error| panic!("{name}, line {number}: {error}"));
            let result = result.unwrap_or(Value::Null);
            defined += usize::from(!result.is_null());
            if !agree(&result, &case["out"], EXACT) {
                let shorten = |value: &Value| value.to_string().chars().take(300).collect::<String>();
                let (found, expected) = (shorten(&result), shorten(&case["out"]));
                differences.push(format!("{name}, line {number}:\n  found {found}\n  not   {expected}"));
            }
        }
        assert!(text.lines().count() >= LEAST_CASES, "{name}: too few cases");
        assert!(defined >= LEAST_CASES / 3, "{name}: only {defined} cases have a result");
    }
    let shown = differences.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} differences\n{shown}", differences.len());
}

fn agree(found: &Value, expected: &Value, tolerance: f64) -> bool {
    match (found, expected) {
        (Value::Number(found), Value::Number(expected)) => match (found.as_f64(), expected.as_f64()) {
            (Some(found), Some(expected)) => (found - expected).abs() <= tolerance * expected.abs().max(1.0),
            _ => false,
        },
        (Value::Array(found), Value::Array(expected)) => {
            let mut pairs = found.iter().zip(expected);
            found.len() == expected.len() && pairs.all(|(found, expected)| agree(found, expected, tolerance))
        }
        (Value::Object(found), Value::Object(expected)) => {
            found.len() == expected.len()
                && found.iter().all(|(key, found)| {
                    let is_approximate = APPROXIMATE_KEYS.contains(&key.as_str());
                    let tolerance = if is_approximate { APPROXIMATE } else { tolerance };
                    expected.get(key).is_some_and(|expected| agree(found, expected, tolerance))
                })
        }
        _ => found == expected,
    }
}

#[test]
fn the_comparison_can_fail() {
    let value = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    assert!(agree(&value("[1.0, null]"), &value("[1, null]"), EXACT));
    assert!(agree(&value(r#"{"p": 0.5}"#), &value(r#"{"p": 0.5000009}"#), EXACT));
    for (found, expected) in [
        ("0.5", "0.500001"),
        ("[1]", "[1, 2]"),
        ("null", "0"),
        (r#"{"a": 1}"#, r#"{"b": 1}"#),
        (r#"{"p": 0.5}"#, r#"{"p": 0.6}"#),
    ] {
        assert!(!agree(&value(found), &value(expected), EXACT), "{found} {expected}");
    }
}
