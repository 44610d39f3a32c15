//! What a model is, in a form that can be stored and compared.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::OpenError;

/// What a model is. Two models with equal identities give equal answers, unless the identity says that answers vary.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// The kind of model: `hf`, `onnx`, `openai` and so on.
    pub kind: String,
    /// The location, as the user wrote it after the kind. It never contains secrets.
    pub place: String,
    /// A digest of everything that determines its answers: weights, vocabulary, settings.
    pub digest: String,
    /// May answers to the same query differ? True of models that run outside this program.
    pub varies: bool,
}

/// Accumulates everything that determines a model's answers.
#[derive(Default)]
pub(crate) struct Fingerprint(Sha256);

impl Fingerprint {
    /// Adds a setting under its name.
    pub fn add(&mut self, name: &str, value: impl AsRef<[u8]>) {
        let value = value.as_ref();
        for part in [name.as_bytes(), value] {
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
    }

    /// Adds the contents of a file.
    pub fn add_file(&mut self, path: &Path) -> Result<(), OpenError> {
        let unreadable = |source| OpenError::Unreadable { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(unreadable)?;
        let mut digest = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer).map_err(unreadable)? {
                0 => break,
                read => digest.update(&buffer[..read]),
            }
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.add(&name, digest.finalize());
        Ok(())
    }

    /// The digest in hexadecimal.
    pub fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(parts: &[(&str, &str)]) -> String {
        let mut fingerprint = Fingerprint::default();
        for (name, value) in parts {
            fingerprint.add(name, value);
        }
        fingerprint.finish()
    }

    #[test]
    fn the_border_between_name_and_value_counts() {
        assert_ne!(digest(&[("ab", "c")]), digest(&[("a", "bc")]));
        assert_eq!(digest(&[("a", "b")]), digest(&[("a", "b")]));
        assert_eq!(digest(&[]).len(), 64);
    }
}
