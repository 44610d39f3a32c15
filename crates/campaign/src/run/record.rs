//! What attacks did to the inputs of a run.
//!
//! Tables: `records` (what became of each attack on each input, as JSON) and `times` (how long each took, apart because it differs from run
//! to run). Views: `successes` with the texts, `rates` with the counts of each attack.

use std::path::{Path, PathBuf};

use equivalence::{Verdict, Verdicts};
use measure::ExampleQuality;
use measure::metrics::confidence_decrement_of;
use model::{Input, Prediction};
use rusqlite::params;
use search::{Finding, Move, Outcome, Rejected, Scored};
use serde::{Deserialize, Serialize};

use super::{Json, RunPlan, Store, StoreError};
use crate::plan::Plan;

const TABLES: &str = "
create table records (
    attack text not null,
    number integer not null references inputs,
    record text not null,
    outcome text generated always as (record ->> '$.outcome') stored,
    queries integer generated always as (record ->> '$.queries') stored,
    primary key (attack, number)
) without rowid;
create table times (
    attack text not null,
    number integer not null,
    seconds real not null,
    primary key (attack, number)
) without rowid;
create view successes as
    select attack, id, truth, record -> '$.before' as before, record -> '$.after' as after, queries, input,
        record -> '$.example' as example, record -> '$.moves' as moves
    from records join inputs using (number) where outcome = 'success';
create view rates as
    select attack,
        count(*) as targets,
        sum(outcome in ('success', 'not-judged', 'invalid', 'failed')) as attacked,
        sum(outcome in ('success', 'not-judged', 'invalid')) as flipped,
        sum(outcome = 'success') as successes,
        sum(outcome = 'fault') as faults,
        sum(queries) as queries
    from records group by attack;
";

impl RunPlan for Plan {
    const COMMAND: &'static str = "attack";
    const TABLES: &'static [&'static str] = &[TABLES];
}

/// What became of an attack on an input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The attack.
    #[serde(skip)]
    pub attack: String,
    /// The place of the input in the data set.
    #[serde(skip)]
    pub number: usize,
    /// How it ended.
    pub outcome: Outcome,
    /// Why.
    pub reason: Option<String>,
    /// What the model said before.
    pub before: Option<Prediction>,
    /// What the model says about the example.
    pub after: Option<Prediction>,
    /// How much the model believed in the truth before, and at least. Where a measure decides, what guided the search.
    pub belief: Option<(f32, f32)>,
    /// The scores, where a measure decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Scored>,
    /// What the model says about the form that the attack leaves, where a measure decides or every original is attacked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Prediction>,
    /// That form, where it is no success and every original is attacked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Input>,
    /// The rewrites that lead to the example.
    pub moves: Vec<Move>,
    /// The adversarial example.
    pub example: Option<Input>,
    /// What was found when the example was checked, for each program that was changed.
    pub verdicts: Vec<Checks>,
    /// Flips that are not valid.
    pub rejected: Vec<Rejected>,
    /// The candidates that changed more than is allowed, and were not queried.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused: usize,
    /// The queries.
    pub queries: usize,
    /// The queries that were answered before.
    pub cached: usize,
    /// The queries to mutants of the model.
    pub mutant_queries: usize,
    /// The queries that made the example small.
    pub shrink_queries: usize,
    /// The rewrites of the example before it was made small.
    pub moves_before_shrinking: usize,
    /// The queries that confirmed flips.
    #[serde(default)]
    pub confirm_queries: usize,
    /// The flips that were not confirmed.
    #[serde(default)]
    pub unconfirmed: usize,
    /// The queries without an answer.
    pub faults: usize,
    /// How far the example is from the original.
    pub quality: Option<ExampleQuality>,
    /// The cosine of the embeddings of original and example.
    pub cosine: Option<f64>,
    /// How long it took.
    #[serde(skip)]
    pub seconds: f64,
}

/// Records of attacks without limits are as they were before there were any.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What was found when a program was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checks {
    /// Does it parse?
    pub parse: Judgement,
    /// Do names stand for what they stood for?
    pub scope: Judgement,
    /// Is it accepted by the compiler?
    pub compile: Judgement,
    /// Does it behave the same?
    pub run: Judgement,
}

/// What a check says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// It is as it should be.
    Holds,
    /// It is not.
    Fails,
    /// Nobody knows.
    NotJudged,
}

impl Record {
    /// The record of what an attack found.
    pub(crate) fn of(attack: &str, number: usize, finding: Finding) -> Record {
        let example = finding.example.as_ref();
        Record {
            attack: attack.to_owned(),
            number,
            outcome: finding.outcome,
            reason: finding.reason,
            before: finding.before,
            after: finding.after,
            belief: finding.belief,
            score: finding.score,
            left: finding.left,
            form: finding.form.map(|form| form.input()),
            moves: example.map(|example| example.moves().to_vec()).unwrap_or_default(),
            example: example.map(|example| example.input()),
            verdicts: finding.verdicts.iter().map(Checks::from).collect(),
            rejected: finding.rejected,
            refused: finding.refused,
            queries: finding.queries,
            cached: finding.cached,
            mutant_queries: finding.mutant_queries,
            shrink_queries: finding.shrink_queries,
            moves_before_shrinking: finding.moves_before_shrinking,
            confirm_queries: finding.confirm_queries,
            unconfirmed: finding.unconfirmed,
            faults: finding.faults,
            quality: finding.quality,
            cosine: None,
            seconds: finding.seconds,
        }
    }

    /// How far the confidence in the truth fell at most, or the score where a measure decides.
    pub fn drop(&self) -> Option<f64> {
        let confidence = || self.belief.map(|(before, lowest)| (before.into(), lowest.into()));
        let (before, lowest) = self.score.map(|score| (score.before, score.lowest)).or_else(confidence)?;
        confidence_decrement_of(before, &[lowest])
    }
}

impl From<&Verdicts> for Checks {
    fn from(verdicts: &Verdicts) -> Checks {
        let judgement = |verdict: &Verdict| match verdict {
            Verdict::Holds => Judgement::Holds,
            Verdict::Fails(_) => Judgement::Fails,
            Verdict::NotJudged(_) | Verdict::Unavailable(_) => Judgement::NotJudged,
        };
        Checks {
            parse: judgement(&verdicts.parse),
            scope: judgement(&verdicts.scope),
            compile: judgement(&verdicts.compile),
            run: judgement(&verdicts.run),
        }
    }
}

impl Store<Plan> {
    /// The attacks that are done, with the place of the input. Those that the model did not answer are not.
    pub fn done(&self) -> Result<Vec<(String, usize)>, StoreError> {
        self.read(|connection| {
            let mut rows = connection.prepare("select attack, number from records where outcome <> 'fault'")?;
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    /// Adds records. When this returns they are on the disk. Only a record of a model that did not answer is replaced.
    pub fn add(&mut self, records: &[Record]) -> Result<(), StoreError> {
        self.write(|transaction| {
            let mut insert = transaction.prepare_cached("insert or replace into records values (?1, ?2, ?3)")?;
            let mut times = transaction.prepare_cached("insert or replace into times values (?1, ?2, ?3)")?;
            for record in records {
                insert.execute(params![record.attack, record.number, Json(record)])?;
                times.execute(params![record.attack, record.number, record.seconds])?;
            }
            Ok(())
        })
    }

    /// The records, by attack and input.
    pub fn records(&self) -> Result<Vec<Record>, StoreError> {
        self.read(|connection| {
            let mut rows = connection.prepare(
                "select attack, number, record, seconds from records join times using (attack, number)
                 order by attack, number",
            )?;
            rows.query_map([], |row| {
                let Json(record) = row.get(2)?;
                Ok(Record { attack: row.get(0)?, number: row.get(1)?, seconds: row.get(3)?, ..record })
            })?
            .collect()
        })
    }
}

/// Puts the records of several runs of the same plan into one: those of its shards, for example.
pub fn merge(folders: &[PathBuf], into: &Path) -> Result<usize, StoreError> {
    let mut count = 0;
    Store::<Plan>::unite(folders, into, |store, merged| {
        let records = store.records()?;
        count += records.len();
        merged.add(&records)
    })?;
    Ok(count)
}
