//! How long a model takes over a file of inputs: `cargo run --release -p allotrope-model --example speed -- MODEL INPUTS ROUNDS`
//!
//! INPUTS has one JSON object a line, with `code`, or with `code1` and `code2`, and perhaps the `language`, Java otherwise. Prints one JSON object: the seconds and the seconds of
//! CPU time of the fastest round, and the tokens seen. `crates/model/speed/compare.py` runs it beside PyTorch.

use std::process::ExitCode;
use std::str::FromStr;
use std::time::Instant;

use model::{Code, Input};
use syntax::Language;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, file, rounds] = &arguments[..] else {
        eprintln!("usage: speed MODEL INPUTS ROUNDS");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("failed to read {file}: {error}");
            return ExitCode::from(3);
        }
    };
    let inputs: Vec<Input> = text.lines().map(input).collect();
    let (mut seconds, mut cpu_seconds, mut tokens) = (f64::MAX, f64::MAX, 0);
    for _ in 0..rounds.parse().unwrap_or(1) {
        // Models may remember what they were asked in the round before.
        let model = match model::open(name) {
            Ok(model) => model,
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::from(3);
            }
        };
        let (start, start_cpu) = (Instant::now(), cpu_time());
        let answers = model.predict(&inputs);
        seconds = seconds.min(start.elapsed().as_secs_f64());
        cpu_seconds = cpu_seconds.min(cpu_time() - start_cpu);
        tokens = answers.iter().flatten().filter_map(|answer| answer.tokens).map(|tokens| tokens.seen).sum();
    }
    println!("{}", serde_json::json!({"seconds": seconds, "cpu_seconds": cpu_seconds, "tokens": tokens}));
    ExitCode::SUCCESS
}

fn input(line: &str) -> Input {
    let row: serde_json::Value = serde_json::from_str(line).expect("a line is a JSON object");
    let language = row["language"].as_str().map_or(Ok(Language::Java), Language::from_str).expect("a known language");
    let code = |key: &str| Some(Code { language, text: row[key].as_str()?.to_owned() });
    match (code("code1"), code("code2")) {
        (Some(one), Some(other)) => Input::Pair(one, other),
        _ => Input::Code(code("code").expect("a row has code, or code1 and code2")),
    }
}

/// The CPU time of this process, in seconds. Linux counts it in hundredths.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}
