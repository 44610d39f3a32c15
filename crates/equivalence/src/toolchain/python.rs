//! Python: one warm interpreter checks texts, and every run is a fork of it.

use std::path::PathBuf;
use std::process::Command;

use super::{Answer, Failure, Folder, Memory, Toolchain, Workload};
use crate::sandbox::Order;
use crate::worker::Worker;

pub(super) fn ask(toolchain: &Toolchain, text: &[u8], run: Option<Workload<'_>>) -> Result<Answer, Failure> {
    super::ask(toolchain, &toolchain.python, || start(toolchain), text, &[], run)
}

fn start(toolchain: &Toolchain) -> Result<Worker, Failure> {
    let folder = Folder::new()?;
    folder.write("worker.py", include_bytes!("worker.py"))?;
    let (program, mut readable) = located(&toolchain.options.python)?;
    readable.extend(toolchain.options.readable.iter().cloned());
    let order = Order {
        program: &program,
        arguments: ["-B", "worker.py"].map(Into::into).to_vec(),
        // What does not depend on the order of sets must not be taken for something that does.
        environment: vec![("PYTHONHASHSEED".into(), "0".into()), ("PYTHONDONTWRITEBYTECODE".into(), "1".into())],
        folder: folder.path(),
        readable,
        input: &[],
        limits: toolchain.limits_of_worker(Memory::AddressSpace),
    };
    Ok(Worker::new(toolchain.sandbox.start(&order)?, folder)?)
}

/// Where the interpreter really is, and the folders that it lives in. What is called python3 may be a script that chooses one
/// of several, which only the interpreter itself can tell.
fn located(name: &str) -> Result<(PathBuf, Vec<PathBuf>), Failure> {
    let question = "import sys; print(sys.executable); print(sys.prefix); print(sys.base_prefix)";
    let no_python = |problem: String| {
        Failure::Worker(format!("interpreter {name} does not answer ({problem}): install Python 3, or give its path"))
    };
    let said =
        Command::new(name).args(["-I", "-c", question]).output().map_err(|error| no_python(error.to_string()))?;
    let lines: Vec<PathBuf> = String::from_utf8_lossy(&said.stdout).lines().map(PathBuf::from).collect();
    match &lines[..] {
        [program, prefix, base] => Ok((program.clone(), vec![prefix.clone(), base.clone()])),
        _ => Err(no_python(String::from_utf8_lossy(&said.stderr).into_owned())),
    }
}
