//! Python: one warm interpreter checks syntax. Every program gets its own interpreter, which forks once per case; a fork cannot
//! reach the process that reports its behaviour. Starting an interpreter takes ten times as long as forking it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{Answer, Failure, Folder, Memory, Toolchain, Workload};
use crate::sandbox::{Ending, Limits, Order, Outcome};
use crate::worker::{self, Worker};

/// The Python interpreter with its readable folders, or the reason why no interpreter is available.
pub(super) type Located = Result<(PathBuf, Vec<PathBuf>), String>;

pub(super) fn check(toolchain: &Toolchain, text: &[u8]) -> Result<Answer, Failure> {
    super::check(toolchain, &toolchain.python, || start(toolchain), text, &[])
}

pub(super) fn run(toolchain: &Toolchain, text: &[u8], run: Workload<'_>) -> Result<Answer, Failure> {
    // Python reports syntax errors and runtime errors the same way, so the syntax is checked first.
    let checked = check(toolchain, text)?;
    if !matches!(checked, Answer::Accepted(_)) {
        return Ok(checked);
    }
    let folder = Folder::new()?;
    folder.write("main.py", text)?;
    folder.write("run.py", include_bytes!("run.py"))?;
    let (program, readable) = located(toolchain)?;
    let most = Limits::default().output;
    let question = question(run, most);
    let limits = toolchain.limits(Memory::AddressSpace, run.time);
    let cases = run.cases.len();
    let outcome = toolchain.sandbox.run(&Order {
        program,
        arguments: ["-B", "-W", "ignore", "run.py"].map(Into::into).to_vec(),
        environment: environment(),
        folder: folder.path(),
        readable: readable.clone(),
        input: &question,
        // The limits on time and on both output streams hold for each case.
        limits: Limits {
            time: run.time * cases as u32 + Duration::from_secs(30),
            output: (2 * most + 64) * cases + 64,
            processes: limits.processes + 1,
            ..limits
        },
    })?;
    match outcome.ending {
        Ending::Exit(0) => {}
        Ending::TooLarge | Ending::TimeOut => {
            return Ok(Answer::Accepted(vec![Outcome { output: Vec::new(), ..outcome }]));
        }
        _ => return Err(Failure::Worker("program killed the process that reports its behaviour".to_owned())),
    }
    let fields = worker::read(&mut &outcome.output[..]).map_err(|_| super::nonsense())?;
    let behaviours = fields.chunks_exact(3).map(|behaviour| {
        let ending = ending_of(&String::from_utf8_lossy(&behaviour[0])).ok_or_else(super::nonsense)?;
        Ok(Outcome { ending, output: behaviour[1].clone(), errors: behaviour[2].clone() })
    });
    Ok(Answer::Accepted(behaviours.collect::<Result<_, Failure>>()?))
}

/// The cases of the program in the format of `run.py`.
fn question(run: Workload<'_>, most: usize) -> Vec<u8> {
    let mut fields = vec![run.time.as_millis().to_string().into_bytes(), most.to_string().into_bytes()];
    for case in run.cases {
        fields.push(case.arguments.len().to_string().into_bytes());
        fields.extend(case.arguments.iter().map(|argument| argument.clone().into_bytes()));
        fields.push(case.input.clone().into_bytes());
    }
    worker::message(&fields.iter().map(Vec::as_slice).collect::<Vec<&[u8]>>())
}

fn ending_of(text: &str) -> Option<Ending> {
    Some(match text {
        "time-out" => Ending::TimeOut,
        "output" => Ending::TooMuchOutput,
        _ => match text.strip_prefix("signal ") {
            Some(number) => Ending::Signal(number.parse().ok()?),
            None => Ending::Exit(text.parse().ok()?),
        },
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
        // A fixed hash seed, so that the iteration order of sets does not vary between runs.
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
