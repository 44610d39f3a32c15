//! Java: one warm virtual machine checks and compiles in memory, and finds missing declarations. Every run gets its own virtual
//! machine: a program that shares one with its judge could forge the verdict.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use super::{Answer, Failure, Folder, Memory, Scaffold, Toolchain, Workload};
use crate::sandbox::{Ending, Limits, Order};
use crate::worker::{Pool, Worker};

/// The worker's classes, compiled once, and the machines that run them.
#[derive(Default)]
pub(super) struct Java {
    classes: OnceLock<Result<Folder, String>>,
    pool: Pool,
}

/// The sources of the worker.
const SOURCES: [(&str, &[u8]); 9] = [
    ("Worker.java", include_bytes!("Worker.java")),
    ("Repair.java", include_bytes!("Repair.java")),
    ("Findings.java", include_bytes!("Findings.java")),
    ("Lacks.java", include_bytes!("Lacks.java")),
    ("Fitting.java", include_bytes!("Fitting.java")),
    ("Throwing.java", include_bytes!("Throwing.java")),
    ("Uses.java", include_bytes!("Uses.java")),
    ("Declarations.java", include_bytes!("Declarations.java")),
    ("Library.java", include_bytes!("Library.java")),
];

/// The compiler's own packages, which the worker calls to keep one compiler warm for many sources, and to see what it
/// knows about a text that lacks something.
const EXPORTS: [&str; 8] = [
    "--add-exports",
    "jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED",
    "--add-exports",
    "jdk.compiler/com.sun.tools.javac.code=ALL-UNNAMED",
    "--add-exports",
    "jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED",
    "--add-exports",
    "jdk.compiler/com.sun.tools.javac.util=ALL-UNNAMED",
];

impl Java {
    pub(super) fn check(&self, toolchain: &Toolchain, text: &[u8], declarations: &[String]) -> Result<Answer, Failure> {
        super::check(toolchain, &self.pool, || self.start(toolchain), text, declarations)
    }

    pub(super) fn run(&self, toolchain: &Toolchain, text: &[u8], run: Workload<'_>) -> Result<Answer, Failure> {
        let patience = super::patience(toolchain);
        let answer = self.pool.ask(|| self.start(toolchain), &[b"compile", text], patience)?;
        let mut fields = answer.into_iter();
        let mut next = || fields.next().map(|field| String::from_utf8_lossy(&field).into_owned());
        let main = match (next().as_deref(), next()) {
            (Some("compiled"), Some(main)) if main.is_empty() => {
                return Ok(Answer::Rejected("no class has a public static main method".to_owned()));
            }
            (Some("compiled"), Some(main)) => main,
            (Some("rejected"), Some(problem)) => return Ok(Answer::Rejected(problem)),
            _ => return Err(super::nonsense()),
        };
        let folder = Folder::new()?;
        while let (Some(name), Some(code)) = (fields.next(), fields.next()) {
            let path = folder.path().join(format!("{}.class", String::from_utf8_lossy(&name).replace('.', "/")));
            std::fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            std::fs::write(path, code)?;
        }
        let mut arguments = options(toolchain);
        arguments.extend(["-Xss16m", "-Dfile.encoding=UTF-8", "-cp", ".", &main].map(Into::into));
        super::run_each(&toolchain.sandbox, run, |case| Order {
            program: Path::new(&toolchain.options.java),
            arguments: arguments.iter().cloned().chain(case.arguments.iter().map(Into::into)).collect(),
            environment: Vec::new(),
            folder: folder.path(),
            readable: readable(toolchain),
            input: case.input.as_bytes(),
            limits: limits(toolchain.limits(Memory::Data, run.time)),
        })
    }

    /// Looks for declarations with which a text is accepted in one of these scaffolds; says else what is wrong with it.
    pub(super) fn repair(
        &self,
        toolchain: &Toolchain,
        text: &[u8],
        scaffolds: &[Scaffold],
    ) -> Result<Result<Scaffold, String>, Failure> {
        let time = toolchain.options.time;
        let milliseconds = time.as_millis().to_string();
        let mut question: Vec<&[u8]> = vec![b"repair", text, milliseconds.as_bytes()];
        for scaffold in scaffolds {
            question.extend([scaffold.before.as_bytes(), scaffold.after.as_bytes()]);
        }
        // The limit is one of the processor's time: a machine that is busy takes longer.
        let patience = time * 6 + Duration::from_secs(60);
        let answer = self.pool.ask(|| self.start(toolchain), &question, patience)?;
        let mut fields = answer.into_iter().map(|field| String::from_utf8_lossy(&field).into_owned());
        match fields.next().as_deref() {
            Some("rejected") => Ok(Err(fields.next().unwrap_or_default())),
            Some("repaired") => {
                let (before, after) =
                    (fields.next().ok_or_else(super::nonsense)?, fields.next().ok_or_else(super::nonsense)?);
                Ok(Ok(Scaffold { before, after, declarations: fields.collect() }))
            }
            _ => Err(super::nonsense()),
        }
    }

    fn start(&self, toolchain: &Toolchain) -> Result<Worker, Failure> {
        let classes = self.classes.get_or_init(|| compiled(toolchain).map_err(|failure| failure.to_string()));
        let classes = classes.as_ref().map_err(|problem| Failure::Worker(problem.clone()))?;
        let folder = Folder::new()?;
        let mut arguments = options(toolchain);
        arguments.extend(EXPORTS.map(Into::into));
        arguments.extend(["-cp".into(), classes.path().into(), "Worker".into()]);
        let mut readable = readable(toolchain);
        readable.push(classes.path().to_owned());
        let order = Order {
            program: Path::new(&toolchain.options.java),
            arguments,
            environment: Vec::new(),
            folder: folder.path(),
            readable,
            input: &[],
            limits: limits(toolchain.limits_of_worker(Memory::Data)),
        };
        Ok(Worker::new(toolchain.sandbox.start(&order)?, folder)?)
    }
}

/// Options for a quick start and a limited heap.
fn options(toolchain: &Toolchain) -> Vec<OsString> {
    let heap = format!("-Xmx{}m", (toolchain.options.memory >> 20).clamp(256, 4096));
    [&heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-UsePerfData"].map(Into::into).to_vec()
}

fn readable(toolchain: &Toolchain) -> Vec<PathBuf> {
    toolchain.options.readable.iter().cloned().chain(super::home_of(&toolchain.options.java)).collect()
}

/// The heap has a limit of its own; the machine needs memory and threads besides.
fn limits(limits: Limits) -> Limits {
    Limits { memory: limits.memory.saturating_mul(2).max(4 << 30), processes: 256, ..limits }
}

fn compiled(toolchain: &Toolchain) -> Result<Folder, Failure> {
    let folder = Folder::new()?;
    for (name, text) in SOURCES {
        folder.write(name, text)?;
    }
    // The compiler is a virtual machine that runs for a second: it starts as quickly as the others.
    let for_its_machine = |option: OsString| [OsString::from("-J"), option].into_iter().collect();
    let mut arguments: Vec<OsString> = options(toolchain).into_iter().map(for_its_machine).collect();
    arguments.extend(["-nowarn", "-Xlint:none"].map(Into::into));
    arguments.extend(EXPORTS.map(Into::into));
    arguments.extend(SOURCES.map(|(name, _)| name.into()));
    let outcome = toolchain.sandbox.run(&Order {
        program: Path::new(&toolchain.options.javac),
        arguments,
        environment: Vec::new(),
        folder: folder.path(),
        readable: super::home_of(&toolchain.options.javac).into_iter().collect(),
        input: &[],
        limits: Limits {
            time: Duration::from_secs(120),
            cpu_time: Duration::from_secs(120),
            ..limits(toolchain.limits_of_worker(Memory::Data))
        },
    })?;
    match outcome.ending {
        Ending::Exit(0) => Ok(folder),
        ending => {
            let told = String::from_utf8_lossy(&outcome.errors).into_owned();
            Err(Failure::Worker(format!(
                "Java compiler failed ({ending:?}), a JDK of version 17 to 23 is needed: {told}"
            )))
        }
    }
}
