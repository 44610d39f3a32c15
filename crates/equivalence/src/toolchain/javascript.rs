//! JavaScript: one warm node checks texts, and every run is a node of its own, because nothing less gives a program a fresh
//! event loop and globals of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Answer, Failure, Folder, Memory, Toolchain, Workload};
use crate::sandbox::Order;
use crate::worker::Worker;

pub(super) fn check(toolchain: &Toolchain, text: &[u8]) -> Result<Answer, Failure> {
    super::check(toolchain, &toolchain.javascript, || start(toolchain), text, &[])
}

fn start(toolchain: &Toolchain) -> Result<Worker, Failure> {
    let folder = Folder::new()?;
    folder.write("worker.js", include_bytes!("worker.js"))?;
    let order = Order {
        program: Path::new(&toolchain.options.node),
        arguments: ["--experimental-vm-modules", "--no-warnings", "worker.js"].map(Into::into).to_vec(),
        environment: Vec::new(),
        folder: folder.path(),
        readable: readable(toolchain),
        input: &[],
        limits: toolchain.limits_of_worker(Memory::Data),
    };
    Ok(Worker::new(toolchain.sandbox.start(&order)?, folder)?)
}

fn readable(toolchain: &Toolchain) -> Vec<PathBuf> {
    toolchain.options.readable.iter().cloned().chain(super::home_of(&toolchain.options.node)).collect()
}

pub(super) fn run(toolchain: &Toolchain, text: &[u8], run: Workload<'_>) -> Result<Answer, Failure> {
    // A text that does not parse is rejected, not run; node reports both alike.
    let checked = check(toolchain, text)?;
    if !matches!(checked, Answer::Accepted(_)) {
        return Ok(checked);
    }
    let folder = Folder::new()?;
    folder.write("main.js", text)?;
    super::run_each(&toolchain.sandbox, run, |case| Order {
        program: Path::new(&toolchain.options.node),
        arguments: [OsString::from("main.js")].into_iter().chain(case.arguments.iter().map(Into::into)).collect(),
        environment: Vec::new(),
        folder: folder.path(),
        readable: readable(toolchain),
        input: case.input.as_bytes(),
        limits: toolchain.limits(Memory::Data, run.time),
    })
}
