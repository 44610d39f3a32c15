//! What a model knows: its answers to a data set, and the measures of the task.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use measure::metrics::{Confusion, confusion_table};
use measure::summary::{classification, input_numbers, names, search, texts};
use measure::{Bootstrap, Summary};
use model::{Answer, Code, Fault, Input, Model, Prediction};

use crate::examples::{Examples, Question, Task, Truth};
use crate::run::cluster;
use crate::work::{Event, Watcher, WorkError};

/// The answers of a model to a data set, in the order of its examples. There are fewer when it was stopped.
pub struct Evaluation {
    pub answers: Vec<Result<Answer, Fault>>,
    /// How long the model took.
    pub time: Duration,
}

/// What the answers say about the model.
pub struct Quality {
    /// The measures of the task, each with its interval.
    pub summary: Summary,
    /// How often each class was taken for each other, where there are classes.
    pub confusion: Option<Confusion>,
    /// How many examples the measures are about.
    pub measured: usize,
    /// How many inputs were longer than what the model sees, of those whose length is known.
    pub truncated: Option<(usize, usize)>,
}

/// Why answers cannot be measured.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum Unmeasurable {
    /// The model and the data set disagree about the classes.
    #[error(
        "the model knows {model} classes, but the data set has {data} labels: name the model's classes in their order with --labels{}",
        names.as_ref().map(|names| format!(" {}", names.join(","))).unwrap_or_default()
    )]
    Classes {
        /// The classes of the model.
        model: usize,
        /// The labels of the data set.
        data: usize,
        /// The names of the model's classes, if known.
        names: Option<Vec<String>>,
    },
    /// The model gives something that says nothing about the truth.
    #[error("the model answers with {given}, but the task {task} is about {wanted}")]
    Kind {
        /// What the model gives.
        given: &'static str,
        task: &'static str,
        /// What would be needed.
        wanted: &'static str,
    },
    /// No example has both an answer and a truth.
    #[error("no example has both an answer and a known truth")]
    Nothing,
}

/// Queries a model on every example of a data set; a stop is obeyed between batches.
///
/// ```
/// use campaign::evaluate::{evaluate, quality};
/// use campaign::plan::DataPlan;
/// use campaign::work::{open_model, read_examples};
///
/// let data = DataPlan { path: "../../fixtures/programs/problems".into(), limit: Some(5), ..DataPlan::default() };
/// let examples = read_examples(&data, &())?;
/// let evaluation = evaluate(open_model("builtin:problems")?.as_ref(), &examples, &());
/// let quality = quality(&examples, &evaluation, &measure::Bootstrap::default())?;
/// assert_eq!(quality.measured, 5);
/// # Ok::<(), campaign::work::WorkError>(())
/// ```
pub fn evaluate(model: &dyn Model, examples: &Examples, watcher: &dyn Watcher) -> Evaluation {
    let start = Instant::now();
    let all: Vec<usize> = (0..examples.items.len()).collect();
    watcher.tell(Event::Stage("querying the model", Some(all.len())));
    Evaluation { answers: answers(model, examples, &all, watcher), time: start.elapsed() }
}

/// The answers to some examples. There are fewer when it was stopped, which is obeyed between batches.
pub(crate) fn answers(
    model: &dyn Model,
    examples: &Examples,
    chosen: &[usize],
    watcher: &dyn Watcher,
) -> Vec<Result<Answer, Fault>> {
    let mut answers = Vec::with_capacity(chosen.len());
    for some in chosen.chunks(model.together().max(1)) {
        if watcher.should_stop() {
            break;
        }
        let inputs: Vec<Input> = some.iter().map(|place| examples.input(&examples.items[*place])).collect();
        answers.extend(model.predict(&inputs));
        watcher.tell(Event::Steps(some.len()));
    }
    answers
}

/// Where a model answers nothing at all, that is what is wrong.
pub fn check_answers(answers: &[Result<Answer, Fault>]) -> Result<(), WorkError> {
    match answers.first() {
        Some(Err(fault)) if answers.iter().all(Result::is_err) => {
            Err(WorkError::NoAnswers { count: answers.len(), fault: fault.to_string() })
        }
        _ => Ok(()),
    }
}

/// Measures answers by the task of the data set.
pub fn quality(examples: &Examples, evaluation: &Evaluation, bootstrap: &Bootstrap) -> Result<Quality, Unmeasurable> {
    let rows: Vec<(usize, &Truth, &Prediction)> = examples
        .items
        .iter()
        .zip(&evaluation.answers)
        .enumerate()
        .filter_map(|(row, (example, answer))| Some((row, &example.truth, &answer.as_ref().ok()?.prediction)))
        .filter(|(_, truth, _)| **truth != Truth::Unknown)
        .collect();
    let (_, truth, prediction) = rows.first().ok_or(Unmeasurable::Nothing)?;
    let wrong = |wanted| Unmeasurable::Kind { given: kind(prediction), task: examples.task.name(), wanted };
    let clusters: Vec<String> = rows.iter().map(|(row, ..)| cluster(&examples.items[*row])).collect();
    let inputs = input_numbers(clusters.iter().map(String::as_str));
    let inputs = Some(inputs.as_slice());
    let mut confusion = None;
    let summary = match (truth, prediction) {
        (Truth::Class(_), Prediction::Classes(_)) => {
            let (mut predicted, mut truths) = (Vec::new(), Vec::new());
            let (mut confidence, mut positive) = (Vec::new(), Vec::new());
            let labels = examples.labels.len();
            for (_, truth, prediction) in &rows {
                let (Truth::Class(truth), Prediction::Classes(probabilities)) = (truth, prediction) else {
                    return Err(wrong("classes"));
                };
                if probabilities.len() != labels {
                    return Err(Unmeasurable::Classes { model: probabilities.len(), data: labels, names: None });
                }
                let class = prediction.class().unwrap_or_default();
                predicted.push(class);
                truths.push(*truth);
                confidence.push((probabilities[class] as f64).clamp(0.0, 1.0));
                positive.extend(probabilities.get(1).map(|share| f64::from(*share).clamp(0.0, 1.0)));
            }
            confusion = confusion_table(&predicted, &truths, labels);
            let positive = (labels == 2).then_some(positive.as_slice());
            classification(&predicted, &truths, Some(&confidence), positive, labels, inputs, bootstrap)
        }
        (Truth::Name(_), Prediction::Names(_) | Prediction::Text(_)) => {
            let (mut predicted, mut truths) = (Vec::new(), Vec::new());
            for (_, truth, prediction) in &rows {
                let Truth::Name(truth) = truth else { return Err(wrong("names")) };
                predicted.push(match prediction {
                    Prediction::Names(names) => names.clone(),
                    Prediction::Text(text) => vec![(text.trim().to_owned(), 1.0)],
                    Prediction::Classes(_) | Prediction::Embedding(_) => return Err(wrong("names")),
                });
                truths.push(truth.clone());
            }
            names(&predicted, &truths, inputs, bootstrap)
        }
        (Truth::Text(_), Prediction::Text(_)) => {
            let (mut predicted, mut truths) = (Vec::new(), Vec::new());
            for (_, truth, prediction) in &rows {
                let (Truth::Text(truth), Prediction::Text(text)) = (truth, prediction) else {
                    return Err(wrong("texts"));
                };
                predicted.push(text.as_str());
                truths.push(truth.as_str());
            }
            texts(&predicted, &truths, inputs, bootstrap)
        }
        (Truth::Class(_), _) => return Err(wrong("classes")),
        (Truth::Name(_), _) => return Err(wrong("names")),
        (Truth::Text(_), _) => return Err(wrong("texts")),
        (Truth::Unknown, _) => return Err(Unmeasurable::Nothing),
    };
    let tokens: Vec<_> = evaluation.answers.iter().flatten().filter_map(|answer| answer.tokens).collect();
    let cut = tokens.iter().filter(|tokens| tokens.seen < tokens.all).count();
    Ok(Quality {
        summary: summary.ok_or(Unmeasurable::Nothing)?,
        confusion,
        measured: rows.len(),
        truncated: (!tokens.is_empty()).then_some((cut, tokens.len())),
    })
}

/// How well a model that embeds texts finds the code that answers a question: every question is compared with all codes of the data
/// set, and the rank of its own counts. `None` when the model embeds nothing, or the task is another.
pub fn search_quality(model: &dyn Model, examples: &Examples, bootstrap: &Bootstrap) -> Option<Result<Summary, Fault>> {
    if examples.task != Task::CodeSearch {
        return None;
    }
    // Codes that are the same are one answer.
    let mut place: HashMap<&Code, usize> = HashMap::new();
    let mut codes = Vec::new();
    let (mut questions, mut own) = (Vec::new(), Vec::new());
    for example in &examples.items {
        let Question::CodeAndText(program, text) = &example.question else { continue };
        let code = &examples.programs[*program].code;
        let number = *place.entry(code).or_insert_with(|| {
            codes.push(Input::Code(code.clone()));
            codes.len() - 1
        });
        // A pair that does not match is only one more code to be found by mistake.
        if example.truth == Truth::Class(1) {
            questions.push(Input::Code(Code { language: code.language, text: text.clone() }));
            own.push(number);
        }
    }
    let vectors = |inputs: &[Input]| -> Option<Result<Vec<Vec<f32>>, Fault>> {
        Some(model.embed(inputs)?.into_iter().map(|vector| vector.map(normed)).collect())
    };
    let ranks = || -> Option<Result<Vec<usize>, Fault>> {
        let (codes, questions) = match (vectors(&codes)?, vectors(&questions)?) {
            (Ok(codes), Ok(questions)) => (codes, questions),
            (Err(fault), _) | (_, Err(fault)) => return Some(Err(fault)),
        };
        let likeness = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
        let rank = |(question, own): (&Vec<f32>, &usize)| {
            let best = likeness(question, &codes[*own]);
            1 + codes.iter().filter(|code| likeness(question, code) > best).count()
        };
        Some(Ok(questions.iter().zip(&own).map(rank).collect()))
    };
    let ranks = match ranks()? {
        Ok(ranks) => ranks,
        Err(fault) => return Some(Err(fault)),
    };
    search(&ranks, None, bootstrap).map(Ok)
}

fn normed(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    vector.into_iter().map(|number| number / length).collect()
}

fn kind(prediction: &Prediction) -> &'static str {
    match prediction {
        Prediction::Classes(_) => "classes",
        Prediction::Names(_) => "names",
        Prediction::Text(_) => "texts",
        Prediction::Embedding(_) => "embeddings",
    }
}
