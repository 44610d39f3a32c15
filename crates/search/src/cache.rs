//! Answers that were given before, kept in a file: asking a paid endpoint twice costs twice.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{Answer, Identity, Input, Prediction, Tokens};
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest, Sha256};

/// A question to a model, in short.
pub type Key = [u8; 32];

/// A file with answers, which several programs may use at the same time.
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
    /// Opens a file with answers, and makes it when it is not there.
    pub fn open(path: &Path) -> Result<Cache, CacheError> {
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(path)?;
            connection.busy_timeout(std::time::Duration::from_secs(60))?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            // An answer that is lost with the power is asked for again.
            connection.pragma_update(None, "synchronous", "normal")?;
            connection.execute(
                "create table if not exists answers (key blob primary key, answer blob not null) without rowid",
                [],
            )?;
            Ok(connection)
        };
        match open() {
            Ok(connection) => Ok(Cache { connection: Mutex::new(connection) }),
            Err(source) => Err(CacheError { path: path.to_owned(), source }),
        }
    }

    /// The answer to a question. One that cannot be read is none.
    pub fn get(&self, key: &Key) -> Option<Answer> {
        let connection = self.connection();
        let mut question = connection.prepare_cached("select answer from answers where key = ?1").ok()?;
        let bytes: Option<Vec<u8>> = question.query_row([key.as_slice()], |row| row.get(0)).optional().ok()?;
        read(&bytes?)
    }

    /// Keeps answers. A cache that cannot be written, because the disk is full for example, only costs time later.
    pub fn put(&self, answers: &[(Key, Answer)]) {
        if answers.is_empty() {
            return;
        }
        let mut connection = self.connection();
        let mut put = || -> rusqlite::Result<()> {
            let transaction = connection.transaction()?;
            {
                let mut insert = transaction.prepare_cached("insert or ignore into answers values (?1, ?2)")?;
                for (key, answer) in answers {
                    insert.execute((key.as_slice(), write(answer)))?;
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

/// The key of a question to a model.
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

/// Writes an answer so that every number comes back bit for bit.
fn write(answer: &Answer) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut number = |value: u32| bytes.extend(value.to_le_bytes());
    let (seen, all) = answer.tokens.map_or((u32::MAX, u32::MAX), |tokens| (tokens.seen as u32, tokens.all as u32));
    number(seen);
    number(all);
    let numbers =
        |bytes: &mut Vec<u8>, values: &[f32]| values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    match &answer.prediction {
        Prediction::Classes(classes) => {
            bytes.push(b'c');
            numbers(&mut bytes, classes);
        }
        Prediction::Embedding(vector) => {
            bytes.push(b'e');
            numbers(&mut bytes, vector);
        }
        Prediction::Text(text) => {
            bytes.push(b't');
            bytes.extend(text.as_bytes());
        }
        Prediction::Names(names) => {
            bytes.push(b'n');
            for (name, certainty) in names {
                bytes.extend((name.len() as u32).to_le_bytes());
                bytes.extend(name.as_bytes());
                bytes.extend(certainty.to_le_bytes());
            }
        }
    }
    bytes
}

fn read(bytes: &[u8]) -> Option<Answer> {
    let (seen, rest) = bytes.split_first_chunk::<4>()?;
    let (all, rest) = rest.split_first_chunk::<4>()?;
    let (kind, mut rest) = rest.split_first()?;
    let (seen, all) = (u32::from_le_bytes(*seen), u32::from_le_bytes(*all));
    let tokens = (seen != u32::MAX).then_some(Tokens { seen: seen as usize, all: all as usize });
    let numbers = |rest: &[u8]| -> Option<Vec<f32>> {
        let (chunks, left) = rest.as_chunks::<4>();
        left.is_empty().then(|| chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect())
    };
    let prediction = match kind {
        b'c' => Prediction::Classes(numbers(rest)?),
        b'e' => Prediction::Embedding(numbers(rest)?),
        b't' => Prediction::Text(String::from_utf8(rest.to_vec()).ok()?),
        b'n' => {
            let mut names = Vec::new();
            while !rest.is_empty() {
                let (length, behind) = rest.split_first_chunk::<4>()?;
                let (name, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
                let (certainty, behind) = behind.split_first_chunk::<4>()?;
                names.push((String::from_utf8(name.to_vec()).ok()?, f32::from_le_bytes(*certainty)));
                rest = behind;
            }
            Prediction::Names(names)
        }
        _ => return None,
    };
    Some(Answer { prediction, tokens })
}

#[cfg(test)]
mod tests {
    use model::Code;
    use syntax::Language;

    use super::*;

    #[test]
    fn answers_come_back_bit_for_bit() {
        let tokens = Some(Tokens { seen: 3, all: 7 });
        let predictions = [
            Prediction::Classes(vec![0.1, 0.9, f32::MIN_POSITIVE]),
            Prediction::Names(vec![("größe".to_owned(), 0.3), (String::new(), 0.0)]),
            Prediction::Text("sorts a list".to_owned()),
            Prediction::Embedding(vec![-1.5; 5]),
        ];
        for prediction in predictions {
            for tokens in [tokens, None] {
                let answer = Answer { prediction: prediction.clone(), tokens };
                assert_eq!(read(&write(&answer)), Some(answer.clone()));
                let bytes = write(&answer);
                for end in 0..bytes.len() {
                    // What is cut off is read as another answer or none, and never panics.
                    let _ = read(&bytes[..end]);
                }
            }
        }
    }

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
