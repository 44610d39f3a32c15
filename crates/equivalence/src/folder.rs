//! Temporary folders for programs, removed when dropped.
//!
//! All folders of a process are in one parent folder. A file beside the parent is locked while the process lives, so the next
//! process can tell and remove what a killed one left behind.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};

/// A temporary folder, removed with its contents when dropped.
pub struct Folder {
    path: PathBuf,
    _home: Arc<Home>,
}

impl Folder {
    /// Creates a folder.
    pub fn new() -> io::Result<Folder> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let home = Home::of_this_process()?;
        let path = home.path.join(COUNT.fetch_add(1, Ordering::Relaxed).to_string());
        std::fs::create_dir(&path)?;
        Ok(Folder { path, _home: home })
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file into the folder.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        std::fs::write(&path, bytes)?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The next process removes what cannot be removed now.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Removes all folders of this process before it exits immediately.
pub fn remove_folders() {
    let home = home();
    if let Some(home) = home.upgrade() {
        home.remove();
        // Nobody has to remove it again, and this thread could not: it holds what that waits for.
        std::mem::forget(home);
    }
    std::mem::forget(home);
}

/// The parent folder of a process, and the file that is locked while the process lives.
struct Home {
    path: PathBuf,
    lock_path: PathBuf,
    _lock: File,
}

static HOME: Mutex<Weak<Home>> = Mutex::new(Weak::new());

fn home() -> MutexGuard<'static, Weak<Home>> {
    HOME.lock().unwrap_or_else(PoisonError::into_inner)
}

const PREFIX: &str = "allotrope-sandbox-";
const SUFFIX: &str = ".lock";

impl Home {
    fn of_this_process() -> io::Result<Arc<Home>> {
        static TIDY: Once = Once::new();
        TIDY.call_once(|| remove_leftovers(&std::env::temp_dir()));
        let mut known = home();
        if let Some(home) = known.upgrade() {
            return Ok(home);
        }
        let home = Arc::new(Home::new(&std::env::temp_dir())?);
        *known = Arc::downgrade(&home);
        Ok(home)
    }

    fn new(parent: &Path) -> io::Result<Home> {
        // The sandbox needs the canonical path.
        let parent = parent.canonicalize()?;
        for number in 0.. {
            let name = format!("{PREFIX}{}-{number}", std::process::id());
            let lock_path = parent.join(format!("{name}{SUFFIX}"));
            let lock = match File::create_new(&lock_path) {
                Ok(lock) => lock,
                // It belongs to a process with the same id in another container, or to one that was just killed.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            lock.try_lock().map_err(|error| match error {
                TryLockError::Error(error) => error,
                TryLockError::WouldBlock => io::ErrorKind::WouldBlock.into(),
            })?;
            let path = parent.join(&name);
            std::fs::create_dir(&path)?;
            return Ok(Home { path, lock_path, _lock: lock });
        }
        unreachable!("numbers do not end")
    }

    fn remove(&self) {
        let _ = std::fs::remove_dir_all(&self.path);
        let _ = std::fs::remove_file(&self.lock_path);
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // A process that ends at once waits until this is done: otherwise it could leave the half that is not removed yet.
        let _known = home();
        self.remove();
    }
}

/// Removes the folders of dead processes: those whose lock is free.
fn remove_leftovers(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) =
            name.to_str().filter(|name| name.starts_with(PREFIX)).and_then(|name| name.strip_suffix(SUFFIX))
        else {
            continue;
        };
        let Ok(lock) = File::open(entry.path()) else { continue };
        if lock.try_lock().is_ok() {
            let _ = std::fs::remove_dir_all(parent.join(name));
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_process_left_is_removed_and_what_a_living_one_needs_is_not() {
        let folder = Folder::new().unwrap();
        let parent = folder.path().to_owned();
        let living = Home::new(&parent).unwrap();
        std::fs::write(living.path.join("needed"), "").unwrap();
        std::fs::write(parent.join("allotrope-sandbox-1-0.lock"), "").unwrap();
        std::fs::create_dir_all(parent.join("allotrope-sandbox-1-0/7")).unwrap();
        std::fs::write(parent.join("allotrope-sandbox-1-0/7/main"), "").unwrap();
        std::fs::write(parent.join("something-else.lock"), "").unwrap();
        remove_leftovers(&parent);
        let mut names: Vec<String> = std::fs::read_dir(&parent)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.contains(&std::process::id().to_string()))
            .collect();
        names.sort();
        assert_eq!(names, ["something-else.lock"]);
        assert!(living.path.join("needed").exists());
        let path = living.path.clone();
        drop(living);
        assert!(!path.exists());
    }
}
