//! A folder for one program, which goes when nobody needs it any more.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A new folder among the temporary files, removed with all it holds when dropped.
pub(super) struct Folder {
    path: PathBuf,
}

static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Folder {
    pub(super) fn new() -> io::Result<Folder> {
        let parent = std::env::temp_dir();
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("allotrope-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                // The sandbox names folders by where they really are.
                Ok(()) => return Ok(Folder { path: path.canonicalize()? }),
                // An earlier process with this number has not tidied up.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        std::fs::write(&path, bytes)?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is among the temporary files, where the system tidies up one day.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
