//! The module `allotrope._native` behind the Python package, which lies in the folder `python`.
//!
//! Functions take plain values and plans as JSON, and give results as JSON; the package checks arguments and makes dataclasses of results.
//! Rust works without the interpreter's lock, on a thread of its own, while the caller's thread listens for Ctrl-C: see [`background`].
//!
//! The functions are closures that take their arguments out of a tuple. With the macros of pyo3 they would be a little shorter, but these
//! need the whole of `syn`, and everything that derives `Serialize` would be built anew.

// The interpreter looks the module up by the name of a function, and wants a definition that it may write to.
#![allow(unsafe_code)]

mod background;
mod callable;
mod failure;
mod opened;
mod programs;
mod runs;

use std::ffi::{CStr, OsString};
use std::process::ExitCode;

use pyo3::IntoPyObjectExt;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyTuple};

/// What the interpreter calls when it imports the module.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the interpreter chooses the name")]
pub extern "C" fn PyInit__native() -> *mut ffi::PyObject {
    Python::attach(|py| match module(py) {
        Ok(module) => module.into_ptr(),
        Err(error) => {
            error.restore(py);
            std::ptr::null_mut()
        }
    })
}

fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    // The definition of a module has to live as long as the process.
    let definition = Box::leak(Box::new(ffi::PyModuleDef {
        m_base: ffi::PyModuleDef_HEAD_INIT,
        m_name: c"_native".as_ptr(),
        m_doc: std::ptr::null(),
        m_size: -1,
        m_methods: std::ptr::null_mut(),
        m_slots: std::ptr::null_mut(),
        m_traverse: None,
        m_clear: None,
        m_free: None,
    }));
    // SAFETY: this thread is attached to the interpreter, and the definition has the form of one without methods and is never freed.
    let module = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyModule_Create(definition))? };
    let module = module.cast_into::<PyModule>()?;
    background::remember_process();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("HAS_PARQUET", cfg!(feature = "parquet"))?;
    add(&module, c"main", main)?;
    add(&module, c"open_model", opened::open_model)?;
    add(&module, c"rewrite", programs::rewrite)?;
    add(&module, c"sites", programs::sites)?;
    add(&module, c"verify", programs::verify)?;
    add(&module, c"evaluate", runs::evaluate)?;
    add(&module, c"attack", runs::attack)?;
    add(&module, c"compare", runs::compare)?;
    add(&module, c"fidelity", runs::fidelity)?;
    add(&module, c"evolve", runs::evolve)?;
    add(&module, c"fidelity_attack", runs::fidelity_attack)?;
    add(&module, c"fidelity_folders", runs::fidelity_folders)?;
    add(&module, c"merge", runs::merge)?;
    add(&module, c"merge_evolutions", runs::merge_evolutions)?;
    add(&module, c"read_plan", runs::read_plan)?;
    add(&module, c"report", runs::report)?;
    Ok(module)
}

/// Adds a function to the module.
fn add<Given>(
    module: &Bound<'_, PyModule>,
    name: &'static CStr,
    function: fn(&Bound<'_, PyTuple>) -> PyResult<Given>,
) -> PyResult<()>
where
    Given: for<'py> IntoPyObject<'py> + 'static,
{
    let function = PyCFunction::new_closure(module.py(), Some(name), None, move |arguments, _| {
        function(arguments)?.into_py_any(arguments.py())
    })?;
    module.add_function(function)
}

/// Runs a command of the command line and returns its exit status. The first argument is the name of the program.
fn main(arguments: &Bound<'_, PyTuple>) -> PyResult<u8> {
    let (given,) = arguments.extract::<(Vec<OsString>,)>()?;
    let status = arguments.py().detach(|| cli::run(&given));
    // An exit code does not tell its number.
    Ok((0..=u8::MAX).find(|number| ExitCode::from(*number) == status).unwrap_or(u8::MAX))
}
