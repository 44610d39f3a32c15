//! How long an endpoint may take, how many questions it gets at once, and when it is asked again.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;

use crate::{Fault, OpenError};

/// The limits that every endpoint has.
///
/// | setting | default | what it is |
/// |---|---|---|
/// | `timeout` | 60 | seconds until a question counts as late, its answer read to the end |
/// | `concurrency` | 4 | questions that are under way at once |
/// | `retries` | 4 | how often a question is asked again after a fault that may pass |
/// | `wait` | 0.5 | seconds before the first retry; doubled before each further one |
/// | `longest_wait` | 30 | the most seconds before a retry, whatever the server asks for |
/// | `bytes` | 16777216 | the most bytes that are read of one answer |
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Limits {
    pub timeout: f64,
    pub concurrency: usize,
    pub retries: u32,
    pub wait: f64,
    pub longest_wait: f64,
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { timeout: 60.0, concurrency: 4, retries: 4, wait: 0.5, longest_wait: 30.0, bytes: 16 << 20 }
    }
}

impl Limits {
    /// The names of the settings.
    pub const NAMES: [&str; 6] = ["timeout", "concurrency", "retries", "wait", "longest_wait", "bytes"];

    /// Refuses limits with which no question could ever be answered.
    pub fn check(&self, place: &str) -> Result<(), OpenError> {
        let refuse = |problem: &str| Err(OpenError::Unusable { place: place.to_owned(), problem: problem.to_owned() });
        // More seconds than this do not fit into the clock of some systems, and nobody waits for weeks.
        let is_time = |seconds: f64| (0.0..=1e6).contains(&seconds);
        if !is_time(self.timeout) || self.timeout < 0.001 {
            return refuse("`timeout` is a number of seconds, from 0.001 to 1000000");
        }
        if !is_time(self.wait) || !is_time(self.longest_wait) {
            return refuse("`wait` and `longest_wait` are numbers of seconds, from 0 to 1000000");
        }
        if self.concurrency == 0 || self.concurrency > 1024 {
            return refuse("`concurrency` is a number from 1 to 1024");
        }
        if self.retries > 100 {
            return refuse("`retries` is a number from 0 to 100");
        }
        if self.bytes == 0 {
            return refuse("`bytes` must be at least 1");
        }
        Ok(())
    }

    /// How long a question may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout)
    }

    /// How long to wait after so many failed attempts: twice as long each time, or what the server asked for. There is no
    /// chance in it: the questions of a run wait for each other at the gate, so they do not come back all at once.
    pub fn pause(&self, failed: u32, asked_for: Option<Duration>) -> Duration {
        let doubled = self.wait * f64::from(failed.saturating_sub(1).min(60)).exp2();
        let seconds = asked_for.map_or(doubled, |wanted| wanted.as_secs_f64());
        Duration::from_secs_f64(seconds.min(self.longest_wait))
    }
}

/// A failed attempt to get an answer.
#[derive(Debug)]
pub(crate) struct Failure {
    pub fault: Fault,
    /// May the same question get an answer later?
    pub passes: bool,
    /// May a part of the questions get answers, if they are asked without the others?
    pub splits: bool,
    /// When the server wants to be asked again.
    pub asked_for: Option<Duration>,
}

impl Failure {
    /// A fault that stays however often the question is asked.
    pub fn lasting(fault: Fault) -> Failure {
        Failure { fault, passes: false, splits: false, asked_for: None }
    }
}

/// Attempts until one succeeds, one fails for good, or there are no retries left.
pub(crate) fn attempt_often<T>(
    limits: &Limits,
    retries: u32,
    mut attempt: impl FnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut failed = 0;
    loop {
        match attempt() {
            Err(failure) if failure.passes && failed < retries => {
                failed += 1;
                std::thread::sleep(limits.pause(failed, failure.asked_for));
            }
            outcome => return outcome,
        }
    }
}

/// Lets a limited number of questions through at once, from whatever thread they come.
pub(crate) struct Gate {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Gate {
    pub fn new(places: usize) -> Gate {
        Gate { free: Mutex::new(places), freed: Condvar::new() }
    }

    /// Does the work as soon as there is a place.
    pub fn pass<T>(&self, work: impl FnOnce() -> T) -> T {
        // The place is given back when this is dropped, even if the work panics.
        struct Place<'g>(&'g Gate);
        impl Drop for Place<'_> {
            fn drop(&mut self) {
                *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
                self.0.freed.notify_one();
            }
        }
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = self.freed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        drop(free);
        let _place = Place(self);
        work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_limit() {
        let limits = Limits { wait: 0.5, longest_wait: 3.0, ..Limits::default() };
        let pauses: Vec<f64> = (1..=5).map(|failed| limits.pause(failed, None).as_secs_f64()).collect();
        assert_eq!(pauses, [0.5, 1.0, 2.0, 3.0, 3.0]);
        assert_eq!(limits.pause(1, Some(Duration::from_secs(2))), Duration::from_secs(2));
        assert_eq!(limits.pause(1, Some(Duration::from_secs(3600))), Duration::from_secs(3));
        assert_eq!(limits.pause(u32::MAX, None), Duration::from_secs(3));
    }

    #[test]
    fn limits_that_let_nothing_through_are_refused() {
        assert!(Limits::default().check("x").is_ok());
        for (limits, words) in [
            (Limits { timeout: 0.0, ..Limits::default() }, "`timeout`"),
            (Limits { timeout: f64::NAN, ..Limits::default() }, "`timeout`"),
            (Limits { timeout: f64::INFINITY, ..Limits::default() }, "`timeout`"),
            (Limits { concurrency: 0, ..Limits::default() }, "`concurrency`"),
            (Limits { wait: -1.0, ..Limits::default() }, "`wait`"),
            (Limits { retries: 1000, ..Limits::default() }, "`retries`"),
            (Limits { bytes: 0, ..Limits::default() }, "`bytes`"),
        ] {
            let error = limits.check("x").expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn attempts_end_with_success_a_lasting_fault_or_the_last_retry() {
        let limits = Limits { wait: 0.0, ..Limits::default() };
        let passing = || Failure { passes: true, ..Failure::lasting(Fault::Late(Duration::ZERO)) };
        let count = |retries, outcome: &dyn Fn(u32) -> Result<(), Failure>| {
            let mut attempts = 0;
            let end = attempt_often(&limits, retries, || {
                attempts += 1;
                outcome(attempts)
            });
            (attempts, end.is_ok())
        };
        assert_eq!(count(4, &|attempt| if attempt == 3 { Ok(()) } else { Err(passing()) }), (3, true));
        assert_eq!(count(4, &|_| Err(passing())), (5, false));
        assert_eq!(count(4, &|_| Err(Failure::lasting(Fault::NotFinite))), (1, false));
        assert_eq!(count(0, &|_| Err(passing())), (1, false));
    }
}
