//! Files that are complete or absent, whenever the program is stopped.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A file that is written beside its place and moved there when it is complete. One that is dropped before leaves nothing. What is
/// not an ordinary file, such as a pipe, is written as it is.
pub struct CompleteFile {
    path: PathBuf,
    file: File,
    /// The name that an ordinary file has until it is complete.
    partial: Option<PathBuf>,
}

impl CompleteFile {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<CompleteFile> {
        let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
            return Err(Error::new(ErrorKind::IsADirectory, "it is a folder: name a file in it"));
        };
        let is_special = path.metadata().is_ok_and(|data| !data.is_file());
        // A symbolic link stays, and its target is replaced.
        if path.is_symlink() && !is_special {
            let target = path.parent().unwrap_or(Path::new("")).join(std::fs::read_link(path)?);
            let target = target.canonicalize().unwrap_or(target);
            if !target.is_symlink() {
                return CompleteFile::create(&target);
            }
        }
        let mut name = name.to_owned();
        name.push(".partial");
        let partial = (!is_special).then(|| path.with_file_name(name));
        let Some(partial) = partial else {
            // Opening a pipe waits for its reader.
            return Ok(CompleteFile { path: path.to_owned(), file: File::create(path)?, partial });
        };
        let mut files = self::partial();
        let file = File::create(&partial)?;
        files.insert(partial.clone());
        let partial = Some(partial);
        Ok(CompleteFile { path: path.to_owned(), file, partial })
    }

    /// Moves the file to its place. It is not forced to the disk first: what is lost with the power can be written again.
    pub fn finish(mut self) -> Result<()> {
        if let Some(partial) = &self.partial {
            let mut files = self::partial();
            std::fs::rename(partial, &self.path)?;
            files.remove(partial);
        }
        self.partial = None;
        Ok(())
    }
}

impl Write for CompleteFile {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
}

impl Drop for CompleteFile {
    fn drop(&mut self) {
        // A full disk or a stop leaves a piece of it.
        if let Some(partial) = &self.partial {
            let _ = std::fs::remove_file(partial);
            self::partial().remove(partial);
        }
    }
}

/// Writes a whole file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = CompleteFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Removes all partial files, and blocks every thread that would begin or complete another, before the process ends at once.
pub fn remove_partial_files() {
    let files = partial();
    for file in files.iter() {
        let _ = std::fs::remove_file(file);
    }
    std::mem::forget(files);
}

/// The files that are begun and not complete.
static PARTIAL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn partial() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PARTIAL.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_ordinary_file_is_written_and_stays_what_it_is() {
        use std::os::unix::fs::FileTypeExt;
        let folder = std::env::temp_dir().join(format!("allotrope-special-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (pipe, link) = (folder.join("pipe"), folder.join("link"));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::os::unix::fs::symlink("pipe", &link).unwrap();
        for path in [&pipe, &link] {
            let reader = std::thread::spawn({
                let pipe = pipe.clone();
                move || std::fs::read(pipe).unwrap()
            });
            write(path, b"through").unwrap();
            assert_eq!(reader.join().unwrap(), b"through");
            assert!(pipe.symlink_metadata().unwrap().file_type().is_fifo() && link.is_symlink());
        }
        // A device is written to as well.
        write(Path::new("/dev/null"), b"nothing").unwrap();
        assert!(Path::new("/dev/null").metadata().unwrap().file_type().is_char_device());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_is_complete_or_absent() {
        let folder = std::env::temp_dir().join(format!("allotrope-complete-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let names = || -> Vec<_> {
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        let path = folder.join("a.txt");
        let mut file = CompleteFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(names(), ["a.txt.partial"]);
        drop(file);
        assert!(names().is_empty());
        write(&path, b"all").unwrap();
        assert_eq!((names(), std::fs::read(&path).unwrap()), (vec!["a.txt".to_owned()], b"all".to_vec()));
        // What a link leads to is written, and the link stays.
        let link = folder.join("link.txt");
        std::os::unix::fs::symlink("a.txt", &link).unwrap();
        write(&link, b"more").unwrap();
        assert!(link.is_symlink() && std::fs::read(&path).unwrap() == b"more");
        std::fs::remove_file(&path).unwrap();
        write(&link, b"again").unwrap();
        assert!(link.is_symlink() && std::fs::read(&path).unwrap() == b"again");
        assert!(write(&folder, b"").unwrap_err().to_string().contains("it is a folder"));
        assert!(write(&folder.join("none/a.txt"), b"").is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
