//! What long tests share: the folder with the data sets, the part of the work that is done today, and a record of what was skipped.
//!
//! Real data sets are not part of the project. `ALLOTROPE_DATA` names their folder, by default `../shared/data` beside the project.
//!
//! A long test does one part of its work in each run, and `./test` chooses the part by the number of commits, so that
//! [`Part::OF`] commits in a row do all of it. `./test --all` does everything at once.

pub mod hub;

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder with the data sets; `None` where it is absent, and then the test that asks is recorded as skipped.
pub fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("ALLOTROPE_DATA").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return folder.canonicalize().ok();
    }
    skip(&format!("there are no data sets in {} (ALLOTROPE_DATA names their folder)", folder.display()));
    None
}

/// Records that the test that calls is skipped, and why. `./test` lists these lines at its end.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a program");
    println!("skipped: {test}: {reason}");
    let Some(file) = std::env::var_os("ALLOTROPE_SKIPPED") else { return };
    // One write of one line: several tests may write at the same time.
    let line = format!("{test}: {reason}\n");
    let written =
        OpenOptions::new().create(true).append(true).open(&file).and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|error| panic!("failed to write {}: {error}", Path::new(&file).display()));
}

/// Which part of its work a long test does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Everything.
    All,
    /// Every [`Part::OF`]th item, the first of which is this one.
    One {
        /// Below [`Part::OF`].
        number: usize,
        /// How often all parts have been done before.
        round: usize,
    },
}

impl Part {
    /// How many parts there are.
    pub const OF: usize = 20;

    /// The part of this run: `ALLOTROPE_PART` is `all` or a number that grows by one from commit to commit. The first part by default.
    pub fn of_this_run() -> Part {
        Part::read(std::env::var("ALLOTROPE_PART").ok().as_deref())
    }

    fn read(text: Option<&str>) -> Part {
        let count = match text {
            Some("all") => return Part::All,
            Some(text) => {
                text.parse().unwrap_or_else(|_| panic!("ALLOTROPE_PART is `{text}`: set it to `all` or to a number"))
            }
            None => 0,
        };
        Part::One { number: count % Part::OF, round: count / Part::OF }
    }

    /// Is the item with this number part of the work?
    pub fn has(self, item: usize) -> bool {
        match self {
            Part::All => true,
            Part::One { number, .. } => item % Part::OF == number,
        }
    }

    /// Which of the parts it is.
    pub fn number(self) -> usize {
        match self {
            Part::All => 0,
            Part::One { number, .. } => number,
        }
    }

    /// How often all parts have been done before: what is done to an item may depend on it.
    pub fn round(self) -> usize {
        match self {
            Part::All => 0,
            Part::One { round, .. } => round,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_runs_as_there_are_parts_see_everything_once() {
        for item in 0..100 {
            let seen = (0..Part::OF).filter(|run| Part::read(Some(&(7 + run).to_string())).has(item)).count();
            assert_eq!(seen, 1, "{item}");
            assert!(Part::All.has(item));
        }
        assert_eq!(Part::read(Some("all")), Part::All);
        assert_eq!(Part::read(None), Part::One { number: 0, round: 0 });
        assert_eq!(Part::read(Some("65")), Part::One { number: 5, round: 3 });
    }
}
