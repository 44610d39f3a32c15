//! Reads every program of the data sets and counts what is known about their identifiers.
//!
//! `ALLOTROPE_PART=all cargo run --release -p allotrope-syntax --example census [LANGUAGE]`
//!
//! Without `ALLOTROPE_PART=all` a part of the programs is read, see [`testbed::Part`].
//! The exit status is 1 when more than 3 % of a language's identifiers are unknown (5 % for C).

#[path = "data/mod.rs"]
mod data;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use syntax::{Language, Program, Target};

#[derive(Clone, Default)]
struct Count {
    programs: usize,
    broken: usize,
    bytes: usize,
    depth: usize,
    identifiers: usize,
    resolved: usize,
    outside: usize,
    members: usize,
    unknown: usize,
}

impl Count {
    fn of(language: Language, text: &str) -> Count {
        let program = Program::parse(language, text);
        let mut count = Count { programs: 1, bytes: text.len(), ..Count::default() };
        if program.is_broken() {
            count.broken = 1;
            return count;
        }
        count.depth = program.depth();
        for reference in program.scopes().references() {
            count.identifiers += 1;
            match reference.target {
                Target::Symbol(_) => count.resolved += 1,
                Target::Outside => count.outside += 1,
                Target::Member => count.members += 1,
                Target::Unknown => count.unknown += 1,
            }
        }
        count
    }

    fn add(&mut self, other: &Count) {
        self.programs += other.programs;
        self.broken += other.broken;
        self.bytes += other.bytes;
        self.depth = self.depth.max(other.depth);
        self.identifiers += other.identifiers;
        self.resolved += other.resolved;
        self.outside += other.outside;
        self.members += other.members;
        self.unknown += other.unknown;
    }

    fn unknown_percent(&self) -> f64 {
        100.0 * self.unknown as f64 / self.identifiers.max(1) as f64
    }

    fn print(&self, language: &str, name: &str) {
        println!(
            "| {language:10} | {name:21} | {:8} | {:6} | {:11} | {:8} | {:7} | {:7} | {:7} | {:8.2} % | {:5} |",
            self.programs,
            self.broken,
            self.identifiers,
            self.resolved,
            self.outside,
            self.members,
            self.unknown,
            self.unknown_percent(),
            self.depth,
        );
    }
}

fn main() -> ExitCode {
    let only: Option<Language> = match std::env::args().nth(1).map(|name| name.parse()).transpose() {
        Ok(language) => language,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let Some(folder) = testbed::data() else { return ExitCode::SUCCESS };
    println!(
        "| language   | data set              | programs | broken | identifiers | resolved | outside | members | unknown | of these   | depth |"
    );
    println!(
        "|------------|-----------------------|---------:|-------:|------------:|---------:|--------:|--------:|--------:|-----------:|------:|"
    );
    let start = Instant::now();
    let part = testbed::Part::of_this_run();
    let mut languages: BTreeMap<Language, Count> = BTreeMap::new();
    for set in data::DATA_SETS.iter().filter(|set| only.is_none_or(|language| set.language == language)) {
        let programs = match set.programs(&folder) {
            Ok(programs) => programs,
            Err(problem) => {
                eprintln!("{problem}");
                return ExitCode::from(3);
            }
        };
        let numbered = programs.into_iter().enumerate().filter(|(number, _)| part.has(*number));
        let programs: Vec<(String, String)> = numbered.map(|(_, program)| program).collect();
        let count = count_all(set.language, &programs);
        count.print(set.language.name(), set.name);
        languages.entry(set.language).or_default().add(&count);
    }
    for (language, count) in &languages {
        count.print(language.name(), "all");
    }
    let bytes: usize = languages.values().map(|count| count.bytes).sum();
    println!("\nread {:.1} MB in {:.1} s", bytes as f64 / 1e6, start.elapsed().as_secs_f64());
    let too_many: Vec<&Language> = languages
        .iter()
        .filter(|(language, count)| count.unknown_percent() > limit(**language))
        .map(|(language, _)| language)
        .collect();
    for language in &too_many {
        eprintln!("{language}: more than {} % of the identifiers are unknown", limit(**language));
    }
    if too_many.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The highest share of unknown identifiers in per cent that we accept.
fn limit(language: Language) -> f64 {
    match language {
        Language::C => 5.0,
        Language::Java | Language::Cpp | Language::Python | Language::JavaScript => 3.0,
    }
}

/// Counts on all processors. A count does not depend on the order, so the table never varies.
fn count_all(language: Language, programs: &[(String, String)]) -> Count {
    let next = AtomicUsize::new(0);
    let count_some = || {
        let mut count = Count::default();
        while let Some((_, text)) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            count.add(&Count::of(language, text));
        }
        count
    };
    let threads = std::thread::available_parallelism().map_or(1, |number| number.get());
    let mut total = Count::default();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(count_some)).collect();
        for worker in workers {
            total.add(&worker.join().expect("counting never panics"));
        }
    });
    total
}
