//! Compilers and interpreters: is a text accepted, and what does the program do?
//!
//! Everything runs in the sandbox, compilers too: a hostile text may make them read files, and programs run with no more
//! rights than they need.

mod java;
mod javascript;
mod native;
mod python;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use syntax::Language;

use super::folder::Folder;
use super::sandbox::{Ending, Limits, Memory, Order, Outcome, Sandbox, SandboxError};
use super::scaffold::Scaffold;
use super::worker::{Pool, Silence};
use super::{Case, Options};

/// What a compiler or an interpreter said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The text is accepted; what the program did with each case, where it was run.
    Accepted(Vec<Outcome>),
    /// The text is not accepted.
    Rejected(String),
    /// Nobody could be asked.
    Unavailable(String),
}

/// What a program is to be run on, and how long each time.
#[derive(Clone, Copy)]
struct Workload<'c> {
    cases: &'c [Case],
    time: Duration,
}

/// The compilers and interpreters of all languages, with those that are warm.
pub(super) struct Toolchain {
    sandbox: Sandbox,
    options: Options,
    java: java::Java,
    native: native::Native,
    python: Pool,
    javascript: Pool,
}

impl Toolchain {
    pub(super) fn new(sandbox: Sandbox, options: Options) -> Toolchain {
        Toolchain {
            sandbox,
            options,
            java: java::Java::default(),
            native: native::Native::default(),
            python: Pool::default(),
            javascript: Pool::default(),
        }
    }

    /// Asks whether a text is accepted, without running it. Only Java has declarations beside the text.
    pub(super) fn check(&self, language: Language, text: &[u8], declarations: &[String]) -> Answer {
        let answer = match language {
            Language::Java => self.java.ask(self, text, declarations, None),
            Language::C | Language::Cpp => self.native.check(self, language, text),
            Language::Python => python::ask(self, text, None),
            Language::JavaScript => javascript::check(self, text),
        };
        answer.unwrap_or_else(|failure| Answer::Unavailable(failure.to_string()))
    }

    /// Runs a program on all cases, each within so many times the time that originals have.
    pub(super) fn run(&self, language: Language, text: &[u8], cases: &[Case], leisure: u32) -> Answer {
        let run = Workload { cases, time: self.options.time * leisure };
        let answer = match language {
            Language::Java => self.java.ask(self, text, &[], Some(run)),
            Language::C | Language::Cpp => self.native.run(self, language, text, run),
            Language::Python => python::ask(self, text, Some(run)),
            Language::JavaScript => javascript::run(self, text, run),
        };
        answer.unwrap_or_else(|failure| Answer::Unavailable(failure.to_string()))
    }

    /// Looks for declarations with which a text that none of these scaffolds helps is accepted; says else what is wrong with
    /// it. Only for Java, and nothing where nobody could be asked.
    pub(super) fn repair(
        &self,
        language: Language,
        text: &[u8],
        scaffolds: &[Scaffold],
    ) -> Option<Result<Scaffold, String>> {
        match language {
            Language::Java => self.java.repair(self, text, scaffolds).ok(),
            Language::C | Language::Cpp | Language::Python | Language::JavaScript => None,
        }
    }

    /// A reason to think that the program has no fixed meaning. Only C and C++ have such programs.
    pub(super) fn doubts(&self, language: Language, text: &[u8], cases: &[Case]) -> Option<String> {
        match language {
            Language::C | Language::Cpp => {
                let run = Workload { cases, time: self.options.time * 10 };
                self.native.doubts(self, language, text, run).ok().flatten()
            }
            Language::Java | Language::Python | Language::JavaScript => None,
        }
    }

    /// The limits of a program that runs in a process of its own.
    fn limits(&self, memory_kind: Memory, time: Duration) -> Limits {
        let cpu_time = time + Duration::from_secs(1);
        Limits { time, cpu_time, memory: self.options.memory, memory_kind, ..Limits::default() }
    }

    /// The limits of a program that stays; how long it may take for one question is up to who asks.
    fn limits_of_worker(&self, memory_kind: Memory) -> Limits {
        let forever = Duration::from_secs(1 << 30);
        Limits { cpu_time: forever, ..self.limits(memory_kind, forever) }
    }
}

/// The folder that a program lives in, if it is not a system folder: `/opt/jdk` for `/opt/jdk/bin/java`.
fn home_of(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())?;
    let folder = found.canonicalize().ok()?.parent()?.to_owned();
    folder.ends_with("bin").then(|| folder.parent().map(Path::to_owned)).flatten()
}

/// Why nobody could be asked.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("the {0}")]
    Worker(String),
    #[error("failed to write a temporary file: {0}")]
    File(#[from] io::Error),
}

impl From<Silence> for Failure {
    fn from(silence: Silence) -> Failure {
        Failure::Worker(match silence {
            Silence::TimeOut => "compiler or interpreter did not answer in time".to_owned(),
            Silence::Broken(problem) => format!("compiler or interpreter failed: {problem}"),
        })
    }
}

/// Runs a program in a process of its own for every case. What is endless once would only cost the same time again.
fn run_each<'o>(
    sandbox: &Sandbox,
    run: Workload<'o>,
    order: impl Fn(&'o Case) -> Order<'o>,
) -> Result<Answer, Failure> {
    let mut behaviours = Vec::new();
    for case in run.cases {
        let outcome = sandbox.run(&order(case))?;
        let is_endless = outcome.ending == Ending::TimeOut;
        behaviours.push(outcome);
        if is_endless {
            break;
        }
    }
    Ok(Answer::Accepted(behaviours))
}

/// The fields of a question to a worker that checks, or also runs: the same for every language.
fn question<'q>(
    text: &'q [u8],
    declarations: &'q [String],
    cases: Option<&'q [Case]>,
    numbers: &'q [Vec<u8>; 2],
    counts: &'q [Vec<u8>],
) -> Vec<&'q [u8]> {
    let Some(cases) = cases else {
        let declarations = declarations.iter().map(String::as_bytes);
        return [b"check", text].into_iter().chain(declarations).collect();
    };
    let mut question: Vec<&[u8]> = vec![b"run", text, &numbers[0], &numbers[1]];
    for (case, count) in cases.iter().zip(counts) {
        question.push(count);
        question.extend(case.arguments.iter().map(String::as_bytes));
        question.push(case.input.as_bytes());
    }
    question
}

/// Asks a worker of a pool to check a text, or to run it.
fn ask(
    toolchain: &Toolchain,
    pool: &Pool,
    start: impl Fn() -> Result<super::worker::Worker, Failure>,
    text: &[u8],
    declarations: &[String],
    run: Option<Workload<'_>>,
) -> Result<Answer, Failure> {
    let cases = run.map(|run| run.cases);
    let time = run.map_or(toolchain.options.time, |run| run.time);
    let output = Limits::default().output;
    let numbers = [time.as_millis().to_string().into_bytes(), output.to_string().into_bytes()];
    let counts: Vec<Vec<u8>> =
        cases.unwrap_or_default().iter().map(|case| case.arguments.len().to_string().into_bytes()).collect();
    // Starting, warming up and compiling take their time, too, and more on a machine that is busy.
    let patience = time * (cases.map_or(0, <[Case]>::len) as u32 + 1) + Duration::from_secs(60);
    let answer = pool.ask(start, &question(text, declarations, cases, &numbers, &counts), patience)?;
    let mut fields = answer.into_iter();
    let nonsense = || Failure::Worker("compiler or interpreter gave an answer without sense".to_owned());
    match fields.next().as_deref() {
        Some(b"passes") => Ok(Answer::Accepted(Vec::new())),
        Some(b"rejected") => {
            let problem = fields.next().unwrap_or_default();
            Ok(Answer::Rejected(String::from_utf8_lossy(&problem).into_owned()))
        }
        Some(b"ran") => {
            let mut behaviours = Vec::new();
            while let Some(ending) = fields.next() {
                let ending = ending_of(&String::from_utf8_lossy(&ending)).ok_or_else(nonsense)?;
                let (output, errors) = (fields.next().ok_or_else(nonsense)?, fields.next().ok_or_else(nonsense)?);
                behaviours.push(Outcome { ending, output, errors });
            }
            Ok(Answer::Accepted(behaviours))
        }
        _ => Err(nonsense()),
    }
}

fn ending_of(text: &str) -> Option<Ending> {
    Some(match text {
        "time-out" => Ending::TimeOut,
        "output" => Ending::TooMuchOutput,
        _ => match text.strip_prefix("signal ") {
            Some(number) => Ending::Signal(number.parse().ok()?),
            // What is left of a status of Java's when the system has it.
            None => Ending::Exit(text.parse::<i32>().ok()? & 0xff),
        },
    })
}
