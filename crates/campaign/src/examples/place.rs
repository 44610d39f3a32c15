//! Where in a folder the examples lie: the file of a split, or the folder itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::layouts::{function_table, is_pair_file, is_split_file};
use super::{Request, Task};
use crate::data::DataError;
use crate::data::records::is_table;

/// Files that accompany a data set and are none themselves, by the beginning of their names.
const COMPANIONS: [&str; 4] = ["alert_substitutes", "support", "tests", "reference"];

/// The file or folder that is asked for, and what a user should know about the choice.
pub(super) fn locate(request: &Request) -> Result<(PathBuf, Vec<String>), DataError> {
    let path = &request.path;
    let unreadable = |source| DataError::Unreadable { path: path.clone(), source };
    if !std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        if let Some(split) = &request.split {
            let problem = format!("it is a file, and has no split `{split}`: name its folder, or leave --split out");
            return Err(DataError::Unfit { place: path.display().to_string(), problem });
        }
        return Ok((path.clone(), Vec::new()));
    }
    let wants_folder = request.layout.as_deref() == Some("folder");
    let files = if wants_folder { BTreeMap::new() } else { files_of(path, request)? };
    let splits = if files.is_empty() { folders_of(path)? } else { files };
    let known = splits.keys().cloned().collect::<Vec<_>>().join(", ");
    let chosen = match (&request.split, splits.len()) {
        (Some(split), _) => splits.get(split).ok_or_else(|| DataError::Unfit {
            place: path.display().to_string(),
            problem: match known.is_empty() {
                true => format!("there is no split `{split}`"),
                false => format!("there is no split `{split}`; there are {known}"),
            },
        })?,
        // A folder of programs, with labels for folders or without.
        (None, 0) => return Ok((path.clone(), Vec::new())),
        (None, 1) => splits.values().next().unwrap_or(path),
        (None, _) => splits.get("test").ok_or_else(|| DataError::Unfit {
            place: path.display().to_string(),
            problem: format!("it holds several files: choose one with --split; there are {known}"),
        })?,
    };
    let is_silent = request.split.is_some() || splits.len() == 1;
    let note = format!("the split `test` was taken of {known}; --split names another");
    Ok((chosen.clone(), if is_silent { Vec::new() } else { vec![note] }))
}

/// The file with ALERT's substitutes for a split, when it lies beside it.
pub(super) fn substitutes_beside(path: &Path) -> Option<PathBuf> {
    let stem = stem_of(path)?;
    let beside = |ending: &str| path.with_file_name(format!("alert_substitutes_{stem}{ending}"));
    [".jsonl.gz", ".jsonl"].into_iter().map(beside).find(|file| path.is_file() && file.is_file())
}

/// The name of a file without its endings.
fn stem_of(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()?.split('.').next()
}

/// The files with examples in a folder, by their names without endings. Pairs hide the table of their functions, unless the task
/// is not about pairs.
fn files_of(folder: &Path, request: &Request) -> Result<BTreeMap<String, PathBuf>, DataError> {
    let entries = entries_of(folder)?;
    let table = function_table(folder);
    let wants_pairs = request.task.is_none_or(|task| task == Task::Clone) && !request.columns.is_named();
    if wants_pairs && table.is_some() {
        let mut pairs = BTreeMap::new();
        for path in &entries {
            if is_pair_file(path)? {
                pairs.extend(stem_of(path).map(|stem| (stem.to_owned(), path.clone())));
            }
        }
        if !pairs.is_empty() {
            return Ok(pairs);
        }
    }
    let mut files = BTreeMap::new();
    for path in entries {
        let Some(stem) = stem_of(&path) else { continue };
        let is_companion = COMPANIONS.iter().any(|name| stem.starts_with(name));
        if path.is_file() && !is_companion && (is_table(&path) || is_split_file(&path)?) {
            files.insert(stem.to_owned(), path);
        }
    }
    Ok(files)
}

/// The folders of a folder, when they all have the names of splits.
fn folders_of(folder: &Path) -> Result<BTreeMap<String, PathBuf>, DataError> {
    const SPLITS: [&str; 6] = ["train", "training", "valid", "validation", "dev", "test"];
    let folders = entries_of(folder)?.into_iter().filter(|path| path.is_dir());
    let named: BTreeMap<String, PathBuf> =
        folders.filter_map(|path| Some((path.file_name()?.to_str()?.to_owned(), path))).collect();
    let are_splits = named.keys().all(|name| SPLITS.contains(&name.as_str()));
    Ok(if are_splits { named } else { BTreeMap::new() })
}

/// What lies in a folder, in order. Hidden files are no data.
pub(super) fn entries_of(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let unreadable = |source| DataError::Unreadable { path: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !name.starts_with('.') {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
