//! A model that is opened by its name.

use std::sync::Arc;

use campaign::work::open_model as open_by_name;
use model::{Code, Fault, Input, Model, Prediction};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyTuple};
use serde_json::json;
use syntax::Language;

use crate::background;
use crate::failure::Failure;

/// What Python gets of a model: its identity as JSON, the names of its classes, and the functions `predict` and `embed`, which take inputs
/// and a language.
type Opened = (String, Option<Vec<String>>, Py<PyCFunction>, Py<PyCFunction>);

/// Opens a model by its name.
pub fn open_model(arguments: &Bound<'_, PyTuple>) -> PyResult<Opened> {
    let py = arguments.py();
    let (name,) = arguments.extract::<(String,)>()?;
    let model: Arc<dyn Model> = Arc::from(background::work(py, None, move |_| Ok(open_by_name(&name)?))?);
    let identity = json!(model.identity()).to_string();
    let labels = model.labels().map(<[String]>::to_vec);
    let theirs = Arc::clone(&model);
    let predict =
        PyCFunction::new_closure(py, Some(c"predict"), None, move |arguments, _| predict(&theirs, arguments))?;
    let embed = PyCFunction::new_closure(py, Some(c"embed"), None, move |arguments, _| embed(&model, arguments))?;
    Ok((identity, labels, predict.unbind(), embed.unbind()))
}

/// Answers: probabilities, names with probabilities, or a text for each input.
fn predict(model: &Arc<dyn Model>, arguments: &Bound<'_, PyTuple>) -> PyResult<Vec<Py<PyAny>>> {
    let (py, model, inputs) = (arguments.py(), Arc::clone(model), inputs(arguments)?);
    let answers = background::work(py, None, move |_| {
        Ok(model.predict(&inputs).into_iter().collect::<Result<Vec<_>, Fault>>()?)
    })?;
    let object = |prediction: Prediction| match prediction {
        Prediction::Classes(numbers) | Prediction::Embedding(numbers) => numbers.into_py_any(py),
        Prediction::Names(names) => names.into_py_any(py),
        Prediction::Text(text) => text.into_py_any(py),
    };
    answers.into_iter().map(|answer| object(answer.prediction)).collect()
}

/// The embedding of every input; nothing if the model has no encoder.
fn embed(model: &Arc<dyn Model>, arguments: &Bound<'_, PyTuple>) -> PyResult<Option<Vec<Vec<f32>>>> {
    let (model, inputs) = (Arc::clone(model), inputs(arguments)?);
    background::work(arguments.py(), None, move |_| {
        let Some(vectors) = model.embed(&inputs) else { return Ok(None) };
        Ok(Some(vectors.into_iter().collect::<Result<Vec<_>, Fault>>()?))
    })
}

/// Programs, or pairs of programs, in a language.
fn inputs(arguments: &Bound<'_, PyTuple>) -> PyResult<Vec<Input>> {
    let (given, language) = arguments.extract::<(Vec<Bound<'_, PyAny>>, String)>()?;
    let language = language_of(&language).map_err(|failure| failure.raise(arguments.py(), None))?;
    let code = |text: String| Code { language, text };
    let input = |given: Bound<'_, PyAny>| -> PyResult<Input> {
        if let Ok(text) = given.extract::<String>() {
            return Ok(Input::Code(code(text)));
        }
        let (one, other) = given.extract::<(String, String)>()?;
        Ok(Input::Pair(code(one), code(other)))
    };
    given.into_iter().map(input).collect()
}

/// Reads the name of a language.
pub fn language_of(name: &str) -> Result<Language, Failure> {
    name.parse().map_err(|error: syntax::language::UnknownLanguage| Failure::usage(error))
}
