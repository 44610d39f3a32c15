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
    /// Where it is, as the user wrote it behind the kind. Secrets are never a part of it.
    pub place: String,
    /// A digest of everything that decides its answers: weights, vocabulary, settings.
    pub digest: String,
    /// May the same question get another answer? True of models that this program cannot look into.
    pub varies: bool,
}

/// Takes in what decides a model's answers, piece by piece.
#[derive(Default)]
pub(crate) struct Fingerprint(Sha256);

impl Fingerprint {
    /// Takes in a setting under its name.
    pub fn add(&mut self, name: &str, value: impl AsRef<[u8]>) {
        let value = value.as_ref();
        for part in [name.as_bytes(), value] {
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
    }

    /// Takes in the content of a file.
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

    /// The digest, in hexadecimal digits.
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
