//! A threshold: `[PLACE/]MEASURE[.low|.high|.n] OPERATOR NUMBER`, such as `random-k/success-rate.high > 20 %`.
//!
//! Names are compared without regard to case and punctuation, so that `attack success rate, valid` may be written
//! `attack-success-rate-valid`. Places are the attack, treatment, order or student, or the run where there are several.

use std::collections::BTreeSet;
use std::str::FromStr;

use manual::closest;

use super::readings::Reading;

/// What people call the measures that they ask for most.
const ALIASES: [(&str, &str); 3] = [
    ("success-rate", "attack-success-rate-valid"),
    ("asr", "attack-success-rate-valid"),
    ("confidence-drop", "confidence-decrement"),
];

/// A threshold as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    places: Vec<String>,
    measure: String,
    /// What of the measure is judged.
    pub(super) end: End,
    operator: Operator,
    bound: f64,
}

/// What of a measure is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Value,
    /// The lower end of its interval.
    Low,
    /// The upper end of its interval.
    High,
    /// Over how many inputs it was taken.
    N,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Above,
    AtLeast,
    Below,
    AtMost,
    Equal,
    Other,
}

/// The operators, longer ones before those that they begin with.
const OPERATORS: [(&str, Operator); 6] = [
    (">=", Operator::AtLeast),
    ("<=", Operator::AtMost),
    ("==", Operator::Equal),
    ("!=", Operator::Other),
    (">", Operator::Above),
    ("<", Operator::Below),
];

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        let usage = "write MEASURE > NUMBER, such as 'success-rate > 0.2' or 'beam/robust-accuracy.low < 50 %'";
        let found = text.char_indices().find_map(|(place, _)| {
            let rest = &text[place..];
            OPERATORS
                .iter()
                .find(|(sign, _)| rest.starts_with(sign))
                .map(|(sign, operator)| (place, sign.len(), *operator))
        });
        let (place, length, operator) =
            found.ok_or_else(|| format!("there is no >, >=, <, <=, == or != in it: {usage}"))?;
        let (name, number) = (text[..place].trim(), text[place + length..].trim());
        let (digits, scale) = number.strip_suffix('%').map_or((number, 1.0), |digits| (digits.trim_end(), 0.01));
        let bound = digits.parse::<f64>().ok().filter(|bound| bound.is_finite());
        let bound = bound.ok_or_else(|| format!("`{number}` is not a number: {usage}"))? * scale;
        let ends = [(".low", End::Low), (".high", End::High), (".n", End::N)];
        let end = ends.iter().find_map(|(ending, end)| Some((name.strip_suffix(ending)?, *end)));
        let (name, end) = end.unwrap_or((name, End::Value));
        let mut places: Vec<String> = name.split('/').map(normal).collect();
        let measure = places
            .pop()
            .filter(|measure| !measure.is_empty())
            .ok_or_else(|| format!("it names no measure: {usage}"))?;
        places.retain(|place| !place.is_empty());
        Ok(Condition { places, measure, end, operator, bound })
    }
}

impl Condition {
    /// The measures that it is about: at least one.
    pub(super) fn matching<'r>(&self, readings: &'r [Reading]) -> Result<Vec<&'r Reading>, String> {
        let named = |name: &str| -> Vec<&'r Reading> {
            readings.iter().filter(|reading| normal(&reading.measure) == name).collect()
        };
        let alias = ALIASES.iter().find(|(alias, _)| *alias == self.measure).map(|(_, name)| *name);
        let mut about = named(&self.measure);
        if about.is_empty() {
            about = alias.map(named).unwrap_or_default();
        }
        if about.is_empty() {
            let known: BTreeSet<String> = readings.iter().map(|reading| normal(&reading.measure)).collect();
            let aliases = ALIASES.iter().filter(|(_, name)| known.contains(*name)).map(|(alias, _)| *alias);
            let near = closest(&self.measure, known.iter().map(String::as_str).chain(aliases));
            let hint = if near.is_empty() { String::new() } else { format!(", did you mean {}?", near.join(" or ")) };
            return Err(format!("the runs have no measure `{}`{hint}; --list shows all", self.measure));
        }
        let is_there = |place: &String, reading: &Reading| reading.place.iter().any(|part| normal(part) == *place);
        for place in &self.places {
            let places: BTreeSet<&str> = about.iter().flat_map(|reading| &reading.place).map(String::as_str).collect();
            about.retain(|reading| is_there(place, reading));
            if about.is_empty() {
                let normals: Vec<String> = places.iter().map(|place| normal(place)).collect();
                let near = closest(place, normals.iter().map(String::as_str));
                let hint =
                    if near.is_empty() { String::new() } else { format!(", did you mean {}?", near.join(" or ")) };
                let places: Vec<&str> = places.into_iter().collect();
                return Err(format!(
                    "`{}` is not known of `{place}`{hint}; there are: {}",
                    self.measure,
                    places.join(", ")
                ));
            }
        }
        Ok(about)
    }

    /// What is judged.
    pub(super) fn value(&self, reading: &Reading) -> Option<f64> {
        match self.end {
            End::Value => reading.value,
            End::Low => reading.interval.map(|interval| interval.low),
            End::High => reading.interval.map(|interval| interval.high),
            End::N => reading.n.map(|n| n as f64),
        }
    }

    /// Is it true of a value?
    pub(super) fn holds(&self, value: f64) -> bool {
        match self.operator {
            Operator::Above => value > self.bound,
            Operator::AtLeast => value >= self.bound,
            Operator::Below => value < self.bound,
            Operator::AtMost => value <= self.bound,
            Operator::Equal => value == self.bound,
            Operator::Other => value != self.bound,
        }
    }

    /// By how much a value breaks it.
    pub(super) fn excess(&self, value: f64) -> String {
        let (by, bound) = (super::short((value - self.bound).abs()), super::short(self.bound));
        match self.operator {
            Operator::Above => format!("it must not be above {bound}, and is by {by}"),
            Operator::AtLeast => format!("it must be below {bound}, and is {by} more"),
            Operator::Below => format!("it must not be below {bound}, and is by {by}"),
            Operator::AtMost => format!("it must be above {bound}, and is {by} less"),
            Operator::Equal => format!("it must not be {bound}"),
            Operator::Other => format!("it must be {bound}, and differs by {by}"),
        }
    }
}

impl End {
    /// What is judged, in words.
    pub(super) fn of(self, measure: &str) -> String {
        match self {
            End::Value => measure.to_owned(),
            End::Low => format!("the lower end of {measure}"),
            End::High => format!("the upper end of {measure}"),
            End::N => format!("the number of inputs of {measure}"),
        }
    }
}

/// A name without regard to case and punctuation, as it is written in a threshold.
pub(super) fn normal(name: &str) -> String {
    let mut normal = String::new();
    for character in name.trim().chars() {
        match character {
            character if character.is_alphanumeric() || character == '.' || character == '@' => {
                normal.extend(character.to_lowercase())
            }
            _ if normal.ends_with('-') || normal.is_empty() => (),
            _ => normal.push('-'),
        }
    }
    normal.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use measure::Interval;

    use super::*;

    fn readings() -> Vec<Reading> {
        let reading = |attack: &str, measure: &str, value: f64| Reading {
            place: vec![attack.to_owned()],
            measure: measure.to_owned(),
            value: Some(value),
            interval: Some(Interval { low: value - 0.1, high: value + 0.1 }),
            n: Some(40),
        };
        vec![
            reading("random-k", "attack success rate, valid", 0.3),
            reading("beam", "attack success rate, valid", 0.5),
            reading("beam", "confident agreement at 0.8, violation", 0.2),
        ]
    }

    /// For which attacks a threshold is true.
    fn broken(threshold: &str) -> Result<Vec<String>, String> {
        let (condition, readings): (Condition, _) = (threshold.parse()?, readings());
        let about = condition.matching(&readings)?;
        let is_broken = |reading: &&&Reading| condition.value(reading).is_some_and(|value| condition.holds(value));
        Ok(about.iter().filter(is_broken).map(|reading| reading.place.join("/")).collect())
    }

    #[test]
    fn thresholds_are_about_values_and_ends() {
        let cases: [(&str, &[&str]); 12] = [
            ("success-rate > 0.2", &["random-k", "beam"]),
            ("attack success rate, valid>0.4", &["beam"]),
            ("ASR >= 50%", &["beam"]),
            ("asr > 50 %", &[]),
            ("success-rate.high > 0.35", &["random-k", "beam"]),
            ("success-rate.low > 0.35", &["beam"]),
            ("random-k/success-rate <= 0.3", &["random-k"]),
            ("beam/success-rate < 0.3", &[]),
            ("success-rate.n < 100", &["random-k", "beam"]),
            ("success-rate == 0.5", &["beam"]),
            ("success-rate != 0.5", &["random-k"]),
            ("confident-agreement-at-0.8-violation > -1e-3", &["beam"]),
        ];
        for (threshold, attacks) in cases {
            assert_eq!(
                broken(threshold).as_deref(),
                Ok(&attacks.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()[..]),
                "{threshold}"
            );
        }
    }

    #[test]
    fn mistakes_are_told_with_what_was_meant() {
        let cases = [
            ("succes-rate > 0.2", "did you mean success-rate"),
            ("success-rate 0.2", "there is no >"),
            ("success-rate > x", "`x` is not a number"),
            ("success-rate > nan", "`nan` is not a number"),
            ("> 3", "it names no measure"),
            ("bean/success-rate > 0.2", "did you mean beam?"),
            ("x/success-rate > 0.2", "there are: beam, random-k"),
            ("nothing-like-it > 0.2", "--list shows all"),
        ];
        for (threshold, words) in cases {
            let said = broken(threshold).unwrap_err();
            assert!(said.contains(words), "{threshold}: {said}");
        }
    }

    #[test]
    fn it_says_by_how_much() {
        let said = |threshold: &str, value: f64| threshold.parse::<Condition>().unwrap().excess(value);
        assert_eq!(said("x > 0.2", 0.25), "it must not be above 0.2000, and is by 0.0500");
        assert_eq!(said("x < 50 %", 0.25), "it must not be below 0.5000, and is by 0.2500");
    }
}
