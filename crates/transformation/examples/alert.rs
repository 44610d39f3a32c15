//! Uses the substitutes that ALERT published, names predicted by a masked language model, as a source of names, and
//! counts what becomes of them.
//!
//! `cargo run --release -p allotrope-transformation --example alert -- [--every N] [--check-every N]`
//!
//! `--every` takes a part of the programs, `--check-every` renames with a part of the accepted names and reads the result
//! again (1 for all, 20 by default). Prints tables (those in EVIDENCE.md) and ends with status 1 when a rename went wrong.

#[path = "../tests/check/mod.rs"]
mod check;
#[path = "../../syntax/examples/data/mod.rs"]
mod data;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;

use flate2::read::GzDecoder;
use rayon::prelude::*;
use serde_json::Value;
use syntax::names::{is_keyword, is_legal, is_reserved};
use syntax::{Language, Program, SymbolKind, Target};
use transformation::names::NamesMaterial;
use transformation::site::Sites;
use transformation::{Names, Transformation, catalogue};

/// A data set, the file with its programs and the file with the pairs whose first programs are attacked.
struct Task {
    name: &'static str,
    programs: &'static str,
    pairs: Option<&'static str>,
    /// What was counted before for the same lists: items with a substitute that is a word of the text, in code, strings
    /// or comments.
    published: &'static str,
}

const TASKS: [Task; 2] = [
    Task { name: "devign", programs: "test", pairs: None, published: "1756 of 2732" },
    Task { name: "bigclonebench", programs: "functions", pairs: Some("test"), published: "3582 of 4000" },
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Accepted,
    Occurs,
    Keyword,
    Reserved,
    NotAName,
    Merges,
    Repeated,
    OfNoSymbol,
}

impl Fate {
    const fn words(self) -> &'static str {
        match self {
            Fate::Accepted => "accepted",
            Fate::Occurs => "refused: occurs in the program already",
            Fate::Keyword => "refused: keyword",
            Fate::Reserved => "refused: has a meaning for the language or its library",
            Fate::NotAName => "refused: no name at all",
            Fate::Merges => "refused: listed for an earlier name, too: the two would become one",
            Fate::Repeated => "listed twice for one name, blanks aside",
            Fate::OfNoSymbol => "listed for a name that no transformation renames",
        }
    }
}

#[derive(Default)]
struct Counts {
    programs: usize,
    broken: usize,
    names: usize,
    /// What the names are that are not renamed.
    others: BTreeMap<String, usize>,
    fates: BTreeMap<Fate, usize>,
    names_with_name: usize,
    /// Programs with a substitute that is a word of the text, and with one that is a token of the code.
    clashing: [usize; 2],
    checked: usize,
    problems: Vec<String>,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.programs += other.programs;
        self.broken += other.broken;
        self.names += other.names;
        for (kind, count) in other.others {
            *self.others.entry(kind).or_default() += count;
        }
        for (fate, count) in other.fates {
            *self.fates.entry(fate).or_default() += count;
        }
        self.names_with_name += other.names_with_name;
        self.clashing = [0, 1].map(|index| self.clashing[index] + other.clashing[index]);
        self.checked += other.checked;
        self.problems.extend(other.problems);
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, otherwise: usize| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)?.parse().ok()).unwrap_or(otherwise).max(1)
    };
    let Some(folder) = testbed::data() else { return ExitCode::SUCCESS };
    let mut problems = 0;
    for task in &TASKS {
        match count(task, &folder, number("--every", 1), number("--check-every", 20)) {
            Ok(found) => problems += found,
            Err(problem) => {
                eprintln!("{problem}");
                return ExitCode::from(3);
            }
        }
    }
    println!("{problems} problems");
    if problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn count(task: &Task, folder: &Path, every: usize, check_every: usize) -> Result<usize, String> {
    let set = data::DATA_SETS.iter().find(|set| set.name == task.name).ok_or("there is no such data set")?;
    let ids = rows(&folder.join(task.name).join(format!("{}.jsonl.gz", task.programs)))?;
    let programs = set.programs(folder)?;
    let programs: BTreeMap<String, (String, String)> = ids.iter().map(|row| id(&row["idx"])).zip(programs).collect();
    let lists = rows(&folder.join(task.name).join("alert_substitutes_test.jsonl.gz"))?;
    // How often each program is attacked.
    let uses = match task.pairs {
        None => BTreeMap::new(),
        Some(pairs) => {
            let mut uses: BTreeMap<String, usize> = BTreeMap::new();
            for line in lines(&folder.join(task.name).join(format!("{pairs}.txt.gz")))? {
                *uses.entry(line.split_whitespace().next().unwrap_or_default().to_owned()).or_default() += 1;
            }
            uses
        }
    };
    let lists: Vec<&Value> = lists.iter().step_by(every).collect();
    let found: Vec<(usize, Counts)> = lists
        .par_iter()
        .filter_map(|row| {
            let idx = id(&row["idx"]);
            let (place, text) = programs.get(&idx)?;
            let uses = if task.pairs.is_some() { uses.get(&idx).copied().unwrap_or(0) } else { 1 };
            Some((uses, of_program(place, set.language, text, &row["substitutes"], check_every)))
        })
        .collect();
    let items: usize = found.iter().map(|(uses, _)| uses).sum();
    let clashing = [0, 1].map(|index| found.iter().map(|(uses, counts)| uses * counts.clashing[index]).sum());
    let missing = lists.len() - found.len();
    let mut all = Counts::default();
    for (_, counts) in found {
        all.add(counts);
    }
    print(task, &all, missing, (clashing, items));
    Ok(all.problems.len())
}

fn of_program(place: &str, language: Language, text: &str, lists: &Value, check_every: usize) -> Counts {
    let program = Program::parse(language, text);
    let lists: BTreeMap<&String, Vec<&str>> = lists
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, list)| (name, list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()))
        .collect();
    let tokens: BTreeSet<&str> = program.tokens().into_iter().map(|token| token.text).collect();
    let words: BTreeSet<&str> = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    let has_any = |words: &BTreeSet<&str>| lists.values().flatten().any(|name| words.contains(name.trim()));
    let clashing = [usize::from(has_any(&words)), usize::from(has_any(&tokens))];
    let mut counts = Counts { programs: 1, clashing, ..Counts::default() };
    if program.is_broken() {
        counts.broken = 1;
        return counts;
    }
    // An alias is a new name beside the old one.
    let units: Vec<&Transformation> = catalogue::all()
        .iter()
        .filter(|unit| unit.name.starts_with("rename-") && unit.name != "rename-api-alias")
        .collect();
    let mut renamable: BTreeMap<&str, Vec<&Transformation>> = BTreeMap::new();
    for unit in &units {
        for site in Sites::of(unit, &program) {
            let units = renamable.entry(&program.text()[site.range]).or_default();
            if units.last().is_none_or(|last| last.name != unit.name) {
                units.push(unit);
            }
        }
    }
    let source = Names::new("substitutes", NamesMaterial::default()).expect("the source is in the catalogue");
    let mut given: BTreeSet<&str> = BTreeSet::new();
    for (name, list) in &lists {
        counts.names += 1;
        let units = renamable.get(name.as_str());
        if units.is_none() {
            *counts.others.entry(what_it_is(&program, name)).or_default() += 1;
        }
        let mut seen = BTreeSet::new();
        let mut has_name = false;
        for candidate in list.iter().map(|candidate| candidate.trim()) {
            let fate = match units {
                None => Fate::OfNoSymbol,
                Some(_) if !seen.insert(candidate) => Fate::Repeated,
                Some(_) => fate_of(&program, candidate, &given),
            };
            let count = counts.fates.entry(fate).or_default();
            *count += 1;
            let Some(units) = units.filter(|_| fate == Fate::Accepted) else { continue };
            has_name = true;
            if (*count).is_multiple_of(check_every) {
                let material = NamesMaterial {
                    substitutes: [((*name).clone(), vec![candidate.to_owned()])].into(),
                    ..NamesMaterial::default()
                };
                counts.checked += 1;
                counts.problems.extend(
                    check_one(&program, units, &source.with(material), candidate)
                        .err()
                        .map(|problem| format!("{place}, `{name}` to `{candidate}`: {problem}")),
                );
            }
        }
        counts.names_with_name += usize::from(has_name);
        given.extend(seen);
    }
    counts
}

/// Renames with the one candidate, and reads the result again.
fn check_one(program: &Program, units: &[&Transformation], names: &Names, candidate: &str) -> Result<(), String> {
    let mut checked = 0;
    for unit in units {
        let outcome = check::check(program, unit, names, usize::MAX, false);
        checked += outcome.checked;
        if let Some(problem) = outcome.problems.first() {
            return Err(problem.clone());
        }
        if outcome.checked + outcome.refused != outcome.sites {
            return Err("sites were passed over".to_owned());
        }
    }
    if checked == 0 { Err(format!("nothing was renamed to {candidate}")) } else { Ok(()) }
}

/// What the source of names does with a candidate, and why.
fn fate_of(program: &Program, candidate: &str, given: &BTreeSet<&str>) -> Fate {
    let language = program.language();
    if is_keyword(language, candidate) {
        Fate::Keyword
    } else if !is_legal(language, candidate) {
        Fate::NotAName
    } else if is_reserved(language, candidate) {
        Fate::Reserved
    } else if !program.is_fresh(candidate) {
        Fate::Occurs
    } else if given.contains(candidate) {
        Fate::Merges
    } else {
        Fate::Accepted
    }
}

/// What a name is that no transformation renames.
fn what_it_is(program: &Program, name: &str) -> String {
    let scopes = program.scopes();
    let targets: Vec<Target> = scopes
        .references()
        .iter()
        .filter(|reference| program.node(reference.node).text() == name)
        .map(|reference| reference.target)
        .collect();
    let kinds: BTreeSet<SymbolKind> = targets
        .iter()
        .filter_map(|target| match target {
            Target::Symbol(symbol) => Some(scopes.symbol(*symbol).kind),
            Target::Outside | Target::Member | Target::Unknown => None,
        })
        .collect();
    if let Some(kind) = kinds.first() {
        return format!("{} of the program, refused or without a transformation", kind.name());
    }
    match () {
        () if targets.contains(&Target::Member) => "member of something outside".to_owned(),
        () if targets.contains(&Target::Outside) => "declared outside".to_owned(),
        () if targets.contains(&Target::Unknown) => "nobody can tell: outside or a macro".to_owned(),
        () if program.is_named_in_directive(name) => "only in directives".to_owned(),
        () => "no identifier of the program".to_owned(),
    }
}

fn print(task: &Task, counts: &Counts, missing: usize, (clashing, items): ([usize; 2], usize)) {
    println!("## {}\n", task.name);
    for problem in counts.problems.iter().take(5) {
        println!("{problem}\n");
    }
    println!("| | count | |\n|---|---:|---:|");
    println!("| lists without a program | {missing} | |");
    println!("| programs | {} | |", counts.programs);
    println!("| of them broken and left alone | {} | |", counts.broken);
    let published = task.published;
    let [words, tokens] = clashing;
    println!("| items with a substitute that is a word of the text | {words} of {items} | published: {published} |");
    println!("| items with a substitute that is a token of the code | {tokens} of {items} | |");
    println!("| names with lists | {} | 100.0 % |", counts.names);
    let percent = |count: usize, of: usize| format!("{:.1} %", 100.0 * count as f64 / of.max(1) as f64);
    let with_name = counts.names_with_name;
    println!("| names with an accepted substitute | {with_name} | {} |", percent(with_name, counts.names));
    for (kind, count) in &counts.others {
        println!("| not renamed: {kind} | {count} | {} |", percent(*count, counts.names));
    }
    let all: usize = counts.fates.values().sum();
    println!("| substitutes | {all} | 100.0 % |");
    for (fate, count) in &counts.fates {
        println!("| {} | {count} | {} |", fate.words(), percent(*count, all));
    }
    println!("| accepted, renamed and read again | {} | |", counts.checked);
    println!("| problems | {} | |\n", counts.problems.len());
}

fn id(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn rows(path: &Path) -> Result<Vec<Value>, String> {
    let row = |line: String| {
        serde_json::from_str(&line).map_err(|error| format!("failed to read {}: {error}", path.display()))
    };
    lines(path)?.into_iter().map(row).collect()
}

fn lines(path: &Path) -> Result<Vec<String>, String> {
    let problem = |error: std::io::Error| format!("failed to read {}: {error}", path.display());
    let file = File::open(path).map_err(problem)?;
    BufReader::new(GzDecoder::new(file)).lines().collect::<Result<_, _>>().map_err(problem)
}
