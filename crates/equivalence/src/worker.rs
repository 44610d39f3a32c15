//! A warm program that is asked question after question over a pipe, and the pool that such programs wait in.
//!
//! A message is a number of fields, and each field is a length and its bytes; all numbers have 32 bits, the highest first.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::folder::Folder;
use super::sandbox;

/// The fields of a message.
pub(super) type Message = Vec<Vec<u8>>;

/// No answer is longer than this: a worker that says so is out of its mind.
const LONGEST_FIELD: usize = 1 << 30;

/// A program that answers questions.
pub(super) struct Worker {
    process: sandbox::Worker,
    answers: Receiver<io::Result<Message>>,
    /// The folder that it may write in goes when it does.
    _folder: Folder,
}

/// Why there is no answer. The worker is of no more use.
#[derive(Debug)]
pub(super) enum Silence {
    /// It took too long.
    TimeOut,
    /// It has ended, or what it said makes no sense.
    Broken(String),
}

impl Worker {
    pub(super) fn new(process: sandbox::Worker, folder: Folder) -> io::Result<Worker> {
        let mut source = io::BufReader::new(File::from(process.stdout.as_fd().try_clone_to_owned()?));
        let (sender, answers) = channel();
        thread::Builder::new().name("answers".to_owned()).spawn(move || {
            loop {
                let answer = read(&mut source);
                let is_last = answer.is_err();
                if sender.send(answer).is_err() || is_last {
                    return;
                }
            }
        })?;
        Ok(Worker { process, answers, _folder: folder })
    }

    /// Asks a question and waits for its answer.
    pub(super) fn ask(&mut self, question: &[&[u8]], patience: Duration) -> Result<Message, Silence> {
        let message = message(question);
        let broken = |error: io::Error| Silence::Broken(error.to_string());
        self.process.stdin.write_all(&message).and_then(|()| self.process.stdin.flush()).map_err(broken)?;
        match self.answers.recv_timeout(patience) {
            Ok(answer) => answer.map_err(broken),
            Err(RecvTimeoutError::Timeout) => Err(Silence::TimeOut),
            Err(RecvTimeoutError::Disconnected) => Err(Silence::Broken("it has ended".to_owned())),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.process.kill();
    }
}

/// The bytes of a message.
pub(super) fn message(fields: &[&[u8]]) -> Vec<u8> {
    let mut message = (fields.len() as u32).to_be_bytes().to_vec();
    for field in fields {
        message.extend((field.len() as u32).to_be_bytes());
        message.extend_from_slice(field);
    }
    message
}

/// Reads a message.
pub(super) fn read(source: &mut impl Read) -> io::Result<Message> {
    let count = read_number(source)?;
    (0..count)
        .map(|_| {
            let length = read_number(source)?;
            if length > LONGEST_FIELD {
                return Err(io::Error::other(format!("a field of {length} bytes")));
            }
            let mut field = Vec::new();
            source.take(length as u64).read_to_end(&mut field)?;
            if field.len() < length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            Ok(field)
        })
        .collect()
}

fn read_number(source: &mut impl Read) -> io::Result<usize> {
    let mut bytes = [0; 4];
    source.read_exact(&mut bytes)?;
    Ok(u32::from_be_bytes(bytes) as usize)
}

/// Workers of one kind that wait for work. There are as many as were ever needed at the same time.
#[derive(Default)]
pub(super) struct Pool {
    idle: Mutex<Vec<Worker>>,
}

impl Pool {
    /// Lets an idle worker, or else a new one, answer a question. A worker that fell silent is not used again; where it has ended,
    /// for what it did before may have used up its memory, a new one is asked.
    pub(super) fn ask<E: From<Silence>>(
        &self,
        start: impl Fn() -> Result<Worker, E>,
        question: &[&[u8]],
        patience: Duration,
    ) -> Result<Message, E> {
        let idle = self.idle.lock().expect("nobody panics while holding the list").pop();
        let warm = idle.map(|mut worker| (worker.ask(question, patience), worker));
        let (answer, worker) = match warm {
            Some((Ok(answer), worker)) => (answer, worker),
            Some((Err(Silence::TimeOut), _)) => return Err(Silence::TimeOut.into()),
            Some((Err(Silence::Broken(_)), _)) | None => {
                let mut worker = start()?;
                (worker.ask(question, patience)?, worker)
            }
        };
        self.idle.lock().expect("nobody panics while holding the list").push(worker);
        Ok(answer)
    }
}
