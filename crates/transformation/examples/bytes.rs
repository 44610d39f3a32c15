//! Prints one line a data set that changes when a rewrite of its programs changes by a byte; `same-bytes` compares two builds by it.
//!
//! `cargo run --release -p allotrope-transformation --example bytes -- [PROGRAMS]`
//!
//! Takes some 300 programs of every data set, spread evenly. Each goes through what `allotrope transform --transform all --order 5` does;
//! before that, every transformation lists its sites and builds the edits of the first few. The digests cover all of it.

#[path = "../../syntax/examples/data/mod.rs"]
mod data;

use std::process::ExitCode;

use random::seed_of;
use rayon::prelude::*;
use syntax::Program;
use transformation::names::NamesMaterial;
use transformation::recipe::select;
use transformation::{Choice, Names, Recipe, Sites, Variation, catalogue};

const ORDER: usize = 5;
/// How many sites of each transformation have their edits built.
const MOST_SITES: usize = 5;

fn main() -> ExitCode {
    let share = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(300);
    let Some(folder) = testbed::data() else { return ExitCode::from(3) };
    let names = Names::new("pseudo", NamesMaterial::default()).expect("the source is in the catalogue");
    let recipe = Recipe { selections: select("all", &names).expect("there are transformations") };
    for set in data::DATA_SETS {
        let programs = match set.programs(&folder) {
            Ok(programs) => programs,
            Err(problem) => {
                eprintln!("{problem}");
                return ExitCode::from(3);
            }
        };
        let step = programs.len().div_ceil(share).max(1);
        let chosen: Vec<&(String, String)> = programs.iter().step_by(step).collect();
        let rewritten: Vec<(bool, u64, u64)> = chosen
            .par_iter()
            .map(|(place, text)| {
                let program = Program::parse(set.language, text.as_str());
                if program.is_broken() {
                    return (false, 0, 0);
                }
                let sites = sites(&program, &names);
                let mut variation = Variation::of(program);
                let seed = seed_of(&[&0_u64.to_le_bytes(), place.as_bytes(), &1_u64.to_le_bytes()]);
                recipe.advance(&mut variation, ORDER, None, seed);
                let bytes = variation.program.bytes();
                (bytes != text.as_bytes(), sites, seed_of(&[bytes]))
            })
            .collect();
        let changed = rewritten.iter().filter(|(is_changed, ..)| *is_changed).count();
        let digest = |part: fn(&(bool, u64, u64)) -> u64| {
            seed_of(&[&rewritten.iter().flat_map(|one| part(one).to_le_bytes()).collect::<Vec<u8>>()])
        };
        println!(
            "{} {}: {} programs, {changed} changed, sites {:016x}, bytes {:016x}",
            set.name,
            set.language,
            chosen.len(),
            digest(|one| one.1),
            digest(|one| one.2)
        );
    }
    ExitCode::SUCCESS
}

/// A digest of all sites of all transformations, with the edits of the first few.
fn sites(program: &Program, names: &Names) -> u64 {
    let mut found = String::new();
    for transformation in catalogue::all() {
        for (index, site) in Sites::of(transformation, program).iter().enumerate() {
            found += &format!("{} {} {:?}", transformation.name, site.rule, site.range);
            if index < MOST_SITES {
                found += &format!("{:?}", site.edits(&mut Choice::new(program, names, index as u64)));
            }
        }
    }
    seed_of(&[found.as_bytes()])
}
