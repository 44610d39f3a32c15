//! The file of metrics: one JSON object per line, at a fixed number of steps and for every evaluation.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::TrainingError;

/// A file of metrics that is being written.
pub struct Metrics {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl Metrics {
    /// Opens the file, and cuts off what was written after the checkpoint that the training resumes from.
    pub fn open(path: &Path, bytes: u64) -> Result<Metrics, TrainingError> {
        let unwritable = |source| TrainingError::Unwritable { path: path.to_owned(), source };
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path).map_err(unwritable)?;
        let length = file.metadata().map_err(unwritable)?.len();
        if length < bytes {
            let source = std::io::Error::other(format!(
                "it has {length} bytes, and had {bytes} at the last checkpoint: put it back as it was"
            ));
            return Err(unwritable(source));
        }
        file.set_len(bytes).map_err(unwritable)?;
        file.seek(SeekFrom::End(0)).map_err(unwritable)?;
        Ok(Metrics { path: path.to_owned(), file, bytes })
    }

    /// Writes a line.
    pub fn add(&mut self, line: &Value) -> Result<(), TrainingError> {
        let line = format!("{line}\n");
        self.file.write_all(line.as_bytes()).map_err(|source| self.unwritable(source))?;
        self.bytes += line.len() as u64;
        Ok(())
    }

    /// Forces all lines to the disk, and says how long the file is.
    pub fn sync(&self) -> Result<u64, TrainingError> {
        self.file.sync_data().map_err(|source| self.unwritable(source))?;
        Ok(self.bytes)
    }

    fn unwritable(&self, source: std::io::Error) -> TrainingError {
        TrainingError::Unwritable { path: self.path.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_after_a_checkpoint_are_cut_off() {
        let path = std::env::temp_dir().join(format!("allotrope-metrics-{}.jsonl", std::process::id()));
        let mut metrics = Metrics::open(&path, 0).unwrap();
        metrics.add(&json!({"step": 1})).unwrap();
        let bytes = metrics.sync().unwrap();
        metrics.add(&json!({"step": 2})).unwrap();
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"st").unwrap();
        let mut metrics = Metrics::open(&path, bytes).unwrap();
        metrics.add(&json!({"step": 3})).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"step\":1}\n{\"step\":3}\n");
        assert!(Metrics::open(&path, 1000).err().unwrap().to_string().contains("at the last checkpoint"));
        std::fs::remove_file(&path).unwrap();
    }
}
