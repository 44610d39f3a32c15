//! A folder for a test, in which commands run as a user types them.
#![allow(dead_code, reason = "each test program uses a part of this")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use testbed::Part;

/// A folder of its own for one test, removed at its end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("allotrope-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs `allotrope` in this folder.
    pub fn run(&self, arguments: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
        command.current_dir(&self.0).args(arguments.split_whitespace()).output().unwrap()
    }

    #[track_caller]
    pub fn run_well(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Kills a command at many moments until it gets to its end, and checks what is in the folder that it writes to, which the command is
    /// given as its `-o`.
    pub fn kill_until_done(&self, times: usize, arguments: &str, check: impl Fn(&str)) {
        kill_until_done(
            times,
            |run| {
                let mut process = Command::new(env!("CARGO_BIN_EXE_allotrope"));
                process.current_dir(&self.0).args(format!("{arguments} -o killed-{run}").split_whitespace());
                process
            },
            |run| check(&format!("killed-{run}")),
        );
    }

    /// Runs `allotrope`, which must end with this status and say these words.
    #[track_caller]
    pub fn run_badly(&self, arguments: &str, status: i32, words: &[&str]) {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments}\n{said}");
        for word in words {
            assert!(said.contains(word), "{arguments}: no {word:?} in\n{said}");
        }
    }
}

/// Starts a command again and again and kills it, every time a little later, until it gets to its end before that; every third time
/// it is only asked to stop. All of it is done anew until the command was disturbed as often as `./test --all` asks for, or a fifth
/// of that in other runs, which have other moments after each commit.
pub fn kill_until_done(times: usize, command: impl Fn(usize) -> Command, check: impl Fn(usize)) {
    let part = Part::of_this_run();
    let (times, step) = if part == Part::All { (times, 3) } else { (times.div_ceil(5), 12) };
    let mut kills = 0;
    for run in 0.. {
        kills += kills_of_one_run(part.number() as u64 + run as u64, step, || command(run));
        check(run);
        if kills >= times {
            return;
        }
    }
}

fn kills_of_one_run(first: u64, step: u64, command: impl Fn() -> Command) -> usize {
    for moment in 0u64.. {
        let mut child = command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis((first + moment) * 7919 % 97 + step * moment));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "after {moment} kills");
            return moment as usize;
        }
        if moment % 3 == 2 {
            Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
            let status = child.wait().unwrap();
            assert!(matches!(status.code(), Some(0 | 130) | None), "{status}");
        } else {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
    unreachable!("some moment is late enough")
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
