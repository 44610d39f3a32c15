//! A run on disk: one folder with one SQLite file, to which rows are added and never changed.
//!
//! Every kind of run is a [`Store`] of its plan. All of them have the tables `about` (what the run is) and `inputs` (the data that it
//! is about); what else there is, a kind of run says beside its plan. Texts that are lists or objects are JSON.
//!
//! What is there counts as done: the same command resumes the run.

mod input;
mod json;
mod record;

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use model::{Identity, Model, Noise};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::complete_file;
use crate::examples::Examples;
use crate::plan::differences;

pub use input::{InputRow, Truths, cluster, inputs};
pub(crate) use json::{Json, text};
pub use record::{Checks, Judgement, Record, merge};

/// The version of the tables. A store of another version is refused.
const SCHEMA: &str = "3";

const FILE: &str = "run.sqlite";

const TABLES: &str = "
create table about (key text primary key, value text not null) without rowid;
create table inputs (
    number integer primary key,
    id text not null unique,
    cluster text not null,
    truth text,
    input text not null
);
";

/// A plan whose runs are kept in a [`Store`].
pub trait RunPlan: Serialize + DeserializeOwned {
    /// The command that follows such plans.
    const COMMAND: &'static str;

    /// The tables that its runs have beside those of every run.
    const TABLES: &'static [&'static str];

    /// What messages call the models of the plan, in their order.
    fn titles(&self) -> Vec<String> {
        vec!["model".to_owned()]
    }
}

/// What a run is: what must not change when it is resumed.
#[derive(Clone, Debug, PartialEq)]
pub struct About<Plan> {
    /// The plan.
    pub plan: Plan,
    /// The models.
    pub models: Vec<Identity>,
    /// A digest of the inputs.
    pub data: String,
    /// Which part of the inputs this run is about: the number from 1, and how many parts there are.
    pub shard: (usize, usize),
}

/// A run on disk.
pub struct Store<Plan> {
    connection: Connection,
    folder: PathBuf,
    plan: PhantomData<Plan>,
    /// Held as long as the store may be written, so that two programs never do the same work.
    _lock: Option<File>,
}

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file cannot be read.
    #[error("failed to open the run {}: {source}", path.display())]
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error("failed to write {}: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not a store, or is damaged, or the disk is full.
    #[error(
        "the run {} cannot be used: {source}; make room where the disk is full, move the folder away where the file is damaged, \
         and give the same command again",
        path.display()
    )]
    Database {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The run was written by another version.
    #[error("the run {} has version {found} of the tables, and this version of allotrope reads {SCHEMA}: use the version that began it, or another folder", path.display())]
    Version {
        /// The folder.
        path: PathBuf,
        /// The version that was found.
        found: String,
    },
    /// The run was written by another command.
    #[error(
        "the run {} is not of this kind: the command: {found}, now {wanted}; `allotrope {found}` with the same options shows its tables \
         again, and a new run needs another folder",
        path.display()
    )]
    Command {
        /// The folder.
        path: PathBuf,
        /// The command that wrote it.
        found: String,
        /// The command whose runs can be used here.
        wanted: &'static str,
    },
    /// Another program is working on it.
    #[error("another program is working on the run {}: wait for it, or write to another folder", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The run is about something else.
    #[error("the run {} was begun with another plan:\n  {}\nwrite to another folder, or go back to the plan that it was begun with", path.display(), differences.join("\n  "))]
    OtherPlan {
        /// The folder.
        path: PathBuf,
        /// What differs.
        differences: Vec<String>,
    },
    /// There is no run.
    #[error("{} holds no run: there is no file {FILE}", path.display())]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
}

impl<Plan: RunPlan> About<Plan> {
    /// A whole run of a plan. `data` is the digest of its inputs.
    pub fn new(plan: Plan, models: &[&dyn Model], data: String) -> About<Plan> {
        let models = models.iter().map(|model| model.identity().clone()).collect();
        About { plan, models, data, shard: (1, 1) }
    }

    /// What differs between what a run is and what it should be, a line for each value.
    pub(crate) fn differences(&self, wanted: &About<Plan>) -> Vec<String> {
        let mut found = differences(&self.plan, &wanted.plan);
        let mut add = |what: String, one: String, other: String| {
            if one != other {
                found.push(format!("the {what}: {one}, now {other}"));
            }
        };
        let identity = |about: &About<Plan>, place: usize| json::text(&about.models.get(place));
        for (place, title) in wanted.plan.titles().into_iter().enumerate() {
            add(title, identity(self, place), identity(wanted, place));
        }
        add("digest of the data".to_owned(), self.data.clone(), wanted.data.clone());
        add("shard".to_owned(), shard(self.shard), shard(wanted.shard));
        found
    }
}

fn shard((part, parts): (usize, usize)) -> String {
    format!("{part}/{parts}")
}

impl<Plan: RunPlan> Store<Plan> {
    /// Begins a run, or takes up the one that is there. A run with another plan, model or data is refused.
    pub fn begin(folder: &Path, about: &About<Plan>, inputs: &[InputRow]) -> Result<Store<Plan>, StoreError> {
        let lock = lock(folder)?;
        let connection = opened(folder, Connection::open(folder.join(FILE)))?;
        let mut store = Store { connection, folder: folder.to_owned(), plan: PhantomData, _lock: Some(lock) };
        let is_new = store.read(|connection| {
            connection.busy_timeout(std::time::Duration::from_secs(60))?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            // Every commit is on the disk before it counts.
            connection.pragma_update(None, "synchronous", "full")?;
            connection.query_row("select count(*) = 0 from sqlite_master where name = 'about'", [], |row| row.get(0))
        })?;
        if is_new {
            store.write(|transaction| fill(transaction, about, inputs))?;
            store.write_file("plan.toml", &toml::to_string(&about.plan).unwrap_or_default())?;
        }
        let differences = store.about()?.differences(about);
        match differences.is_empty() {
            true => Ok(store),
            false => Err(StoreError::OtherPlan { path: folder.to_owned(), differences }),
        }
    }

    /// Opens a run to read it. One of another version or command is refused.
    pub fn open(folder: &Path) -> Result<Store<Plan>, StoreError> {
        let path = folder.join(FILE);
        if !path.is_file() {
            return Err(StoreError::NoRun { path: folder.to_owned() });
        }
        // A folder that cannot be written cannot be read with the log of changes either, unless nothing is in it.
        let connection = opened(folder, Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY))?;
        let store = Store { connection, folder: folder.to_owned(), plan: PhantomData, _lock: None };
        store.about()?;
        Ok(store)
    }

    /// Puts what several runs of the same plan have, those of its shards for example, into one run. `add` brings what each has.
    pub(crate) fn unite(
        folders: &[PathBuf],
        into: &Path,
        mut add: impl FnMut(&Store<Plan>, &mut Store<Plan>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut all: Option<(Store<Plan>, About<Plan>)> = None;
        for folder in folders {
            let store: Store<Plan> = Store::open(folder)?;
            let about = About { shard: (1, 1), ..store.about()? };
            match &all {
                None => all = Some((Store::begin(into, &about, &store.inputs()?)?, about)),
                Some((_, first)) => {
                    let differences = first.differences(&about);
                    if !differences.is_empty() {
                        return Err(StoreError::OtherPlan { path: folder.clone(), differences });
                    }
                }
            }
            let Some((merged, _)) = &mut all else { continue };
            // It was measured on the same examples by all of them.
            if let Some(noise) = store.noise()? {
                merged.keep_noise(&noise)?;
            }
            add(&store, merged)?;
        }
        Ok(())
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file with all rows.
    pub fn file(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// What the run is.
    pub fn about(&self) -> Result<About<Plan>, StoreError> {
        let values: BTreeMap<String, String> = self.read(|connection| {
            let mut rows = connection.prepare("select key, value from about")?;
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })?;
        let value = |key: &str| values.get(key).map(String::as_str).unwrap_or_default();
        let path = || self.folder.clone();
        let version = || StoreError::Version { path: path(), found: value("schema").to_owned() };
        if value("schema") != SCHEMA {
            return Err(version());
        }
        if value("command") != Plan::COMMAND {
            let found = value("command").to_owned();
            return Err(StoreError::Command { path: path(), found, wanted: Plan::COMMAND });
        }
        let shard = value("shard").split_once('/');
        let shard = shard.and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
        Ok(About {
            plan: serde_json::from_str(value("plan")).map_err(|_| version())?,
            models: serde_json::from_str(value("models")).map_err(|_| version())?,
            data: value("data").to_owned(),
            shard: shard.ok_or_else(version)?,
        })
    }

    /// How often answers changed when the models of the run were queried again, where that is known.
    pub fn noise(&self) -> Result<Option<Vec<Noise>>, StoreError> {
        let found: Option<String> = self.read(|connection| {
            connection.query_row("select value from about where key = 'noise'", [], |row| row.get(0)).optional()
        })?;
        Ok(found.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Stores the noise, once per run.
    pub fn keep_noise(&mut self, noise: &[Noise]) -> Result<(), StoreError> {
        self.write(|transaction| {
            let insert = "insert or ignore into about values ('noise', ?1)";
            transaction.execute(insert, [json::text(&noise)]).map(|_| ())
        })
    }

    /// What the truths of the inputs are.
    pub fn truths(&self) -> Result<Truths, StoreError> {
        let found: Option<String> = self.read(|connection| {
            connection.query_row("select value from about where key = 'truths'", [], |row| row.get(0)).optional()
        })?;
        Ok(found.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    /// The version of the program that began the run.
    pub fn program(&self) -> Result<String, StoreError> {
        self.read(|connection| {
            connection.query_row("select value from about where key = 'program'", [], |row| row.get(0))
        })
    }

    /// Stores what the truths of the inputs are, once per run.
    pub(crate) fn keep_truths(&mut self, examples: &Examples) -> Result<(), StoreError> {
        self.write(|transaction| {
            let insert = "insert or ignore into about values ('truths', ?1)";
            transaction.execute(insert, [json::text(&Truths::of(examples))]).map(|_| ())
        })
    }

    /// The inputs, in the order of the data set.
    pub fn inputs(&self) -> Result<Vec<InputRow>, StoreError> {
        self.read(|connection| {
            let mut rows =
                connection.prepare("select number, id, cluster, truth, input from inputs order by number")?;
            rows.query_map([], InputRow::read)?.collect()
        })
    }

    /// Reads from the tables.
    pub(crate) fn read<Found>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<Found>,
    ) -> Result<Found, StoreError> {
        opened(&self.folder, work(&self.connection))
    }

    /// Writes into the tables, all or nothing. When this returns, everything is on the disk.
    pub(crate) fn write(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        let written = self.connection.transaction().and_then(|transaction| {
            work(&transaction)?;
            transaction.commit()
        });
        opened(&self.folder, written)
    }

    /// Writes a file of the run, which is complete or absent.
    pub(crate) fn write_file(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let path = self.folder.join(name);
        complete_file::write(&path, text.as_bytes()).map_err(|source| StoreError::Unwritable { path, source })
    }
}

/// The command that wrote the run in a folder.
pub fn command(folder: &Path) -> Result<String, StoreError> {
    let path = folder.join(FILE);
    if !path.is_file() {
        return Err(StoreError::NoRun { path: folder.to_owned() });
    }
    let connection = opened(folder, Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY))?;
    let command = connection.query_row("select value from about where key = 'command'", [], |row| row.get(0));
    opened(folder, command)
}

/// Gives an error of the database its place.
fn opened<Found>(folder: &Path, found: rusqlite::Result<Found>) -> Result<Found, StoreError> {
    found.map_err(|source| StoreError::Database { path: folder.join(FILE), source: source.into() })
}

fn lock(folder: &Path) -> Result<File, StoreError> {
    let unreadable = |source| StoreError::Unreadable { path: folder.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(unreadable)?;
    let lock =
        File::options().create(true).truncate(false).write(true).open(folder.join("lock")).map_err(unreadable)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(StoreError::Busy { path: folder.to_owned() }),
        Err(TryLockError::Error(source)) => Err(unreadable(source)),
    }
}

/// Makes the tables. A run that is killed before this is committed has not begun.
fn fill<Plan: RunPlan>(
    transaction: &Transaction<'_>,
    about: &About<Plan>,
    inputs: &[InputRow],
) -> rusqlite::Result<()> {
    transaction.execute_batch(TABLES)?;
    for tables in Plan::TABLES {
        transaction.execute_batch(tables)?;
    }
    let values = [
        ("schema", SCHEMA.to_owned()),
        ("command", Plan::COMMAND.to_owned()),
        ("program", env!("CARGO_PKG_VERSION").to_owned()),
        ("plan", json::text(&about.plan)),
        ("models", json::text(&about.models)),
        ("data", about.data.clone()),
        ("shard", shard(about.shard)),
    ];
    for (key, value) in values {
        transaction.execute("insert into about values (?1, ?2)", params![key, value])?;
    }
    let mut insert = transaction.prepare("insert into inputs values (?1, ?2, ?3, ?4, ?5)")?;
    for row in inputs {
        insert.execute(params![row.number, row.id, row.cluster, row.truth, Json(&row.input)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::{Code, Input};
    use search::Outcome;

    use super::*;
    use crate::grid::GridPlan;
    use crate::plan::Plan;

    fn about(budget: usize) -> About<Plan> {
        let plan = format!("model = 'hf:x'\nattacks = ['random-k']\nbudget = {budget}\n[data]\npath = 'test.jsonl'\n");
        About { plan: toml::from_str(&plan).unwrap(), models: Vec::new(), data: "digest".to_owned(), shard: (1, 1) }
    }

    #[test]
    fn a_run_is_resumed_with_what_it_was_begun_with() {
        let folder = std::env::temp_dir().join(format!("allotrope-run-{}", std::process::id()));
        let input = Input::Code(Code { language: syntax::Language::C, text: "int x;".to_owned() });
        let rows = [InputRow { number: 3, id: "a".to_owned(), cluster: "b".to_owned(), truth: None, input }];
        let begin = |budget: usize| Store::begin(&folder, &about(budget), &rows);
        let mut store = begin(9).unwrap();
        let found = Record {
            attack: "random-k".to_owned(),
            number: 3,
            outcome: Outcome::NoSite,
            belief: Some((0.1, 0.3)),
            seconds: 1.5,
            ..Record::default()
        };
        store.add(std::slice::from_ref(&found)).unwrap();
        let message = |store: Result<Store<Plan>, StoreError>| store.err().unwrap().to_string();
        assert!(message(begin(9)).contains("another program is working"));
        drop(store);
        assert!(message(begin(10)).contains("budget: 9, now 10"));
        let grid = Store::<GridPlan>::open(&folder).err().unwrap();
        assert!(grid.to_string().contains("the command: attack, now grid"), "{grid}");
        let mut store = begin(9).unwrap();
        assert_eq!((store.inputs().unwrap(), store.records().unwrap()), (rows.to_vec(), vec![found]));
        let mut older = |version: &str| {
            let update = "update about set value = ?1 where key = 'schema'";
            store.write(|transaction| transaction.execute(update, [version]).map(|_| ())).unwrap();
        };
        older("2");
        let other = message(Store::open(&folder));
        assert!(other.contains("has version 2 of the tables, and this version of allotrope reads 3"), "{other}");
        drop(store);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
