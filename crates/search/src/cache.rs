//! A cache of answers in a file: querying a paid endpoint twice costs twice.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{Answer, Identity, Input};
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest, Sha256};

/// A digest of a query to a model.
pub type Key = [u8; 32];

/// A file of answers, which several processes may use at the same time.
pub struct Cache {
    connection: Mutex<Connection>,
}

/// A cache cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("failed to open the cache {}: {source}", path.display())]
pub struct CacheError {
    path: PathBuf,
    source: rusqlite::Error,
}

impl Cache {
    /// Opens a cache file, and creates it if necessary.
    pub fn open(path: &Path) -> Result<Cache, CacheError> {
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(path)?;
            connection.busy_timeout(std::time::Duration::from_secs(60))?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            // An answer that is lost with the power is asked for again.
            connection.pragma_update(None, "synchronous", "normal")?;
            connection.execute(
                "create table if not exists predictions (key blob primary key, answer text not null) without rowid",
                [],
            )?;
            Ok(connection)
        };
        match open() {
            Ok(connection) => Ok(Cache { connection: Mutex::new(connection) }),
            Err(source) => Err(CacheError { path: path.to_owned(), source }),
        }
    }

    /// The answer to a query. An entry that cannot be read counts as missing.
    pub fn get(&self, key: &Key) -> Option<Answer> {
        let connection = self.connection();
        let mut question = connection.prepare_cached("select answer from predictions where key = ?1").ok()?;
        let answer: Option<String> = question.query_row([key.as_slice()], |row| row.get(0)).optional().ok()?;
        serde_json::from_str(&answer?).ok()
    }

    /// Stores answers. A cache that cannot be written, for example because the disk is full, only costs time later.
    pub fn put(&self, answers: &[(Key, Answer)]) {
        if answers.is_empty() {
            return;
        }
        let mut connection = self.connection();
        let mut put = || -> rusqlite::Result<()> {
            let transaction = connection.transaction()?;
            {
                let mut insert = transaction.prepare_cached("insert or ignore into predictions values (?1, ?2)")?;
                for (key, answer) in answers {
                    insert.execute((key.as_slice(), serde_json::to_string(answer).unwrap_or_default()))?;
                }
            }
            transaction.commit()
        };
        let _ = put();
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key of a query to a model.
pub fn key(model: &Identity, input: &Input) -> Key {
    let mut digest = Sha256::new();
    let mut add = |text: &str| {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    };
    for part in [&model.kind, &model.place, &model.digest] {
        add(part);
    }
    add(input.shape());
    for code in input.programs() {
        add(code.language.name());
        add(&code.text);
    }
    if let Input::CodeAndText(_, text) = input {
        add(text);
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use model::{Code, Prediction};
    use syntax::Language;

    use super::*;

    #[test]
    fn a_file_keeps_answers() {
        let path = std::env::temp_dir().join(format!("allotrope-cache-{}", std::process::id()));
        let identity = |digest: &str| Identity {
            kind: "test".into(),
            place: String::new(),
            digest: digest.to_owned(),
            varies: false,
        };
        let input = Input::Code(Code { language: Language::C, text: "int x;".to_owned() });
        let pair = |text: &str| {
            let code = |text: &str| Code { language: Language::C, text: text.to_owned() };
            Input::Pair(code(text), code(""))
        };
        assert_ne!(key(&identity("a"), &input), key(&identity("b"), &input));
        assert_ne!(key(&identity("a"), &pair("int x;")), key(&identity("a"), &input));
        let answer = Answer { prediction: Prediction::Classes(vec![0.25, 0.75]), tokens: None };
        let key = key(&identity("a"), &input);
        Cache::open(&path).unwrap().put(&[(key, answer.clone())]);
        let cache = Cache::open(&path).unwrap();
        assert_eq!(cache.get(&key), Some(answer));
        assert_eq!(cache.get(&[0; 32]), None);
        drop(cache);
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
        }
        assert!(Cache::open(Path::new("/nowhere/at/all")).is_err());
    }
}
