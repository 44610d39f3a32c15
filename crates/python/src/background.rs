//! Long work on a thread of its own, so that Ctrl-C is heard: Python hears it only on the main thread, and only while that runs Python.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use campaign::work::{Event, Watcher};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::failure::Failure;

/// How long the caller's thread sleeps before it looks for signals again.
const PATIENCE: Duration = Duration::from_millis(50);

/// Stops work when Python wants it to, and tells Python how far it is.
pub struct Listener {
    stop: AtomicBool,
    /// Called with the kind of an event, its text and its number.
    events: Option<Py<PyAny>>,
    /// What a function of the user raised first.
    raised: Mutex<Option<PyErr>>,
}

impl Listener {
    /// Takes note of an exception of a function of the user. One that is no error, such as `KeyboardInterrupt`, ends the work.
    pub fn note(&self, py: Python<'_>, error: &PyErr) {
        if !error.is_instance_of::<pyo3::exceptions::PyException>(py) {
            self.stop.store(true, Ordering::Relaxed);
        }
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| error.clone_ref(py));
    }

    fn raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Watcher for Listener {
    fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    fn tell(&self, event: Event<'_>) {
        let Some(events) = &self.events else { return };
        let (kind, text, number) = match event {
            Event::Stage(name, steps) => ("stage", name.to_owned(), steps),
            Event::Steps(count) => ("steps", String::new(), Some(count)),
            Event::Status(text) => ("status", text, None),
            Event::Note(text) => ("note", text, None),
            _ => return,
        };
        Python::attach(|py| {
            if let Err(error) = events.call1(py, (kind, text, number)) {
                self.note(py, &error);
                self.stop.store(true, Ordering::Relaxed);
            }
        });
    }
}

/// Does some work without the interpreter's lock. Ctrl-C stops it: what is complete is kept, and the interrupt is raised when the work has
/// ended. A second one does not wait for that.
pub fn work<Done: Send + 'static>(
    py: Python<'_>,
    events: Option<Py<PyAny>>,
    work: impl FnOnce(&Arc<Listener>) -> Result<Done, Failure> + Send + 'static,
) -> PyResult<Done> {
    let listener = Arc::new(Listener { stop: AtomicBool::new(false), events, raised: Mutex::default() });
    let theirs = Arc::clone(&listener);
    let (sender, mut receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let done = in_this_process(|| work(&theirs));
        drop(theirs);
        // Nobody listens any more after a second Ctrl-C.
        let _ = sender.send(done);
    });
    let mut interrupt: Option<PyErr> = None;
    let done = loop {
        let received;
        (received, receiver) = py.detach(move || (receiver.recv_timeout(PATIENCE), receiver));
        match received {
            Ok(done) => break done,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(
                    "allotrope failed: the message is on standard error, please report it",
                ));
            }
            Err(RecvTimeoutError::Timeout) => match py.check_signals() {
                Ok(()) => (),
                Err(second) if interrupt.is_some() => return Err(second),
                Err(first) => {
                    listener.stop.store(true, Ordering::Relaxed);
                    interrupt = Some(first);
                }
            },
        }
    };
    let raised = listener.raised();
    let is_error = |error: &PyErr| error.is_instance_of::<pyo3::exceptions::PyException>(py);
    match (interrupt, done) {
        (Some(interrupt), _) => Err(interrupt),
        // What is no error ends a program, wherever it was raised; so does whatever went wrong in a function that hears of events.
        (None, _)
            if raised.as_ref().is_some_and(|raised| !is_error(raised) || listener.stop.load(Ordering::Relaxed)) =>
        {
            Err(raised.expect("it was looked at"))
        }
        (None, Ok(done)) => {
            if let Some(raised) = raised {
                warn(py, &raised)?;
            }
            Ok(done)
        }
        (None, Err(failure)) => Err(failure.raise(py, raised)),
    }
}

/// Says that a function raised something where other inputs were answered, so that the work has a result.
fn warn(py: Python<'_>, raised: &PyErr) -> PyResult<()> {
    let text = format!("the function failed for some inputs, which have no answer; it first raised {raised}");
    py.import("logging")?.call_method1("getLogger", ("allotrope",))?.call_method1("warning", ("%s", text))?;
    Ok(())
}

static IMPORTED_IN: OnceLock<u32> = OnceLock::new();

/// Remembers the process that has loaded the module.
pub fn remember_process() {
    IMPORTED_IN.get_or_init(std::process::id);
}

/// Works with rayon's threads. A forked process, such as a worker of a data loader, has none of those of its parent and would wait for
/// them for ever; it gets one of its own, because such workers are one for each core.
fn in_this_process<Done: Send>(work: impl FnOnce() -> Done + Send) -> Done {
    if IMPORTED_IN.get() == Some(&std::process::id()) {
        return work();
    }
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
