//! What a hunt has done, program by program, kept in a file by which it is resumed.
//!
//! A journal is a file of JSON lines. The first says what the hunt is made of; every other line is a program with all that was
//! found in it, written when it is done. A line that was cut off by a sudden end is dropped, and its program done again.

use std::collections::{BTreeMap, HashMap};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use syntax::Language;

use super::{Findings, Row};
use crate::data::whole_lines;
use crate::tasks::Task;

/// A file of what is done.
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
    done: HashMap<usize, Findings>,
}

/// Why a hunt cannot be stored or resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("failed to keep what is done in {}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    /// The file is something else.
    #[error("{} is not the journal of a hunt: name another file", path.display())]
    NoJournal { path: PathBuf },
    /// Another program writes into the file.
    #[error("another program is writing the journal {}: wait for it to finish, or name another file", path.display())]
    Busy { path: PathBuf },
    /// The file belongs to a hunt of another kind.
    #[error("the journal {} is of another hunt ({differ}): give the options that it was begun with, or another file", path.display())]
    Other { path: PathBuf, differ: String },
}

/// The line of one program.
#[derive(Serialize, Deserialize)]
struct Entry {
    number: usize,
    program: String,
    is_broken: bool,
    rows: Vec<(String, String, Row)>,
    not_judged: BTreeMap<String, usize>,
    faults: Vec<String>,
    doubts: Vec<String>,
}

impl Journal {
    /// Begins a journal, or takes up the one that is there. `options` is all that decides what is found in a program, by name.
    pub fn open(path: &Path, options: &BTreeMap<&str, String>, tasks: &[Task]) -> Result<Journal, JournalError> {
        let failed = |source| JournalError::File { path: path.to_owned(), source };
        let mut wanted: BTreeMap<String, String> =
            options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        wanted.insert("allotrope".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        wanted.insert("programs".to_owned(), digest(tasks));
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(failed)?;
        // The lock is held as long as the file is open.
        match file.try_lock() {
            Ok(()) => (),
            Err(TryLockError::WouldBlock) => return Err(JournalError::Busy { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        let whole = whole_lines(&text);
        let mut lines = text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let mut done = HashMap::new();
        match lines.next().map(serde_json::from_slice::<BTreeMap<String, String>>) {
            // A file with something in it that has no whole line is not ours to empty.
            None if !text.is_empty() && !text.starts_with(b"{\"allotrope\"") => {
                return Err(JournalError::NoJournal { path: path.to_owned() });
            }
            None => (),
            Some(Ok(found)) if found == wanted => {
                for line in lines {
                    let entry: Entry =
                        serde_json::from_slice(line).map_err(|_| JournalError::NoJournal { path: path.to_owned() })?;
                    done.insert(entry.number, entry.into_findings());
                }
            }
            Some(Ok(found)) if found.contains_key("allotrope") && found.contains_key("programs") => {
                return Err(JournalError::Other { path: path.to_owned(), differ: differences(&found, &wanted) });
            }
            Some(_) => return Err(JournalError::NoJournal { path: path.to_owned() }),
        }
        file.set_len(whole as u64).map_err(failed)?;
        let journal = Journal { path: path.to_owned(), file: Mutex::new(file), done };
        if whole == 0 {
            journal.write(&wanted)?;
        }
        Ok(journal)
    }

    /// How many programs were done before.
    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// Was nothing done before?
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// What was found in a program before, if it was done.
    pub(super) fn done(&self, number: usize) -> Option<&Findings> {
        self.done.get(&number)
    }

    /// Keeps what was found in a program.
    pub(super) fn add(&self, number: usize, task: &Task, findings: &Findings) -> Result<(), JournalError> {
        let rows =
            findings.rows.iter().map(|((name, language), row)| (name.clone(), (*language).to_owned(), row.clone()));
        self.write(&Entry {
            number,
            program: task.id.clone(),
            is_broken: findings.broken > 0,
            rows: rows.collect(),
            not_judged: findings.not_judged.clone(),
            faults: findings.faults.clone(),
            doubts: findings.doubts.clone(),
        })
    }

    fn write(&self, line: &impl Serialize) -> Result<(), JournalError> {
        let mut text = serde_json::to_vec(line).unwrap_or_default();
        text.push(b'\n');
        let mut file = self.file.lock().expect("nobody panics while writing");
        file.write_all(&text).map_err(|source| JournalError::File { path: self.path.clone(), source })
    }
}

impl Entry {
    fn into_findings(self) -> Findings {
        let rows = self.rows.into_iter().filter_map(|(name, language, row)| {
            let language: Language = language.parse().ok()?;
            Some(((name, language.name()), row))
        });
        Findings {
            rows: rows.collect(),
            not_judged: self.not_judged,
            programs: 1,
            broken: usize::from(self.is_broken),
            faults: self.faults,
            doubts: self.doubts,
            ..Findings::default()
        }
    }
}

/// A digest of all programs and of what they are run on.
fn digest(tasks: &[Task]) -> String {
    let mut digest = Sha256::new();
    let mut eat = |bytes: &[u8]| {
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    };
    for task in tasks {
        eat(task.id.as_bytes());
        eat(task.language.name().as_bytes());
        eat(&task.text);
        eat(format!("{:?} {:?}", task.focus, task.cases).as_bytes());
    }
    let bytes = digest.finalize();
    format!(
        "{} with digest {}",
        tasks.len(),
        bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>()
    )
}

fn differences(found: &BTreeMap<String, String>, wanted: &BTreeMap<String, String>) -> String {
    let told = |name: &String| {
        let [before, now] = [found, wanted].map(|values| values.get(name).map_or("nothing", String::as_str));
        (before != now).then(|| format!("{name}: {before}, now {now}"))
    };
    let names: std::collections::BTreeSet<&String> = found.keys().chain(wanted.keys()).collect();
    names.into_iter().filter_map(told).collect::<Vec<_>>().join("; ")
}
