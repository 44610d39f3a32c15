//! ONNX Runtime, through its own library, which is looked for when the first model is opened.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ort::environment::Environment;
use ort::session::{Session, SessionInputValue};
use ort::value::{Outlet, Tensor, TensorElementType};

use super::engine::{Array, Row, Slot};
use crate::endpoint::limits::Gate;
use crate::{Fault, OpenError};

/// A graph in ONNX Runtime.
///
/// A session computes one input at a time, on one thread, so that an answer depends on nothing else. Several sessions serve several
/// threads; each has weights of its own.
pub struct Runtime {
    file: PathBuf,
    inputs: Vec<Slot>,
    outputs: Vec<Slot>,
    types: Vec<TensorElementType>,
    gate: Gate,
    idle: Mutex<Vec<Session>>,
}

/// About the largest number of bytes that the weights of all sessions take together.
const MOST_WEIGHTS: u64 = 4 << 30;

/// There can be one environment in a process, and it lives as long.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

impl Runtime {
    /// Loads the library, if that was not done before, and reads a file.
    pub fn open(file: &Path) -> Result<Runtime, OpenError> {
        let environment = environment()?;
        let unusable = |problem: String| OpenError::Unusable { place: file.display().to_string(), problem };
        let session = session(&environment, file).map_err(|error| unusable(format!("it cannot be loaded: {error}")))?;
        let mut types = Vec::new();
        for input in session.inputs() {
            let kind = input.dtype().tensor_type();
            types.push(kind.filter(|kind| TYPES.contains(kind)).ok_or_else(|| {
                let (name, kind) = (input.name(), input.dtype());
                unusable(format!("its input `{name}` is {kind}; only integers and 32-bit floats are supported"))
            })?);
        }
        let slots = |outlets: &[Outlet]| outlets.iter().map(slot).collect();
        let bytes = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
        let sessions = (MOST_WEIGHTS / bytes.max(1)).clamp(1, rayon::current_num_threads() as u64);
        Ok(Runtime {
            file: file.to_owned(),
            inputs: slots(session.inputs()),
            outputs: slots(session.outputs()),
            types,
            gate: Gate::new(sessions as usize),
            idle: Mutex::new(vec![session]),
        })
    }

    /// The inputs of the graph.
    pub fn inputs(&self) -> &[Slot] {
        &self.inputs
    }

    /// The outputs of the graph.
    pub fn outputs(&self) -> &[Slot] {
        &self.outputs
    }

    /// Computes one output. Every input is one row of whole numbers, and is given as the type that the graph takes.
    pub fn run(&self, inputs: &[Row], output: &str) -> Result<Array, Fault> {
        let failed = |error: ort::Error| Fault::Failed(format!("ONNX Runtime says: {error}"));
        let mut values = Vec::new();
        for (name, numbers) in inputs {
            let place = self.inputs.iter().position(|slot| slot.name == *name);
            let kind = place.and_then(|place| self.types.get(place)).copied().unwrap_or(TensorElementType::Int64);
            values.push((name.as_str(), value(kind, numbers).map_err(failed)?));
        }
        self.gate.pass(|| {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut session = match idle {
                Some(session) => session,
                None => environment()
                    .map_err(|error| Fault::Failed(error.to_string()))
                    .and_then(|environment| session(&environment, &self.file).map_err(failed))?,
            };
            let array = session.run(values).map_err(failed).and_then(|outputs| {
                let value = outputs.get(output).ok_or_else(|| Fault::WrongShape(format!("there is no `{output}`")))?;
                let (shape, numbers) = match value.try_extract_tensor::<f32>() {
                    Ok((shape, numbers)) => (shape, numbers.to_vec()),
                    Err(_) => {
                        let (shape, numbers) = value.try_extract_tensor::<f64>().map_err(|_| {
                            let kind = value.dtype();
                            Fault::WrongShape(format!(
                                "the output `{output}` is {kind}, not 32-bit or 64-bit fractions"
                            ))
                        })?;
                        (shape, numbers.iter().map(|number| *number as f32).collect())
                    }
                };
                Ok(Array { shape: shape.iter().map(|length| *length as usize).collect(), numbers })
            });
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(session);
            array
        })
    }
}

/// The types that inputs can be given as.
const TYPES: [TensorElementType; 3] = [TensorElementType::Int32, TensorElementType::Int64, TensorElementType::Float32];

fn value(kind: TensorElementType, numbers: &[i64]) -> ort::Result<SessionInputValue<'static>> {
    let shape = [1, numbers.len()];
    Ok(match kind {
        TensorElementType::Int32 => {
            Tensor::from_array((shape, numbers.iter().map(|number| *number as i32).collect::<Vec<_>>()))?.into()
        }
        TensorElementType::Float32 => {
            Tensor::from_array((shape, numbers.iter().map(|number| *number as f32).collect::<Vec<_>>()))?.into()
        }
        _ => Tensor::from_array((shape, numbers.to_vec()))?.into(),
    })
}

fn slot(outlet: &Outlet) -> Slot {
    // A length that is not known is written as a negative one.
    let shape = outlet.dtype().tensor_shape();
    let shape = shape.map(|shape| shape.iter().map(|length| usize::try_from(*length).ok()).collect());
    Slot { name: outlet.name().to_owned(), shape }
}

fn session(environment: &Environment, file: &Path) -> ort::Result<Session> {
    Session::builder(environment)?.with_intra_threads(1)?.with_inter_threads(1)?.commit_from_file(file)
}

/// The environment of this process, and before it the library.
fn environment() -> Result<Environment, OpenError> {
    let mut kept = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = &*kept {
        return Ok(environment.clone());
    }
    let named = std::env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty()).map(PathBuf::from);
    let names = match &named {
        Some(path) => vec![path.clone()],
        None => NAMES.iter().map(PathBuf::from).collect(),
    };
    let mut problems = Vec::new();
    for name in names {
        // Everything but a library that is right comes back as an error, before anything else of the crate may be called.
        match ort::init_from(&name) {
            Ok(builder) => {
                let environment = builder.with_telemetry(false).build();
                let environment = environment.map_err(|error| missing(named.as_deref(), &[error.to_string()]))?;
                *kept = Some(environment.clone());
                return Ok(environment);
            }
            Err(error) => problems.push(match error.source().or_else(|| cause(&error)) {
                Some(cause) => format!("{error}: {cause}"),
                None => error.to_string(),
            }),
        }
    }
    Err(missing(named.as_deref(), &problems))
}

/// What the system says about a library that it could not load.
fn cause(error: &ort::LoadDynamicError) -> Option<&(dyn Error + 'static)> {
    match error {
        ort::LoadDynamicError::Dlopen { error, .. } => error.source(),
        _ => None,
    }
}

/// The names under which systems have the library.
#[cfg(target_os = "windows")]
const NAMES: [&str; 1] = ["onnxruntime.dll"];
#[cfg(target_os = "macos")]
const NAMES: [&str; 1] = ["libonnxruntime.dylib"];
#[cfg(not(any(target_os = "windows", target_os = "macos")))]
const NAMES: [&str; 2] = ["libonnxruntime.so", "libonnxruntime.so.1"];

fn missing(named: Option<&Path>, problems: &[String]) -> OpenError {
    let place = match named {
        Some(path) => format!("ORT_DYLIB_PATH is {}", path.display()),
        None => "ORT_DYLIB_PATH is not set".to_owned(),
    };
    OpenError::Missing(format!(
        "the library of ONNX Runtime 1.{} or later cannot be loaded ({place}; {}): `pip install onnxruntime` brings it, then \
         set ORT_DYLIB_PATH=…/site-packages/onnxruntime/capi/libonnxruntime.so.X",
        ort::MINOR_VERSION,
        problems.join("; ")
    ))
}
