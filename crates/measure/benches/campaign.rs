//! How long the summary of an attack campaign takes, and whether it grows with the records: `cargo bench -p measure`.

use std::time::{Duration, Instant};

use measure::summary::{Target, attack, classification};
use measure::{Bootstrap, Method};

fn main() {
    let bootstrap = Bootstrap::default();
    println!("summary of an attack, {} resamples, {} threads", bootstrap.resamples, rayon::current_num_threads());
    let mut before: Option<(usize, Duration)> = None;
    for records in [62_500, 125_000, 250_000, 500_000, 1_000_000] {
        let targets = targets(records);
        let (time, summary) = best_of(3, || attack(&targets, &bootstrap));
        let ratio = before.map_or(String::new(), |(fewer, shorter)| {
            let more = records as f64 / fewer as f64;
            format!("{:.2} times the time for {more} times the records", time.as_secs_f64() / shorter.as_secs_f64())
        });
        println!("{records:>9} records  {:>8.3} s  {ratio}", time.as_secs_f64());
        before = Some((records, time));
        if records == 1_000_000 {
            println!("\n{}", summary.to_table().to_text());
        }
    }
    let truth: Vec<usize> = (0..2700).map(|row| row % 2).collect();
    let predicted: Vec<usize> = (0..2700).map(|row| if row % 10 < 7 { row % 2 } else { 1 - row % 2 }).collect();
    let right: Vec<f64> = truth.iter().zip(&predicted).map(|(one, other)| f64::from(u8::from(one == other))).collect();
    for method in [Method::Percentile, Method::Bca] {
        let bootstrap = Bootstrap { method, ..bootstrap };
        let (time, _) = best_of(3, || bootstrap.of_mean(&right, None));
        println!("accuracy of 2700 rows with its {method:?} interval: {:.3} s", time.as_secs_f64());
    }
    let (time, _) = best_of(3, || classification(&predicted, &truth, None, 2, None, &bootstrap));
    println!("all numbers of a classifier over 2700 rows: {:.3} s", time.as_secs_f64());
}

/// Made-up targets, three of each input; a multiplicative generator is random enough for a benchmark.
fn targets(records: usize) -> Vec<Target> {
    let mut state: u64 = 1;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut target = |number: usize| Target {
        input: number / 3,
        was_right: random() < 0.8,
        flipped: random() < 0.4,
        valid: random() < 0.9,
        decrement: Some(random()),
        queries: (random() * 2000.0) as u64,
        cached: (random() * 100.0) as u64,
        seconds: random() * 30.0,
    };
    (0..records).map(&mut target).collect()
}

fn best_of<Result>(times: usize, mut work: impl FnMut() -> Result) -> (Duration, Result) {
    let mut timed = || {
        let start = Instant::now();
        let result = work();
        (start.elapsed(), result)
    };
    let mut best = timed();
    for _ in 1..times {
        let other = timed();
        if other.0 < best.0 {
            best = other;
        }
    }
    best
}
