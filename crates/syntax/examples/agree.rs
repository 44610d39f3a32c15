//! Compares our answers with those of an oracle: the name resolution of a real compiler.
//!
//! `cargo run -p allotrope-syntax --example agree -- LANGUAGE [--sets A,B] [--most N] [--show N] [--files FOLDER] ORACLE ARGUMENT…`
//!
//! The oracle is a program that reads one JSON object a line, `{"text": "…"}`, and answers each with
//! one line: `{"error": "…"}` when it cannot judge the text, or `{"names": [[start, end, declaration], …]}` with
//! byte positions, where `declaration` is the place of the identifier that declares the name, or -1 when
//! it is declared outside the text. Names that the oracle is silent about are not compared.
//!
//! Ours are right when the declaration is one of our symbol's declarations, and when two of our symbols never
//! share a declaration of the oracle's, nor two of the oracle's one of ours (functions excepted, whose
//! overloads are one symbol, and members of a dynamic language, which override each other).

#[path = "data/mod.rs"]
mod data;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use serde_json::{Value, json};
use syntax::scopes::ScopeKind;
use syntax::{Language, Program, Reference, SymbolId, SymbolKind, Target};

struct Options {
    language: Language,
    sets: Option<Vec<String>>,
    most: usize,
    show: usize,
    files: Option<String>,
    oracle: Vec<String>,
}

#[derive(Default)]
struct Score {
    programs: usize,
    broken: usize,
    not_judged: usize,
    compared: usize,
    right: usize,
    wrong: usize,
    /// We say that we do not know where the oracle does.
    silent: usize,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let options = options()?;
    let mut sources: Vec<(String, Vec<(String, String)>)> = Vec::new();
    if let Some(files) = &options.files {
        sources.push((files.clone(), files_below(Path::new(files), options.language)));
    } else {
        let Some(folder) = testbed::data() else { return Ok(true) };
        for set in data::DATA_SETS {
            let is_wanted = options.sets.as_ref().is_none_or(|names| names.iter().any(|name| name == set.name));
            if set.language == options.language && is_wanted {
                sources.push((set.name.to_owned(), set.programs(&folder)?));
            }
        }
    }
    println!("| data set              | programs | broken | not judged | compared |    right | wrong | silent |");
    println!("|-----------------------|---------:|-------:|-----------:|---------:|---------:|------:|-------:|");
    let mut shown = 0;
    let mut is_right = true;
    for (name, programs) in &sources {
        // A sample takes every n-th program, so that it is spread over the whole set.
        let step = programs.len().div_ceil(options.most.max(1)).max(1);
        let sample: Vec<&(String, String)> = programs.iter().step_by(step).collect();
        let score = compare_all(&options, &sample, &mut shown)?;
        is_right &= score.wrong == 0;
        println!(
            "| {name:21} | {:8} | {:6} | {:10} | {:8} | {:8} | {:5} | {:6} |",
            score.programs, score.broken, score.not_judged, score.compared, score.right, score.wrong, score.silent
        );
    }
    Ok(is_right)
}

fn options() -> Result<Options, String> {
    let usage = "usage: agree LANGUAGE [--sets A,B] [--most N] [--show N] [--files FOLDER] ORACLE ARGUMENT…";
    let mut arguments = std::env::args().skip(1).peekable();
    let language = arguments.next().ok_or(usage)?.parse().map_err(|error| format!("{error}"))?;
    let mut options = Options { language, sets: None, most: 3000, show: 20, files: None, oracle: Vec::new() };
    while let Some(option) = arguments.next_if(|word| word.starts_with("--")) {
        let value = arguments.next().ok_or(usage)?;
        let number = || value.parse().map_err(|_| format!("{option} needs a number, not {value}"));
        match option.as_str() {
            "--sets" => options.sets = Some(value.split(',').map(str::to_owned).collect()),
            "--most" => options.most = number()?,
            "--show" => options.show = number()?,
            "--files" => options.files = Some(value),
            _ => return Err(format!("unknown option {option}\n{usage}")),
        }
    }
    options.oracle = arguments.collect();
    if options.oracle.is_empty() { Err(usage.to_owned()) } else { Ok(options) }
}

fn files_below(folder: &Path, language: Language) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if Language::from_path(&path) == Some(language)
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                found.push((path.display().to_string(), text));
            }
        }
    }
    found.sort();
    found
}

fn compare_all(options: &Options, programs: &[&(String, String)], shown: &mut usize) -> Result<Score, String> {
    let mut child = Command::new(&options.oracle[0])
        .args(&options.oracle[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("failed to start the oracle {}: {error}", options.oracle[0]))?;
    let mut questions = child.stdin.take().expect("the pipe was asked for");
    let mut answers = BufReader::new(child.stdout.take().expect("the pipe was asked for"));
    let mut score = Score::default();
    for (place, text) in programs {
        score.programs += 1;
        let program = Program::parse(options.language, text.as_str());
        if program.is_broken() {
            score.broken += 1;
            continue;
        }
        let mut answer = String::new();
        writeln!(questions, "{}", json!({ "text": text })).map_err(|error| format!("the oracle stopped: {error}"))?;
        questions.flush().map_err(|error| format!("the oracle stopped: {error}"))?;
        answers.read_line(&mut answer).map_err(|error| format!("the oracle stopped: {error}"))?;
        let answer: Value = serde_json::from_str(&answer)
            .map_err(|error| format!("{place}: the oracle answered {answer:?}: {error}"))?;
        match answer["names"].as_array() {
            None => score.not_judged += 1,
            Some(names) => compare(options, place, &program, names, &mut score, shown),
        }
    }
    drop(questions);
    let _ = child.wait();
    Ok(score)
}

fn compare(options: &Options, place: &str, program: &Program, names: &[Value], score: &mut Score, shown: &mut usize) {
    let scopes = program.scopes();
    let by_start: HashMap<usize, &Reference> =
        scopes.references().iter().map(|reference| (program.node(reference.node).start(), reference)).collect();
    let mut symbol_of: HashMap<i64, SymbolId> = HashMap::new();
    let mut declaration_of: HashMap<SymbolId, i64> = HashMap::new();
    for name in names {
        let (Some(start), Some(declaration)) = (name[0].as_i64(), name[2].as_i64()) else { continue };
        let Some(reference) = by_start.get(&(start as usize)) else { continue };
        score.compared += 1;
        let problem = match reference.target {
            Target::Member | Target::Unknown => {
                score.silent += 1;
                continue;
            }
            Target::Outside if declaration == -1 => None,
            Target::Outside => Some("we say outside".to_owned()),
            Target::Symbol(_) if declaration == -1 && is_import(program, reference) => None,
            Target::Symbol(symbol) => {
                let is_declared_there = scopes
                    .references_of(symbol)
                    .any(|other| other.declares && program.node(other.node).start() as i64 == declaration);
                let declared = scopes.symbol(symbol);
                let is_member = scopes.scope(declared.scope).kind == ScopeKind::Type;
                let may_have_several =
                    declared.kind == SymbolKind::Function || is_member && options.language.is_dynamic();
                let first_symbol = *symbol_of.entry(declaration).or_insert(symbol);
                let first_declaration = *declaration_of.entry(symbol).or_insert(declaration);
                if !is_declared_there {
                    let ours = program.node(scopes.symbol(symbol).declaration).start();
                    Some(format!("we say declared at {}", line(program, ours)))
                } else if first_symbol != symbol {
                    Some("we divide one symbol in two".to_owned())
                } else if first_declaration != declaration && !may_have_several {
                    Some("we merge two symbols".to_owned())
                } else {
                    None
                }
            }
        };
        match problem {
            None => score.right += 1,
            Some(problem) => {
                score.wrong += 1;
                if *shown < options.show {
                    *shown += 1;
                    let truth =
                        if declaration < 0 { "outside".to_owned() } else { line(program, declaration as usize) };
                    let node = program.node(reference.node);
                    println!(
                        "{place} line {}: `{}`: the oracle says {truth}, {problem}",
                        line(program, node.start()),
                        node.text()
                    );
                }
            }
        }
    }
}

/// An imported name is declared outside for the oracle and stands for itself in our tables.
fn is_import(program: &Program, reference: &Reference) -> bool {
    matches!(reference.target, Target::Symbol(symbol) if program.scopes().symbol(symbol).kind == SymbolKind::Import)
}

fn line(program: &Program, position: usize) -> String {
    let (line, column) = program.line_and_column(position);
    format!("{line}:{column}")
}
