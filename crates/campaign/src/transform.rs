//! Transforms files, folders and data sets: reads, makes variants, writes them, and keeps the manifest.
//!
//! Every file has its name only when it is complete, and its entries are in the manifest by then. An input that cannot be
//! rewritten is passed through and counted; it never ends the run. The files of a folder are one project: what one of them
//! says decides about the names of the others, and what they share is renamed in all of them together.

pub mod names;
mod shared;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use syntax::{Language, Program, Project, Surroundings, file};
use transformation::names::NamesMaterial;
use transformation::shared::TRANSFORMATION;
use transformation::{Refusal, Tally};

use crate::data::{DataError, Format, Reader, Row, Writer, whole_lines, write_file};
use crate::glob;
use crate::manifest::{self, Entry, Manifest, ManifestError, Status, Verdicts};
use crate::vary::{Order, Original, Taken, Variant, vary};
use crate::work::{Event, Watcher, WorkError};
use shared::Shared;

/// What is to be done.
pub struct Job {
    /// Files, folders and data sets.
    pub inputs: Vec<PathBuf>,
    /// The file or folder that they become.
    pub output: PathBuf,
    pub order: Order,
    /// Read each file on its own; by default the files of a folder are one project.
    pub is_alone: bool,
    /// Patterns of the files to rewrite in folders; empty means all files. Other files are copied.
    pub include: Vec<String>,
    /// Patterns for those that are not.
    pub exclude: Vec<String>,
    /// Write into a folder that is not empty.
    pub is_forced: bool,
    /// The language of inputs that do not tell.
    pub language: Option<Language>,
    /// The fields of data sets with programs; recognised when empty.
    pub columns: Vec<String>,
    /// Leaves out what does not change.
    pub only_changed: bool,
    /// Names for single rows of data sets, by the rows' keys, or by their numbers from 0 where they have none.
    pub substitutes: BTreeMap<String, NamesMaterial>,
    /// Where the manifest goes.
    pub manifest: Option<PathBuf>,
}

impl Job {
    /// The job of rewriting inputs, with everything else at its default.
    pub fn new(inputs: Vec<PathBuf>, output: PathBuf, order: Order) -> Job {
        let (columns, substitutes) = (Vec::new(), BTreeMap::new());
        Job {
            inputs,
            output,
            order,
            is_alone: false,
            include: Vec::new(),
            exclude: Vec::new(),
            is_forced: false,
            language: None,
            columns,
            only_changed: false,
            substitutes,
            manifest: None,
        }
    }
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The programs that were read.
    pub inputs: usize,
    /// The variants that differ from their input.
    pub changed: usize,
    /// The variants that do not, by the reason.
    pub unchanged: BTreeMap<&'static str, usize>,
    /// The inputs that were passed through, by the reason.
    pub passed_through: BTreeMap<String, usize>,
    /// The files that are not programs and were copied.
    pub copied: usize,
    /// The rewrites that were done.
    pub steps: usize,
    /// Those of them that renamed something in several files.
    pub shared: usize,
    /// The rewrites that were asked for and could not be done.
    pub unreached: usize,
    /// The variants that got fewer rewrites than asked for.
    pub short: usize,
    /// What became of each transformation.
    pub tallies: BTreeMap<&'static str, Tally>,
    /// Inputs that were skipped or passed through, with their place and the reason.
    pub warnings: Vec<String>,
    /// Was the run stopped before its end?
    pub is_interrupted: bool,
}

/// Why a run could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransformError {
    /// An input does not exist.
    #[error("there is no file or folder {}", .0.display())]
    NoInput(PathBuf),
    /// The output lies within an input, or the other way round.
    #[error("the output {} and the input {} must not lie within each other: choose another output", .output.display(), .input.display())]
    Nested { output: PathBuf, input: PathBuf },
    /// The output is a folder that is not empty.
    #[error("the folder {} is not empty: choose another output, or write into it with --force", .0.display())]
    NotEmpty(PathBuf),
    /// Nobody knows the language.
    #[error("the language of {} is not known: say --language java, c, cpp, python or javascript", .0.display())]
    NoLanguage(PathBuf),
    /// Two inputs would become one output.
    #[error("{} would be written twice: give inputs with different names", .0.display())]
    TwoInputs(PathBuf),
    /// A data set or file cannot be read or written.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The manifest cannot be read.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A step cannot be done again.
    #[error("failed to replay {input}: {refusal}")]
    Replay { input: String, refusal: Refusal },
    /// The manifest and the inputs do not fit together.
    #[error("failed to replay {input}: {problem}")]
    Mismatch { input: String, problem: String },
}

/// How many inputs are held in memory at a time, when nothing has to be drawn among all of them.
const CHUNK: usize = 512;

/// Does the job. When the watcher ends it, what has been begun is completed and the rest is left.
///
/// ```
/// use campaign::transform::{self, Job};
/// use campaign::vary::{Order, Scope};
/// use transformation::recipe::{Recipe, select};
///
/// let folder = std::env::temp_dir().join(format!("allotrope-transform-{}", std::process::id()));
/// let recipe = Recipe { selections: select("rename-local", &transformation::Names::typed())? };
/// let order = Order { recipe, finish: None, count: 1, scope: Scope::EachFile, variants: 1, seed: 0 };
/// let inputs = vec!["../../fixtures/programs/problems/roman".into()];
/// let summary = transform::run(&Job::new(inputs, folder.clone(), order), &())?;
/// assert!(summary.changed > 0);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(job: &Job, watcher: &dyn Watcher) -> Result<Summary, WorkError> {
    let (items, skipped) = plan(job)?;
    if !job.is_forced && std::fs::read_dir(&job.output).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(TransformError::NotEmpty(job.output.clone()).into());
    }
    let programs = items.iter().filter(|item| item.is_program()).count() * job.order.variants;
    // How many variants there are is known when all inputs are files.
    let has_sets = items.iter().any(|item| matches!(item.work, Work::Rows(_)));
    watcher.tell(Event::Stage("rewriting", (!has_sets).then_some(programs)));
    let manifest = open_manifest(job)?;
    let project = project_of(job, &items);
    let shared = project.as_ref().map(|project| Shared::of(job, &items, project)).unwrap_or_default();
    let mut run = Rewriting {
        job,
        watcher,
        summary: Summary::default(),
        manifest,
        writers: BTreeMap::new(),
        project,
        shared,
        taken: Taken::default(),
    };
    match run.leave_out(&skipped).and_then(|()| run.all(&items)) {
        Ok(()) => Ok(run.summary),
        Err(error) => {
            run.leave_whole_lines();
            Err(error.into())
        }
    }
}

/// The words of all files if a folder is among the inputs; files named beside it belong to the project. Unreadable files are
/// reported later, in their turn.
fn project_of(job: &Job, items: &[Item]) -> Option<Arc<Project>> {
    if job.is_alone || !job.inputs.iter().any(|input| input.is_dir()) {
        return None;
    }
    Some(project_with(items, &BTreeMap::new()))
}

fn read_program(path: &Path) -> std::io::Result<Vec<u8>> {
    file::read_up_to(path, file::LARGEST_TEXT)
}

/// The project in which these files have other texts.
fn project_with(items: &[Item], texts: &BTreeMap<PathBuf, Vec<u8>>) -> Arc<Project> {
    let mut project = Project::default();
    for item in items {
        let text = texts.get(&item.path).cloned();
        if let Some(bytes) = text.or_else(|| read_program(&item.path).ok()) {
            project.add(&item.path, bytes);
        }
    }
    project.complete()
}

fn open_manifest(job: &Job) -> Result<Option<BufWriter<File>>, TransformError> {
    let Some(path) = &job.manifest else { return Ok(None) };
    let unwritable = |source| DataError::Unwritable { path: path.clone(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(unwritable)?;
    }
    Ok(Some(BufWriter::new(File::create(path).map_err(unwritable)?)))
}

/// An input file and what is done with it.
struct Item {
    path: PathBuf,
    /// Its place below the output.
    place: PathBuf,
    /// Is the output the place itself, rather than a folder that has it?
    is_lone: bool,
    work: Work,
}

enum Work {
    Program(Language),
    Rows(Format),
    Copy,
}

impl Item {
    fn is_program(&self) -> bool {
        matches!(self.work, Work::Program(_))
    }

    /// Where the variant with the number `variant` goes. With several variants each has a folder of its own.
    fn output(&self, job: &Job, variant: usize) -> PathBuf {
        let has_folders = job.order.variants > 1 && self.is_program();
        match (has_folders, self.is_lone) {
            (false, true) => job.output.clone(),
            (false, false) => job.output.join(&self.place),
            (true, _) => job.output.join(format!("variant-{variant}")).join(&self.place),
        }
    }
}

/// Lists the inputs in an order that does not depend on the file system.
fn plan(job: &Job) -> Result<(Vec<Item>, Vec<PathBuf>), TransformError> {
    let mut items = Vec::new();
    let mut skipped = Vec::new();
    let is_one_file = matches!(&job.inputs[..], [only] if only.is_file());
    let is_folder_wanted = job.output.is_dir() || job.output.as_os_str().to_string_lossy().ends_with(['/', '\\']);
    for input in &job.inputs {
        if !input.exists() {
            return Err(TransformError::NoInput(input.clone()));
        }
        refuse_nesting(input, &job.output)?;
        if input.is_dir() {
            let root = if job.inputs.len() == 1 { PathBuf::new() } else { folder_name(input) };
            let mut paths = Vec::new();
            walk(input, &PathBuf::new(), &mut paths, &mut skipped)?;
            for below in paths {
                let path = input.join(&below);
                let work = match (Language::from_path(&path), Format::of(&path)) {
                    _ if !is_wanted(&below, job) => Work::Copy,
                    (Some(language), _) => Work::Program(language),
                    (None, Some(format)) if has_programs(&path, format, job) => Work::Rows(format),
                    (None, _) => Work::Copy,
                };
                items.push(Item { path, place: root.join(&below), is_lone: false, work });
            }
        } else {
            let work = match (Format::of(input), Language::from_path(input).or(job.language)) {
                (Some(format), _) => Work::Rows(format),
                (None, Some(language)) => Work::Program(job.language.unwrap_or(language)),
                (None, None) => return Err(TransformError::NoLanguage(input.clone())),
            };
            let place = PathBuf::from(input.file_name().unwrap_or_default());
            items.push(Item { path: input.clone(), place, is_lone: is_one_file && !is_folder_wanted, work });
        }
    }
    let is_cpp = |item: &Item| matches!(item.work, Work::Program(Language::Cpp));
    if job.language == Some(Language::Cpp) || items.iter().any(is_cpp) {
        let is_header = |item: &Item| item.is_program() && item.path.extension().is_some_and(|ending| ending == "h");
        let is_c = |item: &Item| matches!(item.work, Work::Program(Language::C)) && !is_header(item);
        let has_c = items.iter().any(is_c);
        for item in items.iter_mut().filter(|item| is_header(item) && !job.inputs.contains(&item.path)) {
            item.work = Work::Program(language_of_header(&item.path, has_c));
        }
    }
    let mut places: Vec<PathBuf> = items.iter().map(|item| item.output(job, 1)).collect();
    places.sort();
    match places.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(TransformError::TwoInputs(pair[0].clone())),
        None => Ok((items, skipped)),
    }
}

/// Is a file of a folder to be rewritten?
fn is_wanted(below: &Path, job: &Job) -> bool {
    let is_one_of = |patterns: &[String]| patterns.iter().any(|pattern| glob::matches(pattern, below));
    (job.include.is_empty() || is_one_of(&job.include)) && !is_one_of(&job.exclude)
}

/// The language of a header in a project with C++ sources: C++, unless only C can read it. If there are C sources too, which may
/// include it, a header that reads as C, or that has a section for C++, is C.
fn language_of_header(path: &Path, has_c: bool) -> Language {
    let read = |language| Program::from_file(path, Some(language)).ok().filter(|program| !program.is_broken());
    let is_c = match (read(Language::C), read(Language::Cpp)) {
        (Some(_), None) => true,
        (Some(program), _) => has_c && (!program.lacks_parts() || program.text().contains("__cplusplus")),
        (None, _) => false,
    };
    if is_c { Language::C } else { Language::Cpp }
}

fn folder_name(folder: &Path) -> PathBuf {
    folder.canonicalize().ok().and_then(|path| path.file_name().map(PathBuf::from)).unwrap_or_default()
}

/// Within a folder a data set without programs is any other file.
fn has_programs(path: &Path, format: Format, job: &Job) -> bool {
    Reader::open(path, format, &job.columns).and_then(|mut reader| reader.next_row()).is_ok_and(|row| row.is_some())
}

/// Lists the files below a folder. Links to folders, which may lead back to where they came from, and links to nothing are
/// skipped.
fn walk(root: &Path, below: &Path, paths: &mut Vec<PathBuf>, skipped: &mut Vec<PathBuf>) -> Result<(), DataError> {
    let folder = root.join(below);
    let unreadable = |source| DataError::Unreadable { path: folder.clone(), source };
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?.file_name());
    }
    entries.sort();
    for name in entries {
        let below = below.join(name);
        let path = root.join(&below);
        let is_link = path.symlink_metadata().is_ok_and(|data| data.is_symlink());
        if path.is_dir() && !is_link {
            walk(root, &below, paths, skipped)?;
        } else if path.is_file() {
            paths.push(below);
        } else {
            skipped.push(path);
        }
    }
    Ok(())
}

fn refuse_nesting(input: &Path, output: &Path) -> Result<(), TransformError> {
    let Ok(input_place) = input.canonicalize() else { return Ok(()) };
    // The output need not exist yet; the folder that it will be in may not either.
    let absolute = std::path::absolute(output).unwrap_or_else(|_| output.to_owned());
    let existing = absolute.ancestors().find(|path| path.exists());
    let Some((existing, place)) = existing.and_then(|path| Some((path, path.canonicalize().ok()?))) else {
        return Ok(());
    };
    let output_place = match absolute.strip_prefix(existing) {
        Ok(rest) if !rest.as_os_str().is_empty() => place.join(rest),
        _ => place,
    };
    let is_inside = output_place.starts_with(&input_place);
    let holds_input = input_place.starts_with(&output_place) && (input.is_dir() || input_place == output_place);
    if is_inside || holds_input {
        return Err(TransformError::Nested { output: output.to_owned(), input: input.to_owned() });
    }
    Ok(())
}

/// A run on its way.
struct Rewriting<'j> {
    job: &'j Job,
    watcher: &'j dyn Watcher,
    summary: Summary,
    manifest: Option<BufWriter<File>>,
    /// The data sets that are being written, and how many rows they have, by the path of their input.
    writers: BTreeMap<PathBuf, (Writer, usize)>,
    /// What the files say to each other.
    project: Option<Arc<Project>>,
    /// The renames in several files.
    shared: Shared,
    taken: Taken,
}

/// Something that was read: what to write, and which targets it has.
enum Piece<'i> {
    Copy(&'i Item),
    /// A program that could not be read as one.
    Unreadable(&'i Item, String),
    Program(&'i Item),
    Row {
        item: &'i Item,
        number: usize,
        row: Row,
        targets: usize,
    },
}

#[derive(Default)]
struct Batch<'i> {
    pieces: Vec<Piece<'i>>,
    targets: Vec<Original>,
}

impl<'j> Rewriting<'j> {
    fn all(&mut self, items: &[Item]) -> Result<(), TransformError> {
        // Files that share a new name are written when all of them are made.
        if self.job.order.scope.is_drawn() || !self.shared.renames.is_empty() {
            self.whole(items)?;
        } else {
            self.piece_by_piece(items)?;
        }
        for (writer, _) in std::mem::take(&mut self.writers).into_values() {
            writer.finish()?;
        }
        self.flush()
    }

    fn leave_out(&mut self, skipped: &[PathBuf]) -> Result<(), TransformError> {
        for path in skipped {
            let problem = "is neither a file nor a folder of its own, and was left out";
            self.pass_through(&display(path), problem, "left out");
            self.record(&entry(display(path), None, None, 1, 0, Status::BrokenInput, Some(problem.to_owned())))?;
        }
        Ok(())
    }

    fn piece_by_piece(&mut self, items: &[Item]) -> Result<(), TransformError> {
        let mut batch = Batch::default();
        for item in items {
            match &item.work {
                Work::Copy | Work::Program(_) => {
                    self.read_file(item, &mut batch);
                    self.work_off(&mut batch, CHUNK)?;
                }
                Work::Rows(format) => {
                    self.work_off(&mut batch, 0)?;
                    let mut reader = self.open(item, *format)?;
                    let mut number = 0;
                    while !self.summary.is_interrupted
                        && let Some(row) = reader.next_row()?
                    {
                        number += 1;
                        self.read_row(item, number, row, &mut batch)?;
                        self.work_off(&mut batch, CHUNK)?;
                    }
                    self.work_off(&mut batch, 0)?;
                    if let Some((writer, _)) = self.writers.remove(&item.path) {
                        writer.finish()?;
                    }
                }
            }
            if self.summary.is_interrupted {
                return Ok(());
            }
        }
        self.work_off(&mut batch, 0)
    }

    fn whole(&mut self, items: &[Item]) -> Result<(), TransformError> {
        let mut batch = Batch::default();
        for item in items {
            match &item.work {
                Work::Copy | Work::Program(_) => self.read_file(item, &mut batch),
                Work::Rows(format) => {
                    let mut reader = self.open(item, *format)?;
                    let mut number = 0;
                    while let Some(row) = reader.next_row()? {
                        number += 1;
                        self.read_row(item, number, row, &mut batch)?;
                    }
                }
            }
        }
        self.work_off(&mut batch, 0)
    }

    fn open(&mut self, item: &Item, format: Format) -> Result<Reader, TransformError> {
        let reader = Reader::open(&item.path, format, &self.job.columns)?;
        let writer = Writer::create(&item.output(self.job, 1), &reader)?;
        self.writers.insert(item.path.clone(), (writer, 0));
        Ok(reader)
    }

    fn read_file<'i>(&mut self, item: &'i Item, batch: &mut Batch<'i>) {
        let Work::Program(language) = item.work else {
            batch.pieces.push(Piece::Copy(item));
            return;
        };
        match read_program(&item.path) {
            Err(error) => batch.pieces.push(Piece::Unreadable(item, error.to_string())),
            Ok(bytes) => {
                batch.pieces.push(Piece::Program(item));
                let id = item.place.to_string_lossy().replace('\\', "/");
                let surroundings = |project| Arc::new(Surroundings::of(project, &item.path, bytes.clone()));
                let surroundings = self.project.as_ref().map(surroundings);
                let beginnings = self.shared.beginnings.remove(&item.path).unwrap_or_default();
                batch.targets.push(Original { id, language, bytes, material: None, surroundings, beginnings });
            }
        }
    }

    fn read_row<'i>(
        &mut self,
        item: &'i Item,
        number: usize,
        row: Row,
        batch: &mut Batch<'i>,
    ) -> Result<(), TransformError> {
        let stem = item.path.file_name().and_then(|name| name.to_str()).unwrap_or("").split('.').next().unwrap_or("");
        let language = self.job.language.or(row.language).or_else(|| stem.parse().ok());
        let Some(language) = language.or(row.codes.is_empty().then_some(Language::Java)) else {
            return Err(TransformError::NoLanguage(item.path.clone()));
        };
        let key = row.key.clone().unwrap_or_else(|| (number - 1).to_string());
        let material = self.job.substitutes.get(&key);
        for code in &row.codes {
            let id = format!("{}:{number}#{}", item.place.to_string_lossy().replace('\\', "/"), code.field);
            let bytes = code.text.clone().into_bytes();
            let material = material.cloned();
            let beginnings = BTreeMap::new();
            batch.targets.push(Original { id, language, bytes, material, surroundings: None, beginnings });
        }
        batch.pieces.push(Piece::Row { item, number, targets: row.codes.len(), row });
        Ok(())
    }

    /// Makes the variants of what was read and writes them, when there is more than `at_most` of it.
    fn work_off(&mut self, batch: &mut Batch<'_>, at_most: usize) -> Result<(), TransformError> {
        if batch.pieces.len() <= at_most || self.summary.is_interrupted {
            return Ok(());
        }
        let Batch { pieces, targets } = std::mem::take(batch);
        let Some(variants) = vary(&targets, &self.job.order, &mut self.taken, self.watcher) else {
            self.summary.is_interrupted = true;
            return Ok(());
        };
        self.account_for_shared()?;
        let mut made = targets.iter().zip(variants);
        for piece in pieces {
            match piece {
                Piece::Copy(item) => self.copy(item)?,
                Piece::Unreadable(item, problem) => self.unreadable(item, &problem)?,
                Piece::Program(item) => {
                    let (target, variants) = made.next().expect("every program is a target");
                    self.write_program(item, target, variants)?;
                }
                Piece::Row { item, number, row, targets } => {
                    let made: Vec<(&Original, Vec<Variant>)> = made.by_ref().take(targets).collect();
                    self.write_row(item, number, &row, made)?;
                }
            }
        }
        self.summary.is_interrupted |= self.watcher.should_stop();
        self.flush()
    }

    /// Counts the renames in several files and puts them into the manifest, before the files that they change.
    fn account_for_shared(&mut self) -> Result<(), TransformError> {
        let (renames, tally) = (std::mem::take(&mut self.shared.renames), std::mem::take(&mut self.shared.tally));
        if tally != Tally::default() {
            self.summary.tallies.entry(TRANSFORMATION).or_default().add(tally);
        }
        self.summary.steps += renames.len();
        self.summary.shared += renames.len();
        renames.iter().try_for_each(|rename| self.record(rename))
    }

    fn copy(&mut self, item: &Item) -> Result<(), TransformError> {
        let output = item.output(self.job, 1);
        let bytes = match std::fs::read(&item.path) {
            Ok(bytes) => bytes,
            Err(error) => return self.unreadable(item, &error.to_string()),
        };
        write_file(&output, &bytes)?;
        keep_mode(&item.path, &output);
        self.summary.copied += 1;
        self.record(&Entry {
            language: None,
            ..entry(display(&item.path), Some(display(&output)), None, 1, 0, Status::Copied, None)
        })
    }

    fn unreadable(&mut self, item: &Item, problem: &str) -> Result<(), TransformError> {
        self.summary.inputs += 1;
        self.pass_through(&display(&item.path), &format!("cannot be read: {problem}"), "cannot be read");
        let reason = Some(format!("cannot be read: {problem}"));
        self.record(&entry(display(&item.path), None, None, 1, 0, Status::BrokenInput, reason))
    }

    fn write_program(&mut self, item: &Item, target: &Original, variants: Vec<Variant>) -> Result<(), TransformError> {
        self.summary.inputs += 1;
        for (index, variant) in variants.into_iter().enumerate() {
            let output = item.output(self.job, index + 1);
            let is_written = !self.job.only_changed || variant.bytes != target.bytes;
            if is_written {
                write_file(&output, &variant.bytes)?;
                keep_mode(&item.path, &output);
            }
            let output = is_written.then(|| display(&output));
            self.account(display(&item.path), output, target, index + 1, &variant)?;
        }
        Ok(())
    }

    fn write_row(
        &mut self,
        item: &Item,
        number: usize,
        row: &Row,
        made: Vec<(&Original, Vec<Variant>)>,
    ) -> Result<(), TransformError> {
        self.summary.inputs += made.len().max(1);
        let input = format!("{}:{number}", display(&item.path));
        let output = display(&item.output(self.job, 1));
        if let Some(problem) = &row.problem {
            self.pass_through(&input, problem, "a row without a program");
        }
        for index in 0..self.job.order.variants {
            let variants: Vec<&Variant> = made.iter().map(|(_, variants)| &variants[index]).collect();
            let texts: Vec<&str> =
                variants.iter().map(|variant| std::str::from_utf8(&variant.bytes).expect("text stays text")).collect();
            let is_changed = made.iter().zip(&variants).any(|((target, _), variant)| target.bytes != variant.bytes);
            let is_written = if row.codes.is_empty() {
                index == 0 && !self.job.only_changed
            } else {
                is_changed || !self.job.only_changed
            };
            let written = match is_written {
                false => None,
                true => {
                    let (writer, rows) = self.writers.get_mut(&item.path).expect("the data set has been opened");
                    writer.write(row, &texts)?;
                    *rows += 1;
                    Some(format!("{output}:{rows}"))
                }
            };
            let place = |field: &str| written.as_ref().map(|written| format!("{written}#{field}"));
            if row.codes.is_empty() && index == 0 {
                let reason = row.problem.clone();
                self.record(&entry(input.clone(), written.clone(), None, 1, 0, Status::BrokenInput, reason))?;
            }
            for ((target, _), (code, variant)) in made.iter().zip(row.codes.iter().zip(&variants)) {
                let input = format!("{input}#{}", code.field);
                self.account(input, place(&code.field), target, index + 1, variant)?;
            }
        }
        Ok(())
    }

    /// Counts a variant and puts it into the manifest.
    fn account(
        &mut self,
        input: String,
        output: Option<String>,
        target: &Original,
        number: usize,
        variant: &Variant,
    ) -> Result<(), TransformError> {
        for (name, tally) in &variant.tallies {
            self.summary.tallies.entry(name).or_default().add(*tally);
        }
        self.summary.steps += variant.steps.iter().filter(|step| !step.is_shared).count();
        self.summary.unreached += variant.unreached;
        self.summary.short += usize::from(variant.unreached > 0);
        let (status, reason) = match variant.broken_at {
            Some((line, column)) => {
                let reason = format!("does not parse as {} at line {line}, column {column}", target.language);
                if number == 1 {
                    self.pass_through(&input, &reason, "does not parse cleanly");
                }
                (Status::BrokenInput, Some(reason))
            }
            None if variant.bytes != target.bytes => {
                self.summary.changed += 1;
                (Status::Changed, None)
            }
            None => {
                let reason = match variant.steps.is_empty() {
                    true => "no selected transformation has a site",
                    false => "the rewrites lead back to the input",
                };
                *self.summary.unchanged.entry(reason).or_default() += 1;
                (Status::Unchanged, Some(reason.to_owned()))
            }
        };
        let entry = entry(input, output, Some(target.language), number, variant.seed, status, reason);
        let (steps, unreached) = (variant.steps.clone(), variant.unreached);
        self.record(&Entry { in_project: target.surroundings.is_some(), steps, unreached, ..entry })
    }

    fn pass_through(&mut self, input: &str, problem: &str, reason: &str) {
        *self.summary.passed_through.entry(reason.to_owned()).or_default() += 1;
        self.summary.warnings.push(format!("{input}: {problem}"));
    }

    fn record(&mut self, line: &impl Serialize) -> Result<(), TransformError> {
        if let Some(manifest) = &mut self.manifest {
            manifest::write_line(manifest, line).map_err(|source| self.unwritable(source))?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), TransformError> {
        if let Some(manifest) = &mut self.manifest {
            manifest.flush().map_err(|source| self.unwritable(source))?;
        }
        Ok(())
    }

    /// A full disk cuts the last line of the manifest off. What stands before it can be done again.
    fn leave_whole_lines(&mut self) {
        let (Some(mut manifest), Some(path)) = (self.manifest.take(), &self.job.manifest) else { return };
        // The run has failed already, and its first reason is the one to tell.
        let _ = manifest.flush();
        let (file, _) = manifest.into_parts();
        if let Ok(text) = std::fs::read(path) {
            let _ = file.set_len(whole_lines(&text) as u64);
        }
    }

    fn unwritable(&self, source: std::io::Error) -> TransformError {
        DataError::Unwritable { path: self.job.manifest.clone().unwrap_or_default(), source }.into()
    }
}

/// Gives a file the permissions of its original: a script of a project stays one that can be run. Where that fails, the file is there
/// all the same.
fn keep_mode(original: &Path, copy: &Path) {
    if let (Ok(original), true) = (original.metadata(), copy.is_file()) {
        let _ = std::fs::set_permissions(copy, original.permissions());
    }
}

fn display(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn entry(
    input: String,
    output: Option<String>,
    language: Option<Language>,
    variant: usize,
    seed: u64,
    status: Status,
    reason: Option<String>,
) -> Entry {
    let language = language.map(|language| language.name().to_owned());
    let parse = matches!(status, Status::Changed | Status::Unchanged);
    Entry {
        input,
        output,
        language,
        variant,
        seed,
        in_project: false,
        steps: Vec::new(),
        status,
        reason,
        unreached: 0,
        verdicts: Verdicts::parsed(parse),
    }
}

/// An original and its variant.
pub struct Pair {
    /// The program that was read.
    pub original: Vec<u8>,
    /// What it became.
    pub variant: Vec<u8>,
}

/// The original and the variant of every entry that has both, by doing the steps of a manifest again.
pub fn outputs_of(entries: &[Entry]) -> Result<Vec<Option<Pair>>, TransformError> {
    let mut sets: BTreeMap<String, BTreeMap<(usize, String), String>> = BTreeMap::new();
    for entry in entries {
        if let Some((set, number, Some(field))) = split_place(&entry.input) {
            let wanted = sets.entry(set.to_owned()).or_default();
            wanted.insert((number, field.to_owned()), String::new());
        }
    }
    for (set, wanted) in &mut sets {
        read_codes(Path::new(set), wanted)?;
    }
    let pair = |entry: &Entry| -> Result<Option<Pair>, TransformError> {
        if entry.language.is_none() || entry.status == Status::BrokenInput {
            return Ok(None);
        }
        let original = match split_place(&entry.input) {
            Some((set, number, Some(field))) => {
                let code = sets.get(set).and_then(|codes| codes.get(&(number, field.to_owned())));
                code.map_or_else(Vec::new, |code| code.clone().into_bytes())
            }
            _ => {
                let path = Path::new(&entry.input);
                read_program(path).map_err(|source| DataError::Unreadable { path: path.to_owned(), source })?
            }
        };
        let variant = rewritten(entry, original.clone())?;
        Ok(Some(Pair { original, variant }))
    };
    entries.iter().map(pair).collect()
}

/// Reads the programs at the wanted places of a data set.
fn read_codes(set: &Path, wanted: &mut BTreeMap<(usize, String), String>) -> Result<(), TransformError> {
    let columns: Vec<String> =
        wanted.keys().map(|(_, field)| field.clone()).collect::<BTreeSet<_>>().into_iter().collect();
    let Some(format) = Format::of(set) else { return Ok(()) };
    let mut reader = Reader::open(set, format, &columns)?;
    let mut number = 0;
    while let Some(row) = reader.next_row()? {
        number += 1;
        for code in row.codes {
            if let Some(text) = wanted.get_mut(&(number, code.field)) {
                *text = code.text;
            }
        }
    }
    Ok(())
}

/// Does the steps of a manifest again and writes the same bytes, to the same places or below `output`. Gives the number of
/// variants.
pub fn replay(path: &Path, output: Option<&Path>) -> Result<usize, TransformError> {
    let Manifest { shared, entries } = manifest::read(path)?;
    let mut done = 0;
    // Files that share a new name are written when all of them are made.
    let mut files = Vec::new();
    let mut rest = &entries[..];
    while let Some(entry) = rest.first() {
        match split_place(&entry.input) {
            None => {
                files.extend(replay_file(entry, output)?);
                if shared.is_empty() {
                    done += write_files(&mut files)?;
                }
                rest = &rest[1..];
            }
            Some((set, _, _)) => {
                let count = rest
                    .iter()
                    .take_while(|entry| split_place(&entry.input).is_some_and(|(other, _, _)| other == set))
                    .count();
                done += replay_rows(Path::new(set), &rest[..count], output)?;
                rest = &rest[count..];
            }
        }
    }
    Ok(done + write_files(&mut files)?)
}

/// Writes files, and gives their number.
fn write_files(files: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<usize, TransformError> {
    for (place, bytes) in files.iter() {
        write_file(place, bytes)?;
    }
    Ok(files.drain(..).count())
}

/// Takes `a.jsonl:3#func` apart; `None` for the path of a file.
fn split_place(place: &str) -> Option<(&str, usize, Option<&str>)> {
    let (path, row) = place.rsplit_once(':')?;
    Format::of(Path::new(path))?;
    let (number, field) = match row.split_once('#') {
        Some((number, field)) => (number, Some(field)),
        None => (row, None),
    };
    Some((path, number.parse().ok()?, field))
}

/// The place of an output, or the same place below another folder or file.
fn redirected(place: &str, output: Option<&Path>) -> PathBuf {
    match output {
        None => PathBuf::from(place),
        Some(output) if output.is_dir() || output.as_os_str().to_string_lossy().ends_with('/') => {
            let relative: PathBuf =
                Path::new(place).components().filter(|part| matches!(part, std::path::Component::Normal(_))).collect();
            output.join(relative)
        }
        Some(output) => output.to_owned(),
    }
}

/// The place and the bytes of an entry's output, if it has one.
fn replay_file(entry: &Entry, output: Option<&Path>) -> Result<Option<(PathBuf, Vec<u8>)>, TransformError> {
    let Some(place) = &entry.output else { return Ok(None) };
    let input = Path::new(&entry.input);
    let bytes = read_program(input).map_err(|source| DataError::Unreadable { path: input.to_owned(), source })?;
    Ok(Some((redirected(place, output), rewritten(entry, bytes)?)))
}

fn rewritten(entry: &Entry, bytes: Vec<u8>) -> Result<Vec<u8>, TransformError> {
    let Some(language) = &entry.language else { return Ok(bytes) };
    let mismatch = |problem: String| TransformError::Mismatch { input: entry.input.clone(), problem };
    let language: Language = language.parse().map_err(|error| mismatch(format!("{error}")))?;
    entry.again(language, bytes).map_err(|refusal| TransformError::Replay { input: entry.input.clone(), refusal })
}

fn replay_rows(set: &Path, entries: &[Entry], output: Option<&Path>) -> Result<usize, TransformError> {
    let mismatch = |entry: &Entry, problem: &str| TransformError::Mismatch {
        input: entry.input.clone(),
        problem: problem.to_owned(),
    };
    let places: Vec<(usize, Option<&str>)> = entries
        .iter()
        .filter_map(|entry| split_place(&entry.input))
        .map(|(_, number, field)| (number, field))
        .collect();
    let mut columns: Vec<String> = Vec::new();
    for field in places.iter().filter_map(|(_, field)| *field) {
        if !columns.iter().any(|column| column == field) {
            columns.push(field.to_owned());
        }
    }
    let format = Format::of(set).ok_or_else(|| mismatch(&entries[0], "it is not a data set"))?;
    let mut reader = Reader::open(set, format, &columns)?;
    let written = entries.iter().find_map(|entry| entry.output.as_deref().and_then(split_place));
    // A manifest in which every row was left out leads to an empty data set, whose place it does not tell.
    let Some((place, _, _)) = written else { return Ok(0) };
    let mut writer = Writer::create(&redirected(place, output), &reader)?;
    let (mut number, mut done, mut next) = (0, 0, 0);
    while next < entries.len() {
        let Some(row) = reader.next_row()? else { return Err(mismatch(&entries[next], "the data set has fewer rows")) };
        number += 1;
        while next < entries.len() && places[next].0 == number {
            let group = entries[next..].iter().take(row.codes.len().max(1)).collect::<Vec<_>>();
            let mut texts = Vec::new();
            for (entry, code) in group.iter().zip(&row.codes) {
                let bytes = rewritten(entry, code.text.clone().into_bytes())?;
                texts.push(String::from_utf8(bytes).map_err(|_| mismatch(entry, "the result is not UTF-8"))?);
            }
            if group.iter().any(|entry| entry.output.is_some()) {
                writer.write(&row, &texts.iter().map(String::as_str).collect::<Vec<_>>())?;
                done += 1;
            }
            next += group.len();
        }
    }
    writer.finish()?;
    Ok(done)
}
