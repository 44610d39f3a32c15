//! What a verdict of the compiler costs: one warm compiler for all programs, compared with a process for each.
//!
//! `cargo bench -p allotrope-equivalence --bench verdicts` checks the Java programs of `fixtures/programs` and prints files a second of
//! CPU time, counted over all processes, both ways, and their ratio. The warm one is given every program often, as a search
//! would do, with its start counted in.

use std::path::{Path, PathBuf};
use std::process::Command;

use equivalence::sandbox::Sandbox;
use equivalence::{Answer, Judge, Options};
use syntax::Language;

const ROUNDS: usize = 40;
const PROCESSES: usize = 10;

fn main() {
    let mut files = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/programs"), &mut files);
    files.sort();
    let texts: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).expect("a fixture")).collect();

    let begin = seconds_of_children();
    let judge = Judge::new(Sandbox::new().unwrap_or_else(|error| panic!("{error}")), Options::default());
    for round in 0..ROUNDS {
        for (file, text) in files.iter().zip(&texts) {
            // A text that was seen before must not be recognised by anybody.
            let text = [text, format!("\n// {round}\n").as_bytes()].concat();
            let answer = judge.observe(Language::Java, &text, &[]);
            assert!(matches!(answer, Answer::Accepted(_)), "{}: {answer:?}", file.display());
        }
    }
    drop(judge);
    let warm = (ROUNDS * files.len()) as f64 / (seconds_of_children() - begin);

    let begin = seconds_of_children();
    let folder = std::env::temp_dir().join(format!("allotrope-verdicts-{}", std::process::id()));
    for file in files.iter().step_by((files.len() / PROCESSES).max(1)).take(PROCESSES) {
        let status = Command::new("javac").args(["-proc:none", "-nowarn", "-d"]).arg(&folder).arg(file).status();
        assert!(status.expect("javac is installed").success());
    }
    let _ = std::fs::remove_dir_all(folder);
    let cold = PROCESSES as f64 / (seconds_of_children() - begin);
    println!("{} programs: warm {warm:.0} files a CPU-second, javac {cold:.2}, ratio {:.0}", files.len(), warm / cold);
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the fixtures are there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "java") {
            files.push(path);
        }
    }
}

/// The CPU time of all processes that we started and that have ended, with all that they started.
fn seconds_of_children() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("the system tells about processes");
    // The name of the program, which may hold anything, ends with the last bracket.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields[index].parse::<f64>().expect("a number");
    (ticks(13) + ticks(14)) / 100.0
}
