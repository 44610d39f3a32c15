//! How long the summary of an attack campaign takes, and whether it grows with the records: `cargo bench -p allotrope-measure`.
//!
//! Where the system tells, the processor's time is shown as well, which does not grow with what else the machine does.

use std::fmt;
use std::time::{Duration, Instant};

use measure::summary::{AttackResult, attack, classification};
use measure::{Bootstrap, Method};

fn main() {
    let bootstrap = Bootstrap::default();
    println!("summary of an attack, {} resamples, {} threads", bootstrap.resamples, rayon::current_num_threads());
    let mut before: Option<(usize, Times)> = None;
    for records in [62_500, 125_000, 250_000, 500_000, 1_000_000] {
        let targets = targets(records);
        let (time, summary) = best_of(3, || attack(&targets, &bootstrap));
        let ratio = before.map_or(String::new(), |(fewer, shorter)| {
            let more = records as f64 / fewer as f64;
            format!("{:.2} times the work for {more} times the records", time.work() / shorter.work())
        });
        println!("{records:>9} records  {time}  {ratio}");
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
        println!("accuracy of 2700 rows with its {method:?} interval: {time}");
    }
    let (time, _) = best_of(3, || classification(&predicted, &truth, None, None, 2, None, &bootstrap));
    println!("all numbers of a classifier over 2700 rows: {time}");
}

/// Made-up targets, three of each input; a multiplicative generator is random enough for a benchmark.
fn targets(records: usize) -> Vec<AttackResult> {
    let mut state: u64 = 1;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut target = |number: usize| AttackResult {
        input: number / 3,
        was_right: random() < 0.8,
        was_attacked: true,
        flipped: random() < 0.4,
        valid: random() < 0.9,
        decrement: Some(random()),
        queries: (random() * 2000.0) as u64,
        cached: (random() * 100.0) as u64,
        seconds: random() * 30.0,
        ..AttackResult::default()
    };
    (0..records).map(&mut target).collect()
}

/// What a piece of work took.
#[derive(Clone, Copy)]
struct Times {
    clock: Duration,
    processor: Option<f64>,
}

impl Times {
    fn work(&self) -> f64 {
        self.processor.unwrap_or(self.clock.as_secs_f64())
    }
}

impl fmt::Display for Times {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.3} s", self.clock.as_secs_f64())?;
        self.processor.map_or(Ok(()), |processor| write!(out, " ({processor:.2} s of all processors)"))
    }
}

/// The least times of several runs.
fn best_of<Result>(times: usize, mut work: impl FnMut() -> Result) -> (Times, Result) {
    let mut timed = || {
        let (start, before) = (Instant::now(), processor_seconds());
        let result = work();
        let processor = processor_seconds().zip(before).map(|(after, before)| after - before);
        (Times { clock: start.elapsed(), processor }, result)
    };
    let mut best = timed();
    for _ in 1..times {
        let other = timed();
        if other.0.work() < best.0.work() {
            best = other;
        }
    }
    best
}

/// The seconds that all threads of this process have run, where Linux tells: two numbers in hundredths, after the name.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    let ticks: Vec<f64> = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    Some(ticks.iter().sum::<f64>() / 100.0)
}
