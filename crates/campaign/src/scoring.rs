//! What the answers of a model to a form of a data set are worth: measures of the whole, and the score of each input.

use std::str::FromStr;

use manual::closest;
use measure::metrics::{
    Words, binary_scores, confusion_table, cosine_similarity, jaccard_distance_of, macro_scores, scores,
    subtoken_counts, subtokens,
};
use model::Prediction;
use search::{Measure, first as top};
use serde::{Deserialize, Serialize};

use crate::evaluate::Unmeasurable;
use crate::examples::{Examples, Truth};

/// A measure of a form of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// The share of right answers: the class, the first name, the very text.
    Accuracy,
    /// F1: of class 1 where there are two, macro F1 of more, of the words of names.
    F1,
    /// Precision, in the same sense.
    Precision,
    /// Recall, in the same sense.
    Recall,
    /// The mean of 1 by the rank of the truth.
    Mrr,
    /// The mean certainty of the truth.
    PercentageMrr,
    /// The mean of 1 / (d + 1), where d is the edit distance of answer and truth.
    EditDistance,
    /// The mean of the smoothed BLEU-4 of each text, between 0 and 1.
    Bleu,
    /// The mean of the ROUGE-L F1 of each text.
    RougeL,
    /// The mean cosine of the embeddings before and after.
    Cosine,
    /// How many rewrites the list has.
    NumberOfTransformations,
    /// The mean number of letters of an input's programs.
    InputLength,
    /// The mean number of letters of the answer.
    PredictionLength,
}

impl Metric {
    /// Every measure with its name.
    pub const NAMES: [(&'static str, Metric); 13] = [
        ("accuracy", Metric::Accuracy),
        ("f1", Metric::F1),
        ("precision", Metric::Precision),
        ("recall", Metric::Recall),
        ("mrr", Metric::Mrr),
        ("percentage-mrr", Metric::PercentageMrr),
        ("edit-distance", Metric::EditDistance),
        ("bleu", Metric::Bleu),
        ("rouge-l", Metric::RougeL),
        ("cosine", Metric::Cosine),
        ("number-of-transformations", Metric::NumberOfTransformations),
        ("input-length", Metric::InputLength),
        ("prediction-length", Metric::PredictionLength),
    ];

    /// The name in commands and records.
    pub fn name(self) -> &'static str {
        Metric::NAMES.iter().find(|(_, metric)| *metric == self).map_or("", |(name, _)| name)
    }

    /// The measures of a model that answers like this.
    pub fn of(output: Output) -> Vec<Metric> {
        use Metric::*;
        let primary: &[Metric] = match output {
            Output::Classes => &[Accuracy, F1, Precision, Recall, Mrr, PercentageMrr],
            Output::Names => &[Accuracy, F1, Precision, Recall, Mrr, PercentageMrr, EditDistance, PredictionLength],
            Output::Text => &[Accuracy, EditDistance, Bleu, RougeL, PredictionLength],
            Output::Embedding => &[Cosine],
        };
        primary.iter().copied().chain([NumberOfTransformations, InputLength]).collect()
    }
}

impl FromStr for Metric {
    type Err = String;

    fn from_str(name: &str) -> Result<Metric, String> {
        let known = Metric::NAMES.iter().find(|(known, _)| *known == name);
        known.map(|(_, metric)| *metric).ok_or_else(|| {
            let near = closest(name, Metric::NAMES.iter().map(|(known, _)| *known));
            let hint = near.first().map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
            let all: Vec<&str> = Metric::NAMES.iter().map(|(known, _)| *known).collect();
            format!("there is no measure `{name}`{hint}; there are {}", all.join(", "))
        })
    }
}

/// What a model answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Probabilities of classes.
    Classes,
    /// Ranked names.
    Names,
    /// Texts.
    Text,
    /// Vectors.
    Embedding,
}

impl Output {
    /// What a prediction is.
    pub fn of(prediction: &Prediction) -> Output {
        match prediction {
            Prediction::Classes(_) => Output::Classes,
            Prediction::Names(_) => Output::Names,
            Prediction::Text(_) => Output::Text,
            Prediction::Embedding(_) => Output::Embedding,
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Output::Classes => "classes",
            Output::Names => "names",
            Output::Text => "texts",
            Output::Embedding => "embeddings",
        }
    }
}

/// An input with its answers.
#[derive(Clone, Copy)]
pub struct Row<'r> {
    /// What is true.
    pub truth: &'r Truth,
    /// What the model said about the input as it was.
    pub before: &'r Prediction,
    /// What it says now.
    pub after: &'r Prediction,
}

/// Do the answers say anything about the truths of a data set? Inputs whose truth is unknown are no obstacle to embeddings.
pub fn check(examples: &Examples, truth: &Truth, prediction: &Prediction) -> Result<(), Unmeasurable> {
    let (given, task) = (Output::of(prediction).name(), examples.task.name());
    let wrong = |wanted| Err(Unmeasurable::Kind { given, task, wanted });
    match (truth, prediction) {
        (_, Prediction::Embedding(_)) => Ok(()),
        (Truth::Class(_), Prediction::Classes(classes)) if classes.len() == examples.labels.len() => Ok(()),
        (Truth::Class(_), Prediction::Classes(classes)) => {
            Err(Unmeasurable::Classes { model: classes.len(), data: examples.labels.len(), names: None })
        }
        (Truth::Name(_), Prediction::Names(_) | Prediction::Text(_)) => Ok(()),
        (Truth::Text(_), Prediction::Text(_)) => Ok(()),
        (Truth::Class(_), _) => wrong("classes"),
        (Truth::Name(_), _) => wrong("names"),
        (Truth::Text(_), _) => wrong("texts"),
        (Truth::Unknown, _) => Err(Unmeasurable::Nothing),
    }
}

/// A measure of answers. Undefined for those that are about something else, and for none at all.
///
/// `labels` is the number of classes. What is not about answers, [`Metric::NumberOfTransformations`] and
/// [`Metric::InputLength`], is not known here.
pub fn value(metric: Metric, rows: &[Row<'_>], labels: usize) -> Option<f64> {
    match metric {
        Metric::Accuracy => mean(rows, |row| Some(f64::from(u8::from(is_right(row)?)))),
        Metric::F1 => three(rows, labels)?.f1,
        Metric::Precision => three(rows, labels)?.precision,
        Metric::Recall => three(rows, labels)?.recall,
        Metric::Mrr => mean(rows, reciprocal_rank),
        Metric::PercentageMrr => mean(rows, certainty),
        Metric::EditDistance => mean(rows, |row| of_words(Measure::EditDistance, row)),
        Metric::Bleu => mean(rows, |row| of_words(Measure::Bleu, row)),
        Metric::RougeL => mean(rows, |row| of_words(Measure::RougeL, row)),
        Metric::Cosine => mean(rows, cosine),
        Metric::PredictionLength => mean(rows, |row| Some(top(row.after)?.chars().count() as f64)),
        Metric::NumberOfTransformations | Metric::InputLength => None,
    }
}

/// How good the answer about one input is, between 0 and 1: the certainty of the true class, the F1 of the words of a name, the
/// smoothed BLEU-4 of a text, the cosine with the embedding before. Where no class is true, the one before is taken for it.
pub fn score(row: &Row<'_>) -> Option<f64> {
    match (row.truth, row.after) {
        (Truth::Class(_), Prediction::Classes(_)) => certainty(row),
        (Truth::Unknown, Prediction::Classes(classes)) => {
            Some(f64::from(*classes.get(row.before.class()?)?)).filter(|value| value.is_finite())
        }
        (Truth::Name(_), Prediction::Names(_) | Prediction::Text(_)) => of_words(Measure::F1, row),
        (Truth::Text(_), Prediction::Text(_)) => of_words(Measure::Bleu, row),
        (_, Prediction::Embedding(_)) => cosine(row),
        _ => None,
    }
}

/// How different the answers before and after are, between 0 and 1: half the sum of the differences of the probabilities, the
/// Jaccard distance of the words of names and texts, 1 - the cosine of embeddings.
pub fn distance(before: &Prediction, after: &Prediction) -> Option<f64> {
    match (before, after) {
        (Prediction::Classes(before), Prediction::Classes(after)) if before.len() == after.len() => {
            let differences = before.iter().zip(after).map(|(one, other)| f64::from((one - other).abs()));
            Some(0.5 * differences.sum::<f64>())
        }
        (Prediction::Names(_), Prediction::Names(_)) => {
            let words = |prediction: &Prediction| subtokens(top(prediction).unwrap_or("")).join(" ");
            jaccard_distance_of(&words(before), &words(after))
        }
        (Prediction::Text(before), Prediction::Text(after)) => jaccard_distance_of(before, after),
        (Prediction::Embedding(before), Prediction::Embedding(after)) => Some(1.0 - cosine_similarity(before, after)?),
        _ => None,
    }
}

/// Is the answer another one: another class, another first name, another text, a vector that points elsewhere?
pub fn is_other(before: &Prediction, after: &Prediction) -> bool {
    match (before, after) {
        (Prediction::Classes(_), Prediction::Classes(_)) => before.class() != after.class(),
        (Prediction::Embedding(_), Prediction::Embedding(_)) => {
            distance(before, after).is_none_or(|distance| distance > 1e-6)
        }
        _ => top(before) != top(after),
    }
}

/// A measure of the first name, or of the text.
fn of_words(measure: Measure, row: &Row<'_>) -> Option<f64> {
    measure.of_words(top(row.after)?, wanted(row.truth)?)
}

fn wanted(truth: &Truth) -> Option<&str> {
    match truth {
        Truth::Name(text) | Truth::Text(text) => Some(text),
        Truth::Class(_) | Truth::Unknown => None,
    }
}

fn is_right(row: &Row<'_>) -> Option<bool> {
    match row.truth {
        Truth::Class(truth) => Some(row.after.class()? == *truth),
        _ => Some(top(row.after)? == wanted(row.truth)?),
    }
}

fn certainty(row: &Row<'_>) -> Option<f64> {
    match (row.truth, row.after) {
        (Truth::Class(truth), Prediction::Classes(classes)) => Some(f64::from(*classes.get(*truth)?)),
        (Truth::Name(truth), Prediction::Names(names)) => Some(measure::metrics::certainty(names, truth)),
        (Truth::Name(_), Prediction::Text(_)) => Some(f64::from(u8::from(is_right(row)?))),
        _ => None,
    }
}

fn reciprocal_rank(row: &Row<'_>) -> Option<f64> {
    match (row.truth, row.after) {
        (Truth::Class(truth), Prediction::Classes(classes)) => {
            let own = classes.get(*truth)?;
            // Of equal classes the first is ranked first, as when the most probable class is taken.
            let is_before =
                |(class, probability): (usize, &f32)| probability > own || (probability == own && class < *truth);
            let before = classes.iter().enumerate().filter(|(class, value)| is_before((*class, value))).count();
            Some(1.0 / (1.0 + before as f64))
        }
        (Truth::Name(truth), Prediction::Names(names)) => {
            let ranked: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
            Some(measure::metrics::reciprocal_rank(&ranked, &truth.as_str()))
        }
        (Truth::Name(_), Prediction::Text(_)) => Some(f64::from(u8::from(is_right(row)?))),
        _ => None,
    }
}

fn cosine(row: &Row<'_>) -> Option<f64> {
    match (row.before, row.after) {
        (Prediction::Embedding(before), Prediction::Embedding(after)) => cosine_similarity(before, after),
        _ => None,
    }
}

/// Precision, recall and F1.
fn three(rows: &[Row<'_>], labels: usize) -> Option<measure::metrics::Scores> {
    match rows.first()?.after {
        Prediction::Classes(_) => {
            let class = |row: &Row<'_>| match row.truth {
                Truth::Class(truth) => Some((row.after.class()?, *truth)),
                _ => None,
            };
            let (predicted, truth): (Vec<usize>, Vec<usize>) = rows.iter().filter_map(class).unzip();
            let table = confusion_table(&predicted, &truth, labels)?;
            Some(if labels == 2 { binary_scores(&table, 1) } else { macro_scores(&table) })
        }
        Prediction::Names(_) | Prediction::Text(_) => {
            let mut sums = [0.0; 3];
            for row in rows {
                let Truth::Name(truth) = row.truth else { continue };
                let counts = subtoken_counts(top(row.after)?, truth, Words::Multisets);
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
            Some(scores(sums[0], sums[1], sums[2]))
        }
        Prediction::Embedding(_) => None,
    }
}

fn mean(rows: &[Row<'_>], value: impl Fn(&Row<'_>) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = rows.iter().filter_map(value).filter(|value| value.is_finite()).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: Option<f64>, value: f64) {
        assert!((found.unwrap() - value).abs() < 1e-6, "{found:?} is not {value}");
    }

    #[test]
    fn classes_have_the_measures_of_ranked_lists_too() {
        let truths = [Truth::Class(1), Truth::Class(0), Truth::Class(1), Truth::Class(2)];
        let answers = [[0.2, 0.5, 0.3], [0.3, 0.4, 0.3], [0.5, 0.2, 0.3], [0.1, 0.2, 0.7]];
        let answers = answers.map(|classes| Prediction::Classes(classes.to_vec()));
        let row = |(truth, after)| Row { truth, before: &answers[0], after };
        let rows: Vec<Row<'_>> = truths.iter().zip(&answers).map(row).collect();
        close(value(Metric::Accuracy, &rows, 3), 0.5);
        // Of two classes with the same probability the first is before the other.
        close(value(Metric::Mrr, &rows, 3), (1.0 + 0.5 + 1.0 / 3.0 + 1.0) / 4.0);
        close(value(Metric::PercentageMrr, &rows, 3), (0.5 + 0.3 + 0.2 + 0.7) / 4.0);
        close(value(Metric::F1, &rows, 3), (0.0 + 0.5 + 1.0) / 3.0);
        assert_eq!(value(Metric::EditDistance, &rows, 3), None);
        assert_eq!(value(Metric::F1, &[], 3), None);
        close(score(&rows[1]), 0.3);
        close(score(&Row { truth: &Truth::Unknown, ..rows[1] }), 0.4);
        close(distance(&answers[0], &answers[2]), 0.3);
        assert!(is_other(&answers[0], &answers[2]) && !is_other(&answers[0], &answers[1]));
    }

    #[test]
    fn two_classes_have_a_positive_one() {
        let answers = [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]].map(|classes| Prediction::Classes(classes.to_vec()));
        let truths = [Truth::Class(1), Truth::Class(1), Truth::Class(0)];
        let row = |(truth, after)| Row { truth, before: after, after };
        let rows: Vec<Row<'_>> = truths.iter().zip(&answers).map(row).collect();
        close(value(Metric::F1, &rows, 2), 0.5);
        close(value(Metric::Recall, &rows, 2), 0.5);
        // Where nothing is found, precision is undefined, and not 0.
        let rows = [Row { after: &answers[0], ..rows[0] }];
        assert_eq!(value(Metric::Precision, &rows, 2), None);
        close(value(Metric::F1, &rows, 2), 0.0);
    }

    #[test]
    fn the_thesis_counts_certainty_and_rank() {
        let names = [("monkey", 0.35), ("gorilla", 0.2), ("cat", 0.15), ("dog", 0.1)];
        let after = Prediction::Names(names.map(|(name, certainty)| (name.to_owned(), certainty)).to_vec());
        let truth = Truth::Name("cat".to_owned());
        let rows = [Row { truth: &truth, before: &after, after: &after }];
        close(value(Metric::Mrr, &rows, 0), 1.0 / 3.0);
        close(value(Metric::PercentageMrr, &rows, 0), 0.15);
        let name = Prediction::Names(vec![("getSubscriberName".to_owned(), 1.0)]);
        let truth = Truth::Name("getName".to_owned());
        let rows = [Row { truth: &truth, before: &name, after: &name }];
        close(value(Metric::F1, &rows, 0), 0.8);
        close(score(&rows[0]), 0.8);
        close(value(Metric::EditDistance, &rows, 0), 1.0 / 11.0);
        close(value(Metric::PredictionLength, &rows, 0), 17.0);
        let none = Prediction::Names(Vec::new());
        close(score(&Row { after: &none, ..rows[0] }), 0.0);
        close(distance(&name, &none), 1.0);
    }

    #[test]
    fn texts_and_embeddings_are_compared() {
        let truth = Truth::Text("returns the name of the user".to_owned());
        let (before, after) = ("returns the name of the user", "returns the user");
        let [before, after] = [before, after].map(|text| Prediction::Text(text.to_owned()));
        let rows = [Row { truth: &truth, before: &before, after: &after }];
        close(score(&Row { after: &before, ..rows[0] }), 1.0);
        assert!(value(Metric::Bleu, &rows, 0).unwrap() < 0.5 && value(Metric::RougeL, &rows, 0).unwrap() > 0.6);
        close(distance(&before, &after), 0.4);
        assert!(is_other(&before, &after));
        let [one, other] = [vec![1.0, 0.0], vec![1.0, 1.0]].map(Prediction::Embedding);
        close(score(&Row { truth: &Truth::Unknown, before: &one, after: &other }), 0.5f64.sqrt());
        assert!(is_other(&one, &other) && !is_other(&one, &one));
        assert_eq!("f1".parse(), Ok(Metric::F1));
        assert!("percentage-mr".parse::<Metric>().unwrap_err().contains("did you mean `percentage-mrr`"));
        for (name, metric) in Metric::NAMES {
            assert_eq!((name.parse(), metric.name()), (Ok(metric), name));
        }
    }
}
