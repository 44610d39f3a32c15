//! The programs of `fixtures/programs` behave the same after rewrites.
//!
//! This is a sample: a part of the programs of every language with some of the transformations, and a few chains. The whole of it is
//! `allotrope verify --data fixtures/programs --sites 100000 --chains 200`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use campaign::tasks::{self, Task};
use campaign::verify::{Findings, Hunt, Row, hunt};
use equivalence::sandbox::{Ending, Sandbox};
use equivalence::{Answer, Case, Judge, Options, Wanted};
use serde_json::Value;
use syntax::Language;
use testbed::Part;
use transformation::names::Names;
use transformation::recipe::select;
use transformation::{Recipe, Selection};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/programs")
}

fn programs(language: Language) -> Vec<Task> {
    let tasks = tasks::read(&folder(), None).expect("the fixtures are there").tasks;
    tasks.into_iter().filter(|task| task.language == language).collect()
}

fn judge() -> Judge {
    let sandbox = Sandbox::new().expect("the tests need a system that can confine programs");
    // The time is for a machine that is busy with the other tests.
    Judge::new(sandbox, Options { time: Duration::from_secs(60), ..Options::default() })
}

/// A run that judges fewer variants of a language has tested next to nothing.
const ENOUGH: usize = 11;

/// Tries every `stride`th transformation on the programs of this run, others on every program, and a few chains.
fn sample(language: Language, stride: usize) {
    let selections = select("all", &Names::typed()).expect("all transformations");
    let (programs, judge, part) = (programs(language), judge(), Part::of_this_run());
    // A part has few programs, so more transformations are tried on each.
    let stride = if part == Part::All { stride } else { 4 };
    let mut whole = Findings::default();
    // Few transformations have a site in some programs, so a run whose part judges too little goes on with other programs.
    let (own, others): (Vec<_>, Vec<_>) = programs.iter().enumerate().partition(|(number, _)| part.has(*number));
    let own_count = own.len();
    for (place, (number, task)) in own.into_iter().chain(others).enumerate() {
        if place >= own_count && count(&whole, |row| row.judged) >= ENOUGH {
            break;
        }
        let task = &Task { cases: cases_of_this_run(task, part), ..task.clone() };
        let chosen: Vec<Selection> = selections
            .iter()
            .enumerate()
            .filter(|(index, _)| (index + number + part.round()) % stride == 0)
            .map(|(_, one)| one.clone())
            .collect();
        let alone = Hunt {
            recipe: Recipe { selections: chosen },
            sites: 4,
            together: 4,
            chains: 0,
            order: 8,
            seed: number as u64,
            wanted: Wanted::all(),
            failures: None,
        };
        whole.add(search(task, &alone, &judge));
        if part != Part::All || number % stride == 0 {
            let recipe = Recipe { selections: selections.clone() };
            whole.add(search(task, &Hunt { recipe, sites: 0, chains: 2, ..alone }, &judge));
        }
    }
    let (variants, judged) = (count(&whole, |row| row.variants), count(&whole, |row| row.judged));
    println!("{language}: {variants} variants of {} programs, {judged} judged", programs.len());
    assert!(whole.faults.is_empty(), "{} faults:\n{}", whole.faults.len(), whole.faults.join("\n"));
    assert!(whole.doubts.is_empty(), "the fixtures have a fixed meaning:\n{}", whole.doubts.join("\n"));
    assert!(judged >= ENOUGH && judged * 100 >= variants * 95, "{judged} of {variants} judged: {:?}", whole.not_judged);
}

fn count(findings: &Findings, number: fn(&Row) -> usize) -> usize {
    findings.rows.values().map(number).sum()
}

/// A rotating selection of the cases of a program, because every case of every variant is a process.
fn cases_of_this_run(task: &Task, part: Part) -> Vec<Case> {
    const CASES: usize = 4;
    if part == Part::All {
        return task.cases.clone();
    }
    let first = part.round() * CASES;
    let count = task.cases.len();
    (0..count.min(CASES)).map(|place| task.cases[(first + place) % count].clone()).collect()
}

fn search(task: &Task, order: &Hunt, judge: &Judge) -> Findings {
    hunt(std::slice::from_ref(task), order, judge, None, &()).expect("nothing is written")
}

#[test]
fn java_programs_behave_the_same() {
    sample(Language::Java, 9);
}

#[test]
fn c_programs_behave_the_same() {
    sample(Language::C, 9);
}

#[test]
fn cpp_programs_behave_the_same() {
    sample(Language::Cpp, 30);
}

#[test]
fn python_programs_behave_the_same() {
    sample(Language::Python, 9);
}

#[test]
fn javascript_programs_behave_the_same() {
    sample(Language::JavaScript, 30);
}

#[test]
fn there_are_enough_programs_with_enough_cases() {
    for language in Language::ALL {
        let programs = programs(language);
        assert!(programs.len() >= 40, "{language} has {} programs", programs.len());
        for program in programs {
            assert!(program.cases.len() >= 5, "{} has {} cases", program.id, program.cases.len());
        }
    }
}

/// What a file with cases says that a program writes, and its exit status.
fn expected(program: &Path) -> Vec<(String, i64)> {
    let beside = program.with_extension("json");
    let shared = program.ancestors().nth(2).expect("a folder of a language").join("problem.json");
    let path = if beside.is_file() { beside } else { shared };
    let text = std::fs::read_to_string(&path).expect("a file with cases");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let cases = file["cases"].as_array().expect("cases");
    let told =
        |case: &Value| (case["output"].as_str().expect("an output").to_owned(), case["status"].as_i64().unwrap_or(0));
    cases.iter().map(told).collect()
}

#[test]
fn every_program_does_what_its_cases_say() {
    let judge = judge();
    let part = Part::of_this_run();
    let mut wrong: BTreeMap<String, String> = BTreeMap::new();
    for language in Language::ALL {
        for (_, task) in programs(language).into_iter().enumerate().filter(|(number, _)| part.has(*number)) {
            let expected = expected(&folder().join(&task.id));
            match judge.observe(language, &task.text, &task.cases) {
                Answer::Accepted(behaviours) if behaviours.len() == expected.len() => {
                    for (number, (behaviour, (output, status))) in behaviours.iter().zip(&expected).enumerate() {
                        if behaviour.output != output.as_bytes() || behaviour.ending != Ending::Exit(*status as i32) {
                            wrong
                                .insert(format!("{}, case {}", task.id, number + 1), format!("{:?}", behaviour.ending));
                        }
                    }
                }
                other => drop(wrong.insert(task.id.clone(), format!("{other:?}"))),
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
}
