//! Identifiers of real programs whose meaning was found out by reading, apart from this crate.
//!
//! The files `sample/<language>.tsv` name a program of the data sets, the line and column of an identifier, its
//! name, and what a careful reading found it to stand for: the line and column of its declaration, `outside`
//! or `member`; where two answers can be defended both are there, divided by `|`. The programs themselves are not
//! part of the project (`examples/sample.rs` prints them).
//!
//! `unknown` is never a wrong answer of ours, and neither is `member` where the reading saw that the member is
//! declared outside: both say that we do not know. They are counted.

use std::collections::HashMap;
use std::path::Path;

use syntax::{Language, Program, Target};

crate::a_test_for_each_language!(check);

fn check(language: Language) {
    let Some(folder) = testbed::data() else { return };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sample").join(format!("{language}.tsv"));
    let sample =
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("failed to read {}: {error}", file.display()));
    let programs: HashMap<String, String> = crate::data::DATA_SETS
        .iter()
        .filter(|set| set.language == language)
        .flat_map(|set| set.programs(&folder).unwrap())
        .collect();
    let mut wrong = Vec::new();
    let (mut checked, mut silent) = (0, 0);
    for line in sample.lines() {
        let [place, position, name, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{}: four columns are needed: {line}", file.display());
        };
        let text = programs.get(place).unwrap_or_else(|| panic!("there is no program {place}"));
        let found = answers(language, text, position, name);
        checked += 1;
        let is_right = expected.split('|').any(|answer| found.iter().any(|found| found == answer));
        let is_silent = found == ["unknown"] || found == ["member"];
        silent += usize::from(is_silent && !is_right);
        if !is_right && !is_silent {
            wrong.push(format!("{place} {position} {name}: checked {expected}, resolved {}", found.join(" or ")));
        }
    }
    println!("{language}: {checked} identifiers checked by reading, {} wrong, {silent} without an answer", wrong.len());
    assert!(checked >= 200, "only {checked} identifiers");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every answer of ours that is the same: the places of all declarations of the symbol, or one word.
fn answers(language: Language, text: &str, position: &str, name: &str) -> Vec<String> {
    let program = Program::parse(language, text);
    let scopes = program.scopes();
    let place = |node: syntax::Node<'_>| {
        let (line, column) = program.line_and_column(node.start());
        format!("{line}:{column}")
    };
    let reference = scopes.references().iter().find(|reference| place(program.node(reference.node)) == position);
    let Some(reference) = reference else { return vec!["no identifier".to_owned()] };
    assert_eq!(program.node(reference.node).text(), name);
    match reference.target {
        Target::Symbol(symbol) => scopes
            .references_of(symbol)
            .filter(|reference| reference.declares)
            .map(|reference| place(program.node(reference.node)))
            .collect(),
        Target::Outside => vec!["outside".to_owned()],
        Target::Member => vec!["member".to_owned()],
        Target::Unknown => vec!["unknown".to_owned()],
    }
}
