//! Compilers and interpreters: is a text accepted, and what does the program do?
//!
//! Everything runs in the sandbox, compilers too: a hostile text may make them read files, and programs run with no more
//! rights than they need. A program never shares a process with its judge, which sees only its output streams and exit status,
//! so no program can forge a verdict.

mod java;
mod javascript;
mod native;
mod python;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
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
    located_python: OnceLock<python::Located>,
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
            located_python: OnceLock::new(),
            javascript: Pool::default(),
        }
    }

    /// Asks whether a text is accepted, without running it. Only Java has declarations beside the text.
    pub(super) fn check(&self, language: Language, text: &[u8], declarations: &[String]) -> Answer {
        let answer = match language {
            Language::Java => self.java.check(self, text, declarations),
            Language::C | Language::Cpp => self.native.check(self, language, text),
            Language::Python => python::check(self, text),
            Language::JavaScript => javascript::check(self, text),
        };
        answer.unwrap_or_else(|failure| Answer::Unavailable(failure.to_string()))
    }

    /// Runs a program on all cases, each within so many times the time that originals have.
    pub(super) fn run(&self, language: Language, text: &[u8], cases: &[Case], leisure: u32) -> Answer {
        let run = Workload { cases, time: self.options.time * leisure };
        let answer = match language {
            Language::Java => self.java.run(self, text, run),
            Language::C | Language::Cpp => self.native.run(self, language, text, run),
            Language::Python => python::run(self, text, run),
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
        let memory_of_all = self.options.memory.saturating_mul(2);
        Limits { time, cpu_time, memory: self.options.memory, memory_kind, memory_of_all, ..Limits::default() }
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

/// Checks a text with a worker of a pool.
fn check(
    toolchain: &Toolchain,
    pool: &Pool,
    start: impl Fn() -> Result<super::worker::Worker, Failure>,
    text: &[u8],
    declarations: &[String],
) -> Result<Answer, Failure> {
    let question: Vec<&[u8]> = [b"check", text].into_iter().chain(declarations.iter().map(String::as_bytes)).collect();
    let answer = pool.ask(start, &question, patience(toolchain))?;
    let mut fields = answer.into_iter().map(|field| String::from_utf8_lossy(&field).into_owned());
    match fields.next().as_deref() {
        Some("passes") => Ok(Answer::Accepted(Vec::new())),
        Some("rejected") => Ok(Answer::Rejected(fields.next().unwrap_or_default())),
        _ => Err(nonsense()),
    }
}

/// The time limit of a worker's answer, which includes its start and warm-up, also on a busy machine.
fn patience(toolchain: &Toolchain) -> Duration {
    toolchain.options.time + Duration::from_secs(60)
}

fn nonsense() -> Failure {
    Failure::Worker("compiler or interpreter gave an invalid answer".to_owned())
}
