//! Hostile and unlucky inputs: every command exits within its time and memory limits with a documented status, prints no control
//! characters, and leaves nothing behind.
//!
//! `./test` runs a part that rotates with the commit; `ALLOTROPE_PART=all cargo test -p allotrope --test all hostile` runs all.

mod data;
mod models;
mod moments;
mod places;
mod programs;

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use testbed::Part;

use crate::folder::Folder;

/// An input: how its folder is prepared, and the command to run.
struct Hostile {
    name: String,
    prepare: Box<dyn Fn(&Folder) + Send + Sync>,
    /// The arguments of the command.
    command: Vec<String>,
    /// Signals, each with a delay in milliseconds.
    signals: Vec<(u64, &'static str)>,
    /// Does the command write programs to standard output, as requested?
    is_stream: bool,
}

impl Hostile {
    /// A command, in which `&` stands for a space within an argument.
    fn new(name: impl Into<String>, command: &str, prepare: impl Fn(&Folder) + Send + Sync + 'static) -> Hostile {
        let command = command.split(' ').map(|word| word.replace('&', " ")).collect();
        Hostile { name: name.into(), prepare: Box::new(prepare), command, signals: Vec::new(), is_stream: false }
    }

    /// An input that is one file.
    fn file(name: impl Into<String>, command: &str, file: &str, content: impl Into<Vec<u8>>) -> Hostile {
        let (file, content) = (file.to_owned(), content.into());
        Hostile::new(name, command, move |folder| drop(folder.write(&file, &content)))
    }
}

/// The limits of a command, for a debug build on a busy machine.
const TIME: Duration = Duration::from_secs(60);
const KILOBYTES: u64 = 8_000_000;

#[test]
fn nothing_crashes_hangs_or_stays_behind() {
    let all: Vec<Hostile> =
        [programs::all(), data::all(), models::all(), places::all(), moments::all()].into_iter().flatten().collect();
    assert!(all.len() >= 500, "there are only {} inputs", all.len());
    let part = Part::of_this_run();
    let chosen: Vec<&Hostile> =
        all.iter().enumerate().filter(|(number, _)| part.has(*number)).map(|(_, input)| input).collect();
    let (start, count) = (Instant::now(), chosen.len());
    let next = std::sync::Mutex::new(chosen.into_iter().enumerate());
    let problems = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((number, input)) = next.lock().unwrap().next() else { return };
                    let begin = Instant::now();
                    if let Err(problem) = check(number, input) {
                        problems.lock().unwrap().push(format!("{}: {problem}", input.name));
                    }
                    if begin.elapsed() > Duration::from_secs(10) {
                        println!("{:.0?}: {}", begin.elapsed(), input.name);
                    }
                }
            });
        }
    });
    println!("{count} of {} inputs in {:.0?}", all.len(), start.elapsed());
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "{} of {count} inputs:\n{}", problems.len(), problems.join("\n"));
}

fn check(number: usize, input: &Hostile) -> Result<(), String> {
    let folder = Folder::new(&format!("hostile-{number}"));
    (input.prepare)(&folder);
    let temporary = folder.path("temporary");
    fs::create_dir(&temporary).map_err(|error| error.to_string())?;
    let stream = |name: &str| File::create(folder.path(name)).map_err(|error| error.to_string());
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {KILOBYTES}; ulimit -c 0; exec \"$@\""), "sh"]);
    command.arg(env!("CARGO_BIN_EXE_allotrope")).args(&input.command);
    command.current_dir(&folder.0).env("TMPDIR", &temporary).env("RUST_BACKTRACE", "0").stdin(Stdio::null());
    let mut child =
        command.stdout(stream("stdout")?).stderr(stream("stderr")?).spawn().map_err(|error| error.to_string())?;
    let start = Instant::now();
    for (milliseconds, signal) in &input.signals {
        std::thread::sleep(Duration::from_millis(*milliseconds));
        let _ = Command::new("kill").args([*signal, &child.id().to_string()]).stderr(Stdio::null()).status();
    }
    let patience = if input.signals.is_empty() { TIME } else { Duration::from_secs(15) };
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if start.elapsed() > patience => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it did not end within {patience:?}"));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let said = |name: &str| fs::read(folder.path(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let (output, errors) = (said("stdout").unwrap_or_default(), said("stderr").unwrap_or_default());
    let tail: String = errors.chars().skip(errors.chars().count().saturating_sub(300)).collect();
    // A signal before the handler is installed kills the process.
    let is_early = status.code().is_none() && !input.signals.is_empty() && output.is_empty();
    if !matches!(status.code(), Some(0..=4 | 130)) && !is_early {
        return Err(format!("{status}: {tail}"));
    }
    if errors.contains("panicked") {
        return Err(format!("it panicked: {tail}"));
    }
    if !matches!(status.code(), Some(0 | 1 | 130) | None) && errors.trim().is_empty() {
        return Err(format!("{status} without a word"));
    }
    for (name, text) in [("standard output", &output), ("standard error", &errors)] {
        let is_obeyed = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
        if !input.is_stream
            && let Some(bad) = text.chars().find(|character| is_obeyed(*character))
        {
            return Err(format!("{:?} reaches {name}", bad));
        }
    }
    let left = |folder: &std::path::Path| -> Vec<String> {
        fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    };
    let left_behind = left(&temporary);
    if !left_behind.is_empty() && !is_early {
        return Err(format!("left in the temporary folder: {left_behind:?}"));
    }
    match left(&folder.0).into_iter().find(|name| name.ends_with(".partial")) {
        Some(name) if !is_early => Err(format!("{name} is left")),
        _ => Ok(()),
    }
}

/// A pseudo-random generator.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// A damaged file: truncated, or with bytes changed, repeated or removed.
fn damaged(whole: &[u8], seed: u64) -> Vec<u8> {
    let mut noise = Noise(seed + 1);
    let mut bytes = whole.to_vec();
    match seed % 4 {
        0 => bytes.truncate(noise.below(whole.len())),
        1 => (0..1 + whole.len() / 50).for_each(|_| {
            let at = noise.below(whole.len());
            bytes[at] = noise.next() as u8;
        }),
        2 => {
            let (from, at) = (noise.below(whole.len()), noise.below(whole.len()));
            let piece = whole[from..(from + 40).min(whole.len())].repeat(1 + noise.below(50));
            bytes.splice(at..at, piece);
        }
        _ => {
            let from = noise.below(whole.len());
            bytes.drain(from..(from + 1 + noise.below(60)).min(whole.len()));
        }
    }
    bytes
}

fn fixture(path: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
