//! A Python function as a model.

use std::sync::Arc;

use model::{Answer, Code, Fault, Identity, Input, Model, Prediction};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::background::Listener;

/// How far from one the sum of the probabilities of an answer may be. Single precision and half precision add up to less than this.
const TOLERANCE: f64 = 0.01;

/// A model that is an object of `allotrope.models.Callable`, whose methods have plain lists as results.
pub struct Callable {
    identity: Identity,
    predict: Py<PyAny>,
    embed: Option<Py<PyAny>>,
    labels: Option<Vec<String>>,
    together: usize,
    listener: Arc<Listener>,
}

/// What is known about a model before the work begins.
pub struct Described {
    identity: Identity,
    predict: Py<PyAny>,
    embed: Option<Py<PyAny>>,
    labels: Option<Vec<String>>,
    together: usize,
}

impl Described {
    /// Reads the attributes of an object.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Described> {
        let text = |name: &str| object.getattr(name)?.extract::<String>();
        let place = text("name")?;
        let embed = object.getattr("embed")?;
        Ok(Described {
            identity: Identity {
                kind: "python".to_owned(),
                digest: text("digest")?,
                varies: object.getattr("varies")?.extract()?,
                place,
            },
            predict: object.getattr("predict")?.unbind(),
            embed: (!embed.is_none()).then(|| embed.unbind()),
            labels: object.getattr("labels")?.extract()?,
            together: object.getattr("batch")?.extract()?,
        })
    }

    /// The name of the model in plans.
    pub fn name(&self) -> String {
        format!("{}:{}", self.identity.kind, self.identity.place)
    }

    /// The model. The listener hears what the function raises.
    pub fn model(self, listener: &Arc<Listener>) -> Callable {
        let Described { identity, predict, embed, labels, together } = self;
        Callable { identity, predict, embed, labels, together, listener: Arc::clone(listener) }
    }
}

impl Model for Callable {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        let read = |answer: &Bound<'_, PyAny>| {
            let prediction = prediction(answer)?;
            Ok(Answer { prediction, tokens: None })
        };
        self.call(&self.predict, inputs, read)
    }

    fn together(&self) -> usize {
        self.together
    }

    fn labels(&self) -> Option<&[String]> {
        self.labels.as_deref()
    }

    fn embed(&self, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
        let embed = self.embed.as_ref()?;
        let read = |answer: &Bound<'_, PyAny>| match answer.extract::<Vec<f64>>() {
            Ok(vector) => finite(vector.into_iter().map(|number| number as f32).collect()),
            Err(_) => Err(Fault::WrongShape("an embedding is a list of numbers".to_owned())),
        };
        Some(self.call(embed, inputs, read))
    }
}

impl Callable {
    /// Calls a function with a batch, and reads the answer to each of the inputs.
    fn call<Read>(
        &self,
        function: &Py<PyAny>,
        inputs: &[Input],
        read: impl Fn(&Bound<'_, PyAny>) -> Result<Read, Fault>,
    ) -> Vec<Result<Read, Fault>> {
        let called = Python::attach(|py| {
            let list = PyList::new(py, inputs.iter().map(|input| given(py, input)).collect::<PyResult<Vec<_>>>()?)?;
            let answers = function.bind(py).call1((list,))?;
            answers.try_iter()?.map(|answer| Ok(read(&answer?))).collect::<PyResult<Vec<_>>>()
        });
        let fault = match called {
            Ok(answers) if answers.len() == inputs.len() => return answers,
            Ok(answers) => {
                Fault::WrongShape(format!("{} answers to a batch of {} inputs", answers.len(), inputs.len()))
            }
            Err(error) => Python::attach(|py| {
                self.listener.note(py, &error);
                Fault::Failed(error.to_string())
            }),
        };
        inputs.iter().map(|_| Err(fault.clone())).collect()
    }
}

/// An input as the function gets it: the program, or a pair of texts.
fn given<'py>(py: Python<'py>, input: &Input) -> PyResult<Bound<'py, PyAny>> {
    let pair = |one: &str, other: &str| PyTuple::new(py, [one, other]).map(Bound::into_any);
    match input {
        Input::Code(Code { text, .. }) => Ok(PyString::new(py, text).into_any()),
        Input::Pair(one, other) => pair(&one.text, &other.text),
        Input::CodeAndText(code, text) => pair(&code.text, text),
    }
}

/// Probabilities of classes, names with their probabilities, or a text.
fn prediction(answer: &Bound<'_, PyAny>) -> Result<Prediction, Fault> {
    if let Ok(text) = answer.extract::<String>() {
        return Ok(Prediction::Text(text));
    }
    if let Ok(probabilities) = answer.extract::<Vec<f64>>() {
        let sum: f64 = probabilities.iter().sum();
        if !sum.is_finite() {
            return Err(Fault::NotFinite);
        }
        let is_share = probabilities.len() > 1 && probabilities.iter().all(|share| *share >= 0.0);
        return match is_share && (sum - 1.0).abs() <= TOLERANCE {
            true => finite(probabilities.into_iter().map(|share| share as f32).collect()).map(Prediction::Classes),
            false => Err(Fault::WrongShape(format!(
                "{probabilities:?} are not the probabilities of two or more classes, which add up to one: apply softmax to scores"
            ))),
        };
    }
    if let Ok(names) = answer.extract::<Vec<(String, f64)>>() {
        return Ok(Prediction::Names(names.into_iter().map(|(name, share)| (name, share as f32)).collect()));
    }
    let kind = answer.get_type().to_string();
    Err(Fault::WrongShape(format!(
        "an answer is a list of probabilities, a list of names with their probabilities, or a text, and not {kind}"
    )))
}

fn finite(numbers: Vec<f32>) -> Result<Vec<f32>, Fault> {
    if numbers.iter().all(|number| number.is_finite()) { Ok(numbers) } else { Err(Fault::NotFinite) }
}
