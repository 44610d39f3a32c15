//! What keeps the promises in the headers of mutation operators.

use manual::Unit;
use random::Random;
use serde_json::Value;

use crate::mutation::{OperatorFunction, Part, Strength};

/// Runs the operator on the numbers of every example, and compares what becomes of them.
#[track_caller]
pub(crate) fn check_header(unit: &Unit<OperatorFunction>) {
    let name = unit.name();
    assert!(unit.fact("paper").is_some(), "{name}: write `paper: …` into the header");
    let level = unit.fact("level").unwrap_or_else(|| panic!("{name}: write `level: …` into the header"));
    assert!(["weight", "neuron", "state", "gate"].contains(&level), "{name}: unknown level {level}");
    for (key, _) in unit.facts() {
        assert!(["level", "least", "paper"].contains(&key), "{name}: unknown fact {key}");
    }
    let examples = unit.examples();
    assert!(examples.iter().any(|example| example.after.is_some()), "{name} shows no before and after");
    assert!(examples.iter().any(|example| example.after.is_none()), "{name} never says what it leaves alone");
    for example in examples {
        let before: Value = serde_json::from_str(&example.before).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut part = part(&before);
        let mut strength = Strength {
            sigma: before["sigma"].as_f64().unwrap_or(0.5),
            digits: before["digits"].as_u64().unwrap_or(1) as u32,
            random: Random::new(before["seed"].as_u64().unwrap_or(0)),
        };
        let expected = match &example.after {
            Some(after) => self::part(&serde_json::from_str(after).unwrap_or_else(|error| panic!("{name}: {error}"))),
            None => part.clone(),
        };
        (unit.run)(&mut part, &mut strength);
        let numbers = |part: &Part| -> Vec<f32> { part.rows.iter().flatten().chain(&part.biases).copied().collect() };
        let (found, expected) = (numbers(&part), numbers(&expected));
        let is_near = |(one, other): (&f32, &f32)| (one - other).abs() < 1e-4;
        assert!(
            found.len() == expected.len() && found.iter().zip(&expected).all(is_near),
            "{name}, line {}: found {part:?}, not {expected:?}",
            example.line
        );
    }
}

fn part(value: &Value) -> Part {
    let numbers = |value: &Value| -> Vec<f32> {
        value.as_array().into_iter().flatten().map(|number| number.as_f64().expect("a number") as f32).collect()
    };
    Part {
        rows: value["rows"].as_array().into_iter().flatten().map(numbers).collect(),
        biases: numbers(&value["biases"]),
        previous: numbers(&value["previous"]),
    }
}
