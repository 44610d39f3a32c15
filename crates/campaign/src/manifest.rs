//! The manifest: what became of every input, one JSON object a line. Doing its steps again gives the same bytes. A rename in several
//! files has a line of its own, which names all of them.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;

use equivalence::{self, Verdict};
use serde::{Deserialize, Serialize};
use syntax::{Language, Program, Surroundings};
use transformation::apply::again_all;
use transformation::{Refusal, Step};

/// What became of one input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The path of the input; in a data set with the number of the row, from 1, and the field: `a.jsonl:3#func`.
    pub input: String,
    /// The same of the output; `null` when nothing changed.
    pub output: Option<String>,
    /// The language; `null` for a file that is not a program and was copied.
    pub language: Option<String>,
    /// The number of the variant, from 1.
    #[serde(default = "first")]
    pub variant: usize,
    /// The seed of the input, made of the run's seed, the name of the input and the number of the variant.
    pub seed: u64,
    /// Was the program rewritten as one file of a project, whose names the other files decide about?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_project: bool,
    /// The rewrites in order.
    pub steps: Vec<Step>,
    /// What the input became.
    pub status: Status,
    /// Why it is not what was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many of the rewrites that were asked for could not be done, because no site was left.
    #[serde(default)]
    pub unreached: usize,
    /// What is known about the output.
    pub verdicts: Verdicts,
}

fn first() -> usize {
    1
}

/// A function of a project that was renamed in all files that have it. Each of them has a step for its own part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedRename {
    /// The old name.
    pub shared: String,
    /// The new name.
    pub name: String,
    pub transformation: String,
    /// The number of the variant, from 1.
    pub variant: usize,
    /// The inputs that have it.
    pub files: Vec<String>,
}

/// What an input became.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Another text.
    Changed,
    /// The same text: there was nothing to rewrite.
    Unchanged,
    /// The same text: it does not parse cleanly, or is not a program where there should be one.
    BrokenInput,
    /// The same bytes: a file that is not a program.
    Copied,
}

/// What is known about an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdicts {
    /// Does it parse cleanly?
    pub parse: bool,
    /// Does it compile? `null` when nobody has tried.
    pub compile: Option<bool>,
    /// Does it behave the same?
    pub run: Behaviour,
}

/// How an output behaves beside its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behaviour {
    /// The same.
    Same,
    /// Otherwise.
    Different,
    /// Nobody has run it.
    NotRun,
}

impl Verdicts {
    /// Nobody has compiled or run it.
    pub fn parsed(parse: bool) -> Verdicts {
        Verdicts { parse, compile: None, run: Behaviour::NotRun }
    }

    /// Takes over what a judge says.
    pub fn set(&mut self, verdicts: &equivalence::Verdicts) {
        let known = |verdict: &Verdict| match verdict {
            Verdict::Holds => Some(true),
            Verdict::Fails(_) => Some(false),
            Verdict::NotJudged(_) | Verdict::Unavailable(_) => None,
        };
        self.parse = known(&verdicts.parse).unwrap_or(self.parse);
        self.compile = known(&verdicts.compile);
        self.run = match verdicts.run {
            Verdict::Holds => Behaviour::Same,
            Verdict::Fails(_) => Behaviour::Different,
            Verdict::NotJudged(_) | Verdict::Unavailable(_) => Behaviour::NotRun,
        };
    }
}

impl Entry {
    /// Does the steps again.
    pub fn again(&self, language: Language, bytes: Vec<u8>) -> Result<Vec<u8>, Refusal> {
        // The other files allowed every step when it was done first, so that nobody has to ask them again.
        let surroundings = self.in_project.then(|| Arc::new(Surroundings::forgotten()));
        let program = Program::from_bytes(language, bytes).within(surroundings);
        Ok(again_all(program, &self.steps)?.bytes().to_vec())
    }

    /// Writes the entry as one line.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        write_line(out, self)
    }
}

/// What a manifest says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// The renames in several files.
    pub shared: Vec<SharedRename>,
    pub entries: Vec<Entry>,
}

impl Manifest {
    /// Writes all lines.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.shared.iter().try_for_each(|rename| write_line(out, rename))?;
        self.entries.iter().try_for_each(|entry| entry.write(out))
    }

    /// The first file that lacks its part of a rename, with the name. A run that was killed while it wrote leaves such a manifest.
    fn lacking(&self) -> Option<(&SharedRename, &str)> {
        let done: HashSet<(&str, usize, &str)> = self
            .entries
            .iter()
            .flat_map(|entry| {
                let shared = entry.steps.iter().filter(|step| step.is_shared);
                shared.flat_map(|step| &step.arguments.names).map(|name| (&*entry.input, entry.variant, name.as_str()))
            })
            .collect();
        self.shared.iter().find_map(|rename| {
            let is_missing = |file: &&String| !done.contains(&(file.as_str(), rename.variant, &rename.name));
            rename.files.iter().find(is_missing).map(|file| (rename, file.as_str()))
        })
    }
}

/// Writes something as one line of a manifest.
pub fn write_line(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

/// Why a manifest could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// The file cannot be read.
    #[error("failed to read the manifest {path}: {source}")]
    Unreadable {
        /// The manifest.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// A line is not an entry.
    #[error("line {line} of the manifest {path} is not an entry: {source}")]
    NoEntry {
        /// The manifest.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A file lacks its part of a rename in several files.
    #[error(
        "the manifest {path} is not complete: `{name}` was renamed in several files, and {file} is missing: make the variants again"
    )]
    Incomplete {
        /// The manifest.
        path: String,
        /// The old name.
        name: String,
        /// The file.
        file: String,
    },
}

/// Reads a manifest.
pub fn read(path: &Path) -> Result<Manifest, ManifestError> {
    let unreadable = |source| ManifestError::Unreadable { path: path.display().to_string(), source };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut manifest = Manifest::default();
    for (index, line) in io::BufReader::new(file).lines().enumerate() {
        let line = line.map_err(unreadable)?;
        let no_entry = |source| ManifestError::NoEntry { path: path.display().to_string(), line: index + 1, source };
        match serde_json::from_str::<SharedRename>(&line) {
            Ok(rename) => manifest.shared.push(rename),
            Err(_) => manifest.entries.push(serde_json::from_str(&line).map_err(no_entry)?),
        }
    }
    match manifest.lacking() {
        None => Ok(manifest),
        Some((rename, file)) => Err(ManifestError::Incomplete {
            path: path.display().to_string(),
            name: rename.shared.clone(),
            file: file.to_owned(),
        }),
    }
}
