//! Processes on any Unix: how they are limited, awaited and ended, and how those that are not confined start.

use std::io::Error;
use std::os::fd::RawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::{Ending, Limits, Memory, Order, SandboxError};

/// A program that has started.
pub(super) struct Started {
    pub(super) process: Process,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: Option<ChildStderr>,
}

/// A running program with all that it started. It is ended when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) kind: Kind,
    /// How it ended, once that is known.
    ending: Option<Ending>,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// A child, which leads a group of processes.
    Plain(Child),
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    Supervised(super::linux::Supervised),
}

impl Process {
    pub(super) fn new(kind: Kind) -> Process {
        Process { kind, ending: None }
    }

    /// The id of the process from which all others of the program descend.
    pub(super) fn id(&self) -> u32 {
        match &self.kind {
            Kind::Plain(child) => child.id(),
            #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
            Kind::Supervised(supervised) => supervised.id(),
        }
    }

    /// What can be read when the program has ended, where there is such a thing.
    pub(super) fn descriptor(&self) -> Option<RawFd> {
        match &self.kind {
            Kind::Plain(_) => None,
            #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
            Kind::Supervised(supervised) => Some(supervised.descriptor()),
        }
    }

    /// How the program ended, if it has. All that it started has then ended as well, as far as it can be reached.
    pub(super) fn try_wait(&mut self) -> Option<Ending> {
        if self.ending.is_none() {
            let status = match &mut self.kind {
                Kind::Plain(child) => {
                    let status = child.try_wait().ok().flatten();
                    if status.is_some() {
                        kill_group(child.id());
                    }
                    status
                }
                #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
                Kind::Supervised(supervised) => supervised.try_wait(),
            };
            self.ending = status.map(ending);
        }
        self.ending
    }

    /// Ends the program and all that it started, and waits for the end.
    pub(super) fn kill(&mut self) {
        if self.try_wait().is_some() {
            return;
        }
        let status = match &mut self.kind {
            Kind::Plain(child) => {
                kill_group(child.id());
                // The group is there as soon as the program runs; this is for the time before.
                let _ = child.kill();
                child.wait().ok()
            }
            #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
            Kind::Supervised(supervised) => Some(supervised.kill()),
        };
        self.ending = Some(status.map_or(Ending::Signal(libc::SIGKILL), ending));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// How a program ended. The signal that a program gets when its CPU time is over is a matter of time like the end
/// of its time by the clock, and depends on the machine like that.
fn ending(status: ExitStatus) -> Ending {
    match status.signal() {
        Some(libc::SIGXCPU) => Ending::TimeOut,
        Some(signal) => Ending::Signal(signal),
        None => Ending::Exit(status.code().unwrap_or(-1)),
    }
}

/// Starts a program that is limited, and not confined.
pub(super) fn start(order: &Order<'_>, program: &Path, with_errors: bool) -> Result<Started, SandboxError> {
    let fail = |source: Error| SandboxError::Start { program: program.to_owned(), step: "start", source };
    let mut command = Command::new(program);
    command.args(&order.arguments).env_clear().envs(super::environment(order)).current_dir(order.folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.stderr(if with_errors { Stdio::piped() } else { Stdio::null() });
    let bounds = bounds(&order.limits, processes_of_user());
    // SAFETY: what runs between fork and exec makes system calls only, and allocates nothing.
    unsafe {
        command.pre_exec(move || {
            // A session is a group of processes, which can be ended together, without a terminal.
            libc::setsid();
            // What we ignore, or were told to ignore, the program need not: a shell ignores Ctrl-C in what it runs in the
            // background. Those that cannot be set stay as they are.
            for signal in 1..32 {
                libc::signal(signal, libc::SIG_DFL);
            }
            bounds.iter().try_for_each(Bound::set)
        });
    }
    let mut child = command.spawn().map_err(fail)?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        unreachable!("both were asked for as pipes");
    };
    let stderr = child.stderr.take();
    Ok(Started { process: Process::new(Kind::Plain(child)), stdin, stdout, stderr })
}

/// A limit of the system's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) resource: i32,
    pub(super) soft: u64,
    pub(super) hard: u64,
}

impl Bound {
    /// Sets the limit, or leaves it where it is lower already.
    fn set(&self) -> Result<(), Error> {
        let mut current = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the calls read and write the one structure.
        let failed = unsafe {
            libc::getrlimit(self.resource as _, &mut current) != 0 || {
                current.rlim_max = current.rlim_max.min(self.hard as libc::rlim_t);
                current.rlim_cur = current.rlim_max.min(self.soft as libc::rlim_t);
                libc::setrlimit(self.resource as _, &current) != 0
            }
        };
        if failed { Err(Error::last_os_error()) } else { Ok(()) }
    }
}

/// The limits of a program, where so many processes count that are not its own.
pub(super) fn bounds(limits: &Limits, other_processes: Option<u64>) -> [Bound; 6] {
    let bound = |resource, value| Bound { resource, soft: value, hard: value };
    let seconds = limits.cpu_time.as_secs().saturating_add(u64::from(limits.cpu_time.subsec_nanos() > 0));
    let memory = match limits.memory_kind {
        Memory::AddressSpace => libc::RLIMIT_AS as i32,
        Memory::Data => libc::RLIMIT_DATA as i32,
    };
    let processes = other_processes.map_or(u64::MAX, |others| limits.processes.saturating_add(others));
    [
        // The first limit gives the signal by which the end is known; who ignores it is ended by the second.
        Bound { resource: libc::RLIMIT_CPU as i32, soft: seconds, hard: seconds.saturating_add(1) },
        bound(memory, limits.memory),
        bound(libc::RLIMIT_NPROC as i32, processes),
        bound(libc::RLIMIT_FSIZE as i32, limits.file_size),
        bound(libc::RLIMIT_CORE as i32, 0),
        bound(libc::RLIMIT_NOFILE as i32, 1024),
    ]
}

/// How many processes our user has: all of them count together where the program has no namespace of its own.
/// Nothing where they cannot be counted.
pub(super) fn processes_of_user() -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: the call has no arguments and always succeeds.
    let user = unsafe { libc::getuid() };
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let folders = processes.filter_map(|process| std::fs::metadata(process.path().join("task")).ok());
    // A folder has one link from itself, one from above and one from each folder in it, here from each thread.
    let threads = folders.filter(|folder| folder.uid() == user).map(|folder| folder.nlink().saturating_sub(2));
    Some(threads.sum()).filter(|count| *count > 0)
}

/// Can a file be run? Folders can not, although they have the same permission.
pub(super) fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Waits until one can be written or one of the others read, or until patience ends.
pub(super) fn wait_for(writable: Option<RawFd>, readable: &[Option<RawFd>], patience: Option<Duration>) {
    let entry = |descriptor: Option<RawFd>, events| libc::pollfd { fd: descriptor.unwrap_or(-1), events, revents: 0 };
    let mut entries = vec![entry(writable, libc::POLLOUT)];
    entries.extend(readable.iter().map(|descriptor| entry(*descriptor, libc::POLLIN)));
    // Rounded up, so that nobody wakes just before the end of a wait, again and again.
    let wait = patience.map_or(-1, |patience| i32::try_from(patience.as_micros().div_ceil(1000)).unwrap_or(i32::MAX));
    // SAFETY: the list is as long as it is said to be. A failure, such as by a signal, is a short wait.
    unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, wait) };
}

/// Makes reads and writes return when they would have to wait.
pub(super) fn do_not_block(descriptor: RawFd) {
    // SAFETY: both calls take plain numbers.
    unsafe {
        let flags = libc::fcntl(descriptor, libc::F_GETFL);
        libc::fcntl(descriptor, libc::F_SETFL, flags | libc::O_NONBLOCK);
    }
}

fn kill_group(leader: u32) {
    // SAFETY: the call takes plain numbers. A group that is no more is not found.
    unsafe { libc::kill(-(leader as libc::pid_t), libc::SIGKILL) };
}
