//! The programs in the binary: independent solutions of ten problems in five languages, with their test cases.
//!
//! The task is a small version of POJ-104: which problem does a program solve? In every language one solution of each
//! problem is held out of the training.

use std::sync::atomic::AtomicBool;

use syntax::Language;

use super::linear::{Lesson, Linear, TrainingSettings, train};
use crate::{Code, Input};

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The problem that it solves.
    pub problem: &'static str,
    /// Its language.
    pub language: Language,
    /// The name of its file, without the folders.
    pub file: &'static str,
    /// The program.
    pub text: &'static str,
    /// The file with the problem's cases: a JSON object with the field `cases`.
    pub cases: &'static str,
    /// Is it held out of the training?
    pub is_held_out: bool,
}

type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

const TABLE: &[Row] = include!(concat!(env!("OUT_DIR"), "/problems.rs"));

/// Every program, by problem, language and name.
pub fn solutions() -> Vec<Solution> {
    let mut solutions: Vec<Solution> = Vec::with_capacity(TABLE.len());
    for (problem, language, file, text, cases) in TABLE.iter().copied() {
        let language = language.parse().expect("the folders have the names of languages");
        // The last of the three is held out.
        if let Some(last) = solutions.last_mut()
            && last.problem == problem
            && last.language == language
        {
            last.is_held_out = false;
        }
        solutions.push(Solution { problem, language, file, text, cases, is_held_out: true });
    }
    solutions
}

/// The problems, by the numbers of their classes.
pub fn labels() -> Vec<String> {
    let mut labels: Vec<String> = TABLE.iter().map(|(problem, ..)| (*problem).to_owned()).collect();
    labels.dedup();
    labels
}

/// Trains a classifier on the programs that are not held out.
pub fn classifier() -> Linear {
    let labels = labels();
    let class = |solution: &Solution| labels.iter().position(|label| label == solution.problem).unwrap_or_default();
    let lessons: Vec<Lesson> = solutions()
        .iter()
        .filter(|solution| !solution.is_held_out)
        .map(|solution| Lesson {
            input: Input::Code(Code { language: solution.language, text: solution.text.to_owned() }),
            class: class(solution),
            group: solution.id(),
        })
        .collect();
    let trained = train(&lessons, &labels, &TrainingSettings::default(), &AtomicBool::new(false), &|_| ());
    trained.expect("the programs in the binary teach something").classifier
}

impl Solution {
    /// What it is called: its problem, its language and its file.
    pub fn id(&self) -> String {
        format!("{}/{}/{}", self.problem, self.language.name(), self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_enough_programs_to_learn_from_and_to_hold_out() {
        let solutions = solutions();
        let labels = labels();
        assert!(labels.len() >= 10, "{labels:?}");
        for label in &labels {
            for language in Language::ALL {
                let of = |is_held_out: bool| {
                    let found = solutions.iter().filter(|solution| {
                        solution.problem == label
                            && solution.language == language
                            && solution.is_held_out == is_held_out
                    });
                    found.count()
                };
                assert!(of(false) >= 2 && of(true) == 1, "{label} in {language}");
            }
        }
        assert!(solutions.iter().all(|solution| !syntax::Program::parse(solution.language, solution.text).is_broken()));
    }

    #[test]
    fn the_classifier_knows_problems_that_it_has_not_seen() {
        let classifier = classifier();
        let labels = labels();
        let (mut right, mut all) = (0, 0);
        for solution in solutions().iter().filter(|solution| solution.is_held_out) {
            let code = Code { language: solution.language, text: solution.text.to_owned() };
            let chances = classifier.predict(&Input::Code(code)).unwrap();
            let best = (0..chances.len()).max_by(|one, other| chances[*one].total_cmp(&chances[*other])).unwrap();
            right += usize::from(labels[best] == solution.problem);
            all += 1;
        }
        println!("{right} of {all} held-out programs are answered rightly, {} features", classifier.features());
        // Guessing is right about one in ten.
        assert!(right * 10 >= all * 7, "{right} of {all}");
    }
}
