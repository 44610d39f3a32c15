//! The summary of a model that predicts names.

use super::{Summary, UNIT, numbers_of};
use crate::metrics::{Words, certainty, reciprocal_rank, scores, subtoken_counts};
use crate::statistics::{Bootstrap, Sums};

/// Exact match, MRR, percentage-MRR, and the scores of the words that names are made of.
///
/// Each prediction is a list of names with their certainty, the most certain first. An empty list is a wrong answer. Undefined
/// for lists whose lengths differ.
pub fn names<Name, Certainty>(
    predicted: &[Vec<(Name, Certainty)>],
    truth: &[Name],
    inputs: Option<&[usize]>,
    bootstrap: &Bootstrap,
) -> Option<Summary>
where
    Name: AsRef<str> + PartialEq,
    Certainty: Into<f64> + Copy,
{
    let numbers = numbers_of(inputs, truth.len())?;
    if predicted.len() != truth.len() {
        return None;
    }
    let mut summary = Summary::default();
    let pairs = || predicted.iter().zip(truth);
    let first = |predicted: &'_ Vec<(Name, Certainty)>, truth: &Name| {
        f64::from(u8::from(predicted.first().is_some_and(|(name, _)| name == truth)))
    };
    let exact: Vec<Option<f64>> = pairs().map(|(predicted, truth)| Some(first(predicted, truth))).collect();
    summary.push_share("exact match", &exact, inputs, bootstrap);
    let rank = |(predicted, truth): (&Vec<(Name, Certainty)>, &Name)| {
        let ranked: Vec<&str> = predicted.iter().map(|(name, _)| name.as_ref()).collect();
        Some(reciprocal_rank(&ranked, &truth.as_ref()))
    };
    summary.push_score("mrr", &pairs().map(rank).collect::<Vec<_>>(), inputs, bootstrap);
    let certain: Vec<Option<f64>> = pairs().map(|(predicted, truth)| Some(certainty(predicted, truth))).collect();
    summary.push_score("percentage mrr", &certain, inputs, bootstrap);
    let mut sums = Sums::new(numbers.count, 3);
    for (row, (predicted, truth)) in pairs().enumerate() {
        let name = predicted.first().map_or("", |(name, _)| name.as_ref());
        for (cell, count) in subtoken_counts(name, truth.as_ref(), Words::Multisets).into_iter().enumerate() {
            sums.add(numbers.of(row), cell, count);
        }
    }
    let measures = ["subtoken precision", "subtoken recall", "subtoken f1"];
    summary.push_all(UNIT, measures.map(|measure| (measure, truth.len())), &sums, bootstrap, |cells| {
        let scores = scores(cells[0], cells[1], cells[2]);
        [scores.precision, scores.recall, scores.f1]
    });
    Some(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_are_those_of_the_measures() {
        let predicted = vec![vec![("monkey", 0.35f32), ("cat", 0.15)], vec![("getSubscriberName", 1.0)], vec![]];
        let summary = names(&predicted, &["cat", "getName", "x"], None, &Bootstrap::default()).unwrap();
        let close = |measure: &str, value: f64| assert!((summary.value(measure).unwrap() - value).abs() < 1e-7);
        close("exact match", 0.0);
        close("mrr", 0.5 / 3.0);
        close("percentage mrr", 0.05);
        close("subtoken precision", 0.5);
        close("subtoken recall", 0.5);
        assert_eq!(names(&predicted, &["cat"], None, &Bootstrap::default()), None);
    }
}
