//! Time limits, concurrency and retries of an endpoint.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;

use crate::{Fault, OpenError};

/// The limits that every endpoint has.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `timeout` | 60 | seconds until the answer to a query must be complete |
/// | `concurrency` | 4 | concurrent queries |
/// | `retries` | 4 | how often a query is repeated after a temporary fault |
/// | `wait` | 0.5 | seconds before the first retry; doubled before each further one |
/// | `longest_wait` | 30 | the maximum of seconds before a retry, whatever the server requests |
/// | `bytes` | 16777216 | the maximum size of an answer |
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

    /// Rejects limits under which no query could ever be answered.
    pub fn check(&self, place: &str) -> Result<(), OpenError> {
        let refuse = |problem: &str| Err(OpenError::Unusable { place: place.to_owned(), problem: problem.to_owned() });
        // More seconds than this do not fit into the clock of some systems, and nobody waits for weeks.
        let is_time = |seconds: f64| (0.0..=1e6).contains(&seconds);
        if !is_time(self.timeout) || self.timeout < 0.001 {
            return refuse("`timeout` must be a number of seconds, from 0.001 to 1000000");
        }
        if !is_time(self.wait) || !is_time(self.longest_wait) {
            return refuse("`wait` and `longest_wait` must be numbers of seconds, from 0 to 1000000");
        }
        if self.concurrency == 0 || self.concurrency > 1024 {
            return refuse("`concurrency` must be a number from 1 to 1024");
        }
        if self.retries > 100 {
            return refuse("`retries` must be a number from 0 to 100");
        }
        if self.bytes == 0 {
            return refuse("`bytes` must be at least 1");
        }
        Ok(())
    }

    /// The time limit of a query.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout)
    }

    /// The pause after `failed` failed attempts: twice as long each time, or what the server requested. There is no
    /// jitter: the queries of a run wait for each other at the gate, so they do not return all at once.
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
    /// May the same query succeed later?
    pub passes: bool,
    /// May some of the queries succeed without the others?
    pub splits: bool,
    /// When the server wants to be queried again.
    pub asked_for: Option<Duration>,
}

impl Failure {
    /// A fault that persists however often the query is repeated.
    pub fn lasting(fault: Fault) -> Failure {
        Failure { fault, passes: false, splits: false, asked_for: None }
    }
}

/// Repeats attempts until one succeeds, one fails for good, or there are no retries left.
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

/// Limits the number of concurrent queries, from any thread.
pub(crate) struct Gate {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Gate {
    pub fn new(places: usize) -> Gate {
        Gate { free: Mutex::new(places), freed: Condvar::new() }
    }

    /// Does the work as soon as there is room.
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
