//! Judges variants: a pair, the outputs of a manifest, or what is made of a data set on the hunt for wrong edits.

mod calls;
mod journal;
mod variants;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use equivalence::sandbox::Sandbox;
use equivalence::{Case, Comparison, Folder, Judge, NO_FIXED_MEANING, Options, Verdict, Verdicts, Wanted};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use syntax::{Language, Program, file};
use transformation::recipe::select;
use transformation::{Names, Recipe, Step};

use crate::data::{DataError, write_file};
use crate::manifest::{self, Status};
use crate::plan::PlanError;
use crate::tasks::{self, Task};
use crate::transform::{Pair, outputs_of};
use crate::work::{Event, Watcher, WorkError};
use calls::with_calls;
pub use journal::{Journal, JournalError};
use variants::{Variant, variants};

/// How variants are judged.
#[derive(Clone, Debug)]
pub struct JudgePlan {
    /// The verdicts that are asked for.
    pub wanted: Wanted,
    /// The time limit of one run, in seconds.
    pub seconds: f64,
    /// The memory limit of one run, in MiB.
    pub memory: u64,
    /// Is what is written to standard error compared as well?
    pub with_errors: bool,
    /// Folders with headers and other files that programs may read.
    pub include: Vec<PathBuf>,
    pub c_compiler: String,
    /// Does everything run in the sandbox? Only programs that are trusted may run outside.
    pub is_confined: bool,
}

impl Default for JudgePlan {
    fn default() -> JudgePlan {
        let options = Options::default();
        JudgePlan {
            wanted: Wanted::all(),
            seconds: options.time.as_secs_f64(),
            memory: options.memory >> 20,
            with_errors: options.with_errors,
            include: options.readable,
            c_compiler: options.c,
            is_confined: true,
        }
    }
}

impl JudgePlan {
    fn judge(&self, more: Option<&Path>, watcher: &dyn Watcher) -> Result<Judge, WorkError> {
        let is_confined = self.is_confined && (self.wanted.compile || self.wanted.run);
        let sandbox = if is_confined { Sandbox::new()? } else { Sandbox::none() };
        for gap in if is_confined { sandbox.gaps() } else { Vec::new() } {
            watcher.tell(Event::Note(format!("warning: the sandbox does not keep programs from {gap}")));
        }
        if !(self.seconds.is_finite() && self.seconds > 0.0) {
            return Err(PlanError::Unfit("the time limit must be a number of seconds above 0".to_owned()).into());
        }
        let mut readable = Vec::new();
        for folder in self.include.iter().map(PathBuf::as_path).chain(more) {
            let path = folder.canonicalize();
            readable.push(path.map_err(|source| DataError::Unreadable { path: folder.to_owned(), source })?);
        }
        let options = Options {
            time: Duration::from_secs_f64(self.seconds),
            memory: self.memory << 20,
            with_errors: self.with_errors,
            readable,
            c: self.c_compiler.clone(),
            ..Options::default()
        };
        Ok(Judge::new(sandbox, options))
    }
}

/// What programs are run on, where it does not lie beside them.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    /// A file with cases.
    pub file: Option<PathBuf>,
    /// Files that are read from standard input, each of which makes a case.
    pub inputs: Vec<PathBuf>,
    /// The arguments of the program in these cases.
    pub arguments: Vec<String>,
    /// Expressions whose values are printed: for functions without a program around them.
    pub calls: Vec<String>,
}

impl Cases {
    /// The cases of a program at this place.
    fn of(&self, program: &Path) -> Result<Vec<Case>, WorkError> {
        let mut cases = self.file.as_deref().map(tasks::cases_of).transpose()?.unwrap_or_default();
        for path in &self.inputs {
            let input = String::from_utf8_lossy(&read(path)?).into_owned();
            cases.push(Case { arguments: self.arguments.clone(), input });
        }
        if self.inputs.is_empty() && !(self.arguments.is_empty() && self.calls.is_empty()) {
            cases.push(Case { arguments: self.arguments.clone(), input: String::new() });
        }
        Ok(if cases.is_empty() { tasks::cases_beside(program)? } else { cases })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, DataError> {
    file::read_up_to(path, file::LARGEST_TEXT).map_err(|source| DataError::Unreadable { path: path.to_owned(), source })
}

/// Judges whether a variant is the same program as its original. The language is that of the file's name, where it is not given.
///
/// ```
/// use campaign::verify::{Cases, JudgePlan, pair};
/// use equivalence::Wanted;
///
/// let program = std::path::Path::new("../../fixtures/programs/problems/roman/python/product-table.py");
/// let checks = JudgePlan { wanted: Wanted { scope: true, compile: false, run: false }, ..JudgePlan::default() };
/// let verdicts = pair(program, program, None, &Cases::default(), &checks, &())?;
/// assert!(!verdicts.has_fault());
/// # Ok::<(), campaign::work::WorkError>(())
/// ```
pub fn pair(
    original: &Path,
    variant: &Path,
    language: Option<Language>,
    cases: &Cases,
    checks: &JudgePlan,
    watcher: &dyn Watcher,
) -> Result<Verdicts, WorkError> {
    let language = language.or_else(|| Language::from_path(original)).ok_or_else(|| {
        PlanError::Unfit(format!("the language of {} is not known: name it with --language", original.display()))
    })?;
    let texts = [read(original)?, read(variant)?];
    self::texts(language, texts, &cases.of(original)?, &cases.calls, checks, watcher)
}

/// The same for texts, the original first, with the inputs that they are run on and the calls whose values are compared.
pub fn texts(
    language: Language,
    texts: [Vec<u8>; 2],
    cases: &[Case],
    calls: &[String],
    checks: &JudgePlan,
    watcher: &dyn Watcher,
) -> Result<Verdicts, WorkError> {
    let [before, after] = texts.map(|text| with_calls(language, text, calls));
    let comparison = Comparison { language, original: &before, variant: &after, steps: &[], cases };
    Ok(checks.judge(None, watcher)?.judge(&comparison, checks.wanted))
}

/// The verdicts about the outputs of a manifest.
#[derive(Clone, Debug, Default)]
pub struct ManifestVerdicts {
    /// How often each check had each answer.
    pub counts: BTreeMap<(&'static str, &'static str), usize>,
    /// One line for each output that is not the same.
    pub faults: Vec<String>,
    /// What this machine lacks to judge all of them.
    pub lacks: Option<String>,
}

/// Judges every output of a manifest, and writes the verdicts into it.
pub fn manifest(
    path: &Path,
    cases: &Cases,
    checks: &JudgePlan,
    watcher: &dyn Watcher,
) -> Result<ManifestVerdicts, WorkError> {
    let mut manifest = manifest::read(path)?;
    let judge = checks.judge(None, watcher)?;
    let outputs = outputs_of(&manifest.entries)?;
    let mut found = ManifestVerdicts::default();
    watcher.tell(Event::Stage("judging", Some(manifest.entries.len())));
    for (entry, output) in manifest.entries.iter_mut().zip(outputs) {
        watcher.tell(Event::Steps(1));
        let (Some(Pair { original, variant }), Some(language)) = (output, &entry.language) else { continue };
        let language: Language = language.parse().map_err(|error: syntax::language::UnknownLanguage| {
            PlanError::Unfit(format!("{}: {error}", path.display()))
        })?;
        let cases = cases.of(Path::new(&entry.input))?;
        let steps = &entry.steps;
        let comparison = Comparison { language, original: &original, variant: &variant, steps, cases: &cases };
        let verdicts = judge.judge(&comparison, checks.wanted);
        for (name, verdict) in verdicts.all() {
            *found.counts.entry((name, verdict.name())).or_default() += 1;
        }
        if found.lacks.is_none() {
            found.lacks = verdicts.lacks().map(str::to_owned);
        }
        if let Some((name, fault)) = verdicts.all().into_iter().find(|(_, verdict)| verdict.is_fault()) {
            found.faults.push(format!("{}: {name}: {}", entry.input, fault.reason().unwrap_or_default()));
        }
        if entry.status == Status::Changed {
            entry.verdicts.set(&verdicts);
        }
    }
    let mut text = Vec::new();
    manifest.write(&mut text).map_err(|source| DataError::Unwritable { path: path.to_owned(), source })?;
    write_file(path, &text)?;
    Ok(found)
}

/// A hunt for wrong edits.
#[derive(Clone, Debug)]
pub struct HuntPlan {
    /// Folders of programs, or data sets of JSON lines.
    pub data: Vec<PathBuf>,
    /// Only programs in this language; also that of programs that do not tell.
    pub language: Option<Language>,
    /// How many programs of each data set, evenly spread; all when absent.
    pub sample: Option<usize>,
    pub transform: String,
    /// At how many sites of a program each of them is tried alone.
    pub sites: usize,
    /// How many of these sites are rewritten in one variant.
    pub together: usize,
    /// How many chains a program gets.
    pub chains: usize,
    /// How many rewrites make a chain.
    pub order: usize,
    pub seed: u64,
    /// Where pairs are kept that are not the same.
    pub failures: Option<PathBuf>,
    /// A file that keeps what is done, by which a hunt that was stopped is resumed.
    pub journal: Option<PathBuf>,
}

impl Default for HuntPlan {
    fn default() -> HuntPlan {
        HuntPlan {
            data: Vec::new(),
            language: None,
            sample: None,
            transform: "all".to_owned(),
            sites: 2,
            together: 1,
            chains: 2,
            order: 8,
            seed: 1,
            failures: None,
            journal: None,
        }
    }
}

impl HuntPlan {
    /// The values that decide what is found in a program, as journals have them.
    fn decisive(&self, checks: &JudgePlan) -> BTreeMap<&'static str, String> {
        let Wanted { scope, compile, run } = checks.wanted;
        let verdicts = [("scope", scope), ("compile", compile), ("run", run)];
        let verdicts: Vec<&str> = verdicts.into_iter().filter(|(_, is)| *is).map(|(name, _)| name).collect();
        let include: Vec<String> = checks.include.iter().map(|path| path.display().to_string()).collect();
        BTreeMap::from([
            ("transform", self.transform.clone()),
            ("sites", self.sites.to_string()),
            ("together", self.together.to_string()),
            ("chains", self.chains.to_string()),
            ("order", self.order.to_string()),
            ("seed", self.seed.to_string()),
            ("verdicts", verdicts.join(",")),
            ("time", checks.seconds.to_string()),
            ("memory", checks.memory.to_string()),
            ("errors", checks.with_errors.to_string()),
            ("include", include.join(",")),
            ("c-compiler", checks.c_compiler.clone()),
            ("no-sandbox", (!checks.is_confined).to_string()),
        ])
    }
}

/// Makes variants of the programs of a plan and judges them. A hunt with a journal is resumed where it was stopped.
///
/// ```
/// use campaign::verify::{JudgePlan, HuntPlan, run};
/// use equivalence::Wanted;
///
/// let data = vec!["../../fixtures/programs/problems/roman".into()];
/// let plan = HuntPlan { data, sample: Some(2), transform: "rename-local".to_owned(), ..HuntPlan::default() };
/// let checks = JudgePlan { wanted: Wanted { scope: true, compile: false, run: false }, ..JudgePlan::default() };
/// let findings = run(&plan, &checks, &())?;
/// assert!(findings.programs == 2 && findings.faults.is_empty());
/// # Ok::<(), campaign::work::WorkError>(())
/// ```
pub fn run(plan: &HuntPlan, checks: &JudgePlan, watcher: &dyn Watcher) -> Result<Findings, WorkError> {
    let unfit = |error: &dyn std::fmt::Display| PlanError::Unfit(error.to_string());
    let selections = select(&plan.transform, &Names::typed()).map_err(|error| unfit(&error))?;
    let support = Folder::new().map_err(|source| DataError::Unwritable { path: std::env::temp_dir(), source })?;
    let mut has_support = false;
    let mut chosen: Vec<Task> = Vec::new();
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    for path in &plan.data {
        if !path.exists() {
            return Err(crate::transform::TransformError::NoInput(path.clone()).into());
        }
        let read = tasks::read(path, plan.language)?;
        for (name, text) in &read.beside {
            // The names come from a data set: only what is a plain name is written.
            let name = Path::new(name).file_name().unwrap_or_default();
            write_file(&support.path().join(name), text.as_bytes())?;
            has_support = true;
        }
        let is_wanted = |task: &&Task| plan.language.is_none_or(|language| language == task.language);
        let tasks: Vec<&Task> = read.tasks.iter().filter(is_wanted).collect();
        let count = plan.sample.map_or(tasks.len(), |sample| tasks.len().min(sample));
        chosen.extend((0..count).map(|index| tasks[index * tasks.len() / count].clone()));
        for (reason, count) in read.left_out {
            *left_out.entry(reason).or_default() += count;
        }
    }
    if chosen.is_empty() {
        return Err(unfit(&"there is no program to verify in what --data names").into());
    }
    let order = Hunt {
        recipe: Recipe { selections },
        sites: plan.sites,
        together: plan.together,
        chains: plan.chains,
        order: plan.order,
        seed: plan.seed,
        wanted: checks.wanted,
        failures: plan.failures.clone(),
    };
    let judge = checks.judge(has_support.then_some(support.path()), watcher)?;
    let journal =
        plan.journal.as_deref().map(|path| Journal::open(path, &plan.decisive(checks), &chosen)).transpose()?;
    if let Some(journal) = journal.as_ref().filter(|journal| !journal.is_empty()) {
        watcher.tell(Event::Note(format!("{} of {} programs were done before", journal.len(), chosen.len())));
    }
    watcher.tell(Event::Stage("verifying programs", Some(chosen.len())));
    let findings = hunt(&chosen, &order, &judge, journal.as_ref(), watcher)?;
    Ok(Findings { left_out, ..findings })
}

/// What is tried on a program.
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
    /// The variants on which the strongest verdict that was asked for was available.
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
    /// Why rows of data sets were left out, and how many.
    pub left_out: BTreeMap<String, usize>,
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
    /// Was the hunt stopped before it finished?
    pub is_interrupted: bool,
    /// What this machine lacks to judge all variants.
    pub lacks: Option<String>,
}

/// Why a hunt ended before it finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HuntError {
    /// A pair that is not the same cannot be kept.
    #[error(transparent)]
    Failures(#[from] DataError),
    /// What is done cannot be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Makes variants of every task and judges them; every task is a step. What a journal has is not done again. The findings do not
/// depend on the number of threads, nor on how often the hunt was stopped.
pub fn hunt(
    tasks: &[Task],
    hunt: &Hunt,
    judge: &Judge,
    journal: Option<&Journal>,
    watcher: &dyn Watcher,
) -> Result<Findings, HuntError> {
    // Set when what is found cannot be kept.
    let is_over = AtomicBool::new(false);
    let failure: Mutex<Option<HuntError>> = Mutex::new(None);
    let found: Vec<Option<Findings>> = tasks
        .par_iter()
        .enumerate()
        .map(|(number, task)| {
            if watcher.should_stop() || is_over.load(Ordering::Relaxed) {
                return None;
            }
            let findings = match journal.and_then(|journal| journal.done(number)) {
                Some(findings) => Ok(findings.clone()),
                None => hunt_and_keep(number, task, hunt, judge, journal, watcher),
            };
            watcher.tell(Event::Steps(1));
            match findings {
                Ok(findings) => Some(findings),
                Err(error) => {
                    is_over.store(true, Ordering::Relaxed);
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
        self.lacks = self.lacks.take().or(other.lacks);
    }
}

fn hunt_and_keep(
    number: usize,
    task: &Task,
    hunt: &Hunt,
    judge: &Judge,
    journal: Option<&Journal>,
    watcher: &dyn Watcher,
) -> Result<Findings, HuntError> {
    let findings = hunt_in(number, task, hunt, judge, watcher)?;
    if let Some(journal) = journal.filter(|_| !findings.is_interrupted && findings.lacks.is_none()) {
        journal.add(number, task, &findings)?;
    }
    Ok(findings)
}

fn hunt_in(
    number: usize,
    task: &Task,
    hunt: &Hunt,
    judge: &Judge,
    watcher: &dyn Watcher,
) -> Result<Findings, DataError> {
    let mut findings = Findings { programs: 1, ..Findings::default() };
    let program = Program::from_bytes(task.language, task.text.clone());
    if program.is_broken() {
        findings.broken = 1;
        return Ok(findings);
    }
    for variant in variants(task, &program, hunt) {
        if watcher.should_stop() {
            findings.is_interrupted = true;
            break;
        }
        let verdicts = judge.judge(&comparison(task, &variant.bytes, &variant.steps), hunt.wanted);
        if findings.lacks.is_none() {
            findings.lacks = verdicts.lacks().map(str::to_owned);
        }
        let row = findings.rows.entry((variant.label.clone(), task.language.name())).or_default();
        row.rewrites += variant.steps.len();
        row.variants += 1;
        let strongest = strongest(&verdicts, task, hunt.wanted);
        match strongest {
            Verdict::NotJudged(reason) | Verdict::Unavailable(reason) => {
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
