//! What a variant costs, compared with parsing the program once.
//!
//! `cargo bench -p allotrope-transformation` makes one variant of every program with each of ten transformations and measures it beside the
//! parser alone, program by program, so that a busy machine slows both. A variant is the whole way: the program is read (once for
//! its ten variants), the sites are found, one is drawn, its edits are built, and the result is read and checked. Then the same on
//! all cores gives the rate, with all ten and with the first that applies, tried from a drawn one on. The programs are those of the
//! data sets.

#[path = "../../syntax/examples/data/mod.rs"]
mod data;

use std::hint::black_box;
use std::time::{Duration, Instant};

use random::Random;
use rayon::prelude::*;
use syntax::{Language, Program};
use transformation::apply::apply;
use transformation::names::NamesMaterial;
use transformation::recipe::select;
use transformation::{Names, Selection};

/// Renames, dead code, wrapping, control flow, expressions, comments: what the published tools do most.
const MIX: &str = "rename-local,rename-parameter,add-unused-variable,add-dead-branch,if-true,invert-if,for-to-while,\
                   expand-compound,swap-comparison,add-comment";

/// So many bytes of each data set are enough for a stable figure.
const BYTES_OF_A_SET: usize = 150_000;

/// The fastest of so many rounds counts, program by program.
const ROUNDS: usize = 3;

fn main() {
    let Some(folder) = testbed::data() else { return };
    let names = Names::new("pseudo", NamesMaterial::default()).expect("the source is in the catalogue");
    let mix = select(MIX, &names).expect("the transformations are in the catalogue");
    assert_eq!(mix.len(), 10);
    println!("| language   | programs | variants | parser alone, µs | a variant, µs | a variant / parser alone |");
    println!("|------------|---------:|---------:|-----------------:|--------------:|-------------------------:|");
    for language in Language::ALL {
        print_price(language, &texts(language, &folder, |_| true), &mix);
    }
    println!();
    println!("| programs              | threads | programs / s | variants / s |");
    println!("|-----------------------|--------:|-------------:|-------------:|");
    let methods = texts(Language::Java, &folder, |name| name == "jdk17-methods");
    print_rate("Java methods, all ten", &methods, |text| ten_variants(Language::Java, text, &mix));
    print_rate("Java methods, one", &methods, |text| one_variant(Language::Java, text, &mix));
}

fn print_price(language: Language, texts: &[String], mix: &[Selection]) {
    let mut parser = parser(language);
    let (mut parsing, mut varying, mut variants) = (Duration::ZERO, Duration::ZERO, 0);
    // What a variant would cost if it were only parsed again.
    let mut parsing_for_variants = 0.0;
    for text in texts {
        let mut fastest = [Duration::MAX; 2];
        let mut made = 0;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            black_box(parser.parse(text, None));
            fastest[0] = start.elapsed().min(fastest[0]);
            let start = Instant::now();
            made = ten_variants(language, text, mix);
            fastest[1] = start.elapsed().min(fastest[1]);
        }
        if made > 0 {
            parsing += fastest[0];
            varying += fastest[1];
            variants += made;
            parsing_for_variants += fastest[0].as_secs_f64() * made as f64;
        }
    }
    println!(
        "| {language:10} | {:8} | {variants:8} | {:16.1} | {:13.1} | {:24.2} |",
        texts.len(),
        parsing.as_secs_f64() * 1e6 / texts.len() as f64,
        varying.as_secs_f64() * 1e6 / variants as f64,
        varying.as_secs_f64() / parsing_for_variants,
    );
}

fn print_rate(what: &str, texts: &[String], vary: impl Fn(&str) -> usize + Sync) {
    let start = Instant::now();
    let variants: usize = texts.par_iter().map(|text| vary(text)).sum();
    let time = start.elapsed().as_secs_f64();
    println!(
        "| {what:21} | {:7} | {:12.0} | {:12.0} |",
        rayon::current_num_threads(),
        texts.len() as f64 / time,
        variants as f64 / time
    );
}

/// Makes one variant with each transformation that has a site, and gives their number.
fn ten_variants(language: Language, text: &str, mix: &[Selection]) -> usize {
    let program = Program::parse(language, text);
    let mut random = Random::new(text.len() as u64);
    mix.iter().filter(|selection| is_varied(&program, selection, &mut random)).count()
}

/// Makes one variant with the first transformation that has a site, beginning with a drawn one, and gives 1 when there is one.
fn one_variant(language: Language, text: &str, mix: &[Selection]) -> usize {
    let program = Program::parse(language, text);
    let mut random = Random::new(text.len() as u64);
    let first = random.below(mix.len());
    let mut from_first = mix.iter().cycle().skip(first).take(mix.len());
    usize::from(from_first.any(|selection| is_varied(&program, selection, &mut random)))
}

fn is_varied(program: &Program, selection: &Selection, random: &mut Random) -> bool {
    let sites = selection.sites(program, None);
    if sites.is_empty() {
        return false;
    }
    let site = random.pick(&sites);
    black_box(apply(program, selection.transformation, site, 1, &selection.names)).is_ok()
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

/// Clean programs of a language, from its data sets.
fn texts(language: Language, folder: &std::path::Path, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut texts = Vec::new();
    for set in data::DATA_SETS.iter().filter(|set| set.language == language && is_wanted(set.name)) {
        let programs = set.programs(folder).unwrap_or_else(|problem| panic!("{problem}"));
        let all: usize = programs.iter().map(|(_, text)| text.len()).sum();
        let step = all / BYTES_OF_A_SET + 1;
        let some = programs.into_iter().map(|(_, text)| text).step_by(step);
        texts.extend(some.filter(|text| !Program::parse(language, text.as_str()).is_broken()));
    }
    texts
}
