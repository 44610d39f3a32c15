//! The sandbox: the only place where untrusted programs run.
//!
//! A program gets a private folder, in which it starts and which alone it may write, the system's files to
//! read, and limits. It gets no network, no sight of other processes and no way to outlive its run. On
//! Linux a supervisor, which shares this process's memory and costs no copy of it, puts the program behind
//! these fences, each of which holds where another has a gap:
//!
//! - *landlock* hides every file that is not on the list, and keeps signals and abstract sockets inside;
//! - *namespaces* (user, process ids, network, IPC, host name, mounts): no network device, no process to
//!   signal, and the end of everything that the program started when its run ends; outside the private
//!   folder all mounts are read-only, because landlock does not watch over `chmod` and its like;
//! - *seccomp* takes away the sockets that namespaces do not separate (Unix, virtual machines' hosts);
//! - *resource limits* bound time, memory, processes and files of each process;
//! - *counting*, ten times a second, bounds the total memory of all processes and the size of the folder. Unlike cgroups, it needs
//!   no special rights.
//!
//! What stays open: the limit on CPU time holds per process; counted limits can be exceeded for a tenth of a second; the names and sizes of files outside can be asked for; clocks, the
//! processor's features and the kernel's version are as they are; and the kernel itself is trusted.

// System calls that std does not know are what this module is about. They stay in its two submodules; `tidy`
// holds that no other file allows unsafe code.
#![allow(unsafe_code)]

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod linux;
mod process;
mod usage;

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use process::{Process, Started};

/// Where programs stand that cannot be confined by this system, and where they are not to be confined.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod linux {
    use super::process::Started;
    use super::{Order, SandboxError};

    #[derive(Clone, Debug)]
    pub(super) enum Confinement {}

    impl Confinement {
        pub(super) fn find() -> Result<Confinement, SandboxError> {
            Err(SandboxError::Missing { what: "Linux on x86-64 or AArch64".to_owned() })
        }

        pub(super) fn gaps(&self) -> Vec<&'static str> {
            match *self {}
        }

        pub(super) fn start(&self, _: &Order<'_>, _: &std::path::Path, _: bool) -> Result<Started, SandboxError> {
            match *self {}
        }
    }
}

/// What a program may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long it may run, by the clock on the wall.
    pub time: Duration,
    /// How long each of its processes may compute, in whole seconds, rounded up.
    pub cpu_time: Duration,
    /// The memory of each of its processes in bytes.
    pub memory: u64,
    /// What counts as memory.
    pub memory_kind: Memory,
    /// The total resident memory of all its processes, in bytes.
    pub memory_of_all: u64,
    /// How many processes there may be at a time. Every thread is one.
    pub processes: u64,
    /// The maximum size of each file that it writes; the folder may hold eight times as much.
    pub file_size: u64,
    /// The bytes that are read from its output, and as many from its errors.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            time: Duration::from_secs(10),
            cpu_time: Duration::from_secs(10),
            memory: 1 << 30,
            memory_kind: Memory::AddressSpace,
            memory_of_all: 2 << 30,
            processes: 64,
            file_size: 16 << 20,
            output: 4 << 20,
        }
    }
}

/// What counts as memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// All addresses that are taken.
    AddressSpace,
    /// Memory of its own that can be written: for programs that reserve far more addresses than they use, as the
    /// virtual machines of Java and JavaScript do.
    Data,
}

/// A program to be run.
#[derive(Clone, Debug)]
pub struct Order<'a> {
    /// The program: an absolute path, a path from the folder, or a name that is looked up in `PATH`. Its file may
    /// be read; what else belongs to it has to lie in the system's folders or be [readable](Order::readable).
    pub program: &'a Path,
    /// What it is called with, without its own name.
    pub arguments: Vec<OsString>,
    /// All variables besides `PATH`, which is ours, `HOME` and `TMPDIR`, which are the folder, and `LANG`.
    /// A variable that is named here has the value that it has here.
    pub environment: Vec<(OsString, OsString)>,
    /// The private folder: where the program starts, and the only place where it may write.
    pub folder: &'a Path,
    /// Files and folders, besides the system's, that may be read and executed.
    pub readable: Vec<PathBuf>,
    /// What it reads from its standard input.
    pub input: &'a [u8],
    /// What it may use.
    pub limits: Limits,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With this exit status.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It ran for longer than its time, or computed for longer than its CPU time.
    TimeOut,
    /// It wrote more than may be read, to its output or to its errors.
    TooMuchOutput,
    /// It exceeded the limit on total memory or on the size of its folder.
    TooLarge,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote to its standard output, up to the limit.
    pub output: Vec<u8>,
    /// What it wrote to its standard error, up to the limit.
    pub errors: Vec<u8>,
}

/// Why a program could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The system cannot confine programs.
    #[error(
        "programs cannot be confined here, for want of {what}: run where they can be, or trust every program and \
         give --no-sandbox"
    )]
    Missing {
        /// What is missing, or was not allowed.
        what: String,
    },
    /// There is no such program.
    #[error("program {} not found: install it, or give its path", program.display())]
    NoProgram {
        /// The program as it was ordered.
        program: PathBuf,
    },
    /// A path, an argument or a variable cannot be handed to a program.
    #[error("{text:?} contains a null character, which cannot be passed to a program")]
    NullCharacter {
        /// The text.
        text: OsString,
    },
    /// A file or folder that the program was to have is not there, or not ours to give.
    #[error("failed to give access to {}: {source}", path.display())]
    Access {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A step on the way to the running program failed.
    #[error("failed to start {}, at the step \"{step}\": {source}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The step.
        step: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
}

/// Runs programs, and knows how they are confined.
#[derive(Clone, Debug)]
pub struct Sandbox {
    confinement: Option<linux::Confinement>,
}

impl Sandbox {
    /// Finds out, by trying, how this system can confine programs.
    ///
    /// Where it can do so only in part, [`Sandbox::gaps`] says what stays open.
    pub fn new() -> Result<Sandbox, SandboxError> {
        Ok(Sandbox { confinement: Some(linux::Confinement::find()?) })
    }

    /// Programs that are trusted: they have limits and a folder to start in, and are not confined.
    pub fn none() -> Sandbox {
        Sandbox { confinement: None }
    }

    /// What programs may do here that they should not, because the system lacks the means to hinder them. There
    /// is nothing of the kind on an up-to-date Linux that allows namespaces.
    pub fn gaps(&self) -> Vec<&'static str> {
        self.confinement.as_ref().map_or(vec!["everything that their user may do"], linux::Confinement::gaps)
    }

    /// Runs a program to its end, or until it breaks a limit. Whatever it started ends with it.
    pub fn run(&self, order: &Order<'_>) -> Result<Outcome, SandboxError> {
        let Started { process, stdin, stdout, stderr } = self.launch(order, true)?;
        Ok(Conversation {
            deadline: Instant::now().checked_add(order.limits.time),
            next_count: Instant::now() + COUNTED_EVERY,
            limits: &order.limits,
            folder: order.folder,
            process,
            stdin: Some(stdin),
            input: order.input,
            stdout: Stream { source: Some(stdout), text: Vec::new(), limit: order.limits.output },
            stderr: Stream { source: stderr, text: Vec::new(), limit: order.limits.output },
        }
        .hold())
    }

    /// Starts a program that stays and is spoken to: the time, the output and the input of the order do not apply.
    pub fn start(&self, order: &Order<'_>) -> Result<Worker, SandboxError> {
        let Started { process, stdin, stdout, stderr: _ } = self.launch(order, false)?;
        Ok(Worker { stdin, stdout, process })
    }

    fn launch(&self, order: &Order<'_>, with_errors: bool) -> Result<Started, SandboxError> {
        let program = look_up(order.program, order.folder)?;
        match &self.confinement {
            Some(confinement) => confinement.start(order, &program, with_errors),
            None => process::start(order, &program, with_errors),
        }
    }
}

/// A program that stays. It is ended, with all that it started, when this is dropped.
#[derive(Debug)]
pub struct Worker {
    /// Where it is spoken to.
    pub stdin: ChildStdin,
    /// Where it answers.
    pub stdout: ChildStdout,
    process: Process,
}

impl Worker {
    /// Ends the program and all that it started. Ending it twice does no harm.
    pub fn kill(&mut self) {
        self.process.kill();
    }
}

/// The variables of a program.
fn environment(order: &Order<'_>) -> Vec<(OsString, OsString)> {
    let folder = order.folder.as_os_str();
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let common = [("PATH", path.as_os_str()), ("HOME", folder), ("TMPDIR", folder), ("LANG", OsStr::new("C.UTF-8"))];
    let is_given = |name: &str| order.environment.iter().any(|(given, _)| given == name);
    let common = common.into_iter().filter(|(name, _)| !is_given(name));
    let common = common.map(|(name, value)| (OsString::from(name), value.to_owned()));
    common.chain(order.environment.iter().cloned()).collect()
}

/// The path of a program.
fn look_up(program: &Path, folder: &Path) -> Result<PathBuf, SandboxError> {
    let is_name = program.components().count() == 1 && program.file_name() == Some(program.as_os_str());
    let found = if is_name {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).map(|place| place.join(program)).find(|path| process::is_executable(path))
    } else {
        Some(folder.join(program)).filter(|path| path.exists())
    };
    found.ok_or_else(|| SandboxError::NoProgram { program: program.to_owned() })
}

/// The interval at which memory and files are counted.
const COUNTED_EVERY: Duration = Duration::from_millis(100);

/// The size limit of the folder, as a multiple of the limit per file.
const FILES_IN_FOLDER: u64 = 8;

/// What is said between us and a running program.
struct Conversation<'a> {
    deadline: Option<Instant>,
    next_count: Instant,
    limits: &'a Limits,
    folder: &'a Path,
    process: Process,
    stdin: Option<ChildStdin>,
    input: &'a [u8],
    stdout: Stream<ChildStdout>,
    stderr: Stream<ChildStderr>,
}

impl Conversation<'_> {
    fn hold(mut self) -> Outcome {
        for descriptor in self.descriptors().into_iter().flatten() {
            process::do_not_block(descriptor);
        }
        let ending = loop {
            self.wait();
            self.write();
            // The end is looked for before the streams are read: what a program wrote before it ended is then
            // there to be read.
            let ended = self.process.try_wait();
            self.stdout.read();
            self.stderr.read();
            if self.stdout.is_full() || self.stderr.is_full() {
                break Ending::TooMuchOutput;
            }
            if let Some(ending) = ended {
                break ending;
            }
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break Ending::TimeOut;
            }
            if self.is_too_large() {
                break Ending::TooLarge;
            }
        };
        self.process.kill();
        if ending == Ending::TimeOut {
            self.stdout.read();
            self.stderr.read();
        }
        Outcome { ending, output: self.stdout.finish(), errors: self.stderr.finish() }
    }

    /// Counts memory and files if the interval has passed.
    fn is_too_large(&mut self) -> bool {
        if Instant::now() < self.next_count {
            return false;
        }
        let is_too_large = usage::memory_of_descendants(self.process.id()) > self.limits.memory_of_all
            || usage::bytes_in(self.folder) > self.limits.file_size.saturating_mul(FILES_IN_FOLDER);
        self.next_count = Instant::now() + COUNTED_EVERY;
        is_too_large
    }

    /// Waits until there is something to do.
    fn wait(&self) {
        let [stdin, stdout, stderr] = self.descriptors();
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let end = self.process.descriptor();
        // Where the system cannot say when a process ends, it is looked at now and then.
        let now_and_then = end.is_none().then_some(Duration::from_millis(2));
        let count = Some(self.next_count.saturating_duration_since(Instant::now()));
        let patience = [left, now_and_then, count].into_iter().flatten().min();
        process::wait_for(stdin, &[stdout, stderr, end], patience);
    }

    fn descriptors(&self) -> [Option<RawFd>; 3] {
        [
            self.stdin.as_ref().map(AsRawFd::as_raw_fd),
            self.stdout.source.as_ref().map(AsRawFd::as_raw_fd),
            self.stderr.source.as_ref().map(AsRawFd::as_raw_fd),
        ]
    }

    /// Hands over as much input as the program takes.
    fn write(&mut self) {
        while let Some(stdin) = &mut self.stdin {
            match stdin.write(self.input) {
                Ok(count) if count < self.input.len() && count > 0 => self.input = &self.input[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // All is said, or nobody listens.
                Ok(_) | Err(_) => self.stdin = None,
            }
        }
    }
}

/// What is read from a program, up to a limit.
struct Stream<S> {
    source: Option<S>,
    text: Vec<u8>,
    limit: usize,
}

impl<S: Read> Stream<S> {
    /// Reads what is there.
    fn read(&mut self) {
        let mut buffer = [0; 1 << 14];
        while let Some(source) = &mut self.source
            && self.text.len() <= self.limit
        {
            match source.read(&mut buffer) {
                Ok(count) if count > 0 => self.text.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Ok(_) | Err(_) => self.source = None,
            }
        }
    }

    fn is_full(&self) -> bool {
        self.text.len() > self.limit
    }

    fn finish(mut self) -> Vec<u8> {
        self.text.truncate(self.limit);
        self.text
    }
}
