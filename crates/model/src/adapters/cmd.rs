//! Models that are programs: `cmd:PROGRAM ARGS`.
//!
//! The program is started once and reads one JSON object per line from its standard input,
//!
//! ```json
//! {"id": 1, "code": "int f(void) { return 1; }", "language": "c"}
//! {"id": 2, "code1": "a = 1", "code2": "b = 1", "language": "python", "language2": "python"}
//! {"id": 3, "code": "def f(): pass", "text": "does nothing", "language": "python"}
//! ```
//!
//! and writes one per line to its standard output, with the `id` of the query and one of the forms of an answer, in any
//! order:
//!
//! ```json
//! {"id": 2, "probabilities": [0.25, 0.75]}
//! {"id": 1, "names": [["add", 0.5], ["sum", 0.25]]}
//! {"id": 3, "error": "out of memory"}
//! ```
//!
//! The other forms are `text` and `embedding`, as for `http:`. Output must be flushed after each line, and the standard
//! output must contain answers only: messages belong on the standard error, whose last lines are quoted when the program
//! dies. The program should exit when its input ends.
//!
//! The words are split as in a shell, quotes included, but no shell is run. Settings come before the program:
//! `cmd:timeout=5 classes=2 python3 'my model.py'`, or in a TOML file: `settings=FILE`.
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `timeout` | 60 | seconds from a query to its answer; for the first query this includes the time to load |
//! | `concurrency` | 1 | queries that may be pending at a time |
//! | `retries` | 2 | how often a query is repeated after the program died or timed out on it |
//! | `restarts` | 10 | how often in a row the program may be restarted without an answer |
//! | `classes`, `embeds` | | as for `http:` |
//! | `wait`, `longest_wait` | 0.5, 30 | seconds before the first restart, doubled for each further one in a row, and their limit |
//! | `bytes` | 16777216 | the maximum length of a line |
//!
//! A program that dies or times out is restarted, and its pending queries are repeated one by one, so that the query that
//! kills it is found and the others are answered. One that has never answered is given up after a few queries.
//!
//! A complete program, for `--model 'cmd:python3 model.py'`:
//!
//! ```python
//! import json
//! import sys
//!
//! for line in sys.stdin:
//!     query = json.loads(line)
//!     try:
//!         p = 0.9 if "strcpy" in query["code"] else 0.2
//!         answer = {"probabilities": [1 - p, p]}
//!     except Exception as error:
//!         answer = {"error": str(error)}
//!     print(json.dumps({"id": query["id"], **answer}), flush=True)
//! ```

mod child;
mod words;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use serde::Deserialize;
use serde_json::Value;

use super::Kind;
use crate::endpoint::limits::Limits;
use crate::endpoint::secrets::public_words;
use crate::endpoint::settings::{split_words, typed, unusable};
use crate::endpoint::{input_as_json, reading};
use crate::identity::Fingerprint;
use crate::{Answer, Fault, Identity, Input, Model, OpenError};
pub(super) use child::kill_all;
use child::{Running, Said};

/// How models of this kind are named and opened.
pub(super) const KIND: Kind = Kind {
    name: "cmd",
    place: "PROGRAM ARGS",
    about: "a program that reads and writes JSON lines",
    is_outside: true,
    label: without_options,
    levels: &[],
    open,
};

/// A command without the options, such as `timeout=3`, that stand before it.
fn without_options(mut command: &str) -> &str {
    while let Some((_, rest)) = command.split_once(' ').filter(|(word, _)| word.contains('=')) {
        command = rest;
    }
    command
}

/// Starts the program that is the model.
fn open(place: &str) -> Result<Box<dyn Model>, OpenError> {
    let all = words::split(place)
        .ok_or_else(|| unusable("cmd", "a quote is not closed, or the last character is a backslash"))?;
    let shown = public_words(&all).join(" ");
    let (words, mut table) = split_words(all, &["classes", "embeds", "restarts"], &shown)?;
    for (name, default) in [("concurrency", 1), ("retries", 2)] {
        table.entry(name).or_insert(toml::Value::Integer(default));
    }
    let (settings, limits) = typed(table, &shown)?;
    let Some(program) = words.first() else {
        return Err(unusable("cmd", "no program is given: write cmd:PROGRAM ARGS"));
    };
    let mut fingerprint = Fingerprint::default();
    for (word, public) in words.iter().zip(public_words(&words)) {
        fingerprint.add("word", public);
        // A script or a file with weights decides the answers more than its name does.
        if Path::new(word).is_file() {
            fingerprint.add_file(Path::new(word))?;
        }
    }
    let cannot_start = |error| OpenError::Missing(format!("failed to start `{program}`: {error}"));
    let running = Running::start(&words, limits.bytes).map_err(cannot_start)?;
    let identity = Identity { kind: "cmd".to_owned(), place: shown, digest: fingerprint.finish(), varies: true };
    let state = Mutex::new(State { running: Some(running), next: 1, has_answered: false, ends: 0, late: 0, end: None });
    Ok(Box::new(Cmd { identity, words, settings, limits, state }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct CommandSettings {
    classes: Option<usize>,
    embeds: bool,
    restarts: u32,
}

impl Default for CommandSettings {
    fn default() -> CommandSettings {
        CommandSettings { classes: None, embeds: false, restarts: 10 }
    }
}

struct Cmd {
    identity: Identity,
    words: Vec<String>,
    settings: CommandSettings,
    limits: Limits,
    state: Mutex<State>,
}

struct State {
    running: Option<Running>,
    /// The number of the next query. Numbers are never used twice, so that a late answer is known for what it is.
    next: u64,
    /// Has the program ever answered?
    has_answered: bool,
    /// How often it has ended, and how often it was late, before its first answer.
    ends: u32,
    late: u32,
    /// Why the program is not started any more.
    end: Option<String>,
}

/// How often a program that has never answered may end, and how often it may be late, with different queries, before it is known not
/// to work.
const MOST_ENDS: u32 = 3;
const MOST_LATE: u32 = 2;

impl Model for Cmd {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Only one batch is under way at a time: there is only one program.
    fn predict(&self, inputs: &[Input]) -> Vec<Result<Answer, Fault>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.running.as_mut().is_some_and(|running| !running.is_ready()) {
            state.running = None;
        }
        let mut batch = Batch {
            model: self,
            inputs,
            answers: vec![None; inputs.len()],
            attempts: vec![0; inputs.len()],
            waiting: (0..inputs.len()).collect(),
            asked: Vec::new(),
            deaths: 0,
            has_others: inputs.len() > 1 || state.ends + state.late > 0,
        };
        match state.end.clone() {
            Some(reason) => batch.give_up(&reason),
            None => batch.answer_all(&mut state),
        }
        let unanswered = || Err(Fault::Failed("the query was lost".to_owned()));
        batch.answers.into_iter().map(|answer| answer.unwrap_or_else(unanswered)).collect()
    }

    fn embed(&self, inputs: &[Input]) -> Option<Vec<Result<Vec<f32>, Fault>>> {
        self.settings.embeds.then(|| reading::embeddings(self.predict(inputs)))
    }
}

/// A batch on its way through the program.
struct Batch<'m> {
    model: &'m Cmd,
    inputs: &'m [Input],
    answers: Vec<Option<Result<Answer, Fault>>>,
    /// How often each input has failed so far.
    attempts: Vec<u32>,
    /// The inputs that the program does not have yet.
    waiting: VecDeque<usize>,
    /// Those that it has, the oldest first.
    asked: Vec<Asked>,
    /// How often the program has ended without an answer in between.
    deaths: u32,
    /// Have there been other queries than one?
    has_others: bool,
}

struct Asked {
    number: u64,
    input: usize,
    deadline: Instant,
}

impl Batch<'_> {
    fn answer_all(&mut self, state: &mut State) {
        while !self.waiting.is_empty() || !self.asked.is_empty() {
            let running = match state.running.take() {
                Some(running) => running,
                None => match Running::start(&self.model.words, self.model.limits.bytes) {
                    Ok(running) => running,
                    Err(error) => return self.give_up(&format!("the program does not start again: {error}")),
                },
            };
            self.ask_more(&running, &mut state.next);
            let until = self.asked.first().map_or_else(Instant::now, |oldest| oldest.deadline);
            match running.hear(until) {
                Said::Line(line) => {
                    state.has_answered |= self.hear_line(&line, state.next);
                    state.running = Some(running);
                }
                Said::TooLong => {
                    let most = self.model.limits.bytes;
                    self.fault_oldest(Fault::Garbage(format!("a line is longer than {most} bytes (setting `bytes`)")));
                    self.restart(running, false, state);
                }
                Said::Nothing => self.restart(running, false, state),
                Said::End => self.restart(running, true, state),
            }
            if let Some(reason) = &state.end {
                return self.give_up(reason);
            }
            if self.deaths > self.model.settings.restarts {
                let restarts = self.model.settings.restarts;
                return self.give_up(&format!("the program was restarted {restarts} times in a row without an answer"));
            }
        }
    }

    /// Gives the program as many queries as it may have. One that has failed before is asked alone, to see if it fails again.
    fn ask_more(&mut self, running: &Running, next: &mut u64) {
        while let Some(input) = self.waiting.front().copied() {
            let is_suspect = |input: usize| self.attempts[input] > 0;
            let is_full = self.asked.len() >= self.model.limits.concurrency;
            let is_apart = is_suspect(input) || self.asked.iter().any(|asked| is_suspect(asked.input));
            if is_full || (is_apart && !self.asked.is_empty()) {
                return;
            }
            self.waiting.pop_front();
            let question = input_as_json(&self.inputs[input]).to_string();
            // The number comes first, where the simplest of programs finds it.
            running.ask(format!("{{\"id\":{next},{}\n", &question[1..]));
            let deadline = Instant::now() + self.model.limits.timeout();
            self.asked.push(Asked { number: *next, input, deadline });
            *next += 1;
        }
    }

    /// Was it an answer?
    fn hear_line(&mut self, line: &str, next: u64) -> bool {
        let advice = "only answers belong on the standard output, and messages on the standard error";
        let value = match reading::parse(line) {
            Ok((value, _)) => value,
            Err(Fault::Garbage(problem)) => {
                self.fault_oldest(Fault::Garbage(format!("{problem} ({advice})")));
                return false;
            }
            Err(fault) => {
                self.fault_oldest(fault);
                return false;
            }
        };
        let Some(number) = value.get("id").and_then(Value::as_u64) else {
            self.fault_oldest(Fault::WrongShape(format!("`id` is missing in {}", reading::quoted(line))));
            return false;
        };
        match self.asked.iter().position(|asked| asked.number == number) {
            Some(place) => {
                let asked = self.asked.remove(place);
                self.answers[asked.input] = Some(reading::answer(&value, self.model.settings.classes));
                self.deaths = 0;
                return true;
            }
            // An answer to a query that has got its fault meanwhile, or a second answer to one.
            None if number < next => (),
            None => self.fault_oldest(Fault::WrongShape(format!("an answer to query {number}, which was not sent"))),
        }
        false
    }

    /// What no query can be found for is held against the one that has waited longest.
    fn fault_oldest(&mut self, fault: Fault) {
        if !self.asked.is_empty() {
            let oldest = self.asked.remove(0);
            self.answers[oldest.input] = Some(Err(fault));
        }
    }

    /// Ends the program and puts what it was asked back. Those that it may have died of, or were late, are a failure richer.
    ///
    /// A program that has never answered is tried with other queries first, and where these end the same way it is not started again:
    /// it is not a query that is wrong.
    fn restart(&mut self, mut running: Running, has_ended: bool, state: &mut State) {
        if !has_ended {
            running.kill();
        }
        let obituary = running.obituary();
        let now = Instant::now();
        for asked in std::mem::take(&mut self.asked).into_iter().rev() {
            if has_ended || asked.deadline <= now {
                self.attempts[asked.input] += 1;
            }
            if self.attempts[asked.input] <= self.model.limits.retries {
                match state.has_answered {
                    true => self.waiting.push_front(asked.input),
                    false => self.waiting.push_back(asked.input),
                }
                continue;
            }
            let late = Fault::Late(self.model.limits.timeout());
            let fault = if has_ended { Fault::Disconnected(obituary.clone()) } else { late };
            self.answers[asked.input] = Some(Err(fault));
        }
        self.deaths += 1;
        if !state.has_answered {
            state.ends += u32::from(has_ended);
            state.late += u32::from(!has_ended);
            if self.has_others && state.ends >= MOST_ENDS {
                state.end = Some(format!("it has never answered: {obituary}"));
            } else if self.has_others && state.late >= MOST_LATE {
                let seconds = self.model.limits.timeout;
                state.end = Some(format!("it has never answered within {seconds} s (setting `timeout`): {obituary}"));
            }
        }
        if !self.waiting.is_empty() && state.end.is_none() {
            // There is no use in waiting longer and longer for what has never worked.
            let deaths = if state.has_answered { self.deaths } else { 1 };
            thread::sleep(self.model.limits.pause(deaths, None));
        }
    }

    /// Ends the batch: whatever is still open has the same fault.
    fn give_up(&mut self, problem: &str) {
        self.asked.clear();
        self.waiting.clear();
        for answer in self.answers.iter_mut().filter(|answer| answer.is_none()) {
            *answer = Some(Err(Fault::Disconnected(problem.to_owned())));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use super::*;
    use crate::Prediction;
    use crate::endpoint::fake_server::program;

    /// What every script begins with: reads queries, and has the number of each in `$id`.
    const EACH: &str = "while read -r line; do id=${line#*:}; id=${id%%,*}; ";
    const ANSWER: &str = "printf '{\"id\":%s,\"probabilities\":[0.25,0.75]}\\n' \"$id\"; ";

    /// A model that is a script for the shell.
    fn model(settings: &str, script: &str) -> Box<dyn Model> {
        let quoted = script.replace('\'', "'\\''");
        open(&format!("timeout=5 wait=0.01 {settings} sh -c '{quoted}'")).expect("a shell")
    }

    fn ask(model: &dyn Model, inputs: &[&str]) -> Vec<Result<Answer, Fault>> {
        model.predict(&inputs.iter().map(|input| program(input)).collect::<Vec<_>>())
    }

    fn answered() -> Result<Answer, Fault> {
        Ok(Answer { prediction: Prediction::Classes(vec![0.25, 0.75]), tokens: None })
    }

    #[track_caller]
    fn check(answers: &[Result<Answer, Fault>], wanted: &[bool]) {
        let found: Vec<bool> = answers.iter().map(Result::is_ok).collect();
        assert_eq!(found, wanted, "{answers:?}");
    }

    /// A file that is not there yet, to remember things from one run of a script to the next.
    fn flag(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("allotrope-cmd-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    #[test]
    fn questions_are_answered_batch_after_batch() {
        let model = model("concurrency=3 classes=2", &format!("{EACH}{ANSWER}done"));
        assert_eq!(ask(&*model, &["a", "b", "c", "d", "e"]), vec![answered(); 5]);
        assert_eq!(ask(&*model, &["a"]), [answered()]);
        assert!(ask(&*model, &[]).is_empty());
    }

    #[test]
    fn questions_are_written_as_promised() {
        let model = model("", &format!("{EACH}printf '%s\\n' \"$line\" >&2; exit 7; done"));
        let fault = ask(&*model, &["int x;\n"]).remove(0).expect_err("it dies").to_string();
        let words = r#"exit status: 7; the end of its standard error: {"id":3,"code":"int x;\n","language":"c"}"#;
        assert!(fault.contains(words), "{fault}");
    }

    #[test]
    fn answers_may_come_out_of_order() {
        let script =
            "read -r a; read -r b; printf '{\"id\":2,\"text\":\"second\"}\\n{\"id\":1,\"text\":\"first\"}\\n'; cat";
        let answers = ask(&*model("concurrency=2", script), &["a", "b"]);
        let text = |text: &str| Ok(Answer { prediction: Prediction::Text(text.to_owned()), tokens: None });
        assert_eq!(answers, [text("first"), text("second")]);
    }

    #[test]
    fn a_program_that_dies_once_is_restarted() {
        let flag = flag("dies-once");
        let die = format!("if [ ! -e {0} ]; then : > {0}; exit 3; fi; ", flag.display());
        let model = model("concurrency=2", &format!("{EACH}{die}{ANSWER}done"));
        check(&ask(&*model, &["a", "b", "c"]), &[true, true, true]);
        std::fs::remove_file(flag).expect("it was written");
    }

    #[test]
    fn a_program_that_dies_of_one_question_answers_the_others() {
        let die = "case \"$line\" in *poison*) echo 'cannot stand it' >&2; exit 3;; esac; ";
        let model = model("concurrency=4", &format!("{EACH}{die}{ANSWER}done"));
        let answers = ask(&*model, &["a", "poison", "b", "poison", "c"]);
        check(&answers, &[true, false, true, false, true]);
        let fault = answers[1].as_ref().expect_err("it dies").to_string();
        assert_eq!(
            fault,
            "the connection broke: the program ended, exit status: 3; the end of its standard error: cannot stand it"
        );
    }

    #[test]
    fn a_program_that_dies_while_nobody_asks_is_restarted_in_silence() {
        let model =
            model("retries=0", "read -r line; printf '{\"id\":%s,\"text\":\"x\"}\\n' \"$(echo \"$line\" | cut -c7)\"");
        for _ in 0..3 {
            check(&ask(&*model, &["a"]), &[true]);
            // The shell needs a moment to end.
            thread::sleep(Duration::from_millis(100));
        }
    }

    #[test]
    fn a_program_that_always_dies_is_given_up() {
        let model = model("retries=100 restarts=3", "echo 'no weights' >&2; exit 1");
        for inputs in [&["a", "b"][..], &["c"]] {
            let answers = ask(&*model, inputs);
            let words =
                "it has never answered: the program ended, exit status: 1; the end of its standard error: no weights";
            assert!(
                answers.iter().all(|it| it.as_ref().is_err_and(|it| it.to_string().contains(words))),
                "{answers:?}"
            );
        }
        // One that has answered before may come back.
        let flag = flag("answers-once");
        let script = format!("if [ -e {0} ]; then exit 1; fi; touch {0}; {EACH}{ANSWER}exit 1; done", flag.display());
        let model = self::model("retries=100 restarts=3", &script);
        let answers = ask(&*model, &["a", "b"]);
        check(&answers, &[true, false]);
        let words = "restarted 3 times in a row";
        assert!(answers[1].as_ref().is_err_and(|it| it.to_string().contains(words)), "{answers:?}");
        std::fs::remove_file(&flag).expect("it was written");
    }

    #[test]
    fn a_query_that_kills_the_program_is_not_the_program_s_fault() {
        let deadly = "case \"$line\" in *deadly*) exit 1;; esac; ";
        let model = model("", &format!("{EACH}{deadly}{ANSWER}done"));
        check(&ask(&*model, &["deadly", "a", "b"]), &[false, true, true]);
    }

    #[test]
    fn a_program_that_never_answers_is_given_up() {
        let model = model("timeout=0.2 retries=5", "sleep 20");
        let started = Instant::now();
        let answers = ask(&*model, &["a", "b", "c"]);
        check(&answers, &[false, false, false]);
        assert!(
            answers[2].as_ref().is_err_and(|it| it.to_string().contains("never answered within 0.2 s")),
            "{answers:?}"
        );
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }

    #[test]
    fn a_late_program_is_killed_and_restarted() {
        let hang = "case \"$line\" in *slow*) sleep 20;; esac; ";
        let model = model("timeout=0.3 retries=1 concurrency=2", &format!("{EACH}{hang}{ANSWER}done"));
        let started = Instant::now();
        let answers = ask(&*model, &["a", "slow", "b"]);
        check(&answers, &[true, false, true]);
        assert_eq!(answers[1], Err(Fault::Late(Duration::from_millis(300))));
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }

    #[test]
    fn a_program_that_does_not_read_is_late() {
        let model = model("timeout=0.2 retries=0", "sleep 20");
        let large = "x".repeat(1 << 20);
        assert_eq!(ask(&*model, &[&large]), [Err(Fault::Late(Duration::from_millis(200)))]);
    }

    #[test]
    fn garbage_is_held_against_the_oldest_question() {
        let garbage = "case \"$line\" in *odd*) echo 'Loading model...'; continue;; esac; ";
        let model = model("", &format!("{EACH}{garbage}{ANSWER}done"));
        let answers = ask(&*model, &["a", "odd", "b"]);
        check(&answers, &[true, false, true]);
        assert!(
            matches!(&answers[1], Err(Fault::Garbage(text)) if text.contains("`Loading model...` (only answers belong")),
            "{answers:?}"
        );
    }

    #[test]
    fn the_wrong_shape_is_said() {
        for (answer, words) in [
            ("{\"probabilities\":[0.5,0.5]}", "`id` is missing"),
            ("{\"id\":99,\"probabilities\":[0.5,0.5]}", "query 99, which was not sent"),
            ("{\"id\":1,\"probabilities\":[0.5,0.6]}", "add up to"),
            ("{\"id\":1,\"probabilities\":[0.2,0.3,0.5]}", "there are 2 classes"),
            ("{\"id\":1}", "one of `probabilities`"),
        ] {
            let answers = ask(&*model("classes=2", &format!("read -r line; echo '{answer}'; cat >/dev/null")), &["a"]);
            assert!(matches!(&answers[..], [Err(Fault::WrongShape(text))] if text.contains(words)), "{answers:?}");
        }
        let answers = ask(&*model("", "read -r line; echo '{\"id\":1,\"probabilities\":[NaN,1]}'; cat"), &["a"]);
        assert_eq!(answers, [Err(Fault::NotFinite)]);
        let answers = ask(&*model("", "read -r line; echo '{\"id\":1,\"error\":\"too long\"}'; cat"), &["a"]);
        assert_eq!(answers, [Err(Fault::Failed("too long".to_owned()))]);
    }

    #[test]
    fn a_second_answer_to_a_question_is_ignored() {
        let model = model("", &format!("{EACH}{ANSWER}{ANSWER}done"));
        check(&ask(&*model, &["a", "b", "c"]), &[true, true, true]);
    }

    #[test]
    fn very_long_lines_are_cut_off() {
        let long = "case \"$line\" in *long*) head -c 100000 /dev/zero;; esac; ";
        let model = model("bytes=1000", &format!("{EACH}{long}{ANSWER}done"));
        let answers = ask(&*model, &["a", "long", "b"]);
        check(&answers, &[true, false, true]);
        assert!(
            matches!(&answers[1], Err(Fault::Garbage(text)) if text.contains("longer than 1000 bytes")),
            "{answers:?}"
        );
    }

    #[test]
    fn much_on_the_standard_error_stops_nothing() {
        let noise = "head -c 300000 /dev/zero >&2; ";
        check(&ask(&*model("", &format!("{EACH}{noise}{ANSWER}done")), &["a", "b"]), &[true, true]);
    }

    #[test]
    fn the_program_ends_with_the_model() {
        let flag = flag("ends");
        // The program leaves its number behind; `exec` keeps it the same for one that does not end by itself.
        for rest in [format!("{EACH}{ANSWER}done"), "exec sleep 20".to_owned(), "sleep 20".to_owned()] {
            let model = model("", &format!("echo $$ > {0}.new; mv {0}.new {0}; {rest}", flag.display()));
            while !flag.exists() {
                thread::sleep(Duration::from_millis(5));
            }
            let number = std::fs::read_to_string(&flag).expect("a number").trim().to_owned();
            let is_there =
                || std::process::Command::new("kill").args(["-0", &number]).output().expect("kill").status.success();
            assert!(is_there());
            drop(model);
            assert!(!is_there());
            std::fs::remove_file(&flag).expect("it was written");
        }
    }

    #[test]
    fn identities_hold_no_secrets_and_know_the_files() {
        let flag = flag("script");
        let identity = |text: &str, key: &str| {
            std::fs::write(&flag, text).expect("written");
            let name = format!("classes=2 sh {} --api-key {key} --token={key}", flag.display());
            open(&name).expect("a shell").identity().clone()
        };
        let one = identity("cat", "geheim");
        assert_eq!(one.place, format!("classes=2 sh {} --api-key *** --token=***", flag.display()));
        assert!(one.varies);
        assert_eq!(one, identity("cat", "verborgen"));
        assert_ne!(one.digest, identity("cat; true", "geheim").digest);
        std::fs::remove_file(&flag).expect("it was written");
    }

    #[test]
    fn what_cannot_be_opened_says_why() {
        for (place, words) in [
            ("", "no program is given"),
            ("timeout=5", "no program is given"),
            ("sh 'a", "a quote is not closed"),
            ("timeout=0 sh", "`timeout` must be a number"),
            ("no-such-program-here -x", "failed to start `no-such-program-here`"),
        ] {
            let error = open(place).err().expect("an error").to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
