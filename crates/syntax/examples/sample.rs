//! Draws the sample of identifiers that are checked by reading, and prints it to be read.
//!
//! `cargo run -p allotrope-syntax --example sample -- LANGUAGE FOLDER`
//!
//! Each file in the folder shows one program with numbered lines and asks for three of its identifiers. The
//! answers go to `tests/sample/<language>.tsv`: the program's place, the identifier's line and column, its name, and
//! the line and column of its declaration or `outside` or `member`.

#[path = "data/mod.rs"]
mod data;

use std::fmt::Write as _;
use std::path::Path;

use syntax::{Language, Node, Program};

/// Three identifiers a program make more than 200.
const PROGRAMS: usize = 70;
const IDENTIFIERS: usize = 3;

/// Short programs are read carefully.
const LONGEST: usize = 6000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [language, output] = &arguments[..] else { return Err("usage: sample LANGUAGE FOLDER".into()) };
    let language: Language = language.parse()?;
    let Some(folder) = testbed::data() else { return Ok(()) };
    std::fs::create_dir_all(output)?;
    let sets: Vec<&data::DataSet> = data::DATA_SETS.iter().filter(|set| set.language == language).collect();
    let mut random = Random(language as u64 + 1);
    let mut number = 0;
    for (index, set) in sets.iter().enumerate() {
        let programs = set.programs(&folder)?;
        let share = PROGRAMS * (index + 1) / sets.len() - PROGRAMS * index / sets.len();
        let mut drawn = 0;
        while drawn < share && !programs.is_empty() {
            let (place, text) = &programs[random.below(programs.len())];
            let program = Program::parse(language, text.as_str());
            let identifiers: Vec<Node<'_>> = program.nodes().filter(|node| node.kind().is_identifier()).collect();
            if program.is_broken() || text.len() > LONGEST || identifiers.len() < 2 * IDENTIFIERS {
                continue;
            }
            drawn += 1;
            number += 1;
            let page = page(&program, place, &identifiers, &mut random);
            std::fs::write(Path::new(output).join(format!("{number:03}.txt")), page)?;
        }
    }
    Ok(())
}

fn page(program: &Program, place: &str, identifiers: &[Node<'_>], random: &mut Random) -> String {
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < IDENTIFIERS {
        let index = random.below(identifiers.len());
        if !chosen.contains(&index) {
            chosen.push(index);
        }
    }
    chosen.sort_unstable();
    let mut page = format!("{place}\n");
    for index in chosen {
        let (line, column) = program.line_and_column(identifiers[index].start());
        writeln!(page, "? {line}:{column} {}", identifiers[index].text()).expect("a string takes all");
    }
    for (index, line) in program.text().split('\n').enumerate() {
        writeln!(page, "{:4} {}", index + 1, line.trim_end_matches('\r')).expect("a string takes all");
    }
    page
}

/// A small generator (splitmix64) whose numbers never change, so that the sample stays the same.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}
