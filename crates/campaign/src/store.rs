//! The store of a run: one folder with one SQLite file, to which records are added and never changed.
//!
//! Tables: `about` (what the run is), `targets` (what was attacked), `records` (what became of each attack on each target) and
//! `times` (how long each took, apart because it differs from run to run). Views: `successes` with the texts, `rates` with the
//! counts of each attack. All texts that are lists are JSON.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, params};
use serde_json::Value;

use crate::plan::Plan;

/// The version of the tables. A store of another version is refused.
const SCHEMA: &str = "2";

pub(crate) const FILE: &str = "run.sqlite";

const TABLES: &str = "
create table about (key text primary key, value text not null) without rowid;
create table targets (
    number integer primary key,
    id text not null unique,
    cluster text not null,
    truth text not null,
    input text not null
);
create table records (
    attack text not null,
    number integer not null references targets,
    outcome text not null,
    reason text,
    before text,
    after text,
    belief_before real,
    belief_lowest real,
    moves text,
    example text,
    verdicts text,
    rejected text,
    queries integer not null,
    cached integer not null,
    mutant_queries integer not null,
    shrink_queries integer not null,
    moves_before_shrinking integer not null,
    faults integer not null,
    identifiers integer,
    renamed integer,
    edit_distance integer,
    tokens integer,
    changed_tokens integer,
    cosine real,
    primary key (attack, number)
) without rowid;
create table times (
    attack text not null,
    number integer not null,
    seconds real not null,
    primary key (attack, number)
) without rowid;
create view successes as
    select attack, id, truth, before, after, queries, input, example, moves
    from records join targets using (number) where outcome = 'success';
create view rates as
    select attack,
        count(*) as targets,
        sum(outcome in ('success', 'invalid', 'failed')) as attacked,
        sum(outcome in ('success', 'invalid')) as flipped,
        sum(outcome = 'success') as successes,
        sum(outcome = 'fault') as faults,
        sum(queries) as queries
    from records group by attack;
";

/// A run on disk.
pub struct Store {
    connection: Connection,
    /// Held as long as the store may be written, so that two programs never do the same work.
    _lock: Option<File>,
}

/// What a run is: what must not change when it is taken up again.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// The plan.
    pub plan: Plan,
    /// The identity of the model, as JSON.
    pub model: String,
    /// A digest of the targets.
    pub data: String,
    /// Which part of the targets this run is about: the number from 1, and how many parts there are.
    pub shard: (usize, usize),
}

/// A target.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetRow {
    /// Its place in the data set.
    pub number: usize,
    /// What it is called.
    pub id: String,
    /// What must stay together when targets are resampled.
    pub cluster: String,
    /// What is true about it.
    pub truth: String,
    /// The programs and the text, as JSON.
    pub input: Value,
}

/// What became of an attack on a target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The attack.
    pub attack: String,
    /// The place of the target in the data set.
    pub number: usize,
    /// How it ended, see [`search::Outcome`].
    pub outcome: String,
    /// Why.
    pub reason: Option<String>,
    /// What the model said before.
    pub before: Option<Value>,
    /// What the model says about the example.
    pub after: Option<Value>,
    /// How much the model believed in the truth before, and at the least.
    pub belief: Option<(f64, f64)>,
    /// The rewrites that lead to the example.
    pub moves: Option<Value>,
    /// The example: the programs and the text.
    pub example: Option<Value>,
    /// What was found when the example was checked.
    pub verdicts: Option<Value>,
    /// Flips that are not valid.
    pub rejected: Option<Value>,
    /// The questions.
    pub queries: usize,
    /// The questions that were asked before.
    pub cached: usize,
    /// The questions that mutants of the model were asked.
    pub mutant_queries: usize,
    /// The questions that made the example small.
    pub shrink_queries: usize,
    /// The rewrites of the example before it was made small.
    pub moves_before_shrinking: usize,
    /// The questions without an answer.
    pub faults: usize,
    /// How far the example is from the original.
    pub quality: Option<search::Quality>,
    /// The cosine of the embeddings of original and example.
    pub cosine: Option<f64>,
    /// How long it took.
    pub seconds: f64,
}

/// What to do about a file that cannot be used.
pub(crate) const REMEDY: &str =
    "make room where the disk is full, move the folder away where the file is damaged, and give the same command again";

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file cannot be read or written.
    #[error("failed to open the run {}: {source}", path.display())]
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no store, or is damaged, or the disk is full.
    #[error("the run {} cannot be used: {source}; {REMEDY}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The run was written by another version.
    #[error("the run {} has version {found} of the tables, this program writes {SCHEMA}: use the program that began it", path.display())]
    Version {
        /// The folder.
        path: PathBuf,
        /// The version that was found.
        found: String,
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

impl Store {
    /// Begins a run, or takes up the one that is there. A run with another plan, model or data is refused.
    pub fn begin(folder: &Path, about: &About, targets: &[TargetRow]) -> Result<Store, StoreError> {
        let unreadable = |source| StoreError::Unreadable { path: folder.to_owned(), source };
        let (mut connection, lock) = claim(folder, FILE)?;
        let path = folder.join(FILE);
        let failed = |source| StoreError::Database { path: path.clone(), source };
        let is_new = is_new(&connection).map_err(failed)?;
        if is_new {
            fill(&mut connection, about, targets).map_err(failed)?;
            std::fs::write(folder.join("plan.toml"), toml::to_string(&about.plan).unwrap_or_default())
                .map_err(unreadable)?;
        }
        let store = Store { connection, _lock: Some(lock) };
        let found = store.about(folder)?;
        let differences = differences(&found, about);
        match differences.is_empty() {
            true => Ok(store),
            false => Err(StoreError::OtherPlan { path: folder.to_owned(), differences }),
        }
    }

    /// Opens a run to read it.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        Ok(Store { connection: look_into(folder)?, _lock: None })
    }

    /// What the run is.
    pub fn about(&self, folder: &Path) -> Result<About, StoreError> {
        let path = folder.join(FILE);
        let failed = |source| StoreError::Database { path: path.clone(), source };
        let values = || -> rusqlite::Result<BTreeMap<String, String>> {
            let mut rows = self.connection.prepare("select key, value from about")?;
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        let values = values().map_err(failed)?;
        let value = |key: &str| values.get(key).cloned().unwrap_or_default();
        let version = || StoreError::Version { path: folder.to_owned(), found: value("schema") };
        if value("schema") != SCHEMA {
            return Err(version());
        }
        let plan = serde_json::from_str(&value("plan")).map_err(|_| version())?;
        let shard = value("shard");
        let shard = shard.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
        let shard = shard.ok_or_else(version)?;
        Ok(About { plan, model: value("model"), data: value("data"), shard })
    }

    /// The attacks that are done, with the place of the target. Those that the model did not answer are not.
    pub fn done(&self) -> rusqlite::Result<Vec<(String, usize)>> {
        let mut rows = self.connection.prepare("select attack, number from records where outcome <> 'fault'")?;
        rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    /// Adds records. When this returns they are on the disk. Only a record of a model that did not answer is replaced.
    pub fn add(&mut self, records: &[Record]) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        {
            let columns = ["?"; 24].join(", ");
            let mut insert =
                transaction.prepare_cached(&format!("insert or replace into records values ({columns})"))?;
            let mut times = transaction.prepare_cached("insert or replace into times values (?1, ?2, ?3)")?;
            for record in records {
                let json = |value: &Option<Value>| value.as_ref().map(Value::to_string);
                let quality = |number: fn(&search::Quality) -> usize| record.quality.as_ref().map(number);
                insert.execute(params![
                    record.attack,
                    record.number,
                    record.outcome,
                    record.reason,
                    json(&record.before),
                    json(&record.after),
                    record.belief.map(|(before, _)| before),
                    record.belief.map(|(_, lowest)| lowest),
                    json(&record.moves),
                    json(&record.example),
                    json(&record.verdicts),
                    json(&record.rejected),
                    record.queries,
                    record.cached,
                    record.mutant_queries,
                    record.shrink_queries,
                    record.moves_before_shrinking,
                    record.faults,
                    quality(|quality| quality.identifiers),
                    quality(|quality| quality.renamed),
                    quality(|quality| quality.edit_distance),
                    quality(|quality| quality.tokens),
                    quality(|quality| quality.changed_tokens),
                    record.cosine,
                ])?;
                times.execute(params![record.attack, record.number, record.seconds])?;
            }
        }
        transaction.commit()
    }

    /// The targets, in the order of the data set.
    pub fn targets(&self) -> rusqlite::Result<Vec<TargetRow>> {
        let mut rows =
            self.connection.prepare("select number, id, cluster, truth, input from targets order by number")?;
        rows.query_map([], |row| {
            Ok(TargetRow {
                number: row.get(0)?,
                id: row.get(1)?,
                cluster: row.get(2)?,
                truth: row.get(3)?,
                input: value(row.get(4)?).unwrap_or_default(),
            })
        })?
        .collect()
    }

    /// The records, by attack and target.
    pub fn records(&self) -> rusqlite::Result<Vec<Record>> {
        let mut rows = self.connection.prepare(
            "select r.*, t.seconds from records r left join times t using (attack, number) order by attack, number",
        )?;
        rows.query_map([], |row| {
            let belief: (Option<f64>, Option<f64>) = (row.get("belief_before")?, row.get("belief_lowest")?);
            let identifiers: Option<usize> = row.get("identifiers")?;
            let moves = value(row.get("moves")?);
            let quality = match identifiers {
                None => None,
                Some(identifiers) => Some(search::Quality {
                    identifiers,
                    renamed: row.get("renamed")?,
                    edit_distance: row.get("edit_distance")?,
                    tokens: row.get("tokens")?,
                    changed_tokens: row.get("changed_tokens")?,
                    moves: moves.as_ref().and_then(Value::as_array).map_or(0, Vec::len),
                }),
            };
            Ok(Record {
                attack: row.get("attack")?,
                number: row.get("number")?,
                outcome: row.get("outcome")?,
                reason: row.get("reason")?,
                before: value(row.get("before")?),
                after: value(row.get("after")?),
                belief: belief.0.zip(belief.1),
                moves,
                example: value(row.get("example")?),
                verdicts: value(row.get("verdicts")?),
                rejected: value(row.get("rejected")?),
                queries: row.get("queries")?,
                cached: row.get("cached")?,
                mutant_queries: row.get("mutant_queries")?,
                shrink_queries: row.get("shrink_queries")?,
                moves_before_shrinking: row.get("moves_before_shrinking")?,
                faults: row.get("faults")?,
                quality,
                cosine: row.get("cosine")?,
                seconds: row.get::<_, Option<f64>>("seconds")?.unwrap_or(0.0),
            })
        })?
        .collect()
    }
}

fn value(text: Option<String>) -> Option<Value> {
    serde_json::from_str(&text?).ok()
}

/// Opens the file of a run to write it, alone: the lock is held as long as it is kept.
pub(crate) fn claim(folder: &Path, file: &str) -> Result<(Connection, File), StoreError> {
    let unreadable = |source| StoreError::Unreadable { path: folder.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(unreadable)?;
    let lock =
        File::options().create(true).truncate(false).write(true).open(folder.join("lock")).map_err(unreadable)?;
    match lock.try_lock() {
        Ok(()) => (),
        Err(TryLockError::WouldBlock) => return Err(StoreError::Busy { path: folder.to_owned() }),
        Err(TryLockError::Error(source)) => return Err(unreadable(source)),
    }
    let path = folder.join(file);
    let failed = |source| StoreError::Database { path: path.clone(), source };
    let connection = Connection::open(&path).map_err(failed)?;
    prepare(&connection).map_err(failed)?;
    Ok((connection, lock))
}

/// Opens the file of a run to read it.
pub(crate) fn look_into(folder: &Path) -> Result<Connection, StoreError> {
    let path = folder.join(FILE);
    if !path.is_file() {
        return Err(StoreError::NoRun { path: folder.to_owned() });
    }
    // A folder that cannot be written cannot be read with the log of changes either, unless nothing is in it.
    Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_err(|source| StoreError::Database { path: path.clone(), source })
}

/// Has nothing been written yet?
pub(crate) fn is_new(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("select count(*) = 0 from sqlite_master where name = 'about'", [], |row| row.get(0))
}

/// Every commit is on the disk before it counts.
fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(std::time::Duration::from_secs(60))?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")
}

/// Makes the tables in one transaction: a run that is killed here has not begun.
fn fill(connection: &mut Connection, about: &About, targets: &[TargetRow]) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    let (part, parts) = about.shard;
    let values = [
        ("schema", SCHEMA.to_owned()),
        ("program", env!("CARGO_PKG_VERSION").to_owned()),
        ("plan", serde_json::to_string(&about.plan).unwrap_or_default()),
        ("model", about.model.clone()),
        ("data", about.data.clone()),
        ("shard", format!("{part}/{parts}")),
    ];
    for (key, value) in values {
        transaction.execute("insert into about values (?1, ?2)", params![key, value])?;
    }
    {
        let mut insert = transaction.prepare("insert into targets values (?1, ?2, ?3, ?4, ?5)")?;
        for target in targets {
            let input = target.input.to_string();
            insert.execute(params![target.number, target.id, target.cluster, target.truth, input])?;
        }
    }
    transaction.commit()
}

fn differences(found: &About, wanted: &About) -> Vec<String> {
    let mut differences = found.plan.differences(&wanted.plan);
    let mut add = |what: &str, found: &str, wanted: &str| {
        if found != wanted {
            differences.push(format!("{what}: {found}, now {wanted}"));
        }
    };
    add("the model", &found.model, &wanted.model);
    add("the digest of the data", &found.data, &wanted.data);
    let shard = |(part, parts): (usize, usize)| format!("{part}/{parts}");
    add("the shard", &shard(found.shard), &shard(wanted.shard));
    differences
}

/// Puts the records of several runs of the same plan into one: those of its shards, for example.
pub fn merge(folders: &[PathBuf], into: &Path) -> Result<usize, StoreError> {
    let mut all: Option<(Store, About)> = None;
    let mut count = 0;
    for folder in folders {
        let failed = |source| StoreError::Database { path: folder.join(FILE), source };
        let store = Store::open(folder)?;
        let about = About { shard: (1, 1), ..store.about(folder)? };
        let records = store.records().map_err(failed)?;
        count += records.len();
        if all.is_none() {
            let targets = store.targets().map_err(failed)?;
            all = Some((Store::begin(into, &about, &targets)?, about.clone()));
        }
        let Some((merged, first)) = &mut all else { continue };
        let differences = differences(first, &about);
        if !differences.is_empty() {
            return Err(StoreError::OtherPlan { path: folder.clone(), differences });
        }
        merged.add(&records).map_err(|source| StoreError::Database { path: into.join(FILE), source })?;
    }
    Ok(count)
}
