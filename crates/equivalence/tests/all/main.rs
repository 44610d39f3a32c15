//! The sandbox and the judge.

#[cfg(target_os = "linux")]
mod sandbox;
mod verdicts;
