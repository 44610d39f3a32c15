//! A folder of programs whose labels are the names of the folders in it, as POJ-104 comes: `ProgramData/1/0.txt`.
//!
//! ```text
//! authors/anne/a.py
//! authors/anne/old/b.py
//! authors/bob/c.py
//! ```
//!
//! Files with the endings of our languages are programs; where there are none, those that end in `.txt` or in nothing. Programs
//! beside the labels' folders are broken rows. A folder without folders has programs without labels. Bytes that are not UTF-8 are
//! read as Latin-1, as CodeXGLUE does. What a program is run on stands in a file beside it with the same name and the ending `.json`, or in
//! a `problem.json` one or two folders above, see `tasks.rs`; a file of such a name that holds no cases is taken for something else.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use equivalence::Case;
use syntax::{Language, file};

use super::{Layout, Shape};
use crate::data::DataError;
use crate::examples::place::entries_of;
use crate::examples::task::{InputKind, TruthKind};
use crate::examples::{Draft, Gathered, Loose, Request, Task};
use crate::tasks::{case_file, cases_of};

pub(super) const LAYOUT: Layout = Layout {
    name: "folder",
    place: "folder",
    about: "programs in folders that have the names of labels, or programs without labels",
    tasks: &[Task::Functionality, Task::Authorship, Task::Vulnerability, Task::Defect, Task::Unlabelled],
    shape: Shape::Whole(read),
};

fn read(root: &Path, task: Task, request: &Request) -> Result<Gathered, DataError> {
    let unfit = |problem: &str| DataError::Unfit { place: root.display().to_string(), problem: problem.to_owned() };
    if !root.is_dir() {
        return Err(unfit("it is not a folder"));
    }
    let mut files = Vec::new();
    list(root, &mut files)?;
    let is_program = |path: &PathBuf| Language::from_path(path).is_some();
    let is_text = |path: &PathBuf| path.extension().is_none_or(|ending| ending == "txt");
    let has_programs = files.iter().any(is_program);
    files.retain(|path| if has_programs { is_program(path) } else { is_text(path) });
    let are_labelled = files.iter().any(|path| label_of(root, path).is_some());
    if task.input() != InputKind::Code {
        return Err(unfit("a folder of programs has no pairs and no texts"));
    }
    if !are_labelled && request.task.is_some_and(|task| task.truth() == TruthKind::Class) {
        return Err(unfit("there are no folders in it whose names could be labels"));
    }
    let mut gathered = Gathered::new("file");
    // A file of cases serves many programs.
    let mut known: HashMap<PathBuf, Vec<Case>> = HashMap::new();
    for path in files {
        gathered.rows += 1;
        let key = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let bytes = file::read_up_to(&path, file::LARGEST_TEXT)
            .map_err(|source| DataError::Unreadable { path: path.clone(), source })?;
        let text = String::from_utf8(bytes).unwrap_or_else(|error| latin(error.as_bytes()));
        let truth = match label_of(root, &path) {
            _ if task == Task::Unlabelled || !are_labelled => Loose::Unknown,
            Some(label) => Loose::Label(label),
            None => {
                gathered.broken.add(&key, "it lies beside the folders that are labels");
                continue;
            }
        };
        if text.trim().is_empty() {
            gathered.broken.add(&key, "it is empty");
            continue;
        }
        let language = Language::from_path(&path);
        let cases = case_file(&path).map(|file| {
            let read = |file: &PathBuf| cases_of(file).unwrap_or_default();
            known.entry(file).or_insert_with_key(read).clone()
        });
        let cases = cases.unwrap_or_default();
        gathered.add(key, Draft { codes: vec![(text, language)], truth, cases, ..Draft::default() });
    }
    if gathered.rows == 0 {
        return Err(DataError::NoLayout {
            path: root.to_owned(),
            found: "there are no programs and no tables in it".to_owned(),
        });
    }
    Ok(gathered)
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), DataError> {
    for path in entries_of(folder)? {
        // A link may lead back up.
        if path.is_dir() && !path.is_symlink() {
            list(&path, files)?;
        } else if path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

/// The first folder on the way to a file.
fn label_of(root: &Path, path: &Path) -> Option<String> {
    let mut parts = path.strip_prefix(root).ok()?.components();
    let first = parts.next()?;
    parts.next()?;
    Some(first.as_os_str().to_string_lossy().into_owned())
}

fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}
