//! Looks for programs that make the reader panic or contradict itself.
//!
//! `cargo run --release -p allotrope-syntax --example fuzz [SEED] [SECONDS] [LANGUAGE]`
//!
//! Annotated sources and the programs of the data sets are changed by bytes, by tokens and by splicing
//! two of them, and everything that is always true is checked. The same seed makes the same programs. The
//! exit status is 1 when something was found; the smallest form of it that still fails is printed.

#[path = "../tests/all/check/mod.rs"]
mod check;
#[path = "data/mod.rs"]
mod data;
#[path = "../tests/all/programs/mod.rs"]
mod programs;

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use syntax::{Language, Program};

/// So many programs of the data sets are enough to start from.
const MOST_SEEDS: usize = 3000;

/// Longer programs are cut: most of what goes wrong goes wrong in a few lines.
const LONGEST_SEED: usize = 8000;

/// After so many different complaints in one language nobody reads on.
const MOST_COMPLAINTS: usize = 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, usual: u64| arguments.get(place).map_or(Ok(usual), |text| text.parse());
    let (Ok(seed), Ok(seconds)) = (number(0, 1), number(1, 60)) else {
        eprintln!("usage: fuzz [SEED] [SECONDS] [LANGUAGE]");
        return ExitCode::from(2);
    };
    let languages = match arguments.get(2).map(|name| name.parse::<Language>()) {
        None => Language::ALL.to_vec(),
        Some(Ok(language)) => vec![language],
        Some(Err(error)) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let folder = testbed::data();
    remember_complaints();
    let mut is_clean = true;
    for language in languages {
        let mut seeds = programs::sources(language);
        for set in data::DATA_SETS.iter().filter(|set| set.language == language) {
            let programs = folder.as_ref().map_or(Ok(Vec::new()), |folder| set.programs(folder));
            let programs = programs.unwrap_or_else(|problem| {
                eprintln!("{problem}");
                Vec::new()
            });
            let step = programs.len() / (MOST_SEEDS / 4) + 1;
            seeds.extend(programs.into_iter().step_by(step).map(|(_, text)| text).filter(|text| !text.is_empty()));
        }
        is_clean &= fuzz(language, &seeds, seed, Duration::from_secs(seconds));
    }
    if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Gives false when something was found.
fn fuzz(language: Language, seeds: &[String], seed: u64, time: Duration) -> bool {
    let mut chance = Chance(seed ^ 0x9e37_79b9_7f4a_7c15);
    let mut complaints: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let (mut tried, mut clean, mut bytes) = (0usize, 0usize, 0usize);
    let start = Instant::now();
    while start.elapsed() < time && complaints.len() < MOST_COMPLAINTS {
        let text = mutated(language, seeds, &mut chance);
        tried += 1;
        bytes += text.len();
        match complaint(language, &text) {
            Ok(is_clean) => clean += usize::from(is_clean),
            Err(complaint) => {
                let entry = complaints.entry(complaint);
                let expected = entry.key().clone();
                entry.or_insert_with(|| shrunk(language, text, &expected));
            }
        }
    }
    let elapsed = start.elapsed().as_secs_f64();
    println!(
        "{language}: {tried} programs from {} seeds in {elapsed:.0} s ({:.0} programs/s, {:.1} MB/s), {:.0} % clean, {} complaints",
        seeds.len(),
        tried as f64 / elapsed,
        bytes as f64 / 1e6 / elapsed,
        100.0 * clean as f64 / tried.max(1) as f64,
        complaints.len(),
    );
    for (complaint, text) in &complaints {
        println!("  {complaint}\n    {:?}", String::from_utf8_lossy(text));
    }
    complaints.is_empty()
}

/// Where the last panic came from and what it said; the standard output stays readable.
static LAST_COMPLAINT: Mutex<String> = Mutex::new(String::new());

fn remember_complaints() {
    panic::set_hook(Box::new(|information| {
        let place = information.location().map_or(String::new(), |place| format!("{}:{}", place.file(), place.line()));
        let message = information.payload_as_str().unwrap_or("").lines().next().unwrap_or("").to_owned();
        // Positions and names differ from program to program, and the complaint is still the same.
        let general: String = message.chars().take_while(|letter| !letter.is_ascii_digit()).take(60).collect();
        *LAST_COMPLAINT.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = format!("{place}: {general}");
    }));
}

/// Checks a program: is it clean, or what is the complaint?
fn complaint(language: Language, text: &[u8]) -> Result<bool, String> {
    panic::catch_unwind(AssertUnwindSafe(|| !check::check(language, text).is_broken()))
        .map_err(|_| LAST_COMPLAINT.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone())
}

/// Takes pieces away as long as the complaint stays the same.
fn shrunk(language: Language, mut text: Vec<u8>, expected: &str) -> Vec<u8> {
    let mut piece = text.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at < text.len() {
            let end = (at + piece).min(text.len());
            let shorter = [&text[..at], &text[end..]].concat();
            if complaint(language, &shorter).is_err_and(|complaint| complaint == expected) {
                text = shorter;
            } else {
                at += piece;
            }
        }
        piece /= 2;
    }
    text
}

/// A new program made of one or two others. Most changes keep it clean, since only clean programs have names.
fn mutated(language: Language, seeds: &[String], chance: &mut Chance) -> Vec<u8> {
    let mut text = piece(chance.choose::<String>(seeds), chance);
    let mut is_enough = false;
    while !is_enough {
        text = match chance.below(8) {
            0 => change_bytes(text, chance),
            1 => truncate(text, chance),
            2 | 3 => change_tokens(language, text, chance),
            _ => splice(language, text, chance.choose::<String>(seeds), chance),
        };
        is_enough = chance.below(3) > 0;
    }
    text
}

fn piece(text: &str, chance: &mut Chance) -> Vec<u8> {
    if text.len() <= LONGEST_SEED {
        return text.as_bytes().to_vec();
    }
    let start = chance.below(text.len() - LONGEST_SEED);
    text.as_bytes()[start..start + LONGEST_SEED].to_vec()
}

fn change_bytes(mut text: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    for _ in 0..=chance.below(3) {
        let at = chance.below(text.len() + 1);
        let byte = *chance.choose(b" \n\t\r\\\"'`#/*(){}[]<>;:,.=+-$@a0_\0\xff\xc3\xe9");
        if at < text.len() && chance.below(2) == 0 {
            text[at] = byte;
        } else {
            text.insert(at, byte);
        }
    }
    text
}

/// Deletes, doubles, swaps or replaces a few tokens.
fn change_tokens(language: Language, text: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    let program = Program::from_bytes(language, text);
    let ranges: Vec<_> = program.tokens().into_iter().map(|token| token.range).collect();
    let bytes = program.bytes();
    if ranges.is_empty() {
        return bytes.to_vec();
    }
    let one = chance.choose(&ranges).clone();
    let other = chance.choose(&ranges).clone();
    let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
    match chance.below(4) {
        0 => [&bytes[..first.start], &bytes[first.end..]].concat(),
        1 => [&bytes[..first.end], b" ", &bytes[first.start..]].concat(),
        2 => [&bytes[..first.start], &bytes[second.clone()], &bytes[first.end..]].concat(),
        _ if first.end <= second.start => {
            let between = &bytes[first.end..second.start];
            [&bytes[..first.start], &bytes[second.clone()], between, &bytes[first], &bytes[second.end..]].concat()
        }
        _ => bytes.to_vec(),
    }
}

/// Puts a node of another program in the place of a node, of the same kind where there is one.
fn splice(language: Language, text: Vec<u8>, other: &str, chance: &mut Chance) -> Vec<u8> {
    let program = Program::from_bytes(language, text);
    let other = Program::from_bytes(language, piece(other, chance));
    let nodes: Vec<_> = program.nodes().collect();
    let place = *chance.choose(&nodes);
    let alike: Vec<_> = other.nodes_of_kind(place.kind()).collect();
    let part = if alike.is_empty() { other.root() } else { *chance.choose(&alike) };
    let bytes = program.bytes();
    [&bytes[..place.start()], &other.bytes()[part.range()], &bytes[place.end()..]].concat()
}

fn truncate(mut text: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    let at = chance.below(text.len() + 1);
    if chance.below(2) == 0 {
        text.truncate(at);
        return text;
    }
    text.split_off(at)
}

/// A small generator of our own: the programs of a seed must not change with a dependency.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }

    fn choose<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}
