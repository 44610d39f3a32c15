//! Annotated sources: every identifier of every line says what it stands for.
//!
//! The files in `scopes/<language>/` end each line that has identifiers in a comment that starts with
//! `//:` (Python: `#:`) and lists the identifiers of the line in order:
//!
//! - `total#1:local` declares symbol 1, a local variable; every further declaration of it says so again;
//! - `total#1` is a use of symbol 1;
//! - `printf:outside`, `size:member` and `name:unknown` have no symbol in the file.
//!
//! A comment alone on its line annotates the line above it, where the line cannot end in a comment. The
//! list must be complete, so nothing in these files goes unchecked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syntax::{Language, Program, SymbolId, Target};

crate::a_test_for_each_language!(check_folder);

fn check_folder(language: Language) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scopes").join(language.name());
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("failed to list {}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut checked = 0;
    let mut problems = Vec::new();
    for file in &files {
        match check_file(language, file) {
            Ok(count) => checked += count,
            Err(problem) => problems.push(problem),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    println!("{language}: {checked} identifiers in {} files", files.len());
}

/// Gives the number of identifiers, or the first few differences and the annotations as they would be.
fn check_file(language: Language, file: &Path) -> Result<usize, String> {
    let program = Program::from_file(file, Some(language)).unwrap();
    if let Some(error) = program.first_error() {
        let (line, column) = program.line_and_column(error.start);
        return Err(format!("{}:{line}:{column}: does not parse", file.display()));
    }
    let expected = annotations(language, program.text());
    let actual = answers(&program, &expected);
    let lines = expected.keys().chain(actual.keys()).collect::<std::collections::BTreeSet<_>>();
    let mut differences = String::new();
    for line in lines {
        let wanted = expected.get(line).map(|words| words.join(" ")).unwrap_or_default();
        let found = actual.get(line).map(|words| words.join(" ")).unwrap_or_default();
        if wanted != found {
            differences += &format!("{}:{line}\n  annotated {wanted}\n  resolved  {found}\n", file.display());
        }
    }
    if differences.is_empty() { Ok(program.scopes().references().len()) } else { Err(differences) }
}

/// The annotated words of each line.
fn annotations(language: Language, text: &str) -> BTreeMap<usize, Vec<String>> {
    let mark = if language == Language::Python { "#:" } else { "//:" };
    let mut annotations = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let Some((before, words)) = line.rsplit_once(mark) else { continue };
        let annotated_line = if before.trim().is_empty() { index } else { index + 1 };
        annotations.insert(annotated_line, words.split_whitespace().map(str::to_owned).collect());
    }
    annotations
}

/// The words that would be right. A symbol is called by the label under which its first declaration is
/// annotated; one whose annotation is missing gets the number of its line.
fn answers(program: &Program, expected: &BTreeMap<usize, Vec<String>>) -> BTreeMap<usize, Vec<String>> {
    let scopes = program.scopes();
    let mut answers: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut labels: BTreeMap<SymbolId, String> = BTreeMap::new();
    let place = |node: syntax::Node<'_>| program.line_and_column(node.start()).0;
    // A use may come before the declaration, so the labels are collected first.
    let mut position_in_line: BTreeMap<usize, usize> = BTreeMap::new();
    for reference in scopes.references() {
        let line = place(program.node(reference.node));
        let position = position_in_line.entry(line).or_default();
        let word = expected.get(&line).and_then(|words| words.get(*position));
        *position += 1;
        if let (Target::Symbol(symbol), true) = (reference.target, reference.declares) {
            let label =
                word.and_then(|word| word.rsplit_once('#')).map(|(_, rest)| rest.split(':').next().unwrap().to_owned());
            let taken = label.as_ref().is_some_and(|label| labels.values().any(|other| other == label));
            labels.entry(symbol).or_insert_with(|| match label {
                Some(label) if !taken => label,
                _ => format!("line{line}"),
            });
        }
    }
    for reference in scopes.references() {
        let node = program.node(reference.node);
        let name = node.text();
        let word = match reference.target {
            Target::Symbol(symbol) => {
                let label = labels.get(&symbol).map_or("undeclared", |label| label);
                match reference.declares {
                    true => format!("{name}#{label}:{}", scopes.symbol(symbol).kind.name()),
                    false => format!("{name}#{label}"),
                }
            }
            Target::Outside => format!("{name}:outside"),
            Target::Member => format!("{name}:member"),
            Target::Unknown => format!("{name}:unknown"),
        };
        answers.entry(place(node)).or_default().push(word);
    }
    answers
}
