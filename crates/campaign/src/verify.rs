//! Rewrites programs and judges every result: the hunt for wrong edits.

mod journal;
mod variants;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use equivalence::{Comparison, Judge, NO_FIXED_MEANING, Verdict, Verdicts, Wanted};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use syntax::{Language, Program};
use transformation::{Recipe, Step};

use crate::data::{DataError, write_file};
use crate::tasks::Task;
pub use journal::{Journal, JournalError};
use variants::{Variant, variants};

/// What is tried.
#[derive(Clone)]
pub struct Hunt {
    /// The transformations.
    pub recipe: Recipe,
    /// At how many sites of a program each of them is tried alone.
    pub sites: usize,
    /// How many of these sites are rewritten in one variant.
    pub together: usize,
    /// How many chains a program gets.
    pub chains: usize,
    /// How many rewrites make a chain.
    pub order: usize,
    /// The seed.
    pub seed: u64,
    /// The verdicts that are asked for.
    pub wanted: Wanted,
    /// Where pairs are kept that are not the same.
    pub failures: Option<PathBuf>,
}

/// What became of the variants of one transformation in one language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The rewrites in all variants together.
    pub rewrites: usize,
    /// The variants that were made.
    pub variants: usize,
    /// The variants on which the strongest verdict that was asked for could be had.
    pub judged: usize,
    /// Those of them that are the same.
    pub same: usize,
    /// The variants with any fault.
    pub different: usize,
}

/// What a hunt found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// By transformation, or `chain of K`, and language.
    pub rows: BTreeMap<(String, &'static str), Row>,
    /// Why variants were not judged, and how many.
    pub not_judged: BTreeMap<String, usize>,
    /// How many programs were tried.
    pub programs: usize,
    /// How many programs do not parse, and got no variants.
    pub broken: usize,
    /// One line for each variant that is different, in the order of the programs.
    pub faults: Vec<String>,
    /// One line for each variant that does something else, of an original that has no fixed meaning.
    pub doubts: Vec<String>,
    /// Was the hunt stopped before its end?
    pub is_interrupted: bool,
}

/// Why a hunt ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum HuntError {
    /// A pair that is not the same cannot be kept.
    #[error(transparent)]
    Failures(#[from] DataError),
    /// What is done cannot be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Makes variants of every task and judges them. `progress` is called once a task. What a journal has is not done again. The
/// findings do not depend on the number of threads, nor on how often the hunt was stopped.
pub fn hunt(
    tasks: &[Task],
    hunt: &Hunt,
    judge: &Judge,
    journal: Option<&Journal>,
    stop: &AtomicBool,
    progress: &(dyn Fn() + Sync),
) -> Result<Findings, HuntError> {
    let failure: Mutex<Option<HuntError>> = Mutex::new(None);
    let found: Vec<Option<Findings>> = tasks
        .par_iter()
        .enumerate()
        .map(|(number, task)| {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let findings = match journal.and_then(|journal| journal.done(number)) {
                Some(findings) => Ok(findings.clone()),
                None => hunt_and_keep(number, task, hunt, judge, journal, stop),
            };
            progress();
            match findings {
                Ok(findings) => Some(findings),
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    failure.lock().expect("nobody panics here").get_or_insert(error);
                    None
                }
            }
        })
        .collect();
    if let Some(error) = failure.into_inner().expect("nobody panics here") {
        return Err(error);
    }
    let mut whole = Findings::default();
    for findings in found {
        match findings {
            Some(findings) => whole.add(findings),
            None => whole.is_interrupted = true,
        }
    }
    Ok(whole)
}

impl Findings {
    /// Adds what another hunt found.
    pub fn add(&mut self, other: Findings) {
        for (key, row) in other.rows {
            let sum = self.rows.entry(key).or_default();
            sum.rewrites += row.rewrites;
            sum.variants += row.variants;
            sum.judged += row.judged;
            sum.same += row.same;
            sum.different += row.different;
        }
        for (reason, count) in other.not_judged {
            *self.not_judged.entry(reason).or_default() += count;
        }
        self.programs += other.programs;
        self.broken += other.broken;
        self.faults.extend(other.faults);
        self.doubts.extend(other.doubts);
        self.is_interrupted |= other.is_interrupted;
    }
}

fn hunt_and_keep(
    number: usize,
    task: &Task,
    hunt: &Hunt,
    judge: &Judge,
    journal: Option<&Journal>,
    stop: &AtomicBool,
) -> Result<Findings, HuntError> {
    let findings = hunt_in(number, task, hunt, judge, stop)?;
    if let Some(journal) = journal.filter(|_| !findings.is_interrupted) {
        journal.add(number, task, &findings)?;
    }
    Ok(findings)
}

fn hunt_in(number: usize, task: &Task, hunt: &Hunt, judge: &Judge, stop: &AtomicBool) -> Result<Findings, DataError> {
    let mut findings = Findings { programs: 1, ..Findings::default() };
    let program = Program::from_bytes(task.language, task.text.clone());
    if program.is_broken() {
        findings.broken = 1;
        return Ok(findings);
    }
    for variant in variants(task, &program, hunt) {
        if stop.load(Ordering::Relaxed) {
            findings.is_interrupted = true;
            break;
        }
        let verdicts = judge.judge(&comparison(task, &variant.bytes, &variant.steps), hunt.wanted);
        let row = findings.rows.entry((variant.label.clone(), task.language.name())).or_default();
        row.rewrites += variant.steps.len();
        row.variants += 1;
        let strongest = strongest(&verdicts, task, hunt.wanted);
        match strongest {
            Verdict::NotJudged(reason) => {
                *findings.not_judged.entry(first_words(reason)).or_default() += 1;
                if reason.starts_with(NO_FIXED_MEANING) {
                    findings.doubts.push(format!("{} of {}: {reason}", variant.label, task.id));
                    if let Some(folder) = &hunt.failures {
                        let folder = folder.join(format!("doubt-{number}-{}", findings.doubts.len()));
                        keep(&folder, task, &variant, reason, "")?;
                    }
                }
            }
            Verdict::Holds => {
                row.judged += 1;
                row.same += usize::from(!verdicts.has_fault());
            }
            Verdict::Fails(_) => row.judged += 1,
        }
        if verdicts.has_fault() {
            row.different += 1;
            let culprit = culprit(task, &program, &variant, hunt, judge);
            let told = told(&verdicts);
            findings.faults.push(format!("{} of {}: {culprit}{told}", variant.label, task.id));
            if let Some(folder) = &hunt.failures {
                keep(&folder.join(format!("{number}-{}", findings.faults.len())), task, &variant, &told, &culprit)?;
            }
        }
    }
    Ok(findings)
}

fn comparison<'q>(task: &'q Task, variant: &'q [u8], steps: &'q [Step]) -> Comparison<'q> {
    Comparison { language: task.language, original: &task.text, variant, steps, cases: &task.cases }
}

/// The verdict that says most about a variant: its behaviour, where it has cases.
fn strongest<'v>(verdicts: &'v Verdicts, task: &Task, wanted: Wanted) -> &'v Verdict {
    match wanted {
        Wanted { run: true, .. } if !task.cases.is_empty() && !verdicts.compile.is_fault() => &verdicts.run,
        Wanted { compile: true, .. } | Wanted { run: true, .. } => &verdicts.compile,
        Wanted { scope: true, .. } => &verdicts.scope,
        _ => &verdicts.parse,
    }
}

/// A reason without what differs from program to program.
fn first_words(reason: &str) -> String {
    reason.split(':').next().unwrap_or(reason).to_owned()
}

fn told(verdicts: &Verdicts) -> String {
    let faults = verdicts.all().into_iter().filter(|(_, verdict)| verdict.is_fault());
    let told: Vec<String> =
        faults.map(|(name, verdict)| format!("{name}: {}", verdict.reason().unwrap_or_default())).collect();
    told.join("; ")
}

/// The step of a chain after which the first fault shows.
fn culprit(task: &Task, program: &Program, variant: &Variant, hunt: &Hunt, judge: &Judge) -> String {
    if variant.steps.len() < 2 {
        return String::new();
    }
    let mut current = Program::from_bytes(program.language(), task.text.clone());
    for (index, step) in variant.steps.iter().enumerate() {
        let Ok(applied) = transformation::apply::again(&current, step) else { break };
        current = applied.program;
        if judge.judge(&comparison(task, current.bytes(), &variant.steps[..=index]), hunt.wanted).has_fault() {
            return format!("after step {}, {}: ", index + 1, step.transformation);
        }
    }
    String::new()
}

/// Keeps a pair that is not the same.
fn keep(folder: &Path, task: &Task, variant: &Variant, told: &str, culprit: &str) -> Result<(), DataError> {
    let ending = ending(task.language);
    write_file(&folder.join(format!("original.{ending}")), &task.text)?;
    write_file(&folder.join(format!("variant.{ending}")), &variant.bytes)?;
    let cases: Vec<serde_json::Value> =
        task.cases.iter().map(|case| serde_json::json!({ "arguments": case.arguments, "input": case.input })).collect();
    let known = serde_json::json!({
        "program": task.id,
        "transformation": variant.label,
        "fault": format!("{culprit}{told}"),
        "steps": variant.steps,
        "cases": cases,
    });
    let text = serde_json::to_string_pretty(&known).unwrap_or_default();
    write_file(&folder.join("fault.json"), text.as_bytes())
}

fn ending(language: Language) -> &'static str {
    match language {
        Language::Java => "java",
        Language::C => "c",
        Language::Cpp => "cpp",
        Language::Python => "py",
        Language::JavaScript => "js",
    }
}
