//! How fast programs are read, and what names cost on top of parsing.
//!
//! `cargo bench -p allotrope-syntax` first prints the price of names: the parser alone, `Program::parse` and the tables of
//! scopes, measured in turn on each program so that a busy machine slows all three. Then each is measured
//! by itself. The programs are those of the data sets, or the annotated sources where there are none.

#[path = "../examples/data/mod.rs"]
mod data;
#[path = "../tests/all/programs/mod.rs"]
mod programs;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use syntax::{Language, Program};

/// So many bytes of each data set are enough for a stable figure.
const BYTES_OF_A_SET: usize = 150_000;

/// The fastest of so many rounds counts, program by program.
const ROUNDS: usize = 3;

fn main() {
    print_price_of_names();
    divan::main();
}

fn print_price_of_names() {
    println!(
        "| language   | programs |   MB | parser alone | Program::parse | with scopes | with scopes / parser alone |"
    );
    println!(
        "|------------|---------:|-----:|-------------:|---------------:|------------:|---------------------------:|"
    );
    for language in Language::ALL {
        let texts = texts(language);
        let mut parser = parser(language);
        let mut total = [Duration::ZERO; 3];
        for text in texts {
            let mut fastest = [Duration::MAX; 3];
            for _ in 0..ROUNDS {
                let start = Instant::now();
                black_box(parser.parse(text, None));
                let parsed = start.elapsed();
                let start = Instant::now();
                let program = Program::parse(language, text.as_str());
                let read = start.elapsed();
                black_box(program.scopes());
                let resolved = start.elapsed();
                for (fastest, time) in fastest.iter_mut().zip([parsed, read, resolved]) {
                    *fastest = time.min(*fastest);
                }
            }
            for (total, fastest) in total.iter_mut().zip(fastest) {
                *total += fastest;
            }
        }
        let megabytes = bytes(texts) as f64 / 1e6;
        let speed = |time: Duration| megabytes / time.as_secs_f64();
        println!(
            "| {language:10} | {:8} | {megabytes:4.1} | {:7.2} MB/s | {:9.2} MB/s | {:6.2} MB/s | {:26.2} |",
            texts.len(),
            speed(total[0]),
            speed(total[1]),
            speed(total[2]),
            total[2].as_secs_f64() / total[0].as_secs_f64(),
        );
    }
    println!();
}

#[divan::bench(args = Language::ALL, sample_count = 5)]
fn parser_alone(bencher: Bencher<'_, '_>, language: Language) {
    let texts = texts(language);
    let mut parser = parser(language);
    bencher.counter(BytesCount::new(bytes(texts))).bench_local(|| {
        for text in texts {
            black_box(parser.parse(text, None));
        }
    });
}

#[divan::bench(args = Language::ALL, sample_count = 5)]
fn program_parse(bencher: Bencher<'_, '_>, language: Language) {
    let texts = texts(language);
    bencher.counter(BytesCount::new(bytes(texts))).bench_local(|| {
        for text in texts {
            black_box(Program::parse(language, text.as_str()));
        }
    });
}

#[divan::bench(args = Language::ALL, sample_count = 5)]
fn with_scopes(bencher: Bencher<'_, '_>, language: Language) {
    let texts = texts(language);
    bencher.counter(BytesCount::new(bytes(texts))).bench_local(|| {
        for text in texts {
            black_box(Program::parse(language, text.as_str()).scopes());
        }
    });
}

fn parser(language: Language) -> tree_sitter::Parser {
    let grammar: tree_sitter::Language = match language {
        Language::Java => tree_sitter_java::LANGUAGE.into(),
        Language::C => tree_sitter_c::LANGUAGE.into(),
        Language::Cpp => tree_sitter_cpp::LANGUAGE.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
    };
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&grammar).expect("the grammar matches the linked tree-sitter");
    parser
}

fn bytes(texts: &[String]) -> usize {
    texts.iter().map(String::len).sum()
}

/// Clean programs of a language, from all its data sets; they are read once.
///
/// A broken program is parsed once for each context and has no names, so it would tell nothing.
fn texts(language: Language) -> &'static [String] {
    static TEXTS: [OnceLock<Vec<String>>; 5] = [const { OnceLock::new() }; 5];
    static FOLDER: OnceLock<Option<std::path::PathBuf>> = OnceLock::new();
    TEXTS[language as usize].get_or_init(|| {
        let Some(folder) = FOLDER.get_or_init(testbed::data) else { return programs::sources(language) };
        let mut texts = Vec::new();
        for set in data::DATA_SETS.iter().filter(|set| set.language == language) {
            let programs = set.programs(folder).unwrap_or_else(|problem| panic!("{problem}"));
            let all: usize = programs.iter().map(|(_, text)| text.len()).sum();
            let step = all / BYTES_OF_A_SET + 1;
            let some = programs.into_iter().map(|(_, text)| text).step_by(step);
            texts.extend(some.filter(|text| !Program::parse(language, text.as_str()).is_broken()));
        }
        texts
    })
}
