//! How a program is confined on Linux.
//!
//! Three processes are started for a program. The *supervisor* shares our memory, so that starting it costs the
//! same however much memory we have; it watches over the other two. The *first process* of the new process
//! namespace does nothing but exist: when it goes, the kernel ends everything in the namespace. The *program*
//! shares our memory until it is executed.
//!
//! While memory is shared, nothing may be called that knows about threads: no allocation, no lock, no panic, and
//! nothing of the C library, which would write its error number where our thread has its own. Therefore all is
//! prepared in a [`Plan`], and the functions marked as running beside us make bare system calls only.

use std::ffi::{CString, OsStr, c_char, c_int, c_long, c_void};
use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, Scope,
};

use super::process::{self, Bound, Kind, Process, Started};
use super::{Order, SandboxError};

/// The newest rights that we ask for; where the kernel is older, those that it has.
const RIGHTS: ABI = ABI::V9;

/// What every program may read, as far as it is there. Of `/etc` and `/proc`, what runtimes ask for and what tells
/// nothing about people and their programs. A star stands for the rest of a name.
const SYSTEM: [&str; 53] = [
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/bin",
    "/sbin",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/crypto-policies",
    "/etc/debian_version",
    "/etc/fonts",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/java*",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki",
    "/etc/protocols",
    "/etc/python*",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/version",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/threads-max",
    "/proc/sys/vm",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
];

/// Who the program is when we are root: the limit on processes does not hold for root.
const NOBODY: u32 = 65534;

/// How programs are confined, found by trying.
#[derive(Clone)]
pub(super) struct Confinement {
    means: Means,
    /// The files of the system, open for as long as there is a sandbox: a rule is about an open file, and the
    /// files of `/proc` are made anew when nobody has them open.
    system: Arc<Vec<(PathFd, BitFlags<AccessFs>)>>,
}

#[derive(Clone, Debug)]
struct Means {
    landlock: Option<ABI>,
    namespaces: Option<Namespaces>,
    /// Whether our memory may be looked at, as the kernel says it. A program that becomes another user while it still
    /// shares our memory takes that away from us.
    dumpable: c_int,
}

#[derive(Clone, Debug)]
struct Namespaces {
    /// Are mounts outside the folder read-only?
    read_only: bool,
    /// The users and groups that are known inside, as the kernel reads them.
    users: Arc<[u8]>,
    groups: Arc<[u8]>,
    /// The program becomes nobody, but may open what root may.
    is_nobody: bool,
}

impl Confinement {
    pub(super) fn find() -> Result<Confinement, SandboxError> {
        let landlock = landlock_version();
        // SAFETY: the call only asks.
        let dumpable = unsafe { libc::prctl(libc::PR_GET_DUMPABLE, 0, 0, 0, 0) };
        let system = Arc::new(system_files());
        let mut refusals = Vec::new();
        for namespaces in candidates() {
            // Without landlock and without read-only mounts, programs would write where they like.
            if landlock.is_none() && !namespaces.as_ref().is_some_and(|namespaces| namespaces.read_only) {
                continue;
            }
            let confinement = Confinement { means: Means { landlock, namespaces, dumpable }, system: system.clone() };
            match confinement.try_out() {
                Ok(()) => return Ok(confinement),
                Err(SandboxError::Start { step, source, .. }) => refusals.push(format!("{step}: {source}")),
                Err(error) => refusals.push(error.to_string()),
            }
        }
        refusals.dedup();
        let landlock = if landlock.is_none() { "landlock (Linux 5.13 or later, enabled at boot) and " } else { "" };
        Err(SandboxError::Missing { what: format!("{landlock}user namespaces ({})", refusals.join("; ")) })
    }

    pub(super) fn gaps(&self) -> Vec<&'static str> {
        let mut gaps = Vec::new();
        match self.means.landlock {
            None => gaps.push("reading files of other folders"),
            Some(version) if self.means.namespaces.is_none() => {
                if version < ABI::V3 {
                    gaps.push("truncating files of other folders");
                }
                if version < ABI::V6 {
                    gaps.push("sending signals to other processes of their user");
                }
            }
            Some(_) => (),
        }
        match &self.means.namespaces {
            None => gaps.extend([
                "changing permissions and times of files of other folders",
                "shared memory and message queues of their user",
            ]),
            Some(namespaces) if !namespaces.read_only => {
                gaps.push("changing permissions and times of files of other folders");
            }
            Some(_) => (),
        }
        if is_root() && !self.means.namespaces.as_ref().is_some_and(|namespaces| namespaces.is_nobody) {
            gaps.push("starting any number of processes");
        }
        gaps
    }

    pub(super) fn start(&self, order: &Order<'_>, program: &Path, with_errors: bool) -> Result<Started, SandboxError> {
        let fail = |source: Error| SandboxError::Start { program: program.to_owned(), step: "pipes", source };
        let (their_input, stdin) = std::io::pipe().map_err(fail)?;
        let (stdout, their_output) = std::io::pipe().map_err(fail)?;
        let (stderr, their_errors): (Option<OwnedFd>, OwnedFd) = if with_errors {
            let (stderr, their_errors) = std::io::pipe().map_err(fail)?;
            (Some(stderr.into()), their_errors.into())
        } else {
            (None, OpenOptions::new().write(true).open("/dev/null").map_err(fail)?.into())
        };
        let streams = [their_input.into(), their_output.into(), their_errors];
        let supervised = Supervised::start(self, order, Some(program), streams)?;
        Ok(Started {
            process: Process::new(Kind::Supervised(supervised)),
            stdin: ChildStdin::from(OwnedFd::from(stdin)),
            stdout: ChildStdout::from(OwnedFd::from(stdout)),
            stderr: stderr.map(ChildStderr::from),
        })
    }

    /// Goes all the way to a program, and executes none.
    fn try_out(&self) -> Result<(), SandboxError> {
        let folder = std::env::temp_dir();
        let name = Path::new("a trial program");
        let order = Order {
            program: name,
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: &folder,
            readable: Vec::new(),
            input: &[],
            limits: super::Limits::default(),
        };
        let null = || OpenOptions::new().read(true).write(true).open("/dev/null").map(OwnedFd::from);
        let fail = |source| SandboxError::Access { path: PathBuf::from("/dev/null"), source };
        let streams = [null().map_err(fail)?, null().map_err(fail)?, null().map_err(fail)?];
        Supervised::start(self, &order, None, streams)?.wait();
        Ok(())
    }

    /// The rules about files, network and signals, for landlock.
    fn ruleset(
        &self,
        order: &Order<'_>,
        folder: &Path,
        program: Option<&Path>,
    ) -> Result<Option<OwnedFd>, SandboxError> {
        if self.means.landlock.is_none() {
            return Ok(None);
        }
        let fail =
            |path: &Path, error: String| SandboxError::Access { path: path.to_owned(), source: Error::other(error) };
        let begin = || -> Result<_, RulesetError> {
            let ruleset = Ruleset::default()
                .handle_access(AccessFs::from_all(RIGHTS))?
                .handle_access(AccessNet::from_all(RIGHTS))?
                .scope(Scope::from_all(RIGHTS))?;
            let system =
                self.system.iter().map(|(file, access)| Ok::<_, RulesetError>(PathBeneath::new(file, *access)));
            ruleset.create()?.add_rules(system)
        };
        let mut ruleset = begin().map_err(|error| fail(Path::new("the system's files"), error.to_string()))?;
        let readable = order.readable.iter().map(PathBuf::as_path).chain(program);
        let readable = readable.map(|path| (path, AccessFs::from_read(RIGHTS)));
        for (path, access) in readable.chain([(folder, AccessFs::from_all(RIGHTS))]) {
            let file = PathFd::new(path).map_err(|error| fail(path, error.to_string()))?;
            let rule = PathBeneath::new(file, access);
            ruleset = ruleset.add_rule(rule).map_err(|error| fail(path, error.to_string()))?;
        }
        Ok(ruleset.into())
    }
}

impl std::fmt::Debug for Confinement {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Confinement").field("means", &self.means).finish_non_exhaustive()
    }
}

/// A program under supervision.
#[derive(Debug)]
pub(super) struct Supervised {
    supervisor: libc::pid_t,
    /// The supervisor says here that the program runs, and that it has ended; we say that it shall end. It notices
    /// when we are no more.
    line: UnixStream,
    is_over: bool,
    /// In use by the supervisor until it is over.
    plan: Box<Plan>,
}

// SAFETY: the pointers of the plan point into the plan, which moves with it, and to memory that is nobody else's.
unsafe impl Send for Supervised {}
// SAFETY: what is written while the supervisor runs is atomic.
unsafe impl Sync for Supervised {}

impl Supervised {
    fn start(
        confinement: &Confinement,
        order: &Order<'_>,
        program: Option<&Path>,
        streams: [OwnedFd; 3],
    ) -> Result<Supervised, SandboxError> {
        let name = || program.unwrap_or(order.program).to_owned();
        let fail = |step, source| SandboxError::Start { program: name(), step, source };
        let folder = order
            .folder
            .canonicalize()
            .map_err(|source| SandboxError::Access { path: order.folder.to_owned(), source })?;
        let ruleset = confinement.ruleset(order, &folder, program)?;
        let (mut line, their_line) = UnixStream::pair().map_err(|source| fail("pipes", source))?;
        let plan = Plan::new(confinement, order, program, &folder, &streams, ruleset.as_ref(), &their_line)?;
        let supervisor = plan.start_supervisor().map_err(|source| fail("supervisor", source))?;
        // The supervisor has its own copies.
        drop((streams, ruleset, their_line));
        let mut answer = [0];
        let is_started = line.read_exact(&mut answer).is_ok();
        let mut supervised = Supervised { supervisor, line, is_over: false, plan };
        if is_started {
            return Ok(supervised);
        }
        supervised.wait();
        let step = supervised.plan.failed_step.load(Ordering::Acquire) as usize;
        let step = STEPS.get(step).copied().unwrap_or("supervisor");
        Err(fail(step, Error::from_raw_os_error(supervised.plan.failure.load(Ordering::Acquire))))
    }

    pub(super) fn id(&self) -> u32 {
        self.supervisor.unsigned_abs()
    }

    pub(super) fn descriptor(&self) -> RawFd {
        self.line.as_raw_fd()
    }

    pub(super) fn try_wait(&mut self) -> Option<ExitStatus> {
        if !self.is_over {
            let mut word = [0];
            process::do_not_block(self.line.as_raw_fd());
            match self.line.read(&mut word) {
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => return None,
                // It says that all is over, or it is gone.
                _ => (),
            }
        }
        Some(self.wait())
    }

    /// Ends the program and all that it started, and waits for that.
    pub(super) fn kill(&mut self) -> ExitStatus {
        if !self.is_over {
            // A supervisor that does not listen any more is about to end.
            let _ = self.line.write(&[0]);
        }
        self.wait()
    }

    fn wait(&mut self) -> ExitStatus {
        while !self.is_over {
            // SAFETY: the child is ours, and nobody wants its status.
            let result = unsafe { libc::waitpid(self.supervisor, null_mut(), 0) };
            // Who ignores the ends of children gets an error, and gets it when the child has ended.
            self.is_over = result != -1 || Error::last_os_error().kind() != ErrorKind::Interrupted;
        }
        ExitStatus::from_raw(self.plan.status.load(Ordering::Acquire))
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The steps that can fail, for the message.
const STEPS: [&str; 21] = [
    "supervisor",
    "user and process namespace",
    "users of the namespace",
    "groups of the namespace",
    "entering the namespace",
    "namespaces of the program",
    "session",
    "mount of the folder",
    "read-only mounts",
    "folder",
    "streams",
    "access to /proc/self",
    "limits",
    "capabilities",
    "user",
    "no new privileges",
    "landlock",
    "seccomp",
    "descriptors",
    "execution",
    "signals",
];

#[derive(Clone, Copy)]
#[repr(u32)]
enum Step {
    Namespace = 1,
    Users,
    Groups,
    Entering,
    Program,
    Session,
    Folder,
    ReadOnly,
    Start,
    Streams,
    Own,
    Limits,
    Capabilities,
    User,
    Privileges,
    Landlock,
    Seccomp,
    Descriptors,
    Execution,
    Signals,
}

/// All that is needed to start a program, and what is said about it. It stays where it is while the supervisor runs.
#[derive(Debug)]
struct Plan {
    program: *const c_char,
    arguments: *const *const c_char,
    environment: *const *const c_char,
    folder: *const c_char,
    streams: [RawFd; 3],
    ruleset: Option<RawFd>,
    line: RawFd,
    bounds: [Bound; 6],
    namespaces: Option<Namespaces>,
    dumpable: c_int,
    filter: libc::sock_fprog,
    stacks: Stacks,
    /// Says that the first process of the namespace is ready.
    is_ready: AtomicU32,
    failed_step: AtomicU32,
    failure: AtomicI32,
    /// How the program ended, as the kernel says it.
    status: AtomicI32,
    /// What the pointers above point to.
    _texts: Texts,
}

#[derive(Debug)]
struct Texts {
    _strings: Vec<CString>,
    _lists: [Vec<*const c_char>; 2],
    _filter: Vec<libc::sock_filter>,
}

impl Plan {
    fn new(
        confinement: &Confinement,
        order: &Order<'_>,
        program: Option<&Path>,
        folder: &Path,
        streams: &[OwnedFd; 3],
        ruleset: Option<&OwnedFd>,
        line: &UnixStream,
    ) -> Result<Box<Plan>, SandboxError> {
        let name = program.unwrap_or(order.program);
        let mut strings = Vec::new();
        let mut keep = |text: &OsStr| -> Result<*const c_char, SandboxError> {
            let string =
                CString::new(text.as_bytes()).map_err(|_| SandboxError::NullCharacter { text: text.to_owned() })?;
            let pointer = string.as_ptr();
            strings.push(string);
            Ok(pointer)
        };
        let name_pointer = keep(name.as_os_str())?;
        let folder_pointer = keep(folder.as_os_str())?;
        let mut arguments = vec![name_pointer];
        for argument in &order.arguments {
            arguments.push(keep(argument)?);
        }
        arguments.push(null());
        let mut environment = Vec::new();
        for (name, value) in super::environment(order) {
            let mut entry = name;
            entry.push("=");
            entry.push(value);
            environment.push(keep(&entry)?);
        }
        environment.push(null());
        let namespaces = confinement.means.namespaces.clone();
        let filter = filter(namespaces.is_some());
        // The supervisor and the first process count among the processes of the namespace, unless the program is
        // another user there.
        let others = match &namespaces {
            Some(namespaces) => Some(if namespaces.is_nobody { 0 } else { 2 }),
            None => process::processes_of_user(),
        };
        let stacks =
            Stacks::new().map_err(|source| SandboxError::Start { program: name.to_owned(), step: "memory", source })?;
        Ok(Box::new(Plan {
            program: if program.is_some() { name_pointer } else { null() },
            arguments: arguments.as_ptr(),
            environment: environment.as_ptr(),
            folder: folder_pointer,
            streams: streams.each_ref().map(AsRawFd::as_raw_fd),
            ruleset: ruleset.map(|ruleset| ruleset.as_fd().as_raw_fd()),
            line: line.as_raw_fd(),
            bounds: process::bounds(&order.limits, others),
            namespaces,
            dumpable: confinement.means.dumpable,
            filter: libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() },
            stacks,
            is_ready: AtomicU32::new(0),
            failed_step: AtomicU32::new(0),
            failure: AtomicI32::new(0),
            status: AtomicI32::new(libc::SIGKILL),
            _texts: Texts { _strings: strings, _lists: [arguments, environment], _filter: filter },
        }))
    }

    fn start_supervisor(&self) -> Result<libc::pid_t, Error> {
        let plan: *const Plan = self;
        // SAFETY: the plan outlives the supervisor, since whoever owns it waits before it is dropped. Signals are
        // held back, so that no handler of ours runs in the supervisor.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            let flags = libc::CLONE_VM | libc::SIGCHLD;
            let supervisor = libc::clone(supervise, self.stacks.top(0), flags, plan.cast_mut().cast());
            let error = Error::last_os_error();
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut());
            if supervisor == -1 { Err(error) } else { Ok(supervisor) }
        }
    }

    /// Notes why the program cannot be started, unless another reason is known.
    fn fail(&self, step: Step, result: isize) -> c_int {
        if self.failure.load(Ordering::Acquire) == 0 {
            self.failed_step.store(step as u32, Ordering::Release);
            self.failure.store(-result as i32, Ordering::Release);
        }
        127
    }
}

/// The stacks of the three processes, each with a page below it that must not be touched.
#[derive(Debug)]
struct Stacks {
    memory: *mut c_void,
}

impl Stacks {
    const COUNT: usize = 3;
    const SIZE: usize = 1 << 18;
    const GUARD: usize = 1 << 16;

    fn new() -> Result<Stacks, Error> {
        // SAFETY: this is new memory; its parts below each stack are made inaccessible before it is used.
        unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let memory = libc::mmap(null_mut(), Self::COUNT * Self::SIZE, access, kind, -1, 0);
            if memory == libc::MAP_FAILED {
                return Err(Error::last_os_error());
            }
            let stacks = Stacks { memory };
            for index in 0..Self::COUNT {
                if libc::mprotect(memory.byte_add(index * Self::SIZE), Self::GUARD, libc::PROT_NONE) != 0 {
                    return Err(Error::last_os_error());
                }
            }
            Ok(stacks)
        }
    }

    /// Where a stack begins: stacks grow downwards.
    fn top(&self, index: usize) -> *mut c_void {
        self.memory.wrapping_byte_add((index + 1) * Self::SIZE)
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        // SAFETY: nobody uses the stacks any more, see `Supervised`.
        unsafe { libc::munmap(self.memory, Self::COUNT * Self::SIZE) };
    }
}

/// The namespaces to try, the best first; none at the end.
fn candidates() -> Vec<Option<Namespaces>> {
    // SAFETY: the calls have no arguments and always succeed.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let one = |id: u32| Arc::from(format!("{id} {id} 1\n").into_bytes());
    let mut candidates = Vec::new();
    if is_root()
        && let (Some((users, true)), Some((groups, _))) = (known_ids("uid_map"), known_ids("gid_map"))
    {
        candidates.push(Namespaces { read_only: true, users, groups, is_nobody: true });
    }
    candidates.push(Namespaces { read_only: true, users: one(user), groups: one(group), is_nobody: false });
    let weaker: Vec<Namespaces> =
        candidates.iter().map(|namespaces| Namespaces { read_only: false, ..namespaces.clone() }).collect();
    candidates.into_iter().chain(weaker).map(Some).chain([None]).collect()
}

/// The version of landlock, where there is any.
fn landlock_version() -> Option<ABI> {
    const VERSION: c_int = 1;
    // SAFETY: the call with this flag only asks.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, null::<c_void>(), 0_usize, VERSION) };
    i32::try_from(version).ok().filter(|version| *version > 0).map(ABI::from)
}

fn is_root() -> bool {
    // SAFETY: the call has no arguments and always succeeds.
    unsafe { libc::geteuid() == 0 }
}

/// The users or groups that our own namespace knows, each under its own number, and whether nobody is among them.
fn known_ids(file: &str) -> Option<(Arc<[u8]>, bool)> {
    let text = std::fs::read_to_string(Path::new("/proc/self").join(file)).ok()?;
    let mut map = String::new();
    let mut has_nobody = false;
    for line in text.lines() {
        let mut numbers = line.split_whitespace().map(|number| number.parse::<u64>().ok());
        let (first, _, count) = (numbers.next()??, numbers.next()??, numbers.next()??);
        has_nobody |= (first..first + count).contains(&u64::from(NOBODY));
        map.push_str(&format!("{first} {first} {count}\n"));
    }
    Some((Arc::from(map.into_bytes()), has_nobody))
}

/// What every program may read, and the one device that it may write.
fn system_files() -> Vec<(PathFd, BitFlags<AccessFs>)> {
    let mut paths = Vec::new();
    for name in SYSTEM {
        match name.strip_suffix('*').and_then(|name| name.rsplit_once('/')) {
            Some((folder, start)) => {
                let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
                let fits = entries.filter(|entry| entry.file_name().as_bytes().starts_with(start.as_bytes()));
                paths.extend(fits.map(|entry| entry.path()));
            }
            None => paths.push(PathBuf::from(name)),
        }
    }
    let open = |path: &Path, access| PathFd::new(path).ok().map(|file| (file, access));
    let readable = paths.iter().filter_map(|path| open(path, AccessFs::from_read(RIGHTS)));
    let null = open(Path::new("/dev/null"), AccessFs::ReadFile | AccessFs::WriteFile);
    readable.chain(null).collect()
}

/// The filter of system calls, as the kernel wants it: what namespaces and landlock do not watch over.
fn filter(has_network_namespace: bool) -> Vec<libc::sock_filter> {
    #[cfg(target_arch = "x86_64")]
    const ARCHITECTURE: u32 = 0xc000_003e;
    #[cfg(target_arch = "aarch64")]
    const ARCHITECTURE: u32 = 0xc000_00b7;
    let instruction =
        |code: u32, value: u32, yes: u8, no: u8| libc::sock_filter { code: code as u16, jt: yes, jf: no, k: value };
    let load = |offset: u32| instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0);
    let answer = |value: u32| instruction(libc::BPF_RET | libc::BPF_K, value, 0, 0);
    let skip_unless = |value: u32, count: u8| instruction(libc::BPF_JMP | libc::BPF_JEQ, value, 0, count);
    let refuse = |error: c_int| answer(libc::SECCOMP_RET_ERRNO | error as u32);

    // System calls of another architecture have other numbers.
    let mut filter = vec![load(4), instruction(libc::BPF_JMP | libc::BPF_JEQ, ARCHITECTURE, 1, 0)];
    filter.push(answer(libc::SECCOMP_RET_KILL_PROCESS));
    filter.push(load(0));
    // So have those of the x32 way of calling, which share the architecture.
    filter.push(instruction(libc::BPF_JMP | libc::BPF_JGE, 0x4000_0000, 0, 1));
    filter.push(refuse(libc::ENOSYS));
    let refused = [
        // The ring makes system calls that no filter sees.
        (libc::SYS_io_uring_setup, libc::ENOSYS),
        // Keys belong to users, not to namespaces.
        (libc::SYS_add_key, libc::EPERM),
        (libc::SYS_request_key, libc::EPERM),
        (libc::SYS_keyctl, libc::EPERM),
        // These have no use here, and a history of holes.
        (libc::SYS_bpf, libc::EPERM),
        (libc::SYS_perf_event_open, libc::EPERM),
        (libc::SYS_userfaultfd, libc::EPERM),
    ];
    for (call, error) in refused {
        filter.extend([skip_unless(call as u32, 1), refuse(error)]);
    }
    // A network namespace has no say about the other families: Unix sockets with a path reach daemons, and those of
    // a virtual machine reach its host. Pairs of connected sockets are another call, which reaches nobody.
    let families: &[c_int] =
        if has_network_namespace { &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK] } else { &[] };
    filter.extend([skip_unless(libc::SYS_socket as u32, 2 * families.len() as u8 + 2), load(16)]);
    for family in families {
        filter.extend([skip_unless(*family as u32, 1), answer(libc::SECCOMP_RET_ALLOW)]);
    }
    filter.push(refuse(libc::EACCES));
    filter.push(answer(libc::SECCOMP_RET_ALLOW));
    filter
}

/// A bare system call: what it returns is a result or a negative error number.
///
/// # Safety
///
/// As of the system call.
#[cfg(target_arch = "x86_64")]
unsafe fn system_call(number: c_long, arguments: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = arguments;
    let result;
    // SAFETY: these are the registers of a system call, and those that it changes.
    unsafe {
        std::arch::asm!("syscall", inlateout("rax") number as isize => result, in("rdi") a, in("rsi") b, in("rdx") c,
            in("r10") d, in("r8") e, in("r9") f, lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

/// A bare system call: what it returns is a result or a negative error number.
///
/// # Safety
///
/// As of the system call.
#[cfg(target_arch = "aarch64")]
unsafe fn system_call(number: c_long, arguments: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = arguments;
    let result;
    // SAFETY: these are the registers of a system call, and those that it changes.
    unsafe {
        std::arch::asm!("svc 0", in("x8") number, inlateout("x0") a => result, in("x1") b, in("x2") c, in("x3") d,
            in("x4") e, in("x5") f, options(nostack));
    }
    result
}

/// A bare system call with as many arguments as it takes.
macro_rules! call {
    ($number:expr) => { system_call($number, [0; 6]) };
    ($number:expr, $a:expr) => { system_call($number, [$a as usize, 0, 0, 0, 0, 0]) };
    ($number:expr, $a:expr, $b:expr) => { system_call($number, [$a as usize, $b as usize, 0, 0, 0, 0]) };
    ($number:expr, $a:expr, $b:expr, $c:expr) => {
        system_call($number, [$a as usize, $b as usize, $c as usize, 0, 0, 0])
    };
    ($number:expr, $a:expr, $b:expr, $c:expr, $d:expr) => {
        system_call($number, [$a as usize, $b as usize, $c as usize, $d as usize, 0, 0])
    };
    ($number:expr, $a:expr, $b:expr, $c:expr, $d:expr, $e:expr) => {
        system_call($number, [$a as usize, $b as usize, $c as usize, $d as usize, $e as usize, 0])
    };
}

/// Makes a system call, and leaves with the step that has failed where it fails.
macro_rules! must {
    ($plan:expr, $step:expr, $call:expr) => {{
        let result: isize = $call;
        if result < 0 {
            return $plan.fail($step, result);
        }
        result
    }};
}

/// The supervisor, running beside us.
extern "C" fn supervise(argument: *mut c_void) -> c_int {
    // SAFETY: this is the plan that the supervisor was started with, and it stays until we have ended. All pointers
    // in it point to what it owns. Descriptors are those of this process, which has a table of its own.
    unsafe {
        let plan = &*argument.cast::<Plan>().cast_const();
        let mut first = 0;
        let result = start_program(plan, &mut first);
        if let Ok((program, program_descriptor)) = result {
            watch(plan, program, program_descriptor, first);
        }
        // Everything in the namespace ends with its first process, and that one ends when all others have.
        if first != 0 {
            call!(libc::SYS_kill, first, libc::SIGKILL);
            call!(libc::SYS_wait4, first, 0, libc::__WALL, 0);
        }
        if result.is_ok() {
            let word = [0_u8];
            call!(libc::SYS_write, 0, word.as_ptr(), 1);
        }
    }
    0
}

/// Waits until the program has ended or shall end, beside us.
unsafe fn watch(plan: &Plan, program: isize, program_descriptor: c_int, first: isize) {
    // SAFETY: as in `supervise`.
    unsafe {
        // Whoever has our pipes keeps them open, and whoever has a file of /proc open keeps the rule about it.
        let mut path = [0; 48];
        path_of_process(&mut path, program, b"");
        let own = call!(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC);
        // The three are moved up and then down, since they may lie where they are to go.
        let places = [plan.line as isize, program_descriptor as isize, own];
        let mut moved = [-1_isize; 3];
        for (place, moved) in places.into_iter().zip(&mut moved) {
            *moved = call!(libc::SYS_fcntl, place, libc::F_DUPFD_CLOEXEC, 3);
        }
        for (target, place) in moved.into_iter().enumerate() {
            if place < 0 {
                call!(libc::SYS_close, target);
            } else {
                call!(libc::SYS_dup3, place, target, libc::O_CLOEXEC);
            }
        }
        call!(libc::SYS_close_range, 3, u32::MAX, 0);
        let word = [0_u8];
        call!(libc::SYS_write, 0, word.as_ptr(), 1);

        let mut entries = [
            libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: 1, events: libc::POLLIN, revents: 0 },
        ];
        call!(libc::SYS_ppoll, entries.as_mut_ptr(), entries.len(), 0, 0, 8);
        let has_ended = entries[1].revents != 0;
        if !has_ended {
            call!(libc::SYS_kill, if first == 0 { program } else { first }, libc::SIGKILL);
        }
        let mut status: c_int = 0;
        let mut usage: libc::rusage = std::mem::zeroed();
        if call!(libc::SYS_wait4, program, &raw mut status, libc::__WALL, &raw mut usage) == program {
            // Who ignores the signal at the end of its CPU time is killed, and ends for the same reason.
            let [bound, ..] = &plan.bounds;
            let seconds = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) as u64;
            let is_over = has_ended && status == libc::SIGKILL && seconds >= bound.soft;
            plan.status.store(if is_over { libc::SIGXCPU } else { status }, Ordering::Release);
        }
        if first == 0 {
            end_orphans();
        }
    }
}

/// Ends all children, and those that come to us when their parents end, beside us.
unsafe fn end_orphans() {
    const ANY: libc::pid_t = -1;
    // SAFETY: as in `supervise`; the buffer is as long as it is said to be.
    unsafe {
        loop {
            let path = c"/proc/thread-self/children";
            let file = call!(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
            let mut buffer = [0_u8; 2048];
            let count = call!(libc::SYS_read, file, buffer.as_mut_ptr(), buffer.len());
            call!(libc::SYS_close, file);
            let mut number = 0_usize;
            for byte in buffer.iter().take(count.max(0) as usize) {
                if byte.is_ascii_digit() {
                    number = number.wrapping_mul(10).wrapping_add((*byte - b'0') as usize);
                } else {
                    call!(libc::SYS_kill, number, libc::SIGKILL);
                    number = 0;
                }
            }
            // Without the list there is nothing to do but to take those that have ended.
            let how = libc::__WALL | if count > 0 { 0 } else { libc::WNOHANG };
            if call!(libc::SYS_wait4, ANY, 0, how, 0) <= 0 {
                return;
            }
        }
    }
}

/// Starts the first process of the namespace and the program, beside us: the program's number and a descriptor of it.
unsafe fn start_program(plan: &Plan, first: &mut isize) -> Result<(isize, c_int), c_int> {
    // SAFETY: as in `supervise`.
    unsafe {
        call!(libc::SYS_setsid);
        let argument: *mut c_void = (&raw const *plan).cast_mut().cast();
        let mut descriptor: c_int = -1;
        let shared = libc::CLONE_VM | libc::CLONE_PIDFD | libc::SIGCHLD;
        let mut flags = shared | libc::CLONE_VFORK;
        if let Some(namespaces) = &plan.namespaces {
            if namespaces.is_nobody {
                call!(libc::SYS_setgroups, 0, 0);
            }
            let own = libc::CLONE_NEWUSER | libc::CLONE_NEWPID;
            // The C library's function needs no thread, and writes its error number only when it fails: then our
            // thread still waits for the answer.
            *first = libc::clone(stay, plan.stacks.top(1), shared | own, argument, &raw mut descriptor) as isize;
            if *first < 0 {
                *first = 0;
                return Err(plan.fail(Step::Namespace, -(*libc::__errno_location() as isize)));
            }
            while plan.is_ready.load(Ordering::Acquire) == 0 {
                call!(libc::SYS_futex, plan.is_ready.as_ptr(), libc::FUTEX_WAIT, 0, 0);
            }
            // Programs may not change their groups, which a right of access could depend on.
            write_file(*first, b"setgroups", b"deny");
            let result = write_file(*first, b"uid_map", &namespaces.users);
            if result < 0 {
                return Err(plan.fail(Step::Users, result));
            }
            let result = write_file(*first, b"gid_map", &namespaces.groups);
            if result < 0 {
                return Err(plan.fail(Step::Groups, result));
            }
            let result = call!(libc::SYS_setns, descriptor, own);
            if result < 0 {
                return Err(plan.fail(Step::Entering, result));
            }
            call!(libc::SYS_close, descriptor);
            // A program that makes namespaces has all rights in them, and reaches parts of the kernel that it need
            // not reach. Where /proc cannot be written, it keeps that way.
            let path = c"/proc/sys/user/max_user_namespaces";
            write_path(path.as_ptr().cast(), b"0");
            flags |= libc::CLONE_NEWNET | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
            if namespaces.read_only {
                flags |= libc::CLONE_NEWNS;
            }
        } else {
            call!(libc::SYS_prctl, libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        }
        // We go on when the program has been executed or has failed.
        let program = libc::clone(become_program, plan.stacks.top(2), flags, argument, &raw mut descriptor);
        call!(libc::SYS_prctl, libc::PR_SET_DUMPABLE, plan.dumpable, 0, 0, 0);
        if program < 0 {
            return Err(plan.fail(Step::Program, -(*libc::__errno_location() as isize)));
        }
        if plan.failure.load(Ordering::Acquire) != 0 {
            call!(libc::SYS_wait4, program, 0, libc::__WALL, 0);
            return Err(127);
        }
        Ok((program as isize, descriptor))
    }
}

/// The first process of the namespace, beside us: it stays until it is killed.
extern "C" fn stay(argument: *mut c_void) -> c_int {
    // SAFETY: as in `supervise`.
    unsafe {
        let plan = &*argument.cast::<Plan>().cast_const();
        call!(libc::SYS_prctl, libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        // The kernel forgets ended children of who ignores their ends.
        let ignore = KernelAction { handler: libc::SIG_IGN, ..KernelAction::DEFAULT };
        call!(libc::SYS_rt_sigaction, libc::SIGCHLD, &raw const ignore, 0, 8);
        call!(libc::SYS_close_range, 0, u32::MAX, 0);
        plan.is_ready.store(1, Ordering::Release);
        call!(libc::SYS_futex, plan.is_ready.as_ptr(), libc::FUTEX_WAKE, 1);
        loop {
            call!(libc::SYS_ppoll, 0, 0, 0, 0, 8);
        }
    }
}

/// What a signal does, as the kernel has it.
#[repr(C)]
struct KernelAction {
    handler: usize,
    flags: u64,
    restorer: usize,
    mask: u64,
}

impl KernelAction {
    const DEFAULT: KernelAction = KernelAction { handler: libc::SIG_DFL, flags: 0, restorer: 0, mask: 0 };
}

/// The capabilities of a process, as the kernel has them: each half has 32 of them.
#[repr(C)]
#[derive(Clone, Copy)]
struct Capabilities {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// A rule about files, as the kernel has it.
#[repr(C, packed)]
struct FileRule {
    access: u64,
    file: c_int,
}

/// Confines itself and becomes the program, beside us.
extern "C" fn become_program(argument: *mut c_void) -> c_int {
    // SAFETY: as in `supervise`.
    unsafe {
        let plan = &*argument.cast::<Plan>().cast_const();
        must!(plan, Step::Session, call!(libc::SYS_setsid));
        call!(libc::SYS_umask, 0o022);
        // What we ignore, and what we catch, is nothing to the program. Some signals cannot be set.
        let default = KernelAction::DEFAULT;
        for signal in 1..=64 {
            call!(libc::SYS_rt_sigaction, signal, &raw const default, 0, 8);
        }
        // When memory runs out, this is the one to go. Where /proc cannot be written, so be it.
        write_path(c"/proc/self/oom_score_adj".as_ptr().cast(), b"1000");
        if plan.namespaces.as_ref().is_some_and(|namespaces| namespaces.read_only) {
            let how = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_RECURSIVE as u32;
            let tree = must!(plan, Step::Folder, call!(libc::SYS_open_tree, libc::AT_FDCWD, plan.folder, how));
            // What is set, what is cleared, and two more that stay.
            let attributes = [libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID, 0, 0, 0_u64];
            let (root, how) = (c"/".as_ptr(), libc::AT_RECURSIVE);
            let attributes = attributes.as_ptr();
            must!(plan, Step::ReadOnly, call!(libc::SYS_mount_setattr, libc::AT_FDCWD, root, how, attributes, 32));
            let (nothing, how) = (c"".as_ptr(), libc::MOVE_MOUNT_F_EMPTY_PATH);
            must!(plan, Step::Folder, call!(libc::SYS_move_mount, tree, nothing, libc::AT_FDCWD, plan.folder, how));
        }
        must!(plan, Step::Start, call!(libc::SYS_chdir, plan.folder));
        for (target, stream) in plan.streams.iter().enumerate() {
            must!(plan, Step::Streams, call!(libc::SYS_dup3, *stream, target, 0));
        }
        if let Some(ruleset) = plan.ruleset {
            let path = c"/proc/self".as_ptr();
            let own = call!(libc::SYS_openat, libc::AT_FDCWD, path, libc::O_PATH | libc::O_CLOEXEC);
            // Without /proc there is nothing to have access to.
            if own >= 0 {
                let access = (AccessFs::ReadFile as u64) | (AccessFs::ReadDir as u64);
                let rule = FileRule { access, file: own as c_int };
                must!(plan, Step::Own, call!(libc::SYS_landlock_add_rule, ruleset, PATH_BENEATH, &raw const rule, 0));
            }
        }
        let is_nobody = plan.namespaces.as_ref().is_some_and(|namespaces| namespaces.is_nobody);
        if plan.namespaces.is_some() || is_privileged() {
            let code = drop_capabilities(plan, is_nobody);
            if code != 0 {
                return code;
            }
        }
        for bound in &plan.bounds {
            let mut limit = [0_u64; 2];
            let resource = bound.resource;
            must!(plan, Step::Limits, call!(libc::SYS_prlimit64, 0, resource, 0, limit.as_mut_ptr()));
            limit[1] = limit[1].min(bound.hard);
            limit[0] = limit[1].min(bound.soft);
            must!(plan, Step::Limits, call!(libc::SYS_prlimit64, 0, resource, limit.as_ptr(), 0));
        }
        must!(plan, Step::Privileges, call!(libc::SYS_prctl, libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
        if let Some(ruleset) = plan.ruleset {
            must!(plan, Step::Landlock, call!(libc::SYS_landlock_restrict_self, ruleset, 0));
        }
        let mode = libc::SECCOMP_SET_MODE_FILTER;
        must!(plan, Step::Seccomp, call!(libc::SYS_seccomp, mode, 0, &raw const plan.filter));
        must!(plan, Step::Descriptors, call!(libc::SYS_close_range, 3, u32::MAX, 0));
        let none = 0_u64;
        must!(plan, Step::Signals, call!(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const none, 0, 8));
        if plan.program.is_null() {
            call!(libc::SYS_exit_group, 0);
        }
        let (program, arguments, environment) = (plan.program, plan.arguments, plan.environment);
        must!(plan, Step::Execution, call!(libc::SYS_execve, program, arguments, environment));
    }
    127
}

/// The kind of a landlock rule that is about files.
const PATH_BENEATH: c_int = 1;

/// Has this process a capability? Beside us.
unsafe fn is_privileged() -> bool {
    let header = [CAPABILITIES_VERSION, 0];
    let mut sets = [Capabilities { effective: 0, permitted: 0, inheritable: 0 }; 2];
    // SAFETY: as in `supervise`.
    unsafe { call!(libc::SYS_capget, header.as_ptr(), sets.as_mut_ptr()) };
    sets.iter().any(|set| set.permitted != 0)
}

const CAPABILITIES_VERSION: u32 = 0x2008_0522;

/// Gives up all capabilities, or all but that of opening files, with another user; beside us.
unsafe fn drop_capabilities(plan: &Plan, is_nobody: bool) -> c_int {
    /// Root gets no capabilities when it executes a program, for good, and neither does anybody who becomes root.
    const NO_ROOT: c_int = 0b1111;
    const DAC_OVERRIDE: u32 = 1;
    // SAFETY: as in `supervise`.
    unsafe {
        let kept: u32 = if is_nobody { 1 << DAC_OVERRIDE } else { 0 };
        for capability in (0..64).filter(|capability| u64::from(kept) >> capability & 1 == 0) {
            if call!(libc::SYS_prctl, libc::PR_CAPBSET_DROP, capability, 0, 0, 0) < 0 {
                break;
            }
        }
        // Root outside a namespace may lack the right to say so; it has no capabilities left to get by then.
        call!(libc::SYS_prctl, libc::PR_SET_SECUREBITS, NO_ROOT, 0, 0, 0);
        if is_nobody {
            must!(plan, Step::User, call!(libc::SYS_setresuid, NOBODY, NOBODY, NOBODY));
        }
        let low = Capabilities { effective: kept, permitted: kept, inheritable: kept };
        let sets = [low, Capabilities { effective: 0, permitted: 0, inheritable: 0 }];
        let header = [CAPABILITIES_VERSION, 0];
        must!(plan, Step::Capabilities, call!(libc::SYS_capset, header.as_ptr(), sets.as_ptr()));
        if is_nobody {
            let (how, raise) = (libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_RAISE);
            must!(plan, Step::Capabilities, call!(libc::SYS_prctl, how, raise, DAC_OVERRIDE, 0, 0));
        }
    }
    0
}

/// Writes a file of a process in `/proc`, beside us.
unsafe fn write_file(process: isize, name: &[u8], text: &[u8]) -> isize {
    let mut path = [0; 48];
    path_of_process(&mut path, process, name);
    // SAFETY: the path ends in a null character.
    unsafe { write_path(path.as_ptr(), text) }
}

/// Writes a file, beside us.
unsafe fn write_path(path: *const u8, text: &[u8]) -> isize {
    // SAFETY: as in `supervise`.
    unsafe {
        let file = call!(libc::SYS_openat, libc::AT_FDCWD, path, libc::O_WRONLY | libc::O_CLOEXEC);
        if file < 0 {
            return file;
        }
        let result = call!(libc::SYS_write, file, text.as_ptr(), text.len());
        call!(libc::SYS_close, file);
        result
    }
}

/// Writes `/proc/<process>/<name>` with a null character at the end; beside us.
fn path_of_process(path: &mut [u8; 48], process: isize, name: &[u8]) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    let mut rest = process as usize;
    while first == digits.len() || (rest > 0 && first > 0) {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let number = digits[first..].iter();
    let text = b"/proc/".iter().chain(number).chain(b"/").chain(name).chain(b"\0");
    for (place, byte) in path.iter_mut().zip(text) {
        *place = *byte;
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::super::{Ending, Limits, Outcome, Sandbox};
    use super::*;

    /// Every way to confine that works here, down to landlock alone: the best is found by `find`, and the others have
    /// to hold where it is missing.
    fn ways() -> Vec<Sandbox> {
        let best = Confinement::find().unwrap_or_else(|error| panic!("{error}"));
        let all = candidates().into_iter().map(|namespaces| Confinement {
            means: Means { namespaces, ..best.means.clone() },
            system: best.system.clone(),
        });
        let works = all.filter(|confinement| confinement.means.landlock.is_some() && confinement.try_out().is_ok());
        works.map(|confinement| Sandbox { confinement: Some(confinement) }).collect()
    }

    fn run(sandbox: &Sandbox, folder: &Path, script: &str) -> Outcome {
        let order = Order {
            program: Path::new("/bin/sh"),
            arguments: vec!["-c".into(), script.into()],
            environment: Vec::new(),
            folder,
            readable: Vec::new(),
            input: &[],
            limits: Limits { time: Duration::from_secs(60), ..Limits::default() },
        };
        sandbox.run(&order).unwrap_or_else(|error| panic!("{sandbox:?}: {error}"))
    }

    #[test]
    fn every_way_to_confine_holds() {
        let place = std::env::temp_dir().join(format!("sandbox-ways-{}", std::process::id()));
        let folder = place.join("folder");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(place.join("secret"), "secret").unwrap();
        let ways = ways();
        assert!(!ways.is_empty());
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let connect = format!("import socket; socket.create_connection((\"127.0.0.1\", {port}))");
        for sandbox in &ways {
            let check = |script: &str, status| {
                let outcome = run(sandbox, &folder, script);
                assert_eq!(outcome.ending, Ending::Exit(status), "{script}: {:?} {sandbox:?}", outcome);
            };
            check("echo x > file && cat file && mkdir sub && mv file sub && rm -r sub", 0);
            check("cat ../secret", 1);
            check("echo x >> ../secret", 2);
            check("echo x > ../new", 2);
            check("rm ../secret", 1);
            check("kill -0 1", if sandbox.gaps().iter().any(|gap| gap.contains("signals")) { 0 } else { 1 });
            if Path::new("/usr/bin/python3").exists() {
                check(&format!("/usr/bin/python3 -c '{connect}'"), 1);
            }
            // What is left behind is ended, and nobody waits for it.
            let begin = Instant::now();
            let stay = format!("setsid sh -c 'sleep 1000; exit' {}", place.display());
            check(&format!("{stay} & (setsid {stay} &) ; sleep 0.1; exit 0"), 0);
            assert!(begin.elapsed() < Duration::from_secs(30));
            assert_eq!(processes(&place), 0, "{sandbox:?}");
        }
        assert_eq!(std::fs::read_to_string(place.join("secret")).unwrap(), "secret");
        std::fs::remove_dir_all(&place).unwrap();
    }

    /// How many processes have a path among their arguments.
    fn processes(path: &Path) -> usize {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
        lines.filter(|line| line.split(|byte| *byte == 0).any(|part| part == path.as_os_str().as_bytes())).count()
    }

    #[test]
    fn paths_of_processes() {
        for (process, name, expected) in [(1, "", "/proc/1/"), (4_194_304, "setgroups", "/proc/4194304/setgroups")] {
            let mut path = [0; 48];
            path_of_process(&mut path, process, name.as_bytes());
            assert_eq!(std::ffi::CStr::from_bytes_until_nul(&path).unwrap().to_str().unwrap(), expected);
        }
    }
}
