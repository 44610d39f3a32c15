//! Runs the examples of the headers.

use manual::Unit;
use serde_json::Value;

use crate::MeasureFunction;

/// Numbers in headers are rounded to five digits after the decimal point; golden files hold all digits.
const ROUNDING: f64 = 5.000_001e-6;

/// Runs every example of a header: arguments and the result, or arguments that have no result.
#[track_caller]
pub(crate) fn check_header(unit: &Unit<MeasureFunction>) {
    let name = unit.name();
    let examples = unit.examples();
    assert!(examples.iter().any(|example| example.after.is_some()), "{name}: the header shows no result");
    for example in examples {
        let place = format!("{name}, line {}", example.line);
        let arguments: Value = serde_json::from_str(&example.before).unwrap_or_else(|error| panic!("{place}: {error}"));
        let expected: Option<Value> =
            example.after.map(|text| serde_json::from_str(&text).unwrap_or_else(|error| panic!("{place}: {error}")));
        let result = (unit.run)(&arguments).unwrap_or_else(|error| panic!("{place}: {error}"));
        match (&result, &expected) {
            (None, None) => (),
            (Some(result), Some(expected)) if is_close(result, expected) => (),
            _ => panic!("{place}: expected {expected:?} and found {result:?}"),
        }
    }
}

fn is_close(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one.as_f64().zip(other.as_f64()).is_some_and(|(one, other)| (one - other).abs() <= ROUNDING)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_close(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let are_close = |key: &String| other.get(key).is_some_and(|other| is_close(&one[key], other));
            one.len() == other.len() && one.keys().all(are_close)
        }
        _ => one == other,
    }
}
