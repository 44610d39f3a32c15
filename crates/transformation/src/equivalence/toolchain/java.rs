//! Java: one warm virtual machine checks, compiles and runs in memory. After a program that does not end it is replaced.

use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use super::{Answer, Failure, Folder, Memory, Run, Toolchain};
use crate::equivalence::sandbox::{Ending, Limits, Order};
use crate::equivalence::worker::{Pool, Worker};

/// The worker's classes, compiled once, and the machines that run them.
#[derive(Default)]
pub(super) struct Java {
    classes: OnceLock<Result<Folder, String>>,
    pool: Pool,
}

/// The compiler's own package, which the worker calls to keep one compiler warm for many sources.
const EXPORT: &str = "jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED";

impl Java {
    pub(super) fn ask(&self, toolchain: &Toolchain, text: &[u8], run: Option<Run<'_>>) -> Result<Answer, Failure> {
        super::ask(toolchain, &self.pool, || self.start(toolchain), text, run)
    }

    fn start(&self, toolchain: &Toolchain) -> Result<Worker, Failure> {
        let classes = self.classes.get_or_init(|| compiled(toolchain).map_err(|failure| failure.to_string()));
        let classes = classes.as_ref().map_err(|problem| Failure::Worker(problem.clone()))?;
        let folder = Folder::new()?;
        let heap = format!("-Xmx{}m", (toolchain.options.memory >> 20).clamp(256, 4096));
        let mut arguments: Vec<OsString> =
            [&heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-UsePerfData"]
                .map(Into::into)
                .to_vec();
        // A security manager is what turns System.exit into the end of one program.
        arguments.extend(["-Djava.security.manager=allow", "--add-exports", EXPORT, "-cp"].map(Into::into));
        arguments.extend([classes.path().into(), "Worker".into()]);
        let mut readable = toolchain.options.readable.clone();
        readable.push(classes.path().to_owned());
        readable.extend(super::home_of(&toolchain.options.java));
        let order = Order {
            program: Path::new(&toolchain.options.java),
            arguments,
            environment: Vec::new(),
            folder: folder.path(),
            readable,
            input: &[],
            limits: limits(toolchain),
        };
        Ok(Worker::new(toolchain.sandbox.start(&order)?, folder)?)
    }
}

/// The heap has a limit of its own; the machine needs memory and threads besides.
fn limits(toolchain: &Toolchain) -> Limits {
    let limits = toolchain.limits_of_worker(Memory::Data);
    Limits { memory: limits.memory.saturating_mul(2).max(4 << 30), processes: 256, ..limits }
}

fn compiled(toolchain: &Toolchain) -> Result<Folder, Failure> {
    let folder = Folder::new()?;
    folder.write("Worker.java", include_bytes!("Worker.java"))?;
    let outcome = toolchain.sandbox.run(&Order {
        program: Path::new(&toolchain.options.javac),
        arguments: ["-nowarn", "-Xlint:none", "--add-exports", EXPORT, "Worker.java"].map(Into::into).to_vec(),
        environment: Vec::new(),
        folder: folder.path(),
        readable: super::home_of(&toolchain.options.javac).into_iter().collect(),
        input: &[],
        limits: Limits { time: Duration::from_secs(120), cpu_time: Duration::from_secs(120), ..limits(toolchain) },
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
