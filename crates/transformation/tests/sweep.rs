//! Every transformation at up to 20 sites of a part of 2,000 programs of the data sets: what the example `sweep` does to all of them.

mod check;
#[path = "../../syntax/examples/data/mod.rs"]
mod data;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use syntax::Program;
use testbed::Part;
use transformation::{Names, catalogue};

const PROGRAMS: usize = 2000;
const MOST_SITES: usize = 20;

#[test]
fn every_rewrite_of_a_sample_is_sound() {
    let Some(folder) = testbed::data() else { return };
    let part = Part::of_this_run();
    // Every data set has its share, however small it is, and every round of parts takes other programs.
    let share = PROGRAMS / data::DATA_SETS.len();
    let mut programs = Vec::new();
    for set in data::DATA_SETS {
        let all = set.programs(&folder).unwrap_or_else(|problem| panic!("{problem}"));
        let step = (all.len() / share).max(1);
        let sample = all.into_iter().skip(part.round() % step).step_by(step).take(share).enumerate();
        let chosen = sample.filter(|(number, _)| part.has(*number));
        programs.extend(chosen.map(|(_, (place, text))| (set.language, place, text)));
    }
    let parts = if part == Part::All { 1 } else { Part::OF };
    assert!(programs.len() >= PROGRAMS * 9 / 10 / parts, "only {} programs were found", programs.len());
    let names = Names::typed();
    let checked = AtomicUsize::new(0);
    let problems: Vec<String> = programs
        .par_iter()
        .flat_map_iter(|(language, place, text)| {
            let program = Program::parse(*language, text.as_str());
            let mut problems = Vec::new();
            for transformation in catalogue::all() {
                let outcome = check::check(&program, transformation, &names, MOST_SITES, true);
                assert_eq!(
                    outcome.refused, 0,
                    "{} on {place}: the source of names always has one",
                    transformation.name
                );
                assert!(outcome.checked <= outcome.sites);
                checked.fetch_add(outcome.checked, Ordering::Relaxed);
                let told = outcome
                    .problems
                    .into_iter()
                    .map(|problem| format!("{} on {place}, {problem}", transformation.name));
                problems.extend(told);
            }
            problems
        })
        .collect();
    println!("{} programs, {} rewrites", programs.len(), checked.load(Ordering::Relaxed));
    assert!(problems.is_empty(), "{} problems, the first:\n{}", problems.len(), problems[0]);
}
