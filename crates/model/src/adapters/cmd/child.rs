//! A program that runs beside this one and is talked to line by line.

use std::collections::{BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How many of the last lines of its standard error are kept.
const LAST_WORDS: usize = 5;

/// How long a program gets to end by itself once it has no more input.
const FAREWELL: Duration = Duration::from_millis(500);

/// What a program says.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    /// A line of its standard output.
    Line(String),
    /// A line that is longer than allowed. Nothing is read after it.
    TooLong,
    /// Its standard output has ended.
    End,
    /// Nothing until the given time.
    Nothing,
}

/// The programs that run now, by the numbers of their processes.
static PROGRAMS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Kills every program that is a model, and everything it started, before the process ends at once.
pub(crate) fn kill_all() {
    for program in PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        kill_group(*program);
    }
}

/// A running program, which ends when this value is dropped. It has its own process group, so that Ctrl-C does not reach it and
/// everything it starts ends with it.
pub(super) struct Running {
    child: Child,
    /// Lines for its standard input; without it, the input ends.
    asks: Option<Sender<String>>,
    says: Receiver<Said>,
    last_words: Arc<Mutex<VecDeque<String>>>,
}

impl Running {
    /// Starts a program. Its pipes are served by threads, so that neither side can wait for the other for ever.
    pub fn start(words: &[String], most_bytes: u64) -> std::io::Result<Running> {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner).insert(child.id());
        let (asks, lines) = channel::<String>();
        if let Some(mut input) = child.stdin.take() {
            thread::spawn(move || {
                for line in lines {
                    // A program that reads no more has ended, or will be found late.
                    if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
                        return;
                    }
                }
            });
        }
        let (said, says) = channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || read_lines(BufReader::new(output), most_bytes, &said));
        }
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(errors) = child.stderr.take() {
            let last_words = Arc::clone(&last_words);
            thread::spawn(move || keep_last_lines(BufReader::new(errors), &last_words));
        }
        Ok(Running { child, asks: Some(asks), says, last_words })
    }

    /// Hands the program a line.
    pub fn ask(&self, line: String) {
        if let Some(asks) = &self.asks {
            // Whoever has ended cannot be asked, which shows when its output ends.
            let _ = asks.send(line);
        }
    }

    /// What the program says next.
    pub fn hear(&self, until: Instant) -> Said {
        match self.says.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(said) => said,
            Err(RecvTimeoutError::Timeout) => Said::Nothing,
            Err(RecvTimeoutError::Disconnected) => Said::End,
        }
    }

    /// Does the program still run? Forgets what it has said that nobody waits for.
    pub fn is_ready(&mut self) -> bool {
        let has_ended = self.says.try_iter().any(|said| matches!(said, Said::End | Said::TooLong));
        !has_ended && matches!(self.child.try_wait(), Ok(None))
    }

    /// How the program ended, and what it said last on its standard error. It is killed if it still runs.
    pub fn obituary(mut self) -> String {
        let status = self.end();
        // The lines that it wrote just before its end may still be on their way.
        thread::sleep(Duration::from_millis(20));
        let last_words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let how = status
            .map_or("the program could not be waited for".to_owned(), |status| format!("the program ended, {status}"));
        if last_words.is_empty() {
            return format!("{how}, and wrote nothing to its standard error");
        }
        let lines: Vec<&str> = last_words.iter().map(String::as_str).collect();
        format!("{how}; the end of its standard error: {}", lines.join(" / "))
    }

    /// Lets the program end, or else makes it.
    fn end(&mut self) -> Option<ExitStatus> {
        self.asks = None;
        let deadline = Instant::now() + FAREWELL;
        let mut status = None;
        while status.is_none() && Instant::now() < deadline {
            match self.child.try_wait() {
                Ok(None) => thread::sleep(Duration::from_millis(5)),
                Ok(ended) => status = ended,
                Err(_) => break,
            }
        }
        self.kill();
        let status = status.or_else(|| self.child.wait().ok());
        PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.child.id());
        status
    }

    /// Ends the program at once, with everything that it has started.
    pub fn kill(&mut self) {
        kill_group(self.child.id());
        // It may have ended just now, which is as good.
        let _ = self.child.kill();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// Kills a program and what it has started. Those that have ended are as good as killed.
#[cfg(unix)]
fn kill_group(program: u32) {
    use nix::sys::signal::{Signal, killpg};
    let _ = i32::try_from(program).map(|program| killpg(nix::unistd::Pid::from_raw(program), Signal::SIGKILL));
}

/// Elsewhere there are no process groups, and a program ends when its input does.
#[cfg(not(unix))]
fn kill_group(_program: u32) {}

fn read_lines(mut output: impl BufRead, most_bytes: u64, said: &Sender<Said>) {
    loop {
        let mut line = Vec::new();
        let length = (&mut output).take(most_bytes.saturating_add(1)).read_until(b'\n', &mut line);
        let is_whole = line.ends_with(b"\n");
        let next = match length {
            Ok(0) | Err(_) => Said::End,
            Ok(_) if !is_whole && line.len() as u64 > most_bytes => Said::TooLong,
            // A line that was cut off by the end of the program does not count.
            Ok(_) if !is_whole => Said::End,
            Ok(_) => Said::Line(String::from_utf8_lossy(&line).trim_end().to_owned()),
        };
        let is_over = !matches!(next, Said::Line(_));
        if said.send(next).is_err() || is_over {
            return;
        }
    }
}

/// Reads to the end, whatever comes, so that the program never waits to be read.
fn keep_last_lines(mut errors: impl BufRead, kept: &Mutex<VecDeque<String>>) {
    loop {
        let mut line = Vec::new();
        // A line without an end must not fill the memory: what is too long comes in pieces.
        match (&mut errors).take(1 << 12).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let line = crate::endpoint::shortened(&String::from_utf8_lossy(&line));
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if !line.is_empty() {
                    kept.push_back(line);
                }
                if kept.len() > LAST_WORDS {
                    kept.pop_front();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, most_bytes: u64) -> Vec<Said> {
        let (said, says) = channel();
        read_lines(text.as_bytes(), most_bytes, &said);
        drop(said);
        says.iter().collect()
    }

    #[test]
    fn lines_are_whole_and_not_too_long() {
        let line = |text: &str| Said::Line(text.to_owned());
        assert_eq!(lines("a\r\nb\n", 10), [line("a"), line("b"), Said::End]);
        assert_eq!(lines("a\nb", 10), [line("a"), Said::End]);
        assert_eq!(lines("12345\n123456\nnever", 5), [line("12345"), Said::TooLong]);
        assert_eq!(lines("", 5), [Said::End]);
    }

    #[test]
    fn only_the_last_lines_are_kept() {
        let kept = Mutex::new(VecDeque::new());
        let text: String = (0..100).map(|number| format!("line {number}\n")).collect();
        keep_last_lines(text.as_bytes(), &kept);
        assert_eq!(
            kept.lock().expect("no panic").iter().map(String::as_str).collect::<Vec<_>>()[..2],
            ["line 95", "line 96"]
        );
    }
}
