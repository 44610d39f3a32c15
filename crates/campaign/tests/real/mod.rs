//! The real data sets, which are not part of the project.

use std::path::{Path, PathBuf};

/// The folder with the real data sets; `None`, after one clear line, when it is not there.
pub fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("ALLOTROPE_DATA").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: there are no data sets in {} (ALLOTROPE_DATA names their folder)", folder.display());
    None
}
