//! Python: one warm interpreter checks texts, and every run is an interpreter of its own: a fork of the one that judges could
//! disturb it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Answer, Failure, Folder, Memory, Toolchain, Workload};
use crate::sandbox::Order;
use crate::worker::Worker;

/// The interpreter and the folders that it may read, or why there is none.
pub(super) type Located = Result<(PathBuf, Vec<PathBuf>), String>;

pub(super) fn check(toolchain: &Toolchain, text: &[u8]) -> Result<Answer, Failure> {
    super::check(toolchain, &toolchain.python, || start(toolchain), text, &[])
}

pub(super) fn run(toolchain: &Toolchain, text: &[u8], run: Workload<'_>) -> Result<Answer, Failure> {
    // A text that does not parse is rejected, not run; Python reports both alike.
    let checked = check(toolchain, text)?;
    if !matches!(checked, Answer::Accepted(_)) {
        return Ok(checked);
    }
    let folder = Folder::new()?;
    folder.write("main.py", text)?;
    folder.write("run.py", include_bytes!("run.py"))?;
    let (program, readable) = located(toolchain)?;
    super::run_each(&toolchain.sandbox, run, |case| Order {
        program,
        arguments: ["-B", "-W", "ignore", "run.py"]
            .into_iter()
            .map(Into::into)
            .chain(case.arguments.iter().map(Into::into))
            .collect(),
        environment: environment(),
        folder: folder.path(),
        readable: readable.clone(),
        input: case.input.as_bytes(),
        limits: toolchain.limits(Memory::AddressSpace, run.time),
    })
}

fn start(toolchain: &Toolchain) -> Result<Worker, Failure> {
    let folder = Folder::new()?;
    folder.write("worker.py", include_bytes!("worker.py"))?;
    let (program, readable) = located(toolchain)?;
    let order = Order {
        program,
        arguments: ["-B", "worker.py"].map(Into::into).to_vec(),
        environment: environment(),
        folder: folder.path(),
        readable: readable.clone(),
        input: &[],
        limits: toolchain.limits_of_worker(Memory::AddressSpace),
    };
    Ok(Worker::new(toolchain.sandbox.start(&order)?, folder)?)
}

fn environment() -> Vec<(OsString, OsString)> {
    let variables = [
        // What does not depend on the order of sets must not be taken for something that does.
        ("PYTHONHASHSEED", "0"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("PYTHONIOENCODING", "utf-8:surrogateescape"),
    ];
    variables.map(|(name, value)| (name.into(), value.into())).to_vec()
}

/// Where the interpreter really is, and the folders that it lives in. What is called python3 may be a script that chooses one
/// of several, which only the interpreter itself can tell.
fn located(toolchain: &Toolchain) -> Result<(&Path, &Vec<PathBuf>), Failure> {
    let found = toolchain.located_python.get_or_init(|| {
        let name = &toolchain.options.python;
        let question = "import sys; print(sys.executable); print(sys.prefix); print(sys.base_prefix)";
        let no_python = |problem: &str| {
            format!("interpreter {name} does not answer ({problem}): install Python 3, or give its path")
        };
        let said = Command::new(name).args(["-I", "-c", question]).output();
        let said = said.map_err(|error| no_python(&error.to_string()))?;
        let lines: Vec<PathBuf> = String::from_utf8_lossy(&said.stdout).lines().map(PathBuf::from).collect();
        let [program, prefix, base] = &lines[..] else { return Err(no_python(&String::from_utf8_lossy(&said.stderr))) };
        let readable = [prefix, base].into_iter().chain(&toolchain.options.readable).cloned().collect();
        Ok((program.clone(), readable))
    });
    match found {
        Ok((program, readable)) => Ok((program, readable)),
        Err(problem) => Err(Failure::Worker(problem.clone())),
    }
}
