//! A run as it is read to be reported.

use std::path::{Path, PathBuf};

use campaign::plan::Plan;
use campaign::run::{About, InputRow, Record, Store, StoreError};
use model::Noise;
use search::Goal;

/// A run: what it is, its targets and its records.
pub struct Run {
    /// What tables call it, where there are several.
    pub name: String,
    /// What it is.
    pub about: About<Plan>,
    /// The version of the program that began it, where that is known.
    pub program: Option<String>,
    /// How often the model's answers changed when it was queried again, where that is known.
    pub noise: Option<Noise>,
    /// The targets that it is about; of a shard only its own.
    pub targets: Vec<InputRow>,
    /// What became of them.
    pub records: Vec<Record>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A run cannot be read.
    #[error(transparent)]
    Run(StoreError),
    /// The folder holds nothing that a report could be about.
    #[error("{} holds no run: there is no run.sqlite, no mutants.json, no metrics.jsonl of a training, no plan.json of a retraining, and no file that `allotrope evaluate --json` printed", path.display())]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
    /// A file of a run cannot be read.
    #[error("{} cannot be reported: {problem}", path.display())]
    Damaged {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// There is nothing to report.
    #[error("there are no records to report: is the run still at its beginning?")]
    NoRecords,
    /// No run has such an attack.
    #[error("no run has records of the attack `{name}`; there are: {}", known.join(", "))]
    NoAttack {
        /// The attack as it was named.
        name: String,
        /// The attacks of the runs.
        known: Vec<String>,
    },
    /// The file cannot be written.
    #[error("failed to write the report {}: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Run {
    /// Reads runs of attacks in some folders.
    pub fn read_all(folders: &[PathBuf]) -> Result<Vec<Run>, ReportError> {
        let runs = folders.iter().map(|folder| Run::read(folder, Run::name_of(folder, folders)));
        let runs = runs.collect::<Result<Vec<Run>, ReportError>>()?;
        match runs.iter().all(|run| run.records.is_empty()) {
            true => Err(ReportError::NoRecords),
            false => Ok(runs),
        }
    }

    /// What tables call the run in a folder. Two folders with one name are told apart by all of their path.
    pub(crate) fn name_of(folder: &Path, folders: &[PathBuf]) -> String {
        let last = |folder: &Path| folder.file_name().map(|name| name.display().to_string());
        let is_alone = folders.iter().filter(|other| last(other) == last(folder)).count() == 1;
        last(folder).filter(|_| is_alone).unwrap_or_else(|| folder.display().to_string())
    }

    /// Reads a run that may have no records yet, and is called what its folder is.
    pub fn open(folder: &Path) -> Result<Run, ReportError> {
        let name = folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.display().to_string());
        Run::read(folder, name)
    }

    pub(crate) fn read(folder: &Path, name: String) -> Result<Run, ReportError> {
        let store = Store::open(folder)?;
        let about = store.about()?;
        let (part, parts) = about.shard;
        let mut targets = store.inputs()?;
        targets.retain(|target| target.number % parts.max(1) + 1 == part);
        let noise = store.noise()?.and_then(|noise| noise.first().copied());
        let program = Some(store.program()?);
        Ok(Run { name, about, program, noise, targets, records: store.records()? })
    }

    /// What a success is, where a measure decides. A plan that has begun was checked before.
    pub fn goal(&self) -> Option<Goal> {
        self.about.plan.goal().ok().flatten()
    }

    /// Leaves only the records of some attacks; all when none is named.
    pub fn keep_attacks(runs: &mut [Run], attacks: &[String]) -> Result<(), ReportError> {
        let mut known: Vec<String> =
            runs.iter().flat_map(|run| &run.records).map(|record| record.attack.clone()).collect();
        known.sort();
        known.dedup();
        if let Some(name) = attacks.iter().find(|name| !known.contains(name)) {
            return Err(ReportError::NoAttack { name: name.clone(), known });
        }
        if !attacks.is_empty() {
            for run in runs {
                run.records.retain(|record| attacks.contains(&record.attack));
                run.about.plan.attacks.retain(|attack| attacks.contains(attack));
            }
        }
        Ok(())
    }
}
