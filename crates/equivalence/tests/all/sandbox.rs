//! Programs that try to get out of the sandbox.
//!
//! Most are Python programs that print `escaped` for each attempt that succeeds. Where it does no harm they are
//! run without the sandbox as well, and have to succeed there: an attempt that fails anywhere shows nothing.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use equivalence::sandbox::{Ending, Limits, Memory, Order, Outcome, Sandbox, SandboxError};

#[test]
fn the_network_is_out_of_reach() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let (tcp, port) = (tcp.local_addr().unwrap().port().to_string(), udp.local_addr().unwrap().port().to_string());
    check_held(
        "import socket, sys
attempt(lambda: socket.create_connection(('127.0.0.1', int(sys.argv[1])), 2))
attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', int(sys.argv[2]))))",
        &[&tcp, &port],
        Contrast::Escapes,
    );
    // The one datagram is from the program that was not confined.
    let mut buffer = [0; 8];
    assert!(udp.recv(&mut buffer).is_ok());
    assert!(udp.recv(&mut buffer).is_err());
}

#[test]
fn names_are_not_looked_up() {
    check_held(
        "import socket
attempt(lambda: socket.getaddrinfo('example.com', 80))
attempt(lambda: socket.getaddrinfo('one.one.one.one', 80))
attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('1.1.1.1', 53)))",
        &[],
        Contrast::None,
    );
}

#[test]
fn unix_sockets_are_out_of_reach() {
    let place = Place::new();
    let name = format!("sandbox-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _abstract = UnixListener::bind_addr(&address).unwrap();
    let path = place.path.join("socket");
    let _named = UnixListener::bind(&path).unwrap();
    check_held(
        "import socket, sys
attempt(lambda: socket.socket(socket.AF_UNIX).connect('\\0' + sys.argv[1]))
attempt(lambda: socket.socket(socket.AF_UNIX).connect(sys.argv[2]))",
        &[&name, path.to_str().unwrap()],
        Contrast::Escapes,
    );
}

#[test]
fn ways_around_the_network_namespace_are_closed() {
    // A socket to the host of a virtual machine, keys of the user, and the ring of system calls.
    check_held(
        "import ctypes, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    result = libc.syscall(*arguments)
    if result < 0: raise OSError(ctypes.get_errno(), 'refused')
attempt(lambda: socket.socket(40, socket.SOCK_STREAM))
attempt(lambda: socket.socket(38, socket.SOCK_SEQPACKET))
attempt(lambda: call(425, 8, ctypes.create_string_buffer(256)))
import platform
if platform.machine() == 'x86_64': attempt(lambda: call(248, b'user', b'sandbox', b'x', 1, -3))",
        &[],
        Contrast::None,
    );
}

#[test]
fn only_the_folder_can_be_written() {
    let victims = Place::new();
    for name in ["new", "append", "truncate", "unlink", "rename", "chmod", "time", "link"] {
        std::fs::write(victims.path.join(name), "as it was").unwrap();
    }
    let before = listing(&victims.path);
    let script = "import os, sys
place = sys.argv[1]
path = lambda name: os.path.join(place, name)
attempt(lambda: open(path('fresh'), 'w'))
attempt(lambda: open(path('new'), 'w'))
attempt(lambda: open(path('append'), 'a'))
attempt(lambda: os.truncate(path('truncate'), 0))
attempt(lambda: os.unlink(path('unlink')))
attempt(lambda: os.rename(path('rename'), path('renamed')))
attempt(lambda: os.mkdir(path('made')))
attempt(lambda: os.symlink('x', path('symbolic')))
attempt(lambda: os.link(path('link'), path('linked')))
attempt(lambda: os.link(path('link'), 'linked'))
attempt(lambda: os.mkfifo(path('fifo')))
attempt(lambda: os.chmod(path('chmod'), 0o777))
attempt(lambda: os.utime(path('time')))
open('inside', 'w').write('x'); os.rename('inside', 'moved'); os.mkdir('sub'); os.rename('moved', 'sub/moved')
os.chmod('sub', 0o700); os.utime('sub'); os.link('sub/moved', 'again'); os.symlink('again', 'link')";
    let argument = victims.path.to_str().unwrap();
    check_held(script, &[argument], Contrast::None);
    assert_eq!(listing(&victims.path), before);
    check_escapes(script, &[argument]);
    assert_ne!(listing(&victims.path), before);

    let home = std::env::var("HOME").unwrap_or_else(|_| "/".to_owned());
    check_held(
        "import os, sys, tempfile
for place in [sys.argv[1], '/tmp', '/var/tmp', '/dev/shm', '/', '/usr', '/etc', '/run', os.path.dirname(os.getcwd())]:
    attempt(lambda: open(os.path.join(place, 'sandbox-escape'), 'w'))
    attempt(lambda: os.utime(place))
assert tempfile.gettempdir() == os.getcwd() == os.path.expanduser('~')",
        &[&home],
        Contrast::None,
    );
}

#[test]
fn only_what_is_listed_can_be_read() {
    let secrets = Place::new();
    let secret = secrets.path.join("secret");
    std::fs::write(&secret, "a secret").unwrap();
    let parent = std::process::id().to_string();
    check_held(
        "import os, sys
secret, parent = sys.argv[1:]
attempt(lambda: open(secret).read())
attempt(lambda: os.listdir(os.path.dirname(secret)))
attempt(lambda: os.listdir('/tmp'))
attempt(lambda: os.listdir('/proc'))
for file in ['environ', 'cmdline', 'maps', 'status']:
    attempt(lambda: open(f'/proc/{parent}/{file}').read(1))
attempt(lambda: os.listdir(f'/proc/{parent}/fd'))
attempt(lambda: open('/proc/self/root' + secret).read())
attempt(lambda: open('/proc/1/status').read())",
        &[secret.to_str().unwrap(), &parent],
        Contrast::Escapes,
    );
    // Not everybody can do this without a sandbox.
    check_held(
        "import os, sys
attempt(lambda: open('/etc/shadow').read())
attempt(lambda: open('/etc/gshadow').read())
attempt(lambda: os.listdir('/etc'))
attempt(lambda: os.listdir('/etc/ssl/private'))
attempt(lambda: open(f'/proc/{sys.argv[1]}/mem', 'rb'))
attempt(lambda: os.listdir(f'/proc/{sys.argv[1]}/root'))",
        &[&parent],
        Contrast::None,
    );
}

#[test]
fn links_and_dots_do_not_lead_out() {
    let place = Place::new();
    let folder = place.path.join("folder");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(place.path.join("secret"), "a secret").unwrap();
    std::os::unix::fs::symlink(place.path.join("secret"), folder.join("link")).unwrap();
    std::os::unix::fs::symlink("..", folder.join("up")).unwrap();
    let script = attempts(
        "import os
for path in ['../secret', 'link', 'up/secret', './../folder/../secret', '/proc/self/cwd/../secret']:
    attempt(lambda: open(path).read())
attempt(lambda: open('up/new', 'w'))
os.symlink('../secret', 'own')
attempt(lambda: open('own').read())
attempt(lambda: open('own', 'a'))
os.chdir('..')
attempt(lambda: open('secret').read())
attempt(lambda: os.chroot('.'))",
    );
    let outcome = run(&python(&folder, &script, &[]));
    assert_held(&outcome);
    std::fs::remove_file(folder.join("own")).unwrap();
    let outcome = Sandbox::none().run(&python(&folder, &script, &[])).unwrap();
    assert!(count(&outcome, "escaped") >= 9, "{}", show(&outcome));
}

#[test]
fn what_is_readable_can_be_read_and_executed() {
    let place = Place::new();
    let given = Place::new();
    std::fs::write(given.path.join("data"), "data").unwrap();
    std::fs::copy("/bin/echo", given.path.join("echo")).unwrap();
    let script = format!("cat {0}/data; {0}/echo run; echo x > {0}/data", given.path.display());
    let mut order = shell(&place.path, &script);
    order.readable = vec![given.path.clone()];
    let outcome = run(&order);
    assert_eq!(text(&outcome), "datarun\n");
    assert_ne!(outcome.errors, b"");
    assert_eq!(std::fs::read_to_string(given.path.join("data")).unwrap(), "data");
}

#[test]
fn fork_bombs_are_contained() {
    let place = Place::new();
    let mark = mark();
    let count = "import os, time
count = 0
try:
    while count < 500:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        count += 1
except OSError:
    pass
print(count, flush=True)";
    for processes in [20, 40] {
        let mut order = python(&place.path, count, &[]);
        order.limits.processes = processes;
        let outcome = run(&order);
        assert_eq!(text(&outcome), format!("{}\n", processes - 1), "{}", show(&outcome));
    }
    let bomb = "import os
print('begun', flush=True)
while True:
    try: os.fork()
    except OSError: pass";
    let mut order = python(&place.path, bomb, &[&mark]);
    order.limits.time = Duration::from_secs(5);
    let begin = Instant::now();
    let outcome = run(&order);
    assert_eq!((outcome.ending, text(&outcome)), (Ending::TimeOut, "begun\n".into()));
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    assert_eq!(processes(&mark), 0);
}

#[test]
fn memory_is_limited() {
    let place = Place::new();
    let script = "data = []
try:
    for _ in range(40): data.append(bytearray(b'x') * (10 << 20))
except MemoryError:
    print('full at', len(data))
else:
    print('never full')";
    for kind in [Memory::AddressSpace, Memory::Data] {
        let mut order = python(&place.path, script, &[]);
        order.limits.memory = 200 << 20;
        order.limits.memory_kind = kind;
        assert!(text(&run(&order)).starts_with("full at 1"), "{}", show(&run(&order)));
        order.limits.memory = 1 << 30;
        assert_eq!(text(&run(&order)), "never full\n");
    }
}

#[test]
fn output_is_limited() {
    let place = Place::new();
    for (script, is_error) in [("yes", false), ("yes >&2", true)] {
        let mut order = shell(&place.path, script);
        order.limits.output = 100_000;
        order.limits.time = Duration::from_secs(60);
        let begin = Instant::now();
        let outcome = run(&order);
        assert!(begin.elapsed() < Duration::from_secs(30));
        assert_eq!(outcome.ending, Ending::TooMuchOutput);
        let lengths = [outcome.output.len(), outcome.errors.len()];
        assert_eq!(lengths, if is_error { [0, 100_000] } else { [100_000, 0] });
    }
    // As much as is allowed is not too much.
    let mut order = shell(&place.path, "head -c 100000 /dev/zero");
    order.limits.output = 100_000;
    let outcome = run(&order);
    assert_eq!((outcome.ending, outcome.output.len()), (Ending::Exit(0), 100_000));
}

#[test]
fn time_is_limited() {
    let place = Place::new();
    let mark = mark();
    let endless = "import sys\nprint('begun', flush=True)\nwhile True: pass";
    let asleep = "import sys, time\nprint('begun', flush=True)\ntime.sleep(1000)";
    let deaf = "import os, sys, signal, time
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
print('begun', flush=True)
os.close(1); os.close(2)
time.sleep(1000)";
    let bounded = &|script: &str, sandbox: &Sandbox| {
        let mut order = python(&place.path, script, &[&mark]);
        order.limits.time = Duration::from_secs(3);
        let begin = Instant::now();
        let outcome = sandbox.run(&order).unwrap();
        assert!((3..20).contains(&begin.elapsed().as_secs()), "{:?}", begin.elapsed());
        assert_eq!(outcome.ending, Ending::TimeOut);
        assert_eq!(text(&outcome), "begun\n");
    };
    let without = Sandbox::none();
    // They only wait, so they wait together.
    std::thread::scope(|threads| {
        for script in [endless, asleep, deaf] {
            for sandbox in [sandbox(), &without] {
                threads.spawn(move || bounded(script, sandbox));
            }
        }
    });
    assert_eq!(processes(&mark), 0);
    let deaf = "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass";
    for script in [endless, deaf] {
        let mut order = python(&place.path, script, &[]);
        order.limits = Limits { time: Duration::from_secs(300), cpu_time: Duration::from_millis(600), ..order.limits };
        let begin = Instant::now();
        assert_eq!(run(&order).ending, Ending::TimeOut);
        assert!(begin.elapsed() < Duration::from_secs(120), "{:?}", begin.elapsed());
    }
}

#[test]
fn files_are_limited_in_size() {
    let place = Place::new();
    let mut order = shell(&place.path, "head -c 300000 /dev/zero > file; echo $?");
    order.limits.file_size = 100_000;
    assert_ne!(text(&run(&order)), "0\n");
    assert_eq!(place.path.join("file").metadata().unwrap().len(), 100_000);
    order.limits.file_size = 1 << 20;
    assert_eq!(text(&run(&order)), "0\n");
    let mut order = python(&place.path, "import os\nos.truncate('file', 1 << 40)", &[]);
    order.limits.file_size = 1 << 20;
    assert_ne!(run(&order).ending, Ending::Exit(0));
}

#[test]
fn all_processes_and_all_files_together_are_limited() {
    let place = Place::new();
    let many = "import os, time\nfor _ in range(6):\n    if os.fork() == 0:\n        taken = bytearray(b'x') * (100 << 20)\n        \
                time.sleep(60)\ntime.sleep(60)\n";
    let begin = Instant::now();
    let mut order = python(&place.path, many, &[]);
    order.limits = Limits { time: Duration::from_secs(60), memory_of_all: 300 << 20, ..order.limits };
    assert_eq!(run(&order).ending, Ending::TooLarge);
    order.limits.memory_of_all = 1 << 40;
    order.limits.time = Duration::from_secs(2);
    assert_eq!(run(&order).ending, Ending::TimeOut);
    for script in [
        "i=0; while :; do i=$((i+1)); head -c 90000 /dev/zero > file$i; done",
        "i=0; while :; do i=$((i+1)); mkdir d$i; : > d$i/e; done",
    ] {
        let place = Place::new();
        let mut order = shell(&place.path, script);
        order.limits = Limits { time: Duration::from_secs(120), cpu_time: Duration::from_secs(120), ..order.limits };
        order.limits.file_size = 100_000;
        assert_eq!(run(&order).ending, Ending::TooLarge, "{script}");
    }
    assert!(begin.elapsed() < Duration::from_secs(100), "{:?}", begin.elapsed());
}

#[test]
fn other_processes_cannot_be_signalled() {
    let mut bystander = Bystander::start();
    let id = bystander.0.id().to_string();
    let parent = std::process::id().to_string();
    check_held(
        "import os, sys
for process in sys.argv[1:]: attempt(lambda: os.kill(int(process), 0))
attempt(lambda: os.killpg(os.getpgid(int(sys.argv[1])), 0))",
        &[&id, &parent],
        Contrast::Escapes,
    );
    // The first signal does nothing, and says whether anybody is there to get the second, which would do much.
    check_held(
        "import os, signal
attempt(lambda: os.kill(-1, 0))
try: os.kill(-1, 0)
except ProcessLookupError: attempt(lambda: os.kill(-1, signal.SIGKILL))
assert os.getppid() == 0
assert os.getpgid(0) == os.getpid() == os.getsid(0)",
        &[],
        Contrast::None,
    );
    assert!(bystander.0.try_wait().unwrap().is_none());
}

#[test]
fn other_processes_cannot_be_traced() {
    let bystander = Bystander::start();
    check_held(
        "import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
def trace(request, process):
    if libc.ptrace(request, process, None, None) < 0: raise OSError(ctypes.get_errno(), 'refused')
for process in [*map(int, sys.argv[1:]), 1]:
    attempt(lambda: trace(0x4206, process))
    attempt(lambda: trace(16, process))",
        &[&bystander.0.id().to_string(), &std::process::id().to_string()],
        Contrast::None,
    );
}

#[test]
fn privileges_cannot_be_gained() {
    check_held(
        "import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(function, *arguments):
    if getattr(libc, function)(*arguments) < 0: raise OSError(ctypes.get_errno(), 'refused')
attempt(lambda: call('unshare', 0x10000000))
attempt(lambda: call('unshare', 0x40000000))
attempt(lambda: call('unshare', 0x00020000))
attempt(lambda: call('mount', b'none', b'.', b'tmpfs', 0, None))
attempt(lambda: call('umount2', b'.', 2))
attempt(lambda: call('umount2', os.getcwd().encode(), 2))
attempt(lambda: call('mount', None, b'/', None, 4096 | 32, None))
attempt(lambda: call('sethostname', b'mine', 4))
attempt(lambda: os.setuid(0) if os.getuid() else call('setuid', 1))
attempt(lambda: os.setgroups([0]))
attempt(lambda: os.chown('.', 12345, 12345))
attempt(lambda: os.mknod('device', 0o20666, os.makedev(1, 1)))
import resource
attempt(lambda: resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000)))
attempt(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))",
        &[],
        Contrast::None,
    );
}

#[test]
fn nothing_outlives_its_run() {
    let script = "import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for descriptor in range(3): os.close(descriptor)
        time.sleep(1)
        open('survived', 'w')
        time.sleep(2)
    os._exit(0)
os.wait()
print('done')";
    let mark = mark();
    let place = Place::new();
    let order = python(&place.path, script, &[&mark]);
    let outcome = run(&order);
    assert_eq!((outcome.ending, text(&outcome)), (Ending::Exit(0), "done\n".into()));
    assert_eq!(processes(&mark), 0);
    Sandbox::none().run(&order).unwrap();
    assert_ne!(processes(&mark), 0);
    wait_until(|| place.path.join("survived").exists());
    wait_until(|| processes(&mark) == 0);
    // Neither does what holds on to the pipes.
    let outcome = run(&shell(&place.path, "sleep 1000 & echo done"));
    assert_eq!((outcome.ending, text(&outcome)), (Ending::Exit(0), "done\n".into()));
}

#[test]
fn variables_do_not_leak() {
    let place = Place::new();
    assert!(std::env::vars_os().count() > 6, "the test has variables that could leak");
    let mut order = order(Path::new("env"), &place.path);
    order.environment = vec![("ONE".into(), "1".into()), ("LANG".into(), "C".into())];
    for sandbox in [sandbox(), &Sandbox::none()] {
        let outcome = sandbox.run(&order).unwrap();
        let output = text(&outcome);
        let mut lines: Vec<&str> = output.lines().filter(|line| !line.starts_with("PATH=")).collect();
        lines.sort();
        let folder = place.path.display();
        assert_eq!(lines, [format!("HOME={folder}"), "LANG=C".into(), "ONE=1".into(), format!("TMPDIR={folder}")]);
    }
}

#[test]
fn descriptors_do_not_leak() {
    let place = Place::new();
    let outcome = run(&python(&place.path, "import os\nprint(sorted(os.listdir('/proc/self/fd')))", &[]));
    // The last one is the folder that is listed.
    assert_eq!(text(&outcome), "['0', '1', '2', '3']\n");
}

#[test]
fn input_is_given_whole() {
    let place = Place::new();
    let input: Vec<u8> = (0..1 << 20).map(|index: u32| (index.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for sandbox in [sandbox(), &Sandbox::none()] {
        let mut order = order(Path::new("cat"), &place.path);
        order.input = &input;
        let outcome = sandbox.run(&order).unwrap();
        assert_eq!(outcome.ending, Ending::Exit(0));
        assert!(outcome.output == input);
        // Who does not read it is not disturbed by it.
        for (script, status) in [("exit 3", 3), ("exec <&-; sleep 0.2; exit 4", 4), ("sleep 0.2; exit 5", 5)] {
            let mut order = shell(&place.path, script);
            order.input = &input;
            assert_eq!(sandbox.run(&order).unwrap().ending, Ending::Exit(status));
        }
        assert_eq!(text(&sandbox.run(&shell(&place.path, "wc -c")).unwrap()).trim(), "0");
    }
    let mut order = python(&place.path, "print(len(open('/dev/stdin', 'rb').read()))", &[]);
    order.input = &input;
    assert_eq!(text(&run(&order)), "1048576\n");
}

#[test]
fn endings_are_told_apart() {
    let place = Place::new();
    for sandbox in [sandbox(), &Sandbox::none()] {
        for (script, ending) in [
            ("exit 0", Ending::Exit(0)),
            ("exit 7", Ending::Exit(7)),
            ("exit 139", Ending::Exit(139)),
            ("exit 255", Ending::Exit(255)),
            ("kill -SEGV $$", Ending::Signal(11)),
            ("kill -ABRT $$", Ending::Signal(6)),
            ("kill -KILL $$", Ending::Signal(9)),
            ("kill -TERM $$", Ending::Signal(15)),
            ("kill -PIPE $$", Ending::Signal(13)),
            ("kill -INT $$", Ending::Signal(2)),
            ("kill -CHLD $$; kill -CONT $$; exit 1", Ending::Exit(1)),
        ] {
            assert_eq!(sandbox.run(&shell(&place.path, script)).unwrap().ending, ending, "{script}");
        }
        let outcome = sandbox.run(&python(&place.path, "import os\nos.abort()", &[])).unwrap();
        assert_eq!(outcome.ending, Ending::Signal(6));
        let outcome = sandbox.run(&python(&place.path, "import ctypes\nctypes.string_at(1)", &[])).unwrap();
        assert_eq!(outcome.ending, Ending::Signal(11));
    }
}

#[test]
fn programs_that_cannot_be_started_are_errors() {
    let place = Place::new();
    std::fs::write(place.path.join("text"), "no program").unwrap();
    for sandbox in [sandbox(), &Sandbox::none()] {
        let error = |program: &str| sandbox.run(&order(Path::new(program), &place.path)).unwrap_err();
        assert!(matches!(error("no-such-program"), SandboxError::NoProgram { .. }));
        assert!(matches!(error("/no/such/program"), SandboxError::NoProgram { .. }));
        assert!(matches!(error("./text"), SandboxError::Start { .. }));
        let missing = place.path.join("missing");
        assert!(sandbox.run(&order(Path::new("true"), &missing)).is_err());
        let mut strange = order(Path::new("true"), &place.path);
        strange.arguments = vec!["a\0b".into()];
        assert!(sandbox.run(&strange).is_err());
    }
    let error = sandbox().run(&order(Path::new("./text"), &place.path)).unwrap_err().to_string();
    assert!(error.contains("execution") && error.contains("ermission denied"), "{error}");
}

#[test]
fn compilers_and_runtimes_work() {
    let java = "echo 'public class Main { public static void main(String[] a) { System.out.println(\"hello\"); } }' \
        > Main.java && javac -J-Xmx256m -J-XX:+UseSerialGC Main.java && java -Xmx256m -XX:+UseSerialGC Main";
    let node =
        "echo 'console.log(require(\"fs\").readFileSync(\"/dev/stdin\", \"utf8\").trim())' > main.js && node main.js";
    let c = "printf '#include <stdio.h>\\nint main(void) { puts(\"hello\"); }' > main.c && gcc main.c -o c && ./c";
    let cpp = "printf '#include <iostream>\\nint main() { std::cout << \"hello\\\\n\"; }' > main.cpp && \
        g++ main.cpp -o cpp && ./cpp";
    let threads = "echo 'import threading; t = threading.Thread(target=print, args=(\"hello\",)); t.start(); t.join()' \
        > main.py && /usr/bin/python3 main.py";
    for (needed, script) in [("javac", java), ("node", node), ("gcc", c), ("g++", cpp), ("/usr/bin/python3", threads)] {
        if Command::new(needed).arg("--version").stdout(Stdio::null()).status().is_err() {
            testbed::skip(&format!("{needed} is not installed, so it is not tried"));
            continue;
        }
        let place = Place::new();
        let mut order = shell(&place.path, script);
        order.input = b"hello\n";
        order.limits = Limits { time: Duration::from_secs(120), cpu_time: Duration::from_secs(60), ..order.limits };
        if matches!(needed, "javac" | "node") {
            order.limits.memory_kind = Memory::Data;
        }
        let outcome = run(&order);
        assert_eq!(
            (text(&outcome).as_str(), outcome.ending),
            ("hello\n", Ending::Exit(0)),
            "{needed}: {}",
            show(&outcome)
        );
        assert_eq!(String::from_utf8_lossy(&outcome.errors), "", "{needed}");
    }
}

#[test]
fn many_threads_run_programs_at_once() {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                let place = Place::new();
                for round in 0..50 {
                    let script = format!("cat; echo {thread} {round}; echo bad >&2; exit {round}");
                    let mut order = shell(&place.path, &script);
                    let input = format!("{round} {thread}\n");
                    order.input = input.as_bytes();
                    order.limits.time = Duration::from_secs(60);
                    let outcome = run(&order);
                    assert_eq!(text(&outcome), format!("{round} {thread}\n{thread} {round}\n"));
                    assert_eq!((outcome.ending, &outcome.errors[..]), (Ending::Exit(round), &b"bad\n"[..]));
                }
            });
        }
    });
}

#[test]
fn workers_stay_until_they_are_dropped() {
    for (sandbox, is_confined) in [(sandbox(), true), (&Sandbox::none(), false)] {
        let place = Place::new();
        let mark = mark();
        let script = "import os, sys
if os.fork() == 0: os.execvp('sleep', ['sleep', '1000'])
for line in sys.stdin:
    print(int(line) * 2, flush=True)
    print('an error', file=sys.stderr)";
        let mut order = python(&place.path, script, &[&mark]);
        order.limits.time = Duration::ZERO;
        order.limits.output = 0;
        // The thread that starts a worker may end before it.
        let start = || sandbox.start(&order).unwrap();
        let mut worker = std::thread::scope(|scope| scope.spawn(start).join().unwrap());
        // In the sandbox all have ended when the end is known; elsewhere they have been told to end.
        let is_over =
            || if is_confined { assert_eq!(processes(&mark), 0) } else { wait_until(|| processes(&mark) == 0) };
        let mut answers = BufReader::new(&mut worker.stdout);
        for number in 0..100 {
            writeln!(worker.stdin, "{number}").unwrap();
            let mut line = String::new();
            answers.read_line(&mut line).unwrap();
            assert_eq!(line.trim(), (number * 2).to_string());
        }
        assert_ne!(processes(&mark), 0);
        worker.kill();
        worker.kill();
        is_over();
        let mut rest = String::new();
        worker.stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        let worker = sandbox.start(&order).unwrap();
        wait_until(|| processes(&mark) > 0);
        drop(worker);
        is_over();
    }
    let place = Place::new();
    let mut worker = sandbox().start(&shell(&place.path, "touch ../beside; cat ../*; echo done")).unwrap();
    let mut output = String::new();
    worker.stdout.read_to_string(&mut output).unwrap();
    assert_eq!(output, "done\n");
}

/// The mark of the program that the test below starts, handed from the test to the copy of it.
const ABANDONED: &str = "SANDBOX_TEST_ABANDONED";

#[test]
fn programs_end_when_we_are_killed() {
    if let Ok(mark) = std::env::var(ABANDONED) {
        // We are the copy.
        let place = std::env::temp_dir();
        let _ = sandbox().run(&python(&place, "import time\ntime.sleep(1000)", &[&mark]));
        return;
    }
    let mark = mark();
    let mut copy = Command::new(std::env::current_exe().unwrap());
    copy.args(["--exact", "sandbox::programs_end_when_we_are_killed"]).env(ABANDONED, &mark).stdout(Stdio::null());
    let mut copy = copy.spawn().unwrap();
    wait_until(|| processes(&mark) > 0);
    copy.kill().unwrap();
    copy.wait().unwrap();
    wait_until(|| processes(&mark) == 0);
}

#[test]
fn gaps_are_named() {
    println!("gaps of this system: {:?}", sandbox().gaps());
    assert!(sandbox().gaps().len() < 4);
    assert!(!Sandbox::none().gaps().is_empty());
}

/// A place for a test, deleted afterwards.
struct Place {
    path: PathBuf,
}

impl Place {
    fn new() -> Place {
        let path = std::env::temp_dir().join(mark());
        std::fs::create_dir(&path).unwrap();
        Place { path: path.canonicalize().unwrap() }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// A process that has nothing to do with the sandbox.
struct Bystander(Child);

impl Bystander {
    fn start() -> Bystander {
        Bystander(Command::new("sleep").arg("1000").spawn().unwrap())
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A name that nothing else has.
fn mark() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("sandbox-test-{}-{}.", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn sandbox() -> &'static Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    SANDBOX.get_or_init(|| Sandbox::new().unwrap_or_else(|error| panic!("{error}")))
}

#[track_caller]
fn run(order: &Order<'_>) -> Outcome {
    sandbox().run(order).unwrap_or_else(|error| panic!("{error}"))
}

fn order<'a>(program: &'a Path, folder: &'a Path) -> Order<'a> {
    let limits = Limits { time: Duration::from_secs(30), cpu_time: Duration::from_secs(20), ..Limits::default() };
    Order { program, arguments: Vec::new(), environment: Vec::new(), folder, readable: Vec::new(), input: &[], limits }
}

fn shell<'a>(folder: &'a Path, script: &str) -> Order<'a> {
    Order { arguments: vec!["-c".into(), script.into()], ..order(Path::new("/bin/sh"), folder) }
}

fn python<'a>(folder: &'a Path, script: &str, arguments: &[&str]) -> Order<'a> {
    // The program that is found may be a script that finds another, and its library may lie anywhere.
    static PYTHON: OnceLock<[PathBuf; 2]> = OnceLock::new();
    let [program, library] = PYTHON.get_or_init(|| {
        let question = "import sys; print(sys.executable); print(sys.base_prefix)";
        let answer = Command::new("python3").args(["-c", question]).output().expect("Python is installed");
        let answer = String::from_utf8(answer.stdout).unwrap();
        let mut lines = answer.lines().map(PathBuf::from);
        [lines.next().unwrap().canonicalize().unwrap(), lines.next().unwrap()]
    });
    let arguments = ["-c", script].into_iter().chain(arguments.iter().copied()).map(OsString::from).collect();
    Order { arguments, readable: vec![library.clone()], ..order(program, folder) }
}

fn text(outcome: &Outcome) -> String {
    String::from_utf8_lossy(&outcome.output).into_owned()
}

fn show(outcome: &Outcome) -> String {
    format!("{:?}\n{}{}", outcome.ending, text(outcome), String::from_utf8_lossy(&outcome.errors))
}

/// Puts before a script what it says its attempts with.
fn attempts(script: &str) -> String {
    format!(
        "def attempt(action):
    try: action()
    except (OSError, ValueError) as error: print('held:', error)
    else: print('escaped')
{script}
print('end')"
    )
}

enum Contrast {
    /// Without the sandbox every attempt succeeds.
    Escapes,
    /// The attempts could do harm, or need not succeed.
    None,
}

#[track_caller]
fn check_held(script: &str, arguments: &[&str], contrast: Contrast) {
    let place = Place::new();
    assert_held(&run(&python(&place.path, &attempts(script), arguments)));
    match contrast {
        Contrast::Escapes => check_escapes(script, arguments),
        Contrast::None => (),
    }
}

#[track_caller]
fn check_escapes(script: &str, arguments: &[&str]) {
    let place = Place::new();
    let outcome = Sandbox::none().run(&python(&place.path, &attempts(script), arguments)).unwrap();
    assert!(count(&outcome, "held") == 0 && count(&outcome, "escaped") > 0, "{}", show(&outcome));
}

#[track_caller]
fn assert_held(outcome: &Outcome) {
    let is_whole = outcome.ending == Ending::Exit(0) && text(outcome).ends_with("end\n");
    assert!(is_whole && count(outcome, "escaped") == 0 && count(outcome, "held") > 0, "{}", show(outcome));
}

fn count(outcome: &Outcome, word: &str) -> usize {
    text(outcome).lines().filter(|line| line.starts_with(word)).count()
}

/// What can be seen of the files of a folder.
fn listing(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut lines: Vec<String> = entries
        .map(|path| {
            let data = path.symlink_metadata().unwrap();
            format!("{path:?} {:?} {:?} {}", data.permissions(), data.modified(), data.len())
        })
        .collect();
    lines.sort();
    lines
}

/// How many processes have the mark among their arguments.
fn processes(mark: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| line.windows(mark.len()).any(|part| part == mark.as_bytes())).count()
}

#[track_caller]
fn wait_until(condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(60), "it did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}
