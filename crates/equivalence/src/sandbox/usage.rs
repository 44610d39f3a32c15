//! Total memory of a program's processes and the size of its folder, which no resource limit bounds.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The maximum number of files in a folder.
const MOST_FILES: usize = 20_000;

/// The memory of all descendants of a process, in bytes. Processes with our own executable are left out: the supervisor and its
/// children share our memory until they execute the program.
pub(super) fn memory_of_descendants(root: u32) -> u64 {
    let own = std::fs::read_link("/proc/self/exe").ok();
    let mut seen = HashSet::from([root]);
    let mut left = vec![root];
    let mut sum = 0;
    while let Some(process) = left.pop() {
        let place = PathBuf::from(format!("/proc/{process}"));
        if std::fs::read_link(place.join("exe")).ok() != own {
            sum += memory_of(&place);
        }
        for thread in std::fs::read_dir(place.join("task")).into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            left.extend(
                children.split_whitespace().filter_map(|child| child.parse().ok()).filter(|child| seen.insert(*child)),
            );
        }
    }
    sum
}

/// The proportional memory of a process or, if that is not readable, its private memory.
fn memory_of(place: &Path) -> u64 {
    let shares = std::fs::read_to_string(place.join("smaps_rollup")).unwrap_or_default();
    let share = shares
        .lines()
        .find_map(|line| line.strip_prefix("Pss:")?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    if let Some(kilobytes) = share {
        return kilobytes << 10;
    }
    const PAGE: u64 = 4096;
    let pages = std::fs::read_to_string(place.join("statm")).unwrap_or_default();
    let mut pages = pages.split_whitespace().skip(1).map_while(|number| number.parse::<u64>().ok());
    let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    resident.saturating_sub(shared) * PAGE
}

/// The total size of the files in a folder; `u64::MAX` if there are too many files.
pub(super) fn bytes_in(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let mut left = vec![folder.to_owned()];
    let (mut bytes, mut files) = (0, 0);
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            files += 1;
            if files > MOST_FILES {
                return u64::MAX;
            }
            let Ok(about) = entry.metadata() else { continue };
            // Sparse files occupy less than their length.
            bytes += about.blocks() * 512;
            if about.is_dir() {
                left.push(entry.path());
            }
        }
    }
    bytes
}
