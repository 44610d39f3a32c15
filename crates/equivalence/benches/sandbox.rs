//! What it costs to run a program in the sandbox, compared with running it.
//!
//! `cargo bench -p allotrope-equivalence --bench sandbox` runs a program that does nothing: as the standard library starts it, with
//! limits only, in the sandbox, and in the sandbox while we have a gigabyte of memory. The four take turns, so that a busy
//! machine slows all of them, and the median counts.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use equivalence::sandbox::{Limits, Order, Sandbox};

const ROUNDS: usize = 400;

fn main() {
    let sandbox = Sandbox::new().unwrap_or_else(|error| panic!("{error}"));
    let none = Sandbox::none();
    let mut memory = Vec::new();
    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..ROUNDS {
        times[0].push(time(plain));
        times[1].push(time(|| run(&none)));
        times[2].push(time(|| run(&sandbox)));
    }
    memory.resize(1 << 30, 1_u8);
    for _ in 0..ROUNDS {
        times[3].push(time(|| run(&sandbox)));
    }
    std::hint::black_box(memory);
    for (name, times) in ["plain", "limits only", "sandbox", "sandbox, with 1 GiB of our own"].iter().zip(&mut times) {
        times.sort();
        let micros = |place: usize| times[place].as_micros();
        println!("{name}: median {} µs, fastest {} µs", micros(ROUNDS / 2), micros(0));
    }
}

fn time(action: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    action();
    begin.elapsed()
}

fn plain() {
    let output = Command::new("/bin/true").stdin(Stdio::null()).output().expect("the program starts");
    assert!(output.status.success());
}

fn run(sandbox: &Sandbox) {
    let folder = std::env::temp_dir();
    let order = Order {
        program: Path::new("/bin/true"),
        arguments: Vec::new(),
        environment: Vec::new(),
        folder: &folder,
        readable: Vec::new(),
        input: &[],
        limits: Limits::default(),
    };
    sandbox.run(&order).expect("the program starts");
}
